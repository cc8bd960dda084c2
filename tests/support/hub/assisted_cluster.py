# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test data: OpenShift Assisted clusters as options of module assisted_control_plane."""

from __future__ import annotations

import base64
import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml
from ansible_collections.zerotouch.openshift.tests.support.hub.capi import Hub

NS = "site"
AUTH = base64.b64encode(b"user:password").decode()
PULL_SECRET = json.dumps({"auths": {"quay.io": {"auth": AUTH}}})
IMAGE = {
    "url": "http://images/rhcos-nutanix.qcow2",
    "checksum": "http://images/sha256sum.txt",
    "checksum_type": "sha256",
    "format": "qcow2",
}
METAL3 = {"image": IMAGE, "node_reuse": False, "automated_cleaning_mode": "disabled", "meta_data": None}


def host(number: int, pool: str = "control-plane", **more: Any) -> dict[str, Any]:
    bmc = {
        "address": f"redfish-virtualmedia+https://10.1.0.{number}/redfish/v1/Systems/1",
        "username": "admin",
        "password": f"secret-of-bmc-{number}",
    }
    mac = f"52:54:00:00:{number >> 8:02x}:{number & 255:02x}"
    return {
        "name": f"host-{number}",
        "pool": pool,
        "boot_mac_address": mac,
        "bmc": {**bmc, "validate_certs": False},
        **more,
    }


def pool(name: str = "workers", replicas: int | None = 2, **more: Any) -> dict[str, Any]:
    return {"name": name, "replicas": replicas, "labels": {}, "annotations": {}, **more}


def description(workers: int = 2, **more: Any) -> dict[str, Any]:
    """A cluster with three control plane machines and ``workers`` in one pool."""
    hosts = [host(number) for number in range(1, 4)] + [host(number, "workers") for number in range(4, 4 + workers)]
    return {
        "name": "c1",
        "namespace": NS,
        "version": "4.20.3",
        "base_domain": "lab.example",
        "api_vips": ["192.0.2.40"],
        "ingress_vips": ["192.0.2.41"],
        "pull_secret": PULL_SECRET,
        "ssh_public_keys": ["ssh-ed25519 AAAA core"],
        "control_plane": {"replicas": 3, "labels": {}, "annotations": {}},
        "machine_deployments": [pool(replicas=workers)],
        "infrastructure": "metal3",
        "metal3": METAL3,
        "hosts": hosts,
        **more,
    }


GROUPS = {
    "controlplane.cluster.x-k8s.io": {
        "v1alpha3": ["OpenshiftAssistedControlPlane"],
        "v1alpha2": ["OpenshiftAssistedControlPlane"],
    },
    "bootstrap.cluster.x-k8s.io": {
        "v1alpha2": ["OpenshiftAssistedConfigTemplate"],
        "v1alpha1": ["OpenshiftAssistedConfigTemplate"],
    },
    "infrastructure.cluster.x-k8s.io": {"v1beta2": ["Metal3MachineTemplate"], "v1beta1": ["Metal3MachineTemplate"]},
    "metal3.io": {"v1alpha1": ["BareMetalHost"]},
}


class AssistedHub(Hub):
    """A hub in memory with the OpenShift Assisted providers and Cluster API Provider Metal3.

    ``schemas`` are those that it serves, by group and version.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.kinds = copy.deepcopy(GROUPS)
        self.schemas: dict[str, dict[str, Any]] = {}
        self.put("namespaces", {"metadata": {"name": NS}})

    def get(self, path: str, **params: str) -> dict[str, Any]:
        if path.startswith("/openapi/v3/apis/"):
            names = path.removeprefix("/openapi/v3/apis/")
            group, _slash, version = names.partition("/")
            known = {"group": group, "version": version}
            rows = {
                kind: {**schema, "x-kubernetes-group-version-kind": [{**known, "kind": kind}]}
                for kind, schema in self.schemas.get(names, {}).items()
            }
            return {"components": {"schemas": rows}}
        parts = path.strip("/").split("/")
        if parts[0] == "apis" and len(parts) == 3 and parts[1] in self.kinds:
            return {
                "resources": [
                    {"name": f"{kind.lower()}s", "kind": kind, "namespaced": True}
                    for kind in self.kinds[parts[1]].get(parts[2], [])
                ]
            }
        self.groups |= {group: list(versions) for group, versions in self.kinds.items()}
        for group in GROUPS.keys() - self.kinds.keys():
            self.groups.pop(group, None)
        return super().get(path, **params)

    def state(self, state: str, **spec: Any) -> None:
        """The AgentClusterInstall of the cluster, in a state of assisted-service."""
        conditions = [{"type": "Completed", "status": str(state == "adding-hosts"), "reason": "x", "message": ""}]
        secrets = {
            "adminKubeconfigSecretRef": {"name": "c1-admin-kubeconfig"},
            "adminPasswordSecretRef": {"name": "c1-admin-password"},
        }
        status = {"debugInfo": {"state": state}, "conditions": conditions}
        self.put(
            "agentclusterinstalls",
            {
                "metadata": {"name": "c1", "namespace": NS},
                "spec": {"clusterMetadata": secrets, **spec},
                "status": status,
            },
        )

    def ready(self) -> None:
        """What the controllers write once everything is done."""
        plane = self.at("openshiftassistedcontrolplanes", "c1", NS)
        count = plane["spec"]["replicas"]
        counts = {
            "replicas": count,
            "readyReplicas": count,
            "distributionVersion": plane["spec"]["distributionVersion"],
        }
        self.change(
            "openshiftassistedcontrolplanes",
            "c1",
            {"status": {**counts, "observedGeneration": plane["metadata"]["generation"]}},
            NS,
        )
        for kind, _namespace, name in list(self.objects):
            if kind == "machinedeployments":
                item = self.at(kind, name, NS)
                status = dict.fromkeys(("replicas", "availableReplicas", "upToDateReplicas"), item["spec"]["replicas"])
                self.change(
                    kind, name, {"status": {**status, "observedGeneration": item["metadata"]["generation"]}}, NS
                )


# Contracts of Cluster API, which upstream's releases add to the definitions.
CONTRACTS = {
    "controlplane.cluster.x-k8s.io": {"v1beta1": "v1alpha2", "v1beta2": "v1alpha3"},
    "bootstrap.cluster.x-k8s.io": {"v1beta1": "v1alpha1", "v1beta2": "v1alpha2"},
    "infrastructure.cluster.x-k8s.io": {"v1beta1": "v1beta1", "v1beta2": "v1beta2"},
}


def definitions(crds: Path) -> Iterator[dict[str, Any]]:
    """Upstream's definitions of all that a hub with the providers has, as its releases label them."""
    for folder in ("cluster-api", "hive", "assisted-service", "metal3", "openshift-assisted"):
        for path in sorted((crds / folder).glob("*.yaml")):
            found = yaml.safe_load(path.read_text())
            contracts = CONTRACTS.get(found["spec"]["group"], {})
            found["metadata"]["labels"] = {
                f"cluster.x-k8s.io/{contract}": version for contract, version in contracts.items()
            }
            yield found
