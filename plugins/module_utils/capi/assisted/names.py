# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Define annotations, labels and other names that the OpenShift Assisted providers, Cluster API and this collection
share.

Source: openshift-assisted/cluster-api-provider-openshift-assisted bootstrap/api/v1alpha2, controlplane/api/v1alpha3
(annotations), assistedinstaller/auth.go.
"""

from __future__ import annotations

DISCOVERY_IGNITION = "openshiftassistedconfig.cluster.x-k8s.io/discovery-ignition-override"
INSTALL_IGNITION = "openshiftassistedconfig.cluster.x-k8s.io/ignition-override"
INSTALL_CONFIG = "controlplane.cluster.x-k8s.io/install-config-override"
RELEASE_REPOSITORY = "cluster.x-k8s.io/release-image-repository-override"
# A MachineSet deletes Machines with it before the others (kubernetes-sigs/cluster-api
# api/core/v1beta2/machine_types.go).
DELETE_FIRST = "cluster.x-k8s.io/delete-machine"
CONTROL_PLANE_LABEL = "cluster.x-k8s.io/control-plane"
# One ConfigMap of this name in a namespace: written by the control plane provider, for all control planes there.
REGISTRY_OUTPUT = "additional-registry-config"
DEFAULT_REPOSITORY = "quay.io/openshift-release-dev/ocp-release"
# CAPM3 finds the Node of a BareMetalHost by this label (metal3-io/cluster-api-provider-metal3
# baremetal/metal3machine_manager.go).
METAL3_UUID = "metal3.io/uuid"
METAL3_UUID_LABEL = f"{METAL3_UUID}=$METADATA_UUID"
METAL3_NODE_NAME = "$METADATA_NAME"
# A pull secret that the providers take for releases that need none (OKD).
PLACEHOLDER_PULL_SECRET = '{"auths":{"fake-pull-secret":{"auth":"cGxhY2Vob2xkZXI6c2VjcmV0Cg=="}}}'

# Of this collection: which cluster and which of its pools a BareMetalHost and an NMStateConfig belong to.
CLUSTER_LABEL = "zerotouch.openshift/capi-cluster"
POOL_LABEL = "zerotouch.openshift/capi-pool"
NAMESPACE_LABEL = "zerotouch.openshift/namespace"
CONTROL_PLANE_POOL = "control-plane"
# On a control plane: how many workers its MachineDeployments have.
WORKERS = "zerotouch.openshift/workers"

# A Machine of the control plane is named <control plane>-<5 characters>; the name becomes the value of a label of
# Agents.
LONGEST_NAME = 54
LONGEST_POOL = 52


def pull_secret_name(cluster: str) -> str:
    """The Secret that this collection makes for a cluster."""
    return f"{cluster}-pull-secret"


def mirrors_name(cluster: str) -> str:
    """The ConfigMap with the mirrors that this collection makes for a cluster."""
    return f"{cluster}-mirrors"
