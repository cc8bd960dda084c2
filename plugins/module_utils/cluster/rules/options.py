# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Proxy, publishing, credentials mode, capabilities, feature sets and the rest of install-config.yaml (reference agent-based-installer.md 1.1, 3.2)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import urlsplit

from ...common.problems import FORBIDDEN, IGNORED, INVALID, REQUIRED, UNSUPPORTED, Problem
from .checks import INSTALL_CONFIG, install_config, own, supported
from .facts import Facts, parse_cidr, parse_ip
from .names import subdomain_error
from .networks import join_subnet

_PUBLISH = ("External", "Internal", "Mixed")
_FEATURE_SETS = ("", "CustomNoUpgrade", "DevPreviewNoUpgrade", "TechPreviewNoUpgrade")
_OS_STREAMS = ("rhel-9", "rhel-10")
_CPU_PARTITIONING = ("None", "AllNodes")
# Go's strconv.ParseBool.
_BOOLEANS = ("1", "t", "T", "TRUE", "true", "True", "0", "f", "F", "FALSE", "false", "False")
# What each set added to the one before it (openshift/api, ClusterVersion).
_CAPABILITY_SETS: dict[str, tuple[str, ...]] = {
    "v4.11": ("baremetal", "marketplace", "openshift-samples", "MachineAPI"),
    "v4.12": ("Console", "Insights", "Storage", "CSISnapshot"),
    "v4.13": ("NodeTuning",),
    "v4.14": ("Build", "DeploymentConfig", "ImageRegistry"),
    "v4.15": ("OperatorLifecycleManager", "CloudCredential"),
    "v4.16": ("CloudControllerManager", "Ingress"),
    "v4.17": (),
    "v4.18": ("OperatorLifecycleManagerV1",),
}
CAPABILITIES = tuple(sorted(name for names in _CAPABILITY_SETS.values() for name in names))
CAPABILITY_SETS = ("None", *_CAPABILITY_SETS, "vCurrent")


def proxy(facts: Facts) -> Iterator[Problem]:
    """Proxy URLs may hold a password, so they are never shown."""
    given = facts.cluster.proxy
    if given.no_proxy and not given.http_proxy and not given.https_proxy:
        yield install_config("proxy", REQUIRED, "must include httpProxy or httpsProxy")
    for name, url, schemes in (("httpProxy", given.http_proxy, ("http",)), ("httpsProxy", given.https_proxy, ("http", "https"))):
        if url:
            yield from _proxy_url(facts, f"proxy.{name}", url, schemes)
    if given.no_proxy and given.no_proxy != "*":
        yield from _no_proxy(given.no_proxy)


def _proxy_url(facts: Facts, path: str, url: str, schemes: tuple[str, ...]) -> Iterator[Problem]:
    try:
        parts = urlsplit(url)
        host = parts.hostname or ""
    except ValueError:
        parts, host = urlsplit(""), ""
    if not parts.scheme or not host:
        yield install_config(path, INVALID, "is not a URL")
        return
    if parts.scheme not in schemes:
        yield install_config(path, UNSUPPORTED, supported(schemes), value=parts.scheme)
    ip = parse_ip(host)
    if ip is None:
        return
    networking = facts.cluster.networking
    lists = (("cluster", [entry.cidr for entry in networking.cluster_networks]), ("service", list(networking.service_networks)))
    for name, cidrs in lists:
        if any(ip in parsed[1] for cidr in cidrs if (parsed := parse_cidr(cidr))):
            yield install_config(path, INVALID, f"proxy value is part of the {name} networks")
    subnet = parse_cidr(join_subnet(facts))
    if subnet and ip in subnet[1]:
        yield install_config(path, INVALID, "proxy value is part of the ovn-kubernetes IPv4 InternalJoinSubnet")


