# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Validate the machines of a pool on vSphere, as the installer does (openshift/installer
pkg/asset/agent/installconfig.go).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...common.problems import Problem
from .findings import duplicate, invalid, required, unsupported
from .provided import Document
from .texts import cluster_name_error

_CORES_PER_SOCKET = 4
_CPUS = 4
_MOST_DISKS = 29
_LONGEST_DISK_NAME = 80
_LARGEST_DISK_GIB = 16384
_DISK_NAME = re.compile(r"[a-zA-Z0-9]([-_a-zA-Z0-9]*[a-zA-Z0-9])?")
_DISK_NAME_TEXT = (
    "data disk name must consist only of alphanumeric characters, hyphens and underscores, and must start and end "
    "with an alphanumeric character."
)
_MODES = ("EagerlyZeroed", "Thick", "Thin")


def vsphere_pool(options: Document, pool: Document, path: str) -> Iterator[Problem]:
    """``options`` are the platform's, ``pool`` the platform part of a machine pool."""
    yield from _sizes(pool, path)
    yield from _disks(pool, path)
    yield from _zones(options, pool, path)


def _sizes(pool: Document, path: str) -> Iterator[Problem]:
    disk = (pool.get("osDisk") or {}).get("diskSizeGB", 0)
    if disk < 0:
        yield invalid(f"{path}.diskSizeGB", disk, "storage disk size must be positive")
    if pool.get("memoryMB", 0) < 0:
        yield invalid(f"{path}.memoryMB", pool["memoryMB"], "memory size must be positive")
    cpus, cores = pool.get("cpus", 0), pool.get("coresPerSocket", 0)
    if cpus < 0:
        yield invalid(f"{path}.cpus", cpus, "number of CPUs must be positive")
    if cores < 0:
        yield invalid(f"{path}.coresPerSocket", cores, "cores per socket must be positive")
    cpus = cpus if cpus > 0 else _CPUS
    cores = cores if cores > 0 else _CORES_PER_SOCKET
    if cores > cpus:
        yield invalid(
            f"{path}.coresPerSocket",
            cores,
            (f"cores per socket must be less than the number of CPUs (which is by default {_CPUS})"),
        )
    elif cpus % cores:
        yield invalid(
            f"{path}.cpus",
            cpus,
            (f"numCPUs specified should be a multiple of cores per socket (which is by default {_CORES_PER_SOCKET})"),
        )


def _disks(pool: Document, path: str) -> Iterator[Problem]:
    disks = pool.get("dataDisks") or []
    if len(disks) > _MOST_DISKS:
        yield invalid(f"{path}.dataDisks", len(disks), f"data disk count must not exceed {_MOST_DISKS}")
    for index, disk in enumerate(disks):
        here, name, size, mode = (
            f"{path}.disks[{index}]",
            disk.get("name", ""),
            disk.get("sizeGiB", 0),
            disk.get("provisioningMode", ""),
        )
        if not name:
            yield required(f"{here}.name", "data disk name must be set")
        else:
            if len(name) > _LONGEST_DISK_NAME:
                yield invalid(f"{here}.name", len(name), f"data disk name must not exceed {_LONGEST_DISK_NAME}")
            if not _DISK_NAME.fullmatch(name):
                yield invalid(f"{here}.name", name, _DISK_NAME_TEXT)
        if size == 0:
            yield required(f"{here}.sizeGiB", "data disk size must be set")
        if size > _LARGEST_DISK_GIB:
            yield invalid(f"{here}.sizeGiB", size, f"data disk size (GiB) must not exceed {_LARGEST_DISK_GIB}")
        if mode and mode not in _MODES:
            yield unsupported(here, mode, _MODES)


def _zones(options: Document, pool: Document, path: str) -> Iterator[Problem]:
    zones = pool.get("zones") or []
    names = [domain.get("name", "") for domain in options.get("failureDomains") or []]
    if zones and not names:
        yield required(f"{path}.zones", "failureDomains must be defined if zones are defined")
        return
    for index, zone in enumerate(zones):
        error = (
            "cluster name must begin with a lower-case letter"
            if not re.match(r"[a-z]", zone)
            else cluster_name_error(zone, dots=True)
        )
        if error:
            yield invalid(f"{path}.zones", list(zones), error)
        if zone in zones[:index]:
            yield duplicate(f"{path}.zones[{index}]", zone)
        if zone not in names:
            yield invalid(f"{path}.zones", zone, "zone not defined in failureDomains")
