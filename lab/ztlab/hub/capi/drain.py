# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Drain a Node: cordon it, then evict its pods, except those that a drain ignores.

Source: kubernetes-sigs/cluster-api core/reconcilers/machine/machine_controller.go.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from ..client import Client, Refused
from ..names import NODE, Kind, Object, annotations_of, deleting, key_of
from .shape import controller_of

POD = Kind("", "v1", "Pod", "pods")
MIRROR = "kubernetes.io/config.mirror"
OVER = ("Succeeded", "Failed")


@dataclasses.dataclass(frozen=True)
class Drained:
    """``left``: remaining pods; ``blocked``: pods that may not be evicted now, with the reason."""

    left: tuple[str, ...] = ()
    blocked: tuple[str, ...] = ()

    @property
    def done(self) -> bool:
        return not self.left

    @property
    def message(self) -> str:
        more = " …" if len(self.left) > 5 else ""
        parts = [f"Pods that are not gone yet: {', '.join(self.left[:5])}{more}"] if self.left else []
        return "\n".join([*parts, *self.blocked[:3]])


def evictable(pod: Mapping[str, Any]) -> bool:
    """Not what the node runs by itself, what a DaemonSet would bring back, or what is over."""
    if MIRROR in annotations_of(dict(pod)) or controller_of(pod).get("kind") == "DaemonSet":
        return False
    return (pod.get("status") or {}).get("phase") not in OVER


async def drain(client: Client, node: Object) -> Drained:
    """One round. Raises Refused when the cluster does not answer."""
    name = node["metadata"]["name"]
    if not (node.get("spec") or {}).get("unschedulable"):
        await client.patch(NODE, name, "", {"spec": {"unschedulable": True}})
    pods, _version = await client.list(POD)
    left = [pod for pod in pods if (pod.get("spec") or {}).get("nodeName") == name and evictable(pod)]
    blocked = []
    for pod in left:
        if deleting(pod):
            continue
        namespace, pod_name = key_of(pod)
        try:
            await client.act(POD, pod_name, namespace, "eviction", _eviction(pod))
        except Refused as error:
            if error.code == 0:
                raise
            if error.code != 404:
                blocked.append(f"{namespace}/{pod_name}: {error}")
    return Drained(tuple(f"{pod['metadata']['namespace']}/{pod['metadata']['name']}" for pod in left), tuple(blocked))


def _eviction(pod: Object) -> Object:
    namespace, name = key_of(pod)
    return {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": name, "namespace": namespace}}
