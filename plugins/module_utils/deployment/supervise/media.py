# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""For the supervisor of an installation: read the power state of many hosts at once, switch their power, and detach
their media. Each host is reached through its boot method.

A failure is returned as the result of its host; it is not raised.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

from ...bmc.address import parse_address
from ...bmc.hosts import BmcOptions
from ...boot.facts import describe_machines
from ...boot.inspection import inspect_all
from ...boot.methods import method_of
from ...boot.protocol import MachineRequest
from ...boot.run import boot_hosts, release
from ...common.addresses import canonical_ip
from ...common.errors import Interrupted, ZeroTouchError
from ...common.parallel import for_each
from ..safety.gate import Gate
from .observation import MachineView
from .supervisor import MediaResult


def bmc_addresses(requests: Sequence[MachineRequest]) -> dict[str, str]:
    """From where each host's BMC reads an image, by host.

    The name of a BMC is no address: its reads count as those of an unknown reader.
    """
    return {
        request.name: canonical_ip(parse_address(request.address).host)
        for request in requests
        if request.method == "bmc"
    }


@dataclasses.dataclass(frozen=True)
class BootAgain:
    """What boots hosts from the image again: requests with its URL that ignore what is attached, and the gate in front
    of the first write.
    """

    requests: Sequence[MachineRequest]
    gate: Gate

    def boot(self, names: Sequence[str], options: BmcOptions) -> list[MediaResult]:
        """Only hosts whose method is able to power them, and that the safety table permits; what stops it is each
        host's reason.
        """
        wanted = [
            request for request in self.requests if request.name in names and method_of(request).capabilities.can_power
        ]
        try:
            results = boot_hosts(wanted, "booted", options, permit=self.gate.permit)
        except Interrupted:
            raise
        except ZeroTouchError as error:
            return [MediaResult(request.name, failed=True, reason=str(error)) for request in wanted]
        booted = [result.name for result in results if result.changed and not result.failed]
        self.gate.done(booted)
        return [
            MediaResult(result.name, result.changed, result.name not in booted, result.reason) for result in results
        ]


def _view(facts: Mapping[str, Any]) -> MachineView:
    override = facts.get("boot_override") or {}
    device = (
        f"{override.get('enabled')} {override.get('target')}"
        if override.get("enabled") not in ("", "Disabled", None)
        else ""
    )
    return MachineView(
        str(facts.get("power_state") or ""), any(slot["inserted"] for slot in facts.get("media") or ()), device
    )


class HostMedia:
    """Media and power of the given hosts.

    A name that is not among them, and a host whose method cannot detach its image, are ignored.

    Ejecting takes no image URL: the boot procedure left no other medium in these machines, and some BMCs show the URL
    rewritten.
    """

    def __init__(self, requests: Sequence[MachineRequest], options: BmcOptions, again: BootAgain | None = None) -> None:
        self._requests = {request.name: request for request in requests if method_of(request).capabilities.can_eject}
        self._options = options
        self._again = again

    @property
    def names(self) -> frozenset[str]:
        return frozenset(self._requests)

    def eject(self, names: Sequence[str]) -> list[MediaResult]:
        return self._each(names, restart=False)

    def repair(self, names: Sequence[str]) -> list[MediaResult]:
        """The hosts started the image again: they start from their disks."""
        return self._each(names, restart=True)

    def boot(self, names: Sequence[str]) -> list[MediaResult]:
        return self._again.boot(names, self._options) if self._again else []

    def machines(self, names: Sequence[str]) -> dict[str, MachineView]:
        requests = [request for name, request in self._requests.items() if name in names]
        return {
            row["name"]: _view(row)
            for row in describe_machines(inspect_all(requests, self._options, read_only=True))
            if not row["failed"]
        }

    def inspect(self) -> list[dict[str, Any]]:
        """What the method of every host reads; for a BMC power and media, as module bmc_info shows them."""
        return describe_machines(inspect_all(list(self._requests.values()), self._options, read_only=True))

    def _each(self, names: Sequence[str], *, restart: bool) -> list[MediaResult]:
        wanted = [self._requests[name] for name in names if name in self._requests]
        results = []
        for outcome in for_each(
            wanted, lambda request: release(request, self._options, restart=restart), self._options.forks
        ):
            if isinstance(outcome.error, Interrupted):
                raise outcome.error
            if outcome.result is not None:
                result = outcome.result
                results.append(MediaResult(result.name, result.changed, result.failed, result.reason))
            else:
                results.append(MediaResult(outcome.item.name, failed=True, reason=str(outcome.error)))
        return results
