# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Reconcile OpenshiftAssistedConfigs: create an InfraEnv, and use its discovery Ignition as the bootstrap data of the
Machine.

Source: openshift-assisted/cluster-api-provider-openshift-assisted
  bootstrap/internal/controller/openshiftassistedconfig_controller.go.
"""

from __future__ import annotations

import base64
import dataclasses
import json
import urllib.parse
from collections.abc import Awaitable, Callable
from typing import Any

from ...client import Refused
from ...controller import Retry
from ...names import (
    CLUSTER_DEPLOYMENT,
    CLUSTER_INSTALL,
    INFRA_ENV,
    SECRET,
    Key,
    Object,
    annotations_of,
    deleting,
    key_of,
    labels_of,
    owner,
)
from ...world import World
from ..kinds import CLUSTER_NAME, CoreKinds
from ..provider.agent_cluster import owner_of
from . import names, shape
from .ignition import for_discovery
from .pull_secret import ensure_placeholder

WAIT_SECONDS = 60.0
# States of an installation in which a worker may still come, or come again.
OPEN_STATES = ("", "pending-for-input", "insufficient", "adding-hosts")
COPIED = (
    "additionalNTPSources",
    "additionalTrustBundle",
    "cpuArchitecture",
    "nmStateConfigLabelSelector",
    "osImageVersion",
    "proxy",
    "pullSecretRef",
    "sshAuthorizedKey",
)
# (URL) -> the body; raises DownloadError
Fetch = Callable[[str], Awaitable[bytes]]


class DownloadError(Exception):
    """The discovery Ignition cannot be downloaded; the text says why."""


@dataclasses.dataclass(frozen=True)
class Outcome:
    """How a pass ended: condition DataSecretAvailable, lab seconds until the next look; ``error``: tried again with
    back-off.

    ``failed``: the error is one to upstream too, so that observedGeneration stays. Where it only asks for another pass,
    it counts as a success.
    """

    condition: shape.OldCondition | None
    again: float | None = None
    error: str = ""
    failed: bool = True


def waiting(
    reason: str,
    message: str = "",
    *,
    again: float | None = None,
    error: str = "",
    failed: bool = True,
    severity: str = "Info",
) -> Outcome:
    return Outcome(shape.OldCondition("DataSecretAvailable", "False", reason, message, severity), again, error, failed)


class ConfigController:
    def __init__(self, world: World, core: CoreKinds, fetch: Fetch) -> None:
        self._world, self._core, self._fetch = world, core, fetch

    async def reconcile(self, key: Key) -> float | None:
        config = self._world.get(self._core.config, key)
        if config is None:
            return None
        reference = owner_of(config, "Machine")
        machine = self._world.get(self._core.machine, (key[0], reference["name"])) if reference is not None else None
        if machine is None:
            await self._show(config, Outcome(None))
            return None
        if deleting(config):
            await self._delete(config, machine)
            return None
        config = await self._world.add_finalizer(self._core.config, config, names.CONFIG_FINALIZER)
        cluster = self._world.get(self._core.cluster, (key[0], machine["spec"]["clusterName"]))
        if cluster is None:
            await self._show(config, Outcome(None))
            return None
        outcome = await self._prepare(config, machine, cluster)
        await self._show(config, outcome)
        if outcome.error:
            raise Retry(outcome.error)
        return outcome.again

    async def _prepare(self, config: Object, machine: Object, cluster: Object) -> Outcome:
        status = cluster.get("status") or {}
        if not (
            status.get("infrastructureReady") or (status.get("initialization") or {}).get("infrastructureProvisioned")
        ):
            return waiting("WaitingForClusterInfrastructure", again=WAIT_SECONDS)
        # All namespaces: equal names of Clusters block each other (defect D2), and so does config.clusterName (defect
        # D1).
        found = [
            item
            for item in self._world.all(CLUSTER_DEPLOYMENT)
            if labels_of(item).get(CLUSTER_NAME) == cluster["metadata"]["name"]
        ]
        if len(found) != 1:
            error = f"{len(found)} ClusterDeployments of cluster {cluster['metadata']['name']}"
            return waiting("WaitingForAssistedInstaller", error=error, failed=False)
        namespace = key_of(found[0])[0]
        install = self._world.get(
            CLUSTER_INSTALL, (namespace, (found[0]["spec"].get("clusterInstallRef") or {}).get("name", ""))
        )
        if install is None:
            return waiting("WaitingForAssistedInstaller", error="the AgentClusterInstall does not exist", failed=False)
        state = ((install.get("status") or {}).get("debugInfo") or {}).get("state", "")
        if names.CONTROL_PLANE_LABEL not in labels_of(machine) and state not in OPEN_STATES:
            return waiting("WaitingForInstallComplete", again=WAIT_SECONDS)
        try:
            infra_env = await self._infra_env(config, machine, found[0])
        except Refused as error:
            return waiting("InfraEnvFailed", error=str(error), severity="Warning")
        return await self._data(config, infra_env)

    # InfraEnv

    async def _infra_env(self, config: Object, machine: Object, deployment: Object) -> Object:
        """One for each Machine, never changed. Raises Refused."""
        key = key_of(config)[0], machine["metadata"]["name"]
        present = self._world.get(INFRA_ENV, key)
        if present is not None:
            return present
        # The selector and the type of the script are written even if empty: their Go types have no omitempty.
        spec: Object = {"nmStateConfigLabelSelector": {}, "ipxeScriptType": ""}
        spec |= {name: value for name, value in (config.get("spec") or {}).items() if name in COPIED}
        if not spec.get("pullSecretRef"):
            await ensure_placeholder(self._world, config, self._core.config)
            spec["pullSecretRef"] = {"name": names.PLACEHOLDER_SECRET}
        namespace, name = key_of(deployment)
        spec |= {"clusterRef": {"name": name, "namespace": namespace}, "imageType": "full-iso"}
        override = annotations_of(config).get(names.DISCOVERY_OVERRIDE, "")
        if _is_json(override):
            spec["ignitionConfigOverride"] = override
        labels = {names.CONFIG_LABEL: config["metadata"]["name"]}
        if CLUSTER_NAME in labels_of(config):
            labels[CLUSTER_NAME] = labels_of(config)[CLUSTER_NAME]
        owners = [owner(config, self._core.config), owner(machine, self._core.machine)]
        metadata = {"name": key[1], "namespace": key[0], "labels": labels, "ownerReferences": owners}
        return await self._world.create(INFRA_ENV, {"metadata": metadata, "spec": spec})

    # bootstrap data

    async def _data(self, config: Object, infra_env: Object) -> Outcome:
        namespace, name = key_of(config)
        if self._world.get(SECRET, (namespace, name)) is not None and shape.config_done(config):
            return Outcome(None)
        events = ((infra_env.get("status") or {}).get("debugInfo") or {}).get("eventsURL", "")
        if not events:
            return waiting("WaitingForInfraEnvToBeReady", error="infraenv not ready: eventsURL not generated yet")
        try:
            data = for_discovery(await self._fetch(ignition_url(events)), config.get("spec") or {})
        except (DownloadError, ValueError) as error:
            text = f"failed retrieving ignition: {error}"
            return waiting("WaitingForAssistedInstaller", text, error=text)
        body = {"value": base64.b64encode(data).decode(), "format": base64.b64encode(b"ignition").decode()}
        metadata = {"name": name, "namespace": namespace, "ownerReferences": [owner(config, self._core.config)]}
        try:
            await self._world.create(SECRET, {"metadata": metadata, "type": names.SECRET_TYPE, "data": body})
        except Refused as error:
            if error.reason != "AlreadyExists":
                return waiting("CreatingSecretFailed", error=str(error), severity="Warning")
        return Outcome(shape.OldCondition("DataSecretAvailable", "True"))

    # status and deletion

    async def _show(self, config: Object, outcome: Outcome) -> None:
        config = self._world.get(self._core.config, key_of(config)) or config
        status = shape.config_status(
            config, outcome.condition, self._world.now(), failed=bool(outcome.error) and outcome.failed
        )
        await self._world.status(self._core.config, config, status)

    async def _delete(self, config: Object, machine: Object) -> None:
        """Raises Retry: a control plane's configuration stays as long as its Machine does."""
        if names.CONTROL_PLANE_LABEL in labels_of(config) and not deleting(machine):
            raise Retry("agent bootstrap config belongs to control plane that's not being deleted")
        infra_env = self._world.get(INFRA_ENV, (key_of(config)[0], machine["metadata"]["name"]))
        if infra_env is not None and not deleting(infra_env):
            await self._world.delete(INFRA_ENV, infra_env)
        await self._world.drop_finalizer(self._core.config, config, names.CONFIG_FINALIZER)


def ignition_url(events: str) -> str:
    """Where the discovery Ignition is, from an InfraEnv's events URL. Raises ValueError."""
    parts = urllib.parse.urlsplit(events)
    query: dict[str, Any] = dict(urllib.parse.parse_qsl(parts.query))
    missing = [name for name in ("api_key", "infra_env_id") if not query.get(name)]
    if missing:
        raise ValueError(f"{missing[0]} not found in eventsURL")
    path = f"/api/assisted-install/v2/infra-envs/{query['infra_env_id']}/downloads/files"
    answered = urllib.parse.urlencode({"api_key": query["api_key"], "file_name": "discovery.ign"})
    return f"{parts.scheme}://{parts.netloc}{path}?{answered}"


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True
