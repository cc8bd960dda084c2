# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Define why a run does nothing, or why a wait ends without its result, for all installation methods; and format the
message about it.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from ..common.listed import listed

_MOST_HOSTS = 30


@dataclasses.dataclass(frozen=True)
class StoppingHost:
    """A host that stops the run. ``row`` is the row of the safety table that decided."""

    name: str
    reason: str
    remedy: str = ""
    row: str = ""


@dataclasses.dataclass(frozen=True)
class StopReason:
    """``text`` is what was observed, ``remedy`` what the user can do, ``hosts`` those that stop the run.

    ``final``: the installation itself has failed. Otherwise only this run ends.
    """

    text: str
    remedy: str = ""
    hosts: tuple[StoppingHost, ...] = ()
    final: bool = False

    def __str__(self) -> str:
        """The message for the user."""
        first = f"{self.text} {self.remedy}" if self.remedy else self.text
        return "\n".join([first, *_paragraphs(self.hosts)])


def message_of(stop: StopReason | None) -> str:
    """The message for a result; empty where nothing stops the run."""
    return "" if stop is None else str(stop)


def _paragraphs(hosts: Sequence[StoppingHost]) -> list[str]:
    """The lines for hosts: a line for each reason, then what to do, for each row and remedy."""
    groups: dict[tuple[str, str], dict[str, list[str]]] = {}
    for host in hosts:
        groups.setdefault((host.row, host.remedy), {}).setdefault(host.reason, []).append(host.name)
    lines = []
    for (_row, remedy), reasons in groups.items():
        lines += [f"{listed(names, _MOST_HOSTS)}: {reason.rstrip('.')}." for reason, names in reasons.items()]
        lines += [remedy] if remedy else []
    return lines
