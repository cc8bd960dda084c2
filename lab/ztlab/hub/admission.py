# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Validate objects and set their defaults, as the hub's admission webhooks do.

Source: openshift/assisted-service pkg/webhooks/agentinstall/v1beta1, pkg/webhooks/hiveextension/v1beta1;
  for OpenshiftAssistedConfigs: openshift-assisted/cluster-api-provider-openshift-assisted bootstrap/api.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ..kubeapi.errors import ApiError
from ..kubeapi.resource import Object, Resource
from .capi.kinds import BOOTSTRAP
from .names import AGENT, CLUSTER_INSTALL, INFRA_ENV
from .server import Server

INSTALLING = frozenset(
    {
        "preparing-for-installation",
        "preparing-failed",
        "preparing-successful",
        "installing",
        "installing-in-progress",
        "installing-pending-user-action",
    }
)
STARTED = frozenset(
    {"InstallationInProgress", "InstallationCompleted", "InstallationFailed", "ClusterAlreadyInstalling"}
)
FREE_AFTER_START = ("clusterMetadata", "ignitionEndpoint")


def install(server: Server, installed: Callable[[str, str], bool]) -> None:
    """Put the rules into an API server. ``installed(namespace, name)``: whether a ClusterDeployment is."""
    kinds = {(kind.group, kind.plural): kind for kind in (INFRA_ENV, AGENT, CLUSTER_INSTALL)}

    def admit(operation: str, resource: Resource, new: Object | None, old: Object | None, dry_run: bool) -> None:
        kind = kinds.get(resource.key)
        if kind is None or new is None or new["metadata"].get("deletionTimestamp"):
            return
        if kind is INFRA_ENV:
            check_infra_env(new, old, installed)
        elif kind is AGENT and old is not None:
            check_agent(new, old)
        elif kind is CLUSTER_INSTALL:
            check_cluster_install(new, old)

    def mutate(operation: str, resource: Resource, new: Object | None, old: Object | None, dry_run: bool) -> None:
        if (
            kinds.get(resource.key) is CLUSTER_INSTALL
            and new is not None
            and not new["metadata"].get("deletionTimestamp")
        ):
            fill_cluster_install(new)

    server.admission.extend([admit, admit_config])
    server.mutation.append(mutate)


def refuse(code: int, webhook: str, text: str) -> ApiError:
    """The answer of the API server when a webhook denies."""
    reason = {400: "BadRequest", 409: "Conflict"}.get(code, "Forbidden")
    return ApiError(code, reason, f'admission webhook "{webhook}" denied the request: {text}')


def _spec(item: Mapping[str, Any] | None) -> Mapping[str, Any]:
    return (item or {}).get("spec") or {}


# OpenshiftAssistedConfig

CONFIGS = (BOOTSTRAP, "openshiftassistedconfigs")


def admit_config(operation: str, resource: Resource, new: Object | None, old: Object | None, dry_run: bool) -> None:
    """Raises ApiError 400: the spec never changes."""
    if resource.key == CONFIGS and new is not None and old is not None and _spec(new) != _spec(old):
        raise refuse(400, f"{resource.version}.validation.openshiftassistedconfig.{BOOTSTRAP}", "spec is immutable")


# InfraEnv

INFRA_ENV_WEBHOOK = "infraenvvalidators.admission.agentinstall.openshift.io"


def check_infra_env(new: Object, old: Object | None, installed: Callable[[str, str], bool]) -> None:
    """Raises ApiError 400. ``installed(namespace, name)``: whether a ClusterDeployment is installed."""
    spec, before = _spec(new), _spec(old)
    if old is None:
        if spec.get("clusterRef") and spec.get("osImageVersion"):
            raise refuse(
                400,
                INFRA_ENV_WEBHOOK,
                ("Either Spec.ClusterRef or Spec.OSImageVersion should be specified (not both)."),
            )
        return
    if (spec.get("clusterRef") or None) != (before.get("clusterRef") or None):
        raise refuse(
            400, INFRA_ENV_WEBHOOK, ("Attempted to change Spec.ClusterRef which is immutable after InfraEnv creation.")
        )
    if (spec.get("cpuArchitecture") or "x86_64") != (before.get("cpuArchitecture") or "x86_64"):
        raise refuse(
            400,
            INFRA_ENV_WEBHOOK,
            ("Attempted to change Spec.CpuArchitecture which is immutable after InfraEnv creation."),
        )
    reference = spec.get("clusterRef") or {}
    added = reference and spec.get("osImageVersion") and spec.get("osImageVersion") != before.get("osImageVersion")
    if added and not installed(reference.get("namespace", ""), reference.get("name", "")):
        text = (
            "spec.OSImageVersion is not valid. It can't be added alongside with a clusterRef when the cluster is not "
            "installed yet."
        )
        raise refuse(400, INFRA_ENV_WEBHOOK, text)


