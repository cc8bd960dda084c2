# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Render the MachineHealthCheck of a NodePool that has autoRepair. Pure functions.

Source: openshift/hypershift hypershift-operator/controllers/nodepool/capi.go,
  hypershift-operator/controllers/nodepool/token.go.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from ..names import Object
from . import naming
from .scalable import seconds

TIMEOUT, STARTUP, MOST = "16m0s", "20m0s", "2"
_DURATION = re.compile(r"(\d+(\.\d+)?(ms|h|m|s))+")


def _note(pool: Mapping[str, Any], hosted: Mapping[str, Any], name: str, default: str, pattern: re.Pattern[str]) -> str:
    """The pool's annotation, else the cluster's; an invalid value is ignored."""
    for item in (pool, hosted):
        text = (item["metadata"].get("annotations") or {}).get(f"{naming.PREFIX}machine-health-check-{name}", "")
        if pattern.fullmatch(text):
            return str(text)
    return default


def health_check(pool: Mapping[str, Any], hosted: Mapping[str, Any], *, v1beta2: bool) -> Object:
    """Its spec."""
    infra_id = hosted["spec"]["infraID"]
    label = naming.resource_label(infra_id, hosted["metadata"]["name"], pool["metadata"]["name"])
    timeout = _note(pool, hosted, "timeout", TIMEOUT, _DURATION)
    startup = _note(pool, hosted, "node-startup-timeout", STARTUP, _DURATION)
    most = _note(pool, hosted, "max-unhealthy", MOST, re.compile(r"\d+%?"))
    limit: int | str = most if most.endswith("%") else int(most)
    spec: Object = {"clusterName": infra_id, "selector": {"matchLabels": {label: label}}}
    if v1beta2:
        states = [
            {"type": "Ready", "status": status, "timeoutSeconds": seconds(timeout)} for status in ("False", "Unknown")
        ]
        checks = {"nodeStartupTimeoutSeconds": seconds(startup), "unhealthyNodeConditions": states}
        return {**spec, "checks": checks, "remediation": {"triggerIf": {"unhealthyLessThanOrEqualTo": limit}}}
    states = [{"type": "Ready", "status": status, "timeout": timeout} for status in ("False", "Unknown")]
    return {**spec, "unhealthyConditions": states, "maxUnhealthy": limit, "nodeStartupTimeout": startup}
