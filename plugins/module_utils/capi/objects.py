# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Read fields of Kubernetes objects: labels, conditions, owners.

A field that does not exist yet is read as an empty value, not as an error.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from .kinds import CORE_GROUP, CORE_VERSIONS
from .names import BACKUP_LABEL, PAUSED

Object = dict[str, Any]
Key = tuple[str, str]


def key_of(obj: Mapping[str, Any]) -> Key:
    metadata = obj["metadata"]
    return str(metadata.get("namespace") or ""), str(metadata["name"])


def part(obj: Mapping[str, Any] | None, *path: str) -> Mapping[str, Any]:
    """The mapping at a path; empty where there is none."""
    found: Any = obj or {}
    for name in path:
        found = found.get(name) if isinstance(found, Mapping) else None
    return found if isinstance(found, Mapping) else {}


def text(obj: Mapping[str, Any] | None, *path: str) -> str:
    """The string at a path; empty where there is none."""
    value = part(obj, *path[:-1]).get(path[-1])
    return value if isinstance(value, str) else ""


def labels_of(obj: Mapping[str, Any] | None) -> Mapping[str, str]:
    return part(obj, "metadata", "labels")


def annotations_of(obj: Mapping[str, Any] | None) -> Mapping[str, str]:
    return part(obj, "metadata", "annotations")


def finalizers(obj: Mapping[str, Any]) -> list[str]:
    return list(part(obj, "metadata").get("finalizers") or [])


def deleting(obj: Mapping[str, Any] | None) -> bool:
    return bool(part(obj, "metadata").get("deletionTimestamp"))


def paused(obj: Mapping[str, Any]) -> bool:
    """Upstream takes the annotation of the object itself alone, and no value but ``true`` (3)."""
    return annotations_of(obj).get(PAUSED) == "true"


def generation(obj: Mapping[str, Any]) -> int:
    value = part(obj, "metadata").get("generation")
    return value if isinstance(value, int) else 0


def core_owner(obj: Mapping[str, Any], kind: str) -> str:
    """Name of the first owner of this kind of Cluster API; empty without one."""
    versions = {f"{CORE_GROUP}/{version}" for version in CORE_VERSIONS}
    for owner in part(obj, "metadata").get("ownerReferences") or ():
        if owner.get("kind") == kind and owner.get("apiVersion") in versions:
            return str(owner.get("name") or "")
    return ""


def all_conditions(obj: Mapping[str, Any] | None) -> Iterator[Mapping[str, Any]]:
    """The conditions wherever a version of Cluster API keeps them: those of the version first, then the other
    contract's.
    """
    status = part(obj, "status")
    for place in (status, part(status, "v1beta2"), part(status, "deprecated", "v1beta1")):
        yield from (item for item in place.get("conditions") or () if isinstance(item, Mapping))


def backup_label(obj: Mapping[str, Any] | None) -> dict[str, str]:
    """The label to add so that backups take the object along; nothing where the key is there, whatever its value."""
    return {} if BACKUP_LABEL in labels_of(obj) else {BACKUP_LABEL: "true"}
