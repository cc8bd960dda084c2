#!/usr/bin/python
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors

from __future__ import annotations

DOCUMENTATION = r"""
module: agent_cluster_install
short_description: Create a cluster on a hub, and follow its installation
version_added: 0.1.0
author: the zerotouch.openshift authors (@zerotouch-openshift)
description:
  - Creates, updates or deletes the objects of a cluster as one unit. These are a ClusterImageSet, the pull secret,
    ConfigMaps for mirrors and extra manifests, a ClusterDeployment and an AgentClusterInstall.
  - The cluster is described as for M(zerotouch.openshift.agent_config), by O(cluster) and O(hosts) or by the files in
    O(config_dir), and checked as completely before anything is sent. It needs no rendezvous host.
  - The installation starts by itself as soon as exactly the required Agents are bound, approved and ready, unless
    O(hold) is set.
  - The operator rejects changes of the specification once the installation has begun. The module does not send such a
    change. It fails while the installation runs, and reports the difference afterwards.
  - Objects that another tool created are used as they are. If one of them would have to be changed, the module fails
    before the first write. It also fails if O(work_dir) records another UID of the ClusterDeployment than the hub has,
    for example with the connection of another hub.
  - Fields that other tools set in these objects stay as they are. A ClusterImageSet of the same name with another
    release image is never changed.
  - With O(wait_for) the conditions of the AgentClusterInstall are followed through a watch; a terminal condition ends
    the wait at once with its reason.
notes:
  - The user needs C(get), C(create), C(patch) and C(delete) on C(secrets), C(configmaps), C(clusterdeployments) and
    C(agentclusterinstalls) in the namespace, C(list) on C(configmaps), C(list) and C(watch) on C(agentclusterinstalls),
    C(list) on C(agents), and C(get), C(create) on the cluster-scoped C(clusterimagesets). C(get) and C(create) on
    C(namespaces) only if the namespace is to be made.
    C(get) on C(infraenvs) for O(state=absent); without it the pull secret stays, since an InfraEnv may share it.
extends_documentation_fragment:
  - zerotouch.openshift.attributes
  - zerotouch.openshift.hub
  - zerotouch.openshift.media_hosts
  - zerotouch.openshift.described_cluster
attributes:
  check_mode:
    support: full
    details: The hub tries each write without keeping it (server-side dry run), except in a namespace that does not
      exist yet.
  diff_mode:
    support: full
    details: The data of Secrets is hidden.
  idempotent:
    support: full
options:
  state:
    description:
      - V(present) makes and updates the cluster.
      - V(absent) deletes what this module created, the ClusterDeployment first, which unbinds late-bound Agents. The
        ClusterImageSet stays, since other clusters may use it. Disks are not wiped.
    type: str
    choices: [present, absent]
    default: present
  name:
    description: Name of the cluster. Needed for O(state=absent); otherwise taken from the configuration.
    type: str
  namespace:
    description: Namespace on the hub; the name of the cluster by default. It is made if it does not exist.
    type: str
  image_set:
    description: Name of the ClusterImageSet; C(openshift-<version>) by default.
    type: str
  hold:
    description: Hold the installation back (V(true)) or let it start (V(false)). Not given, a hold that is there stays.
    type: bool
  wait_for:
    description:
      - V(none) returns as soon as the objects are written.
      - V(requirements_met) waits until all Agents are there and ready; with a hold, until only the hold is left.
      - V(installing) waits until the installation has begun, V(installed) until it is complete.
    type: str
    choices: [none, requirements_met, installing, installed]
    default: none
  timeouts:
    description: Limits of the waits, in seconds.
    type: dict
    default: {}
    suboptions:
      requirements:
        description: Until the installation begins.
        type: float
        default: 3600
      install:
        description: From its beginning to its end.
        type: float
        default: 7200
  work_dir:
    description:
      - Work directory for C(auth/kubeconfig) and C(auth/kubeadmin-password) (mode 0600) and C(state.json). The
        credentials are fetched as soon as the hub has them. Without it nothing is written here.
      - With O(state=absent), a hub without the cluster keeps its Secret and ConfigMaps if C(state.json) records another
        UID of the InfraEnv with the name of the cluster.
    type: path
  agent_namespace:
    description: Namespace of the Agents; all namespaces by default.
    type: str
requirements:
  - PyYAML
  - urllib3
"""

EXAMPLES = r"""
- name: Create a cluster on the hub without starting its installation
  zerotouch.openshift.agent_cluster_install:
    kubeconfig: ~/hub.kubeconfig
    namespace: edge
    cluster: "{{ openshift_cluster }}"
    hosts: "{{ site.deployment | zerotouch.openshift.deployment('hosts') }}"
    hold: true

- name: Start the installation, and wait until the cluster is installed
  zerotouch.openshift.agent_cluster_install:
    kubeconfig: ~/hub.kubeconfig
    namespace: edge
    cluster: "{{ openshift_cluster }}"
    hosts: "{{ site.deployment | zerotouch.openshift.deployment('hosts') }}"
    hold: false
    wait_for: installed
    work_dir: clusters/edge
"""

