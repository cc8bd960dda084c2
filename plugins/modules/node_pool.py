#!/usr/bin/python
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors

from __future__ import annotations

DOCUMENTATION = r"""
module: node_pool
short_description: Create, update, scale or delete a node pool of a hosted cluster, and remove chosen hosts
version_added: 0.1.0
author: the zerotouch.openshift authors (@zerotouch-openshift)
description:
  - Creates or updates a HyperShift NodePool of platform Agent. A field whose option is not set keeps its value,
    defaults of the server included; an empty option clears the field. All mistakes in the options are reported in one
    run, before anything is written. Changes of immutable fields are reported by name, also in check mode.
  - With O(remove) exactly the Machines of the named hosts are deleted. The module annotates them, then lowers the
    number of replicas. It fails if another Machine might be deleted instead (a rollout runs, autoscaling is on, other
    Machines are marked). Hosts that have left already are ignored.
  - With O(wait_for) the module follows the conditions of the NodePool, its Machines and the Agents of hosts that leave.
    A condition only counts if it is about the current generation of the pool. A condition that stays False ends the
    wait immediately. At the time limit, the message names the step at which each Machine is stuck.
  - O(state=absent) first lowers the replicas to 0, so that Nodes are drained and hosts are reclaimed while the hosted
    cluster's API answers, and then deletes the pool. It always waits.
notes:
  - The user needs C(get), C(list), C(watch), C(create), C(patch) and C(delete) on C(nodepools) and C(get) on
    C(hostedclusters) in the namespace; C(get), C(list), C(watch) and C(patch) on C(machines) and C(list) on
    C(agentmachines) in the namespace of the control plane; C(get) and C(list) on C(agents) in that of the Agents.
    C(get) on C(secrets) lets a report name certificate requests that are pending, that on C(configmaps) lets O(config)
    and O(tuning_config) be checked.
extends_documentation_fragment:
  - zerotouch.openshift.attributes
  - zerotouch.openshift.hub
attributes:
  check_mode:
    support: full
    details: The hub tries each write without keeping it (server-side dry run). The hosted cluster may be missing still.
  diff_mode:
    support: full
  idempotent:
    support: full
options:
  name:
    description: Name of the NodePool.
    type: str
    required: true
  namespace:
    description: Its namespace, which is that of its hosted cluster.
    type: str
    required: true
  state:
    description: Whether the pool exists.
    type: str
    choices: [present, absent]
    default: present
  cluster_name:
    description: The hosted cluster. Needed for a new pool; it cannot be changed.
    type: str
  release_image:
    description: Release of the Nodes. A new pool has that of its hosted cluster by default.
    type: str
  replicas:
    description: Desired number of Nodes; 0 by default for a new pool. With autoscaling it is refused, unless
      O(auto_scaling) is given empty.
    type: int
  auto_scaling:
    description: Let the autoscaler decide between these. Given empty, autoscaling is turned off, at the present size if
      O(replicas) is not given.
    type: dict
    suboptions:
      min:
        description: At least so many, and at least 1.
        type: int
      max:
        description: At most so many; there should be as many Agents.
        type: int
  agent_label_selector:
    description:
      - Which Agents the pool may take, as Kubernetes writes it (C(matchLabels), C(matchExpressions)). C({}), the
        default for a new pool, is any.
      - If O(upgrade_type) is V(InPlace), only new Machines use a changed selector. If it is V(Replace), a change
        reinstalls every Node on another host.
    type: dict
  upgrade_type:
    description: How Nodes get another release or configuration; V(InPlace) by default for a new pool, which needs no
      spare host. It cannot be changed.
    type: str
    choices: [InPlace, Replace]
  replace:
    description: For O(upgrade_type=Replace). What is not given of it stays, or is upstream's default for a new pool.
    type: dict
    suboptions:
      strategy:
        description: V(RollingUpdate), or V(OnDelete) to replace a Node only when its Machine is deleted.
        type: str
        choices: [RollingUpdate, OnDelete]
      rolling_update:
        description: How many Nodes at a time.
        type: dict
        suboptions:
          max_surge:
            description: So many hosts more than replicas, a number or a percentage. Each needs a free Agent.
            type: raw
          max_unavailable:
            description: So many Nodes less than replicas, a number or a percentage.
            type: raw
  in_place:
    description: For O(upgrade_type=InPlace).
    type: dict
    suboptions:
      max_unavailable:
        description: How many Nodes are updated at a time, a number or a percentage; 1 by default.
        type: raw
  auto_repair:
    description: Replace Nodes that are not healthy. It takes another Agent; see C(docs/reference/hosted-modules.md) for
      the annotation with the time that bare metal needs.
    type: bool
  config:
    description: Names of ConfigMaps with machine configuration under C(config), at most 10. What they hold is checked.
    type: list
    elements: str
  tuning_config:
    description: Names of ConfigMaps with tuning under C(tuning), at most 10. What they hold is checked.
    type: list
    elements: str
  os_image_stream:
    description:
      - Stream of RHEL CoreOS on the pool's nodes. The release decides without it, V(rhel-9) before 5.0 and V(rhel-10)
        from 5.0 on.
      - V(rhel-10) needs release 5.0. A pool cannot go back to V(rhel-9), and the option cannot be taken out again. Hubs
        before MCE 5.0 do not know it.
    type: str
    choices: [rhel-9, rhel-10]
  node_drain_timeout:
    description: How long a Node is drained at most, as V(10m) or V(1h30m); V(0s), the default, is without a limit.
    type: str
  node_volume_detach_timeout:
    description: How long volumes may take to be detached; V(0s), the default, is without a limit.
    type: str
  node_labels:
    description: Labels of the Nodes. Each Node gets them once, when it joins.
    type: dict
  taints:
    description: Taints of the Nodes. Each Node gets them once, when it joins.
    type: list
    elements: dict
    suboptions:
      key:
        description: Its key.
        type: str
        required: true
      value:
        description: Its value.
        type: str
      effect:
        description: What it does.
        type: str
        choices: [NoSchedule, PreferNoSchedule, NoExecute]
        required: true
  arch:
    description: Architecture of the hosts; V(amd64) and V(arm64) are aliases. It cannot be changed, and must be in the
      hosted cluster's release.
    type: str
    choices: [x86_64, aarch64, ppc64le, amd64, arm64]
  paused_until:
    description: Hold the operator back until a date as V(2026-12-31T23:59:59Z), or without limit (V(true)). Given
      empty, it goes on.
    type: str
  labels:
    description: Labels of the NodePool; a null takes one away. Others are left alone.
    type: dict
  annotations:
    description: Annotations of the NodePool; a null takes one away. Others are left alone.
    type: dict
  remove:
    description:
      - Hosts to be taken out, each by the name of its Machine, Agent or Node, or by its hostname.
      - O(replicas), if given too, must not be more than what is left.
    type: list
    elements: str
    default: []
  replace_hosts:
    description:
      - Hosts to be exchanged for others, by names as in O(remove). The size of the pool stays, also with autoscaling.
        O(replace_order) says in which order.
      - An annotation of the NodePool records an exchange that has begun. A later call completes it, also without this
        option.
      - Give it for one call only, since each call with it exchanges the hosts.
    type: list
    elements: str
    default: []
  replace_order:
    description:
      - V(surge) waits until other hosts are Nodes before the hosts in O(replace_hosts) leave. The pool has as many more
        replicas meanwhile, and autoscaling is off.
      - V(in_place) deletes the Machines first. Their MachineSet creates others, which take free Agents that the pool
        selects, or the same hosts when these are free again.
      - V(auto) is V(surge) if the pool selects as many free Agents as hosts leave, and V(in_place) otherwise.
    type: str
    choices: [auto, surge, in_place]
    default: auto
  wait_for:
    description:
      - V(none) returns as soon as the pool is written.
      - V(accepted) waits until the operator has taken it as it is now (release, configuration and architecture are
        valid).
      - V(released) waits besides until no Machine is on its way out, and hosts that left are free or need a reboot.
      - V(replicas) waits until the desired number of Nodes is Ready, no Machine is on its way out, and hosts that left
        are free or need a reboot.
      - V(ready) waits besides until no update is running and all Machines and Nodes are healthy.
      - V(gone) only goes with O(state=absent), which waits for that whatever is given here.
    type: str
    choices: [none, accepted, released, replicas, ready, gone]
    default: none
  timeout:
    description: Limit of the wait in seconds; with O(state=absent) of each of its two waits.
    type: float
    default: 3600
  drain:
    description: With O(state=absent), lower the replicas to 0 first. Without it workloads are not evicted, and hosts
      may need a reboot.
    type: bool
    default: true
requirements:
  - PyYAML
  - urllib3
"""

