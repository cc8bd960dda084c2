#!/usr/bin/python
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors

from __future__ import annotations

DOCUMENTATION = r"""
module: install_wait
short_description: Supervise a running installation until it is complete
version_added: 0.1.0
author: the zerotouch.openshift authors (@zerotouch-openshift)
description:
  - Watches the service on the rendezvous host and the API of the new cluster until the bootstrap or the installation is
    complete, in the sense of C(openshift-install agent wait-for).
  - Detaches the medium of each host when it has left the live system, and repairs hosts that booted the live system
    again instead of their disk.
  - Fails immediately on a terminal error, with the reason of each host, or when a phase takes longer than its limit. It
    then writes diagnostic data without secrets to a directory. The message names this directory and the likely causes.
  - If the task runs on the controller, progress is printed live, a line for each change and one each minute. While
    hosts are missing in phase discovery, it has a line for each of the first five with its MAC addresses and how far
    its BMC has read the image, if the image server of this collection serves it.
  - The state file records the phase and the time of every stage, so that the next run continues an interrupted wait.
extends_documentation_fragment:
  - zerotouch.openshift.attributes
  - zerotouch.openshift.bmc_hosts.any_method
  - zerotouch.openshift.timeouts
  - zerotouch.openshift.touch
attributes:
  check_mode:
    support: full
    details: Returns the plan for this moment without waiting.
  diff_mode:
    support: none
  idempotent:
    support: full
options:
  work_dir:
    description: The work directory of the deployment, C(openshift_work_dir).
    type: path
    required: true
  until:
    description: What to wait for.
    type: str
    choices: [bootstrap, installed]
    default: installed
  hosts:
    description: The hosts whose media are detached and which are repaired. Hosts that are not listed, or that the user
      boots, are only watched.
    required: false
    default: []
  detach_media:
    description: Whether media are detached.
    type: bool
    default: true
  repair:
    description: Whether hosts that booted the live system again are powered off, their medium detached, and powered on;
      twice at most.
    type: bool
    default: true
  force:
    description:
      - With V(start_over) the wait starts again, and the API of a former cluster does not count until the service of
        the new one was seen. Other values have no meaning here.
    type: list
    elements: str
    choices: [rebuild_image, reboot_joined_hosts, start_over, take_over, abandon_hub, abandon_hosts, break_lock]
    default: []
  left_hosts:
    description:
      - Hosts that M(zerotouch.openshift.boot_hosts) left alone because an earlier run had powered them on with this
        image attached. If the image server began later, as after a job that was killed together with it, such a host
        may have found no image.
      - One that neither reads the image nor registers is booted from it again, once, after an eighth of
        O(timeouts.boot), 300 seconds at most, and not before twice that time after it was powered on.
    type: list
    elements: str
    default: []
  log_dir:
    description: Where failure bundles go, each in a folder of its own. By default C(logs) in O(work_dir).
    type: path
requirements:
  - PyYAML
  - urllib3
seealso:
  - module: zerotouch.openshift.deployment_plan
  - module: zerotouch.openshift.cluster_credentials
"""

EXAMPLES = r"""
- name: Wait until the cluster is installed
  zerotouch.openshift.install_wait:
    work_dir: clusters/demo
    hosts: "{{ bmc_hosts }}"
    timeouts:
      discovery: 3600
"""

RETURN = r"""
phase:
  description: How far it is; V(booted), V(bootstrap), V(installing), V(installed) or V(failed).
  returned: always
  type: str
percent:
  description: Progress of the whole, 0 to 100.
  returned: always
  type: int
hosts:
  description: The hosts as the service showed them last, in the order of the configuration.
  returned: always
  type: list
  elements: dict
  contains:
    name:
      description: Name of the host.
      type: str
    status:
      description: Its status in the service's own words, empty if it never registered.
      type: str
    stage:
      description: Its installation stage.
      type: str
    percent:
      description: Its progress, 0 to 100.
      type: int
    since:
      description: When the stage began.
      type: str
    reason:
      description: The service's explanation of the status.
      type: str
elapsed:
  description: Seconds waited.
  returned: always
  type: float
log_dir:
  description: The failure bundle; empty if there was no failure.
  returned: always
  type: str
suspects:
  description: Why it probably failed, most telling first.
  returned: failure
  type: list
  elements: str
plan:
  description: The steps that this moment would cause.
  returned: in check mode
  type: list
  elements: str
"""

