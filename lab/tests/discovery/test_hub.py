# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test discovery through the hub's Kubernetes API: machines boot the images of the image service and register as
Agents.
"""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import yaml
from ztlab.hub.names import (
    AGENT,
    CLUSTER_DEPLOYMENT,
    CLUSTER_INSTALL,
    INFRA_ENV,
    INFRA_ENV_LABEL,
    NMSTATE_CONFIG,
    Object,
)

from ..hub.flow import install_spec, order_cluster, state
from ..hub.rig import Rig, condition, hub_rig
from .rig import machine, nmstate, run

CLUSTER = "spoke"
DOMAIN = "spoke.lab.example.com"
SPEED = 100.0


def site(count: int) -> dict[str, Any]:
    records = {
        f"api.{DOMAIN}": "192.168.111.5",
        f"api-int.{DOMAIN}": "192.168.111.5",
        f"*.apps.{DOMAIN}": "192.168.111.6",
    }
    network = {
        "name": "machines",
        "cidr": "192.168.111.0/24",
        "dns": {"servers": ["192.168.111.1"], "records": records},
    }
    hub = {"address": "192.168.111.3", "base_domain": "hub.example.com"}
    return {"networks": [network], "machines": [machine(number) for number in range(count)], "hub": hub}


async def image(rig: Rig, count: int) -> Object:
    """NMStateConfigs of all machines, then the InfraEnv that selects them."""
    labels = {INFRA_ENV_LABEL: "fleet"}
    for number in range(count):
        element = nmstate(number)
        interfaces = [
            {"name": entry["logical_nic_name"], "macAddress": entry["mac_address"]}
            for entry in element["mac_interface_map"]
        ]
        await rig.create(
            NMSTATE_CONFIG,
            f"fleet-{number}",
            {"interfaces": interfaces, "config": yaml.safe_load(element["network_yaml"])},
            metadata={"labels": labels},
        )
    await rig.create(
        INFRA_ENV,
        "fleet",
        {"pullSecretRef": {"name": "pull-secret"}, "nmStateConfigLabelSelector": {"matchLabels": labels}},
    )
    await rig.until(
        INFRA_ENV,
        "fleet",
        lambda item: condition(item, "ImageCreated")[0] == "True" and item["status"].get("isoDownloadURL"),
    )
    return await settled(rig)


async def settled(rig: Rig) -> Object:
    """The InfraEnv once its URL has not changed for a minute of the lab.

    Source: docs/upstream/infrastructure-operator.md#what-a-client-does.
    """
    while True:
        before = (await rig.get(INFRA_ENV, "fleet"))["status"]["isoDownloadURL"]
        await rig.lab.clock.sleep(60)
        item = await rig.get(INFRA_ENV, "fleet")
        if item["status"]["isoDownloadURL"] == before:
            return item


def boot(rig: Rig, number: int, url: str) -> str:
    """Boot a machine from the image; its Agent's name."""
    found = rig.lab.machines[f"rack-{number}"]
    found.cd.insert(url)
    found.boot.target, found.boot.enabled = "Cd", "Once"
    found.reset("On" if found.power_state == "Off" else "ForceRestart")
    return found.spec.system_uuid


async def adopt(rig: Rig, agent: str, number: int, role: str) -> None:
    """Name, approve and bind an Agent."""
    await rig.until(AGENT, agent, lambda item: state(item) in ("known-unbound", "insufficient-unbound"))
    await rig.patch(AGENT, agent, {"spec": {"hostname": f"node-{number}", "role": role, "approved": True}})
    await rig.until(AGENT, agent, lambda item: state(item) == "known-unbound")
    await rig.patch(AGENT, agent, {"spec": {"clusterDeploymentName": {"namespace": "edge", "name": CLUSTER}}})


def nodes(rig: Rig) -> dict[str, str]:
    clusters = rig.lab.clusters.status()
    return dict(clusters[-1]["nodes"]) if clusters else {}


def consoles(rig: Rig) -> str:
    return "\n".join(f"--- {name}\n{rig.lab.paths.console(name).read_text()[-2500:]}" for name in rig.lab.machines)


def test_three_masters_and_a_worker_on_day_2(tmp_path: Path) -> None:
    async def flow() -> None:
        async with hub_rig(tmp_path, speed=SPEED, site=site(4)) as rig:
            spec = install_spec(CLUSTER, 3)
            networking = {**spec["networking"], "machineNetwork": [{"cidr": "192.168.111.0/24"}]}
            await order_cluster(
                rig, CLUSTER, 3, networking=networking, apiVIPs=["192.168.111.5"], ingressVIPs=["192.168.111.6"]
            )
            infra_env = await image(rig, 4)
            agents = [boot(rig, number, infra_env["status"]["isoDownloadURL"]) for number in range(3)]
            try:
                await asyncio.gather(*(adopt(rig, agent, number, "master") for number, agent in enumerate(agents)))
                await rig.until(
                    CLUSTER_INSTALL, CLUSTER, lambda item: condition(item, "Completed")[0] == "True", seconds=500
                )
            except AssertionError as error:
                raise AssertionError(f"{error}\n{consoles(rig)}") from error
            assert nodes(rig) == {f"node-{number}": "Ready" for number in range(3)}
            for agent in agents:
                item = await rig.until(AGENT, agent, lambda item: condition(item, "Installed")[0] == "True")
                assert item["status"]["progress"]["currentStage"] == "Done"
            await rig.until(CLUSTER_DEPLOYMENT, CLUSTER, lambda item: item["spec"].get("installed"))
            await rig.until(CLUSTER_INSTALL, CLUSTER, lambda item: state(item) == "adding-hosts")
            await _day2(rig)

    run(flow())


async def _day2(rig: Rig) -> None:
    """A further host: the hub approves its requests, because no BareMetalHost belongs to it; then it is reclaimed."""
    infra_env = await rig.get(INFRA_ENV, "fleet")
    agent = boot(rig, 3, infra_env["status"]["isoDownloadURL"])
    try:
        await adopt(rig, agent, 3, "worker")
        item = await rig.until(AGENT, agent, lambda item: state(item) == "added-to-existing-cluster", seconds=300)
    except AssertionError as error:
        raise AssertionError(f"{error}\n{consoles(rig)}") from error
    assert item["status"]["kind"] == "AddToExistingClusterHost"
    assert sorted(entry["type"] for entry in item["status"]["csrStatus"]["approvedCSRs"]) == ["client", "serving"]
    assert nodes(rig)["node-3"] == "Ready"
    await rig.patch(AGENT, agent, {"spec": {"clusterDeploymentName": None}})
    item = await rig.until(AGENT, agent, lambda item: state(item).startswith("reclaiming"))
    assert CLUSTER not in json.dumps(item["spec"])
    try:
        await rig.until(
            AGENT,
            agent,
            lambda item: state(item) in ("discovering-unbound", "insufficient-unbound", "known-unbound"),
            seconds=300,
        )
    except AssertionError as error:
        raise AssertionError(f"{error}\n{consoles(rig)}") from error
    text = rig.lab.paths.console("rack-3").read_text()
    assert "next_step_runner: reboot-for-reclaim" in text and "Boot loader entry for one start" in text
    assert rig.lab.machines["rack-3"].boots[-1] == "disk:sda", "its BMC got no request"
    kind = rig.lab.clusters.by_domain(DOMAIN)
    assert kind is not None
    await rig.lab.clock.until(lambda: not kind.api.store.exists(kind.api.nodes.node_kind, "node-3"), limit=2000)
    assert not kind.api.store.exists(kind.api.nodes.node_kind, "node-3"), "the Node of a host that left is taken away"
