# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Connect to the cluster whose Nodes run on the Machines, and find the provider IDs that these Nodes need.

Source: openshift/cluster-api-provider-agent controllers/node_provider_id_controller.go.
"""

from __future__ import annotations

import base64
import dataclasses
from collections.abc import Iterable, Mapping
from typing import Any

from ..common.clock import Clock
from ..common.connect import DIRECT, ConnectTo
from ..common.errors import RemoteError, ZeroTouchError
from ..hub.kinds import SECRET
from ..kube.client import KubeClient
from ..kube.config import resolve, source_of
from ..kube.remote_config import resolve_remote
from ..nodes.provider_ids import WantedId
from .addresses import node_name
from .names import ADMIN_KUBECONFIG, KUBECONFIG_KEY
from .objects import Object, deleting, key_of, part, text


@dataclasses.dataclass(frozen=True)
class Workload:
    """How to reach the workload cluster: ``kubeconfig`` of the user, else that of the Secret; ``connect_to`` as for the
    hub.
    """

    kubeconfig: Mapping[str, Any] | None = None
    connect_to: ConnectTo = DIRECT
    check_mode: bool = False


def wanted_ids(agent_machines: Iterable[Object]) -> tuple[list[WantedId], list[str]]:
    """For every machine that is ready, and stays, the ID of its Node; and those of whom the Node is not known."""
    wanted: list[WantedId] = []
    problems: list[str] = []
    for item in sorted(agent_machines, key=key_of):
        if part(item, "status").get("ready") is not True or deleting(item):
            continue
        title = f"AgentMachine {'/'.join(key_of(item))}"
        name, provider_id = node_name(part(item, "status").get("addresses") or []), text(item, "spec", "providerID")
        if name and provider_id:
            wanted.append(WantedId(name, provider_id, title))
        else:
            missing = "provider ID" if name else "hostname among its addresses"
            problems.append(f"{title} is ready, but has no {missing}: its Node is not known")
    return wanted, problems


def open_workload(hub: KubeClient, namespace: str, workload: Workload, clock: Clock) -> KubeClient:
    """A client of the workload cluster. Raises :class:`ZeroTouchError` where there is no kubeconfig of it."""
    label = f"kubeconfig of the cluster of namespace {namespace}"
    config = (
        resolve(source_of(workload.kubeconfig, label))
        if workload.kubeconfig is not None
        else resolve_remote(_from_secret(hub, namespace), label)
    )
    return KubeClient(
        config,
        connect_to=workload.connect_to,
        clock=clock,
        attempts=2,
        service="The workload cluster's API",
        dry_run=workload.check_mode,
    )


def kubeconfig_secret(hub: KubeClient, namespace: str) -> Object | None:
    """The Secret with the kubeconfig; None where there is none, or we may not read it."""
    try:
        return hub.find(SECRET.path(namespace, ADMIN_KUBECONFIG))
    except RemoteError as error:
        if error.status != 403:
            raise
        return None


def _from_secret(hub: KubeClient, namespace: str) -> bytes:
    secret = hub.find(SECRET.path(namespace, ADMIN_KUBECONFIG))
    encoded = (secret or {}).get("data", {}).get(KUBECONFIG_KEY) if secret else None
    if not encoded:
        what = f"has no key {KUBECONFIG_KEY}" if secret else "does not exist"
        raise ZeroTouchError(
            f"Secret {namespace}/{ADMIN_KUBECONFIG} {what}.",
            ("Name the kubeconfig of the workload cluster in workload_kubeconfig."),
        )
    try:
        return base64.b64decode(str(encoded))
    except ValueError as error:
        raise ZeroTouchError(f"Secret {namespace}/{ADMIN_KUBECONFIG}: {KUBECONFIG_KEY} is not base64.") from error
