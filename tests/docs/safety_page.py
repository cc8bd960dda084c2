# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Update the safety table in docs/reference/safety.md from the code; the other text is written manually."""

from __future__ import annotations

from collections.abc import Mapping

from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.safety.table import ROWS, Action, Cell, Row

START, END = (
    "<!-- safety table: generated from plugins/module_utils/deployment/safety/table.py -->\n",
    "<!-- /safety table -->\n",
)
COLUMNS: Mapping[Action, str] = {"boot": "boot", "remove": "take out", "destroy": "destroy", "recover": "recover"}
_OUTCOMES = {
    "act": "yes",
    "skip": "nothing to do",
    "wait": "wait",
    "stop": "**stop**",
    "spare": "another spare machine is used",
    "leave": "not changed, listed in the message",
    "fail": "the run fails at its end",
    "through": "only through it",
    "eject": "eject only",
}


def safety_page(now: str) -> str:
    """Return the page ``now`` with a new table and the rest unchanged."""
    before, rest = now.split(START)
    after = rest.split(END)[1]
    return f"{before}{START}{table()}{END}{after}"


def table() -> str:
    head = "| # | observed | " + " | ".join(COLUMNS.values()) + " |\n|---|---|" + "---|" * len(COLUMNS) + "\n"
    return head + "".join(_line(row) for row in ROWS)


def _line(row: Row) -> str:
    return f"| {row.number} | {row.observed} | " + " | ".join(_words(row, action) for action in COLUMNS) + " |\n"


def _words(row: Row, action: Action) -> str:
    text = _cell(row.cell(action))
    further = [(f"{name.replace(':', ' with a ')}: ", row.cells[name]) for name in _own_cells(row, action)]
    return "; ".join([text, *(f"{name}{_cell(cell)}" for name, cell in further)])


def _own_cells(row: Row, action: Action) -> list[str]:
    """Actions, and methods, with a cell of their own besides the column's."""
    others = {
        "boot": ("supply", "boot:hub"),
        "remove": ("reprovision", "shrink"),
        "destroy": ("destroy:hub",),
        "recover": (),
    }[action]
    return [name for name in others if name in row.cells and row.cells[name] != row.cell(action)]


def _cell(cell: Cell) -> str:
    text = "no" if cell.note == "no" else _OUTCOMES[cell.outcome]
    if cell.outcome == "fail" and cell.confirm:
        text = f"yes + confirm, and {text}"
    text += " + confirm" if cell.confirm and cell.outcome in ("act", "through") else ""
    text += f" ({cell.note})" if cell.note not in ("", "no") else ""
    lifts = [(lift, " + confirm" if lift.confirm else "") for lift in cell.lifts]
    return ", or ".join([text, *(f"`{lift.force}`{confirm}{_methods(lift.methods)}" for lift, confirm in lifts)])


def _methods(methods: frozenset[str]) -> str:
    return f" ({', '.join(sorted(methods))})" if methods else ""
