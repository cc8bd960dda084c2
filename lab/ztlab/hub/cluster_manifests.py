# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Apply the extra manifests, install-config overrides and ignored validations of an AgentClusterInstall to its cluster
in the assisted-service.

Source: openshift/assisted-service internal/controller/controllers/clusterdeployments_controller.go.
"""

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


async def push_manifests(
    world: World, backend: Backend, install: Object, cluster: Cluster
) -> tuple[float | None, Condition] | None:
    """Replace the cluster's user manifests with those of the ConfigMaps.

    If they cannot be used, return the delay until the next attempt and the condition SpecSynced; else None. After
    addCustomManifests of openshift/assisted-service internal/controller/controllers/clusterdeployments_controller.go: a
    failure also removes what an earlier pass created, and gives the user a minute, or until the ConfigMap changes.
    """
    present = {
        name: item.content
        for (folder, name), item in cluster.manifests.items()
        if folder == FOLDER and item.source == "user"
    }
    path = f"/v2/clusters/{cluster.id}/manifests"
    try:
        wanted = await _wanted(world, install)
        await _delete(backend, path, [name for name in present if name not in wanted])
        for name, content in wanted.items():
            if present.get(name) != content.encode():
                await backend.call(
                    "POST",
                    path,
                    {"folder": FOLDER, "file_name": name, "content": base64.b64encode(content.encode()).decode()},
                )
    except BackendError as error:
        await _delete(backend, path, [name for name in present if (FOLDER, name) in cluster.manifests])
        return MINUTE, not_synced(str(error), backend=not error.users)
    return None


async def _wanted(world: World, install: Object) -> dict[str, str]:
    """File name -> content. Raises BackendError."""
    wanted: dict[str, str] = {}
    for name in config_maps(install["spec"]):
        try:
            data = await world.read_config_map(key_of(install)[0], name)
        except LookupError as error:
            raise BackendError(500, str(error.args[0])) from error
        for file_name, content in data.items():
            if file_name in wanted:
                raise BackendError(500, f"Conflict in manifest names ('{file_name}' is not unique)")
            wanted[file_name] = content
    return wanted


async def _delete(backend: Backend, path: str, names: list[str]) -> None:
    for name in names:
        await backend.call("DELETE", path, query={"folder": FOLDER, "file_name": name})


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
    try:
        body = {
            "host-validation-ids": ignored(annotations, IGNORED_HOST),
            "cluster-validation-ids": ignored(annotations, IGNORED_CLUSTER),
        }
    except ValueError as error:
        raise BackendError(400, str(error)) from error
    path = f"/v2/clusters/{cluster.id}/ignored-validations"
    if await backend.call("GET", path) != {name: text for name, text in body.items() if text}:
        await backend.call("PUT", path, body)
