#!/usr/bin/python
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors

from __future__ import annotations

DOCUMENTATION = r"""
module: assisted_deployment
short_description: Deploy a cluster through an assisted-service, and add hosts to it
version_added: 0.1.0
author: the zerotouch.openshift authors (@zerotouch-openshift)
description:
  - Creates or updates a cluster and its InfraEnv at an assisted-service that runs elsewhere (on a bastion, or hosted),
    and follows the installation. M(zerotouch.openshift.assisted_cluster), M(zerotouch.openshift.assisted_infra_env) and
    the other modules for an assisted-service do the single steps.
  - The cluster is described as for M(zerotouch.openshift.agent_config), by O(cluster) and O(hosts) or by the files in
    O(config_dir), and checked as completely before anything is sent. It needs no rendezvous host. The module
    sends what the client inside an agent ISO would send for the same description.
  - The module finds cluster and InfraEnv by the ids in C(state.json) of O(work_dir). A cluster of the same name that
    was not created from this work directory is never changed.
  - Returns which hosts must be booted from the discovery image, and its URL. No host of a cluster is among them.
  - With O(wait_for=installed) the hosts are named and given role, disk and labels as they appear, the installation is
    begun as soon as exactly they are ready, and followed with the view of M(zerotouch.openshift.install_wait); on
    failure a folder in C(logs) holds everything that helps to find out why.
extends_documentation_fragment:
  - zerotouch.openshift.attributes
  - zerotouch.openshift.assisted
  - zerotouch.openshift.pending
  - zerotouch.openshift.timeouts
  - zerotouch.openshift.media_hosts
  - zerotouch.openshift.touch
  - zerotouch.openshift.described_cluster
attributes:
  check_mode:
    support: full
    details: Of a cluster that does not exist yet the URL of the image is predicted, as one that says so.
  diff_mode:
    support: full
    details: Secrets are hidden. A wait has no diff.
  idempotent:
    support: full
options:
  state:
    description:
      - V(present) makes, changes and watches.
      - V(absent) takes away what was made from O(work_dir); an installation on its way is cancelled first.
    type: str
    choices: [present, absent]
    default: present
  purpose:
    description: V(install) installs the cluster; V(add) adds hosts to it once it is installed. One that the service
      does not know any more is imported.
    type: str
    choices: [install, add]
    default: install
  work_dir:
    description: Work directory, for C(state.json), C(auth), C(images) and C(logs). Only one run at a time works on it.
    type: path
    required: true
  infra_env:
    description: Further options of M(zerotouch.openshift.assisted_infra_env) for the discovery image, such as
      V(kernel_arguments). They win.
    type: dict
    default: {}
  host_options:
    description: Further options of a host of M(zerotouch.openshift.assisted_hosts), such as V(node_labels), by the name
      of the host.
    type: dict
    default: {}
  names:
    description: With O(purpose=add) the hosts that are meant; all of the description by default.
    type: list
    elements: str
    default: []
  cluster_id:
    description: Id of a cluster that another tool or user created at the service, to continue with. It is not deleted
      with O(state=absent).
    type: str
  image:
    description: V(direct), BMCs fetch the image from the service; V(publish), it is transferred to C(images) in
      O(work_dir) for being published from here.
    type: str
    choices: [direct, publish]
    default: direct
  wait_for:
    description:
      - V(none) returns as soon as the service has everything.
      - V(installed) configures the hosts and waits until the cluster is installed.
      - V(joined), with O(purpose=add), waits until the service has added the hosts. M(zerotouch.openshift.node_csrs)
        approves their certificates.
    type: str
    choices: [none, installed, joined]
    default: none
  force:
    description:
      - With V(start_over) cluster and InfraEnv are deleted and created again, and all hosts are booted.
      - With V(rebuild_image) hosts that have registered are booted again, with V(reboot_joined_hosts) also those of an
        installation on its way.
    type: list
    elements: str
    choices: [rebuild_image, reboot_joined_hosts, start_over, take_over, abandon_hub, abandon_hosts, break_lock]
    default: []
  log_dir:
    description: Where folders of failures go. By default C(logs) in O(work_dir).
    type: path
requirements:
  - PyYAML
  - urllib3
seealso:
  - module: zerotouch.openshift.agent_cluster_install
    description: The same on a hub.
"""

