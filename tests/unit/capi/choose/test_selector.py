# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test that label selectors match, and that invalid ones are rejected, as in Kubernetes."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.capi.choose.selector import (
    matches,
    read_selector,
    selector_text,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.errors import InvalidInput, ZeroTouchError

LABELS = {"size": "large", "zone": "z1", "empty": ""}


def expression(key: str, operator: str, *values: str) -> dict[str, Any]:
    return {"matchExpressions": [{"key": key, "operator": operator, **({"values": list(values)} if values else {})}]}


@pytest.mark.parametrize(
    ("selector", "expected"),
    [
        (None, True),
        ({}, True),
        ({"matchLabels": {}, "matchExpressions": []}, True),
        ({"matchLabels": None, "matchExpressions": None}, True),
        ({"matchLabels": {"size": "large"}}, True),
        ({"matchLabels": {"size": "small"}}, False),
        ({"matchLabels": {"size": "large", "zone": "z2"}}, False),
        ({"matchLabels": {"absent": ""}}, False),
        ({"matchLabels": {"empty": ""}}, True),
        (expression("zone", "In", "z1", "z2"), True),
        (expression("zone", "In", "z2"), False),
        (expression("absent", "In", "z1"), False),
        (expression("zone", "NotIn", "z2", "z3"), True),
        (expression("zone", "NotIn", "z1", "z3"), False),
        (expression("absent", "NotIn", "z1"), True),
        (expression("zone", "Exists"), True),
        (expression("empty", "Exists"), True),
        (expression("absent", "Exists"), False),
        (expression("zone", "DoesNotExist"), False),
        (expression("absent", "DoesNotExist"), True),
        ({"matchLabels": {"size": "large"}, **expression("zone", "NotIn", "z1")}, False),
        ({"matchLabels": {"size": "large"}, **expression("zone", "In", "z1")}, True),
    ],
)
def test_meaning(selector: dict[str, Any] | None, expected: bool) -> None:
    assert matches(selector, LABELS) is expected


@pytest.mark.parametrize(
    ("selector", "text"),
    [
        (
            {"matchLabel": {}},
            (
                "selector.matchLabel: Unknown field: a label selector has matchLabels and matchExpressions (did you "
                "mean "
                "matchLabels?)"
            ),
        ),
        ({"matchLabels": ["a"]}, "selector.matchLabels: Invalid value: must be a mapping of labels to values"),
        ({"matchLabels": {"a": 1}}, "selector.matchLabels[a]: Invalid value: must be text, not 1 (put it in quotes)"),
        (
            {"matchLabels": {"a": None}},
            ("selector.matchLabels[a]: Invalid value: must be text, not None (put it in quotes)"),
        ),
        ({"matchLabels": {"a b": "c"}}, "selector.matchLabels: Invalid value: 'a b': is not a label key"),
        ({"matchLabels": {"/b": "c"}}, "selector.matchLabels: Invalid value: '/b': is not a label key"),
        ({"matchLabels": {"Up/b": "c"}}, "selector.matchLabels: Invalid value: 'Up/b': is not a label key"),
        ({"matchLabels": {"a": "-c"}}, "selector.matchLabels[a]: Invalid value: '-c': is not a label value"),
        ({"matchLabels": {"a": "x" * 64}}, "is not a label value: at most 63"),
        ({"matchLabels": {"a": "c\n"}}, "is not a label value"),
        ({"matchExpressions": {}}, "selector.matchExpressions: Invalid value: must be a list"),
        (
            {"matchExpressions": ["a"]},
            ("selector.matchExpressions[0]: Invalid value: must be a mapping with key, operator and values"),
        ),
        (
            expression("a", "in", "b"),
            (
                "selector.matchExpressions[0].operator: Unsupported value: must be one of In, NotIn, Exists, "
                "DoesNotExist, not 'in'"
            ),
        ),
        (
            expression("a", "In"),
            ("selector.matchExpressions[0].values: Required value: operator In needs at least one value"),
        ),
        (
            expression("a", "NotIn"),
            ("selector.matchExpressions[0].values: Required value: operator NotIn needs at least one value"),
        ),
        (
            expression("a", "Exists", "b"),
            ("selector.matchExpressions[0].values: Invalid value: operator Exists takes no values"),
        ),
        (
            expression("a", "DoesNotExist", "b"),
            ("selector.matchExpressions[0].values: Invalid value: operator DoesNotExist takes no values"),
        ),
        (
            expression("a", "In", "b c"),
            ("selector.matchExpressions[0].values[0]: Invalid value: 'b c': is not a label value"),
        ),
        (
            {"matchExpressions": [{"key": "a", "operator": "In", "values": "b"}]},
            ("selector.matchExpressions[0].values: Invalid value: must be a list"),
        ),
        (
            {"matchExpressions": [{"operator": "Exists"}]},
            ("selector.matchExpressions[0].key: Invalid value: None: is not a label key"),
        ),
        ("size=large", "selector: Invalid value: a label selector is a mapping, not 'size=large'"),
    ],
)
def test_what_is_none(selector: Any, text: str) -> None:
    with pytest.raises(InvalidInput) as raised:
        matches(selector, LABELS)
    assert isinstance(raised.value, ZeroTouchError)
    assert text in str(raised.value)


def test_all_that_is_wrong_is_reported() -> None:
    with pytest.raises(InvalidInput) as raised:
        read_selector(
            {"matchLabels": {"a": 1}, "matchExpressions": [{"key": "b", "operator": "Is"}]},
            "node_pool.agent_label_selector",
        )
    assert [problem.path for problem in raised.value.problems] == [
        "node_pool.agent_label_selector.matchLabels[a]",
        "node_pool.agent_label_selector.matchExpressions[0].operator",
    ]


def test_words_and_one_form() -> None:
    selector = {
        "matchLabels": {"size": "large"},
        "matchExpressions": [
            {"key": "zone", "operator": "In", "values": ["b", "a", "a"]},
            {"key": "rack", "operator": "NotIn", "values": ["r1"]},
            {"key": "gpu", "operator": "Exists"},
            {"key": "old", "operator": "DoesNotExist"},
            {"key": "size", "operator": "In", "values": ["large"]},
        ],
    }
    assert selector_text(read_selector(selector)) == "gpu,!old,rack!=r1,size=large,zone in (a,b)"
