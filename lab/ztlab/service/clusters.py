# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Handlers of /v2/clusters: creation, reading, change, actions, settings."""

from __future__ import annotations

import asyncio
import json
import uuid
from collections.abc import Mapping
from typing import Any

from . import cluster_params, install_config, machine_cluster, machine_host, validations_cluster, validations_host
from .catalogue import SUPPORTED_OPERATORS
from .core import Core
from .errors import ServiceError, bad_request, conflict, not_found
from .model import Cluster, Host, Operator
from .pull_secret import check_pull_secret
from .router import Call, Reply
from .schema import read_query_flag
from .views import cluster_view, host_view, operator_view

EDITABLE = ("insufficient", "ready", "pending-for-input", "adding-hosts")
FORBIDDEN_MACHINE_NETWORK = (
    "Setting the Machine Network CIDR is forbidden when the cluster is neither in VIP DHCP allocation mode nor using a user-managed load balancer"
)


def create(core: Core, call: Call) -> Reply:
    params = call.body
    fields = cluster_params.create_fields(params, core.settings)
    check_pull_secret(params["pull_secret"], core.settings, (fields["ocp_release_image"], core.settings.agent_image))
    moment = core.timestamp()
    cluster = Cluster(
        id=str(uuid.uuid4()),
        fields=fields,
        pull_secret=params["pull_secret"],
        created_at=moment,
        updated_at=moment,
        status_updated_at=moment,
        status_since=core.now(),
        machine_networks=[entry["cidr"] for entry in params.get("machine_networks") or []],
        machine_networks_given=bool(params.get("machine_networks")),
        operators=monitored_operators(params.get("olm_operators") or [], core),
    )
    core.state.clusters[cluster.id] = cluster
    core.event("cluster_registration_succeeded", "Successfully registered cluster", cluster=cluster)
    machine_cluster.judge(core, cluster)
    return Reply(201, cluster_view(core, cluster))


def monitored_operators(olm: list[Mapping[str, Any]], core: Core) -> dict[str, Operator]:
    found = {"console": Operator("console")}
    if core.settings.switch("CHECK_CLUSTER_VERSION", False):
        found["cvo"] = Operator("cvo")
    for entry in olm:
        name = entry.get("name", "")
        if name not in SUPPORTED_OPERATORS:
            raise bad_request(f"Operator {name} isn't supported")
        found[name] = Operator(name, kind="olm", namespace=f"openshift-{name}", properties=entry.get("properties") or "")
    return found


def list_all(core: Core, call: Call) -> Reply:
    with_hosts = read_query_flag(call.query, "with_hosts")
    wanted = call.query.get("openshift_cluster_id")
    chosen = [cluster for cluster in core.state.clusters.values() if not wanted or cluster.openshift_cluster_id == wanted]
    return Reply(200, [cluster_view(core, cluster, hosts=with_hosts) for cluster in chosen])


def get(core: Core, call: Call) -> Reply:
    cluster = core.cluster(call.path["cluster_id"])
    hide = call.headers.get("exclude-hosts", call.query.get("exclude-hosts", "")).lower() in ("true", "1")
    return Reply(200, cluster_view(core, cluster, hosts=not hide))


def update(core: Core, call: Call) -> Reply:
    """Parameters are checked before the status, so a bad body in a wrong state gives 400."""
    cluster, params = core.cluster(call.path["cluster_id"]), call.body
    fields = cluster_params.update_fields(cluster.fields, params)
    secret = params.get("pull_secret")
    if secret is not None:
        check_pull_secret(secret, core.settings, (fields.get("ocp_release_image", ""),))
    operators = monitored_operators(params["olm_operators"], core) if params.get("olm_operators") is not None else None
    if cluster.status not in EDITABLE:
        raise conflict(f"Cluster {cluster.id} is in {cluster.status} state, {cluster.name} can be updated only in one of [{' '.join(EDITABLE)}]")
    _update_machine_networks(cluster, fields, params)
    for vip in set(cluster.vip_verification) - {entry.get("ip") for name in ("api_vips", "ingress_vips") for entry in fields.get(name) or []}:
        del cluster.vip_verification[vip]
    cluster.fields = fields
    if secret is not None:
        cluster.pull_secret = secret
    if operators is not None:
        cluster.operators = operators
    core.touch(cluster)
    refresh_all(core, cluster)
    return Reply(201, cluster_view(core, cluster))


def _update_machine_networks(cluster: Cluster, fields: Mapping[str, Any], params: Mapping[str, Any]) -> None:
    said = params.get("machine_networks")
    if said is None and params.get("machine_network_cidr"):
        said = [{"cidr": params["machine_network_cidr"]}]
    balancer = (fields.get("load_balancer") or {}).get("type") == "user-managed"
    vips_changed = any(params.get(name) is not None for name in ("api_vips", "ingress_vips"))
    if said is None:
        # New VIPs lead to a network of their own; the pair of a dual-stack cluster stays, and so does what a load balancer of the user needs.
        if vips_changed and not balancer and len(cluster.machine_networks) < 2:
            cluster.machine_networks_given = False
        return
    current = cluster.machine_networks
    wanted = [entry["cidr"] for entry in said]
    dual = len(wanted) > 1
    plain = not (fields.get("vip_dhcp_allocation") or balancer or fields.get("user_managed_networking") or dual)
    if plain and wanted and wanted != current:
        raise bad_request(FORBIDDEN_MACHINE_NETWORK)
    cluster.machine_networks, cluster.machine_networks_given = wanted, bool(wanted)


