# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Collect evidence about hosts from their own deployment: from its assisted-service, from the API of its cluster, and
from the Nodes and BareMetalHosts of that cluster.
"""

from __future__ import annotations

import dataclasses
import datetime
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ...assisted.rest.connection import connect as connect_assisted
from ...common.clock import Clock
from ...common.errors import RemoteError, Unreachable
from ...common.retry import retry
from ...common.retry_policies import KUBE_EVIDENCE
from ...hub.kinds import BARE_METAL_HOST
from ...kube.client import KubeClient, Object
from ...kube.paths import NODE
from ..assisted.observer import AssistedObserver
from ..state.recovery import readable_kubeconfig, recover
from ..state.work_dir import DeploymentIdentity, WorkDir, identity, read_deployment
from ..supervise.observation import InventoryHost, Observation, ServiceView
from ..supervise.observe import Observer
from ..supervise.silence import silence_of
from ..supervise.timeline import utc_now
from .evidence import Evidence
from .nodes import NodeView, facts, find_node, member, read_node, undecided
from .observed import observed
from .on_hub import describe_bare_metal_host
from .options import Touch
from .record import TouchRecord
from .table import COLUMNS, Action

_TIMEOUT = 10.0
# Namespace in which a cluster keeps the BareMetalHosts of its own machines.
MACHINE_API = "openshift-machine-api"
_OBSERVED = ("agent", "assisted")


@dataclasses.dataclass(frozen=True)
class ClusterView:
    """What the API of this deployment's cluster says.

    ``seen`` is the observation by the methods that have one; ``fault``: the API cannot be read. ``installed``: the hub
    says that the cluster is installed.
    """

    nodes: tuple[NodeView, ...] = ()
    now: datetime.datetime | None = None
    bare_metal_hosts: tuple[Object, ...] = ()
    seen: Observation | None = None
    fault: str = ""
    installed: bool = False


def view_cluster(touch: Touch, record: TouchRecord, clock: Clock) -> ClusterView:
    """Service and API of the deployment in ``touch.work_dir``; nothing without one."""
    if touch.work_dir is None or record.fault or record.method not in ("", touch.method):
        return ClusterView()
    if touch.method in _OBSERVED:
        seen, nodes = _observe(touch, record, clock)
        installed = _installed(touch, clock) if nodes and seen.api.ours else ClusterView()
        return dataclasses.replace(installed, nodes=nodes, now=installed.now or utc_now(), seen=seen)
    return _installed(touch, clock)


def of_cluster(
    evidence: Mapping[str, Evidence],
    hosts: Sequence[InventoryHost],
    view: ClusterView,
    uuids: Mapping[str, str],
    action: Action,
    *,
    recorded: bool,
) -> dict[str, Evidence]:
    """``evidence`` by host name with what service and API say.

    ``recorded``: the deployment has a record, so that they must be its own.
    """
    strict = COLUMNS[action] in ("take_out", "destroy", "off")
    matches = {host.name: find_node(host, uuids.get(host.name, ""), view.nodes, strict=strict) for host in hosts}
    leaving = (
        [match[0].name for match in matches.values() if match is not None] if COLUMNS[action] == "take_out" else []
    )
    found = {}
    for host in hosts:
        of_host, match = evidence[host.name], matches[host.name]
        if match is None and COLUMNS[action] == "take_out":
            of_host = of_host.also(unknown=undecided(host, uuids.get(host.name, ""), view.nodes))
        if match is not None:
            of_host = of_host.also(node=facts(match[0], view.nodes, leaving, view.now))
        if view.seen is not None:
            of_host = observed(
                of_host,
                host,
                view.seen,
                view.nodes,
                system_uuid=uuids.get(host.name, ""),
                recorded=recorded,
                strict=strict,
            )
        elif match is not None and not _left(of_host):
            of_host = of_host.also(installed=member(host, *match))
        elif view.fault and (
            COLUMNS[action] == "take_out" or (view.installed and COLUMNS[action] == "boot" and not of_host.recorded)
        ):
            # Whether it has a Node, which must be drained, or of which no Agent is left, cannot be known.
            of_host = of_host.also(unknown=view.fault)
        if action not in ("destroy", "recover"):
            of_host = _through_its_own(of_host, host, view)
        found[host.name] = of_host
    return found


def _left(evidence: Evidence) -> bool:
    """Whether its Agent shows that it is no member any more: the Node, which is not Ready, is what is left of it."""
    return (
        bool(evidence.free or evidence.released or evidence.registered)
        and evidence.node is not None
        and not evidence.node.ready
    )


def _through_its_own(evidence: Evidence, host: InventoryHost, view: ClusterView) -> Evidence:
    """A cluster switches machines of its own BareMetalHosts on and off by itself, if it has their BMCs; one that is
    destroyed ends with its operator.
    """
    for obj in view.bare_metal_hosts:
        by_bmc = (obj.get("spec") or {}).get("bmc") or {}
        if by_bmc.get("address") and (title := describe_bare_metal_host(host, "", obj)):
            return evidence.also(own_bare_metal_host=title)
    return evidence


def _observe(touch: Touch, record: TouchRecord, clock: Clock) -> tuple[Observation, tuple[NodeView, ...]]:
    """Service and API as the deployment's method observes them."""
    work_dir = WorkDir(touch.work_dir or Path())
    deployment = read_deployment(work_dir.config)
    recovered = recover(work_dir, deployment)
    known = identity(recovered.state, deployment)
    who = dataclasses.replace(
        known, rendezvous_ip=known.rendezvous_ip or touch.rendezvous_ip, api_url=known.api_url or touch.api_url
    )
    silence = silence_of(record.install, touch.limits, utc_now())
    if touch.method == "assisted":
        seen, documents = _observe_assisted(touch, work_dir, recovered.state, who, clock)
    else:
        observer = Observer(work_dir, recovered.state, who, connect_to=touch.connect_to, ca_cert=touch.ca_cert)
        try:
            seen = observer.observe(recovered.state, lost=recovered.lost)
        finally:
            observer.close()
        documents = observer.documents
    nodes = tuple(read_node(document) for document in documents.get("nodes") or ())
    return dataclasses.replace(seen, silence=silence), nodes


