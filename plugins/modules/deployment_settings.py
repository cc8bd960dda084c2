#!/usr/bin/python
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors

from __future__ import annotations

DOCUMENTATION = r"""
module: deployment_settings
short_description: Read and check the variables of a deployment once
version_added: 0.1.0
author: the zerotouch.openshift authors (@zerotouch-openshift)
description:
  - Reads the C(openshift_*) variables and the role groups of the inventory, checks them together with the configuration
    of the cluster, and fills in defaults. It reports all mistakes at once.
  - The roles of this collection take everything from the result, with P(zerotouch.openshift.deployment#filter). A run
    reads its variables once.
  - Reads files that the variables name, and opens the state of the deployment, see O(store). With O(live_report) it
    writes the report. Nothing else is written or sent.
  - Runs only on the control node, as an action.
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
  building:
    description:
      - Whether the run builds a cluster. Otherwise the base image and the version are optional, the configuration is
        not checked, and C(openshift_hosts) chooses hosts.
    type: bool
    default: true
  playbook:
    description: The playbook that runs. It is a mistake if the installation method does not have this playbook.
    type: str
  show_connections:
    description: Whether to print the APIs and services that the run uses, and where their settings come from.
    type: bool
    default: false
  live_report:
    description:
      - Whether to write and serve the report while the run goes on, as C(openshift_live_report) says, and to send the
        notifications of C(openshift_notify). The URL of the page is the first line that the run prints. Check mode does
        none of that.
    type: bool
    default: false
  store:
    description:
      - What to do with the store that C(openshift_state) names.
      - V(keep) takes its lease, makes the work directory current, and stores the state until the playbook has ended.
        Check mode reads.
      - V(read) makes the work directory current, without the lease.
      - V(ignore) does not contact the store.
      - V(stop) sets the stop switch of the run that works on this deployment, in the store or in the work directory.
    type: str
    choices: [keep, read, ignore, stop]
    default: keep
"""

EXAMPLES = r"""
- name: Read the variables
  zerotouch.openshift.deployment_settings:
  register: site

- name: Show where this deployment keeps its files
  ansible.builtin.debug:
    msg: "{{ (site.deployment | zerotouch.openshift.deployment('settings')).work_dir }}"
"""

RETURN = r"""
deployment:
  description:
    - The resolved variables. P(zerotouch.openshift.deployment#filter) returns parts of them.
    - They contain secrets. Therefore Ansible prints no part of this result.
  returned: success
  type: dict
connections:
  description: APIs and services that the run uses, and where their settings come from; empty without
    O(show_connections).
  returned: success
  type: list
  elements: str
problems:
  description: Everything that is wrong, one entry a mistake. The message has one line for each error.
  returned: failure
  type: list
  elements: dict
  contains:
    severity:
      description: V(error) or V(warning).
      type: str
    layer:
      description: V(installer) where the installer refuses it too, V(ours) otherwise.
      type: str
    check:
      description: Name of the check, if it has one.
      type: str
    file:
      description: File that holds the mistake, if it is in a file.
      type: str
    line:
      description: Line in that file; 0 if it is not known.
      type: int
    path:
      description: The field, as the input names it.
      type: str
    kind:
      description: What kind of mistake it is, in the installer's words.
      type: str
    value:
      description: The value, where it is not secret.
      type: str
    detail:
      description: What is wrong.
      type: str
    hint:
      description: What to do about it.
      type: str
"""

from typing import Any, NoReturn

from ansible_collections.zerotouch.openshift.plugins.module_utils.common.entry_point import Call, run_module
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.errors import ZeroTouchError

OPTIONS = {"supports_check_mode": True}


def argument_spec() -> dict[str, Any]:
    return {
        "building": {"type": "bool", "default": True},
        "playbook": {"type": "str"},
        "show_connections": {"type": "bool", "default": False},
        "live_report": {"type": "bool", "default": False},
        "store": {"type": "str", "choices": ["keep", "read", "ignore", "stop"], "default": "keep"},
    }


def run(call: Call) -> NoReturn:
    raise ZeroTouchError(
        "deployment_settings runs only on the control node.",
        ("Call it by its full name zerotouch.openshift.deployment_settings."),
    )


def main() -> None:
    run_module(argument_spec, OPTIONS, run)


if __name__ == "__main__":
    main()
