# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Serve watch requests: a stream of changes after a resource version, with bookmarks and selectors. A resource version
that is too old causes status 410.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping
from typing import Any

from aiohttp import web

from . import errors
from .resource import Object, Resource
from .selectors import Matcher
from .storage import Change, Store, Stored
from .table import table

BOOKMARK_SECONDS = 60.0
INITIAL_EVENTS_END = "k8s.io/initial-events-end"


class Watch:
    """One watch of one client. ``as_table``: every object goes out as a Table of one row."""

    def __init__(
        self,
        store: Store,
        resource: Resource,
        namespace: str,
        fits: Matcher,
        query: Mapping[str, str],
        *,
        as_table: bool,
    ) -> None:
        self.store, self.resource, self.namespace, self.fits, self.query = store, resource, namespace, fits, query
        self.as_table = as_table
        # A fault of the lab ends the watch with 410.
        self.expires: Callable[[], bool] = lambda: False
        self.bookmarks = query.get("allowWatchBookmarks", "") in ("true", "1")
        self.first = True

    def starting_point(self) -> tuple[int, list[Stored]]:
        """Version to go on from and the objects to send first. Raises ApiError 400, 410."""
        asked = self.query.get("resourceVersion", "")
        initial = self.query.get("sendInitialEvents", "") in ("true", "1")
        if asked in ("", "0") or initial:
            return self.store.version, self.store.listed(self.resource, self.namespace, self.fits)
        if not asked.isdigit():
            raise errors.ApiError(
                500,
                "",
                (f'resourceVersion: Invalid value: "{asked}": strconv.ParseUint: parsing "{asked}": invalid syntax'),
            )
        self.store.changes_since(int(asked))
        return int(asked), []

    def event_of(self, change: Change) -> tuple[str, Stored] | None:
        """What the change is to this watch: an object that no longer fits is deleted, one that newly fits is added."""
        if change.key != self.resource.key or (
            self.namespace and change.item["metadata"].get("namespace") != self.namespace
        ):
            return None
        before = change.previous is not None and self.fits(change.previous)
        after = change.type != "DELETED" and self.fits(change.item)
        if after:
            return ("MODIFIED" if before else "ADDED"), change.now
        if before:
            return "DELETED", change.now
        return None

    def event(self, kind: str, stored: Stored) -> bytes:
        """The line of an object."""
        if self.as_table or stored.item["apiVersion"] != self.resource.api_version:
            return self.line(kind, self.resource.as_served(stored.item))
        return b'{"type":"' + kind.encode() + b'","object":' + stored.raw + b"}\n"

    def line(self, kind: str, item: Object) -> bytes:
        if self.as_table and kind not in ("ERROR", "BOOKMARK"):
            item = table(
                self.resource,
                [item],
                {"resourceVersion": item["metadata"]["resourceVersion"]},
                self.store.now(),
                headings=self.first,
            )
            self.first = False
        return json.dumps({"type": kind, "object": item}).encode() + b"\n"

    def bookmark(self, version: int, *, initial: bool = False) -> bytes:
        metadata: dict[str, Any] = {"resourceVersion": str(version)}
        if initial:
            metadata["annotations"] = {INITIAL_EVENTS_END: "true"}
        if self.as_table:
            empty = {"kind": "PartialObjectMetadata", "apiVersion": "meta.k8s.io/v1", "metadata": metadata}
            row = {"cells": [], "object": empty}
            body = {
                "kind": "Table",
                "apiVersion": "meta.k8s.io/v1",
                "metadata": {"resourceVersion": str(version)},
                "columnDefinitions": [],
                "rows": [row],
            }
            return json.dumps({"type": "BOOKMARK", "object": body}).encode() + b"\n"
        return self.line(
            "BOOKMARK", {"kind": self.resource.kind, "apiVersion": self.resource.api_version, "metadata": metadata}
        )

    async def serve(self, response: web.StreamResponse, ended: Callable[[], bool]) -> None:
        """Write events until the time limit, the end of the server, or a 410."""
        version, items = self.starting_point()
        limit = float(self.query.get("timeoutSeconds") or 1800)
        loop = asyncio.get_running_loop()
        deadline, marked = loop.time() + limit, loop.time()
        for item in items:
            await response.write(self.event("ADDED", item))
        if self.query.get("sendInitialEvents", "") in ("true", "1") and self.bookmarks:
            await response.write(self.bookmark(version, initial=True))
        while not ended() and loop.time() < deadline:
            if self.expires():
                await response.write(self.line("ERROR", errors.expired(version, self.store.version).status()))
                return
            seen = self.store.version
            try:
                changes = self.store.changes_since(version)
            except errors.ApiError as error:
                await response.write(self.line("ERROR", error.status()))
                return
            for change in changes:
                event = self.event_of(change)
                version = change.version
                if event is not None:
                    await response.write(self.event(*event))
            if self.bookmarks and loop.time() - marked >= BOOKMARK_SECONDS:
                marked = loop.time()
                await response.write(self.bookmark(version))
            if self.store.version == seen:
                await self.store.wait(min(1.0, max(0.0, deadline - loop.time())))
        if self.bookmarks:
            await response.write(self.bookmark(version))
