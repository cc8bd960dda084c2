# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""SIGINT and SIGTERM: finish the running request, close sessions, write state, be gone within ten seconds (design 4)."""

from __future__ import annotations

import contextlib
import os
import signal
import threading
from collections.abc import Callable, Iterator
from types import FrameType

from .errors import Interrupted

# Seconds. A request that runs when the signal arrives may take GRACE to end; closing down may take CLOSING after that.
GRACE = 5.0
CLOSING = 4.0
_SIGNALS = (signal.SIGINT, signal.SIGTERM)


@contextlib.contextmanager
def stop_on_signals(stop: threading.Event, grace: float = GRACE, closing: float = CLOSING) -> Iterator[None]:
    """Inside the block a signal sets ``stop``, which ends every wait at once (:class:`SystemClock`).

    A main thread that is still busy ``grace`` seconds later gets :class:`Interrupted`; a process that is still there ``closing`` seconds after
    the block (threads in a request that nobody answers) ends hard. Outside the main thread, where Python knows no signals, the block changes nothing.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    signalled, overdue, left = threading.Event(), threading.Event(), threading.Event()

    def insist() -> None:
        if not left.is_set():
            overdue.set()
            os.kill(os.getpid(), signal.SIGTERM)

    timer = _daemon_timer(grace, insist)

    def handle(signum: int, frame: FrameType | None) -> None:
        # Ansible passes Ctrl-C on as SIGINT followed by SIGTERM: a second signal is not more urgent than the first.
        if overdue.is_set():
            overdue.clear()
            raise Interrupted("Stopped by a signal.")
        stop.set()
        if not signalled.is_set():
            signalled.set()
            timer.start()

    before = {signum: signal.signal(signum, handle) for signum in _SIGNALS}
    try:
        yield
    finally:
        left.set()
        timer.cancel()
        for signum, handler in before.items():
            signal.signal(signum, handler if handler is not None else signal.SIG_DFL)
        if signalled.is_set():
            _daemon_timer(closing, lambda: os._exit(1)).start()


def _daemon_timer(seconds: float, call: Callable[[], object]) -> threading.Timer:
    timer = threading.Timer(seconds, call)
    timer.daemon = True
    return timer
