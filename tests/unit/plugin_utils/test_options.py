# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test reading variables that hold the options of a module: an exception raised by Ansible's validator is reported as a
problem.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from ansible_collections.zerotouch.openshift.plugins.modules.assisted_control_plane import argument_spec as capi_spec
from ansible_collections.zerotouch.openshift.plugins.modules.assisted_hosts import argument_spec as hosts_spec
from ansible_collections.zerotouch.openshift.plugins.modules.assisted_infra_env import argument_spec as infra_env_spec
from ansible_collections.zerotouch.openshift.plugins.modules.hosted_cluster import argument_spec as hosted_spec
from ansible_collections.zerotouch.openshift.plugins.modules.node_pool import argument_spec as pool_spec
from ansible_collections.zerotouch.openshift.plugins.plugin_utils.options import read_options

Spec = Mapping[str, Mapping[str, Any]]
SPECS: dict[str, Spec] = {
    "assisted_control_plane": capi_spec(),
    "assisted_hosts": hosts_spec()["hosts"]["options"],
    "assisted_infra_env": infra_env_spec(),
    "hosted_cluster": hosted_spec(),
    "node_pool": pool_spec(),
}
PAIR: Spec = {
    "pair": {"type": "dict", "options": {"left": {"type": "int"}, "inner": {"type": "dict", "options": {"a": {}}}}},
    "pairs": {"type": "list", "elements": "dict", "options": {"left": {"type": "int"}}},
    "numbers": {"type": "list", "elements": "float"},
}
INFINITY = float("inf")


@pytest.mark.parametrize(
    ("provided", "path", "words"),
    [
        ({"pair": True}, "x.pair", "must be a mapping"),
        ({"pair": 5}, "x.pair", "must be a mapping"),
        ({"pair": [None]}, "x.pair", "must be a mapping"),
        ({"pair": {1: 2}}, "x.pair", "pair.1. Supported parameters include"),
        ({"pair": {"inner": True}}, "x.pair.inner", "must be a mapping"),
        ({"pair": {"left": INFINITY}}, "x.pair.left", "from -2^63 to 2^63"),
        ({"pair": '{"left": Infinity}'}, "x.pair", "type"),  # ansible-core 2.16 has words of its own
        ({"pairs": True}, "x.pairs", "must be a list of mappings"),
        ({"pairs": {1: 2}}, "x.pairs", "must be a list of mappings"),
        ({"pairs": [None]}, "x.pairs[0]", "must be a mapping"),
        ({"pairs": [{"left": 1}, {"left": -INFINITY}]}, "x.pairs[1].left", "from -2^63 to 2^63"),
        ({"numbers": [1, 10**400]}, "x.numbers[1]", "from -2^63 to 2^63"),
        ({"numbers": [float("nan")]}, "x.numbers[0]", "from -2^63 to 2^63"),
    ],
)
def test_values_that_the_validator_cannot_read(provided: dict[str, Any], path: str, words: str) -> None:
    (problem,) = read_options("x", provided, PAIR)[1]
    assert problem.path == path and words in problem.text()


def test_null_and_text_are_read_as_ansible_does() -> None:
    provided: dict[str, Any] = {"pair": {"left": None, "inner": None}, "pairs": [], "numbers": None}
    assert read_options("x", provided, PAIR)[1] == []
    assert read_options("x", {"pair": "left=1", "numbers": "1,2"}, PAIR)[1] == []


def values(rule: Mapping[str, Any]) -> Iterator[Any]:
    """Odd values for an option and for the options in it."""
    yield from (
        True,
        5,
        1.5,
        INFINITY,
        10**400,
        "",
        "x",
        "a=b",
        "[1",
        "{1: 2}",
        [],
        [None],
        [[]],
        {},
        {1: 2},
        {"": None},
    )
    for name, inner in (rule.get("options") or {}).items():
        for value in values(inner):
            yield {name: value}
            yield [{name: value}]


@pytest.mark.parametrize("module", SPECS)
def test_no_value_of_any_option_raises(module: str) -> None:
    for name, rule in SPECS[module].items():
        for value in values(rule):
            for problem in read_options("x", {name: value}, {name: rule})[1]:
                assert problem.path.startswith(f"x.{name}"), value
