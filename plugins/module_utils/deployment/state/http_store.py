# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Store the state of a deployment in one document on a web server: GET and PUT, the ETag as the version, ``If-Match``
and ``If-None-Match`` as conditions (RFC 9110 13).

The document is one line of JSON with the lease, then the sealed snapshot. The snapshot is always encrypted. The lease
is not encrypted: it only names the run that may write.
"""

from __future__ import annotations

import json
import re
import secrets
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from ...common import json_text
from ...common.clock import Clock
from ...common.errors import RemoteError, Unreachable
from ...common.http import HttpClient, Response
from ...common.retry import retry
from ...common.retry_policies import STATE_STORE
from ...common.terminal import shortened
from .errors import StoreConflict, StoreRefused, StoreUnknown
from .lease import Lease
from .snapshot import LARGEST_STORED
from .store import StoredState, read_surely, write_surely

FORMAT = 1
LONGEST_LINE = 4096
# Room for the line with the lease and for the header of the snapshot.
LARGEST_DOCUMENT = LARGEST_STORED + 16_384
_CONFLICT = (409, 412)  # object stores answer 409 to conditional writes at the same time
_ETAG = re.compile(r'(?!W/)"?[!#-~]{1,256}"?')
_ANY = "*"
_TYPE = {"Content-Type": "application/octet-stream"}
_HINT = (
    "The server must support GET and PUT of this URL with ETag, If-Match and If-None-Match; "
    "docs/explanation/state.md lists what it needs."
)


class HttpStore:
    """The document at ``url``. ``client`` has trust, time limit and headers; its limit of a body must be
    :data:`LARGEST_DOCUMENT`.
    """

    def __init__(self, client: HttpClient, url: str, clock: Clock) -> None:
        self._client, self._url, self._clock = client, url, clock
        self._snapshot: tuple[str, bytes] = ("", b"")  # of the latest version known

    @property
    def name(self) -> str:
        parts = urlsplit(self._url)
        return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"

    def read(self) -> StoredState | None:
        stored = read_surely(self.name, self._read, self._clock)
        if stored is not None:
            self._snapshot = (stored.version, stored.snapshot)
        return stored

    def _read(self) -> StoredState | None:
        answer = self._client.request("GET", self._url, headers={"Cache-Control": "no-cache"})
        if answer.status == 404:
            return None
        if answer.status != 200:
            raise self._failure(answer)
        document = read_document(answer.body)
        if document is None:
            raise StoreUnknown(f"What {self.name} has is not a state of this collection.", "Check openshift_state.url.")
        return StoredState(self._etag(answer), *document)

    def _etag(self, answer: Response) -> str:
        etag = answer.headers.get("etag", "")
        if not _ETAG.fullmatch(etag):
            kind = "only a weak ETag" if etag.startswith("W/") else "no ETag"
            raise StoreRefused(f"{self.name} answers with {kind}, so a write cannot be bound to a version.", _HINT)
        return etag

    def _failure(self, answer: Response) -> RemoteError:
        text = shortened(" ".join(answer.text().split()), 200) or "no explanation"
        return self._client.failure(answer, "it redirects to another URL" if 300 <= answer.status < 400 else text)

    def write(self, lease: Lease, snapshot: bytes | None, expected: str | None) -> str:
        content = self._kept(expected) if snapshot is None else snapshot
        body = document(lease, content)
        try:
            version = write_surely(
                self.name, lambda: self._put(body, expected), self._read, lease, expected, self._clock
            )
        except RemoteError as error:
            raise StoreRefused(
                f"The state cannot be stored in {self.name}: {error.message}", error.hint or _HINT
            ) from error
        if expected is None:
            self.probe(StoredState(version, lease, content))
        self._snapshot = (version, content)
        return version

    def _kept(self, version: str | None) -> bytes:
        if version is None:
            return b""
        known, snapshot = self._snapshot
        if known != version:
            raise StoreConflict(f"The version of {self.name} that is to be changed was not read.")
        return snapshot

    def _put(self, body: bytes, expected: str | None) -> str:
        condition = {"If-None-Match": _ANY} if expected is None else {"If-Match": expected}
        answer = self._client.request("PUT", self._url, body=body, headers={**_TYPE, **condition})
        if answer.status in _CONFLICT:
            raise StoreConflict(f"{self.name} was changed by another run.")
        if not 200 <= answer.status < 300:
            raise self._failure(answer)
        if _ETAG.fullmatch(answer.headers.get("etag", "")):
            return answer.headers["etag"]
        # Servers need not answer a PUT with the ETag (RFC 9110 9.3.4).
        found = self._read()
        written = read_document(body)
        if found is None or written is None or found.lease != written[0]:
            raise StoreConflict(f"{self.name} was changed by another run.")
        return found.version

    def probe(self, stored: StoredState | None) -> None:
        """PUT under conditions that do not hold; each must be answered with 412. A server that ignores them writes what
        it has already.
        """
        body = document(None, b"") if stored is None else document(stored.lease, stored.snapshot)
        conditions = [{"If-Match": f'"zerotouch-probe-{secrets.token_hex(8)}"'}] + (
            [] if stored is None else [{"If-None-Match": _ANY}]
        )
        for condition in conditions:
            self._expect_refusal(body, condition, exists=stored is not None)
        now = self.read()
        if (now and now.version) == (stored and stored.version):
            return
        if now is not None and now.lease != (stored and stored.lease):
            raise StoreConflict(f"{self.name} was changed by another run.")
        raise StoreRefused(f"{self.name} refused a conditional PUT and changed the document all the same.", _HINT)

    def _expect_refusal(self, body: bytes, condition: Mapping[str, str], *, exists: bool) -> None:
        try:
            status = retry(lambda: self._status(body, condition), STATE_STORE, self._clock)
        except (RemoteError, Unreachable) as error:
            raise StoreRefused(
                f"The state cannot be stored in {self.name}: {error.message}", error.hint or _HINT
            ) from error
        # Object stores answer 404 where there is no document that could match.
        if status == 412 or (status == 404 and not exists):
            return
        header = next(iter(condition))
        text = (
            f"{self.name} ignores {header}: it answers a PUT whose condition does not hold with {status} instead of "
            "412."
        )
        raise StoreRefused(f"{text} Two runs could overwrite each other's state.", _HINT)

    def _status(self, body: bytes, condition: Mapping[str, str]) -> int:
        """Of a PUT. Raises the error of an answer that says nothing about the condition."""
        answer = self._client.request("PUT", self._url, body=body, headers={**_TYPE, **condition})
        if answer.status >= 300 and answer.status not in (404, 412):
            raise self._failure(answer)
        return answer.status

    def close(self) -> None:
        self._client.close()


def document(lease: Lease | None, snapshot: bytes) -> bytes:
    """The document with this lease and snapshot."""
    head = {"format": FORMAT, "lease": None if lease is None else lease.as_dict()}
    return json.dumps(head, sort_keys=True, separators=(",", ":")).encode() + b"\n" + snapshot


def read_document(data: bytes) -> tuple[Lease | None, bytes] | None:
    """Lease and snapshot; None for anything that is no such document."""
    line, mark, _rest = data[: LONGEST_LINE + 1].partition(b"\n")
    try:
        head: Any = json_text.parse_remote(line) if mark else None
    except ValueError:
        return None
    if not isinstance(head, dict) or head.get("format") != FORMAT or "lease" not in head:
        return None
    lease = Lease.read(head["lease"])
    if lease is None and head["lease"] is not None:
        return None
    return lease, data[len(line) + 1 :]
