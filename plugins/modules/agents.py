#!/usr/bin/python
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors

from __future__ import annotations

DOCUMENTATION = r"""
module: agents
short_description: Recognise, approve, name and bind many Agents at once
version_added: 0.1.0
author: the zerotouch.openshift authors (@zerotouch-openshift)
description:
  - Finds the Agent of each host of the list and changes the fields that differ from the list, with one list request and
    one merge patch for each Agent that changes.
  - An Agent is recognised by MAC first, then by system UUID, serial number, address of the BMC, labels and a query. One
    Agent is one host. If several Agents match, the module reports an ambiguous match and changes none of them. If a
    machine registered again under another name, the module uses the Agent that the hub hears from.
  - The set is planned as a whole. A cluster never gets more Agents than its C(provisionRequirements) say, because one
    too many permanently keeps it from installing.
  - What the hub would accept and then ignore (hostname, role, disk after the start), or reject (to unbind a host that
    is being installed), is refused; then nothing of that Agent is changed. The other Agents are still changed.
  - The task fails if any host is not as the list says. The result lists what was done and what was not. A second run
    continues from there.
extends_documentation_fragment:
  - zerotouch.openshift.attributes
  - zerotouch.openshift.host_requests
  - zerotouch.openshift.hub
  - zerotouch.openshift.touch
attributes:
  check_mode:
    support: full
    details: The same plan; the hub tries every patch without keeping it (server-side dry run). Nothing is waited for.
  diff_mode:
    support: full
    details: Shows the fields that change.
  idempotent:
    support: full
notes:
  - "Permissions in the namespace: list and patch on agents (agent-install.openshift.io), get where others change Agents
    at the same time, watch for O(wait_for), delete for O(hosts[].state=absent)."
  - "To bind and unbind, also list on infraenvs (agent-install.openshift.io), get on clusterdeployments
    (hive.openshift.io) and agentclusterinstalls (extensions.hive.openshift.io) in the cluster's namespace, and list on
    agents of all namespaces; without the last, Agents elsewhere are not counted, which is warned of."
options:
  namespace:
    description: The namespace of the Agents, which is that of their InfraEnv.
    type: str
    required: true
  infra_env_name:
    description: Only look at Agents of this InfraEnv; by default at all of the namespace.
    type: str
  hosts:
    description: The hosts. Each needs at least one of O(hosts[].mac_addresses), O(hosts[].system_uuid),
      O(hosts[].serial_number), O(hosts[].bmc_address), O(hosts[].labels) and O(hosts[].query).
    type: list
    elements: dict
    required: true
  unexpected:
    description:
      - What to do about Agents that are not approved and that belong to none of O(hosts).
      - V(warn) names them, V(fail) also does nothing at all, V(approve) approves every one of them.
    type: str
    choices: [ignore, warn, fail, approve]
    default: warn
  wait_for:
    description:
      - What to wait for on every host. V(registered), its Agent is there and is what was asked for; V(ready), it is fit
        to be installed; V(bound), it belongs to its cluster; V(unbound), it belongs to none and can be bound again;
        V(installed), it is.
      - Agents are watched, not asked again and again. A host that appears late is treated when it does, one that cannot
        get there any more fails at once.
    type: str
    choices: [none, registered, ready, bound, unbound, installed]
    default: none
  timeout:
    description: Seconds that O(wait_for) may take altogether.
    type: float
    default: 1800
  forks:
    description: How many Agents are written at the same time.
    type: int
    default: 8
  state_file:
    description:
      - The state file of a deployment, C(state.json). Hosts that were waited for to the end and have no Agent are
        remembered there, so that M(zerotouch.openshift.hub_plan) plans to boot their machines again.
    type: path
requirements:
  - jmespath, for O(hosts[].query)
seealso:
  - module: zerotouch.openshift.agents_info
  - module: zerotouch.openshift.infra_env
"""

EXAMPLES = r"""
- name: Approve three hosts as they appear, name them, choose their disk and bind them
  zerotouch.openshift.agents:
    kubeconfig: hub.kubeconfig
    namespace: edge
    infra_env_name: edge
    wait_for: bound
    hosts:
      - name: node-1
        mac_addresses: ["52:54:00:00:00:01"]
        hostname: node-1.edge.example.com
        role: master
        root_device_hints: {deviceName: /dev/nvme0n1}
        cluster: {name: edge}
      - name: node-2
        mac_addresses: ["52:54:00:00:00:02"]
        hostname: node-2.edge.example.com
        role: master
        cluster: {name: edge}
      - name: node-3
        serial_number: J3X9K42
        hostname: node-3.edge.example.com
        role: master
        cluster: {name: edge}

- name: Label a machine that only its hardware tells apart
  zerotouch.openshift.agents:
    namespace: edge
    hosts:
      - name: gpu-node
        query: length(inventory.gpus || `[]`) > `0` && inventory.cpu.count >= `64`
        agent_labels: {pool: gpu}

- name: Unbind a host from its cluster
  zerotouch.openshift.agents:
    namespace: edge
    hosts:
      - name: node-3
        mac_addresses: ["52:54:00:00:00:03"]
        unbind: true
"""

