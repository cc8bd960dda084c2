# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Define the kinds, labels, annotations and finalizers that the hub's operators use.

Source: openshift/assisted-service api/v1beta1, api/hiveextension/v1beta1, internal/controller/controllers.
"""

from __future__ import annotations

import dataclasses
from typing import Any

Object = dict[str, Any]
Key = tuple[str, str]  # (namespace, name); namespace "" for cluster-scoped objects


@dataclasses.dataclass(frozen=True)
class Kind:
    """A Kubernetes kind, with the values that its API path contains."""

    group: str
    version: str
    kind: str
    plural: str
    namespaced: bool = True

    @property
    def api_version(self) -> str:
        return f"{self.group}/{self.version}" if self.group else self.version

    def path(self, namespace: str = "", name: str = "", subresource: str = "") -> str:
        """Path below the server; without namespace that of the whole cluster."""
        root = f"/apis/{self.group}/{self.version}" if self.group else f"/api/{self.version}"
        where = f"/namespaces/{namespace}" if self.namespaced and namespace else ""
        return (
            root + where + f"/{self.plural}" + (f"/{name}" if name else "") + (f"/{subresource}" if subresource else "")
        )


AGENT_INSTALL = "agent-install.openshift.io"
INFRA_ENV = Kind(AGENT_INSTALL, "v1beta1", "InfraEnv", "infraenvs")
NMSTATE_CONFIG = Kind(AGENT_INSTALL, "v1beta1", "NMStateConfig", "nmstateconfigs")
AGENT = Kind(AGENT_INSTALL, "v1beta1", "Agent", "agents")
AGENT_CLASSIFICATION = Kind(AGENT_INSTALL, "v1beta1", "AgentClassification", "agentclassifications")
CLUSTER_INSTALL = Kind("extensions.hive.openshift.io", "v1beta1", "AgentClusterInstall", "agentclusterinstalls")
CLUSTER_DEPLOYMENT = Kind("hive.openshift.io", "v1", "ClusterDeployment", "clusterdeployments")
CLUSTER_IMAGE_SET = Kind("hive.openshift.io", "v1", "ClusterImageSet", "clusterimagesets", namespaced=False)
BARE_METAL_HOST = Kind("metal3.io", "v1alpha1", "BareMetalHost", "baremetalhosts")
PREPROVISIONING_IMAGE = Kind("metal3.io", "v1alpha1", "PreprovisioningImage", "preprovisioningimages")
SECRET = Kind("", "v1", "Secret", "secrets")
CONFIG_MAP = Kind("", "v1", "ConfigMap", "configmaps")
NAMESPACE = Kind("", "v1", "Namespace", "namespaces", namespaced=False)
NODE = Kind("", "v1", "Node", "nodes", namespaced=False)
CSR = Kind("certificates.k8s.io", "v1", "CertificateSigningRequest", "certificatesigningrequests", namespaced=False)

INFRA_ENV_LABEL = "infraenvs.agent-install.openshift.io"
BMH_LABEL = "agent-install.openshift.io/bmh"
CLUSTER_NAMESPACE_LABEL = "agent-install.openshift.io/clusterdeployment-namespace"
WATCH_LABELS = {"agent-install.openshift.io/watch": "true", "cluster.open-cluster-management.io/backup": "true"}
BACKUP_LABELS = {"cluster.open-cluster-management.io/backup": "true"}
CLASSIFICATION_LABEL = "agentclassification.agent-install.openshift.io/"
INVENTORY_LABEL = "inventory.agent-install.openshift.io/"
CREDENTIALS_CLUSTER_LABEL = "hive.openshift.io/cluster-deployment-name"
CREDENTIALS_TYPE_LABEL = "hive.openshift.io/secret-type"

STATE_ANNOTATION = "agent.agent-install.openshift.io/"
SKIP_SPOKE_CLEANUP = "agent.agent-install.openshift.io/skip-spoke-cleanup"
INHERITED_LABELS = "agent.agent-install.openshift.io/inherited-node-labels"
PROPAGATE_LABELS = "infraenv.agent-install.openshift.io/propagate-node-labels"
IRONIC_ANNOTATION = "infraenv.agent-install.openshift.io/enable-ironic-agent"
OVERRIDES_ANNOTATION = "agent-install.openshift.io/install-config-overrides"
IGNORED_CLUSTER = "agent-install.openshift.io/ignored-cluster-validations"
IGNORED_HOST = "agent-install.openshift.io/ignored-host-validations"
PAUSE_ANNOTATION = "hive.openshift.io/reconcile-pause"

INFRA_ENV_FINALIZER = "infraenv.agent-install.openshift.io/ai-deprovision"
AGENT_FINALIZER = "agent.agent-install.openshift.io/ai-deprovision"
CLUSTER_INSTALL_FINALIZER = "agentclusterinstall.agent-install.openshift.io/ai-deprovision"
CLUSTER_DEPLOYMENT_FINALIZER = "clusterdeployments.agent-install.openshift.io/ai-deprovision"
CLASSIFICATION_FINALIZER = "agentclassification.agent-install.openshift.io"
BMAC_FINALIZER = "bmac.agent-install.openshift.io/deprovision"
PREPROVISIONING_FINALIZER = "preprovisioningimage.agent-install.openshift.io/ai-deprovision"


def key_of(item: Object) -> Key:
    metadata = item["metadata"]
    return metadata.get("namespace") or "", metadata["name"]


def labels_of(item: Object) -> dict[str, str]:
    return dict(item["metadata"].get("labels") or {})


def annotations_of(item: Object) -> dict[str, str]:
    return dict(item["metadata"].get("annotations") or {})


def deleting(item: Object) -> bool:
    return bool(item["metadata"].get("deletionTimestamp"))


def owner(item: Object, kind: Kind, *, block: bool = False) -> Object:
    """An ownerReference to an object."""
    metadata = item["metadata"]
    reference: Object = {
        "apiVersion": kind.api_version,
        "kind": kind.kind,
        "name": metadata["name"],
        "uid": metadata["uid"],
    }
    return {**reference, "blockOwnerDeletion": True} if block else reference
