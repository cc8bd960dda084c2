# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Read the progress of a HostedCluster from its conditions, in the order in which they become True. Pure.

Source: openshift/hypershift api/hypershift/v1beta1/hostedcluster_types.go,
  hypershift-operator/controllers/hostedcluster/hostedcluster_controller.go; docs/upstream/hypershift.md#operations.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from ...capi.objects import part, text
from ...common.waiting import WaitStatus
from ..conditions import read_conditions

Target = Literal["none", "valid", "available", "completed"]

# Every hosted cluster has the last two conditions; the first one exists only if there is a problem.
_VALID = ("SupportedHostedCluster", "ValidConfiguration", "ValidReleaseImage")
# Conditions that become True before the control plane is Available; the first that is not True names what is missing.
_COUNT = ("Available", "IgnitionEndpointAvailable")
_ON_THE_WAY = (
    "ValidHostedControlPlaneConfiguration",
    "InfrastructureReady",
    "EtcdAvailable",
    "KubeAPIServerAvailable",
    *_COUNT,
)
_NO_WORKERS = "NoWorkerNodesAvailable"


def wait_status(
    hosted_cluster: Mapping[str, Any] | None, target: Target, pools: Sequence[Mapping[str, Any]] | None = None
) -> WaitStatus:
    """Its progress to ``target``.

    ``pools`` are its NodePools where they are known: without replicas it never completes.
    """
    if hosted_cluster is None:
        return WaitStatus(final=True, reason="it does not exist (any more)")
    if hosted_cluster["metadata"].get("deletionTimestamp"):
        return WaitStatus(final=True, reason="it is being deleted")
    for check in (_valid, _available, _completed)[: ("none", "valid", "available", "completed").index(target)]:
        found = check(hosted_cluster)
        if not found.reached:
            return _without_workers(hosted_cluster, pools) or found if check is _completed else found
    return WaitStatus(reached=True, percent=100)


def _valid(hosted_cluster: Mapping[str, Any]) -> WaitStatus:
    conditions = read_conditions(hosted_cluster)
    active = conditions.current("ReconciliationActive")
    if active is not None and active.false:
        return WaitStatus(final=True, reason=active.text())
    for kind in _VALID:
        condition = conditions.current(kind)
        if condition is None and kind != "SupportedHostedCluster":
            return WaitStatus(
                reason=f"condition {kind} is not yet reported for the current generation of the HostedCluster"
            )
        if condition is not None and condition.false:
            return WaitStatus(doubtful=True, reason=condition.text())
    return WaitStatus(reached=True, percent=20)


def _available(hosted_cluster: Mapping[str, Any]) -> WaitStatus:
    conditions = read_conditions(hosted_cluster)
    for number, kind in enumerate(_ON_THE_WAY):
        condition = conditions.current(kind)
        # Those before come and go with releases.
        if (condition is None and kind not in _COUNT) or (condition is not None and condition.true):
            continue
        return WaitStatus(
            reason=condition.text()
            if condition is not None
            else (f"condition {kind} is not yet reported for the current generation of the HostedCluster"),
            percent=20 + 8 * number,
        )
    if not text(hosted_cluster, "status", "kubeconfig", "name"):
        return WaitStatus(reason="it has no kubeconfig yet", percent=65)
    return WaitStatus(reached=True, percent=70)


def _completed(hosted_cluster: Mapping[str, Any]) -> WaitStatus:
    conditions = read_conditions(hosted_cluster)
    degraded = conditions.current("Degraded")
    if degraded is not None and degraded.true:
        return WaitStatus(reason=degraded.text(), percent=80)
    wanted = text(hosted_cluster, "spec", "release", "image")
    newest = last_version(hosted_cluster)
    if newest.get("image") != wanted:
        return WaitStatus(reason=f"its last version is not of {wanted} yet", percent=75)
    if newest.get("state") != "Completed":
        progressing = conditions.current("ClusterVersionProgressing")
        words = (
            f": {progressing.message}" if progressing is not None and progressing.true and progressing.message else ""
        )
        version = newest.get("version") or "not known"
        state = newest.get("state") or "not begun"
        return WaitStatus(reason=f"version {version} is {state}{words}", percent=85)
    return WaitStatus(reached=True, percent=100)


def _without_workers(hosted_cluster: Mapping[str, Any], pools: Sequence[Mapping[str, Any]] | None) -> WaitStatus | None:
    """Operators that run on workers never become available where there are none (1.5)."""
    if pools is None or any(wants_workers(pool) for pool in pools):
        return None
    plane = read_conditions(hosted_cluster).get("DataPlaneConnectionAvailable")
    if plane is not None and plane.reason != _NO_WORKERS:
        return None
    return WaitStatus(
        final=True,
        reason=("all its node pools have 0 replicas, and without workers a version never becomes Completed"),
        percent=80,
    )


def wants_workers(pool: Mapping[str, Any]) -> bool:
    spec = part(pool, "spec")
    return bool(spec.get("replicas") or spec.get("autoScaling"))


def last_version(hosted_cluster: Mapping[str, Any] | None) -> Mapping[str, Any]:
    """The newest entry of ``status.version.history``; empty before there is one."""
    history = part(hosted_cluster, "status", "version").get("history") or ()
    return history[0] if history else {}


def summary(hosted_cluster: Mapping[str, Any] | None, namespace: str, name: str) -> dict[str, Any]:
    """``hosted_cluster`` of results."""
    newest = last_version(hosted_cluster)
    endpoint = part(hosted_cluster, "status", "controlPlaneEndpoint")
    port = endpoint.get("port") or 6443
    return {
        "namespace": namespace,
        "name": name,
        "infra_id": text(hosted_cluster, "spec", "infraID"),
        "release_image": text(hosted_cluster, "spec", "release", "image"),
        "version": str(newest.get("version") or ""),
        "version_state": str(newest.get("state") or ""),
        "api_url": f"https://{_bracketed(str(endpoint['host']))}:{port}" if endpoint.get("host") else "",
        "ignition_endpoint": text(hosted_cluster, "status", "ignitionEndpoint"),
        "payload_arch": text(hosted_cluster, "status", "payloadArch"),
        "kubeconfig_secret": text(hosted_cluster, "status", "kubeconfig", "name"),
        "conditions": [condition.as_dict() for condition in read_conditions(hosted_cluster).found.values()],
    }


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host and not host.startswith("[") else host
