# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Decode protobuf request bodies, which kubectl sends for some built-in kinds (``create namespace``, ``certificate
approve``).

Only the kinds listed here are decoded; responses are JSON, which every client accepts as well.
"""

from __future__ import annotations

import base64
import dataclasses
import datetime
from collections.abc import Iterator, Mapping
from typing import Any

MAGIC = b"k8s\x00"
MEDIA_TYPE = "application/vnd.kubernetes.protobuf"


@dataclasses.dataclass(frozen=True)
class Field:
    """``kind``: string, bytes, int, bool, time, map (to ``of``, string or bytes) or message (``fields``)."""

    name: str
    kind: str = "string"
    repeated: bool = False
    of: str = "string"
    fields: Mapping[int, Field] = dataclasses.field(default_factory=dict)


Message = Mapping[int, Field]


def _message(name: str, fields: Message, *, repeated: bool = False) -> Field:
    return Field(name, "message", repeated, fields=fields)


OWNER: Message = {
    1: Field("kind"),
    3: Field("name"),
    4: Field("uid"),
    5: Field("apiVersion"),
    6: Field("controller", "bool"),
    7: Field("blockOwnerDeletion", "bool"),
}
METADATA = _message(
    "metadata",
    {
        1: Field("name"),
        2: Field("generateName"),
        3: Field("namespace"),
        5: Field("uid"),
        6: Field("resourceVersion"),
        7: Field("generation", "int"),
        8: Field("creationTimestamp", "time"),
        11: Field("labels", "map"),
        12: Field("annotations", "map"),
        13: _message("ownerReferences", OWNER, repeated=True),
        14: Field("finalizers", repeated=True),
    },
)
CONDITION: Message = {
    1: Field("type"),
    2: Field("reason"),
    3: Field("message"),
    4: Field("lastUpdateTime", "time"),
    5: Field("lastTransitionTime", "time"),
    6: Field("status"),
}
REQUEST: Message = {
    1: Field("request", "bytes"),
    2: Field("username"),
    3: Field("uid"),
    4: Field("groups", repeated=True),
    5: Field("usages", repeated=True),
    7: Field("signerName"),
    8: Field("expirationSeconds", "int"),
}
KINDS: dict[str, Message] = {
    "Namespace": {1: METADATA},
    "ServiceAccount": {1: METADATA},
    "Secret": {
        1: METADATA,
        2: Field("data", "map", of="bytes"),
        3: Field("type"),
        4: Field("stringData", "map"),
        5: Field("immutable", "bool"),
    },
    "ConfigMap": {
        1: METADATA,
        2: Field("data", "map"),
        3: Field("binaryData", "map", of="bytes"),
        4: Field("immutable", "bool"),
    },
    "CertificateSigningRequest": {
        1: METADATA,
        2: _message("spec", REQUEST),
        3: _message("status", {1: _message("conditions", CONDITION, repeated=True), 2: Field("certificate", "bytes")}),
    },
}
ENVELOPE: Message = {1: _message("type", {1: Field("apiVersion"), 2: Field("kind")}), 2: Field("raw", "bytes")}


def decode(raw: bytes) -> dict[str, Any] | None:
    """The object, None for a kind that is not listed. Raises ValueError for what is not protobuf of Kubernetes."""
    if not raw.startswith(MAGIC):
        raise ValueError("it does not begin with k8s and a zero byte")
    envelope = _decode(raw[len(MAGIC) :], ENVELOPE)
    kind = envelope.get("type", {}).get("kind", "")
    if kind not in KINDS:
        return None
    item = _decode(base64.b64decode(envelope.get("raw", "")), KINDS[kind])
    return {"apiVersion": envelope["type"].get("apiVersion", ""), "kind": kind, **item}


def _decode(data: bytes, fields: Message) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for number, value in _parts(data):
        field = fields.get(number)
        if field is None:
            continue
        if field.kind == "map" and isinstance(value, bytes):
            entry = _decode(value, {1: Field("key"), 2: Field("value", field.of)})
            found.setdefault(field.name, {})[entry.get("key", "")] = entry.get("value", "")
        elif field.repeated:
            found.setdefault(field.name, []).append(_value(field, value))
        else:
            found[field.name] = _value(field, value)
    return {name: value for name, value in found.items() if value not in ("", None)}


def _value(field: Field, value: int | bytes) -> Any:
    if isinstance(value, int):
        return bool(value) if field.kind == "bool" else value
    if field.kind == "message":
        return _decode(value, field.fields)
    if field.kind == "time":
        seconds = _decode(value, {1: Field("seconds", "int")}).get("seconds")
        return (
            datetime.datetime.fromtimestamp(seconds, datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ") if seconds else None
        )
    return base64.b64encode(value).decode() if field.kind == "bytes" else value.decode()


def _parts(data: bytes) -> Iterator[tuple[int, int | bytes]]:
    """(field number, value) of a message. Raises ValueError when it is cut off."""
    position = 0
    while position < len(data):
        key, position = _varint(data, position)
        number, wire = key >> 3, key & 7
        if wire == 0:
            value, position = _varint(data, position)
            yield number, value
            continue
        if wire == 2:
            size, position = _varint(data, position)
        elif wire in (1, 5):
            size = 8 if wire == 1 else 4
        else:
            raise ValueError(f"wire type {wire} is not used by Kubernetes")
        if position + size > len(data):
            raise ValueError("a field is cut off")
        yield number, data[position : position + size]
        position += size


def _varint(data: bytes, position: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        if position >= len(data):
            raise ValueError("a number is cut off")
        byte = data[position]
        value |= (byte & 0x7F) << shift
        position += 1
        shift += 7
        if not byte & 0x80:
            return value, position
