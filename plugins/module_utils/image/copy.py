# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Copy an image with changed byte ranges, and compare or hash such a copy. All work is done in blocks, to use little
memory.
"""

from __future__ import annotations

import dataclasses
import errno
import fcntl
import hashlib
import os
import threading
from collections.abc import Callable, Sequence
from pathlib import Path

from ..common.errors import ZeroTouchError
from ..common.files import SECRET_FILE, atomic_writer, write_fault
from .edit import Patch
from .iso9660 import Extent, ImageFile, ImageSource

_BLOCK = 1 << 20
_COPY_AT_ONCE = 64 << 20
# ioctl FICLONE: share the blocks of another file (btrfs, xfs)
_FICLONE = 0x40049409
_NOT_POSSIBLE_HERE = frozenset(
    {errno.EXDEV, errno.ENOSYS, errno.EINVAL, errno.EOPNOTSUPP, errno.ENOTTY, errno.EPERM, errno.EBADF}
)


@dataclasses.dataclass(frozen=True)
class Digests:
    """Hex SHA-256 of a base image and of its patched copy; empty where not asked for."""

    base: str = ""
    image: str = ""


class Stopped(Exception):
    """A computation was ended early."""


def patched_copy(
    source: ImageSource,
    target: Path,
    patches: Sequence[Patch],
    check: Callable[[ImageSource], Digests] | None = None,
    *,
    mode: int = SECRET_FILE,
) -> Digests:
    """Write ``target`` as a copy of ``source`` with the patches, whole or not at all.

    ``check`` reads the source during the copy; an exception that it raises stops the work before ``target`` is touched.
    Raises :class:`ZeroTouchError` when the source changes meanwhile, the disk is full, or the directory cannot be
    written.
    """
    side = _SideTask(source, check)
    try:
        with atomic_writer(target, mode) as handle:
            with side:
                _copy(source, handle.fileno())
                for patch in patches:
                    _write_at(handle.fileno(), patch.data, patch.offset)
                os.fsync(handle.fileno())
                result = side.result()
            _refuse_changed(source)
    except OSError as error:
        raise write_fault(error, target, source.size) from error
    return result


class _SideTask:
    """A computation in a thread of its own; leaving the block ends it."""

    def __init__(self, source: ImageSource, call: Callable[[ImageSource], Digests] | None) -> None:
        self._source = source
        self._call = call
        self._digests = Digests()
        self._error: Exception | None = None
        self._thread = threading.Thread(target=self._run, name="zerotouch-digest", daemon=True)

    def _run(self) -> None:
        try:
            if self._call is not None:
                self._digests = self._call(self._source)
        except Exception as error:  # handed to the thread that waits, in result()
            self._error = error

    def result(self) -> Digests:
        self._thread.join()
        if self._error is not None:
            raise self._error
        return self._digests

    def __enter__(self) -> _SideTask:
        self._thread.start()
        return self

    def __exit__(self, *details: object) -> None:
        stop = getattr(self._call, "stop", None)
        if stop is not None:
            stop()
        self._thread.join()


def _copy(source: ImageSource, target: int) -> None:
    """All bytes of the source, by the cheapest way that the file systems offer."""
    if [piece for _position, piece in source.pieces()] == [Extent(0, source.identity[0])] and _cloned(source, target):
        return
    for position, piece in source.pieces():
        if isinstance(piece, bytes):
            _write_at(target, piece, position)
        else:
            _copy_run(source, piece, target, position)


def _cloned(source: ImageSource, target: int) -> bool:
    """The whole file by sharing its blocks, where the file systems can."""
    try:
        fcntl.ioctl(target, _FICLONE, source.fileno())
    except OSError as error:
        if error.errno not in _NOT_POSSIBLE_HERE:
            raise
        return False
    return True


def _copy_run(source: ImageSource, run: Extent, target: int, position: int) -> None:
    """A run of the source's file to a position of the target."""
    copied = _copy_in_kernel(source, run, target, position)
    while copied < run.length:
        block = source.read_at(position + copied, min(_BLOCK, run.length - copied))
        _write_at(target, block, position + copied)
        copied += len(block)


def _copy_in_kernel(source: ImageSource, run: Extent, target: int, position: int) -> int:
    """Bytes copied without passing through this process; fewer than all where the file systems do not support it."""
    copied = 0
    while copied < run.length:
        try:
            count = os.copy_file_range(
                source.fileno(), target, min(_COPY_AT_ONCE, run.length - copied), run.offset + copied, position + copied
            )
        except OSError as error:
            if error.errno in _NOT_POSSIBLE_HERE:
                return copied
            raise
        if count == 0:
            return copied
        copied += count
    return copied


def _write_at(descriptor: int, data: bytes, offset: int) -> None:
    view = memoryview(data)
    while view:
        written = os.pwrite(descriptor, view, offset)
        view, offset = view[written:], offset + written


def _refuse_changed(source: ImageSource) -> None:
    status = os.fstat(source.fileno())
    if (status.st_size, status.st_mtime_ns) != source.identity:
        raise ZeroTouchError(f"{source.path} was changed while it was copied.", "Run again when it is complete.")


class DigestOf:
    """Computes the SHA-256 of the patched image, and of the base where wanted, in one pass over the base."""

    def __init__(self, patches: Sequence[Patch], *, base: bool, image: bool) -> None:
        self._patches = patches
        self._base = base
        self._image = image
        self._stop = threading.Event()

    def stop(self) -> None:
        self._stop.set()

    def __call__(self, source: ImageSource) -> Digests:
        if not self._base and not self._image:
            return Digests()
        same = hashlib.sha256()  # up to the first patch both are the same bytes
        image = None
        for offset, block in source.blocks():
            if self._stop.is_set():
                raise Stopped
            patched = overlay(block, offset, self._patches)
            if patched is not block and image is None and self._image:
                image = same.copy()
            if image is not None:
                image.update(patched)
            if image is None or self._base:
                same.update(block)
        final = image or same
        return Digests(same.hexdigest() if self._base else "", final.hexdigest() if self._image else "")


def overlay(block: memoryview, offset: int, patches: Sequence[Patch]) -> memoryview:
    """The block at ``offset`` with every patch that touches it; the same object when none does."""
    changed: bytearray | None = None
    for patch in patches:
        start, end = max(patch.offset, offset), min(patch.end, offset + len(block))
        if start < end:
            changed = changed or bytearray(block)
            changed[start - offset : end - offset] = patch.data[start - patch.offset : end - patch.offset]
    return block if changed is None else memoryview(changed)


def is_patched_copy(source: ImageSource, image: Path, ignored: Sequence[tuple[int, int]] = ()) -> bool:
    """Whether the image equals the source outside the ``ignored`` (offset, length) ranges; reads both until they
    differ.
    """
    blanks = [Patch(offset, bytes(length)) for offset, length in ignored]
    with ImageFile(image) as other:
        if source.size != other.size:
            return False
        for offset, block in source.blocks():
            found = memoryview(other.read_at(offset, len(block)))
            if overlay(block, offset, blanks) != overlay(found, offset, blanks):
                return False
        return True
