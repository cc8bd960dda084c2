# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Format the verdicts of the preflight checks as a text table.

It has one line for each host with a column for each check, one line for each check of the site, then each failure with
its remedy.
"""

from __future__ import annotations

from collections.abc import Sequence

from .checks import FAIL, HOST_CHECKS, CheckVerdict, counts

_WIDEST = 120


def table(verdicts: Sequence[CheckVerdict]) -> list[str]:
    """The lines of the table. They have at most 120 characters, except those of failures."""
    hosts: dict[str, dict[str, str]] = {}
    for verdict in verdicts:
        if verdict.check in HOST_CHECKS:
            hosts.setdefault(verdict.subject, {})[verdict.check] = verdict.status
    lines = (
        _grid(
            [
                ["host", *HOST_CHECKS],
                *([name, *(found.get(check, "") for check in HOST_CHECKS)] for name, found in hosts.items()),
            ]
        )
        if hosts
        else []
    )
    site = [
        [verdict.check, verdict.status, verdict.subject, verdict.detail]
        for verdict in verdicts
        if verdict.check not in HOST_CHECKS
    ]
    if site:
        lines += _grid([["check", "", "subject", ""], *site])
    failures = [verdict.text() for verdict in verdicts if verdict.status == FAIL]
    return [*(_short(line) for line in lines), *failures, summary(verdicts)]


def summary(verdicts: Sequence[CheckVerdict]) -> str:
    found = counts(verdicts)
    return ", ".join(f"{number} {status}" for status, number in found.items())


def _grid(rows: Sequence[Sequence[str]]) -> list[str]:
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]) - 1)]
    return [
        "  ".join([*(cell.ljust(width) for cell, width in zip(row, widths, strict=False)), row[-1]]).rstrip()
        for row in rows
    ]


def _short(line: str) -> str:
    return line if len(line) <= _WIDEST else line[: _WIDEST - 1] + "…"
