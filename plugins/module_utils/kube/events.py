# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Yield the watch events of Kubernetes objects until a deadline, for a wait with a time limit."""

from __future__ import annotations

from collections.abc import Iterator

from ..common.waiting import Deadline, turns
from .client import Event, KubeClient


def events_until(
    client: KubeClient,
    path: str,
    deadline: Deadline,
    piece: float,
    *,
    field_selector: str = "",
) -> Iterator[Event]:
    """The objects at ``path`` now and at each change; ends after the first event that arrives past the deadline.

    The objects are listed again after each ``piece`` seconds, for a caller that with each event also looks at what is
    not watched. Raises what :meth:`KubeClient.follow` raises, and :class:`Interrupted` when the process was asked to
    stop.
    """
    clock = deadline.clock
    for _turn in turns(Deadline(clock), 0.0):
        for event in client.follow(path, deadline.piece(piece), field_selector=field_selector):
            clock.sleep(0)
            yield event
            if deadline.passed():
                return
