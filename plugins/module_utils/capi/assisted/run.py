# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Implement module ``assisted_control_plane``: validate the description, observe, plan, write, wait, fetch the
credentials.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from ...common.errors import InvalidInput, LimitReached, PartialFailure, ZeroTouchError
from ...common.listed import listed
from ...common.opened import Opened
from ...common.problems import OwnCheck, Problem, errors, warnings
from ...common.secrets import secret_values
from ...common.waiting import Deadline, Doubts, ProgressLines, WaitStatus, turns
from ...hub.bare_metal_hosts.desired import credentials
from ...hub.credentials import KUBECONFIG, PASSWORD, read_credentials, write_credentials
from ...hub.kinds import AGENT, AGENT_CLUSTER_INSTALL, CONFIG_MAP, NAMESPACE, SECRET
from ...kube.client import KubeClient, Object
from ...kube.connection import connect
from ...kube.schema import Schema, object_faults, served_schemas
from ...kube.write import Change, WriteOutcome, apply_changes, diff_of, merged
from ..cluster.unit import pool_row
from ..nudge import ChangeSignal
from ..objects import part, text
from .departures import plan_deletions, plan_marks, plan_release, read_departures, replan_machine
from .desired import DesiredControlPlane, cluster_value, read_desired
from .kinds import AssistedKinds, assisted_kinds
from .objects import cluster_objects
from .observe import Key, ObservedControlPlane, observe
from .plan import ControlPlanePlan, plan_absent, plan_afterwards, plan_present, replan
from .rules import description_problems
from .status import ControlPlaneProgress, doubt, failure, missing, observe_progress
from .touched import TouchedHosts, touched_by, touched_by_removal

RECHECK = 30.0
# Seconds between two reads during a removal: BareMetalHosts, templates and Secrets are not watched.
REMOVAL_RECHECK = 5.0
# Seconds that a rejection must last before it counts as final.
DOUBT = 60.0
_problem = OwnCheck("assisted-control-plane")


class Recorder(Protocol):
    """Keeps a record of a run outside of the hub."""

    def before_write(self, changes: Sequence[Change]) -> None:
        """Called once before the first write of a run that is no check. ``changes`` are the writes of its plan.

        Raises :class:`ZeroTouchError` if nothing may be written.
        """

    def written(self, outcomes: Sequence[WriteOutcome]) -> None:
        """Called after each stage of writes of such a run."""

    def see(self, progress: ControlPlaneProgress, failure: str = "") -> None:
        """Called when the wait has looked at the hub, and at its end. ``failure`` is why it ended."""

    def released(self, hosts: Sequence[str]) -> None:
        """Called when the BareMetalHosts of these hosts are deleted."""


class NoRecord:
    """For runs without a work directory."""

    def before_write(self, changes: Sequence[Change]) -> None:
        """Nothing is kept."""

    def written(self, outcomes: Sequence[WriteOutcome]) -> None:
        """Nothing is kept."""

    def see(self, progress: ControlPlaneProgress, failure: str = "") -> None:
        """Nothing is kept."""

    def released(self, hosts: Sequence[str]) -> None:
        """Nothing is kept."""


Permit = Callable[[TouchedHosts], None]


def run_control_plane(call: Opened, record: Recorder | None = None, permit: Permit | None = None) -> dict[str, Any]:
    """The module's result. ``permit`` is called before writes that touch machines; it raises if they must not be.

    Raises :class:`InvalidInput` before anything is written, :class:`PartialFailure` with an account of what was done.
    """
    record = record or NoRecord()
    params = call.params
    call.add_secrets(secret_values({"pull_secret": params["pull_secret"]}) | credentials(params["hosts"] or ()))
    client = connect(params, clock=call.clock, check_mode=call.check_mode, forks=params["forks"])
    try:
        run = _Run(client, call, record, permit or (lambda _hosts: None))
        return run.present() if params["state"] == "present" else run.absent()
    finally:
        client.close()


