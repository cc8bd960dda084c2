#!/usr/bin/python
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors

from __future__ import annotations

DOCUMENTATION = r"""
module: assisted_control_plane
short_description: Create a cluster of the OpenShift Assisted providers of Cluster API
version_added: 0.1.0
author: the zerotouch.openshift authors (@zerotouch-openshift)
description:
  - Creates and updates a Cluster, its OpenshiftAssistedControlPlane, OpenshiftAssistedConfigTemplates,
    MachineDeployments and Secrets as one unit, for the OpenShift Assisted providers of Cluster API. With
    O(infrastructure=metal3) also Metal3Cluster, Metal3MachineTemplates, Metal3DataTemplates, NMStateConfigs, and
    BareMetalHosts with their credentials.
  - All mistakes are reported before the first write. The description is checked by the definitions that the hub serves,
    and by rules that the providers apply only at run time.
  - The Cluster is written last and starts everything. A run that ends earlier has started nothing, and the next run
    continues.
  - Templates are not changed but replaced under another name. A pool that has Machines keeps its templates unless
    O(replace_machines) is set.
  - Fields that other tools set in these objects stay as they are.
notes:
  - The user needs the rules in C(docs/rbac/capi-assisted.yaml).
extends_documentation_fragment:
  - zerotouch.openshift.attributes
  - zerotouch.openshift.hub
  - zerotouch.openshift.touch
attributes:
  check_mode:
    support: full
    details: The hub tries each write without keeping it (server-side dry run), except in a namespace that does not
      exist yet.
  diff_mode:
    support: full
    details: The data of Secrets is hidden.
  idempotent:
    support: full
options:
  state:
    description:
      - V(present) creates and updates the cluster.
      - V(absent) deletes the Cluster, upon which Cluster API deletes the pools, the control plane and the
        infrastructure, without draining Nodes. What remains of this collection is deleted once no Machine is left,
        BareMetalHosts once nothing uses them. Each run does what can be done now; O(wait_for=gone) continues to the
        end.
    type: str
    choices: [present, absent]
    default: present
  name:
    description: Name of the Cluster and of its control plane, at most 54 characters. It must be unique on the hub, in
      all namespaces.
    type: str
    required: true
  namespace:
    description: Namespace of all objects. It is created if it does not exist.
    type: str
    required: true
  version:
    description:
      - Version of OpenShift or OKD, 4.14.0 or newer. A newer one than before upgrades the cluster.
      - Needed for O(state=present).
    type: str
  release_repository:
    description: Repository of the release images, without tag, instead of the public one.
    type: str
  pull_secret:
    description: The pull secret as JSON, kept in the Secret C(<name>-pull-secret). Releases of OpenShift need it or
      O(pull_secret_name).
    type: raw
  pull_secret_name:
    description: A Secret with the key C(.dockerconfigjson) that exists in the namespace.
    type: str
  base_domain:
    description: Domain of the cluster. Needed for O(state=present); it cannot be changed.
    type: str
  api_vips:
    description: Virtual addresses of the API, one for each address family. Without them a load balancer of your own is
      expected.
    type: list
    elements: str
  ingress_vips:
    description: Virtual addresses of the ingress, as many as O(api_vips).
    type: list
    elements: str
  manifests_config_maps:
    description: ConfigMaps in the namespace with manifests that are added to the installation.
    type: list
    elements: str
  disk_encryption:
    description: Encryption of the disks of the installed machines.
    type: dict
    suboptions:
      enable_on:
        description: The roles whose disks are encrypted.
        type: str
        choices: [none, all, masters, arbiters, workers, 'masters,arbiters', 'masters,workers', 'arbiters,workers',
          'masters,arbiters,workers']
      mode:
        description: How they are unlocked.
        type: str
        choices: [tpmv2, tang]
      tang_servers:
        description: The servers as a JSON list, for O(disk_encryption.mode=tang).
        type: str
  cluster_proxy:
    description: Proxy of the installed cluster.
    type: dict
    suboptions:
      http_proxy:
        description: For HTTP.
        type: str
      https_proxy:
        description: For HTTPS.
        type: str
      no_proxy:
        description: Hosts, domains and networks without a proxy, separated by commas.
        type: str
  masters_schedulable:
    description: Whether the control plane machines run workloads.
    type: bool
  ssh_public_keys:
    description: Public SSH keys of the user C(core) of the installed machines.
    type: list
    elements: str
  capabilities:
    description: Optional parts of OpenShift. With virtual addresses the provider adds those that the platform needs.
    type: dict
    suboptions:
      baseline_capability:
        description: V(None), V(vCurrent), or a set such as V(v4.18).
        type: str
      additional_enabled_capabilities:
        description: Capabilities besides those of the set.
        type: list
        elements: str
  cluster_network:
    description: Networks of the cluster, which cannot be changed.
    type: dict
    suboptions:
      pods:
        description: Networks of pods; V(10.128.0.0/14) by default.
        type: list
        elements: str
      services:
        description: Networks of services; V(172.30.0.0/16) by default.
        type: list
        elements: str
      service_domain:
        description: Domain of services.
        type: str
  host_prefixes:
    description:
      - Prefix length of the part that each Node gets, by network of O(cluster_network.pods); 23 for IPv4 and 64 for
        IPv6 by default.
    type: dict
  machine_network:
    description: Networks of the machines; found by assisted-service by default.
    type: list
    elements: str
  install_config_overrides:
    description: Upstream's install-config in upstream's spelling, merged into that of the installation.
    type: dict
  image_registry_name:
    description: A ConfigMap in the namespace with C(registries.conf) and, if needed, C(ca-bundle.crt).
    type: str
  image_registry:
    description: Mirrors, kept in the ConfigMap C(<name>-mirrors). The providers keep those of one cluster in a
      namespace.
    type: dict
    suboptions:
      registries_conf:
        description: Registries and mirrors as in registries.conf.
        type: str
        required: true
      ca_bundle:
        description: Certificates of the mirrors in PEM form.
        type: str
  control_plane_endpoint:
    description: Where the API of the cluster is; C(api.<name>.<base_domain>) by default. For O(infrastructure=metal3).
    type: dict
    suboptions:
      host:
        description: Name or address.
        type: str
        required: true
      port:
        description: Port.
        type: int
        default: 6443
  config:
    description: Configuration of all machines. A change has an effect on new machines only.
    type: dict
    suboptions:
      image_proxy:
        description: Proxy for machines while they run the discovery agent; that of the cluster is O(cluster_proxy).
        type: dict
        suboptions:
          http_proxy:
            description: For HTTP.
            type: str
          https_proxy:
            description: For HTTPS.
            type: str
          no_proxy:
            description: Hosts, domains and networks without a proxy, separated by commas.
            type: str
      additional_ntp_sources:
        description: NTP servers besides those of DHCP.
        type: list
        elements: str
      ssh_public_keys:
        description: Public SSH keys of the user C(core) during discovery; O(ssh_public_keys) by default.
        type: list
        elements: str
      nmstate_config_selector:
        description:
          - Label selector of NMStateConfigs in all namespaces. With O(infrastructure=metal3) those of
            O(hosts[].network_config) by default.
        type: dict
      arch:
        description: Architecture of the machines.
        type: str
        choices: [x86_64, aarch64, ppc64le, s390x]
      kernel_arguments:
        description: Kernel arguments of the installed machines.
        type: list
        elements: dict
        suboptions:
          operation:
            description: What is done with the argument. assisted-service refuses V(replace).
            type: str
            choices: [append, replace, delete]
            default: append
          value:
            description: The argument.
            type: str
            required: true
      additional_trust_bundle:
        description: Certificates in PEM form that machines trust during discovery.
        type: str
      os_image_version:
        description: Refused, because assisted-service accepts no image version for machines whose cluster is already
          named.
        type: str
      pre_bootstrap_commands:
        description: Commands before the kubelet starts for the first time. Needs OpenshiftAssistedConfig v1alpha2.
        type: list
        elements: str
      post_bootstrap_commands:
        description: Commands once the Node exists. Needs OpenshiftAssistedConfig v1alpha2.
        type: list
        elements: str
      bootstrap_command_sentinel_dir:
        description: Directory of the files that record that the commands were run. Needs OpenshiftAssistedConfig
          v1alpha2.
        type: str
      post_bootstrap_kubeconfig_path:
        description: Kubeconfig for O(machine_deployments[].config.post_bootstrap_commands). It has no effect in present
          versions of the provider.
        type: str
      node_name:
        description: Variable with the hostname, such as C($METADATA_NAME), which is the default with
          O(infrastructure=metal3).
        type: str
      kubelet_extra_labels:
        description:
          - Labels of the Node as C(key=value); the value may be a variable.
          - With O(infrastructure=metal3) the label by which Cluster API Provider Metal3 finds the Node is added.
        type: list
        elements: str
      provider_id:
        description: Provider id of the Node. Needs OpenshiftAssistedConfig v1alpha2.
        type: str
      discovery_ignition_override:
        description: Ignition config as JSON that is merged into that of the discovery agent.
        type: json
      ignition_override:
        description: Ignition config as JSON, version 3.0.0 or 3.1.0, that is merged into that of the installed machine.
        type: json
  control_plane:
    description: The control plane machines, V(1), V(3), V(4) or V(5) of them.
    type: dict
    suboptions:
      replicas:
        description: How many Machines. Without it the number stays as it is. A new control plane needs one.
        type: int
      labels:
        description: Labels of the Machines.
        type: dict
        default: {}
      annotations:
        description: Annotations of the Machines.
        type: dict
        default: {}
      infrastructure_ref:
        description: Your own machine template, with O(infrastructure=user_templates).
        type: dict
        suboptions:
          api_group:
            description: Its group.
            type: str
            required: true
          kind:
            description: Its kind.
            type: str
            required: true
          name:
            description: Its name.
            type: str
            required: true
      host_selector:
        description: Label selector of the BareMetalHosts, instead of those of O(hosts) with this pool.
        type: dict
      node_drain_timeout:
        description: Seconds that the drain of a Node may take; 0 is no limit.
        type: int
      node_volume_detach_timeout:
        description: Seconds that detaching volumes may take; 0 is no limit.
        type: int
      node_deletion_timeout:
        description: Seconds that the deletion of a Node may take; 0 is no limit.
        type: int
  machine_deployments:
    description: The pools of workers. MachineDeployments that are not listed stay as they are.
    type: list
    elements: dict
    suboptions:
      name:
        description: Name of the MachineDeployment, at most 52 characters.
        type: str
        required: true
      replicas:
        description: How many Machines. Without it the number stays as it is; it is 0 for something new.
        type: int
      labels:
        description: Labels of the Machines.
        type: dict
        default: {}
      annotations:
        description: Annotations of the Machines.
        type: dict
        default: {}
      infrastructure_ref:
        description: Your own machine template, with O(infrastructure=user_templates).
        type: dict
        suboptions:
          api_group:
            description: Its group.
            type: str
            required: true
          kind:
            description: Its kind.
            type: str
            required: true
          name:
            description: Its name.
            type: str
            required: true
      host_selector:
        description: Label selector of the BareMetalHosts, instead of those of O(hosts) with this pool.
        type: dict
      node_drain_timeout:
        description: Seconds that the drain of a Node may take; 0 is no limit.
        type: int
      node_volume_detach_timeout:
        description: Seconds that detaching volumes may take; 0 is no limit.
        type: int
      node_deletion_timeout:
        description: Seconds that the deletion of a Node may take; 0 is no limit.
        type: int
      deletion_order:
        description: Which Machines are deleted first when the pool shrinks.
        type: str
        choices: [Random, Newest, Oldest]
      config:
        description: Configuration of the machines of this pool, option by option instead of O(config).
        type: dict
        suboptions:
          image_proxy:
            description: Proxy for machines while they run the discovery agent; that of the cluster is O(cluster_proxy).
            type: dict
            suboptions:
              http_proxy:
                description: For HTTP.
                type: str
              https_proxy:
                description: For HTTPS.
                type: str
              no_proxy:
                description: Hosts, domains and networks without a proxy, separated by commas.
                type: str
          additional_ntp_sources:
            description: NTP servers besides those of DHCP.
            type: list
            elements: str
          ssh_public_keys:
            description: Public SSH keys of the user C(core) during discovery; O(ssh_public_keys) by default.
            type: list
            elements: str
          nmstate_config_selector:
            description:
              - Label selector of NMStateConfigs in all namespaces. With O(infrastructure=metal3) those of
                O(hosts[].network_config) by default.
            type: dict
          arch:
            description: Architecture of the machines.
            type: str
            choices: [x86_64, aarch64, ppc64le, s390x]
          kernel_arguments:
            description: Kernel arguments of the installed machines.
            type: list
            elements: dict
            suboptions:
              operation:
                description: What is done with the argument. assisted-service refuses V(replace).
                type: str
                choices: [append, replace, delete]
                default: append
              value:
                description: The argument.
                type: str
                required: true
          additional_trust_bundle:
            description: Certificates in PEM form that machines trust during discovery.
            type: str
          os_image_version:
            description: Refused, because assisted-service accepts no image version for machines whose cluster is
              already named.
            type: str
          pre_bootstrap_commands:
            description: Commands before the kubelet starts for the first time. Needs OpenshiftAssistedConfig v1alpha2.
            type: list
            elements: str
          post_bootstrap_commands:
            description: Commands once the Node exists. Needs OpenshiftAssistedConfig v1alpha2.
            type: list
            elements: str
          bootstrap_command_sentinel_dir:
            description: Directory of the files that record that the commands were run. Needs OpenshiftAssistedConfig
              v1alpha2.
            type: str
          post_bootstrap_kubeconfig_path:
            description: Kubeconfig for O(machine_deployments[].config.post_bootstrap_commands). It has no effect in
              present versions of the provider.
            type: str
          node_name:
            description: Variable with the hostname, such as C($METADATA_NAME), which is the default with
              O(infrastructure=metal3).
            type: str
          kubelet_extra_labels:
            description:
              - Labels of the Node as C(key=value); the value may be a variable.
              - With O(infrastructure=metal3) the label by which Cluster API Provider Metal3 finds the Node is added.
            type: list
            elements: str
          provider_id:
            description: Provider id of the Node. Needs OpenshiftAssistedConfig v1alpha2.
            type: str
          discovery_ignition_override:
            description: Ignition config as JSON that is merged into that of the discovery agent.
            type: json
          ignition_override:
            description: Ignition config as JSON, version 3.0.0 or 3.1.0, that is merged into that of the installed
              machine.
            type: json
  infrastructure:
    description:
      - V(metal3) creates the objects of Cluster API Provider Metal3 and BareMetalHosts.
      - V(user_templates) refers to the infrastructure cluster and machine templates that you create.
    type: str
    choices: [metal3, user_templates]
    default: metal3
  infrastructure_ref:
    description: Your own infrastructure cluster, with O(infrastructure=user_templates).
    type: dict
    suboptions:
      api_group:
        description: Its group.
        type: str
        required: true
      kind:
        description: Its kind.
        type: str
        required: true
      name:
        description: Its name.
        type: str
        required: true
  metal3:
    description: How machines boot first, with O(infrastructure=metal3).
    type: dict
    suboptions:
      image:
        description: A CoreOS disk image that reads a config drive (variant nutanix), of the same release as the
          cluster.
        type: dict
        required: true
        suboptions:
          url:
            description: Its URL.
            type: str
            required: true
          checksum:
            description: Its checksum, or the URL of a file with it.
            type: str
            required: true
          checksum_type:
            description: Kind of the checksum.
            type: str
            choices: [md5, sha256, sha512]
            default: sha256
          format:
            description: Format of the image.
            type: str
            choices: [raw, qcow2, vdi, vmdk]
            default: qcow2
      node_reuse:
        description: Whether a Machine gets a host of the Machine that it replaces.
        type: bool
        default: false
      automated_cleaning_mode:
        description: Whether disks are cleaned between two Machines.
        type: str
        choices: [disabled, metadata]
        default: disabled
      meta_data:
        description: Variables for the machines, in upstream's spelling of C(metaData) of a Metal3DataTemplate.
        type: dict
  hosts:
    description: The machines, as BareMetalHosts. Those that are not listed stay as they are.
    type: list
    elements: dict
    suboptions:
      name:
        description: Name of the BareMetalHost, and the hostname unless O(config.node_name) says otherwise.
        type: str
        required: true
      pool:
        description: The pool that may use it, V(control-plane) or the name of one of O(machine_deployments).
        type: str
        default: control-plane
      boot_mac_address:
        description: MAC address of the NIC that boots. Needed.
        type: str
      bmc:
        description: How baremetal-operator reaches its BMC. Needed.
        type: dict
        suboptions:
          address:
            description: Address in baremetal-operator's form; a plain URL means Redfish virtual media.
            type: str
          username:
            description: User.
            type: str
          password:
            description: Password.
            type: str
          validate_certs:
            description: Whether the certificate is checked.
            type: bool
            default: true
          ca_cert:
            description: Not used by baremetal-operator; a warning says so.
            type: str
          fingerprint:
            description: Not used by baremetal-operator; a warning says so.
            type: str
          clear_jobs:
            description: Not used by baremetal-operator.
            type: bool
            default: false
      boot_mode:
        description: How the machine boots.
        type: str
        choices: [UEFI, UEFISecureBoot, legacy]
      root_device_hints:
        description: The disk to write, in upstream's spelling.
        type: dict
      interfaces:
        description: NICs of O(hosts[].network_config).
        type: list
        elements: dict
        suboptions:
          name:
            description: Name in the network configuration.
            type: str
            required: true
          mac_address:
            description: MAC address.
            type: str
            required: true
      network_config:
        description: Network configuration as nmstate takes it; DHCP without it.
        type: dict
  replace_machines:
    description: Let Cluster API replace the Machines of pools whose templates change. Their hosts are installed again,
      one after the other.
    type: bool
    default: false
  delete_first:
    description: Names of Machines that Cluster API deletes before the others when their pool shrinks. They get the
      annotation for it before the pool shrinks.
    type: list
    elements: str
    default: []
  recreate:
    description:
      - Names of Machines that are deleted. Their pools keep their sizes, so that other Machines take hosts.
      - Names of Machines that do not exist are ignored.
    type: list
    elements: str
    default: []
  release_hosts:
    description:
      - Names of hosts whose BareMetalHosts are deleted as soon as nothing uses them, and then their Secrets and
        NMStateConfigs. Only those that this module created for the cluster are deleted.
    type: list
    elements: str
    default: []
  touch_hosts:
    description:
      - With O(touch), names of the hosts that M(zerotouch.openshift.touch_check) has allowed to boot.
      - The decision is taken again directly before the first write. No other host gets a BareMetalHost, and none
        whose machine has another owner on the hub by now. The decision about hosts that leave is taken about those
        that the writes of this run really touch.
    type: list
    elements: str
    default: []
  wait_for:
    description:
      - V(none) returns as soon as the objects are written.
      - V(installed) waits until the cluster is installed, V(ready) also until it has its version and all Machines are
        available.
      - V(gone), with O(state=absent), until nothing is left.
    type: str
    choices: [none, installed, ready, gone]
    default: none
  timeout:
    description: Limit of the wait, in seconds.
    type: float
    default: 7200
  work_dir:
    description:
      - Work directory for C(auth/kubeconfig) and C(auth/kubeadmin-password) (mode 0600), and for the record of the
        deployment in C(state.json).
      - Without it nothing is written on this machine.
    type: path
  forks:
    description: How many requests run at the same time.
    type: int
    default: 8
requirements:
  - PyYAML
  - urllib3
"""

