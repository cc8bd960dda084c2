# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Write the files with which a user logs in to the new cluster, and find the URL of its console.

One kubeconfig also trusts the CA of the ingress. A second one has the address from ``openshift_connect_to`` as its
server. The ingress CA exists only once the cluster runs. It is added before the CA data of each ``clusters[]`` entry of
auth/kubeconfig, as ``agent wait-for install-complete`` does (openshift/installer pkg/agent/cluster.go,
pkg/agent/waitfor.go).
"""

from __future__ import annotations

import base64
import copy
import dataclasses
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from ..common import libraries, yaml_text
from ..common.clock import Clock
from ..common.connect import ConnectTo
from ..common.errors import RemoteError, Unreachable, ZeroTouchError
from ..common.files import SECRET_FILE, same_file, write_atomic
from ..common.retry_policies import KUBE_ATTEMPTS, PATIENCE
from ..common.waiting import Deadline, turns
from ..kube.client import KubeClient
from ..kube.config import load_document
from ..kube.paths import CONFIG_MAP, NODE, ROUTE
from .report.nodes import record_nodes
from .state.work_dir import DeploymentIdentity, WorkDir, identity, read_deployment
from .supervise.observe import read_node

# Seconds; the console's route is admitted last (openshift/installer pkg/agent/cluster.go, pkg/agent/waitfor.go).
CONSOLE_LIMIT = 120.0
CONSOLE_PAUSE = 2.0
_CERTIFICATE = re.compile(r"-----BEGIN CERTIFICATE-----\s.+?-----END CERTIFICATE-----", re.S)


@dataclasses.dataclass(frozen=True)
class FilePlan:
    """The desired content of a file (None: it must not exist), and why it is changed; no reason, no change."""

    path: Path
    content: str | None
    reason: str = ""


@dataclasses.dataclass(frozen=True)
class Console:
    """Where the console is; ``warning`` when it is not certain."""

    url: str = ""
    warning: str = ""


def plan_kubeconfig(path: Path, ingress_ca: str) -> FilePlan:
    """The kubeconfig with every certificate of ``ingress_ca`` trusted for every cluster; certificates that are there
    already stay where they are.
    """
    document = load_document(path)
    merged = copy.deepcopy(document)
    for entry in merged["clusters"]:
        cluster = entry.get("cluster") if isinstance(entry, dict) else None
        if isinstance(cluster, dict) and cluster.get("certificate-authority-data"):
            cluster["certificate-authority-data"] = _with_authorities(
                path, str(cluster["certificate-authority-data"]), ingress_ca
            )
    if merged == document:
        return FilePlan(path, path.read_text())
    return FilePlan(path, _dump(merged), "the CA of the cluster's ingress is added")


def plan_direct(kubeconfig: FilePlan, path: Path, connect_to: ConnectTo) -> FilePlan:
    """The same with the API's mapped address as server and its name in ``tls-server-name``; no such file where nothing
    is mapped.
    """
    document = yaml_text.load(kubeconfig.content or "")
    mapped = False
    for entry in document["clusters"]:
        cluster = entry["cluster"]
        parts = urlsplit(str(cluster.get("server") or ""))
        target = connect_to.lookup(parts.hostname or "", parts.port or 443)
        if target is not None and parts.hostname:
            host = f"[{target[0]}]" if ":" in target[0] else target[0]
            cluster |= {"server": f"{parts.scheme}://{host}:{target[1]}{parts.path}", "tls-server-name": parts.hostname}
            mapped = True
    if not mapped:
        return FilePlan(path, None, "nothing maps the API any more" if path.exists() else "")
    content = _dump(document)
    return FilePlan(path, content, "" if same_file(path, content) else "the API is reached at a mapped address")


def apply_file(plan: FilePlan) -> None:
    """Write or remove the file as planned, whole or not at all."""
    if not plan.reason:
        return
    if plan.content is None:
        plan.path.unlink(missing_ok=True)
    else:
        write_atomic(plan.path, plan.content, SECRET_FILE)


def read_ingress_ca(client: KubeClient) -> str:
    """PEM of the CA that signs the cluster's routes.

    Raises :class:`ZeroTouchError` when the cluster has not published it.
    """
    config_map = client.find(CONFIG_MAP.path("openshift-config-managed", "default-ingress-cert"))
    bundle = str(((config_map or {}).get("data") or {}).get("ca-bundle.crt") or "")
    if not _CERTIFICATE.search(bundle):
        raise ZeroTouchError(
            "The cluster has no configmap openshift-config-managed/default-ingress-cert with ca-bundle.crt yet.",
            "Wait until its operators are available.",
        )
    return bundle


def find_console(client: KubeClient, clock: Clock, limit: float = CONSOLE_LIMIT) -> Console:
    """The console's URL from its route, waiting up to ``limit`` seconds for an admission; a cluster without the route
    has no console.
    """
    fault = ""
    for _turn in turns(Deadline(clock, limit), CONSOLE_PAUSE):
        try:
            route = client.find(ROUTE.path("openshift-console", "console"))
            if route is None:
                return Console(warning="The cluster has no console: there is no route openshift-console/console.")
            if host := _admitted_host(route):
                return Console(f"https://{host}")
            fault = "its route is not admitted"
        except (RemoteError, Unreachable) as error:
            fault = error.message
    return Console(warning=f"The console's URL is not known: {fault}.")


def expected_console(identity: DeploymentIdentity) -> str:
    """Where the console of such a cluster is, unless the user moved it."""
    return f"https://console-openshift-console.apps.{identity.domain}" if identity.domain else ""


def login_paths(work_dir: WorkDir) -> dict[str, str]:
    """Paths for results; never what the files hold."""
    direct = work_dir.kubeconfig_direct
    return {
        "kubeconfig": str(work_dir.kubeconfig),
        "kubeconfig_direct": str(direct) if direct.exists() else "",
        "kubeadmin_password_file": str(work_dir.kubeadmin_password) if work_dir.kubeadmin_password.exists() else "",
    }


def certificates(bundle: str) -> list[str]:
    """The PEM certificates of a bundle, without the text around them."""
    return [match.group(0).strip() for match in _CERTIFICATE.finditer(bundle)]


def _with_authorities(path: Path, data: str, ingress_ca: str) -> str:
    try:
        present = base64.b64decode(data).decode()
    except ValueError as error:
        raise ZeroTouchError(f"The kubeconfig {path}: certificate-authority-data is not base64 of PEM text.") from error
    known = {_body(certificate) for certificate in certificates(present)}
    missing = [certificate for certificate in certificates(ingress_ca) if _body(certificate) not in known]
    if not missing:
        return data
    return base64.b64encode("".join([*(f"{certificate}\n" for certificate in missing), present]).encode()).decode()


def _body(certificate: str) -> str:
    return "".join(certificate.split())


def _admitted_host(route: dict[str, Any]) -> str:
    for ingress in (route.get("status") or {}).get("ingress") or []:
        conditions = ingress.get("conditions") or []
        if any(condition.get("type") == "Admitted" and condition.get("status") == "True" for condition in conditions):
            return str(ingress.get("host") or (route.get("spec") or {}).get("host") or "")
    return ""


def _dump(document: dict[str, Any]) -> str:
    dump: Callable[..., str] = libraries.yaml.safe_dump
    return dump(document, sort_keys=True, default_flow_style=False)


@dataclasses.dataclass(frozen=True)
class HandOver:
    """What ``cluster_credentials`` is going to write and where one logs in.

    ``predicted``: the cluster could not be asked yet (check mode).
    """

    work_dir: WorkDir
    api_url: str
    console: Console
    files: tuple[FilePlan, ...] = ()
    nodes: tuple[dict[str, Any], ...] = ()
    predicted: bool = False

    @property
    def changed(self) -> bool:
        return self.predicted or any(file.reason for file in self.files) or self._console_is_news

    @property
    def _console_is_news(self) -> bool:
        return bool(self.console.url) and self.work_dir.state.section("install").get("console_url") != self.console.url

    def apply(self) -> None:
        for file in self.files:
            apply_file(file)
        news: dict[str, Any] = {"console_url": self.console.url} if self._console_is_news else {}
        # The Nodes as they are now, for the report: no wait is needed for a cluster that is installed already.
        self.work_dir.state.update("install", {**news, **({"nodes": list(self.nodes)} if self.nodes else {})})

    def as_result(self) -> dict[str, Any]:
        """The module's result: paths and URLs, never what the files hold."""
        return {
            "changed": self.changed,
            **login_paths(self.work_dir),
            "api_url": self.api_url,
            "console_url": self.console.url,
        }

    def as_diff(self) -> list[dict[str, str]]:
        """Reasons instead of contents, which are secret."""
        return [
            {"before_header": str(file.path), "after_header": str(file.path), "before": "", "after": f"{file.reason}\n"}
            for file in self.files
            if file.reason
        ]


