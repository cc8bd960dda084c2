# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Labels, annotations, finalizers and fixed names of OpenShift Assisted's providers.

Source: openshift-assisted/cluster-api-provider-openshift-assisted bootstrap/api, controlplane/api.
"""

from __future__ import annotations

import hashlib

from ..kinds import CORE

CONFIG_FINALIZER = "openshiftassistedconfig.bootstrap.cluster.x-k8s.io/deprovision"
PLANE_FINALIZER = "openshiftassistedcontrolplane.controlplane.cluster.x-k8s.io/deprovision"
CONFIG_LABEL = "bootstrap.cluster.x-k8s.io/openshiftAssistedConfig"
CONTROL_PLANE_LABEL = f"{CORE}/control-plane"
CONTROL_PLANE_NAME_LABEL = f"{CORE}/control-plane-name"
CONSUMER_LABEL = "agentclusterinstalls.agent-install.openshift.io/consumer"

DISCOVERY_OVERRIDE = "openshiftassistedconfig.cluster.x-k8s.io/discovery-ignition-override"
IGNITION_OVERRIDE = "openshiftassistedconfig.cluster.x-k8s.io/ignition-override"
INSTALL_CONFIG_OVERRIDE = "controlplane.cluster.x-k8s.io/install-config-override"
REPOSITORY_OVERRIDE = f"{CORE}/release-image-repository-override"
CONVERSION_DATA = f"{CORE}/conversion-data"
BMAC_ROLE = "bmac.agent-install.openshift.io/role"

PLACEHOLDER_SECRET = "placeholder-pull-secret"
PLACEHOLDER = '{"auths":{"fake-pull-secret":{"auth":"cGxhY2Vob2xkZXI6c2VjcmV0Cg=="}}}'
REGISTRY_CONFIG = "additional-registry-config"
SECRET_TYPE = f"{CORE}/secret"
PULL_SECRET_KEY = ".dockerconfigjson"
LONGEST_LABEL = 63


def plane_labels(name: str) -> dict[str, str]:
    """The labels of everything that belongs to one control plane; a name that is no label value is hashed."""
    value = name if len(name) <= LONGEST_LABEL else f"hash_{hashlib.sha256(name.encode()).hexdigest()[:16]}_z"
    return {CONTROL_PLANE_LABEL: "", CONTROL_PLANE_NAME_LABEL: value}
