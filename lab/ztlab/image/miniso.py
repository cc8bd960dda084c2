# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Create coreos/miniso.dat of a live ISO. Tools read this file to make the minimal ISO.

Source: coreos/coreos-installer src/miniso.rs.
"""

from __future__ import annotations

import hashlib
import lzma
from pathlib import Path
from typing import BinaryIO

import pycdlib

SECTOR = 2048
SIZE = 16384


def describe_minimal(full: Path, minimal: Path) -> bytes:
    """The content of miniso.dat in the full image: places of the minimal image's sectors, and the missing bytes.

    Raises ValueError when the content is larger than the file.
    """
    places = _files(full)
    runs = sorted((sector, places[name][0], length) for name, (sector, length) in _files(minimal).items() if length)
    digest = hashlib.sha256()
    rest = bytearray()
    with minimal.open("rb") as file, full.open("rb") as other:
        # A boot loader has its own place written into it, which may be another one.
        runs = [run for run in runs if _at(file, run[0], run[2]) == _at(other, run[1], run[2])]
        position = file.seek(0)
        for sector, _place, length in runs:
            rest += _read(file.read(sector * SECTOR - position), digest)
            _read(file.read(length), digest)
            position = sector * SECTOR + length
        rest += _read(file.read(), digest)
    numbers = [len(runs), *(number for run in runs for number in run)]
    packed = lzma.compress(bytes(rest))
    data = (
        b"MINISO\0\0"
        + b"\x01"
        + b"\x05ztlab"
        + b"".join(map(_varint, numbers))
        + digest.digest()
        + _varint(len(packed))
        + packed
    )
    if len(data) > SIZE:
        raise ValueError(f"miniso.dat needs {len(data)} bytes")
    return data.ljust(SIZE, b"\0")


def _at(file: BinaryIO, sector: int, length: int) -> bytes:
    file.seek(sector * SECTOR)
    return file.read(length)


def _read(data: bytes, digest: hashlib._Hash) -> bytes:
    digest.update(data)
    return data


def _files(path: Path) -> dict[str, tuple[int, int]]:
    """First sector and length in bytes of each file."""
    iso = pycdlib.PyCdlib()
    iso.open(str(path))
    facade = iso.get_rock_ridge_facade()
    found = {}
    for directory, _directories, names in facade.walk(rr_path="/"):
        for name in names:
            full = f"{directory.rstrip('/')}/{name}"
            record = facade.get_record(full)
            found[full] = (record.extent_location(), record.get_data_length())
    iso.close()
    return found


def _varint(number: int) -> bytes:
    """bincode's form of an integer."""
    if number < 251:
        return bytes([number])
    if number < 1 << 16:
        return b"\xfb" + number.to_bytes(2, "little")
    return b"\xfc" + number.to_bytes(4, "little")
