#!/usr/bin/python
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors

from __future__ import annotations

DOCUMENTATION = r"""
module: agent_image
short_description: Build the ISO that hosts boot to install a cluster
version_added: 0.1.0
author: the zerotouch.openshift authors (@zerotouch-openshift)
description:
  - Makes a copy of a CoreOS live ISO that installs the cluster described in O(config_dir) when hosts boot it.
  - Only the areas that the ISO reserves for embedded data are filled. Boot loaders and partition tables stay those of
    the base image, byte for byte; neither root, C(oc) nor C(openshift-install) is needed.
  - Tokens, signing keys and the password of C(kubeadmin) are created once and stored in C(state.json). If that file was
    deleted, they are read from the image and from C(auth/). They are never replaced while a cluster that uses them may
    run. C(auth/kubeconfig) and C(auth/kubeadmin-password) are written before any host is booted.
  - Every file is written with mode 0600, completely or not at all. The image contains credentials.
  - An image that matches its input is not built again. To compare them, only its reserved areas are read.
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
    details: Unless O(force) or O(new_secrets) is set.
options:
  config_dir:
    description:
      - Directory with C(install-config.yaml), C(agent-config.yaml), C(openshift/) and C(release.json), as
        M(zerotouch.openshift.agent_config) writes it; or with C(cluster-manifests/) and C(mirror/) in place of the
        first two.
      - In check mode it need not exist yet.
    type: path
    required: true
  work_dir:
    description:
      - The work directory. An ISO becomes C(images/agent.<architecture>.iso) in it, files that hosts load over the
        network are in C(boot-artifacts/); C(auth/), C(rendezvousIP) and C(state.json) are in the same directory.
    type: path
    required: true
  kind:
    description:
      - V(iso) is the live system with everything in it. Where C(agent-config.yaml) has C(minimalISO), and on platform
        external with C(bootArtifactsBaseURL), it becomes V(minimal_iso), as C(openshift-install) does it.
      - V(minimal_iso) is an ISO without the root file system, which hosts load over HTTP (RV(rootfs_url)). With
        C(bootArtifactsBaseURL) that file is made, too; publish C(boot-artifacts/) there before hosts boot. It is made
        with C(coreos/miniso.dat) of the base image, as CoreOS makes it.
      - V(pxe) makes kernel, initrd and root file system in C(boot-artifacts/) and, with C(bootArtifactsBaseURL), a
        script for iPXE; for s390x also C(initrd.addrsize) and C(generic.ins).
      - Hosts of V(minimal_iso) and V(pxe) get their first address by DHCP; C(networkConfig) is in force later.
      - V(config_iso), C(images/agentconfig.noarch.iso), is the configuration image of the appliance's workflow. A live
        system without configuration, of the same release and CoreOS build, takes it over as soon as the medium is
        attached.
    type: str
    choices: [iso, minimal_iso, pxe, config_iso]
    default: iso
  engine:
    description: How to build. V(native) is this collection itself, and what V(auto) takes. This version has no
      V(openshift_install).
    type: str
    choices: [auto, native, openshift_install]
    default: auto
  description:
    description:
      - Check mode only. The options of M(zerotouch.openshift.agent_config) that O(config_dir) would be written from.
        The image is then predicted for this configuration, whatever O(config_dir) contains.
    type: dict
    suboptions:
      cluster:
        description: See O(zerotouch.openshift.agent_config#module:cluster).
        type: dict
      hosts:
        description: See O(zerotouch.openshift.agent_config#module:hosts).
        type: list
        elements: dict
        default: []
      config_dir:
        description: See O(zerotouch.openshift.agent_config#module:config_dir).
        type: path
      version:
        description: See O(zerotouch.openshift.agent_config#module:version).
        type: str
      release_image:
        description: See O(zerotouch.openshift.agent_config#module:release_image).
        type: str
      checks:
        description: See O(zerotouch.openshift.agent_config#module:checks).
        type: dict
        default: {}
  new_secrets:
    description:
      - Create new tokens, signing keys and a new C(kubeadmin) password, for a cluster that is installed again on the
        machines of a former one.
        No secret of the former cluster is used for the new one. Its C(auth/kubeconfig) and password are kept beside the
        new ones, with the time
        in their names.
    type: bool
    default: false
  reading_hosts:
    description:
      - Hosts that run from this image now, see RV(zerotouch.openshift.deployment_plan#module:reading_hosts). A live
        system reads its image for as long as it runs, so an image that has to be built again must be equal to the
        recorded one, byte for byte. Otherwise the call fails and leaves no image.
    type: list
    elements: str
    default: []
requirements:
  - bcrypt
  - cryptography
  - netaddr
  - PyYAML
  - urllib3 (for base_image.url)
"""

