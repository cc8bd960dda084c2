# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Render the Ignition files for hosts that install: bootstrap.ign with the cluster's signers (CAs), and the config of
each host.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from typing import Any

import yaml

from ..hub.discovery.ignition import merge
from .core import Core
from .install_config import install_config
from .model import Cluster, Host

TLS_DIRECTORY = "/opt/openshift/tls"
CLUSTER_CONFIG = "/opt/openshift/manifests/cluster-config.yaml"
CLUSTER_VERSION = "/opt/openshift/manifests/cvo-overrides.yaml"
ROOT_CA = "root-ca"


def bootstrap_ignition(core: Core, cluster: Cluster) -> dict[str, Any]:
    """As far as the lab's bootstrap reads it: signers, the install-config in its ConfigMap, the cluster's id."""
    hosts = core.state.hosts_of(cluster.id)
    config = install_config(cluster, hosts)
    arbiters = sum(host.effective_role == "arbiter" for host in hosts)
    if arbiters:
        config["arbiter"] = {"name": "arbiter", "replicas": arbiters}
    config_map = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "cluster-config-v1", "namespace": "kube-system"},
        "data": {"install-config": yaml.safe_dump(config)},
    }
    version = {
        "apiVersion": "config.openshift.io/v1",
        "kind": "ClusterVersion",
        "metadata": {"name": "version", "namespace": "openshift-cluster-version"},
        "spec": {"channel": "", "clusterID": cluster.openshift_cluster_id},
    }
    files = [
        _file(CLUSTER_CONFIG, yaml.safe_dump(config_map).encode()),
        _file(CLUSTER_VERSION, yaml.safe_dump(version).encode()),
    ]
    for name, (certificate, key) in _signers(core, cluster).items():
        files += [_file(f"{TLS_DIRECTORY}/{name}.crt", certificate), _file(f"{TLS_DIRECTORY}/{name}.key", key)]
    return {"ignition": {"version": "3.2.0"}, "storage": {"files": files}}


def host_ignition(core: Core, cluster: Cluster, host: Host) -> dict[str, Any]:
    """The pointer to the machine config server, the host's own files, the override merged in.

    Source: openshift/assisted-service internal/ignition/discovery.go, internal/ignition/templates.
    """
    override = json.loads(host.ignition_overrides or "{}")
    pool = host.machine_config_pool or {"auto-assign": "worker"}.get(host.effective_role, host.effective_role)
    authority = _authority(core, cluster)
    resource: dict[str, Any] = {
        "source": _source(core, cluster, pool, known=bool(authority) or bool(_authorities(override)))
    }
    headers = dict(host.ignition_headers) | (
        {"Authorization": f"Bearer {host.ignition_token}"} if host.ignition_token else {}
    )
    if headers:
        resource["httpHeaders"] = [{"name": name, "value": value} for name, value in headers.items()]
    ignition: dict[str, Any] = {"version": "3.2.0", "config": {"merge": [resource]}}
    if authority:
        ignition["security"] = {
            "tls": {
                "certificateAuthorities": [{"source": f"data:text/plain;base64,{base64.b64encode(authority).decode()}"}]
            }
        }
    document = {"ignition": ignition, "storage": {"files": [_file("/etc/hostname", host.name.encode(), mode=0o644)]}}
    return merge(document, override) if override else document


def _source(core: Core, cluster: Cluster, pool: str, *, known: bool) -> str:
    if not cluster.day2:
        vips = cluster.vips("api_vips")
        host = vips[0] if vips else f"api-int.{cluster.domain}"
        return f"https://{host}:22623/config/{pool}"
    endpoint = str((cluster.fields.get("ignition_endpoint") or {}).get("url") or "")
    if endpoint:
        return f"{endpoint.rstrip('/')}/{pool}"
    name = str(cluster.fields.get("api_vip_dns_name") or f"api.{cluster.domain}")
    return f"https://{name}:22623/config/{pool}" if known else f"http://{name}:22624/config/{pool}"


def _authority(core: Core, cluster: Cluster) -> bytes:
    """Day 1: the machine config server's CA, which the service made; day 2: what the user gave."""
    if not cluster.day2:
        return _signers(core, cluster).get(ROOT_CA, (b"", b""))[0]
    text = str((cluster.fields.get("ignition_endpoint") or {}).get("ca_certificate") or "")
    return base64.b64decode(text) if text else b""


def _authorities(document: Mapping[str, Any]) -> list[Any]:
    return list(
        ((document.get("ignition") or {}).get("security") or {}).get("tls", {}).get("certificateAuthorities") or []
    )


def _signers(core: Core, cluster: Cluster) -> Mapping[str, tuple[bytes, bytes]]:
    return core.signers_source(cluster) if core.signers_source is not None else {}


def _file(path: str, content: bytes, mode: int = 0o600) -> dict[str, Any]:
    source = "data:text/plain;charset=utf-8;base64," + base64.b64encode(content).decode()
    return {"path": path, "mode": mode, "overwrite": True, "user": {"name": "root"}, "contents": {"source": source}}
