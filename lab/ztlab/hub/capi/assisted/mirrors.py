# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Render the manifests that configure mirror registries in a workload cluster. Pure functions.

Source: openshift-assisted/cluster-api-provider-openshift-assisted
  controlplane/internal/imageregistry/image_registry.go.
"""

from __future__ import annotations

import dataclasses
import json
import tomllib
from collections.abc import Mapping
from typing import Any

CONFIG_KEY, CERTIFICATE_KEY = "registries.conf", "ca-bundle.crt"
NAME, CERTIFICATE_NAME = "additional-registry", "additional-registry-certificate"
API_VERSION = "config.openshift.io/v1"


class Invalid(ValueError):
    """The ConfigMap of the user has no usable mirrors."""


@dataclasses.dataclass
class Mirrors:
    """``by_digest`` and ``by_tag``: entries with source and mirrors."""

    by_digest: list[dict[str, Any]] = dataclasses.field(default_factory=list)
    by_tag: list[dict[str, Any]] = dataclasses.field(default_factory=list)
    insecure: list[str] = dataclasses.field(default_factory=list)


def mirror_manifests(data: Mapping[str, str]) -> dict[str, str]:
    """The data of ConfigMap additional-registry-config. Raises Invalid."""
    if CONFIG_KEY not in data:
        raise Invalid(f"failed to find registry key [{CONFIG_KEY}]")
    found = read_mirrors(data[CONFIG_KEY])
    manifests: dict[str, str] = {}
    if found.by_digest:
        manifests["image-digest-mirror-set.json"] = _manifest(
            "ImageDigestMirrorSet", NAME, {"imageDigestMirrors": found.by_digest}
        )
    if found.by_tag:
        manifests["image-tag-mirror-set.json"] = _manifest("ImageTagMirrorSet", NAME, {"imageTagMirrors": found.by_tag})
    if CERTIFICATE_KEY in data:
        metadata = {"name": CERTIFICATE_NAME, "namespace": "openshift-config"}
        body = {"kind": "ConfigMap", "apiVersion": "v1", "metadata": metadata}
        manifests["additional-registry-certificate.json"] = _text(
            {**body, "data": {CERTIFICATE_KEY: data[CERTIFICATE_KEY]}}
        )
    if CERTIFICATE_KEY in data or found.insecure:
        spec = {
            "additionalTrustedCA": {"name": CERTIFICATE_NAME if CERTIFICATE_KEY in data else ""},
            "registrySources": {"insecureRegistries": found.insecure} if found.insecure else {},
            "imageStreamImportMode": "",
        }
        manifests["image-config.json"] = _manifest("Image", "cluster", spec)
    return manifests


def read_mirrors(text: str) -> Mirrors:
    """Raises Invalid."""
    try:
        registries = tomllib.loads(text).get("registry")
    except tomllib.TOMLDecodeError as error:
        raise Invalid(f"incorrectly formatted toml: {error}") from error
    if not isinstance(registries, list):
        raise Invalid("failed to find registry key in toml tree")
    found = Mirrors()
    for registry in registries:
        source, mirrors = registry.get("location"), registry.get("mirror")
        if not isinstance(source, str):
            raise Invalid("failed to parse image registry toml, missing registry location")
        if not isinstance(mirrors, list):
            raise Invalid("failed to parse image registry toml, missing registry.mirror in registries.conf")
        _add(found, source, mirrors)
    if not found.by_digest and not found.by_tag:
        raise Invalid("failed to find any image mirrors in registry.conf")
    return found


def _add(found: Mirrors, source: str, mirrors: list[dict[str, Any]]) -> None:
    by_digest: list[str] = []
    by_tag: list[str] = []
    for mirror in mirrors:
        location = mirror.get("location")
        if not isinstance(location, str):
            raise Invalid("missing mirror registry location key or the value of location is not a string")
        if mirror.get("insecure") is True:
            found.insecure.append(location)
        (by_tag if mirror.get("pull-from-mirror") == "tag-only" else by_digest).append(location)
    for entries, locations in ((found.by_digest, by_digest), (found.by_tag, by_tag)):
        if locations:
            entries.append({"source": source, "mirrors": locations})


def _manifest(kind: str, name: str, spec: Mapping[str, Any]) -> str:
    return _text(
        {"kind": kind, "apiVersion": API_VERSION, "metadata": {"name": name}, "spec": dict(spec), "status": {}}
    )


def _text(document: Mapping[str, Any]) -> str:
    """As Go marshals it: without spaces, in the order of the members."""
    return json.dumps(document, separators=(",", ":"))
