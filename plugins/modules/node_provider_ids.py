#!/usr/bin/python
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors

from __future__ import annotations

DOCUMENTATION = r"""
module: node_provider_ids
short_description: Set the provider IDs of Nodes from their AgentMachines
version_added: 0.1.0
author: the zerotouch.openshift authors (@zerotouch-openshift)
description:
  - Cluster API finds the Node of a Machine by its provider ID. A host that was installed through an Agent joins without
    a provider ID. The module sets it to C(agent://) and the name of the Agent, on the Node that the AgentMachine lists
    in its addresses.
  - Only AgentMachines that are ready count. A Node with another provider ID is not changed, because the field is
    immutable; the result reports a problem.
  - If the controller of the agent provider runs, it sets the provider IDs itself, and this module changes nothing.
notes:
  - On the hub the user needs C(list) on C(agentmachines) and, without O(workload_kubeconfig), C(get) on the Secret
    C(admin-kubeconfig) in O(namespace). In the workload cluster C(list) and C(patch) on C(nodes).
extends_documentation_fragment:
  - zerotouch.openshift.attributes
  - zerotouch.openshift.hub
attributes:
  check_mode:
    support: full
    details: The workload cluster tries each write without keeping it (server-side dry run).
  diff_mode:
    support: full
  idempotent:
    support: full
options:
  namespace:
    description: Namespace of the AgentMachines on the hub.
    type: str
    required: true
  workload_kubeconfig:
    description: Kubeconfig of the workload cluster; by default what the Secret C(admin-kubeconfig) in O(namespace)
      holds.
    type: path
  wait:
    description: Whether to wait until the Node of every AgentMachine that is ready has joined and has its provider ID.
    type: bool
    default: false
  timeout:
    description: Limit of the wait, in seconds.
    type: float
    default: 1800
requirements:
  - PyYAML
  - urllib3
"""

EXAMPLES = r"""
- name: Link the Nodes of a cluster to their Machines
  zerotouch.openshift.node_provider_ids:
    kubeconfig: ~/hub.kubeconfig
    namespace: clusters-c1
"""

RETURN = r"""
plan:
  description: What was written, or would be in check mode.
  returned: always
  type: list
  elements: str
nodes:
  description: The Nodes of AgentMachines that are ready.
  returned: always
  type: list
  elements: dict
  contains:
    name:
      description: Name of the Node.
      type: str
    provider_id:
      description: The provider ID that it is to have.
      type: str
    machine:
      description: The AgentMachine that says so.
      type: str
    state:
      description: V(set), V(written) or V(missing), where the Node has not joined.
      type: str
problems:
  description: What the user must correct, such as a Node with another provider ID, each with its text in C(detail).
  returned: always
  type: list
  elements: dict
"""

from typing import Any

from ansible_collections.zerotouch.openshift.plugins.module_utils.capi.node_ids import (
    node_ids_argument_spec,
    run_node_ids,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.entry_point import Call, run_module

OPTIONS = {"supports_check_mode": True}


def argument_spec() -> dict[str, Any]:
    return node_ids_argument_spec()


def run(call: Call) -> dict[str, Any]:
    return run_node_ids(call)


def main() -> None:
    run_module(argument_spec, OPTIONS, run)


if __name__ == "__main__":
    main()
