#!/usr/bin/python
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors

from __future__ import annotations

DOCUMENTATION = r"""
module: node_image
short_description: Build the ISO that hosts boot to join a running cluster
version_added: 0.1.0
author: the zerotouch.openshift authors (@zerotouch-openshift)
description:
  - Makes a copy of a CoreOS live ISO that adds the hosts of C(nodes-config.yaml) to a cluster of release 4.16 or later
    when they boot it. Neither C(oc) nor anything in the cluster is needed.
  - Each machine runs its own assisted-service, registers with it and installs itself as a worker. Then two certificate
    signing requests of each machine must be approved, for example by M(zerotouch.openshift.node_csrs).
  - The image works for 48 hours after its tokens were created (RV(expires_at)). A rerun within the first 24 hours uses
    the same tokens, a later one creates new tokens and rebuilds the image.
  - Every file is written with mode 0600, completely or not at all. The image contains credentials.
extends_documentation_fragment:
  - zerotouch.openshift.attributes
  - zerotouch.openshift.base_image
attributes:
  check_mode:
    support: full
    details: A base image by URL is not transferred; at most a HEAD request is sent. Then digest and size are those
      known beforehand.
  diff_mode:
    support: full
    details: Shows path, mode and size of the files inside the image, never their contents.
  idempotent:
    support: full
    details: Unless O(force) is set, and while the tokens hold for another day.
options:
  config_dir:
    description:
      - The directory with C(nodes-config.yaml), the file that C(oc adm node-image create) reads.
    type: path
    required: true
  work_dir:
    description:
      - The work directory. The ISO becomes C(images/node.<architecture>.iso) in it; what was drawn for it is kept in
        C(state.json) beside. It may be that of the cluster's installation, whose own state stays as it is.
    type: path
    required: true
  running_cluster:
    description:
      - What the image has to know of the cluster. Nothing is asked of the cluster itself.
    type: dict
    required: true
    suboptions:
      id:
        description: C(spec.clusterID) of ClusterVersion C(version).
        type: str
        required: true
      api_dns_name:
        description: The host of the API's URL (C(status.apiServerURL) of Infrastructure C(cluster)),
          C(api.<name>.<base domain>).
        type: str
        required: true
      version:
        description: The version that the cluster runs.
        type: str
        required: true
      release_image:
        description: The release image that the cluster runs.
        type: str
        required: true
      platform:
        description: The cluster's platform.
        type: str
        choices: [baremetal, vsphere, nutanix, none, external]
        required: true
      pull_secret:
        description: C(.dockerconfigjson) of Secret C(openshift-config/pull-secret).
        type: str
        required: true
      arch:
        description: Architecture of the nodes; C(cpuArchitecture) in C(nodes-config.yaml) wins.
        type: str
        choices: [x86_64, aarch64, ppc64le, s390x]
        default: x86_64
      ssh_public_keys:
        description: Public SSH keys of the user C(core) of the live system; C(sshKey) in C(nodes-config.yaml) wins.
        type: list
        elements: str
        default: []
      additional_trust_bundle:
        description: C(ca-bundle.crt) of ConfigMap C(openshift-config/user-ca-bundle).
        type: str
        default: ""
      image_digest_sources:
        description: Mirrors, from ImageDigestMirrorSets and ImageContentSourcePolicies.
        type: list
        elements: dict
        default: []
        suboptions:
          source:
            description: The repository that is mirrored.
            type: str
            required: true
          mirrors:
            description: Where its images are, too.
            type: list
            elements: str
            default: []
      http_proxy:
        description: C(spec.httpProxy) of Proxy C(cluster).
        type: str
        default: ""
      https_proxy:
        description: C(spec.httpsProxy) of it.
        type: str
        default: ""
      no_proxy:
        description: C(spec.noProxy) of it.
        type: str
        default: ""
      fips:
        description: Whether the cluster is in FIPS mode; the nodes then boot so, too.
        type: bool
        default: false
      chrony_conf:
        description: Text of C(/etc/chrony.conf) on the cluster's workers, where a MachineConfig sets it.
        type: str
        default: ""
      ignition_endpoint:
        description: Where workers get their Ignition, from Secret C(openshift-machine-api/worker-user-data-managed).
        type: dict
        suboptions:
          url:
            description: The URL that the user data names.
            type: str
            required: true
          ca_certificate:
            description: The certificate authority that the user data names, base64 of PEM.
            type: str
            required: true
      nodes:
        description: The nodes that the cluster has; hosts with a name or address of theirs are refused.
        type: list
        elements: dict
        default: []
        suboptions:
          name:
            description: The node's name.
            type: str
            required: true
          addresses:
            description: Its addresses.
            type: list
            elements: str
            default: []
  kind:
    description:
      - V(iso) is the live system with everything in it. V(pxe) makes kernel, initrd and root file system in
        C(boot-artifacts/), named C(node.…) and, where C(nodes-config.yaml) has C(bootArtifactsBaseURL), a script for
        iPXE; for s390x also C(initrd.addrsize) and C(generic.ins).
      - Hosts of V(pxe) get their first address by DHCP; C(networkConfig) is in force later.
    type: str
    choices: [iso, pxe]
    default: iso
requirements:
  - bcrypt
  - cryptography
  - netaddr
  - PyYAML
  - urllib3 (for base_image.url)
seealso:
  - module: zerotouch.openshift.agent_image
  - module: zerotouch.openshift.node_csrs
"""

