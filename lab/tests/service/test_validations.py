# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test the validations of hosts and clusters with a table of the changes that make each one succeed, fail or wait.

Source: openshift/assisted-service internal/host/validator.go, internal/cluster/validator.go.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from ztlab.service import validations_cluster, validations_host
from ztlab.service.model import Host, Manifest
from ztlab.service.settings import read_settings

from .bench import Bench
from .scripted import Keys, agent_environment, cluster_params, single_node_params

Change = Callable[[Bench, Host], Any]


def inventory(**members: Any) -> Change:
    return lambda bench, host: (host.inventory or {}).update(members)


def host(**members: Any) -> Change:
    return lambda bench, item: vars(item).update(members)


def cluster(**fields: Any) -> Change:
    return lambda bench, item: bench.cluster.fields.update(fields)


def nothing(bench: Bench, item: Host) -> None:
    return None


def no_inventory(bench: Bench, item: Host) -> None:
    item.inventory = None


def links(**members: Any) -> Change:
    def change(bench: Bench, item: Host) -> None:
        for remote in (item.connectivity or {})["remote_hosts"]:
            for link in [*remote["l2_connectivity"], *remote["l3_connectivity"], *remote["mtu_report"]]:
                link.update(members)

    return change


def two_macs(bench: Bench, item: Host) -> None:
    other = next(found for found in bench.core.state.hosts.values() if found is not item)
    other.connectivity["remote_hosts"][0]["l2_connectivity"][0]["remote_mac"] = "02:ff:ff:ff:ff:ff"  # type: ignore[index]


def resolved(name: str, address: str) -> Change:
    def change(bench: Bench, item: Host) -> None:
        item.resolutions = {
            "resolutions": [
                {"domain_name": f"{name}.demo.lab.example.com", "ipv4_addresses": [address] if address else []}
            ]
        }

    return change


def iscsi(address: str) -> Change:
    def change(bench: Bench, item: Host) -> None:
        (item.inventory or {})["disks"][0].update(drive_type="iSCSI", iscsi={"host_ip_address": address})

    return change


def nic(**members: Any) -> Change:
    def change(bench: Bench, item: Host) -> None:
        (item.inventory or {})["interfaces"][0].update(members)

    return change


def second_nic(address: str) -> Change:
    def change(bench: Bench, item: Host) -> None:
        interfaces = (item.inventory or {})["interfaces"]
        interfaces.append(
            {**interfaces[0], "name": "eth1", "mac_address": "02:00:00:00:01:00", "ipv4_addresses": [address]}
        )

    return change


def day2(bench: Bench, item: Host) -> None:
    bench.cluster.kind = "AddHostsCluster"


def later(seconds: float) -> Change:
    def change(bench: Bench, item: Host) -> None:
        bench.clock.moment += seconds

    return change


def chain(*changes: Change) -> Change:
    def change(bench: Bench, item: Host) -> None:
        for entry in changes:
            entry(bench, item)

    return change


UMN = cluster(user_managed_networking=True)
TANG = cluster(disk_encryption={"enable_on": "all", "mode": "tang"})
TPM = cluster(disk_encryption={"enable_on": "masters", "mode": "tpmv2"})
SLOW = {"disk_speed": {"tested": True, "speed_ms": 11, "exit_code": 0}}
GIB = 1024**3

