# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Render the status and labels of an Agent from its host in the assisted-service. Pure functions.

Source: openshift/assisted-service internal/controller/controllers/agent_controller.go.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from ..service import progress
from ..service.model import NO_TIME, Cluster, Host
from .conditions import Condition, merge
from .names import INVENTORY_LABEL

# member of the service -> member of the Agent; equal names are listed once.
_MEMORY = {"physical_bytes": "physicalBytes", "usable_bytes": "usableBytes"}
_CPU = {
    "count": "count",
    "frequency": "clockMegahertz",
    "flags": "flags",
    "model_name": "modelName",
    "architecture": "architecture",
}
_NIC = {
    "name": "name",
    "mac_address": "macAddress",
    "vendor": "vendor",
    "product": "product",
    "mtu": "mtu",
    "speed_mbps": "speedMbps",
    "has_carrier": "hasCarrier",
    "biosdevname": "biosDevName",
    "client_id": "clientID",
}
_DISK = {
    "id": "id",
    "name": "name",
    "path": "path",
    "by_path": "byPath",
    "by_id": "byID",
    "drive_type": "driveType",
    "hctl": "hctl",
    "model": "model",
    "vendor": "vendor",
    "wwn": "wwn",
    "serial": "serial",
    "size_bytes": "sizeBytes",
    "bootable": "bootable",
    "smart": "smart",
}
_BOOT = {"current_boot_mode": "currentBootMode", "pxe_interface": "pxeInterface", "device_type": "deviceType"}
_VENDOR = {
    "manufacturer": "manufacturer",
    "product_name": "productName",
    "serial_number": "serialNumber",
    "virtual": "virtual",
}
_GPU = {"address": "address", "device_id": "deviceID", "name": "name", "vendor": "vendor", "vendor_id": "vendorID"}
_BAD_IN_LABELS = re.compile(r"[^-A-Za-z0-9_.]+")
_LABEL_VALUE = re.compile(r"^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$")


def _renamed(source: Mapping[str, Any] | None, names: Mapping[str, str]) -> dict[str, Any]:
    """Members that are set, under their names in the Agent; integers where the definition wants them."""
    found = {new: (source or {}).get(old) for old, new in names.items()}
    kept = {name: value for name, value in found.items() if value not in (None, "", [])}
    return {name: int(value) if isinstance(value, float) else value for name, value in kept.items()}


def inventory(source: Mapping[str, Any] | None) -> dict[str, Any]:
    """``status.inventory``; {} before the host has reported anything."""
    if not source:
        return {}
    members: dict[str, Any] = {
        "hostname": source.get("hostname"),
        "bmcAddress": source.get("bmc_address"),
        "bmcV6Address": source.get("bmc_v6address"),
        "memory": _renamed(source.get("memory"), _MEMORY),
        "cpu": _renamed(source.get("cpu"), _CPU),
        "interfaces": [_nic(entry) for entry in source.get("interfaces") or []],
        "disks": [_disk(entry) for entry in source.get("disks") or []],
        "boot": _renamed(source.get("boot"), _BOOT),
        "systemVendor": _renamed(source.get("system_vendor"), _VENDOR),
        "gpus": [_renamed(entry, _GPU) for entry in source.get("gpus") or []],
    }
    return {name: value for name, value in members.items() if value not in (None, "", [], {})}


def _nic(entry: Mapping[str, Any]) -> dict[str, Any]:
    """The three lists must be there, empty or not: the definition requires them."""
    lists = {
        "flags": entry.get("flags") or [],
        "ipV4Addresses": entry.get("ipv4_addresses") or [],
        "ipV6Addresses": entry.get("ipv6_addresses") or [],
    }
    return {**_renamed(entry, _NIC), **lists}


def _disk(entry: Mapping[str, Any]) -> dict[str, Any]:
    eligibility = entry.get("installation_eligibility") or {}
    shown = {
        **_renamed(entry, _DISK),
        "id": str(entry.get("id", "")),
        "installationEligibility": {
            "eligible": bool(eligibility.get("eligible")),
            "notEligibleReasons": eligibility.get("not_eligible_reasons") or [],
        },
    }
    duration = (entry.get("io_perf") or {}).get("sync_duration")
    return {**shown, "ioPerf": {"syncDurationMilliseconds": int(duration)}} if duration is not None else shown


def validations(verdicts: Mapping[str, Sequence[Any]]) -> dict[str, list[dict[str, str]]]:
    """``status.validationsInfo``."""
    return {category: [verdict.body() for verdict in found] for category, found in verdicts.items() if found}


def _moment(text: str) -> str:
    """A time of the service in the form of Kubernetes: whole seconds."""
    return text.split(".")[0] + "Z"


def _progress(host: Host, cluster: Cluster | None) -> dict[str, Any]:
    """Empty without a stage (updateStatus of openshift/assisted-service
    internal/controller/controllers/agent_controller.go).
    """
    own = host.progress
    if not own.stage:
        return {}
    shown: dict[str, Any] = {"currentStage": own.stage, "installationPercentage": own.percentage}
    if cluster is not None:
        shown["progressStages"] = list(progress.stages(host, cluster))
    if own.info:
        shown["progressInfo"] = own.info
    for name, text in (("stageStartTime", own.started_at), ("stageUpdateTime", own.updated_at)):
        if text != NO_TIME:
            shown[name] = _moment(text)
    return {name: value for name, value in shown.items() if value != []}


def agent_status(
    previous: Mapping[str, Any],
    host: Host,
    cluster: Cluster | None,
    conditions: Sequence[Condition],
    now: str,
    urls: Mapping[str, str],
) -> dict[str, Any]:
    """The whole status. What others put there (csrStatus, deprovision_info) stays."""
    kept = {name: previous[name] for name in ("csrStatus", "deprovision_info") if name in previous}
    shown: dict[str, Any] = {
        **kept,
        "bootstrap": host.bootstrap or None,
        "kind": host.kind,
        "role": host.effective_role,
        "inventory": inventory(host.inventory),
        "progress": _progress(host, cluster),
        "ntpSources": [
            {"sourceName": entry["source_name"], "sourceState": entry["source_state"]}
            for entry in host.ntp_sources or []
        ],
        "validationsInfo": validations(host.verdicts),
        "installation_disk_id": host.installation_disk_id,
        "debugInfo": {"state": host.status, "stateInfo": host.status_info, **urls},
        "conditions": merge(previous.get("conditions"), conditions, now),
    }
    return {name: value for name, value in shown.items() if value not in (None, "", [], {})}


def inventory_labels(source: Mapping[str, Any] | None) -> dict[str, str]:
    """Labels by the inventory; values lose what a label cannot hold, and one that is still none is left out."""
    if not source:
        return {}
    cpu, vendor = source.get("cpu") or {}, source.get("system_vendor") or {}
    disks = source.get("disks") or []
    flags = cpu.get("flags") or []
    values = {
        "storage-hasnonrotationaldisk": str(any(disk.get("drive_type") == "SSD" for disk in disks)).lower(),
        "cpu-architecture": str(cpu.get("architecture") or ""),
        "cpu-virtenabled": str("vmx" in flags or "svm" in flags).lower(),
        "host-manufacturer": str(vendor.get("manufacturer") or ""),
        "host-productname": str(vendor.get("product_name") or ""),
        "host-isvirtual": str(bool(vendor.get("virtual"))).lower(),
    }
    cleaned = {f"{INVENTORY_LABEL}{name}": _BAD_IN_LABELS.sub("", value) for name, value in values.items()}
    return {name: value for name, value in cleaned.items() if len(value) <= 63 and _LABEL_VALUE.match(value)}
