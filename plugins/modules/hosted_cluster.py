#!/usr/bin/python
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors

from __future__ import annotations

DOCUMENTATION = r"""
module: hosted_cluster
short_description: Create, update or delete a hosted cluster whose workers are Agents
version_added: 0.1.0
author: the zerotouch.openshift authors (@zerotouch-openshift)
description:
  - Creates or updates a HyperShift HostedCluster of platform Agent, with its pull secret, SSH key, trust bundle and the
    key that encrypts etcd. A field whose option is not set keeps its value, defaults of the server included; an empty
    option clears the field.
  - All mistakes in the options are reported in one run, before anything is written, also those that the operator only
    reports in a condition of a cluster that cannot be changed any more (networks that overlap, services that hosts
    cannot reach). Immutable fields are refused by name, also in check mode.
  - Objects that another tool created are used as they are. If one of them would have to be changed, the module fails
    before the first write. It also fails if O(work_dir) records another UID of the HostedCluster than the hub has, for
    example with the connection of another hub.
  - The key of etcd is created once. It is never replaced, because etcd would become unreadable.
  - With O(wait_for) the module watches the conditions. A condition only counts if it is about the current generation of
    the hosted cluster.
  - O(state=absent) deletes it in the order that loses no Agents. First its pools are scaled to 0 while its API answers,
    then the pools and the hosted cluster are deleted. Where hosts live in the namespace of the control plane, that
    namespace gets the annotation that keeps it. Disks are not wiped.
notes:
  - The user needs C(get), C(list), C(watch), C(create), C(patch) and C(delete) on C(hostedclusters), C(list) on
    C(nodepools) and C(get), C(create), C(patch) and C(delete) on C(secrets) and C(configmaps) in the namespace, and
    C(get) and C(create) on C(namespaces). For O(state=absent) also what M(zerotouch.openshift.node_pool) needs, and
    C(list) on C(agents), C(infraenvs) and C(baremetalhosts) in the namespace of the control plane.
extends_documentation_fragment:
  - zerotouch.openshift.attributes
  - zerotouch.openshift.hub
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
  name:
    description: Name of the hosted cluster.
    type: str
    required: true
  namespace:
    description: Its namespace, which is made if it does not exist. The control plane runs in another one,
      C(<namespace>-<name>).
    type: str
    required: true
  state:
    description: Whether the hosted cluster exists.
    type: str
    choices: [present, absent]
    default: present
  release_image:
    description: Release of the cluster. Needed for a new one; name it by digest or version.
    type: str
  control_plane_release_image:
    description: Another release for the control plane alone. Given empty, there is none.
    type: str
  pull_secret:
    description: The pull secret as JSON, kept in the Secret C(<name>-pull-secret). A new hosted cluster needs it or
      O(pull_secret_name).
    type: raw
  pull_secret_name:
    description: A Secret with the key C(.dockerconfigjson) that is there already.
    type: str
  ssh_public_keys:
    description: Public SSH keys of the user C(core) of the hosts, kept in the Secret C(<name>-ssh-key).
    type: list
    elements: str
  ssh_key_name:
    description: A Secret with the key C(id_rsa.pub) that is there already.
    type: str
  agent_namespace:
    description: Namespace of the Agents that become its workers. Needed for a new hosted cluster, and it must exist.
    type: str
  base_domain:
    description: Names of the cluster end in it. Needed for a new hosted cluster; it cannot be changed.
    type: str
  base_domain_prefix:
    description: Stands before O(base_domain) instead of the cluster's name; empty for none. It cannot be changed.
    type: str
  networking:
    description: Networks, which cannot be changed and must not overlap.
    type: dict
    suboptions:
      network_type:
        description: The network plugin. With V(Calico) and V(Other) Nodes stay NotReady until you install one.
        type: str
        choices: [OVNKubernetes, OpenShiftSDN, Calico, Other]
      cluster_network:
        description: One or two networks of pods; V(10.132.0.0/14) by default.
        type: list
        elements: dict
        suboptions:
          cidr:
            description: The network.
            type: str
            required: true
          host_prefix:
            description: Prefix length of the part that each Node gets.
            type: int
      service_network:
        description: One or two networks of services; V(172.31.0.0/16) by default.
        type: list
        elements: str
      machine_network:
        description: One or two networks of the hosts.
        type: list
        elements: str
      api_server:
        description: How the API server appears inside the cluster.
        type: dict
        suboptions:
          advertise_address:
            description: Address on every Node, outside of all networks; V(172.20.0.1) by default.
            type: str
          port:
            description: Port there; V(6443) by default.
            type: int
          allowed_cidr_blocks:
            description: Networks that may reach the API server; all by default.
            type: list
            elements: str
      allocate_node_cidrs:
        description: Whether Nodes get parts of the cluster network from the control plane; V(Enabled) only with
          O(networking.network_type=Other).
        type: str
        choices: [Enabled, Disabled]
  services:
    description:
      - How the services of the control plane are reached, as upstream has them. Needed for a new hosted cluster, unless
        O(api_server_address) is given.
      - The list cannot be changed, nor its order.
    type: list
    elements: dict
    suboptions:
      service:
        description: The service. V(APIServer), V(OAuthServer), V(Konnectivity) and V(Ignition) have to be there; the
          others count, and do nothing.
        type: str
        choices: [APIServer, OAuthServer, Konnectivity, Ignition, OIDC, OVNSbDb]
        required: true
      service_publishing_strategy:
        description: How it is published. Ignition only works as V(NodePort) or V(Route).
        type: dict
        required: true
        suboptions:
          type:
            description: The kind; its own suboption is needed for V(NodePort), may be given for V(LoadBalancer) and
              V(Route), and no other may.
            type: str
            choices: [LoadBalancer, NodePort, Route, None, S3]
            required: true
          node_port:
            description: For V(NodePort).
            type: dict
            suboptions:
              address:
                description: IP address or dotted name at which nodes and users reach the port.
                type: str
                required: true
              port:
                description: The port; one is chosen if none is given.
                type: int
          load_balancer:
            description: For V(LoadBalancer).
            type: dict
            suboptions:
              hostname:
                description: Name under which it is reached.
                type: str
          route:
            description: For V(Route).
            type: dict
            suboptions:
              hostname:
                description: Name of the Route.
                type: str
  api_server_address:
    description: Publish all services as NodePorts at this address, as upstream's own client does. Instead of
      O(services).
    type: str
  etcd:
    description: Where etcd keeps its data; managed, 8Gi in the default storage class, by default.
    type: dict
    suboptions:
      management_type:
        description: Whether the operator runs it. It cannot be changed.
        type: str
        choices: [Managed, Unmanaged]
      managed:
        description: For V(Managed).
        type: dict
        suboptions:
          storage:
            description: Its storage.
            type: dict
            suboptions:
              type:
                description: The kind of storage.
                type: str
                choices: [PersistentVolume]
              persistent_volume:
                description: The volumes. They cannot be changed.
                type: dict
                suboptions:
                  size:
                    description: Size of each, as V(8Gi).
                    type: str
                  storage_class_name:
                    description: Storage class; the default one of the hub if not given.
                    type: str
              restore_snapshot_url:
                description: A snapshot to begin with, at most one. It cannot be changed.
                type: list
                elements: str
      unmanaged:
        description: For V(Unmanaged).
        type: dict
        suboptions:
          endpoint:
            description: URL of etcd.
            type: str
          tls:
            description: How to log in there.
            type: dict
            suboptions:
              client_secret:
                description: The Secret with the client certificate.
                type: dict
                suboptions:
                  name:
                    description: Its name.
                    type: str
  secret_encryption:
    description:
      - Encryption of Secrets in etcd. A new hosted cluster gets a key of its own, in the Secret
        C(<name>-etcd-encryption-key); given empty, it gets none.
      - Once there is encryption it cannot be removed.
    type: dict
    suboptions:
      type:
        description: The kind.
        type: str
        choices: [aescbc]
      aescbc:
        description: Keys in Secrets, each 32 bytes under C(key).
        type: dict
        suboptions:
          active_key:
            description: The key that is used.
            type: dict
            suboptions:
              name:
                description: Name of its Secret.
                type: str
          backup_key:
            description: The key before it, while it is being exchanged.
            type: dict
            suboptions:
              name:
                description: Name of its Secret.
                type: str
  controller_availability_policy:
    description: Whether the control plane has three replicas, which is the default, or one. It cannot be changed.
    type: str
    choices: [HighlyAvailable, SingleReplica]
  infrastructure_availability_policy:
    description: Whether what runs on workers (ingress) has two replicas or one, which is the default.
    type: str
    choices: [HighlyAvailable, SingleReplica]
  olm_catalog_placement:
    description: Where catalogs of operators run; on the hub by default. It cannot be changed.
    type: str
    choices: [management, guest]
  fips:
    description: FIPS mode. It cannot be changed.
    type: bool
  capabilities:
    description: Optional parts of OpenShift. They cannot be changed.
    type: dict
    suboptions:
      enabled:
        description: Capabilities that the cluster has.
        type: list
        elements: str
      disabled:
        description: Capabilities that the cluster does not have; V(Ingress) only together with V(Console).
        type: list
        elements: str
  issuer_url:
    description: Issuer of service account tokens; V(https://kubernetes.default.svc) by default. It cannot be changed.
    type: str
  infra_id:
    description: Prefix of names in the cluster; made by the operator by default. It cannot be changed.
    type: str
  cluster_id:
    description: UUID of the cluster; made by the operator by default. It cannot be changed.
    type: str
  autoscaling:
    description: Options of the autoscaler for all pools.
    type: dict
    suboptions:
      scaling:
        description: Whether it also takes Nodes away.
        type: str
        choices: [ScaleUpAndScaleDown, ScaleUpOnly]
      scale_down:
        description: When it does. Given empty, upstream's defaults.
        type: dict
        suboptions:
          delay_after_add_seconds:
            description: Wait after a Node was added.
            type: int
          delay_after_delete_seconds:
            description: Wait after a Node was taken away.
            type: int
          delay_after_failure_seconds:
            description: Wait after that failed.
            type: int
          unneeded_duration_seconds:
            description: How long a Node has to be unneeded.
            type: int
          utilization_threshold_percent:
            description: Below which use of a Node it is unneeded.
            type: int
      max_nodes_total:
        description: At most so many Nodes in all pools.
        type: int
      max_pod_grace_period:
        description: Seconds that pods get to end.
        type: int
      max_node_provision_time:
        description: How long a Node may take to come, V(15m) by default. Bare metal needs 30 to 60 minutes.
        type: str
      max_free_difference_ratio_percent:
        description: How much free resources of similar pools may differ.
        type: int
      pod_priority_threshold:
        description: Pods of a lower priority do not count.
        type: int
      expanders:
        description: How a pool is chosen, 1 to 3 of V(LeastWaste), V(Priority), V(Random).
        type: list
        elements: str
      balancing_ignored_labels:
        description: Labels in which pools may differ and still be similar.
        type: list
        elements: str
  additional_trust_bundle:
    description: Certificates in PEM form that the cluster trusts, kept in the ConfigMap C(<name>-user-ca-bundle). Given
      empty, there are none.
    type: str
  additional_trust_bundle_name:
    description: A ConfigMap with the key C(ca-bundle.crt) that is there already.
    type: str
  image_content_sources:
    description: Mirrors. A change updates all Nodes.
    type: list
    elements: dict
    suboptions:
      source:
        description: Repository that images name.
        type: str
        required: true
      mirrors:
        description: Repositories that have them, too.
        type: list
        elements: str
  configuration:
    description: Configuration of the cluster, verbatim as upstream's C(spec.configuration); a null takes a key away.
    type: dict
  operator_configuration:
    description: Configuration of operators, verbatim as upstream's C(spec.operatorConfiguration); a null takes a key
      away.
    type: dict
  kube_api_server_dns_name:
    description: Another name of the API server, for which there is another kubeconfig.
    type: str
  node_selector:
    description: Labels of the hub's Nodes on which the control plane runs, at most 20.
    type: dict
  tolerations:
    description: Tolerations of the control plane's pods, at most 25.
    type: list
    elements: dict
    suboptions:
      key:
        description: Key of the taint.
        type: str
      operator:
        description: How it is compared.
        type: str
      value:
        description: Its value.
        type: str
      effect:
        description: Its effect.
        type: str
      toleration_seconds:
        description: For how long.
        type: int
  pod_labels:
    description: Labels of the control plane's pods, at most 20.
    type: dict
  channel:
    description: Update channel.
    type: str
  update_service:
    description: URL of the update service.
    type: str
  paused_until:
    description: Hold the operator back until a date as V(2026-12-31T23:59:59Z), or without limit (V(true)). Given
      empty, it goes on.
    type: str
  labels:
    description: Labels of the HostedCluster; a null takes one away. Others are left alone.
    type: dict
  annotations:
    description: Annotations of the HostedCluster; a null takes one away. Others are left alone. Useful ones are in
      C(docs/reference/hosted-modules.md).
    type: dict
  wait_for:
    description:
      - V(none) returns as soon as the objects are written.
      - V(valid) waits until the operator has taken configuration and release.
      - V(available) waits until the control plane is there, with its kubeconfig and the endpoint from which hosts get
        their Ignition.
      - V(completed) waits until the version is complete, which needs workers and the names below C(*.apps).
    type: str
    choices: [none, valid, available, completed]
    default: none
  timeout:
    description: Limit of the wait in seconds; with O(state=absent) of each of its waits.
    type: float
    default: 3600
  work_dir:
    description:
      - Work directory for C(auth/kubeconfig) and C(auth/kubeadmin-password) (mode 0600), fetched as soon as the hub has
        them.
      - Without it nothing is written here.
    type: path
  drain:
    description: With O(state=absent), lower the replicas of the pools to 0 first. Without it workloads are not evicted,
      and hosts may need a reboot.
    type: bool
    default: true
requirements:
  - PyYAML
  - urllib3
"""

