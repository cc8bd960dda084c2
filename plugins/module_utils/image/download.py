# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Download large files by URL. A download is resumable and verified, and the file is written whole or not at all.

An interrupted transfer continues where it stopped, in this run or the next, as long as the server still has the same
file (RFC 9110 13.1.5, If-Range).
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
import os
import re
import shutil
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO
from urllib.parse import urljoin

from ..common.clock import Clock
from ..common.errors import RemoteError, Unreachable, ZeroTouchError
from ..common.files import ensure_directory, open_inside, read_inside, sha256_of, sync_directory, write_atomic
from ..common.http import HttpClient
from ..common.retry import retry
from ..common.retry_policies import DOWNLOAD
from ..common.urls import split_remote

if TYPE_CHECKING:
    import urllib3

_REDIRECTS = (301, 302, 303, 307, 308)
_MOST_REDIRECTS = 5
# Bytes of a file. Live images and root file systems have 1 to 2 GB.
_LARGEST = 16 << 30
# Seconds for one transfer: 2 GB at 150 kB/s.
_LONGEST = 4 * 3600.0


_DENIED = (
    "The server requires a login, which this download does not have. Download the file yourself, and configure its "
    "path instead of the URL."
)
_REMEDIES = {
    401: _DENIED,
    403: f"Check the URL. {_DENIED}",
    404: "Check the URL.",
    407: "The proxy requires a login. Add it to the proxy's URL in the environment, or download the file yourself.",
    410: "Check the URL.",
}
# A signed token as part of a path, as image services put it there.
# Source: openshift/assisted-service internal/imageservice/urls.go, internal/gencrypto.
_TOKEN = re.compile(r"/[\w-]{10,}\.[\w-]{10,}\.[\w-]+(?=/|$)")


def _silent(text: str) -> None:
    """No progress is printed."""


def _accept(path: Path) -> None:
    """Any content will do."""


@dataclasses.dataclass(frozen=True)
class RemoteFile:
    """What the server says about the file: size in bytes (-1 = it does not say) and what identifies this version of
    it.
    """

    size: int
    etag: str = ""
    last_modified: str = ""

    @property
    def validator(self) -> str:
        """For If-Range: a strong ETag, else the date; empty when a part cannot be recognised."""
        return self.etag if self.etag and not self.etag.startswith("W/") else self.last_modified

    @classmethod
    def of(cls, headers: Mapping[str, str], size: int) -> RemoteFile:
        return cls(size, headers.get("ETag", ""), headers.get("Last-Modified", ""))


