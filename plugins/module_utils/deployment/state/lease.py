# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Decide which run holds the lease on a deployment, so that only one run changes its machines, and when another run may
take over. Decisions only.

A run that waits for the lease never compares the clocks of two machines. It takes over when it has seen the same lease,
unchanged, for :data:`TAKE_OVER` seconds of its own clock.
"""

from __future__ import annotations

import dataclasses
from typing import Any, Literal

from .run import PlaybookRun, read_run

# Seconds. The holder renews the lease every RENEW, and stops writing when its last renewal is older than HOLD
# (common/store_link.py). From HOLD to TAKE_OVER there is time for a request to a BMC that began before HOLD,
# and for clocks that do not run equally fast.
RENEW = 20.0
TAKE_OVER = 90.0
# If the holder ran on this machine and its process has ended, another run waits only this long: a worker of the
# holder that still lives would renew within RENEW.
TAKE_OVER_ENDED = 30.0
_LONGEST_TEXT = 200


@dataclasses.dataclass(frozen=True)
class Lease:
    """Who holds it. ``renewals`` counts the writes; ``task`` and ``since`` are for people. After the end of a run it is
    ``released``. With ``stop`` another process asks the holder to end.
    """

    run: PlaybookRun
    task: str
    since: str
    renewals: int = 0
    released: bool = False
    stop: bool = False

    def as_dict(self) -> dict[str, Any]:
        """The form in which stores keep it."""
        return dataclasses.asdict(self)

    @classmethod
    def read(cls, value: Any) -> Lease | None:
        """From JSON; None for anything else."""
        if not isinstance(value, dict) or (run := read_run(value.get("run"))) is None:
            return None
        fields: list[Any] = [value.get(name) for name in ("task", "since", "renewals", "released")] + [
            value.get("stop", False)
        ]
        if [type(field) for field in fields] != [str, str, int, bool, bool] or max(
            len(str(field)) for field in fields
        ) > _LONGEST_TEXT:
            return None
        return cls(run, *fields)

    def renewed(self, task: str, now: str) -> Lease:
        """The next renewal; ``now`` is when another ``task`` begins."""
        since = self.since if task == self.task else now
        return dataclasses.replace(self, task=task, since=since, renewals=self.renewals + 1, released=False, stop=False)

    def holder(self) -> str:
        """``task boot_hosts of process 123 on control.example.com, since 2026-11-24T12:00:00Z``."""
        return f"task {self.task} of process {self.run.pid} on {self.run.host}, since {self.since}"


@dataclasses.dataclass(frozen=True)
class LeaseWatch:
    """What a waiter has seen: the present lease, since when on the waiter's clock, and how often it changed."""

    lease: Lease | None
    since: float
    changes: int = 0


def observe(watch: LeaseWatch | None, lease: Lease | None, now: float) -> LeaseWatch:
    """After one more read of the lease, which ended ``now``."""
    if watch is None:
        return LeaseWatch(lease, now)
    if watch.lease == lease:
        return watch
    return LeaseWatch(lease, now, watch.changes + 1)


LeaseDecision = Literal["take", "wait", "refuse"]


def decide(
    watch: LeaseWatch, own: PlaybookRun, now: float, *, ended: bool = False, break_lock: bool = False
) -> LeaseDecision:
    """Whether the run ``own`` may write the lease. ``now`` is when the read of :func:`observe` began: until then
    nothing had changed.

    ``ended``: the holder's process was on this machine and exists no more. ``break_lock`` takes the lease from a holder
    that renews it.
    """
    if watch.lease is None or watch.lease.released or watch.lease.run.id == own.id:
        return "take"
    if watch.changes:
        return "take" if break_lock else "refuse"
    patience = TAKE_OVER_ENDED if ended else TAKE_OVER
    return "take" if now - watch.since >= patience else "wait"


def ended(lease: Lease | None, own: PlaybookRun) -> bool:
    """Whether the holder's process is known not to exist any more."""
    return (
        lease is not None
        and bool(own.machine)
        and lease.run.machine == own.machine
        and lease.run.started > 0
        and not lease.run.alive()
    )
