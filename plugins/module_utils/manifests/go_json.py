# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Write JSON as Go's encoding/json does.

The characters ``<``, ``>`` and ``&`` are escaped. Fields are in the order of the Go type, which the caller passes.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from ..common import json_text

_ESCAPED = str.maketrans({character: f"\\u{ord(character):04x}" for character in "<>&\u2028\u2029"})


def compact(value: Any) -> str:
    """Return one line without blanks, with the keys in the order of ``value``."""
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False).translate(_ESCAPED)


def indented(value: Any) -> str:
    """Two blanks a level, keys sorted, as MarshalIndent writes a map."""
    return json.dumps(value, indent=2, sort_keys=True, ensure_ascii=False).translate(_ESCAPED)


def pretty_json(text: str) -> str:
    """The same JSON in that form; what is no JSON as it is: the rules have refused it."""
    try:
        return indented(json_text.parse(text))
    except ValueError:
        return text


def in_order(document: Mapping[str, Any], keys: Sequence[str]) -> dict[str, Any]:
    """The same fields: those of ``keys`` first, in that order, further ones behind as they came."""
    known = {key: document[key] for key in keys if key in document}
    return {**known, **{key: value for key, value in document.items() if key not in known}}
