# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test properties of matching and planning with random sets of hosts and Agents. Matching is one to one and independent
of order, and after a plan is applied the next plan is empty.
"""

from __future__ import annotations

import dataclasses
import random
from collections import Counter
from typing import Any

from ansible_collections.zerotouch.openshift.plugins.module_utils.cluster.host_identity import Identity
from ansible_collections.zerotouch.openshift.plugins.module_utils.cluster.host_states import KNOWN_STATES
from ansible_collections.zerotouch.openshift.plugins.module_utils.hub.agents.change import AgentSurroundings
from ansible_collections.zerotouch.openshift.plugins.module_utils.hub.agents.clusters import ClusterFacts
from ansible_collections.zerotouch.openshift.plugins.module_utils.hub.agents.match import match_hosts
from ansible_collections.zerotouch.openshift.plugins.module_utils.hub.agents.model import Agent, ClusterRef, read_agent
from ansible_collections.zerotouch.openshift.plugins.module_utils.hub.agents.plan import AgentsPlan, plan_hosts
from ansible_collections.zerotouch.openshift.plugins.module_utils.hub.agents.request import AgentHostRequest
from ansible_collections.zerotouch.openshift.plugins.module_utils.kube.write import merged
from ansible_collections.zerotouch.openshift.tests.support.hub import agents as made
from hypothesis import given
from hypothesis import strategies as st

# Few values, so that MACs, serial numbers and labels are shared all the time.
MACS = st.lists(st.integers(1, 6).map(made.mac), max_size=3, unique=True)
SERIALS = st.sampled_from(["", "S1", "S2", "none"])
CLUSTERS = [ClusterRef("lab", "a"), ClusterRef("lab", "b")]


@st.composite
def agents(draw: st.DrawFn) -> list[Agent]:
    found = []
    for number in range(draw(st.integers(0, 6))):
        cluster = draw(st.sampled_from([None, *CLUSTERS]))
        obj = made.agent(
            number,
            state=draw(st.sampled_from([*sorted(KNOWN_STATES), "known-unbound", "known", "levitating"])),
            macs=draw(MACS),
            serial=draw(SERIALS),
            labels=draw(st.dictionaries(st.sampled_from(["rack", "row"]), st.sampled_from(["1", "2"]), max_size=2)),
            created=f"2026-01-0{draw(st.integers(1, 3))}T00:00:00Z",
            cluster=(cluster.namespace, cluster.name) if cluster else None,
            kind=draw(st.sampled_from(["Host", "AddToExistingClusterHost"])),
            disks=draw(st.sampled_from([[], [made.disk(0)], [made.disk(0), made.disk(1, driveType="HDD")]])),
            **draw(
                st.fixed_dictionaries(
                    {},
                    optional={
                        "hostname": st.just("old"),
                        "approved": st.booleans(),
                        "role": st.sampled_from(["", "master", "worker"]),
                    },
                )
            ),
        )
        found.append(read_agent(obj))
    return found


@st.composite
def requests(draw: st.DrawFn) -> list[AgentHostRequest]:
    found = []
    for number in range(draw(st.integers(0, 5))):
        identity = Identity(
            macs=tuple(draw(MACS)),
            system_uuid=draw(st.sampled_from(["", made.uuid(0), made.uuid(2)])),
            serial_number=draw(SERIALS),
            labels=tuple(
                sorted(draw(st.dictionaries(st.just("rack"), st.sampled_from(["1", "2"]), max_size=1)).items())
            ),
        )
        action = draw(st.sampled_from(["keep", "bind", "bind", "unbind", "delete"]))
        staying = action in ("keep", "bind")
        found.append(
            AgentHostRequest(
                f"host-{number}",
                identity,
                approved=draw(st.sampled_from([True, None, False])) if staying else None,
                role=draw(st.sampled_from([None, "master", "worker", "auto-assign"])),
                spec=draw(st.sampled_from([{}, {"hostname": f"host-{number}"}])),
                root_device_hints=draw(st.sampled_from([None, {"rotational": True}, {"minSizeGigabytes": 1}])),
                agent_labels=draw(st.sampled_from([{}, {"pool": "x"}, {"pool": None}])),
                node_labels=draw(st.sampled_from([{}, {"zone": "z"}])),
                installer_args=draw(st.sampled_from([None, [], ["--x"]])),
                cluster=draw(st.sampled_from(CLUSTERS)) if action == "bind" else None,
                action=action,
            )
        )
    return found


FACTS = st.builds(
    lambda a, b: AgentSurroundings(
        {CLUSTERS[0]: ClusterFacts(CLUSTERS[0], required=a), CLUSTERS[1]: ClusterFacts(CLUSTERS[1], required=b)}
    ),
    st.fixed_dictionaries({"master": st.integers(0, 3), "worker": st.integers(0, 2), "arbiter": st.just(0)}),
    st.sampled_from([None, {"master": 1, "worker": 0, "arbiter": 0}]),
)


def outline(plan: AgentsPlan) -> dict[str, Any]:
    """A plan without the order in which things were given."""
    return {
        "hosts": {
            host.request.name: (
                host.match.status,
                host.match.agent and host.match.agent.key,
                host.changes,
                host.refusals,
                host.waits_for,
                host.notes,
            )
            for host in plan.hosts
        },
        "unexpected": plan.unexpected,
        "approvals": plan.approvals,
        "problems": sorted(problem.detail for problem in plan.problems),
    }


def carried_out(plan: AgentsPlan, known: list[Agent]) -> list[Agent]:
    """The Agents after the plan, as the API would show them."""
    objects = {agent.key: agent.raw for agent in known}
    for change in plan.changes:
        key = (change.namespace, change.name)
        if change.verb == "delete":
            objects.pop(key)
        else:
            objects[key] = merged(objects[key], change.body)
    return [read_agent(obj) for obj in objects.values()]


@given(requests(), agents(), st.randoms(use_true_random=False))
def test_matching_is_one_to_one_in_any_order(
    hosts: list[AgentHostRequest], known: list[Agent], chance: random.Random
) -> None:
    matches = match_hosts(hosts, known)
    assert set(matches) == {host.name for host in hosts}
    taken = Counter(
        agent.key for match in matches.values() for agent in (match.agent, *match.superseded) if agent is not None
    )
    assert all(count == 1 for count in taken.values())
    for host in hosts:
        match = matches[host.name]
        assert (match.agent is not None) == (match.status == "matched") and (match.status == "matched" or match.reason)
        if match.agent is not None and match.agent.macs and host.identity.macs:
            assert set(match.agent.macs) & set(host.identity.macs)
    shuffled_hosts, shuffled_agents = chance.sample(hosts, len(hosts)), chance.sample(known, len(known))
    assert match_hosts(shuffled_hosts, shuffled_agents) == matches


@given(
    requests(),
    agents(),
    FACTS,
    st.sampled_from(["ignore", "warn", "fail", "approve"]),
    st.randoms(use_true_random=False),
)
def test_plans_are_equal_in_any_order(
    hosts: list[AgentHostRequest], known: list[Agent], around: AgentSurroundings, policy: Any, chance: random.Random
) -> None:
    first = outline(plan_hosts(hosts, known, around, unexpected=policy))
    again = outline(
        plan_hosts(chance.sample(hosts, len(hosts)), chance.sample(known, len(known)), around, unexpected=policy)
    )
    assert first == again


@given(requests(), agents(), FACTS, st.sampled_from(["warn", "approve"]))
def test_a_plan_carried_out_leaves_nothing_to_plan(
    hosts: list[AgentHostRequest], known: list[Agent], around: AgentSurroundings, policy: Any
) -> None:
    """But for what a change has made possible: places that became free, and Agents of machines whose other Agent is
    gone.
    """
    plan = plan_hosts(hosts, known, around, unexpected=policy)
    after = plan_hosts(hosts, carried_out(plan, known), around, unexpected=policy)
    moved = any(
        "clusterDeploymentName" in change.body.get("spec", {}) or change.verb == "delete" for change in plan.changes
    )
    if not moved:
        assert after.changes == []
    for host in after.hosts:
        before = next(each for each in plan.hosts if each.request.name == host.request.name)
        if (
            before.changes
            and before.match.agent is not None
            and before.changes[0].verb == "patch"
            and host.match.agent == before.match.agent
        ):
            fields = [field for change in host.changes for field in change.body.get("spec", {})]
            assert fields in ([], ["clusterDeploymentName"])


@given(requests(), agents(), FACTS)
def test_one_agent_is_written_at_most_once(
    hosts: list[AgentHostRequest], known: list[Agent], around: AgentSurroundings
) -> None:
    plan = plan_hosts(hosts, known, around, unexpected="approve")
    written = Counter((change.namespace, change.name) for change in plan.changes)
    assert all(count == 1 for count in written.values())
    for host in plan.hosts:
        assert not (host.refusals and host.changes)
        assert len(host.changes) <= 1 or all(change.verb == "delete" for change in host.changes)


@given(requests(), agents(), FACTS)
def test_a_cluster_never_gets_more_than_it_needs(
    hosts: list[AgentHostRequest], known: list[Agent], around: AgentSurroundings
) -> None:
    plan = plan_hosts(hosts, known, around)
    after = carried_out(plan, known)
    for ref, facts in around.clusters.items():
        joined = {agent.key for agent in after if agent.cluster == ref} - {
            agent.key for agent in known if agent.cluster == ref
        }
        if facts.required is None or not joined:
            continue
        members = [agent for agent in after if agent.cluster == ref]
        assert len(members) <= facts.total
        for role in ("master", "worker"):
            if any(agent.spec.get("role") == role for agent in members if agent.key in joined):
                assert sum(agent.spec.get("role") == role for agent in members) <= facts.required[role]


@given(requests(), agents())
def test_no_unexpected_agent_is_approved(hosts: list[AgentHostRequest], known: list[Agent]) -> None:
    plan = plan_hosts(hosts, known)
    expected = {host.match.agent.key for host in plan.hosts if host.match.agent is not None and host.request.approved}
    approved = {
        (change.namespace, change.name) for change in plan.changes if change.body.get("spec", {}).get("approved")
    }
    assert approved <= expected


def test_effort_grows_with_the_number_of_agents_not_with_its_square() -> None:
    """Counted in looks at Agents, not in time: each Agent and each host is looked at a bounded number of times."""
    looks = Counter[int]()

    class Counted(dict):  # type: ignore[type-arg]
        size = 0

        def get(self, *args: Any) -> Any:
            looks[self.size] += 1
            return super().get(*args)

    for size in (100, 400):
        known = []
        for number in range(size):
            agent = read_agent(made.agent(number))
            raw = Counted(agent.raw)
            raw.size = size
            known.append(dataclasses.replace(agent, raw=raw))
        hosts = [
            AgentHostRequest(
                f"h{number}", Identity(macs=(made.mac(number),)), approved=True, spec={"hostname": f"h{number}"}
            )
            for number in range(size)
        ]
        assert len(plan_hosts(hosts, known).changes) == size
    assert looks[400] <= 4.2 * looks[100]
