# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Agents as hosts of an inventory: what each is called, which groups it is in. Pure, on the flat records that a cache keeps."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

Facts = Mapping[str, Any]
NAMES = ("hostname", "mac_address", "name")
GROUPS = ("state", "role", "cluster", "infra_env")
PREFIX = "agent_"
ALL = "agents"


def host_names(agents: Sequence[Facts], order: Sequence[str]) -> list[str]:
    """A name for each Agent: the first in ``order`` that it has and shares with nobody, else ``<namespace>-<Agent>``.

    A hostname that several Agents came with (``localhost``) is nobody's name.
    """
    candidates = [[_name(agent, kind) for kind in order] for agent in agents]
    counts = Counter(name for names in candidates for name in set(names) if name)
    return [
        next((name for name in names if name and counts[name] == 1), f"{agent['namespace']}-{agent['name']}")
        for names, agent in zip(candidates, agents, strict=True)
    ]


def _name(agent: Facts, kind: str) -> str:
    if kind == "mac_address":
        return str(agent["macs"][0]) if agent["macs"] else ""
    name = str(agent[kind])
    return "" if name.lower().partition(".")[0] == "localhost" else name


def groups_of(agent: Facts, kinds: Sequence[str], labels: Sequence[str]) -> list[str]:
    """The groups of an Agent: ``agents``, one for each kind, and one for each of the label keys that it has."""
    cluster = agent["cluster"]
    found = {
        "state": f"agents_state_{agent['state'] or 'unknown'}",
        "role": f"agents_role_{agent['role'] or 'none'}",
        "cluster": f"agents_cluster_{cluster['namespace']}_{cluster['name']}" if cluster else "agents_unbound",
        "infra_env": f"agents_infra_env_{agent['namespace']}_{agent['infra_env'] or 'none'}",
    }
    by_label = [f"agents_label_{key}_{agent['labels'][key]}" for key in labels if key in agent["labels"]]
    return [ALL, *(_safe(found[kind]) for kind in kinds), *map(_safe, by_label)]


def variables_of(agent: Facts) -> dict[str, Any]:
    """The record as host variables, each name with ``agent_`` before it."""
    return {f"{PREFIX}{key}": value for key, value in agent.items()}


def _safe(name: str) -> str:
    # Ansible takes group names for variable names.
    return re.sub(r"[^A-Za-z0-9_]", "_", name)