def _no_proxy(text: str) -> Iterator[Problem]:
    if " " in text:
        yield install_config("proxy.noProxy", INVALID, "noProxy must not have spaces", value=text)
    for index, element in enumerate(text.split(",")):
        name = element.strip()
        if subdomain_error(name.removeprefix(".").removesuffix(".")) and parse_ip(name) is None and parse_cidr(name) is None:
            detail = f'each element of noProxy must be a IP, CIDR or domain without wildcard characters, which is violated by element {index} "{name}"'
            yield install_config("proxy.noProxy", INVALID, detail, value=text)


def publish(facts: Facts) -> Iterator[Problem]:
    extra, platform = facts.cluster.install_config_extra, facts.cluster.platform
    strategy = extra.get("publish", "External")
    if strategy not in _PUBLISH:
        yield install_config("publish", UNSUPPORTED, supported(_PUBLISH), value=strategy)
    elif strategy == "Internal":
        yield install_config("publish", INVALID, f'Internal publish strategy is not supported on "{platform}" platform', value=strategy)
    elif strategy == "Mixed":
        yield install_config("publish", INVALID, f'mixed publish strategy is not supported on "{platform}" platform', value=strategy)
    if strategy != "Mixed" and extra.get("operatorPublishingStrategy"):
        detail = "operator publishing strategy is only allowed with mixed publishing strategy installs"
        yield install_config("operatorPublishingStrategy", INVALID, detail, value=strategy)


def credentials_mode(facts: Facts) -> Iterator[Problem]:
    mode, platform = facts.cluster.install_config_extra.get("credentialsMode", ""), facts.cluster.platform
    if not mode or not platform:
        return
    if platform != "nutanix":
        yield install_config("credentialsMode", INVALID, f'cannot be set when using the "{platform}" platform', value=mode)
    elif mode != "Manual":
        yield install_config("credentialsMode", UNSUPPORTED, supported(("Manual",)), value=mode)


def capabilities(facts: Facts) -> Iterator[Problem]:
    given = facts.cluster.capabilities
    if not given:
        return
    baseline = given.get("baselineCapabilitySet", "")
    added = [name for name in given.get("additionalEnabledCapabilities") or [] if isinstance(name, str)]
    if baseline not in CAPABILITY_SETS:
        yield install_config("capabilities.baselineCapabilitySet", UNSUPPORTED, supported(CAPABILITY_SETS), value=baseline)
    for index, name in enumerate(added):
        if name not in CAPABILITIES:
            yield install_config(f"capabilities.additionalEnabledCapabilities[{index}]", UNSUPPORTED, supported(CAPABILITIES), value=name)
    # Without a known set nothing can be said about what is enabled.
    if baseline in CAPABILITY_SETS:
        yield from _needed_capabilities(facts, baseline, {*_of_set(baseline), *added})


def _of_set(baseline: str) -> list[str]:
    if baseline == "None":
        return []
    names = list(_CAPABILITY_SETS)
    last = len(names) if baseline == "vCurrent" else names.index(baseline) + 1
    return [capability for name in names[:last] for capability in _CAPABILITY_SETS[name]]


def _needed_capabilities(facts: Facts, baseline: str, enabled: set[str]) -> Iterator[Problem]:
    platform = facts.cluster.platform
    if "marketplace" in enabled and "OperatorLifecycleManager" not in enabled:
        yield install_config("additionalEnabledCapabilities", INVALID, "the marketplace capability requires the OperatorLifecycleManager capability")
    if baseline == "None" and platform == "baremetal" and "baremetal" not in enabled:
        yield install_config("additionalEnabledCapabilities", INVALID, "platform baremetal requires the baremetal capability")
    if "CloudCredential" not in enabled and platform not in ("none", "baremetal", ""):
        yield install_config("capabilities", INVALID, "disabling CloudCredential capability available only for baremetal platforms")
    if "CloudControllerManager" not in enabled:
        if platform not in ("none", "baremetal", "external", ""):
            detail = "disabling CloudControllerManager is only supported on the Baremetal, None, or External platform with cloudControllerManager value none"
            yield install_config("capabilities", INVALID, detail)
        if platform == "external" and facts.cluster.platform_options.get("cloudControllerManager") == "External":
            detail = "disabling CloudControllerManager on External platform supported only with cloudControllerManager value none"
            yield install_config("capabilities", INVALID, detail)
    if "Ingress" not in enabled:
        yield install_config("capabilities", INVALID, "the Ingress capability is required")


