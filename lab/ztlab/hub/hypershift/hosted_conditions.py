# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Validate a HostedCluster and render its conditions. Pure functions.

Source: openshift/hypershift api/hypershift/v1beta1/hostedcluster_types.go,
  hypershift-operator/controllers/hostedcluster/hostedcluster_controller.go.
"""

from __future__ import annotations

import dataclasses
import datetime
import ipaddress
from collections.abc import Collection, Mapping
from typing import Any

from ..conditions import Condition
from ..names import Object
from .conditions import AS_EXPECTED, WELL, no, unknown, yes
from .pool_conditions import minor, reconciliation
from .publishing import NODE_PORTS

OLDEST, NEWEST = 14, 24  # minors; 5.1 counts as 4.24


@dataclasses.dataclass(frozen=True)
class Facts:
    """The input of the validation of a HostedCluster. ``version`` "": the release image is invalid."""

    hosted: Object
    now: datetime.datetime
    version: str
    namespaces: Collection[str]
    pull_secret: bool


@dataclasses.dataclass(frozen=True)
class PlaneState:
    """How far the hosted control plane is, and what its guest says."""

    published: bool = False
    etcd: bool = False
    kube: bool = False
    ignition: bool = False
    nodes: int = 0
    # conditions of the ClusterVersion by type
    version: Mapping[str, Mapping[str, Any]] = dataclasses.field(default_factory=dict)


def problems(facts: Facts) -> str:
    """Why the configuration is invalid; "" when it is not."""
    spec = facts.hosted["spec"]
    found: list[str] = []
    agent = (spec["platform"].get("agent") or {}).get("agentNamespace")
    if spec["platform"]["type"] != "Agent":
        found.append(f"unsupported platform: {spec['platform']['type']}: this hub of the lab knows Agent")
    elif not agent:
        found.append("agent platform must specify an agent namespace")
    elif agent not in facts.namespaces:
        found.append(f'failed to get agent namespace: namespaces "{agent}" not found')
    found += _networks(spec.get("networking") or {})
    found += _services(spec)
    return "[" + ", ".join(found) + "]" if len(found) > 1 else "".join(found)


def _networks(networking: Mapping[str, Any]) -> list[str]:
    listed = [
        (f"spec.networking.{member}[{index}]", ipaddress.ip_network(entry["cidr"], strict=False))
        for member in ("machineNetwork", "clusterNetwork", "serviceNetwork")
        for index, entry in enumerate(networking.get(member) or [])
    ]
    found = []
    for place, (name, network) in enumerate(listed):
        for other, second in listed[place + 1 :]:
            if network.version == second.version and network.overlaps(second):
                found.append(f'{name}: Invalid value: "{network}": {name} and {other} overlap: {network} and {second}')
    return found


def _services(spec: Mapping[str, Any]) -> list[str]:
    text = str(
        (((spec.get("configuration") or {}).get("network") or {}).get("serviceNodePortRange"))
        or f"{NODE_PORTS[0]}-{NODE_PORTS[1]}"
    )
    first, _, last = text.partition("-")
    found, names = [], []
    for entry in spec["services"]:
        strategy = entry["servicePublishingStrategy"]
        port = int((strategy.get("nodePort") or {}).get("port") or 0)
        if (
            entry["service"] == "APIServer"
            and strategy["type"] == "NodePort"
            and port
            and not int(first) <= port <= int(last)
        ):
            found.append(
                f"nodePort {port} of service {entry['service']} is outside of the service node port range {text}"
            )
        names += [
            name for member in ("loadBalancer", "route") if (name := (strategy.get(member) or {}).get("hostname"))
        ]
    for name in sorted({name for name in names if names.count(name) > 1}):
        found.append(f"service type hostname {name} is used by more than one service")
    return found


def release_problem(version: str, image: str) -> str:
    if not version:
        return f"failed to lookup release image: no registry of the lab has {image}"
    number = minor(version)
    if number < OLDEST:
        return f"releases before 4.{OLDEST} are not supported. Attempting to use: {version}"
    if number > NEWEST:
        latest = NEWEST - 23
        return f"the latest version supported is: 5.{latest}. Attempting to use: {version}"
    return ""


def admission(facts: Facts) -> tuple[list[Condition], bool]:
    """The conditions of the first phase, and whether the cluster may go on."""
    spec = facts.hosted["spec"]
    problem = problems(facts)
    release = release_problem(facts.version, spec["release"]["image"])
    found = [
        reconciliation(spec.get("pausedUntil") or "", facts.now),
        yes("SupportedHostedCluster", "HostedCluster is supported by operator configuration"),
        no("ValidConfiguration", "InvalidConfiguration", problem)
        if problem
        else yes("ValidConfiguration", "Configuration passes validation"),
    ]
    if not facts.pull_secret:
        name = spec["pullSecret"]["name"]
        text = f'failed to get pull secret: secrets "{name}" not found'
        found.append(no("ValidReleaseImage", "SecretNotFound", text))
    else:
        found.append(
            no("ValidReleaseImage", "InvalidImage", release)
            if release
            else yes("ValidReleaseImage", "Release image is valid")
        )
    found.append(yes("PlatformCredentialsFound", "Required platform credentials are found"))
    found.append(yes("ValidProxyConfiguration", "No proxy is configured"))
    return found, not problem and not release and facts.pull_secret


def plane_conditions(state: PlaneState) -> list[Condition]:
    """The second to fourth phase."""
    kube_text = "Waiting for Kube API server deployment to become available"
    found = [
        yes("InfrastructureReady", WELL)
        if state.published
        else no("InfrastructureReady", "WaitingForAvailable", "a service cannot be published"),
        yes("ValidHostedControlPlaneConfiguration", "Configuration passes validation"),
        yes("EtcdAvailable", "", "QuorumAvailable")
        if state.etcd
        else no("EtcdAvailable", "EtcdWaitingForQuorum", "Waiting for etcd to reach quorum"),
        yes("KubeAPIServerAvailable", "Kube APIServer deployment is available")
        if state.kube
        else no("KubeAPIServerAvailable", "NotFound", kube_text),
        yes("IgnitionEndpointAvailable", "Ignition server deployment is available")
        if state.ignition
        else no("IgnitionEndpointAvailable", "NotFound", "Ignition server deployment not found"),
    ]
    if state.published and state.etcd and state.kube and state.ignition:
        found.append(yes("Available", "The hosted control plane is available"))
    else:
        waiting = next(condition for condition in found if condition.status != "True")
        found.append(
            no(
                "Available",
                "WaitingForAvailable",
                (f"Waiting for hosted control plane to be healthy: {waiting.type}: {waiting.message}"),
            )
        )
    for kind in ("DataPlaneConnectionAvailable", "ControlPlaneConnectionAvailable"):
        if state.nodes:
            found.append(yes(kind, WELL))
        else:
            found.append(unknown(kind, "NoWorkerNodesAvailable", "No worker nodes available"))
    return found


def version_conditions(state: PlaneState) -> list[Condition]:
    """The last phase: what the guest's ClusterVersion says."""
    waiting = "Condition not found in the CVO."

    def shown(kind: str, source: str, *, inverted: bool = False) -> Condition:
        entry = state.version.get(source)
        if not entry:
            return unknown(kind, "StatusUnknown", waiting)
        status = {"True": "False", "False": "True"}[entry["status"]] if inverted else entry["status"]
        return Condition(
            kind, status, str(entry.get("reason") or "FromClusterVersion"), str(entry.get("message") or "")
        )

    found = [
        shown("ClusterVersionSucceeding", "Failing", inverted=True),
        shown("ClusterVersionAvailable", "Available"),
        shown("ClusterVersionProgressing", "Progressing"),
    ]
    progressing = found[2]
    if progressing.status == "False":
        found.append(no("Progressing", AS_EXPECTED, "HostedCluster is at expected version"))
    else:
        found.append(yes("Progressing", progressing.message, progressing.reason))
    failing = found[0].status == "False"
    found.append(
        yes("Degraded", found[0].message, found[0].reason)
        if failing
        else no("Degraded", AS_EXPECTED, "The hosted cluster is not degraded")
    )
    return found
