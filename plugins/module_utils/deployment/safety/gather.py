# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Collect evidence about the hosts that a run wants to change, from the connections that the user named, and decide
about all of these hosts.

Only reads. A source that cannot be read is reported as not checked; if this deployment is recorded at that source, its
hosts become *unknown* instead.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from pathlib import Path

from ...assisted.rest.connection import connect as connect_assisted
from ...bmc.guard import shared_machines
from ...boot.methods import booted_by_user, method_of
from ...boot.protocol import BootPlan, Machines
from ...common.clock import Clock
from ...common.errors import ZeroTouchError
from ...kube.client import KubeClient
from ...kube.connection import connect as connect_hub
from ..hub.observe import spoke_client
from ..state.work_dir import WorkDir
from ..supervise.observation import RUNNING_PHASES, InventoryHost
from . import on_service
from .decision import Judgement, judge, row_of
from .deleted_cluster import of_deleted_cluster, other_cluster_of_hub
from .evidence import Evidence, Power
from .kubelet import nodes_at
from .on_cluster import ClusterView, of_cluster, view_cluster, view_nodes
from .on_hub import WantedHost, of_hub, view_hub
from .options import Touch
from .record import BOOTED, TouchRecord, owner_of, read_record, siblings
from .table import ABANDON_HUB, COLUMNS, HUB_METHODS, Action

_POWER: Mapping[str, Power] = {"On": "On", "Off": "Off"}
# Columns of the table whose actions power off the control plane: after that, the cluster's own API does not answer.
_END_THE_CLUSTER = ("destroy", "off")
# Methods whose hub finds and releases the machines of its cluster itself.
_RELEASED_BY_HUB = ("hosted", "capi")
_MISSING = (
    "state.json records that this deployment booted it or took it over, and it is no host of this cluster in the "
    "inventory"
)


@dataclasses.dataclass(frozen=True)
class Gathered:
    """The evidence by host name, in the order asked; ``not_checked`` says which sources could not be read, and why.

    ``record`` is the deployment's, ``view`` what its own API and service said.
    """

    evidence: Mapping[str, Evidence]
    not_checked: tuple[str, ...] = ()
    record: TouchRecord = dataclasses.field(default_factory=lambda: TouchRecord(Path()))
    view: ClusterView = dataclasses.field(default_factory=ClusterView)

    def record_for(self, name: str, power: Power, now: TouchRecord) -> TouchRecord:
        """The record for a later decision about a host, which is ``now`` in the state.

        This run records a boot before it begins. If the power of the machine has changed since then, another owner
        changed it, and this record proves nothing.
        """
        first = self.evidence.get(name)
        return self.record if first is not None and first.power != power else now


def decide(
    action: Action,
    touch: Touch,
    machines: Machines,
    clock: Clock,
    names: Sequence[str] = (),
    first: Gathered | None = None,
) -> tuple[Judgement, Gathered]:
    """Whether the hosts may be touched: those of ``machines``, as their boot methods read them, and ``names`` of hosts
    that the user boots. ``first`` is the evidence of an earlier decision of the same call.
    """
    gathered = gather(action, touch, machines, clock, names, first)
    gathered = dataclasses.replace(
        gathered, evidence={**gathered.evidence, **_of_deployment(action, touch, gathered.evidence)}
    )
    return judge(gathered.evidence, touch.request(action)), gathered


def with_missing(touch: Touch, hosts: Sequence[InventoryHost]) -> Touch:
    """``touch`` with the recorded machines that a run which destroys the deployment would leave on: those that are none
    of ``hosts``, about which it decides. Spare machines of a hub are for other clusters, too.
    """
    if touch.work_dir is None or (touch.method in _RELEASED_BY_HUB and ABANDON_HUB not in touch.force):
        return touch
    known = [*hosts, *(touch.hosts if touch.method in HUB_METHODS else ())]
    record = read_record(touch.work_dir)
    # Its hosts are in the groups of that method: row 4.
    if record.method not in ("", touch.method):
        return touch
    return dataclasses.replace(touch, missing=record.missing(known))


def _of_deployment(action: Action, touch: Touch, evidence: Mapping[str, Evidence]) -> dict[str, Evidence]:
    """That the deployment is recorded with another method, whose hosts may be in other groups: destroying it would
    delete the only record of them.
    """
    if action != "destroy" or touch.work_dir is None or any(each.other_method for each in evidence.values()):
        return {}
    record = read_record(touch.work_dir)
    if record.method in ("", touch.method):
        return {}
    return {touch.cluster or "the deployment": Evidence(other_method=_other_method(record.method, record))}


