# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test hiding secrets that a remote service repeats in its response: every encoding of them is hidden, and short
secrets do not make the text unreadable.
"""

from __future__ import annotations

import json
import threading
from typing import Any

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.secrets import HIDDEN, Redactor, secret_values
from hypothesis import given
from hypothesis import strategies as st

from tests.support.hostile.echoes import ECHOES, traces

USER = "root"
PASSWORDS = [
    "correct-horse-battery",
    "p@ss/w+rd %1<&>",
    "gehe im&nis=?",
    "pässwörd-längé",
    "calvin",
    "12345678",
    'quo"te\\back',
    "a/b c",
    "~~~~????>>>>",
    "Tom&Jerry's+1",
]


def redacted(data: Any, password: str) -> Any:
    return Redactor(secret_values({"username": USER, "password": password})).data(data)


@pytest.mark.parametrize("password", PASSWORDS)
@pytest.mark.parametrize("form", ECHOES)
def test_no_form_of_a_password_comes_back(form: str, password: str) -> None:
    shown = redacted({"msg": f"BMC answered 400: {ECHOES[form](USER, password)}."}, password)["msg"]
    assert HIDDEN in shown
    assert [trace for trace in traces(password, USER) if trace in shown] == []


# Two letters that a host, a state or a number may have as well.
@pytest.mark.parametrize("password", ["a", "1", "on", "x y", "ü", "'", "/", "abc"])
@pytest.mark.parametrize(
    "form",
    [
        "basic",
        "basic without padding",
        "basic in JSON",
        "url-safe base64",
        "userinfo",
        "percent",
        "percent, lower case",
        "form",
        "form, lower case",
        "JSON",
        "JSON, not ASCII",
        "JSON in JSON",
        "JSON of PHP",
        "JSON of Go",
        "JSON of Go in JSON",
        "JSON in JSON of Go",
        "quoted",
    ],
)
def test_a_short_password_is_hidden_as_a_whole_value(form: str, password: str) -> None:
    echo = ECHOES[form]
    shown = redacted({"msg": echo(USER, password)}, password)["msg"]
    assert HIDDEN in shown
    # The same text with another short password is as long: nothing else was hidden.
    assert shown == redacted({"msg": echo(USER, "zz9")}, "zz9")["msg"]


@pytest.mark.parametrize("password", ["a", "1", "on", "the", "0"])
def test_a_short_password_leaves_texts_readable(password: str) -> None:
    text = "node-1: a BMC at 10.0.0.1 turned on the host in 10 s; the power is on (a 1, 'on the way')"
    assert redacted({"text": text, "changed": True, "count": 1, "list": ["a 1", "on-line"]}, password) == {
        "text": text,
        "changed": True,
        "count": 1,
        "list": ["a 1", "on-line"],
    }


def test_a_short_password_alone_is_hidden() -> None:
    assert redacted({"password": "1", "echo": "1", "echoed": ["1", " 1 "], "other": "11"}, "1") == {
        "password": HIDDEN,
        "echo": HIDDEN,
        "echoed": [HIDDEN, HIDDEN],
        "other": "11",
    }


@pytest.mark.parametrize("cut", range(4, 21))
def test_a_password_that_was_cut_off_with_its_text_is_hidden(cut: int) -> None:
    shown = redacted(f"BMC answered: wrong password {'correct-horse-battery'[:cut]}…", "correct-horse-battery")
    assert shown == f"BMC answered: wrong password {HIDDEN}…"


def test_a_secret_that_repeats_itself_is_hidden_from_its_beginning() -> None:
    assert redacted("bad password aaaaaaaaaa…", "aaaaaaaaaaaaaaaa") == f"bad password {HIDDEN}…"


def test_secrets_that_come_while_others_are_hidden() -> None:
    """Threads of a bulk report progress while another one learns a token."""
    redactor = Redactor(["correct-horse-battery"])
    secrets = [f"secret-number-{number}" for number in range(300)]
    left: list[str] = []

    def report() -> None:
        for _round in range(100):
            left.extend(text for text in [redactor.text("x correct-horse-battery y …")] if "horse" in text)

    threads = [threading.Thread(target=report) for _number in range(4)]
    for thread in threads:
        thread.start()
    for secret in secrets:
        redactor.add([secret])
    for thread in threads:
        thread.join()
    assert left == []
    assert [secret for secret in secrets if secret in redactor.text(secret)] == []


def test_a_text_that_was_cut_off_elsewhere_stays() -> None:
    text = "BMC answered: this is the correct… and cor…"
    assert redacted(text, "correct-horse-battery") == f"BMC answered: this is the {HIDDEN}… and cor…"
    assert redacted(text, "incorrect-horse-battery") == text


def test_ordinary_base64_and_words_stay() -> None:
    text = (
        "/redfish/v1/Systems/437XR1138R2 bm90aGluZyBzZWNyZXQgaGVyZQ== 9f86d081884c7d659a2feaa0c55ad015 administrator "
        "cGFzcw"
    )
    assert redacted(text, "correct-horse-battery") == text


@given(
    st.text(alphabet=st.characters(codec="utf-8", exclude_categories=("Cc", "Cs")), min_size=4, max_size=24).filter(
        lambda text: len(text.strip()) >= 4
    ),
    st.sampled_from(sorted(ECHOES)),
    st.text(alphabet="abcdefghijklmnopqrstuvwxyz-", min_size=1, max_size=12),
)
def test_any_password_in_any_form(password: str, form: str, user: str) -> None:
    """The password is between quotes, or encoded, in each form: it stands alone and must be hidden, however it is made
    up.
    """
    shown = Redactor(secret_values({"username": user, "password": password})).text(ECHOES[form](user, password))
    around = Redactor(secret_values({"username": user, "password": password})).text(ECHOES[form](user, ""))
    assert [
        trace for trace in traces(password, user) if trace in shown and trace not in around and trace not in HIDDEN
    ] == []


@given(
    st.recursive(
        st.text(max_size=60) | st.integers() | st.none(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(max_size=8), inner),
    )
)
def test_any_data_keeps_its_shape(data: Any) -> None:
    redactor = Redactor(["correct-horse-battery", "1", "calvin"])
    clean = redactor.data(data)
    assert json.dumps(redactor.data(clean)) == json.dumps(clean)
