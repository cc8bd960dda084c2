# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Repeat the safety decision about a host if too much time has passed since the first one: when many hosts are booted,
the last ones wait for minutes.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from ..common.clock import Clock
from ..common.errors import ZeroTouchError
from ..common.parallel import Outcome
from .guard import Permission
from .protocol import Machines

# Seconds for which evidence about a machine is valid (docs/reference/safety.md).
VALID_FOR = 60.0


class LeftAlone(ZeroTouchError):
    """A later decision leaves a host as it is, which is no failure."""


class Recheck:
    """The decision about ``machines``, made again for those whose first change is later than ``VALID_FOR`` seconds.

    ``read_at`` is when the machines were read, ``decided_at`` when ``again`` was last decided, both before the work
    began. One new decision is for all hosts that still wait. A host that was refused once stays refused.
    """

    def __init__(
        self,
        again: Callable[[Machines], Permission] | None,
        machines: Machines,
        clock: Clock,
        *,
        read_at: float,
        decided_at: float,
    ) -> None:
        self._again = again
        self._waiting = {outcome.item.name: outcome for outcome in machines}
        self._clock = clock
        self._read_at, self._decided_at = read_at, decided_at
        self._refused: dict[str, ZeroTouchError] = {}
        self._lock = threading.Lock()

    def before_change(self, name: str, read: Callable[[], Any]) -> None:
        """Return if host ``name`` may be changed; ``read`` reads its power again and returns the machine.

        Raises :class:`LeftAlone` if the host is left as it is, and another :class:`ZeroTouchError` if it fails.
        """
        if self._again is None:
            return
        # A host that waits for the decision of another one accepts it, however long it takes.
        arrived = self._clock.now()
        machine = read() if arrived - self._read_at > VALID_FOR else None
        with self._lock:
            inspected = self._waiting.pop(name)
            known = inspected.result
            if name in self._refused:
                pass
            elif machine is not None and (known is None or machine.power_state != known.power_state):
                self._refused.update(_refused(self._again([Outcome(inspected.item, machine)])))
            elif arrived - self._decided_at > VALID_FOR:
                began = self._clock.now()
                waiting = [outcome for host, outcome in self._waiting.items() if host not in self._refused]
                self._refused.update(_refused(self._again([inspected, *waiting])))
                self._decided_at = began
            if name in self._refused:
                raise self._refused[name]


def _refused(permission: Permission) -> dict[str, ZeroTouchError]:
    left = {name: LeftAlone(reason) for name, reason in permission.without.items()}
    return {**left, **{name: ZeroTouchError(reason) for name, reason in permission.failing.items()}}
