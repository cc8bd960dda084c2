# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Keep the lease of this run on a store: acquire it, renew it until the playbook has ended, release it at the end.

Every write to the store uses this class, so that each write is a renewal, and a run without its lease writes nothing.
"""

from __future__ import annotations

import dataclasses
import datetime
import math
from collections.abc import Callable

from ...common.clock import Clock
from ...common.errors import ZeroTouchError
from ...common.store_link import since_boot
from ...common.waiting import Deadline, turns
from .errors import LeaseHeld, LeaseLost, StoreConflict
from .lease import RENEW, TAKE_OVER, TAKE_OVER_ENDED, Lease, LeaseWatch, decide, ended, observe
from .run import PlaybookRun
from .store import Store, StoredState

# Seconds between two reads of a waiter.
_LOOK = 5.0
_BREAK = (
    "openshift_force=break_lock takes the lease from that run. First make sure that the run no longer writes to any "
    "machine."
)


def _utc() -> str:
    return datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


class LeaseKeeper:
    """The lease of ``run`` while it does ``task``. ``elapsed`` is the clock for the age of a renewal."""

    def __init__(
        self, store: Store, run: PlaybookRun, task: str, clock: Clock, elapsed: Callable[[], float] = since_boot
    ) -> None:
        self._store, self._run, self._task, self._clock, self._elapsed = store, run, task, clock, elapsed
        self._stored: StoredState | None = None
        self._attempt: StoredState | None = None  # a write of which no answer is known
        self._confirmed: float | None = None
        self._lost = ""
        self.stop_requested = False

    def acquire(self, *, break_lock: bool = False, show: Callable[[str], None] = lambda line: None) -> StoredState:
        """Take the lease; the record as it is then. A lease that this run has already is renewed.

        Waits for the end of another run's lease. Raises :class:`LeaseHeld` as soon as that run renews it, and what the
        store raises.
        """
        watch: LeaseWatch | None = None
        for _turn in turns(Deadline(self._clock, 2 * TAKE_OVER), _LOOK):
            if watch is not None and not self._run.alive():
                raise LeaseLost("The playbook of this run has ended.", "Nothing was written.")
            began = self._clock.now()
            stored = self._store.read()
            before, watch = watch, observe(watch, stored.lease if stored else None, self._clock.now())
            over = ended(watch.lease, self._run)
            verdict = decide(watch, self._run, began, ended=over, break_lock=break_lock)
            if verdict == "take" and (taken := self._take(stored)) is not None:
                return taken
            if verdict == "refuse":
                break
            if verdict == "wait" and before is None and watch.lease is not None:
                limit = TAKE_OVER_ENDED if over else TAKE_OVER
                show(
                    f"state: {watch.lease.holder()} has not released its lease. This run takes it over if it is "
                    "not "
                    f"renewed for {limit:.0f} s."
                )
        holder = watch.lease.holder() if watch is not None and watch.lease is not None else "an unknown run"
        raise LeaseHeld(
            f"Another run works on this deployment: {holder}. It holds the lease in {self._store.name}.",
            f"Wait until it has ended, or stop it; then run again. If it cannot be stopped, {_BREAK}",
        )

    def _take(self, stored: StoredState | None) -> StoredState | None:
        """The record with the lease of this run; None if another run was faster."""
        former = (
            stored.lease
            if stored is not None and stored.lease is not None and stored.lease.run.id == self._run.id
            else None
        )
        lease = former.renewed(self._task, _utc()) if former is not None else Lease(self._run, self._task, _utc())
        began = self._elapsed()
        try:
            version = self._store.write(lease, None, stored.version if stored else None)
        except StoreConflict:
            return None
        self._stored, self._confirmed, self._lost = (
            StoredState(version, lease, stored.snapshot if stored else b""),
            began,
            "",
        )
        return self._stored

    @property
    def confirmed(self) -> float:
        """When the last write began that the store took; minus infinity for a run without the lease."""
        return -math.inf if self._confirmed is None else self._confirmed

    def renew(self) -> None:
        """Confirm the lease. Raises :class:`LeaseLost`, or what the store raises."""
        self.write(None)

    def write(self, snapshot: bytes | None, *, release: bool = False) -> None:
        """Renew the lease and store a sealed snapshot (None: as it is). Raises :class:`LeaseLost`, or what the store
        raises.
        """
        if self._lost or self._stored is None or self._stored.lease is None:
            raise LeaseLost(self._lost or f"The lease in {self._store.name} is not held.", "Nothing was written.")
        lease = dataclasses.replace(self._stored.lease.renewed(self._task, _utc()), released=release)
        began = self._elapsed()
        content = self._stored.snapshot if snapshot is None else snapshot
        try:
            version = self._write(lease, snapshot, self._stored)
        except ZeroTouchError:
            self._attempt = StoredState("", lease, content)
            raise
        self._stored, self._attempt = StoredState(version, lease, content), None
        self._confirmed = began

    def _write(self, lease: Lease, snapshot: bytes | None, before: StoredState) -> str:
        try:
            return self._store.write(lease, snapshot, before.version)
        except StoreConflict:
            pass
        # The record is as this run wrote it (only metadata changed, or an answer was lost), or another run changed it.
        now = self._store.read()
        if now is None or not any(_equal(now, known) for known in (self._stored, self._attempt)):
            other = f": {now.lease.holder()}" if now is not None and now.lease is not None else ""
            self._lost, self._confirmed = f"The lease in {self._store.name} was taken over by another run{other}.", None
            raise LeaseLost(self._lost, "This run writes nothing more.")
        self.stop_requested = self.stop_requested or (now.lease is not None and now.lease.stop)
        return self._store.write(lease, snapshot, now.version)

    def release(self) -> None:
        """End the lease, so that the next run need not wait. Without a lease nothing happens."""
        if self._stored is not None and not self._lost:
            self.write(None, release=True)
            self._stored = self._confirmed = None


def _equal(stored: StoredState, known: StoredState | None) -> bool:
    """Whether a record is as this run wrote it, apart from a request to stop."""
    if known is None or stored.snapshot != known.snapshot or stored.lease is None or known.lease is None:
        return False
    return dataclasses.replace(stored.lease, stop=False) == dataclasses.replace(known.lease, stop=False)


def store_holder(store: Store) -> str:
    """The run that holds the lease, in words; empty when no run holds it."""
    stored = store.read()
    return (
        stored.lease.holder() if stored is not None and stored.lease is not None and not stored.lease.released else ""
    )


def request_stop(store: Store, clock: Clock) -> str:
    """Ask the run that holds the lease to end; that run in words, empty when no run holds it.

    Raises what the store raises.
    """
    for _turn in turns(Deadline(clock, RENEW), 1.0):
        stored = store.read()
        if stored is None or stored.lease is None or stored.lease.released:
            return ""
        try:
            store.write(dataclasses.replace(stored.lease, stop=True), None, stored.version)
        except StoreConflict:
            continue  # it renewed meanwhile
        return stored.lease.holder()
    raise StoreConflict(f"The lease in {store.name} changes all the time.", "Try again.")
