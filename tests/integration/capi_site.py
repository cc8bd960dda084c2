# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Fill a real API server with upstream's definitions and with the Cluster API objects of a cluster, for tests of the
Agent provider.

Modules that import this file are skipped if upstream's definitions (``crds``) are missing.
"""

from __future__ import annotations

import base64
import copy
import json
from collections.abc import Iterator, Mapping
from typing import Any

import yaml
from ansible_collections.zerotouch.openshift.plugins.module_utils.capi.kinds import (
    AGENT_CLUSTER,
    AGENT_MACHINE,
    CoreKinds,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.hub.kinds import (
    AGENT,
    AGENT_CLUSTER_INSTALL,
    CLUSTER_DEPLOYMENT,
    NAMESPACE,
    SECRET,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.kube.resource import Resource
from ansible_collections.zerotouch.openshift.tests.support import upstream
from ansible_collections.zerotouch.openshift.tests.support.hub.capi import DROPPED, STATES
from ansible_collections.zerotouch.openshift.tests.support.real_api import RealApi

CRDS = upstream.required("crds")
CORE = CoreKinds("v1beta2")
CONTROL_PLANE = Resource("hypershift.openshift.io", "v1beta1", "HostedControlPlane", "hostedcontrolplanes")
# What upstream's controller reads besides what it writes.
INPUTS = (CORE.cluster, CONTROL_PLANE)
KINDS = (AGENT_CLUSTER, CLUSTER_DEPLOYMENT, AGENT_CLUSTER_INSTALL, AGENT_MACHINE, CORE.machine, SECRET)
THEIRS, OURS = "theirs", "ours"


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
    return {key: _without(item) for key, item in value.items() if key not in DROPPED}


def owner(resource: Resource, obj: Mapping[str, Any]) -> dict[str, str]:
    return {
        "apiVersion": resource.api_version,
        "kind": resource.kind,
        "name": obj["metadata"]["name"],
        "uid": obj["metadata"]["uid"],
    }
