#!/usr/bin/python
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors

from __future__ import annotations

DOCUMENTATION = r"""
module: assisted_cluster
short_description: Create or update a cluster in an assisted-service
version_added: 0.1.0
author: the zerotouch.openshift authors (@zerotouch-openshift)
description:
  - Creates or updates a cluster over the REST API of an assisted-service, with its install-config overrides, manifests
    and ignored validations. Can also import a cluster that runs already, to add hosts to it.
  - The module finds the cluster by its name, and sends only fields that differ. A field whose option is not set keeps
    its value; an empty option clears the field. Values that the service adds, such as defaults, are no difference.
  - If the service would reject a change, for example because the installation has begun, the module fails before it
    writes anything.
extends_documentation_fragment:
  - zerotouch.openshift.attributes
  - zerotouch.openshift.assisted
  - zerotouch.openshift.assisted.pull_secret
attributes:
  check_mode:
    support: full
  diff_mode:
    support: full
    details: Secrets are hidden.
  idempotent:
    support: full
    details: Not with O(replace_pull_secret), since the service does not show the pull secret it has.
options:
  name:
    description: Name of the cluster, or the id of one that exists.
    type: str
    required: true
  state:
    description: V(present) creates or updates. V(absent) deletes it, and the service forgets its hosts; machines that
      are installed go on running.
    type: str
    choices: [present, absent]
    default: present
  existing:
    description: Import this cluster, which runs already, instead of creating one. It is known again by
      O(existing.openshift_cluster_id).
    type: dict
    suboptions:
      api_vip_dnsname:
        description: Name of its API, C(api.<name>.<domain>), which the service then names the cluster after.
        type: str
      openshift_cluster_id:
        description: The id in its ClusterVersion.
        type: str
  base_dns_domain:
    description: Its base domain.
    type: str
  openshift_version:
    description: The release, V(4.22.1), or V(4.22) for the newest one that the service knows. A new cluster needs it.
      Cannot be changed.
    type: str
  ocp_release_image:
    description: The release image, one that the service knows. Cannot be changed.
    type: str
  arch:
    description: Architecture of its nodes; the service's default is V(x86_64). Cannot be changed.
    type: str
    choices: [x86_64, aarch64, ppc64le, s390x, multi]
  control_plane_count:
    description: How many control plane nodes it has; the service's default is 3.
    type: int
  high_availability_mode:
    description: The old way to say O(control_plane_count). Cannot be changed.
    type: str
    choices: [Full, None]
  platform:
    description: What it runs on.
    type: dict
    suboptions:
      type:
        description: Name of the platform.
        type: str
        choices: [baremetal, none, vsphere, nutanix, external]
      external:
        description: More about an external platform.
        type: dict
        suboptions:
          platform_name:
            description: Its name.
            type: str
          cloud_controller_manager:
            description: V(External) or empty.
            type: str
  user_managed_networking:
    description: Whether load balancing and names are the user's own.
    type: bool
  load_balancer:
    description: Who balances API and ingress.
    type: str
    choices: [cluster-managed, user-managed]
  api_vips:
    description: Addresses of the API, at most one for each address family.
    type: list
    elements: str
  ingress_vips:
    description: Addresses of the ingress, as many as O(api_vips).
    type: list
    elements: str
  vip_dhcp_allocation:
    description: Whether the addresses come from DHCP.
    type: bool
  cluster_networks:
    description: Networks of the pods.
    type: list
    elements: dict
    suboptions:
      cidr:
        description: The network.
        type: str
        required: true
      host_prefix:
        description: Size of each node's part of it.
        type: int
  service_networks:
    description: Networks of the services.
    type: list
    elements: str
  machine_networks:
    description:
      - Networks of the machines. Where the service derives them (neither O(vip_dhcp_allocation) nor
        O(user_managed_networking) nor a O(load_balancer) of the user's), they count for a new cluster only; a
        difference is warned of later on.
    type: list
    elements: str
  network_type:
    description: The network plugin.
    type: str
    choices: [OVNKubernetes, OpenShiftSDN, CiscoACI, Cilium, Calico, None]
  ssh_public_keys:
    description: Public SSH keys of the user C(core) of its nodes.
    type: list
    elements: str
  http_proxy:
    description: Proxy for HTTP, a URL that begins with C(http://).
    type: str
  https_proxy:
    description: Proxy for HTTPS, also a URL that begins with C(http://).
    type: str
  no_proxy:
    description: Hosts, domains and networks to go to directly, separated by commas.
    type: str
  additional_ntp_sources:
    description: Time servers besides those from DHCP.
    type: list
    elements: str
  ntp_sources:
    description: The only time servers. Not together with O(additional_ntp_sources).
    type: list
    elements: str
  olm_operators:
    description: Operators to install with it, as a whole. Those that they need are added by the service.
    type: list
    elements: dict
    suboptions:
      name:
        description: Name of the operator as the service knows it.
        type: str
        required: true
      properties:
        description: Its properties, JSON text.
        type: str
  operator_bundles:
    description: Bundles of operators to install with it, as a whole.
    type: list
    elements: dict
    suboptions:
      id:
        description: Id of the bundle as the service knows it.
        type: str
        required: true
      optional_operators:
        description: Which of its optional operators to install, as a whole.
        type: list
        elements: str
  hyperthreading:
    description: Where hyperthreading is on; V(all), V(none), or roles with commas between them.
    type: str
  schedulable_masters:
    description: Whether control plane nodes take workload although there are workers.
    type: bool
  disk_encryption:
    description: Encryption of the installation disks.
    type: dict
    suboptions:
      enable_on:
        description: Roles it is on for, as in O(hyperthreading).
        type: str
      mode:
        description: What the key comes from.
        type: str
        choices: [tpmv2, tang]
      tang_servers:
        description: JSON text with URL and thumbprint of each Tang server.
        type: str
  ignition_endpoint:
    description: Where hosts get their Ignition from, if not from the cluster itself.
    type: dict
    suboptions:
      url:
        description: Its URL.
        type: str
      ca_certificate:
        description: CA of that URL, PEM in base64.
        type: str
  api_vip_dns_name:
    description: Name of the API of a cluster that hosts are added to.
    type: str
  tags:
    description: Words to find it by; the service takes no hyphens.
    type: list
    elements: str
  install_config_overrides:
    description: JSON text or mapping, merged into the install-config by the service, as a whole. An empty one overrides
      nothing any more.
    type: json
  manifests:
    description: Manifests that are applied during the installation. Others stay.
    type: list
    elements: dict
    suboptions:
      folder:
        description: Where it belongs.
        type: str
        choices: [manifests, openshift]
        default: openshift
      file_name:
        description: Name of its file.
        type: str
        required: true
      content:
        description: YAML or JSON text.
        type: str
      state:
        description: Whether the cluster exists at the service.
        type: str
        choices: [present, absent]
        default: present
  ignored_validations:
    description: Validations that do not keep the cluster from being installed. Some cannot be ignored; then the service
      says so.
    type: dict
    suboptions:
      hosts:
        description: Ids of validations of hosts, as a whole; V(all) for every one that can be.
        type: list
        elements: str
      cluster:
        description: Ids of validations of the cluster, as a whole.
        type: list
        elements: str
seealso:
  - module: zerotouch.openshift.agent_cluster_install
    description: The same on a hub.
"""

