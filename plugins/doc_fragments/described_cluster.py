# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Document the options that describe the cluster which a module creates on a hub or at an assisted-service.

Their argument spec is in plugins/module_utils/deployment/described.py.
"""

from __future__ import annotations


class ModuleDocFragment:
    DOCUMENTATION = r"""
options:
  cluster:
    description: The cluster, as C(openshift_cluster) describes it (C(docs/schemas/cluster.schema.json)).
    type: dict
  hosts:
    description:
      - The hosts in inventory order, each an C(openshift_host) with C(inventory_name) and C(role). They give the number
        of hosts of each role.
      - Without hosts the numbers are C(control_plane.replicas), C(compute.replicas) and C(arbiter.replicas) of
        O(cluster).
    type: list
    elements: dict
    default: []
  config_dir:
    description: Directory with C(install-config.yaml), C(agent-config.yaml) and C(openshift/), instead of O(cluster)
      and O(hosts).
    type: path
  version:
    description: OpenShift version; wins over C(cluster.version). Required with O(config_dir).
    type: str
  release_image:
    description: Pullspec of the release image; wins over C(cluster.release_image).
    type: str
  checks:
    description: Severity of checks by name, V(error), V(warn) or V(off).
    type: dict
    default: {}
"""
