# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test the hub under injected faults: its operators lose no change, and users get the errors that Kubernetes would
return.
"""

from __future__ import annotations

import asyncio
import datetime
import email.utils
from pathlib import Path

import pytest
from ztlab.hub.client import Refused
from ztlab.hub.names import AGENT, INFRA_ENV

from .flow import state
from .rig import Machine, hub_rig


def test_a_restart_of_the_api_loses_nothing(tmp_path: Path) -> None:
    async def run() -> None:
        async with hub_rig(tmp_path) as rig:
            infra_env = await rig.infra_env()
            machine = Machine(1)
            rig.lab.faults.add("hub-restart", options={"seconds": "20"})
            rig.boot(infra_env, machine)
            await rig.until(AGENT, machine.id, lambda item: state(item) == "known-unbound")
            assert rig.lab.faults.list()[0].taken == 1
            rig.lab.faults.add("hub-compacts")
            await rig.infra_env("second")
            await rig.patch(AGENT, machine.id, {"spec": {"hostname": "after-410"}})
            host = rig.hub.service.core.state.hosts
            async with asyncio.timeout(300):
                while not any(item.requested_hostname == "after-410" for item in host.values()):
                    await asyncio.sleep(0.05)

    asyncio.run(run())


def test_storms_that_hit_the_operators_too(tmp_path: Path) -> None:
    """Faults that name the operators' user bite them: they come back until it is done."""

    async def run() -> None:
        async with hub_rig(tmp_path) as rig:
            user = "system:serviceaccount:multicluster-engine:assisted-service"
            for kind, count in (("api-409", 4), ("api-500", 4), ("api-429", 3), ("api-410", 2)):
                options = {"user": user} | ({"seconds": "1"} if kind == "api-429" else {})
                rig.lab.faults.add(kind, count=count, options=options)
            infra_env = await rig.infra_env()
            machine = Machine(1)
            rig.boot(infra_env, machine)
            await rig.until(AGENT, machine.id, lambda item: state(item) == "known-unbound")
            taken = {fault.kind: fault.taken for fault in rig.lab.faults.list()}
            assert taken["api-409"] == 4 and taken["api-500"] == 4 and taken["api-429"] == 3

    asyncio.run(run())


def test_faults_of_users_leave_the_operators_alone(tmp_path: Path) -> None:
    async def run() -> None:
        async with hub_rig(tmp_path) as rig:
            infra_env = await rig.infra_env()
            machine = Machine(1)
            rig.boot(infra_env, machine)
            await rig.until(AGENT, machine.id, lambda item: state(item) == "known-unbound")
            rig.lab.faults.add("api-403", count=None, options={"method": "PATCH", "resource": "agents"})
            with pytest.raises(Refused) as caught:
                await rig.patch(AGENT, machine.id, {"spec": {"approved": True}})
            assert caught.value.code == 403
            assert (
                'cannot patch resource "agents" in API group "agent-install.openshift.io" in the namespace "edge"'
            ) in str(caught.value)
            assert (await rig.get(AGENT, machine.id))["spec"]["approved"] is False
            await rig.patch(INFRA_ENV, "rack", {"spec": {"agentApproval": {"autoApprove": True}}})
            await rig.until(AGENT, machine.id, lambda item: item["spec"]["approved"])
            rig.lab.faults.add("api-429", options={"seconds": "7"})
            with pytest.raises(Refused) as caught:
                await rig.get(AGENT, machine.id)
            assert (caught.value.code, caught.value.retry_after) == (429, 7.0)

    asyncio.run(run())


def test_an_agent_deleted_under_our_hands_comes_back_unapproved(tmp_path: Path) -> None:
    async def run() -> None:
        async with hub_rig(tmp_path) as rig:
            infra_env = await rig.infra_env()
            machine = Machine(1)
            rig.boot(infra_env, machine)
            first = await rig.until(AGENT, machine.id, lambda item: state(item) == "known-unbound")
            await rig.patch(AGENT, machine.id, {"spec": {"approved": True}})
            rig.lab.faults.add("agent-deleted", options={"agent": machine.id})
            again = await rig.until(AGENT, machine.id, lambda item: item["metadata"]["uid"] != first["metadata"]["uid"])
            assert again["spec"]["approved"] is False

    asyncio.run(run())


def test_a_clock_that_is_off_shows_in_the_date_header(tmp_path: Path) -> None:
    async def run() -> None:
        async with hub_rig(tmp_path) as rig:

            async def offset() -> float:
                async with rig.hub.session.get(
                    f"https://{rig.hub.host}:6443/version", server_hostname="api.hub.example.com"
                ) as response:
                    date = email.utils.parsedate_to_datetime(response.headers["Date"])
                expected = datetime.datetime.now(datetime.UTC) + datetime.timedelta(seconds=rig.lab.clock.now())
                return (date - expected).total_seconds()

            before = await offset()
            rig.lab.faults.add("hub-clock", count=None, options={"seconds": "7200"})
            async with asyncio.timeout(300):
                while rig.lab.clock.skew == 0:
                    await asyncio.sleep(0.02)
            assert 6000 < await offset() - before < 8000
            rig.lab.faults.clear("hub-clock")
            async with asyncio.timeout(300):
                while rig.lab.clock.skew != 0:
                    await asyncio.sleep(0.02)

    asyncio.run(run())
