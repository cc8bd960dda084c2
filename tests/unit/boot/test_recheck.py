# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test the second safety decision before a boot: if a host's boot begins more than 60 s after its evidence was read,
the safety gate reads fresh evidence and decides again.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.bmc.hosts import BmcOptions, BootRequest, HostResult
from ansible_collections.zerotouch.openshift.plugins.module_utils.bmc.plan import State
from ansible_collections.zerotouch.openshift.plugins.module_utils.boot.guard import Permission
from ansible_collections.zerotouch.openshift.plugins.module_utils.boot.methods import METHODS
from ansible_collections.zerotouch.openshift.plugins.module_utils.boot.protocol import Machines
from ansible_collections.zerotouch.openshift.plugins.module_utils.boot.recheck import Recheck
from ansible_collections.zerotouch.openshift.plugins.module_utils.boot.requests import boot_requests
from ansible_collections.zerotouch.openshift.plugins.module_utils.boot.run import boot_hosts
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.errors import ZeroTouchError
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.parallel import Outcome
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.state import StateFile
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.safety import gather
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.safety.gate import Gate
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.safety.nodes import NodeView
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.safety.on_cluster import ClusterView
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.safety.options import Touch, read_touch
from ansible_collections.zerotouch.openshift.tests.support import bmc as fake
from ansible_collections.zerotouch.openshift.tests.support.clock import Clock
from ansible_collections.zerotouch.openshift.tests.support.crane import CraneBoot, Observed
from ansible_collections.zerotouch.openshift.tests.support.hub import agents as made
from ansible_collections.zerotouch.openshift.tests.unit.modules.test_touch_check_hub import hub

__all__ = ["hub"]  # fixture

URL = "http://192.0.2.1:8080/0123456789abcdef0123456789abcdef/agent.x86_64.iso"
MAC = "52:54:00:00:00:01"
NAMES = ("node-1", "node-2", "node-3", "node-4")


