# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Evaluate x-kubernetes-validations: CEL rules of a CRD schema over an object and its previous version."""

from __future__ import annotations

import functools
import ipaddress
import json
import logging
import re
import urllib.parse
from collections.abc import Iterator
from typing import Any

import celpy
from celpy import celtypes
from celpy.adapter import json_to_cel
from celpy.celparser import CELParseError
from celpy.evaluation import CELEvalError

from .resource import Object
from .structural import NOWHERE, Cause, Rule, Schema

LOG = logging.getLogger(__name__)
_MISSING = object()
# True of every value that stayed as it was. Rules about a value alone are not asked of one that did (an API server
# ratchets since 1.33).
ALWAYS_TRUE = frozenset({"self == oldSelf", 'oldSelf == "" || self == oldSelf'})


def _bool(value: bool) -> celtypes.BoolType:
    return celtypes.BoolType(value)


def _is_ip(text: Any) -> celtypes.BoolType:
    try:
        ipaddress.ip_address(str(text))
    except ValueError:
        return _bool(False)
    return _bool(True)


def _is_cidr(text: Any) -> celtypes.BoolType:
    try:
        ipaddress.ip_interface(str(text))
    except ValueError:
        return _bool(False)
    return _bool("/" in str(text))


def _is_url(text: Any) -> celtypes.BoolType:
    parts = urllib.parse.urlsplit(str(text))
    return _bool(bool(parts.scheme and (parts.netloc or parts.path.startswith("/"))) or str(text).startswith("/"))


def _split(text: Any, separator: Any, limit: Any = -1) -> celtypes.ListType:
    count = int(limit)
    most = -1 if count < 0 else count - 1
    parts = str(text).split(str(separator), most) if count else []
    return celtypes.ListType([celtypes.StringType(part) for part in parts])


def _find(text: Any, pattern: Any) -> celtypes.StringType:
    match = re.search(str(pattern), str(text))
    return celtypes.StringType(match[0] if match else "")


# What Kubernetes adds to CEL, as far as plain values go; urls and cidrs with methods are not offered.
FUNCTIONS: dict[str, Any] = {
    "isIP": _is_ip,
    "isCIDR": _is_cidr,
    "isURL": _is_url,
    "lowerAscii": lambda text: celtypes.StringType(str(text).lower()),
    "upperAscii": lambda text: celtypes.StringType(str(text).upper()),
    "trim": lambda text: celtypes.StringType(str(text).strip()),
    "replace": lambda text, old, new: celtypes.StringType(str(text).replace(str(old), str(new))),
    "split": _split,
    "find": _find,
    "join": lambda items, separator="": celtypes.StringType(str(separator).join(str(item) for item in items)),
    "indexOf": lambda text, part: celtypes.IntType(str(text).find(str(part))),
    "isSorted": lambda items: _bool(list(items) == sorted(items)),
    "sum": lambda items: sum(items, celtypes.IntType(0)),
    "min": lambda items: min(items),
    "max": lambda items: max(items),
}


@functools.cache
def program(expression: str) -> celpy.Runner | None:
    """The compiled expression; None when the library cannot read it, which is logged once."""
    environment = celpy.Environment()
    try:
        return environment.program(environment.compile(expression), functions=FUNCTIONS)
    except CELParseError as error:
        LOG.warning("a validation rule is not checked, its CEL is not understood here: %s: %s", expression, error)
        return None


class RuleBook:
    """All rules of one schema."""

    def __init__(self, schema: Schema) -> None:
        self.schema = schema

    def check(self, new: Object, old: Object | None) -> list[Cause]:
        """What the rules refuse; ``old`` None: a creation, to which rules about a change do not apply."""
        return list(_walk(self.schema, new, _MISSING if old is None else old, ""))


def _walk(schema: Schema, new: Any, old: Any, path: str) -> Iterator[Cause]:
    if not schema.ruled or new is None:
        return
    same = old is not _MISSING and new == old
    for rule in schema.rules:
        if not same or (rule.on_transition and rule.rule not in ALWAYS_TRUE):
            yield from _judge(rule, new, old, path)
    if isinstance(new, dict):
        for name, value in new.items():
            below = schema.properties.get(name) or schema.additional
            if below is not None:
                before = old.get(name, _MISSING) if isinstance(old, dict) else _MISSING
                yield from _walk(below, value, before, f"{path}.{name}" if path else name)
    elif isinstance(new, list) and schema.items is not None:
        for index, value in enumerate(new):
            yield from _walk(schema.items, value, _counterpart(schema, value, old), f"{path}[{index}]")


def _counterpart(schema: Schema, item: Any, old: Any) -> Any:
    """The entry that had the same keys: only entries of map lists can be distinguished."""
    if schema.list_type != "map" or not isinstance(old, list) or not isinstance(item, dict):
        return _MISSING
    identity = [item.get(key) for key in schema.list_keys]
    return next(
        (
            entry
            for entry in old
            if isinstance(entry, dict) and [entry.get(key) for key in schema.list_keys] == identity
        ),
        _MISSING,
    )


def _judge(rule: Rule, new: Any, old: Any, path: str) -> Iterator[Cause]:
    transition = rule.on_transition
    if transition and (old is _MISSING or old is None) and not rule.optional_old:
        return
    compiled = program(rule.rule)
    if compiled is None:
        return
    values = {"self": json_to_cel(new)}
    if transition and old is not _MISSING:
        values["oldSelf"] = json_to_cel(old)
    # The API server shows what was refused unless that is an object or a list.
    shown = "" if isinstance(new, (dict, list)) else f"{json.dumps(new, ensure_ascii=False)}: "
    where = path + rule.field_path or NOWHERE
    try:
        passed = bool(compiled.evaluate(values))
    except CELEvalError as error:
        why = error.args[0] if error.args else error
        yield where, f"Invalid value: {shown}rule evaluation error: {why}"
        return
    if not passed:
        yield where, f"{_prefix(rule, shown)}{_message(rule, values)}"


def _prefix(rule: Rule, shown: str) -> str:
    if rule.reason == "FieldValueForbidden":
        return "Forbidden: "
    if rule.reason == "FieldValueRequired":
        return "Required value: "
    kind = "Duplicate" if rule.reason == "FieldValueDuplicate" else "Invalid"
    return f"{kind} value: {shown}"


def _message(rule: Rule, values: dict[str, Any]) -> str:
    if rule.message_expression:
        compiled = program(rule.message_expression)
        try:
            text = str(compiled.evaluate(values)) if compiled is not None else ""
        except CELEvalError:
            text = ""
        if text.strip():
            return text.strip()
    return rule.message or f"failed rule: {rule.rule}"
