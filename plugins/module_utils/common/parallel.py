# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Many hosts at once, a bounded number at a time, every outcome kept."""

from __future__ import annotations

import concurrent.futures
import dataclasses
from collections.abc import Callable, Iterable, Sequence
from typing import Generic, TypeVar

I = TypeVar("I")
R = TypeVar("R")


@dataclasses.dataclass(frozen=True)
class Outcome(Generic[I, R]):
    """Either ``result`` or ``error`` is set."""

    item: I
    result: R | None = None
    error: Exception | None = None


def for_each(items: Iterable[I], call: Callable[[I], R], forks: int) -> Sequence[Outcome[I, R]]:
    """Call for every item, at most ``forks`` at the same time; outcomes in the order of the items.

    One failure does not stop the others: a bulk door reports the complete list.
    """
    work = list(items)

    def one(item: I) -> Outcome[I, R]:
        try:
            return Outcome(item, result=call(item))
        except Exception as error:  # noqa: BLE001 - kept, and judged by the caller together with the others
            return Outcome(item, error=error)

    if len(work) <= 1 or forks <= 1:
        return [one(item) for item in work]
    with concurrent.futures.ThreadPoolExecutor(max_workers=min(forks, len(work)), thread_name_prefix="zerotouch") as pool:
        return list(pool.map(one, work))
