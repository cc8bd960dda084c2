# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Check the number of hosts of each role against the replicas of that role.

Source: openshift/installer pkg/asset/agent/manifests/nmstateconfig.go.
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterator

from ...common.problems import INVALID, REQUIRED, Problem
from .checks import own
from .facts import Facts

_ROLES = (("master", "ControlPlane"), ("arbiter", "Arbiter"), ("worker", "Compute"))


def host_counts(facts: Facts) -> Iterator[Problem]:
    """Report a role with more hosts than replicas. Fewer hosts are allowed: other machines may join."""
    wanted = facts.cluster.replicas
    known = [role for role, _pool in _ROLES]
    counted: Counter[str] = Counter(host.host.role for host in facts.hosts if host.host.role in known)
    for _number in range(len(facts.hosts) - counted.total()):
        counted[next((role for role in ("master", "arbiter") if counted[role] < wanted[role]), "worker")] += 1
    for role, name in _ROLES:
        if counted[role] > wanted[role]:
            detail = (
                f"the number of {role} hosts defined ({counted[role]}) exceeds the configured {name} replicas "
                f"({wanted[role]})"
            )
            yield Problem("hosts", INVALID, detail)
        elif facts.hosts and counted[role] < wanted[role]:
            detail = (
                f"not enough {role} hosts defined ({counted[role]}) to support all the configured {name} replicas "
                f"({wanted[role]})"
            )
            problem = own("fewer-hosts", "hosts", REQUIRED, detail)
            # Of a role without any host the installer says nothing.
            yield problem if counted[role] else dataclasses.replace(problem, layer="ours")
