# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Reconcile InfraEnvs: create the infra-env in the assisted-service, and publish its image URL and conditions in the
status.

Source: openshift/assisted-service internal/controller/controllers/infraenv_controller.go.
"""

from __future__ import annotations

import json
from typing import Any

import yaml

from ...service.catalogue import newest_os_version
from ...service.infra_envs import boot_artifacts, regenerate
from ...service.model import Cluster, InfraEnv
from ...service.settings import ARCHITECTURE_ALIASES
from ..backend import Backend, BackendError
from ..conditions import Condition, find, merge
from ..conditions import infra_env as conditions
from ..names import (
    CLUSTER_DEPLOYMENT,
    INFRA_ENV,
    INFRA_ENV_FINALIZER,
    INFRA_ENV_LABEL,
    IRONIC_ANNOTATION,
    NMSTATE_CONFIG,
    Key,
    Object,
    annotations_of,
    deleting,
    key_of,
    labels_of,
)
from ..world import World, matches

IN_PROGRESS_SECONDS = 20.0
RETRY_SECONDS = 10.0
DEREGISTER_SECONDS = 60.0
PULL_SECRET_KEY = ".dockerconfigjson"


class _Stop(Exception):
    """The image cannot be had now: the condition that says so, and when to look again."""

    def __init__(self, condition: Condition | None, again: float | None) -> None:
        super().__init__(condition.message if condition else "")
        self.condition, self.again = condition, again


class InfraEnvController:
    def __init__(self, world: World, backend: Backend) -> None:
        self._world, self._backend = world, backend

    @property
    def _images(self) -> bool:
        """Whether there is an image service; without it no image is shown, and no error of one."""
        return self._backend.core.settings.switch("ENABLE_IMAGE_SERVICE", True)

    async def reconcile(self, key: Key) -> float | None:
        """One InfraEnv."""
        item = self._world.get(INFRA_ENV, key)
        if item is None:
            return None
        if deleting(item):
            return await self._delete(key, item)
        item = await self._world.add_finalizer(INFRA_ENV, item, INFRA_ENV_FINALIZER)
        item = await self._world.status(
            INFRA_ENV,
            item,
            {**(item.get("status") or {}), "agentLabelSelector": {"matchLabels": {INFRA_ENV_LABEL: key[1]}}},
        )
        try:
            infra_env = await self._push(key, item)
        except _Stop as stop:
            if not self._images and (stop.condition is None or stop.condition.reason != conditions.NO_CLUSTER):
                return None
            await self._refused(item, stop.condition)
            return stop.again
        await self._show(item, infra_env)
        return None

    async def _delete(self, key: Key, item: Object) -> float | None:
        infra_env = self._backend.infra_env(key)
        if infra_env is not None:
            state = self._backend.core.state
            for host in state.hosts_in(infra_env.id):
                del state.hosts[host.infra_env_id, host.id]
            try:
                await self._backend.call("DELETE", f"/v2/infra-envs/{infra_env.id}")
            except BackendError:
                return DEREGISTER_SECONDS
        await self._world.drop_finalizer(INFRA_ENV, item, INFRA_ENV_FINALIZER)
        return None

    # spec to service

    async def _push(self, key: Key, item: Object) -> InfraEnv:
        cluster = self._cluster(item["spec"])
        try:
            secret = await self._pull_secret(item)
        except LookupError as error:
            raise _Stop(conditions.failed(None, str(error.args[0])), RETRY_SECONDS) from error
        try:
            infra_env = self._backend.infra_env(key)
            if infra_env is None:
                return await self._create(key, item, cluster, secret)
            return await self._update(infra_env, item, cluster, secret)
        except BackendError as error:
            if error.status == 409:
                reason = str(find((item.get("status") or {}).get("conditions"), conditions.TYPE).get("reason", ""))
                raise _Stop(conditions.in_progress(reason), IN_PROGRESS_SECONDS) from error
            raise _Stop(conditions.failed(error.status, str(error)), None if error.users else RETRY_SECONDS) from error

    def _cluster(self, spec: Object) -> Cluster | None:
        """The service's cluster for early binding."""
        reference = spec.get("clusterRef")
        if not reference:
            return None
        where = reference.get("namespace", ""), reference.get("name", "")
        deployment = self._world.get(CLUSTER_DEPLOYMENT, where)
        if deployment is None:
            text = (
                f"failed to get clusterDeployment with name {where[1]} in namespace {where[0]}: "
                f'clusterdeployments.hive.openshift.io "{where[1]}" not found'
            )
            raise _Stop(conditions.missing_cluster(text), None)
        cluster = self._backend.cluster(where)
        if cluster is None:
            install = ((deployment.get("spec") or {}).get("clusterInstallRef") or {}).get("name", "")
            text = (
                f"cluster does not exist: {where[1]}, check AgentClusterInstall conditions: name {install} in "
                f"namespace {where[0]}"
            )
            raise _Stop(conditions.missing_cluster(text), RETRY_SECONDS)
        return cluster

    async def _pull_secret(self, item: Object) -> str:
        """Raises LookupError with the text of the condition."""
        name = (item["spec"].get("pullSecretRef") or {}).get("name") or ""
        if not name:
            raise LookupError("Missing reference to pull secret")
        data = await self._world.read_secret(key_of(item)[0], name)
        if PULL_SECRET_KEY not in data:
            raise LookupError(f"secret {name} did not contain key {PULL_SECRET_KEY}")
        text = data[PULL_SECRET_KEY].decode("utf-8", "replace")
        try:
            json.loads(text)
        except ValueError as error:
            raise LookupError(f"invalid pull secret data in secret {name}: {error}") from error
        return text

    async def _create(self, key: Key, item: Object, cluster: Cluster | None, secret: str) -> InfraEnv:
        architecture = item["spec"].get("cpuArchitecture") or "x86_64"
        body = {
            "name": key[1],
            "pull_secret": secret,
            "cpu_architecture": architecture,
            "openshift_version": self._version(item["spec"], cluster, architecture),
            "image_type": self._image_type(item["spec"], architecture),
            **_spoken(item["spec"]),
            "static_network_config": self._static_network(item),
        }
        if cluster is not None:
            body["cluster_id"] = cluster.id
        mirror = await self._mirror(item["spec"])
        made = await self._backend.call("POST", "/v2/infra-envs", body)
        infra_env = self._backend.core.infra_env(made["id"])
        infra_env.kube_key = key
        infra_env.mirror = mirror
        return infra_env

    async def _update(self, infra_env: InfraEnv, item: Object, cluster: Cluster | None, secret: str) -> InfraEnv:
        spec = item["spec"]
        body = {
            "pull_secret": secret,
            "image_type": self._image_type(spec, infra_env.architecture),
            **_spoken(spec),
            # What can be cleared is always said.
            "static_network_config": self._static_network(item),
            "kernel_arguments": spec.get("kernelArguments") or [],
            "additional_trust_bundle": (spec.get("additionalTrustBundle") or "").strip(),
        }
        # the version of a cluster was given at creation (updateInfraEnv of upstream's infraenv_controller.go)
        if spec.get("osImageVersion"):
            body["openshift_version"] = self._version(spec, cluster, infra_env.architecture)
        await self._mirror(spec)
        if not infra_env.fields.get("kernel_arguments") and not body["kernel_arguments"]:
            del body["kernel_arguments"]
        if not infra_env.fields.get("additional_trust_bundle") and not body["additional_trust_bundle"]:
            del body["additional_trust_bundle"]
        await self._backend.call("PATCH", f"/v2/infra-envs/{infra_env.id}", body)
        ironic = annotations_of(item).get(IRONIC_ANNOTATION) == "true"
        if ironic and not infra_env.internal_override:
            infra_env.internal_override = ironic_ignition(self._backend.core.settings.service_url)
            regenerate(self._backend.core, infra_env)
        return infra_env

    def _version(self, spec: Object, cluster: Cluster | None, architecture: str) -> str:
        """Raises BackendError 404 for a version that no osImages entry has."""
        settings = self._backend.core.settings
        wanted = spec.get("osImageVersion") or (cluster.version if cluster is not None else "")
        if not wanted:
            return newest_os_version(settings, architecture)
        names = {architecture, ARCHITECTURE_ALIASES.get(architecture, architecture)}
        known = {
            str(image["openshift_version"])
            for image in settings.os_images
            if image.get("cpu_architecture", "x86_64") in names
        }
        minor = ".".join(wanted.split(".")[:2])
        if wanted not in known and not (minor in known and (cluster is not None or wanted == minor)):
            raise BackendError(404, "Specified OSImageVersion is missing from AgentServiceConfig")
        return str(wanted)

    def _image_type(self, spec: Object, architecture: str) -> str:
        if architecture == "s390x":
            return "full-iso"
        return str(spec.get("imageType") or self._backend.core.settings.env.get("ISO_IMAGE_TYPE") or "minimal-iso")

    def _static_network(self, item: Object) -> list[dict[str, Any]]:
        """The NMStateConfigs that the selector finds, in all namespaces."""
        selector = item["spec"].get("nmStateConfigLabelSelector")
        found = [
            config
            for config in self._world.all(NMSTATE_CONFIG)
            if not deleting(config) and matches(selector, labels_of(config))
        ]
        return [_network_element(config) for config in sorted(found, key=key_of)]

    async def _mirror(self, spec: Object) -> dict[str, str]:
        """Texts of openshift/assisted-service
        internal/controller/controllers/mirrorregistry/mirror_registry_parser.go.
        """
        reference = spec.get("mirrorRegistryRef")
        if not reference:
            return {}
        try:
            data = await self._world.read_config_map(reference["namespace"], reference["name"])
        except LookupError as error:
            raise _Stop(
                conditions.failed(None, f"Failed to get referenced ConfigMap: {error.args[0]}"), RETRY_SECONDS
            ) from error
        if "registries.conf" not in data:
            text = f"ConfigMap {reference['namespace']}/{reference['name']} does not contain registries.conf key"
            raise _Stop(conditions.failed(None, text), RETRY_SECONDS)
        return {name: data[name] for name in ("registries.conf", "ca-bundle.crt") if name in data}

    # service to status

    async def _refused(self, item: Object, condition: Condition | None) -> None:
        if condition is None:
            return
        status = dict(item.get("status") or {})
        status["conditions"] = merge(status.get("conditions"), [condition], self._world.now())
        if condition.reason == conditions.FAILED:
            status.pop("isoDownloadURL", None)
            status.pop("createdTime", None)
        await self._world.status(INFRA_ENV, item, status)

    async def _show(self, item: Object, infra_env: InfraEnv) -> None:
        core = self._backend.core
        status = dict(item.get("status") or {})
        status["conditions"] = merge(
            status.get("conditions"), [conditions.available(image_service=self._images)], self._world.now()
        )
        debug = dict(status.get("debugInfo") or {})
        token = core.sign_infra_env(infra_env.id)
        debug.setdefault("eventsURL", self._backend.url("/v2/events", infra_env_id=infra_env.id, api_key=token))
        files = f"/v2/infra-envs/{infra_env.id}/downloads/files"
        if infra_env.static_network_config:
            debug.setdefault(
                "staticNetworkDownloadURL", self._backend.url(files, file_name="static-network-config", api_key=token)
            )
        status["debugInfo"] = debug
        if not self._images:
            kept = {
                name: value
                for name, value in status.items()
                if name not in ("isoDownloadURL", "createdTime", "bootArtifacts")
            }
            await self._world.status(INFRA_ENV, item, kept)
            return
        artifacts = dict(status.get("bootArtifacts") or {})
        made = boot_artifacts(core, infra_env)
        artifacts |= {"kernel": made["kernel"], "rootfs": made["rootfs"]}
        if status.get("isoDownloadURL") != infra_env.download_url:
            status["isoDownloadURL"] = infra_env.download_url
            status["createdTime"] = self._world.now()
            control = "boot-order-control" if item["spec"].get("ipxeScriptType") == "BootOrderControl" else ""
            artifacts |= {
                "initrd": made["initrd"],
                "ipxeScript": self._backend.url(
                    files, file_name="ipxe-script", ipxe_script_type=control, api_key=token
                ),
                "discoveryIgnitionURL": self._backend.url(files, file_name="discovery.ign", api_key=token),
            }
        status["bootArtifacts"] = artifacts
        await self._world.status(INFRA_ENV, item, status)


