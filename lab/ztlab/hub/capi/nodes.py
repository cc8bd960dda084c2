# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Watch the Nodes of workload clusters. The kubeconfig of each cluster is in the Secret ``<cluster>-kubeconfig`` that
Cluster API keeps on the hub.
"""

from __future__ import annotations

import asyncio
import base64
import binascii
import dataclasses
from collections.abc import Callable
from typing import Any

from ..client import Client
from ..informer import Informer
from ..names import NODE, SECRET, Key, Object
from ..spoke import Spokes
from ..world import World


@dataclasses.dataclass
class _Watch:
    kubeconfig: str
    client: Client
    informer: Informer
    task: asyncio.Task[None]


class Nodes:
    """By key of the Cluster. ``changed`` is called with the Cluster's key whenever one of its Nodes changes."""

    def __init__(self, world: World, spokes: Spokes) -> None:
        self._world, self._spokes = world, spokes
        self._watches: dict[Key, _Watch] = {}
        self.changed: Callable[[Key, Object], Any] = lambda _key, _node: None

    def _kubeconfig(self, cluster: Key) -> str:
        secret = self._world.get(SECRET, (cluster[0], f"{cluster[1]}-kubeconfig"))
        try:
            return base64.b64decode((secret or {})["data"]["value"]).decode()
        except (KeyError, ValueError, binascii.Error):
            return ""

    def _watch(self, cluster: Key) -> _Watch | None:
        """Started at the first request, and again when the kubeconfig changes; None without a usable one."""
        text = self._kubeconfig(cluster)
        known = self._watches.get(cluster)
        if known is not None and known.kubeconfig == text:
            return known
        self.forget(cluster)
        if not text:
            return None
        try:
            client = self._spokes.client(text)
        except ValueError:
            return None
        informer = Informer(client, NODE, self._world.clock)
        informer.listen(lambda now, before: self.changed(cluster, now or before or {}))
        task = asyncio.create_task(informer.run(), name=f"nodes of {cluster[0]}/{cluster[1]}")
        self._watches[cluster] = _Watch(text, client, informer, task)
        return self._watches[cluster]

    def client(self, cluster: Key) -> Client | None:
        watch = self._watch(cluster)
        return watch.client if watch is not None else None

    def all(self, cluster: Key) -> list[Object] | None:
        """None while it is unknown."""
        watch = self._watch(cluster)
        return watch.informer.all() if watch is not None and watch.informer.ready.is_set() else None

    def by_provider_id(self, cluster: Key, provider_id: str) -> Object | None:
        return next(
            (node for node in self.all(cluster) or () if (node.get("spec") or {}).get("providerID") == provider_id),
            None,
        )

    def forget(self, cluster: Key) -> None:
        """The cluster is no more, or is reached otherwise now."""
        watch = self._watches.pop(cluster, None)
        if watch is not None:
            watch.task.cancel()

    async def stop(self) -> None:
        tasks = [watch.task for watch in self._watches.values()]
        for cluster in list(self._watches):
            self.forget(cluster)
        await asyncio.gather(*tasks, return_exceptions=True)
