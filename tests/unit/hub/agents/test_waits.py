# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test the message about a host whose Agent is not yet in the desired state."""

from __future__ import annotations

from types import ModuleType

from ansible_collections.zerotouch.openshift.plugins.module_utils.hub.agents.change import AgentSurroundings
from ansible_collections.zerotouch.openshift.plugins.module_utils.hub.agents.model import read_agent
from ansible_collections.zerotouch.openshift.plugins.module_utils.hub.agents.plan import plan_hosts
from ansible_collections.zerotouch.openshift.plugins.module_utils.hub.agents.request import host_requests
from ansible_collections.zerotouch.openshift.plugins.module_utils.hub.agents.waits import wait_status


def test_an_agent_whose_node_the_hub_cannot_remove(made: ModuleType) -> None:
    agent = made.agent(1, state="installed", cluster=("lab", "demo"))
    agent["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z"
    agent["status"]["conditions"].append(
        {"type": "Cleanup", "status": "False", "reason": "CleanupFailed", "message": "node node-1 could not be removed"}
    )
    absent = host_requests([{"name": "node-1", "mac_addresses": [made.mac(1)], "state": "absent"}], "lab")
    (host,) = plan_hosts(absent, [read_agent(agent)], AgentSurroundings()).hosts
    found = wait_status(host, "unbound")
    assert not found.reached and found.reason.endswith("is not gone yet: node node-1 could not be removed")