HOSTS: list[tuple[str, Change, str]] = [
    ("connected", nothing, "success"),
    ("connected", later(200), "failure"),
    ("connected", chain(later(200), host(bootstrap=True)), "success"),
    ("connected", chain(later(400), lambda b, h: setattr(h.progress, "stage", "Configuring")), "success"),
    ("media-connected", host(media_status="disconnected"), "failure"),
    ("machine-cidr-defined", nothing, "success"),
    ("machine-cidr-defined", lambda b, h: b.cluster.machine_networks.clear(), "failure"),
    ("machine-cidr-defined", chain(UMN, lambda b, h: b.cluster.machine_networks.clear()), "success"),
    ("belongs-to-machine-cidr", nothing, "success"),
    ("belongs-to-machine-cidr", nic(ipv4_addresses=["198.51.100.9/24"]), "failure"),
    ("belongs-to-machine-cidr", chain(UMN, nic(ipv4_addresses=["198.51.100.9/24"])), "success"),
    ("belongs-to-machine-cidr", no_inventory, "pending"),
    ("belongs-to-majority-group", nothing, "success"),
    ("belongs-to-majority-group", links(successful=False), "failure"),
    ("belongs-to-majority-group", host(connectivity=None), "pending"),
    ("belongs-to-majority-group", lambda b, h: b.core.state.hosts.popitem(), "pending"),
    ("belongs-to-majority-group", day2, "success"),
    ("api-domain-name-resolved-correctly", nothing, "success"),
    ("api-domain-name-resolved-correctly", UMN, "failure"),
    ("api-domain-name-resolved-correctly", chain(UMN, resolved("api", "192.0.2.5")), "success"),
    ("api-domain-name-resolved-correctly", chain(UMN, resolved("api", "192.0.2.20")), "failure"),
    ("api-domain-name-resolved-correctly", chain(UMN, host(resolutions=None)), "pending"),
    ("api-int-domain-name-resolved-correctly", chain(UMN, resolved("api-int", "192.0.2.5")), "success"),
    (
        "apps-domain-name-resolved-correctly",
        chain(UMN, resolved("console-openshift-console.apps", "192.0.2.6")),
        "success",
    ),
    ("dns-wildcard-not-configured", nothing, "success"),
    ("dns-wildcard-not-configured", resolved("validateNoWildcardDNS", "192.0.2.9"), "failure"),
    ("dns-wildcard-not-configured", host(resolutions=None), "pending"),
    ("dns-wildcard-not-configured", chain(day2, host(resolutions=None)), "success"),
    ("valid-platform-network-settings", inventory(system_vendor={"product_name": "OpenStack Compute"}), "failure"),
    (
        "valid-platform-network-settings",
        chain(UMN, inventory(system_vendor={"product_name": "OpenStack Compute"})),
        "success",
    ),
    ("has-default-route", nothing, "success"),
    ("has-default-route", inventory(routes=[]), "failure"),
    (
        "has-default-route",
        inventory(routes=[{"interface": "eth0", "gateway": "0.0.0.0", "destination": "0.0.0.0"}]),
        "failure",
    ),
    ("has-default-route", no_inventory, "pending"),
    ("sufficient-network-latency-requirement-for-role", links(average_rtt_ms=99), "success"),
    ("sufficient-network-latency-requirement-for-role", links(average_rtt_ms=101), "failure"),
    ("sufficient-network-latency-requirement-for-role", host(connectivity=None), "pending"),
    ("sufficient-packet-loss-requirement-for-role", links(packet_loss_percentage=0.5), "failure"),
    ("non-overlapping-subnets", second_nic("192.0.2.200/25"), "failure"),
    ("non-overlapping-subnets", second_nic("198.51.100.2/24"), "success"),
    ("no-ip-collisions-in-network", nothing, "success"),
    ("no-ip-collisions-in-network", two_macs, "failure"),
    ("no-iscsi-nic-belongs-to-machine-cidr", nothing, "left out"),
    ("no-iscsi-nic-belongs-to-machine-cidr", iscsi("192.0.2.99"), "failure"),
    ("no-iscsi-nic-belongs-to-machine-cidr", iscsi("198.51.100.99"), "success"),
    ("no-iscsi-nic-belongs-to-machine-cidr", no_inventory, "pending"),
    ("time-synced-between-host-and-service", host(clock_offset=-1300), "failure"),
    ("time-synced-between-host-and-service", host(clock_offset=-1100), "success"),
    ("time-synced-between-host-and-service", host(clock_offset=3700), "failure"),
    ("time-synced-between-host-and-service", host(timestamp=0), "pending"),
    ("ignition-downloadable", nothing, "left out"),
    ("ignition-downloadable", day2, "pending"),
    ("ignition-downloadable", chain(day2, host(api_vip_connectivity={"is_success": True})), "success"),
    ("ignition-downloadable", chain(day2, host(api_vip_connectivity={"is_success": False})), "failure"),
    ("ntp-synced", host(ntp_sources=[{"source_state": "unreachable"}]), "failure"),
    ("ntp-synced", host(ntp_sources=None), "failure"),
    ("container-images-available", host(images_status={"x": {"result": "failure"}}), "failure"),
    ("mtu-valid", nothing, "success"),
    ("mtu-valid", links(mtu_successful=False), "failure"),
    ("has-inventory", no_inventory, "failure"),
    ("inventory-not-partially-truncated", inventory(truncation={"type": "partial"}), "failure"),
    ("inventory-not-fully-truncated", inventory(truncation={"type": "full"}), "failure"),
    ("has-min-cpu-cores", inventory(cpu={"count": 1}), "failure"),
    ("has-min-cpu-cores", inventory(cpu={"count": 2}), "success"),
    ("has-min-memory", inventory(memory={"physical_bytes": 7 * GIB}), "failure"),
    ("has-min-memory", inventory(memory={"physical_bytes": 8 * GIB - 90 * 1024**2}), "success"),
    (
        "has-min-memory",
        inventory(memory={"physical_bytes": int(7.78 * GIB), "physical_bytes_method": "meminfo"}),
        "success",
    ),
    (
        "has-min-memory",
        inventory(memory={"physical_bytes": int(7.78 * GIB), "physical_bytes_method": "dmidecode"}),
        "failure",
    ),
    ("has-min-valid-disks", inventory(disks=[]), "failure"),
    ("has-cpu-cores-for-role", chain(host(role="master"), inventory(cpu={"count": 3})), "failure"),
    ("has-cpu-cores-for-role", chain(host(role="worker"), inventory(cpu={"count": 3})), "success"),
    ("has-memory-for-role", chain(host(role="master"), inventory(memory={"physical_bytes": 12 * GIB})), "failure"),
    ("has-memory-for-role", chain(host(role="arbiter"), inventory(memory={"physical_bytes": 8 * GIB})), "success"),
    ("hostname-unique", host(requested_hostname="host-1"), "failure"),
    ("hostname-unique", nothing, "success"),
    ("hostname-valid", inventory(hostname="localhost.localdomain"), "failure"),
    ("hostname-valid", inventory(hostname="Upper"), "failure"),
    ("hostname-valid", chain(inventory(hostname="localhost"), host(requested_hostname="fine.example.com")), "success"),
    ("sufficient-installation-disk-speed", nothing, "success"),
    ("sufficient-installation-disk-speed", lambda b, h: h.disks_info.update({h.installation_disk_id: SLOW}), "failure"),
    ("compatible-with-cluster-platform", cluster(platform={"type": "vsphere"}), "failure"),
    (
        "compatible-with-cluster-platform",
        chain(cluster(platform={"type": "vsphere"}), inventory(system_vendor={"manufacturer": "VMware, Inc."})),
        "success",
    ),
    (
        "compatible-with-cluster-platform",
        chain(cluster(platform={"type": "nutanix"}), inventory(system_vendor={"manufacturer": "Nutanix"})),
        "success",
    ),
    ("vsphere-disk-uuid-enabled", nothing, "left out"),
    ("vsphere-disk-uuid-enabled", cluster(platform={"type": "vsphere"}), "failure"),
    ("disk-encryption-requirements-satisfied", nothing, "left out"),
    ("disk-encryption-requirements-satisfied", chain(host(role="master"), TPM), "success"),
    ("disk-encryption-requirements-satisfied", chain(host(role="worker"), TPM), "left out"),
    (
        "disk-encryption-requirements-satisfied",
        chain(host(role="master"), TPM, inventory(tpm_version="1.2")),
        "failure",
    ),
    (
        "disk-encryption-requirements-satisfied",
        chain(host(role="master"), TPM, inventory(tpm_version="none")),
        "failure",
    ),
    ("disk-encryption-requirements-satisfied", chain(host(role="worker"), TANG), "pending"),
    (
        "disk-encryption-requirements-satisfied",
        chain(host(role="worker", tang_connectivity={"is_success": True}), TANG),
        "success",
    ),
    (
        "disk-encryption-requirements-satisfied",
        chain(host(role="worker", tang_connectivity={"is_success": False}), TANG),
        "failure",
    ),
    ("compatible-agent", host(agent_version="other"), "failure"),
    ("no-skip-installation-disk", lambda b, h: setattr(h, "skip_formatting", (h.installation_disk_id,)), "failure"),
    ("no-skip-missing-disk", host(skip_formatting=("gone",)), "failure"),
    ("lvm-requirements-satisfied", nothing, "success"),
]