RETURN = r"""
name:
  description: Name of the cluster.
  returned: always
  type: str
namespace:
  description: Its namespace on the hub.
  returned: always
  type: str
plan:
  description: What was changed on the hub, or would be in check mode, with reasons.
  returned: always
  type: list
  elements: str
objects:
  description: The writes of this run.
  returned: O(state=present)
  type: list
  elements: dict
  contains:
    kind:
      description: Kind of the object.
      type: str
    name:
      description: Its name.
      type: str
    action:
      description: V(create), V(patch) or V(delete).
      type: str
phase:
  description: V(unseen), V(waiting), V(held), V(ready), V(installing), V(installed), V(refused), V(failed) or
    V(cancelled).
  returned: O(state=present)
  type: str
percent:
  description: Progress of the installation, 0 to 100.
  returned: O(state=present)
  type: int
reason:
  description: What it waits for or what went wrong, in the operator's words.
  returned: O(state=present)
  type: str
validations:
  description: Validations of the cluster that do not pass.
  returned: O(state=present)
  type: list
  elements: dict
  contains:
    id:
      description: Its id.
      type: str
    message:
      description: Its words.
      type: str
hosts:
  description: The Agents bound to the cluster.
  returned: O(state=present)
  type: list
  elements: dict
  contains:
    name:
      description: Hostname.
      type: str
    agent:
      description: Name of the Agent.
      type: str
    role:
      description: Its role.
      type: str
    status:
      description: Its state in the service's word.
      type: str
    stage:
      description: Stage of the installation.
      type: str
    percent:
      description: Its progress, 0 to 100.
      type: int
    reason:
      description: The service's explanation of the state.
      type: str
kubeconfig:
  description: Path of the kubeconfig; empty as long as there is none.
  returned: with O(work_dir)
  type: str
kubeadmin_password_file:
  description: Path of the password's file; empty as long as there is none.
  returned: with O(work_dir)
  type: str
image_set:
  description: Name of the ClusterImageSet.
  returned: O(state=present)
  type: str
infra_env:
  description: Options of M(zerotouch.openshift.infra_env) for an image whose hosts can install this cluster.
  returned: O(state=present)
  type: dict
agents:
  description: The hosts of the configuration as M(zerotouch.openshift.agents) takes them, not bound to a cluster yet.
  returned: O(state=present)
  type: list
  elements: dict
problems:
  description: What the checks found; on success warnings only (see M(zerotouch.openshift.agent_config)).
  returned: O(state=present)
  type: list
  elements: dict
stays:
  description: Objects that were not deleted, and why.
  returned: O(state=absent)
  type: list
  elements: str
"""

import dataclasses
from typing import Any

from ansible_collections.zerotouch.openshift.plugins.module_utils.boot.options import media_hosts_spec
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.entry_point import Call, run_module
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.described import DESCRIPTION_OPTIONS
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.hub.cluster import (
    HubRequest,
    ensure_absent,
    ensure_present,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.hub.install.wait import InstallLimits
from ansible_collections.zerotouch.openshift.plugins.module_utils.kube.connection import CONNECTION_OPTIONS

OPTIONS = {
    "supports_check_mode": True,
    "required_if": [("state", "present", ("cluster", "config_dir"), True), ("state", "absent", ("name",))],
    "mutually_exclusive": [("cluster", "config_dir")],
}


def argument_spec() -> dict[str, Any]:
    limits = {name: {"type": "float", "default": value} for name, value in dataclasses.asdict(InstallLimits()).items()}
    return {
        **CONNECTION_OPTIONS,
        "state": {"type": "str", "choices": ["present", "absent"], "default": "present"},
        "name": {"type": "str"},
        "namespace": {"type": "str"},
        **DESCRIPTION_OPTIONS,
        "image_set": {"type": "str"},
        "hold": {"type": "bool"},
        "wait_for": {
            "type": "str",
            "choices": ["none", "requirements_met", "installing", "installed"],
            "default": "none",
        },
        "timeouts": {"type": "dict", "default": {}, "options": limits},
        "work_dir": {"type": "path"},
        "agent_namespace": {"type": "str"},
        **media_hosts_spec(),
    }


def run(call: Call) -> dict[str, Any]:
    request = HubRequest.of(call.params)
    return ensure_present(request, call) if call.params["state"] == "present" else ensure_absent(request, call)


def main() -> None:
    run_module(argument_spec, OPTIONS, run)


if __name__ == "__main__":
    main()
