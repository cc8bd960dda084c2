#!/usr/bin/python
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors

from __future__ import annotations

DOCUMENTATION = r"""
module: starter_inventory
short_description: Write a first inventory with comments
version_added: 0.2.0
author: the zerotouch.openshift authors (@zerotouch-openshift)
description:
  - Writes an inventory for one cluster, with comments. Values that the options do not set are left blank; the playbook
    C(validate) names each blank with its line.
  - Secrets are references to variables of a vault.
  - A file that exists with another content is overwritten only with O(overwrite).
extends_documentation_fragment:
  - zerotouch.openshift.attributes
attributes:
  check_mode:
    support: full
  diff_mode:
    support: none
  idempotent:
    support: full
options:
  dest:
    description: The file to write.
    type: path
    default: site.yml
  overwrite:
    description: Whether to replace a file that exists with another content.
    type: bool
    default: false
  answers:
    description:
      - What is known. Keys C(name), C(base_domain), C(version), C(machine_network), C(gateway), C(dns_server),
        C(first_address) (of the first host; the others follow), C(api_vip), C(ingress_vip), C(control_plane) (1, 3, 4
        or 5) and C(workers).
    type: dict
    default: {}
  bmcs:
    description:
      - BMCs of the machines. Each machine that O(machines) has becomes a host with its BMC and its MAC addresses, the
        first ones in the control plane.
      - One that could not be read becomes a comment with the reason. Passwords are not written.
    type: list
    elements: dict
    default: []
    suboptions:
      address:
        description: Address as in O(zerotouch.openshift.bmc_info#module:hosts[].bmc.address).
        type: str
        required: true
      username:
        description: User of the BMC, written if it is set.
        type: str
      password:
        description: Never written.
        type: str
      validate_certs:
        description: Whether the certificate of the BMC is verified, written if it is set.
        type: bool
      ca_cert:
        description: CA of the certificate, written if it is set.
        type: str
      fingerprint:
        description: Fingerprint of the certificate, written if it is set.
        type: str
  machines:
    description: RV(zerotouch.openshift.bmc_info#module:hosts) of hosts whose names are the addresses in O(bmcs).
    type: list
    elements: dict
    default: []
"""

EXAMPLES = r"""
- name: Write a first inventory
  zerotouch.openshift.starter_inventory:
    dest: site.yml
    answers:
      name: demo
      base_domain: example.com
      workers: 2
"""

RETURN = r"""
path:
  description: The file.
  returned: success
  type: str
blanks:
  description: How many values are left to fill in.
  returned: success
  type: int
problems:
  description: What is wrong with O(answers), in the form that M(zerotouch.openshift.deployment_settings) returns.
  returned: failure
  type: list
  elements: dict
"""

from pathlib import Path
from typing import Any

from ansible_collections.zerotouch.openshift.plugins.module_utils.common.entry_point import Call, run_module
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.starter_inventory import (
    read_machines,
    write_starter,
)

OPTIONS = {"supports_check_mode": True}


def argument_spec() -> dict[str, Any]:
    bmc = {
        "address": {"type": "str", "required": True},
        "username": {"type": "str"},
        "password": {"type": "str", "no_log": True},
        "validate_certs": {"type": "bool"},
        "ca_cert": {"type": "str"},
        "fingerprint": {"type": "str"},
    }
    return {
        "dest": {"type": "path", "default": "site.yml"},
        "overwrite": {"type": "bool", "default": False},
        "answers": {"type": "dict", "default": {}},
        "bmcs": {"type": "list", "elements": "dict", "default": [], "options": bmc},
        "machines": {"type": "list", "elements": "dict", "default": []},
    }


def run(call: Call) -> dict[str, Any]:
    dest = Path(call.params["dest"]).absolute()
    machines = read_machines(call.params["bmcs"], call.params["machines"])
    changed, blanks = write_starter(
        dest, call.params["answers"], machines, overwrite=call.params["overwrite"], check_mode=call.check_mode
    )
    if changed:
        call.plan([f"write {dest}"])
    return {"changed": changed, "path": str(dest), "blanks": blanks}


def main() -> None:
    run_module(argument_spec, OPTIONS, run)


if __name__ == "__main__":
    main()
