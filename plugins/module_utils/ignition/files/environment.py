# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Render the environment files that the systemd units and scripts of the live system read.

Source: openshift/installer pkg/asset/agent/image/ignition.go, data/data/agent/files; docs/upstream/releases.md.
"""

from __future__ import annotations

import dataclasses
import ipaddress
import json
import re
from collections.abc import Mapping

from ...cluster.profile import ReleaseProfile, profile_of
from ...cluster.spec import Cluster, Deployment
from ...common.architectures import RPM_ARCHITECTURES
from ...manifests.mirrors import PullSpec, public_registries, release_mirror
from ...manifests.objects import no_proxy
from ..document import PRIVATE, IgnitionFile
from ..secrets import BuildSecrets

RENDEZVOUS_HOST_ENV = "/etc/assisted/rendezvous-host.env"
ASSISTED_SERVICE_ENV = "/usr/local/share/assisted-service/assisted-service.env"
ASSISTED_DB_ENV = "/usr/local/share/assisted-service/assisted-db.env"
IMAGES_ENV = "/usr/local/share/assisted-service/images.env"
AGENT_IMAGES_ENV = "/usr/local/share/assisted-service/agent-images.env"
START_CLUSTER_ENV = "/usr/local/share/start-cluster/start-cluster.env"
DEFAULT_ENVIRONMENT = "/etc/systemd/system.conf.d/10-default-env.conf"
AGENT_INSTALLER_ENV = "/etc/assisted/agent-installer.env"
ADD_NODES_ENV = "/etc/assisted/add-nodes.env"
INSTALL = "install"
ADD_NODES = "addnodes"

SERVICE_PORT = 8090
IMAGE_SERVICE_PORT = 8888
UI_PORT = 3001
TO_BE_REPLACED = "TO_BE_REPLACED_BY_SYSTEMD"

_VERSION = re.compile(r"^\d+\.\d+")
_MULTI = "multi"


@dataclasses.dataclass(frozen=True)
class OsImage:
    """The CoreOS live image that hosts boot: the entry of OS_IMAGES.

    ``version`` is the CoreOS release, ``cpu_architecture`` rpm's name.
    """

    openshift_version: str
    cpu_architecture: str
    url: str
    version: str


def environment_files(
    deployment: Deployment, secrets: BuildSecrets, os_image: OsImage, workflow: str = INSTALL
) -> list[IgnitionFile]:
    """The env files of every workflow; ``workflow`` is :data:`INSTALL` or :data:`ADD_NODES`."""
    cluster = deployment.cluster
    profile = profile_of(cluster.version)
    return [
        _file(
            RENDEZVOUS_HOST_ENV, _rendezvous_host(deployment, secrets, profile, workflow), profile.rendezvous_env_mode
        ),
        _file(AGENT_INSTALLER_ENV, _lines({"RELEASE_IMAGE": cluster.release_image})),
        _file(ASSISTED_SERVICE_ENV, _assisted_service(cluster, secrets, profile)),
        _file(
            ASSISTED_DB_ENV,
            _lines({"POSTGRESQL_DATABASE": "installer", "POSTGRESQL_PASSWORD": "admin", "POSTGRESQL_USER": "admin"}),
        ),
        _file(IMAGES_ENV, _images(os_image)),
        _file(START_CLUSTER_ENV, _start_cluster(cluster, profile)),
        _file(DEFAULT_ENVIRONMENT, _default_environment(deployment)),
    ]


def _file(path: str, text: str, mode: int = PRIVATE) -> IgnitionFile:
    return IgnitionFile(path, mode, text.encode())


def _lines(values: Mapping[str, str]) -> str:
    return "".join(f"{name}={value}\n" for name, value in values.items())


def _compact(data: object) -> str:
    return json.dumps(data, separators=(",", ":"))


def service_url(address: str, port: int = SERVICE_PORT) -> str:
    """``http://address:port/``, IPv6 in brackets."""
    host = f"[{address}]" if _is_ipv6(address) else address
    return f"http://{host}:{port}/"


def _is_ipv6(address: str) -> bool:
    try:
        return ipaddress.ip_address(address).version == 6
    except ValueError:
        return False


def _rendezvous_host(deployment: Deployment, secrets: BuildSecrets, profile: ReleaseProfile, workflow: str) -> str:
    address = deployment.rendezvous_ip
    values = {
        # Compared as text with the addresses of the host, so without brackets.
        "NODE_ZERO_IP": address,
        "SERVICE_BASE_URL": service_url(address),
        "IMAGE_SERVICE_BASE_URL": service_url(address, IMAGE_SERVICE_PORT),
    }
    if profile.local_auth:
        # The agent takes its token under this name.
        values |= {"PULL_SECRET_TOKEN": secrets.agent_token, "USER_AUTH_TOKEN": secrets.user_token}
    if profile.add_nodes:
        values["WORKFLOW_TYPE"] = workflow
    if not profile.interactive_sentinel:
        return _lines(values)
    # A template makes this file from 4.21 on; the line is what is left of its head.
    return "#\n" + _lines(
        {**values, "AIUI_APP_API_URL": service_url(address), "AIUI_URL": service_url(address, UI_PORT)}
    )


