# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Opening a connection with the driver that this machine has."""

from __future__ import annotations

from ..common import libraries
from ..common.errors import MissingLibrary
from .api import Hypervisor
from .binding import LibvirtBinding
from .virsh import Virsh


def open_hypervisor(uri: str) -> Hypervisor:
    """The Python binding where it can be imported, else virsh. Raises :class:`HypervisorError`."""
    try:
        libraries.libvirt  # noqa: B018 - the import is the test
    except MissingLibrary:
        return Virsh(uri)
    return LibvirtBinding(uri)
