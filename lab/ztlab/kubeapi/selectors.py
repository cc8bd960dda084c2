# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Parse and evaluate label and field selectors."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from .errors import bad_request
from .resource import Object, Resource

_SET = re.compile(r"^\s*(?P<key>[^\s!=,()]+)\s+(?P<operator>in|notin)\s*\((?P<values>[^)]*)\)\s*$")
_EQUAL = re.compile(r"^\s*(?P<key>[^\s!=,()]+)\s*(?P<operator>==|=|!=)\s*(?P<value>[^\s!=,()]*)\s*$")
_EXISTS = re.compile(r"^\s*(?P<not>!?)\s*(?P<key>[^\s!=,()]+)\s*$")

Matcher = Callable[[Object], bool]
_Labels = Mapping[str, str]


def _parts(text: str) -> list[str]:
    """Split at commas outside parentheses."""
    parts, depth, current = [], 0, ""
    for character in text:
        depth += {"(": 1, ")": -1}.get(character, 0)
        if character == "," and depth == 0:
            parts.append(current)
            current = ""
        else:
            current += character
    return [part for part in [*parts, current] if part.strip()]


def _requirement(part: str) -> Callable[[_Labels], bool]:
    match = _SET.match(part)
    if match:
        key, values = match["key"], {value.strip() for value in match["values"].split(",")}
        if match["operator"] == "in":
            return lambda labels: labels.get(key) in values
        return lambda labels: labels.get(key) not in values
    match = _EQUAL.match(part)
    if match:
        key, value = match["key"], match["value"]
        if match["operator"] == "!=":
            return lambda labels: labels.get(key) != value
        return lambda labels: labels.get(key) == value
    match = _EXISTS.match(part)
    if match:
        key, absent = match["key"], bool(match["not"])
        return lambda labels: (key in labels) is not absent
    raise bad_request(f"unable to parse requirement: {part.strip()}")


def label_matcher(text: str) -> Matcher:
    """Raises ApiError 400 for a selector that is none."""
    requirements = [_requirement(part) for part in _parts(text)]
    return lambda item: all(
        requirement((item.get("metadata") or {}).get("labels") or {}) for requirement in requirements
    )


def field_matcher(text: str, resource: Resource) -> Matcher:
    """Raises ApiError 400 for a field that the resource does not offer."""
    known: dict[str, Callable[[Object], Any]] = {
        "metadata.name": lambda item: item["metadata"].get("name", ""),
        "metadata.namespace": lambda item: item["metadata"].get("namespace", ""),
        **resource.fields,
    }
    conditions: list[tuple[Callable[[Object], Any], str, bool]] = []
    for part in filter(None, text.split(",")):
        match = re.match(r"^\s*([^!=\s]+)\s*(==|=|!=)\s*(.*?)\s*$", part)
        if match is None:
            raise bad_request(f"invalid field selector: {part}")
        if match[1] not in known:
            raise bad_request(f"field label not supported: {match[1]}")
        conditions.append((known[match[1]], match[3], match[2] != "!="))
    return lambda item: all((str(read(item)) == value) is wanted for read, value, wanted in conditions)


def matcher(query: Mapping[str, str], resource: Resource) -> Matcher:
    """Both selectors of a list or watch."""
    by_label = label_matcher(query.get("labelSelector", ""))
    by_field = field_matcher(query.get("fieldSelector", ""), resource)
    return lambda item: by_label(item) and by_field(item)
