# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test the decisions of the lab's client inside the agent ISO: request bodies, root device hints, host configuration.

Source: openshift/assisted-service cmd/agentbasedinstaller.
"""

from __future__ import annotations

import asyncio
import json
from typing import Any, cast

import pytest
import yaml
from ztlab.live.client.cluster_params import cluster_params
from ztlab.live.client.hints import acceptable, parse_hints
from ztlab.live.client.host_config import NO_DISK, HostConfig, describe, load_host_configs, matching, update_for
from ztlab.live.client.infra_env_params import infra_env_params
from ztlab.live.client.manifests import ClientError, Manifests
from ztlab.live.client.rest import Client
from ztlab.live.http import HostHttp, Reply
from ztlab.live.root import Root
from ztlab.live.systemd import Container

LABELS = {"infraenvs.agent-install.openshift.io": "c"}


def manifests(install: dict[str, Any] | None = None, **others: Any) -> Manifests:
    documents = {
        "cluster-deployment.yaml": {"spec": {"clusterName": "c", "baseDomain": "example.com"}},
        "agent-cluster-install.yaml": {
            "spec": {"provisionRequirements": {"controlPlaneAgents": 3, "workerAgents": 2}} | (install or {})
        },
        "pull-secret.yaml": {"stringData": {".dockerconfigjson": "{}"}, "data": {".dockerconfigjson": "ignored"}},
        "infraenv.yaml": {"metadata": {"name": "c"}, "spec": {"nmStateConfigLabelSelector": {"matchLabels": LABELS}}},
    }
    documents |= {name.replace("__", "-") + ".yaml": document for name, document in others.items()}
    root = Root()
    for name, document in documents.items():
        text = yaml.safe_dump_all(document) if isinstance(document, list) else yaml.safe_dump(document)
        root.write(f"/etc/assisted/manifests/{name}", text)
    return Manifests(root)


def params(install: dict[str, Any] | None = None, **others: Any) -> dict[str, Any]:
    return cluster_params(manifests(install, **others), version="4.22.0", architecture="x86_64", release_image="r")


def test_the_smallest_cluster() -> None:
    assert params() == {
        "name": "c",
        "base_dns_domain": "example.com",
        "openshift_version": "4.22.0",
        "ocp_release_image": "r",
        "cpu_architecture": "x86_64",
        "pull_secret": "{}",
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


CLUSTERS: list[tuple[dict[str, Any], dict[str, Any]]] = [
    (
        {"provisionRequirements": {"controlPlaneAgents": 1}},
        {"high_availability_mode": "None", "user_managed_networking": True, "control_plane_count": 1},
    ),
    ({"networking": {"userManagedNetworking": True}}, {"user_managed_networking": True}),
    ({"apiVIP": "10.0.0.5"}, {"api_vips": [{"ip": "10.0.0.5"}]}),
    (
        {"apiVIPs": ["10.0.0.5", "FD00:0::5"], "apiVIP": "10.0.0.5"},
        {"api_vips": [{"ip": "10.0.0.5"}, {"ip": "fd00::5"}]},
    ),
    ({"platformType": "BareMetal"}, {"platform": {"type": "baremetal"}}),
    (
        {"platformType": "External", "external": {"platformName": "oci", "cloudControllerManager": "External"}},
        {
            "platform": {
                "type": "external",
                "external": {"platform_name": "oci", "cloud_controller_manager": "External"},
            }
        },
    ),
    ({"ntpSources": ["a", "b"]}, {"ntp_sources": "a,b"}),
    (
        {"controlPlane": {"hyperthreading": "Enabled"}, "compute": [{"name": "worker", "hyperthreading": "Enabled"}]},
        {"hyperthreading": "masters,workers"},
    ),
    ({"controlPlane": {}}, {"hyperthreading": "none"}),
    ({"diskEncryption": {"enableOn": "all"}}, {"disk_encryption": {"enable_on": "all", "mode": "tpmv2"}}),
    ({"proxy": {"httpProxy": "http://p", "noProxy": ""}}, {"http_proxy": "http://p"}),
    ({"loadBalancer": {"type": "UserManaged"}}, {"load_balancer": {"type": "user-managed"}}),
    (
        {
            "networking": {
                "clusterNetwork": [{"cidr": "10.128.0.0/14", "hostPrefix": 23}],
                "machineNetwork": [{"cidr": "10.0.0.0/16"}],
                "networkType": "X",
            }
        },
        {
            "cluster_networks": [{"cidr": "10.128.0.0/14", "host_prefix": 23}],
            "machine_networks": [{"cidr": "10.0.0.0/16"}],
            "network_type": "X",
        },
    ),
]


@pytest.mark.parametrize(("install", "expected"), CLUSTERS)
def test_cluster_fields(install: dict[str, Any], expected: dict[str, Any]) -> None:
    found = params(install)
    assert {name: found.get(name) for name in expected} == expected


def test_nothing_optional_is_sent_empty() -> None:
    assert not {"platform", "hyperthreading", "disk_encryption", "http_proxy", "ntp_sources", "tags"} & set(
        params({"diskEncryption": {"enableOn": "none"}})
    )


def test_vips_that_contradict_each_other() -> None:
    with pytest.raises(ClientError, match="apiVIP must be the same as the first element of apiVIPs"):
        params({"apiVIP": "10.0.0.6", "apiVIPs": ["10.0.0.5"]})


def test_infra_env_without_networks() -> None:
    assert infra_env_params(manifests(), cluster_id="", image_type="full-iso") == {
        "name": "c",
        "image_type": "full-iso",
        "pull_secret": "{}",
        "ssh_authorized_key": "",
        "cpu_architecture": "",
        "kernel_arguments": None,
        "static_network_config": None,
    }


def nmstate(**changes: Any) -> dict[str, Any]:
    spec = {
        "interfaces": [{"name": "eth0", "macAddress": "02:00:00:00:00:0A"}],
        "config": {"interfaces": [{"type": "ethernet", "name": "eth0"}]},
    }
    return {"metadata": {"labels": LABELS}, "spec": spec} | changes


def test_infra_env_with_networks() -> None:
    found = infra_env_params(manifests(nmstateconfig=[nmstate(), None]), cluster_id="id", image_type="full-iso")
    assert found["cluster_id"] == "id"
    assert found["static_network_config"] == [
        {
            "network_yaml": "interfaces:\n- name: eth0\n  type: ethernet\n",
            "mac_interface_map": [{"mac_address": "02:00:00:00:00:0A", "logical_nic_name": "eth0"}],
        }
    ]


@pytest.mark.parametrize(
    ("labels", "reason"),
    [
        ({}, "should have at least one label"),
        ({"a": "b"}, "labels do not match"),
        (LABELS | {"a": "b"}, "labels do not match"),
    ],
)
def test_labels_must_be_equal(labels: dict[str, str], reason: str) -> None:
    with pytest.raises(ClientError, match=reason):
        infra_env_params(
            manifests(nmstateconfig=nmstate(metadata={"labels": labels})), cluster_id="", image_type="full-iso"
        )


# ---- hints ----


def disk(**changes: Any) -> dict[str, Any]:
    base = {
        "id": "/dev/disk/by-id/a",
        "path": "/dev/sda",
        "by_path": "/dev/disk/by-path/p",
        "by_id": "/dev/disk/by-id/a",
        "model": "SAMSUNG X",
        "vendor": "ATA",
        "serial": "S1",
        "wwn": "0x5",
        "hctl": "0:0:0:0",
        "drive_type": "SSD",
        "size_bytes": 480 * 10**9,
        "installation_eligibility": {"eligible": True},
    }
    return base | changes


@pytest.mark.parametrize(
    ("hints", "accepted"),
    [
        ({}, True),
        ({"deviceName": "/dev/sda"}, True),
        ({"deviceName": "/dev/disk/by-path/p"}, True),
        ({"deviceName": "/dev/disk/by-id/a"}, False),
        ({"deviceName": ""}, True),
        ({"model": "SAM"}, True),
        ({"model": "sam"}, False),
        ({"vendor": "AT"}, True),
        ({"serialNumber": "S"}, False),
        ({"serialNumber": "S1", "wwn": "0x5", "hctl": "0:0:0:0"}, True),
        ({"minSizeGigabytes": 480}, True),
        ({"minSizeGigabytes": 481}, False),
        ({"rotational": False}, True),
        ({"rotational": True}, False),
        ({"wwnWithExtension": "x", "wwnVendorExtension": "y"}, True),
    ],
)
def test_hints(hints: dict[str, Any], accepted: bool) -> None:
    assert bool(acceptable([disk()], hints)) is accepted


def test_ineligible_disks_are_no_candidates() -> None:
    assert acceptable([disk(installation_eligibility={"eligible": False})], {}) == []


@pytest.mark.parametrize("text", ["deviceName: [", "- a", "devicename: /dev/sda"])
def test_hints_are_read_strictly(text: str) -> None:
    with pytest.raises(ClientError, match="failed to parse Root Device Hints file"):
        parse_hints(text)


# ---- host configuration ----


def test_directories() -> None:
    root = Root()
    root.write("/etc/assisted/hostconfig/a/mac_addresses", " 02:00:00:00:00:0A \n\n")
    root.write("/etc/assisted/hostconfig/a/role", "worker\n")
    root.write("/etc/assisted/hostconfig/a/root-device-hints.yaml", "deviceName: /dev/sdb\n")
    root.write("/etc/assisted/hostconfig/b/role", "master")
    root.write(
        "/etc/assisted/hostconfig/fencing-credentials.yaml",
        ("credentials: [{hostname: h, username: u, password: p, address: x}]"),
    )
    log: list[str] = []
    first, second = load_host_configs(root, log)
    assert (first.name, first.macs, first.role, first.hints) == (
        "a",
        ("02:00:00:00:00:0a",),
        "worker",
        {"deviceName": "/dev/sdb"},
    )
    assert second.hostname == "h" and second.fencing == {"address": "x", "username": "u", "password": "p"}
    assert log == ["No MAC Addresses file found in /etc/assisted/hostconfig/b"]
    assert load_host_configs(Root(), []) == []


CONFIG = HostConfig("a", ("02:00:00:00:00:01",), role="worker")
INVENTORY = {"hostname": "h", "interfaces": [{"mac_address": "02:00:00:00:00:01"}], "disks": [disk()]}


def test_matching() -> None:
    by_name, other = HostConfig("h", hostname="h"), HostConfig("x", ("02:00:00:00:00:09",))
    assert matching([other, by_name, CONFIG], INVENTORY) == [CONFIG, by_name]


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        ({"suggested_role": "worker", "installation_disk_id": "/dev/disk/by-id/a"}, {}),
        ({"suggested_role": "master", "installation_disk_id": "/dev/disk/by-id/a"}, {"host_role": "worker"}),
        ({"suggested_role": "worker"}, {"disks_selected_config": [{"id": "/dev/disk/by-id/a", "role": "install"}]}),
    ],
)
def test_only_changes_are_sent(host: dict[str, Any], expected: dict[str, Any]) -> None:
    found = update_for([CONFIG], host, INVENTORY)
    assert {key: value for key, value in found.items() if value is not None} == expected
    assert (found == {}) is (expected == {})


def test_no_acceptable_disk_is_asked_for_on_purpose() -> None:
    config = HostConfig("a", CONFIG.macs, hints={"deviceName": "/dev/nvme0n1"})
    changes = update_for([config], {"installation_disk_id": "old", "suggested_role": ""}, INVENTORY)
    assert changes["disks_selected_config"] == [{"id": NO_DISK, "role": "install"}]
    assert describe(changes, {"installation_disk_id": "old"}) == f"installation disk to {NO_DISK} (from old)"


# Joining a cluster that runs

JOINING = {
    "SERVICE_BASE_URL": "http://127.0.0.1:8090/",
    "CLUSTER_ID": "o1",
    "CLUSTER_NAME": "c",
    "CLUSTER_API_VIP_DNS_NAME": "api.c.example.com",
}
ENDPOINT = {"url": "https://api-int:22623/config/worker", "ca_certificate": "Q0E="}


class Service:
    """Answers every call with one cluster, or with a refusal of the given method."""

    def __init__(self, refused: str = "") -> None:
        self.calls: list[tuple[str, str, Any]] = []
        self._refused = refused

    async def request(self, method: str, url: str, *, headers: Any = None, body: Any = None) -> Reply:
        self.calls.append((method, url.removeprefix("http://127.0.0.1:8090/api/assisted-install"), body))
        return Reply(400, b'{"reason": "no"}') if method == self._refused else Reply(201, b'{"id": "c1"}')


def imported(service: Service, files: dict[str, str], **environment: str) -> str:
    root = Root()
    for name, text in files.items():
        root.write(f"/etc/assisted/clusterconfig/{name}", text)
    container = Container(JOINING | environment, {"/clusterconfig": "/etc/assisted/clusterconfig"})
    return asyncio.run(Client(cast(HostHttp, service), root, container, lambda _text: None).import_cluster())


SETTINGS = {"import-cluster-config.json": '{"networking": {"userManagedNetworking": true}}'}


@pytest.mark.parametrize(
    ("files", "endpoint"),
    [({}, {}), ({"worker-ignition-endpoint.json": json.dumps(ENDPOINT)}, {"ignition_endpoint": ENDPOINT})],
)
def test_a_cluster_is_imported_with_the_facts_of_the_image(files: dict[str, str], endpoint: dict[str, Any]) -> None:
    service = Service()
    assert imported(service, SETTINGS | files) == "c1"
    unchanged = dict.fromkeys(
        ("api_vips", "ingress_vips", "cluster_networks", "machine_networks", "service_networks", "olm_operators")
    )
    assert service.calls == [
        (
            "POST",
            "/v2/clusters/import",
            {"name": "c", "api_vip_dnsname": "api.c.example.com", "openshift_cluster_id": "o1"},
        ),
        ("PATCH", "/v2/clusters/c1", {**unchanged, "user_managed_networking": True, **endpoint}),
    ]


@pytest.mark.parametrize(
    ("files", "environment", "refused", "calls", "text"),
    [
        (SETTINGS, {"CLUSTER_NAME": ""}, "", 0, "No CLUSTER_NAME specified"),
        ({}, {}, "", 1, "failed to apply cluster params"),
        ({"import-cluster-config.json": "{}"}, {}, "", 1, "failed to apply cluster params"),
        (SETTINGS | {"worker-ignition-endpoint.json": "{"}, {}, "", 1, "failed to apply cluster params"),
        (SETTINGS, {}, "POST", 1, "Failed to import cluster"),
        (SETTINGS, {}, "PATCH", 2, "Failed to import cluster"),
    ],
)
def test_what_stops_an_import(
    files: dict[str, str], environment: dict[str, str], refused: str, calls: int, text: str
) -> None:
    service = Service(refused)
    with pytest.raises(ClientError, match=text):
        imported(service, files, **environment)
    assert len(service.calls) == calls


def test_a_node_that_joins_configures_itself_only() -> None:
    root = Root()
    for name, mac in (("a", "02:00:00:00:00:01"), ("b", "02:00:00:00:00:02")):
        root.write(f"/etc/assisted/hostconfig/{name}/mac_addresses", f"{mac}\n")
    for workflow, found in (("addnodes", ["b"]), ("install", ["a", "b"])):
        container = Container(
            JOINING | {"WORKFLOW_TYPE": workflow}, {"/etc/assisted/hostconfig": "/etc/assisted/hostconfig"}
        )
        configs = Client(cast(HostHttp, Service()), root, container, lambda _text: None).host_configs(
            ["02:00:00:00:00:02"]
        )
        assert [config.name for config in configs] == found
