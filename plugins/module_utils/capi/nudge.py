# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Watch several kinds of objects, and report only that something changed. The caller then reads everything again."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Sequence

from ..common.clock import Clock
from ..common.waiting import Deadline, next_event
from ..kube.client import KubeClient

# Seconds. Events within this time after the first one are reported together.
COLLECT = 0.3


class ChangeSignal:
    """Watch the list at each of ``paths`` for ``seconds``, each in a separate thread."""

    def __init__(self, client: KubeClient, paths: Sequence[str], seconds: float, clock: Clock) -> None:
        self._clock = clock
        self._events: queue.Queue[Exception | None] = queue.Queue()
        for path in paths:
            threading.Thread(
                target=self._read, args=(client, path, seconds), name="zerotouch-watch", daemon=True
            ).start()

    def wait(self, seconds: float) -> bool:
        """Until something changed, up to ``seconds``; False if nothing did.

        Raises what broke a watch, :class:`Interrupted` when asked to stop.
        """
        try:
            self._take(next_event(self._events, Deadline(self._clock, seconds)))
        except queue.Empty:
            return False
        time.sleep(COLLECT)
        while not self._events.empty():
            self._take(self._events.get())
        return True

    @staticmethod
    def _take(event: Exception | None) -> None:
        if event is not None:
            raise event

    def _read(self, client: KubeClient, path: str, seconds: float) -> None:
        try:
            for _event in client.follow(path, seconds):
                self._events.put(None)
        except Exception as error:  # judged by the thread that waits
            self._events.put(error)
