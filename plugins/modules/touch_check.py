#!/usr/bin/python
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors

from __future__ import annotations

DOCUMENTATION = r"""
module: touch_check
short_description: Decide which machines a run may touch
version_added: 0.1.0
author: the zerotouch.openshift authors (@zerotouch-openshift)
description:
  - Decides by the safety table of this collection (page safety of the documentation) whether a run may boot machines,
    remove them from their cluster, or destroy their cluster.
  - Evidence is the state of this deployment and of deployments beside it, its service and API, Nodes of its cluster,
    Agents and BareMetalHosts of the hub that the user named, hosts of the assisted-service that the user named, and the
    power state that the BMCs report. Only GET requests are sent.
  - Each source that could not be read is printed as C(not checked).
  - If one host must not be touched, the module fails before anything is done, and its message lists every such host
    with the next command.
notes:
  - An override that was used is recorded in the work directory, so that the run after an interrupted one does not need
    it.
extends_documentation_fragment:
  - zerotouch.openshift.attributes
  - zerotouch.openshift.media_hosts.touched
  - zerotouch.openshift.touch
attributes:
  check_mode:
    support: full
  diff_mode:
    support: N/A
  idempotent:
    support: full
options:
  action:
    description:
      - What the run is going to do to the hosts.
      - V(boot) boots them from an image. V(supply) does the same for a pool that needs a machine, V(replace_in) for one
        that exchanges a host. V(remove), V(reprovision), V(shrink) and V(replace_out) take them out of their cluster.
        V(destroy) takes the cluster down.
    type: str
    choices: [boot, supply, replace_in, remove, reprovision, shrink, replace_out, destroy]
    required: true
  names:
    description: Names of the hosts. By default those of O(hosts).
    type: list
    elements: str
  forks:
    description: How many BMCs are read at the same time.
    type: int
    default: 20
  connect_to:
    description: Where connections really go; keys C(host[:port]), values C(address[:port]).
    type: dict
    default: {}
  ca_cert:
    description: CA, as path or PEM, trusted for all BMCs and APIs in addition to their own.
    type: str
"""

EXAMPLES = r"""
- name: Check whether two machines may be booted
  zerotouch.openshift.touch_check:
    action: boot
    hosts: "{{ site.deployment | zerotouch.openshift.deployment('bmc_hosts') }}"
    touch: "{{ site.deployment | zerotouch.openshift.deployment('touch') }}"
"""

RETURN = r"""
hosts:
  description: One entry for each host.
  returned: always
  type: list
  elements: dict
  contains:
    name:
      description: Name of the host.
      type: str
    row:
      description: Number of the row of the safety table that holds for the host.
      type: str
    outcome:
      description:
        - V(act) if the host may be touched. V(skip) and V(wait) if the run does nothing to it. V(leave) if it is left
          alone and named. V(fail) if its BMC cannot be used, so that the run fails at its end. V(through) if it may be
          touched through its BareMetalHost only.
      type: str
    reason:
      description: The observation that decided.
      type: str
    forced:
      description: The override that was used.
      type: str
    node:
      description: Name of its Node, empty without one.
      type: str
    drain:
      description: Whether its Node must be drained. A Node that has not been Ready for 5 minutes cannot be drained.
      type: bool
touch:
  description: Names of the hosts that may be touched.
  returned: always
  type: list
  elements: str
through:
  description: Names of the hosts that are touched through their BareMetalHosts.
  returned: always
  type: list
  elements: str
forced_hosts:
  description: Names of the hosts that may be touched because of an override.
  returned: always
  type: list
  elements: str
left:
  description: Messages about hosts that are left alone.
  returned: always
  type: list
  elements: str
failed_hosts:
  description: Hosts whose BMC cannot be used, with C(name) and C(reason).
  returned: always
  type: list
  elements: dict
not_checked:
  description: Sources that could not be read, and why.
  returned: always
  type: list
  elements: str
"""

from typing import Any

from ansible_collections.zerotouch.openshift.plugins.module_utils.bmc.options import bmc_options
from ansible_collections.zerotouch.openshift.plugins.module_utils.boot.inspection import inspect_all
from ansible_collections.zerotouch.openshift.plugins.module_utils.boot.options import boot_argument_spec
from ansible_collections.zerotouch.openshift.plugins.module_utils.boot.requests import boot_requests
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.entry_point import Call, run_module
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.safety.check import check_machines
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.safety.gate import (
    record_permission,
    store_first,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.safety.options import (
    read_touch,
    touch_spec,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.safety.result import described, plan_lines

OPTIONS = {"supports_check_mode": True}


def argument_spec() -> dict[str, Any]:
    return {
        **boot_argument_spec(),
        "action": {
            "type": "str",
            "choices": ["boot", "supply", "replace_in", "remove", "reprovision", "shrink", "replace_out", "destroy"],
            "required": True,
        },
        "names": {"type": "list", "elements": "str"},
        "touch": touch_spec(),
    }


def run(call: Call) -> dict[str, Any]:
    params = call.params
    options = bmc_options(call)
    known = {str(host["name"]): host for host in params["hosts"]}
    names = list(known) if params["names"] is None else list(dict.fromkeys(params["names"]))
    requests = boot_requests([known[name] for name in names if name in known])
    touch = read_touch(params["touch"], params["connect_to"], ca_cert=options.ca_cert)
    machines = inspect_all(requests, options, read_only=True)
    judgement, gathered = check_machines(params["action"], touch, machines, names, call.clock, call.progress)
    call.plan(plan_lines(judgement, gathered, params["action"]))
    if not call.check_mode:
        record_permission(touch, judgement)
        # Further tasks change machines through a hub, whose API knows nothing of our lease.
        if any(verdict.acts for verdict in judgement.verdicts):
            store_first(touch, call.clock)
    return described(judgement, gathered)


def main() -> None:
    run_module(argument_spec, OPTIONS, run)


if __name__ == "__main__":
    main()
