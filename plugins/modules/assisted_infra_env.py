#!/usr/bin/python
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors

from __future__ import annotations

DOCUMENTATION = r"""
module: assisted_infra_env
short_description: Have an InfraEnv in an assisted-service, and the URL of its discovery image
version_added: 0.1.0
author: the zerotouch.openshift authors (@zerotouch-openshift)
description:
  - Creates or updates an InfraEnv over the REST API of an assisted-service, with the network of its hosts, and tells where its discovery image is.
  - It is looked up by name. An option that is not given is left as it is; one that is given empty is cleared; only what differs is sent.
extends_documentation_fragment:
  - zerotouch.openshift.attributes
  - zerotouch.openshift.assisted
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
    description: With O(state=absent), have the service forget its hosts first. Otherwise an InfraEnv that has hosts stays, and the task fails.
    type: bool
    default: false
  cluster:
    description: The cluster, by name or id, that all its hosts belong to. Without it they are bound later. Cannot be changed.
    type: str
  pull_secret:
    description: The pull secret, as JSON text or mapping. A new InfraEnv needs it.
    type: raw
  replace_pull_secret:
    description: Send O(pull_secret) to an InfraEnv that exists, too.
    type: bool
    default: false
  ssh_authorized_key:
    description: Public keys, one a line, for the user C(core) of hosts that run the discovery image.
    type: str
  image_proxy:
    description: Proxy that hosts use which run the discovery image. (O(proxy) is the one to reach the service.)
    type: dict
    suboptions:
      http_proxy:
        description: Proxy for HTTP, a URL that begins with C(http://).
        type: str
      https_proxy:
        description: Proxy for HTTPS, also a URL that begins with C(http://).
        type: str
      no_proxy:
        description: Hosts, domains and networks to go to directly, separated by commas.
        type: str
  additional_ntp_sources:
    description: Time servers besides those from DHCP.
    type: list
    elements: str
  ntp_sources:
    description: The only time servers. Not together with O(additional_ntp_sources).
    type: list
    elements: str
  image_type:
    description: Kind of the ISO; by default the service's.
    type: str
    choices: [full-iso, minimal-iso, disconnected-iso]
  openshift_version:
    description: Which of the service's operating system images to use; by default the cluster's, else the newest.
    type: str
  cpu_architecture:
    description: Architecture of the hosts; the service's default is V(x86_64). Cannot be changed.
    type: str
    choices: [x86_64, aarch64, arm64, ppc64le, s390x]
  kernel_arguments:
    description: Kernel arguments of the discovery image.
    type: list
    elements: dict
    suboptions:
      operation:
        description: What to do with it. The service accepts V(append) only.
        type: str
        choices: [append, replace, delete]
        default: append
      value:
        description: The argument; blanks in double quotes.
        type: str
        required: true
  ignition_config_override:
    description: Ignition 3.x config, as JSON text or mapping, merged over the one of the discovery image.
    type: json
  additional_trust_bundle:
    description: CA certificates, PEM, that the discovery image trusts.
    type: str
  network_discovery_delay_seconds:
    description: Seconds that the discovery image waits before it looks which network configuration is its own, for hosts whose many NICs appear late.
    type: int
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
- name: Have a discovery image for the machines of a site
  zerotouch.openshift.assisted_infra_env:
    service_url: http://192.0.2.10:8090
    name: site-1
    cluster: edge
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

- name: Take it back, and forget its hosts
  zerotouch.openshift.assisted_infra_env:
    service_url: http://192.0.2.10:8090
    name: site-1
    state: absent
    delete_hosts: true
"""

RETURN = r"""
plan:
  description: What differs from the wish, one line for each object; in check mode what a run would do.
  returned: success
  type: list
  elements: str
  sample: ["update infra-env site-1: additional_ntp_sources: none -> 'ntp.example.com'"]
infra_env:
  description: The InfraEnv, in the form of RV(zerotouch.openshift.assisted_info#module:infra_envs); RV(infra_env.id) is empty before it exists.
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
  description: URL of the discovery ISO; may hold a token that ends. Empty where the service makes no images, and before the InfraEnv exists.
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

from ansible_collections.zerotouch.openshift.plugins.module_utils.assisted.connection import ASSISTED_OPTIONS, connect
from ansible_collections.zerotouch.openshift.plugins.module_utils.assisted.infra_env import make_absent, make_present
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.door import Call, run_module

OPTIONS = {"supports_check_mode": True, "mutually_exclusive": [["ntp_sources", "additional_ntp_sources"]]}

_INTERFACE = {"name": {"type": "str", "required": True}, "mac_address": {"type": "str", "required": True}}


def argument_spec() -> dict[str, Any]:
    return {
        **ASSISTED_OPTIONS,
        "name": {"type": "str", "required": True},
        "state": {"type": "str", "choices": ["present", "absent"], "default": "present"},
        "delete_hosts": {"type": "bool", "default": False},
        "cluster": {"type": "str"},
        "pull_secret": {"type": "raw", "no_log": False},  # as a mapping it would have every leaf masked; the door knows what is secret in it
        "replace_pull_secret": {"type": "bool", "default": False, "no_log": False},
        "ssh_authorized_key": {"type": "str", "no_log": False},
        "image_proxy": {"type": "dict", "options": {"http_proxy": {"type": "str"}, "https_proxy": {"type": "str"}, "no_proxy": {"type": "str"}}},
        "additional_ntp_sources": {"type": "list", "elements": "str"},
        "ntp_sources": {"type": "list", "elements": "str"},
        "image_type": {"type": "str", "choices": ["full-iso", "minimal-iso", "disconnected-iso"]},
        "openshift_version": {"type": "str"},
        "cpu_architecture": {"type": "str", "choices": ["x86_64", "aarch64", "arm64", "ppc64le", "s390x"]},
        "kernel_arguments": {
            "type": "list",
            "elements": "dict",
            "options": {
                "operation": {"type": "str", "choices": ["append", "replace", "delete"], "default": "append"},
                "value": {"type": "str", "required": True},
            },
        },
        "ignition_config_override": {"type": "json"},
        "additional_trust_bundle": {"type": "str"},
        "network_discovery_delay_seconds": {"type": "int"},
        "rendezvous_ip": {"type": "str"},
        "hosts": {
            "type": "list",
            "elements": "dict",
            "options": {
                "name": {"type": "str", "required": True},
                "interfaces": {"type": "list", "elements": "dict", "required": True, "options": _INTERFACE},
                "network_config": {"type": "dict", "required": True},
            },
        },
    }


def run(call: Call) -> dict[str, Any]:
    params = call.params
    service = connect(params, call.clock, call.check_mode, learnt=call.add_secrets)
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
