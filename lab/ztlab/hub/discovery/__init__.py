# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""What a discovery image is configured with: pure functions of an InfraEnv.

Source: openshift/assisted-service internal/bminventory/inventory_v2_handlers.go, internal/ignition/discovery.go,
  internal/ignition/templates.
"""

from __future__ import annotations

from .ignition import discovery_ignition, encode
from .ipxe import IpxeUrls, boot_order_script, boots_from_disk, ipxe_script
from .minimal import minimal_initrd
from .parameters import Discovery
from .static_network import host_files, network_archive

__all__ = [
    "Discovery",
    "IpxeUrls",
    "boot_order_script",
    "boots_from_disk",
    "discovery_ignition",
    "encode",
    "host_files",
    "ipxe_script",
    "minimal_initrd",
    "network_archive",
]
