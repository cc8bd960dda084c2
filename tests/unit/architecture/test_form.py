# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test two rules of code style: no conditional expression inside another one, and no logic inside f-strings."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache

import pytest

from .test_words import texts

FOLDERS = ("plugins", "lab/ztlab", "lab/tests", "tests")
# What a replacement field of an f-string may be made of: a name, an attribute, an item or a slice, a call with such
# arguments. Tests may also compute numbers: the addresses of many hosts, figures that a benchmark prints.
PLAIN = (
    ast.Name,
    ast.Attribute,
    ast.Constant,
    ast.Call,
    ast.Subscript,
    ast.Slice,
    ast.UnaryOp,
    ast.USub,
    ast.keyword,
    ast.Starred,
    ast.Load,
    ast.JoinedStr,
    ast.FormattedValue,
)
ARITHMETIC = (ast.BinOp, ast.operator, ast.Tuple)


def nested_conditions(tree: ast.AST) -> Iterator[int]:
    """Lines of conditional expressions that are a part of another one."""
    for node in ast.walk(tree):
        if isinstance(node, ast.IfExp):
            yield from (
                inner.lineno
                for part in ast.iter_child_nodes(node)
                for inner in ast.walk(part)
                if isinstance(inner, ast.IfExp)
            )


def logic_in_strings(tree: ast.AST, plain: tuple[type[ast.AST], ...] = PLAIN) -> Iterator[int]:
    """Lines of f-strings whose replacement fields decide or compute."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FormattedValue) and any(not isinstance(part, plain) for part in ast.walk(node.value)):
            yield node.lineno


@cache
def parts(folder: str) -> list[tuple[str, ast.AST]]:
    """Conditional expressions and replacement fields of a folder's files, with the names of the files."""
    return [
        (name, node)
        for name, text in texts().items()
        if name.startswith(f"{folder}/") and name.endswith(".py")
        for node in ast.walk(ast.parse(text))
        if isinstance(node, (ast.IfExp, ast.FormattedValue))
    ]


@pytest.mark.parametrize("folder", FOLDERS)
def test_no_nested_conditional_expressions(folder: str) -> None:
    found = sorted({f"{name}:{line}" for name, node in parts(folder) for line in nested_conditions(node)})
    assert found == [], "name the inner value first"


@pytest.mark.parametrize("folder", FOLDERS)
def test_no_logic_in_f_strings(folder: str) -> None:
    plain = (*PLAIN, *ARITHMETIC) if folder.endswith("tests") else PLAIN
    found = sorted({f"{name}:{line}" for name, node in parts(folder) for line in logic_in_strings(node, plain)})
    assert found == [], "name the value before the text"


@pytest.mark.parametrize(
    ("code", "nested", "logic"),
    [
        ("a if b else c", 0, 0),
        ("a if b else (c if d else e)", 1, 0),
        ("f(a if b else c) if d else e", 1, 0),
        ("f'{a.b} {c(d)} {e[0]} {f[:100]!r} {g:>{width}}'", 0, 0),
        ("f'{a if b else c}'", 0, 1),
        ("f'{a + 1}'", 0, 1),
        ("f'{[x for x in y]}'", 0, 1),
    ],
)
def test_what_is_counted(code: str, nested: int, logic: int) -> None:
    tree = ast.parse(code)
    assert (len(set(nested_conditions(tree))), len(set(logic_in_strings(tree)))) == (nested, logic)
