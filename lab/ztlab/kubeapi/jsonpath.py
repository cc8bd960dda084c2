# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Evaluate the JSON paths of printer columns and selectable fields. Supported are fields, indexes and filters by
equality.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

Step = Callable[[Any], list[Any]]
_MEMBER = re.compile(r"\.((?:[^.\[\]\\]|\\.)+)")
_QUOTED = re.compile(r"\[(['\"])(.*?)\1\]")
_INDEX = re.compile(r"\[(-?\d+|\*)\]")
_FILTER = re.compile(r"\[\?\(\s*@\.([\w./-]+)\s*([=!])=\s*(['\"])(.*?)\3\s*\)\]")


def _member(name: str) -> Step:
    return lambda value: [value[name]] if isinstance(value, dict) and name in value else []


def _index(text: str) -> Step:
    def step(value: Any) -> list[Any]:
        if not isinstance(value, list):
            return []
        if text == "*":
            return list(value)
        return value[int(text) :][:1] if int(text) >= 0 else value[int(text) : int(text) + 1 or None]

    return step


def _filter(name: str, wanted: str, *, equal: bool) -> Step:
    """Entries that have the member, equal or not."""

    def step(value: Any) -> list[Any]:
        entries = [item for item in value if isinstance(item, dict) and name in item] if isinstance(value, list) else []
        return [item for item in entries if (str(item[name]) == wanted) is equal]

    return step


KINDS: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], Step]], ...] = (
    (_FILTER, lambda match: _filter(match[1], match[4], equal=match[2] == "=")),
    (_QUOTED, lambda match: _member(match[2])),
    (_INDEX, lambda match: _index(match[1])),
    (_MEMBER, lambda match: _member(re.sub(r"\\(.)", r"\1", match[1]))),
)


def compile_path(path: str) -> Callable[[Any], list[Any]]:
    """What finds the values at a path.

    Raises ValueError for a path with more than members, indexes and filters by equality.
    """
    rest = path.strip().removeprefix("{").removesuffix("}").removeprefix("$")
    steps: list[Step] = []
    while rest:
        for pattern, make in KINDS:
            match = pattern.match(rest)
            if match:
                steps.append(make(match))
                rest = rest[match.end() :]
                break
        else:
            raise ValueError(f"cannot read the JSON path {path!r} at {rest!r}")

    def find(value: Any) -> list[Any]:
        found = [value]
        for step in steps:
            found = [result for item in found for result in step(item)]
        return found

    return find
