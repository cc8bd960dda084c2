#!/usr/bin/python
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors

from __future__ import annotations

DOCUMENTATION = r"""
module: deployment_plan
short_description: Plan the remaining steps of a deployment
version_added: 0.1.0
author: the zerotouch.openshift authors (@zerotouch-openshift)
description:
  - Decides which steps a run must do. Reads the state file, the image and the configuration it was built from, the
    service on the rendezvous host and the API of the new cluster, in parallel and with short time limits.
  - A service belongs to this deployment only if it accepts the deployment's token and shows its infra-env id. An API
    belongs to it only if its certificate comes from the deployment's signers and it accepts the client certificate.
  - If a running installation does not answer, but answered a short time ago (within the limit of its phase), the run
    waits for it, because the rendezvous host may be rebooting.
  - A host that has I(joined) is only booted if the user asks for it. If it is unknown whether it has joined, the
    decision is to stop, with the reason.
extends_documentation_fragment:
  - zerotouch.openshift.connect_to
  - zerotouch.openshift.attributes.info
  - zerotouch.openshift.timeouts
options:
  work_dir:
    description: The work directory of the deployment, C(openshift_work_dir).
    type: path
    required: true
  hosts:
    description:
      - The hosts, as RV(zerotouch.openshift.agent_config#module:hosts) lists them. By default those of the
        configuration in C(config/).
    type: list
    elements: dict
    default: []
    suboptions:
      name:
        description: What the host is called.
        type: str
        required: true
      hostname:
        description: Its hostname, which is the name of its Node.
        type: str
      role:
        description: Its role.
        type: str
      macs:
        description: MAC addresses of its NICs.
        type: list
        elements: str
        default: []
        aliases: [mac_addresses]
      static_ips:
        description: Its static addresses.
        type: list
        elements: str
        default: []
  rendezvous_ip:
    description: Address of the rendezvous host, for a configuration that is not written yet (check mode).
    type: str
  api_url:
    description: URL of the cluster's API, for a configuration that is not written yet (check mode).
    type: str
  changed_files:
    description: Paths in C(config/) that would change. Read in check mode only, in which no file was written.
    type: list
    elements: str
    default: []
  force:
    description:
      - What to do all the same.
      - V(rebuild_image) builds the image even if it matches, and overrides the stop because of a changed configuration.
      - V(reboot_joined_hosts) also boots hosts that joined an installation that is not complete.
      - V(start_over) builds the image again and plans to boot all hosts, whatever was observed. This destroys what is
        on them.
      - Whether the machines may be booted is decided by M(zerotouch.openshift.touch_check).
    type: list
    elements: str
    choices: [rebuild_image, reboot_joined_hosts, start_over, take_over, abandon_hub, abandon_hosts, break_lock]
    default: []
  ca_cert:
    description: CA, as path or PEM, trusted for the API in addition to the deployment's own signers.
    type: str
requirements:
  - PyYAML
  - urllib3
seealso:
  - module: zerotouch.openshift.install_wait
"""

EXAMPLES = r"""
- name: Decide what is left to do
  zerotouch.openshift.deployment_plan:
    work_dir: clusters/demo
  register: deployment

- name: Boot the hosts that must be booted
  zerotouch.openshift.boot_hosts:
    hosts: "{{ bmc_hosts | selectattr('name', 'in', deployment.boot_hosts) }}"
    image_url: "{{ image_url }}"
  when: deployment.boot_hosts | length > 0
"""

