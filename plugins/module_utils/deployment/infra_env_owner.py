# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Find out whether an InfraEnv on a hub belongs to another deployment.

A recorded UID proves that the InfraEnv belongs to this deployment. Without the UID, the proof is an Agent of that
InfraEnv that is a machine of this deployment.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..boot.protocol import Machines
from ..common.addresses import normal_mac
from ..common.clock import Clock
from ..common.listed import listed
from ..hub.agents.match import match_hosts
from ..hub.agents.model import INFRA_ENV_LABEL, Agent
from ..hub.agents.request import AgentHostRequest
from ..hub.agents.select import Selection, list_agents
from ..hub.created import created_uid
from ..hub.kinds import INFRA_ENV
from ..kube.connection import connect
from .removal import RemovalOrder
from .safety.on_hub import WantedHost
from .safety.record import TouchRecord, read_record

_MOST_AGENTS = 5


def agents_of_others(order: RemovalOrder, machines: Machines, clock: Clock) -> str:
    """Why the InfraEnv is not deleted; empty if nothing proves that it belongs to another deployment.

    Raises :class:`ZeroTouchError` for a hub that cannot be read.
    """
    if order.touch.hub is None:
        return ""
    hub = connect(order.touch.hub, clock=clock, check_mode=True)
    try:
        found = hub.find(INFRA_ENV.path(order.namespace, order.infra_env))
        selected = Selection((order.namespace,), f"{INFRA_ENV_LABEL}={order.infra_env}")
        agents = list_agents(hub, selected) if found is not None else []
    finally:
        hub.close()
    title = f"InfraEnv {order.namespace}/{order.infra_env}"
    record = read_record(order.work_dir.root)
    if found is None or not agents or created_uid(record.state, title) == found["metadata"].get("uid"):
        return ""
    if _any_known(order, machines, agents, record):
        return ""
    names = listed([agent.title for agent in agents], _MOST_AGENTS)
    return f"{title} is not deleted: none of its Agents ({names}) is a host of this inventory."


def _any_known(order: RemovalOrder, machines: Machines, agents: Sequence[Agent], record: TouchRecord) -> bool:
    """Whether one of the Agents is a host of the inventory, or a machine that the work directory records."""
    recorded = {normal_mac(mac) for mac in record.macs}
    if any(recorded & set(agent.macs) for agent in agents):
        return True
    touch = order.touch
    uuids = {outcome.item.name: outcome.result.uuid for outcome in machines if outcome.result is not None}
    wanted = [WantedHost(host, touch.identity(host.name), uuid=uuids.get(host.name, "")) for host in touch.hosts]
    requests = [AgentHostRequest(each.host.name, each.identity(agents, touch.scope)) for each in wanted]
    matches = match_hosts(requests, agents).values()
    return any(match.agent or match.superseded or match.candidates for match in matches)
