# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Set the one-time boot device of a machine to the virtual CD, and reset it.

This is the boot override of the Redfish standard, or, for an iDRAC that needs it, an import of its configuration.
"""

from __future__ import annotations

from typing import Any

from ..common.clock import Clock
from ..common.errors import LimitReached, ZeroTouchError
from ..common.retry import retry
from ..common.retry_policies import BMC_BOOT_SETTINGS, BMC_DELL_IMPORT
from .machine import Machine, as_text, as_texts
from .session import RedfishSession, RefusedRequest

# iDRAC's name of the virtual CD drive.
VIRTUAL_CD = "VCD-DVD"
# An iDRAC lists no System for a while after its jobs were deleted (redhat-performance/jetlag): seconds.
CLEARED_AFTER, CLEARED_WITHIN = 30.0, 600.0

_JOB_WAITS = (
    "A configuration job of the iDRAC waits for a restart of the machine. Restart it, or set clear_jobs of its bmc to "
    "true, which deletes all jobs."
)


def boot_target(machine: Machine) -> str:
    """The target that means "virtual CD" here: the profile's first that the service allows.

    Raises :class:`ZeroTouchError` when there is none.
    """
    if machine.profile.boot_by == "dell_import" and not machine.import_action:
        raise ZeroTouchError(
            "The machine cannot be booted from a virtual CD: this iDRAC offers no import of configuration, and its "
            "standard boot override selects the "
            "physical drive.",
            "Update its firmware; an iDRAC 9 needs 6.00 or newer. If its Manager cannot be read, restart the iDRAC.",
        )
    target = allowed_target(machine)
    if not target:
        raise ZeroTouchError(
            f"The machine cannot boot from a virtual CD: its BMC allows only {', '.join(_allowed(machine))}."
        )
    return target


def allowed_target(machine: Machine) -> str:
    """The profile's first target that the service allows; empty when it allows none of them."""
    if machine.profile.boot_by == "dell_import":
        return VIRTUAL_CD
    allowed = _allowed(machine)
    return next((target for target in machine.profile.boot_targets if not allowed or target in allowed), "")


def _allowed(machine: Machine) -> list[str]:
    key = "BootSourceOverrideTarget@Redfish.AllowableValues"
    return [*(as_texts(machine.boot.get(key)) or as_texts(machine.settings_boot.get(key)))]


def boot_once(session: RedfishSession, machine: Machine, clock: Clock, *, clear_jobs: bool = False) -> str:
    """Set the one-time boot device; returns the target that was set.

    ``clear_jobs``: delete jobs of an iDRAC that are in the way.
    """
    target = boot_target(machine)
    if machine.profile.boot_by == "dell_import":
        _import_once(session, machine, clock, clear_jobs=clear_jobs)
        return target
    wanted = _wanted(machine, target)
    in_settings = {key: value for key, value in wanted.items() if key in machine.settings_boot}
    directly = {key: value for key, value in wanted.items() if key not in machine.settings_boot}

    def write() -> None:
        # The ETag changes with every write and with power: read it right before.
        for path, values in ((machine.settings, in_settings), (machine.system, directly)):
            if values:
                session.patch(path, {"Boot": values}, _etag(session, path))
        if machine.profile.mode_after_target and machine.boot.get("BootSourceOverrideMode"):
            session.patch(
                machine.system,
                {"Boot": {"BootSourceOverrideMode": machine.boot["BootSourceOverrideMode"]}},
                _etag(session, machine.system),
            )

    retry(write, BMC_BOOT_SETTINGS, clock)
    return target


def clear_override(session: RedfishSession, machine: Machine) -> None:
    """Take the override back, so that the next start is as usual."""
    in_settings = "BootSourceOverrideEnabled" in machine.settings_boot
    path = machine.settings if in_settings else machine.system
    session.patch(path, {"Boot": {"BootSourceOverrideEnabled": "Disabled"}}, _etag(session, path))


def _import_once(session: RedfishSession, machine: Machine, clock: Clock, *, clear_jobs: bool) -> None:
    """The next start is from the virtual CD (openstack/sushy sushy/oem/dell/resources/manager/manager.py).

    White space in the document makes the job fail.
    """
    attributes = {"ServerBoot.1#BootOnce": "Enabled", "ServerBoot.1#FirstBootDevice": VIRTUAL_CD}
    lines = "".join(f'<Attribute Name="{name}">{value}</Attribute>' for name, value in attributes.items())
    document = f'<SystemConfiguration><Component FQDD="{machine.manager}">{lines}</Component></SystemConfiguration>'
    body = {"ShareParameters": {"Target": ["ALL"]}, "ImportBuffer": document}
    cleared = False

    def request() -> None:
        nonlocal cleared
        try:
            session.post(machine.import_action, body, repeatable=True)
        except RefusedRequest as error:
            waits = error.says("LC068")
            if clear_jobs and not cleared and (waits or error.says("RAC0679")):
                _clear_jobs(session, machine, clock)
                cleared = True
                session.post(machine.import_action, body, repeatable=True)
                return
            if waits:
                error.hint = _JOB_WAITS
            raise

    retry(request, BMC_DELL_IMPORT, clock)


def _clear_jobs(session: RedfishSession, machine: Machine, clock: Clock) -> None:
    if not machine.job_service:
        raise ZeroTouchError(
            f"{session.service}: this iDRAC does not offer to delete its jobs.", "Delete them in its web interface."
        )
    actions = session.get(machine.job_service).get("Actions")
    action = actions.get("#DellJobService.DeleteJobQueue") if isinstance(actions, dict) else None
    target = as_text(action.get("target")) if isinstance(action, dict) else ""
    session.post(
        target or f"{machine.job_service}/Actions/DellJobService.DeleteJobQueue",
        {"JobID": "JID_CLEARALL"},
        repeatable=True,
    )
    session.notes.append("all jobs of the iDRAC were deleted (clear_jobs)")
    deadline = clock.now() + CLEARED_WITHIN
    clock.sleep(CLEARED_AFTER)
    while not session.get("/redfish/v1/Systems").get("Members"):
        if clock.now() >= deadline:
            raise LimitReached(
                (f"{session.service}: the iDRAC lists no System {CLEARED_WITHIN:.0f} s after its jobs were deleted."),
                CLEARED_WITHIN,
            )
        clock.sleep(15)


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
