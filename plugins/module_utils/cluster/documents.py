# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""The two upstream documents, with their places, into a :class:`Deployment`.

Both ways in (variables, files) end here, so they cannot mean different things. Besides names and types only that is checked here which the spec
cannot hold any more: everything else is for the rules.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

from ..common.problems import INVALID, REQUIRED, UNSUPPORTED, Problem
from . import fields
from .paths import INSTALL_CONFIG, Source, in_users_terms
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
    ImageDigestSource,
    Interface,
    Networking,
    Pool,
    Proxy,
    Role,
)
from .tree import Item, plain

DEFAULT_REPLICAS = 3
VIP_PLATFORMS = ("baremetal", "vsphere", "nutanix")
_NETWORK_TYPES = {"ovnkubernetes": "OVNKubernetes", "openshiftsdn": "OpenShiftSDN"}
# Top-level keys that Cluster has no field of its own for.
_EXTRA_KEYS = ("publish", "operatorPublishingStrategy", "credentialsMode", "bootstrapInPlace", "osImageStream")
_EXTRA_NETWORKING = ("clusterNetworkMTU", "ovnKubernetesConfig")


@dataclasses.dataclass(frozen=True)
class Parsed:
    """What an input means. ``deployment`` is None when nothing usable could be read; it may be incomplete when there are errors.

    ``problems`` are in the user's terms; ``source`` brings further ones there (paths.in_users_terms).
    """

    deployment: Deployment | None
    problems: tuple[Problem, ...]
    source: Source = dataclasses.field(default_factory=Source)


@dataclasses.dataclass(frozen=True)
class Boot:
    """What variables say about a host beyond upstream's documents."""

    name: str
    bmc: Bmc | None
    method: str


@dataclasses.dataclass(frozen=True)
class Release:
    """The version and release image that the user named, and the options to name them in."""

    version: str
    release_image: str = ""
    path: str = "openshift_version"


def assemble(
    install_config: Item,
    agent_config: Item,
    release: Release,
    *,
    manifests: Sequence[ExtraManifest] = (),
    boots: Sequence[Boot] | None = None,
) -> Parsed:
    """Check names and types of both documents and build the deployment. ``boots`` are given for variables, in the order of the hosts."""
    reader = Reader(any_case=True)
    install = reader.read(install_config, fields.INSTALL_CONFIG) or dataclasses.replace(install_config, value={})
    agent = reader.read(agent_config, fields.AGENT_CONFIG) or dataclasses.replace(agent_config, value={})
    reading = _Assembly(plain(install), plain(agent))
    deployment = reading.deployment(release, tuple(manifests), boots)
    source = Source.of(_with_bmc_hosts(install, agent), agent, variables=boots is not None)
    problems = [*reader.problems, *check_version(release.version, release.path), *in_users_terms(reading.problems, source)]
    return Parsed(deployment, tuple(problems), source)


