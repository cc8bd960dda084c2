# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Plan one reconcile pass: the writes for all clusters, token Secrets and machines together, and which Agent each
machine gets. Pure.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence

from ..common.errors import ZeroTouchError
from ..hub.agents.model import Agent
from ..hub.kinds import SECRET
from .bootstrap import Bootstrap, read_bootstrap, token_secret_object
from .choose.model import AgentFacts, Choice, HostDemand, Policy, from_agent
from .choose.plan import choose
from .choose.selector import read_selector
from .cluster.plan import AgentClusterPlan, plan_cluster
from .machine_plan import MachinePlan, plan_machine, wants_agent
from .machine_view import CapiMachineView, data_secret, reservations
from .names import CLUSTER_NAME_LABEL, LAST_MACHINE
from .objects import (
    Key,
    Object,
    annotations_of,
    backup_label,
    core_owner,
    deleting,
    key_of,
    labels_of,
    part,
    paused,
    text,
)
from .observe import ObservedScope
from .steps import Chain, ChainStep, create, patch


@dataclasses.dataclass(frozen=True)
class PassPlan:
    """``stages`` are applied one after the other.

    ``demands`` are the machines that an Agent was chosen for, ``choice`` the planner's answer to them.
    """

    clusters: tuple[AgentClusterPlan, ...]
    secrets: tuple[Chain, ...]
    machines: tuple[MachinePlan, ...]
    demands: tuple[HostDemand, ...]
    choice: Choice
    problems: tuple[str, ...] = ()

    @property
    def stages(self) -> tuple[tuple[Chain, ...], ...]:
        return tuple(plan.chain for plan in self.clusters), self.secrets, tuple(plan.chain for plan in self.machines)

    @property
    def steps(self) -> tuple[ChainStep, ...]:
        """Every write, in the order of the plan."""
        return tuple(step for stage in self.stages for chain in stage for step in chain.steps)


def plan_pass(observed: ObservedScope, policy: Policy, moment: str) -> PassPlan:
    """The writes that bring everything in scope as far as it can go now.

    ``moment`` is the time for conditions whose status changes.
    """
    clusters = {name: plan_cluster(view) for name, view in observed.views.items()}
    boots, unreadable = _bootstraps(observed)
    views = _machine_views(observed, clusters, boots, unreadable)
    waiting = [view for view in views if wants_agent(view)]
    demands = tuple(_demand(view, observed.scope.agent_namespace) for view in waiting)
    hosts = {agent.key: from_agent(agent) for agent in observed.agents}
    choice = choose(demands, tuple(hosts.values()), _with_history(policy, observed.agents), taken=_taken(views, hosts))
    by_key = {agent.key: agent for agent in observed.agents}
    plans = []
    for view in views:
        chosen = choice.assigned.get(view.key)
        agent = by_key[chosen.host.key] if chosen else None
        why = "; ".join(chosen.reasons) if chosen else choice.unassigned.get(view.key, "")
        plans.append(plan_machine(view, moment, observed.api.core.machine, agent, why))
    problems = [f"{plan.chain.name}: {text}" for plan in clusters.values() for text in plan.problems]
    problems += [
        text if text.startswith(plan.view.title) else f"{plan.view.title}: {text}"
        for plan in plans
        for text in plan.problems
    ]
    return PassPlan(
        tuple(clusters.values()), tuple(_secret_chains(observed, boots)), tuple(plans), demands, choice, tuple(problems)
    )


def _bootstraps(observed: ObservedScope) -> tuple[dict[str, Bootstrap], dict[str, str]]:
    """By name of the data Secret what is in it, or why that cannot be read."""
    found: dict[str, Bootstrap] = {}
    problems: dict[str, str] = {}
    for name in sorted({data_secret(machine) for machine in observed.machines.values()} - {""}):
        key = (observed.scope.namespace, name)
        if key not in observed.secrets:
            continue
        secret = observed.secrets[key]
        try:
            if secret is None:
                raise ZeroTouchError(f"Secret {'/'.join(key)} with its bootstrap data does not exist.")
            found[name] = read_bootstrap(secret, *key)
        except ZeroTouchError as error:
            problems[name] = str(error)
    return found, problems


def _machine_views(
    observed: ObservedScope,
    clusters: Mapping[str, AgentClusterPlan],
    boots: Mapping[str, Bootstrap],
    unreadable: Mapping[str, str],
) -> list[CapiMachineView]:
    reserved = reservations(observed.agents)
    agents: Mapping[Key, Agent | None] = {**observed.referenced, **{agent.key: agent for agent in observed.agents}}
    ordered = sorted(
        observed.agent_machines, key=lambda item: (text(item, "metadata", "creationTimestamp"), key_of(item))
    )
    return [_machine_view(item, observed, clusters, boots, unreadable, reserved, agents) for item in ordered]


