# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Define the dataclasses of a cluster and its hosts (the spec), which every other package works with.

A :class:`Deployment` is created from inventory variables, or from install-config.yaml and agent-config.yaml; defaults
are filled in. Field names are upstream's in snake_case; documents that upstream treats as opaque stay verbatim mappings
in upstream's spelling.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any, Literal

from ..common.addresses import normal_mac
from ..common.architectures import RPM_ARCHITECTURES

Role = Literal["master", "arbiter", "worker", ""]
Document = Mapping[str, Any]

ARCHITECTURES = tuple(RPM_ARCHITECTURES)
PLATFORM_TYPES = {
    "baremetal": "BareMetal",
    "vsphere": "VSphere",
    "nutanix": "Nutanix",
    "none": "None",
    "external": "External",
}


@dataclasses.dataclass(frozen=True)
class Interface:
    """A NIC as the configuration names it: logical name and MAC (case as given)."""

    name: str = ""
    mac_address: str = ""

    @property
    def mac(self) -> str:
        """Lower case, colon separated."""
        return normal_mac(self.mac_address)


@dataclasses.dataclass(frozen=True)
class Bmc:
    """How to reach a host's BMC. ``ca_cert`` is a path or PEM."""

    address: str
    username: str = ""
    password: str = dataclasses.field(default="", repr=False)
    validate_certs: bool = True
    ca_cert: str = ""
    fingerprint: str = ""
    clear_jobs: bool = False


@dataclasses.dataclass(frozen=True)
class Host:
    """One machine. ``name`` is what the user calls it (inventory name, else hostname, else ``host-<index>``).

    ``listed`` is False for a host that only a network configuration of a hand-written set of manifests speaks of.
    """

    name: str
    hostname: str = ""
    role: Role = ""
    interfaces: tuple[Interface, ...] = ()
    root_device_hints: Document = dataclasses.field(default_factory=dict)
    network_config: Document = dataclasses.field(default_factory=dict)
    bmc: Bmc | None = None
    listed: bool = True
    # Fields of its entry in agent-config.yaml without an attribute here, verbatim.
    agent_config_extra: Document = dataclasses.field(default_factory=dict)

    @property
    def macs(self) -> tuple[str, ...]:
        return tuple(interface.mac for interface in self.interfaces)

    @property
    def nic_names(self) -> frozenset[str]:
        """Names in the interface table, which the machine replaces with the real names of its NICs."""
        return frozenset(interface.name for interface in self.interfaces if interface.name)


@dataclasses.dataclass(frozen=True)
class ClusterNetwork:
    cidr: str
    host_prefix: int


@dataclasses.dataclass(frozen=True)
class Networking:
    network_type: str = "OVNKubernetes"
    machine_networks: tuple[str, ...] = ("10.0.0.0/16",)
    cluster_networks: tuple[ClusterNetwork, ...] = (ClusterNetwork("10.128.0.0/14", 23),)
    service_networks: tuple[str, ...] = ("172.30.0.0/16",)


@dataclasses.dataclass(frozen=True)
class Pool:
    """A machine pool: ``control_plane``, ``compute`` or ``arbiter``.

    ``options`` are further upstream keys, verbatim.
    """

    replicas: int
    architecture: str = "amd64"
    options: Document = dataclasses.field(default_factory=dict)


@dataclasses.dataclass(frozen=True)
class Proxy:
    http_proxy: str = ""
    https_proxy: str = ""
    no_proxy: str = ""


@dataclasses.dataclass(frozen=True)
class ImageDigestSource:
    source: str = ""
    mirrors: tuple[str, ...] = ()
    source_policy: str = ""


@dataclasses.dataclass(frozen=True)
class ExtraManifest:
    """A file of ``openshift/``: its name and text."""

    name: str
    text: str


@dataclasses.dataclass(frozen=True)
class Cluster:
    """The cluster itself. Lists are in the user's order; empty strings and tuples mean "not given"."""

    name: str
    base_domain: str
    version: str
    release_image: str
    platform: str
    control_plane: Pool
    compute: Pool
    arbiter: Pool | None = None
    # The tag that release_image, by digest, was named by; empty where the user named the digest.
    release_tag: str = ""
    namespace: str = ""
    api_vips: tuple[str, ...] = ()
    ingress_vips: tuple[str, ...] = ()
    platform_options: Document = dataclasses.field(default_factory=dict)
    networking: Networking = Networking()
    pull_secret: str = dataclasses.field(default="", repr=False)
    ssh_key: str = ""
    additional_trust_bundle: str = ""
    additional_trust_bundle_policy: str = ""
    image_digest_sources: tuple[ImageDigestSource, ...] = ()
    proxy: Proxy = Proxy()
    fips: bool = False
    capabilities: Document = dataclasses.field(default_factory=dict)
    cpu_partitioning_mode: str = ""
    feature_set: str = ""
    feature_gates: tuple[str, ...] = ()
    # Further install-config keys without a meaning of their own here (publish, credentialsMode, ...), verbatim.
    install_config_extra: Document = dataclasses.field(default_factory=dict)
    # Fields of agent-config.yaml without an attribute here, verbatim; kind and metadata only where they are not those
    # of the cluster.
    agent_config_extra: Document = dataclasses.field(default_factory=dict)
    rendezvous_ip: str = ""
    ntp_sources: tuple[str, ...] = ()
    boot_artifacts_base_url: str = ""
    minimal_iso: bool = False
    live_kernel_arguments: tuple[str, ...] = ()
    extra_manifests: tuple[ExtraManifest, ...] = ()

    @property
    def architecture(self) -> str:
        """rpm name of the control plane's architecture: x86_64, aarch64, ppc64le, s390x."""
        return RPM_ARCHITECTURES.get(self.control_plane.architecture, self.control_plane.architecture)

    @property
    def domain(self) -> str:
        return f"{self.name}.{self.base_domain.rstrip('.')}"

    @property
    def api_url(self) -> str:
        return f"https://api.{self.domain}:6443"

    @property
    def single_node(self) -> bool:
        return self.control_plane.replicas == 1 and self.compute.replicas == 0

    @property
    def user_managed_networking(self) -> bool:
        return self.platform in ("none", "external")

    @property
    def replicas(self) -> dict[str, int]:
        """How many hosts of each role the cluster needs."""
        return {
            "master": self.control_plane.replicas,
            "arbiter": self.arbiter.replicas if self.arbiter else 0,
            "worker": self.compute.replicas,
        }


@dataclasses.dataclass(frozen=True)
class Deployment:
    """A cluster and its hosts, in the user's order.

    ``rendezvous_ip`` is the address of node 0, canonical, given or derived.

    ``provided_manifests`` are the files of a hand-written set (the ZTP form) by path, verbatim: no manifests are made
    of the cluster then.

    Source: openshift/installer pkg/asset/agent/image/ignition.go.
    """

    cluster: Cluster
    hosts: tuple[Host, ...]
    rendezvous_ip: str = ""
    provided_manifests: Mapping[str, str] = dataclasses.field(default_factory=dict, repr=False)
