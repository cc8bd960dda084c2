# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Write files so that a reader finds the whole old content or the whole new content, also after a crash."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import glob
import hashlib
import os
import pwd
import stat
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import BinaryIO

from .errors import ZeroTouchError

SECRET_FILE = 0o600
SECRET_DIRECTORY = 0o700
WORK_DIR = "openshift_work_dir"
_WRITABLE_BY_OTHERS = stat.S_IWGRP | stat.S_IWOTH
# The kernel shows this owner for a user that has no number here: NFS with root_squash or without id mapping, user
# namespaces (user_namespaces(7)).
_OVERFLOW_USER = 65534


def ensure_directory(path: Path, mode: int = SECRET_DIRECTORY) -> bool:
    """Make the directory and its missing parents, all with this mode; returns whether it was made.

    An existing directory keeps its mode.

    Raises :class:`ZeroTouchError` naming what cannot be made.
    """
    if path.is_dir():
        return False
    ensure_directory(path.parent, mode)
    try:
        path.mkdir(exist_ok=True, mode=mode)
    except OSError as error:
        raise write_fault(error, path) from error
    return True


def write_fault(error: OSError, path: Path, size: int = 0) -> ZeroTouchError:
    """Why a file (of ``size`` bytes) or directory cannot be written, with what can be done about it."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return ZeroTouchError(
            f"There is no space for {path}: it needs {size} bytes, {_free(path)} are free.",
            "Free some space or use another directory.",
        )
    if error.errno in (errno.EEXIST, errno.ENOTDIR):
        return ZeroTouchError(
            f"{path} cannot be written: a part of the path exists and is not a directory.",
            "Move it away, or use another directory.",
        )
    hint = "The file system is mounted read-only." if error.errno == errno.EROFS else ""
    hint = "It must belong to the user who runs this." if error.errno in (errno.EACCES, errno.EPERM) else hint
    why = error.strerror or error
    return ZeroTouchError(f"{path} cannot be written: {why}.", hint)


def _free(path: Path) -> int:
    """Free bytes where the path is or would be."""
    for place in (path, *path.parents):
        try:
            space = os.statvfs(place)
        except OSError:
            continue
        return space.f_bavail * space.f_frsize
    return 0


@contextlib.contextmanager
def atomic_writer(path: Path, mode: int = SECRET_FILE) -> Iterator[BinaryIO]:
    """A binary file that takes the place of ``path`` when the block ends well and vanishes when it does not.

    Written beside its target, fsynced, renamed; so a reader never sees a part, and a killed run leaves the old content.
    What killed runs left of this file is deleted.
    """
    remove_leftovers(path.parent, path.name)
    descriptor, temporary = _temporary_file(path)
    try:
        with os.fdopen(descriptor, "w+b") as handle:
            os.fchmod(handle.fileno(), mode)
            yield handle
            handle.flush()
            os.fsync(handle.fileno())
            os.replace(temporary, path)  # Still locked: it must not be taken for a leftover.
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    sync_directory(path.parent)


def _temporary_file(path: Path) -> tuple[int, Path]:
    """A new file beside ``path``, open and locked.

    The lock ends with the process, so a temporary file without a lock is a leftover.
    """
    while True:
        descriptor, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".part", dir=path.parent)
        with contextlib.suppress(OSError):  # On a file system without locks leftovers are never deleted.
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        if os.fstat(descriptor).st_nlink:
            return descriptor, Path(name)
        os.close(descriptor)  # Another process found it before it was locked.


def check_private(directory: Path, names: Sequence[str] = (), option: str = WORK_DIR) -> None:
    """Refuse a directory, or one of the ``names`` in it, that another user owns or can write to.

    What does not exist is fine.

    A link may lead to ``directory``. One of the names may be a link only if root or this user made it. ``option`` names
    the directory for the user. Raises :class:`ZeroTouchError`.
    """
    user = os.geteuid()
    for path in (directory, *(directory / name for name in names)):
        try:
            link, status = path.lstat(), path.stat()
        except FileNotFoundError:
            continue
        if path != directory and stat.S_ISLNK(link.st_mode) and link.st_uid not in (0, user):
            raise ZeroTouchError(
                f"{path} is a symbolic link of {_user_name(link.st_uid)}.", f"Remove it, or name another {option}."
            )
        if (stat.S_ISDIR(status.st_mode) or path != directory) and (
            fault := privacy_fault(path, status.st_mode, status.st_uid, user, option)
        ):
            raise fault


def privacy_fault(path: Path, mode: int, owner: int, user: int, option: str) -> ZeroTouchError | None:
    """Why a directory or file with this mode and owner is not private to ``user``; None when it is."""
    if owner != user:
        mapped = (
            (" A file server that maps users (NFS with root_squash) needs the mapped user, or use a local directory.")
            if owner == _OVERFLOW_USER
            else ""
        )
        remedy = (
            f"Change its owner (chown -R {_user_name(user, login=True)} {path}), or name another directory as "
            f"{option}, such as a new one."
        )
        return ZeroTouchError(
            f"{path} belongs to {_user_name(owner)}, but this run is of {_user_name(user)}.", remedy + mapped
        )
    if mode & _WRITABLE_BY_OTHERS:
        remedy = f"Check what is in it and run `chmod go-w {path}`, or name another directory as {option}."
        permissions = mode & 0o777
        return ZeroTouchError(f"Other users can write to {path} (mode {permissions:04o}).", remedy)
    return None


def _user_name(number: int, *, login: bool = False) -> str:
    try:
        name = pwd.getpwuid(number).pw_name
    except (KeyError, OverflowError):
        name = str(number)
    return name if login else f"user {name}"


def open_inside(path: Path, flags: int, mode: int = SECRET_FILE, option: str = WORK_DIR) -> int:
    """A descriptor of a file with a fixed name in a directory of ours; a link under that name is refused.

    Raises :class:`ZeroTouchError` for a link, OSError otherwise.
    """
    try:
        return os.open(path, flags | os.O_NOFOLLOW | os.O_CLOEXEC, mode)
    except OSError as error:
        if error.errno != errno.ELOOP:
            raise
        raise ZeroTouchError(
            f"{path} is a symbolic link.", f"Remove it, or name another directory as {option}."
        ) from error


def read_inside(path: Path, option: str = WORK_DIR) -> bytes:
    """The content of a file with a fixed name in a directory of ours. Raises as :func:`open_inside`."""
    with os.fdopen(open_inside(path, os.O_RDONLY, option=option), "rb") as handle:
        return handle.read()


def check_directory(path: Path, hint: str) -> None:
    """Raises :class:`ZeroTouchError` where no directory of this name can be made and written to; makes nothing.

    ``hint`` is what to do.
    """
    there = next(place for place in (path, *path.absolute().parents) if os.path.lexists(place))
    if not os.path.isdir(there):
        what = "a link to nothing" if there.is_symlink() else "a file"
        raise ZeroTouchError(f"{path} cannot be a directory: {there} is {what}.", hint)
    if not os.access(there, os.W_OK | os.X_OK):
        raise ZeroTouchError(f"{path} cannot be written: you have no write permission for {there}.", hint)


def sync_directory(path: Path) -> None:
    """Make a rename in this directory survive a power cut."""
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def write_atomic(path: Path, content: bytes | str, mode: int = SECRET_FILE, *, parents: bool = True) -> bool:
    """Write ``content`` unless the file already holds it with that mode; returns whether anything was changed.

    Missing directories are made, unless ``parents`` is false. Raises :class:`ZeroTouchError` naming the file where it
    cannot be written.
    """
    data = content.encode() if isinstance(content, str) else content
    if same_file(path, data, mode):
        return False
    if parents:
        ensure_directory(path.parent)
    try:
        with atomic_writer(path, mode) as handle:
            handle.write(data)
    except OSError as error:
        raise write_fault(error, path, len(data)) from error
    return True


def same_file(path: Path, content: bytes | str, mode: int = SECRET_FILE) -> bool:
    """Whether the file exists with exactly this content and mode."""
    data = content.encode() if isinstance(content, str) else content
    try:
        status = path.lstat()
        # A link is never the file itself: it is replaced.
        regular = stat.S_ISREG(status.st_mode)
        return regular and status.st_size == len(data) and status.st_mode & 0o777 == mode and path.read_bytes() == data
    except OSError:
        return False


def sha256_of(path: Path) -> str:
    """Hex SHA-256 of a file, read in blocks."""
    digest = hashlib.sha256()
    with path.open("rb") as handle:
        for block in iter(lambda: handle.read(1 << 20), b""):
            digest.update(block)
    return digest.hexdigest()


def remove_leftovers(directory: Path, name: str = "") -> list[Path]:
    """Delete temporary files that killed runs left beside their targets, or beside the one called ``name``; returns
    what was deleted. A file that a process is writing stays.
    """
    pattern = glob.escape(name) if name else "*"
    found = sorted(directory.glob(f".{pattern}.*.part")) if directory.is_dir() else []
    return [path for path in found if _remove_unlocked(path)]


def _remove_unlocked(path: Path) -> bool:
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:  # Deleted meanwhile, or none that a run has written.
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
        path.unlink(missing_ok=True)
    except OSError:  # A process is writing it, or it cannot be locked or deleted.
        return False
    finally:
        os.close(descriptor)
    return True
