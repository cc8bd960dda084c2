# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Decode and check request bodies by field tables. Error messages are those of upstream's generated server code."""

from __future__ import annotations

import dataclasses
import ipaddress
import json
import re
import uuid
from collections.abc import Mapping, Sequence
from typing import Any

from . import go
from .errors import InfraError

GO_TYPES = {"string": "string", "integer": "int64", "number": "float64", "boolean": "bool"}
# Go prints a pattern as it was written down.
IP = r"^(?:(?:(?:[0-9]{1,3}\.){3}[0-9]{1,3})|(?:(?:[0-9a-fA-F]*:[0-9a-fA-F]*){2,}))?$"
CIDR = (
    r"^(?:(?:(?:[0-9]{1,3}\.){3}[0-9]{1,3}\/(?:(?:[0-9])|(?:[1-2][0-9])|(?:3[0-2])))"
    r"|(?:(?:[0-9a-fA-F]*:[0-9a-fA-F]*){2,})/(?:(?:[0-9])|(?:[1-9][0-9])|(?:1[0-1][0-9])|(?:12[0-8])))$"
)
PATTERNS = {"ip": IP, "cidr": CIDR}
PYTHON_TYPES: dict[str, type | tuple[type, ...]] = {
    "string": str,
    "integer": int,
    "number": (int, float),
    "boolean": bool,
    "array": list,
    "object": dict,
}


@dataclasses.dataclass(frozen=True)
class Field:
    """One member. ``members`` for an object with known members, ``items`` for a list."""

    type: str
    enum: tuple[str, ...] = ()
    pattern: str = ""
    format: str = ""
    min_length: int = 0
    max_length: int = 0
    minimum: int | None = None
    maximum: int | None = None
    items: Field | None = None
    members: Mapping[str, Field] | None = None
    required: tuple[str, ...] = ()


def text(*, enum: Sequence[str] = (), pattern: str = "", form: str = "", least: int = 0, most: int = 0) -> Field:
    return Field("string", enum=tuple(enum), pattern=pattern, format=form, min_length=least, max_length=most)


def number(least: int | None = None, most: int | None = None) -> Field:
    return Field("integer", minimum=least, maximum=most)


def flag() -> Field:
    return Field("boolean")


def many(item: Field) -> Field:
    return Field("array", items=item)


def record(members: Mapping[str, Field], required: Sequence[str] = ()) -> Field:
    return Field("object", members=members, required=tuple(required))


def is_uuid(value: str) -> bool:
    try:
        return str(uuid.UUID(value)) == value.lower()
    except ValueError:
        return False


def _is_ip(value: str) -> bool:
    if value == "":
        return True
    try:
        ipaddress.ip_address(value)
    except ValueError:
        return False
    return True


def _is_cidr(value: str) -> bool:
    if "/" not in value:
        return False
    try:
        ipaddress.ip_network(value, strict=False)
    except ValueError:
        return False
    return True


FORMATS = {"uuid": is_uuid, "ip": _is_ip, "cidr": _is_cidr}


def read_body(raw: bytes, content_type: str, body: Field, name: str) -> Any:
    """Decode and check a request body.

    ``name`` is the parameter's name in the API description. Raises InfraError 400.
    """
    media = content_type.split(";")[0].strip().lower()
    name = go.camel(name)
    if not raw:
        raise InfraError(400, f"{name} in body is required")
    if media != "application/json":
        received = media or "application/octet-stream"
        raise InfraError(400, f'unsupported media type "{received}", only [application/json] are allowed')
    try:
        value = json.loads(raw)
    except (ValueError, UnicodeDecodeError) as error:
        problem = "unexpected EOF" if not raw.strip() else go.json_problem(raw.decode(errors="replace"))
        raise InfraError(400, f'parsing {name} body from "" failed, because {problem}') from error
    decoding = _decoding_problem(value, body, "")
    if decoding:
        raise InfraError(400, f'parsing {name} body from "" failed, because {decoding}')
    problems = _rule_problems(value, body, "")
    if problems:
        # The others stay unsaid.
        raise InfraError(400, problems[0])
    return value


