# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test how lists of names and reasons are formatted for a message."""

from __future__ import annotations

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.listed import appended, listed


@pytest.mark.parametrize(
    ("names", "most", "separator", "total", "text"),
    [
        ([], 3, ", ", None, ""),
        (["a"], 3, ", ", None, "a"),
        (["a", "b", "c"], 3, ", ", None, "a, b, c"),
        (["a", "b", "c", "d", "e"], 3, ", ", None, "a, b, c and 2 more"),
        (["a", "b", "c"], 1, ", ", None, "a and 2 more"),
        (["a", "b", "c"], 2, "; ", None, "a; b; and 1 more"),
        (["a", "b"], 3, ", ", 2, "a, b"),
        (["a", "b"], 3, ", ", 9, "a, b and 7 more"),
    ],
)
def test_listed(names: list[str], most: int, separator: str, total: int | None, text: str) -> None:
    assert listed(names, most, separator, total=total) == text


def test_appended() -> None:
    assert appended(" Hosts: ", ["a", "b"]) == " Hosts: a; b."
    assert appended(" Hosts: ", []) == ""
