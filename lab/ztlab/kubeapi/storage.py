# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Objects with resource versions, and the log of changes that watches read."""

from __future__ import annotations

import asyncio
import copy
import dataclasses
import datetime
import re
import secrets
import uuid
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from . import errors
from .resource import Object, Resource

NAME = re.compile(r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$")
# RBAC objects and a few others carry colons.
PATH_SEGMENT = re.compile(r"^[^/%]+$")
NAME_TEXT = (
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character"
)
SERVER_OWNED = ("uid", "creationTimestamp", "resourceVersion", "generation", "deletionTimestamp", "deletionGracePeriodSeconds", "selfLink")


@dataclasses.dataclass(frozen=True)
class Change:
    """One entry of the log; ``previous`` is the object before (None: new)."""

    version: int
    type: str
    key: tuple[str, str]
    item: Object
    previous: Object | None


class Store:
    """All objects of one API server. Everything given out is a copy."""

    def __init__(self, *, keep: int = 1000, now: Callable[[], datetime.datetime] | None = None) -> None:
        self._objects: dict[tuple[str, str], dict[tuple[str, str], Object]] = {}
        self._version = 1
        self._log: deque[Change] = deque(maxlen=keep)
        self._compacted = 0
        self._changed = asyncio.Event()
        self.now = now or (lambda: datetime.datetime.now(datetime.UTC))

    # reading

    @property
    def version(self) -> int:
        """The resource version of now."""
        return self._version

    def _shelf(self, resource: Resource) -> dict[tuple[str, str], Object]:
        return self._objects.setdefault(resource.key, {})

    def get(self, resource: Resource, name: str, namespace: str = "") -> Object:
        """Raises ApiError 404."""
        return copy.deepcopy(self._get(resource, name, namespace))

    def _get(self, resource: Resource, name: str, namespace: str) -> Object:
        found = self._shelf(resource).get((namespace, name))
        if found is None:
            raise errors.not_found(resource.plural, resource.group, name)
        return found

    def exists(self, resource: Resource, name: str, namespace: str = "") -> bool:
        return (namespace, name) in self._shelf(resource)

    def list(self, resource: Resource, namespace: str = "", fits: Callable[[Object], bool] | None = None) -> list[Object]:
        """Sorted by namespace and name; namespace empty: all."""
        found = [item for (where, _name), item in sorted(self._shelf(resource).items()) if not namespace or where == namespace]
        return [copy.deepcopy(item) for item in found if fits is None or fits(item)]

    # writing

    def timestamp(self) -> str:
        return self.now().strftime("%Y-%m-%dT%H:%M:%SZ")

    def create(self, resource: Resource, item: Object, namespace: str = "", *, dry_run: bool = False) -> Object:
        """The stored object. Raises ApiError 409, 422."""
        item = copy.deepcopy(item)
        metadata = item.setdefault("metadata", {})
        for name in SERVER_OWNED:
            metadata.pop(name, None)
        if not metadata.get("name") and metadata.get("generateName"):
            metadata["name"] = metadata["generateName"] + secrets.token_hex(3)[:5]
        name = metadata.get("name") or ""
        self._check_name(resource, name)
        if resource.namespaced:
            metadata["namespace"] = namespace
        else:
            metadata.pop("namespace", None)
        if self.exists(resource, name, namespace):
            raise errors.already_exists(resource.plural, resource.group, name)
        metadata |= {"uid": str(uuid.uuid4()), "creationTimestamp": self.timestamp()}
        if resource.has_status:
            item.pop("status", None)
            metadata["generation"] = 1
        item = {"apiVersion": resource.api_version, "kind": resource.kind, **{key: value for key, value in item.items() if key not in ("apiVersion", "kind")}}
        if resource.prepare is not None:
            resource.prepare(item, None)
        return self._commit(resource, item, None, "ADDED", dry_run)

    def _check_name(self, resource: Resource, name: str) -> None:
        if not name:
            raise errors.invalid(resource.kind, resource.group, name, [("metadata.name", "Required value: name or generateName is required")])
        pattern = PATH_SEGMENT if resource.group == "rbac.authorization.k8s.io" else NAME
        if not pattern.match(name) or len(name) > 253:
            raise errors.invalid(resource.kind, resource.group, name, [("metadata.name", f'Invalid value: "{name}": {NAME_TEXT}')])

    def update(self, resource: Resource, item: Object, namespace: str = "", *, subresource: str = "", dry_run: bool = False) -> Object:
        """Replace an object, or one subresource of it. A resourceVersion in the body must be the present one. Raises ApiError 404, 409, 422."""
        name = (item.get("metadata") or {}).get("name") or ""
        current = self._get(resource, name, namespace)
        self._check_version(resource, item, current)
        changed = self._subresource(resource, subresource, current, item) if subresource else self._replacement(resource, current, item)
        if resource.prepare is not None and not subresource:
            resource.prepare(changed, copy.deepcopy(current))
        if changed == current:
            return copy.deepcopy(current)
        metadata = changed["metadata"]
        if metadata.get("deletionTimestamp") and not metadata.get("finalizers"):
            return self._commit(resource, changed, current, "DELETED", dry_run)
        return self._commit(resource, changed, current, "MODIFIED", dry_run)

    def _check_version(self, resource: Resource, item: Object, current: Object) -> None:
        metadata = item.get("metadata") or {}
        asked = metadata.get("resourceVersion")
        if asked and asked != current["metadata"]["resourceVersion"]:
            raise errors.conflict(resource.plural, resource.group, current["metadata"]["name"])
        if metadata.get("uid") and metadata["uid"] != current["metadata"]["uid"]:
            why = f"Precondition failed: UID in precondition: {metadata['uid']}, UID in object meta: {current['metadata']['uid']}"
            raise errors.conflict(resource.plural, resource.group, current["metadata"]["name"], why)

    def _subresource(self, resource: Resource, subresource: str, current: Object, item: Object) -> Object:
        changed = copy.deepcopy(resource.subresources[subresource](copy.deepcopy(current), copy.deepcopy(item)))
        changed["metadata"] = copy.deepcopy(current["metadata"])
        return changed

    def _replacement(self, resource: Resource, current: Object, item: Object) -> Object:
        changed = {**copy.deepcopy(item), "apiVersion": resource.api_version, "kind": resource.kind}
        metadata = changed.setdefault("metadata", {})
        for name in SERVER_OWNED:
            metadata.pop(name, None)
            if name in current["metadata"]:
                metadata[name] = current["metadata"][name]
        if resource.namespaced:
            metadata["namespace"] = current["metadata"]["namespace"]
        if resource.has_status:
            changed.pop("status", None)
            if "status" in current:
                changed["status"] = copy.deepcopy(current["status"])
            if _substance(changed) != _substance(current):
                metadata["generation"] = int(current["metadata"].get("generation", 1)) + 1
        return changed

    def delete(self, resource: Resource, name: str, namespace: str = "", *, preconditions: Mapping[str, Any] | None = None, dry_run: bool = False) -> Object:
        """Remove, or mark when finalizers hold the object. Raises ApiError 404, 409."""
        current = self._get(resource, name, namespace)
        for member in ("uid", "resourceVersion"):
            asked = (preconditions or {}).get(member)
            if asked and asked != current["metadata"][member]:
                raise errors.conflict(resource.plural, resource.group, name, f"Precondition failed: {member} is {current['metadata'][member]}")
        if current["metadata"].get("finalizers"):
            if current["metadata"].get("deletionTimestamp"):
                return copy.deepcopy(current)
            marked = copy.deepcopy(current)
            marked["metadata"] |= {"deletionTimestamp": self.timestamp(), "deletionGracePeriodSeconds": 0}
            return self._commit(resource, marked, current, "MODIFIED", dry_run)
        return self._commit(resource, copy.deepcopy(current), current, "DELETED", dry_run)

    def _commit(self, resource: Resource, item: Object, previous: Object | None, kind: str, dry_run: bool) -> Object:
        metadata = item["metadata"]
        if dry_run:
            if previous is None:
                metadata.pop("resourceVersion", None)
            return item
        self._version += 1
        metadata["resourceVersion"] = str(self._version)
        key = (metadata.get("namespace", "") if resource.namespaced else "", metadata["name"])
        if kind == "DELETED":
            self._shelf(resource).pop(key, None)
        else:
            self._shelf(resource)[key] = item
        self._log.append(Change(self._version, kind, resource.key, copy.deepcopy(item), copy.deepcopy(previous)))
        self._changed.set()
        self._changed = asyncio.Event()
        return copy.deepcopy(item)

    # the log

    def changes_since(self, version: int) -> Sequence[Change]:
        """Raises ApiError 410 when the log does not reach back that far."""
        oldest = self._log[0].version if self._log else self._version + 1
        reach = max(self._compacted, oldest - 1 if len(self._log) == self._log.maxlen else 0)
        if version < reach:
            raise errors.expired(version, reach)
        return [change for change in self._log if change.version > version]

    def compact(self) -> None:
        """Forget the log: watches from an older version get 410."""
        self._compacted = self._version
        self._log.clear()

    async def wait(self, seconds: float) -> None:
        """Until something changes, at most ``seconds`` of the wall clock."""
        try:
            await asyncio.wait_for(self._changed.wait(), seconds)
        except TimeoutError:
            return


def _substance(item: Object) -> Object:
    """What the generation counts: all but metadata and status."""
    return {key: value for key, value in item.items() if key not in ("metadata", "status")}
