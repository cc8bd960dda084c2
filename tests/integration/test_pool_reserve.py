# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Pools that playbooks made, and what the hub's controllers then do with them by themselves: no run is between the cause and its end. The tests share one
lab and build on each other.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.kube.client import KubeClient

from .conftest import MakeLab
from .hosted import CONFIRMED, Site, make_site

POOLS = "/apis/hypershift.openshift.io/v1beta1/namespaces/clusters"
AGENTS = "/apis/agent-install.openshift.io/v1beta1/namespaces/fleet/agents"
LABEL = "zerotouch.openshift/node-pool"
NEWER = {"spec": {"release": {"image": "quay.io/openshift-release-dev/ocp-release:4.22.1-x86_64"}}}
# Wall clock seconds; the lab is sixty times as fast.
LONGEST = 240.0
GUEST = {"upgrade_type": "Replace"}
# The controllers replace a host of the lab that is off for 5 minutes.
QUICK = {"hypershift.openshift.io/machine-health-check-timeout": "5m", "hypershift.openshift.io/machine-health-check-node-startup-timeout": "60m"}


@pytest.fixture(scope="module")
def site(make_lab: MakeLab, tmp_path_factory: pytest.TempPathFactory) -> Site:
    return make_site(make_lab, tmp_path_factory.mktemp("reserve"))


@pytest.fixture(scope="module")
def hub(site: Site) -> KubeClient:
    return KubeClient.from_kubeconfig(site.lab.hub_kubeconfig())


def until(holds: Callable[[], bool], what: Callable[[], object]) -> None:
    end = time.monotonic() + LONGEST
    while not holds():
        assert time.monotonic() < end, what()
        time.sleep(0.5)


def labelled(hub: KubeClient, pool: str = "guest") -> dict[str, bool]:
    """Hostname of each Agent with the label of the pool, and whether it is free."""
    found = [agent for agent in hub.list(AGENTS) if (agent["metadata"].get("labels") or {}).get(LABEL) == f"clusters.{pool}"]
    return {agent["spec"].get("hostname", ""): not agent["spec"].get("clusterDeploymentName") for agent in found}


def agent_of(hub: KubeClient, hostname: str) -> str:
    return next(str(agent["metadata"]["name"]) for agent in hub.list(AGENTS) if agent["spec"].get("hostname") == hostname)


def state(hub: KubeClient, pool: str = "guest") -> dict[str, Any]:
    found = hub.find(f"{POOLS}/nodepools/{pool}") or {}
    conditions = {each["type"]: each["status"] for each in found["status"]["conditions"]}
    return {"version": found["status"].get("version"), "replicas": found["status"].get("replicas"), **conditions}


def settled(hub: KubeClient, pool: str, version: str, replicas: int) -> bool:
    found = state(hub, pool)
    well = found["AllMachinesReady"] == found["AllNodesHealthy"] == "True" and found["UpdatingVersion"] == "False"
    return well and (found["version"], found["replicas"]) == (version, replicas)


def test_the_reserve_is_booted_and_labelled(site: Site, hub: KubeClient) -> None:
    """Two nodes and one host for the surge; the pool that is updated in place has none."""
    planned = site.play("deploy_cluster", "--check", openshift_node_pool={"replicas": 2, **GUEST})
    assert "into discovery: it has no Agent (for the reserve)" in planned.output, planned.output
    site.played("deploy_cluster", openshift_node_pool={"replicas": 2, **GUEST})
    assert sorted(labelled(hub).values()) == [False, False, True]
    site.scaled(name="plain", replicas=1)
    assert list(labelled(hub, "plain").values()) == [False]
    assert sum(phase != "off" for phase in site.states().values()) == 4
    writes = site.lab.writes()
    assert site.scaled(replicas=2, **GUEST).changed == 0 and site.scaled(name="plain", replicas=1).changed == 0
    assert site.lab.writes() == writes


def test_an_update_ends_by_itself(site: Site, hub: KubeClient) -> None:
    """Each new Machine takes the free host with the label; the host that it replaces is the next one."""
    before = site.nodes()
    hub.merge_patch(f"{POOLS}/hostedclusters/guest", NEWER)
    until(lambda: hub.find(f"{POOLS}/hostedclusters/guest")["status"]["version"]["history"][0]["state"] == "Completed", lambda: "the hosted cluster")  # type: ignore[index]
    for pool in ("guest", "plain"):
        hub.merge_patch(f"{POOLS}/nodepools/{pool}", NEWER)
    until(lambda: settled(hub, "guest", "4.22.1", 2) and settled(hub, "plain", "4.22.1", 1), lambda: (state(hub), state(hub, "plain"), labelled(hub)))
    until(lambda: sorted(labelled(hub).values()) == [False, False, True], lambda: labelled(hub))
    assert len(site.nodes()) == 3 and site.nodes() != before


