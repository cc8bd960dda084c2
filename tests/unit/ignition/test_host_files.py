# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test the files of an Ignition config that describe hosts: hostnames, host configuration, fencing credentials, and
network configuration.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import pytest
import yaml
from ansible_collections.zerotouch.openshift.plugins.module_utils.cluster.spec import Host, Interface, Pool
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.errors import InvalidInput
from ansible_collections.zerotouch.openshift.plugins.module_utils.ignition.document import LiveIgnition
from ansible_collections.zerotouch.openshift.plugins.module_utils.ignition.files.hosts import without_bmcs

from .contents import paths, text

Build = Callable[..., LiveIgnition]


def test_hostnames_and_host_configuration(build: Build) -> None:
    live = build()
    assert paths(live, "/etc/assisted/hostnames/") == [f"52:54:00:aa:00:0{number}" for number in range(3)]
    assert text(live, "/etc/assisted/hostnames/52:54:00:aa:00:01") == "m1.example.com"
    assert paths(live, "/etc/assisted/hostconfig/m1.example.com/") == [
        "mac_addresses",
        "role",
        "root-device-hints.yaml",
    ]
    assert text(live, "/etc/assisted/hostconfig/m1.example.com/mac_addresses") == "52:54:00:aa:00:01\n"
    assert text(live, "/etc/assisted/hostconfig/m1.example.com/role") == "master"
    assert text(live, "/etc/assisted/hostconfig/m1.example.com/root-device-hints.yaml") == "deviceName: /dev/vda\n"


LONG = "model " * 20 + "end"
FOLDED = "model: " + "model " * 12 + "model\n  " + "model " * 7 + "end\n"


def test_long_hints_are_folded_as_upstream_folds_them(build: Build, new_host: Callable[..., Host]) -> None:
    """The client reads either; files that compare equal to upstream's show that nothing else differs."""
    live = build((dataclasses.replace(new_host(1), root_device_hints={"model": LONG}),))
    assert text(live, "/etc/assisted/hostconfig/m1.example.com/root-device-hints.yaml") == FOLDED


@pytest.mark.parametrize(
    ("hints", "written"),
    [
        ({"minSizeGigabytes": 0, "rotational": False, "model": ""}, "rotational: false\n"),
        ({"minSizeGigabytes": 120, "rotational": True}, "minSizeGigabytes: 120\nrotational: true\n"),
        ({"minSizeGigabytes": 0, "vendor": None}, None),
    ],
)
def test_hints_that_say_nothing_are_left_out(
    build: Build, new_host: Callable[..., Host], hints: dict[str, Any], written: str | None
) -> None:
    """As ``openshift-install`` of November 2025 wrote them for the same agent-config.yaml."""
    file = build((dataclasses.replace(new_host(1), root_device_hints=hints),)).file(
        "/etc/assisted/hostconfig/m1.example.com/root-device-hints.yaml"
    )
    assert (file.content.decode() if file else None) == written


def test_a_host_without_name_role_and_hints(build: Build) -> None:
    host = Host("x", interfaces=(Interface("a", "52-54-00-AA-00-09"), Interface("b", "52:54:00:aa:00:0A")))
    live = build((host,))
    assert paths(live, "/etc/assisted/hostnames/") == []
    assert paths(live, "/etc/assisted/hostconfig/") == ["host-0/mac_addresses"]
    assert text(live, "/etc/assisted/hostconfig/host-0/mac_addresses") == "52:54:00:aa:00:09\n52:54:00:aa:00:0a\n"


def test_without_hosts_there_is_no_host_configuration(build: Build) -> None:
    live = build(())
    assert paths(live, "/etc/assisted/host") == []
    assert paths(live, "/etc/assisted/network") == []
    assert live.file("/usr/local/bin/pre-network-manager-config.sh") is None
    assert [unit.enabled for unit in live.units if unit.name.startswith("pre-network")] == [False]


FENCING = """\
credentials:
- hostname: master-0
  username: admin
  password: password123
  address: redfish+https://192.168.111.1:8000/redfish/v1/Systems/abc123
  certificateVerification: Disabled
- hostname: master-1
  username: admin
  password: password456
  address: redfish+https://192.168.111.2:8000/redfish/v1/Systems/def456
  certificateVerification: Enabled
"""


def fencing(*credentials: dict[str, str]) -> Pool:
    return Pool(2, options={"fencing": {"credentials": list(credentials)}})


def test_fencing_credentials_by_hostname(build: Build) -> None:
    provided = [
        {
            "hostName": "master-0",
            "address": "redfish+https://192.168.111.1:8000/redfish/v1/Systems/abc123",
            "username": "admin",
            "password": "password123",
            "certificateVerification": "Disabled",
        },
        {
            "hostName": "master-1",
            "address": "redfish+https://192.168.111.2:8000/redfish/v1/Systems/def456",
            "username": "admin",
            "password": "password456",
            "certificateVerification": "Enabled",
        },
    ]
    live = build((), control_plane=fencing(*provided))
    assert text(live, "/etc/assisted/hostconfig/fencing-credentials.yaml") == FENCING
    assert paths(live, "/etc/assisted/hostconfig/") == ["fencing-credentials.yaml"]


def test_a_long_password_is_folded_as_upstream_folds_it(build: Build) -> None:
    provided = {
        "hostName": "master-0",
        "username": "admin",
        "password": LONG,
        "address": "redfish+https://192.168.111.1:8000/redfish/v1/Systems/abc123",
    }
    content = text(build((), control_plane=fencing(provided)), "/etc/assisted/hostconfig/fencing-credentials.yaml")
    assert content.splitlines()[3:5] == ["  password: " + "model " * 11 + "model", "    " + "model " * 8 + "end"]
    assert yaml.safe_load(content)["credentials"][0]["password"] == LONG


