# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test converting Ansible variables to a deployment: the effect of each option. Invalid input gives a problem, never an
exception.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.cluster.paths import in_users_terms
from ansible_collections.zerotouch.openshift.plugins.module_utils.cluster.render import render_files
from ansible_collections.zerotouch.openshift.plugins.module_utils.cluster.spec import (
    Bmc,
    ClusterNetwork,
    Deployment,
    ImageDigestSource,
    Proxy,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.cluster.variable_fields import (
    CLUSTER,
    HOST,
    TARGETS_BY_OPTION,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.cluster.variables import read_variables
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.problems import Problem
from ansible_collections.zerotouch.openshift.tests.unit.cluster.reading import from_variables
from hypothesis import given, settings
from hypothesis import strategies as st

from .mistakes import good_cluster, good_hosts


def deployed(hosts: list[dict[str, Any]] | None = None, **options: Any) -> Deployment:
    """The deployment of the good description with some options set; None removes an option."""
    cluster = {key: value for key, value in {**good_cluster(), **options}.items() if value is not None}
    deployment, problems = from_variables(cluster, good_hosts() if hosts is None else hosts)
    assert [problem.text() for problem in problems] == []
    assert deployment is not None
    return deployment


def problems_of(hosts: list[dict[str, Any]] | None = None, **options: Any) -> list[tuple[str, str]]:
    cluster = {key: value for key, value in {**good_cluster(), **options}.items() if value is not None}
    _deployment, problems = from_variables(cluster, good_hosts() if hosts is None else hosts)
    return [(problem.path, problem.kind) for problem in problems]


OPTIONS = [
    ("name", "demo", "demo"),
    ("namespace", "ns", "ns"),
    ("base_domain", "example.com", "example.com"),
    ("version", "4.21.7", "4.21.7"),
    ("release_image", "registry.example.com/ocp@sha256:00", "registry.example.com/ocp@sha256:00"),
    ("platform", "vsphere", "vsphere"),
    ("platform_options", {"provisioningNetwork": "Disabled"}, {"provisioningNetwork": "Disabled"}),
    ("api_vips", ["192.0.2.5", "2001:db8::5"], ("192.0.2.5", "2001:db8::5")),
    ("ingress_vips", ["192.0.2.6"], ("192.0.2.6",)),
    ("additional_trust_bundle", "-----BEGIN…\n", "-----BEGIN…\n"),
    ("additional_trust_bundle_policy", "Always", "Always"),
    ("ssh_public_keys", ["ssh-rsa AAAA a\n", "ssh-rsa BBBB b"], None),
    (
        "image_digest_sources",
        [{"source": "quay.io/a", "mirrors": ["m/a"], "source_policy": "NeverContactSource"}],
        (ImageDigestSource("quay.io/a", ("m/a",), "NeverContactSource"),),
    ),
    (
        "proxy",
        {"http_proxy": "http://p", "https_proxy": "http://s", "no_proxy": "x"},
        Proxy("http://p", "http://s", "x"),
    ),
    ("fips", True, True),
    ("cpu_partitioning_mode", "AllNodes", "AllNodes"),
    (
        "capabilities",
        {"baseline_capability_set": "None", "additional_enabled_capabilities": ["Ingress"]},
        {"baselineCapabilitySet": "None", "additionalEnabledCapabilities": ["Ingress"]},
    ),
    ("feature_set", "CustomNoUpgrade", "CustomNoUpgrade"),
    ("feature_gates", ["A=true"], ("A=true",)),
    ("os_image_stream", "rhel-10", "rhel-10"),
    ("rendezvous_ip", "192.0.2.12", "192.0.2.12"),
    ("ntp_sources", ["pool.example.com"], ("pool.example.com",)),
    ("boot_artifacts_base_url", "http://192.0.2.1/boot/", "http://192.0.2.1/boot"),
    ("minimal_iso", True, True),
    ("live_kernel_arguments", ["console=tty0", "console=ttyS0,115200n8"], ("console=tty0", "console=ttyS0,115200n8")),
]


@pytest.mark.parametrize(("option", "value", "expected"), OPTIONS, ids=[option[0] for option in OPTIONS])
def test_options_that_are_fields_of_the_cluster(option: str, value: Any, expected: Any) -> None:
    cluster = deployed(**{option: value}).cluster
    if option == "ssh_public_keys":
        assert cluster.ssh_key == "ssh-rsa AAAA a\nssh-rsa BBBB b"
    else:
        # Fields that no rule reads have no attribute.
        held = cluster.install_config_extra.get(TARGETS_BY_OPTION.get(option, ""))
        assert getattr(cluster, option, held) == expected


def test_every_option_is_tested_or_has_a_test_of_its_own() -> None:
    elsewhere = {
        "network_type",
        "machine_networks",
        "cluster_networks",
        "service_networks",
        "control_plane",
        "compute",
        "arbiter",
        "architecture",
    }
    elsewhere |= {"pull_secret", "extra_manifests", "install_config_overrides"}
    assert {option[0] for option in OPTIONS} | elsewhere == set(CLUSTER.fields)
    assert set(HOST.fields) == {
        "hostname",
        "interfaces",
        "root_device_hints",
        "network_config",
        "bmc",
        "libvirt",
        "vm",
        "boot",
    }


def test_networking() -> None:
    networking = deployed(
        network_type="ovnkubernetes",
        machine_networks=["192.0.2.0/24", "2001:db8::/64"],
        cluster_networks=[{"cidr": "10.0.0.0/14", "host_prefix": 24}],
        service_networks=["10.96.0.0/16"],
    ).cluster.networking
    assert networking.network_type == "OVNKubernetes"
    assert networking.machine_networks == ("192.0.2.0/24", "2001:db8::/64")
    assert networking.cluster_networks == (ClusterNetwork("10.0.0.0/14", 24),)
    assert networking.service_networks == ("10.96.0.0/16",)


def test_pools_come_from_the_groups_unless_set() -> None:
    cluster = deployed().cluster
    assert cluster.replicas == {"master": 3, "arbiter": 0, "worker": 2}
    assert cluster.arbiter is None
    hosts = [*good_hosts()[:2], {**good_hosts()[2], "role": "arbiter"}]
    fencing = {
        "credentials": [
            {
                "host_name": "node-1",
                "address": "redfish+https://x",
                "username": "a",
                "password": "geheim",
                "certificate_verification": "Disabled",
            }
        ]
    }
    cluster = deployed(
        hosts,
        release_image=None,
        architecture="arm64",
        compute={"replicas": 4, "architecture": "amd64"},
        control_plane={"fencing": fencing},
    ).cluster
    assert cluster.replicas == {"master": 2, "arbiter": 1, "worker": 4}
    assert (cluster.architecture, cluster.compute.architecture) == ("aarch64", "amd64")
    assert cluster.release_image.endswith(":4.22.0-aarch64")
    (credential,) = cluster.control_plane.options["fencing"]["credentials"]
    assert (credential["hostName"], credential["certificateVerification"]) == ("node-1", "Disabled")


def test_platform_follows_from_the_topology() -> None:
    one = deployed(good_hosts()[:1], platform=None, api_vips=None, ingress_vips=None).cluster
    assert (one.platform, one.single_node) == ("none", True)
    assert deployed(platform=None).cluster.platform == "baremetal"
    assert problems_of(good_hosts()[:1], platform=None) == [
        ("openshift_cluster.api_vips", "Invalid value"),
        ("openshift_cluster.ingress_vips", "Invalid value"),
    ]
    assert problems_of(platform="aws", api_vips=None, ingress_vips=None) == [
        ("openshift_cluster.platform", "Unsupported value")
    ]
    assert problems_of(platform="metal", api_vips=None, ingress_vips=None) == [
        ("openshift_cluster.platform", "Unsupported value")
    ]


def test_pull_secret_as_text_or_mapping() -> None:
    secret = {"auths": {"quay.io": {"auth": "dXNlcjpnZWhlaW0="}}}
    assert json.loads(deployed(pull_secret=secret).cluster.pull_secret) == secret
    assert deployed(pull_secret=json.dumps(secret) + "\n").cluster.pull_secret == json.dumps(secret)


def test_release() -> None:
    deployment, problems = from_variables(
        good_cluster(), good_hosts(), version="4.20.1", release_image=" registry.example.com/r:1\n"
    )
    assert problems == []
    assert deployment is not None
    assert (deployment.cluster.version, deployment.cluster.release_image) == ("4.20.1", "registry.example.com/r:1")
    assert deployed(release_image="registry.example.com/r:2\n").cluster.release_image == "registry.example.com/r:2"
    _deployment, problems = from_variables(good_cluster(), good_hosts(), version="4.1.0")
    assert [problem.path for problem in problems] == ["openshift_version"]
    # The version that the roles pass on is the cluster's own.
    _deployment, problems = from_variables({**good_cluster(), "version": "4.1.0"}, good_hosts(), version="4.1.0")
    assert [problem.path for problem in problems] == ["openshift_cluster.version"]


def test_hosts() -> None:
    hosts = good_hosts()
    hosts[1]["hostname"] = "node-2.example.com"
    hosts[1]["bmc"] |= {"validate_certs": False, "ca_cert": "ca.pem", "fingerprint": "00" * 32}
    hosts[2]["bmc"] = None
    hosts[3]["boot"] = {"method": "manual"}
    deployment = deployed(hosts)
    assert [(host.name, host.hostname, host.role, host.bmc is not None) for host in deployment.hosts] == [
        ("node-1", "node-1", "master", True),
        ("node-2", "node-2.example.com", "master", True),
        ("node-3", "node-3", "master", False),
        ("worker-1", "worker-1", "worker", True),
        ("worker-2", "worker-2", "worker", True),
    ]
    assert deployment.hosts[1].bmc == Bmc(
        "redfish-virtualmedia+https://198.51.100.12/redfish/v1/Systems/1",
        "admin",
        "geheim-3",
        validate_certs=False,
        ca_cert="ca.pem",
        fingerprint="00" * 32,
    )
    assert deployment.hosts[0].network_config == good_hosts()[0]["network_config"]
    assert deployment.rendezvous_ip == "192.0.2.11"


def test_roles() -> None:
    assert problems_of([*good_hosts(), {"inventory_name": "x", "interfaces": []}]) == [
        ("openshift_host[x].role", "Required value")
    ]
    assert problems_of([*good_hosts(), {"inventory_name": "x", "role": "boss"}]) == [
        ("openshift_host[x].role", "Unsupported value")
    ]
    assert problems_of([*good_hosts(), good_hosts()[0]]) == [("openshift_host[node-1]", "Duplicate value")]


def test_a_mac_address_that_yaml_read_as_a_number() -> None:
    hosts = good_hosts()
    hosts[0]["interfaces"][0]["mac_address"] = 41135004191
    _deployment, problems = from_variables(good_cluster(), hosts)
    assert [(problem.path, problem.kind) for problem in problems] == [
        ("openshift_host[node-1].interfaces[0].mac_address", "Invalid value")
    ]
    assert "quotes" in problems[0].hint


def test_bmc_data_stays_out_of_the_files_unless_the_user_puts_it_there() -> None:
    files = render_files(deployed())
    assert "geheim-3" not in "".join(files.values())
    listed = [
        {"name": "node-2", "bmc": {"address": "redfish://x", "username": "a", "password": "geheim-4"}},
        {"bootMACAddress": "52:54:00:00:01:03", "name": "other"},
    ]
    deployment = deployed(platform_options={"hosts": listed, "provisioningNetwork": "Disabled"})
    (kept,) = deployment.cluster.platform_options["hosts"]
    assert kept == {"name": "node-2", "role": "master", "bootMACAddress": "52:54:00:00:01:02", "bmc": listed[0]["bmc"]}
    source = read_variables({**good_cluster(), "platform_options": {"hosts": listed}}, good_hosts()).source
    (led,) = in_users_terms(
        [Problem("platform.baremetal.hosts[0].bmc.address", "Invalid value", "", file="install-config.yaml")], source
    )
    assert led.path == "openshift_cluster.platform_options.hosts[0].bmc.address"
    files = render_files(deployment)
    assert "geheim-4" in files["agent-config.yaml"]
    assert "geheim-4" not in files["install-config.yaml"]
    assert problems_of(platform_options={"hosts": [{"name": "unknown", "bmc": {}}]}) == [
        ("openshift_cluster.platform_options.hosts[0]", "Invalid value")
    ]


def test_overrides_come_last_and_are_checked_like_everything_else() -> None:
    overrides = {
        "networking": {"networkType": "Calico", "clusterNetworkMTU": 8900},
        "controlPlane": {"replicas": 5},
        "proxy": None,
        "publish": "Internal",
        "osImageStream": "rhel-10",
        "platform": {"baremetal": {"apiVips": None, "apiVIPs": ["192.0.2.7"]}},
    }
    cluster = deployed(install_config_overrides=overrides, os_image_stream="rhel-9").cluster
    assert cluster.networking.network_type == "Calico"
    assert cluster.networking.machine_networks == ("192.0.2.0/24",)
    assert cluster.control_plane.replicas == 5
    assert cluster.proxy == Proxy()
    assert cluster.api_vips == ("192.0.2.7",)
    assert cluster.install_config_extra == {
        "publish": "Internal",
        "osImageStream": "rhel-10",
        "networking": {"clusterNetworkMTU": 8900},
    }
    assert problems_of(install_config_overrides={"fips": "yes", "platform": {"none": {}}}) == [
        ("openshift_cluster.install_config_overrides.fips", "Invalid value"),
    ]


def test_extra_manifests(tmp_path: Path) -> None:
    (tmp_path / "dir").mkdir()
    (tmp_path / "dir" / "b.yml").write_text("kind: B\n")
    (tmp_path / "a.yaml").write_text("kind: A\n")
    inline = [
        {"name": "c.yaml", "content": {"kind": "C"}},
        {"name": "d.yaml", "content": "kind: D\n"},
        {"name": "e.yaml", "content": [{"kind": "E"}, {"kind": "F"}]},
    ]
    cluster = deployed(extra_manifests=[str(tmp_path / "dir"), str(tmp_path / "a.yaml"), *inline]).cluster
    assert {manifest.name: manifest.text for manifest in cluster.extra_manifests} == {
        "a.yaml": "kind: A\n",
        "b.yml": "kind: B\n",
        "c.yaml": "kind: C\n",
        "d.yaml": "kind: D\n",
        "e.yaml": "kind: E\n---\nkind: F\n",
    }
    (tmp_path / "dir" / "b.yml").write_text("kind: [\n")
    (tmp_path / "a.yaml").write_bytes(b"\xff")
    assert problems_of(extra_manifests=[str(tmp_path / "dir"), str(tmp_path / "a.yaml"), str(tmp_path / "x.json")]) == [
        ("openshift_cluster.extra_manifests[0]", "Syntax error"),
        ("openshift_cluster.extra_manifests[1]", "Syntax error"),
        ("openshift_cluster.extra_manifests[2]", "Invalid value"),
    ]


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        ("kind: ConfigMap\nmetadata: {name: a}\n", "the path of a file is expected, not its content"),
        ("~no-user-of-this-name/a.yaml", "No such file or directory"),
        ("a" * 5000, "No such file or directory"),
        ("a\0b.yaml", "No such file or directory"),
    ],
)
def test_extra_manifests_that_are_no_paths(entry: str, words: str) -> None:
    _deployment, problems = from_variables({**good_cluster(), "extra_manifests": [entry]}, good_hosts())
    assert [(problem.path, problem.detail) for problem in problems] == [("openshift_cluster.extra_manifests[0]", words)]
    assert len(problems[0].text()) < 500


