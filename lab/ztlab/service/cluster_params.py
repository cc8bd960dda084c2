# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Check the fields of requests that create or change a cluster, as assisted-service does, and set defaults.

All functions are pure; an invalid field raises an error with upstream's message.

Source: openshift/assisted-service internal/bminventory/inventory.go, internal/cluster/validations.
"""

from __future__ import annotations

import base64
import binascii
import ipaddress
import json
import re
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

from . import go
from .errors import bad_request
from .settings import Settings, version_key

NONE_UNMANAGED = "Can't set none platform with user-managed-networking disabled"
NAME = re.compile(r"^([a-z0-9]([-a-z0-9]*[a-z0-9])?)$")
DOMAIN = re.compile(r"^([a-z\d]([\-]*[a-z\d]+)*\.)+[a-z\d]+([\-]*[a-z\d]+)+$")
ONE_LABEL = re.compile(r"^[a-z\d]([-a-z\d]*[a-z\d])?$")
SSH_KEY = re.compile(r"^(ssh-rsa|ssh-ed25519|ssh-dss|ecdsa-sha2-nistp(256|384|521)) [A-Za-z0-9+/]+={0,3}( .*)?$")
PLATFORM_TITLES = {
    "none": "None Platform Integration",
    "nutanix": "Nutanix Platform Integration",
    "external": "External Platform Integration",
}
TAG = re.compile(r"^\w+( \w+)*$")
IPV4_CLUSTER = {"cidr": "10.128.0.0/14", "host_prefix": 23}
IPV6_CLUSTER = {"cidr": "fd01::/48", "host_prefix": 64}
IPV4_SERVICE = {"cidr": "172.30.0.0/16"}
IPV6_SERVICE = {"cidr": "fd02::/112"}
NO_PROXY = (
    "NO Proxy is a comma-separated list of destination domain names, domains, IP addresses or other network CIDRs. A "
    "domain can be prefaced with '.' to "
    "include all subdomains of that domain. Use '*' to bypass proxy for all destinations with OpenShift 4.8 or later."
)
LISTS = ("api_vips", "ingress_vips", "cluster_networks", "service_networks", "machine_networks")
VIP_RULES = "api_vips", "ingress_vips"
# Members that the VIPs are looked at for.
VIPS_MATTER = (*VIP_RULES, "machine_networks", "load_balancer", "vip_dhcp_allocation")
LEGACY = ("cluster_network_cidr", "cluster_network_host_prefix", "service_network_cidr", "machine_network_cidr")


def normalise_lists(params: dict[str, Any]) -> dict[str, Any]:
    """Keep only what a caller may say about list entries; addresses in canonical form."""
    for member in LISTS:
        if params.get(member) is not None:
            params[member] = [_entry(member, entry) for entry in params[member]]
    return params


def _entry(member: str, entry: Mapping[str, Any]) -> dict[str, Any]:
    if member in VIP_RULES:
        return {"ip": str(ipaddress.ip_address(entry["ip"]))} if entry.get("ip") else {"ip": ""}
    kept = {"cidr": _canonical(entry.get("cidr") or "")}
    if member == "cluster_networks" and entry.get("host_prefix"):
        kept["host_prefix"] = entry["host_prefix"]
    return kept


def _canonical(cidr: str) -> str:
    """A network without the bits of a host."""
    try:
        return str(ipaddress.ip_network(cidr, strict=False)) if cidr else ""
    except ValueError as error:
        raise bad_request(f"invalid CIDR address: {cidr}") from error


def check_name(name: str, platform: str) -> None:
    labels = name.split(".") if platform == "none" else [name]
    if len(name) > 54 or not all(NAME.match(label) for label in labels):
        raise bad_request(
            f"Cluster name format is not valid: '{name}'. Name must start and end with either a letter or number and "
            "consist of lower-case letters, "
            "numbers, and hyphens. Subdomains in cluster names are only valid with none platform."
        )


def check_domain(domain: str) -> None:
    if (
        domain
        and not ONE_LABEL.match(domain)
        and (len(domain) > 255 or not DOMAIN.match(domain) or re.fullmatch(r"[\d.]+", domain))
    ):
        raise bad_request(
            f"DNS format mismatch: {domain} domain name is not valid. Must match regex [{DOMAIN.pattern}], be no more "
            "than 255 characters, "
            "and not be in dotted decimal format (##.##.##.##)"
        )


def check_ssh_keys(text: str) -> None:
    for line in filter(None, (line.strip() for line in text.splitlines())):
        if not SSH_KEY.match(line):
            raise bad_request(
                f"SSH key: {line} does not match any supported type: ssh-rsa, ssh-ed25519, ecdsa-[VARIANT]"
            )


def check_proxies(params: Mapping[str, Any]) -> None:
    """Also for the proxy object of an infra-env."""
    for name, title in (("http_proxy", "HTTP Proxy"), ("https_proxy", "HTTPS Proxy")):
        value = params.get(name) or ""
        if value and (urlsplit(value).scheme != "http" or not urlsplit(value).hostname):
            raise bad_request(
                f"Failed to validate {title}: The URL scheme must be http and specified in the URL: '{value}'"
            )
    for item in filter(None, (item.strip() for item in (params.get("no_proxy") or "").split(","))):
        if item != "*" and not _no_proxy_item(item.removeprefix(".")):
            raise bad_request(f"{NO_PROXY}: {item} is not a valid no_proxy entry")


def _no_proxy_item(item: str) -> bool:
    try:
        ipaddress.ip_network(item, strict=False)
    except ValueError:
        return bool(re.match(r"^[A-Za-z0-9]([-A-Za-z0-9.]*[A-Za-z0-9])?(:\d+)?$", item))
    return True


def check_ntp(params: Mapping[str, Any], legacy: str) -> None:
    if params.get(legacy) and params.get("ntp_sources"):
        raise bad_request(f"ntp_sources and {legacy} are mutually exclusive")
    for name in (legacy, "ntp_sources"):
        for item in filter(None, (params.get(name) or "").split(",")):
            if not _no_proxy_item(item.strip()) or "/" in item:
                raise bad_request(f"Invalid NTP source: {item}")


def check_tags(tags: str) -> None:
    if tags and not all(TAG.match(tag.strip()) for tag in tags.split(",")):
        raise bad_request(
            f"Invalid format for Tags: {tags}. Tags should be a comma-separated list (e.g. tag1,tag2,tag3). Each tag "
            "can consist of the following "
            "characters: Alphanumeric (aA-zZ, 0-9), underscore (_) and white-spaces."
        )


def check_ignition_endpoint(endpoint: Mapping[str, Any] | None) -> None:
    if not endpoint:
        return
    url, certificate = endpoint.get("url"), endpoint.get("ca_certificate")
    if url and urlsplit(url).scheme not in ("http", "https"):
        raise bad_request(f"The URL scheme must be http(s) and specified in the URL: '{url}'")
    if certificate:
        try:
            pem = base64.b64decode(certificate, validate=True)
        except binascii.Error as error:
            raise bad_request("failed to decode certificate: illegal base64 data at input byte 0") from error
        if b"-----BEGIN CERTIFICATE-----" not in pem:
            raise bad_request("unable to parse certificate")


def check_disk_encryption(value: Mapping[str, Any] | None) -> None:
    if not value or value.get("mode") != "tang":
        return
    text = value.get("tang_servers") or ""
    if not text:
        raise bad_request("Setting Tang mode but tang_servers isn't set")
    try:
        servers = json.loads(text)
    except ValueError as error:
        raise bad_request(f"Unable to unmarshal tang_servers: {go.json_problem(text)}") from error
    for server in servers if isinstance(servers, list) else []:
        if urlsplit(str(server.get("url") or "")).scheme not in ("http", "https"):
            url = server.get("url") or ""
            raise bad_request(f"Tang URL isn't valid: {url}")
        if not server.get("thumbprint"):
            raise bad_request("Tang thumbprint isn't set")


def check_vips(fields: Mapping[str, Any]) -> None:
    """``fields`` as they would be after the call."""
    api, ingress = ([entry["ip"] for entry in fields.get(name) or [] if entry.get("ip")] for name in VIP_RULES)
    if not api and not ingress:
        return
    kind = "API" if api else "Ingress"
    if fields.get("vip_dhcp_allocation"):
        raise bad_request(f"Setting {kind} VIPs is forbidden when cluster is in vip-dhcp-allocation mode")
    if fields.get("user_managed_networking"):
        raise bad_request(f"{kind} VIPs cannot be set with User Managed Networking")
    problems = [
        f"{name} supports 2 vips. got: {len(found)}"
        for name, found in (("apiVIPs", api), ("ingressVips", ingress))
        if len(found) > 2
    ]
    if len(api) != len(ingress):
        problems.append(
            f"configuration must include the same number of apiVIPs (got {len(api)}) and ingressVIPs (got "
            f"{len(ingress)})"
        )
    if problems:
        raise bad_request(go.joined(problems))
    for name, found in (("apiVIPs", api), ("ingressVIPs", ingress)):
        versions = [ipaddress.ip_address(ip).version for ip in found]
        if len(versions) == 2 and versions[0] == versions[1]:
            other = 6 if versions[0] == 4 else 4
            raise bad_request(f"dual-stack {name} must include exactly one IPv{other} address")
    balancer = (fields.get("load_balancer") or {}).get("type")
    if balancer == "user-managed":
        return
    both = [ip for ip in api if ip in ingress]
    if both:
        raise bad_request(go.joined([f'The IP address "{ip}" appears both in apiVIPs and ingressVIPs' for ip in both]))
    check_home(fields, api, ingress)


def check_home(fields: Mapping[str, Any], api: Sequence[str], ingress: Sequence[str]) -> None:
    """The VIPs lie in the machine networks, where those are said."""
    cidrs = [entry["cidr"] for entry in fields.get("machine_networks") or []]
    if not cidrs:
        return
    for word, found in (("api-vip", api), ("ingress-vip", ingress)):
        for vip in found:
            alike = [
                cidr for cidr in cidrs if ipaddress.ip_network(cidr).version == ipaddress.ip_address(vip).version
            ] or cidrs
            if not any(ipaddress.ip_address(vip) in ipaddress.ip_network(cidr) for cidr in alike):
                raise bad_request(go.joined([f"{word} <{vip}> does not belong to machine-network-cidr <{alike[0]}>"]))


# By the names that the service tells them by, in the order in which it looks at them.
FAMILIES = (
    ("machine_networks", "cidr"),
    ("api_vips", "ip"),
    ("ingress_vips", "ip"),
    ("service_networks", "cidr"),
    ("cluster_networks", "cidr"),
)


def check_family_order(fields: Mapping[str, Any]) -> None:
    """All lists begin with the same family."""
    first: tuple[str, str] | None = None
    for name, member in FAMILIES:
        address = next((str(entry[member]) for entry in fields.get(name) or [] if entry.get(member)), "")
        if not address:
            continue
        first = first or (name, address)
        if (":" in address) != (":" in first[1]):
            raise bad_request(
                f"Inconsistent IP family order: {first[0]} first IP is {first[1]} but {name} first IP is {address}. "
                "All networks must have the same IP family first"
            )


def check_dual_stack(fields: Mapping[str, Any]) -> None:
    """Dual stack starts with IPv4 in service and cluster networks, and needs its machine networks said."""
    versions = [
        ipaddress.ip_network(entry["cidr"], strict=False).version for entry in fields.get("cluster_networks") or []
    ]
    if len(set(versions)) < 2:
        return
    machine = fields.get("machine_networks") or []
    if not machine:
        raise bad_request("Dual-stack cluster cannot be created with empty Machine Networks")
    if len({ipaddress.ip_network(entry["cidr"], strict=False).version for entry in machine}) < 2:
        raise bad_request(f"Expected 2 machine networks, found {len(machine)}")


def check_networks(fields: Mapping[str, Any]) -> None:
    for name in ("cluster_networks", "service_networks", "machine_networks"):
        for entry in fields.get(name) or []:
            if not entry.get("cidr"):
                raise bad_request(f"{name}: cidr is required")


def resolve_control_plane(params: Mapping[str, Any], version: str, settings: Settings) -> int:
    """``control_plane_count`` from the count and the deprecated mode. Raises ServiceError 400 on contradiction."""
    mode, count = params.get("high_availability_mode"), params.get("control_plane_count")
    if count is None:
        return 1 if mode == "None" else 3
    count = int(count)
    if mode == "None" and count != 1:
        raise bad_request("single-node clusters must have a single control plane node")
    if count != 1 or mode == "Full":
        check_full_count(count, version, settings)
    return count


def check_full_count(count: int, version: str, settings: Settings) -> None:
    """How many control plane nodes a highly available cluster may have. Raises ServiceError 400."""
    mode = "dedicated control plane nodes for high availability mode Full in openshift version"
    if version_key(version) < (4, 18):
        if count != 3:
            raise bad_request(f"there should be exactly 3 {mode} older than 4.18")
        return
    two = (
        settings.switch("TNA_CLUSTERS_SUPPORT", True) or settings.switch("TNF_CLUSTERS_SUPPORT", False)
    ) and version_key(version) >= (4, 19)
    least, since = (2, "4.19") if two else (3, "4.18")
    if not least <= count <= 5:
        raise bad_request(f"there should be {least}-5 {mode} {since} or newer")


def resolve_platform(params: Mapping[str, Any], count: int) -> tuple[dict[str, Any], bool]:
    """Platform and user-managed networking, which imply each other. Raises ServiceError 400 on contradiction."""
    provided = params.get("platform")
    managed = params.get("user_managed_networking")
    if count == 1:
        kind = (provided or {}).get("type") or "none"
        if managed is False:
            known = provided is not None and kind == "none"
            raise bad_request(
                NONE_UNMANAGED if known else ("Can't disable user-managed-networking on single node OpenShift")
            )
        if kind in ("baremetal", "vsphere"):
            raise bad_request(f"Can't set {kind} platform on single node OpenShift")
        return _platform(provided, kind), True
    kind = (provided or {}).get("type")
    if kind in ("none", "external"):
        if managed is False and kind == "none":
            raise bad_request(NONE_UNMANAGED)
        return _platform(provided, kind), True
    if managed:
        if kind == "baremetal":
            raise bad_request("Can't set baremetal platform with user-managed-networking enabled")
        return _platform(provided, kind or "none"), True
    return _platform(provided, kind or "baremetal"), False


def _platform(provided: Mapping[str, Any] | None, kind: str) -> dict[str, Any]:
    external = {name: value for name, value in ((provided or {}).get("external") or {}).items() if value is not None}
    if kind == "external" and not external.get("platform_name"):
        raise bad_request("Platform name must be set to a non-empty string when using platform type external")
    return {"type": kind, "external": external}


def create_fields(params: dict[str, Any], settings: Settings) -> dict[str, Any]:
    """The members of a new cluster with all defaults. Raises ServiceError 400."""
    params = normalise_lists(dict(params))
    version, image = _release(params, settings)
    count = resolve_control_plane(params, version, settings)
    platform, managed = resolve_platform(params, count)
    fields: dict[str, Any] = {
        name: value for name, value in params.items() if value is not None and name != "pull_secret"
    }
    fields |= {
        "openshift_version": version,
        "ocp_release_image": image,
        "cpu_architecture": params.get("cpu_architecture") or "x86_64",
        "control_plane_count": count,
        "high_availability_mode": "None" if count == 1 else "Full",
        "platform": platform,
        "user_managed_networking": managed,
        "vip_dhcp_allocation": bool(params.get("vip_dhcp_allocation")),
        "schedulable_masters": bool(params.get("schedulable_masters")),
        "hyperthreading": params.get("hyperthreading") or "all",
        "network_type": params.get("network_type") or "OVNKubernetes",
        "load_balancer": params.get("load_balancer") or {"type": "cluster-managed"},
        "disk_encryption": {"enable_on": "none", "mode": "tpmv2"} | (params.get("disk_encryption") or {}),
    }
    # The old forms of the networks are read and then forgotten; an empty list stays empty.
    for name, default in (("cluster_networks", IPV4_CLUSTER), ("service_networks", IPV4_SERVICE)):
        said = params.get(name)
        fields[name] = [dict(default)] if said is None else said
    check_family_order(fields)
    check_network_type(fields)
    check_fields(fields, params)
    check_dual_stack(fields)
    if fields["vip_dhcp_allocation"] and version_key(version) >= (4, 15):
        raise bad_request(
            f"cannot use VIP Automatic Allocation because it's not compatible with the {fields['cpu_architecture']} "
            "architecture "
            f"on version {version} of OpenShift"
        )
    for name in ("olm_operators", "machine_networks"):
        fields.pop(name, None)
    return fields


def check_network_type(fields: Mapping[str, Any]) -> None:
    version = str(fields.get("openshift_version") or "")
    if fields.get("network_type") == "OpenShiftSDN" and version_key(version) >= (4, 15):
        raise bad_request(f"Openshift version {version} is not supported for OpenShiftSDN NetworkType")


def _release(params: Mapping[str, Any], settings: Settings) -> tuple[str, str]:
    architecture = params.get("cpu_architecture") or "x86_64"
    version = params["openshift_version"]
    wanted = params.get("ocp_release_image")
    if wanted:
        known = next((release for release in settings.releases if release.url == wanted), None)
        if known is None:
            raise bad_request(
                f"failed to get release image by URL {wanted} during cluster registration: error occurred while "
                "trying to retrieve release image "
                f"with url '{wanted}' from the db: record not found"
            )
        return (version if version.count(".") >= 2 else known.version), wanted
    release = settings.resolve_release(version, architecture)
    if release is None:
        raise bad_request(
            f"Openshift version {version} for CPU architecture {architecture} is not supported: no release image "
            f"found for openshiftVersion: '{version}' "
            f"and CPU architecture '{architecture}'"
        )
    return release.version, release.url


def check_fields(fields: Mapping[str, Any], params: Mapping[str, Any]) -> None:
    """Rules that creation and PATCH share; ``params`` are the members said in this call, ``fields`` the outcome."""
    platform = (fields.get("platform") or {}).get("type", "baremetal")
    if params.get("name") is not None:
        check_name(params["name"], platform)
    check_domain(params.get("base_dns_domain") or "")
    check_ssh_keys(params.get("ssh_public_key") or "")
    check_proxies(params)
    check_ntp(params, "additional_ntp_source")
    check_tags(params.get("tags") or "")
    check_ignition_endpoint(params.get("ignition_endpoint"))
    check_disk_encryption(params.get("disk_encryption"))
    check_networks(fields)
    if any(params.get(name) is not None for name in VIPS_MATTER):
        check_vips(fields)
    if (fields.get("load_balancer") or {}).get("type") == "user-managed" and platform not in ("baremetal", "vsphere"):
        raise bad_request(
            f"cannot use {PLATFORM_TITLES.get(platform, platform)} because it's not compatible with User Managed "
            "Load "
            "Balancer"
        )


def update_fields(current: Mapping[str, Any], params: dict[str, Any], settings: Settings) -> dict[str, Any]:
    """The members after a PATCH; absent and null members stay. Raises ServiceError 400."""
    said = normalise_lists(
        {name: value for name, value in params.items() if value is not None and name != "pull_secret"}
    )
    fields = {
        **current,
        **{
            name: value
            for name, value in said.items()
            if name not in ("platform", "olm_operators", "machine_networks", "machine_network_cidr")
        },
    }
    if "control_plane_count" in current or "control_plane_count" in said:
        count = resolve_count_update(current, said, settings)
        fields["control_plane_count"] = count
        fields["high_availability_mode"] = "None" if count == 1 else "Full"
    else:  # a cluster that was made elsewhere
        count = 3
    if said.get("disk_encryption") is not None:
        fields["disk_encryption"] = {**(current.get("disk_encryption") or {}), **said["disk_encryption"]}
    if {"platform", "user_managed_networking", "control_plane_count"} & set(said):
        requested = {"platform": said.get("platform"), "user_managed_networking": said.get("user_managed_networking")}
        if requested["platform"] is None and requested["user_managed_networking"] is None and count != 1:
            requested = {
                "platform": current.get("platform"),
                "user_managed_networking": current.get("user_managed_networking"),
            }
        fields["platform"], fields["user_managed_networking"] = resolve_platform(requested, count)
    for name in LEGACY:
        fields.pop(name, None)
    if said.get("vip_dhcp_allocation") and not any(said.get(name) for name in VIP_RULES):
        # The addresses come from the lease now.
        fields["api_vips"], fields["ingress_vips"] = [], []
    check_network_type(fields)
    check_fields(fields, said)
    return fields


def resolve_count_update(current: Mapping[str, Any], said: Mapping[str, Any], settings: Settings) -> int:
    before = int(current.get("control_plane_count") or 3)
    if said.get("control_plane_count") is None:
        return before
    count = int(said["control_plane_count"])
    if count != 1 or before != 1:
        check_full_count(count, str(current.get("openshift_version") or ""), settings)
    return count
