# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Evaluate and validate the feature set and feature gates of install-config.yaml.

Source: openshift/installer pkg/types/validation/installconfig.go; docs/upstream/releases.md.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from ...common.problems import Problem
from ..profile import ReleaseProfile
from .findings import forbidden, invalid, unsupported

if TYPE_CHECKING:
    from .provided import Provided

CUSTOM = "CustomNoUpgrade"
_PREVIEWS = ("DevPreviewNoUpgrade", "TechPreviewNoUpgrade")
# Off in TechPreviewNoUpgrade.
_DEVELOPMENT = ("ClusterAPIControlPlaneInstall", "ClusterAPIComputeInstall")
# Go's strconv.ParseBool.
_TRUE = ("1", "t", "T", "TRUE", "true", "True")
_FALSE = ("0", "f", "F", "FALSE", "false", "False")
_PROTECTED = (
    "this field is protected by the {} feature gate which must be enabled through either the TechPreviewNoUpgrade or "
    "CustomNoUpgrade feature set"
)


def enabled(name: str, feature_set: str, gates: Sequence[str], profile: ReleaseProfile) -> bool:
    """Whether a gate is on. A custom set has no other gates than those it names."""
    if feature_set == CUSTOM:
        return any(parts[0] == name and parts[1] in _TRUE for gate in gates if len(parts := gate.split("=")) == 2)
    return name in profile.default_gates or feature_set in (_PREVIEWS[:1] if name in _DEVELOPMENT else _PREVIEWS)


def feature_set(provided: Provided) -> Iterator[Problem]:
    """Sets and gates themselves, then the fields that need a gate: these can only be told where sets and gates are
    right.
    """
    problems = [*_sets(provided)]
    yield from problems or _gated(provided)


def _sets(provided: Provided) -> Iterator[Problem]:
    name, gates = provided.doc.get("featureSet", ""), provided.doc.get("featureGates") or []
    known = sorted({"", CUSTOM, *_PREVIEWS, *(("OKD",) if provided.profile.okd_feature_set else ())})
    if name not in known:
        yield unsupported("featureSet", name, known)
    if name == "OKD" and provided.profile.okd_feature_set and not provided.profile.okd:
        yield forbidden("featureSet", "OKD featureset is not supported on OpenShift clusters")
    if gates and name != CUSTOM:
        yield forbidden("featureGates", "featureGates can only be used with the CustomNoUpgrade feature set")
    for index, gate in enumerate(gates):
        parts = gate.split("=")
        if len(parts) != 2:
            yield invalid(f"featureGates[{index}]", gate, "must match the format <feature-name>=<bool>")
        elif parts[1] not in (*_TRUE, *_FALSE):
            yield invalid(
                f"featureGates[{index}]",
                gate,
                ("must match the format <feature-name>=<bool>, could not parse boolean value"),
            )


def _gated(provided: Provided) -> Iterator[Problem]:
    for gate, path in (*_platform_fields(provided), *_pool_fields(provided)):
        if not provided.gate(gate):
            yield forbidden(path, _PROTECTED.format(gate))


def _platform_fields(provided: Provided) -> Iterator[tuple[str, str]]:
    options, name = provided.options(), provided.platform
    if name == "vsphere":
        domains = options.get("failureDomains") or []
        if any(len((domain.get("topology") or {}).get("networks") or []) > 1 for domain in domains):
            yield "VSphereMultiNetworks", "platform.vsphere.failureDomains.topology.networks"
        if "nodeNetworking" in options:
            yield "VSphereMultiNetworks", "platform.vsphere.nodeNetworking"
        if provided.profile.host_group_gate and any(
            domain.get("zoneType") == "HostGroup" or (domain.get("topology") or {}).get("hostGroup")
            for domain in domains
        ):
            yield "VSphereHostVMGroupZonal", "<nil>"
        for path, pools in (("controlPlane", [provided.control_plane]), ("compute", provided.compute)):
            if any(((pool.get("platform") or {}).get("vsphere") or {}).get("dataDisks") for pool in pools):
                yield "VSphereMultiDisk", f"{path}.platform.vsphere.dataDisks"
    if name in ("baremetal", "vsphere", "nutanix") and options.get("dnsRecordsType") == "External":
        yield "OnPremDNSRecords", f"platform.{name}.dnsRecordsType"


def _pool_fields(provided: Provided) -> Iterator[tuple[str, str]]:
    if "fencing" in provided.control_plane:
        yield "DualReplica", "platform.none.fencingCredentials"
    control_plane = provided.control_plane.get("diskSetup") or []
    compute = [disk for pool in provided.compute for disk in pool.get("diskSetup") or []]
    if control_plane:
        yield "MultiDiskSetup", "controlPlane.diskSetup"
    if compute:
        yield "MultiDiskSetup", "compute.diskSetup"
    if provided.profile.node_swap_gate:
        for path, disks in (("compute", compute), ("controlPlane", control_plane)):
            if any(disk.get("type") == "swap" for disk in disks):
                yield "NodeSwap", f"{path}.diskSetup"
    if provided.profile.os_image_stream and provided.doc.get("osImageStream", "") != provided.profile.default_os_stream:
        yield "OSStreams", "osImageStream"
    if provided.profile.management_gate:
        # Of the compute pools the installer looks at the first.
        pools = ("ControlPlane", "controlPlane", provided.control_plane), ("Compute", "compute", provided.compute[0])
        for word, path, pool in pools:
            if pool.get("management") == "ClusterAPI":
                yield f"ClusterAPI{word}Install", f"{path}.management"
    if provided.profile.pki and "pki" in provided.doc:
        yield "ConfigurablePKI", "pki"
