#!/usr/bin/python
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors

from __future__ import annotations

DOCUMENTATION = r"""
module: capi_cluster
short_description: Create a cluster of Agents for Cluster API
version_added: 0.1.0
author: the zerotouch.openshift authors (@zerotouch-openshift)
description:
  - Creates, updates or deletes a Cluster, its AgentCluster, and for each pool an AgentMachineTemplate and a
    MachineDeployment, as one unit.
  - HyperShift creates these objects itself; this module is for control planes that another tool provides. The Machines
    get their Agents from the controller of the agent provider, or from M(zerotouch.openshift.capi_reconcile).
  - A template is replaced instead of changed. Its name contains a hash of its content. When the MachineDeployment
    refers to a new template, Cluster API replaces all Machines of the pool one after the other. Old templates are
    deleted as soon as no MachineSet uses them.
  - Fields that other tools set in these objects stay as they are.
notes:
  - The rules that the user needs are in C(docs/rbac/capi.yaml).
extends_documentation_fragment:
  - zerotouch.openshift.attributes
  - zerotouch.openshift.hub
attributes:
  check_mode:
    support: full
    details: The hub tries each write without keeping it (server-side dry run), except in a namespace that does not
      exist yet.
  diff_mode:
    support: full
  idempotent:
    support: full
options:
  state:
    description:
      - V(present) makes and updates the cluster.
      - V(absent) removes it in the order that loses no Agents. The MachineDeployments go first, then the Cluster once
        no Machine is left, then the rest. Each run does what can be done now; O(wait_for=gone) goes on to the end. Only
        what this module created is deleted.
    type: str
    choices: [present, absent]
    default: present
  name:
    description: Name of the Cluster and of the AgentCluster.
    type: str
    required: true
  namespace:
    description: Their namespace. It is made if it does not exist.
    type: str
    required: true
  control_plane:
    description: The control plane object that the Cluster refers to.
    type: dict
    suboptions:
      api_group:
        description: Its group.
        type: str
        default: hypershift.openshift.io
      kind:
        description: Its kind.
        type: str
        default: HostedControlPlane
      name:
        description: Its name; that of the Cluster by default.
        type: str
  control_plane_endpoint:
    description: Where the API of the cluster is. The AgentCluster is not ready without it.
    type: dict
    suboptions:
      host:
        description: Name or address.
        type: str
        required: true
      port:
        description: Port.
        type: int
        default: 6443
  ignition_endpoint:
    description: Where hosts get their ignition from. It is taken over when the AgentClusterInstall is made, and not
      changed afterwards.
    type: dict
    suboptions:
      url:
        description: Its URL. The last part of the path is dropped, since the service adds the name of the pool.
        type: str
        required: true
      ca_certificate:
        description: The Secret with the CA of the endpoint.
        type: dict
        suboptions:
          name:
            description: Its name.
            type: str
            required: true
          namespace:
            description: Its namespace; O(namespace) by default.
            type: str
  cluster_network:
    description: Networks of the cluster, for those who read them from the Cluster.
    type: dict
    suboptions:
      pods:
        description: Networks of the pods.
        type: list
        elements: str
        default: []
      services:
        description: Networks of the services.
        type: list
        elements: str
        default: []
      service_domain:
        description: Domain of the services.
        type: str
  labels:
    description: Labels of the Cluster.
    type: dict
    default: {}
  paused:
    description: Whether Cluster API leaves the Cluster alone. The agent provider does not look at it.
    type: bool
  machine_deployments:
    description: The pools. MachineDeployments that are not listed stay as they are.
    type: list
    elements: dict
    suboptions:
      name:
        description: Name of the MachineDeployment.
        type: str
        required: true
      replicas:
        description: How many Machines. Not given, the number stays as it is, and is 0 for a new pool.
        type: int
      agent_label_selector:
        description: Label selector (C(matchLabels), C(matchExpressions)) of the Agents; any Agent without it. A change
          replaces all Machines.
        type: dict
      bootstrap:
        description: Where the hosts' ignition comes from; exactly one of its parts.
        type: dict
        required: true
        suboptions:
          data_secret_name:
            description: A Secret in O(namespace) whose key C(value) holds an Ignition configuration with one merge
              source.
            type: str
          config_ref:
            description: The template of a bootstrap provider.
            type: dict
            suboptions:
              api_group:
                description: Its group.
                type: str
                required: true
              kind:
                description: Its kind.
                type: str
                required: true
              name:
                description: Its name.
                type: str
                required: true
      version:
        description: Kubernetes version that the Machines are labelled with.
        type: str
      labels:
        description: Labels of the Machines.
        type: dict
        default: {}
      node_drain_timeout:
        description: Seconds that the drain of a Node may take; 0 is no limit.
        type: int
      node_volume_detach_timeout:
        description: Seconds that detaching volumes may take; 0 is no limit.
        type: int
      node_deletion_timeout:
        description: Seconds that the deletion of a Node may take; 0 is no limit.
        type: int
      deletion_order:
        description: Which Machines are deleted first when the pool shrinks, of those without the annotation
          C(cluster.x-k8s.io/delete-machine).
        type: str
        choices: [Random, Newest, Oldest]
  wait_for:
    description:
      - V(none) returns as soon as the objects are written.
      - V(infrastructure_ready) waits until the AgentCluster is ready, V(replicas) also until all replicas of the pools
        are available.
      - V(gone), with O(state=absent), until nothing is left.
    type: str
    choices: [none, infrastructure_ready, replicas, gone]
    default: none
  timeout:
    description: Limit of each wait, in seconds.
    type: float
    default: 3600
requirements:
  - PyYAML
  - urllib3
"""

