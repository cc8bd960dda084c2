# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Create, change or delete the cluster and the InfraEnv of a deployment in an assisted-service, by a plan.

The state has, and stores, a record of the creation before it, and the ids after it.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

from ...assisted.change import ServiceChange
from ...assisted.cluster import run as clusters
from ...assisted.cluster.desired import DesiredServiceCluster
from ...assisted.infra_env.plan import DesiredServiceInfraEnv, plan_present
from ...assisted.infra_env.run import Applied, carry_out
from ...assisted.lookup import host_title
from ...assisted.records import cluster_record, infra_env_record
from ...assisted.rest.client import Document
from ...assisted.rest.service import AssistedService
from ...common.errors import PartialFailure, ZeroTouchError
from ...common.retry import retry
from ...common.retry_policies import ASSISTED_INFRA_ENV_DELETION
from ...common.store_link import StoreLink
from ..state.work_dir import WorkDir
from .find import Found, Known, remember

# States in which an installation is on its way, and can be cancelled.
_CANCELLABLE = frozenset({"preparing-for-installation", "installing", "finalizing", "installing-pending-user-action"})
_NOT_YET = "(that of the cluster, which is not there yet)"


@dataclasses.dataclass(frozen=True)
class Objects:
    """The cluster and InfraEnv as they are now, and what was changed (in check mode: what would be changed)."""

    cluster: Mapping[str, Any]
    infra_env: Mapping[str, Any]
    changes: Sequence[ServiceChange] = ()
    warnings: Sequence[str] = ()

    @property
    def lines(self) -> list[str]:
        return [change.text() for change in self.changes]

    @property
    def cluster_id(self) -> str:
        return str(self.cluster.get("id") or "")

    @property
    def infra_env_id(self) -> str:
        return str(self.infra_env.get("id") or "")


