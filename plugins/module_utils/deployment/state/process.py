# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Renew the lease and store the state in a background process until the playbook ends, however it ends.

One process for the whole run can renew the lease between tasks and during tasks of other collections. It is also the
only process with the credentials of the store. It opens the store, reports the result to the task that started it
(:mod:`.attach`), and then runs independently of that task.
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from ...common.clock import Clock, SystemClock
from ...common.connect import ConnectTo
from ...common.errors import ZeroTouchError
from ...common.files import ensure_directory, write_atomic
from ...common.lock import start_time
from ...common.state import StateFile
from ...common.stop import SWITCH
from ...common.store_link import DIRECTORY, FAILED, FORGET, SAVE, STATE, StoreStatus, since_boot
from .errors import LeaseLost
from .lease import RENEW
from .methods import keys_of, open_store
from .options import StateOptions
from .run import PlaybookEnd, PlaybookRun
from .session import StoreSession
from .snapshot import CREDENTIALS, DIRECTORIES

# Seconds between two looks at the work directory, and between two writes of the status.
LOOK = 0.2
_STATUS_PAUSE = 5.0
# Seconds after the end of the playbook in which the state is stored and the lease released. A store that does not
# answer may need all attempts for both.
_LAST_CALLS = 180.0


def main() -> None:
    """Entry point of the process: the configuration is a JSON document on standard input, reports are JSON lines on
    standard output.
    """
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        # it ends with the playbook; what a terminal sends reaches the playbook too
        signal.signal(number, signal.SIG_IGN)
    config = json.load(sys.stdin)
    if os.fork():
        os._exit(0)  # the task waits for this one, not for the keeper
    end_with(PlaybookRun(**config["run"]))
    clock = SystemClock()
    try:
        keeper = Keeper.of(config, clock)
        opened = keeper.open(break_lock=config["break_lock"], show=lambda line: _report({"line": line}))
    except ZeroTouchError as error:
        _report({"failed": {"message": error.message, "hint": error.hint}})
        return
    _report({"opened": opened})
    _leave()
    keeper.run()


def end_with(run: PlaybookRun, patience: float = _LAST_CALLS) -> None:
    """End this process ``patience`` seconds after the playbook has ended, whatever it waits for then."""

    def watch() -> None:
        while run.alive():
            time.sleep(1.0)
        time.sleep(patience)
        os._exit(1)

    threading.Thread(target=watch, name="zerotouch-end", daemon=True).start()


def _report(document: Mapping[str, Any]) -> None:
    """A line for the task that started this process.

    If that has ended, the keeper's first look finds whether the playbook has too.
    """
    with contextlib.suppress(BrokenPipeError):
        sys.stdout.write(json.dumps(document) + "\n")
        sys.stdout.flush()


def _leave() -> None:
    """Stop being the child of the task: close its pipes."""
    nowhere = os.open(os.devnull, os.O_RDONLY)
    for descriptor in (0, 1, 2):
        os.dup2(nowhere, descriptor)
    os.close(nowhere)