class _Run:
    """One run for one cluster."""

    def __init__(self, client: KubeClient, call: Opened, record: Recorder, permit: Permit) -> None:
        self.client, self.call, self.params, self.record = client, call, call.params, record
        self.permit = permit
        self.departures = read_departures(call.params)
        self.namespace, self.name = str(call.params["namespace"]), str(call.params["name"])
        self.outcomes: list[WriteOutcome] = []
        self.steps: list[str] = []
        self.problems: list[Problem] = []
        self.remaining: tuple[str, ...] = ()
        self.stays: tuple[str, ...] = ()
        self.progress = ControlPlaneProgress()
        self.permitted = False
        # Of the Cluster that a removal found first; empty if there was none.
        self.cluster_uid: str | None = None
        self.desired = read_desired(self.params)
        self.kinds = AssistedKinds()

    def present(self) -> dict[str, Any]:
        desired = self.desired
        self._judge(description_problems(desired, AssistedKinds()))
        self.kinds = assisted_kinds(self.client, metal3=desired.metal3_used, references=desired.references)
        self.problems = []
        self._judge(description_problems(desired, self.kinds))
        for problem in warnings(self.problems):
            self.call.warn(problem.text())
        observed = self._observe(_references(desired))
        deployments = observed.of_kind(self.kinds.core.machine_deployment)
        sizes = {str(item["metadata"]["name"]): int(part(item, "spec").get("replicas") or 0) for item in deployments}
        self.desired = desired = dataclasses.replace(desired, present_sizes=sizes)
        plan = plan_present(desired, self.kinds, observed, replace_machines=self.params["replace_machines"])
        self._judge(self._schema_problems(plan))
        marks, deletions = (
            tuple(planned(self.departures, self.kinds, observed)) for planned in (plan_marks, plan_deletions)
        )
        # Machines that leave first are marked before their pool shrinks.
        plan = dataclasses.replace(
            plan, stages=(*([marks] if marks else []), *plan.stages, *([deletions] if deletions else []))
        )
        if plan.stages and not self.call.check_mode:
            self.permit(touched_by(self.name, plan.changes, self.kinds, observed, self.departures))
            self.record.before_write(plan.changes)
        self._write(plan)
        target = str(self.params["wait_for"])
        if self.call.check_mode:
            return self._predicted(target, observed, changes=bool(plan.stages))
        if target in ("installed", "ready"):
            self._wait(target)
            self.record.see(self.progress)
        self._release()
        return self._with_credentials()

    def _predicted(self, target: str, observed: ObservedControlPlane, *, changes: bool) -> dict[str, Any]:
        """The result of check mode, with what a run does after its writes."""
        if target in ("installed", "ready") and (
            changes or missing(observe_progress(self.client, self.kinds, self.namespace, self.name), target)
        ):
            self.call.plan([f"wait until the cluster is {target}"])
        present = [name for name in self.departures.release_hosts if name in observed.bare_metal_hosts]
        lines = [f"delete BareMetalHost {self.namespace}/{name}: its host is released" for name in present]
        self.steps += lines
        self.call.plan(lines)
        result = self._result()
        return {**result, "changed": result["changed"] or bool(lines)}

    def _release(self) -> None:
        """Delete the BareMetalHosts that leave the inventory, each as soon as nothing uses it.

        Raises :class:`PartialFailure` at the limit.
        """
        if not self.departures.release_hosts:
            return
        lines = ProgressLines(self.call.clock, self.call.progress, timed=False)
        for _turn in self._turns(step=True):
            observed = self._observe()
            changes, waits = plan_release(self.departures, self.name, self.namespace, observed)
            if changes:
                self.permit(touched_by(self.name, changes, self.kinds, observed, self.departures))
            self._write(ControlPlanePlan((changes,) if changes else ()))
            self.remaining = waits
            if not waits:
                return self.record.released(self.departures.release_hosts)
            lines.repeat("rest", f"still there: {listed(waits, 5)}")
        raise PartialFailure(
            f"{self._limit()} Still there: {listed(self.remaining, 20)}.",
            self._result(),
            "Run the task again to wait longer.",
        )

    def absent(self) -> dict[str, Any]:
        self.kinds = assisted_kinds(self.client, metal3=self.desired.metal3_used, references=self.desired.references)
        observed = self._observe()
        plan = self._remove(observed)
        if self.call.check_mode and self.params["wait_for"] == "gone":
            done = {change.describe() for change in plan.changes}
            lines = [
                change.describe()
                for change in plan_afterwards(self.name, self.namespace, self.kinds, observed)
                if change.describe() not in done
            ]
            self.steps += lines
            self.call.plan(lines)
            return {**self._result(), "changed": bool(self.steps)}
        if self.call.check_mode or self.params["wait_for"] != "gone":
            return self._result()
        progress = ProgressLines(self.call.clock, self.call.progress, timed=False)
        for _turn in self._turns(step=True):
            plan = self._remove(self._observe())
            self.remaining = plan.waits_for
            if not plan.waits_for:
                return self._result()
            progress.repeat("rest", f"still there: {listed(plan.waits_for, 5)}")
        raise PartialFailure(
            f"{self._limit()} Still there: {listed(plan.waits_for, 20)}.",
            self._result(),
            "Run the task again to wait longer.",
        )

    def _judge(self, problems: Sequence[Problem]) -> None:
        self.problems += problems
        if errors(problems):
            raise InvalidInput(self.problems)

    def _observe(self, references: Sequence[Key] = ()) -> ObservedControlPlane:
        return observe(self.client, self.kinds, self.namespace, self.name, references, forks=self.params["forks"])

    def _schema_problems(self, plan: ControlPlanePlan) -> list[Problem]:
        """What in the objects to be written does not fit the definitions that the hub serves."""
        schemas: dict[tuple[str, str], Mapping[str, Schema]] = {}
        found = []
        for change in plan.changes:
            group = change.resource.group
            if not group or change.verb == "delete":
                continue
            version = change.resource.version
            if (group, version) not in schemas:
                schemas[group, version] = served_schemas(self.client, group, version)
            schema = schemas[group, version].get(change.resource.kind)
            document = change.body if change.verb == "create" else merged(change.before, change.body)
            whole = {"spec": document.get("spec") or {}}
            found += [
                _problem(f"{change.title}: {path}", "Invalid value", fault)
                for path, fault in object_faults(schema or {}, whole)
                if schema
            ]
        return found

    def _write(self, plan: ControlPlanePlan) -> None:
        """Stage after stage, up to the first with a failure."""
        for note in plan.notes:
            self.call.warn(note)
        self.steps += plan.lines()
        self.call.plan(plan.lines())
        self.remaining, self.stays = plan.waits_for, plan.stays
        unborn = any(change.resource == NAMESPACE for change in plan.changes)
        planned = cluster_objects(self.desired, self.kinds) if self.params["state"] == "present" else ()

        def again(change: Change, now: Object | None) -> Change | None:
            if change.resource == self.kinds.core.machine:
                return replan_machine(change, now)
            return replan(self.desired, planned, change, now)

        for stage in plan.stages:
            if self.call.check_mode and unborn and any(change.namespace for change in stage):
                # its namespace does not exist to try it in
                self.outcomes += [WriteOutcome(change, changed=True) for change in stage]
                continue
            outcomes = apply_changes(
                self.client, stage, forks=self.params["forks"], check_mode=self.call.check_mode, replan=again
            )
            self.outcomes += outcomes
            if not self.call.check_mode:
                self.record.written(outcomes)
            failed = [outcome for outcome in outcomes if outcome.error is not None]
            for outcome in failed:
                if outcome.error is not None and not isinstance(outcome.error, ZeroTouchError):
                    raise outcome.error
            if failed:
                lines = "\n".join(f"{outcome.change.title}: {outcome.error}" for outcome in failed)
                hint = "Nothing that refers to them was written. Run again once this is corrected."
                raise PartialFailure(
                    f"{len(failed)} of {len(plan.changes)} objects could not be written:\n{lines}", self._result(), hint
                )

    def _remove(self, observed: ObservedControlPlane) -> ControlPlanePlan:
        """What can be deleted now. The permission is asked once, before the first write of the run."""
        plan = plan_absent(self.name, self.namespace, self.kinds, observed)
        self._refuse_another(observed.get(self.kinds.core.cluster, self.name))
        if plan.stages and not self.permitted and not self.call.check_mode:
            self.permit(touched_by_removal(self.name, observed))
            self.permitted = True
        self._write(plan)
        return plan

    def _refuse_another(self, cluster: Object | None) -> None:
        """Raise :class:`PartialFailure` if the hub has another Cluster of this name than when this run began."""
        uid = text(cluster, "metadata", "uid")
        if self.cluster_uid is None:
            self.cluster_uid = uid
        if uid in ("", self.cluster_uid):
            return
        raise PartialFailure(
            f"Cluster {self.namespace}/{self.name} was created again during this run. It was not deleted.",
            self._result(),
            "Find out what creates it. If it must not exist either, run again.",
        )

    def _turns(self, *, step: bool = False) -> Any:
        limit = float(self.params["timeout"])
        kinds = (
            self.kinds.core.cluster,
            self.kinds.core.machine,
            self.kinds.core.machine_deployment,
            self.kinds.control_plane,
            AGENT_CLUSTER_INSTALL,
            AGENT,
        )
        paths = [kind.path(self.namespace) for kind in (kinds[:4] if step else kinds)]
        signal = ChangeSignal(self.client, paths, limit, self.call.clock)
        return turns(Deadline(self.call.clock, limit), REMOVAL_RECHECK if step else RECHECK, signal.wait)

    def _wait(self, target: str) -> None:
        """Until the cluster is ``target``. Ends at once when it never will be."""
        lines, doubts = ProgressLines(self.call.clock, self.call.progress), Doubts(self.call.clock, DOUBT)
        lacking: list[str] = []
        for _turn in self._turns():
            progress = self.progress = observe_progress(self.client, self.kinds, self.namespace, self.name)
            lines.percent = progress.status.percent
            for row in progress.machines:
                host_note = f" ({row.host})" if row.host else ""
                lines.tell(row.name, f"{row.role} {row.name}{host_note}: {row.step}")
            reason = failure(progress)
            self.record.see(progress)
            suspect = doubt(progress)
            if reason or doubts.settle("refusal", WaitStatus(doubtful=bool(suspect), reason=suspect)).final:
                self.record.see(progress, reason or suspect)
                cause = reason or suspect
                raise PartialFailure(
                    f"{cause.rstrip('.')}.",
                    self._with_credentials(),
                    ("Correct the cause, destroy the cluster and deploy it again."),
                )
            lacking = missing(progress, target)
            if not lacking:
                return
            lines.repeat("cluster", listed(lacking, 4, "; "))
        text = f"{self._limit()} {listed(lacking, 20, '; ')}."
        self.record.see(self.progress, text)
        raise PartialFailure(
            text, self._with_credentials(), "The providers on the hub continue. Run the task again to wait longer."
        )

    def _limit(self) -> str:
        limit = float(self.params["timeout"])
        return LimitReached(f"Not done after {limit:g} s.", limit).message

    def _result(self) -> dict[str, Any]:
        plane, status = self.progress.control_plane, part(self.progress.control_plane, "status")
        result: dict[str, Any] = {
            "changed": any(outcome.changed for outcome in self.outcomes),
            "name": self.name,
            "namespace": self.namespace,
            "plan": list(self.steps),
            "problems": [problem.as_dict() for problem in self.problems],
            "phase": self.progress.status.phase if self.progress.install else "",
            "control_plane": {
                "version": text(plane, "spec", "distributionVersion"),
                "current_version": text(plane, "status", "distributionVersion"),
                "replicas": int(part(plane, "spec").get("replicas") or 0),
                "current_replicas": int(status.get("replicas") or 0),
                "ready_replicas": int(status.get("readyReplicas") or 0),
                "up_to_date_replicas": int(status.get("upToDateReplicas", status.get("updatedReplicas")) or 0),
            },
            "machine_deployments": [
                pool_row(item)
                for item in sorted(self.progress.deployments, key=lambda item: str(item["metadata"]["name"]))
            ],
            "machines": [dataclasses.asdict(row) for row in self.progress.machines],
            "remaining": list(self.remaining),
            "stays": list(self.stays),
        }
        return result | ({"diff": diff_of(self.outcomes)} if self.call.diff else {})

    def _with_credentials(self) -> dict[str, Any]:
        """The result, with the credentials that the hub has by now in their files.

        They are those of the AgentClusterInstall: the provider copies the kubeconfig once, and does not renew its copy.
        """
        if not self.progress.cluster:
            self.progress = observe_progress(self.client, self.kinds, self.namespace, self.name)
        result = self._result()
        if not self.params["work_dir"]:
            return result
        auth, status = Path(self.params["work_dir"]) / "auth", self.progress.status
        wanted = (
            (status.kubeconfig_secret, KUBECONFIG, auth / "kubeconfig"),
            (status.password_secret, PASSWORD, auth / "kubeadmin-password"),
        )
        found = read_credentials(self.client, self.namespace, wanted)
        self.call.add_secrets(found.secrets())
        write_credentials(found)
        there = {path.name: str(path) for _name, _key, path in wanted if path.name not in found.missing}
        files = {
            "kubeconfig": there.get("kubeconfig", ""),
            "kubeadmin_password_file": there.get("kubeadmin-password", ""),
        }
        return {**result, **files, "changed": result["changed"] or found.changed}


def _references(desired: DesiredControlPlane) -> list[Key]:
    """Secrets and ConfigMaps of the user, and those that may be of another tool under the names that this collection
    uses.
    """
    maps = [
        *(cluster_value(desired, "manifests_config_maps") or ()),
        *([desired.registry_name] if desired.registry_name else []),
    ]
    return [(SECRET.kind, desired.secret_name), *((CONFIG_MAP.kind, name) for name in maps)]