@dataclasses.dataclass(frozen=True)
class Maker:
    """Makes and removes the objects of one work directory. In check mode nothing is written, neither there nor here."""

    service: AssistedService
    work_dir: WorkDir
    check_mode: bool

    def present(
        self, found: Found, cluster: DesiredServiceCluster, infra_env: DesiredServiceInfraEnv | None
    ) -> Objects:
        """``infra_env`` None: nothing is said about it (check mode only).

        Raises :class:`InvalidInput` for what cannot be changed before anything is written, :class:`PartialFailure` with
        what was done.
        """
        predicted = clusters.make_present(self.service, cluster, check_mode=True, cluster_id=found.cluster_id)
        if infra_env is None:
            return Objects(predicted.value["cluster"], {}, predicted.changes, predicted.warnings)
        bound = str(predicted.value["cluster"]["id"]) or (_NOT_YET if found.infra_env is not None else None)
        # An InfraEnv of another cluster stays with that.
        observed = (
            found.infra_env if found.infra_env is not None and found.infra_env.get("cluster_id") == bound else None
        )
        changes = plan_present(
            dataclasses.replace(infra_env, cluster_id=bound if observed is not None else None), observed
        )
        everything = [*predicted.changes, *changes]
        if self.check_mode or not everything:
            kept = {} if observed is None else infra_env_record(observed)
            if not self.check_mode:
                self._remember(predicted.value["cluster"], kept, adopted=found.adopted)
            return Objects(
                predicted.value["cluster"], kept or {"id": "", "name": infra_env.name}, everything, predicted.warnings
            )
        remember(self.work_dir, making=True)
        # A job that is killed after the request, and before the id is stored, leaves at least this record.
        StoreLink(self.work_dir.root, self.service.clock).save()
        made = clusters.make_present(self.service, cluster, check_mode=False, cluster_id=found.cluster_id)
        remember(self.work_dir, cluster_id=made.value["cluster"]["id"], adopted=found.adopted or None, making=True)
        applied = self._infra_env(
            dataclasses.replace(infra_env, cluster_id=str(made.value["cluster"]["id"])), observed, made.value
        )
        shown = infra_env_record(applied.infra_env or {})
        self._remember(made.value["cluster"], shown, adopted=found.adopted)
        return Objects(
            made.value["cluster"],
            shown,
            everything,
            [*_made_meanwhile(found, cluster, made), *made.warnings, *applied.warnings],
        )

    def _infra_env(
        self, requested: DesiredServiceInfraEnv, observed: Document | None, done: Mapping[str, Any]
    ) -> Applied:
        try:
            return carry_out(self.service, requested, plan_present(requested, observed), observed, own_cluster=True)
        except ZeroTouchError as error:
            raise PartialFailure(str(error), {**done, "changed": True}) from error

    def _remember(self, cluster: Mapping[str, Any], infra_env: Mapping[str, Any], *, adopted: bool) -> None:
        remember(
            self.work_dir, cluster_id=cluster["id"], infra_env_id=infra_env.get("id") or None, adopted=adopted or None
        )

    def allow_hosts(self, found: Found) -> list[ServiceChange]:
        """Open an installed cluster for more hosts."""
        if found.status != "installed":
            return []
        if not self.check_mode:
            self.service.cluster_action(found.cluster_id, "allow-add-hosts")
        cluster = found.cluster or {}
        return [ServiceChange("allow-add-hosts", f"cluster {cluster.get('name')}")]

    def absent(self, found: Found) -> list[ServiceChange]:
        """Take cluster, hosts and InfraEnv away; an installation on its way is cancelled first."""
        changes = plan_absent(found, self.service.hosts(found.infra_env_id) if found.infra_env_id else [])
        for change in () if self.check_mode else changes:
            self._remove(change, found)
        if not self.check_mode and Known.of(self.work_dir) != Known():  # a state file that is gone stays gone
            remember(self.work_dir, cluster_id=None, infra_env_id=None, adopted=None, openshift_cluster_id=None)
        return changes

    def _remove(self, change: ServiceChange, found: Found) -> None:
        if change.verb == "cancel":
            self.service.cluster_action(found.cluster_id, "cancel")
        elif change.title.startswith("cluster "):
            self.service.delete_cluster(found.cluster_id)
        elif change.title.startswith("host "):
            self.service.delete_host(found.infra_env_id, str(change.body["id"]))
        else:
            self._remove_infra_env(found.infra_env_id)

    def _remove_infra_env(self, infra_env_id: str) -> None:
        """Delete it with its hosts: the service keeps an InfraEnv that has hosts."""

        def delete() -> None:
            for host in self.service.hosts(infra_env_id):
                self.service.delete_host(infra_env_id, str(host["id"]))
            self.service.delete_infra_env(infra_env_id)

        retry(delete, ASSISTED_INFRA_ENV_DELETION, self.service.clock)


def _made_meanwhile(found: Found, requested: DesiredServiceCluster, made: clusters.ClusterResult) -> list[str]:
    """What is to be said where there was no cluster when we looked, and none had to be created."""
    created = any(change.verb == "create" and change.title == f"cluster {requested.name}" for change in made.changes)
    if (
        found.cluster is not None
        or requested.existing is not None
        or created
        or any("at the same time" in text for text in made.warnings)
    ):
        return []
    return [
        (
            f"Another run created cluster {requested.name} at the same time. Its cluster "
            f"{made.value['cluster']['id']} is used."
        )
    ]


def plan_absent(found: Found, hosts: Sequence[Document]) -> list[ServiceChange]:
    """What takes them away, in the order in which the service lets it be done.

    Hosts go with their cluster; those that it leaves, before their InfraEnv.
    """
    changes = []
    if found.cluster is not None:
        title = f"cluster {found.cluster.get('name')}"
        changes += (
            [ServiceChange("cancel", title, reason=f"it is {found.status}")] if found.status in _CANCELLABLE else []
        )
        changes.append(ServiceChange("delete", title))
    if found.infra_env is not None:
        left = [host for host in hosts if found.cluster is None or host.get("cluster_id") != found.cluster_id]
        changes += [ServiceChange("delete", f"host {host_title(host)}", {"id": host.get("id")}) for host in left]
        changes.append(ServiceChange("delete", f"infra-env {found.infra_env.get('name')}"))
    return changes


def recorded(found: Found, name: str) -> Objects:
    """The objects as they were found, without changes."""
    cluster = cluster_record(found.cluster) if found.cluster else {"id": "", "name": name}
    return Objects(cluster, infra_env_record(found.infra_env) if found.infra_env else {"id": "", "name": name})
