# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Read the domains, volumes and networks of a hypervisor, and apply the changes that were planned for it."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence

from ..api import Hypervisor
from ..connect import open_hypervisor
from ..domain_xml import ImageVolume
from ..image_volume import delete_unused
from .description import Vm
from .network import Network
from .plan import MachineChange, Observed
from .template import own_volumes

Connect = Callable[[str], Hypervisor]


@contextlib.contextmanager
def opened(uri: str, connect: Connect = open_hypervisor) -> Iterator[Hypervisor]:
    """Open a connection that is closed at the end."""
    hypervisor = connect(uri)
    try:
        yield hypervisor
    finally:
        hypervisor.close()


def uris(vms: Sequence[Vm], networks: Sequence[Network]) -> list[str]:
    """The hypervisors, each once."""
    return list(dict.fromkeys([*(network.uri for network in networks), *(vm.uri for vm in vms)]))


def observe(hypervisor: Hypervisor, vms: Sequence[Vm]) -> Observed:
    """Everything on a hypervisor that a plan looks at. Raises :class:`HypervisorError`."""
    domains = hypervisor.domains()
    active = [pool.name for pool in hypervisor.pools()]
    names = {vm.name for vm in vms}
    pools = {disk.pool for vm in vms for disk in vm.disks}
    # Disks of a former description may be in other pools.
    pools |= {
        volume.pool for entry in domains if entry.name in names and entry.saved for volume in own_volumes(entry.saved)
    }
    volumes = {pool: hypervisor.volumes(pool) for pool in sorted(pools) if pool in active}
    return Observed(hypervisor.uri, hypervisor.capabilities(), domains, hypervisor.networks(), volumes)


def apply(hypervisor: Hypervisor, changes: Sequence[MachineChange], done: Callable[[MachineChange], None]) -> None:
    """Do the changes in order; ``done`` is called after each. Raises :class:`HypervisorError`."""
    for change in changes:
        _ACTIONS[change.action](hypervisor, change)
        done(change)


_ACTIONS: Mapping[str, Callable[[Hypervisor, MachineChange], object]] = {
    "define_network": lambda hypervisor, change: hypervisor.define_network(change.xml),
    "start_network": lambda hypervisor, change: hypervisor.start_network(change.name),
    "stop_network": lambda hypervisor, change: hypervisor.stop_network(change.name),
    "undefine_network": lambda hypervisor, change: hypervisor.undefine_network(change.name),
    "autostart_network": lambda hypervisor, change: hypervisor.autostart_network(change.name, True),
    "define_domain": lambda hypervisor, change: hypervisor.define(change.xml),
    "create_volume": lambda hypervisor, change: hypervisor.create_volume(change.pool, change.xml),
    "delete_volume": lambda hypervisor, change: hypervisor.delete_volume(change.pool, change.name),
    "power_off": lambda hypervisor, change: hypervisor.stop(change.uuid),
    "undefine_domain": lambda hypervisor, change: hypervisor.undefine(change.uuid),
    "delete_image": lambda hypervisor, change: delete_unused(hypervisor, ImageVolume(change.pool, change.name)),
}