def gather(
    action: Action,
    touch: Touch,
    machines: Machines,
    clock: Clock,
    names: Sequence[str] = (),
    first: Gathered | None = None,
) -> Gathered:
    """Everything that is known about these hosts.

    ``first`` is what was gathered before this call changed machines. What follows from its own changes counts neither
    for nor against a host.
    Raises :class:`ZeroTouchError` for connections that cannot be used at all.
    """
    by_name = {outcome.item.name: outcome for outcome in machines}
    uuids = {name: outcome.result.uuid for name, outcome in by_name.items() if outcome.result is not None}
    addresses = {name: outcome.item.address for name, outcome in by_name.items()}
    missing: list[str] = []
    record = read_record(touch.work_dir) if touch.work_dir else TouchRecord(Path())
    hosts = [
        record.completed(touch.host(name, by_name[name].item.mac_addresses if name in by_name else ()))
        for name in dict.fromkeys([*by_name, *names, *(host.name for host in touch.missing)])
    ]
    evidence = _of_machines(hosts, machines)
    evidence = _of_record(evidence, hosts, record, touch, first)
    evidence = _of_siblings(evidence, hosts, touch, missing)
    wanted = [
        WantedHost(host, touch.identity(host.name), addresses.get(host.name, ""), uuids.get(host.name, ""))
        for host in hosts
    ]
    seen = _of_hub(evidence, wanted, touch, action, clock, missing, record)
    evidence = seen.evidence
    if first is not None and COLUMNS[action] in _END_THE_CLUSTER:
        view = first.view
    else:
        view = seen.installed if seen.installed is not None else view_cluster(touch, record, clock)
    missing += _silent(view, touch, record)
    evidence = of_cluster(evidence, hosts, view, uuids, action, recorded=not record.empty)
    evidence = _of_service(evidence, hosts, touch, clock, missing)
    if COLUMNS[action] == "boot":
        evidence = _of_lost_members(evidence, touch, record, view, seen.other_cluster)
        evidence = _of_booted_nodes(evidence, hosts, touch, record)
    evidence = _of_kubelets(evidence, hosts, touch)
    if action == "destroy" and ABANDON_HUB in touch.force and view.nodes:
        evidence = _of_next_clusters(evidence, hosts, touch)
    found = {host.name: evidence[host.name] for host in hosts}
    return Gathered({**found, **seen.deleted}, tuple(dict.fromkeys(missing)), record, view)


def gather_hub(touch: Touch, clock: Clock, names: Sequence[str], addresses: Mapping[str, str]) -> dict[str, Evidence]:
    """What the hub alone says about these hosts. ``addresses`` are those of their BMCs.

    Raises :class:`ZeroTouchError` for a hub that cannot be read.
    """
    evidence = {name: Evidence(manual=True) for name in names}
    if touch.hub is None:
        return evidence
    hub = connect_hub(touch.hub, clock=clock, check_mode=True)
    try:
        view = view_hub(hub, touch.scope)
    finally:
        hub.close()
    wanted = [WantedHost(touch.host(name), touch.identity(name), addresses.get(name, "")) for name in names]
    return of_hub(evidence, wanted, view, touch.scope, "boot")


def _of_machines(hosts: Sequence[InventoryHost], machines: Machines) -> dict[str, Evidence]:
    """Power, and what is wrong with the machine or its BMC; of hosts that the user boots nothing can be read."""
    shared = shared_machines(machines)
    found = {host.name: Evidence(manual=True) for host in hosts}
    for outcome in machines:
        name, machine = outcome.item.name, outcome.result
        if machine is None:
            found[name] = Evidence(bmc_fault=str(outcome.error))
        elif not booted_by_user(outcome.item.method):
            fault = method_of(outcome.item).refusal(outcome.item, machine, BootPlan()) or shared.get(name, "")
            found[name] = Evidence(power=_POWER.get(machine.power_state, ""), bmc_fault=fault)
    return found


def _other_method(method: str, record: TouchRecord) -> str:
    return f"{method} is the installation method recorded in {record.directory}"


