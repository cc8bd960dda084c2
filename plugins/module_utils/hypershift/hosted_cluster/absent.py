# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Delete a hosted cluster in an order in which no Agent is lost.

1. Scale the pools to zero replicas while the cluster's API still answers: the reclaim of a host needs that API.
2. Delete the pools.
3. Delete the hosted cluster with the namespace of its control plane. An annotation keeps a namespace with hosts in it.
4. Delete the other objects that this collection created.

Source: openshift/hypershift hypershift-operator/controllers/hostedcluster/hostedcluster_controller.go;
  docs/upstream/hypershift.md#operations.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

from ...capi.objects import annotations_of
from ...common.errors import PartialFailure, ZeroTouchError
from ...common.opened import Opened
from ...hub.kinds import AGENT, BARE_METAL_HOST, CONFIG_MAP, INFRA_ENV, SECRET
from ...kube.client import KubeClient, Object
from ...kube.connection import connect
from ...kube.faults import ForbiddenError, UnknownKindError
from ...kube.resource import Resource
from ...kube.write import Change, WriteOutcome, apply_changes, diff_of, is_ours, plan_deletion, plan_object
from ..kinds import HOSTED_CLUSTER, NODE_POOL
from ..names import KEEP_NAMESPACE, control_plane_namespace
from ..node_pool.plan import plan_absent, plan_emptying
from ..node_pool.status import Target
from ..node_pool.view import PoolReader, PoolView, find_hypershift
from ..node_pool.wait import PoolWait, ReleasedHost
from .plan import pools_of
from .secrets import owned_names
from .status import summary
from .wait import await_deletion, await_namespace_gone

_HOSTS: tuple[Resource, ...] = (AGENT, INFRA_ENV, BARE_METAL_HOST)


@dataclasses.dataclass(frozen=True)
class Teardown:
    """``first`` prepares the hosted cluster itself; then each of ``emptying``, ``pools``, ``cluster`` and ``leftovers``
    when the one before had its effect.
    """

    first: Change | None = None
    emptying: tuple[Change, ...] = ()
    pools: tuple[Change, ...] = ()
    cluster: Change | None = None
    leftovers: tuple[Change, ...] = ()
    stays: tuple[str, ...] = ()
    keeps_namespace: bool = False

    @property
    def changes(self) -> tuple[Change, ...]:
        return (*_one(self.first), *self.emptying, *self.pools, *_one(self.cluster), *self.leftovers)


def _one(change: Change | None) -> tuple[Change, ...]:
    return () if change is None else (change,)


def plan_teardown(
    present: Object | None,
    views: Sequence[PoolView],
    living: Mapping[str, Sequence[str]],
    owned: Sequence[Object],
    *,
    drain: bool,
) -> Teardown:
    """The deletions in their order.

    ``living`` are hosts in the namespace of the control plane, by kind; ``owned`` the Secrets and ConfigMaps by our
    names.

    Without ``drain`` pools are deleted with their Machines: workloads are not evicted, and hosts need a reboot where
    the API does not answer.
    """
    stays = [
        f"{each['kind']} {_title(each)} stays: it was not created by this collection"
        for each in owned
        if not is_ours(each)
    ]
    ours = ((SECRET if each["kind"] == "Secret" else CONFIG_MAP, each) for each in owned if is_ours(each))
    leftovers = [plan_deletion(resource, each, "it was made for the hosted cluster") for resource, each in ours]
    if any(living.values()):
        found = "; ".join(f"{kind} {', '.join(names)}" for kind, names in sorted(living.items()) if names)
        stays.append(f"the namespace of the control plane is not deleted, because it contains {found}")
    return Teardown(
        first=_prepared(present, keep=any(living.values())),
        emptying=tuple(change for change in map(plan_emptying, views) if change is not None) if drain else (),
        pools=tuple(change for change in map(plan_absent, views) if change is not None),
        cluster=plan_deletion(HOSTED_CLUSTER, present, "it must not exist"),
        leftovers=tuple(change for change in leftovers if change is not None),
        stays=tuple(stays),
        keeps_namespace=any(living.values()),
    )


