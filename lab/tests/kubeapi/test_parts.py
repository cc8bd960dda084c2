# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test label and field selectors, patches and printed ages of the lab's API server with tables of cases."""

from __future__ import annotations

from typing import Any

import pytest
from ztlab.kubeapi.errors import ApiError
from ztlab.kubeapi.patch import json_patch, merge_patch
from ztlab.kubeapi.selectors import field_matcher, label_matcher
from ztlab.kubeapi.table import human_duration

from .rig import THING, thing


@pytest.mark.parametrize(
    ("selector", "fits"),
    [
        ("", True),
        ("a=1", True),
        ("a==1", True),
        ("a=2", False),
        ("a!=2", True),
        ("missing!=2", True),
        ("a", True),
        ("!a", False),
        ("!missing", True),
        ("a in (1,2)", True),
        ("a notin (1,2)", False),
        ("missing notin (1)", True),
        ("a in (1, 2),b=x", True),
        ("a=1,b=y", False),
        ("example.com/role=", False),
    ],
)
def test_label_selectors(selector: str, fits: bool) -> None:
    assert label_matcher(selector)(thing("n", a="1", b="x")) is fits


@pytest.mark.parametrize(
    ("selector", "fits"),
    [
        ("metadata.name=n", True),
        ("metadata.name!=n", False),
        ("spec.colour==red,metadata.name=n", True),
        ("metadata.namespace=", True),
    ],
)
def test_field_selectors(selector: str, fits: bool) -> None:
    assert field_matcher(selector, THING)(thing("n")) is fits


@pytest.mark.parametrize(
    ("target", "patch", "outcome"),
    [
        ({"a": 1}, {"a": None}, {}),
        ({"a": {"b": 1, "c": 2}}, {"a": {"b": None}}, {"a": {"c": 2}}),
        ({"a": [1, 2]}, {"a": [3]}, {"a": [3]}),
        ({"a": 1}, {"b": {"c": None, "d": 1}}, {"a": 1, "b": {"d": 1}}),
        ({"a": 1}, [1], [1]),
    ],
)
def test_merge_patches(target: Any, patch: Any, outcome: Any) -> None:
    assert merge_patch(target, patch) == outcome


@pytest.mark.parametrize(
    ("operations", "outcome"),
    [
        ([{"op": "add", "path": "/c", "value": 3}], {"a": 1, "b": [1, 2], "c": 3}),
        ([{"op": "add", "path": "/b/-", "value": 3}], {"a": 1, "b": [1, 2, 3]}),
        ([{"op": "add", "path": "/b/0", "value": 0}], {"a": 1, "b": [0, 1, 2]}),
        ([{"op": "replace", "path": "/b/1", "value": 9}], {"a": 1, "b": [1, 9]}),
        ([{"op": "remove", "path": "/b/0"}], {"a": 1, "b": [2]}),
        ([{"op": "test", "path": "/a", "value": 1}, {"op": "remove", "path": "/a"}], {"b": [1, 2]}),
        ([{"op": "move", "from": "/a", "path": "/x~1y"}], {"b": [1, 2], "x/y": 1}),
        ([{"op": "copy", "from": "/b", "path": "/c"}], {"a": 1, "b": [1, 2], "c": [1, 2]}),
        ([{"op": "replace", "path": "", "value": {}}], {}),
    ],
)
def test_json_patches(operations: Any, outcome: Any) -> None:
    assert json_patch({"a": 1, "b": [1, 2]}, operations) == outcome


@pytest.mark.parametrize(
    "operations",
    [
        {"op": "add"},
        [{"op": "remove", "path": "/x"}],
        [{"op": "replace", "path": "/x", "value": 1}],
        [{"op": "add", "path": "/b/9", "value": 1}],
        [{"op": "test", "path": "/a", "value": 2}],
        [{"op": "fly", "path": "/a"}],
        [{"op": "add", "path": "a", "value": 1}],
        [{"op": "add", "path": "/a/b", "value": 1}],
    ],
)
def test_json_patches_that_are_refused(operations: Any) -> None:
    with pytest.raises(ApiError):
        json_patch({"a": 1, "b": [1, 2]}, operations)


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "0s"),
        (119, "119s"),
        (120, "2m"),
        (200, "3m20s"),
        (1000, "16m"),
        (11000, "3h3m"),
        (40000, "11h"),
        (200000, "2d7h"),
        (900000, "10d"),
    ],
)
def test_ages(seconds: float, text: str) -> None:
    assert human_duration(seconds) == text
