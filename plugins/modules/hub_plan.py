#!/usr/bin/python
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors

from __future__ import annotations

DOCUMENTATION = r"""
module: hub_plan
short_description: Plan the next action for each host of a hub
version_added: 0.1.0
author: the zerotouch.openshift authors (@zerotouch-openshift)
description:
  - Finds the Agents of the hosts and reads the status of the installation of their cluster. If the cluster is
    installed, reads its Nodes too.
  - Returns for each host whether it must be booted from the discovery image, is waited for, or needs nothing, and why.
    Changes nothing.
  - This is a plan. M(zerotouch.openshift.touch_check) decides whether the machines may be touched, and reads more
    sources than this module.
notes:
  - The user needs C(list) on C(agents), and with O(cluster) C(get) on C(agentclusterinstalls), C(clusterdeployments)
    and C(secrets) in its namespace; for O(purpose=reprovision) C(list) on C(infraenvs).
extends_documentation_fragment:
  - zerotouch.openshift.attributes
  - zerotouch.openshift.hub
attributes:
  check_mode:
    support: full
  diff_mode:
    support: N/A
  idempotent:
    support: full
options:
  namespace:
    description: Namespace of the Agents.
    type: str
    required: true
  hosts:
    description: The hosts, in the form of the option C(hosts) of M(zerotouch.openshift.agents).
    type: list
    elements: dict
    required: true
  cluster:
    description: The ClusterDeployment that the hosts belong to, or are going to.
    type: dict
    suboptions:
      name:
        description: Its name.
        type: str
        required: true
      namespace:
        description: Its namespace; that of the Agents by default.
        type: str
  infra_env_name:
    description: The InfraEnv of the hosts. A free Agent of another one does not count as registered. By default Agents
      of all InfraEnvs count.
    type: str
  binds:
    description: With O(purpose=add), whether the hosts are going to be bound to O(cluster). Its ClusterDeployment must
      exist then.
    type: bool
    default: false
  purpose:
    description:
      - V(install) is for hosts that install a new cluster, V(add) for hosts that join later or stay unbound,
        V(reprovision) for hosts that are taken out of a cluster to be used again.
    type: str
    choices: [install, add, reprovision, remove]
    default: add
  force:
    description: Overrides. V(start_over) boots hosts that are neither installed nor being installed.
    type: list
    elements: str
    choices: [start_over]
    default: []
  state_file:
    description: The state file of a deployment, C(state.json), in which M(zerotouch.openshift.agents) remembers hosts
      that were waited for in vain.
    type: path
"""

EXAMPLES = r"""
- name: Find the hosts that must boot the discovery image
  zerotouch.openshift.hub_plan:
    kubeconfig: ~/hub.kubeconfig
    namespace: edge
    hosts: "{{ (site.deployment | zerotouch.openshift.deployment('hub_hosts')).agents }}"
  register: hub
"""

RETURN = r"""
hosts:
  description: What each host needs, in the order given.
  returned: always
  type: list
  elements: dict
  contains:
    name:
      description: Name of the host.
      type: str
    action:
      description: V(boot), V(wait) or V(skip).
      type: str
    reason:
      description: Why.
      type: str
    agent:
      description: Name of its Agent; empty without one.
      type: str
    state:
      description: The hub's state of the host.
      type: str
boot_hosts:
  description: Names of the hosts to boot from the discovery image.
  returned: always
  type: list
  elements: str
forced_hosts:
  description: Those of them that have to be booted even if they run the same image already.
  returned: always
  type: list
  elements: str
touch_hosts:
  description:
    - Names of the hosts about which M(zerotouch.openshift.touch_check) must decide before anything is done. These are
      the hosts to boot, those that are bound to another cluster or match several Agents, and those whose installation
      has failed.
  returned: always
  type: list
  elements: str
stop:
  description: Why the hub cannot do what is requested for these hosts; empty if it can.
  returned: always
  type: str
phase:
  description: How far the installation of O(cluster) is (see M(zerotouch.openshift.agent_cluster_install)); empty
    without one.
  returned: always
  type: str
reason:
  description: What the installation waits for, in the operator's words.
  returned: always
  type: str
nodes:
  description: Names of the Nodes of the installed cluster.
  returned: always
  type: list
  elements: str
"""

from typing import Any

from ansible_collections.zerotouch.openshift.plugins.module_utils.common.connect import ConnectTo
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.entry_point import Call, run_module
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.hub.observe import (
    describe,
    observe_and_decide,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.hub.agents.model import ClusterRef
from ansible_collections.zerotouch.openshift.plugins.module_utils.kube.connection import CONNECTION_OPTIONS, connect

OPTIONS = {"supports_check_mode": True}


def argument_spec() -> dict[str, Any]:
    cluster = {"name": {"type": "str", "required": True}, "namespace": {"type": "str"}}
    return {
        **CONNECTION_OPTIONS,
        "namespace": {"type": "str", "required": True},
        "hosts": {"type": "list", "elements": "dict", "required": True},
        "cluster": {"type": "dict", "options": cluster},
        "infra_env_name": {"type": "str"},
        "binds": {"type": "bool", "default": False},
        "purpose": {"type": "str", "choices": ["install", "add", "reprovision", "remove"], "default": "add"},
        "force": {"type": "list", "elements": "str", "choices": ["start_over"], "default": []},
        "state_file": {"type": "path"},
    }


def run(call: Call) -> dict[str, Any]:
    params = call.params
    cluster = params["cluster"]
    reference = ClusterRef(cluster["namespace"] or params["namespace"], cluster["name"]) if cluster else None
    client = connect(params, clock=call.clock, check_mode=call.check_mode)
    try:
        view, decision = observe_and_decide(
            client,
            params["namespace"],
            params["hosts"],
            cluster=reference,
            connect_to=ConnectTo.of(params["connect_to"]),
            purpose=params["purpose"],
            force=params["force"],
            state_file=params["state_file"] or "",
            infra_env=params["infra_env_name"] or "",
            binds=params["binds"],
        )
    finally:
        client.close()
    return describe(view, decision)


def main() -> None:
    run_module(argument_spec, OPTIONS, run)


if __name__ == "__main__":
    main()
