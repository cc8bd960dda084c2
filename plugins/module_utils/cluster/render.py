# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""A :class:`Deployment` as the files that the installer reads, and that a person likes to read.

The same deployment always gives the same text. What the files hold reads back as the same deployment (:func:`as_files_hold_it`).

BMC data of the inventory is for booting and stays out: whatever stands in these files reaches the ISO and the cluster, and with it the passwords
(reference agent-based-installer.md 4, overrides). Only BMC data that the user put there himself (``platform_options.hosts``, or the hosts of his own
files) is written, to the hosts of agent-config.yaml, where upstream looks first.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from typing import Any

from ..boot.methods import default_method
from ..common import yaml_text
from .documents import AGENT_CONFIG_KIND, bmc_from_document
from .files import MANIFESTS_DIRECTORY, RELEASE_FILE
from .paths import AGENT_CONFIG, INSTALL_CONFIG
from .spec import Cluster, Deployment, Host, Pool
from .upgrade import AGENT_API_VERSION


def render_files(deployment: Deployment) -> dict[str, str]:
    """Relative path -> text: install-config.yaml, agent-config.yaml, openshift/*, release.json."""
    cluster = deployment.cluster
    manifests = {f"{MANIFESTS_DIRECTORY}/{manifest.name}": manifest.text for manifest in cluster.extra_manifests}
    release = {"version": cluster.version, "release_image": cluster.release_image}
    return {
        INSTALL_CONFIG: _text(install_config(cluster)),
        AGENT_CONFIG: _text(agent_config(deployment)),
        **manifests,
        RELEASE_FILE: json.dumps(release, indent=2) + "\n",
    }


def as_files_hold_it(deployment: Deployment) -> Deployment:
    """The part of a deployment that the files hold: hosts are called by their hostname, and BMC data is only that of the cluster."""
    listed = _bmc_documents(deployment)
    hosts = []
    for index, host in enumerate(deployment.hosts):
        bmc = bmc_from_document(listed.get(index, {}))
        method = default_method(("bmc",) if bmc else ())
        hosts.append(dataclasses.replace(host, name=host.hostname or f"host-{index}", bmc=bmc, boot_method=method))
    return dataclasses.replace(deployment, hosts=tuple(hosts))


def install_config(cluster: Cluster) -> dict[str, Any]:
    """The document install-config.yaml, keys in reading order, without what is not given."""
    networking = cluster.networking
    extra = dict(cluster.install_config_extra)
    document = {
        "apiVersion": "v1",
        "metadata": {"name": cluster.name, "namespace": cluster.namespace, **extra.pop("metadata", {})},
        "baseDomain": cluster.base_domain,
        "platform": {cluster.platform: _platform(cluster)} if cluster.platform else None,
        "networking": {
            "networkType": networking.network_type,
            "machineNetwork": [{"cidr": cidr} for cidr in networking.machine_networks],
            "clusterNetwork": [{"cidr": network.cidr, "hostPrefix": network.host_prefix} for network in networking.cluster_networks],
            "serviceNetwork": list(networking.service_networks),
            **extra.pop("networking", {}),
        },
        "controlPlane": _pool("master", cluster.control_plane),
        "arbiter": _pool("arbiter", cluster.arbiter) if cluster.arbiter else None,
        "compute": [_pool("worker", cluster.compute)],
        "proxy": {"httpProxy": cluster.proxy.http_proxy, "httpsProxy": cluster.proxy.https_proxy, "noProxy": cluster.proxy.no_proxy},
        "fips": cluster.fips or None,
        "cpuPartitioningMode": cluster.cpu_partitioning_mode,
        "capabilities": cluster.capabilities,
        "featureSet": cluster.feature_set,
        "featureGates": list(cluster.feature_gates),
        **dict(sorted(extra.items())),
        "imageDigestSources": [
            _given({"source": source.source, "mirrors": list(source.mirrors), "sourcePolicy": source.source_policy}) for source in cluster.image_digest_sources
        ],
        "additionalTrustBundlePolicy": cluster.additional_trust_bundle_policy,
        "additionalTrustBundle": cluster.additional_trust_bundle,
        "sshKey": cluster.ssh_key,
        "pullSecret": cluster.pull_secret,
    }
    for key in ("metadata", "proxy"):
        document[key] = _given(document[key])
    return _given(document)


def agent_config(deployment: Deployment) -> dict[str, Any]:
    """The document agent-config.yaml (v1beta1)."""
    cluster = deployment.cluster
    bmcs = _bmc_documents(deployment)
    document = {
        "apiVersion": AGENT_API_VERSION,
        "kind": AGENT_CONFIG_KIND,
        "metadata": _given({"name": cluster.name, "namespace": cluster.namespace}),
        **cluster.agent_config_extra,
        "rendezvousIP": cluster.rendezvous_ip,
        "additionalNTPSources": list(cluster.ntp_sources),
        "bootArtifactsBaseURL": cluster.boot_artifacts_base_url,
        "minimalISO": cluster.minimal_iso or None,
        "hosts": [_host(host, bmcs.get(index, {})) for index, host in enumerate(deployment.hosts)],
    }
    return _given(document)


def _platform(cluster: Cluster) -> dict[str, Any]:
    vips = _given({"apiVIPs": list(cluster.api_vips), "ingressVIPs": list(cluster.ingress_vips)})
    return {**vips, **{key: value for key, value in cluster.platform_options.items() if not (cluster.platform == "baremetal" and key == "hosts")}}


def _pool(name: str, pool: Pool) -> dict[str, Any]:
    return {"name": name, "replicas": pool.replicas, "architecture": pool.architecture, **pool.options}


def _host(host: Host, bmc: Mapping[str, Any]) -> dict[str, Any]:
    return _given(
        {
            "hostname": host.hostname,
            "role": host.role,
            "interfaces": [_given({"name": interface.name, "macAddress": interface.mac_address}) for interface in host.interfaces],
            "rootDeviceHints": host.root_device_hints,
            "bmc": bmc,
            "networkConfig": host.network_config,
        }
    )


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


def _given(mapping: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in mapping.items() if value is not None and value != "" and value != [] and value != {}}


def _text(document: Mapping[str, Any]) -> str:
    return yaml_text.dump(document, sort_keys=False)
