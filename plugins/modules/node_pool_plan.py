#!/usr/bin/python
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors

from __future__ import annotations

DOCUMENTATION = r"""
module: node_pool_plan
short_description: Plan how a pool of Machines is scaled
version_added: 0.1.0
author: the zerotouch.openshift authors (@zerotouch-openshift)
description:
  - Plans which steps give a NodePool or MachineDeployment the requested size. Reads the pool, the Agents that it might
    use and the machines of the inventory. Changes nothing.
  - Counts the Agents that are free for the pool now (approved, validated, connected, bound to nothing, not reserved,
    with its labels). If they are not enough, returns which machines of the inventory must be approved or booted, no
    more than are needed. If these are not enough either, returns what is missing and why other machines cannot be used.
  - Finds the Machines of hosts that must leave, and the hosts that have left a cluster and wait to boot the discovery
    image.
  - If the pool shrinks by more hosts than O(remove) names, chooses which ones leave. Machines that are marked for
    deletion come first, then those without a host, then those that are not Ready, and the newest first.
  - The plan never boots a host that belongs to a cluster.
  - With O(touch), decides by the safety table (page safety of the documentation) whether the hosts may leave, and
    whether the machines may be booted. Only the BMCs of machines that would be booted are read. A spare machine whose
    BMC cannot be used is replaced by another one.
notes:
  - With O(touch), an override that was used is recorded in the work directory, so that the run after an interrupted one
    does not need it.
  - "Permissions: C(get) on C(nodepools) and C(hostedclusters), C(list) on C(nodepools) (hypershift.openshift.io) in
    O(namespace), or on C(machinedeployments) (cluster.x-k8s.io) and C(agentmachinetemplates)
    (capi-provider.agent-install.openshift.io); C(list) on C(machines) and C(agentmachines) in the namespace of the
    Machines, and on C(agents) in O(agent_namespace)."
extends_documentation_fragment:
  - zerotouch.openshift.attributes
  - zerotouch.openshift.media_hosts.pool
  - zerotouch.openshift.hub
  - zerotouch.openshift.touch
attributes:
  check_mode:
    support: full
  diff_mode:
    support: N/A
  idempotent:
    support: full
options:
  kind:
    description: What the pool is.
    type: str
    choices: [NodePool, MachineDeployment]
    default: NodePool
  name:
    description: Its name.
    type: str
    required: true
  namespace:
    description: Its namespace.
    type: str
    required: true
  cluster_name:
    description: The hosted cluster of a NodePool that does not exist yet.
    type: str
  agent_namespace:
    description: The namespace of the Agents.
    type: str
    required: true
  replicas:
    description: The requested number of Machines; by default as many as now, minus those that O(remove) names.
    type: int
  initial_replicas:
    description: How many a pool that does not exist yet gets without O(replicas).
    type: int
  keep_size:
    description:
      - Whether a pool that exists keeps its size and its hosts. O(replicas) is the size of a new pool then, and
        O(remove) has no effect.
      - A difference is a warning.
    type: bool
    default: false
  remove:
    description: Hosts that must leave, by their name in O(hosts), hostname, Agent, Machine or Node. A host that is not
      in the pool any more is no error.
    type: list
    elements: str
    default: []
  replace_hosts:
    description: Hosts that must leave and for which others come, by names as in O(remove). If no other host is free or
      can be booted, the same one is installed again. The size of the pool stays as it is, with autoscaling too.
    type: list
    elements: str
    default: []
  replace_order:
    description: The order of that exchange, as O(zerotouch.openshift.node_pool#module:replace_order). With V(surge),
      too few other hosts stop the run.
    type: str
    choices: [auto, surge, in_place]
    default: auto
  agent_label_selector:
    description: What a pool that does not exist yet will select Agents by, as a LabelSelector of Kubernetes. Of one
      that exists its own counts.
    type: dict
  selector_label:
    description: The label that is put on exactly the Agents that the pool may take
      (M(zerotouch.openshift.capi_reconcile)). It need not be there yet.
    type: dict
    suboptions:
      key:
        description: Its key.
        type: str
        required: true
      value:
        description: Its value.
        type: str
        required: true
  candidates:
    description: What an Agent has to fit besides, as a LabelSelector of Kubernetes.
    type: dict
    default: {}
  arch:
    description: Architecture of the pool, V(x86_64), V(aarch64) or V(ppc64le); of one that exists it cannot be changed.
    type: str
  upgrade_type:
    description: How the nodes of the pool are updated; of one that exists it cannot be changed.
    type: str
  auto_scaling:
    description: What the pool gets in this run as O(zerotouch.openshift.node_pool#module:auto_scaling). Given empty,
      autoscaling ends, at the present size if O(replicas) is not given.
    type: dict
    suboptions:
      min:
        description: The smallest size.
        type: int
      max:
        description: The largest size.
        type: int
  auto_repair:
    description: What the pool gets in this run as O(zerotouch.openshift.node_pool#module:auto_repair).
    type: bool
  replace:
    description: What the pool gets in this run as O(zerotouch.openshift.node_pool#module:replace).
    type: dict
    suboptions:
      strategy:
        description: The strategy.
        type: str
        choices: [RollingUpdate, OnDelete]
      rolling_update:
        description: How many Nodes at a time.
        type: dict
        suboptions:
          max_surge:
            description: So many hosts more than replicas, a number or a percentage.
            type: raw
          max_unavailable:
            description: So many Nodes less than replicas, a number or a percentage.
            type: raw
  reserve:
    description:
      - How many free Agents carry O(selector_label) besides those that Machines wait for. Machines of the inventory are
        approved or booted for it. If there are fewer, the module warns.
      - The default is what the settings of the pool need - the surge of rolling updates of pools with V(Replace), one
        Agent for O(auto_repair), and those between the present size and the maximum of O(auto_scaling).
    type: int
  exclude:
    description: Names of Agents, and of O(hosts), that are for other pools, or that another run boots.
    type: list
    elements: str
    default: []
  planned:
    description: Names of Agents, and of O(hosts), that an earlier plan of this run used. If the safety table stops the
      boot of one of them now, another run has booted it since, and another machine is taken.
    type: list
    elements: str
    default: []
  cluster_coming:
    description: Whether the hosted cluster is made before the pool is. In check mode it is not there then, which is no
      fault.
    type: bool
    default: false
  hosts:
    description: The machines of the inventory that may be used, in the form of the option C(hosts) of
      M(zerotouch.openshift.agents), in the order in which they are taken.
    type: list
    elements: dict
    default: []
  manual_hosts:
    description: Names of those that the user boots manually; they are chosen last.
    type: list
    elements: str
    default: []
  bmc_ca_cert:
    description: CA, as path or PEM, trusted for all BMCs and for the sources of evidence in addition to their own.
    type: str
  forks:
    description: How many BMCs are read at the same time.
    type: int
    default: 20
  infra_env_name:
    description: The InfraEnv whose image they boot.
    type: str
  agent_labels:
    description: Labels that every Agent of that InfraEnv gets.
    type: dict
    default: {}
seealso:
  - module: zerotouch.openshift.node_pool
  - module: zerotouch.openshift.capi_reconcile
"""

