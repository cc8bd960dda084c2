#!/usr/bin/python
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors

from __future__ import annotations

DOCUMENTATION = r"""
module: assisted_files
short_description: Fetch kubeconfig, password, Ignition, manifests and logs from an assisted-service
version_added: 0.1.0
author: the zerotouch.openshift authors (@zerotouch-openshift)
description:
  - Downloads files of a cluster or an InfraEnv to a directory. Only the owner can read them. A file is replaced
    completely, and only if its content differs.
  - The task result never contains the contents of the files.
extends_documentation_fragment:
  - zerotouch.openshift.attributes
  - zerotouch.openshift.assisted
attributes:
  check_mode:
    support: full
    details:
      - Files are read and compared, except for the logs. What the service does not have yet counts as going to be
        written, and a cluster that does not exist is warned of, since an earlier task may be going to make it.
  diff_mode:
    support: full
    details: Manifests, the install-config and the metadata are shown without secrets; of files that are secret as a
      whole, and of archives, the size is.
  idempotent:
    support: partial
    details: Logs are fetched each time.
options:
  cluster_name:
    description: The cluster, by name or id.
    type: str
  infra_env_name:
    description: The InfraEnv, by name or id, for C(discovery.ign), C(ipxe-script) and C(static-network-config).
    type: str
  dest:
    description: Directory to write to, made with mode 0700 where it does not exist.
    type: path
    required: true
  files:
    description:
      - What to fetch; each is written under its own name.
      - V(manifests) are all manifests of the cluster, written to C(manifests/<folder>/). V(logs) are those of hosts and
        controller, written to C(logs.tar).
    type: list
    elements: str
    choices:
      - kubeconfig
      - kubeconfig-noingress
      - kubeadmin-password
      - bootstrap.ign
      - master.ign
      - arbiter.ign
      - worker.ign
      - metadata.json
      - install-config.yaml
      - custom_manifests.json
      - custom_manifests.yaml
      - discovery.ign
      - ipxe-script
      - static-network-config
      - manifests
      - logs
    default: [kubeconfig, kubeadmin-password]
  system_manifests:
    description: Whether V(manifests) include those that the service made itself.
    type: bool
    default: false
  skip_missing:
    description: Tell in RV(missing) what the service does not have yet, instead of failing.
    type: bool
    default: false
seealso:
  - module: zerotouch.openshift.assisted_install
"""

EXAMPLES = r"""
- name: Credentials of an installed cluster
  zerotouch.openshift.assisted_files:
    service_url: http://192.0.2.10:8090
    cluster_name: edge
    dest: ~/clusters/edge/auth

- name: Logs of a failed installation
  zerotouch.openshift.assisted_files:
    service_url: http://192.0.2.10:8090
    cluster_name: edge
    dest: ~/clusters/edge/logs
    files: [logs]
"""

RETURN = r"""
plan:
  description: The files that were written; in check mode those that a run would write.
  returned: always, once the cluster or InfraEnv was found
  type: list
  elements: str
files:
  description: The files.
  returned: always, once the cluster or InfraEnv was found
  type: list
  elements: dict
  contains:
    name:
      description: What it is.
      type: str
    path:
      description: Where it is.
      type: str
    size:
      description: Its size in bytes; 0 in check mode for logs and for what is not there yet.
      type: int
    changed:
      description: Whether it was written.
      type: bool
missing:
  description: What the service does not have yet.
  returned: always, once the cluster or InfraEnv was found
  type: list
  elements: dict
  contains:
    name:
      description: What it is.
      type: str
    reason:
      description: What the service says.
      type: str
"""

from pathlib import Path
from typing import Any

from ansible_collections.zerotouch.openshift.plugins.module_utils.assisted.cluster.files import (
    NAMES,
    FilesOrder,
    fetch_files,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.assisted.rest.connection import (
    ASSISTED_OPTIONS,
    connect,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.entry_point import Call, run_module

OPTIONS = {"supports_check_mode": True, "required_one_of": [["cluster_name", "infra_env_name"]]}


def argument_spec() -> dict[str, Any]:
    return {
        **ASSISTED_OPTIONS,
        "cluster_name": {"type": "str"},
        "infra_env_name": {"type": "str"},
        "dest": {"type": "path", "required": True},
        "files": {
            "type": "list",
            "elements": "str",
            "choices": list(NAMES),
            "default": ["kubeconfig", "kubeadmin-password"],
        },
        "system_manifests": {"type": "bool", "default": False},
        "skip_missing": {"type": "bool", "default": False},
    }


def run(call: Call) -> dict[str, Any]:
    params = call.params
    service = connect(params, call.clock, call.check_mode, learnt=call.add_secrets, warn=call.warn)
    order = FilesOrder(
        dest=Path(params["dest"]),
        names=params["files"],
        cluster=params["cluster_name"] or "",
        infra_env=params["infra_env_name"] or "",
        system_manifests=params["system_manifests"],
        skip=params["skip_missing"],
        check_mode=call.check_mode,
        diff=call.diff,
        warn=call.warn,
        learnt=call.add_secrets,
    )
    result = fetch_files(service, order)
    call.plan(result["plan"])
    return result


def main() -> None:
    run_module(argument_spec, OPTIONS, run)


if __name__ == "__main__":
    main()
