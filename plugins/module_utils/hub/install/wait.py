# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Wait for an AgentClusterInstall: watch it, print a line for every change, end at the first terminal condition.

Source: docs/upstream/infrastructure-operator.md#what-a-client-does.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Sequence
from typing import Protocol

from ...common.clock import Clock
from ...common.errors import LimitReached, ZeroTouchError
from ...common.listed import appended
from ...common.shared_fate import shares_fate
from ...common.waiting import Deadline, ProgressLines
from ...kube.client import KubeClient, Object
from ...kube.events import events_until
from ..agents.model import Agent, ClusterRef, read_agent
from ..kinds import AGENT, AGENT_CLUSTER_INSTALL
from .status import InstallStatus, Phase, read_status

# Seconds: length of one watch request, after which Agents are read again even without a new event.
PIECE = 20.0
_WAY_OUT = (
    "The installation cannot continue. Correct the cause, delete the cluster from the hub (state absent, or "
    "playbook destroy_cluster), and install it again."
)


@dataclasses.dataclass(frozen=True)
class InstallLimits:
    """Seconds that each part may take: until the requirements are met, and from the start of the installation to its
    end.
    """

    requirements: float = 3600.0
    install: float = 7200.0

    def of(self, phase: Phase) -> float:
        return self.install if phase == "installing" else self.requirements


@dataclasses.dataclass(frozen=True)
class InstallSituation:
    """What is known at one moment. ``agents`` are those bound to the cluster, by name of the host."""

    status: InstallStatus
    agents: tuple[Agent, ...] = ()


class Watcher(Protocol):
    """A caller that acts on what is observed, such as detaching media; returns lines to print."""

    def __call__(self, situation: InstallSituation) -> Sequence[str]:
        """Act on the situation and return lines to show."""


def bound_agents(client: KubeClient, cluster: ClusterRef, namespace: str = "") -> tuple[Agent, ...]:
    """The Agents bound to a cluster; of one namespace, or of all."""
    agents = (read_agent(item) for item in client.list(AGENT.path(namespace)))
    return tuple(
        sorted((agent for agent in agents if agent.cluster == cluster), key=lambda agent: agent.hostname or agent.name)
    )


class InstallWait:
    """One wait. ``agents_namespace`` is where the Agents are (empty: all namespaces); ``watcher`` is called with every
    new situation.
    """

    def __init__(
        self,
        client: KubeClient,
        cluster: ClusterRef,
        clock: Clock,
        show: Callable[[str], None],
        *,
        limits: InstallLimits = InstallLimits(),
        agents_namespace: str = "",
        watcher: Watcher = lambda _situation: (),
    ) -> None:
        self._client = client
        self._cluster = cluster
        self._limits = limits
        self._agents_namespace = agents_namespace
        self._watcher = watcher
        self._lines = ProgressLines(clock, show)
        self._deadline = Deadline(clock, limits.requirements)
        self.situation = InstallSituation(InstallStatus())

    def until(self, phase: Phase) -> InstallSituation:
        """The situation in which ``phase`` is reached.

        Raises :class:`ZeroTouchError` at once for a terminal condition, with its words and the failing hosts, and
        :class:`LimitReached` when the part of the installation took longer than its limit, with what it still waits
        for.
        """
        for current in self._changes():
            self._see(current)
            if self.situation.status.reached(phase):
                return self.situation
            if self.situation.status.terminal:
                raise ZeroTouchError(self._terminal(), _WAY_OUT)
        raise self._overdue()

    def _changes(self) -> Iterator[Object]:
        """The AgentClusterInstall now and at each change, up to the limit."""
        path, name = AGENT_CLUSTER_INSTALL.path(self._cluster.namespace), self._cluster.name
        for event in events_until(self._client, path, self._deadline, PIECE, field_selector=f"metadata.name={name}"):
            if event.type == "DELETED" or (event.type == "LISTED" and not event.objects):
                raise ZeroTouchError(
                    f"There is no AgentClusterInstall {self._cluster} (any more).",
                    ("It was removed from the hub. Run again to create it."),
                )
            yield event.objects[0] if event.type == "LISTED" else event.object

    def _see(self, current: Object) -> None:
        before = self.situation.status
        status = read_status(current)
        agents = bound_agents(self._client, self._cluster, self._agents_namespace)
        self.situation = InstallSituation(status, agents)
        if (before.phase == "installing") is not (status.phase == "installing"):
            self._deadline.restart(self._limits.of(status.phase))
        self._lines.percent = status.percent
        self._lines.tell("", status.text())
        for agent in agents:
            host = agent.hostname or agent.name
            self._lines.tell(host, f"{host}: {agent_text(agent)}")
        for text in self._watcher(self.situation):
            self._lines.say(text)
        self._lines.beat(status.text())

    def _overdue(self) -> LimitReached:
        status = self.situation.status
        part = "The installation" if status.phase == "installing" else "Meeting the requirements"
        unready = [
            f"{_host_name(agent)}: {agent_text(agent)}" for agent in self.situation.agents if agent.stage != "Done"
        ]
        limit = self._deadline.limit
        return LimitReached(
            f"{part} of {self._cluster} took longer than {limit:g} s. {status.text()}." + appended(" Hosts: ", unready),
            limit,
            "The hub continues the installation. Run the task again to wait longer.",
        )

    def _terminal(self) -> str:
        failed = [agent for agent in self.situation.agents if agent.state == "error"]
        culprits = [agent for agent in failed if not shares_fate(agent.state_info)] or failed
        reasons = [agent.state_info or agent.state for agent in culprits]
        lines = [f"{_host_name(agent)}: {reason.rstrip('.')}" for agent, reason in zip(culprits, reasons, strict=True)]
        return f"Cluster {self._cluster}: {self.situation.status.text().rstrip('.')}." + appended(" Hosts: ", lines)


def agent_text(agent: Agent) -> str:
    """A host in a few words: state, stage, and what holds it up."""
    stage = f" ({agent.stage})" if agent.stage and agent.state not in ("known", "insufficient") else ""
    failing = "; ".join(validation.id for validation in agent.failing if validation.status == "failure")
    holding = f": {failing}" if failing and agent.state.startswith(("insufficient", "pending")) else ""
    if agent.state.endswith("pending-user-action") and agent.state_info:
        holding = f": {agent.state_info.rstrip('.')}"
    state = agent.state or "not known to the service"
    return f"{state}{stage}{holding}"


def hosts_result(agents: Sequence[Agent]) -> list[dict[str, object]]:
    """Results of modules: a row for each host."""
    return [
        {
            "name": agent.hostname or agent.name,
            "agent": agent.name,
            "role": agent.role,
            "status": agent.state,
            "stage": agent.stage,
            "percent": agent.percent,
            "reason": agent.state_info,
        }
        for agent in agents
    ]


def _host_name(agent: Agent) -> str:
    return agent.hostname or agent.name
