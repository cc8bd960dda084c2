# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Pack the files of a work directory that must not be lost into one compressed archive, and restore them:
``state.json``, ``auth/`` and the rendered ``config/``.

The archive is a tar compressed by xz, so that ``tar -xJ`` opens it. Equal files make an equal :attr:`Snapshot.digest`.
On one machine they also make equal bytes; releases of liblzma may compress differently.
"""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import io
import json
import lzma
import os
import stat
import tarfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ...common.errors import ZeroTouchError
from ...common.files import SECRET_FILE, check_private, ensure_directory, open_inside, same_file, write_atomic
from ...common.store_link import STATE
from ...common.tar_stream import XZ_MEMORY, BadTar, Budget, members
from .errors import StoreRefused

CREDENTIALS = "auth"
CONFIGURATION = "config"
DIRECTORIES = (CREDENTIALS, CONFIGURATION)
# A restore copies the files that it replaces here, so that none is lost.
REPLACED = "replaced"
# Bytes of a stored record. A Secret takes 1 MiB of data (kubernetes/kubernetes pkg/apis/core/types.go, MaxSecretSize).
LARGEST_STORED = 900_000
# Bytes and number of the files. The configuration of 1000 hosts has some 10 MB.
LARGEST_FILES = 64 << 20
MOST_FILES = 5000
_LONGEST_NAME = 512
_LONGEST_PART = 200  # bytes; temporary names of the same file are longer, and file systems end at 255
_DEEPEST = 8
# Compression uses 32 MiB of memory with this preset, and 94 MiB with the default one (xz(1)); pods of a controller may
# have less.
_PRESET = 3


class BadSnapshot(ValueError):
    """These bytes are no archive of a work directory, or exceed a limit."""


@dataclasses.dataclass(frozen=True)
class Snapshot:
    """Contents by relative name (``auth/kubeconfig``). Without files it says that the deployment was destroyed."""

    files: Mapping[str, bytes] = dataclasses.field(default_factory=dict, repr=False)

    @functools.cached_property
    def digest(self) -> str:
        """Hex SHA-256 of names and contents."""
        found = hashlib.sha256()
        for name, content in sorted(self.files.items()):
            found.update(b"%d:%s%d:" % (len(name.encode()), name.encode(), len(content)))
            found.update(content)
        return found.hexdigest()

    @property
    def state(self) -> dict[str, Any]:
        """The document in ``state.json``; empty where it is absent or no document."""
        try:
            document = json.loads(self.files.get(STATE, b"{}"))
        except (ValueError, RecursionError):
            return {}
        return document if isinstance(document, dict) else {}

    def largest(self) -> str:
        """The largest file with its size, in words."""
        name = max(self.files, key=lambda each: len(self.files[each]), default="")
        return f"{name} ({len(self.files[name])} bytes)" if name else "no file"


def name_fault(name: str) -> str:
    """Why a snapshot cannot have a file of this name; empty if it can."""
    parts = name.split("/")
    if (
        len(name) > _LONGEST_NAME
        or len(parts) > _DEEPEST
        or any(len(part.encode("utf-8", "replace")) > _LONGEST_PART for part in parts)
    ):
        return "its name is too long"
    if not name.isprintable() or "\\" in name:
        return "its name has characters that are not printable"
    if any(part in ("", ".", "..") for part in parts):
        return "its name is not a plain relative one"
    return (
        ""
        if name == STATE or (parts[0] in DIRECTORIES and len(parts) > 1)
        else "it is not one of the files that are stored"
    )


def read_files(root: Path) -> Snapshot:
    """The files of this work directory. Raises :class:`ZeroTouchError` for a link, a special file, or more than a
    snapshot takes.
    """
    check_private(root, (*DIRECTORIES, STATE))
    files: dict[str, bytes] = {}
    size = 0
    for path in _paths(root):
        name = str(path.relative_to(root))
        if fault := name_fault(name):
            raise StoreRefused(f"{path} cannot be stored: {fault}.", "Rename it, or move it out of the work directory.")
        files[name] = _content(path)
        size += len(files[name])
        if size > LARGEST_FILES or len(files) > MOST_FILES:
            largest_files_mib = LARGEST_FILES >> 20
            limits = f"{MOST_FILES} files with {largest_files_mib} MiB"
            raise StoreRefused(
                f"{root} has more than {limits} to store; the largest is {Snapshot(files).largest()}.",
                "Move files out of it.",
            )
    return Snapshot(dict(sorted(files.items())))


def _paths(root: Path) -> Iterator[Path]:
    if os.path.lexists(root / STATE):
        yield root / STATE
    for directory in DIRECTORIES:
        for place, directories, names in os.walk(root / directory, onerror=_raise):
            links = [name for name in directories if (Path(place) / name).is_symlink()]
            for name in sorted([*links, *names]):
                # What a killed run left beside its target (common/files.py).
                if not (name.startswith(".") and name.endswith(".part")):
                    yield Path(place) / name


def _raise(error: OSError) -> None:
    if not isinstance(error, FileNotFoundError):
        raise ZeroTouchError(f"{error.filename} cannot be read: {error.strerror}.") from error


def _content(path: Path) -> bytes:
    # A pipe under such a name must not keep the run waiting.
    try:
        with os.fdopen(open_inside(path, os.O_RDONLY | os.O_NONBLOCK), "rb") as handle:
            if not stat.S_ISREG(os.fstat(handle.fileno()).st_mode):
                raise StoreRefused(
                    f"{path} cannot be stored: it is not a regular file.", "Move it out of the work directory."
                )
            return handle.read(LARGEST_FILES + 1)
    except OSError as error:
        raise ZeroTouchError(f"{path} cannot be read: {error.strerror}.") from error


def pack(snapshot: Snapshot) -> bytes:
    """The archive of these files."""
    target = io.BytesIO()
    with tarfile.open(fileobj=target, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for name, content in sorted(snapshot.files.items()):
            header = tarfile.TarInfo(name)
            header.size, header.mode, header.mtime = len(content), SECRET_FILE, 0
            archive.addfile(header, io.BytesIO(content))
    return lzma.compress(target.getvalue(), format=lzma.FORMAT_XZ, check=lzma.CHECK_CRC64, preset=_PRESET)


def unpack(data: bytes) -> Snapshot:
    """The files in an archive. Raises :class:`BadSnapshot` for anything but regular files with the names of a work
    directory.
    """
    # Headers and padding of small files count, too.
    limit = LARGEST_FILES + MOST_FILES * 3 * tarfile.BLOCKSIZE
    files: dict[str, bytes] = {}
    try:
        for member, content in members(io.BytesIO(_decompressed(data, limit)), Budget(limit)):
            if content is None or member.name in files:
                raise BadSnapshot(f"{_shown(member.name)} is no regular file, or is there twice")
            if fault := name_fault(member.name):
                raise BadSnapshot(f"{_shown(member.name)}: {fault}")
            files[member.name] = content.read()
            if len(files) > MOST_FILES:
                raise BadSnapshot(f"it has more than {MOST_FILES} files")
    except (
        BadTar,
        tarfile.TarError,
        lzma.LZMAError,
        EOFError,
        OSError,
    ) as error:  # some of them while a member is read
        raise BadSnapshot(str(error)) from error
    for name in files:
        if parent := next((str(each) for each in Path(name).parents if str(each) in files), ""):
            raise BadSnapshot(f"{_shown(parent)} is a file and a directory")
    return Snapshot(dict(sorted(files.items())))


def _decompressed(data: bytes, limit: int) -> bytes:
    """The whole stream, whose checksums are compared. Raises :class:`BadSnapshot` for more than ``limit`` bytes."""
    unpacker = lzma.LZMADecompressor(format=lzma.FORMAT_XZ, memlimit=XZ_MEMORY)
    found = unpacker.decompress(data, limit + 1)
    if len(found) > limit:
        limit_mib = limit >> 20
        raise BadSnapshot(f"it unpacks to more than {limit_mib} MiB")
    if not unpacker.eof or unpacker.unused_data:
        raise BadSnapshot("it is cut off, or has other data at its end")
    return found


def _shown(name: str) -> str:
    return repr(name[:100])


def restore(snapshot: Snapshot, root: Path) -> None:
    """Make the stored files of this work directory exactly these. ``state.json`` is written last: with it the restore
    is complete.

    Files that differ, or that the snapshot does not have, are copied to ``replaced/`` first. Other files of the
    directory are left alone.
    """
    ensure_directory(root)
    present = read_files(root).files
    _keep(root, {name: content for name, content in present.items() if snapshot.files.get(name) != content})
    for name in present.keys() - snapshot.files.keys():
        (root / name).unlink(missing_ok=True)
    for name in sorted(snapshot.files, key=lambda each: (each == STATE, each)):
        if not same_file(root / name, snapshot.files[name]):
            _clear_way(root / name)
            write_atomic(root / name, snapshot.files[name])


def _keep(root: Path, files: Mapping[str, bytes]) -> None:
    """Write these files to the next number below ``replaced/``."""
    check_private(root, (REPLACED,))
    numbers = [int(path.name) for path in (root / REPLACED).glob("*") if path.name.isascii() and path.name.isdigit()]
    target = root / REPLACED / str(max(numbers, default=0) + 1)
    for name, content in files.items():
        write_atomic(target / name, content)


def _clear_way(path: Path) -> None:
    """Remove a directory without files that has the name of a file."""
    if path.is_dir() and not path.is_symlink():
        for place, _directories, _names in os.walk(path, topdown=False):
            os.rmdir(place)
