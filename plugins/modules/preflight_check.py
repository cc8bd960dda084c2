#!/usr/bin/python
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors

from __future__ import annotations

DOCUMENTATION = r"""
module: preflight_check
short_description: Check everything that a deployment needs, before the maintenance window
version_added: 0.2.0
author: the zerotouch.openshift authors (@zerotouch-openshift)
description:
  - Checks the variables as C(deploy_cluster) does. Then it reads the BMCs, services and other resources that they name,
    and runs the checks that C(docs/reference/preflight.md) lists with their installation methods and remedies.
  - BMCs are read with GET only, and without a session where the BMC allows that. No other service is changed either.
  - A resource that cannot be reached fails its own check. The task itself fails only for mistakes in the variables.
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
- name: Check the rack
  zerotouch.openshift.preflight_check:
  register: rack

- name: Fail if the rack is not ready
  ansible.builtin.fail:
    msg: "{{ rack.failures }}"
  when: not rack.ok
"""

RETURN = r"""
ok:
  description: Whether no check failed.
  returned: success
  type: bool
checks:
  description: One entry for each check and subject, hosts in the order of the inventory, then the checks of the site.
  returned: success
  type: list
  elements: dict
  contains:
    check:
      description: Name of the check.
      type: str
    subject:
      description: The host, name, address or file that it is about.
      type: str
    status:
      description: V(PASS), V(FAIL) or V(SKIP).
      type: str
    detail:
      description: What was found, or why it was skipped.
      type: str
    remedy:
      description: What to do about a failure.
      type: str
counts:
  description: How many checks have each status.
  returned: success
  type: dict
failures:
  description: Each failed check on one line, with its remedy.
  returned: success
  type: list
  elements: str
problems:
  description: What is wrong with the variables, in the form that M(zerotouch.openshift.deployment_settings) returns.
  returned: failure
  type: list
  elements: dict
"""

from typing import Any, NoReturn

from ansible_collections.zerotouch.openshift.plugins.module_utils.common.entry_point import Call, run_module
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.errors import ZeroTouchError

OPTIONS = {"supports_check_mode": True}


def argument_spec() -> dict[str, Any]:
    return {}


def run(call: Call) -> NoReturn:
    raise ZeroTouchError(
        "preflight_check runs only on the control node.",
        ("Call it by its full name zerotouch.openshift.preflight_check."),
    )


def main() -> None:
    run_module(argument_spec, OPTIONS, run)


if __name__ == "__main__":
    main()
