# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Wait for a NodePool: watch it and print a line for every change. At the time limit, report each Machine and where it
is stuck.

Source: docs/upstream/hypershift.md#operations.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator

from ...common.clock import Clock
from ...common.errors import LimitReached, ZeroTouchError
from ...common.listed import appended
from ...common.waiting import Deadline, ProgressLines, WaitStatus
from ...kube.events import events_until
from ..kinds import NODE_POOL
from .machine_status import PoolMachineView
from .status import Target, percent, wait_status
from .view import NodePoolRelease, PoolReader, PoolView, released

# Seconds: length of one watch request, after which Machines and Agents are read again even if the NodePool did not
# change.
PIECE = 5.0

# States that no waiting ends, and what does.
_REMEDIES = {
    "no-suitable-agent": (
        "Add hosts to the pool (scale_node_pool boots spare machines), or change its selector to match the free hosts."
    ),
    "validations-failing": "Correct the cause of the failed validations; the host then continues.",
    "pending-user-action": (
        "Boot the machine from its disk (boot order, power cycle); the installation then continues."
    ),
    "failed": ("Remove the failed host from the pool (reprovision_hosts); the pool then uses another host."),
}


@dataclasses.dataclass(frozen=True)
class ReleasedHost:
    """A host that was in the pool: the Machine it served, and its Agent."""

    machine: str
    namespace: str
    agent: tuple[str, str]
    hostname: str = ""

    @classmethod
    def of(cls, machine: PoolMachineView) -> ReleasedHost | None:
        return cls(machine.name, machine.namespace, machine.agent, machine.hostname) if machine.agent else None


class PoolWait:
    """One wait for one pool.

    ``view`` is what was seen last, ``reboot`` the hosts that left the pool and have to boot the discovery image.
    Machines that go are remembered, so that their hosts are followed until they are free.
    """

    def __init__(
        self, reader: PoolReader, clock: Clock, show: Callable[[str], None], *, limit: float, view: PoolView
    ) -> None:
        self._reader, self._limit, self._clock = reader, limit, clock
        self._lines = ProgressLines(clock, show)
        self._hosts: dict[tuple[str, str], ReleasedHost] = {}
        self.view = view
        self._remember(view)

    def until(self, target: Target) -> PoolView:
        """The pool once it is there and the hosts of Machines that went are free (or have to be rebooted).

        Raises :class:`ZeroTouchError` at once where it cannot get there, :class:`LimitReached` at the limit, each with
        where every Machine is.
        """
        return self.until_status(lambda view: wait_status(view, target), words_of(target))

    def until_status(self, status: Callable[[PoolView], WaitStatus], words: str, *, hosts: bool = True) -> PoolView:
        """:meth:`until`, for what ``status`` says; ``words`` name that in messages.

        Without ``hosts`` those that went are not waited for.
        """
        found, waiting = WaitStatus(), list[str]()
        # Each piece of the watch begins with the pool as it is, so that what is not in the pool itself is looked at,
        # too.
        name = f"metadata.name={self._reader.name}"
        deadline = Deadline(self._clock, self._limit)
        for _event in events_until(
            self._reader.client, NODE_POOL.path(self._reader.namespace), deadline, PIECE, field_selector=name
        ):
            found = self._see(status)
            waiting = self.waiting_hosts() if hosts else []
            if found.reached and not waiting:
                return self.view
            if found.final:
                raise ZeroTouchError(f"{self.view.title} cannot get {words}: {found.reason}.{self._machines()}")
        reason = found.reason if not found.reached else "hosts that left it are not free"
        left = appended(" Hosts that left: ", waiting)
        message = f"{self.view.title} was not {words} within {self._limit:g} s: {reason}.{self._machines()}{left}"
        raise LimitReached(message, self._limit, self._hint())

    @property
    def reboot(self) -> list[ReleasedHost]:
        """Hosts that left the pool and have to boot the discovery image to be free."""
        return [host for host, release in self._releases() if release.reboot]

    def waiting_hosts(self) -> list[str]:
        """Hosts of Machines that are gone which are not free yet, a line each."""
        waiting = [(host, release.reason) for host, release in self._releases() if not release.done]
        names = [host.hostname or host.agent[1] for host, _reason in waiting]
        return [f"{name}: {reason}" for name, (_host, reason) in zip(names, waiting, strict=True)]

    def _releases(self) -> Iterator[tuple[ReleasedHost, NodePoolRelease]]:
        there = {machine.name for machine in self.view.machines}
        for key, host in sorted(self._hosts.items()):
            if host.machine not in there:
                yield host, released(self.view.agent(key), host.machine, host.namespace)

    def _see(self, status: Callable[[PoolView], WaitStatus]) -> WaitStatus:
        self.view = self._reader.look(self._hosts)
        self._remember(self.view)
        found = status(self.view)
        lines = self._lines
        lines.percent = percent(self.view)
        status_text = "in the desired state" if found.reached else found.reason
        lines.tell("", f"{self.view.name}: {status_text}")
        for machine in self.view.machines:
            reason_note = ": " + machine.reason if machine.reason else ""
            lines.tell(machine.title, f"{machine.title}: {machine.state}{reason_note}")
        for text in self.waiting_hosts():
            name, _colon, reason = text.partition(": ")
            lines.tell(f"host {name}", f"host {name}: {reason}")
        lines.beat(found.reason or "in the desired state")
        return found

    def _remember(self, view: PoolView) -> None:
        """A Machine that has an Agent now may be gone at the next look."""
        for machine in view.machines:
            host = ReleasedHost.of(machine)
            if host is not None:
                self._hosts[host.agent] = host

    def _hint(self) -> str:
        """What the user has to do; a further wait is useful only if there is nothing."""
        states = dict.fromkeys(machine.state for machine in self.view.machines)
        return (
            " ".join(_REMEDIES[state] for state in states if state in _REMEDIES)
            or "HyperShift continues. Run the task again to wait longer."
        )

    def _machines(self) -> str:
        stuck = [machine.text() for machine in self.view.machines if machine.state != "running"]
        return appended(" Machines: ", stuck)


def words_of(target: Target) -> str:
    """The target as messages name it."""
    return {
        "replicas": "at its size",
        "accepted": "accepted by the operator",
        "released": "without Machines that leave",
        "ready": "ready",
        "empty": "without Machines",
        "gone": "gone",
    }.get(target, target)
