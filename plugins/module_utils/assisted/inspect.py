# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Read clusters, InfraEnvs, hosts, validations and events of an assisted-service for module ``assisted_info``. Changes
nothing.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

from ..common.parallel import for_each
from .lookup import named
from .records import cluster_record, event_record, host_record, infra_env_record, progress_record, validation_rows
from .rest.client import Document
from .rest.service import AssistedService


@dataclasses.dataclass(frozen=True)
class ServiceQuery:
    """Select what is read. ``cluster`` and ``infra_env`` (name or id) limit the result to this cluster or InfraEnv.

    ``events`` is the number of newest events: 0 for none, -1 for all.
    """

    cluster: str = ""
    infra_env: str = ""
    validations: str = "failing"
    events: int = 0
    severities: Sequence[str] = ()
    inventory: bool = False
    versions: bool = False


def look(service: AssistedService, question: ServiceQuery, forks: int = 8) -> dict[str, Any]:
    """The answer as the module returns it. What was asked for by name and is not there is simply not in it.

    With the token of a watcher alone the service does not show hosts of InfraEnvs; those of clusters it does.
    """
    infra_envs = named(service.infra_envs(), question.infra_env) if question.infra_env else service.infra_envs()
    clusters = _clusters(service, question, infra_envs)
    if question.cluster:
        ids = {item.get("id") for item in clusters}
        infra_envs = [item for item in infra_envs if item.get("cluster_id") in ids or question.infra_env]
    hosts = _hosts(service, question, clusters, infra_envs, forks)
    every = question.validations == "all"
    table = [
        *validation_rows(clusters, "cluster", all_of_them=every),
        *validation_rows(hosts, "host", all_of_them=every),
    ]
    return {
        "clusters": [cluster_record(item) for item in clusters],
        "infra_envs": [infra_env_record(item) for item in infra_envs],
        "hosts": [host_record(item, inventory=question.inventory) for item in hosts],
        "progress": [progress_record(item) for item in clusters],
        "validations": [] if question.validations == "none" else table,
        "events": _events(service, question, clusters, infra_envs) if question.events else [],
        "versions": {"service": service.component_versions(), "openshift": service.openshift_versions()}
        if question.versions
        else {},
    }


def _clusters(service: AssistedService, question: ServiceQuery, infra_envs: Sequence[Document]) -> list[Document]:
    found = service.clusters_with_hosts()
    if question.cluster:
        return named(found, question.cluster)
    if question.infra_env:
        bound = {item.get("cluster_id") for item in infra_envs if item.get("cluster_id")}
        return [item for item in found if item.get("id") in bound]
    return found


def _hosts(
    service: AssistedService,
    question: ServiceQuery,
    clusters: Sequence[Document],
    infra_envs: Sequence[Document],
    forks: int,
) -> list[Document]:
    """Hosts with their inventory, by InfraEnv; of a cluster also those that came through an InfraEnv of no cluster."""
    asked = (
        [("cluster", str(item["id"])) for item in clusters]
        if question.cluster
        else [("infra_env", str(item["id"])) for item in infra_envs]
    )

    def read(target: tuple[str, str]) -> list[Document]:
        kind, identity = target
        return service.cluster_hosts(identity) if kind == "cluster" else service.hosts(identity)

    found: dict[str, Document] = {}
    for outcome in for_each(asked, read, forks):
        if outcome.error is not None:
            raise outcome.error
        found |= {str(host.get("id")): host for host in outcome.result or ()}
    only = {item.get("id") for item in infra_envs} if question.infra_env else None
    chosen = [host for host in found.values() if only is None or host.get("infra_env_id") in only]
    return sorted(chosen, key=lambda host: (str(host.get("requested_hostname") or ""), str(host.get("id"))))


def _events(
    service: AssistedService, question: ServiceQuery, clusters: Sequence[Document], infra_envs: Sequence[Document]
) -> list[dict[str, Any]]:
    """The newest events, oldest of them first."""
    severities = ",".join(question.severities)
    options: dict[str, Any] = {"limit": question.events, "order": "descending", "severities": severities}
    if question.cluster:
        newest = [event for item in clusters for event in service.events(cluster_id=str(item["id"]), **options)]
    elif question.infra_env:
        newest = [event for item in infra_envs for event in service.events(infra_env_id=str(item["id"]), **options)]
    else:
        newest = service.events(**options)
    ordered = sorted(newest, key=lambda event: str(event.get("event_time") or ""))
    return [event_record(event) for event in (ordered if question.events < 0 else ordered[-question.events :])]
