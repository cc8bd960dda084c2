#!/usr/bin/python
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors

from __future__ import annotations

DOCUMENTATION = r"""
module: deployment_files
short_description: Remove the files of a destroyed deployment
version_added: 0.1.0
author: the zerotouch.openshift authors (@zerotouch-openshift)
description:
  - Removes files and directories of a work directory, as M(zerotouch.openshift.destroy_plan) names them, and the record
    of the deployment in its state store, if it has one.
  - Nothing outside of the work directory is removed. If the work directory is a link, its content and the link are
    removed.
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
  work_dir:
    description: The work directory of the deployment, C(openshift_work_dir).
    type: path
    required: true
  paths:
    description: What to remove, the work directory itself or files and directories in it.
    type: list
    elements: path
    required: true
  state:
    description: V(absent) removes them.
    type: str
    choices: [absent]
    default: absent
"""

EXAMPLES = r"""
- name: Remove image and state
  zerotouch.openshift.deployment_files:
    work_dir: clusters/demo
    paths: "{{ plan.removal.paths }}"
"""

RETURN = r"""
paths:
  description: What was removed.
  returned: success
  type: list
  elements: str
"""

from pathlib import Path
from typing import Any

from ansible_collections.zerotouch.openshift.plugins.module_utils.common.entry_point import Call, run_module
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.removal import remove_files

OPTIONS = {"supports_check_mode": True}


def argument_spec() -> dict[str, Any]:
    return {
        "work_dir": {"type": "path", "required": True},
        "paths": {"type": "list", "elements": "path", "required": True},
        "state": {"type": "str", "choices": ["absent"], "default": "absent"},
    }


def run(call: Call) -> dict[str, Any]:
    paths = [Path(path) for path in call.params["paths"]]
    removed = remove_files(Path(call.params["work_dir"]), paths, call.clock, check_mode=call.check_mode)
    return {"changed": bool(removed), "paths": [str(path) for path in removed]}


def main() -> None:
    run_module(argument_spec, OPTIONS, run)


if __name__ == "__main__":
    main()
