# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Render clusters, hosts and infra-envs as JSON for API responses: empty fields are omitted, and some structured fields
are JSON strings.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from . import networks, progress
from .core import Core
from .model import NO_TIME, Cluster, Host, InfraEnv, Operator
from .scene import Verdict

API = "/api/assisted-install/v2"
# Old forms of the networks: accepted in requests, never shown.
LEGACY = ("cluster_network_cidr", "cluster_network_host_prefix", "service_network_cidr", "machine_network_cidr")


def dump(value: Any) -> str:
    """A structured member as JSON string."""
    return json.dumps(value, separators=(",", ":"))


_connectivity_text = networks.OfReport(dump)
_addresses_text = networks.OfReport(dump)


def _verdicts(found: Mapping[str, Sequence[Verdict]]) -> str:
    return dump({category: [verdict.body() for verdict in verdicts] for category, verdicts in found.items()})


def _filled(members: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in members.items() if value not in (None, "", [], {})}


def progress_view(host: Host) -> dict[str, Any]:
    own = host.progress
    return {
        **_filled(
            {"current_stage": own.stage, "installation_percentage": own.percentage or None, "progress_info": own.info}
        ),
        "stage_started_at": own.started_at,
        "stage_updated_at": own.updated_at,
        **({"stage_timed_out": True} if own.timed_out else {}),
    }


def host_view(core: Core, host: Host, *, inventory: bool = True, connectivity: bool = True) -> dict[str, Any]:
    """Swagger ``host``."""
    cluster = core.cluster_of(host)
    shown = {
        "cluster_id": host.cluster_id,
        "infra_env_id": host.infra_env_id,
        "validations_info": _verdicts(host.verdicts) if host.verdicts else "",
        "logs_info": host.logs_info,
        "connectivity": _connectivity_text(host.id, host.connectivity) if host.connectivity and connectivity else "",
        "api_vip_connectivity": dump(host.api_vip_connectivity) if host.api_vip_connectivity else "",
        "tang_connectivity": dump(host.tang_connectivity) if host.tang_connectivity else "",
        "inventory": dump(host.inventory) if host.inventory and inventory else "",
        "free_addresses": _addresses_text(host.id, host.free_addresses) if host.free_addresses is not None else "",
        "ntp_sources": dump(host.ntp_sources) if host.ntp_sources is not None else "",
        "disks_info": dump(host.disks_info) if host.disks_info else "",
        "images_status": dump(host.images_status) if host.images_status else "",
        "domain_name_resolutions": dump(host.resolutions) if host.resolutions else "",
        "installation_disk_path": host.installation_disk_path,
        "installation_disk_id": host.installation_disk_id,
        "skip_formatting_disks": ",".join(host.skip_formatting),
        "machine_config_pool_name": host.machine_config_pool,
        "node_labels": dump(host.node_labels) if host.node_labels or host.labels_provided else "",
        "fencing_credentials": dump(host.fencing_credentials) if host.fencing_credentials else "",
        "installer_args": dump(host.installer_args) if host.installer_args or host.arguments_provided else "",
        "installer_version": host.installer_version,
        "ignition_config_overrides": host.ignition_overrides,
        "discovery_agent_version": host.agent_version,
        "requested_hostname": host.name,
        "timestamp": host.timestamp or None,
        "media_status": host.media_status,
        "user_name": "admin",
    }
    return {
        "kind": host.kind,
        "id": host.id,
        "href": f"{API}/infra-envs/{host.infra_env_id}/hosts/{host.id}",
        "status": host.status,
        "status_info": host.status_info,
        "status_updated_at": host.status_updated_at,
        "role": host.role,
        "suggested_role": host.suggested_role,
        "checked_in_at": host.checked_in_at,
        "registered_at": host.registered_at,
        "created_at": host.created_at,
        "updated_at": host.updated_at,
        "logs_collected_at": host.logs_collected_at,
        "logs_started_at": host.logs_started_at,
        "progress": progress_view(host),
        # Only a host whose role is fixed has stages; the times beside ``progress`` are never filled.
        "progress_stages": list(progress.stages(host, cluster)) if host.role != "auto-assign" else [],
        "stage_started_at": NO_TIME,
        "stage_updated_at": NO_TIME,
        **({"bootstrap": True} if host.bootstrap else {}),
        **({"ignition_endpoint_token_set": True} if host.ignition_token else {}),
        **_filled(shown),
    }


def operator_view(operator: Operator, cluster_id: str) -> dict[str, Any]:
    """Swagger ``monitored-operator``."""
    return {
        "cluster_id": cluster_id,
        "name": operator.name,
        "operator_type": operator.kind,
        "timeout_seconds": operator.timeout_seconds,
        "status_updated_at": operator.status_updated_at,
        **_filled(
            {
                "namespace": operator.namespace,
                "properties": operator.properties,
                "status": operator.status,
                "status_info": operator.status_info,
                "version": operator.version,
                "dependency_only": operator.dependency_only or None,
                "subscription_name": operator.subscription,
            }
        ),
    }


