# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""The env files of the live system (reference agent-based-installer.md 5, 12)."""

from __future__ import annotations

import dataclasses
import ipaddress
import json
import re

from ...cluster.spec import RPM_ARCHITECTURES, Cluster, Deployment
from ...manifests.mirrors import PullSpec, public_registries, release_mirror
from ...manifests.objects import no_proxy
from ..document import PRIVATE, PUBLIC, IgnitionFile
from ..secrets import BuildSecrets

RENDEZVOUS_HOST_ENV = "/etc/assisted/rendezvous-host.env"
ASSISTED_SERVICE_ENV = "/usr/local/share/assisted-service/assisted-service.env"
ASSISTED_DB_ENV = "/usr/local/share/assisted-service/assisted-db.env"
IMAGES_ENV = "/usr/local/share/assisted-service/images.env"
AGENT_IMAGES_ENV = "/usr/local/share/assisted-service/agent-images.env"
START_CLUSTER_ENV = "/usr/local/share/start-cluster/start-cluster.env"
DEFAULT_ENVIRONMENT = "/etc/systemd/system.conf.d/10-default-env.conf"

SERVICE_PORT = 8090
IMAGE_SERVICE_PORT = 8888
UI_PORT = 3001
TO_BE_REPLACED = "TO_BE_REPLACED_BY_SYSTEMD"

_VERSION = re.compile(r"^\d+\.\d+")
_MULTI = "multi"
# The release from which rendezvous-host.env is private and single nodes need 4 instead of 8 CPUs (reference 12, "main 2026").
_MAIN_2026 = (4, 22)
# The last release whose service env file holds the hardware requirements literally.
_LITERAL_REQUIREMENTS = (4, 20)


@dataclasses.dataclass(frozen=True)
class OsImage:
    """The CoreOS live image that hosts boot: the entry of OS_IMAGES. ``version`` is the CoreOS release, ``cpu_architecture`` rpm's name."""

    openshift_version: str
    cpu_architecture: str
    url: str
    version: str


def release_of(version: str) -> tuple[int, int]:
    """(4, 22) of 4.22.0-rc.1; (0, 0) for a text that is no version."""
    match = re.match(r"^(\d+)\.(\d+)", version)
    return (int(match[1]), int(match[2])) if match else (0, 0)


def writes_requirements_at_boot(version: str) -> bool:
    """Whether a script fills the hardware requirements in at boot; older releases have them in the env file."""
    return release_of(version) > _LITERAL_REQUIREMENTS


def environment_files(deployment: Deployment, secrets: BuildSecrets, os_image: OsImage) -> list[IgnitionFile]:
    cluster = deployment.cluster
    rendezvous_mode = PRIVATE if release_of(cluster.version) >= _MAIN_2026 else PUBLIC
    return [
        _file(RENDEZVOUS_HOST_ENV, _rendezvous_host(deployment, secrets), rendezvous_mode),
        _file(ASSISTED_SERVICE_ENV, _assisted_service(cluster, secrets)),
        _file(ASSISTED_DB_ENV, _lines({"POSTGRESQL_DATABASE": "installer", "POSTGRESQL_PASSWORD": "admin", "POSTGRESQL_USER": "admin"})),
        _file(IMAGES_ENV, _images(os_image)),
        _file(START_CLUSTER_ENV, _start_cluster(cluster)),
        _file(DEFAULT_ENVIRONMENT, _default_environment(deployment)),
    ]


def _file(path: str, text: str, mode: int = PRIVATE) -> IgnitionFile:
    return IgnitionFile(path, mode, text.encode())


def _lines(values: dict[str, str]) -> str:
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


def _rendezvous_host(deployment: Deployment, secrets: BuildSecrets) -> str:
    address = deployment.rendezvous_ip
    values = {
        # Compared as text with the addresses of the host, so without brackets.
        "NODE_ZERO_IP": address,
        "SERVICE_BASE_URL": service_url(address),
        "IMAGE_SERVICE_BASE_URL": service_url(address, IMAGE_SERVICE_PORT),
        "PULL_SECRET_TOKEN": secrets.agent_token,
        "USER_AUTH_TOKEN": secrets.user_token,
        "WORKFLOW_TYPE": "install",
        "AIUI_APP_API_URL": service_url(address),
        "AIUI_URL": service_url(address, UI_PORT),
    }
    return "#\n" + _lines(values)


def _assisted_service(cluster: Cluster, secrets: BuildSecrets) -> str:
    requirements = TO_BE_REPLACED if writes_requirements_at_boot(cluster.version) else hardware_requirements(cluster.version)
    return _lines(
        {
            "AUTH_TYPE": "agent-installer-local",
            "DB_HOST": "127.0.0.1",
            "DB_PORT": "5432",
            "DB_NAME": "installer",
            "DB_USER": "admin",
            "DB_PASS": "admin",
            "DEPLOY_TARGET": "onprem",
            "STORAGE": "filesystem",
            "DISK_ENCRYPTION_SUPPORT": "true",
            "DUMMY_IGNITION": "false",
            "ENABLE_SINGLE_NODE_DNSMASQ": "true",
            "EPHEMERAL_INSTALLER_CLUSTER_TLS_CERTS_OVERRIDE_DIR": "/opt/agent/tls",
            "HW_VALIDATOR_REQUIREMENTS": requirements,
            "INSTALL_INVOKER": "agent-installer",
            "IPV6_SUPPORT": "true",
            "TNA_CLUSTERS_SUPPORT": "true",
            "TNF_CLUSTERS_SUPPORT": "true",
            "LOG_LEVEL": "debug",
            "NTP_DEFAULT_SERVER": "",
            "PUBLIC_CONTAINER_REGISTRIES": public_registries(cluster.image_digest_sources),
            "RELEASE_IMAGES": release_images(cluster),
            "OPENSHIFT_INSTALL_RELEASE_IMAGE_MIRROR": release_mirror(cluster.release_image, cluster.image_digest_sources),
            "INFRA_ENV_ID": secrets.infra_env_id,
            "EC_PUBLIC_KEY_PEM": secrets.public_key,
            "USER_AUTH_TOKEN": secrets.user_token,
            "WATCHER_AUTH_TOKEN": secrets.watcher_token,
            "HOST_STAGE_WAITING_FOR_CONTROL_PLANE_TIMEOUT": "90m",
        }
    )


def hardware_requirements(version: str, control_plane_disk_gb: int = 100) -> str:
    """HW_VALIDATOR_REQUIREMENTS: what the service asks of a host of each role (reference 5; memory in MiB, disk in GB, times in ms, loss in %)."""

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

    single_node_cpus = 4 if release_of(version) >= _MAIN_2026 else 8
    return _compact(
        [
            {
                "version": "default",
                "master": role(4, 16384, control_plane_disk_gb, 100, 0),
                "arbiter": role(2, 8192, 50, 1000, 0),
                "worker": role(2, 8192, 100, 1000, 10),
                "sno": role(single_node_cpus, 16384, control_plane_disk_gb),
            }
        ]
    )


def release_images(cluster: Cluster) -> str:
    """RELEASE_IMAGES: the one release that this image installs."""
    tag = PullSpec.parse(cluster.release_image).tag
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


def _start_cluster(cluster: Cluster) -> str:
    replicas = cluster.replicas
    return _lines({f"REQUIRED_{role.upper()}_NODES": str(replicas[role]) for role in ("master", "arbiter", "worker")})


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
