# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Rules for the members of a cluster at creation and PATCH (reference assisted-rest.md 3.1, 3.2). Pure: dicts in, dicts out."""

from __future__ import annotations

import base64
import binascii
import ipaddress
import json
import re
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

from .errors import bad_request
from .settings import Settings, version_key

NAME = re.compile(r"^([a-z0-9]([-a-z0-9]*[a-z0-9])?)$")
DOMAIN = re.compile(r"^([a-zA-Z0-9]([-a-zA-Z0-9]*[a-zA-Z0-9])?)(\.[a-zA-Z0-9]([-a-zA-Z0-9]*[a-zA-Z0-9])?)+$")
SSH_KEY = re.compile(r"^(ssh-rsa|ssh-ed25519|ssh-dss|ecdsa-sha2-nistp(256|384|521)) [A-Za-z0-9+/]+={0,3}( .*)?$")
TAG = re.compile(r"^\w+( \w+)*$")
IPV4_CLUSTER = {"cidr": "10.128.0.0/14", "host_prefix": 23}
IPV6_CLUSTER = {"cidr": "fd01::/48", "host_prefix": 64}
IPV4_SERVICE = {"cidr": "172.30.0.0/16"}
IPV6_SERVICE = {"cidr": "fd02::/112"}
LISTS = ("api_vips", "ingress_vips", "cluster_networks", "service_networks", "machine_networks")
VIP_RULES = "api_vips", "ingress_vips"


def normalise_lists(params: dict[str, Any]) -> dict[str, Any]:
    """Keep only what a caller may say about list entries; addresses in canonical form."""
    for member in LISTS:
        if params.get(member) is not None:
            params[member] = [_entry(member, entry) for entry in params[member]]
    return params


def _entry(member: str, entry: Mapping[str, Any]) -> dict[str, Any]:
    if member in VIP_RULES:
        return {"ip": str(ipaddress.ip_address(entry["ip"]))} if entry.get("ip") else {"ip": ""}
    kept = {"cidr": entry.get("cidr", "")}
    if member == "cluster_networks" and entry.get("host_prefix"):
        kept["host_prefix"] = entry["host_prefix"]
    return kept


def check_name(name: str, platform: str) -> None:
    labels = name.split(".") if platform == "none" else [name]
    if len(name) > 54 or not all(NAME.match(label) for label in labels):
        raise bad_request(f"Cluster name format is not valid: '{name}'. Lower-case letters, digits and hyphens are allowed, at both ends no hyphen.")


def check_domain(domain: str) -> None:
    if domain and not DOMAIN.match(domain):
        raise bad_request(f"Base domain '{domain}' is not valid: DNS format mismatch: {domain} domain name is not valid")


def check_ssh_keys(text: str) -> None:
    for line in filter(None, (line.strip() for line in text.splitlines())):
        if not SSH_KEY.match(line):
            raise bad_request(f"SSH key: {line.split(' ')[0]} does not match any supported type: ssh-rsa, ssh-ed25519, ecdsa-[VARIANT]")


def check_proxies(params: Mapping[str, Any]) -> None:
    """Also for the proxy object of an infra-env."""
    for name in ("http_proxy", "https_proxy"):
        value = params.get(name) or ""
        if value and urlsplit(value).scheme != "http":
            raise bad_request(f"Proxy URL format is not valid: {name} must have the scheme http, not {value!r}")
        if value and not urlsplit(value).hostname:
            raise bad_request(f"Proxy URL format is not valid: '{value}'")
    for item in filter(None, (item.strip() for item in (params.get("no_proxy") or "").split(","))):
        if item != "*" and not _no_proxy_item(item.removeprefix(".")):
            raise bad_request(f"NO Proxy format is not valid: '{params['no_proxy']}'. A comma-separated list of names, addresses and networks is needed.")


def _no_proxy_item(item: str) -> bool:
    try:
        ipaddress.ip_network(item, strict=False)
    except ValueError:
        return bool(re.match(r"^[A-Za-z0-9]([-A-Za-z0-9.]*[A-Za-z0-9])?(:\d+)?$", item))
    return True


