# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Simulate a hub with Cluster API and Agents in memory: the parts of an API server on which reconcile passes rely, and
the actions of all other controllers, step by step.

The simulated API has versions, generations, a separate status, conflicts and finalizers. After ``dies_after`` writes
the client fails, as when a run is killed.
"""

from __future__ import annotations

import base64
import copy
import datetime
import json
import random
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from ansible_collections.zerotouch.openshift.plugins.module_utils.common.errors import RemoteError
from ansible_collections.zerotouch.openshift.plugins.module_utils.kube.client import Event
from ansible_collections.zerotouch.openshift.plugins.module_utils.kube.faults import ConflictError, ForbiddenError
from ansible_collections.zerotouch.openshift.plugins.module_utils.kube.write import merged

Object = dict[str, Any]
NS = "clusters-c1"
AGENTS = "hosts"
NOW = datetime.datetime(2026, 11, 21, 12, 0, 0, tzinfo=datetime.UTC)
_PATH = re.compile(
    r"^/(?:api/v1|apis/(?P<group>[^/]+)/(?P<version>[^/]+))(?:/namespaces/(?P<ns>[^/]+))?/(?P<plural>[^/]+)(?:/(?P<name>[^/]+))?(?:/(?P<sub>status))?$"
)
_WITH_STATUS = {
    "agentmachines",
    "agentclusters",
    "machines",
    "clusters",
    "agents",
    "clusterdeployments",
    "agentclusterinstalls",
}
CORE = "cluster.x-k8s.io"


class Died(Exception):
    """The process was killed."""


class Hub:
    service = "The hub's API"
    server = "https://hub"
    namespace = ""
    dry_run = False

    def __init__(self, *, core: tuple[str, ...] = ("v1beta2", "v1beta1"), provisioned: bool = False) -> None:
        self.objects: dict[tuple[str, str, str], Object] = {}
        self.writes: list[str] = []
        self.calls: Counter[str] = Counter()
        self.core = core
        self.provisioned = provisioned
        self.dies_after: int | None = None
        self.conflicts: list[str] = []  # plurals, each for one 409
        self.busy = 0.0  # share of patches before which another client changes the object
        self._random = random.Random(16)
        self.forbidden: set[str] = set()  # plurals, or verb and plural
        self.used: set[tuple[str, str, str]] = set()  # (namespace, resource, verb)
        self.groups = {
            CORE: list(core),
            "hypershift.openshift.io": ["v1beta1"],
            "capi-provider.agent-install.openshift.io": ["v1beta1", "v1alpha1"],
        }
        self._version = 100
        self._now = NOW

    # --- what a client does ---

    def server_time(self) -> datetime.datetime:
        return self._now

    def close(self) -> None:
        pass

    def in_check_mode(self, on: bool) -> Hub:
        """The same hub for a client whose writes are all dry runs."""
        self.dry_run = on
        return self

    def get(self, path: str, **_params: str) -> Object:
        self._alive()
        if path.startswith("/openapi/v3/apis/"):
            return self._openapi()
        if path.startswith("/apis/") and path.count("/") == 2:
            group = path.rpartition("/")[2]
            if group not in self.groups:
                raise RemoteError(self.service, 404, "the server could not find the requested resource", "NotFound")
            return {
                "versions": [
                    {"version": version, "groupVersion": f"{group}/{version}"} for version in self.groups[group]
                ]
            }
        if path == "/apis/hypershift.openshift.io/v1beta1":
            return {"resources": [{"name": "hostedcontrolplanes", "kind": "HostedControlPlane", "namespaced": True}]}
        found = self.find(path)
        if found is None:
            raise RemoteError(self.service, 404, "not found", "NotFound")
        return found

    def find(self, path: str) -> Object | None:
        self._alive()
        self.calls["get"] += 1
        plural, namespace, name, _sub = self._split(path)
        self.used.add((namespace, plural, "get"))
        return copy.deepcopy(self.objects.get((plural, namespace, name)))

    def list(self, path: str, *, label_selector: str = "", field_selector: str = "", trim: Any = dict) -> list[Object]:
        self._alive()
        self.calls["list"] += 1
        plural, namespace, _name, _sub = self._split(path)
        self.used.add((namespace, plural, "list"))
        objects = list(self.objects.items())  # another thread may write
        return [
            trim(copy.deepcopy(obj))
            for (kind, where, _n), obj in objects
            if kind == plural and namespace in ("", where)
        ]

    def follow(self, path: str, _seconds: float, **_selectors: str) -> Iterator[Event]:
        plural, namespace, _name, _sub = self._split(path)
        self.used.add((namespace, plural, "watch"))
        yield Event("LISTED", objects=tuple(self.list(path)))

    def create(self, path: str, body: Mapping[str, Any], *, dry_run: bool = False, **_params: str) -> Object:
        plural, namespace, _name, _sub = self._split(path)
        key = (plural, namespace, body["metadata"]["name"])
        self.used.add((namespace, plural, "create"))
        self._judge(plural, "create")
        if key in self.objects:
            raise ConflictError(self.service, 409, "it exists already", "AlreadyExists")
        stored = copy.deepcopy(dict(body))
        if plural in _WITH_STATUS:
            stored.pop("status", None)
        if dry_run or self.dry_run:
            return stored
        self._written(f"create {plural} {key[2]}")
        return self._store(key, stored)

    def merge_patch(self, path: str, patch: Mapping[str, Any], *, dry_run: bool = False, **_params: str) -> Object:
        plural, namespace, name, sub = self._split(path)
        self.used.add((namespace, f"{plural}/{sub}" if sub else plural, "patch"))
        self._judge(plural, "patch")
        if (plural, namespace, name) in self.objects and self._random.random() < self.busy:
            self.change(plural, name, {"metadata": {"annotations": {"other": str(self._version)}}}, namespace)
        before = self.objects.get((plural, namespace, name))
        if before is None:
            raise RemoteError(self.service, 404, f'{plural} "{name}" not found', "NotFound")
        version = patch.get("metadata", {}).get("resourceVersion")
        if version and version != before["metadata"]["resourceVersion"]:
            raise ConflictError(self.service, 409, "the object has been modified", "Conflict")
        after = merged(before, patch)
        if plural in _WITH_STATUS:
            kept = {"status": before["status"]} if "status" in before else {}
            after = {**before, "status": after.get("status", {})} if sub else {**after, **kept}
            if not sub and "status" not in before:
                after.pop("status", None)
        self._check(plural, after)
        if dry_run or self.dry_run:
            return dict(after)
        part = " status" if sub else ""
        self._written(f"patch {plural} {name}{part}")
        return self._store((plural, namespace, name), after)

    def delete(self, path: str, **_options: Any) -> bool:
        plural, namespace, name, _sub = self._split(path)
        self.used.add((namespace, plural, "delete"))
        self._judge(plural, "delete")
        obj = self.objects.get((plural, namespace, name))
        if obj is None or self.dry_run:
            return obj is not None
        self._written(f"delete {plural} {name}")
        self.remove(plural, namespace, name)
        return True

    # --- what all other actors do ---

    def put(self, plural: str, obj: Object) -> Object:
        metadata = obj["metadata"]
        return self._store((plural, metadata.get("namespace", ""), metadata["name"]), copy.deepcopy(obj))

    def at(self, plural: str, name: str, namespace: str = NS) -> Object:
        return self.objects[plural, namespace, name]

    def change(self, plural: str, name: str, patch: Object, namespace: str = NS) -> Object:
        return self._store((plural, namespace, name), merged(self.at(plural, name, namespace), patch))

    def remove(self, plural: str, namespace: str, name: str) -> None:
        obj = self.objects[plural, namespace, name]
        if obj["metadata"].get("finalizers"):
            self.change(plural, name, {"metadata": {"deletionTimestamp": "2026-11-21T12:30:00Z"}}, namespace)
        else:
            del self.objects[plural, namespace, name]

    def revive(self) -> None:
        """A new process."""
        self.dies_after = None

    def _alive(self) -> None:
        if self.dies_after is not None and self.dies_after < 0:
            raise Died

    def _written(self, what: str) -> None:
        self.calls["write"] += 1
        if self.dies_after is not None:
            self.dies_after -= 1
            if self.dies_after < 0:
                raise Died
        self.writes.append(what)

    def _judge(self, plural: str, verb: str) -> None:
        self._alive()
        if self.forbidden & {plural, f"{verb} {plural}"}:
            raise ForbiddenError(self.service, 403, f"{plural} is forbidden", "Forbidden")
        if plural in self.conflicts:
            self.conflicts.remove(plural)
            raise ConflictError(self.service, 409, "the object has been modified", "Conflict")

    @staticmethod
    def _check(plural: str, obj: Object) -> None:
        """The rules of the schema that upstream's controller is known to break."""
        if plural != "agentmachines":
            return
        for item in obj.get("status", {}).get("addresses") or []:
            assert 1 <= len(item["address"]) <= 256
        for item in obj.get("status", {}).get("conditions") or []:
            assert set(item) == {"type", "status", "reason", "message", "lastTransitionTime", "observedGeneration"}
            assert re.fullmatch(r"[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?", item["reason"])

    def _store(self, key: tuple[str, str, str], obj: Object) -> Object:
        before = self.objects.get(key)
        self._version += 1
        metadata = obj["metadata"]
        metadata["resourceVersion"] = str(self._version)
        metadata.setdefault("uid", f"uid-{self._version}")
        metadata.setdefault("creationTimestamp", "2026-11-21T11:00:00Z")
        metadata.setdefault("generation", 1)
        if before is not None and before.get("spec") != obj.get("spec"):
            metadata["generation"] = before["metadata"]["generation"] + 1
        for name in ("labels", "annotations", "finalizers", "ownerReferences"):
            if name in metadata and not metadata[name]:
                del metadata[name]
        self.objects[key] = obj
        if metadata.get("deletionTimestamp") and not metadata.get("finalizers"):
            del self.objects[key]
        return copy.deepcopy(obj)

    def _openapi(self) -> Object:
        initialization = (
            {"initialization": {"type": "object", "properties": {"provisioned": {"type": "boolean"}}}}
            if self.provisioned
            else {}
        )
        names = {"group": "capi-provider.agent-install.openshift.io", "version": "v1beta1"}
        return {
            "components": {
                "schemas": {
                    kind: {
                        "properties": {"status": {"properties": {"ready": {}, **initialization}}},
                        "x-kubernetes-group-version-kind": [{**names, "kind": kind}],
                    }
                    for kind in ("AgentCluster", "AgentMachine")
                }
            }
        }

    def _split(self, path: str) -> tuple[str, str, str, str]:
        match = _PATH.match(path)
        assert match, path
        if match["group"] == CORE and match["version"] not in self.core:
            raise RemoteError(self.service, 404, "the server could not find the requested resource", "NotFound")
        return match["plural"], match["ns"] or "", match["name"] or "", match["sub"] or ""