class _Assembly:
    """Plain, canonical documents into the spec; problems with upstream paths."""

    def __init__(self, install: Mapping[str, Any], agent: Mapping[str, Any]) -> None:
        self.install = install
        self.agent = agent
        self.problems: list[Problem] = []

    def problem(self, path: str, kind: str, detail: str, value: str = "") -> None:
        self.problems.append(Problem(path, kind, detail, file=INSTALL_CONFIG, value=value))

    def deployment(self, release: Release, manifests: tuple[ExtraManifest, ...], boots: Sequence[Boot] | None) -> Deployment:
        cluster = self.cluster(release, manifests)
        hosts = tuple(_host(index, data, boots[index] if boots is not None else None) for index, data in enumerate(self.agent.get("hosts", [])))
        return with_rendezvous_ip(Deployment(cluster, hosts))

    def cluster(self, release: Release, manifests: tuple[ExtraManifest, ...]) -> Cluster:
        install, agent = self.install, self.agent
        platform, options = self.platform()
        control_plane = self.pool("controlPlane", install.get("controlPlane", {}), DEFAULT_REPLICAS, "master")
        bundle = {
            "additional_trust_bundle": install.get("additionalTrustBundle", ""),
            "additional_trust_bundle_policy": install.get("additionalTrustBundlePolicy", ""),
        }
        cluster = Cluster(
            name=install.get("metadata", {}).get("name", ""),
            namespace=install.get("metadata", {}).get("namespace", ""),
            base_domain=install.get("baseDomain", ""),
            version=release.version,
            release_image=release.release_image,
            platform=platform,
            platform_options={key: value for key, value in options.items() if key not in ("apiVIPs", "ingressVIPs", "hosts")},
            api_vips=tuple(options.get("apiVIPs", ())),
            ingress_vips=tuple(options.get("ingressVIPs", ())),
            control_plane=control_plane,
            compute=self.compute(),
            arbiter=self.pool("arbiter", install["arbiter"], 0, "arbiter") if "arbiter" in install else None,
            networking=_networking(install.get("networking", {})),
            pull_secret=install.get("pullSecret", "").strip(),
            ssh_key=_ssh_key(install.get("sshKey", "")),
            image_digest_sources=tuple(_digest_source(source) for source in install.get("imageDigestSources", [])),
            proxy=_proxy(install.get("proxy", {})),
            fips=install.get("fips", False),
            capabilities=install.get("capabilities", {}),
            cpu_partitioning_mode=install.get("cpuPartitioningMode", ""),
            feature_set=install.get("featureSet", ""),
            feature_gates=tuple(install.get("featureGates", ())),
            install_config_extra=_extra(install),
            rendezvous_ip=agent.get("rendezvousIP", ""),
            ntp_sources=tuple(agent.get("additionalNTPSources", ())),
            boot_artifacts_base_url=agent.get("bootArtifactsBaseURL", "").strip("/"),
            minimal_iso=agent.get("minimalISO", False),
            extra_manifests=tuple(sorted(manifests, key=lambda manifest: manifest.name)),
            **bundle,
        )
        return self.with_bmc_hosts(self.with_release_image(cluster))

    def with_release_image(self, cluster: Cluster) -> Cluster:
        image = cluster.release_image or (default_release_image(cluster.version, cluster.architecture) if cluster.version else "")
        return dataclasses.replace(cluster, release_image=image)

    def with_bmc_hosts(self, cluster: Cluster) -> Cluster:
        # BMC data that the user wants in the cluster: upstream takes it from the hosts that it uses, on baremetal only (reference 2 and 4).
        hosts = [_bmc_host(index, data) for index, data in enumerate(self.agent.get("hosts", [])) if any(data.get("bmc", {}).values())]
        if not hosts or cluster.platform != "baremetal":
            return cluster
        return dataclasses.replace(cluster, platform_options={**cluster.platform_options, "hosts": hosts})

    def platform(self) -> tuple[str, Document]:
        given = self.install.get("platform", {})
        usable = [name for name in given if name in fields.AGENT_PLATFORMS]
        quoted = ", ".join(f'"{name}"' for name in fields.AGENT_PLATFORMS)
        if not given:
            self.problem("platform", INVALID, f"must specify one of the platforms ({', '.join(fields.AGENT_PLATFORMS)})")
        elif len(given) > 1:
            first, second = sorted(given)[:2]
            self.problem("platform", INVALID, f'must only specify a single type of platform; cannot use both "{first}" and "{second}"')
        elif not usable:
            self.problem("platform", UNSUPPORTED, f"supported values: {quoted}", value=f'"{next(iter(given))}"')
        return (usable[0], given[usable[0]]) if usable else ("", {})

    def compute(self) -> Pool:
        pools = self.install.get("compute", [])
        for index, pool in enumerate(pools[1:], 1):
            if pool.get("name", "worker") == pools[0].get("name", "worker"):
                self.problem(f"compute[{index}].name", "Duplicate value", "there can be one pool of workers", value='"worker"')
            else:
                self.problem(f"compute[{index}].name", UNSUPPORTED, 'supported values: "worker"', value=f'"{pool["name"]}"')
        return self.pool("compute[0]", pools[0] if pools else {}, DEFAULT_REPLICAS, "worker")

    def pool(self, path: str, data: Mapping[str, Any], replicas: int, name: str) -> Pool:
        # The control plane's name is forced by the installer; the others' must be right.
        if path != "controlPlane" and data.get("name", name) != name:
            self.problem(f"{path}.name", UNSUPPORTED, f'supported values: "{name}"', value=f'"{data["name"]}"')
        options = {key: value for key, value in data.items() if key not in ("name", "replicas", "architecture")}
        return Pool(data.get("replicas", replicas), data.get("architecture", "amd64"), options)


def check_api_version(install: Item) -> list[Problem]:
    """install-config.yaml must say its version (reference 3.2)."""
    version = install.get("apiVersion")
    if version is None:
        return [Problem("apiVersion", REQUIRED, "install-config version required", file=install.file, line=install.line, hint="write apiVersion: v1")]
    if version.value != "v1":
        return [Problem("apiVersion", INVALID, 'install-config version must be "v1"', file=version.file, line=version.line, value=f'"{version.value}"')]
    return []


