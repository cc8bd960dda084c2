# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Read a cluster of the OpenShift Assisted providers of Cluster API from its hub, and plan what a playbook does with
it, for module ``capi_plan``. Changes nothing.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

from ...capi.assisted.kinds import AssistedKinds, assisted_kinds
from ...capi.assisted.names import CLUSTER_LABEL, CONTROL_PLANE_LABEL, CONTROL_PLANE_POOL, POOL_LABEL
from ...capi.assisted.observe import ObservedControlPlane, observe
from ...capi.assisted.touched import hosts_of_machines
from ...capi.names import DEPLOYMENT_NAME_LABEL
from ...capi.objects import Object, deleting, labels_of, part, text
from ...hub.install.status import InstallStatus, read_status
from ...kube.client import KubeClient
from ...kube.write import is_ours
from ..stop_reason import message_of
from .resume import CapiDecision, CapiRequest, CapiView, MachineOnHub, decide


def view_hub(
    client: KubeClient, namespace: str, name: str, *, metal3: bool, references: Sequence[tuple[str, str]] = ()
) -> tuple[CapiView, InstallStatus]:
    """The cluster as it is. Raises :class:`ZeroTouchError` for a hub without the providers, with what to install."""
    kinds = assisted_kinds(client, metal3=metal3, references=tuple(references))
    observed = observe(client, kinds, namespace, name)
    return view_of(observed, kinds, namespace, name)


def view_of(
    observed: ObservedControlPlane, kinds: AssistedKinds, namespace: str, name: str
) -> tuple[CapiView, InstallStatus]:
    """The same from what was observed; pure."""
    status = read_status(observed.install) if observed.install else InstallStatus()
    at = hosts_of_machines(observed)
    own = {
        host
        for host, item in observed.bare_metal_hosts.items()
        if labels_of(item).get(CLUSTER_LABEL) == name and is_ours(item)
    }
    others = {
        host: f"BareMetalHost {namespace}/{host} is not one of this cluster"
        for host in observed.bare_metal_hosts.keys() - own
    }
    plane = observed.get(kinds.control_plane, name)
    sizes = {CONTROL_PLANE_POOL: int(part(plane, "spec").get("replicas") or 0)} if plane is not None else {}
    for item in observed.of_kind(kinds.core.machine_deployment):
        if text(item, "spec", "clusterName") == name:
            sizes[str(item["metadata"]["name"])] = int(part(item, "spec").get("replicas") or 0)
    view = CapiView(
        cluster=f"{namespace}/{name}",
        exists=observed.get(kinds.core.cluster, name) is not None,
        installed=observed.installed or status.phase == "installed",
        failure=status.text() if status.phase in ("failed", "cancelled") else "",
        sizes=sizes,
        machines=tuple(_machine(item, at) for item in observed.machines),
        hosts=frozenset(own),
        pool_labels={host: labels_of(observed.bare_metal_hosts[host]).get(POOL_LABEL, "") for host in own},
        elsewhere=others,
    )
    return view, status


def _machine(item: Object, at: Mapping[str, str]) -> MachineOnHub:
    pool = (
        CONTROL_PLANE_POOL if CONTROL_PLANE_LABEL in labels_of(item) else labels_of(item).get(DEPLOYMENT_NAME_LABEL, "")
    )
    return MachineOnHub(
        name=str(item["metadata"]["name"]),
        pool=pool,
        host=at.get(str(item["metadata"]["name"]), ""),
        node=text(item, "status", "nodeRef", "name"),
        phase=text(item, "status", "phase"),
        deleting=deleting(item),
        created=text(item, "metadata", "creationTimestamp"),
    )


def observe_and_decide(
    client: KubeClient, namespace: str, name: str, request: CapiRequest, references: Sequence[tuple[str, str]] = ()
) -> tuple[CapiView, InstallStatus, CapiDecision]:
    """The hub as it is, and the plan. A host whose BareMetalHost has another owner is left to the safety table."""
    view, status = view_hub(client, namespace, name, metal3=request.metal3, references=references)
    known = {host: why for host, why in view.elsewhere.items() if host in request.hosts}
    view = dataclasses.replace(view, elsewhere=known)
    return view, status, decide(view, request)


def describe(view: CapiView, status: InstallStatus, decision: CapiDecision) -> dict[str, Any]:
    """The module's result."""
    return {
        "exists": view.exists,
        "installed": view.installed,
        "phase": status.phase if view.exists else "",
        "reason": status.reason,
        "hosts": [host.row("name", "action", "reason") for host in decision.hosts],
        "pools": [
            {
                "name": pool,
                "replicas": decision.sizes.get(pool, view.sizes.get(pool, 0)),
                "current_replicas": view.sizes.get(pool, 0),
            }
            for pool in dict.fromkeys([*view.sizes, *decision.sizes])
        ],
        "boot_hosts": decision.boot_hosts,
        "touch_hosts": decision.touch_hosts,
        "leaving_hosts": list(decision.leaving),
        "described_hosts": list(decision.described),
        "delete_first": list(decision.delete_first),
        "recreate": list(decision.recreate),
        "release_hosts": list(decision.release),
        "sizes": dict(decision.sizes),
        "stop": message_of(decision.stop),
    }
