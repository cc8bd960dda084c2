# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Parse YAML strictly, and keep the line of each value.

The messages for syntax errors are this collection's own: a YAML parser quotes the text around an error, and that text
may be a pull secret. Only file, line and column are taken from its error.

Scalars are read as the installer's parser reads them (YAML 1.1 without dates and base-60 numbers): an unquoted MAC
stays a string.
"""

from __future__ import annotations

import functools
import math
import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from ..common import libraries
from ..common.problems import DUPLICATE, IGNORED, SYNTAX, Layer, Problem
from .tree import Item, join

if TYPE_CHECKING:
    import yaml

_TRUE = frozenset("y Y yes Yes YES true True TRUE on On ON".split())
_FALSE = frozenset("n N no No NO false False FALSE off Off OFF".split())
_NULL = frozenset(["", "~", "null", "Null", "NULL"])
_INTEGER = re.compile(r"^[-+]?(0b[01_]+|0o?[0-7_]+|0x[0-9a-fA-F_]+|[0-9][0-9_]*)$")
_FLOAT = re.compile(r"^([-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?|[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN))$")
_PLAIN = "!plain"
# An alias may repeat a large value many times; no honest configuration gets near this.
_MOST_VALUES = 2_000_000
_DEEPEST = 200

_VERSION = re.compile(r"\ufeff?(?:[ \t]*(?:#.*)?\n)*%YAML[ \t]+(\d+\.\d+)")
# A value in two single quotes on each side: '' is an empty string to YAML, and what follows makes no sense to it.
_DOUBLED_QUOTES = re.compile(r"^(?P<head>[ ]*pullSecret[ ]*:[ ]*)''(?P<json>\s*\{.*\}\s*)''[ \t]*$", re.MULTILINE)
PULL_SECRET_HINT = (
    """write pullSecret: '{"auths": {"host:5000": {"auth": "…"}}}' on one line, in one pair of single quotes"""
)

# Part of the parser's message -> our words.
_WORDS = (
    (
        "mapping values are not allowed",
        ("a ':' where no key is allowed: correct the indentation, or put a value that contains ': ' in quotes"),
    ),
    ("did not find expected key", "a key was expected: wrong indentation, or quotes that end too early"),
    ("expected <block end>", "a key was expected: wrong indentation, or quotes that end too early"),
    ("expected '-'", "a list entry was expected: wrong indentation"),
    ("expected ':'", "a ':' after the key is missing"),
    ("unexpected end of stream", "a quote or bracket is never closed"),
    ("end of stream", "a quote or bracket is never closed"),
    ("undefined alias", "an alias (*name) without an anchor (&name)"),
    ("expected ',' or", "a ',' or a closing bracket is missing"),
    ("cannot start any token", "a character that cannot start a value; put the value in quotes"),
    ("escape", "an unknown escape after '\\' in double quotes"),
    ("not allowed", "a character that YAML does not allow"),
)


def resolve_plain(text: str) -> Any:
    """The value of an unquoted scalar."""
    if text in _NULL:
        return None
    if text in _TRUE:
        return True
    if text in _FALSE:
        return False
    if _INTEGER.match(text) and isinstance(whole := _integer(text), int):
        return whole
    # 08 is no number in base 8: the installer's parser then tries one with a fraction.
    if _FLOAT.match(text):
        value = float(text.lower().replace(".inf", "inf").replace(".nan", "nan"))
        return value if math.isfinite(value) or text[-1] in "fFnN" else text  # beyond what a float holds
    return text


def _integer(text: str) -> int | str:
    digits = text.lstrip("-+").replace("_", "").lower()
    base = {"0b": 2, "0x": 16, "0o": 8}.get(digits[:2], 8 if len(digits) > 1 and digits[0] == "0" else 10)
    try:
        return int(digits.removeprefix("0b").removeprefix("0x").removeprefix("0o") or "0", base) * (
            -1 if text[0] == "-" else 1
        )
    except ValueError:
        return text


def _key_text(text: str) -> str | None:
    """An unquoted key as the installer makes a text of it, or None: ``on`` is true, 010 is 8, 1.10 is 1.1."""
    value = resolve_plain(text)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        # Six digits, as many as a key of this kind ever has; the infinite ones keep their dot.
        return f"{value:g}" if math.isfinite(value) else text.lower().lstrip("+")
    return None if value is None else str(value)


@functools.lru_cache(maxsize=1)
def _loader() -> Any:
    # libyaml where PyYAML was built with it: 10 times faster. One resolver marks every unquoted scalar; their values we
    # resolve ourselves.
    yaml = libraries.yaml

    class Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
        yaml_implicit_resolvers: dict[str, Any] = {}

    Loader.add_implicit_resolver(_PLAIN, re.compile(""), None)
    return Loader


def load(text: str, file: str) -> tuple[Item | None, list[Problem]]:
    """The first document of a YAML text, or None when it is not YAML; problems name the file, line and column.

    One common mistake is read as meant, so that everything after it is checked as well: a pull secret in doubled single
    quotes.
    """
    item, problems = _load(text, file)
    match = _DOUBLED_QUOTES.search(text) if item is None else None
    if match is None:
        return item, problems
    line = text.count("\n", 0, match.start("json")) + 1
    column = len(match["head"]) + 1
    beginning = text[: match.start()]
    rest = text[match.end() :]
    corrected = f"{beginning}{match['head']}'{match['json'].strip()}'{rest}"
    item, problems = _load(corrected, file)
    detail = f"line {line}, column {column}: the value is in doubled single quotes; YAML ends it at the second quote"
    return item, [Problem("pullSecret", SYNTAX, detail, file=file, line=line, hint=PULL_SECRET_HINT), *problems]


def _load(text: str, file: str) -> tuple[Item | None, list[Problem]]:
    items, problems = load_all(text, file, most=1)
    return (items[0] if items else None), problems


def load_all(text: str, file: str, most: int = 0, *, strict: bool = True) -> tuple[list[Item], list[Problem]]:
    """The documents of a YAML text, at least one (of value None when the text is empty); none at all when it is not
    YAML.

    With ``most`` further documents are left out, whatever they hold, with a warning. ``strict`` is False for files in
    which the installer takes the last of two values of a key: that a key is defined twice is ours to report then.
    """
    yaml = libraries.yaml
    problems: list[Problem] = []
    items: list[Item] = []
    if (version := _VERSION.match(text)) and version[1] != "1.1":
        detail = f"YAML {version[1]} is not read, only 1.1: take the line %YAML out"
        return [], [Problem("", SYNTAX, detail, file=file, line=text.count("\n", 0, version.end()) + 1)]
    try:
        loader = _loader()(text)
        try:
            while not (most and len(items) == most) and loader.check_node():
                items.append(_Reading(file, problems, strict=strict).item(loader.get_node(), "", 0))
            problems += _left_out(loader, file) if len(items) == most else ()
        finally:
            loader.dispose()
    except yaml.YAMLError as error:
        return [], [_syntax_problem(error, text, file)]
    return items or [Item(None, "", file, 1)], problems


def _left_out(loader: Any, file: str) -> Iterator[Problem]:
    """That there is more, be it YAML or not."""
    try:
        mark = loader.get_node().start_mark if loader.check_node() else None
        line, column = (mark.line + 1, mark.column + 1) if mark else (0, 0)
    except libraries.yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line, column = (mark.line + 1, mark.column + 1) if mark else (1, 1)
    if line:
        detail = (
            "only the first document of the file is read"
            if file
            else (f"line {line}, column {column}: a second document begins")
        )
        yield Problem("", IGNORED, detail, severity="warning", check="ignored-field", file=file, line=line)


def _syntax_problem(error: yaml.YAMLError, text: str, file: str) -> Problem:
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    said = f"{getattr(error, 'problem', '')} {getattr(error, 'reason', '')}"
    words = next((ours for theirs, ours in _WORDS if theirs in said), "check indentation, quotes and colons")
    if mark is None:
        return Problem("", SYNTAX, f"this is not valid YAML: {words}", file=file)
    lines = text.splitlines()
    if mark.line < len(lines) and lines[mark.line].lstrip(" ").startswith("\t"):
        words = "the line is indented with a tab; use spaces"
    line, column = mark.line + 1, mark.column + 1
    return Problem("", SYNTAX, f"line {line}, column {column}: this is not valid YAML: {words}", file=file, line=line)


class _Reading:
    """Nodes of one document into items."""

    def __init__(self, file: str, problems: list[Problem], *, strict: bool) -> None:
        self.file = file
        self.problems = problems
        self.strict = strict
        self.count = 0
        self.open: set[int] = set()

    def problem(self, path: str, kind: str, detail: str, node: Any, *, layer: Layer = "installer") -> None:
        line = node.start_mark.line + 1
        # A text that is in no file is found by this only.
        column = node.start_mark.column + 1
        place = "" if self.file else f"line {line}, column {column}: "
        self.problems.append(Problem(path, kind, f"{place}{detail}", file=self.file, line=line, layer=layer))

    def item(self, node: Any, path: str, depth: int) -> Item:
        line = node.start_mark.line + 1
        self.count += 1
        if id(node) in self.open:
            self.problem(path, SYNTAX, "an alias refers to a value that contains the alias itself", node)
            return Item(None, path, self.file, line)
        if self.count >= _MOST_VALUES:
            if self.count == _MOST_VALUES:
                self.problem(path, SYNTAX, "aliases make this document too large", node)
            return Item(None, path, self.file, line)
        self.open.add(id(node))
        value = self.value(node, path, depth)
        self.open.discard(id(node))
        return Item(value, path, self.file, line)

    def value(self, node: Any, path: str, depth: int) -> Any:
        yaml = libraries.yaml
        if depth > _DEEPEST:
            self.problem(path[:80] + "…", SYNTAX, "this document is nested too deeply", node)
            return None
        if isinstance(node, yaml.MappingNode):
            return self.entries(node, path, depth)
        if isinstance(node, yaml.SequenceNode):
            return [self.item(child, join(path, index), depth + 1) for index, child in enumerate(node.value)]
        return self.scalar(node, path)

    def entries(self, node: Any, path: str, depth: int) -> dict[str, Item]:
        own: dict[str, Item] = {}
        merged: dict[str, Item] = {}
        for key_node, value_node in node.value:
            if key_node.tag == _PLAIN and key_node.value == "<<":
                self.merge(merged, value_node, path, depth)
                continue
            key = self.key(key_node, path)
            if key is None:
                continue
            if key in own:
                layer: Layer = "installer" if self.strict else "ours"
                self.problem(
                    join(path, key),
                    DUPLICATE,
                    f"the key is defined twice, first on line {own[key].line}",
                    key_node,
                    layer=layer,
                )
                continue
            item = self.item(value_node, join(path, key), depth + 1)
            item.line = key_node.start_mark.line + 1
            own[key] = item
        self.overridden(own, merged, path)
        return {**{key: value for key, value in merged.items() if key not in own}, **own}

    def overridden(self, own: Mapping[str, Item], merged: Mapping[str, Item], path: str) -> None:
        """The installer reads what '<<' brings as if it stood there, and takes no key twice."""
        for key in own if self.strict else ():
            if key in merged:
                detail = (
                    f"'<<' also defines this key (line {merged[key].line}), and the installer does not allow to "
                    "override it"
                )
                self.problems.append(Problem(join(path, key), DUPLICATE, detail, file=self.file, line=own[key].line))

    def key(self, node: Any, path: str) -> str | None:
        if not isinstance(node.value, str):
            self.problem(path, SYNTAX, "a key must be a word, not a list or mapping", node)
            return None
        key = _key_text(node.value) if node.tag == _PLAIN else str(node.value)
        if key is None:
            self.problem(path, SYNTAX, "a key must be a word, and this one is null", node)
        return key

    def merge(self, into: dict[str, Item], node: Any, path: str, depth: int) -> None:
        yaml = libraries.yaml
        sources = node.value if isinstance(node, yaml.SequenceNode) else [node]
        for source in sources:
            if not isinstance(source, yaml.MappingNode):
                self.problem(path, SYNTAX, "'<<' must name a mapping", source)
                continue
            found = self.item(source, path, depth + 1).mapping()
            self.overridden(found, into, path)
            for key, item in found.items():
                into.setdefault(key, item)

    def scalar(self, node: Any, path: str) -> Any:
        if node.tag == _PLAIN:
            return self.finite(resolve_plain(node.value), node, path)
        tag = node.tag.removeprefix("tag:yaml.org,2002:")
        if tag in ("int", "float", "bool", "null"):
            return self.finite(resolve_plain(node.value), node, path)
        if tag != "str":
            self.problem(path, SYNTAX, "YAML tags other than !!str are not supported here", node, layer="ours")
        return node.value

    def finite(self, value: Any, node: Any, path: str) -> Any:
        """The installer makes JSON of everything, and JSON has no other numbers."""
        if isinstance(value, float) and not math.isfinite(value):
            self.problem(path, SYNTAX, "infinity and NaN are no numbers here", node)
            return None
        return value