# --- what stands on the hub when a pass begins ---


def condition(kind: str, status: str, reason: str = "Because", message: str = "") -> Object:
    return {
        "type": kind,
        "status": status,
        "reason": reason,
        "message": message,
        "lastTransitionTime": "2026-11-21T11:00:00Z",
    }


# Fields that differ between two equal histories: uids, times and versions.
DROPPED = (
    "uid",
    "resourceVersion",
    "managedFields",
    "creationTimestamp",
    "deletionTimestamp",
    "lastTransitionTime",
    "clusterID",
    "infraID",
)
# State -> (Bound, Validated, RequirementsMet, Installed), each status/reason.
# Source: openshift/assisted-service internal/controller/controllers/agent_controller.go.
STATES = {
    "known-unbound": ("False/Unbound", "True/ValidationsPassing", "True/AgentIsReady", "False/InstallationNotStarted"),
    "discovering-unbound": (
        "False/Unbound",
        "Unknown/ValidationsUnknown",
        "False/AgentNotReady",
        "False/InstallationNotStarted",
    ),
    "unbinding-pending-user-action": (
        "False/UnbindingPendingUserAction",
        "False/Unbinding",
        "False/Unbinding",
        "False/Unbinding",
    ),
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
    "error": ("True/Bound", "True/ValidationsPassing", "True/AgentInstallationStopped", "False/InstallationFailed"),
    "unbinding": ("False/Unbinding", "False/Unbinding", "False/Unbinding", "False/Unbinding"),
    "reclaiming": ("True/Bound", "True/ValidationsPassing", "Unknown/UnknownStatus", "Unknown/UnknownStatus"),
}


