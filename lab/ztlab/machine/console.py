# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Write the serial console of a machine to a log file, and keep the latest line for ``ztlab status``."""

from __future__ import annotations

from pathlib import Path

from ..clock import LabClock


class Console:
    """Lines carry the lab time in seconds. ``phase`` names the current activity of the machine."""

    def __init__(self, path: Path, clock: LabClock) -> None:
        self.path = path
        self._clock = clock
        self.phase = "off"
        self.last = ""
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()

    def print(self, text: str, *, phase: str | None = None) -> None:
        """Append text, line by line; ``phase`` also sets the phase of the machine."""
        if phase is not None:
            self.phase = phase
        stamp = f"[{self._clock.now():10.1f}] "
        lines = text.splitlines() or [""]
        self.last = lines[-1]
        if not self.path.parent.is_dir():
            return  # the state directory was taken away; the lab ends itself within a second
        with self.path.open("a", encoding="utf-8") as file:
            file.writelines(f"{stamp}{line}\n" for line in lines)
