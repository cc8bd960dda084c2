#!/usr/bin/python
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors

from __future__ import annotations

DOCUMENTATION = r"""
module: boot_hosts
short_description: Boot hosts from an image, each with its boot method
version_added: 0.1.0
author: the zerotouch.openshift authors (@zerotouch-openshift)
description:
  - Boots many hosts from an image, switches them on or off, or ejects their image, in parallel. Each host has a boot
    method, O(hosts[].boot_method).
  - Method V(bmc) is Redfish virtual media. For O(state=booted) a machine is powered off, every medium ejected, the
    image inserted and seen inserted, the virtual CD set as boot device for one boot, and the machine powered on.
  - With method V(manual) nothing is contacted. The entry of the host in RV(hosts) says what the user must do. It is
    neither changed nor failed.
  - All BMCs are read before the first write. A BMC fails this check if it cannot be reached, rejects the login, lists
    NICs of which none has one of O(hosts[].mac_addresses), has the same System UUID as another one, or does not support
    the action. Then no machine is changed for O(state=booted) and O(state=on). For O(state=off) and O(state=ejected)
    only that machine is left alone.
  - Directly before the first write the module decides for each machine that would change whether it may be touched
    (M(zerotouch.openshift.touch_check), page safety of the documentation), from evidence that it reads at that moment.
    A machine that is on, and of which no record says what runs on it, is touched only with O(hosts[].take_over). The
    same decision says whether the user is asked to boot a host.
  - If the turn of a host comes more than 60 seconds later, the module decides about it again. A host that must not be
    touched any more fails, or is left alone. The other hosts go on.
  - A host that fails later does not stop the others. The task then fails with the complete list.
extends_documentation_fragment:
  - zerotouch.openshift.attributes
  - zerotouch.openshift.bmc_hosts.any_method
  - zerotouch.openshift.touch
attributes:
  check_mode:
    support: full
    details: Reads the BMCs with GET requests only and returns the plan.
  diff_mode:
    support: full
  idempotent:
    support: partial
    details: A machine that is on with exactly this image attached is left alone unless O(hosts[].force) is set.
options:
  image_url:
    description:
      - URL of the ISO as the BMCs reach it, for hosts without O(hosts[].image_url). For method V(bmc) it must end in
        C(.iso) and have a directory in its path.
      - In results of M(zerotouch.openshift.image_server) the token of the URL is hidden. Pass that URL unchanged;
        O(state_file) completes it.
      - With O(state=booted) the default is the URL of the published image that O(state_file) records.
    type: str
  state:
    description:
      - V(booted) boots the image. V(ejected) detaches media and leaves power alone; with an image URL only that image.
      - V(on) and V(off) only switch power.
    type: str
    choices: [booted, ejected, "on", "off"]
    default: booted
  action:
    description:
      - The purpose for which the machines are touched. It selects the column of the safety table. By default it follows
        from O(state).
      - That table does not apply to O(state=ejected).
    type: str
    choices: [boot, supply, replace_in, remove, reprovision, shrink, replace_out, destroy, "on", "off"]
  state_file:
    description:
      - The deployment's C(state.json). Sessions are remembered there, so that the next run can end what a killed run
        left open.
      - MACs of hosts without O(hosts[].mac_addresses) are taken from there, and the token of O(image_url).
    type: path
  image_access:
    description: How BMCs read the image. By default without login, and each BMC verifies certificates as it is set.
    type: dict
    suboptions:
      username:
        description: User at the server of the image. It is sent to the BMCs with the request to insert the image.
        type: str
      password:
        description: Password of that user.
        type: str
      ca_cert:
        description:
          - CA of the server's certificate, as path or PEM. It is added to the certificates that the slot trusts, and
            verification is switched on.
        type: str
      validate_certs:
        description: Whether the BMCs verify the certificate of the server.
        type: bool
"""

EXAMPLES = r"""
- name: Boot two machines from the agent ISO, and say how to boot a third one
  zerotouch.openshift.boot_hosts:
    image_url: http://192.0.2.10:8080/8f14e45f/agent.x86_64.iso
    hosts:
      - name: node-1
        mac_addresses: ["52:54:00:00:00:01"]
        bmc:
          address: redfish-virtualmedia+https://10.0.0.11/redfish/v1/Systems/1
          username: admin
          password: "{{ vault_bmc_password }}"
          ca_cert: bmc-ca.pem
      - name: node-2
        mac_addresses: ["52:54:00:00:00:02"]
        bmc:
          address: redfish-virtualmedia+https://10.0.0.12
          username: admin
          password: "{{ vault_bmc_password }}"
          fingerprint: "{{ node_2_bmc_fingerprint }}"
      - name: node-3
        boot_method: manual
  register: booted

- name: Print what is left to do
  ansible.builtin.debug:
    msg: "{{ booted.hosts | selectattr('phase', 'eq', 'manual') | map(attribute='reason') | list }}"
"""

