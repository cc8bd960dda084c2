# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""How faults are told."""

from __future__ import annotations

from ansible_collections.zerotouch.openshift.plugins.module_utils.common.errors import ZeroTouchError


def test_a_message_and_its_hint_are_two_sentences() -> None:
    assert str(ZeroTouchError("no route to host", "Look at the cable.")) == "no route to host. Look at the cable."
    assert str(ZeroTouchError("It is gone.", "Run again.")) == "It is gone. Run again."
    assert (str(ZeroTouchError("It is gone")), str(ZeroTouchError("", "Run again."))) == ("It is gone", "Run again.")
