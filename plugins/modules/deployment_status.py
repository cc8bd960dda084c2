#!/usr/bin/python
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors

from __future__ import annotations

DOCUMENTATION = r"""
module: deployment_status
short_description: Report the status of a deployment
version_added: 0.1.0
author: the zerotouch.openshift authors (@zerotouch-openshift)
description:
  - Reports whether a deployment is done, running, failed or unknown, and for each host its progress, Node, power and
    virtual medium.
  - Sources are the state of the deployment, its service and API, the hub, and the BMCs. Only GET requests are sent, and
    nothing is written. A run of another playbook is neither waited for nor disturbed.
  - Each source that could not be read is printed as C(not checked).
extends_documentation_fragment:
  - zerotouch.openshift.attributes.info
  - zerotouch.openshift.media_hosts.touched
  - zerotouch.openshift.touch
options:
  hosted_cluster:
    description: The HostedCluster, for method C(hosted).
    type: dict
    suboptions:
      name:
        description: Name of the HostedCluster.
        type: str
        required: true
      namespace:
        description: Namespace of the HostedCluster.
        type: str
        required: true
  state_fault:
    description: Why the stored state of the deployment cannot be read. The status is then V(unknown).
    type: str
    default: ""
  end_with:
    description:
      - A result of this module. Nothing is read, and the task ends as O(end_with.state) requires. With V(failed) the
        task fails, so that C(ansible-playbook) ends with 2. With V(unknown) the host is unreachable, so that it ends
        with 4. Other states succeed.
    type: dict
    suboptions:
      state:
        description: RV(state) of that result.
        type: str
        choices: [done, running, failed, unknown]
        required: true
      reason:
        description: RV(reason) of that result.
        type: str
        default: ""
      next_step:
        description: RV(next_step) of that result.
        type: str
        default: ""
  output:
    description: Whether the status is printed as a table, or as one line of JSON with the keys of the result.
    type: str
    choices: [table, json]
    default: table
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
- name: Read the status
  zerotouch.openshift.deployment_status:
    hosts: "{{ site.deployment | zerotouch.openshift.deployment('bmc_hosts') }}"
    touch: "{{ site.deployment | zerotouch.openshift.deployment('touch') }}"
  register: status
"""

RETURN = r"""
state:
  description:
    - V(done) if API, service or hub prove that the cluster is installed. V(running) if an installation is under way.
      V(failed) if it has failed.
    - V(unknown) if there is no record of the deployment, or if the record, or what it names, cannot be read.
  returned: always
  type: str
reason:
  description: The observation that decided.
  returned: always
  type: str
next_step:
  description: What the user can do. Empty if there is nothing to do.
  returned: always
  type: str
phase:
  description: Phase of the installation, empty if there is none.
  returned: always
  type: str
awaited:
  description: What the installation waits for, as the last run that supervised it recorded. Empty if nothing is
    recorded.
  returned: always
  type: dict
  contains:
    text:
      description: What it waits for.
      type: str
    host:
      description: The first host that it depends on, empty if there is none.
      type: str
    reason:
      description: What is missing there.
      type: str
    next_step:
      description: What the user can do.
      type: str
expected_end:
  description: When the installation will probably be complete (UTC), empty if no installation is under way.
  returned: always
  type: str
live_report:
  description: The last news of a run that has not concluded its report. Empty if the report is concluded, or if there
    is none.
  returned: always
  type: dict
  contains:
    updated_at:
      description: When the run last wrote its report (UTC).
      type: str
    stale:
      description: Whether that is so long ago that the run may have ended.
      type: bool
hosts:
  description: One entry for each host, in the order of the inventory.
  returned: always
  type: list
  elements: dict
  contains:
    name:
      description: Name of the host.
      type: str
    status:
      description: Status and stage of the host by the service or the hub. If neither is available, the recorded ones.
      type: str
    node:
      description: V(ready), V(not ready) or V(none). Empty if the Nodes could not be read.
      type: str
    power:
      description: Power state by the BMC. Empty if it is not known.
      type: str
    medium:
      description: Whether a virtual medium is inserted. Null if it is not known.
      type: bool
    waits_for:
      description: What the host waits for, empty if nothing is known.
      type: str
not_checked:
  description: Sources that could not be read, and why.
  returned: always
  type: list
  elements: str
paths:
  description: Paths of files. A path is empty if the file does not exist.
  returned: always
  type: dict
  contains:
    work_dir:
      description: Work directory of the deployment.
      type: str
    kubeconfig:
      description: The kubeconfig.
      type: str
    kubeadmin_password_file:
      description: File with the password of kubeadmin.
      type: str
    report:
      description: The report.
      type: str
lines:
  description: The same as a table in words, without control characters, at most 120 columns for each host.
  returned: always
  type: list
  elements: str
"""

