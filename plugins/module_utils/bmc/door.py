# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""What the BMC doors have in common: options, and one outcome for a bulk of hosts."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ..common.connect import ConnectTo
from ..common.errors import InvalidInput
from ..common.opened import Opened
from ..common.secrets import without_url_tokens
from ..common.state import StateFile
from .hosts import BmcOptions, HostResult
from .info import some_failed
from .plan import ALL_OR_NONE, State


def bmc_argument_spec() -> dict[str, Any]:
    """Options that all BMC doors share (documentation fragment ``bmc_hosts``)."""
    bmc = {
        "address": {"type": "str", "required": True},
        "username": {"type": "str"},
        "password": {"type": "str", "no_log": True},
        "validate_certs": {"type": "bool", "default": True},
        "ca_cert": {"type": "str"},
        "fingerprint": {"type": "str"},
    }
    host = {
        "name": {"type": "str", "required": True},
        "bmc": {"type": "dict", "required": True, "options": bmc},
        "mac_addresses": {"type": "list", "elements": "str", "default": []},
        "image_url": {"type": "str"},
        "force": {"type": "bool", "default": False},
        "take_over": {"type": "bool", "default": False},
    }
    return {
        "hosts": {"type": "list", "elements": "dict", "required": True, "options": host},
        "forks": {"type": "int", "default": 20},
        "connect_to": {"type": "dict", "default": {}},
        "ca_cert": {"type": "str"},
    }


def media_hosts_spec() -> dict[str, Any]:
    """Options of doors that watch an installation and detach media meanwhile (documentation fragment ``media_hosts``)."""
    return {"media_hosts": {**bmc_argument_spec()["hosts"], "required": False, "default": []}, "bmc_ca_cert": {"type": "str"}}


def bmc_options(call: Opened) -> BmcOptions:
    """Raises :class:`InvalidInput` for a mapping that cannot be read."""
    connect_to, problems = ConnectTo.parse(call.params["connect_to"])
    if problems:
        raise InvalidInput(problems)
    state_file = call.params.get("state_file")
    return BmcOptions(
        forks=max(1, call.params["forks"]),
        connect_to=connect_to,
        ca_cert=call.params["ca_cert"] or "",
        state_file=StateFile(Path(state_file)) if state_file else None,
        clock=call.clock,
        progress=call.progress,
    )


def bulk_result(call: Opened, results: Sequence[HostResult], state: State) -> dict[str, Any]:
    """The complete list, with warnings and diff; raises a fault holding it if any host failed."""
    for result in results:
        for text in result.warnings:
            call.warn(f"{result.name}: {text}")
    call.plan(f"{line} [{result.name}]" for result in results for line in result.plan)
    answer: dict[str, Any] = {"changed": any(result.changed for result in results), "hosts": [result.as_dict() for result in results]}
    if call.diff:
        answer["diff"] = [
            {"before": _before(result), "after": "\n".join(result.plan) + "\n", "before_header": result.name, "after_header": f"{result.name} (plan)"}
            for result in results
            if result.plan
        ]
    if any(result.failed for result in results):
        before_any = state in ALL_OR_NONE and any(result.failed and result.phase in ("observe", "guard") for result in results)
        raise some_failed(answer, "No machine was touched: all BMCs must be right before the first power action." if before_any else "")
    return answer


def _before(result: HostResult) -> str:
    return f"power {result.power_state_before or 'unknown'}, medium {without_url_tokens(result.previous_image) or 'none'}\n"
