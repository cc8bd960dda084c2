# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Publish the services of a hosted control plane through node ports, load balancers and routes of the hub.

Source: openshift/hypershift api/hypershift/v1beta1/hostedcluster_types.go,
  hypershift-operator/controllers/hostedcluster/hostedcluster_controller.go,
  docs/content/how-to/agent/exposing-services-from-hcp.md.
"""

from __future__ import annotations

import dataclasses
import ipaddress
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

from ...site.model import HubSite, Network, Site

NODE_PORTS = (30000, 32767)
KUBE_PORT, ROUTE_PORT = 6443, 443
SERVICES = ("APIServer", "Ignition", "Konnectivity", "OAuthServer")


@dataclasses.dataclass(frozen=True)
class Published:
    """``host`` and ``port`` are what other programs get; ``listen`` is the site's address that answers."""

    kind: str
    host: str
    port: int
    listen: str

    @property
    def netloc(self) -> str:
        """``host:port``; a route's is its host name alone."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.kind == "Route" else f"{host}:{self.port}"


class Publishing:
    """Hands out node ports and load balancer addresses; what belongs to a key stays its own until :meth:`release`."""

    def __init__(self, site: Site, hub: HubSite) -> None:
        self._site, self._hub = site, hub
        self._ports: dict[int, str] = {}
        self._addresses: dict[str, str] = {}

    def publish(self, key: str, hosted: Mapping[str, Any], space: str) -> dict[str, Published]:
        """Services by name; one whose publication nothing can do is left out."""
        found: dict[str, Published] = {}
        for entry in hosted["spec"]["services"]:
            name, strategy = entry["service"], entry["servicePublishingStrategy"]
            if name not in SERVICES:
                continue
            made = self._one(f"{key}/{name}", name, strategy, space)
            if made is not None:
                found[name] = made
        return found

    def _one(self, key: str, name: str, strategy: Mapping[str, Any], space: str) -> Published | None:
        kind = strategy["type"]
        if kind == "NodePort":
            provided = strategy["nodePort"]
            return Published(
                kind, provided["address"], self._port(key, int(provided.get("port") or 0)), self._hub.address
            )
        if kind == "LoadBalancer" and name != "Ignition":
            hostname = (strategy.get("loadBalancer") or {}).get("hostname") or ""
            address = self._address(key, hostname)
            port = KUBE_PORT if name in ("APIServer", "OAuthServer") else 8091
            return Published(kind, hostname or address, port, address) if address else None
        if kind == "Route" and name != "APIServer":
            host = (strategy.get("route") or {}).get(
                "hostname"
            ) or f"{_ROUTES[name]}-{space}.apps.{self._hub.base_domain}"
            return Published(kind, host, ROUTE_PORT, self._hub.address)
        return None

    def _port(self, key: str, wanted: int) -> int:
        for port, owner in self._ports.items():
            if owner == key:
                return port
        port = (
            wanted
            if wanted > 0
            else next(port for port in range(NODE_PORTS[0], NODE_PORTS[1] + 1) if port not in self._ports)
        )
        self._ports[port] = key
        return port

    def _address(self, key: str, hostname: str) -> str:
        """What the DNS has for the name where that is free, else from the end of the hub's network; "" when that has
        none left.
        """
        for address, owner in self._addresses.items():
            if owner == key:
                return address
        free = [found for found in free_addresses(self._site, self._hub) if found not in self._addresses]
        wanted = {network.dns_records.get(hostname, "") for network in self._site.networks}
        address = next((found for found in free if found in wanted), next(iter(free), ""))
        if address:
            self._addresses[address] = key
        return address

    def release(self, key: str) -> None:
        self._ports = {port: owner for port, owner in self._ports.items() if not owner.startswith(f"{key}/")}
        self._addresses = {
            address: owner for address, owner in self._addresses.items() if not owner.startswith(f"{key}/")
        }


_ROUTES = {"Ignition": "ignition-server", "Konnectivity": "konnectivity-server", "OAuthServer": "oauth"}


def free_addresses(site: Site, hub: HubSite) -> Iterator[str]:
    """What load balancers can have: the end of the hub's network, but for what the site file gives to others.

    A name in the DNS gives nothing away.
    """
    network = next(network for network in site.networks if network.contains(hub.address))
    taken = _taken(site, hub, network)
    yield from (candidate for candidate in _from_the_end(network) if candidate not in taken)


def _from_the_end(network: Network) -> Iterable[str]:
    """At most 256 addresses of the IPv4 network, the last one first."""
    cidr = next((cidr for cidr in network.cidrs if cidr.version == 4), network.cidrs[0])
    last = int(cidr.network_address) + cidr.num_addresses - 2
    for number in range(last, max(int(cidr.network_address), last - 256), -1):
        yield str(type(cidr.network_address)(number))


def _taken(site: Site, hub: HubSite, network: Network) -> Collection[str]:
    first, last = network.dhcp or ("", "")
    leased = (
        {
            str(ipaddress.ip_address(number))
            for number in range(int(ipaddress.ip_address(first)), int(ipaddress.ip_address(last)) + 1)
        }
        if first
        else set()
    )
    fixed = {nic.lease for machine in site.machines for nic in machine.nics} | {
        machine.bmc.host for machine in site.machines
    }
    hints = {address for hint in site.clusters for address in (hint.api_vip, hint.ingress_vip, hint.rendezvous_ip)}
    return leased | fixed | hints | {network.gateway, hub.address, *network.dns_servers}
