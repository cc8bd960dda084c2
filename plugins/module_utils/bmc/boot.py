# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Many machines through their BMCs: observe all, refuse what is not right, then act in bounded parallel (reference redfish-virtual-media.md 2.1)."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

from ..common.clock import Clock, SystemClock
from ..common.connect import DIRECT, ConnectTo
from ..common.errors import Interrupted, ZeroTouchError
from ..common.http import HttpClient
from ..common.parallel import Outcome, for_each
from ..common.state import StateFile
from ..common.tls import Tls
from . import bootdevice, media, power
from .address import BmcAddress, parse_address
from .machine import Machine, read_machine
from .plan import State, Step, describe, plan_machine, shared_machines, wrong_machine
from .session import Credentials, RedfishSession

REPAIR_PAUSE = 10.0


@dataclasses.dataclass(frozen=True)
class BootRequest:
    """One host: its BMC, the MACs it must have, and the image it shall boot."""

    name: str
    address: str
    username: str = ""
    password: str = dataclasses.field(default="", repr=False)
    validate_certs: bool = True
    ca_cert: str = ""
    fingerprint: str = ""
    mac_addresses: tuple[str, ...] = ()
    image_url: str = ""
    force: bool = False


@dataclasses.dataclass(frozen=True)
class BmcOptions:
    """What holds for all hosts of a call. ``ca_cert`` is trusted in addition to each host's own; ``state_file`` remembers sessions."""

    forks: int = 20
    connect_to: ConnectTo = DIRECT
    ca_cert: str = ""
    state_file: StateFile | None = None
    clock: Clock = dataclasses.field(default_factory=SystemClock)
    progress: Callable[[str], None] = lambda text: None


@dataclasses.dataclass
class HostResult:
    """The outcome for one host (contract: reference 9). ``phase`` is how far it came: observe, guard, plan, or the step's action."""

    name: str
    changed: bool = False
    phase: str = "observe"
    failed: bool = False
    reason: str = ""
    plan: list[str] = dataclasses.field(default_factory=list)
    vendor: str = ""
    profile: str = ""
    slot: str = ""
    previous_image: str = ""
    image: str = ""
    boot_target: str = ""
    power_state_before: str = ""
    power_state_after: str = ""
    attempts: int = 0
    warnings: list[str] = dataclasses.field(default_factory=list)

    def as_dict(self) -> dict[str, Any]:
        return dataclasses.asdict(self)


def boot_hosts(requests: Sequence[BootRequest], state: State, options: BmcOptions, *, check_mode: bool = False) -> list[HostResult]:
    """Bring every host to ``state``. Returns a result for every request, failures included.

    All BMCs are read before any is written: a host whose BMC belongs to another machine, or that shares its machine with another host, is refused.
    In check mode only GETs are sent.
    """
    observed = for_each(requests, lambda request: observe(request, options, read_only=check_mode), options.forks)
    machines = {outcome.item.name: outcome.result for outcome in observed if outcome.result is not None}
    shared = shared_machines(machines)

    def act(outcome: Outcome[BootRequest, Machine]) -> HostResult:
        request = outcome.item
        if outcome.result is None:
            return _failed(request, "observe", outcome.error)
        refusal = wrong_machine(outcome.result, request.mac_addresses) or shared.get(request.name)
        if refusal:
            return HostResult(request.name, phase="guard", failed=True, reason=refusal.reason)
        return _bring(request, outcome.result, state, options, check_mode=check_mode)

    return [_told(outcome) for outcome in for_each(observed, act, options.forks)]


def observe(request: BootRequest, options: BmcOptions, *, read_only: bool = False) -> Machine:
    """Read one machine; nothing is changed."""
    address = address_of(request)
    with open_session(request, address, options, read_only=read_only) as session:
        return read_machine(session, address.system)


def eject_media(request: BootRequest, options: BmcOptions) -> HostResult:
    """Detach the request's image (any image without ``image_url``), leaving power alone: for the moment at which a host has left the live system."""
    return boot_hosts([request], "ejected", options)[0]


def repair_boot(request: BootRequest, options: BmcOptions) -> HostResult:
    """A host came up in the live system again: power off, eject, wait 10 s, power on, so that it boots its disk (reference 2.8)."""
    result = HostResult(request.name)
    try:
        address = address_of(request)
        with open_session(request, address, options) as session:
            machine = read_machine(session, address.system)
            if refusal := wrong_machine(machine, request.mac_addresses):
                return HostResult(request.name, phase="guard", failed=True, reason=refusal.reason)
            steps = [Step("power_off", "", "the host booted the image again"), *plan_machine(machine, "ejected")]
            _apply(session, machine, request, steps, result, options)
            options.clock.sleep(REPAIR_PAUSE)
            _apply(session, machine, request, [Step("power_on", "", "to boot from disk")], result, options)
    except Interrupted:
        raise
    except ZeroTouchError as error:
        result.failed, result.reason = True, str(error)
    return result


