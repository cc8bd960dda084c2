# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""The interface that each boot method implements: :class:`BootMethod`.

A method inspects a host, plans, applies the plan, and releases the host from the image afterwards.

A method only boots. Its caller decides whether a machine may be changed (:data:`.run.Permit`).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol, TypeVar

from ..bmc.hosts import BmcOptions, HostResult
from ..bmc.plan import State
from ..common.parallel import Outcome
from ..common.problems import Problem

# A cluster needs all its machines: a change to these states begins only if no machine has a problem. The other states
# are applied to each machine, whatever the result of the other machines is.
ALL_OR_NONE: frozenset[State] = frozenset({"booted", "on"})


@dataclasses.dataclass(frozen=True)
class Capabilities:
    """What a method can do without the user.

    ``needs_image_url``: the image must be published. ``can_power``: reads and switches power; without it the user
    starts the host. ``can_eject``: detaches the image. ``boots_once``: only the next start uses the image; without it
    the image must be detached before the host restarts.
    """

    needs_image_url: bool
    can_power: bool
    can_eject: bool
    boots_once: bool


class MachineRequest(Protocol):
    """What is asked of one host."""

    @property
    def name(self) -> str:
        """Its name in the inventory."""

    @property
    def method(self) -> str:
        """How it is booted: a key of the table."""

    @property
    def address(self) -> str:
        """The address of its BMC; empty without one."""

    @property
    def mac_addresses(self) -> tuple[str, ...]:
        """The addresses that the machine must have."""

    @property
    def image_url(self) -> str:
        """The image that it boots."""


class Inspected(Protocol):
    """A machine as its method read it."""

    @property
    def power_state(self) -> str:
        """On, Off, or another text when it is not known."""

    @property
    def uuid(self) -> str:
        """The UUID of the system; empty when it is not known."""

    @property
    def macs(self) -> tuple[str, ...]:
        """The addresses of its network cards; empty when they are not known."""


Machines = Sequence[Outcome[Any, Any]]  # of Request and Inspected

# Called once, directly before the first change of a machine, with a function that reads its power again (over the open
# session) and returns the machine. It raises :class:`ZeroTouchError` if the machine must not be changed any more.
BeforeChange = Callable[[Callable[[], Any]], None]


@dataclasses.dataclass(frozen=True)
class BootPlan:
    """What a method would do to a machine: ``steps`` for its ``apply``, ``lines`` with the same in words, and
    ``user_action``, what only the user can do.
    """

    steps: tuple[Any, ...] = ()
    lines: tuple[str, ...] = ()
    user_action: str = ""

    @property
    def empty(self) -> bool:
        """Whether neither the module nor the user has anything to do."""
        return not self.steps and not self.user_action


RequestT = TypeVar("RequestT", bound=MachineRequest)
MachineT = TypeVar("MachineT", bound=Inspected)


class BootMethod(Protocol[RequestT, MachineT]):
    """A way to boot hosts from an image.

    ``summary`` is for documentation. ``needs`` are the keys of ``openshift_host`` that a host must have for it, each
    with a name for messages. ``controller`` is what switches the power of a host, in a word for messages; empty where
    the user does.
    """

    name: str
    summary: str
    capabilities: Capabilities
    needs: Mapping[str, str]
    controller: str

    def options(self) -> Mapping[str, Any]:
        """The suboptions of ``hosts`` that this method alone reads, as a part of an argument spec."""

    def check(self, host: Mapping[str, Any], path: str) -> Sequence[Problem]:
        """Everything that is wrong with those options of a host and can be known without contacting anything.

        ``path`` is that of the host.
        """

    def request(self, host: Mapping[str, Any], mac_addresses: tuple[str, ...], image_url: str) -> RequestT:
        """The request for a host of option ``hosts``."""

    def inspect(self, request: RequestT, options: BmcOptions, *, read_only: bool) -> MachineT:
        """Read one machine; changes nothing. Raises :class:`ZeroTouchError` when it cannot be read."""

    def plan(self, request: RequestT, machine: MachineT, state: State) -> BootPlan:
        """What leads to ``state``; an empty plan when the machine is there already. Pure."""

    def refusal(self, request: RequestT, machine: MachineT, plan: BootPlan) -> str:
        """Why this plan must not or cannot be applied to this machine; empty when it can. Pure."""

    def result(self, request: RequestT, machine: MachineT) -> HostResult:
        """The result of a host to which nothing has been done yet."""

    def apply(
        self,
        request: RequestT,
        machine: MachineT,
        plan: BootPlan,
        result: HostResult,
        options: BmcOptions,
        before_change: BeforeChange,
    ) -> None:
        """Do the steps in order; ``result`` says at any moment how far it came. ``before_change`` is called directly
        before the first step that changes the machine. Raises :class:`ZeroTouchError`.
        """

    def release(self, request: RequestT, options: BmcOptions, *, restart: bool) -> HostResult:
        """Detach the image from a host that has left the live system; with ``restart`` the host started it again, and
        must start from its disk.

        Failures are in the result. Raises :class:`Interrupted` alone.
        """

    def facts(self, machine: MachineT) -> Mapping[str, Any]:
        """What a report shows of a machine."""
