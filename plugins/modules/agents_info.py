#!/usr/bin/python
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors

from __future__ import annotations

DOCUMENTATION = r"""
module: agents_info
short_description: List the Agents of a hub as flat records
version_added: 0.1.0
author: the zerotouch.openshift authors (@zerotouch-openshift)
description:
  - Returns the hosts that have registered with a hub, each as one flat record with state, cluster, failing validations
    and hardware.
extends_documentation_fragment:
  - zerotouch.openshift.attributes.info
  - zerotouch.openshift.hub
notes:
  - "Permissions: list on agents (agent-install.openshift.io) in the O(namespaces), or in all."
options:
  namespaces:
    description: Look in these namespaces; by default in all.
    type: list
    elements: str
    default: []
    aliases: [namespace]
  label_selector:
    description: Only Agents that this selector of Kubernetes fits.
    type: str
  infra_env_name:
    description: Only Agents of the InfraEnv of this name.
    type: str
  cluster_name:
    description: Only Agents that are bound, or are going to be bound, to this ClusterDeployment; its name, or
      C(namespace/name).
    type: str
  query:
    description: Only Agents for which this JMESPath expression is true; it sees what
      O(zerotouch.openshift.agents#module:hosts[].query) sees.
    type: str
  inventory:
    description: Whether to return the whole hardware inventory as well.
    type: bool
    default: true
  fields:
    description:
      - Return only these fields of each Agent; by default all. V(inventory) needs O(inventory) as well.
      - A controller (AWX) shows and counts no result above 700 000 characters, which all fields of some hundred Agents
        exceed.
    type: list
    elements: str
    default: []
    choices:
      - name
      - namespace
      - infra_env_name
      - hostname
      - macs
      - serial_number
      - bmc_addresses
      - role
      - state
      - state_info
      - approved
      - connected
      - cluster
      - day_2
      - bare_metal_host
      - machine_config_pool
      - installation_disk_id
      - stage
      - percent
      - labels
      - node_labels
      - ip_addresses
      - conditions
      - validations
      - created
      - inventory
requirements:
  - jmespath, for O(query)
seealso:
  - module: zerotouch.openshift.agents
"""

EXAMPLES = r"""
- name: Everything that waits for approval
  zerotouch.openshift.agents_info:
    kubeconfig: hub.kubeconfig
    query: "!approved"
    inventory: false
  register: waiting

- name: Why hosts of an InfraEnv cannot be installed
  zerotouch.openshift.agents_info:
    namespaces: [edge]
    infra_env_name: edge
    query: starts_with(state, 'insufficient')

- name: Hosts of a large hub, small enough for the events of a controller
  zerotouch.openshift.agents_info:
    kubeconfig: hub.kubeconfig
    fields: [hostname, serial_number, macs, state]
"""

RETURN = r"""
agents:
  description: The Agents, by namespace and name, each with the O(fields) asked for.
  returned: success
  type: list
  elements: dict
  contains:
    name:
      description: Name of the Agent.
      type: str
    namespace:
      description: Its namespace.
      type: str
    infra_env_name:
      description: The InfraEnv whose image it booted.
      type: str
    hostname:
      description: The hostname asked for, else the one it came with.
      type: str
    macs:
      description: MACs of its NICs, lower case.
      type: list
      elements: str
    serial_number:
      description: Serial number of the system.
      type: str
    bmc_addresses:
      description: Addresses of its BMC as the machine sees it.
      type: list
      elements: str
    role:
      description: The role asked for, else the one that the hub suggests.
      type: str
    state:
      description: The hub's state of the host, in its own word.
      type: str
    state_info:
      description: What the hub says about that state.
      type: str
    approved:
      description: Whether it may be installed.
      type: bool
    connected:
      description: Whether the hub hears from the host.
      type: bool
    cluster:
      description: The ClusterDeployment it is bound to, or going to be; null without one.
      type: dict
      sample: {namespace: edge, name: edge}
    day_2:
      description: Whether it joins a cluster that is installed already.
      type: bool
    bare_metal_host:
      description: The BareMetalHost that manages it, if one does.
      type: str
    machine_config_pool:
      description: Its machine config pool.
      type: str
    installation_disk_id:
      description: The disk it is, or will be, installed on.
      type: str
    stage:
      description: Stage of the installation.
      type: str
    percent:
      description: How far the installation is.
      type: int
    labels:
      description: Labels of the Agent.
      type: dict
    node_labels:
      description: Labels of the future Node.
      type: dict
    ip_addresses:
      description: Its addresses, without link-local ones.
      type: list
      elements: str
    conditions:
      description: Its conditions by type, each with C(status), C(reason) and C(message).
      type: dict
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
    created:
      description: When it registered first, by the hub's clock.
      type: str
    inventory:
      description: The hardware, in the hub's own field names.
      returned: if O(inventory)
      type: dict
"""

from typing import Any

from ansible_collections.zerotouch.openshift.plugins.module_utils.common.entry_point import Call, run_module
from ansible_collections.zerotouch.openshift.plugins.module_utils.hub.agents.options import (
    agents_info_argument_spec,
    run_agents_info,
)

OPTIONS = {"supports_check_mode": True}


def argument_spec() -> dict[str, Any]:
    return agents_info_argument_spec()


def run(call: Call) -> dict[str, Any]:
    return run_agents_info(call)


def main() -> None:
    run_module(argument_spec, OPTIONS, run)


if __name__ == "__main__":
    main()
