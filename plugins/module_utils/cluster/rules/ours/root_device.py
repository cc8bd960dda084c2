# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Report root device hints that no disk can match: names of partitions, and hints that contradict each other.

This check uses only the names that Linux gives to disks. The disks of a host are unknown until it registers.

Source: openshift/installer pkg/types/agent/agent_config_type.go;
  openshift/assisted-service internal/controller/controllers/bmh_agent_controller.go.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from ....common.problems import INVALID, Problem
from ..checks import AGENT_CONFIG, own
from ..facts import Facts

_NVME = re.compile(r"/dev/nvme\d+n\d+|/dev/disk/by-path/.*-nvme-\d+")
_NVME_CONTROLLER = re.compile(r"/dev/nvme\d+")
_VIRTIO = re.compile(r"/dev/vd[a-z]+")
_SCSI = re.compile(r"/dev/sd[a-z]+")
_PARTITION = re.compile(
    r"/dev/(sd[a-z]+|vd[a-z]+|xvd[a-z]+)\d+|/dev/(nvme\d+n\d+|mmcblk\d+)p\d+|/dev/disk/by-path/.*-part\d+"
)
_PARTITION_END = re.compile(r"(?<=\d)p\d+$|-part\d+$|(?<=[a-z])\d+$")
_NO_DISK = re.compile(r"/dev/(sr|loop|fd|ram|zram)\d+")
_HCTL = re.compile(r"\d+:\d+:\d+:\d+")
_HCTL_OF_PATH = re.compile(r"-scsi-(\d+:\d+:\d+:\d+)(-part\d+)?$")
# A petabyte: a larger number was counted in another unit.
_LARGEST_GIGABYTES = 1_000_000


def root_device_conflict(facts: Facts) -> Iterator[Problem]:
    for host in facts.hosts:
        hints, path = host.host.root_device_hints, f"{host.path}.rootDeviceHints"
        if problem := _no_disk(str(hints.get("deviceName") or "")):
            yield own(
                "root-device-conflict",
                f"{path}.deviceName",
                INVALID,
                problem[0],
                value=hints["deviceName"],
                file=AGENT_CONFIG,
                hint=problem[1],
            )
        for name, detail in _conflicts(hints):
            yield own("root-device-conflict", f"{path}.{name}", INVALID, detail, value=hints[name], file=AGENT_CONFIG)


def _no_disk(device: str) -> tuple[str, str] | None:
    """Why a name is never that of a whole disk, and what to write."""
    if _PARTITION.fullmatch(device):
        return "is a partition; the whole disk is needed", f"write {_PARTITION_END.sub('', device)}"
    if _NVME_CONTROLLER.fullmatch(device):
        return "is a controller, not its disk", f"write {device}n1"
    return ("is no disk that can be installed on", "name a disk") if _NO_DISK.fullmatch(device) else None


def _conflicts(hints: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    device, hctl, wwn = (str(hints.get(name) or "") for name in ("deviceName", "hctl", "wwn"))
    if hctl and (error := _hctl_error(hctl, device)):
        yield "hctl", error
    if wwn and (error := _wwn_error(wwn, device)):
        yield "wwn", error
    if hints.get("rotational") is True and _NVME.fullmatch(device):
        yield "rotational", f"{device} is an NVMe disk, which does not rotate"
    size = hints.get("minSizeGigabytes")
    if isinstance(size, int) and size > _LARGEST_GIGABYTES:
        yield "minSizeGigabytes", f"no disk has {size} gigabytes; the unit is 10^9 bytes"


def _hctl_error(hctl: str, device: str) -> str:
    if not _HCTL.fullmatch(hctl):
        return "four numbers are expected: host:channel:target:lun, for example 0:0:0:0"
    if _NVME.fullmatch(device) or _VIRTIO.fullmatch(device):
        return f"{device} is no SCSI disk and has none"
    named = _HCTL_OF_PATH.search(device) if device.startswith("/dev/disk/by-path/") else None
    # The first number counts the hosts of the machine, in a by-path name those of the adapter.
    if named and named[1].split(":")[1:] != hctl.split(":")[1:]:
        return f"deviceName says {named[1]}"
    return ""


def _wwn_error(wwn: str, device: str) -> str:
    if _VIRTIO.fullmatch(device):
        return f"{device} is a virtio disk and has none"
    if wwn.lower().startswith("0x") and wwn != wwn.lower():
        return f"is compared letter by letter with what the machine says in lower case: {wwn.lower()}"
    if _NVME.fullmatch(device) and wwn.startswith("0x"):
        return f"{device} is an NVMe disk; these have eui.…, nvme.… or uuid.…"
    if _SCSI.fullmatch(device) and wwn.startswith(("eui.", "nvme.")):
        return f"is that of an NVMe disk, {device} is none"
    return ""
