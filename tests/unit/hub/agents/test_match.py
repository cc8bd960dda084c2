# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test matching hosts with Agents, by MAC addresses and by the other identities of a host."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.hub.agents.match import Match, match_hosts
from ansible_collections.zerotouch.openshift.plugins.module_utils.hub.agents.model import read_agent
from ansible_collections.zerotouch.openshift.plugins.module_utils.hub.agents.request import host_requests


def found(hosts: list[dict[str, Any]], agents: list[dict[str, Any]]) -> dict[str, Match]:
    return match_hosts(host_requests(hosts, "lab"), [read_agent(agent) for agent in agents])


def reported(match: Match) -> tuple[str, str]:
    return match.status, match.agent.name if match.agent else match.reason


@pytest.mark.parametrize(
    "identity",
    [
        {"mac_addresses": ["52-54-00-00-00-02"]},
        {"mac_addresses": ["52:54:00:00:00:02".upper(), "52:54:00:ff:ff:ff"]},
        {"system_uuid": "00000000-0000-4000-8000-000000000002".upper()},
        {"serial_number": "s2"},
        {"bmc_address": "10.1.0.2"},
        {"labels": {"rack": "r2"}},
        {"query": "inventory.disks[0].sizeBytes > `500000000000`"},
        {"query": "starts_with(hostname, 'host-2')"},
        {"mac_addresses": ["52:54:00:00:00:02"], "serial_number": "another", "query": "state == 'never'"},
        {"system_uuid": "00000000-0000-4000-8000-00000000ffff", "serial_number": "S2"},
    ],
    ids=str,
)
def test_every_identity_leads_to_the_agent(identity: dict[str, Any], made: ModuleType) -> None:
    agents = [made.agent(1), made.agent(2, labels={"rack": "r2"}, disks=[made.disk(sizeBytes=10**12)]), made.agent(3)]
    assert reported(found([{"name": "node", **identity}], agents)["node"]) == ("matched", made.uuid(2))


def test_macs_decide_against_everything_else(made: ModuleType) -> None:
    match = found(
        [{"name": "node", "mac_addresses": [made.mac(1)], "serial_number": "S2"}], [made.agent(1), made.agent(2)]
    )["node"]
    assert (reported(match), match.by) == (("matched", made.uuid(1)), f"MAC {made.mac(1)}")


def test_an_agent_with_other_macs_is_another_machine(made: ModuleType) -> None:
    match = found([{"name": "node", "mac_addresses": [made.mac(9)], "serial_number": "S1"}], [made.agent(1)])["node"]
    assert match.status == "unmatched"
    assert match.reason == (
        f"Agent lab/{made.uuid(1)} (host-1) has serial number S1, but none of the host's MACs {made.mac(9)}; it has "
        f"{made.mac(1)}"
    )


def test_an_agent_without_inventory_contradicts_no_host(made: ModuleType) -> None:
    match = found(
        [{"name": "node", "mac_addresses": [made.mac(1)], "system_uuid": made.uuid(1)}], [made.agent(1, macs=[])]
    )["node"]
    assert reported(match) == ("matched", made.uuid(1))


def test_an_agent_that_changes_its_cluster_is_known_by_its_assigned_hostname(made: ModuleType) -> None:
    """Binding takes the inventory away until the host has registered again, and with it the MACs (5.3)."""
    rebinding = made.agent(1, macs=[])
    rebinding["spec"]["hostname"] = "node"
    rebinding["status"]["inventory"] = {}
    wanted = {"name": "node", "hostname": "node", "mac_addresses": [made.mac(1)]}
    assert reported(found([wanted], [rebinding])["node"]) == ("matched", made.uuid(1))
    # With an inventory the name counts for nothing, nor does one that the host came with.
    other = made.agent(2)
    other["spec"]["hostname"] = "node"
    assert found([wanted], [other])["node"].status == "unmatched"


