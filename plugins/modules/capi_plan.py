#!/usr/bin/python
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors

from __future__ import annotations

DOCUMENTATION = r"""
module: capi_plan
short_description: Plan what a playbook does with a cluster of the OpenShift Assisted providers
version_added: 0.1.0
author: the zerotouch.openshift authors (@zerotouch-openshift)
description:
  - Reads the Machines, pools and BareMetalHosts of a cluster on a hub, and the status of its installation.
  - Returns which hosts get a BareMetalHost, which sizes its pools get, and which Machines leave, each with the reason.
    Changes nothing.
  - This is a plan. M(zerotouch.openshift.touch_check) decides whether the machines may be touched, and
    M(zerotouch.openshift.assisted_control_plane) applies it.
notes:
  - The user needs the rules in C(docs/rbac/capi-assisted.yaml).
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
  name:
    description: Name of the Cluster.
    type: str
    required: true
  namespace:
    description: Its namespace.
    type: str
    required: true
  infrastructure:
    description: Whether this collection creates BareMetalHosts for the machines (V(metal3)), or the machine templates
      are those of the user.
    type: str
    choices: [metal3, user_templates]
    default: metal3
  pools:
    description: The pools that the inventory describes, the control plane first.
    type: list
    elements: dict
    required: true
    suboptions:
      name:
        description: V(control-plane), or the name of a MachineDeployment.
        type: str
        required: true
      replicas:
        description: Number of Machines of a new pool; by default one for each of O(pools[].hosts).
        type: int
      hosts:
        description: Names of its hosts.
        type: list
        elements: str
        default: []
  purpose:
    description:
      - V(install) is for a new cluster, and leaves the pools of one that is installed as they are.
      - V(scale) brings O(pool) to O(replicas). V(add) gives O(names), or all hosts, a BareMetalHost and a Machine.
        V(remove) and V(reprovision) take the hosts in O(names) out of the cluster, permanently or to be installed
        again.
    type: str
    choices: [install, scale, add, remove, reprovision]
    default: install
  names:
    description: The hosts that are meant; for O(purpose=scale) those that leave first.
    type: list
    elements: str
    default: []
  pool:
    description: Name of the pool for O(purpose=scale).
    type: str
  replicas:
    description: Requested size of the pool for O(purpose=scale). By default that of the pool less the hosts in
      O(names).
    type: int
"""

EXAMPLES = r"""
- name: Plan a deployment
  zerotouch.openshift.capi_plan:
    kubeconfig: ~/hub.kubeconfig
    namespace: edge
    name: edge
    pools:
      - {name: control-plane, hosts: [master-0, master-1, master-2]}
      - {name: edge-workers, hosts: [worker-0, worker-1]}
  register: edge
"""

RETURN = r"""
exists:
  description: Whether the Cluster exists.
  returned: always
  type: bool
installed:
  description: Whether the cluster is installed.
  returned: always
  type: bool
phase:
  description: How far the installation is (see M(zerotouch.openshift.agent_cluster_install)); empty without a Cluster.
  returned: always
  type: str
reason:
  description: What the installation waits for, in the operator's words.
  returned: always
  type: str
hosts:
  description: What each host needs, in the order of the inventory.
  returned: always
  type: list
  elements: dict
  contains:
    name:
      description: Name of the host.
      type: str
    action:
      description: V(boot) for a host that gets a BareMetalHost, V(wait), V(keep) or V(skip).
      type: str
    reason:
      description: Why.
      type: str
pools:
  description: The pools with their sizes.
  returned: always
  type: list
  elements: dict
  contains:
    name:
      description: Name of the pool.
      type: str
    replicas:
      description: Its size afterwards.
      type: int
    current_replicas:
      description: Its size now.
      type: int
boot_hosts:
  description: Names of the hosts that get a BareMetalHost.
  returned: always
  type: list
  elements: str
touch_hosts:
  description: Names of the hosts about which M(zerotouch.openshift.touch_check) must decide before anything is written.
  returned: always
  type: list
  elements: str
leaving_hosts:
  description: Names of the hosts that leave the cluster.
  returned: always
  type: list
  elements: str
described_hosts:
  description: Names of the hosts that have a BareMetalHost afterwards.
  returned: always
  type: list
  elements: str
delete_first:
  description: Names of the Machines that are deleted first when a pool shrinks.
  returned: always
  type: list
  elements: str
recreate:
  description: Names of the Machines that are deleted and made again.
  returned: always
  type: list
  elements: str
release_hosts:
  description: Names of the hosts whose BareMetalHosts are deleted.
  returned: always
  type: list
  elements: str
sizes:
  description: Sizes to write, by pool. A pool without one keeps its size.
  returned: always
  type: dict
stop:
  description: Why this cannot be done; empty if it can.
  returned: always
  type: str
"""

from typing import Any

from ansible_collections.zerotouch.openshift.plugins.module_utils.capi.assisted.options import INFRASTRUCTURES
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.entry_point import Call, run_module
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.capi.desired import PoolOfHosts
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.capi.observe import (
    describe,
    observe_and_decide,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.capi.resume import CapiRequest
from ansible_collections.zerotouch.openshift.plugins.module_utils.kube.connection import CONNECTION_OPTIONS, connect

OPTIONS = {"supports_check_mode": True}


def argument_spec() -> dict[str, Any]:
    pool = {
        "name": {"type": "str", "required": True},
        "replicas": {"type": "int"},
        "hosts": {"type": "list", "elements": "str", "default": []},
    }
    return {
        **CONNECTION_OPTIONS,
        "name": {"type": "str", "required": True},
        "namespace": {"type": "str", "required": True},
        "infrastructure": {"type": "str", "choices": list(INFRASTRUCTURES), "default": INFRASTRUCTURES[0]},
        "pools": {"type": "list", "elements": "dict", "required": True, "options": pool},
        "purpose": {
            "type": "str",
            "choices": ["install", "scale", "add", "remove", "reprovision"],
            "default": "install",
        },
        "names": {"type": "list", "elements": "str", "default": []},
        "pool": {"type": "str"},
        "replicas": {"type": "int"},
    }


def run(call: Call) -> dict[str, Any]:
    params = call.params
    request = CapiRequest(
        purpose=params["purpose"],
        pools=tuple(PoolOfHosts(pool["name"], tuple(pool["hosts"]), pool["replicas"]) for pool in params["pools"]),
        names=tuple(params["names"]),
        pool=params["pool"] or "",
        replicas=params["replicas"],
        metal3=params["infrastructure"] == "metal3",
    )
    client = connect(params, clock=call.clock, check_mode=call.check_mode)
    try:
        return describe(*observe_and_decide(client, params["namespace"], params["name"], request))
    finally:
        client.close()


def main() -> None:
    run_module(argument_spec, OPTIONS, run)


if __name__ == "__main__":
    main()
