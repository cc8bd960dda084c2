# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Handle requests for the manifests of a cluster.

Source: openshift/assisted-service internal/manifests/manifests.go.
"""

from __future__ import annotations

import base64
import binascii

import yaml

from . import go
from .bodies import FOLDERS
from .core import Core
from .errors import ServiceError, bad_request, not_found
from .model import Cluster, Manifest
from .router import Call, Reply, attachment
from .schema import read_query_flag, read_query_text

LARGEST = 1024 * 1024
BEFORE_INSTALLATION = ("insufficient", "ready", "pending-for-input", "adding-hosts")


def _view(manifest: Manifest) -> dict[str, str]:
    return {"file_name": manifest.file_name, "folder": manifest.folder, "manifest_source": manifest.source}


def _content(cluster: Cluster, folder: str, name: str, text: str) -> bytes:
    """Decoded and checked content. Raises ServiceError 400."""
    try:
        data = base64.b64decode(text, validate=True)
    except binascii.Error as error:
        raise bad_request(f"failed to base64-decode cluster manifest content for cluster {cluster.id}") from error
    where = f"Manifest content of file {folder}/{name} for cluster ID {cluster.id}"
    if not data:
        raise bad_request(f"{where} is empty")
    if len(data) > LARGEST:
        raise bad_request(f"{where} exceeds the maximum file size of 1MiB")
    if name.endswith(".json"):
        if go.json_problem(data.decode(errors="replace")):
            raise bad_request(f"{where} has an illegal JSON format")
        return data
    try:
        documents = list(yaml.safe_load_all(data))
    except yaml.YAMLError as error:
        raise bad_request(f"{where} has an invalid YAML format: yaml: {error}") from error
    if ".patch" in name and not all(isinstance(document, list) for document in documents):
        raise bad_request(
            f"Patch content of file {folder}/{name} for cluster ID {cluster.id} is invalid: yaml: a list of "
            "operations is needed"
        )
    return data


def _check_name(cluster: Cluster, name: str) -> None:
    if " " in name:
        raise ServiceError(
            422, (f"Cluster manifest {name} for cluster {cluster.id} should not include a space in its name.")
        )
    if name.startswith("."):
        raise ServiceError(422, f"Cluster manifest {name} for cluster {cluster.id} has an invalid filename.")


def _check_distinct(cluster: Cluster, folder: str, name: str) -> None:
    other = "openshift" if folder == "manifests" else "manifests"
    if (other, name) in cluster.manifests:
        raise bad_request(
            f"manifest file {name} for cluster ID {cluster.id} in folder {folder} cannot be uploaded as it is not "
            "distinct "
            "between {manifest, openshift} folders"
        )


def create(core: Core, call: Call) -> Reply:
    cluster = _cluster(core, call)
    folder, name = call.body.get("folder") or "manifests", call.body["file_name"]
    _check_name(cluster, name)
    content = _content(cluster, folder, name, call.body["content"])
    _check_distinct(cluster, folder, name)
    manifest = Manifest(folder, name, content)
    cluster.manifests[folder, name] = manifest
    return Reply(201, _view(manifest))


def list_all(core: Core, call: Call) -> Reply:
    cluster = _cluster(core, call)
    system = read_query_flag(call.query, "include_system_generated")
    return Reply(
        200, [_view(item) for _key, item in sorted(cluster.manifests.items()) if system or item.source == "user"]
    )


def _cluster(core: Core, call: Call) -> Cluster:
    try:
        return core.cluster(call.path["cluster_id"])
    except ServiceError as error:
        raise not_found("Object Not Found") from error


def _named(call: Call) -> tuple[str, str]:
    """Folder and file of the query. Raises InfraError 400."""
    name = read_query_text(call.query, "file_name", required=True)
    return read_query_text(call.query, "folder", FOLDERS) or "manifests", name


def download(core: Core, call: Call) -> Reply:
    folder, name = _named(call)
    cluster = _cluster(core, call)
    manifest = cluster.manifests.get((folder, name))
    if manifest is None:
        raise not_found(f"Cluster manifest {folder}/{name} doesn't exist in cluster {cluster.id}")
    return attachment(name, manifest.content)


def _require_before_installation(cluster: Cluster) -> None:
    if cluster.status not in BEFORE_INSTALLATION:
        raise bad_request(
            f"cluster {cluster.id} is not in pre-installation states, can't modify manifests after installation "
            "has "
            "been started"
        )


def update(core: Core, call: Call) -> Reply:
    cluster = _cluster(core, call)
    _require_before_installation(cluster)
    key = (call.body["folder"], call.body["file_name"])
    new_key = (call.body.get("updated_folder") or key[0], call.body.get("updated_file_name") or key[1])
    _check_name(cluster, new_key[1])
    if new_key[1] != key[1]:
        _check_distinct(cluster, *new_key)
    manifest = cluster.manifests.get(key)
    if manifest is None:
        raise not_found(f"Cluster manifest {key[0]}/{key[1]} doesn't exist in cluster {cluster.id}")
    said = call.body.get("updated_content")
    content = _content(cluster, *new_key, said) if said is not None else manifest.content
    # A manifest that has the new name already is replaced.
    if new_key != key:
        del cluster.manifests[key]
    cluster.manifests[new_key] = Manifest(*new_key, content)
    return Reply(200, _view(cluster.manifests[new_key]))


def delete(core: Core, call: Call) -> Reply:
    """200 also for a file that does not exist."""
    key = _named(call)
    cluster = _cluster(core, call)
    _require_before_installation(cluster)
    cluster.manifests.pop(key, None)
    return Reply(200)
