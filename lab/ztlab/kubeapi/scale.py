# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Implement the subresource ``scale``: read and write the replica count of an object as an autoscaling/v1 Scale."""

from __future__ import annotations

import copy
import dataclasses
import json
from collections.abc import Mapping
from typing import Any

from . import errors
from .errors import ApiError

GROUP, VERSION, KIND = "autoscaling", "v1", "Scale"
NAME = "scale"
Object = dict[str, Any]


@dataclasses.dataclass(frozen=True)
class Scale:
    """Paths of a kind's fields with replica counts and label selector. ``selector`` is () if the kind has none."""

    wanted: tuple[str, ...]
    present: tuple[str, ...]
    selector: tuple[str, ...] = ()

    def show(self, item: Mapping[str, Any]) -> Object:
        """The Scale of an object. Raises ApiError 500 for an object without a number of replicas."""
        meta = item["metadata"]
        kept = {
            name: meta[name]
            for name in ("name", "namespace", "uid", "resourceVersion", "creationTimestamp")
            if name in meta
        }
        status: Object = {"replicas": _read(item, self.present) or 0}
        selector = _read(item, self.selector) if self.selector else None
        if selector:
            status["selector"] = selector
        wanted = _read(item, self.wanted)
        if wanted is None:
            text = f'the spec replicas field ".{".".join(self.wanted)}" does not exist'
            raise ApiError(
                500, "InternalError", f"Internal error occurred: {text}", details={"causes": [{"message": text}]}
            )
        return {
            "kind": KIND,
            "apiVersion": f"{GROUP}/{VERSION}",
            "metadata": kept,
            "spec": {"replicas": wanted} if wanted else {},
            "status": status,
        }

    def apply(self, item: Object, body: Mapping[str, Any]) -> Object:
        """An object after its Scale became ``body``. Raises ApiError 400, 422."""
        if body.get("kind", KIND) != KIND:
            raise errors.bad_request(f"the object provided is unrecognized (must be of type {KIND})")
        number = (body.get("spec") or {}).get("replicas", 0)
        if not isinstance(number, int) or isinstance(number, bool):
            raise errors.bad_request("spec.replicas must be a number")
        if number < 0:
            text = f"Invalid value: {json.dumps(number)}: should be a non-negative integer"
            group = str(item["apiVersion"]).rpartition("/")[0]
            raise errors.invalid(item["kind"], group, item["metadata"]["name"], [(f".{'.'.join(self.wanted)}", text)])
        changed = copy.deepcopy(item)
        holder = changed
        for name in self.wanted[:-1]:
            holder = holder.setdefault(name, {})
        holder[self.wanted[-1]] = number
        version = (body.get("metadata") or {}).get("resourceVersion")
        if version:
            changed["metadata"]["resourceVersion"] = version
        return changed


def _read(item: Mapping[str, Any], path: tuple[str, ...]) -> Any:
    found: Any = item
    for name in path:
        found = found.get(name) if isinstance(found, Mapping) else None
    return found


def parse(document: Mapping[str, Any] | None) -> Scale | None:
    """From ``subresources.scale`` of a definition."""
    if not document:
        return None

    def path(name: str) -> tuple[str, ...]:
        return tuple(part for part in str(document.get(name) or "").split(".") if part)

    return Scale(path("specReplicasPath"), path("statusReplicasPath"), path("labelSelectorPath"))
