# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Define the interface to libvirt that this collection uses: :class:`Hypervisor`.

Two drivers implement it: the Python binding (binding.py) and the program virsh (virsh.py).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Protocol

from ..common.errors import ZeroTouchError

# States of a machine that is off, as virsh prints virDomainState. In all other states it is on.
OFF_STATES = frozenset({"shut off", "crashed", "no state"})


class HypervisorError(ZeroTouchError):
    """libvirt refused a call, or cannot be reached. The message has libvirt's text."""


@dataclasses.dataclass(frozen=True)
class DomainEntry:
    """A domain. ``live`` is the definition it runs with, empty when it is off; ``saved`` is what its next start uses,
    empty for a transient domain.
    """

    name: str
    uuid: str
    state: str
    reason: str
    live: str
    saved: str

    @property
    def on(self) -> bool:
        return self.state not in OFF_STATES


@dataclasses.dataclass(frozen=True)
class PoolEntry:
    """A storage pool that is active; ``available`` is in bytes, and so is ``capacity``."""

    name: str
    capacity: int
    available: int


@dataclasses.dataclass(frozen=True)
class VolumeEntry:
    """A volume of a pool; ``capacity`` is in bytes."""

    name: str
    capacity: int


@dataclasses.dataclass(frozen=True)
class NetworkEntry:
    """A virtual network with its saved definition."""

    name: str
    active: bool
    autostart: bool
    saved: str


# Returns the next bytes of a file, at most as many as asked for; empty at its end.
Reader = Callable[[int], bytes]


class Hypervisor(Protocol):
    """One connection. Every method raises :class:`HypervisorError`."""

    uri: str
    driver: str

    def close(self) -> None:
        """End the connection."""

    # Domains

    def domains(self) -> Sequence[DomainEntry]:
        """All domains, with their definitions."""

    def saved_definition(self, uuid: str) -> str:
        """The definition of the next start with the secrets in it, which :meth:`domains` leaves out."""

    def define(self, xml: str) -> None:
        """Save a definition; a domain that runs keeps the one that it runs with."""

    def start_once(self, xml: str) -> None:
        """Start a domain with this definition, which is not saved."""

    def start(self, uuid: str) -> None:
        """Start a domain with its saved definition."""

    def stop(self, uuid: str) -> None:
        """Cut the power of a domain."""

    def undefine(self, uuid: str) -> None:
        """Remove a definition, with what libvirt keeps of the domain: firmware variables, saved memory, snapshot and
        checkpoint metadata.
        """

    def update_device(self, uuid: str, xml: str) -> None:
        """Change a device of a domain that runs, also against the guest's will."""

    def capabilities(self) -> str:
        """What the hypervisor can run, as XML."""

    # Storage

    def pools(self) -> Sequence[PoolEntry]:
        """The active pools."""

    def volumes(self, pool: str) -> Sequence[VolumeEntry]:
        """The volumes of a pool."""

    def create_volume(self, pool: str, xml: str) -> None:
        """Create a volume in a pool."""

    def delete_volume(self, pool: str, name: str) -> None:
        """Delete a volume with its content."""

    def upload(self, pool: str, name: str, read: Reader, size: int) -> None:
        """Fill a volume with ``size`` bytes of ``read``."""

    # Networks

    def networks(self) -> Sequence[NetworkEntry]:
        """All networks, with their definitions."""

    def define_network(self, xml: str) -> None:
        """Save a definition."""

    def start_network(self, name: str) -> None:
        """Start a network with its saved definition."""

    def stop_network(self, name: str) -> None:
        """Stop a network; its definition stays."""

    def undefine_network(self, name: str) -> None:
        """Remove a definition."""

    def autostart_network(self, name: str, on: bool) -> None:
        """Set whether the network starts with the hypervisor."""
