# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""End a task early: on SIGINT, on SIGTERM, at the end of the ansible-playbook process, or by the stop switch.

The task finishes the running request, closes sessions and writes state within ten seconds. The stop switch is a file in
the work directory. It is for jobs that get SIGKILL and no earlier signal (ansible/ansible-runner
``ansible_runner/runner.py``, handle_termination: SIGKILL).
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import select
import signal
import threading
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import FrameType
from typing import Any

from .clock import Stop
from .errors import Interrupted

# Seconds. A request that runs when the signal arrives may take GRACE to end; closing down may take CLOSING after that.
GRACE = 5.0
CLOSING = 4.0
# Seconds between checks whether the parent process still exists.
LOOK = 1.0
_SIGNALS = (signal.SIGINT, signal.SIGTERM)
# The stop switch, in the work directory. The first task of the next run removes it.
SWITCH = "stop"


@contextlib.contextmanager
def stop_on_signals(
    stop: Stop, grace: float = GRACE, closing: float = CLOSING, switch: Path | None = None
) -> Iterator[None]:
    """Inside the block a signal sets ``stop``, which ends every wait at once (:class:`SystemClock`).

    So does the end of the parent process: after a ``kill -9`` of the playbook no process waits for a result, and the
    next run must not find this one still at work.

    A main thread that is still busy ``grace`` seconds later gets :class:`Interrupted`; a process that still exists
    ``closing`` seconds after the block (threads in a request without an answer) ends hard. Outside the main thread,
    where Python handles no signals, the block changes nothing.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    watch = _Watch(stop, grace, switch)
    before = {signum: signal.signal(signum, watch.handle) for signum in _SIGNALS}
    try:
        yield
    finally:
        for signum, handler in before.items():
            signal.signal(signum, handler if handler is not None else signal.SIG_DFL)
        watch.end()
        if watch.signalled:
            last = threading.Timer(closing, lambda: os._exit(1))
            last.daemon = True
            last.start()


def parent_process() -> int:
    """The process that waits for this one.

    A worker that Ansible forked reads its own record, which also shows a parent that died early.
    """
    parent = multiprocessing.parent_process()
    return os.getppid() if parent is None or parent.pid is None else parent.pid


def switch_of(params: Mapping[str, Any]) -> Path | None:
    """The stop switch for a call with these parameters; None where it belongs to no work directory."""
    if params.get("work_dir"):
        return Path(str(params["work_dir"])) / SWITCH
    return Path(str(params["state_file"])).parent / SWITCH if params.get("state_file") else None


class _Watch:
    """Carries a signal to a thread that acts on it.

    The kernel may hand a signal to any thread, and a main thread that waits for a lock does not notice then; inside a
    handler no lock may be taken either, since it may interrupt the main thread within that lock. So Python's C handler
    writes a byte to a pipe, and the thread does the rest.
    """

    def __init__(self, stop: Stop, grace: float, switch: Path | None = None) -> None:
        self.stop = stop
        self.switch = switch
        self.grace = grace
        self.signalled = False
        self._overdue = False
        self._parent = parent_process()
        self._reader, self._writer = os.pipe()
        os.set_blocking(self._writer, False)
        self._wakeup_before = signal.set_wakeup_fd(self._writer, warn_on_full_buffer=False)
        self._thread = threading.Thread(target=self._wait, name="zerotouch-signals", daemon=True)
        self._thread.start()

    def handle(self, signum: int, frame: FrameType | None) -> None:
        if self._overdue:
            self._overdue = False
            raise Interrupted("Stopped by a signal.")

    def _wait(self) -> None:
        while not select.select([self._reader], [], [], LOOK)[0]:
            if os.getppid() != self._parent:
                break  # the playbook has ended
            if self.switch is not None and self.switch.exists():
                self.stop.reason = f"The file {self.switch} stopped this run. Run the playbook again to continue."
                break
        else:
            if not os.read(self._reader, 1):
                return  # the block ended without a signal
        self.signalled = True
        self.stop.set()
        end = time.monotonic() + self.grace
        # Ansible passes Ctrl-C on as SIGINT followed by SIGTERM: a second signal is not more urgent than the first.
        while (left := end - time.monotonic()) > 0:
            if select.select([self._reader], [], [], left)[0] and not os.read(self._reader, 1):
                return
        self._overdue = True
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGTERM)

    def end(self) -> None:
        signal.set_wakeup_fd(self._wakeup_before)
        os.close(self._writer)
        self._thread.join()
        os.close(self._reader)
