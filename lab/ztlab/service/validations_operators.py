# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Run the validations of category ``operators``. The lab does not check the requirements of operators: each validation
succeeds, and its message depends on whether the operator was selected.
"""

from __future__ import annotations

import functools

from .model import Cluster
from .scene import Verdict

# validation prefix -> (name among the monitored operators, name in messages)
OPERATORS = {
    "lso": ("lso", "Local Storage"),
    "odf": ("odf", "OpenShift Data Foundation"),
    "cnv": ("cnv", "OpenShift Virtualization"),
    "lvm": ("lvm", "Logical Volume Management"),
    "mce": ("mce", "multicluster engine"),
    "mtv": ("mtv", "Migration Toolkit for Virtualization"),
    "osc": ("osc", "OpenShift sandboxed containers"),
    "node-feature-discovery": ("node-feature-discovery", "Node Feature Discovery"),
    "nvidia-gpu": ("nvidia-gpu", "NVIDIA GPU"),
    "pipelines": ("pipelines", "OpenShift Pipelines"),
    "servicemesh": ("servicemesh", "OpenShift Service Mesh"),
    "serverless": ("serverless", "OpenShift Serverless"),
    "openshift-ai": ("openshift-ai", "OpenShift AI"),
    "authorino": ("authorino", "Authorino"),
    "nmstate": ("nmstate", "NMState"),
    "amd-gpu": ("amd-gpu", "AMD GPU"),
    "kmm": ("kmm", "Kernel Module Management"),
    "node-healthcheck": ("node-healthcheck", "Node Healthcheck"),
    "self-node-remediation": ("self-node-remediation", "Self Node Remediation"),
    "fence-agents-remediation": ("fence-agents-remediation", "Fence Agents Remediation"),
    "node-maintenance": ("node-maintenance", "Node Maintenance"),
    "kube-descheduler": ("kube-descheduler", "Kube Descheduler"),
    "cluster-observability": ("cluster-observability", "Cluster Observability"),
    "numa-resources": ("numaresources", "NUMA Resources"),
    "oadp": ("oadp", "OADP"),
    "metallb": ("metallb", "MetalLB"),
    "loki": ("loki", "Loki"),
    "openshift-logging": ("openshift-logging", "OpenShift Logging"),
}


def operator_verdicts(cluster: Cluster, *, for_host: bool) -> list[Verdict]:
    """One verdict per operator of the catalogue."""
    return list(_verdicts_for(frozenset(cluster.operators), for_host))


@functools.lru_cache
def _verdicts_for(operators: frozenset[str], for_host: bool) -> tuple[Verdict, ...]:
    found = []
    for prefix, (name, title) in sorted(OPERATORS.items()):
        chosen = name in operators
        place = "Host" if for_host else "Cluster"
        text = f"{place} meets the requirements of {title}" if chosen else f"{name} is disabled"
        found.append(Verdict(f"{prefix}-requirements-satisfied", "success", text))
    return tuple(found)
