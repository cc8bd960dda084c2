# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Serve CoreOS disk images, which Metal3 writes to machines, over HTTP. The images are placeholders, because the lab
does not read their content.
"""

from __future__ import annotations

import hashlib
import urllib.parse
from typing import TYPE_CHECKING

from aiohttp import web

from ..fabric.loopback import unprivileged_port
from ..site.model import HubSite

if TYPE_CHECKING:
    from ..lab import Lab

DISK_IMAGE = b"QFI\xfb"


async def answer(request: web.Request) -> web.Response:
    """The response of the web server on the hub: any disk image, or the file with its checksum."""
    name = request.path.rpartition("/")[2]
    if name.endswith(".qcow2"):
        return web.Response(body=DISK_IMAGE)
    known = name == "sha256sum.txt"
    return web.Response(
        text=f"{hashlib.sha256(DISK_IMAGE).hexdigest()}  rhcos.qcow2\n" if known else "not found\n",
        status=200 if known else 404,
    )


async def serve(lab: Lab, hub: HubSite) -> None:
    """The web servers of the URLs that the site names, each at an address of its own."""
    if hub.cluster_api is None:
        return
    paths = {urllib.parse.urlsplit(url).path for url in hub.cluster_api.disk_images}

    async def listed(request: web.Request) -> web.Response:
        return web.Response(body=DISK_IMAGE) if request.path in paths else web.Response(status=404)

    for scheme, host, port in sorted(hub.cluster_api.disk_image_servers):
        if host in hub.hosts:  # behind the hub's own port, which has every disk image
            continue
        app = web.Application()
        app.router.add_route("GET", "/{path:.*}", listed)
        address = lab.fabric.table.loopback(host)
        context = lab.authority.server_context([host, address]) if scheme == "https" else None
        await lab.serve(app, address, unprivileged_port(port), context)
