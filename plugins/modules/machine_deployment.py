#!/usr/bin/python
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors

from __future__ import annotations

DOCUMENTATION = r"""
module: machine_deployment
short_description: Scale a MachineDeployment of Agents, and take chosen hosts out of it
version_added: 0.1.0
author: the zerotouch.openshift authors (@zerotouch-openshift)
description:
  - Sets the number of replicas of an existing MachineDeployment of Cluster API. M(zerotouch.openshift.capi_cluster)
    creates MachineDeployments. Scale pools of hosted clusters with M(zerotouch.openshift.node_pool) instead, because
    HyperShift would revert the change.
  - With O(remove) exactly the Machines of the named hosts are deleted. The module annotates them, then lowers the
    number of replicas. It fails while a rollout runs. Hosts that have left already are ignored.
notes:
  - "Permissions: C(get), C(patch), C(list) and C(watch) on C(machinedeployments), C(list), C(watch) and C(patch) on
    C(machines) (cluster.x-k8s.io), C(list) and C(watch) on C(agentmachines), C(get) on C(agentmachinetemplates)
    (capi-provider.agent-install.openshift.io) in O(namespace); C(list) and C(watch) on C(agents) in
    O(agent_namespace)."
extends_documentation_fragment:
  - zerotouch.openshift.attributes
  - zerotouch.openshift.hub
attributes:
  check_mode:
    support: full
    details: The hub tries each write without keeping it (server-side dry run). Nothing is waited for.
  diff_mode:
    support: full
  idempotent:
    support: full
options:
  name:
    description: Its name.
    type: str
    required: true
  namespace:
    description: Its namespace.
    type: str
    required: true
  agent_namespace:
    description: The namespace of the Agents.
    type: str
    required: true
  replicas:
    description: Desired number of Machines; by default as many as now, less what O(remove) names.
    type: int
  remove:
    description:
      - Hosts to be taken out, each by its hostname or the name of its Machine, Agent or Node. O(replicas), if given
        too, must not be more than what is left.
    type: list
    elements: str
    default: []
  wait_for:
    description: What to wait for. V(accepted), Cluster API has made so many Machines, or told the others to go;
      V(replicas), these are gone; V(ready), besides all that stay run.
    type: str
    choices: [none, accepted, replicas, ready]
    default: none
  timeout:
    description: Limit of O(wait_for) in seconds.
    type: float
    default: 3600
seealso:
  - module: zerotouch.openshift.node_pool_plan
  - module: zerotouch.openshift.capi_reconcile
"""

EXAMPLES = r"""
- name: Remove one host from the MachineDeployment
  zerotouch.openshift.machine_deployment:
    kubeconfig: ~/hub.kubeconfig
    namespace: edge
    name: workers
    agent_namespace: fleet
    remove: [node-3.example.com]
    wait_for: replicas
"""

RETURN = r"""
plan:
  description: What was written, or would be in check mode, with reasons.
  returned: success
  type: list
  elements: str
replicas:
  description: Desired number of Machines.
  returned: success
  type: int
ready:
  description: How many are ready.
  returned: success
  type: int
machines:
  description: The Machines as they were seen last.
  returned: success
  type: list
  elements: dict
  contains:
    name:
      description: Name of the Machine.
      type: str
    agent:
      description: Its Agent; empty without one.
      type: str
    agent_namespace:
      description: Namespace of the Agent.
      type: str
    hostname:
      description: Hostname of the host.
      type: str
    node:
      description: Name of the Node; empty until it has one.
      type: str
    state:
      description: Where it is, or is stuck.
      type: str
    reason:
      description: Why.
      type: str
    deleting:
      description: Whether it is being deleted.
      type: bool
"""

from typing import Any

from ansible_collections.zerotouch.openshift.plugins.module_utils.common.entry_point import Call, run_module
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.pools.machine_deployment import (
    scale_deployment,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.kube.connection import CONNECTION_OPTIONS

OPTIONS = {"supports_check_mode": True}


def argument_spec() -> dict[str, Any]:
    return {
        **CONNECTION_OPTIONS,
        "name": {"type": "str", "required": True},
        "namespace": {"type": "str", "required": True},
        "agent_namespace": {"type": "str", "required": True},
        "replicas": {"type": "int"},
        "remove": {"type": "list", "elements": "str", "default": []},
        "wait_for": {"type": "str", "choices": ["none", "accepted", "replicas", "ready"], "default": "none"},
        "timeout": {"type": "float", "default": 3600.0},
    }


def run(call: Call) -> dict[str, Any]:
    return scale_deployment(call)


def main() -> None:
    run_module(argument_spec, OPTIONS, run)


if __name__ == "__main__":
    main()