RETURN = r"""
state:
  description:
    - How far the deployment is. V(new), nothing was built; V(built), nothing runs; V(changed), the configuration is not
      that of the image; V(registered), its service answers; V(installing); V(installed); V(failed), with a terminal
      error; V(foreign), something else answers at its addresses; V(unknown), it was running when last seen and nothing
      answers.
  returned: always
  type: str
hosts:
  description: What to do with each host, in the order of the configuration.
  returned: always
  type: list
  elements: dict
  contains:
    name:
      description: Name of the host.
      type: str
    joined:
      description: Whether a Node of that name exists, or the service lists the host in an installing or installed
        state.
      type: bool
    action:
      description: V(boot), V(wait) for it, or V(skip) it.
      type: str
    reason:
      description: Why.
      type: str
    force:
      description: Whether to boot it even if it seems to run from the image already.
      type: bool
boot_hosts:
  description: Names of the hosts to boot.
  returned: always
  type: list
  elements: str
reading_hosts:
  description:
    - Names of the hosts that run from the image, so that it must be published until they have restarted from their
      disks.
  returned: always
  type: list
  elements: str
forced_hosts:
  description: Names of the hosts that boot even if they seem to run from the image already.
  returned: always
  type: list
  elements: str
build:
  description: Whether the image has to be built.
  returned: always
  type: bool
build_reason:
  description: Why.
  returned: always
  type: str
wait:
  description: Whether there is something to wait for.
  returned: always
  type: bool
report:
  description: Whether credentials and report can be written at the end of the run; in check mode only if the cluster is
    installed.
  returned: always
  type: bool
stop_reason:
  description: Why nothing must be done; empty if all is well.
  returned: always
  type: str
differing_paths:
  description:
    - What of the configuration is not what the image was built from, as C(file) or C(file), colon, C(field), and
      V(base image) if that changed.
    - Comments, order of keys and spelling of YAML are no change.
  returned: always
  type: list
  elements: str
phase:
  description: The phase that the last run recorded.
  returned: always
  type: str
service:
  description: Whether the service on the rendezvous host answers; V(ours), V(foreign) or V(none).
  returned: always
  type: str
api:
  description: Whether the cluster's API answers; V(ours), V(foreign) or V(none).
  returned: always
  type: str
"""

from pathlib import Path
from typing import Any

from ansible_collections.zerotouch.openshift.plugins.module_utils.common.connect import ConnectTo
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.entry_point import Call, run_module
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.agent.plan import Question, answer
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.safety.table import OVERRIDES
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.state.work_dir import (
    inventory_host,
    known_secrets,
    open_work_dir,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.supervise.setup import (
    Limits,
    timeouts_spec,
)

OPTIONS = {"supports_check_mode": True}


def argument_spec() -> dict[str, Any]:
    host = {
        "name": {"type": "str", "required": True},
        "hostname": {"type": "str"},
        "role": {"type": "str"},
        "macs": {"type": "list", "elements": "str", "default": [], "aliases": ["mac_addresses"]},
        "static_ips": {"type": "list", "elements": "str", "default": []},
    }
    return {
        "work_dir": {"type": "path", "required": True},
        "hosts": {"type": "list", "elements": "dict", "default": [], "options": host},
        "rendezvous_ip": {"type": "str"},
        "api_url": {"type": "str"},
        "changed_files": {"type": "list", "elements": "str", "default": []},
        "timeouts": timeouts_spec(),
        "force": {"type": "list", "elements": "str", "choices": list(OVERRIDES), "default": []},
        "connect_to": {"type": "dict", "default": {}},
        "ca_cert": {"type": "str"},
    }


def run(call: Call) -> dict[str, Any]:
    params = call.params
    work_dir = open_work_dir(Path(params["work_dir"]))
    call.add_secrets(known_secrets(work_dir))
    found = answer(
        Question(
            work_dir,
            hosts=tuple(inventory_host(host) for host in params["hosts"]),
            rendezvous_ip=params["rendezvous_ip"] or "",
            api_url=params["api_url"] or "",
            changed_files=params["changed_files"] if call.check_mode else (),
            force=params["force"],
            limits=Limits.of_mapping(params["timeouts"]),
            connect_to=ConnectTo.of(params["connect_to"]),
            ca_cert=params["ca_cert"] or "",
        )
    )
    for note in found.decision.notes:
        call.warn(note)
    return found.as_result(check_mode=call.check_mode)


def main() -> None:
    run_module(argument_spec, OPTIONS, run)


if __name__ == "__main__":
    main()
