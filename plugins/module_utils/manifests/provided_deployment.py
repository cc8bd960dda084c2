# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Convert a hand-written manifests set to install-config.yaml and agent-config.yaml, and these to a deployment.

Each value keeps its position in the set. The live system still gets the objects of the set; all other code uses the
deployment (the hosts to boot, the address of node 0, the address of the API). The hosts are those of agent-config.yaml.
A NMStateConfig adds its network to the host that has one of its MAC addresses; without such a host it defines another
one.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import PurePath
from typing import Any

from ..cluster.documents import Parsed, Release, assemble
from ..cluster.field_table import CLUSTER_FIELDS
from ..cluster.located import load
from ..cluster.paths import AGENT_CONFIG
from ..cluster.spec import PLATFORM_TYPES, ExtraManifest, Host, ImageDigestSource
from ..cluster.tree import Item, wrap
from ..cluster.upgrade import AGENT_API_VERSION, Upgrade
from ..cluster.upstream.agent_config import agent_config
from ..common import json_text
from ..common.addresses import normal_mac
from ..common.architectures import RPM_ARCHITECTURES
from ..common.problems import Problem
from . import provided_set as names
from .names import CA_BUNDLE, REGISTRIES_CONF
from .objects import OVERRIDES_ANNOTATION
from .provided_mirrors import mirror_sources
from .provided_rules import SECRET_KEY, platform_type, rpm_architecture
from .provided_set import ProvidedSet

_PLATFORMS = {kind: name for name, kind in PLATFORM_TYPES.items()}
_GO_ARCHITECTURES = {rpm: name for name, rpm in RPM_ARCHITECTURES.items()}
_FROM_OVERRIDES = tuple(row.upstream for row in CLUSTER_FIELDS if row.override)
_NETWORK_LISTS = ("clusterNetwork", "machineNetwork", "serviceNetwork")


def assemble_set(provided: ProvidedSet, release: Release, manifests: Sequence[ExtraManifest]) -> Parsed:
    """The deployment that a set describes, for a set without problems; those of agent-config.yaml are reported here."""
    agent, problems = _agent_config(provided)
    listed = len(agent.get("hosts").elements()) if agent.get("hosts") else 0  # type: ignore[union-attr]
    named = _with_network_configs(agent, provided.objects.get(names.NMSTATE_CONFIG, ()))
    _with_ntp_sources(agent, provided)
    parsed = assemble(_install_config(provided), agent, release, manifests=manifests)
    if parsed.deployment is None:
        return parsed
    hosts = [_host(host, index, listed, named) for index, host in enumerate(parsed.deployment.hosts)]
    deployment = dataclasses.replace(parsed.deployment, hosts=tuple(hosts), provided_manifests=dict(provided.texts))
    # Of the set itself the installer has said all it says.
    said = [
        problem if PurePath(problem.file).name == AGENT_CONFIG else dataclasses.replace(problem, layer="ours")
        for problem in parsed.problems
    ]
    return Parsed(deployment, tuple(dict.fromkeys([*problems, *said])), parsed.source)


def _host(host: Host, index: int, listed: int, named: Mapping[int, str]) -> Host:
    """A host that only a network configuration speaks of has its name, and no role or disk that the service would wait
    for.
    """
    return host if index < listed else dataclasses.replace(host, name=named.get(index) or host.name, listed=False)


def _agent_config(provided: ProvidedSet) -> tuple[Item, list[Problem]]:
    file = provided.file(AGENT_CONFIG)
    empty = Item({"apiVersion": Item(AGENT_API_VERSION, "")}, "", file, 0)
    text = provided.texts.get(AGENT_CONFIG)
    if text is None:
        return empty, []
    item, problems = load(text, file)
    if item is None or not item.is_mapping:
        return empty, problems
    upgrade = Upgrade()
    upgrade.agent_config(item)
    return item, [*problems, *upgrade.problems, *_own_rules(item)]