@pytest.mark.parametrize(
    ("name", "change", "status"), HOSTS, ids=[f"{number}-{row[0]}-{row[2]}" for number, row in enumerate(HOSTS)]
)
def test_host(name: str, change: Change, status: str) -> None:
    bench = Bench()
    first, _, _ = bench.ready()
    change(bench, first)
    verdict = bench.verdict(first, name)
    assert (verdict[0] if verdict else "left out") == status, verdict


def test_every_id_of_hosts_is_tried() -> None:
    assert {item.id for item in validations_host.VALIDATIONS} - {row[0] for row in HOSTS} == set()


def test_what_does_not_block() -> None:
    free = {item.id for item in validations_host.VALIDATIONS if not item.blocks}
    assert free == {"ntp-synced", "container-images-available", "mtu-valid", "inventory-not-partially-truncated"}


def test_unsynchronised_hosts_install_all_the_same() -> None:
    bench = Bench()
    hosts = bench.ready()
    hosts[0].ntp_sources = []
    assert bench.refresh(hosts[0]) == ("known", "Host is ready to be installed")


def machine_networks(*cidrs: str) -> Change:
    return lambda bench, item: setattr(bench.cluster, "machine_networks", list(cidrs))


def vips(**states: str) -> Change:
    return lambda bench, item: bench.cluster.vip_verification.update(
        {"192.0.2.5": states.get("api", ""), "192.0.2.6": states.get("ingress", "")}
    )