def test_a_fencing_credential_with_a_mac_only_lies_beside_its_host(build: Build) -> None:
    credential = {"macAddress": "52:54:00:aa:00:01", "username": "u", "password": "p", "address": "redfish+https://b/1"}
    live = build(control_plane=fencing(credential))
    content = text(live, "/etc/assisted/hostconfig/m1.example.com/fencing-credentials.yaml")
    assert yaml.safe_load(content) == {
        "credentials": [
            {"macaddress": "52:54:00:aa:00:01", "username": "u", "password": "p", "address": "redfish+https://b/1"}
        ]
    }
    assert live.file("/etc/assisted/hostconfig/fencing-credentials.yaml") is None


def test_a_fencing_credential_of_a_host_that_is_not_described_makes_a_directory(
    build: Build, new_host: Callable[..., Host]
) -> None:
    """As openshift/installer pkg/asset/agent/agentconfig/agenthosts.go: the numbers go on after those of the hosts."""
    login = {"username": "u", "password": "p", "address": "redfish+https://b/1"}
    credentials = [
        {"macAddress": mac, **login} for mac in ("52:54:00:FF:00:01", "52:54:00:aa:00:01", "52:54:00:ff:00:02")
    ]
    live = build((new_host(0), new_host(1)), version="5.0.0", control_plane=fencing(*credentials))
    directory = "/etc/assisted/hostconfig"
    assert text(live, f"{directory}/host-2/mac_addresses") == "52:54:00:ff:00:01\n"
    assert text(live, f"{directory}/host-3/mac_addresses") == "52:54:00:ff:00:02\n"
    found = {
        path: yaml.safe_load(text(live, f"{directory}/{path}"))["credentials"]
        for path in paths(live, f"{directory}/")
        if "fencing" in path
    }
    assert {path: [entry["macaddress"] for entry in entries] for path, entries in found.items()} == {
        "host-2/fencing-credentials.yaml": ["52:54:00:FF:00:01"],
        "host-3/fencing-credentials.yaml": ["52:54:00:ff:00:02"],
        "m1.example.com/fencing-credentials.yaml": ["52:54:00:aa:00:01"],
    }


# Network


def test_network_directories_are_numbered_by_the_text_of_the_configuration(
    build: Build, new_host: Callable[..., Host]
) -> None:
    hosts = (new_host(2), dataclasses.replace(new_host(0), network_config={}), new_host(1))
    live = build(hosts)
    assert paths(live, "/etc/assisted/network/") == [
        f"host{number}/{name}" for number in (0, 1) for name in ("eth0.nmconnection", "mac_interface.ini")
    ]
    assert text(live, "/etc/assisted/network/host0/mac_interface.ini") == "52:54:00:AA:00:01=eth0"
    assert "192.168.0.11/24" in text(live, "/etc/assisted/network/host0/eth0.nmconnection")
    assert text(live, "/etc/assisted/network/host1/mac_interface.ini") == "52:54:00:AA:00:02=eth0"


def test_the_interface_table_is_sorted(build: Build, new_host: Callable[..., Host]) -> None:
    interfaces = (Interface("eth1", "52:54:00:BB:00:02"), Interface("eth0", "52:54:00:AA:00:01"))
    live = build((dataclasses.replace(new_host(1), interfaces=interfaces),))
    assert (
        text(live, "/etc/assisted/network/host0/mac_interface.ini") == "52:54:00:AA:00:01=eth0\n52:54:00:BB:00:02=eth1"
    )


def test_every_network_configuration_that_cannot_be_rendered_is_named(
    build: Build, new_host: Callable[..., Host]
) -> None:
    def broken(number: int) -> Host:
        return dataclasses.replace(
            new_host(number), network_config={"interfaces": [{"name": "eth0", "type": "no-such-type", "state": "up"}]}
        )

    with pytest.raises(InvalidInput) as caught:
        build((broken(0), new_host(1), broken(2)))
    heads = {problem.path.split(".networkConfig.")[0] for problem in caught.value.problems}
    assert heads == {"hosts[0]", "hosts[2]"}


# What the user wrote about them


@pytest.mark.parametrize(
    ("provided", "kept"),
    [
        (b"# mine\nhosts: [{hostname: a}]\n", b"# mine\nhosts: [{hostname: a}]\n"),
        (
            b"rendezvousIP: 192.0.2.1\nhosts:\n- {hostname: a, bmc: {password: p}}\n- hostname: b\n",
            {"rendezvousIP": "192.0.2.1", "hosts": [{"hostname": "a"}, {"hostname": "b"}]},
        ),
        (b"Hosts:\n- {hostname: a, BMC: {password: p}}\n", {"Hosts": [{"hostname": "a"}]}),
        (b"hosts:\n- {hostname: a, bmc: {password: p}}\n---\nhosts: 1\n", {"hosts": [{"hostname": "a"}]}),
        (b"hosts:\n- {hostname: 2020-99-99, bmc: {password: p}}\n", {"hosts": [{"hostname": "2020-99-99"}]}),
        (b"# no bmc\nhosts: [{hostname: a}]\n", b"# no bmc\nhosts: [{hostname: a}]\n"),
        (b"bmc: [", b"bmc: ["),
        (b"[bmc]", b"[bmc]"),
        (b"hosts: {", b"hosts: {"),
        (b"", b""),
    ],
)
def test_the_agent_config_is_the_users_without_bmcs(provided: bytes, kept: bytes | dict[str, Any]) -> None:
    found = without_bmcs(provided)
    assert (yaml.safe_load(found) if isinstance(kept, dict) else found) == kept
