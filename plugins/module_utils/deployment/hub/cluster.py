# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Run module ``agent_cluster_install`` step by step: check the input, plan, apply, wait, fetch credentials."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ...bmc.hosts import BmcOptions
from ...boot.requests import boot_requests
from ...cluster.spec import Deployment
from ...common.connect import ConnectTo
from ...common.errors import InvalidInput, PartialFailure, ZeroTouchError
from ...common.opened import Opened
from ...common.problems import Problem
from ...common.store_link import StoreLink
from ...hub.agents.model import ClusterRef
from ...hub.created import forget_created, record_created, refuse_other
from ...hub.credentials import write_credentials
from ...hub.from_spec import agent_hosts, infra_env_options
from ...hub.install.objects import HubCluster
from ...hub.install.run import InstallPlan, apply_install, await_gone, observe, plan_install, plan_removal
from ...hub.install.status import InstallStatus, Phase, read_status
from ...hub.install.wait import InstallLimits, InstallSituation, InstallWait, bound_agents
from ...hub.kinds import AGENT_CLUSTER_INSTALL, CLUSTER_DEPLOYMENT
from ...kube.client import KubeClient
from ...kube.connection import connect
from ...kube.write import WriteOutcome, apply_changes, diff_of
from ..agent.configure import Input, read_input
from ..described import described
from ..state.work_dir import WorkDir
from ..supervise.media import HostMedia
from .install import MediaDetacher, media_names, plan_credentials, refuse_failures, result_of
from .timeline import HubTimeline

# wait_for -> phase; a hold is no obstacle to meeting the requirements.
_PHASES: Mapping[str, Phase] = {"requirements_met": "held", "installing": "installing", "installed": "installed"}
# Seconds that the operator may take to release a cluster: it unbinds Agents and deregisters before.
REMOVAL_LIMIT = 300.0


@dataclasses.dataclass(frozen=True)
class HubRequest:
    """The values of the module's options."""

    provided: Input
    name: str
    namespace: str
    image_set: str
    hold: bool | None
    wait_for: Phase | None
    limits: InstallLimits
    work_dir: WorkDir | None
    agent_namespace: str
    media_hosts: Sequence[Mapping[str, Any]]
    bmc_ca_cert: str

    @classmethod
    def of(cls, params: Mapping[str, Any]) -> HubRequest:
        work_dir = Path(params["work_dir"]) if params["work_dir"] else None
        return cls(
            provided=described(params, (work_dir or Path()) / "config"),
            name=params["name"] or "",
            namespace=params["namespace"] or "",
            image_set=params["image_set"] or "",
            hold=params["hold"],
            wait_for=_PHASES.get(params["wait_for"]),
            limits=InstallLimits(
                **{name: float(value) for name, value in params["timeouts"].items() if value is not None}
            ),
            work_dir=WorkDir(work_dir) if work_dir else None,
            agent_namespace=params["agent_namespace"] or "",
            media_hosts=params["media_hosts"],
            bmc_ca_cert=params["bmc_ca_cert"] or "",
        )

    def cluster(self, deployment: Deployment) -> HubCluster:
        name = deployment.cluster.name
        if self.name and self.name != name:
            problem = Problem(
                "name",
                "Invalid value",
                f"the configuration's cluster is {name}",
                layer="ours",
                check="settings",
                value=self.name,
            )
            raise InvalidInput([problem])
        return HubCluster(deployment, self.namespace or deployment.cluster.namespace or name, self.hold, self.image_set)


def ensure_present(request: HubRequest, call: Opened) -> dict[str, Any]:
    """The cluster is on the hub and as far as ``wait_for`` says; the module's result.

    Raises :class:`InvalidInput` with every problem of the input, :class:`PartialFailure` with what was done.
    """
    deployment, problems = read_input(request.provided, tell_secrets=call.add_secrets)
    for problem in problems:
        call.warn(problem.text())
    cluster = request.cluster(deployment)
    client = connect(call.params, clock=call.clock, check_mode=call.check_mode)
    try:
        return _Presence(request, call, cluster, client).run(problems)
    finally:
        client.close()


