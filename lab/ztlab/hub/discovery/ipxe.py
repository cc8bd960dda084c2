# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Render the iPXE scripts that boot a discovery image.

Source: openshift/assisted-service internal/bminventory/inventory_v2_handlers.go.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

_ARGUMENTS = (
    "random.trust_cpu=on rd.luks.options=discard ignition.firstboot ignition.platform.id=metal console=tty1 "
    "console=ttyS1,115200n8"
)
_PERSISTENT = 'coreos.inst.persistent-kargs="console=tty1 console=ttyS1,115200n8"'
# Stages in which a host that is being installed has to come up from its disk.
_DISK_STAGES = ("Rebooting", "Waiting for ignition", "Configuring", "Joined", "Done")


@dataclasses.dataclass(frozen=True)
class IpxeUrls:
    """Where the three boot artifacts are."""

    kernel: str
    initrd: str
    rootfs: str


def ipxe_script(urls: IpxeUrls, kernel_arguments: Sequence[str] = ()) -> str:
    """The script that boots the discovery image; ``kernel_arguments`` are those that the InfraEnv appends."""
    words = [
        "kernel",
        urls.kernel,
        "initrd=initrd",
        f"coreos.live.rootfs_url={urls.rootfs}",
        _ARGUMENTS,
        _PERSISTENT,
        *kernel_arguments,
    ]
    return f"#!ipxe\ninitrd --name initrd {urls.initrd}\n{' '.join(words)}\nboot\n"


def boot_order_script(script_url: str) -> str:
    """Type boot-order-control, first answer: ask again with the MAC address. ``script_url`` has a query already."""
    return f"#!ipxe\nchain {script_url}&mac=${{net0/mac}}\n"


def boots_from_disk(status: str, stage: str) -> bool:
    """Whether the request of a host's NIC is answered with 404, so that its firmware goes on to the disk."""
    return status == "installed" or (status == "installing-in-progress" and stage in _DISK_STAGES)
