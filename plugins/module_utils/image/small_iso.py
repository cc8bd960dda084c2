# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Write a small ISO 9660 image: a few files in its root, with their real names in Rock Ridge; not bootable.

Source: coreos/coreos-installer src/iso9660.rs.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Mapping, Sequence

SECTOR = 2048
_DESCRIPTOR, _TERMINATOR, _TABLE_LITTLE, _TABLE_BIG, _ROOT = 16, 17, 18, 19, 20
_FIRST_FILE = _ROOT + 1
_DIRECTORY, _FILE = 0o040755, 0o100644
# 1 January 1980: the same files give the same bytes.
_TIME = bytes([80, 1, 1, 0, 0, 0, 0])
_LONG_TIME = b"1980010100000000\0"
_NO_TIME = b"0" * 16 + b"\0"
_PATH_TABLE_SIZE = 10


def write_small_iso(volume_id: str, files: Mapping[str, bytes]) -> bytes:
    """The image. Raises ValueError for a volume id of more than 32 characters, or more files than one sector of
    directory holds.
    """
    if len(volume_id.encode()) > 32:
        raise ValueError(f"volume id {volume_id!r} is longer than 32 characters")
    data = bytearray()
    records = [_record(b"\0", _ROOT, SECTOR, _DIRECTORY, _rock_ridge()), _record(b"\1", _ROOT, SECTOR, _DIRECTORY)]
    for name in sorted(files, key=_identifier):
        records.append(
            _record(_identifier(name), _FIRST_FILE + len(data) // SECTOR, len(files[name]), _FILE, _real_name(name))
        )
        data += files[name] + bytes(-len(files[name]) % SECTOR)
    root = b"".join(records)
    if len(root) > SECTOR:
        raise ValueError(f"{len(files)} files are more than a small image holds")
    sectors = {
        _DESCRIPTOR: _primary_descriptor(volume_id, _FIRST_FILE + len(data) // SECTOR),
        _TERMINATOR: b"\xffCD001\x01",
        _TABLE_LITTLE: struct.pack("<BBIH", 1, 0, _ROOT, 1) + b"\0\0",
        _TABLE_BIG: struct.pack(">BBIH", 1, 0, _ROOT, 1) + b"\0\0",
        _ROOT: root,
    }
    return b"".join(sectors.get(number, b"").ljust(SECTOR, b"\0") for number in range(_FIRST_FILE)) + bytes(data)


def _identifier(name: str) -> bytes:
    """The name for readers that know no Rock Ridge: 8.3, capitals."""
    stem, _dot, suffix = name.upper().rpartition(".")
    short_stem = re.sub("[^A-Z0-9_]", "_", stem)[:8]
    short_suffix = re.sub("[^A-Z0-9_]", "_", suffix)[:3]
    return f"{short_stem}.{short_suffix};1".encode()


def _both(number: int) -> bytes:
    return struct.pack("<I", number) + struct.pack(">I", number)


def _short(number: int) -> bytes:
    return struct.pack("<H", number) + struct.pack(">H", number)


def _record(identifier: bytes, sector: int, size: int, mode: int, further: bytes = b"") -> bytes:
    directory = 2 if mode == _DIRECTORY else 0
    body = (
        bytes([0])
        + _both(sector)
        + _both(size)
        + _TIME
        + bytes([directory, 0, 0])
        + _short(1)
        + bytes([len(identifier)])
        + identifier
    )
    body += bytes(len(identifier) % 2 == 0)  # what follows begins at an even place
    system = further + b"PX" + bytes([36, 1]) + b"".join(map(_both, (mode, 2 if directory else 1, 0, 0)))
    whole = body + system + bytes((1 + len(body) + len(system)) % 2)
    return bytes([len(whole) + 1]) + whole


def _rock_ridge() -> bytes:
    """Says in the root that there are real names: the marks of SUSP and of Rock Ridge."""
    name = b"RRIP_1991A"
    return b"SP\x07\x01\xbe\xef\x00" + b"ER" + bytes([8 + len(name), 1, len(name), 0, 0, 1]) + name


def _real_name(name: str) -> bytes:
    return b"NM" + bytes([5 + len(name.encode()), 1, 0]) + name.encode()


def _text(text: str, length: int) -> bytes:
    return text.encode().ljust(length)


def _primary_descriptor(volume_id: str, sectors: int) -> bytes:
    root = _record(b"\0", _ROOT, SECTOR, _DIRECTORY)[:34]
    parts: Sequence[bytes] = (
        b"\x01CD001\x01\0",
        _text("", 32) + _text(volume_id, 32) + bytes(8) + _both(sectors) + bytes(32),
        _short(1) + _short(1) + _short(SECTOR) + _both(_PATH_TABLE_SIZE),
        struct.pack("<II", _TABLE_LITTLE, 0) + struct.pack(">II", _TABLE_BIG, 0),
        bytes([34]) + root[1:],
        _text("", 128 * 4) + _text("", 37 * 3),
        _LONG_TIME * 2 + _NO_TIME * 2,
        b"\x01\0",
    )
    return b"".join(parts)
