# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Supervise a running installation: observe, plan, apply, until it is complete, fails, or exceeds a limit.

The loop itself decides nothing: :mod:`.decide` plans, :mod:`.narration` writes progress lines, :mod:`.timeline`
records.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from ...common.clock import Clock
from ...common.waiting import Deadline, ProgressLines, turns
from ..stop_reason import StopReason
from .decide import Attempt, Memory, Step, hosts_to_inspect, inspected, plan, remember, stop_step
from .narration import changes, heartbeat, missing_hosts
from .observation import ApiView, MachineView, Observation
from .setup import ACTS, Setup
from .suspects import suspects
from .timeline import Timeline

# Seconds between observations (openshift/installer pkg/agent/cluster.go, pkg/agent/waitfor.go).
INTERVAL = 2.0


@dataclasses.dataclass(frozen=True)
class MediaResult:
    """What became of one host's medium; ``reason`` says why it failed."""

    name: str
    changed: bool = False
    failed: bool = False
    reason: str = ""


class MediaControl(Protocol):
    """Power and media of the hosts that have a BMC, many at once."""

    def eject(self, names: Sequence[str]) -> list[MediaResult]:
        """Detach the medium, leaving power alone."""

    def repair(self, names: Sequence[str]) -> list[MediaResult]:
        """Power off, eject, wait 10 s, power on."""

    def boot(self, names: Sequence[str]) -> list[MediaResult]:
        """Boot hosts from the image again that found none, if the safety table permits it."""

    def machines(self, names: Sequence[str]) -> Mapping[str, MachineView]:
        """Power and media of these hosts; those that cannot be read are missing."""

    def inspect(self) -> list[dict[str, Any]]:
        """Power state and media of every host, for the failure bundle; faults as entries, none raised."""


@dataclasses.dataclass(frozen=True)
class WaitOutcome:
    """How a wait ended. ``step`` is its ``done`` or ``stop``; ``suspects`` only after a stop.

    ``elapsed`` in seconds.
    """

    step: Step
    memory: Memory
    seen: Observation
    elapsed: float
    changed: bool
    warnings: tuple[str, ...] = ()
    suspects: tuple[str, ...] = ()


@dataclasses.dataclass(frozen=True)
class UpkeepResult:
    """What was done between two observations, one line each; ``reports`` are worth a warning, each once; ``stop`` ends
    the wait.
    """

    lines: tuple[str, ...] = ()
    reports: tuple[str, ...] = ()
    stop: StopReason | None = None
    changed: bool = False


def _nothing(seen: Observation) -> UpkeepResult:
    """A method that installs by itself needs nothing."""
    return UpkeepResult()


