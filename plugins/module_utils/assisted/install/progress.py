# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Read the progress of a cluster and its hosts from documents of an assisted-service. Pure.

States, stages and texts are those of the service. Values that this release of the collection does not know are kept
unchanged.

Source: openshift/assisted-service internal/host/statemachine.go, internal/cluster/statemachine.go.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ...common.addresses import normal_mac
from ..rest.client import members

# Texts for users; for other states the service's own text is printed.
# Source: openshift/installer pkg/agent/cluster.go, pkg/agent/waitfor.go.
CLUSTER_TEXTS = {
    "adding-hosts": "Cluster is adding hosts",
    "insufficient": "Cluster is not ready for install. Check validations",
    "pending-for-input": "User input is required to continue cluster installation",
    "ready": "Cluster is ready for install",
    "preparing-for-installation": "Preparing cluster for installation",
    "installing": "Cluster installation in progress",
    "finalizing": "Finalizing cluster installation",
    "installing-pending-user-action": "Cluster has hosts requiring user input",
    "installed": "Cluster is installed",
    "error": "Cluster has hosts in error",
    "cancelled": "Cluster installation cancelled",
}
CLUSTER_TERMINAL = frozenset({"error", "cancelled"})
CLUSTER_INSTALLING = frozenset({"installing", "finalizing", "installing-pending-user-action", "installed"})
# The control plane runs by itself.
CLUSTER_BOOTSTRAPPED = frozenset({"finalizing", "installed", "adding-hosts"})
CLUSTER_INSTALLED = frozenset({"installed", "adding-hosts"})
HOST_TERMINAL = frozenset({"error", "cancelled"})
# Powering such a host off would destroy an installation (docs/reference/safety.md#the-table, row 7).
HOST_JOINED = frozenset({"installed", "added-to-existing-cluster"})
HOST_GONE = frozenset({"disconnected", "disconnected-unbound"})
PENDING_USER_ACTION = "installing-pending-user-action"
REBOOTING = "Rebooting"
# From Rebooting on the host runs from its disk and the medium may go.
# Source: docs/upstream/redfish.md#when-a-medium-may-be-ejected.
STAGES_FROM_DISK = frozenset({REBOOTING, "Waiting for ignition", "Configuring", "Joined", "Done"})
NO_TIME = "0001-01-01"


@dataclasses.dataclass(frozen=True)
class Validation:
    """One check of the service. ``status``: success, failure, pending, error, disabled."""

    category: str
    id: str
    status: str
    message: str

    @property
    def failed(self) -> bool:
        return self.status in ("failure", "error")


@dataclasses.dataclass(frozen=True)
class HostProgress:
    """One host as the service sees it.

    ``percent`` is the service's own 0 to 100; ``macs`` are empty until the host sent its inventory.
    """

    id: str
    name: str
    status: str
    status_info: str = ""
    role: str = ""
    bootstrap: bool = False
    macs: tuple[str, ...] = ()
    addresses: tuple[str, ...] = ()
    stage: str = ""
    stage_info: str = ""
    stage_since: str = ""
    percent: int = 0
    validations: tuple[Validation, ...] = ()

    @property
    def joined(self) -> bool:
        return self.status.startswith("installing") or self.status in HOST_JOINED

    @property
    def terminal(self) -> bool:
        return self.status in HOST_TERMINAL

    @property
    def gone(self) -> bool:
        """Registered, but the agent has stopped calling before the installation began."""
        return self.status in HOST_GONE

    @property
    def needs_discovery_boot(self) -> bool:
        """Only a boot into the live system brings it further."""
        return self.gone or self.status.startswith("resetting")

    @property
    def runs_from_disk(self) -> bool:
        """It has left the live system. A host that waits for a user is in the live system again."""
        return self.status in HOST_JOINED or (self.stage in STAGES_FROM_DISK and self.status != PENDING_USER_ACTION)

    @property
    def ready(self) -> bool:
        return self.status == "known"

    def describe(self) -> str:
        """Status and stage as one short text: ``installing-in-progress, Writing image to disk``."""
        return f"{self.status}, {self.stage}" if self.stage and self.joined else self.status


