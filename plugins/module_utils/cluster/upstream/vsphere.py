# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Validate platform.vsphere, as the installer does (openshift/installer pkg/asset/agent/installconfig.go)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ...common.problems import Problem
from .findings import duplicate, invalid, required, too_many
from .provided import Document, Provided
from .texts import host_error, parse_cidr
from .vsphere_conversion import GENERATED

PATH = "platform.vsphere"
_DISK_TYPES = ("eagerZeroedThick", "thick", "thin")
_TAG = re.compile(r"urn:vmomi:InventoryServiceTag:[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}:[^:]+")
_MOST_TAGS = 10
_MOST_NETWORKS = 10
_DATASTORE = re.compile(r"/(.*?)/datastore/(.*?)")
_FOLDER = re.compile(r"/(.*?)/vm/(.*?)")
_CLUSTER = re.compile(r"/(.*?)/host/(.*?)")
_POOL = re.compile(r"/(.*?)/host/(.*?)/(.*?)")


def vsphere(provided: Provided) -> Iterator[Problem]:
    options = provided.options("vsphere")
    if options.get("diskType") and options["diskType"] not in _DISK_TYPES:
        yield invalid(f"{PATH}.diskType", options["diskType"], f"diskType must be one of [{' '.join(_DISK_TYPES)}]")
    centers = options.get("vcenters") or []
    # Credentials are optional; what follows from them is checked where the first vCenter has all of them.
    if centers and all(centers[0].get(key) for key in ("user", "password", "server", "datacenters")):
        yield from _centers(provided, centers)
    domains = options.get("failureDomains") or []
    if domains and all(domains[0].get(key, "") != generated for key, generated in GENERATED.items()):
        yield from _failure_domains(provided, domains)
    if "nodeNetworking" in options:
        known = [network for domain in domains for network in (domain.get("topology") or {}).get("networks") or []]
        for name in ("internal", "external"):
            yield from _node_networking(
                f"{PATH}.nodeNetworking.{name}", (options["nodeNetworking"] or {}).get(name) or {}, known
            )
    yield from load_balancer(provided, "vsphere")
    yield from external_dns(provided, "vsphere")


def load_balancer(provided: Provided, name: str) -> Iterator[Problem]:
    balancer = provided.options(name).get("loadBalancer")
    if balancer is not None and balancer.get("type", "") not in ("OpenShiftManagedDefault", "UserManaged"):
        yield invalid(f"platform.{name}.loadBalancer.type", balancer.get("type", ""), "invalid load balancer type")


def external_dns(provided: Provided, name: str) -> Iterator[Problem]:
    options = provided.options(name)
    external = provided.profile.dns_records_type and options.get("dnsRecordsType") == "External"
    if external and (options.get("loadBalancer") or {}).get("type") != "UserManaged":
        yield invalid(
            f"platform.{name}.dnsRecordsType",
            "External",
            ("external DNS records can only be configured with user-managed loadbalancers"),
        )


def _centers(provided: Provided, centers: Sequence[Document]) -> Iterator[Problem]:
    user = "user" if provided.profile.vsphere_paths else "username"
    words = "must be the domain name or IP address of the vCenter"
    for index, center in enumerate(centers):
        path = f"{PATH}.vcenters[{index}]"
        if not center.get("server"):
            yield required(f"{path}.server", words)
        elif host_error(center["server"]):
            yield invalid(f"{path}.server", center["server"], words)
        if not center.get("user"):
            yield required(f"{path}.{user}", f"must specify the {user}")
        if not center.get("password"):
            yield required(f"{path}.password", "must specify the password")
        if not center.get("datacenters"):
            yield required(f"{path}.datacenters", "must specify at least one datacenter")


def _node_networking(path: str, spec: Document, known: Sequence[str]) -> Iterator[Problem]:
    for key in ("networkSubnetCidr", "excludeNetworkSubnetCidr"):
        for text in spec.get(key) or []:
            if not text:
                yield required(f"{path}.{key}", "must specify a IP address with CIDR")
            elif parse_cidr(text) is None:
                yield invalid(f"{path}.{key}", text, f"invalid CIDR address: {text}")
    if spec.get("network") and spec["network"] not in known:
        yield invalid(f"{path}.network", spec["network"], "network must be defined in topology")


class _Stop(Exception):
    """The installer looks at no further failure domain."""

    def __init__(self, *problems: Problem) -> None:
        super().__init__()
        self.problems = problems


