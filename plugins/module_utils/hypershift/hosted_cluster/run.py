# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Implement module ``hosted_cluster`` with state present: observe, plan, apply, wait, write the credentials."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ...capi.kinds import served_versions
from ...capi.objects import text
from ...common.errors import PartialFailure, RemoteError, ZeroTouchError
from ...common.opened import Opened
from ...common.secrets import secret_values
from ...common.state import StateFile
from ...hub.created import created_uid, forget_created, record_created, refuse_other
from ...hub.credentials import KUBECONFIG, PASSWORD, HubCredentials, read_credentials, write_credentials
from ...hub.foreign import refuse_foreign
from ...hub.kinds import CONFIG_MAP, NAMESPACE, SECRET
from ...hub.namespaces import namespace_exists
from ...kube.client import KubeClient, Object
from ...kube.connection import connect
from ...kube.faults import ForbiddenError
from ...kube.paths import ROUTE
from ...kube.write import Change, WriteOutcome, apply_changes, diff_of
from ..kinds import HOSTED_CLUSTER, NODE_POOL
from ..node_pool.view import find_hypershift
from ..user_input import provided
from .plan import HostedClusterPlan, ObservedHostedCluster, plan_present, pools_of
from .secrets import KEY_BYTES, Key, referenced
from .status import Target, summary, wait_status
from .wait import ClusterWait

METHOD = "hosted"
_OTHER_OBJECTS = (
    "Use another cluster name or namespace, name an object of your own (pull_secret_name, ssh_key_name, "
    "additional_trust_bundle_name)"
)


def ensure_present(call: Opened) -> dict[str, Any]:
    """The HostedCluster as the options want it, as far as ``wait_for`` says, with its credentials in ``work_dir``; the
    module's result.

    Raises :class:`InvalidInput` before anything is written, :class:`PartialFailure` with an account of what was done.
    """
    client = connect(call.params, clock=call.clock, check_mode=call.check_mode)
    try:
        return _Present(client, call).run()
    finally:
        client.close()


def observe(client: KubeClient, options: Mapping[str, Any]) -> ObservedHostedCluster:
    """Everything that the plan compares, one request each."""
    requested = provided(options)
    namespace = requested["namespace"]
    present = find_hypershift(client, HOSTED_CLUSTER.path(namespace, requested["name"]))
    found: dict[Key, Object] = {}
    unseen = False
    for kind, name in referenced(requested, present):
        try:
            object_ = client.find((SECRET if kind == "Secret" else CONFIG_MAP).path(namespace, name))
        except ForbiddenError:
            # Who gives no content needs no rights on Secrets.
            if (
                requested.get("pull_secret")
                or requested.get("ssh_public_keys")
                or requested.get("additional_trust_bundle")
                or present is None
            ):
                raise
            unseen = True
            continue
        if object_ is not None:
            found[kind, name] = object_
    agents = requested.get("agent_namespace")
    return ObservedHostedCluster(
        hosted_cluster=present,
        namespace=True if present is not None else namespace_exists(client, namespace),
        agent_namespace=namespace_exists(client, agents) if agents else True,
        found=found,
        unseen=unseen,
        routes=present is not None or not _publishes_routes(requested) or bool(served_versions(client, ROUTE.group)),
    )


def _publishes_routes(requested: Mapping[str, Any]) -> bool:
    return any(each["service_publishing_strategy"].get("type") == "Route" for each in requested.get("services") or ())


def make_key() -> bytes:
    return secrets.token_bytes(KEY_BYTES)


