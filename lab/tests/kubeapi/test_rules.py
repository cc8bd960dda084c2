# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test parts of the lab's API server: CEL validation rules, JSON paths, and the fieldsV1 format of managedFields."""

from __future__ import annotations

from typing import Any

import pytest
from ztlab.kubeapi.jsonpath import compile_path
from ztlab.kubeapi.ownership import decode, encode
from ztlab.kubeapi.rules import RuleBook
from ztlab.kubeapi.structural import parse


def causes(rule: str, value: Any, old: Any = None, kind: str = "string", **more: Any) -> list[tuple[str, str]]:
    field = {"type": kind, "x-kubernetes-validations": [{"rule": rule, "message": "refused", **more}]}
    book = RuleBook(parse({"type": "object", "properties": {"x": field}}))
    return book.check({"x": value}, None if old is None else {"x": old})


@pytest.mark.parametrize(
    ("rule", "value", "passes"),
    [
        ("self.matches('^[a-z]+$')", "abc", True),
        ("self.matches('^[a-z]+$')", "ABC", False),
        ("size(self) <= 3", "abcd", False),
        ("self.startsWith('a') && self.endsWith('c')", "abc", True),
        ("isIP(self)", "10.0.0.1", True),
        ("isIP(self)", "fd00::1", True),
        ("isIP(self)", "10.0.0", False),
        ("isCIDR(self)", "10.0.0.0/8", True),
        ("isCIDR(self)", "10.0.0.0", False),
        ("isURL(self)", "https://example.com/a", True),
        ("isURL(self)", "example", False),
        ("self.split('/').size() == 2", "a/b", True),
        ("self.lowerAscii() == 'abc'", "ABC", True),
        ("self.replace('a', 'b') == 'bb'", "ab", True),
        ("self in ['a', 'b']", "c", False),
    ],
)
def test_rules_over_text(rule: str, value: str, passes: bool) -> None:
    assert causes(rule, value) == ([] if passes else [("x", f'Invalid value: "{value}": refused')])


def test_rules_about_a_change_need_an_older_value() -> None:
    assert causes("self == oldSelf", "a") == []
    assert causes("self == oldSelf", "a", "a") == []
    assert causes("self == oldSelf", "a", "b") == [("x", 'Invalid value: "a": refused')]


def test_an_error_in_a_rule_refuses() -> None:
    ((field, text),) = causes("self[5] == 1", [1], kind="array")
    assert field == "x" and text.startswith("Invalid value: rule evaluation error: ")


def test_reason_and_message_expression() -> None:
    assert causes("false", "a", reason="FieldValueForbidden") == [("x", "Forbidden: refused")]
    assert causes("self.size() < 1", "abc", messageExpression="'too long: ' + self") == [
        ("x", 'Invalid value: "abc": too long: abc')
    ]


def test_a_rule_that_is_not_understood_is_not_checked(caplog: pytest.LogCaptureFixture) -> None:
    assert causes("self.?a.orValue(1) == 2", "a") == []
    assert "not checked" in caplog.text


ITEM = {
    "metadata": {"labels": {"a.b/c": "1"}},
    "status": {"conditions": [{"type": "A", "status": "x"}, {"type": "B", "status": "y"}], "list": [1, 2, 3]},
}


@pytest.mark.parametrize(
    ("path", "found"),
    [
        (".status.list[1]", [2]),
        (".status.list[-1]", [3]),
        (".status.list[*]", [1, 2, 3]),
        (".status.conditions[?(@.type=='B')].status", ["y"]),
        ('.status.conditions[?(@.type=="none")].status', []),
        (r".metadata.labels.a\.b/c", ["1"]),
        (".metadata.labels['a.b/c']", ["1"]),
        (".none.at.all", []),
        ("{.status.list[0]}", [1]),
    ],
)
def test_json_paths(path: str, found: list[Any]) -> None:
    assert compile_path(path)(ITEM) == found


def test_a_json_path_that_is_not_offered() -> None:
    with pytest.raises(ValueError, match="cannot read the JSON path"):
        compile_path(".items[?(@.a > 1)]")


def test_fields_are_read_as_they_are_written() -> None:
    paths = frozenset({("spec",), ("spec", "a"), ("spec", "b", "c"), ("metadata", "labels", "x.y/z")})
    fields = encode(paths)
    assert fields == {"f:metadata": {"f:labels": {"f:x.y/z": {}}}, "f:spec": {".": {}, "f:a": {}, "f:b": {"f:c": {}}}}
    assert decode(fields) == paths
    assert decode({"f:a": {'k:{"name":"x"}': {".": {}, "f:b": {}}}}) == {("a",)}
