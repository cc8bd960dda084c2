# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Cache base images that were downloaded by URL, in ``<cache>/base-images/<key>/<name>``. The key identifies the image
(its SHA-256, else its URL).
"""

from __future__ import annotations

import contextlib
import dataclasses
import fcntl
import hashlib
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from ..common.errors import Unreachable, ZeroTouchError
from ..common.files import check_private, ensure_directory, open_inside, read_inside, write_atomic
from .download import Downloader, RemoteFile

_KEY_DIGITS = 16
_OPTION = "cache_dir"


def default_directory() -> Path:
    """``~/.cache/zerotouch``, or below XDG_CACHE_HOME."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "zerotouch"


@dataclasses.dataclass(frozen=True)
class CachePlan:
    """Whether the image must be transferred, and why.

    ``warning`` is set when the cached one could not be compared with the server's.
    """

    path: Path
    url: str
    sha256: str
    changed: bool
    reason: str
    size: int = -1
    warning: str = ""


class ImageCache:
    """One directory of cached base images."""

    def __init__(self, directory: Path, downloader: Downloader) -> None:
        self._directory = directory / "base-images"
        self._downloader = downloader

    def plan(self, url: str, sha256: str = "") -> CachePlan:
        """Decide; at most a HEAD request is sent, and none when a checksum vouches for the cached file.

        Raises :class:`ZeroTouchError` for a URL that cannot be used, :class:`Unreachable` and :class:`RemoteError` when
        it does not lead to a file.
        """
        path = self._path(url, sha256)
        check_private(
            self._directory.parent, (self._directory.name, f"{self._directory.name}/{path.parent.name}"), _OPTION
        )
        notes = _notes(path)
        if notes is not None and sha256 and notes.get("sha256") == sha256:
            return CachePlan(path, url, sha256, False, "the verified file is in the cache", path.stat().st_size)
        try:
            remote = self._downloader.look(url)
        except Unreachable as error:
            if notes is None or sha256:
                raise
            warning = f"The cached {path.name} is used without knowing whether it is the newest: {error}"
            return CachePlan(path, url, sha256, False, "the server cannot be asked", path.stat().st_size, warning)
        if notes is None:
            return CachePlan(path, url, sha256, True, "it is not in the cache", remote.size)
        same = _same(remote, notes)
        return CachePlan(
            path,
            url,
            sha256,
            not same,
            "the file in the cache is current" if same else "the server has another file",
            remote.size,
        )

    def fetch(self, plan: CachePlan) -> Path:
        """Carry out the plan; the path of the complete file. Runs at the same time wait for each other."""
        if not plan.changed:
            return plan.path
        with _locked(plan.path):
            notes = _notes(plan.path)
            if notes is not None and plan.sha256 and notes.get("sha256") == plan.sha256:
                return plan.path  # another run was faster
            remote = self._downloader.fetch(plan.url, plan.path, plan.sha256)
            status = plan.path.stat()
            notes = {
                "sha256": plan.sha256,
                "size": status.st_size,
                "mtime_ns": status.st_mtime_ns,
                "etag": remote.etag,
                "last_modified": remote.last_modified,
            }
            write_atomic(_notes_path(plan.path), json.dumps(notes))
        return plan.path

    def _path(self, url: str, sha256: str) -> Path:
        parts = urlsplit(url)
        name = Path(unquote(parts.path)).name
        if parts.scheme not in ("http", "https") or not parts.hostname or not name or name.startswith("."):
            hostname = parts.hostname or "no host"
            raise ZeroTouchError(
                "The URL of the base image is not an http or https URL of a file.", f"It leads to {hostname}."
            )
        key = sha256[:_KEY_DIGITS] if sha256 else hashlib.sha256(url.encode()).hexdigest()[:_KEY_DIGITS]
        return self._directory / key / name


def _notes_path(path: Path) -> Path:
    return path.with_name(f".{path.name}.json")


def _notes(path: Path) -> dict[str, Any] | None:
    """What is known of a cached file; None when it is not there or is not the file that was transferred."""
    try:
        notes = json.loads(read_inside(_notes_path(path), _OPTION))
        status = path.stat()
    except (OSError, ValueError):
        return None
    if not isinstance(notes, dict) or (notes.get("size"), notes.get("mtime_ns")) != (
        status.st_size,
        status.st_mtime_ns,
    ):
        return None
    return notes


def _same(remote: RemoteFile, notes: dict[str, Any]) -> bool:
    if remote.size >= 0 and remote.size != notes.get("size"):
        return False
    if remote.etag and notes.get("etag"):
        return bool(remote.etag == notes["etag"])
    return bool(remote.last_modified == notes.get("last_modified"))


@contextlib.contextmanager
def _locked(path: Path) -> Iterator[None]:
    ensure_directory(path.parent)
    with os.fdopen(
        open_inside(path.with_name(f".{path.name}.lock"), os.O_RDWR | os.O_CREAT, option=_OPTION), "r+b"
    ) as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