def agent_status(number: int, state: str, hostname: str = "", ipv6: bool = False) -> Object:
    pairs = [pair.split("/") for pair in STATES[state]]
    kinds = ("Bound", "Validated", "RequirementsMet", "Installed")
    addresses = {"ipV6Addresses": [f"2001:db8::{number}/64", "fe80::1/64"]} if ipv6 else {}
    interface = {
        "name": "eth0",
        "macAddress": f"52:54:00:00:00:{number:02x}",
        "hasCarrier": True,
        "ipV4Addresses": [f"192.0.2.{number}/24"],
        **addresses,
    }
    return {
        "conditions": [
            condition("SpecSynced", "True", "SyncOK", "The Spec has been successfully applied"),
            condition("Connected", "True", "AgentIsConnected"),
            *(
                condition(kind, status, reason, f"the {kind} of {state}")
                for kind, (status, reason) in zip(kinds, pairs, strict=True)
            ),
        ],
        "debugInfo": {"state": state},
        "inventory": {
            "hostname": hostname,
            "interfaces": [interface],
            "cpu": {"count": 8, "architecture": "x86_64"},
            "memory": {"physicalBytes": 2**35},
        },
    }


def agent(
    number: int,
    *,
    state: str = "known-unbound",
    labels: Mapping[str, str] | None = None,
    hostname: str | None = None,
    **spec: Any,
) -> Object:
    name = f"worker-{number}" if hostname is None else hostname
    return {
        "apiVersion": "agent-install.openshift.io/v1beta1",
        "kind": "Agent",
        "metadata": {"name": f"agent-{number}", "namespace": AGENTS, "labels": dict(labels or {})},
        "spec": {"approved": True, **spec},
        "status": agent_status(number, state, name),
    }


