# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Handlers of credentials, downloads and logs (reference assisted-rest.md sections 10 and 11)."""

from __future__ import annotations

import io
import json
import tarfile

from . import artifacts, install_config
from .core import Core
from .errors import bad_request, conflict
from .events import EventFilter, select
from .model import Cluster
from .router import Call, Reply, attachment
from .views import cluster_view

KUBECONFIG_STATES = ("finalizing", "installed", "error", "adding-hosts", "cancelled", "installing-pending-user-action")
EARLY_STATES = ("ready", "preparing-for-installation")
CREDENTIALS = ("kubeconfig", "kubeconfig-noingress", "kubeadmin-password")
FILES = ("bootstrap.ign", "master.ign", "arbiter.ign", "worker.ign", "metadata.json", "install-config.yaml", "custom_manifests.json", "custom_manifests.yaml")
NO_CONSOLE = "console-url isn't available yet, it will be once console operator is ready as part of cluster finalizing stage"


def console_url(cluster: Cluster) -> str:
    return f"https://console-openshift-console.apps.{cluster.domain}"


def credentials(core: Core, call: Call) -> Reply:
    cluster = core.cluster(call.path["cluster_id"])
    console = cluster.operators.get("console")
    if not core.settings.agent_installer and (console is None or console.status != "available"):
        raise conflict(NO_CONSOLE)
    return Reply(200, {"username": "kubeadmin", "password": cluster.kubeadmin_password, "console_url": console_url(cluster)})


def _allowed(core: Core, cluster: Cluster, name: str) -> None:
    states = list(KUBECONFIG_STATES)
    if name != "kubeconfig":
        states.append("installing")
        if core.settings.agent_installer:
            states += EARLY_STATES
    if cluster.status not in states:
        raise conflict(f"cluster {cluster.id} is in {cluster.status} state, files can be downloaded only when status is one of: {states}")


def download_credentials(core: Core, call: Call) -> Reply:
    cluster = core.cluster(call.path["cluster_id"])
    name = call.query.get("file_name", "")
    if name not in CREDENTIALS:
        raise bad_request(f"invalid credentials file name: {name}")
    _allowed(core, cluster, name)
    if name == "kubeadmin-password":
        return attachment(name, cluster.kubeadmin_password.encode())
    return attachment(name, core.kubeconfig(cluster, with_ingress=name == "kubeconfig" and bool(cluster.ingress_ca)).encode())


def download_files(core: Core, call: Call) -> Reply:
    cluster = core.cluster(call.path["cluster_id"])
    name = call.query.get("file_name", "")
    if name not in FILES:
        raise bad_request(f"invalid cluster file name: {name}")
    _allowed(core, cluster, name)
    hosts = core.state.hosts_of(cluster.id)
    if name == "metadata.json":
        return attachment(
            name, json.dumps({"clusterName": cluster.name, "clusterID": cluster.openshift_cluster_id or cluster.id, "infraID": cluster.name}).encode()
        )
    if name == "install-config.yaml":
        return attachment(name, json.dumps(install_config.install_config(cluster, hosts)).encode())
    if name.startswith("custom_manifests"):
        listed = {f"{folder}/{file_name}": manifest.content.decode(errors="replace") for (folder, file_name), manifest in sorted(cluster.manifests.items())}
        return attachment(name, json.dumps(listed).encode())
    if name == "bootstrap.ign":
        return attachment(name, json.dumps(artifacts.bootstrap_ignition(core, cluster)).encode())
    source = f"https://api-int.{cluster.domain}:22623/config/{name.removesuffix('.ign')}"
    return attachment(name, json.dumps({"ignition": {"version": "3.2.0", "config": {"merge": [{"source": source}]}}}).encode())


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
    cluster = core.cluster(call.path["cluster_id"])
    kind, hosts = call.query.get("logs_type", "all") or "all", core.state.hosts_of(cluster.id)
    if kind == "host":
        host = next((item for item in hosts if item.id == call.query.get("host_id")), None)
        if host is None or not host.logs:
            raise conflict(f"Logs for host {call.query.get('host_id')} were not found")
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
    """The part ``upfile`` of a multipart body; the router hands over its bytes."""
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
