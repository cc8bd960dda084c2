# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test properties of the assignment of Agents to Machines with random sets of both. The expected results come from
independently written rules and from exhaustive searches.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ansible_collections.zerotouch.openshift.plugins.module_utils.capi.choose.columns import Suitable, bits
from ansible_collections.zerotouch.openshift.plugins.module_utils.capi.choose.model import (
    AgentFacts,
    Choice,
    HostDemand,
    Policy,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.capi.choose.plan import choose
from ansible_collections.zerotouch.openshift.plugins.module_utils.capi.choose.rules import (
    RULES,
    need_of,
    objection,
    unusable,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.hub.agents.model import ClusterRef
from ansible_collections.zerotouch.openshift.tests.unit.capi.choose import made
from hypothesis import given
from hypothesis import strategies as st

KEYS, VALUES = ["rack", "size", "zone"], ["a", "b", ""]
LABELS = st.dictionaries(st.sampled_from(KEYS), st.sampled_from(VALUES), max_size=3)
SIZES = st.sampled_from([2, 4, 8])

EXPRESSION = st.one_of(
    st.builds(
        lambda key, operator, values: {"key": key, "operator": operator, "values": values},
        st.sampled_from([*KEYS, "gone"]),
        st.sampled_from(["In", "NotIn"]),
        st.lists(st.sampled_from([*VALUES, "c"]), min_size=1, max_size=2),
    ),
    st.builds(
        lambda key, operator: {"key": key, "operator": operator},
        st.sampled_from([*KEYS, "gone"]),
        st.sampled_from(["Exists", "DoesNotExist"]),
    ),
)
SELECTOR = st.one_of(
    st.none(),
    st.fixed_dictionaries(
        {}, optional={"matchLabels": st.dictionaries(st.sampled_from(KEYS), st.sampled_from(VALUES), max_size=1)}
    ),
    st.fixed_dictionaries({"matchExpressions": st.lists(EXPRESSION, max_size=2)}),
)
RARELY = {
    "approved": st.just(False),
    "connected": st.just(False),
    "validated": st.just(False),
    "bound": st.sampled_from(["True", "Unknown", ""]),
    "cluster": st.just(ClusterRef("clusters-c1", "c1")),
    "state": st.sampled_from(["", "insufficient-unbound", "installing"]),
    "deleting": st.just(True),
    "namespace": st.just("far"),
    "reserved_by": st.sampled_from(["m0", "m9"]),
    "architecture": st.just("aarch64"),
}


@st.composite
def free_hosts(draw: st.DrawFn, most: int = 6) -> list[AgentFacts]:
    return [
        made.host(
            f"h{number}",
            labels=draw(LABELS),
            cpus=draw(SIZES),
            memory_bytes=draw(SIZES) * made.GIB,
            hostname=f"worker-{number}",
        )
        for number in range(draw(st.integers(0, most)))
    ]


@st.composite
def any_hosts(draw: st.DrawFn) -> list[AgentFacts]:
    found = []
    for host in draw(free_hosts(8)):
        flaw = draw(st.one_of(st.just(None), st.sampled_from(sorted(RARELY))))
        changes: dict[str, Any] = {} if flaw is None else {flaw: draw(RARELY[flaw])}
        if flaw == "reserved_by":
            changes["reserved_namespace"] = draw(st.sampled_from(["clusters-c1", "clusters-c2"]))
        found.append(AgentFacts(**{**vars(host), **changes}))
    return found


@st.composite
def waiting(draw: st.DrawFn, most: int = 5, plain: bool = False) -> list[HostDemand]:
    return [
        made.demand(
            f"m{number}",
            draw(SELECTOR),
            cpus=draw(st.sampled_from([0, 0, 4, 8])),
            memory_bytes=draw(st.sampled_from([0, 0, 4 * made.GIB])),
            created=draw(st.sampled_from(["", "2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z"])),
            **{}
            if plain
            else {
                "architecture": draw(st.sampled_from(["", "", "amd64", "aarch64"])),
                "agent_namespace": draw(st.sampled_from(["", "agents"])),
                "group": draw(st.sampled_from(["p", "q"])),
                "hostname": draw(st.sampled_from(["", "worker-1", "worker-2"])),
                "pinned": draw(st.sampled_from(["", "", "", "h1", "worker-2", "unknown"])),
            },
        )
        for number in range(draw(st.integers(0, most)))
    ]


POLICIES = st.builds(
    Policy,
    order=st.sampled_from(["fit", "spread", "pack"]),
    topology_label=st.just("rack"),
    prefer_labels=st.sampled_from([{}, {"size": "a"}, {"zone": -2, "size=b": 1}]),
    reuse=st.booleans(),
    history=st.sampled_from([{}, {"m0": "h1", "m1": "h1"}]),
)


def suiting(demands: Sequence[HostDemand], hosts: Sequence[AgentFacts]) -> dict[str, list[str]]:
    """For each demand the hosts that suit, by the rules one by one.

    Those with a reservation of their own have that alone.
    """
    found = {
        demand.name: [host.name for host in hosts if objection(need_of(demand, demand.pinned), host) is None]
        for demand in demands
    }
    for demand in demands:
        own = [
            host.name
            for host in hosts
            if host.holder == demand.key and not host.deleting and demand.agent_namespace in ("", host.namespace)
        ]
        found[demand.name] = own[:1] or found[demand.name]
    return found


def most_served(suits: Mapping[str, Sequence[str]]) -> int:
    """How many can be served at once: every way is tried."""
    ways = {frozenset[str]()}
    for hosts in suits.values():
        ways |= {used | {host} for used in ways for host in hosts if host not in used}
    return max(map(len, ways))


def ways_to_serve(names: Sequence[str], suits: Mapping[str, Sequence[str]]) -> Iterator[dict[str, str]]:
    """Every way to serve all of them."""
    if not names:
        yield {}
        return
    for way in ways_to_serve(names[1:], suits):
        yield from ({names[0]: host, **way} for host in suits[names[0]] if host not in way.values())


def outcome(choice: Choice) -> dict[str, str]:
    return {key[1]: chosen.host.name for key, chosen in choice.assigned.items()}


@given(waiting(), any_hosts(), POLICIES)
def test_one_to_one_by_the_rules_and_as_many_as_can_be(
    demands: list[HostDemand], hosts: list[AgentFacts], policy: Policy
) -> None:
    choice = choose(demands, hosts, policy)
    suits, found = suiting(demands, hosts), outcome(choice)
    assert len(set(found.values())) == len(found) == most_served(suits)
    assert {key[1] for key in choice.unassigned} == suits.keys() - found.keys()
    for key, chosen in choice.assigned.items():
        assert chosen.reasons and (chosen.host.holder == key if chosen.reserved else chosen.host.name in suits[key[1]])


@given(waiting(), any_hosts(), POLICIES, st.randoms(use_true_random=False))
def test_the_order_of_the_input_does_not_matter(
    demands: list[HostDemand], hosts: list[AgentFacts], policy: Policy, random: Any
) -> None:
    choice = choose(demands, hosts, policy)
    mixed_demands, mixed_hosts = random.sample(demands, len(demands)), random.sample(hosts, len(hosts))
    again = choose(mixed_demands, mixed_hosts, policy)
    assert again == choice and again.lines() == choice.lines()
    assert all(again.rejections(demand) == choice.rejections(demand) for demand in demands)


@given(waiting(), any_hosts(), free_hosts(), POLICIES)
def test_adding_agents_takes_no_host_from_a_machine(
    demands: list[HostDemand], hosts: list[AgentFacts], more: list[AgentFacts], policy: Policy
) -> None:
    added = [AgentFacts(**{**vars(host), "name": f"new-{host.name}"}) for host in more]
    before, after = choose(demands, hosts, policy), choose(demands, [*hosts, *added], policy)
    assert before.assigned.keys() <= after.assigned.keys()


@given(waiting(), any_hosts(), POLICIES, st.randoms(use_true_random=False))
def test_what_was_claimed_before_an_interruption_costs_no_machine_a_host(
    demands: list[HostDemand], hosts: list[AgentFacts], policy: Policy, random: Any
) -> None:
    choice = choose(demands, hosts, policy)
    claims = {chosen.host.key: key for key, chosen in choice.assigned.items() if random.random() < 0.5}
    claimed = [
        AgentFacts(
            **{
                **vars(host),
                "reserved_namespace": claims[host.key][0],
                "reserved_by": claims[host.key][1],
                "bound": "True",
            }
        )
        if host.key in claims
        else host
        for host in hosts
    ]
    again = choose(demands, claimed, policy)
    assert again.assigned.keys() == choice.assigned.keys()
    assert all(again.assigned[key].host.key == host and again.assigned[key].reserved for host, key in claims.items())


@given(waiting(), any_hosts(), POLICIES)
def test_the_policy_does_not_decide_who_is_served(
    demands: list[HostDemand], hosts: list[AgentFacts], policy: Policy
) -> None:
    assert choose(demands, hosts, policy).assigned.keys() == choose(demands, hosts).assigned.keys()


@given(waiting(), any_hosts(), POLICIES)
def test_every_host_is_accounted_for(demands: list[HostDemand], hosts: list[AgentFacts], policy: Policy) -> None:
    choice = choose(demands, hosts, policy)
    takers = {chosen.host.key: key for key, chosen in choice.assigned.items()}
    assert len(choice.lines()) == len(demands)
    for demand in demands:
        rejected = {host.key: rejection for host, rejection in choice.rejections(demand)}
        own = [chosen.host.key for key, chosen in choice.assigned.items() if key == demand.key]
        assert sorted([*rejected, *own]) == sorted(host.key for host in hosts)
        for host in hosts:
            rejection = rejected.get(host.key)
            if rejection is None:
                continue
            assert rejection.rule in RULES and rejection.text
            if demand.key in choice.assigned and choice.assigned[demand.key].reserved:
                assert rejection == unusable(host) or rejection.rule == (
                    "reserved" if host.holder == demand.key else "other"
                )
            elif rejection.rule == "taken":
                assert takers[host.key] != demand.key and objection(need_of(demand, demand.pinned), host) is None
            elif rejection.rule == "other":
                assert host.key not in takers and demand.key in choice.assigned, (
                    "a host that suits and is free goes to a machine without one"
                )
            else:
                assert rejection == objection(need_of(demand, demand.pinned), host)


@given(waiting(), any_hosts())
def test_sets_of_hosts_say_the_same_as_the_rules(demands: list[HostDemand], hosts: list[AgentFacts]) -> None:
    usable = [host for host in hosts if unusable(host) is None]
    needs = [need_of(demand, demand.pinned) for demand in demands]
    suitable = Suitable(usable, needs)
    for number, need in enumerate(needs):
        assert [usable[host] for host in bits(suitable.of(number))] == [
            host for host in usable if objection(need, host) is None
        ]


def size_order(host: AgentFacts) -> tuple[int, int, str]:
    return host.cpus, host.memory_bytes, host.hostname


@given(waiting(4, plain=True), free_hosts())
def test_fit_uses_the_smallest_hosts_that_serve_each_demand(demands: list[HostDemand], hosts: list[AgentFacts]) -> None:
    """Of all ways to serve them the one whose hosts, smallest first, are the smallest; no free host that suits comes
    before the one chosen.
    """
    found = outcome(choose(demands, hosts))
    order = {host.name: size_order(host) for host in hosts}
    suits = suiting(demands, hosts)
    assert sorted(map(order.__getitem__, found.values())) == min(
        sorted(map(order.__getitem__, way.values())) for way in ways_to_serve(sorted(found), suits)
    )
    for name, chosen in found.items():
        assert [host for host in suits[name] if order[host] < order[chosen] and host not in found.values()] == []


def unevenness(hosts: Sequence[str], rack_of: Mapping[str, str], taken: Counter[str]) -> int:
    counts = taken + Counter(rack_of[host] for host in hosts)
    return sum(count * count for count in counts.values())


@given(waiting(4, plain=True), free_hosts(), st.lists(st.sampled_from(["a", "b"]), max_size=3))
def test_spread_of_one_group_is_as_even_as_can_be(
    demands: list[HostDemand], hosts: list[AgentFacts], taken: list[str]
) -> None:
    used = [("", made.host(f"t{number}", labels={"rack": rack})) for number, rack in enumerate(taken)]
    found = outcome(choose(demands, hosts, Policy("spread", "rack"), taken=used))
    rack_of = {host.name: host.labels.get("rack", "") for host in hosts}
    ways = ways_to_serve(sorted(found), suiting(demands, hosts))
    assert unevenness([*found.values()], rack_of, Counter(taken)) == min(
        unevenness([*way.values()], rack_of, Counter(taken)) for way in ways
    )


@given(free_hosts(8), st.integers(1, 5))
def test_pack_of_equal_demands_uses_as_few_places_as_can_be(hosts: list[AgentFacts], number: int) -> None:
    choice = choose([made.demand(f"m{index}") for index in range(number)], hosts, Policy("pack", "rack"))
    sizes = sorted(Counter(host.labels.get("rack", "") for host in hosts).values(), reverse=True)
    served, needed = len(choice.assigned), 0
    while served > sum(sizes[:needed]):
        needed += 1
    assert len({chosen.host.labels.get("rack", "") for chosen in choice.assigned.values()}) == needed


@given(waiting(), any_hosts(), POLICIES)
def test_pins_and_reuse_hold_where_they_can(demands: list[HostDemand], hosts: list[AgentFacts], policy: Policy) -> None:
    choice = choose(demands, hosts, policy)
    suits, found = suiting(demands, hosts), outcome(choice)
    for demand in demands:
        chosen = choice.assigned.get(demand.key)
        if chosen is not None and not chosen.reserved and demand.pinned:
            assert demand.pinned in (chosen.host.name, chosen.host.hostname)
        alone = (
            policy.reuse
            and demand.hostname
            and len(demands) == 1
            and not policy.history
            and not (chosen and chosen.reserved)
        )
        had = [host.name for host in hosts if host.hostname == demand.hostname and host.name in suits[demand.name]]
        if alone and had:
            assert found[demand.name] in had
