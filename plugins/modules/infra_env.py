#!/usr/bin/python
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors

from __future__ import annotations

DOCUMENTATION = r"""
module: infra_env
short_description: Create or update an InfraEnv on a hub, and wait for its discovery image
version_added: 0.1.0
author: the zerotouch.openshift authors (@zerotouch-openshift)
description:
  - Creates or updates an InfraEnv of the Infrastructure Operator, the Secret with its pull secret and one NMStateConfig
    per host. Then waits until hosts can boot the discovery image. The InfraEnv is written last, so that its first image
    is already correct.
  - A field whose option is not set keeps its value on the hub; an empty option clears the field.
  - If the hub would reject a change, the module fails before it writes anything. RV(not_propagated) lists changes that
    the hub would accept but not apply.
extends_documentation_fragment:
  - zerotouch.openshift.attributes
  - zerotouch.openshift.discovery_image
  - zerotouch.openshift.hub
attributes:
  check_mode:
    support: full
    details: Every write is sent as a server-side dry run, so that admission has its say, except in a namespace that
      does not exist yet. There is no waiting.
  diff_mode:
    support: full
    details: Data of Secrets is hidden.
  idempotent:
    support: full
notes:
  - "Permissions in the namespace: get, list, watch, create, patch, delete on infraenvs and get, list, create, patch,
    delete on nmstateconfigs (agent-install.openshift.io); get, create, patch, delete on secrets."
  - "For O(state=absent) also list on agents (agent-install.openshift.io). For O(os_image_version) of an InfraEnv with a
    cluster also get on clusterdeployments (hive.openshift.io) in the cluster's namespace. Get and create on namespaces
    only if the namespace is to be made."
options:
  name:
    description: Name of the InfraEnv.
    type: str
    required: true
  namespace:
    description: Its namespace, which is made if it does not exist, and never deleted. Agents of hosts that boot its
      image appear there.
    type: str
    required: true
  state:
    description:
      - V(present) creates or updates. V(absent) deletes the InfraEnv and the NMStateConfigs and the pull secret that
        this collection made for it.
      - An InfraEnv that this collection did not make is not deleted, and none whose Agents are bound to a cluster.
        Neither is one that has another UID than O(work_dir) records.
    type: str
    choices: [present, absent]
    default: present
  pull_secret:
    description:
      - The pull secret, as JSON text or mapping. It is kept in the Secret C(<name>-pull-secret).
      - A new InfraEnv needs this or O(pull_secret_name).
    type: raw
  pull_secret_name:
    description: Name of a Secret in the same namespace, with key C(.dockerconfigjson), that is there already.
    type: str
  cluster:
    description:
      - The ClusterDeployment that all hosts of the InfraEnv belong to (early binding). Without it they are bound later.
        Cannot be changed.
    type: dict
    suboptions:
      name:
        description: Name of the ClusterDeployment.
        type: str
      namespace:
        description: Its namespace.
        type: str
  os_image_version:
    description: Which of the hub's operating system images to use, by its OpenShift version such as V(4.22). By default
      the cluster's, else the newest.
    type: str
  agent_labels:
    description: Labels of every Agent that registers, as a whole; those not named any more go.
    type: dict
  auto_approve:
    description: Whether the hub approves every host that boots the image. Then every machine that boots a copy of the
      image is approved.
    type: bool
  ipxe_script_type:
    description: V(BootOrderControl) makes the iPXE script answer installed hosts so that they boot from disk.
    type: str
    choices: [DiscoveryImageAlways, BootOrderControl]
  mirror_registry:
    description: The ConfigMap with C(registries.conf) and C(ca-bundle.crt) for mirrored registries.
    type: dict
    suboptions:
      name:
        description: Name of the ConfigMap.
        type: str
      namespace:
        description: Its namespace.
        type: str
  labels:
    description: Labels of the InfraEnv; a null value removes one, others stay.
    type: dict
  annotations:
    description: Annotations of the InfraEnv; a null value removes one, others stay.
    type: dict
  hosts:
    description:
      - Hosts with a network configuration of their own. Each becomes the NMStateConfig C(<name>-<host>), which the
        InfraEnv selects.
      - NMStateConfigs of hosts that are not listed any more are deleted if this collection made them. Hosts that use
        DHCP need no entry.
    type: list
    elements: dict
    suboptions:
      name:
        description: Name of the host.
        type: str
        required: true
      interfaces:
        description: Its NICs. The machine that has one of these MAC addresses gets the configuration.
        type: list
        elements: dict
        required: true
        suboptions:
          name:
            description: Name of the NIC in O(hosts[].network_config); on the machine it may be another one.
            type: str
            required: true
          mac_address:
            description: Its MAC address.
            type: str
            required: true
      network_config:
        description: The nmstate document.
        type: dict
        required: true
  work_dir:
    description:
      - Work directory of the deployment. Its C(state.json) records the UID of an InfraEnv that this module creates, so
        that O(state=absent) does not delete an InfraEnv of the same name on another hub.
      - Without it nothing is recorded.
    type: path
  wait:
    description: Whether to wait until the image may be booted from, or until the InfraEnv is gone.
    type: bool
    default: true
  timeout:
    description: Seconds to wait at most.
    type: float
    default: 600
  image_cooldown:
    description: Seconds that an image must be old before it is used, by the hub's clock, since every change on the hub
      makes a new one.
    type: int
    default: 60
  forks:
    description: How many objects are written at the same time.
    type: int
    default: 8
"""