class Downloader:
    """Transfers over one client.

    ``client`` needs no base URL: all URLs are absolute. ``progress`` gets a line each tenth.

    ``place`` names the option that says where files go, for the words about a full disk.
    """

    def __init__(
        self,
        client: HttpClient,
        clock: Clock,
        progress: Callable[[str], None] = _silent,
        place: str = "cache_dir",
        largest: int = _LARGEST,
    ) -> None:
        self._largest = largest
        self._place = place
        self._client = client
        self._clock = clock
        self._progress = progress

    def look(self, url: str) -> RemoteFile:
        """Ask with HEAD. Raises :class:`Unreachable`, and :class:`RemoteError` for an answer that is not the file."""
        with self._open("HEAD", url, {}, trusted=True) as answer:
            if answer.status != 200:
                raise self._failure(url, answer)
            return RemoteFile.of(answer.headers, _length(answer.headers.get("Content-Length")))

    def fetch(
        self, url: str, target: Path, sha256: str = "", *, check: Callable[[Path], None] = _accept, mode: int = 0o644
    ) -> RemoteFile:
        """Bring the file to ``target``, with ``mode``.

        With ``sha256`` (hex) a file that has another one never gets that name, nor does one that ``check`` raises
        :class:`ZeroTouchError` for.

        Raises :class:`Unreachable` and :class:`RemoteError` after the last attempt, :class:`ZeroTouchError` for wrong
        content or a full disk.
        """
        ensure_directory(target.parent)
        part = _Part(target, url, mode)
        resumed = part.size() > 0
        try:
            found = retry(lambda: self._transfer(url, part, bool(sha256)), DOWNLOAD, self._clock)
            if resumed and sha256 and sha256_of(part.path) != sha256:
                part.discard()  # the part from an earlier run may have been of another file
                found = retry(lambda: self._transfer(url, part, True), DOWNLOAD, self._clock)
            _verify(url, part, sha256)
            _checked(part, check)
            part.finish()
        except OSError as error:
            hint = (
                f"Make room, or name another directory in {self._place}. What has been transferred is kept for the "
                "next run."
            )
            why = error.strerror or error
            raise ZeroTouchError(f"{target} cannot be written: {why}.", hint) from error
        return found

    def _transfer(self, url: str, part: _Part, verified: bool) -> RemoteFile:
        """One request, from where the part ends."""
        offset = part.size()
        headers = {"Accept-Encoding": "identity"}
        known = part.known()
        if offset and (known.validator or verified):
            headers["Range"] = f"bytes={offset}-"
            if known.validator:
                headers["If-Range"] = known.validator
        elif offset:
            part.discard()
            offset = 0
        with self._open("GET", url, headers, trusted=verified) as answer:
            if answer.status == 416 and offset and known.size == offset:
                return known
            if answer.status == 416 and offset:
                part.discard()
                raise Unreachable(f"{_shown(url)} became shorter than what was transferred of it.", "broken")
            if answer.status not in (200, 206):
                raise self._failure(url, answer)
            if answer.headers.get("Content-Encoding", "identity") != "identity":
                raise ZeroTouchError(
                    f"{_shown(url)} is sent compressed ({answer.headers['Content-Encoding']}), which was not requested."
                )
            start, remote = _position(answer, offset)
            if max(remote.size, start) > self._largest:
                raise ZeroTouchError(
                    (
                        f"{_shown(url)} has {max(remote.size, start)} bytes; more than {self._largest} are not "
                        "transferred."
                    ),
                    "Check the URL.",
                )
            self._require_space(part, remote.size - start)
            part.begin(remote, start)
            self._copy(url, answer, part, start, remote.size)
        if remote.size >= 0 and part.size() != remote.size:
            raise Unreachable(
                f"{_shown(url)}: the transfer ended after {part.size()} of {remote.size} bytes.", "broken"
            )
        return dataclasses.replace(remote, size=part.size())

    def _copy(self, url: str, answer: urllib3.BaseHTTPResponse, part: _Part, start: int, total: int) -> None:
        name = Path(split_remote(url).path).name
        done, reported = start, start * 10 // total if total > 0 else 0
        with part.open() as handle:
            handle.seek(start)
            for block in self._client.pieces(answer, url, self._largest - start):
                handle.write(block)
                done += len(block)
                self._clock.sleep(0)  # a signal ends the transfer here; the part stays for the next run
                if total > 0 and done * 10 // total > reported:
                    reported = done * 10 // total
                    total_mb = total / 1e6
                    percent = reported * 10
                    self._progress(f"{name}: {percent} % of {total_mb:.0f} MB")
            handle.flush()
            os.fsync(handle.fileno())

    def _require_space(self, part: _Part, missing: int) -> None:
        """Say before the transfer what would end it after minutes."""
        free = shutil.disk_usage(part.path.parent).free + part.size()
        if missing > free:
            free_mb = free / 1e6
            missing_mb = missing / 1e6
            raise ZeroTouchError(
                f"{part.path.parent} has room for {free_mb:.0f} MB, {missing_mb:.0f} MB are to come.",
                f"Make room, or name another directory in {self._place}.",
            )

    @contextlib.contextmanager
    def _open(
        self, method: str, url: str, headers: Mapping[str, str], *, trusted: bool
    ) -> Iterator[urllib3.BaseHTTPResponse]:
        """The answer at the end of the redirects. Without a checksum (``trusted``) none of them may leave TLS."""
        for _redirect in range(_MOST_REDIRECTS + 1):
            with self._client.stream(method, url, headers=headers, within=_LONGEST) as answer:
                location = answer.headers.get("Location")
                try:
                    if answer.status not in _REDIRECTS or not location:
                        yield answer
                        return
                finally:
                    answer.close()  # what was not read must not be in the way of the next request
            try:
                following = urljoin(url, location)
            except ValueError as error:
                raise ZeroTouchError(f"{_shown(url)} redirects to {location[:100]!r}, which is not a URL.") from error
            if not trusted and split_remote(url).scheme == "https" != split_remote(following).scheme:
                raise ZeroTouchError(
                    f"{_shown(url)} redirects to an unprotected address.",
                    "Give the file's sha256, or the address itself.",
                )
            url = following
        raise ZeroTouchError(f"{_shown(url)}: more than {_MOST_REDIRECTS} redirects.")

    def _failure(self, url: str, answer: urllib3.BaseHTTPResponse) -> RemoteError:
        hint = _REMEDIES.get(answer.status, "")
        reason = answer.reason or "no reason given"
        return RemoteError(self._client.service, answer.status, f"{reason} for {_shown(url)}", hint=hint)


