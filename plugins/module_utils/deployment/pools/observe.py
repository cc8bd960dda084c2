# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Read a pool of Machines (NodePool or MachineDeployment), the Agents that it can use and the machines of the
inventory, and return what must be done to reach the requested size, for module ``node_pool_plan``. Changes nothing.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

from ...capi.choose.model import AgentFacts, HostDemand, Rejection, from_agent
from ...capi.choose.rules import need_of, objection
from ...capi.choose.selector import Requirement, read_selector, selector_text
from ...capi.kinds import AGENT_MACHINE, AGENT_MACHINE_TEMPLATE, core_kinds
from ...capi.label_assignments import gone_pools
from ...capi.label_selection import foreign
from ...capi.names import DEPLOYMENT_NAME_LABEL, RESERVED_LABEL, RESERVED_NAMESPACE, SELECTED_FOR
from ...capi.objects import annotations_of, part, text
from ...cluster.host_states import BINDABLE
from ...common.architectures import go_architecture
from ...common.errors import InvalidInput, ZeroTouchError
from ...hub.agents.match import match_hosts
from ...hub.agents.model import INFRA_ENV_LABEL, Agent, read_agents, without_bulk
from ...hub.agents.request import host_requests
from ...hub.kinds import AGENT
from ...hypershift.kinds import HOSTED_CLUSTER, NODE_POOL
from ...hypershift.names import control_plane_namespace
from ...hypershift.node_pool.exchange import before_exchange, read_exchange
from ...hypershift.node_pool.machine_status import PoolMachineView, view_machine
from ...hypershift.node_pool.object import pool_object
from ...hypershift.node_pool.reserve import Reserve, reserve_of
from ...hypershift.node_pool.rules import problems
from ...hypershift.node_pool.view import PoolView, read_pool
from ...hypershift.user_input import provided
from ...kube.client import KubeClient, Object
from ...kube.write import merged
from ..stop_reason import message_of
from .plan import Judge, PoolPlan, needs_boot, plan_pool
from .size import AgentKey, DesiredPool, ObservedPool, PoolMachine, Spare, kept_size

Kind = Literal["NodePool", "MachineDeployment"]
Selector = Mapping[str, Any]

# Labels that the hub gives to an Agent by the hardware of the machine: they are unknown before it has registered.
# Source: openshift/assisted-service docs/hive-integration/agent-labels.md.
_FOUND_OUT = ("inventory.agent-install.openshift.io/", "agentclassification.agent-install.openshift.io/")
_EXCLUDED = "is for another pool of this run, or another run boots it"


@dataclasses.dataclass(frozen=True)
class PoolRequest:
    """The values of the module's options.

    ``hosts`` as the module ``agents`` takes them; those in ``manual`` are booted by the user.

    ``selector`` is that of a pool that does not exist yet; ``label`` (key, value) what label selection sets on the
    Agents of the pool, None where it does not. ``coming``: its hosted cluster may be missing, since it is made first.
    ``settings`` are options of the module ``node_pool`` that the pool gets in this run; ``reserve`` is the number of
    free Agents that it holds besides, None for what its settings need; ``exclude`` are names of Agents and hosts that
    are for other pools, or that another run boots; ``planned`` are those that an earlier plan of this run used.
    """

    kind: Kind
    namespace: str
    name: str
    cluster: str
    agent_namespace: str
    desired: DesiredPool
    selector: Selector | None = None
    label: tuple[str, str] | None = None
    candidates: Selector = dataclasses.field(default_factory=dict)
    architecture: str = ""
    upgrade_type: str = ""
    coming: bool = False
    hosts: Sequence[Mapping[str, Any]] = ()
    manual: frozenset[str] = frozenset()
    infra_env: str = ""
    agent_labels: Mapping[str, str] = dataclasses.field(default_factory=dict)
    settings: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    reserve: int | None = None
    exclude: frozenset[str] = frozenset()
    planned: frozenset[str] = frozenset()


