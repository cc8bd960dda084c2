# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""JSON that a person wrote: whatever is wrong with it is a ValueError."""

from __future__ import annotations

import json
from typing import Any

# Python reads no longer ones, and nobody counts so far.
_LONGEST_NUMBER = 400
# What walks through a document calls itself for each level.
_DEEPEST = 200
_TOO_DEEP = "this JSON document is nested too deeply"


def parse(text: str | bytes) -> Any:
    """The value that the text says. Raises ValueError, also for what is nested too deeply, and for NaN and Infinity, which are no JSON."""
    try:
        value = json.loads(text, parse_int=_integer, parse_constant=_no_constant)
    except RecursionError:
        raise ValueError(_TOO_DEEP) from None
    level = [value]
    for _number in range(_DEEPEST):
        level = [child for each in level if isinstance(each, (dict, list)) for child in (each.values() if isinstance(each, dict) else each)]
        if not level:
            return value
    raise ValueError(_TOO_DEEP)


def _integer(digits: str) -> int | float:
    return int(digits) if len(digits) <= _LONGEST_NUMBER else float(digits)


def _no_constant(word: str) -> None:
    raise ValueError(f"{word} is not JSON")