EXAMPLES = r"""
- name: Create or update a pool of three large hosts
  zerotouch.openshift.node_pool:
    kubeconfig: ~/hub.kubeconfig
    namespace: clusters
    name: edge-large
    cluster_name: edge
    replicas: 3
    agent_label_selector: {matchLabels: {size: large}}
    node_drain_timeout: 30m
    wait_for: ready
    timeout: 7200

- name: Remove one host from the pool
  zerotouch.openshift.node_pool:
    kubeconfig: ~/hub.kubeconfig
    namespace: clusters
    name: edge-large
    remove: [worker-2]
    wait_for: replicas
  register: pool

- name: Scale the pool automatically
  zerotouch.openshift.node_pool:
    kubeconfig: ~/hub.kubeconfig
    namespace: clusters
    name: edge-large
    auto_scaling: {min: 2, max: 6}
"""

RETURN = r"""
plan:
  description: What was changed on the hub, or would be in check mode, with reasons.
  returned: always, once the hub was contacted
  type: list
  elements: str
node_pool:
  description: The pool as it was seen last.
  returned: always, once the hub was contacted
  type: dict
  contains:
    namespace:
      description: Its namespace.
      type: str
    name:
      description: Its name.
      type: str
    cluster_name:
      description: Its hosted cluster; empty if there is no such pool.
      type: str
    replicas:
      description: How many of its Nodes are Ready.
      type: int
    desired:
      description: Desired number; null where the autoscaler decides.
      type: int
    version:
      description: OpenShift version after the last complete update.
      type: str
    conditions:
      description: Its conditions.
      type: list
      elements: dict
      contains:
        type:
          description: What it is about.
          type: str
        status:
          description: V(True), V(False), V(Unknown); it may be empty.
          type: str
        reason:
          description: The operator's reason; it may be empty.
          type: str
        message:
          description: The operator's words.
          type: str
machines:
  description: Its Machines.
  returned: always, once the hub was contacted
  type: list
  elements: dict
  contains:
    name:
      description: Name of the Machine.
      type: str
    agent:
      description: The Agent that it has; empty if it has none yet.
      type: str
    agent_namespace:
      description: Namespace of that Agent.
      type: str
    hostname:
      description: Hostname of the host.
      type: str
    node:
      description: Its Node; empty before it has joined.
      type: str
    state:
      description:
        - Where it is. V(waiting-for-agent), V(no-suitable-agent), V(binding), V(discovering), V(validations-failing),
          V(disconnected), V(known), V(installing), V(pending-user-action), V(csr-pending), V(node-not-ready),
          V(running), V(failed); of one that goes V(draining), V(detaching-volumes), V(waiting-for-hook), V(unbinding),
          V(reclaiming), V(needs-reboot) or V(deleting).
      type: str
    reason:
      description: What it waits for or what went wrong.
      type: str
    deleting:
      description: Whether it is on its way out.
      type: bool
needs_reboot:
  description: Hosts that left the pool and have to boot the discovery image before they are free.
  returned: always, once the hub was contacted
  type: list
  elements: dict
  contains:
    agent:
      description: The Agent.
      type: str
    namespace:
      description: Its namespace.
      type: str
    hostname:
      description: Hostname of the host.
      type: str
pending_csrs:
  description: Certificate requests of Nodes that are not approved, or why they could not be read. Only looked for when
    a wait has failed.
  returned: always, once the hub was contacted
  type: list
  elements: str
"""