def core_reference(version: str, kind: str, name: str, group: str) -> Object:
    if version == "v1beta1":
        return {"apiVersion": f"{group}/v1beta1", "kind": kind, "name": name, "namespace": NS}
    return {"apiGroup": group, "kind": kind, "name": name}


def stand(hub: Hub, machines: int = 1, agents: int = 1, *, endpoint: bool = True) -> None:
    """A hosted control plane with its Cluster, AgentCluster and this many Machines that wait; Agents in a namespace of
    their own.
    """
    provider, version = "capi-provider.agent-install.openshift.io", hub.core[0]
    hub.put(
        "hostedcontrolplanes",
        {
            "metadata": {"name": "c1", "namespace": NS},
            "spec": {"dns": {"baseDomain": "example.com"}, "pullSecret": {"name": "pull"}},
            "status": {"kubeConfig": {"name": "admin"}, "kubeadminPassword": {"name": "kubeadmin"}},
        },
    )
    for name in ("pull", "admin", "kubeadmin"):
        hub.put("secrets", {"metadata": {"name": name, "namespace": NS}, "data": {}})
    cluster = hub.put(
        "clusters",
        {
            "metadata": {"name": "c1", "namespace": NS},
            "spec": {
                "controlPlaneRef": core_reference(version, "HostedControlPlane", "c1", "hypershift.openshift.io"),
                "infrastructureRef": core_reference(version, "AgentCluster", "c1", provider),
            },
        },
    )
    owner = {"apiVersion": f"{CORE}/{version}", "kind": "Cluster", "name": "c1", "uid": cluster["metadata"]["uid"]}
    spec = {"ignitionEndpoint": {"url": "https://ign.example.com:443/ignition"}}
    spec |= {"controlPlaneEndpoint": {"host": "api.c1.example.com", "port": 6443}} if endpoint else {}
    hub.put(
        "agentclusters",
        {
            "apiVersion": f"{provider}/v1beta1",
            "kind": "AgentCluster",
            "metadata": {"name": "c1", "namespace": NS, "ownerReferences": [owner]},
            "spec": spec,
        },
    )
    hub.put("secrets", {"metadata": {"name": "user-data", "namespace": NS}, "data": {"value": bootstrap_data()}})
    for number in range(machines):
        add_machine(hub, f"pool-{number}", created=f"2026-11-21T11:00:{number:02d}Z")
    for number in range(1, agents + 1):
        hub.put("agents", agent(number))


