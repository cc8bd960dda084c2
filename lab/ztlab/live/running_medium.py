# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Monitor the medium of a running live system. A full live ISO contains the root file system, so the system reads from
the medium continuously.

A failed or changed read is a kernel error on the console. Programs that need the medium stop until it can be read again
(Linux ``drivers/scsi/sr.c``, ``fs/squashfs``: a failed read is not cached, so that the next one goes to the drive
again).
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable

from ..clock import LabClock
from ..machine.medium import Medium, MediumError

SECTOR = 2048
# Lab seconds between two reads that miss the page cache.
PAUSE = 30.0
# Number of places on the medium that are read in turn.
_PLACES = 7


class RunningMedium:
    """Whether the root file system can be read. ``log`` prints on the console."""

    def __init__(self, medium: Medium, clock: LabClock, log: Callable[[str], None]) -> None:
        self._medium = medium
        self._clock = clock
        self._log = log
        self._known: dict[int, bytes] = {}
        self._readable = asyncio.Event()
        self._readable.set()

    @property
    def readable(self) -> bool:
        return self._readable.is_set()

    @property
    def gone(self) -> bool:
        """Whether the medium was taken out: it does not come back."""
        return self._medium.lost

    async def wait(self) -> None:
        """Return when programs of the live system can run."""
        await self._readable.wait()

    async def run(self) -> None:
        """Read in turn until the medium is taken out."""
        turn = 0
        while not self.gone:
            # The first turns are those of the start of the system, which has read all of it.
            problem = await self._problem(self._offset(turn))
            if problem and self.readable:
                self._log(problem)
                self._readable.clear()
            elif not problem and not self.readable:
                self._log("dev sr0: reads succeed again; systemd restarts what had stopped.")
                self._readable.set()
            turn += 1
            if turn >= _PLACES:
                await self._clock.sleep(PAUSE)
        self._log("I/O error, dev sr0: the medium is gone.")
        # What is in the page cache runs on. What still needs the medium fails by itself (agent/installer.py).
        self._readable.set()

    def _offset(self, turn: int) -> int:
        return self._medium.size // SECTOR * (turn % _PLACES) // _PLACES * SECTOR

    async def _problem(self, offset: int) -> str:
        """Why the sector at ``offset`` cannot be used; empty when it can."""
        try:
            digest = hashlib.sha256(await self._medium.read(offset, min(SECTOR, self._medium.size - offset))).digest()
        except MediumError as error:
            sector = offset // 512
            return "" if self.gone else f"I/O error, dev sr0, sector {sector} op 0x0:(READ): {error}"
        if self._known.setdefault(offset, digest) != digest:
            return f"SQUASHFS error: Unable to read page, block {offset:x}: the medium holds something else than it did"
        return ""