RETURN = r"""
hosts:
  description: One entry for every host, in the order given.
  returned: always, once the Agents were listed
  type: list
  elements: dict
  contains:
    name:
      description: Name of the host.
      type: str
    agent:
      description: Name of its Agent; empty without one.
      type: str
    namespace:
      description: Namespace of its Agent.
      type: str
    by:
      description: What it was recognised by.
      type: str
      sample: MAC 52:54:00:00:00:01
    hostname:
      description: The hostname it has, or will have.
      type: str
    role:
      description: Its role; what the hub suggests where it may choose.
      type: str
    state:
      description: The hub's state of the host.
      type: str
    approved:
      description: Whether it is approved.
      type: bool
    changed:
      description: Whether anything was changed.
      type: bool
    changes:
      description: The changes, each with the value before and after.
      type: list
      elements: str
      sample: ["spec.hostname: none -> 'node-1'"]
    failed:
      description: Whether it is not what was asked for.
      type: bool
    reason:
      description: Why not.
      type: str
    validations:
      description: The hub's validations that it does not pass.
      type: list
      elements: dict
      contains:
        id:
          description: Id of the validation.
          type: str
        status:
          description: V(failure), V(pending) or V(error).
          type: str
        message:
          description: What is wrong.
          type: str
nodes:
  description: The Nodes that the hosts become, as O(zerotouch.openshift.node_csrs#module:hosts) takes them. The
    addresses are those of the Agent's inventory.
  returned: always, once the Agents were listed
  type: list
  elements: dict
  contains:
    name:
      description: Name of the Node.
      type: str
    addresses:
      description: Its IP addresses, without link-local ones.
      type: list
      elements: str
unmatched:
  description: Hosts without an Agent.
  returned: always, once the Agents were listed
  type: list
  elements: dict
  contains:
    name:
      description: Name of the host.
      type: str
    reason:
      description: What was looked for.
      type: str
ambiguous:
  description: Hosts that several Agents fit, or that share one.
  returned: always, once the Agents were listed
  type: list
  elements: dict
  contains:
    name:
      description: Name of the host.
      type: str
    agents:
      description: Names of the Agents.
      type: list
      elements: str
    reason:
      description: What they have in common.
      type: str
unexpected:
  description: Agents that are not approved and that belong to none of the hosts.
  returned: always, once the Agents were listed
  type: list
  elements: dict
  contains:
    agent:
      description: Name of the Agent.
      type: str
    namespace:
      description: Its namespace.
      type: str
    macs:
      description: Its MACs.
      type: list
      elements: str
    hostname:
      description: Its hostname.
      type: str
    state:
      description: The hub's state of the host.
      type: str
    validations:
      description: What it does not pass, in one line.
      type: str
approved:
  description: Agents that O(unexpected=approve) approved.
  returned: always, once the Agents were listed
  type: list
  elements: str
problems:
  description: What is worth knowing about the set, such as a cluster with an Agent too many.
  returned: always
  type: list
  elements: dict
api_calls:
  description: Requests to the hub by verb.
  returned: always, once the Agents were listed
  type: dict
  sample: {list: 1, patch: 5}
"""

from typing import Any

from ansible_collections.zerotouch.openshift.plugins.module_utils.common.entry_point import Call, run_module
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.safety.gate import (
    record_release,
    why_not_ours,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.safety.options import (
    read_touch,
    touch_spec,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.hub.agents.options import (
    agents_argument_spec,
    run_agents,
)

OPTIONS = {"supports_check_mode": True}


def argument_spec() -> dict[str, Any]:
    return {**agents_argument_spec(), "touch": touch_spec()}


def run(call: Call) -> dict[str, Any]:
    params = call.params
    if not params["touch"]:
        return run_agents(call)
    touch = read_touch(params["touch"], params["connect_to"] or {})
    result = run_agents(call, lambda agent: why_not_ours(agent, touch))
    if not call.check_mode:
        record_release(touch, [str(host["name"]) for host in params["hosts"] if host["state"] == "absent"])
    return result


def main() -> None:
    run_module(argument_spec, OPTIONS, run)


if __name__ == "__main__":
    main()
