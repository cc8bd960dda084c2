# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Render the minimal OpenAPI v3 documents that kubectl needs: the kinds, and the parameters dryRun and fieldValidation
of PATCH.
"""

from __future__ import annotations

import hashlib
from typing import Any

from .resource import Registry, Resource

PARAMETERS = [
    {"name": name, "in": "query", "schema": {"type": "string"}}
    for name in ("dryRun", "fieldManager", "fieldValidation")
]
ANYTHING = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}


def group_path(group: str, version: str) -> str:
    return f"apis/{group}/{version}" if group else f"api/{version}"


def index(registry: Registry) -> dict[str, Any]:
    """/openapi/v3"""
    pairs = sorted({(resource.group, resource.version) for resource in registry.all()})
    paths = {}
    for group, version in pairs:
        path = group_path(group, version)
        names = ",".join(sorted(resource.kind for resource in registry.of(group, version)))
        digest = hashlib.sha256(f"{path}:{names}".encode()).hexdigest()[:32].upper()
        paths[path] = {"serverRelativeURL": f"/openapi/v3/{path}?hash={digest}"}
    return {"paths": paths}


def schema_name(resource: Resource) -> str:
    group = ".".join(reversed(resource.group.split("."))) if resource.group else "io.k8s.api.core"
    return f"{group}.{resource.version}.{resource.kind}"


def document(registry: Registry, group: str, version: str) -> dict[str, Any] | None:
    """/openapi/v3/apis/<group>/<version>; None for a group version that is not served."""
    resources = registry.of(group, version)
    if not resources:
        return None
    paths: dict[str, Any] = {}
    schemas: dict[str, Any] = {}
    for resource in resources:
        kind = {"group": group, "version": version, "kind": resource.kind}
        schemas[schema_name(resource)] = {**(resource.schema or ANYTHING), "x-kubernetes-group-version-kind": [kind]}
        scope = "namespaces/{namespace}/" if resource.namespaced else ""
        path = f"/{group_path(group, version)}/{scope}{resource.plural}"
        reference = {
            "content": {"application/json": {"schema": {"$ref": f"#/components/schemas/{schema_name(resource)}"}}}
        }
        answer = {"200": {"description": "OK", **reference}}
        extra = {"x-kubernetes-group-version-kind": kind, "parameters": PARAMETERS, "responses": answer}
        paths[path] = {
            "get": {"x-kubernetes-action": "list", **extra},
            "post": {"x-kubernetes-action": "post", "requestBody": reference, **extra},
        }
        paths[path + "/{name}"] = {
            "get": {"x-kubernetes-action": "get", **extra},
            "put": {"x-kubernetes-action": "put", "requestBody": reference, **extra},
            "patch": {"x-kubernetes-action": "patch", "requestBody": reference, **extra},
            "delete": {"x-kubernetes-action": "delete", **extra},
        }
    return {
        "openapi": "3.0.0",
        "info": {"title": "Kubernetes", "version": "lab"},
        "paths": paths,
        "components": {"schemas": schemas},
    }
