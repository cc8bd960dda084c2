# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test that a controller of the hub stops on request, in whichever step it is."""

from __future__ import annotations

import asyncio

import pytest
from ztlab.clock import LabClock
from ztlab.hub.controller import Controller


@pytest.mark.parametrize("steps", range(6))
def test_cancelled_while_it_is_being_woken(steps: int) -> None:
    """``asyncio.wait_for`` of Python 3.11 loses a cancellation that arrives together with the awaited result; the hub
    then never stops.
    """

    async def nothing(_key: tuple[str, str]) -> None:
        return None

    async def run() -> bool:
        controller = Controller("any", LabClock(1.0), nothing)
        controller.notify(("edge", "rack"), after=60)
        task = asyncio.create_task(controller.run())
        await asyncio.sleep(0.01)
        controller.notify(("edge", "shelf"), after=30)
        for _step in range(steps):
            await asyncio.sleep(0)
        task.cancel()
        done, _pending = await asyncio.wait({task}, timeout=0.5)
        task.cancel()
        return bool(done)

    assert asyncio.run(run())
