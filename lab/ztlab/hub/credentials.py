# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Create the Secrets with the credentials of an installed cluster, and set spec.clusterMetadata of the
AgentClusterInstall, which names these Secrets.

Source: openshift/assisted-service internal/controller/controllers/clusterdeployments_controller.go.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping

from ..service.model import Cluster
from .backend import Backend
from .names import (
    CLUSTER_DEPLOYMENT,
    CLUSTER_INSTALL,
    CREDENTIALS_CLUSTER_LABEL,
    CREDENTIALS_TYPE_LABEL,
    SECRET,
    WATCH_LABELS,
    Object,
    key_of,
    owner,
)
from .world import World

EARLY = ("installing", "finalizing", "installing-pending-user-action")
DONE = ("installed", "adding-hosts")


class Credentials:
    def __init__(self, world: World, backend: Backend) -> None:
        self._world, self._backend = world, backend

    async def publish(self, deployment: Object, install: Object, cluster: Cluster) -> None:
        """What can be known by now. Raises BackendError."""
        if cluster.imported or cluster.status not in (*EARLY, *DONE):
            return
        _namespace, name = key_of(deployment)
        reference = ((deployment["spec"].get("clusterMetadata") or {}).get("adminKubeconfigSecretRef") or {}).get(
            "name"
        )
        kubeconfig = reference or f"{name}-admin-kubeconfig"
        done = cluster.status in DONE
        await self._kubeconfig(deployment, kubeconfig, cluster, final=done)
        metadata: Object = {
            "clusterID": cluster.openshift_cluster_id or cluster.id,
            "infraID": cluster.id,
            "adminKubeconfigSecretRef": {"name": kubeconfig},
        }
        if done:
            password = f"{name}-admin-password"
            data = {"username": b"kubeadmin", "password": cluster.kubeadmin_password.encode()}
            await self._secret(deployment, password, data, "kubeadmincreds")
            metadata["adminPasswordSecretRef"] = {"name": password}
        present = install["spec"].get("clusterMetadata") or {}
        if any(present.get(member) != value for member, value in metadata.items()):
            await self._world.patch(CLUSTER_INSTALL, install, {"spec": {"clusterMetadata": metadata}})

    async def _kubeconfig(self, deployment: Object, name: str, cluster: Cluster, *, final: bool) -> None:
        """Once written it changes only for the variant that trusts the ingress: every reading of the service makes
        another client certificate.
        """
        namespace = key_of(deployment)[0]
        known = self._world.get(SECRET, (namespace, name))
        marker = f"{CREDENTIALS_TYPE_LABEL}-final"
        if (
            known is not None
            and (known.get("data") or {}).get("kubeconfig")
            and (not final or (known["metadata"].get("annotations") or {}).get(marker))
        ):
            return
        with_ingress = final and bool(cluster.ingress_ca)
        text = await self._backend.call(
            "GET",
            f"/v2/clusters/{cluster.id}/downloads/credentials",
            query={"file_name": "kubeconfig" if with_ingress else "kubeconfig-noingress"},
        )
        await self._secret(
            deployment, name, {"kubeconfig": text}, "kubeconfig", annotations={marker: "true"} if final else None
        )

    async def _secret(
        self,
        deployment: Object,
        name: str,
        data: Mapping[str, bytes],
        kind: str,
        *,
        annotations: Mapping[str, str] | None = None,
    ) -> None:
        namespace, deployment_name = key_of(deployment)
        encoded = {key: base64.b64encode(value).decode() for key, value in data.items()}
        labels = {CREDENTIALS_CLUSTER_LABEL: deployment_name, CREDENTIALS_TYPE_LABEL: kind, **WATCH_LABELS}
        known = self._world.get(SECRET, (namespace, name))
        if known is not None:
            if known.get("data") != encoded:
                await self._world.patch(
                    SECRET, known, {"metadata": {"annotations": dict(annotations or {})}, "data": encoded}
                )
            return
        metadata: Object = {
            "name": name,
            "namespace": namespace,
            "labels": labels,
            "annotations": dict(annotations or {}),
            "ownerReferences": [owner(deployment, CLUSTER_DEPLOYMENT, block=True)],
        }
        await self._world.create(SECRET, {"metadata": metadata, "type": "Opaque", "data": encoded})