RETURN = r"""
stopped:
  description: That a signal ended it before every host was done.
  returned: when so
  type: bool
hosts:
  description: One entry for every host, in the order given.
  returned: always, once the BMCs were contacted
  type: list
  elements: dict
  contains:
    name:
      description: Name of the host.
      type: str
    boot_method:
      description: The boot method of the host.
      type: str
    changed:
      description: Whether anything was changed on this machine.
      type: bool
    failed:
      description: Whether this host failed.
      type: bool
    phase:
      description:
        - How far it came; V(observe), V(guard), V(plan) or the action of the last step. V(manual) means that the user
          must act, as RV(hosts[].reason) says. V(in_use) means that another run has changed the machine since this
          one read it.
        - If any host failed in V(observe) or V(guard), no machine was touched for O(state=booted) and O(state=on).
      type: str
    reason:
      description: Why it failed, why nothing was to be done, or what the user must do.
      type: str
    plan:
      description: The steps with their reasons.
      type: list
      elements: str
    vendor:
      description: Vendor as the BMC reports it.
      type: str
    profile:
      description: The vendor profile that was used.
      type: str
    slot:
      description: Id of the slot that holds the image.
      type: str
    previous_image:
      description: What was attached before.
      type: str
    image:
      description: The image's URL, without its token.
      type: str
    boot_target:
      description: The override target that was set.
      type: str
    power_state_before:
      description: Power state when the BMC was first read.
      type: str
    power_state_after:
      description: Power state afterwards.
      type: str
    attempts:
      description: Steps begun.
      type: int
    warnings:
      description: What is worth knowing about this BMC.
      type: list
      elements: str
"""

import contextlib
import dataclasses
from collections.abc import Mapping
from typing import Any

from ansible_collections.zerotouch.openshift.plugins.module_utils.bmc.hosts import BmcOptions
from ansible_collections.zerotouch.openshift.plugins.module_utils.bmc.options import bmc_options, image_access_spec
from ansible_collections.zerotouch.openshift.plugins.module_utils.boot.options import boot_argument_spec, bulk_result
from ansible_collections.zerotouch.openshift.plugins.module_utils.boot.requests import boot_requests
from ansible_collections.zerotouch.openshift.plugins.module_utils.boot.run import boot_hosts
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.entry_point import Call, run_module
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.errors import ZeroTouchError
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.lock import one_run
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.secrets import image_tokens
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.safety.gate import Gate
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.safety.options import (
    read_touch,
    touch_spec,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.safety.table import Action

OPTIONS = {"supports_check_mode": True}
# What a change of state may be for; the first one is the default.
_ACTIONS: Mapping[str, tuple[Action, ...]] = {
    "booted": ("boot", "supply", "replace_in", "reprovision"),
    "on": ("on",),
    "off": ("off", "remove", "reprovision", "shrink", "replace_out", "destroy"),
}


def argument_spec() -> dict[str, Any]:
    return {
        **boot_argument_spec(required=True),
        "image_url": {"type": "str"},
        "state": {"type": "str", "choices": ["booted", "ejected", "on", "off"], "default": "booted"},
        "action": {
            "type": "str",
            "choices": [
                "boot",
                "supply",
                "replace_in",
                "remove",
                "reprovision",
                "shrink",
                "replace_out",
                "destroy",
                "on",
                "off",
            ],
        },
        "state_file": {"type": "path"},
        "image_access": {"type": "dict", "options": image_access_spec()},
        "touch": touch_spec(),
    }


def run(call: Call) -> dict[str, Any]:
    state = call.params["state"]
    options = bmc_options(call)
    requests = boot_requests(
        call.params["hosts"],
        call.params["image_url"] or "",
        needs_image=state == "booted",
        state_file=options.state_file,
    )
    call.add_secrets(token for request in requests for token in image_tokens(request.image_url))
    alone = (
        contextlib.nullcontext()
        if call.check_mode or not options.state_file
        else one_run(options.state_file.path.parent, "boot_hosts", call.clock)
    )
    with alone:
        gate = _gate(call, options)
        results = boot_hosts(requests, state, options, check_mode=call.check_mode, permit=gate.permit if gate else None)
        if gate:
            gate.done([result.name for result in results if result.changed and not result.failed])
    return bulk_result(call, results, state)


def _gate(call: Call, options: BmcOptions) -> Gate | None:
    """What decides whether the machines may be touched; media may be detached from any of them."""
    params = call.params
    if params["state"] == "ejected":
        return None
    touch = read_touch(
        params["touch"],
        params["connect_to"],
        ca_cert=options.ca_cert,
        state_file=options.state_file.path if options.state_file else None,
    )
    allowed = touch.take_over | {host["name"] for host in params["hosts"] if host.get("take_over")}
    allowed_actions = _ACTIONS[params["state"]]
    action: Action = params["action"] or allowed_actions[0]
    if action not in allowed_actions:
        raise ZeroTouchError(
            f"action {action} does not fit state {params['state']}.",
            (f"Use one of {', '.join(allowed_actions)}, or leave action out."),
        )
    return Gate(
        action,
        dataclasses.replace(touch, take_over=frozenset(allowed)),
        call.clock,
        call.progress,
        records=not call.check_mode,
    )


def main() -> None:
    run_module(argument_spec, OPTIONS, run)


if __name__ == "__main__":
    main()
