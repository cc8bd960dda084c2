# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Parse JSON from users and remote services, with limits for size, depth and numbers.

Every error is a ValueError.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from typing import Any

# Digits of a number. Python reads no longer numbers, and no counter gets so far.
_LONGEST_NUMBER = 400
# Levels of a document. Functions that traverse a document recurse for each level.
_DEEPEST = 200
_TOO_DEEP = "this JSON document is nested too deeply"
# What Go's services can hold: int64 and uint64. Python computes with any number, but not its dates, sizes and floats.
_SMALLEST, _LARGEST = -(1 << 63), (1 << 64) - 1
# Bytes of memory that the value of a remote document may take at most, as _cost estimates it. A page of 500 Agents
# takes 140 MiB of this estimate (20 KiB of text each, a value for each 24 bytes); with the rest of the process the
# worst document allowed stays below 300 MB.
LARGEST_DOCUMENT = 232 << 20
# Most bytes that a value takes for each of these characters (CPython 3.11): an object with one key that is not ASCII, a
# list, and a further member with a key of its own. 64 MiB of "{}," are 1.8 GB.
_MOST_BYTES = ((b"{", 320), (b"[", 90), (b",", 205))
# Python stores each character of a text with as many bytes as its widest one needs.
_WIDEST = re.compile(rb"[\xf0-\xff]")
# Half of a surrogate pair, which no file and no terminal takes.
_SURROGATE = re.compile(r"[\ud800-\udfff]")
_SURROGATE_ESCAPE = re.compile(rb"\\u[dD][89a-fA-F]")


class TooLarge(ValueError):
    """A document whose value may take too much memory."""


def parse(text: str | bytes) -> Any:
    """The value that the text says.

    Raises ValueError, also for what is nested too deeply, and for NaN and Infinity, which are no JSON.
    """
    try:
        value = json.loads(text, parse_int=_integer, parse_constant=_no_constant)
    except RecursionError:
        raise ValueError(_TOO_DEEP) from None
    check_depth(value)
    return value


def parse_remote(data: str | bytes, largest: int = LARGEST_DOCUMENT) -> Any:
    """The value of an answer, as :func:`parse`.

    Numbers that no service can mean, characters that no file can hold, and a value that may take more than ``largest``
    bytes are a ValueError as well.
    """
    if not isinstance(data, (str, bytes)):
        raise ValueError("this is not text")
    raw = data if isinstance(data, bytes) else data.encode("utf-8", "surrogatepass")
    if _cost(raw) > largest:
        raise TooLarge("this JSON document has too many values or too much text")
    text = data if isinstance(data, str) else data.decode(json.detect_encoding(data))
    try:
        value = json.loads(text, parse_int=_bounded_integer, parse_float=_finite, parse_constant=_no_constant)
        check_depth(value)
    except (RecursionError, MemoryError):
        raise ValueError(_TOO_DEEP) from None
    if _SURROGATE_ESCAPE.search(raw) and any(map(_SURROGATE.search, _texts(value))):
        raise ValueError("this JSON document holds half of a surrogate pair")
    return value


def check_depth(value: Any) -> None:
    """Raises ValueError for a value that is nested too deeply."""
    level = [value] if isinstance(value, (dict, list)) else []
    for _number in range(_DEEPEST):
        if not level:
            return
        level = [
            child
            for each in level
            for child in (each.values() if isinstance(each, dict) else each)
            if isinstance(child, (dict, list))
        ]
    raise ValueError(_TOO_DEEP)


def _cost(raw: bytes) -> int:
    """Bytes of memory that the document takes at most: itself, as text, and as a value.

    Characters within strings count, too.
    """
    width = 1
    if not raw.isascii():
        width = 4 if _WIDEST.search(raw) else 2
    escaped = 2 if b"\\u" in raw else 1
    if _SURROGATE_ESCAPE.search(raw):
        escaped = 4
    return len(raw) * (1 + width + max(width, escaped)) + sum(raw.count(mark) * most for mark, most in _MOST_BYTES)


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield key
            yield from _texts(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _texts(inner)


def _integer(digits: str) -> int | float:
    return int(digits) if len(digits) <= _LONGEST_NUMBER else float(digits)


def _bounded_integer(digits: str) -> int:
    value = int(digits) if len(digits) <= _LONGEST_NUMBER else _LARGEST + 1
    if not _SMALLEST <= value <= _LARGEST:
        raise ValueError("this JSON document holds a number out of range")
    return value


def _finite(digits: str) -> float:
    value = float(digits)
    if math.isinf(value):
        raise ValueError("this JSON document holds a number out of range")
    return value


def _no_constant(word: str) -> None:
    raise ValueError(f"{word} is not JSON")
