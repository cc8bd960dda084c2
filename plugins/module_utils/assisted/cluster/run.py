# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Create, change or delete a cluster of an assisted-service: observe, plan, apply."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

from ...common.errors import PartialFailure, RemoteError, Unreachable
from ..change import ServiceChange
from ..lookup import only_one, required, several, to_be_had
from ..records import cluster_record
from ..rest.auth import NoToken
from ..rest.client import Document, members
from ..rest.service import AssistedService
from .creation import Kind, settled
from .desired import DesiredServiceCluster
from .plan import IGNORED, MANIFEST, OVERRIDES, ObservedCluster, ServiceClusterPlan, plan_absent, plan_present


@dataclasses.dataclass(frozen=True)
class ClusterResult:
    """``value`` is what the module returns, ``changes`` what it planned (and did, out of check mode)."""

    value: Mapping[str, Any]
    changes: Sequence[ServiceChange] = ()
    warnings: Sequence[str] = ()


def make_present(
    service: AssistedService, requested: DesiredServiceCluster, *, check_mode: bool, cluster_id: str = ""
) -> ClusterResult:
    """The cluster as described; ``cluster_id`` says which it is where that is known, else it is looked up by name.

    Raises what :func:`plan_present` raises before anything is written, and :class:`PartialFailure` with what was done
    where the service refuses some.
    """
    found = required(service.clusters(), "cluster", cluster_id) if cluster_id else _find(service, requested)
    observed = None if found is None else _observe(service, requested, found)
    plan = plan_present(requested, observed)
    if check_mode:
        return ClusterResult(_value(requested.name, found, plan), plan.changes, plan.warnings)
    applied = _apply(service, requested, plan, found)
    if applied.adopted:
        # Another run made it a moment ago; what this one wants of it besides is compared with that.
        rest = make_present(service, requested, check_mode=False, cluster_id=applied.adopted)
        words = (
            f"Another run created cluster {requested.name} at the same time. Its cluster {applied.adopted} is used; "
            "this run has deleted its own."
        )
        return ClusterResult({**rest.value, "changed": True}, rest.changes, [*rest.warnings, words])
    return ClusterResult(_value(requested.name, applied.cluster, plan), plan.changes, plan.warnings)


def make_absent(service: AssistedService, name: str, *, check_mode: bool) -> ClusterResult:
    """No such cluster, nor its hosts. Raises :class:`AssistedError` where the service refuses (while it installs)."""
    found = only_one(service.clusters_with_hosts(), "cluster", name)
    plan = plan_absent(name, found)
    if found is not None and not check_mode:
        service.delete_cluster(str(found["id"]))
    return ClusterResult(_value(name, None, plan), plan.changes)


def _find(service: AssistedService, requested: DesiredServiceCluster) -> Document | None:
    """An imported cluster is known by the id that it has given itself: the service may have named it after its API's
    name.

    Source: openshift/assisted-service internal/bminventory/inventory.go.
    """
    clusters = service.clusters()
    if requested.existing is None:
        return to_be_had(clusters, "cluster", requested.name)
    named = [item for item in clusters if item.get("id") == requested.name]
    own = named or _imported(clusters, requested)
    if len(own) > 1:
        raise several(own, "cluster", f"with the openshift_cluster_id {requested.existing['openshift_cluster_id']}")
    return own[0] if own else None


def _imported(clusters: Sequence[Document], requested: DesiredServiceCluster) -> list[Document]:
    own_id = (requested.existing or {}).get("openshift_cluster_id")
    return [item for item in clusters if item.get("openshift_cluster_id") == own_id]


def _observe(service: AssistedService, requested: DesiredServiceCluster, found: Document) -> ObservedCluster:
    cluster_id = str(found["id"])
    contents = {}
    if requested.manifests:
        known = {(str(each.get("folder")), str(each.get("file_name"))) for each in service.manifests(cluster_id)}
        asked = [(each.folder, each.name) for each in requested.manifests if (each.folder, each.name) in known]
        contents = {key: service.manifest(cluster_id, *key).decode("utf-8", errors="replace") for key in asked}
    spoken_of = requested.ignored_hosts is not None or requested.ignored_cluster is not None
    return ObservedCluster(
        service.cluster(cluster_id), contents, service.ignored_validations(cluster_id) if spoken_of else {}
    )


@dataclasses.dataclass(frozen=True)
class _Applied:
    """``adopted``: the id of the cluster that another run made first."""

    cluster: Document | None
    adopted: str = ""


def _apply(
    service: AssistedService, requested: DesiredServiceCluster, plan: ServiceClusterPlan, found: Document | None
) -> _Applied:
    cluster_id = str((found or {}).get("id") or "")
    done: list[str] = []
    for change in plan.changes:
        try:
            before, cluster_id = cluster_id, _carry_out(service, change, cluster_id)
            done.append(change.text())
            if not before:
                stays = settled(_kind(service, requested), cluster_id, service.clock)
                if stays != cluster_id:
                    return _Applied(None, stays)
        except (RemoteError, Unreachable, NoToken, PartialFailure) as error:
            account = {"changed": bool(done), "plan": [each.text() for each in plan.changes], "done": done}
            raise PartialFailure(f"{change.verb} {change.title}: {error}", account) from error
    return _Applied(service.cluster(cluster_id) if done else found)


def _kind(service: AssistedService, requested: DesiredServiceCluster) -> Kind:
    def rivals() -> list[Document]:
        clusters = service.clusters_with_hosts()
        return (
            _imported(clusters, requested)
            if requested.existing is not None
            else [item for item in clusters if item.get("name") == requested.name]
        )

    def used(cluster: Document) -> str:
        hosts = [str(host.get("id")) for host in members(cluster.get("hosts"))]
        infra_envs = [str(item.get("name")) for item in service.infra_envs(str(cluster["id"]))]
        return "; ".join([*(f"host {each}" for each in hosts), *(f"InfraEnv {each}" for each in infra_envs)])

    return Kind("cluster", rivals, used, service.delete_cluster)


def _carry_out(service: AssistedService, change: ServiceChange, cluster_id: str) -> str:
    """One change; the id of the cluster."""
    body = change.body
    if change.verb == "import":
        return str(service.import_cluster(body)["id"])
    if change.title.startswith(OVERRIDES):
        service.update_install_config(cluster_id, str(body["overrides"]))
    elif change.title.startswith(IGNORED):
        service.ignore_validations(cluster_id, body["host"], body["cluster"])
    elif change.title.startswith(MANIFEST):
        _write_manifest(service, change, cluster_id)
    elif change.verb == "create":
        return str(service.create_cluster(body)["id"])
    else:
        service.update_cluster(cluster_id, body)
    return cluster_id


def _write_manifest(service: AssistedService, change: ServiceChange, cluster_id: str) -> None:
    folder, name = str(change.body["folder"]), str(change.body["file_name"])
    if change.verb == "delete":
        service.delete_manifest(cluster_id, folder, name)
    else:
        service.create_manifest(cluster_id, folder, name, str(change.body["content"]).encode())


def _value(name: str, cluster: Document | None, plan: ServiceClusterPlan) -> dict[str, Any]:
    lines = [change.text() for change in plan.changes]
    return {
        "changed": bool(lines),
        "plan": lines,
        "cluster": cluster_record(cluster) if cluster else {"id": "", "name": name},
    }