# Agent

AGENT_WEBHOOK = "agentvalidators.admission.agentinstall.openshift.io"


def check_agent(new: Object, old: Object) -> None:
    """Raises ApiError 400; for updates only, as the webhook is registered."""
    spec, before, status = _spec(new), _spec(old), old.get("status") or {}
    if spec.get("installation_disk_id") and spec.get("installation_disk_path"):
        raise refuse(400, AGENT_WEBHOOK, "Either InstallationDiskID or InstallationDiskPath can be set, not both.")
    wanted, present = spec.get("clusterDeploymentName") or None, before.get("clusterDeploymentName") or None
    if wanted == present or (status.get("debugInfo") or {}).get("state") not in INSTALLING:
        return
    if wanted is None and status.get("kind") == "AddToExistingClusterHost":
        return
    raise refuse(
        400,
        AGENT_WEBHOOK,
        ("Attempted to change Spec.ClusterDeploymentName which is immutable during Agent installation."),
    )


# AgentClusterInstall

CLUSTER_WEBHOOK = "agentclusterinstallvalidators.admission.agentinstall.openshift.io"


def single_node(spec: Mapping[str, Any]) -> bool:
    wanted = spec.get("provisionRequirements") or {}
    return wanted.get("controlPlaneAgents") == 1 and not wanted.get("workerAgents")


def fill_cluster_install(new: Object) -> None:
    """The mutating webhook: userManagedNetworking where the user says nothing."""
    spec = new.get("spec")
    if (
        not isinstance(spec, dict)
        or not isinstance(spec.get("networking"), dict)
        or spec["networking"].get("userManagedNetworking") is not None
    ):
        return
    platform = spec.get("platformType") or ""
    managed = platform in ("None", "External") or (platform == "" and single_node(spec))
    spec["networking"]["userManagedNetworking"] = managed


def check_cluster_install(new: Object, old: Object | None) -> None:
    """Raises ApiError 400, 409."""
    spec, before = _spec(new), _spec(old)
    managed, platform = (spec.get("networking") or {}).get("userManagedNetworking"), spec.get("platformType") or ""
    if single_node(spec) and managed is False:
        raise refuse(409, CLUSTER_WEBHOOK, "UserManagedNetworking must be set to true with SNO")
    if platform == "BareMetal" and single_node(spec):
        raise refuse(409, CLUSTER_WEBHOOK, "Can't set baremetal platform on single node OpenShift")
    if platform == "BareMetal" and managed:
        raise refuse(409, CLUSTER_WEBHOOK, "Can't set baremetal platform with user-managed-networking enabled")
    if platform == "None" and managed is False:
        raise refuse(409, CLUSTER_WEBHOOK, "Can't set none platform with user-managed-networking disabled")
    if old is None:
        return
    if before.get("imageSetRef") and spec.get("imageSetRef") != before.get("imageSetRef"):
        raise refuse(400, CLUSTER_WEBHOOK, "Attempted to change AgentClusterInstall.ImageSetRef which is immutable")
    _check_started(spec, before, old)


def _check_started(spec: Mapping[str, Any], before: Mapping[str, Any], old: Object) -> None:
    conditions = (old.get("status") or {}).get("conditions") or []
    reason = next((entry.get("reason") for entry in conditions if entry.get("type") == "Completed"), "")
    if reason not in STARTED:
        return
    free = [
        *FREE_AFTER_START,
        *(["provisionRequirements"] if reason in ("InstallationCompleted", "InstallationFailed") else []),
    ]
    changed = sorted(name for name in {*spec, *before} - set(free) if spec.get(name) != before.get(name))
    if changed:
        fields = ",".join(name[0].upper() + name[1:] for name in free)
        text = (
            "Attempted to change AgentClusterInstall.Spec which is immutable after install started, except for "
            f"{fields} fields. "
            f"Unsupported change: {', '.join(changed)}"
        )
        raise refuse(400, CLUSTER_WEBHOOK, text)
