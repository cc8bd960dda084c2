# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Convert install-config.yaml and agent-config.yaml, with the position of each value, to a :class:`Deployment`.

Inventory variables are first converted to the same two documents (variables.py), so variables and files cannot mean
different things. This module checks names, types, and values that a :class:`Deployment` cannot represent. The package
``rules`` checks everything else.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

from ..common.problems import UNKNOWN_FIELD, Problem
from .bmc_hosts import bmc_host, with_bmc_hosts
from .field_table import AGENT_FIELDS, INSTALL_FIELDS
from .field_values import attributes, has_attribute, host_from_document, without_attribute
from .fields import AGENT_CONFIG, INSTALL_CONFIG
from .later_fields import later_fields
from .nested_fields import AGENT_PLATFORMS
from .paths import Source
from .profile import profile_of
from .release import check_version, default_release_image
from .rendezvous import with_rendezvous_ip
from .shapes import Reader
from .spec import (
    Bmc,
    Cluster,
    ClusterNetwork,
    Deployment,
    Document,
    ExtraManifest,
    Host,
    Networking,
    Pool,
)
from .tree import Item, plain
from .upstream.defaults import active_platform, network_type

DEFAULT_REPLICAS = 3
AGENT_CONFIG_KIND = "AgentConfig"
# Keys that Cluster has fields of its own for.
_OWN_KEYS = frozenset(
    {
        *(
            "apiVersion",
            "metadata",
            "platform",
            "networking",
            "controlPlane",
            "compute",
            "arbiter",
            "pullSecret",
            "sshKey",
            "imageContentSources",
        ),
        *(row.upstream for row in INSTALL_FIELDS if has_attribute(Cluster, row)),
    }
)
_OWN_METADATA = frozenset({"name", "namespace"})
_OWN_NETWORKING = frozenset({"networkType", "machineNetwork", "clusterNetwork", "serviceNetwork"})


@dataclasses.dataclass(frozen=True)
class Documents:
    """The two documents in upstream's names, after old layouts were upgraded, without values of a wrong type.

    ``*_unread``: not every value could be read. ``*_refused``: the installer reads no further than to the file's
    version or layout.
    """

    install: Mapping[str, Any]
    agent: Mapping[str, Any]
    install_unread: bool = False
    agent_unread: bool = False
    install_refused: bool = False
    agent_refused: bool = False


@dataclasses.dataclass(frozen=True)
class Parsed:
    """What an input means.

    ``deployment`` is None when nothing usable could be read; it may be incomplete when there are errors.

    ``problems`` are in the user's terms; ``source`` brings further ones there (paths.in_users_terms).
    """

    deployment: Deployment | None
    problems: tuple[Problem, ...]
    source: Source = dataclasses.field(default_factory=Source)
    documents: Documents | None = None


@dataclasses.dataclass(frozen=True)
class Boot:
    """What variables say about a host beyond upstream's documents."""

    name: str
    bmc: Bmc | None


@dataclasses.dataclass(frozen=True)
class Release:
    """What the user named that has no place in upstream's two documents: version, release image, and kernel arguments
    of the live system.

    ``release_tag`` is the image by tag of which ``release_image`` is the digest. ``path`` is the option that names the
    version.
    """

    version: str
    release_image: str = ""
    release_tag: str = ""
    path: str = "openshift_version"
    live_kernel_arguments: tuple[str, ...] = ()


