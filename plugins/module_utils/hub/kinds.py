# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Define the kinds of objects on a hub that this collection reads or writes.

Source: openshift/assisted-service api/v1beta1, api/hiveextension/v1beta1.
"""

from __future__ import annotations

from ..kube import paths
from ..kube.resource import Resource

_AGENT_INSTALL = ("agent-install.openshift.io", "v1beta1")

AGENT = Resource(*_AGENT_INSTALL, "Agent", "agents")
INFRA_ENV = Resource(*_AGENT_INSTALL, "InfraEnv", "infraenvs")
NMSTATE_CONFIG = Resource(*_AGENT_INSTALL, "NMStateConfig", "nmstateconfigs")
AGENT_CLUSTER_INSTALL = Resource(
    "extensions.hive.openshift.io", "v1beta1", "AgentClusterInstall", "agentclusterinstalls"
)
CLUSTER_DEPLOYMENT = Resource("hive.openshift.io", "v1", "ClusterDeployment", "clusterdeployments")
CLUSTER_IMAGE_SET = Resource("hive.openshift.io", "v1", "ClusterImageSet", "clusterimagesets", namespaced=False)
BARE_METAL_HOST = Resource("metal3.io", "v1alpha1", "BareMetalHost", "baremetalhosts")
SECRET = paths.SECRET
CONFIG_MAP = paths.CONFIG_MAP
NAMESPACE = paths.NAMESPACE
NODE = paths.NODE
