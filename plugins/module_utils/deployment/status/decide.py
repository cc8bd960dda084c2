# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Decide the status of a deployment by a table, from what was read about it. Pure."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from typing import Any, Literal

from ...capi.assisted.status import ControlPlaneProgress, failure, missing
from ...common.listed import listed
from ...common.waiting import WaitStatus
from ...hub.install.status import InstallStatus
from ..safety.observed import is_complete
from ..safety.record import TouchRecord
from ..supervise.observation import FAILED, Observation, Silence
from ..supervise.timeline import BEFORE_BOOT

State = Literal["done", "running", "failed", "unknown"]
# What the authority of a deployment (its service and API, or its hub) says. ``silent``: none of them answers as this
# deployment.
Verdict = Literal["installed", "failed", "installing", "waiting", "absent", "silent", "unreadable"]

_RERUN = "Run deploy_cluster to continue."
_SUPERVISE = "Run deploy_cluster to supervise the installation, or run status again later."
_REPAIR = (
    "Correct the cause, then run deploy_cluster. The directory logs/ of the work directory has what was collected."
)


@dataclasses.dataclass(frozen=True)
class Authority:
    """``phase`` is empty if it is not known."""

    verdict: Verdict
    reason: str = ""
    phase: str = ""


@dataclasses.dataclass(frozen=True)
class HostStatus:
    """``node`` is ready, not ready, none, or empty if it is not known; so is ``power``.

    ``medium`` is None if it is not known.
    """

    name: str
    status: str = ""
    node: str = ""
    power: str = ""
    medium: bool | None = None
    waits_for: str = ""

    def as_dict(self) -> dict[str, Any]:
        return dataclasses.asdict(self)


@dataclasses.dataclass(frozen=True)
class StatusView:
    """Everything that decides.

    ``fault`` says why the stored state cannot be read; ``silence`` how long ago the installation was last seen.
    """

    record: TouchRecord
    authority: Authority
    method: str = "agent"
    fault: str = ""
    silence: Silence | None = None
    lost: tuple[str, ...] = ()
    hosts: tuple[HostStatus, ...] = ()
    not_checked: tuple[str, ...] = ()
    expected_end: str = ""
    live_report: Mapping[str, Any] = dataclasses.field(default_factory=dict)


@dataclasses.dataclass(frozen=True)
class Status:
    """The status, why it is so, and what to do next.

    ``awaited`` is what the last run recorded (:mod:`..supervise.awaited`), ``live_report`` the last news of a run that
    has not concluded its report.
    """

    state: State
    reason: str
    next_step: str = ""
    phase: str = ""
    hosts: tuple[HostStatus, ...] = ()
    not_checked: tuple[str, ...] = ()
    awaited: Mapping[str, str] = dataclasses.field(default_factory=dict)
    expected_end: str = ""
    live_report: Mapping[str, Any] = dataclasses.field(default_factory=dict)


def of_observation(seen: Observation) -> Authority:
    """What service and API of a deployment by methods agent and assisted say."""
    cluster = seen.service.cluster if seen.service.ours else None
    if is_complete(seen):
        version = seen.api.cluster_version.version if seen.api.cluster_version else ""
        what = "the API of the cluster answers" if seen.api.ours else "the service reports it"
        version_note = f" ({version})" if version else ""
        return Authority("installed", f"The cluster is installed{version_note}: {what}.", "installed")
    if cluster is not None and cluster.terminal:
        status_info = cluster.status_info or cluster.text()
        return Authority("failed", f"The installation has failed: {status_info}", FAILED)
    if seen.api.ours:
        waiting = [operator.name for operator in seen.api.operators if not operator.available.true]
        rollout = seen.api.cluster_version.progressing.message if seen.api.cluster_version else ""
        text = rollout or (
            f"operators that are not available: {', '.join(waiting)}"
            if waiting
            else "the ClusterVersion is not Available yet"
        )
        return Authority("installing", f"The API of the cluster answers: {text}.", "installing")
    if cluster is not None and cluster.installing:
        return Authority(
            "installing",
            f"The service reports: {cluster.text()}.",
            "installing" if seen.phase == "installing" else "bootstrap",
        )
    if seen.service.ours:
        registered = cluster.text() if cluster else "no cluster is registered yet"
        return Authority("waiting", f"The service answers: {registered}.", "discovery")
    details = (f"{what}: {view.detail}" for what, view in (("service", seen.service), ("API", seen.api)) if view.detail)
    return Authority("silent", " ".join(details))


def of_hub(status: InstallStatus | None, cluster: str) -> Authority:
    """What the AgentClusterInstall of a cluster says."""
    if status is None:
        return Authority("absent", f"the hub has no cluster {cluster}")
    if status.phase == "installed":
        reason = status.reason or "the hub reports it"
        return Authority("installed", f"Cluster {cluster} is installed: {reason}", "installed")
    verdict: Verdict = "installing" if status.started else "waiting"
    return Authority(
        "failed" if status.terminal else verdict,
        (f"The hub reports cluster {cluster} as {status.text()}"),
        status.phase,
    )


def of_capi(progress: ControlPlaneProgress, cluster: str) -> Authority:
    """What Cluster, control plane and Machines of a cluster of Cluster API say."""
    if progress.cluster is None:
        return Authority("absent", f"the hub has no Cluster {cluster}")
    if reason := failure(progress):
        return Authority("failed", reason, FAILED)
    lacking = listed(missing(progress, "ready"), 4, "; ")
    if progress.installed:
        return Authority(
            "installed",
            f"Cluster {cluster} is installed" + (f": {lacking}." if lacking else ", and all its Machines are ready."),
            "installed",
        )
    verdict: Verdict = "installing" if progress.status.started else "waiting"
    shown_lacking = lacking or "its state is not known yet"
    return Authority(verdict, f"Cluster {cluster}: {shown_lacking}.", progress.status.phase or "defined")