def assemble(
    install_config: Item,
    agent_config: Item,
    release: Release,
    *,
    manifests: Sequence[ExtraManifest] = (),
    boots: Sequence[Boot] | None = None,
) -> Parsed:
    """Check names and types of both documents and build the deployment.

    ``boots`` are given for variables, in the order of the hosts.
    """
    profile = profile_of(release.version)
    readers = Reader(any_case=True, unknown="installer" if profile.unknown_keys_fail else "ours"), Reader(any_case=True)
    install = readers[0].read(install_config, INSTALL_CONFIG) or dataclasses.replace(install_config, value={})
    agent = readers[1].read(agent_config, AGENT_CONFIG) or dataclasses.replace(agent_config, value={})
    later = later_fields(install, agent, profile)
    read = zip(readers, (install_config, agent_config), later, strict=True)
    unread = [
        any(one.layer == "installer" and one.file == item.file for one in (*reader.problems, *unknown))
        for reader, item, unknown in read
    ]
    documents = Documents(plain(install), plain(agent), install_unread=unread[0], agent_unread=unread[1])
    deployment = _Assembly(documents.install, documents.agent).deployment(release, tuple(manifests), boots)
    source = Source.of(with_bmc_hosts(install, agent), agent, variables=boots is not None)
    # Hosts of install-config.yaml were read in place: a key that is unknown there is reported once.
    moved = (
        []
        if install_config.file == agent_config.file
        else [one for one in readers[1].problems if one.file == install_config.file]
    )
    of_agent = [one for one in readers[1].problems if one not in moved or one.kind != UNKNOWN_FIELD]
    problems = [*readers[0].problems, *of_agent, *later[0], *later[1], *check_version(release.version, release.path)]
    return Parsed(deployment, tuple(problems), source, documents)


class _Assembly:
    """Plain, canonical documents into the spec; what is wrong with them is for the rules."""

    def __init__(self, install: Mapping[str, Any], agent: Mapping[str, Any]) -> None:
        self.install = install
        self.agent = agent

    def deployment(
        self, release: Release, manifests: tuple[ExtraManifest, ...], boots: Sequence[Boot] | None
    ) -> Deployment:
        cluster = self.cluster(release, manifests)
        hosts = tuple(
            _host(index, data, boots[index] if boots is not None else None)
            for index, data in enumerate(self.agent.get("hosts", []))
        )
        return with_rendezvous_ip(Deployment(cluster, hosts))

    def cluster(self, release: Release, manifests: tuple[ExtraManifest, ...]) -> Cluster:
        install, agent = self.install, self.agent
        platform, options = self.platform()
        own = attributes(Cluster, INSTALL_FIELDS, _with_mirrors(install)) | attributes(Cluster, AGENT_FIELDS, agent)
        cluster = Cluster(
            name=install.get("metadata", {}).get("name", ""),
            namespace=install.get("metadata", {}).get("namespace", ""),
            version=release.version,
            release_image=release.release_image,
            release_tag=release.release_tag,
            live_kernel_arguments=release.live_kernel_arguments,
            platform=platform,
            platform_options={key: value for key, value in options.items() if key not in _own_options(platform)},
            api_vips=tuple(options.get("apiVIPs", ())),
            ingress_vips=tuple(options.get("ingressVIPs", ())),
            control_plane=_pool(install.get("controlPlane", {}), DEFAULT_REPLICAS),
            compute=self.compute(),
            arbiter=_pool(install["arbiter"], 0) if "arbiter" in install else None,
            networking=_networking(install.get("networking", {})),
            pull_secret=install.get("pullSecret", "").strip(),
            ssh_key=_ssh_key(install.get("sshKey", "")),
            install_config_extra=_extra(install),
            agent_config_extra=_agent_extra(agent, install),
            extra_manifests=tuple(sorted(manifests, key=lambda manifest: manifest.name)),
            **{"base_domain": "", **own, "boot_artifacts_base_url": agent.get("bootArtifactsBaseURL", "").strip("/")},
        )
        return self.with_bmc_hosts(self.with_release_image(cluster))

    def with_release_image(self, cluster: Cluster) -> Cluster:
        image = cluster.release_image or (
            default_release_image(cluster.version, cluster.architecture) if cluster.version else ""
        )
        return dataclasses.replace(cluster, release_image=image)

    def with_bmc_hosts(self, cluster: Cluster) -> Cluster:
        # BMC data that the user wants in the cluster: upstream takes it from the hosts that it uses, on baremetal only.
        # Source: openshift/installer pkg/asset/agent/agentconfig/agenthosts.go, pkg/asset/agent/manifests.
        hosts = [
            bmc_host(index, data)
            for index, data in enumerate(self.agent.get("hosts", []))
            if any(data.get("bmc", {}).values())
        ]
        if not hosts or cluster.platform != "baremetal":
            return cluster
        return dataclasses.replace(cluster, platform_options={**cluster.platform_options, "hosts": hosts})

    def platform(self) -> tuple[str, Document]:
        name = active_platform(self.install)
        return (name, self.install["platform"][name]) if name in AGENT_PLATFORMS else ("", {})

    def compute(self) -> Pool:
        pools = self.install.get("compute") or [{}]
        return _pool(
            next((pool for pool in pools if pool.get("name", "worker") == "worker"), pools[0]), DEFAULT_REPLICAS
        )