def _decoding_problem(value: Any, field: Field, path: str) -> str:
    """What a strict JSON decoder into typed members would refuse."""
    if value is None:
        return ""
    wanted = PYTHON_TYPES[field.type]
    if not isinstance(value, wanted) or (isinstance(value, bool) and field.type != "boolean"):
        wanted_type = GO_TYPES.get(field.type, field.type)
        place = f"Go struct field .{path} of type {wanted_type}" if path else f"Go value of type {wanted_type}"
        return f"json: cannot unmarshal {go.type_of(value)} into {place}"
    if isinstance(value, dict) and field.members is not None:
        for key, member in value.items():
            if key not in field.members:
                return f'json: unknown field "{key}"'
            problem = _decoding_problem(member, field.members[key], f"{path}.{key}" if path else key)
            if problem:
                return problem
    if isinstance(value, list) and field.items is not None:
        return next(filter(None, (_decoding_problem(item, field.items, path) for item in value)), "")
    return ""


def _rule_problems(value: Any, field: Field, path: str) -> list[str]:
    where = f"{path} in body"
    if isinstance(value, str):
        return _text_problems(value, field, where)
    if isinstance(value, dict) and field.members is not None:
        prefix = f"{path}." if path else ""
        problems = []
        for name in sorted(field.members):
            if value.get(name) is not None:
                problems += _rule_problems(value[name], field.members[name], prefix + name)
            elif name in field.required:
                problems.append(f"{prefix}{name} in body is required")
        return problems
    if isinstance(value, list) and field.items is not None:
        return [
            problem
            for index, item in enumerate(value)
            for problem in _rule_problems(item, field.items, f"{path}.{index}")
        ]
    if isinstance(value, int) and not isinstance(value, bool):
        if field.minimum is not None and value < field.minimum:
            return [f"{where} should be greater than or equal to {field.minimum}"]
        if field.maximum is not None and value > field.maximum:
            return [f"{where} should be less than or equal to {field.maximum}"]
    return []


def _text_problems(value: str, field: Field, where: str) -> list[str]:
    if field.min_length and len(value) < field.min_length:
        return [f"{where} should be at least {field.min_length} chars long"]
    if field.max_length and len(value) > field.max_length:
        return [f"{where} should be at most {field.max_length} chars long"]
    if field.enum and value and value not in field.enum:
        return [f"{where} should be one of {go.words(field.enum)}"]
    if field.pattern and value and not re.search(field.pattern, value):
        return [f"{where} should match '{field.pattern}'"]
    if field.format in PATTERNS and not re.search(PATTERNS[field.format], value):
        return [f"{where} should match '{PATTERNS[field.format]}'"]
    if field.format and value and not FORMATS[field.format](value):
        return [f'{where} must be of type {field.format}: "{value}"']
    return []


def read_query_flag(query: Mapping[str, str], name: str, default: bool = False) -> bool:
    """A boolean of the query string; a word that is none counts as false."""
    value = query.get(name, "")
    return (
        default
        if value == ""
        else value.lower() in ("true", "1", "yes", "ok", "y", "on", "selected", "checked", "t", "enabled")
    )


def read_query_text(query: Mapping[str, str], name: str, enum: Sequence[str] = (), *, required: bool = False) -> str:
    """A text of the query string, "" for none. Raises InfraError 400."""
    value = query.get(name, "")
    if value == "" and required:
        raise InfraError(400, f"{name} in query is required")
    if value and enum and value not in enum:
        raise InfraError(400, f"{name} in query should be one of {go.words(enum)}")
    return value


def read_query_id(query: Mapping[str, str], name: str) -> str:
    """A UUID of the query string, "" for none. Raises InfraError 400."""
    value = query.get(name, "")
    if value and not is_uuid(value):
        raise InfraError(400, f'{name} in query must be of type uuid: "{value}"')
    return value.lower()


def read_query_number(query: Mapping[str, str], name: str, default: int) -> int:
    """An integer of the query string. Raises InfraError 400."""
    value = query.get(name, "")
    if value == "":
        return default
    if not re.fullmatch(r"-?\d+", value):
        raise InfraError(400, f'{name} in query must be of type int64: "{value}"')
    return int(value)
