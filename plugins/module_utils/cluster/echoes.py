# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Report each mistake once: if a value could not be parsed, drop the later problems about the same value."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..common.problems import DUPLICATE, REQUIRED, Problem, errors


def without_echoes(problems: Iterable[Problem], unread: Sequence[Problem]) -> list[Problem]:
    """Return ``problems`` without those about a value for which ``unread`` (the parse errors) already has an error.

    Both name fields as the user wrote them.
    """
    # In a file, the installer reads on with what is ours alone, and says what it has to say.
    causes = [
        cause for cause in errors(unread) if not cause.file or cause.layer == "installer" or cause.kind == DUPLICATE
    ]
    return [problem for problem in problems if not any(_echoes(problem, cause) for cause in causes)]


def _echoes(problem: Problem, cause: Problem) -> bool:
    if not cause.path or cause.file != problem.file:
        return False
    if problem.path == cause.path:
        return True
    # Of two with one name the first was read.
    if _is_below(problem.path, cause.path) and cause.kind != DUPLICATE:
        return True
    # A list whose only element could not be read looks empty.
    return problem.kind == REQUIRED and _is_below(cause.path, problem.path)


def _is_below(path: str, above: str) -> bool:
    return path.startswith((f"{above}.", f"{above}["))
