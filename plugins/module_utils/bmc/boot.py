# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Many machines through their BMCs: observe all, plan, refuse what is not right, then act in bounded parallel (reference redfish-virtual-media.md 2.1)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from ..common.errors import Interrupted, ZeroTouchError
from ..common.parallel import Outcome, for_each
from . import media
from .apply import carry_out
from .guard import Permission, Refusal, refusals, wrong_machine
from .hosts import BmcOptions, BootRequest, HostResult
from .machine import Machine, read_machine
from .observe import address_of, observe_all, open_session
from .plan import ALL_OR_NONE, State, Step, describe, plan_machine

# Asked with the machines that a call wants to change, as they were read, before any of them is written to.
Permit = Callable[[Sequence[Outcome[BootRequest, Machine]]], Permission]
REPAIR_PAUSE = 10.0
_MOST_NAMES = 3


def boot_hosts(
    requests: Sequence[BootRequest], state: State, options: BmcOptions, *, check_mode: bool = False, permit: Permit | None = None
) -> list[HostResult]:
    """Bring every host to ``state``. Returns a result for every request, failures included.

    All BMCs are read before any is written. If one of them cannot be read, belongs to another machine or lacks the means, it is left alone; for the
    states of ``ALL_OR_NONE`` no machine is touched then. A host that fails later does not stop the others. In check mode only GETs are sent.
    ``permit`` decides about the machines that would change, directly before the first write; it raises nothing and writes to no machine.
    Raises :class:`Interrupted` when told to stop, with what was done so far in its ``result``.
    """
    observed = observe_all(requests, options, read_only=check_mode)
    machines = {outcome.item.name: outcome.result for outcome in observed if outcome.result is not None}
    plans = {
        request.name: plan_machine(machines[request.name], state, request.image_url, force=request.force) for request in requests if request.name in machines
    }
    refused = refusals(observed, plans)
    if refused and state in ALL_OR_NONE:
        return [_untouched(request, machines.get(request.name), refused) for request in requests]
    wanted = [outcome for outcome in observed if outcome.item.name not in refused and plans.get(outcome.item.name)]
    permission = permit(wanted) if permit and wanted else Permission()
    if permission.stop:
        raise ZeroTouchError(permission.stop)
    for name in permission.without:
        plans[name] = []
    results = {
        request.name: _untouched(request, machines.get(request.name), refused)
        if request.name in refused
        else _planned(request, machines[request.name], state, plans[request.name], check_mode=check_mode)
        for request in requests
    }
    for name, reason in permission.without.items():
        results[name].reason = reason
    if not check_mode:
        _act([request for request in requests if request.name not in refused and plans[request.name]], machines, plans, results, options)
    return list(results.values())


def eject_media(request: BootRequest, options: BmcOptions) -> HostResult:
    """Detach the request's image (any image without ``image_url``), leaving power alone: for the moment at which a host has left the live system."""
    return boot_hosts([request], "ejected", options)[0]


def repair_boot(request: BootRequest, options: BmcOptions) -> HostResult:
    """A host came up in the live system again: power off, eject, wait 10 s, power on, so that it boots its disk (reference 2.8)."""
    result = HostResult(request.name)
    try:
        with open_session(request, options) as session:
            machine = read_machine(session, address_of(request).system)
            if reason := wrong_machine(machine, request.mac_addresses):
                return HostResult(request.name, phase="guard", failed=True, reason=reason)
            steps = [Step("power_off", "", "the host booted the image again"), *plan_machine(machine, "ejected")]
            carry_out(session, machine, request, steps, result, options)
            options.clock.sleep(REPAIR_PAUSE)
            carry_out(session, machine, request, [Step("power_on", "", "to boot from disk")], result, options)
    except Interrupted:
        raise
    except ZeroTouchError as error:
        result.failed, result.reason = True, str(error)
    return result


def _planned(request: BootRequest, machine: Machine, state: State, steps: Sequence[Step], *, check_mode: bool) -> HostResult:
    result = _described(request, machine)
    result.phase = "plan"
    result.plan = describe(steps)
    result.changed = bool(steps) and check_mode
    result.reason = "" if steps else f"already {state}"
    if state == "booted":
        result.image = request.image_url
    return result


def _described(request: BootRequest, machine: Machine) -> HostResult:
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


def _untouched(request: BootRequest, machine: Machine | None, refused: Mapping[str, Refusal]) -> HostResult:
    """The result of a host that is not touched: why it was refused, or for whose sake it waits."""
    result = _described(request, machine) if machine else HostResult(request.name)
    if request.name in refused:
        result.failed, result.phase, result.reason = True, refused[request.name].phase, refused[request.name].reason
        return result
    names = list(refused)
    others = f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
    result.phase, result.reason = "guard", f"nothing was done, because of {', '.join(names[:_MOST_NAMES])}{others}"
    return result


def _act(
    requests: Sequence[BootRequest],
    machines: Mapping[str, Machine],
    plans: Mapping[str, Sequence[Step]],
    results: Mapping[str, HostResult],
    options: BmcOptions,
) -> None:
    """Carry out all plans; ``results`` are completed."""

    def act(request: BootRequest) -> None:
        result = results[request.name]
        try:
            with open_session(request, options) as session:
                carry_out(session, machines[request.name], request, plans[request.name], result, options)
            result.warnings += session.notes
        except ZeroTouchError as error:
            if isinstance(error, Interrupted):
                raise
            result.failed, result.reason = True, str(error)

    errors = [(outcome.item.name, outcome.error) for outcome in for_each(requests, act, options.forks) if outcome.error is not None]
    for name, error in errors:
        results[name].failed, results[name].reason = True, str(error)
    for _name, error in errors:
        if isinstance(error, Interrupted):
            changed = any(result.changed for result in results.values())
            error.result = {"stopped": True, "changed": changed, "hosts": [result.as_dict() for result in results.values()]}
        raise error
