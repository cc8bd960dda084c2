# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Simulate an installed host: it boots from its disk, gets its configuration from the cluster's machine config server,
and becomes a node.
"""

from __future__ import annotations

import asyncio
import dataclasses
import ssl
import urllib.parse
from collections.abc import Mapping
from typing import TYPE_CHECKING

from ..clusters import RunningCluster
from ..fabric.hosts import HostNetwork, Unreachable
from ..live.http import HostHttp
from ..machine.config_drive import KUBELET_PROGRAM, kubelet_labels
from ..machine.hardware import Hardware, Outcome
from .kubelet import KubeletPort, node_facts
from .pointer import Pointer
from .reclaim import Reclaim

if TYPE_CHECKING:
    from ..lab import Lab

# Lab seconds.
KERNEL_SECONDS = 15.0
WAIT_SECONDS = 5.0
CONFIGURE_SECONDS = 25.0


@dataclasses.dataclass(frozen=True)
class NodeDisk:
    """What an installation left on a disk. ``cluster_key``: of the cluster whose control plane this is a part of.

    ``metadata``: that of the config drive, a partition that the installation keeps.
    ``pointer`` None (agent-based image): the configuration is that of the cluster of the key.
    """

    role: str
    hostname: str
    network: HostNetwork
    cluster_key: str
    installation: str
    pointer: Pointer | None = None
    metadata: Mapping[str, str] = dataclasses.field(default_factory=dict)


async def boot_node(lab: Lab, machine: Hardware, disk: NodeDisk, *, runs: bool = False) -> Outcome:
    """Run an installed system until it is switched off.

    ``runs``: it has booted long ago, and its cluster has the Node.
    """
    console = machine.console
    name = machine.spec.name
    network = disk.network
    await lab.clock.sleep(0.0 if runs else KERNEL_SECONDS)
    for address in lab.fabric.attach(name, network):
        console.print(f"Duplicate address: {address} is in use by {', '.join(lab.fabric.owners(address))}.")
    running = None
    port: asyncio.Task[None] | None = None
    try:
        running = lab.clusters.get(disk.cluster_key) if runs else None
        running = running or await _configured(lab, machine, disk)
        if disk.role == "master":
            await running.carry(name)
        if lab.faults.take("never-joins", name):
            console.print("kubelet: failed to run Kubelet (injected fault never-joins).", phase="installed, not joined")
        else:
            if not runs:
                _boot_kubelet(machine, disk, running)
            kubelet = KubeletPort(lab, name, running, running.api.nodes.kubelets[disk.hostname])
            port = asyncio.create_task(kubelet.run(), name=f"kubelet of {name}")
            console.print(f"kubelet: registering node {disk.hostname}.", phase="node")
        if disk.pointer is None or port is None:
            await asyncio.Event().wait()
        artifacts = await Reclaim(lab, machine, running, disk.hostname, network).wait()
        for system in machine.installed.values():
            system.once = artifacts
        return Outcome.REBOOT
    finally:
        lab.fabric.detach(name)
        if running is not None:
            if port is not None:
                port.cancel()
                await asyncio.gather(port, return_exceptions=True)
                running.node_stopped(disk.hostname)
            await running.drop(name)


async def _configured(lab: Lab, machine: Hardware, disk: NodeDisk) -> RunningCluster:
    """The cluster that a host is a part of, once the host has its configuration."""
    name, running = machine.spec.name, None
    if disk.role == "master":
        running = await _own_control_plane(lab, name, disk.cluster_key)
    # What was bootstrapped in place has its whole configuration on its disk, and its own DNS: it asks no name of the
    # site's.
    alone = running is not None and running.plan.expected.get("master") == 1 and not running.plan.expected.get("worker")
    pointer = None if alone and disk.role == "master" else disk.pointer
    return await (
        _point(lab, machine, pointer, disk.network)
        if pointer
        else _configure(lab, machine, disk.role, disk.network, disk.cluster_key)
    )


def _boot_kubelet(machine: Hardware, disk: NodeDisk, running: RunningCluster) -> None:
    address = (disk.network.addresses() or [""])[0]
    script = disk.pointer.files.get(KUBELET_PROGRAM, "") if disk.pointer else ""
    facts = dataclasses.replace(node_facts(machine.spec, disk.network), labels=kubelet_labels(script, disk.metadata))
    running.node_booted(
        disk.hostname, disk.role, address, machine=machine.spec.name, installation=disk.installation, facts=facts
    )


async def _point(lab: Lab, machine: Hardware, pointer: Pointer, network: HostNetwork) -> RunningCluster:
    """Ignition merges what the pointer names, for as long as it takes."""
    http = HostHttp(lab, lambda: network)
    said = ""
    while True:
        try:
            reply = await http.request("GET", pointer.source, headers=pointer.headers, tls=pointer.trust())
            address = urllib.parse.urlsplit(http.reach(pointer.source)[0]).hostname or ""
            running = lab.clusters.configured_by(pointer.source, address)
            problem = (
                ""
                if reply.ok and running is not None
                else (f"{reply.status}: {reply.body[:200].decode('utf-8', 'replace').strip()}")
            )
        except (Unreachable, ssl.SSLError) as error:
            running, problem = None, str(error)
        if running is not None and not problem:
            break
        if problem != said:
            machine.console.print(f"Ignition: GET {pointer.source}: {problem}", phase="waiting for ignition")
            said = problem
        await lab.clock.sleep(WAIT_SECONDS)
    machine.console.print(f"Ignition: GET {pointer.source}: OK", phase="configuring")
    await lab.clock.sleep(CONFIGURE_SECONDS)
    return running


async def _own_control_plane(lab: Lab, name: str, cluster_key: str) -> RunningCluster | None:
    """A control-plane host of a cluster that was bootstrapped brings its part of the API up by itself."""
    running = lab.clusters.get(cluster_key)
    if running is not None and running.api.bootstrap_complete:
        await running.carry(name)
    return running


async def _configure(lab: Lab, machine: Hardware, role: str, network: HostNetwork, cluster_key: str) -> RunningCluster:
    """Ignition fetches the rest of the configuration from api-int:22623, for as long as it takes."""
    said = ""
    while True:
        running = lab.clusters.get(cluster_key)
        problem = (
            "the machine config server does not answer"
            if running is None
            else _unreachable(lab, network, running.plan.api_ip)
        )
        if running is not None and not problem:
            break
        if problem != said:
            machine.console.print(
                f"Ignition: GET https://api-int:22623/config/{role}: {problem}", phase="waiting for ignition"
            )
            said = problem
        await lab.clock.sleep(WAIT_SECONDS)
    machine.console.print(f"Ignition: GET https://api-int:22623/config/{role}: OK", phase="configuring")
    await lab.clock.sleep(CONFIGURE_SECONDS)
    return running


def _unreachable(lab: Lab, network: HostNetwork, address: str) -> str:
    """Why an address cannot be reached from a network, "" when it can."""
    try:
        lab.fabric.check(network, address)
    except Unreachable as error:
        return str(error)
    return ""
