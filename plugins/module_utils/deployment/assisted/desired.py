# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Compute the desired state of a deployment in a separate assisted-service: cluster, InfraEnv and hosts. Pure.

It is derived from the cluster-manifests of the deployment, so that method assisted sends what the client inside an
agent ISO sends for the same input. That client reads mirrors and a CA from further files; a separate service gets these
as overrides, and in the Ignition of the live system.
"""

from __future__ import annotations

import base64
import dataclasses
import json
from collections.abc import Mapping, Sequence
from typing import Any

from ...assisted.cluster.desired import DesiredServiceCluster
from ...assisted.from_manifests.cluster import requested_cluster
from ...assisted.from_manifests.infra_env import requested_infra_env
from ...assisted.from_manifests.read import parse_manifests
from ...assisted.from_manifests.release import release_of
from ...assisted.hosts.request import ServiceHostRequest, host_requests
from ...assisted.infra_env.plan import DesiredServiceInfraEnv, read_requested
from ...cluster.field_table import HOST_FIELDS
from ...cluster.field_values import request_options
from ...cluster.live_arguments import infra_env_arguments
from ...cluster.spec import Cluster, Deployment, Host
from ...common.addresses import normal_mac
from ...common.secrets import secret_values
from ...manifests.cluster_manifests import render_manifests
from ...manifests.mirrors import merged, registries_conf

REGISTRIES = "/etc/containers/registries.conf"
_IGNITION = "3.2.0"
_REQUESTS = tuple(row for row in HOST_FIELDS if row.own_request or row.service)
# Members of the service's fencing credentials by those of install-config.
_FENCING = {
    "address": "address",
    "username": "username",
    "password": "password",
    "certificate_verification": "certificateVerification",
}


@dataclasses.dataclass(frozen=True)
class DesiredDeployment:
    """The desired objects of the service; ``secrets`` must appear in no output."""

    cluster: DesiredServiceCluster
    infra_env: DesiredServiceInfraEnv
    hosts: Sequence[ServiceHostRequest]
    secrets: frozenset[str] = dataclasses.field(default=frozenset(), repr=False)

    @property
    def name(self) -> str:
        return self.cluster.name


def read_desired_deployment(
    deployment: Deployment,
    infra_env: Mapping[str, Any] | None = None,
    further: Mapping[str, Mapping[str, Any]] | None = None,
    names: Sequence[str] = (),
) -> DesiredDeployment:
    """``infra_env``: further options of module assisted_infra_env, which win; ``further``: of module assisted_hosts, by
    name of the host; ``names``: the hosts that are meant, all without. Raises :class:`InvalidInput` for options that
    cannot be used.
    """
    rendered = render_manifests(deployment)
    manifests = parse_manifests(
        rendered.cluster_manifests, {name: text.encode() for name, text in rendered.extra.items()}
    )
    release = release_of(manifests, deployment.cluster.version, deployment.cluster.architecture)
    cluster = requested_cluster(manifests, release)
    cluster = dataclasses.replace(cluster, overrides=overrides_text(cluster.overrides or "", deployment.cluster))
    requested = requested_infra_env(manifests, cluster_id=None)
    # What the client of the agent ISO leaves to the service's default, or sends empty, is left alone here.
    params = {name: value for name, value in requested.params.items() if value not in (None, "", [])}
    params |= (
        {"additional_trust_bundle": deployment.cluster.additional_trust_bundle}
        if deployment.cluster.additional_trust_bundle
        else {}
    )
    if arguments := infra_env_arguments(deployment.cluster):
        params["kernel_arguments"] = arguments
    provided = read_requested({"name": deployment.cluster.name, **_texts(infra_env or {})}).params
    ignition = live_system(deployment.cluster, str(provided.get("ignition_config_override") or ""))
    requested = dataclasses.replace(
        requested,
        name=deployment.cluster.name,
        params=params | dict(provided) | ({"ignition_config_override": ignition} if ignition else {}),
    )
    chosen = [host for host in deployment.hosts if not names or host.name in names or host.hostname in names]
    hosts = host_requests(
        [
            {**_host(host), **_fencing(host, deployment.cluster), **_texts((further or {}).get(host.name) or {})}
            for host in chosen
        ]
    )
    documents = [
        dict(rendered.agent_cluster_install),
        {"pull_secret": cluster.pull_secret, "overrides": cluster.overrides},
        dict(provided),
    ]
    return DesiredDeployment(
        cluster, requested, hosts, frozenset(secret_values(documents)).union(*(host.secrets for host in hosts))
    )


def _texts(options: Mapping[str, Any]) -> dict[str, Any]:
    """Ignition as the JSON text that it is, also where it is given as a mapping."""
    return {
        name: json.dumps(value) if name.startswith("ignition_config") and isinstance(value, Mapping) else value
        for name, value in options.items()
    }


def _host(host: Host) -> dict[str, Any]:
    return {
        "name": host.name,
        "mac_addresses": list(host.macs),
        **request_options(_REQUESTS, host),
        "hostname": (host.hostname or host.name).lower(),
    }


def _fencing(host: Host, cluster: Cluster) -> dict[str, Any]:
    """Access to its BMC where two nodes fence each other; the client of the agent ISO finds it in files.

    Source: openshift/installer pkg/asset/agent/image/ignition.go, data/data/agent/files.
    """
    for provided in (cluster.control_plane.options.get("fencing") or {}).get("credentials") or []:
        mac = normal_mac(str(provided.get("macAddress") or ""))
        if str(provided.get("hostName") or "").lower() == (host.hostname or host.name).lower() or mac in host.macs:
            return {
                "fencing_credentials": {
                    name: provided[theirs] for name, theirs in _FENCING.items() if provided.get(theirs)
                }
                | ({"mac_address": mac} if mac else {})
            }
    return {}


def overrides_text(known: str, cluster: Cluster) -> str | None:
    """The install-config overrides with mirrors and CA, which the service of an agent ISO reads from files; None where
    there are none.
    """
    document = json.loads(known or "{}")
    sources = [
        {
            "source": source.source,
            "mirrors": list(source.mirrors),
            **({"sourcePolicy": source.source_policy} if source.source_policy else {}),
        }
        for source in merged(cluster.image_digest_sources)
        if source.mirrors
    ]
    if sources:
        document.setdefault("imageDigestSources", sources)
    if cluster.additional_trust_bundle:
        document.setdefault("additionalTrustBundle", cluster.additional_trust_bundle)
    return json.dumps(document, separators=(",", ":"), ensure_ascii=False) if document else None


def live_system(cluster: Cluster, provided: str = "") -> str:
    """The Ignition override ``provided``, with the mirrors for the live system, which pulls the agent and the release
    image.
    """
    if not any(source.mirrors for source in cluster.image_digest_sources):
        return provided
    text = base64.b64encode(registries_conf(cluster.image_digest_sources).encode()).decode()
    contents = {"source": f"data:text/plain;charset=utf-8;base64,{text}"}
    file = {"path": REGISTRIES, "mode": 0o644, "overwrite": True, "user": {"name": "root"}, "contents": contents}
    document = json.loads(provided or "{}")
    storage = document.get("storage") or {}
    files = [own for own in storage.get("files") or [] if own.get("path") != REGISTRIES] if provided else []
    document = {"ignition": {"version": _IGNITION}, **document, "storage": {**storage, "files": [*files, file]}}
    return json.dumps(document, separators=(",", ":"), ensure_ascii=False)
