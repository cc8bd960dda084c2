# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Handlers of C/manifests (reference assisted-rest.md section 9)."""

from __future__ import annotations

import base64
import binascii
import json

import yaml

from .core import Core
from .errors import ServiceError, bad_request, not_found
from .model import Cluster, Manifest
from .router import Call, Reply, attachment
from .schema import read_query_flag

LARGEST = 1024 * 1024
BEFORE_INSTALLATION = ("insufficient", "ready", "pending-for-input", "adding-hosts")


def _view(manifest: Manifest) -> dict[str, str]:
    return {"file_name": manifest.file_name, "folder": manifest.folder, "manifest_source": manifest.source}


def _content(text: str, name: str) -> bytes:
    """Decoded and checked content. Raises ServiceError 400."""
    try:
        data = base64.b64decode(text, validate=True)
    except binascii.Error as error:
        raise bad_request("Cluster manifest content is invalid: failed to base64-decode cluster manifest content") from error
    if not data.strip():
        raise bad_request(f"Manifest content of file {name} for cluster is empty")
    if len(data) > LARGEST:
        raise bad_request(f"Manifest content of file {name} exceeds the maximum file size of 1MiB")
    try:
        if name.endswith(".json"):
            json.loads(data)
        else:
            list(yaml.safe_load_all(data))
    except (ValueError, yaml.YAMLError) as error:
        kind = "JSON" if name.endswith(".json") else "YAML"
        raise bad_request(f"Manifest content of file {name} has an invalid {kind} format: {error}") from error
    return data


def _check_name(name: str) -> None:
    if " " in name:
        raise ServiceError(422, f"Cluster manifest {name} should not include a space in its name.")
    if name.startswith("."):
        raise ServiceError(422, f"Cluster manifest {name} should not start with a dot.")


def _check_distinct(cluster: Cluster, folder: str, name: str) -> None:
    other = "openshift" if folder == "manifests" else "manifests"
    if (other, name) in cluster.manifests:
        raise bad_request(
            f"manifest with name {name} for cluster {cluster.id} cannot be uploaded as it is not distinct between {{manifest, openshift}} folders"
        )


def create(core: Core, call: Call) -> Reply:
    cluster = core.cluster(call.path["cluster_id"])
    folder, name = call.body.get("folder") or "manifests", call.body["file_name"]
    _check_name(name)
    content = _content(call.body["content"], name)
    _check_distinct(cluster, folder, name)
    manifest = Manifest(folder, name, content)
    cluster.manifests[folder, name] = manifest
    return Reply(201, _view(manifest))


def list_all(core: Core, call: Call) -> Reply:
    cluster = core.cluster(call.path["cluster_id"])
    system = read_query_flag(call.query, "include_system_generated")
    return Reply(200, [_view(item) for _key, item in sorted(cluster.manifests.items()) if system or item.source == "user"])


def download(core: Core, call: Call) -> Reply:
    cluster = core.cluster(call.path["cluster_id"])
    folder, name = call.query.get("folder") or "manifests", call.query.get("file_name", "")
    manifest = cluster.manifests.get((folder, name))
    if manifest is None:
        raise not_found(f"Cluster manifest {folder}/{name} doesn't exist in cluster {cluster.id}")
    return attachment(name, manifest.content)


def _require_before_installation(cluster: Cluster) -> None:
    if cluster.status not in BEFORE_INSTALLATION:
        raise bad_request(f"cluster {cluster.id} is in status {cluster.status}: manifests can be changed before installation only")


def update(core: Core, call: Call) -> Reply:
    cluster = core.cluster(call.path["cluster_id"])
    _require_before_installation(cluster)
    key = (call.body["folder"], call.body["file_name"])
    manifest = cluster.manifests.get(key)
    if manifest is None:
        raise not_found(f"Manifest {key[0]}/{key[1]} doesn't exist in cluster {cluster.id}")
    new_key = (call.body.get("updated_folder") or key[0], call.body.get("updated_file_name") or key[1])
    _check_name(new_key[1])
    said = call.body.get("updated_content")
    content = _content(said, new_key[1]) if said is not None else manifest.content
    if new_key != key:
        if new_key[1] != key[1]:
            _check_distinct(cluster, *new_key)
        if new_key in cluster.manifests:
            raise bad_request(f"Failed to rename manifest {key[0]}/{key[1]}: {new_key[0]}/{new_key[1]} exists")
        del cluster.manifests[key]
    cluster.manifests[new_key] = Manifest(*new_key, content)
    return Reply(200, _view(cluster.manifests[new_key]))


def delete(core: Core, call: Call) -> Reply:
    """200 also for a file that does not exist."""
    cluster = core.cluster(call.path["cluster_id"])
    _require_before_installation(cluster)
    cluster.manifests.pop((call.query.get("folder") or "manifests", call.query.get("file_name", "")), None)
    return Reply(200)
