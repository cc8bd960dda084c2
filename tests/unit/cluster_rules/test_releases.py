# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test that the same files give the problems that the installer of each OpenShift release reports
(docs/upstream/releases.md).
"""

from __future__ import annotations

import dataclasses
import datetime
import json
from pathlib import Path
from typing import Any

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.cluster.checked import all_problems
from ansible_collections.zerotouch.openshift.plugins.module_utils.cluster.files import read_directory
from ansible_collections.zerotouch.openshift.plugins.module_utils.cluster.profile import (
    NEWEST,
    OLDEST,
    PROFILES,
    ReleaseProfile,
    profile_of,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.cluster.release import (
    check_version,
    default_release_image,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.problems import Problem, apply_checks
from ansible_collections.zerotouch.openshift.tests.unit.cluster.mistakes import good_cluster, good_hosts
from ansible_collections.zerotouch.openshift.tests.unit.cluster.reading import from_variables
from ansible_collections.zerotouch.openshift.tests.unit.cluster_rules.verdict_bases import (
    AGENT_CONFIG,
    DELETE,
    INSTALL_CONFIGS,
    NO_HOSTS,
    Change,
    changed,
)

Expected = list[tuple[str, str]]
GATED = (
    "this field is protected by the {} feature gate which must be enabled through either the TechPreviewNoUpgrade or "
    "CustomNoUpgrade feature set"
)
FENCED = (
    "there should be exactly two fencing credentials to support the two node cluster, instead 0 credentials were found"
)


def problems(
    tmp_path: Path, version: str, install: dict[str, Any], agent: dict[str, Any] | None = None
) -> list[Problem]:
    (tmp_path / "install-config.yaml").write_text(json.dumps(install))
    (tmp_path / "agent-config.yaml").write_text(json.dumps(agent or NO_HOSTS))
    parsed = read_directory(
        tmp_path, version=version, release_image="quay.io/openshift-release-dev/ocp-release@sha256:" + "0" * 64
    )
    return [problem for problem in all_problems(parsed, today=datetime.date(2026, 6, 1)) if problem.severity == "error"]


def said(found: list[Problem]) -> Expected:
    return [(problem.path, problem.detail) for problem in found if problem.layer == "installer"]


STREAM_GATED = ("osImageStream", GATED.format("OSStreams"))
EXTERNAL_DNS = [
    (
        "platform.baremetal.dnsRecordsType",
        ("external DNS records can only be configured with user-managed loadbalancers"),
    ),
    ("platform.baremetal.dnsRecordsType", GATED.format("OnPremDNSRecords")),
]
TWO_MASTERS = ("controlPlane.replicas", 'supported values: "3", "1", "4", "5", "2"')
SETS = ", ".join(f'"{name}"' for name in ("None", *(f"v4.{minor}" for minor in range(11, 19)), "vCurrent"))
NUTANIX = "platform.nutanix.prismElements"
CASES: list[tuple[str, str, list[Change], dict[str, Expected]]] = [
    (
        "nutanix",
        "nutanix",
        [],
        {
            "4.18.1": [("platform", 'supported values: "baremetal", "vsphere", "none", "external"')],
            "4.19.0": [],
            "4.22.0": [],
        },
    ),
    (
        "four masters",
        "none",
        [("controlPlane.replicas", 4)],
        {"4.17.0": [("ControlPlane.Replicas", 'supported values: "3", "1"')], "4.18.0": [], "4.22.0": []},
    ),
    (
        "six masters",
        "none",
        [("controlPlane.replicas", 6)],
        {
            "4.18.0": [("ControlPlane.Replicas", 'supported values: "3", "1", "4", "5"')],
            "4.20.0": [("controlPlane.replicas", 'supported values: "3", "1", "4", "5", "2"')],
            "4.21.0": [("controlPlane.replicas", 'supported values: "3", "1", "4", "5", "2"')],
            "4.22.0": [
                (
                    "controlPlane.replicas",
                    ('supported values: "3", "1", "4", "5", "2 (with arbiter)", "2 (with fencing)"'),
                )
            ],
        },
    ),
    (
        "arbiter",
        "arbiter",
        [],
        {
            "4.19.0": [
                (
                    "arbiter",
                    ("HighlyAvailableArbiter feature must be enabled in order to use arbiter cluster deployment"),
                )
            ],
            "4.20.0": [],
            "4.22.0": [],
        },
    ),
    ("arbiter, preview", "arbiter", [("featureSet", "TechPreviewNoUpgrade")], {"4.19.0": []}),
    (
        "arbiter on none",
        "arbiter",
        [("platform", {"none": {}})],
        {"4.21.0": [("arbiter.platform", 'supported values: "baremetal"')], "4.22.0": []},
    ),
    (
        "two arbiters",
        "arbiter",
        [("arbiter.replicas", 2)],
        {
            "4.20.0": [],
            "4.21.0": [],
            "4.22.0": [
                ("arbiter.replicas", ("TNA (Two Node with Arbiter) configuration requires exactly 1 arbiter replica"))
            ],
        },
    ),
    (
        "fencing by feature set",
        "fencing",
        [],
        {"4.20.0": [TWO_MASTERS], "4.21.0": [TWO_MASTERS], "4.22.0": [], "4.23.0": [], "5.0.0": []},
    ),
    (
        "fencing",
        "fencing",
        [("featureSet", "")],
        {
            "4.21.0": [
                ("platform.none.fencingCredentials", GATED.format("DualReplica")),
                ("controlPlane.replicas", 'supported values: "3", "1", "4", "5", "2"'),
            ],
            "4.22.0": [],
        },
    ),
    (
        "two masters, nothing else",
        "none",
        [("controlPlane.replicas", 2)],
        {
            "4.18.0": [("ControlPlane.Replicas", 'supported values: "3", "1", "4", "5"')],
            "4.20.0": [
                ("controlPlane.fencing.credentials", FENCED),
                ("controlPlane.replicas", 'supported values: "3", "1", "4", "5", "2"'),
            ],
            "4.22.0": [("controlPlane.fencing.credentials", FENCED)],
        },
    ),
    (
        "fencing by IPMI",
        "fencing",
        [("controlPlane.fencing.credentials[0].address", "ipmi://10.0.0.1")],
        {
            "4.21.0": [TWO_MASTERS],
            "4.22.0": [
                (
                    "controlPlane.fencing.credentials[0].address",
                    ("fencing only supports redfish-compatible BMC addresses, IPMI is not supported"),
                ),
                (
                    "controlPlane.fencing.credentials[0].address",
                    ("failed to parse redfish address, no port number found"),
                ),
            ],
        },
    ),
    (
        "fencing without a name",
        "fencing",
        [("controlPlane.fencing.credentials[0].hostName", "")],
        {
            "4.21.0": [("controlPlane.fencing.credentials[0].hostName", "missing HostName"), TWO_MASTERS],
            "4.22.0": [("controlPlane.fencing.credentials[0].hostName", "missing HostName")],
            "4.23.0": [
                ("controlPlane.fencing.credentials[0]", ("at least one of hostname or macaddress must be provided"))
            ],
        },
    ),
    (
        "arm workers on baremetal",
        "baremetal",
        [("compute[0].architecture", "arm64")],
        {
            "4.20.0": [
                (
                    "compute[0].architecture",
                    ("heteregeneous multi-arch is not supported; compute pool architecture must match control plane"),
                )
            ],
            "4.21.0": [],
            "5.0.0": [],
        },
    ),
    (
        "amd workers of an arm control plane on baremetal",
        "baremetal",
        [("controlPlane.architecture", "arm64")],
        {
            "4.22.0": [
                ("compute[0].architecture", "on multi-arch baremetal, the control plane must be amd64"),
                ("compute[0].architecture", "on baremetal with amd64 control plane, compute must be amd64 or arm64"),
            ]
        },
    ),
    (
        "capability set of a later release",
        "none",
        [("capabilities", {"baselineCapabilitySet": "v4.18"})],
        {
            "4.16.0": [
                (
                    "capabilities.baselineCapabilitySet",
                    ('supported values: "None", "v4.11", "v4.12", "v4.13", "v4.14", "v4.15", "v4.16", "vCurrent"'),
                ),
                ("capabilities", "the Ingress capability is required"),
            ],
            "4.18.0": [],
        },
    ),
    (
        "stream of RHEL 10",
        "none",
        [("osImageStream", "rhel-10")],
        {"4.21.0": [], "4.22.0": [STREAM_GATED], "4.23.0": [], "5.0.0": []},
    ),
    (
        "stream of RHEL 9",
        "none",
        [("osImageStream", "rhel-9")],
        {"4.22.0": [STREAM_GATED], "4.23.0": [], "5.0.0-rc.3": []},
    ),
    (
        "stream, with gates of its own",
        "none",
        [("osImageStream", "rhel-9"), ("featureSet", "CustomNoUpgrade"), ("featureGates", ["Some=true"])],
        {"4.22.0": [STREAM_GATED], "4.23.0": [], "5.0.0": [STREAM_GATED]},
    ),
    (
        "no stream, with gates of its own",
        "none",
        [("featureSet", "CustomNoUpgrade"), ("featureGates", ["Some=true"])],
        {"4.22.0": [], "4.23.0": [], "5.0.0": []},
    ),
    (
        "stream, preview",
        "none",
        [("osImageStream", "rhel-10"), ("featureSet", "TechPreviewNoUpgrade")],
        {"4.22.0": [], "5.0.0": []},
    ),
    (
        "stream, OKD",
        "none",
        [("osImageStream", "centos-10")],
        {
            "4.22.0-okd-scos.10": [
                STREAM_GATED,
                ("osImageStream", "OS Image Streams are only supported on OCP clusters using RHCOS"),
                ("osImageStream", "Unsupported OS Image Stream. Supported values are: rhel-9, rhel-10"),
            ],
            "5.0.0-okd-scos.0": [],
            "5.0.0": [("osImageStream", 'supported values: "rhel-9", "rhel-10"')],
        },
    ),
    (
        "stream of RHEL, OKD",
        "none",
        [("osImageStream", "rhel-10")],
        {"5.0.0-okd-scos.0": [("osImageStream", 'supported values: "centos-10"')]},
    ),
    (
        "stream unknown",
        "none",
        [("osImageStream", "rhel-8"), ("featureSet", "TechPreviewNoUpgrade")],
        {
            "4.22.0": [("osImageStream", "Unsupported OS Image Stream. Supported values are: rhel-9, rhel-10")],
            "4.23.0": [("osImageStream", 'supported values: "rhel-9", "rhel-10"')],
            "5.0.0": [("osImageStream", 'supported values: "rhel-9", "rhel-10"')],
        },
    ),
    (
        "OKD",
        "none",
        [("featureSet", "OKD")],
        {"4.22.0": [("featureSet", "OKD featureset is not supported on OpenShift clusters")], "5.0.0-okd-scos.0": []},
    ),
    (
        "machines by Cluster API",
        "baremetal",
        [("controlPlane.management", "ClusterAPI"), ("compute[0].management", "ClusterAPI")],
        {
            "4.22.0": [
                ("controlPlane.management", GATED.format("ClusterAPIControlPlaneInstall")),
                ("compute.management", GATED.format("ClusterAPIComputeInstall")),
            ],
            "4.23.0": [
                ("controlPlane.management", "machines cannot be managed by Cluster API for platform baremetal"),
                ("compute[0].management", "machines cannot be managed by Cluster API for platform baremetal"),
            ],
        },
    ),
    (
        "machines by Cluster API, technology preview",
        "baremetal",
        [("compute[0].management", "ClusterAPI"), ("featureSet", "TechPreviewNoUpgrade")],
        {"4.22.0": [("compute.management", GATED.format("ClusterAPIComputeInstall"))]},
    ),
    (
        "machines by Cluster API, development preview",
        "baremetal",
        [("compute[0].management", "ClusterAPI"), ("featureSet", "DevPreviewNoUpgrade")],
        {"4.22.0": []},
    ),
    (
        "keys of signers",
        "none",
        [("pki", {"signerCertificates": {"key": {"algorithm": "RSA", "rsa": {"keySize": 2049}}}})],
        {
            "4.22.0": [("pki", "OpenShift 4.22 does not have this field; it was added in 4.23")],
            "4.23.0": [
                ("pki.signerCertificates.key.rsa.keySize", "must be a multiple of 1024 from 2048 to 8192"),
                ("pki", GATED.format("ConfigurablePKI")),
            ],
        },
    ),
    (
        "keys of signers, preview",
        "none",
        [
            ("pki", {"signerCertificates": {"key": {"algorithm": "ECDSA", "ecdsa": {"curve": "P384"}}}}),
            ("featureSet", "TechPreviewNoUpgrade"),
        ],
        {"5.0.0": []},
    ),
    (
        "capability of 4.23",
        "none",
        [
            (
                "capabilities",
                {
                    "baselineCapabilitySet": "v4.18",
                    "additionalEnabledCapabilities": ["ClusterAPI", "CompatibilityRequirements"],
                },
            )
        ],
        {"4.23.0": [], "5.0.0": []},
    ),
    (
        "capability set of 5",
        "none",
        [("capabilities", {"baselineCapabilitySet": "v5.0"})],
        {
            "5.0.0": [
                ("capabilities.baselineCapabilitySet", f"supported values: {SETS}"),
                ("capabilities", "the Ingress capability is required"),
            ]
        },
    ),
    (
        "network type in other letters",
        "sno",
        [("networking.networkType", "ovnkubernetes")],
        {"4.18.0": [], "4.22.0": [], "5.0.0": []},
    ),
    (
        "bootstrap in place",
        "baremetal",
        [
            ("bootstrapInPlace", {"installationDisk": "/dev/vda"}),
            ("controlPlane.replicas", 1),
            ("compute[0].replicas", 0),
        ],
        {
            "4.21.0": [("platform", "Only platform none and external supports 1 ControlPlane and 0 Compute nodes")],
            "4.22.0": [("platform", "Only platform none and external supports 1 ControlPlane and 0 Compute nodes")],
            "4.23.0": [
                ("bootstrapInPlace", "Single Node OpenShift is not supported on the baremetal platform"),
                ("platform", "Only platform none and external supports 1 ControlPlane and 0 Compute nodes"),
            ],
        },
    ),
    (
        "external DNS",
        "baremetal",
        [("platform.baremetal.dnsRecordsType", "External")],
        dict.fromkeys(("4.21.0", "4.22.0", "5.0.0"), EXTERNAL_DNS),
    ),
    (
        "gateway of the provisioning network",
        "baremetal-bmc",
        [("platform.baremetal.provisioningNetworkGateway", "172.22.0.3")],
        {
            "4.22.0": [
                (
                    "platform.baremetal.provisioningNetworkGateway",
                    (
                        '"172.22.0.3" overlaps with the IP address of the node that runs the bootstrap VM or provision '
                        "server"
                    ),
                )
            ]
        },
    ),
    (
        "port of a Prism Element",
        "nutanix",
        [(f"{NUTANIX}[0].endpoint.port", 0)],
        {
            "4.23.0": [
                (
                    f"{NUTANIX}.endpoint.port",
                    ("The Prism Element endpoint port is invalid, must be in the range of 1 to 65535"),
                )
            ]
        },
    ),
    (
        "datacenter of no vCenter",
        "vsphere-full",
        [("platform.vsphere.vcenters[0].datacenters", ["other"])],
        {
            "4.21.0": [],
            "4.22.0": [
                (
                    "platform.vsphere.failureDomains.topology.datacenter",
                    ("datacenter must be defined in vCenter vcenter.example.com datacenters list"),
                )
            ],
        },
    ),
    (
        "join subnet",
        "none",
        [("networking.machineNetwork[0].cidr", "100.64.0.0/16")],
        {
            "4.20.0": [
                (
                    "networking.machineNetwork[0]",
                    ("must not overlap with OVNKubernetes default internal subnet 100.64.0.0/16"),
                )
            ],
            "4.21.0": [
                (
                    "networking.machineNetwork[0]",
                    "must not overlap with OVNKubernetes default internal subnet 100.64.0.0/16: please run "
                    "'openshift-install explain "
                    "installconfig.networking.ovnKubernetesConfig.ipv4' for further documentation",
                )
            ],
        },
    ),
]


@pytest.mark.parametrize(("base", "changes", "expected"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_each_release_says_its_own(
    tmp_path: Path, base: str, changes: list[Change], expected: dict[str, Expected]
) -> None:
    for version, wanted in expected.items():
        assert said(problems(tmp_path, version, changed(INSTALL_CONFIGS[base], changes))) == wanted, version


def test_an_unknown_key_is_an_error_of_the_installer_from_422(tmp_path: Path) -> None:
    install = changed(INSTALL_CONFIGS["none"], [("baseDomian", "x")])
    found = {
        version: [(problem.path, problem.layer) for problem in problems(tmp_path, version, install)]
        for version in ("4.21.0", "4.22.0")
    }
    assert found == {"4.21.0": [("baseDomian", "ours")], "4.22.0": [("baseDomian", "installer")]}


def test_fields_of_later_releases_are_named(tmp_path: Path) -> None:
    install = changed(
        INSTALL_CONFIGS["baremetal"], [("platform.baremetal.bmcVerifyCA", "x"), ("compute[0].management", "MachineAPI")]
    )
    agent = {**NO_HOSTS, "minimalISO": True}
    found = [(problem.path, problem.layer, problem.detail) for problem in problems(tmp_path, "4.17.0", install, agent)]
    assert found == [
        ("minimalISO", "installer", "OpenShift 4.17 does not have this field; it was added in 4.18"),
        ("platform.baremetal.bmcVerifyCA", "ours", "OpenShift 4.17 does not have this field; it was added in 4.21"),
        ("compute[0].management", "ours", "OpenShift 4.17 does not have this field; it was added in 4.22"),
    ]
    assert problems(tmp_path, "4.22.0", install, agent) == []


BY_MAC = "controlPlane.fencing.credentials[0].macAddress"
MAC = "52:54:00:aa:00:00"


@pytest.mark.parametrize("version", ["4.20.0", "4.21.0", "4.22.0"])
@pytest.mark.parametrize(
    "changes",
    [[(BY_MAC, MAC)], [("controlPlane.fencing.credentials[0].hostName", DELETE), (BY_MAC, MAC)]],
    ids=["both", "MAC only"],
)
def test_fencing_by_mac_is_refused_before_423(tmp_path: Path, version: str, changes: list[Change]) -> None:
    """One ``macaddress`` makes the client in the image reject every fencing credential, those by hostname too."""
    found = [
        problem
        for problem in problems(tmp_path, version, changed(INSTALL_CONFIGS["fencing"], changes))
        if problem.path == BY_MAC
    ]
    assert [(problem.kind, problem.check, problem.value) for problem in found] == [("Unknown field", "", "")]
    assert "it was added in 4.23" in found[0].detail
    assert "by its hostname instead" in found[0].hint and "rejects all fencing credentials" in found[0].hint


def test_fencing_by_mac_is_refused_in_variables() -> None:
    credential = {
        "host_name": "node-0",
        "mac_address": MAC,
        "username": "admin",
        "password": "geheim",
        "address": "redfish+https://192.0.2.1/redfish/v1/S/1",
    }
    cluster = {
        **good_cluster(),
        "control_plane": {"fencing": {"credentials": [credential, {**credential, "host_name": "node-1"}]}},
    }
    found = [problem for problem in from_variables(cluster, good_hosts())[1] if problem.kind == "Unknown field"]
    path = "openshift_cluster.control_plane.fencing.credentials[{}].mac_address"
    assert [(problem.path, problem.severity) for problem in found] == [
        (path.format(0), "error"),
        (path.format(1), "error"),
    ]


def test_the_installer_of_422_reads_no_further_than_an_unknown_field(tmp_path: Path) -> None:
    install = changed(INSTALL_CONFIGS["fencing"], [(BY_MAC, MAC), ("metadata.name", "_")])
    layers = {
        version: {problem.path: problem.layer for problem in problems(tmp_path, version, install)}
        for version in ("4.21.0", "4.22.0")
    }
    assert (layers["4.21.0"][BY_MAC], layers["4.21.0"]["metadata.name"]) == ("ours", "installer")
    assert (layers["4.22.0"][BY_MAC], layers["4.22.0"]["metadata.name"]) == ("installer", "ours")


@pytest.mark.parametrize(
    "changes", [[], [("controlPlane.fencing.credentials[0].hostName", DELETE)]], ids=["both", "MAC only"]
)
def test_fencing_by_mac_is_accepted_from_423(tmp_path: Path, changes: list[Change]) -> None:
    install = changed(INSTALL_CONFIGS["fencing"], [(BY_MAC, MAC), *changes])
    agent = {**AGENT_CONFIG, "hosts": AGENT_CONFIG["hosts"][:2]}
    assert [problem.text() for problem in problems(tmp_path, "4.23.0", install, agent)] == []
    assert [problem.text() for problem in problems(tmp_path, "5.0.0", install, agent)] == []


def test_older_installers_name_hosts_with_capitals(tmp_path: Path) -> None:
    agent = changed(
        AGENT_CONFIG,
        [
            ("hosts[0].interfaces[0].macAddress", "x"),
            ("hosts[1].role", "arbiter"),
            ("hosts[2].rootDeviceHints", {"deviceName": "x"}),
        ],
    )
    assert [problem.path for problem in problems(tmp_path, "4.18.0", INSTALL_CONFIGS["none"], agent)][:3] == [
        "Hosts[0].Interfaces[0].macAddress",
        "Hosts[1].Host",
        "Hosts[2].rootDeviceHints.deviceName",
    ]


def test_every_release_has_a_profile() -> None:
    assert list(PROFILES) == [*((4, minor) for minor in range(14, 24)), (5, 0)] == sorted(PROFILES)
    assert (OLDEST, NEWEST) == ((4, 14), (5, 0))
    known = {
        version: profile_of(version).release for version in ("4.22.0-rc.1", "4.23.7", "5.0.0-rc.3", "5.0.0-okd-scos.0")
    }
    assert known == {"4.22.0-rc.1": (4, 22), "4.23.7": (4, 23), "5.0.0-rc.3": (5, 0), "5.0.0-okd-scos.0": (5, 0)}
    # The newest rules for whatever is not known, also between the last release of 4 and the first of 5.
    assert {profile_of(version).release for version in ("4.24.0", "4.99.1", "5.1.0", "6.0.0", "")} == {NEWEST}
    assert profile_of("4.13.9").release == OLDEST
    # A profile is its release: nothing else is held that could differ.
    assert [field.name for field in dataclasses.fields(profile_of("4.20.0"))] == ["release", "okd"]
    assert [
        profile_of(version).okd for version in ("4.15.0-0.okd-2024-03-10-010116", "4.22.0-okd-scos.10", "5.0.0")
    ] == [True, True, False]


def test_each_property_has_a_value_for_each_release() -> None:
    properties = [name for name in dir(ReleaseProfile) if isinstance(getattr(ReleaseProfile, name), property)]
    assert len(properties) > 50
    for profile in PROFILES.values():
        for okd in (False, True):
            assert all(getattr(dataclasses.replace(profile, okd=okd), name) is not None for name in properties)


def test_423_and_50_differ_in_their_default_stream_only() -> None:
    properties = [name for name in dir(ReleaseProfile) if isinstance(getattr(ReleaseProfile, name), property)]
    differing = {name for name in properties if getattr(PROFILES[4, 23], name) != getattr(PROFILES[5, 0], name)}
    assert differing == {"default_os_stream", "os_stream_in_effect"}
    streams = {
        version: (profile_of(version).default_os_stream, profile_of(version).os_stream_in_effect)
        for version in ("4.21.0", "4.22.0", "4.23.0", "5.0.0")
    }
    assert streams == {
        "4.21.0": ("", "rhel-9"),
        "4.22.0": ("", "rhel-9"),
        "4.23.0": ("rhel-9", "rhel-9"),
        "5.0.0": ("rhel-10", "rhel-10"),
    }


KNOWN = [
    *(f"4.{minor}.0" for minor in range(14, 24)),
    "5.0.0",
    "5.0.0-ec.6",
    "5.0.0-okd-scos.0",
    "4.22.0-okd-scos.10",
    "4.15.0-0.okd-2024-03-10-010116",
]


@pytest.mark.parametrize("version", KNOWN)
def test_known_releases(version: str) -> None:
    assert check_version(version, "v") == []


@pytest.mark.parametrize("version", ["4.24.0", "4.30.1", "5.1.0-ec.0", "6.0.0", "4.23.0-okd-scos.0"])
def test_an_unknown_release_is_a_check_that_can_be_lowered(version: str) -> None:
    (problem,) = found = check_version(version, "v")
    assert (problem.check, problem.severity, problem.layer) == ("release-unknown", "error", "ours")
    assert "4.22, 4.23, 5.0" in problem.detail and "release-unknown: warn" in problem.hint
    assert [problem.severity for problem in apply_checks(found, {"release-unknown": "warn"})] == ["warning"]


def test_a_release_before_the_oldest_cannot_be_lowered() -> None:
    (problem,) = check_version("4.13.0", "v")
    assert (problem.check, problem.severity) == ("", "error") and "older" in problem.detail


def test_with_warn_an_unknown_release_has_the_newest_rules(tmp_path: Path) -> None:
    install = changed(INSTALL_CONFIGS["none"], [("osImageStream", "centos-10")])
    found = {problem.path: problem for problem in problems(tmp_path, "5.7.0", install)}
    assert found["osImageStream"].detail == 'supported values: "rhel-9", "rhel-10"'
    assert [problem.check for problem in found.values()] == ["", "release-unknown"]


def test_release_images() -> None:
    images = {
        version: default_release_image(version, "x86_64")
        for version in ("4.22.3", "5.0.0-rc.3", "5.0.0-okd-scos.0", "4.15.0-0.okd-2024-03-10-010116")
    }
    assert images == {
        "4.22.3": "quay.io/openshift-release-dev/ocp-release:4.22.3-x86_64",
        "5.0.0-rc.3": "quay.io/openshift-release-dev/ocp-release:5.0.0-rc.3-x86_64",
        "5.0.0-okd-scos.0": "quay.io/okd/scos-release:5.0.0-okd-scos.0",
        "4.15.0-0.okd-2024-03-10-010116": "quay.io/openshift/okd:4.15.0-0.okd-2024-03-10-010116",
    }


def test_names_of_the_interface_table_that_network_config_lacks(tmp_path: Path) -> None:
    """The installer warns of them from 4.23 on (openshift/installer 10567)."""
    named = {
        "interfaces": [{"name": "eth7", "type": "ethernet", "state": "up", "ipv4": {"enabled": True, "dhcp": True}}]
    }
    agent = changed(AGENT_CONFIG, [("hosts[0].networkConfig", named)])
    (tmp_path / "install-config.yaml").write_text(json.dumps(INSTALL_CONFIGS["none"]))
    (tmp_path / "agent-config.yaml").write_text(json.dumps(agent))
    table = agent["hosts"][0]["interfaces"]
    said_by = {}
    for version in ("4.22.0", "4.23.0", "5.0.0"):
        parsed = read_directory(
            tmp_path, version=version, release_image="quay.io/openshift-release-dev/ocp-release@sha256:" + "0" * 64
        )
        found = [
            problem
            for problem in all_problems(parsed, today=datetime.date(2026, 6, 1))
            if problem.check == "interface-name"
        ]
        said_by[version] = [(problem.path, problem.severity, problem.layer, problem.detail) for problem in found]
    assert said_by["4.22.0"] == []
    assert said_by["5.0.0"] == said_by["4.23.0"]
    words = (
        "not found in networkConfig interfaces [eth7]; connectivity may fail if interface names do not match at boot "
        "time"
    )
    expected = [
        (f"hosts[0].interfaces[{index}].name", "warning", "installer", f'interface name "{interface["name"]}" {words}')
        for index, interface in enumerate(table)
    ]
    assert said_by["4.23.0"] == expected and expected


def test_an_entry_without_a_network_is_no_lack_of_ipv6(tmp_path: Path) -> None:
    """The installer counts it as one of IPv6 (openshift/installer pkg/types/validation/installconfig.go); what is wrong
    with it is said once.
    """
    both = {"machineNetwork": [{"cidr": "192.168.111.0/24"}, {}], "serviceNetwork": ["172.30.0.0/16", "fd03::/112"]}
    cluster = [{"cidr": "10.128.0.0/14", "hostPrefix": 23}, {"cidr": "fd01::/48", "hostPrefix": 64}]
    changes = [*((f"networking.{name}", value) for name, value in both.items()), ("networking.clusterNetwork", cluster)]
    found = [
        (problem.path, problem.detail)
        for problem in problems(tmp_path, "4.22.0", changed(INSTALL_CONFIGS["none"], changes))
    ]
    assert found == [("networking.machineNetwork[1].cidr", "a network is needed")]


@pytest.mark.parametrize(("severity", "left"), [("error", ["error"]), ("warn", ["warning"]), ("off", [])])
def test_a_number_where_text_is_expected_is_a_check(tmp_path: Path, severity: str, left: list[str]) -> None:
    install = changed(INSTALL_CONFIGS["none"], [("metadata.name", 123)])
    (tmp_path / "install-config.yaml").write_text(json.dumps(install))
    (tmp_path / "agent-config.yaml").write_text(json.dumps(AGENT_CONFIG))
    parsed = read_directory(
        tmp_path, version="4.22.0", release_image="quay.io/openshift-release-dev/ocp-release@sha256:" + "0" * 64
    )
    found = [
        problem for problem in all_problems(parsed, today=datetime.date(2026, 6, 1)) if problem.path == "metadata.name"
    ]
    assert [(problem.check, problem.layer, problem.hint) for problem in found] == [
        ("text-expected", "ours", "write the value in quotes")
    ]
    assert [problem.severity for problem in apply_checks(found, {"text-expected": severity})] == left
    assert parsed.deployment is not None and parsed.deployment.cluster.name == "123"
