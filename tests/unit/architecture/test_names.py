# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test the names in module_utils and plugin_utils: a public class has a unique name, and every public name is used."""

from __future__ import annotations

import ast
import functools
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[3]
PREFIX = "ansible_collections.zerotouch.openshift."
PLUGINS = sorted(path for path in (ROOT / "plugins").rglob("*.py") if "__pycache__" not in path.parts)
PACKAGES = [path for path in PLUGINS if path.relative_to(ROOT / "plugins").parts[0] in ("module_utils", "plugin_utils")]
# Methods that a class of the standard library, of urllib3 or of Ansible calls.
CALLED_BY_OTHERS = frozenset({"do_GET", "emit", "log_message", "process_request", "readable"})
USED_ELSEWHERE = {
    # Run as a process of their own.
    "serving/server.py: main",
    "deployment/state/process.py: main",
    # Called by tests/generate_docs.py and the tests of the pages that it writes.
    "cluster/schema.py: schema_files",
    "inventory_schema.py: inventory_schema_text",
    "ignition/table.py: markdown",
    "ignition/table.py: row_of",
}


@functools.cache
def trees() -> dict[Path, ast.Module]:
    return {path: ast.parse(path.read_text()) for path in PLUGINS}


def module_of(path: Path) -> str:
    return PREFIX + ".".join(path.relative_to(ROOT).with_suffix("").parts)


def source_of(path: Path, node: ast.ImportFrom) -> str:
    base = module_of(path).split(".")[: -node.level] if node.level else []
    return ".".join([*base, *([node.module] if node.module else [])])


def imports() -> set[tuple[str, str]]:
    """(module, name) of every name that a file takes from another one, by import or as attribute of an imported
    module.
    """
    found = set()
    for path, tree in trees().items():
        modules = {}
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom):
                source = source_of(path, node)
                found |= {(source, alias.name) for alias in node.names}
                modules |= {alias.asname or alias.name: f"{source}.{alias.name}" for alias in node.names}
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in modules:
                found.add((modules[node.value.id], node.attr))
    return found


def names_in(tree: ast.AST) -> Counter[str]:
    return Counter(node.id for node in ast.walk(tree) if isinstance(node, ast.Name))


def attributes() -> set[str]:
    """Attributes that code refers to, and texts that may be one (``getattr``)."""
    nodes = [node for tree in trees().values() for node in ast.walk(tree)]
    texts = {node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)}
    return {node.attr for node in nodes if isinstance(node, ast.Attribute)} | texts


def unused() -> Iterator[str]:
    taken, read = imports(), attributes()
    for path in PACKAGES:
        where, names = "/".join(path.relative_to(ROOT / "plugins").parts[1:]), names_in(trees()[path])
        for node in trees()[path].body:
            if not isinstance(node, (ast.ClassDef, ast.FunctionDef)) or node.name.startswith("_"):
                continue
            if names[node.name] <= names_in(node)[node.name] and (module_of(path), node.name) not in taken:
                yield f"{where}: {node.name}"
            methods = (
                [each.name for each in node.body if isinstance(each, ast.FunctionDef)]
                if isinstance(node, ast.ClassDef)
                else []
            )
            yield from (
                f"{where}: {node.name}.{name}"
                for name in methods
                if not name.startswith("_") and name not in read | CALLED_BY_OTHERS
            )


def test_public_classes_have_names_of_their_own() -> None:
    places: dict[str, list[str]] = defaultdict(list)
    for path in PACKAGES:
        for node in trees()[path].body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places[node.name].append(str(path.relative_to(ROOT)))
    assert {name: found for name, found in places.items() if len(found) > 1} == {}


def test_public_names_are_used() -> None:
    """A function or class that only tests use is dead. A row of :data:`USED_ELSEWHERE` is removed with its reason."""
    assert set(unused()) == USED_ELSEWHERE
