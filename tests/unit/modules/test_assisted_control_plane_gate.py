# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""The safety decision of module assisted_control_plane, directly before its first write: the hub has changed since
module touch_check decided.
"""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.capi.assisted import run as control_plane_run
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.entry_point import Call, perform
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.safety import gather
from ansible_collections.zerotouch.openshift.plugins.modules import assisted_control_plane
from ansible_collections.zerotouch.openshift.tests.support.hub.assisted_cluster import (
    NS,
    AssistedHub,
    description,
    host,
    pool,
)

NAMES = [f"host-{number}" for number in range(1, 6)]
POOL_OF_MACHINE = "cluster.x-k8s.io/deployment-name"


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> AssistedHub:
    made = AssistedHub()
    for place in (control_plane_run, gather):
        name = "connect" if place is control_plane_run else "connect_hub"
        # The evidence is read by a client that writes nothing.
        monkeypatch.setattr(place, name, lambda *_args, **_options: made)
    # Nodes are evidence of their own: tests/unit/deployment/safety.
    monkeypatch.setattr(gather, "_installed_by", lambda *_args: None)
    return made


def touch(*, confirm: bool = False) -> dict[str, Any]:
    return {
        "method": "capi",
        "cluster_name": "c1",
        "confirm": ["c1"] if confirm else [],
        "command": "scale_node_pool",
        "hosts": [
            {"name": each["name"], "mac_addresses": [each["boot_mac_address"]]} for each in description()["hosts"]
        ],
        "hub": {"namespace": NS, "cluster": {"namespace": NS, "name": "c1"}, "bare_metal_hosts": True},
    }


def run(*, confirm: bool = False, **options: Any) -> dict[str, Any]:
    params = {name: spec.get("default") for name, spec in assisted_control_plane.argument_spec().items()}
    decided = {"touch": touch(confirm=confirm), "touch_hosts": NAMES, "forks": 1, "timeout": 0.0}
    return perform(assisted_control_plane.run, Call({**params, **description(), **decided, **options}))


def others(number: int, *, by: str = "mac") -> dict[str, Any]:
    """A BareMetalHost of another team for the machine of a host."""
    of_host = host(number)
    spec = (
        {"bootMACAddress": of_host["boot_mac_address"]}
        if by == "mac"
        else {"bmc": {"address": of_host["bmc"]["address"]}}
    )
    return {"metadata": {"name": f"rack-{number}", "namespace": "metal-team"}, "spec": spec}


def deployed(hub: AssistedHub, machines: tuple[int, ...] = (4, 5)) -> None:
    """Installed, with a Machine at each worker host."""
    assert not run()["failed"]
    hub.state("adding-hosts")
    hub.ready()
    for number in machines:
        put_machine(hub, number)


def put_machine(hub: AssistedHub, number: int, name: str = "", *, used: bool = True) -> None:
    name = name or f"m-{number}"
    labels = {"cluster.x-k8s.io/cluster-name": "c1", POOL_OF_MACHINE: "workers"}
    reference = {"kind": "Metal3Machine", "name": name}
    hub.put(
        "machines",
        {
            "metadata": {"name": name, "namespace": NS, "labels": labels},
            "spec": {"clusterName": "c1", "infrastructureRef": reference},
        },
    )
    if used:
        hub.change("baremetalhosts", f"host-{number}", {"spec": {"consumerRef": reference}}, NS)


def test_what_was_decided_is_written(hub: AssistedHub) -> None:
    assert run()["changed"] and len([key for key in hub.objects if key[0] == "baremetalhosts"]) == 5
    assert not run()["changed"]


@pytest.mark.parametrize("by", ["mac", "address"])
def test_another_owner_has_a_machine_by_now(hub: AssistedHub, by: str) -> None:
    hub.put("baremetalhosts", others(5, by=by))
    refused = run()
    assert refused["failed"] and not hub.writes, hub.writes
    assert "No machine was touched" in refused["msg"] and "BareMetalHost metal-team/rack-5" in refused["msg"]


def test_a_host_about_which_nothing_was_decided(hub: AssistedHub) -> None:
    """Its BareMetalHost was there when the run began."""
    refused = run(touch_hosts=NAMES[:4])
    assert refused["failed"] and "host-5: no decision was taken" in refused["msg"] and not hub.writes


def test_another_owner_has_a_free_host_when_its_pool_grows(hub: AssistedHub) -> None:
    deployed(hub, machines=(4,))
    hub.put("baremetalhosts", others(5))
    count = len(hub.writes)
    refused = run(machine_deployments=[pool(replicas=3)])
    assert refused["failed"] and "metal-team/rack-5" in refused["msg"] and len(hub.writes) == count


def test_a_host_that_leaves_has_another_owner_by_now(hub: AssistedHub) -> None:
    deployed(hub)
    hub.put("baremetalhosts", others(5))
    count = len(hub.writes)
    less = {"machine_deployments": [pool(replicas=1)], "delete_first": ["m-5"]}
    for options in (less, {"recreate": ["m-5"]}):
        refused = run(confirm=True, **options)
        assert refused["failed"] and "metal-team/rack-5" in refused["msg"] and len(hub.writes) == count


def test_a_machine_of_another_cluster_has_taken_the_host(hub: AssistedHub) -> None:
    """Its BareMetalHost is free no more: it is neither released nor deleted with the cluster."""
    deployed(hub)
    hub.change("baremetalhosts", "host-5", {"metadata": {"labels": {"cluster.x-k8s.io/cluster-name": "c2"}}}, NS)
    count = len(hub.writes)
    refused = run(confirm=True, recreate=["m-5"])
    assert refused["failed"] and f"a Machine of cluster {NS}/c2 uses" in refused["msg"] and len(hub.writes) == count
    refused = run(confirm=True, state="absent")
    assert refused["failed"] and "machines of another owner" in refused["msg"] and len(hub.writes) == count


def test_a_pool_that_has_grown_since_loses_no_machine_that_was_not_judged(hub: AssistedHub) -> None:
    """Another tool scales the pool up after the plan: the smaller number would take out more than the marked one."""
    deployed(hub)
    put_machine(hub, 3, "m-new")
    hub.change("machinedeployments", "workers", {"spec": {"replicas": 3}}, NS)
    hub.put("baremetalhosts", others(3))
    count = len(hub.writes)
    less = {"machine_deployments": [pool(replicas=1)], "delete_first": ["m-5"]}
    refused = run(confirm=True, **less)
    assert refused["failed"] and "host-3" in refused["msg"] and len(hub.writes) == count


def test_hosts_that_leave_need_the_confirmation(hub: AssistedHub) -> None:
    """Those of a pool that gets another template, too: all its hosts are installed again."""
    deployed(hub)
    count = len(hub.writes)
    less = {"machine_deployments": [pool(replicas=1)], "delete_first": ["m-5"]}
    other = {"metal3": {**description()["metal3"], "node_reuse": True}, "replace_machines": True}
    for options, named in ((less, ("host-5",)), ({"recreate": ["m-4"]}, ("host-4",)), (other, ("host-4", "host-5"))):
        refused = run(**options)
        assert refused["failed"] and "openshift_confirm=c1" in refused["msg"], refused["msg"]
        assert all(name in refused["msg"] for name in named) and len(hub.writes) == count
    refused = run(state="absent")
    assert refused["failed"] and "openshift_confirm=c1" in refused["msg"] and len(hub.writes) == count
    for options in (less, {"recreate": ["m-4"]}, {"state": "absent"}):
        assert not run(confirm=True, **options)["failed"]


def test_a_host_is_judged_again_before_its_host_is_released(hub: AssistedHub) -> None:
    """The drain may have taken an hour."""
    deployed(hub)
    hub.remove("machines", NS, "m-5")
    hub.change("baremetalhosts", "host-5", {"spec": {"consumerRef": None}}, NS)
    hub.put("baremetalhosts", others(5))
    rest = [each for each in description()["hosts"] if each["name"] != "host-5"]
    refused = run(confirm=True, hosts=rest, release_hosts=["host-5"], timeout=60.0)
    assert refused["failed"] and "metal-team/rack-5" in refused["msg"]
    assert ("baremetalhosts", NS, "host-5") in hub.objects
