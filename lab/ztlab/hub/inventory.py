# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Create the BareMetalHosts that the site file lists for a hub and that another tool manages.

They are detached, so the hub's own operator leaves their machines alone.
"""

from __future__ import annotations

import base64

from ..site.model import HubHost, Site
from .client import Client
from .controllers.bare_metal_host import DETACHED
from .names import BARE_METAL_HOST, NAMESPACE, SECRET


async def publish(client: Client, site: Site) -> None:
    """Create the BareMetalHosts with their Secrets and namespaces."""
    hosts = site.hub.bare_metal_hosts if site.hub is not None else ()
    for namespace in dict.fromkeys(host.namespace for host in hosts):
        if await client.get(NAMESPACE, namespace) is None:
            await client.create(NAMESPACE, {"metadata": {"name": namespace}})
    for host in hosts:
        await _host(client, site, host)


async def _host(client: Client, site: Site, host: HubHost) -> None:
    machine, name = site.machine(host.machine), host.name or host.machine
    data = {"username": machine.bmc.username, "password": machine.bmc.password}
    secret = {"metadata": {"name": f"{name}-bmc-secret", "namespace": host.namespace}, "type": "Opaque"}
    await client.create(
        SECRET, secret | {"data": {key: base64.b64encode(value.encode()).decode() for key, value in data.items()}}
    )
    metadata = {"name": name, "namespace": host.namespace, "annotations": {DETACHED: "another team"}}
    bmc = {"address": machine.bmc.address, "credentialsName": f"{name}-bmc-secret"}
    await client.create(
        BARE_METAL_HOST,
        {"metadata": metadata, "spec": {"online": True, "bmc": bmc, "bootMACAddress": machine.nics[0].mac}},
    )
