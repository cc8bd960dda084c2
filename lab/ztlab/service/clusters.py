# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Handle requests for /v2/clusters: create, read, update and delete clusters, run their actions, and change their
settings.
"""

from __future__ import annotations

import asyncio
import ipaddress
import json
import uuid
from collections.abc import Mapping
from typing import Any

from . import (
    cluster_params,
    go,
    install_config,
    machine_cluster,
    machine_host,
    networks,
    validations_cluster,
    validations_host,
)
from .catalogue import SUPPORTED_OPERATORS
from .core import Core
from .errors import ServiceError, bad_request, conflict, not_found
from .model import Cluster, Host, Operator
from .pull_secret import check_pull_secret
from .router import Call, Reply
from .schema import read_query_flag
from .views import cluster_view, host_view, list_view, operator_view

LVM: dict[str, Any] = {"namespace": "openshift-storage", "subscription": "lvms-operator", "timeout_seconds": 1800}
FINALIZING = ("installing", "finalizing", "installing-pending-user-action")
EDITABLE = ("insufficient", "ready", "pending-for-input", "adding-hosts")
FORBIDDEN_MACHINE_NETWORK = (
    "Setting the Machine Network CIDR is forbidden when the cluster is neither in VIP DHCP allocation mode nor using "
    "a user-managed load balancer"
)


def create(core: Core, call: Call) -> Reply:
    params = call.body
    fields = cluster_params.create_fields(params, core.settings)
    check_pull_secret(
        params["pull_secret"], core.settings, (fields["ocp_release_image"], core.settings.agent_image), of_new="cluster"
    )
    moment = core.timestamp()
    cluster = Cluster(
        id=str(uuid.uuid4()),
        fields=fields,
        pull_secret=params["pull_secret"],
        created_at=moment,
        updated_at=moment,
        status_updated_at=moment,
        status_since=core.now(),
        status_info="Cluster is not ready for install",
        machine_networks=[
            entry["cidr"] for entry in cluster_params.normalise_lists(dict(params)).get("machine_networks") or []
        ],
        machine_networks_provided=bool(params.get("machine_networks")),
        operators=monitored_operators(params.get("olm_operators") or [], core),
    )
    core.state.clusters[cluster.id] = cluster
    core.event("cluster_registration_succeeded", "Successfully registered cluster", cluster=cluster)
    return Reply(201, cluster_view(core, cluster))


def monitored_operators(olm: list[Mapping[str, Any]], core: Core) -> dict[str, Operator]:
    found = {"console": Operator("console")}
    if core.settings.switch("CHECK_CLUSTER_VERSION", False):
        found["cvo"] = Operator("cvo")
    for entry in olm:
        name = entry.get("name", "")
        if name not in SUPPORTED_OPERATORS:
            raise bad_request(f"operator {name} isn't supported")
        known = LVM if name == "lvm" else {"namespace": f"openshift-{name}"}
        found[name] = Operator(name, kind="olm", properties=entry.get("properties") or "", **known)
    return found


def list_all(core: Core, call: Call) -> Reply:
    with_hosts = read_query_flag(call.query, "with_hosts")
    wanted = call.query.get("openshift_cluster_id")
    chosen = [
        cluster for cluster in core.state.clusters.values() if not wanted or cluster.openshift_cluster_id == wanted
    ]
    return Reply(200, [list_view(core, cluster, hosts=with_hosts) for cluster in chosen])


def get(core: Core, call: Call) -> Reply:
    cluster = core.cluster(call.path["cluster_id"])
    return Reply(200, cluster_view(core, cluster, hosts=not read_query_flag(call.query, "exclude-hosts")))


def update(core: Core, call: Call) -> Reply:
    """Parameters are checked before the status, so a bad body in a wrong state gives 400."""
    cluster, params = found(core, call), call.body
    home = list(params.get("machine_networks") or []) or [{"cidr": cidr} for cidr in cluster.machine_networks]
    if params.get("user_managed_networking") and cluster.vips("api_vips") and params.get("api_vips") is None:
        raise bad_request("User Managed Networking cannot be set with API VIPs")
    fields = cluster_params.update_fields({**cluster.fields, "machine_networks": home}, params, core.settings)
    fields.pop("machine_networks", None)
    if params.get("api_vip_dns_name") and not cluster.day2:
        raise bad_request(f"Can't update api vip to {params['api_vip_dns_name']} for day1 cluster {cluster.id}")
    secret = params.get("pull_secret")
    if secret is not None:
        check_pull_secret(secret, core.settings, (fields.get("ocp_release_image", ""),))
    operators = monitored_operators(params["olm_operators"], core) if params.get("olm_operators") is not None else None
    if cluster.status not in EDITABLE:
        raise conflict(
            f"Cluster {cluster.id} is in {cluster.status} state, cluster can be updated only in one of "
            f"{go.words(EDITABLE)}"
        )
    _update_machine_networks(core, cluster, fields, params)
    for vip in set(cluster.vip_verification) - {
        entry.get("ip") for name in ("api_vips", "ingress_vips") for entry in fields.get(name) or []
    }:
        del cluster.vip_verification[vip]
    cluster.fields = fields
    if secret is not None:
        cluster.pull_secret = secret
    if operators is not None:
        cluster.operators = operators
    core.touch(cluster)
    refresh_all(core, cluster)
    return Reply(201, cluster_view(core, cluster))


def _update_machine_networks(
    core: Core, cluster: Cluster, fields: Mapping[str, Any], params: Mapping[str, Any]
) -> None:
    said = params.get("machine_networks")
    balancer = (fields.get("load_balancer") or {}).get("type") == "user-managed"
    vips_changed = any(params.get(name) is not None for name in ("api_vips", "ingress_vips"))
    managed = not (
        fields.get("vip_dhcp_allocation") or balancer or fields.get("user_managed_networking") or cluster.day2
    )
    if not said:
        # New VIPs lead to a network of their own; the pair of a dual-stack cluster stays, and so does what a load
        # balancer of the user needs.
        if vips_changed and managed and len(cluster.machine_networks) < 2:
            _follow_vips(core, cluster, fields)
        if said is None:
            return
    wanted = [entry["cidr"] for entry in cluster_params.normalise_lists({"machine_networks": said})["machine_networks"]]
    if managed and len(wanted) == 1:
        raise bad_request(FORBIDDEN_MACHINE_NETWORK)
    cluster.machine_networks, cluster.machine_networks_provided = wanted, bool(wanted)


def _follow_vips(core: Core, cluster: Cluster, fields: Mapping[str, Any]) -> None:
    """VIPs that are said have to lie in a network of a host that is known already; it becomes the machine network.

    Raises ServiceError 400.
    """
    vips = [entry["ip"] for name in ("api_vips", "ingress_vips") for entry in fields.get(name) or [] if entry.get("ip")]
    own = [address.network for host in core.state.hosts_of(cluster.id) for address in networks.host_addresses(host)]
    for vip in vips:
        if not any(ipaddress.ip_address(vip) in network for network in own):
            raise bad_request(f"Calculate machine network CIDR: No suitable matching CIDR found for VIP {vip}")
    cluster.machine_networks_provided = False


def found(core: Core, call: Call) -> Cluster:
    """The cluster of an operation that changes it; its refusal says more than that of reading."""
    try:
        return core.cluster(call.path["cluster_id"])
    except ServiceError as error:
        raise not_found(f"Failed to get cluster {call.path['cluster_id']}: record not found") from error


def refresh_all(core: Core, cluster: Cluster) -> None:
    """What the monitors would do next, at once."""
    if cluster.status in machine_cluster.BEFORE:
        machine_cluster.derive_machine_networks(core, cluster)
    for host in core.state.hosts_of(cluster.id):
        machine_host.refresh(core, host)
    machine_cluster.refresh(core, cluster)


def delete(core: Core, call: Call) -> Reply:
    cluster = found(core, call)
    if cluster.status in ("installing", "preparing-for-installation", "finalizing"):
        raise conflict(
            f"cluster {cluster.id} can not be removed while being installed, wait for the installation to timeout "
            "or "
            "reset the installation"
        )
    for key in [key for key, host in core.state.hosts.items() if host.cluster_id == cluster.id]:
        del core.state.hosts[key]
    for infra_env in core.state.infra_envs.values():
        if infra_env.cluster_id == cluster.id:
            infra_env.cluster_id = ""
    del core.state.clusters[cluster.id]
    core.event("cluster_deregistered", f"Deregistered cluster: {cluster.id}", cluster=cluster)
    return Reply(204)


def list_hosts(core: Core, call: Call) -> Reply:
    cluster_id = call.path["cluster_id"]
    role, status = call.query.get("role"), call.query.get("status")
    inventory, connectivity = (
        read_query_flag(call.query, "with-inventory"),
        read_query_flag(call.query, "with-connectivity"),
    )

    def wanted(host: Host) -> bool:
        return (not role or host.role == role) and (not status or host.status == status)

    # No cluster, no hosts: that is no error here. Names are only those that were asked for, and the stages are left
    # out.
    views = []
    for host in filter(wanted, core.state.hosts_of(cluster_id)):
        view = host_view(core, host, inventory=inventory, connectivity=connectivity)
        view.pop("progress_stages")
        if not host.requested_hostname:
            view.pop("requested_hostname")
        views.append(view)
    return Reply(200, views)


# actions


def install(core: Core, call: Call) -> Reply:
    cluster = found(core, call)
    if cluster.status in machine_cluster.BEFORE:
        machine_cluster.judge(core, cluster)
    machine_cluster.install(core, cluster)
    task = asyncio.get_running_loop().create_task(machine_cluster.prepare(core, cluster))
    core.background.add(task)
    task.add_done_callback(core.background.discard)
    return Reply(202, cluster_view(core, cluster))


def cancel(core: Core, call: Call) -> Reply:
    cluster = found(core, call)
    before = cluster.status_info
    machine_cluster.cancel(core, cluster)
    return Reply(202, cluster_view(core, cluster) | {"status_info": before})


def reset(core: Core, call: Call) -> Reply:
    cluster = found(core, call)
    before = cluster.status_info
    machine_cluster.reset(core, cluster)
    # The text of the status is that of before; a reader sees the new one afterwards.
    return Reply(202, cluster_view(core, cluster) | {"status_info": before})


def allow_add_hosts(core: Core, call: Call) -> Reply:
    cluster = core.cluster(call.path["cluster_id"])
    if cluster.kind != "Cluster" or cluster.status != "installed":
        raise bad_request(
            f"cannot transform cluster {cluster.id} to day2. Expected cluster status: installed, but cluster "
            "status "
            f"is: {cluster.status}"
        )
    cluster.kind = "AddHostsCluster"
    cluster.fields["api_vip_dns_name"] = f"api.{cluster.domain}"
    before = cluster.status_info
    core.set_cluster_status(cluster, "adding-hosts", "cluster is adding hosts to existing OCP cluster")
    return Reply(202, cluster_view(core, cluster) | {"status_info": before})


def complete_installation(core: Core, call: Call) -> Reply:
    """Deprecated upstream and without effect."""
    return Reply(202, cluster_view(core, core.cluster(call.path["cluster_id"])))


# other ways in


def import_cluster(core: Core, call: Call) -> Reply:
    params = call.body
    name, domain = params["name"], ""
    parts = params["api_vip_dnsname"].split(".")
    if len(parts) > 3 and parts[0] == "api":
        name, domain = parts[1], ".".join(parts[2:])
    moment = core.timestamp()
    cluster = Cluster(
        id=str(uuid.uuid4()),
        fields={
            "name": name,
            "base_dns_domain": domain,
            "api_vip_dns_name": params["api_vip_dnsname"],
            "openshift_version": params.get("openshift_version") or "",
            "platform": {"type": "baremetal", "external": {}},
        },
        kind="AddHostsCluster",
        status="adding-hosts",
        status_info="cluster is adding hosts to existing OCP cluster",
        openshift_cluster_id=params["openshift_cluster_id"],
        imported=True,
        created_at=moment,
        updated_at=moment,
        status_updated_at=moment,
        status_since=core.now(),
    )
    core.state.clusters[cluster.id] = cluster
    core.event("cluster_registration_succeeded", "Successfully registered cluster", cluster=cluster)
    return _made_elsewhere(core, cluster)


def _made_elsewhere(core: Core, cluster: Cluster) -> Reply:
    """Not read back from where it was stored: members that are empty are left out."""
    shown = (
        ("hosts", "host_networks", "last-installation-preparation")
        if cluster.imported
        else ("last-installation-preparation",)
    )
    dropped = ("progress", "feature_usage")
    view = {
        name: value
        for name, value in cluster_view(core, cluster).items()
        if (value not in ([], {}) or name in shown) and name not in dropped
    }
    if "platform" in view:
        view["platform"] = {"type": view["platform"]["type"]}
    return Reply(201, view)


def register_disconnected(core: Core, call: Call) -> Reply:
    moment = core.timestamp()
    cluster = Cluster(
        id=str(uuid.uuid4()),
        fields={"name": call.body["name"], "openshift_version": call.body["openshift_version"]},
        kind="DisconnectedCluster",
        status="unmonitored",
        status_info="Cluster created for offline installation",
        created_at=moment,
        updated_at=moment,
        status_updated_at=moment,
        status_since=core.now(),
    )
    core.state.clusters[cluster.id] = cluster
    return _made_elsewhere(core, cluster)


# install-config


def get_install_config(core: Core, call: Call) -> Reply:
    cluster = core.cluster(call.path["cluster_id"])
    document = install_config.install_config(cluster, core.state.hosts_of(cluster.id))
    return Reply(200, json.dumps(document))


def patch_install_config(core: Core, call: Call) -> Reply:
    cluster = found(core, call)
    install_config.check_overrides(call.body)
    cluster.install_config_overrides = call.body
    core.touch(cluster)
    core.event(
        "install_config_applied", f"Custom install config was applied to the cluster {cluster.name}", cluster=cluster
    )
    return Reply(201)


# settings of less weight


def set_ui_settings(core: Core, call: Call) -> Reply:
    cluster = core.cluster(call.path["cluster_id"])
    cluster.ui_settings = call.body
    return Reply(200, cluster.ui_settings)


def get_ui_settings(core: Core, call: Call) -> Reply:
    return Reply(200, core.cluster(call.path["cluster_id"]).ui_settings)


def get_ignored_validations(core: Core, call: Call) -> Reply:
    cluster = core.cluster(call.path["cluster_id"])
    return Reply(200, _ignored_view(cluster))


def _ignored_view(cluster: Cluster) -> dict[str, str]:
    return {f"{what}-validation-ids": text for what, text in cluster.ignored_texts.items() if text}


def _ignored(text: str | None, never: tuple[str, ...], known: frozenset[str], what: str) -> list[str]:
    """Parse one member of PUT ignored-validations; both are JSON strings. Raises ServiceError 400."""
    lead = "cannot proceed due to the following errors:"
    try:
        names = json.loads(text or "[]")
    except ValueError:
        names = None
    if not isinstance(names, list):
        raise bad_request(f"{lead} error during unmarshal of json for ignored {what} validations")
    unknown = [name for name in names if name != "all" and name not in known]
    if unknown:
        raise bad_request(f"{lead} Validation ID '{unknown[0]}' is not a known {what} validation")
    refused = [name for name in names if name in never]
    if refused:
        raise bad_request(f"{lead} unable to ignore the following {what} validations ({','.join(refused)})")
    return [str(name) for name in names]


def put_ignored_validations(core: Core, call: Call) -> Reply:
    cluster = core.cluster(call.path["cluster_id"])
    host_ids = frozenset(item.id for item in validations_host.VALIDATIONS)
    cluster_ids = frozenset(name for name, _category, _check in validations_cluster.VALIDATIONS)
    operators = frozenset(verdict.id for verdict in cluster.verdicts.get("operators", []))
    hosts = _ignored(call.body.get("host-validation-ids"), validations_host.NEVER_IGNORED, host_ids | operators, "host")
    own = _ignored(
        call.body.get("cluster-validation-ids"), validations_cluster.NEVER_IGNORED, cluster_ids | operators, "cluster"
    )
    cluster.ignored_hosts, cluster.ignored_cluster = hosts, own
    cluster.ignored_texts = {what: call.body.get(f"{what}-validation-ids") or "" for what in ("host", "cluster")}
    core.event(
        "validations_ignored", f"Following validations are ignored: host {hosts}, cluster {own}", cluster=cluster
    )
    return Reply(201, _ignored_view(cluster))


# what the controller in the new cluster reports


def finalizing_progress(core: Core, call: Call) -> Reply:
    cluster = core.cluster(call.path["cluster_id"])
    stage = call.body.get("finalizing_stage") or ""
    if cluster.status not in FINALIZING:
        raise bad_request(f"cluster is {cluster.status}, not in one of allowed statuses: {go.words(FINALIZING)}")
    if stage != cluster.finalizing_stage:
        cluster.finalizing_stage = stage
        cluster.finalizing_stage_at = core.timestamp()
        cluster.finalizing_stage_since = core.now()
        core.event(
            "cluster_finalizing_stage_updated", f"Updated finalizing stage of the cluster to '{stage}'", cluster=cluster
        )
    return Reply(200)


def upload_ingress_certificate(core: Core, call: Call) -> Reply:
    cluster = core.cluster(call.path["cluster_id"])
    if cluster.status not in ("finalizing", "installed"):
        raise bad_request(
            f"Cluster {cluster.id} is in {cluster.status} state, upload ingress ca can be done only in finalizing "
            "or "
            "installed state"
        )
    if "-----BEGIN CERTIFICATE-----" not in call.body:
        raise ServiceError(500, "given ingress-ca is not valid PEM format")
    cluster.ingress_ca = call.body
    core.event(
        "ingress_certificate_uploaded", f"Ingress certificate of cluster {cluster.name} was uploaded", cluster=cluster
    )
    return Reply(201)


def list_operators(core: Core, call: Call) -> Reply:
    cluster = core.cluster(call.path["cluster_id"])
    wanted = call.query.get("operator_name")
    if wanted and wanted not in cluster.operators:
        raise not_found()
    return Reply(
        200,
        [operator_view(item, cluster.id) for item in cluster.operators.values() if not wanted or item.name == wanted],
    )


def report_operator(core: Core, call: Call) -> Reply:
    cluster = core.cluster(call.path["cluster_id"])
    if not call.body.get("name"):
        raise bad_request("empty operator name is not allowed")
    operator = cluster.operators.get(call.body["name"])
    if operator is None:
        raise not_found()
    status = call.body.get("status") or operator.status
    if status != operator.status:
        said = call.body.get("status_info") or ""
        text = f"Operator {operator.name} status: {status} message: {said}"
        core.event("cluster_operator_status", text, cluster=cluster)
    operator.status, operator.status_info = status, call.body.get("status_info") or ""
    operator.version = call.body.get("version") or operator.version
    operator.status_updated_at = core.timestamp()
    return Reply(200)


def preflight_requirements(core: Core, call: Call) -> Reply:
    cluster = core.cluster(call.path["cluster_id"])
    roles = {
        role: core.settings.requirement(role, cluster.version or "4.22", cluster.single_node)
        for role in ("master", "arbiter", "worker")
    }
    ocp = {role: {"quantitative": requirement.details()} for role, requirement in roles.items()}
    return Reply(200, {"operators": [], "ocp": ocp})


def supported_platforms(core: Core, call: Call) -> Reply:
    cluster = core.cluster(call.path["cluster_id"])
    # Platforms that all hosts would fit on; before there are hosts, that is said of none only.
    bare = not cluster.single_node and any(host.inventory for host in core.state.hosts_of(cluster.id))
    return Reply(200, ["baremetal", "none"] if bare else ["none"])
