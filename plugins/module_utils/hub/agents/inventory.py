# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Convert Agents to hosts of an Ansible inventory: the name, groups and variables of each.

Pure. The input are the flat records of :mod:`.flat`, which the inventory cache stores.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from ...common.host_names import host_name_fault, safe_host_name

Facts = Mapping[str, Any]
PREFIX = "agent_"
ALL = "agents"
# Ethernet or InfiniBand. Eight octets would also be an IPv6 address.
_MAC = re.compile(r"[0-9a-f]{2}(?::[0-9a-f]{2}){5}(?:(?::[0-9a-f]{2}){14})?", re.IGNORECASE)


def host_names(agents: Sequence[Facts], order: Sequence[str], taken: Collection[str] = ()) -> list[str]:
    """A name for each Agent: the first in ``order`` that it has and that no other Agent has, else
    ``<namespace>-<Agent>``.

    A name that leads to the controller, or is no DNS name, is not used (:mod:`...common.host_names`). Neither is a name
    in ``taken``: hosts and groups that are no Agents, which a machine must not replace by its hostname.
    """
    candidates = [[name for kind in order if (name := _name(agent, kind)) not in taken] for agent in agents]
    titles = Counter(f"{agent['namespace']}-{agent['name']}" for agent in agents)
    last_resorts = [_last_resort(agent, titles, taken) for agent in agents]
    counts = Counter(name for names in candidates for name in set(names) if name)
    counts.update(last_resorts)
    return [
        next((name for name in names if name and counts[name] == 1), last_resort)
        for names, last_resort in zip(candidates, last_resorts, strict=True)
    ]


def _last_resort(agent: Facts, titles: Mapping[str, int], taken: Collection[str]) -> str:
    """``<namespace>-<Agent>``; a digest where that is no name of a host, taken, or of two Agents (``a-b`` and ``c``,
    ``a`` and ``b-c``).
    """
    title = f"{agent['namespace']}-{agent['name']}"
    if titles[title] == 1 and title not in taken and not host_name_fault(title):
        return title
    digest = hashlib.sha256(
        "/".join((str(agent["namespace"]), str(agent["name"]))).encode(errors="replace")
    ).hexdigest()
    short_digest = digest[:12]
    return f"agent-{short_digest}"


def _name(agent: Facts, kind: str) -> str:
    if kind == "mac_address":
        mac = str(agent["macs"][0]) if agent["macs"] else ""
        return mac if _MAC.fullmatch(mac) else ""
    return safe_host_name(str(agent[kind]))


def groups_of(agent: Facts, kinds: Sequence[str], labels: Sequence[str]) -> list[str]:
    """The groups of an Agent: ``agents``, one for each kind, and one for each of the label keys that it has."""
    cluster = agent["cluster"]
    state = agent["state"] or "unknown"
    role = agent["role"] or "none"
    infra_env_name = agent["infra_env_name"] or "none"
    found = {
        "state": f"agents_state_{state}",
        "role": f"agents_role_{role}",
        "cluster": f"agents_cluster_{cluster['namespace']}_{cluster['name']}" if cluster else "agents_unbound",
        "infra_env": f"agents_infra_env_{agent['namespace']}_{infra_env_name}",
    }
    by_label = [f"agents_label_{key}_{agent['labels'][key]}" for key in labels if key in agent["labels"]]
    return [ALL, *(_safe(found[kind]) for kind in kinds), *map(_safe, by_label)]


def variables_of(agent: Facts) -> dict[str, Any]:
    """The record as host variables, each name with ``agent_`` before it."""
    return {f"{PREFIX}{key}": value for key, value in agent.items()}


def _safe(name: str) -> str:
    # Ansible takes group names for variable names.
    return re.sub(r"[^A-Za-z0-9_]", "_", name)
