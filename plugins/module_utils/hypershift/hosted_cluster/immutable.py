# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Compare the immutable fields of an existing HostedCluster with the user's options, and report each field that would
change.

The server adds values to these fields. So a field is unchanged if it contains every requested value, whatever else it
contains. The order of services counts.

Source: openshift/hypershift api/hypershift/v1beta1/hostedcluster_types.go,
  hypershift-operator/controllers/hostedcluster/hostedcluster_controller.go; docs/upstream/hypershift.md#operations.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping
from typing import Any

from ...common.problems import FORBIDDEN, Problem
from ..user_input import problem
from .rules import CHECK

Path = tuple[str, ...]

# Option -> field. A value for one that is not set yet is not a change, except where its absence means something.
FIELDS: Mapping[str, Path] = {
    "services": ("services",),
    "base_domain": ("dns", "baseDomain"),
    "base_domain_prefix": ("dns", "baseDomainPrefix"),
    "networking.cluster_network": ("networking", "clusterNetwork"),
    "networking.service_network": ("networking", "serviceNetwork"),
    "networking.machine_network": ("networking", "machineNetwork"),
    "networking.allocate_node_cidrs": ("networking", "allocateNodeCIDRs"),
    "networking.api_server.advertise_address": ("networking", "apiServer", "advertiseAddress"),
    "networking.api_server.port": ("networking", "apiServer", "port"),
    "etcd.management_type": ("etcd", "managementType"),
    "etcd.managed.storage.persistent_volume.size": ("etcd", "managed", "storage", "persistentVolume", "size"),
    "etcd.managed.storage.persistent_volume.storage_class_name": (
        "etcd",
        "managed",
        "storage",
        "persistentVolume",
        "storageClassName",
    ),
    "etcd.managed.storage.restore_snapshot_url": ("etcd", "managed", "storage", "restoreSnapshotURL"),
    "controller_availability_policy": ("controllerAvailabilityPolicy",),
    "olm_catalog_placement": ("olmCatalogPlacement",),
    "fips": ("fips",),
    "capabilities": ("capabilities",),
    "issuer_url": ("issuerURL",),
    "infra_id": ("infraID",),
    "cluster_id": ("clusterID",),
    "operator_configuration.clusterNetworkOperator.disableMultiNetwork": (
        "operatorConfiguration",
        "clusterNetworkOperator",
        "disableMultiNetwork",
    ),
    **{
        f"operator_configuration.clusterNetworkOperator.ovnKubernetesConfig.{'.'.join(tail)}": (
            "operatorConfiguration",
            "clusterNetworkOperator",
            "ovnKubernetesConfig",
            *tail,
        )
        for tail in (
            ("mtu",),
            ("v4InternalSubnet",),
            ("v6InternalSubnet",),
            ("ipv6", "internalJoinSubnet"),
            ("ipv6", "internalTransitSwitchSubnet"),
        )
    },
}
# What the absence of a field means; it can be changed from that no more than from a value.
_ABSENT: Mapping[str, Any] = {"fips": False, "etcd.managed.storage.restore_snapshot_url": []}
# An empty text is as good as nothing here: it may be set once.
_SET_ONCE = frozenset({"base_domain", "infra_id", "cluster_id"})
_MISSING = object()


def settled(desired: Mapping[str, Any], observed: Mapping[str, Any]) -> tuple[dict[str, Any], list[Problem]]:
    """The desired state without what is there already in an immutable field, and a problem for each such field that
    differs.
    """
    spec = copy.deepcopy(dict(desired["spec"]))
    present = observed.get("spec") or {}
    found = list(_platform(present)) + list(_encryption(spec, present))
    for option, path in FIELDS.items():
        wanted = _at(spec, path)
        there = _at(present, path)
        if wanted is _MISSING:
            continue
        there = _ABSENT.get(option, there) if there is _MISSING else there
        if there is _MISSING or (option in _SET_ONCE and there == ""):
            continue
        if _stands(wanted, there):
            _drop(spec, path)
            continue
        field = ".".join(("spec", *path))
        where, one, other = _difference(field, wanted, there)
        said = (
            f"it is {_shown(there)}"
            if where == field
            else (f"{where} is {_shown(other)}, and this is the first that differs")
        )
        found.append(
            problem(
                CHECK,
                option,
                FORBIDDEN,
                f"{field} cannot be changed: {said}",
                _shown(one),
                _hint(option, wanted, there),
            )
        )
    return {**desired, "spec": spec}, found


def _platform(present: Mapping[str, Any]) -> Iterator[Problem]:
    kind = (present.get("platform") or {}).get("type")
    if kind not in (None, "Agent"):
        yield problem(
            CHECK,
            "name",
            FORBIDDEN,
            (f"spec.platform.type cannot be changed: this hosted cluster is of platform {kind}, not Agent"),
        )


def _encryption(spec: Mapping[str, Any], present: Mapping[str, Any]) -> Iterator[Problem]:
    if "secretEncryption" in spec and spec["secretEncryption"] is None and present.get("secretEncryption"):
        yield problem(CHECK, "secret_encryption", FORBIDDEN, "spec.secretEncryption cannot be removed")


def _at(spec: Any, path: Path) -> Any:
    for key in path:
        if not isinstance(spec, Mapping) or key not in spec:
            return _MISSING
        spec = spec[key]
    return spec


def _drop(spec: dict[str, Any], path: Path) -> None:
    *above, last = path
    for key in above:
        spec = spec[key]
    spec.pop(last, None)


def _stands(wanted: Any, there: Any) -> bool:
    """Whether all of the desired state is there; lists have the same length and order."""
    if isinstance(wanted, Mapping):
        return isinstance(there, Mapping) and all(_stands(value, there.get(key)) for key, value in wanted.items())
    if isinstance(wanted, list):
        there = [] if there is None else there
        return (
            isinstance(there, list)
            and len(wanted) == len(there)
            and all(_stands(one, other) for one, other in zip(wanted, there, strict=True))
        )
    if wanted is None:
        return there in (None, "", [])
    # A quantity may be a number on one side and text on the other; numbers that the server leaves out are 0.
    return bool(wanted == there) or (not isinstance(wanted, bool) and str(wanted) == str(0 if there is None else there))


def _difference(where: str, wanted: Any, there: Any) -> tuple[str, Any, Any]:
    """The innermost place at which the desired state is not there, the first if there are several; what is requested
    and what is there.
    """
    if isinstance(wanted, Mapping) and isinstance(there, Mapping):
        inner = [(f"{where}.{key}", value, there.get(key)) for key, value in wanted.items()]
    elif isinstance(wanted, list) and isinstance(there, list) and len(wanted) == len(there):
        inner = [
            (f"{where}[{index}]", one, other) for index, (one, other) in enumerate(zip(wanted, there, strict=True))
        ]
    else:
        return where, wanted, there
    return next(_difference(*each) for each in inner if not _stands(*each[1:]))


def _shown(value: Any) -> str:
    text = str(value)
    return text if len(text) <= 80 else f"{text[:68]}… ({len(text)} characters)"


def _hint(option: str, wanted: Any, there: Any) -> str:
    if option == "services" and isinstance(there, list) and sorted(map(str, wanted)) == sorted(map(str, there)):
        return "only their order differs; give them in the order that they have"
    return ""
