# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""An additional boot method for tests: a simulated crane in the rack inserts the medium and presses the power button.

It shows that a new boot method needs only one class and one row in the table of methods. Unit tests add that row and
give the crane a simulated rack. ``tests/integration/test_boot_method.py`` copies this file into a copy of the
collection, and the crane boots the machines of the lab.
"""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from ansible_collections.zerotouch.openshift.plugins.module_utils.bmc.hosts import BmcOptions, HostResult
from ansible_collections.zerotouch.openshift.plugins.module_utils.bmc.plan import State
from ansible_collections.zerotouch.openshift.plugins.module_utils.boot.protocol import (
    BeforeChange,
    BootPlan,
    Capabilities,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.problems import Problem


class Rack(Protocol):
    """What the crane reaches."""

    def power_of(self, name: str) -> str:
        """On or Off; raises :class:`ZeroTouchError` for a machine that is not there."""

    def boot(self, name: str, image_url: str) -> None:
        """Insert the medium and start the machine from it, once."""

    def power(self, name: str, state: str) -> None:
        """Switch to On or Off."""


@dataclasses.dataclass(frozen=True)
class CraneRequest:
    name: str
    mac_addresses: tuple[str, ...] = ()
    image_url: str = ""
    force: bool = False
    address: str = ""
    method: str = "crane"


@dataclasses.dataclass(frozen=True)
class Observed:
    power_state: str
    uuid: str = ""
    macs: tuple[str, ...] = ()


class CraneBoot:
    name = "crane"
    summary = "a crane in the rack"
    capabilities = Capabilities(needs_image_url=True, can_power=True, can_eject=False, boots_once=True)
    needs: Mapping[str, str] = {}
    controller = "crane"

    def __init__(self, rack: Rack) -> None:
        self.rack = rack

    def options(self) -> Mapping[str, Any]:
        return {}

    def check(self, host: Mapping[str, Any], path: str) -> Sequence[Problem]:
        return []

    def request(self, host: Mapping[str, Any], mac_addresses: tuple[str, ...], image_url: str) -> CraneRequest:
        return CraneRequest(str(host["name"]), mac_addresses, image_url, bool(host.get("force")))

    def inspect(self, request: CraneRequest, options: BmcOptions, *, read_only: bool) -> Observed:
        return Observed(self.rack.power_of(request.name))

    def plan(self, request: CraneRequest, machine: Observed, state: State) -> BootPlan:
        if state == "ejected":
            return BootPlan(user_action=f"Take the medium out of {request.name}.")
        wanted = "Off" if state == "off" else "On"
        if machine.power_state == wanted and not (state == "booted" and request.force):
            return BootPlan()
        return BootPlan((state,), (f"crane: {state}",))

    def refusal(self, request: CraneRequest, machine: Observed, plan: BootPlan) -> str:
        return ""

    def result(self, request: CraneRequest, machine: Observed) -> HostResult:
        return HostResult(request.name, power_state_before=machine.power_state, power_state_after=machine.power_state)

    def apply(
        self,
        request: CraneRequest,
        machine: Observed,
        plan: BootPlan,
        result: HostResult,
        options: BmcOptions,
        before_change: BeforeChange,
    ) -> None:
        before_change(lambda: Observed(self.rack.power_of(request.name)))
        for step in plan.steps:
            result.phase = str(step)
            if step == "booted":
                self.rack.boot(request.name, request.image_url)
            else:
                self.rack.power(request.name, str(step).capitalize())
            result.changed = True

    def release(self, request: CraneRequest, options: BmcOptions, *, restart: bool) -> HostResult:
        return HostResult(request.name)

    def facts(self, machine: Observed) -> Mapping[str, Any]:
        return {"power_state": machine.power_state}


class LabRack:
    """The machines of the lab whose state directory ``CRANE_LAB`` names."""

    def power_of(self, name: str) -> str:
        machines = self._ask("status")["machines"]
        return str(next(machine["power"] for machine in machines if machine["name"] == name))

    def boot(self, name: str, image_url: str) -> None:
        self._ask("boot", machine=name, image=image_url)

    def power(self, name: str, state: str) -> None:
        self._ask("power", machines=[name], power=state.lower())

    def _ask(self, question: str, **arguments: Any) -> Any:
        from ztlab.control import ask

        return ask(Path(os.environ["CRANE_LAB"]), question, **arguments)
