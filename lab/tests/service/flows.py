# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Helpers of the tests that use the assisted-service over HTTP: a time limit, an unknown ID, and an agent that has
answered its first steps.
"""

from __future__ import annotations

import asyncio
from typing import Any

from .scripted import Machine, Rig, ScriptedAgent

UNKNOWN = "11111111-2222-4333-8444-555555555555"


def run(coroutine: Any) -> Any:
    return asyncio.run(asyncio.wait_for(coroutine, 300))


async def discovered(rig: Rig, machine: Machine) -> ScriptedAgent:
    """Return an agent that has answered the first rounds of steps."""
    agent = ScriptedAgent(rig.agent, machine, rig.clock)
    status, body = await agent.register()
    assert status == 201, body
    for _ in range(3):
        await agent.poll()
    return agent
