# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Run the subcommands of the agentbasedinstaller client (registerCluster, registerInfraEnv, configure and others) as
REST calls.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any
from urllib.parse import quote

from ...fabric.hosts import Unreachable
from ..http import HostHttp, Reply
from ..root import Root
from ..systemd import Container
from .cluster_params import OVERRIDES_ANNOTATION, cluster_params
from .host_config import DIRECTORY, HostConfig, describe, load_host_configs, matching, update_for
from .infra_env_params import infra_env_params
from .manifests import ClientError, Manifests, spec_of

FAILURES_FILE = "/var/run/agent-installer/host-config-failures"
_TAG = re.compile(r":(?P<version>\d+\.\d+\.\d+[^@/]*?)(?:-(?P<arch>x86_64|aarch64|arm64|ppc64le|s390x|multi))?$")
_ARCHITECTURES = {"aarch64": "arm64", None: "x86_64"}


class Client:
    """One run of the client with its environment.

    ``releases``: version of pullspecs that do not tell it (the lab's registry).
    """

    def __init__(
        self,
        http: HostHttp,
        root: Root,
        container: Container,
        log: Callable[[str], None],
        releases: Mapping[str, str] | None = None,
    ) -> None:
        self._http = http
        self._root = root
        self._environment = environment = container.environment
        self._mounts = container.mounts
        self._log = log
        self._releases = dict(releases or {})
        self._manifests = Manifests(root, container.mounts)
        self.base = environment.get("SERVICE_BASE_URL", "").rstrip("/") + "/api/assisted-install"

    async def call(self, method: str, path: str, body: Any = None) -> Reply:
        """Raises :class:`ClientError` when there is no answer."""
        try:
            headers = {"Authorization": self._environment.get("USER_AUTH_TOKEN", "")}
            return await self._http.request(method, f"{self.base}{path}", headers=headers, body=body)
        except Unreachable as error:
            raise ClientError(str(error)) from error

    async def _get(self, path: str, failure: str) -> Any:
        reply = await self.call("GET", path)
        if not reply.ok:
            raise ClientError(f"{failure}: {reply.complaint()}")
        return reply.json()

    # ---- registerCluster ---------------------------------------------------------------------------------------------

    async def register_cluster(self) -> str:
        """The cluster's id. Raises :class:`ClientError` with the fatal text."""
        clusters = await self._get("/v2/clusters?with_hosts=false", "Failed to find cluster")
        if len(clusters) > 1:
            raise ClientError("found multiple clusters registered in assisted-service")
        if clusters:
            cluster = clusters[0]
            self._log(f"Found existing cluster with id: {cluster['id']}")
        else:
            cluster = await self._create_cluster()
        await self._apply_overrides(cluster)
        await self._register_extra_manifests(cluster["id"])
        self._root.write("/etc/assisted/client_config", f"CLUSTER_ID={cluster['id']}")
        return str(cluster["id"])

    async def _create_cluster(self) -> dict[str, Any]:
        image = str(spec_of(self._manifests.document("cluster-image-set.yaml")).get("releaseImage", ""))
        version, architecture = self.release(image)
        self._log(f"releaseImage: {image}")
        self._log(f"releaseImage version {version} cpuarch {architecture}")
        reply = await self.call(
            "POST",
            "/v2/clusters",
            cluster_params(self._manifests, version=version, architecture=architecture, release_image=image),
        )
        if not reply.ok:
            raise ClientError(f"Failed to register cluster with assisted-service: {reply.complaint()}")
        cluster: dict[str, Any] = reply.json()
        self._log(f"Registered cluster with id: {cluster['id']}")
        return cluster

    def release(self, image: str) -> tuple[str, str]:
        """(version, architecture) of a release image, which ``oc adm release info`` reads from the registry.

        Raises :class:`ClientError`.
        """
        match = _TAG.search(image)
        if match:
            return match["version"], _ARCHITECTURES.get(match["arch"], match["arch"])
        if image in self._releases:
            return self._releases[image], "x86_64"
        for entry in json.loads(self._environment.get("RELEASE_IMAGES") or "[]"):
            if entry.get("url") == image:
                return entry["version"], _ARCHITECTURES.get(entry["cpu_architecture"], entry["cpu_architecture"])
        raise ClientError(f"failed to get release version: error: unable to read image {image}: manifest unknown")

    async def _apply_overrides(self, cluster: Mapping[str, Any]) -> None:
        annotations = (self._manifests.document("agent-cluster-install.yaml").get("metadata") or {}).get(
            "annotations"
        ) or {}
        if OVERRIDES_ANNOTATION not in annotations:
            return
        text = annotations[OVERRIDES_ANNOTATION]
        try:
            wanted = json.loads(text) if text else ""
        except ValueError as error:
            raise ClientError(f"failed to normalize new installConfig overrides: {error}") from error
        if wanted == _normalised(cluster.get("install_config_overrides") or ""):
            self._log(f"InstallConfig overrides already correctly applied for cluster {cluster['id']}")
            return
        reply = await self.call("PATCH", f"/v2/clusters/{cluster['id']}/install-config", text)
        if not reply.ok:
            raise ClientError(f"Failed to apply installConfig overrides: {reply.complaint()}")
        self._log(f"Applied installConfig overrides to cluster {cluster['id']}")
        await self._get(f"/v2/clusters/{cluster['id']}", "failed to get cluster after applying installConfig overrides")

    async def _register_extra_manifests(self, cluster_id: str) -> None:
        local = self._manifests.extra()
        if not local:
            return
        failure = "Failed to register extra manifests with assisted-service"
        known = {}
        for item in await self._get(f"/v2/clusters/{cluster_id}/manifests", failure):
            if item["folder"] == "openshift":
                reply = await self.call(
                    "GET",
                    f"/v2/clusters/{cluster_id}/manifests/files?folder=openshift&file_name={quote(item['file_name'])}",
                )
                known[item["file_name"]] = reply.body
        for name, content in local.items():
            if name in known:
                if known[name] != content:
                    raise ClientError(f"{failure}: manifest {name} already exists with different content")
                self._log(f"Manifest {name} already exists with same content, skipping")
                continue
            body = {"folder": "openshift", "file_name": name, "content": base64.b64encode(content).decode()}
            reply = await self.call("POST", f"/v2/clusters/{cluster_id}/manifests", body)
            if not reply.ok:
                raise ClientError(f"{failure}: {reply.complaint()}")
            self._log(f"Registered manifest {name}")

    # ---- importCluster -----------------------------------------------------------------------------------------------

    async def import_cluster(self) -> str:
        """The imported cluster's id. Every run imports another one. Raises :class:`ClientError` with the fatal text."""
        names = {
            "name": "CLUSTER_NAME",
            "api_vip_dnsname": "CLUSTER_API_VIP_DNS_NAME",
            "openshift_cluster_id": "CLUSTER_ID",
        }
        for name in ("CLUSTER_ID", "CLUSTER_NAME", "CLUSTER_API_VIP_DNS_NAME"):
            if not self._environment.get(name):
                raise ClientError(f"No {name} specified")
        reply = await self.call(
            "POST", "/v2/clusters/import", {field: self._environment[name] for field, name in names.items()}
        )
        if not reply.ok:
            raise ClientError(f"Failed to import cluster with assisted-service: {reply.complaint()}")
        cluster = reply.json()
        self._log(f"Imported cluster with id: {cluster['id']}")
        changes = self._import_changes()
        reply = await self.call("PATCH", f"/v2/clusters/{cluster['id']}", changes)
        if not reply.ok:
            raise ClientError(f"Failed to import cluster with assisted-service: {reply.complaint()}")
        return str(cluster["id"])

    def _import_changes(self) -> dict[str, Any]:
        """What the image says of the running cluster."""
        directory = self._mounts.get("/clusterconfig", "/nowhere")
        try:
            managed = bool(
                json.loads(self._root.text(f"{directory}/import-cluster-config.json") or "")["networking"][
                    "userManagedNetworking"
                ]
            )
            endpoint = json.loads(self._root.text(f"{directory}/worker-ignition-endpoint.json") or "null")
        except (ValueError, KeyError, TypeError) as error:
            raise ClientError(
                f"Failed to import cluster with assisted-service: failed to apply cluster params: {error}"
            ) from error
        unchanged = (
            "api_vips",
            "ingress_vips",
            "cluster_networks",
            "machine_networks",
            "service_networks",
            "olm_operators",
        )
        changes = {**dict.fromkeys(unchanged), "user_managed_networking": managed}
        return {**changes, "ignition_endpoint": endpoint} if endpoint else changes

    # ---- registerInfraEnv --------------------------------------------------------------------------------------------

    async def register_infra_env(self) -> str:
        """The InfraEnv's id. Raises :class:`ClientError`."""
        lookup = await self.call("GET", "/v2/infra-envs")
        existing = lookup.json() if lookup.ok else []
        if len(existing) == 1:
            self._log(f"Skipping infraenv registration. Found existing infraenv with id: {existing[0]['id']}")
            return str(existing[0]["id"])
        clusters = await self._get("/v2/clusters", "Failed to find cluster when registering infraenv")
        if len(clusters) > 1:
            raise ClientError(
                "Failed to find cluster when registering infraenv: found multiple clusters registered in "
                "assisted-service"
            )
        self._log(
            f"Reference to cluster id: {clusters[0]['id']}"
            if clusters
            else ("No Cluster found, registering InfraEnv for late binding")
        )
        cluster_id = str(clusters[0]["id"]) if clusters else ""
        params = infra_env_params(
            self._manifests, cluster_id=cluster_id, image_type=self._environment.get("IMAGE_TYPE_ISO", "full-iso")
        )
        if params["static_network_config"]:
            self._log(f"Added {len(params['static_network_config'])} nmstateconfigs")
        reply = await self.call("POST", "/v2/infra-envs", params)
        if not reply.ok:
            raise ClientError(f"Failed to register infraenv with assisted-service: {reply.complaint()}")
        identifier = str(reply.json()["id"])
        self._log(f"Registered infraenv with id: {identifier}")
        self._root.write("/etc/assisted/client_config", f"INFRA_ENV_ID={identifier}")
        return identifier

    # ---- configure ---------------------------------------------------------------------------------------------------

    def host_configs(self, macs: Sequence[str]) -> list[HostConfig]:
        """The configuration of all hosts; when nodes are added that of this machine, which has these addresses.

        Raises :class:`ClientError`.
        """
        log: list[str] = []
        try:
            configs = load_host_configs(self._root, log, self._mounts.get(DIRECTORY, "/nowhere"))
            if self._environment.get("WORKFLOW_TYPE") != "addnodes":
                return configs
            return [config for config in configs if config.hostname or {*macs} & {*config.macs}]
        finally:
            for line in log:
                self._log(line)

    async def configure_once(self, configs: list[HostConfig]) -> dict[str, str]:
        """One pass over the hosts; the failures by name. Raises :class:`ClientError` for a hard error."""
        infra_env_id = self._environment.get("INFRA_ENV_ID")
        if not infra_env_id:
            raise ClientError("No INFRA_ENV_ID specified")
        failures: dict[str, str] = {}
        for host in await self._get(f"/v2/infra-envs/{infra_env_id}/hosts", "Failed to list hosts"):
            if host.get("inventory"):
                failures |= await self._configure_host(configs, host)
        for config in configs:
            if not config.host_id:
                text = (
                    "Fencing credentials loaded but no host with matching hostname found"
                    if config.hostname
                    else "Host not registered"
                )
                failures[config.name] = text
        self._write_failures(failures)
        return failures

    async def _configure_host(self, configs: list[HostConfig], host: Mapping[str, Any]) -> dict[str, str]:
        inventory = json.loads(host["inventory"])
        found = matching(configs, inventory)
        for config in found:
            config.host_id = host["id"]
        changes = update_for(found, host, inventory)
        if not changes:
            return {}
        reply = await self.call("PATCH", f"/v2/infra-envs/{host['infra_env_id']}/hosts/{host['id']}", changes)
        if reply.ok:
            self._log(f"Updated host {inventory.get('hostname')}: {describe(changes, host)}")
            return {}
        if reply.status in (401, 403) or not _has_text_code(reply):
            raise ClientError(f"failed to update Host: {reply.complaint()}")
        self._log(f"Host {inventory.get('hostname')} update refused: {reply.complaint()}")
        why = reply.json().get("reason") or "unknown reason"
        return {str(inventory.get("hostname")): f"Failed to update host {describe(changes, host)}: {why}"}

    def _write_failures(self, failures: Mapping[str, str]) -> None:
        if failures:
            self._root.write(FAILURES_FILE, "".join(f"{name}: {text}\n" for name, text in failures.items()))
        else:
            self._root.files.pop(FAILURES_FILE, None)


def _normalised(text: str) -> Any:
    try:
        return json.loads(text) if text else ""
    except ValueError:
        return object()


def _has_text_code(reply: Reply) -> bool:
    try:
        return isinstance(reply.json().get("code"), str)
    except (ValueError, AttributeError):
        return False
