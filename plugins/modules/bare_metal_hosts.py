#!/usr/bin/python
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors

from __future__ import annotations

DOCUMENTATION = r"""
module: bare_metal_hosts
short_description: Create BareMetalHosts, so that a hub boots machines through their BMCs
version_added: 0.1.0
author: the zerotouch.openshift authors (@zerotouch-openshift)
description:
  - Creates a BareMetalHost for each host, and a Secret with the credentials of its BMC. The hub's baremetal-operator
    then boots the machine from the image of the InfraEnv. The hub copies name, role, disk and cluster from the
    BareMetalHost to the Agent.
  - The alternative is to boot the machines from the control node (M(zerotouch.openshift.boot_hosts)), and to set these
    fields of the Agents directly (M(zerotouch.openshift.agents)).
  - If the hub would reject or revert a change, the module fails before it writes anything. Fields that controllers of
    the hub write into a BareMetalHost stay as they are.
extends_documentation_fragment:
  - zerotouch.openshift.attributes
  - zerotouch.openshift.host_requests.bare_metal_hosts
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
  - "Permissions in the namespace: list, watch, create, patch, delete on baremetalhosts (metal3.io); get, list, create,
    patch, delete on secrets; get on infraenvs and, for O(state=absent) and O(hosts[].cluster), list on agents
    (agent-install.openshift.io). Get and create on namespaces only if the namespace is to be made."
options:
  namespace:
    description: Namespace of the InfraEnv, and of the BareMetalHosts.
    type: str
    required: true
  infra_env_name:
    description: The InfraEnv whose image the hosts boot. Needed unless O(state=absent).
    type: str
  state:
    description:
      - V(present) creates or updates. V(absent) deletes the BareMetalHosts of O(hosts) and, once they are gone, their
        Secrets, if this collection made them.
      - A BareMetalHost is not deleted as long as that would switch off the machine of a host that belongs to a cluster,
        or take its Node away.
    type: str
    choices: [present, absent]
    default: present
  hosts:
    description: The hosts. Others are left alone. For O(state=absent) names are enough.
    type: list
    elements: dict
    required: true
  wait:
    description: Whether to wait until the hub has got through to all BMCs, or until the BareMetalHosts are gone.
    type: bool
    default: true
  timeout:
    description: Seconds to wait at most.
    type: float
    default: 600
  forks:
    description: How many objects are written at the same time.
    type: int
    default: 8
"""

EXAMPLES = r"""
- name: Create a BareMetalHost, so that the hub boots the machine as a worker
  zerotouch.openshift.bare_metal_hosts:
    kubeconfig: ~/hub.kubeconfig
    namespace: site-1
    infra_env_name: site-1
    hosts:
      - name: worker-0
        boot_mac_address: "52:54:00:00:00:01"
        bmc:
          address: redfish-virtualmedia+https://192.0.2.11/redfish/v1/Systems/1
          username: admin
          password: "{{ bmc_password }}"
        role: worker
        root_device_hints: {deviceName: /dev/sda}
        cluster: {name: site-1}

- name: Delete the BareMetalHost
  zerotouch.openshift.bare_metal_hosts:
    kubeconfig: ~/hub.kubeconfig
    namespace: site-1
    state: absent
    hosts:
      - name: worker-0
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
stays:
  description: With O(state=absent), Secrets that are not deleted, and why.
  returned: always, once the hub was contacted
  type: list
  elements: str
hosts:
  description: Each host as it is now, in the order given; empty where a write failed.
  returned: always, once the hub was contacted
  type: list
  elements: dict
  contains:
    name:
      description: Name of the BareMetalHost.
      type: str
    namespace:
      description: Its namespace.
      type: str
    state:
      description: baremetal-operator's state of it, such as V(available) or V(provisioned); empty while there is none.
      type: str
    operational_status:
      description: V(OK), V(error), V(detached) and so on.
      type: str
    powered_on:
      description: Whether the machine is on, as far as the hub knows.
      type: bool
    error:
      description: What is wrong with it, in baremetal-operator's words.
      type: str
    changed:
      description: Whether something was written for it.
      type: bool
    failed:
      description: Whether it did not register.
      type: bool
    waits_for:
      description: What has to be before its O(hosts[].cluster) can be passed on; empty once it is.
      type: str
"""

from typing import Any

from ansible_collections.zerotouch.openshift.plugins.module_utils.cluster.field_table import ANNOTATION_REQUESTS
from ansible_collections.zerotouch.openshift.plugins.module_utils.cluster.host_options import option_specs
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.entry_point import Call, run_module
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.parallel import API_FORKS
from ansible_collections.zerotouch.openshift.plugins.module_utils.hub.bare_metal_hosts.run import (
    RegistrationWait,
    make_absent,
    make_present,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.hub.infra_env.run import InfraEnvSession
from ansible_collections.zerotouch.openshift.plugins.module_utils.kube.connection import CONNECTION_OPTIONS, connect

OPTIONS = {"supports_check_mode": True}

_BMC = {
    "address": {"type": "str"},
    "username": {"type": "str"},
    "password": {"type": "str", "no_log": True},
    "validate_certs": {"type": "bool", "default": True},
    "ca_cert": {"type": "str"},
    "fingerprint": {"type": "str"},
    "clear_jobs": {"type": "bool", "default": False},
}


def argument_spec() -> dict[str, Any]:
    host = {
        "name": {"type": "str", "required": True},
        "create": {"type": "bool", "default": True},
        "boot_mac_address": {"type": "str"},
        "bmc": {"type": "dict", "options": _BMC},
        "boot_mode": {"type": "str", "choices": ["UEFI", "UEFISecureBoot", "legacy"]},
        "automated_cleaning_mode": {"type": "str", "choices": ["disabled", "metadata"], "default": "disabled"},
        "hostname": {"type": "str"},
        "role": {"type": "str", "choices": ["auto-assign", "master", "worker", "arbiter"]},
        "root_device_hints": {"type": "dict"},
        "agent_labels": {"type": "dict"},
        "node_labels": {"type": "dict"},
        **option_specs(ANNOTATION_REQUESTS),
        "ignition_config_overrides": {"type": "jsonarg"},
        "installer_args": {"type": "list", "elements": "str"},
        "cluster": {
            "type": "dict",
            "options": {"name": {"type": "str", "required": True}, "namespace": {"type": "str"}},
        },
        "unbind": {"type": "bool", "default": False},
    }
    return {
        **CONNECTION_OPTIONS,
        "namespace": {"type": "str", "required": True},
        "infra_env_name": {"type": "str"},
        "state": {"type": "str", "choices": ["present", "absent"], "default": "present"},
        "hosts": {"type": "list", "elements": "dict", "required": True, "options": host},
        "wait": {"type": "bool", "default": True},
        "timeout": {"type": "float", "default": 600},
        "forks": {"type": "int", "default": API_FORKS},
    }


def run(call: Call) -> dict[str, Any]:
    params = call.params
    client = connect(params, clock=call.clock, check_mode=call.check_mode, forks=params["forks"])
    session = InfraEnvSession(client, call.check_mode, params["forks"], call.clock, call.progress, call.add_secrets)
    waiting = RegistrationWait(params["wait"], params["timeout"])
    try:
        result = (make_present if params["state"] == "present" else make_absent)(params, waiting, session)
    finally:
        client.close()
    for warning in result.warnings:
        call.warn(warning)
    call.plan(result.value["plan"])
    return {**result.value, **({"diff": list(result.diff)} if call.diff else {})}


def main() -> None:
    run_module(argument_spec, OPTIONS, run)


if __name__ == "__main__":
    main()
