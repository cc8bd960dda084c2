# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Implement the assisted-service without HTTP: state, clock and events, and the only functions that change the status
of clusters and hosts.
"""

from __future__ import annotations

import asyncio
import base64
import dataclasses
import secrets
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import yaml

from ..clock import LabClock
from ..faults import Faults
from .errors import not_found
from .events import Event
from .model import NO_TIME, Cluster, Host, InfraEnv, State
from .scene import Scene
from .settings import ReleaseImage, Settings
from .tokens import Signer

HOST_WARNING = frozenset(
    {
        "disconnected",
        "insufficient",
        "installing-pending-user-action",
        "disconnected-unbound",
        "insufficient-unbound",
        "preparing-failed",
    }
)


def skeleton_kubeconfig(name: str, domain: str) -> str:
    """Where the service has no cluster of the lab: the right form without keys."""
    context = {"name": "admin", "context": {"cluster": name, "user": "admin"}}
    document = {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": name, "cluster": {"server": f"https://api.{domain}:6443"}}],
        "contexts": [context],
        "current-context": "admin",
        "users": [{"name": "admin", "user": {}}],
    }
    return str(yaml.safe_dump(document, sort_keys=False))


class Core:
    """Shared by all handlers and both monitors; they run in one event loop, so no locks."""

    def __init__(self, settings: Settings, clock: LabClock, faults: Faults) -> None:
        self.settings = settings
        self.clock = clock
        self.faults = faults
        self.state = State()
        self.events: list[Event] = []
        self.background: set[asyncio.Task[None]] = set()
        self.kubeconfig_source: Callable[[str, str], str] = skeleton_kubeconfig
        self.signer = Signer(settings.private_key_pem) if settings.private_key_pem else None
        # Hooks of a service with a Kubernetes API: a host registered (its Agent must exist before the answer);
        # something changed; the discovery image.
        self.on_registration: Callable[[Host], Awaitable[None]] | None = None
        self.on_change: Callable[[Cluster | InfraEnv | Host], None] | None = None
        self.discovery_source: Callable[[Core, InfraEnv, str], Mapping[str, Any]] | None = None
        self.initrd_source: Callable[[Core, InfraEnv], bytes | None] | None = None
        # name -> (certificate, key): the signers that the service makes for a cluster, for bootstrap.ign.
        self.signers_source: Callable[[Cluster], Mapping[str, tuple[bytes, bytes]]] | None = None

    # time

    def now(self) -> float:
        return self.clock.now()

    def timestamp(self) -> str:
        """The time of day as the API writes it."""
        return self.clock.utcnow().strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3] + "Z"

    # look-ups

    def cluster(self, cluster_id: str) -> Cluster:
        found = self.state.clusters.get(cluster_id)
        if found is None:
            raise not_found()
        return found

    def infra_env(self, infra_env_id: str) -> InfraEnv:
        found = self.state.infra_envs.get(infra_env_id)
        if found is None:
            raise not_found()
        return found

    def host(self, infra_env_id: str, host_id: str) -> Host:
        found = self.state.hosts.get((infra_env_id, host_id))
        if found is None:
            raise not_found(f"failed to get host {host_id} in infra_env {infra_env_id}: record not found")
        return found

    def cluster_of(self, host: Host) -> Cluster | None:
        return self.state.clusters.get(host.cluster_id) if host.cluster_id else None

    def scene(self, cluster: Cluster | None, host: Host | None = None) -> Scene:
        """What validations look at now: the cluster with all its hosts, or one unbound host."""
        infra_env = self.state.infra_envs.get(host.infra_env_id) if host is not None else None
        if cluster is not None:
            return Scene(self.settings, self.now(), cluster, tuple(self.state.hosts_of(cluster.id)), infra_env)
        return Scene(self.settings, self.now(), None, (host,) if host is not None else (), infra_env)

    # tokens and releases

    def sign_infra_env(self, infra_env_id: str) -> str:
        """A token that opens one infra-env; "" for a service that signs nothing."""
        return self.signer.token(infra_env_id=infra_env_id) if self.signer is not None else ""

    def add_release(self, release: ReleaseImage) -> None:
        """A release image that a ClusterImageSet names."""
        if release not in self.settings.releases:
            known = tuple(item for item in self.settings.releases if item.url != release.url)
            self.settings = dataclasses.replace(self.settings, releases=(*known, release))

    # events

    def event(
        self,
        name: str,
        message: str,
        *,
        severity: str = "info",
        cluster: Cluster | None = None,
        infra_env: InfraEnv | None = None,
        host: Host | None = None,
        props: Mapping[str, Any] | None = None,
    ) -> None:
        """Record an event; a host brings the ids of its cluster and infra-env with it."""
        cluster_id = next((each.cluster_id for each in (host, infra_env) if each), "")
        if cluster:
            cluster_id = cluster.id
        infra_env_id = host.infra_env_id if host else ""
        if infra_env:
            infra_env_id = infra_env.id
        self.events.append(
            Event(
                name,
                severity,
                message,
                self.timestamp(),
                cluster_id,
                infra_env_id,
                host.id if host else "",
                props=dict(props or {}),
            )
        )

    # changes of status

    def set_host_status(self, host: Host, status: str, info: str) -> None:
        """Change status and text; an event only for a change of the status."""
        if (host.status, host.status_info) == (status, info):
            return
        previous, changed = host.status, host.status != status
        host.status, host.status_info = status, info
        host.status_updated_at = host.updated_at = self.timestamp()
        self.changed(host)
        if not changed:
            return
        host.status_since = self.now()
        severity = "warning" if status in HOST_WARNING else "info"
        if status == "error":
            severity = "error"
        text = f"Host {host.name}: updated status from {previous} to {status}" + (f" ({info})" if info else "")
        self.event(
            "host_status_updated",
            text,
            severity=severity,
            host=host,
            props={"src_status": previous, "new_status": status},
        )

    def set_cluster_status(self, cluster: Cluster, status: str, info: str) -> None:
        if (cluster.status, cluster.status_info) == (status, info):
            return
        changed = cluster.status != status
        cluster.status, cluster.status_info = status, info
        cluster.status_updated_at = cluster.updated_at = self.timestamp()
        self.changed(cluster)
        if not changed:
            return
        cluster.status_since = self.now()
        severity = "critical" if status == "error" else "info"
        self.event(
            "cluster_status_updated",
            f"Updated status of the cluster to {status}",
            severity=severity,
            cluster=cluster,
            props={"new_status": status},
        )
        if status == "installed":
            cluster.install_completed_at = self.timestamp()
            self.event("cluster_installation_completed", "Successfully completed installing cluster", cluster=cluster)
        if status == "error":
            cluster.install_completed_at = self.timestamp()
            self.event(
                "cluster_installation_failed",
                f"Failed installing cluster {cluster.name}. Reason: {info}",
                severity="critical",
                cluster=cluster,
            )

    def touch(self, item: Cluster | InfraEnv | Host) -> None:
        item.updated_at = self.timestamp()
        self.changed(item)

    def changed(self, item: Cluster | InfraEnv | Host) -> None:
        """Notify other components that show this."""
        if self.on_change is not None:
            self.on_change(item)

    def kubeconfig(self, cluster: Cluster, *, with_ingress: bool) -> str:
        """The file for downloads; the variant with ingress also trusts the uploaded certificate."""
        text = self.kubeconfig_source(cluster.name, cluster.domain)
        if not with_ingress:
            return text
        document = yaml.safe_load(text)
        for entry in document.get("clusters") or []:
            data = entry["cluster"].get("certificate-authority-data", "")
            bundle = cluster.ingress_ca.encode() + base64.b64decode(data)
            entry["cluster"]["certificate-authority-data"] = base64.b64encode(bundle).decode()
        return str(yaml.safe_dump(document, sort_keys=False))

    def start_installation(self, cluster: Cluster) -> None:
        cluster.install_started = self.now()
        cluster.install_started_at = self.timestamp()
        cluster.install_completed_at = NO_TIME
        cluster.kubeadmin_password = cluster.kubeadmin_password or "-".join(secrets.token_hex(3)[:5] for _ in range(4))
