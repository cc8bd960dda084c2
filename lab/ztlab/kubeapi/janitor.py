# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Collect garbage for a real API server that runs without kube-controller-manager: list all objects periodically.

It has the same rules as :mod:`.collector`, over HTTP; suitable for the few hundred objects of a lab.
"""

from __future__ import annotations

import asyncio
import json
import logging
from typing import Any

import aiohttp

LOG = logging.getLogger(__name__)
EVERY_SECONDS = 0.5
SKIPPED = ("events", "componentstatuses", "endpoints", "nodes")
# Kubernetes' own groups have no dependents in a lab.
BUILT_IN = ("apps", "autoscaling", "batch", "policy")
Object = dict[str, Any]
METADATA = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"


class Janitor:
    """A background task that collects garbage of an API server."""

    def __init__(self, session: aiohttp.ClientSession) -> None:
        self._session = session
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        self._task = asyncio.create_task(self._run())

    async def stop(self) -> None:
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
            self._task = None

    async def _run(self) -> None:
        while True:
            try:
                await self.pass_once()
            except (aiohttp.ClientError, TimeoutError) as error:
                LOG.warning("garbage collection: %s", error)
            await asyncio.sleep(EVERY_SECONDS)

    async def pass_once(self) -> None:
        """One look at everything."""
        items = [item for path in await self._collections() for item in await self._items(path)]
        uids = {item["metadata"]["uid"] for _path, item in items}
        dependents: dict[str, list[tuple[str, Object]]] = {}
        for path, item in items:
            for owner in item["metadata"].get("ownerReferences") or []:
                dependents.setdefault(owner["uid"], []).append((path, item))
        for path, item in items:
            await self._look(path, item, uids, dependents.get(item["metadata"]["uid"], []))
        await self._namespaces(items)

    async def _collections(self) -> list[str]:
        """Paths of all listable collections, over all namespaces."""
        groups = (await self._json("GET", "/apis")).get("groups") or []
        own = [group for group in groups if group["name"] not in BUILT_IN and not group["name"].endswith(".k8s.io")]
        versions = ["/api/v1", *(f"/apis/{group['preferredVersion']['groupVersion']}" for group in own)]
        found = []
        for base in versions:
            for resource in (await self._json("GET", base)).get("resources") or []:
                usable = {"list", "delete", "patch"} <= set(resource["verbs"]) and "/" not in resource["name"]
                if usable and resource["name"] not in SKIPPED:
                    found.append(f"{base}/{resource['name']}")
        return found

    async def _items(self, path: str) -> list[tuple[str, Object]]:
        """(path of the object, object with metadata only)."""
        base, _slash, plural = path.rpartition("/")
        found = []
        for item in (await self._json("GET", path, accept=METADATA)).get("items") or []:
            namespace = item["metadata"].get("namespace")
            inside = f"namespaces/{namespace}/" if namespace else ""
            found.append((f"{base}/{inside}{plural}/{item['metadata']['name']}", item))
        return found

    async def _look(self, path: str, item: Object, uids: set[str], dependents: list[tuple[str, Object]]) -> None:
        metadata = item["metadata"]
        finalizers = metadata.get("finalizers") or []
        if metadata.get("deletionTimestamp"):
            if "orphan" in finalizers:
                for where, dependent in dependents:
                    kept = [
                        owner for owner in dependent["metadata"]["ownerReferences"] if owner["uid"] != metadata["uid"]
                    ]
                    await self._patch(where, {"metadata": {"ownerReferences": kept or None}})
                await self._patch(path, {"metadata": {"finalizers": [name for name in finalizers if name != "orphan"]}})
            elif "foregroundDeletion" in finalizers:
                await self._foreground(path, metadata, dependents)
            return
        owners = metadata.get("ownerReferences") or []
        there = [owner for owner in owners if owner["uid"] in uids]
        if owners and not there:
            await self._delete(path, metadata["uid"])
        elif len(there) < len(owners):
            await self._patch(path, {"metadata": {"ownerReferences": there}})

    async def _foreground(self, path: str, metadata: Object, dependents: list[tuple[str, Object]]) -> None:
        waiting = False
        for where, dependent in dependents:
            reference = next(
                owner for owner in dependent["metadata"]["ownerReferences"] if owner["uid"] == metadata["uid"]
            )
            waiting = waiting or bool(reference.get("blockOwnerDeletion"))
            if not dependent["metadata"].get("deletionTimestamp"):
                await self._delete(
                    where,
                    dependent["metadata"]["uid"],
                    "Foreground" if reference.get("blockOwnerDeletion") else "Background",
                )
        if not waiting:
            await self._patch(
                path,
                {"metadata": {"finalizers": [name for name in metadata["finalizers"] if name != "foregroundDeletion"]}},
            )

    async def _namespaces(self, items: list[tuple[str, Object]]) -> None:
        ending = {
            item["metadata"]["name"]: path
            for path, item in items
            if path.startswith("/api/v1/namespaces/") and _is_ending_namespace(path, item)
        }
        for name, path in ending.items():
            inside = [(where, item) for where, item in items if item["metadata"].get("namespace") == name]
            for where, item in inside:
                if not item["metadata"].get("deletionTimestamp"):
                    await self._delete(where, item["metadata"]["uid"])
            if not inside:
                body = await self._json("GET", path)
                body["spec"] = {}
                await self._json("PUT", f"{path}/finalize", body)

    async def _patch(self, path: str, body: Object) -> None:
        await self._json("PATCH", path, body, content="application/merge-patch+json")

    async def _delete(self, path: str, uid: str, propagation: str = "Background") -> None:
        await self._json("DELETE", path, {"preconditions": {"uid": uid}, "propagationPolicy": propagation})

    async def _json(
        self,
        method: str,
        path: str,
        body: Object | None = None,
        *,
        accept: str = "application/json",
        content: str = "application/json",
    ) -> Object:
        """The answer, empty when it was a refusal: the next pass looks again."""
        data = json.dumps(body) if body is not None else None
        async with self._session.request(
            method, path, data=data, headers={"Accept": accept, "Content-Type": content}
        ) as response:
            found: Object = await response.json(content_type=None)
            return found if response.status < 300 else {}


def _is_ending_namespace(path: str, item: Object) -> bool:
    return path.count("/") == 4 and bool(item["metadata"].get("deletionTimestamp"))