def check_ntp(params: Mapping[str, Any], legacy: str) -> None:
    if params.get(legacy) and params.get("ntp_sources"):
        raise bad_request(f"{legacy} and ntp_sources are mutually exclusive")
    for name in (legacy, "ntp_sources"):
        for item in filter(None, (params.get(name) or "").split(",")):
            if not _no_proxy_item(item.strip()) or "/" in item:
                raise bad_request(f"Invalid NTP source: {item}")


def check_tags(tags: str) -> None:
    if tags and not all(TAG.match(tag.strip()) for tag in tags.split(",")):
        raise bad_request(f"Invalid format for Tags: {tags}. Tags are separated by commas and consist of letters, digits, underscores and single spaces.")


def check_ignition_endpoint(endpoint: Mapping[str, Any] | None) -> None:
    if not endpoint:
        return
    url, certificate = endpoint.get("url"), endpoint.get("ca_certificate")
    if url and urlsplit(url).scheme not in ("http", "https"):
        raise bad_request(f"Invalid Ignition endpoint URL: {url}")
    if certificate:
        try:
            pem = base64.b64decode(certificate, validate=True)
        except binascii.Error as error:
            raise bad_request("Ignition endpoint CA certificate is not base64-encoded") from error
        if b"-----BEGIN CERTIFICATE-----" not in pem:
            raise bad_request("Ignition endpoint CA certificate is not a PEM certificate")


def check_disk_encryption(value: Mapping[str, Any] | None) -> None:
    if not value or value.get("mode") != "tang":
        return
    try:
        servers = json.loads(value.get("tang_servers") or "")
    except ValueError as error:
        raise bad_request("Tang mode is set but tang_servers isn't a valid JSON list") from error
    if not isinstance(servers, list) or not servers or not all(isinstance(item, dict) and item.get("url") and item.get("thumbprint") for item in servers):
        raise bad_request("Tang mode is set but tang_servers isn't set, or a url or thumbprint is missing")


def check_vips(fields: Mapping[str, Any]) -> None:
    """``fields`` as they would be after the call."""
    api, ingress = ([entry["ip"] for entry in fields.get(name) or [] if entry.get("ip")] for name in VIP_RULES)
    if not api and not ingress:
        return
    if fields.get("vip_dhcp_allocation"):
        raise bad_request("Setting API VIPs or Ingress VIPs is forbidden when cluster is in vip-dhcp-allocation mode")
    if fields.get("user_managed_networking"):
        raise bad_request("API VIP cannot be set with User Managed Networking" if api else "Ingress VIP cannot be set with User Managed Networking")
    for name, found in (("apiVIPs", api), ("ingressVIPs", ingress)):
        if len(found) > 2:
            raise bad_request(f"{name} supplied for a cluster should have at most 2 entries")
        if len({ipaddress.ip_address(ip).version for ip in found}) != len(found):
            raise bad_request(f"{name}: the first and the second address must be of different families")
    if len(api) != len(ingress):
        raise bad_request(f"configuration must include the same number of apiVIPs (got {len(api)}) and ingressVIPs (got {len(ingress)})")
    balancer = (fields.get("load_balancer") or {}).get("type")
    if set(api) & set(ingress) and balancer != "user-managed":
        raise bad_request(f'The IP address "{(set(api) & set(ingress)).pop()}" appears multiple times in API VIPs and Ingress VIPs')


def check_dual_stack(fields: Mapping[str, Any]) -> None:
    """Dual stack starts with IPv4 in service and cluster networks, and needs its machine networks said."""
    versions = [ipaddress.ip_network(entry["cidr"], strict=False).version for entry in fields.get("cluster_networks") or []]
    if len(set(versions)) < 2:
        return
    machine = fields.get("machine_networks") or []
    if not machine:
        raise bad_request("Dual-stack cluster cannot be created with empty Machine Networks")
    if len({ipaddress.ip_network(entry["cidr"], strict=False).version for entry in machine}) < 2:
        raise bad_request("Expected 2 machine networks of different families for a dual-stack cluster")