LED = [
    ("platform.baremetal.apiVIPs[0]", "openshift_cluster.api_vips[0]"),
    ("platform.baremetal.ingressVIPs", "openshift_cluster.ingress_vips"),
    ("platform.baremetal.provisioningNetwork", "openshift_cluster.platform_options.provisioningNetwork"),
    ("platform", "openshift_cluster.platform"),
    ("networking.machineNetwork[0]", "openshift_cluster.machine_networks[0]"),
    ("networking.machineNetwork[0].cidr", "openshift_cluster.machine_networks[0]"),
    ("networking.clusterNetwork[0].hostPrefix", "openshift_cluster.cluster_networks[0].host_prefix"),
    ("networking.clusterNetworkMTU", "openshift_cluster.cluster_network_mtu"),
    ("networking.networkType", "openshift_cluster.network_type"),
    ("metadata.name", "openshift_cluster.name"),
    ("baseDomain", "openshift_cluster.base_domain"),
    ("sshKey", "openshift_cluster.ssh_public_keys"),
    ("pullSecret", "openshift_cluster.pull_secret"),
    ("controlPlane.replicas", "openshift_cluster.control_plane.replicas"),
    (
        "controlPlane.fencing.credentials[0].hostName",
        "openshift_cluster.control_plane.fencing.credentials[0].host_name",
    ),
    ("compute[0].replicas", "openshift_cluster.compute.replicas"),
    ("compute.replicas", "openshift_cluster.compute.replicas"),
    ("arbiter.replicas", "openshift_cluster.arbiter.replicas"),
    ("imageDigestSources[0].mirrors[0]", "openshift_cluster.image_digest_sources[0].mirrors[0]"),
    ("capabilities.baselineCapabilitySet", "openshift_cluster.capabilities.baseline_capability_set"),
    ("proxy.httpProxy", "openshift_cluster.proxy.http_proxy"),
    ("fips", "openshift_cluster.fips"),
    ("hosts", "openshift_host"),
    ("hosts[3].hostname", "openshift_host[worker-1].hostname"),
    ("hosts[0].interfaces[0].macAddress", "openshift_host[node-1].interfaces[0].mac_address"),
    ("hosts[0].interfaces[1].macAddress", "openshift_host[node-1].interfaces[1].mac_address"),
    ("hosts[4].rootDeviceHints.deviceName", "openshift_host[worker-2].root_device_hints.deviceName"),
    ("hosts[4].rootDeviceHints.wwnWithExtension", "openshift_host[worker-2].root_device_hints.wwnWithExtension"),
    (
        "hosts[0].networkConfig.interfaces[0].ipv4.address[0].ip",
        "openshift_host[node-1].network_config.interfaces[0].ipv4.address[0].ip",
    ),
    (
        "hosts[0].networkConfig.interfaces[0].mac-address",
        "openshift_host[node-1].network_config.interfaces[0].mac-address",
    ),
    (
        "hosts[0].networkConfig.dns-resolver.config.search",
        "openshift_host[node-1].network_config.dns-resolver.config.search",
    ),
    ("hosts[0].role", "openshift_host[node-1].role"),
    ("rendezvousIP", "openshift_cluster.rendezvous_ip"),
    ("additionalNTPSources", "openshift_cluster.ntp_sources"),
    ("additionalNTPSources[0]", "openshift_cluster.ntp_sources[0]"),
    ("bootArtifactsBaseURL", "openshift_cluster.boot_artifacts_base_url"),
    ("featureGates[0]", "openshift_cluster.feature_gates[0]"),
    ("publish", "openshift_cluster.publish"),
    ("openshift_version", "openshift_version"),
]


