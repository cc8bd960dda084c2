# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Give the lab's controllers access to the hub: read objects from caches, write objects through the API, and read the
lab clock.
"""

from __future__ import annotations

import asyncio
import base64
import datetime
from collections.abc import Iterable, Mapping
from typing import Any

from ..clock import LabClock
from .client import Client, Refused, merge_diff
from .informer import Informer
from .names import (
    AGENT,
    AGENT_CLASSIFICATION,
    BARE_METAL_HOST,
    CLUSTER_DEPLOYMENT,
    CLUSTER_IMAGE_SET,
    CLUSTER_INSTALL,
    CONFIG_MAP,
    INFRA_ENV,
    NMSTATE_CONFIG,
    PREPROVISIONING_IMAGE,
    SECRET,
    WATCH_LABELS,
    Key,
    Kind,
    Object,
    key_of,
    labels_of,
)

WATCHED = (
    INFRA_ENV,
    NMSTATE_CONFIG,
    AGENT,
    AGENT_CLASSIFICATION,
    CLUSTER_INSTALL,
    CLUSTER_DEPLOYMENT,
    CLUSTER_IMAGE_SET,
    BARE_METAL_HOST,
    PREPROVISIONING_IMAGE,
    SECRET,
    CONFIG_MAP,
)


def instant(text: str) -> datetime.datetime:
    """The time that an object names."""
    return datetime.datetime.fromisoformat(text.replace("Z", "+00:00"))


class World:
    """Reads come from the caches, writes go to the API and into the cache at once.

    ``kinds``: what it watches beside what every hub has.
    """

    def __init__(self, client: Client, clock: LabClock, kinds: Iterable[Kind] = ()) -> None:
        self.client, self.clock = client, clock
        self.informers = {kind: Informer(client, kind, clock) for kind in dict.fromkeys((*WATCHED, *kinds))}

    async def ready(self) -> None:
        await asyncio.gather(*(informer.ready.wait() for informer in self.informers.values()))

    # time

    def now(self) -> str:
        """The time of day as objects name it."""
        return self.clock.utcnow().strftime("%Y-%m-%dT%H:%M:%SZ")

    def age(self, text: str) -> float:
        """Lab seconds since a time that an object names."""
        return (self.clock.utcnow() - instant(text)).total_seconds()

    # reading

    def get(self, kind: Kind, key: Key) -> Object | None:
        return self.informers[kind].objects.get(key)

    def all(self, kind: Kind, namespace: str | None = None) -> list[Object]:
        return self.informers[kind].all(namespace)

    # writing

    def _seen(self, kind: Kind, item: Object) -> Object:
        if kind in self.informers:
            self.informers[kind].observe(item)
        return item

    async def create(self, kind: Kind, body: Object) -> Object:
        return self._seen(kind, await self.client.create(kind, body))

    async def patch(
        self, kind: Kind, item: Object, body: Object, *, locked: bool = False, subresource: str = ""
    ) -> Object:
        """Merge into an object; ``locked``: only if it is still the version that was seen."""
        if locked:
            body = {
                **body,
                "metadata": {**body.get("metadata", {}), "resourceVersion": item["metadata"]["resourceVersion"]},
            }
        namespace, name = key_of(item)
        return self._seen(kind, await self.client.patch(kind, name, namespace, body, subresource=subresource))

    async def replace(self, kind: Kind, item: Object) -> Object:
        """Put a whole object, only if it is still the version that was seen."""
        return self._seen(
            kind, await self.client.replace(kind, {"apiVersion": kind.api_version, "kind": kind.kind, **item})
        )

    async def status(self, kind: Kind, item: Object, status: Mapping[str, Any], *, locked: bool = False) -> Object:
        """Make the status this one; no request when it is so already.

        ``locked``: refused when the object is no longer this one.
        """
        patch = merge_diff(item.get("status") or {}, status)
        return await self.patch(kind, item, {"status": patch}, locked=locked, subresource="status") if patch else item

    async def replace_status(self, kind: Kind, item: Object, status: Mapping[str, Any]) -> Object:
        """The same for a status that has null members, which no merge patch can bring."""
        if (item.get("status") or {}) == status:
            return item
        return self._seen(kind, await self.client.replace(kind, {**item, "status": dict(status)}, subresource="status"))

    async def delete(self, kind: Kind, item: Object) -> None:
        namespace, name = key_of(item)
        await self.client.delete(kind, name, namespace)

    async def metadata(
        self,
        kind: Kind,
        item: Object,
        *,
        labels: Mapping[str, str | None] | None = None,
        annotations: Mapping[str, str | None] | None = None,
    ) -> Object:
        """Set labels and annotations (None: remove); no request when they are so already."""
        metadata = item["metadata"]
        patch = {}
        for name, wanted in (("labels", labels), ("annotations", annotations)):
            present = metadata.get(name) or {}
            changed = {key: value for key, value in (wanted or {}).items() if present.get(key) != value}
            if changed:
                patch[name] = changed
        return await self.patch(kind, item, {"metadata": patch}) if patch else item

    async def add_finalizer(self, kind: Kind, item: Object, finalizer: str) -> Object:
        present = item["metadata"].get("finalizers") or []
        if finalizer in present:
            return item
        return await self.patch(kind, item, {"metadata": {"finalizers": [*present, finalizer]}}, locked=True)

    async def drop_finalizer(self, kind: Kind, item: Object, finalizer: str) -> None:
        present = item["metadata"].get("finalizers") or []
        if finalizer not in present:
            return
        try:
            await self.patch(
                kind,
                item,
                {"metadata": {"finalizers": [entry for entry in present if entry != finalizer]}},
                locked=True,
            )
        except Refused as error:
            if error.code != 404:
                raise

    # secrets and configuration that users give

    async def read_secret(self, namespace: str, name: str) -> dict[str, bytes]:
        """Data of a Secret, which gets the labels of what an operator reads. Raises LookupError."""
        item = self.get(SECRET, (namespace, name))
        if item is None:
            raise LookupError(f'failed to find secret {name}: secrets "{name}" not found')
        await self._label(SECRET, item)
        return {key: base64.b64decode(value) for key, value in (item.get("data") or {}).items()}

    async def read_config_map(self, namespace: str, name: str) -> dict[str, str]:
        """Data of a ConfigMap, labelled likewise. Raises LookupError."""
        item = self.get(CONFIG_MAP, (namespace, name))
        if item is None:
            raise LookupError(f'configmaps "{name}" not found')
        await self._label(CONFIG_MAP, item)
        return dict(item.get("data") or {})

    async def _label(self, kind: Kind, item: Object) -> None:
        present = labels_of(item)
        if any(present.get(key) != value for key, value in WATCH_LABELS.items()):
            await self.metadata(kind, item, labels=WATCH_LABELS)


def matches(selector: Mapping[str, Any] | None, labels: Mapping[str, str]) -> bool:
    """A label selector; an empty or absent one selects nothing (what assisted makes of it).

    Source: openshift/assisted-service internal/controller/controllers/infraenv_controller.go.
    """
    if not selector or not (selector.get("matchLabels") or selector.get("matchExpressions")):
        return False
    pairs: Iterable[tuple[str, str]] = (selector.get("matchLabels") or {}).items()
    return all(labels.get(key) == value for key, value in pairs) and all(
        _expression(entry, labels) for entry in selector.get("matchExpressions") or ()
    )


def _expression(entry: Mapping[str, Any], labels: Mapping[str, str]) -> bool:
    value, operator, values = labels.get(entry["key"]), entry["operator"], entry.get("values") or []
    if operator == "In":
        return value in values
    if operator == "NotIn":
        return value not in values
    return (value is not None) is (operator == "Exists")
