# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Check whether enough hosts exist for the Machines that a pool requests, before the wait for them begins. Pure.

Source: openshift/cluster-api-provider-agent controllers/agentmachine_controller.go;
  openshift/hypershift hypershift-operator/controllers/nodepool/capi.go; docs/upstream/hypershift.md#operations.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...capi.choose.model import HostDemand, from_agent
from ...capi.choose.plan import choose
from ...capi.choose.selector import matches
from ...capi.objects import part
from ..names import control_plane_namespace
from .view import PoolView


def shortage(view: PoolView, spec: Mapping[str, Any]) -> str:
    """Why Machines of the pool with ``spec`` would have to wait for a host; empty if none would.

    Agents that are not readable do not count as missing.
    """
    if not view.agents:
        return ""
    selector = part(spec, "platform", "agent").get("agentLabelSelector")
    scaling = part(spec, "autoScaling")
    if scaling:
        matching = sum(matches(selector, agent.labels) for agent in view.agents if not agent.deleting)
        return (
            f"the autoscaler may ask for {scaling['max']} hosts, and {matching} Agents match the selector"
            if matching < int(scaling["max"])
            else ""
        )
    wanted = int(spec.get("replicas") or 0) - sum(machine.agent is not None for machine in view.staying)
    plane = control_plane_namespace(view.namespace, view.cluster)
    # No AgentMachine has a name with a dot in front, so that none of these has a host already.
    demands = [HostDemand(plane, f".{number}", selector) for number in range(max(0, wanted))]
    missing = len(choose(demands, [from_agent(agent) for agent in view.agents]).unassigned)
    if not missing:
        return ""
    machines = f"{wanted} more Machines" if wanted != 1 else "1 more Machine"
    fitting = wanted - missing
    return (
        f"{machines}, and {fitting} free Agents that match: {missing} would wait for a host (approved, "
        "validated, connected, not bound)"
    )
