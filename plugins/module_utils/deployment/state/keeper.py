# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""The lease of this run on a store: taken, renewed while a task works, checked before each write to a machine, released
at the end.

Every write to the store goes through here, so that each write is a renewal, and a run without its lease writes nothing.
"""

from __future__ import annotations

import contextlib
import dataclasses
import datetime
import math
import threading
import time
from collections.abc import Callable, Iterator

from ...common.clock import Clock
from ...common.errors import ZeroTouchError
from ...common.waiting import Deadline, turns
from .errors import LeaseHeld, LeaseLost, StoreConflict
from .lease import HOLD, RENEW, TAKE_OVER, Lease, LeaseWatch, decide, ended, observe
from .run import PlaybookRun
from .store import Store, StoredState

# Seconds between two reads of a waiter.
_LOOK = 5.0
_BREAK = "openshift_force=break_lock takes the lease from it; make sure before that it writes to no machine."


def since_boot() -> float:
    """Seconds on a clock that counts the time in which the machine was suspended, unlike :func:`time.monotonic`."""
    return time.clock_gettime(time.CLOCK_BOOTTIME)


def _utc() -> str:
    return datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


class LeaseKeeper:
    """The lease of ``run`` while it does ``task``. ``elapsed`` is the clock for the age of a renewal."""

    def __init__(self, store: Store, run: PlaybookRun, task: str, clock: Clock, elapsed: Callable[[], float] = since_boot) -> None:
        self._store, self._run, self._task, self._clock, self._elapsed = store, run, task, clock, elapsed
        self._lock = threading.Lock()
        self._stored: StoredState | None = None
        self._attempt: StoredState | None = None  # a write of which no answer is known
        self._confirmed: float | None = None
        self._lost = ""
        self._fault = ""  # of the latest renewal
        self.stop_requested = False

    def acquire(self, *, break_lock: bool = False, show: Callable[[str], None] = lambda line: None) -> StoredState:
        """Take the lease; the record as it is then. A lease that this run has already is renewed.

        Waits for the end of another run's lease. Raises :class:`LeaseHeld` as soon as that run renews it, and what the
        store raises.
        """
        watch: LeaseWatch | None = None
        for _turn in turns(Deadline(self._clock, 2 * TAKE_OVER), _LOOK):
            began = self._clock.now()
            stored = self._store.read()
            before, watch = watch, observe(watch, stored.lease if stored else None, self._clock.now())
            verdict = decide(watch, self._run, began, ended=ended(watch.lease, self._run), break_lock=break_lock)
            if verdict == "take" and (taken := self._take(stored)) is not None:
                return taken
            if verdict == "refuse":
                break
            if verdict == "wait" and before is None and watch.lease is not None:
                show(f"state: waiting up to {TAKE_OVER:.0f} s for the lease of {watch.lease.holder()}")
        holder = watch.lease.holder() if watch is not None and watch.lease is not None else "an unknown run"
        raise LeaseHeld(
            f"Another run works on this deployment: {holder}. It holds the lease in {self._store.name}.",
            f"Wait until it has ended, or stop it; then run again. If it cannot be stopped, {_BREAK}",
        )

    def _take(self, stored: StoredState | None) -> StoredState | None:
        """The record with the lease of this run; None if another run was faster."""
        former = stored.lease if stored is not None and stored.lease is not None and stored.lease.run.id == self._run.id else None
        lease = former.renewed(self._task, _utc()) if former is not None else Lease(self._run, self._task, _utc())
        began = self._elapsed()
        try:
            version = self._store.write(lease, None, stored.version if stored else None)
        except StoreConflict:
            return None
        with self._lock:
            self._stored, self._confirmed, self._lost = (
                StoredState(version, lease, stored.snapshot if stored else b""),
                began,
                "",
            )
            return self._stored

    def check(self) -> None:
        """Directly before a write to a machine. Raises :class:`LeaseLost`; contacts nothing."""
        if self._lost:
            raise LeaseLost(self._lost, "This run writes nothing more. Wait until the other run has ended, then run again.")
        age = None if self._confirmed is None else self._elapsed() - self._confirmed
        if age is None or age > HOLD:
            reason = f" ({self._fault})" if self._fault else ""
            text = "was never taken" if age is None else f"could not be renewed for {age:.0f} s{reason}"
            raise LeaseLost(
                f"The lease in {self._store.name} {text}. Another run may take it over.",
                "This run writes nothing more. Check the store, then run again.",
            )

    @property
    def confirmed(self) -> float:
        """When the last write began that the store took."""
        return -math.inf if self._confirmed is None else self._confirmed

    def renew(self) -> None:
        """Confirm the lease. Raises :class:`LeaseLost`, or what the store raises."""
        self.write(None)

    def write(self, snapshot: bytes | None, *, release: bool = False) -> None:
        """Renew the lease and store a sealed snapshot (None: as it is). Raises :class:`LeaseLost`, or what the store
        raises.
        """
        with self._lock:
            if self._lost or self._stored is None or self._stored.lease is None:
                raise LeaseLost(self._lost or f"The lease in {self._store.name} is not held.", "Nothing was written.")
            lease = dataclasses.replace(self._stored.lease.renewed(self._task, _utc()), released=release)
            began = self._elapsed()
            content = self._stored.snapshot if snapshot is None else snapshot
            try:
                version = self._write(lease, snapshot, self._stored)
            except ZeroTouchError as error:
                self._attempt, self._fault = StoredState("", lease, content), error.message
                raise
            self._stored, self._attempt = StoredState(version, lease, content), None
            self._confirmed, self._fault = began, ""

    def _write(self, lease: Lease, snapshot: bytes | None, before: StoredState) -> str:
        try:
            return self._store.write(lease, snapshot, before.version)
        except StoreConflict:
            pass
        # The record is as this run wrote it (only metadata changed, or an answer was lost), or another run changed it.
        now = self._store.read()
        if now is None or not any(_equal(now, known) for known in (self._stored, self._attempt)):
            other = f": {now.lease.holder()}" if now is not None and now.lease is not None else ""
            self._lost = f"The lease in {self._store.name} was taken over by another run{other}."
            raise LeaseLost(self._lost, "This run writes nothing more.")
        self.stop_requested = self.stop_requested or (now.lease is not None and now.lease.stop)
        return self._store.write(lease, snapshot, now.version)

    def release(self) -> None:
        """End the lease, so that the next run need not wait. Without a lease nothing happens."""
        with self._lock:
            held = self._stored is not None and not self._lost
        if held:
            self.write(None, release=True)
            with self._lock:
                self._stored = self._confirmed = None

    @contextlib.contextmanager
    def keeping(self, stop: threading.Event | None = None, ending: threading.Event | None = None) -> Iterator[None]:
        """Renew the lease every :data:`RENEW` seconds during the block. ``stop`` is set when it is lost. ``ending``
        ends the thread.

        At the end of the block it is renewed once more, for the time until the next task of this run.
        """
        ending = ending or threading.Event()
        thread = threading.Thread(target=self._keep, args=(ending, stop), name="zerotouch-lease", daemon=True)
        thread.start()
        try:
            yield
        finally:
            ending.set()
            thread.join()
        with contextlib.suppress(ZeroTouchError):  # the next task confirms it, or stops
            self.renew()

    def _keep(self, ending: threading.Event, stop: threading.Event | None) -> None:
        while not ending.wait(RENEW):
            if not self._run.alive():
                self._lost = "The playbook of this run has ended."
            else:
                with contextlib.suppress(ZeroTouchError):  # check() has the fault
                    self.renew()
            if self._lost:
                if stop is not None:
                    stop.set()
                return


def _equal(stored: StoredState, known: StoredState | None) -> bool:
    """Whether a record is as this run wrote it, apart from a request to stop."""
    if known is None or stored.snapshot != known.snapshot or stored.lease is None or known.lease is None:
        return False
    return dataclasses.replace(stored.lease, stop=False) == dataclasses.replace(known.lease, stop=False)


def store_holder(store: Store) -> str:
    """The run that holds the lease, in words; empty when no run holds it."""
    stored = store.read()
    return stored.lease.holder() if stored is not None and stored.lease is not None and not stored.lease.released else ""


def request_stop(store: Store, clock: Clock) -> str:
    """Ask the run that holds the lease to end; that run in words, empty when no run holds it. Raises what the store raises."""
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
