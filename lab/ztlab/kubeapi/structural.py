# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Prune, default and validate custom resources by structural OpenAPI schemas, as the API server does.

The functions never change a value in place: they return the same object if the schema changes nothing.
"""

from __future__ import annotations

import copy
import dataclasses
import datetime
import functools
import json
import re
import urllib.parse
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import re2  # type: ignore[import-untyped]

Cause = tuple[str, str]
NOWHERE = "<nil>"
UNCHECKED = (
    "some validation rules were not checked because the object was invalid; correct the existing errors to complete "
    "validation"
)
BLOCKING = ("Required value", "Unsupported value", "Too long", "Too many")
_DURATION = re.compile(
    r"^[+-]?(\d+(\.\d*)?|\.\d+)(ns|us|µs|ms|s|m|h|d|w)((\d+(\.\d*)?|\.\d+)(ns|us|µs|ms|s|m|h|d|w))*$"
)
_HOST = re.compile(r"^[A-Za-z0-9]([-A-Za-z0-9]{0,61}[A-Za-z0-9])?(\.[A-Za-z0-9]([-A-Za-z0-9]{0,61}[A-Za-z0-9])?)*\.?$")


@dataclasses.dataclass(frozen=True)
class Rule:
    """One entry of x-kubernetes-validations."""

    rule: str
    message: str = ""
    message_expression: str = ""
    reason: str = ""
    field_path: str = ""
    optional_old: bool = False

    @functools.cached_property
    def on_transition(self) -> bool:
        return re.search(r"\boldSelf\b", self.rule) is not None


@dataclasses.dataclass(frozen=True)
class Schema:
    """One node of a schema. ``types`` empty: any type; ``additional`` None: no members except ``properties``;
    ``branches``: the value validations of allOf, anyOf, oneOf and not.
    """

    types: tuple[str, ...] = ()
    nullable: bool = False
    properties: Mapping[str, Schema] = dataclasses.field(default_factory=dict)
    additional: Schema | None = None
    items: Schema | None = None
    required: tuple[str, ...] = ()
    preserve: bool = False
    embedded: bool = False
    default: Any = None
    has_default: bool = False
    enum: tuple[Any, ...] = ()
    pattern: str = ""
    matches: Callable[[str], Any] | None = None
    format: str = ""
    limits: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    list_type: str = "atomic"
    atomic: bool = False  # a map that is owned as a whole
    list_keys: tuple[str, ...] = ()
    rules: tuple[Rule, ...] = ()
    branches: Mapping[str, tuple[Schema, ...]] = dataclasses.field(default_factory=dict)
    ruled: bool = False  # a rule is here or below
    defaulted: bool = False  # a default is here or below

    @property
    def type(self) -> str:
        return self.types[0] if self.types else ""


LIMITS = (
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "minLength",
    "maxLength",
    "minItems",
    "maxItems",
    "uniqueItems",
    "minProperties",
    "maxProperties",
)


# Its members are checked by :mod:`.metadata`; who owns which of them is a matter of labels and annotations.
METADATA = Schema(
    types=("object",), preserve=True, properties={"labels": Schema(preserve=True), "annotations": Schema(preserve=True)}
)


def parse(document: Mapping[str, Any], *, root: bool = False) -> Schema:
    """A node from its OpenAPI form.

    At the root apiVersion, kind and metadata are the server's business, not the schema's.
    """
    properties = {name: parse(value) for name, value in (document.get("properties") or {}).items()}
    if root or document.get("x-kubernetes-embedded-resource"):
        properties |= {"apiVersion": Schema(types=("string",)), "kind": Schema(types=("string",)), "metadata": METADATA}
    extra, items = document.get("additionalProperties"), document.get("items")
    additional = ANYTHING if extra is True else None
    if isinstance(extra, Mapping):
        additional = parse(extra)
    inner = parse(items) if isinstance(items, Mapping) else None
    below = [*properties.values(), *(node for node in (additional, inner) if node is not None)]
    rules = tuple(_rule(entry) for entry in document.get("x-kubernetes-validations") or ())
    pattern = str(document.get("pattern") or "")
    return Schema(
        types=_types(document),
        nullable=bool(document.get("nullable")),
        properties=properties,
        additional=additional,
        items=inner,
        required=tuple(document.get("required") or ()),
        preserve=bool(document.get("x-kubernetes-preserve-unknown-fields")),
        embedded=bool(document.get("x-kubernetes-embedded-resource")),
        default=document.get("default"),
        has_default="default" in document,
        enum=tuple(document.get("enum") or ()),
        pattern=pattern,
        matches=re2.compile(pattern).search if pattern else None,
        format=str(document.get("format") or ""),
        limits={name: document[name] for name in LIMITS if name in document},
        list_type=str(document.get("x-kubernetes-list-type") or "atomic"),
        atomic=document.get("x-kubernetes-map-type") == "atomic",
        list_keys=tuple(document.get("x-kubernetes-list-map-keys") or ()),
        rules=rules,
        branches=_branches(document),
        ruled=bool(rules) or any(node.ruled for node in below),
        defaulted="default" in document or any(node.defaulted for node in below),
    )


def _types(document: Mapping[str, Any]) -> tuple[str, ...]:
    if document.get("x-kubernetes-int-or-string"):
        return ("integer", "string")
    return (str(document["type"]),) if document.get("type") else ()


def _branches(document: Mapping[str, Any]) -> dict[str, tuple[Schema, ...]]:
    found = {
        name: tuple(parse(branch) for branch in document[name])
        for name in ("allOf", "anyOf", "oneOf")
        if document.get(name)
    }
    if document.get("not"):
        found["not"] = (parse(document["not"]),)
    return found


def _rule(entry: Mapping[str, Any]) -> Rule:
    return Rule(
        rule=str(entry["rule"]).strip(),
        message=str(entry.get("message") or "").strip(),
        message_expression=str(entry.get("messageExpression") or ""),
        reason=str(entry.get("reason") or ""),
        field_path=str(entry.get("fieldPath") or ""),
        optional_old=bool(entry.get("optionalOldSelf")),
    )


ANYTHING = Schema(preserve=True)


# pruning and defaulting


def prune(schema: Schema, value: Any, path: str = "", dropped: list[str] | None = None) -> Any:
    """The value without members that the schema does not know; their paths are added to ``dropped``."""
    if isinstance(value, dict):
        return _prune_object(schema, value, path, dropped)
    if isinstance(value, list) and schema.items is not None:
        found = [prune(schema.items, item, f"{path}[{index}]", dropped) for index, item in enumerate(value)]
        return value if all(new is old for new, old in zip(found, value, strict=True)) else found
    return value


def _prune_object(schema: Schema, value: dict[str, Any], path: str, dropped: list[str] | None) -> dict[str, Any]:
    found: dict[str, Any] = {}
    changed = False
    for name, item in value.items():
        below = schema.properties.get(name) or schema.additional
        here = f"{path}.{name}" if path else name
        if below is None and not schema.preserve:
            changed = True
            if dropped is not None:
                dropped.append(here)
            continue
        kept = item if below is None else prune(below, item, here, dropped)
        changed = changed or kept is not item
        found[name] = kept
    return found if changed else value


def default(schema: Schema, value: Any) -> Any:
    """The value with defaults, and without nulls where null is not allowed and no value is its default."""
    if isinstance(value, dict):
        found = _default_object(schema, value)
        return found
    if isinstance(value, list) and schema.items is not None and schema.items.types:
        items = [default(schema.items, item) for item in value]
        return value if all(new is old for new, old in zip(items, value, strict=True)) else items
    return value


def _default_object(schema: Schema, value: dict[str, Any]) -> dict[str, Any]:
    found = dict(value)
    changed = False
    for name, below in schema.properties.items():
        if name in found and found[name] is None and not below.nullable and not (below.preserve and not below.types):
            del found[name]
            changed = True
        if name not in found and below.has_default:
            found[name] = copy.deepcopy(below.default)
            changed = True
    for name, item in list(found.items()):
        below_it = schema.properties.get(name) or schema.additional
        if below_it is None:
            continue
        complete = default(below_it, item)
        if complete is not item:
            found[name] = complete
            changed = True
    return found if changed else value


# validation


def kind_of(value: Any) -> str:
    """The type of a JSON value as the API server names it."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int):
        return "integer"
    if isinstance(value, float):
        return "number"
    if isinstance(value, str):
        return "string"
    return "array" if isinstance(value, list) else "object"


