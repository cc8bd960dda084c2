# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Decide which requests bring an installation to the requested state (started, installed, cancelled, ...), or why none
can be sent. Pure.

Source: openshift/assisted-service internal/cluster/statemachine.go, internal/cluster/transition.go.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from ...cluster.host_states import BUSY, FAILED
from ...common.listed import listed
from ..rest.client import Document, members
from .progress import CLUSTER_INSTALLING, failing, read_cluster, read_host

State = Literal["started", "installed", "cancelled", "reset", "adding_hosts"]
STATES: tuple[State, ...] = ("started", "installed", "cancelled", "reset", "adding_hosts")
_BEFORE = frozenset({"insufficient", "pending-for-input"})
_CANCELLABLE = frozenset(
    {"preparing-for-installation", "installing", "installing-pending-user-action", "error", "finalizing"}
)
_RESETTABLE = _CANCELLABLE | {"cancelled"}
# Of hosts that are added to a cluster.
_ADDED = frozenset({"installed", "added-to-existing-cluster"})
_SAID = 5


@dataclasses.dataclass(frozen=True)
class InstallStep:
    """``action`` on the cluster, or on the host ``host_id``; ``title`` for people."""

    action: str
    title: str
    infra_env_id: str = ""
    host_id: str = ""

    def text(self) -> str:
        return f"{self.action} {self.title}"


@dataclasses.dataclass(frozen=True)
class InstallVerdict:
    """``steps`` to take now; ``waits``: what has to happen first, ``then`` what follows it; ``refused``: what the
    service would refuse, with its reasons; else it is as described.
    """

    steps: Sequence[InstallStep] = ()
    waits: str = ""
    refused: str = ""
    then: Sequence[InstallStep] = ()

    @property
    def settled(self) -> bool:
        return not (self.steps or self.waits or self.refused)


def decide(document: Document, state: State) -> InstallVerdict:
    """What a cluster needs to be in ``state``.

    A status that this release does not know is waited on, never acted on.
    """
    cluster = read_cluster(document)
    title = f"cluster {cluster.name}"
    if state == "cancelled":
        return _undo(document, "cancel", title, _CANCELLABLE)
    if state == "reset":
        return _undo(document, "reset", title, _RESETTABLE)
    if state == "adding_hosts":
        return _open(cluster.status, title)
    if cluster.status == "adding-hosts":
        return _added(document, state)
    if cluster.status == "installed" or (
        state == "started" and cluster.status in CLUSTER_INSTALLING | {"preparing-for-installation"}
    ):
        return InstallVerdict()
    if cluster.status == "ready":
        return InstallVerdict([InstallStep("install", title)])
    if cluster.status in ("error", "cancelled"):
        return InstallVerdict(
            refused=(
                f"{title} is {cluster.status}: {cluster.status_info}. Have it reset first (state reset), and boot its "
                "hosts again"
            )
        )
    if cluster.status in _BEFORE:
        return InstallVerdict(
            waits=f"{title} is {cluster.status}: {why_not(document)}", then=[InstallStep("install", title)]
        )
    return InstallVerdict(waits=f"{title} is {cluster.status}")


def decide_unknown(name: str, state: State) -> InstallVerdict:
    """What check mode says of a cluster that is not there yet."""
    title = f"cluster {name}"
    if state in ("cancelled", "reset"):
        return InstallVerdict()
    return InstallVerdict(
        waits=f"{title} does not exist yet",
        then=[InstallStep("allow-add-hosts" if state == "adding_hosts" else "install", title)],
    )


def status_after(step: InstallStep, document: Document, state: State) -> str:
    """The status that a step leads to in the end, for those who want to see before and after."""
    if step.host_id and step.action == "reset":
        return "resetting-pending-user-action"
    if step.host_id:
        return "added-to-existing-cluster" if state == "installed" else "installing"
    if step.action == "cancel" and document.get("status") == "preparing-for-installation":
        return "ready"
    return {
        "install": "installed" if state == "installed" else "installing",
        "cancel": "cancelled",
        "reset": "insufficient",
    }.get(step.action, "adding-hosts")


def why_not(document: Document) -> str:
    """The service's own reasons why a cluster cannot be installed: failed validations of the cluster, then of its
    hosts.
    """
    cluster = read_cluster(document)
    reasons = [each.message for each in failing(cluster.validations)]
    for host in map(read_host, members(document.get("hosts"))):
        reasons += [f"{host.name}: {each.message}" for each in failing(host.validations)]
    if not document.get("hosts"):
        reasons.append("it has no hosts yet")
    return listed(reasons, _SAID, "; ") or cluster.status_info or cluster.status


def _undo(document: Document, action: str, title: str, possible: frozenset[str]) -> InstallVerdict:
    status = str(document.get("status") or "")
    if status in possible:
        return InstallVerdict([InstallStep(action, title)])
    if status == "adding-hosts" and action == "reset":
        return _reset_added(document)
    if status in ("installed", "adding-hosts", "unmonitored"):
        return InstallVerdict(
            refused=(
                f"{title} is {status}; an installation that is complete cannot be undone. To start over, delete the "
                "cluster"
            )
        )
    return InstallVerdict()


def _reset_added(document: Document) -> InstallVerdict:
    """Of a cluster that runs, the hosts whose adding has begun and is not complete are taken back; the service can do
    that one by one.
    """
    hosts = [host for host in members(document.get("hosts")) if str(host.get("status")) in BUSY | FAILED]
    return InstallVerdict(
        [
            InstallStep("reset", f"host {read_host(host).name}", str(host.get("infra_env_id")), str(host.get("id")))
            for host in hosts
        ]
    )


def _open(status: str, title: str) -> InstallVerdict:
    if status == "adding-hosts":
        return InstallVerdict()
    if status == "installed":
        return InstallVerdict([InstallStep("allow-add-hosts", title)])
    return InstallVerdict(refused=f"{title} is {status}; hosts can be added once it is installed")


def _added(document: Document, state: State) -> InstallVerdict:
    """Hosts of a cluster that runs: those that are ready are installed, those that are not yet are waited for."""
    hosts = list(members(document.get("hosts")))
    ready = [_install(host) for host in hosts if host.get("status") == "known"]
    if ready:
        return InstallVerdict(ready)
    progress = [read_host(host) for host in hosts]
    lost = [host for host in progress if host.terminal]
    if lost:
        return InstallVerdict(
            refused="; ".join(f"host {host.name} is {host.status}: {host.status_info}" for host in lost)
        )
    waiting = [
        InstallStep("install", f"host {host.name}", str(each.get("infra_env_id")), host.id)
        for each, host in zip(hosts, progress, strict=True)
        if not host.joined
    ]
    open_ends = [host for host in progress if host.status not in _ADDED and not (state == "started" and host.joined)]
    return InstallVerdict(
        waits="; ".join(f"host {host.name} is {host.describe()}: {host.status_info}" for host in open_ends),
        then=waiting if open_ends else (),
    )


def _install(host: Mapping[str, Any]) -> InstallStep:
    return InstallStep("install", f"host {read_host(host).name}", str(host.get("infra_env_id")), str(host.get("id")))