def _failure_domains(provided: Provided, domains: Sequence[Document]) -> Iterator[Problem]:
    """Paths have no index, as the installer's have none."""
    seen: dict[str, str] = {}
    names: list[str] = []
    server_known = False
    try:
        for index, domain in enumerate(domains):
            if provided.profile.vsphere_2026:
                server_known = False
            yield from _zone(domain, seen)
            yield from _types(provided, domain)
            yield from _name(index, domain, names)
            problems, server_known = _server(provided, domain, server_known)
            yield from problems
            for key in ("zone", "region"):
                if not domain.get(key):
                    yield required(f"{PATH}.failureDomains.{key}", f"must specify {key} tag value")
            yield from _topology(provided, domain, server_known)
    except _Stop as stop:
        yield from stop.problems


def _zone(domain: Document, seen: dict[str, str]) -> Iterator[Problem]:
    zone, region = domain.get("zone", ""), domain.get("region", "")
    if seen.get(zone) == region:
        yield invalid(
            f"{PATH}.failureDomains.zone",
            zone,
            (f'cannot be used more than once for the failure domain region "{region}"'),
        )
    seen.setdefault(zone, region)


def _types(provided: Provided, domain: Document) -> Iterator[Problem]:
    path = f"{PATH}.failureDomains"
    region, zone = domain.get("regionType", ""), domain.get("zoneType", "")
    if zone and not region:
        yield required(f"{path}.regionType", "must specify regionType if zoneType is defined")
    if region and not zone:
        yield required(f"{path}.zoneType", "must specify zoneType if regionType is defined")
    if region == "HostGroup":
        raise _Stop(required(f"{path}.regionType", "region type cannot be used for host group failure domains"))
    if zone == "HostGroup" and not (domain.get("topology") or {}).get("hostGroup"):
        where = f"{path}.topology.hostGroup" if provided.profile.vsphere_paths else f"{path}.hostGroup"
        yield required(where, "must not be empty if zoneType is HostGroup")
    if region == "ComputeCluster" and zone != "HostGroup":
        raise _Stop(
            required(f"{path}.regionType", "zoneType must be HostGroup"),
            # The installer's own text: openshift/installer pkg/types/vsphere/validation/platform.go.
            required(f"{path}.zoneType", "something something..."),
        )


def _name(index: int, domain: Document, names: list[str]) -> Iterator[Problem]:
    name = domain.get("name", "")
    if not name:
        yield required(f"{PATH}.failureDomains.name", "must specify the name")
    elif name in names:
        yield duplicate(f"{PATH}.failureDomains.name[{index}]", name)
    else:
        names.append(name)


def _server(provided: Provided, domain: Document, known: bool) -> tuple[list[Problem], bool]:
    """Problems of the server, and whether one is known: before 2026 one of an earlier failure domain would do."""
    path, server = f"{PATH}.failureDomains.server", domain.get("server", "")
    if not server:
        return [required(path, "must specify a vCenter server")], known
    known = known or any(center.get("server") == server for center in provided.options("vsphere").get("vcenters") or [])
    return ([] if known else [invalid(path, server, "server does not exist in vcenters")]), known


def _topology(provided: Provided, domain: Document, server_known: bool) -> Iterator[Problem]:
    path, topology = f"{PATH}.failureDomains.topology", domain.get("topology") or {}
    yield from _datacenter(provided, domain, server_known)
    yield from _datastore(path, topology)
    tags = topology.get("tagIDs") or []
    if len(tags) > _MOST_TAGS:
        yield invalid(f"{path}.tagIDs", list(tags), f"a maximum of {_MOST_TAGS} tags are allowed")
    for tag in tags:
        if not _TAG.fullmatch(tag):
            yield invalid(
                f"{path}.tagIDs",
                list(tags),
                ("tag ID must be in the format of urn:vmomi:InventoryServiceTag:<UUID>:GLOBAL"),
            )
    options = provided.options("vsphere")
    # User-provisioned clusters of old named neither network nor cluster.
    legacy = bool(options.get("vCenter")) and not options.get("network") and not options.get("cluster")
    networks = topology.get("networks") or []
    if not networks and not legacy:
        yield required(f"{path}.networks", "must specify a network")
    if len(networks) > _MOST_NETWORKS:
        yield too_many(f"{path}.networks", len(networks), _MOST_NETWORKS)
    yield from _folder(path, topology)
    yield from _cluster(path, topology, legacy=legacy)
    yield from _resource_pool(path, topology)
    if topology.get("template") and options.get("clusterOSImage"):
        yield invalid(f"{path}.template", topology["template"], "cannot be specified when clusterOSImage is set")
        yield invalid(
            f"{PATH}.clusterOSImage",
            options["clusterOSImage"],
            ("cannot be specified when failuredomain.topology.template is set"),
        )


