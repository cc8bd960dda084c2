# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test pure functions of the hub's operators: root device hints, BMAC, host classification, certificate signing
requests, releases, request bodies.
"""

from __future__ import annotations

import base64
from typing import Any

import pytest
from ztlab.hub.agent_status import inventory, inventory_labels
from ztlab.hub.client import merge_diff
from ztlab.hub.cluster_spec import changes, cluster_body, release_of
from ztlab.hub.cluster_status import ignored
from ztlab.hub.controllers.classification import classify
from ztlab.hub.controllers.preprovisioning import outcome
from ztlab.hub.csr import BOOTSTRAPPER, BOOTSTRAPPER_GROUPS, approvable
from ztlab.hub.hints import NOT_FOUND, disk_by_hints
from ztlab.hub.world import matches
from ztlab.newcluster import pki
from ztlab.service.model import Cluster

from .flow import deployment_spec, install_spec

ELIGIBLE = {"eligible": True, "notEligibleReasons": []}
SSD = {
    "id": "a",
    "path": "/dev/sda",
    "byPath": "/dev/disk/by-path/1",
    "driveType": "SSD",
    "model": "PM1643",
    "sizeBytes": 480 * 10**9,
    "installationEligibility": ELIGIBLE,
}
HDD = {
    "id": "b",
    "path": "/dev/sdb",
    "driveType": "HDD",
    "serial": "S1",
    "hctl": "0:0:0:0",
    "sizeBytes": 4000 * 10**9,
    "installationEligibility": ELIGIBLE,
}
MULTIPATH = {
    "id": "m",
    "path": "/dev/dm-0",
    "driveType": "Multipath",
    "sizeBytes": 480 * 10**9,
    "installationEligibility": ELIGIBLE,
}
SMALL = {
    "id": "c",
    "path": "/dev/sdc",
    "sizeBytes": 10**9,
    "installationEligibility": {"eligible": False, "notEligibleReasons": ["small"]},
}
DISKS = [SSD, HDD, SMALL]


@pytest.mark.parametrize(
    ("hints", "disks", "wanted"),
    [
        (None, DISKS, ""),
        ({}, DISKS, ""),
        ({"wwnWithExtension": "x"}, DISKS, ""),
        ({"deviceName": "/dev/sdb"}, DISKS, "b"),
        ({"deviceName": "/dev/disk/by-path/1"}, DISKS, "a"),
        ({"deviceName": "/dev/sdc"}, DISKS, NOT_FOUND),
        ({"model": "PM"}, DISKS, "a"),
        ({"serialNumber": "S"}, DISKS, NOT_FOUND),
        ({"hctl": "0:0:0:0", "rotational": True}, DISKS, "b"),
        ({"minSizeGigabytes": 480}, DISKS, "a"),
        ({"minSizeGigabytes": 481}, DISKS, "b"),
        ({"minSizeGigabytes": 480}, [*DISKS, MULTIPATH], "m"),
        ({"rotational": False}, [HDD, MULTIPATH], "m"),
    ],
)
def test_hints(hints: dict[str, Any] | None, disks: list[dict[str, Any]], wanted: str) -> None:
    assert disk_by_hints(hints, disks) == wanted


@pytest.mark.parametrize(
    ("query", "wanted"),
    [
        (".cpu.count == 2 and .memory.physicalBytes >= 4294967296", True),
        (".cpu.count > 2", False),
        (".cpu.count", False),
        (".disks[]", None),
        (".cpu | error", None),
    ],
)
def test_classification(query: str, wanted: bool | None) -> None:
    found = {"cpu": {"count": 2}, "memory": {"physicalBytes": 4294967296}, "disks": [1, 2]}
    assert classify(query, found) is wanted


def csr(
    name: str, signer: str, usage: str, user: str, groups: list[str], names: list[str] | None = None
) -> dict[str, Any]:
    pem = pki.signing_request(f"system:node:{name}", ["system:nodes"], names or [])
    spec = {
        "request": base64.b64encode(pem).decode(),
        "signerName": signer,
        "usages": ["digital signature", usage],
        "username": user,
        "groups": groups,
    }
    return {"metadata": {"name": "csr-1"}, "spec": spec}


NODE = {
    "status": {"addresses": [{"type": "InternalIP", "address": "192.0.2.20"}, {"type": "Hostname", "address": "w1"}]}
}
CLIENT = ("kubernetes.io/kube-apiserver-client-kubelet", "client auth", BOOTSTRAPPER, sorted(BOOTSTRAPPER_GROUPS))
SERVING = ("kubernetes.io/kubelet-serving", "server auth", "system:node:w1", ["system:nodes", "system:authenticated"])


def test_signing_requests() -> None:
    assert approvable(csr("w1", *CLIENT), "w1", None) == "client"
    assert approvable(csr("W1", *CLIENT), "w1", None) == "client"
    assert approvable(csr("w2", *CLIENT), "w1", None) == ""
    assert approvable(csr("w1", *CLIENT, ["w1"]), "w1", None) == ""
    assert approvable(csr("w1", CLIENT[0], CLIENT[1], "a-user", CLIENT[3]), "w1", None) == ""
    assert approvable(csr("w1", *CLIENT[:3], [*CLIENT[3], "system:masters"]), "w1", None) == ""
    assert approvable(csr("w1", *SERVING, ["w1", "192.0.2.20"]), "w1", NODE) == "serving"
    assert approvable(csr("w1", *SERVING, ["w1", "192.0.2.21"]), "w1", NODE) == ""
    assert approvable(csr("w1", *SERVING, ["w1"]), "w1", None) == ""
    assert approvable({"spec": {"request": "!"}}, "w1", None) == ""


@pytest.mark.parametrize(
    ("image", "wanted"),
    [
        ("quay.io/openshift-release-dev/ocp-release:4.22.0-x86_64", ("4.22.0", "x86_64")),
        ("quay.io/openshift-release-dev/ocp-release:4.22.0-rc.1-multi", ("4.22.0-rc.1", "multi")),
        ("mirror.example.com:5000/release:4.21.9", ("4.21.9", "x86_64")),
        ("quay.io/r@sha256:abc", ("4.20.1", "x86_64")),
        ("quay.io/r:latest", None),
    ],
)
def test_release_of(image: str, wanted: tuple[str, str] | None) -> None:
    assert release_of(image, {"quay.io/r@sha256:abc": "4.20.1"}) == wanted


def test_cluster_body() -> None:
    spec = install_spec(
        platformType="BareMetal",
        mastersSchedulable=True,
        compute=[{"name": "worker", "hyperthreading": "Disabled"}],
        apiVIP="192.0.2.5",
    )
    spec |= {
        "networking": {**spec["networking"], "networkType": "OVNKubernetes", "userManagedNetworking": False},
        "proxy": {"httpProxy": "http://p"},
    }
    body = cluster_body({"spec": deployment_spec()}, {"metadata": {}, "spec": spec})
    assert body["cluster_networks"] == [{"cidr": "10.128.0.0/14", "host_prefix": 23}] and body["service_networks"] == [
        {"cidr": "172.30.0.0/16"}
    ]
    assert (body["platform"], body["user_managed_networking"], body["hyperthreading"]) == (
        {"type": "baremetal"},
        False,
        "masters,arbiters",
    )
    assert (body["control_plane_count"], body["schedulable_masters"], body["http_proxy"]) == (3, True, "http://p")
    assert body["api_vips"] == [{"ip": "192.0.2.5"}] and "disk_encryption" not in body


KEY = "agent-install.openshift.io/ignored-host-validations"


@pytest.mark.parametrize(
    ("annotations", "wanted"),
    [({}, ""), ({KEY: ""}, "[]"), ({KEY: " "}, "[]"), ({KEY: "a, b,a"}, '["a","b"]'), ({KEY: "all"}, '["all"]')],
)
def test_ignored_validations(annotations: dict[str, str], wanted: str) -> None:
    assert ignored(annotations, KEY) == wanted


@pytest.mark.parametrize("text", ["a,,b", "a,", ","])
def test_a_malformed_list_of_validations_is_refused(text: str) -> None:
    with pytest.raises(
        ValueError, match=(f"Failed to parse '{KEY}' annotation: .*: empty ignored validation ID found in '{text}'")
    ):
        ignored({KEY: text}, KEY)


IPV4, IPV6 = {"cidr": "10.0.0.0/16"}, {"cidr": "fd01::/48"}


@pytest.mark.parametrize(
    ("version", "masters", "networks", "wanted"),
    [
        ("4.11.5", 3, [IPV4], "OpenShiftSDN"),
        ("4.11.5", 3, [IPV4, IPV6], "OVNKubernetes"),
        ("4.11.5", 1, [IPV4], "OVNKubernetes"),
        ("4.12.0", 3, [IPV4], "OVNKubernetes"),
        ("5.0.0-ec.1", 3, [IPV4], "OVNKubernetes"),
    ],
)
def test_the_network_type_that_is_not_named(
    version: str, masters: int, networks: list[dict[str, str]], wanted: str
) -> None:
    cluster = Cluster("c", {"openshift_version": version, "control_plane_count": masters, "network_type": "Calico"})
    assert changes({"cluster_networks": networks}, cluster, "")["network_type"] == wanted
    assert changes({"network_type": "Calico"}, cluster, "") == {}


def test_what_a_cluster_is_created_with() -> None:
    spec = install_spec(
        proxy={"httpProxy": "http://p:1", "noProxy": "a"},
        diskEncryption={"enableOn": "masters", "mode": "tang", "tangServers": "[]"},
        ntpSources=["n1", "n2"],
        loadBalancer={"type": "UserManaged"},
    )
    body = cluster_body({"spec": deployment_spec()}, {"metadata": {}, "spec": spec})
    assert body["http_proxy"] == "http://p:1" and body["no_proxy"] == "a" and "https_proxy" not in body
    assert body["disk_encryption"] == {"enable_on": "masters", "mode": "tang", "tang_servers": "[]"}
    assert body["ntp_sources"] == "n1,n2" and body["load_balancer"] == {"type": "user-managed"}


def test_inventory() -> None:
    source = {
        "hostname": "h",
        "interfaces": [{"name": "eth0", "mac_address": "m"}],
        "disks": [{"id": "x", "size_bytes": 5.0, "io_perf": {"sync_duration": 3}}],
        "cpu": {"frequency": 2000.0, "count": 4, "flags": ["vmx"], "architecture": "x86_64"},
        "system_vendor": {"manufacturer": "Dell Inc.", "product_name": "(none)"},
    }
    shown = inventory(source)
    assert shown["interfaces"] == [
        {"name": "eth0", "macAddress": "m", "flags": [], "ipV4Addresses": [], "ipV6Addresses": []}
    ]
    assert shown["disks"][0]["installationEligibility"] == {"eligible": False, "notEligibleReasons": []}
    assert shown["cpu"]["clockMegahertz"] == 2000 and shown["disks"][0]["ioPerf"] == {"syncDurationMilliseconds": 3}
    labels = inventory_labels(source)
    prefix = "inventory.agent-install.openshift.io/"
    assert labels[f"{prefix}cpu-virtenabled"] == "true" and labels[f"{prefix}host-productname"] == "none"
    assert f"{prefix}host-manufacturer" not in labels  # "DellInc." ends with a dot: no label value


def test_preprovisioning_image() -> None:
    created = {"type": "ImageCreated", "status": "True", "reason": "InfraEnvAvailable", "message": "m"}
    urls = {"initrd": "i", "kernel": "k", "rootfs": "r"}
    infra_env = {
        "metadata": {},
        "spec": {"kernelArguments": [{"operation": "append", "value": "a=b"}]},
        "status": {"conditions": [created], "createdTime": "t", "isoDownloadURL": "u"},
    }
    infra_env["status"]["bootArtifacts"] = urls
    assert outcome(
        {"acceptFormats": ["initrd", "iso"], "architecture": "amd64"}, infra_env, ("n", "e"), lambda _text: 61
    )[1] == {
        "architecture": "x86_64",
        "format": "iso",
        "imageUrl": "u",
    }
    members = outcome({"acceptFormats": ["initrd"], "architecture": "x86_64"}, infra_env, ("n", "e"), lambda _text: 61)[
        1
    ]
    assert members is not None and members["extraKernelParams"] == "coreos.live.rootfs_url=r rd.bootif=0 a=b"
    found, members, again = outcome(
        {"acceptFormats": ["iso"], "architecture": "x86_64"}, infra_env, ("n", "e"), lambda _text: 10
    )
    assert (found[0].reason, members, again) == ("WaitingForInfraEnvImageToCoolDown", None, 51)
    assert (
        outcome({"acceptFormats": ["iso"], "architecture": "arm64"}, infra_env, ("n", "e"), lambda _text: 61)[0][
            0
        ].reason
        == "InfraEnvArchMismatch"
    )
    assert (
        outcome({"acceptFormats": ["iso"]}, None, ("n", "e"), lambda _text: 61)[0][0].reason == "InfraEnvNotAvailable"
    )
    assert (
        outcome(
            {"acceptFormats": ["iso"], "architecture": "x86_64"},
            {"metadata": {}, "spec": {}},
            ("n", "e"),
            lambda _text: 61,
        )[0][0].reason
        == "WaitingForInfraEnvImageToBeCreated"
    )


def test_selectors() -> None:
    assert not matches(None, {"a": "b"}) and not matches({}, {"a": "b"})
    assert matches({"matchLabels": {"a": "b"}}, {"a": "b", "c": "d"})
    assert matches({"matchExpressions": [{"key": "a", "operator": "In", "values": ["b"]}]}, {"a": "b"})
    assert not matches({"matchExpressions": [{"key": "a", "operator": "DoesNotExist"}]}, {"a": "b"})


def test_merge_diff() -> None:
    old = {"a": 1, "b": {"c": 1, "d": 2}, "e": [1]}
    assert merge_diff(old, {"a": 1, "b": {"c": 1, "d": 3}}) == {"b": {"d": 3}, "e": None}
    assert merge_diff(old, old) == {}
