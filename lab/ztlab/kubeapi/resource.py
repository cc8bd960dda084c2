# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Describe a kind for the API server: its names, scope, columns and subresources. This module
defines no kind itself.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from .scale import NAME as SCALE
from .scale import Scale
from .structural import Cause, Schema, prune

Object = dict[str, Any]
# (current object, body of the request) -> the object to store
Subresource = Callable[[Object, Object], Object]
# (store, namespace, name, body of the request) -> the answer; may refuse by raising ApiError
Action = Callable[[Any, str, str, Object], Object]


@dataclasses.dataclass(frozen=True)
class Column:
    """A column of ``kubectl get``.

    ``value`` gets the object; ``priority`` above 0 is shown with ``-o wide`` only; with ``age`` the value is a
    timestamp.
    """

    name: str
    value: Callable[[Object], Any]
    type: str = "string"
    priority: int = 0
    description: str = ""
    format: str = ""
    age: bool = False


def replace_status(current: Object, body: Object) -> Object:
    """Subresource ``status``: nothing but the status comes from the body."""
    changed = {**current}
    changed.pop("status", None)
    return {**changed, "status": body["status"]} if "status" in body else changed


@dataclasses.dataclass(frozen=True)
class Resource:
    """One served resource.

    ``prepare(new, old)`` may complete or refuse (ApiError) an object before it is stored; ``old`` is None on creation.
    ``actions`` are subresources that are only posted to (``eviction``), ``scale`` is where a kind has its number of
    replicas; ``fields`` are extra field selectors; ``schema`` is the OpenAPI v3 schema if there is one. ``strategic``:
    a built-in kind, whose strategic merge patches are taken (as merge patches: maps merge, lists replace); custom
    resources answer 415 to them. ``structure`` completes, prunes and validates objects (``stored_structure`` is that of
    the version that is kept), ``check`` validates them after that; ``held``: what keeps an object that is being deleted
    in addition to its finalizers; ``stored_as``: the apiVersion under which objects of every served version are kept.
    """

    group: str
    version: str
    kind: str
    plural: str
    namespaced: bool = False
    short_names: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    columns: tuple[Column, ...] = ()
    subresources: Mapping[str, Subresource] = dataclasses.field(default_factory=dict)
    scale: Scale | None = None
    actions: Mapping[str, Action] = dataclasses.field(default_factory=dict)
    prepare: Callable[[Object, Object | None], None] | None = None
    fields: Mapping[str, Callable[[Object], str]] = dataclasses.field(default_factory=dict)
    schema: Mapping[str, Any] | None = None
    strategic: bool = False
    structure: Schema | None = None
    stored_structure: Schema | None = None
    check: Callable[[Object, Object | None], list[Cause]] | None = None
    held: Callable[[Object], bool] | None = None
    singular_name: str = ""
    list_kind_name: str = ""
    stored_as: str = ""
    custom: bool = False

    @property
    def singular(self) -> str:
        return self.singular_name or self.kind.lower()

    @property
    def list_kind(self) -> str:
        return self.list_kind_name or f"{self.kind}List"

    @property
    def api_version(self) -> str:
        return f"{self.group}/{self.version}" if self.group else self.version

    @property
    def key(self) -> tuple[str, str]:
        """What objects are stored under: group and plural, so that versions share their objects."""
        return self.group, self.plural

    def as_served(self, item: Object) -> Object:
        """A stored object in this version: conversion does nothing but that a version shows only what its schema
        knows.
        """
        if item.get("apiVersion") == self.api_version:
            return item
        served = {**item, "apiVersion": self.api_version}
        return prune(self.structure, served) if self.structure is not None else served

    @property
    def counts_generations(self) -> bool:
        """Kinds of Kubernetes' core do not, those that follow later conventions do."""
        return self.custom or (self.has_status and not (self.strategic and self.group in ("", "certificates.k8s.io")))

    def serves(self, subresource: str) -> bool:
        """Whether a path may end with this."""
        return (
            subresource in self.subresources
            or subresource in self.actions
            or (subresource == SCALE and self.scale is not None)
        )

    @property
    def has_status(self) -> bool:
        return "status" in self.subresources


class Registry:
    """All served resources; may grow while the server runs."""

    def __init__(self, resources: Iterable[Resource] = ()) -> None:
        self._resources: dict[tuple[str, str, str], Resource] = {}
        for resource in resources:
            self.add(resource)

    def add(self, resource: Resource) -> None:
        self._resources[resource.group, resource.version, resource.plural] = resource

    def remove(self, group: str, plural: str) -> None:
        """All versions of a resource."""
        self._resources = {
            key: resource for key, resource in self._resources.items() if resource.key != (group, plural)
        }

    def find(self, group: str, version: str, plural: str) -> Resource | None:
        return self._resources.get((group, version, plural))

    def by_kind(self, kind: str, group: str = "") -> Resource:
        """Raises KeyError."""
        for resource in self._resources.values():
            if (resource.kind, resource.group) == (kind, group):
                return resource
        raise KeyError(f"{kind}.{group}" if group else kind)

    def all(self) -> list[Resource]:
        return list(self._resources.values())

    def groups(self) -> dict[str, list[str]]:
        """Group -> versions, the preferred one first; without the core group."""
        found: dict[str, list[str]] = {}
        for resource in self._resources.values():
            if resource.group and resource.version not in found.setdefault(resource.group, []):
                found[resource.group].append(resource.version)
        return dict(sorted(found.items()))

    def of(self, group: str, version: str) -> list[Resource]:
        return [
            resource for resource in self._resources.values() if (resource.group, resource.version) == (group, version)
        ]
