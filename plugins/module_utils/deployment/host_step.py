# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Define :class:`HostStep`: the next step of one host in a run, for all installation methods."""

from __future__ import annotations

import dataclasses
from typing import Any, Literal

# boot: from the discovery image; wait: the host continues without a boot; skip: it is not changed.
# Only for pools of Machines: keep: it is in the pool; use: it is free for the pool; prepare: it will be free, once
# approved and named; return: boot it, since it left a cluster; spare: it is not needed.
Action = Literal["boot", "wait", "skip", "keep", "use", "prepare", "return", "spare"]


@dataclasses.dataclass(frozen=True)
class HostStep:
    """The next step of one host, with its reason. On a hub, ``agent`` and ``state`` are those of the host's Agent.

    ``force``: boot it although it may run the same image already. ``joined``: it is a member of the cluster.
    ``doubtful``: the safety table has to decide about it even if it is not booted. ``fits``: it can become a host for
    the pool. ``reserve``: no Machine waits for it.
    """

    name: str
    action: Action
    reason: str
    agent: str = ""
    state: str = ""
    force: bool = False
    joined: bool = False
    doubtful: bool = False
    fits: bool = True
    reserve: bool = False

    def row(self, *fields: str) -> dict[str, Any]:
        """These fields, for a result."""
        return {field: getattr(self, field) for field in fields}
