# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test reading install-config.yaml and agent-config.yaml: current and older layouts, all places that can list hosts,
and the file and line in each problem.
"""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.cluster.files import from_directory, read_directory
from ansible_collections.zerotouch.openshift.plugins.module_utils.cluster.paths import in_users_terms
from ansible_collections.zerotouch.openshift.plugins.module_utils.cluster.render import render_files
from ansible_collections.zerotouch.openshift.plugins.module_utils.cluster.spec import Deployment
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.problems import Problem, errors, warnings
from hypothesis import given, settings
from hypothesis import strategies as st

INSTALL_CONFIG = """\
apiVersion: v1
metadata:
  name: demo
baseDomain: example.com
controlPlane:
  replicas: 3
compute:
- name: worker
  replicas: 0
networking:
  machineNetwork:
  - cidr: 192.0.2.0/24
platform:
  baremetal:
    apiVIPs: [192.0.2.5]
    ingressVIPs: [192.0.2.6]
pullSecret: '{"auths": {"quay.io": {"auth": "dXNlcjpnZWhlaW0="}}}'
sshKey: ssh-ed25519 AAAA admin
"""

AGENT_CONFIG = """\
apiVersion: v1beta1
kind: AgentConfig
metadata:
  name: demo
rendezvousIP: 192.0.2.11
hosts:
- hostname: node-1
  role: master
  interfaces:
  - name: eno1
    macAddress: 52:54:00:00:01:11
