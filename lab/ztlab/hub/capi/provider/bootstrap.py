# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Convert the bootstrap data of a Machine to the fields of its Agent, and write the Secret with the ignition token.

Source: openshift/cluster-api-provider-agent controllers/agentmachine_controller.go.
"""

from __future__ import annotations

import base64
import binascii
import json
from typing import Any

from ...client import Refused
from ...names import BACKUP_LABELS, SECRET, WATCH_LABELS, Object
from ...world import World

BEARER = "Bearer "


class Failure(Refused):
    """A reconcile pass that ends with an error and is retried."""

    def __init__(self, text: str) -> None:
        super().__init__(0, "Failed", text)


def parsed(text: bytes) -> tuple[str, str, dict[str, str]]:
    """(machine config pool, token, other headers) of an Ignition config. Raises Failure."""
    try:
        document: Any = json.loads(text)
        merge = ((document.get("ignition") or {}).get("config") or {}).get("merge") or []
    except (ValueError, AttributeError) as error:
        raise Failure(f"failed to parse ignition: {error}") from error
    if len(merge) != 1:
        raise Failure("did not find one ignition source as expected")
    token, headers = "", {}
    for entry in merge[0].get("httpHeaders") or []:
        name, value = entry["name"], entry["value"]
        if name != "Authorization":
            headers[name] = value
        elif not value.startswith(BEARER):
            raise Failure("did not find expected prefix for bearer token")
        else:
            token = value.removeprefix(BEARER)
    return str(merge[0]["source"]).rpartition("/")[2], token, headers


async def backup_label(world: World, secret: Object) -> None:
    """Best effort."""
    if all(name in (secret["metadata"].get("labels") or {}) for name in BACKUP_LABELS):
        return
    try:
        await world.metadata(SECRET, secret, labels=BACKUP_LABELS)
    except Refused:
        return


async def bootstrap(world: World, machine: Object) -> dict[str, Any]:
    """The three members for the Agent; {} for a Machine without bootstrap data. Raises Failure, Refused."""
    name = (machine["spec"].get("bootstrap") or {}).get("dataSecretName")
    if not name:
        return {}
    namespace = machine["metadata"]["namespace"]
    secret = await world.client.get(SECRET, name, namespace)
    if secret is None:
        raise Failure(f'secrets "{name}" not found')
    await backup_label(world, secret)
    try:
        text = base64.b64decode((secret.get("data") or {}).get("value", ""))
    except binascii.Error as error:
        raise Failure(f"secret {name}: {error}") from error
    pool, token, headers = parsed(text)
    await _put_token(world, namespace, f"agent-{name}", token)
    return {
        "machineConfigPool": pool,
        "ignitionEndpointTokenReference": {"namespace": namespace, "name": f"agent-{name}"},
        "ignitionEndpointHTTPHeaders": headers,
    }


async def _put_token(world: World, namespace: str, name: str, token: str) -> None:
    body: Object = {
        "metadata": {"name": name, "namespace": namespace, "labels": dict(WATCH_LABELS)},
        "type": "Opaque",
        "data": {"ignition-token": base64.b64encode(token.encode()).decode()},
    }
    try:
        await world.create(SECRET, body)
    except Refused as error:
        if error.reason != "AlreadyExists":
            raise
        present = await world.client.get(SECRET, name, namespace)
        if present is not None and (
            present.get("data") == body["data"] and (present["metadata"].get("labels") or {}) == WATCH_LABELS
        ):
            return
        await world.client.replace(SECRET, {"apiVersion": "v1", "kind": "Secret", **body})
