# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Define the entries of the error catalogue, and match a reported problem with its entry."""

from __future__ import annotations

import dataclasses
import functools
import re

from ansible_collections.zerotouch.openshift.plugins.module_utils.common.problems import Problem


@dataclasses.dataclass(frozen=True)
class Entry:
    """One mistake in a configuration, and the messages that report it.

    ``paths`` are alternative field paths with blanks between them: ``*`` matches anything, ``[]`` any index. ``texts``
    are alternative messages: ``…`` matches anything. ``check`` is the check's name for ``openshift_checks``; its reason
    and remedy come from the table of checks.
    """

    paths: str
    kind: str
    texts: str | tuple[str, ...]
    why: str = ""
    correction: str = ""
    check: str = ""

    @property
    def alternatives(self) -> tuple[str, ...]:
        return (self.texts,) if isinstance(self.texts, str) else self.texts

    def matches(self, problem: Problem) -> bool:
        if problem.check != self.check or problem.kind not in self.kind.split(", "):
            return False
        return any(_path(path).fullmatch(problem.path) for path in self.paths.split()) and any(
            _text(text).fullmatch(problem.detail) for text in self.alternatives
        )


@dataclasses.dataclass(frozen=True)
class Topic:
    """A table of the page, with what holds for all of it."""

    title: str
    entries: tuple[Entry, ...]
    words: str = ""


@functools.cache
def _path(pattern: str) -> re.Pattern[str]:
    parts = re.split(r"(\*|\[\])", pattern)
    return re.compile("".join({"*": ".*", "[]": r"\[\d+\]"}.get(part, re.escape(part)) for part in parts))


@functools.cache
def _text(pattern: str) -> re.Pattern[str]:
    return re.compile(".*".join(re.escape(part) for part in pattern.split("…")), re.DOTALL)
