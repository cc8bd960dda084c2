# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Lock a work directory, so that only one run at a time changes it. Each task that changes files there holds the lock.

The lock is a flock of the kernel, so it is released when its process ends, also after a crash. The content of the lock
file names the run. It also protects the work directory between two tasks of that run, when no process holds the flock.
Another run reads the content while it waits.
"""

from __future__ import annotations

import contextlib
import dataclasses
import datetime
import errno
import fcntl
import json
import multiprocessing
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from .clock import Clock
from .errors import ZeroTouchError
from .files import check_private, ensure_directory, open_inside
from .waiting import Deadline, turns

NAME = ".lock"
# Seconds. A run that was stopped needs up to 10 s to end; the next run waits a little longer than that.
WAIT = 15.0
_PAUSE = 0.1
# Seconds for which a run that lives keeps its place between two of its tasks.
_BETWEEN_TASKS = 60.0
_LARGEST = 4096
# What a work directory holds under fixed names: directories, and files whose content decides what a run does.
_NAMES = (
    "auth",
    "boot-artifacts",
    "cache",
    "config",
    "images",
    "logs",
    "state.json",
    "auth/kubeconfig",
    "auth/kubeconfig.direct",
)

# The key of ``module`` in files of earlier releases.
_OLDER_KEY = "door"


@dataclasses.dataclass(frozen=True)
class Holder:
    """Who holds the lock (``module`` at work) or held it last (``released`` in seconds of the epoch).

    ``pid`` is the process at work; ``run`` and ``started`` (clock ticks since boot, so that a later process of the same
    number is not taken for it) are the playbook's.
    """

    pid: int
    host: str
    module: str
    since: str
    run: int
    started: int
    released: float = 0.0

    @classmethod
    def this(cls, module: str) -> Holder:
        # Ansible's worker knows the playbook's process; a module of its own is a run of its own
        parent = multiprocessing.parent_process()
        run = os.getpid() if parent is None or parent.pid is None else parent.pid
        since = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
        return cls(os.getpid(), os.uname().nodename, module, since, run, start_time(run))

    @classmethod
    def read(cls, descriptor: int) -> Holder | None:
        """What the lock file says; None where it says nothing that can be understood."""
        try:
            values: dict[str, Any] = json.loads(os.pread(descriptor, _LARGEST, 0))
            if _OLDER_KEY in values:
                values["module"] = values.pop(_OLDER_KEY)
            holder = cls(**values)
            return dataclasses.replace(
                holder,
                pid=int(holder.pid),
                run=int(holder.run),
                started=int(holder.started),
                released=float(holder.released),
            )
        except (ValueError, TypeError):
            return None

    def write(self, descriptor: int) -> None:
        text = json.dumps(dataclasses.asdict(self)).encode()
        os.ftruncate(descriptor, os.pwrite(descriptor, text, 0))

    def is_between_tasks(self, other: Holder) -> bool:
        """Whether this run, which is not ``other``'s, is alive and probably goes on in a moment."""
        if (self.run, self.started) == (other.run, other.started) or not self.released:
            return False
        return (
            self.started > 0
            and self.started == start_time(self.run)
            and 0 <= time.time() - self.released < _BETWEEN_TASKS
        )

    def refusal(self, directory: Path) -> ZeroTouchError:
        where = "" if self.host == os.uname().nodename else f" on {self.host}"
        if self.released:
            text = (
                f"Another run (process {self.run}{where}) uses {directory}. Its last task was {self.module}; the "
                "next one has not started yet."
            )
        else:
            text = f"Another run uses {directory}: {self.module}, process {self.pid}{where}, since {self.since}."
        process = self.run if self.released else self.pid
        return ZeroTouchError(text, f"Wait until it has ended, or stop it (kill {process}{where}); then run again.")


@contextlib.contextmanager
def one_run(directory: Path, module: str, clock: Clock, limit: float = WAIT) -> Iterator[None]:
    """Be the only run that changes something in ``directory`` (made if need be) for the length of the block; ``module``
    is shown to other runs.

    Waits up to ``limit`` seconds for another run to end. Raises :class:`ZeroTouchError` naming it when it does not, and
    when there can be no lock.
    """
    me = Holder.this(module)
    other: Holder | None = me
    deadline = Deadline(clock, limit)
    descriptor = _open(directory)
    try:
        for _turn in turns(deadline, _PAUSE):
            if not _is_current(descriptor, directory):
                os.close(descriptor)
                descriptor = _open(directory)
            other = _take(descriptor, me, directory)
            if other is None:
                break
        if other is not None:
            raise other.refusal(directory)
        me.write(descriptor)
        try:
            yield
        finally:
            dataclasses.replace(me, released=time.time()).write(descriptor)
    finally:
        os.close(descriptor)


def _open(directory: Path) -> int:
    ensure_directory(directory)
    check_private(directory, _NAMES)
    path = directory / NAME
    try:
        return open_inside(path, os.O_RDWR | os.O_CREAT)
    except OSError as error:
        raise ZeroTouchError(
            f"{path} cannot be opened: {error.strerror}.", ("Runs on a work directory need write access to it.")
        ) from error


def _take(descriptor: int, me: Holder, directory: Path) -> Holder | None:
    """Take the lock; its holder where that is another run."""
    unknown = dataclasses.replace(me, pid=0, module="a task that is about to begin")
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno not in (errno.EWOULDBLOCK, errno.EACCES):
            raise ZeroTouchError(
                f"The work directory cannot be locked: {error.strerror}.",
                "The file system of the work directory must support file locks.",
            ) from error
        return Holder.read(descriptor) or unknown
    other = Holder.read(descriptor)
    if other is None or not other.is_between_tasks(me):
        return None if _is_current(descriptor, directory) else unknown
    fcntl.flock(descriptor, fcntl.LOCK_UN)
    return other


def _is_current(descriptor: int, directory: Path) -> bool:
    """Whether the open file still is the lock: the directory may have been removed meanwhile."""
    try:
        status = (directory / NAME).lstat()
    except FileNotFoundError:
        return False
    own = os.fstat(descriptor)
    return (status.st_dev, status.st_ino) == (own.st_dev, own.st_ino)


def start_time(pid: int) -> int:
    """Start time of a living process, 0 if there is none."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0
    return 0 if fields[0] in ("Z", "X") else int(fields[19])