def _observe_assisted(
    touch: Touch, work_dir: WorkDir, state: Mapping[str, Any], who: DeploymentIdentity, clock: Clock
) -> tuple[Observation, Mapping[str, Any]]:
    """A service that refuses to answer (no access, no such cluster) is one that does not answer as this deployment."""
    service = connect_assisted(dict(touch.assisted or {}), clock, True)
    observer = AssistedObserver(
        service, touch.assisted_cluster_id(work_dir), work_dir, who, connect_to=touch.connect_to, ca_cert=touch.ca_cert
    )
    try:
        return observer.observe(state), observer.documents
    except RemoteError as error:
        install = state.get("install") or {}
        failure, detail = str(install.get("failure") or ""), ServiceView(detail=error.message)
        return Observation(phase=str(install.get("phase") or ""), failure=failure, service=detail), {}
    finally:
        observer.close()
        service.close()


def _installed(touch: Touch, clock: Clock) -> ClusterView:
    """The API that auth/kubeconfig leads to, where there is one."""
    work_dir = WorkDir(touch.work_dir or Path())
    for path in (work_dir.kubeconfig_direct, work_dir.kubeconfig):
        config = readable_kubeconfig(path)
        if config is None:
            continue
        trusted = (touch.ca_cert,) if touch.ca_cert else ()
        client = KubeClient(
            config, connect_to=touch.connect_to, ca_certs=trusted, timeout=_TIMEOUT, service=f"API at {config.server}"
        )
        try:
            return view_nodes(client, clock)
        finally:
            client.close()
    return ClusterView()


def view_nodes(client: KubeClient, clock: Clock) -> ClusterView:
    """What the API that a client leads to says about its Nodes.

    An answer that says the API is busy is no answer about them.
    """
    try:
        nodes = tuple(read_node(document) for document in retry(lambda: client.list(NODE.path()), KUBE_EVIDENCE, clock))
        return ClusterView(
            nodes, client.server_time() or utc_now(), retry(lambda: _bare_metal_hosts(client), KUBE_EVIDENCE, clock)
        )
    except (RemoteError, Unreachable) as error:
        return ClusterView(fault=f"the Nodes of the cluster cannot be read: {error.message}")


def _bare_metal_hosts(client: KubeClient) -> tuple[Object, ...]:
    """None where the cluster does not know the kind. Raises :class:`RemoteError` if they cannot be listed."""
    try:
        return tuple(client.list(BARE_METAL_HOST.path(MACHINE_API)))
    except RemoteError as error:
        if error.status == 404:
            return ()
        raise
