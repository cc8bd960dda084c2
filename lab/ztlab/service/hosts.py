# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Handle requests for hosts: registration, update, deletion, and actions such as bind or reset.

Source: openshift/assisted-service internal/bminventory/inventory.go, internal/host/host.go.
"""

from __future__ import annotations

import json
import re
from collections.abc import Awaitable, Mapping
from typing import Any

from . import artifacts, go, machine_host, progress
from . import inventory as disks
from .core import Core
from .errors import ServiceError, bad_request, conflict, not_found
from .files import check_downloadable
from .infra_envs import check_ignition
from .model import BEFORE_INSTALL, INSTALLING, NO_TIME, UNBOUND, Cluster, Host, Progress
from .router import Call, Reply, attachment
from .schema import read_query_flag
from .settings import ARCHITECTURE_ALIASES, version_key
from .validations_host import FORBIDDEN_HOSTNAMES, HOSTNAME
from .views import dump, host_view

NAMED_STATES = ("discovering", "known", "disconnected", "insufficient", "pending-for-input")
CHANGEABLE = (*NAMED_STATES, "binding", *sorted(UNBOUND - {"disabled-unbound"}))
ONLY_DAY2 = "method only allowed when adding hosts to an existing cluster"
GO_NO_TIME = "0001-01-01T00:00:00Z"
UNBINDING_INFO = "Host is waiting to be unbound from the cluster"
ACCEPTING_CLUSTER = ("insufficient", "ready", "pending-for-input", "adding-hosts")
LABEL_NAME = re.compile(r"^([A-Za-z0-9][-A-Za-z0-9_.]{0,61})?[A-Za-z0-9]$")
LABEL_FORM = (
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character"
)
LABEL_REGEX = "regex used for validation is '"
LABEL_NAME_REGEX = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]"
LABEL_PREFIX = re.compile(r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$")
INSTALLER_FLAGS = (
    "--append-karg",
    "--delete-karg",
    "-n",
    "--copy-network",
    "--network-dir",
    "--save-partlabel",
    "--save-partindex",
    "--image-url",
    "--image-file",
)
RESETTABLE_VALIDATIONS = ("sufficient-installation-disk-speed", "container-images-available")


def _of(core: Core, call: Call) -> Host:
    return core.host(call.path["infra_env_id"], call.path["host_id"])


# registration


def register(core: Core, call: Call) -> Reply | Awaitable[Reply]:
    """An agent appears, for the first time or again."""
    infra_env = core.infra_env(call.path["infra_env_id"])
    if infra_env.image_type == "disconnected-iso":
        raise bad_request("hosts of a disconnected-iso infra-env do not register with the service")
    host_id = call.body["host_id"].lower()
    known = core.state.hosts.get((infra_env.id, host_id))
    version = call.body.get("discovery_agent_version") or ""
    host = _returning(core, known) if known else _new(core, infra_env.id, infra_env.cluster_id, host_id)
    host.agent_version = version
    host.checked_in, host.checked_in_at = core.now(), core.timestamp()
    host.registered_at = core.timestamp()
    core.touch(host)
    if core.on_registration is not None:
        return _register_with_agent(core, host, new=known is None)
    return _registered(core, host, new=known is None)


def _registered(core: Core, host: Host, *, new: bool) -> Reply:
    core.event("host_registration_succeeded", f"Host {host.name}: Successfully registered", host=host)
    body = host_view(core, host)
    if not new:
        body.pop("status")
    for name in ("progress", "validations_info"):
        body.pop(name, None)
    if not new:
        body["status_info"] = None
    # Not read back from where they were stored.
    body |= {"created_at": GO_NO_TIME, "updated_at": GO_NO_TIME} | (
        {} if new else {"status_updated_at": NO_TIME, "suggested_role": host.role}
    )
    command = dump({"agent_version": core.settings.agent_image, "host_id": host.id, "infra_env_id": host.infra_env_id})
    return Reply(201, {**body, "next_step_runner_command": {"args": [command]}})


async def _register_with_agent(core: Core, host: Host, *, new: bool) -> Reply:
    """A host without Agent must not be: it is unregistered when none can be made.

    Source: openshift/assisted-service internal/controller/controllers/crd_utils.go.
    """
    if core.on_registration is None:
        raise RuntimeError("no Kubernetes API")
    try:
        await core.on_registration(host)
    except Exception as error:
        if new:
            core.state.hosts.pop((host.infra_env_id, host.id), None)
        raise ServiceError(500, f"failed to create the Agent of host {host.id}: {error}") from error
    return _registered(core, host, new=new)


def _returning(core: Core, host: Host) -> Host:
    if host.status == "installed":
        core.event(
            "host_registration_failed",
            f"Host {host.name}: failed to register: already installed",
            severity="error",
            host=host,
        )
        raise conflict(
            "Host is trying to register after the cluster has already been installed. That most probably means that "
            "the host is booting from the "
            "installation ISO, and therefore not effectively joining the cluster. The request will be ignored. Fix "
            "the boot order and reboot the host."
        )
    cluster = core.cluster_of(host)
    if host.status == "binding" and cluster is not None and cluster.day2:
        host.kind, host.suggested_role = "AddToExistingClusterHost", "worker"
    machine_host.register_again(core, host)
    if host.status == "installing-pending-user-action":
        raise ServiceError(403, host.status_info)
    return host


def _new(core: Core, infra_env_id: str, cluster_id: str, host_id: str) -> Host:
    cluster = core.state.clusters.get(cluster_id) if cluster_id else None
    if cluster is not None and cluster.status not in ACCEPTING_CLUSTER:
        raise conflict(f"Host can register only in one of the following states: {go.words(ACCEPTING_CLUSTER)}")
    moment = core.timestamp()
    host = Host(
        host_id,
        infra_env_id,
        cluster_id=cluster_id if cluster else "",
        status="discovering" if cluster else "discovering-unbound",
        status_info=machine_host.NO_INVENTORY,
        status_since=core.now(),
        status_updated_at=moment,
        created_at=moment,
        updated_at=moment,
        checked_in=core.now(),
    )
    _join(host, cluster)
    core.state.hosts[infra_env_id, host_id] = host
    return host


def _join(host: Host, cluster: Cluster | None) -> None:
    """What belonging to a cluster makes of a fresh host."""
    if cluster is None:
        return
    if cluster.day2:
        host.kind, host.role, host.suggested_role = "AddToExistingClusterHost", "worker", "worker"
    elif cluster.single_node:
        host.role = host.suggested_role = "master"
        host.bootstrap = True


# reading and deletion


def list_all(core: Core, call: Call) -> Reply:
    infra_env = core.infra_env(call.path["infra_env_id"])
    return Reply(200, [host_view(core, host) for host in core.state.hosts_in(infra_env.id)])


def get(core: Core, call: Call) -> Reply:
    return Reply(200, host_view(core, _of(core, call)))


def delete(core: Core, call: Call) -> Reply:
    try:
        host = _of(core, call)
    except ServiceError as error:
        raise ServiceError(500, error.reason) from error
    del core.state.hosts[host.infra_env_id, host.id]
    core.event("host_deregistered", f"Host {host.name}: deregistered from infra-env", host=host)
    return Reply(204)


# change


def _require_state(host: Host, what: str, status: int) -> None:
    if host.status not in CHANGEABLE:
        raise ServiceError(
            status,
            (f"Host is in {host.status} state, {what} can be set only in one of {go.words(NAMED_STATES)} states"),
        )


def update(core: Core, call: Call) -> Reply:
    """All members are applied in one transaction: the first refusal undoes the others."""
    host, params = _of(core, call), call.body
    saved = dict(vars(host))
    saved_disks = [dict(disk) for disk in (host.inventory or {}).get("disks") or []]
    try:
        for name, apply in CHANGES.items():
            if params.get(name) is not None:
                apply(core, host, params[name])
    except ServiceError:
        vars(host).update(saved)
        if host.inventory is not None:
            host.inventory["disks"] = saved_disks
        raise
    core.touch(host)
    machine_host.refresh(core, host)
    return Reply(201, host_view(core, host))


def _set_role(core: Core, host: Host, role: str) -> None:
    _require_state(host, "host role", 500)
    if role == "auto-assign":
        host.role = host.suggested_role = "auto-assign"
    else:
        host.role = host.suggested_role = role
        core.event("host_role_updated", f"Host {host.name}: set role to {role}", host=host)
    machine_host.judge_disks(core, host)


def _set_name(core: Core, host: Host, name: str) -> None:
    if len(name) > 63:
        raise bad_request(
            f"hostname is too long, must be 63 characters or less. Hostname: {name} has {len(name)} characters"
        )
    if not HOSTNAME.match(name):
        raise bad_request(f"Hostname does not pass required regex validation: {HOSTNAME.pattern}. Hostname: {name}")
    if name in FORBIDDEN_HOSTNAMES:
        raise bad_request(f"The host name {name} is forbidden")
    _require_state(host, "host name", 409)
    host.requested_hostname = name


def _select_disks(core: Core, host: Host, choices: list[Mapping[str, Any]]) -> None:
    _require_state(host, "installation disk", 409)
    wanted = [choice["id"] for choice in choices if choice.get("role") == "install"]
    if len(wanted) > 1:
        raise conflict("duplicate setting of installation path by the user")
    disk = disks.find_disk(disks.eligible_disks(host.inventory), wanted[0]) if wanted else None
    if disk is None:
        raise conflict("Requested installation disk is not part of the host's valid disks")
    host.installation_disk_id, host.installation_disk_path = str(disk["id"]), disks.disk_path(disk)
    host.disk_chosen_by_user = True


def _skip_formatting(core: Core, host: Host, choices: list[Mapping[str, Any]]) -> None:
    _require_state(host, "disks skip formatting", 500)
    known = [disk.get("id") for disk in (host.inventory or {}).get("disks") or []]
    unknown = [choice["disk_id"] for choice in choices if choice["disk_id"] not in known]
    if unknown:
        raise bad_request(
            f"Disk identifier {unknown[0]} doesn't match any disk in the inventory, it cannot be skipped. "
            f"Inventory disk identifiers are: {', '.join(map(str, known))}"
        )
    kept = set(host.skip_formatting)
    for choice in choices:
        (kept.add if choice["skip_formatting"] else kept.discard)(choice["disk_id"])
    host.skip_formatting = tuple(sorted(kept))


def _set_pool(core: Core, host: Host, name: str) -> None:
    _require_state(host, "machine config pool", 409)
    host.machine_config_pool = name


def label_problem(key: str, value: str) -> str:
    """What Kubernetes has against a label, "" for nothing."""
    prefix, slash, name = key.rpartition("/")
    if slash and (len(prefix) > 253 or not LABEL_PREFIX.match(prefix)):
        return f'Invalid value: "{key}": prefix part must be a DNS subdomain'
    if not LABEL_NAME.match(name):
        return (
            f"Invalid value: \"{key}\": name part {LABEL_FORM} (e.g. 'MyName',  or 'my.name',  or '123-abc', "
            f"{LABEL_REGEX}{LABEL_NAME_REGEX}')"
        )
    if value and not LABEL_NAME.match(value):
        form = LABEL_FORM.replace("must consist", "a valid label must be an empty string or consist", 1)
        return (
            f"Invalid value: \"{value}\": {form} (e.g. 'MyValue',  or 'my_value',  or '12345', "
            f"{LABEL_REGEX}({LABEL_NAME_REGEX})?')"
        )
    return ""


def _set_labels(core: Core, host: Host, labels: list[Mapping[str, str]]) -> None:
    for label in labels:
        problem = label_problem(label["key"], label["value"])
        if problem:
            raise bad_request(f"node_labels: {problem}")
    _require_state(host, "node labels", 500)
    host.labels_provided = True
    host.node_labels = {label["key"]: label["value"] for label in labels}


def _set_token(core: Core, host: Host, token: str) -> None:
    _require_state(host, "ignition endpoint token", 409)
    host.ignition_token = token


def _set_headers(core: Core, host: Host, headers: list[Mapping[str, str]]) -> None:
    _require_state(host, "ignition endpoint HTTP headers", 500)
    host.ignition_headers = {header["key"]: header["value"] for header in headers}


def _set_fencing(core: Core, host: Host, credentials: Mapping[str, Any]) -> None:
    if not core.settings.switch("TNF_CLUSTERS_SUPPORT", False):
        raise bad_request("Fencing credentials are not supported: two nodes with fencing clusters are disabled")
    cluster = core.cluster_of(host)
    if cluster is not None:
        platform = (cluster.fields.get("platform") or {}).get("type")
        if version_key(cluster.version) < (4, 20) or platform not in ("baremetal", "none"):
            raise bad_request("Fencing credentials need OpenShift 4.20 or later and platform baremetal or none")
    host.fencing_credentials = {name: value for name, value in credentials.items() if value is not None}


CHANGES: dict[str, Any] = {
    "host_role": _set_role,
    "host_name": _set_name,
    "disks_selected_config": _select_disks,
    "disks_skip_formatting": _skip_formatting,
    "machine_config_pool_name": _set_pool,
    "node_labels": _set_labels,
    "ignition_endpoint_token": _set_token,
    "ignition_endpoint_http_headers": _set_headers,
    "fencing_credentials": _set_fencing,
}


def installer_args(core: Core, call: Call) -> Reply:
    host, arguments = _of(core, call), call.body.get("args") or []
    for argument in arguments:
        if argument.startswith("-") and argument not in INSTALLER_FLAGS:
            raise bad_request(
                f"found unexpected flag {argument} for installer - allowed flags are {go.words(INSTALLER_FLAGS)}"
            )
    host.installer_args, host.arguments_provided = arguments, True
    core.touch(host)
    return Reply(201, host_view(core, host))


def get_ignition(core: Core, call: Call) -> Reply:
    host = _of(core, call)
    if not host.cluster_id:
        raise not_found(f"Cluster not found for host {host.id} in infra env {host.infra_env_id}")
    check_downloadable(core, core.cluster(host.cluster_id))
    return Reply(200, {"config": host.ignition_overrides})


def patch_ignition(core: Core, call: Call) -> Reply:
    host, config = _of(core, call), call.body.get("config") or ""
    if config:
        check_ignition(config)
    host.ignition_overrides = config
    core.touch(host)
    return Reply(201)


def download_ignition(core: Core, call: Call) -> Reply:
    host = _of(core, call)
    if not host.cluster_id:
        raise not_found(f"Cluster not found for host {host.id} in infra env {host.infra_env_id}")
    check_downloadable(core, core.cluster(host.cluster_id))
    document = artifacts.host_ignition(core, core.cluster(host.cluster_id), host)
    return attachment(f"{host.effective_role}-{host.id}.ign", json.dumps(document).encode())


# actions


def bind(core: Core, call: Call) -> Reply:
    host = _of(core, call)
    cluster = core.state.clusters.get(call.body["cluster_id"])
    if cluster is None:
        raise bad_request(f"Failed to find cluster {call.body['cluster_id']}")
    if host.cluster_id:
        raise conflict(f"Host {host.id} is already bound to cluster {host.cluster_id}")
    infra_env = core.infra_env(host.infra_env_id)
    of_cluster = str(cluster.fields.get("cpu_architecture") or "x86_64")
    if of_cluster != "multi" and infra_env.architecture not in (of_cluster, ARCHITECTURE_ALIASES.get(of_cluster)):
        raise bad_request(
            f"InfraEnv's CPU architecture ({infra_env.architecture}) doesn't match the cluster ({of_cluster})"
        )
    if cluster.status not in ACCEPTING_CLUSTER:
        raise conflict(
            f"Cluster {cluster.id} is in {cluster.status} state, hosts can be bound only in one of "
            f"{list(ACCEPTING_CLUSTER)}"
        )
    if host.status != "known-unbound":
        raise ServiceError(500, "no condition found to run transition")
    host.cluster_id = cluster.id
    host.forget_discovery()
    _join(host, cluster)
    core.set_host_status(host, "binding", "Host is waiting to be bound to the cluster")
    core.event("host_bind_succeeded", f"Host {host.name}: Successfully bound to cluster {cluster.name}", host=host)
    return Reply(200, host_view(core, host))


def unbind(core: Core, call: Call) -> Reply:
    host = _of(core, call)
    infra_env = core.infra_env(host.infra_env_id)
    if not host.cluster_id:
        raise conflict(f"Host {host.id} is already unbound")
    if infra_env.cluster_id:
        raise conflict(
            f"Cannot unbind Host {host.id}. InfraEnv {infra_env.id} is bound to Cluster {infra_env.cluster_id}"
        )
    if not core.settings.kube_api and (host.status in INSTALLING or host.status.startswith("preparing")):
        raise conflict(f"Host {host.id} cannot be unbound in status {host.status}")
    leave_cluster(core, host, reclaim=read_query_flag(call.query, "reclaim"))
    core.event("host_unbind_succeeded", f"Host {host.name}: Successfully unbound", host=host)
    return Reply(200, host_view(core, host))


def leave_cluster(core: Core, host: Host, *, reclaim: bool) -> None:
    """The transition of an unbind. ``reclaim``: the node itself can boot discovery again on request.

    Source: openshift/assisted-service internal/controller/controllers/agent_reclaimer.go,
      internal/host/statemachine.go.
    """
    if host.status in BEFORE_INSTALL | {"binding"}:
        status = "unbinding"
    elif reclaim and host.status in ("installed", "added-to-existing-cluster"):
        status = "reclaiming"
    elif reclaim and (host.status in INSTALLING or host.status.startswith("preparing")):
        raise ServiceError(500, "no condition found to run transition")
    else:
        status = "unbinding-pending-user-action"
    host.cluster_id = host.machine_config_pool = host.installation_disk_id = host.installation_disk_path = ""
    host.disk_chosen_by_user = False
    host.kind, host.role, host.suggested_role = "Host", "auto-assign", "auto-assign"
    host.logs, host.logs_info, host.logs_collected_at = b"", "", NO_TIME
    host.progress = Progress()
    host.bootstrap = False
    core.set_host_status(host, status, UNBINDING_INFO)


def install(core: Core, call: Call) -> Reply:
    """Day 2 only."""
    host = _of(core, call)
    cluster = core.cluster_of(host)
    if not host.day2 or cluster is None or not cluster.day2:
        raise conflict(ONLY_DAY2)
    if host.status != "known":
        raise conflict(f"cannot install host {host.id} in state {host.status}")
    if host.role == "auto-assign":
        host.role = host.suggested_role
    host.progress = Progress()
    core.set_host_status(host, "installing", machine_host.INSTALLING_INFO)
    core.event("host_installation_started", f"Host {host.name}: Installation started", host=host)
    return Reply(202, host_view(core, host))


def reset(core: Core, call: Call) -> Reply:
    host = _of(core, call)
    if not host.day2:
        raise conflict(ONLY_DAY2)
    core.set_host_status(
        host,
        "resetting-pending-user-action",
        ("Host requires booting into the discovery image to complete resetting the installation"),
    )
    return Reply(200, host_view(core, host))


def reset_validation(core: Core, call: Call) -> Reply:
    host, name = _of(core, call), call.path["validation_id"]
    if name not in RESETTABLE_VALIDATIONS:
        raise bad_request(f'Validation "{name}" cannot be reset or does not exist')
    if name == "container-images-available":
        host.images_status = {}
    else:
        host.disks_info = {}
    machine_host.refresh(core, host)
    return Reply(200, host_view(core, host))


# progress of the installation


def report_progress(core: Core, call: Call) -> Reply:
    """openshift/assisted-service internal/host/common.go, internal/host/host.go."""
    host = _of(core, call)
    apply_progress(core, host, call.body.get("current_stage") or "", call.body.get("progress_info") or "")
    return Reply(200)


def apply_progress(core: Core, host: Host, stage: str, info: str) -> None:
    """Raises ServiceError 409 for a stage that cannot be now."""
    cluster = core.cluster_of(host)
    current = host.progress
    if not stage:
        return
    if (stage, info) == (current.stage, current.info) and host.status != "installing-pending-user-action":
        return
    if host.status not in INSTALLING:
        raise conflict(f"Can't set progress <{stage}> to host in status <{host.status}>")
    if stage == "Failed":
        core.set_host_status(host, "error", f"Failed - {info}" if info else "Failed")
        return
    own = progress.stages(host, cluster)
    if stage not in own and not (host.day2 and stage in progress.WORKER):
        raise conflict(
            f"Stages {stage} isn't available for host role {host.role} bootstrap {str(host.bootstrap).lower()}"
        )
    if current.stage in own and stage in own and own.index(stage) < own.index(current.stage):
        raise conflict(f'Can\'t assign lower stage "{stage}" after host has been in stage "{current.stage}"')
    _advance(core, host, stage, info, own)


def _advance(core: Core, host: Host, stage: str, info: str, own: tuple[str, ...]) -> None:
    current, moment = host.progress, core.timestamp()
    # A service without Kubernetes API cannot see day-2 nodes join: their reboot is the end.
    recorded = "Done" if host.day2 and stage == "Rebooting" and not core.settings.kube_api else stage
    if recorded != current.stage:
        current.started_at, current.since = moment, core.now()
        current.stage, current.percentage = recorded, progress.host_percentage(recorded, own)
        current.timed_out = False
    current.info, current.updated_at, current.touched = info, moment, core.now()
    core.changed(host)
    core.event(
        "host_install_progress_updated",
        f"Host: {host.name}, reached installation stage {stage}" + (f": {info}" if info else ""),
        host=host,
        props={"stage": stage},
    )
    if recorded == "Done":
        core.set_host_status(host, "added-to-existing-cluster" if host.day2 else "installed", "Done")
    else:
        core.set_host_status(host, "installing-in-progress", stage)


def logs_progress(core: Core, call: Call) -> Reply:
    host = _of(core, call)
    host.logs_info = call.body["logs_state"]
    if host.logs_started_at == NO_TIME:
        host.logs_started_at = core.timestamp()
    return Reply(204)
