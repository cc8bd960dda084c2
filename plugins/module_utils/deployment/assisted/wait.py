# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Supervise an installation by a separate assisted-service, with the same observation, limits and failure bundle as for
an agent ISO.

Between two observations the wait also does what this service does not do without a client: it configures hosts, starts
the installation once all are ready, and fetches credentials.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ...common.errors import PartialFailure, ZeroTouchError
from ...common.lock import one_run
from ...common.opened import Opened
from ...common.secrets import Redactor
from ..agent.wait import wait_result
from ..served_note import served_note
from ..supervise.bundle import failure_message, write_bundle
from ..supervise.media import HostMedia
from ..supervise.setup import Limits, Setup
from ..supervise.supervisor import Supervisor, WaitOutcome
from ..supervise.timeline import SECTION, Timeline, utc_now
from .find import METHOD, remember
from .observer import AssistedObserver
from .session import AssistedRequest, DeploymentSession, open_session
from .upkeep import Upkeep, plan_upkeep

# Seconds between two reads: the service is shared, and its monitors run every 8 and 10 s.
# Source: openshift/assisted-service internal/host/statemachine.go, internal/cluster/statemachine.go.
INTERVAL = 5.0


@dataclasses.dataclass(frozen=True)
class Patience:
    """The limit of each phase, the hosts whose BMCs the wait may use, and the directory of failure bundles."""

    limits: Limits
    media: HostMedia
    log_dir: Path
    redactor: Redactor


def wait_installed(request: AssistedRequest, call: Opened, patience: Patience) -> dict[str, Any]:
    """Until the cluster is installed; the module's result.

    Raises :class:`PartialFailure` holding that result when the installation failed or a limit is over.
    """
    if call.check_mode:
        return predict_installed(request, call, patience)
    with one_run(request.work_dir.root, "assisted_deployment", call.clock):
        session, problems = open_session(request, call)
        if session.found.cluster is None:
            raise ZeroTouchError(f"The service has no cluster {session.name}.", "deploy_cluster makes it.")
        observer = session.observer()
        try:
            result = _supervise(session, observer, patience)
        finally:
            observer.close()
            session.service.close()
        return {**result, "problems": [problem.as_dict() for problem in problems]}


def predict_installed(request: AssistedRequest, call: Opened, patience: Patience) -> dict[str, Any]:
    """Check mode: what would be done at this moment."""
    session, _problems = open_session(request, call)
    observer = session.observer()
    try:
        seen = observer.observe(session.work_dir.state.read())
    finally:
        observer.close()
        session.service.close()
    cluster = seen.service.cluster
    if cluster is not None and cluster.installed:
        over = str(session.work_dir.state.section(SECTION).get("phase") or "") == "installed"
        lines = [] if over else ["detach media that are left, and note that the cluster is installed"]
        call.plan(lines)
        return {
            "changed": not over,
            "plan": lines,
            "phase": "installed",
            "percent": 100,
            "progress": [],
            "elapsed": 0.0,
            "log_dir": "",
        }
    upkeep_plan = plan_upkeep(observer.cluster, observer.hosts, session.desired.hosts)
    lines = [change.text() for plan in upkeep_plan.hosts for change in plan.changes]
    lines.append(
        "begin the installation"
        if upkeep_plan.start
        else ("configure the hosts, and start the installation once all are ready")
    )
    lines.append("wait until the cluster is installed")
    call.plan(lines)
    return {
        "changed": True,
        "plan": lines,
        "phase": "",
        "percent": cluster.percent if cluster else 0,
        "progress": [],
        "elapsed": 0.0,
        "log_dir": "",
    }


def _supervise(session: DeploymentSession, observer: AssistedObserver, patience: Patience) -> dict[str, Any]:
    work_dir, call = session.work_dir, session.call
    state = work_dir.state.read()
    before = str((state.get(SECTION) or {}).get("phase") or "")
    setup = Setup(session.hosts, "installed", patience.limits, patience.media.names, elsewhere=session.elsewhere)
    timeline = Timeline(work_dir.state, setup, method=METHOD)
    fetched: list[str] = []

    def fetch(cluster: Mapping[str, Any]) -> list[str]:
        lines = session.fetch_credentials(dict(cluster))
        if lines:
            fetched.extend(lines)
            observer.credentials_changed()
        return lines

    upkeep_plan = Upkeep(session.service, observer, session.desired.hosts, fetch)
    supervisor = Supervisor(
        setup,
        lambda: observer.observe(state),
        patience.media,
        timeline,
        call.clock,
        call.progress,
        interval=INTERVAL,
        upkeep_plan=upkeep_plan,
    )
    outcome = supervisor.run()
    if outcome.step.kind == "stop" and upkeep_plan.refused:
        outcome = dataclasses.replace(
            outcome, suspects=tuple(dict.fromkeys((*upkeep_plan.refused, *outcome.suspects)))[:3]
        )
    phase = str(timeline.section.get("phase") or "")
    if outcome.step.kind == "done":
        fetch(observer.cluster)
        remember(work_dir, openshift_cluster_id=str(observer.cluster.get("openshift_cluster_id") or "") or None)
    described = wait_result(outcome.memory, setup, phase)
    result = {
        "phase": phase,
        "percent": described["percent"],
        "progress": described["hosts"],
        "changed": outcome.changed or bool(fetched) or phase != before,
        "plan": fetched,
        "elapsed": round(outcome.elapsed, 1),
        "log_dir": "",
        "kubeconfig": str(work_dir.kubeconfig) if work_dir.kubeconfig.is_file() else "",
        "kubeadmin_password_file": str(work_dir.kubeadmin_password) if work_dir.kubeadmin_password.is_file() else "",
    }
    for text in outcome.warnings:
        call.warn(text)
    if outcome.step.kind == "done":
        return result
    raise _failure(session, observer, setup, outcome, result, patience)


def _failure(
    session: DeploymentSession,
    observer: AssistedObserver,
    setup: Setup,
    outcome: WaitOutcome,
    result: dict[str, Any],
    patience: Patience,
) -> PartialFailure:
    try:
        directory: Path | None = write_bundle(
            patience.log_dir, outcome, setup, observer, patience.media, patience.redactor, utc_now()
        ).directory
    except (OSError, ZeroTouchError) as error:
        directory = None
        session.call.progress(f"The failure bundle cannot be written: {error}")
    result = {**result, "log_dir": str(directory or ""), "suspects": list(outcome.suspects)}
    return PartialFailure(failure_message(outcome, directory, served_note(session.work_dir.state.read())), result)
