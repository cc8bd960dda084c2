# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""An installed host: boots from its disk, gets its configuration from the cluster's machine config server, becomes a node."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from ..clusters import RunningCluster
from ..fabric.hosts import HostNetwork, Unreachable
from ..machine.hardware import Hardware, Outcome

if TYPE_CHECKING:
    from ..lab import Lab

# Lab seconds.
KERNEL_SECONDS = 15.0
WAIT_SECONDS = 5.0
CONFIGURE_SECONDS = 25.0


async def boot_node(lab: Lab, machine: Hardware, *, role: str, hostname: str, network: HostNetwork, cluster_key: str) -> Outcome:
    """Run an installed system until it is switched off."""
    console = machine.console
    name = machine.spec.name
    await lab.clock.sleep(KERNEL_SECONDS)
    for address in lab.fabric.attach(name, network):
        console.print(f"Duplicate address: {address} is in use by {', '.join(lab.fabric.owners(address))}.")
    running = None
    try:
        if role == "master":
            running = await _own_control_plane(lab, name, cluster_key)
        running = await _configure(lab, machine, role, network, cluster_key)
        if role == "master":
            await running.carry(name)
        if lab.faults.take("never-joins", name):
            console.print("kubelet: failed to run Kubelet (injected fault never-joins).", phase="installed, not joined")
        else:
            running.node_booted(hostname, role, (network.addresses() or [""])[0])
            console.print(f"kubelet: registering node {hostname}.", phase="node")
        await asyncio.Event().wait()
        return Outcome.HALT
    finally:
        lab.fabric.detach(name)
        if running is not None:
            await running.drop(name)


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
        problem = "the machine config server does not answer" if running is None else _unreachable(lab, network, running.plan.api_ip)
        if running is not None and not problem:
            break
        if problem != said:
            machine.console.print(f"Ignition: GET https://api-int:22623/config/{role}: {problem}", phase="waiting for ignition")
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
