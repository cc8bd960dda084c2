#!/usr/bin/python
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors

from __future__ import annotations

DOCUMENTATION = r"""
module: assisted_manifests
short_description: Register a directory of cluster manifests with an assisted-service
version_added: 0.1.0
author: the zerotouch.openshift authors (@zerotouch-openshift)
description:
  - Reads a directory of cluster manifests, and creates the cluster and the InfraEnv and configures the hosts over the
    REST API. It sends the same request bodies as the client inside an agent ISO.
  - Unlike that client, it finds existing objects by name, compares them and changes only what differs. It also reads
    the pull secret from C(data), waits within a limit, sets hostnames, and returns which hosts are missing.
  - If an existing cluster or InfraEnv cannot be changed as required, the module fails before it writes anything.
extends_documentation_fragment:
  - zerotouch.openshift.attributes
  - zerotouch.openshift.assisted
attributes:
  check_mode:
    support: full
    details: The same plan. Hosts are not waited for.
  diff_mode:
    support: full
    details: Shows the settings that change.
  idempotent:
    support: full
options:
  config_dir:
    description:
      - Directory that holds C(cluster-manifests/), or is one. Files of C(openshift/) or C(extra-manifests/) in it go to
        the cluster as they are, in folder C(openshift); one that has changed is replaced.
    type: path
    required: true
  openshift_version:
    description: Version of the release image. By default what its tag or the name of the ClusterImageSet says.
    type: str
  arch:
    description: Architecture of the release image. By default what its tag says, else that of the InfraEnv.
    type: str
    choices: [x86_64, aarch64, ppc64le, s390x, multi]
  image_type:
    description: Kind of the discovery image.
    type: str
    choices: [full-iso, minimal-iso]
    default: full-iso
  host_config_dir:
    description:
      - Directory with a directory for each host, as the agent ISO has it - C(mac_addresses), C(role),
        C(root-device-hints.yaml) and C(fencing-credentials.yaml). The name of a directory is the hostname, unless it is
        C(host-) with a number.
    type: path
  hosts:
    description: The same as a list.
    type: list
    elements: dict
    suboptions:
      hostname:
        description: Hostname to set.
        type: str
      mac_addresses:
        description: MACs of the host; one that it has is enough.
        type: list
        elements: str
        required: true
      role:
        description: Role of the host; without it the service chooses.
        type: str
        choices: [master, arbiter, worker, auto-assign]
      root_device_hints:
        description: Root device hints; of several disks that fit, the one that is selected already stays, else the
          first is taken.
        type: dict
      fencing_credentials:
        description: Access to the BMC, which the cluster keeps; set once and not replaced.
        type: dict
        suboptions:
          address:
            description: URL of the BMC.
            type: str
            required: true
          username:
            description: User.
            type: str
            required: true
          password:
            description: Password.
            type: str
            required: true
          certificate_verification:
            description: Whether its certificate is checked; the service's default is V(Enabled).
            type: str
            choices: [Enabled, Disabled]
          mac_address:
            description: MAC that the cluster knows the host by; by default the first of O(hosts[].mac_addresses).
            type: str
  import_cluster:
    description:
      - A cluster that runs already and gets hosts. It is imported unless the service knows it; the manifests of the
        cluster are not needed then.
    type: dict
    suboptions:
      openshift_cluster_id:
        description: The id that the cluster gave itself, C(spec.clusterID) of its ClusterVersion.
        type: str
        required: true
      name:
        description: Its name.
        type: str
        required: true
      api_vip_dnsname:
        description: Name or address of its API.
        type: str
        required: true
      config_dir:
        description: Directory with C(import-cluster-config.json) and perhaps C(worker-ignition-endpoint.json).
        type: path
      user_managed_networking:
        description: Whether its networking is the user's; overrides the file.
        type: bool
      ignition_endpoint:
        description: Where its workers get their Ignition; overrides the file.
        type: dict
        suboptions:
          url:
            description: URL of the endpoint.
            type: str
            required: true
          ca_certificate:
            description: Its CA as base64 of PEM.
            type: str
  timeout:
    description:
      - Seconds to wait until every configured host has registered and is as configured. V(0) looks once, and hosts that
        have not registered yet are returned in RV(missing) without a failure.
    type: float
    default: 0
  forks:
    description: How many hosts are changed at the same time.
    type: int
    default: 8
seealso:
  - module: zerotouch.openshift.agent_manifests
  - module: zerotouch.openshift.assisted_infra_env
requirements:
  - PyYAML
"""

