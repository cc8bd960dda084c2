# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Report fields that the installer of the chosen OpenShift release does not know yet (docs/upstream/releases.md)."""

from __future__ import annotations

from collections.abc import Iterator

from ..common.problems import UNKNOWN_FIELD, Layer, Problem
from .field_table import CLUSTER_FIELDS, HOST_FIELDS
from .profile import ReleaseProfile
from .rule_profile import Release
from .tree import Item

_POOLS = ("controlPlane", "arbiter", "compute[]")
_FENCING_MAC = "controlPlane.fencing.credentials[].macAddress"
_INSTALL_CONFIG: dict[str, Release] = {
    **{row.upstream: row.since for row in CLUSTER_FIELDS if row.since and row.document == "install"},
    "controlPlane.fencing": (4, 20),
    _FENCING_MAC: (4, 23),
    "platform.baremetal.bmcVerifyCA": (4, 21),
    "platform.baremetal.provisioningNetworkGateway": (4, 22),
    **{f"platform.{name}.dnsRecordsType": (4, 21) for name in ("baremetal", "vsphere", "nutanix")},
    "pki": (4, 23),
    **{f"{pool}.diskSetup": (4, 20) for pool in _POOLS},
    **{f"{pool}.management": (4, 22) for pool in _POOLS},
}
_AGENT_CONFIG: dict[str, Release] = {
    **{row.upstream: row.since for row in CLUSTER_FIELDS if row.since and row.document == "agent"},
    **{f"hosts[].{row.upstream}": row.since for row in HOST_FIELDS if row.since},
}
# What to do, where removing the field is not all. The reason is that of ReleaseProfile.fencing_by_mac.
_HINTS = {
    _FENCING_MAC: (
        "name the host by its hostname instead: the client in this image rejects all fencing credentials if one has a "
        "MAC "
        "address"
    )
}


def later_fields(install: Item, agent: Item, profile: ReleaseProfile) -> tuple[list[Problem], list[Problem]]:
    """Problems of each document.

    An unknown key of install-config.yaml was no error to the older installers: it is one of ours then.
    """
    layer: Layer = "installer" if profile.unknown_keys_fail else "ours"
    return list(_found(install, _INSTALL_CONFIG, profile, layer)), list(
        _found(agent, _AGENT_CONFIG, profile, "installer")
    )


def _found(document: Item, table: dict[str, Release], profile: ReleaseProfile, layer: Layer) -> Iterator[Problem]:
    for path, since in table.items():
        for item in _at(document, path.split(".")) if profile.release < since else ():
            release = f"{profile.release[0]}.{profile.release[1]}"
            detail = f"OpenShift {release} does not have this field; it was added in {since[0]}.{since[1]}"
            yield Problem(
                item.path, UNKNOWN_FIELD, detail, layer=layer, file=item.file, line=item.line, hint=_HINTS.get(path, "")
            )


def _at(item: Item, steps: list[str]) -> Iterator[Item]:
    if not steps:
        yield item
        return
    found = item.get(steps[0].removesuffix("[]"))
    if found is not None:
        for child in found.elements() if steps[0].endswith("[]") else [found]:
            yield from _at(child, steps[1:])
