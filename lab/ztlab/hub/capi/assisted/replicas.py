# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Choose the failure domain of a control plane's next Machine, and the Machine to remove when it scales down. Pure
functions.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from ...names import Object, annotations_of
from ..kinds import DELETE_MACHINE
from ..shape import condition_is, new_conditions


def domains_of(cluster: Mapping[str, Any]) -> list[str]:
    """Names of the failure domains for control planes, in both forms of a Cluster's status."""
    listed = (cluster.get("status") or {}).get("failureDomains") or []
    entries = [{"name": name, **value} for name, value in listed.items()] if isinstance(listed, Mapping) else listed
    return sorted(str(entry["name"]) for entry in entries if entry.get("controlPlane"))


def _domain(machine: Object) -> str:
    return str(machine["spec"].get("failureDomain") or "")


def next_domain(domains: Sequence[str], machines: Sequence[Object]) -> str:
    """The domain with the fewest up-to-date Machines, then the fewest Machines; "" without failure domains."""
    every = Counter(_domain(machine) for machine in machines)
    current = Counter(_domain(machine) for machine in machines if condition_is(new_conditions(machine), "UpToDate"))
    return min(domains, key=lambda name: (current[name], every[name], name), default="")


def to_remove(domains: Sequence[str], machines: Sequence[Object]) -> Object | None:
    """The oldest Machine of the fullest failure domain; an annotation only chooses the domain, and etcd is not asked
    (defect D18).
    """
    marked = [machine for machine in machines if DELETE_MACHINE in annotations_of(machine)] or list(machines)
    eligible, every = Counter(map(_domain, marked)), Counter(map(_domain, machines))
    known = [name for name in domains if eligible[name]]
    chosen = min(known, key=lambda name: (-eligible[name], -every[name], name), default="")
    candidates = [machine for machine in machines if _domain(machine) == chosen]
    return min(
        candidates,
        key=lambda machine: (machine["metadata"]["creationTimestamp"], machine["metadata"]["name"]),
        default=None,
    )
