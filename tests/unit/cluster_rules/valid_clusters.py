# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Hypothesis strategies that generate clusters without a mistake, for every platform, topology and address family."""

from __future__ import annotations

import dataclasses
import functools
import ipaddress
from typing import Any

from ansible_collections.zerotouch.openshift.plugins.module_utils.cluster.spec import (
    Bmc,
    Cluster,
    ClusterNetwork,
    Deployment,
    ExtraManifest,
    Host,
    ImageDigestSource,
    Interface,
    Networking,
    Pool,
    Proxy,
    Role,
)
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec
from hypothesis import strategies as st

from .base import SSH_KEY, certificate

PLATFORMS = ("baremetal", "vsphere", "nutanix", "none", "external")
TOPOLOGIES = ("single", "compact", "arbiter", "fencing", "workers")
STACKS = ("v4", "v6", "v4v6", "v6v4")
MACHINES = {4: "192.168.111.0/24", 6: "fd2e:6f44:5dd8::/64"}
_SERVICES = {4: "172.30.0.0/16", 6: "fd02::/112"}
_PODS = {4: ClusterNetwork("10.128.0.0/14", 23), 6: ClusterNetwork("fd01::/48", 64)}
_FAMILIES = {"v4": (4,), "v6": (6,), "v4v6": (4, 6), "v6v4": (6, 4)}
_MIRROR = "registry.example.com:5000"
_RELEASE = "quay.io/openshift-release-dev/ocp-release"
_VCENTER = {"server": "vc.example.com", "user": "u", "password": "p", "datacenters": ["dc"]}
_DOMAIN = {
    "name": "fd",
    "region": "r",
    "zone": "z",
    "server": "vc.example.com",
    "topology": {
        "datacenter": "dc",
        "computeCluster": "/dc/host/c",
        "networks": ["n"],
        "datastore": "/dc/datastore/d",
        "folder": "/dc/vm/f",
    },
}
_PRISM = {
    "prismCentral": {"endpoint": {"address": "pc.example.com", "port": 9440}, "username": "u", "password": "p"},
    "prismElements": [
        {"uuid": "0005b0f1-8f43-a0f2-02b7-3cecef193712", "endpoint": {"address": "pe.example.com", "port": 9440}}
    ],
    "subnetUUIDs": ["b06179c8-dea3-4f8e-818a-b2e88fbc2201"],
}
_HINTS = (
    {},
    {"deviceName": "/dev/sda"},
    {"deviceName": "/dev/disk/by-path/pci-0000:00:1f.2-ata-1"},
    {"serialNumber": "S1", "minSizeGigabytes": 120},
    {"deviceName": "/dev/nvme0n1", "rotational": False},
    {"wwn": "0x5000c500a0b1c2d3"},
)
_OPTIONS: dict[str, dict[str, tuple[dict[str, Any], ...]]] = {
    "baremetal": {
        "options": (
            {},
            {"provisioningNetwork": "Disabled"},
            {"dnsRecordsType": "Internal"},
            {"loadBalancer": {"type": "OpenShiftManagedDefault"}},
        )
    },
    "vsphere": {"options": ({}, {"vcenters": [_VCENTER], "failureDomains": [_DOMAIN]})},
    "nutanix": {"options": (_PRISM,)},
    "none": {"options": ({},)},
    "external": {"options": ({"platformName": "kvm"}, {"platformName": "oci", "cloudControllerManager": "External"})},
}


@functools.cache
def ecdsa_key() -> str:
    """An SSH public key that FIPS allows."""
    return (
        ec.generate_private_key(ec.SECP256R1())
        .public_key()
        .public_bytes(serialization.Encoding.OpenSSH, serialization.PublicFormat.OpenSSH)
        .decode()
    )


