# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Mutate valid documents and bytes. The same seed gives the same mutations."""

from __future__ import annotations

import copy
import json
import random
from typing import Any

# Values that parsers meet least: other types, limits of numbers, times that do not exist, texts that mean something
# elsewhere.
ODD: list[Any] = [
    None,
    True,
    False,
    0,
    -1,
    7,
    1 << 31,
    1 << 63,
    (1 << 64) - 1,
    -(1 << 63),
    1.5,
    -0.0,
    1e300,
    5e-324,
    "",
    " ",
    "x",
    "0",
    "-1",
    "²",
    "1e9",
    "NaN",
    "\x00",
    "\x1b[31m",
    "\u202e",
    "\n",
    "a\nb: c",
    "é" * 50,
    "x" * 5000,
    "../../etc/passwd",
    "/",
    "//",
    "http://",
    "https://[::1",
    "//evil.example.com/x",
    "http://a@b@c",
    "%00",
    "{",
    "[]",
    "2026-99-99T99:99:99Z",
    "0000-00-00T00:00:00Z",
    "9999-12-31T23:59:59.999999999+99:99",
    "0001-01-01T00:00:00Z",
    [],
    [[]],
    [None],
    [7],
    ["x"],
    [{}],
    {},
    {"a": 1},
    {"": None},
]


def document(random_: random.Random, value: Any) -> Any:
    """A copy with one to four places changed: replaced, removed, doubled, wrapped, or moved."""
    changed = copy.deepcopy(value)
    for _change in range(random_.choice((1, 1, 1, 2, 4))):
        changed = _changed(random_, changed)
    return changed


def _changed(random_: random.Random, value: Any) -> Any:
    places = list(_places(value))
    if not places or random_.random() < 0.02:
        return copy.deepcopy(random_.choice(ODD))
    holder, key = random_.choice(places)
    kind = random_.randrange(8)
    if kind < 4:
        # Half of them keep the type, so that they come further than the checks of types.
        same = [odd for odd in ODD if type(odd) is type(holder[key])] if kind < 2 else ODD
        holder[key] = copy.deepcopy(random_.choice(same or ODD))
    elif kind == 4:
        del holder[key]
    elif kind == 5:
        holder[key] = [holder[key]] * random_.choice((1, 2, 30))
    elif kind == 6:
        holder[key] = {str(key): holder[key]}
    else:
        other_holder, other = random_.choice(places)
        holder[key] = copy.deepcopy(other_holder[other])
    return value


def _places(value: Any) -> Any:
    stack = [value]
    while stack:
        holder = stack.pop()
        numbers = range(len(holder)) if isinstance(holder, list) else ()
        for key in holder if isinstance(holder, dict) else numbers:
            yield holder, key
            if isinstance(holder[key], (dict, list)):
                stack.append(holder[key])


def data(random_: random.Random, value: bytes) -> bytes:
    """Bytes with some flipped, cut, doubled, inserted or overwritten by extreme numbers."""
    changed = bytearray(value)
    for _change in range(random_.choice((1, 1, 2, 4, 16))):
        if not changed:
            return bytes(changed)
        at = random_.randrange(len(changed))
        length = random_.choice((1, 2, 4, 8, 100))
        kind = random_.randrange(6)
        if kind == 0:
            changed[at] ^= 1 << random_.randrange(8)
        elif kind == 1:
            del changed[at : at + length]
        elif kind == 2:
            changed[at:at] = changed[at : at + length]
        elif kind == 3:
            changed[at : at + length] = random_.randbytes(min(length, len(changed) - at))
        elif kind == 4:
            changed[at : at + length] = random_.choice((b"\xff", b"\x00", b"7", b"-", b"F")) * min(
                length, len(changed) - at
            )
        elif random_.random() < 0.2:
            del changed[at:]
    return bytes(changed)


def body(random_: random.Random, value: Any) -> bytes:
    """JSON of a mutated document; now and then the text itself is mutated too."""
    text = json.dumps(document(random_, value)).encode()
    return data(random_, text) if random_.random() < 0.1 else text
