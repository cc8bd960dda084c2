# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Plan the writes that one AgentCluster needs: its ClusterDeployment, its AgentClusterInstall, its status. Pure.

Upstream's controller makes one step in each reconcile pass, and the changed status triggers the next pass. Here one
plan has all steps, in the same order.

Source: openshift/cluster-api-provider-agent controllers/agentcluster_controller.go.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from ...hub.agents.model import ClusterRef
from ...hub.kinds import AGENT_CLUSTER_INSTALL, CLUSTER_DEPLOYMENT, SECRET
from ..ignition_endpoint import install_endpoint
from ..kinds import AGENT_CLUSTER
from ..names import AGENT_CLUSTER_FINALIZER, CLUSTER_LABEL
from ..objects import Object, backup_label, deleting, finalizers, key_of, part, paused, text
from ..steps import Chain, ChainStep, create, patch


@dataclasses.dataclass(frozen=True)
class ControlPlane:
    """The fields of the control plane object that the ClusterDeployment needs.

    ``missing`` is what the plan waits for; then the other fields may be empty.
    """

    name: str = ""
    base_domain: str = ""
    pull_secret: str = ""
    kubeconfig: str = ""
    password: str = ""
    missing: str = ""

    @property
    def secrets(self) -> tuple[str, ...]:
        return tuple(name for name in (self.pull_secret, self.kubeconfig, self.password) if name)


@dataclasses.dataclass(frozen=True)
class AgentClusterView:
    """One AgentCluster and what belongs to it.

    ``deployment`` is the ClusterDeployment that it refers to or that carries its label, in its own namespace;
    ``secrets`` are those that are there, by (namespace, name). ``provisioned`` is whether the served schema has
    ``status.initialization``.
    """

    agent_cluster: Object
    control_plane: ControlPlane = dataclasses.field(default_factory=ControlPlane)
    deployment: Object | None = None
    install: Object | None = None
    secrets: Mapping[tuple[str, str], Object] = dataclasses.field(default_factory=dict, repr=False)
    provisioned: bool = False


@dataclasses.dataclass(frozen=True)
class AgentClusterPlan:
    """``reference`` is the ClusterDeployment that Agents are bound to once the chain is done; None while there is none.

    ``waits_for`` says why the cluster is not ready, ``problems`` what does not recover by itself. ``left_alone``: it is
    paused or goes, and is not to become ready.
    """

    chain: Chain
    reference: ClusterRef | None = None
    ready: bool = False
    waits_for: str = ""
    problems: tuple[str, ...] = ()
    left_alone: bool = False


def read_control_plane(obj: Mapping[str, Any] | None, name: str) -> ControlPlane:
    """The control plane object, typically a HostedControlPlane; None if there is none (yet)."""
    if obj is None:
        return ControlPlane(name, missing=f"its control plane object {name} does not exist")
    found = {
        "base_domain": text(obj, "spec", "dns", "baseDomain"),
        "pull_secret": text(obj, "spec", "pullSecret", "name"),
        "kubeconfig": text(obj, "status", "kubeConfig", "name"),
        "password": text(obj, "status", "kubeadminPassword", "name"),
    }
    words = {
        "base_domain": "spec.dns.baseDomain",
        "pull_secret": "spec.pullSecret.name",
        "kubeconfig": "status.kubeConfig.name",
    }
    missing = [path for field, path in words.items() if not found[field]]
    return ControlPlane(
        name, **found, missing=f"its control plane object {name} has no {', '.join(missing)} yet" if missing else ""
    )


def chain_name(agent_cluster: Mapping[str, Any]) -> str:
    return "AgentCluster " + "/".join(key_of(agent_cluster))


def plan_cluster(view: AgentClusterView) -> AgentClusterPlan:
    """The whole way of one AgentCluster to ``status.ready``, as far as it can go now."""
    cluster = view.agent_cluster
    if deleting(cluster):
        return _plan_deletion(view)
    if paused(cluster):
        orphaned = (*_metadata(cluster, {}), *_orphan(view))
        return AgentClusterPlan(
            Chain(chain_name(cluster), orphaned), _reference(view), _ready(cluster), "it is paused", left_alone=True
        )
    steps = _metadata(cluster, backup_label(cluster))
    if view.deployment is None and view.control_plane.missing:
        return AgentClusterPlan(
            Chain(chain_name(cluster), tuple(steps)), None, _ready(cluster), view.control_plane.missing
        )
    if view.deployment is not None and deleting(view.deployment):
        waits = f"its ClusterDeployment {'/'.join(key_of(view.deployment))} is being deleted"
        return AgentClusterPlan(Chain(chain_name(cluster), tuple(steps)), None, _ready(cluster), waits)
    reference = _reference(view) or ClusterRef(*key_of(cluster))
    steps = [*steps, *_deployment(view), *_install(view, reference)]
    has_endpoint = bool(
        text(cluster, "spec", "controlPlaneEndpoint", "host")
        and part(cluster, "spec", "controlPlaneEndpoint").get("port")
    )
    ready = has_endpoint or _ready(cluster)
    steps += patch(AGENT_CLUSTER, cluster, {"status": _status(view, reference, ready=ready)}, subresource="status")
    waits_for = "" if ready else "it has no spec.controlPlaneEndpoint yet"
    return AgentClusterPlan(
        Chain(chain_name(cluster), tuple(steps)), reference, ready, waits_for, tuple(_problems(view))
    )