def _topologies(platform: str) -> list[str]:
    """Which shapes a platform can have.

    Source: openshift/installer pkg/types/validation/installconfig.go, pkg/asset/agent/installconfig.go.
    """
    impossible = {
        "baremetal": ("single",),
        "vsphere": ("single", "arbiter", "fencing"),
        "nutanix": ("single", "arbiter", "fencing"),
    }
    return [topology for topology in TOPOLOGIES if topology not in impossible.get(platform, ())]


def _numbers(draw: st.DrawFn, topology: str) -> tuple[int, int, int]:
    """Control plane, arbiters, workers."""
    if topology == "workers":
        return draw(st.sampled_from((3, 4, 5))), 0, draw(st.integers(1, 3))
    return {"single": (1, 0, 0), "compact": (3, 0, 0), "arbiter": (2, 1, 0), "fencing": (2, 0, 0)}[topology]


@st.composite
def kinds(draw: st.DrawFn) -> tuple[str, str, str]:
    """Platform, topology and address families that go together."""
    platform = draw(st.sampled_from(PLATFORMS))
    topology = draw(st.sampled_from(_topologies(platform)))
    return (
        platform,
        topology,
        draw(st.sampled_from([stack for stack in STACKS if not (platform == "nutanix" and stack == "v6v4")])),
    )


@st.composite
def valid_deployments(draw: st.DrawFn) -> Deployment:
    """A deployment that a person could have meant, complete and without a mistake."""
    platform, topology, stack = draw(kinds())
    masters, arbiters, workers = _numbers(draw, topology)
    roles: list[Role] = [*["master"] * masters, *["arbiter"] * arbiters, *["worker"] * workers]
    hosts = tuple(_host(draw, number, role, _FAMILIES[stack], named=number > 0) for number, role in enumerate(roles))
    architecture = draw(st.sampled_from(["amd64", "arm64", *(["s390x", "ppc64le"] if platform == "none" else [])]))
    fencing = (
        {"fencing": {"credentials": [_credential(number) for number in range(2)]}} if topology == "fencing" else {}
    )
    cluster = Cluster(
        name=draw(st.sampled_from(["demo", "edge-7", "a"])),
        base_domain=draw(st.sampled_from(["example.com", "lab.example.com."])),
        version="4.22.0",
        release_image="",
        platform=platform,
        control_plane=Pool(masters, architecture, fencing),
        compute=Pool(
            workers,
            "arm64" if platform == "baremetal" and architecture == "amd64" and draw(st.booleans()) else architecture,
        ),
        arbiter=Pool(arbiters, architecture) if arbiters else None,
        networking=_networking(_FAMILIES[stack]),
        platform_options=draw(st.sampled_from(_OPTIONS[platform]["options"])),
        **draw(st.sampled_from([{"ssh_key": SSH_KEY}, {"ssh_key": ecdsa_key(), "fips": True}, {}])),
        rendezvous_ip=_address(0, _FAMILIES[stack][0]) if draw(st.booleans()) else "",
    )
    cluster = _with_vips(draw, _with_choices(draw, _with_images(draw, cluster)), _FAMILIES[stack])
    if not all(_is_static(host) for host in hosts):
        cluster = dataclasses.replace(cluster, rendezvous_ip=_address(0, _FAMILIES[stack][0]))
    return Deployment(cluster, hosts)


def _networking(families: tuple[int, ...]) -> Networking:
    return Networking(
        machine_networks=tuple(MACHINES[family] for family in families),
        service_networks=tuple(_SERVICES[family] for family in families),
        cluster_networks=tuple(_PODS[family] for family in families),
    )


def _with_vips(draw: st.DrawFn, cluster: Cluster, families: tuple[int, ...]) -> Cluster:
    if cluster.user_managed_networking:
        return cluster
    chosen = families if draw(st.booleans()) else families[:1]
    pairs = [(_address(-78, family), _address(-77, family)) for family in chosen]
    return dataclasses.replace(
        cluster, api_vips=tuple(api for api, _ingress in pairs), ingress_vips=tuple(ingress for _api, ingress in pairs)
    )