@pytest.mark.parametrize("file", ["", "named"])
@pytest.mark.parametrize(("path", "expected"), LED, ids=[led[0] for led in LED])
def test_rules_are_led_to_the_variables(path: str, expected: str, file: str) -> None:
    parsed = read_variables(good_cluster(), good_hosts())
    agent = path.startswith(("hosts", "rendezvous", "additionalNTP", "bootArtifacts"))
    named = {"": "", "named": "agent-config.yaml" if agent else "install-config.yaml"}[file]
    (led,) = in_users_terms([Problem(path, "Invalid value", "", file=named)], parsed.source)
    assert (led.path, led.file if path != "openshift_version" else "", led.line) == (expected, "", 0)


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=5), inner, max_size=2),
    max_leaves=6,
)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(
    st.sampled_from(sorted(CLUSTER.fields)),
    anything,
    st.sampled_from([*sorted(HOST.fields), "role", "inventory_name"]),
    anything,
)
def test_no_input_raises(option: str, value: Any, host_option: str, host_value: Any) -> None:
    hosts = good_hosts()
    hosts[0][host_option] = host_value
    deployment, problems = from_variables({**good_cluster(), option: value}, hosts)
    assert deployment is not None
    assert all(problem.path for problem in problems)


@pytest.mark.parametrize("value", [[], "text", 5, None])
def test_a_cluster_that_is_no_mapping(value: Any) -> None:
    _deployment, problems = from_variables(value, [])
    assert {problem.path for problem in problems} >= {"openshift_cluster"} or value is None
