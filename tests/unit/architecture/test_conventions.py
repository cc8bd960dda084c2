# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test that the options and return values of each module follow the naming tables of docs/conventions.md."""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[3]
MODULES = sorted(path.stem for path in (ROOT / "plugins" / "modules").glob("*.py") if path.stem != "__init__")
# Names that do not follow the tables yet. Entries may only be removed.
NOT_YET_OPTIONS: set[tuple[str, str]] = set()
NOT_YET_RESULTS: set[tuple[str, str]] = set()
# Former names: their meaning differed between modules, or another name has it.
FORMER = {
    "source_dir",
    "agents_namespace",
    "cpu_architecture",
    "architecture",
    "ssh_key",
    "ssh_public_key",
    "ssh_authorized_key",
}
# A work directory is no dest.
NO_DEST = {"agent_cluster_install", "agent_image", "assisted_deployment", "hosted_cluster", "node_image"}


def load(name: str) -> ModuleType:
    return importlib.import_module(f"ansible_collections.zerotouch.openshift.plugins.modules.{name}")


def table(heading: str) -> dict[str, list[str]]:
    """The rows below a heading, by the name in their first cell."""
    text = (ROOT / "docs" / "conventions.md").read_text().split(f"## {heading}\n")[1].split("\n## ")[0]
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines() if line.startswith("| `")
    ]
    return {row[0].strip("`"): row[1:] for row in rows}


def kind(spec: dict[str, Any]) -> str:
    """The type in the words of the tables."""
    name = str(spec.get("type", "str"))
    return f"list of {spec.get('elements')}" if name == "list" else name


def agrees(found: str, wanted: str) -> bool:
    return found == wanted


def names_of(spec: dict[str, Any]) -> Iterator[str]:
    """The names of the options and of those in them."""
    for name, option in spec.items():
        yield name
        yield from names_of(option.get("options") or {})


OPTIONS, RESULTS = table("Options"), table("Results")


@pytest.mark.parametrize("module", MODULES)
def test_options(module: str) -> None:
    spec = load(module).argument_spec()
    assert not FORMER & set(names_of(spec)) and not (module in NO_DEST and "dest" in spec)
    wrong = []
    for name in spec.keys() & OPTIONS.keys():
        wanted, default, _meaning = OPTIONS[name]
        provided = spec[name].get("default")
        defaults = [yaml.safe_load(text.strip("`")) for text in default.split(" or ")] if default else []
        same_default = not defaults or provided in defaults or spec[name].get("required")
        if not agrees(kind(spec[name]), wanted) or not same_default:
            wrong.append((module, name))
    assert set(wrong) == {entry for entry in NOT_YET_OPTIONS if entry[0] == module}


@pytest.mark.parametrize("module", MODULES)
def test_results(module: str) -> None:
    returned = yaml.safe_load(load(module).RETURN)
    wrong = {
        (module, name)
        for name in returned.keys() & RESULTS.keys()
        if not agrees(kind(returned[name]), RESULTS[name][0])
    }
    assert wrong == {entry for entry in NOT_YET_RESULTS if entry[0] == module}


def test_each_row_is_used() -> None:
    options = {name for module in MODULES for name in load(module).argument_spec()}
    results = {name for module in MODULES for name in yaml.safe_load(load(module).RETURN)}
    assert set(OPTIONS) <= options and set(RESULTS) <= results


@pytest.mark.parametrize("module", [name for name in MODULES if name.endswith("_info")])
def test_info_modules_only_read(module: str) -> None:
    text = Path(load(module).__file__ or "").read_text()
    assert not re.search(r"\bdecide|\bplan_", text)