def pool_request(params: Mapping[str, Any]) -> PoolRequest:
    """The options of the module ``node_pool_plan`` as a :class:`PoolRequest`."""
    label = params["selector_label"]
    return PoolRequest(
        kind=params["kind"],
        namespace=params["namespace"],
        name=params["name"],
        cluster=params["cluster_name"] or "",
        agent_namespace=params["agent_namespace"],
        desired=DesiredPool(
            params["replicas"],
            tuple(params["remove"]),
            params["initial_replicas"],
            params["keep_size"],
            tuple(params["replace_hosts"]),
            params["replace_order"],
        ),
        selector=params["agent_label_selector"],
        label=(label["key"], label["value"]) if label else None,
        candidates=params["candidates"],
        architecture=go_architecture(params["arch"] or ""),
        upgrade_type=params["upgrade_type"] or "",
        coming=params["cluster_coming"],
        hosts=params["hosts"],
        manual=frozenset(params["manual_hosts"]),
        infra_env=params["infra_env_name"] or "",
        agent_labels={str(key): str(value) for key, value in params["agent_labels"].items()},
        settings={option: params[option] for option in ("auto_scaling", "auto_repair", "replace", "upgrade_type")},
        reserve=params["reserve"],
        exclude=frozenset(params["exclude"]),
        planned=frozenset(params["planned"]),
    )


@dataclasses.dataclass(frozen=True)
class Seen:
    """A pool of either kind.

    ``selector`` is what it selects Agents by, None for any. ``unmade`` are Machines without an AgentMachine so far;
    ``others``, where the pool does not exist, are those that its cluster has. ``spec`` is that of a NodePool as it will
    be.
    """

    pool: ObservedPool
    machines: tuple[PoolMachineView, ...] = ()
    selector: Selector | None = None
    architecture: str = ""
    ready: int = 0
    cluster: str = ""
    unmade: tuple[str, ...] = ()
    others: tuple[str, ...] = ()
    spec: Mapping[str, Any] = dataclasses.field(default_factory=dict)


@dataclasses.dataclass(frozen=True)
class PoolInfo:
    """Everything that a plan is made of.

    ``by_label``: the pool looks for the label that label selection sets; ``agents`` are all that it might take.
    """

    seen: Seen
    pool: ObservedPool
    desired: DesiredPool
    spares: tuple[Spare, ...]
    agents: tuple[Agent, ...]
    judge: Judge
    by_label: bool
    candidates: Selector
    reserve: int | None = None
    planned: frozenset[str] = frozenset()

    @property
    def in_discovery(self) -> frozenset[str]:
        """Names of the hosts of the inventory whose Agents run in the discovery image, or in a cluster."""
        agents = ((spare.name, spare.match.agent) for spare in self.spares)
        return frozenset(name for name, agent in agents if agent is not None and not needs_boot(agent))

    def plan(self, unusable: Mapping[str, str] | None = None) -> PoolPlan:
        """What is to be done; ``unusable`` says why some of the machines must not be booted."""
        return plan_pool(self.pool, self.desired, self.spares, self.agents, self.judge, unusable, self.reserve_for)

    def reserve_for(self, size: int) -> Reserve:
        """The free Agents that the pool holds besides at a size.

        Where its selector takes any Agent, or what users label, nothing is held.
        """
        if not self.by_label:
            return Reserve()
        spec = self.seen.spec if part(self.seen.spec, "autoScaling") else {**self.seen.spec, "replicas": size}
        found = reserve_of(spec, size)
        return found if self.reserve is None or not size else Reserve(growth=self.reserve)

    def hosts_of(self, machines: Sequence[PoolMachine]) -> list[str]:
        """Names of the hosts of these Machines: that in the inventory, else the hostname.

        A Machine without an Agent has no host.
        """
        names = {spare.match.agent.key: spare.name for spare in self.spares if spare.match.agent is not None}
        return [names.get(machine.agent, machine.host) for machine in machines if machine.agent is not None]


