# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Compute the installation stages of hosts, and the progress of hosts and clusters in percent.

Source: openshift/assisted-service internal/host/common.go, internal/host/host.go.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from .bodies import FINALIZING_STAGES
from .model import Cluster, Host

_START = ("Starting installation", "Installing")
_WRITE = ("Writing image to disk", "Copying registry data to disk")
BOOTSTRAP = (
    *_START,
    *_WRITE,
    "Waiting for control plane",
    "Waiting for bootkube",
    "Waiting for controller",
    "Rebooting",
    "Configuring",
    "Joined",
    "Done",
)
MASTER = (*_START, *_WRITE, "Rebooting", "Configuring", "Joined", "Done")
WORKER = (
    *_START,
    "Writing image to disk",
    "Waiting for control plane",
    "Rebooting",
    "Waiting for ignition",
    "Configuring",
    "Joined",
    "Done",
)
SINGLE_NODE = (*_START, "Waiting for bootkube", *_WRITE, "Rebooting", "Joined", "Done")
DAY2 = WORKER[: WORKER.index("Rebooting") + 1] + ("Done",)
# A service with a Kubernetes API sees the node join.
DAY2_SEEN = (*DAY2[:-1], "Joined", "Done")


def stages(host: Host, cluster: Cluster | None) -> tuple[str, ...]:
    """The stages of a host, by role; empty while the role is open."""
    if host.day2:
        return DAY2_SEEN if cluster is not None and cluster.kube_key[1] else DAY2
    if cluster is not None and cluster.single_node:
        return SINGLE_NODE
    if host.bootstrap:
        return BOOTSTRAP
    return {"master": MASTER, "arbiter": MASTER, "worker": WORKER}.get(host.effective_role, ())


def host_percentage(stage: str, all_stages: Sequence[str]) -> int:
    """Truncated share of the stages that have been reached."""
    return 100 * (all_stages.index(stage) + 1) // len(all_stages) if stage in all_stages else 0


def preparing_percentage(cluster: Cluster) -> int:
    return (
        100
        if cluster.status
        in ("installing", "installing-pending-user-action", "finalizing", "installed", "error", "cancelled")
        else 0
    )


def installing_percentage(hosts: Iterable[Host], cluster: Cluster) -> int:
    done = whole = 0
    for host in hosts:
        own = stages(host, cluster)
        whole += len(own)
        done += own.index(host.progress.stage) + 1 if host.progress.stage in own else 0
    return 100 * done // whole if whole else 0


def finalizing_percentage(cluster: Cluster) -> int:
    if cluster.finalizing_stage not in FINALIZING_STAGES:
        return 0
    return 100 * (FINALIZING_STAGES.index(cluster.finalizing_stage) + 1) // len(FINALIZING_STAGES)


def total_percentage(preparing: int, installing: int, finalizing: int, status: str) -> int:
    """At most 95 until the cluster is installed."""
    return 100 if status == "installed" else int(0.1 * preparing + 0.7 * installing + 0.15 * finalizing)
