# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Ensure that only one cluster or InfraEnv of a name exists, although several runs may create it at the same time.

An assisted-service accepts any number of objects with the same name. So each run that created an object lists the
objects again. The oldest one stays. A run that created a later one deletes its own object if nothing uses it yet, and
continues with the oldest. If two remain (another tool created one, or a run was killed in between), the task fails and
names both.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence

from ...common.clock import Clock
from ...common.errors import PartialFailure
from ...common.waiting import Deadline, turns
from ..rest.client import Document

# Seconds that the deletion of the newer object may take: its run has to list, ask whether it is used, and delete.
PATIENCE = 15.0
_PAUSE = 0.5


@dataclasses.dataclass(frozen=True)
class Kind:
    """One kind of object. ``word`` is its name in messages; ``rivals`` lists the objects that are meant to be a single
    one; ``used`` returns what uses an object, or an empty text.
    """

    word: str
    rivals: Callable[[], Sequence[Document]]
    used: Callable[[Document], str]
    delete: Callable[[str], None]


def age(document: Document) -> tuple[str, str]:
    """Sorts objects, the oldest first, in the same order for every run."""
    return str(document.get("created_at") or ""), str(document.get("id"))


def settled(kind: Kind, own_id: str, clock: Clock) -> str:
    """The id of the object that stays, after ``own_id`` was created.

    Raises :class:`PartialFailure` where two remain.
    """
    others: list[Document] = []
    for _turn in turns(Deadline(clock, PATIENCE), _PAUSE):
        found = sorted(kind.rivals(), key=age)
        others = [item for item in found if item.get("id") != own_id]
        if not others:
            return own_id
        if found[0].get("id") != own_id:
            return _give_way(kind, own_id, found)
    raise _two_remain(kind, own_id, others, "made at the same time by something else, and still there")


def _give_way(kind: Kind, own_id: str, found: Sequence[Document]) -> str:
    own = next((item for item in found if item.get("id") == own_id), None)
    use = kind.used(own) if own is not None else ""
    if use:
        raise _two_remain(
            kind, own_id, found[:1], f"older than the one that this run created, which is used already: {use}"
        )
    if own is not None:
        kind.delete(own_id)
    return str(found[0]["id"])


def _two_remain(kind: Kind, own_id: str, others: Sequence[Document], why: str) -> PartialFailure:
    listed = ", ".join(str(item.get("id")) for item in others)
    words = (
        f"There are two {kind.word}s of one name: {own_id}, created by this run, and {listed}, {why}. Delete one "
        "of them, or set the id of the one to use."
    )
    return PartialFailure(words, {"changed": True})
