# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Replace characters that control a terminal or hide text by visible escapes, for a terminal, a log or a page.

Most texts that users read contain parts from remote systems. An escape sequence in such a part can clear the screen,
forge the line of a successful task or write to the clipboard. Bidirectional overrides and invisible characters make a
text look like another one. The escape stays visible, as evidence.
"""

from __future__ import annotations

import re
import string
from typing import Any

# C0 without tab and line feed, DEL, C1; a carriage return only where no line feed follows. Then line and paragraph
# separators, surrogates, and what Unicode lists as Default_Ignorable_Code_Point (DerivedCoreProperties.txt), which has
# the bidirectional controls and the characters of no width.
_HARMFUL = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164"
    "\ud800-\udfff\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
    "|\r(?!\n)"
)

# Characters of base64, also url-safe, or quoted in a URL or in JSON.
OF_BASE64 = string.ascii_letters + string.digits + "+/_=-%\\"


def printable(text: str) -> str:
    """The text with harmful characters as ``\\x1b``, ``\\u202e`` or ``\\U000e0041``. Lines and tabs stay."""
    return _HARMFUL.sub(_escape, text)


def printable_data(data: Any) -> Any:
    """A copy of the data with all texts, keys of mappings included, :func:`printable`."""
    if isinstance(data, str):
        return printable(data)
    if isinstance(data, dict):
        return {printable(key) if isinstance(key, str) else key: printable_data(value) for key, value in data.items()}
    return [printable_data(value) for value in data] if isinstance(data, (list, tuple)) else data


def one_line(text: str) -> str:
    """The text :func:`printable` and on one line: each run of white space is one space."""
    return printable(" ".join(text.split()))


def shortened(text: str, longest: int) -> str:
    """At most ``longest`` characters of the text.

    The ellipsis at the end of a shorter one makes the Redactor look for a secret that was cut off.
    """
    return text if len(text) <= longest else text[: longest - 1] + "…"


def cut(text: str, longest: int) -> str:
    """The text, of a longer one the beginning and the number of the other characters.

    The last word of the beginning is left out: it may be a part of base64 with a secret in it, which the Redactor finds
    in a complete one only.
    """
    if len(text) <= longest:
        return text
    kept = text[:longest].rstrip(OF_BASE64)
    more = len(text) - len(kept)
    return f"{kept}… ({more} more characters)"


def _escape(match: re.Match[str]) -> str:
    number = ord(match[0])
    if number <= 0xFF:
        return f"\\x{number:02x}"
    return f"\\u{number:04x}" if number <= 0xFFFF else f"\\U{number:08x}"
