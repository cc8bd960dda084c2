# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Handle requests for /v2/events: filter and return the events of clusters, hosts and infra-envs."""

from __future__ import annotations

import json

from .core import Core
from .errors import InfraError
from .events import SEVERITIES, Event, EventFilter, select
from .router import Call, Reply
from .schema import read_query_flag, read_query_id, read_query_number, read_query_text


def _names(text: str) -> frozenset[str]:
    return frozenset(name for name in text.split(",") if name)


def _filter(call: Call) -> EventFilter:
    query = call.query
    severities = _names(query.get("severities", ""))
    if severities - set(SEVERITIES):
        raise InfraError(400, f"severities.0 in query should be one of [{' '.join(SEVERITIES)}]")
    order = read_query_text(query, "order", ("ascending", "descending"))
    return EventFilter(
        cluster_id=read_query_id(query, "cluster_id"),
        infra_env_id=read_query_id(query, "infra_env_id"),
        host_ids=_names(query.get("host_ids", "") or query.get("host_id", "")),
        severities=severities,
        categories=_names(query.get("categories", "")) or frozenset({"user"}),
        message=query.get("message", ""),
        deleted_hosts=read_query_flag(query, "deleted_hosts"),
        cluster_level=read_query_flag(query, "cluster_level"),
        limit=read_query_number(query, "limit", 5000),
        offset=read_query_number(query, "offset", 0),
        descending=order == "descending",
    )


def list_events(core: Core, call: Call) -> Reply:
    wanted = _filter(call)
    page = select(core.events, wanted, {host.id for host in core.state.hosts.values()})
    headers = {"Event-Count": str(page.total)}
    if wanted.cluster_id:
        headers |= {f"Severity-Count-{name.capitalize()}": str(count) for name, count in page.counts.items()}
    return Reply(200, [event.body() for event in page.events], headers=headers)


def trigger(core: Core, call: Call) -> Reply:
    """An event that an agent or controller reports."""
    body = call.body
    event = Event(
        name=body.get("name") or "",
        severity=body["severity"],
        message=body["message"],
        time=body["event_time"],
        cluster_id=body.get("cluster_id") or "",
        infra_env_id=body.get("infra_env_id") or "",
        host_id=body.get("host_id") or "",
        category=body.get("category") or "user",
        props=json.loads(body.get("props") or "{}"),
    )
    core.events.append(event)
    return Reply(201)
