# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Check a hand-written manifests set as the installer does, in the same order.

Every file is checked, although the installer stops at the first file that it rejects. A check across two files runs
only if both are valid.

Source: openshift/installer pkg/asset/agent/manifests.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator, Mapping
from typing import Any

from ..cluster.profile import ReleaseProfile
from ..cluster.spec import PLATFORM_TYPES
from ..cluster.tree import Item
from ..cluster.upstream import credentials
from ..cluster.upstream.cluster_install import NO_NETWORK, subnet_errors
from ..cluster.upstream.provided import Provided
from ..cluster.upstream.texts import NMSTATE_MAC, parse_cidr
from ..common.architectures import RPM_ARCHITECTURES
from ..common.problems import FORBIDDEN, INVALID, REQUIRED, UNSUPPORTED, Problem, errors
from . import provided_set as names
from .mirrors import PullSpec
from .provided_mirrors import mirror_problems
from .provided_set import ProvidedSet

SECRET_KEY = ".dockerconfigjson"
MISSING = "missing configuration or manifest file"
_NEEDED = (names.PULL_SECRET, names.INFRA_ENV, names.AGENT_CLUSTER_INSTALL, names.CLUSTER_DEPLOYMENT)
USER_MANAGED = ("None", "External")
_ENABLE_ON = ("none", "all", "masters", "workers")
_MODES = ("tpmv2", "tang")
_OVN, _SDN = "OVNKubernetes", "OpenShiftSDN"


def set_problems(provided: ProvidedSet, profile: ReleaseProfile, release_image: str) -> list[Problem]:
    """``release_image`` is the pullspec that the installation is of; empty where the set itself is to name it."""
    found: list[Problem] = []
    for path in names.OBJECT_FILES:
        found += provided.problems.get(path) or [
            _at(problem, provided, path) for problem in _rules(provided, path, profile, release_image)
        ]
    found += [problem for path in names.TEXT_FILES for problem in provided.problems.get(path, ())]
    found += mirror_problems(provided, release_image or _release_image(provided))
    found += [
        Problem("", REQUIRED, MISSING, file=provided.file(path))
        for path in _NEEDED
        if path not in provided.texts and path not in provided.problems
    ]
    if not errors(found):
        found += [_at(problem, provided, names.INFRA_ENV) for problem in _selector(provided)]
    return found


def _rules(provided: ProvidedSet, path: str, profile: ReleaseProfile, release_image: str) -> Iterator[Problem]:
    document = provided.plain(path)
    if path not in provided.texts:
        return
    if path == names.PULL_SECRET:
        yield from _pull_secret(document, profile)
    elif path == names.INFRA_ENV:
        yield from _infra_env(document)
    elif path == names.NMSTATE_CONFIG:
        yield from _network_configs(provided)
        yield from _labels(provided)
    elif path == names.AGENT_CLUSTER_INSTALL:
        yield from _cluster_install(document)
    elif path == names.CLUSTER_IMAGE_SET:
        yield from _image_set(document, release_image)


def _at(problem: Problem, provided: ProvidedSet, path: str) -> Problem:
    """The problem with file and, as far as the field exists, line."""
    if problem.file:
        return problem
    item = provided.object(path)
    line = _line(item, problem.path) if item is not None else 0
    return dataclasses.replace(problem, file=provided.file(path), line=line)


def _line(item: Item, path: str) -> int:
    found = item
    for step in path.replace("[", ".").replace("]", "").split("."):
        children = found.value
        child = children.get(step) if isinstance(children, dict) else None
        if isinstance(children, list) and step.isdigit():
            child = children[int(step)]
        if child is None:
            break
        found = child
    return found.line


