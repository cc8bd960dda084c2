# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test the lab's TCP listeners: after its end a listener's address is free again, even if its opening was cancelled."""

from __future__ import annotations

import asyncio
import contextlib
import socket

from aiohttp import web
from ztlab.fabric.listener import Listener


def test_an_opening_that_is_cancelled_leaves_no_socket() -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = int(probe.getsockname()[1])

    async def cancelled(steps: int) -> bool:
        """Cancel ``open()`` after some rounds of the event loop. Return whether it had completed before."""
        listener = Listener(web.Application(), "127.0.0.1", port)
        opening = asyncio.ensure_future(listener.open())
        for _step in range(steps):
            await asyncio.sleep(0)
        opened = opening.done()
        opening.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await opening
        await listener.end()
        with socket.socket() as again:
            again.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            again.bind(("127.0.0.1", port))
            again.listen()
        return opened

    async def all_moments() -> None:
        for steps in range(200):
            if await cancelled(steps):
                return
        raise AssertionError("the opening never ended")

    asyncio.run(all_moments())


def test_a_listener_that_ends_is_not_opened_again() -> None:
    """An outage that is over opens what it had closed, also while the machine behind it is switched off."""

    async def opened_meanwhile() -> None:
        listener = Listener(web.Application(), "127.0.0.1", 0)
        await listener.open()
        ending = asyncio.ensure_future(listener.end())
        await asyncio.sleep(0)
        await listener.set(True)
        await ending
        assert not listener.listening
        with socket.socket() as again:
            again.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            again.bind(("127.0.0.1", listener.port))
            again.listen()

    asyncio.run(opened_meanwhile())