def check_networks(fields: Mapping[str, Any]) -> None:
    for name in ("cluster_networks", "service_networks", "machine_networks"):
        for entry in fields.get(name) or []:
            if not entry.get("cidr"):
                raise bad_request(f"{name}: cidr is required")
    for entry in fields.get("cluster_networks") or []:
        network = ipaddress.ip_network(entry["cidr"], strict=False)
        prefix = entry.get("host_prefix") or (23 if network.version == 4 else 64)
        if prefix < network.prefixlen:
            raise bad_request(
                f"Cluster network CIDR prefix {network.prefixlen} does not contain enough addresses for {prefix} hosts each one with {prefix} prefix"
            )


def resolve_control_plane(params: Mapping[str, Any], version: str, settings: Settings) -> int:
    """``control_plane_count`` from the count and the deprecated mode. Raises ServiceError 400 on contradiction."""
    mode, count = params.get("high_availability_mode"), params.get("control_plane_count")
    if count is None:
        return 1 if mode == "None" else 3
    count = int(count)
    if mode == "None" and count != 1:
        raise bad_request(f"Single-node clusters must have a single control plane node, control_plane_count is {count}")
    if mode == "Full" and count == 1:
        raise bad_request("high_availability_mode 'Full' does not go with control_plane_count 1")
    two = (settings.switch("TNA_CLUSTERS_SUPPORT", False) or settings.switch("TNF_CLUSTERS_SUPPORT", False)) and version_key(version) >= (4, 19)
    most = 5 if version_key(version) >= (4, 18) else 3
    if count == 1 or 3 <= count <= most or (count == 2 and two):
        return count
    raise bad_request(f"OpenShift {version} needs {'3' if most == 3 else '3, 4 or 5'} dedicated control plane nodes, control_plane_count is {count}")


def resolve_platform(params: Mapping[str, Any], count: int) -> tuple[dict[str, Any], bool]:
    """Platform and user-managed networking, which imply each other. Raises ServiceError 400 on contradiction."""
    given = params.get("platform")
    managed = params.get("user_managed_networking")
    if count == 1:
        if managed is False:
            raise bad_request("Can't disable user-managed-networking on single node OpenShift")
        kind = (given or {}).get("type") or "none"
        if kind in ("baremetal", "vsphere"):
            raise bad_request(f"Single node cluster is not supported alongside {kind} platform")
        return _platform(given, kind), True
    kind = (given or {}).get("type")
    if kind in ("none", "external"):
        if managed is False and kind == "none":
            raise bad_request("Can't disable user-managed-networking on platform none")
        return _platform(given, kind), True
    if managed:
        if kind == "baremetal":
            raise bad_request("Can't set baremetal platform with user-managed-networking enabled")
        return _platform(given, kind or "none"), True
    return _platform(given, kind or "baremetal"), False


def _platform(given: Mapping[str, Any] | None, kind: str) -> dict[str, Any]:
    external = {name: value for name, value in ((given or {}).get("external") or {}).items() if value is not None}
    if kind == "external" and not external.get("platform_name"):
        raise bad_request("Platform name must be set for external platform")
    return {"type": kind, "external": external}


