#!/usr/bin/python
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors

from __future__ import annotations

DOCUMENTATION = r"""
module: assisted_install
short_description: Start, follow, cancel or reset the installation of a cluster in an assisted-service
version_added: 0.1.0
author: the zerotouch.openshift authors (@zerotouch-openshift)
description:
  - Waits until the service reports the cluster as ready, starts its installation and follows it to the end. It prints
    progress when it changes.
  - If the service would reject the start, the message lists the validations that did not pass.
  - If the preparation of an installation fails, the module starts it again, at most three times in total. If the
    service does not answer, the module waits for it.
extends_documentation_fragment:
  - zerotouch.openshift.attributes
  - zerotouch.openshift.assisted
attributes:
  check_mode:
    support: full
    details:
      - Tells what would be asked for and waited for. A cluster that does not exist is warned of, since an earlier task
        may be going to make it.
  diff_mode:
    support: full
    details: Shows the status of the cluster, or of each host that is added, before and at the end.
  idempotent:
    support: full
options:
  cluster_name:
    description: The cluster, by name or id.
    type: str
    required: true
  state:
    description:
      - V(installed), the installation is started if need be and followed to its end; V(started), until it has begun.
      - Of a cluster that hosts are added to, its hosts that are ready are installed, and V(reset) takes those back
        whose installation is not complete.
      - V(cancelled) stops an installation; V(reset) takes it back, so that its hosts can be booted again. Both leave
        one alone that has not begun.
      - V(adding_hosts) opens an installed cluster for more hosts.
    type: str
    choices: [started, installed, cancelled, reset, adding_hosts]
    default: installed
  wait:
    description:
      - Whether to wait until the cluster reaches O(state). Otherwise the module only requests what is possible at once,
        and fails if the cluster is not ready.
    type: bool
    default: true
  ready_timeout:
    description: Seconds until the installation can begin.
    type: float
    default: 1800
  timeout:
    description: Seconds for the rest.
    type: float
    default: 5400
seealso:
  - module: zerotouch.openshift.assisted_hosts
  - module: zerotouch.openshift.assisted_info
"""

EXAMPLES = r"""
- name: Install a cluster
  zerotouch.openshift.assisted_install:
    service_url: http://192.0.2.10:8090
    cluster_name: edge

- name: Reset a failed installation
  zerotouch.openshift.assisted_install:
    service_url: http://192.0.2.10:8090
    cluster_name: edge
    state: reset
"""

RETURN = r"""
plan:
  description: What was asked for; in check mode what a run would ask for and wait for.
  returned: always, once the cluster was found
  type: list
  elements: str
  sample: [install cluster edge]
cluster:
  description: The cluster, in the form of RV(zerotouch.openshift.assisted_info#module:clusters).
  returned: always, once the cluster was found
  type: dict
  contains:
    id:
      description: Its id.
      type: str
    status:
      description: Its state in the service's word.
      type: str
    percent:
      description: How far its installation is.
      type: int
hosts:
  description: Its hosts, in the form of RV(zerotouch.openshift.assisted_info#module:hosts).
  returned: always, once the cluster was found
  type: list
  elements: dict
validations:
  description: What is not passed, in the form of RV(zerotouch.openshift.assisted_info#module:validations).
  returned: always, once the cluster was found
  type: list
  elements: dict
"""

from typing import Any

from ansible_collections.zerotouch.openshift.plugins.module_utils.assisted.install.plan import STATES
from ansible_collections.zerotouch.openshift.plugins.module_utils.assisted.install.run import Installation, InstallOrder
from ansible_collections.zerotouch.openshift.plugins.module_utils.assisted.rest.connection import (
    ASSISTED_OPTIONS,
    connect,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.entry_point import Call, run_module

OPTIONS = {"supports_check_mode": True}


def argument_spec() -> dict[str, Any]:
    return {
        **ASSISTED_OPTIONS,
        "cluster_name": {"type": "str", "required": True},
        "state": {"type": "str", "choices": list(STATES), "default": "installed"},
        "wait": {"type": "bool", "default": True},
        "ready_timeout": {"type": "float", "default": 1800},
        "timeout": {"type": "float", "default": 5400},
    }


def run(call: Call) -> dict[str, Any]:
    params = call.params
    service = connect(params, call.clock, call.check_mode, learnt=call.add_secrets, warn=call.warn)
    order = InstallOrder(
        cluster=params["cluster_name"],
        state=params["state"],
        wait=params["wait"],
        ready_timeout=params["ready_timeout"],
        timeout=params["timeout"],
        check_mode=call.check_mode,
        diff=call.diff,
        warn=call.warn,
        clock=call.clock,
        tell=call.progress,
    )
    result = Installation(service, order).run()
    call.plan(result["plan"])
    return result


def main() -> None:
    run_module(argument_spec, OPTIONS, run)


if __name__ == "__main__":
    main()
