# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Remember the SHA-256 of base images that were read completely before, so that an unchanged image is not hashed in
every run.

A file is identified by device, inode, size, modification time and change time. A write to it, or another file in its
place, changes one of them, and no user can set the change time. The digests are in
``<cache>/base-images/digests.json``, in a directory that only this user can write to.
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
import os
from pathlib import Path
from typing import Any

from ..common.errors import ZeroTouchError
from ..common.files import check_private, read_inside, sha256_of, write_atomic

_FILE = "digests.json"
_DIRECTORY = "base-images"
_OPTION = "cache_dir"
# The most recent base images; one that is not among them is read again.
_MOST = 64
_LARGEST = 1 << 20


class KnownDigests:
    """The digests below a cache directory.

    A directory that other users can write to, or that cannot be written, is not trusted.

    ``read_only`` is for check mode.
    """

    def __init__(self, directory: Path, *, read_only: bool = False) -> None:
        self._directory = directory
        self._read_only = read_only
        self._path = directory / _DIRECTORY / _FILE

    def of(self, status: os.stat_result) -> str:
        """Hex SHA-256 of the file with this status; empty when it is not known."""
        found = self._read().get(_key(status))
        return found if isinstance(found, str) and len(found) == 64 else ""

    def record(self, status: os.stat_result, digest: str) -> None:
        """Keep the digest of a file whose status was the same before and after it was read.

        Without a place for it, nothing is kept.
        """
        if self._read_only or self.of(status) == digest:
            return
        entries = {key: value for key, value in self._read().items() if key != _key(status)}
        kept = [*entries.items(), (_key(status), digest)][-_MOST:]
        with contextlib.suppress(ZeroTouchError, OSError):  # the next run reads the image again
            check_private(self._directory, (_DIRECTORY,), _OPTION)
            write_atomic(self._path, json.dumps(dict(kept)))

    def _read(self) -> dict[str, Any]:
        try:
            check_private(self._directory, (_DIRECTORY, f"{_DIRECTORY}/{_FILE}"), _OPTION)
            data = read_inside(self._path, _OPTION)
            document = json.loads(data) if len(data) <= _LARGEST else None
        except (ZeroTouchError, OSError, ValueError, RecursionError):
            return {}
        return document if isinstance(document, dict) else {}


def _key(status: os.stat_result) -> str:
    return ":".join(
        str(number) for number in (status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)
    )


@dataclasses.dataclass(frozen=True)
class BaseCheck:
    """How a base image is verified: against ``sha256`` (hex, empty = any) and the digests that are ``known``.

    Each file is read whole once; with ``always`` in every run, and then its digest must also be the recorded one.
    """

    sha256: str = ""
    known: KnownDigests | None = None
    always: bool = False

    @property
    def wanted(self) -> bool:
        """Whether the digest of a base that is copied matters."""
        return bool(self.sha256) or self.known is not None

    def trusted(self, status: os.stat_result) -> str:
        """The digest of a file that need not be read again; empty otherwise."""
        return "" if self.always or self.known is None else self.known.of(status)

    def require(self, path: Path, status: os.stat_result, found: str) -> None:
        """Raises :class:`ZeroTouchError` when the base image is not the expected one."""
        expected = self.sha256 or (self.known.of(status) if self.known else "")
        if expected and found != expected:
            raise ZeroTouchError(
                f"{path} is not the expected base image: its SHA-256 is {found}, expected is {expected}.",
                "Download it again, or correct sha256.",
            )

    def accept(self, path: Path, before: os.stat_result, after: os.stat_result, found: str) -> None:
        """A base that was read whole: compare it, and keep its digest. Raises as :meth:`require`."""
        self.require(path, before, found)
        if self.known is not None and _key(before) == _key(after):
            self.known.record(after, found)

    def verify(self, path: Path) -> str:
        """The digest of a base that is not copied whole, read unless it is trusted; empty where nothing is compared.

        Raises as :meth:`require`.
        """
        if not self.sha256 and not self.always:
            return ""
        before = path.stat()
        found = self.trusted(before)
        if found:
            self.require(path, before, found)
        else:
            found = sha256_of(path)
            self.accept(path, before, path.stat(), found)
        return found


UNCHECKED = BaseCheck()