EXAMPLES = r"""
- name: Create a cluster of three control plane machines and two workers
  zerotouch.openshift.assisted_control_plane:
    kubeconfig: ~/hub.kubeconfig
    namespace: edge
    name: edge
    version: 4.20.3
    base_domain: example.com
    api_vips: [192.0.2.10]
    ingress_vips: [192.0.2.11]
    pull_secret: "{{ lookup('ansible.builtin.file', '~/pull-secret.json') }}"
    ssh_public_keys: ["{{ lookup('ansible.builtin.file', '~/.ssh/id_ed25519.pub') }}"]
    control_plane: {replicas: 3}
    machine_deployments: [{name: workers, replicas: 2}]
    metal3:
      image: {url: "https://images.example.com/rhcos-nutanix.qcow2", checksum: "https://images.example.com/sha256sum.txt"}
    hosts: "{{ machines }}"
    wait_for: ready
    work_dir: clusters/edge

- name: Delete the cluster from the hub
  zerotouch.openshift.assisted_control_plane:
    kubeconfig: ~/hub.kubeconfig
    namespace: edge
    name: edge
    state: absent
    wait_for: gone
"""

RETURN = r"""
name:
  description: Name of the Cluster.
  returned: always
  type: str
namespace:
  description: Its namespace.
  returned: always
  type: str
plan:
  description: What was written, or would be in check mode, with reasons.
  returned: always
  type: list
  elements: str
problems:
  description: Warnings about the description.
  returned: always
  type: list
  elements: dict
phase:
  description: Phase of the installation; empty before there is one.
  returned: always
  type: str
control_plane:
  description: The control plane as it was observed last.
  returned: always
  type: dict
  contains:
    version:
      description: The desired version.
      type: str
    current_version:
      description: The version that the cluster has; empty before there is one.
      type: str
    replicas:
      description: The desired number of machines.
      type: int
    current_replicas:
      description: How many there are.
      type: int
    ready_replicas:
      description: How many are ready.
      type: int
    up_to_date_replicas:
      description: How many are as described now. Others stay as they are, since the provider replaces no machine.
      type: int
machine_deployments:
  description: The pools of the cluster.
  returned: always
  type: list
  elements: dict
  contains:
    name:
      description: Name of the MachineDeployment.
      type: str
    template:
      description: The machine template that it uses.
      type: str
    replicas:
      description: The desired number of Machines.
      type: int
    current_replicas:
      description: How many there are.
      type: int
    available_replicas:
      description: How many are available.
      type: int
    up_to_date_replicas:
      description: How many are made from the present template.
      type: int
    phase:
      description: Its phase.
      type: str
machines:
  description: The Machines, those of the control plane first.
  returned: always
  type: list
  elements: dict
  contains:
    name:
      description: Name of the Machine, and of its InfraEnv.
      type: str
    role:
      description: V(control-plane) or V(worker).
      type: str
    phase:
      description: Its phase in Cluster API.
      type: str
    host:
      description: Hostname of its machine; empty before it has registered.
      type: str
    agent:
      description: Its Agent; empty before it has registered.
      type: str
    state:
      description: State of the Agent.
      type: str
    stage:
      description: Stage of its installation.
      type: str
    node:
      description: Its Node; empty before it has joined.
      type: str
    step:
      description: Where it is on its way to a Node.
      type: str
kubeconfig:
  description: Path of the kubeconfig; empty as long as there is none.
  returned: with O(work_dir)
  type: str
kubeadmin_password_file:
  description: Path of the password's file; empty as long as there is none.
  returned: with O(work_dir)
  type: str
remaining:
  description: With O(state=absent) what has to be gone before the rest can be deleted.
  returned: always
  type: list
  elements: str
stays:
  description: Objects that are not deleted, and why.
  returned: always
  type: list
  elements: str
"""

from typing import Any

from ansible_collections.zerotouch.openshift.plugins.module_utils.capi.assisted.options import (
    control_plane_argument_spec,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.entry_point import Call, run_module
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.capi.run import run_recorded
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.safety.options import touch_spec

OPTIONS = {"supports_check_mode": True}


def argument_spec() -> dict[str, Any]:
    return {**control_plane_argument_spec(), "touch": touch_spec()}


def run(call: Call) -> dict[str, Any]:
    return run_recorded(call)


def main() -> None:
    run_module(argument_spec, OPTIONS, run)


if __name__ == "__main__":
    main()
