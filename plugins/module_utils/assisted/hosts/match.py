# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Match each host in the user's options to a host that registered with assisted-service. Pure.

The rules are those of :mod:`...cluster.host_match`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ...cluster import host_match
from ...cluster.host_identity import Identity, bmc_addresses
from ...cluster.host_states import QUIET
from ...common.addresses import normal_mac
from ..install.progress import read_host
from ..records import host_record
from ..rest.client import Document
from .request import ServiceHostRequest

WORDS = host_match.Words("host", "hosts", "one host of the service is one machine")


@dataclasses.dataclass(frozen=True)
class RegisteredHost:
    """A host of the service. Its id is the system UUID of the machine."""

    document: Document = dataclasses.field(repr=False)
    macs: tuple[str, ...] = ()
    serial: str = ""
    bmc_addresses: tuple[str, ...] = ()

    @property
    def id(self) -> str:
        return str(self.document.get("id") or "")

    @property
    def key(self) -> tuple[str, ...]:
        return str(self.document.get("infra_env_id") or ""), self.id

    @property
    def title(self) -> str:
        name = read_host(self.document).name
        return f"host {self.id}" + (f" ({name})" if name != self.id else "")

    @property
    def status(self) -> str:
        return str(self.document.get("status") or "")

    @property
    def system_uuid(self) -> str:
        return self.id.lower()

    @property
    def labels(self) -> Mapping[str, str]:
        return {}

    @property
    def asked_hostname(self) -> str:
        return str(self.document.get("requested_hostname") or "")

    @property
    def inventory(self) -> Mapping[str, Any]:
        inventory = self.document.get("inventory")
        return inventory if isinstance(inventory, dict) else {}

    @property
    def cluster(self) -> str:
        return str(self.document.get("cluster_id") or "")

    @property
    def created(self) -> str:
        return str(self.document.get("created_at") or "")

    @property
    def quiet(self) -> bool:
        return self.status in QUIET

    @property
    def deleting(self) -> bool:
        return False

    def queried(self) -> dict[str, Any]:
        """What a query sees of a host."""
        return host_record(self.document, inventory=True)


Match = host_match.Match[RegisteredHost]


def registered(document: Document) -> RegisteredHost:
    """The host of a document of the service."""
    inventory = document.get("inventory") if isinstance(document.get("inventory"), dict) else {}
    vendor = (inventory or {}).get("system_vendor") or {}
    addresses = bmc_addresses(((inventory or {}).get("bmc_address"), (inventory or {}).get("bmc_v6address")))
    macs = tuple(dict.fromkeys(normal_mac(mac) for mac in read_host(document).macs))
    return RegisteredHost(document, macs, str(vendor.get("serial_number") or "").strip(), addresses)


def match_hosts(
    requests: Sequence[ServiceHostRequest], hosts: Iterable[Document], clusters: Mapping[str, str], default: str = ""
) -> list[Match]:
    """A match for every request, in their order.

    ``clusters`` has the id for each cluster that a request names, ``default`` is the cluster of the others: in it a
    host is known by the hostname that it was given while it has no inventory (it registers again once it is bound).

    Source: openshift/assisted-service internal/host/statemachine.go.
    """
    wanted = [
        host_match.Wanted(request.name, _identity(request, clusters.get(request.cluster or "", default)))
        for request in requests
    ]
    found = host_match.match_identities(wanted, [registered(host) for host in hosts], WORDS)
    return [found[request.name] for request in requests]


def _identity(request: ServiceHostRequest, cluster: str) -> Identity:
    hostname = "" if request.absent or request.unbind else request.hostname or ""
    return dataclasses.replace(request.identity, hostname=hostname, cluster=cluster)
