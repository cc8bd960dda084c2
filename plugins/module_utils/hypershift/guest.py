# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Read the kubeconfig of a hosted cluster, and list its certificate requests that are not approved.

The hosted cluster's own API is contacted only if a host is stuck.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping
from typing import Any

from ..capi.objects import part, text
from ..common.connect import ConnectTo
from ..common.errors import ZeroTouchError
from ..hub.kinds import SECRET
from ..kube.client import KubeClient, Object
from ..kube.remote_config import resolve_remote
from ..nodes.approval import look
from ..nodes.csrs import Expected
from .node_pool.view import PoolView

# Seconds: a hosted cluster that does not respond must not delay the report about it.
_TIMEOUT = 5.0


def kubeconfig_of(client: KubeClient, hosted_cluster: Object | None) -> str:
    """The administrator's kubeconfig of a hosted cluster; empty while there is none.

    Raises :class:`ZeroTouchError` for a Secret that holds no text.
    """
    return secret_text(client, hosted_cluster, "kubeconfig", "kubeconfig")


def secret_text(client: KubeClient, hosted_cluster: Object | None, reference: str, key: str) -> str:
    """The text in the Secret that ``status.<reference>.name`` names."""
    name = text(hosted_cluster, "status", reference, "name")
    if not name:
        return ""
    namespace = text(hosted_cluster, "metadata", "namespace")
    found = client.find(SECRET.path(namespace, name))
    value = part(found, "data").get(key)
    try:
        return base64.b64decode(str(value), validate=True).decode() if value else ""
    except (binascii.Error, ValueError) as error:
        raise ZeroTouchError(f"Secret {namespace}/{name} of the hosted cluster holds no text under {key}.") from error


def pending_requests(client: KubeClient, params: Mapping[str, Any], view: PoolView) -> list[str]:
    """Certificate requests that hold Nodes of the pool up, a line each; or why that could not be seen.

    Empty if no Machine waits for its Node.
    """
    waiting = [
        machine for machine in view.machines if machine.state in ("csr-pending", "node-not-ready") and machine.hostname
    ]
    if not waiting:
        return []
    try:
        kubeconfig = kubeconfig_of(client, view.hosted_cluster)
        if not kubeconfig:
            return []
        config = resolve_remote(kubeconfig, f"kubeconfig of hosted cluster {view.cluster}")
        guest = KubeClient(
            config,
            connect_to=ConnectTo.of(params.get("connect_to") or {}),
            timeout=_TIMEOUT,
            service=f"The API of {view.cluster}",
        )
    except ZeroTouchError as error:
        return [f"they could not be read: {error}"]
    try:
        # Nothing is approved here: whether it could be is cluster-machine-approver's decision.
        seen = look(guest, [Expected(machine.hostname, accept_reported=True) for machine in waiting])
    except ZeroTouchError as error:
        return [f"they could not be read: {error}"]
    finally:
        guest.close()
    open_ends = [decision for decision in seen.decisions if decision.verdict in ("approve", "refuse") and decision.kind]
    nodes = [
        (each, each.node or "no node", f" ({each.reason})" if each.verdict == "refuse" else "") for each in open_ends
    ]
    return [f"{each.name} of {node} is pending{why}" for each, node, why in nodes]
