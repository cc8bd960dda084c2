# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Define the kinds that every Kubernetes cluster or every OpenShift cluster has. The kinds of a hub are in
hub/kinds.py.
"""

from __future__ import annotations

from .resource import Resource

VERSION = "/version"

CONFIG_MAP = Resource("", "v1", "ConfigMap", "configmaps")
NAMESPACE = Resource("", "v1", "Namespace", "namespaces", namespaced=False)
NODE = Resource("", "v1", "Node", "nodes", namespaced=False)
SECRET = Resource("", "v1", "Secret", "secrets")
LEASE = Resource("coordination.k8s.io", "v1", "Lease", "leases")
CLUSTER_OPERATOR = Resource("config.openshift.io", "v1", "ClusterOperator", "clusteroperators", namespaced=False)
CLUSTER_VERSION = Resource("config.openshift.io", "v1", "ClusterVersion", "clusterversions", namespaced=False)
ROUTE = Resource("route.openshift.io", "v1", "Route", "routes")
