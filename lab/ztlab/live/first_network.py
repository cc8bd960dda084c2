# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Simulate the network in the initramfs, over which a minimal image fetches its root file system.

Source: openshift/assisted-service internal/ignition/discovery.go, internal/ignition/templates.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from ..machine.hardware import Hardware
from .bringup import start_network
from .keyfiles import load_profiles
from .network import apply_host_network
from .root import Node, Root

if TYPE_CHECKING:
    from ..lab import Lab

TARGET = "/etc/coreos-firstboot-network"
_UNIT = "etc/systemd/system/pre-network-manager-config.service"
_WANTS = "etc/systemd/system/initrd.target.wants/pre-network-manager-config.service"
_SCRIPTS = ("usr/local/bin/pre-network-manager-config.sh", "usr/local/bin/common_network_script.sh")


def first_network(
    lab: Lab, machine: Hardware, initramfs: Mapping[str, bytes], links: Mapping[str, str]
) -> dict[str, bytes]:
    """Bring up the network; return the keyfiles for the real root, by their path in the initramfs."""
    root = Root()
    root.files |= {f"/{path}": Node(0o600, content) for path, content in initramfs.items()}
    log: list[str] = []
    if any(path.startswith("etc/assisted/network/") for path in initramfs):
        missing = [path for path in (_UNIT, *_SCRIPTS) if path not in initramfs] + ([] if _WANTS in links else [_WANTS])
        if missing:
            log.append(f"initramfs: the host directories are not applied: {', '.join(missing)} is missing")
        else:
            apply_host_network(root, machine.nics, log, TARGET)
    files = {name: (node.mode, node.content.decode("utf-8", "replace")) for name, node in root.under(TARGET).items()}
    network = start_network(machine.spec, machine.nics, load_profiles(files, log), lab.fabric, log)
    lab.fabric.attach(machine.spec.name, network)
    for line in log:
        machine.console.print(line)
    addresses = ", ".join(network.addresses()) or "no address"
    machine.console.print(f"initramfs: network: {addresses}")
    return {f"{TARGET.lstrip('/')}/{name}": text.encode() for name, (_mode, text) in files.items()}
