# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Simulate the virtual CD drive of a machine: read a medium block by block with HTTP range requests, from the URL that
was inserted through the BMC.
"""

from __future__ import annotations

import base64
import re
import ssl
from collections.abc import AsyncIterator, Callable

import aiohttp

from ..clock import LabClock
from ..faults import Faults
from .hardware import Slot

_CONTENT_RANGE = re.compile(r"^bytes (\d+)-(\d+)/(\d+)$")
_CHUNK = 1 << 20

# (url) -> (url to open, Host header): the fabric's mapping of site addresses to loopback ones.
Redirect = Callable[[str], tuple[str, str]]


class MediumError(Exception):
    """The medium cannot be read; the text is the reason."""


class Medium:
    """An open medium. ``size`` is the length of the file behind the URL in bytes."""

    def __init__(
        self,
        session: aiohttp.ClientSession,
        redirect: Redirect,
        slot: Slot,
        *,
        faults: Faults | None = None,
        machine: str = "",
        clock: LabClock | None = None,
    ) -> None:
        if not slot.image:
            raise MediumError("the slot is empty")
        self.url = slot.image
        self.size = 0
        self.bytes_read = 0
        self._session = session
        self._target, self._host = redirect(slot.image)
        self._slot = slot
        self._serial = slot.serial
        self._faults = faults
        self._machine = machine
        self._clock = clock
        self._headers = {"Host": self._host, "Accept-Encoding": "identity"} | _basic(slot)
        self._ssl: ssl.SSLContext | bool = bool(slot.verify_certificate)

    @property
    def lost(self) -> bool:
        """Whether the medium was ejected or exchanged since it was opened."""
        return self._slot.serial != self._serial

    async def open(self) -> Medium:
        """Learn the size; the server must answer ranges. Raises :class:`MediumError`."""
        if self._faults and self._faults.take("media-fetch-fails", self._machine):
            raise MediumError("the server cannot be reached (injected fault media-fetch-fails)")
        async with self._request(0, 1) as response:
            total = self._check(response, 0, 1)
            await response.read()
        self.size = total
        return self

    async def read(self, offset: int, length: int) -> bytes:
        """Exactly these bytes. Raises :class:`MediumError`."""
        return b"".join([chunk async for chunk in self.stream(offset, length)])

    async def stream(self, offset: int, length: int) -> AsyncIterator[bytes]:
        """The bytes in pieces.

        Raises :class:`MediumError`, also when the connection ends early or the medium is taken out.
        """
        if length <= 0:
            return
        if self.lost:
            raise MediumError("the medium was removed")
        if self._size_known and offset + length > self.size:
            end = offset + length
            raise MediumError(f"read beyond the end: byte {end} of {self.size}")
        left = length
        try:
            async with self._request(offset, length) as response:
                self._check(response, offset, length)
                async for chunk in response.content.iter_chunked(_CHUNK):
                    left -= len(chunk)
                    self.bytes_read += len(chunk)
                    await self._hinder(len(chunk), left)
                    yield chunk
        except aiohttp.ClientError as error:
            raise MediumError(f"{type(error).__name__}: {error}") from error
        except TimeoutError as error:
            raise MediumError("the server does not answer") from error
        if left:
            received = length - left
            raise MediumError(f"the server sent {received} of {length} bytes")

    @property
    def _size_known(self) -> bool:
        return self.size > 0

    async def _hinder(self, count: int, left: int) -> None:
        if self._faults is None:
            return
        slow = self._faults.peek("slow-download", self._machine)
        if slow and self._clock is not None:
            await self._clock.sleep(count / 1024 / slow.number("kib_per_second", 2048) * self._clock.speed)
        if self.bytes_read > 1 << 20 and left and self._faults.take("cut-download", self._machine):
            raise MediumError("the connection was closed in the middle of a block (injected fault cut-download)")

    def _request(self, offset: int, length: int) -> aiohttp.client._RequestContextManager:
        last = offset + length - 1
        headers = self._headers | {"Range": f"bytes={offset}-{last}"}
        return self._session.get(
            self._target, headers=headers, ssl=self._ssl, timeout=aiohttp.ClientTimeout(sock_connect=10, sock_read=30)
        )

    @staticmethod
    def _check(response: aiohttp.ClientResponse, offset: int, length: int) -> int:
        if response.status == 200:
            raise MediumError("the server ignores ranges (200 instead of 206)")
        if response.status != 206:
            raise MediumError(f"the server answers {response.status} {response.reason}")
        match = _CONTENT_RANGE.match(response.headers.get("Content-Range", ""))
        if match is None or int(match[1]) != offset or int(match[2]) != offset + length - 1:
            raise MediumError(f"the server answers another range: {response.headers.get('Content-Range', 'none')}")
        return int(match[3])


def _basic(slot: Slot) -> dict[str, str]:
    if not slot.username:
        return {}
    login = f"{slot.username}:" + (slot.password or "")
    return {"Authorization": "Basic " + base64.b64encode(login.encode()).decode()}


async def probe(session: aiohttp.ClientSession, redirect: Redirect, url: str) -> str:
    """Why a medium cannot be read, "" when it can: what a BMC finds out on InsertMedia."""
    slot = Slot("probe", ("CD",))
    slot.insert(url)
    try:
        await Medium(session, redirect, slot).open()
    except MediumError as error:
        return str(error)
    except (aiohttp.ClientError, TimeoutError, ValueError) as error:
        return f"{type(error).__name__}: {error}"
    return ""
