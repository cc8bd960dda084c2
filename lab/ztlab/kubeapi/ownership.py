# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Track which manager owns which field (``metadata.managedFields``), and implement server-side apply.

A field is a path of names. Each entry of a map has its own owner; lists, and maps that are declared atomic, are owned
as a whole.
"""

from __future__ import annotations

import copy
import dataclasses
import json
from collections.abc import Iterable, Mapping
from typing import Any

from .errors import ApiError
from .resource import Object
from .structural import Schema

Path = tuple[str, ...]
Paths = frozenset[Path]
NONE: Paths = frozenset()
# Fields without an owner: those that name the object, and those that the server writes.
UNOWNED = frozenset(
    {
        ("apiVersion",),
        ("kind",),
        ("metadata",),
        *(
            ("metadata", name)
            for name in (
                "name",
                "namespace",
                "creationTimestamp",
                "selfLink",
                "uid",
                "generation",
                "managedFields",
                "resourceVersion",
                "deletionTimestamp",
                "deletionGracePeriodSeconds",
            )
        ),
    }
)
BEFORE = "before-first-apply"
UNTYPED = Schema(preserve=True)


@dataclasses.dataclass(frozen=True)
class Manager:
    """One entry's key. ``operation``: Apply or Update."""

    name: str
    operation: str
    api_version: str
    subresource: str = ""


@dataclasses.dataclass(frozen=True)
class Entry:
    paths: Paths
    time: str


Managed = dict[Manager, Entry]


# values to paths


def _below(schema: Schema, name: str) -> Schema:
    return schema.properties.get(name) or schema.additional or UNTYPED


def _granular(schema: Schema, value: Any) -> bool:
    return isinstance(value, dict) and not schema.atomic


def paths_of(schema: Schema, value: Any, here: Path = ()) -> set[Path]:
    """The fields of an applied configuration."""
    if not _granular(schema, value):
        return {here}
    found: set[Path] = set()
    for name, item in value.items():
        below, where = _below(schema, name), (*here, name)
        found |= paths_of(below, item, where)
        # A map that a schema does not list by its members is itself something that is there or not.
        if _granular(below, item) and (not item or name not in schema.properties):
            found.add(where)
    return found


def compare(schema: Schema, old: Any, new: Any, here: Path = ()) -> tuple[set[Path], set[Path]]:
    """Fields that were set or changed, and fields that are gone."""
    changed: set[Path] = set()
    gone: set[Path] = set()
    if _granular(schema, old) and _granular(schema, new):
        for name in {*old, *new}:
            if name in old and name in new and old[name] is new[name]:
                continue
            below, where = _below(schema, name), (*here, name)
            if name not in new:
                gone |= _all(below, old[name], where)
            elif name not in old:
                changed |= _all(below, new[name], where)
            else:
                more, less = compare(below, old[name], new[name], where)
                changed |= more
                gone |= less
    elif old != new:
        gone |= _all(schema, old, here) if _granular(schema, old) else set()
        changed |= _all(schema, new, here)
    return changed, gone


def _all(schema: Schema, value: Any, here: Path) -> set[Path]:
    """A value that is new: its maps count too."""
    found = {here}
    if _granular(schema, value):
        for name, item in value.items():
            found |= _all(_below(schema, name), item, (*here, name))
    return found


# fieldsV1


def encode(paths: Iterable[Path]) -> Object:
    """FieldsV1. A map that is owned itself beside members of it is marked by a member ``.``."""
    root: Object = {}
    listed = set(paths)
    for path in sorted(listed):
        node = root
        for step in path:
            node = node.setdefault(f"f:{step}", {})
    for path in listed:
        node = root
        for step in path:
            node = node[f"f:{step}"]
        if node:
            node["."] = {}
    return _ordered(root)


def _ordered(node: Object) -> Object:
    found: Object = {name: _ordered(node[name]) for name in sorted(node)}
    return found


def decode(fields: Mapping[str, Any], here: Path = ()) -> Paths:
    """Keys of list entries (``k:``, ``v:``) count as the list."""
    found: set[Path] = set()
    for key, below in fields.items():
        if key == ".":
            found.add(here)
        elif key.startswith("f:"):
            path = (*here, key[2:])
            found |= decode(below, path) if below else {path}
        else:
            found.add(here)
    return frozenset(found)


def read(item: Mapping[str, Any]) -> Managed:
    """The entries of an object."""
    found: Managed = {}
    for entry in (item.get("metadata") or {}).get("managedFields") or []:
        key = Manager(
            entry.get("manager", ""),
            entry.get("operation", ""),
            entry.get("apiVersion", ""),
            entry.get("subresource", ""),
        )
        found[key] = Entry(decode(entry.get("fieldsV1") or {}), entry.get("time", ""))
    return found


def write(item: Object, managed: Managed) -> None:
    """Put the entries into an object's metadata, those that own nothing left out."""
    entries = []
    for key, entry in sorted(
        managed.items(), key=lambda pair: (pair[0].operation != "Apply", pair[1].time, pair[0].name)
    ):
        if entry.paths:
            body = {
                "manager": key.name,
                "operation": key.operation,
                "apiVersion": key.api_version,
                "time": entry.time,
                "fieldsType": "FieldsV1",
            }
            entries.append(
                {
                    **body,
                    "fieldsV1": encode(entry.paths),
                    **({"subresource": key.subresource} if key.subresource else {}),
                }
            )
    item["metadata"].pop("managedFields", None)
    if entries:
        item["metadata"]["managedFields"] = entries


# updates


def _owned(paths: Iterable[Path]) -> Paths:
    return frozenset(path for path in paths if path not in UNOWNED and path)