import dataclasses
from pathlib import Path
from typing import Any

from ansible_collections.zerotouch.openshift.plugins.module_utils.bmc.hosts import BmcOptions
from ansible_collections.zerotouch.openshift.plugins.module_utils.bmc.options import bmc_options
from ansible_collections.zerotouch.openshift.plugins.module_utils.boot.options import boot_argument_spec
from ansible_collections.zerotouch.openshift.plugins.module_utils.boot.requests import boot_requests
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.entry_point import Call, run_module
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.lock import one_run
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.store_link import StoreLink
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.agent.wait import (
    Surroundings,
    WaitRequest,
    predict,
    wait,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.safety.gate import Gate
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.safety.options import (
    read_touch,
    touch_spec,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.safety.table import OVERRIDES, START_OVER
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.state.work_dir import (
    WorkDir,
    known_secrets,
    open_work_dir,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.supervise.media import (
    BootAgain,
    HostMedia,
    bmc_addresses,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.supervise.setup import (
    Limits,
    timeouts_spec,
)

OPTIONS = {"supports_check_mode": True}


def argument_spec() -> dict[str, Any]:
    return {
        **boot_argument_spec(),
        "work_dir": {"type": "path", "required": True},
        "until": {"type": "str", "choices": ["bootstrap", "installed"], "default": "installed"},
        "detach_media": {"type": "bool", "default": True},
        "repair": {"type": "bool", "default": True},
        "timeouts": timeouts_spec(),
        "force": {"type": "list", "elements": "str", "choices": list(OVERRIDES), "default": []},
        "left_hosts": {"type": "list", "elements": "str", "default": []},
        "touch": touch_spec(),
        "log_dir": {"type": "path"},
    }


def run(call: Call) -> dict[str, Any]:
    work_dir = open_work_dir(Path(call.params["work_dir"]))
    call.add_secrets(known_secrets(work_dir))
    if call.check_mode or not work_dir.root.is_dir():
        return _supervise(call, work_dir)
    with one_run(work_dir.root, "install_wait", call.clock):
        return _supervise(call, work_dir)


def _supervise(call: Call, work_dir: WorkDir) -> dict[str, Any]:
    params = call.params
    options = dataclasses.replace(
        bmc_options(call), state_file=work_dir.state, before_write=StoreLink(work_dir.root, call.clock).check
    )
    requests = boot_requests(params["hosts"], state_file=work_dir.state)
    media = HostMedia(requests, options, _boot_again(call, options))
    addresses = bmc_addresses(requests)
    request = WaitRequest(
        work_dir,
        log_dir=Path(params["log_dir"]) if params["log_dir"] else work_dir.logs,
        until=params["until"],
        limits=Limits.of_mapping(params["timeouts"]),
        media_hosts=media.names,
        detach_media=params["detach_media"],
        repair=params["repair"],
        fresh=START_OVER in params["force"],
        # Only a BMC reads the image from the server while its host runs: a hypervisor has a copy, which does not end
        # with the job.
        left_hosts=frozenset(params["left_hosts"]) & addresses.keys(),
        bmc_addresses=addresses,
        connect_to=options.connect_to,
        ca_cert=params["ca_cert"] or "",
    )
    around = Surroundings(media, call.clock, call.progress, call.redactor, call.warn)
    if call.check_mode:
        call.plan([f"supervise the hosts until the cluster is {params['until']}"])
        return predict(request, around)
    return wait(request, around)


def _boot_again(call: Call, options: BmcOptions) -> BootAgain | None:
    """What boots hosts that found no image, from the URL that the state records."""
    params = call.params
    if not params["left_hosts"]:
        return None
    hosts = [{**host, "force": True} for host in params["hosts"] if host["name"] in params["left_hosts"]]
    touch = read_touch(
        params["touch"],
        params["connect_to"],
        ca_cert=options.ca_cert,
        state_file=options.state_file.path if options.state_file else None,
    )
    gate = Gate("boot", touch, call.clock, call.progress, records=not call.check_mode)
    return BootAgain(boot_requests(hosts, needs_image=True, state_file=options.state_file), gate)


def main() -> None:
    run_module(argument_spec, OPTIONS, run)


if __name__ == "__main__":
    main()
