# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Events of the simulated assisted-service: their data model, and the filter and pages of ``GET /v2/events``.

Users and ``openshift-install agent wait-for`` read the messages of these events.

Source: openshift/assisted-service internal/events/event.go, docs/events.yaml.
"""

from __future__ import annotations

import dataclasses
import json
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from typing import Any

SEVERITIES = ("info", "warning", "error", "critical")


@dataclasses.dataclass(frozen=True)
class Event:
    """``time`` is RFC 3339 text; events survive the objects they name."""

    name: str
    severity: str
    message: str
    time: str
    cluster_id: str = ""
    infra_env_id: str = ""
    host_id: str = ""
    category: str = "user"
    props: Mapping[str, Any] = dataclasses.field(default_factory=dict)

    def body(self) -> dict[str, Any]:
        ids = {"cluster_id": self.cluster_id, "infra_env_id": self.infra_env_id, "host_id": self.host_id}
        return {
            "name": self.name,
            "severity": self.severity,
            "message": self.message,
            "event_time": self.time,
            **({"category": self.category} if self.category != "user" else {}),
            **{name: value for name, value in ids.items() if value},
            **({"props": json.dumps(dict(self.props), sort_keys=True)} if self.props else {}),
        }


@dataclasses.dataclass(frozen=True)
class EventFilter:
    """The query of GET /v2/events; empty members do not limit."""

    cluster_id: str = ""
    infra_env_id: str = ""
    host_ids: frozenset[str] = frozenset()
    severities: frozenset[str] = frozenset()
    categories: frozenset[str] = frozenset({"user"})
    message: str = ""
    deleted_hosts: bool = False
    cluster_level: bool = False
    limit: int = 5000
    offset: int = 0
    descending: bool = False


@dataclasses.dataclass(frozen=True)
class EventPage:
    """``counts`` per severity are taken before the severity filter, ``total`` after it and before paging."""

    events: tuple[Event, ...]
    total: int
    counts: Mapping[str, int]


def _in_scope(event: Event, wanted: EventFilter, known_hosts: Collection[str]) -> bool:
    if wanted.cluster_id and event.cluster_id != wanted.cluster_id:
        return False
    if wanted.infra_env_id and event.infra_env_id != wanted.infra_env_id:
        return False
    if event.category not in wanted.categories or wanted.message.lower() not in event.message.lower():
        return False
    selective = bool(wanted.host_ids) or wanted.deleted_hosts or wanted.cluster_level
    if not selective:
        return True
    if not event.host_id:
        return wanted.cluster_level
    return event.host_id in wanted.host_ids or (wanted.deleted_hosts and event.host_id not in known_hosts)


def select(events: Iterable[Event], wanted: EventFilter, known_hosts: Collection[str] = ()) -> EventPage:
    """The page that a query asks for."""
    scoped = [event for event in events if _in_scope(event, wanted, known_hosts)]
    counts = Counter(event.severity for event in scoped)
    chosen = [event for event in scoped if not wanted.severities or event.severity in wanted.severities]
    if wanted.descending:
        chosen.reverse()
    end = None if wanted.limit < 0 else wanted.offset + wanted.limit
    return EventPage(
        tuple(chosen[wanted.offset : end]), len(chosen), {severity: counts[severity] for severity in SEVERITIES}
    )
