# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Render lists and objects as meta.k8s.io/v1 Table for ``kubectl get``."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from typing import Any

from .resource import Column, Object, Resource


def parse_time(text: str) -> datetime.datetime:
    return datetime.datetime.fromisoformat(text.replace("Z", "+00:00"))


def human_duration(seconds: float) -> str:
    """As kubectl prints ages: ``45s``, ``12m``, ``3h20m``, ``5d``."""
    total = max(0, int(seconds))
    if total < 120:
        return f"{total}s"
    minutes = total // 60
    if minutes < 10:
        rest = total % 60
        return f"{minutes}m{rest}s" if rest else f"{minutes}m"
    if minutes < 180:
        return f"{minutes}m"
    hours = total // 3600
    if hours < 8:
        rest = minutes % 60
        return f"{hours}h{rest}m" if rest else f"{hours}h"
    if hours < 48:
        return f"{hours}h"
    days = hours // 24
    if hours < 192:
        rest = hours % 24
        return f"{days}d{rest}h" if rest else f"{days}d"
    return f"{days}d"


def age_since(text: str, now: datetime.datetime) -> str:
    """Age of a timestamp; ``<unknown>`` without one."""
    return human_duration((now - parse_time(text)).total_seconds()) if text else "<unknown>"


NAME = Column("Name", lambda item: item["metadata"]["name"], format="name")
AGE = Column("Age", lambda item: item["metadata"].get("creationTimestamp", ""), age=True)
DEFAULT_COLUMNS = (AGE,)


def condition(item: Object, kind: str, member: str = "status", default: str = "") -> str:
    """A member of the status condition of a type."""
    for entry in (item.get("status") or {}).get("conditions") or []:
        if entry.get("type") == kind:
            return str(entry.get(member, default))
    return default


def condition_column(name: str, kind: str, member: str = "status", *, priority: int = 0) -> Column:
    return Column(name, lambda item: condition(item, kind, member), priority=priority)


def since_column(name: str, kind: str) -> Column:
    """How long a condition has had its status."""
    return Column(name, lambda item: condition(item, kind, "lastTransitionTime"), age=True)


def table(
    resource: Resource,
    items: Sequence[Object],
    metadata: Object,
    now: datetime.datetime,
    *,
    include: str = "Metadata",
    headings: bool = True,
) -> dict[str, Any]:
    """``include``: the query's includeObject (None, Metadata, Object).

    Ages are those at ``now``, the server's time of day.
    """
    columns = (NAME, *(resource.columns or DEFAULT_COLUMNS))
    definitions = [
        {
            "name": column.name,
            "type": column.type,
            "format": column.format,
            "description": column.description or column.name,
            "priority": column.priority,
        }
        for column in columns
    ]
    rows = []
    for item in items:
        row: dict[str, Any] = {
            "cells": [age_since(column.value(item), now) if column.age else column.value(item) for column in columns]
        }
        if include == "Object":
            row["object"] = item
        elif include != "None":
            row["object"] = {
                "kind": "PartialObjectMetadata",
                "apiVersion": "meta.k8s.io/v1",
                "metadata": item["metadata"],
            }
        rows.append(row)
    found: dict[str, Any] = {
        "kind": "Table",
        "apiVersion": "meta.k8s.io/v1",
        "metadata": metadata,
        "columnDefinitions": definitions if headings else [],
        "rows": rows,
    }
    return found