class SlowRack:
    """Each boot and each power action takes ``seconds``; ``events`` happen when the machine of that name is done."""

    def __init__(self, clock: Clock, power: str = "Off", seconds: float = 50.0) -> None:
        self.clock, self.seconds = clock, seconds
        self.powers = dict.fromkeys(NAMES, power)
        self.events: dict[str, Any] = {}
        self.done: list[str] = []
        self.read: list[str] = []

    def power_of(self, name: str) -> str:
        self.read.append(name)
        return self.powers[name]

    def boot(self, name: str, image_url: str) -> None:
        self.power(name, "On")

    def power(self, name: str, state: str) -> None:
        self.done.append(name)
        self.powers[name] = state
        self.clock.sleep(self.seconds)
        self.events.get(name, lambda: None)()


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def rack(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> SlowRack:
    found = SlowRack(clock)
    monkeypatch.setitem(METHODS, "crane", CraneBoot(found))
    return found


@pytest.fixture
def served() -> Iterator[Any]:
    service = fake.Served(fake.FakeBmc(power="Off"))
    yield service
    service.close()


def touch_of(hub: Any, work_dir: Path, **more: Any) -> Touch:
    hosts = [{"name": name, "mac_addresses": [made.mac(n)]} for n, name in enumerate(NAMES, 1)]
    scope = {"namespace": "lab", "infra_env": "lab", "cluster": {"namespace": "lab", "name": "demo"}}
    connection = {"kubeconfig": hub.kubeconfig, **scope}
    provided = {"method": "hub", "cluster_name": "demo", "work_dir": str(work_dir), "hosts": hosts, "hub": connection}
    return read_touch({**provided, **more}, {})


def run(gate: Gate, clock: Clock, state: State = "booted", *, check_mode: bool = False) -> dict[str, HostResult]:
    """All hosts, one after the other."""
    hosts = [{"name": name, "boot_method": "crane"} for name in NAMES]
    options = BmcOptions(clock=clock, forks=1)
    results = boot_hosts(boot_requests(hosts, URL), state, options, check_mode=check_mode, permit=gate.permit)
    return {result.name: result for result in results}


def reads(hub: Any) -> int:
    return sum(1 for request in hub.requests if request["path"].endswith("/agents"))


def entries(work_dir: Path) -> dict[str, str]:
    return {name: entry["state"] for name, entry in StateFile(work_dir / "state.json").section("machines").items()}


def test_a_host_that_another_cluster_bound_meanwhile_is_not_touched(
    rack: SlowRack, clock: Clock, hub: Any, tmp_path: Path
) -> None:
    rack.events["node-2"] = lambda: hub.put("agents", made.agent(3, state="installed", cluster=("prod", "prod")))
    results = run(Gate("boot", touch_of(hub, tmp_path), clock, [].append), clock)
    assert rack.done == ["node-1", "node-2", "node-4"]
    assert [results[name].failed for name in NAMES] == [False, False, True, False]
    assert [results[name].changed for name in NAMES] == [True, True, False, True]
    assert "is bound to cluster prod/prod" in results["node-3"].reason
    assert "Release the host there first" in results["node-3"].reason
    assert entries(tmp_path) == dict.fromkeys(("node-1", "node-2", "node-4"), "booting")


def test_a_host_that_is_left_alone_has_not_failed(rack: SlowRack, clock: Clock, hub: Any, tmp_path: Path) -> None:
    rack.events["node-2"] = lambda: hub.put("agents", made.agent(3))
    results = run(Gate("boot", touch_of(hub, tmp_path), clock, [].append), clock)
    assert rack.done == ["node-1", "node-2", "node-4"]
    late = results["node-3"]
    assert (late.failed, late.changed, late.phase, late.plan) == (False, False, "plan", [])
    assert "Agent lab/" in late.reason and "its state has changed" in late.reason


def test_a_machine_that_is_switched_on_meanwhile_is_not_touched(
    rack: SlowRack, clock: Clock, hub: Any, tmp_path: Path
) -> None:
    """The record of the boot, which was written before the first boot, does not say what runs on it; and the next run
    does not continue with it.
    """
    rack.events["node-2"] = lambda: rack.powers.update({"node-3": "On"})
    results = run(Gate("boot", touch_of(hub, tmp_path), clock, [].append), clock)
    assert rack.done == ["node-1", "node-2", "node-4"]
    assert results["node-3"].failed and "take_over" in results["node-3"].reason
    assert "node-3" not in entries(tmp_path)


def test_the_hub_is_read_once_for_all_that_still_wait(rack: SlowRack, clock: Clock, hub: Any, tmp_path: Path) -> None:
    rack.seconds = 25.0  # node-4 begins after 75 s
    results = run(Gate("boot", touch_of(hub, tmp_path), clock, [].append), clock)
    assert rack.done == list(NAMES) and not any(result.failed for result in results.values())
    assert reads(hub) == 2
    assert rack.read[len(NAMES) :] == ["node-4"]


@pytest.mark.parametrize("seconds", [0.0, 20.0])
def test_a_run_of_less_than_a_minute_reads_nothing_again(
    rack: SlowRack, clock: Clock, hub: Any, tmp_path: Path, seconds: float
) -> None:
    rack.seconds = seconds
    run(Gate("boot", touch_of(hub, tmp_path), clock, [].append), clock)
    assert (rack.done, rack.read, reads(hub)) == (list(NAMES), list(NAMES), 1)


def test_check_mode_reads_nothing_again(rack: SlowRack, clock: Clock, hub: Any, tmp_path: Path) -> None:
    run(Gate("boot", touch_of(hub, tmp_path), clock, [].append, records=False), clock, check_mode=True)
    assert (rack.done, rack.read, reads(hub)) == ([], list(NAMES), 1)


def test_a_hub_that_does_not_answer_any_more_fails_the_hosts_that_wait(
    rack: SlowRack, clock: Clock, hub: Any, tmp_path: Path
) -> None:
    rack.events["node-2"] = hub.stop
    results = run(Gate("boot", touch_of(hub, tmp_path), clock, [].append), clock)
    assert rack.done == ["node-1", "node-2"]
    assert [result.failed for result in results.values()] == [False, False, True, True]
    assert "the hub cannot be read" in results["node-4"].reason


@pytest.mark.parametrize("action", ["destroy", "off"])
def test_powering_a_cluster_off_goes_on_when_its_api_does_not_answer_any_more(
    rack: SlowRack, clock: Clock, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, action: Any
) -> None:
    """The Nodes that the API listed at first are those of this cluster, also when its control plane is off."""
    rack.powers = dict.fromkeys(NAMES, "On")
    views = [ClusterView(tuple(NodeView(name, ready=True) for name in NAMES))]
    monkeypatch.setattr(gather, "view_cluster", lambda *arguments: views.pop() if views else ClusterView(fault="off"))
    touch = Touch(method="hub", cluster="demo", work_dir=tmp_path, confirm=frozenset({"demo"}))
    results = run(Gate(action, touch, clock, [].append), clock, "off")
    assert rack.done == list(NAMES), {result.name: result.reason for result in results.values()}


def test_the_power_is_read_over_the_session_that_changes_the_machine(clock: Clock, served: Any) -> None:
    """A late BMC: no login besides those for reading it and for changing it."""
    asked: list[str] = []

    def again(waiting: Machines) -> Permission:
        asked.extend(outcome.item.name for outcome in waiting)
        return Permission()

    def permit(machines: Machines) -> Permission:
        clock.sleep(61.0)
        return Permission(again=again)

    request = BootRequest("node-1", served.address, fake.USER, fake.PASSWORD, mac_addresses=(MAC,), image_url=URL)
    (result,) = boot_hosts([request], "booted", BmcOptions(clock=clock), permit=permit)
    assert (result.changed, result.failed, asked) == (True, False, ["node-1"])
    logins = [path for method, path, *_rest in served.bmc.log if method == "POST" and path.endswith("/Sessions")]
    assert len(logins) == 2, served.bmc.log


def test_a_late_machine_that_is_refused_gets_no_write(clock: Clock, served: Any) -> None:
    def permit(machines: Machines) -> Permission:
        clock.sleep(61.0)
        return Permission(again=lambda waiting: Permission(failing={"node-1": "It is bound elsewhere."}))

    request = BootRequest("node-1", served.address, fake.USER, fake.PASSWORD, mac_addresses=(MAC,), image_url=URL)
    (result,) = boot_hosts([request], "booted", BmcOptions(clock=clock), permit=permit)
    assert (result.changed, result.failed, result.reason) == (False, True, "It is bound elsewhere.")
    assert served.bmc.writes() == []


def test_hosts_that_are_late_at_the_same_time_wait_for_one_decision(clock: Clock) -> None:
    machines = [Outcome(request, Observed("Off")) for request in boot_requests([{"name": name} for name in NAMES])]
    asked: list[Sequence[str]] = []

    def again(waiting: Machines) -> Permission:
        asked.append([outcome.item.name for outcome in waiting])
        clock.sleep(90.0)  # a hub that is slow
        return Permission(failing={"node-4": "stop"})

    recheck = Recheck(again, machines, clock, read_at=0.0, decided_at=0.0)
    clock.time = 61.0
    everyone = threading.Barrier(len(NAMES))
    refused: list[str] = []

    def change(name: str) -> None:
        def read() -> Observed:
            everyone.wait(30)
            return Observed("Off")

        try:
            recheck.before_change(name, read)
        except ZeroTouchError as error:
            refused.append(f"{name}: {error}")

    threads = [threading.Thread(target=change, args=(name,)) for name in NAMES]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert len(asked) == 1 and sorted(asked[0]) == list(NAMES)
    assert refused == ["node-4: stop"]
