# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test rendering the files of directory cluster-manifests: their exact text, the fields of platforms, and proxies."""

from __future__ import annotations

import pytest
import yaml
from ansible_collections.zerotouch.openshift.plugins.module_utils.cluster.spec import (
    ClusterNetwork,
    Host,
    ImageDigestSource,
    Interface,
    Networking,
    Pool,
    Proxy,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.yaml_text import dump
from ansible_collections.zerotouch.openshift.plugins.module_utils.manifests.cluster_manifests import render_manifests
from ansible_collections.zerotouch.openshift.plugins.module_utils.manifests.mirrors import registries_conf
from ansible_collections.zerotouch.openshift.plugins.module_utils.manifests.objects import no_proxy
from ansible_collections.zerotouch.openshift.tests.support.hub import definitions
from ansible_collections.zerotouch.openshift.tests.unit.manifests.deployments import PROXY, RELEASE, deployment

AGENT_CLUSTER_INSTALL = """\
apiVersion: extensions.hive.openshift.io/v1beta1
kind: AgentClusterInstall
metadata:
  name: ostest
  namespace: cluster0
spec:
  clusterDeploymentRef:
    name: ostest
  imageSetRef:
    name: openshift-4.22.0
  networking:
    clusterNetwork:
    - cidr: 10.128.0.0/14
      hostPrefix: 23
    machineNetwork:
    - cidr: 192.168.111.0/24
    networkType: OVNKubernetes
    serviceNetwork:
    - 172.30.0.0/16
    userManagedNetworking: true
  platformType: None
  provisionRequirements:
    controlPlaneAgents: 1
  proxy:
    httpProxy: http://192.168.111.1:8215
    httpsProxy: http://192.168.111.1:8215
    noProxy: 172.22.0.0/24,virthost.ostest.test.metalkube.org,192.168.111.0/24
  sshPublicKey: ssh-rsa AAAA
status:
  debugInfo:
    eventsURL: ""
    logsURL: ""
  progress:
    totalPercentage: 0
"""

CLUSTER_DEPLOYMENT = """\
apiVersion: hive.openshift.io/v1
kind: ClusterDeployment
metadata:
  name: ostest
  namespace: cluster0
spec:
  baseDomain: test.metalkube.org
  clusterInstallRef:
    group: extensions.hive.openshift.io
    kind: AgentClusterInstall
    name: ostest
    version: v1beta1
  clusterName: ostest
  controlPlaneConfig:
    servingCertificates: {}
  installed: false
  platform: {}
  pullSecretRef:
    name: ostest-pull-secret
status: {}
"""

IMAGE_SET = f"""\
apiVersion: hive.openshift.io/v1
kind: ClusterImageSet
metadata:
  name: openshift-4.22.0
  namespace: cluster0
spec:
  releaseImage: {RELEASE}
status: {{}}
"""

INFRA_ENV = """\
apiVersion: agent-install.openshift.io/v1beta1
kind: InfraEnv
metadata:
  name: ostest
  namespace: cluster0
spec:
  additionalNTPSources:
  - 0.clock.ntp.org
  clusterRef:
    name: ostest
    namespace: cluster0
  cpuArchitecture: x86_64
  ipxeScriptType: ""
  nmStateConfigLabelSelector:
    matchLabels:
      infraenvs.agent-install.openshift.io: ostest
  proxy:
    httpProxy: http://192.168.111.1:8215
    httpsProxy: http://192.168.111.1:8215
    noProxy: 172.22.0.0/24,virthost.ostest.test.metalkube.org,192.168.111.0/24
  pullSecretRef:
    name: ostest-pull-secret
  sshAuthorizedKey: ssh-rsa AAAA
status:
  agentLabelSelector: {}
  bootArtifacts:
    discoveryIgnitionURL: ""
    initrd: ""
    ipxeScript: ""
    kernel: ""
    rootfs: ""
  debugInfo:
    eventsURL: ""
"""

SECRET = """\
apiVersion: v1
kind: Secret
metadata:
  name: ostest-pull-secret
  namespace: cluster0
stringData:
  .dockerconfigjson: |-
    {
      "auths": {
        "quay.io": {
          "auth": "c3VwZXItc2VjcmV0Cg=="
        }
      }
    }
"""


def test_the_files_are_the_installers_to_the_letter() -> None:
    manifests = render_manifests(deployment(proxy=PROXY, ntp_sources=("0.clock.ntp.org",)))
    assert dict(manifests.files) == {
        "cluster-manifests/agent-cluster-install.yaml": AGENT_CLUSTER_INSTALL,
        "cluster-manifests/cluster-deployment.yaml": CLUSTER_DEPLOYMENT,
        "cluster-manifests/cluster-image-set.yaml": IMAGE_SET,
        "cluster-manifests/infraenv.yaml": INFRA_ENV,
        "cluster-manifests/pull-secret.yaml": SECRET,
        "mirror/registries.conf": registries_conf(()),
        "mirror/ca-bundle.crt": "",
    }
    assert list(manifests.cluster_manifests) == [
        "agent-cluster-install.yaml",
        "cluster-deployment.yaml",
        "cluster-image-set.yaml",
        "infraenv.yaml",
        "pull-secret.yaml",
    ]
    assert len(manifests.objects) == 5


def test_the_set_shows_no_secret_when_printed() -> None:
    assert "c3VwZXI" not in repr(render_manifests(deployment()))


def test_without_a_namespace_nothing_names_one() -> None:
    manifests = render_manifests(deployment(namespace=""))
    assert all("namespace" not in one["metadata"] for one in manifests.objects)
    assert manifests.infra_env["spec"]["clusterRef"] == {"name": "ostest"}


@pytest.mark.parametrize(("version", "null"), [("4.20.9", True), ("4.21.0", False), ("4.22.0", False)])
def test_older_releases_write_an_empty_creation_timestamp(version: str, null: bool) -> None:
    for made in render_manifests(deployment(version=version)).objects:
        assert ("creationTimestamp" in made["metadata"]) is null
        assert made["metadata"].get("creationTimestamp") is None


@pytest.mark.parametrize(
    ("own", "platform", "servers", "sources"),
    [
        ((), "baremetal", ["a", "b"], ["a", "b"]),
        (("c",), "baremetal", ["a"], ["c"]),
        ((), "none", ["a"], None),
        ((), "baremetal", None, None),
    ],
)
def test_ntp_servers_of_a_baremetal_platform_are_the_default(
    own: tuple[str, ...], platform: str, servers: list[str] | None, sources: list[str] | None
) -> None:
    made = deployment(
        ntp_sources=own, platform=platform, platform_options={"additionalNTPServers": servers} if servers else {}
    )
    assert render_manifests(made).infra_env["spec"].get("additionalNTPSources") == sources


def test_json_is_gos_json() -> None:
    manifests = render_manifests(deployment(pull_secret='{"auths": {"b": {"auth": "<&>"}, "a": {}}}'))
    assert manifests.pull_secret["stringData"][".dockerconfigjson"].endswith(
        '"b": {\n      "auth": "\\u003c\\u0026\\u003e"\n    }\n  }\n}'
    )


def test_a_host_with_network_config_gets_an_nmstateconfig_with_its_own_index() -> None:
    config = {"interfaces": [{"name": "eth0", "type": "ethernet"}]}
    hosts = (
        Host("a", interfaces=(Interface("eth0", "52:54:00:AA:00:01"),)),
        Host("b", interfaces=(Interface("eth0", "52:54:00:AA:00:02"),), network_config=config),
    )
    manifests = render_manifests(deployment(hosts))
    text = manifests.files["cluster-manifests/nmstateconfig.yaml"]
    assert text.endswith("name: eth0\n---\n")
    assert yaml.safe_load_all(text).__next__() == {
        "apiVersion": "agent-install.openshift.io/v1beta1",
        "kind": "NMStateConfig",
        "metadata": {
            "name": "ostest-1",
            "namespace": "cluster0",
            "labels": {"infraenvs.agent-install.openshift.io": "ostest"},
        },
        "spec": {"config": config, "interfaces": [{"macAddress": "52:54:00:AA:00:02", "name": "eth0"}]},
    }


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"platform": "none"}, {}),
        ({"platform": "external", "platform_options": {"platformName": "x"}}, {"external": {"platformName": "x"}}),
        (
            {"platform": "external", "platform_options": {"platformName": "oci", "cloudControllerManager": "External"}},
            {"external": {"platformName": "oci", "cloudControllerManager": "External"}},
        ),
        (
            {"platform": "baremetal", "api_vips": ("192.168.111.5",), "ingress_vips": ("192.168.111.4",)},
            {
                "apiVIP": "192.168.111.5",
                "apiVIPs": ["192.168.111.5"],
                "ingressVIP": "192.168.111.4",
                "ingressVIPs": ["192.168.111.4"],
            },
        ),
        (
            {
                "platform": "vsphere",
                "api_vips": ("192.168.111.5", "fd00::5"),
                "ingress_vips": ("192.168.111.4", "fd00::4"),
            },
            {"apiVIPs": ["192.168.111.5", "fd00::5"], "ingressVIPs": ["192.168.111.4", "fd00::4"]},
        ),
        ({"platform": "none", "api_vips": ("192.168.111.5",)}, {}),
    ],
)
def test_platform_fields_of_the_agent_cluster_install(changes: dict[str, object], expected: dict[str, object]) -> None:
    spec = render_manifests(deployment(**changes)).agent_cluster_install["spec"]
    platform_fields = {
        key: spec[key] for key in ("apiVIP", "apiVIPs", "ingressVIP", "ingressVIPs", "external") if key in spec
    }
    assert platform_fields == expected
    assert spec["networking"]["userManagedNetworking"] is (changes["platform"] in ("none", "external"))