def _host(index: int, data: Mapping[str, Any], boot: Boot | None) -> Host:
    bmc = boot.bmc if boot else bmc_from_document(data.get("bmc", {}))
    return Host(
        name=boot.name if boot else data.get("hostname") or f"host-{index}",
        hostname=data.get("hostname", ""),
        role=_role(data.get("role", "")),
        interfaces=tuple(Interface(interface.get("name", ""), interface.get("macAddress", "")) for interface in data.get("interfaces", [])),
        root_device_hints=data.get("rootDeviceHints", {}),
        network_config=data.get("networkConfig", {}),
        bmc=bmc,
        boot_method=boot.method if boot else ("bmc" if bmc else "manual"),
    )


def _role(text: str) -> Role:
    # A role that does not exist is kept for the rules to name.
    return text  # type: ignore[return-value]


def bmc_from_document(data: Mapping[str, Any]) -> Bmc | None:
    """The ``bmc`` of a host in upstream's files, or None without an address."""
    if not data.get("address"):
        return None
    return Bmc(data["address"], data.get("username", ""), data.get("password", ""), validate_certs=not data.get("disableCertificateVerification", False))


def _bmc_host(index: int, data: Mapping[str, Any]) -> dict[str, Any]:
    interfaces = data.get("interfaces", [])
    host = {
        "name": data.get("hostname", "") or f"host-{index}",
        "role": data.get("role", ""),
        "bootMACAddress": interfaces[0].get("macAddress", "") if interfaces else "",
        "bmc": dict(data["bmc"]),
    }
    return {key: value for key, value in host.items() if value}


def _with_bmc_hosts(install: Item, agent: Item) -> Item:
    """install-config.yaml with the hosts that the spec lists in ``platform_options.hosts``, so that rules about them find their places."""
    baremetal = install.get("platform", "baremetal")
    if baremetal is None:
        return install
    listed = agent.get("hosts")
    entries = [host for host in (listed.elements() if listed else []) if any(item.value for item in host.mapping().get("bmc", Item({}, "")).mapping().values())]
    hosts = dataclasses.replace(listed, value=[_bmc_item(host) for host in entries]) if listed and entries else Item(None, "")
    platform = dataclasses.replace(install.value["platform"], value={"baremetal": dataclasses.replace(baremetal, value={**baremetal.value, "hosts": hosts})})
    return dataclasses.replace(install, value={**install.value, "platform": platform})


def _bmc_item(host: Item) -> Item:
    interfaces = host.get("interfaces")
    mac = interfaces.elements()[0].get("macAddress") if interfaces and interfaces.elements() else None
    known = {"name": host.get("hostname"), "role": host.get("role"), "bootMACAddress": mac, "bmc": host.get("bmc")}
    return dataclasses.replace(host, value={key: item for key, item in known.items() if item})


def _networking(data: Mapping[str, Any]) -> Networking:
    default = Networking()
    given = data.get("networkType", "")
    return Networking(
        network_type=_NETWORK_TYPES.get(given.lower(), given) if given else default.network_type,
        machine_networks=tuple(entry.get("cidr", "") for entry in data.get("machineNetwork", [])) or default.machine_networks,
        cluster_networks=tuple(ClusterNetwork(entry.get("cidr", ""), entry.get("hostPrefix", 0)) for entry in data.get("clusterNetwork", []))
        or default.cluster_networks,
        service_networks=tuple(data.get("serviceNetwork", ())) or default.service_networks,
    )


def _ssh_key(text: str) -> str:
    # The installer trims these characters; one key a line (reference 1.1).
    return "\n".join(line.strip() for line in text.strip("|\n\t ").splitlines() if line.strip())


def _digest_source(data: Mapping[str, Any]) -> ImageDigestSource:
    return ImageDigestSource(data.get("source", ""), tuple(data.get("mirrors", ())), data.get("sourcePolicy", ""))


def _proxy(data: Mapping[str, Any]) -> Proxy:
    return Proxy(data.get("httpProxy", ""), data.get("httpsProxy", ""), data.get("noProxy", ""))


def _extra(install: Mapping[str, Any]) -> dict[str, Any]:
    extra = {key: install[key] for key in _EXTRA_KEYS if key in install}
    networking = {key: value for key, value in install.get("networking", {}).items() if key in _EXTRA_NETWORKING}
    return {**extra, **({"networking": networking} if networking else {})}
