# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""The bmc room as the supervisor uses it: by host name, many at once, failures as results."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..bmc.boot import eject_media, repair_boot
from ..bmc.hosts import BmcOptions, BootRequest, HostResult
from ..bmc.info import describe_machines
from ..bmc.observe import observe_all
from ..common.errors import Interrupted
from ..common.parallel import for_each
from .supervise import MediaResult


class BmcMedia:
    """Media and power of the given hosts; a name that is not among them is ignored.

    Ejecting takes no image URL: the boot procedure left no other medium in these machines, and some BMCs show the URL rewritten.
    """

    def __init__(self, requests: Sequence[BootRequest], options: BmcOptions) -> None:
        self._requests = {request.name: request for request in requests}
        self._options = options

    @property
    def names(self) -> frozenset[str]:
        return frozenset(self._requests)

    def eject(self, names: Sequence[str]) -> list[MediaResult]:
        return self._each(names, eject_media)

    def repair(self, names: Sequence[str]) -> list[MediaResult]:
        return self._each(names, repair_boot)

    def inspect(self) -> list[dict[str, Any]]:
        """Power and media of every host, as the door bmc_info shows them."""
        return describe_machines(observe_all(list(self._requests.values()), self._options, read_only=True))

    def _each(self, names: Sequence[str], act: Callable[[BootRequest, BmcOptions], HostResult]) -> list[MediaResult]:
        wanted = [self._requests[name] for name in names if name in self._requests]
        results = []
        for outcome in for_each(wanted, lambda request: act(request, self._options), self._options.forks):
            if isinstance(outcome.error, Interrupted):
                raise outcome.error
            if outcome.result is not None:
                result = outcome.result
                results.append(MediaResult(result.name, result.changed, result.failed, result.reason))
            else:
                results.append(MediaResult(outcome.item.name, failed=True, reason=str(outcome.error)))
        return results
