# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Render the status of a Machine from its bootstrap, infrastructure and Node objects. Pure functions."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from ..conditions import Condition, find
from ..names import Object, deleting
from . import conditions as made
from .conditions import false, read, true, unknown
from .shape import controller_of, new_conditions, node_name, old_conditions, with_conditions

READY_REASONS = ("Ready", "NotReady", "ReadyUnknown")
NODE_INFO = (
    "architecture",
    "bootID",
    "containerRuntimeVersion",
    "kernelVersion",
    "kubeProxyVersion",
    "kubeletVersion",
    "machineID",
    "operatingSystem",
    "osImage",
    "systemUUID",
)
PRESSURES = ("MemoryPressure", "DiskPressure", "PIDPressure")


@dataclasses.dataclass(frozen=True)
class Parts:
    """``provisioned``: whether the infrastructure says that it is there; ``nodes_known``: whether the workload
    cluster's Nodes could be read; ``deletion``: the condition Deleting of a Machine that goes; ``bootstrap``: what its
    bootstrap.configRef names.
    """

    infrastructure: Object | None = None
    provisioned: bool = False
    node: Object | None = None
    nodes_known: bool = False
    deletion: Condition | None = None
    old_deletion: tuple[Condition, ...] = ()
    paused: bool = False
    bootstrap: Object | None = None


def bootstrap_ready(machine: Mapping[str, Any]) -> bool:
    return bool((machine["spec"].get("bootstrap") or {}).get("dataSecretName"))


def infrastructure_ready(machine: Mapping[str, Any], parts: Parts) -> bool:
    """Once true it stays."""
    status = machine.get("status") or {}
    before = status.get("infrastructureReady") or (status.get("initialization") or {}).get("infrastructureProvisioned")
    return bool(before) or parts.provisioned


def phase(machine: Object, parts: Parts) -> str:
    if deleting(machine):
        return "Deleting"
    ready = infrastructure_ready(machine, parts)
    if ready and (parts.node is not None or node_name(machine)):
        return "Running"
    if ready and machine["spec"].get("providerID"):
        return "Provisioned"
    return "Provisioning" if bootstrap_ready(machine) else "Pending"


def _bootstrap(machine: Object, parts: Parts) -> tuple[Condition, Condition]:
    """Both mirror Ready of the bootstrap config, where it has one."""
    mirrored = read(((parts.bootstrap or {}).get("status") or {}).get("conditions"), "Ready")
    if mirrored is not None:
        old = dataclasses.replace(
            mirrored, type="BootstrapReady", reason="" if mirrored.status == "True" else mirrored.reason
        )
        return dataclasses.replace(mirrored, type="BootstrapConfigReady"), old
    if bootstrap_ready(machine):
        return true("BootstrapConfigReady", "DataSecretProvided"), true("BootstrapReady", "")
    text = "Waiting for spec.bootstrap.dataSecretName"
    return false("BootstrapConfigReady", "NotReady", text), false("BootstrapReady", "WaitingForDataSecret", text)


def _infrastructure(machine: Object, parts: Parts) -> tuple[Condition, Condition]:
    """Both mirror Ready of the infrastructure object, where it has one."""
    item = parts.infrastructure
    reference = machine["spec"]["infrastructureRef"]
    if item is None:
        text = f"{reference.get('kind')} {reference.get('name')} does not exist"
        reason = "Deleted" if deleting(machine) else "DoesNotExist"
        return false("InfrastructureReady", reason, text), false(
            "InfrastructureReady", "Deleted" if deleting(machine) else "WaitingForInfrastructure", ""
        )
    mirrored = read((item.get("status") or {}).get("conditions"), "Ready")
    if mirrored is not None:
        same = dataclasses.replace(mirrored, type="InfrastructureReady")
        return same, dataclasses.replace(same, reason="" if same.status == "True" else same.reason)
    if parts.provisioned:
        return true("InfrastructureReady", "Ready"), true("InfrastructureReady", "")
    text = f"{item['kind']} status.ready is false"
    return false("InfrastructureReady", "NotReady", text), false("InfrastructureReady", "WaitingForInfrastructure", "")


def _node(machine: Object, parts: Parts) -> tuple[list[Condition], Condition | None]:
    """NodeReady and NodeHealthy; the form of v1beta1 says nothing before the infrastructure is there."""
    if parts.node is not None:
        return _node_there(parts.node)
    if node_name(machine) and parts.nodes_known:
        text = f"Node {node_name(machine)} has been deleted"
        return [false(kind, "Deleted", text) for kind in ("NodeReady", "NodeHealthy")], false(
            "NodeHealthy", "NodeNotFound", text
        )
    if node_name(machine):
        text = f"Please check the remote connection to the cluster of Node {node_name(machine)}"
        return [unknown(kind, "InspectionFailed", text) for kind in ("NodeReady", "NodeHealthy")], None
    if machine["spec"].get("providerID") and infrastructure_ready(machine, parts):
        text = f"Waiting for a Node with spec.providerID {machine['spec']['providerID']} to exist"
        return [unknown(kind, "DoesNotExist", text) for kind in ("NodeReady", "NodeHealthy")], false(
            "NodeHealthy", "NodeProvisioning", text
        )
    text = f"Waiting for {machine['spec']['infrastructureRef'].get('kind')} to report spec.providerID"
    return [unknown(kind, "DoesNotExist", text) for kind in ("NodeReady", "NodeHealthy")], None