EXAMPLES = r"""
- name: Create or update a cluster with three hosts
  zerotouch.openshift.assisted_cluster:
    service_url: http://192.0.2.10:8090
    name: edge
    base_dns_domain: example.com
    openshift_version: "4.22"
    pull_secret: "{{ lookup('ansible.builtin.file', '~/pull-secret.json') }}"
    api_vips: [192.0.2.5]
    ingress_vips: [192.0.2.6]
    install_config_overrides: {fips: true}
    manifests:
      - file_name: 50-registry.yaml
        content: "{{ lookup('ansible.builtin.file', 'registry.yaml') }}"

- name: Add hosts to a cluster that this service does not know
  zerotouch.openshift.assisted_cluster:
    service_url: http://192.0.2.10:8090
    name: edge
    existing:
      api_vip_dnsname: api.edge.example.com
      openshift_cluster_id: 6f1f9c2e-6a0f-4d0e-9a3c-0c3c5f6d7e8f
"""

RETURN = r"""
plan:
  description: What differs from the desired state, one line for each request; in check mode what a run would do.
  returned: success, and failure after something was done
  type: list
  elements: str
  sample: ["update cluster edge: tags: none -> 'lab'"]
done:
  description: What was done before it failed.
  returned: failure after something was planned
  type: list
  elements: str
cluster:
  description: The cluster, in the form of RV(zerotouch.openshift.assisted_info#module:clusters); RV(cluster.id) is
    empty before it exists.
  returned: success
  type: dict
  contains:
    id:
      description: Its id.
      type: str
    name:
      description: Its name.
      type: str
    status:
      description: Its state in the service's word.
      type: str
"""

from typing import Any

