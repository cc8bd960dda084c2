# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Validate ``metadata`` of Kubernetes objects: types of the fields, labels, annotations, owners and finalizers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from .structural import Cause, kind_of, quoted

# member -> its type here and in Go
MEMBERS: dict[str, tuple[type, str]] = {
    "name": (str, "string"),
    "generateName": (str, "string"),
    "namespace": (str, "string"),
    "selfLink": (str, "string"),
    "uid": (str, "types.UID"),
    "resourceVersion": (str, "string"),
    "generation": (int, "int64"),
    "creationTimestamp": (str, "string"),
    "deletionTimestamp": (str, "string"),
    "deletionGracePeriodSeconds": (int, "int64"),
    "labels": (dict, "map[string]string"),
    "annotations": (dict, "map[string]string"),
    "ownerReferences": (list, "[]v1.OwnerReference"),
    "finalizers": (list, "[]string"),
    "managedFields": (list, "[]v1.ManagedFieldsEntry"),
}
ANNOTATIONS_SIZE = 256 * 1024
_PART = re.compile(r"([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]")
_SUBDOMAIN = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")
_PART_TEXT = (
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character"
)
_NAME_TEXT = (
    f"name part {_PART_TEXT} (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is "
    f"'{_PART.pattern}')"
)
_PREFIX_TEXT = (
    "prefix part a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and "
    "must start and end with an "
    f"alphanumeric character (e.g. 'example.com', regex used for validation is '{_SUBDOMAIN.pattern}')"
)
_LABEL_TEXT = (
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and "
    "end with an alphanumeric "
    "character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is "
    "'(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"
)


def known(metadata: Mapping[str, Any]) -> dict[str, Any]:
    """The members that metadata can have, nulls left out."""
    return {name: value for name, value in metadata.items() if name in MEMBERS and value is not None}


def wrong_type(metadata: Mapping[str, Any]) -> str:
    """The first member of a type that cannot be decoded, with what is wrong; empty when all can."""
    for name, (wanted, go) in MEMBERS.items():
        value = metadata.get(name)
        if value is not None and (not isinstance(value, wanted) or isinstance(value, bool)):
            return _cannot(value, name, go)
        items: Iterable[Any] = value if name == "finalizers" and isinstance(value, list) else ()
        for item in value.values() if isinstance(value, dict) else items:
            if not isinstance(item, str):
                return _cannot(item, name, "string")
    return ""


def _cannot(value: Any, name: str, go: str) -> str:
    kind = {"integer": "number", "boolean": "bool"}.get(kind_of(value), kind_of(value))
    return f"json: cannot unmarshal {kind} into Go struct field ObjectMeta.{name} of type {go}"


def validate(metadata: Mapping[str, Any], old: Mapping[str, Any] | None) -> Iterator[Cause]:
    """Everything that is wrong beside the name, which the store checks."""
    for key, value in (metadata.get("labels") or {}).items():
        yield from _key(key, "metadata.labels")
        if len(value) > 63:
            yield "metadata.labels", f"Invalid value: {quoted(value)}: must be no more than 63 bytes"
        if value and _PART.fullmatch(value) is None:
            yield "metadata.labels", f"Invalid value: {quoted(value)}: {_LABEL_TEXT}"
    annotations = metadata.get("annotations") or {}
    for key in annotations:
        yield from _key(key.lower(), "metadata.annotations")
    if sum(len(key) + len(value.encode()) for key, value in annotations.items()) > ANNOTATIONS_SIZE:
        yield "metadata.annotations", f"Too long: may not be more than {ANNOTATIONS_SIZE} bytes"
    yield from _owners(metadata.get("ownerReferences") or [])
    yield from _finalizers(metadata, old)


def _key(key: str, field: str) -> Iterator[Cause]:
    prefix, slash, name = key.rpartition("/")
    if slash and (not prefix or _SUBDOMAIN.fullmatch(prefix) is None):
        wrong = _PREFIX_TEXT if prefix else "prefix part must be non-empty"
        yield field, f"Invalid value: {quoted(key)}: {wrong}"
    if not name:
        yield field, f"Invalid value: {quoted(key)}: name part must be non-empty"
    if len(name) > 63:
        yield field, f"Invalid value: {quoted(key)}: name part must be no more than 63 bytes"
    elif _PART.fullmatch(name) is None:
        yield field, f"Invalid value: {quoted(key)}: {_NAME_TEXT}"


def _owners(owners: list[Any]) -> Iterator[Cause]:
    controllers = []
    for owner in owners:
        for name in ("apiVersion", "kind", "name", "uid"):
            if not owner.get(name):
                text = "version must not be empty" if name == "apiVersion" else "must not be empty"
                yield f"metadata.ownerReferences.{name}", f'Invalid value: "": {text}'
        if owner.get("controller"):
            controllers.append(owner)
    if len(controllers) > 1:
        first, second = controllers[:2]
        yield (
            "metadata.ownerReferences",
            f"Invalid value: {quoted(owners)}: Only one reference can have Controller set to true. "
            f'Found "true" in references for {first.get("kind")}/{first.get("name")} and '
            f"{second.get('kind')}/{second.get('name')}",
        )


def _finalizers(metadata: Mapping[str, Any], old: Mapping[str, Any] | None) -> Iterator[Cause]:
    finalizers = metadata.get("finalizers") or []
    for name in finalizers:
        yield from _key(name, "metadata.finalizers")
    if old is not None and old.get("deletionTimestamp"):
        added = [name for name in finalizers if name not in (old.get("finalizers") or [])]
        if added:
            listed = ", ".join(quoted(name) for name in added)
            yield (
                "metadata.finalizers",
                (
                    "Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers "
                    f"[]string{{{listed}}}"
                ),
            )
