# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test configuration values with a wrong type: validation reports the same problems as the installer, recorded in
November 2025.
"""

from __future__ import annotations

import datetime
import json
from pathlib import Path
from typing import Any

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.cluster.checked import all_problems
from ansible_collections.zerotouch.openshift.plugins.module_utils.cluster.files import read_directory
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.problems import Problem
from ansible_collections.zerotouch.openshift.tests.unit.cluster_rules.verdict_bases import (
    AGENT_CONFIG,
    CERTIFICATES,
    INSTALL_CONFIGS,
    NO_HOSTS,
    RSA_KEY,
    Change,
    changed,
)

_NAME = (
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start "
    "and end with an alphanumeric "
    "character (e.g. 'example.com', regex used for validation is "
    "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
)
_NO_KEY = ("sshKey", "ssh: no key found")
_SECRET = "json: cannot unmarshal {} into Go value of type validate.imagePullSecret"
_REFERENCE = "failed to parse: invalid reference format"
_OUTSIDE = ("platform.baremetal.apiVIPs", "IP expected to be in one of the machine networks: 192.168.111.0/24")
Found = tuple[str, str]

# Base, change of install-config.yaml -> what the installer says.
INSTALL: list[tuple[str, Change, list[Found]]] = [
    ("none", ("sshKey", True), [_NO_KEY]),
    # The library passes over the first word, and over options.
    ("none", ("sshKey", f"nonsense {RSA_KEY}"), []),
    ("none", ("sshKey", f"ssh-ed25519 {RSA_KEY.split()[1]}"), []),
    ("none", ("sshKey", f'command="a b",no-pty {RSA_KEY}'), []),
    ("none", ("sshKey", f'command="a b {RSA_KEY}'), [_NO_KEY]),
    ("none", ("pullSecret", 5), [("pullSecret", _SECRET.format("number"))]),
    ("none", ("pullSecret", True), [("pullSecret", _SECRET.format("bool"))]),
    ("none", ("additionalTrustBundle", 5), [("additionalTrustBundle", "invalid block")]),
    ("none", ("baseDomain", -1), [("baseDomain", _NAME)]),
    ("none", ("metadata.name", 5), []),
    ("none", ("metadata.name", 1.5), []),
    ("none", ("metadata.name", 1.0), []),
    ("baremetal", ("metadata.name", 1.5), [("metadata.name", "cluster name must not contain '.'")]),
    (
        "sno",
        ("networking.networkType", True),
        [
            (
                "networking.networkType",
                ("Only OVNKubernetes network type is allowed for Single Node OpenShift (SNO) cluster"),
            )
        ],
    ),
    ("none", ("compute", [None]), [("compute[0].name", 'supported values: "edge", "worker"')]),
    (
        "none",
        ("compute[0]", {"nam": "worker", "replicas": 2}),
        [("compute[0].name", 'supported values: "edge", "worker"')],
    ),
    ("none", ("metadata", {"nam": "demo"}), [("metadata.name", _NAME)]),
    (
        "baremetal",
        ("platform.baremetal.apiVIPs", [None]),
        [("platform.baremetal.apiVIPs", '"" is not a valid IP'), _OUTSIDE],
    ),
    (
        "baremetal",
        ("platform.baremetal.apiVIPs", [5]),
        [("platform.baremetal.apiVIPs", '"5" is not a valid IP'), _OUTSIDE],
    ),
    (
        "none",
        ("networking.clusterNetwork", [{}]),
        [("spec.networking.clusterNetwork[0].cidr", "error parsing the clusterNetwork CIDR")],
    ),
    ("none", ("networking.machineNetwork", [{}]), []),
    (
        "baremetal",
        ("networking.machineNetwork", [{}]),
        [
            (f"platform.baremetal.{name}", "IP expected to be in one of the machine networks: <nil>")
            for name in ("apiVIPs", "ingressVIPs")
        ],
    ),
    (
        "baremetal-bmc-disabled",
        ("platform.baremetal.hosts[4].bmc.address", "http://a b"),
        [
            (
                "platform.baremetal.hosts[4].bmc",
                ("failed to parse BMC address information: BMC address hostname/IP : [http://a b] is invalid"),
            )
        ],
    ),
    ("none", ("imageDigestSources", [None]), [("imageDigestSources[0].source", _REFERENCE)]),
    (
        "none",
        ("imageDigestSources", [{"source": "a.b/c", "mirrors": [None]}]),
        [("imageDigestSources[0].mirrors[0]", _REFERENCE)],
    ),
]
AGENT: list[tuple[Change, list[Found]]] = [
    (
        ("hosts[0].rootDeviceHints", {"deviceName": False}),
        [("hosts[0].rootDeviceHints.deviceName", ("Device Name of root device hint must be a /dev/ path"))],
    ),
    (("rendezvousIP", True), [("rendezvousIP", '"true" is not a valid IP')]),
    (("hosts[1]", None), [("hosts[1].interfaces", "at least one interface must be defined for each node")]),
    (("additionalNTPSources", [None, 5]), [("additionalNTPSources", "NTP server is not a valid IP or domain name")]),
    (("hosts[0].role", 5), [("hosts[0].role", 'supported values: "arbiter", "master", "worker"')]),
    (("hosts[0].hostname", 5), []),
    (
        ("hosts[0].networkConfig", None),
        [("hosts[0].networkConfig", ("nmstate generated an empty NetworkManager config file content"))],
    ),
]
# What ends the reading of the file: the installer's words name types of its language.
UNREAD: list[tuple[str, Change]] = [
    ("install", ("networking.machineNetwork[0].cidr", 5)),
    ("install", ("networking.serviceNetwork", [1.5])),
    ("install", ("networking.clusterNetwork[0].hostPrefix", 1 << 31)),
    ("install", ("controlPlane.replicas", 1 << 63)),
    ("install", ("apiVersion", 1)),
    ("install", ("networking.clusterNetwork[0].hostSubnetLength", "9")),
    ("install", ("kind", False)),
    ("agent", ("kind", 5)),
    ("agent", ("apiVersion", 1)),
]


def problems(directory: Path, install: dict[str, Any], agent: dict[str, Any]) -> list[Problem]:
    (directory / "install-config.yaml").write_text(json.dumps(install))
    (directory / "agent-config.yaml").write_text(json.dumps(agent))
    parsed = read_directory(
        directory, version="4.20.0", release_image="quay.io/openshift-release-dev/ocp-release@sha256:" + "0" * 64
    )
    return [
        one
        for one in all_problems(parsed, today=datetime.date(2026, 6, 1))
        if one.severity == "error" and "missing rendezvous" not in one.detail
    ]


def said(found: list[Problem]) -> list[Found]:
    head = "supported values: "
    texts = [(one.path, one.detail) for one in found if one.layer == "installer"]
    ordered = [
        (path, head + ", ".join(sorted(text.removeprefix(head).split(", "))) if text.startswith(head) else text)
        for path, text in texts
    ]
    return list(dict.fromkeys(ordered))


@pytest.mark.parametrize(("base", "change", "expected"), INSTALL, ids=lambda value: str(value)[:60])
def test_install_config(tmp_path: Path, base: str, change: Change, expected: list[Found]) -> None:
    assert said(problems(tmp_path, changed(INSTALL_CONFIGS[base], [change]), NO_HOSTS)) == expected


@pytest.mark.parametrize(("change", "expected"), AGENT, ids=lambda value: str(value)[:60])
def test_agent_config(tmp_path: Path, change: Change, expected: list[Found]) -> None:
    found = said(problems(tmp_path, INSTALL_CONFIGS["none"], changed(AGENT_CONFIG, [change])))
    assert found[: len(expected)] == expected
    assert bool(found) is bool(expected)


@pytest.mark.parametrize(("file", "change"), UNREAD, ids=str)
def test_what_cannot_be_read(tmp_path: Path, file: str, change: Change) -> None:
    install = changed(INSTALL_CONFIGS["none"], [change] if file == "install" else [])
    agent = changed(AGENT_CONFIG, [change] if file == "agent" else [])
    found = [
        one
        for one in problems(tmp_path, install, agent)
        if one.layer == "installer" and one.file.endswith(f"{file}-config.yaml")
    ]
    assert [one.kind for one in found] == ["Invalid value"]
    assert found[0].path.removesuffix("[0]") == change[0].removesuffix("[0]")


def test_an_unknown_key_of_a_host_in_install_config_is_reported_once(tmp_path: Path) -> None:
    """The installer of this release reads on without it."""
    install = changed(INSTALL_CONFIGS["baremetal-bmc"], [("platform.baremetal.hosts[0].bmc.adres", "x")])
    assert [(one.layer, one.path) for one in problems(tmp_path, install, NO_HOSTS)] == [
        ("ours", "platform.baremetal.hosts[0].bmc.adres")
    ]


def test_certificates_that_sign_nothing(tmp_path: Path) -> None:
    install = changed(INSTALL_CONFIGS["none"], [("additionalTrustBundle", CERTIFICATES[0])])
    assert problems(tmp_path, install, NO_HOSTS) == []
    parsed = read_directory(
        tmp_path, version="4.20.0", release_image="quay.io/openshift-release-dev/ocp-release@sha256:" + "0" * 64
    )
    found = [
        one for one in all_problems(parsed, today=datetime.date(2026, 6, 1)) if one.check == "certificate-authority"
    ]
    detail = "Certificate 1 from additionalTrustBundle is x509 v3 but not a certificate authority"
    assert [(one.severity, one.layer, one.path, one.detail) for one in found] == [
        ("warning", "installer", "additionalTrustBundle", detail)
    ]


@pytest.mark.parametrize(("text", "name"), [("08", "8"), ("010", "8"), ("1.10", "1.1"), ("1_0", "10")])
def test_numbers_as_yaml_has_them(tmp_path: Path, text: str, name: str) -> None:
    problems(tmp_path, INSTALL_CONFIGS["none"], NO_HOSTS)
    file = tmp_path / "install-config.yaml"
    file.write_text(file.read_text().replace('{"name": "demo"}', "{name: " + text + "}"))
    parsed = read_directory(tmp_path, version="4.20.0")
    assert parsed.deployment is not None and parsed.deployment.cluster.name == name


def test_hosts_that_are_no_list_hide_none(tmp_path: Path) -> None:
    """Those of install-config.yaml do not replace what cannot be read."""
    found = problems(tmp_path, INSTALL_CONFIGS["baremetal-bmc"], {**NO_HOSTS, "hosts": {}})
    assert [(one.path, one.layer, one.kind) for one in found][:1] == [("hosts", "installer", "Invalid value")]


def test_subnets_of_hosts_have_one_rule_for_all_network_types(tmp_path: Path) -> None:
    install = changed(
        INSTALL_CONFIGS["none"], [("networking.networkType", "Calico"), ("networking.clusterNetwork[0].hostPrefix", 26)]
    )
    assert said(problems(tmp_path, install, NO_HOSTS)) == [
        ("spec.networking.clusterNetwork[0].hostPrefix", "must be at most 25")
    ]


def test_a_number_where_a_text_belongs_is_reported_by_us_too(tmp_path: Path) -> None:
    """010 is 8, on is true: who did not quote it did not mean that."""
    found = problems(tmp_path, changed(INSTALL_CONFIGS["none"], [("metadata.name", 5)]), NO_HOSTS)
    assert [(one.layer, one.path, one.detail) for one in found] == [
        ("ours", "metadata.name", "a string is expected, not a number")
    ]
