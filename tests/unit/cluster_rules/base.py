# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test data: a deployment without a mistake, and functions that change it."""

from __future__ import annotations

import copy
import dataclasses
import datetime
import functools
from collections.abc import Callable
from typing import Any

from ansible_collections.zerotouch.openshift.plugins.module_utils.cluster.spec import (
    Bmc,
    Cluster,
    ClusterNetwork,
    Deployment,
    Host,
    ImageDigestSource,
    Interface,
    Networking,
    Pool,
    Role,
)
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

TODAY = datetime.date(2026, 6, 1)
Change = Callable[[Deployment], Deployment]

SSH_KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAICqXUWw1S2iEjNvY9UoiagpVsh7ROOIHrWxcu5wAqlrq admin@example.com"
PULL_SECRET = (
    '{"auths": {"quay.io": {"auth": "dXNlcjpnZWhlaW0="}, "registry.example.com:5000": {"auth": "dXNlcjpnZWhlaW0="}}}'
)


@functools.cache
def certificate(name: str, last_day: str, first_day: str = "2025-01-01") -> str:
    """A self-signed certificate in PEM."""
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name)])
    start, end = datetime.datetime.fromisoformat(first_day), datetime.datetime.fromisoformat(last_day)
    builder = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(key.public_key())
        .serial_number(1)
    )
    builder = builder.add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
    made = builder.not_valid_before(start).not_valid_after(end).sign(key, hashes.SHA256())
    return made.public_bytes(serialization.Encoding.PEM).decode()


def simple_network(mac: str, ip: str) -> dict[str, Any]:
    stack = {"enabled": True, "dhcp": False, "address": [{"ip": ip, "prefix-length": 24}]}
    return {
        "interfaces": [
            {
                "name": "eno1",
                "type": "ethernet",
                "state": "up",
                "mac-address": mac,
                "ipv4": stack,
                "ipv6": {"enabled": False},
            }
        ],
        "dns-resolver": {"config": {"server": ["192.168.111.1"]}},
        "routes": {
            "config": [{"destination": "0.0.0.0/0", "next-hop-address": "192.168.111.1", "next-hop-interface": "eno1"}]
        },
    }


def bond_network(macs: list[str], ip: str, storage_ip: str) -> dict[str, Any]:
    """A bond with the address and a VLAN on it with another one."""
    stack = {"enabled": True, "address": [{"ip": ip, "prefix-length": 24}]}
    storage = {"enabled": True, "address": [{"ip": storage_ip, "prefix-length": 24}]}
    ports = [
        {"name": f"eno{number}", "type": "ethernet", "state": "up", "mac-address": mac}
        for number, mac in enumerate(macs, 1)
    ]
    bond = {
        "name": "bond0",
        "type": "bond",
        "ipv4": stack,
        "link-aggregation": {"mode": "802.3ad", "port": ["eno1", "eno2"], "options": {"miimon": 100}},
    }
    vlan = {"name": "bond0.20", "type": "vlan", "vlan": {"base-iface": "bond0", "id": 20}, "ipv4": storage}
    route = {"destination": "0.0.0.0/0", "next-hop-address": "192.168.111.1", "next-hop-interface": "bond0"}
    return {
        "interfaces": [bond, vlan, *ports],
        "dns-resolver": {"config": {"server": ["192.168.111.1"]}},
        "routes": {"config": [route]},
    }


def _host(index: int, role: Role) -> Host:
    macs = [f"52:54:00:ab:{port:02x}:{index:02x}" for port in range(2)]
    ip = f"192.168.111.{80 + index}"
    bonded = index == 4
    return Host(
        name=f"node-{index}",
        hostname=f"node-{index}",
        role=role,
        interfaces=tuple(Interface(f"eno{number}", mac) for number, mac in enumerate(macs if bonded else macs[:1], 1)),
        root_device_hints={"deviceName": "/dev/vda"},
        network_config=bond_network(macs, ip, "10.20.0.84") if bonded else simple_network(macs[0], ip),
        bmc=Bmc(f"redfish-virtualmedia+https://10.9.0.{index}/redfish/v1/Systems/1", "admin", "geheim"),
    )


