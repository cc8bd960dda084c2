# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""List the boot methods in one table, and find the method of a host.

To add a method, add a file to this folder and an entry to the table. The inventory's schema, the checks, the modules
and the documentation read this table.
"""

from __future__ import annotations

from collections.abc import Container
from typing import Any

from .bmc import BmcBoot
from .libvirt import LibvirtBoot
from .manual import ManualBoot
from .protocol import BootMethod, MachineRequest

_ALL: tuple[BootMethod[Any, Any], ...] = (BmcBoot(), LibvirtBoot(), ManualBoot())
METHODS: dict[str, BootMethod[Any, Any]] = {method.name: method for method in _ALL}
# Where a user corrects how machines are reached, for messages about hosts of any method.
POWER_DATA = " or ".join(
    f"openshift_host.{key}" for method in _ALL if method.capabilities.can_power for key in method.needs
)


def method_of(request: MachineRequest) -> BootMethod[Any, Any]:
    """The method of a request."""
    return METHODS[request.method]


def default_method(provided: Container[str]) -> str:
    """The method of a host that names none: the first one whose data the host has.

    ``provided`` are the keys of ``openshift_host`` that have a value.
    """
    return next(name for name, method in METHODS.items() if all(key in provided for key in method.needs))


def booted_by_user(name: str) -> bool:
    """Whether hosts of this method are started by the user; also of a name that is in no table."""
    method = METHODS.get(name)
    return method is None or not method.capabilities.can_power