EXAMPLES = r"""
- name: Plan a pool with five nodes
  zerotouch.openshift.node_pool_plan:
    kubeconfig: ~/hub.kubeconfig
    namespace: clusters
    name: demo
    agent_namespace: fleet
    replicas: 5
  register: pool

- name: Print what is missing
  ansible.builtin.debug:
    msg: "{{ pool.stop or pool.plan }}"
"""

RETURN = r"""
exists:
  description: Whether there is such a pool.
  returned: always
  type: bool
cluster_name:
  description: Name of its cluster.
  returned: always
  type: str
replicas:
  description: How many replicas it is to have now; null where autoscaling decides.
  returned: always
  type: int
ready:
  description: How many of its Nodes are Ready.
  returned: always
  type: int
target:
  description: Desired number of replicas; null where autoscaling decides.
  returned: always
  type: int
needed:
  description: How many Machines need a host that do not have one.
  returned: always
  type: int
missing:
  description: How many hosts are missing even if every machine of O(hosts) that can be used is booted.
  returned: always
  type: int
stop:
  description: Why nothing may be done; empty if something may.
  returned: always
  type: str
reserve:
  description: How many free Agents the pool holds in reserve.
  returned: always
  type: int
surge:
  description: How many of them are for the surge of rolling updates.
  returned: always
  type: int
by_label:
  description: Whether the pool selects Agents by O(selector_label).
  returned: always
  type: bool
selector:
  description: What the pool selects Agents by; null for any.
  returned: always
  type: dict
candidates:
  description: What an Agent has to fit before it gets O(selector_label), as a LabelSelector.
  returned: always
  type: dict
free:
  description: Agents that the pool could have now.
  returned: always
  type: list
  elements: dict
  contains:
    name:
      description: Name of the Agent.
      type: str
    namespace:
      description: Its namespace.
      type: str
    hostname:
      description: Its hostname.
      type: str
promised:
  description: Names of the Agents and hosts that the pool uses after this plan.
  returned: always
  type: list
  elements: str
machines:
  description: The Machines of the pool.
  returned: always
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
hosts:
  description: What happens to each of O(hosts), in the order given.
  returned: always
  type: list
  elements: dict
  contains:
    name:
      description: Name of the host.
      type: str
    action:
      description:
        - V(keep), it is in the pool; V(use), it is free; V(prepare), it is to be approved and named; V(boot), it is to
          be booted from the discovery image; V(return), the same, since it has left a cluster; V(wait), it comes back
          by itself; V(spare), it is not needed; V(skip), it cannot be used.
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
prepare_hosts:
  description: Names of the hosts to approve and name, and to wait for until they are free.
  returned: always
  type: list
  elements: str
returning_hosts:
  description: Names of those that have left a cluster.
  returned: always
  type: list
  elements: str
remove:
  description: Names of the Machines that must be deleted first, because their hosts leave.
  returned: always
  type: list
  elements: str
replace:
  description: Names of the Machines that other ones replace.
  returned: always
  type: list
  elements: str
replace_order:
  description: V(surge) if other hosts become Nodes before those of RV(replace) leave, V(in_place) if not, V(auto) if no
    Machine is replaced.
  returned: always
  type: str
leaving:
  description: Names of all hosts that leave the pool, as in O(hosts), else their hostnames.
  returned: always
  type: list
  elements: str
taken:
  description: Names in O(planned) that cannot be used any more.
  returned: always
  type: list
  elements: str
failed_hosts:
  description: Hosts of RV(replace) whose BMCs cannot be used. They leave the pool all the same; their power state is
    not known.
  returned: always
  type: list
  elements: dict
  contains:
    name:
      description: Name of the host.
      type: str
    reason:
      description: What is wrong with its BMC.
      type: str
not_checked:
  description: Sources of evidence that could not be read, and why.
  returned: always
  type: list
  elements: str
plan:
  description: What is to be done, one thing a line.
  returned: always
  type: list
  elements: str
"""

