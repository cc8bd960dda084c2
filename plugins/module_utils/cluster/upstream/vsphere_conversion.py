# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Convert old layouts of platform.vsphere to one vCenter and one failure domain, as the installer does.

If the configuration has credentials, the installer requests the inventory paths (cluster, datastore, folder) from the
vCenter. Without an answer it derives the paths from the datacenter. This module always derives them.

Source: openshift/installer pkg/types/installconfig.go, pkg/types/defaults.
"""

from __future__ import annotations

import posixpath
from typing import Any

GENERATED = {"name": "generated-failure-domain", "region": "generated-region", "zone": "generated-zone"}
_FOLDERS = {"computeCluster": "host", "datastore": "datastore", "folder": "vm"}


def convert(options: dict[str, Any]) -> None:
    """Convert ``options`` to vcenters and failureDomains, in place; the old fields stay."""
    domains = options.setdefault("failureDomains", [])
    if not options.get("vcenters"):
        options["vcenters"] = [_center(options, domains)]
        for domain in domains:
            topology = domain.setdefault("topology", {})
            topology["datacenter"] = topology.get("datacenter") or options.get("datacenter", "")
            domain["server"] = domain.get("server") or options["vcenters"][0]["server"]
    servers = {center.get("server", "") for center in options["vcenters"]}
    for domain in domains:
        if domain.get("server", "") not in servers:
            return
        _join(domain.setdefault("topology", {}), domain["topology"].get("datacenter", ""))
    if not domains:
        options["failureDomains"] = [_domain(options)]


def _center(options: dict[str, Any], domains: list[dict[str, Any]]) -> dict[str, Any]:
    named = [
        options.get("datacenter", ""),
        *((domain.get("topology") or {}).get("datacenter", "") for domain in domains),
    ]
    return {
        "server": options.get("vCenter", ""),
        "user": options.get("username", ""),
        "password": options.get("password", ""),
        "port": 443,
        "datacenters": list(dict.fromkeys(name for name in named if name)),
    }


def _domain(options: dict[str, Any]) -> dict[str, Any]:
    old = {
        "datacenter": "datacenter",
        "resourcePool": "resourcePool",
        "computeCluster": "cluster",
        "datastore": "defaultDatastore",
        "folder": "folder",
    }
    topology: dict[str, Any] = {new: options.get(name, "") for new, name in old.items()}
    topology["networks"] = [options.get("network", "")]
    _join(topology, topology["datacenter"])
    return {**GENERATED, "server": options["vcenters"][0].get("server", ""), "topology": topology}


def _join(topology: dict[str, Any], datacenter: str) -> None:
    for key, folder in _FOLDERS.items():
        name = topology.get(key, "")
        if name and not name.startswith("/"):
            topology[key] = posixpath.normpath("/" + posixpath.join(datacenter, folder, name))
