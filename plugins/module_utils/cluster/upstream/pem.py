# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""PEM blocks as the installer's library finds them."""

from __future__ import annotations

import base64
import binascii
import re

_BLOCK = re.compile(
    r"(?:^|\n)-----BEGIN (?P<label>[^\n]*?)-----[ \t\r]*\n(?P<headers>(?:[^\n:]+:[^\n]*\n)*)(?P<body>[^-]*)-----END (?P=label)-----[ \t\r]*(?:\n|$)"
)


def first_block(text: str) -> tuple[bytes | None, str]:
    """The bytes of the first block and the text after it; text in front of it is passed over. None and the text without a block."""
    position = 0
    while match := _BLOCK.search(text, position):
        try:
            return base64.b64decode("".join(match["body"].split()), validate=True), text[match.end() :]
        except binascii.Error:
            position = match.end("label")
    return None, text
