# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test writing YAML in the format of upstream's tools: the text is the same with and without libyaml, and values read
back unchanged.
"""

from __future__ import annotations

from typing import Any

import pytest
import yaml
from ansible_collections.zerotouch.openshift.plugins.module_utils.common import yaml_text
from hypothesis import given, settings
from hypothesis import strategies as st

DOCUMENT: dict[str, Any] = {
    "zeta": {"b": [], "a": {}},
    "alpha": [{"name": "eth0", "mac": "52:54:00:e7:05:72", "numbers": "52:54:00:10:05:12"}, ["nested", ["deeper"]]],
    "text": "one\ntwo\n",
    "no-end": "one\ntwo",
    "trailing": "one \ntwo",
    "long": "ssh-rsa " + "word " * 60 + "end",
    "quote": 'it\'s "quoted"',
    "colon": "a: b",
    "json": '{"platform":{"external":{"platformName":"x"}}}',
    "unicode": "Zürich – ✓",
    "empty": "",
    "yes": "no",
    "number": 1,
    "truth": True,
    "nothing": None,
    "tab": "a\tb",
}

TEXT = """\
alpha:
- mac: 52:54:00:e7:05:72
  name: eth0
  numbers: "52:54:00:10:05:12"
- - nested
  - - deeper
colon: 'a: b'
empty: ""
json: '{"platform":{"external":{"platformName":"x"}}}'
"""


@pytest.fixture
def without_libyaml(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.delattr(yaml, "CSafeDumper", raising=False)
    yaml_text._dumper.cache_clear()
    yield
    yaml_text._dumper.cache_clear()


def test_form() -> None:
    assert yaml_text.dump(DOCUMENT).startswith(TEXT)
    assert yaml.safe_load(yaml_text.dump(DOCUMENT)) == DOCUMENT


def test_the_text_does_not_depend_on_libyaml(without_libyaml: None, monkeypatch: pytest.MonkeyPatch) -> None:
    pure = yaml_text.dump(DOCUMENT)
    monkeypatch.undo()
    yaml_text._dumper.cache_clear()
    assert yaml_text.dump(DOCUMENT) == pure


def test_order_can_be_kept() -> None:
    assert yaml_text.dump({"b": 1, "a": 2}, sort_keys=False) == "b: 1\na: 2\n"


def test_documents_are_separated_as_upstream_does() -> None:
    assert yaml_text.dump_objects([{"a": 1}, {"b": 2}]) == "a: 1\n---\nb: 2\n---\n"
    assert yaml_text.dump_objects([]) == ""


def test_the_same_value_twice_is_written_twice() -> None:
    shared = {"server": ["192.0.2.1"]}
    assert yaml_text.dump({"a": shared, "b": shared}) == "a:\n  server:\n  - 192.0.2.1\nb:\n  server:\n  - 192.0.2.1\n"


def test_what_yaml_cannot_hold_is_refused() -> None:
    with pytest.raises(ValueError):
        yaml_text.dump({"a": object()})


_SCALARS = st.one_of(st.text(max_size=12), st.integers(-(10**9), 10**9), st.booleans(), st.none())
_DOCUMENTS = st.recursive(
    _SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.text(min_size=1, max_size=8), inner, max_size=3)
    ),
    max_leaves=8,
)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(_DOCUMENTS)
def test_values_survive(document: Any) -> None:
    assert yaml.safe_load(yaml_text.dump(document)) == document


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("wait...", "k: wait...\n"),
        ("block\n\n", "k: |+\n  block\n\n"),
        ("&", "k: '&'\n"),
        ("*", "k: '*'\n"),
        ("!", "k: '!'\n"),
        ("01:2", 'k: "01:2"\n'),
        ("1e1_0", 'k: "1e1_0"\n'),
    ],
)
def test_texts_that_pyyaml_would_write_otherwise(text: str, written: str) -> None:
    # Written by sigs.k8s.io/yaml 1.4.0 for the same values.
    assert yaml_text.dump({"k": text}) == written
    assert yaml.safe_load(written) == {"k": text}


@pytest.mark.parametrize(
    "keys",
    [
        ["port2", "port10"],
        ["a-b", "ab"],
        ["~", "a"],
        ["a_b", "aB"],
        ["1.null", "1on"],
        ["a1", "a01"],
        ["ipv4", "ipv6", "mac-address", "name"],
    ],
)
def test_keys_is_in_gos_order(keys: list[str]) -> None:
    # The order of sigs.k8s.io/yaml 1.4.0 for the same keys.
    assert list(yaml.safe_load(yaml_text.dump(dict.fromkeys(reversed(keys), 1)))) == keys


def test_long_lines_of_objects_are_folded_where_go_folds_them() -> None:
    key = "ssh-rsa " + "A" * 90 + " user@host"
    assert yaml_text.dump_object({"key": key}) == f"key: ssh-rsa {'A' * 90}\n  user@host\n"
    assert yaml_text.dump({"key": key}) == f"key: {key}\n"


# What openshift-install of November 2025 wrote into nmstateconfig.yaml for the same numbers.
NUMBERS = {
    1.0: "1",
    1.5: "1.5",
    -0.0: "0",
    1e3: "1000",
    1e6: "1000000",
    12345678.5: "1.23456785e+07",
    123456.789: "123456.789",
    1e16: "10000000000000000",
    123456789012345680.0: "123456789012345680",
    1e20: "1e+20",
    -1e19: "-1e+19",
    -9e18: "-9000000000000000000",
    2.1e21: "2.1e+21",
    0.001: "0.001",
    1e-5: "1e-05",
    0.000001234: "1.234e-06",
    1.5e-9: "1.5e-09",
}


@pytest.mark.parametrize(("number", "text"), NUMBERS.items())
def test_numbers(number: float, text: str) -> None:
    written = yaml_text.dump({"a": [number, str(number)]})
    assert written.splitlines()[1] == f"- {text}"
    assert [float(value) for value in yaml.safe_load(written)["a"]] == [number, number]
    assert isinstance(yaml.safe_load(written)["a"][1], str)


def test_numbers_without_libyaml(without_libyaml: Any) -> None:
    for number, text in NUMBERS.items():
        assert yaml_text.dump([number]) == f"- {text}\n"


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_numbers_keep_their_value(number: float) -> None:
    assert float(yaml_text.go_number(number)) == number


@pytest.mark.parametrize(
    "text",
    [
        "a: 2020-99-99",
        f"a: {'9' * 5000}",
        "[" * 3000,
        "a: [",
        "{[]: 1}",
        "!!bool maybe",
        "!!timestamp soon",
        "a: \x00",
        "? - !!set",
    ],
)
def test_a_text_that_cannot_be_read_is_no_yaml_and_nothing_worse(text: str) -> None:
    for read in (yaml_text.load, yaml_text.load_all):
        with pytest.raises(yaml_text.NotYaml):
            read(text)


def test_what_is_read() -> None:
    assert yaml_text.load("a: 1") == {"a": 1}
    assert yaml_text.load(b"") is None
    assert yaml_text.load_all("a: 1\n---\n- b\n") == [{"a": 1}, ["b"]]
