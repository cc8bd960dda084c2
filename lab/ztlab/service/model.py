# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Define the dataclasses of the assisted-service's state: clusters, infra-envs, hosts. Other
modules contain the rules.
"""

from __future__ import annotations

import dataclasses
from typing import Any

BEFORE_INSTALL = frozenset({"discovering", "insufficient", "known", "pending-for-input", "disconnected"})
UNBOUND = frozenset(
    {"known-unbound", "disconnected-unbound", "insufficient-unbound", "disabled-unbound", "discovering-unbound"}
)
INSTALLING = frozenset({"installing", "installing-in-progress", "installing-pending-user-action"})
PREPARING = frozenset({"preparing-for-installation", "preparing-successful", "preparing-failed"})
NO_TIME = "0001-01-01T00:00:00.000Z"


@dataclasses.dataclass
class Progress:
    """Installation progress of a host. ``since`` / ``touched`` are lab seconds of the stage's start and last report."""

    stage: str = ""
    info: str = ""
    percentage: int = 0
    started_at: str = NO_TIME
    updated_at: str = NO_TIME
    since: float = 0.0
    touched: float = 0.0
    timed_out: bool = False


@dataclasses.dataclass
class Host:
    """A registered host. The JSON-in-string members of the API are kept decoded; times ending in ``_at`` are RFC 3339
    text.
    """

    id: str
    infra_env_id: str
    cluster_id: str = ""
    kind: str = "Host"
    status: str = "discovering"
    status_info: str = ""
    status_updated_at: str = NO_TIME
    status_since: float = 0.0
    role: str = "auto-assign"
    suggested_role: str = "auto-assign"
    bootstrap: bool = False
    progress: Progress = dataclasses.field(default_factory=Progress)
    inventory: dict[str, Any] | None = None
    connectivity: dict[str, Any] | None = None
    ntp_sources: list[dict[str, Any]] | None = None
    disks_info: dict[str, dict[str, Any]] = dataclasses.field(default_factory=dict)
    images_status: dict[str, dict[str, Any]] = dataclasses.field(default_factory=dict)
    resolutions: dict[str, Any] | None = None
    free_addresses: list[dict[str, Any]] | None = None
    api_vip_connectivity: dict[str, Any] | None = None
    tang_connectivity: dict[str, Any] | None = None
    requested_hostname: str = ""
    installation_disk_id: str = ""
    installation_disk_path: str = ""
    disk_chosen_by_user: bool = False
    skip_formatting: tuple[str, ...] = ()
    machine_config_pool: str = ""
    node_labels: dict[str, str] = dataclasses.field(default_factory=dict)
    ignition_token: str = ""
    ignition_headers: dict[str, str] = dataclasses.field(default_factory=dict)
    fencing_credentials: dict[str, Any] | None = None
    installer_args: list[str] = dataclasses.field(default_factory=list)
    ignition_overrides: str = ""
    # "" until the medium was lost once
    media_status: str = ""
    installer_version: str = ""
    labels_provided: bool = False
    arguments_provided: bool = False
    agent_version: str = ""
    timestamp: int = 0
    clock_offset: float = 0.0
    checked_in: float = 0.0
    checked_in_at: str = NO_TIME
    registered_at: str = NO_TIME
    created_at: str = NO_TIME
    updated_at: str = NO_TIME
    logs_info: str = ""
    logs_collected_at: str = NO_TIME
    logs_started_at: str = NO_TIME
    logs: bytes = b""
    install_step_failed: str = ""
    # What a service with a Kubernetes API knows beyond the REST API; the namespace of its Agent, "" as long as that is
    # its InfraEnv's.
    kube_namespace: str = ""
    approved: bool = False
    verdicts: dict[str, list[Any]] = dataclasses.field(default_factory=dict)

    @property
    def effective_role(self) -> str:
        """The role that requirements go by: the fixed one, else the suggested one."""
        return self.suggested_role if self.role == "auto-assign" else self.role

    @property
    def name(self) -> str:
        """What users know the host by: requested name, hostname of the inventory, id."""
        return self.requested_hostname or (self.inventory or {}).get("hostname", "") or self.id

    @property
    def day2(self) -> bool:
        return self.kind == "AddToExistingClusterHost"

    def forget_discovery(self) -> None:
        """What a freshly started agent makes worthless (openshift/assisted-service internal/host/statemachine.go)."""
        self.inventory = None
        self.connectivity = None
        self.ntp_sources = None
        self.resolutions = None
        self.free_addresses = None
        self.disks_info = {}
        self.images_status = {}
        self.progress = Progress()
        self.install_step_failed = ""
        self.bootstrap = False
        if not self.disk_chosen_by_user:
            self.installation_disk_id = self.installation_disk_path = ""


@dataclasses.dataclass
class Operator:
    """A monitored operator of a cluster."""

    name: str
    kind: str = "builtin"
    timeout_seconds: int = 3600
    namespace: str = ""
    subscription: str = ""
    properties: str = ""
    dependency_only: bool = False
    status: str = ""
    status_info: str = ""
    version: str = ""
    status_updated_at: str = NO_TIME


