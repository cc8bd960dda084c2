#!/usr/bin/python
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors

from __future__ import annotations

DOCUMENTATION = r"""
module: assisted_infra_env
short_description: Create or update an InfraEnv in an assisted-service, and return the URL of its discovery image
version_added: 0.1.0
author: the zerotouch.openshift authors (@zerotouch-openshift)
description:
  - Creates or updates an InfraEnv over the REST API of an assisted-service, with the network configuration of its
    hosts, and returns the URL of its discovery image.
  - The module finds the InfraEnv by its name, and sends only fields that differ. A field whose option is not set keeps
    its value; an empty option clears the field.
extends_documentation_fragment:
  - zerotouch.openshift.attributes
  - zerotouch.openshift.discovery_image
  - zerotouch.openshift.assisted
  - zerotouch.openshift.assisted.pull_secret
attributes:
  check_mode:
    support: full
    details: A cluster that does not exist is warned of, since an earlier task may be going to make it.
  diff_mode:
    support: full
    details: Secrets are hidden.
  idempotent:
    support: full
    details: Not with O(replace_pull_secret), since the service does not show the pull secret it has.
options:
  name:
    description: Name of the InfraEnv, or the id of one that exists.
    type: str
    required: true
  state:
    description: V(present) creates or updates. V(absent) deletes it.
    type: str
    choices: [present, absent]
    default: present
  delete_hosts:
    description: With O(state=absent), have the service forget its hosts first. Otherwise an InfraEnv that has hosts
      stays, and the task fails.
    type: bool
    default: false
  cluster_name:
    description: The cluster, by name or id, that all its hosts belong to. Without it they are bound later. Cannot be
      changed.
    type: str
  openshift_version:
    description: Which of the service's operating system images to use; by default the cluster's, else the newest.
    type: str
  rendezvous_ip:
    description: Rendezvous address of an image of type V(disconnected-iso).
    type: str
  hosts:
    description:
      - Hosts with a network configuration of their own, as a whole. Hosts that use DHCP need no entry.
      - Every new image has these; a machine that has booted keeps what it booted with.
    type: list
    elements: dict
    suboptions:
      name:
        description: What to call the host in messages.
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
seealso:
  - module: zerotouch.openshift.infra_env
    description: The same on a hub.
"""

EXAMPLES = r"""
- name: Create or update a discovery image for the machines of a site
  zerotouch.openshift.assisted_infra_env:
    service_url: http://192.0.2.10:8090
    name: site-1
    cluster_name: edge
    pull_secret: "{{ lookup('ansible.builtin.file', '~/pull-secret.json') }}"
    additional_ntp_sources: [ntp.example.com]
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

- name: Delete the InfraEnv and its hosts
  zerotouch.openshift.assisted_infra_env:
    service_url: http://192.0.2.10:8090
    name: site-1
    state: absent
    delete_hosts: true
"""

RETURN = r"""
plan:
  description: What differs from the desired state, one line for each object; in check mode what a run would do.
  returned: success
  type: list
  elements: str
  sample: ["update infra-env site-1: additional_ntp_sources: none -> 'ntp.example.com'"]
infra_env:
  description: The InfraEnv, in the form of RV(zerotouch.openshift.assisted_info#module:infra_envs); RV(infra_env.id) is
    empty before it exists.
  returned: success
  type: dict
  contains:
    id:
      description: Its id.
      type: str
    name:
      description: Its name.
      type: str
image_url:
  description: URL of the discovery ISO; may hold a token that ends. Empty where the service makes no images, and before
    the InfraEnv exists.
  returned: success
  type: str
image_expires_at:
  description: When the URL ends; empty if it does not.
  returned: success
  type: str
done:
  description: What was deleted before it failed.
  returned: failure half-way through O(state=absent)
  type: list
  elements: str
"""

from typing import Any

from ansible_collections.zerotouch.openshift.plugins.module_utils.assisted.infra_env.run import (
    make_absent,
    make_present,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.assisted.rest.connection import (
    ASSISTED_OPTIONS,
    PULL_SECRET_OPTIONS,
    connect,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.cluster.discovery_options import (
    DISCOVERY_OPTIONS,
    HOST_NETWORKS,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.entry_point import Call, run_module

OPTIONS = {"supports_check_mode": True, "mutually_exclusive": [["ntp_sources", "additional_ntp_sources"]]}


def argument_spec() -> dict[str, Any]:
    return {
        **ASSISTED_OPTIONS,
        **DISCOVERY_OPTIONS,
        "name": {"type": "str", "required": True},
        "state": {"type": "str", "choices": ["present", "absent"], "default": "present"},
        "delete_hosts": {"type": "bool", "default": False},
        "cluster_name": {"type": "str"},
        **PULL_SECRET_OPTIONS,
        "openshift_version": {"type": "str"},
        "rendezvous_ip": {"type": "str"},
        "hosts": HOST_NETWORKS,
    }


def run(call: Call) -> dict[str, Any]:
    params = call.params
    service = connect(params, call.clock, call.check_mode, learnt=call.add_secrets, warn=call.warn)
    call.hand_over("image_url")
    if params["state"] == "present":
        done = make_present(service, params, check_mode=call.check_mode)
    else:
        done = make_absent(service, params["name"], delete_hosts=params["delete_hosts"], check_mode=call.check_mode)
    for warning in done.warnings:
        call.warn(warning)
    call.plan(done.value["plan"])
    return {**done.value, **({"diff": [change.diff() for change in done.changes]} if call.diff else {})}


def main() -> None:
    run_module(argument_spec, OPTIONS, run)


if __name__ == "__main__":
    main()
