# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test with random nmstate documents that every setting is in the rendered keyfiles or is named in a message: none is
dropped silently.
"""

from __future__ import annotations

import configparser
import copy
from typing import Any

from ansible_collections.zerotouch.openshift.plugins.module_utils.common.errors import InvalidInput
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.problems import Problem, errors
from ansible_collections.zerotouch.openshift.plugins.module_utils.nmstate.keyfiles import (
    Keyfile,
    examine_network_config,
    render_keyfiles,
)
from hypothesis import HealthCheck, Phase, given, settings

from .documents import Node, at, changed, documents, leaves

_SETTINGS = settings(
    deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck), phases=[Phase.generate]
)
# What a leaf may be without effect, and why.
# of nmstatectl show, no configuration
_REPORTED = {"driver", "max-mtu", "permanent-mac-address", "max-vfs", "rx-max", "hello-timer", "protocol"}
_FOR_A_RUNNING_MACHINE = {"allow-extra-address"}  # says what nmstate may find there
_CHECKED_ONLY = {"enable-native", "localnet", "family"}  # allows what stands beside it
_LIFETIME = {"preferred-lft", "preferred-life-time", "valid-life-time"}  # "forever", and named otherwise
_WITHOUT_EFFECT = _REPORTED | _FOR_A_RUNNING_MACHINE | _CHECKED_ONLY | _LIFETIME


def parsed(keyfiles: tuple[Keyfile, ...]) -> dict[str, dict[str, dict[str, str]]]:
    found = {}
    for keyfile in keyfiles:
        parser = configparser.RawConfigParser(delimiters=("=",), strict=True, interpolation=None)
        parser.optionxform = str  # type: ignore[assignment,method-assign]
        parser.read_string(keyfile.text)
        found[keyfile.name] = {name: dict(parser[name]) for name in parser.sections()}
    return found


def rendered(document: Node) -> tuple[Keyfile, ...] | None:
    try:
        return render_keyfiles(document)
    except InvalidInput:
        return None


@settings(_SETTINGS, max_examples=30)
@given(documents())
def test_what_renders_can_be_read_by_network_manager(document: Node) -> None:
    keyfiles = rendered(document)
    for name, sections in parsed(keyfiles or ()).items():
        connection = sections["connection"]
        assert name == f"{connection['id']}.nmconnection"
        assert {"type", "uuid"} <= {*connection}
        assert all(value and value == value.strip() for section in sections.values() for value in section.values())
    assert (keyfiles is None) == bool(errors(examine_network_config(document)[1]))


@settings(_SETTINGS, max_examples=30)
@given(changed())
def test_any_mistake_is_a_problem_with_a_path_and_nothing_else(document: Node) -> None:
    for problem in examine_network_config(document)[1]:
        assert problem.kind and problem.detail
        assert problem.path.partition("[")[0].partition(".")[0] in {*document, "interfaces"}


@settings(_SETTINGS, max_examples=20)
@given(documents())
def test_every_leaf_shows_or_is_named(document: Node) -> None:
    before = rendered(document)
    if before is None:
        return
    problems = examine_network_config(document)[1]
    for leaf in leaves(document):
        other = copy.deepcopy(document)
        at(other, leaf[:-1])[leaf[-1]] = another(at(document, leaf))
        after = rendered(other)
        if after != before or named(leaf, document, problems) or named(leaf, other, examine_network_config(other)[1]):
            continue
        assert excused(leaf, document), (leaf, at(document, leaf), document)


def another(value: Any) -> Any:
    """A different value of the same kind."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + 1
    if isinstance(value, float):
        return value + 0.5
    if value is None:
        return "x"
    flags = {"yes": "no", "0": "1", "true": "false"}
    if value in flags:
        return flags[value]
    number = int(value) if value.lstrip("-").isdigit() else None
    if value.startswith("0x"):
        number = int(value, 16)
    return str(number + 1) if number is not None else f"{value}x"


def named(leaf: tuple[Any, ...], document: Node, problems: list[Problem]) -> bool:
    """Whether a problem is about the leaf: about its path, what is above it, or with its name in the reason (interfaces
    that are to be absent).
    """
    path = dotted(leaf)
    interface = dotted(leaf[:2])
    for problem in problems:
        if path == problem.path or path.startswith((f"{problem.path}.", f"{problem.path}[")):
            return True
        if len(leaf) > 2 and problem.path.startswith(f"{interface}.") and str(leaf[2]) in problem.detail:
            return True
        if problem.path.startswith(path) or ("address" in leaf and problem.path == f"{dotted(leaf[:-1])}.ip"):
            return True
    return False


def dotted(leaf: tuple[Any, ...]) -> str:
    text = ""
    for step in leaf:
        name = f".{step}" if text else str(step)
        text += f"[{step}]" if isinstance(step, int) else name
    return text


def excused(leaf: tuple[Any, ...], document: Node) -> bool:
    if leaf[-1] in _WITHOUT_EFFECT:
        return True
    above = at(document, leaf[:-1])
    if leaf[-1] == "enabled" and leaf[-2] == "ipv4":
        # Without DHCP and addresses NetworkManager gets the same whether IPv4 is on or off.
        return above.get("dhcp") is not True
    if "vfs" in leaf and {*above} == {"id"}:
        return True
    if leaf[-1] == "name" and above.get("state") == "absent":
        return True
    entry = at(document, leaf[:3]) if leaf[0] in ("routes", "route-rules") else {}
    # An entry that removes something, or is to be left alone.
    return "state" in entry
