# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Boot once from the virtual CD (reference redfish-virtual-media.md 2.5)."""

from __future__ import annotations

from typing import Any

from ..common.clock import Clock
from ..common.errors import ZeroTouchError
from ..common.retry import retry
from ..common.retry_policies import BMC_BOOT_SETTINGS
from .machine import Machine, as_text, as_texts
from .session import RedfishSession


def boot_target(machine: Machine) -> str:
    """The target that means "virtual CD" here: the profile's first that the service allows. Raises :class:`ZeroTouchError` when there is none."""
    if machine.profile.refuses_standard_boot:
        raise ZeroTouchError(f"The machine cannot be booted from a virtual CD: {machine.profile.refuses_standard_boot}.")
    target = allowed_target(machine)
    if not target:
        raise ZeroTouchError(f"The machine cannot boot from a virtual CD: its BMC allows only {', '.join(_allowed(machine))}.")
    return target


def allowed_target(machine: Machine) -> str:
    """The profile's first target that the service allows; empty when it allows none of them."""
    allowed = _allowed(machine)
    return next((target for target in machine.profile.boot_targets if not allowed or target in allowed), "")


def _allowed(machine: Machine) -> list[str]:
    key = "BootSourceOverrideTarget@Redfish.AllowableValues"
    return [*(as_texts(machine.boot.get(key)) or as_texts(machine.settings_boot.get(key)))]


def boot_once(session: RedfishSession, machine: Machine, clock: Clock) -> str:
    """Set the one-time override; returns the target that was set."""
    target = boot_target(machine)
    wanted = _wanted(machine, target)
    in_settings = {key: value for key, value in wanted.items() if key in machine.settings_boot}
    directly = {key: value for key, value in wanted.items() if key not in machine.settings_boot}

    def write() -> None:
        # The ETag changes with every write and with power: read it right before.
        for path, values in ((machine.settings, in_settings), (machine.system, directly)):
            if values:
                session.patch(path, {"Boot": values}, _etag(session, path))
        if machine.profile.mode_after_target and machine.boot.get("BootSourceOverrideMode"):
            session.patch(machine.system, {"Boot": {"BootSourceOverrideMode": machine.boot["BootSourceOverrideMode"]}}, _etag(session, machine.system))

    retry(write, BMC_BOOT_SETTINGS, clock)
    return target


def _wanted(machine: Machine, target: str) -> dict[str, Any]:
    wanted: dict[str, Any] = {"BootSourceOverrideTarget": target}
    # Resending an unchanged Enabled confuses some BMCs; others forget it (profile).
    if machine.profile.always_send_enabled or machine.boot.get("BootSourceOverrideEnabled") != "Once":
        wanted["BootSourceOverrideEnabled"] = "Once"
    if machine.profile.always_send_mode:
        wanted["BootSourceOverrideMode"] = machine.boot.get("BootSourceOverrideMode") or "UEFI"
    return wanted


def _etag(session: RedfishSession, path: str) -> str:
    resource, headers = session.get_with_headers(path)
    return headers.get("etag") or as_text(resource.get("@odata.etag"))