class _Present:
    """One run for one hosted cluster."""

    def __init__(self, client: KubeClient, call: Opened) -> None:
        self.client, self.call, self.params = client, call, call.params
        self.namespace, self.name = str(call.params["namespace"]), str(call.params["name"])
        self.outcomes: list[WriteOutcome] = []
        self.steps: list[str] = []

    def run(self) -> dict[str, Any]:
        call = self.call
        self.call.add_secrets(secret_values({"pull_secret": self.params["pull_secret"]}))
        observed, plan = self._planned(check_mode=call.check_mode)
        for warning in plan.warnings:
            call.warn(warning)
        self.steps = plan.lines()
        call.plan(self.steps)
        self._record(plan)
        now = self._apply(plan, observed)
        target: Target = self.params["wait_for"]
        if target != "none" and call.check_mode:
            if plan.changes or not wait_status(now, target).reached:
                call.plan([f"wait until HostedCluster {self.namespace}/{self.name} is {target}"])
        elif target != "none":
            now = self._wait(target)
        return self._with_credentials(now)

    def _planned(self, *, check_mode: bool) -> tuple[ObservedHostedCluster, HostedClusterPlan]:
        """What is on the hub, and the writes; none of an object of another deployment or tool.

        Raises :class:`ZeroTouchError`, and what :func:`plan_present` raises.
        """
        observed = observe(self.client, self.params)
        present = observed.hosted_cluster
        if self._record_file is not None:
            refuse_other(self._record_file, self.client.server, HOSTED_CLUSTER, present)
        plan = plan_present(self.params, observed, make_key, check_mode=check_mode)
        title = f"{HOSTED_CLUSTER.kind} {self.namespace}/{self.name}"
        recorded = self._record_file is not None and created_uid(self._record_file.read(), title)
        refuse_foreign((change for change in plan.changes if not (recorded and change.title == title)), _OTHER_OBJECTS)
        return observed, plan

    @property
    def _record_file(self) -> StateFile | None:
        work_dir = self.params["work_dir"]
        return StateFile(Path(work_dir) / "state.json") if work_dir else None

    @property
    def _state(self) -> StateFile | None:
        """The state that this run may change."""
        return None if self.call.check_mode else self._record_file

    def _record(self, plan: HostedClusterPlan) -> None:
        """Record method and cluster in the work directory: the same method must destroy it, and no other deployment may
        take its machines.
        """
        if self._state is None:
            return
        forget_created(self._state, plan.changes, HOSTED_CLUSTER, self.call.clock)
        with self._state.edit() as document:
            if (document.get("install") or {}).get("method") != METHOD:
                document["install"] = {"method": METHOD}
            document["cluster"] = {**(document.get("cluster") or {}), "name": self.name}

    def _apply(self, plan: HostedClusterPlan, observed: ObservedHostedCluster) -> Object | None:
        """One object after the other; the HostedCluster as it is afterwards.

        Where its namespace is yet to be made, nothing can be tried in it.
        """
        new = {change.name for change in plan.changes if change.resource == NAMESPACE}
        for change in plan.changes:
            if self.call.check_mode and change.namespace in new:
                self.outcomes.append(WriteOutcome(change, changed=True))
                continue
            self.outcomes += apply_changes(
                self.client, [change], forks=1, check_mode=self.call.check_mode, replan=self._again
            )
            if self._state is not None:
                record_created(self._state, self.outcomes[-1:], HOSTED_CLUSTER)
            error = self.outcomes[-1].error
            if error is not None:
                raise PartialFailure(
                    f"{change.title}: {_words(error)}",
                    self._result(observed.hosted_cluster),
                    getattr(error, "hint", ""),
                )
        last = self.outcomes[-1] if self.outcomes and self.outcomes[-1].change.resource == HOSTED_CLUSTER else None
        return observed.hosted_cluster if last is None or self.call.check_mode else last.object

    def _again(self, change: Change, _now: Object | None) -> Change | None:
        """The plan for this object as everything is by now."""
        _observed, plan = self._planned(check_mode=False)
        return next(
            (each for each in plan.changes if (each.resource, each.name) == (change.resource, change.name)), None
        )

    def _wait(self, target: Target) -> Object:
        wait = ClusterWait(
            self.client,
            self.namespace,
            self.name,
            self.call.clock,
            self.call.progress,
            limit=float(self.params["timeout"]),
        )
        try:
            return wait.until(target)
        except ZeroTouchError as error:
            # A kubeconfig that exists helps to find out why.
            raise PartialFailure(error.message, self._with_credentials(wait.seen), error.hint) from error

    def _result(self, now: Object | None) -> dict[str, Any]:
        pools = pools_of(self.client.list(NODE_POOL.path(self.namespace)), self.name) if now is not None else []
        return {
            "changed": any(outcome.changed for outcome in self.outcomes),
            "plan": self.steps,
            "hosted_cluster": summary(now, self.namespace, self.name),
            "node_pools": [str(pool["metadata"]["name"]) for pool in pools],
            **({"diff": diff_of(self.outcomes)} if self.call.diff else {}),
        }

    def _with_credentials(self, now: Object | None) -> dict[str, Any]:
        """The result, with the credentials that the hub has by now in their files."""
        result = self._result(now)
        if not self.params["work_dir"]:
            return result
        auth = Path(self.params["work_dir"]) / "auth"
        wanted = (
            (text(now, "status", "kubeconfig", "name"), KUBECONFIG, auth / "kubeconfig"),
            (text(now, "status", "kubeadminPassword", "name"), PASSWORD, auth / "kubeadmin-password"),
        )
        credentials: HubCredentials = read_credentials(self.client, self.namespace, wanted)
        self.call.add_secrets(credentials.secrets())
        self.call.plan(f"write {path}" for path in credentials.files)
        if not self.call.check_mode:
            write_credentials(credentials)
        there = {path.name: str(path) for _name, _key, path in wanted if path.name not in credentials.missing}
        return {
            **result,
            "changed": result["changed"] or credentials.changed,
            "kubeconfig": there.get("kubeconfig", ""),
            "kubeadmin_password_file": there.get("kubeadmin-password", ""),
        }


def _words(error: Exception) -> str:
    if isinstance(error, RemoteError) and error.status == 404 and error.detail.startswith("namespaces "):
        return f"{str(error).rstrip('.')}. Create the namespace first."
    return str(error)
