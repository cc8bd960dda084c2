# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Files that are either the old ones or the new ones, whole (design 4: nothing lost)."""

from __future__ import annotations

import contextlib
import hashlib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

SECRET_FILE = 0o600
SECRET_DIRECTORY = 0o700


def ensure_directory(path: Path, mode: int = SECRET_DIRECTORY) -> bool:
    """Make the directory and its missing parents, all with this mode; returns whether it was made. An existing directory keeps its mode."""
    if path.is_dir():
        return False
    ensure_directory(path.parent, mode)
    path.mkdir(exist_ok=True, mode=mode)
    return True


@contextlib.contextmanager
def atomic_writer(path: Path, mode: int = SECRET_FILE) -> Iterator[BinaryIO]:
    """A binary file that takes the place of ``path`` when the block ends well and vanishes when it does not.

    Written beside its target, fsynced, renamed; so a reader never sees a part, and a killed run leaves the old content.
    """
    descriptor, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".part", dir=path.parent)
    temporary = Path(name)
    try:
        with os.fdopen(descriptor, "w+b") as handle:
            os.fchmod(handle.fileno(), mode)
            yield handle
            handle.flush()
            os.fsync(handle.fileno())
        os.replace(temporary, path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    sync_directory(path.parent)


def sync_directory(path: Path) -> None:
    """Make a rename in this directory survive a power cut."""
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def write_atomic(path: Path, content: bytes | str, mode: int = SECRET_FILE) -> bool:
    """Write ``content`` unless the file already holds it with that mode; returns whether anything was changed."""
    data = content.encode() if isinstance(content, str) else content
    if same_file(path, data, mode):
        return False
    ensure_directory(path.parent)
    with atomic_writer(path, mode) as handle:
        handle.write(data)
    return True


def same_file(path: Path, content: bytes | str, mode: int = SECRET_FILE) -> bool:
    """Whether the file exists with exactly this content and mode."""
    data = content.encode() if isinstance(content, str) else content
    try:
        status = path.stat()
        return status.st_size == len(data) and status.st_mode & 0o777 == mode and path.read_bytes() == data
    except OSError:
        return False


def sha256_of(path: Path) -> str:
    """Hex SHA-256 of a file, read in blocks."""
    digest = hashlib.sha256()
    with path.open("rb") as handle:
        for block in iter(lambda: handle.read(1 << 20), b""):
            digest.update(block)
    return digest.hexdigest()


def remove_leftovers(directory: Path) -> list[Path]:
    """Delete temporary files that a killed run left beside its targets; returns what was deleted."""
    leftovers = sorted(directory.glob(".*.part")) if directory.is_dir() else []
    for leftover in leftovers:
        leftover.unlink(missing_ok=True)
    return leftovers
