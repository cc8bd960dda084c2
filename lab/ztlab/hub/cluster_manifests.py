# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Extra manifests, install-config overrides and ignored validations of an AgentClusterInstall (reference infrastructure-operator.md 7.1)."""

from __future__ import annotations

import base64

from ..service.model import Cluster
from .backend import Backend, BackendError
from .cluster_status import ignored
from .conditions import Condition
from .conditions.cluster import not_synced
from .names import IGNORED_CLUSTER, IGNORED_HOST, OVERRIDES_ANNOTATION, Object, annotations_of, key_of
from .world import World

FOLDER = "openshift"
MINUTE = 60.0


async def push_manifests(world: World, backend: Backend, install: Object, cluster: Cluster) -> tuple[float | None, Condition] | None:
    """Make the cluster's own manifests those of the ConfigMaps; an outcome when they cannot be used. Raises BackendError."""
    wanted: dict[str, str] = {}
    for name in config_maps(install["spec"]):
        try:
            data = await world.read_config_map(key_of(install)[0], name)
        except LookupError as error:
            raise BackendError(500, str(error.args[0])) from error
        for file_name, content in data.items():
            if file_name in wanted:
                return MINUTE, not_synced(f"Conflict in manifest names ('{file_name}' is not unique)", backend=True)
            wanted[file_name] = content
    present = {name: item.content for (folder, name), item in cluster.manifests.items() if folder == FOLDER and item.source == "user"}
    path = f"/v2/clusters/{cluster.id}/manifests"
    for file_name in present:
        if file_name not in wanted:
            await backend.call("DELETE", path, query={"folder": FOLDER, "file_name": file_name})
    for file_name, content in wanted.items():
        if present.get(file_name) != content.encode():
            await backend.call("POST", path, {"folder": FOLDER, "file_name": file_name, "content": base64.b64encode(content.encode()).decode()})
    return None


def config_maps(spec: Object) -> list[str]:
    """Names of the ConfigMaps: the list, or the deprecated single form when there is no list."""
    listed = [entry["name"] for entry in spec.get("manifestsConfigMapRefs") or []]
    single = (spec.get("manifestsConfigMapRef") or {}).get("name")
    return listed or ([single] if single else [])


async def push_overrides(backend: Backend, install: Object, cluster: Cluster) -> None:
    """Raises BackendError."""
    annotations = annotations_of(install)
    overrides = annotations.get(OVERRIDES_ANNOTATION, "")
    if overrides != cluster.install_config_overrides:
        if overrides:
            await backend.call("PATCH", f"/v2/clusters/{cluster.id}/install-config", overrides)
        else:
            cluster.install_config_overrides = ""
    if IGNORED_HOST in annotations or IGNORED_CLUSTER in annotations:
        body = {"host-validation-ids": ignored(annotations.get(IGNORED_HOST)), "cluster-validation-ids": ignored(annotations.get(IGNORED_CLUSTER))}
        known = await backend.call("GET", f"/v2/clusters/{cluster.id}/ignored-validations")
        if known != body:
            await backend.call("PUT", f"/v2/clusters/{cluster.id}/ignored-validations", body)
