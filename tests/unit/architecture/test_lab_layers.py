# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test that imports between the files of lab/ztlab form no cycle."""

from __future__ import annotations

import ast
from functools import cache

from .test_words import ROOT, texts

LAB = "lab/ztlab/"


def only_for_types(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"


def imported(path: str, tree: ast.AST) -> set[str]:
    """Files of the lab that a file imports, those for type checkers left out."""
    found: set[str] = set()
    pending = [tree]
    while pending:
        node = pending.pop()
        if only_for_types(node):
            continue
        if isinstance(node, ast.ImportFrom) and node.level:
            base = path.split("/")[: -node.level]
            folder = [*base, *(node.module or "").split(".")] if node.module else base
            found |= {"/".join(folder) + ".py", "/".join([*folder, "__init__.py"])}
            found |= {"/".join([*folder, alias.name]) + ".py" for alias in node.names}
        pending += ast.iter_child_nodes(node)
    return {name for name in found if (ROOT / name).is_file()} - {path}


@cache
def graph() -> dict[str, set[str]]:
    return {
        name: imported(name, ast.parse(text))
        for name, text in texts().items()
        if name.startswith(LAB) and name.endswith(".py")
    }


def circles(edges: dict[str, set[str]]) -> list[set[str]]:
    """Strongly connected components with more than one file (Tarjan 1972, without recursion)."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    found: list[set[str]] = []
    for start in edges:
        work = [(start, iter(edges[start]))] if start not in index else []
        while work:
            node, rest = work[-1]
            if node not in index:
                index[node] = low[node] = len(index)
                stack.append(node)
            for target in rest:
                if target not in index:
                    work.append((target, iter(edges.get(target, ()))))
                    break
                if target in stack:
                    low[node] = min(low[node], index[target])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == index[node]:
                    part = {stack.pop()}
                    while node not in part:
                        part.add(stack.pop())
                    if len(part) > 1:
                        found.append(part)
    return sorted(found, key=len, reverse=True)


def test_no_circles_of_imports() -> None:
    assert [" ".join(sorted(part)) for part in circles(graph())] == []


def test_circles_are_found() -> None:
    assert circles({"a": {"b"}, "b": {"c"}, "c": {"b"}, "d": {"a", "d"}}) == [{"b", "c"}]


def test_imports_for_type_checkers_do_not_count() -> None:
    code = "from . import lab\nfrom typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from .clock import Clock\n"
    assert imported("lab/ztlab/cli.py", ast.parse(code)) & {"lab/ztlab/clock.py"} == set()
