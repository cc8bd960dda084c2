# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test helpers: start a hub with OpenShift Assisted's providers, and create the objects that a user of them creates."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

from ztlab.hub.capi.kinds import CoreKinds
from ztlab.hub.names import Kind, Object

from ..rig import SITE, Rig, hub_rig

CORE = CoreKinds("v1beta2", "v1alpha3", "v1beta1")
CONFIG = {"sshAuthorizedKey": "ssh-ed25519 AAAA", "pullSecretRef": {"name": "pull-secret"}}
NAMED = {"name": "$METADATA_NAME", "kubeletExtraLabels": ["metal3.io/uuid=$METADATA_UUID"]}


def reference(kind: Kind, name: str) -> Object:
    return {"apiGroup": kind.group, "kind": kind.kind, "name": name}


def condition_of(item: Object, kind: str, member: str = "conditions") -> tuple[str, str]:
    """(status, reason); empty when there is none."""
    found = next((entry for entry in (item.get("status") or {}).get(member) or [] if entry["type"] == kind), {})
    return str(found.get("status", "")), str(found.get("reason", ""))


class Scene:
    """``plane`` and the other functions write what a user writes."""

    def __init__(self, rig: Rig) -> None:
        self.rig = rig

    async def cluster(self, name: str = "c1", *, namespace: str = "edge", plane: str = "") -> None:
        """A Cluster whose infrastructure is there, and the template of its control plane's Machines."""
        rig = self.rig
        endpoint = {"host": f"api.{name}.lab.example.com", "port": 6443}
        await rig.create(
            CORE.metal3_cluster, name, {"controlPlaneEndpoint": endpoint, "noCloudProvider": True}, namespace=namespace
        )
        await rig.client.patch(CORE.metal3_cluster, name, namespace, {"status": {"ready": True}}, subresource="status")
        spec = {
            "clusterNetwork": {"pods": {"cidrBlocks": ["172.18.0.0/20"]}, "services": {"cidrBlocks": ["10.96.0.0/12"]}},
            "controlPlaneRef": reference(CORE.control_plane, plane or name),
            "infrastructureRef": reference(CORE.metal3_cluster, name),
        }
        await rig.create(CORE.cluster, name, spec, namespace=namespace)
        await self.template(name, namespace=namespace)

    async def template(self, name: str, *, namespace: str = "edge") -> None:
        spec = {
            "template": {
                "spec": {"image": {"url": "http://images.example.com/rhcos.qcow2", "checksum": "c", "format": "qcow2"}}
            }
        }
        await self.rig.create(CORE.metal3_machine_template, name, spec, namespace=namespace)

    async def plane(
        self,
        name: str = "c1",
        *,
        template: str = "",
        namespace: str = "edge",
        metadata: Object | None = None,
        **spec: Any,
    ) -> None:
        config = {"baseDomain": "lab.example.com", "pullSecretRef": {"name": "pull-secret"}, **spec.pop("config", {})}
        body = {
            "distributionVersion": "4.22.0",
            "replicas": 1,
            "config": {key: value for key, value in config.items() if value is not None},
            "openshiftAssistedConfigSpec": CONFIG,
            "machineTemplate": {"infrastructureRef": reference(CORE.metal3_machine_template, template or name)},
            **spec,
        }
        await self.rig.create(CORE.control_plane, name, body, namespace=namespace, metadata=metadata or {})

    async def pool(self, name: str = "w", *, replicas: int | None = 1, cluster: str = "c1") -> None:
        labels = {"cluster.x-k8s.io/cluster-name": cluster}
        await self.rig.create(CORE.config_template, name, {"template": {"spec": CONFIG}})
        await self.template(name)
        machine = {
            "clusterName": cluster,
            "bootstrap": {"configRef": reference(CORE.config_template, name)},
            "infrastructureRef": reference(CORE.metal3_machine_template, name),
        }
        body: Object = {
            "clusterName": cluster,
            "selector": {"matchLabels": labels},
            "template": {"metadata": {"labels": labels}, "spec": machine},
        }
        await self.rig.create(
            CORE.machine_deployment,
            name,
            body | ({} if replicas is None else {"replicas": replicas}),
            metadata={"labels": labels},
        )

    async def machines(self, number: int, *, namespace: str = "edge") -> list[Object]:
        """The Machines once there are so many."""
        while len(found := (await self.rig.client.list(CORE.machine, namespace))[0]) != number:
            await asyncio.sleep(0.05)
        return found


@contextlib.asynccontextmanager
async def scene(tmp_path: Path) -> AsyncIterator[Scene]:
    providers = {"provider": "none", "openshift_assisted": "v1alpha3", "metal3": "v1beta1"}
    async with hub_rig(tmp_path, site={**SITE, "hub": {**SITE["hub"], "cluster_api": providers}}) as rig:
        yield Scene(rig)
