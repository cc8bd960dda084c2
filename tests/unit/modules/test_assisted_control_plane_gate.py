# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test the safety decision of module assisted_control_plane directly before its first write, if the hub has changed
since module touch_check decided.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.capi.assisted import run as control_plane_run
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.entry_point import Call, perform
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.state import StateFile
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.safety import gather
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.safety.record import BOOTED, RELEASED, note
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.state.work_dir import inventory_host
from ansible_collections.zerotouch.openshift.plugins.modules import assisted_control_plane
from ansible_collections.zerotouch.openshift.tests.support.clock import Clock
from ansible_collections.zerotouch.openshift.tests.support.hub.assisted_cluster import (
    NS,
    AssistedHub,
    description,
    host,
    pool,
)

NAMES = [f"host-{number}" for number in range(1, 6)]
OTHER_MAC = "52:54:00:ff:ff:77"
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


def touch(*, confirm: bool = False, work_dir: Path | None = None) -> dict[str, Any]:
    return {
        "work_dir": str(work_dir) if work_dir else None,
        "method": "capi",
        "cluster_name": "c1",
        "confirm": ["c1"] if confirm else [],
        "command": "scale_node_pool",
        "hosts": [
            {"name": each["name"], "mac_addresses": [each["boot_mac_address"]]} for each in description()["hosts"]
        ],
        "hub": {"namespace": NS, "cluster": {"namespace": NS, "name": "c1"}, "bare_metal_hosts": True},
    }


def run(*, confirm: bool = False, work_dir: Path | None = None, **options: Any) -> dict[str, Any]:
    params = {name: spec.get("default") for name, spec in assisted_control_plane.argument_spec().items()}
    decided = {
        "touch": touch(confirm=confirm, work_dir=work_dir),
        "touch_hosts": NAMES,
        "forks": 1,
        "timeout": 0.0,
        "work_dir": str(work_dir) if work_dir else None,
    }
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
    assert refused["failed"] and "Not checked: host-5." in refused["msg"] and not hub.writes


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


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> None:
    made = Clock(tick=1.0)
    monkeypatch.setattr(Call, "clock", property(lambda _call: made))


def put_host(hub: AssistedHub, name: str, mac: str) -> None:
    """A BareMetalHost that a deployment with a Cluster of this name has created."""
    labels = {"app.kubernetes.io/managed-by": "zerotouch.openshift", "zerotouch.openshift/capi-cluster": "c1"}
    spec = {"bootMACAddress": mac} if mac else {}
    hub.put("baremetalhosts", {"metadata": {"name": name, "namespace": NS, "labels": labels}, "spec": spec})


def created(work_dir: Path) -> Any:
    return StateFile(work_dir / "state.json").section("hub").get("created")


def test_the_cluster_that_a_run_creates_is_recorded(hub: AssistedHub, tmp_path: Path) -> None:
    """One that exists is not: the hub may be another one."""
    assert not run(work_dir=tmp_path / "first")["failed"]
    uid = hub.at("clusters", "c1", NS)["metadata"]["uid"]
    assert uid and created(tmp_path / "first") == {f"Cluster {NS}/c1": uid}
    assert not run(work_dir=tmp_path / "second", machine_deployments=[pool(replicas=1)])["failed"]
    assert created(tmp_path / "second") is None
    StateFile(tmp_path / "first" / "state.json").update("install", {"phase": "defined"})
    hub.remove("clusters", NS, "c1")
    assert not run(work_dir=tmp_path / "first")["failed"]
    assert created(tmp_path / "first") == {f"Cluster {NS}/c1": hub.at("clusters", "c1", NS)["metadata"]["uid"]}


def test_the_cluster_that_a_run_created_is_deleted(hub: AssistedHub, tmp_path: Path) -> None:
    assert not run(work_dir=tmp_path)["failed"]
    assert not run(confirm=True, work_dir=tmp_path, state="absent")["failed"]
    assert ("clusters", NS, "c1") not in hub.objects
    # Repeated after a run that was killed.
    assert not run(confirm=True, work_dir=tmp_path, state="absent")["failed"]