EXAMPLES = r"""
- name: Create or update the cluster and its discovery image
  zerotouch.openshift.assisted_deployment:
    service_url: http://192.0.2.10:8090
    work_dir: clusters/edge
    cluster: "{{ openshift_cluster }}"
    hosts: "{{ site.deployment | zerotouch.openshift.deployment('hosts') }}"
  register: edge

- name: Boot the machines
  zerotouch.openshift.boot_hosts:
    image_url: "{{ edge.image_url }}"
    hosts: "{{ (site.deployment | zerotouch.openshift.deployment('bmc_hosts')) | selectattr('name', 'in',
      edge.boot_hosts) }}"

- name: Install the cluster
  zerotouch.openshift.assisted_deployment:
    service_url: http://192.0.2.10:8090
    work_dir: clusters/edge
    cluster: "{{ openshift_cluster }}"
    hosts: "{{ site.deployment | zerotouch.openshift.deployment('hosts') }}"
    wait_for: installed
"""

RETURN = r"""
name:
  description: Name of the cluster.
  returned: without O(wait_for)
  type: str
plan:
  description: What was changed at the service and in O(work_dir), or would be in check mode.
  returned: always
  type: list
  elements: str
stop:
  description: Why nothing was done, where going on could do harm; else empty.
  returned: O(state=present) without O(wait_for)
  type: str
state:
  description: V(new), V(built) (nothing registered yet), V(registered), V(installing), V(installed), V(failed),
    V(unknown) or V(foreign).
  returned: O(state=present) without O(wait_for)
  type: str
wait:
  description: Whether there is something to wait for with O(wait_for=installed). In check mode not for a cluster that
    does not exist.
  returned: O(state=present) without O(wait_for)
  type: bool
report:
  description: Whether credentials and report can be written at the end of the run; in check mode only if the cluster is
    installed.
  returned: O(state=present) without O(wait_for)
  type: bool
cluster:
  description: The cluster, in the form of RV(zerotouch.openshift.assisted_info#module:clusters).
  returned: O(state=present) without O(wait_for)
  type: dict
infra_env:
  description: The InfraEnv, in the form of RV(zerotouch.openshift.assisted_info#module:infra_envs).
  returned: O(state=present) without O(wait_for)
  type: dict
hosts:
  description: What is to be done with each host.
  returned: O(state=present) without O(wait_for)
  type: list
  elements: dict
  contains:
    name:
      description: Name of the host.
      type: str
    joined:
      description: Whether it belongs to the cluster already, or is being installed.
      type: bool
    action:
      description: V(boot), V(wait) or V(skip).
      type: str
    reason:
      description: Why.
      type: str
    force:
      description: Whether it is to be booted although it may run the image already.
      type: bool
boot_hosts:
  description: Names of the hosts to boot.
  returned: O(state=present) without O(wait_for)
  type: list
  elements: str
forced_hosts:
  description: Those of RV(boot_hosts) that are to be booted although they may run the image.
  returned: O(state=present) without O(wait_for)
  type: list
  elements: str
joining_hosts:
  description: With O(purpose=add), names of the hosts to wait for. Empty in check mode, which waits for no host.
  returned: O(state=present) without O(wait_for)
  type: list
  elements: str
image_url:
  description: Where the service has the discovery image; empty where no host has to be booted.
  returned: O(state=present) without O(wait_for)
  type: str
image_path:
  description: The image here, with O(image=publish).
  returned: O(state=present) without O(wait_for)
  type: str
phase:
  description: How far the installation is, as C(state.json) has it.
  returned: O(wait_for=installed)
  type: str
percent:
  description: Its progress, 0 to 100.
  returned: O(wait_for=installed)
  type: int
progress:
  description: How far each host is, in the form of RV(zerotouch.openshift.install_wait#module:hosts).
  returned: O(wait_for=installed)
  type: list
  elements: dict
elapsed:
  description: Seconds that the wait took.
  returned: O(wait_for=installed)
  type: float
log_dir:
  description: The folder with what was collected when it failed; empty on success.
  returned: O(wait_for=installed)
  type: str
suspects:
  description: Why it probably failed, most telling first.
  returned: failure with O(wait_for=installed)
  type: list
  elements: str
joined:
  description: The hosts that were waited for, with C(name), C(id), C(status) and C(hostname).
  returned: O(wait_for=joined)
  type: list
  elements: dict
nodes:
  description:
    - The Nodes that the hosts become, as O(zerotouch.openshift.node_csrs#module:hosts) takes them - C(name), and the
      C(addresses) that the service has from the host's agent.
  returned: O(wait_for=joined)
  type: list
  elements: dict
kubeconfig:
  description: Path of the kubeconfig; empty as long as there is none.
  returned: O(state=present), not with O(wait_for=joined)
  type: str
kubeadmin_password_file:
  description: Path of the password's file; empty as long as there is none.
  returned: O(state=present), not with O(wait_for=joined)
  type: str
problems:
  description: What the checks found; on success warnings only (see M(zerotouch.openshift.agent_config)).
  returned: O(state=present), not with O(wait_for=joined)
  type: list
  elements: dict
stays:
  description: Why objects are not deleted.
  returned: O(state=absent)
  type: list
  elements: str
"""