def test_a_hostname_is_that_of_one_cluster(made: ModuleType) -> None:
    """Two clusters have a master-0 each; while one of them is being bound it must not be taken for the other."""
    bare = made.agent(1, macs=[], hostname="master-0", cluster=("lab", "a"), state="binding")
    bare["status"]["inventory"] = {}
    wanted = {"name": "node", "hostname": "master-0", "mac_addresses": [made.mac(9)]}
    assert found([{**wanted, "cluster": {"name": "a"}}], [bare])["node"].status == "matched"
    for other in ({"cluster": {"name": "b"}}, {"unbind": True}, {"state": "absent"}, {}):
        assert found([{**wanted, **other}], [bare])["node"].status == "unmatched"


def test_a_shared_serial_number_is_ambiguous(made: ModuleType) -> None:
    agents = [made.agent(number, serial="To be filled by O.E.M.") for number in (1, 2)]
    match = found([{"name": "node", "serial_number": "To be filled by O.E.M."}], agents)["node"]
    assert match.status == "ambiguous"
    assert match.reason.startswith("serial number To be filled by O.E.M. is that of 2 Agents: Agent lab/0000")
    assert [agent.name for agent in match.candidates] == [made.uuid(1), made.uuid(2)]


def test_a_further_identity_distinguishes_those_of_one_serial_number(made: ModuleType) -> None:
    agents = [made.agent(number, serial="none") for number in (1, 2)]
    match = found([{"name": "node", "serial_number": "none", "bmc_address": "[10.1.0.2]"}], agents)["node"]
    assert reported(match) == ("matched", made.uuid(2))
    assert "BMC address 10.1.0.2 distinguishes them" in match.reason


def test_a_uuid_of_two_namespaces_is_ambiguous(made: ModuleType) -> None:
    agents = [made.agent(1, namespace="a", macs=[made.mac(1)]), made.agent(1, namespace="b", macs=[made.mac(2)])]
    assert found([{"name": "node", "system_uuid": made.uuid(1)}], agents)["node"].status == "ambiguous"


class TestOneMachineSeveralAgents:
    """The machine's UUID changed, and it registered as another host."""

    @pytest.mark.parametrize(
        "old_state", ["disconnected-unbound", "installed", "unbinding-pending-user-action", "error"]
    )
    def test_the_one_that_is_heard_from(self, old_state: str, made: ModuleType) -> None:
        macs = [made.mac(1), made.mac(1, 1)]
        agents = [
            made.agent(1, macs=macs, state=old_state, created="2026-01-01T00:00:00Z"),
            made.agent(2, macs=macs, state="insufficient-unbound", created="2026-01-02T00:00:00Z"),
        ]
        match = found([{"name": "node", "mac_addresses": [macs[0]]}], agents)["node"]
        assert reported(match) == ("matched", made.uuid(2))
        assert "the machine registered again" in match.reason and [agent.name for agent in match.superseded] == [
            made.uuid(1)
        ]

    def test_the_newest_of_silent_ones(self, made: ModuleType) -> None:
        agents = [
            made.agent(number, macs=[made.mac(1)], state="disconnected-unbound", created=f"2026-01-0{number}T00:00:00Z")
            for number in (3, 1, 2)
        ]
        match = found([{"name": "node", "mac_addresses": [made.mac(1)]}], agents)["node"]
        assert reported(match) == ("matched", made.uuid(3)) and len(match.superseded) == 2

    def test_two_live_ones_are_two_machines(self, made: ModuleType) -> None:
        agents = [made.agent(number, macs=[made.mac(1)]) for number in (1, 2)]
        match = found([{"name": "node", "mac_addresses": [made.mac(1)]}], agents)["node"]
        assert match.status == "ambiguous" and "is that of 2 Agents" in match.reason

    def test_a_lost_nic_does_not_make_it_another_machine(self, made: ModuleType) -> None:
        both = [made.mac(1), made.mac(1, 1)]
        agents = [made.agent(1, macs=both, state="disconnected"), made.agent(2, macs=both[:1])]
        assert reported(found([{"name": "node", "mac_addresses": both}], agents)["node"]) == ("matched", made.uuid(2))


