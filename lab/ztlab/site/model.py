# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Define the dataclasses of a site file.

Field names of sizes contain the unit. MAC addresses are in lower case, and IP addresses in canonical form.
"""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import ipaddress
import json
import urllib.parse
import uuid
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

IPNetwork = ipaddress.IPv4Network | ipaddress.IPv6Network
IPAddress = ipaddress.IPv4Address | ipaddress.IPv6Address

_NAMESPACE = uuid.UUID("5b1d7c3a-6f4e-4b57-9a35-0d1f3f1a2c90")


class SiteError(Exception):
    """The site file is invalid; ``problems`` has one line per mistake."""

    def __init__(self, source: str, problems: Iterable[str]) -> None:
        self.problems = list(problems)
        super().__init__("\n".join(f"{source}: {problem}" for problem in self.problems))


@dataclasses.dataclass(frozen=True)
class Network:
    """One layer-2 segment with its router. ``ntp`` None: every time server answers."""

    name: str
    cidrs: tuple[IPNetwork, ...]
    gateway: str
    vlan: int | None = None
    routed: bool = True
    mtu: int = 1500
    dhcp: tuple[str, str] | None = None
    dns_servers: tuple[str, ...] = ()
    dns_records: Mapping[str, str] = dataclasses.field(default_factory=dict)
    ntp: tuple[str, ...] | None = None

    def contains(self, address: str) -> bool:
        ip = ipaddress.ip_address(address)
        return any(ip.version == cidr.version and ip in cidr for cidr in self.cidrs)


@dataclasses.dataclass(frozen=True)
class Nic:
    """A physical port: what the switch port carries untagged (``network``) and tagged (``vlans``), by network name."""

    name: str
    mac: str
    network: str = ""
    vlans: tuple[str, ...] = ()
    link: bool = True
    lease: str = ""


@dataclasses.dataclass(frozen=True)
class Disk:
    name: str
    size_gib: float
    rotational: bool = False
    serial: str = ""
    wwn: str = ""
    model: str = ""
    vendor: str = ""
    hctl: str = ""
    removable: bool = False
    sync_ms: float = 2.0

    @property
    def path(self) -> str:
        return f"/dev/{self.name}"

    @property
    def size_bytes(self) -> int:
        return int(self.size_gib * 1024**3)


@dataclasses.dataclass(frozen=True)
class Bmc:
    """A BMC as the rack has it.

    ``address`` is the text of the inventory; the parts of it that the lab needs are properties.
    """

    address: str
    username: str
    password: str = dataclasses.field(repr=False)
    profile: str = "plain"
    sessions: int = 8

    @property
    def _parts(self) -> urllib.parse.SplitResult:
        text = self.address if "://" in self.address else f"redfish+https://{self.address}"
        return urllib.parse.urlsplit(text)

    @property
    def tls(self) -> bool:
        return not self._parts.scheme.endswith("http")

    @property
    def host(self) -> str:
        return self._parts.hostname or ""

    @property
    def port(self) -> int:
        return self._parts.port or (443 if self.tls else 80)

    @property
    def system_id(self) -> str:
        """The last part of /redfish/v1/Systems/<id>; "1" when the address names no system."""
        parts = [part for part in self._parts.path.split("/") if part]
        return parts[3] if len(parts) > 3 and parts[2] == "Systems" else "1"


@dataclasses.dataclass(frozen=True)
class Machine:
    """``power`` when the lab starts: on, off, or "": on for members of clusters that are installed.

    ``installed``: the operating system on its first disk.

    ``addresses``: static ones that the machine will have, or has when something is installed on it.
    """

    name: str
    nics: tuple[Nic, ...]
    disks: tuple[Disk, ...]
    bmc: Bmc
    firmware: str = "uefi"
    cpus: int = 8
    memory_mib: int = 32768
    manufacturer: str = "ZeroTouch Lab"
    model: str = "Rack Server 1"
    serial: str = ""
    uuid: str = ""
    uuid_byte_order: str = "same"
    tpm: str = "none"
    power: str = ""
    installed: str = ""
    addresses: tuple[str, ...] = ()

    @property
    def system_uuid(self) -> str:
        """The firmware's system UUID: given, else made from name and MACs, so that it is the same in every run."""
        return self.uuid or str(uuid.uuid5(_NAMESPACE, "/".join([self.name, *(nic.mac for nic in self.nics)])))

    @property
    def os_uuid(self) -> str:
        """The UUID as Linux prints it.

        Firmware and BMC of some machines differ in the byte order of its first three fields (SMBIOS 2.6, 7.2.1).
        """
        return (
            str(uuid.UUID(bytes=uuid.UUID(self.system_uuid).bytes_le))
            if self.uuid_byte_order == "swapped"
            else self.system_uuid
        )

    @property
    def serial_number(self) -> str:
        return self.serial or self.system_uuid[:8].upper()