def quoted(value: Any) -> str:
    """A value as the API server prints it in a refusal."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def validate(schema: Schema, value: Any, path: str = "") -> Iterator[Cause]:
    """Everything that is wrong by the schema, rules in CEL left aside."""
    if value is None and schema.nullable:
        return
    kind = kind_of(value)
    if not _fits_type(schema, value, kind):
        wanted = " or ".join(schema.types) if len(schema.types) < 2 else "integer,string"
        yield path, f'Invalid value: "{kind}": {path} in body must be of type {wanted}: "{kind}"'
        yield from _branched(schema, value, path)
        return
    if schema.enum and value not in schema.enum:
        supported = ", ".join(quoted(item) for item in schema.enum)
        yield path, f"Unsupported value: {quoted(value)}: supported values: {supported}"
    if kind == "string":
        yield from _string(schema, value, path)
    elif kind in ("integer", "number"):
        yield from _number(schema, value, path)
    elif kind == "array":
        yield from _array(schema, value, path)
    elif kind == "object":
        yield from _object(schema, value, path)
    if schema.branches:
        yield from _branched(schema, value, path)


def _fits_type(schema: Schema, value: Any, kind: str) -> bool:
    if not schema.types:
        return True
    if kind in schema.types or (kind == "integer" and "number" in schema.types):
        return True
    return kind == "number" and "integer" in schema.types and float(value).is_integer()


def _string(schema: Schema, value: str, path: str) -> Iterator[Cause]:
    limits = schema.limits
    # Of these three the API server names the first.
    if "maxLength" in limits and len(value) > limits["maxLength"]:
        yield path, f"Too long: may not be more than {limits['maxLength']} bytes"
    elif "minLength" in limits and len(value) < limits["minLength"]:
        yield (
            path,
            (f"Invalid value: {quoted(value)}: {path} in body should be at least {limits['minLength']} chars long"),
        )
    elif schema.matches is not None and not schema.matches(value):
        yield path, f"Invalid value: {quoted(value)}: {path} in body should match '{schema.pattern}'"
    check = FORMATS.get(schema.format)
    if check is not None and not check(value):
        yield path, f"Invalid value: {quoted(value)}: {path} in body must be of type {schema.format}: {quoted(value)}"


def _number(schema: Schema, value: float, path: str) -> Iterator[Cause]:
    limits = schema.limits
    if "minimum" in limits:
        least, open_end = limits["minimum"], bool(limits.get("exclusiveMinimum"))
        if value < least or (open_end and value == least):
            than = "than" if open_end else "than or equal to"
            yield path, f"Invalid value: {quoted(value)}: {path} in body should be greater {than} {least}"
    if "maximum" in limits:
        most, open_end = limits["maximum"], bool(limits.get("exclusiveMaximum"))
        if value > most or (open_end and value == most):
            than = "than" if open_end else "than or equal to"
            yield path, f"Invalid value: {quoted(value)}: {path} in body should be less {than} {most}"
    if "multipleOf" in limits and value % limits["multipleOf"]:
        yield path, f"Invalid value: {quoted(value)}: {path} in body should be a multiple of {limits['multipleOf']}"


def _array(schema: Schema, value: list[Any], path: str) -> Iterator[Cause]:
    limits = schema.limits
    if "maxItems" in limits and len(value) > limits["maxItems"]:
        yield path, f"Too many: {len(value)}: must have at most {limits['maxItems']} items"
    if "minItems" in limits and len(value) < limits["minItems"]:
        yield path, f"Invalid value: {len(value)}: {path} in body should have at least {limits['minItems']} items"
    if schema.items is not None:
        for index, item in enumerate(value):
            yield from validate(schema.items, item, f"{path}[{index}]")
    yield from _duplicates(schema, value, path)


def _duplicates(schema: Schema, value: Sequence[Any], path: str) -> Iterator[Cause]:
    """Members of a set, and entries of a map list by its keys, are there once."""
    if schema.list_type not in ("set", "map"):
        return
    seen: set[str] = set()
    for index, item in enumerate(value):
        identity = item
        if schema.list_type == "map":
            if not isinstance(item, dict):
                continue
            identity = {key: item[key] for key in schema.list_keys if key in item}
        text = json.dumps(identity, sort_keys=True)
        if text in seen:
            yield f"{path}[{index}]", f"Duplicate value: {quoted(identity)}"
        seen.add(text)


def _object(schema: Schema, value: dict[str, Any], path: str) -> Iterator[Cause]:
    limits = schema.limits
    if "maxProperties" in limits and len(value) > limits["maxProperties"]:
        yield path, f"Too many: {len(value)}: must have at most {limits['maxProperties']} items"
    if "minProperties" in limits and len(value) < limits["minProperties"]:
        yield (
            path,
            (f"Invalid value: {len(value)}: {path} in body should have at least {limits['minProperties']} properties"),
        )
    for name, item in value.items():
        below = schema.properties.get(name) or schema.additional
        if below is not None:
            yield from validate(below, item, f"{path}.{name}" if path else name)
    for name in schema.required:
        if name not in value:
            yield (f"{path}.{name}" if path else name), "Required value"
    if schema.embedded:
        for name in ("apiVersion", "kind"):
            if not value.get(name):
                yield f"{path}.{name}", "Required value: must not be empty"


def _branched(schema: Schema, value: Any, path: str) -> Iterator[Cause]:
    """The API server has no field path for these; of the branches that fail it tells what is wrong with the first."""
    for branch in schema.branches.get("allOf", ()):
        yield from validate(branch, value, path)
    if schema.branches.get("anyOf"):
        failed = [list(validate(branch, value, path)) for branch in schema.branches["anyOf"]]
        if all(failed):
            yield NOWHERE, f'Invalid value: "": "{path}" must validate at least one schema (anyOf)'
            yield from failed[0]
    if schema.branches.get("oneOf"):
        failed = [list(validate(branch, value, path)) for branch in schema.branches["oneOf"]]
        count = sum(not causes for causes in failed)
        if count != 1:
            found = "Found none valid" if count == 0 else f"Found {count} valid alternatives"
            yield NOWHERE, f'Invalid value: "": "{path}" must validate one and only one schema (oneOf). {found}'
            yield from failed[0] if count == 0 else ()
    for branch in schema.branches.get("not", ()):
        if next(validate(branch, value, path), None) is None:
            yield NOWHERE, f'Invalid value: "": "{path}" must not validate the schema (not)'


# formats that the API server checks


def _date_time(value: str) -> bool:
    if re.match(r"^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2}(\.\d+)?([Zz]|[+-]\d{2}:\d{2})$", value) is None:
        return False
    try:
        datetime.datetime.fromisoformat(re.sub(r"\.\d+", "", value.upper()).replace("Z", "+00:00"))
    except ValueError:
        return False
    return True


def _uri(value: str) -> bool:
    try:
        parts = urllib.parse.urlsplit(value)
    except ValueError:
        return False
    return bool(parts.scheme) or value.startswith("/")


FORMATS: dict[str, Callable[[str], Any]] = {
    "date-time": _date_time,
    "uri": _uri,
    "duration": lambda value: value == "0" or _DURATION.match(value),
    "hostname": lambda value: len(value) < 256 and _HOST.match(value),
}
