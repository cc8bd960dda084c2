# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Boot a host from an image through its BMC, with Redfish virtual media: the boot method ``bmc``.

Source: DMTF DSP2046, VirtualMedia and ComputerSystem.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

from ..bmc import media
from ..bmc.apply import carry_out, restore
from ..bmc.guard import impossible, wrong_machine
from ..bmc.hosts import BmcOptions, BootRequest, HostResult
from ..bmc.info import machine_facts
from ..bmc.machine import Machine, read_machine
from ..bmc.observe import address_of, observe, open_session
from ..bmc.options import bmc_suboptions
from ..bmc.plan import BmcStep, State, describe, plan_machine
from ..bmc.power import InUse, power_state
from ..bmc.requests import bmc_request, check_bmc
from ..bmc.session import LoginRefused
from ..common.errors import Interrupted, ZeroTouchError
from ..common.problems import Problem
from .protocol import BeforeChange, BootPlan, Capabilities

# Seconds between detaching the image and switching power on: some BMCs need them.
REPAIR_PAUSE = 10.0


class BmcBoot:
    """See :class:`.protocol.BootMethod`."""

    name = "bmc"
    summary = "Redfish virtual media of the host's BMC"
    capabilities = Capabilities(needs_image_url=True, can_power=True, can_eject=True, boots_once=True)
    needs: Mapping[str, str] = {"bmc": "the BMC"}
    controller = "BMC"

    def options(self) -> Mapping[str, Any]:
        return {"bmc": {"type": "dict", "options": bmc_suboptions()}}

    def check(self, host: Mapping[str, Any], path: str) -> Sequence[Problem]:
        return check_bmc(host["bmc"], f"{path}.bmc") if host.get("bmc") is not None else []

    def request(self, host: Mapping[str, Any], mac_addresses: tuple[str, ...], image_url: str) -> BootRequest:
        return bmc_request(host, mac_addresses, image_url)

    def inspect(self, request: BootRequest, options: BmcOptions, *, read_only: bool) -> Machine:
        return observe(request, options, read_only=read_only)

    def plan(self, request: BootRequest, machine: Machine, state: State) -> BootPlan:
        steps = plan_machine(machine, state, request.image_url, force=request.force)
        return BootPlan(tuple(steps), tuple(describe(steps)))

    def refusal(self, request: BootRequest, machine: Machine, plan: BootPlan) -> str:
        return wrong_machine(machine, request.mac_addresses) or impossible(machine, plan.steps)

    def result(self, request: BootRequest, machine: Machine) -> HostResult:
        warnings = [] if request.validate_certs else ["the BMC's certificate is not checked (validate_certs: false)"]
        return HostResult(
            request.name,
            vendor=machine.vendor,
            profile=machine.profile.name,
            previous_image=next((slot.image for slot in media.occupied_slots(machine)), ""),
            power_state_before=machine.power_state,
            power_state_after=machine.power_state,
            warnings=[*warnings, *machine.notes],
        )

    def apply(
        self,
        request: BootRequest,
        machine: Machine,
        plan: BootPlan,
        result: HostResult,
        options: BmcOptions,
        before_change: BeforeChange,
    ) -> None:
        restores = any(step.action == "insert" for step in plan.steps)
        try:
            with open_session(request, options) as session:
                before_change(lambda: dataclasses.replace(machine, power_state=power_state(session, machine)))
                carry_out(session, machine, request, plan.steps, result, options)
        except InUse as error:
            result.phase, result.power_state_after = "in_use", error.state
            raise
        except Interrupted:
            raise
        except ZeroTouchError as error:
            if restores and result.attempts:
                error.hint = f"{error.hint} {self._restored(request, machine, result, options, error)}".strip()
            raise
        result.warnings += [note for note in session.notes if note not in result.warnings]

    @staticmethod
    def _restored(
        request: BootRequest, machine: Machine, result: HostResult, options: BmcOptions, cause: ZeroTouchError
    ) -> str:
        """Return the machine to its former power state; the sentence that says whether that succeeded."""
        was = "on" if machine.power_state in ("On", "PoweringOn") else "off"
        failed = f"The previous power state ({was}) of the machine could not be restored"
        if isinstance(cause, LoginRefused):
            # Another login with these credentials could lock the account.
            return f"{failed}: check its power state."
        try:
            with open_session(request, options) as session:
                return restore(session, machine, request, result, options)
        except InUse as error:
            result.phase, result.power_state_after = "in_use", error.state
            return "The machine was off before, and is on now. This run did not switch it on."
        except Interrupted:
            raise
        except ZeroTouchError as error:
            return f"{failed}: {error.message.rstrip('.')}. Check its power state and its virtual media."

    def release(self, request: BootRequest, options: BmcOptions, *, restart: bool) -> HostResult:
        result = HostResult(request.name)
        try:
            with open_session(request, options) as session:
                machine = read_machine(session, address_of(request).system)
                result = self.result(request, machine)
                if reason := wrong_machine(machine, request.mac_addresses):
                    result.failed, result.phase, result.reason = True, "guard", reason
                    return result
                steps = plan_machine(machine, "ejected", request.image_url)
                if restart:
                    steps.insert(0, BmcStep("power_off", "", "the host booted the image again"))
                result.plan = describe(steps)
                result.reason = "" if steps else "already ejected"
                carry_out(session, machine, request, steps, result, options)
                if restart:
                    options.clock.sleep(REPAIR_PAUSE)
                    carry_out(
                        session, machine, request, [BmcStep("power_on", "", "to boot from disk")], result, options
                    )
        except Interrupted:
            raise
        except ZeroTouchError as error:
            off = " The machine is off." if restart and result.power_state_after == "Off" else ""
            result.failed, result.reason = True, f"{error}{off}"
        return result

    def facts(self, machine: Machine) -> Mapping[str, Any]:
        return machine_facts(machine)
