# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Watch the Agents on a hub, and collect their events in batches.

Changes that arrive together are planned together, and no Agent is read twice.
"""

from __future__ import annotations

import dataclasses
import queue
import threading
import time

from ...common.clock import Clock
from ...common.waiting import Deadline, next_event
from ...kube.client import Event, KubeClient, Object
from .model import Agent, read_agent, read_agents

Key = tuple[str, str]
# Seconds for which a batch is collected after its first event.
COLLECT = 0.2


class AgentWatch:
    """The Agents of a selection, kept up to date by one list and one watch in a separate thread."""

    def __init__(
        self, client: KubeClient, path: str, seconds: float, clock: Clock, *, label_selector: str = ""
    ) -> None:
        self.agents: dict[Key, Agent] = {}
        self._clock = clock
        self._events: queue.Queue[Event | Exception | None] = queue.Queue()
        threading.Thread(
            target=self._read, args=(client, path, seconds, label_selector), name="zerotouch-agents", daemon=True
        ).start()

    def next_batch(self, seconds: float) -> bool:
        """Wait for changes, up to ``seconds``; False when there were none.

        Raises what broke the watch, and :class:`Interrupted` when the process was asked to stop.
        """
        try:
            first = next_event(self._events, Deadline(self._clock, seconds))
        except queue.Empty:
            return False
        if first is None:
            return False
        self._take(first)
        if isinstance(first, Event) and first.type == "LISTED":
            return True
        collected = time.monotonic() + COLLECT
        while (left := collected - time.monotonic()) > 0 or not self._events.empty():
            try:
                self._take(self._events.get(timeout=max(left, 0.001)))
            except queue.Empty:
                break
        return True

    def put(self, agent: Agent) -> None:
        """The Agent as a write answered it.

        An event from before that write may still arrive: it is ignored.
        """
        known = self.agents.get(agent.key)
        if known is None or not _is_older(agent, known):
            self.agents[agent.key] = agent if known is None else _remembering(agent, known)

    def drop(self, key: Key) -> None:
        self.agents.pop(key, None)

    def _take(self, event: Event | Exception | None) -> None:
        if event is None:
            return
        if isinstance(event, Exception):
            raise event
        if event.type == "LISTED":
            before, self.agents = self.agents, {}
            for agent in read_agents(event.objects):
                self.agents[agent.key] = _remembering(agent, before[agent.key]) if agent.key in before else agent
        elif event.type == "DELETED":
            self.drop(_key(event.object))
        elif event.object.get("metadata", {}).get("name"):
            self.put(read_agent(event.object))

    def _read(self, client: KubeClient, path: str, seconds: float, label_selector: str) -> None:
        try:
            for event in client.follow(path, seconds, label_selector=label_selector):
                self._events.put(event)
        except Exception as error:  # judged by the thread that waits
            self._events.put(error)
        self._events.put(None)


def _remembering(agent: Agent, known: Agent) -> Agent:
    """While it is being bound an Agent has no inventory (5.3); which machine it is does not change meanwhile."""
    if agent.macs or not known.macs or agent.uid != known.uid:
        return agent
    return dataclasses.replace(agent, macs=known.macs, serial=known.serial, bmc_addresses=known.bmc_addresses)


def _is_older(agent: Agent, known: Agent) -> bool:
    # Versions of one object grow; where a server's are no numbers, the order in which they come has to do.
    versions = (agent.resource_version, known.resource_version)
    return (
        agent.uid == known.uid
        and all(version.isdigit() for version in versions)
        and int(versions[0]) < int(versions[1])
    )


def _key(obj: Object) -> Key:
    metadata = obj["metadata"]
    return str(metadata.get("namespace") or ""), str(metadata["name"])
