# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Choose the Agent of an AgentMachine: the first free and valid Agent that its label selector matches. Pure functions.

Source: openshift/cluster-api-provider-agent controllers/agentmachine_controller.go.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from ...conditions import find
from ...names import Object, annotations_of, labels_of
from ..kinds import AGENT_MACHINE_NAMESPACE, AGENT_MACHINE_REF

VALUE = re.compile(r"^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$")
LONGEST = 63


class InvalidSelector(ValueError):
    """A label selector that Kubernetes rejects as invalid."""


def valid(agent: Mapping[str, Any]) -> bool:
    """Whether an Agent is approved, unbound, connected and validated; no other field counts."""
    conditions = (agent.get("status") or {}).get("conditions")
    wanted = (("Bound", "False"), ("Connected", "True"), ("Validated", "True"))
    return bool(agent["spec"].get("approved")) and all(
        find(conditions, kind).get("status") == status for kind, status in wanted
    )


def selects(selector: Mapping[str, Any] | None, labels: Mapping[str, str]) -> bool:
    """None and {} select every Agent. Raises InvalidSelector."""
    for key, value in ((selector or {}).get("matchLabels") or {}).items():
        check_value(key, value)
        if labels.get(key) != value:
            return False
    return all(_holds(entry, labels) for entry in (selector or {}).get("matchExpressions") or ())


def check_value(key: str, value: str) -> None:
    """Raises InvalidSelector for a value that no label can have."""
    if len(value) > LONGEST:
        raise InvalidSelector(f'values[0][{key}]: Invalid value: "{value}": must be no more than {LONGEST} bytes')
    if not VALUE.match(value):
        raise InvalidSelector(f'values[0][{key}]: Invalid value: "{value}": no valid label value')


def _holds(entry: Mapping[str, Any], labels: Mapping[str, str]) -> bool:
    key, operator, values = entry["key"], entry["operator"], entry.get("values") or []
    present = labels.get(key)
    if operator in ("In", "NotIn"):
        if not values:
            raise InvalidSelector("values: Invalid value: null: for 'in', 'notin' operators, values set can't be empty")
        return (present in values) is (operator == "In")
    if operator in ("Exists", "DoesNotExist"):
        if values:
            raise InvalidSelector("values: Invalid value: values set must be empty for exists and does not exist")
        return (present is not None) is (operator == "Exists")
    raise InvalidSelector(f'"{operator}" is not a valid label selector operator')


def mine(machine: Object, agents: list[Object]) -> Object | None:
    """An Agent that carries this machine's name already, with any writer.

    Raises InvalidSelector for a name that is too long.
    """
    name = machine["metadata"]["name"]
    check_value(AGENT_MACHINE_REF, name)
    return next((agent for agent in agents if labels_of(agent).get(AGENT_MACHINE_REF) == name), None)


def candidates(machine: Object, agents: list[Object]) -> list[Object]:
    """In the order of the list. Raises InvalidSelector."""
    selector = machine["spec"].get("agentLabelSelector")
    free = [agent for agent in agents if AGENT_MACHINE_REF not in labels_of(agent)]
    return [agent for agent in free if selects(selector, labels_of(agent)) and valid(agent)]


def claimed(agent: Object, machine: Object, cluster: Mapping[str, Any], boot: Mapping[str, Any]) -> Object:
    """The Agent after the claim. ``boot``: the three members that come from the bootstrap data."""
    metadata = agent["metadata"]
    labels = {**labels_of(agent), AGENT_MACHINE_REF: machine["metadata"]["name"]}
    annotations = {**annotations_of(agent), AGENT_MACHINE_NAMESPACE: machine["metadata"]["namespace"]}
    reference = {name: cluster[name] for name in ("name", "namespace") if cluster.get(name)}
    spec = {**with_boot(agent, boot)["spec"], "clusterDeploymentName": reference}
    return {**agent, "metadata": {**metadata, "labels": labels, "annotations": annotations}, "spec": spec}


BOOT = ("machineConfigPool", "ignitionEndpointTokenReference", "ignitionEndpointHTTPHeaders")


def with_boot(agent: Object, boot: Mapping[str, Any]) -> Object:
    """The Agent with exactly these three members; what is empty is left out."""
    spec = {name: value for name, value in agent["spec"].items() if name not in BOOT}
    return {**agent, "spec": {**spec, **{name: boot[name] for name in BOOT if boot.get(name)}}}


def released(agent: Object) -> Object:
    """The Agent after it was released."""
    metadata = agent["metadata"]
    labels = {name: value for name, value in labels_of(agent).items() if name != AGENT_MACHINE_REF}
    annotations = {name: value for name, value in annotations_of(agent).items() if name != AGENT_MACHINE_NAMESPACE}
    spec = {name: value for name, value in agent["spec"].items() if name not in (*BOOT, "clusterDeploymentName")}
    return {**agent, "metadata": {**metadata, "labels": labels, "annotations": annotations}, "spec": spec}


def addresses(agent: Mapping[str, Any]) -> list[Object]:
    """Of the interfaces with a carrier the IPv4 addresses, then the name; an empty name is written all the same.

    Raises ValueError for an address without a prefix, on which upstream's program panics.
    """
    inventory = (agent.get("status") or {}).get("inventory") or {}
    found = [
        {"type": "ExternalIP", "address": address[: address.rindex("/")]}
        for nic in inventory.get("interfaces") or []
        if nic.get("hasCarrier")
        for address in nic.get("ipV4Addresses") or []
    ]
    return [
        *found,
        {"type": "InternalDNS", "address": agent["spec"].get("hostname") or inventory.get("hostname") or ""},
    ]