def refresh_all(core: Core, cluster: Cluster) -> None:
    """What the monitors would do next, at once."""
    if cluster.status in machine_cluster.BEFORE:
        machine_cluster.derive_machine_networks(core, cluster)
    for host in core.state.hosts_of(cluster.id):
        machine_host.refresh(core, host)
    machine_cluster.refresh(core, cluster)


def delete(core: Core, call: Call) -> Reply:
    cluster = core.cluster(call.path["cluster_id"])
    if cluster.status in ("installing", "preparing-for-installation", "finalizing"):
        raise conflict(f"cluster {cluster.id} can not be removed while being installed")
    for key in [key for key, host in core.state.hosts.items() if host.cluster_id == cluster.id]:
        del core.state.hosts[key]
    for infra_env in core.state.infra_envs.values():
        if infra_env.cluster_id == cluster.id:
            infra_env.cluster_id = ""
    del core.state.clusters[cluster.id]
    core.event("cluster_deregistered", f"Deregistered cluster: {cluster.id}", cluster=cluster)
    return Reply(204)


def list_hosts(core: Core, call: Call) -> Reply:
    cluster = core.cluster(call.path["cluster_id"])
    role, status = call.query.get("role"), call.query.get("status")
    inventory, connectivity = read_query_flag(call.query, "with-inventory"), read_query_flag(call.query, "with-connectivity")

    def wanted(host: Host) -> bool:
        return (not role or host.role == role) and (not status or host.status == status)

    chosen = [host for host in core.state.hosts_of(cluster.id) if wanted(host)]
    return Reply(200, [host_view(core, host, inventory=inventory, connectivity=connectivity) for host in chosen])


# actions


def install(core: Core, call: Call) -> Reply:
    cluster = core.cluster(call.path["cluster_id"])
    machine_cluster.judge(core, cluster)
    machine_cluster.install(core, cluster)
    task = asyncio.get_running_loop().create_task(machine_cluster.prepare(core, cluster))
    core.background.add(task)
    task.add_done_callback(core.background.discard)
    return Reply(202, cluster_view(core, cluster))


def cancel(core: Core, call: Call) -> Reply:
    cluster = core.cluster(call.path["cluster_id"])
    machine_cluster.cancel(core, cluster)
    return Reply(202, cluster_view(core, cluster))


def reset(core: Core, call: Call) -> Reply:
    cluster = core.cluster(call.path["cluster_id"])
    machine_cluster.reset(core, cluster)
    return Reply(202, cluster_view(core, cluster))


def allow_add_hosts(core: Core, call: Call) -> Reply:
    cluster = core.cluster(call.path["cluster_id"])
    if cluster.kind != "Cluster" or cluster.status != "installed":
        raise bad_request(
            f"Cluster {cluster.id} is in status {cluster.status} and kind {cluster.kind}, only an installed cluster can be changed to adding hosts"
        )
    cluster.kind = "AddHostsCluster"
    cluster.fields["api_vip_dns_name"] = f"api.{cluster.domain}"
    core.set_cluster_status(cluster, "adding-hosts", "cluster is adding hosts to existing OCP cluster")
    return Reply(202, cluster_view(core, cluster))


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
            "user_managed_networking": False,
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
    return Reply(201, cluster_view(core, cluster))


def register_disconnected(core: Core, call: Call) -> Reply:
    moment = core.timestamp()
    cluster = Cluster(
        id=str(uuid.uuid4()),
        fields={"name": call.body["name"], "openshift_version": call.body["openshift_version"]},
        kind="DisconnectedCluster",
        status="unmonitored",
        created_at=moment,
        updated_at=moment,
        status_updated_at=moment,
        status_since=core.now(),
    )
    core.state.clusters[cluster.id] = cluster
    return Reply(201, cluster_view(core, cluster))


# install-config


def get_install_config(core: Core, call: Call) -> Reply:
    cluster = core.cluster(call.path["cluster_id"])
    document = install_config.install_config(cluster, core.state.hosts_of(cluster.id))
    return Reply(200, json.dumps(document))


def patch_install_config(core: Core, call: Call) -> Reply:
    cluster = core.cluster(call.path["cluster_id"])
    try:
        overrides = json.loads(call.body)
    except ValueError as error:
        raise bad_request(f"failed to validate install config overrides: {error}") from error
    if not isinstance(overrides, dict):
        raise bad_request("json: cannot unmarshal into Go value of type installcfg.InstallerConfigBaremetal")
    cluster.install_config_overrides = call.body
    core.touch(cluster)
    core.event("install_config_applied", f"Custom install config was applied to the cluster {cluster.name}", cluster=cluster)
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
    return Reply(200, {"host-validation-ids": json.dumps(cluster.ignored_hosts), "cluster-validation-ids": json.dumps(cluster.ignored_cluster)})


