# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Render the API discovery documents: one for each group and version (classic), and the aggregated document."""

from __future__ import annotations

from typing import Any

from . import scale
from .resource import Registry, Resource

VERBS = ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"]
# Group and version of the bodies posted to a subresource, if they differ from the resource's.
ACTIONS = {"eviction": {"group": "policy", "version": "v1", "kind": "Eviction"}}
SUBRESOURCE_VERBS = ["get", "patch", "update"]
AGGREGATED = ("v2", "v2beta1")


def api_versions(address: str) -> dict[str, Any]:
    return {
        "kind": "APIVersions",
        "versions": ["v1"],
        "serverAddressByClientCIDRs": [{"clientCIDR": "0.0.0.0/0", "serverAddress": address}],
    }


def _versions(group: str, versions: list[str]) -> list[dict[str, str]]:
    return [{"groupVersion": f"{group}/{version}", "version": version} for version in versions]


def api_group(registry: Registry, group: str) -> dict[str, Any] | None:
    versions = registry.groups().get(group)
    if versions is None:
        return None
    listed = _versions(group, versions)
    return {"kind": "APIGroup", "apiVersion": "v1", "name": group, "versions": listed, "preferredVersion": listed[0]}


def api_group_list(registry: Registry) -> dict[str, Any]:
    groups = [
        {key: value for key, value in (api_group(registry, group) or {}).items() if key not in ("kind", "apiVersion")}
        for group in registry.groups()
    ]
    return {"kind": "APIGroupList", "apiVersion": "v1", "groups": groups}


def resource_list(registry: Registry, group: str, version: str) -> dict[str, Any] | None:
    found = registry.of(group, version)
    if not found and group:
        return None
    resources = [entry for resource in found for entry in _entries(resource)]
    return {
        "kind": "APIResourceList",
        "apiVersion": "v1",
        "groupVersion": f"{group}/{version}" if group else version,
        "resources": resources,
    }


def _entries(resource: Resource) -> list[dict[str, Any]]:
    main: dict[str, Any] = {
        "name": resource.plural,
        "singularName": resource.singular,
        "namespaced": resource.namespaced,
        "kind": resource.kind,
        "verbs": VERBS,
    }
    if resource.short_names:
        main["shortNames"] = list(resource.short_names)
    if resource.categories:
        main["categories"] = list(resource.categories)
    subs = [
        {
            "name": f"{resource.plural}/{name}",
            "singularName": "",
            "namespaced": resource.namespaced,
            "kind": resource.kind,
            "verbs": SUBRESOURCE_VERBS,
        }
        for name in resource.subresources
    ]
    if resource.scale is not None:
        kind = {"group": scale.GROUP, "version": scale.VERSION, "kind": scale.KIND}
        subs.append(
            {
                "name": f"{resource.plural}/{scale.NAME}",
                "singularName": "",
                "namespaced": resource.namespaced,
                **kind,
                "verbs": SUBRESOURCE_VERBS,
            }
        )
    for name in resource.actions:
        subs.append(
            {
                "name": f"{resource.plural}/{name}",
                "singularName": "",
                "namespaced": resource.namespaced,
                **ACTIONS[name],
                "verbs": ["create"],
            }
        )
    return [main, *subs]


def aggregated(registry: Registry, *, core: bool, version: str = "v2") -> dict[str, Any]:
    """APIGroupDiscoveryList of /api (``core``) or /apis."""
    groups = {"": ["v1"]} if core else registry.groups()
    items = [
        {
            "metadata": {"name": group} if group else {},
            "versions": [
                {
                    "version": item,
                    "resources": [_discovered(resource) for resource in registry.of(group, item)],
                    "freshness": "Current",
                }
                for item in versions
            ],
        }
        for group, versions in groups.items()
    ]
    return {
        "kind": "APIGroupDiscoveryList",
        "apiVersion": f"apidiscovery.k8s.io/{version}",
        "metadata": {},
        "items": items,
    }


def _discovered(resource: Resource) -> dict[str, Any]:
    kind = {"group": resource.group, "version": resource.version, "kind": resource.kind}
    found: dict[str, Any] = {
        "resource": resource.plural,
        "responseKind": kind,
        "scope": "Namespaced" if resource.namespaced else "Cluster",
        "singularResource": resource.singular,
        "verbs": VERBS,
    }
    if resource.short_names:
        found["shortNames"] = list(resource.short_names)
    if resource.categories:
        found["categories"] = list(resource.categories)
    subs = [{"subresource": name, "responseKind": kind, "verbs": SUBRESOURCE_VERBS} for name in resource.subresources]
    if resource.scale is not None:
        scaled = {"group": scale.GROUP, "version": scale.VERSION, "kind": scale.KIND}
        subs.append({"subresource": scale.NAME, "responseKind": scaled, "verbs": SUBRESOURCE_VERBS})
    subs += [{"subresource": name, "responseKind": ACTIONS[name], "verbs": ["create"]} for name in resource.actions]
    if subs:
        found["subresources"] = subs
    return found


def aggregated_version(accept: str) -> str:
    """The version of aggregated discovery that a client asks for first; empty: the classic form."""
    for part in accept.split(","):
        if "g=apidiscovery.k8s.io" in part.replace(" ", ""):
            for version in AGGREGATED:
                if f"v={version};" in part.replace(" ", "") + ";":
                    return version
    return ""
