# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test that texts from remote systems reach a terminal without characters that control the terminal or hide text."""

from __future__ import annotations

import json
import sys
import time

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.terminal import (
    one_line,
    printable,
    printable_data,
    shortened,
)
from hypothesis import given
from hypothesis import strategies as st

from tests.support.hostile.terminals import PAYLOADS, harmful


@pytest.mark.parametrize("payload", PAYLOADS)
def test_a_payload_is_shown_escaped(payload: str) -> None:
    text = PAYLOADS[payload]
    assert harmful(text), "the attack is one"
    assert harmful(printable(text)) == []
    visible = "".join(character for character in text if not harmful(character))
    remaining = iter(printable(text))
    assert all(character in remaining for character in visible), "nothing visible is lost"


def test_every_character_is_safe_after_it() -> None:
    everything = "".join(map(chr, range(sys.maxunicode + 1))) + "\r"
    assert harmful(printable(everything)) == []


@pytest.mark.parametrize(
    "text",
    [
        "plain",
        "line one\nline two\n",
        "tab\tstop",
        "dos\r\nfile\r\n",
        "Grüße aus Köln, 東京, Ελλάδα, עברית, العربية",
        "12:04  45% … – “x” → ✓",
        "",
    ],
)
def test_ordinary_text_stays(text: str) -> None:
    assert printable(text) is text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[31mx", "\\x1b[31mx"),
        ("a\u202eb", "a\\u202eb"),
        ("a\U000e0041", "a\\U000e0041"),
        ("a\rb", "a\\x0db"),
        ("a\ud800", "a\\ud800"),
    ],
)
def test_how_it_is_shown(text: str, shown: str) -> None:
    assert printable(text) == shown


@given(st.text(alphabet=st.characters(exclude_categories=()), max_size=80))
def test_any_text(text: str) -> None:
    shown = printable(text)
    assert harmful(shown) == []
    assert printable(shown) == shown
    line = one_line(text)
    assert harmful(line) == [] and "\n" not in line and "\t" not in line
    shown.encode()


@given(
    st.recursive(
        st.text(alphabet=st.characters(exclude_categories=()), max_size=20),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    )
)
def test_any_data(data: object) -> None:
    shown = json.dumps(printable_data(data), ensure_ascii=False).replace("\\n", "").replace("\\t", "")
    assert harmful(shown) == []


def test_data_keeps_its_shape_and_its_numbers() -> None:
    data = {"a\x1b": ["\x1b", 1, None, True, 1.5], "b": {"c": ("x", "\u202e")}}
    assert printable_data(data) == {"a\\x1b": ["\\x1b", 1, None, True, 1.5], "b": {"c": ["x", "\\u202e"]}}


def test_a_shortened_text_says_so() -> None:
    assert shortened("x" * 10, 10) == "x" * 10
    assert shortened("x" * 11, 10) == "x" * 9 + "…"


def test_long_texts_are_quick() -> None:
    text = "ordinary words of a log\n" * 100_000
    started = time.process_time()
    printable(text)
    assert time.process_time() - started < 1