def _ready(cluster: Mapping[str, Any]) -> bool:
    return part(cluster, "status").get("ready") is True


def _metadata(cluster: Mapping[str, Any], more_labels: Mapping[str, str]) -> list[ChainStep]:
    present = finalizers(cluster)
    wanted = present if AGENT_CLUSTER_FINALIZER in present else [*present, AGENT_CLUSTER_FINALIZER]
    return patch(AGENT_CLUSTER, cluster, {"metadata": {"finalizers": wanted, "labels": dict(more_labels)}})


def _reference(view: AgentClusterView) -> ClusterRef | None:
    """The ClusterDeployment that is there."""
    return ClusterRef(*key_of(view.deployment)) if view.deployment is not None else None


def _status(view: AgentClusterView, reference: ClusterRef, *, ready: bool) -> dict[str, Any]:
    status: dict[str, Any] = {"clusterDeploymentReference": {"name": reference.name, "namespace": reference.namespace}}
    if ready:
        status["ready"] = True
        status |= {"initialization": {"provisioned": True}} if view.provisioned else {}
    return status


def _deployment(view: AgentClusterView) -> list[ChainStep]:
    """The ClusterDeployment: made, or ours by owner and label.

    A deleted one is created again, where upstream fails at every pass.
    """
    if view.deployment is None:
        secrets = [
            step for name in view.control_plane.secrets for step in _backup(view, key_of(view.agent_cluster)[0], name)
        ]
        return [
            *secrets,
            create(
                CLUSTER_DEPLOYMENT,
                deployment_object(view.agent_cluster, view.control_plane),
                "the cluster of the control plane, for Agents",
            ),
        ]
    owners = _owners_with(view.deployment, view.agent_cluster)
    metadata = {"ownerReferences": owners, "labels": {CLUSTER_LABEL: key_of(view.agent_cluster)[1]}}
    return patch(CLUSTER_DEPLOYMENT, view.deployment, {"metadata": metadata})


