# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Return what the user must do to boot a host: the boot method ``manual``. Nothing is contacted."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

from ..bmc.hosts import BmcOptions, HostResult
from ..bmc.plan import State
from ..common.problems import Problem
from ..common.secrets import without_url_tokens
from .protocol import BeforeChange, BootPlan, Capabilities


@dataclasses.dataclass(frozen=True)
class ManualRequest:
    """One host that the user boots."""

    name: str
    mac_addresses: tuple[str, ...] = ()
    image_url: str = ""
    address: str = ""
    method: str = "manual"


@dataclasses.dataclass(frozen=True)
class Unseen:
    """A machine of which nothing can be read."""

    power_state: str = ""
    uuid: str = ""
    macs: tuple[str, ...] = ()


class ManualBoot:
    """See :class:`.protocol.BootMethod`."""

    name = "manual"
    summary = "the run prints which host to boot from what, and waits"
    capabilities = Capabilities(needs_image_url=False, can_power=False, can_eject=False, boots_once=False)
    needs: Mapping[str, str] = {}
    controller = ""

    def options(self) -> Mapping[str, Any]:
        return {}

    def check(self, host: Mapping[str, Any], path: str) -> Sequence[Problem]:
        return []

    def request(self, host: Mapping[str, Any], mac_addresses: tuple[str, ...], image_url: str) -> ManualRequest:
        return ManualRequest(str(host.get("name") or ""), mac_addresses, image_url)

    def inspect(self, request: ManualRequest, options: BmcOptions, *, read_only: bool) -> Unseen:
        return Unseen()

    def plan(self, request: ManualRequest, machine: Unseen, state: State) -> BootPlan:
        image = without_url_tokens(request.image_url) or "the image"
        actions = {
            "booted": f"Boot {request.name} manually from {image}. Detach the image before the host restarts.",
            "ejected": f"Detach {image} from {request.name} manually, if it is attached.",
            "on": f"Power {request.name} on manually.",
            "off": f"Power {request.name} off manually.",
        }
        return BootPlan(user_action=actions[state])

    def refusal(self, request: ManualRequest, machine: Unseen, plan: BootPlan) -> str:
        return ""

    def result(self, request: ManualRequest, machine: Unseen) -> HostResult:
        return HostResult(request.name)

    def apply(
        self,
        request: ManualRequest,
        machine: Unseen,
        plan: BootPlan,
        result: HostResult,
        options: BmcOptions,
        before_change: BeforeChange,
    ) -> None:
        """Nothing: its plans have no steps."""

    def release(self, request: ManualRequest, options: BmcOptions, *, restart: bool) -> HostResult:
        action = (
            f"Start {request.name} from its disk." if restart else f"Detach the image from {request.name} manually."
        )
        return HostResult(request.name, phase="manual", reason=action)

    def facts(self, machine: Unseen) -> Mapping[str, Any]:
        return {}
