# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Validate machine pools, as the installer does (openshift/installer pkg/types/validation/installconfig.go)."""

from __future__ import annotations

from collections.abc import Iterator

from ...common.problems import Problem
from ..spec import ARCHITECTURES
from .fencing import fencing
from .findings import duplicate, forbidden, invalid, too_many, unsupported
from .provided import Document, Provided
from .vsphere_pools import vsphere_pool

_HYPERTHREADING = ("Disabled", "Enabled")
_POOL_PLATFORMS = ("aws", "azure", "gcp", "ibmcloud", "baremetal", "vsphere", "ovirt", "powervs", "openstack")
_LONGEST_DISK_ID = 12


def control_plane(provided: Provided) -> Iterator[Problem]:
    if provided.control_plane["replicas"] == 0:
        yield invalid("controlPlane.replicas", 0, "number of control plane replicas must be positive")
    yield from _pool(provided, provided.control_plane, "controlPlane")
    yield from fencing(provided)


def bootstrap_in_place(provided: Provided) -> Iterator[Problem]:
    applies = provided.profile.bootstrap_in_place_rule and "bootstrapInPlace" in provided.doc
    if applies and provided.control_plane["replicas"] == 1 and provided.platform == "baremetal":
        yield invalid("bootstrapInPlace", "", "Single Node OpenShift is not supported on the baremetal platform")


def arbiter(provided: Provided) -> Iterator[Problem]:
    pool = provided.arbiter
    if pool is None:
        return
    if provided.profile.arbiter_gate and not provided.gate("HighlyAvailableArbiter"):
        yield forbidden(
            "arbiter", ("HighlyAvailableArbiter feature must be enabled in order to use arbiter cluster deployment")
        )
        return
    platforms = provided.profile.arbiter_platforms
    if not any(name in provided.platforms for name in platforms):
        yield unsupported("arbiter.platform", provided.platform, platforms)
    if pool["replicas"] == 0:
        yield invalid("arbiter.replicas", 0, "number of arbiter replicas must be positive")
    masters = provided.control_plane["replicas"]
    if masters < 2:
        yield invalid(
            "arbiter.replicas", masters, ("number of controlPlane replicas must be at least 2 for arbiter deployments")
        )
    yield from _pool(provided, pool, "arbiter")


def compute(provided: Provided) -> Iterator[Problem]:
    names: set[str] = set()
    for index, pool in enumerate(provided.compute):
        path, name = f"compute[{index}]", pool.get("name", "")
        if name == "edge" and provided.platform != "aws":
            yield unsupported(f"{path}.name", name, ("worker",))
        elif name not in ("worker", "edge"):
            yield unsupported(f"{path}.name", name, ("worker", "edge"))
        if name in names:
            yield duplicate(f"{path}.name", name)
        names.add(name)
        yield from _mixed_architectures(provided, path, pool["architecture"])
        yield from _pool(provided, pool, path)
        if "fencing" in pool:
            yield invalid(f"{path}.fencing", None, "fencing is only valid for control plane")


def _mixed_architectures(provided: Provided, path: str, ours: str) -> Iterator[Problem]:
    masters = provided.control_plane["architecture"]
    if masters == ours or provided.platform in ("aws", "gcp"):
        return
    if "baremetal" not in provided.platforms or not provided.profile.mixed_baremetal:
        yield invalid(
            f"{path}.architecture",
            ours,
            ("heteregeneous multi-arch is not supported; compute pool architecture must match control plane"),
        )
        return
    if masters != "amd64":
        yield invalid(f"{path}.architecture", masters, "on multi-arch baremetal, the control plane must be amd64")
    if ours != "arm64":
        yield invalid(
            f"{path}.architecture", ours, ("on baremetal with amd64 control plane, compute must be amd64 or arm64")
        )


def _pool(provided: Provided, pool: Document, path: str) -> Iterator[Problem]:
    if pool["replicas"] < 0:
        yield invalid(f"{path}.replicas", pool["replicas"], "number of replicas must not be negative")
    if pool["hyperthreading"] not in _HYPERTHREADING:
        yield unsupported(f"{path}.hyperthreading", pool["hyperthreading"], _HYPERTHREADING)
    if pool["architecture"] not in ARCHITECTURES:
        yield unsupported(f"{path}.architecture", pool["architecture"], ARCHITECTURES)
    yield from _disks(pool, f"{path}.diskSetup")
    if not provided.profile.management_gate and pool.get("management") == "ClusterAPI":
        yield invalid(
            f"{path}.management",
            "ClusterAPI",
            (f"machines cannot be managed by Cluster API for platform {provided.platform}"),
        )
    platforms = pool.get("platform") or {}
    for name in _POOL_PLATFORMS:
        if name not in platforms:
            continue
        if name != provided.platform:
            detail = f'cannot specify "{name}" for machine pool when cluster is using "{provided.platform}"'
            yield invalid(f"{path}.platform.{name}", None, detail)
        elif name == "vsphere":
            yield from vsphere_pool(provided.options(), platforms[name], f"{path}.platform.vsphere")


def _disks(pool: Document, path: str) -> Iterator[Problem]:
    """Further disks: each kind with its own settings, etcd and swap once."""
    seen: set[str] = set()
    for disk in pool.get("diskSetup") or []:
        kind = disk.get("type", "")
        if kind == "user-defined":
            if "userDefined" not in disk:
                yield invalid(f"{path}.userDefined", None, "userDefined configuration must be created")
            elif len((disk["userDefined"] or {}).get("platformDiskID", "")) > _LONGEST_DISK_ID:
                yield invalid(
                    f"{path}.userDefined.platformDiskId", None, (f"cannot be longer than {_LONGEST_DISK_ID} characters")
                )
        elif kind in ("etcd", "swap"):
            if kind in seen:
                yield too_many(f"{path}.{kind}", 2, 1)
            elif kind not in disk:
                yield invalid(f"{path}.{kind}", None, f"{kind} configuration must be created")
            elif kind == "etcd" and pool.get("name") != "master":
                yield invalid(f"{path}.etcd", None, "cannot specify etcd on worker machine pools")
            else:
                seen.add(kind)
