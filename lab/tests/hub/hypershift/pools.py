# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test data: NodePools and HostedClusters as users write them."""

from __future__ import annotations

from typing import Any

from ztlab.hub.names import Object

RELEASE = "quay.io/openshift-release-dev/ocp-release:4.22.0-x86_64"
HUB = "10.0.0.5"


def pool(name: str = "pool", upgrade: str = "InPlace", **spec: Any) -> Object:
    management = {
        "upgradeType": upgrade,
        "autoRepair": False,
        "replace": {"strategy": "RollingUpdate", "rollingUpdate": {"maxSurge": 1, "maxUnavailable": 0}},
    }
    made: Object = {
        "clusterName": "guest",
        "release": {"image": RELEASE},
        "platform": {"type": "Agent", "agent": {"agentLabelSelector": {"matchLabels": {"size": "large"}}}},
        "management": management,
        "arch": "amd64",
    }
    return {"metadata": {"namespace": "clusters", "name": name, "generation": 3}, "spec": made | spec}


def service(name: str, kind: str = "NodePort", **more: Any) -> Object:
    members = {
        "NodePort": {"nodePort": {"address": HUB} | more},
        "LoadBalancer": {"loadBalancer": more},
        "Route": {"route": more},
    }[kind]
    return {
        "service": name,
        "servicePublishingStrategy": {"type": kind} | {member: value for member, value in members.items() if value},
    }


def hosted(name: str = "guest", **spec: Any) -> Object:
    made: Object = {
        "release": {"image": RELEASE},
        "pullSecret": {"name": "pull-secret"},
        "dns": {"baseDomain": "example.com"},
        "networking": {
            "networkType": "OVNKubernetes",
            "clusterNetwork": [{"cidr": "10.132.0.0/14"}],
            "serviceNetwork": [{"cidr": "172.31.0.0/16"}],
        },
        "etcd": {
            "managementType": "Managed",
            "managed": {"storage": {"type": "PersistentVolume", "persistentVolume": {"size": "8Gi"}}},
        },
        "platform": {"type": "Agent", "agent": {"agentNamespace": "edge"}},
        "services": [service(title) for title in ("APIServer", "Ignition", "Konnectivity", "OAuthServer", "OIDC")],
    }
    return {"metadata": {"namespace": "clusters", "name": name, "generation": 1}, "spec": made | spec}


def condition_of(item: Object, kind: str) -> Object:
    """{} when there is none."""
    return next(
        (dict(entry) for entry in (item.get("status") or {}).get("conditions") or [] if entry["type"] == kind), {}
    )
