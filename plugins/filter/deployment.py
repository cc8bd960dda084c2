# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
from __future__ import annotations

DOCUMENTATION = r"""
name: deployment
short_description: Return a part of the resolved variables of a deployment
version_added: 0.1.0
author: the zerotouch.openshift authors (@zerotouch-openshift)
description:
  - Selects a part of the resolved variables, and returns it as options of modules of this collection. The resolved
    variables are the return value RV(zerotouch.openshift.deployment_settings#module:deployment) of
    M(zerotouch.openshift.deployment_settings), which also sets the defaults.
options:
  _input:
    description: The resolved variables.
    type: dict
    required: true
  part:
    description:
      - V(building) is whether the run builds a cluster.
      - V(chosen_names) is the list of names in C(openshift_hosts). It is empty where a cluster is built.
      - V(settings) is a dictionary whose only secrets are passwords that the user wrote into a URL
        (C(name), C(work_dir), C(config_dir), C(source_dir), C(version), C(release_image), C(base_image),
        C(method), C(publish), C(connect_to), C(ca_cert), C(timeouts), C(limits), C(checks), C(force), C(confirm),
        C(destroy_purge), C(plan_digest)).
      - V(shown_settings) is the same for output, with C(<hidden>) in the place of every password in a URL.
      - V(connections) has the options C(connect_to) and C(ca_cert) of modules that connect to machines and clusters.
      - V(description) has the options that describe a cluster (C(cluster) and C(hosts), or C(config_dir), and
        C(version), C(release_image), C(checks)), as M(zerotouch.openshift.agent_config) and
        M(zerotouch.openshift.assisted_deployment) take them.
      - V(cluster) is C(openshift_cluster), an empty dictionary if C(openshift_config_dir) is used instead.
      - V(hosts) is the list of hosts in inventory order, each with C(inventory_name), C(role) and its C(openshift_host)
        over C(openshift_host_defaults).
      - V(bmc_hosts) is the list of hosts that are booted without the user, as M(zerotouch.openshift.boot_hosts) takes
        it.
      - V(virtual_hosts) is the list of hosts with C(vm), as M(zerotouch.openshift.libvirt_hosts) takes it.
      - V(manual_hosts) is the list of names of hosts that the user boots.
      - V(node_addresses) has the static addresses of the hosts by hostname. Hosts that also get addresses by DHCP or
        router advertisement are left out.
      - V(hub) is C(openshift_hub) with its defaults. C(connection) has the options of the hub's modules and may hold
        secrets. C(cluster) is the ClusterDeployment of C(openshift_cluster), empty without one.
      - V(assisted) is C(openshift_assisted) with its defaults. C(connection) has the options of the modules of an
        assisted-service and may hold secrets. C(host_options) are further options of
        M(zerotouch.openshift.assisted_hosts) by name of the host, C(names) the hosts that are meant.
      - V(hub_hosts) has the hosts as M(zerotouch.openshift.agents) takes them in C(agents), and those with a network
        configuration as M(zerotouch.openshift.infra_env) takes them in C(networks). Where no cluster is built, only
        those that C(openshift_hosts) names, if it names any.
      - V(bare_metal_hosts) is the list of O(agents) as M(zerotouch.openshift.bare_metal_hosts) takes them, with their
        BMCs.
      - V(hosted_cluster) is C(openshift_hosted_cluster) with its defaults; C(options) has those of
        M(zerotouch.openshift.hosted_cluster) and holds secrets.
      - V(node_pool) is C(openshift_node_pool) with its defaults; C(options) has those of
        M(zerotouch.openshift.node_pool). C(agents), C(networks), C(bmc_hosts) by hostname, and C(manual_hosts) are the
        machines that may be used for the pool.
      - V(of_pools) is a list of the resolved variables for each pool of C(openshift_node_pools), in which V(node_pool)
        is that pool.
        Without C(openshift_node_pools) it has one entry.
      - V(upgrade_waves) is a list of such lists, one for each wave of pools that get the release of their hosted
        cluster.
      - V(capi) has the options of M(zerotouch.openshift.assisted_control_plane) for C(openshift_cluster),
        C(openshift_capi) and the hosts, and holds secrets. With O(plan) they are those of what was decided.
      - V(capi_plan) has the options of M(zerotouch.openshift.capi_plan) about the cluster, its pools and hosts.
        C(names) are the hosts that C(openshift_hosts) names, C(remove) those in C(openshift_node_pool.remove).
      - V(touch) is the deployment that touches machines and the sources of evidence about them, as option C(touch) of
        M(zerotouch.openshift.touch_check) takes them. It may contain secrets.
    type: str
    required: true
    choices:
      - building
      - chosen_names
      - settings
      - shown_settings
      - connections
      - description
      - cluster
      - hosts
      - bmc_hosts
      - virtual_hosts
      - manual_hosts
      - node_addresses
      - hub
      - assisted
      - hub_hosts
      - bare_metal_hosts
      - hosted_cluster
      - node_pool
      - of_pools
      - upgrade_waves
      - capi
      - capi_plan
      - touch
  agents:
    description: For V(bare_metal_hosts), the hosts as M(zerotouch.openshift.agents) takes them; by default those of
      V(hub_hosts).
    type: list
    elements: dict
  plan:
    description: For V(capi), a result of M(zerotouch.openshift.capi_plan).
    type: dict
  method:
    description: For V(touch), the method whose hosts the caller touches, if it differs from the method of the
      deployment.
    type: str
    choices: [agent, assisted, hub, hosted, capi]
seealso:
  - module: zerotouch.openshift.deployment_settings
"""

EXAMPLES = r"""
- name: Read the variables
  zerotouch.openshift.deployment_settings:
  register: site

- name: Read the BMCs of all hosts
  zerotouch.openshift.bmc_info:
    hosts: "{{ site.deployment | zerotouch.openshift.deployment('bmc_hosts') }}"
"""

RETURN = r"""
_value:
  description: The part.
  type: raw
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ansible.errors import AnsibleFilterError
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.errors import InvalidInput
from ansible_collections.zerotouch.openshift.plugins.plugin_utils.resolved import PARTS, Resolved


def deployment(
    data: Any,
    part: str,
    *,
    agents: Sequence[Any] | None = None,
    method: str = "",
    plan: Mapping[str, Any] | None = None,
) -> Any:
    """A part of the resolved variables.

    Raises :class:`AnsibleFilterError` for other data, and for hosts that cannot be what the part needs.
    """
    if not isinstance(data, Mapping) or "settings" not in data:
        raise AnsibleFilterError("deployment takes the member deployment of what deployment_settings returned.")
    if part not in PARTS:
        raise AnsibleFilterError(f"unknown part {part!r}; known: {', '.join(PARTS)}")
    try:
        return Resolved(data, method=method, agents=agents, plan=plan).part(part)
    except InvalidInput as error:
        raise AnsibleFilterError(str(error)) from None


class FilterModule:
    def filters(self) -> dict[str, Callable[..., Any]]:
        return {"deployment": deployment}
