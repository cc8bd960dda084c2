# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Assemble the API server of a hub: Kubernetes' built-in kinds, custom resources from their definitions, and garbage
collection.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ..clock import LabClock
from ..faults import Faults
from . import builtin, crd
from .auth import Authentication
from .collector import Collector
from .resource import Registry
from .server import KubeApi
from .storage import Change, Store

CRDS = Path(__file__).parents[1] / "crds"
KEEP_CHANGES = 20000
NAMESPACES = ("default", "kube-system", "kube-public", "kube-node-lease")
VERSION = {
    "major": "1",
    "minor": "35",
    "gitVersion": "v1.35.2",
    "gitCommit": "0" * 40,
    "platform": "linux/amd64",
    "goVersion": "go1.25",
    "compiler": "gc",
}


def hub_api(
    crd_dirs: Sequence[Path] = (CRDS,),
    clock: LabClock | None = None,
    faults: Faults | None = None,
    *,
    authentication: Authentication | None = None,
) -> KubeApi:
    """A hub's API server, ready to start; ``crd_dirs`` contain the definitions that it serves from the beginning.

    ``api.admission`` and ``api.mutation`` take functions (operation, resource, new, old, dry_run): the former refuse by
    raising ApiError, the latter may change ``new``. Without ``clock`` the time is that of the machine.
    """
    registry = Registry(builtin.resources())
    store = Store(keep=KEEP_CHANGES, now=clock.utcnow if clock is not None else None)
    Collector(store, registry)
    Definitions(store, registry)
    api = KubeApi(registry, store, authentication=authentication, version=VERSION, faults=faults)
    for definition in crd.load(*crd_dirs):
        store.create(builtin.DEFINITION, definition)
    for name in NAMESPACES:
        store.create(builtin.NAMESPACES, {"metadata": {"name": name}})
    return api


class Definitions:
    """Serves what the stored definitions say."""

    def __init__(self, store: Store, registry: Registry) -> None:
        self.store, self.registry = store, registry
        store.admission.append(self.admit)
        store.listeners.append(self.follow)

    def admit(self, operation: str, resource: object, new: object, old: object, dry_run: bool) -> None:
        """Refuse a definition that cannot be served. Raises ApiError 422."""
        if getattr(resource, "key", None) == builtin.DEFINITION.key and isinstance(new, dict):
            crd.resources(new)

    def follow(self, change: Change) -> None:
        if change.key != builtin.DEFINITION.key:
            return
        spec = change.item["spec"]
        if change.type == "DELETED":
            for resource in self.registry.all():
                if resource.key == (spec["group"], spec["names"]["plural"]):
                    self.store.forget(resource)
            self.registry.remove(spec["group"], spec["names"]["plural"])
            return
        if change.previous is not None and change.previous["spec"] == spec:
            return
        self.registry.remove(spec["group"], spec["names"]["plural"])
        for resource in crd.resources(change.item):
            self.registry.add(resource)
        status = builtin.definition_status(change.item, self.store.timestamp())
        self.store.rewrite(
            builtin.DEFINITION, change.item["metadata"]["name"], "", lambda item: item.update(status=status)
        )
