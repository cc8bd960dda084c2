# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Reconcile the AgentClusterInstall of a control plane: copy its kubeconfig to the Secret ``<cluster>-kubeconfig``, and
report the installation progress in the status of the control plane.

Source: openshift-assisted/cluster-api-provider-openshift-assisted
  controlplane/internal/controller/agentclusterinstall_controller.go.
"""

from __future__ import annotations

from ...conditions import Condition
from ...controller import Retry
from ...names import CLUSTER_INSTALL, SECRET, Key, Object, labels_of, owner
from ...world import World
from ..conditions import false, new_form, true
from ..kinds import CLUSTER_NAME, CONTROL_PLANE, CoreKinds
from . import names

RUNNING_STATES = ("finalizing", "adding-hosts")


class InstallController:
    """Reconcile keys are all AgentClusterInstalls. An AgentClusterInstall without a control plane as owner causes an
    error each time (defect D17 in docs/lab-scope.md).
    """

    def __init__(self, world: World, core: CoreKinds) -> None:
        self._world, self._core = world, core

    async def reconcile(self, key: Key) -> float | None:
        """Raises Retry, and Refused where another controller changed the control plane meanwhile (defect D16)."""
        install = self._world.get(CLUSTER_INSTALL, key)
        if install is None:
            return None
        owners = install["metadata"].get("ownerReferences") or []
        name = next((entry["name"] for entry in owners if entry["apiVersion"].startswith(f"{CONTROL_PLANE}/")), None)
        plane = self._world.get(self._core.control_plane, (key[0], name)) if name is not None else None
        if plane is None:
            raise Retry(f"no OpenshiftAssistedControlPlane owns AgentClusterInstall {key[0]}/{key[1]}")
        wanted: list[Condition] = []
        secret = ((install["spec"].get("clusterMetadata") or {}).get("adminKubeconfigSecretRef") or {}).get("name")
        initialized = False
        if secret:
            await self._kubeconfig(plane, secret)
            wanted.append(true("KubeconfigAvailable", "KubeconfigAvailable"))
            initialized = True
        else:
            wanted.append(false("KubeconfigAvailable", "KubeconfigUnavailable", "Kubeconfig not available"))
        state = ((install.get("status") or {}).get("debugInfo") or {}).get("state", "")
        if state in RUNNING_STATES:
            wanted.append(true("Available", "Available"))
            initialized = True
        else:
            wanted.append(false("Available", "ControlPlaneInstalling", f"Controlplane installing, status: {state}"))
        await self._show(plane, wanted, initialized=initialized)
        return None

    async def _show(self, plane: Object, wanted: list[Condition], *, initialized: bool) -> None:
        """The whole status at once, as it was when this pass read it."""
        status = dict(plane.get("status") or {})
        status["conditions"] = new_form(
            status.get("conditions") or [], wanted, self._world.now(), int(plane["metadata"].get("generation") or 1)
        )
        if initialized:
            status["initialization"] = {**(status.get("initialization") or {}), "controlPlaneInitialized": True}
        await self._world.replace_status(self._core.control_plane, plane, status)

    async def _kubeconfig(self, plane: Object, name: str) -> None:
        """Copied once (defect D11). Raises Retry."""
        namespace = plane["metadata"]["namespace"]
        source = self._world.get(SECRET, (namespace, name))
        if source is None:
            raise Retry(f'secrets "{name}" not found')
        cluster = labels_of(plane).get(CLUSTER_NAME, "")
        await self._world.metadata(SECRET, source, labels={CLUSTER_NAME: cluster})
        target = f"{cluster}-kubeconfig"
        if self._world.get(SECRET, (namespace, target)) is not None:
            return
        data = (source.get("data") or {}).get("kubeconfig")
        if not data:
            raise Retry(f"secret {namespace}/{name} has no key kubeconfig")
        owners = [{**owner(plane, self._core.control_plane, block=True), "controller": True}]
        metadata = {
            "name": target,
            "namespace": namespace,
            "labels": {CLUSTER_NAME: cluster},
            "ownerReferences": owners,
        }
        await self._world.create(SECRET, {"metadata": metadata, "type": names.SECRET_TYPE, "data": {"value": data}})
