# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Match each host in the options of module ``agents`` to an Agent.

The rules are those of :mod:`...cluster.host_match`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ...cluster import host_match
from .model import Agent
from .request import AgentHostRequest

Match = host_match.Match[Agent]
_WORDS = host_match.Words("Agent", "Agents", "one Agent is one host")


def match_hosts(requests: Sequence[AgentHostRequest], agents: Iterable[Agent]) -> dict[str, Match]:
    """A match for every request, by its name."""
    return host_match.match_identities(
        (host_match.Wanted(request.name, request.identity) for request in requests), agents, _WORDS
    )