def _machine_view(
    item: Object,
    observed: ObservedScope,
    clusters: Mapping[str, AgentClusterPlan],
    boots: Mapping[str, Bootstrap],
    unreadable: Mapping[str, str],
    reserved: Mapping[str, Sequence[Agent]],
    agents: Mapping[Key, Agent | None],
) -> CapiMachineView:
    owner = core_owner(item, "Machine")
    machine = observed.machines.get(owner) if owner else None
    plan, error, obstacle = _cluster_of(machine, observed, clusters)
    secret = data_secret(machine)
    bare = CapiMachineView(item, owner, machine, cluster=plan.reference if plan else None)
    reference = bare.reference
    view = dataclasses.replace(
        bare,
        agent=agents.get(reference) if reference else None,
        agent_unknown=observed.unreadable.get(reference, "") if reference else "",
        cluster_error=error,
        cluster_obstacle=obstacle,
        selector_problem=_selector_problem(bare),
        bootstrap=boots.get(secret) if secret else Bootstrap(),
        bootstrap_obstacle=unreadable.get(secret, "") if secret else "",
        needs=(plan.chain.name, *_needed_secret(observed.scope.namespace, secret)) if plan else (),
        provisioned=observed.api.fields.machine,
    )
    return dataclasses.replace(
        view, reserved=tuple(agent for agent in reserved.get(view.name, ()) if view.is_ours(agent))
    )


def _selector_problem(view: CapiMachineView) -> str:
    try:
        read_selector(view.selector, "spec.agentLabelSelector")
    except ZeroTouchError as error:
        return str(error)
    return ""


def _needed_secret(namespace: str, secret: str) -> tuple[str, ...]:
    return (f"Secret {namespace}/{secret}",) if secret else ()


def _cluster_of(
    machine: Object | None, observed: ObservedScope, clusters: Mapping[str, AgentClusterPlan]
) -> tuple[AgentClusterPlan | None, str, str]:
    """The plan of the Machine's AgentCluster, or an error, or why it cannot be bound to yet."""
    if machine is None:
        return None, "", ""
    name = labels_of(machine).get(CLUSTER_NAME_LABEL)
    if not name:
        return None, "machine is missing cluster label", ""
    cluster = observed.clusters.get(name)
    if cluster is None:
        return None, f"its Cluster {name} does not exist", ""
    infrastructure = str(part(cluster, "spec", "infrastructureRef").get("name") or "")
    plan = clusters.get(infrastructure)
    if plan is None:
        shown_infrastructure = infrastructure or "(not named)"
        return None, f"AgentCluster {shown_infrastructure} of its Cluster {name} does not exist", ""
    return plan, "", "" if plan.reference else f"no cluster deployment reference on agentCluster {infrastructure}"


def _demand(view: CapiMachineView, agent_namespace: str) -> HostDemand:
    namespace, name = view.key
    created = text(view.agent_machine, "metadata", "creationTimestamp")
    return HostDemand(
        namespace, name, view.selector, agent_namespace=agent_namespace, group=view.group, created=created
    )


def _with_history(policy: Policy, agents: Iterable[Agent]) -> Policy:
    """Which Agent served which Machine last, as noted when it was released; of several the newest.

    What the caller says wins.
    """
    ordered = sorted(agents, key=lambda agent: (agent.created, agent.key))
    noted = {annotations_of(agent.raw).get(LAST_MACHINE, ""): f"{agent.namespace}/{agent.name}" for agent in ordered}
    noted.pop("", None)
    return dataclasses.replace(policy, history={**noted, **policy.history})


def _taken(views: Iterable[CapiMachineView], hosts: Mapping[Key, AgentFacts]) -> list[tuple[str, AgentFacts]]:
    """Where the other machines of each pool are, for spreading and packing."""
    found = [(view.group, view.own_agent) for view in views if view.machine is not None and not deleting(view.machine)]
    return [(group, hosts[agent.key]) for group, agent in found if agent is not None and agent.key in hosts]


def _secret_chains(observed: ObservedScope, boots: Mapping[str, Bootstrap]) -> Iterable[Chain]:
    """The token Secrets, one for each set of bootstrap data, kept up to date for machines that are ready as well:
    tokens rotate (5.4).
    """
    used = {
        data_secret(observed.machines.get(core_owner(item, "Machine")))
        for item in observed.agent_machines
        if not paused(item) and not deleting(item)
    }
    for name, bootstrap in boots.items():
        if name not in used or bootstrap.secret is None:
            continue
        steps: list[ChainStep] = []
        data = observed.secrets.get((observed.scope.namespace, name))
        if data is not None:
            steps += [
                dataclasses.replace(step, optional=True)
                for step in patch(SECRET, data, {"metadata": {"labels": backup_label(data)}})
            ]
        wanted, present = token_secret_object(bootstrap), observed.secrets.get(bootstrap.secret)
        if present is None:
            steps.append(create(SECRET, wanted, "the token for the ignition endpoint"))
        else:
            steps += patch(SECRET, present, wanted, owned=("data",))
        yield Chain(f"Secret {observed.scope.namespace}/{name}", tuple(steps))