def _datacenter(provided: Provided, domain: Document, server_known: bool) -> Iterator[Problem]:
    path, datacenter = (
        f"{PATH}.failureDomains.topology.datacenter",
        (domain.get("topology") or {}).get("datacenter", ""),
    )
    if not datacenter:
        yield required(path, "must specify a datacenter")
        return
    if provided.profile.vsphere_2026 and server_known:
        server = domain.get("server", "")
        listed = next(
            (
                center.get("datacenters") or []
                for center in provided.options("vsphere").get("vcenters") or []
                if center.get("server") == server
            ),
            [],
        )
        if listed and datacenter not in listed:
            yield invalid(path, datacenter, f"datacenter must be defined in vCenter {server} datacenters list")


def _datastore(path: str, topology: Document) -> Iterator[Problem]:
    datastore = topology.get("datastore", "")
    if not datastore:
        yield required(f"{path}.datastore", "must specify a datastore")
    elif not _DATASTORE.fullmatch(datastore):
        raise _Stop(
            invalid(
                f"{path}.datastore",
                datastore,
                ("full path of datastore must be provided in format /<datacenter/datastore/<datastore>"),
            )
        )
    elif topology.get("datacenter", "") not in datastore:
        raise _Stop(
            invalid(f"{path}.datastore", datastore, ("the datastore defined does not exist in the correct datacenter"))
        )


def _folder(path: str, topology: Document) -> Iterator[Problem]:
    folder = topology.get("folder", "")
    if folder and not _FOLDER.fullmatch(folder):
        raise _Stop(
            invalid(
                f"{path}.folder", folder, ("full path of folder must be provided in format /<datacenter>/vm/<folder>")
            )
        )
    if folder and topology.get("datacenter", "") not in folder:
        raise _Stop(invalid(f"{path}.folder", folder, "the folder defined does not exist in the correct datacenter"))
    yield from ()


def _cluster(path: str, topology: Document, *, legacy: bool) -> Iterator[Problem]:
    cluster, datacenter = topology.get("computeCluster", ""), topology.get("datacenter", "")
    if not cluster:
        if not legacy:
            yield required(f"{path}.computeCluster", "must specify a computeCluster")
        return
    match = _CLUSTER.fullmatch(cluster)
    if match is None:
        raise _Stop(
            invalid(
                f"{path}.computeCluster",
                cluster,
                ("full path of compute cluster must be provided in format /<datacenter>/host/<cluster>"),
            )
        )
    if datacenter and match[1] not in datacenter:
        raise _Stop(invalid(f"{path}.computeCluster", cluster, f"compute cluster must be in datacenter {datacenter}"))


def _resource_pool(path: str, topology: Document) -> Iterator[Problem]:
    pool, datacenter, cluster = (
        topology.get("resourcePool", ""),
        topology.get("datacenter", ""),
        topology.get("computeCluster", ""),
    )
    match = _POOL.fullmatch(pool)
    if pool and match is None:
        raise _Stop(
            invalid(
                f"{path}.resourcePool",
                pool,
                ("full path of resource pool must be provided in format /<datacenter>/host/<cluster>/..."),
            )
        )
    if match and datacenter and match[1] not in datacenter:
        raise _Stop(invalid(f"{path}.resourcePool", pool, f"resource pool must be in datacenter {datacenter}"))
    if match and cluster and match[2] not in cluster:
        raise _Stop(invalid(f"{path}.resourcePool", pool, f"resource pool must be in compute cluster {cluster}"))
    yield from ()


def agent_credentials(provided: Provided) -> Iterator[Problem]:
    """What the agent installer itself wants: all credentials or none, and with them a folder."""
    options = provided.options("vsphere")
    words = "All credential fields are required if any one is specified"
    old = any(options.get(key) for key in ("vCenter", "password", "datacenter"))
    some = False
    for index, center in enumerate(options.get("vcenters") or []):
        if not any(center.get(key) for key in ("server", "user", "password", "datacenters")):
            continue
        some = True
        path = f"{PATH}.vcenters[{index}]"
        for key, where in (
            ("server", "server"),
            ("user", "user"),
            ("password", "password"),
            ("datacenters", "datacenter"),
        ):
            if not center.get(key):
                yield required(f"{PATH}.username" if key == "user" and old else f"{path}.{where}", words)
    for index, domain in enumerate(options.get("failureDomains") or []):
        if some and not (domain.get("topology") or {}).get("folder"):
            yield required(
                f"{PATH}.failureDomains[{index}].topology.folder", "must specify a folder for agent-based installs"
            )
