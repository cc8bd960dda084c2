# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Call a function for many items in parallel, at most ``forks`` at a time, and return the outcome of every call."""

from __future__ import annotations

import concurrent.futures
import dataclasses
import threading
from collections.abc import Callable, Iterable, Sequence
from typing import Generic, TypeVar

from .errors import Interrupted

# Defaults of the option ``forks``: connections to BMCs, and objects of an API.
BMC_FORKS, API_FORKS = 20, 8

Item = TypeVar("Item")
Result = TypeVar("Result")


@dataclasses.dataclass(frozen=True)
class Outcome(Generic[Item, Result]):
    """Either ``result`` or ``error`` is set."""

    item: Item
    result: Result | None = None
    error: Exception | None = None


def for_each(items: Iterable[Item], call: Callable[[Item], Result], forks: int) -> Sequence[Outcome[Item, Result]]:
    """Call for every item, at most ``forks`` at the same time; outcomes in the order of the items.

    One failure does not stop the others: a bulk module reports the complete list. Once a call ended with
    :class:`Interrupted`, no other begins.
    """
    work = list(items)
    interrupted = threading.Event()

    def one(item: Item) -> Outcome[Item, Result]:
        if interrupted.is_set():
            return Outcome(item, error=Interrupted("Stopped by a signal."))
        try:
            return Outcome(item, result=call(item))
        except Exception as error:  # kept, and judged by the caller together with the others
            if isinstance(error, Interrupted):
                interrupted.set()
            return Outcome(item, error=error)

    if len(work) <= 1 or forks <= 1:
        return [one(item) for item in work]
    pool = concurrent.futures.ThreadPoolExecutor(max_workers=min(forks, len(work)), thread_name_prefix="zerotouch")
    try:
        outcomes = list(pool.map(one, work))
    except BaseException:
        # The main thread received a signal to stop: what runs may end by itself, what waits does not begin.
        interrupted.set()
        pool.shutdown(wait=False, cancel_futures=True)
        raise
    pool.shutdown()
    return outcomes
