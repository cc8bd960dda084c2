# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Let a task save the state of its work directory in the configured state store.

A separate process of the run (``deployment/state/process.py``) renews the lease on the store and saves the state. Tasks
need neither the address of the store nor its credentials: they read the status of that process and send it requests
through files in :data:`DIRECTORY`. Without that directory no store is configured, and the work directory has the only
copy.
"""

from __future__ import annotations

import dataclasses
import json
import secrets
import time
from pathlib import Path
from typing import Any

from . import json_text
from .clock import Clock
from .errors import ZeroTouchError
from .files import read_inside, write_atomic
from .lock import start_time
from .waiting import Deadline, turns

DIRECTORY = ".store"
STATUS = "status.json"
STATE = "state.json"
SAVE, FORGET, FAILED = "save.", "forget.", "failed."
# Seconds. The process stops trusting a renewal of this age, long before another run may take the lease over
# (deployment/state/lease.py).
HOLD = 70.0
# Seconds for which a task waits until the state is stored.
_PATIENCE = 60.0
_LOOK = 0.05


class StoreLost(ZeroTouchError):
    """The state cannot be stored, or another run has the lease: this run must write to no machine."""


def since_boot() -> float:
    """Seconds on a clock that all processes of a machine share, and that counts the time in which the machine was
    suspended.
    """
    return time.clock_gettime(time.CLOCK_BOOTTIME)


@dataclasses.dataclass(frozen=True)
class StoreStatus:
    """What the process of run ``run`` last wrote.

    ``renewed`` is when the lease was last confirmed (:func:`since_boot`).

    ``lost`` says why it holds no lease, ``fault`` why the last attempt to store or to renew failed.
    """

    run: str
    store: str
    pid: int
    started: int
    renewed: float = 0.0
    lost: str = ""
    fault: str = ""
    ended: bool = False

    @property
    def alive(self) -> bool:
        return not self.ended and self.started > 0 and start_time(self.pid) == self.started

    def write(self, root: Path) -> None:
        write_atomic(root / DIRECTORY / STATUS, json.dumps(dataclasses.asdict(self), sort_keys=True) + "\n")

    @classmethod
    def read(cls, root: Path) -> StoreStatus | None:
        """The status; None where it cannot be read."""
        try:
            value: Any = json_text.parse(read_inside(root / DIRECTORY / STATUS))
            status = cls(**value)
        except (OSError, ValueError, TypeError):
            return None
        kinds = [type(field) for field in dataclasses.astuple(status)]
        return status if kinds == [str, str, int, int, float, str, str, bool] else None


class StoreLink:
    """The store of the work directory ``root``."""

    def __init__(self, root: Path, clock: Clock) -> None:
        self._root = root
        self._clock = clock

    @property
    def attached(self) -> bool:
        """Whether the state is in a store; otherwise the work directory is the store and every call here does
        nothing.
        """
        return (self._root / DIRECTORY).is_dir()

    def check(self) -> None:
        """Directly before each write to a machine. Raises :class:`StoreLost`."""
        if self.attached:
            self._status()

    def save(self) -> None:
        """Return when the state as it is now is in the store. Raises :class:`StoreLost`."""
        self._ask(SAVE)

    def finish(self) -> None:
        """Return when all that this run has written is in the store. The job of a playbook may end with its last task,
        and the process that stores the state with it.

        Raises :class:`StoreLost`. If the deployment was destroyed, its record is deleted, and the process has ended.
        """
        if (self._root / STATE).exists():
            self.save()

    def forget(self) -> None:
        """The deployment was destroyed: return when the store has no record any more, and its process has ended.

        Raises :class:`StoreLost`.
        """
        self._ask(FORGET)
        for _turn in turns(Deadline(self._clock, _PATIENCE), _LOOK):
            status = StoreStatus.read(self._root)
            if status is None or not status.alive:
                return

    def _ask(self, kind: str) -> None:
        if not self.attached:
            return
        token = secrets.token_hex(8)
        request, failed = (self._root / DIRECTORY / f"{name}{token}" for name in (kind, FAILED))
        self._status()
        write_atomic(request, "")
        try:
            for _turn in turns(Deadline(self._clock, _PATIENCE), _LOOK):
                if failed.exists():
                    raise StoreLost(f"The state cannot be stored. {failed.read_text(encoding='utf-8')}")
                if not request.exists():
                    return
                self._status()
        finally:
            request.unlink(missing_ok=True)
            failed.unlink(missing_ok=True)
        raise StoreLost(
            f"The state was not stored within {_PATIENCE:.0f} s.",
            "Check the store, then run again.",
        )

    def _status(self) -> StoreStatus:
        status = StoreStatus.read(self._root)
        if status is None or not status.alive:
            where = status.store if status is not None and status.store else "a store"
            raise StoreLost(
                status.lost
                if status is not None and status.lost
                else (f"The state of {self._root} is in {where}, and no process of this run stores it."),
                "Run the whole playbook (without --start-at-task): its first task opens the store.",
            )
        age = since_boot() - status.renewed
        if status.lost or age > HOLD:
            reason = (
                status.lost
                or (f"The lease in {status.store} could not be renewed for {age:.0f} s. {status.fault}").strip()
            )
            raise StoreLost(reason, "This run writes nothing more. Check the store, then run again.")
        return status