def _owners_with(obj: Mapping[str, Any], cluster: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The owners with this AgentCluster among them, by its present UID: an owner that was created again has another
    UID.
    """
    owners = [dict(owner) for owner in part(obj, "metadata").get("ownerReferences") or ()]
    mine = [index for index, owner in enumerate(owners) if _names(owner, cluster)]
    reference = owner_reference(cluster)
    if not mine:
        return [*owners, reference]
    if owners[mine[0]].get("uid") != reference["uid"]:
        owners[mine[0]] = {**owners[mine[0]], **reference}
    return owners


def _names(owner: Mapping[str, Any], cluster: Mapping[str, Any]) -> bool:
    group = str(owner.get("apiVersion") or "").partition("/")[0]
    return (
        group == AGENT_CLUSTER.group
        and owner.get("kind") == AGENT_CLUSTER.kind
        and owner.get("name") == key_of(cluster)[1]
    )


def owner_reference(cluster: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "apiVersion": AGENT_CLUSTER.api_version,
        "kind": AGENT_CLUSTER.kind,
        "name": key_of(cluster)[1],
        "uid": text(cluster, "metadata", "uid"),
    }


def deployment_object(cluster: Mapping[str, Any], control_plane: ControlPlane) -> Object:
    """The ClusterDeployment as upstream creates it (4.2)."""
    namespace, name = key_of(cluster)
    owners = part(cluster, "metadata").get("ownerReferences") or ()
    cluster_id = next((str(owner.get("uid") or "") for owner in owners), "")
    metadata: dict[str, Any] = {
        "clusterID": cluster_id,
        "infraID": cluster_id,
        "adminKubeconfigSecretRef": {"name": control_plane.kubeconfig},
    }
    if control_plane.password:
        metadata["adminPasswordSecretRef"] = {"name": control_plane.password}
    install = {
        "group": AGENT_CLUSTER_INSTALL.group,
        "version": AGENT_CLUSTER_INSTALL.version,
        "kind": AGENT_CLUSTER_INSTALL.kind,
        "name": name,
    }
    return {
        "metadata": {
            "name": name,
            "namespace": namespace,
            "labels": {CLUSTER_LABEL: name},
            "ownerReferences": [owner_reference(cluster)],
        },
        "spec": {
            "installed": True,
            "clusterName": control_plane.name,
            "baseDomain": control_plane.base_domain,
            "platform": {"agentBareMetal": {"agentSelector": {}}},
            "pullSecretRef": {"name": control_plane.pull_secret},
            "clusterInstallRef": install,
            "clusterMetadata": metadata,
            # empty, and there all the same: so upstream's typed client writes it
            "controlPlaneConfig": {"servingCertificates": {}},
        },
    }


def _install(view: AgentClusterView, reference: ClusterRef) -> list[ChainStep]:
    if view.install is not None:
        return []
    ca = part(view.agent_cluster, "spec", "ignitionEndpoint", "caCertificateReference")
    labelled = (
        _backup(view, str(ca.get("namespace") or ""), str(ca.get("name") or "")) if ca and _endpoint(view) else []
    )
    return [
        *labelled,
        create(
            AGENT_CLUSTER_INSTALL,
            install_object(view.agent_cluster, reference),
            "how hosts of this cluster get their ignition",
        ),
    ]


def install_object(cluster: Mapping[str, Any], reference: ClusterRef) -> Object:
    """The AgentClusterInstall as upstream creates it (4.3)."""
    spec: dict[str, Any] = {
        "clusterDeploymentRef": {"name": reference.name},
        "provisionRequirements": {"controlPlaneAgents": 3},
        "networking": {"userManagedNetworking": True},
    }
    endpoint = part(cluster, "spec", "ignitionEndpoint")
    url = install_endpoint(str(endpoint.get("url") or ""))
    if url:
        ca = endpoint.get("caCertificateReference")
        spec["ignitionEndpoint"] = {"url": url} | (
            {"caCertificateReference": {"namespace": ca["namespace"], "name": ca["name"]}} if ca else {}
        )
    return {"metadata": {"name": reference.name, "namespace": reference.namespace}, "spec": spec}


def _endpoint(view: AgentClusterView) -> str:
    return install_endpoint(text(view.agent_cluster, "spec", "ignitionEndpoint", "url"))


def _backup(view: AgentClusterView, namespace: str, name: str) -> list[ChainStep]:
    secret = view.secrets.get((namespace, name))
    if secret is None:
        return []
    return [
        dataclasses.replace(step, optional=True)
        for step in patch(SECRET, secret, {"metadata": {"labels": backup_label(secret)}})
    ]


def _problems(view: AgentClusterView) -> list[str]:
    found = []
    wanted, present = _endpoint(view), text(view.install, "spec", "ignitionEndpoint", "url")
    if view.install is not None and wanted != present:
        title = f"AgentClusterInstall {'/'.join(key_of(view.install))}"
        shown_wanted = wanted or "none"
        endpoint = f"the ignition endpoint {present}" if present else "no ignition endpoint"
        what = f"{title} has {endpoint}, but the AgentCluster has {shown_wanted}"
        found.append(
            f"{what}. The endpoint is copied only when the AgentClusterInstall is created. Delete it while no host is "
            "bound; the next run creates it again."
        )
    elsewhere = part(view.agent_cluster, "status", "clusterDeploymentReference")
    if view.deployment is None and elsewhere.get("name"):
        found.append(
            f"ClusterDeployment {elsewhere.get('namespace')}/{elsewhere['name']} was deleted, and is created again"
        )
    return found


def _plan_deletion(view: AgentClusterView) -> AgentClusterPlan:
    """The ClusterDeployment goes with its owner, and with it the bindings of all Agents; a paused AgentCluster leaves
    it behind (4.4).
    """
    cluster = view.agent_cluster
    steps = _orphan(view) if paused(cluster) else []
    kept = [name for name in finalizers(cluster) if name != AGENT_CLUSTER_FINALIZER]
    steps += (
        patch(AGENT_CLUSTER, cluster, {"metadata": {"finalizers": kept}}, why="it is deleted")
        if AGENT_CLUSTER_FINALIZER in finalizers(cluster)
        else []
    )
    return AgentClusterPlan(
        Chain(chain_name(cluster), tuple(steps)), None, waits_for="it is being deleted", left_alone=True
    )


def _orphan(view: AgentClusterView) -> list[ChainStep]:
    """Without its owner the ClusterDeployment stays when the AgentCluster goes: hubs are moved that way."""
    if view.deployment is None:
        return []
    reference = owner_reference(view.agent_cluster)
    present = part(view.deployment, "metadata").get("ownerReferences") or []
    kept = [owner for owner in present if not all(owner.get(key) == value for key, value in reference.items())]
    if len(kept) == len(present):
        return []
    return patch(
        CLUSTER_DEPLOYMENT,
        view.deployment,
        {"metadata": {"ownerReferences": kept}},
        why=("its AgentCluster is paused: the ClusterDeployment is kept when the AgentCluster is deleted"),
    )
