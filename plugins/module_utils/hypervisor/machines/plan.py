# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Plan which virtual machines, volumes and networks are created or removed on a hypervisor, and why. Pure.

Nothing is planned for a domain, volume or network that this collection did not define.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

from ...common.problems import FORBIDDEN, INVALID, REQUIRED, UNEXPECTED_STATE, OwnCheck, Problem
from ..api import DomainEntry, NetworkEntry, VolumeEntry
from ..domain_xml import ImageVolume, read_domain
from ..image_volume import volume_xml
from . import network as networks
from .description import ARCHITECTURES, Disk, Vm
from .network import Network, network_xml
from .template import accelerated, described, domain_xml, host_arch, own_volumes

_problem = OwnCheck("libvirt")


@dataclasses.dataclass(frozen=True)
class Observed:
    """A hypervisor. ``volumes`` are those of the pools that are used; a pool that is not active is missing."""

    uri: str
    capabilities: str
    domains: Sequence[DomainEntry]
    networks: Sequence[NetworkEntry]
    volumes: Mapping[str, Sequence[VolumeEntry]]

    def domain(self, name: str) -> DomainEntry | None:
        return next((entry for entry in self.domains if entry.name == name), None)

    def network(self, name: str) -> NetworkEntry | None:
        return next((entry for entry in self.networks if entry.name == name), None)

    def volume(self, pool: str, name: str) -> VolumeEntry | None:
        return next((entry for entry in self.volumes.get(pool, ()) if entry.name == name), None)

    def uses(self, network: str) -> list[DomainEntry]:
        """The domains with a NIC on a network."""
        return [
            entry
            for entry in self.domains
            if any(network in _networks_of(xml) for xml in (entry.saved, entry.live) if xml)
        ]


@dataclasses.dataclass(frozen=True)
class MachineChange:
    """One change of a hypervisor.

    ``name`` is that of the network, domain or volume, ``uuid`` that of an existing domain, ``xml`` what is defined.

    ``before`` and ``after`` are for the diff.
    """

    uri: str
    action: str
    name: str
    reason: str
    xml: str = ""
    uuid: str = ""
    pool: str = ""
    before: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    after: Mapping[str, Any] = dataclasses.field(default_factory=dict)

    def text(self) -> str:
        place = f"{self.pool}/{self.name}" if self.pool else self.name
        return f"{self.action.replace('_', ' ')} {place} ({self.reason}) [{self.uri}]"


@dataclasses.dataclass(frozen=True)
class HypervisorPlan:
    """``problems`` stop the run before the first change if one of them is an error; ``notes`` are what is left to the
    user.
    """

    changes: tuple[MachineChange, ...] = ()
    problems: tuple[Problem, ...] = ()
    notes: tuple[str, ...] = ()


def is_created(entry: DomainEntry) -> bool:
    """Whether this collection defined the domain."""
    return bool(entry.saved) and read_domain(entry.saved).created


def plan_present(seen: Observed, vms: Sequence[Vm], wanted: Sequence[Network]) -> HypervisorPlan:
    """Networks first, then each domain and its disks: the domain's metadata list the disks before they exist, so that a
    run that is killed continues.
    """
    changes: list[MachineChange] = []
    problems: list[Problem] = []
    notes: list[str] = []
    for network in wanted:
        _plan_network(seen, network, changes, problems, notes)
    for vm in vms:
        _plan_machine(seen, vm, [network.name for network in wanted], changes, problems, notes)
    return HypervisorPlan(tuple(changes), tuple(problems), tuple(notes))


