# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Parse an Agent of the hub into a dataclass. Missing fields become empty, and unknown states are kept unchanged."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ...cluster.host_identity import bmc_addresses
from ...cluster.host_states import QUIET
from ...common.addresses import normal_mac
from ...common.collector import collector_paused
from ...common.host_names import safe_host_name
from ..install.status import FailingValidation, InstallCondition, failing_validations, read_conditions

INFRA_ENV_LABEL = "infraenvs.agent-install.openshift.io"
BMH_LABEL = "agent-install.openshift.io/bmh"
BOUND_NAMESPACE_LABEL = "agent-install.openshift.io/clusterdeployment-namespace"
DAY_2 = "AddToExistingClusterHost"


@dataclasses.dataclass(frozen=True, order=True)
class ClusterRef:
    """A ClusterDeployment by namespace and name."""

    namespace: str
    name: str

    def __str__(self) -> str:
        return f"{self.namespace}/{self.name}"


@dataclasses.dataclass(frozen=True)
class Agent:
    """One Agent. ``macs`` are lower case; ``created`` is the server's time in RFC 3339, which sorts as text; ``raw``
    the object without bulk.
    """

    name: str
    namespace: str
    uid: str
    resource_version: str
    created: str
    macs: tuple[str, ...]
    serial: str
    bmc_addresses: tuple[str, ...]
    raw: Mapping[str, Any] = dataclasses.field(repr=False, compare=False)

    @property
    def key(self) -> tuple[str, str]:
        return self.namespace, self.name

    @property
    def title(self) -> str:
        """How messages name it: the Agent and, where there is one, its hostname."""
        return f"Agent {self.namespace}/{self.name}" + (f" ({self.hostname})" if self.hostname else "")

    @property
    def deleting(self) -> bool:
        return bool(self.raw["metadata"].get("deletionTimestamp"))

    @property
    def labels(self) -> Mapping[str, str]:
        return self.raw["metadata"].get("labels") or {}

    @property
    def spec(self) -> Mapping[str, Any]:
        return self.raw.get("spec") or {}

    @property
    def status(self) -> Mapping[str, Any]:
        return self.raw.get("status") or {}

    @property
    def inventory(self) -> Mapping[str, Any]:
        return _mapping(self.status.get("inventory"))

    @property
    def infra_env(self) -> str:
        return str(self.labels.get(INFRA_ENV_LABEL) or "")

    @property
    def bare_metal_host(self) -> str:
        """The BareMetalHost that manages it, if one does."""
        return str(self.labels.get(BMH_LABEL) or "")

    @property
    def approved(self) -> bool:
        return self.spec.get("approved") is True

    @property
    def hostname(self) -> str:
        """The requested hostname, else the one that the machine reports.

        Empty if a host must not have that name (:mod:`...common.host_names`).
        """
        return safe_host_name(self.reported_hostname)

    @property
    def reported_hostname(self) -> str:
        """The same whatever it is: for comparisons, never for a result."""
        return str(self.spec.get("hostname") or self.inventory.get("hostname") or "")

    @property
    def role(self) -> str:
        """The role asked for; where that is left to the service, the one it suggests; empty if neither is known."""
        wanted = str(self.spec.get("role") or "")
        if wanted and wanted != "auto-assign":
            return wanted
        suggested = str(self.status.get("role") or "")
        return suggested if suggested and suggested != "auto-assign" else wanted

    @property
    def state(self) -> str:
        """The service's state of the host (4.4); empty while the service does not know the host."""
        return str(_mapping(self.status.get("debugInfo")).get("state") or "")

    @property
    def state_info(self) -> str:
        return str(_mapping(self.status.get("debugInfo")).get("stateInfo") or "")

    @property
    def day_2(self) -> bool:
        """Whether it joins a cluster that is installed already."""
        return self.status.get("kind") == DAY_2

    @property
    def cluster(self) -> ClusterRef | None:
        """The ClusterDeployment it is, or is going to be, bound to."""
        reference = _mapping(self.spec.get("clusterDeploymentName"))
        return (
            ClusterRef(str(reference.get("namespace") or ""), str(reference["name"])) if reference.get("name") else None
        )

    @property
    def stage(self) -> str:
        return str(_mapping(self.status.get("progress")).get("currentStage") or "")

    @property
    def percent(self) -> int:
        value = _mapping(self.status.get("progress")).get("installationPercentage")
        return value if isinstance(value, int) else 0

    @property
    def conditions(self) -> dict[str, InstallCondition]:
        return read_conditions(self.status)

    @property
    def connected(self) -> bool:
        """Whether the service hears from the host, as far as is known."""
        return self.conditions.get("Connected", InstallCondition()).status != "False" and not self.state.startswith(
            "disconnected"
        )

    @property
    def quiet(self) -> bool:
        """Whether the service does not hear from the host, so that another Agent may be the same machine."""
        return self.state in QUIET or not self.connected

    @property
    def system_uuid(self) -> str:
        """The host's id in the service, which is what the Agent is called."""
        return self.name.lower()

    @property
    def asked_hostname(self) -> str:
        return str(self.spec.get("hostname") or "")

    @property
    def failing(self) -> tuple[FailingValidation, ...]:
        """Validations that hold the host up, failures first."""
        return failing_validations(self.status)

    @property
    def disks(self) -> Sequence[Mapping[str, Any]]:
        return [disk for disk in self.inventory.get("disks") or () if isinstance(disk, Mapping)]

    def queried(self) -> dict[str, Any]:
        """What a query sees of an Agent."""
        return {
            "name": self.name,
            "namespace": self.namespace,
            "labels": dict(self.labels),
            "annotations": self.raw["metadata"].get("annotations") or {},
            "hostname": self.reported_hostname,
            "role": self.role,
            "state": self.state,
            "approved": self.approved,
            "infra_env_name": self.infra_env,
            "inventory": self.inventory,
            "spec": self.spec,
            "status": self.status,
        }


