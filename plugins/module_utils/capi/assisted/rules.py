# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Validate the description of a cluster with a table of rules, each with its source. Pure.

The rules find mistakes that the providers report only at run time, or ignore silently. Paths without a repository are
those of openshift-assisted/cluster-api-provider-openshift-assisted.
"""

from __future__ import annotations

import base64
import binascii
import dataclasses
import ipaddress
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from ...cluster.discovery_options import KERNEL_ARGUMENT
from ...common import json_text
from ...common.problems import DUPLICATE, FORBIDDEN, INVALID, REQUIRED, UNSUPPORTED, OwnCheck, Problem
from ...hub.bare_metal_hosts.desired import machine_problems
from .desired import DesiredControlPlane, MachinePool, cluster_value
from .field_table import CONFIG_FIELDS, value_of
from .kinds import AssistedKinds
from .names import CONTROL_PLANE_POOL, LONGEST_NAME, LONGEST_POOL
from .release import OLDEST, is_okd, is_older, order_of

_problem = OwnCheck("assisted-control-plane")

CONTROL_PLANE_SIZES = (1, 3, 4, 5)
_NAME = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?")
_BASELINE = re.compile(r"None|vCurrent|v4\.[0-9]+")
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_IGNITION_VERSIONS = ("3.0.0", "3.1.0")
Found = Iterator[Problem]


@dataclasses.dataclass(frozen=True)
class DescriptionRule:
    """One check of a description. ``source`` is where the providers, or what they use, decide it."""

    check: Callable[[DesiredControlPlane, AssistedKinds], Found]
    source: str


def description_problems(desired: DesiredControlPlane, kinds: AssistedKinds) -> list[Problem]:
    """Everything that is wrong with the description itself."""
    return [problem for rule in RULES for problem in rule.check(desired, kinds)]


def _names(desired: DesiredControlPlane, _kinds: AssistedKinds) -> Found:
    if not _NAME.fullmatch(desired.name) or len(desired.name) > LONGEST_NAME:
        detail = (
            f"must be lower case letters, digits and '-', at most {LONGEST_NAME}: names of Machines and labels of "
            "Agents are made of it"
        )
        yield _problem("name", INVALID, detail, desired.name)
    seen: set[str] = set()
    for pool in desired.pools:
        if not _NAME.fullmatch(pool.name) or len(pool.name) > LONGEST_POOL:
            yield _problem(
                f"{pool.path}.name",
                INVALID,
                (f"must be lower case letters, digits and '-', at most {LONGEST_POOL}"),
                pool.name,
            )
        if pool.name in (*seen, CONTROL_PLANE_POOL):
            yield _problem(f"{pool.path}.name", DUPLICATE, "another pool has this name", pool.name)
        seen.add(pool.name)


def _required(desired: DesiredControlPlane, _kinds: AssistedKinds) -> Found:
    for option, value in (("version", desired.version), ("base_domain", cluster_value(desired, "base_domain"))):
        if not value:
            yield _problem(option, REQUIRED, "the control plane cannot be described without it")


def _version(desired: DesiredControlPlane, _kinds: AssistedKinds) -> Found:
    if desired.version and order_of(desired.version) is None:
        yield _problem(
            "version",
            INVALID,
            ("must be a full version such as 4.20.3: the release image is found by it"),
            desired.version,
        )
    elif is_older(desired.version, OLDEST):
        yield _problem(
            "version", UNSUPPORTED, f"the oldest version that the provider installs is {OLDEST}", desired.version
        )


def _replicas(desired: DesiredControlPlane, _kinds: AssistedKinds) -> Found:
    number = desired.control_plane.replicas
    if number is not None and number not in CONTROL_PLANE_SIZES:
        sizes = ", ".join(str(size) for size in CONTROL_PLANE_SIZES)
        yield _problem("control_plane.replicas", UNSUPPORTED, f"a control plane has {sizes} machines", str(number))
    for pool in desired.pools:
        if pool.replicas is not None and pool.replicas < 0:
            yield _problem(f"{pool.path}.replicas", INVALID, "must not be negative", str(pool.replicas))


def _limits(desired: DesiredControlPlane, _kinds: AssistedKinds) -> Found:
    names = {
        "node_drain_timeout": "drain_seconds",
        "node_volume_detach_timeout": "volume_seconds",
        "node_deletion_timeout": "deletion_seconds",
    }
    for pool in desired.machine_pools:
        for option, attribute in names.items():
            value = getattr(pool.limits, attribute)
            if value is not None and value < 0:
                yield _problem(f"{pool.path}.{option}", INVALID, "must not be negative", str(value))


def _virtual_addresses(desired: DesiredControlPlane, _kinds: AssistedKinds) -> Found:
    lists = {option: list(cluster_value(desired, option) or ()) for option in ("api_vips", "ingress_vips")}
    versions: dict[str, list[int]] = {}
    for option, addresses in lists.items():
        if len(addresses) > 2:
            yield _problem(option, INVALID, "one address, or one of each address family")
        for index, address in enumerate(addresses):
            try:
                versions.setdefault(option, []).append(ipaddress.ip_address(str(address)).version)
            except ValueError:
                yield _problem(f"{option}[{index}]", INVALID, "must be an IP address", str(address))
        if len(set(versions.get(option, ()))) < len(versions.get(option, ())):
            yield _problem(option, INVALID, "two addresses must be of different address families")
    api, ingress = lists["api_vips"], lists["ingress_vips"]
    if len(api) != len(ingress):
        detail = (
            "the provider ignores virtual addresses unless there are both: give as many of each, or none for a load "
            "balancer of your own"
        )
        yield _problem("ingress_vips" if api else "api_vips", REQUIRED, detail)
    if api and desired.control_plane.replicas == 1:
        yield _problem("api_vips", FORBIDDEN, "a control plane of one machine has no virtual addresses")


def _capabilities(desired: DesiredControlPlane, _kinds: AssistedKinds) -> Found:
    baseline = cluster_value(desired, "capabilities.baseline_capability")
    if baseline and not _BASELINE.fullmatch(str(baseline)):
        yield _problem(
            "capabilities.baseline_capability",
            UNSUPPORTED,
            "must be None, vCurrent, or a set such as v4.18",
            str(baseline),
        )


def _disk_encryption(desired: DesiredControlPlane, _kinds: AssistedKinds) -> Found:
    enabled, mode, servers = (
        cluster_value(desired, f"disk_encryption.{name}") for name in ("enable_on", "mode", "tang_servers")
    )
    if mode and enabled in (None, "none"):
        yield _problem(
            "disk_encryption.enable_on",
            REQUIRED,
            "it is required, because disk_encryption.mode has no effect without it",
        )
    if mode == "tang" and not _is_json(servers, list):
        yield _problem(
            "disk_encryption.tang_servers", REQUIRED, """a JSON list is expected: '[{"url": "…", "thumbprint": "…"}]'"""
        )


def _pull_secret(desired: DesiredControlPlane, _kinds: AssistedKinds) -> Found:
    """Only the host of an entry counts, and its ``auth`` must be base64 of user:password; what else is there the
    provider fails on at each pass.
    """
    placeholder = '"fake-pull-secret"' in desired.pull_secret
    if desired.user_pull_secret or (placeholder and is_okd(desired.version)):
        return
    if placeholder:
        yield _problem("pull_secret", REQUIRED, "releases of OpenShift need it; only OKD does without")
        return
    yield from pull_secret_problems(desired.pull_secret, "pull_secret")


def pull_secret_problems(text: str, path: str) -> Found:
    """What is wrong with the content of a pull secret. No value of it is part of a problem."""
    try:
        auths = json_text.parse(text)["auths"]
        entries = dict(auths.items())
    except (ValueError, KeyError, TypeError, AttributeError):
        entries = {}
    if not entries:
        yield _problem(path, INVALID, """a JSON document is expected: '{"auths": {"host:5000": {"auth": "…"}}}'""")
    for registry, entry in entries.items():
        if not _is_login(entry.get("auth") if isinstance(entry, Mapping) else None):
            yield _problem(f"{path}.auths[{registry}].auth", INVALID, "must be base64 of user:password")


def _is_login(auth: Any) -> bool:
    try:
        return b":" in base64.b64decode(str(auth or ""), validate=True)
    except (binascii.Error, ValueError):
        return False


def _registry(desired: DesiredControlPlane, _kinds: AssistedKinds) -> Found:
    if desired.registry:
        yield from registry_problems(desired.registry, "image_registry.registries_conf")


def registry_problems(data: Mapping[str, str], path: str) -> Found:
    """What is wrong with the ConfigMap of mirrors."""
    try:
        registries = tomllib.loads(str(data.get("registries.conf") or "")).get("registry") or []
    except tomllib.TOMLDecodeError as error:
        yield _problem(path, INVALID, f"is no TOML: {error}")
        return
    if not isinstance(registries, list) or not registries:
        yield _problem(path, REQUIRED, "at least one [[registry]] with a [[registry.mirror]]")
        return
    for index, registry in enumerate(registries):
        mirrors = registry.get("mirror") if isinstance(registry, Mapping) else None
        if not isinstance(registry, Mapping) or not isinstance(registry.get("location"), str):
            yield _problem(f"{path}.registry[{index}].location", REQUIRED, "the registry that is mirrored")
        if (
            not isinstance(mirrors, list)
            or not mirrors
            or not all(isinstance(each, Mapping) and isinstance(each.get("location"), str) for each in mirrors)
        ):
            yield _problem(f"{path}.registry[{index}].mirror", REQUIRED, "at least one mirror with a location")


def _networks(desired: DesiredControlPlane, _kinds: AssistedKinds) -> Found:
    lists = (
        ("cluster_network.pods", desired.pods),
        ("cluster_network.services", desired.services),
        ("machine_network", desired.machine_network),
    )
    for path, networks in lists:
        for index, network in enumerate(networks):
            try:
                ipaddress.ip_network(network)
            except ValueError as error:
                yield _problem(f"{path}[{index}]", INVALID, str(error), network)
    for network in desired.host_prefixes:
        if network not in desired.pods:
            yield _problem(f"host_prefixes[{network}]", INVALID, "is no network of cluster_network.pods", network)


def _configs(desired: DesiredControlPlane, kinds: AssistedKinds) -> Found:
    for pool in desired.machine_pools:
        path = f"{pool.path}.config"
        for field in CONFIG_FIELDS:
            value = value_of(field, pool.config)
            if value in (None, "", [], {}):
                continue
            if field.refused:
                yield _problem(f"{path}.{field.option}", FORBIDDEN, field.refused)
            elif field.since and kinds.bootstrap_version < field.since:
                detail = (
                    f"the hub serves OpenshiftAssistedConfig {kinds.bootstrap_version}, which does not have it; "
                    f"{field.since} has"
                )
                yield _problem(
                    f"{path}.{field.option}", UNSUPPORTED, detail, hint="Update the bootstrap provider on the hub."
                )
        if pool.config.get("post_bootstrap_kubeconfig_path"):
            detail = "has no effect: the provider does not pass it to the commands that run after the installation"
            yield _problem(f"{path}.post_bootstrap_kubeconfig_path", INVALID, detail, severity="warning")
        yield from _texts_of_config(pool, path)
        yield from _node_registration(pool, path)
        yield from _ignition(pool, path)


def _texts_of_config(pool: MachinePool, path: str) -> Found:
    for index, argument in enumerate(pool.config.get("kernel_arguments") or ()):
        if argument["operation"] == "replace":
            detail = "becomes --replace-karg, which assisted-service refuses; delete the argument and append another"
            yield _problem(f"{path}.kernel_arguments[{index}].operation", UNSUPPORTED, detail, "replace")
        if not KERNEL_ARGUMENT.fullmatch(argument["value"]):
            yield _problem(
                f"{path}.kernel_arguments[{index}].value",
                INVALID,
                "blanks must be within double quotes",
                argument["value"],
            )
    bundle = pool.config.get("additional_trust_bundle")
    if bundle and "-----BEGIN CERTIFICATE-----" not in bundle:
        yield _problem(f"{path}.additional_trust_bundle", INVALID, "must be certificates in PEM form")


def _node_registration(pool: MachinePool, path: str) -> Found:
    labels = pool.config.get("kubelet_extra_labels") or ()
    for index, label in enumerate(labels):
        key, separator, value = str(label).partition("=")
        where = f"{path}.kubelet_extra_labels[{index}]"
        if not separator or not key:
            yield _problem(where, INVALID, "must be key=value: the provider drops any other text", str(label))
        elif value.startswith("$") and not _is_variable(value):
            yield _problem(
                where,
                INVALID,
                ("a value that begins with $ must be the name of one variable, as $NAME or ${NAME}"),
                str(label),
            )
    if len(labels) > 1:
        detail = "the provider writes several labels in a random order and updates Agents again and again"
        yield _problem(
            f"{path}.kubelet_extra_labels",
            INVALID,
            detail,
            hint=("Set the others as labels of Nodes once they are there."),
            severity="warning",
        )
    provider = str(pool.config.get("provider_id") or "")
    if provider.startswith("$") and not _is_variable(provider):
        yield _problem(
            f"{path}.provider_id",
            INVALID,
            ("a value that begins with $ must be the name of one variable, as $NAME or ${NAME}"),
            provider,
        )


def _is_variable(text: str) -> bool:
    return bool(_VARIABLE.fullmatch(text.removeprefix("$").removeprefix("{").removesuffix("}")))


def _ignition(pool: MachinePool, path: str) -> Found:
    for option in ("discovery_ignition_override", "ignition_override"):
        text = pool.config.get(option)
        if not text:
            continue
        try:
            version = json_text.parse(str(text))["ignition"]["version"]
        except (ValueError, KeyError, TypeError):
            yield _problem(
                f"{path}.{option}",
                INVALID,
                ("must be an Ignition config as JSON, with ignition.version: the provider ignores any other text"),
            )
            continue
        if option == "ignition_override" and version not in _IGNITION_VERSIONS:
            yield _problem(
                f"{path}.{option}",
                UNSUPPORTED,
                (f"ignition.version must be {' or '.join(_IGNITION_VERSIONS)}"),
                str(version),
            )


def _infrastructure(desired: DesiredControlPlane, _kinds: AssistedKinds) -> Found:
    if desired.metal3_used:
        if not desired.metal3.get("image"):
            yield _problem(
                "metal3.image",
                REQUIRED,
                ("the CoreOS disk image (variant nutanix) that machines boot first, with its checksum"),
            )
        for path, reference in [
            ("infrastructure_ref", desired.infrastructure_ref),
            *((f"{pool.path}.infrastructure_ref", pool.template) for pool in desired.machine_pools),
        ]:
            if reference:
                yield _problem(
                    path,
                    FORBIDDEN,
                    ("is for infrastructure user_templates: with metal3 this collection makes the templates"),
                )
        return
    if not desired.infrastructure_ref:
        yield _problem("infrastructure_ref", REQUIRED, "the infrastructure cluster, which you create")
    for pool in desired.machine_pools:
        if not pool.template:
            yield _problem(f"{pool.path}.infrastructure_ref", REQUIRED, "the machine template, which you create")
        elif not pool.template["kind"].endswith("Template"):
            yield _problem(
                f"{pool.path}.infrastructure_ref.kind",
                INVALID,
                ("machines are made from kinds that end in Template"),
                pool.template["kind"],
            )


def _hosts(desired: DesiredControlPlane, _kinds: AssistedKinds) -> Found:
    pools = {pool.name: pool for pool in desired.machine_pools}
    macs: dict[str, str] = {}
    for index, host in enumerate(desired.hosts):
        path = f"hosts[{index}]"
        yield from machine_problems(host, path)
        if host["pool"] not in pools:
            yield _problem(f"{path}.pool", UNSUPPORTED, f"pools are {', '.join(pools)}", str(host["pool"]))
        if host.get("network_config") and not host.get("interfaces"):
            yield _problem(
                f"{path}.interfaces",
                REQUIRED,
                ("the host finds its network configuration by the MAC addresses of its interfaces"),
            )
        mac = str(host.get("boot_mac_address") or "").lower()
        if mac and mac in macs:
            yield _problem(f"{path}.boot_mac_address", DUPLICATE, f"{macs[mac]} has it too", mac)
        macs.setdefault(mac, str(host["name"]))
    names = [str(host["name"]) for host in desired.hosts]
    for name in sorted({name for name in names if names.count(name) > 1}):
        yield _problem(f"hosts[{name}].name", DUPLICATE, "another host has this name", name)


def _enough_hosts(desired: DesiredControlPlane, _kinds: AssistedKinds) -> Found:
    for pool in desired.machine_pools if desired.hosts else ():
        count = sum(host["pool"] == pool.name for host in desired.hosts)
        if pool.replicas is not None and count < pool.replicas and not pool.host_selector:
            detail = (
                f"{pool.replicas} machines and {count} hosts: the others wait for BareMetalHosts, and the "
                "installation with them"
            )
            yield _problem(f"{pool.path}.replicas", INVALID, detail, severity="warning")


def _is_json(text: Any, kind: type) -> bool:
    try:
        return isinstance(json_text.parse(str(text or "")), kind)
    except ValueError:
        return False


_ASSISTED = "openshift/assisted-service"
RULES = (
    DescriptionRule(
        _names, ("controlplane/internal/controller/openshiftassistedcontrolplane_controller.go (names of Machines)")
    ),
    DescriptionRule(_required, "controlplane/api/v1alpha3/openshiftassistedcontrolplane_types.go"),
    DescriptionRule(
        _version, ("controlplane/internal/controller/openshiftassistedcontrolplane_controller.go (minimum version)")
    ),
    DescriptionRule(_replicas, f"{_ASSISTED} internal/common/common.go (numbers of control plane hosts)"),
    DescriptionRule(_limits, "controlplane/api/v1alpha3/openshiftassistedcontrolplane_types.go"),
    DescriptionRule(_virtual_addresses, "controlplane/internal/controller/clusterdeployment_controller.go (platform)"),
    DescriptionRule(
        _capabilities, ("controlplane/internal/controller/clusterdeployment_controller.go (baseline capability set)")
    ),
    DescriptionRule(_disk_encryption, f"{_ASSISTED} internal/bminventory/inventory.go (disk encryption)"),
    DescriptionRule(_pull_secret, "pkg/containers, controlplane/internal/auth"),
    DescriptionRule(_registry, "controlplane/internal/imageregistry/image_registry.go"),
    DescriptionRule(_networks, "controlplane/internal/controller/clusterdeployment_controller.go (networking)"),
    DescriptionRule(
        _configs,
        (f"bootstrap/internal/ignition/ignition.go; {_ASSISTED} pkg/validations/validations.go (installer arguments)"),
    ),
    DescriptionRule(
        _infrastructure,
        (
            "controlplane/internal/controller/openshiftassistedcontrolplane_controller.go (clone of the infrastructure "
            "template)"
        ),
    ),
    DescriptionRule(
        _hosts, ("metal3-io/cluster-api-provider-metal3 baremetal/metal3machine_manager.go (choice of a host)")
    ),
    DescriptionRule(
        _enough_hosts,
        (f"{_ASSISTED} internal/controller/controllers/clusterdeployments_controller.go (isReadyForInstallation)"),
    ),
)
