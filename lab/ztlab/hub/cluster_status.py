# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Render the status of an AgentClusterInstall from its cluster in the assisted-service. Pure functions.

Source: openshift/assisted-service internal/controller/controllers/clusterdeployments_controller.go.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from ..service.model import Cluster, Host
from .agent_status import validations
from .cluster_spec import PLATFORM_TYPES
from .conditions import Condition, merge
from .conditions.cluster import Count


def counted(hosts: Sequence[Host]) -> Count:
    """Hosts by (suggested) role."""
    roles = ["master" if host.bootstrap else host.effective_role for host in hosts]
    return Count(roles.count("master"), roles.count("arbiter"), roles.count("worker"))


def cluster_status(
    previous: Mapping[str, Any],
    view: Mapping[str, Any],
    cluster: Cluster,
    conditions: Sequence[Condition],
    now: str,
    urls: Mapping[str, str],
) -> dict[str, Any]:
    """The whole status. ``view``: the cluster as the service's API shows it."""
    api, ingress = cluster.vips("api_vips"), cluster.vips("ingress_vips")
    shown: dict[str, Any] = {
        "conditions": merge(previous.get("conditions"), conditions, now, probed=True),
        "debugInfo": {"state": cluster.status, "stateInfo": cluster.status_info, **urls},
        "progress": {"totalPercentage": int(view["progress"].get("total_percentage", 0))},
        "validationsInfo": validations(cluster.verdicts),
        "machineNetwork": [{"cidr": cidr} for cidr in cluster.machine_networks],
        "connectivityMajorityGroups": str(view.get("connectivity_majority_groups") or ""),
        "apiVIP": api[0] if api else "",
        "apiVIPs": api,
        "ingressVIP": ingress[0] if ingress else "",
        "ingressVIPs": ingress,
        "platformType": PLATFORM_TYPES.get((cluster.fields.get("platform") or {}).get("type", ""), ""),
    }
    kept = {name: value for name, value in shown.items() if value not in ("", [], {})}
    return {**kept, "userManagedNetworking": cluster.user_managed_networking}


def ignored(annotations: Mapping[str, str], key: str) -> str:
    """An annotation of validations to ignore as the service takes it: a JSON list, "" without the annotation.

    Raises ValueError.

    After annotationToIgnoredJSON of openshift/assisted-service
    internal/controller/controllers/clusterdeployments_controller.go.
    """
    if key not in annotations:
        return ""
    text = annotations[key].strip()
    names = [name.strip() for name in text.split(",")] if text else []
    if not all(names):
        lead = (
            f"Failed to parse '{key}' annotation: annotation \"{key}\": failed to parse comma-separated validation IDs"
        )
        raise ValueError(f"{lead}: empty ignored validation ID found in '{text}'")
    return json.dumps(list(dict.fromkeys(names)), separators=(",", ":"))
