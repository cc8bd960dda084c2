# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Load CustomResourceDefinitions, and convert them to the resources that the server serves."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml

from . import scale, structural
from .errors import ApiError, invalid
from .jsonpath import compile_path
from .resource import Column, Object, Resource, Subresource, replace_status
from .rules import RuleBook
from .structural import Cause, Schema
from .table import AGE

GROUP = "apiextensions.k8s.io"


def load(*directories: Path) -> Iterator[Object]:
    """The definitions of all files in the directories, in the order of their names; other kinds are ignored."""
    for path in (path for directory in directories for path in sorted(directory.glob("*.yaml"))):
        for document in yaml.load_all(path.read_text(), getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
            if isinstance(document, dict) and document.get("kind") == "CustomResourceDefinition":
                yield document


def resources(definition: Mapping[str, Any]) -> list[Resource]:
    """The served versions, the storage version first. Raises ApiError 422 for a definition that makes no sense."""
    spec = definition["spec"]
    versions = [version for version in spec["versions"] if version.get("served")]
    stored = next((version["name"] for version in spec["versions"] if version.get("storage")), "")
    if not stored:
        raise _refused(
            definition, "spec.versions", ("Invalid value: must have exactly one version marked as storage version")
        )
    ordered = sorted(versions, key=lambda version: version["name"] != stored)
    kept = next(version for version in spec["versions"] if version.get("storage"))
    return [_resource(definition, version, kept) for version in ordered]


def _document(version: Mapping[str, Any]) -> dict[str, Any]:
    return (version.get("schema") or {}).get("openAPIV3Schema") or {
        "type": "object",
        "x-kubernetes-preserve-unknown-fields": True,
    }


def _refused(definition: Mapping[str, Any], field: str, text: str) -> ApiError:
    return invalid("CustomResourceDefinition", GROUP, definition["metadata"]["name"], [(field, text)])


def _resource(definition: Mapping[str, Any], version: Mapping[str, Any], kept: Mapping[str, Any]) -> Resource:
    spec = definition["spec"]
    names, group = spec["names"], spec["group"]
    document = _document(version)
    try:
        schema = structural.parse(document, root=True)
        columns = tuple(_column(entry) for entry in version.get("additionalPrinterColumns") or ())
    except Exception as error:
        raise _refused(definition, "spec.versions", f"Invalid value: {error}") from error
    subresources: dict[str, Subresource] = (
        {"status": replace_status} if "status" in (version.get("subresources") or {}) else {}
    )
    return Resource(
        group=group,
        version=version["name"],
        kind=names["kind"],
        plural=names["plural"],
        namespaced=spec.get("scope") == "Namespaced",
        short_names=tuple(names.get("shortNames") or ()),
        categories=tuple(names.get("categories") or ()),
        columns=columns or (AGE,),
        subresources=subresources,
        scale=scale.parse((version.get("subresources") or {}).get(scale.NAME)),
        fields={
            entry["jsonPath"].removeprefix("."): _field(entry["jsonPath"])
            for entry in version.get("selectableFields") or ()
        },
        schema=document,
        structure=schema,
        check=_check(schema) if schema.ruled else None,
        singular_name=names.get("singular") or names["kind"].lower(),
        list_kind_name=names.get("listKind") or f"{names['kind']}List",
        stored_as=f"{group}/{kept['name']}",
        stored_structure=structural.parse(_document(kept), root=True) if kept is not version else None,
        custom=True,
    )


def _check(schema: Schema) -> Callable[[Object, Object | None], list[Cause]]:
    book = RuleBook(schema)
    return book.check


def _field(path: str) -> Callable[[Object], str]:
    find = compile_path(path)

    def read(item: Object) -> str:
        found = find(item)
        return _text(found[0]) if found else ""

    return read


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _column(entry: Mapping[str, Any]) -> Column:
    find, kind = compile_path(entry["jsonPath"]), entry["type"]

    def value(item: Object) -> Any:
        found = find(item)
        if not found or found[0] is None:
            return "" if kind == "date" else None
        if kind == "string":
            return found[0] if isinstance(found[0], str) else structural.quoted(found[0])
        return found[0] if isinstance(found[0], (str, int, float, bool)) else None

    priority, description = int(entry.get("priority") or 0), str(entry.get("description") or "")
    return Column(entry["name"], value, kind, priority, description, str(entry.get("format") or ""), age=kind == "date")