@dataclasses.dataclass(frozen=True)
class ClusterProgress:
    """The cluster as the service sees it."""

    id: str
    name: str
    status: str
    status_info: str = ""
    percent: int = 0
    finalizing_stage: str = ""
    validations: tuple[Validation, ...] = ()

    @property
    def terminal(self) -> bool:
        return self.status in CLUSTER_TERMINAL

    @property
    def installing(self) -> bool:
        """The installation has begun: no further host can take part."""
        return self.status in CLUSTER_INSTALLING

    @property
    def installed(self) -> bool:
        return self.status in CLUSTER_INSTALLED

    def text(self) -> str:
        return CLUSTER_TEXTS.get(self.status) or self.status_info or f"Cluster is {self.status}"


def read_cluster(document: Mapping[str, Any]) -> ClusterProgress:
    """The model of a cluster document (JSON strings decoded or not yet there)."""
    progress = _mapping(document.get("progress"))
    return ClusterProgress(
        id=_text(document, "id"),
        name=_text(document, "name"),
        status=_text(document, "status"),
        status_info=_text(document, "status_info"),
        percent=_percent(progress.get("total_percentage")),
        finalizing_stage=_text(progress, "finalizing_stage"),
        validations=read_validations(document.get("validations_info")),
    )


def read_host(document: Mapping[str, Any]) -> HostProgress:
    """The model of a host document."""
    progress = _mapping(document.get("progress"))
    inventory = _mapping(document.get("inventory"))
    interfaces = list(members(inventory.get("interfaces")))
    role = _text(document, "role")
    identity = _text(document, "id")
    return HostProgress(
        id=identity,
        name=_text(document, "requested_hostname") or _text(inventory, "hostname") or identity,
        status=_text(document, "status"),
        status_info=_text(document, "status_info"),
        role=_text(document, "suggested_role") if role in ("", "auto-assign") else role,
        bootstrap=bool(document.get("bootstrap")),
        macs=tuple(normal_mac(mac) for mac in (_text(interface, "mac_address") for interface in interfaces) if mac),
        addresses=tuple(address for interface in interfaces for address in _addresses(interface)),
        stage=_text(progress, "current_stage"),
        stage_info=_text(progress, "progress_info"),
        stage_since=_time(_text(progress, "stage_started_at") or _text(document, "stage_started_at")),
        percent=_percent(progress.get("installation_percentage")),
        validations=read_validations(document.get("validations_info")),
    )


def read_validations(document: Any) -> tuple[Validation, ...]:
    """Validations in the service's order; nothing for a document that holds none."""
    return tuple(
        Validation(str(category), _text(item, "id"), _text(item, "status"), _text(item, "message"))
        for category, items in _mapping(document).items()
        for item in members(items)
    )


def validation_changes(before: Sequence[Validation], after: Sequence[Validation]) -> list[Validation]:
    """Those of ``after`` worth a line: new failures, changed words of a failure, and failures that are over."""
    known = {validation.id: validation for validation in before}

    def news(validation: Validation) -> bool:
        old = known.get(validation.id)
        if validation.failed:
            return old is None or not old.failed or old.message != validation.message
        return old is not None and old.failed and validation.status == "success"

    return [validation for validation in after if news(validation)]


def failing(validations: Iterable[Validation]) -> list[Validation]:
    return [validation for validation in validations if validation.failed]


def _addresses(interface: Mapping[str, Any]) -> list[str]:
    found = [*(interface.get("ipv4_addresses") or []), *(interface.get("ipv6_addresses") or [])]
    return [str(address).split("/", maxsplit=1)[0] for address in found]


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _text(document: Mapping[str, Any], key: str) -> str:
    value = document.get(key)
    return value if isinstance(value, str) else ""


def _time(text: str) -> str:
    return "" if text.startswith(NO_TIME) else text


def _percent(value: Any) -> int:
    return max(0, min(100, int(value))) if isinstance(value, (int, float)) else 0