def _prepared(present: Object | None, *, keep: bool) -> Change | None:
    """The namespace of the control plane is marked to stay if Agents are in it.

    No object may be paused, or its Machines would stay.
    """
    if present is None or present["metadata"].get("deletionTimestamp"):
        return None
    metadata = {"name": present["metadata"]["name"], "namespace": present["metadata"]["namespace"]}
    marks = {"annotations": {KEEP_NAMESPACE: "true"}} if keep else {}
    return plan_object(HOSTED_CLUSTER, {"metadata": {**metadata, **marks}, "spec": {"pausedUntil": None}}, present)


def _title(item: Mapping[str, Any]) -> str:
    return f"{item['metadata'].get('namespace')}/{item['metadata']['name']}"


def ensure_absent(call: Opened) -> dict[str, Any]:
    """No such hosted cluster, its hosts free again; the module's result.

    Raises :class:`PartialFailure` with an account of what was done, and where each Machine is that did not go in time.
    """
    client = connect(call.params, clock=call.clock, check_mode=call.check_mode)
    try:
        return _Absent(client, call).run()
    finally:
        client.close()


class _Absent:
    """One run for one hosted cluster."""

    def __init__(self, client: KubeClient, call: Opened) -> None:
        self.client, self.call, self.params = client, call, call.params
        self.namespace, self.name = str(call.params["namespace"]), str(call.params["name"])
        self.plane = control_plane_namespace(self.namespace, self.name)
        self.limit = float(call.params["timeout"])
        self.outcomes: list[WriteOutcome] = []
        self.reboot: list[ReleasedHost] = []
        self.steps: list[str] = []
        self.stays: list[str] = []
        self.present: Object | None = None

    def run(self) -> dict[str, Any]:
        self.present = find_hypershift(self.client, HOSTED_CLUSTER.path(self.namespace, self.name))
        if (
            self.present is not None
            and not is_ours(self.present)
            and not self.present["metadata"].get("deletionTimestamp")
        ):
            raise ZeroTouchError(
                f"HostedCluster {self.namespace}/{self.name} was not created by this collection. Nothing was changed.",
                "Delete it with the tool that created it, or correct openshift_cluster.name and openshift_hub.",
            )
        readers = self._readers()
        views = [reader.read(self.name) for reader in readers]
        plan = plan_teardown(self.present, views, self._living(), self._owned(), drain=self.params["drain"])
        self.stays = list(plan.stays)
        self.steps = [change.describe() for change in plan.changes]
        self.call.plan(_reported(plan, views))
        if self.call.check_mode:
            self._write(plan.changes)
            return self._result()
        self._write(_one(plan.first))
        self._pools(plan.emptying, readers, views, "empty")
        self._pools(plan.pools, readers, views, "gone")
        self._refuse_another()
        self._write(_one(plan.cluster))
        if self.present is not None:
            self._awaited(plan)
        self._refuse_another()
        self._write(plan.leftovers)
        for host in self.reboot:
            hostname = host.hostname or host.agent[1]
            self.call.warn(f"{hostname} was in the hosted cluster and must boot the discovery image to be free again.")
        return self._result()

    def _readers(self) -> list[PoolReader]:
        pools = pools_of(self.client.list(NODE_POOL.path(self.namespace)), self.name)
        return [PoolReader(self.client, self.namespace, str(pool["metadata"]["name"])) for pool in pools]

    def _living(self) -> dict[str, list[str]]:
        """Hosts in the namespace that goes with the control plane; a kind that the hub does not know has none."""
        found = {}
        for resource in _HOSTS if self.present is not None else ():
            try:
                found[resource.kind] = [
                    str(item["metadata"]["name"]) for item in self.client.list(resource.path(self.plane))
                ]
            except UnknownKindError:
                continue
            except ForbiddenError as error:
                if resource == AGENT:
                    raise ZeroTouchError(
                        (
                            f"Cannot read whether namespace {self.plane}, which is deleted with the hosted "
                            f"cluster, contains Agents: {error.detail}"
                        ),
                        error.hint,
                    ) from error
        return found

    def _owned(self) -> list[Object]:
        found = []
        for kind, name in owned_names(self.name):
            item = self.client.find((SECRET if kind == "Secret" else CONFIG_MAP).path(self.namespace, name))
            if item is not None:
                found.append({"kind": kind, **item})
        return found

    def _pools(
        self, changes: Sequence[Change], readers: Sequence[PoolReader], views: Sequence[PoolView], target: Target
    ) -> None:
        """Write for all pools, then wait for one after the other: they work at the same time."""
        self._write(changes)
        waits = {change.name for change in changes} | {view.name for view in views if target == "gone"}
        for reader, view in zip(readers, views, strict=True):
            if reader.name not in waits:
                continue
            wait = PoolWait(reader, self.call.clock, self.call.progress, limit=self.limit, view=view)
            try:
                wait.until(target)
            except ZeroTouchError as error:
                machines = [machine.as_dict() for machine in wait.view.machines]
                raise PartialFailure(error.message, {**self._result(), "machines": machines}, error.hint) from error
            finally:
                self.reboot += [host for host in wait.reboot if host not in self.reboot]

    def _awaited(self, plan: Teardown) -> None:
        try:
            await_deletion(self.client, self.present or {}, self.call.clock, self.limit)
            if not plan.keeps_namespace and annotations_of(self.present).get(KEEP_NAMESPACE) != "true":
                await_namespace_gone(self.client, self.plane, self.call.clock, self.limit)
        except ZeroTouchError as error:
            raise PartialFailure(error.message, self._result(), error.hint) from error

    def _write(self, changes: Sequence[Change]) -> None:
        for change in changes:
            self.outcomes += apply_changes(
                self.client, [change], forks=1, check_mode=self.call.check_mode, replan=self._again
            )
            error = self.outcomes[-1].error
            if error is not None:
                raise PartialFailure(f"{change.title}: {error}", self._result(), getattr(error, "hint", ""))

    def _again(self, change: Change, now: Object | None) -> Change | None:
        """The same write to the object as it is now, after a conflict; nothing to another object of its name, which
        was created since the plan was made.
        """
        if now is None or now["metadata"].get("deletionTimestamp"):
            return None
        if now["metadata"].get("uid") != change.before["metadata"].get("uid"):
            self.stays.append(f"{change.title} stays: it was created again during this run")
            return None
        if change.verb == "patch":
            return dataclasses.replace(change, before=now)
        # A pool is deleted with its cluster, whatever created it.
        if change.resource != NODE_POOL and not is_ours(now):
            return None
        return plan_deletion(change.resource, now, "; ".join(change.reasons))

    def _refuse_another(self) -> None:
        """Raise :class:`PartialFailure` if the hub has another HostedCluster of this name than when this run began: it
        may use the leftovers.
        """
        now = find_hypershift(self.client, HOSTED_CLUSTER.path(self.namespace, self.name))
        before = (self.present or {}).get("metadata") or {}
        if now is None or now["metadata"].get("uid") == before.get("uid"):
            return
        raise PartialFailure(
            f"HostedCluster {self.namespace}/{self.name} was created again during this run. It was not deleted, nor "
            "were the Secrets and ConfigMaps of its name.",
            self._result(),
            "Find out what creates it. If it must not exist either, run again.",
        )

    def _result(self) -> dict[str, Any]:
        return {
            "changed": any(outcome.changed for outcome in self.outcomes),
            "plan": self.steps,
            "hosted_cluster": summary(self.present, self.namespace, self.name),
            "needs_reboot": [
                {"agent": host.agent[1], "namespace": host.agent[0], "hostname": host.hostname} for host in self.reboot
            ],
            "stays": self.stays,
            **({"diff": diff_of(self.outcomes)} if self.call.diff else {}),
        }


def _reported(plan: Teardown, views: Sequence[PoolView]) -> list[str]:
    lines = [change.describe() for change in (*_one(plan.first), *plan.emptying)]
    if plan.emptying:
        hosts = ", ".join(machine.title for view in views for machine in view.machines)
        hosts_note = ": " + hosts if hosts else ""
        lines.append(f"wait until the Machines are deleted and their hosts are free{hosts_note}")
    return lines + [change.describe() for change in (*plan.pools, *_one(plan.cluster), *plan.leftovers)]
