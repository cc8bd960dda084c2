# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Collect garbage as kube-controller-manager does: delete objects after their owners, and the contents of deleted
namespaces.
"""

from __future__ import annotations

import asyncio
import logging
from collections import defaultdict

from .builtin import NAMESPACES
from .errors import ApiError
from .resource import Object, Registry, Resource
from .storage import FOREGROUND, ORPHAN, Change, Store

LOG = logging.getLogger(__name__)
Place = tuple[Resource, str, str]  # resource, namespace, name


class Collector:
    """Follow the changes of a store. Garbage is collected after the request that caused it, as in a cluster."""

    def __init__(self, store: Store, registry: Registry) -> None:
        self.store, self.registry = store, registry
        self._places: dict[str, Place] = {}
        self._dependents: dict[str, set[str]] = defaultdict(set)  # uid of an owner -> uids
        self._todo: dict[str, None] = {}  # uids to look at, in order
        self._gone: dict[str, None] = {}  # uids of owners that are no more
        self._terminating: set[str] = set()
        self._scheduled = False
        store.listeners.append(self.follow)

    def follow(self, change: Change) -> None:
        """One change of the store."""
        meta = change.item["metadata"]
        uid = meta["uid"]
        if change.previous is not None:
            for owner in change.previous["metadata"].get("ownerReferences") or []:
                self._dependents[owner.get("uid", "")].discard(uid)
        if change.type == "DELETED":
            self._places.pop(uid, None)
            self._gone[uid] = None
            for owner in meta.get("ownerReferences") or []:
                self._todo[owner.get("uid", "")] = None
        else:
            self._places[uid] = (change.resource, meta.get("namespace", ""), meta["name"])
            for owner in meta.get("ownerReferences") or []:
                self._dependents[owner.get("uid", "")].add(uid)
            if meta.get("ownerReferences") or meta.get("deletionTimestamp"):
                self._todo[uid] = None
        if change.resource.key == NAMESPACES.key and meta.get("deletionTimestamp"):
            self._terminating.add(meta["name"])
        if self._todo or self._gone or self._terminating:
            self._schedule()

    def _schedule(self) -> None:
        if self._scheduled:
            return
        try:
            asyncio.get_running_loop().call_soon(self.collect)
        except RuntimeError:
            return  # no collector runs: the next change or collect() comes to it
        self._scheduled = True

    def collect(self) -> None:
        """Do all that is to be done now."""
        self._scheduled = False
        while self._todo or self._gone:
            gone, self._gone = self._gone, {}
            todo, self._todo = self._todo, {}
            for uid in gone:
                todo |= dict.fromkeys(self._dependents.get(uid, ()))
            for uid in todo:
                self._look(uid)
        for name in sorted(self._terminating):
            self._empty(name)

    def _look(self, uid: str) -> None:
        place = self._places.get(uid)
        if place is None:
            return
        resource, namespace, name = place
        if not self.store.exists(resource, name, namespace):
            return
        item = self.store.stored(resource, name, namespace).item
        meta = item["metadata"]
        finalizers = meta.get("finalizers") or []
        if meta.get("deletionTimestamp") and ORPHAN in finalizers:
            self._orphan(uid)
            self._drop_finalizer(place, ORPHAN)
        elif meta.get("deletionTimestamp") and FOREGROUND in finalizers:
            self._foreground(uid, place)
        elif not meta.get("deletionTimestamp"):
            self._check_owners(place, item)

    def _check_owners(self, place: Place, item: Object) -> None:
        """Without any owner left the object goes; references to owners that are gone are taken out beside one that is
        there.
        """
        owners = item["metadata"].get("ownerReferences") or []
        there = [owner for owner in owners if self._exists(owner)]
        if not owners or len(there) == len(owners):
            return
        resource, namespace, name = place
        if there:
            self.store.rewrite(
                resource, name, namespace, lambda changed: changed["metadata"].update(ownerReferences=there)
            )
        else:
            self._delete(place, "Background")

    def _exists(self, owner: Object) -> bool:
        """An owner of a kind that is not served cannot be looked up: it counts as there."""
        group = owner.get("apiVersion", "").rpartition("/")[0]
        try:
            self.registry.by_kind(owner.get("kind", ""), group)
        except KeyError:
            return True
        return owner.get("uid") in self._places

    def _foreground(self, uid: str, place: Place) -> None:
        waiting = False
        for dependent in list(self._dependents.get(uid, ())):
            where = self._places.get(dependent)
            if where is None:
                continue
            reference = self._reference(where, uid)
            self._delete(where, "Foreground" if reference.get("blockOwnerDeletion") else "Background")
            waiting = waiting or (dependent in self._places and bool(reference.get("blockOwnerDeletion")))
        if not waiting:
            self._drop_finalizer(place, FOREGROUND)

    def _reference(self, place: Place, uid: str) -> Object:
        resource, namespace, name = place
        owners = self.store.stored(resource, name, namespace).item["metadata"].get("ownerReferences") or []
        found: Object = next((owner for owner in owners if owner.get("uid") == uid), {})
        return found

    def _orphan(self, uid: str) -> None:
        for dependent in list(self._dependents.get(uid, ())):
            place = self._places.get(dependent)
            if place is not None:
                resource, namespace, name = place
                self.store.rewrite(resource, name, namespace, lambda item: _without_owner(item, uid))

    def _drop_finalizer(self, place: Place, finalizer: str) -> None:
        def change(item: Object) -> None:
            item["metadata"]["finalizers"] = [
                name for name in item["metadata"].get("finalizers") or [] if name != finalizer
            ]

        resource, namespace, name = place
        self.store.rewrite(resource, name, namespace, change)

    def _delete(self, place: Place, propagation: str) -> None:
        resource, namespace, name = place
        try:
            if not self.store.stored(resource, name, namespace).item["metadata"].get("deletionTimestamp"):
                self.store.delete(resource, name, namespace, propagation=propagation)
        except ApiError as error:
            if error.code != 404:
                LOG.warning("garbage collection of %s %s/%s: %s", resource.plural, namespace, name, error)

    # namespaces

    def _empty(self, name: str) -> None:
        """Delete what a namespace holds; when nothing is left, the namespace goes too."""
        left = [place for place in list(self._places.values()) if place[1] == name and place[0].namespaced]
        for place in left:
            self._delete(place, "Background")
        if not self.store.exists(NAMESPACES, name):
            self._terminating.discard(name)
            return
        left = [place for place in left if self.store.exists(place[0], place[2], place[1])]

        def change(item: Object) -> None:
            item["status"] = {**(item.get("status") or {}), "phase": "Terminating"}
            if not left:
                item["spec"] = {}

        if not left:
            self._terminating.discard(name)
        self.store.rewrite(NAMESPACES, name, "", change)


def _without_owner(item: Object, uid: str) -> None:
    owners = [owner for owner in item["metadata"].get("ownerReferences") or [] if owner.get("uid") != uid]
    item["metadata"]["ownerReferences"] = owners
    if not owners:
        del item["metadata"]["ownerReferences"]