def good_deployment() -> Deployment:
    """Three control-plane hosts and two workers, the last one with a bond and a VLAN; everything static."""
    cluster = Cluster(
        name="demo",
        base_domain="example.com",
        version="4.22.0",
        release_image="quay.io/openshift-release-dev/ocp-release@sha256:" + "0a" * 32,
        platform="baremetal",
        control_plane=Pool(3),
        compute=Pool(2),
        api_vips=("192.168.111.5",),
        ingress_vips=("192.168.111.4",),
        networking=Networking(
            machine_networks=("192.168.111.0/24",), cluster_networks=(ClusterNetwork("10.128.0.0/14", 23),)
        ),
        pull_secret=PULL_SECRET,
        ssh_key=SSH_KEY,
        additional_trust_bundle=certificate("registry.example.com", "2036-01-01"),
        image_digest_sources=(
            ImageDigestSource("quay.io/openshift-release-dev/ocp-release", ("registry.example.com:5000/ocp/release",)),
        ),
        ntp_sources=("192.168.111.1", "ntp.example.com"),
    )
    roles: tuple[Role, ...] = ("master", "master", "master", "worker", "worker")
    return Deployment(cluster, tuple(_host(index, role) for index, role in enumerate(roles)))


def cluster(**changes: Any) -> Change:
    """Fields of the cluster."""
    return lambda deployment: dataclasses.replace(
        deployment, cluster=dataclasses.replace(deployment.cluster, **changes)
    )


def networking(**changes: Any) -> Change:
    def change(deployment: Deployment) -> Deployment:
        return cluster(networking=dataclasses.replace(deployment.cluster.networking, **changes))(deployment)

    return change


def pool(name: str, **changes: Any) -> Change:
    """Fields of a machine pool."""

    def change(deployment: Deployment) -> Deployment:
        return cluster(**{name: dataclasses.replace(getattr(deployment.cluster, name), **changes)})(deployment)

    return change


def extra(**values: Any) -> Change:
    """Further keys of install-config.yaml."""
    return lambda deployment: cluster(install_config_extra={**deployment.cluster.install_config_extra, **values})(
        deployment
    )


def host(index: int, **changes: Any) -> Change:
    def change(deployment: Deployment) -> Deployment:
        hosts = list(deployment.hosts)
        hosts[index] = dataclasses.replace(hosts[index], **changes)
        return dataclasses.replace(deployment, hosts=tuple(hosts))

    return change


def mac(index: int, text: str, position: int = 0) -> Change:
    """The MAC of an interface, in the table and in networkConfig alike."""

    def change(deployment: Deployment) -> Deployment:
        interfaces = list(deployment.hosts[index].interfaces)
        name = interfaces[position].name
        interfaces[position] = Interface(name, text)
        network = copy.deepcopy(dict(deployment.hosts[index].network_config))
        for entry in network["interfaces"]:
            if entry["name"] == name:
                entry["mac-address"] = text
        return host(index, interfaces=tuple(interfaces), network_config=network)(deployment)

    return change


def network(index: int, edit: Callable[[dict[str, Any]], object]) -> Change:
    """networkConfig of a host, edited in a copy."""

    def change(deployment: Deployment) -> Deployment:
        document = copy.deepcopy(dict(deployment.hosts[index].network_config))
        edit(document)
        return host(index, network_config=document)(deployment)

    return change


def put(path: str, value: object) -> Callable[[dict[str, Any]], object]:
    """An edit that sets ``interfaces.0.mtu``."""

    def edit(document: dict[str, Any]) -> None:
        *way, last = [int(step) if step.isdigit() else step for step in path.split(".")]
        target: Any = document
        for step in way:
            target = target[step]
        target[last] = value

    return edit


def both_families(deployment: Deployment) -> Deployment:
    """Every host has an address in fd2e:6f44:5dd8::/64 beside its own."""
    for index in range(len(deployment.hosts)):
        address = {"ip": f"fd2e:6f44:5dd8::{80 + index:x}", "prefix-length": 64}
        deployment = network(index, put("interfaces.0.ipv6", {"enabled": True, "address": [address]}))(deployment)
    return deployment


def drop(key: str) -> Callable[[dict[str, Any]], object]:
    return lambda document: document.pop(key)


def all_of(*changes: Change) -> Change:
    def change(deployment: Deployment) -> Deployment:
        for one in changes:
            deployment = one(deployment)
        return deployment

    return change