EXAMPLES = r"""
- name: Create or update a hosted cluster with one address for its API
  zerotouch.openshift.hosted_cluster:
    kubeconfig: ~/hub.kubeconfig
    namespace: clusters
    name: edge
    release_image: quay.io/openshift-release-dev/ocp-release:4.22.0-x86_64
    pull_secret: "{{ lookup('ansible.builtin.file', '~/pull-secret.json') }}"
    ssh_public_keys: ["{{ lookup('ansible.builtin.file', '~/.ssh/id_ed25519.pub') }}"]
    agent_namespace: hosts
    base_domain: example.com
    api_server_address: 192.0.2.10
    networking: {machine_network: [192.0.2.0/24]}
    wait_for: available
    work_dir: clusters/edge

- name: Delete the hosted cluster
  zerotouch.openshift.hosted_cluster:
    kubeconfig: ~/hub.kubeconfig
    namespace: clusters
    name: edge
    state: absent
"""

RETURN = r"""
plan:
  description: What was changed on the hub, or would be in check mode, with reasons.
  returned: always, once the hub was contacted
  type: list
  elements: str
hosted_cluster:
  description: The hosted cluster as it was seen last.
  returned: always, once the hub was contacted
  type: dict
  contains:
    namespace:
      description: Its namespace.
      type: str
    name:
      description: Its name.
      type: str
    infra_id:
      description: Prefix of names in it.
      type: str
    release_image:
      description: Desired release image.
      type: str
    version:
      description: The version it has or is getting; empty before there is one.
      type: str
    version_state:
      description: V(Completed) or V(Partial).
      type: str
    api_url:
      description: URL of its API; empty until there is one.
      type: str
    ignition_endpoint:
      description: Where hosts get their Ignition; empty until there is one.
      type: str
    payload_arch:
      description: Architecture of its release; V(Multi) for all.
      type: str
    kubeconfig_secret:
      description: Secret with the administrator's kubeconfig, in the same namespace.
      type: str
    conditions:
      description: Its conditions.
      type: list
      elements: dict
      contains:
        type:
          description: What it is about.
          type: str
        status:
          description: V(True), V(False) or V(Unknown).
          type: str
        reason:
          description: The operator's reason.
          type: str
        message:
          description: The operator's words.
          type: str
node_pools:
  description: Names of its pools.
  returned: O(state=present)
  type: list
  elements: str
kubeconfig:
  description: Path of the kubeconfig; empty as long as there is none.
  returned: with O(work_dir)
  type: str
kubeadmin_password_file:
  description: Path of the password's file; empty as long as there is none.
  returned: with O(work_dir)
  type: str
needs_reboot:
  description: Hosts that have to boot the discovery image before they are free.
  returned: O(state=absent)
  type: list
  elements: dict
  contains:
    agent:
      description: The Agent.
      type: str
    namespace:
      description: Its namespace.
      type: str
    hostname:
      description: Hostname of the host.
      type: str
stays:
  description: What was not deleted, and why.
  returned: O(state=absent)
  type: list
  elements: str
"""

