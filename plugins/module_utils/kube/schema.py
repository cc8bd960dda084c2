# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Read the schemas that an API serves for its kinds, and find the parts of an object that do not fit them.

A server refuses values that do not fit, and drops fields that are not in the schema without an error. Both are found
here before the first write. Source: kubernetes/apiextensions-apiserver pkg/apiserver/schema (structural schemas,
pruning).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from ..common.errors import RemoteError
from .client import KubeClient

Schema = Mapping[str, Any]
Fault = tuple[str, str]  # path, what is wrong

_TYPES: Mapping[str, tuple[type, ...]] = {
    "string": (str,),
    "boolean": (bool,),
    "integer": (int,),
    "number": (int, float),
    "array": (list, tuple),
    "object": (Mapping,),
}
# The API server knows these parts by itself.
_BUILT_IN = ("apiVersion", "kind", "metadata")


def served_schemas(client: KubeClient, group: str, version: str) -> Mapping[str, Schema]:
    """The schemas of one version of a group by kind; empty for an API that does not publish them to this user."""
    try:
        document = client.get(f"/openapi/v3/apis/{group}/{version}")
    except RemoteError as error:
        if error.status in (403, 404, 406):
            return {}
        raise
    found: dict[str, Schema] = {}
    for schema in ((document.get("components") or {}).get("schemas") or {}).values():
        for name in schema.get("x-kubernetes-group-version-kind") or ():
            if name.get("version") == version and name.get("group") == group:
                found[str(name.get("kind"))] = schema
    return found


def object_faults(schema: Schema, document: Mapping[str, Any]) -> Iterator[Fault]:
    """What in an object does not fit the schema of its kind. Nulls count as absent."""
    own = {key: value for key, value in document.items() if key not in _BUILT_IN}
    for fault in value_faults(schema, own, ""):
        if fault[0] not in _BUILT_IN:
            yield fault


def value_faults(schema: Schema, value: Any, path: str) -> Iterator[Fault]:
    """What in a value does not fit a schema, each with its path."""
    if schema.get("x-kubernetes-int-or-string"):
        if isinstance(value, bool) or not isinstance(value, (int, str)):
            yield path, "must be an integer or a string"
        return
    kind = str(schema.get("type") or "")
    if kind in _TYPES and (not isinstance(value, _TYPES[kind]) or (isinstance(value, bool) and kind != "boolean")):
        yield path, f"must be of type {kind}"
        return
    if "enum" in schema and value not in schema["enum"]:
        choices = ", ".join(str(each) for each in schema["enum"])
        yield path, f"must be one of {choices}"
    if isinstance(value, str):
        yield from _text_faults(schema, value, path)
    elif isinstance(value, Mapping):
        yield from _mapping_faults(schema, value, path)
    elif isinstance(value, (list, tuple)):
        yield from _size_faults(schema, len(value), "Items", "entries", path)
        for index, each in enumerate(value):
            yield from value_faults(schema.get("items") or {}, each, f"{path}[{index}]")
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        if value < schema.get("minimum", value):
            yield path, f"must be at least {schema['minimum']}"
        if value > schema.get("maximum", value):
            yield path, f"must be at most {schema['maximum']}"


def _text_faults(schema: Schema, value: str, path: str) -> Iterator[Fault]:
    yield from _size_faults(schema, len(value), "Length", "characters", path)
    pattern = schema.get("pattern")
    if pattern and not re.search(pattern, value):
        yield path, f"must match {pattern}"


def _size_faults(schema: Schema, size: int, what: str, unit: str, path: str) -> Iterator[Fault]:
    if size < schema.get(f"min{what}", size):
        yield path, f"must have at least {schema[f'min{what}']} {unit}"
    if size > schema.get(f"max{what}", size):
        yield path, f"must have at most {schema[f'max{what}']} {unit}"


def _mapping_faults(schema: Schema, value: Mapping[str, Any], path: str) -> Iterator[Fault]:
    properties, others = schema.get("properties") or {}, schema.get("additionalProperties")
    present = {key: each for key, each in value.items() if each is not None}
    yield from _size_faults(schema, len(present), "Properties", "fields", path)
    for name in schema.get("required") or ():
        if name not in present:
            yield _below(path, name), "is required"
    for key, each in present.items():
        where = _below(path, key)
        if key in properties:
            yield from value_faults(properties[key], each, where)
        elif isinstance(others, Mapping):
            yield from value_faults(others, each, where)
        elif properties and not others and not schema.get("x-kubernetes-preserve-unknown-fields"):
            yield where, "is not a field of the version that the API serves"


def _below(path: str, key: str) -> str:
    return f"{path}.{key}" if path else str(key)
