# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Manage the state of one deployment during one run: acquire the lease, update the work directory, store the state
after changes.

A run that cannot open or store its state changes no machine.
"""

from __future__ import annotations

import contextlib
import dataclasses
import math
import secrets
from collections.abc import Callable
from pathlib import Path

from ...common.clock import Clock
from ...common.errors import ZeroTouchError
from ...common.files import ensure_directory
from ...common.state import StateFile
from ...common.store_link import STATE
from .encryption import Keys
from .errors import StateDiverged, StoreError, StoreUnknown
from .keeper import LeaseKeeper
from .lineage import NAME as MARKS
from .lineage import Mark, Marks, StateAction, choose
from .record import read_record, seal_record
from .run import PlaybookRun
from .snapshot import Snapshot, read_files, restore
from .store import Store, StoredState

# Seconds between two stores of changes that are no transition.
PAUSE = 60.0
_APART = (
    "To keep the work directory, delete the record in the store. To keep the store, move state.json out of the work "
    "directory. Then run again."
)


@dataclasses.dataclass(frozen=True)
class OpenedState:
    """What was done with the work directory: ``same`` (nothing), ``restore`` (files came from the store) or ``store``
    (its changes were stored).
    """

    action: StateAction = "same"
    reason: str = ""
    serial: int = 0
    warnings: tuple[str, ...] = ()


def open_directory(root: Path) -> OpenedState:
    """Method ``directory``: the work directory is the store, and its lock is the lease.

    Raises :class:`StoreUnknown`.
    """
    marks = Marks.load(root)
    if marks.restoring:
        text = f"A restore from {marks.store} into {root} was interrupted."
        file = root / MARKS
        raise StoreUnknown(text, f"Set openshift_state to that store again. To go on without it, delete {file}.")
    check_record(root)
    return OpenedState()


class StoreSession:
    """Methods ``secret`` and ``http``, in the process that keeps the state (:mod:`.process`): one thread."""

    def __init__(
        self, store: Store, keys: Keys | None, cluster: str, root: Path, run: PlaybookRun, task: str, clock: Clock
    ) -> None:
        self._store, self._keys, self._cluster, self._root, self._run, self._clock = (
            store,
            keys,
            cluster,
            root,
            run,
            clock,
        )
        self._keeper = LeaseKeeper(store, run, task, clock)
        self._marks = Marks(store.name)
        self._mark: Mark | None = None  # of the record in the store
        self._saved = -math.inf

    def open(self, *, break_lock: bool = False, show: Callable[[str], None] = lambda line: None) -> OpenedState:
        """Take the lease, and make the work directory current.

        Raises :class:`StoreError`: then nothing is known and nothing may be touched.
        """
        stored = self._store.read()
        read_record(stored, self._keys, self._cluster, self._store.name)  # before anything is written
        if stored is None or stored.lease is None or stored.lease.run.id != self._run.id:
            self._store.probe(stored)
        stored = self._keeper.acquire(break_lock=break_lock, show=show)
        try:
            ensure_directory(self._root)
            return self._reconcile(stored)
        except BaseException:
            with contextlib.suppress(StoreError):
                self._keeper.release()
            raise

    def _reconcile(self, stored: StoredState) -> OpenedState:
        record = read_record(stored, self._keys, self._cluster, self._store.name)
        marks = Marks.load(self._root)
        if not marks.restoring:
            check_record(self._root)
        snapshot, self._mark = record if record is not None else (None, None)
        verdict = choose(read_files(self._root), snapshot, self._mark, marks)
        self._marks = marks.settled(self._mark)
        if verdict.action == "diverged":
            raise _diverged(self._root, self._store.name, verdict.reason)
        warnings = (
            [f"{self._store.name} lost its record; it is stored again."]
            if verdict.action == "store" and record is None and marks.base
            else []
        )
        if verdict.action == "restore" and snapshot is not None:
            self._restore(snapshot)
        if self._mark is not None and verdict.action != "store":
            self._note(Marks(self._store.name, base=self._mark))
        if verdict.action == "store":
            self.save()
        return OpenedState(verdict.action, verdict.reason, self._mark.serial if self._mark else 0, tuple(warnings))

    def _restore(self, snapshot: Snapshot) -> None:
        self._note(dataclasses.replace(self._marks, store=self._store.name, restoring=True))
        restore(snapshot, self._root)

    def _note(self, marks: Marks) -> None:
        marks.save(self._root)
        self._marks = marks

    def save(self, *, transition: bool = True) -> bool:
        """Store the state if it changed; other changes than a ``transition`` at most once a minute.

        Returns whether it was stored.
        """
        if not transition and self._clock.now() - self._saved < PAUSE:
            return False
        snapshot = read_files(self._root)
        if not snapshot.state:
            if self._mark is None or self._mark.digest == Snapshot().digest:
                return False
            state = self._root / STATE
            raise StoreUnknown(f"{state} has no record any more.", "Run again: it is restored from the store.")
        return self._put(snapshot)

    def _put(self, snapshot: Snapshot) -> bool:
        if self._mark is not None and self._mark.digest == snapshot.digest:
            return False
        lineage, serial = (
            (self._mark.lineage, self._mark.serial) if self._mark is not None else (secrets.token_hex(16), 0)
        )
        mark = Mark(lineage, serial + 1, snapshot.digest)
        sealed = seal_record(snapshot, mark, self._keys, self._cluster)
        self._note(dataclasses.replace(self._marks, store=self._store.name, pending=mark))
        self._keeper.write(sealed)
        self._mark = mark
        self._note(Marks(self._store.name, base=mark))
        self._saved = self._clock.now()
        return True

    def renew(self) -> None:
        """Confirm the lease. Raises :class:`StoreError`."""
        self._keeper.renew()

    @property
    def stop_requested(self) -> bool:
        """Whether another process asked this run to end."""
        return self._keeper.stop_requested

    @property
    def renewed(self) -> float:
        """When the lease was last confirmed, on the clock of :func:`since_boot`."""
        return self._keeper.confirmed

    def forget(self) -> None:
        """The deployment was destroyed, and ``state.json`` is deleted: the store has no record any more."""
        if self._mark is not None:
            self._put(Snapshot())

    def release(self) -> None:
        """The run has ended."""
        self._keeper.release()


def peek(store: Store, keys: Keys | None, cluster: str, root: Path) -> OpenedState:
    """Make the work directory current without the lease, for calls that change nothing else.

    Raises :class:`StoreUnknown`.
    """
    record = read_record(store.read(), keys, cluster, store.name)
    marks = Marks.load(root)
    if not marks.restoring:
        check_record(root)
    snapshot, mark = record if record is not None else (None, None)
    verdict = choose(read_files(root), snapshot, mark, marks)
    if verdict.action == "diverged":
        raise _diverged(root, store.name, verdict.reason)
    if verdict.action == "restore" and snapshot is not None:
        ensure_directory(root)
        dataclasses.replace(marks.settled(mark), restoring=True).save(root)
        restore(snapshot, root)
        Marks(store.name, base=mark).save(root)
    return OpenedState(verdict.action, verdict.reason, mark.serial if mark else 0)


def _diverged(root: Path, name: str, reason: str) -> StateDiverged:
    return StateDiverged(f"{root} and {name} have different records of this deployment: {reason}.", _APART)


def check_record(root: Path) -> None:
    """Raises :class:`StoreUnknown` for a ``state.json`` that cannot be read; none at all is fine."""
    try:
        StateFile(root / STATE).read()
    except ZeroTouchError as error:
        raise StoreUnknown(error.message, error.hint) from error