def _ignored(text: str | None, never: tuple[str, ...], known: frozenset[str], what: str) -> list[str]:
    """Parse one member of PUT ignored-validations; both are JSON strings. Raises ServiceError 400."""
    try:
        names = json.loads(text or "[]")
    except ValueError as error:
        raise bad_request(f"unable to parse the {what} validation ids: {error}") from error
    if not isinstance(names, list):
        raise bad_request(f"unable to parse the {what} validation ids: a list is needed")
    unknown = [name for name in names if name != "all" and name not in known]
    if unknown:
        raise bad_request(f"unable to ignore the following {what} validations ({','.join(unknown)}): unknown")
    refused = [name for name in names if name in never]
    if refused:
        raise bad_request(f"unable to ignore the following {what} validations ({','.join(refused)})")
    return [str(name) for name in names]


def put_ignored_validations(core: Core, call: Call) -> Reply:
    cluster = core.cluster(call.path["cluster_id"])
    host_ids = frozenset(item.id for item in validations_host.VALIDATIONS)
    cluster_ids = frozenset(name for name, _category, _check in validations_cluster.VALIDATIONS)
    operators = frozenset(verdict.id for verdict in cluster.verdicts.get("operators", []))
    hosts = _ignored(call.body.get("host-validation-ids"), validations_host.NEVER_IGNORED, host_ids | operators, "host")
    own = _ignored(call.body.get("cluster-validation-ids"), validations_cluster.NEVER_IGNORED, cluster_ids | operators, "cluster")
    cluster.ignored_hosts, cluster.ignored_cluster = hosts, own
    core.event("validations_ignored", f"Following validations are ignored: host {hosts}, cluster {own}", cluster=cluster)
    return Reply(201, {"host-validation-ids": json.dumps(hosts), "cluster-validation-ids": json.dumps(own)})


# what the controller in the new cluster reports


def finalizing_progress(core: Core, call: Call) -> Reply:
    cluster = core.cluster(call.path["cluster_id"])
    stage = call.body.get("finalizing_stage") or ""
    if stage != cluster.finalizing_stage:
        cluster.finalizing_stage = stage
        cluster.finalizing_stage_at = core.timestamp()
        cluster.finalizing_stage_since = core.now()
        core.event("cluster_finalizing_stage_updated", f"Cluster {cluster.name}: finalizing stage is {stage}", cluster=cluster)
    return Reply(200)


def upload_ingress_certificate(core: Core, call: Call) -> Reply:
    cluster = core.cluster(call.path["cluster_id"])
    if cluster.status not in ("finalizing", "installed"):
        raise bad_request(f"Cluster {cluster.id} is in status {cluster.status}: the ingress certificate can be uploaded while finalizing or installed only")
    if "-----BEGIN CERTIFICATE-----" not in call.body:
        raise ServiceError(500, "given ingress-ca is not valid PEM format")
    cluster.ingress_ca = call.body
    core.event("ingress_certificate_uploaded", f"Ingress certificate of cluster {cluster.name} was uploaded", cluster=cluster)
    return Reply(201)


def list_operators(core: Core, call: Call) -> Reply:
    cluster = core.cluster(call.path["cluster_id"])
    wanted = call.query.get("operator_name")
    if wanted and wanted not in cluster.operators:
        raise not_found(f"operator {wanted} not found")
    return Reply(200, [operator_view(item, cluster.id) for item in cluster.operators.values() if not wanted or item.name == wanted])


def report_operator(core: Core, call: Call) -> Reply:
    cluster = core.cluster(call.path["cluster_id"])
    operator = cluster.operators.get(call.body.get("name") or "")
    if operator is None:
        raise not_found(f"operator {call.body.get('name')} not found")
    status = call.body.get("status") or operator.status
    if status != operator.status:
        core.event("cluster_operator_status", f"Operator {operator.name} status: {status} message: {call.body.get('status_info') or ''}", cluster=cluster)
    operator.status, operator.status_info = status, call.body.get("status_info") or ""
    operator.version = call.body.get("version") or operator.version
    operator.status_updated_at = core.timestamp()
    return Reply(200)


def preflight_requirements(core: Core, call: Call) -> Reply:
    cluster = core.cluster(call.path["cluster_id"])
    roles = {role: core.settings.requirement(role, cluster.version or "4.22", cluster.single_node) for role in ("master", "arbiter", "worker")}
    ocp = {role: {"quantitative": requirement.details()} for role, requirement in roles.items()}
    return Reply(200, {"operators": [], "ocp": ocp})


def supported_platforms(core: Core, call: Call) -> Reply:
    cluster = core.cluster(call.path["cluster_id"])
    return Reply(200, ["none"] if cluster.single_node else ["baremetal", "none"])