def _without(paths: Paths, gone: Iterable[Path]) -> Paths:
    return paths.difference(gone)


def track(schema: Schema | None, old: Object | None, new: Object, manager: Manager, now: str) -> None:
    """Note in ``new`` what this write, which is no apply, has set."""
    changed, gone = compare(schema or UNTYPED, _bare(old) if old is not None else {}, _bare(new))
    changed, gone = set(_owned(changed)), set(_owned(gone))
    base = read(new) if "managedFields" in new["metadata"] else read(old or {})
    managed: Managed = {}
    for key, entry in base.items():
        kept = _without(_without(entry.paths, gone), changed if key != manager else ())
        managed[key] = dataclasses.replace(entry, paths=kept)
    if changed:
        before = managed.get(manager, Entry(NONE, now))
        managed[manager] = Entry(before.paths | changed, now)
    write(new, managed)


def _bare(item: Mapping[str, Any]) -> Object:
    return (
        {**item, "metadata": {name: value for name, value in item["metadata"].items() if name != "managedFields"}}
        if "metadata" in item
        else dict(item)
    )


# apply


def apply(
    schema: Schema | None, live: Object | None, config: Object, manager: Manager, now: str, *, force: bool
) -> Object:
    """The object after a server-side apply.

    Raises ApiError 409 with the managers and fields in conflict unless ``force``.
    """
    schema = schema or UNTYPED
    unknown = undeclared(schema, config)
    if unknown:
        where = (
            f"{config['metadata'].get('namespace', '')}/{config['metadata'].get('name', '')}; {config['apiVersion']}, "
            f"Kind={config['kind']}"
        )
        raise ApiError(
            500, "", (f"failed to create typed patch object ({where}): {unknown}: field not declared in schema")
        )
    start = live if live is not None else {"metadata": {}}
    managed = read(start)
    if live is not None and not managed:
        managed[Manager(BEFORE, "Update", config.get("apiVersion", ""))] = Entry(
            _owned(compare(schema, {}, _bare(live))[0]), now
        )
    before = managed.get(manager, Entry(NONE, now))
    wanted = _owned(paths_of(schema, _bare(config)))
    merged: Object = _merge(schema, start, _bare(config))
    others = frozenset[Path]().union(*(entry.paths for key, entry in managed.items() if key != manager))
    for path in sorted(before.paths - wanted, key=len, reverse=True):
        if not any(owned[: len(path)] == path for owned in others | wanted):
            _remove(merged, path)
    changed, gone = compare(schema, _bare(start), _bare(merged))
    conflicts = {
        key: entry.paths & changed for key, entry in managed.items() if key != manager and entry.paths & changed
    }
    if conflicts and not force:
        raise conflict(conflicts, managed)
    after: Managed = {
        key: dataclasses.replace(entry, paths=entry.paths - changed - gone)
        for key, entry in managed.items()
        if key != manager
    }
    after[manager] = before if wanted == before.paths and before.paths else Entry(wanted, now)
    write(merged, after)
    return merged


def _merge(schema: Schema, live: Any, config: Any) -> Any:
    if not _granular(schema, live) or not _granular(schema, config):
        return copy.deepcopy(config)
    found = copy.deepcopy(live)
    for name, value in config.items():
        found[name] = _merge(_below(schema, name), found[name], value) if name in found else copy.deepcopy(value)
    return found


def _remove(item: Object, path: Path) -> None:
    """Take out a field, and the maps that it leaves empty."""
    nodes: list[Any] = [item]
    for step in path[:-1]:
        below = nodes[-1].get(step)
        if not isinstance(below, dict):
            return
        nodes.append(below)
    for node, step in zip(reversed(nodes), reversed(path), strict=True):
        node.pop(step, None)
        if node or node is item:
            return


def undeclared(schema: Schema, value: Any, here: str = "") -> str:
    """The first field of an applied configuration that the schema does not have; empty when there is none."""
    if isinstance(value, list):
        found = (
            (undeclared(schema.items, item, f"{here}[{index}]") for index, item in enumerate(value))
            if schema.items is not None
            else ()
        )
        return next((path for path in found if path), "")
    if not isinstance(value, dict):
        return ""
    for name, item in value.items():
        below = schema.properties.get(name) or schema.additional
        if below is None and not schema.preserve:
            return f"{here}.{name}"
        path = undeclared(below, item, f"{here}.{name}") if below is not None else ""
        if path:
            return path
    return ""


def described(manager: Manager) -> str:
    """A manager as conflicts name it."""
    name = json.dumps(manager.name)
    if manager.subresource:
        name += f" with subresource {json.dumps(manager.subresource)}"
    return f"{name} using {manager.api_version}" if manager.operation == "Update" else name


def shown(path: Path) -> str:
    return "".join(f".{step}" for step in path)


def conflict(conflicts: Mapping[Manager, Paths], managed: Managed) -> ApiError:
    pairs = [(manager, path) for manager, paths in conflicts.items() for path in sorted(paths)]
    causes = [
        {"reason": "FieldManagerConflict", "message": f"conflict with {described(manager)}", "field": shown(path)}
        for manager, path in pairs
    ]
    if len(pairs) == 1:
        manager, path = pairs[0]
        text = f"Apply failed with 1 conflict: conflict with {described(manager)}: {shown(path)}"
    else:
        lines = []
        for manager in sorted(conflicts, key=described):
            lines.append(f"conflicts with {described(manager)}:")
            lines += [f"- {shown(path)}" for path in sorted(conflicts[manager])]
        text = f"Apply failed with {len(pairs)} conflicts: " + "\n".join(lines)
    return ApiError(409, "Conflict", text, details={"causes": causes})
