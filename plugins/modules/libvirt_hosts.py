#!/usr/bin/python
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors

from __future__ import annotations

DOCUMENTATION = r"""
module: libvirt_hosts
short_description: Define and remove the virtual machines of hosts
version_added: 0.2.0
author: the zerotouch.openshift authors (@zerotouch-openshift)
description:
  - Defines a domain with its disks for each host, and virtual networks with DHCP and the DNS records of the cluster, on
    the hypervisors that the hosts name. Domains are defined and not started; M(zerotouch.openshift.boot_hosts) starts
    them with method V(libvirt).
  - A domain has UEFI firmware that libvirt chooses, a CD drive for images, and starts from its first disk. Machine q35
    for x86_64, virt for aarch64.
  - A domain, volume or network that this module did not define is never changed or removed. Domains are marked in their
    metadata, which list their disks. A network is marked by its UUID, which follows from its name.
  - Everything is read and checked before the first change. One problem stops all.
  - Removal deletes disks. It needs the name of the cluster in O(touch.confirm), and the decision of the safety table
    for action C(destroy) (M(zerotouch.openshift.touch_check)). A host that the table leaves alone stays.
extends_documentation_fragment:
  - zerotouch.openshift.attributes
  - zerotouch.openshift.touch
attributes:
  check_mode:
    support: full
  diff_mode:
    support: full
  idempotent:
    support: full
options:
  state:
    description: Whether the machines and networks exist.
    type: str
    choices: [present, absent]
    default: present
  hosts:
    description: The hosts.
    type: list
    elements: dict
    required: true
    suboptions:
      name:
        description: Name of the host, and of its domain unless O(hosts[].libvirt.domain) says otherwise.
        type: str
        required: true
      libvirt:
        description: Its hypervisor.
        type: dict
        required: true
        suboptions:
          uri:
            description: Connection URI, for example C(qemu:///system).
            type: str
            required: true
          domain:
            description: Name of the domain. By default the name of the host.
            type: str
          pool:
            description: Storage pool for the disks. It must be active.
            type: str
            default: default
      vm:
        description: The machine.
        type: dict
        default: {}
        suboptions:
          cpus:
            description: Number of virtual CPUs.
            type: int
            default: 4
          memory_mib:
            description: Memory in MiB.
            type: int
            default: 16384
          disks:
            description: Disks, by default one of 120 GiB. The first one is C(/dev/sda). A disk that exists is neither
              resized nor removed.
            type: list
            elements: dict
            suboptions:
              size_gib:
                description: Size in GiB.
                type: int
                required: true
              pool:
                description: Storage pool. By default O(hosts[].libvirt.pool).
                type: str
              serial:
                description: Serial number for root device hints, at most 20 characters. By default name and number.
                type: str
          networks:
            description: Virtual networks, one for all interfaces or one for each. By default C(default).
            type: list
            elements: str
          arch:
            description: Architecture. By default that of the hypervisor.
            type: str
            choices: [x86_64, aarch64]
          secure_boot:
            description: Whether the firmware has secure boot with enrolled keys. x86_64 only.
            type: bool
            default: false
          tpm:
            description: Whether it has a virtual TPM 2.0. The hypervisor needs swtpm.
            type: bool
            default: false
      mac_addresses:
        description: MAC addresses of its interfaces, in their order.
        type: list
        elements: str
        default: []
      addresses:
        description: Its static addresses, which DHCP of a network reserves for it.
        type: list
        elements: str
        default: []
  networks:
    description: Virtual networks to define. Networks that are not listed must exist.
    type: list
    elements: dict
    default: []
    suboptions:
      name:
        description: Name of the network.
        type: str
        required: true
      cidr:
        description: IPv4 network with at least 16 addresses. The hypervisor has its first address.
        type: str
        required: true
      uri:
        description: Connection URI. By default those of the hosts that use the network.
        type: str
      mode:
        description: V(nat) reaches other networks through the hypervisor, V(isolated) does not.
        type: str
        choices: [nat, isolated]
        default: nat
      dhcp_range:
        description: First and last address for DHCP clients. By default the last quarter of the network.
        type: list
        elements: str
  cluster:
    description: The cluster whose DNS records the networks have, with C(name), C(base_domain), C(api_vips) and
      C(ingress_vips).
    type: dict
    default: {}
"""

EXAMPLES = r"""
- name: A machine for a single-node cluster
  zerotouch.openshift.libvirt_hosts:
    hosts:
      - name: sno-0
        libvirt: {uri: "qemu:///system"}
        vm: {cpus: 8, memory_mib: 32768, disks: [{size_gib: 120}], networks: [sno]}
        mac_addresses: ["52:54:00:5a:00:10"]
        addresses: [192.168.126.10]
    networks:
      - name: sno
        cidr: 192.168.126.0/24
    cluster:
      name: sno
      base_domain: example.com
      api_vips: [192.168.126.10]
      ingress_vips: [192.168.126.10]
"""

RETURN = r"""
plan:
  description: What was changed, or would be changed in check mode, one line each.
  returned: always
  type: list
  elements: str
notes:
  description: What was left to the user, and what was left alone because this module did not define it.
  returned: always
  type: list
  elements: str
"""

from typing import Any

from ansible_collections.zerotouch.openshift.plugins.module_utils.common.entry_point import Call, run_module
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.safety.options import touch_spec
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.virtual_machines import define_or_remove
from ansible_collections.zerotouch.openshift.plugins.module_utils.hypervisor.machines.description import ARCHITECTURES
from ansible_collections.zerotouch.openshift.plugins.module_utils.hypervisor.machines.network import MODES

OPTIONS = {"supports_check_mode": True}


def argument_spec() -> dict[str, Any]:
    disk = {"size_gib": {"type": "int", "required": True}, "pool": {"type": "str"}, "serial": {"type": "str"}}
    vm = {
        "cpus": {"type": "int", "default": 4},
        "memory_mib": {"type": "int", "default": 16384},
        "disks": {"type": "list", "elements": "dict", "options": disk},
        "networks": {"type": "list", "elements": "str"},
        "arch": {"type": "str", "choices": list(ARCHITECTURES)},
        "secure_boot": {"type": "bool", "default": False},
        "tpm": {"type": "bool", "default": False},
    }
    host = {
        "name": {"type": "str", "required": True},
        "libvirt": {
            "type": "dict",
            "required": True,
            "options": {
                "uri": {"type": "str", "required": True},
                "domain": {"type": "str"},
                "pool": {"type": "str", "default": "default"},
            },
        },
        "vm": {"type": "dict", "default": {}, "options": vm},
        "mac_addresses": {"type": "list", "elements": "str", "default": []},
        "addresses": {"type": "list", "elements": "str", "default": []},
    }
    network = {
        "name": {"type": "str", "required": True},
        "cidr": {"type": "str", "required": True},
        "uri": {"type": "str"},
        "mode": {"type": "str", "choices": list(MODES), "default": "nat"},
        "dhcp_range": {"type": "list", "elements": "str"},
    }
    return {
        "state": {"type": "str", "choices": ["present", "absent"], "default": "present"},
        "hosts": {"type": "list", "elements": "dict", "required": True, "options": host},
        "networks": {"type": "list", "elements": "dict", "default": [], "options": network},
        "cluster": {"type": "dict", "default": {}},
        "touch": touch_spec(),
    }


def run(call: Call) -> dict[str, Any]:
    return define_or_remove(call)


def main() -> None:
    run_module(argument_spec, OPTIONS, run)


if __name__ == "__main__":
    main()
