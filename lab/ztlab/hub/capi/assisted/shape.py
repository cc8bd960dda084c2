# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Render the status of OpenShift Assisted's objects in each API version that a hub may serve. Pure functions."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

from ...names import Object


@dataclasses.dataclass(frozen=True)
class OldCondition:
    """A condition of v1beta1 of Cluster API."""

    type: str
    status: str
    reason: str = ""
    message: str = ""
    severity: str = ""


def _entry(condition: OldCondition, before: Mapping[str, Any], now: str) -> dict[str, Any]:
    moment = before.get("lastTransitionTime") if before.get("status") == condition.status else now
    members = {name: value for name, value in dataclasses.asdict(condition).items() if value}
    if condition.status != "False":
        members.pop("severity", None)
    return {**members, "lastTransitionTime": moment or now}


def set_old(existing: Sequence[Mapping[str, Any]], wanted: Sequence[OldCondition], now: str) -> list[dict[str, Any]]:
    """Ready first, then by name."""
    known = {str(entry["type"]): dict(entry) for entry in existing}
    for condition in wanted:
        known[condition.type] = _entry(condition, known.get(condition.type, {}), now)
    return sorted(known.values(), key=lambda entry: (entry["type"] != "Ready", entry["type"]))


def _newer(item: Object) -> bool:
    return str(item["apiVersion"]).endswith(("/v1alpha2", "/v1alpha3")) and not str(item["apiVersion"]).startswith(
        "controlplane.cluster.x-k8s.io/v1alpha2"
    )


# OpenshiftAssistedConfig: v1alpha1, v1alpha2


def config_done(config: Object) -> bool:
    status = config.get("status") or {}
    return bool(
        (status.get("initialization") or {}).get("dataSecretCreated") if _newer(config) else status.get("ready")
    )


def config_status(config: Object, condition: OldCondition | None, now: str, *, failed: bool) -> Object:
    """``condition`` None: as it is. ``failed``: the pass ended with an error, so that observedGeneration stays."""
    newer, status = _newer(config), dict(config.get("status") or {})
    member = "v1beta1Conditions" if newer else "conditions"
    existing = status.get(member) or []
    if condition is not None:
        existing = set_old(existing, [condition], now)
        if condition.status == "True":
            status["dataSecretName"] = config["metadata"]["name"]
            status |= {"initialization": {"dataSecretCreated": True}} if newer else {"ready": True}
    source = next((entry for entry in existing if entry["type"] == "DataSecretAvailable"), None)
    if source is not None:
        names = ("status", "reason", "message", "severity")
        existing = set_old(
            existing, [OldCondition("Ready", **{name: str(source.get(name, "")) for name in names})], now
        )
    if existing:
        status[member] = existing
    if not failed:
        status["observedGeneration"] = int(config["metadata"].get("generation") or 1)
    return status