def test_counts_of_zero_are_left_out_except_the_control_plane() -> None:
    spec = render_manifests(
        deployment(platform="baremetal", control_plane=Pool(2), arbiter=Pool(1), compute=Pool(0))
    ).agent_cluster_install["spec"]
    assert spec["provisionRequirements"] == {"controlPlaneAgents": 2, "arbiterAgents": 1}


def test_a_network_type_of_a_third_party_is_ovn_to_the_service() -> None:
    spec = render_manifests(deployment(networking=Networking("Cilium"))).agent_cluster_install["spec"]
    assert spec["networking"]["networkType"] == "OVNKubernetes"


@pytest.mark.parametrize(
    ("proxy", "networks", "expected"),
    [
        (Proxy(), ("192.168.111.0/24",), ""),
        (Proxy("", "", "a.example"), ("192.168.111.0/24",), "a.example"),
        (Proxy("http://p", "", ""), ("192.168.111.0/24",), "192.168.111.0/24"),
        (Proxy("", "http://p", "a.example"), ("10.0.0.0/16", "192.168.111.0/24"), "a.example,192.168.111.0/24"),
        (Proxy("http://p", "", "192.168.111.0/24,b"), ("192.168.111.0/24",), "192.168.111.0/24,b"),
        (Proxy("http://p", "", "b"), ("10.0.0.0/16",), "b"),
    ],
)
def test_no_proxy_covers_the_rendezvous_hosts_network_once(
    proxy: Proxy, networks: tuple[str, ...], expected: str
) -> None:
    assert no_proxy(deployment(proxy=proxy, networking=Networking(machine_networks=networks))) == expected


