# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Observe a deployment of method assisted: read cluster and hosts from the separate assisted-service, and the API of
the new cluster as for every other method.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...assisted.install.progress import read_cluster, read_host
from ...assisted.rest.client import Document
from ...assisted.rest.service import AssistedService
from ...common.connect import DIRECT, ConnectTo
from ...common.errors import RemoteError, Unreachable
from ...common.parallel import for_each
from ..state.work_dir import DeploymentIdentity, WorkDir
from ..supervise.observation import ApiView, Observation, ServiceView
from ..supervise.observe import Observer


class AssistedObserver:
    """Reads the cluster ``cluster_id`` from ``service``; an empty id: the cluster does not exist yet.

    ``documents`` holds the last raw answers, as in :class:`Observer`.
    """

    def __init__(
        self,
        service: AssistedService,
        cluster_id: str,
        work_dir: WorkDir,
        identity: DeploymentIdentity,
        *,
        connect_to: ConnectTo = DIRECT,
        ca_cert: str = "",
    ) -> None:
        self.service = service
        self.cluster_id = cluster_id
        self._work_dir, self._identity, self._connect_to, self._ca_cert = work_dir, identity, connect_to, ca_cert
        self._documents: dict[str, Any] = {}
        self._api = self._api_observer()

    @property
    def documents(self) -> Mapping[str, Any]:
        return {**self._api.documents, **self._documents}

    @property
    def cluster(self) -> Document:
        """As it was seen last."""
        return dict(self._documents.get("cluster") or {})

    @property
    def hosts(self) -> list[Document]:
        """Its hosts, as they were seen last."""
        return list(self._documents.get("hosts") or [])

    def observe(self, state: Mapping[str, Any]) -> Observation:
        """Service and API at the same time.

        Raises what the service says to a request that it will never answer (no access, no such cluster).
        """
        views = {
            outcome.item: outcome
            for outcome in for_each(("service", "api"), lambda which: self._view(which, state), forks=2)
        }
        for outcome in views.values():
            if outcome.error is not None:
                raise outcome.error
        service, seen = views["service"].result, views["api"].result
        install = state.get("install") or {}
        return Observation(
            phase=str(install.get("phase") or ""),
            failure=str(install.get("failure") or ""),
            overdue=bool(install.get("overdue")),
            service=service if isinstance(service, ServiceView) else ServiceView(),
            api=seen.api if isinstance(seen, Observation) else ApiView(),
        )

    def credentials_changed(self) -> None:
        """auth/kubeconfig is another one now."""
        self._api.close()
        self._api = self._api_observer()

    def events(self) -> list[dict[str, Any]] | None:
        """What the service recorded of the cluster."""
        return self.service.events(cluster_id=self.cluster_id) if self.cluster_id else None

    def close(self) -> None:
        self._api.close()

    def _api_observer(self) -> Observer:
        return Observer(self._work_dir, {}, self._identity, connect_to=self._connect_to, ca_cert=self._ca_cert)

    def _view(self, which: str, state: Mapping[str, Any]) -> ServiceView | Observation:
        if which == "service":
            return self._view_service()
        # What answers there before we have the kubeconfig of a cluster that the service knows is that cluster, in all
        # likelihood.
        return self._api.observe(state) if not self.cluster_id or self._work_dir.kubeconfig.is_file() else Observation()

    def _view_service(self) -> ServiceView:
        if not self.cluster_id:
            return ServiceView()
        try:
            cluster = self.service.cluster(self.cluster_id)
            hosts = self.service.cluster_hosts(self.cluster_id)
        except Unreachable as error:
            return ServiceView(detail=error.message)
        except RemoteError as error:
            if error.status < 500 and error.status != 429:
                raise
            return ServiceView(detail=error.message)
        self._documents = {"cluster": cluster, "hosts": hosts}
        return ServiceView(
            answers=True, ours=True, cluster=read_cluster(cluster), hosts=tuple(read_host(host) for host in hosts)
        )
