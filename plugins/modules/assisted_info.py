#!/usr/bin/python
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors

from __future__ import annotations

DOCUMENTATION = r"""
module: assisted_info
short_description: List clusters, InfraEnvs and hosts of an assisted-service with their status
version_added: 0.1.0
author: the zerotouch.openshift authors (@zerotouch-openshift)
description:
  - Returns clusters, InfraEnvs and hosts of an assisted-service as flat records, the validations that prevent their
    installation as one table, and their events.
  - States that this collection does not know are returned as the service reports them.
extends_documentation_fragment:
  - zerotouch.openshift.attributes.info
  - zerotouch.openshift.assisted
options:
  cluster_name:
    description: Only this cluster, by name or id, and what belongs to it.
    type: str
  infra_env_name:
    description: Only this InfraEnv, by name or id, and what belongs to it.
    type: str
  validations:
    description: Which rows RV(validations) has. V(failing) are those that are not passed, pending ones included.
    type: str
    choices: [none, failing, all]
    default: failing
  events:
    description: How many of the newest events to return; V(-1) for all.
    type: int
    default: 0
  severities:
    description: Only events of these severities.
    type: list
    elements: str
    choices: [info, warning, error, critical]
    default: []
  inventory:
    description: Whether to return the whole hardware inventory of hosts as well.
    type: bool
    default: false
  versions:
    description: Whether to return the versions of the service and the releases that it installs.
    type: bool
    default: false
seealso:
  - module: zerotouch.openshift.agents_info
"""

EXAMPLES = r"""
- name: Read why a cluster cannot be installed
  zerotouch.openshift.assisted_info:
    service_url: http://192.0.2.10:8090
    cluster_name: edge
  register: edge

- name: Its last warnings and errors
  zerotouch.openshift.assisted_info:
    service_url: https://api.openshift.com
    offline_token: "{{ vault_offline_token }}"
    cluster_name: edge
    events: 20
    severities: [warning, error, critical]
"""

