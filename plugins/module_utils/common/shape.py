# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Check that a document from a remote service has the expected types, before other code reads it.

The expected types are a shape: a type (``str``, ``int``, ``float``, ``bool``, ``dict``, ``list``), ``object`` for
anything, ``[shape]`` for a list, or a mapping of keys to shapes. The key ``*`` covers all keys that are not listed.
Keys that a shape does not have are not checked. A key with null counts as absent, as in Go, and is removed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

Shape: TypeAlias = "type | list[Any] | Mapping[str, Any]"

_NAMES: Mapping[type, str] = {
    str: "a string",
    int: "a whole number",
    float: "a number",
    bool: "true or false",
    dict: "an object",
    list: "a list",
}


def fit(value: Any, shape: Any, path: str = "") -> str:
    """Why the value does not have the shape: the first contradiction as text, empty if there is none.

    Removes nulls from ``value``.
    """
    if shape is object:
        return ""
    if isinstance(shape, Mapping):
        return _fit_mapping(value, shape, path)
    if isinstance(shape, list):
        if not isinstance(value, list):
            return _misfit(path, value, list)
        return next(filter(None, (fit(item, shape[0], f"{path}[{index}]") for index, item in enumerate(value))), "")
    return "" if _is(value, shape) else _misfit(path, value, shape)


def _fit_mapping(value: Any, shape: Mapping[str, Any], path: str) -> str:
    if not isinstance(value, dict):
        return _misfit(path, value, dict)
    rest = shape.get("*")
    for key in list(value) if rest is not None else [key for key in shape if key in value]:
        inner = shape.get(key, rest)
        if value[key] is None:
            del value[key]
        elif reason := fit(value[key], inner, f"{path}.{key}" if path else key):
            return reason
    return ""


def _is(value: Any, kind: type) -> bool:
    if kind in (int, float) and isinstance(value, bool):
        return False
    return isinstance(value, (int, float) if kind is float else kind)


def _misfit(path: str, value: Any, kind: type) -> str:
    found = (
        "null" if value is None else next((name for each, name in _NAMES.items() if _is(value, each)), "another value")
    )
    shown_path = path or "the document"
    return f"{shown_path} is {found}, not {_NAMES[kind]}"
