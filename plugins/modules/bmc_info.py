#!/usr/bin/python
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors

from __future__ import annotations

DOCUMENTATION = r"""
module: bmc_info
short_description: Read the state of machines through their BMCs
version_added: 0.1.0
author: the zerotouch.openshift authors (@zerotouch-openshift)
description:
  - Reads power state, virtual media, boot override, identity and NICs of many machines in parallel. Changes nothing.
  - A BMC that cannot be read is reported in its entry; the task fails only if O(fail_on_error) is set.
extends_documentation_fragment:
  - zerotouch.openshift.attributes
  - zerotouch.openshift.bmc_hosts
attributes:
  check_mode:
    support: full
  diff_mode:
    support: N/A
  idempotent:
    support: full
options:
  fail_on_error:
    description: Fail if any BMC cannot be read.
    type: bool
    default: true
  drives:
    description:
      - Whether to read the drives as well, which takes a request for each of them.
      - The result then exceeds what a controller shows of a task from some 500 hosts on.
    type: bool
    default: false
"""

EXAMPLES = r"""
- name: Check that every BMC answers and belongs to its host in the inventory
  zerotouch.openshift.bmc_info:
    hosts:
      - name: node-1
        mac_addresses: ["52:54:00:00:00:01"]
        bmc:
          address: redfish-virtualmedia+https://10.0.0.11/redfish/v1/Systems/1
          username: admin
          password: "{{ vault_bmc_password }}"
"""

RETURN = r"""
hosts:
  description: One entry for every host, in the order given.
  returned: always
  type: list
  elements: dict
  contains:
    name:
      description: Name of the host.
      type: str
    failed:
      description: Whether its BMC could not be read.
      type: bool
    reason:
      description: Why not, or what the guard says against this machine.
      type: str
    power_state:
      description: Power state.
      type: str
    vendor:
      description: Vendor as the BMC tells it.
      type: str
    model:
      description: Model of the machine.
      type: str
    serial:
      description: Serial number.
      type: str
    uuid:
      description: System UUID.
      type: str
    firmware:
      description: Firmware version of the BMC.
      type: str
    profile:
      description: The vendor profile that would be used.
      type: str
    mac_addresses:
      description: MACs of the NICs that the BMC lists.
      type: list
      elements: str
    media:
      description: Virtual media slots.
      type: list
      elements: dict
      contains:
        id:
          description: Id of the slot.
          type: str
        image:
          description: Attached image.
          type: str
        inserted:
          description: Whether a medium is in it.
          type: bool
    drives:
      description:
        - Drives that the BMC lists. Behind a RAID controller the operating system has volumes instead.
      returned: with O(drives)
      type: list
      elements: dict
      contains:
        model:
          description: Model.
          type: str
        serial:
          description: Serial number.
          type: str
        size:
          description: Bytes, 0 if the BMC does not report them.
          type: int
        media_type:
          description: V(HDD), V(SSD) and others.
          type: str
        protocol:
          description: V(NVMe), V(SATA), V(SAS) and others.
          type: str
    warnings:
      description: Resources of the BMC that could not be read, and what follows.
      type: list
      elements: str
    boot_override:
      description: The boot override, V(Disabled), V(Once) or V(Continuous), and its target.
      type: dict
"""

import dataclasses
from typing import Any

from ansible_collections.zerotouch.openshift.plugins.module_utils.bmc.info import some_failed
from ansible_collections.zerotouch.openshift.plugins.module_utils.bmc.options import bmc_argument_spec, bmc_options
from ansible_collections.zerotouch.openshift.plugins.module_utils.boot.facts import describe_machines
from ansible_collections.zerotouch.openshift.plugins.module_utils.boot.inspection import inspect_all
from ansible_collections.zerotouch.openshift.plugins.module_utils.boot.requests import boot_requests
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.entry_point import Call, run_module

OPTIONS = {"supports_check_mode": True}


def argument_spec() -> dict[str, Any]:
    return {
        **bmc_argument_spec(),
        "fail_on_error": {"type": "bool", "default": True},
        "drives": {"type": "bool", "default": False},
    }


def run(call: Call) -> dict[str, Any]:
    options = dataclasses.replace(bmc_options(call), drives=call.params["drives"])
    result = {"hosts": describe_machines(inspect_all(boot_requests(call.params["hosts"]), options, read_only=True))}
    if call.params["fail_on_error"] and any(host["failed"] for host in result["hosts"]):
        raise some_failed(result)
    return result


def main() -> None:
    run_module(argument_spec, OPTIONS, run)


if __name__ == "__main__":
    main()
