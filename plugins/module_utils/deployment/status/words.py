# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Format the status of a deployment as text: a table of at most 120 columns, then the reason and the state."""

from __future__ import annotations

from collections.abc import Sequence

from ..report.news import news_text
from .decide import HostStatus, Status

WIDTH = 120
_HEAD = ("HOST", "STATUS", "NODE", "POWER", "MEDIUM", "WAITS FOR")
# Columns that a long text may fill; the last one has what is left.
_WIDEST = (28, 36, 9, 7, 8)


def lines(status: Status) -> list[str]:
    """The table of the hosts, what was not checked, and what holds for the deployment; the last line is the state."""
    found = _table(status.hosts) if status.hosts else []
    found += [f"not checked: {text}" for text in status.not_checked]
    phase = status.phase or "none"
    found += [f"phase: {phase}", *_awaited(status), f"reason: {status.reason}"]
    found += [f"next step: {status.next_step}"] if status.next_step else []
    return [*found, f"state: {status.state}"]


def _awaited(status: Status) -> list[str]:
    """What the installation waits for, by the last run that supervised it."""
    awaited = status.awaited
    found = [f"waits for: {awaited['text']}"] if awaited.get("text") else []
    if awaited.get("reason"):
        subject = f"{awaited['host']}: " if awaited.get("host") else ""
        found.append(f"first: {subject}{awaited['reason']}. {awaited.get('next_step', '')}".rstrip())
    found += [f"expected end: {status.expected_end}"] if status.expected_end else []
    return found + (
        [f"live report: {news_text(status.live_report['updated_at'])}"] if status.live_report.get("stale") else []
    )


def _table(hosts: Sequence[HostStatus]) -> list[str]:
    rows = [_HEAD, *(_row(host) for host in hosts)]
    widths = [min(widest, max(len(row[column]) for row in rows)) for column, widest in enumerate(_WIDEST)]
    return [_line(row, widths) for row in rows]


def _row(host: HostStatus) -> tuple[str, ...]:
    medium = {True: "inserted", False: "none", None: "?"}[host.medium]
    return (
        host.name,
        host.status or "?",
        host.node or "?",
        host.power or "?",
        medium,
        " ".join(host.waits_for.split()) or "-",
    )


def _line(row: Sequence[str], widths: Sequence[int]) -> str:
    cells = [_cut(text, width).ljust(width) for text, width in zip(row, widths, strict=False)]
    start = "  ".join(cells) + "  "
    return (start + _cut(row[-1], WIDTH - len(start))).rstrip()


def _cut(text: str, width: int) -> str:
    return text if len(text) <= width else text[: width - 1] + "…"