@dataclasses.dataclass
class Manifest:
    folder: str
    file_name: str
    content: bytes
    source: str = "user"


@dataclasses.dataclass
class Cluster:
    """``fields`` are the members that come in by create or PATCH and go out unchanged; the rest is what rules work
    with.
    """

    id: str
    fields: dict[str, Any]
    kind: str = "Cluster"
    status: str = "insufficient"
    status_info: str = ""
    status_updated_at: str = NO_TIME
    status_since: float = 0.0
    pull_secret: str = ""
    platform_provided: bool = False
    machine_networks_provided: bool = False
    machine_networks: list[str] = dataclasses.field(default_factory=list)
    vip_verification: dict[str, str] = dataclasses.field(default_factory=dict)
    install_config_overrides: str = ""
    created_at: str = NO_TIME
    updated_at: str = NO_TIME
    install_started_at: str = NO_TIME
    install_completed_at: str = NO_TIME
    install_started: float = 0.0
    openshift_cluster_id: str = ""
    imported: bool = False
    operators: dict[str, Operator] = dataclasses.field(default_factory=dict)
    manifests: dict[tuple[str, str], Manifest] = dataclasses.field(default_factory=dict)
    preparation: str = "not_started"
    preparation_reason: str = ""
    finalizing_stage: str = ""
    finalizing_stage_at: str = NO_TIME
    finalizing_stage_since: float = 0.0
    finalizing_stage_timed_out: bool = False
    ingress_ca: str = ""
    kubeadmin_password: str = ""
    ignored_hosts: list[str] = dataclasses.field(default_factory=list)
    ignored_cluster: list[str] = dataclasses.field(default_factory=list)
    # What was said of them, by ``host`` and ``cluster``.
    ignored_texts: dict[str, str] = dataclasses.field(default_factory=dict)
    ui_settings: str = ""
    logs_info: str = ""
    controller_logs: bytes = b""
    controller_logs_collected_at: str = NO_TIME
    controller_logs_started_at: str = NO_TIME
    kube_key: tuple[str, str] = ("", "")
    verdicts: dict[str, list[Any]] = dataclasses.field(default_factory=dict)

    @property
    def name(self) -> str:
        return str(self.fields.get("name", ""))

    @property
    def domain(self) -> str:
        """``<name>.<base domain>``."""
        return f"{self.name}.{self.fields.get('base_dns_domain', '')}"

    @property
    def version(self) -> str:
        return str(self.fields.get("openshift_version", ""))

    @property
    def control_plane_count(self) -> int:
        return int(self.fields.get("control_plane_count", 3))

    @property
    def single_node(self) -> bool:
        return self.control_plane_count == 1

    @property
    def day2(self) -> bool:
        return self.kind == "AddHostsCluster"

    @property
    def user_managed_networking(self) -> bool:
        return bool(self.fields.get("user_managed_networking"))

    @property
    def user_managed_load_balancer(self) -> bool:
        return bool((self.fields.get("load_balancer") or {}).get("type") == "user-managed")

    def vips(self, name: str) -> list[str]:
        """Addresses of ``api_vips`` or ``ingress_vips``."""
        return [entry["ip"] for entry in self.fields.get(name) or [] if entry.get("ip")]


@dataclasses.dataclass
class InfraEnv:
    """``fields``: members that come in by create or PATCH and go out unchanged."""

    id: str
    fields: dict[str, Any]
    pull_secret: str = ""
    cluster_id: str = ""
    static_network_config: list[dict[str, Any]] = dataclasses.field(default_factory=list)
    created_at: str = NO_TIME
    updated_at: str = NO_TIME
    download_url: str = ""
    # What a service with a Kubernetes API knows beyond the REST API: (namespace, name), mirror configuration by file
    # name, Ignition merged before the user's.
    kube_key: tuple[str, str] = ("", "")
    mirror: dict[str, str] = dataclasses.field(default_factory=dict)
    internal_override: str = ""

    @property
    def image_type(self) -> str:
        return str(self.fields.get("image_type") or "full-iso")

    @property
    def architecture(self) -> str:
        return str(self.fields.get("cpu_architecture") or "x86_64")


@dataclasses.dataclass
class State:
    """Everything, in order of creation."""

    clusters: dict[str, Cluster] = dataclasses.field(default_factory=dict)
    infra_envs: dict[str, InfraEnv] = dataclasses.field(default_factory=dict)
    hosts: dict[tuple[str, str], Host] = dataclasses.field(default_factory=dict)

    def hosts_of(self, cluster_id: str) -> list[Host]:
        return [host for host in self.hosts.values() if cluster_id and host.cluster_id == cluster_id]

    def hosts_in(self, infra_env_id: str) -> list[Host]:
        return [host for (infra_env, _), host in self.hosts.items() if infra_env == infra_env_id]
