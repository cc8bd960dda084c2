# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Decide what is left to do in an installation by agent ISO: the table of docs/explanation/resume.md, as a pure
function of what was observed.

The decision names the next step of each host. Whether a machine may be changed at all is decided by one table for all
methods (:mod:`..safety`).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Collection, Sequence
from typing import Literal

from ...common.listed import listed
from ..host_step import HostStep
from ..safety.table import REBOOT_JOINED, REBUILD_IMAGE, START_OVER
from ..stop_reason import StopReason
from ..supervise.observation import FAILED, RUNNING_PHASES, InventoryHost, Observation

State = Literal["new", "built", "changed", "registered", "installing", "installed", "failed", "unknown", "foreign"]

# Paths that a message names; deployment_plan returns all of them.
_MOST_PATHS = 12


@dataclasses.dataclass(frozen=True)
class Decision:
    """What a run has to do, in this order: build, boot the hosts with action ``boot``, wait.

    With ``stop`` set it does nothing and says why.

    ``notes`` are worth a warning.
    """

    state: State
    hosts: tuple[HostStep, ...] = ()
    build: bool = False
    build_reason: str = ""
    wait: bool = False
    stop: StopReason | None = None
    notes: tuple[str, ...] = ()

    @property
    def boot(self) -> tuple[str, ...]:
        """Names of the hosts to boot."""
        return tuple(host.name for host in self.hosts if host.action == "boot")


@dataclasses.dataclass(frozen=True)
class Situation:
    """What the rules look at."""

    seen: Observation
    hosts: tuple[InventoryHost, ...]
    force: frozenset[str]

    @property
    def silent(self) -> bool:
        """An installation under way does not answer at this moment, but did a short time ago."""
        seen = self.seen
        return not seen.service.answers and not seen.api.answers and seen.silence is not None and seen.silence.bearable

    @property
    def must_build(self) -> bool:
        return not self.force.isdisjoint((REBUILD_IMAGE, START_OVER)) or not self.seen.image.matches

    @property
    def builds_the_same(self) -> bool:
        """Only the file is missing, as in the container of the next job: the image is built again, byte for byte, and
        has the same URL.
        """
        image = self.seen.image
        return image.built and not image.differing and self.force.isdisjoint((REBUILD_IMAGE, START_OVER))

    def build_reason(self) -> str:
        image = self.seen.image
        if not image.built:
            return "no image was built yet"
        if image.differing:
            return f"changed since the image was built: {listed(image.differing, _MOST_PATHS)}"
        if not image.exists:
            return "the image file was deleted"
        return next((f"{value} is set" for value in (START_OVER, REBUILD_IMAGE) if value in self.force), "")


def decide(observation: Observation, hosts: Sequence[InventoryHost], force: Collection[str] = ()) -> Decision:
    """The one row of the table that applies; hosts in the order given."""
    situation = Situation(observation, tuple(hosts), frozenset(force))
    for rule in RULES:
        decision = rule(situation)
        if decision is not None:
            return decision
    return _fresh(situation)


def readers(
    seen: Observation, hosts: Sequence[InventoryHost], decision: Decision, booted: Collection[str] = ()
) -> tuple[str, ...]:
    """Hosts that were booted from the image and have not restarted from their disks, as far as that is known.

    ``booted`` are those that the state records as booted, and of which nothing was heard yet.

    A full live ISO is read for as long as its system runs: the image must be published until then.
    """
    if not seen.image.built or not decision.wait or decision.state == "installed":
        return ()
    waiting = {step.name for step in decision.hosts if step.action == "wait" or (step.action == "skip" and step.joined)}
    waiting |= {
        step.name for step in decision.hosts if step.action == "boot" and not step.force and step.name in booted
    }
    return tuple(host.name for host in hosts if host.name in waiting and not _left_the_image(seen, host))


def _left_the_image(seen: Observation, host: InventoryHost) -> bool:
    found = seen.service_host(host)
    return seen.api.has_node(host) or (found is not None and found.runs_from_disk)


