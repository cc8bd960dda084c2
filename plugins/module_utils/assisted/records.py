# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Convert documents of an assisted-service to flat records for module results.

Names and states are those of the service, and unknown states are kept unchanged. Secrets are left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ..common.host_names import safe_address, safe_host_name
from .install.narration import read_view, wait_status
from .install.progress import HostProgress, Validation, read_cluster, read_host
from .rest.client import Document, members

Record = dict[str, Any]


def cluster_record(document: Document) -> Record:
    """Return the identity, the status and the progress of a cluster."""
    progress = read_cluster(document)
    hosts = list(members(document.get("hosts")))
    return {
        "id": progress.id,
        "name": progress.name,
        "base_dns_domain": _text(document, "base_dns_domain"),
        "kind": _text(document, "kind"),
        "status": progress.status,
        "status_info": progress.status_info,
        "text": progress.text(),
        "percent": progress.percent,
        "finalizing_stage": progress.finalizing_stage,
        "openshift_version": _text(document, "openshift_version"),
        "openshift_cluster_id": _text(document, "openshift_cluster_id"),
        "cpu_architecture": _text(document, "cpu_architecture"),
        "control_plane_count": document.get("control_plane_count"),
        "api_vips": [_text(item, "ip") for item in members(document.get("api_vips"))],
        "ingress_vips": [_text(item, "ip") for item in members(document.get("ingress_vips"))],
        "machine_networks": [_text(item, "cidr") for item in members(document.get("machine_networks"))],
        "hosts": len(hosts) or int(document.get("total_host_count") or 0),
        "ready_hosts": sum(host.get("status") == "known" for host in hosts)
        or int(document.get("ready_host_count") or 0),
        "last_preparation": dict(document.get("last-installation-preparation") or {}),
        "failing": [each.id for each in progress.validations if each.failed],
    }


def infra_env_record(document: Document) -> Record:
    """What identifies an InfraEnv. Its download URL may hold a token, so it is asked for where it is needed."""
    return {
        "id": _text(document, "id"),
        "name": _text(document, "name"),
        "cluster_id": _text(document, "cluster_id"),
        "image_type": _text(document, "type"),
        "openshift_version": _text(document, "openshift_version"),
        "cpu_architecture": _text(document, "cpu_architecture"),
        "static_network_hosts": len(list(members(document.get("static_network_config")))),
        "updated_at": _text(document, "updated_at"),
    }


def host_record(document: Document, *, inventory: bool = False) -> Record:
    """One host; ``inventory`` adds the whole hardware."""
    host = read_host(document)
    hardware = document.get("inventory") if isinstance(document.get("inventory"), dict) else {}
    vendor = (hardware or {}).get("system_vendor") or {}
    record: Record = {
        "id": host.id,
        "infra_env_id": _text(document, "infra_env_id"),
        "cluster_id": _text(document, "cluster_id"),
        "hostname": safe_host_name(host.name),
        "role": host.role,
        "bootstrap": host.bootstrap,
        "status": host.status,
        "status_info": host.status_info,
        "stage": host.stage,
        "stage_info": host.stage_info,
        "stage_since": host.stage_since,
        "percent": host.percent,
        "macs": list(host.macs),
        "ip_addresses": [address for address in host.addresses if safe_address(address)],
        "serial_number": str(vendor.get("serial_number") or ""),
        "installation_disk_id": _text(document, "installation_disk_id"),
        "installation_disk_path": _text(document, "installation_disk_path"),
        "node_labels": document.get("node_labels") if isinstance(document.get("node_labels"), dict) else {},
        "day_2": _text(document, "kind") == "AddToExistingClusterHost",
        "failing": [each.id for each in host.validations if each.failed],
    }
    return record | ({"inventory": hardware or {}} if inventory else {})


def progress_row(name: str, host: HostProgress | None) -> Record:
    """The progress of one host, for display; ``host`` None: it has not registered."""
    return {
        "name": name,
        "status": host.status if host else "",
        "stage": host.stage if host else "",
        "percent": host.percent if host else 0,
        "since": host.stage_since if host else "",
        "reason": host.status_info if host else "",
    }


def progress_record(document: Document) -> Record:
    """The progress of a cluster and its hosts, in the words of a wait."""
    view = read_view(document)
    hosts = sorted(view.hosts.values(), key=lambda host: (host.name, host.id))
    return {
        "cluster_name": view.cluster.name,
        "id": view.cluster.id,
        "percent": 100 if view.cluster.installed else view.cluster.percent,
        "text": view.cluster.text(),
        "host_summary": wait_status(hosts, judged=not (view.cluster.installing or view.cluster.terminal)),
        "hosts": [progress_row(host.name, host) for host in hosts],
    }


def validation_rows(documents: Iterable[Document], kind: str, *, all_of_them: bool) -> list[Record]:
    """One row for each validation of clusters or hosts; only what is not passed unless ``all_of_them``."""
    rows = []
    for document in documents:
        known = read_cluster(document) if kind == "cluster" else read_host(document)
        chosen = [each for each in known.validations if all_of_them or each.status not in ("success", "disabled")]
        rows += [_row(kind, known.name, known.id, each) for each in chosen]
    return rows


def event_record(document: Document) -> Record:
    """One event, with its properties decoded."""
    names = ("event_time", "severity", "name", "message", "cluster_id", "infra_env_id", "host_id")
    return {name: _text(document, name) for name in names} | {
        "props": document.get("props") if isinstance(document.get("props"), dict) else {}
    }


def _row(kind: str, name: str, identity: str, validation: Validation) -> Record:
    return {
        "object": kind,
        "name": name,
        "object_id": identity,
        "category": validation.category,
        "id": validation.id,
        "status": validation.status,
        "message": validation.message,
    }


def _text(document: Mapping[str, Any], key: str) -> str:
    value = document.get(key)
    return value if isinstance(value, str) else ""
