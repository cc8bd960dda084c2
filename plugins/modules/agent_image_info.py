#!/usr/bin/python
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors

from __future__ import annotations

DOCUMENTATION = r"""
module: agent_image_info
short_description: Read the contents of a CoreOS live ISO or an agent ISO
version_added: 0.1.0
author: the zerotouch.openshift authors (@zerotouch-openshift)
description:
  - Reports the release of a CoreOS live ISO, the files embedded in it, and the areas that are reserved for embedded
    files. Supports the layouts of all published CoreOS live ISOs.
  - Reads only descriptors, directories and the reserved areas, so the time does not depend on the size of the ISO.
extends_documentation_fragment:
  - zerotouch.openshift.attributes.info
options:
  path:
    description: The image.
    type: path
    required: true
  show_secrets:
    description:
      - Whether to return the contents of embedded files too. An agent ISO holds the pull secret, tokens and private
        keys; give such a task C(no_log=true).
    type: bool
    default: false
"""

EXAMPLES = r"""
- name: Read the content of an image
  zerotouch.openshift.agent_image_info:
    path: clusters/kni22/images/agent.x86_64.iso
  register: info

- name: Show its kernel arguments
  ansible.builtin.debug:
    msg: "{{ info.image.kargs.text }}"
"""

RETURN = r"""
image:
  description: The image.
  returned: success
  type: dict
  contains:
    path:
      description: The file.
      type: str
    size:
      description: Size in bytes.
      type: int
    form:
      description: V(iso) with the root file system inside, V(minimal_iso) without.
      type: str
    volume_id:
      description: Volume id of the ISO.
      type: str
      sample: rhcos-422.94.202611010000-0
    version:
      description: The CoreOS build that the volume id names; empty if it names none.
      type: str
    arch:
      description: Architecture; empty if nothing tells it.
      type: str
    ignition:
      description: The area for Ignition and what is in it.
      type: dict
      contains:
        file:
          description: The file of the ISO that the area is in.
          type: str
        offset:
          description: Where the area begins, in bytes from the beginning of the image.
          type: int
        length:
          description: Its length in bytes.
          type: int
        embedded:
          description: Whether there is an Ignition config in it.
          type: bool
        size:
          description: Size of that config in bytes, 0 without one.
          type: int
        version:
          description: Version of the Ignition specification it is written for.
          type: str
        files:
          description: Path and mode of the files that it makes.
          type: list
          elements: dict
        units:
          description: Names of its systemd units.
          type: list
          elements: str
        config:
          description: The config itself, none without one. Contents are V(<hidden>) unless O(show_secrets=true).
          type: dict
    kargs:
      description: The kernel arguments; none for an image in which they cannot be changed.
      type: dict
      contains:
        text:
          description: The arguments as they are.
          type: str
        default:
          description: The arguments that the image came with.
          type: str
        source:
          description: What says where the areas are, V(kargs.json) or V(coreKarg) (a header of 2021).
          type: str
        areas:
          description: The areas, with V(file), V(offset) and V(length).
          type: list
          elements: dict
    features:
      description: What C(coreos/features.json) says.
      type: dict
    network_files:
      description: NetworkManager keyfiles in the area, with V(path), V(mode) and V(size), and V(content) if
        O(show_secrets=true).
      type: list
      elements: dict
    miniso:
      description: What C(coreos/miniso.dat) says about the minimal ISO that can be made from this image; none without
        that file.
      type: dict
"""

from pathlib import Path
from typing import Any

from ansible_collections.zerotouch.openshift.plugins.module_utils.common.entry_point import Call, run_module
from ansible_collections.zerotouch.openshift.plugins.module_utils.image.live import read_live_image

OPTIONS = {"supports_check_mode": True}


def argument_spec() -> dict[str, Any]:
    return {
        "path": {"type": "path", "required": True},
        "show_secrets": {"type": "bool", "default": False, "no_log": False},
    }


def run(call: Call) -> dict[str, Any]:
    show_secrets = call.params["show_secrets"]
    image = read_live_image(Path(call.params["path"]).absolute())
    if show_secrets:
        call.reveal_secrets()
    return {"image": image.report(show_secrets)}


def main() -> None:
    run_module(argument_spec, OPTIONS, run)


if __name__ == "__main__":
    main()
