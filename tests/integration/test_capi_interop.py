# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test that the collection's reconcile passes and upstream's own controller reach the same state from equal objects, on
a real API server with upstream's definitions.

The test compares every field of every object, except uids, times, versions and the documented fixes
(docs/upstream/cluster-api-provider-agent.md#defects). CAPI_PROVIDER_AGENT names the binary of
openshift/cluster-api-provider-agent at the commit of the reference, KUBEBUILDER_ASSETS the directory with
kube-apiserver and etcd.

CAPI_RECORD names a file to which the test writes the states before the collection's passes and after upstream's
controller: `tests/unit/capi/recorded.json` was made that way, and lets the comparison run without the binary.
"""

from __future__ import annotations

import base64
import json
import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.capi.choose.model import Policy
from ansible_collections.zerotouch.openshift.plugins.module_utils.capi.kinds import (
    AGENT_CLUSTER,
    AGENT_MACHINE,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.capi.label_assignments import LabelAssigner
from ansible_collections.zerotouch.openshift.plugins.module_utils.capi.label_selection import LabelSelection
from ansible_collections.zerotouch.openshift.plugins.module_utils.capi.names import LAST_MACHINE, SELECTED_FOR
from ansible_collections.zerotouch.openshift.plugins.module_utils.capi.observe import Scope
from ansible_collections.zerotouch.openshift.plugins.module_utils.capi.reconcile import Reconciler
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.clock import SystemClock
from ansible_collections.zerotouch.openshift.plugins.module_utils.hub.kinds import (
    AGENT,
    CLUSTER_DEPLOYMENT,
    SECRET,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.kube.client import KubeClient
from ansible_collections.zerotouch.openshift.tests.support.ports import free_port
from ansible_collections.zerotouch.openshift.tests.support.real_api import (
    HAS_ASSETS,
    RealApi,
    eventually,
    shown,
)

from .capi_site import CORE, OURS, THEIRS, Site, definitions

BINARY = Path(os.environ.get("CAPI_PROVIDER_AGENT") or "/nonexistent")
pytestmark = [
    pytest.mark.skipif(not HAS_ASSETS, reason="KUBEBUILDER_ASSETS names no directory with kube-apiserver and etcd"),
    pytest.mark.skipif(
        not BINARY.is_file(), reason=("CAPI_PROVIDER_AGENT names no binary of cluster-api-provider-agent")
    ),
    pytest.mark.filterwarnings("ignore:Unverified HTTPS request"),
]
RECORD = os.environ.get("CAPI_RECORD", "")
OBJECTS = Mapping[str, Any]


def differences(theirs: Any, ours: Any, path: str = "") -> dict[str, Any]:
    if isinstance(theirs, dict) and isinstance(ours, dict):
        found: dict[str, Any] = {}
        for key in sorted(set(theirs) | set(ours)):
            found |= differences(theirs.get(key, "(absent)"), ours.get(key, "(absent)"), f"{path}/{key}")
        return found
    return {} if theirs == ours else {path: {"theirs": theirs, "ours": ours}}


@pytest.fixture(scope="module")
def api(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RealApi]:
    api = RealApi(tmp_path_factory.mktemp("api"))
    try:
        api.define(definitions())
        yield api
    finally:
        api.stop()


@pytest.fixture
def sides(api: RealApi, request: pytest.FixtureRequest) -> Iterator[tuple[Site, Site]]:
    """(theirs, ours); upstream's controller is at work on the first."""
    short = request.node.name.removeprefix("test_").replace("_", "-")[:30].rstrip("-")
    pair = Site(api, f"{THEIRS}-{short}"), Site(api, f"{OURS}-{short}")
    process = controller(api, pair[0])
    yield pair
    api.end(process)


def controller(api: RealApi, site: Site) -> Any:
    arguments = [
        f"--namespace={site.name}",
        f"--agent-namespace={site.agents}",
        "--metrics-bind-address=0",
        f"--health-probe-bind-address=127.0.0.1:{free_port()}",
    ]
    return api.run(site.name, BINARY, f"--kubeconfig={api.kubeconfig}", *arguments)


def ours(site: Site) -> list[str]:
    """Passes of ours until there is nothing to do; the lines of what was done."""
    done: list[str] = []
    for _pass in range(5):
        account = Reconciler(site.client, Scope(site.name, agent_namespace=site.agents), Policy(), forks=1).once()
        done += account.planned
        if not account.changed:
            return done
    raise AssertionError(f"no end: {done}")


def assert_equal(sides: tuple[Site, Site], fixes: Mapping[str, Any] | None = None) -> None:
    """Both sides come to the same state; ``fixes`` are the documented differences, path -> the value in ours."""
    theirs, mine = sides
    before, seen = (mine.raw(), mine.snapshot()) if RECORD else ([], {})
    ours(mine)
    found: dict[str, Any] = {}

    def same() -> bool:
        nonlocal found
        found = differences(theirs.snapshot(), mine.snapshot())
        return {path: each["ours"] for path, each in found.items()} == dict(fixes or {})

    eventually(same, lambda: shown(found))
    if RECORD:
        record(
            {
                "name": mine.name.removeprefix(f"{OURS}-"),
                "before": before,
                "changes": {path: each["ours"] for path, each in differences(seen, theirs.snapshot()).items()},
                "fixes": dict(fixes or {}),
            }
        )


def record(stage: Mapping[str, Any]) -> None:
    """Each kind of change once: the objects before, and for each path what stands there afterwards."""
    path = Path(RECORD)
    stages = json.loads(path.read_text()) if path.is_file() else []
    if not any(known["changes"] == stage["changes"] for known in stages):
        path.write_text(
            json.dumps([*stages, stage], sort_keys=True, separators=(",", ":")).replace('},{"before"', '},\n{"before"')
            + "\n"
        )


def both(sides: tuple[Site, Site], what: str, *arguments: Any) -> None:
    for site in sides:
        getattr(site, what)(*arguments)


def stand(sides: tuple[Site, Site]) -> None:
    """The cluster is complete before a Machine comes: upstream does not look at a machine again when its AgentCluster
    gets ready.
    """
    both(sides, "stand", 1)
    assert_equal(sides)


def test_the_life_of_a_machine(sides: tuple[Site, Site]) -> None:
    stand(sides)
    both(sides, "machine", "pool-0")
    assert_equal(sides)
    for state in ("binding", "installing-in-progress", "added-to-existing-cluster"):
        both(sides, "agent_state", 1, state)
        assert_equal(sides)
    both(sides, "delete", "pool-0")
    note = {"/Agent agent-1/metadata/annotations": {LAST_MACHINE: "side/pool-0"}}
    assert_equal(sides, note)
    for state in ("reclaiming", "discovering-unbound"):
        both(sides, "agent_state", 1, state)
        assert_equal(sides, note)


def test_waiting_for_a_suitable_agent(sides: tuple[Site, Site]) -> None:
    stand(sides)
    both(sides, "machine", "picky", {"matchLabels": {"size": "large"}})
    assert_equal(sides)
    for site in sides:
        site.client.merge_patch(AGENT.path(site.agents, "agent-1"), {"metadata": {"labels": {"size": "large"}}})
    assert_equal(sides)
    for site in sides:
        assert site.client.get(AGENT_MACHINE.path(site.name, "picky"))["status"]["agentRef"]["name"] == "agent-1"


def test_paused_and_deleted(sides: tuple[Site, Site]) -> None:
    """Hubs are moved with everything paused: the host stays in its cluster."""
    stand(sides)
    both(sides, "machine", "pool-0")
    assert_equal(sides)
    for site in sides:
        for resource, name in ((AGENT_MACHINE, "pool-0"), (AGENT_CLUSTER, "c1")):
            site.client.merge_patch(
                resource.path(site.name, name), {"metadata": {"annotations": {"cluster.x-k8s.io/paused": "true"}}}
            )
    assert_equal(sides)
    for site in sides:
        site.client.delete(AGENT_MACHINE.path(site.name, "pool-0"))
        site.client.delete(AGENT_CLUSTER.path(site.name, "c1"))
    assert_equal(sides)
    for site in sides:
        assert site.client.find(AGENT_MACHINE.path(site.name, "pool-0")) is None
        assert site.client.get(AGENT.path(site.agents, "agent-1"))["spec"]["clusterDeploymentName"]["name"] == "c1"
        assert not site.client.get(CLUSTER_DEPLOYMENT.path(site.name, "c1"))["metadata"].get("ownerReferences")


def test_new_bootstrap_data_before_and_after_the_host_is_installed(sides: tuple[Site, Site]) -> None:
    stand(sides)
    both(sides, "machine", "pool-0")
    assert_equal(sides)
    headers = [{"name": "Authorization", "value": "Bearer bmV3"}, {"name": "TargetConfigVersionHash", "value": "abc"}]
    document = {
        "ignition": {
            "version": "3.2.0",
            "config": {"merge": [{"source": "https://ign.example.com/other", "httpHeaders": headers}]},
        }
    }
    for site in sides:
        site.put(
            SECRET,
            {
                "metadata": {"name": "user-data-2"},
                "data": {"value": base64.b64encode(json.dumps(document).encode()).decode()},
            },
        )
        site.client.merge_patch(
            CORE.machine.path(site.name, "pool-0"), {"spec": {"bootstrap": {"dataSecretName": "user-data-2"}}}
        )
    assert_equal(sides)
    assert sides[1].client.get(AGENT.path(sides[1].agents, "agent-1"))["spec"]["machineConfigPool"] == "other"
    both(sides, "agent_state", 1, "added-to-existing-cluster")
    assert_equal(sides)
    for site in sides:
        site.client.merge_patch(
            CORE.machine.path(site.name, "pool-0"), {"spec": {"bootstrap": {"dataSecretName": "user-data"}}}
        )
    assert_equal(sides)


def test_taking_turns(api: RealApi) -> None:
    """Either goes on where the other stopped, and finds nothing to change in what the other has finished."""
    site = Site(api, "turns")
    site.stand(agents=3)
    site.machine("pool-0")
    ours(site)
    before = site.snapshot()

    process = controller(api, site)  # a second Machine shows that it has looked around
    site.machine("pool-1")
    eventually(lambda: site.client.get(AGENT_MACHINE.path(site.name, "pool-1")).get("status", {}).get("addresses"))
    taken = site.client.get(AGENT_MACHINE.path(site.name, "pool-1"))["status"]["agentRef"]["name"]
    for number in (1, int(taken.rpartition("-")[2])):
        site.agent_state(number, "installing-in-progress")
    installing = ("False", "InstallationInProgress")
    eventually(lambda: {installed(site, name) for name in ("pool-0", "pool-1")} == {installing})
    now = site.snapshot()
    # What the controller changed in what we had finished: what the Agent says now.
    changed = differences(before, {key: now[key] for key in before})
    assert {path.split("/")[1] for path in changed} <= {"AgentMachine pool-0", "Agent agent-1", f"Agent {taken}"}, (
        shown(changed)
    )
    assert not [path for path in changed if not path.startswith(f"/Agent {taken}/") and "/status" not in path], shown(
        changed
    )
    api.end(process)

    assert ours(site) == [], "we find nothing to change in what it has done"
    for number in (1, int(taken.rpartition("-")[2])):
        site.agent_state(number, "added-to-existing-cluster")
    ours(site)
    assert {installed(site, name) for name in ("pool-0", "pool-1")} == {("True", "AgentConditionTrue")}
    site.delete("pool-0")
    ours(site)
    assert "clusterDeploymentName" not in site.client.get(AGENT.path(site.agents, "agent-1"))["spec"]

    process = controller(api, site)  # it finishes the deletion that we began
    site.agent_state(1, "known-unbound")
    eventually(lambda: not site.client.get(AGENT_MACHINE.path(site.name, "pool-0"))["metadata"].get("finalizers"))
    assert not site.client.get(CORE.machine.path(site.name, "pool-0"))["metadata"].get("annotations")
    api.end(process)


def installed(site: Site, name: str) -> tuple[str, str]:
    conditions = site.client.get(AGENT_MACHINE.path(site.name, name)).get("status", {}).get("conditions") or []
    return next(((item["status"], item["reason"]) for item in conditions if item["type"] == "Installed"), ("", ""))


class MortalClient(KubeClient):
    """Gone before its write number ``left`` (from 0) is sent."""

    left = 0

    def create(self, *arguments: Any, **options: Any) -> dict[str, Any]:
        return self._if_alive(super().create, *arguments, **options)

    def merge_patch(self, *arguments: Any, **options: Any) -> dict[str, Any]:
        return self._if_alive(super().merge_patch, *arguments, **options)

    def _if_alive(self, write: Callable[..., dict[str, Any]], *arguments: Any, **options: Any) -> dict[str, Any]:
        if self.left <= 0:
            raise DiedError
        self.left -= 1
        return write(*arguments, **options)


class DiedError(Exception):
    pass


def test_the_controller_finishes_what_a_killed_run_began(api: RealApi) -> None:
    whole = Site(api, "whole")
    whole.stand()
    ours(whole)
    whole.machine("pool-0")
    ours(whole)
    wanted = whole.snapshot()
    for left in range(1, 7):  # of seven writes: bootstrap data, token, hook, finalizer, claim, identity, status
        site = Site(api, f"killed-{left}")
        site.stand()
        ours(site)
        site.machine("pool-0")
        client = MortalClient.from_kubeconfig(api.kubeconfig)
        client.left = left
        scope = Scope(site.name, agent_namespace=site.agents)
        with pytest.raises(DiedError):
            Reconciler(client, scope, Policy(), forks=1).once()
        client.close()
        process = controller(api, site)
        found: dict[str, Any] = {}

        def same(site: Site = site) -> bool:
            nonlocal found
            found = differences(site.snapshot(), wanted)
            return not found

        eventually(same, lambda: shown(found))  # noqa: B023
        api.end(process)


def test_label_selection(api: RealApi) -> None:
    """The controller takes the Agents that our planner chose, not the first ones; a label goes once its Agent is
    reserved.
    """
    site = Site(api, "by-label")
    site.stand(agents=4)
    for number, size in ((1, "small"), (2, "large"), (3, "small"), (4, "large")):
        site.client.merge_patch(AGENT.path(site.agents, f"agent-{number}"), {"metadata": {"labels": {"size": size}}})
    process = controller(api, site)
    eventually(lambda: site.client.get(AGENT_CLUSTER.path(site.name, "c1")).get("status", {}).get("ready"))
    selector = {"matchLabels": {"pool": "workers"}}

    def label_selection(count: int) -> LabelAssigner:
        selection = LabelSelection(
            f"{site.name}/workers", "pool", "workers", count, {"matchLabels": {"size": "large"}}, selector, site.agents
        )
        return LabelAssigner(
            site.client, Scope(site.name, agent_namespace=site.agents), selection, Policy(), SystemClock()
        )

    label_selection(2).once()
    again = label_selection(2)
    again.once()
    assert not again.outcomes
    for name in ("workers-a", "workers-b", "workers-c"):
        site.machine(name, selector)
    taken = {"agent-2", "agent-4"}
    label_selection(2).until_reserved(60.0)
    eventually(lambda: {reference(site, name) for name in ("workers-a", "workers-b", "workers-c")} == {*taken, ""})
    for number in range(1, 5):
        metadata = site.client.get(AGENT.path(site.agents, f"agent-{number}"))["metadata"]
        assert "pool" not in metadata["labels"] and SELECTED_FOR not in metadata.get("annotations", {})
    api.end(process)


def reference(site: Site, name: str) -> str:
    return str(
        site.client.get(AGENT_MACHINE.path(site.name, name)).get("status", {}).get("agentRef", {}).get("name", "")
    )