EXAMPLES = r"""
- name: Create or update a discovery image for the machines of a site
  zerotouch.openshift.infra_env:
    kubeconfig: ~/hub.kubeconfig
    name: site-1
    namespace: site-1
    pull_secret: "{{ lookup('ansible.builtin.file', '~/pull-secret.json') }}"
    ssh_public_keys: ["{{ lookup('ansible.builtin.file', '~/.ssh/id_ed25519.pub') }}"]
    additional_ntp_sources: [ntp.example.com]
    agent_labels: {site: site-1}
    hosts:
      - name: node-1
        interfaces:
          - {name: eth0, mac_address: "52:54:00:00:00:01"}
        network_config:
          interfaces:
            - name: eth0
              type: ethernet
              state: up
              ipv4: {enabled: true, dhcp: false, address: [{ip: 192.0.2.11, prefix-length: 24}]}
  register: site

- name: Delete the InfraEnv
  zerotouch.openshift.infra_env:
    kubeconfig: ~/hub.kubeconfig
    name: site-1
    namespace: site-1
    state: absent
"""

RETURN = r"""
plan:
  description: What differs from the desired state, one line for each object, with the reasons.
  returned: always, once the hub was contacted
  type: list
  elements: str
done:
  description: Those of RV(plan) that were carried out (in check mode, accepted by the server).
  returned: always, once the hub was contacted
  type: list
  elements: str
infra_env:
  description: What identifies the InfraEnv.
  returned: always, once the hub was contacted
  type: dict
  contains:
    name:
      description: Its name.
      type: str
    namespace:
      description: Its namespace.
      type: str
    id:
      description: Its id in the assisted service, which hosts register with; empty until there is an image.
      type: str
iso_url:
  description:
    - URL of the discovery ISO; empty until there is one. It holds a token and changes with every change of the
      InfraEnv, so read it right before use.
  returned: success
  type: str
created_time:
  description: When the image was last made.
  returned: success
  type: str
boot_artifacts:
  description: URLs for booting without the ISO; empty texts until there is an image. Those of the initrd, the iPXE
    script and the Ignition hold a token.
  returned: success
  type: dict
  contains:
    kernel:
      description: The kernel.
      type: str
    initrd:
      description: The initrd of this InfraEnv, its Ignition included.
      type: str
    rootfs:
      description: The root file system.
      type: str
    ipxe_script:
      description: An iPXE script that boots these.
      type: str
    discovery_ignition:
      description: The discovery Ignition.
      type: str
not_propagated:
  description: Changes that the hub accepts and its images do not show.
  returned: always, once the hub was contacted
  type: list
  elements: dict
  contains:
    option:
      description: The option.
      type: str
    field:
      description: The field of the InfraEnv.
      type: str
    reason:
      description: What happens.
      type: str
    remedy:
      description: What helps.
      type: str
stays:
  description: With O(state=absent), what is left because this collection or this deployment did not make it; also where
    it fails because that is the InfraEnv.
  returned: always, once the hub was contacted
  type: list
  elements: str
"""