def bootstrap_data(
    token: str = "c2VjcmV0", source: str = "https://ign.example.com:443/ignition", header: str = "Authorization"
) -> str:
    headers = [{"name": header, "value": f"Bearer {token}"}, {"name": "NodePool", "value": "clusters/pool"}]
    document = {"ignition": {"version": "3.2.0", "config": {"merge": [{"source": source, "httpHeaders": headers}]}}}
    return base64.b64encode(json.dumps(document).encode()).decode()


def add_machine(
    hub: Hub,
    name: str,
    *,
    selector: Object | None = None,
    secret: str = "user-data",
    created: str = "2026-11-21T11:00:00Z",
    pool: str = "pool",
) -> None:
    labels = {"cluster.x-k8s.io/cluster-name": "c1", "cluster.x-k8s.io/deployment-name": pool}
    bootstrap = {"dataSecretName": secret} if secret else {}
    machine = hub.put(
        "machines",
        {
            "metadata": {"name": name, "namespace": NS, "labels": labels, "finalizers": ["machine.cluster.x-k8s.io"]},
            "spec": {"clusterName": "c1", "bootstrap": bootstrap},
        },
    )
    owner = {"apiVersion": f"{CORE}/{hub.core[0]}", "kind": "Machine", "name": name, "uid": machine["metadata"]["uid"]}
    spec = {"agentLabelSelector": selector} if selector is not None else {}
    hub.put(
        "agentmachines",
        {
            "apiVersion": "capi-provider.agent-install.openshift.io/v1beta1",
            "kind": "AgentMachine",
            "metadata": {"name": name, "namespace": NS, "ownerReferences": [owner], "creationTimestamp": created},
            "spec": spec,
        },
    )


def delete_machine(hub: Hub, name: str, *, v1beta1: bool = False) -> None:
    """The Machine is deleted, its Node drained, and it waits at the hook."""
    hub.remove("machines", NS, name)
    if v1beta1:
        waiting = {
            "deprecated": {
                "v1beta1": {
                    "conditions": [condition("PreTerminateDeleteHookSucceeded", "False", "WaitingExternalHook")]
                }
            }
        }
    else:
        waiting = {"conditions": [condition("Deleting", "True", "WaitingForPreTerminateHook")]}
    hub.change("machines", name, {"status": waiting})


def finish_deletion(hub: Hub, name: str) -> None:
    """Cluster API core goes on where no hook is left: the AgentMachine is deleted, then the Machine."""
    machine = hub.objects.get(("machines", NS, name))
    hooks = (
        [key for key in machine["metadata"].get("annotations", {}) if key.startswith("pre-terminate")]
        if machine
        else []
    )
    if machine is None or not machine["metadata"].get("deletionTimestamp") or hooks:
        return
    hub.change(
        "machines",
        name,
        {
            "status": {
                "conditions": [condition("Deleting", "True", "WaitingForInfrastructureDeletion")],
                "deprecated": None,
            }
        },
    )
    if ("agentmachines", NS, name) in hub.objects:
        hub.remove("agentmachines", NS, name)
    if ("agentmachines", NS, name) not in hub.objects:
        hub.change("machines", name, {"metadata": {"finalizers": []}})


def settle_agents(hub: Hub) -> bool:
    """The operator's next move for every Agent; whether there was one."""
    moves = {
        "binding": "installing-in-progress",
        "installing-in-progress": "added-to-existing-cluster",
        "unbinding": "discovering-unbound",
        "discovering-unbound": "known-unbound",
        "reclaiming": "discovering-unbound",
    }
    moved = False
    for (plural, namespace, name), obj in list(hub.objects.items()):
        if plural != "agents":
            continue
        state, bound = obj["status"]["debugInfo"]["state"], bool(obj["spec"].get("clusterDeploymentName"))
        following = moves.get(state, state)
        if bound and state == "known-unbound":
            following = "binding"
        if not bound and state in ("binding", "installing-in-progress", "added-to-existing-cluster"):
            following = "reclaiming" if state == "added-to-existing-cluster" else "unbinding"
        if following != state:
            moved = True
            hostname = obj["status"]["inventory"]["hostname"]
            hub.change(
                "agents",
                name,
                {"status": {**agent_status(int(name.rpartition("-")[2]), following, hostname)}},
                namespace,
            )
    return moved
