# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Validate the networks of a HostedCluster, as a pure function.

The CRD only compares the texts of networks. The operator reports an overlap in a condition only after the cluster
exists, when none of the networks can be changed any more.

Source: openshift/hypershift api/hypershift/v1beta1/hostedcluster_types.go,
  hypershift-operator/controllers/hostedcluster/hostedcluster_controller.go.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ...capi.objects import part
from ...common.addresses import AddressSet
from ...common.problems import FORBIDDEN, INVALID, REQUIRED, TOO_MANY, UNSUPPORTED, Problem
from .. import values
from ..user_input import problem

_CHECK = "hosted-cluster"
TYPES = ("OVNKubernetes", "OpenShiftSDN", "Calico", "Other")
# Option -> field and what the server fills in.
LISTS: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "cluster_network": ("clusterNetwork", ("10.132.0.0/14",)),
    "service_network": ("serviceNetwork", ("172.31.0.0/16",)),
    "machine_network": ("machineNetwork", ()),
}
_PORT = 65535


def network_problems(options: Mapping[str, Any], spec: Mapping[str, Any], *, exists: bool) -> list[Problem]:
    """What is wrong with ``networking``, and with what depends on it. ``spec`` is that of the present object."""
    networking = options.get("networking") or {}
    present = part(spec, "networking")
    return [
        *_type(networking, present, options, spec),
        *_lists(networking, present, exists=exists),
        *_api_server(networking, present),
    ]


def cidrs_of(entries: Sequence[Any]) -> list[str]:
    """The networks in a list of texts or of mappings with ``cidr``."""
    return [str(each.get("cidr") or "") if isinstance(each, Mapping) else str(each) for each in entries]


def _type(
    networking: Mapping[str, Any], present: Mapping[str, Any], options: Mapping[str, Any], spec: Mapping[str, Any]
) -> Iterator[Problem]:
    kind = networking.get("network_type") or present.get("networkType") or "OVNKubernetes"
    if kind not in TYPES:
        yield problem(_CHECK, "networking.network_type", UNSUPPORTED, f"must be one of {', '.join(TYPES)}", kind)
    allocate = networking.get("allocate_node_cidrs")
    if allocate not in (None, "Enabled", "Disabled"):
        yield problem(_CHECK, "networking.allocate_node_cidrs", UNSUPPORTED, "must be Enabled or Disabled", allocate)
    elif (allocate or present.get("allocateNodeCIDRs")) == "Enabled" and kind != "Other":
        yield problem(_CHECK, "networking.allocate_node_cidrs", FORBIDDEN, "Enabled only goes with network_type Other")
    asked = part(options, "operator_configuration", "clusterNetworkOperator")
    operator = {**part(spec, "operatorConfiguration", "clusterNetworkOperator"), **asked}
    where = "operator_configuration.clusterNetworkOperator"
    if operator.get("disableMultiNetwork") is True and kind != "Other":
        yield problem(_CHECK, f"{where}.disableMultiNetwork", FORBIDDEN, "only goes with network_type Other")
    if "ovnKubernetesConfig" in operator and kind != "OVNKubernetes":
        yield problem(_CHECK, f"{where}.ovnKubernetesConfig", FORBIDDEN, "only goes with network_type OVNKubernetes")
    yield from _ovn(f"{where}.ovnKubernetesConfig", part(asked, "ovnKubernetesConfig"))


def _ovn(where: str, config: Mapping[str, Any]) -> Iterator[Problem]:
    mtu = config.get("mtu")
    if mtu is not None and not (isinstance(mtu, int) and 576 <= mtu <= 9216):
        yield problem(_CHECK, f"{where}.mtu", INVALID, "must be 576 to 9216", mtu)
    for version, longest, name in ((4, 30, "v4InternalSubnet"), (6, 125, "v6InternalSubnet")):
        text = config.get(name)
        if text is None:
            continue
        found = values.network(str(text))
        if (
            found is None
            or found.version != version
            or "/" not in str(text)
            or found.prefixlen > longest
            or str(text).startswith("0.")
        ):
            yield problem(
                _CHECK,
                f"{where}.{name}",
                INVALID,
                (f"must be an IPv{version} network with a prefix length of at most {longest}"),
                text,
            )


def _lists(networking: Mapping[str, Any], present: Mapping[str, Any], *, exists: bool) -> Iterator[Problem]:
    found: list[tuple[str, str, AddressSet]] = []
    for option, (field, default) in LISTS.items():
        if option in networking:
            cidrs = cidrs_of(networking[option])
            if not 1 <= len(cidrs) <= 2:
                yield problem(
                    _CHECK,
                    f"networking.{option}",
                    TOO_MANY if cidrs else REQUIRED,
                    "must have 1 or 2 items",
                    len(cidrs),
                )
        else:
            cidrs = cidrs_of(present.get(field) or ()) or ([] if exists else list(default))
        for index, text in enumerate(cidrs):
            where = f"networking.{option}[{index}]"
            if option in networking and (fault := values.cidr_fault(text)):
                yield problem(_CHECK, where, INVALID, fault, text)
            else:
                found.append((where, text, AddressSet([text])))
    for (first, text, one), (second, other_text, other) in itertools.combinations(found, 2):
        reported = next(
            (where for where in (second, first) if where.partition("[")[0].removeprefix("networking.") in networking),
            "",
        )
        if reported and one.overlaps(other):
            yield problem(_CHECK, reported, FORBIDDEN, f"{other_text} ({second}) overlaps {text} ({first})")


def _api_server(networking: Mapping[str, Any], present: Mapping[str, Any]) -> Iterator[Problem]:
    server = networking.get("api_server") or {}
    address = server.get("advertise_address")
    if address is not None:
        yield from _advertised(str(address), networking, present)
    port = server.get("port")
    if port is not None and not 1 <= port <= _PORT:
        yield problem(_CHECK, "networking.api_server.port", INVALID, f"must be 1 to {_PORT}", port)
    blocks = [str(block) for block in server.get("allowed_cidr_blocks") or ()]
    if len(blocks) > 500 or len(set(blocks)) < len(blocks):
        yield problem(
            _CHECK,
            "networking.api_server.allowed_cidr_blocks",
            INVALID,
            "must be at most 500 different networks",
            len(blocks),
        )
    for index, block in enumerate(blocks):
        if fault := values.cidr_fault(block):
            yield problem(_CHECK, f"networking.api_server.allowed_cidr_blocks[{index}]", INVALID, fault, block)


def _advertised(text: str, networking: Mapping[str, Any], present: Mapping[str, Any]) -> Iterator[Problem]:
    where = "networking.api_server.advertise_address"
    if fault := values.address_fault(text):
        yield problem(_CHECK, where, INVALID, fault, text)
        return
    for option, (field, default) in LISTS.items():
        for cidr in cidrs_of(networking.get(option) or present.get(field) or default):
            if text in AddressSet([cidr]):
                yield problem(_CHECK, where, FORBIDDEN, f"must lie outside {cidr} ({option})", text)