def plan_absent(seen: Observed, vms: Sequence[Vm], wanted: Sequence[Network]) -> HypervisorPlan:
    """Domains, then their disks, then networks that no other domain uses."""
    changes: list[MachineChange] = []
    notes: list[str] = []
    removed = set()
    for vm in vms:
        entry = seen.domain(vm.name)
        if entry is None:
            continue
        if not is_created(entry):
            notes.append(f"{seen.uri}: domain {vm.name} is not deleted: this collection did not define it.")
            continue
        removed.add(entry.uuid)
        if entry.on:
            changes.append(MachineChange(seen.uri, "power_off", vm.name, f"it is {entry.state}", uuid=entry.uuid))
        facts = read_domain(entry.saved)
        # The volumes go first: without the domain nothing says that they may be deleted.
        images = [facts.recorded] if facts.recorded else []
        for volume in own_volumes(entry.saved):
            if seen.volume(volume.pool, volume.name):
                changes.append(
                    MachineChange(seen.uri, "delete_volume", volume.name, "the domain is removed", pool=volume.pool)
                )
        changes.append(
            MachineChange(
                seen.uri, "undefine_domain", vm.name, "state is absent", uuid=entry.uuid, before=described(entry.saved)
            )
        )
        changes += [
            MachineChange(seen.uri, "delete_image", image.name, "unless another domain uses it", pool=image.pool)
            for image in images
        ]
    for network in wanted:
        _plan_network_removal(seen, network, removed, changes, notes)
    return HypervisorPlan(tuple(changes), (), tuple(notes))


def _plan_network(
    seen: Observed, network: Network, changes: list[MachineChange], problems: list[Problem], notes: list[str]
) -> None:
    entry = seen.network(network.name)
    if entry is not None and not networks.is_own(entry.saved):
        text = (
            "a network of this name exists, and was not defined by this collection: take it out of "
            "libvirt_hosts_networks, or choose a name"
        )
        problems.append(_problem("networks", FORBIDDEN, text, network.name))
        return
    xml = network_xml(network)
    before, after = (networks.described(entry.saved) if entry else {}), networks.described(xml)
    if before != after:
        reason = f"{_differing(before, after)} differ" if entry else "it does not exist"
        changes.append(MachineChange(seen.uri, "define_network", network.name, reason, xml, before=before, after=after))
        if entry is not None and entry.active:
            running = [domain.name for domain in seen.uses(network.name) if domain.on]
            if running:
                notes.append(
                    f"{seen.uri}: network {network.name} is used by {', '.join(running)}; its new definition counts "
                    "after virsh net-destroy and net-start."
                )
            else:
                changes.append(
                    MachineChange(
                        seen.uri,
                        "stop_network",
                        network.name,
                        ("its definition changes, and no running domain uses it"),
                    )
                )
                changes.append(MachineChange(seen.uri, "start_network", network.name, "its definition has changed"))
    if entry is None or not entry.active:
        changes.append(MachineChange(seen.uri, "start_network", network.name, "it is not active"))
    if entry is None or not entry.autostart:
        changes.append(
            MachineChange(
                seen.uri, "autostart_network", network.name, ("it must be there after a restart of the hypervisor")
            )
        )


def _differing(before: Mapping[str, object], after: Mapping[str, object]) -> str:
    return ", ".join(key for key in after if before.get(key) != after[key])


def _plan_machine(
    seen: Observed, vm: Vm, made: Sequence[str], changes: list[MachineChange], problems: list[Problem], notes: list[str]
) -> None:
    path = f"openshift_host[{vm.host}]"
    arch = vm.arch or host_arch(seen.capabilities)
    wrong = _machine_problems(seen, vm, arch, made, path)
    problems += wrong
    if wrong:
        return
    entry = seen.domain(vm.name)
    recorded = read_domain(entry.saved).recorded if entry else None
    xml = domain_xml(
        vm, arch, kvm=accelerated(seen.capabilities, arch), uuid=entry.uuid if entry else "", image=recorded
    )
    before, after = (described(entry.saved) if entry else {}), described(xml)
    if before != after or (entry and own_volumes(entry.saved) != own_volumes(xml)):
        differing = _differing(before, after) or "disks"
        reason = f"{differing} differ" if entry else "it does not exist"
        changes.append(MachineChange(seen.uri, "define_domain", vm.name, reason, xml, before=before, after=after))
        if entry and entry.on:
            notes.append(f"{seen.uri}: domain {vm.name} is running; its new definition counts from its next start.")
    for disk in vm.disks:
        if seen.volume(disk.pool, disk.name) is None:
            gibibytes = disk.size >> 30
            xml = volume_xml(disk.name, disk.size, "qcow2")
            reason = f"disk of {gibibytes} GiB"
            changes.append(MachineChange(seen.uri, "create_volume", disk.name, reason, xml, pool=disk.pool))