"""

KNI22 = Path(__file__).parents[1] / "data" / "kni22"


def read(
    tmp_path: Path, install: str | None = INSTALL_CONFIG, agent: str | None = AGENT_CONFIG, version: str = "4.22.0"
) -> tuple[Deployment | None, list[Problem]]:
    if install is not None:
        (tmp_path / "install-config.yaml").write_text(install)
    if agent is not None:
        (tmp_path / "agent-config.yaml").write_text(agent)
    return from_directory(tmp_path, version=version)


def found(problems: list[Problem]) -> list[tuple[str, str, str, int]]:
    return [(problem.path, problem.kind, Path(problem.file).name, problem.line) for problem in problems]


def test_todays_layout(tmp_path: Path) -> None:
    deployment, problems = read(tmp_path)
    assert problems == []
    assert deployment is not None
    cluster = deployment.cluster
    assert (cluster.name, cluster.base_domain, cluster.platform, cluster.api_vips) == (
        "demo",
        "example.com",
        "baremetal",
        ("192.0.2.5",),
    )
    assert cluster.replicas == {"master": 3, "arbiter": 0, "worker": 0}
    assert cluster.networking.service_networks == ("172.30.0.0/16",)
    assert cluster.release_image == "quay.io/openshift-release-dev/ocp-release:4.22.0-x86_64"
    assert deployment.rendezvous_ip == "192.0.2.11"
    assert [(host.name, host.role, host.macs) for host in deployment.hosts] == [
        ("node-1", "master", ("52:54:00:00:01:11",))
    ]


def test_defaults_of_the_installer(tmp_path: Path) -> None:
    text = "apiVersion: v1\nmetadata: {name: demo}\nbaseDomain: example.com\nplatform: {none: {}}\npullSecret: '{}'\n"
    deployment, problems = read(tmp_path, text, None)
    assert problems == []
    assert deployment is not None
    assert deployment.cluster.replicas == {"master": 3, "arbiter": 0, "worker": 3}
    assert deployment.cluster.networking.machine_networks == ("10.0.0.0/16",)
    assert deployment.cluster.control_plane.architecture == "amd64"
    assert deployment.hosts == ()


def test_keys_match_without_regard_to_case(tmp_path: Path) -> None:
    text = (
        INSTALL_CONFIG.replace("apiVIPs", "apiVips")
        .replace("ingressVIPs", "ingressvips")
        .replace("baseDomain", "BaseDomain")
    )
    deployment, problems = read(tmp_path, text)
    assert problems == []
    assert deployment is not None
    assert (deployment.cluster.api_vips, deployment.cluster.ingress_vips) == (("192.0.2.5",), ("192.0.2.6",))


MISTAKES = [
    (
        "unknown key",
        "baseDomain: example.com",
        "baseDomian: example.com",
        ("baseDomian", "Unknown field", "install-config.yaml", 4),
        "baseDomain",
    ),
    (
        "unknown nested key",
        "    apiVIPs:",
        "    apiVIPS_:",
        ("platform.baremetal.apiVIPS_", "Unknown field", "install-config.yaml", 15),
        "apiVIPs",
    ),
    (
        "duplicate key",
        "  replicas: 3",
        "  replicas: 3\n  replicas: 5",
        ("controlPlane.replicas", "Duplicate value", "install-config.yaml", 7),
        "first on line 6",
    ),
    (
        "same key in another case",
        "  replicas: 3",
        "  replicas: 3\n  Replicas: 5",
        ("controlPlane.Replicas", "Duplicate value", "install-config.yaml", 7),
        "same field",
    ),
    (
        "text for a number",
        "  replicas: 3",
        "  replicas: three",
        ("controlPlane.replicas", "Invalid value", "install-config.yaml", 6),
        "whole number",
    ),
    (
        "one VIP instead of a list",
        "[192.0.2.5]",
        "192.0.2.5",
        ("platform.baremetal.apiVIPs", "Invalid value", "install-config.yaml", 15),
        "list of strings",
    ),
    ("JSON without quotes", "pullSecret: '{", "pullSecret: {", None, ""),
    (
        "no apiVersion",
        "apiVersion: v1\n",
        "",
        ("apiVersion", "Required value", "install-config.yaml", 1),
        "version required",
    ),
    (
        "another apiVersion",
        "apiVersion: v1\n",
        "apiVersion: v2\n",
        ("apiVersion", "Invalid value", "install-config.yaml", 1),
        'must be "v1"',
    ),
    (
        "no network",
        "192.0.2.0/24",
        "192.0.2.0",
        ("networking.machineNetwork[0].cidr", "Invalid value", "install-config.yaml", 12),
        "invalid CIDR address",
    ),
]


@pytest.mark.parametrize(("name", "old", "new", "problem", "words"), MISTAKES, ids=[mistake[0] for mistake in MISTAKES])
def test_mistakes_in_install_config(
    tmp_path: Path, name: str, old: str, new: str, problem: tuple[str, str, str, int] | None, words: str
) -> None:
    text = INSTALL_CONFIG.replace(old, new)
    if problem is None:
        text, problem, words = (
            text.replace("}}}'", "}}}"),
            ("pullSecret", "Invalid value", "install-config.yaml", 17),
            "single quotes",
        )
    assert text != INSTALL_CONFIG
    _deployment, problems = read(tmp_path, text)
    assert found(problems) == [problem]
    assert words in problems[0].text()
    assert "dXNl" not in problems[0].text()


AGENT_MISTAKES = [
    ("no apiVersion", "apiVersion: v1beta1\n", "", ("apiVersion", "Required value", "agent-config.yaml", 1)),
    ("unknown apiVersion", "v1beta1", "v2", ("apiVersion", "Invalid value", "agent-config.yaml", 1)),
    (
        "misspelt key",
        "macAddress",
        "macAdress",
        ("hosts[0].interfaces[0].macAdress", "Unknown field", "agent-config.yaml", 11),
    ),
    (
        "MAC as a list",
        "52:54:00:00:01:11",
        "[x]",
        ("hosts[0].interfaces[0].macAddress", "Invalid value", "agent-config.yaml", 11),
    ),
    ("hosts as a mapping", "hosts:\n- hostname", "hosts:\n  hostname", None),
]


@pytest.mark.parametrize(
    ("name", "old", "new", "problem"), AGENT_MISTAKES, ids=[mistake[0] for mistake in AGENT_MISTAKES]
)
def test_mistakes_in_agent_config(
    tmp_path: Path, name: str, old: str, new: str, problem: tuple[str, str, str, int] | None
) -> None:
    _deployment, problems = read(tmp_path, agent=AGENT_CONFIG.replace(old, new))
    assert found(problems) == [problem or ("hosts", "Invalid value", "agent-config.yaml", 6)]


UPGRADES = [
    ("apiVIP", "    apiVIPs: [192.0.2.5]", "    apiVIP: 192.0.2.5", "platform.baremetal.apiVIP", 15),
    ("ingressVIP", "    ingressVIPs: [192.0.2.6]", "    ingressVIP: 192.0.2.6", "platform.baremetal.ingressVIP", 16),
    (
        "machineCIDR",
        "  machineNetwork:\n  - cidr: 192.0.2.0/24",
        "  machineCIDR: 192.0.2.0/24",
        "networking.machineCIDR",
        11,
    ),
    ("type", "networking:\n", "networking:\n  type: OVNKubernetes\n", "networking.type", 11),
    ("serviceCIDR", "networking:\n", "networking:\n  serviceCIDR: 172.30.0.0/16\n", "networking.serviceCIDR", 11),
    (
        "clusterNetworks",
        "networking:\n",
        "networking:\n  clusterNetworks: [{cidr: 10.128.0.0/14, hostPrefix: 23}]\n",
        "networking.clusterNetworks",
        11,
    ),
    (
        "hostSubnetLength",
        "networking:\n",
        "networking:\n  clusterNetwork: [{cidr: 10.128.0.0/14, hostSubnetLength: 9}]\n",
        "networking.clusterNetwork[0].hostSubnetLength",
        11,
    ),
    ("apiVersion", "apiVersion: v1\n", "apiVersion: v1beta4\n", "apiVersion", 1),
    (
        "provisioningDHCPExternal",
        "  baremetal:\n",
        "  baremetal:\n    provisioningDHCPExternal: false\n",
        "platform.baremetal.provisioningDHCPExternal",
        15,
    ),
]


@pytest.mark.parametrize(("name", "new", "old", "path", "line"), UPGRADES, ids=[upgrade[0] for upgrade in UPGRADES])
def test_deprecated_fields_mean_the_same_and_warn_once(
    tmp_path: Path, name: str, new: str, old: str, path: str, line: int
) -> None:
    today, _problems = read(tmp_path)
    deployment, problems = read(tmp_path, INSTALL_CONFIG.replace(new, old))
    assert found(problems) == [(path, "Deprecated", "install-config.yaml", line)]
    assert problems[0].severity == "warning"
    assert problems[0].check in ("deprecated-field", "layout-upgraded")
    assert deployment == today


def test_deprecated_fields_that_change_something(tmp_path: Path) -> None:
    text = INSTALL_CONFIG.replace(
        "  baremetal:\n", ("  baremetal:\n    provisioningHostIP: 172.22.0.3\n    provisioningDHCPExternal: true\n")
    )
    text += "imageContentSources:\n- source: quay.io/a\n  mirrors: [registry.example.com/a]\n"
    deployment, problems = read(tmp_path, text)
    assert [problem.path for problem in problems] == [
        "platform.baremetal.provisioningDHCPExternal",
        "platform.baremetal.provisioningHostIP",
    ]
    assert deployment is not None
    assert deployment.cluster.platform_options == {
        "clusterProvisioningIP": "172.22.0.3",
        "provisioningNetwork": "Unmanaged",
    }
    assert [(source.source, source.mirrors) for source in deployment.cluster.image_digest_sources] == [
        ("quay.io/a", ("registry.example.com/a",))
    ]


CONTRADICTIONS = [
    (
        "    apiVIPs: [192.0.2.5]",
        "    apiVIPs: [192.0.2.5]\n    apiVIP: 192.0.2.7",
        "platform.baremetal.apiVIPs",
        "installer",
    ),
    ("networking:\n", "networking:\n  machineCIDR: 10.0.0.0/16\n", "networking.machineNetwork", "ours"),
    (
        "networking:\n",
        "networking:\n  clusterNetwork: [{cidr: 10.128.0.0/14, hostPrefix: 24, hostSubnetLength: 9}]\n",
        "networking.clusterNetwork[0].hostPrefix",
        "ours",
    ),
]


@pytest.mark.parametrize(("old", "new", "path", "layer"), CONTRADICTIONS)
def test_old_and_new_field_must_agree(tmp_path: Path, old: str, new: str, path: str, layer: str) -> None:
    _deployment, problems = read(tmp_path, INSTALL_CONFIG.replace(old, new))
    assert [(problem.path, problem.kind, problem.layer) for problem in errors(problems)] == [
        (path, "Invalid value", layer)
    ]


def test_prerelease_agent_config(tmp_path: Path) -> None:
    body = AGENT_CONFIG.split("name: demo\n", 1)[1]
    text = "kind: AgentConfig\nmetadata:\n  name: demo\nspec:\n" + "".join(f"  {line}\n" for line in body.splitlines())
    today, _problems = read(tmp_path)
    deployment, problems = read(tmp_path, agent=text)
    assert found(problems) == [("spec", "Deprecated", "agent-config.yaml", 4)]
    assert "rendezvousIP, hosts" in problems[0].detail
    assert deployment == today
    # A rule's problem is led back to where the value stands.
    parsed = read_directory(tmp_path, version="4.22.0")
    (led,) = in_users_terms(
        [Problem("hosts[0].interfaces[0].macAddress", "Invalid value", "", file="agent-config.yaml")], parsed.source
    )
    assert found([led]) == [("hosts[0].interfaces[0].macAddress", "Invalid value", "agent-config.yaml", 11)]
    ours = Problem("hosts[0].interfaces[0].macAddress", "Invalid value", "", layer="ours", file="agent-config.yaml")
    assert found(in_users_terms([ours], parsed.source)) == [
        ("spec.hosts[0].interfaces[0].macAddress", "Invalid value", "agent-config.yaml", 11)
    ]


def test_alpha_agent_config(tmp_path: Path) -> None:
    deployment, problems = read(tmp_path, agent=AGENT_CONFIG.replace("v1beta1", "v1alpha1"))
    assert found(problems) == [("apiVersion", "Deprecated", "agent-config.yaml", 1)]
    assert deployment is not None


def test_rules_are_led_to_file_and_line(tmp_path: Path) -> None:
    read(tmp_path, INSTALL_CONFIG.replace("    apiVIPs: [192.0.2.5]", "    apiVIP: 192.0.2.5"))
    source = read_directory(tmp_path, version="4.22.0").source
    asked = [
        Problem("platform.baremetal.apiVIPs[0]", "Invalid value", "", file="install-config.yaml"),
        Problem("platform.baremetal.apiVIPs", "Required value", "", file="install-config.yaml"),
        Problem("platform.baremetal.loadBalancer.type", "Invalid value", "", file="install-config.yaml"),
        Problem("networking.clusterNetwork[0].cidr", "Invalid value", "", file="install-config.yaml"),
        Problem("hosts[0].rootDeviceHints", "Required value", "", file="agent-config.yaml"),
        Problem("rendezvousIP", "Invalid value", ""),
        Problem("openshift_version", "Required value", ""),
    ]
    assert [(problem.path, Path(problem.file).name, problem.line) for problem in in_users_terms(asked, source)] == [
        ("platform.baremetal.apiVIPs[0]", "install-config.yaml", 15),
        ("platform.baremetal.apiVIPs", "install-config.yaml", 15),
        ("platform.baremetal.loadBalancer.type", "install-config.yaml", 14),
        ("networking.clusterNetwork[0].cidr", "install-config.yaml", 10),
        ("hosts[0].rootDeviceHints", "agent-config.yaml", 7),
        ("rendezvousIP", "agent-config.yaml", 5),
        ("openshift_version", "", 0),
    ]
    assert in_users_terms(asked, source)[0].file == str(tmp_path / "install-config.yaml")


BAREMETAL_HOSTS = """\
    hosts:
    - name: worker-1
      role: worker
      bootMACAddress: 52:54:00:00:02:01
    - name: node-1
      role: master
      bootMACAddress: 52:54:00:00:01:01
      bootMode: legacy
      rootDeviceHints: {deviceName: /dev/vda}
      bmc: {address: redfish://192.0.2.201, username: admin, password: geheim, disableCertificateVerification: true}
      networkConfig:
        interfaces:
        - {name: eno1, mac-address: 52:54:00:00:01:01}
        - {name: eno2, mac-address: 52:54:00:00:01:02}
        - {name: bond0}
"""


def with_baremetal_hosts(hosts: str = BAREMETAL_HOSTS) -> str:
    return INSTALL_CONFIG.replace("  baremetal:\n", "  baremetal:\n" + hosts)


def test_hosts_of_install_config(tmp_path: Path) -> None:
    deployment, problems = read(tmp_path, with_baremetal_hosts(), "apiVersion: v1beta1\nrendezvousIP: 192.0.2.11\n")
    assert problems == []
    assert deployment is not None
    node, worker = deployment.hosts
    assert [(interface.name, interface.mac_address) for interface in node.interfaces] == [
        ("eno1", "52:54:00:00:01:01"),
        ("eno2", "52:54:00:00:01:02"),
    ]
    assert (node.hostname, node.role) == ("node-1", "master")
    assert node.bmc is not None
    assert (node.bmc.address, node.bmc.password, node.bmc.validate_certs) == ("redfish://192.0.2.201", "geheim", False)
    assert [(interface.name, interface.mac_address) for interface in worker.interfaces] == [
        ("boot", "52:54:00:00:02:01")
    ]
    (listed,) = deployment.cluster.platform_options["hosts"]
    assert (listed["name"], listed["bootMACAddress"], listed["bmc"]["username"]) == (
        "node-1",
        "52:54:00:00:01:01",
        "admin",
    )
    source = read_directory(tmp_path).source
    (led,) = in_users_terms(
        [Problem("platform.baremetal.hosts[0].bmc.address", "Invalid value", "", file="install-config.yaml")], source
    )
    assert found([led]) == [("platform.baremetal.hosts[0].bmc.address", "Invalid value", "install-config.yaml", 24)]
    (led,) = in_users_terms(
        [Problem("hosts[0].interfaces[1].macAddress", "Invalid value", "", file="agent-config.yaml")], source
    )
    assert found([led]) == [("hosts[0].interfaces[1].macAddress", "Invalid value", "install-config.yaml", 28)]


def test_hosts_defined_twice(tmp_path: Path) -> None:
    deployment, problems = read(tmp_path, with_baremetal_hosts())
    assert found(problems) == [("platform.baremetal.hosts", "Ignored", "install-config.yaml", 15)]
    assert problems[0].check == "hosts-defined-twice"
    assert deployment is not None
    assert [host.name for host in deployment.hosts] == ["node-1"]
    assert deployment.cluster.platform_options == {}


def test_boot_mac_of_install_config_hosts(tmp_path: Path) -> None:
    hosts = BAREMETAL_HOSTS.replace("      bootMACAddress: 52:54:00:00:02:01\n", "").replace(
        "bootMACAddress: 52:54:00:00:01:01", "bootMACAddress: 52:54:00:00:01:09"
    )
    _deployment, problems = read(tmp_path, with_baremetal_hosts(hosts), None)
    assert found(errors(problems)) == [
        ("platform.baremetal.hosts[0].bootMACAddress", "Required value", "install-config.yaml", 16)
    ]
    assert "boot-mac" in [problem.check for problem in warnings(problems)]


def test_version_and_release_image(tmp_path: Path) -> None:
    deployment, problems = read(tmp_path, version="")
    assert [(problem.path, problem.kind) for problem in problems] == [("openshift_version", "Required value")]
    (tmp_path / "release.json").write_text(
        json.dumps({"version": "4.21.3", "release_image": "registry.example.com/ocp@sha256:00"})
    )
    deployment, problems = from_directory(tmp_path)
    assert problems == []
    assert deployment is not None
    assert (deployment.cluster.version, deployment.cluster.release_image) == (
        "4.21.3",
        "registry.example.com/ocp@sha256:00",
    )
    deployment, _problems = from_directory(tmp_path, version="4.22.1")
    assert deployment is not None
    assert deployment.cluster.release_image == "quay.io/openshift-release-dev/ocp-release:4.22.1-x86_64"
    deployment, _problems = from_directory(tmp_path, version="4.21.3", release_image="registry.example.com/other:1\n")
    assert deployment is not None
    assert deployment.cluster.release_image == "registry.example.com/other:1"
    pinned = {
        "version": "4.21.3",
        "release_image": "registry.example.com/ocp@sha256:00",
        "release_tag": "registry.example.com/ocp:4.21.3",
    }
    (tmp_path / "release.json").write_text(json.dumps(pinned))
    for image, tag in (
        ("", pinned["release_tag"]),
        (pinned["release_image"], pinned["release_tag"]),
        (pinned["release_tag"], ""),
    ):
        deployment, _problems = from_directory(tmp_path, release_image=image)
        assert deployment is not None and deployment.cluster.release_tag == tag
    deployment, _problems = from_directory(tmp_path)
    assert deployment is not None and json.loads(render_files(deployment)["release.json"]) == pinned
    (tmp_path / "release.json").write_text("{")
    assert found(from_directory(tmp_path)[1])[0] == ("", "Syntax error", "release.json", 1)


def test_files_that_are_not_there_or_not_readable(tmp_path: Path) -> None:
    assert found(read(tmp_path, None, None)[1]) == [("", "Required value", tmp_path.name, 0)]
    deployment, problems = read(tmp_path, "a: [", "b: [")
    assert deployment is None
    assert [Path(problem.file).name for problem in problems] == ["install-config.yaml", "agent-config.yaml"]
    (tmp_path / "install-config.yaml").write_bytes(b"\xff\xfe")
    assert [problem.kind for problem in from_directory(tmp_path)[1]][:1] == ["Syntax error"]
    assert found(read(tmp_path, "- a\n")[1]) == [("", "Invalid value", "install-config.yaml", 1)]
    deployment, problems = read(tmp_path, "")
    assert "apiVersion" in [problem.path for problem in problems]


def test_extra_manifests(tmp_path: Path) -> None:
    manifests = tmp_path / "openshift"
    manifests.mkdir()
    (manifests / "b.yaml").write_text("kind: B\n---\nkind: C\n")
    (manifests / "a.yml").write_text("kind: A\n")
    (manifests / "notes.txt").write_text("not a manifest")
    deployment, problems = read(tmp_path)
    assert problems == []
    assert deployment is not None
    assert [(manifest.name, manifest.text) for manifest in deployment.cluster.extra_manifests] == [
        ("a.yml", "kind: A\n"),
        ("b.yaml", "kind: B\n---\nkind: C\n"),
    ]
    (manifests / "b.yaml").write_text("kind: B\n---\n- C\n")
    (manifests / "a.yml").write_text("kind: [\n")
    _deployment, problems = read(tmp_path)
    assert [(Path(problem.file).name, problem.kind, problem.line) for problem in problems] == [
        ("a.yml", "Syntax error", 2),
        ("b.yaml", "Invalid value", 3),
    ]


def test_kni22(tmp_path: Path) -> None:
    _deployment, problems = from_directory(KNI22, version="4.22.0")
    (error,) = errors(problems)
    assert found([error]) == [("pullSecret", "Syntax error", "install-config.yaml", 38)]
    assert """pullSecret: '{"auths": {"host:5000": {"auth": "…"}}}'""" in error.hint
    assert "ZHVtbXk" not in "".join(problem.text() for problem in problems)
    # The one correction.
    text = (KNI22 / "install-config.yaml").read_text().replace("''{", "'{").replace("}''", "}'")
    deployment, problems = read(tmp_path, text, (KNI22 / "agent-config.yaml").read_text())
    assert sorted((problem.path, problem.severity, problem.check, problem.line) for problem in problems) == [
        ("platform.baremetal.apiVIP", "warning", "deprecated-field", 36),
        ("platform.baremetal.hosts", "warning", "hosts-defined-twice", 26),
        ("platform.baremetal.ingressVIP", "warning", "deprecated-field", 37),
        ("spec", "warning", "layout-upgraded", 4),
    ]
    assert deployment is not None
    assert deployment.rendezvous_ip == "192.168.0.116"
    assert [host.name for host in deployment.hosts] == ["asus3-vm1", "asus3-vm2", "asus3-vm3"]


SECRETIVE = INSTALL_CONFIG.replace("dXNlcjpnZWhlaW0=", "Z2VoZWltZ2VoZWlt")


@settings(max_examples=150, deadline=None, derandomize=True)
@given(
    st.integers(0, len(SECRETIVE) - 1),
    st.integers(0, 30),
    st.text(st.sampled_from("\t :-'\"{}[]&*!|>%@`#,x\n\x00ü"), max_size=3),
    st.booleans(),
)
def test_damaged_files_are_problems_that_show_no_secret(start: int, length: int, inserted: str, agent: bool) -> None:
    text = AGENT_CONFIG if agent else SECRETIVE
    start = min(start, len(text))
    damaged = text[:start] + inserted + text[start + length :]
    with tempfile.TemporaryDirectory() as directory:
        deployment, problems = read(
            Path(directory), SECRETIVE if agent else damaged, damaged if agent else AGENT_CONFIG
        )
    assert deployment is not None or errors(problems)
    said = "".join(problem.text() for problem in problems)
    # Any part of the secret that is long enough to be of use.
    assert not any(secret in said for secret in ("Z2VoZWlt", "VoZWltZ2"))
