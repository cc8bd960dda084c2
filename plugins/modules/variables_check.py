#!/usr/bin/python
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors

from __future__ import annotations

DOCUMENTATION = r"""
module: variables_check
short_description: Check the variables of a deployment without contacting anything
version_added: 0.2.0
author: the zerotouch.openshift authors (@zerotouch-openshift)
description:
  - Checks the C(openshift_*) variables, the role groups of the inventory and the configuration of the cluster, as
    C(deploy_cluster) checks them. It reports all mistakes at once, with file and line where the variable is in a YAML
    file of the inventory.
  - Contacts no BMC, no network and no store, and needs no base image. Conditions of the machine that installs, such
    as a free port, are not checked.
  - Writes the files that C(openshift_check_report) names, and prints annotations for GitHub Actions there. Check mode
    writes no files.
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
options: {}
"""

EXAMPLES = r"""
- name: Check the inventory
  zerotouch.openshift.variables_check:
"""

RETURN = r"""
errors:
  description: How many errors there are.
  returned: success
  type: int
warning_count:
  description: How many warnings there are.
  returned: success
  type: int
problems:
  description: Everything that is wrong, one entry a mistake. The message of a failure has one line for each error.
  returned: always
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
    return {}


def run(call: Call) -> NoReturn:
    raise ZeroTouchError(
        "variables_check runs only on the control node.",
        ("Call it by its full name zerotouch.openshift.variables_check."),
    )


def main() -> None:
    run_module(argument_spec, OPTIONS, run)


if __name__ == "__main__":
    main()