def address_of(request: BootRequest) -> BmcAddress:
    """The parsed address. Raises :class:`ZeroTouchError` naming the host."""
    try:
        return parse_address(request.address)
    except ValueError as error:
        raise ZeroTouchError(f"BMC address of {request.name}: {error}.") from error


def check_image_url(url: str) -> str:
    """What BMCs cannot digest in an image URL (reference 4), as a sentence; empty when it is fine."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https"):
        return f"image_url {url!r} must start with http:// or https://"
    if parts.query or parts.fragment or not parts.path.endswith(".iso"):
        return f"image_url {url!r} must end in .iso, without a query: several BMCs refuse anything else"
    if parts.path.count("/") < 2:
        return f"image_url {url!r} needs a directory in its path: Supermicro refuses images at the root"
    return ""


def open_session(request: BootRequest, address: BmcAddress, options: BmcOptions, *, read_only: bool = False) -> RedfishSession:
    """A session of one host, remembered in the state file while it is open."""
    tls = Tls(request.validate_certs, tuple(ca for ca in (request.ca_cert, options.ca_cert) if ca), request.fingerprint)
    http = HttpClient(f"BMC of {request.name}", address.url, tls, options.connect_to)
    credentials = Credentials(request.username, request.password)
    if options.state_file is None or read_only:
        return RedfishSession(http, credentials, options.clock, read_only=read_only)
    record = options.state_file.section("bmc").get(request.name)
    left_open = str(record.get("session", "")) if isinstance(record, Mapping) and record.get("address") == address.url else ""
    remember = _remember_in(options.state_file, request.name, address.url)
    return RedfishSession(http, credentials, options.clock, remember=remember, left_open=left_open)


def _remember_in(state_file: StateFile, name: str, url: str) -> Callable[[str], None]:
    return lambda uri: state_file.update("bmc", {name: {"address": url, "session": uri} if uri else None})


def _bring(request: BootRequest, machine: Machine, state: State, options: BmcOptions, *, check_mode: bool) -> HostResult:
    steps = plan_machine(machine, state, request.image_url, force=request.force)
    result = HostResult(
        request.name,
        phase="plan",
        plan=describe(steps),
        vendor=machine.vendor,
        profile=machine.profile.name,
        previous_image=next((slot.image for slot in media.occupied_slots(machine)), ""),
        power_state_before=machine.power_state,
        power_state_after=machine.power_state,
        changed=bool(steps) and check_mode,
        reason="" if steps else f"already {state}",
    )
    if state == "booted":
        result.image = request.image_url
    if not request.validate_certs:
        result.warnings.append("the BMC's certificate is not checked (validate_certs: false)")
    if not steps or check_mode:
        return result
    try:
        with open_session(request, address_of(request), options) as session:
            _apply(session, machine, request, steps, result, options)
            result.warnings += session.notes
    except Interrupted:
        raise
    except ZeroTouchError as error:
        result.failed, result.reason = True, str(error)
    return result


def _apply(session: RedfishSession, machine: Machine, request: BootRequest, steps: Sequence[Step], result: HostResult, options: BmcOptions) -> None:
    """Carry out the steps; ``result`` tells at any moment how far it came."""
    clock = options.clock
    for step in steps:
        result.phase = step.action
        result.attempts += 1
        if step.action == "power_off":
            if power.power_off(session, machine, clock):
                result.changed = True
                clock.sleep(machine.profile.pause_after_off)
            result.power_state_after = "Off"
        elif step.action == "eject":
            media.eject(session, next(slot for slot in machine.slots if slot.id == step.target and slot.occupied), clock)
            result.changed = True
            clock.sleep(machine.profile.pause_after_eject)
        elif step.action == "insert":
            options.progress(f"{request.name}: inserting the image")
            result.slot = _insert_twice(session, machine, request.image_url, clock)
            result.changed = True
        elif step.action == "boot_once":
            result.boot_target = bootdevice.boot_once(session, machine, clock)
            result.changed = True
        else:
            result.changed = power.power_on(session, machine, clock) or result.changed
            result.power_state_after = "On"
            options.progress(f"{request.name}: powered on")


def _insert_twice(session: RedfishSession, machine: Machine, url: str, clock: Clock) -> str:
    """Insert; if the slot stays empty although the BMC said yes, eject and insert once more (reference 2.4)."""
    try:
        return media.insert(session, machine, url, clock).id
    except media.EmptySlot:
        for slot in media.refreshed(session, machine):
            if slot.takes_cd and slot.inserted:
                media.eject(session, slot, clock)
        clock.sleep(machine.profile.pause_after_eject)
        return media.insert(session, machine, url, clock).id


def _failed(request: BootRequest, phase: str, error: Exception | None) -> HostResult:
    if error is not None and not isinstance(error, ZeroTouchError):
        raise error
    return HostResult(request.name, phase=phase, failed=True, reason=str(error))


def _told(outcome: Outcome[Any, HostResult]) -> HostResult:
    if outcome.result is None:
        raise outcome.error or ZeroTouchError("A host ended without a result.")
    return outcome.result
