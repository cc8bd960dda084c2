# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Select Agents by namespace, label, InfraEnv, cluster and query.

Shared by the module agents_info and the inventory plugin.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from ...common import libraries
from ...common.errors import InvalidInput, ZeroTouchError
from ...common.problems import INVALID
from ...kube.client import KubeClient
from ..kinds import AGENT
from .model import INFRA_ENV_LABEL, Agent, read_agents, without_bulk
from .problems import problem


@dataclasses.dataclass(frozen=True)
class Selection:
    """The selection criteria. ``namespaces`` empty: all.

    ``cluster`` is ``name`` or ``namespace/name``; ``expression`` a compiled query, or None.
    """

    namespaces: tuple[str, ...] = ()
    label_selector: str = ""
    cluster: str = ""
    expression: Any = None


def selection(options: Mapping[str, Any]) -> Selection:
    """From the options of a module. Raises :class:`InvalidInput` for a query that is none."""
    parts = [
        options.get("label_selector") or "",
        f"{INFRA_ENV_LABEL}={options['infra_env_name']}" if options.get("infra_env_name") else "",
    ]
    query = str(options.get("query") or "")
    return Selection(
        namespaces=tuple(dict.fromkeys(options.get("namespaces") or ())),
        label_selector=",".join(part for part in parts if part),
        cluster=str(options.get("cluster_name") or ""),
        expression=_expression(query) if query else None,
    )


def list_agents(client: KubeClient, wanted: Selection) -> list[Agent]:
    """The Agents, by namespace and name; one list for each namespace that is named, or one for all."""
    found = [
        agent
        for namespace in wanted.namespaces or ("",)
        for agent in read_agents(
            client.list(AGENT.path(namespace), label_selector=wanted.label_selector, trim=without_bulk)
        )
        if _is_of(agent, wanted.cluster) and (wanted.expression is None or _holds(wanted.expression, agent))
    ]
    return sorted(found, key=lambda agent: agent.key)


def _is_of(agent: Agent, cluster: str) -> bool:
    return not cluster or (agent.cluster is not None and cluster in (agent.cluster.name, str(agent.cluster)))


def _expression(query: str) -> Any:
    try:
        return libraries.jmespath.compile(query)
    except libraries.jmespath.exceptions.JMESPathError as error:
        detail = f"is not a JMESPath expression: {str(error).splitlines()[0]}"
        raise InvalidInput([problem("query", INVALID, detail, value=query)]) from error


def _holds(expression: Any, agent: Agent) -> bool:
    try:
        return bool(expression.search(agent.queried()) is True)
    except libraries.jmespath.exceptions.JMESPathError as error:
        raise ZeroTouchError(f"query cannot be answered for {agent.title}: {error}.") from error