def _node_there(node: Object) -> tuple[list[Condition], Condition]:
    listed = (node.get("status") or {}).get("conditions") or []
    ready = find(listed, "Ready")
    status = str(ready.get("status") or "Unknown")
    text = str(ready.get("message") or "")
    reason = {"True": "NodeReady", "False": "NodeNotReady"}.get(status, "NodeReadyUnknown")
    shown = Condition("NodeReady", status, reason, "" if status == "True" else text)
    pressed = [kind for kind in PRESSURES if find(listed, kind).get("status") == "True"]
    why = text or reason
    problems = [
        *([f"* Node.Ready: {why}"] if status != "True" else []),
        *(f"* Node.{kind}: {kind} is True" for kind in pressed),
    ]
    if not problems:
        return [shown, true("NodeHealthy", "NodeHealthy")], true("NodeHealthy", "")
    message = "\n".join(problems)
    if status == "Unknown" and not pressed:
        return [shown, unknown("NodeHealthy", "NodeHealthUnknown", message)], unknown(
            "NodeHealthy", "NodeConditionsFailed", message
        )
    return [shown, false("NodeHealthy", "NodeNotHealthy", message)], false(
        "NodeHealthy", "NodeConditionsFailed", message
    )


def _old_ready(bootstrap: Condition, infrastructure: Condition) -> Condition:
    """The summary of v1beta1: the first that is not true speaks, or the number of those that are."""
    parts = (bootstrap, infrastructure)
    done = sum(part.status == "True" for part in parts)
    bad = next((part for part in (infrastructure, bootstrap) if part.status != "True"), None)
    if bad is None:
        return true("Ready", "")
    return Condition("Ready", bad.status, bad.reason, bad.message or f"{done} of {len(parts)} completed")


def machine_status(machine: Object, parts: Parts, now: str, *, v1beta2: bool) -> Object:
    """The whole status."""
    generation = int(machine["metadata"].get("generation") or 1)
    bootstrap, infrastructure, (node, old_node) = (
        _bootstrap(machine, parts),
        _infrastructure(machine, parts),
        _node(machine, parts),
    )
    going = parts.deletion or false("Deleting", "NotDeleting")
    ready = made.summary(
        "Ready",
        [bootstrap[0], infrastructure[0], node[1], going],
        reasons=READY_REASONS,
        negative=frozenset({"Deleting"}),
    )
    available = true("Available", "Available") if ready.status == "True" else false("Available", "NotReady")
    # The owner of a control plane's Machines says itself whether they are up to date.
    up_to_date = (
        [] if controller_of(machine).get("kind") == "OpenshiftAssistedControlPlane" else [true("UpToDate", "UpToDate")]
    )
    pause = true("Paused", "Paused") if parts.paused else false("Paused", "NotPaused")
    new = made.new_form(
        new_conditions(machine),
        [available, ready, *up_to_date, bootstrap[0], infrastructure[0], *node, going, pause],
        now,
        generation,
    )
    wanted = [
        _old_ready(bootstrap[1], infrastructure[1]),
        bootstrap[1],
        infrastructure[1],
        *([old_node] if old_node else []),
        *parts.old_deletion,
    ]
    old = made.old_form(old_conditions(machine), wanted, now)
    status = with_conditions(machine.get("status") or {}, v1beta2=v1beta2, new=new, old=old)
    status |= _progress(machine, parts, v1beta2=v1beta2)
    if status.get("phase") != phase(machine, parts):
        status |= {"phase": phase(machine, parts), "lastUpdated": now}
    return {**status, "observedGeneration": generation}


def _progress(machine: Object, parts: Parts, *, v1beta2: bool) -> Object:
    done = {"infrastructure": infrastructure_ready(machine, parts), "bootstrap": bootstrap_ready(machine)}
    if v1beta2:
        names = {"infrastructure": "infrastructureProvisioned", "bootstrap": "bootstrapDataSecretCreated"}
        initialization = {names[part]: True for part, value in done.items() if value}
        status: Object = {"initialization": initialization} if initialization else {}
    else:
        status = {"infrastructureReady": done["infrastructure"], "bootstrapReady": done["bootstrap"]}
    addresses = ((parts.infrastructure or {}).get("status") or {}).get("addresses")
    if addresses and done["infrastructure"]:
        status["addresses"] = addresses
    if parts.node is None:
        return status
    metadata = parts.node["metadata"]
    reference = (
        {"name": metadata["name"]}
        if v1beta2
        else {"apiVersion": "v1", "kind": "Node", "name": metadata["name"], "uid": metadata["uid"]}
    )
    info = (parts.node.get("status") or {}).get("nodeInfo") or {}
    return (
        status
        | {"nodeRef": reference}
        | ({"nodeInfo": {name: info[name] for name in NODE_INFO}} if all(name in info for name in NODE_INFO) else {})
    )
