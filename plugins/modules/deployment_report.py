#!/usr/bin/python
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors

from __future__ import annotations

DOCUMENTATION = r"""
module: deployment_report
short_description: Write the report of a deployment
version_added: 0.1.0
author: the zerotouch.openshift authors (@zerotouch-openshift)
description:
  - Writes C(report.html), a self-contained page, and C(report.json) with the same data. The report shows topology,
    hosts, a timeline of the stages of each host, warnings, and how to log in.
  - The data comes from the state file and the configuration in the work directory; no machine or service is contacted.
    The report contains no secrets, only the paths of files with secrets.
  - Shows the roles of the cluster's Nodes as M(zerotouch.openshift.install_wait) and
    M(zerotouch.openshift.cluster_credentials) last read them, and warns if they differ from the configuration.
extends_documentation_fragment:
  - zerotouch.openshift.attributes
  - zerotouch.openshift.pending
attributes:
  check_mode:
    support: full
  diff_mode:
    support: none
  idempotent:
    support: full
options:
  work_dir:
    description: The work directory of the deployment, C(openshift_work_dir).
    type: path
    required: true
  warnings:
    description: Further warnings to show.
    type: list
    elements: str
    default: []
  failure:
    description: The message of the task that ended this run. The report names it as the reason, unless a recorded
      failure of the installation does.
    type: str
  playbook:
    description:
      - The playbook whose run ends. Its live report is concluded, and C(openshift_notify) gets event V(failed) with
        O(failure), V(finished) without.
      - The task ends when the state store (C(openshift_state)) has all that the run has written. If it cannot be
        stored, the task fails, or warns if O(failure) is set.
      - Nothing is written for a run that is concluded already or that has no live report, and none of the results is
        returned.
    type: str
    version_added: 0.2.0
requirements:
  - PyYAML
"""

EXAMPLES = r"""
- name: Write the report
  zerotouch.openshift.deployment_report:
    work_dir: clusters/demo
  register: report

- name: Print the paths of credentials and report
  ansible.builtin.debug:
    msg: "{{ report.summary }}"
"""

RETURN = r"""
html:
  description: Path of the page.
  returned: always
  type: str
json:
  description: Path of the same as JSON.
  returned: always
  type: str
summary:
  description: The most important facts, a line each.
  returned: always
  type: list
  elements: str
node_warnings:
  description:
    - A sentence for each host whose Node is not what the configuration says - it has another role, it is not ready, or
      it does not exist. Each is a warning of the task too.
  returned: always
  type: list
  elements: str
served:
  description: That the image is still served, where and until when; empty when no image server of the deployment runs.
  returned: always
  type: str
report:
  description: The content of the JSON file.
  returned: always
  type: dict
"""

from pathlib import Path
from typing import Any

from ansible_collections.zerotouch.openshift.plugins.module_utils.common.entry_point import (
    PENDING_OPTION,
    Call,
    run_module,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.report.files import (
    RunState,
    plan_report,
    run_section,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.served_note import served_note
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.state.work_dir import (
    known_secrets,
    open_work_dir,
)

OPTIONS = {"supports_check_mode": True}


def argument_spec() -> dict[str, Any]:
    return {
        "work_dir": {"type": "path", "required": True},
        **PENDING_OPTION,
        "warnings": {"type": "list", "elements": "str", "default": []},
        "failure": {"type": "str"},
        "playbook": {"type": "str"},
    }


def run(call: Call) -> dict[str, Any]:
    if call.pending:
        return call.predict("write report.html and report.json")
    work_dir = open_work_dir(Path(call.params["work_dir"]))
    call.add_secrets(known_secrets(work_dir))
    failure, playbook = call.params["failure"] or "", call.params["playbook"]
    state: RunState = "failed" if failure else "finished"
    run = run_section(playbook, state, failure) if playbook else None
    plan = plan_report(work_dir, call.redactor, call.params["warnings"], failure, run=run)
    for text in plan.report["node_warnings"]:
        call.warn(text)
    changed = plan.changed
    if not call.check_mode:
        plan.apply()
    return {**plan.as_result(), "served": served_note(work_dir.state.read()), "changed": changed}


def main() -> None:
    run_module(argument_spec, OPTIONS, run)


if __name__ == "__main__":
    main()