@dataclasses.dataclass(frozen=True)
class Member:
    """A machine that is a node of an installed cluster.

    ``hostname`` "": the machine's name; ``address`` "": the machine's first one.
    """

    machine: str
    role: str = "worker"
    hostname: str = ""
    address: str = ""


@dataclasses.dataclass(frozen=True)
class ClusterHint:
    """Names and addresses of a cluster to come, for the address mapping that ``ztlab vars`` prints before it exists; or
    a cluster that is ``installed``.

    ``bmcs``: whether the BareMetalHosts of an installed cluster on platform baremetal have the addresses of the BMCs.
    """

    name: str
    base_domain: str
    api_vip: str = ""
    ingress_vip: str = ""
    rendezvous_ip: str = ""
    installed: bool = False
    version: str = "4.22.0"
    platform: str = "baremetal"
    bmcs: bool = True
    members: tuple[Member, ...] = ()

    @property
    def domain(self) -> str:
        return f"{self.name}.{self.base_domain}"


@dataclasses.dataclass(frozen=True)
class OsImage:
    """An OS image that the hub offers. ``url`` "": the lab's base image."""

    openshift_version: str
    version: str = ""
    url: str = ""
    cpu_architecture: str = "x86_64"


@dataclasses.dataclass(frozen=True)
class ClusterApi:
    """Cluster API on a hub.

    ``provider``: who plays the Agent provider, upstream (the lab, as upstream's does it) or none; ``version`` of
    cluster.x-k8s.io.

    ``openshift_assisted``: version of OpenshiftAssistedControlPlane, ``metal3``: version of Cluster API Provider
    Metal3's kinds; "none": not installed.

    ``disk_images``: URLs that the lab answers in place of their web servers.
    """

    provider: str = "upstream"
    version: str = "v1beta2"
    openshift_assisted: str = "none"
    metal3: str = "none"
    disk_images: tuple[str, ...] = ()

    @property
    def disk_image_servers(self) -> frozenset[tuple[str, str, int]]:
        """Scheme, host and port of each web server of ``disk_images``."""
        parts = [urllib.parse.urlsplit(url) for url in self.disk_images]
        return frozenset(
            (part.scheme, part.hostname or "", part.port or (443 if part.scheme == "https" else 80)) for part in parts
        )


@dataclasses.dataclass(frozen=True)
class HubHost:
    """A BareMetalHost of another owner in a hub: it has the BMC address and the boot MAC address of a machine."""

    machine: str
    namespace: str = "inventory"
    name: str = ""


@dataclasses.dataclass(frozen=True)
class HubSite:
    """A hub cluster: where it is, what it is called, what it offers.

    ``real_apiserver`` auto: when KUBEBUILDER_ASSETS names the programs.

    ``cluster_api`` None: it does not run there; where ``hypershift`` runs, it does. ``variables``: what ``ztlab vars``
    says in ``openshift_hub`` besides the kubeconfig, since that takes the place of all that the inventory says there.
    """

    address: str
    base_domain: str
    os_images: tuple[OsImage, ...] = ()
    image_type: str = "minimal-iso"
    converged_flow: bool = False
    real_apiserver: str = "auto"
    cluster_api: ClusterApi | None = None
    hypershift: bool = False
    bare_metal_hosts: tuple[HubHost, ...] = ()
    variables: Mapping[str, Any] = dataclasses.field(default_factory=dict)

    @property
    def api_host(self) -> str:
        return f"api.{self.base_domain}"

    @property
    def service_host(self) -> str:
        return f"assisted-service.{self.base_domain}"

    @property
    def image_service_host(self) -> str:
        return f"assisted-image-service.{self.base_domain}"

    @property
    def disk_image_host(self) -> str:
        """A web server with disk images of CoreOS beside a hub whose Machines get them; empty for other hubs."""
        return (
            f"images.{self.base_domain}" if self.cluster_api is not None and self.cluster_api.metal3 != "none" else ""
        )

    @property
    def hosts(self) -> tuple[str, ...]:
        """Every name under which the hub answers."""
        return tuple(filter(None, (self.api_host, self.service_host, self.image_service_host, self.disk_image_host)))

    @property
    def dns_names(self) -> tuple[str, ...]:
        """What leads to it in every DNS; with HyperShift its routes too."""
        return (*self.hosts, *([f"*.apps.{self.base_domain}"] if self.hypershift else []))


