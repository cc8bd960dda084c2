#!/usr/bin/python
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors

from __future__ import annotations

DOCUMENTATION = r"""
module: cluster_credentials
short_description: Complete the credentials of an installed cluster
version_added: 0.1.0
author: the zerotouch.openshift authors (@zerotouch-openshift)
description:
  - Adds the CA that signs the cluster's routes to C(auth/kubeconfig), before the CAs that are there, as
    C(openshift-install) does at the end of an installation.
  - Where O(connect_to) maps the API, C(auth/kubeconfig.direct) is written too, with the mapped address as server and
    the API's name as C(tls-server-name), so that C(oc) and C(kubectl) work on the control node without DNS.
  - Returns the URL of the console. If the cluster has no console, the module warns.
  - If the API cannot be reached from the control node, the module warns and leaves C(auth/kubeconfig) as it is. Run it
    again to complete it.
extends_documentation_fragment:
  - zerotouch.openshift.connect_to
  - zerotouch.openshift.attributes
  - zerotouch.openshift.pending
attributes:
  check_mode:
    support: full
    details: A cluster that does not answer yet gives predicted paths and URLs.
  diff_mode:
    support: partial
    details: Shows why files change, not what they hold, since that is secret.
  idempotent:
    support: full
options:
  work_dir:
    description: The work directory of the deployment, C(openshift_work_dir).
    type: path
    required: true
  console_timeout:
    description: Seconds to wait until the route of the console is admitted.
    type: float
    default: 120
  ca_cert:
    description: CA, as path or PEM, trusted for the API in addition to those of the kubeconfig.
    type: str
requirements:
  - PyYAML
  - urllib3
"""

EXAMPLES = r"""
- name: Complete the credentials
  zerotouch.openshift.cluster_credentials:
    work_dir: clusters/demo
  register: credentials

- name: Show the nodes
  kubernetes.core.k8s_info:
    kubeconfig: "{{ credentials.kubeconfig }}"
    kind: Node
"""

RETURN = r"""
kubeconfig:
  description: Path of the kubeconfig of the administrator.
  returned: always
  type: str
kubeconfig_direct:
  description: Path of the kubeconfig with the mapped address; empty if nothing maps the API.
  returned: always
  type: str
kubeadmin_password_file:
  description: Path of the file that holds the password of the user C(kubeadmin).
  returned: always
  type: str
console_url:
  description: URL of the console; empty if it is not known.
  returned: always
  type: str
api_url:
  description: URL of the API.
  returned: always
  type: str
"""

from pathlib import Path
from typing import Any

from ansible_collections.zerotouch.openshift.plugins.module_utils.common.connect import ConnectTo
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.entry_point import (
    PENDING_OPTION,
    Call,
    run_module,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.lock import one_run
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.credentials import plan_hand_over
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.state.recovery import recover, restore
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.state.work_dir import (
    WorkDir,
    known_secrets,
    open_work_dir,
    read_deployment,
)

OPTIONS = {"supports_check_mode": True}


def argument_spec() -> dict[str, Any]:
    return {
        "work_dir": {"type": "path", "required": True},
        **PENDING_OPTION,
        "console_timeout": {"type": "float", "default": 120},
        "connect_to": {"type": "dict", "default": {}},
        "ca_cert": {"type": "str"},
    }


def run(call: Call) -> dict[str, Any]:
    if call.pending:
        return call.predict("complete auth/kubeconfig with the CA of the ingress")
    params = call.params
    work_dir = open_work_dir(Path(params["work_dir"]))
    call.add_secrets(known_secrets(work_dir))
    if call.check_mode or not work_dir.root.is_dir():
        return _hand_over(call, work_dir)
    with one_run(work_dir.root, "cluster_credentials", call.clock):
        return _hand_over(call, work_dir)


def _hand_over(call: Call, work_dir: WorkDir) -> dict[str, Any]:
    params = call.params
    recovered = recover(work_dir, read_deployment(work_dir.config))
    for note in recovered.notes:
        call.warn(note)
    if not call.check_mode:
        restore(work_dir, recovered)
    plan = plan_hand_over(
        work_dir,
        call.clock,
        connect_to=ConnectTo.of(params["connect_to"]),
        ca_cert=params["ca_cert"] or "",
        console_limit=params["console_timeout"],
        check_mode=call.check_mode,
    )
    if plan.console.warning:
        call.warn(plan.console.warning)
    changed = plan.changed or recovered.needed
    if not call.check_mode:
        plan.apply()
    difference = {"diff": plan.as_diff()} if call.diff else {}
    return {**plan.as_result(), "changed": changed, **difference}


def main() -> None:
    run_module(argument_spec, OPTIONS, run)


if __name__ == "__main__":
    main()
