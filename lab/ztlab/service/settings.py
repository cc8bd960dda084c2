# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Read the configuration of the assisted-service from its environment variables: on the rendezvous host, from the env
files in the ISO.
"""

from __future__ import annotations

import base64
import dataclasses
import functools
import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

DEFAULT_AGENT_IMAGE = ""
HUB_RELEASES = ("4.19.20", "4.20.33", "4.21.9", "4.22.0", "5.0.0")
# As openshift/assisted-service data/default_release_images.json: 5.0 is listed, and not the default.
HUB_DEFAULT = "4.22.0"
ARCHITECTURE_ALIASES = {"arm64": "aarch64", "aarch64": "arm64", "amd64": "x86_64"}
STAGE_MINUTES = {
    "Starting installation": 30,
    "Installing": 60,
    "Writing image to disk": 30,
    "Copying registry data to disk": 90,
    "Waiting for control plane": 60,
    "Waiting for bootkube": 60,
    "Waiting for controller": 60,
    "Rebooting": 40,
    "Configuring": 60,
    "Joined": 60,
    "Waiting for ignition": 1440,
}
SINGLE_NODE_REBOOT_MINUTES = 80
DURATION = re.compile(r"(\d+(?:\.\d+)?)(ms|h|m|s)")
DURATION_UNITS = {"h": 3600.0, "m": 60.0, "s": 1.0, "ms": 0.001}


def seconds(text: str, default: float) -> float:
    """A duration as Go writes it (``1h30m``, ``8s``) in seconds; ``default`` for the empty text. Raises ValueError."""
    if not text:
        return default
    parts = DURATION.findall(text)
    if "".join(number + unit for number, unit in parts) != text:
        raise ValueError(f"not a duration: {text!r}")
    return sum(float(number) * DURATION_UNITS[unit] for number, unit in parts)


def flag(text: str, default: bool) -> bool:
    return default if text == "" else text.strip().lower() in ("1", "t", "true")


@functools.lru_cache(maxsize=256)
def version_key(version: str) -> tuple[int, ...]:
    """Numbers of a version for comparison: ``4.22.0-rc.1`` -> (4, 22, 0)."""
    return tuple(int(part) for part in re.findall(r"\d+", version.split("-")[0])[:3])


@dataclasses.dataclass(frozen=True)
class ReleaseImage:
    """One entry of ``RELEASE_IMAGES``."""

    version: str
    openshift_version: str
    url: str
    architectures: tuple[str, ...]
    support_level: str = "production"
    default: bool = False

    def runs_on(self, architecture: str) -> bool:
        return architecture == "multi" or bool(
            {architecture, ARCHITECTURE_ALIASES.get(architecture, architecture)} & set(self.architectures)
        )


@dataclasses.dataclass(frozen=True)
class Requirement:
    """What a role asks of a host; sizes in the units of the upstream file.

    Source: openshift/assisted-service data/default_hw_requirements.json.
    """

    cpu_cores: int
    ram_mib: int
    disk_size_gb: int
    installation_disk_speed_threshold_ms: int = 10
    network_latency_threshold_ms: float | None = None
    packet_loss_percentage: float | None = None

    def details(self) -> dict[str, Any]:
        return {name: value for name, value in dataclasses.asdict(self).items() if value is not None}


@functools.lru_cache(maxsize=64)
def default_requirements(version: str) -> dict[str, Requirement]:
    return {
        "master": Requirement(4, 16384, 100, 10, 100, 0),
        "arbiter": Requirement(2, 8192, 50, 10, 1000, 0),
        "worker": Requirement(2, 8192, 100, 10, 1000, 10),
        "sno": Requirement(4 if version_key(version) >= (4, 22) else 8, 16384, 100),
    }


@dataclasses.dataclass(frozen=True)
class Settings:
    """The environment, parsed. Durations in (lab) seconds."""

    env: Mapping[str, str]
    auth_type: str
    public_key_pem: bytes
    infra_env_id: str
    bootstrap_host_mac: str
    releases: tuple[ReleaseImage, ...]
    os_images: tuple[Mapping[str, Any], ...]
    agent_image: str
    installer_image: str
    controller_image: str
    service_image: str
    public_registries: frozenset[str]
    disabled_steps: frozenset[str]
    host_monitor_interval: float
    cluster_monitor_interval: float
    disconnected_after: float
    prepare_cluster_timeout: float
    prepare_host_timeout: float
    soft_timeouts: bool
    agent_installer: bool
    private_key_pem: bytes = b""
    kube_api: bool = False

    @property
    def image_service_url(self) -> str:
        return self.env.get("IMAGE_SERVICE_BASE_URL", "http://localhost:8888").rstrip("/")

    @property
    def service_url(self) -> str:
        return self.env.get("SERVICE_BASE_URL", "http://localhost:8090").rstrip("/")

    def switch(self, name: str, default: bool) -> bool:
        return flag(self.env.get(name, ""), default)

    def stage_timeout(self, stage: str, single_node: bool) -> float | None:
        """How long a host may stay in an installation stage."""
        if stage not in STAGE_MINUTES:
            return None
        minutes = SINGLE_NODE_REBOOT_MINUTES if single_node and stage == "Rebooting" else STAGE_MINUTES[stage]
        return seconds(self.env.get(f"HOST_STAGE_{stage.upper().replace(' ', '_')}_TIMEOUT", ""), minutes * 60)

    def requirement(self, role: str, version: str, single_node: bool) -> Requirement:
        """The requirement of a role; the single node has its own."""
        listed = _listed_requirements(self.env.get("HW_VALIDATOR_REQUIREMENTS", ""), version)
        name = "sno" if single_node else {"bootstrap": "master", "auto-assign": "worker"}.get(role, role)
        return listed.get(name) or default_requirements(version)[name]

    def resolve_release(self, version: str, architecture: str) -> ReleaseImage | None:
        """``4.20`` gives the newest known 4.20 release, ``4.20.33`` exactly that one."""
        fitting = [release for release in self.releases if release.runs_on(architecture)]
        exact = [release for release in fitting if release.version == version]
        if exact:
            return exact[0]
        minor = [
            release
            for release in fitting
            if version.count(".") == 1
            and (release.openshift_version == version or release.version.startswith(version + "."))
        ]
        return max(minor, key=lambda release: version_key(release.version), default=None)


@functools.lru_cache(maxsize=64)
def _listed_requirements(text: str, version: str) -> dict[str, Requirement]:
    # The unit configure-assisted-hw-requirements replaces a placeholder at boot; an unreplaced one is not JSON.
    if not text.strip().startswith("["):
        return {}
    entries = json.loads(text)
    minor = ".".join(version.split(".")[:2])
    chosen = next((entry for entry in entries if entry.get("version") in (version, minor)), None)
    chosen = chosen or next((entry for entry in entries if entry.get("version") == "default"), {})
    names = [field.name for field in dataclasses.fields(Requirement)]
    return {
        role: Requirement(**{name: value[name] for name in names if name in value})
        for role, value in chosen.items()
        if isinstance(value, dict)
    }


def _releases(text: str) -> tuple[ReleaseImage, ...]:
    if not text.strip():
        return tuple(
            ReleaseImage(
                version,
                ".".join(version.split(".")[:2]),
                f"quay.io/openshift-release-dev/ocp-release:{version}-x86_64",
                ("x86_64",),
                default=version == HUB_DEFAULT,
            )
            for version in HUB_RELEASES
        )
    return tuple(
        ReleaseImage(
            version=entry["version"],
            openshift_version=entry["openshift_version"],
            url=entry["url"],
            architectures=tuple(entry.get("cpu_architectures") or [entry.get("cpu_architecture", "x86_64")]),
            support_level=entry.get("support_level") or "production",
            default=bool(entry.get("default")),
        )
        for entry in json.loads(text)
    )


def _os_images(text: str, releases: Sequence[ReleaseImage]) -> tuple[Mapping[str, Any], ...]:
    if text.strip():
        return tuple(json.loads(text))
    return tuple(
        {
            "openshift_version": release.openshift_version,
            "cpu_architecture": architecture,
            "url": "http://localhost/rhcos.iso",
            "version": release.version,
        }
        for release in releases
        for architecture in release.architectures
    )


def _public_key(env: Mapping[str, str], auth_type: str) -> bytes:
    text = env.get("EC_PUBLIC_KEY_PEM", "")
    return base64.b64decode(text) if auth_type == "agent-installer-local" else text.encode()


def read_settings(env: Mapping[str, str]) -> Settings:
    """Parse the environment.

    Raises ValueError (also for JSON that is none) naming what the service would not start with.
    """
    auth_type = env.get("AUTH_TYPE", "none")
    if auth_type not in ("none", "local", "agent-installer-local"):
        raise ValueError(f"AUTH_TYPE {auth_type!r} is not supported by the lab")
    releases = _releases(env.get("RELEASE_IMAGES", ""))
    checks = max(
        seconds(env.get("DISK_CHECK_TIMEOUT", ""), 480), seconds(env.get("IMAGE_AVAILABILITY_TIMEOUT", ""), 960)
    )
    return Settings(
        env=dict(env),
        auth_type=auth_type,
        public_key_pem=_public_key(env, auth_type),
        infra_env_id=env.get("INFRA_ENV_ID", ""),
        bootstrap_host_mac=env.get("BOOTSTRAP_HOST_MAC", ""),
        releases=releases,
        os_images=_os_images(env.get("OS_IMAGES", ""), releases),
        agent_image=env.get("AGENT_DOCKER_IMAGE", DEFAULT_AGENT_IMAGE),
        installer_image=env.get("INSTALLER_IMAGE", "quay.io/edge-infrastructure/assisted-installer:latest"),
        controller_image=env.get(
            "CONTROLLER_IMAGE", "quay.io/edge-infrastructure/assisted-installer-controller:latest"
        ),
        service_image=env.get("SERVICE_IMAGE", "quay.io/edge-infrastructure/assisted-service:latest"),
        public_registries=frozenset(
            name for name in env.get("PUBLIC_CONTAINER_REGISTRIES", "quay.io").split(",") if name
        ),
        disabled_steps=frozenset(name for name in env.get("DISABLED_STEPS", "").split(",") if name),
        host_monitor_interval=seconds(env.get("HOST_MONITOR_INTERVAL", ""), 8),
        cluster_monitor_interval=seconds(env.get("CLUSTER_MONITOR_INTERVAL", ""), 10),
        disconnected_after=seconds(env.get("HOST_MAX_DISCONNECTION_TIME", ""), 180),
        prepare_cluster_timeout=max(seconds(env.get("PREPARE_FOR_INSTALLATION_TIMEOUT", ""), 600), checks + 120),
        prepare_host_timeout=max(seconds(env.get("PREPARE_FOR_INSTALLATION_HOST_TIMEOUT", ""), 480), checks + 60),
        soft_timeouts=flag(env.get("ENABLE_SOFT_TIMEOUTS", ""), False),
        agent_installer=env.get("INSTALL_INVOKER", "") == "agent-installer",
        private_key_pem=env.get("EC_PRIVATE_KEY_PEM", "").encode(),
        kube_api=flag(env.get("ENABLE_KUBE_API", ""), False),
    )
