# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Create the published JSON schema of a whole inventory file, for editors: groups, hosts and the ``openshift_*``
variables wherever Ansible allows them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from ..module_utils.cluster.schema import cluster_schema, host_schema
from .settings import OF_HOSTS, VARIABLES

FILE = "inventory.schema.json"
ID = f"https://raw.githubusercontent.com/zerotouch-openshift/zerotouch.openshift/main/docs/schemas/{FILE}"
# What Ansible renders, or decrypts, before the collection reads it.
_TEMPLATE = {"type": "string", "pattern": "\\{\\{|\\{%"}
_TYPES: Mapping[type, str] = {dict: "object", list: "array", str: "string", bool: "boolean"}
_REFERENCES = {
    "openshift_cluster": "#/$defs/cluster",
    "openshift_host": "#/$defs/host",
    "openshift_host_defaults": "#/$defs/host",
}


def inventory_schema() -> dict[str, Any]:
    """JSON schema of an inventory in YAML.

    Values may be templates; other variables than ``openshift_*`` may have any value.
    """
    cluster, host = (_templated(_body(schema)) for schema in (cluster_schema(), host_schema()))
    # Defaults are merged into it, deeply.
    host = _without_required(host)
    group = {
        "type": ["object", "null"],
        "properties": {
            "vars": {"$ref": "#/$defs/vars"},
            "hosts": {
                "type": ["object", "null"],
                "additionalProperties": {"anyOf": [{"$ref": "#/$defs/vars"}, {"type": "null"}]},
            },
            "children": {"type": ["object", "null"], "additionalProperties": {"$ref": "#/$defs/group"}},
        },
        "additionalProperties": False,
    }
    variables = {name: _variable(name, kinds) for name, kinds in VARIABLES.items()}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": ID,
        "title": "Inventory of zerotouch.openshift",
        "description": "An inventory file in YAML, with the variables of the collection.",
        "type": "object",
        "additionalProperties": {"$ref": "#/$defs/group"},
        "$defs": {
            "cluster": cluster,
            "host": host,
            "group": group,
            "vars": {"type": "object", "properties": variables},
        },
    }


def inventory_schema_text() -> str:
    """The content of docs/schemas/inventory.schema.json."""
    return json.dumps(inventory_schema(), indent=2, ensure_ascii=False) + "\n"


def _body(schema: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in schema.items() if key not in ("$schema", "title")}


def _variable(name: str, kinds: type | tuple[type, ...]) -> dict[str, Any]:
    """Structures are texts as well (docs/reference/variables.md, Values as text)."""
    text = {"type": "string"}
    if name in _REFERENCES:
        return {"anyOf": [{"$ref": _REFERENCES[name]}, text]}
    types = [_TYPES[kind] for kind in (kinds if isinstance(kinds, tuple) else (kinds,))]
    where = " Of hosts and groups." if name in OF_HOSTS else ""
    return {"type": list(dict.fromkeys([*types, "string"])), "description": f"See docs/reference/variables.md.{where}"}


def _without_required(schema: Any) -> Any:
    if isinstance(schema, list):
        return [_without_required(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        key: _without_required(value)
        for key, value in schema.items()
        if not (key == "required" and isinstance(value, list))
    }


def _templated(schema: Any) -> Any:
    """The schema, which takes a template in place of each value that is no text."""
    if isinstance(schema, list):
        return [_templated(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    found = {key: _templated(value) if key not in ("enum", "description") else value for key, value in schema.items()}
    if "type" not in found or (found["type"] == "string" and "enum" not in found) or not isinstance(found["type"], str):
        return found
    kept = {key: found.pop(key) for key in ("description", "writeOnly") if key in found}
    return {**kept, "anyOf": [found, _TEMPLATE]}
