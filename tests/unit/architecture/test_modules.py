# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Each module has the same form: specification, documentation, one call into a package, action plugin, tests."""

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
MODULES = sorted(path.stem for path in (ROOT / "plugins" / "modules").glob("*.py") if path.stem != "__init__")
RUNTIME = yaml.safe_load((ROOT / "meta" / "runtime.yml").read_text())


def load(module: str) -> ModuleType:
    return importlib.import_module(f"{PACKAGE}.modules.{module}")


def documented(module: str) -> dict[str, Any]:
    return dict(yaml.safe_load(load(module).DOCUMENTATION))


@pytest.mark.parametrize("module", MODULES)
def test_form(module: str) -> None:
    loaded = load(module)
    assert list(inspect.signature(loaded.argument_spec).parameters) == []
    assert list(inspect.signature(loaded.run).parameters) == ["call"]
    assert loaded.OPTIONS["supports_check_mode"] is True
    assert re.search(r"run_module\(argument_spec, OPTIONS, run\)", inspect.getsource(loaded.main))


@pytest.mark.parametrize("module", MODULES)
def test_a_module_holds_no_logic(module: str) -> None:
    """Code of a module, documentation not counted, fits a screen and opens no file, socket or process itself."""
    loaded = load(module)
    tree = ast.parse(inspect.getsource(loaded))
    code = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    lines = sum((node.end_lineno or 0) - node.lineno + 1 for node in code if node.name != "argument_spec")
    assert lines <= 60
    imported = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    assert not imported & {"os", "socket", "subprocess", "ssl", "http", "urllib", "tempfile", "shutil"}


@pytest.mark.parametrize("module", MODULES)
def test_way_in_from_inside_ansible(module: str) -> None:
    """A stub of its own, named like the module: a redirect would make all modules share one module's module_defaults
    (plugin_utils/in_process.py).
    """
    action = importlib.import_module(f"{PACKAGE}.action.{module}").ActionModule
    assert action.module is load(module)
    assert "ModuleAction" in [base.__name__ for base in action.__mro__]
    assert [name for name in vars(action) if not name.startswith("_")] in (["module"], ["module", "libraries"])


@pytest.mark.parametrize("module", MODULES)
def test_what_is_waited_for_has_one_name(module: str) -> None:
    """``wait`` (as in kubernetes.core): whether to wait for what the other options say, ``state`` above all;
    ``wait_for``: for which of several things.
    """
    options = load(module).argument_spec()
    assert not {"wait", "wait_for"} <= set(options)
    assert options.get("wait", {"type": "bool"})["type"] == "bool"
    if "wait_for" in options:
        assert (options["wait_for"]["choices"][0], options["wait_for"]["default"]) == ("none", "none")


def test_no_way_in_without_a_module() -> None:
    assert (
        sorted(path.stem for path in (ROOT / "plugins" / "action").glob("*.py") if path.stem != "__init__") == MODULES
    )


def test_routing_names_existing_plugins() -> None:
    assert "action" not in RUNTIME.get("plugin_routing", {})
    for group, members in RUNTIME["action_groups"].items():
        names = {member for member in members if isinstance(member, str)}
        assert names <= set(MODULES), f"group {group} names {sorted(names - set(MODULES))}"


@pytest.mark.parametrize("group", sorted(RUNTIME["action_groups"]))
def test_members_of_a_group_share_options(group: str) -> None:
    """An option set for a group must be taken by each of its members; otherwise ``module_defaults`` breaks tasks."""
    members = [member for member in RUNTIME["action_groups"][group] if isinstance(member, str)]
    options = {
        "bmc": {"ca_cert", "connect_to", "forks"},
        "hub": set(CONNECTION_OPTIONS),
        "assisted": set(ASSISTED_OPTIONS),
    }[group]
    shared = [options - set(load(member).argument_spec()) for member in members]
    assert not any(shared)
    # The same name with another meaning would take the group's value for its own.
    connection = {"hub": CONNECTION_OPTIONS, "assisted": ASSISTED_OPTIONS}.get(group, {})
    specs = [load(member).argument_spec() for member in members]
    assert [name for spec in specs for name, option in connection.items() if spec[name] != option] == []


@pytest.mark.parametrize("module", MODULES)
def test_documentation(module: str) -> None:
    document = documented(module)
    assert document["module"] == module
    assert not document["short_description"].endswith(".")
    assert any(
        str(fragment).startswith("zerotouch.openshift.attributes")
        for fragment in document["extends_documentation_fragment"]
    )
    examples = yaml.safe_load(load(module).EXAMPLES)
    assert any(f"zerotouch.openshift.{module}" in task for task in examples), "examples by FQCN"
    returned = yaml.safe_load(load(module).RETURN)
    assert returned and not set(returned) & set(dir(dict))


@pytest.mark.parametrize("module", MODULES)
def test_examples_use_existing_options(module: str) -> None:
    known = set(load(module).argument_spec())
    for task in yaml.safe_load(load(module).EXAMPLES):
        used = task.get(f"zerotouch.openshift.{module}") if isinstance(task, dict) else None
        if isinstance(used, dict):
            assert set(used) <= known


@pytest.mark.parametrize("module", MODULES)
def test_has_unit_tests(module: str) -> None:
    pattern = re.compile(rf"\b{module}\b")
    tests = [path for path in (ROOT / "tests" / "unit").rglob("test_*.py") if path.parent.name not in {"architecture"}]
    assert any(pattern.search(path.read_text()) for path in tests), f"no unit test mentions the module {module}"


def secret_options(spec: dict[str, Any], path: str = "") -> list[str]:
    found = []
    for name, option in spec.items():
        where = f"{path}{name}"
        if (
            re.search(r"password|token$|secret$|pull_secret$", name)
            and option.get("type") in (None, "str")
            and option.get("no_log") is not True
        ):
            found.append(where)
        found += secret_options(option.get("options") or {}, where + ".")
    return found


@pytest.mark.parametrize("module", MODULES)
def test_secret_leaves_are_no_log(module: str) -> None:
    assert secret_options(load(module).argument_spec()) == []


@pytest.mark.parametrize("module", MODULES)
def test_structured_options_are_not_no_log(module: str) -> None:
    """A ``no_log`` dict makes core mask every leaf, ``v1`` included, all over the result.

    Source: docs/upstream/ansible.md#options-with-no_log.
    """

    def structured(spec: dict[str, Any]) -> list[str]:
        here = [
            name
            for name, option in spec.items()
            if option.get("no_log") and option.get("type") in ("dict", "list", "raw")
        ]
        return here + [name for option in spec.values() for name in structured(option.get("options") or {})]

    assert structured(load(module).argument_spec()) == []
