# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Run the validations of a host, with the ids, categories and conditions of upstream.

Source: openshift/assisted-service internal/host/validation_id.go, internal/host/validator.go.

A check returns its verdict, or None when upstream leaves the validation out of the list for this host.
"""

from __future__ import annotations

import dataclasses
import functools
import ipaddress
import itertools
import re
from collections.abc import Callable, Mapping
from typing import Any

from . import inventory as disks
from . import networks
from .model import Cluster, Host
from .scene import Scene, Verdict
from .validations_operators import operator_verdicts

HOSTNAME = re.compile(r"^[a-z0-9][a-z0-9-]{0,62}(?:[.][a-z0-9-]{1,63})*$")
FORBIDDEN_HOSTNAMES = (
    "localhost",
    "localhost.localdomain",
    "localhost4",
    "localhost4.localdomain4",
    "localhost6",
    "localhost6.localdomain6",
)
# From the reboot on a host cannot check in: the agent is gone.
AFTER_REBOOT = ("Rebooting", "Waiting for ignition", "Configuring", "Joined", "Done")
BOOTSTRAP_EXTRA_SECONDS = 120
MEMORY_TOLERANCE_MIB = 100
SERVICE_AHEAD_SECONDS = 20 * 60
HOST_AHEAD_SECONDS = 60 * 60
MIB = 1024 * 1024

Outcome = tuple[str, str]
Check = Callable[[Scene, Host], Outcome | None]


@dataclasses.dataclass(frozen=True)
class Validation:
    id: str
    category: str
    blocks: bool
    check: Check


VALIDATIONS: list[Validation] = []
# Where the service's list differs from the order of the checks here.
ORDER = (
    *(
        "connected",
        "media-connected",
        "machine-cidr-defined",
        "belongs-to-machine-cidr",
        "belongs-to-majority-group",
        "mtu-valid",
    ),
    *(
        "valid-platform-network-settings",
        "ntp-synced",
        "time-synced-between-host-and-service",
        "container-images-available",
    ),
    *(
        "sufficient-network-latency-requirement-for-role",
        "sufficient-packet-loss-requirement-for-role",
        "has-default-route",
    ),
    *(
        "api-domain-name-resolved-correctly",
        "api-int-domain-name-resolved-correctly",
        "apps-domain-name-resolved-correctly",
    ),
    *("dns-wildcard-not-configured", "non-overlapping-subnets", "no-ip-collisions-in-network"),
)
MINIMUM_HARDWARE = (
    "has-min-valid-disks",
    "has-min-cpu-cores",
    "has-min-memory",
    "compatible-with-cluster-platform",
    "disk-encryption-requirements-satisfied",
)
UNBOUND_NEEDS = ("has-min-valid-disks", "has-min-cpu-cores", "has-min-memory", "hostname-valid")
NEVER_IGNORED = (
    "connected",
    "has-inventory",
    "inventory-not-fully-truncated",
    "machine-cidr-defined",
    "hostname-unique",
    "hostname-valid",
)


def validation(category: str, name: str, *, blocks: bool = True) -> Callable[[Check], Check]:
    def register(check: Check) -> Check:
        VALIDATIONS.append(Validation(name, category, blocks, check))
        return check

    return register


def success(text: str) -> Outcome:
    return "success", text


def failure(text: str) -> Outcome:
    return "failure", text


def pending(text: str) -> Outcome:
    return "pending", text


def judge(scene: Scene, host: Host) -> dict[str, list[Verdict]]:
    """Category -> verdicts of the host at this moment."""
    found: dict[str, list[Verdict]] = {"network": [], "hardware": [], "operators": []}
    for item in _in_order():
        outcome = item.check(scene, host)
        if outcome is not None:
            found[item.category].append(_verdict(item.id, *outcome))
    if scene.cluster is not None:
        found["operators"] = operator_verdicts(scene.cluster, for_host=True)
    return {category: verdicts for category, verdicts in found.items() if verdicts}


# A monitor says the same of each host several times a second: equal verdicts are one object, so that comparing them
# costs nothing.
_verdict = functools.lru_cache(maxsize=1 << 16)(Verdict)


@functools.cache
def _in_order() -> tuple[Validation, ...]:
    return tuple(sorted(VALIDATIONS, key=lambda item: ORDER.index(item.id) if item.id in ORDER else len(ORDER)))


@functools.cache
def blocking_ids() -> frozenset[str]:
    return frozenset(item.id for item in VALIDATIONS if item.blocks)


def _managed(scene: Scene) -> Cluster | None:
    """The cluster when it is a day-1 cluster with networking of its own."""
    cluster = scene.cluster
    return None if cluster is None or cluster.day2 else cluster


# network


@validation("network", "connected")
def _connected(scene: Scene, host: Host) -> Outcome | None:
    limit = scene.settings.disconnected_after + (BOOTSTRAP_EXTRA_SECONDS if host.bootstrap else 0)
    if host.progress.stage in AFTER_REBOOT or scene.now - host.checked_in <= limit:
        return success("Host is connected")
    return failure("Host is disconnected")


@validation("network", "media-connected")
def _media_connected(scene: Scene, host: Host) -> Outcome | None:
    return (
        success("Media device is connected")
        if host.media_status != "disconnected"
        else failure("Media device is disconnected")
    )


@validation("network", "machine-cidr-defined")
def _machine_cidr_defined(scene: Scene, host: Host) -> Outcome | None:
    cluster = scene.cluster
    if cluster is None:
        return None
    if cluster.day2:
        return success("No machine network CIDR validation needed: Day2 cluster")
    if cluster.user_managed_networking and not cluster.single_node:
        return success("No machine network CIDR validation needed: User Managed Networking")
    return (
        success("Machine Network CIDR is defined")
        if cluster.machine_networks
        else failure("Machine Network CIDR is undefined")
    )


@validation("network", "belongs-to-machine-cidr")
def _belongs_to_machine_cidr(scene: Scene, host: Host) -> Outcome | None:
    cluster = scene.cluster
    if cluster is None:
        return None
    if cluster.day2:
        return success("No machine network CIDR validation needed: Day2 cluster")
    if cluster.user_managed_networking and not cluster.single_node:
        return success("No machine network CIDR validation needed: User Managed Networking")
    if host.inventory is None or not cluster.machine_networks:
        return pending("Missing inventory or machine network CIDR")
    addresses = networks.host_addresses(host)
    inside = [
        any(address.ip in networks.parse_network(cidr) for address in addresses) for cidr in cluster.machine_networks
    ]
    if all(inside) or (cluster.user_managed_load_balancer and any(inside)):
        return success("Host belongs to all machine network CIDRs")
    return failure(
        "Host does not belong to machine network CIDRs. Verify that the host belongs to every CIDR listed under "
        "machine networks"
    )


@validation("network", "belongs-to-majority-group")
def _belongs_to_majority_group(scene: Scene, host: Host) -> Outcome | None:
    cluster = scene.cluster
    if cluster is None:
        return None
    if cluster.day2 or cluster.single_node:
        return success("Host has connectivity to the majority of hosts in the cluster")
    if len(scene.hosts) < scene.smallest_group:
        return pending("Not enough hosts in cluster to calculate connectivity groups")
    by_l3 = cluster.user_managed_networking or cluster.user_managed_load_balancer
    names = ["IPv4"] if by_l3 else cluster.machine_networks
    if not names:
        return pending("Machine Network CIDR or Connectivity Majority Groups missing")
    if host.connectivity is None:
        return pending("Machine Network CIDR or Connectivity Majority Groups missing")
    if all(host.id in scene.majority_group(name) for name in names):
        return success("Host has connectivity to the majority of hosts in the cluster")
    return failure("No connectivity to the majority of hosts in the cluster")


def _resolution(host: Host, name: str) -> Mapping[str, Any] | None:
    listed = (host.resolutions or {}).get("resolutions") or []
    return next((entry for entry in listed if entry.get("domain_name") == name), None)


def _domain_check(label: str, prefix: str) -> Check:
    shown = "*.apps" if prefix.endswith(".apps") else prefix

    def check(scene: Scene, host: Host) -> Outcome | None:
        cluster = _managed(scene)
        if scene.cluster is None:
            return None
        dnsmasq = scene.settings.switch("ENABLE_SINGLE_NODE_DNSMASQ", True)
        if cluster is None or not cluster.user_managed_networking or (cluster.single_node and dnsmasq):
            return success(
                f"Domain name resolution for the {shown}.{scene.cluster.domain} domain was successful or not required"
            )
        name = f"{prefix}.{cluster.domain}"
        entry = _resolution(host, name)
        if host.inventory is None or host.resolutions is None:
            return pending("DNS validation cannot be completed because the resolution data is missing")
        found = {
            ipaddress.ip_address(ip)
            for ip in [*((entry or {}).get("ipv4_addresses") or []), *((entry or {}).get("ipv6_addresses") or [])]
        }
        if not found:
            return failure(
                f"Couldn't resolve domain name {name} on the host. To continue installation, create the necessary DNS "
                "entries to resolve this domain name."
            )
        if not cluster.single_node and found & {address.ip for address in networks.host_addresses(host)}:
            return failure(
                f"Domain name resolution for the {name} domain returned the address of the host itself ({label})"
            )
        return success(f"Domain name resolution for the {shown}.{cluster.domain} domain was successful or not required")

    return check


validation("network", "api-domain-name-resolved-correctly")(_domain_check("API", "api"))
validation("network", "api-int-domain-name-resolved-correctly")(_domain_check("internal API", "api-int"))
validation("network", "apps-domain-name-resolved-correctly")(
    _domain_check("application ingress", "console-openshift-console.apps")
)


@validation("network", "dns-wildcard-not-configured")
def _no_wildcard(scene: Scene, host: Host) -> Outcome | None:
    cluster = scene.cluster
    if cluster is None:
        return None
    if cluster.day2:
        return success("DNS wildcard check is not required for day2")
    if host.resolutions is None:
        return pending(
            "DNS wildcard check cannot be performed yet because the host has not yet performed DNS resolution"
        )
    names = (f"validateNoWildcardDNS.{cluster.domain}.", f"validateNoWildcardDNS.{cluster.domain}")
    for entry in filter(None, (_resolution(host, name) for name in names)):
        if entry.get("ipv4_addresses") or entry.get("ipv6_addresses"):
            return failure(
                f"DNS wildcard configuration was detected for domain *.{cluster.domain}: the installation cannot "
                "complete while it exists. Remove it to go on."
            )
    return success("DNS wildcard check was successful")


@validation("network", "valid-platform-network-settings")
def _platform_network(scene: Scene, host: Host) -> Outcome | None:
    if scene.cluster is None:
        return None
    if host.inventory is None:
        return pending("Missing inventory")
    product = (host.inventory.get("system_vendor") or {}).get("product_name", "")
    if product == "OpenStack Compute" and not scene.cluster.user_managed_networking:
        return failure(
            "Platform OpenStack Compute is allowed only for Single Node OpenShift or user-managed networking"
        )
    return success(f"Platform {product} is allowed")


@validation("network", "has-default-route")
def _has_default_route(scene: Scene, host: Host) -> Outcome | None:
    if scene.cluster is None:
        return None
    if host.inventory is None:
        return pending("Missing default routing information.")
    if networks.default_routes(host.inventory):
        return success("Host has been configured with at least one default route.")
    return failure("Host has not yet been configured with a default route.")


@networks.OfReport
def _worst_links(connectivity: Mapping[str, Any]) -> dict[str, float]:
    """The highest value of each measurement over all other hosts: mostly it is within the limit, and nothing else has
    to be read.
    """
    links = [link for remote in connectivity.get("remote_hosts") or [] for link in remote.get("l3_connectivity") or []]
    return {
        member: max((float(link.get(member) or 0) for link in links), default=0.0)
        for member in ("average_rtt_ms", "packet_loss_percentage")
    }


@networks.OfReport
def _broken_mtu(connectivity: Mapping[str, Any]) -> str:
    """The first link whose MTU is broken, "" if there is none."""
    for remote in connectivity.get("remote_hosts") or []:
        for report in remote.get("mtu_report") or []:
            if not report.get("mtu_successful"):
                return (
                    f"MTU is broken between interface {report.get('outgoing_nic')} and "
                    f"{report.get('remote_ip_address')}"
                )
    return ""


def _same_role_links(scene: Scene, host: Host) -> list[tuple[str, Mapping[str, Any]]]:
    names = {
        other.id: other.name
        for other in scene.hosts
        if other is not host and other.effective_role == host.effective_role
    }
    remotes = (host.connectivity or {}).get("remote_hosts") or []
    return [
        (names[remote["host_id"]], link)
        for remote in remotes
        if remote.get("host_id") in names
        for link in remote.get("l3_connectivity") or []
    ]


def _link_check(member: str, attribute: str, what: str, unit: str) -> Check:
    def check(scene: Scene, host: Host) -> Outcome | None:
        if scene.cluster is None:
            return None
        if scene.single_node or scene.cluster.day2 or len(scene.hosts) < 2:
            return success(f"{what} requirement has been satisfied.")
        if host.connectivity is None or host.effective_role == "auto-assign":
            return pending(f"Missing {what.lower()} information.")
        limit = getattr(scene.requirement(host.effective_role), attribute)
        if limit is None or _worst_links(host.id, host.connectivity)[member] <= limit:
            return success(f"{what} requirement has been satisfied.")
        links = ((name, float(link.get(member) or 0)) for name, link in _same_role_links(scene, host))
        bad = sorted({f"{name} ({value:.2f}{unit})" for name, value in links if value > limit})
        if bad:
            return failure(
                f"{what} requirements of less than or equals {float(limit):.2f}{unit} not met for connectivity "
                f"between {host.name} and {', '.join(bad)}."
            )
        return success(f"{what} requirement has been satisfied.")

    return check


validation("network", "sufficient-network-latency-requirement-for-role")(
    _link_check("average_rtt_ms", "network_latency_threshold_ms", "Network latency", " ms")
)
validation("network", "sufficient-packet-loss-requirement-for-role")(
    _link_check("packet_loss_percentage", "packet_loss_percentage", "Packet loss", "%")
)


@validation("network", "non-overlapping-subnets")
def _non_overlapping(scene: Scene, host: Host) -> Outcome | None:
    if host.inventory is None:
        return pending("Missing inventory")
    per_nic = [
        {address.network for address in networks.interface_addresses(nic)}
        for nic in host.inventory.get("interfaces") or []
    ]
    for first, second in itertools.combinations(per_nic, 2):
        for one, other in itertools.product(first, second):
            if one.version == other.version and one.overlaps(other):
                return failure(f"Address Networks {one} and {other} overlap.")
    return success("Host subnets are not overlapping")


@validation("network", "no-ip-collisions-in-network")
def _no_collisions(scene: Scene, host: Host) -> Outcome | None:
    if scene.cluster is None:
        return None
    if host.inventory is None:
        return pending("Missing inventory")
    own = {str(address.ip) for address in networks.host_addresses(host)}
    bad = [ip for ip in scene.collisions if ip in own]
    if bad:
        return failure(f"Collisions detected in host network: {', '.join(bad)}")
    return success("No IP collisions were detected by host " + host.id)


@validation("network", "no-iscsi-nic-belongs-to-machine-cidr")
def _no_iscsi_nic(scene: Scene, host: Host) -> Outcome | None:
    if scene.cluster is None:
        return None
    if host.inventory is None:
        return pending("Missing inventory, or missing cluster")
    disk = disks.find_disk(host.inventory.get("disks") or [], host.installation_disk_id)
    portal = ((disk or {}).get("iscsi") or {}).get("host_ip_address")
    if (disk or {}).get("drive_type") != "iSCSI" or not portal:
        return None
    if any(ipaddress.ip_address(portal) in networks.parse_network(cidr) for cidr in scene.cluster.machine_networks):
        return failure("Network interface connected to iSCSI disk cannot belong to machine network CIDRs")
    return success("Network interface connected to iSCSI disk does not belong to machine network CIDRs")


@validation("network", "time-synced-between-host-and-service")
def _time_synced(scene: Scene, host: Host) -> Outcome | None:
    if scene.cluster is None:
        return None
    if host.timestamp == 0:
        return pending("Missing host time, can't determine synchronization between host and service")
    if -SERVICE_AHEAD_SECONDS <= host.clock_offset <= HOST_AHEAD_SECONDS:
        return success("Host clock is synchronized with service")
    return failure(
        "Host clock is not synchronized with service (please configure an NTP server via DHCP or set clock manually)"
    )


@validation("network", "ignition-downloadable")
def _ignition_downloadable(scene: Scene, host: Host) -> Outcome | None:
    if scene.cluster is None or not scene.cluster.day2:
        return None
    if host.api_vip_connectivity is None:
        return pending("Ignition is not ready, pending API connectivity")
    if host.api_vip_connectivity.get("is_success"):
        return success("Ignition is downloadable")
    return failure(
        f"This host has failed to download the ignition file from {host.api_vip_connectivity.get('url', '')}"
    )


@validation("network", "ntp-synced", blocks=False)
def _ntp_synced(scene: Scene, host: Host) -> Outcome | None:
    if host.inventory is None:
        return pending("Missing inventory")
    if any(source.get("source_state") == "synced" for source in host.ntp_sources or []):
        return success("Host NTP is synced")
    return failure("Host couldn't synchronize with any NTP server")


@validation("network", "container-images-available", blocks=False)
def _images(scene: Scene, host: Host) -> Outcome | None:
    if scene.cluster is None:
        return None
    bad = [name for name, status in host.images_status.items() if status.get("result") != "success"]
    if bad:
        return failure(
            f"Failed to fetch container images needed for installation from {','.join(sorted(bad))}. This may be "
            "due "
            "to a network hiccup."
        )
    return success("All required container images were either pulled successfully or no attempt was made to pull them")


@validation("network", "mtu-valid", blocks=False)
def _mtu(scene: Scene, host: Host) -> Outcome | None:
    if scene.cluster is None or scene.single_node:
        return None
    if host.connectivity is None:
        return pending("Missing MTU report information")
    broken = _broken_mtu(host.id, host.connectivity)
    return failure(broken) if broken else success("MTU is ok")


# hardware


@validation("hardware", "has-inventory")
def _has_inventory(scene: Scene, host: Host) -> Outcome | None:
    return (
        success("Valid inventory exists for the host")
        if host.inventory is not None
        else failure("Inventory has not been received for the host")
    )


@validation("hardware", "inventory-not-partially-truncated", blocks=False)
def _not_partially_truncated(scene: Scene, host: Host) -> Outcome | None:
    kind = ((host.inventory or {}).get("truncation") or {}).get("type")
    return (
        failure("The inventory was partially truncated") if kind == "partial" else success("Inventory is not truncated")
    )


@validation("hardware", "inventory-not-fully-truncated")
def _not_fully_truncated(scene: Scene, host: Host) -> Outcome | None:
    kind = ((host.inventory or {}).get("truncation") or {}).get("type")
    return failure("The inventory was fully truncated") if kind == "full" else success("Inventory is not truncated")


def _cores(host: Host) -> int:
    return int(((host.inventory or {}).get("cpu") or {}).get("count") or 0)


def enough_memory(host: Host, wanted_mib: int) -> bool:
    """100 MiB are forgiven; memory read from meminfo misses what the kernel took, about 2 %."""
    memory = (host.inventory or {}).get("memory") or {}
    physical = int(memory.get("physical_bytes") or 0)
    if memory.get("physical_bytes_method") == "meminfo":
        physical = int(physical * 1.02)
    return physical >= (wanted_mib - MEMORY_TOLERANCE_MIB) * MIB


def _gib(mib: float) -> str:
    gib = mib / 1024
    return f"{gib:.2f} GiB"


def _memory_text(host: Host) -> str:
    return _gib(int(((host.inventory or {}).get("memory") or {}).get("physical_bytes") or 0) / MIB)


@validation("hardware", "has-min-cpu-cores")
def _min_cores(scene: Scene, host: Host) -> Outcome | None:
    if host.inventory is None:
        return pending("Missing inventory")
    wanted = scene.least_requirement().cpu_cores
    if _cores(host) >= wanted:
        return success("Sufficient CPU cores")
    return failure(f"The minimum required CPU cores for any role is {wanted}, found only {_cores(host)}")


@validation("hardware", "has-min-memory")
def _min_memory(scene: Scene, host: Host) -> Outcome | None:
    if host.inventory is None:
        return pending("Missing inventory")
    wanted = scene.least_requirement().ram_mib
    if enough_memory(host, wanted):
        return success("Sufficient minimum RAM")
    return failure(f"The minimum required RAM for any role is {_gib(wanted)}, found only {_memory_text(host)}")


@validation("hardware", "has-min-valid-disks")
def _min_disks(scene: Scene, host: Host) -> Outcome | None:
    if host.inventory is None:
        return pending("Missing inventory")
    if disks.eligible_disks(host.inventory):
        return success("Sufficient disk capacity")
    return failure("No eligible disks were found, please check specific disks to see why they are not eligible")


@validation("hardware", "has-cpu-cores-for-role")
def _cores_for_role(scene: Scene, host: Host) -> Outcome | None:
    if scene.cluster is None:
        return None
    if host.inventory is None:
        return pending("Missing inventory or role")
    role = host.effective_role
    wanted = scene.requirement(role).cpu_cores
    if _cores(host) >= wanted:
        return success(f"Sufficient CPU cores for role {role}")
    return failure(f"Require at least {wanted} CPU cores for {role} role, found only {_cores(host)}")


@validation("hardware", "has-memory-for-role")
def _memory_for_role(scene: Scene, host: Host) -> Outcome | None:
    if scene.cluster is None:
        return None
    if host.inventory is None:
        return pending("Missing inventory or role")
    role = host.effective_role
    wanted = scene.requirement(role).ram_mib
    if enough_memory(host, wanted):
        return success(f"Sufficient RAM for role {role}")
    return failure(f"Require at least {_gib(wanted)} RAM for role {role}, found only {_memory_text(host)}")


@validation("hardware", "hostname-unique")
def _hostname_unique(scene: Scene, host: Host) -> Outcome | None:
    if scene.cluster is None:
        return None
    if host.inventory is None:
        return pending("Missing inventory")
    if scene.names[host.name] > 1:
        return failure(f"Hostname {host.name} is not unique in cluster")
    return success(f"Hostname {host.name} is unique in cluster")


@validation("hardware", "hostname-valid")
def _hostname_valid(scene: Scene, host: Host) -> Outcome | None:
    if host.inventory is None:
        return pending("Missing inventory")
    if host.name in FORBIDDEN_HOSTNAMES:
        return failure(f"Hostname {host.name} is forbidden, hostname should match pattern {HOSTNAME.pattern}")
    if len(host.name) > 63 or not HOSTNAME.match(host.name):
        return failure(f"Hostname {host.name} is forbidden, hostname should match pattern {HOSTNAME.pattern}")
    return success(f"Hostname {host.name} is allowed")


@validation("hardware", "sufficient-installation-disk-speed")
def _disk_speed(scene: Scene, host: Host) -> Outcome | None:
    if scene.cluster is None:
        return None
    if host.inventory is None:
        return pending("Missing inventory")
    speed = host.disks_info.get(host.installation_disk_id, {}).get("disk_speed") or {}
    if not speed.get("tested"):
        return success("Speed of installation disk has not yet been measured")
    limit = scene.requirement(host.effective_role).installation_disk_speed_threshold_ms
    if speed.get("exit_code"):
        return failure(
            "While preparing the previous installation the installation disk speed measurement failed or was "
            "found to "
            "be insufficient"
        )
    if int(speed.get("speed_ms") or 0) <= limit:
        return success("Speed of installation disk is sufficient")
    return failure(
        "While preparing the previous installation the installation disk speed measurement failed or was found to "
        "be "
        "insufficient"
    )


@validation("hardware", "compatible-with-cluster-platform")
def _platform(scene: Scene, host: Host) -> Outcome | None:
    if scene.cluster is None:
        return None
    if host.inventory is None:
        return pending("Missing inventory")
    platform = (scene.cluster.fields.get("platform") or {}).get("type", "baremetal")
    maker = (host.inventory.get("system_vendor") or {}).get("manufacturer", "")
    needed = {"vsphere": "VMware", "nutanix": "Nutanix"}.get(platform)
    if needed and needed.lower() not in maker.lower():
        return failure(
            f"Host is not compatible with cluster platform {platform}; either disable this host or choose a "
            f"compatible cluster platform ({maker} found)"
        )
    return success(f"Host is compatible with cluster platform {platform}")


@validation("hardware", "vsphere-disk-uuid-enabled")
def _disk_uuid(scene: Scene, host: Host) -> Outcome | None:
    platform = ((scene.cluster.fields.get("platform") or {}) if scene.cluster else {}).get("type")
    if platform != "vsphere":
        return None
    if host.inventory is None:
        return pending("Missing inventory")
    if all(disk.get("has_uuid") for disk in host.inventory.get("disks") or []):
        return success("VSphere disk.EnableUUID is enabled for this virtual machine")
    return failure(
        "VSphere disk.EnableUUID isn't enabled for this virtual machine, it's necessary for disks to be mounted "
        "properly"
    )


def encrypts(cluster: Cluster, role: str) -> bool:
    wanted = (cluster.fields.get("disk_encryption") or {}).get("enable_on") or "none"
    return wanted == "all" or f"{role}s" in wanted.split(",")


@validation("hardware", "disk-encryption-requirements-satisfied")
def _disk_encryption(scene: Scene, host: Host) -> Outcome | None:
    cluster = scene.cluster
    if cluster is None or cluster.day2 or not encrypts(cluster, host.effective_role):
        return None
    if host.inventory is None:
        return pending("Missing host inventory")
    if (cluster.fields["disk_encryption"].get("mode") or "tpmv2") == "tang":
        if host.tang_connectivity is None:
            return pending("Missing Tang connectivity check")
        return (
            success("Installation disk can be encrypted using tang")
            if host.tang_connectivity.get("is_success")
            else failure("Could not validate that all Tang servers are reachable and working")
        )
    found = host.inventory.get("tpm_version") or "none"
    if found == "2.0":
        return success("Installation disk can be encrypted using tpmv2")
    return failure(
        "TPM could not be found, make sure TPM is enabled in host's BIOS"
        if found == "none"
        else "The host's TPM version is not supported, expected-version: 2.0, actual-version: " + found
    )


@validation("hardware", "compatible-agent")
def _compatible_agent(scene: Scene, host: Host) -> Outcome | None:
    wanted = scene.settings.agent_image
    if not wanted or host.agent_version in ("", wanted):
        return success("Host agent is compatible with the service")
    return failure("Host agent is not compatible with the service and needs to be upgraded")


@validation("hardware", "no-skip-installation-disk")
def _no_skip_installation_disk(scene: Scene, host: Host) -> Outcome | None:
    if scene.cluster is None:
        return None
    if host.installation_disk_id and host.installation_disk_id in host.skip_formatting:
        return failure(
            "Requesting to skip the formatting of the installation disk is not allowed. The installation disk "
            "must be "
            "formatted."
        )
    return success("No request to skip formatting of the installation disk")


@validation("hardware", "no-skip-missing-disk")
def _no_skip_missing_disk(scene: Scene, host: Host) -> Outcome | None:
    if scene.cluster is None:
        return None
    known = [disk.get("id") for disk in (host.inventory or {}).get("disks") or []]
    missing = [disk for disk in host.skip_formatting if disk not in known]
    if host.inventory is not None and missing:
        return failure(
            "One or more of the disks that you have selected to skip the formatting of no longer exists: "
            f"{', '.join(missing)}"
        )
    return success("All disks that have skipped formatting are present in the host inventory")