import json
from pathlib import Path
from typing import Any

from ansible_collections.zerotouch.openshift.plugins.module_utils.bmc.options import bmc_options
from ansible_collections.zerotouch.openshift.plugins.module_utils.boot.inspection import inspect_all
from ansible_collections.zerotouch.openshift.plugins.module_utils.boot.options import boot_argument_spec
from ansible_collections.zerotouch.openshift.plugins.module_utils.boot.requests import boot_requests
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.entry_point import Call, run_module
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.errors import ZeroTouchError
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.safety.options import (
    read_touch,
    touch_spec,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.state.work_dir import (
    WorkDir,
    known_secrets,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.status.decide import decide
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.status.gather import (
    StatusRequest,
    gather,
    paths,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.status.words import lines

OPTIONS = {"supports_check_mode": True}


def argument_spec() -> dict[str, Any]:
    hosted = {"name": {"type": "str", "required": True}, "namespace": {"type": "str", "required": True}}
    result = {
        "state": {"type": "str", "choices": ["done", "running", "failed", "unknown"], "required": True},
        "reason": {"type": "str", "default": ""},
        "next_step": {"type": "str", "default": ""},
    }
    return {
        **boot_argument_spec(),
        "touch": touch_spec(),
        "hosted_cluster": {"type": "dict", "options": hosted},
        "state_fault": {"type": "str", "default": ""},
        "end_with": {"type": "dict", "options": result},
        "output": {"type": "str", "choices": ["table", "json"], "default": "table"},
    }


def run(call: Call) -> dict[str, Any]:
    params = call.params
    if params["end_with"]:
        return _end(**params["end_with"])
    options = bmc_options(call)
    touch = read_touch(params["touch"], params["connect_to"], ca_cert=options.ca_cert)
    hosted = params["hosted_cluster"] or {}
    work_dir = WorkDir(touch.work_dir or Path())
    fault = params["state_fault"] or _hide(call, work_dir)
    machines = inspect_all(boot_requests(params["hosts"]), options, read_only=True)
    request = StatusRequest(touch, (str(hosted.get("namespace") or ""), str(hosted.get("name") or "")), fault)
    status = decide(gather(request, machines, call.clock))
    shown = lines(status)
    result = {
        **{name: getattr(status, name) for name in ("state", "reason", "next_step", "phase", "expected_end")},
        "awaited": dict(status.awaited),
        "live_report": dict(status.live_report),
        "hosts": [host.as_dict() for host in status.hosts],
        "not_checked": list(status.not_checked),
        "paths": paths(work_dir),
    }
    for line in [json.dumps(result, ensure_ascii=False)] if params["output"] == "json" else shown:
        call.progress(line)
    return {"changed": False, **result, "lines": shown}


def _hide(call: Call, work_dir: WorkDir) -> str:
    """Hide the secrets of the state file in all output; why it cannot be read, if it cannot."""
    try:
        call.add_secrets(known_secrets(work_dir))
    except ZeroTouchError as error:
        return str(error)
    return ""


def _end(state: str, reason: str, next_step: str) -> dict[str, Any]:
    """The end of a playbook whose exit code is the state."""
    if state == "failed":
        raise ZeroTouchError(f"state: failed. {reason}", next_step)
    found = {"changed": False, "msg": f"state: {state}"}
    return (
        {**found, "unreachable": True, "msg": f"state: unknown. {reason} {next_step}".strip()}
        if state == "unknown"
        else found
    )


def main() -> None:
    run_module(argument_spec, OPTIONS, run)


if __name__ == "__main__":
    main()
