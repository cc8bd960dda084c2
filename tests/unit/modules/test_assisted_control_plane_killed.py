# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test runs of module assisted_control_plane that change pools and hosts and are killed at every write. The next run
plans again and continues, and the one after it changes nothing. Cluster API and Metal3 continue on the hub meanwhile.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.capi.assisted import run as control_plane_run
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.entry_point import Call, perform
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.capi.desired import (
    PoolOfHosts,
    planned_options,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.capi.observe import (
    describe,
    observe_and_decide,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.capi.resume import CapiRequest, Purpose
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.safety import gather
from ansible_collections.zerotouch.openshift.plugins.modules import assisted_control_plane
from ansible_collections.zerotouch.openshift.tests.support.clock import Clock
from ansible_collections.zerotouch.openshift.tests.support.hub.assisted_cluster import (
    NS,
    AssistedHub,
    description,
    host,
    pool,
)
from ansible_collections.zerotouch.openshift.tests.support.hub.capi import Died


def planes(number: int) -> dict[str, Any]:
    return {"control_plane": {"replicas": number, "labels": {}, "annotations": {}}}


MARK = "cluster.x-k8s.io/delete-machine"
LABELS = {"cluster.x-k8s.io/cluster-name": "c1"}
OF_WORKERS = {**LABELS, "cluster.x-k8s.io/deployment-name": "workers"}
OF_CONTROL_PLANE = {**LABELS, "cluster.x-k8s.io/control-plane": ""}
WHOLE = description(workers=4, **planes(5))
WHOLE["hosts"] += [host(8), host(9)]
POOLS = (
    PoolOfHosts("control-plane", ("host-1", "host-2", "host-3", "host-8", "host-9")),
    PoolOfHosts("workers", ("host-4", "host-5", "host-6", "host-7")),
)
INSTALLED = {"hosts": WHOLE["hosts"][:6], "machine_deployments": [pool(replicas=2)], **planes(3)}
# What each playbook is asked for, of a cluster with Machines at host-4 and host-5, and a free host-6.
PLAYBOOKS: dict[str, tuple[Purpose, dict[str, Any]]] = {
    "grown": ("scale", {"pool": "workers", "replicas": 4}),
    "shrunk": ("scale", {"pool": "workers", "replicas": 1, "names": ("host-4",)}),
    "control plane grown": ("scale", {"pool": "control-plane", "replicas": 5}),
    "added": ("add", {"names": ("host-6", "host-7")}),
    "removed": ("remove", {"names": ("host-5", "host-6")}),
    "installed again": ("reprovision", {"names": ("host-4",)}),
}


class Living(AssistedHub):
    """Cluster API and Metal3 have done their part whenever the hub is read."""

    def list(self, path: str, **options: Any) -> list[dict[str, Any]]:
        if self.dies_after is None or self.dies_after >= 0:
            self._reconcile()
        return super().list(path, **options)

    def _reconcile(self) -> None:
        for key in [key for key in self.objects if key[0] == "machinedeployments"]:
            self._pool(OF_WORKERS, self.objects[key]["spec"]["replicas"], self.objects[key]["metadata"]["name"])
        if ("openshiftassistedcontrolplanes", NS, "c1") in self.objects and ("clusters", NS, "c1") in self.objects:
            number = self.at("openshiftassistedcontrolplanes", "c1", NS)["spec"]["replicas"]
            self._pool(OF_CONTROL_PLANE, number, "control-plane")
            self.ready()
        machines = {name for kind, _namespace, name in self.objects if kind == "machines"}
        for key in [key for key in self.objects if key[0] == "baremetalhosts"]:
            consumer = self.objects[key]["spec"].get("consumerRef")
            if consumer and consumer["name"] not in machines:
                self.change("baremetalhosts", key[2], {"spec": {"consumerRef": None}}, NS)

    def _pool(self, labels: dict[str, str], number: int, name: str) -> None:
        present = [
            item
            for (kind, _namespace, _name), item in sorted(self.objects.items())
            if kind == "machines" and item["metadata"]["labels"] == labels
        ]
        present.sort(key=lambda item: MARK not in (item["metadata"].get("annotations") or {}))
        for item in present[: max(0, len(present) - number)]:
            self.remove("machines", NS, item["metadata"]["name"])
        for _missing in range(number - len(present)):
            self._machine(labels, name)

    def _machine(self, labels: dict[str, str], of_pool: str) -> None:
        free = [
            name
            for (kind, _namespace, name), item in sorted(self.objects.items())
            if kind == "baremetalhosts"
            and not item["spec"].get("consumerRef")
            and item["metadata"]["labels"]["zerotouch.openshift/capi-pool"] == of_pool
        ]
        if not free:
            return
        self._version += 1
        name = f"{of_pool}-{self._version}"
        reference = {"kind": "Metal3Machine", "name": name}
        spec = {"clusterName": "c1", "infrastructureRef": reference}
        self.put("machines", {"metadata": {"name": name, "namespace": NS, "labels": labels}, "spec": spec})
        self.change("baremetalhosts", free[0], {"spec": {"consumerRef": reference}}, NS)


def outcome(hub: AssistedHub) -> dict[str, Any]:
    """What of the hub says how far a change is; names of Machines differ."""
    kinds = ("machinedeployments", "openshiftassistedcontrolplanes", "secrets", "nmstateconfigs")
    found: dict[str, Any] = {
        f"{kind}/{name}": item.get("spec") for (kind, _namespace, name), item in hub.objects.items() if kind in kinds
    }
    plane = hub.at("openshiftassistedcontrolplanes", "c1", NS)
    found["workers"] = plane["metadata"]["annotations"]["zerotouch.openshift/workers"]
    machines = [item["metadata"]["labels"] for (kind, _ns, _name), item in hub.objects.items() if kind == "machines"]
    found["machines"] = (machines.count(OF_WORKERS), machines.count(OF_CONTROL_PLANE))
    for (kind, _namespace, name), item in hub.objects.items():
        if kind == "baremetalhosts":
            found[f"host {name}"] = "used" if item["spec"].get("consumerRef") else "free"
    return found


@pytest.fixture
def new(monkeypatch: pytest.MonkeyPatch) -> Callable[[], Living]:
    def made() -> Living:
        hub = Living()
        monkeypatch.setattr(
            control_plane_run, "connect", lambda *_args, **options: hub.in_check_mode(options["check_mode"])
        )
        monkeypatch.setattr(gather, "connect_hub", lambda *_args, **_options: hub)
        run({**WHOLE, **INSTALLED})
        hub.state("adding-hosts")
        hub.list("/api/v1/secrets")
        assert outcome(hub)["machines"] == (2, 3)
        return hub

    monkeypatch.setattr(gather, "_installed_by", lambda *_args: None)
    clock = Clock(tick=1.0)
    monkeypatch.setattr(Call, "clock", property(lambda _call: clock))
    return made


def run(options: dict[str, Any], work_dir: Path | None = None, touched: list[str] | None = None) -> dict[str, Any]:
    params = {name: spec.get("default") for name, spec in assisted_control_plane.argument_spec().items()}
    hosts = [{"name": each["name"], "mac_addresses": [each["boot_mac_address"]]} for each in WHOLE["hosts"]]
    touch = {
        "method": "capi",
        "cluster_name": "c1",
        "confirm": ["c1"],
        "hosts": hosts,
        "work_dir": str(work_dir or "") or None,
        "hub": {"namespace": NS, "cluster": {"namespace": NS, "name": "c1"}, "bare_metal_hosts": True},
    }
    gate = {"touch": touch, "touch_hosts": touched} if touched is not None else {}
    places = {"work_dir": str(work_dir)} if work_dir else {}
    done = perform(
        assisted_control_plane.run, Call({**params, "forks": 1, "timeout": 3600.0, **options, **gate, **places})
    )
    assert not done["failed"], done["msg"]
    return done


def play(hub: Living, name: str, work_dir: Path) -> dict[str, Any]:
    """A playbook: plan by what the hub has now, then bring it to that."""
    purpose, asked = PLAYBOOKS[name]
    view, status, decision = observe_and_decide(hub, NS, "c1", CapiRequest(purpose, POOLS, **asked))
    assert decision.stop is None, decision.stop
    plan = describe(view, status, decision)
    return run(planned_options(WHOLE, plan), work_dir, plan["touch_hosts"])


@pytest.mark.parametrize("name", PLAYBOOKS)
def test_killed_at_every_write(new: Callable[[], Living], tmp_path: Path, name: str) -> None:
    whole = new()
    before = len(whole.writes)
    assert play(whole, name, tmp_path / "whole" / "c1")["changed"]
    whole.list("/api/v1/secrets")
    expected, writes = outcome(whole), len(whole.writes) - before
    if PLAYBOOKS[name][0] != "reprovision":
        assert not play(whole, name, tmp_path / "whole" / "c1")["changed"]
    assert writes, name
    for count in range(writes):
        hub, work_dir = new(), tmp_path / str(count) / "c1"
        hub.dies_after = count
        with pytest.raises(Died):
            play(hub, name, work_dir)
        hub.revive()
        play(hub, name, work_dir)
        hub.list("/api/v1/secrets")
        assert outcome(hub) == expected, (name, count)
        if PLAYBOOKS[name][0] != "reprovision":
            assert not play(hub, name, work_dir)["changed"], (name, count)


def test_templates_that_replace_machines_are_killed_at_every_write(new: Callable[[], Living]) -> None:
    other = copy.deepcopy(WHOLE["metal3"])
    other["image"]["url"] = "http://images/newer.qcow2"
    wanted = {**WHOLE, **INSTALLED, "metal3": other, "replace_machines": True}
    whole = new()
    before = len(whole.writes)
    assert run(wanted)["changed"]
    expected, writes = outcome(whole), len(whole.writes) - before
    templates = sorted(key for key in whole.objects if "templates" in key[0])
    for count in range(writes):
        hub = new()
        hub.dies_after = count
        with pytest.raises(Died):
            run(wanted)
        hub.revive()
        run(wanted)
        assert outcome(hub) == expected and sorted(key for key in hub.objects if "templates" in key[0]) == templates
        assert not run(wanted)["changed"], count
