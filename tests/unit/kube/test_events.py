# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test reading watch events of Kubernetes objects up to a deadline: a watch in parts, a last read at the limit, and an
end on request.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.errors import Interrupted
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.waiting import Deadline
from ansible_collections.zerotouch.openshift.plugins.module_utils.kube.client import Event, KubeClient
from ansible_collections.zerotouch.openshift.plugins.module_utils.kube.events import events_until
from ansible_collections.zerotouch.openshift.tests.support.clock import Clock


class Watched:
    """A client whose watches list at once, and then report a change each 2 s."""

    def __init__(self, clock: Clock) -> None:
        self.clock = clock
        self.pieces: list[float] = []

    def follow(self, path: str, seconds: float, **selectors: Any) -> Iterator[Event]:
        assert (path, selectors) == ("/pools", {"field_selector": "metadata.name=a"})
        self.pieces.append(seconds)
        end = self.clock.time + seconds
        yield Event("LISTED")
        while self.clock.time + 2.0 <= end:
            self.clock.time += 2.0
            yield Event("MODIFIED")
        self.clock.time = end


def events(clock: Clock, limit: float) -> tuple[list[tuple[str, float]], list[float]]:
    client = Watched(clock)
    found = events_until(
        cast(KubeClient, client), "/pools", Deadline(clock, limit), 5.0, field_selector="metadata.name=a"
    )
    return [(event.type, clock.time) for event in found], client.pieces


@pytest.mark.parametrize(
    ("limit", "seen", "pieces"),
    [
        (0.0, [("LISTED", 0.0)], [1.0]),
        (5.0, [("LISTED", 0.0), ("MODIFIED", 2.0), ("MODIFIED", 4.0), ("LISTED", 5.0)], [5.0, 1.0]),
        (4.0, [("LISTED", 0.0), ("MODIFIED", 2.0), ("MODIFIED", 4.0)], [4.0]),
        (
            6.5,
            [("LISTED", 0.0), ("MODIFIED", 2.0), ("MODIFIED", 4.0), ("LISTED", 5.0), ("LISTED", 6.5)],
            [5.0, 1.5, 1.0],
        ),
    ],
)
def test_the_last_event_is_at_the_deadline(limit: float, seen: list[tuple[str, float]], pieces: list[float]) -> None:
    assert events(Clock(), limit) == (seen, pieces)


def test_a_process_that_was_asked_to_stop() -> None:
    clock = Clock()
    clock.stop_at = 3.0
    with pytest.raises(Interrupted):
        events(clock, 60.0)
    assert clock.time == 4.0