def read_agent(obj: Mapping[str, Any]) -> Agent:
    """The Agent of a Kubernetes object. Nothing in it but ``metadata.name`` has to be there."""
    raw = without_bulk(obj)
    metadata = raw["metadata"]
    inventory = _mapping(_mapping(raw.get("status")).get("inventory"))
    interfaces = [nic for nic in inventory.get("interfaces") or () if isinstance(nic, Mapping)]
    return Agent(
        name=str(metadata["name"]),
        namespace=str(metadata.get("namespace") or ""),
        uid=str(metadata.get("uid") or ""),
        resource_version=str(metadata.get("resourceVersion") or ""),
        created=str(metadata.get("creationTimestamp") or ""),
        macs=tuple(dict.fromkeys(normal_mac(str(nic["macAddress"])) for nic in interfaces if nic.get("macAddress"))),
        serial=str(_mapping(inventory.get("systemVendor")).get("serialNumber") or "").strip(),
        bmc_addresses=bmc_addresses((inventory.get("bmcAddress"), inventory.get("bmcV6Address"))),
        raw=raw,
    )


@collector_paused()
def read_agents(objects: Iterable[Mapping[str, Any]]) -> list[Agent]:
    """The Agents of a list."""
    return [read_agent(obj) for obj in objects]


def without_bulk(obj: Mapping[str, Any]) -> dict[str, Any]:
    """The object without what is not read here and what is most of its size: managed fields, passed validations, SMART
    data of disks.
    """
    metadata = {key: value for key, value in obj["metadata"].items() if key != "managedFields"}
    status = dict(_mapping(obj.get("status")))
    if isinstance(status.get("validationsInfo"), Mapping):
        status["validationsInfo"] = {
            category: [
                entry
                for entry in entries or ()
                if not isinstance(entry, Mapping) or entry.get("status") not in ("success", "disabled")
            ]
            for category, entries in status["validationsInfo"].items()
        }
    inventory = _mapping(status.get("inventory"))
    if inventory.get("disks"):
        disks = [
            {key: value for key, value in disk.items() if key != "smart"} if isinstance(disk, Mapping) else disk
            for disk in inventory["disks"]
        ]
        status["inventory"] = {**inventory, "disks": disks}
    return {**obj, "metadata": metadata, "status": status}


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}