EXAMPLES = r"""
- name: Build an image by which hosts join a running cluster
  zerotouch.openshift.node_image:
    config_dir: clusters/kni22/nodes
    base_image:
      path: /srv/images/rhcos-live-iso.x86_64.iso
    work_dir: clusters/kni22
    running_cluster:
      id: "{{ cluster_version.spec.clusterID }}"
      api_dns_name: api.kni22.example.com
      version: 4.22.3
      release_image: quay.io/openshift-release-dev/ocp-release:4.22.3-x86_64
      platform: baremetal
      pull_secret: "{{ pull_secret }}"
  register: image

- name: Print until when the image can be used
  ansible.builtin.debug:
    msg: "{{ image.path }} works until {{ image.expires_at }}"
"""

RETURN = r"""
path:
  description: The image; of O(kind=pxe) the initrd, which holds the configuration.
  returned: success
  type: str
  sample: /home/user/clusters/kni22/images/node.x86_64.iso
sha256:
  description: Its SHA-256 with O(checksum=true); empty without it, and in check mode for an image that would be built.
  returned: success
  type: str
size:
  description: Its size in bytes; 0 in check mode where it is not known.
  returned: success
  type: int
kind:
  description: What was built.
  returned: success
  type: str
  sample: iso
boot_artifacts:
  description: The files in C(boot-artifacts/); of an ISO with everything in it none.
  returned: success
  type: list
  elements: dict
  contains:
    path:
      description: The file.
      type: str
    size:
      description: Size in bytes.
      type: int
    sha256:
      description: SHA-256 with O(checksum=true); empty without it, and in check mode for a file that would be made.
      type: str
rootfs_url:
  description: Where hosts load the root file system; empty where it is in the image.
  returned: success
  type: str
  sample: http://boot.example.com/kni22/node.x86_64-rootfs.img
kernel_arguments:
  description: With O(kind=pxe), what a boot loader has to hand to the kernel; empty otherwise.
  returned: success
  type: str
  sample: ignition.firstboot ignition.platform.id=metal
    coreos.live.rootfs_url=http://boot.example.com/kni22/node.x86_64-rootfs.img
arch:
  description: Architecture of the image.
  returned: success
  type: str
  sample: x86_64
expires_at:
  description: When the image stops working (RFC 3339).
  returned: success
  type: str
  sample: '2026-11-23T10:00:00Z'
state_file:
  description: The file that keeps what was drawn for the image. It holds credentials.
  returned: success
  type: str
reason:
  description: Why the image was built, or why not.
  returned: success
  type: str
  sample: the Ignition config changed
plan:
  description: Everything that was done or, in check mode, would be.
  returned: success
  type: list
  elements: str
ignition_files:
  description: The files of the live system that the image carries; empty in check mode where they are not known.
  returned: success
  type: list
  elements: dict
  contains:
    path:
      description: Path in the live system.
      type: str
    mode:
      description: Mode, octal.
      type: str
    size:
      description: Size in bytes.
      type: int
problems:
  description: What is wrong with the hosts or the facts, in the form that M(zerotouch.openshift.agent_config) returns.
  returned: failure, when the input cannot be used
  type: list
  elements: dict
"""

