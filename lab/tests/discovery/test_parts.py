# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test the content of a discovery image with tables of cases: files, systemd units, overrides and the iPXE script.

Source: openshift/assisted-service internal/bminventory/inventory_v2_handlers.go, internal/ignition/discovery.go,
  internal/ignition/templates.
"""

from __future__ import annotations

import base64
import dataclasses
import json
from typing import Any

import pytest
from ztlab.hub.discovery.ignition import discovery_ignition, encode, merge
from ztlab.hub.discovery.ipxe import IpxeUrls, boot_order_script, boots_from_disk, ipxe_script
from ztlab.hub.discovery.minimal import minimal_initrd
from ztlab.hub.discovery.parameters import Discovery, sort_key
from ztlab.hub.discovery.static_network import host_files
from ztlab.hub.images.service import id_of_token
from ztlab.live.ignition import parse
from ztlab.live.nmstate import NmstateError, keyfile_text, load, profiles, resolve_policy
from ztlab.machine.initramfs import unpack

from .rig import nmstate

PLAIN = Discovery(
    "11111111-2222-4333-8444-555555555555", "https://service", "quay.io/agent:v2", "4.22", pull_secret='{"auths": {}}'
)


def files(discovery: Discovery, **options: Any) -> dict[str, dict[str, Any]]:
    return {entry["path"]: entry for entry in discovery_ignition(discovery, **options)["storage"]["files"]}


def units(discovery: Discovery) -> dict[str, dict[str, Any]]:
    return {entry["name"]: entry for entry in discovery_ignition(discovery)["systemd"]["units"]}


def test_what_is_always_there() -> None:
    assert discovery_ignition(PLAIN)["passwd"]["users"] == []
    assert set(units(PLAIN)) == {
        "agent.service",
        "selinux.service",
        "multipathd.service",
        "iscsistart.service",
        "oci-eval-user-data.service",
    }
    found = files(PLAIN)
    assert found["/root/.docker/config.json"]["contents"]["source"] == "data:,%7B%22auths%22%3A%20%7B%7D%7D"
    assert (found["/usr/local/bin/agent-pull-image"]["mode"], found["/etc/motd"]["mode"]) == (493, 420)
    assert "overwrite" not in found["/usr/local/bin/oci-eval-user-data.sh"] and found["/etc/motd"]["overwrite"] is True
    assert parse(encode(discovery_ignition(PLAIN))).warnings == ()


OPTIONS: list[tuple[dict[str, Any], list[str], list[str]]] = [
    ({"service_ca": "pem"}, ["/etc/assisted-service/service-ca-cert.crt"], []),
    ({"trust_bundle": "pem"}, ["/etc/pki/ca-trust/source/anchors/assisted-infraenv-additional-trust-bundle.pem"], []),
    (
        {"registries_conf": "x", "mirror_ca": "y"},
        [
            "/etc/containers/registries.conf",
            "/etc/pki/ca-trust/source/anchors/domain.crt",
            "/etc/containers/policy.json",
        ],
        [],
    ),
    ({"additional_ntp_sources": "a,b"}, ["/usr/local/bin/add-ntp-sources.sh"], ["add-ntp-sources.service"]),
    ({"http_proxy": "http://p:1"}, ["/etc/profile.d/proxy.sh"], []),
    (
        {"static_network": [nmstate(0)]},
        ["/etc/assisted/network/host0/ymlFile0.yml", "/usr/local/bin/common_network_script.sh"],
        ["pre-network-manager-config.service"],
    ),
]


@pytest.mark.parametrize(("fields", "paths", "names"), OPTIONS, ids=[next(iter(entry[0])) for entry in OPTIONS])
def test_what_is_there_when_it_is_asked_for(fields: dict[str, Any], paths: list[str], names: list[str]) -> None:
    discovery = dataclasses.replace(PLAIN, **fields)
    assert set(paths) <= set(files(discovery)) and not set(paths) & set(files(PLAIN))
    assert set(names) <= set(units(discovery))
    assert parse(encode(discovery_ignition(discovery))).warnings == ()


def test_agent_service() -> None:
    text = units(dataclasses.replace(PLAIN, token="t", service_ca="pem", https_proxy="http://u%40:p@proxy:1"))[
        "agent.service"
    ]["contents"]
    assert "Environment=PULL_SECRET_TOKEN=t\n" in text and "Environment=https_proxy=http://u%%40:p@proxy:1\n" in text
    assert (
        "ExecStart=/usr/local/bin/agent --url https://service --infra-env-id 11111111-2222-4333-8444-555555555555 "
        "--agent-version quay.io/agent:v2"
        " --insecure=false --cacert /etc/assisted-service/service-ca-cert.crt\n"
    ) in text
    assert "PULL_SECRET_TOKEN" not in units(PLAIN)["agent.service"]["contents"]
    assert units(dataclasses.replace(PLAIN, ironic=True))["agent.service"]["enabled"] is False


def test_a_minimal_image_has_its_network_in_the_ramdisk() -> None:
    discovery = dataclasses.replace(PLAIN, static_network=[nmstate(0)], http_proxy="http://p:1")
    assert not [
        path for path in files(discovery, static_network=False) if "network" in path and "NetworkManager" not in path
    ]
    links: dict[str, str] = {}
    ramdisk = minimal_initrd(discovery)
    assert ramdisk is not None
    found = unpack(ramdisk, links)
    assert {
        "etc/assisted/network/host0/mac_interface.ini",
        "etc/systemd/system/coreos-livepxe-rootfs.service.d/10-proxy.conf",
    } <= set(found)
    assert links == {
        "etc/systemd/system/initrd.target.wants/pre-network-manager-config.service": "/etc/systemd/system/pre-network-manager-config.service"  # noqa: E501
    }
    assert minimal_initrd(PLAIN) is None


@pytest.mark.parametrize(
    ("version", "yml"),
    [
        ("4.22", True),
        ("4.18", True),
        ("4.18.0", True),
        ("4.18.0-ec.2", False),
        ("4.17.9", False),
        ("", False),
        ("4.19.0-rc.1", True),
    ],
)
def test_which_versions_get_nmstate_documents(version: str, yml: bool) -> None:
    found = host_files(dataclasses.replace(PLAIN, openshift_version=version, static_network=[nmstate(0)]))
    assert any(path.endswith(".yml") for path in found) is yml
    assert any(path.endswith(".nmconnection") for path in found) is not yml


def test_versions_in_order() -> None:
    assert sorted(["4.18.0", "4.9", "4.18.0-ec.0", "4.17.12"], key=sort_key) == [
        "4.9",
        "4.17.12",
        "4.18.0-ec.0",
        "4.18.0",
    ]


def test_overrides_are_merged() -> None:
    override = {
        "ignition": {"version": "3.2.0"},
        "storage": {
            "files": [
                {"path": "/etc/motd", "mode": 384, "contents": {"source": "data:,x"}},
                {"path": "/etc/new", "contents": {"source": "data:,y"}},
            ]
        },
        "systemd": {"units": [{"name": "agent.service", "enabled": False}]},
    }
    discovery = dataclasses.replace(PLAIN, override=json.dumps(override))
    found = files(discovery)
    assert (found["/etc/motd"]["mode"], found["/etc/new"]["contents"]) == (384, {"source": "data:,y"})
    assert (
        units(discovery)["agent.service"]["enabled"] is False
        and "ExecStart" in units(discovery)["agent.service"]["contents"]
    )
    assert discovery_ignition(discovery)["ignition"]["version"] == "3.2.0"


def test_certificate_authorities_are_added_by_a_merge() -> None:
    def config(source: str) -> dict[str, Any]:
        return {"ignition": {"version": "3.1.0", "security": {"tls": {"certificateAuthorities": [{"source": source}]}}}}

    merged = merge(config("data:,a"), config("data:,b"))
    assert [entry["source"] for entry in merged["ignition"]["security"]["tls"]["certificateAuthorities"]] == [
        "data:,a",
        "data:,b",
    ]


def test_ipxe() -> None:
    text = ipxe_script(IpxeUrls("K", "I", "R"), ["a=1", "b"])
    assert text.startswith(
        "#!ipxe\ninitrd --name initrd I\nkernel K initrd=initrd coreos.live.rootfs_url=R random.trust_cpu=on "
    )
    assert text.endswith('coreos.inst.persistent-kargs="console=tty1 console=ttyS1,115200n8" a=1 b\nboot\n')
    assert boot_order_script("https://s?x=y") == "#!ipxe\nchain https://s?x=y&mac=${net0/mac}\n"
    assert [
        boots_from_disk(*case)
        for case in (("installed", ""), ("installing-in-progress", "Joined"), ("installing-in-progress", "Installing"))
    ] == [
        True,
        True,
        False,
    ]


def _jwt(claims: Any) -> str:
    return "x." + base64.urlsafe_b64encode(json.dumps(claims).encode()).decode().rstrip("=") + ".y"


@pytest.mark.parametrize(
    ("token", "found"),
    [
        (_jwt({"infra_env_id": "a"}), "a"),
        (_jwt({"sub": "b"}), "b"),
        (_jwt({}), ""),
        (_jwt([1]), ""),
        ("x.y", ""),
        ("x.%.y", ""),
        ("", ""),
        (_jwt({"sub": 1}), ""),
    ],
)
def test_tokens_are_read_without_a_look_at_their_signature(token: str, found: str) -> None:
    assert id_of_token(token) == found


DOCUMENTS: list[tuple[str, str, str]] = [
    (
        "bond",
        (
            "interfaces: [{name: bond0, type: bond, link-aggregation: {mode: active-backup, port: [a, b]}}, {name: a}, "
            "{name: b}]"
        ),
        "master=bond0",
    ),
    (
        "vlan",
        (
            "interfaces: [{name: eth0.5, type: vlan, vlan: {base-iface: eth0, id: 5}, ipv4: {enabled: true, "
            "dhcp: true}}]"
        ),
        "parent=eth0",
    ),
    (
        "by MAC",
        'interfaces: [{name: any, identifier: mac-address, mac-address: "02:00:00:00:00:01"}]',
        "interface-name=eno1",
    ),
    ("mtu", "interfaces: [{name: eth0, mtu: 9000}]", "mtu=9000"),
]


@pytest.mark.parametrize(("name", "text", "expected"), DOCUMENTS, ids=[entry[0] for entry in DOCUMENTS])
def test_nmstate_documents(name: str, text: str, expected: str) -> None:
    made = "".join(keyfile_text(profile) for profile in profiles(load(text), {"02:00:00:00:00:01": "eno1"}))
    assert expected in made


def test_a_capture_that_finds_nothing() -> None:
    policy = {
        "capture": {"iface0": 'interfaces.mac-address == "02:00:00:00:00:09"'},
        "desiredState": {"name": "{{ capture.iface0.interfaces.0.name }}"},
    }
    with pytest.raises(NmstateError, match="capture iface0 has no interface on this machine"):
        resolve_policy(policy, [("eno1", "02:00:00:00:00:01", True)])
