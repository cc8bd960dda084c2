# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test reconciling Agents over real sockets, on a hub with faults: no change is lost, done twice or left out of the
report.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.errors import Interrupted, RemoteError
from ansible_collections.zerotouch.openshift.plugins.module_utils.hub.agents.request import host_requests
from ansible_collections.zerotouch.openshift.plugins.module_utils.hub.agents.run import (
    AgentsAccount,
    Options,
    reconcile_agents,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.kube.connection import connect
from ansible_collections.zerotouch.openshift.tests.support.clock import Clock

COUNT = 24


@pytest.fixture
def hosts(made: ModuleType) -> Callable[..., list[dict[str, Any]]]:
    def make(count: int = COUNT, first: int = 1, **more: Any) -> list[dict[str, Any]]:
        return [
            {"name": f"node-{n}", "mac_addresses": [made.mac(n)], "hostname": f"node-{n}", **more}
            for n in range(first, first + count)
        ]

    return make


@pytest.fixture
def fleet(hub: Any, made: ModuleType) -> None:
    for number in range(1, COUNT + 1):
        hub.put("agents", made.agent(number))


@pytest.fixture
def reconcile(client: Any, clock: Any) -> Callable[..., AgentsAccount]:
    def run(hosts: list[dict[str, Any]], **options: Any) -> AgentsAccount:
        return reconcile_agents(client, host_requests(hosts, "lab"), Options("lab", clock=clock, **options))

    return run


def done(account: AgentsAccount) -> list[str]:
    return [host.name for host in account.hosts if host.changed]


def failed(account: AgentsAccount) -> dict[str, str]:
    return {host.name: host.reason for host in account.hosts if host.failed}


def settled(hub: Any, made: ModuleType, count: int = COUNT) -> bool:
    specs = [hub.get(made.uuid(number))["spec"] for number in range(1, count + 1)]
    return all(spec["approved"] and spec.get("hostname") == f"node-{number}" for number, spec in enumerate(specs, 1))


def once_for(name: str, action: Callable[[dict[str, Any]], Any]) -> Callable[[dict[str, Any]], Any]:
    """A fault that does something before the first patch of one Agent."""
    waiting = {name}

    def fault(request: dict[str, Any]) -> Any:
        if request["verb"] == "patch" and request["name"] in waiting:
            waiting.discard(request["name"])
            return action(request)
        return None

    return fault


def test_one_list_and_one_patch_each(hub: Any, fleet: None, reconcile: Any, hosts: Any, made: ModuleType) -> None:
    account = reconcile(hosts())
    assert hub.calls() == {"list": 1, "patch": COUNT} and settled(hub, made)
    assert len(done(account)) == COUNT and not failed(account)
    again = reconcile(hosts())
    assert not again.changed and hub.calls() == {"list": 2, "patch": COUNT}


def test_requests_are_those_of_one_merge_patch_locked_to_what_was_read(
    hub: Any, fleet: None, reconcile: Any, hosts: Any, made: ModuleType
) -> None:
    version = hub.get(made.uuid(1))["metadata"]["resourceVersion"]
    reconcile(hosts(1))
    patch = hub.patches()[0]
    assert patch["content_type"] == "application/merge-patch+json"
    assert patch["body"] == {"metadata": {"resourceVersion": version}, "spec": {"approved": True, "hostname": "node-1"}}


def test_check_mode_writes_nothing_and_reports_what_the_server_refuses(
    hub: Any, fleet: None, clock: Any, hosts: Any, made: ModuleType, hubserver: Any
) -> None:
    refusal = hubserver.status(400, "BadRequest", "admission webhook denied the request: no")
    hub.faults.append(once_for(made.uuid(2), lambda request: refusal))
    client = connect({"kubeconfig": hub.kubeconfig}, clock=clock, check_mode=True)
    account = reconcile_agents(
        client, host_requests(hosts(), "lab"), Options("lab", clock=clock, check_mode=True, wait_for="installed")
    )
    assert all(request["dry"] for request in hub.patches()) and not settled(hub, made)
    assert len(done(account)) == COUNT - 1 and "admission webhook denied the request: no" in failed(account)["node-2"]


class TestFaults:
    def test_a_storm_of_conflicts(self, hub: Any, fleet: None, reconcile: Any, hosts: Any, made: ModuleType) -> None:
        """A controller writes every Agent three times between our read and our write."""
        left = {made.uuid(number): 3 for number in range(1, COUNT + 1)}

        def interfere(request: dict[str, Any]) -> None:
            with hub.lock:
                if request["verb"] == "patch" and left[request["name"]]:
                    left[request["name"]] -= 1
                    hub.change(request["name"], status={"progress": {"installationPercentage": left[request["name"]]}})

        hub.faults.append(interfere)
        account = reconcile(hosts())
        assert settled(hub, made) and len(done(account)) == COUNT and not failed(account)

    def test_a_conflict_that_never_ends_is_reported_and_blocks_no_other_host(
        self, hub: Any, fleet: None, reconcile: Any, hosts: Any, made: ModuleType
    ) -> None:
        def interfere(request: dict[str, Any]) -> None:
            if request["verb"] == "patch" and request["name"] == made.uuid(5):
                hub.change(made.uuid(5), status={"progress": {"installationPercentage": hub.version}})

        hub.faults.append(interfere)
        account = reconcile(hosts())
        assert len(done(account)) == COUNT - 1 and list(failed(account)) == ["node-5"]
        assert "was changed by others" in failed(account)["node-5"]
        hub.faults.clear()
        assert done(reconcile(hosts())) == ["node-5"] and settled(hub, made)

    def test_the_server_says_when_to_come_back(
        self, hub: Any, fleet: None, reconcile: Any, hosts: Any, made: ModuleType, hubserver: ModuleType, clock: Any
    ) -> None:
        hub.faults.append(
            hubserver.times(4, "patch", hubserver.status(429, "TooManyRequests", "slow down", Retry_After="3"))
        )
        account = reconcile(hosts())
        assert settled(hub, made) and not failed(account) and clock.slept.count(3.0) == 4

    @pytest.mark.parametrize("verb", ["list", "patch"])
    def test_internal_errors_pass(
        self, verb: str, hub: Any, fleet: None, reconcile: Any, hosts: Any, made: ModuleType, hubserver: ModuleType
    ) -> None:
        hub.faults.append(
            hubserver.times(3, verb, hubserver.status(500, "InternalError", "etcdserver: request timed out"))
        )
        account = reconcile(hosts())
        assert settled(hub, made) and not failed(account) and len(done(account)) == COUNT

    def test_internal_errors_that_last(
        self, hub: Any, fleet: None, reconcile: Any, hosts: Any, made: ModuleType, hubserver: ModuleType
    ) -> None:
        def fault(request: dict[str, Any]) -> Any:
            return (
                hubserver.status(500, "InternalError", "no leader")
                if request["verb"] == "patch" and request["name"] == made.uuid(3)
                else None
            )

        hub.faults.append(fault)
        account = reconcile(hosts())
        assert (
            list(failed(account)) == ["node-3"]
            and "no leader" in failed(account)["node-3"]
            and len(done(account)) == COUNT - 1
        )

    def test_a_lost_answer_is_no_second_change(
        self, hub: Any, fleet: None, reconcile: Any, hosts: Any, made: ModuleType
    ) -> None:
        hub.faults.append(once_for(made.uuid(2), lambda request: "cut after"))
        account = reconcile(hosts())
        assert settled(hub, made) and len(done(account)) == COUNT and not failed(account)

    def test_the_api_restarts_in_the_middle(
        self, hub: Any, fleet: None, reconcile: Any, hosts: Any, made: ModuleType
    ) -> None:
        began = threading.Event()

        def restart() -> None:
            began.wait(5)
            hub.stop()
            time.sleep(0.15)
            hub.start()

        def fault(request: dict[str, Any]) -> None:
            if request["verb"] == "patch" and len(hub.patches()) == COUNT // 2:
                began.set()
                time.sleep(0.05)

        hub.faults.append(fault)
        thread = threading.Thread(target=restart)
        thread.start()
        account = reconcile(hosts(), forks=4)
        thread.join()
        assert began.is_set() and not failed(account) and len(done(account)) == COUNT and settled(hub, made)

    def test_deleted_under_our_hands(self, hub: Any, fleet: None, reconcile: Any, hosts: Any, made: ModuleType) -> None:
        hub.faults.append(once_for(made.uuid(7), lambda request: hub.remove(request["name"])))
        account = reconcile(hosts())
        assert failed(account) == {"node-7": f"Agent lab/{made.uuid(7)} was deleted while we worked on it"}
        assert len(done(account)) == COUNT - 1

    def test_registered_again_under_our_hands(
        self, hub: Any, fleet: None, reconcile: Any, hosts: Any, made: ModuleType
    ) -> None:
        """The service created the Agent again: everything is reset, the machine is the same."""

        def again(request: dict[str, Any]) -> None:
            hub.remove(request["name"])
            fresh = made.agent(7, state="discovering-unbound")
            fresh["metadata"]["uid"] = "new"
            hub.put("agents", fresh)

        hub.faults.append(once_for(made.uuid(7), again))
        account = reconcile(hosts())
        assert not failed(account) and settled(hub, made) and hub.get(made.uuid(7))["metadata"]["uid"] == "new"

    def test_another_machine_has_the_name_now(
        self, hub: Any, fleet: None, reconcile: Any, hosts: Any, made: ModuleType
    ) -> None:
        def again(request: dict[str, Any]) -> None:
            hub.remove(request["name"])
            fresh = made.agent(7, macs=["02:00:00:00:00:99"])
            fresh["metadata"]["uid"] = "new"
            hub.put("agents", fresh)

        hub.faults.append(once_for(made.uuid(7), again))
        account = reconcile(hosts())
        assert (
            "is another machine now" in failed(account)["node-7"] and hub.get(made.uuid(7))["spec"]["approved"] is False
        )

    def test_the_installation_starts_under_our_hands(
        self, hub: Any, fleet: None, reconcile: Any, hosts: Any, made: ModuleType
    ) -> None:
        hub.faults.append(
            once_for(
                made.uuid(7),
                lambda request: hub.change(request["name"], status={"debugInfo": {"state": "installing"}}) and None,
            )
        )
        account = reconcile(hosts())
        assert "its installation has started (state installing)" in failed(account)["node-7"]
        assert "hostname" not in hub.get(made.uuid(7))["spec"]

    def test_a_part_is_forbidden(
        self, hub: Any, fleet: None, reconcile: Any, hosts: Any, made: ModuleType, hubserver: ModuleType
    ) -> None:
        allowed = {made.uuid(number) for number in (1, 2)}
        denied = hubserver.status(403, "Forbidden", "agents is forbidden: User cannot patch")
        hub.faults.append(
            lambda request: denied if request["verb"] == "patch" and request["name"] not in allowed else None
        )
        account = reconcile(hosts())
        assert done(account) == ["node-1", "node-2"] and len(failed(account)) == COUNT - 2
        assert 'resources: ["agents"], verbs: ["patch"]' in failed(account)["node-9"]
        hub.faults.clear()
        rerun = reconcile(hosts())
        assert len(done(rerun)) == COUNT - 2 and settled(hub, made)

    def test_no_list_no_work(self, hub: Any, reconcile: Any, hosts: Any, hubserver: ModuleType) -> None:
        hub.faults.append(lambda request: hubserver.status(403, "Forbidden", "agents is forbidden"))
        for wait_for in ("none", "registered"):
            with pytest.raises(RemoteError, match="verbs"):
                reconcile(hosts(), wait_for=wait_for)

    def test_duplicate_macs(self, hub: Any, fleet: None, reconcile: Any, hosts: Any, made: ModuleType) -> None:
        hub.put("agents", made.agent(99, macs=[made.mac(3)]))
        account = reconcile(hosts())
        assert list(failed(account)) == ["node-3"] and "is that of 2 Agents" in failed(account)["node-3"]
        assert not hub.get(made.uuid(3))["spec"]["approved"] and not hub.get(made.uuid(99))["spec"]["approved"]

    def test_the_hubs_clock_is_not_ours(self, hub: Any, reconcile: Any, hosts: Any, made: ModuleType) -> None:
        """Only times of the hub are compared with each other."""
        hub.put(
            "agents", made.agent(8, macs=[made.mac(1)], state="disconnected-unbound", created="2199-01-01T00:00:00Z")
        )
        hub.put(
            "agents", made.agent(9, macs=[made.mac(1)], state="disconnected-unbound", created="2199-01-01T00:00:01Z")
        )
        account = reconcile(hosts(1))
        assert account.hosts[0].agent.name == made.uuid(9) and not failed(account)

    def test_an_interruption_keeps_the_account(self, hub: Any, fleet: None, hosts: Any) -> None:
        stopped = connect({"kubeconfig": hub.kubeconfig}, clock=Clock(stop_at=0.0))
        busy = (429, {"Retry-After": "1"}, {})
        hub.faults.append(lambda request: busy if request["verb"] == "patch" and len(hub.patches()) > 5 else None)
        account = reconcile_agents(
            stopped, host_requests(hosts(), "lab"), Options("lab", forks=1, clock=Clock(stop_at=0.0))
        )
        assert isinstance(account.fault, Interrupted)
        assert len(done(account)) == 5 and len(failed(account)) == COUNT - 5


def later(*steps: Callable[[], Any], pause: float = 0.1) -> threading.Thread:
    def run() -> None:
        for step in steps:
            time.sleep(pause)
            step()

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    return thread


class TestWaiting:
    def test_hosts_that_register_late_are_treated_when_they_do(
        self, hub: Any, reconcile: Any, hosts: Any, made: ModuleType
    ) -> None:
        hub.put("agents", made.agent(1))
        thread = later(*(lambda n=n: hub.put("agents", made.agent(n)) for n in (2, 3)))
        account = reconcile(hosts(3), wait_for="registered")
        thread.join()
        assert done(account) == ["node-1", "node-2", "node-3"] and settled(hub, made, 3)
        assert hub.calls()["list"] == 1 and hub.calls()["watch"] >= 1 and hub.calls()["patch"] == 3

    def test_bound_once_it_is_fit(self, hub: Any, reconcile: Any, hosts: Any, made: ModuleType) -> None:
        for plural, obj in made.cluster_objects(masters=2).items():
            hub.put(plural, obj)
        hub.put("agents", made.agent(1, state="discovering-unbound", disks=[]))
        hub.put("agents", made.agent(2))

        def react(server: Any, plural: str, obj: dict[str, Any]) -> None:
            if obj["spec"].get("clusterDeploymentName") and obj["status"]["debugInfo"]["state"] == "known-unbound":
                name = obj["metadata"]["name"]
                bound = {
                    "debugInfo": {"state": "known"},
                    "conditions": made.conditions("known", True),
                    "inventory": obj["status"]["inventory"],
                }
                server.change(name, status={"debugInfo": {"state": "binding"}, "inventory": None})
                threading.Timer(0.1, lambda: server.change(name, status=bound)).start()

        hub.react = react
        thread = later(lambda: hub.put("agents", {**made.agent(1), "spec": hub.get(made.uuid(1))["spec"]}))
        wanted = hosts(2, role="master", cluster={"name": "demo"}, root_device_hints={"deviceName": "/dev/sda"})
        account = reconcile(wanted, wait_for="bound")
        thread.join()
        assert not failed(account) and account.fault is None
        assert [host.agent.state for host in account.hosts] == ["known", "known"]
        assert hub.get(made.uuid(1))["spec"]["installation_disk_id"] == made.disk(0)["id"]
        assert not reconcile(wanted).changed

    def test_never_more_than_it_needs_however_they_come(
        self, hub: Any, reconcile: Any, hosts: Any, made: ModuleType
    ) -> None:
        for plural, obj in made.cluster_objects(masters=1).items():
            hub.put(plural, obj)
        hub.put("agents", made.agent(1))
        account = reconcile(hosts(2, role="master", cluster={"name": "demo"}), wait_for="bound", timeout=5)
        assert len(failed(account)) == 2 and "needs exactly 1 master Agent;" in failed(account)["node-1"]
        assert "clusterDeploymentName" not in hub.get(made.uuid(1))["spec"]

    def test_an_error_ends_the_wait_at_once(
        self, hub: Any, reconcile: Any, hosts: Any, made: ModuleType, clock: Any
    ) -> None:
        hub.put("agents", made.agent(1, state="error", approved=True, hostname="node-1", cluster=("lab", "demo")))
        began = clock.now()
        account = reconcile(hosts(1), wait_for="installed", timeout=3600)
        assert failed(account) == {"node-1": "it is error: Host is error"} and clock.now() - began < 60

    def test_an_input_error_ends_it_once_it_has_lasted(
        self, hub: Any, reconcile: Any, hosts: Any, made: ModuleType, monkeypatch: Any
    ) -> None:
        module = "ansible_collections.zerotouch.openshift.plugins.module_utils.hub.agents.run"
        monkeypatch.setattr(f"{module}.DOUBT", 0.2)
        monkeypatch.setattr(f"{module}.LOOK_AGAIN", 0.1)
        wrong = (
            "False",
            "InputError",
            (
                "The Spec could not be synced due to an input error: Requested installation disk is not part of the "
                "host's valid disks"
            ),
        )
        hub.put("agents", made.agent(1, state="insufficient", synced=wrong))
        account = reconcile(hosts(1), wait_for="ready", timeout=3600)
        assert failed(account) == {"node-1": wrong[2]}

    def test_the_limit(self, hub: Any, reconcile: Any, hosts: Any, made: ModuleType) -> None:
        failing = {
            "network": [
                {"id": "ntp-synced", "status": "failure", "message": "Host couldn't synchronize with any NTP server"}
            ]
        }
        hub.put("agents", made.agent(1, state="insufficient-unbound", validations=failing))
        account = reconcile(hosts(2), wait_for="ready", timeout=1)
        assert failed(account) == {
            "node-1": (
                "not ready within 1 s: it is insufficient-unbound: ntp-synced: Host couldn't synchronize with any NTP "
                "server"
            ),
            "node-2": f"not ready within 1 s: no Agent has MAC {made.mac(2)}",
        }

    def test_the_watch_expires(self, hub: Any, reconcile: Any, hosts: Any, made: ModuleType) -> None:
        hub.put("agents", made.agent(1))

        def expire() -> None:
            hub.remove(made.uuid(1))
            hub.forget()
            hub.put("agents", made.agent(3))

        thread = later(expire, lambda: hub.put("agents", made.agent(1)), lambda: hub.put("agents", made.agent(2)))
        account = reconcile(hosts(3), wait_for="registered", timeout=60)
        thread.join()
        assert not failed(account) and settled(hub, made, 3)

    def test_the_api_restarts_while_we_watch(self, hub: Any, reconcile: Any, hosts: Any, made: ModuleType) -> None:
        hub.put("agents", made.agent(1))
        thread = later(hub.stop, hub.start, lambda: hub.put("agents", made.agent(2)))
        account = reconcile(hosts(2), wait_for="registered", timeout=120)
        thread.join()
        assert not failed(account) and account.fault is None and settled(hub, made, 2)

    def test_deleted_and_registered_again_meanwhile(
        self, hub: Any, reconcile: Any, hosts: Any, made: ModuleType
    ) -> None:
        hub.put("agents", made.agent(1, state="insufficient-unbound"))
        thread = later(lambda: hub.remove(made.uuid(1)), lambda: hub.put("agents", made.agent(1)))
        account = reconcile(hosts(1), wait_for="ready", timeout=60)
        thread.join()
        assert not failed(account) and settled(hub, made, 1)

    def test_unbound_again(self, hub: Any, reconcile: Any, hosts: Any, made: ModuleType) -> None:
        hub.put("agents", made.agent(1, state="installed", cluster=("lab", "demo"), approved=True, hostname="node-1"))

        def react(server: Any, plural: str, obj: dict[str, Any]) -> None:
            name, state = obj["metadata"]["name"], "unbinding-pending-user-action"
            server.change(name, status={"debugInfo": {"state": state}, "conditions": made.conditions(state, False)})
            back = {"debugInfo": {"state": "known-unbound"}, "conditions": made.conditions("known-unbound", False)}
            threading.Timer(0.3, lambda: server.change(name, status=back)).start()

        hub.react = react
        account = reconcile([{**hosts(1)[0], "unbind": True}], wait_for="unbound", timeout=60)
        assert not failed(account) and done(account) == ["node-1"] and account.hosts[0].agent.state == "known-unbound"

    def test_gone(self, hub: Any, reconcile: Any, made: ModuleType) -> None:
        hub.put("agents", made.agent(1))
        absent = [{"name": "node-1", "mac_addresses": [made.mac(1)], "state": "absent"}]
        account = reconcile(absent, wait_for="unbound", timeout=60)
        assert (
            not failed(account)
            and done(account) == ["node-1"]
            and not [key for key in hub.objects if key[0] == "agents"]
        )
        assert not reconcile(absent).changed

    def test_progress_is_reported_on_change(
        self, hub: Any, client: Any, clock: Any, hosts: Any, made: ModuleType
    ) -> None:
        lines: list[str] = []
        thread = later(*(lambda n=n: hub.put("agents", made.agent(n)) for n in (1, 2)), pause=0.4)
        reconcile_agents(
            client,
            host_requests(hosts(2), "lab"),
            Options("lab", wait_for="registered", timeout=60, clock=clock, progress=lines.append),
        )
        thread.join()
        assert (
            "0 of 2 hosts registered (node-1: no Agent has MAC" in lines[0]
            and "100% 2 of 2 hosts registered" in lines[-1]
            and len(lines) <= 4
        )


def test_selection_by_infra_env(hub: Any, reconcile: Any, hosts: Any, made: ModuleType) -> None:
    hub.put("agents", made.agent(1, infra_env="a"))
    hub.put("agents", made.agent(2, infra_env="b"))
    account = reconcile(hosts(2), infra_env="a")
    assert done(account) == ["node-1"] and list(failed(account)) == ["node-2"]
    assert [request["selector"] for request in hub.requests if request["verb"] == "list"] == [
        "infraenvs.agent-install.openshift.io=a"
    ]


def test_what_cannot_be_read_is_reported(
    hub: Any, reconcile: Any, hosts: Any, made: ModuleType, hubserver: ModuleType
) -> None:
    hub.put("agents", made.agent(1))
    for plural, obj in made.cluster_objects().items():
        hub.put(plural, obj)
    hidden = {
        "/apis/agent-install.openshift.io/v1beta1/agents",
        "/apis/agent-install.openshift.io/v1beta1/namespaces/lab/infraenvs",
    }
    hub.faults.append(
        lambda request: hubserver.status(403, "Forbidden", "forbidden") if request["path"] in hidden else None
    )
    account = reconcile(hosts(1, role="master", cluster={"name": "demo"}))
    assert not failed(account) and hub.get(made.uuid(1))["spec"]["clusterDeploymentName"]["name"] == "demo"
    assert [problem.severity for problem in account.problems] == ["warning", "warning"]
    assert (
        "cannot be counted" in account.problems[0].detail and "bound early cannot be seen" in account.problems[1].detail
    )
    hub.put("agents", made.agent(2))
    hub.faults.append(
        lambda request: hubserver.status(403, "Forbidden", "no") if "agentclusterinstalls" in request["path"] else None
    )
    account = reconcile(hosts(1, first=2, role="master", cluster={"name": "demo"}))
    assert (
        "what cluster lab/demo needs cannot be read" in failed(account)["node-2"]
        and "verbs" in failed(account)["node-2"]
    )
