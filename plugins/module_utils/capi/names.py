# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Define the finalizers, labels, annotations and Secret names that upstream's controller and this collection share, so
that each can continue the work of the other.

Source: openshift/cluster-api-provider-agent controllers/common.go.
"""

from __future__ import annotations

AGENT_MACHINE_FINALIZER = "agentmachine.agent-install.openshift.io/deprovision"
# There is no dot after "agentcluster": upstream uses this spelling.
AGENT_CLUSTER_FINALIZER = "agentclustercapi-provider.agent-install.openshift.io/deprovision"
# On an Agent: the AgentMachine that has reserved it.
RESERVED_LABEL = "agentMachineRef"
RESERVED_NAMESPACE = "agentMachineRefNamespace"
# On a ClusterDeployment: the name of its AgentCluster.
CLUSTER_LABEL = "agentClusterRef"
# On a Machine: its deletion waits before the host is released.
HOOK = "pre-terminate.delete.hook.machine.cluster.x-k8s.io/agentmachine"
BACKUP_LABEL = "cluster.open-cluster-management.io/backup"
WATCH_LABEL = "agent-install.openshift.io/watch"
PAUSED = "cluster.x-k8s.io/paused"
CLUSTER_NAME_LABEL = "cluster.x-k8s.io/cluster-name"
DEPLOYMENT_NAME_LABEL = "cluster.x-k8s.io/deployment-name"
SET_NAME_LABEL = "cluster.x-k8s.io/set-name"
TOKEN_KEY = "ignition-token"
BOOTSTRAP_KEY = "value"
ADMIN_KUBECONFIG = "admin-kubeconfig"
KUBECONFIG_KEY = "kubeconfig"
PROVIDER = "agent://"
LEASE_NAME = "7605f49b.agent-install.openshift.io"
# Where the upstream provider runs: under HyperShift in the namespace of the hosted control plane, else where its own
# components put it (10.2, 11).
HOSTED_DEPLOYMENT = "capi-provider"
PROVIDER_NAMESPACE = "cluster-api-provider-agent"
PROVIDER_DEPLOYMENT = "cluster-api-provider-agent-controller-manager"

# Ours, not upstream's. The Machine that an Agent served last, written when it is released: policy ``reuse`` gives it
# the host again.
LAST_MACHINE = "zerotouch.openshift/last-machine"
# Ours: the pool for which we put a label on an Agent, as <namespace>/<pool>, and that label.
SELECTED_FOR = "zerotouch.openshift/selected-for"
SELECTED_LABEL = "zerotouch.openshift/selected-label"
# When that was, by the clock of the hub.
SELECTED_AT = "zerotouch.openshift/selected-at"

# Longest value of a label; the name of an AgentMachine becomes one.
LONGEST_LABEL = 63


def token_secret(data_secret: str) -> str:
    """The Secret with the token that a host shows to the ignition endpoint."""
    return f"agent-{data_secret}"


def provider_id(agent: str) -> str:
    return f"{PROVIDER}{agent}"
