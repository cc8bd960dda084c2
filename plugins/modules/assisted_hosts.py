#!/usr/bin/python
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors

from __future__ import annotations

DOCUMENTATION = r"""
module: assisted_hosts
short_description: Recognise, name and bind many hosts of an assisted-service at once
version_added: 0.1.0
author: the zerotouch.openshift authors (@zerotouch-openshift)
description:
  - Finds each host of the list among the registered hosts and changes the settings that differ from the list, with one
    request for each host.
  - A host is recognised by MAC first, then by system UUID, serial number, BMC address and a query. The same rules apply
    to the Agents of a hub. If several entries match one host, the module reports an ambiguous match and does not change
    the host. If a machine registered several times, the module uses the registration that the service hears from.
  - If a host cannot be changed as the list says (its installation has begun, no disk matches), nothing of it is
    changed. The other hosts are still changed.
  - The task fails if any host is not as the list says. The result lists what was done and what was not. A second run
    continues from there.
extends_documentation_fragment:
  - zerotouch.openshift.attributes
  - zerotouch.openshift.host_requests.assisted_hosts
  - zerotouch.openshift.assisted
attributes:
  check_mode:
    support: full
    details:
      - The same plan. Nothing is waited for; with O(wait_for), what a run would wait for is reported and is no failure.
      - An InfraEnv or cluster that does not exist is warned of, since an earlier task may be going to make it.
  diff_mode:
    support: full
    details: Shows the settings that change.
  idempotent:
    support: partial
    details: Not with O(hosts[].replace_ignition_endpoint), since the service does not show what it has.
options:
  infra_env_name:
    description: The InfraEnv whose hosts to look at, by name or id. This or O(cluster_name) is needed.
    type: str
  cluster_name:
    description: The cluster whose hosts to look at, by name or id; together with O(infra_env_name) also hosts of none.
    type: str
  hosts:
    description:
      - The hosts. Each needs at least one of O(hosts[].mac_addresses), O(hosts[].system_uuid),
        O(hosts[].serial_number), O(hosts[].bmc_address) and O(hosts[].query).
    type: list
    elements: dict
    required: true
  wait_for:
    description:
      - What to wait for on every host. V(registered), it is there and is what was asked for; V(ready), it is fit to be
        installed, or further; V(bound), it belongs to its cluster; V(unbound), it belongs to none; V(installed), it is
        installed (another task must start the installation).
      - A host that has failed is not waited for any longer. A service that does not answer for a while is.
      - A host that appears late is treated when it does.
    type: str
    choices: [none, registered, ready, bound, unbound, installed]
    default: none
  timeout:
    description: Seconds that O(wait_for) may take altogether.
    type: float
    default: 1800
  forks:
    description: How many hosts are written at the same time.
    type: int
    default: 8
requirements:
  - jmespath, for O(hosts[].query)
seealso:
  - module: zerotouch.openshift.agents
    description: The same on a hub.
"""

EXAMPLES = r"""
- name: Name hosts as they appear, choose their disks, and wait until they can be installed
  zerotouch.openshift.assisted_hosts:
    service_url: http://192.0.2.10:8090
    infra_env_name: edge
    wait_for: ready
    hosts:
      - name: node-1
        mac_addresses: ["52:54:00:00:00:01"]
        hostname: node-1
        role: master
        root_device_hints: {deviceName: /dev/nvme0n1}
      - name: node-2
        serial_number: J3X9K42
        hostname: node-2
        role: worker
        node_labels: {rack: a}

- name: Bind a spare host
  zerotouch.openshift.assisted_hosts:
    service_url: http://192.0.2.10:8090
    infra_env_name: spares
    wait_for: bound
    hosts:
      - name: spare-1
        mac_addresses: ["52:54:00:00:00:09"]
        cluster_name: edge
"""

