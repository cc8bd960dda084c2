# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Decide which record is current when both the work directory and the state store have one.

Each version of a record has a :class:`Mark`: the random ``lineage`` of its store, a ``serial`` that each write
increases by one, and the digest of the files. A work directory keeps the mark of the version that it last read or
wrote. This detects a directory that another run has overtaken, and a store that lacks the last changes of a run that
was killed. In all other cases, a side is replaced only if the other side has all its records.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Literal

from ...common import json_text
from ...common.files import read_inside, write_atomic
from .snapshot import Snapshot

NAME = ".store.json"
StateAction = Literal["same", "restore", "store", "diverged"]


@dataclasses.dataclass(frozen=True)
class Mark:
    """One version of a record."""

    lineage: str
    serial: int
    digest: str

    @classmethod
    def read(cls, value: Any) -> Mark | None:
        """From JSON; None for anything else."""
        fields: list[Any] = (
            [value.get(name) for name in ("lineage", "serial", "digest")] if isinstance(value, dict) else []
        )
        if [type(field) for field in fields] != [str, int, str]:
            return None
        return cls(*fields)


@dataclasses.dataclass(frozen=True)
class Marks:
    """What a work directory knows about its store. ``store`` names it for people; versions are compared by their
    lineage.

    ``base`` is the version that was last read or written. ``pending`` is one whose write began, and whose answer may be
    lost. With ``restoring`` a restore began and did not end: the files of the directory do not count.
    """

    store: str = ""
    base: Mark | None = None
    pending: Mark | None = None
    restoring: bool = False

    @classmethod
    def load(cls, root: Path) -> Marks:
        """The marks of this directory; empty where there are none, or they cannot be read."""
        try:
            value = json_text.parse(read_inside(root / NAME))
        except (OSError, ValueError):
            return cls()
        if not isinstance(value, dict) or not isinstance(value.get("store"), str):
            return cls()
        return cls(
            value["store"],
            Mark.read(value.get("base")),
            Mark.read(value.get("pending")),
            value.get("restoring") is True,
        )

    def save(self, root: Path) -> None:
        """Write them to the directory.

        A work directory that was deleted meanwhile is not made again.
        """
        write_atomic(root / NAME, json.dumps(dataclasses.asdict(self), sort_keys=True) + "\n", parents=False)

    def settled(self, stored: Mark | None) -> Marks:
        """With a pending write that the store has after all."""
        return (
            dataclasses.replace(self, base=self.pending, pending=None)
            if stored is not None and stored == self.pending
            else self
        )


@dataclasses.dataclass(frozen=True)
class LineageChoice:
    """``same``: nothing to do. ``restore``: the store counts. ``store``: the work directory counts, and is stored.
    ``diverged``: a person decides.
    """

    action: StateAction
    reason: str


def choose(local: Snapshot, stored: Snapshot | None, mark: Mark | None, marks: Marks) -> LineageChoice:
    """Which side counts. ``stored`` and its ``mark`` are None for a store that was read and is empty; a snapshot
    without files was destroyed.
    """
    if stored is None or mark is None:
        return _of_empty_store(local, marks)
    if not stored.files and marks.restoring and local.state:
        return LineageChoice(
            "diverged",
            "a restore into this work directory was interrupted, and then another run destroyed the deployment",
        )
    if not local.state or marks.restoring:
        return (
            LineageChoice("restore", "the work directory has no record")
            if stored.files
            else LineageChoice("same", "neither side has a record")
        )
    marks = marks.settled(mark)
    if local.digest == stored.digest:
        return LineageChoice("same", "both sides are equal")
    if mark == marks.base:
        return LineageChoice("store", "the work directory has later changes")
    follows = marks.base is not None and mark.lineage == marks.base.lineage and mark.serial > marks.base.serial
    if follows and not stored.files:
        return LineageChoice(
            "diverged", ("another run destroyed the deployment, and this work directory still has its record")
        )
    if marks.base is not None and follows and local.digest == marks.base.digest:
        return LineageChoice("restore", "the store has later changes")
    return _by_content(local, stored)


def _of_empty_store(local: Snapshot, marks: Marks) -> LineageChoice:
    if marks.restoring:
        return LineageChoice(
            "diverged", ("a restore into this work directory was interrupted, and the store has no record any more")
        )
    if not local.state:
        return LineageChoice("same", "neither side has a record")
    reason = "the store lost its record" if marks.base is not None else "the store has no record yet"
    return LineageChoice("store", reason)


def _by_content(local: Snapshot, stored: Snapshot) -> LineageChoice:
    missing = list(missing_records(local.state, stored.state))
    if not missing:
        return LineageChoice("restore", "the store has all records of the work directory")
    other = list(missing_records(stored.state, local.state))
    if stored.files and not other:
        return LineageChoice("store", "the work directory has all records of the store")
    return LineageChoice(
        "diverged", (f"only the work directory has {_words(missing)}; only the store has {_words(other)}")
    )


def _words(records: list[str]) -> str:
    more = len(records) - 5
    shown = ", ".join(records[:5]) + (f" and {more} more" if more > 0 else "")
    return shown or "other files"


def missing_records(state: Mapping[str, Any], other: Mapping[str, Any]) -> Iterator[str]:
    """What is recorded in ``state`` and not in ``other``, in words: secrets, progress, and what was done to
    machines.
    """
    for name in ("secrets", "node_image", "assisted"):
        if state.get(name) and state[name] != other.get(name):
            yield f"section {name}"
    install, other_install = _mapping(state.get("install")), _mapping(other.get("install"))
    if install.get("phase") and (
        not other_install.get("phase") or install.get("started_at") != other_install.get("started_at")
    ):
        yield f"an installation in phase {install['phase']}"
    machines, others = _mapping(state.get("machines")), _mapping(other.get("machines"))
    for name, entry in machines.items():
        known = _mapping(others.get(name))
        # A later entry about the same machine replaces the earlier one.
        if entry != known and str(known.get("at") or "") <= str(_mapping(entry).get("at") or ""):
            yield f"machine {name}"


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}
