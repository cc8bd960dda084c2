# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Plan what a playbook does with a cluster of the OpenShift Assisted providers of Cluster API, as a pure function:
which hosts get a BareMetalHost, the size of each pool, which hosts leave.

This is the plan only. Whether a host may be changed is decided by :mod:`..safety`, which must decide about
:attr:`CapiDecision.touch_hosts` first.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Literal

from ...capi.assisted.names import CONTROL_PLANE_POOL
from ...common.listed import listed
from ..host_step import HostStep
from ..stop_reason import StoppingHost, StopReason
from .desired import PoolOfHosts

Purpose = Literal["install", "scale", "add", "remove", "reprovision"]

_NOT_INSTALLED = "is not installed, so that its pools cannot change one by one"
_DEPLOY = "Run deploy_cluster first."
# The template of a pool selects all free BareMetalHosts of the pool (metal3-io/cluster-api-provider-metal3
# baremetal/metal3machine_manager.go).
_ALSO_FREE = "its BareMetalHost is free in the same pool, and Metal3 may install it instead of a host that you named"
_ADD_OR_RELEASE = (
    "Add it to openshift_hosts, or release it first with remove_hosts. If any free host may be installed, use "
    "scale_node_pool."
)
_NO_SIZE = StopReason(
    "The control plane is new, and neither a number of Machines nor hosts are described.",
    "Set openshift_capi.control_plane.replicas.",
)
_OLDEST_FIRST = (
    "The control plane provider chooses by itself which control plane Machine it deletes (the oldest), and removes no "
    "member of etcd"
)


@dataclasses.dataclass(frozen=True)
class MachineOnHub:
    """A Machine. ``host`` is the BareMetalHost that it has, ``node`` its Node; both are empty before there are any.

    ``created`` is a time stamp.
    """

    name: str
    pool: str
    host: str = ""
    node: str = ""
    phase: str = ""
    deleting: bool = False
    created: str = ""


@dataclasses.dataclass(frozen=True)
class CapiView:
    """A hub. ``sizes`` are spec.replicas of the pools that exist; ``hosts`` are names of BareMetalHosts of this
    cluster; ``failure`` of its installation.

    ``pool_labels`` are their pools; ``elsewhere`` says of BareMetalHosts with the name of a host why they are not of
    this cluster.
    """

    cluster: str
    exists: bool = False
    installed: bool = False
    failure: str = ""
    sizes: Mapping[str, int] = dataclasses.field(default_factory=dict)
    machines: tuple[MachineOnHub, ...] = ()
    hosts: frozenset[str] = frozenset()
    pool_labels: Mapping[str, str] = dataclasses.field(default_factory=dict)
    elsewhere: Mapping[str, str] = dataclasses.field(default_factory=dict)

    def of_pool(self, pool: str) -> list[MachineOnHub]:
        """The Machines that stay, the oldest first."""
        found = [machine for machine in self.machines if machine.pool == pool and not machine.deleting]
        return sorted(found, key=lambda machine: (machine.created, machine.name))

    def at(self, host: str) -> MachineOnHub | None:
        return next((machine for machine in self.machines if machine.host == host), None)


@dataclasses.dataclass(frozen=True)
class CapiRequest:
    """What the user asks for.

    ``names`` are hosts; ``pool``, ``replicas`` and ``names`` (to be removed first) are those of a scaling.
    """

    purpose: Purpose
    pools: tuple[PoolOfHosts, ...]
    names: tuple[str, ...] = ()
    pool: str = ""
    replicas: int | None = None
    metal3: bool = True

    @property
    def hosts(self) -> list[str]:
        return [host for pool in self.pools for host in pool.hosts]

    def pool_of(self, host: str) -> str:
        return next((pool.name for pool in self.pools if host in pool.hosts), "")


