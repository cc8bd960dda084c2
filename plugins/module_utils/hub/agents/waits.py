# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Determine whether a host has reached the state that a task waits for, and whether it still can. Pure.

Source: openshift/assisted-service internal/controller/controllers/agent_controller.go,
  internal/controller/controllers/agent_reclaimer.go, internal/host/statemachine.go;
  docs/upstream/infrastructure-operator.md#what-a-client-does.
"""

from __future__ import annotations

from typing import Literal

from ...cluster import host_states as states
from ...common.waiting import REACHED, WaitStatus
from ..install.status import InstallCondition
from .change import condition_text
from .model import Agent
from .plan import AgentHostPlan

Target = Literal["none", "registered", "ready", "bound", "unbound", "installed"]
TARGETS: tuple[Target, ...] = ("none", "registered", "ready", "bound", "unbound", "installed")


def wait_status(host: AgentHostPlan, target: Target) -> WaitStatus:
    """The progress of one host to ``target``. Changes that are still planned have to be carried out first."""
    agent = host.match.agent
    if host.refusals or host.match.status == "ambiguous":
        return WaitStatus(final=True, reason=host.obstacle)
    if host.request.action == "delete":
        going = (agent,) if agent is not None else host.match.leaving
        return WaitStatus(reason=_still_there(going[0])) if going and target != "none" else REACHED
    if agent is None:
        unbound = host.request.action == "unbind" and target in ("none", "unbound")
        return REACHED if unbound else WaitStatus(reason=host.match.reason)
    if host.changes:
        return WaitStatus(reason="the service has not applied its changes yet (SpecSynced)")
    found = _CHECKS[target](agent) if target in _CHECKS else REACHED
    if found.reached and host.waits_for:
        return WaitStatus(reason=host.waits_for)
    if found.reached and target == "ready" and agent.cluster is not None and agent.state == states.BINDABLE:
        return WaitStatus(reason=f"it is to be bound to {agent.cluster}")
    return found


def _still_there(agent: Agent) -> str:
    """The hub lets an Agent go once the Node of its host is removed, and tries again where that fails (5.5)."""
    cleanup = agent.conditions.get("Cleanup", InstallCondition())
    return f"{agent.title} is not gone yet" + (
        f": {cleanup.message}" if cleanup.status == "False" and cleanup.message else ""
    )


def _ready(agent: Agent) -> WaitStatus:
    if agent.state in states.READY | states.BUSY | states.INSTALLED:
        synced = agent.conditions.get("SpecSynced", InstallCondition())
        return WaitStatus(reason=synced.message) if synced.status == "False" else REACHED
    return _failed(agent) or _refused_spec(agent) or WaitStatus(reason=condition_text(agent))


def _bound(agent: Agent) -> WaitStatus:
    if agent.cluster is not None and agent.conditions.get("Bound", InstallCondition()).status == "True":
        return REACHED
    if agent.state == "binding":
        return WaitStatus(
            reason=(
                "it is being bound; if this lasts, the machine's agent did not start again: reboot it into the "
                "discovery "
                "image"
            )
        )
    return _failed(agent) or _refused_spec(agent) or WaitStatus(reason=condition_text(agent))


def _unbound(agent: Agent) -> WaitStatus:
    bound = agent.conditions.get("Bound", InstallCondition())
    if agent.cluster is None and bound.status == "False" and bound.reason == "Unbound":
        return REACHED
    if agent.state == states.NEEDS_DISCOVERY:
        return WaitStatus(reason="it is unbinding-pending-user-action: the machine must boot the discovery image")
    return WaitStatus(reason=condition_text(agent))


def _installed(agent: Agent) -> WaitStatus:
    if agent.conditions.get("Installed", InstallCondition()).status == "True":
        return REACHED
    if agent.state == "installing-pending-user-action":
        state_info = agent.state_info or "the machine did not boot from its disk"
        return WaitStatus(reason=f"it is installing-pending-user-action: {state_info}")
    if agent.stage and agent.state in states.INSTALLING:
        return WaitStatus(reason=f"it is {agent.state}, {agent.stage} {agent.percent}%")
    return _failed(agent) or _refused_spec(agent) or WaitStatus(reason=condition_text(agent))


_CHECKS = {"ready": _ready, "bound": _bound, "unbound": _unbound, "installed": _installed}


def _failed(agent: Agent) -> WaitStatus | None:
    """Where the service says that it is over (4.3)."""
    if agent.state in states.FAILED or agent.stage == "Failed":
        state_info = agent.state_info or agent.stage or "no reason is given"
        return WaitStatus(final=True, reason=f"it is {agent.state}: {state_info}")
    return None


def _refused_spec(agent: Agent) -> WaitStatus | None:
    """An input error stays until the Agent is changed; after a backend error the hub tries again every 10 s."""
    synced = agent.conditions.get("SpecSynced", InstallCondition())
    if synced.status == "False" and synced.reason == "InputError":
        return WaitStatus(reason=synced.message, doubtful=True)
    return None
