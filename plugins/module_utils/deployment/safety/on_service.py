# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Collect evidence about hosts from the assisted-service that the user named: whether they are hosts of another cluster
of that service.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ...assisted.install.progress import read_host
from ...assisted.rest.client import Document
from ...assisted.rest.service import AssistedService
from ..supervise.observation import InventoryHost
from .evidence import Evidence


def bound_hosts(service: AssistedService) -> list[Document]:
    """All hosts of the service that belong to a cluster."""
    found: list[Document] = []
    for infra_env in service.infra_envs():
        found += service.hosts(str(infra_env.get("id")))
    return [host for host in found if host.get("cluster_id")]


def of_service(
    evidence: Mapping[str, Evidence], hosts: Sequence[InventoryHost], documents: Sequence[Document], own: str
) -> dict[str, Evidence]:
    """``evidence`` by host name; ``own`` is the id of this deployment's cluster."""
    found = dict(evidence)
    known = [
        (str(document["cluster_id"]), read_host(document))
        for document in documents
        if str(document["cluster_id"]) != own
    ]
    for host in hosts:
        macs = set(host.macs)
        match = next(((cluster, seen) for cluster, seen in known if macs & set(seen.macs) and not seen.gone), None)
        if match is not None:
            text = f"the assisted-service lists it as host {match[1].name} of cluster {match[0]} ({match[1].status})"
            found[host.name] = found[host.name].also(other_cluster=text)
    return found
