# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Read the status of a deployment without changing it: state file, image, service on the rendezvous host, API of the
new cluster.

An address does not prove that a service or API belongs to this deployment. The service must accept the deployment's
token and return its infra-env id. The API must have a certificate from its signers and accept its client certificate.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ...assisted.install.progress import read_cluster, read_host
from ...assisted.rest.auth import FixedTokens
from ...assisted.rest.client import AssistedClient
from ...common.connect import DIRECT, ConnectTo
from ...common.errors import RemoteError, Unreachable
from ...common.parallel import for_each
from ...kube.client import KubeClient
from ...kube.config import KubeConfig
from ...kube.paths import CLUSTER_OPERATOR, CLUSTER_VERSION, CONFIG_MAP, NODE, VERSION
from ..agent.inputs import BASE_IMAGE, base_image_changed, differing_paths, input_digests
from ..state.recovery import kubeconfig_of, readable_kubeconfig
from ..state.work_dir import DeploymentIdentity, WorkDir
from .observation import ApiView, ClusterVersion, ImageView, Node, Observation, Operator, OperatorCondition, ServiceView

# Seconds for one request; an address where nothing is must not hold up what does answer.
TIMEOUT = 5.0
_NODE_ROLE = "node-role.kubernetes.io/"


def view_image(work_dir: WorkDir, state: Mapping[str, Any], inputs: Mapping[str, str] | None = None) -> ImageView:
    """The image against ``config/``, or against ``inputs`` (digests of what it is going to hold)."""
    image = state.get("image") or {}
    if not image.get("path"):
        return ImageView()
    path = Path(str(image["path"]))
    exists = path.is_file() and path.stat().st_size == image.get("size", path.stat().st_size)
    current = input_digests(work_dir.config) if inputs is None else dict(inputs)
    differing = differing_paths(current, image.get("inputs") or {})
    comparable = bool(image.get("sha256") or image.get("recipe"))
    if base_image_changed(image.get("base") or {}, compared_later=not exists and comparable):
        differing += (BASE_IMAGE,)
    return ImageView(True, exists, differing)


