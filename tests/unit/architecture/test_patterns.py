# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test that no regular expression needs exponential time: no repetition may read the same text in two ways.

``(?:a+)*`` divides a text of n letters in 2**n ways, and a match that fails tries all of them. The test makes the
position automaton of every pattern. It looks for a position to which two different paths with the same text lead back
("exponential degree of ambiguity").
"""

from __future__ import annotations

import ast
import dataclasses
import importlib
import itertools
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[3]
PLUGINS = ROOT / "plugins"
PREFIX = "ansible_collections.zerotouch.openshift.plugins."
FOLDERS = sorted(path.name for path in PLUGINS.iterdir() if path.name != "__pycache__")
FUNCTIONS = {name for name in dir(re) if name.islower() and callable(getattr(re, name))}
PARSER: Any = importlib.import_module("re._parser")
COMPILER: Any = importlib.import_module("re._compiler")
ALPHABET = [*map(chr, range(256)), "ſ", "€", "１", "\ud800"]
# Repetitions with a limit above this count as repetitions without one.
FEW = 4


@dataclasses.dataclass(frozen=True)
class Part:
    """A part of a pattern: the positions where it can begin and end, and whether it matches an empty text."""

    first: frozenset[int] = frozenset()
    last: frozenset[int] = frozenset()
    empty: bool = True


class Automaton:
    """The characters of each position, and how many ways lead from one position to the next."""

    def __init__(self, pattern: re.Pattern[Any]) -> None:
        self.characters: list[frozenset[str]] = []
        self.edges: Counter[tuple[int, int]] = Counter()
        self.repeated: set[int] = set()
        tree = PARSER.parse(pattern.pattern, pattern.flags)
        self.state = tree.state
        self.sequence(tree)

    def sequence(self, items: Iterable[Any]) -> Part:
        part = Part()
        for item in items:
            part = self.joined(part, self.item(*item))
        return part

    def joined(self, left: Part, right: Part) -> Part:
        self.edges.update(itertools.product(left.last, right.first))
        return Part(
            left.first | right.first if left.empty else left.first,
            right.last | left.last if right.empty else right.last,
            left.empty and right.empty,
        )

    def item(self, kind: Any, value: Any) -> Part:
        name = str(kind)
        if name == "BRANCH":
            return _either([self.sequence(branch) for branch in value[1]])
        if name == "SUBPATTERN":
            return self.sequence(value[3])
        if name in ("MAX_REPEAT", "MIN_REPEAT"):
            return self.repeat(*value)
        if name in ("LITERAL", "NOT_LITERAL", "ANY", "IN"):
            one = COMPILER.compile(PARSER.SubPattern(self.state, [(kind, value)]))
            self.characters.append(frozenset(filter(one.fullmatch, ALPHABET)))
            position = frozenset([len(self.characters) - 1])
            return Part(position, position, empty=False)
        assert name in ("AT", "ASSERT", "ASSERT_NOT", "GROUPREF"), f"{name} is not known to this test"
        return Part()

    def repeat(self, low: int, high: int, body: Any) -> Part:
        endless = high > FEW and low != high
        copies = [self.sequence(body) for _copy in range(1 if endless else max(1, min(high, FEW)))]
        for before, after in itertools.pairwise(copies):
            self.joined(before, after)
        if endless:
            self.edges.update(itertools.product(copies[0].last, copies[0].first))
            self.repeated |= copies[0].first
        ends = copies[max(min(low, len(copies)) - 1, 0) :]
        return Part(copies[0].first, _union(part.last for part in ends), copies[0].empty or not low)

    def ambiguous(self) -> bool:
        """Whether two paths with the same text lead from a position back to it."""
        following: dict[int, list[int]] = {}
        for start, end in self.edges:
            following.setdefault(start, []).append(end)
        overlap = {
            pair
            for pair in itertools.product(range(len(self.characters)), repeat=2)
            if self.characters[pair[0]] & self.characters[pair[1]]
        }
        for begin in self.repeated:
            seen, queue = set(), [(begin, begin, False)]
            while queue:
                one, other, differ = queue.pop()
                for ends in itertools.product(following.get(one, ()), following.get(other, ())):
                    twice = one == other and ends[0] == ends[1] and self.edges[one, ends[0]] > 1
                    step = (*ends, differ or twice or ends[0] != ends[1])
                    if ends in overlap and step not in seen:
                        seen.add(step)
                        queue.append(step)
            if (begin, begin, True) in seen:
                return True
        return False


def _union(positions: Iterable[frozenset[int]]) -> frozenset[int]:
    return frozenset(itertools.chain.from_iterable(positions))


def _either(parts: list[Part]) -> Part:
    return Part(
        _union(part.first for part in parts),
        _union(part.last for part in parts),
        any(part.empty for part in parts),
    )


def patterns_of(value: object) -> Iterator[re.Pattern[Any]]:
    if isinstance(value, re.Pattern):
        yield value
    elif isinstance(value, (list, tuple, set, frozenset)):
        yield from itertools.chain.from_iterable(map(patterns_of, value))
    elif isinstance(value, dict):
        yield from itertools.chain.from_iterable(map(patterns_of, (*value, *value.values())))


def literals(path: Path) -> Iterator[re.Pattern[Any]]:
    """Patterns that are written where they are used, as in ``re.fullmatch("[a-z]", text)``."""
    for node in ast.walk(ast.parse(path.read_text())):
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and isinstance(node.func.value, ast.Name)
            and node.func.value.id == "re"
            and node.func.attr in FUNCTIONS
            and isinstance(node.args[0], ast.Constant)
        ):
            yield re.compile(node.args[0].value)


def patterns(path: Path) -> list[re.Pattern[Any]]:
    name = ".".join(path.relative_to(PLUGINS).with_suffix("").parts)
    module = importlib.import_module(PREFIX + name)
    return [*dict.fromkeys((*patterns_of(list(vars(module).values())), *literals(path)))]


@pytest.mark.parametrize("folder", FOLDERS)
def test_patterns_read_a_text_in_one_way(folder: str) -> None:
    found = [(path, pattern) for path in sorted((PLUGINS / folder).rglob("[!_]*.py")) for pattern in patterns(path)]
    assert [(path.name, pattern.pattern) for path, pattern in found if Automaton(pattern).ambiguous()] == []


@pytest.mark.parametrize(
    ("pattern", "ambiguous"),
    [
        ("(?:a+)*", True),
        ("(?:a+b*)+", True),
        ("(?:ab|[a-c]b)*", True),
        ("(?:[a-z0-9]+-*)*", True),
        ("(?:a{1,100})*", True),
        ('(?:(?:[^ "]+)|(?:"[^"]*"))+', True),
        ("(?:a+b)*", False),
        ("a*a*", False),
        ("(?:ab|ac)*", False),
        ("(?:a{2})*", False),
        ("(?:[a-z]{1,3}-)*", False),
        (r"[a-z0-9]+(?:(?:[._]|__|[-]+)[a-z0-9]+)*", False),
        ('(?:[^ "]|"[^"]*")+', False),
        (b"(?:a+)*", True),
        ("(?i)(?:Ab|[ac]b)*", True),
    ],
)
def test_what_is_ambiguous(pattern: str | bytes, ambiguous: bool) -> None:
    assert Automaton(re.compile(pattern)).ambiguous() is ambiguous
