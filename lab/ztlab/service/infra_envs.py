# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Handle requests for /v2/infra-envs: create, update, image URLs, and downloads.

Source: openshift/assisted-service internal/bminventory/inventory.go, internal/bminventory/inventory_v2_handlers.go.
"""

from __future__ import annotations

import base64
import copy
import dataclasses
import datetime
import email.utils
import gzip
import json
import uuid
from collections.abc import Mapping
from typing import Any

from ..hub.discovery.ipxe import IpxeUrls, boot_order_script, boots_from_disk
from ..hub.discovery.ipxe import ipxe_script as discovery_ipxe
from . import go, static_network
from .catalogue import newest_os_version, os_image
from .cluster_params import check_ntp, check_proxies, check_ssh_keys
from .core import Core
from .errors import ServiceError, bad_request, not_found
from .model import NO_TIME, InfraEnv
from .pull_secret import check_pull_secret
from .router import Call, Reply, attachment
from .schema import read_query_id, read_query_text
from .settings import ARCHITECTURE_ALIASES
from .views import image_url, infra_env_view, os_version


def _check(params: Mapping[str, Any], image_type: str) -> None:
    check_proxies(params.get("proxy") or {})
    check_ntp(params, "additional_ntp_sources")
    for argument in params.get("kernel_arguments") or []:
        if argument.get("operation", "append") != "append":
            raise bad_request(f"Only kernel argument operation append is supported.  Got {argument['operation']}")
    override = params.get("ignition_config_override")
    if override:
        check_ignition(override)
    bundle = params.get("additional_trust_bundle")
    if bundle and "-----BEGIN CERTIFICATE-----" not in bundle:
        raise bad_request("invalid block")
    if params.get("rendezvous_ip") and image_type != "disconnected-iso":
        raise bad_request("RendezvousIP is only supported for disconnected ISO infra-envs")


FILES = ("discovery.ign", "ipxe-script", "static-network-config")
IGNITION_VERSIONS = tuple(f"3.{minor}.0" for minor in range(6))


def check_ignition(text: str) -> None:
    """Raises ServiceError 400 when it is no Ignition 3 configuration."""
    problem = go.json_problem(text)
    if problem:
        raise bad_request(
            f"error parsing ignition: config is not valid, error report: error at line 0 col 0: {problem}\n"
        )
    document = json.loads(text)
    version = ((document.get("ignition") or {}).get("version") or "") if isinstance(document, dict) else ""
    if version not in IGNITION_VERSIONS:
        raise bad_request("error parsing ignition: unsupported config version, error report: ")
    for index, file in enumerate((document.get("storage") or {}).get("files") or []):
        if not str(file.get("path") or "").startswith("/"):
            column = text.find('"path"') + 9
            at = f"error at $.storage.files.{index}.path, line 1 col {column}"
            raise bad_request(f"error parsing ignition: config is not valid, error report: {at}: path not absolute\n")


def create(core: Core, call: Call) -> Reply:
    params = dict(call.body)
    cluster = None
    if params.get("cluster_id"):
        cluster = core.state.clusters.get(params["cluster_id"])
        if cluster is None:
            raise not_found(f"Cluster ID {params['cluster_id']} does not exist")
    image_type = params.get("image_type") or core.settings.env.get("ISO_IMAGE_TYPE") or "full-iso"
    _check(params, image_type)
    try:
        check_ssh_keys(params.get("ssh_authorized_key") or "")
    except ServiceError as error:
        raise bad_request("SSH key is not valid") from error
    check_pull_secret(params["pull_secret"], core.settings, (core.settings.agent_image,), of_new="infraEnv")
    architecture = params.get("cpu_architecture") or "x86_64"
    if cluster is not None:
        _check_architecture(architecture, cluster.fields.get("cpu_architecture", "x86_64"))
    said = os_image(core.settings, params["openshift_version"], architecture) if params.get("openshift_version") else ""
    version = said or (cluster.version if cluster else "") or newest_os_version(core.settings, architecture)
    forced = core.settings.infra_env_id
    moment = core.timestamp()
    infra_env = InfraEnv(
        id=forced if forced and forced not in core.state.infra_envs else str(uuid.uuid4()),
        fields={
            **{
                name: value
                for name, value in params.items()
                if value is not None and name not in ("pull_secret", "cluster_id", "static_network_config")
            },
            "image_type": image_type,
            "cpu_architecture": architecture,
            "openshift_version": version,
        },
        pull_secret=params["pull_secret"],
        cluster_id=cluster.id if cluster else "",
        static_network_config=static_network.check_and_sort(params.get("static_network_config") or []),
        created_at=moment,
        updated_at=moment,
    )
    core.state.infra_envs[infra_env.id] = infra_env
    infra_env.download_url = image_url(core, infra_env)
    core.event(
        "infra_env_registered",
        (f"Successfully registered InfraEnv {infra_env.fields['name']} with id {infra_env.id}"),
        infra_env=infra_env,
    )
    _image_event(core, infra_env)
    return Reply(201, infra_env_view(core, infra_env))


def _check_architecture(wanted: str, of_cluster: str) -> None:
    if of_cluster != "multi" and wanted not in (of_cluster, ARCHITECTURE_ALIASES.get(of_cluster)):
        raise bad_request(f"Specified CPU architecture ({wanted}) doesn't match the cluster ({of_cluster})")


def _image_event(core: Core, infra_env: InfraEnv) -> None:
    kind = "minimal" if infra_env.image_type == "minimal-iso" else "full"
    key = "is" if infra_env.fields.get("ssh_authorized_key") else "is not"
    core.event(
        "image_info_updated",
        f'Updated image information (Image type is "{kind}-iso", SSH public key {key} set)',
        infra_env=infra_env,
    )


def list_all(core: Core, call: Call) -> Reply:
    cluster_id = read_query_id(call.query, "cluster_id")
    return Reply(
        200,
        [
            infra_env_view(core, item)
            for item in core.state.infra_envs.values()
            if not cluster_id or item.cluster_id == cluster_id
        ],
    )


def get(core: Core, call: Call) -> Reply:
    return Reply(200, infra_env_view(core, core.infra_env(call.path["infra_env_id"])))


def update(core: Core, call: Call) -> Reply:
    infra_env = core.infra_env(call.path["infra_env_id"])
    params = {name: value for name, value in call.body.items() if value is not None}
    if params.get("openshift_version"):
        os_image(core.settings, params["openshift_version"], infra_env.architecture)
    before = _image_content(infra_env)
    _check(params, params.get("image_type") or infra_env.image_type)
    check_ssh_keys(params.get("ssh_authorized_key") or "")
    if "pull_secret" in params:
        check_pull_secret(params["pull_secret"], core.settings, (core.settings.agent_image,))
        infra_env.pull_secret = params["pull_secret"]
    if "static_network_config" in params:
        infra_env.static_network_config = static_network.check_and_sort(params["static_network_config"])
    infra_env.fields.update(
        {name: value for name, value in params.items() if name not in ("pull_secret", "static_network_config")}
    )
    if "proxy" in params:
        infra_env.fields["proxy"] = {name: value for name, value in params["proxy"].items() if value}
    if _image_content(infra_env) != before:
        regenerate(core, infra_env)
    return Reply(201, infra_env_view(core, infra_env))


def _image_content(infra_env: InfraEnv) -> tuple[Any, ...]:
    return copy.deepcopy(
        (
            infra_env.fields,
            infra_env.pull_secret,
            infra_env.static_network_config,
            infra_env.mirror,
            infra_env.internal_override,
        )
    )


def regenerate(core: Core, infra_env: InfraEnv) -> None:
    """The image has other content now: a new URL where URLs are signed, a new time of change, an event."""
    infra_env.download_url = image_url(core, infra_env)
    core.touch(infra_env)
    _image_event(core, infra_env)


def delete(core: Core, call: Call) -> Reply:
    infra_env = core.infra_env(call.path["infra_env_id"])
    hosts = core.state.hosts_in(infra_env.id)
    if hosts:
        raise bad_request(f"failed to deregister infraEnv {infra_env.id}, {len(hosts)} hosts are still associated")
    del core.state.infra_envs[infra_env.id]
    core.event("infra_env_deregistered", f"Deregistered infraEnv {infra_env.id}", infra_env=infra_env)
    return Reply(204)


def get_image_url(core: Core, call: Call) -> Reply:
    infra_env = core.infra_env(call.path["infra_env_id"])
    if not core.settings.switch("ENABLE_IMAGE_SERVICE", True):
        raise bad_request("image service is disabled")
    return Reply(200, {"url": image_url(core, infra_env), "expires_at": NO_TIME})


def presigned(core: Core, call: Call) -> Reply:
    infra_env = core.infra_env(call.path["infra_env_id"])
    name = read_query_text(call.query, "file_name", ("discovery.ign", "ipxe-script"), required=True)
    return Reply(
        200,
        {
            "url": _files_url(core, infra_env, name),
            "expires_at": NO_TIME,
        },
    )


def download(core: Core, call: Call) -> Reply:
    name = read_query_text(call.query, "file_name", FILES, required=True)
    infra_env = core.infra_env(call.path["infra_env_id"])
    read_query_text(call.query, "ipxe_script_type", ("discovery-image-always", "boot-order-control"))
    if call.query.get("ipxe_script_type") and name != "ipxe-script":
        raise bad_request(f'ipxe_script_type in query is only valid with file_name ipxe-script, not "{name}"')
    if name == "discovery.ign":
        return _dated(attachment(name, json.dumps(_discovery(core, infra_env, call.query)).encode()), infra_env)
    if name == "static-network-config":
        return attachment(
            name,
            static_network.archive(
                infra_env.static_network_config, str(infra_env.fields.get("openshift_version") or "")
            ),
        )
    return attachment(name, ipxe_script(core, infra_env, call.query).encode())


def _discovery(core: Core, infra_env: InfraEnv, query: Mapping[str, str]) -> Mapping[str, Any]:
    if core.discovery_source is None:
        return discovery_ignition(core, infra_env)
    kind = query.get("discovery_iso_type") or infra_env.image_type
    if kind not in ("full-iso", "minimal-iso", "disconnected-iso"):
        raise bad_request(f'discovery_iso_type in query should be one of [full-iso minimal-iso], not "{kind}"')
    return core.discovery_source(core, infra_env, kind)


def _dated(reply: Reply, infra_env: InfraEnv) -> Reply:
    """With the time of the last change, which the image service passes on."""
    moment = datetime.datetime.fromisoformat(infra_env.updated_at.replace("Z", "+00:00"))
    return dataclasses.replace(
        reply, headers={**reply.headers, "Last-Modified": email.utils.format_datetime(moment, usegmt=True)}
    )


def minimal_initrd(core: Core, call: Call) -> Reply:
    infra_env = core.infra_env(call.path["infra_env_id"])
    if core.initrd_source is not None:
        content = core.initrd_source(core, infra_env)
        return Reply(204) if content is None else attachment("minimal-initrd", content)
    if infra_env.image_type != "minimal-iso" or not infra_env.static_network_config:
        return Reply(204)
    return attachment(
        "minimal-initrd",
        gzip.compress(
            static_network.archive(
                infra_env.static_network_config, str(infra_env.fields.get("openshift_version") or "")
            ),
            mtime=0,
        ),
    )


def regenerate_signing_key(core: Core, call: Call) -> Reply:
    core.infra_env(call.path["infra_env_id"])
    return Reply(204)


def _data_url(text: str) -> dict[str, str]:
    return {"source": "data:text/plain;charset=utf-8;base64," + base64.b64encode(text.encode()).decode()}


def discovery_ignition(core: Core, infra_env: InfraEnv) -> dict[str, Any]:
    """The configuration of the discovery image, merged with the override by Ignition's rules for the lists it has."""
    proxy = infra_env.fields.get("proxy") or {}
    environment = "".join(f"Environment={name.upper()}={value}\n" for name, value in proxy.items() if value)
    start = (
        f"/usr/local/bin/agent --url {core.settings.service_url} --infra-env-id {infra_env.id} --agent-version "
        f"{core.settings.agent_image} --insecure=true"
    )
    unit = (
        f"[Service]\nType=simple\nRestart=always\nRestartSec=3\n{environment}ExecStart={start}\n[Install]\n"
        "WantedBy=multi-user.target\n"
    )
    document: dict[str, Any] = {
        "ignition": {"version": "3.1.0"},
        "passwd": {
            "users": [
                {
                    "name": "core",
                    "sshAuthorizedKeys": [key for key in [infra_env.fields.get("ssh_authorized_key")] if key],
                }
            ]
        },
        "systemd": {"units": [{"name": "agent.service", "enabled": True, "contents": unit}]},
        "storage": {
            "files": [
                {
                    "path": "/root/.docker/config.json",
                    "mode": 0o644,
                    "overwrite": True,
                    "contents": _data_url(infra_env.pull_secret),
                }
            ]
        },
    }
    override = infra_env.fields.get("ignition_config_override")
    return merge_ignition(document, json.loads(override)) if override else document


