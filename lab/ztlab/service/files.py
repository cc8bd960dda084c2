# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Handle requests for a cluster's credentials, file downloads and logs.

Source: openshift/assisted-service internal/bminventory/inventory.go, internal/cluster/cluster.go,
  internal/events/event.go.
"""

from __future__ import annotations

import io
import json
import tarfile

from . import artifacts, go, install_config
from .core import Core
from .errors import ServiceError, bad_request, conflict, not_found
from .events import EventFilter, select
from .model import Cluster
from .router import Call, Reply, attachment
from .schema import read_query_id, read_query_text
from .views import cluster_view

STATES = (
    "installing",
    "finalizing",
    "installed",
    "error",
    "adding-hosts",
    "cancelled",
    "installing-pending-user-action",
)
EARLY_STATES = ("ready", "preparing-for-installation")
CREDENTIALS = ("kubeadmin-password", "kubeconfig", "kubeconfig-noingress")
FILES = (
    "bootstrap.ign",
    "master.ign",
    "metadata.json",
    "worker.ign",
    "install-config.yaml",
    "custom_manifests.json",
    "custom_manifests.yaml",
    "arbiter.ign",
)
PRESIGNED = ("bootstrap.ign", "master.ign", "metadata.json", "worker.ign", "install-config.yaml", "logs", "manifests")
LOGS = ("host", "controller", "all")
NO_CONSOLE = (
    "console-url isn't available yet, it will be once console operator is ready as part of cluster finalizing stage"
)


def console_url(cluster: Cluster) -> str:
    return f"https://console-openshift-console.apps.{cluster.domain}"


def credentials(core: Core, call: Call) -> Reply:
    cluster = core.cluster(call.path["cluster_id"])
    console = cluster.operators.get("console")
    if not core.settings.agent_installer and (console is None or console.status != "available"):
        raise conflict(NO_CONSOLE)
    if not cluster.kubeadmin_password:
        raise ServiceError(500, f"object {cluster.id}/kubeadmin-password was not found")
    return Reply(
        200, {"username": "kubeadmin", "password": cluster.kubeadmin_password, "console_url": console_url(cluster)}
    )


def _allowed(core: Core, cluster: Cluster, what: str = "files") -> None:
    """Credentials can be had earlier on a rendezvous host. Raises ServiceError 409."""
    # What cannot be had of the kubeconfig with the ingress certificate is taken from the one without it.
    what = "kubeconfig-noingress" if what == "kubeconfig" else what
    states: tuple[str, ...] = STATES
    if what != "files" and core.settings.agent_installer:
        states = STATES + EARLY_STATES
    else:
        what = "files"
    if cluster.status not in states:
        raise conflict(
            f"cluster {cluster.id} is in {cluster.status} state, {what} can be downloaded only when status is one "
            "of: "
            f"{go.words(states)}"
        )


def check_downloadable(core: Core, cluster: Cluster) -> None:
    """Raises ServiceError 409 while the cluster has no files."""
    _allowed(core, cluster)


def download_credentials(core: Core, call: Call) -> Reply:
    name = read_query_text(call.query, "file_name", CREDENTIALS, required=True)
    cluster = core.cluster(call.path["cluster_id"])
    _allowed(core, cluster, name)
    if name == "kubeadmin-password":
        return attachment(name, cluster.kubeadmin_password.encode())
    return attachment(
        name, core.kubeconfig(cluster, with_ingress=name == "kubeconfig" and bool(cluster.ingress_ca)).encode()
    )


def download_files(core: Core, call: Call) -> Reply:
    name = read_query_text(call.query, "file_name", FILES, required=True)
    cluster = core.cluster(call.path["cluster_id"])
    _allowed(core, cluster)
    hosts = core.state.hosts_of(cluster.id)
    if name == "metadata.json":
        return attachment(
            name,
            json.dumps(
                {
                    "clusterName": cluster.name,
                    "clusterID": cluster.openshift_cluster_id or cluster.id,
                    "infraID": cluster.name,
                }
            ).encode(),
        )
    if name == "install-config.yaml":
        return attachment(name, json.dumps(install_config.install_config(cluster, hosts)).encode())
    if name.startswith("custom_manifests"):
        if not cluster.manifests:
            raise conflict(f"object {cluster.id}/{name} was not found")
        listed = {
            f"{folder}/{file_name}": manifest.content.decode(errors="replace")
            for (folder, file_name), manifest in sorted(cluster.manifests.items())
        }
        return attachment(name, json.dumps(listed).encode())
    if name == "bootstrap.ign":
        return attachment(name, json.dumps(artifacts.bootstrap_ignition(core, cluster)).encode())
    source = f"https://api-int.{cluster.domain}:22623/config/{name.removesuffix('.ign')}"
    return attachment(
        name, json.dumps({"ignition": {"version": "3.2.0", "config": {"merge": [{"source": source}]}}}).encode()
    )


def presigned_file(core: Core, call: Call) -> Reply:
    read_query_text(call.query, "file_name", PRESIGNED, required=True)
    return presigned(core, call)


def presigned(core: Core, call: Call) -> Reply:
    core.cluster(call.path["cluster_id"])
    raise bad_request("Failed to generate presigned URL: invalid backend")


# logs


def _tar(members: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as tar:
        for name, data in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))
    return buffer.getvalue()


def download_logs(core: Core, call: Call) -> Reply:
    kind, host_id = read_query_text(call.query, "logs_type", LOGS) or "all", read_query_id(call.query, "host_id")
    cluster = core.cluster(call.path["cluster_id"])
    hosts = core.state.hosts_of(cluster.id)
    if kind == "host":
        host = next((item for item in hosts if item.id == host_id), None)
        if host is None:
            raise not_found(f"failed to get host {host_id} in cluster {cluster.id}: record not found")
        if not host.logs:
            raise conflict(f"Logs for host {host_id} were not found")
        return attachment(f"{cluster.name}_{host.name}.tar.gz", host.logs)
    if kind == "controller":
        if not cluster.controller_logs:
            raise conflict(f"Controller Logs for cluster {cluster.id} were not found")
        return attachment(f"{cluster.name}_controller.tar.gz", cluster.controller_logs)
    page = select(core.events, EventFilter(cluster_id=cluster.id, limit=-1))
    members = {"cluster_events.json": json.dumps([event.body() for event in page.events], indent=1).encode()}
    members["cluster_metadata.json"] = json.dumps(cluster_view(core, cluster), indent=1).encode()
    members |= {f"{host.name}.tar.gz": host.logs for host in hosts if host.logs}
    if cluster.controller_logs:
        members["controller_logs.tar.gz"] = cluster.controller_logs
    return attachment(f"{cluster.name}_{cluster.id}.tar", _tar(members))


def upload_logs(core: Core, call: Call) -> Reply:
    """The part ``upfile`` of a multipart body; the router passes its bytes."""
    cluster = core.cluster(call.path["cluster_id"])
    kind = call.query.get("logs_type", "")
    if kind == "controller":
        cluster.controller_logs, cluster.controller_logs_collected_at = call.raw, core.timestamp()
    elif kind == "host":
        host = core.host(call.query.get("infra_env_id", ""), call.query.get("host_id", ""))
        host.logs, host.logs_collected_at, host.logs_info = call.raw, core.timestamp(), "collecting"
    else:
        raise bad_request(f"logs_type in query should be one of [host controller], not {kind!r}")
    return Reply(204)


def cluster_logs_progress(core: Core, call: Call) -> Reply:
    cluster = core.cluster(call.path["cluster_id"])
    cluster.logs_info = call.body["logs_state"]
    return Reply(204)