def _with_images(draw: st.DrawFn, cluster: Cluster) -> Cluster:
    """The release by tag, or by digest with mirrors and a pull secret that holds them."""
    auth = '{"auth": "dXNlcjpnZWhlaW0="}'
    pull_secret = f'{{"auths": {{"quay.io": {auth}, "{_MIRROR}": {auth}}}}}'
    cluster = dataclasses.replace(cluster, pull_secret=pull_secret)
    # Compute of another architecture than the control plane takes a payload of several.
    tag = "multi" if cluster.compute.architecture != cluster.control_plane.architecture else cluster.architecture
    kind = draw(st.sampled_from(["tag", "digest", "mirrored", "mirror"]))
    digest = "@sha256:" + "0a" * 32
    if kind == "tag":
        return dataclasses.replace(cluster, release_image=f"{_RELEASE}:{cluster.version}-{tag}")
    if kind == "digest":
        return dataclasses.replace(cluster, release_image=f"{_RELEASE}{digest}")
    sources = (
        ImageDigestSource(
            _RELEASE,
            (f"{_MIRROR}/ocp/release",),
            draw(st.sampled_from(["", "NeverContactSource", "AllowContactingSource"])),
        ),
        ImageDigestSource("quay.io/openshift-release-dev/ocp-v4.0-art-dev", (f"{_MIRROR}/ocp/release",)),
    )
    image = f"{_RELEASE}{digest}" if kind == "mirrored" else f"{_MIRROR}/ocp/release{digest}"
    bundle = draw(st.sampled_from(["", certificate("registry.example.com", "2036-01-01")]))
    return dataclasses.replace(
        cluster, release_image=image, image_digest_sources=sources, additional_trust_bundle=bundle
    )


def _with_choices(draw: st.DrawFn, cluster: Cluster) -> Cluster:
    """What does not depend on anything else."""
    return dataclasses.replace(
        cluster,
        namespace=draw(st.sampled_from(["", "cluster0"])),
        proxy=draw(
            st.sampled_from(
                [
                    Proxy(),
                    Proxy(
                        "http://proxy.example.com:3128",
                        "http://proxy.example.com:3128",
                        ".example.com,10.9.0.0/16,10.1.2.3",
                    ),
                ]
            )
        ),
        capabilities=draw(
            st.sampled_from(
                [
                    {},
                    {"baselineCapabilitySet": "vCurrent"},
                    {"baselineCapabilitySet": "None", "additionalEnabledCapabilities": _NEEDED},
                ]
            )
        ),
        cpu_partitioning_mode=draw(st.sampled_from(["", "None", "AllNodes"])),
        feature_set=draw(st.sampled_from(["", "TechPreviewNoUpgrade"])),
        additional_trust_bundle_policy=draw(st.sampled_from(["", "Proxyonly", "Always"])),
        ntp_sources=draw(st.sampled_from([(), ("ntp.example.com", "192.168.111.1")])),
        boot_artifacts_base_url=draw(st.sampled_from(["", "http://files.example.com/ocp"])),
        minimal_iso=draw(st.booleans()),
        extra_manifests=draw(
            st.sampled_from(
                [(), (ExtraManifest("a.yaml", ("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n")),)]
            )
        ),
    )


_NEEDED = ["baremetal", "CloudControllerManager", "CloudCredential", "Ingress", "MachineAPI"]


def _credential(number: int) -> dict[str, str]:
    return {
        "hostName": _hostname(number),
        "username": "admin",
        "password": "geheim",
        "address": f"redfish+https://10.9.0.{number}/redfish/v1/Systems/1",
    }


def _hostname(number: int) -> str:
    return f"node-{number}"


def _address(number: int, family: int) -> str:
    network = ipaddress.ip_network(MACHINES[family])
    return str(network.network_address + 80 + number)


