# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Render the Ansible variables that redirect an unchanged inventory to the lab (``ztlab vars``)."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from .fabric.hosts import Fabric
from .fabric.loopback import unprivileged_port
from .hub.hypershift.publishing import free_addresses
from .servers import endpoints
from .site.model import ClusterHint, HubSite, Site

SERVICE_PORT = 8090
API_PORT = 6443
KUBELET_PORT = 10250
LOAD_BALANCERS = 4


def variables(site: Site, fabric: Fabric, *, ca_file: Path, base_image: Mapping[str, str]) -> dict[str, Any]:
    """Values for ``ansible-playbook -e @file``.

    The inventory's addresses stay as they are; ``openshift_connect_to`` redirects them to the lab.
    """
    # Without a registry in the lab, the collection would ask one outside of it for the digest of the release.
    checks = {} if site.registries else {"openshift_checks": {**site.checks, "release-not-pinned": "off"}}
    return {
        **checks,
        "openshift_connect_to": connect_to(site, fabric),
        "openshift_ca_cert": str(ca_file),
        "openshift_base_image": dict(base_image),
        "openshift_publish": {"method": "serve", "listen": fabric.table.publish},
        # The state of a lab is in no store of a real cluster, and may end with the container that the lab is in.
        "openshift_state": {"method": "directory", "ephemeral": True},
    }


def connect_to(site: Site, fabric: Fabric) -> dict[str, str]:
    """host:port as configurations name it -> loopback address:port."""
    mapping: dict[str, str] = {}
    for machine in site.machines:
        bmc = machine.bmc
        mapping[_endpoint(bmc.host, bmc.port)] = f"{fabric.table.loopback(bmc.host)}:{unprivileged_port(bmc.port)}"
    mapping |= {
        _endpoint(host, port): f"{fabric.table.loopback(host)}:{unprivileged_port(port)}"
        for host, port in endpoints(site.networks, site.registries)
    }
    for cluster in site.clusters:
        mapping |= _cluster(cluster, site, fabric)
    mapping |= {
        _endpoint(address, KUBELET_PORT): f"{fabric.table.loopback(address)}:{KUBELET_PORT}"
        for address in _node_addresses(site)
    }
    if site.hub is not None:
        address = fabric.table.loopback(site.hub.address)
        mapping[f"{site.hub.api_host}:{API_PORT}"] = f"{address}:{API_PORT}"
        for name in (site.hub.service_host, site.hub.image_service_host):
            mapping[f"{name}:443"] = f"{address}:{unprivileged_port(443)}"
        if site.hub.cluster_api is not None:
            mapping |= {
                _endpoint(host, port): f"{fabric.table.loopback(host)}:{unprivileged_port(port)}"
                for _scheme, host, port in site.hub.cluster_api.disk_image_servers
            }
        if site.hub.hypershift:
            mapping |= _hosted(site, site.hub, fabric)
    if site.service is not None:
        mapping |= {
            f"{name}:443": f"{fabric.table.loopback(site.service.address)}:{unprivileged_port(443)}"
            for name in site.service.dns_names
        }
    return mapping


def _node_addresses(site: Site) -> list[str]:
    """The addresses on which machines may run a kubelet, as far as the site file names them."""
    machines = [
        address for machine in site.machines for address in (*machine.addresses, *(nic.lease for nic in machine.nics))
    ]
    return list(
        dict.fromkeys(
            filter(None, [*machines, *(member.address for cluster in site.clusters for member in cluster.members)])
        )
    )


def _hosted(site: Site, hub: HubSite, fabric: Fabric) -> dict[str, str]:
    """Services of hosted clusters: node ports of the hub, load balancers' addresses, and what the DNS has for
    either.
    """
    addresses = [hub.address, *itertools.islice(free_addresses(site, hub), LOAD_BALANCERS)]
    names = {
        name: address
        for network in site.networks
        for name, address in network.dns_records.items()
        if address in addresses
    }
    plain = {name: address for name, address in names.items() if name not in hub.dns_names}
    mapping = {
        _host(name): fabric.table.loopback(address)
        for name, address in ({address: address for address in addresses} | plain).items()
    }
    return mapping | {f"*.apps.{hub.base_domain}:443": f"{fabric.table.loopback(hub.address)}:{unprivileged_port(443)}"}


def _host(name: str) -> str:
    return f"[{name}]" if ":" in name else name


def _cluster(cluster: ClusterHint, site: Site, fabric: Fabric) -> dict[str, str]:
    mapping: dict[str, str] = {}
    rendezvous = cluster.rendezvous_ip
    masters = [member for member in cluster.members if member.role == "master"]
    first = next(
        (
            address
            for member in masters
            for address in (member.address, *site.machine(member.machine).addresses)
            if address
        ),
        "",
    )
    api = cluster.api_vip or _record(site, f"api.{cluster.domain}") or rendezvous or first
    ingress = cluster.ingress_vip or _record(site, f"*.apps.{cluster.domain}") or api
    if rendezvous:
        mapping[_endpoint(rendezvous, SERVICE_PORT)] = f"{fabric.table.loopback(rendezvous)}:{SERVICE_PORT}"
    if api:
        for name in ("api", "api-int"):
            mapping[f"{name}.{cluster.domain}:{API_PORT}"] = f"{fabric.table.loopback(api)}:{API_PORT}"
    # What is at the addresses before the cluster exists.
    for address in filter(None, (cluster.api_vip, cluster.ingress_vip)):
        mapping |= {
            _endpoint(address, port): f"{fabric.table.loopback(address)}:{unprivileged_port(port)}"
            for port in (22, 80, 443, API_PORT, 22623)
        }
    if ingress:
        mapping[f"*.apps.{cluster.domain}:443"] = f"{fabric.table.loopback(ingress)}:{unprivileged_port(443)}"
    return mapping


def _record(site: Site, name: str) -> str:
    return next((network.dns_records[name] for network in site.networks if name in network.dns_records), "")


def _endpoint(host: str, port: int) -> str:
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