class Keeper:
    """Stores the state of ``root`` in the store of ``session`` while ``run`` lives."""

    def __init__(self, session: StoreSession, name: str, root: Path, run: PlaybookRun) -> None:
        self._session, self._root, self._run = session, root, run
        self._status = StoreStatus(run.id, name, os.getpid(), start_time(os.getpid()))
        self._directory = root / DIRECTORY
        self._renewed = self._written = -1e9
        self._saved: Mapping[str, Any] = {}
        self._prints: frozenset[Any] = frozenset()
        self._dirty = self._urgent = self._stopped = self._forgotten = False

    @classmethod
    def of(cls, config: Mapping[str, Any], clock: Clock) -> Keeper:
        """From the configuration that :func:`.attach.attach` sends."""
        options, root, run = StateOptions(**config["options"]), Path(config["root"]), PlaybookRun(**config["run"])
        connect_to, _problems = ConnectTo.parse(config["connect_to"])
        store = open_store(options, cluster=config["cluster"], clock=clock, connect_to=connect_to)
        if store is None:
            raise ZeroTouchError(f"Method {options.method} has no store.")
        session = StoreSession(store, keys_of(options), config["cluster"], root, run, config["task"], clock)
        return cls(session, store.name, root, run)

    def open(self, *, break_lock: bool, show: Callable[[str], None]) -> dict[str, Any]:
        """Take the lease, restore or store, and begin to serve tasks. Raises :class:`StoreError`."""
        opened = self._session.open(break_lock=break_lock, show=show)
        ensure_directory(self._directory)
        for leftover in self._requests(SAVE, FORGET, FAILED):
            leftover.unlink(missing_ok=True)
        self._confirmed()
        self._saved, self._prints = self._state(), self._fingerprints()
        return dataclasses.asdict(opened)

    def run(self) -> None:
        """Serve until the playbook has ended, the deployment is forgotten, or the lease is lost."""
        end = PlaybookEnd(self._run)
        try:
            while self._run.alive() and self._directory.is_dir() and not self._forgotten:
                self.turn()
                end.wait(LOOK)
            self._end()
        except ZeroTouchError as error:
            self._note(lost=error.message)
        finally:
            self._note(ended=True)

    def turn(self) -> None:
        """One look: requests first, then changes, then the lease.

        Raises :class:`LeaseLost`; other faults of the store are tried again.
        """
        for request in self._requests(SAVE, FORGET):
            self._serve(request)
        prints = self._fingerprints()
        changed = prints ^ self._prints
        self._dirty = self._dirty or bool(changed)
        self._urgent = self._urgent or any(path.startswith(f"{CREDENTIALS}/") for path, *_print in changed)
        self._prints = prints
        if self._dirty:
            self._attempt(self._save_changes)
        if since_boot() - self._renewed >= RENEW:
            self._attempt(self._session.renew)
        if self._session.stop_requested and not self._stopped:
            write_atomic(self._root / SWITCH, "requested through the state store\n")
            self._stopped = True
        if since_boot() - self._written >= _STATUS_PAUSE:
            self._note()

    def _serve(self, request: Path) -> None:
        """Do what a task asks for, and answer: the request is deleted, or a file says why it failed."""
        try:
            if request.name.startswith(FORGET):
                self._session.forget()
                self._forgotten = True  # the caller deletes the files: this process writes no more of them
            else:
                self._session.save()
        except ZeroTouchError as error:
            write_atomic(self._directory / f"{FAILED}{request.name.rpartition('.')[2]}", str(error))
            if isinstance(error, LeaseLost):
                raise
            return
        self._saved = self._state()
        self._confirmed()
        request.unlink(missing_ok=True)

    def _save_changes(self) -> None:
        """Transitions and credentials at once, other changes at most once a minute: the job may end with its last task,
        and this process with it.
        """
        state = self._state()
        transition = self._urgent or is_transition(self._saved, state)
        if not state or self._session.save(transition=transition):
            self._saved, self._dirty, self._urgent = state, False, False
        else:
            self._dirty = not transition

    def _attempt(self, step: Callable[[], object]) -> None:
        """A step that the next turn repeats after a fault of the store. Raises :class:`LeaseLost`."""
        try:
            step()
        except LeaseLost:
            raise
        except ZeroTouchError as error:
            self._note(fault=error.message)
        else:
            self._confirmed()

    def _end(self) -> None:
        """The playbook has ended: store what it left, and release the lease."""
        for request in self._requests(SAVE, FORGET):
            self._serve(request)
        if self._state() and not self._forgotten:
            self._attempt(self._session.save)
        self._session.release()

    def _confirmed(self) -> None:
        """The store took a write under the lease."""
        self._renewed = self._session.renewed
        self._note(renewed=self._renewed, fault="")

    def _note(self, **changes: Any) -> None:
        self._status = dataclasses.replace(self._status, **changes)
        self._written = since_boot()
        if self._directory.is_dir():
            self._status.write(self._root)

    def _state(self) -> Mapping[str, Any]:
        """``state.json``; empty where there is none, or where it cannot be read (the task that finds it says so)."""
        try:
            return StateFile(self._root / STATE).read()
        except ZeroTouchError:
            return {}

    def _requests(self, *kinds: str) -> list[Path]:
        try:
            return sorted(path for path in self._directory.iterdir() if path.name.startswith(kinds))
        except FileNotFoundError:
            return []

    def _fingerprints(self) -> frozenset[Any]:
        """What changes when a file that is stored changes."""
        found = set()
        for path in (self._root / STATE, *(path for name in DIRECTORIES for path in (self._root / name).rglob("*"))):
            with contextlib.suppress(OSError):
                status = path.lstat()
                found.add((str(path.relative_to(self._root)), status.st_ino, status.st_size, status.st_mtime_ns))
        return frozenset(found)


# Sections in which each change counts: what machines were made to do, how far the installation is, and what only this
# state knows.
_TRANSITIONS = ("machines", "secrets", "image", "publish", "node_image", "assisted", "hub")


def is_transition(before: Mapping[str, Any], after: Mapping[str, Any]) -> bool:
    """Whether a change must be stored at once. Others, such as the stages of single hosts, wait up to a minute."""
    phases = [(state.get("install") or {}).get("phase") for state in (before, after)]
    return phases[0] != phases[1] or any(before.get(name) != after.get(name) for name in _TRANSITIONS)
