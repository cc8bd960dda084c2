#!/usr/bin/python
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors

from __future__ import annotations

DOCUMENTATION = r"""
module: capi_reconcile
short_description: Assign Agents to the Machines of Cluster API
version_added: 0.1.0
author: the zerotouch.openshift authors (@zerotouch-openshift)
description:
  - If no controller of the agent provider (C(cluster-api-provider-agent)) runs for the namespace, this module does the
    work of the controller. It creates the ClusterDeployment and AgentClusterInstall of an AgentCluster, binds an Agent
    to each AgentMachine so that the host is installed, and releases the host of a deleted Machine. It uses the
    names, labels, finalizers and conditions of the controller, so that each of the two can continue the other's work.
    C(docs/upstream/cluster-api-provider-agent.md) lists the differences.
  - Agents are chosen for all waiting Machines at once. Every Machine gets one if that is possible; O(policy) decides
    which.
  - If the controller runs, the module only labels Agents for it. The same planner chooses the
    Agents, and exactly those get the label that the pool selects by (O(label_selection)). Hosts of the pool keep the
    label, so that the controllers find them again when they replace a Machine, and so do the free Agents in reserve
    (O(label_selection.reserve)). A label that was set here is
    removed from Agents that the pool does not need any more.
  - One call is one pass, or continues until no object waits for another (O(until)).
notes:
  - The rules that the user needs are in C(docs/rbac/capi.yaml).
  - Upstream looks at the annotation C(cluster.x-k8s.io/paused) with the value V(true) on the AgentMachine or
    AgentCluster itself, and at nothing else; so does this module.
extends_documentation_fragment:
  - zerotouch.openshift.attributes
  - zerotouch.openshift.hub
attributes:
  check_mode:
    support: full
    details: The plan of the next pass is made and shown; nothing is sent.
  diff_mode:
    support: full
    details: The data of Secrets is hidden.
  idempotent:
    support: full
options:
  namespace:
    description: Namespace of the Cluster API objects; under HyperShift that of the hosted control plane.
    type: str
    required: true
  cluster_name:
    description: Name of the only Cluster to look after; all of O(namespace) by default.
    type: str
  agent_namespace:
    description: Namespace of the Agents; all namespaces by default.
    type: str
  mode:
    description:
      - V(reconcile) plays the controller's part, V(label_selection) leaves that to it and decides by labels which
        Agents it finds.
      - V(auto) uses label selection if the controller is active. It is if its Deployment has ready replicas, if its
        lease is held, or if neither can be read.
    type: str
    choices: [auto, reconcile, label_selection]
    default: auto
  until:
    description:
      - V(pass) does what can be done now.
      - V(converged) goes on until every AgentMachine is ready and every deleted one is gone. With label selection it
        goes on until all Agents that got the label are reserved.
    type: str
    choices: [pass, converged]
    default: pass
  timeout:
    description: Limit of O(until=converged), in seconds. With label selection, the labels of Agents that are not
      reserved are removed afterwards.
    type: float
    default: 3600
  policy:
    description: Which of the Agents that suit is taken. Each Machine that can be served is served, whatever the policy
      says.
    type: dict
    suboptions:
      order:
        description:
          - V(fit) takes the smallest sufficient hosts - CPUs, then memory, then disk.
          - V(spread) puts the Machines of a pool in as many places as possible, V(pack) in as few, by
            O(policy.topology_label).
        type: str
        choices: [fit, spread, pack]
        default: fit
      topology_label:
        description: Label of Agents that names their place, such as the rack or the zone.
        type: str
      prefer_labels:
        description: Labels that are preferred. The value is the label's value, or with C(label) or C(label=value) as
          key a number, less than 0 to avoid it.
        type: dict
        default: {}
      reuse:
        description: A Machine gets the host back that one of the same name had.
        type: bool
        default: true
      pins:
        description: Machines that get a certain Agent or none. The key is the Machine, the value the name of the Agent
          or its hostname.
        type: dict
        default: {}
  label_selection:
    description: The pool whose Agents are chosen by label selection.
    type: dict
    suboptions:
      pool:
        description: Name of the MachineDeployment (or MachineSet) in O(namespace); under HyperShift that of the
          NodePool.
        type: str
        required: true
      selector_label:
        description: The label that the pool's selector asks for.
        type: dict
        required: true
        suboptions:
          key:
            description: Its key.
            type: str
            required: true
          value:
            description: Its value.
            type: str
            required: true
      count:
        description:
          - How many free Agents the pool needs now. Those that have the label already count. With V(0), and no
            O(label_selection.reserve), the labels that were set here are removed from all free Agents.
          - The module fails if there are fewer, after it has labelled those that there are.
        type: int
        required: true
      exclude:
        description: Names of Agents that are for other pools.
        type: list
        elements: str
        default: []
      reserve:
        description: How many free Agents besides carry the label, so that the controllers can replace or add Machines
          at any time. If there are fewer, the module warns.
        type: int
        default: 0
      candidates:
        description: Label selector (C(matchLabels), C(matchExpressions)) of the Agents to choose from, besides what the
          pool's own selector asks for.
        type: dict
  provider_namespace:
    description: Namespace of the controller where it was installed by its own components. Under HyperShift it is in
      O(namespace), where it is looked for too.
    type: str
    default: cluster-api-provider-agent
  node_provider_ids:
    description:
      - Whether the Nodes of Machines that are ready get their provider ID, as by
        M(zerotouch.openshift.node_provider_ids). Not with label selection.
      - A workload cluster that cannot be reached is reported as a problem and does not stop the rest.
    type: bool
    default: true
  workload_kubeconfig:
    description: Kubeconfig of the workload cluster; by default what the Secret C(admin-kubeconfig) in O(namespace)
      holds.
    type: path
  forks:
    description: How many machines are written at a time.
    type: int
    default: 8
requirements:
  - PyYAML
  - urllib3
"""