def _start_over(situation: Situation) -> Decision | None:
    if START_OVER not in situation.force:
        return None
    seen = situation.seen
    decided = tuple(
        HostStep(host.name, "boot", "start_over is set", force=True, joined=seen.joined(host))
        for host in situation.hosts
    )
    state: State = "built" if seen.image.matches else "changed"
    if not seen.image.built:
        state = "new"
    return Decision(state, decided, situation.must_build, situation.build_reason(), wait=True)


def _terminal(situation: Situation) -> Decision | None:
    """The installation failed, by the service or, where nothing of it answers any more, by an earlier run."""
    seen = situation.seen
    failed = seen.service.ours and seen.service.cluster is not None and seen.service.cluster.terminal
    recorded = seen.phase == FAILED and not seen.service.ours and not seen.api.ours
    return _all_again(situation, "failed", "the installation has failed") if failed or recorded else None


def _changed_under_way(situation: Situation) -> Decision | None:
    seen = situation.seen
    under_way = (
        (seen.service.ours and seen.service.hosts) or (seen.api.ours and not _installed(seen)) or situation.silent
    )
    if not under_way or not seen.image.differing or REBUILD_IMAGE in situation.force:
        return None
    text = (
        f"The configuration changed while the installation is under way: {listed(seen.image.differing, _MOST_PATHS)}."
    )
    remedy = "Undo the change, or rebuild the image with -e openshift_force=rebuild_image."
    decided = tuple(
        HostStep(host.name, "skip", "nothing is done", joined=seen.joined(host)) for host in situation.hosts
    )
    return Decision("changed", decided, stop=StopReason(text, remedy))


def _service_is_ours(situation: Situation) -> Decision | None:
    seen = situation.seen
    if not seen.service.ours or (seen.image.differing and not seen.service.hosts):
        return None
    decided = tuple(_beside_service(situation, host) for host in situation.hosts)
    boots = any(host.action == "boot" for host in decided)
    started = bool(seen.service.cluster and seen.service.cluster.installing)
    # The image is only needed for hosts that still have to boot it.
    build = REBUILD_IMAGE in situation.force or (boots and situation.must_build)
    notes = tuple(
        f"{host.name} is registered with the service but not in the configuration."
        for host in seen.surplus(situation.hosts)
    )
    return Decision(
        "installing" if started else "registered",
        decided,
        build,
        situation.build_reason() if build else "",
        wait=True,
        notes=notes,
    )


def _beside_service(situation: Situation, host: InventoryHost) -> HostStep:
    """What to do with a host while the service of this very installation answers."""
    seen = situation.seen
    found = seen.service_host(host)
    if seen.joined(host):
        return _joined(situation, host, found.describe() if found else "its Node exists")
    if seen.service.cluster and seen.service.cluster.installing:
        return HostStep(host.name, "skip", "the installation was started without this host")
    if found and found.needs_discovery_boot:
        return HostStep(host.name, "boot", f"registered, but {found.status}", force=True)
    if REBUILD_IMAGE in situation.force:
        return HostStep(host.name, "boot", "rebuild_image is set", force=True)
    if found:
        return HostStep(host.name, "wait", f"registered: {found.describe()}")
    if host.has_address(seen.rendezvous_ip):
        return HostStep(host.name, "wait", "it runs the service")
    if any(not other.macs for other in seen.service.hosts):
        return HostStep(host.name, "wait", "a registered host has not sent its MAC addresses yet")
    return HostStep(host.name, "boot", "not registered with the service", force=seen.overdue)


