# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Implement a Kubernetes informer: cache all objects of a kind with one list and a watch. After
status 410, list again.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable

from ..clock import LabClock
from .client import Client, Refused
from .names import Key, Kind, Object, key_of

LOG = logging.getLogger(__name__)
# (current object, None if it was deleted; previous object, None if it is new)
Handler = Callable[[Object | None, Object | None], None]
RETRY_SECONDS = 1.0


class Informer:
    """``ready`` is set after the first list. Callers must not change returned objects: the cache owns them."""

    def __init__(self, client: Client, kind: Kind, clock: LabClock) -> None:
        self.kind = kind
        self.objects: dict[Key, Object] = {}
        self.ready = asyncio.Event()
        self._client, self._clock = client, clock
        self._handlers: list[Handler] = []
        self._version = ""

    def listen(self, handler: Handler) -> None:
        """Subscribe to every change, the first list included."""
        self._handlers.append(handler)

    def get(self, name: str, namespace: str = "") -> Object | None:
        return self.objects.get((namespace, name))

    def all(self, namespace: str | None = None) -> list[Object]:
        return [item for (where, _name), item in self.objects.items() if namespace is None or where == namespace]

    def observe(self, item: Object) -> None:
        """The answer to an own write: known at once, not only when the watch brings it."""
        key = key_of(item)
        known = self.objects.get(key)
        if known is not None and int(known["metadata"]["resourceVersion"]) >= int(item["metadata"]["resourceVersion"]):
            return
        if item["metadata"].get("deletionTimestamp") and not item["metadata"].get("finalizers"):
            return
        self._store(key, item)

    async def run(self) -> None:
        """Until cancelled."""
        while True:
            try:
                if not self._version:
                    await self._list()
                await self._watch()
            except Refused as error:
                if error.code == 410:
                    self._version = ""
                    continue
                LOG.debug("watch of %s: %s", self.kind.plural, error)
                await asyncio.sleep(max(0.05, self._clock.wall(max(RETRY_SECONDS, error.retry_after))))

    async def _list(self) -> None:
        items, version = await self._client.list(self.kind)
        found = {key_of(item): item for item in items}
        for key in [key for key in self.objects if key not in found]:
            self._drop(key)
        for key, item in found.items():
            known = self.objects.get(key)
            if known is None or known["metadata"]["resourceVersion"] != item["metadata"]["resourceVersion"]:
                self._store(key, item)
        self._version = version
        self.ready.set()

    async def _watch(self) -> None:
        async for kind, item in self._client.watch(self.kind, self._version):
            self._version = str(item["metadata"]["resourceVersion"])
            if kind == "DELETED":
                self._drop(key_of(item))
            elif kind in ("ADDED", "MODIFIED"):
                self._arrived(item)

    def _arrived(self, item: Object) -> None:
        key = key_of(item)
        known = self.objects.get(key)
        same = known is not None and known["metadata"]["uid"] == item["metadata"]["uid"]
        if (
            known is None
            or not same
            or int(known["metadata"]["resourceVersion"]) < int(item["metadata"]["resourceVersion"])
        ):
            self._store(key, item)

    def _store(self, key: Key, item: Object) -> None:
        before = self.objects.get(key)
        self.objects[key] = item
        for handler in self._handlers:
            handler(item, before)

    def _drop(self, key: Key) -> None:
        before = self.objects.pop(key, None)
        if before is not None:
            for handler in self._handlers:
                handler(None, before)