from pathlib import Path
from typing import Any

from ansible_collections.zerotouch.openshift.plugins.module_utils.common.entry_point import Call, run_module
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.lock import one_run
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.agent import base_image
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.agent.image_diff import describe_diff
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.agent.node_image import (
    KINDS,
    NodeImageRequest,
    apply_node_image,
    describe_node_image,
    facts_of,
    plan_node_image,
    running_nodes,
)

OPTIONS = {"supports_check_mode": True}


def argument_spec() -> dict[str, Any]:
    mirrors = {
        "source": {"type": "str", "required": True},
        "mirrors": {"type": "list", "elements": "str", "default": []},
    }
    endpoint = {"url": {"type": "str", "required": True}, "ca_certificate": {"type": "str", "required": True}}
    node = {"name": {"type": "str", "required": True}, "addresses": {"type": "list", "elements": "str", "default": []}}
    running_cluster = {
        "id": {"type": "str", "required": True},
        "api_dns_name": {"type": "str", "required": True},
        "version": {"type": "str", "required": True},
        "release_image": {"type": "str", "required": True},
        "platform": {
            "type": "str",
            "required": True,
            "choices": ["baremetal", "vsphere", "nutanix", "none", "external"],
        },
        "pull_secret": {"type": "str", "required": True, "no_log": True},
        "arch": {"type": "str", "choices": ["x86_64", "aarch64", "ppc64le", "s390x"], "default": "x86_64"},
        "ssh_public_keys": {"type": "list", "elements": "str", "default": [], "no_log": False},
        "additional_trust_bundle": {"type": "str", "default": ""},
        "image_digest_sources": {"type": "list", "elements": "dict", "options": mirrors, "default": []},
        "http_proxy": {"type": "str", "default": ""},
        "https_proxy": {"type": "str", "default": ""},
        "no_proxy": {"type": "str", "default": ""},
        "fips": {"type": "bool", "default": False},
        "chrony_conf": {"type": "str", "default": ""},
        "ignition_endpoint": {"type": "dict", "options": endpoint},
        "nodes": {"type": "list", "elements": "dict", "options": node, "default": []},
    }
    return {
        **base_image.OPTIONS,
        "config_dir": {"type": "path", "required": True},
        "work_dir": {"type": "path", "required": True},
        "running_cluster": {"type": "dict", "required": True, "options": running_cluster},
        "kind": {"type": "str", "choices": list(KINDS), "default": "iso"},
    }


def run(call: Call) -> dict[str, Any]:
    request = _request(call)
    if call.check_mode:
        return _build(call, request)
    with one_run(request.work_dir, "node_image", call.clock):
        return _build(call, request)


def _build(call: Call, request: NodeImageRequest) -> dict[str, Any]:
    plan = plan_node_image(request, check_mode=call.check_mode)
    call.add_secrets(plan.secret_values())
    for warning in plan.warnings:
        call.warn(warning)
    difference = {"diff": describe_diff(plan)} if call.diff else {}
    if call.check_mode:
        call.plan(plan.steps)
        return {**describe_node_image(plan), **difference}
    for step in plan.steps:
        call.progress(step)
    return {**describe_node_image(plan, apply_node_image(plan)), **difference}


def _request(call: Call) -> NodeImageRequest:
    params = call.params
    base, source = base_image.from_options(params, call.clock, call.progress, check_mode=call.check_mode)
    return NodeImageRequest(
        config_dir=Path(params["config_dir"]).absolute(),
        work_dir=Path(params["work_dir"]).absolute(),
        base=base,
        source=source,
        cluster=facts_of(params["running_cluster"]),
        nodes=running_nodes(params["running_cluster"]),
        kind=params["kind"],
        force=params["force"],
        checksum=params["checksum"],
    )


def main() -> None:
    run_module(argument_spec, OPTIONS, run)


if __name__ == "__main__":
    main()
