# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Request bodies: decoding and checking them by field tables, with the words of the generated server code of upstream."""

from __future__ import annotations

import dataclasses
import ipaddress
import json
import re
import uuid
from collections.abc import Mapping, Sequence
from typing import Any

from .errors import InfraError

GO_TYPES = {"string": "string", "integer": "int64", "number": "float64", "boolean": "bool"}
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
    """Decode and check a request body. ``name`` is the parameter's name in the API description. Raises InfraError 400."""
    media = content_type.split(";")[0].strip().lower()
    if not raw:
        raise InfraError(400, f"{name} in body is required")
    if media != "application/json":
        raise InfraError(400, f'unsupported media type "{media or "application/octet-stream"}", only [application/json] are allowed')
    try:
        value = json.loads(raw)
    except (ValueError, UnicodeDecodeError) as error:
        raise InfraError(400, f'parsing {name} body from "" failed, because {_syntax_words(error)}') from error
    decoding = _decoding_problem(value, body, "")
    if decoding:
        raise InfraError(400, f'parsing {name} body from "" failed, because {decoding}')
    problems = _rule_problems(value, body, "")
    if problems:
        raise InfraError(400, problems[0] if len(problems) == 1 else "validation failure list:\n" + "\n".join(problems))
    return value


def _syntax_words(error: ValueError) -> str:
    return "unexpected EOF" if "Expecting value" in str(error) else "invalid character in JSON"


def _decoding_problem(value: Any, field: Field, path: str) -> str:
    """What a strict JSON decoder into typed members would refuse."""
    if value is None:
        return ""
    wanted = PYTHON_TYPES[field.type]
    if not isinstance(value, wanted) or (isinstance(value, bool) and field.type != "boolean"):
        found = {str: "string", bool: "bool", int: "number", float: "number", list: "array", dict: "object"}[type(value)]
        return f"json: cannot unmarshal {found} into Go struct field .{path} of type {GO_TYPES.get(field.type, field.type)}"
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
        problems = [f"{prefix}{name} in body is required" for name in field.required if value.get(name) is None]
        for name, member in value.items():
            problems += _rule_problems(member, field.members[name], prefix + name)
        return problems
    if isinstance(value, list) and field.items is not None:
        return [problem for index, item in enumerate(value) for problem in _rule_problems(item, field.items, f"{path}.{index}")]
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
    if field.enum and value not in field.enum:
        return [f"{where} should be one of [{' '.join(field.enum)}]"]
    if field.pattern and not re.search(field.pattern, value):
        return [f"{where} should match '{field.pattern}'"]
    if field.format and not FORMATS[field.format](value):
        return [f'{where} must be of type {field.format}: "{value}"']
    return []


def read_query_flag(query: Mapping[str, str], name: str, default: bool = False) -> bool:
    """A boolean of the query string. Raises InfraError 400."""
    value = query.get(name, "")
    if value == "":
        return default
    if value.lower() not in ("true", "false", "1", "0", "t", "f"):
        raise InfraError(400, f'{name} in query must be of type bool: "{value}"')
    return value.lower() in ("true", "1", "t")


def read_query_number(query: Mapping[str, str], name: str, default: int) -> int:
    """An integer of the query string. Raises InfraError 400."""
    value = query.get(name, "")
    if value == "":
        return default
    if not re.fullmatch(r"-?\d+", value):
        raise InfraError(400, f'{name} in query must be of type int64: "{value}"')
    return int(value)
