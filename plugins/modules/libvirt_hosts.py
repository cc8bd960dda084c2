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
  - Defines a domain with its disks for each host, and virtual networks with DHCP and the DNS records of the cluster, on the hypervisors that the hosts name.
    Domains are defined and not started; M(zerotouch.openshift.boot_hosts) starts them with method V(libvirt).
  - A domain has UEFI firmware that libvirt chooses, a CD drive for images, and starts from its first disk. Machine q35 for x86_64, virt for aarch64.
  - A domain, volume or network that this module did not define is never changed or removed. Domains are marked in their metadata, which list their disks.
    A network is marked by its UUID, which follows from its name.
  - Everything is read and checked before the first change. One problem stops all.
  - Removal deletes disks. It needs the name of the cluster in O(touch.confirm), and the decision of the safety table for action C(destroy)
    (M(zerotouch.openshift.touch_check)). A host that the table leaves alone stays.
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
            description: Disks, by default one of 120 GiB. The first one is C(/dev/sda). A disk that exists is neither resized nor removed.
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
    description: The cluster whose DNS records the networks have, with C(name), C(base_domain), C(api_vips) and C(ingress_vips).
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

import json
from collections.abc import Mapping, Sequence
from typing import Any

from ansible_collections.zerotouch.openshift.plugins.module_utils.bmc.hosts import BmcOptions
from ansible_collections.zerotouch.openshift.plugins.module_utils.boot.requests import boot_requests
from ansible_collections.zerotouch.openshift.plugins.module_utils.boot.run import inspect_all
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.entry_point import Call, run_module
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.errors import InvalidInput, ZeroTouchError
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.problems import Problem
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.safety.deletion import deletable
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.safety.gate import print_not_checked
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.safety.gather import decide
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.safety.options import Touch, read_touch, touch_spec
from ansible_collections.zerotouch.openshift.plugins.module_utils.hypervisor.machines.apply import apply, observe, opened, uris
from ansible_collections.zerotouch.openshift.plugins.module_utils.hypervisor.machines.description import ARCHITECTURES, Vm, read_vms
from ansible_collections.zerotouch.openshift.plugins.module_utils.hypervisor.machines.network import MODES, read_networks
from ansible_collections.zerotouch.openshift.plugins.module_utils.hypervisor.machines.plan import Change, plan_absent, plan_present

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
            "options": {"uri": {"type": "str", "required": True}, "domain": {"type": "str"}, "pool": {"type": "str", "default": "default"}},
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
    params = call.params
    vms, problems = read_vms(params["hosts"])
    networks, wrong = read_networks(params["networks"], params["cluster"], params["hosts"])
    _stop_for([*problems, *wrong])
    kept: Mapping[str, str] = {}
    if params["state"] == "absent":
        kept = _kept(call, vms, params["hosts"])
    chosen = [vm for vm in vms if vm.host not in kept]
    plans = {}
    for uri in uris(vms, networks):
        with opened(uri) as hypervisor:
            mine, here = [vm for vm in chosen if vm.uri == uri], [network for network in networks if network.uri == uri]
            planned = plan_absent if params["state"] == "absent" else plan_present
            plans[uri] = planned(observe(hypervisor, mine), mine, here)
    _stop_for([problem for plan in plans.values() for problem in plan.problems])
    changes = [change for plan in plans.values() for change in plan.changes]
    notes = [*(f"{name}: {reason}" for name, reason in kept.items()), *(note for plan in plans.values() for note in plan.notes)]
    for note in notes:
        call.warn(note)
    call.plan(change.text() for change in changes)
    answer: dict[str, Any] = {"changed": bool(changes), "plan": [change.text() for change in changes], "notes": notes}
    if call.diff:
        answer["diff"] = [_diff(change) for change in changes]
    if not call.check_mode:
        _apply(call, {uri: plan.changes for uri, plan in plans.items()}, notes)
    return answer


def _stop_for(problems: Sequence[Problem]) -> None:
    if any(problem.severity == "error" for problem in problems):
        raise InvalidInput(problems)


def _apply(call: Call, plans: Mapping[str, Sequence[Change]], notes: Sequence[str]) -> None:
    """All changes; one that fails ends the call, with what was changed before it."""
    done: list[str] = []

    def changed(change: Change) -> None:
        done.append(change.text())
        call.progress(change.text())

    try:
        for uri, changes in plans.items():
            if changes:
                with opened(uri) as hypervisor:
                    apply(hypervisor, changes, changed)
    except ZeroTouchError as error:
        error.result = {"changed": bool(done), "plan": done, "notes": list(notes)}
        raise


def _kept(call: Call, vms: Sequence[Vm], hosts: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """Hosts whose machines stay, with the reason. Raises :class:`ZeroTouchError` where the safety table stops the run."""
    touch: Touch = read_touch(call.params["touch"], {})
    existing = []
    for uri in uris(vms, ()):
        with opened(uri) as hypervisor:
            names = {entry.name for entry in hypervisor.domains()}
        existing += [vm.host for vm in vms if vm.uri == uri and vm.name in names]
    machines = [{key: host[key] for key in ("name", "libvirt", "mac_addresses")} for host in hosts if host["name"] in existing]
    if not machines:
        return {}
    judgement, gathered = decide("destroy", touch, inspect_all(boot_requests(machines), BmcOptions(clock=call.clock), read_only=True), call.clock)
    print_not_checked(gathered.not_checked, call.progress)
    return deletable(judgement, touch.request("destroy"))


def _diff(change: Change) -> dict[str, str]:
    before, after = (json.dumps(part, indent=2) + "\n" if part else "" for part in (change.before, change.after))
    return {"before": before, "after": after, "before_header": change.name, "after_header": change.text()}


def main() -> None:
    run_module(argument_spec, OPTIONS, run)


if __name__ == "__main__":
    main()