RETURN = r"""
clusters:
  description: The clusters.
  returned: success
  type: list
  elements: dict
  contains:
    id:
      description: Id of the cluster.
      type: str
    name:
      description: Its name.
      type: str
    base_dns_domain:
      description: Its base domain.
      type: str
    kind:
      description: V(Cluster), V(AddHostsCluster) or V(DisconnectedCluster).
      type: str
    status:
      description: Its state in the service's word.
      type: str
    status_info:
      description: What the service says about it.
      type: str
    text:
      description: The state in a sentence.
      type: str
    percent:
      description: How far its installation is.
      type: int
    finalizing_stage:
      description: What the end of its installation is at.
      type: str
    openshift_version:
      description: Its release.
      type: str
    openshift_cluster_id:
      description: Id that the installed cluster gave itself.
      type: str
    cpu_architecture:
      description: Its architecture.
      type: str
    control_plane_count:
      description: How many control plane nodes it has.
      type: int
    api_vips:
      description: Its API addresses.
      type: list
      elements: str
    ingress_vips:
      description: Its ingress addresses.
      type: list
      elements: str
    machine_networks:
      description: Networks of its machines.
      type: list
      elements: str
    hosts:
      description: How many hosts it has.
      type: int
    ready_hosts:
      description: How many of them are ready to be installed.
      type: int
    last_preparation:
      description: How the last preparation of its installation ended.
      type: dict
    failing:
      description: Ids of validations that it fails.
      type: list
      elements: str
infra_envs:
  description: The InfraEnvs.
  returned: success
  type: list
  elements: dict
  contains:
    id:
      description: Id of the InfraEnv.
      type: str
    name:
      description: Its name.
      type: str
    cluster_id:
      description: The cluster that its hosts belong to; empty for late binding.
      type: str
    image_type:
      description: Kind of its image.
      type: str
    openshift_version:
      description: Release whose live system it boots.
      type: str
    cpu_architecture:
      description: Architecture of its hosts.
      type: str
    static_network_hosts:
      description: How many hosts it has a network configuration for.
      type: int
    updated_at:
      description: When it was last changed.
      type: str
hosts:
  description: The hosts, by hostname.
  returned: success
  type: list
  elements: dict
  contains:
    id:
      description: Id of the host.
      type: str
    infra_env_id:
      description: The InfraEnv whose image it booted.
      type: str
    cluster_id:
      description: The cluster it is bound to.
      type: str
    hostname:
      description: The hostname asked for, else the one it came with.
      type: str
    role:
      description: Its role, or the one that the service suggests.
      type: str
    bootstrap:
      description: Whether it is the bootstrap host.
      type: bool
    status:
      description: Its state in the service's word.
      type: str
    status_info:
      description: What the service says about it.
      type: str
    stage:
      description: Stage of its installation.
      type: str
    stage_info:
      description: More about that stage.
      type: str
    stage_since:
      description: When the stage began.
      type: str
    percent:
      description: How far its installation is.
      type: int
    macs:
      description: MACs of its NICs, lower case.
      type: list
      elements: str
    ip_addresses:
      description: Its addresses.
      type: list
      elements: str
    serial_number:
      description: Serial number of the system.
      type: str
    installation_disk_id:
      description: The disk it is, or will be, installed on.
      type: str
    installation_disk_path:
      description: Path of that disk.
      type: str
    node_labels:
      description: Labels of the future Node.
      type: dict
    day_2:
      description: Whether it joins a cluster that is installed already.
      type: bool
    failing:
      description: Ids of validations that it fails.
      type: list
      elements: str
    inventory:
      description: Its hardware.
      returned: with O(inventory)
      type: dict
progress:
  description: How far each cluster is, in the words and the form in which
    RV(zerotouch.openshift.install_wait#module:hosts) and its lines tell it.
  returned: success
  type: list
  elements: dict
  contains:
    cluster_name:
      description: Name of the cluster.
      type: str
    id:
      description: Its id.
      type: str
    percent:
      description: How far its installation is.
      type: int
    text:
      description: Its state in a sentence.
      type: str
    host_summary:
      description: Number of its hosts in each state. Before the installation, the failing validations too.
      type: str
      sample: 2 known; 1 insufficient; failing - has-min-memory
    hosts:
      description: Its hosts, by name.
      type: list
      elements: dict
      contains:
        name:
          description: Name of the host.
          type: str
        status:
          description: Its state in the service's word.
          type: str
        stage:
          description: Stage of its installation.
          type: str
        percent:
          description: How far it is.
          type: int
        since:
          description: When the stage began.
          type: str
        reason:
          description: What the service says about its state.
          type: str
validations:
  description: Validations of clusters and hosts, one row each.
  returned: success
  type: list
  elements: dict
  contains:
    object:
      description: V(cluster) or V(host).
      type: str
    name:
      description: Name of the cluster or host.
      type: str
    object_id:
      description: Its id.
      type: str
    category:
      description: Category of the validation.
      type: str
    id:
      description: Id of the validation.
      type: str
    status:
      description: V(success), V(failure), V(pending), V(error) or V(disabled).
      type: str
    message:
      description: What the service says.
      type: str
events:
  description: The newest events, oldest of them first.
  returned: success
  type: list
  elements: dict
  contains:
    event_time:
      description: When it happened.
      type: str
    severity:
      description: How bad it is.
      type: str
    name:
      description: Kind of the event.
      type: str
    message:
      description: What happened.
      type: str
    cluster_id:
      description: The cluster it is about.
      type: str
    infra_env_id:
      description: The InfraEnv it is about.
      type: str
    host_id:
      description: The host it is about.
      type: str
    props:
      description: More about it.
      type: dict
versions:
  description: C(service) and C(openshift) with O(versions), else empty.
  returned: success
  type: dict
"""

from typing import Any

from ansible_collections.zerotouch.openshift.plugins.module_utils.assisted.inspect import ServiceQuery, look
from ansible_collections.zerotouch.openshift.plugins.module_utils.assisted.rest.connection import (
    ASSISTED_OPTIONS,
    connect,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.entry_point import Call, run_module

OPTIONS = {"supports_check_mode": True}


def argument_spec() -> dict[str, Any]:
    return {
        **ASSISTED_OPTIONS,
        "cluster_name": {"type": "str"},
        "infra_env_name": {"type": "str"},
        "validations": {"type": "str", "choices": ["none", "failing", "all"], "default": "failing"},
        "events": {"type": "int", "default": 0},
        "severities": {
            "type": "list",
            "elements": "str",
            "choices": ["info", "warning", "error", "critical"],
            "default": [],
        },
        "inventory": {"type": "bool", "default": False},
        "versions": {"type": "bool", "default": False},
    }


def run(call: Call) -> dict[str, Any]:
    params = call.params
    service = connect(params, call.clock, call.check_mode, learnt=call.add_secrets, warn=call.warn)
    question = ServiceQuery(
        cluster=params["cluster_name"] or "",
        infra_env=params["infra_env_name"] or "",
        validations=params["validations"],
        events=params["events"],
        severities=params["severities"],
        inventory=params["inventory"],
        versions=params["versions"],
    )
    return look(service, question)


def main() -> None:
    run_module(argument_spec, OPTIONS, run)


if __name__ == "__main__":
    main()
