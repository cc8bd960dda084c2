# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test how a playbook continues with a cluster of Cluster API: one case for each situation on the hub, and for each
moment at which a run can end.
"""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.capi.desired import PoolOfHosts
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.capi.resume import (
    CapiDecision,
    CapiRequest,
    CapiView,
    MachineOnHub,
    decide,
)

CONTROL_PLANE = PoolOfHosts("control-plane", ("m-0", "m-1", "m-2"))
WORKERS = PoolOfHosts("workers", ("w-0", "w-1", "w-2", "w-3"), 2)
POOLS = (CONTROL_PLANE, WORKERS)
ALL = frozenset([*CONTROL_PLANE.hosts, *WORKERS.hosts])


def machine(host: str, pool: str = "workers", **more: Any) -> MachineOnHub:
    return MachineOnHub("machine-of-" + (host or "nothing"), pool, host, host, "Running", **more)


MASTERS = tuple(machine(f"m-{number}", "control-plane", created=f"2026-01-0{number + 1}") for number in range(3))
INSTALLED = CapiView(
    cluster="edge/edge",
    exists=True,
    installed=True,
    sizes={"control-plane": 3, "workers": 2},
    machines=(*MASTERS, machine("w-0"), machine("w-1")),
    hosts=ALL,
)


def request(purpose: str, *names: str, **more: Any) -> CapiRequest:
    return CapiRequest(purpose, POOLS, names, **more)  # type: ignore[arg-type]


def steps(decision: CapiDecision) -> dict[str, str]:
    return {step.name: step.action for step in decision.hosts}


def test_a_new_cluster_has_all_hosts() -> None:
    decision = decide(CapiView("edge/edge"), request("install"))
    assert decision.sizes == {"control-plane": 3, "workers": 2} and decision.stop is None
    assert set(decision.boot_hosts) == set(decision.touch_hosts) == set(decision.described) == ALL


def test_an_interrupted_deployment_goes_on_with_the_same() -> None:
    """Killed after some BareMetalHosts, and after the pools."""
    for hosts, sizes in (
        (frozenset({"m-0", "w-0"}), {}),
        (ALL, {"workers": 2}),
        (ALL, {"control-plane": 3, "workers": 2}),
    ):
        decision = decide(CapiView("edge/edge", exists=bool(sizes), hosts=hosts, sizes=sizes), request("install"))
        assert decision.sizes == {"control-plane": 3, "workers": 2}
        assert set(decision.boot_hosts) == ALL - hosts and set(decision.described) == ALL


def test_an_installed_cluster_stays_as_it_is() -> None:
    view = dataclasses.replace(INSTALLED, sizes={"control-plane": 3, "workers": 4}, hosts=ALL - {"w-3"})
    decision = decide(view, request("install"))
    assert decision.sizes == {} and not decision.touch_hosts
    assert {step.name: step.reason for step in decision.hosts}["w-3"] == (
        "edge/edge is installed without it; add_hosts adds it"
    )
    assert "w-3" not in decision.described


def test_a_new_pool_of_an_installed_cluster() -> None:
    pools = (*POOLS, PoolOfHosts("gpu", ("g-0",)))
    decision = decide(INSTALLED, CapiRequest("install", pools))
    assert decision.sizes == {"gpu": 1} and decision.boot_hosts == ["g-0"]


def test_a_failed_installation_is_for_the_safety_table() -> None:
    decision = decide(dataclasses.replace(INSTALLED, installed=False, failure="error"), request("install"))
    assert set(decision.touch_hosts) == ALL


def test_a_host_of_another_owner_is_for_the_safety_table() -> None:
    decision = decide(
        CapiView("edge/edge", elsewhere={"m-0": "BareMetalHost edge/m-0 is not one of this cluster"}),
        request("install"),
    )
    assert steps(decision)["m-0"] == "skip" and "m-0" in decision.touch_hosts and "m-0" not in decision.described


def test_user_templates_have_no_hosts() -> None:
    decision = decide(CapiView("edge/edge"), request("install", metal3=False))
    assert decision.hosts == () and decision.sizes == {"control-plane": 3, "workers": 2}
    assert decide(INSTALLED, request("scale", pool="workers", replicas=9, metal3=False)).sizes == {"workers": 9}
    for purpose in ("add", "remove", "reprovision"):
        stop = decide(INSTALLED, request(purpose, "w-0", metal3=False)).stop
        assert stop is not None and "Use scale_node_pool." in str(stop)


@pytest.mark.parametrize("installed", [False, True])
def test_pools_without_a_number_keep_their_size(installed: bool) -> None:
    """The user or an autoscaler has scaled them, before or after the installation."""
    pools = (PoolOfHosts("control-plane"), PoolOfHosts("workers"), PoolOfHosts("gpu", (), 1))
    wanted = CapiRequest("install", pools, metal3=False)
    view = dataclasses.replace(INSTALLED, installed=installed, sizes={"control-plane": 5, "workers": 7, "gpu": 4})
    assert decide(view, wanted).sizes == ({} if installed else {"gpu": 1})
    # A new pool has none: an autoscaler raises it.
    view = dataclasses.replace(view, sizes={"control-plane": 5, "gpu": 4})
    assert decide(view, wanted).sizes["workers"] == 0


def test_a_new_control_plane_needs_a_number() -> None:
    stop = decide(CapiView("edge/edge"), CapiRequest("install", (PoolOfHosts("control-plane"),), metal3=False)).stop
    assert "Set openshift_capi.control_plane.replicas." in str(stop)


@pytest.mark.parametrize("purpose", ["scale", "add", "remove", "reprovision"])
def test_nothing_changes_before_the_cluster_is_installed(purpose: str) -> None:
    stop = decide(
        dataclasses.replace(INSTALLED, installed=False), request(purpose, "w-0", pool="workers", replicas=3)
    ).stop
    assert stop is not None and "Run deploy_cluster first." in str(stop)


def test_growing_takes_free_hosts_first() -> None:
    view = dataclasses.replace(INSTALLED, hosts=ALL - {"w-2"})
    decision = decide(view, request("scale", pool="workers", replicas=3))
    assert decision.sizes == {"workers": 3} and decision.boot_hosts == []
    decision = decide(view, request("scale", pool="workers", replicas=4))
    assert decision.boot_hosts == decision.touch_hosts == ["w-2"] and "w-2" in decision.described
    stop = decide(view, request("scale", pool="workers", replicas=6)).stop
    assert str(stop).startswith("Pool workers needs 2 more hosts for 6 Machines.")


def test_an_interrupted_growth_is_unchanged() -> None:
    waiting = MachineOnHub("new", "workers", phase="Pending")
    view = dataclasses.replace(
        INSTALLED, sizes={**INSTALLED.sizes, "workers": 3}, machines=(*INSTALLED.machines, waiting)
    )
    decision = decide(view, request("scale", pool="workers", replicas=3))
    assert decision.sizes == {"workers": 3} and not decision.touch_hosts


def test_shrinking_chooses_named_hosts_then_the_last_of_the_inventory() -> None:
    assert decide(INSTALLED, request("scale", pool="workers", replicas=1)).leaving == ("w-1",)
    decision = decide(INSTALLED, request("scale", "w-0", pool="workers", replicas=1))
    assert (
        decision.leaving == ("w-0",)
        and decision.delete_first == ("machine-of-w-0",)
        and decision.touch_hosts == ["w-0"]
    )
    # Without a number the pool loses the hosts that are named.
    assert decide(INSTALLED, request("scale", "w-0", pool="workers")).sizes == {"workers": 1}
    broken = dataclasses.replace(
        INSTALLED, machines=(*MASTERS, dataclasses.replace(machine("w-0"), node=""), machine("w-1"))
    )
    assert decide(broken, request("scale", pool="workers", replicas=1)).leaving == ("w-0",)


def test_an_interrupted_shrinking_deletes_no_more() -> None:
    """Killed after the pool has its new size, before Cluster API has begun to delete the Machine; and while it is
    deleted.
    """
    ordered = dataclasses.replace(INSTALLED, sizes={**INSTALLED.sizes, "workers": 1})
    deleting = dataclasses.replace(ordered, machines=(*MASTERS, machine("w-0"), machine("w-1", deleting=True)))
    for view in (ordered, deleting):
        decision = decide(view, request("scale", pool="workers", replicas=1))
        assert decision.sizes == {"workers": 1} and decision.leaving == ()


def test_the_oldest_machine_of_the_control_plane_leaves() -> None:
    view = dataclasses.replace(INSTALLED, sizes={"control-plane": 3}, machines=MASTERS)
    decision = decide(view, request("scale", pool="control-plane", replicas=2))
    assert decision.leaving == ("m-0",) and decision.delete_first == ()
    stop = decide(view, request("scale", "m-2", pool="control-plane", replicas=2)).stop
    assert stop is not None and "cannot be chosen" in str(stop)


def test_an_unknown_pool() -> None:
    assert "control-plane, workers" in str(decide(INSTALLED, request("scale", pool="gpu", replicas=1)).stop)


def test_hosts_are_added_once() -> None:
    """Before the run, after the BareMetalHost, after the size, and once the Machine has the host."""
    known = dataclasses.replace(INSTALLED, hosts=ALL - {"w-2"})
    grown = dataclasses.replace(known, sizes={**INSTALLED.sizes, "workers": 3})
    waiting = MachineOnHub("new", "workers", phase="Pending")
    moments = [
        (dataclasses.replace(known, hosts=ALL - {"w-2", "w-3"}), {"workers": 3}),
        (known, {"workers": 3}),
        (grown, {}),
        (dataclasses.replace(grown, machines=(*INSTALLED.machines, waiting)), {}),
        (dataclasses.replace(grown, machines=(*INSTALLED.machines, machine("w-3"))), {}),
    ]
    for view, sizes in moments:
        decision = decide(view, request("add", "w-3"))
        assert decision.sizes == sizes and "w-3" in decision.described


def test_a_host_is_not_added_beside_another_free_one() -> None:
    """Metal3 chooses among the free hosts of a pool, so that it could install one that the user did not name."""
    view = dataclasses.replace(INSTALLED, hosts=ALL - {"w-3"})
    stop = decide(view, request("add", "w-3")).stop
    assert stop is not None and [host.name for host in stop.hosts] == ["w-2"] and "remove_hosts" in str(stop)
    # All free hosts are named, or get a Machine anyway.
    assert decide(view, request("add", "w-2", "w-3")).sizes == {"workers": 4}
    assert decide(dataclasses.replace(view, sizes={**view.sizes, "workers": 4}), request("add", "w-3")).stop is None
    assert decide(view, request("add", "w-0")).stop is None, "it has a Machine"
    # One that has left the inventory counts in the pool of its label.
    left = dataclasses.replace(view, hosts=view.hosts - {"w-2"} | {"old"}, pool_labels={"old": "workers"})
    assert "old" in str(decide(left, request("add", "w-3")).stop)
    other = dataclasses.replace(left, pool_labels={"old": "gpu"})
    assert decide(other, request("add", "w-3")).sizes == {"workers": 3}


def test_hosts_are_removed_once() -> None:
    """Before the run, after the size, while the Machine is deleted, once its host is free, and at the end."""
    smaller = {**INSTALLED.sizes, "workers": 1}
    moments = [
        (INSTALLED, {"workers": 1}, ("machine-of-w-0",)),
        (dataclasses.replace(INSTALLED, sizes=smaller), {}, ("machine-of-w-0",)),
        (
            dataclasses.replace(
                INSTALLED, sizes=smaller, machines=(*MASTERS, machine("w-0", deleting=True), machine("w-1"))
            ),
            {},
            (),
        ),
        (dataclasses.replace(INSTALLED, sizes=smaller, machines=(*MASTERS, machine("w-1"))), {}, ()),
        (
            dataclasses.replace(INSTALLED, sizes=smaller, machines=(*MASTERS, machine("w-1")), hosts=ALL - {"w-0"}),
            {},
            (),
        ),
    ]
    for view, sizes, marked in moments:
        decision = decide(view, request("remove", "w-0"))
        assert (decision.sizes, decision.delete_first, decision.release) == (sizes, marked, ("w-0",))
        assert "w-0" not in decision.described and decision.boot_hosts == []


def test_a_removed_host_that_was_never_there_needs_no_decision() -> None:
    decision = decide(dataclasses.replace(INSTALLED, hosts=ALL - {"w-3"}), request("remove", "w-3"))
    assert decision.touch_hosts == [] and decision.sizes == {}


@pytest.mark.parametrize("purpose", ["remove", "reprovision"])
def test_control_plane_hosts_stay(purpose: str) -> None:
    stop = decide(INSTALLED, request(purpose, "m-1")).stop
    assert stop is not None and [host.name for host in stop.hosts] == ["m-1"]
    assert "No host is named." in str(decide(INSTALLED, request(purpose)).stop)


def test_a_host_is_installed_again_by_another_machine() -> None:
    decision = decide(INSTALLED, request("reprovision", "w-0"))
    assert (
        decision.recreate == ("machine-of-w-0",)
        and decision.leaving == ("w-0",)
        and decision.sizes == {}
        and "w-0" in decision.described
    )
    deleting = dataclasses.replace(INSTALLED, machines=(*MASTERS, machine("w-0", deleting=True), machine("w-1")))
    assert decide(deleting, request("reprovision", "w-0")).recreate == ()
