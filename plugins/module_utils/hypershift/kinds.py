# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Define the HyperShift kinds that this collection reads or writes.

Source: openshift/hypershift hypershift-operator/controllers/manifests,
  hypershift-operator/controllers/hostedcluster/internal/platform/agent/agent.go.
"""

from __future__ import annotations

from ..kube.resource import Resource

_HYPERSHIFT = ("hypershift.openshift.io", "v1beta1")

HOSTED_CLUSTER = Resource(*_HYPERSHIFT, "HostedCluster", "hostedclusters")
NODE_POOL = Resource(*_HYPERSHIFT, "NodePool", "nodepools")
