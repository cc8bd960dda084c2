# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Simulate the ClusterOperators and the ClusterVersion of a new cluster: when each becomes available, and its messages
until then.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Collection
from typing import Any

# name, second of appearance, second of availability after the control plane is up (lab seconds), needs nodes for
# workloads
_TIMELINE: tuple[tuple[str, int, int, bool], ...] = (
    ("cloud-controller-manager", 0, 20, False),
    ("cloud-credential", 0, 10, False),
    ("config-operator", 5, 30, False),
    ("etcd", 5, 180, False),
    ("kube-apiserver", 10, 300, False),
    ("kube-controller-manager", 10, 220, False),
    ("kube-scheduler", 10, 210, False),
    ("network", 5, 60, False),
    ("dns", 15, 80, False),
    ("service-ca", 15, 60, False),
    ("machine-config", 20, 140, False),
    ("openshift-apiserver", 25, 200, False),
    ("openshift-controller-manager", 25, 150, False),
    ("cluster-autoscaler", 30, 70, False),
    ("machine-api", 30, 120, False),
    ("machine-approver", 30, 60, False),
    ("control-plane-machine-set", 30, 70, False),
    ("baremetal", 35, 90, False),
    ("olm", 35, 110, False),
    ("operator-lifecycle-manager", 35, 90, False),
    ("operator-lifecycle-manager-catalog", 35, 90, False),
    ("operator-lifecycle-manager-packageserver", 35, 190, False),
    ("csi-snapshot-controller", 40, 100, False),
    ("storage", 40, 100, False),
    ("kube-storage-version-migrator", 40, 90, False),
    ("node-tuning", 40, 130, False),
    ("openshift-samples", 60, 230, False),
    ("insights", 40, 110, False),
    ("marketplace", 40, 100, False),
    ("ingress", 45, 250, True),
    ("image-registry", 50, 270, True),
    ("monitoring", 50, 330, True),
    ("authentication", 45, 320, True),
    ("console", 60, 340, True),
)
MANIFESTS = 930
# Lab seconds of an update.
UPDATE_SECONDS = 900.0


@dataclasses.dataclass(frozen=True)
class OperatorState:
    """``available``/``progressing``/``degraded`` are the conditions; ``message`` explains what is not well."""

    name: str
    available: bool
    progressing: bool
    degraded: bool
    reason: str
    message: str


NAMES = tuple(name for name, _start, _ready, _workloads in _TIMELINE)


def operator_states(
    elapsed: float, *, workloads: bool, degraded: frozenset[str] = frozenset(), names: Collection[str] = NAMES
) -> list[OperatorState]:
    """Those of ``names`` that exist ``elapsed`` lab seconds after the control plane stood.

    ``workloads``: nodes for routers and consoles are there.
    """
    return [
        _state(
            name, elapsed >= ready and (workloads or not needs_nodes), needs_nodes and not workloads, name in degraded
        )
        for name, start, ready, needs_nodes in _TIMELINE
        if elapsed >= start and name in names
    ]


def _state(name: str, ready: bool, waits: bool, degraded: bool) -> OperatorState:
    if degraded:
        return OperatorState(
            name, False, True, True, "OAuthServerDeployment_Unavailable", f"{name}: degraded by a fault of the lab"
        )
    if ready:
        return OperatorState(name, True, False, False, "AsExpected", "All is well")
    if waits:
        text = {
            "ingress": (
                'The "default" ingress controller reports Available=False: some pods are not scheduled: no node is '
                "available."
            ),
            "console": "DeploymentAvailable: 0 replicas available for console deployment",
            "authentication": (
                "OAuthServerRouteEndpointAccessibleControllerAvailable: route not yet admitted by the ingress "
                "controller"
            ),
        }.get(name, f"{name}: no node to run on yet")
        return OperatorState(name, False, True, False, "WaitingForNodes", text)
    return OperatorState(name, False, True, False, "Installing", f"{name} is being deployed")


def all_available(elapsed: float, states: list[OperatorState]) -> bool:
    return elapsed >= max(ready for _name, _start, ready, _nodes in _TIMELINE) and all(
        state.available for state in states
    )


def version_conditions(version: str, elapsed: float | None, states: list[OperatorState]) -> list[dict[str, Any]]:
    """Conditions of the ClusterVersion; ``elapsed`` None: before the control plane is up."""
    if elapsed is None:
        return _conditions("False", "", "True", _working_towards(version, MANIFESTS // 10), "False", "")
    if all_available(elapsed, states):
        return _conditions("True", f"Done applying {version}", "False", f"Cluster version is {version}", "False", "")
    broken = [state for state in states if state.degraded]
    missing = [state.name for state in states if not state.available]
    share = sum(state.available for state in states) / len(_TIMELINE)
    text = _working_towards(version, int(MANIFESTS * (0.1 + 0.89 * share)))
    if broken:
        return _conditions(
            "False",
            "",
            "True",
            f"Unable to apply {version}: the cluster operator {broken[0].name} is degraded",
            "True",
            f"Cluster operator {broken[0].name} is degraded",
        )
    if share > 0.8 and missing:
        more = len(missing) - 3
        text += f", waiting on {', '.join(missing[:3])}" + (f", … ({more} more)" if more > 0 else "")
    return _conditions("False", "", "True", text, "False", "")


def update_conditions(version: str, elapsed: float) -> list[dict[str, Any]]:
    """Conditions of the ClusterVersion of an available cluster that goes to another version."""
    share = min(0.99, elapsed / UPDATE_SECONDS)
    text = _working_towards(version, int(MANIFESTS * share))
    return _conditions("True", f"Done applying {version}", "True", text, "False", "")


def _working_towards(version: str, done: int) -> str:
    percent = 100 * done // MANIFESTS
    return f"Working towards {version}: {done} of {MANIFESTS} done ({percent}% complete)"


def _conditions(
    available: str, available_text: str, progressing: str, progressing_text: str, failing: str, failing_text: str
) -> list[dict[str, Any]]:
    return [
        {"type": "Available", "status": available, "message": available_text},
        {"type": "Failing", "status": failing, "message": failing_text},
        {"type": "Progressing", "status": progressing, "message": progressing_text},
        {
            "type": "RetrievedUpdates",
            "status": "False",
            "reason": "NoChannel",
            "message": "The update channel has not been configured.",
        },
        {
            "type": "ImplicitlyEnabledCapabilities",
            "status": "False",
            "reason": "AsExpected",
            "message": "Capabilities match configured spec",
        },
    ]
