# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Compute the facts that the rules read about a deployment and its hosts, such as static addresses and VIPs.

Each fact is computed once.
"""

from __future__ import annotations

import dataclasses
import datetime
import functools
from collections.abc import Iterator
from typing import Any

from ...common import json_text
from ...common.problems import Problem
from ...nmstate.document import StaticAddress, static_addresses
from ...nmstate.keyfiles import examine_network_config
from ...nmstate.model import NetworkDocument
from ..profile import ReleaseProfile, profile_of
from ..rendezvous import CANDIDATES, Rendezvous, rendezvous
from ..spec import Cluster, Deployment, Host
from ..upstream.texts import Address, Network, parse_cidr

VIP_PLATFORMS = ("baremetal", "vsphere", "nutanix")


@dataclasses.dataclass(frozen=True)
class HostFacts:
    """One host and what its networkConfig says; ``path`` is its place in agent-config.yaml."""

    index: int
    host: Host

    @property
    def path(self) -> str:
        return f"hosts[{self.index}]"

    @property
    def label(self) -> str:
        return self.host.hostname or self.host.name

    @property
    def can_be_control_plane(self) -> bool:
        return self.host.role in ("master", "")

    @property
    def can_be_rendezvous_host(self) -> bool:
        return self.host.role in (*CANDIDATES, "")

    @functools.cached_property
    def _checked(self) -> tuple[NetworkDocument | None, list[Problem]]:
        host = self.host
        return examine_network_config(host.network_config, host.nic_names) if host.network_config else (None, [])

    @property
    def network_problems(self) -> list[Problem]:
        return self._checked[1]

    @functools.cached_property
    def document(self) -> NetworkDocument | None:
        """The typed networkConfig; None without one, or where it is wrong."""
        document, problems = self._checked
        return None if any(problem.severity == "error" for problem in problems) else document

    @functools.cached_property
    def addresses(self) -> list[StaticAddress]:
        return static_addresses(self.host.network_config)

    @functools.cached_property
    def automatic(self) -> bool:
        """Whether anything comes by DHCP or router advertisement: addresses, routes and servers may then as well.

        Without a networkConfig all does.
        """
        if self.document is None:
            return True
        stacks = [
            stack for entry in self.document.interfaces if entry.state == "up" for stack in (entry.ipv4, entry.ipv6)
        ]
        return any(stack is not None and stack.auto for stack in stacks)

    @functools.cached_property
    def interface_types(self) -> dict[str, str]:
        """Name -> type of the interfaces of networkConfig."""
        interfaces = self.host.network_config.get("interfaces")
        entries = [entry for entry in interfaces if isinstance(entry, dict)] if isinstance(interfaces, list) else []
        return {str(entry.get("name")): str(entry.get("type") or "") for entry in entries}

    def interface_type(self, name: str) -> str:
        """nmstate's word; empty where networkConfig does not say it."""
        return self.interface_types.get(name, "")

    def in_network_config(self, path: str) -> str:
        return f"{self.path}.networkConfig.{path}"


@dataclasses.dataclass(frozen=True)
class Facts:
    """``today`` is the day that certificates are compared with."""

    deployment: Deployment
    today: datetime.date

    @property
    def cluster(self) -> Cluster:
        return self.deployment.cluster

    @functools.cached_property
    def profile(self) -> ReleaseProfile:
        return profile_of(self.cluster.version)

    @functools.cached_property
    def hosts(self) -> tuple[HostFacts, ...]:
        return tuple(HostFacts(index, host) for index, host in enumerate(self.deployment.hosts))

    @functools.cached_property
    def rendezvous(self) -> Rendezvous:
        return rendezvous(self.deployment)

    @functools.cached_property
    def machine_networks(self) -> tuple[Network, ...]:
        """Those that are networks at all."""
        return tuple(
            parsed.network for cidr in self.cluster.networking.machine_networks if (parsed := parse_cidr(cidr))
        )

    @functools.cached_property
    def vips(self) -> tuple[tuple[str, str], ...]:
        """(path, address as given) of every VIP."""
        if self.cluster.platform not in VIP_PLATFORMS:
            return ()
        lists = (("apiVIPs", self.cluster.api_vips), ("ingressVIPs", self.cluster.ingress_vips))
        return tuple(
            (f"platform.{self.cluster.platform}.{name}[{index}]", vip)
            for name, vips in lists
            for index, vip in enumerate(vips)
        )

    @functools.cached_property
    def user_managed_load_balancer(self) -> bool:
        balancer = self.cluster.platform_options.get("loadBalancer")
        return isinstance(balancer, dict) and balancer.get("type") == "UserManaged"

    @functools.cached_property
    def pull_secret(self) -> dict[str, Any] | None:
        """``auths`` of the pull secret; None when it is not a valid one."""
        try:
            auths = json_text.parse(self.cluster.pull_secret)["auths"]
        except (ValueError, TypeError, KeyError):
            return None
        return auths if isinstance(auths, dict) and auths else None

    def in_machine_network(self, ip: Address) -> bool:
        return any(ip in network for network in self.machine_networks)

    def static_addresses(self) -> Iterator[tuple[HostFacts, StaticAddress]]:
        return ((host, address) for host in self.hosts for address in host.addresses)
