# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Boot a virtual machine from an image through libvirt: the boot method ``libvirt``.

It uploads the image to a storage pool of the hypervisor, puts it in the CD drive of the virtual machine, and boots from
that drive once.
"""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any

from ..bmc.hosts import BmcOptions, HostResult
from ..bmc.plan import State
from ..common.errors import Interrupted, ZeroTouchError
from ..common.problems import INVALID, REQUIRED, UNKNOWN_FIELD, OwnCheck, Problem, nearest
from ..hypervisor.api import Hypervisor
from ..hypervisor.connect import open_hypervisor
from ..hypervisor.domain_xml import ImageVolume, emptied_drives, read_domain, saved_definition, start_definition
from ..hypervisor.image_volume import delete_unused, is_own, provide, volume_for
from ..hypervisor.uri import unverified, uri_fault
from .image_content import image_content
from .protocol import BeforeChange, BootPlan, Capabilities
from .virtual_machine import VirtualMachine, another_machine, find_machine

_problem = OwnCheck("libvirt")

KEYS = ("uri", "domain", "pool")
DEFAULT_POOL = "default"


@dataclasses.dataclass(frozen=True)
class LibvirtRequest:
    """One host: its domain, the MACs it must have, and the image to boot.

    ``pool`` is the storage pool for the image.
    """

    name: str
    uri: str
    domain: str
    pool: str = DEFAULT_POOL
    mac_addresses: tuple[str, ...] = ()
    image_url: str = ""
    force: bool = False
    address: str = ""
    method: str = "libvirt"

    @property
    def volume(self) -> ImageVolume:
        return volume_for(self.pool, self.image_url)


@dataclasses.dataclass(frozen=True)
class LibvirtStep:
    """One change: ``action`` is insert, define, power_off, boot_once, eject or power_on; ``volume`` is the image of
    insert, boot_once and eject.
    """

    action: str
    reason: str
    volume: ImageVolume | None = None


class LibvirtBoot:
    """See :class:`.protocol.BootMethod`."""

    name = "libvirt"
    summary = "a virtual machine of a libvirt hypervisor, with the image in its CD drive"
    capabilities = Capabilities(needs_image_url=True, can_power=True, can_eject=True, boots_once=True)
    needs: Mapping[str, str] = {"libvirt": "the connection to its hypervisor"}
    controller = "domain"

    def __init__(self, connect: Callable[[str], Hypervisor] = open_hypervisor) -> None:
        self._connect = connect

    def options(self) -> Mapping[str, Any]:
        return {
            "libvirt": {
                "type": "dict",
                "options": {
                    "uri": {"type": "str", "required": True},
                    "domain": {"type": "str"},
                    "pool": {"type": "str", "default": DEFAULT_POOL},
                },
            }
        }

    def check(self, host: Mapping[str, Any], path: str) -> Sequence[Problem]:
        return check_libvirt(host["libvirt"], f"{path}.libvirt") if host.get("libvirt") is not None else []

    def request(self, host: Mapping[str, Any], mac_addresses: tuple[str, ...], image_url: str) -> LibvirtRequest:
        data = host.get("libvirt") or {}
        name = str(host.get("name") or "")
        return LibvirtRequest(
            name=name,
            uri=str(data.get("uri") or ""),
            domain=str(data.get("domain") or name),
            pool=str(data.get("pool") or DEFAULT_POOL),
            mac_addresses=mac_addresses,
            image_url=image_url,
            force=bool(host.get("force", False)),
        )

    def inspect(self, request: LibvirtRequest, options: BmcOptions, *, read_only: bool) -> VirtualMachine:
        with self._opened(request) as hypervisor:
            return find_machine(hypervisor, request.domain)

    def plan(self, request: LibvirtRequest, machine: VirtualMachine, state: State) -> BootPlan:
        steps = plan_machine(request, machine, state)
        return BootPlan(tuple(steps), tuple(describe(steps)))

    def refusal(self, request: LibvirtRequest, machine: VirtualMachine, plan: BootPlan) -> str:
        if reason := another_machine(machine, request.mac_addresses):
            return reason
        if not machine.persistent and plan.steps:
            return (
                f"domain {machine.domain} is transient: libvirt deletes it at power off. It was not changed. "
                "Make it persistent with virsh define"
            )
        return ""

    def result(self, request: LibvirtRequest, machine: VirtualMachine) -> HostResult:
        warnings = (
            ["the URI switches the verification of the hypervisor off (no_verify)"] if unverified(request.uri) else []
        )
        return HostResult(
            request.name,
            vendor="libvirt",
            profile=machine.driver,
            previous_image=next((str(volume) for volume in machine.images), ""),
            power_state_before=machine.power_state,
            power_state_after=machine.power_state,
            warnings=[*warnings, *machine.notes],
        )

    def apply(
        self,
        request: LibvirtRequest,
        machine: VirtualMachine,
        plan: BootPlan,
        result: HostResult,
        options: BmcOptions,
        before_change: BeforeChange,
    ) -> None:
        # The upload of the image, which takes minutes, changes no machine.
        uploads = [step for step in plan.steps if step.action == "insert"]
        changes = [step for step in plan.steps if step.action != "insert"]
        with self._opened(request) as hypervisor:
            carry_out(hypervisor, request, machine, uploads, result, options)
            before_change(lambda: find_machine(hypervisor, request.domain))
            carry_out(hypervisor, request, machine, changes, result, options)

    def release(self, request: LibvirtRequest, options: BmcOptions, *, restart: bool) -> HostResult:
        result = HostResult(request.name)
        try:
            with self._opened(request) as hypervisor:
                machine = find_machine(hypervisor, request.domain)
                result = self.result(request, machine)
                steps = [
                    LibvirtStep("eject", f"drive or record has {volume.name}", volume) for volume in machine.images
                ]
                if restart:
                    off = (
                        [LibvirtStep("power_off", "the host booted the image again")]
                        if machine.power_state != "Off"
                        else []
                    )
                    steps = [*off, *steps, LibvirtStep("power_on", "to boot from disk")]
                if reason := self.refusal(request, machine, BootPlan(tuple(steps))):
                    result.failed, result.phase, result.reason = True, "guard", reason
                    return result
                result.plan = describe(steps)
                result.reason = "" if steps else "already ejected"
                carry_out(hypervisor, request, machine, steps, result, options)
        except Interrupted:
            raise
        except ZeroTouchError as error:
            result.failed, result.reason = True, str(error)
        return result

    def facts(self, machine: VirtualMachine) -> Mapping[str, Any]:
        return machine.facts()

    @contextlib.contextmanager
    def _opened(self, request: LibvirtRequest) -> Iterator[Hypervisor]:
        hypervisor = self._connect(request.uri)
        try:
            yield hypervisor
        finally:
            hypervisor.close()


def check_libvirt(data: Any, path: str) -> list[Problem]:
    """Everything that is wrong with the ``libvirt`` of a host and can be known without a connection; ``path`` is what
    the user calls it. Never raises.
    """
    if not isinstance(data, Mapping):
        return [_problem(path, INVALID, f"must be a mapping with {', '.join(KEYS)}")]
    provided = {str(key): value for key, value in data.items() if value is not None}
    problems = [
        _problem(f"{path}.{key}", UNKNOWN_FIELD, f"known: {', '.join(KEYS)}", hint=nearest(key, KEYS))
        for key in provided
        if key not in KEYS
    ]
    if provided.get("uri", "") == "":
        problems.append(
            _problem(
                f"{path}.uri", REQUIRED, ("the connection URI of the hypervisor is needed, for example qemu:///system")
            )
        )
    elif fault := uri_fault(provided["uri"]):
        problems.append(_problem(f"{path}.uri", INVALID, fault))
    for key in KEYS[1:]:
        value = provided.get(key, "default")
        if not isinstance(value, str) or not value or value.startswith("-") or not value.isprintable():
            problems.append(_problem(f"{path}.{key}", INVALID, "must be a name"))
    return problems


def plan_machine(request: LibvirtRequest, machine: VirtualMachine, state: State) -> list[LibvirtStep]:
    """Steps that lead to ``state``; empty when the machine is there already. Pure.

    booted: runs from ``image_url``. A machine that is on with the volume of this image in its drive counts as booted
    unless ``force``. What can fail without harm comes before power off. ejected: power-neutral; with ``image_url`` only
    that image.
    """
    power_state = machine.power_state or machine.state
    power = f"power is {power_state}"
    if state == "off":
        return [LibvirtStep("power_off", power)] if machine.power_state != "Off" else []
    if state == "on":
        return [LibvirtStep("power_on", power)] if machine.power_state != "On" else []
    volume = request.volume
    if state == "ejected":
        return [
            LibvirtStep("eject", "it is in the drive or in the record", each)
            for each in machine.images
            if not request.image_url or each == volume
        ]
    if machine.power_state == "On" and volume in machine.inserted and not request.force:
        return []
    steps = [
        LibvirtStep("insert", "the volume is shared by all hosts that boot this image", volume),
        LibvirtStep("define", "the next starts are from disk, with an empty CD drive"),
    ]
    if machine.power_state != "Off":
        steps.append(LibvirtStep("power_off", f"{power}; the boot order is read when the machine starts"))
    steps.append(LibvirtStep("boot_once", "with the image in the CD drive, for the next start only", volume))
    steps += [
        LibvirtStep("eject", "the host does not use it any more", each) for each in machine.images if each != volume
    ]
    return steps


def describe(steps: Sequence[LibvirtStep]) -> list[str]:
    """The plan in words, one line a step."""
    words = {
        "insert": "upload the image to",
        "define": "define the domain",
        "power_off": "power off",
        "boot_once": "power on from",
        "eject": "eject",
        "power_on": "power on",
    }
    named = [(step, f" {step.volume}" if step.volume else "") for step in steps]
    return [f"{words[step.action]}{volume} ({step.reason})" for step, volume in named]


def carry_out(
    hypervisor: Hypervisor,
    request: LibvirtRequest,
    machine: VirtualMachine,
    steps: Sequence[LibvirtStep],
    result: HostResult,
    options: BmcOptions,
) -> None:
    """Do the steps in order; ``result`` says at any moment how far it came."""
    for step in steps:
        result.phase = step.action
        result.attempts += 1
        options.before_write()
        if step.action == "insert" and step.volume:
            uploaded = provide(
                hypervisor,
                step.volume,
                _image_of(request, options),
                options.clock,
                lambda text: options.progress(f"{request.name}: {text}"),
            )
            result.changed = uploaded or result.changed
            result.slot = str(step.volume)
        elif step.action == "define":
            hypervisor.define(saved_definition(hypervisor.saved_definition(machine.uuid), request.volume))
            result.changed = True
        elif step.action == "power_off":
            result.changed = _power_off(hypervisor, machine) or result.changed
            result.power_state_after = "Off"
        elif step.action == "boot_once" and step.volume:
            _start_once(hypervisor, machine, step.volume)
            result.changed, result.power_state_after, result.boot_target = True, "On", "Cd"
            options.progress(f"{request.name}: powered on from the image")
        elif step.action == "eject" and step.volume:
            _eject(hypervisor, machine, step.volume)
            result.changed = True
        else:
            hypervisor.start(machine.uuid)
            result.changed, result.power_state_after = True, "On"
            options.progress(f"{request.name}: powered on")


def _image_of(request: LibvirtRequest, options: BmcOptions) -> Callable[[], AbstractContextManager[Any]]:
    return lambda: image_content(request.image_url, options)


def _power_off(hypervisor: Hypervisor, machine: VirtualMachine) -> bool:
    """Whether it was on: the guest may have stopped meanwhile."""
    if find_machine(hypervisor, machine.uuid).power_state == "Off":
        return False
    hypervisor.stop(machine.uuid)
    return True


def _start_once(hypervisor: Hypervisor, machine: VirtualMachine, volume: ImageVolume) -> None:
    """Start from the image. Where that fails, the machine is as it was: on from its disk, or off."""
    try:
        hypervisor.start_once(start_definition(hypervisor.saved_definition(machine.uuid), volume))
    except Interrupted:
        raise
    except ZeroTouchError as error:
        if machine.power_state != "On":
            raise
        try:
            hypervisor.start(machine.uuid)
        except ZeroTouchError as second:
            raise ZeroTouchError(
                f"{error} The machine was on and is off now: it cannot be started from its disk either: {second}"
            ) from error
        raise ZeroTouchError(f"{error} The machine was started from its disk again.") from error


def _eject(hypervisor: Hypervisor, machine: VirtualMachine, volume: ImageVolume) -> None:
    """Empty the drive of the running domain, forget the image, and delete its volume where no other domain refers to
    it.
    """
    current = find_machine(hypervisor, machine.uuid)
    for device in emptied_drives(current.live, frozenset({volume})) if current.live else ():
        hypervisor.update_device(machine.uuid, device)
    if current.saved and volume in (read_domain(current.saved).recorded, *read_domain(current.saved).media):
        hypervisor.define(saved_definition(hypervisor.saved_definition(machine.uuid), None))
    if volume in find_machine(hypervisor, machine.uuid).inserted:
        raise ZeroTouchError(
            f"{hypervisor.uri}: domain {machine.domain} still has {volume} in its CD drive after it was ejected."
        )
    if is_own(volume):
        delete_unused(hypervisor, volume)
