# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test data: a valid description of a cluster, and single mistakes in its names and types. Each mistake gives exactly
one error, even if the description has other mistakes.

Two mistakes are independent when they touch different fields (``where``).
"""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Callable
from typing import Any

from ansible_collections.zerotouch.openshift.plugins.module_utils.common.problems import (
    DUPLICATE,
    FORBIDDEN,
    INVALID,
    REQUIRED,
    UNKNOWN_FIELD,
    UNSUPPORTED,
)

Cluster = dict[str, Any]
Hosts = list[dict[str, Any]]

_SSH_KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAICqXUWw1S2iEjNvY9UoiagpVsh7ROOIHrWxcu5wAqlrq admin@example.com"

_CLUSTER: Cluster = {
    "name": "demo",
    "base_domain": "example.com",
    "version": "4.22.0",
    "release_image": "quay.io/openshift-release-dev/ocp-release@sha256:" + "0a" * 32,
    "platform": "baremetal",
    "api_vips": ["192.0.2.5"],
    "ingress_vips": ["192.0.2.6"],
    "network_type": "OVNKubernetes",
    "machine_networks": ["192.0.2.0/24"],
    "cluster_networks": [{"cidr": "10.128.0.0/14", "host_prefix": 23}],
    "service_networks": ["172.30.0.0/16"],
    "pull_secret": (
        '{"auths": {"registry.example.com:5000": {"auth": "dXNlcjpnZWhlaW0tMQ=="}, "quay.io": {"auth": '
        '"dXNlcjpnZWhlaW0tMg=="}}}'
    ),
    "ssh_public_keys": [_SSH_KEY],
    "image_digest_sources": [
        {"source": "quay.io/openshift-release-dev/ocp-release", "mirrors": ["registry.example.com:5000/ocp/release"]}
    ],
    "ntp_sources": ["192.0.2.1"],
    "proxy": {"http_proxy": "http://192.0.2.1:3128", "no_proxy": "example.com"},
}


def _host(index: int, role: str) -> dict[str, Any]:
    prefix, octet = ("node", "01") if role == "master" else ("worker", "02")
    name = f"{prefix}-{index}"
    mac = f"52:54:00:00:{octet}:{index:02x}"
    last = (10 if role == "master" else 20) + index
    return {
        "inventory_name": name,
        "role": role,
        "bmc": {
            "address": f"redfish-virtualmedia+https://198.51.100.{last}/redfish/v1/Systems/1",
            "username": "admin",
            "password": "geheim-3",
        },
        "interfaces": [{"name": "eno1", "mac_address": mac}],
        "root_device_hints": {"deviceName": "/dev/vda"},
        "network_config": {
            "interfaces": [
                {
                    "name": "eno1",
                    "type": "ethernet",
                    "state": "up",
                    "mac-address": mac,
                    "ipv4": {
                        "enabled": True,
                        "dhcp": False,
                        "address": [{"ip": f"192.0.2.{last}", "prefix-length": 24}],
                    },
                }
            ],
            "dns-resolver": {"config": {"server": ["192.0.2.1"]}},
            "routes": {
                "config": [{"destination": "0.0.0.0/0", "next-hop-address": "192.0.2.1", "next-hop-interface": "eno1"}]
            },
        },
    }


def good_cluster() -> Cluster:
    """A cluster without a mistake."""
    return copy.deepcopy(_CLUSTER)


def good_hosts() -> Hosts:
    """Its hosts: three of the control plane and two workers."""
    return [*(_host(index, "master") for index in range(1, 4)), *(_host(index, "worker") for index in range(1, 3))]


@dataclasses.dataclass(frozen=True)
class Mistake:
    """One mistake and the one error it gives."""

    name: str
    where: str
    change: Callable[[Cluster, Hosts], Any]
    path: str
    kind: str
    detail: str = ""


def _set(option: str, value: Any) -> Callable[[Cluster, Hosts], Any]:
    return lambda cluster, hosts: cluster.update({option: value})


def _rename(old: str, new: str) -> Callable[[Cluster, Hosts], Any]:
    return lambda cluster, hosts: cluster.update({new: cluster.pop(old)})


def _host_set(index: int, option: str, value: Any) -> Callable[[Cluster, Hosts], Any]:
    return lambda cluster, hosts: hosts[index].update({option: value})


def _in_host(index: int, *keys: Any, value: Any) -> Callable[[Cluster, Hosts], Any]:
    def change(cluster: Cluster, hosts: Hosts) -> None:
        target: Any = hosts[index]
        for key in keys[:-1]:
            target = target[key]
        target[keys[-1]] = value

    return change


MISTAKES = (
    # Names
    Mistake("option that does not exist", "new", _set("colour", "blue"), "openshift_cluster.colour", UNKNOWN_FIELD),
    Mistake(
        "typo in base_domain",
        "base_domain",
        _rename("base_domain", "base_domian"),
        "openshift_cluster.base_domian",
        UNKNOWN_FIELD,
        "base_domain",
    ),
    Mistake(
        "upstream's spelling",
        "api_vips",
        _rename("api_vips", "apiVIPs"),
        "openshift_cluster.apiVIPs",
        UNKNOWN_FIELD,
        "api_vips",
    ),
    Mistake(
        "upstream's old name",
        "ingress_vips",
        _rename("ingress_vips", "ingress_vip"),
        "openshift_cluster.ingress_vip",
        UNKNOWN_FIELD,
        "ingress_vips",
    ),
    Mistake(
        "old name of the mirrors",
        "image_digest_sources",
        _rename("image_digest_sources", "image_content_sources"),
        "openshift_cluster.image_content_sources",
        UNKNOWN_FIELD,
        "image_digest_sources",
    ),
    Mistake(
        "ssh_key",
        "ssh_public_keys",
        _rename("ssh_public_keys", "ssh_key"),
        "openshift_cluster.ssh_key",
        UNKNOWN_FIELD,
        "ssh_public_keys",
    ),
    Mistake(
        "typo inside cluster_networks",
        "cluster_networks",
        _set("cluster_networks", [{"cidr": "10.128.0.0/14", "hostprefix": 23}]),
        "openshift_cluster.cluster_networks[0].hostprefix",
        UNKNOWN_FIELD,
        "host_prefix",
    ),
    Mistake(
        "typo inside proxy",
        "proxy",
        _set("proxy", {"http_prox": "http://192.0.2.1:3128"}),
        "openshift_cluster.proxy.http_prox",
        UNKNOWN_FIELD,
        "http_proxy",
    ),
    Mistake(
        "unknown key in overrides",
        "overrides",
        _set("install_config_overrides", {"networking": {"networkTypo": "OVNKubernetes"}}),
        "openshift_cluster.install_config_overrides.networking.networkTypo",
        UNKNOWN_FIELD,
        "networkType",
    ),
    Mistake(
        "unknown key in platform_options",
        "platform_options",
        _set("platform_options", {"loadBalancers": {"type": "UserManaged"}}),
        "openshift_cluster.platform_options.loadBalancers",
        UNKNOWN_FIELD,
        "loadBalancer",
    ),
    # Types
    Mistake(
        "one VIP instead of a list",
        "api_vips",
        _set("api_vips", "192.0.2.5"),
        "openshift_cluster.api_vips",
        INVALID,
        "list of strings",
    ),
    Mistake(
        "a network instead of a list",
        "machine_networks",
        _set("machine_networks", "192.0.2.0/24"),
        "openshift_cluster.machine_networks",
        INVALID,
    ),
    Mistake("a number as name", "name", _set("name", 42), "openshift_cluster.name", INVALID, "a string"),
    Mistake("version as a number", "version", _set("version", 4.22), "openshift_cluster.version", INVALID, "4.22.0"),
    Mistake("a word for true", "fips", _set("fips", "no"), "openshift_cluster.fips", INVALID, "true or false"),
    Mistake(
        "replicas as text",
        "control_plane",
        _set("control_plane", {"replicas": "3"}),
        "openshift_cluster.control_plane.replicas",
        INVALID,
        "whole number",
    ),
    Mistake(
        "a list as proxy",
        "proxy",
        _set("proxy", ["http://192.0.2.1:3128"]),
        "openshift_cluster.proxy",
        INVALID,
        "mapping",
    ),
    Mistake(
        "a number as pull secret",
        "pull_secret",
        _set("pull_secret", 12345678),
        "openshift_cluster.pull_secret",
        INVALID,
    ),
    Mistake(
        "a mapping among the networks",
        "service_networks",
        _set("service_networks", [{"cidr": "172.30.0.0/16"}]),
        "openshift_cluster.service_networks[0]",
        INVALID,
        "a string",
    ),
    # Release
    Mistake(
        "no version", "version", lambda cluster, hosts: cluster.pop("version"), "openshift_cluster.version", REQUIRED
    ),
    Mistake("older release", "version", _set("version", "4.13.2"), "openshift_cluster.version", UNSUPPORTED, "older"),
    Mistake("newer release", "version", _set("version", "4.99.0"), "openshift_cluster.version", UNSUPPORTED, "newer"),
    Mistake("no full version", "version", _set("version", "4.22"), "openshift_cluster.version", INVALID),
    # Manifests
    Mistake(
        "manifest file that is not there",
        "extra_manifests",
        _set("extra_manifests", ["/nowhere/at/all.yaml"]),
        "openshift_cluster.extra_manifests[0]",
        INVALID,
        "No such file",
    ),
    Mistake(
        "manifest that is not YAML",
        "extra_manifests",
        _set("extra_manifests", [{"name": "a.yaml", "content": "a: [1"}]),
        "openshift_cluster.extra_manifests[0].content",
        "Syntax error",
    ),
    Mistake(
        "manifest with a path as name",
        "extra_manifests",
        _set("extra_manifests", [{"name": "../a.yaml", "content": {"kind": "ConfigMap"}}]),
        "openshift_cluster.extra_manifests[0].name",
        INVALID,
    ),
    Mistake(
        "two manifests of one name",
        "extra_manifests",
        _set("extra_manifests", [{"name": "a.yaml", "content": {"kind": "ConfigMap"}}] * 2),
        "openshift_cluster.extra_manifests[1]",
        DUPLICATE,
    ),
    Mistake(
        "manifest without content",
        "extra_manifests",
        _set("extra_manifests", [{"name": "a.yaml"}]),
        "openshift_cluster.extra_manifests[0]",
        REQUIRED,
    ),
    # Kernel arguments
    Mistake(
        "an empty kernel argument",
        "live_kernel_arguments",
        _set("live_kernel_arguments", [""]),
        "openshift_cluster.live_kernel_arguments[0]",
        INVALID,
        "must not be empty",
    ),
    Mistake(
        "two kernel arguments in one text",
        "live_kernel_arguments",
        _set("live_kernel_arguments", ["quiet nomodeset"]),
        "openshift_cluster.live_kernel_arguments[0]",
        INVALID,
        "white space",
    ),
    Mistake(
        "a control character in a kernel argument",
        "live_kernel_arguments",
        _set("live_kernel_arguments", ["quiet\x00"]),
        "openshift_cluster.live_kernel_arguments[0]",
        INVALID,
        "control characters",
    ),
    Mistake(
        "a kernel argument that GRUB would interpret",
        "live_kernel_arguments",
        _set("live_kernel_arguments", ["a;b"]),
        "openshift_cluster.live_kernel_arguments[0]",
        INVALID,
        "boot loaders",
    ),
    Mistake(
        "a kernel argument that the build sets",
        "live_kernel_arguments",
        _set("live_kernel_arguments", ["fips=1"]),
        "openshift_cluster.live_kernel_arguments[0]",
        FORBIDDEN,
        "is set where the image is built",
    ),
    # Hosts
    Mistake(
        "unknown option of a host", "host 0", _host_set(0, "rack", "b7"), "openshift_host[node-1].rack", UNKNOWN_FIELD
    ),
    Mistake(
        "typo in mac_address",
        "host 1",
        _in_host(1, "interfaces", 0, value={"name": "eno1", "mac_adress": "52:54:00:00:01:02"}),
        "openshift_host[node-2].interfaces[0].mac_adress",
        UNKNOWN_FIELD,
        "mac_address",
    ),
    Mistake(
        "mac for mac_address",
        "host 1",
        _in_host(1, "interfaces", 0, value={"name": "eno1", "mac": "52:54:00:00:01:02"}),
        "openshift_host[node-2].interfaces[0].mac",
        UNKNOWN_FIELD,
        "mac_address",
    ),
    Mistake(
        "one interface instead of a list",
        "host 2",
        _host_set(2, "interfaces", {"name": "eno1", "mac_address": "52:54:00:00:01:03"}),
        "openshift_host[node-3].interfaces",
        INVALID,
        "a list",
    ),
    Mistake(
        "nmstate as text",
        "host 3",
        _host_set(3, "network_config", "interfaces: []"),
        "openshift_host[worker-1].network_config",
        INVALID,
        "mapping",
    ),
    Mistake(
        "unknown root device hint",
        "host 3",
        _host_set(3, "root_device_hints", {"device_name": "/dev/vda"}),
        "openshift_host[worker-1].root_device_hints.device_name",
        UNKNOWN_FIELD,
        "deviceName",
    ),
    Mistake(
        "root device hint of the wrong type",
        "host 4",
        _host_set(4, "root_device_hints", {"rotational": "false"}),
        "openshift_host[worker-2].root_device_hints.rotational",
        INVALID,
        "true or false",
    ),
    Mistake(
        "BMC without an address",
        "host 0 bmc",
        lambda cluster, hosts: hosts[0]["bmc"].pop("address"),
        "openshift_host[node-1].bmc.address",
        REQUIRED,
    ),
    Mistake(
        "upstream's TLS switch",
        "host 1 bmc",
        _in_host(1, "bmc", "disableCertificateVerification", value=True),
        "openshift_host[node-2].bmc.disableCertificateVerification",
        UNKNOWN_FIELD,
        "validate_certs",
    ),
    Mistake(
        "TLS switch as text",
        "host 2 bmc",
        _in_host(2, "bmc", "validate_certs", value="never"),
        "openshift_host[node-3].bmc.validate_certs",
        INVALID,
    ),
    Mistake(
        "boot through libvirt without a connection",
        "host 3 bmc",
        _host_set(3, "boot", {"method": "libvirt"}),
        "openshift_host[worker-1].libvirt",
        REQUIRED,
        "the connection to its hypervisor",
    ),
    Mistake(
        "boot method pxe",
        "host 4 bmc",
        _host_set(4, "boot", {"method": "pxe"}),
        "openshift_host[worker-2].boot.method",
        UNSUPPORTED,
        "supported values: bmc, libvirt, manual",
    ),
    Mistake(
        "boot method that does not exist",
        "host 4 bmc",
        _host_set(4, "boot", {"method": "usb"}),
        "openshift_host[worker-2].boot.method",
        UNSUPPORTED,
    ),
    Mistake(
        "boot through a BMC that is not there",
        "host 4 bmc",
        lambda cluster, hosts: hosts[4].update(bmc=None, boot={"method": "bmc"}),
        "openshift_host[worker-2].bmc",
        REQUIRED,
    ),
    Mistake(
        "host in two role groups",
        "groups",
        lambda cluster, hosts: hosts.append({**copy.deepcopy(hosts[0]), "role": "worker"}),
        "openshift_host[node-1]",
        DUPLICATE,
        "two role groups",
    ),
)
