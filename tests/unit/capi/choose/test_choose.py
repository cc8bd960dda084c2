# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test the planner that assigns Agents to Machines: which Agent fits which Machine, which one it gets, and the
messages. Each rule and each part of a policy has one example.
"""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.capi.choose.model import (
    AgentFacts,
    Choice,
    HostDemand,
    Policy,
    from_agent,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.capi.choose.plan import choose
from ansible_collections.zerotouch.openshift.plugins.module_utils.capi.choose.policy import read_policy
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.errors import InvalidInput, ZeroTouchError
from ansible_collections.zerotouch.openshift.plugins.module_utils.hub.agents.model import ClusterRef, read_agent
from ansible_collections.zerotouch.openshift.tests.unit.capi.choose import made

GIB, host, labelled, demand = made.GIB, made.host, made.labelled, made.demand


def names(choice: Choice) -> dict[str, str]:
    return {key[1]: chosen.host.name for key, chosen in choice.assigned.items()}


def rejected(choice: Choice, of: HostDemand) -> dict[str, str]:
    return {host.name: rejection.rule for host, rejection in choice.rejections(of)}


# --- hard rules ---


@pytest.mark.parametrize(
    ("change", "asked", "rule", "text"),
    [
        ({}, {"agent_namespace": "other"}, "namespace", "is not in namespace other"),
        ({"deleting": True}, {}, "deleting", "is being deleted"),
        ({"approved": False}, {}, "approved", "is not approved"),
        ({"bound": "True", "cluster": ClusterRef("c", "d")}, {}, "bound", "is bound to cluster c/d"),
        ({"cluster": ClusterRef("c", "d")}, {}, "bound", "is being bound to cluster c/d"),
        ({"bound": "True"}, {}, "bound", "is still bound to a cluster"),
        ({"bound": ""}, {}, "bound", "has no condition Bound yet"),
        ({"bound": "Unknown"}, {}, "bound", "has no condition Bound yet"),
        ({"state": "unbinding-pending-user-action"}, {}, "bound", "is in state unbinding-pending-user-action"),
        (
            {"reserved_by": "m", "reserved_namespace": "elsewhere"},
            {},
            "reserved",
            "is reserved for Machine elsewhere/m",
        ),
        ({"reserved_by": "m"}, {}, "reserved", "is reserved for Machine m"),
        ({"connected": False, "state": "disconnected-unbound"}, {}, "connected", "is not connected"),
        ({"validated": False, "state": "insufficient-unbound"}, {}, "validated", "has validations that do not pass"),
        (
            {"state": "discovering-unbound"},
            {},
            "state",
            ("is in state discovering-unbound; an Agent can be bound only in state known-unbound"),
        ),
        (
            {"labels": {"size": "s"}},
            {"selector": labelled(size="l", zone="a")},
            "selector",
            "does not fit the selector: size=l,zone=a",
        ),
        ({}, {"architecture": "arm64"}, "architecture", "is x86_64, not aarch64"),
        ({"architecture": ""}, {"architecture": "amd64"}, "architecture", "is of an unknown architecture, not x86_64"),
        ({}, {"cpus": 9}, "cpus", "has 8 CPUs, fewer than 9"),
        ({}, {"memory_bytes": 33 * GIB}, "memory", "has 32 GiB of memory, less than 33"),
        ({}, {"disk_bytes": 500 * 10**9}, "disk", "has no disk of 500 GB; the largest is of 480"),
        ({}, {"pinned": "b"}, "pinned", "is not b, which the Machine is pinned to"),
        # The first that fails is reported.
        ({"deleting": True, "approved": False, "connected": False}, {"cpus": 99}, "deleting", "is being deleted"),
        ({"validated": False}, {"cpus": 99}, "validated", "has validations that do not pass"),
    ],
)
def test_rules(change: dict[str, Any], asked: dict[str, Any], rule: str, text: str) -> None:
    waiting = demand("m", **asked)
    choice = choose([waiting], [host("a", **change)])
    assert not choice.assigned
    [(_, rejection)] = choice.rejections(waiting)
    assert (rejection.rule, rejection.text) == (rule, text)


@pytest.mark.parametrize(
    "asked",
    [
        {"architecture": "amd64"},
        {"architecture": "x86_64"},
        {"cpus": 8},
        {"memory_bytes": 32 * GIB},
        {"agent_namespace": "agents"},
    ],
)
def test_what_suits(asked: dict[str, Any]) -> None:
    assert names(choose([demand("m", **asked)], [host("a")])) == {"m": "a"}
    assert names(choose([demand("m")], [host("a", state="")])) == {"m": "a"}, "a state that is not told is no objection"


# --- reservations ---


def test_a_reserved_agent_is_taken_up_again_whatever_has_become_of_it() -> None:
    hosts = [
        host("free"),
        host(
            "claimed",
            reserved_by="m",
            reserved_namespace="clusters-c1",
            cluster=ClusterRef("clusters-c1", "c1"),
            connected=False,
        ),
    ]
    waiting = demand("m", labelled(size="none"))
    choice = choose([waiting], hosts)
    assert choice.assigned[waiting.key].reserved and names(choice) == {"m": "claimed"}
    assert choice.lines() == [
        (
            "Machine clusters-c1/m would get Agent agents/claimed (claimed) because it is reserved for this Machine "
            "already."
        )
    ]
    assert rejected(choice, waiting) == {"free": "other"}


def test_a_reservation_counts_with_its_namespace() -> None:
    waiting = demand("m")
    other = host("a", reserved_by="m", reserved_namespace="clusters-c2", cluster=ClusterRef("clusters-c2", "c2"))
    unsaid = host("b", reserved_by="m", cluster=ClusterRef("clusters-c2", "c2"))
    assert choose([waiting], [other, unsaid]).assigned == {}
    # Who wrote the claim wrote the cluster with it, so its namespace tells whose claim that was where the annotation is
    # lost.
    assert names(
        choose([waiting], [other, unsaid, host("c", reserved_by="m", cluster=ClusterRef("clusters-c1", "c1"))])
    ) == {"m": "c"}


def test_of_two_reservations_the_one_that_went_further_counts() -> None:
    claim = {"reserved_by": "m", "reserved_namespace": "clusters-c1"}
    hosts = [
        host("a", **claim),
        host("b", **claim, cluster=ClusterRef("clusters-c1", "c1")),
        host("c", **claim, deleting=True),
    ]
    waiting, other = demand("m"), demand("n")
    choice = choose([waiting, other], hosts)
    assert names(choice) == {"m": "b"}
    assert rejected(choice, waiting) == {"a": "reserved", "c": "deleting"}
    assert rejected(choice, other) == {"a": "reserved", "b": "bound", "c": "deleting"}


def test_a_reserved_agent_that_is_being_deleted_is_replaced() -> None:
    hosts = [host("gone", reserved_by="m", reserved_namespace="clusters-c1", deleting=True), host("free")]
    assert names(choose([demand("m")], hosts)) == {"m": "free"}
    assert rejected(choose([demand("m")], hosts[:1]), demand("m")) == {"gone": "deleting"}


# --- who is served ---


def test_overlapping_selectors_do_not_starve_each_other() -> None:
    both, one = demand("a"), demand("b", labelled(gpu="yes"))
    hosts = [host("h1", labels={"gpu": "yes"}, cpus=4), host("h2")]
    assert names(choose([both, one], hosts)) == {"a": "h2", "b": "h1"}


def test_those_who_wait_longest_come_first_when_hosts_are_too_few() -> None:
    young, old = demand("a", created="2026-02-01T00:00:00Z"), demand("b", created="2026-01-01T00:00:00Z")
    choice = choose([young, old], [host("h")])
    assert names(choice) == {"b": "h"}
    assert choice.unassigned == {young.key: "the one Agent that suits serves clusters-c1/b"}
    assert rejected(choice, young) == {"h": "taken"}


def test_why_no_host_fits() -> None:
    hosts = [
        host("a", approved=False),
        host("b", bound="True"),
        host("c", labels={"size": "s"}),
        host("d", labels={"size": "l"}, cpus=2),
    ]
    hosts.append(host("e", namespace="far"))
    demands = [
        demand("m1", labelled(size="l"), cpus=4, agent_namespace="agents"),
        demand("m2", agent_namespace="none"),
        demand("m3", {"matchLabels": {"a": 1}}),
    ]
    choice = choose(demands, hosts)
    assert choice.lines() == [
        "Machine clusters-c1/m1 would get no Agent: of 4 Agents in namespace agents none suits: 1 not approved, 1 "
        "bound, or on the way into or out of a "
        "cluster, 1 without the labels that are asked for, 1 with too few CPUs.",
        "Machine clusters-c1/m2 would get no Agent: there is no Agent in namespace none.",
        (
            "Machine clusters-c1/m3 would get no Agent: its selector is none: selector.matchLabels[a]: Invalid value: "
            "must be text, not 1 (put it in quotes)."
        ),
    ]
    assert set(rejected(choice, demands[2]).values()) == {"selector"}


def test_nothing_at_all() -> None:
    assert choose([], []).lines() == []
    assert choose([demand("m")], []).unassigned == {("clusters-c1", "m"): "there is no Agent"}


def test_each_machine_and_each_agent_once() -> None:
    with pytest.raises(ZeroTouchError, match="Machine clusters-c1/m waits more than once"):
        choose([demand("m"), demand("m")], [])
    with pytest.raises(ZeroTouchError, match=r"Agent agents/a \(a\) is listed more than once"):
        choose([], [host("a"), host("a")])


# --- policy ---


def test_fit_takes_the_smallest_that_suffice() -> None:
    hosts = [
        host("big", cpus=64),
        host("mid", cpus=16),
        host("small", cpus=8),
        host("tiny", cpus=4),
        host("rich", cpus=8, memory_bytes=64 * GIB),
    ]
    choice = choose([demand("m1", cpus=8), demand("m2", cpus=12), demand("m3", cpus=6)], hosts)
    assert names(choice) == {"m3": "small", "m1": "rich", "m2": "mid"}
    assert choice.lines()[0] == (
        "Machine clusters-c1/m1 would get Agent agents/rich (rich) because of the 4 Agents that suit, smallest first, "
        "the one before it serves another "
        "Machine (8 CPUs, 64 GiB of memory, 480 GB of disk)."
    )


def test_fit_leaves_the_large_host_free_even_if_a_machine_has_to_move() -> None:
    """Each for itself, the first would take the small one and the second, which does not suit the middle one, the large
    one.
    """
    hosts = [
        host("a", cpus=4, labels={"x": "1", "y": "1"}),
        host("b", cpus=8, labels={"x": "1"}),
        host("c", cpus=16, labels={"y": "1"}),
    ]
    assert names(choose([demand("m1", labelled(x="1")), demand("m2", labelled(y="1"))], hosts)) == {
        "m1": "b",
        "m2": "a",
    }


RACKS = [
    host(f"{rack}-{number}", labels={"rack": rack})
    for rack, count in (("r1", 4), ("r2", 4), ("r3", 2))
    for number in range(count)
]


def racks(choice: Choice) -> dict[str, int]:
    found = [chosen.host.labels.get("rack", "") for chosen in choice.assigned.values()]
    return {rack: found.count(rack) for rack in sorted(set(found))}


def test_spread() -> None:
    demands = [demand(f"m{number}", group="pool") for number in range(7)]
    choice = choose(demands, RACKS, Policy("spread", "rack"))
    assert racks(choice) == {"r1": 3, "r2": 2, "r3": 2}
    assert choice.assigned["clusters-c1", "m0"].reasons == ("it is in rack r1, which spreads pool (r1 3, r2 2, r3 2)",)


def test_spread_counts_what_the_group_has_already() -> None:
    demands = [demand(f"m{number}", group="pool") for number in range(3)]
    taken = [("pool", host(f"t{number}", labels={"rack": "r1"})) for number in range(3)] + [
        ("other", host("o", labels={"rack": "r3"}))
    ]
    assert racks(choose(demands, RACKS, Policy("spread", "rack"), taken=taken)) == {"r2": 2, "r3": 1}


def test_spread_counts_those_who_keep_their_host_too() -> None:
    claimed = host("claimed", labels={"rack": "r1"}, reserved_by="old", reserved_namespace="clusters-c1")
    demands = [demand("old", group="pool"), demand("back", group="pool", hostname="r2-0"), demand("new", group="pool")]
    assert racks(choose(demands, [claimed, *RACKS], Policy("spread", "rack"))) == {"r1": 1, "r2": 1, "r3": 1}


def test_spread_of_two_groups() -> None:
    demands = [demand(f"{group}{number}", group=group) for group in "ab" for number in range(2)]
    choice = choose(demands, [entry for entry in RACKS if entry.name.endswith(("-0", "-1"))], Policy("spread", "rack"))
    for group in "ab":
        assert (
            len({chosen.host.labels["rack"] for key, chosen in choice.assigned.items() if key[1].startswith(group)})
            == 2
        )


def test_spread_moves_the_first_for_the_sake_of_the_second() -> None:
    hosts = [
        host("a", labels={"rack": "r1"}),
        host("b", labels={"rack": "r2"}, cpus=16),
        host("c", labels={"rack": "r1", "gpu": "yes"}),
    ]
    choice = choose(
        [demand("m1", group="p"), demand("m2", labelled(gpu="yes"), group="p")], hosts, Policy("spread", "rack")
    )
    assert names(choice) == {"m1": "b", "m2": "c"}


def test_spread_exchanges_until_it_is_even() -> None:
    """Those who can go anywhere choose first; the four who cannot then crowd the first rack."""
    hosts = [
        host(f"{rack}-{number}", labels={"rack": rack, "gpu": gpu})
        for rack, gpu in (("r1", "yes"), ("r2", "no"))
        for number in range(8)
    ]
    demands = [
        *(demand(f"any{number}") for number in range(8)),
        *(demand(f"gpu{number}", labelled(gpu="yes")) for number in range(4)),
    ]
    assert racks(choose(demands, hosts, Policy("spread", "rack"))) == {"r1": 6, "r2": 6}


def test_hosts_without_the_label_are_one_place() -> None:
    hosts = [host("a"), host("b"), host("c", labels={"rack": "r1"}, cpus=64)]
    choice = choose([demand("m1"), demand("m2")], hosts, Policy("spread", "rack"))
    assert racks(choice) == {"": 1, "r1": 1}
    assert choice.assigned["clusters-c1", "m1"].reasons == (
        ("it is in rack none, which spreads the Machines (none 1, r1 1)"),
    )


def test_pack() -> None:
    demands = [demand(f"m{number}", group="pool") for number in range(2)]
    assert racks(choose(demands, RACKS, Policy("pack", "rack"))) == {"r3": 2}, "the smallest place that holds all"
    more = [demand(f"m{number}", group="pool") for number in range(5)]
    assert racks(choose(more, RACKS, Policy("pack", "rack"))) == {"r2": 4, "r3": 1}, (
        "else the largest, and the rest where it fits"
    )
    taken = [("pool", host("t", labels={"rack": "r1"}))]
    assert racks(choose(demands, RACKS, Policy("pack", "rack"), taken=taken)) == {"r1": 2}, "where the group is already"


def test_preferred_labels() -> None:
    hosts = [
        host("plain", cpus=2),
        host("ssd", labels={"disk": "ssd"}),
        host("old", labels={"age": "old", "disk": "ssd"}, cpus=1),
    ]
    choice = choose([demand("m")], hosts, Policy(prefer_labels={"disk": "ssd", "age": -5}))
    assert choice.assigned["clusters-c1", "m"].reasons == (
        "it has the preferred label disk=ssd",
        (
            "of the 3 Agents that suit, by preferred labels, then size, it is the first (8 CPUs, 32 GiB of memory, "
            "480 GB "
            "of disk)"
        ),
    )
    assert names(choose([demand("m")], hosts, Policy(prefer_labels={"age=old": 3, "age=new": 9}))) == {"m": "old"}


def test_reuse() -> None:
    hosts = [host("a", cpus=2), host("b", cpus=4), host("c")]
    back = [demand("m1", hostname="c"), demand("m2")]
    choice = choose(back, hosts, Policy(history={"m2": "agents/b"}))
    assert names(choice) == {"m1": "c", "m2": "b"}
    assert choice.assigned["clusters-c1", "m1"].reasons == ("the Machine had it before",)
    assert names(choose(back, hosts, Policy(reuse=False, history={"m2": "b"}))) == {"m1": "a", "m2": "b"}
    assert names(choose([demand("m1", hostname="a"), demand("m2", hostname="a")], hosts)) == {"m1": "a", "m2": "b"}


def test_a_host_that_does_not_suit_any_more_is_not_reused() -> None:
    hosts = [host("a", cpus=2), host("b")]
    assert names(choose([demand("m", cpus=4, hostname="a")], hosts)) == {"m": "b"}


def test_reuse_does_not_cost_a_machine_its_host() -> None:
    hosts = [host("a", labels={"gpu": "yes"}), host("b")]
    assert names(choose([demand("m1", hostname="a"), demand("m2", labelled(gpu="yes"))], hosts)) == {
        "m1": "b",
        "m2": "a",
    }


def test_pins() -> None:
    hosts = [host("a"), host("b", hostname="worker-1"), host("c", approved=False)]
    pins = {"clusters-c1/m2": "worker-1", "m3": "c", "m4": "d"}
    choice = choose(
        [
            demand("m1", created="2026-01-01T00:00:00Z"),
            demand("m2"),
            demand("m3"),
            demand("m4"),
            demand("m5", pinned="worker-1"),
        ],
        hosts,
        Policy(pins=pins),
    )
    assert names(choice) == {"m1": "a", "m2": "b"}
    assert choice.assigned["clusters-c1", "m2"].reasons == ("the Machine is pinned to worker-1",)
    assert choice.unassigned == {
        ("clusters-c1", "m3"): "it is pinned to c, but Agent agents/c (c) is not approved",
        ("clusters-c1", "m4"): "it is pinned to d, and no Agent has that name",
        ("clusters-c1", "m5"): "the one Agent that suits serves clusters-c1/m2",
    }


def test_a_pin_comes_before_the_one_who_has_waited_longer() -> None:
    hosts = [host("a"), host("b", approved=False)]
    assert names(
        choose(
            [demand("m1", created="2026-01-01T00:00:00Z"), demand("m2", created="2026-02-01T00:00:00Z", pinned="a")],
            hosts,
        )
    ) == {"m2": "a"}


@pytest.mark.parametrize(
    ("options", "text"),
    [
        (
            {"order": "spred"},
            ("policy.order: Unsupported value: must be one of fit, spread, pack, not 'spred' (did you mean spread?)"),
        ),
        ({"order": "spread"}, "policy.topology_label: Required value"),
        ({"order": "pack", "topology_label": 3}, "policy.topology_label: Invalid value: must be text"),
        ({"prefer": {}}, "policy.prefer: Unknown field"),
        (
            {"prefer_labels": {"a": True}},
            ("policy.prefer_labels[a]: Invalid value: must be text or a whole number, not True"),
        ),
        ({"pins": {"a": 1}}, "policy.pins[a]: Invalid value: must be text, not 1"),
        ({"pins": ["a"]}, "policy.pins: Invalid value: must be a mapping"),
        ({"reuse": "yes"}, "policy.reuse: Invalid value: must be true or false"),
    ],
)
def test_what_is_no_policy(options: dict[str, Any], text: str) -> None:
    with pytest.raises(InvalidInput) as raised:
        read_policy(options)
    assert text in str(raised.value)


def test_policies() -> None:
    assert read_policy(None) == read_policy({"order": None}) == Policy()
    assert read_policy({"order": "pack", "topology_label": "rack", "pins": {"m": "a"}}) == Policy(
        "pack", "rack", pins={"m": "a"}
    )
    with pytest.raises(InvalidInput, match="needs the label by which it counts"):
        choose([], [], Policy("spread"))


# --- reading ---


def test_from_agent() -> None:
    disks = [
        {"sizeBytes": 10**12, "installationEligibility": {"eligible": False}},
        {"sizeBytes": 4 * 10**11, "installationEligibility": {"eligible": True}},
    ]
    agent = read_agent(
        {
            "metadata": {
                "name": "a",
                "namespace": "agents",
                "creationTimestamp": "2026-01-01T00:00:00Z",
                "labels": {"size": "l", "agentMachineRef": "m"},
                "annotations": {"agentMachineRefNamespace": "clusters-c1"},
            },
            "spec": {
                "approved": True,
                "hostname": "worker-1",
                "clusterDeploymentName": {"namespace": "clusters-c1", "name": "c1"},
            },
            "status": {
                "inventory": {
                    "cpu": {"architecture": "x86_64", "count": 16},
                    "memory": {"physicalBytes": 64 * GIB, "usableBytes": 60 * GIB},
                    "disks": disks,
                },
                "conditions": [
                    {"type": "Bound", "status": "False"},
                    {"type": "Connected", "status": "True"},
                    {"type": "Validated", "status": "Unknown"},
                ],
                "debugInfo": {"state": "binding"},
            },
        }
    )
    assert from_agent(agent) == AgentFacts(
        namespace="agents",
        name="a",
        hostname="worker-1",
        labels={"size": "l", "agentMachineRef": "m"},
        architecture="x86_64",
        cpus=16,
        memory_bytes=64 * GIB,
        disk_bytes=4 * 10**11,
        approved=True,
        validated=False,
        connected=True,
        bound="False",
        cluster=ClusterRef("clusters-c1", "c1"),
        reserved_by="m",
        reserved_namespace="clusters-c1",
        state="binding",
        created="2026-01-01T00:00:00Z",
    )
    assert from_agent(read_agent({"metadata": {"name": "a"}})) == AgentFacts("", "a")