from pathlib import Path
from typing import Any

from ansible_collections.zerotouch.openshift.plugins.module_utils.assisted.rest.connection import ASSISTED_OPTIONS
from ansible_collections.zerotouch.openshift.plugins.module_utils.bmc.hosts import BmcOptions
from ansible_collections.zerotouch.openshift.plugins.module_utils.boot.options import media_hosts_spec
from ansible_collections.zerotouch.openshift.plugins.module_utils.boot.requests import boot_requests
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.connect import ConnectTo
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.entry_point import (
    PENDING_OPTION,
    Call,
    run_module,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.store_link import StoreLink
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.assisted.join import wait_joined
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.assisted.run import (
    ensure_absent,
    ensure_present,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.assisted.session import AssistedRequest
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.assisted.wait import (
    Patience,
    wait_installed,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.described import DESCRIPTION_OPTIONS
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.safety.options import touch_spec
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.safety.table import OVERRIDES
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.supervise.media import HostMedia
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.supervise.setup import (
    Limits,
    timeouts_spec,
)

OPTIONS = {
    "supports_check_mode": True,
    "required_if": [("state", "present", ("cluster", "config_dir"), True), ("wait_for", "joined", ("names",))],
    "mutually_exclusive": [("cluster", "config_dir")],
}


def argument_spec() -> dict[str, Any]:
    return {
        **ASSISTED_OPTIONS,
        "state": {"type": "str", "choices": ["present", "absent"], "default": "present"},
        "purpose": {"type": "str", "choices": ["install", "add"], "default": "install"},
        "work_dir": {"type": "path", "required": True},
        **PENDING_OPTION,
        **DESCRIPTION_OPTIONS,
        "infra_env": {"type": "dict", "default": {}},
        "host_options": {"type": "dict", "default": {}},
        "names": {"type": "list", "elements": "str", "default": []},
        "cluster_id": {"type": "str"},
        "image": {"type": "str", "choices": ["direct", "publish"], "default": "direct"},
        "wait_for": {"type": "str", "choices": ["none", "installed", "joined"], "default": "none"},
        "timeouts": timeouts_spec(),
        "force": {"type": "list", "elements": "str", "choices": list(OVERRIDES), "default": []},
        **media_hosts_spec(),
        "touch": touch_spec(),
        "log_dir": {"type": "path"},
    }


def run(call: Call) -> dict[str, Any]:
    request, params = AssistedRequest.of(call.params), call.params
    if params["state"] != "present":
        return ensure_absent(request, call)
    limits = Limits.of_mapping(params["timeouts"])
    if params["wait_for"] == "joined":
        return wait_joined(request, call, limits)
    if params["wait_for"] == "installed" and call.pending:
        return call.predict("supervise the hosts until the cluster is installed")
    if params["wait_for"] == "installed":
        return wait_installed(request, call, _patience(call, request, limits))
    call.hand_over("image_url")
    return ensure_present(request, call)


def _patience(call: Call, request: AssistedRequest, limits: Limits) -> Patience:
    options = BmcOptions(
        connect_to=ConnectTo.of(call.params["connect_to"]),
        ca_cert=call.params["bmc_ca_cert"] or "",
        state_file=request.work_dir.state,
        clock=call.clock,
        progress=call.progress,
        before_write=StoreLink(request.work_dir.root, call.clock).check,
    )
    media = HostMedia(boot_requests(call.params["media_hosts"], state_file=request.work_dir.state), options)
    return Patience(limits, media, Path(call.params["log_dir"] or request.work_dir.logs), call.redactor)


def main() -> None:
    run_module(argument_spec, OPTIONS, run)


if __name__ == "__main__":
    main()