class Supervisor:
    """One wait. ``upkeep_plan`` does what an installation needs besides media.

    ``fresh`` (start_over): the API of the cluster counts only after our service was seen, for the former cluster may
    still run.
    """

    def __init__(
        self,
        setup: Setup,
        observe: Callable[[], Observation],
        media: MediaControl,
        timeline: Timeline,
        clock: Clock,
        show: Callable[[str], None],
        *,
        fresh: bool = False,
        interval: float = INTERVAL,
        upkeep_plan: Callable[[Observation], UpkeepResult] = _nothing,
    ) -> None:
        self._setup = setup
        self._observe = observe
        self._media = media
        self._timeline = timeline
        self._clock = clock
        self._fresh = fresh
        self._interval = interval
        self._upkeep = upkeep_plan
        self._warnings: list[str] = []
        self._changed = False
        self._lines = ProgressLines(clock, show)
        repairs = {} if fresh else timeline.repairs()
        attempts = {("repair", name): Attempt(count, -math.inf) for name, count in repairs.items()}
        self.memory = Memory(started=clock.now(), phase_since=clock.now(), attempts=attempts)
        self.seen = Observation()
        self._shown: Observation | None = None

    def look(self) -> tuple[Observation, tuple[Step, ...]]:
        """One observation and the steps that it would cause; nothing is done."""
        self.seen = self._observation()
        self.memory = remember(self.memory, self.seen, self._clock.now())
        names = hosts_to_inspect(self.seen, self.memory, self._setup, self._clock.now())
        if names:
            self.memory = inspected(self.memory, self._media.machines(names), self._clock.now())
        return self.seen, plan(self.seen, self.memory, self._setup, self._clock.now())

    def run(self) -> WaitOutcome:
        """Until ``done`` or ``stop``.

        Raises :class:`Interrupted` when the process was asked to stop; what was seen until then is recorded.
        """
        self._timeline.begin(fresh=self._fresh)
        ends = (self._turn() for _turn in turns(Deadline(self._clock), self._interval))
        return self._finish(next(end for end in ends if end is not None))

    def _turn(self) -> Step | None:
        """Observe and act once; the step that ends the wait, if there is one."""
        before = self.memory
        _seen, steps = self.look()
        self._timeline.record(self.memory, self.seen)
        self._tell(changes(before, self.memory, self._shown, self.seen, self._setup, self._clock.now()))
        self._shown = self.seen
        end = self._apply(steps) or self._look_after()
        if end is None and self._lines.quiet:
            self._tell(
                [
                    heartbeat(self.seen, self.memory, self._setup, self._clock.now()),
                    *missing_hosts(self.seen, self.memory, self._setup),
                ]
            )
        return end

    def _observation(self) -> Observation:
        seen = self._observe().in_order(self._setup.hosts)
        if self._fresh and not self.memory.service_seen and not seen.service.ours:
            return dataclasses.replace(seen, api=ApiView(detail="The former cluster may still answer here."))
        return seen

    def _apply(self, steps: Sequence[Step]) -> Step | None:
        """Carry out the plan; the step that ends the wait, if there is one."""
        self._with_media("detach", [step for step in steps if step.kind == "detach"], self._media.eject)
        self._with_media("repair", [step for step in steps if step.kind == "repair"], self._media.repair)
        self._with_media("boot", [step for step in steps if step.kind == "boot"], self._media.boot)
        for step in steps:
            if step.kind == "boot" and self.memory.attempt("boot", step.host).succeeded:
                self._warn(f"{step.host} was booted again: {step.reason}.")
            if step.kind == "report":
                self.memory = dataclasses.replace(self.memory, reported=self.memory.reported | {step.reason})
                self._warn(step.reason)
        return next((step for step in steps if step.kind in ("stop", "done")), None)

    def _look_after(self) -> Step | None:
        cared = self._upkeep(self.seen)
        self._changed = self._changed or cared.changed
        self._tell(cared.lines)
        for text in cared.reports:
            self._warn(text)
        return None if cared.stop is None else stop_step(cared.stop)

    def _with_media(self, kind: str, steps: Sequence[Step], act: Callable[[Sequence[str]], list[MediaResult]]) -> None:
        if not steps:
            return
        reasons = dict.fromkeys(step.reason for step in steps)
        hosts = {reason: ", ".join(step.host for step in steps if step.reason == reason) for reason in reasons}
        self._tell([f"{hosts[reason]}: {ACTS[kind]} ({reason})" for reason in reasons])
        if kind == "repair":
            self._timeline.repairing([step.host for step in steps])
        for result in act([step.host for step in steps]):
            self.memory = self.memory.tried(kind, result.name, self._clock.now(), succeeded=not result.failed)
            self._changed = self._changed or result.changed
            if result.failed:
                self._warn(f"{result.name}: {ACTS[kind]} failed: {result.reason}")

    def _finish(self, end: Step) -> WaitOutcome:
        found = suspects(self.seen, self.memory, self._setup) if end.kind == "stop" else []
        if end.kind == "done":
            self.memory = dataclasses.replace(
                self.memory, percent=100 if self._setup.until == "installed" else self.memory.percent
            )
        self._timeline.finish(end, self.memory, found)
        self._tell([end.text()])
        elapsed = self._clock.now() - self.memory.started
        return WaitOutcome(end, self.memory, self.seen, elapsed, self._changed, tuple(self._warnings), tuple(found))

    def _warn(self, text: str) -> None:
        if text not in self._warnings:
            self._warnings.append(text)
            self._timeline.warn(text)
            self._tell([text])

    def _tell(self, texts: Sequence[str]) -> None:
        self._lines.percent = self.memory.percent
        for text in texts:
            self._lines.say(text)
