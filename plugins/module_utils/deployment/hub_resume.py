# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""What to do about each host of a hub, as a pure function: boot it from the discovery image, wait for it, leave it alone, or stop.

The promise is that of a deployment without a hub (design 4): no BMC of a host that belongs to a cluster is touched, and who cannot tell boots nothing.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Collection, Sequence
from typing import Literal

from ..cluster.host_states import BUSY, FAILED, INSTALLED, INSTALLING, PREPARING, UNBOUND
from ..hub.agents.match import Match
from ..hub.agents.model import ClusterRef
from ..hub.install_status import InstallStatus

Purpose = Literal["install", "add", "reprovision", "remove"]
Action = Literal["boot", "wait", "skip"]

START_OVER = "start_over"
_NEEDS_DISCOVERY = "unbinding-pending-user-action"


@dataclasses.dataclass(frozen=True)
class HostAction:
    """``force``: boot it although it may run the same image already."""

    name: str
    action: Action
    reason: str
    agent: str = ""
    state: str = ""
    force: bool = False


@dataclasses.dataclass(frozen=True)
class HubDecision:
    """``stop`` is the reason why nothing is done at all."""

    hosts: tuple[HostAction, ...] = ()
    stop: str = ""

    @property
    def boot_hosts(self) -> list[str]:
        return [host.name for host in self.hosts if host.action == "boot"]

    @property
    def forced_hosts(self) -> list[str]:
        return [host.name for host in self.hosts if host.action == "boot" and host.force]


@dataclasses.dataclass(frozen=True)
class HubView:
    """What the hub says. ``nodes`` are the names of the cluster's Nodes, lower case; None when the installed cluster could not be asked, with
    ``nodes_fault`` saying why. ``cluster`` is the cluster's title, empty without one; ``reference`` is that cluster.
    ``early`` are the InfraEnvs that bind their hosts by themselves.
    """

    cluster: str = ""
    status: InstallStatus | None = None
    nodes: frozenset[str] | None = frozenset()
    nodes_fault: str = ""
    reference: ClusterRef | None = None
    early: frozenset[str] = frozenset()


def decide_hosts(
    view: HubView,
    matches: Sequence[Match],
    node_names: Callable[[str], str],
    *,
    purpose: Purpose,
    force: Collection[str] = (),
    in_vain: Collection[str] = (),
) -> HubDecision:
    """A decision for each host, in order. ``node_names`` gives the Node's name of a host; ``in_vain`` are hosts that an earlier run waited for to the end."""
    stop = _stop(view, matches, purpose, force)
    if stop:
        return HubDecision(tuple(HostAction(match.host, "skip", "nothing is done") for match in matches), stop)
    return HubDecision(tuple(_again(_decide(view, match, node_names(match.host), purpose, force), in_vain) for match in matches))


def _stop(view: HubView, matches: Sequence[Match], purpose: Purpose, force: Collection[str]) -> str:
    if purpose in ("reprovision", "remove"):
        return _staying(view, matches, purpose)
    status = view.status
    if START_OVER in force:
        return ""
    if status and status.terminal and purpose == "install":
        return (
            f"{view.cluster}: {status.text().rstrip('.')}. It does not recover by itself: correct the cause, "
            "take it off the hub (destroy_cluster), and begin anew (deploy_cluster)."
        )
    if view.nodes is None and any(match.agent is None for match in matches):
        return (
            f"Cannot tell which hosts belong to {view.cluster}: it is installed, but {view.nodes_fault} Nothing was booted. "
            f"Run again when its API can be reached; openshift_force: [{START_OVER}] boots hosts without an Agent all the same."
        )
    return ""


def _staying(view: HubView, matches: Sequence[Match], purpose: Purpose) -> str:
    """Why hosts cannot be taken out: none is, rather than some drained and others not."""
    agents = [(match.host, match.agent) for match in matches if match.agent is not None]
    reasons = [
        f"{name} belongs to another cluster, {agent.cluster}"
        for name, agent in agents
        if view.reference is not None and agent.cluster is not None and agent.cluster != view.reference
    ]
    # The hub refuses it, too: the installation would fail without them (reference infrastructure-operator.md 5.4).
    reasons += [f"{name} is being installed ({agent.state})" for name, agent in agents if agent.state in BUSY and not agent.day_2]
    reasons += [
        f"{name} cannot come back as a free host: InfraEnv {agent.infra_env} binds its hosts early, and only remove_hosts takes them out"
        for name, agent in agents
        if purpose == "reprovision" and agent.cluster is not None and agent.infra_env in view.early
    ]
    return f"{'; '.join(reasons)}. Nothing was done." if reasons else ""


def _decide(view: HubView, match: Match, node: str, purpose: Purpose, force: Collection[str]) -> HostAction:
    agent = match.agent
    if purpose == "remove":
        return HostAction(match.host, "skip", "it leaves for good", agent.name if agent else "", agent.state if agent else "")
    if agent is None:
        return _without_agent(view, match, node, purpose, force)

    def action(kind: Action, reason: str, *, forced: bool = False) -> HostAction:
        return HostAction(match.host, kind, reason, agent.name, agent.state, forced)

    if agent.state == _NEEDS_DISCOVERY:
        return action("boot", "it has left its cluster and waits to boot the discovery image", forced=True)
    if purpose == "reprovision":
        free = agent.state in UNBOUND and agent.connected
        return action("skip", f"it is free already: {agent.state}") if free else action("boot", "it is reprovisioned", forced=True)
    if agent.state in INSTALLED:
        return action("skip", f"joined: {agent.state}")
    if agent.state in INSTALLING | PREPARING:
        return action("skip", f"joined: {agent.state}" + (f" ({agent.stage})" if agent.stage else ""))
    if START_OVER in force:
        return action("boot", f"{START_OVER} is set", forced=True)
    if agent.state in FAILED:
        return action("skip", f"its installation has failed ({agent.state}): {agent.state_info or 'no reason given'}")
    if agent.state.startswith("disconnected") or not agent.connected:
        return action("boot", f"the hub does not hear from it any more ({agent.state})", forced=True)
    return action("wait", f"registered: {agent.state or 'not known to the service yet'}")


def _again(action: HostAction, in_vain: Collection[str]) -> HostAction:
    """A machine that runs the image already is left alone, unless an earlier wait for it was in vain."""
    if action.action != "boot" or action.agent or action.name not in in_vain:
        return action
    return dataclasses.replace(action, reason=f"{action.reason}; an earlier wait for it was in vain", force=True)


def _without_agent(view: HubView, match: Match, node: str, purpose: Purpose, force: Collection[str]) -> HostAction:
    if match.status == "ambiguous":
        return HostAction(match.host, "skip", match.reason)
    if START_OVER in force:
        return HostAction(match.host, "boot", f"{START_OVER} is set", force=True)
    if node in (view.nodes or ()):
        return HostAction(match.host, "skip", f"its Node is in {view.cluster}")
    if match.leaving:
        return HostAction(match.host, "wait", match.reason)
    status = view.status
    if purpose == "install" and status and (status.started or status.phase == "installed"):
        return HostAction(match.host, "skip", f"{view.cluster} is {status.phase} without it")
    return HostAction(match.host, "boot", "it has no Agent")