def test_networks_are_written_as_the_installer_prints_them() -> None:
    networks = Networking("OVNKubernetes", ("FD02:0:0::/48",), (ClusterNetwork("fd01:0::/48", 64),), ("FD03::0/112",))
    made = render_manifests(
        deployment(networking=networks, rendezvous_ip="fd02::80", proxy=Proxy("http://proxy:1", "", ""))
    )
    spec = made.agent_cluster_install["spec"]
    assert spec["networking"]["machineNetwork"] == [{"cidr": "fd02::/48"}]
    assert spec["networking"]["clusterNetwork"] == [{"cidr": "fd01::/48", "hostPrefix": 64}]
    assert spec["networking"]["serviceNetwork"] == ["fd03::/112"]
    assert spec["proxy"]["noProxy"] == "fd02::/48"


@pytest.mark.parametrize(
    ("version", "blocked", "helper"),
    [("4.20.0", False, False), ("4.21.0", True, False), ("4.22.0", True, False), ("5.0.0", True, True)],
)
def test_registries_conf_of_each_release(version: str, blocked: bool, helper: bool) -> None:
    sources = (ImageDigestSource("quay.io/a/b", ("reg.example.com/a/b",), "NeverContactSource"),)
    text = render_manifests(deployment(version=version, image_digest_sources=sources)).files["mirror/registries.conf"]
    assert (
        "  blocked = true\n" in text,
        text.startswith('additional-layer-store-auth-helper = ""\ncredential-helpers'),
    ) == (blocked, helper)


def test_the_same_deployment_gives_the_same_bytes() -> None:
    assert render_manifests(deployment(proxy=PROXY)).files == render_manifests(deployment(proxy=PROXY)).files


@pytest.mark.parametrize(
    "text",
    [
        "",
        "yes",
        "y",
        "1e3",
        "0o17",
        "0x1f",
        "12:30:45",
        "~",
        "null",
        "- a",
        "a: b",
        "#x",
        " lead",
        "é",
        "1.0",
        ".5",
        "2026-01-01",
        "l1\nl2\n",
        "t \nx",
    ],
)
def test_texts_stay_texts_in_yaml(text: str) -> None:
    assert yaml.safe_load(dump({"key": text, text or "k": text})) == {"key": text, text or "k": text}


def test_every_object_fits_its_definition() -> None:
    hosts = (Host("a", interfaces=(Interface("eth0", "52:54:00:AA:00:01"),), network_config={"interfaces": []}),)
    manifests = render_manifests(
        deployment(
            hosts,
            proxy=PROXY,
            platform="external",
            platform_options={"platformName": "oci", "cloudControllerManager": "External"},
        )
    )
    made = [item for item in manifests.objects if "/" in item["apiVersion"]]
    assert {item["kind"] for item in made} == {
        "AgentClusterInstall",
        "InfraEnv",
        "NMStateConfig",
        "ClusterDeployment",
        "ClusterImageSet",
    }
    assert [
        fault
        for item in made
        for fault in definitions.faults({key: value for key, value in item.items() if key != "status"})
    ] == []
