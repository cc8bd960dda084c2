#!/usr/bin/python
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors

from __future__ import annotations

DOCUMENTATION = r"""
module: destroy_plan
short_description: Plan the removal of a deployment
version_added: 0.1.0
author: the zerotouch.openshift authors (@zerotouch-openshift)
description:
  - Checks the confirmation, decides by the safety table of this collection (page safety of the documentation) which
    machines may be powered off, and plans what is removed from the hub or the assisted-service and which files are
    removed.
  - If the state in O(touch.work_dir) contains machines that the options do not list, the module fails, unless
    O(touch.force) contains V(abandon_hosts). A hub releases the machines of methods V(hosted) and V(capi) itself.
  - Role P(zerotouch.openshift.cluster_destroy#role) applies this plan. Check mode prints it.
  - Fails before anything is done if the confirmation is missing, if one host must not be touched, or if O(purge) would
    remove a file that this collection did not create, or if the assisted-service has a cluster of this name that was
    not created from this work directory.
  - Sends GET requests only.
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
  manual_hosts:
    description: Names of the hosts without a BMC, which the user powers off.
    type: list
    elements: str
    default: []
  purge:
    description: Whether the whole work directory is removed, credentials and logs included. By default, only files that
      this collection created are removed.
    type: bool
    default: false
  keep:
    description: Files and directories of the user, such as O(ignore:openshift_config_dir), that are not removed if they
      are in the work directory.
    type: list
    elements: path
    default: []
  binding:
    description: How hosts were bound to a cluster of method V(hub). The InfraEnv of hosts that were bound early is
      removed with its cluster.
    type: str
    choices: [late, early, none]
    default: late
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
- name: Plan the removal of a cluster
  zerotouch.openshift.destroy_plan:
    hosts: "{{ site.deployment | zerotouch.openshift.deployment('bmc_hosts') }}"
    touch: "{{ site.deployment | zerotouch.openshift.deployment('touch') }}"
  check_mode: true
"""

RETURN = r"""
names:
  description: Names of the hosts about which the module decided.
  returned: success
  type: list
  elements: str
removal:
  description: What is removed, and from where.
  returned: success
  type: dict
  contains:
    hub:
      description: Whether the cluster of method V(hub) is deleted from the hub.
      type: bool
    hosted:
      description: Whether the hosted cluster is deleted from the hub.
      type: bool
    assisted:
      description: Whether the cluster is deleted from the assisted-service.
      type: bool
    capi:
      description: Whether the Cluster of method V(capi) is deleted from the hub.
      type: bool
    infra_env:
      description: Whether the InfraEnv and its Agents are deleted from the hub.
      type: bool
    power_off:
      description: Names of the hosts that are powered off.
      type: list
      elements: str
    keep_objects:
      description: Names of the hosts whose objects on the hub belong to other owners.
      type: list
      elements: str
    paths:
      description: Files and directories that are removed.
      type: list
      elements: str
    summary:
      description: What is left, once the plan was applied.
      type: str
decision:
  description: The decision about the hosts, as M(zerotouch.openshift.touch_check) returns it. After a failure it is in
    the result itself.
  returned: success
  type: dict
"""

from pathlib import Path
from typing import Any

from ansible_collections.zerotouch.openshift.plugins.module_utils.bmc.options import bmc_options
from ansible_collections.zerotouch.openshift.plugins.module_utils.boot.inspection import inspect_all
from ansible_collections.zerotouch.openshift.plugins.module_utils.boot.options import boot_argument_spec
from ansible_collections.zerotouch.openshift.plugins.module_utils.boot.requests import boot_requests
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.entry_point import Call, run_module
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.assisted.run import check_removable
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.infra_env_owner import agents_of_others
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.removal import (
    RemovalOrder,
    check_order,
    deletes_infra_env,
    plan_removal,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.safety.check import check_machines
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.safety.gate import record_permission
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.safety.gather import with_missing
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.safety.options import (
    read_touch,
    touch_spec,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.safety.result import described, plan_lines

OPTIONS = {"supports_check_mode": True}


def argument_spec() -> dict[str, Any]:
    return {
        **boot_argument_spec(),
        "manual_hosts": {"type": "list", "elements": "str", "default": []},
        "touch": touch_spec(),
        "purge": {"type": "bool", "default": False},
        "keep": {"type": "list", "elements": "path", "default": []},
        "binding": {"type": "str", "choices": ["late", "early", "none"], "default": "late"},
    }


def run(call: Call) -> dict[str, Any]:
    params = call.params
    options = bmc_options(call)
    touch = read_touch(
        {**(params["touch"] or {}), "command": "destroy_cluster"}, params["connect_to"], ca_cert=options.ca_cert
    )
    hub = touch.hub or {}
    order = RemovalOrder(
        touch,
        purge=params["purge"],
        namespace=str(hub.get("namespace") or ""),
        infra_env=str(hub.get("infra_env") or ""),
        hub_cluster=str((hub.get("cluster") or {}).get("name") or ""),
        early=params["binding"] == "early",
        keep=tuple(Path(path) for path in params["keep"]),
    )
    check_order(order)
    bmc_hosts = [str(host["name"]) for host in params["hosts"]]
    # Machines of a hosted cluster stay on: their BMCs are not read.
    hosted = touch.method == "hosted"
    names = [host.name for host in touch.hosts] if hosted else [*bmc_hosts, *params["manual_hosts"]]
    touch = with_missing(
        touch,
        [
            *(touch.host(str(host["name"]), host["mac_addresses"] or ()) for host in params["hosts"]),
            *touch.known(params["manual_hosts"]),
        ],
    )
    machines = inspect_all(boot_requests([] if hosted else params["hosts"]), options, read_only=True)
    judgement, gathered = check_machines("destroy", touch, machines, names, call.clock, call.progress)
    result = described(judgement, gathered)
    kept = agents_of_others(order, machines, call.clock) if deletes_infra_env(order, judgement) else ""
    plan = plan_removal(order, judgement, bmc_hosts, result["left"], infra_env_kept=kept, check_mode=call.check_mode)
    if not plan.hosted:
        call.plan(plan_lines(judgement, gathered, "destroy"))
    if plan.assisted:
        check_removable(touch, call.clock)
    if not call.check_mode:
        record_permission(touch, judgement)
    return {"changed": False, "names": names, "removal": plan.as_dict(), "decision": result}


def main() -> None:
    run_module(argument_spec, OPTIONS, run)


if __name__ == "__main__":
    main()
