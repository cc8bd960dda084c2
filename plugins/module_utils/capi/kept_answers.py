# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Cache the answers of the hub's API during a reconcile pass. Each object is read once; single objects are updated
later.

After a conflict, a pass plans several times. Reading everything again for each plan would cost hundreds of requests,
although only the objects that were written or rejected have changed since. A plan from older objects does no harm,
because each write is locked to the version of its object.
"""

from __future__ import annotations

from ..kube.client import KubeReader, Trim
from ..kube.resource import Resource
from .objects import Key, Object, key_of


class KeptAnswers:
    """Reader that requests each path once and then answers from the cache."""

    def __init__(self, client: KubeReader) -> None:
        self._client = client
        self._answers: dict[str, Object] = {}
        self._objects: dict[str, Object | None] = {}
        self._lists: dict[str, tuple[Trim, dict[Key, Object]]] = {}

    def get(self, path: str) -> Object:
        if path not in self._answers:
            self._answers[path] = self._client.get(path)
        return self._answers[path]

    def find(self, path: str) -> Object | None:
        if path not in self._objects:
            self._objects[path] = self._client.find(path)
        return self._objects[path]

    def list(self, path: str, *, trim: Trim = dict) -> list[Object]:
        if path not in self._lists:
            self._lists[path] = trim, {key_of(item): item for item in self._client.list(path, trim=trim)}
        return list(self._lists[path][1].values())

    def note(self, resource: Resource, key: Key, now: Object | None) -> None:
        """An object as it is now, None if it does not exist."""
        self._objects[resource.path(*key)] = now
        for path in dict.fromkeys((resource.path(key[0]), resource.path())):
            trim, items = self._lists.get(path, (dict, {}))
            if now is None:
                items.pop(key, None)
            else:
                items[key] = trim(now)