def unverified(bench: Bench, item: Host) -> None:
    bench.cluster.vip_verification.clear()


def free(*addresses: str) -> Change:
    def change(bench: Bench, item: Host) -> None:
        bench.cluster.vip_verification.clear()
        item.free_addresses = [{"network": "192.0.2.0/24", "free_addresses": list(addresses)}]

    return change


CLUSTERS: list[tuple[str, Change, str]] = [
    ("pull-secret-set", lambda b, h: setattr(b.cluster, "pull_secret", ""), "failure"),
    ("platform-requirements-satisfied", nothing, "success"),
    ("all-hosts-are-ready-to-install", nothing, "success"),
    ("all-hosts-are-ready-to-install", host(status="insufficient"), "failure"),
    ("all-hosts-are-ready-to-install", host(status="preparing-successful"), "success"),
    ("sufficient-masters-count", nothing, "success"),
    ("sufficient-masters-count", host(role="worker"), "failure"),
    ("sufficient-masters-count", cluster(control_plane_count=2), "failure"),
    ("machine-cidr-defined", machine_networks(), "pending"),
    ("cluster-cidr-defined", cluster(cluster_networks=[]), "pending"),
    ("service-cidr-defined", cluster(service_networks=[]), "pending"),
    ("no-cidrs-overlapping", nothing, "success"),
    ("no-cidrs-overlapping", cluster(service_networks=[{"cidr": "192.0.2.0/25"}]), "failure"),
    ("no-cidrs-overlapping", machine_networks(), "pending"),
    ("networks-same-address-families", cluster(service_networks=[{"cidr": "fd02::/112"}]), "failure"),
    ("networks-same-address-families", machine_networks(), "pending"),
    ("network-prefix-valid", cluster(cluster_networks=[{"cidr": "10.128.0.0/14", "host_prefix": 26}]), "failure"),
    ("network-prefix-valid", cluster(cluster_networks=[{"cidr": "10.128.0.0/14", "host_prefix": 13}]), "failure"),
    ("network-prefix-valid", cluster(cluster_networks=[{"cidr": "10.128.0.0/14", "host_prefix": 0}]), "failure"),
    ("machine-cidr-equals-to-calculated-cidr", nothing, "success"),
    ("machine-cidr-equals-to-calculated-cidr", machine_networks("192.0.0.0/16"), "failure"),
    ("machine-cidr-equals-to-calculated-cidr", machine_networks("192.0.2.0/25"), "success"),
    ("machine-cidr-equals-to-calculated-cidr", cluster(api_vips=[]), "pending"),
    ("machine-cidr-equals-to-calculated-cidr", chain(UMN, machine_networks("192.0.0.0/16")), "success"),
    ("api-vips-defined", nothing, "success"),
    ("api-vips-defined", cluster(api_vips=[]), "pending"),
    ("api-vips-defined", chain(UMN, cluster(api_vips=[])), "success"),
    ("ingress-vips-defined", cluster(ingress_vips=[]), "pending"),
    ("api-vips-valid", nothing, "success"),
    ("api-vips-valid", unverified, "pending"),
    ("api-vips-valid", vips(api="failed"), "failure"),
    ("api-vips-valid", free("192.0.2.5", "192.0.2.6"), "success"),
    ("api-vips-valid", free("192.0.2.6"), "failure"),
    ("api-vips-valid", machine_networks("198.51.100.0/24"), "failure"),
    ("api-vips-valid", chain(unverified, cluster(api_vips=[{"ip": "192.0.2.255"}])), "failure"),
    ("api-vips-valid", chain(unverified, cluster(api_vips=[{"ip": "192.0.2.20"}])), "failure"),
    ("api-vips-valid", cluster(api_vips=[]), "pending"),
    ("ingress-vips-valid", free("192.0.2.5"), "failure"),
    ("dns-domain-defined", cluster(base_dns_domain=""), "pending"),
    ("ntp-server-configured", nothing, "success"),
    ("ntp-server-configured", host(clock_offset=300), "failure"),
    ("network-type-valid", cluster(vip_dhcp_allocation=True), "failure"),
    (
        "network-type-valid",
        cluster(network_type="OpenShiftSDN", cluster_networks=[{"cidr": "fd01::/48", "host_prefix": 64}]),
        "failure",
    ),
    ("network-type-valid", cluster(network_type=""), "success"),
    ("custom-manifests-requirements-satisfied", cluster(network_type="Cilium"), "failure"),
    (
        "custom-manifests-requirements-satisfied",
        chain(
            cluster(network_type="Cilium"),
            lambda b, h: b.cluster.manifests.update({("openshift", "c.yaml"): Manifest("openshift", "c.yaml", b"x")}),
        ),
        "success",
    ),
    (
        "custom-manifests-requirements-satisfied",
        cluster(
            platform={"type": "external", "external": {"platform_name": "oci", "cloud_controller_manager": "External"}}
        ),
        "failure",
    ),
]


