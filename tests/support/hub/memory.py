# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Create a cluster description for a hub, and simulate a Kubernetes API that keeps objects in memory."""

from __future__ import annotations

import copy
import dataclasses
import re
from collections.abc import Iterator, Mapping
from typing import Any

from ansible_collections.zerotouch.openshift.plugins.module_utils.cluster.spec import (
    Cluster,
    Deployment,
    Networking,
    Pool,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.hub.install.objects import HubCluster
from ansible_collections.zerotouch.openshift.plugins.module_utils.kube.client import Event
from ansible_collections.zerotouch.openshift.plugins.module_utils.kube.faults import ConflictError
from ansible_collections.zerotouch.openshift.plugins.module_utils.kube.write import merged

PULL_SECRET = '{"auths": {"quay.io": {"auth": "c3VwZXItc2VjcmV0Cg=="}}}'


def hub_cluster(*, hold: bool | None = None, image_set: str = "", **changes: Any) -> HubCluster:
    spec = Cluster(
        name="edge",
        base_domain="example.com",
        version="4.22.0",
        release_image="quay.io/openshift-release-dev/ocp-release:4.22.0-x86_64",
        platform="baremetal",
        control_plane=Pool(3),
        compute=Pool(2),
        api_vips=("192.0.2.5",),
        ingress_vips=("192.0.2.6",),
        networking=Networking(machine_networks=("192.0.2.0/24",)),
        pull_secret=PULL_SECRET,
        ssh_key="ssh-ed25519 AAAA",
    )
    return HubCluster(Deployment(dataclasses.replace(spec, **changes), ()), "fleet", hold, image_set)


class MemoryApi:
    """The part of a KubeClient that planners and appliers use, over a dictionary of path -> object.

    ``conflicts``: 409 that many times first.
    """

    service = "The hub's API"
    server = "https://api.hub.example.com:6443"
    dry_run = False

    def __init__(self) -> None:
        self.objects: dict[str, dict[str, Any]] = {}
        self.writes: list[str] = []
        self.conflicts = 0
        self._version = 0

    def put(self, path: str, body: Mapping[str, Any]) -> None:
        self._version += 1
        stored = copy.deepcopy(dict(body))
        stored.setdefault("metadata", {})
        stored["metadata"] |= {
            "resourceVersion": str(self._version),
            "uid": stored["metadata"].get("uid", f"uid-{self._version}"),
        }
        self.objects[path] = stored

    def find(self, path: str) -> dict[str, Any] | None:
        return copy.deepcopy(self.objects.get(path))

    def get(self, path: str) -> dict[str, Any]:
        return copy.deepcopy(self.objects[path])

    def list(self, path: str, **_selectors: str) -> list[dict[str, Any]]:
        # A list over all namespaces finds those of every one.
        pattern = re.compile(re.escape(path).replace("/[^/]+", "") + r"/[^/]+$")
        head, _slash, plural = path.rpartition("/")
        anywhere = re.compile(re.escape(head) + r"(/namespaces/[^/]+)?/" + re.escape(plural) + r"/[^/]+$")
        return [copy.deepcopy(item) for key, item in self.objects.items() if pattern.match(key) or anywhere.match(key)]

    def create(self, path: str, body: Mapping[str, Any], *, dry_run: bool = False) -> dict[str, Any]:
        where = f"{path}/{body['metadata']['name']}"
        if where in self.objects:
            raise ConflictError(self.service, 409, "it exists already", "AlreadyExists")
        if not dry_run:
            self.writes.append(f"create {where}")
            self.put(where, body)
            return self.get(where)
        return copy.deepcopy(dict(body))

    def merge_patch(self, path: str, patch: Mapping[str, Any], *, dry_run: bool = False) -> dict[str, Any]:
        if self.conflicts:
            self.conflicts -= 1
            raise ConflictError(self.service, 409, "the object has been modified", "Conflict")
        result = merged(self.objects[path.removesuffix("/approval")], patch)
        if not dry_run:
            self.writes.append(f"patch {path}")
            self.put(path.removesuffix("/approval"), result)
        return dict(result)

    def delete(
        self, path: str, *, uid: str = "", resource_version: str = "", dry_run: bool = False, propagation: str = ""
    ) -> bool:
        if not dry_run:
            self.writes.append(f"delete {path}")
            self.objects.pop(path, None)
        return True

    def follow(self, path: str, _seconds: float, **_selectors: str) -> Iterator[Event]:
        yield Event("LISTED", objects=tuple(self.list(path)))