@dataclasses.dataclass(frozen=True)
class ServiceSite:
    """An assisted-service without a hub.

    ``auth``: none, or sso, where users exchange an offline token for access tokens, as the hosted service has it.

    ``variables``: what ``ztlab vars`` says in ``openshift_assisted`` besides, since that takes the place of all that
    the inventory says there.
    """

    address: str
    base_domain: str
    auth: str = "none"
    variables: Mapping[str, Any] = dataclasses.field(default_factory=dict)

    @property
    def service_host(self) -> str:
        return f"assisted.{self.base_domain}"

    @property
    def image_service_host(self) -> str:
        return f"assisted-images.{self.base_domain}"

    @property
    def sso_host(self) -> str:
        return f"sso.{self.base_domain}"

    @property
    def dns_names(self) -> tuple[str, ...]:
        """What leads to it in every DNS."""
        return (self.service_host, self.image_service_host, self.sso_host)


MANIFEST = "application/vnd.oci.image.manifest.v1+json"


def manifest(image: str, *, moved: bool = False) -> bytes:
    """The manifest of an image that is named repository:tag; ``moved``: after its tag was moved to another build."""
    annotations = {"org.opencontainers.image.ref.name": image, "build": "2" if moved else "1"}
    return json.dumps({"schemaVersion": 2, "mediaType": MANIFEST, "annotations": annotations}).encode()


def digest_of(body: bytes) -> str:
    return f"sha256:{hashlib.sha256(body).hexdigest()}"


@dataclasses.dataclass(frozen=True)
class Registry:
    """A registry of container images.

    ``images``: what it has, as repository:tag without the host; each is there by digest too.
    """

    host: str
    username: str
    password: str = dataclasses.field(repr=False)
    images: tuple[str, ...] = ()

    def by_digest(self) -> dict[str, bytes]:
        """repository@digest -> manifest, of what each tag names before and after it was moved."""
        return {name: body for name, body, _tag in self._manifests()}

    @property
    def releases(self) -> dict[str, str]:
        """Pullspec by digest -> version, of tags such as 4.22.0-x86_64."""
        return {f"{self.host}/{name}": tag.rpartition("-")[0] or tag for name, _body, tag in self._manifests()}

    def _manifests(self) -> Iterator[tuple[str, bytes, str]]:
        for image in self.images:
            repository, _colon, tag = image.rpartition(":")
            for body in (manifest(image), manifest(image, moved=True)):
                yield f"{repository}@{digest_of(body)}", body, tag


@dataclasses.dataclass(frozen=True)
class Site:
    networks: tuple[Network, ...]
    machines: tuple[Machine, ...]
    clusters: tuple[ClusterHint, ...] = ()
    releases: Mapping[str, str] = dataclasses.field(default_factory=dict)
    hub: HubSite | None = None
    service: ServiceSite | None = None
    registries: tuple[Registry, ...] = ()
    # openshift_checks of the inventory, since what ztlab vars prints takes its place.
    checks: Mapping[str, str] = dataclasses.field(default_factory=dict)

    def network(self, name: str) -> Network:
        return self._by_name[name]

    @functools.cached_property
    def _by_name(self) -> dict[str, Network]:
        return {network.name: network for network in self.networks}

    def machine(self, name: str) -> Machine:
        """Raises KeyError with the known names."""
        for machine in self.machines:
            if machine.name == name:
                return machine
        names = ", ".join(machine.name for machine in self.machines)
        raise KeyError(f"no machine {name!r}; the site has {names}")
