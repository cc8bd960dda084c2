# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Check whether an Agent may serve a demand (a Machine that needs a host), and find the first hard rule that it fails.

Upstream requires that the Agent is approved, Connected and Validated, has Bound False, matches the selector and has no
reservation. This collection also requires that the Agent is not being deleted, is not being bound to a cluster
(``clusterDeploymentName`` is set, Bound is not reported yet) and is in the one state from which binding works.

Source: openshift/cluster-api-provider-agent controllers/agentmachine_controller.go.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

from ...cluster.host_states import BINDABLE, UNBOUND
from .model import AgentFacts, HostDemand, Rejection
from .selector import Requirement, read_selector, selector_text

# In the order in which they are checked, with the words that count hosts: "3 of 8 Agents <words>".
RULES = {
    "pinned": "not the one that it is pinned to",
    "namespace": "in another namespace",
    "deleting": "being deleted",
    "approved": "not approved",
    "bound": "bound, or on the way into or out of a cluster",
    "reserved": "reserved for other Machines",
    "connected": "not connected",
    "validated": "with validations that do not pass",
    "state": f"not in state {BINDABLE}",
    "selector": "without the labels that are asked for",
    "architecture": "of another architecture",
    "cpus": "with too few CPUs",
    "memory": "with too little memory",
    "disk": "without a disk that is large enough",
    # These two are no rules but who else was served.
    "taken": "serving other Machines",
    "other": "not needed",
}
_GIB, _GB = 1 << 30, 10**9
# NodePools and Go say the one, inventories of hosts the other.
_ARCHITECTURES = {"amd64": "x86_64", "arm64": "aarch64"}


@dataclasses.dataclass(frozen=True)
class Need:
    """What demands ask of a host. Demands with equal needs suit the same hosts."""

    requirements: tuple[Requirement, ...] = ()
    architecture: str = ""
    cpus: int = 0
    memory_bytes: int = 0
    disk_bytes: int = 0
    agent_namespace: str = ""
    pinned: str = ""


def need_of(demand: HostDemand, pinned: str = "") -> Need:
    """Raises :class:`InvalidInput` for a selector that is none."""
    return Need(
        requirements=read_selector(demand.selector),
        architecture=normal_architecture(demand.architecture),
        cpus=demand.cpus,
        memory_bytes=demand.memory_bytes,
        disk_bytes=demand.disk_bytes,
        agent_namespace=demand.agent_namespace,
        pinned=pinned,
    )


def normal_architecture(architecture: str) -> str:
    """One spelling of an architecture."""
    return _ARCHITECTURES.get(architecture.lower(), architecture.lower())


def is_named(host: AgentFacts, name: str) -> bool:
    """Whether ``name`` is this Agent, ``name`` or ``namespace/name``, or its hostname."""
    return name in (host.name, f"{host.namespace}/{host.name}") or (bool(host.hostname) and name == host.hostname)


def objection(need: Need, host: AgentFacts) -> Rejection | None:
    """The first rule that the host fails for this need; None if it suits."""
    if need.pinned and not is_named(host, need.pinned):
        return Rejection("pinned", f"is not {need.pinned}, which the Machine is pinned to")
    if need.agent_namespace and host.namespace != need.agent_namespace:
        return Rejection("namespace", f"is not in namespace {need.agent_namespace}")
    return unusable(host) or next(_unsuitable(need, host), None)


def unusable(host: AgentFacts) -> Rejection | None:
    """The first rule that the host fails for all Machines."""
    if host.deleting:
        return Rejection("deleting", "is being deleted")
    if not host.approved:
        return Rejection("approved", "is not approved")
    if words := _bound(host):
        return Rejection("bound", words)
    if host.reserved_by:
        namespace, name = host.holder or ("", host.reserved_by)
        prefix = namespace + "/" if namespace else ""
        return Rejection("reserved", f"is reserved for Machine {prefix}{name}")
    if not host.connected:
        return Rejection("connected", "is not connected")
    if not host.validated:
        return Rejection("validated", "has validations that do not pass")
    if host.state and host.state != BINDABLE:
        return Rejection("state", f"is in state {host.state}; an Agent can be bound only in state {BINDABLE}")
    return None


def _bound(host: AgentFacts) -> str:
    if host.cluster is not None:
        return (
            f"is bound to cluster {host.cluster}"
            if host.bound == "True"
            else f"is being bound to cluster {host.cluster}"
        )
    if host.bound != "False":
        return "is still bound to a cluster" if host.bound == "True" else "has no condition Bound yet"
    return f"is in state {host.state}" if host.state and host.state not in UNBOUND else ""


def _unsuitable(need: Need, host: AgentFacts) -> Iterator[Rejection]:
    failed = tuple(requirement for requirement in need.requirements if not requirement.holds(host.labels))
    if failed:
        yield Rejection("selector", f"does not fit the selector: {selector_text(failed)}")
    if need.architecture and normal_architecture(host.architecture) != need.architecture:
        actual = normal_architecture(host.architecture) or "of an unknown architecture"
        yield Rejection("architecture", f"is {actual}, not {need.architecture}")
    if host.cpus < need.cpus:
        yield Rejection("cpus", f"has {host.cpus} CPUs, fewer than {need.cpus}")
    if host.memory_bytes < need.memory_bytes:
        yield Rejection(
            "memory",
            (f"has {_size(host.memory_bytes, _GIB)} GiB of memory, less than {_size(need.memory_bytes, _GIB)}"),
        )
    if host.disk_bytes < need.disk_bytes:
        yield Rejection(
            "disk",
            (f"has no disk of {_size(need.disk_bytes, _GB)} GB; the largest is of {_size(host.disk_bytes, _GB)}"),
        )


def size_text(host: AgentFacts) -> str:
    """The size of a host in words."""
    return f"{host.cpus} CPUs, {_size(host.memory_bytes, _GIB)} GiB of memory, {_size(host.disk_bytes, _GB)} GB of disk"


def _size(size: int, unit: int) -> str:
    return format(size / unit, ".6g")