class TestOneMacInManyMachines:
    """USB NICs of some BMCs have the same MAC in every server."""

    USB = "02:00:00:00:00:01"

    def test_the_other_mac_decides(self, made: ModuleType) -> None:
        agents = [made.agent(number, macs=[made.mac(number), self.USB]) for number in (1, 2, 3)]
        match = found([{"name": "node", "mac_addresses": [self.USB, made.mac(2)]}], agents)["node"]
        assert reported(match) == ("matched", made.uuid(2)) and "another machine with a MAC in common" in match.reason

    def test_a_silent_agent_is_not_replaced_by_a_live_one_of_another_machine(self, made: ModuleType) -> None:
        agents = [
            made.agent(1, macs=[made.mac(1), self.USB], state="disconnected"),
            made.agent(2, macs=[made.mac(2), self.USB]),
        ]
        match = found([{"name": "node", "mac_addresses": [made.mac(1), self.USB]}], agents)["node"]
        assert match.status == "ambiguous"

    def test_alone_it_decides_nothing(self, made: ModuleType) -> None:
        agents = [made.agent(number, macs=[made.mac(number), self.USB]) for number in (1, 2)]
        assert found([{"name": "node", "mac_addresses": [self.USB]}], agents)["node"].status == "ambiguous"


def test_one_agent_is_one_host(made: ModuleType) -> None:
    agent = made.agent(1, macs=[made.mac(1), made.mac(1, 1)])
    matches = found(
        [{"name": "a", "mac_addresses": [made.mac(1)]}, {"name": "b", "mac_addresses": [made.mac(1, 1)]}], [agent]
    )
    assert [match.status for match in matches.values()] == ["ambiguous", "ambiguous"]
    assert matches["a"].reason == (
        f"MAC {made.mac(1)}: Agent lab/{made.uuid(1)} (host-1) also matches b; one Agent is one host"
    )


def test_an_agent_taken_by_mac_is_not_taken_by_serial_number(made: ModuleType) -> None:
    matches = found(
        [{"name": "a", "serial_number": "S1"}, {"name": "b", "mac_addresses": [made.mac(1)]}], [made.agent(1)]
    )
    assert reported(matches["b"]) == ("matched", made.uuid(1))
    assert reported(matches["a"]) == (
        "unmatched",
        (f"Agent lab/{made.uuid(1)} (host-1) has serial number S1, but it is the Agent of b"),
    )


def test_an_agent_that_is_being_deleted_is_not_there(made: ModuleType) -> None:
    agent = made.agent(1)
    agent["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z"
    match = found([{"name": "node", "mac_addresses": [made.mac(1)]}], [agent])["node"]
    assert reported(match) == ("unmatched", f"Agent lab/{made.uuid(1)} (host-1) is being deleted")


def test_nothing_there(made: ModuleType) -> None:
    match = found([{"name": "node", "mac_addresses": [made.mac(1)], "serial_number": "S1"}], [])["node"]
    assert reported(match) == ("unmatched", f"no Agent has MAC {made.mac(1)} or serial number S1")


def test_a_query_that_does_not_fit_an_agent_says_nothing_about_it(made: ModuleType) -> None:
    bare = {"metadata": {"name": "x", "namespace": "lab"}}
    matches = found([{"name": "node", "query": "length(inventory.disks) > `0`"}], [bare, made.agent(1)])
    assert reported(matches["node"]) == ("matched", made.uuid(1))


def test_an_object_with_nothing_in_it() -> None:
    agent = read_agent(
        {"metadata": {"name": "x"}, "status": {"inventory": None, "debugInfo": None, "conditions": None}}
    )
    assert (agent.state, agent.role, agent.cluster, agent.macs, agent.failing, agent.disks, agent.connected) == (
        "",
        "",
        None,
        (),
        (),
        [],
        True,
    )


def test_unknown_states_pass_through(made: ModuleType) -> None:
    assert read_agent(made.agent(1, state="levitating")).state == "levitating"


def test_bulk_is_not_kept(made: ModuleType) -> None:
    raw = read_agent(made.agent(1)).raw
    assert "managedFields" not in raw["metadata"] and "smart" not in raw["status"]["inventory"]["disks"][0]
    assert raw["status"]["validationsInfo"] == {"hardware": []}