def _assisted_service(cluster: Cluster, secrets: BuildSecrets, profile: ReleaseProfile) -> str:
    supports = {"TNA_CLUSTERS_SUPPORT": profile.arbiter, "TNF_CLUSTERS_SUPPORT": profile.two_node_fencing}
    tokens = {
        "EC_PUBLIC_KEY_PEM": secrets.public_key,
        "USER_AUTH_TOKEN": secrets.user_token,
        "WATCHER_AUTH_TOKEN": secrets.watcher_token,
    }
    return _lines(
        {
            "AUTH_TYPE": "agent-installer-local" if profile.local_auth else "none",
            "DB_HOST": "127.0.0.1",
            "DB_NAME": "installer",
            "DB_PASS": "admin",
            "DB_PORT": "5432",
            "DB_USER": "admin",
            "DEPLOY_TARGET": "onprem",
            "DISK_ENCRYPTION_SUPPORT": "true",
            "DUMMY_IGNITION": "false",
            "ENABLE_SINGLE_NODE_DNSMASQ": "true",
            "EPHEMERAL_INSTALLER_CLUSTER_TLS_CERTS_OVERRIDE_DIR": "/opt/agent/tls",
            "HW_VALIDATOR_REQUIREMENTS": TO_BE_REPLACED
            if profile.requirements_at_boot
            else hardware_requirements(profile),
            "INSTALL_INVOKER": "agent-installer",
            "IPV6_SUPPORT": "true",
            **{name: "true" for name, supported in supports.items() if supported},
            **({"LOG_LEVEL": "debug"} if profile.debug_log else {}),
            "NTP_DEFAULT_SERVER": "",
            "PUBLIC_CONTAINER_REGISTRIES": public_registries(cluster.image_digest_sources),
            "RELEASE_IMAGES": release_images(cluster),
            "OPENSHIFT_INSTALL_RELEASE_IMAGE_MIRROR": release_mirror(
                cluster.release_image, cluster.image_digest_sources
            ),
            "STORAGE": "filesystem",
            "INFRA_ENV_ID": secrets.infra_env_id,
            **(tokens if profile.local_auth else {}),
            **({"HOST_STAGE_WAITING_FOR_CONTROL_PLANE_TIMEOUT": "90m"} if profile.long_control_plane_wait else {}),
        }
    )


def hardware_requirements(profile: ReleaseProfile, control_plane_disk_gb: int = 100) -> str:
    """HW_VALIDATOR_REQUIREMENTS: what the service asks of a host of each role.

    Source: openshift/installer pkg/asset/agent/image/ignition.go, data/data/agent/files; memory in MiB, disk in GB,
      times in ms, loss in %.
    """

    def role(cpus: int, memory: int, disk: int, latency: int | None = None, loss: int | None = None) -> dict[str, int]:
        values = {
            "cpu_cores": cpus,
            "ram_mib": memory,
            "disk_size_gb": disk,
            "installation_disk_speed_threshold_ms": 10,
            "network_latency_threshold_ms": latency,
            "packet_loss_percentage": loss,
        }
        return {name: value for name, value in values.items() if value is not None}

    arbiter = {"arbiter": role(2, 8192, 50, 1000, 0)} if profile.arbiter else {}
    return _compact(
        [
            {
                "version": "default",
                "master": role(4, 16384, control_plane_disk_gb, 100, 0),
                **arbiter,
                "worker": role(2, 8192, 100, 1000, 10),
                "sno": role(profile.single_node_cpus, 16384, control_plane_disk_gb),
            }
        ]
    )


def release_images(cluster: Cluster) -> str:
    """RELEASE_IMAGES: the one release that this image installs; of a pinned one the tag says what it is, a release for
    several architectures too.
    """
    tag = PullSpec.parse(cluster.release_tag or cluster.release_image).tag
    version, architecture = _split_tag(tag)
    if version:
        openshift_version = ".".join(version.split(".")[:2])
    else:
        version = openshift_version = cluster.version
    return _compact(
        [
            {
                "openshift_version": openshift_version,
                "cpu_architecture": architecture or cluster.architecture,
                "cpu_architectures": [RPM_ARCHITECTURES[name] for name in ("arm64", "amd64", "ppc64le", "s390x")]
                if architecture == _MULTI
                else [architecture or cluster.architecture],
                "url": cluster.release_image,
                "version": version,
            }
        ]
    )


def _split_tag(tag: str) -> tuple[str, str]:
    """``4.22.0-x86_64`` -> version and architecture; both empty for a tag that names no version."""
    if not _VERSION.match(tag):
        return "", ""
    for architecture in (*RPM_ARCHITECTURES.values(), _MULTI):
        if tag.endswith(f"-{architecture}"):
            return tag.removesuffix(f"-{architecture}"), architecture
    return tag, ""


def _images(os_image: OsImage) -> str:
    return _lines(
        {
            "ASSISTED_SERVICE_HOST": f"localhost:{SERVICE_PORT}",
            "ASSISTED_SERVICE_SCHEME": "http",
            "OS_IMAGES": _compact([dataclasses.asdict(os_image)]),
        }
    )


def _start_cluster(cluster: Cluster, profile: ReleaseProfile) -> str:
    replicas = cluster.replicas
    roles = ("master", "arbiter", "worker") if profile.arbiter else ("master", "worker")
    return _lines({f"REQUIRED_{role.upper()}_NODES": str(replicas[role]) for role in roles})


def _default_environment(deployment: Deployment) -> str:
    """The proxy as every service's environment; an empty file without one."""
    proxy = deployment.cluster.proxy
    values = {
        # systemd expands % in unit files.
        "HTTP_PROXY": proxy.http_proxy.replace("%", "%%"),
        "HTTPS_PROXY": proxy.https_proxy.replace("%", "%%"),
        "NO_PROXY": no_proxy(deployment),
    }
    lines = [f'DefaultEnvironment={name}="{value}"\n' for name, value in values.items() if value]
    return "".join(["[Manager]\n", *lines]) if lines else ""