RETURN = r"""
plan:
  description: What was changed, one line for each request; in check mode what a run would change and wait for.
  returned: always, once the hosts were listed
  type: list
  elements: str
hosts:
  description: One entry for every host, in the order given.
  returned: always, once the hosts were listed
  type: list
  elements: dict
  contains:
    name:
      description: Name of the host.
      type: str
    id:
      description: Its id; empty if none was found.
      type: str
    infra_env_id:
      description: The InfraEnv whose image it booted.
      type: str
    cluster_id:
      description: The cluster it belongs to.
      type: str
    by:
      description: What it was recognised by.
      type: str
      sample: MAC 52:54:00:00:00:01
    note:
      description: Why it was this one of several; else empty.
      type: str
    hostname:
      description: Its hostname.
      type: str
    role:
      description: Its role; what the service suggests where it may choose.
      type: str
    status:
      description: The service's state of the host.
      type: str
    installation_disk_id:
      description: The disk it is, or will be, installed on.
      type: str
    changed:
      description: Whether anything was changed.
      type: bool
    changes:
      description: The changes, each with the values before and after.
      type: list
      elements: str
    failed:
      description: Whether it is not what was asked for.
      type: bool
    reason:
      description: Why not, or what has to happen first.
      type: str
    validations:
      description: The service's validations that it does not pass.
      type: list
      elements: dict
unmatched:
  description: Hosts that have not registered.
  returned: always, once the hosts were listed
  type: list
  elements: dict
  contains:
    name:
      description: Name of the host.
      type: str
    reason:
      description: What was looked for.
      type: str
ambiguous:
  description: Hosts that several fit, or that share one.
  returned: always, once the hosts were listed
  type: list
  elements: dict
  contains:
    name:
      description: Name of the host.
      type: str
    hosts:
      description: Ids of those that fit.
      type: list
      elements: str
    reason:
      description: What they have in common.
      type: str
"""

from typing import Any

from ansible_collections.zerotouch.openshift.plugins.module_utils.assisted.hosts.request import (
    FENCING_OPTIONS,
    RESETTABLE,
    ROLES,
    host_requests,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.assisted.hosts.run import Bulk, reconcile_hosts
from ansible_collections.zerotouch.openshift.plugins.module_utils.assisted.hosts.waits import TARGETS
from ansible_collections.zerotouch.openshift.plugins.module_utils.assisted.rest.connection import (
    ASSISTED_OPTIONS,
    connect,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.cluster.field_table import SERVICE_REQUESTS
from ansible_collections.zerotouch.openshift.plugins.module_utils.cluster.host_options import option_specs
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.entry_point import Call, run_module
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.parallel import API_FORKS

OPTIONS = {"supports_check_mode": True, "required_one_of": [["infra_env_name", "cluster_name"]]}


def argument_spec() -> dict[str, Any]:
    host = {
        "name": {"type": "str", "required": True},
        "mac_addresses": {"type": "list", "elements": "str", "default": []},
        "system_uuid": {"type": "str"},
        "serial_number": {"type": "str"},
        "bmc_address": {"type": "str"},
        "query": {"type": "str"},
        "hostname": {"type": "str"},
        "role": {"type": "str", "choices": list(ROLES)},
        "installation_disk_id": {"type": "str"},
        "root_device_hints": {"type": "dict"},
        "disks_skip_formatting": {"type": "list", "elements": "str"},
        "node_labels": {"type": "dict", "default": {}},
        **option_specs(SERVICE_REQUESTS),
        "ignition_config_overrides": {"type": "json"},
        "ignition_endpoint_token": {"type": "str", "no_log": True},
        "ignition_endpoint_http_headers": {"type": "dict"},
        "replace_ignition_endpoint": {"type": "bool", "default": False},
        "fencing_credentials": {"type": "dict", "options": FENCING_OPTIONS},
        "installer_args": {"type": "list", "elements": "str"},
        "reset_validations": {"type": "list", "elements": "str", "choices": list(RESETTABLE), "default": []},
        "cluster_name": {"type": "str"},
        "unbind": {"type": "bool", "default": False},
        "state": {"type": "str", "choices": ["present", "absent"], "default": "present"},
    }
    return {
        **ASSISTED_OPTIONS,
        "infra_env_name": {"type": "str"},
        "cluster_name": {"type": "str"},
        "hosts": {"type": "list", "elements": "dict", "required": True, "options": host},
        "wait_for": {"type": "str", "choices": list(TARGETS), "default": "none"},
        "timeout": {"type": "float", "default": 1800},
        "forks": {"type": "int", "default": API_FORKS},
    }


def run(call: Call) -> dict[str, Any]:
    params = call.params
    requests = host_requests(params["hosts"])
    call.add_secrets({secret for request in requests for secret in request.secrets})
    bulk = Bulk(
        requests,
        params["infra_env_name"] or "",
        params["cluster_name"] or "",
        params["wait_for"],
        params["timeout"],
        params["forks"],
        call.check_mode,
        call.clock,
        call.progress,
        call.add_secrets,
        call.warn,
    )
    service = connect(
        params, call.clock, call.check_mode, learnt=call.add_secrets, warn=call.warn, forks=params["forks"]
    )
    result, changes = reconcile_hosts(service, bulk)
    call.plan(result["plan"])
    return {**result, **({"diff": [change.diff() for change in changes]} if call.diff else {})}


def main() -> None:
    run_module(argument_spec, OPTIONS, run)


if __name__ == "__main__":
    main()