def _pull_secret(document: Mapping[str, Any], profile: ReleaseProfile) -> Iterator[Problem]:
    data = document.get("stringData")
    if not isinstance(data, Mapping) or not data:
        hint = "the form data is not supported" if document.get("data") else ""
        yield Problem("stringData", REQUIRED, "the pull secret is empty", hint=hint)
    elif SECRET_KEY not in data:
        yield Problem("stringData", REQUIRED, f"the pull secret key '{SECRET_KEY}' is not defined")
    elif not data[SECRET_KEY]:
        yield Problem("stringData", REQUIRED, "the pull secret does not contain any data")
    else:
        for problem in credentials.pull_secret(Provided({"pullSecret": str(data[SECRET_KEY])}, profile)):
            yield dataclasses.replace(problem, path="stringData", file="")


def _infra_env(document: Mapping[str, Any]) -> Iterator[Problem]:
    architecture = _at_path(document, "spec", "cpuArchitecture") or ""
    if rpm_architecture(architecture) not in ("", *RPM_ARCHITECTURES.values()):
        yield Problem(
            "spec.cpuArchitecture",
            UNSUPPORTED,
            (f"Config.Spec.CpuArchitecture {architecture} is not supported"),
            value=_quoted(architecture),
        )


def rpm_architecture(architecture: str) -> str:
    """rpm's name of an architecture by either name."""
    return RPM_ARCHITECTURES.get(architecture, architecture)


def _network_configs(provided: ProvidedSet) -> Iterator[Problem]:
    """The table of interfaces of every network configuration; what nmstate says of the configuration itself is reported
    elsewhere.

    Source: openshift/installer pkg/asset/agent/manifests/nmstateconfig.go.
    """
    for index, item in enumerate(provided.objects[names.NMSTATE_CONFIG]):
        table = item.get("spec", "interfaces") or Item([], "", item.file, item.line)
        entries = [
            [str(entry.mapping()[key].value or "") if key in entry.mapping() else "" for key in ("name", "macAddress")]
            for entry in table.elements()
        ]
        macs = [mac for _name, mac in entries]
        details = [
            f"MAC address {mac} for host {index} is incorrectly formatted, use XX:XX:XX:XX:XX:XX format"
            for mac in macs
            if not NMSTATE_MAC.fullmatch(mac)
        ]
        if not entries:
            details = [f"at least one interface for host {index} must be provided"]
        elif any(len(values) != len(set(values)) for values in zip(*entries, strict=True)):
            details.append(f"MACs and Interfaces for host {index} must be unique")
        yield from (Problem("spec.interfaces", INVALID, detail, file=table.file, line=table.line) for detail in details)
        config = item.get("spec", "config")
        if config is None or config.value == {}:
            yield Problem(
                "spec.config",
                INVALID,
                "nmstate generated an empty NetworkManager config file content",
                file=item.file,
                line=item.line,
            )


def _labels(provided: ProvidedSet) -> Iterator[Problem]:
    for item in provided.objects[names.NMSTATE_CONFIG]:
        labels = item.get("metadata", "labels")
        if labels is None or not labels.value:
            yield Problem(
                "labels",
                REQUIRED,
                f"{_name_of(item)} does not have any label set",
                file=provided.file(names.NMSTATE_CONFIG),
                line=item.line,
            )


def _name_of(item: Item) -> str:
    name = item.get("metadata", "name")
    return str(name.value) if name is not None else ""


def _cluster_install(document: Mapping[str, Any]) -> Iterator[Problem]:
    spec = document.get("spec") or {}
    networking = spec.get("networking") or {}
    kind = networking.get("networkType") or _OVN
    if kind == _SDN:
        yield from _sdn_networks(networking)
    elif kind == _OVN:
        yield from _ovn_networks(networking, spec.get("provisionRequirements") or {})
    platform = platform_type(spec.get("platformType") or "")
    if platform and platform not in PLATFORM_TYPES.values():
        supported = ", ".join(f'"{name}"' for name in PLATFORM_TYPES.values())
        yield Problem("spec.platformType", UNSUPPORTED, f"supported values: {supported}", value=_quoted(platform))
    if platform in USER_MANAGED and networking.get("userManagedNetworking") is False:
        yield Problem(
            "spec.networking.userManagedNetworking",
            FORBIDDEN,
            (f"{platform} platform requires user-managed networking"),
        )
    encryption = spec.get("diskEncryption")
    if encryption is not None:
        for key, known in (("enableOn", _ENABLE_ON), ("mode", _MODES)):
            value = encryption.get(key) or ""
            if value not in known:
                supported = ", ".join(f'"{name}"' for name in known)
                yield Problem(
                    f"spec.diskEncryption.{key}", UNSUPPORTED, f"supported values: {supported}", value=_quoted(value)
                )


