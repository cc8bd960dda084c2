# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Define the criteria by which a registered machine is matched to a host of the inventory, in order of precedence.

Examples of criteria are MAC address, system UUID and serial number. host_match.py applies them.

Source: docs/upstream/infrastructure-operator.md#what-a-client-does.
"""

from __future__ import annotations

import dataclasses
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping
from typing import Any, Generic, Protocol, TypeVar

from ..common import libraries
from .host_identity import Identity


class Registered(Protocol):
    """A registered machine: an Agent of a hub or a host of a service.

    MACs, serial number and addresses are in their normal spelling; ``created`` sorts as text.

    ``asked_hostname`` is the requested hostname, not the one that the machine reported; ``quiet``: the machine is
    disconnected, so that another registration may be the same machine.
    """

    @property
    def key(self) -> tuple[str, ...]:
        """What identifies it where it registered."""

    @property
    def title(self) -> str:
        """Its name in messages."""

    @property
    def system_uuid(self) -> str:
        """The System UUID of its firmware, empty when unknown."""

    @property
    def macs(self) -> tuple[str, ...]:
        """The MAC addresses of its NICs."""

    @property
    def serial(self) -> str:
        """The serial number of the machine, empty when unknown."""

    @property
    def bmc_addresses(self) -> tuple[str, ...]:
        """The addresses of its BMC."""

    @property
    def labels(self) -> Mapping[str, str]:
        """Its labels."""

    @property
    def asked_hostname(self) -> str:
        """The hostname that was requested for it."""

    @property
    def inventory(self) -> Mapping[str, Any]:
        """What the agent reported about the hardware."""

    @property
    def cluster(self) -> Hashable:
        """The cluster that it belongs to."""

    @property
    def created(self) -> str:
        """When it registered."""

    @property
    def quiet(self) -> bool:
        """Whether it stopped reporting."""

    @property
    def deleting(self) -> bool:
        """Whether it is being deleted."""

    def queried(self) -> Any:
        """What a query sees."""


Agent = TypeVar("Agent", bound=Registered)


class Index(Generic[Agent]):
    """The agents by everything they are recognised by. Those on their way out (deletionTimestamp) are kept apart."""

    def __init__(self, agents: Iterable[Agent]) -> None:
        self.agents: list[Agent] = []
        self.leaving: list[Agent] = []
        self.macs: dict[str, list[Agent]] = defaultdict(list)
        self.uuids: dict[str, list[Agent]] = defaultdict(list)
        self.serials: dict[str, list[Agent]] = defaultdict(list)
        self.bmcs: dict[str, list[Agent]] = defaultdict(list)
        self.labels: dict[tuple[str, str], list[Agent]] = defaultdict(list)
        self.hostnames: dict[str, list[Agent]] = defaultdict(list)  # those asked for, not those that hosts came with
        self._queries: dict[str, list[Agent]] = {}
        for agent in sorted(agents, key=lambda agent: agent.key):
            self._add(agent)

    def _add(self, agent: Agent) -> None:
        if agent.deleting:
            self.leaving.append(agent)
            return
        self.agents.append(agent)
        for mac in agent.macs:
            self.macs[mac].append(agent)
        self.uuids[agent.system_uuid].append(agent)
        if agent.serial:
            self.serials[agent.serial.lower()].append(agent)
        for address in agent.bmc_addresses:
            self.bmcs[address].append(agent)
        for pair in agent.labels.items():
            self.labels[pair].append(agent)
        if agent.asked_hostname:
            self.hostnames[agent.asked_hostname].append(agent)

    def query(self, text: str) -> list[Agent]:
        """The agents for which the expression gives true; a missing field (null) counts as false."""
        if text not in self._queries:
            expression = libraries.jmespath.compile(text)
            self._queries[text] = [agent for agent in self.agents if _answer(expression, agent) is True]
        return self._queries[text]


def _answer(expression: Any, agent: Registered) -> Any:
    try:
        return expression.search(agent.queried())
    except libraries.jmespath.exceptions.JMESPathError:
        return None  # a function applied to a field that this agent does not have


@dataclasses.dataclass(frozen=True)
class Criterion:
    """One kind of identity: whether a host gives it, the agents that have it, and its words."""

    provided: Callable[[Identity], Any]
    candidates: Callable[[Index[Any], Identity], list[Any]]
    words: Callable[[Identity, Registered | None], str]
    silent: bool = False  # not an identity that a user gives


def _by_mac(index: Index[Agent], identity: Identity) -> list[Agent]:
    found = {agent.key: agent for mac in identity.macs for agent in index.macs.get(mac, ())}
    return [found[key] for key in sorted(found)]


def _mac_words(identity: Identity, agent: Registered | None) -> str:
    shown = [mac for mac in identity.macs if agent is None or mac in agent.macs]
    return f"MAC {', '.join(shown)}"


def _by_labels(index: Index[Agent], identity: Identity) -> list[Agent]:
    first, *others = identity.labels
    return [
        agent for agent in index.labels.get(first, ()) if all(agent.labels.get(key) == value for key, value in others)
    ]


def _by_hostname(index: Index[Agent], identity: Identity) -> list[Agent]:
    # Binding takes the inventory away until the host has registered again (5.3), and with it the MACs. Hostnames are
    # unique in one cluster only: that of another cluster, or of two hosts, says nothing.
    found = [
        agent
        for agent in index.hostnames.get(identity.hostname, ())
        if not agent.inventory and agent.cluster == identity.cluster
    ]
    return found if len(found) == 1 else []


CRITERIA = (
    Criterion(lambda identity: identity.macs, _by_mac, _mac_words),
    Criterion(
        lambda identity: identity.hostname,
        _by_hostname,
        lambda identity, agent: f"hostname {identity.hostname}, while it has no inventory",
        silent=True,
    ),
    Criterion(
        lambda identity: identity.system_uuid,
        lambda index, identity: index.uuids.get(identity.system_uuid, []),
        lambda identity, agent: f"system UUID {identity.system_uuid}",
    ),
    Criterion(
        lambda identity: identity.serial_number,
        lambda index, identity: index.serials.get(identity.serial_number.lower(), []),
        lambda identity, agent: f"serial number {identity.serial_number}",
    ),
    Criterion(
        lambda identity: identity.bmc_address,
        lambda index, identity: index.bmcs.get(identity.bmc_address, []),
        lambda identity, agent: f"BMC address {identity.bmc_address}",
    ),
    Criterion(
        lambda identity: identity.labels,
        _by_labels,
        lambda identity, agent: "labels " + ", ".join(f"{key}={value}" for key, value in identity.labels),
    ),
    Criterion(
        lambda identity: identity.query,
        lambda index, identity: index.query(identity.query),
        lambda identity, agent: f"query {identity.query}",
    ),
)


def contradicts(identity: Identity, agent: Registered) -> bool:
    """Whether an agent shows MACs and none of them is the host's."""
    return bool(identity.macs and agent.macs and not set(identity.macs) & set(agent.macs))