def feature_set(facts: Facts) -> Iterator[Problem]:
    cluster = facts.cluster
    if cluster.feature_set not in _FEATURE_SETS:
        yield install_config("featureSet", UNSUPPORTED, supported(_FEATURE_SETS), value=cluster.feature_set)
    if cluster.feature_gates and cluster.feature_set != "CustomNoUpgrade":
        yield install_config("featureGates", FORBIDDEN, "featureGates can only be used with the CustomNoUpgrade feature set")
    for index, gate in enumerate(cluster.feature_gates):
        parts = gate.split("=")
        if len(parts) != 2:
            yield install_config(f"featureGates[{index}]", INVALID, "must match the format <feature-name>=<bool>", value=gate)
        elif parts[1] not in _BOOLEANS:
            yield install_config(f"featureGates[{index}]", INVALID, "must match the format <feature-name>=<bool>, could not parse boolean value", value=gate)


def further_values(facts: Facts) -> Iterator[Problem]:
    """Enumerations without a rule of their own."""
    mode = facts.cluster.cpu_partitioning_mode
    if mode and mode not in _CPU_PARTITIONING:
        yield install_config("cpuPartitioningMode", UNSUPPORTED, supported(_CPU_PARTITIONING), value=mode)
    stream = facts.cluster.install_config_extra.get("osImageStream")
    if stream and stream not in _OS_STREAMS:
        yield install_config("osImageStream", UNSUPPORTED, supported(_OS_STREAMS), value=stream)
    elif stream == "rhel-10" and facts.cluster.feature_set == "":
        detail = (
            "this field is protected by the OSStreams feature gate which must be enabled through either the TechPreviewNoUpgrade or CustomNoUpgrade feature set"
        )
        yield install_config("osImageStream", FORBIDDEN, detail)


def bootstrap_in_place(facts: Facts) -> Iterator[Problem]:
    """Reference 3.2 and 3.11: a single node on baremetal is refused; elsewhere the disk is ignored."""
    given = facts.cluster.install_config_extra.get("bootstrapInPlace")
    if not isinstance(given, Mapping):
        return
    if facts.cluster.platform == "baremetal" and facts.cluster.control_plane.replicas == 1:
        yield install_config("bootstrapInPlace", INVALID, "Single Node OpenShift is not supported on the baremetal platform")
    elif given.get("installationDisk"):
        detail = "bootstrapInPlace.installationDisk is ignored; use rootDeviceHints"
        yield own("ignored-field", "bootstrapInPlace.installationDisk", IGNORED, detail, value=given["installationDisk"], file=INSTALL_CONFIG)


_IGNORED: dict[str, tuple[str, ...]] = {
    "baremetal": ("externalBridge", "provisioningBridge", "defaultMachinePlatform"),
    "vsphere": ("clusterOSImage", "defaultMachinePlatform", "diskType", "loadBalancer", "hosts"),
    "nutanix": ("clusterOSImage", "preloadedOSImageName", "defaultMachinePlatform", "loadBalancer", "prismAPICallTimeout", "failureDomains"),
}


def ignored_platform_fields(facts: Facts) -> Iterator[Problem]:
    """Fields that the agent installer ignores, with a warning (reference 3.11)."""
    options: Mapping[str, Any] = facts.cluster.platform_options
    for name in _IGNORED.get(facts.cluster.platform, ()):
        if options.get(name):
            yield own("ignored-field", f"platform.{facts.cluster.platform}.{name}", IGNORED, f"{name} is ignored", file=INSTALL_CONFIG)