class _Presence:
    """One run for one cluster."""

    def __init__(self, request: HubRequest, call: Opened, cluster: HubCluster, client: KubeClient) -> None:
        self._request, self._call, self._cluster, self._client = request, call, cluster, client
        self._reference = ClusterRef(cluster.namespace, cluster.name)
        self._timeline = HubTimeline.of(request.work_dir, cluster.deployment)
        self._media = self._detacher()

    def run(self, problems: Sequence[Problem]) -> dict[str, Any]:
        call = self._call
        plan = self._plan()
        for note in plan.notes:
            call.warn(note)
        steps = [change.describe() for change in plan.changes]
        outcomes = self._apply(plan)
        result: dict[str, Any] = {
            "changed": any(outcome.changed for outcome in outcomes),
            "plan": steps,
            "problems": [problem.as_dict() for problem in problems],
            "image_set": self._cluster.image_set_name,
            "infra_env": infra_env_options(
                self._cluster.deployment, mirror_registry=self._cluster.mirror_name, namespace=self._cluster.namespace
            ),
            "agents": agent_hosts(self._cluster.deployment.hosts),
        }
        if call.diff:
            result["diff"] = diff_of(outcomes)
        call.plan(steps)
        refuse_failures(
            outcomes,
            len(plan.changes),
            {**result_of(self._reference, InstallSituation(plan.status), outcomes), **result},
        )
        if not call.check_mode:
            self._timeline.known(started=plan.status.started)
        situation = self._situation(plan, outcomes, result)
        result |= result_of(self._reference, situation, outcomes)
        result["changed"] = result["changed"] or self._media.changed
        return result | self._credentials(situation.status, result)

    def _plan(self) -> InstallPlan:
        """The writes; none of the cluster of another deployment."""
        observed, work_dir = observe(self._client, self._cluster), self._request.work_dir
        if work_dir is not None:
            present = observed.get(CLUSTER_DEPLOYMENT.kind, self._cluster.name)
            refuse_other(work_dir.state, self._client.server, CLUSTER_DEPLOYMENT, present)
        return plan_install(self._cluster, observed)

    def _apply(self, plan: InstallPlan) -> list[WriteOutcome]:
        """Apply the plan, and record which ClusterDeployment this deployment created."""
        state = self._request.work_dir.state if self._request.work_dir and not self._call.check_mode else None
        if state is not None:
            forget_created(state, plan.changes, CLUSTER_DEPLOYMENT, self._call.clock)
        outcomes = apply_install(self._client, self._cluster, plan, check_mode=self._call.check_mode)
        if state is not None:
            record_created(state, outcomes, CLUSTER_DEPLOYMENT)
        return outcomes

    def _detacher(self) -> MediaDetacher:
        call, request = self._call, self._request
        options = BmcOptions(
            connect_to=ConnectTo.of(call.params["connect_to"]),
            ca_cert=request.bmc_ca_cert,
            clock=call.clock,
            progress=call.progress,
            before_write=StoreLink(request.work_dir.root, call.clock).check if request.work_dir else lambda: None,
        )
        return MediaDetacher(
            HostMedia(boot_requests(request.media_hosts), options),
            media_names(request.media_hosts),
            self._timeline.detached,
        )

    def _situation(
        self, plan: InstallPlan, outcomes: Sequence[WriteOutcome], result: Mapping[str, Any]
    ) -> InstallSituation:
        """How far it is, after the wait if one was asked for."""
        wanted = self._request.wait_for
        if self._call.check_mode:
            now = InstallSituation(plan.status, self._agents())
            if wanted and not plan.status.reached(wanted):
                self._call.plan([f"wait until the cluster is {self._call.params['wait_for'].replace('_', ' ')}"])
            elif wanted == "installed":
                due = self._media.due(now)
                self._media.changed = bool(due)
                self._call.plan(f"detach the medium of {name}" for name in due)
            return now
        if wanted is None or plan.status.reached(wanted):
            now = InstallSituation(self._status(), self._agents())
            # A run that was killed may have left media behind.
            for text in self._media(now) if wanted == "installed" else ():
                self._call.progress(text)
            return now
        if not plan.status.started:
            self._media.restart()
        self._timeline.begin(started=plan.status.started)
        wait = InstallWait(
            self._client,
            self._reference,
            self._call.clock,
            self._call.progress,
            limits=self._request.limits,
            agents_namespace=self._request.agent_namespace,
            watcher=self._watch,
        )
        try:
            return wait.until(wanted)
        except ZeroTouchError as error:
            # A kubeconfig that exists helps to find out why.
            credentials = self._credentials(wait.situation.status, result)
            changed = bool(result["changed"]) or self._media.changed
            account = {
                **result,
                **result_of(self._reference, wait.situation, outcomes),
                **credentials,
                "changed": changed or credentials.get("changed", False),
            }
            self._timeline.failed(error.message, terminal=wait.situation.status.terminal)
            raise PartialFailure(error.message, account, error.hint) from error
        finally:
            for text in self._media.warnings:
                self._call.warn(text)

    def _watch(self, situation: InstallSituation) -> Sequence[str]:
        lines = self._media(situation)
        self._timeline.see(situation, self._media.done)
        return lines

    def _status(self) -> InstallStatus:
        found = self._client.find(AGENT_CLUSTER_INSTALL.path(self._reference.namespace, self._reference.name))
        return read_status(found) if found else InstallStatus()

    def _agents(self) -> Any:
        return bound_agents(self._client, self._reference, self._request.agent_namespace)

    def _credentials(self, status: InstallStatus, result: Mapping[str, Any]) -> dict[str, Any]:
        """Fetch what the hub has by now; the part of the result about it."""
        work_dir = self._request.work_dir
        if work_dir is None:
            return {}
        credentials = plan_credentials(self._client, self._reference.namespace, status, work_dir)
        self._call.add_secrets(credentials.secrets())
        if credentials.changed:
            self._call.plan([f"write {path}" for path in credentials.files])
        if not self._call.check_mode:
            write_credentials(credentials)
            if status.phase == "installed":
                self._timeline.installed(self._media.done if self._request.media_hosts else None)
        present = {
            path.name: str(path)
            for path in (work_dir.kubeconfig, work_dir.kubeadmin_password)
            if path.name not in credentials.missing
        }
        return {
            "changed": bool(result.get("changed")) or credentials.changed,
            "kubeconfig": present.get("kubeconfig", ""),
            "kubeadmin_password_file": present.get("kubeadmin-password", ""),
        }


def ensure_absent(request: HubRequest, call: Opened) -> dict[str, Any]:
    """Nothing that this collection made for the cluster is on the hub any more; the module's result."""
    namespace = request.namespace or request.name
    client = connect(call.params, clock=call.clock, check_mode=call.check_mode)
    try:
        state = request.work_dir.state.read() if request.work_dir else {}
        changes, stays = plan_removal(client, namespace, request.name, state)
        steps = [change.describe() for change in changes]
        call.plan(steps)
        outcomes = apply_changes(client, changes, forks=1, check_mode=call.check_mode)
        result: dict[str, Any] = {
            "changed": any(outcome.changed for outcome in outcomes),
            "name": request.name,
            "namespace": namespace,
            "plan": steps,
            "stays": stays,
        }
        if call.diff:
            result["diff"] = diff_of(outcomes)
        refuse_failures(outcomes, len(changes), result)
        if not call.check_mode:
            await_gone(
                client,
                [change for change in changes if change.resource in (CLUSTER_DEPLOYMENT, AGENT_CLUSTER_INSTALL)],
                REMOVAL_LIMIT,
            )
        return result
    finally:
        client.close()
