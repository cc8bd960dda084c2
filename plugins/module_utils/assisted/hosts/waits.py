# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Decide whether a host has reached the state that a task waits for, and whether it still can. Pure.

Source: openshift/assisted-service internal/host/statemachine.go, internal/host/pool_host_statemachine.go.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from ...cluster.host_states import BUSY, FAILED, INSTALLED, READY
from ...common.waiting import REACHED, WaitStatus
from ..install.progress import HostProgress, read_host
from ..rest.client import Document
from .plan import ServiceHostPlan

Target = Literal["none", "registered", "ready", "bound", "unbound", "installed"]
TARGETS: tuple[Target, ...] = ("none", "registered", "ready", "bound", "unbound", "installed")


def wait_status(plan: ServiceHostPlan, target: Target) -> WaitStatus:
    """The progress of one host to ``target``."""
    if plan.request.absent or plan.waiting:
        return WaitStatus(reached=not plan.waiting, reason=plan.waiting)
    if plan.host is None:
        return WaitStatus(reason=plan.match.reason)
    return _CHECKS[target](plan.host, read_host(plan.host)) if target in _CHECKS else REACHED


def _ready(host: Document, progress: HostProgress) -> WaitStatus:
    return REACHED if progress.status in READY | BUSY | INSTALLED else _on_the_way(progress)


def _installed(host: Document, progress: HostProgress) -> WaitStatus:
    return REACHED if progress.status in INSTALLED else _on_the_way(progress)


def _bound(host: Document, progress: HostProgress) -> WaitStatus:
    if not host.get("cluster_id"):
        return WaitStatus(reason="it belongs to no cluster yet")
    if progress.status == "binding":
        return WaitStatus(
            reason=(
                "it is binding; if this lasts, the machine's agent did not start again: reboot "
                "it into the discovery image"
            )
        )
    return REACHED


def _unbound(host: Document, progress: HostProgress) -> WaitStatus:
    return (
        REACHED
        if progress.status.endswith("-unbound")
        else WaitStatus(reason=(f"it is {progress.describe()}: {progress.status_info}"))
    )


def _on_the_way(progress: HostProgress) -> WaitStatus:
    return WaitStatus(reason=f"it is {progress.describe()}: {progress.status_info}", final=progress.status in FAILED)


_CHECKS: dict[Target, Callable[[Document, HostProgress], WaitStatus]] = {
    "ready": _ready,
    "installed": _installed,
    "bound": _bound,
    "unbound": _unbound,
}