def _own_rules(agent: Item) -> Iterator[Problem]:
    """The installer's rules about the file itself, as far as its values have the right types."""
    sources = agent.get("additionalNTPSources")
    document: dict[str, Any] = {
        "additionalNTPSources": [
            entry.value for entry in (sources.elements() if sources else []) if isinstance(entry.value, str)
        ]
    }
    for key in ("rendezvousIP", "bootArtifactsBaseURL"):
        value = agent.get(key)
        document[key] = value.value if value is not None and isinstance(value.value, str) else ""
    for problem in agent_config(document):
        place = agent.get(problem.path)
        yield dataclasses.replace(problem, file=agent.file, line=place.line if place else 0)


def _with_network_configs(agent: Item, configs: Iterable[Item]) -> dict[int, str]:
    """Puts the networks where the hosts are; index -> name of the hosts that are new."""
    hosts = agent.get("hosts")
    if hosts is None:
        hosts = Item([], "hosts", agent.file, agent.line)
        agent.mapping()["hosts"] = hosts
    for listed in hosts.elements():
        listed.mapping().pop("networkConfig", None)  # the network of a set is in the set
    new: dict[int, str] = {}
    for config in configs:
        interfaces = config.get("spec", "interfaces") or Item([], "spec.interfaces", config.file, config.line)
        macs = _macs(interfaces)
        host = next((listed for listed in hosts.elements() if macs & _macs(listed.get("interfaces"))), None)
        if host is None:
            host = Item({"interfaces": interfaces}, "spec", config.file, config.line)
            name = config.get("metadata", "name")
            new[len(hosts.value)] = str(name.value) if name else ""
            hosts.value.append(host)
        network = config.get("spec", "config")
        if network is not None:
            host.mapping()["networkConfig"] = network
            # Names of NICs are those that the network configuration means.
            host.mapping()["interfaces"] = _joined(interfaces, host.get("interfaces"))
    if not hosts.value:
        del agent.mapping()["hosts"]
    return new


def _joined(interfaces: Item, own: Item | None) -> Item:
    """The interfaces of a host in its own order, which names its boot NIC; each with the name that its network
    configuration gives it.
    """
    if own is None or own is interfaces:
        return interfaces
    by_mac = {_mac(entry): entry for entry in interfaces.elements()}
    return dataclasses.replace(own, value=[by_mac.get(_mac(entry), entry) for entry in own.elements()])


def _macs(interfaces: Item | None) -> set[str]:
    return {_mac(entry) for entry in interfaces.elements()} - {""} if interfaces else set()


def _mac(entry: Item) -> str:
    mac = entry.get("macAddress")
    return normal_mac(str(mac.value)) if mac else ""


def _with_ntp_sources(agent: Item, provided: ProvidedSet) -> None:
    """The live system's time comes from the InfraEnv alone."""
    infra_env = provided.object(names.INFRA_ENV)
    sources = infra_env.get("spec", "additionalNTPSources") if infra_env else None
    agent.mapping().pop("additionalNTPSources", None)
    if sources is not None:
        agent.mapping()["additionalNTPSources"] = sources


def _install_config(provided: ProvidedSet) -> Item:
    """The set as install-config.yaml would say it."""
    cluster = provided.object(names.CLUSTER_DEPLOYMENT) or Item({}, "")
    install = provided.object(names.AGENT_CLUSTER_INSTALL) or Item({}, "")
    infra_env = provided.object(names.INFRA_ENV) or Item({}, "")
    secret = provided.object(names.PULL_SECRET) or Item({}, "")
    overrides = _overrides(install)
    found: dict[str, Item | None] = {
        "apiVersion": Item("v1", ""),
        "metadata": _mapping(
            cluster, name=cluster.get("spec", "clusterName"), namespace=cluster.get("metadata", "namespace")
        ),
        "baseDomain": cluster.get("spec", "baseDomain"),
        "platform": _platform(install, overrides),
        "networking": _networking(install, overrides),
        **_pools(install, infra_env),
        "pullSecret": secret.get("stringData", SECRET_KEY),
        "sshKey": infra_env.get("spec", "sshAuthorizedKey") or install.get("spec", "sshPublicKey"),
        "proxy": infra_env.get("spec", "proxy"),
        "additionalTrustBundle": _bundle(provided) or infra_env.get("spec", "additionalTrustBundle"),
        "imageDigestSources": _sources(provided),
        **{key: overrides.get(key) for key in _FROM_OVERRIDES},
    }
    return _mapping(install, **found)