def _position(answer: urllib3.BaseHTTPResponse, offset: int) -> tuple[int, RemoteFile]:
    """Where the answer begins in the file, and the whole file's description."""
    if answer.status == 200:
        return 0, RemoteFile.of(answer.headers, _length(answer.headers.get("Content-Length")))
    unit, _space, rest = answer.headers.get("Content-Range", "").partition(" ")
    span, _slash, total = rest.partition("/")
    if unit != "bytes" or span.partition("-")[0] != str(offset):
        raise Unreachable(
            (
                f"The server returned another range than requested: {answer.headers.get('Content-Range')!r} "
                f"instead of a range from {offset}."
            ),
            "broken",
        )
    return offset, RemoteFile.of(answer.headers, _length(total))


def _length(text: str | None) -> int:
    return int(text) if text and len(text) < 19 and text.isascii() and text.isdigit() else -1


def _verify(url: str, part: _Part, sha256: str) -> None:
    if not sha256:
        return
    found = sha256_of(part.path)
    if found != sha256:
        part.discard()
        raise ZeroTouchError(
            f"{_shown(url)} is not the expected file: its SHA-256 is {found}, expected is {sha256}.",
            "Correct sha256, or name the URL of the file that it belongs to.",
        )


def _checked(part: _Part, check: Callable[[Path], None]) -> None:
    try:
        check(part.path)
    except ZeroTouchError:
        part.discard()
        raise


def _shown(url: str) -> str:
    """The URL without credentials, tokens and query, for messages."""
    parts = split_remote(url)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{_TOKEN.sub('/<token>', parts.path)}"


class _Part:
    """What is there of a file: the bytes, and beside them what the server said they are part of."""

    def __init__(self, target: Path, url: str, mode: int) -> None:
        self._mode = mode
        self.path = target.with_name(f".{target.name}.partial")
        self._notes = target.with_name(f".{target.name}.partial.json")
        self._target = target
        self._url = _shown(url)

    def size(self) -> int:
        return self.path.lstat().st_size if os.path.lexists(self.path) else 0

    def known(self) -> RemoteFile:
        try:
            notes: Any = json.loads(read_inside(self._notes))
            if notes["url"] == self._url:
                return RemoteFile(int(notes["size"]), str(notes["etag"]), str(notes["last_modified"]))
        except (OSError, ValueError, KeyError, TypeError):
            return RemoteFile(-1)
        return RemoteFile(-1)

    def begin(self, remote: RemoteFile, start: int) -> None:
        """Make ready to write from ``start``; what is behind it is of another version."""
        write_atomic(self._notes, json.dumps({"url": self._url, **dataclasses.asdict(remote)}))
        with os.fdopen(open_inside(self.path, os.O_RDWR | os.O_CREAT, self._mode), "r+b") as handle:
            handle.truncate(start)

    def open(self) -> BinaryIO:
        """The bytes, for writing."""
        return os.fdopen(open_inside(self.path, os.O_RDWR), "r+b")

    def discard(self) -> None:
        self.path.unlink(missing_ok=True)
        self._notes.unlink(missing_ok=True)

    def finish(self) -> None:
        os.replace(self.path, self._target)
        self._notes.unlink(missing_ok=True)
        sync_directory(self._target.parent)
