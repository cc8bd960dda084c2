# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Return static data of the assisted-service: versions, operators, support levels, defaults.

Source: openshift/assisted-service internal/versions, internal/featuresupport, internal/operators.
"""

from __future__ import annotations

from typing import Any

from .core import Core
from .errors import ServiceError, bad_request
from .router import Call, Reply
from .schema import read_query_flag, read_query_text
from .settings import ARCHITECTURE_ALIASES, ReleaseImage, Settings, version_key
from .validations_host import FORBIDDEN_HOSTNAMES
from .validations_operators import OPERATORS

SUPPORTED_OPERATORS = tuple(sorted(name for name, _title in OPERATORS.values()))
BUNDLES = {
    "virtualization": (
        "Virtualization",
        ["cnv", "mtv", "node-healthcheck", "nmstate", "self-node-remediation", "fence-agents-remediation"],
    ),
    "openshift-ai": ("OpenShift AI", ["openshift-ai", "odf", "serverless", "servicemesh", "authorino", "pipelines"]),
}
FEATURES = {
    "SNO": "supported",
    "TNA": "supported",
    "TNF": "supported",
    "VIP_AUTO_ALLOC": "unavailable",
    "CUSTOM_MANIFEST": "supported",
    "SINGLE_NODE_EXPANSION": "supported",
    "LVM": "supported",
    "ODF": "supported",
    "LSO": "supported",
    "CNV": "supported",
    "MCE": "supported",
    "MTV": "supported",
    "MINIMAL_ISO": "supported",
    "FULL_ISO": "supported",
    "DUAL_STACK": "supported",
    "DUAL_STACK_VIPS": "supported",
    "USER_MANAGED_NETWORKING": "supported",
    "CLUSTER_MANAGED_NETWORKING": "supported",
    "NONE_PLATFORM": "supported",
    "BAREMETAL_PLATFORM": "supported",
    "VSPHERE_INTEGRATION": "supported",
    "NUTANIX_INTEGRATION": "supported",
    "EXTERNAL_PLATFORM": "supported",
    "OVN_NETWORK_TYPE": "supported",
    "SDN_NETWORK_TYPE": "unavailable",
    "NON_STANDARD_HA_CONTROL_PLANE": "supported",
    "USER_MANAGED_LOAD_BALANCER": "supported",
    "CALICO_NETWORK_TYPE": "supported",
    "CILIUM_NETWORK_TYPE": "supported",
    "CISCO_ACI_NETWORK_TYPE": "supported",
    "NONE_NETWORK_TYPE": "supported",
    "DUAL_STACK_PRIMARY_IPV6": "tech-preview",
    "EXTERNAL_PLATFORM_OCI": "supported",
    "CLUSTER_OBSERVABILITY": "supported",
    "FENCE_AGENTS_REMEDIATION": "supported",
    "KUBE_DESCHEDULER": "supported",
    "LOKI": "supported",
    "METALLB": "supported",
    "NMSTATE": "supported",
    "NODE_HEALTHCHECK": "supported",
    "NODE_MAINTENANCE": "supported",
    "NUMA_RESOURCES": "supported",
    "OADP": "supported",
    "OPENSHIFT_LOGGING": "supported",
    "OSC": "supported",
    "SELF_NODE_REMEDIATION": "tech-preview",
    "AMD_GPU": "dev-preview",
    "AUTHORINO": "dev-preview",
    "KMM": "dev-preview",
    "NODE_FEATURE_DISCOVERY": "dev-preview",
    "NVIDIA_GPU": "dev-preview",
    "OPENSHIFT_AI": "dev-preview",
    "PIPELINES": "dev-preview",
    "SERVERLESS": "dev-preview",
    "SERVICEMESH": "dev-preview",
}
ARCHITECTURES = (
    "X86_64_ARCHITECTURE",
    "ARM64_ARCHITECTURE",
    "PPC64LE_ARCHITECTURE",
    "S390X_ARCHITECTURE",
    "MULTIARCH_RELEASE_IMAGE",
)


def component_versions(core: Core, call: Call) -> Reply:
    settings = core.settings
    versions = {
        "assisted-installer": settings.installer_image,
        "assisted-installer-controller": settings.controller_image,
        "assisted-installer-service": settings.service_image,
        "discovery-agent": settings.agent_image or "quay.io/edge-infrastructure/assisted-installer-agent:latest",
    }
    return Reply(
        200,
        {
            "versions": versions,
            **({"release_tag": settings.env["RELEASE_TAG"]} if settings.env.get("RELEASE_TAG") else {}),
        },
    )


def _has_os_image(settings: Settings, release: ReleaseImage) -> bool:
    minor = ".".join(release.version.split(".")[:2])
    return any(".".join(str(image["openshift_version"]).split(".")[:2]) == minor for image in settings.os_images)


def openshift_versions(core: Core, call: Call) -> Reply:
    """Only versions that also have an OS image."""
    releases = [release for release in core.settings.releases if _has_os_image(core.settings, release)]
    pattern = call.query.get("version", "")
    if pattern:
        releases = [release for release in releases if release.version.startswith(pattern)]
    if read_query_flag(call.query, "only_latest"):
        newest: dict[str, ReleaseImage] = {}
        for release in sorted(releases, key=lambda item: version_key(item.version)):
            newest[release.openshift_version] = release
        releases = list(newest.values())
    found: dict[str, dict[str, Any]] = {}
    for release in releases:
        entry = found.setdefault(
            release.version,
            {"display_name": release.version, "support_level": release.support_level, "cpu_architectures": []},
        )
        entry["cpu_architectures"] = sorted({*entry["cpu_architectures"], *release.architectures})
        if release.default:
            entry["default"] = True
    return Reply(200, found)


def newest_os_version(settings: Settings, architecture: str) -> str:
    names = {architecture, ARCHITECTURE_ALIASES.get(architecture, architecture)}
    fitting = [
        str(image["openshift_version"]) for image in settings.os_images if image.get("cpu_architecture") in names
    ]
    if not fitting:
        shown = "arm64" if architecture == "aarch64" else architecture
        raise bad_request(f"Failed to get latest OS image for architecture {shown}: No OS images are available")
    return max(fitting, key=version_key)


def os_image(settings: Settings, version: str, architecture: str) -> str:
    """The version of the OS image that a version leads to: its own, or the newest of its minor one.

    Raises ServiceError 400.
    """
    names = {architecture, ARCHITECTURE_ALIASES.get(architecture, architecture)}
    listed = [str(image["openshift_version"]) for image in settings.os_images if image.get("cpu_architecture") in names]
    minor = ".".join(version.split(".")[:2])
    fitting = [item for item in listed if item == version] or [
        item for item in listed if ".".join(item.split(".")[:2]) == minor
    ]
    if not fitting:
        raise bad_request(
            f"No OS image for Openshift version {version} and architecture {architecture}: The requested OS image for "
            f"version ({version}) and CPU "
            f"architecture ({architecture}) isn't specified in OS images list"
        )
    return max(fitting, key=version_key)


def release_sources(core: Core, call: Call) -> Reply:
    return Reply(200, [])


def domains(core: Core, call: Call) -> Reply:
    return Reply(200, [])


def supported_operators(core: Core, call: Call) -> Reply:
    return Reply(200, list(SUPPORTED_OPERATORS))


def operator_properties(core: Core, call: Call) -> Reply:
    if call.path["operator_name"] not in SUPPORTED_OPERATORS:
        raise ServiceError(404, f"Operator {call.path['operator_name']} not found")
    return Reply(200, [])


def _bundle(name: str) -> dict[str, Any]:
    title, operators = BUNDLES[name]
    return {"id": name, "title": title, "description": title, "operators": operators}


def bundles(core: Core, call: Call) -> Reply:
    return Reply(200, [_bundle(name) for name in BUNDLES])


def bundle(core: Core, call: Call) -> Reply:
    if call.path["id"] not in BUNDLES:
        raise ServiceError(500, f"bundle '{call.path['id']}' is not supported")
    return Reply(200, _bundle(call.path["id"]))


def _version_of(call: Call) -> tuple[int, ...]:
    read_query_text(call.query, "cpu_architecture", ("x86_64", "aarch64", "arm64", "ppc64le", "s390x", "multi"))
    return version_key(read_query_text(call.query, "openshift_version", required=True))


def _levels(call: Call) -> dict[str, str]:
    known = _version_of(call)
    levels = dict(FEATURES)
    if known < (4, 19):
        levels["TNA"] = "unavailable"
    if known < (4, 20):
        levels["TNF"] = "unavailable"
    if known < (4, 18):
        levels["NON_STANDARD_HA_CONTROL_PLANE"] = "unavailable"
    if known < (4, 15):
        levels["SDN_NETWORK_TYPE"] = "supported"
    return levels


def features(core: Core, call: Call) -> Reply:
    return Reply(200, {"features": _levels(call)})


def features_detailed(core: Core, call: Call) -> Reply:
    levels = _levels(call)
    operators = {name.upper(): name for name in ("lso", "odf", "cnv", "lvm", "mce", "mtv")}
    plain = [
        {"feature-support-level-id": name, "support_level": level, "incompatibilities": []}
        for name, level in levels.items()
        if name not in operators
    ]
    own = [
        {
            "feature-support-level-id": name,
            "support_level": levels[name],
            "incompatibilities": [],
            "name": operator,
            "dependencies": [],
        }
        for name, operator in operators.items()
        if name in levels
    ]
    return Reply(200, {"features": plain, "operators": own})


def architectures(core: Core, call: Call) -> Reply:
    _version_of(call)
    return Reply(
        200, {"architectures": dict.fromkeys(ARCHITECTURES, "supported") | {"MULTIARCH_RELEASE_IMAGE": "tech-preview"}}
    )


def default_config(core: Core, call: Call) -> Reply:
    ipv4 = [{"cidr": "10.128.0.0/14", "host_prefix": 23}]
    return Reply(
        200,
        {
            "cluster_network_cidr": "10.128.0.0/14",
            "cluster_network_host_prefix": 23,
            "service_network_cidr": "172.30.0.0/16",
            "cluster_networks_ipv4": ipv4,
            "cluster_networks_dualstack": [*ipv4, {"cidr": "fd01::/48", "host_prefix": 64}],
            "service_networks_ipv4": [{"cidr": "172.30.0.0/16"}],
            "service_networks_dualstack": [{"cidr": "172.30.0.0/16"}, {"cidr": "fd02::/112"}],
            "ntp_source": core.settings.env.get("NTP_DEFAULT_SERVER", ""),
            "inactive_deletion_hours": 480,
            "forbidden_hostnames": list(FORBIDDEN_HOSTNAMES),
        },
    )
