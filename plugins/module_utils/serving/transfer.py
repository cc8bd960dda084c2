# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Send one file to an HTTP server with PUT, compare it with what the server stores, or delete it there.

Redirects are not followed: many BMCs do not follow them either, and a PUT would send its credentials to the other
server.
"""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar
from urllib.parse import urlsplit

from ..common.clock import Clock
from ..common.errors import RemoteError, Unreachable, ZeroTouchError
from ..common.files import sha256_of
from ..common.http import HttpClient, Response
from ..common.http_limits import beginning
from ..common.retry import retry
from ..common.retry_policies import UPLOAD
from ..common.secrets import without_url_tokens

if TYPE_CHECKING:
    import urllib3

T = TypeVar("T")
SERVICE = "The server of openshift_publish.url"
# Bytes at the beginning and at the end that are compared.
SAMPLE = 64 << 10
_PIECE = 1 << 20
_NO_ACCESS = (401, 403)
_NOT_THERE = (404, 410)
_NO_DIRECTORY = (404, 409)
# Seconds. Some servers answer when they have copied a large file to its final place.
_ANSWER = 300.0
_LONGEST = 4 * 3600.0
# Bytes of an answer that refuses a request: what is read, and what a message shows.
_LARGEST_ANSWER, _LONGEST_WORDS = 1 << 20, 200


@dataclasses.dataclass(frozen=True)
class StoredFile:
    """What a server stores under a URL, as far as it was compared: ``fault`` is empty for the same bytes.

    ``refused``: it cannot be read.
    """

    fault: str = ""
    refused: bool = False
    etag: str = ""
    warnings: tuple[str, ...] = ()


class FileTransfer:
    """Requests for single files. ``headers`` go with writes; they are secret. ``client`` has none."""

    def __init__(self, client: HttpClient, headers: Mapping[str, str], clock: Clock) -> None:
        self._client = client
        self._headers = dict(headers)
        client.secrets = frozenset(
            {*headers.values(), *(value.split()[-1] for value in headers.values() if value.strip())}
        )
        self._clock = clock

    def is_own(self, url: str) -> bool:
        """Whether the URL is on the server to which the headers may go."""
        return self._client.is_own(url)

    def compare(self, file: Path, url: str, *, whole: bool) -> StoredFile:
        """Compare size, beginning and end of what the server stores with the file, or every byte of it.

        It is read as a BMC reads it: without the headers. Only if that is refused, the headers are sent. Raises
        :class:`Unreachable` and :class:`RemoteError` after the last attempt.
        """
        found = self._read(file, url, {}, whole)
        if not found.refused or not self._headers:
            return found
        found = self._read(file, url, self._headers, whole)
        if found.refused:
            return found
        warning = (
            f"{shown(url)} cannot be read without openshift_publish.headers from here. BMCs send no headers: let the "
            "server allow their addresses."
        )
        return dataclasses.replace(found, warnings=(*found.warnings, warning))

    def _read(self, file: Path, url: str, headers: Mapping[str, str], whole: bool) -> StoredFile:
        try:
            return self._repeated(lambda: self._compare(file, url, headers, whole))
        except RemoteError as error:
            if error.status in _NOT_THERE:
                return StoredFile(f"{file.name} is not there")
            if error.status in _NO_ACCESS:
                return StoredFile(
                    (f"{file.name} cannot be read there ({error.status}); BMCs read without credentials"), refused=True
                )
            raise

    def put(self, file: Path, url: str) -> None:
        """Send the file. Raises :class:`ZeroTouchError` with what to do."""
        try:
            self._repeated(lambda: self._put(file, url))
        except RemoteError as error:
            if error.status not in _NO_DIRECTORY:
                raise _refused(error, file) from error
            self._make_directory(url)
            try:
                self._repeated(lambda: self._put(file, url))
            except RemoteError as again:
                raise _refused(again, file) from again
        except Unreachable as error:
            if error.kind == "broken":
                hint = (
                    "The server may have refused the upload without an answer: check openshift_publish.headers and "
                    "its limit of a file's size."
                )
                raise ZeroTouchError(error.message, hint) from error
            raise

    def delete(self, url: str) -> bool:
        """Delete what is there; returns whether anything was."""
        answer = self._repeated(lambda: self._answer("DELETE", url))
        if answer.status in _NOT_THERE:
            return False
        if answer.status >= 300:
            hint = "Check openshift_publish.headers, or delete the file yourself; it contains credentials."
            beginning = answer.text()[:200]
            raise RemoteError(SERVICE, answer.status, f"{shown(url)} is not deleted. {beginning}", hint=hint)
        return True

    def _put(self, file: Path, url: str) -> None:
        size = file.stat().st_size
        headers = {"Content-Type": "application/octet-stream", **self._headers, "Content-Length": str(size)}
        with (
            file.open("rb") as body,
            self._client.stream("PUT", url, body=body, headers=headers, timeout=_ANSWER) as answer,
        ):
            if not 200 <= answer.status < 300:
                raise RemoteError(SERVICE, answer.status, self._words(answer, url))

    def _make_directory(self, url: str) -> None:
        """WebDAV creates no directory on its own (RFC 4918 9.7.1). If this fails, the following PUT says so."""
        with contextlib.suppress(RemoteError):
            self._answer("MKCOL", url.rpartition("/")[0] + "/")

    def _answer(self, method: str, url: str) -> Response:
        answer = self._client.request(method, url, headers=self._headers)
        error = RemoteError(SERVICE, answer.status, answer.text()[:200])
        if UPLOAD.repeats(error):
            raise error
        return answer

    def _compare(self, file: Path, url: str, headers: Mapping[str, str], whole: bool) -> StoredFile:
        size = file.stat().st_size
        if whole or not size:
            return self._compare_whole(file, url, headers)
        etag = ""
        for offset in sorted({0, max(0, size - SAMPLE)}):
            length = min(SAMPLE, size - offset)
            last = offset + length - 1
            wanted = {**headers, "Range": f"bytes={offset}-{last}", "Accept-Encoding": "identity"}
            with self._client.stream("GET", url, headers=wanted, within=_ANSWER) as answer:
                if answer.status == 200:
                    found = self._compare_body(file, url, answer)
                    warning = f"{shown(url)} is served without ranges (RFC 9110 14), which many BMCs need."
                    return dataclasses.replace(found, warnings=(warning,))
                if answer.status == 416:
                    return StoredFile(f"{file.name} has another size there")
                if answer.status != 206:
                    raise RemoteError(SERVICE, answer.status, self._words(answer, url))
                etag = answer.headers.get("ETag", "")
                if answer.headers.get("Content-Range", "") != f"bytes {offset}-{last}/{size}":
                    return StoredFile(f"{file.name} has another size there")
                data = b"".join(self._client.pieces(answer, url, length))
            if data != _part(file, offset, length):
                return StoredFile(f"{file.name} has other bytes there, from byte {offset} on")
        return StoredFile(etag=etag)

    def _compare_whole(self, file: Path, url: str, headers: Mapping[str, str]) -> StoredFile:
        with self._client.stream(
            "GET", url, headers={**headers, "Accept-Encoding": "identity"}, within=_LONGEST
        ) as answer:
            if answer.status != 200:
                raise RemoteError(SERVICE, answer.status, self._words(answer, url))
            return self._compare_body(file, url, answer)

    def _compare_body(self, file: Path, url: str, answer: urllib3.BaseHTTPResponse) -> StoredFile:
        size, digest, count = file.stat().st_size, hashlib.sha256(), 0
        if answer.headers.get("Content-Length", str(size)) != str(size):
            return StoredFile(f"{file.name} has another size there")
        for piece in self._client.pieces(answer, url, size):
            digest.update(piece)
            count += len(piece)
        same = count == size and digest.hexdigest() == sha256_of(file)
        return StoredFile("" if same else f"{file.name} has other bytes there", etag=answer.headers.get("ETag", ""))

    def _words(self, answer: urllib3.BaseHTTPResponse, url: str) -> str:
        """What the server says of an error, without secrets; of a redirect that it is one."""
        if 300 <= answer.status < 400:
            return f"{shown(url)} is redirected. Set openshift_publish.url to the address that it leads to."
        data = beginning(self._client.pieces(answer, url, _LARGEST_ANSWER), _LONGEST_WORDS)
        words = self._client.without_credentials(data, self._headers).decode(errors="replace")
        reason = answer.reason or "no reason given"
        return f"{reason} for {shown(url)}. {words}".rstrip(". ")

    def _repeated(self, call: Callable[[], T]) -> T:
        return retry(call, UPLOAD, self._clock)


def _refused(error: RemoteError, file: Path) -> ZeroTouchError:
    hints = {
        401: "Check openshift_publish.headers: the server does not accept these credentials.",
        403: "Check openshift_publish.headers: their credentials need write permission there.",
        404: "Check openshift_publish.url, and that the server accepts PUT below it.",
        405: "The server does not accept PUT there. Check openshift_publish.url and its WebDAV settings.",
        409: "The server does not create directories. Allow it (nginx: create_full_put_path on; WebDAV: MKCOL).",
        413: (
            f"Raise the server's limit of a file's size to {file.stat().st_size} bytes or more (nginx: "
            "client_max_body_size)."
        ),
        501: "The server does not support PUT. Check openshift_publish.url.",
        507: "Make room on the server.",
    }
    return RemoteError(
        SERVICE, error.status, f"{file.name} was not uploaded: {error.detail}", hint=hints.get(error.status, "")
    )


def _part(file: Path, offset: int, length: int) -> bytes:
    with file.open("rb") as handle:
        handle.seek(offset)
        return handle.read(length)


def shown(url: str) -> str:
    """A URL for messages: without query and without the token."""
    parts = urlsplit(url)
    return without_url_tokens(f"{parts.scheme}://{parts.netloc}{parts.path}")
