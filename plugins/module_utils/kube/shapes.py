# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Define the types of the fields that the collection reads in Kubernetes objects, by the plural name of their kind.

Sources: kubernetes/kubernetes ``staging/src/k8s.io/apimachinery/pkg/apis/meta/v1/types.go``; the Go types that each
table names.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..common.shape import Shape

_TEXTS = {"*": str}
CONDITIONS = [{"type": str, "status": str, "reason": str, "message": str, "lastTransitionTime": str}]
OBJECT: Shape = {
    "apiVersion": str,
    "kind": str,
    "metadata": {
        "name": str,
        "namespace": str,
        "uid": str,
        "resourceVersion": str,
        "generation": int,
        "labels": _TEXTS,
        "annotations": _TEXTS,
        "finalizers": [str],
        "ownerReferences": [{"apiVersion": str, "kind": str, "name": str, "uid": str, "controller": bool}],
        "creationTimestamp": str,
        "deletionTimestamp": str,
    },
    "spec": dict,
    "status": {"conditions": CONDITIONS},
}
_NAMED = {"name": str, "namespace": str}
_SELECTOR = {"matchLabels": _TEXTS}
_VALIDATIONS = {"*": [{"id": str, "status": str, "message": str}]}
# openshift/assisted-service api/v1beta1/agent_types.go
_INVENTORY = {
    "hostname": str,
    "bmcAddress": str,
    "bmcV6Address": str,
    "interfaces": [{"name": str, "macAddress": str, "ipV4Addresses": [str], "ipV6Addresses": [str], "flags": [str]}],
    "disks": [{"installationEligibility": {"eligible": bool, "notEligibleReasons": [str]}}],
    "memory": dict,
    "cpu": dict,
    "boot": dict,
    "systemVendor": {"serialNumber": str, "manufacturer": str, "productName": str},
}
_AGENT = {
    "spec": {
        "clusterDeploymentName": _NAMED,
        "approved": bool,
        "role": str,
        "hostname": str,
        "installation_disk_id": str,
        "nodeLabels": _TEXTS,
    },
    "status": {
        "inventory": _INVENTORY,
        "validationsInfo": _VALIDATIONS,
        "debugInfo": _TEXTS,
        "progress": dict,
        "role": str,
        "bootstrap": bool,
    },
}
# openshift/assisted-service api/v1beta1/infraenv_types.go
_INFRA_ENV = {
    "spec": {
        "clusterRef": _NAMED,
        "pullSecretRef": _NAMED,
        "nmStateConfigLabelSelector": _SELECTOR,
        "agentLabels": _TEXTS,
        "proxy": dict,
    },
    "status": {
        "isoDownloadURL": str,
        "createdTime": str,
        "debugInfo": _TEXTS,
        "bootArtifacts": dict,
        "agentLabelSelector": _SELECTOR,
    },
}
_METADATA_OF_CLUSTER = {
    "clusterID": str,
    "infraID": str,
    "adminKubeconfigSecretRef": _NAMED,
    "adminPasswordSecretRef": _NAMED,
}
# openshift/assisted-service api/hiveextension/v1beta1/agentclusterinstall_types.go
_AGENT_CLUSTER_INSTALL = {
    "spec": {
        "clusterDeploymentRef": _NAMED,
        "clusterMetadata": _METADATA_OF_CLUSTER,
        "provisionRequirements": {"controlPlaneAgents": int, "workerAgents": int, "arbiterAgents": int},
        "imageSetRef": _NAMED,
        "networking": dict,
    },
    "status": {"debugInfo": _TEXTS, "progress": {"totalPercentage": int}, "validationsInfo": _VALIDATIONS},
}
# openshift/hive apis/hive/v1/clusterdeployment_types.go
_CLUSTER_DEPLOYMENT = {
    "spec": {
        "clusterName": str,
        "baseDomain": str,
        "installed": bool,
        "clusterInstallRef": {"group": str, "kind": str, "name": str, "version": str},
        "clusterMetadata": _METADATA_OF_CLUSTER,
        "pullSecretRef": _NAMED,
        "platform": dict,
    }
}
# openshift/hypershift api/hypershift/v1beta1
_HOSTED_CLUSTER = {
    "spec": {"release": {"image": str}},
    "status": {
        "kubeconfig": _NAMED,
        "kubeadminPassword": _NAMED,
        "controlPlaneEndpoint": {"host": str, "port": int},
        "version": {"desired": dict, "history": [{"state": str, "version": str, "image": str}]},
    },
}
_NODE_POOL = {
    "spec": {
        "clusterName": str,
        "replicas": int,
        "autoScaling": {"min": int, "max": int},
        "management": {"upgradeType": str, "replace": dict},
    },
    "status": {"replicas": int},
}
_ADDRESSES = [{"type": str, "address": str}]
SHAPES: Mapping[str, Any] = {
    "agents": _AGENT,
    "infraenvs": _INFRA_ENV,
    "agentclusterinstalls": _AGENT_CLUSTER_INSTALL,
    "clusterdeployments": _CLUSTER_DEPLOYMENT,
    "hostedclusters": _HOSTED_CLUSTER,
    "nodepools": _NODE_POOL,
    "nodes": {
        "spec": {"providerID": str, "unschedulable": bool, "taints": [dict]},
        "status": {"addresses": _ADDRESSES, "nodeInfo": dict},
    },
    "certificatesigningrequests": {
        "spec": {"request": str, "signerName": str, "username": str, "groups": [str], "usages": [str]}
    },
    "secrets": {"data": _TEXTS, "type": str},
    "configmaps": {"data": _TEXTS},
    # openshift/api config/v1/types_cluster_version.go, route/v1/types.go
    "clusterversions": {"status": {"desired": {"version": str}, "history": [dict]}},
    "routes": {"status": {"ingress": [{"host": str, "conditions": CONDITIONS}]}},
    # kubernetes/kubernetes staging/src/k8s.io/api: apps/v1/types.go, coordination/v1/types.go
    "deployments": {
        "spec": {"template": {"spec": {"containers": [{"command": [str], "args": [str]}]}}},
        "status": {"readyReplicas": int},
    },
    "leases": {"spec": {"holderIdentity": str, "leaseDurationSeconds": int, "renewTime": str}},
    # metal3-io/baremetal-operator apis/metal3.io/v1alpha1/baremetalhost_types.go
    "baremetalhosts": {
        "spec": {
            "bmc": {"address": str, "credentialsName": str},
            "bootMACAddress": str,
            "online": bool,
            "consumerRef": dict,
        },
        "status": {"provisioning": dict, "errorMessage": str, "poweredOn": bool, "operationalStatus": str},
    },
    # kubernetes-sigs/cluster-api api/core/v1beta1, openshift/cluster-api-provider-agent api/v1beta1
    "machines": {
        "spec": {"infrastructureRef": dict, "bootstrap": {"dataSecretName": str}, "providerID": str},
        "status": {"nodeRef": _NAMED},
    },
    "machinedeployments": {
        "spec": {"replicas": int},
        "status": {
            "replicas": int,
            "availableReplicas": int,
            "upToDateReplicas": int,
            "updatedReplicas": int,
            "phase": str,
        },
    },
    "agentmachines": {
        "spec": {"providerID": str, "agentLabelSelector": dict},
        "status": {"agentRef": _NAMED, "addresses": _ADDRESSES, "ready": bool},
    },
}


def shape_of(plural: str) -> Shape:
    """The shape of a kind; of kinds without an entry in the table nothing more than :data:`OBJECT` is known."""
    shape: Shape = SHAPES.get(plural, {})
    return shape
