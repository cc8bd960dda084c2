# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Define the dataclass ``Problem``, which every check of an input returns (docs/conventions.md#results).

A problem has the path of the field, its file and line, the value, the severity and a hint.
"""

from __future__ import annotations

import dataclasses
import difflib
from collections.abc import Iterable, Mapping
from typing import Any, Literal

from .terminal import printable

Severity = Literal["error", "warning"]
Layer = Literal["installer", "ours"]

# Upstream's words for the kind of a field error (openshift/installer pkg/types/validation/installconfig.go).
REQUIRED = "Required value"
INVALID = "Invalid value"
UNSUPPORTED = "Unsupported value"
FORBIDDEN = "Forbidden"
DUPLICATE = "Duplicate value"
TOO_MANY = "Too many"
INTERNAL = "Internal error"
UNKNOWN_FIELD = "Unknown field"
SYNTAX = "Syntax error"
IGNORED = "Ignored"
UNEXPECTED_STATE = "Unexpected state"
DEPRECATED = "Deprecated"


@dataclasses.dataclass(frozen=True)
class Problem:
    """One finding.

    ``path`` is the field as the user's own input names it (``platform.baremetal.apiVIPs`` for files,
    ``openshift_cluster.api_vips`` for variables); ``check`` is the stable name that ``openshift_checks`` takes;
    ``file`` and ``line`` are set where the input is a file. ``value`` never holds a secret.
    """

    path: str
    kind: str
    detail: str
    severity: Severity = "error"
    layer: Layer = "installer"
    check: str = ""
    file: str = ""
    line: int = 0
    value: str = ""
    hint: str = ""

    def text(self) -> str:
        """The problem on one line, in the installer's form ``<path>: <kind>[: <value>]: <detail>``."""
        place = f"{self.file}:{self.line}" if self.line else self.file
        where = f"{place}: " if self.file else ""
        value = f": {self.value}" if self.value else ""
        head = f"{self.path}: " if self.path else ""
        return printable(
            f"{where}{head}{self.kind}{value}"
            + (f": {self.detail}" if self.detail else "")
            + (f" ({self.hint})" if self.hint else "")
        )

    def as_dict(self) -> dict[str, Any]:
        """The shape of ``problems[]`` in module results."""
        return dataclasses.asdict(self)


@dataclasses.dataclass(frozen=True)
class OwnCheck:
    """Makes the problems of one check of this collection. ``name`` is what ``openshift_checks`` takes.

    Each package has one for each of its checks: ``problem = OwnCheck("bmc")``.
    """

    name: str

    def __call__(
        self,
        path: str,
        kind: str,
        detail: str,
        value: str = "",
        hint: str = "",
        *,
        severity: Severity = "error",
        file: str = "",
        line: int = 0,
    ) -> Problem:
        return Problem(path, kind, detail, severity, "ours", self.name, file, line, value, hint)


def state_problems(texts: Iterable[str], check: str) -> list[dict[str, Any]]:
    """``problems[]`` of a result for texts about observed objects, each once: warnings, because no input is wrong."""
    return [Problem("", UNEXPECTED_STATE, text, "warning", "ours", check).as_dict() for text in dict.fromkeys(texts)]


def errors(problems: Iterable[Problem]) -> list[Problem]:
    return [problem for problem in problems if problem.severity == "error"]


def warnings(problems: Iterable[Problem]) -> list[Problem]:
    return [problem for problem in problems if problem.severity == "warning"]


def apply_checks(problems: Iterable[Problem], checks: Mapping[str, str]) -> list[Problem]:
    """``openshift_checks``: set the severity of checks by name, or drop them.

    ``checks`` maps check name to ``error``, ``warn`` or ``off``. Errors of the installer's own layer stay errors: the
    installer would refuse them anyway.
    """
    result = []
    for problem in problems:
        wanted = checks.get(problem.check) if problem.check else None
        if wanted is None or (problem.layer == "installer" and problem.severity == "error"):
            result.append(problem)
        elif wanted != "off":
            result.append(dataclasses.replace(problem, severity="error" if wanted == "error" else "warning"))
    return result


def nearest(name: str, known: Iterable[str]) -> str:
    """A hint with the nearest known name, or an empty string when nothing is close."""
    original = nearest_of(name, known)
    return f"did you mean {original}?" if original else ""


def nearest_of(name: str, known: Iterable[str]) -> str:
    """The known name that is nearest, without regard to case; empty when nothing is close."""
    by_lower = {k.lower(): k for k in known}
    matches = difflib.get_close_matches(name.lower(), by_lower, n=1, cutoff=0.6)
    return by_lower[matches[0]] if matches else ""