@pytest.mark.parametrize(
    ("name", "change", "status"), CLUSTERS, ids=[f"{number}-{row[0]}-{row[2]}" for number, row in enumerate(CLUSTERS)]
)
def test_cluster(name: str, change: Change, status: str) -> None:
    bench = Bench()
    first, _, _ = bench.ready()
    change(bench, first)
    found = bench.cluster_verdict(name)
    assert found[0] == status, found


def test_every_id_of_clusters_is_tried() -> None:
    assert {name for name, _category, _check in validations_cluster.VALIDATIONS} - {row[0] for row in CLUSTERS} == set()


def test_messages_that_the_reference_names() -> None:
    bench = Bench()
    first, _, _ = bench.ready()
    bench.cluster.machine_networks = ["198.51.100.0/24"]
    assert bench.cluster_verdict("api-vips-valid")[1] == (
        "api vips 192.0.2.5 does not belong to machine-network-cidr <198.51.100.0/24>"
    )
    bench.cluster.machine_networks = ["192.0.2.0/24"]
    bench.cluster.vip_verification["192.0.2.5"] = "failed"
    assert bench.cluster_verdict("api-vips-valid")[1] == "api vips 192.0.2.5 is already in use in cidr 192.0.2.0/24"
    bench.cluster.vip_verification.clear()
    assert bench.cluster_verdict("api-vips-valid")[1] == "api vips 192.0.2.5 are not verified yet."
    assert bench.verdict(first, "lvm-requirements-satisfied") == ("success", "lvm is disabled")