def _vips(cluster: Cluster, member: str) -> list[dict[str, Any]]:
    known = cluster.vip_verification
    return [
        {"cluster_id": cluster.id, "ip": vip, **({"verification": known[vip]} if vip in known else {})}
        for vip in cluster.vips(member)
    ]


def _networks(cluster: Cluster, entries: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    return [{"cluster_id": cluster.id, **entry} for entry in entries]


def forced_schedulable(hosts: Sequence[Host], cluster: Cluster) -> bool:
    return cluster.single_node or sum(host.effective_role == "worker" for host in hosts) < 2


def _cluster_progress(cluster: Cluster, hosts: Sequence[Host]) -> dict[str, Any]:
    preparing = progress.preparing_percentage(cluster)
    installing = progress.installing_percentage(hosts, cluster) if preparing else 0
    finalizing = 100 if cluster.status == "installed" else progress.finalizing_percentage(cluster)
    grown = cluster.status == "adding-hosts" and not cluster.imported
    return {
        **_filled(
            {
                "total_percentage": progress.total_percentage(
                    preparing, installing, finalizing, "installed" if grown else cluster.status
                )
                or None,
                "preparing_for_installation_stage_percentage": preparing or None,
                "installing_stage_percentage": installing or None,
                "finalizing_stage_percentage": finalizing or None,
                "finalizing_stage": cluster.finalizing_stage,
            }
        ),
        "finalizing_stage_started_at": cluster.finalizing_stage_at,
        **({"finalizing_stage_timed_out": True} if cluster.finalizing_stage_timed_out else {}),
    }


def _feature_usage(cluster: Cluster) -> dict[str, Any]:
    used: dict[str, str] = {}
    if cluster.single_node:
        used["SNO"] = "SNO"
    if cluster.manifests:
        used["Custom manifest"] = "CUSTOM_MANIFEST"
    if cluster.fields.get("tags"):
        used["Cluster Tags"] = "CLUSTER_TAGS"
    if cluster.fields.get("schedulable_masters"):
        used["Schedulable masters"] = "SCHEDULABLE_MASTERS"
    if cluster.fields.get("network_type") == "OVNKubernetes":
        used["OVN network type"] = "OVN_NETWORK_TYPE"
    if any(cluster.fields.get(name) for name in ("http_proxy", "https_proxy")):
        used["Proxy"] = "PROXY"
    found: dict[str, Any] = {name: {"id": identifier, "name": name} for name, identifier in used.items()}
    threads = cluster.fields.get("hyperthreading")
    if threads and threads != "none":
        found["Hyperthreading"] = {
            "data": {"hyperthreading_enabled": threads},
            "id": "HYPERTHREADING",
            "name": "Hyperthreading",
        }
    return found


def majority_groups(core: Core, cluster: Cluster) -> dict[str, Any]:
    """Who reaches the majority, by network and by family, and at which addresses the hosts are reached across
    networks.
    """
    scene = core.scene(cluster)
    groups = {name: sorted(ids) for name, ids in scene.majority_groups.items() if scene.hosts or name == "IPv4"}
    connected = scene.majority_groups["IPv4"]
    reached = {
        host.id: [str(item.ip) for item in networks.host_addresses(host) if item.version == 4]
        for host in scene.hosts
        if host.id in connected
    }
    return {"majority_groups": {"IPv6": [], **groups}, "l3_connected_addresses": reached}


def cluster_view(core: Core, cluster: Cluster, *, hosts: bool = True) -> dict[str, Any]:
    """Swagger ``cluster``; the pull secret is never in it."""
    own = core.state.hosts_of(cluster.id)
    fields = {name: value for name, value in cluster.fields.items() if value not in (None, "", [])}
    for member in ("api_vips", "ingress_vips"):
        fields[member] = _vips(cluster, member)
    for member in ("cluster_networks", "service_networks"):
        fields[member] = _networks(cluster, cluster.fields.get(member) or [])
    fields["machine_networks"] = _networks(cluster, [{"cidr": cidr} for cidr in cluster.machine_networks])
    for name in LEGACY:
        fields.pop(name, None)
    shown = {
        "openshift_cluster_id": cluster.openshift_cluster_id,
        "validations_info": _verdicts(cluster.verdicts) if cluster.verdicts else "",
        "install_config_overrides": cluster.install_config_overrides,
        "feature_usage": dump(_feature_usage(cluster)) if _feature_usage(cluster) or cluster.imported else "",
        "connectivity_majority_groups": dump(majority_groups(core, cluster)) if cluster.verdicts else "",
        "ip_collisions": dump(networks.ip_collisions(own)) if cluster.verdicts else "",
        "monitored_operators": [operator_view(operator, cluster.id) for operator in cluster.operators.values()],
        "ignored_host_validations": dump(cluster.ignored_hosts) if cluster.ignored_hosts else "",
        "ignored_cluster_validations": dump(cluster.ignored_cluster) if cluster.ignored_cluster else "",
        "logs_info": cluster.logs_info,
    }
    prepared = (
        {}
        if cluster.preparation == "not_started"
        else {"status": cluster.preparation, "reason": cluster.preparation_reason}
    )
    return {
        "ignition_endpoint": {},
        "disk_encryption": {},
        "load_balancer": {"type": "cluster-managed"},
        "operator_bundles": [],
        "monitored_operators": [],
        **fields,
        **_filled(shown),
        **(_host_members(core, own) if hosts else {}),
        "kind": cluster.kind,
        "id": cluster.id,
        "href": f"{API}/clusters/{cluster.id}",
        "status": cluster.status,
        "status_info": cluster.status_info,
        "status_updated_at": cluster.status_updated_at,
        **(
            {}
            if cluster.imported or cluster.kind == "DisconnectedCluster"
            else {"schedulable_masters_forced_true": forced_schedulable(own, cluster)}
        ),
        "progress": _cluster_progress(cluster, own),
        **({"pull_secret_set": True} if cluster.pull_secret else {}),
        "image_info": {"created_at": "0001-01-01T00:00:00Z", "expires_at": NO_TIME},
        **({"imported": True} if cluster.imported else {}),
        "created_at": cluster.created_at,
        "updated_at": cluster.updated_at,
        "install_started_at": cluster.install_started_at,
        "install_completed_at": cluster.install_completed_at,
        "controller_logs_collected_at": cluster.controller_logs_collected_at,
        "controller_logs_started_at": cluster.controller_logs_started_at,
        "last-installation-preparation": _filled(prepared),
        **(
            {"org_soft_timeouts_enabled": True}
            if cluster.kind != "DisconnectedCluster" and not cluster.imported
            else {}
        ),
        "user_name": "admin",
        "email_domain": "Unknown",
    }


def _host_members(core: Core, hosts: Sequence[Host]) -> dict[str, Any]:
    """What a cluster says of its hosts where they are read with it; counts that are 0 are left out."""
    counts = {
        "total_host_count": len(hosts),
        "ready_host_count": sum(host.status == "known" for host in hosts),
        "enabled_host_count": sum(host.status != "disabled" for host in hosts),
    }
    return {
        "hosts": [host_view(core, host) for host in hosts],
        "host_networks": [{"cidr": cidr, "host_ids": ids} for cidr, ids in networks.host_networks(hosts).items()],
        **{name: count for name, count in counts.items() if count},
    }


def list_view(core: Core, cluster: Cluster, *, hosts: bool) -> dict[str, Any]:
    """As a cluster is shown among others: counted are its hosts in any case."""
    view = cluster_view(core, cluster)
    view.pop("operator_bundles", None)
    return view if hosts else {name: value for name, value in view.items() if name != "host_networks"} | {"hosts": []}


def image_url(core: Core, infra_env: InfraEnv) -> str:
    """Where the image service has the ISO (the bytes are another program's business)."""
    kind = {"minimal-iso": "minimal.iso", "disconnected-iso": "disconnected.iso"}.get(infra_env.image_type, "full.iso")
    token = core.sign_infra_env(infra_env.id)
    who = f"byapikey/{token}" if token else f"byid/{infra_env.id}"
    return f"{core.settings.image_service_url}/{who}/{os_version(core, infra_env)}/{infra_env.architecture}/{kind}"


def os_version(core: Core, infra_env: InfraEnv) -> str:
    """The ``openshift_version`` of the OS image that the infra-env boots, which is what URLs name."""
    wanted = str(infra_env.fields.get("openshift_version") or "")
    listed = [str(image["openshift_version"]) for image in core.settings.os_images]
    minor = ".".join(wanted.split(".")[:2])
    return (
        wanted
        if wanted in listed
        else next((item for item in reversed(listed) if ".".join(item.split(".")[:2]) == minor), minor)
    )


def infra_env_view(core: Core, infra_env: InfraEnv) -> dict[str, Any]:
    """Swagger ``infra-env``: ``image_type`` is called ``type`` here, two lists are JSON strings."""
    fields = {
        name: value for name, value in infra_env.fields.items() if value not in (None, "", []) and name != "image_type"
    }
    if "kernel_arguments" in fields:
        fields["kernel_arguments"] = dump(fields["kernel_arguments"])
    if infra_env.static_network_config:
        fields["static_network_config"] = dump(infra_env.static_network_config)
    enabled = core.settings.switch("ENABLE_IMAGE_SERVICE", True)
    return {
        **fields,
        "kind": "InfraEnv",
        "id": infra_env.id,
        "href": f"{API}/infra-envs/{infra_env.id}",
        "type": infra_env.image_type,
        "cpu_architecture": infra_env.architecture,
        "proxy": fields.get("proxy") or {},
        **({"cluster_id": infra_env.cluster_id} if infra_env.cluster_id else {}),
        **({"download_url": infra_env.download_url or image_url(core, infra_env)} if enabled else {}),
        "pull_secret_set": bool(infra_env.pull_secret),
        "created_at": infra_env.created_at,
        "updated_at": infra_env.updated_at,
        "expires_at": NO_TIME,
        "user_name": "admin",
        "email_domain": "Unknown",
    }