from typing import Any

from ansible_collections.zerotouch.openshift.plugins.module_utils.common.entry_point import Call, run_module
from ansible_collections.zerotouch.openshift.plugins.module_utils.hypershift.node_pool.run import (
    ensure_absent,
    ensure_present,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.kube.connection import CONNECTION_OPTIONS

OPTIONS = {"supports_check_mode": True}

_AMOUNTS = {"max_surge": {"type": "raw"}, "max_unavailable": {"type": "raw"}}
_TAINT = {
    "key": {"type": "str", "required": True, "no_log": False},
    "value": {"type": "str"},
    "effect": {"type": "str", "choices": ["NoSchedule", "PreferNoSchedule", "NoExecute"], "required": True},
}


def argument_spec() -> dict[str, Any]:
    return {
        **CONNECTION_OPTIONS,
        "name": {"type": "str", "required": True},
        "namespace": {"type": "str", "required": True},
        "state": {"type": "str", "choices": ["present", "absent"], "default": "present"},
        "cluster_name": {"type": "str"},
        "release_image": {"type": "str"},
        "replicas": {"type": "int"},
        "auto_scaling": {"type": "dict", "options": {"min": {"type": "int"}, "max": {"type": "int"}}},
        "agent_label_selector": {"type": "dict"},
        "upgrade_type": {"type": "str", "choices": ["InPlace", "Replace"]},
        "replace": {
            "type": "dict",
            "options": {
                "strategy": {"type": "str", "choices": ["RollingUpdate", "OnDelete"]},
                "rolling_update": {"type": "dict", "options": _AMOUNTS},
            },
        },
        "in_place": {"type": "dict", "options": {"max_unavailable": {"type": "raw"}}},
        "auto_repair": {"type": "bool"},
        "config": {"type": "list", "elements": "str"},
        "tuning_config": {"type": "list", "elements": "str"},
        "os_image_stream": {"type": "str", "choices": ["rhel-9", "rhel-10"]},
        "node_drain_timeout": {"type": "str"},
        "node_volume_detach_timeout": {"type": "str"},
        "node_labels": {"type": "dict"},
        "taints": {"type": "list", "elements": "dict", "options": _TAINT},
        "arch": {"type": "str", "choices": ["x86_64", "aarch64", "ppc64le", "amd64", "arm64"]},
        "paused_until": {"type": "str"},
        "labels": {"type": "dict"},
        "annotations": {"type": "dict"},
        "remove": {"type": "list", "elements": "str", "default": []},
        "replace_hosts": {"type": "list", "elements": "str", "default": []},
        "replace_order": {"type": "str", "choices": ["auto", "surge", "in_place"], "default": "auto"},
        "wait_for": {
            "type": "str",
            "choices": ["none", "accepted", "released", "replicas", "ready", "gone"],
            "default": "none",
        },
        "timeout": {"type": "float", "default": 3600.0},
        "drain": {"type": "bool", "default": True},
    }


def run(call: Call) -> dict[str, Any]:
    return ensure_present(call) if call.params["state"] == "present" else ensure_absent(call)


def main() -> None:
    run_module(argument_spec, OPTIONS, run)


if __name__ == "__main__":
    main()