def of_hosted(found: WaitStatus, *, exists: bool, cluster: str) -> Authority:
    """What a HostedCluster says; ``found`` is its status on the way to a completed version."""
    if not exists:
        return Authority("absent", f"the hub has no HostedCluster {cluster}")
    if found.reached:
        return Authority("installed", f"HostedCluster {cluster} has completed its version.", "installed")
    phase = "failed" if found.final else f"{found.percent} %"
    return Authority("failed" if found.final else "installing", f"HostedCluster {cluster}: {found.reason}", phase)


def decide(view: StatusView) -> Status:
    """The first row of the table that applies."""
    record = view.record
    state, reason, next_step = _unreadable(view) or _BY_VERDICT[view.authority.verdict](view)
    phase = {"failed": FAILED, "done": "installed"}.get(state, view.authority.phase or record.phase)
    awaited = record.install.get("awaited") or {} if state in ("running", "failed") else {}
    return Status(
        state,
        reason,
        next_step,
        phase,
        view.hosts,
        view.not_checked,
        awaited,
        view.expected_end if state == "running" else "",
        view.live_report,
    )


_Found = tuple[State, str, str]


def _unreadable(view: StatusView) -> _Found | None:
    if view.fault or view.record.fault:
        fault = view.fault or view.record.fault
        return (
            "unknown",
            f"The state of the deployment cannot be read: {fault}",
            "Make the state readable, then run status again.",
        )
    if view.record.method not in ("", view.method):
        text = f"{view.record.directory} records a deployment by method {view.record.method}, and not {view.method}."
        return "unknown", text, "Set openshift_install_method or openshift_work_dir to those of the deployment."
    return None


def _installed(view: StatusView) -> _Found:
    return "done", view.authority.reason, ""


def _failed(view: StatusView) -> _Found:
    return "failed", view.authority.reason, _REPAIR


def _installing(view: StatusView) -> _Found:
    return "running", view.authority.reason, _SUPERVISE


def _waiting(view: StatusView) -> _Found:
    """Hosts that do not appear end a run, and nothing contradicts what it recorded."""
    install = view.record.install
    if install.get("overdue") or view.record.phase == FAILED or (view.method == "hub" and install.get("failure")):
        return "failed", f"{_recorded_failure(view)} {view.authority.reason}", _REPAIR
    return "running", view.authority.reason, _SUPERVISE


def _absent(view: StatusView) -> _Found:
    if view.record.empty:
        return (
            "unknown",
            f"There is no record in {view.record.directory}, and {view.authority.reason}.",
            "Run deploy_cluster to deploy the cluster.",
        )
    if view.record.install.get("failure"):
        return "failed", f"{_recorded_failure(view)} Now {view.authority.reason}.", _REPAIR
    phase = view.record.phase or "none"
    text = f"{view.record.directory} records the deployment (phase {phase}), but {view.authority.reason}."
    return "unknown", text, "Check openshift_hub, and whether another user deleted the cluster."


def _of_unreadable(view: StatusView) -> _Found:
    return "unknown", view.authority.reason, "Make the hub or service reachable, then run status again."


def _silent(view: StatusView) -> _Found:
    record, detail = view.record, view.authority.reason
    if record.empty and not view.lost:
        return (
            "unknown",
            f"There is no record in {record.directory}. {detail}".strip(),
            ("Run deploy_cluster, or set openshift_work_dir or openshift_state."),
        )
    if "install" in view.lost:
        lost = (
            f"{record.directory}/state.json lacks records ({', '.join(view.lost)}), and neither the service nor "
            "the API of the deployment answers."
        )
        return "unknown", f"{lost} {detail}".strip(), "Restore state.json, then run status again."
    if record.phase == FAILED:
        return "failed", _recorded_failure(view), _REPAIR
    if view.silence is not None and view.silence.bearable and not record.install.get("overdue"):
        quiet = (
            f"Service or API of the installation last answered at {view.silence.since}. Up to "
            f"{view.silence.limit:g} s without an answer are normal in phase {view.silence.phase}."
        )
        return "running", quiet, _SUPERVISE
    if record.install.get("failure") and record.phase != "installed":
        return "failed", _recorded_failure(view), _REPAIR
    last = view.silence.text() if view.silence is not None else ""
    if record.phase == "bootstrap" and last:
        return "failed", f"The installation did not complete its bootstrap. {last}", _REPAIR
    if record.phase in BEFORE_BOOT and not record.boots:
        return "unknown", f"No machine was booted yet. {detail}".strip(), _RERUN
    text = (
        f"The last recorded phase is {record.phase}, but no service or API of the deployment answers. {last} {detail}"
    )
    return "unknown", " ".join(text.split()), "Make the API or service reachable, then run status again."


_BY_VERDICT: Mapping[Verdict, Callable[[StatusView], _Found]] = {
    "installed": _installed,
    "failed": _failed,
    "installing": _installing,
    "waiting": _waiting,
    "absent": _absent,
    "unreadable": _of_unreadable,
    "silent": _silent,
}


def _recorded_failure(view: StatusView) -> str:
    install_failure = view.record.install.get("failure") or "the installation has failed"
    return f"An earlier run recorded: {install_failure}"