EXAMPLES = r"""
- name: Build the agent ISO from a file
  zerotouch.openshift.agent_image:
    config_dir: clusters/kni22/config
    base_image:
      path: /srv/images/rhcos-live-iso.x86_64.iso
    work_dir: clusters/kni22

- name: Build the image from a base image of a URL, and verify its checksum
  zerotouch.openshift.agent_image:
    config_dir: clusters/kni22/config
    base_image:
      url: https://mirror.openshift.com/pub/openshift-v4/x86_64/dependencies/rhcos/4.20/latest/rhcos-live-iso.x86_64.iso
      sha256: "{{ rhcos_sha256 }}"
    work_dir: clusters/kni22
  register: image

- name: Build the files for a network boot
  zerotouch.openshift.agent_image:
    config_dir: clusters/kni22/config
    base_image:
      path: /srv/images/rhcos-live-iso.x86_64.iso
    work_dir: clusters/kni22
    kind: pxe
  register: boot

- name: Copy the files to the web server of bootArtifactsBaseURL
  ansible.builtin.copy:
    src: "{{ item.path }}"
    dest: /var/www/html/kni22/
    mode: "0644"
  loop: "{{ boot.boot_artifacts }}"
  delegate_to: web.example.com

- name: Print path and size of the image
  ansible.builtin.debug:
    msg: "{{ image.path }} ({{ image.size }} bytes)"
"""

RETURN = r"""
path:
  description: The image; of O(kind=pxe) the initrd, which holds the configuration.
  returned: success
  type: str
  sample: /home/user/clusters/kni22/images/agent.x86_64.iso
sha256:
  description: Its SHA-256 with O(checksum=true); empty without it, and in check mode for an image that would be built.
  returned: success
  type: str
size:
  description: Its size in bytes; 0 in check mode where it is not known.
  returned: success
  type: int
arch:
  description: Architecture of the image.
  returned: success
  type: str
  sample: x86_64
engine:
  description: How it was built.
  returned: success
  type: str
  sample: native
kind:
  description: What was built; V(minimal_iso) also where O(kind=iso) became that.
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
  sample: http://boot.example.com/kni22/agent.x86_64-rootfs.img
kernel_arguments:
  description: With O(kind=pxe), what a boot loader has to hand to the kernel; empty otherwise.
  returned: success
  type: str
  sample: ignition.firstboot ignition.platform.id=metal
    coreos.live.rootfs_url=http://boot.example.com/kni22/agent.x86_64-rootfs.img
rendezvous_ip:
  description: Address of the host that runs the installation; empty in check mode where the configuration is not
    written yet.
  returned: success
  type: str
state_file:
  description: The file that keeps what must outlive a run. It holds credentials.
  returned: success
  type: str
kubeconfig:
  description: The administrator's kubeconfig.
  returned: success
  type: str
kubeadmin_password_file:
  description: The file with the password of C(kubeadmin).
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
  description: What is wrong with the configuration, in the form that M(zerotouch.openshift.agent_config) returns.
  returned: failure, when the input cannot be used
  type: list
  elements: dict
"""

from pathlib import Path
from typing import Any

from ansible_collections.zerotouch.openshift.plugins.module_utils.common.entry_point import Call, run_module
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.lock import one_run
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.agent import base_image
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.agent.build import (
    ENGINES,
    KINDS,
    BuildPlan,
    BuildRequest,
    apply_build,
    complete_plan,
    read_input,
    verify,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.agent.build_result import describe
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.agent.configure import INPUT_OPTIONS, Input
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.agent.image_diff import describe_diff

OPTIONS = {"supports_check_mode": True}


def argument_spec() -> dict[str, Any]:
    return {
        **base_image.OPTIONS,
        "config_dir": {"type": "path", "required": True},
        "work_dir": {"type": "path", "required": True},
        "kind": {"type": "str", "choices": list(KINDS), "default": "iso"},
        "engine": {"type": "str", "choices": list(ENGINES), "default": "auto"},
        "description": {"type": "dict", "options": INPUT_OPTIONS},
        "new_secrets": {"type": "bool", "default": False},
        "reading_hosts": {"type": "list", "elements": "str", "default": []},
    }


def run(call: Call) -> dict[str, Any]:
    provided = read_input(_request(call), check_mode=call.check_mode, add_secrets=call.add_secrets)
    if call.check_mode:
        return _build(call, provided)
    with one_run(provided.request.work_dir, "agent_image", call.clock):
        return _build(call, provided)


def _build(call: Call, provided: BuildPlan) -> dict[str, Any]:
    plan = complete_plan(provided)
    call.add_secrets(plan.secret_values())
    for warning in plan.warnings:
        call.warn(warning)
    difference = {"diff": describe_diff(plan)} if call.diff else {}
    if call.check_mode:
        verify(plan)
        call.plan(plan.steps)
        return {**describe(plan), **difference}
    for step in plan.steps:
        call.progress(step)
    return {**describe(plan, apply_build(plan)), **difference}


def _request(call: Call) -> BuildRequest:
    params = call.params
    base, source = base_image.from_options(params, call.clock, call.progress, check_mode=call.check_mode)
    config_dir = Path(params["config_dir"]).absolute()
    return BuildRequest(
        config_dir=config_dir,
        work_dir=Path(params["work_dir"]).absolute(),
        base=base,
        source=source,
        kind=params["kind"],
        engine=params["engine"],
        force=params["force"],
        checksum=params["checksum"],
        description=Input.of_options(params["description"], config_dir)
        if call.check_mode and params["description"]
        else None,
        new_secrets=params["new_secrets"],
        reading=tuple(params["reading_hosts"]),
    )


def main() -> None:
    run_module(argument_spec, OPTIONS, run)


if __name__ == "__main__":
    main()
