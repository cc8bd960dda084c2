# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Set the provider ID of a Node, which links the Node to its Machine.

Source: openshift/cluster-api-provider-agent controllers/node_provider_id_controller.go.
"""

from __future__ import annotations

import base64
import binascii

from ...client import Refused
from ...names import NODE, SECRET, Key, Object
from ...spoke import Spokes
from ...world import World
from ..kinds import AGENT_MACHINE
from .bootstrap import Failure, backup_label
from .instances import Instances

WAIT_SECONDS = 30.0
KUBECONFIG = "admin-kubeconfig"


class NodeProviderIdController:
    """Keys are AgentMachines."""

    def __init__(self, world: World, spokes: Spokes, instances: Instances) -> None:
        self._world, self._spokes, self._instances = world, spokes, instances

    async def reconcile(self, key: Key) -> float | None:
        item = self._world.get(AGENT_MACHINE, key)
        if item is None or self._instances.scope(key[0]) is None:
            return None
        status = item.get("status") or {}
        if not status.get("ready"):
            return WAIT_SECONDS
        name = next(
            (entry["address"] for entry in status.get("addresses") or [] if entry["type"] == "InternalDNS"), None
        )
        if name is None:
            raise Failure("failed to find agentMachine InternalDNS")
        await self._set(item, name, await self._kubeconfig(key[0]))
        return None

    async def _kubeconfig(self, namespace: str) -> str:
        secret = await self._world.client.get(SECRET, KUBECONFIG, namespace)
        if secret is None:
            raise Failure(f'secrets "{KUBECONFIG}" not found')
        await backup_label(self._world, secret)
        try:
            text = base64.b64decode((secret.get("data") or {}).get("kubeconfig") or "").decode()
        except (binascii.Error, ValueError) as error:
            raise Failure(f"secret {KUBECONFIG}: {error}") from error
        if not text:
            raise Failure(f"secret {KUBECONFIG} has no kubeconfig")
        return text

    async def _set(self, item: Object, name: str, kubeconfig: str) -> None:
        try:
            client = self._spokes.client(kubeconfig)
            node = await client.get(NODE, name)
        except (Refused, ValueError) as error:
            raise Failure(f"failed to find node with name {name}: {error}") from error
        if node is None:
            raise Failure(f"failed to find node with name {name}")
        wanted, present = item["spec"].get("providerID"), (node.get("spec") or {}).get("providerID")
        if present and present != wanted:
            raise Failure(f"node {name} has provider id {present}, not {wanted}")
        if not present:
            await client.patch(NODE, name, "", {"spec": {"providerID": wanted}})
