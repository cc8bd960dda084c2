# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Decide the next step of each host that is installed through a hub, as a pure function: boot it from the discovery
image, wait for it, or leave it as it is.

This is the plan only. Whether a host may be changed is decided by :mod:`..safety`, which must decide about
:attr:`HubDecision.touch_hosts` first.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Collection, Sequence
from typing import Literal

from ...cluster.host_states import FAILED, INSTALLED, INSTALLING, NEEDS_DISCOVERY, PREPARING, UNBOUND
from ...hub.agents.match import Match
from ...hub.agents.model import Agent, ClusterRef
from ...hub.install.status import InstallStatus
from ..host_step import Action, HostStep
from ..stop_reason import StopReason

Purpose = Literal["install", "add", "reprovision", "remove"]

START_OVER = "start_over"


@dataclasses.dataclass(frozen=True)
class HubDecision:
    """``stop`` says what the hub cannot do with these hosts; nothing is done then."""

    hosts: tuple[HostStep, ...] = ()
    stop: StopReason | None = None

    @property
    def boot_hosts(self) -> list[str]:
        return [host.name for host in self.hosts if host.action == "boot"]

    @property
    def touch_hosts(self) -> list[str]:
        """Hosts about which the safety table has to decide before anything is done."""
        return [host.name for host in self.hosts if host.action == "boot" or host.doubtful]

    @property
    def forced_hosts(self) -> list[str]:
        return [host.name for host in self.hosts if host.action == "boot" and host.force]


@dataclasses.dataclass(frozen=True)
class HubView:
    """What the hub says. ``nodes`` are the names of the cluster's Nodes, lower case; None when they could not be read.
    ``cluster`` is the cluster's title, empty without one; ``reference`` is that cluster. ``early`` are the InfraEnvs
    that bind their hosts by themselves; ``infra_env`` is the one of these hosts, empty where Agents of all of them
    count.
    ``missing`` says that the hub does not know the cluster that hosts are going to be bound to.
    """

    cluster: str = ""
    status: InstallStatus | None = None
    nodes: frozenset[str] | None = frozenset()
    reference: ClusterRef | None = None
    early: frozenset[str] = frozenset()
    infra_env: str = ""
    missing: str = ""

    @property
    def over(self) -> bool:
        """Whether the installation has failed or was cancelled."""
        return self.status is not None and self.status.phase in ("failed", "cancelled")


def decide_hosts(
    view: HubView,
    matches: Sequence[Match],
    node_names: Callable[[str], str],
    *,
    purpose: Purpose,
    force: Collection[str] = (),
    in_vain: Collection[str] = (),
) -> HubDecision:
    """A decision for each host, in order.

    ``node_names`` gives the Node's name of a host; ``in_vain`` are hosts that an earlier run waited for to the end.
    """
    stop = _stop(view, matches, purpose)
    if stop is not None:
        return HubDecision(tuple(HostStep(match.host, "skip", "nothing is done") for match in matches), stop)
    planned = (
        (match, _again(_decide(view, match, node_names(match.host), purpose, force), in_vain)) for match in matches
    )
    return HubDecision(
        tuple(dataclasses.replace(action, doubtful=_is_doubtful(view, match, purpose)) for match, action in planned)
    )


def _stop(view: HubView, matches: Sequence[Match], purpose: Purpose) -> StopReason | None:
    """A cluster that the hub does not know, or hosts that it cannot free."""
    if purpose == "add" and view.missing:
        return StopReason(view.missing)
    if purpose != "reprovision":
        return None
    reasons = [
        (
            f"{match.host} cannot become a free Agent: InfraEnv {match.agent.infra_env} binds its hosts when "
            "they register (binding: early). Use remove_hosts"
        )
        for match in matches
        if match.agent is not None and match.agent.cluster is not None and match.agent.infra_env in view.early
    ]
    return StopReason(f"{'; '.join(reasons)}.", "Nothing was done.") if reasons else None


def _is_doubtful(view: HubView, match: Match, purpose: Purpose) -> bool:
    """Whether something else than a boot may speak against going on with this host."""
    agent = match.agent
    if agent is None:
        return match.status == "ambiguous" or view.nodes is None or (purpose == "install" and view.over)
    if agent.cluster is not None and view.reference is not None and agent.cluster != view.reference:
        return True
    return agent.state in FAILED or (purpose == "install" and view.over and agent.state not in INSTALLED)


def _decide(view: HubView, match: Match, node: str, purpose: Purpose, force: Collection[str]) -> HostStep:
    agent = match.agent
    if purpose == "remove":
        return HostStep(match.host, "skip", "it is removed", agent.name if agent else "", agent.state if agent else "")
    if agent is None:
        return _without_agent(view, match, node, purpose, force)

    def action(kind: Action, reason: str, *, forced: bool = False) -> HostStep:
        return HostStep(match.host, kind, reason, agent.name, agent.state, forced)

    if agent.state == NEEDS_DISCOVERY:
        return action("boot", "it was removed from its cluster and must boot the discovery image", forced=True)
    if purpose == "reprovision":
        free = agent.state in UNBOUND and agent.connected and _is_for_us(view, agent)
        return (
            action("skip", f"it is free already: {agent.state}")
            if free
            else action("boot", "it is reprovisioned", forced=True)
        )
    if agent.state in INSTALLED:
        return action("skip", f"joined: {agent.state}")
    if agent.state in INSTALLING | PREPARING:
        return action("skip", f"joined: {agent.state}" + (f" ({agent.stage})" if agent.stage else ""))
    if START_OVER in force:
        return action("boot", f"{START_OVER} is set", forced=True)
    if agent.cluster is None and not _is_for_us(view, agent):
        return action("boot", f"it is registered in another InfraEnv, {agent.infra_env}", forced=True)
    if agent.state in FAILED:
        state_info = agent.state_info or "no reason given"
        return action("skip", f"its installation has failed ({agent.state}): {state_info}")
    if not agent.connected:
        return action("boot", f"its Agent is disconnected ({agent.state})", forced=True)
    state = agent.state or "not known to the service yet"
    return action("wait", f"registered: {state}")


def _is_for_us(view: HubView, agent: Agent) -> bool:
    return not view.infra_env or agent.infra_env in ("", view.infra_env)


def _again(action: HostStep, in_vain: Collection[str]) -> HostStep:
    """A machine that runs the image already is left alone, unless an earlier wait for it was in vain."""
    if action.action != "boot" or action.agent or action.name not in in_vain:
        return action
    return dataclasses.replace(action, reason=f"{action.reason}; an earlier wait for it was in vain", force=True)


def _without_agent(view: HubView, match: Match, node: str, purpose: Purpose, force: Collection[str]) -> HostStep:
    if match.status == "ambiguous":
        return HostStep(match.host, "skip", match.reason)
    if START_OVER in force or purpose == "reprovision":
        return HostStep(
            match.host, "boot", f"{START_OVER} is set" if START_OVER in force else "it is reprovisioned", force=True
        )
    if node in (view.nodes or ()):
        return HostStep(match.host, "skip", f"its Node is in {view.cluster}")
    if match.leaving:
        return HostStep(match.host, "wait", match.reason)
    status = view.status
    if purpose == "install" and status and not view.over and (status.started or status.phase == "installed"):
        return HostStep(match.host, "skip", f"{view.cluster} is {status.phase} without it")
    return HostStep(match.host, "boot", "it has no Agent")
