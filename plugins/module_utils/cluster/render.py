# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Render a :class:`Deployment` as install-config.yaml and agent-config.yaml.

The same deployment always gives the same text. Parsing these files returns the same deployment.

BMC data of the inventory is for booting and is left out, because the content of these files, passwords included, would
reach the ISO and the cluster. Only BMC data that the user wrote for the cluster (``platform_options.hosts``, or the
hosts of the user's files) is written, to the hosts of agent-config.yaml, where upstream looks first.

Source: openshift/installer pkg/asset/agent/manifests, overrides.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from ..common import yaml_text
from .documents import AGENT_CONFIG_KIND
from .field_table import AGENT_FIELDS, AGENT_HOST_FIELDS, INSTALL_FIELDS
from .field_values import document_values, without_empty
from .files import MANIFESTS_DIRECTORY, RELEASE_FILE
from .live_arguments import OPTION as LIVE_KERNEL_ARGUMENTS
from .paths import AGENT_CONFIG, INSTALL_CONFIG
from .spec import Cluster, Deployment, Host, Pool
from .upgrade import AGENT_API_VERSION

# A person reads these last.
_LONG = ("imageDigestSources", "additionalTrustBundlePolicy", "additionalTrustBundle")


def render_files(deployment: Deployment) -> dict[str, str]:
    """Relative path -> text: install-config.yaml, agent-config.yaml, openshift/*, release.json."""
    cluster = deployment.cluster
    manifests = {f"{MANIFESTS_DIRECTORY}/{manifest.name}": manifest.text for manifest in cluster.extra_manifests}
    arguments = {LIVE_KERNEL_ARGUMENTS: list(cluster.live_kernel_arguments)} if cluster.live_kernel_arguments else {}
    tag = {"release_tag": cluster.release_tag} if cluster.release_tag else {}
    release = {"version": cluster.version, "release_image": cluster.release_image, **tag, **arguments}
    return {
        INSTALL_CONFIG: _text(install_config(cluster)),
        AGENT_CONFIG: _text(agent_config(deployment)),
        **manifests,
        RELEASE_FILE: json.dumps(release, indent=2) + "\n",
    }


def install_config(cluster: Cluster) -> dict[str, Any]:
    """The document install-config.yaml, keys in reading order, without what is not given."""
    networking = cluster.networking
    extra = dict(cluster.install_config_extra)
    own = document_values(INSTALL_FIELDS, cluster)
    last = {**{key: own.pop(key, None) for key in _LONG}, "sshKey": cluster.ssh_key, "pullSecret": cluster.pull_secret}
    document = {
        "apiVersion": "v1",
        "metadata": {"name": cluster.name, "namespace": cluster.namespace, **extra.pop("metadata", {})},
        "baseDomain": own.pop("baseDomain", None),
        "platform": {cluster.platform: _platform(cluster)} if cluster.platform else None,
        "networking": {
            "networkType": networking.network_type,
            "machineNetwork": [{"cidr": cidr} for cidr in networking.machine_networks],
            "clusterNetwork": [
                {"cidr": network.cidr, "hostPrefix": network.host_prefix} for network in networking.cluster_networks
            ],
            "serviceNetwork": list(networking.service_networks),
            **extra.pop("networking", {}),
        },
        "controlPlane": _pool("master", cluster.control_plane),
        "arbiter": _pool("arbiter", cluster.arbiter) if cluster.arbiter else None,
        "compute": [_pool("worker", cluster.compute)],
        **own,
        **dict(sorted(extra.items())),
        **last,
    }
    return without_empty({**document, "metadata": without_empty(document["metadata"])})


def agent_config(deployment: Deployment) -> dict[str, Any]:
    """The document agent-config.yaml (v1beta1)."""
    cluster = deployment.cluster
    bmcs = _bmc_documents(deployment)
    document = {
        "apiVersion": AGENT_API_VERSION,
        "kind": AGENT_CONFIG_KIND,
        "metadata": without_empty({"name": cluster.name, "namespace": cluster.namespace}),
        **cluster.agent_config_extra,
        **document_values(AGENT_FIELDS, cluster),
        "hosts": [_host(host, bmcs.get(index, {})) for index, host in enumerate(deployment.hosts)],
    }
    return without_empty(document)


def _platform(cluster: Cluster) -> dict[str, Any]:
    vips = without_empty({"apiVIPs": list(cluster.api_vips), "ingressVIPs": list(cluster.ingress_vips)})
    return {
        **vips,
        **{
            key: value
            for key, value in cluster.platform_options.items()
            if not (cluster.platform == "baremetal" and key == "hosts")
        },
    }


def _pool(name: str, pool: Pool) -> dict[str, Any]:
    return {"name": name, "replicas": pool.replicas, "architecture": pool.architecture, **pool.options}


def _host(host: Host, bmc: Mapping[str, Any]) -> dict[str, Any]:
    own = document_values(AGENT_HOST_FIELDS, host)
    network = own.pop("networkConfig", None)
    return without_empty({**own, **host.agent_config_extra, "bmc": bmc, "networkConfig": network})


def _bmc_documents(deployment: Deployment) -> dict[int, Mapping[str, Any]]:
    """Index of a host -> the BMC data that the cluster is to know."""
    if deployment.cluster.platform != "baremetal":
        return {}
    listed = {_identity(entry): entry.get("bmc", {}) for entry in deployment.cluster.platform_options.get("hosts", [])}
    found = {}
    for index, host in enumerate(deployment.hosts):
        mac = host.interfaces[0].mac_address if host.interfaces else ""
        key = (host.hostname or f"host-{index}", mac)
        if key in listed:
            found[index] = listed[key]
    return found


def _identity(entry: Mapping[str, Any]) -> tuple[str, str]:
    return entry.get("name", ""), entry.get("bootMACAddress", "")


def _text(document: Mapping[str, Any]) -> str:
    return yaml_text.dump(document, sort_keys=False)
