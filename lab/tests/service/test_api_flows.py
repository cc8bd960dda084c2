# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test two flows of the assisted-service over HTTP: late binding, and hosts that join an installed cluster (day 2)."""

from __future__ import annotations

import base64
import json

from .flows import UNKNOWN, run
from .scripted import CERTIFICATE, PULL_SECRET, Machine, Rig, ScriptedAgent, cluster_params


def test_late_binding() -> None:
    async def flow() -> None:
        async with Rig(1) as rig:
            rig.cluster = await rig.user.post("/clusters", cluster_params())
            await rig.user.post("/infra-envs", {"name": "late", "pull_secret": PULL_SECRET})
            agent = ScriptedAgent(rig.agent, Machine(1), rig.clock)
            _, host = await agent.register()
            assert host["status"] == "discovering-unbound" and "cluster_id" not in host
            bind = {"cluster_id": rig.cluster["id"]}
            assert (await rig.user.call("POST", f"{agent.path}/actions/bind", bind))[0] == 500
            assert (await rig.user.call("GET", f"{agent.path}/ignition"))[0] == 404
            await agent.poll()
            assert (await rig.user.get(agent.path))["status"] == "known-unbound"
            bound = await rig.user.post(f"{agent.path}/actions/bind", bind, expect=200)
            assert (bound["status"], bound["cluster_id"]) == ("binding", rig.cluster["id"])
            assert (await rig.user.call("POST", f"{agent.path}/actions/bind", bind))[0] == 409
            answer = await agent.poll()
            assert answer == {"post_step_action": "exit"}
            await agent.register()
            assert (await rig.user.get(agent.path))["status"] == "discovering"
            for _ in range(2):
                await agent.poll()
            unbound = await rig.user.post(f"{agent.path}/actions/unbind", expect=200)
            assert unbound["status"] == "unbinding"
            await agent.register()
            host = await rig.user.get(agent.path)
            assert host["status"] == "discovering-unbound" and "cluster_id" not in host

    run(flow())


def test_day_two() -> None:
    async def flow() -> None:
        async with Rig(1) as rig:
            body = {"name": "ignored", "api_vip_dnsname": "api.demo.lab.example.com", "openshift_cluster_id": UNKNOWN}
            rig.cluster = await rig.user.post("/clusters/import", body)
            assert (rig.cluster["kind"], rig.cluster["status"], rig.cluster["imported"]) == (
                "AddHostsCluster",
                "adding-hosts",
                True,
            )
            assert (rig.cluster["name"], rig.cluster["base_dns_domain"]) == ("demo", "lab.example.com") and rig.cluster[
                "id"
            ] != UNKNOWN
            endpoint = {
                "url": "https://api-int.demo.lab.example.com:22623/config/worker",
                "ca_certificate": base64.b64encode(CERTIFICATE.encode()).decode(),
            }
            body = {
                "user_managed_networking": True,
                "ignition_endpoint": endpoint,
                "api_vips": None,
                "olm_operators": None,
            }
            await rig.user.patch(f"/clusters/{rig.cluster['id']}", body)
            await rig.user.post(
                "/infra-envs", {"name": "x", "pull_secret": PULL_SECRET, "cluster_id": rig.cluster["id"]}
            )
            agent = ScriptedAgent(rig.agent, Machine(1), rig.clock)
            agent.reply_api_vip_connectivity_check = lambda args: {
                "is_success": True,
                "url": json.loads(args[0])["url"],
            }  # type: ignore[attr-defined]
            _, host = await agent.register()
            assert (host["kind"], host["role"]) == ("AddToExistingClusterHost", "worker")
            for _ in range(3):
                await agent.poll()
            assert (await rig.user.get(agent.path))["status"] == "known"
            installing = await rig.user.post(f"{agent.path}/actions/install", expect=202)
            assert installing["status"] == "installing"
            for stage in ("Starting installation", "Installing", "Writing image to disk", "Rebooting"):
                assert (await agent.progress(stage))[0] == 200
            host = await rig.user.get(agent.path)
            assert (host["status"], host["progress"]["current_stage"]) == ("added-to-existing-cluster", "Done")

    run(flow())