EXAMPLES = r"""
- name: Register what agent_manifests has written, before the machines boot
  zerotouch.openshift.assisted_manifests:
    service_url: http://192.0.2.10:8090
    config_dir: ./clusters/edge/manifests
    openshift_version: 4.22.0
    arch: x86_64

- name: Wait for the machines and configure them
  zerotouch.openshift.assisted_manifests:
    service_url: http://192.0.2.10:8090
    config_dir: ./clusters/edge/manifests
    openshift_version: 4.22.0
    arch: x86_64
    hosts:
      - hostname: node-1
        mac_addresses: ["52:54:00:00:00:01"]
        role: master
        root_device_hints: {deviceName: /dev/vda}
    timeout: 1800
"""

RETURN = r"""
plan:
  description: What differed, one line for each object; in check mode what a run would do.
  returned: success
  type: list
  elements: str
cluster:
  description: The cluster, in the form of RV(zerotouch.openshift.assisted_info#module:clusters); its id is empty before
    it exists.
  returned: success
  type: dict
infra_env:
  description: The InfraEnv, in the form of RV(zerotouch.openshift.assisted_info#module:infra_envs); its id is empty
    before it exists.
  returned: success
  type: dict
hosts:
  description: The hosts that have registered.
  returned: success
  type: list
  elements: dict
  contains:
    id:
      description: Id of the host.
      type: str
    name:
      description: Its hostname before any change.
      type: str
    expected:
      description: The configuration that it matches; empty for a host that the manifests do not describe.
      type: str
    changes:
      description: What was changed.
      type: list
      elements: str
    problem:
      description: Why its configuration cannot be applied, or is refused.
      type: str
missing:
  description: Configured hosts that have not registered, or whose hardware is not known yet.
  returned: success
  type: list
  elements: str
unknown:
  description: Registered hosts that nothing is configured for.
  returned: success
  type: list
  elements: str
"""

from pathlib import Path
from typing import Any

from ansible_collections.zerotouch.openshift.plugins.module_utils.assisted.from_manifests.register import (
    Manner,
    read_request,
    register,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.assisted.hosts.request import FENCING_OPTIONS
from ansible_collections.zerotouch.openshift.plugins.module_utils.assisted.rest.connection import (
    ASSISTED_OPTIONS,
    connect,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.entry_point import Call, run_module
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.parallel import API_FORKS

OPTIONS = {"supports_check_mode": True, "mutually_exclusive": [["hosts", "host_config_dir"]]}

_TEXT = {"type": "str", "required": True}


def argument_spec() -> dict[str, Any]:
    return {
        **ASSISTED_OPTIONS,
        "config_dir": {"type": "path", "required": True},
        "openshift_version": {"type": "str"},
        "arch": {"type": "str", "choices": ["x86_64", "aarch64", "ppc64le", "s390x", "multi"]},
        "image_type": {"type": "str", "choices": ["full-iso", "minimal-iso"], "default": "full-iso"},
        "host_config_dir": {"type": "path"},
        "hosts": {
            "type": "list",
            "elements": "dict",
            "options": {
                "hostname": {"type": "str"},
                "mac_addresses": {"type": "list", "elements": "str", "required": True},
                "role": {"type": "str", "choices": ["master", "arbiter", "worker", "auto-assign"]},
                "root_device_hints": {"type": "dict"},
                "fencing_credentials": {"type": "dict", "options": FENCING_OPTIONS},
            },
        },
        "import_cluster": {
            "type": "dict",
            "options": {
                "openshift_cluster_id": _TEXT,
                "name": _TEXT,
                "api_vip_dnsname": _TEXT,
                "config_dir": {"type": "path"},
                "user_managed_networking": {"type": "bool"},
                "ignition_endpoint": {"type": "dict", "options": {"url": _TEXT, "ca_certificate": {"type": "str"}}},
            },
        },
        "timeout": {"type": "float", "default": 0},
        "forks": {"type": "int", "default": API_FORKS},
    }


def run(call: Call) -> dict[str, Any]:
    params = call.params
    request = read_request(Path(params["config_dir"]), params)
    call.add_secrets(request.secrets())
    service = connect(
        params, call.clock, call.check_mode, learnt=call.add_secrets, warn=call.warn, forks=params["forks"]
    )
    done = register(service, request, Manner(call.check_mode, params["timeout"], params["forks"], call.progress))
    for text in done.warnings:
        call.warn(text)
    call.plan(done.value["plan"])
    return {**done.value, **({"diff": [change.diff() for change in done.changes]} if call.diff else {})}


def main() -> None:
    run_module(argument_spec, OPTIONS, run)


if __name__ == "__main__":
    main()