from typing import Any

from ansible_collections.zerotouch.openshift.plugins.module_utils.common.entry_point import Call, run_module
from ansible_collections.zerotouch.openshift.plugins.module_utils.hypershift.hosted_cluster import (
    absent as hosted_cluster_absent,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.hypershift.hosted_cluster import run as hosted_cluster
from ansible_collections.zerotouch.openshift.plugins.module_utils.hypershift.hosted_cluster.options import OPTION_SPEC
from ansible_collections.zerotouch.openshift.plugins.module_utils.kube.connection import CONNECTION_OPTIONS

OPTIONS = {"supports_check_mode": True}


def argument_spec() -> dict[str, Any]:
    return {
        **CONNECTION_OPTIONS,
        "name": {"type": "str", "required": True},
        "namespace": {"type": "str", "required": True},
        "state": {"type": "str", "choices": ["present", "absent"], "default": "present"},
        **OPTION_SPEC,
        "wait_for": {"type": "str", "choices": ["none", "valid", "available", "completed"], "default": "none"},
        "timeout": {"type": "float", "default": 3600.0},
        "work_dir": {"type": "path"},
        "drain": {"type": "bool", "default": True},
    }


def run(call: Call) -> dict[str, Any]:
    return (
        hosted_cluster.ensure_present(call)
        if call.params["state"] == "present"
        else hosted_cluster_absent.ensure_absent(call)
    )


def main() -> None:
    run_module(argument_spec, OPTIONS, run)


if __name__ == "__main__":
    main()