def platform_type(text: str) -> str:
    """The platform type; older sets have the platform's name of install-config.yaml there."""
    return PLATFORM_TYPES.get(text, text)


def _sdn_networks(networking: Mapping[str, Any]) -> Iterator[Problem]:
    lists = {
        "clusterNetwork": [str(entry.get("cidr") or "") for entry in networking.get("clusterNetwork") or []],
        "serviceNetwork": list(networking.get("serviceNetwork") or []),
    }
    for name, cidrs in lists.items():
        for cidr in cidrs:
            if parse_cidr(cidr) is None:
                yield Problem(f"spec.networking.{name}", REQUIRED, NO_NETWORK)
        if any(network.version == 6 for network in map(parse_cidr, cidrs) if network):
            yield Problem(
                "spec.networking.networkType",
                REQUIRED,
                (f"{name} CIDR is IPv6 and is not compatible with networkType {_SDN}"),
            )


def _ovn_networks(networking: Mapping[str, Any], requirements: Mapping[str, Any]) -> Iterator[Problem]:
    hosts = (requirements.get("controlPlaneAgents") or 0) + (requirements.get("workerAgents") or 0)
    for index, entry in enumerate(networking.get("clusterNetwork") or []):
        path, cidr, prefix = (
            f"spec.networking.clusterNetwork[{index}]",
            str(entry.get("cidr") or ""),
            entry.get("hostPrefix") or 0,
        )
        network = parse_cidr(cidr)
        if network is None:
            yield Problem(f"{path}.cidr", REQUIRED, NO_NETWORK)
            continue
        too_long, too_few = subnet_errors(network, prefix, hosts)
        if too_long:
            yield Problem(f"{path}.hostPrefix", INVALID, too_long, value=str(prefix))
        if too_few:
            yield Problem(path, INVALID, too_few, value=_quoted(cidr))


def _image_set(document: Mapping[str, Any], release_image: str) -> Iterator[Problem]:
    image = _at_path(document, "spec", "releaseImage") or ""
    if release_image and image != release_image:
        yield Problem("spec.releaseImage", INVALID, f"value must be equal to {release_image}", value=_quoted(image))
    elif not PullSpec.parse(image).repository:
        yield Problem("spec.releaseImage", REQUIRED, "the release image is missing")


def _release_image(provided: ProvidedSet) -> str:
    return str(_at_path(provided.plain(names.CLUSTER_IMAGE_SET), "spec", "releaseImage") or "")


def _selector(provided: ProvidedSet) -> Iterator[Problem]:
    wanted = _at_path(provided.plain(names.INFRA_ENV), "spec", "nmStateConfigLabelSelector", "matchLabels") or {}
    for item in provided.objects.get(names.NMSTATE_CONFIG, ()):
        labels = item.get("metadata", "labels")
        found = {key: str(value.value) for key, value in labels.mapping().items()} if labels is not None else {}
        if found != wanted:
            detail = (
                f"infraEnv and {_name_of(item)} NMState Config labels do not match. Expected: {_go_map(wanted)} "
                f"Found: {_go_map(found)}"
            )
            yield Problem("spec.nmStateConfigLabelSelector.matchLabels", REQUIRED, detail)


def _at_path(document: Mapping[str, Any], *keys: str) -> Any:
    value: Any = document
    for key in keys:
        value = value.get(key) if isinstance(value, Mapping) else None
    return value


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _go_map(labels: Mapping[str, Any]) -> str:
    joined = " ".join(f"{key}:{labels[key]}" for key in sorted(labels))
    return f"map[{joined}]"
