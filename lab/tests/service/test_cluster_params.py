# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test the parameters of a cluster: their defaults, and values that the assisted-service refuses.

Source: openshift/assisted-service internal/bminventory/inventory.go,
  internal/cluster/validations/pull_secret_validation.go.
"""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest
from ztlab.service.cluster_params import create_fields, update_fields
from ztlab.service.errors import ServiceError
from ztlab.service.pull_secret import check_pull_secret
from ztlab.service.settings import read_settings

from .scripted import Keys, agent_environment, cluster_params, single_node_params

SETTINGS = read_settings(agent_environment(Keys()))
HUB = read_settings({})


def least(**more: Any) -> dict[str, Any]:
    return {"name": "demo", "openshift_version": "4.22", "pull_secret": "{}", **more}


def test_defaults() -> None:
    fields = create_fields(least(), HUB)
    assert fields["openshift_version"] == "4.22.0"
    assert fields["control_plane_count"] == 3 and fields["high_availability_mode"] == "Full"
    assert fields["platform"] == {"type": "baremetal", "external": {}}
    assert fields["user_managed_networking"] is False and fields["vip_dhcp_allocation"] is False
    assert fields["cluster_networks"] == [{"cidr": "10.128.0.0/14", "host_prefix": 23}]
    assert fields["service_networks"] == [{"cidr": "172.30.0.0/16"}]
    assert fields["network_type"] == "OVNKubernetes" and fields["hyperthreading"] == "all"
    assert fields["disk_encryption"] == {"enable_on": "none", "mode": "tpmv2"}
    assert fields["load_balancer"] == {"type": "cluster-managed"}


@pytest.mark.parametrize(
    ("more", "outcome"),
    [
        ({"high_availability_mode": "None"}, (1, "None", "none", True)),
        ({"control_plane_count": 1}, (1, "None", "none", True)),
        ({"control_plane_count": 5}, (5, "Full", "baremetal", False)),
        ({"user_managed_networking": True}, (3, "Full", "none", True)),
        ({"platform": {"type": "none"}}, (3, "Full", "none", True)),
        ({"platform": {"type": "nutanix"}}, (3, "Full", "nutanix", False)),
        ({"platform": {"type": "external", "external": {"platform_name": "oci"}}}, (3, "Full", "external", True)),
    ],
)
def test_what_follows_from_what(more: dict[str, Any], outcome: tuple[int, str, str, bool]) -> None:
    fields = create_fields(least(**more), HUB)
    assert (
        fields["control_plane_count"],
        fields["high_availability_mode"],
        fields["platform"]["type"],
        fields["user_managed_networking"],
    ) == outcome


@pytest.mark.parametrize(("asked", "stored"), [("4.20", "4.20.33"), ("4.20.33", "4.20.33"), ("4.22", "4.22.0")])
def test_versions_resolve(asked: str, stored: str) -> None:
    assert create_fields(least(openshift_version=asked), HUB)["openshift_version"] == stored


REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"openshift_version": "4.99"}, "Openshift version 4.99 for CPU architecture x86_64 is not supported"),
    ({"openshift_version": "4.22", "cpu_architecture": "s390x"}, "for CPU architecture s390x is not supported"),
    ({"ocp_release_image": "quay.io/other:1"}, "quay.io/other:1"),
    ({"name": "Demo"}, "name format"),
    ({"name": "-demo"}, "name format"),
    ({"name": "a.b"}, "name format"),
    ({"base_dns_domain": "no_domain"}, "DNS format mismatch"),
    ({"high_availability_mode": "None", "control_plane_count": 3}, "must have a single control plane node"),
    ({"high_availability_mode": "Full", "control_plane_count": 1}, "there should be 2-5 dedicated"),
    ({"control_plane_count": 6}, "there should be 2-5 dedicated"),
    ({"openshift_version": "4.17", "control_plane_count": 4}, "there should be exactly 3 dedicated .* older than 4.18"),
    (
        {"control_plane_count": 1, "user_managed_networking": False},
        ("Can't disable user-managed-networking on single node OpenShift"),
    ),
    ({"control_plane_count": 1, "platform": {"type": "baremetal"}}, "baremetal"),
    ({"platform": {"type": "baremetal"}, "user_managed_networking": True}, "user-managed-networking"),
    ({"platform": {"type": "none"}, "user_managed_networking": False}, "user-managed-networking"),
    ({"platform": {"type": "external"}}, "Platform name"),
    ({"api_vips": [{"ip": "192.0.2.5"}]}, "same number"),
    (
        {"api_vips": [{"ip": "192.0.2.5"}], "ingress_vips": [{"ip": "192.0.2.5"}]},
        "appears both in apiVIPs and ingressVIPs",
    ),
    (
        {
            "api_vips": [{"ip": "192.0.2.5"}, {"ip": "192.0.2.7"}],
            "ingress_vips": [{"ip": "192.0.2.6"}, {"ip": "fd00::1"}],
        },
        "must include exactly one IPv6 address",
    ),
    (
        {"api_vips": [{"ip": "192.0.2.5"}], "ingress_vips": [{"ip": "192.0.2.6"}], "vip_dhcp_allocation": True},
        "vip-dhcp-allocation",
    ),
    (
        {"api_vips": [{"ip": "192.0.2.5"}], "ingress_vips": [{"ip": "192.0.2.6"}], "user_managed_networking": True},
        "User Managed Networking",
    ),
    (
        {
            "api_vips": [{"ip": "192.0.2.5"}],
            "ingress_vips": [{"ip": "192.0.2.6"}],
            "machine_networks": [{"cidr": "198.51.100.0/24"}],
        },
        "does not belong to machine-network-cidr <198.51.100.0/24>",
    ),
    ({"cluster_networks": [{"cidr": "10.128.0.0/14"}, {"cidr": "fd01::/48"}]}, "empty Machine Networks"),
    ({"ssh_public_key": "ssh-foo AAAA"}, "SSH key"),
    ({"http_proxy": "https://proxy:1"}, "Failed to validate HTTP Proxy"),
    ({"https_proxy": "ftp://proxy:1"}, "Failed to validate HTTPS Proxy"),
    ({"no_proxy": "a b"}, "NO Proxy"),
    ({"additional_ntp_source": "a", "ntp_sources": "b"}, "mutually exclusive"),
    ({"ntp_sources": "not a host"}, "Invalid NTP source"),
    ({"tags": "with-hyphen"}, "Invalid format for Tags"),
    ({"ignition_endpoint": {"url": "ftp://x"}}, r"must be http\(s\)"),
    ({"ignition_endpoint": {"ca_certificate": "%%"}}, "base64"),
    ({"disk_encryption": {"enable_on": "all", "mode": "tang"}}, "tang_servers"),
    (
        {"load_balancer": {"type": "user-managed"}, "platform": {"type": "none"}},
        "not compatible with User Managed Load Balancer",
    ),
]


@pytest.mark.parametrize(("more", "text"), REFUSED, ids=[json.dumps(row[0])[:60] for row in REFUSED])
def test_refusals(more: dict[str, Any], text: str) -> None:
    hub = read_settings({"RELEASE_IMAGES": json.dumps([_release(version) for version in ("4.17.9", "4.22.0")])})
    with pytest.raises(ServiceError, match=text) as caught:
        create_fields(least(**more), hub)
    assert caught.value.status == 400


def _release(version: str) -> dict[str, Any]:
    return {
        "openshift_version": version.rpartition(".")[0],
        "version": version,
        "cpu_architecture": "x86_64",
        "url": f"quay.io/x:{version}",
    }


@pytest.mark.parametrize(
    "more",
    [
        {"tags": "one,two words"},
        {"no_proxy": "*"},
        {"no_proxy": ".example.com,10.0.0.0/8,host:8080"},
        {"ntp_sources": "192.0.2.1,ntp.example.com"},
        {"ssh_public_key": "ssh-ed25519 AAAAC3 me\necdsa-sha2-nistp256 AAAA="},
        {
            "api_vips": [{"ip": "192.0.2.5"}],
            "ingress_vips": [{"ip": "192.0.2.5"}],
            "load_balancer": {"type": "user-managed"},
        },
        {"name": "a.b", "platform": {"type": "none"}},
        {
            "disk_encryption": {
                "enable_on": "masters",
                "mode": "tang",
                "tang_servers": '[{"url": "http://t", "thumbprint": "x"}]',
            }
        },
    ],
    ids=str,
)
def test_accepted(more: dict[str, Any]) -> None:
    create_fields(least(**more), HUB)


def test_dual_stack_needs_machine_networks_of_both_families() -> None:
    both = [{"cidr": "10.128.0.0/14"}, {"cidr": "fd01::/48"}]
    machine = [{"cidr": "192.0.2.0/24"}, {"cidr": "2001:db8::/64"}]
    fields = create_fields(least(cluster_networks=both, machine_networks=machine), HUB)
    assert fields["cluster_networks"] == both
    with pytest.raises(ServiceError, match="2 machine networks"):
        create_fields(least(cluster_networks=both, machine_networks=machine[:1]), HUB)


def test_two_nodes_need_a_release() -> None:
    assert create_fields(cluster_params(control_plane_count=2), SETTINGS)["control_plane_count"] == 2
    older = read_settings({"RELEASE_IMAGES": json.dumps([_release("4.18.9")])})
    with pytest.raises(ServiceError, match=r"there should be 3-5 dedicated .* 4\.18 or newer"):
        create_fields(least(openshift_version="4.18", control_plane_count=2), older)


def test_update_leaves_what_is_not_said_and_clears_what_is_empty() -> None:
    fields = create_fields(cluster_params(ssh_public_key="ssh-ed25519 AAAA", tags="x"), SETTINGS)
    changed = update_fields(
        fields,
        {
            "tags": "",
            "ssh_public_key": None,
            "base_dns_domain": "other.example.com",
            "api_vips": [],
            "ingress_vips": [],
        },
        SETTINGS,
    )
    assert changed["tags"] == "" and changed["ssh_public_key"] == "ssh-ed25519 AAAA"
    assert changed["base_dns_domain"] == "other.example.com" and changed["api_vips"] == []
    assert changed["platform"] == fields["platform"]
    with pytest.raises(ServiceError, match="same number"):
        update_fields(fields, {"api_vips": []}, SETTINGS)


def test_update_changes_the_shape_of_the_cluster() -> None:
    fields = create_fields(single_node_params(), SETTINGS)
    three = update_fields(fields, {"control_plane_count": 3, "user_managed_networking": False}, SETTINGS)
    assert (three["high_availability_mode"], three["platform"]["type"]) == ("Full", "baremetal")
    # The old forms are read and forgotten.
    legacy = update_fields(
        three, {"cluster_network_cidr": "10.0.0.0/16", "service_network_cidr": "172.16.0.0/16"}, SETTINGS
    )
    assert (legacy["cluster_networks"], legacy["service_networks"]) == (
        three["cluster_networks"],
        three["service_networks"],
    )


def auth(text: bytes) -> str:
    return base64.b64encode(text).decode()


@pytest.mark.parametrize(
    ("secret", "message"),
    [
        ("no json", "pull secret must be a well-formed JSON"),
        ("[]", "pull secret must contain 'auths' JSON-object field"),
        ('{"auths": []}', "pull secret must contain 'auths' JSON-object field"),
        ('{"auths": {}}', "pull secret must contain 'auths' JSON-object field"),
        ('{"auths": {"r": {}}}', 'pull secret must contain auth for "registry.example.com:5000"'),
        ('{"auths": {"r": {"auth": "%%"}}}', "invalid pull secret: 'auth' field of \"r\" is not base64-encoded"),
        (
            json.dumps({"auths": {"r": {"auth": auth(b"nocolon")}}}),
            ("invalid pull secret: 'auth' for r is not in 'user:password' format"),
        ),
        (
            json.dumps({"auths": {"r": {"auth": auth(b"a:b")}}}),
            ('pull secret must contain auth for "registry.example.com:5000"'),
        ),
    ],
)
def test_pull_secrets(secret: str, message: str) -> None:
    with pytest.raises(ServiceError) as caught:
        check_pull_secret(secret, SETTINGS, ["quay.io/a/b:1", "registry.example.com:5000/a@sha256:x"])
    assert message in caught.value.reason
