# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Parse a test case of the installer (txtar archive): a script, then files after lines ``-- name --``. Also parse the
lines of its script.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping
from pathlib import Path

_FILE = re.compile(r"^-- (.+) --[ \t]*\n", re.MULTILINE)


@dataclasses.dataclass(frozen=True)
class Line:
    """A command of a script.

    ``negated`` is ``!``, ``either`` is ``?``; ``conditions`` are those in brackets before it.
    """

    number: int
    command: str
    arguments: tuple[str, ...]
    negated: bool = False
    either: bool = False
    conditions: tuple[str, ...] = ()


@dataclasses.dataclass(frozen=True)
class Archive:
    """A case: its script, and the files that it begins with."""

    script: str
    files: Mapping[str, str]

    @classmethod
    def parse(cls, text: str) -> Archive:
        text = text.replace("\r\n", "\n")
        parts = _FILE.split(text if text.endswith("\n") else text + "\n")
        return cls(parts[0], dict(zip(parts[1::2], parts[2::2], strict=True)))

    def unpack(self, directory: Path) -> None:
        for name, text in self.files.items():
            file = directory / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)


def words(line: str, variables: Mapping[str, str]) -> list[str]:
    """The words of a line: quoted ones are taken as they are ('' is a quote), in others variables are put in; # begins
    a comment.
    """
    found: list[str] = []
    word, open_word, position = "", False, 0
    while position < len(line):
        character = line[position]
        if character == "'":
            text, position = _quoted(line, position + 1)
            word, open_word = word + text, True
            continue
        if character in " \t\r" or (character == "#" and not open_word):
            found += [word] if open_word else []
            word, open_word = "", False
            if character == "#":
                break
            position += 1
            continue
        plain = re.match(r"[^' \t\r]+", line[position:])
        assert plain is not None
        word, open_word = word + expand(plain[0], variables), True
        position += len(plain[0])
    return [*found, word] if open_word else found


def _quoted(line: str, position: int) -> tuple[str, int]:
    text = ""
    while True:
        end = line.find("'", position)
        if end < 0:
            raise ValueError(f"a quote is never closed: {line}")
        text += line[position:end]
        if line[end + 1 : end + 2] != "'":
            return text, end + 1
        text, position = text + "'", end + 2


def expand(text: str, variables: Mapping[str, str]) -> str:
    """``$NAME``, ``${NAME}``; ``$$`` is a dollar, an unknown name is empty."""

    def value(match: re.Match[str]) -> str:
        name = match[1] or match[2]
        return "$" if name == "$" else variables.get(name, "")

    return re.sub(r"\$(?:\{(\w+|\$)\}|(\w+|\$))", value, text)


def parse_line(number: int, text: str, variables: Mapping[str, str]) -> Line | None:
    """The command of a line; variables have the values of that moment. None for a line without one."""
    found = words(text, variables)
    conditions = []
    while found and found[0].startswith("[") and found[0].endswith("]"):
        conditions.append(found.pop(0)[1:-1])
    negated, either = bool(found) and found[0] == "!", bool(found) and found[0] == "?"
    if negated or either:
        found.pop(0)
    return Line(number, found[0], tuple(found[1:]), negated, either, tuple(conditions)) if found else None


def command_lines(script: str) -> list[tuple[int, str]]:
    """Number and text of the lines that are commands."""
    return [
        (number, line)
        for number, line in enumerate(script.split("\n"), 1)
        if line.strip() and not line.lstrip().startswith("#")
    ]