from ansible_collections.zerotouch.openshift.plugins.module_utils.assisted.cluster.desired import read_requested
from ansible_collections.zerotouch.openshift.plugins.module_utils.assisted.cluster.run import make_absent, make_present
from ansible_collections.zerotouch.openshift.plugins.module_utils.assisted.rest.connection import (
    ASSISTED_OPTIONS,
    PULL_SECRET_OPTIONS,
    connect,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.assisted.shown_text import yaml_secrets
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.entry_point import Call, run_module

OPTIONS = {"supports_check_mode": True, "mutually_exclusive": [["ntp_sources", "additional_ntp_sources"]]}

_TEXT = {"type": "str"}
_TEXTS = {"type": "list", "elements": "str"}
_EXTERNAL = {"platform_name": _TEXT, "cloud_controller_manager": _TEXT}


def argument_spec() -> dict[str, Any]:
    return {
        **ASSISTED_OPTIONS,
        "name": {"type": "str", "required": True},
        "state": {"type": "str", "choices": ["present", "absent"], "default": "present"},
        "existing": {"type": "dict", "options": {"api_vip_dnsname": _TEXT, "openshift_cluster_id": _TEXT}},
        "base_dns_domain": _TEXT,
        "openshift_version": _TEXT,
        "ocp_release_image": _TEXT,
        "arch": {"type": "str", "choices": ["x86_64", "aarch64", "ppc64le", "s390x", "multi"]},
        **PULL_SECRET_OPTIONS,
        "control_plane_count": {"type": "int"},
        "high_availability_mode": {"type": "str", "choices": ["Full", "None"]},
        "platform": {
            "type": "dict",
            "options": {
                "type": {"type": "str", "choices": ["baremetal", "none", "vsphere", "nutanix", "external"]},
                "external": {"type": "dict", "options": _EXTERNAL},
            },
        },
        "user_managed_networking": {"type": "bool"},
        "load_balancer": {"type": "str", "choices": ["cluster-managed", "user-managed"]},
        "api_vips": _TEXTS,
        "ingress_vips": _TEXTS,
        "vip_dhcp_allocation": {"type": "bool"},
        "cluster_networks": {
            "type": "list",
            "elements": "dict",
            "options": {"cidr": {"type": "str", "required": True}, "host_prefix": {"type": "int"}},
        },
        "service_networks": _TEXTS,
        "machine_networks": _TEXTS,
        "network_type": {
            "type": "str",
            "choices": ["OVNKubernetes", "OpenShiftSDN", "CiscoACI", "Cilium", "Calico", "None"],
        },
        "ssh_public_keys": {"type": "list", "elements": "str", "no_log": False},
        "http_proxy": _TEXT,
        "https_proxy": _TEXT,
        "no_proxy": _TEXT,
        "additional_ntp_sources": _TEXTS,
        "ntp_sources": _TEXTS,
        "olm_operators": {
            "type": "list",
            "elements": "dict",
            "options": {"name": {"type": "str", "required": True}, "properties": _TEXT},
        },
        "operator_bundles": {
            "type": "list",
            "elements": "dict",
            "options": {"id": {"type": "str", "required": True}, "optional_operators": _TEXTS},
        },
        "hyperthreading": _TEXT,
        "schedulable_masters": {"type": "bool"},
        "disk_encryption": {
            "type": "dict",
            "options": {
                "enable_on": _TEXT,
                "mode": {"type": "str", "choices": ["tpmv2", "tang"]},
                "tang_servers": _TEXT,
            },
        },
        "ignition_endpoint": {"type": "dict", "options": {"url": _TEXT, "ca_certificate": _TEXT}},
        "api_vip_dns_name": _TEXT,
        "tags": _TEXTS,
        "install_config_overrides": {"type": "json"},
        "manifests": {
            "type": "list",
            "elements": "dict",
            "options": {
                "folder": {"type": "str", "choices": ["manifests", "openshift"], "default": "openshift"},
                "file_name": {"type": "str", "required": True},
                "content": _TEXT,
                "state": {"type": "str", "choices": ["present", "absent"], "default": "present"},
            },
        },
        "ignored_validations": {"type": "dict", "options": {"hosts": _TEXTS, "cluster": _TEXTS}},
    }


def run(call: Call) -> dict[str, Any]:
    params = call.params
    for manifest in params["manifests"] or ():
        call.add_secrets(yaml_secrets(manifest["content"] or ""))
    service = connect(params, call.clock, call.check_mode, learnt=call.add_secrets, warn=call.warn)
    if params["state"] == "present":
        done = make_present(service, read_requested(params), check_mode=call.check_mode)
    else:
        done = make_absent(service, params["name"], check_mode=call.check_mode)
    for warning in done.warnings:
        call.warn(warning)
    call.plan(done.value["plan"])
    return {**done.value, **({"diff": [change.diff() for change in done.changes]} if call.diff else {})}


def main() -> None:
    run_module(argument_spec, OPTIONS, run)


if __name__ == "__main__":
    main()
