# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Format a progress line of a wait, at most 120 columns wide.

A wait prints a line when something changes, and otherwise every 60 seconds.
"""

from __future__ import annotations

from .terminal import one_line, shortened

COLUMNS = 120
# Seconds without a line after which one is due.
HEARTBEAT = 60.0


def line(elapsed: float, percent: int, text: str) -> str:
    """Return ``12:04  45% text`` (minutes and seconds since the wait began), cut to the width."""
    minutes, seconds = divmod(int(elapsed), 60)
    return shortened(f"{minutes:02d}:{seconds:02d} {percent:3d}% {one_line(text)}", COLUMNS)
