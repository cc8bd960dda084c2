# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Boot many hosts, or detach their images, each through its boot method.

Inspect all hosts, plan, reject unsuitable machines, ask for permission, then change the machines in parallel, up to a
limit.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..bmc.hosts import BmcOptions, HostResult
from ..bmc.plan import State
from ..common.errors import Interrupted, ZeroTouchError
from ..common.parallel import Outcome, for_each
from .guard import MachineRefusal, Permission, refusals
from .inspection import inspect_all
from .methods import method_of
from .protocol import ALL_OR_NONE, BootPlan, MachineRequest, Machines
from .recheck import LeftAlone, Recheck

# Called before any machine is changed, with the machines that the call would change and the hosts that the user has to
# start, as they were read.
Permit = Callable[[Machines], Permission]
_MOST_NAMES = 3


def boot_hosts(
    requests: Sequence[MachineRequest],
    state: State,
    options: BmcOptions,
    *,
    check_mode: bool = False,
    permit: Permit | None = None,
) -> list[HostResult]:
    """Bring every host to ``state``. Returns a result for every request, failures included.

    All machines are read before any is written. If one of them cannot be read, belongs to another host or lacks the
    means, it is left alone; for the states of ``ALL_OR_NONE`` no machine is touched then. A host that fails later does
    not stop the others. In check mode machines are only read. ``permit`` decides about the machines that would change,
    directly before the first write; it raises nothing and writes to no machine. A host whose turn comes later than
    ``recheck.VALID_FOR`` seconds is decided about again: what would have stopped the run then fails this host.
    Raises :class:`Interrupted` when a signal stops it, with what was done so far in its ``result``.
    """
    read_at = options.clock.now()
    inspected = inspect_all(requests, options, read_only=check_mode)
    machines = {outcome.item.name: outcome.result for outcome in inspected if outcome.result is not None}
    plans = {
        request.name: method_of(request).plan(request, machines[request.name], state)
        for request in requests
        if request.name in machines
    }
    refused = refusals(inspected, plans)
    if refused and state in ALL_OR_NONE:
        return [_untouched(request, machines.get(request.name), refused) for request in requests]
    wanted = [
        outcome for outcome in inspected if outcome.item.name not in refused and not plans[outcome.item.name].empty
    ]
    decided_at = options.clock.now()
    permission = permit(wanted) if permit and wanted else Permission()
    if permission.stop:
        raise ZeroTouchError(permission.stop)
    plans.update(dict.fromkeys(permission.without, BootPlan()))
    results = {
        request.name: _untouched(request, machines.get(request.name), refused)
        if request.name in refused
        else _planned(request, machines[request.name], state, plans[request.name], check_mode=check_mode)
        for request in requests
    }
    for name, reason in permission.without.items():
        results[name].reason = reason
    if not check_mode:
        acting = [outcome for outcome in wanted if plans[outcome.item.name].steps]
        recheck = Recheck(permission.again, acting, options.clock, read_at=read_at, decided_at=decided_at)
        _act(acting, plans, results, options, recheck, permission.left)
    return list(results.values())


def release(request: MachineRequest, options: BmcOptions, *, restart: bool = False) -> HostResult:
    """Detach the image from a host that has left the live system; with ``restart`` the host started it again, and must
    start from its disk.
    """
    return _of_method(request, method_of(request).release(request, options, restart=restart))


def _of_method(request: MachineRequest, result: HostResult) -> HostResult:
    return dataclasses.replace(result, boot_method=request.method)


def _planned(request: MachineRequest, machine: Any, state: State, plan: BootPlan, *, check_mode: bool) -> HostResult:
    result = _of_method(request, method_of(request).result(request, machine))
    result.phase = "manual" if plan.user_action else "plan"
    result.plan = list(plan.lines)
    result.changed = bool(plan.steps) and check_mode
    result.reason = plan.user_action or ("" if plan.steps else f"already {state}")
    if state == "booted":
        result.image = request.image_url
    return result


def _untouched(request: MachineRequest, machine: Any, refused: Mapping[str, MachineRefusal]) -> HostResult:
    """The result of a host that is not touched: why it was refused, or because of which other hosts."""
    result = _of_method(
        request, method_of(request).result(request, machine) if machine is not None else HostResult(request.name)
    )
    if request.name in refused:
        result.failed, result.phase, result.reason = True, refused[request.name].phase, refused[request.name].reason
        return result
    names = list(refused)
    first, further = ", ".join(names[:_MOST_NAMES]), len(names) - _MOST_NAMES
    others = f" and {further} more" if further > 0 else ""
    result.phase, result.reason = "guard", f"nothing was done, because of {first}{others}"
    return result


def _act(
    machines: Machines,
    plans: Mapping[str, BootPlan],
    results: Mapping[str, HostResult],
    options: BmcOptions,
    recheck: Recheck,
    left: Callable[[str], None],
) -> None:
    """Apply all plans; ``results`` are completed."""

    def act(inspected: Outcome[Any, Any]) -> None:
        request, machine = inspected.item, inspected.result
        plan, result = plans[request.name], results[request.name]
        before_change = functools.partial(recheck.before_change, request.name)
        try:
            method_of(request).apply(request, machine, plan, result, options, before_change)
        except Interrupted:
            raise
        except LeftAlone as error:
            result.plan, result.reason = [], str(error)
        except ZeroTouchError as error:
            result.failed, result.reason = True, str(error)
            if result.phase == "in_use":
                left(request.name)

    errors = [
        (outcome.item.item.name, outcome.error)
        for outcome in for_each(machines, act, options.forks)
        if outcome.error is not None
    ]
    for name, error in errors:
        results[name].failed, results[name].reason = True, str(error)
    for _name, error in errors:
        if isinstance(error, Interrupted):
            changed = any(result.changed for result in results.values())
            error.result = {
                "stopped": True,
                "changed": changed,
                "hosts": [result.as_dict() for result in results.values()],
            }
        raise error
