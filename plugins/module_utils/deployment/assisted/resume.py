# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Decide what is left to do for a cluster that a separate assisted-service installs, as pure functions.

This is the table of docs/explanation/resume.md for a service that does not run on the rendezvous host.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Sequence

from ..agent.resume import Decision, State, decide
from ..host_step import HostStep
from ..safety.table import START_OVER
from ..stop_reason import StopReason
from ..supervise.observation import ImageView, InventoryHost, Observation
from .find import Found, Known

# The service manages the image: it exists, and is changed at the service.
_IMAGE = ImageView(built=True, exists=True)


def decide_installation(
    seen: Observation, found: Found, known: Known, hosts: Sequence[InventoryHost], force: Collection[str]
) -> Decision:
    """Whether to go on, and which hosts to boot."""
    if found.foreign:
        after = (
            "Set openshift_assisted.cluster_id to its id to continue with it, delete it at the service, or choose "
            "another cluster name."
        )
        return _stopped("foreign", hosts, StopReason(found.foreign, after))
    if START_OVER in force:
        return decide(dataclasses.replace(seen, image=_IMAGE), hosts, force)
    cluster = seen.service.cluster
    if cluster is not None and cluster.installed:
        return Decision(
            "installed",
            tuple(HostStep(host.name, "skip", f"the cluster is {cluster.status}", joined=True) for host in hosts),
        )
    made_again = found.cluster is None and bool(known.cluster_id) and not seen.api.ours
    decision = decide(dataclasses.replace(seen, image=_IMAGE), hosts, force)
    if made_again and not decision.stop:
        # The machines may still run the image of the InfraEnv that is gone.
        again = tuple(
            dataclasses.replace(host, force=True) if host.action == "boot" else host for host in decision.hosts
        )
        return dataclasses.replace(
            decision,
            hosts=again,
            notes=(*decision.notes, ("The service no longer has the cluster. It is created again.")),
        )
    return decision


def decide_additions(
    seen: Observation, found: Found, known: Known, cluster: str, hosts: Sequence[InventoryHost]
) -> Decision:
    """Which hosts have to be booted so that they come to a cluster that is installed."""
    if found.foreign:
        return _stopped(
            "foreign",
            hosts,
            StopReason(found.foreign, ("Name it as openshift_assisted.cluster_id to add hosts to it.")),
        )
    if found.cluster is not None and seen.service.cluster is not None and not seen.service.cluster.installed:
        text = (
            f"Cluster {cluster} is {found.status}: hosts are added to one that is installed; deploy_cluster installs "
            "it."
        )
        return _stopped("registered", hosts, StopReason(text))
    if found.cluster is None and not seen.api.ours and not known.openshift_cluster_id:
        text = (
            f"Hosts cannot be added to cluster {cluster}: the service has no such cluster, and no API accepts "
            "the kubeconfig of this work directory."
        )
        return _stopped("new", hosts, StopReason(text, f"deploy_cluster installs it. {seen.api.detail}".strip()))
    decided = [_added(seen, host) for host in hosts]
    return Decision("installed", tuple(decided))


def _added(seen: Observation, host: InventoryHost) -> HostStep:
    registered = seen.service_host(host)
    if seen.api.has_node(host):
        return HostStep(host.name, "skip", "its Node exists", joined=True)
    if registered is not None and registered.joined:
        return HostStep(host.name, "wait", f"joined: {registered.describe()}", joined=True)
    if registered is not None and (registered.needs_discovery_boot or registered.terminal):
        return HostStep(host.name, "boot", f"registered, but {registered.status}", force=True)
    if registered is not None:
        return HostStep(host.name, "wait", f"registered: {registered.describe()}")
    return HostStep(host.name, "boot", "it is not registered")


def _stopped(state: State, hosts: Sequence[InventoryHost], reason: StopReason) -> Decision:
    return Decision(state, tuple(HostStep(host.name, "skip", "nothing is done") for host in hosts), stop=reason)