def _of_record(
    evidence: Mapping[str, Evidence],
    hosts: Sequence[InventoryHost],
    record: TouchRecord,
    touch: Touch,
    first: Gathered | None,
) -> dict[str, Evidence]:
    found = {}
    missing = {host.name for host in touch.missing}
    for host in hosts:
        known = evidence[host.name].also(missing=_MISSING if host.name in missing else "")
        of_host = first.record_for(host.name, known.power, record) if first is not None else record
        found[host.name] = _recorded(known, host, of_host, touch)
    return found


def _recorded(evidence: Evidence, host: InventoryHost, record: TouchRecord, touch: Touch) -> Evidence:
    """What the state of this deployment says about a host."""
    entry = record.machine(host)
    if record.has(host):
        evidence = evidence.also(recorded=True)
    if record.fault:
        return evidence.also(unknown=record.fault)
    # A host may have been added to the cluster by another method than the one that installed it.
    method = str(entry.get("method") or record.method)
    if record.has(host) and method not in ("", touch.method):
        evidence = evidence.also(other_method=_other_method(method, record))
    if record.touched(host):
        when = f" at {entry['at']}" if entry.get("at") else ""
        due = entry.get("state", BOOTED) != BOOTED or bool(record.install.get("overdue"))
        evidence = evidence.also(booted=f"this deployment booted it{when}", due=due)
    released = record.released(host)
    return evidence.also(
        released="this deployment has taken it out of its cluster" if released else "", leaving=released
    )


def _of_siblings(
    evidence: Mapping[str, Evidence], hosts: Sequence[InventoryHost], touch: Touch, missing: list[str]
) -> dict[str, Evidence]:
    """Other work directories beside this one that have the machines."""
    records = siblings(touch.work_dir) if touch.work_dir else []
    missing += [record.fault for record in records if record.fault]
    return {host.name: evidence[host.name].also(other_cluster=owner_of(host, records)) for host in hosts}


def _silent(view: ClusterView, touch: Touch, record: TouchRecord) -> list[str]:
    """Addresses of the cluster that do not answer.

    Of a recorded one, only if none answers: the service ends when the API begins.
    """
    if view.fault:
        return [view.fault]
    if view.seen is None:
        return []
    views = (("API", view.seen.api), ("service", view.seen.service))
    if not record.empty and any(each.answers for _what, each in views):
        return []
    cluster = touch.cluster or "the cluster"
    return [f"{what} of {cluster}: {each.detail}" for what, each in views if each.detail and not each.answers]


@dataclasses.dataclass(frozen=True)
class _SeenOnHub:
    """``installed`` is the API of the cluster that the hub has installed, where it leads to it; ``other_cluster`` says
    that the hub has another cluster of the same name; ``deleted`` is why the cluster must not be deleted, by its title.
    """

    evidence: dict[str, Evidence]
    installed: ClusterView | None = None
    other_cluster: str = ""
    deleted: Mapping[str, Evidence] = dataclasses.field(default_factory=dict)


def _of_hub(
    evidence: dict[str, Evidence],
    wanted: Sequence[WantedHost],
    touch: Touch,
    action: Action,
    clock: Clock,
    missing: list[str],
    record: TouchRecord,
) -> _SeenOnHub:
    """Agents and BareMetalHosts of the hub that the user named, whatever the method; and what :class:`_SeenOnHub`
    has besides.
    """
    if touch.hub is None:
        return _SeenOnHub(evidence)
    try:
        hub = connect_hub(touch.hub, clock=clock, check_mode=True)
        try:
            view = view_hub(hub, touch.scope)
            cluster = (
                _installed_by(hub, touch, clock)
                if view.status is not None and view.status.phase == "installed"
                else None
            )
            other = other_cluster_of_hub(hub, touch, record) if COLUMNS[action] == "boot" else ""
            deleted = of_deleted_cluster(hub, view, touch, wanted, record) if action == "destroy" else {}
        finally:
            hub.close()
    except ZeroTouchError as error:
        if touch.method in HUB_METHODS:
            fault = f"the hub cannot be read: {error}"
            return _SeenOnHub({name: each.also(unknown=fault) for name, each in evidence.items()})
        missing.append(f"hub: {error}")
        return _SeenOnHub(evidence)
    missing += view.not_checked
    return _SeenOnHub(of_hub(evidence, wanted, view, touch.scope, action), cluster, other, deleted)