def observe_pool(hub: KubeClient, request: PoolRequest) -> PoolInfo:
    """The pool as it is. Raises :class:`ZeroTouchError` where the API is no hub of that kind."""
    seen = _seen(hub, request)
    if request.coming:
        seen = dataclasses.replace(seen, pool=dataclasses.replace(seen.pool, orphan=""))
    agents = read_agents(hub.list(AGENT.path(request.agent_namespace), trim=without_bulk))
    selector = seen.selector if seen.pool.exists else request.selector
    by_label = is_by_label(selector, request.label)
    wanted = candidates(selector, request.label if by_label else None, request.candidates)
    rule = _selection_rule(hub, request, seen, agents) if by_label else None
    excluded = request.exclude | _agents_of(request.exclude, request, agents)
    judge = judge_of(
        wanted, seen.architecture or request.architecture, request.agent_namespace, _excluding(excluded, rule)
    )
    pool = dataclasses.replace(seen.pool, machines=placed(seen.machines, agents))
    usable = tuple(agent for agent in agents if not agent.deleting)
    return PoolInfo(
        seen,
        pool,
        request.desired,
        tuple(spares(request, agents, wanted)),
        usable,
        judge,
        by_label,
        wanted,
        request.reserve,
        request.planned,
    )


def is_by_label(selector: Selector | None, label: tuple[str, str] | None) -> bool:
    """Whether the label decides which Agents the pool takes."""
    return label is not None and part(selector, "matchLabels").get(label[0]) == label[1]


def candidates(selector: Selector | None, label: tuple[str, str] | None, asked: Selector) -> Selector:
    """What an Agent has to fit: all that the pool selects by but the ``label``, which it is given, and what the user
    asks for besides.
    """
    labels = {key: value for key, value in part(selector, "matchLabels").items() if label is None or key != label[0]}
    expressions = [*((selector or {}).get("matchExpressions") or ()), *(asked.get("matchExpressions") or ())]
    # The same label may be asked for twice, with different values: then no Agent matches.
    expressions += [
        {"key": key, "operator": "In", "values": [value]}
        for key, value in part(asked, "matchLabels").items()
        if labels.get(key, value) != value
    ]
    labels |= {key: value for key, value in part(asked, "matchLabels").items() if key not in labels}
    return {**({"matchLabels": labels} if labels else {}), **({"matchExpressions": expressions} if expressions else {})}


def _selection_rule(
    hub: KubeClient, request: PoolRequest, seen: Seen, agents: Sequence[Agent]
) -> Callable[[Agent], Rejection | None] | None:
    """The Agents that label selection will refuse to label for the pool.

    It is known to it by the namespace of its Machines.
    """
    cluster = seen.cluster or request.cluster
    if request.label is None or (request.kind == "NodePool" and not cluster):
        return None
    where = control_plane_namespace(request.namespace, cluster) if request.kind == "NodePool" else request.namespace
    pool = f"{where}/{request.name}"
    selected_elsewhere = any(annotations_of(agent.raw).get(SELECTED_FOR, pool) != pool for agent in agents)
    gone = gone_pools(hub, core_kinds(hub), agents, pool) if selected_elsewhere else frozenset()
    return functools.partial(foreign, pool=pool, key=request.label[0], value=request.label[1], gone=gone)


def _agents_of(names: frozenset[str], request: PoolRequest, agents: Sequence[Agent]) -> frozenset[str]:
    """Names of the Agents that hosts of these names have."""
    hosts = [host for host in request.hosts if str(host["name"]) in names]
    matches = match_hosts(host_requests(hosts, request.agent_namespace), agents).values()
    return frozenset(match.agent.name for match in matches if match.agent is not None)


def _excluding(
    names: frozenset[str], rule: Callable[[Agent], Rejection | None] | None
) -> Callable[[Agent], Rejection | None] | None:
    """The rule, and besides that Agents of these names are for other pools."""

    def objection_to(agent: Agent) -> Rejection | None:
        if agent.name in names:
            return Rejection("excluded", _EXCLUDED)
        return rule(agent) if rule else None

    return objection_to if names else rule


def judge_of(
    wanted: Selector, architecture: str, namespace: str, barrier: Callable[[Agent], Rejection | None] | None = None
) -> Judge:
    """The hard rules of the choice of Agents, for any Machine of the pool; ``barrier`` says besides which must not be
    touched.
    """
    need = need_of(HostDemand(namespace, "", wanted, architecture, agent_namespace=namespace))

    def words(agent: Agent, host: AgentFacts) -> str:
        found = (barrier(agent) if barrier else None) or objection(need, host)
        return f"it {found.text}" if found else ""

    def if_free(agent: Agent) -> AgentFacts:
        ready = {"approved": True, "connected": True, "validated": True, "bound": "False", "state": BINDABLE}
        return dataclasses.replace(from_agent(agent), cluster=None, reserved_by="", deleting=False, **ready)  # type: ignore[arg-type]

    def unfit(agent: Agent) -> str:
        # What a machine is made of is known once it has reported its inventory.
        return words(agent, if_free(agent)) if agent.inventory else ""

    return Judge(lambda agent: words(agent, from_agent(agent)), unfit)