def merge_ignition(base: Mapping[str, Any], override: Mapping[str, Any]) -> dict[str, Any]:
    """Ignition's merge for files, units and users: entries of the same key are replaced, others added."""
    merged = json.loads(json.dumps(base))
    for section, member, key in (
        ("storage", "files", "path"),
        ("systemd", "units", "name"),
        ("passwd", "users", "name"),
    ):
        added = (override.get(section) or {}).get(member) or []
        entries = {entry[key]: entry for entry in (merged.setdefault(section, {}).get(member) or [])}
        for entry in added:
            entries[entry[key]] = {**entries.get(entry[key], {}), **entry}
        merged[section][member] = list(entries.values())
    return dict(merged)


def ipxe_script(core: Core, infra_env: InfraEnv, query: Mapping[str, str]) -> str:
    mac = query.get("mac", "").lower()
    if mac:
        for host in core.state.hosts_in(infra_env.id):
            own = [nic.get("mac_address", "").lower() for nic in (host.inventory or {}).get("interfaces") or []]
            if mac in own and (
                boots_from_disk(host.status, host.progress.stage) or host.status == "added-to-existing-cluster"
            ):
                raise ServiceError(404, f"host with mac {mac} should boot from its disk")
    if query.get("ipxe_script_type") == "boot-order-control" and not mac:
        return boot_order_script(_signed(core, infra_env, _files_url(core, infra_env, "ipxe-script")))
    arguments = [str(argument.get("value", "")) for argument in infra_env.fields.get("kernel_arguments") or []]
    return discovery_ipxe(IpxeUrls(**boot_artifacts(core, infra_env)), arguments)


def _files_url(core: Core, infra_env: InfraEnv, name: str) -> str:
    files = f"/api/assisted-install/v2/infra-envs/{infra_env.id}/downloads/files"
    return f"{core.settings.service_url}{files}?file_name={name}"


def _signed(core: Core, infra_env: InfraEnv, url: str) -> str:
    token = core.sign_infra_env(infra_env.id)
    return f"{url}&api_key={token}" if token else url


def boot_artifacts(core: Core, infra_env: InfraEnv) -> dict[str, str]:
    """kernel, rootfs, initrd of the infra-env.

    Source: openshift/assisted-service internal/controller/controllers/infraenv_controller.go.
    """
    base, query = (
        core.settings.image_service_url,
        f"arch={infra_env.architecture}&version={os_version(core, infra_env)}",
    )
    return {
        "kernel": f"{base}/boot-artifacts/kernel?{query}",
        "rootfs": f"{base}/boot-artifacts/rootfs?{query}",
        "initrd": _signed(core, infra_env, f"{base}/images/{infra_env.id}/pxe-initrd?{query}"),
    }
