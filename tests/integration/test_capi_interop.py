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
import copy
import json
import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml
from ansible_collections.zerotouch.openshift.plugins.module_utils.capi.choose.model import Policy
from ansible_collections.zerotouch.openshift.plugins.module_utils.capi.kinds import (
    AGENT_CLUSTER,
    AGENT_MACHINE,
    CoreKinds,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.capi.label_assignments import LabelAssigner
from ansible_collections.zerotouch.openshift.plugins.module_utils.capi.label_selection import LabelSelection
from ansible_collections.zerotouch.openshift.plugins.module_utils.capi.names import LAST_MACHINE, SELECTED_FOR
from ansible_collections.zerotouch.openshift.plugins.module_utils.capi.observe import Scope
from ansible_collections.zerotouch.openshift.plugins.module_utils.capi.reconcile import Reconciler
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.clock import SystemClock
from ansible_collections.zerotouch.openshift.plugins.module_utils.hub.kinds import (
    AGENT,
    AGENT_CLUSTER_INSTALL,
    CLUSTER_DEPLOYMENT,
    NAMESPACE,
    SECRET,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.kube.client import KubeClient
from ansible_collections.zerotouch.openshift.plugins.module_utils.kube.resource import Resource
from ansible_collections.zerotouch.openshift.tests.support import upstream
from ansible_collections.zerotouch.openshift.tests.support.ports import free_port
from ansible_collections.zerotouch.openshift.tests.support.real_api import (
    HAS_ASSETS,
    RealApi,
    eventually,
    shown,
)

BINARY = Path(os.environ.get("CAPI_PROVIDER_AGENT") or "/nonexistent")
CRDS = upstream.required("crds")
pytestmark = [
    pytest.mark.skipif(not HAS_ASSETS, reason="KUBEBUILDER_ASSETS names no directory with kube-apiserver and etcd"),
    pytest.mark.skipif(
        not BINARY.is_file(), reason=("CAPI_PROVIDER_AGENT names no binary of cluster-api-provider-agent")
    ),
    pytest.mark.filterwarnings("ignore:Unverified HTTPS request"),
]
CORE = CoreKinds("v1beta2")
CONTROL_PLANE = Resource("hypershift.openshift.io", "v1beta1", "HostedControlPlane", "hostedcontrolplanes")
# What upstream's controller reads besides what it writes.
INPUTS = (CORE.cluster, CONTROL_PLANE)
RECORD = os.environ.get("CAPI_RECORD", "")
KINDS = (AGENT_CLUSTER, CLUSTER_DEPLOYMENT, AGENT_CLUSTER_INSTALL, AGENT_MACHINE, CORE.machine, SECRET)
OBJECTS = Mapping[str, Any]
THEIRS, OURS = "theirs", "ours"
STATES = {
    "known-unbound": ("False/Unbound", "True/ValidationsPassing", "True/AgentIsReady", "False/InstallationNotStarted"),
    "binding": ("False/Binding", "False/Binding", "False/Binding", "False/Binding"),
    "installing-in-progress": (
        "True/Bound",
        "True/ValidationsPassing",
        "True/AgentAlreadyInstalling",
        "False/InstallationInProgress",
    ),
    "added-to-existing-cluster": (
        "True/Bound",
        "True/ValidationsPassing",
        "True/AgentInstallationStopped",
        "True/InstallationCompleted",
    ),
    "reclaiming": ("True/Bound", "True/ValidationsPassing", "Unknown/UnknownStatus", "Unknown/UnknownStatus"),
    "discovering-unbound": (
        "False/Unbound",
        "Unknown/ValidationsUnknown",
        "False/AgentNotReady",
        "False/InstallationNotStarted",
    ),
}


def definitions() -> Iterator[dict[str, Any]]:
    wanted = [
        "capi-provider-agent/*.yaml",
        "cluster-api/*.yaml",
        "hive/*.yaml",
        "assisted-service/*_agents.yaml",
        "assisted-service/*_agentclusterinstalls.yaml",
    ]
    for pattern in wanted:
        for path in sorted(CRDS.glob(pattern)):
            yield yaml.safe_load(path.read_text())
    anything = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    version = {"name": "v1beta1", "served": True, "storage": True, "schema": {"openAPIV3Schema": anything}}
    names = {"kind": "HostedControlPlane", "plural": "hostedcontrolplanes", "singular": "hostedcontrolplane"}
    yield {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "hostedcontrolplanes.hypershift.openshift.io"},
        "spec": {"group": "hypershift.openshift.io", "scope": "Namespaced", "names": names, "versions": [version]},
    }


class Site:
    """One side: a namespace of Cluster API objects and one of Agents."""

    def __init__(self, api: RealApi, name: str) -> None:
        self.api, self.client, self.name = api, api.client, name
        self.agents = f"{name}-hosts"
        for namespace in (self.name, self.agents):
            self.client.create(NAMESPACE.path(), {"metadata": {"name": namespace}})

    def put(self, resource: Resource, body: Mapping[str, Any], namespace: str = "") -> dict[str, Any]:
        namespace = namespace or self.name
        whole = {
            "apiVersion": resource.api_version,
            "kind": resource.kind,
            **body,
            "metadata": {"namespace": namespace, **body["metadata"]},
        }
        made = self.client.create(resource.path(namespace), whole)
        return (
            self.status(resource, body["metadata"]["name"], body["status"], namespace)
            if "status" in body and resource != CONTROL_PLANE
            else made
        )

    def status(self, resource: Resource, name: str, status: Mapping[str, Any], namespace: str = "") -> dict[str, Any]:
        return self.client.merge_patch(resource.path(namespace or self.name, name, "status"), {"status": status})

    def stand(self, agents: int = 1) -> None:
        spec = {"dns": {"baseDomain": "example.com"}, "pullSecret": {"name": "pull"}}
        status = {"kubeConfig": {"name": "admin"}, "kubeadminPassword": {"name": "kubeadmin"}}
        self.put(CONTROL_PLANE, {"metadata": {"name": "c1"}, "spec": spec, "status": status})
        for name in ("pull", "admin", "kubeadmin", "ca"):
            self.put(SECRET, {"metadata": {"name": name}, "data": {}})
        headers = [
            {"name": "Authorization", "value": "Bearer c2VjcmV0"},
            {"name": "NodePool", "value": "clusters/pool"},
        ]
        document = {
            "ignition": {
                "version": "3.2.0",
                "config": {"merge": [{"source": "https://ign.example.com/ignition", "httpHeaders": headers}]},
            }
        }
        self.put(
            SECRET,
            {
                "metadata": {"name": "user-data"},
                "data": {"value": base64.b64encode(json.dumps(document).encode()).decode()},
            },
        )
        references = {
            "controlPlaneRef": {"apiGroup": CONTROL_PLANE.group, "kind": "HostedControlPlane", "name": "c1"},
            "infrastructureRef": {"apiGroup": AGENT_CLUSTER.group, "kind": "AgentCluster", "name": "c1"},
        }
        cluster = self.put(CORE.cluster, {"metadata": {"name": "c1"}, "spec": references})
        ignition = {
            "url": "https://fd00::1:31187/ignition",
            "caCertificateReference": {"name": "ca", "namespace": self.name},
        }
        self.put(
            AGENT_CLUSTER,
            {
                "metadata": {"name": "c1", "ownerReferences": [owner(CORE.cluster, cluster)]},
                "spec": {
                    "ignitionEndpoint": ignition,
                    "controlPlaneEndpoint": {"host": "api.example.com", "port": 6443},
                },
            },
        )
        for number in range(1, agents + 1):
            self.agent(number)

    def agent(self, number: int, state: str = "known-unbound") -> None:
        spec = {"approved": True, "role": "worker", "hostname": f"worker-{number}"}
        self.put(AGENT, {"metadata": {"name": f"agent-{number}"}, "spec": spec}, self.agents)
        self.agent_state(number, state)

    def agent_state(self, number: int, state: str) -> None:
        pairs = [pair.split("/") for pair in STATES[state]]
        kinds = ("Bound", "Validated", "RequirementsMet", "Installed")
        conditions = [("SpecSynced", "True", "SyncOK"), ("Connected", "True", "AgentIsConnected")] + [
            (kind, *pair) for kind, pair in zip(kinds, pairs, strict=True)
        ]
        interface = {
            "name": "eth0",
            "hasCarrier": True,
            "flags": ["up"],
            "ipV4Addresses": [f"192.0.2.{number}/24"],
            "ipV6Addresses": ["fe80::1/64"],
        }
        status = {
            "conditions": [
                {
                    "type": kind,
                    "status": value,
                    "reason": reason,
                    "message": f"{kind} of {state}",
                    "lastTransitionTime": "2026-11-21T11:00:00Z",
                }
                for kind, value, reason in conditions
            ],
            "debugInfo": {"state": state},
            "inventory": {"hostname": "localhost", "interfaces": [interface]},
        }
        self.status(AGENT, f"agent-{number}", status, self.agents)

    def machine(self, name: str, selector: Mapping[str, Any] | None = None) -> None:
        reference = {"apiGroup": AGENT_MACHINE.group, "kind": "AgentMachine", "name": name}
        machine = self.put(
            CORE.machine,
            {
                "metadata": {
                    "name": name,
                    "labels": {"cluster.x-k8s.io/cluster-name": "c1"},
                    "finalizers": ["machine.cluster.x-k8s.io/test"],
                },
                "spec": {
                    "clusterName": "c1",
                    "bootstrap": {"dataSecretName": "user-data"},
                    "infrastructureRef": reference,
                },
            },
        )
        spec = {"agentLabelSelector": selector} if selector else {}
        self.put(
            AGENT_MACHINE, {"metadata": {"name": name, "ownerReferences": [owner(CORE.machine, machine)]}, "spec": spec}
        )

    def delete(self, name: str) -> None:
        """The Machine is deleted and waits at the hook."""
        self.client.delete(CORE.machine.path(self.name, name))
        condition = {
            "type": "Deleting",
            "status": "True",
            "reason": "WaitingForPreTerminateHook",
            "message": "",
            "lastTransitionTime": "2026-11-21T11:00:00Z",
        }
        self.status(CORE.machine, name, {"conditions": [condition]})

    def raw(self) -> list[dict[str, Any]]:
        """Everything that a pass may read, with the name of the side taken out."""
        found = [
            obj for resource in (*INPUTS, *KINDS) for obj in self.client.list(resource.path(self.name))
        ] + self.client.list(AGENT.path(self.agents))
        slim = [
            {**obj, "metadata": {key: value for key, value in obj["metadata"].items() if key != "managedFields"}}
            for obj in found
        ]
        return list(json.loads(json.dumps(slim).replace(f'"{self.name}', '"side')))

    def snapshot(self) -> dict[str, Any]:
        found = {}
        for resource in KINDS:
            for obj in self.client.list(resource.path(self.name)):
                found[f"{resource.kind} {obj['metadata']['name']}"] = self.plain(obj)
        for obj in self.client.list(AGENT.path(self.agents)):
            found[f"Agent {obj['metadata']['name']}"] = self.plain(obj)
        return found

    def plain(self, obj: Mapping[str, Any]) -> Any:
        """Without what differs between two equal histories: uids, times, versions, and the name of the side."""
        text = json.dumps(_without(copy.deepcopy(dict(obj))))
        return json.loads(text.replace(f'"{self.name}', '"side'))


def _without(value: Any) -> Any:
    if isinstance(value, list):
        return [_without(item) for item in value]
    if not isinstance(value, dict):
        return value
    dropped = (
        "uid",
        "resourceVersion",
        "managedFields",
        "creationTimestamp",
        "deletionTimestamp",
        "lastTransitionTime",
        "clusterID",
        "infraID",
    )
    return {key: _without(item) for key, item in value.items() if key not in dropped}


def owner(resource: Resource, obj: Mapping[str, Any]) -> dict[str, str]:
    return {
        "apiVersion": resource.api_version,
        "kind": resource.kind,
        "name": obj["metadata"]["name"],
        "uid": obj["metadata"]["uid"],
    }


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
