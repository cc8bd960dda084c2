# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Read the sources of a deployment's status: state file, service, API, hub and BMCs. Changes nothing."""

from __future__ import annotations

import dataclasses
import datetime
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ...boot.protocol import Machines
from ...capi.assisted.kinds import assisted_kinds
from ...capi.assisted.status import observe_progress
from ...common.clock import Clock
from ...common.errors import ZeroTouchError
from ...common.listed import listed
from ...common.waiting import WaitStatus
from ...hub.agents.match import match_hosts
from ...hub.agents.model import Agent
from ...hub.agents.request import AgentHostRequest
from ...hub.install.status import InstallStatus
from ...hypershift.hosted_cluster.status import wait_status
from ...hypershift.kinds import HOSTED_CLUSTER, NODE_POOL
from ...hypershift.node_pool.view import find_hypershift
from ...kube.client import KubeClient
from ...kube.connection import connect as connect_hub
from ..hub.observe import spoke_client
from ..report.files import read_report
from ..report.news import last_news
from ..safety.nodes import NodeView
from ..safety.on_cluster import ClusterView, view_cluster, view_nodes
from ..safety.on_hub import WantedHost, view_hub
from ..safety.options import Touch
from ..safety.record import TouchRecord, read_record
from ..safety.table import HUB_METHODS
from ..state.work_dir import WorkDir
from ..supervise.estimate import SECTION as HISTORY
from ..supervise.estimate import estimate
from ..supervise.observation import InventoryHost, Observation, Silence
from ..supervise.silence import silence_of
from ..supervise.timeline import utc_now
from .decide import Authority, HostStatus, StatusView, of_capi, of_hosted, of_hub, of_observation

_FEW = 3


@dataclasses.dataclass(frozen=True)
class StatusRequest:
    """What is asked. ``hosted`` is the HostedCluster (namespace, name) of method hosted; ``fault`` says why the stored
    state cannot be read.
    """

    touch: Touch
    hosted: tuple[str, str] = ("", "")
    fault: str = ""


@dataclasses.dataclass(frozen=True)
class _Sources:
    authority: Authority
    seen: Observation | None = None
    nodes: tuple[NodeView, ...] | None = None
    agents: Mapping[str, Agent] = dataclasses.field(default_factory=dict)
    not_checked: tuple[str, ...] = ()


def gather(request: StatusRequest, machines: Machines, clock: Clock) -> StatusView:
    """The view of a deployment. A source that cannot be read is in ``not_checked``."""
    touch = request.touch
    record = read_record(touch.work_dir) if touch.work_dir else TouchRecord(Path())
    sources = _sources(request, record, clock)
    faults = tuple(f"{outcome.item.name}: {outcome.error}" for outcome in machines if outcome.result is None)
    return StatusView(
        record=record,
        authority=sources.authority,
        method=touch.method,
        fault=request.fault,
        silence=_silence(record, touch, utc_now()),
        lost=sources.seen.lost if sources.seen else (),
        hosts=_hosts(touch, record, sources, machines),
        not_checked=tuple(dict.fromkeys([*sources.not_checked, *faults])),
        expected_end=_expected_end(record, utc_now()),
        live_report=last_news(read_report(WorkDir(touch.work_dir)), utc_now()) if touch.work_dir else {},
    )


def _sources(request: StatusRequest, record: TouchRecord, clock: Clock) -> _Sources:
    touch = request.touch
    if touch.method in HUB_METHODS:
        try:
            return _of_hub(request, record, clock)
        except ZeroTouchError as error:
            return _Sources(
                Authority("unreadable", f"The hub cannot be read: {error.message}"),
                not_checked=(f"hub: {error.message}",),
            )
    if request.fault or record.fault:
        return _Sources(
            Authority("silent"),
            not_checked=(("service and API: they are recorded in the state, which cannot be read"),),
        )
    try:
        view = view_cluster(touch, record, clock)
    except ZeroTouchError as error:
        return _Sources(
            Authority("unreadable", f"Service and API cannot be read: {error.message}"),
            not_checked=(f"service and API: {error.message}",),
        )
    seen = view.seen or Observation()
    silent = [
        f"{what}: {each.detail}"
        for what, each in (("service", seen.service), ("API", seen.api))
        if each.detail and not each.ours
    ]
    nodes = view.nodes if seen.api.ours else None
    return _Sources(of_observation(seen), seen, nodes, not_checked=(*silent, *([view.fault] if view.fault else [])))


