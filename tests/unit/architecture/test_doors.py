# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Every door has the same form: specification, documentation, one call into a room, a way in from inside Ansible, tests."""

from __future__ import annotations

import ast
import importlib
import inspect
import re
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import yaml
from ansible_collections.zerotouch.openshift.plugins.module_utils.assisted.rest.connection import ASSISTED_OPTIONS
from ansible_collections.zerotouch.openshift.plugins.module_utils.kube.connection import CONNECTION_OPTIONS

ROOT = Path(__file__).parents[3]
PACKAGE = "ansible_collections.zerotouch.openshift.plugins"
DOORS = sorted(path.stem for path in (ROOT / "plugins" / "modules").glob("*.py") if path.stem != "__init__")
RUNTIME = yaml.safe_load((ROOT / "meta" / "runtime.yml").read_text())


def load(door: str) -> ModuleType:
    return importlib.import_module(f"{PACKAGE}.modules.{door}")


def documented(door: str) -> dict[str, Any]:
    return dict(yaml.safe_load(load(door).DOCUMENTATION))


@pytest.mark.parametrize("door", DOORS)
def test_form(door: str) -> None:
    module = load(door)
    assert list(inspect.signature(module.argument_spec).parameters) == []
    assert list(inspect.signature(module.run).parameters) == ["call"]
    assert module.OPTIONS["supports_check_mode"] is True
    assert re.search(r"run_module\(argument_spec, OPTIONS, run\)", inspect.getsource(module.main))


@pytest.mark.parametrize("door", DOORS)
def test_a_door_holds_no_logic(door: str) -> None:
    """Code of a door, documentation not counted, fits a screen and opens no file, socket or process itself."""
    module = load(door)
    tree = ast.parse(inspect.getsource(module))
    code = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    lines = sum((node.end_lineno or 0) - node.lineno + 1 for node in code if node.name != "argument_spec")
    assert lines <= 60
    imported = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    assert not imported & {"os", "socket", "subprocess", "ssl", "http", "urllib", "tempfile", "shutil"}


@pytest.mark.parametrize("door", DOORS)
def test_way_in_from_inside_ansible(door: str) -> None:
    """A stub of its own, named like the door: a redirect would make all doors share one door's module_defaults (plugin_utils/door.py)."""
    action = importlib.import_module(f"{PACKAGE}.action.{door}").ActionModule
    assert action.door is load(door)
    assert "DoorAction" in [base.__name__ for base in action.__mro__]
    assert [name for name in vars(action) if not name.startswith("_")] in (["door"], ["door", "libraries"])


@pytest.mark.parametrize("door", DOORS)
def test_what_is_waited_for_has_one_name(door: str) -> None:
    """``wait`` (as in kubernetes.core): whether to wait for what the other options say, ``state`` above all; ``wait_for``: for which of several things."""
    options = load(door).argument_spec()
    assert not {"wait", "wait_for"} <= set(options)
    assert options.get("wait", {"type": "bool"})["type"] == "bool"
    if "wait_for" in options:
        assert (options["wait_for"]["choices"][0], options["wait_for"]["default"]) == ("none", "none")


def test_no_way_in_without_a_door() -> None:
    assert sorted(path.stem for path in (ROOT / "plugins" / "action").glob("*.py") if path.stem != "__init__") == DOORS


def test_routing_names_existing_plugins() -> None:
    assert "action" not in RUNTIME.get("plugin_routing", {})
    for group, members in RUNTIME["action_groups"].items():
        names = {member for member in members if isinstance(member, str)}
        assert names <= set(DOORS), f"group {group} names {sorted(names - set(DOORS))}"


@pytest.mark.parametrize("group", sorted(RUNTIME["action_groups"]))
def test_members_of_a_group_share_options(group: str) -> None:
    """An option set for a group must be taken by each of its members; otherwise ``module_defaults`` breaks tasks."""
    members = [member for member in RUNTIME["action_groups"][group] if isinstance(member, str)]
    options = {"bmc": {"ca_cert", "connect_to", "forks"}, "hub": set(CONNECTION_OPTIONS), "assisted": set(ASSISTED_OPTIONS)}[group]
    shared = [options - set(load(member).argument_spec()) for member in members]
    assert not any(shared)
    # The same name with another meaning would take the group's value for its own.
    connection = {"hub": CONNECTION_OPTIONS, "assisted": ASSISTED_OPTIONS}.get(group, {})
    specs = [load(member).argument_spec() for member in members]
    assert [name for spec in specs for name, option in connection.items() if spec[name] != option] == []


@pytest.mark.parametrize("door", DOORS)
def test_documentation(door: str) -> None:
    document = documented(door)
    assert document["module"] == door
    assert not document["short_description"].endswith(".")
    assert any(str(fragment).startswith("zerotouch.openshift.attributes") for fragment in document["extends_documentation_fragment"])
    examples = yaml.safe_load(load(door).EXAMPLES)
    assert any(f"zerotouch.openshift.{door}" in task for task in examples), "examples by FQCN"
    returned = yaml.safe_load(load(door).RETURN)
    assert returned and not set(returned) & set(dir(dict))


@pytest.mark.parametrize("door", DOORS)
def test_examples_use_existing_options(door: str) -> None:
    known = set(load(door).argument_spec())
    for task in yaml.safe_load(load(door).EXAMPLES):
        used = task.get(f"zerotouch.openshift.{door}") if isinstance(task, dict) else None
        if isinstance(used, dict):
            assert set(used) <= known


@pytest.mark.parametrize("door", DOORS)
def test_has_unit_tests(door: str) -> None:
    pattern = re.compile(rf"\b{door}\b")
    tests = [path for path in (ROOT / "tests" / "unit").rglob("test_*.py") if path.parent.name not in {"architecture"}]
    assert any(pattern.search(path.read_text()) for path in tests), f"no unit test mentions the door {door}"


def secret_options(spec: dict[str, Any], path: str = "") -> list[str]:
    found = []
    for name, option in spec.items():
        where = f"{path}{name}"
        if re.search(r"password|token$|secret$|pull_secret$", name) and option.get("type") in (None, "str") and option.get("no_log") is not True:
            found.append(where)
        found += secret_options(option.get("options") or {}, where + ".")
    return found


@pytest.mark.parametrize("door", DOORS)
def test_secret_leaves_are_no_log(door: str) -> None:
    assert secret_options(load(door).argument_spec()) == []


@pytest.mark.parametrize("door", DOORS)
def test_structured_options_are_not_no_log(door: str) -> None:
    """A ``no_log`` dict makes core mask every leaf, ``v1`` included, all over the result (reference collection-engineering.md 6)."""

    def structured(spec: dict[str, Any]) -> list[str]:
        here = [name for name, option in spec.items() if option.get("no_log") and option.get("type") in ("dict", "list", "raw")]
        return here + [name for option in spec.values() for name in structured(option.get("options") or {})]

    assert structured(load(door).argument_spec()) == []