@dataclasses.dataclass(frozen=True)
class CapiDecision:
    """``sizes``: replicas to write by pool; a pool without one keeps its size.

    ``described`` are the hosts that have a BareMetalHost afterwards.

    ``leaving`` are hosts whose Machine is deleted, ``delete_first`` and ``recreate`` Machines, ``release`` hosts that
    lose their BareMetalHost.
    """

    hosts: tuple[HostStep, ...] = ()
    sizes: Mapping[str, int] = dataclasses.field(default_factory=dict)
    described: tuple[str, ...] = ()
    leaving: tuple[str, ...] = ()
    delete_first: tuple[str, ...] = ()
    recreate: tuple[str, ...] = ()
    release: tuple[str, ...] = ()
    stop: StopReason | None = None

    @property
    def boot_hosts(self) -> list[str]:
        """Hosts that get a BareMetalHost."""
        return [step.name for step in self.hosts if step.action == "boot"]

    @property
    def touch_hosts(self) -> list[str]:
        """Hosts about which the safety table has to decide before anything is written."""
        return [step.name for step in self.hosts if step.action == "boot" or step.doubtful]


def decide(view: CapiView, request: CapiRequest) -> CapiDecision:
    """The plan. A ``stop`` has everything that prevents it."""
    return _DECISIONS[request.purpose](view, request)


def _install(view: CapiView, request: CapiRequest) -> CapiDecision:
    """A new cluster has all hosts. One that is installed keeps its pools as they are: other playbooks change them.

    A pool without a number and without hosts keeps its size, too: an autoscaler or the user sets it.
    """
    initial = {pool.name: pool.initial for pool in request.pools}
    new = {name: size or 0 for name, size in initial.items() if name not in view.sizes}
    if not new.get(CONTROL_PLANE_POOL, 1):
        return CapiDecision(stop=_NO_SIZE)
    sizes = new if view.installed else {**new, **{name: size for name, size in initial.items() if size is not None}}
    steps = []
    for host in request.hosts if request.metal3 else ():
        step = _step(view, host)
        if step.action == "boot" and view.installed and request.pool_of(host) not in new:
            step = HostStep(host, "skip", f"{view.cluster} is installed without it; add_hosts adds it")
        steps.append(dataclasses.replace(step, doubtful=step.doubtful or bool(view.failure)))
    return _described(CapiDecision(tuple(steps), sizes), view, request)


def _scale(view: CapiView, request: CapiRequest) -> CapiDecision:
    stop = _unready(view) or _no_pool(view, request)
    if stop:
        return CapiDecision(stop=stop)
    pool = next((each for each in request.pools if each.name == request.pool), PoolOfHosts(request.pool))
    machines, size = view.of_pool(pool.name), view.sizes.get(pool.name, 0)
    named = [machine for machine in machines if machine.host in request.names]
    target = (
        request.replicas if request.replicas is not None else size - _more_deletions(len(named), len(machines), size)
    )
    if named and pool.name == CONTROL_PLANE_POOL:
        return CapiDecision(
            stop=StopReason(
                f"{listed(request.names, 10)} cannot be chosen. {_OLDEST_FIRST}.",
                "Leave out openshift_node_pool.remove.",
            )
        )
    if target >= size:
        return _grown(view, request, pool, target)
    return _shrunk(view, request, pool, target)


def _grown(view: CapiView, request: CapiRequest, pool: PoolOfHosts, target: int) -> CapiDecision:
    """BareMetalHosts that are free, and then hosts without one in the order of the inventory, until there are
    enough.
    """
    taken = sum(1 for machine in view.of_pool(pool.name) if machine.host)
    free = [host for host in pool.hosts if host in view.hosts and view.at(host) is None]
    needed = max(0, target - taken - len(free))
    new = [host for host in pool.hosts if host not in view.hosts]
    if request.metal3 and needed > len(new):
        missing = needed - len(new)
        text = f"Pool {pool.name} needs {missing} more hosts for {target} Machines."
        return CapiDecision(
            stop=StopReason(text, ("Add them to the group of its hosts in the inventory, or ask for fewer replicas."))
        )
    steps = (
        tuple(_step(view, host) for host in pool.hosts if host in new[:needed] or host in view.hosts)
        if request.metal3
        else ()
    )
    return _described(CapiDecision(steps, {pool.name: target}), view, request)


