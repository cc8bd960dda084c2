# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Open a connection to libvirt with the driver that is available on this machine."""

from __future__ import annotations

from ..common import libraries
from ..common.errors import MissingLibrary
from .api import Hypervisor
from .binding import LibvirtBinding
from .virsh import Virsh


def open_hypervisor(uri: str) -> Hypervisor:
    """Connect with the Python binding if it can be imported, else with virsh. Raises :class:`HypervisorError`."""
    try:
        libraries.libvirt  # noqa: B018 - the import is the test
    except MissingLibrary:
        return Virsh(uri)
    return LibvirtBinding(uri)