def spares(request: PoolRequest, agents: Sequence[Agent], wanted: Selector) -> list[Spare]:
    """The machines of the inventory with their Agents, in its order."""
    matches = match_hosts(host_requests(request.hosts, request.agent_namespace), agents)
    requirements = [each for each in read_selector(wanted) if not each.key.startswith(_FOUND_OUT)]
    return [
        Spare(
            matches[str(host["name"])],
            str(host["name"]) in request.manual,
            _unfit(host, request, requirements),
            str(host.get("hostname") or host["name"]),
        )
        for host in request.hosts
    ]


def _unfit(host: Mapping[str, Any], request: PoolRequest, requirements: Sequence[Requirement]) -> str:
    """Why the machine, or the Agent that it would get, is not one for the pool, as far as its labels can be known
    before.
    """
    if str(host["name"]) in request.exclude:
        return f"it {_EXCLUDED}"
    provided = {
        **({INFRA_ENV_LABEL: request.infra_env} if request.infra_env else {}),
        **request.agent_labels,
        **(host.get("agent_labels") or {}),
    }
    labels = {str(key): str(value) for key, value in provided.items() if value is not None}
    failed = tuple(each for each in requirements if not each.holds(labels))
    return f"its Agent would not fit the selector: {selector_text(failed)}" if failed else ""


def placed(machines: Sequence[PoolMachineView], agents: Sequence[Agent]) -> tuple[PoolMachine, ...]:
    """The Machines; one whose reservation has not come back to it yet has its Agent all the same."""
    reserved = {
        (
            str(part(agent.raw, "metadata", "annotations").get(RESERVED_NAMESPACE) or ""),
            str(agent.labels[RESERVED_LABEL]),
        ): agent.key
        for agent in agents
        if agent.labels.get(RESERVED_LABEL)
    }
    known = {agent.key for agent in agents}
    found: list[PoolMachine] = []
    for machine in machines:
        key: AgentKey | None = (
            machine.agent if machine.agent in known else reserved.get((machine.namespace, machine.name))
        )
        ready = machine.state == "running"
        found.append(
            PoolMachine(
                machine.name,
                key,
                machine.hostname,
                machine.node,
                machine.leaving,
                machine.marked,
                ready,
                machine.created,
            )
        )
    return tuple(found)


def _seen(hub: KubeClient, request: PoolRequest) -> Seen:
    return _node_pool(hub, request) if request.kind == "NodePool" else _machine_deployment(hub, request)


def _node_pool(hub: KubeClient, request: PoolRequest) -> Seen:
    view = read_pool(hub, request.namespace, request.name)
    exchange = read_exchange(view.pool)
    view = dataclasses.replace(view, pool=before_exchange(view.pool))
    spec = _spec(request, view)
    if view.pool is None:
        known = request.cluster and hub.find(HOSTED_CLUSTER.path(request.namespace, request.cluster)) is not None
        others = (
            [
                each
                for each in hub.list(NODE_POOL.path(request.namespace))
                if text(each, "spec", "clusterName") == request.cluster
            ]
            if known
            else []
        )
        names = tuple(sorted(text(each, "metadata", "name") for each in others))
        return Seen(
            ObservedPool(view.title, exists=False, orphan="" if known else _no_cluster(request)),
            cluster=request.cluster,
            others=names,
            spec=spec,
        )
    if request.desired.replicas != 0 or request.desired.keep:  # nothing is booted for a pool that is taken down
        _refuse_changes(request, view.pool)
    scaling = part(spec, "autoScaling")
    # Where autoscaling ends in this run, the pool has as many as the autoscaler made.
    present = exchange.replicas if exchange else len(view.staying)
    fixed = present if view.desired is None else view.desired
    replicas = None if scaling else fixed
    limits = f"{scaling.get('min')} to {scaling.get('max')}" if scaling else ""
    pool = ObservedPool(
        view.title,
        replicas=replicas,
        autoscaling=limits,
        rollout=view.rollout,
        least=int(scaling.get("min") or 0),
        exchange=exchange,
    )
    agent = part(view.pool, "spec", "platform", "agent")
    selector = agent.get("agentLabelSelector")
    return Seen(
        pool,
        view.machines,
        selector if isinstance(selector, Mapping) else None,
        text(view.pool, "spec", "arch"),
        view.ready,
        view.cluster,
        spec=spec,
    )


