# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Events of a run: each is a line of ``events.jsonl`` (schema: docs/schemas/event.schema.json), and some send a
notification (``openshift_notify``).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from typing import Any, Literal

Kind = Literal["started", "line", "phase", "host", "warning", "failed", "finished"]
KINDS: tuple[Kind, ...] = ("started", "line", "phase", "host", "warning", "failed", "finished")
FORMAT = 1
Report = Mapping[str, Any]


@dataclasses.dataclass(frozen=True)
class RunEvent:
    """``text`` is a sentence or line for people; ``host`` and ``status`` are those of an event of a host, ``phase`` the
    phase of the installation.
    """

    kind: Kind
    text: str
    phase: str = ""
    host: str = ""
    status: str = ""

    def as_dict(self, *, at: str, run: str, cluster: str) -> dict[str, Any]:
        return {
            "format": FORMAT,
            "at": at,
            "run": run,
            "cluster": cluster,
            "event": self.kind,
            **{key: getattr(self, key) for key in _FIELDS},
        }


_FIELDS = ("text", "phase", "host", "status")


def differences(before: Report, after: Report) -> Iterator[RunEvent]:
    """What changed from one report of a deployment to the next."""
    phase = _phase(after)
    if phase != _phase(before):
        yield RunEvent("phase", f"The installation is in phase {phase}.", phase)
    known = {host["name"]: _status(host) for host in before.get("hosts") or []}
    for host in after.get("hosts") or []:
        status = _status(host)
        if status and status != known.get(host["name"], ""):
            yield RunEvent("host", f"{host['name']}: {status}", phase, host["name"], status)
    for text in after.get("warnings") or []:
        if text not in (before.get("warnings") or []):
            yield RunEvent("warning", text, phase)


def _phase(report: Report) -> str:
    """The finest name that is known: of the wait, else of the record."""
    phases = report.get("phases") or []
    return str(phases[-1]["phase"] if phases else (report.get("result") or {}).get("phase") or "")


def _status(host: Report) -> str:
    node = f"Node {host['node']}" if host.get("node") else ""
    return node or str(host.get("stage") or host.get("status") or "")
