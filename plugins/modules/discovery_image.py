#!/usr/bin/python
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors

from __future__ import annotations

DOCUMENTATION = r"""
module: discovery_image
short_description: Return the URL of the discovery image of an InfraEnv, or download the image
version_added: 0.1.0
author: the zerotouch.openshift authors (@zerotouch-openshift)
description:
  - Waits until the image is ready, reads its URLs and, with O(dest), downloads it. An interrupted download continues
    where it stopped, also in the next run.
  - A downloaded ISO is checked before it is renamed to its final name. Its Ignition config must start the agent of this
    InfraEnv.
  - If the image changes on the hub during the download, it is downloaded again.
  - The files contain credentials, and only their owner can read them.
extends_documentation_fragment:
  - zerotouch.openshift.attributes
  - zerotouch.openshift.hub
attributes:
  check_mode:
    support: full
    details: Asks the image service with HEAD. An InfraEnv that does not exist yet is taken for one that a task before
      would make.
  diff_mode:
    support: none
  idempotent:
    support: full
    details: A file that was transferred is left alone as long as the image service says it is of the same time and
      size.
notes:
  - "Permissions in the namespace: get, list, watch on infraenvs (agent-install.openshift.io)."
options:
  name:
    description: Name of the InfraEnv.
    type: str
    required: true
  namespace:
    description: Its namespace.
    type: str
    required: true
  dest:
    description:
      - Where the image goes. A name that ends in C(.iso) is the file; any other is a directory, in which the ISO is
        called C(<name>.iso).
      - Without it only the URLs are returned.
    type: path
  kind:
    description:
      - What to get. V(iso) is the ISO of the kind that the InfraEnv has; V(full_iso) and V(minimal_iso) are one kind,
        whatever the InfraEnv has.
      - V(pxe) gets kernel, initrd, root file system and iPXE script into the directory O(dest).
    type: str
    choices: [iso, full_iso, minimal_iso, pxe]
    default: iso
  verify:
    description: Whether to look into the ISO for the InfraEnv's id.
    type: bool
    default: true
  sha256:
    description: SHA-256 that the ISO must have, hexadecimal.
    type: str
  image_ca_cert:
    description: CA of the image service's certificate, as path or PEM, trusted in addition to the system's; O(ca_cert)
      is trusted too.
    type: str
  image_validate_certs:
    description: Whether the image service's certificate is checked.
    type: bool
    default: true
  wait:
    description: Whether to wait until the image may be booted from.
    type: bool
    default: true
  timeout:
    description: Seconds to wait at most.
    type: float
    default: 600
  image_cooldown:
    description: Seconds that an image must be old before it is used, by the hub's clock.
    type: int
    default: 60
"""

EXAMPLES = r"""
- name: Where the discovery image is
  zerotouch.openshift.discovery_image:
    kubeconfig: ~/hub.kubeconfig
    name: site-1
    namespace: site-1
  register: image

- name: The ISO as a file, to be served from here
  zerotouch.openshift.discovery_image:
    kubeconfig: ~/hub.kubeconfig
    name: site-1
    namespace: site-1
    dest: images/
    kind: full_iso
    image_ca_cert: hub-ingress-ca.pem
"""

RETURN = r"""
url:
  description: URL of the ISO. It holds a token and changes with every change of the InfraEnv, so read it right before
    use.
  returned: success
  type: str
path:
  description: The file, or with O(kind=pxe) the directory; empty without O(dest).
  returned: success
  type: str
size:
  description: Its size in bytes, with O(kind=pxe) of all files together.
  returned: success
  type: int
sha256:
  description: SHA-256 of the ISO.
  returned: success
  type: str
files:
  description: With O(kind=pxe), path, size, sha256 and changed of each of V(kernel), V(initrd), V(rootfs) and
    V(ipxe_script).
  returned: success
  type: dict
infra_env:
  description: What identifies the InfraEnv.
  returned: always, once the hub was contacted
  type: dict
  contains:
    name:
      description: Its name.
      type: str
    namespace:
      description: Its namespace.
      type: str
    id:
      description: Its id in the assisted service, which hosts register with; empty until there is an image.
      type: str
created_time:
  description: When the image was last made.
  returned: success
  type: str
boot_artifacts:
  description: URLs for booting without the ISO; empty texts until there is an image. Those of the initrd, the iPXE
    script and the Ignition hold a token.
  returned: success
  type: dict
  contains:
    kernel:
      description: The kernel.
      type: str
    initrd:
      description: The initrd of this InfraEnv, its Ignition included.
      type: str
    rootfs:
      description: The root file system.
      type: str
    ipxe_script:
      description: An iPXE script that boots these.
      type: str
    discovery_ignition:
      description: The discovery Ignition.
      type: str
"""

from pathlib import Path
from typing import Any

from ansible_collections.zerotouch.openshift.plugins.module_utils.common.connect import ConnectTo
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.entry_point import Call, run_module
from ansible_collections.zerotouch.openshift.plugins.module_utils.hub.discovery import Target, Transfer, fetch_discovery
from ansible_collections.zerotouch.openshift.plugins.module_utils.hub.infra_env.run import ImageWait
from ansible_collections.zerotouch.openshift.plugins.module_utils.image.build import normal_sha256
from ansible_collections.zerotouch.openshift.plugins.module_utils.kube.connection import CONNECTION_OPTIONS, connect

OPTIONS = {"supports_check_mode": True, "required_if": [["kind", "pxe", ["dest"]]]}


def argument_spec() -> dict[str, Any]:
    return {
        **CONNECTION_OPTIONS,
        "name": {"type": "str", "required": True},
        "namespace": {"type": "str", "required": True},
        "dest": {"type": "path"},
        "kind": {"type": "str", "choices": ["iso", "full_iso", "minimal_iso", "pxe"], "default": "iso"},
        "verify": {"type": "bool", "default": True},
        "sha256": {"type": "str"},
        "image_ca_cert": {"type": "str"},
        "image_validate_certs": {"type": "bool", "default": True},
        "wait": {"type": "bool", "default": True},
        "timeout": {"type": "float", "default": 600},
        "image_cooldown": {"type": "int", "default": 60},
    }


def run(call: Call) -> dict[str, Any]:
    params = call.params
    dest = Path(params["dest"]).absolute() if params["dest"] else None
    target = Target(
        params["name"],
        params["namespace"],
        params["kind"],
        dest,
        normal_sha256(params["sha256"] or ""),
        params["verify"],
    )
    transfer = Transfer(
        validate_certs=params["image_validate_certs"],
        ca_certs=tuple(ca for ca in (params["image_ca_cert"], params["ca_cert"]) if ca),
        connect_to=ConnectTo.of(params["connect_to"]),
        clock=call.clock,
        progress=call.progress,
    )
    if not params["image_validate_certs"]:
        call.warn("The certificate of the image service is not checked (image_validate_certs is false).")
    client = connect(params, clock=call.clock, check_mode=call.check_mode)
    call.hand_over("url", "boot_artifacts")
    result = fetch_discovery(
        client,
        target,
        ImageWait(params["wait"], params["timeout"], params["image_cooldown"]),
        transfer,
        check_mode=call.check_mode,
    )
    if result["changed"]:
        call.plan([f"transfer the discovery image of InfraEnv {target.namespace}/{target.name} to {result['path']}"])
    return result


def main() -> None:
    run_module(argument_spec, OPTIONS, run)


if __name__ == "__main__":
    main()
