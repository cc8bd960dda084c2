# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Find PEM blocks (certificates and keys) in a text, as Go's encoding/pem does for the installer."""

from __future__ import annotations

import base64
import binascii
import dataclasses
import re

_WIDTH = 64
_BLOCK = re.compile(
    r"(?:^|\n)-----BEGIN (?P<label>[^\n]*?)-----[ \t\r]*\n(?P<headers>(?:[^\n:]+:[^\n]*\n)*)(?P<body>[^-]*)-----END "
    r"(?P=label)-----[ \t\r]*(?:\n|$)"
)


@dataclasses.dataclass(frozen=True)
class Block:
    """A PEM block. ``label`` is the label of its first line: ``CERTIFICATE``, ``X509 CERTIFICATE``."""

    label: str
    content: bytes

    def encoded(self) -> str:
        """The block in the form that Go's encoding/pem writes, without headers."""
        text = base64.b64encode(self.content).decode()
        lines = [text[start : start + _WIDTH] for start in range(0, len(text), _WIDTH)]
        return "\n".join([f"-----BEGIN {self.label}-----", *lines, f"-----END {self.label}-----", ""])


def first_block(text: str) -> tuple[Block | None, str]:
    """The first block and the text after it; text before it is ignored. None and the text without a block."""
    position = 0
    while match := _BLOCK.search(text, position):
        try:
            return Block(match["label"], base64.b64decode("".join(match["body"].split()), validate=True)), text[
                match.end() :
            ]
        except binascii.Error:
            position = match.end("label")
    return None, text