class Observer:
    """Connections to one deployment, kept open between observations.

    ``documents`` holds the last raw answers (``cluster``, ``hosts``, ``cluster_version``, ``cluster_operators``,
    ``nodes``), for the failure bundle: what the service said last is worth most when it has gone.
    """

    def __init__(
        self,
        work_dir: WorkDir,
        state: Mapping[str, Any],
        identity: DeploymentIdentity,
        *,
        connect_to: ConnectTo = DIRECT,
        ca_cert: str = "",
        timeout: float = TIMEOUT,
    ) -> None:
        self.work_dir = work_dir
        self.identity = identity
        self.documents: dict[str, Any] = {}
        self._secrets = state.get("secrets") or {}
        self._credentials = readable_kubeconfig(work_dir.kubeconfig) or kubeconfig_of(self._secrets, identity.api_url)
        self._connect_to = connect_to
        self._ca_cert = ca_cert
        self._timeout = timeout
        self._service: AssistedClient | None = None
        self._api: KubeClient | None = None

    @property
    def infra_env_id(self) -> str:
        return str(self._secrets.get("infra_env_id") or "")

    @property
    def service(self) -> AssistedClient | None:
        """None if its address is not known yet."""
        if self._service is None and self.identity.service_url:
            tokens = FixedTokens(
                str(self._secrets.get("watcher_token") or ""), str(self._secrets.get("user_token") or "")
            )
            name = f"assisted-service at {self.identity.rendezvous_ip}"
            self._service = AssistedClient(
                self.identity.service_url, tokens, connect_to=self._connect_to, timeout=self._timeout, service=name
            )
        return self._service

    @property
    def api(self) -> KubeClient | None:
        """With our kubeconfig, or with the same from state.json; before there is either, without credentials, only to
        see whether something answers.
        """
        if self._api is None and self.identity.api_url:
            config = self._credentials or KubeConfig(self.identity.api_url, validate_certs=False)
            trusted = (self._ca_cert,) if self._ca_cert else ()
            name = f"API at {config.server}"
            self._api = KubeClient(
                config, connect_to=self._connect_to, ca_certs=trusted, timeout=self._timeout, service=name
            )
        return self._api

    def observe(self, state: Mapping[str, Any], image: ImageView | None = None, **known: Any) -> Observation:
        """Service and API are asked at the same time; ``known`` are further fields of the observation.

        Raises only for faults of our own files.
        """
        views = {outcome.item: outcome for outcome in for_each(("service", "api"), self._view, forks=2)}
        for outcome in views.values():
            if outcome.error is not None:
                raise outcome.error
        install = state.get("install") or {}
        service, api = views["service"].result, views["api"].result
        return Observation(
            phase=str(install.get("phase") or ""),
            failure=str(install.get("failure") or ""),
            overdue=bool(install.get("overdue")),
            rendezvous_ip=self.identity.rendezvous_ip,
            image=image or ImageView(),
            service=service if isinstance(service, ServiceView) else ServiceView(),
            api=api if isinstance(api, ApiView) else ApiView(),
            **known,
        )

    def _view(self, which: str) -> ServiceView | ApiView:
        return self._view_service() if which == "service" else self._view_api()

    def events(self) -> list[dict[str, Any]] | None:
        """What the service recorded; None if its address is unknown."""
        return self.service.events(infra_env_id=self.infra_env_id) if self.service and self.infra_env_id else None

    def close(self) -> None:
        for client in (self._service, self._api):
            if client is not None:
                client.close()

    def _view_service(self) -> ServiceView:
        client = self.service
        if client is None:
            return ServiceView()
        try:
            infra_envs = client.infra_envs()
        except Unreachable as error:
            return ServiceView(detail=error.message)
        except RemoteError as error:
            # 5xx: it is starting or going down, which is no answer yet.
            return ServiceView(answers=error.status < 500, detail=error.message)
        ours = self.infra_env_id
        ids = [str(infra_env.get("id")) for infra_env in infra_envs]
        if not ours or (ids and ours not in ids):
            known = f"Its infra-env is {ids[0]}" if ids else "It has no infra-env yet"
            shown_ours = ours or "not made yet"
            return ServiceView(answers=True, detail=f"{known}, ours is {shown_ours}.")
        if not ids:
            return ServiceView(answers=True, ours=True)
        return self._view_installation(client, ours)

    def _view_installation(self, client: AssistedClient, infra_env_id: str) -> ServiceView:
        """Cluster and hosts; what the service cannot tell at this moment is left out."""
        try:
            clusters = client.clusters()
            cluster = client.cluster(str(clusters[0].get("id"))) if clusters else {}
            hosts = client.hosts(infra_env_id)
        except (RemoteError, Unreachable) as error:
            return ServiceView(answers=True, ours=True, detail=error.message)
        self.documents.update({"cluster": cluster, "hosts": hosts})
        return ServiceView(
            answers=True,
            ours=True,
            cluster=read_cluster(cluster) if cluster else None,
            hosts=tuple(read_host(host) for host in hosts),
        )

    def _view_api(self) -> ApiView:
        client = self.api
        if client is None:
            return ApiView()
        try:
            version = str(client.get(VERSION).get("gitVersion") or "")
            if self._credentials is None:
                return ApiView(
                    answers=True, detail=(f"{client.server} answers, and there is no kubeconfig of this deployment.")
                )
            nodes = client.list(NODE.path())
            return self._view_cluster(client, version, nodes)
        except Unreachable as error:
            # A certificate that our signers did not issue, or a server that refuses ours already in the handshake: the
            # API of another cluster.
            return ApiView(answers=error.kind == "tls", detail=error.message)
        except RemoteError as error:
            # 5xx and 429: it is starting, busy or going down, which is no answer yet.
            return ApiView(answers=error.status < 500 and error.status != 429, detail=error.message)

    def _view_cluster(self, client: KubeClient, version: str, nodes: Sequence[Mapping[str, Any]]) -> ApiView:
        """A user who may list nodes is the administrator of our kubeconfig; the rest may be missing for a moment."""
        try:
            bootstrap = client.find(CONFIG_MAP.path("kube-system", "bootstrap")) or {}
            cluster_version = client.find(CLUSTER_VERSION.path(name="version"))
            operators = _list_if_known(lambda: client.list(CLUSTER_OPERATOR.path()))
        except (RemoteError, Unreachable) as error:
            return ApiView(
                answers=True,
                ours=True,
                detail=error.message,
                version=version,
                nodes=tuple(read_node(node) for node in nodes),
            )
        self.documents.update(
            {"nodes": list(nodes), "cluster_version": cluster_version, "cluster_operators": operators}
        )
        now = self._server_time(client)
        return ApiView(
            answers=True,
            ours=True,
            version=version,
            nodes=tuple(read_node(node) for node in nodes),
            bootstrap_complete=(bootstrap.get("data") or {}).get("status") == "complete",
            cluster_version=read_cluster_version(cluster_version, now) if cluster_version else None,
            operators=tuple(read_operator(operator, now) for operator in operators),
        )

    def _server_time(self, client: KubeClient) -> datetime.datetime | None:
        """The API server's own clock, so that ages of conditions do not depend on ours."""
        return client.server_time()


