# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Find public SSH keys in the lines of an authorized_keys file."""

from __future__ import annotations

import base64
import binascii
import struct

NO_KEY = "ssh: no key found"
_TYPES = (
    *("ssh-rsa", "ssh-dss", "ssh-ed25519", "ecdsa-sha2-nistp256", "ecdsa-sha2-nistp384", "ecdsa-sha2-nistp521"),
    *("sk-ssh-ed25519@openssh.com", "sk-ecdsa-sha2-nistp256@openssh.com"),
)
_CERTIFICATE = "-cert-v01@openssh.com"


def first_key_type(text: str) -> str:
    """The type of the first key in a text; other lines are ignored. Empty without a key."""
    for line in text.split("\n"):
        rest = line.partition("\r")[0].strip()
        if rest.startswith("#"):
            continue
        # The library skips the first word, whatever it is; then options, which may contain quoted blanks.
        for candidate in (rest, _after_options(rest)):
            words = candidate.replace("\t", " ").split(" ", 1)
            encoded = words[1].split() if len(words) > 1 else []
            kind = _type_of(encoded[0]) if encoded else ""
            if kind:
                return kind
    return ""


def _after_options(line: str) -> str:
    quoted = False
    for position, character in enumerate(line):
        if character in " \t" and not quoted:
            return line[position:].lstrip(" \t")
        if character == '"' and line[position - 1 : position] != "\\":
            quoted = not quoted
    return ""


def _is_type(word: str) -> bool:
    return word in _TYPES or (
        word.endswith(_CERTIFICATE)
        and word.removesuffix(_CERTIFICATE) in {kind.removesuffix("@openssh.com") for kind in _TYPES}
    )


def _type_of(encoded: str) -> str:
    """The type that a key says of itself, as a string with its length in front (RFC 4253 6.6); empty where it is
    none.
    """
    try:
        blob = base64.b64decode(encoded, validate=True)
        length = struct.unpack(">I", blob[:4])[0]
    except (binascii.Error, struct.error):
        return ""
    kind = blob[4 : 4 + length].decode("ascii", "replace")
    if not _is_type(kind):
        return ""
    if kind.endswith(_CERTIFICATE):
        return kind if len(blob) > 4 + length else ""
    return kind if len(blob) > 4 + length and _strings(blob[4 + length :], kind) else ""


def _strings(rest: bytes, kind: str) -> bool:
    """Whether what follows the type are the strings of such a key, and nothing else."""
    wanted = {
        "ssh-rsa": 2,
        "ssh-dss": 4,
        "ssh-ed25519": 1,
        "sk-ssh-ed25519@openssh.com": 2,
        "sk-ecdsa-sha2-nistp256@openssh.com": 3,
    }.get(kind, 2)
    found: list[bytes] = []
    while rest:
        if len(rest) < 4:
            return False
        length = struct.unpack(">I", rest[:4])[0]
        if len(rest) < 4 + length:
            return False
        found.append(rest[4 : 4 + length])
        rest = rest[4 + length :]
    return len(found) == wanted and (kind != "ssh-ed25519" or len(found[0]) == 32)
