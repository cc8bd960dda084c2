# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Count the words that the project does not use, in its text and in its names. A count may only fall."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
# Directories that are no part of the project: made by `make`, by an editor or by git.
MADE = frozenset(
    {
        ".venv",
        ".build",
        ".git",
        ".ansible",
        ".mypy_cache",
        ".pytest_cache",
        ".ruff_cache",
        ".hypothesis",
        "__pycache__",
        "node_modules",
    }
)
# The licence is not this project's text, the list of removed tests has their former names, and this file has the words.
# Texts of upstream projects that are repeated verbatim (cluster/upstream, recorded answers) have none of the words, so
# that none of them is exempt. A text that has one belongs into a file of constants, cluster/upstream/verbatim.py, with
# its path upstream; only that file is added here then.
EXEMPT = frozenset({"LICENSE", "tests/removed.md", "tests/unit/architecture/test_words.py"})

# A word in text, and how often it may occur. Words may be joined by an underscore (names of tests) or be separated by
# the start of a comment line.
WORDS = {
    "nobody": 0,
    "somebody": 0,
    "whoever": 0,
    "anybody": 0,
    "anew": 0,
    "shall": 0,
    "is told": 0,
    "are told": 0,
    "stand in": 0,
    "stand at": 0,
    "stand once": 0,
    "stand for": 0,
    "for ever": 0,
    "for good": 0,
    "everybody": 0,
    "mend": 0,
    "mends": 0,
    "mended": 0,
    "let go": 0,
    "lets go": 0,
    "hands over": 0,
}

# A word in names that Python code defines, in keys of options and variables and in names of files, and in how many
# names it may occur.
# One name of one file counts once, however often the file uses it.
NAMES = {
    "door": 0,
    "room": 0,
    "house": 0,
    "wish": 0,
    "standing": 0,
    "told": 0,
    "given": 0,
    "care": 0,
    "wake": 0,
    "bring": 0,
    "steer": 0,
}


def files() -> Iterator[tuple[str, Path]]:
    for path in sorted(ROOT.rglob("*")):
        name = path.relative_to(ROOT)
        if (
            path.is_file()
            and not MADE & set(name.parts)
            and str(name) not in EXEMPT
            and not any(part.endswith(".egg-info") for part in name.parts)
        ):
            yield str(name), path


@cache
def texts() -> dict[str, str]:
    found = {}
    for name, path in files():
        try:
            found[name] = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
    return found


def pattern(words: str) -> re.Pattern[str]:
    first, *rest = words.split()
    first = "stands?" if first == "stand" else first
    return re.compile(r"(?<![a-z])" + r"(?:\s+(?:#:?\s+)?|_)".join([first, *rest]) + r"(?![a-z])", re.IGNORECASE)


def occurrences(words: str, text: str) -> Iterator[int]:
    """Line numbers of the occurrences of ``words`` in ``text``."""
    if words.split()[0] in text.lower():
        yield from (text.count("\n", 0, match.start()) + 1 for match in pattern(words).finditer(text))


def defined(tree: ast.AST) -> Iterator[str]:
    """Names that the code defines: what it only uses is another file's or upstream's."""
    for node in ast.walk(tree):
        match node:
            case (
                ast.FunctionDef(name=name)
                | ast.AsyncFunctionDef(name=name)
                | ast.ClassDef(name=name)
                | ast.arg(arg=name)
            ):
                yield name
            case ast.Name(id=name, ctx=ast.Store()) | ast.Attribute(attr=name, ctx=ast.Store()):
                yield name
            case ast.alias(asname=str(name)):
                yield name


def keys(text: str) -> Iterator[str]:
    """Keys of YAML that may be an option or a variable: all in small letters."""
    return iter(re.findall(r"^[ -]*([a-z][a-z0-9_]*):", text, re.MULTILINE))


def parts(name: str) -> set[str]:
    """``NodeWish_of2`` → node, wish, of; plurals and forms of verbs count as the word too."""
    found = {part.lower() for part in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", name)}
    found |= {part.removesuffix(suffix) for part in found for suffix in ("ed", "ing", "er")}
    return found | {
        part.removesuffix("s").removesuffix("e") if part.endswith("shes") else part.removesuffix("s") for part in found
    }


@cache
def names() -> dict[str, list[str]]:
    """Each forbidden part → ``file: name`` of the names that have it."""
    found: dict[str, list[str]] = {word: [] for word in NAMES}
    seen_paths = set()
    for path, text in texts().items():
        own = set(path.split("/"))
        here = [(path, part) for part in sorted(own - seen_paths)]
        seen_paths |= own
        if path.endswith(".py"):
            here += [(path, name) for name in sorted(set(defined(ast.parse(text))))]
        elif path.endswith((".yml", ".yaml", "interface.txt")):
            here += [(path, name) for name in sorted(set(keys(text)))]
        for where, name in here:
            for word in parts(name) & set(NAMES):
                found[word].append(f"{where}: {name}")
    return found


@pytest.mark.parametrize("words", WORDS)
def test_words_of_text(words: str) -> None:
    places = [f"{name}:{line}" for name, text in texts().items() for line in occurrences(words, text)]
    assert len(places) <= WORDS[words], "style: say who acts, in plain technical English:\n" + "\n".join(places)


@pytest.mark.parametrize("word", NAMES)
def test_words_of_names(word: str) -> None:
    found = names()[word]
    assert len(found) <= NAMES[word], "name it with the field's own term (CONTRIBUTING.md, Rules):\n" + "\n".join(found)


@pytest.mark.parametrize(
    ("words", "text", "lines"),
    [
        ("is told", "it is\n    # told. Is Told", [1, 2]),
        ("is told", "test_that_is_told_twice", [1]),
        ("is told", "this toldness", []),
        ("nobody", "Nobody, nobody_else\nnobodys", [1, 1]),
        ("stand for", "it stands for\nthey stand for, stand before", [1, 2]),
        ("for ever", "for every one, forever", []),
    ],
)
def test_occurrences(words: str, text: str, lines: list[int]) -> None:
    assert list(occurrences(words, text)) == lines


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("NodeWish", "wish"),
        ("wishes", "wish"),
        ("open_door", "door"),
        ("doors", "door"),
        ("steered", "steer"),
        ("HTTPCare2", "care"),
        ("careful", None),
        ("bring-in.yml", "bring"),
    ],
)
def test_parts(name: str, found: str | None) -> None:
    assert parts(name) & set(NAMES) == ({found} if found else set())


def test_defined_names() -> None:
    code = "import a as wish\nclass Door:\n    def told(self, given, *, care=1):\n        self.room = used.house\n"
    assert Counter(defined(ast.parse(code))) == Counter(["wish", "Door", "told", "self", "given", "care", "room"])