def read_node(document: Mapping[str, Any]) -> Node:
    metadata, status = document.get("metadata") or {}, document.get("status") or {}
    roles = tuple(
        sorted(label.removeprefix(_NODE_ROLE) for label in metadata.get("labels") or {} if label.startswith(_NODE_ROLE))
    )
    addresses = tuple(
        str(entry.get("address")) for entry in status.get("addresses") or [] if entry.get("type") == "InternalIP"
    )
    return Node(
        str(metadata.get("name") or ""),
        _conditions(document, None).get("Ready", OperatorCondition()).true,
        roles,
        addresses,
    )


def read_cluster_version(document: Mapping[str, Any], now: datetime.datetime | None = None) -> ClusterVersion:
    conditions = _conditions(document, now)
    desired = (document.get("status") or {}).get("desired") or {}
    named = {
        field: conditions.get(field.capitalize(), OperatorCondition())
        for field in ("available", "failing", "progressing")
    }
    return ClusterVersion(version=str(desired.get("version") or ""), **named)


def read_operator(document: Mapping[str, Any], now: datetime.datetime | None = None) -> Operator:
    conditions = _conditions(document, now)
    named = {
        field: conditions.get(field.capitalize(), OperatorCondition())
        for field in ("available", "progressing", "degraded")
    }
    return Operator(str((document.get("metadata") or {}).get("name") or ""), **named)


def _conditions(document: Mapping[str, Any], now: datetime.datetime | None) -> dict[str, OperatorCondition]:
    entries = (document.get("status") or {}).get("conditions") or []
    return {str(entry.get("type")): _condition(entry, now) for entry in entries if isinstance(entry, dict)}


def _condition(entry: Mapping[str, Any], now: datetime.datetime | None) -> OperatorCondition:
    age = -1.0
    try:
        since = datetime.datetime.fromisoformat(str(entry.get("lastTransitionTime")))
        age = (now - since).total_seconds() if now else -1.0
    except (ValueError, TypeError):
        age = -1.0
    return OperatorCondition(str(entry.get("status") or ""), str(entry.get("message") or ""), age)


def _list_if_known(read: Callable[[], list[dict[str, Any]]]) -> list[dict[str, Any]]:
    """Nothing while the API does not know the kind yet (early in bootstrap)."""
    try:
        return read()
    except RemoteError as error:
        if error.status == 404:
            return []
        raise
