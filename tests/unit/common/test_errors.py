# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test error messages: a message and its hint are two sentences, and a text from a remote service becomes one line that
is never cut inside a secret.
"""

from __future__ import annotations

import base64
import re

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.errors import (
    LONGEST_DETAIL,
    RemoteError,
    ZeroTouchError,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.secrets import HIDDEN, Redactor

from tests.support.hostile.terminals import PAYLOADS, harmful


def test_a_message_and_its_hint_are_two_sentences() -> None:
    assert str(ZeroTouchError("no route to host", "Look at the cable.")) == "no route to host. Look at the cable."
    assert str(ZeroTouchError("It is gone.", "Run again.")) == "It is gone. Run again."
    assert (str(ZeroTouchError("It is gone")), str(ZeroTouchError("", "Run again."))) == ("It is gone", "Run again.")


def test_no_text_of_a_service_controls_a_terminal() -> None:
    """Lookup and inventory plugins show the text of a fault without a module around it."""
    text = "".join(PAYLOADS.values())
    assert harmful(str(ZeroTouchError(text, text))) == [] == harmful(str(ZeroTouchError(text)))


def test_the_message_of_a_service_is_one_line() -> None:
    assert str(RemoteError("BMC", 400, "refused\nok: [localhost]\r\n", hint="Run again.")) == (
        "BMC answered 400: refused ok: [localhost]. Run again."
    )


def test_a_long_message_of_a_service_is_cut() -> None:
    error = RemoteError("BMC", 400, "word " * 100_000, "C" * 100_000)
    assert len(error.detail) < LONGEST_DETAIL + 50 and len(error.code) <= 200
    shown = re.fullmatch(r"(?s)(.*)… \((\d+) more characters\)", error.detail)
    assert shown is not None and len(shown[1]) + int(shown[2]) == 500_000
    assert RemoteError("BMC", 400, "x" * LONGEST_DETAIL).detail == "x" * LONGEST_DETAIL


@pytest.mark.parametrize("kept", range(4, 30))
@pytest.mark.parametrize(
    "form",
    ["correct horse battery!", "correct-horse-battery", base64.b64encode(b"admin:correct-horse-battery").decode()],
)
def test_a_cut_leaves_no_part_of_a_secret(form: str, kept: int) -> None:
    detail = "." * (LONGEST_DETAIL - 1 - kept) + " " + form + "." * 100
    shown = Redactor(["correct horse battery!", "correct-horse-battery"]).text(str(RemoteError("BMC", 400, detail)))
    assert form[:4] not in shown and ("more characters" in shown or HIDDEN in shown)