EXAMPLES = r"""
- name: Who would get which host
  zerotouch.openshift.capi_reconcile:
    kubeconfig: ~/hub.kubeconfig
    namespace: clusters-c1
    agent_namespace: hosts
  check_mode: true

- name: Assign Agents to all Machines of a cluster, spread over the racks
  zerotouch.openshift.capi_reconcile:
    kubeconfig: ~/hub.kubeconfig
    namespace: clusters-c1
    cluster_name: c1
    agent_namespace: hosts
    until: converged
    policy:
      order: spread
      topology_label: example.com/rack

- name: Label three small hosts for a NodePool before it is scaled
  zerotouch.openshift.capi_reconcile:
    kubeconfig: ~/hub.kubeconfig
    namespace: clusters-c1
    agent_namespace: hosts
    mode: label_selection
    label_selection:
      pool: workers
      selector_label: {key: example.com/pool, value: workers}
      count: 3
      candidates: {matchLabels: {example.com/site: berlin}}
"""

RETURN = r"""
mode:
  description: V(reconcile) or V(label_selection), whichever was done.
  returned: always
  type: str
controller:
  description: Whether the controller is at work on the namespace.
  returned: always
  type: dict
  contains:
    active:
      description: Whether it is, as far as can be seen.
      type: bool
    why:
      description: What was seen.
      type: str
plan:
  description: What was written, or would be in check mode, a line for each object with the reason.
  returned: always
  type: list
  elements: str
machines:
  description: The AgentMachines; with label selection also the Machines that are still to come.
  returned: always
  type: list
  elements: dict
  contains:
    name:
      description: Its name.
      type: str
    namespace:
      description: Its namespace.
      type: str
    agent:
      description: The Agent that it has or would get, as C(namespace/name); empty if none.
      type: str
    hostname:
      description: Hostname of that Agent.
      type: str
    state:
      description: V(waiting), V(blocked), V(installing), V(ready), V(paused), V(draining), V(releasing), V(released),
        V(lost); with label selection also V(labelled).
      type: str
    reason:
      description: Why this Agent, or what it waits for.
      type: str
    rejected:
      description: For a machine that an Agent was chosen for, all others. At most 10000 in a result, those of Machines
        without an Agent first.
      type: list
      elements: dict
      contains:
        agent:
          description: The Agent, as C(namespace/name).
          type: str
        rule:
          description: The first rule that it fails.
          type: str
        text:
          description: The same in words.
          type: str
labelled:
  description: Agents that got the label of the pool.
  returned: always
  type: list
  elements: dict
  contains: &agent
    agent:
      description: Name of the Agent.
      type: str
    namespace:
      description: Its namespace.
      type: str
    hostname:
      description: Its hostname.
      type: str
unlabelled:
  description: Agents that lost a label that was set here.
  returned: always
  type: list
  elements: dict
  contains: *agent
problems:
  description: What the user must correct, each with its text in C(detail).
  returned: always
  type: list
  elements: dict
"""

from typing import Any

from ansible_collections.zerotouch.openshift.plugins.module_utils.capi.options import (
    reconcile_argument_spec,
    run_reconcile,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.entry_point import Call, run_module

OPTIONS = {"supports_check_mode": True}


def argument_spec() -> dict[str, Any]:
    return reconcile_argument_spec()


def run(call: Call) -> dict[str, Any]:
    return run_reconcile(call)


def main() -> None:
    run_module(argument_spec, OPTIONS, run)


if __name__ == "__main__":
    main()
