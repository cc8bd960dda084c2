# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test the message that explains why a run stops: hosts are grouped by row and remedy, and many hosts are counted."""

from __future__ import annotations

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.stop_reason import (
    StoppingHost,
    StopReason,
    message_of,
)


@pytest.mark.parametrize(
    ("stop", "message"),
    [
        (None, ""),
        (StopReason("It is installed."), "It is installed."),
        (StopReason("The configuration changed.", "Undo the change."), "The configuration changed. Undo the change."),
    ],
)
def test_message(stop: StopReason | None, message: str) -> None:
    assert message_of(stop) == message


def test_hosts_are_grouped_by_row_and_remedy() -> None:
    hosts = (
        StoppingHost("a", "its power is on", "Use take_over.", "13"),
        StoppingHost("b", "it runs cluster other.", "Name that cluster.", "3"),
        StoppingHost("c", "its power is on", "Use take_over.", "13"),
        StoppingHost("d", "its power is unknown", "Use take_over.", "13"),
        StoppingHost("e", "its power is on", "Use take_over.", "14"),
    )
    assert str(StopReason("No machine was touched.", hosts=hosts)).splitlines() == [
        "No machine was touched.",
        "a, c: its power is on.",
        "d: its power is unknown.",
        "Use take_over.",
        "b: it runs cluster other.",
        "Name that cluster.",
        "e: its power is on.",
        "Use take_over.",
    ]


def test_many_hosts_are_counted() -> None:
    hosts = tuple(StoppingHost(f"n{number}", "off") for number in range(33))
    assert str(StopReason("No machine was touched.", hosts=hosts)).endswith("n29 and 3 more: off.")
