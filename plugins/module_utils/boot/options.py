# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Define the options and the result of modules that boot hosts or detach their images, for all boot methods."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..bmc.hosts import HostResult
from ..bmc.info import some_failed
from ..bmc.options import bmc_argument_spec
from ..bmc.plan import State
from ..common.opened import Opened
from ..common.secrets import without_url_tokens
from .methods import METHODS
from .protocol import ALL_OR_NONE


def hosts_spec(*, required: bool = False) -> dict[str, Any]:
    """Option ``hosts``: hosts of any boot method, each with the suboptions of its method."""
    host = {
        "name": {"type": "str", "required": True},
        "boot_method": {"type": "str", "choices": list(METHODS)},
        **{name: option for method in METHODS.values() for name, option in method.options().items()},
        "mac_addresses": {"type": "list", "elements": "str", "default": []},
        "image_url": {"type": "str"},
        "force": {"type": "bool", "default": False},
        "take_over": {"type": "bool", "default": False},
    }
    presence: dict[str, Any] = {"required": True} if required else {"default": []}
    return {"type": "list", "elements": "dict", "options": host, **presence}


def boot_argument_spec(*, required: bool = False) -> dict[str, Any]:
    """Options of modules that contact hosts of any method (documentation fragment ``boot_hosts``)."""
    return {**bmc_argument_spec(), "hosts": hosts_spec(required=required)}


def media_hosts_spec() -> dict[str, Any]:
    """Options of modules that watch an installation and detach media meanwhile (documentation fragment
    ``media_hosts``).
    """
    return {"media_hosts": hosts_spec(), "bmc_ca_cert": {"type": "str"}}


def bulk_result(call: Opened, results: Sequence[HostResult], state: State) -> dict[str, Any]:
    """The complete list, with warnings and diff. Raises :class:`PartialFailure` with that list if any host failed."""
    for result in results:
        for text in result.warnings:
            call.warn(f"{result.name}: {text}")
    call.plan(f"{line} [{result.name}]" for result in results for line in result.plan)
    answer: dict[str, Any] = {
        "changed": any(result.changed for result in results),
        "hosts": [result.as_dict() for result in results],
    }
    if call.diff:
        answer["diff"] = [
            {
                "before": _before(result),
                "after": "\n".join(result.plan) + "\n",
                "before_header": result.name,
                "after_header": f"{result.name} (plan)",
            }
            for result in results
            if result.plan
        ]
    if any(result.failed for result in results):
        before_any = state in ALL_OR_NONE and any(
            result.failed and result.phase in ("observe", "guard") for result in results
        )
        raise some_failed(
            answer,
            ("No machine was touched: all hosts must pass these checks before the first power action.")
            if before_any
            else "",
        )
    return answer


def _before(result: HostResult) -> str:
    power_state_before = result.power_state_before or "unknown"
    previous_image = without_url_tokens(result.previous_image) or "none"
    return f"power {power_state_before}, medium {previous_image}\n"
