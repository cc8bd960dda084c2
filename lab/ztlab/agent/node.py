# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""An installed host: boots from its disk, gets its configuration from the cluster's machine config server, becomes a node."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

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
    try:
        await _configure(lab, machine, role, network, cluster_key)
        if lab.faults.take("never-joins", name):
            console.print("kubelet: failed to run Kubelet (injected fault never-joins).", phase="installed, not joined")
        else:
            running = lab.clusters.get(cluster_key)
            if running is not None:
                await running.node_booted(hostname, role, (network.addresses() or [""])[0])
                console.print(f"kubelet: registering node {hostname}.", phase="node")
        await asyncio.Event().wait()
        return Outcome.HALT
    finally:
        lab.fabric.detach(name)


async def _configure(lab: Lab, machine: Hardware, role: str, network: HostNetwork, cluster_key: str) -> None:
    """Ignition fetches the rest of the configuration from api-int:22623, for as long as it takes."""
    said = ""
    while True:
        running = lab.clusters.get(cluster_key)
        problem = ""
        if running is None:
            problem = "the machine config server does not answer"
        else:
            try:
                lab.fabric.check(network, running.plan.api_ip)
            except Unreachable as error:
                problem = str(error)
        if not problem:
            break
        if problem != said:
            machine.console.print(f"Ignition: GET https://api-int:22623/config/{role}: {problem}", phase="waiting for ignition")
            said = problem
        await lab.clock.sleep(WAIT_SECONDS)
    machine.console.print(f"Ignition: GET https://api-int:22623/config/{role}: OK", phase="configuring")
    await lab.clock.sleep(CONFIGURE_SECONDS)