EXAMPLES = r"""
- name: A cluster with a pool of two large hosts
  zerotouch.openshift.capi_cluster:
    kubeconfig: ~/hub.kubeconfig
    namespace: clusters-c1
    name: c1
    control_plane_endpoint: {host: api.c1.example.com, port: 6443}
    ignition_endpoint: {url: "https://ignition.c1.example.com/ignition", ca_certificate: {name: ignition-ca}}
    machine_deployments:
      - name: large
        replicas: 2
        agent_label_selector: {matchLabels: {example.com/size: large}}
        bootstrap: {data_secret_name: user-data-large}

- name: Delete the cluster; its hosts become free Agents
  zerotouch.openshift.capi_cluster:
    kubeconfig: ~/hub.kubeconfig
    namespace: clusters-c1
    name: c1
    state: absent
    wait_for: gone
"""

RETURN = r"""
name:
  description: Name of the Cluster.
  returned: always
  type: str
namespace:
  description: Its namespace.
  returned: always
  type: str
plan:
  description: What was written, or would be in check mode, with reasons.
  returned: always
  type: list
  elements: str
infrastructure_ready:
  description: Whether the AgentCluster is ready.
  returned: always
  type: bool
machine_deployments:
  description: The pools of the cluster, as they are now.
  returned: always
  type: list
  elements: dict
  contains:
    name:
      description: Name of the MachineDeployment.
      type: str
    template:
      description: The AgentMachineTemplate that it uses.
      type: str
    replicas:
      description: How many Machines it is to have.
      type: int
    current_replicas:
      description: How many it has.
      type: int
    available_replicas:
      description: How many are available.
      type: int
    up_to_date_replicas:
      description: How many are from the present template.
      type: int
    phase:
      description: Its phase in Cluster API's word.
      type: str
remaining:
  description: With O(state=absent) what has to go before the rest can.
  returned: always
  type: list
  elements: str
stays:
  description: Objects that were not deleted, and why.
  returned: always
  type: list
  elements: str
"""

from typing import Any

from ansible_collections.zerotouch.openshift.plugins.module_utils.capi.cluster.run import (
    cluster_argument_spec,
    run_cluster,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.entry_point import Call, run_module

OPTIONS = {"supports_check_mode": True}


def argument_spec() -> dict[str, Any]:
    return cluster_argument_spec()


def run(call: Call) -> dict[str, Any]:
    return run_cluster(call)


def main() -> None:
    run_module(argument_spec, OPTIONS, run)


if __name__ == "__main__":
    main()
