# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Build the Ignition config of the live system that installs machines as additional nodes of a running cluster.

Each machine is its own rendezvous host, at 127.0.0.1: it imports the cluster into the assisted service on the same
machine, and requests its installation from that service. The caller passes the data of the running cluster; this module
sends no requests.

Source: openshift/installer pkg/asset/agent/joiner, pkg/asset/agent/workflow.
"""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from ..cluster.profile import profile_of
from ..cluster.spec import Cluster, Deployment, Host, ImageDigestSource, Pool, Proxy
from ..common.errors import InvalidInput
from ..common.problems import INVALID, UNSUPPORTED, Problem
from ..manifests.cluster_manifests import ManifestSet, render_manifests
from .document import PUBLIC, Directory, IgnitionFile, LiveIgnition
from .files.environment import ADD_NODES, ADD_NODES_ENV, OsImage
from .files.trust import CHRONY_CONF
from .live import live_ignition, manifest_files
from .secrets import BuildSecrets
from .tokens import Tokens

CLUSTER_CONFIG = "/etc/assisted/clusterconfig"
OWN_ADDRESS = "127.0.0.1"
# Fixed: the objects never leave the live system.
NAMESPACE = "cluster0"
# The service gets the cluster by other means; the files are for users who list the directory.
_EMPTY = ("agent-cluster-install.yaml", "cluster-deployment.yaml")
_API_NAME = re.compile(r"^api\.([^.]+)\.(.+)$")
_UUID = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_VERSION = re.compile(r"\d+\.\d+\.\d+")
_PULL_SPEC = re.compile(r"[\[\]\w.:-]+(/[\w.:-]+)+(@sha256:[0-9a-f]{64})?", re.ASCII)
_URL = re.compile(r"https?://[^/\s]")


@dataclasses.dataclass(frozen=True)
class IgnitionEndpoint:
    """Where joining workers get their Ignition; ``ca_certificate`` is the base64 of the PEM text that proves the
    server.
    """

    url: str
    ca_certificate: str


@dataclasses.dataclass(frozen=True)
class RunningCluster:
    """What a node image needs to know of the cluster.

    ``api_dns_name`` is the host of the API server's URL, ``api.<name>.<base domain>``; ``platform`` the installer's
    name of the platform, ``architecture`` Go's name of the nodes' architecture, ``chrony_conf`` the text of that file
    on the cluster's workers, empty for none.
    """

    cluster_id: str
    api_dns_name: str
    version: str
    release_image: str
    platform: str
    pull_secret: str = dataclasses.field(repr=False)
    architecture: str = "amd64"
    ssh_key: str = ""
    trust_bundle: str = ""
    image_digest_sources: tuple[ImageDigestSource, ...] = ()
    proxy: Proxy = dataclasses.field(default_factory=Proxy)
    fips: bool = False
    chrony_conf: str = ""
    ignition_endpoint: IgnitionEndpoint | None = None


def nodes_deployment(cluster: RunningCluster, hosts: tuple[Host, ...]) -> Deployment:
    """The deployment of these hosts: all of them workers, each its own rendezvous host.

    Raises :class:`InvalidInput` with every fact that no host could join with, and for a release that has no such
    workflow.
    """
    problems = [
        Problem(f"running_cluster.{path}", kind, detail, layer="ours", value=value)
        for path, kind, detail, value in _mistakes(cluster)
    ]
    match = _API_NAME.match(cluster.api_dns_name)
    if match is None or problems:
        raise InvalidInput(problems)
    spec = Cluster(
        name=match[1],
        base_domain=match[2],
        namespace=NAMESPACE,
        version=cluster.version,
        release_image=cluster.release_image,
        platform=cluster.platform,
        control_plane=Pool(0, cluster.architecture),
        compute=Pool(len(hosts), cluster.architecture),
        pull_secret=cluster.pull_secret,
        ssh_key=cluster.ssh_key,
        additional_trust_bundle=cluster.trust_bundle,
        image_digest_sources=cluster.image_digest_sources,
        proxy=cluster.proxy,
        fips=cluster.fips,
    )
    return Deployment(spec, hosts, OWN_ADDRESS)


def _mistakes(cluster: RunningCluster) -> Iterator[tuple[str, str, str, str]]:
    """(fact, kind, detail, value): what a host would stumble over long after it has booted.

    The value of the pull secret is never printed.
    """
    if not _API_NAME.match(cluster.api_dns_name):
        detail = "the name of the cluster cannot be derived from this; api.<name>.<base domain> is expected"
        yield "api_dns_name", INVALID, detail, f'"{cluster.api_dns_name}"'
    if not _UUID.fullmatch(cluster.cluster_id):
        yield "id", INVALID, "is not the ID of a cluster, a UUID", f'"{cluster.cluster_id}"'
    if not _VERSION.match(cluster.version):
        yield "version", INVALID, "is not a version like 4.22.3", f'"{cluster.version}"'
    elif not profile_of(cluster.version).add_nodes:
        yield (
            "version",
            UNSUPPORTED,
            "nodes join clusters of release 4.16 and later by an image",
            f'"{cluster.version}"',
        )
    if not _PULL_SPEC.fullmatch(cluster.release_image):
        yield "release_image", INVALID, "is not the name of an image", f'"{cluster.release_image}"'
    if not _holds_credentials(cluster.pull_secret):
        yield "pull_secret", INVALID, "is not a JSON document with credentials in auths", ""
    endpoint = cluster.ignition_endpoint
    if endpoint is not None and not _URL.match(endpoint.url):
        yield "ignition_endpoint.url", INVALID, "is not a URL", f'"{endpoint.url}"'


def _holds_credentials(pull_secret: str) -> bool:
    try:
        document = json.loads(pull_secret)
    except (ValueError, RecursionError):
        return False
    return isinstance(document, dict) and bool(document.get("auths")) and isinstance(document["auths"], dict)


def build_nodes_ignition(
    cluster: RunningCluster, hosts: tuple[Host, ...], secrets: BuildSecrets, tokens: Tokens, os_image: OsImage
) -> LiveIgnition:
    """Everything the live system needs to join; the same input gives the same bytes.

    ``tokens`` take the place of those in ``secrets``.

    Raises :class:`InvalidInput` as :func:`nodes_deployment`, and with every networkConfig that cannot become keyfiles.
    """
    deployment = nodes_deployment(cluster, hosts)
    manifests = render_manifests(deployment)
    provided = {name: getattr(tokens, name) for name in ("public_key", "agent_token", "user_token", "watcher_token")}
    return live_ignition(
        deployment,
        manifests,
        dataclasses.replace(secrets, **provided),
        os_image,
        [*manifest_files(_manifest_texts(manifests), {}), *_cluster_files(cluster, deployment.cluster, tokens)],
        workflow=ADD_NODES,
        directories=(Directory(CLUSTER_CONFIG, PUBLIC),),
    )


def _manifest_texts(manifests: ManifestSet) -> Mapping[str, str]:
    return {**manifests.cluster_manifests, **dict.fromkeys(_EMPTY, "")}


def _cluster_files(cluster: RunningCluster, spec: Cluster, tokens: Tokens) -> list[IgnitionFile]:
    expiry = f"AUTH_TOKEN_EXPIRY={tokens.expires}\n" if profile_of(cluster.version).token_status else ""
    environment = (
        f"CLUSTER_ID={cluster.cluster_id}\nCLUSTER_NAME={spec.name}\nCLUSTER_API_VIP_DNS_NAME={cluster.api_dns_name}\n"
        f"{expiry}"
    )
    files = [
        IgnitionFile(ADD_NODES_ENV, PUBLIC, environment.encode()),
        _json_file(
            "import-cluster-config.json", {"networking": {"userManagedNetworking": spec.user_managed_networking}}
        ),
    ]
    if cluster.ignition_endpoint is not None:
        files.append(_json_file("worker-ignition-endpoint.json", dataclasses.asdict(cluster.ignition_endpoint)))
    if cluster.chrony_conf:
        files.append(IgnitionFile(CHRONY_CONF, PUBLIC, cluster.chrony_conf.encode()))
    return files


def _json_file(name: str, document: Mapping[str, Any]) -> IgnitionFile:
    return IgnitionFile(f"{CLUSTER_CONFIG}/{name}", PUBLIC, json.dumps(document, indent=2, sort_keys=True).encode())
