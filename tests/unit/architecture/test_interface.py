# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Compare the public interface (options, return values, plugins, roles) with its recording in tests/characterisation. A
difference fails the test, so that each change of the interface is reviewed in a separate commit.
"""

from __future__ import annotations

import difflib

from ansible_collections.zerotouch.openshift.tests.support.interface import RECORDED, interface_lines


def test_the_interface_is_as_recorded() -> None:
    recorded, found = RECORDED.read_text().splitlines(), interface_lines()
    changes = [
        line
        for line in difflib.unified_diff(recorded, found, "recorded", "found", lineterm="", n=0)
        if not line.startswith("@@")
    ]
    assert not changes, "\n".join(
        [*changes, ("If this is meant: PYTHONPATH=.build python tests/support/interface.py, in a commit of its own.")]
    )
