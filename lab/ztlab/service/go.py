# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Produce the same texts as the Go code of assisted-service: printed lists, combined errors, errors of invalid JSON.

The lab's service is written in Python, but its messages must be equal to upstream's.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from typing import Any

LITERALS = ("true", "false", "null")


def words(items: Iterable[object]) -> str:
    """A list as it is printed: ``[a b c]``."""
    return f"[{' '.join(map(str, items))}]"


def joined(problems: Sequence[str]) -> str:
    """Several errors as one."""
    head = "1 error occurred:" if len(problems) == 1 else f"{len(problems)} errors occurred:"
    return head + "".join(f"\n\t* {problem}" for problem in problems) + "\n\n"


def json_problem(text: str) -> str:
    """The error message for a text that is not valid JSON."""
    rest = text.lstrip()
    if not rest:
        return "unexpected end of JSON input"
    for literal in LITERALS:
        if rest[0] == literal[0] and not rest.startswith(literal):
            agreed = len(re.match("|".join(literal[:size] for size in range(len(literal), 0, -1)), rest)[0])  # type: ignore[index]
            return (
                f"invalid character '{rest[agreed]}' in literal {literal} (expecting '{literal[agreed]}')"
                if agreed < len(rest)
                else "unexpected EOF"
            )
    if rest[0] not in '{["-0123456789tfn':
        return f"invalid character '{rest[0]}' looking for beginning of value"
    try:
        json.loads(text)
    except json.JSONDecodeError as error:
        return (
            "unexpected EOF"
            if error.pos >= len(text.rstrip())
            else (f"invalid character '{text[error.pos]}' looking for beginning of value")
        )
    return ""


def camel(name: str) -> str:
    """A parameter's name as the generated code has it: ``new-cluster-params`` -> ``newClusterParams``."""
    first, *others = re.split(r"[-_]", name)
    return first[:1].lower() + first[1:] + "".join(other[:1].upper() + other[1:] for other in others)


def type_of(value: Any) -> str:
    """The JSON type of a decoded value."""
    return {str: "string", bool: "bool", int: "number", float: "number", list: "array", dict: "object"}[type(value)]