def test_a_host_without_power_is_replaced(site: Site, hub: KubeClient) -> None:
    site.scaled(replicas=2, auto_repair=True, annotations=QUICK, **GUEST)
    assert sorted(labelled(hub).values()) == [False, False, True, True]
    lost = next(name for name, free in labelled(hub).items() if not free)
    machine = lost.partition(".")[0]
    site.lab.power("off", machine)
    until(lambda: settled(hub, "guest", "4.22.1", 2) and lost not in site.nodes(), lambda: (state(hub), site.nodes(), labelled(hub)))
    assert len(site.nodes()) == 3
    # The machine comes back with the next run, and completes the reserve.
    site.scaled(replicas=2, auto_repair=True, annotations=QUICK, **GUEST)
    assert sorted(labelled(hub).values()) == [False, False, True, True] and site.states()[machine] != "off"


def test_the_autoscaler_finds_hosts_up_to_its_maximum(site: Site, hub: KubeClient) -> None:
    run = site.scaled(auto_scaling={"min": 2, "max": 3}, **GUEST)
    assert sorted(labelled(hub).values()) == [False, False, True, True, True], run.output
    guest = KubeClient.from_kubeconfig(site.lab.kubeconfig("guest"))
    for number in range(3):
        requests = {"resources": {"requests": {"cpu": "7"}}}
        spec = {"containers": [{"name": "a", "image": "b", **requests}]}
        guest.create("/api/v1/namespaces/default/pods", {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": f"load-{number}"}, "spec": spec})
    until(lambda: settled(hub, "guest", "4.22.1", 3), lambda: (state(hub), labelled(hub)))
    for number in range(3):
        guest.delete(f"/api/v1/namespaces/default/pods/load-{number}")
    until(lambda: settled(hub, "guest", "4.22.1", 2), lambda: (state(hub), labelled(hub)))
    until(lambda: sum(labelled(hub).values()) == 3, lambda: labelled(hub))


def test_hosts_are_exchanged_while_the_autoscaler_decides(site: Site, hub: KubeClient) -> None:
    """One run, with a confirmation. The pool keeps its size; another free host takes the place, and the old one is the reserve."""
    before = {name for name, free in labelled(hub).items() if not free}
    lost = sorted(before)[0]
    exchange = {"auto_scaling": {"min": 2, "max": 3}, "replace_hosts": [lost], **GUEST}
    refused = site.play("scale_node_pool", openshift_node_pool=exchange)
    assert not refused.ok and "-e openshift_confirm=guest" in refused.message and f"would be replaced: {lost}" in refused.message, refused.output
    planned = site.played("scale_node_pool", "--check", openshift_node_pool=exchange, **CONFIRMED)
    assert f"would drain Node {lost}" in planned.output and "would replace Machine" in planned.output, planned.output
    assert {name for name, free in labelled(hub).items() if not free} == before
    site.played("scale_node_pool", openshift_node_pool=exchange, **CONFIRMED)
    after = {name for name, free in labelled(hub).items() if not free}
    assert settled(hub, "guest", "4.22.1", 2) and len(after) == 2 and lost not in after


def test_autoscaling_ends_with_a_size_in_one_step(site: Site, hub: KubeClient) -> None:
    site.scaled("--check", auto_scaling={}, replicas=3, **GUEST)
    site.scaled(auto_scaling={}, replicas=3, **GUEST)
    spec = hub.find(f"{POOLS}/nodepools/guest")["spec"]  # type: ignore[index]
    assert (spec["replicas"], "autoScaling" in spec, state(hub)["replicas"]) == (3, False, 3)
    again = site.scaled(auto_scaling={}, replicas=3, **GUEST)
    assert again.changed == 0, again.output
    smaller = site.played("scale_node_pool", openshift_node_pool={"auto_scaling": {}, "replicas": 1, **GUEST}, **CONFIRMED)
    assert state(hub)["replicas"] == 1, smaller.output


def test_the_only_host_is_exchanged_for_itself(site: Site, hub: KubeClient) -> None:
    """No other machine is for this pool: its host leaves, boots through its BMC, and is installed again."""
    (name,) = labelled(hub, "plain")
    site.lab.fault("reclaim-fails", name.partition(".")[0], count=0)
    pool = {"name": "plain", "replace_hosts": [name], "candidates": {"matchLabels": {"only": "this"}}}
    hub.merge_patch(f"{AGENTS}/{agent_of(hub, name)}", {"metadata": {"labels": {"only": "this"}}})
    writes = site.lab.writes()
    site.played("scale_node_pool", openshift_node_pool=pool, **CONFIRMED)
    site.lab.clear_faults()
    assert list(labelled(hub, "plain").items()) == [(name, False)] and settled(hub, "plain", "4.22.1", 1)
    assert site.lab.writes() != writes