def _spec(request: PoolRequest, view: PoolView) -> dict[str, Any]:
    """The NodePool's spec as this run makes it."""
    desired = pool_object(
        {"name": request.name, "namespace": request.namespace, **provided(request.settings)}, view.pool
    )
    return dict(merged((view.pool or {}).get("spec") or {}, desired["spec"]))


def _refuse_changes(request: PoolRequest, pool: Object) -> None:
    """Fields that cannot be changed, before a machine is booted for a pool that is refused afterwards."""
    requested = {"cluster_name": request.cluster, "arch": request.architecture, "upgrade_type": request.upgrade_type}
    provided = {option: value for option, value in requested.items() if value}
    if found := problems({"name": request.name, "namespace": request.namespace, **provided}, pool):
        raise InvalidInput(found)


def _no_cluster(request: PoolRequest) -> str:
    named = (
        f"there is no HostedCluster {request.namespace}/{request.cluster}"
        if request.cluster
        else "no option says which hosted cluster it is for"
    )
    return f"{_title(request)} does not exist, and {named}. Make that first (deploy_cluster)."


def _machine_deployment(hub: KubeClient, request: PoolRequest) -> Seen:
    kinds = core_kinds(hub)
    found = hub.find(kinds.machine_deployment.path(request.namespace, request.name))
    if found is None:
        return Seen(ObservedPool(_title(request), exists=False), cluster=request.cluster)
    return see_machine_deployment(hub, request, found)


def _title(request: PoolRequest) -> str:
    return f"{request.kind} {request.namespace}/{request.name}"


def see_machine_deployment(hub: KubeClient, request: PoolRequest, found: Object) -> Seen:
    """A MachineDeployment with its Machines."""
    machines, unmade = _machines_of(hub, request)
    replicas = part(found, "spec").get("replicas")
    updated = part(found, "status").get("upToDateReplicas", part(found, "status").get("updatedReplicas"))
    done = updated or 0
    rollout = (
        f"{done} of {replicas} Machines are up to date"
        if isinstance(replicas, int) and updated is not None and updated < len(machines)
        else ""
    )
    return Seen(
        ObservedPool(_title(request), replicas=int(replicas or 0), rollout=rollout),
        machines,
        _template_selector(hub, request.namespace, found),
        "",
        int(part(found, "status").get("readyReplicas") or 0),
        text(found, "spec", "clusterName"),
        unmade,
    )


def _machines_of(hub: KubeClient, request: PoolRequest) -> tuple[tuple[PoolMachineView, ...], tuple[str, ...]]:
    listed = hub.list(
        core_kinds(hub).machine.path(request.namespace), label_selector=f"{DEPLOYMENT_NAME_LABEL}={request.name}"
    )
    if not listed:
        return (), ()
    infra = {text(each, "metadata", "name"): each for each in hub.list(AGENT_MACHINE.path(request.namespace))}
    agents = {
        agent.key: agent for agent in read_agents(hub.list(AGENT.path(request.agent_namespace), trim=without_bulk))
    }
    views, unmade = [], []
    for machine in listed:
        agent_machine = infra.get(
            text(machine, "spec", "infrastructureRef", "name") or text(machine, "metadata", "name")
        )
        reference = part(agent_machine, "status", "agentRef")
        agent = agents.get((str(reference.get("namespace") or ""), str(reference.get("name") or "")))
        views.append(view_machine(machine, agent_machine, agent, hub.server_time()))
        unmade += [text(machine, "metadata", "name")] if agent_machine is None else []
    return tuple(sorted(views, key=lambda view: view.name)), tuple(sorted(unmade))


