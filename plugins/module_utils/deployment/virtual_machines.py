# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Define the virtual machines and networks of an inventory, or delete those that the safety gate permits."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from ..bmc.hosts import BmcOptions
from ..boot.inspection import inspect_all
from ..boot.requests import boot_requests
from ..common.errors import InvalidInput, ZeroTouchError
from ..common.opened import Opened
from ..common.problems import Problem
from ..hypervisor.machines.apply import apply, observe, opened, uris
from ..hypervisor.machines.description import Vm, read_vms
from ..hypervisor.machines.network import read_networks
from ..hypervisor.machines.plan import MachineChange, plan_absent, plan_present
from .safety.deletion import deletable
from .safety.gate import print_not_checked
from .safety.gather import decide
from .safety.options import Touch, read_touch


def define_or_remove(call: Opened) -> dict[str, Any]:
    """Define the machines and networks of a module call, or remove them.

    Raises :class:`InvalidInput` with all problems before the first change.
    """
    params = call.params
    vms, problems = read_vms(params["hosts"])
    networks, wrong = read_networks(params["networks"], params["cluster"], params["hosts"])
    _stop_for([*problems, *wrong])
    kept: Mapping[str, str] = {}
    if params["state"] == "absent":
        kept = _kept(call, vms, params["hosts"])
    chosen = [vm for vm in vms if vm.host not in kept]
    plans = {}
    for uri in uris(vms, networks):
        with opened(uri) as hypervisor:
            mine, here = [vm for vm in chosen if vm.uri == uri], [network for network in networks if network.uri == uri]
            planned = plan_absent if params["state"] == "absent" else plan_present
            plans[uri] = planned(observe(hypervisor, mine), mine, here)
    _stop_for([problem for plan in plans.values() for problem in plan.problems])
    changes = [change for plan in plans.values() for change in plan.changes]
    notes = [
        *(f"{name}: {reason}" for name, reason in kept.items()),
        *(note for plan in plans.values() for note in plan.notes),
    ]
    for note in notes:
        call.warn(note)
    call.plan(change.text() for change in changes)
    answer: dict[str, Any] = {"changed": bool(changes), "plan": [change.text() for change in changes], "notes": notes}
    if call.diff:
        answer["diff"] = [_diff(change) for change in changes]
    if not call.check_mode:
        _apply(call, {uri: plan.changes for uri, plan in plans.items()}, notes)
    return answer


def _stop_for(problems: Sequence[Problem]) -> None:
    if any(problem.severity == "error" for problem in problems):
        raise InvalidInput(problems)


def _apply(call: Opened, plans: Mapping[str, Sequence[MachineChange]], notes: Sequence[str]) -> None:
    """All changes; one that fails ends the call, with what was changed before it."""
    done: list[str] = []

    def changed(change: MachineChange) -> None:
        done.append(change.text())
        call.progress(change.text())

    try:
        for uri, changes in plans.items():
            if changes:
                with opened(uri) as hypervisor:
                    apply(hypervisor, changes, changed)
    except ZeroTouchError as error:
        error.result = {"changed": bool(done), "plan": done, "notes": list(notes)}
        raise


def _kept(call: Opened, vms: Sequence[Vm], hosts: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """Hosts whose machines stay, with the reason.

    Raises :class:`ZeroTouchError` where the safety table stops the run.
    """
    touch: Touch = read_touch(call.params["touch"], {})
    existing = []
    for uri in uris(vms, ()):
        with opened(uri) as hypervisor:
            names = {entry.name for entry in hypervisor.domains()}
        existing += [vm.host for vm in vms if vm.uri == uri and vm.name in names]
    machines = [
        {key: host[key] for key in ("name", "libvirt", "mac_addresses")} for host in hosts if host["name"] in existing
    ]
    if not machines:
        return {}
    judgement, gathered = decide(
        "destroy", touch, inspect_all(boot_requests(machines), BmcOptions(clock=call.clock), read_only=True), call.clock
    )
    print_not_checked(gathered.not_checked, call.progress)
    return deletable(judgement, touch.request("destroy"))


def _diff(change: MachineChange) -> dict[str, str]:
    before, after = (json.dumps(part, indent=2) + "\n" if part else "" for part in (change.before, change.after))
    return {"before": before, "after": after, "before_header": change.name, "after_header": change.text()}
