# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test how cluster-manifests become the request that creates a cluster in assisted-service (cluster-create-params): one
case for each row of the mapping.

Source: openshift/assisted-service internal/cluster/validations/validations.go, cmd/agentbasedinstaller/register.go,
  internal/oc/release.go.
"""

from __future__ import annotations

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.assisted.from_manifests.cluster import (
    ManifestRelease,
    cluster_params,
    requested_cluster,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.assisted.from_manifests.release import release_of
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.errors import InvalidInput

RELEASE = ManifestRelease("4.22.0", "x86_64")
CONSUMER = "agentclusterinstalls.agent-install.openshift.io/consumer"
OVERRIDES = "agent-install.openshift.io/install-config-overrides"
ABSENT = object()
SNO = {"provisionRequirements": {"controlPlaneAgents": 1, "workerAgents": 0}}
ENABLED, DISABLED = {"hyperthreading": "Enabled"}, {"hyperthreading": "Disabled"}
EXTERNAL = {"type": "external", "external": {"platform_name": "oci", "cloud_controller_manager": "External"}}


def always(manifests, pull_secret):
    return {
        "name": "edge",
        "base_dns_domain": "example.com",
        "openshift_version": "4.22.0",
        "ocp_release_image": "registry/ocp:4.22.0-x86_64",
        "cpu_architecture": "x86_64",
        "pull_secret": pull_secret,
        "vip_dhcp_allocation": False,
        "api_vips": [],
        "ingress_vips": [],
        "user_managed_networking": False,
        "schedulable_masters": False,
        "control_plane_count": 3,
        "cluster_networks": None,
        "service_networks": None,
        "machine_networks": None,
        "olm_operators": None,
        "operator_bundles": None,
    }


def test_what_is_always_sent_and_nothing_else(manifests, pull_secret_text):
    assert cluster_params(manifests(), RELEASE) == always(manifests, pull_secret_text)


@pytest.mark.parametrize(
    ("field", "spec", "expected"),
    [
        ("api_vips", {"apiVIPs": ["192.0.2.5", "2001:DB8:0::5"]}, [{"ip": "192.0.2.5"}, {"ip": "2001:db8::5"}]),
        ("api_vips", {"apiVIP": "192.0.2.5"}, [{"ip": "192.0.2.5"}]),
        ("api_vips", {"apiVIP": "2001:DB8:0::5", "apiVIPs": ["2001:db8::5"]}, [{"ip": "2001:db8::5"}]),
        ("api_vips", {"apiVIPs": ["no-address"]}, [{"ip": "no-address"}]),
        ("ingress_vips", {"ingressVIP": "192.0.2.6"}, [{"ip": "192.0.2.6"}]),
        (
            "ingress_vips",
            {"ingressVIP": "192.0.2.6", "ingressVIPs": ["192.0.2.6", "2001:db8::6"]},
            [{"ip": "192.0.2.6"}, {"ip": "2001:db8::6"}],
        ),
        ("ssh_public_key", {"sshPublicKey": "ssh-ed25519 AAAA"}, "ssh-ed25519 AAAA"),
        ("ssh_public_key", {"sshPublicKey": ""}, ABSENT),
        ("user_managed_networking", {"networking": {"userManagedNetworking": True}}, True),
        ("user_managed_networking", SNO, True),
        ("user_managed_networking", {"provisionRequirements": {"controlPlaneAgents": 1, "workerAgents": 1}}, False),
        ("platform", {"platformType": ""}, ABSENT),
        ("platform", {"platformType": "BareMetal"}, {"type": "baremetal"}),
        ("platform", {"platformType": "None"}, {"type": "none"}),
        ("platform", {"platformType": "VSphere"}, {"type": "vsphere"}),
        ("platform", {"platformType": "Nutanix"}, {"type": "nutanix"}),
        (
            "platform",
            {"platformType": "External", "external": {"platformName": "oci", "cloudControllerManager": "External"}},
            EXTERNAL,
        ),
        ("platform", {"platformType": "External"}, ABSENT),
        ("platform", {"platformType": "Moon"}, ABSENT),
        ("schedulable_masters", {"mastersSchedulable": True}, True),
        ("control_plane_count", {"provisionRequirements": {"controlPlaneAgents": 2, "arbiterAgents": 1}}, 2),
        ("high_availability_mode", SNO, "None"),
        ("high_availability_mode", {}, ABSENT),
        (
            "cluster_networks",
            {"networking": {"clusterNetwork": [{"cidr": "10.0.0.0/14", "hostPrefix": 23}]}},
            [{"cidr": "10.0.0.0/14", "host_prefix": 23}],
        ),
        ("cluster_networks", {"networking": {"clusterNetwork": [{"cidr": "10.0.0.0/14"}]}}, [{"cidr": "10.0.0.0/14"}]),
        ("service_networks", {"networking": {"serviceNetwork": ["172.30.0.0/16"]}}, [{"cidr": "172.30.0.0/16"}]),
        (
            "machine_networks",
            {"networking": {"machineNetwork": [{"cidr": "192.0.2.0/24"}]}},
            [{"cidr": "192.0.2.0/24"}],
        ),
        ("network_type", {"networking": {"networkType": "OVNKubernetes"}}, "OVNKubernetes"),
        ("network_type", {"networking": {"networkType": ""}}, ABSENT),
        ("ntp_sources", {"ntpSources": ["a", "b"]}, "a,b"),
        ("ntp_sources", {"ntpSources": []}, ABSENT),
        ("hyperthreading", {}, ABSENT),
        ("hyperthreading", {"compute": [{"name": "infra", **ENABLED}]}, ABSENT),
        ("hyperthreading", {"controlPlane": ENABLED}, "masters"),
        ("hyperthreading", {"controlPlane": DISABLED}, "none"),
        ("hyperthreading", {"controlPlane": {}}, "none"),
        (
            "hyperthreading",
            {"controlPlane": ENABLED, "arbiter": ENABLED, "compute": [{"name": "worker", **ENABLED}]},
            "masters,arbiters,workers",
        ),
        ("hyperthreading", {"controlPlane": {"name": "master"}, "compute": [{"name": "worker", **ENABLED}]}, "workers"),
        ("disk_encryption", {"diskEncryption": {"enableOn": "none"}}, ABSENT),
        ("disk_encryption", {"diskEncryption": {"enableOn": "all"}}, {"enable_on": "all", "mode": "tpmv2"}),
        ("disk_encryption", {"diskEncryption": {"mode": "tang"}}, {"enable_on": "none", "mode": "tang"}),
        (
            "disk_encryption",
            {"diskEncryption": {"tangServers": "[]"}},
            {"enable_on": "none", "mode": "tpmv2", "tang_servers": "[]"},
        ),
        ("http_proxy", {"proxy": {"httpProxy": "http://p"}}, "http://p"),
        ("https_proxy", {"proxy": {"httpsProxy": "http://q"}}, "http://q"),
        ("no_proxy", {"proxy": {"noProxy": "a,b"}}, "a,b"),
        ("no_proxy", {"proxy": {"noProxy": ""}}, ABSENT),
        ("load_balancer", {"loadBalancer": {"type": "ClusterManaged"}}, {"type": "cluster-managed"}),
        ("load_balancer", {"loadBalancer": {"type": "UserManaged"}}, {"type": "user-managed"}),
        ("load_balancer", {"loadBalancer": {"type": "Other"}}, ABSENT),
        ("ignition_endpoint", {"ignitionEndpoint": {"url": "https://a"}}, ABSENT),
        ("hold_installation", {"holdInstallation": True}, ABSENT),
        ("api_vips", {"APIVips": ["192.0.2.5"]}, [{"ip": "192.0.2.5"}]),
    ],
)
def test_spec_of_the_agent_cluster_install(manifests, field, spec, expected):
    found = cluster_params(manifests({"spec": spec}), RELEASE)
    assert found.get(field, ABSENT) == expected if expected is not ABSENT else field not in found


@pytest.mark.parametrize(
    ("labels", "expected"), [({CONSUMER: "lab_one"}, "lab_one"), ({CONSUMER: ""}, None), ({}, None)]
)
def test_tags(manifests, labels, expected):
    assert cluster_params(manifests({"metadata": {"labels": labels}}), RELEASE).get("tags") == expected


def test_operators(manifests):
    text = "- name: lvm\n- {name: odf, properties: '{}'}\n"
    assert cluster_params(manifests(operators=text), RELEASE)["olm_operators"] == [
        {"name": "lvm"},
        {"name": "odf", "properties": "{}"},
    ]


@pytest.mark.parametrize("kind", ["api", "ingress"])
def test_addresses_that_disagree(manifests, kind):
    with pytest.raises(InvalidInput, match=f"{kind}VIP must be the same as the first element of {kind}VIPs"):
        cluster_params(manifests({"spec": {f"{kind}VIP": "192.0.2.5", f"{kind}VIPs": ["192.0.2.6"]}}), RELEASE)


@pytest.mark.parametrize(
    ("annotations", "expected"),
    [({}, None), ({OVERRIDES: ""}, ""), ({OVERRIDES: '{ "fips": true }'}, '{ "fips": true }')],
)
def test_overrides_are_sent_as_they_are(manifests, annotations, expected):
    assert requested_cluster(manifests({"metadata": {"annotations": annotations}}), RELEASE).overrides == expected


def test_overrides_that_are_no_json(manifests):
    with pytest.raises(InvalidInput, match="is not JSON"):
        requested_cluster(manifests({"metadata": {"annotations": {OVERRIDES: "{"}}}), RELEASE)


@pytest.mark.parametrize(
    ("image", "provided", "expected"),
    [
        ("r/ocp:4.22.0-x86_64", {}, ("4.22.0", "x86_64")),
        ("r:5000/ocp:4.21.3-aarch64", {}, ("4.21.3", "arm64")),
        ("r/ocp:4.22.0-rc.1-multi", {}, ("4.22.0-rc.1", "multi")),
        (
            "r/ocp:4.22.0-0.nightly-2026-11-01-000000",
            {"architecture": "amd64"},
            ("4.22.0-0.nightly-2026-11-01-000000", "x86_64"),
        ),
        ("r/ocp@sha256:00", {"architecture": "amd64"}, ("4.22.0", "x86_64")),
        ("r/ocp:4.22.0-x86_64", {"version": "4.22.1", "architecture": "multi"}, ("4.22.1", "multi")),
    ],
)
def test_release(manifests, image, provided, expected):
    document = f"kind: ClusterImageSet\nmetadata: {{name: openshift-4.22.0}}\nspec: {{releaseImage: '{image}'}}\n"
    assert release_of(manifests(cluster_image_set=document), **provided) == ManifestRelease(*expected)


def test_a_release_without_a_version(manifests):
    with pytest.raises(InvalidInput, match=r"openshift_version(.|\n)*arch"):
        release_of(manifests(cluster_image_set="kind: ClusterImageSet\nspec: {releaseImage: 'r/ocp@sha256:00'}\n"))