def _of_hub(request: StatusRequest, record: TouchRecord, clock: Clock) -> _Sources:
    touch = request.touch
    hub = connect_hub(dict(touch.hub or {}), clock=clock, check_mode=True)
    try:
        view = view_hub(hub, touch.scope)
        wanted = [WantedHost(host, touch.identity(host.name)) for host in touch.hosts]
        matches = match_hosts(
            [AgentHostRequest(each.host.name, each.identity(view.agents, touch.scope)) for each in wanted], view.agents
        )
        agents = {name: match.agent for name, match in matches.items() if match.agent is not None}
        authority = _authority(hub, request, view.status)
        cluster = (
            _cluster(hub, touch, record, clock)
            if authority.verdict == "installed" or touch.method == "hosted"
            else ClusterView(fault="")
        )
        missing = (*view.not_checked, *([cluster.fault] if cluster.fault else []))
        return _Sources(authority, nodes=cluster.nodes or None, agents=agents, not_checked=missing)
    finally:
        hub.close()


def _authority(hub: KubeClient, request: StatusRequest, status: InstallStatus | None) -> Authority:
    touch = request.touch
    if touch.method == "hosted":
        return _hosted(hub, request.hosted)
    if touch.method == "capi":
        kinds = assisted_kinds(hub, metal3=False)
        return of_capi(
            observe_progress(hub, kinds, touch.scope.namespace, touch.cluster),
            f"{touch.scope.namespace}/{touch.cluster}",
        )
    return of_hub(status, str(touch.scope.cluster or touch.cluster))


def _cluster(hub: KubeClient, touch: Touch, record: TouchRecord, clock: Clock) -> ClusterView:
    """Nodes of a cluster that the hub made, with the kubeconfig in the work directory, or the one that the hub has."""
    view = view_cluster(touch, record, clock)
    if view.nodes or touch.method == "hosted" or touch.scope.cluster is None:
        return view
    try:
        client = spoke_client(
            hub, touch.scope.cluster, connect_to=touch.connect_to, ca_certs=(touch.ca_cert,) if touch.ca_cert else ()
        )
    except ZeroTouchError as error:
        return ClusterView(fault=f"Nodes: {error.message}")
    try:
        return view_nodes(client, clock)
    finally:
        client.close()


def _hosted(hub: KubeClient, key: tuple[str, str]) -> Authority:
    namespace, name = key
    found = find_hypershift(hub, HOSTED_CLUSTER.path(namespace, name))
    pools = (
        [pool for pool in hub.list(NODE_POOL.path(namespace)) if (pool.get("spec") or {}).get("clusterName") == name]
        if found is not None
        else []
    )
    status = wait_status(found, "completed", pools) if found is not None else WaitStatus()
    return of_hosted(status, exists=found is not None, cluster=f"{namespace}/{name}")


def _expected_end(record: TouchRecord, now: datetime.datetime) -> str:
    """When a recorded installation will probably be complete; empty without one."""
    phases = record.install.get("phases") or {}
    if not phases:
        return ""
    left = estimate(str(record.install.get("method") or "agent"), phases, record.state.get(HISTORY) or [], now)
    return (
        (now + datetime.timedelta(seconds=left.seconds))
        .astimezone(datetime.UTC)
        .isoformat(timespec="minutes")
        .replace("+00:00", "Z")
    )


