# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Store objects with resource versions, and keep the log of changes from which watches read."""

from __future__ import annotations

import asyncio
import contextlib
import copy
import dataclasses
import datetime
import itertools
import json
import re
import secrets
import uuid
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from . import errors, metadata, ownership, structural
from .resource import Object, Resource
from .structural import Cause

NAME = re.compile(r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$")
LABEL = re.compile(r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?$")
LABEL_TEXT = (
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end "
    "with an alphanumeric character "
    "(e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')"
)
# RBAC objects and a few others carry colons.
PATH_SEGMENT = re.compile(r"^[^/%]+$")
NAME_TEXT = (
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start "
    "and end with an alphanumeric character "
    "(e.g. 'example.com', regex used for validation is "
    "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
)
SERVER_OWNED = (
    "uid",
    "creationTimestamp",
    "resourceVersion",
    "generation",
    "deletionTimestamp",
    "deletionGracePeriodSeconds",
    "selfLink",
)
SUFFIX = "bcdfghjklmnpqrstvwxz2456789"
FOREGROUND, ORPHAN = "foregroundDeletion", "orphan"

# fn(operation, resource, new, old, dry_run): CREATE, UPDATE or DELETE of an object itself, not of a subresource;
# refuses by ApiError.
# Those that admit must not change what they get; those that mutate may change ``new``.
Admission = Callable[[str, Resource, Object | None, Object | None, bool], None]


class Stored:
    """An object at one version. It is never changed; what others get is :meth:`copy`."""

    __slots__ = ("item", "raw")

    def __init__(self, item: Object) -> None:
        # Read back from its JSON: it shares nothing with what it was made of.
        self.raw = json.dumps(item, separators=(",", ":")).encode()
        self.item: Object = json.loads(self.raw)

    def copy(self) -> Object:
        found: Object = json.loads(self.raw)
        return found


Listing = list[Stored]


@dataclasses.dataclass(frozen=True)
class Change:
    """One entry of the log; ``before`` is the object before (None: new)."""

    version: int
    type: str
    resource: Resource
    now: Stored
    before: Stored | None

    @property
    def key(self) -> tuple[str, str]:
        return self.resource.key

    @property
    def item(self) -> Object:
        return self.now.item

    @property
    def previous(self) -> Object | None:
        return self.before.item if self.before is not None else None


class Store:
    """All objects of one API server. Everything given out is a copy, but for what is named ``stored``."""

    def __init__(self, *, keep: int = 1000, now: Callable[[], datetime.datetime] | None = None) -> None:
        self._objects: dict[tuple[str, str], dict[tuple[str, str], Stored]] = {}
        self._sorted: dict[tuple[str, str], list[tuple[str, str]]] = {}
        self._version = 1
        self._log: deque[Change] = deque(maxlen=keep)
        self._compacted = 0
        self._changed = asyncio.Event()
        self.now = now or (lambda: datetime.datetime.now(datetime.UTC))
        self.mutation: list[Admission] = []
        self.admission: list[Admission] = []
        self.listeners: list[Callable[[Change], None]] = []

    # reading

    @property
    def version(self) -> int:
        """The resource version of now."""
        return self._version

    @property
    def compacted(self) -> int:
        """The oldest resource version from which a watch or the next page of a list can go on."""
        return self._compacted

    def _shelf(self, resource: Resource) -> dict[tuple[str, str], Stored]:
        return self._objects.setdefault(resource.key, {})

    def get(self, resource: Resource, name: str, namespace: str = "") -> Object:
        """Raises ApiError 404."""
        return self.stored(resource, name, namespace).copy()

    def stored(self, resource: Resource, name: str, namespace: str = "") -> Stored:
        """Raises ApiError 404."""
        found = self._shelf(resource).get((namespace, name))
        if found is None:
            raise errors.not_found(resource.plural, resource.group, name)
        return found

    def exists(self, resource: Resource, name: str, namespace: str = "") -> bool:
        return (namespace, name) in self._shelf(resource)

    def list(
        self, resource: Resource, namespace: str = "", fits: Callable[[Object], bool] | None = None
    ) -> list[Object]:
        """Sorted by namespace and name; namespace empty: all."""
        return [item.copy() for item in self.listed(resource, namespace, fits)]

    def listed(self, resource: Resource, namespace: str = "", fits: Callable[[Object], bool] | None = None) -> Listing:
        """As :meth:`list`, without the copies."""
        shelf = self._shelf(resource)
        order = self._sorted.get(resource.key)
        if order is None:
            order = self._sorted[resource.key] = sorted(shelf)
        return [
            shelf[key]
            for key in order
            if (not namespace or key[0] == namespace) and (fits is None or fits(shelf[key].item))
        ]

    def everything(self) -> Iterator[tuple[tuple[str, str], Stored]]:
        """All objects with the group and plural that they are kept under."""
        for key, shelf in list(self._objects.items()):
            yield from ((key, item) for item in list(shelf.values()))

    # writing

    def timestamp(self) -> str:
        return self.now().strftime("%Y-%m-%dT%H:%M:%SZ")

    def create(
        self,
        resource: Resource,
        item: Object,
        namespace: str = "",
        *,
        dry_run: bool = False,
        manager: str = "",
        applied: bool = False,
    ) -> Object:
        """The stored object. Raises ApiError 400, 409, 422 and what admission refuses with."""
        item = _own(resource, item)
        meta = item["metadata"] = metadata.known(item.get("metadata") or {})
        for name in SERVER_OWNED:
            meta.pop(name, None)
        if not meta.get("name") and meta.get("generateName"):
            meta["name"] = meta["generateName"] + "".join(secrets.choice(SUFFIX) for _number in range(5))
        name = meta.get("name") or ""
        if resource.namespaced:
            meta["namespace"] = namespace
        else:
            meta.pop("namespace", None)
        meta |= {"uid": str(uuid.uuid4()), "creationTimestamp": self.timestamp()}
        if not applied:
            meta.pop("managedFields", None)
        if resource.has_status:
            item.pop("status", None)
        if resource.counts_generations:
            meta["generation"] = 1
        item = {
            "apiVersion": resource.stored_as or resource.api_version,
            "kind": resource.kind,
            **_without(item, "apiVersion", "kind"),
        }
        item = self._complete(resource, item, None, "CREATE", dry_run)
        self._judge(resource, item, None)
        if resource.prepare is not None:
            resource.prepare(item, None)
        self._admit("CREATE", resource, item, None, dry_run)
        if self.exists(resource, name, namespace):
            ending = "deletionTimestamp" in self.stored(resource, name, namespace).item["metadata"]
            raise errors.already_exists(resource.plural, resource.group, name, ending=ending)
        if manager:
            self._track(resource, None, item, manager, "", applied)
        return self._commit(resource, item, None, "ADDED", dry_run)

    def _track(
        self, resource: Resource, old: Object | None, new: Object, manager: str, subresource: str, applied: bool
    ) -> None:
        """Note what this write set; an apply has noted it itself, but what was filled in beside has no owner."""
        if not applied:
            key = ownership.Manager(manager, "Update", resource.api_version, subresource)
            ownership.track(resource.structure, old, new, key, self.timestamp())

    def apply(
        self,
        resource: Resource,
        name: str,
        namespace: str,
        config: Object,
        *,
        manager: str,
        force: bool = False,
        subresource: str = "",
        dry_run: bool = False,
    ) -> tuple[Object, bool]:
        """Server-side apply: the object, and whether it was created. Raises ApiError 404, 409, 422."""
        key = ownership.Manager(manager, "Apply", resource.api_version, subresource)
        exists = self.exists(resource, name, namespace)
        if not exists and subresource:
            raise errors.not_found(resource.plural, resource.group, name)
        live = resource.as_served(self.get(resource, name, namespace)) if exists else None
        asked = config["metadata"].get("resourceVersion")
        config = _applied_part(resource, config, subresource)
        merged = ownership.apply(resource.structure, live, config, key, self.timestamp(), force=force)
        if live is None:
            return self.create(resource, merged, namespace, dry_run=dry_run, manager=manager, applied=True), True
        if asked:
            merged["metadata"]["resourceVersion"] = asked
        return self.update(
            resource, merged, namespace, subresource=subresource, dry_run=dry_run, manager=manager, applied=True
        ), False

    def _name_causes(self, resource: Resource, name: str) -> Iterator[Cause]:
        if not name:
            yield "metadata.name", "Required value: name or generateName is required"
        elif resource.key == ("", "namespaces") and (LABEL.match(name) is None or len(name) > 63):
            wrong = LABEL_TEXT if LABEL.match(name) is None else "must be no more than 63 characters"
            yield "metadata.name", f'Invalid value: "{name}": {wrong}'
        elif len(name) > 253:
            yield "metadata.name", f'Invalid value: "{name}": must be no more than 253 characters'
        elif not (PATH_SEGMENT if resource.group == "rbac.authorization.k8s.io" else NAME).match(name):
            yield "metadata.name", f'Invalid value: "{name}": {NAME_TEXT}'

    def _complete(
        self,
        resource: Resource,
        item: Object,
        old: Object | None,
        operation: str,
        dry_run: bool,
        *,
        mutate: bool = True,
    ) -> Object:
        """Defaults, pruning, and what mutating admission changes."""
        if resource.structure is not None:
            item = structural.prune(resource.structure, structural.default(resource.structure, item))
        if mutate and self.mutation:
            item = copy.deepcopy(item)
            for hook in self.mutation:
                hook(operation, resource, item, old, dry_run)
            if resource.structure is not None:
                item = structural.prune(resource.structure, structural.default(resource.structure, item))
        if resource.stored_structure is not None:
            item = structural.prune(resource.stored_structure, item)
        return item

    def _judge(self, resource: Resource, item: Object, old: Object | None, subresource: str = "") -> None:
        """Raises ApiError 400, 422. Of a change of a subresource only that is looked at."""
        wrong = metadata.wrong_type(item["metadata"])
        if wrong:
            raise errors.bad_request(
                f"{resource.kind} in version {json.dumps(resource.version)} cannot be handled as a "
                f"{resource.kind}: "
                f"{wrong}"
            )
        found: list[Cause] = (
            list(self._name_causes(resource, item["metadata"].get("name") or "")) if old is None else []
        )
        found += list(metadata.validate(item["metadata"], old["metadata"] if old is not None else None))
        if resource.structure is not None and subresource in resource.structure.properties:
            below = resource.structure.properties[subresource]
            found += [
                (f"{subresource}.{field}", text)
                for field, text in structural.validate(below, item.get(subresource) or {})
            ]
        elif resource.structure is not None:
            found += structural.validate(resource.structure, item)
        if not resource.custom:
            self._check_decodable(resource, found)
        if resource.check is not None:
            if any(text.startswith(structural.BLOCKING) or "must be of type" in text for _field, text in found):
                found.append(("<nil>", f"Invalid value: null: {structural.UNCHECKED}"))
            else:
                found += resource.check(item, old)
        if found:
            raise errors.invalid(resource.kind, resource.group, item["metadata"].get("name") or "", found)

    def _check_decodable(self, resource: Resource, found: Sequence[Cause]) -> None:
        """A kind of Kubernetes itself has types of Go, into which a wrong value is not read. Raises ApiError 400."""
        for field, text in found:
            match = re.search(r'must be of type (\w+): "(\w+)"', text)
            if match is not None:
                got = {"integer": "number", "boolean": "bool"}.get(match[2], match[2])
                why = (
                    f"json: cannot unmarshal {got} into Go struct field {resource.kind}.{field.split('.')[0]} of type "
                    f"{match[1]}"
                )
                raise errors.bad_request(
                    f"{resource.kind} in version {json.dumps(resource.version)} cannot be handled as a "
                    f"{resource.kind}: {why}"
                )

    def _admit(self, operation: str, resource: Resource, new: Object | None, old: Object | None, dry_run: bool) -> None:
        for hook in self.admission:
            hook(operation, resource, new, old, dry_run)

    def update(
        self,
        resource: Resource,
        item: Object,
        namespace: str = "",
        *,
        subresource: str = "",
        dry_run: bool = False,
        manager: str = "",
        applied: bool = False,
    ) -> Object:
        """Replace an object, or one subresource of it.

        A resourceVersion in the body must be the present one. Raises ApiError 404, 409, 422.
        """
        name = (item.get("metadata") or {}).get("name") or ""
        before = self.stored(resource, name, namespace)
        current = before.item
        self._check_version(resource, item, current)
        changed = (
            self._subresource(resource, subresource, before, item)
            if subresource
            else self._replacement(resource, current, item)
        )
        changed = self._complete(resource, changed, current, "UPDATE", dry_run, mutate=not subresource)
        self._judge(resource, changed, current, subresource)
        if not subresource:
            if resource.prepare is not None:
                resource.prepare(changed, before.copy())
            self._admit("UPDATE", resource, changed, current, dry_run)
            self._count_generation(resource, changed, current)
        if applied and subresource and "managedFields" in item["metadata"]:
            changed["metadata"]["managedFields"] = item["metadata"]["managedFields"]
        if changed["metadata"].get("managedFields") == []:
            del changed["metadata"]["managedFields"]
        elif manager and changed != current:
            self._track(resource, current, changed, manager, subresource, applied)
        if changed == current:
            return before.copy()
        return self._commit(
            resource, changed, before, "DELETED" if self._ended(resource, changed) else "MODIFIED", dry_run
        )

    def rewrite(self, resource: Resource, name: str, namespace: str, change: Callable[[Object], None]) -> Object:
        """A change by the server itself: without validation and admission. Raises ApiError 404."""
        before = self.stored(resource, name, namespace)
        changed = before.copy()
        change(changed)
        if changed == before.item:
            return changed
        return self._commit(
            resource, changed, before, "DELETED" if self._ended(resource, changed) else "MODIFIED", False
        )

    def _ended(self, resource: Resource, item: Object) -> bool:
        return bool(item["metadata"].get("deletionTimestamp")) and not self._is_held(resource, item)

    def _is_held(self, resource: Resource, item: Object) -> bool:
        return bool(item["metadata"].get("finalizers")) or (resource.held is not None and resource.held(item))

    def _check_version(self, resource: Resource, item: Object, current: Object) -> None:
        meta = item.get("metadata") or {}
        asked = meta.get("resourceVersion")
        if asked and asked != current["metadata"]["resourceVersion"]:
            raise errors.conflict(resource.plural, resource.group, current["metadata"]["name"])
        if meta.get("uid") and meta["uid"] != current["metadata"]["uid"] and resource.custom:
            name, causes = (
                current["metadata"]["name"],
                [("metadata.uid", (f"Invalid value: {json.dumps(meta['uid'])}: field is immutable"))],
            )
            raise errors.invalid(resource.kind, resource.group, name, causes)
        if meta.get("uid") and meta["uid"] != current["metadata"]["uid"]:
            why = (
                f"Precondition failed: UID in precondition: {meta['uid']}, UID in object meta: "
                f"{current['metadata']['uid']}"
            )
            raise errors.conflict(resource.plural, resource.group, current["metadata"]["name"], why)

    def _subresource(self, resource: Resource, subresource: str, before: Stored, item: Object) -> Object:
        changed = resource.subresources[subresource](before.copy(), item)
        changed["metadata"] = dict(before.item["metadata"])
        return changed

    def _replacement(self, resource: Resource, current: Object, item: Object) -> Object:
        changed = {
            **_own(resource, item),
            "apiVersion": resource.stored_as or resource.api_version,
            "kind": resource.kind,
        }
        meta = changed["metadata"] = metadata.known(changed.get("metadata") or {})
        for name in SERVER_OWNED:
            meta.pop(name, None)
            if name in current["metadata"]:
                meta[name] = current["metadata"][name]
        if meta.get("managedFields") == [{}]:
            meta["managedFields"] = []  # no field has an owner any more
        elif not meta.get("managedFields"):
            _carry("managedFields", current["metadata"], meta)
        if resource.namespaced:
            meta["namespace"] = current["metadata"]["namespace"]
        if resource.has_status:
            changed.pop("status", None)
            if "status" in current:
                changed["status"] = current["status"]
        return changed

    def _count_generation(self, resource: Resource, changed: Object, current: Object) -> None:
        if resource.counts_generations and _substance(changed, resource) != _substance(current, resource):
            changed["metadata"]["generation"] = int(current["metadata"].get("generation", 1)) + 1

    def delete(
        self,
        resource: Resource,
        name: str,
        namespace: str = "",
        *,
        preconditions: Mapping[str, Any] | None = None,
        propagation: str = "",
        dry_run: bool = False,
    ) -> Object:
        """Remove, or mark when something holds the object.

        ``propagation``: Background, Foreground, Orphan or empty. Raises ApiError 404, 409.
        """
        before = self.stored(resource, name, namespace)
        current = before.item
        for member, title, happened in (
            ("uid", "UID", "deleted and then recreated"),
            ("resourceVersion", "ResourceVersion", "modified"),
        ):
            asked, there = (preconditions or {}).get(member), current["metadata"][member]
            if asked and asked != there:
                why = (
                    f"the {title} in the precondition ({asked}) does not match the {title} in record ({there}). The "
                    f"object might have been {happened}"
                )
                raise errors.conflict(resource.kind, resource.group, name, why)
        self._admit("DELETE", resource, None, current, dry_run)
        marked = before.copy()
        _set_propagation(marked["metadata"], propagation)
        if not self._is_held(resource, marked):
            return self._commit(resource, before.copy(), before, "DELETED", dry_run)
        if not marked["metadata"].get("deletionTimestamp"):
            marked["metadata"] |= {"deletionTimestamp": self.timestamp(), "deletionGracePeriodSeconds": 0}
            if "generation" in marked["metadata"]:
                marked["metadata"]["generation"] += 1
        return marked if marked == current else self._commit(resource, marked, before, "MODIFIED", dry_run)

    def forget(self, resource: Resource) -> None:
        """Drop all objects of a resource that is served no more."""
        for item in self.listed(resource):
            self._commit(resource, item.copy(), item, "DELETED", False)

    def _commit(self, resource: Resource, item: Object, previous: Stored | None, kind: str, dry_run: bool) -> Object:
        meta = item["metadata"]
        if dry_run:
            if previous is None:
                meta.pop("resourceVersion", None)
            return copy.deepcopy(item)
        self._version += 1
        meta["resourceVersion"] = str(self._version)
        key = (meta.get("namespace", "") if resource.namespaced else "", meta["name"])
        stored = Stored(item)
        if kind == "DELETED":
            self._shelf(resource).pop(key, None)
            self._sorted.pop(resource.key, None)
        else:
            if key not in self._shelf(resource):
                self._sorted.pop(resource.key, None)
            self._shelf(resource)[key] = stored
        change = Change(self._version, kind, resource, stored, previous)
        self._log.append(change)
        self._changed.set()
        self._changed = asyncio.Event()
        for listener in self.listeners:
            listener(change)
        return stored.copy()

    # the log

    def changes_since(self, version: int) -> Sequence[Change]:
        """Raises ApiError 410 when the log does not reach back that far."""
        oldest = self._log[0].version if self._log else self._version + 1
        reach = max(self._compacted, oldest - 1 if len(self._log) == self._log.maxlen else 0)
        if version < reach:
            raise errors.expired(version, reach)
        # Every change has the next version, so that only the new end of the log is looked at.
        count = max(0, min(self._version - version, len(self._log)))
        return list(itertools.islice(reversed(self._log), count))[::-1]

    def compact(self) -> None:
        """Forget the log: watches and lists from an older version get 410."""
        self._compacted = self._version
        self._log.clear()

    async def wait(self, seconds: float) -> None:
        """Until something changes, at most ``seconds`` of the wall clock."""
        # Not asyncio.wait_for: that of Python 3.11 forgets a cancellation that comes together with the change.
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._changed.wait()


def _applied_part(resource: Resource, config: Object, subresource: str) -> Object:
    """Of an applied configuration what the endpoint writes: the status there, all but the status else."""
    kept = _without(config["metadata"], "resourceVersion", "managedFields", *SERVER_OWNED)
    if subresource:
        return {
            "apiVersion": config["apiVersion"],
            "kind": config["kind"],
            "metadata": {},
            **{name: config[name] for name in (subresource,) if name in config},
        }
    return {**(_without(config, "status") if resource.has_status else config), "metadata": kept}


def _own(resource: Resource, item: Object) -> Object:
    """The item to be worked on. Where a kind has code of its own that may change it in depth, all of it is copied."""
    return copy.deepcopy(item) if resource.prepare is not None else dict(item)


def _carry(name: str, source: Mapping[str, Any], target: Object) -> None:
    target.pop(name, None)
    if name in source:
        target[name] = source[name]


def _without(item: Mapping[str, Any], *names: str) -> Object:
    return {key: value for key, value in item.items() if key not in names}


def _substance(item: Object, resource: Resource) -> Object:
    """What the generation counts: all but metadata, and the status where that is written on its own."""
    return _without(item, "metadata", "apiVersion", *(["status"] if resource.has_status else []))


def _set_propagation(meta: Object, propagation: str) -> None:
    """Foreground and orphan deletion are finalizers that the garbage collector takes away."""
    if not propagation:
        return
    kept = [name for name in meta.get("finalizers") or [] if name not in (FOREGROUND, ORPHAN)]
    added = {"Foreground": [FOREGROUND], "Orphan": [ORPHAN]}.get(propagation, [])
    meta["finalizers"] = [*kept, *added]
    if not meta["finalizers"]:
        del meta["finalizers"]