def _pool(data: Mapping[str, Any], replicas: int) -> Pool:
    options = {key: value for key, value in data.items() if key not in ("name", "replicas", "architecture")}
    return Pool(data.get("replicas", replicas), data.get("architecture") or "amd64", options)


def _host(index: int, data: Mapping[str, Any], boot: Boot | None) -> Host:
    if boot is not None:
        return host_from_document(boot.name, data, boot.bmc)
    return host_from_document(data.get("hostname") or f"host-{index}", data, bmc_from_document(data.get("bmc", {})))


def bmc_from_document(data: Mapping[str, Any]) -> Bmc | None:
    """The ``bmc`` of a host in upstream's files, or None without an address."""
    if not data.get("address"):
        return None
    return Bmc(
        data["address"],
        data.get("username", ""),
        data.get("password", ""),
        validate_certs=not data.get("disableCertificateVerification", False),
    )


def _networking(data: Mapping[str, Any]) -> Networking:
    default = Networking()
    provided = data.get("networkType", "")
    return Networking(
        network_type=network_type(provided) if provided else default.network_type,
        machine_networks=tuple(entry.get("cidr", "") for entry in data.get("machineNetwork", []))
        or default.machine_networks,
        cluster_networks=tuple(
            ClusterNetwork(entry.get("cidr", ""), entry.get("hostPrefix", 0))
            for entry in data.get("clusterNetwork", [])
        )
        or default.cluster_networks,
        service_networks=tuple(data.get("serviceNetwork", ())) or default.service_networks,
    )


def _ssh_key(text: str) -> str:
    # The installer trims these characters and nothing else; one key a line.
    # Source: openshift/installer pkg/types/installconfig.go, pkg/types/defaults.
    return text.strip("|\n\t")


def _with_mirrors(install: Mapping[str, Any]) -> Mapping[str, Any]:
    """The document with its mirrors under their present name."""
    sources = install.get("imageDigestSources") or install.get("imageContentSources")
    return {**install, "imageDigestSources": sources} if sources else install


def _extra(install: Mapping[str, Any]) -> dict[str, Any]:
    """What the spec has no field of its own for."""
    extra = {key: value for key, value in install.items() if key not in _OWN_KEYS}
    for name, own in (("metadata", _OWN_METADATA), ("networking", _OWN_NETWORKING)):
        rest = {key: value for key, value in install.get(name, {}).items() if key not in own}
        extra = {**extra, **({name: rest} if rest else {})}
    return extra


def _agent_extra(agent: Mapping[str, Any], install: Mapping[str, Any]) -> dict[str, Any]:
    """What the spec has no attribute for; kind and metadata only where they are not those that this collection
    writes.
    """
    named = {key: value for key, value in install.get("metadata", {}).items() if key in _OWN_METADATA and value}
    written = {"kind": AGENT_CONFIG_KIND, "metadata": named}
    extra = {key: agent[key] for key in written if agent.get(key) and agent[key] != written[key]}
    return {**extra, **without_attribute(Cluster, AGENT_FIELDS, agent)}


def _own_options(platform: str) -> tuple[str, ...]:
    # Hosts of baremetal become hosts of the deployment.
    return ("apiVIPs", "ingressVIPs", "hosts") if platform == "baremetal" else ("apiVIPs", "ingressVIPs")