def _silence(record: TouchRecord, touch: Touch, now: datetime.datetime) -> Silence | None:
    """How long ago the installation was last seen; of machines that boot, when the last one was booted."""
    if not record.boots:
        return silence_of(record.install, touch.limits, now)
    times = [str(entry.get("at") or "") for entry in (record.state.get("machines") or {}).values()]
    since = max([*times, str(record.install.get("started_at") or "")], default="")
    try:
        seconds = (now - datetime.datetime.fromisoformat(since)).total_seconds()
    except (ValueError, TypeError):  # not a time, or one without a zone
        return None
    return Silence("boot", max(0.0, seconds), touch.limits.boot, since)


def _hosts(touch: Touch, record: TouchRecord, sources: _Sources, machines: Machines) -> tuple[HostStatus, ...]:
    """In the order of the inventory."""
    by_name = {outcome.item.name: outcome for outcome in machines}
    known = {host.name: host for host in touch.hosts}
    names = dict.fromkeys([*known, *by_name])
    hosts = [known.get(name) or touch.host(name, by_name[name].item.mac_addresses) for name in names]
    return tuple(
        _host(host, record, sources, by_name[host.name].result if host.name in by_name else None) for host in hosts
    )


def _host(host: InventoryHost, record: TouchRecord, sources: _Sources, machine: Any) -> HostStatus:
    status, waits_for = _progress(host, record, sources)
    node = _node(host, sources.nodes)
    if node == "not ready":
        waits_for = waits_for or "its Node to become ready"
    slots = getattr(machine, "slots", None)
    power = str(machine.power_state) if machine is not None else ""
    return HostStatus(
        host.name, status, node, power, None if slots is None else any(slot.occupied for slot in slots), waits_for
    )


def _progress(host: InventoryHost, record: TouchRecord, sources: _Sources) -> tuple[str, str]:
    """Status and stage of a host, and what it waits for, by the newest source."""
    agent = sources.agents.get(host.name)
    if agent is not None:
        failing = [f"{validation.id}: {validation.message}" for validation in agent.failing]
        approval = "" if agent.approved else "its approval"
        waits_for = "" if agent.state in ("installed", "added-to-existing-cluster") else _first(failing) or approval
        return ", ".join(text for text in (agent.state, agent.stage) if text), waits_for
    found = sources.seen.service_host(host) if sources.seen else None
    if found is not None:
        failing = [f"{validation.id}: {validation.message}" for validation in found.validations if validation.failed]
        return found.describe(), "" if found.joined and not found.terminal else _first(failing) or found.status_info
    entry = next(
        (
            (record.install.get("hosts") or {}).get(name)
            for name in record.names(host)
            if name in (record.install.get("hosts") or {})
        ),
        None,
    )
    if entry and entry.get("status"):
        last = ", ".join(str(entry[key]) for key in ("status", "stage") if entry.get(key))
        return (last if record.phase == "installed" else f"last seen {last}"), ""
    return str(record.machine(host).get("state") or ""), ""


def _first(texts: Sequence[str]) -> str:
    return listed(texts, _FEW, "; ")


def _node(host: InventoryHost, nodes: Sequence[NodeView] | None) -> str:
    if nodes is None:
        return ""
    found = next((node for node in nodes if node.name.lower() == host.node_name), None)
    if found is None:
        return "none"
    return "ready" if found.ready else "not ready"


def paths(work_dir: WorkDir) -> dict[str, str]:
    """Files of the deployment that exist; empty for those that do not."""
    kubeconfig = next((path for path in (work_dir.kubeconfig_direct, work_dir.kubeconfig) if path.is_file()), None)
    password, report = work_dir.kubeadmin_password, work_dir.root / "report.html"
    return {
        "work_dir": str(work_dir.root),
        "kubeconfig": str(kubeconfig or ""),
        "kubeadmin_password_file": str(password) if password.is_file() else "",
        "report": str(report) if report.is_file() else "",
    }
