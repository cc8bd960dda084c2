# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Store the lines of the plan that the tasks of a run print in check mode, and read them for lookup plan_lines.

They are in a file in the temporary directory of the run, which Ansible removes at its end.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from ansible import constants as C


def _journal() -> Path:
    return Path(C.DEFAULT_LOCAL_TMP) / "zerotouch-plan"


def add_lines(lines: Sequence[str]) -> None:
    """Append the lines of one task together, so that lines of parallel tasks do not mix."""
    if lines:
        handle = os.open(_journal(), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        with os.fdopen(handle, "a", encoding="utf-8") as file:
            file.write("".join(f"{' '.join(line.splitlines())}\n" for line in lines))


def read_lines() -> list[str]:
    try:
        return _journal().read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:
        return []


def shortened(lines: Sequence[str], limit: int) -> list[str]:
    """As many lines as have at most ``limit`` characters together, and how many more there are."""
    kept: list[str] = []
    size = 0
    for line in lines:
        size += len(line)
        if size > limit:
            more = len(lines) - len(kept)
            return [*kept, f"… and {more} more lines"]
        kept.append(line)
    return kept