from pathlib import Path
from typing import Any

from ansible_collections.zerotouch.openshift.plugins.module_utils.cluster.discovery_options import (
    DISCOVERY_OPTIONS,
    HOST_NETWORKS,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.entry_point import Call, run_module
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.parallel import API_FORKS
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.state import StateFile
from ansible_collections.zerotouch.openshift.plugins.module_utils.hub.infra_env.run import (
    ImageWait,
    InfraEnvSession,
    make_absent,
    make_present,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.kube.connection import CONNECTION_OPTIONS, connect

OPTIONS = {
    "supports_check_mode": True,
    "mutually_exclusive": [["pull_secret", "pull_secret_name"], ["ntp_sources", "additional_ntp_sources"]],
}

_REFERENCE = {"name": {"type": "str"}, "namespace": {"type": "str"}}


def argument_spec() -> dict[str, Any]:
    return {
        **CONNECTION_OPTIONS,
        **DISCOVERY_OPTIONS,
        "name": {"type": "str", "required": True},
        "namespace": {"type": "str", "required": True},
        "state": {"type": "str", "choices": ["present", "absent"], "default": "present"},
        # as a mapping it would have every leaf masked; the module knows what is secret in it
        "pull_secret": {"type": "raw", "no_log": False},
        "pull_secret_name": {"type": "str", "no_log": False},
        "cluster": {"type": "dict", "options": _REFERENCE},
        "os_image_version": {"type": "str"},
        "agent_labels": {"type": "dict"},
        "auto_approve": {"type": "bool"},
        "ipxe_script_type": {"type": "str", "choices": ["DiscoveryImageAlways", "BootOrderControl"]},
        "mirror_registry": {"type": "dict", "options": _REFERENCE},
        "labels": {"type": "dict"},
        "annotations": {"type": "dict"},
        "hosts": HOST_NETWORKS,
        "work_dir": {"type": "path"},
        "wait": {"type": "bool", "default": True},
        "timeout": {"type": "float", "default": 600},
        "image_cooldown": {"type": "int", "default": 60},
        "forks": {"type": "int", "default": API_FORKS},
    }


def run(call: Call) -> dict[str, Any]:
    params = call.params
    client = connect(params, clock=call.clock, check_mode=call.check_mode, forks=params["forks"])
    call.hand_over("iso_url", "boot_artifacts")
    state = StateFile(Path(params["work_dir"]) / "state.json") if params["work_dir"] else None
    session = InfraEnvSession(
        client, call.check_mode, params["forks"], call.clock, call.progress, call.add_secrets, state
    )
    waiting = ImageWait(params["wait"], params["timeout"], params["image_cooldown"])
    present = params["state"] == "present"
    result = (
        make_present(params, waiting, session)
        if present
        else make_absent(params["name"], params["namespace"], waiting, session)
    )
    for warning in result.warnings:
        call.warn(warning)
    call.plan(result.value["plan"])
    return {**result.value, **({"diff": list(result.diff)} if call.diff else {})}


def main() -> None:
    run_module(argument_spec, OPTIONS, run)


if __name__ == "__main__":
    main()