def _machine_problems(seen: Observed, vm: Vm, arch: str, made: Sequence[str], path: str) -> list[Problem]:
    problems = []
    if arch not in ARCHITECTURES:
        problems.append(_problem(f"{path}.vm.arch", INVALID, f"supported: {', '.join(ARCHITECTURES)}", arch))
    entry = seen.domain(vm.name)
    if entry is not None and not is_created(entry):
        text = (
            "a domain of this name exists, and was not defined by this collection: choose another name, or take vm "
            "out of the host"
        )
        problems.append(_problem(f"{path}.libvirt.domain", FORBIDDEN, text, vm.name))
    macs = {nic.mac for nic in vm.nics}
    others = [
        each.name
        for each in seen.domains
        if each.name != vm.name and macs & set(read_domain(each.saved or each.live).macs)
    ]
    if others:
        problems.append(
            _problem(
                f"{path}.interfaces",
                FORBIDDEN,
                (f"domain {', '.join(others)} of the same hypervisor has a MAC address of this host"),
            )
        )
    listed = own_volumes(entry.saved) if entry is not None and is_created(entry) else []
    for disk in vm.disks:
        problems += _disk_problems(seen, disk, listed, path)
    known = {network.name for network in seen.networks} | set(made)
    for name in dict.fromkeys(nic.network for nic in vm.nics):
        if name not in known:
            text = "this network does not exist: list it in libvirt_hosts_networks, or define it"
            problems.append(_problem(f"{path}.vm.networks", REQUIRED, text, name))
    for volume in listed:
        if volume not in [ImageVolume(disk.pool, disk.name) for disk in vm.disks]:
            text = (
                f"disk {volume} is not in vm.disks any more: delete the machine (state absent), or add the disk "
                "to the list again"
            )
            problems.append(_problem(f"{path}.vm.disks", FORBIDDEN, text))
    return problems


def _disk_problems(seen: Observed, disk: Disk, listed: Sequence[ImageVolume], path: str) -> list[Problem]:
    if disk.pool not in seen.volumes:
        return [_problem(f"{path}.vm.disks", REQUIRED, "this storage pool does not exist or is not active", disk.pool)]
    volume = seen.volume(disk.pool, disk.name)
    if volume is None:
        return []
    if ImageVolume(disk.pool, disk.name) not in listed:
        text = "a volume of this name exists, and was not defined by this collection: rename or delete it"
        return [_problem(f"{path}.vm.disks", FORBIDDEN, text, f"{disk.pool}/{disk.name}")]
    if volume.capacity != disk.size:
        gibibytes = volume.capacity / (1 << 30)
        text = f"the disk has {gibibytes:g} GiB: grow it with virsh vol-resize, or correct size_gib"
        return [_problem(f"{path}.vm.disks", UNEXPECTED_STATE, text, f"{disk.pool}/{disk.name}")]
    return []


def _plan_network_removal(
    seen: Observed, network: Network, removed: set[str], changes: list[MachineChange], notes: list[str]
) -> None:
    entry = seen.network(network.name)
    if entry is None:
        return
    if not networks.is_own(entry.saved):
        notes.append(f"{seen.uri}: network {network.name} is not deleted: this collection did not define it.")
        return
    others = [domain.name for domain in seen.uses(network.name) if domain.uuid not in removed]
    if others:
        notes.append(f"{seen.uri}: network {network.name} is used by {', '.join(others)}, and stays.")
        return
    if entry.active:
        changes.append(MachineChange(seen.uri, "stop_network", network.name, "state is absent"))
    changes.append(
        MachineChange(
            seen.uri, "undefine_network", network.name, "state is absent", before=networks.described(entry.saved)
        )
    )


def _networks_of(xml: str) -> list[str]:
    return [str(nic["network"]) for nic in described(xml)["networks"]]
