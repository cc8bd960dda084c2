# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""List texts that attack the terminal or the reader of a log, and check that none of their characters remain."""

from __future__ import annotations

import unicodedata

PAYLOADS: dict[str, str] = {
    "colour": "\x1b[31mfailed\x1b[0m",
    "clear screen": "\x1b[2J\x1b[H",
    "window title": "\x1b]0;owned\x07",
    "hyperlink": "\x1b]8;;http://192.0.2.66/\x1b\\click\x1b]8;;\x1b\\",
    "clipboard": "\x1b]52;c;cm0gLXJmIC8=\x07",
    "C1 introducer": "\x9b31mred \x9d0;title\x9c",
    "device control": "\x1bP$q q\x1b\\",
    "cursor up and overwrite": "refused\x1b[1A\x1b[2Kok: [localhost]",
    "carriage return": "fatal: refused\rok: [localhost]      ",
    "backspace": "refused\b\b\b\b\b\b\binstalled",
    "null and bell": "a\x00b\x07c",
    "delete": "a\x7fb",
    "bidi override": "user\u202egnp.exe\u202c",
    "bidi isolate": "\u2066admin\u2069 \u2067nimda\u2069",
    "marks": "a\u200eb\u200fc\u061cd",
    "zero width": "pass\u200bword\u200c\u200d\u2060\ufeff",
    "soft hyphen": "kube\u00adadmin",
    "fillers": "a\u3164b\u115fc\uffa0d",
    "tags": "ok\U000e0041\U000e0042",
    "variation selectors": "ok\ufe01\U000e0100",
    "line separator": "refused\u2028ok: [localhost]\u2029PLAY RECAP",
    "lone surrogate": "a\ud800b",
}
# Letters that unicode calls visible although they have no shape.
_BLANK = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0")
# Format characters with a shape of their own: number signs and the like of Arabic, Syriac and Kaithi.
_VISIBLE = frozenset("\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u0890\u0891\u08e2\U000110bd\U000110cd")


def harmful(text: str) -> list[str]:
    """The characters of a text that a terminal acts on or that hide text; line feed and tab are allowed, and so is a
    carriage return before a line feed.
    """
    found = []
    for number, character in enumerate(text):
        if character in "\n\t" or (character == "\r" and text[number + 1 : number + 2] == "\n"):
            continue
        category = unicodedata.category(character)
        selector = 0xFE00 <= ord(character) <= 0xFE0F or 0xE0000 <= ord(character) <= 0xE0FFF
        if (
            category in ("Cc", "Cs", "Zl", "Zp")
            or (category == "Cf" and character not in _VISIBLE)
            or selector
            or character in _BLANK
        ):
            found.append(f"U+{ord(character):04X}")
    return found