def plan_hand_over(
    work_dir: WorkDir,
    clock: Clock,
    *,
    connect_to: ConnectTo,
    ca_cert: str = "",
    console_limit: float = CONSOLE_LIMIT,
    check_mode: bool = False,
) -> HandOver:
    """Read the ingress CA and the console of the cluster.

    Raises :class:`ZeroTouchError` if there is no kubeconfig or the API refuses; in check mode that is a prediction
    instead.

    An API that cannot be reached from here is a warning: the installation is complete, and the next run completes the
    credentials.
    """
    who = identity(work_dir.state.read(), read_deployment(work_dir.config))
    try:
        client = KubeClient.from_kubeconfig(
            work_dir.kubeconfig,
            connect_to=connect_to,
            ca_cert=ca_cert,
            attempts=KUBE_ATTEMPTS,
            outage=PATIENCE,
            clock=clock,
            service=f"API at {who.api_url}",
        )
        try:
            ingress_ca = read_ingress_ca(client)
            console = find_console(client, clock, 0.0 if check_mode else console_limit)
            nodes = tuple(record_nodes([read_node(node) for node in client.list(NODE.path())]))
        finally:
            client.close()
        kubeconfig = plan_kubeconfig(work_dir.kubeconfig, ingress_ca)
        direct = plan_direct(kubeconfig, work_dir.kubeconfig_direct, connect_to)
    except ZeroTouchError as error:
        if not check_mode and isinstance(error, Unreachable):
            return HandOver(work_dir, who.api_url, Console(warning=_unreachable(work_dir, error)))
        if not check_mode:
            raise
        return HandOver(work_dir, who.api_url, Console(expected_console(who)), predicted=True)
    return HandOver(work_dir, who.api_url, console, (kubeconfig, direct), nodes)


def _unreachable(work_dir: WorkDir, error: Unreachable) -> str:
    return (
        f"The cluster is installed, but this machine cannot reach its API: {error.message} {work_dir.kubeconfig} is "
        "saved without the CA of the ingress. "
        "Add the DNS record of the API or an entry in openshift_connect_to, and run again."
    )
