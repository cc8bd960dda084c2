#!/usr/bin/python
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors

from __future__ import annotations

DOCUMENTATION = r"""
module: rehearsal
short_description: Deploy an inventory in a lab
version_added: 0.2.0
author: the zerotouch.openshift authors (@zerotouch-openshift)
description:
  - Starts a lab (C(ztlab)) with the machines of the inventory, runs C(deploy_cluster) with the same inventory and
    options in it, compares the result with the inventory, and ends the lab. C(openshift_rehearsal) has the options.
  - Contacts no BMC, hub, service or state store of the inventory. Nothing is left after it, also after an interruption.
  - Fails if the deployment fails, and if the lab is not installed.
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
- name: Rehearse
  zerotouch.openshift.rehearsal:
  register: rehearsal
"""

RETURN = r"""
differences:
  description: What differs between the inventory and what became of it in the lab.
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
        "rehearsal runs only on the control node.", ("Call it by its full name zerotouch.openshift.rehearsal.")
    )


def main() -> None:
    run_module(argument_spec, OPTIONS, run)


if __name__ == "__main__":
    main()
