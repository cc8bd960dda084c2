# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Generate the published JSON schemas of the variables ``openshift_cluster`` and ``openshift_host``.

The source is the table of fields (field_table.py).
"""

from __future__ import annotations

import json
from typing import Any

from ..common.secrets import is_secret_key
from .shapes import AnyOf, Field, ListOf, Opaque, Record, Shape
from .variable_fields import CLUSTER, HOST

_DIALECT = "https://json-schema.org/draft/2020-12/schema"


def cluster_schema() -> dict[str, Any]:
    """JSON schema of ``openshift_cluster``."""
    return {
        "$schema": _DIALECT,
        "title": "openshift_cluster",
        "description": "A cluster to install.",
        **json_schema(CLUSTER),
    }


def host_schema() -> dict[str, Any]:
    """JSON schema of ``openshift_host``, with ``openshift_host_defaults`` merged in."""
    return {
        "$schema": _DIALECT,
        "title": "openshift_host",
        "description": "A host of the cluster.",
        **json_schema(HOST),
    }


def schema_files() -> dict[str, str]:
    """File name below docs/schemas -> text."""
    schemas = {"cluster.schema.json": cluster_schema(), "host.schema.json": host_schema()}
    return {name: json.dumps(schema, indent=2, ensure_ascii=False) + "\n" for name, schema in schemas.items()}


def json_schema(shape: Shape) -> dict[str, Any]:
    """JSON Schema (2020-12) of a shape."""
    if isinstance(shape, Record):
        properties = {
            name: {**json_schema(field.shape), **_annotations(name, field)} for name, field in shape.fields.items()
        }
        required = [name for name, field in shape.fields.items() if field.required]
        return {
            "type": "object",
            "properties": properties,
            "additionalProperties": False,
            **({"required": required} if required else {}),
        }
    if isinstance(shape, ListOf):
        return {"type": "array", "items": json_schema(shape.element)}
    if isinstance(shape, Opaque):
        return {"type": "object"}
    if isinstance(shape, AnyOf):
        return {"anyOf": [json_schema(candidate) for candidate in shape.shapes]}
    return {"type": shape.type, **({"enum": list(shape.choices)} if shape.choices else {})}


def _annotations(name: str, field: Field) -> dict[str, Any]:
    secret = {"writeOnly": True} if is_secret_key(name) else {}
    return {**({"description": field.description} if field.description else {}), **secret}
