# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test the reserve of a pool: hosts that the hub's controllers take for updates, repair and autoscaling without a run.
The tests share one lab, and each of them begins with runs that scale the pools to the sizes that it needs.
"""

from __future__ import annotations

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.kube.client import KubeClient

from .conftest import MakeLab
from .hosted import CONFIRMED, HOSTED_CLUSTER, POOLS, Site, labelled, make_site, node_pool, settled, state, until

NEWER = {"spec": {"release": {"image": "quay.io/openshift-release-dev/ocp-release:4.22.1-x86_64"}}}
GUEST = {"upgrade_type": "Replace"}
# The controllers replace a host of the lab that is off for 5 minutes.
QUICK = {
    "hypershift.openshift.io/machine-health-check-timeout": "5m",
    "hypershift.openshift.io/machine-health-check-node-startup-timeout": "60m",
}


@pytest.fixture(scope="module")
def site(make_lab: MakeLab, tmp_path_factory: pytest.TempPathFactory) -> Site:
    return make_site(make_lab, tmp_path_factory.mktemp("reserve"))


@pytest.fixture(scope="module")
def hub(site: Site) -> KubeClient:
    return KubeClient.from_kubeconfig(site.lab.hub_kubeconfig())


def two_nodes(site: Site, **settings: object) -> None:
    """The pool as most tests begin, whichever of them ran before."""
    site.played("deploy_cluster", openshift_node_pool={"replicas": 2, **GUEST})
    site.played(
        "scale_node_pool",
        openshift_node_pool={"replicas": 2, "auto_scaling": {}, "auto_repair": False, **settings, **GUEST},
        **CONFIRMED,
    )


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
    two_nodes(site)
    site.scaled(name="plain", replicas=1)
    before = site.nodes()
    hub.merge_patch(HOSTED_CLUSTER, NEWER)
    until(
        lambda: hub.get(HOSTED_CLUSTER)["status"]["version"]["history"][0]["state"] == "Completed",
        lambda: "the hosted cluster",
    )
    for pool in ("guest", "plain"):
        hub.merge_patch(f"{POOLS}/{pool}", NEWER)
    until(
        lambda: settled(hub, "guest", 2) and settled(hub, "plain", 1),
        lambda: (state(hub), state(hub, "plain"), labelled(hub)),
    )
    until(lambda: sorted(labelled(hub).values()) == [False, False, True], lambda: labelled(hub))
    assert len(site.nodes()) == 3 and site.nodes() != before


def test_a_host_without_power_is_replaced(site: Site, hub: KubeClient) -> None:
    two_nodes(site, auto_repair=True, annotations=QUICK)
    assert sorted(labelled(hub).values()) == [False, False, True, True]
    lost = next(name for name, free in labelled(hub).items() if not free)
    machine = lost.partition(".")[0]
    site.lab.power("off", machine)
    until(
        lambda: settled(hub, "guest", 2) and lost not in site.nodes(), lambda: (state(hub), site.nodes(), labelled(hub))
    )
    # The machine comes back with the next run, and completes the reserve.
    site.scaled(replicas=2, auto_repair=True, annotations=QUICK, **GUEST)
    assert sorted(labelled(hub).values()) == [False, False, True, True] and site.states()[machine] != "off"


def test_the_autoscaler_finds_hosts_up_to_its_maximum(site: Site, hub: KubeClient) -> None:
    two_nodes(site, auto_repair=True, annotations=QUICK)
    run = site.scaled(auto_scaling={"min": 2, "max": 3}, **GUEST)
    assert sorted(labelled(hub).values()) == [False, False, True, True, True], run.output
    guest = KubeClient.from_kubeconfig(site.lab.kubeconfig("guest"))
    # One more than the nodes of all pools can run.
    pods = range(len(site.nodes()) + 1)
    for number in pods:
        requests = {"resources": {"requests": {"cpu": "7"}}}
        spec = {"containers": [{"name": "a", "image": "b", **requests}]}
        guest.create(
            "/api/v1/namespaces/default/pods",
            {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": f"load-{number}"}, "spec": spec},
        )
    until(lambda: settled(hub, "guest", 3), lambda: (state(hub), labelled(hub)))
    for number in pods:
        guest.delete(f"/api/v1/namespaces/default/pods/load-{number}")
    until(lambda: settled(hub, "guest", 2), lambda: (state(hub), labelled(hub)))
    until(lambda: sum(labelled(hub).values()) == 3, lambda: labelled(hub))


def test_autoscaling_ends_with_a_size_in_one_step(site: Site, hub: KubeClient) -> None:
    two_nodes(site)
    site.scaled(auto_scaling={"min": 2, "max": 3}, **GUEST)
    site.scaled("--check", auto_scaling={}, replicas=3, **GUEST)
    site.scaled(auto_scaling={}, replicas=3, **GUEST)
    spec = node_pool(hub)["spec"]
    assert (spec["replicas"], "autoScaling" in spec, state(hub)["replicas"]) == (3, False, 3)
    again = site.scaled(auto_scaling={}, replicas=3, **GUEST)
    assert again.changed == 0, again.output
    smaller = site.played(
        "scale_node_pool", openshift_node_pool={"auto_scaling": {}, "replicas": 1, **GUEST}, **CONFIRMED
    )
    assert state(hub)["replicas"] == 1, smaller.output