def _installed_by(hub: KubeClient, touch: Touch, clock: Clock) -> ClusterView | None:
    """The API of the cluster that the hub has installed, with the kubeconfig that the hub keeps.

    None for the clusters of other methods.
    """
    if touch.method not in ("hub", "capi") or touch.scope.cluster is None:
        return None
    try:
        client = spoke_client(
            hub, touch.scope.cluster, connect_to=touch.connect_to, ca_certs=(touch.ca_cert,) if touch.ca_cert else ()
        )
    except ZeroTouchError as error:
        return ClusterView(fault=f"the Nodes of the cluster cannot be read: {error.message}", installed=True)
    try:
        return dataclasses.replace(view_nodes(client, clock), installed=True)
    finally:
        client.close()


def _of_service(
    evidence: dict[str, Evidence], hosts: Sequence[InventoryHost], touch: Touch, clock: Clock, missing: list[str]
) -> dict[str, Evidence]:
    """Hosts of other clusters at the assisted-service that the user named."""
    if touch.assisted is None:
        return evidence
    own = touch.assisted_cluster_id(WorkDir(touch.work_dir)) if touch.work_dir else ""
    try:
        service = connect_assisted(dict(touch.assisted), clock, True)
        try:
            documents = on_service.bound_hosts(service)
        finally:
            service.close()
    except ZeroTouchError as error:
        missing.append(f"assisted-service: {error}")
        return evidence
    return on_service.of_service(evidence, hosts, documents, own)


def _of_lost_members(
    evidence: dict[str, Evidence], touch: Touch, record: TouchRecord, view: ClusterView, other_cluster: str
) -> dict[str, Evidence]:
    """Hosts that this deployment booted for a cluster that was installed, or was being installed, since.

    Without an Agent on the hub and without an API that lists the Nodes, a member looks like a host that has not
    registered yet: another hub was named, or the cluster was detached from this one. ``other_cluster`` proves the
    former, and then the Nodes are those of that cluster.
    """
    began = record.phase in RUNNING_PHASES or view.installed or bool(view.fault)
    if touch.method not in HUB_METHODS or (not other_cluster and (view.nodes or not began)):
        return evidence
    known = f"state.json says that the cluster is {record.phase}" if record.phase in RUNNING_PHASES else "it was booted"
    unread = view.fault or "the Nodes of the cluster cannot be read"
    if other_cluster:
        unread = f"the hub has another cluster of this name ({other_cluster})"
    reason = f"{known}, no Agent on the hub shows whether this host is a member, and {unread}"
    return {name: each.also(unknown=reason) if _waits(each) else each for name, each in evidence.items()}


def _waits(evidence: Evidence) -> bool:
    """Whether all that is known of the host is that this deployment booted it."""
    return row_of(evidence)[0].number == "11"


def _of_booted_nodes(
    evidence: dict[str, Evidence], hosts: Sequence[InventoryHost], touch: Touch, record: TouchRecord
) -> dict[str, Evidence]:
    """Hosts that look as if they had not registered yet, but whose kubelet answers: since its boot was completed, a
    host became a Node. Before that, what answers is what the user allowed to be replaced.
    """
    waiting = [
        host for host in hosts if _waits(evidence[host.name]) and record.machine(host).get("state", BOOTED) == BOOTED
    ]
    found = nodes_at(waiting, touch.connect_to)
    return {name: each.also(unknown=found.get(name, "")) for name, each in evidence.items()}


def _of_kubelets(evidence: dict[str, Evidence], hosts: Sequence[InventoryHost], touch: Touch) -> dict[str, Evidence]:
    """Machines that are on and of which nothing else is known may be Nodes of a cluster whose credentials this run does
    not have.
    """
    unknown = [host for host in hosts if row_of(evidence[host.name])[0].number in ("10", "13")]
    found = nodes_at(unknown, touch.connect_to)
    return {name: each.also(answering=found.get(name, "")) for name, each in evidence.items()}


def _of_next_clusters(
    evidence: Mapping[str, Evidence], hosts: Sequence[InventoryHost], touch: Touch
) -> dict[str, Evidence]:
    """Machines of a hub that is given up.

    One that is a Node, but not of this cluster, whose Nodes are known, has been taken by another cluster since.
    """
    unknown = [
        host for host in hosts if evidence[host.name].node is None and row_of(evidence[host.name])[0].number == "6"
    ]
    found = nodes_at(unknown, touch.connect_to)
    return {name: each.also(other_cluster=found.get(name, "")) for name, each in evidence.items()}