def test_another_cluster_of_the_name_is_not_deleted(hub: AssistedHub, tmp_path: Path) -> None:
    """Without hosts, too, which nothing else is decided about."""
    StateFile(tmp_path / "state.json").update("hub", {"created": {f"Cluster {NS}/c1": "another"}})
    hub.put("clusters", {"metadata": hub_labels(), "spec": {}})
    count = len(hub.writes)
    refused = run(confirm=True, work_dir=tmp_path, state="absent")
    assert refused["failed"] and "created it with UID another" in refused["msg"] and len(hub.writes) == count


def hub_labels() -> dict[str, Any]:
    return {"name": "c1", "namespace": NS, "labels": {"app.kubernetes.io/managed-by": "zerotouch.openshift"}}


@pytest.mark.parametrize(
    ("name", "mac", "words"),
    [
        (
            "prod-1",
            OTHER_MAC,
            f"prod-1: no host of the inventory and no recorded machine has its MAC address {OTHER_MAC}",
        ),
        ("host-9", OTHER_MAC, "host-9: no host of the inventory"),
        ("prod-1", "", "prod-1: no record contains it"),
    ],
)
def test_a_machine_of_no_record_is_not_powered_off(
    hub: AssistedHub, tmp_path: Path, name: str, mac: str, words: str
) -> None:
    """Metal3 powers off all hosts of a Cluster; no confirmation covers one that nothing proves to be its own."""
    assert not run(work_dir=tmp_path)["failed"]
    note(tmp_path, [inventory_host({"name": "host-9", "macs": [host(9)["boot_mac_address"]]})], BOOTED, method="capi")
    put_host(hub, name, mac)
    count = len(hub.writes)
    for confirm in (True, False):
        refused = run(confirm=confirm, work_dir=tmp_path, state="absent")
        assert refused["failed"] and "No machine was touched" in refused["msg"] and len(hub.writes) == count
    assert words in run(confirm=True, work_dir=tmp_path, state="absent")["msg"]


def test_a_host_of_the_inventory_is_known_by_its_mac_address_not_by_its_name(hub: AssistedHub, tmp_path: Path) -> None:
    """The control plane alone is left, by a removal that was killed: no UID is recorded of it."""
    run(work_dir=tmp_path)
    hub.remove("clusters", NS, "c1")
    hub.change("baremetalhosts", "host-1", {"spec": {"bootMACAddress": OTHER_MAC}}, NS)
    refused = run(confirm=True, work_dir=tmp_path, state="absent")
    assert refused["failed"] and f"BareMetalHost {NS}/host-1" in refused["msg"]


@pytest.mark.parametrize("state", [BOOTED, RELEASED])
def test_hosts_that_left_the_inventory_but_are_recorded(hub: AssistedHub, tmp_path: Path, state: str) -> None:
    """Also those that left the cluster, whose BareMetalHosts remained."""
    run(work_dir=tmp_path)
    note(tmp_path, [inventory_host({"name": "old", "macs": [OTHER_MAC]})], state, method="capi")
    put_host(hub, "old", OTHER_MAC.upper())
    assert not run(confirm=True, work_dir=tmp_path, state="absent")["failed"]


def test_a_cluster_that_appears_during_the_removal_stays(
    hub: AssistedHub, clock: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert not run(work_dir=tmp_path)["failed"]
    remove = hub.delete

    def removed(path: str, **options: Any) -> bool:
        done = bool(remove(path, **options))
        if path.endswith("/clusters/c1"):
            hub.put("clusters", {"metadata": hub_labels(), "spec": {}})
        return done

    monkeypatch.setattr(hub, "delete", removed)
    refused = run(confirm=True, work_dir=tmp_path, state="absent", wait_for="gone", timeout=60.0)
    assert refused["failed"] and "was created again during this run" in refused["msg"], refused
    assert ("clusters", NS, "c1") in hub.objects and ("baremetalhosts", NS, "host-1") in hub.objects