def _mapping(near: Item, **children: Item | None) -> Item:
    return Item({key: child for key, child in children.items() if child is not None}, near.path, near.file, near.line)


def _overrides(install: Item) -> Item:
    annotations = install.get("metadata", "annotations")
    text = annotations.get(OVERRIDES_ANNOTATION) if annotations else None
    if text is None:
        return Item({}, "")
    try:
        data = json_text.parse(str(text.value))
    except ValueError:
        data = {}
    return wrap(data if isinstance(data, dict) else {}, text.path, text.file, text.line)


def _platform(install: Item, overrides: Item) -> Item:
    kind = install.get("spec", "platformType")
    name = _PLATFORMS.get(platform_type(str(kind.value)), "") if kind else ""
    if not name:
        managed = install.get("spec", "networking", "userManagedNetworking")
        name = "none" if managed is not None and managed.value else "baremetal"
    further = overrides.get("platform", name)
    external = install.get("spec", "external")
    options: dict[str, Item | None] = {
        **(external.mapping() if external and name == "external" else {}),
        **(further.mapping() if further else {}),
    }
    options.pop("hosts", None)  # BMCs that the cluster is to know stay where they are, in the overrides
    if name in ("baremetal", "vsphere", "nutanix"):
        options |= {"apiVIPs": _vips(install, "apiVIP"), "ingressVIPs": _vips(install, "ingressVIP")}
    return _mapping(install, **{name: _mapping(install, **options)})


def _vips(install: Item, key: str) -> Item | None:
    single = install.get("spec", key)
    return install.get("spec", f"{key}s") or (dataclasses.replace(single, value=[single]) if single else None)


def _networking(install: Item, overrides: Item) -> Item:
    networking = install.get("spec", "networking") or Item({}, "")
    kind = overrides.get("networking", "networkType") or networking.get("networkType")
    return _mapping(networking, networkType=kind, **{key: networking.get(key) for key in _NETWORK_LISTS})


def _pools(install: Item, infra_env: Item) -> dict[str, Item | None]:
    needs = install.get("spec", "provisionRequirements") or Item({}, "")
    provided = infra_env.get("spec", "cpuArchitecture")
    architecture = (
        dataclasses.replace(provided, value=_GO_ARCHITECTURES.get(rpm_architecture(str(provided.value)), "amd64"))
        if provided and provided.value
        else None
    )
    none = Item(0, needs.path, needs.file, needs.line)
    arbiters = needs.get("arbiterAgents")
    return {
        "controlPlane": _mapping(needs, replicas=needs.get("controlPlaneAgents") or none, architecture=architecture),
        "compute": Item(
            [
                _mapping(
                    needs,
                    name=Item("worker", ""),
                    replicas=needs.get("workerAgents") or none,
                    architecture=architecture,
                )
            ],
            needs.path,
        ),
        "arbiter": _mapping(needs, name=Item("arbiter", ""), replicas=arbiters, architecture=architecture)
        if arbiters and arbiters.value
        else None,
    }


def _bundle(provided: ProvidedSet) -> Item | None:
    text = provided.texts.get(CA_BUNDLE, "")
    return Item(text, "", provided.file(CA_BUNDLE), 1) if text.strip() else None


def _sources(provided: ProvidedSet) -> Item | None:
    sources = [_source(source) for source in mirror_sources(provided.texts.get(REGISTRIES_CONF, ""))]
    return wrap(sources, "", provided.file(REGISTRIES_CONF), 1) if sources else None


def _source(source: ImageDigestSource) -> dict[str, Any]:
    found = {"source": source.source, "mirrors": list(source.mirrors), "sourcePolicy": source.source_policy}
    return {key: value for key, value in found.items() if value}