def _shrunk(view: CapiView, request: CapiRequest, pool: PoolOfHosts, target: int) -> CapiDecision:
    """Those that the user names, then Machines without a Node, then the last hosts of the inventory; of a control plane
    the oldest.
    """
    machines, size = view.of_pool(pool.name), view.sizes.get(pool.name, 0)
    count = min(_more_deletions(size - target, len(machines), size), len(machines))
    if pool.name == CONTROL_PLANE_POOL:
        chosen, marked = machines[:count], []
    else:
        place = {host: index for index, host in enumerate(pool.hosts)}
        chosen = sorted(
            machines,
            key=lambda machine: (
                machine.host not in request.names,
                bool(machine.node),
                -place.get(machine.host, len(place)),
            ),
        )[:count]
        marked = [machine.name for machine in chosen]
    # Without BareMetalHosts a machine is known by its Node.
    places = [(machine, machine.host or ("" if request.metal3 else machine.node)) for machine in chosen]
    steps = tuple(
        HostStep(place, "skip", f"Machine {machine.name} is deleted", doubtful=True)
        for machine, place in places
        if place
    )
    leaving = tuple(step.name for step in steps)
    return _described(
        CapiDecision(steps, {pool.name: target}, leaving=leaving, delete_first=tuple(marked)), view, request
    )


def _add(view: CapiView, request: CapiRequest) -> CapiDecision:
    """A pool has a Machine for each of its hosts and for each of the new ones.

    A run that was interrupted counts the same.
    """
    if stop := _unready(view) or _unmanaged(request, "add_hosts"):
        return CapiDecision(stop=stop)
    chosen = [host for host in request.hosts if not request.names or host in request.names]
    sizes: dict[str, int] = {}
    unnamed: list[str] = []
    for pool in request.pools:
        free = [host for host in pool.hosts if host in chosen and view.at(host) is None]
        taken = sum(1 for machine in view.of_pool(pool.name) if machine.host)
        wanted = max(view.sizes.get(pool.name, 0), taken + len(free))
        if wanted != view.sizes.get(pool.name):
            sizes[pool.name] = wanted
        others = [
            host
            for host in sorted(view.hosts.difference(chosen))
            if view.at(host) is None and view.pool_labels.get(host, request.pool_of(host)) == pool.name
        ]
        if free and wanted < taken + len(free) + len(others):
            unnamed += others
    if unnamed:
        return CapiDecision(stop=_stop_for(unnamed, _ALSO_FREE, _ADD_OR_RELEASE))
    return _described(CapiDecision(tuple(_step(view, host) for host in chosen), sizes), view, request)


def _remove(view: CapiView, request: CapiRequest) -> CapiDecision:
    stop = (
        _unready(view) or _unmanaged(request, "remove_hosts") or _unnamed(request) or _of_control_plane(view, request)
    )
    if stop:
        return CapiDecision(stop=stop)
    sizes: dict[str, int] = {}
    leaving: list[MachineOnHub] = []
    for pool in request.pools:
        machines, size = view.of_pool(pool.name), view.sizes.get(pool.name, 0)
        going = [machine for machine in machines if machine.host in request.names]
        leaving += going
        if more := _more_deletions(len(going), len(machines), size):
            sizes[pool.name] = size - more
    present = [name for name in request.names if name in view.hosts]
    steps = tuple(_leaving_step(view, name) for name in request.names)
    decision = CapiDecision(
        steps,
        sizes,
        leaving=tuple(present),
        delete_first=tuple(machine.name for machine in leaving),
        release=tuple(request.names),
    )
    return _described(decision, view, request)


def _reprovision(view: CapiView, request: CapiRequest) -> CapiDecision:
    stop = (
        _unready(view)
        or _unmanaged(request, "reprovision_hosts")
        or _unnamed(request)
        or _of_control_plane(view, request)
    )
    if stop:
        return CapiDecision(stop=stop)
    machines = [machine for name in request.names if (machine := view.at(name)) is not None and not machine.deleting]
    steps = tuple(_leaving_step(view, name) for name in request.names)
    leaving = tuple(machine.host for machine in machines)
    return _described(
        CapiDecision(steps, leaving=leaving, recreate=tuple(machine.name for machine in machines)), view, request
    )