def _template_selector(hub: KubeClient, namespace: str, deployment: Object) -> Selector | None:
    name = text(deployment, "spec", "template", "spec", "infrastructureRef", "name")
    template = hub.find(AGENT_MACHINE_TEMPLATE.path(namespace, name)) if name else None
    if template is None:
        raise ZeroTouchError(
            f"MachineDeployment {namespace}/{text(deployment, 'metadata', 'name')} refers to AgentMachineTemplate "
            f"{name}, which does not exist."
        )
    selector = part(template, "spec", "template", "spec").get("agentLabelSelector")
    return selector if isinstance(selector, Mapping) else None


def warnings_of(info: PoolInfo, plan: PoolPlan) -> list[str]:
    """What the user may not expect: a pool that keeps its size; a new pool that may have a mistyped name, for which
    machines would be booted.
    """
    seen, kept = info.seen, kept_size(info.pool, info.desired, info.spares, info.agents)
    found = [kept] if kept else []
    if seen.others and plan.replicas and not plan.stop:
        have = ", ".join(seen.others)
        found.append(
            f"{seen.pool.title} does not exist and is created now. Hosted cluster {seen.cluster} already has "
            f"{have}. "
            "Check the name of the pool."
        )
    if plan.short and not plan.stop:
        held, be = plan.reserve, "is" if plan.short == 1 else "are"
        found.append(
            f"{seen.pool.title} holds {held.total} free Agents in reserve ({held.why()}); {plan.short} of them {be} "
            "missing. Add hosts to the inventory."
        )
    return found


def promised(info: PoolInfo, plan: PoolPlan) -> list[str]:
    """Names of the Agents and hosts that the plan uses, so that the plan of another pool does not use them as well:
    those with the label of the pool first.
    """
    count = plan.needed + max(plan.reserve.total, len(plan.size.replaced))
    own = {key for key, value in part(info.seen.selector, "matchLabels").items()}
    free = sorted(plan.free, key=lambda agent: not (own and own <= set(agent.labels)))
    return [agent.name for agent in free[:count]] + plan.named("prepare", "boot", "return", "wait")


def taken(info: PoolInfo, plan: PoolPlan) -> list[str]:
    """Names that an earlier plan of this run used, and that this one cannot use: another run was faster, or the host
    cannot be had as it is.
    """
    of_pool = {machine.agent for machine in info.pool.machines}
    lost = [agent.name for agent in info.agents if agent.key not in of_pool and info.judge.obstacle(agent)]
    lost += plan.named("skip")
    return sorted(info.planned.intersection(lost))


def describe(info: PoolInfo, plan: PoolPlan) -> dict[str, Any]:
    """The result of the module."""
    seen = info.seen
    return {
        "exists": seen.pool.exists,
        "cluster_name": seen.cluster,
        "replicas": seen.pool.replicas,
        "ready": seen.ready,
        "target": plan.replicas,
        "needed": plan.needed,
        "missing": plan.missing,
        "reserve": plan.reserve.total,
        "surge": plan.reserve.surge,
        "stop": message_of(plan.stop),
        "by_label": info.by_label,
        "selector": dict(info.seen.selector) if info.seen.selector is not None else None,
        "candidates": dict(info.candidates),
        "free": [{"name": agent.name, "namespace": agent.namespace, "hostname": agent.hostname} for agent in plan.free],
        "promised": promised(info, plan),
        "taken": taken(info, plan),
        "machines": [machine.as_dict() for machine in seen.machines],
        "hosts": [host.row("name", "action", "reason", "agent", "state") for host in plan.hosts],
        "boot_hosts": plan.named("boot", "return"),
        "forced_hosts": plan.forced,
        "prepare_hosts": plan.named("prepare", "boot", "return", "wait", *(("use",) if plan.needed else ())),
        "returning_hosts": plan.named("return", "wait"),
        "remove": [machine.name for machine in plan.size.marked],
        "replace": [machine.name for machine in plan.size.replaced],
        "replace_order": plan.order,
        "leaving": info.hosts_of(plan.size.taken_out),
        "plan": plan.lines(),
    }
