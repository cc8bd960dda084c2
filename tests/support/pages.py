# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Extract the code blocks of a documentation page, and the commands in them."""

from __future__ import annotations

import re
import shlex
import textwrap
from pathlib import Path
from typing import NamedTuple


class Block(NamedTuple):
    """One code block: ``heading`` is that of its section, ``language`` may be empty."""

    heading: str
    language: str
    text: str


def blocks(page: Path, language: str | None = None) -> list[Block]:
    """Return the fenced code blocks of a page (in one language), also those in items of lists."""
    found: list[Block] = []
    heading, opened, lines = "", None, list[str]()
    for line in page.read_text().splitlines():
        fence = re.match(r"\s*```(\w*)\s*$", line)
        if opened is None:
            heading = line.lstrip("# ") if re.match(r"#+ ", line) else heading
            opened = fence[1] if fence else None
        elif fence:
            found.append(Block(heading, opened, textwrap.dedent("".join(f"{line}\n" for line in lines))))
            opened, lines = None, []
        else:
            lines.append(line)
    return [block for block in found if language in (None, block.language)]


def commands(page: Path) -> list[str]:
    """The commands of a page's bash blocks, each without its comment."""
    return [command for block in blocks(page, "bash") for command in commands_of(block.text)]


def commands_of(text: str) -> list[str]:
    """A command ends with its line, unless a quote or a backslash continues it."""
    found, begun = list[str](), ""
    for line in text.splitlines():
        begun = f"{begun}\n{line}" if begun else line
        if _continues(begun):
            continue
        command = re.sub(r"\s+# .*$", "", begun) if "'" not in begun and '"' not in begun else begun
        if command.strip() and not command.startswith("#"):
            found.append(command.strip())
        begun = ""
    return found


def _continues(text: str) -> bool:
    if text.endswith("\\"):
        return True
    try:
        shlex.split(text, comments=True)
    except ValueError:
        return True
    return False
