# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Detect whether upstream's controller (cluster-api-provider-agent) reconciles a namespace.

Two controllers that claim Agents at the same time would take them from each other.
"""

from __future__ import annotations

import dataclasses
import datetime
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..common.errors import RemoteError
from ..hub.infra_env.image import parse_time
from ..kube.client import KubeClient, Object
from ..kube.faults import UnknownKindError
from ..kube.paths import LEASE
from .kinds import DEPLOYMENT
from .names import HOSTED_DEPLOYMENT, LEASE_NAME, PROVIDER_DEPLOYMENT, PROVIDER_NAMESPACE
from .objects import key_of, part, text


@dataclasses.dataclass(frozen=True)
class Controller:
    """``why`` is the evidence, whether or not the controller is active."""

    active: bool
    why: str


def find_controller(client: KubeClient, namespace: str, provider_namespace: str = PROVIDER_NAMESPACE) -> Controller:
    """Search for the controller's Deployment and lease in the namespaces that HyperShift and the provider's own
    components use.

    A controller whose objects may not be read counts as active.
    """
    places = dict.fromkeys([(namespace, HOSTED_DEPLOYMENT), (provider_namespace, PROVIDER_DEPLOYMENT)])
    for where, name in places:
        try:
            deployment, lease = (
                _found(client, DEPLOYMENT.path(where, name)),
                _found(client, LEASE.path(where, LEASE_NAME)),
            )
            found = judge(namespace, deployment, lease, client.server_time())
        except RemoteError as error:
            if error.status != 403:
                raise
            return Controller(
                True, (f"whether it runs in namespace {where} cannot be read, so it counts as active. {error}")
            )
        if found.active:
            return found
    looked = " and ".join(f"Deployment {where}/{name}" for where, name in places)
    return Controller(
        False, (f"{looked} have no ready replica for this namespace, and lease {LEASE_NAME} has no holder there")
    )


def _found(client: KubeClient, path: str) -> Object | None:
    """An API that does not know the one kind may know the other: a controller that runs elsewhere has no Deployment
    there, but a lease.
    """
    try:
        return client.find(path)
    except UnknownKindError:
        return None


def judge(namespace: str, deployment: Object | None, lease: Object | None, now: datetime.datetime | None) -> Controller:
    """What a Deployment and a lease say. One that was started for another namespace is no rival."""
    if deployment is not None and _serves(deployment, namespace):
        replicas = part(deployment, "status").get("readyReplicas") or 0
        if replicas:
            return Controller(True, f"Deployment {'/'.join(key_of(deployment))} has {replicas} ready")
    holder = text(lease, "spec", "holderIdentity")
    if (
        lease is not None
        and holder
        and not _expired(lease, now)
        and (deployment is None or _serves(deployment, namespace))
    ):
        return Controller(True, f"{holder} holds lease {'/'.join(key_of(lease))}")
    return Controller(False, "no Deployment of it is ready, and its lease has no holder")


def _serves(deployment: Mapping[str, Any], namespace: str) -> bool:
    containers = part(deployment, "spec", "template", "spec").get("containers") or ()
    named = [
        value
        for container in containers
        for value in _namespaces(
            [str(arg) for arg in [*(container.get("command") or []), *(container.get("args") or [])]]
        )
    ]
    # Values that are filled in when the container starts ($(MY_NAMESPACE)) are not known here.
    return all(value in ("", namespace) or value.startswith("$(") for value in named)


def _namespaces(words: Sequence[str]) -> Iterator[str]:
    for index, word in enumerate(words):
        if word.startswith("--namespace="):
            yield word.partition("=")[2]
        elif word == "--namespace" and index + 1 < len(words):
            yield words[index + 1]


def _expired(lease: Mapping[str, Any], now: datetime.datetime | None) -> bool:
    renewed, seconds = parse_time(text(lease, "spec", "renewTime")), part(lease, "spec").get("leaseDurationSeconds")
    if renewed is None or not isinstance(seconds, int) or now is None:
        return False
    return (now - renewed).total_seconds() > seconds