from collections.abc import Sequence
from typing import Any

from ansible_collections.zerotouch.openshift.plugins.module_utils.bmc.hosts import BmcOptions
from ansible_collections.zerotouch.openshift.plugins.module_utils.boot.inspection import inspect_all
from ansible_collections.zerotouch.openshift.plugins.module_utils.boot.options import hosts_spec
from ansible_collections.zerotouch.openshift.plugins.module_utils.boot.protocol import Machines
from ansible_collections.zerotouch.openshift.plugins.module_utils.boot.requests import boot_requests
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.entry_point import Call, run_module
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.parallel import BMC_FORKS
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.pools.observe import (
    PoolInfo,
    describe,
    observe_pool,
    pool_request,
    warnings_of,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.pools.touch import Touched, decide_pool
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.safety.gate import (
    print_not_checked,
    record_permission,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.safety.options import (
    Touch,
    read_touch,
    touch_spec,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.kube.client import KubeClient
from ansible_collections.zerotouch.openshift.plugins.module_utils.kube.connection import CONNECTION_OPTIONS, connect

OPTIONS = {"supports_check_mode": True}


def argument_spec() -> dict[str, Any]:
    label = {"key": {"type": "str", "required": True, "no_log": False}, "value": {"type": "str", "required": True}}
    amounts = {"max_surge": {"type": "raw"}, "max_unavailable": {"type": "raw"}}
    return {
        **CONNECTION_OPTIONS,
        "kind": {"type": "str", "choices": ["NodePool", "MachineDeployment"], "default": "NodePool"},
        "name": {"type": "str", "required": True},
        "namespace": {"type": "str", "required": True},
        "cluster_name": {"type": "str"},
        "agent_namespace": {"type": "str", "required": True},
        "replicas": {"type": "int"},
        "initial_replicas": {"type": "int"},
        "keep_size": {"type": "bool", "default": False},
        "remove": {"type": "list", "elements": "str", "default": []},
        "replace_hosts": {"type": "list", "elements": "str", "default": []},
        "replace_order": {"type": "str", "choices": ["auto", "surge", "in_place"], "default": "auto"},
        "agent_label_selector": {"type": "dict"},
        "selector_label": {"type": "dict", "options": label},
        "candidates": {"type": "dict", "default": {}},
        "arch": {"type": "str"},
        "upgrade_type": {"type": "str"},
        "auto_scaling": {"type": "dict", "options": {"min": {"type": "int"}, "max": {"type": "int"}}},
        "auto_repair": {"type": "bool"},
        "replace": {
            "type": "dict",
            "options": {
                "strategy": {"type": "str", "choices": ["RollingUpdate", "OnDelete"]},
                "rolling_update": {"type": "dict", "options": amounts},
            },
        },
        "reserve": {"type": "int"},
        "exclude": {"type": "list", "elements": "str", "default": []},
        "cluster_coming": {"type": "bool", "default": False},
        "hosts": {"type": "list", "elements": "dict", "default": []},
        "manual_hosts": {"type": "list", "elements": "str", "default": []},
        "bmc_hosts": hosts_spec(),
        "bmc_ca_cert": {"type": "str"},
        "forks": {"type": "int", "default": BMC_FORKS},
        "planned": {"type": "list", "elements": "str", "default": []},
        "touch": touch_spec(),
        "infra_env_name": {"type": "str"},
        "agent_labels": {"type": "dict", "default": {}},
    }


def run(call: Call) -> dict[str, Any]:
    client = connect(call.params, clock=call.clock, check_mode=call.check_mode)
    try:
        info, touched = _planned(call, client)
    finally:
        client.close()
    failed = [{"name": name, "reason": reason} for name, reason in touched.failed.items()]
    result = {**describe(info, touched.plan), "failed_hosts": failed, "not_checked": list(touched.not_checked)}
    for text in (
        *warnings_of(info, touched.plan),
        *(f"{name} is not booted: {reason}" for name, reason in touched.unusable.items()),
    ):
        call.warn(text)
    call.plan(result["plan"])
    return result


def _planned(call: Call, client: KubeClient) -> tuple[PoolInfo, Touched]:
    """The pool and its plan. If a host comes into discovery between both, such as one that a killed run booted, the
    pool is observed again: otherwise another machine would be booted in place of that host.
    """
    request = pool_request(call.params)
    info = observe_pool(client, request)
    if not call.params["touch"]:
        return info, Touched(info.plan())
    touch = read_touch(call.params["touch"], call.params["connect_to"], ca_cert=call.params["bmc_ca_cert"] or "")
    while (touched := _decided(call, info, touch)).unusable:
        now = observe_pool(client, request)
        if not set(touched.unusable) & (now.in_discovery - info.in_discovery):
            break
        info = now
    if not touched.plan.stop and not call.check_mode:
        record_permission(touch, touched.booted)
    return info, touched


def _decided(call: Call, info: PoolInfo, touch: Touch) -> Touched:
    """The plan with the decision about each machine that it touches."""
    options = BmcOptions(
        forks=max(1, call.params["forks"]),
        connect_to=touch.connect_to,
        ca_cert=touch.ca_cert,
        state_file=None,
        clock=call.clock,
        progress=call.progress,
    )
    bmcs = {str(host["name"]): host for host in call.params["bmc_hosts"]}

    def read(names: Sequence[str]) -> Machines:
        return inspect_all(boot_requests([bmcs[name] for name in names if name in bmcs]), options, read_only=True)

    touched = decide_pool(info, touch, read, call.clock)
    print_not_checked(touched.not_checked, call.progress)
    return touched


def main() -> None:
    run_module(argument_spec, OPTIONS, run)


if __name__ == "__main__":
    main()
