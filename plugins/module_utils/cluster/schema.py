# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""The published JSON schemas of ``openshift_cluster`` and ``openshift_host``, made from the table that checks them (variable_fields.py)."""

from __future__ import annotations

import json
from typing import Any

from .shapes import json_schema
from .variable_fields import CLUSTER, HOST

_DIALECT = "https://json-schema.org/draft/2020-12/schema"


def cluster_schema() -> dict[str, Any]:
    """JSON schema of ``openshift_cluster``."""
    return {"$schema": _DIALECT, "title": "openshift_cluster", "description": "A cluster to install.", **json_schema(CLUSTER)}


def host_schema() -> dict[str, Any]:
    """JSON schema of ``openshift_host``, with ``openshift_host_defaults`` merged in."""
    return {"$schema": _DIALECT, "title": "openshift_host", "description": "A host of the cluster.", **json_schema(HOST)}


def schema_files() -> dict[str, str]:
    """File name below docs/schemas -> text."""
    schemas = {"cluster.schema.json": cluster_schema(), "host.schema.json": host_schema()}
    return {name: json.dumps(schema, indent=2, ensure_ascii=False) + "\n" for name, schema in schemas.items()}
