# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Check by what its BMC reports whether a machine must not be changed. The reasons are: it is the machine of another
host, two hosts have the same machine, or it does not support a planned step.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..common.addresses import normal_mac
from ..common.errors import ZeroTouchError
from ..common.parallel import Outcome
from . import bootdevice, media, power
from .machine import Machine
from .plan import BmcStep


def wrong_machine(machine: Machine, mac_addresses: Sequence[str]) -> str:
    """Why this is not the machine of the host: its BMC lists NICs, and none has one of these MAC addresses.

    Empty when one has, or when there is nothing to compare.
    """
    wanted = [normal_mac(mac) for mac in mac_addresses]
    if not machine.macs or not wanted or set(wanted) & set(machine.macs):
        return ""
    return (
        f"this BMC belongs to another machine: the host has MAC addresses {', '.join(wanted)}, the BMC reports "
        f"{', '.join(machine.macs)}. The machine was not changed. Correct bmc.address or the MAC addresses of "
        "the host"
    )


def shared_machines(observed: Sequence[Outcome[Any, Any]]) -> dict[str, str]:
    """Hosts that lead to one System UUID, all of them, with the reason.

    Machines of any boot method: they have a ``uuid``, which may be empty.
    """
    by_uuid: dict[str, list[str]] = {}
    for outcome in observed:
        if outcome.result is not None and outcome.result.uuid:
            by_uuid.setdefault(outcome.result.uuid, []).append(outcome.item.name)
    return {
        name: (
            f"hosts {', '.join(names)} have the same machine (System UUID {uuid}). It was not changed. Correct "
            "bmc.address of one of them"
        )
        for uuid, names in by_uuid.items()
        if len(names) > 1
        for name in names
    }


def impossible(machine: Machine, steps: Sequence[BmcStep]) -> str:
    """The first step that this machine has no means for, as far as its BMC tells; empty when it has all."""
    try:
        for step in steps:
            if step.action == "insert":
                media.check_slots(machine, step.target)
            elif step.action == "boot_once":
                bootdevice.boot_target(machine)
            elif step.action in ("power_off", "power_on"):
                power.reset_type(machine, "Off" if step.action == "power_off" else "On")
    except ZeroTouchError as error:
        return str(error)
    return ""