_DECISIONS: Mapping[Purpose, Callable[[CapiView, CapiRequest], CapiDecision]] = {
    "install": _install,
    "scale": _scale,
    "add": _add,
    "remove": _remove,
    "reprovision": _reprovision,
}


def _step(view: CapiView, host: str) -> HostStep:
    """What a host needs in order to become a Machine's."""
    if host in view.elsewhere:
        return HostStep(host, "skip", view.elsewhere[host], doubtful=True)
    if host not in view.hosts:
        return HostStep(host, "boot", "it has no BareMetalHost")
    machine = view.at(host)
    if machine is None:
        return HostStep(host, "wait", "its BareMetalHost is free")
    if machine.deleting:
        return HostStep(host, "wait", f"Machine {machine.name} is being deleted")
    if machine.node:
        return HostStep(host, "keep", f"Machine {machine.name} is Node {machine.node}", joined=True)
    phase = machine.phase or "new"
    return HostStep(host, "wait", f"Machine {machine.name} is {phase}")


def _leaving_step(view: CapiView, host: str) -> HostStep:
    machine = view.at(host)
    if machine is not None and not machine.deleting:
        return HostStep(host, "skip", f"Machine {machine.name} is deleted", doubtful=True)
    if machine is not None:
        return HostStep(host, "wait", f"Machine {machine.name} is being deleted", doubtful=True)
    if host in view.hosts:
        return HostStep(host, "skip", "its BareMetalHost is free", doubtful=True)
    return HostStep(host, "skip", "it has no BareMetalHost")


def _more_deletions(wanted: int, machines: int, size: int) -> int:
    """How many of the deletions are not ordered yet: an earlier run may have shrunk the pool, and its Machines still
    exist.
    """
    return max(0, wanted - max(0, machines - size))


def _described(decision: CapiDecision, view: CapiView, request: CapiRequest) -> CapiDecision:
    created = set(decision.boot_hosts)
    known = [host for host in request.hosts if (host in view.hosts or host in created) and host not in decision.release]
    return dataclasses.replace(decision, described=tuple(known))


def _unready(view: CapiView) -> StopReason | None:
    return None if view.installed else StopReason(f"Cluster {view.cluster} {_NOT_INSTALLED}.", _DEPLOY)


def _no_pool(view: CapiView, request: CapiRequest) -> StopReason | None:
    known = list(dict.fromkeys([*view.sizes, *(pool.name for pool in request.pools)]))
    if request.pool in known:
        return None
    request_pool = request.pool or "(no name)"
    return StopReason(
        f"Cluster {view.cluster} has no pool {request_pool}.",
        (f"Set openshift_node_pool.name to one of {', '.join(known)}."),
    )


def _unmanaged(request: CapiRequest, playbook: str) -> StopReason | None:
    if request.metal3:
        return None
    return StopReason(
        f"{playbook} needs BareMetalHosts, and the hosts of this cluster come from your own templates.",
        "Use scale_node_pool.",
    )


def _unnamed(request: CapiRequest) -> StopReason | None:
    return None if request.names else StopReason("No host is named.", "Set openshift_hosts to the names of the hosts.")


def _of_control_plane(view: CapiView, request: CapiRequest) -> StopReason | None:
    found: Iterable[str] = [
        name for name in request.names if request.pool_of(name) == CONTROL_PLANE_POOL and name in view.hosts
    ]
    return _stop_for(
        list(found),
        f"it is a host of the control plane. {_OLDEST_FIRST}",
        ("Use scale_node_pool with openshift_node_pool.name: control-plane."),
    )


def _stop_for(hosts: Sequence[str], reason: str, remedy: str) -> StopReason | None:
    return (
        StopReason("Nothing was changed.", hosts=tuple(StoppingHost(host, reason, remedy) for host in hosts))
        if hosts
        else None
    )
