# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Build test data for the planner that assigns Agents to Machines: hosts (free by default) with sizes and labels, and
demands for hosts.
"""

from __future__ import annotations

from typing import Any

from ansible_collections.zerotouch.openshift.plugins.module_utils.capi.choose.model import AgentFacts, HostDemand

GIB = 1 << 30


def host(name: str, **more: Any) -> AgentFacts:
    provided = {
        "namespace": "agents",
        "hostname": name,
        "architecture": "x86_64",
        "cpus": 8,
        "memory_bytes": 32 * GIB,
        "disk_bytes": 480 * 10**9,
    }
    free = {"approved": True, "validated": True, "connected": True, "bound": "False", "state": "known-unbound"}
    return AgentFacts(name=name, **{**provided, **free, **more})


def demand(name: str, selector: dict[str, Any] | None = None, **more: Any) -> HostDemand:
    return HostDemand("clusters-c1", name, selector, **more)


def labelled(**labels: str) -> dict[str, Any]:
    return {"matchLabels": labels}