def _host(draw: st.DrawFn, number: int, role: Role, families: tuple[int, ...], *, named: bool) -> Host:
    macs = [f"52:54:00:ab:{port:02x}:{number:02x}" for port in range(2)]
    kind = draw(st.sampled_from(["static", "bond", "vlan", "leases", "none"] if named else ["static", "bond"]))
    network = {"static": _plain, "bond": _bond, "vlan": _vlan, "leases": _leases}.get(kind)
    count = 2 if kind == "bond" else 1
    return Host(
        name=_hostname(number),
        hostname=_hostname(number),
        role=role,
        interfaces=tuple(Interface(f"eno{port}", mac) for port, mac in enumerate(macs[:count], 1)),
        root_device_hints=draw(st.sampled_from(_HINTS)),
        network_config=network(number, macs, families) if network else {},
        bmc=Bmc(f"redfish-virtualmedia+https://10.9.0.{number}/redfish/v1/Systems/1", "admin", "geheim")
        if draw(st.booleans())
        else None,
    )


def _is_static(host: Host) -> bool:
    return bool(host.network_config) and "routes" in host.network_config


def _stacks(number: int, families: tuple[int, ...]) -> dict[str, Any]:
    stacks: dict[str, Any] = {"ipv4": {"enabled": False}, "ipv6": {"enabled": False}}
    for family in families:
        length = ipaddress.ip_network(MACHINES[family]).prefixlen
        stacks[f"ipv{family}"] = {
            "enabled": True,
            "address": [{"ip": _address(number, family), "prefix-length": length}],
        }
    return stacks


def _around(interface: str, interfaces: list[dict[str, Any]], families: tuple[int, ...]) -> dict[str, Any]:
    """A whole document: interfaces, and name server and default routes by one of them."""
    routes = [
        {
            "destination": "::/0" if family == 6 else "0.0.0.0/0",
            "next-hop-address": _address(-79, family),
            "next-hop-interface": interface,
        }
        for family in families
    ]
    return {
        "interfaces": [{"state": "up", **entry} for entry in interfaces],
        "dns-resolver": {"config": {"server": [_address(-79, family) for family in families]}},
        "routes": {"config": routes},
    }


def _plain(number: int, macs: list[str], families: tuple[int, ...]) -> dict[str, Any]:
    return _around(
        "eno1", [{"name": "eno1", "type": "ethernet", "mac-address": macs[0], **_stacks(number, families)}], families
    )


def _bond(number: int, macs: list[str], families: tuple[int, ...]) -> dict[str, Any]:
    ports = [{"name": f"eno{port}", "type": "ethernet", "mac-address": mac} for port, mac in enumerate(macs, 1)]
    bond = {
        "name": "bond0",
        "type": "bond",
        "link-aggregation": {"mode": "active-backup", "port": ["eno1", "eno2"], "options": {"miimon": 100}},
    }
    storage = {"name": "bond0.20", "type": "vlan", "mtu": 1400, "vlan": {"base-iface": "bond0", "id": 20}}
    address = {"ipv4": {"enabled": True, "address": [{"ip": f"10.20.0.{80 + number}", "prefix-length": 24}]}}
    return _around("bond0", [{**bond, **_stacks(number, families)}, {**storage, **address}, *ports], families)


def _vlan(number: int, macs: list[str], families: tuple[int, ...]) -> dict[str, Any]:
    below = {"name": "eno1", "type": "ethernet", "mac-address": macs[0]}
    return _around(
        "eno1.7",
        [
            below,
            {"name": "eno1.7", "type": "vlan", "vlan": {"base-iface": "eno1", "id": 7}, **_stacks(number, families)},
        ],
        families,
    )


def _leases(_number: int, macs: list[str], families: tuple[int, ...]) -> dict[str, Any]:
    stacks: dict[str, Any] = {"ipv4": {"enabled": True, "dhcp": True} if 4 in families else {"enabled": False}}
    stacks["ipv6"] = {"enabled": True, "dhcp": True, "autoconf": True} if 6 in families else {"enabled": False}
    return {"interfaces": [{"name": "eno1", "type": "ethernet", "state": "up", "mac-address": macs[0], **stacks}]}
