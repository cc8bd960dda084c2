# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Read the machines of many hosts in parallel, through the boot method of each host, and print progress lines.

Machines that failed for a temporary reason are read again at the end.
"""

from __future__ import annotations

import contextlib
import math
import threading
from collections.abc import Iterator, Sequence
from typing import Any

from ..bmc.hosts import BmcOptions
from ..bmc.session import NO_ANSWER_WITHIN, LoginRefused
from ..common.errors import Interrupted, LimitReached, RemoteError, Unreachable, UnusableAnswer, ZeroTouchError
from ..common.parallel import Outcome, for_each
from .methods import METHODS, method_of
from .protocol import MachineRequest, Machines

# Seconds between two lines of progress.
LINE_EVERY = 30.0
_MOST_NAMES = 2


def inspect_all(requests: Sequence[MachineRequest], options: BmcOptions, *, read_only: bool = False) -> Machines:
    """Every machine, or why it could not be read (a :class:`ZeroTouchError`), in the order of the requests.

    Machines that failed for a reason that may pass are read once more at the end. Raises :class:`Interrupted` when a
    signal stops it, and whatever is no foreseeable fault.
    """
    count = _Count(requests)

    def inspect(request: MachineRequest) -> Any:
        try:
            machine = method_of(request).inspect(request, options, read_only=read_only)
        except ZeroTouchError:
            count.failed.append(request.name)
            raise
        count.answered += bool(METHODS[request.method].controller)
        return machine

    with _progress(requests, options, count):
        outcomes = list(_checked(for_each(requests, inspect, options.forks)))
        again = _once_more(outcomes, options.forks)
        if again:
            count.failed = [name for name in count.failed if name not in {outcomes[index].item.name for index in again}]
            repeated = _checked(for_each([outcomes[index].item for index in again], inspect, options.forks))
            for index, outcome in zip(again, repeated, strict=True):
                outcomes[index] = outcome
    return outcomes


def _checked(outcomes: Machines) -> Machines:
    for outcome in outcomes:
        if outcome.error is not None and (
            isinstance(outcome.error, Interrupted) or not isinstance(outcome.error, ZeroTouchError)
        ):
            raise outcome.error
    return outcomes


def _once_more(outcomes: Machines, forks: int) -> list[int]:
    """The places of the machines to read again.

    Those that do not answer at all are among them as long as that takes no longer than one of them.
    """
    faults = [index for index, outcome in enumerate(outcomes) if _may_pass(outcome)]
    silent = [
        index
        for index, outcome in enumerate(outcomes)
        if isinstance(outcome.error, Unreachable) and outcome.error.kind in ("refused", "timeout")
    ]
    return sorted(faults + (silent if len(silent) <= forks else []))


def _may_pass(outcome: Outcome[Any, Any]) -> bool:
    """Whether a machine failed by what may be over soon: an answer of a BMC that is busy, or a broken connection."""
    error = outcome.error
    if isinstance(error, Unreachable):
        return error.kind in ("broken", "slow")
    if isinstance(error, (LoginRefused, UnusableAnswer, LimitReached)):
        return False
    return isinstance(error, RemoteError) and (error.status >= 500 or error.status in (401, 429))


class _Count:
    """How many of the machines that something else than the user switches were read, and the names of those that
    failed.
    """

    def __init__(self, requests: Sequence[MachineRequest]) -> None:
        controllers = [controller for request in requests if (controller := METHODS[request.method].controller)]
        self.all_hosts = len(controllers)
        what = " and ".join(f"{controller}s" for controller in dict.fromkeys(controllers))
        self.what = what[:1].upper() + what[1:]
        self.answered = 0
        self.failed: list[str] = []

    def line(self) -> str:
        names = ", ".join(self.failed[:_MOST_NAMES])
        further = len(self.failed) - _MOST_NAMES
        more = f" and {further} others" if further > 0 else ""
        failed_note = f"; failed: {names}{more}" if names else ""
        return f"{self.what} answered: {self.answered} of {self.all_hosts}{failed_note}."


@contextlib.contextmanager
def _progress(requests: Sequence[MachineRequest], options: BmcOptions, count: _Count) -> Iterator[None]:
    """A line at once where more machines are read than at the same time, and one each 30 s.

    The first line has the longest duration.
    """
    if not count.all_hosts:
        yield
        return
    rounds = math.ceil(count.all_hosts / options.forks)
    if rounds > 1:
        minutes = rounds * NO_ANSWER_WITHIN / 60
        # The limit of a hypervisor that does not answer is that of its connection.
        bounded = all(request.address for request in requests if METHODS[request.method].controller)
        limit = f"; if none answers, this ends after {minutes:.0f} min" if bounded else ""
        options.progress(f"{count.line()} Up to {options.forks} machines are read in parallel{limit}.")
    done = threading.Event()

    def report() -> None:
        while not done.wait(LINE_EVERY):
            options.progress(count.line())

    reporter = threading.Thread(target=report, name="zerotouch-progress", daemon=True)
    reporter.start()
    try:
        yield
    finally:
        done.set()
        reporter.join()
