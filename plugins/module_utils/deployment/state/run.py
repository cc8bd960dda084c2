# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Identify a run by the process of its playbook and a random id, so that all tasks of the run hold one lease."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import os
import secrets
import select
from pathlib import Path
from typing import Any

from ...common import json_text
from ...common.files import read_inside, write_atomic
from ...common.lock import Holder, start_time

NAME = ".run.json"


@dataclasses.dataclass(frozen=True)
class PlaybookRun:
    """One run. ``pid`` and ``started`` are those of the playbook; ``machine`` is where they are valid."""

    id: str
    host: str
    machine: str
    pid: int
    started: int

    def alive(self) -> bool:
        """Whether its process still exists, as far as this can be known. Only for a run of this machine."""
        return not self.started or start_time(self.pid) == self.started


class PlaybookEnd:
    """The end of a run's process, noticed when it happens.

    A release that comes after the end of a container's first process is too late.
    """

    def __init__(self, run: PlaybookRun) -> None:
        self._poll = select.poll()
        # Without pidfd, and for a process that has ended, each wait has its full length.
        with contextlib.suppress(OSError):
            self._poll.register(os.pidfd_open(run.pid), select.POLLIN)

    def wait(self, seconds: float) -> None:
        """Return after ``seconds``, or as soon as the process has ended."""
        self._poll.poll(seconds * 1000)


def this_run(root: Path) -> PlaybookRun:
    """The run of this process. Tasks of one playbook find the id in the work directory, whose lock the caller holds."""
    holder = Holder.this("")
    fresh = PlaybookRun(secrets.token_hex(16), holder.host, this_machine(), holder.run, holder.started)
    try:
        known = read_run(json_text.parse(read_inside(root / NAME)))
    except (OSError, ValueError):
        known = None
    if known is not None and fresh.started and dataclasses.replace(known, id=fresh.id) == fresh:
        return known
    write_atomic(root / NAME, json.dumps(dataclasses.asdict(fresh), sort_keys=True) + "\n")
    return fresh


def read_run(value: Any) -> PlaybookRun | None:
    """A run from JSON; None for anything else."""
    names = [field.name for field in dataclasses.fields(PlaybookRun)]
    fields: list[Any] = [value.get(name) for name in names] if isinstance(value, dict) else []
    if [type(field) for field in fields] != [str, str, str, int, int] or max(len(str(field)) for field in fields) > 200:
        return None
    return PlaybookRun(*fields)


def this_machine(proc: Path = Path("/proc")) -> str:
    """What makes process numbers unique: the boot of the machine and the namespace of processes; empty where it cannot
    be read.
    """
    try:
        boot_id = (proc / "sys/kernel/random/boot_id").read_text().strip()
        return f"{boot_id} " + os.readlink(proc / "self/ns/pid")
    except OSError:
        return ""