def test_two_nodes_with_fencing_or_an_arbiter() -> None:
    bench = Bench(cluster_params(control_plane_count=2))
    first, second = bench.host(0, role="master"), bench.host(1, role="master")
    assert bench.cluster_verdict("sufficient-masters-count")[0] == "failure"
    first.fencing_credentials = second.fencing_credentials = {"address": "x"}
    assert bench.cluster_verdict("sufficient-masters-count")[0] == "success"
    bench.connect()
    assert bench.verdict(first, "belongs-to-majority-group") == (
        "success",
        ("Host has connectivity to the majority of hosts in the cluster"),
    )
    first.fencing_credentials = None
    bench.host(2, role="arbiter")
    assert bench.cluster_verdict("sufficient-masters-count")[0] == "success"


def test_single_node() -> None:
    bench = Bench(single_node_params(machine_networks=None))
    only = bench.host()
    bench.monitor()
    assert bench.cluster.machine_networks == ["192.0.2.0/24"]
    bench.monitor()
    assert (only.status, bench.cluster.status) == ("known", "ready"), bench.verdicts()
    assert bench.verdict(only, "mtu-valid") is None
    bench.host(1, role="worker")
    assert bench.cluster_verdict("sufficient-masters-count")[0] == "failure"


def test_networks_follow_the_vips() -> None:
    bench = Bench(cluster_params(machine_networks=None))
    bench.host()
    assert bench.cluster.machine_networks == []
    bench.monitor()
    assert bench.cluster.machine_networks == ["192.0.2.0/24"]


def test_ignored_validations_do_not_hold_anything_up() -> None:
    bench = Bench()
    first, _, _ = bench.ready()
    (first.inventory or {})["routes"] = []
    assert bench.refresh(first)[0] == "insufficient"
    bench.cluster.ignored_hosts = ["has-default-route"]
    assert bench.refresh(first)[0] == "known"
    bench.cluster.ignored_hosts = ["all"]
    first.requested_hostname = "host-1"
    assert bench.refresh(first)[0] == "insufficient"


_SMALL = {"ram_mib": 1024, "disk_size_gb": 10}
_LISTED = {
    "master": {"cpu_cores": 6, **_SMALL},
    "worker": {"cpu_cores": 1, **_SMALL},
    "sno": {"cpu_cores": 3, **_SMALL},
}
REQUIREMENTS = json.dumps([{"version": "default", **_LISTED}])


@pytest.mark.parametrize(
    ("text", "role", "version", "single", "cores"),
    [
        ("", "master", "4.22.0", False, 4),
        ("TO_BE_REPLACED_BY_SYSTEMD", "worker", "4.22.0", False, 2),
        ("", "master", "4.21.3", True, 8),
        ("", "master", "4.22.0", True, 4),
        (REQUIREMENTS, "master", "4.22.0", False, 6),
        (REQUIREMENTS, "bootstrap", "4.22.0", False, 6),
        (REQUIREMENTS, "worker", "4.22.0", False, 1),
        (REQUIREMENTS, "arbiter", "4.22.0", False, 2),
        (REQUIREMENTS, "master", "4.22.0", True, 3),
    ],
)
def test_requirements(text: str, role: str, version: str, single: bool, cores: int) -> None:
    settings = read_settings(agent_environment(Keys(), HW_VALIDATOR_REQUIREMENTS=text))
    assert settings.requirement(role, version, single).cpu_cores == cores


def test_changes_of_validations_are_events() -> None:
    bench = Bench()
    first, _, _ = bench.ready()
    first.ntp_sources = []
    bench.refresh(first)
    first.ntp_sources = [{"source_state": "synced"}]
    bench.refresh(first)
    names = [event.name for event in bench.core.events if "ntp-synced" in event.message]
    assert names == ["host_validation_failed", "host_validation_fixed"]