def with_prefixes(entries: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Cluster networks with their default host prefix filled in."""
    return [{**entry, "host_prefix": entry.get("host_prefix") or (64 if ":" in entry["cidr"] else 23)} for entry in entries]


def create_fields(params: dict[str, Any], settings: Settings) -> dict[str, Any]:
    """The members of a new cluster with all defaults. Raises ServiceError 400."""
    params = normalise_lists(dict(params))
    version, image = _release(params, settings)
    count = resolve_control_plane(params, version, settings)
    platform, managed = resolve_platform(params, count)
    fields: dict[str, Any] = {name: value for name, value in params.items() if value is not None and name != "pull_secret"}
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
    fields["cluster_networks"] = with_prefixes(params.get("cluster_networks") or _legacy_cluster_network(params))
    fields["service_networks"] = params.get("service_networks") or [{"cidr": params.get("service_network_cidr") or IPV4_SERVICE["cidr"]}]
    fields["cluster_network_cidr"] = fields["cluster_networks"][0]["cidr"]
    fields["cluster_network_host_prefix"] = fields["cluster_networks"][0]["host_prefix"]
    fields["service_network_cidr"] = fields["service_networks"][0]["cidr"]
    check_fields(fields, params)
    check_dual_stack(fields)
    for name in ("olm_operators", "machine_networks"):
        fields.pop(name, None)
    return fields


def _legacy_cluster_network(params: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [{"cidr": params.get("cluster_network_cidr") or IPV4_CLUSTER["cidr"], "host_prefix": params.get("cluster_network_host_prefix") or 0}]


def _release(params: Mapping[str, Any], settings: Settings) -> tuple[str, str]:
    architecture = params.get("cpu_architecture") or "x86_64"
    version = params["openshift_version"]
    wanted = params.get("ocp_release_image")
    if wanted:
        known = next((release for release in settings.releases if release.url == wanted), None)
        if known is None:
            raise bad_request(f"Failed to get release image for {wanted}: unknown release image")
        return (version if version.count(".") >= 2 else known.version), wanted
    release = settings.resolve_release(version, architecture)
    if release is None:
        raise bad_request(f"Openshift version {version} for CPU architecture {architecture} is not supported: no release image of that version is known")
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
    check_vips(fields)
    if (fields.get("load_balancer") or {}).get("type") == "user-managed" and platform not in ("baremetal", "vsphere"):
        raise bad_request(f"User-managed load balancer is not supported for platform {platform}")


def update_fields(current: Mapping[str, Any], params: dict[str, Any]) -> dict[str, Any]:
    """The members after a PATCH; absent and null members stay. Raises ServiceError 400."""
    said = normalise_lists({name: value for name, value in params.items() if value is not None and name != "pull_secret"})
    fields = {
        **current,
        **{name: value for name, value in said.items() if name not in ("platform", "olm_operators", "machine_networks", "machine_network_cidr")},
    }
    count = resolve_count_update(current, said)
    fields["control_plane_count"] = count
    fields["high_availability_mode"] = "None" if count == 1 else "Full"
    if {"platform", "user_managed_networking", "control_plane_count"} & set(said):
        wish = {"platform": said.get("platform"), "user_managed_networking": said.get("user_managed_networking")}
        if wish["platform"] is None and wish["user_managed_networking"] is None and count != 1:
            wish = {"platform": current.get("platform"), "user_managed_networking": current.get("user_managed_networking")}
        fields["platform"], fields["user_managed_networking"] = resolve_platform(wish, count)
    _update_legacy_networks(fields, said)
    check_fields(fields, said)
    return fields


def resolve_count_update(current: Mapping[str, Any], said: Mapping[str, Any]) -> int:
    count = int(said.get("control_plane_count") or current.get("control_plane_count") or 3)
    if not 1 <= count <= 5:
        raise bad_request(f"control_plane_count {count} is not supported")
    return count


def _update_legacy_networks(fields: dict[str, Any], said: Mapping[str, Any]) -> None:
    if "cluster_networks" in said:
        fields["cluster_networks"] = with_prefixes(said["cluster_networks"])
    elif "cluster_network_cidr" in said or "cluster_network_host_prefix" in said:
        fields["cluster_networks"] = with_prefixes(
            [{"cidr": fields.get("cluster_network_cidr") or IPV4_CLUSTER["cidr"], "host_prefix": fields.get("cluster_network_host_prefix")}]
        )
    if "service_networks" not in said and "service_network_cidr" in said:
        fields["service_networks"] = [{"cidr": said["service_network_cidr"]}]
    for legacy, member in (("cluster_network_cidr", "cluster_networks"), ("service_network_cidr", "service_networks")):
        if fields.get(member):
            fields[legacy] = fields[member][0]["cidr"]
    if fields.get("cluster_networks"):
        fields["cluster_network_host_prefix"] = fields["cluster_networks"][0]["host_prefix"]