def _api_is_ours(situation: Situation) -> Decision | None:
    seen = situation.seen
    if not seen.api.ours:
        return None
    build = REBUILD_IMAGE in situation.force
    if not _installed(seen):
        decided = tuple(
            _joined(situation, host, "its Node exists")
            if seen.joined(host)
            else HostStep(host.name, "wait", "the installation is past the point where a host is booted from the image")
            for host in situation.hosts
        )
        return Decision("installing", decided, build, situation.build_reason() if build else "", wait=True)
    decided = tuple(
        HostStep(host.name, "skip", "installed", joined=True)
        if seen.joined(host)
        else HostStep(host.name, "skip", "not part of the installed cluster")
        for host in situation.hosts
    )
    notes: tuple[str, ...] = ()
    if seen.image.differing:
        notes = (
            (
                "The cluster is installed. These later changes of the configuration have no effect: "
                f"{listed(seen.image.differing, _MOST_PATHS)}."
            ),
        )
    if situation.force:
        notes += (
            (
                f"The cluster is installed, and openshift_force is still set ({', '.join(sorted(situation.force))}): "
                "remove it from the inventory."
            ),
        )
    return Decision(
        "installed",
        decided,
        build,
        situation.build_reason() if build else "",
        wait=seen.phase != "installed",
        notes=notes,
    )


def _silent(situation: Situation) -> Decision | None:
    """Node 0 takes service and API along when it reboots; of a single node nothing answers then.

    To boot it would be the end of the installation.
    """
    silence = situation.seen.silence
    if silence is None or not situation.silent:
        return None
    reason = f"the installation is under way: it was last seen at {silence.since}"
    decided = tuple(HostStep(host.name, "wait", reason) for host in situation.hosts)
    note = (
        "Neither service nor API answers; the rendezvous host may be rebooting (last answer at "
        f"{silence.since}). The run waits and boots no machine."
    )
    return Decision("installing", decided, wait=True, notes=(note,))


def _unknown(situation: Situation) -> Decision | None:
    """A deployment of which nothing can be read at this moment."""
    seen = situation.seen
    if seen.phase not in RUNNING_PHASES and "install" not in seen.lost:
        return None
    return _all_again(situation, "unknown", "neither the service nor the API of this deployment answers")


def _foreign(situation: Situation) -> Decision | None:
    seen = situation.seen
    answers = any(view.answers and not view.ours for view in (seen.api, seen.service))
    return (
        _all_again(situation, "foreign", "another cluster answers at the addresses of this deployment")
        if answers
        else None
    )


def _all_again(situation: Situation, state: State, reason: str) -> Decision:
    """The whole deployment would have to be booted again; the safety table stops that, unless the user overrides it."""
    decided = tuple(
        HostStep(host.name, "boot", reason, force=True, joined=situation.seen.joined(host)) for host in situation.hosts
    )
    return Decision(state, decided, situation.must_build, situation.build_reason(), wait=True)


def _fresh(situation: Situation) -> Decision:
    """Nothing of this deployment runs anywhere."""
    seen, build = situation.seen, situation.must_build
    state: State = "changed" if seen.image.differing else "built"
    if not seen.image.built:
        state = "new"
    reason = "the image was never booted" if state == "new" else "no host is registered"
    # With the same image a machine that already runs from it is left alone, unless an earlier wait for it was in vain.
    # The wait boots it again if it found no image (supervise/decide.py, _boot_again).
    force = seen.overdue or (build and not situation.builds_the_same)
    decided = tuple(HostStep(host.name, "boot", reason, force=force) for host in situation.hosts)
    return Decision(state, decided, build, situation.build_reason() if build else "", wait=True)


def _joined(situation: Situation, host: InventoryHost, how: str) -> HostStep:
    if REBOOT_JOINED in situation.force:
        return HostStep(host.name, "boot", f"joined ({how}), but reboot_joined_hosts is set", force=True, joined=True)
    return HostStep(host.name, "skip", f"joined: {how}", joined=True)


def _installed(seen: Observation) -> bool:
    return seen.api.ours and (seen.phase == "installed" or seen.api.complete)


RULES: tuple[Callable[[Situation], Decision | None], ...] = (
    _start_over,
    _terminal,
    _changed_under_way,
    _service_is_ours,
    _api_is_ours,
    _silent,
    _unknown,
    _foreign,
)