def _spoken(spec: Object) -> dict[str, Any]:
    """Members that are pushed when they are not empty: emptying them in the spec is not propagated.

    Source: openshift/assisted-service internal/controller/controllers/infraenv_controller.go.
    """
    proxy = spec.get("proxy") or {}
    members = {
        "ssh_authorized_key": spec.get("sshAuthorizedKey"),
        "proxy": {f"{_snake(name)}": value for name, value in proxy.items() if value},
        "additional_ntp_sources": ",".join(spec.get("additionalNTPSources") or []),
        "ntp_sources": ",".join(spec.get("ntpSources") or []),
        "ignition_config_override": spec.get("ignitionConfigOverride"),
        "kernel_arguments": spec.get("kernelArguments"),
        "additional_trust_bundle": (spec.get("additionalTrustBundle") or "").strip(),
        "network_discovery_delay_seconds": spec.get("networkDiscoveryDelaySeconds"),
    }
    return {name: value for name, value in members.items() if value}


def _snake(name: str) -> str:
    return {"httpProxy": "http_proxy", "httpsProxy": "https_proxy", "noProxy": "no_proxy"}.get(name, name)


def _network_element(config: Object) -> dict[str, Any]:
    spec = config["spec"]
    return {
        "network_yaml": yaml.safe_dump(spec.get("config") or {}, sort_keys=True),
        "mac_interface_map": [
            {"mac_address": entry["macAddress"], "logical_nic_name": entry["name"]}
            for entry in spec.get("interfaces") or []
        ],
    }


def ironic_ignition(service_url: str) -> str:
    """What the converged flow merges into the discovery ignition: ironic's own agent starts ours."""
    unit = (
        "[Unit]\nAfter=network-online.target\nWants=network-online.target\n[Service]\nExecStart=/bin/podman run "
        "--name ironic-agent ironic-agent\n"
    )
    document = {
        "ignition": {"version": "3.2.0"},
        "storage": {
            "files": [
                {
                    "path": "/etc/ironic-python-agent.conf",
                    "mode": 420,
                    "overwrite": True,
                    "contents": {"source": f"data:,%5BDEFAULT%5D%0Aapi_url%20%3D%20{service_url}%0A"},
                }
            ]
        },
        "systemd": {
            "units": [
                {
                    "name": "ironic-agent.service",
                    "enabled": True,
                    "contents": unit + "[Install]\nWantedBy=multi-user.target\n",
                }
            ]
        },
    }
    return json.dumps(document)
