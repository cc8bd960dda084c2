# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Put systems that this lab did not install on machines: other operating systems, or nodes of running clusters."""

from __future__ import annotations

import asyncio
import ipaddress
import secrets
from typing import TYPE_CHECKING

from .agent.kubelet import node_facts
from .agent.node import NodeDisk, boot_node
from .clusters import ClusterPlan, RunningCluster
from .fabric.hosts import HostNetwork, Interface, Route
from .machine.hardware import Hardware, InstalledSystem, Outcome
from .newcluster import pki
from .site.model import ClusterHint, Machine, Member, Nic

if TYPE_CHECKING:
    from .lab import Lab

START_LIMIT = 20.0  # seconds of the wall clock
_PLATFORMS = {"baremetal": "BareMetal", "none": "None"}


class Occupants:
    """Puts systems on machines: those of the site file, and later those of ``ztlab install``."""

    def __init__(self, lab: Lab) -> None:
        self._lab = lab

    async def settle(self) -> None:
        """The state that the site file describes; when this returns, all of it runs."""
        for hint in self._lab.site.clusters:
            if hint.installed:
                await self._cluster(hint)
        for machine in self._lab.machines.values():
            if machine.spec.installed:
                self._write_other(machine, machine.spec.installed)
                if machine.spec.power == "on":
                    await self._run(machine)
            elif machine.spec.power == "on" and not machine.installed:
                machine.reset("On")

    async def install_other(self, machine: Hardware, name: str) -> None:
        """An operating system that has nothing to do with OpenShift runs on a machine from now on."""
        await self._vacate(machine)
        self._write_other(machine, name)
        await self._run(machine)

    async def install_member(self, machine: Hardware, running: RunningCluster) -> None:
        """A machine is a worker of a running cluster from now on. Raises ValueError without an address."""
        disk = self._disk(Member(machine.spec.name), machine, running)
        await self._vacate(machine)
        self._join(running, machine, disk)
        running.api.nodes.settle(disk.hostname, self._lab.clock.now())
        await self._run(machine)

    @staticmethod
    async def _vacate(machine: Hardware) -> None:
        await machine.switch(False)
        machine.installed.clear()

    @staticmethod
    async def _run(machine: Hardware) -> None:
        (system,) = machine.installed.values()
        await machine.resume(system.resume or system.boot)

    # other systems

    def _write_other(self, machine: Hardware, name: str) -> None:
        lab, network = self._lab, self._network(machine.spec, machine.spec.addresses)

        async def boot(machine: Hardware) -> Outcome:
            for address in lab.fabric.attach(machine.spec.name, network):
                machine.console.print(
                    f"Duplicate address: {address} is in use by {', '.join(lab.fabric.owners(address))}."
                )
            machine.console.print(f"{name}: {machine.spec.name} login:", phase=f"runs {name}")
            try:
                await asyncio.Event().wait()
                return Outcome.HALT
            finally:
                lab.fabric.detach(machine.spec.name)

        machine.installed[machine.spec.disks[0].name] = InstalledSystem(name, machine.spec.name, boot)

    # clusters

    async def _cluster(self, hint: ClusterHint) -> None:
        """A cluster with all its members; those that are off are no longer Ready."""
        signers = {name: pki.new_authority(name) for name in pki.SIGNERS}
        machines = {member.machine: self._lab.machines[member.machine] for member in hint.members}
        api = hint.api_vip or next(
            _address(member, machines[member.machine].spec) for member in hint.members if member.role == "master"
        )
        plan = ClusterPlan(
            key=f"site/{hint.domain}",
            name=hint.name,
            base_domain=hint.base_domain,
            version=hint.version,
            platform=_PLATFORMS[hint.platform],
            api_ip=api,
            ingress_ip=hint.ingress_vip or api,
            expected={role: sum(member.role == role for member in hint.members) for role in ("master", "worker")},
            signers={name: (signer.pem, pki.key_pem(signer)) for name, signer in signers.items()},
            bmcs={machine.spec.nics[0].mac: machine.spec.bmc.address for machine in machines.values()}
            if hint.bmcs
            else {},
        )
        running = await self._lab.clusters.add(plan)
        for member in hint.members:
            machine = machines[member.machine]
            self._join(running, machine, self._disk(member, machine, running))
        running.api.settle()
        for member in hint.members:
            if machines[member.machine].spec.power == "off":
                running.node_stopped(member.hostname or member.machine)
            else:
                await self._run(machines[member.machine])
        if any(machines[member.machine].power_state == "On" for member in hint.members if member.role == "master"):
            async with asyncio.timeout(START_LIMIT):
                while not running.serving:
                    await asyncio.sleep(0.01)

    def _disk(self, member: Member, machine: Hardware, running: RunningCluster) -> NodeDisk:
        network = self._network(machine.spec, (_address(member, machine.spec),))
        return NodeDisk(member.role, member.hostname or member.machine, network, running.plan.key, secrets.token_hex(4))

    def _join(self, running: RunningCluster, machine: Hardware, disk: NodeDisk) -> None:
        lab = self._lab

        async def boot(machine: Hardware) -> Outcome:
            return await boot_node(lab, machine, disk)

        async def resume(machine: Hardware) -> Outcome:
            return await boot_node(lab, machine, disk, runs=True)

        machine.installed[machine.spec.disks[0].name] = InstalledSystem(disk.role, disk.hostname, boot, resume=resume)
        facts = node_facts(machine.spec, disk.network)
        address = disk.network.addresses()[0]
        running.node_booted(
            disk.hostname, disk.role, address, machine=machine.spec.name, installation=disk.installation, facts=facts
        )

    # network

    def _network(self, spec: Machine, addresses: tuple[str, ...]) -> HostNetwork:
        """The configuration of a system with these addresses: each on the first port that its network reaches."""
        interfaces: list[Interface] = []
        routes: list[Route] = []
        servers: list[str] = []
        for nic in spec.nics:
            own = [address for address in addresses if self._port(spec, address) is nic]
            networks = [self._lab.site.network(name) for name in (nic.network, *nic.vlans) if name]
            with_length = [
                f"{address}/{cidr.prefixlen}"
                for address in own
                for network in networks
                for cidr in network.cidrs
                if network.contains(address) and ipaddress.ip_address(address) in cidr
            ]
            used = next((network for network in networks if any(network.contains(address) for address in own)), None)
            interfaces.append(
                Interface(
                    nic.name,
                    nic.mac,
                    addresses=tuple(with_length),
                    network=used.name if used else nic.network,
                    carrier=nic.link,
                )
            )
            if used is not None:
                everything = "::/0" if ":" in used.gateway else "0.0.0.0/0"
                routes.append(Route(everything, used.gateway, nic.name))
                servers += used.dns_servers
        return HostNetwork(tuple(interfaces), tuple(routes), tuple(servers))

    def _port(self, spec: Machine, address: str) -> Nic:
        """Raises ValueError when no port reaches the address's network."""
        for nic in spec.nics:
            if any(self._lab.site.network(name).contains(address) for name in (nic.network, *nic.vlans) if name):
                return nic
        raise ValueError(f"no port of machine {spec.name} is in the network of {address}")


def _address(member: Member, spec: Machine) -> str:
    """Raises ValueError."""
    known = [member.address, *spec.addresses, *(nic.lease for nic in spec.nics)]
    found = next(filter(None, known), "")
    if not found:
        raise ValueError(
            f"machine {spec.name} has no address: its part of the site file names neither addresses nor a lease"
        )
    return found
