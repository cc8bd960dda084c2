# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Create the Kubernetes objects in ``cluster-manifests/``, such as AgentClusterInstall, as the installer writes them.

Each function returns a dict, not text. Empty fields that upstream's types serialise (``status``, a namespace inside a
reference) are included.

Source: openshift/installer pkg/asset/agent/manifests.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..cluster.profile import profile_of
from ..cluster.spec import PLATFORM_TYPES, Cluster, Deployment, Host
from ..cluster.upstream.texts import canonical_cidr
from ..common.addresses import AddressSet
from .go_json import pretty_json
from .overrides import install_config_overrides

OVERRIDES_ANNOTATION = "agent-install.openshift.io/install-config-overrides"
INFRAENV_LABEL = "infraenvs.agent-install.openshift.io"
AGENT_INSTALL = "agent-install.openshift.io/v1beta1"
_OVN = "OVNKubernetes"
_NETWORK_TYPES = (_OVN, "OpenShiftSDN")
_CLOUD_CONTROLLER_PLATFORM = "oci"

Object = dict[str, Any]


def _metadata(cluster: Cluster, name: str, **further: Mapping[str, str]) -> Object:
    metadata: Object = {"name": name}
    if profile_of(cluster.version).null_creation_timestamp:
        metadata["creationTimestamp"] = None
    if cluster.namespace:
        metadata["namespace"] = cluster.namespace
    metadata.update({key: dict(value) for key, value in further.items() if value})
    return metadata


def image_set_name(cluster: Cluster) -> str:
    return f"openshift-{cluster.version}"


def pull_secret_name(cluster: Cluster) -> str:
    return f"{cluster.name}-pull-secret"


def ssh_key(cluster: Cluster) -> str:
    """Public keys as the objects hold them."""
    return cluster.ssh_key.strip("|\n\t")


def ssh_keys(cluster: Cluster) -> list[str]:
    """The same keys as the option ``ssh_public_keys``; empty without one."""
    return ssh_key(cluster).splitlines()


def ntp_sources(cluster: Cluster) -> tuple[str, ...]:
    """NTP sources of the live system: those of agent-config.yaml, else those of a baremetal platform."""
    servers = cluster.platform_options.get("additionalNTPServers") if cluster.platform == "baremetal" else None
    return cluster.ntp_sources or tuple(map(str, servers or ()))


def no_proxy(deployment: Deployment) -> str:
    """noProxy with the machine network of the rendezvous IP that the configuration names, which every host must reach
    without the proxy.

    One that is derived does not count, nor does a network whose text is part of noProxy already: so the installer does
    it. What a hand-written set says stays as it is.
    """
    proxy, rendezvous_ip = deployment.cluster.proxy, deployment.cluster.rendezvous_ip
    if not (proxy.http_proxy or proxy.https_proxy) or not rendezvous_ip or deployment.provided_manifests:
        return proxy.no_proxy
    cidr = canonical_cidr(
        next(
            (cidr for cidr in deployment.cluster.networking.machine_networks if rendezvous_ip in AddressSet([cidr])), ""
        )
    )
    if not proxy.no_proxy or cidr in proxy.no_proxy:
        return proxy.no_proxy or cidr
    return f"{proxy.no_proxy},{cidr}"


def proxy_object(deployment: Deployment) -> Object:
    """``spec.proxy`` of both objects that have one; empty without a proxy."""
    proxy = deployment.cluster.proxy
    members = {"httpProxy": proxy.http_proxy, "httpsProxy": proxy.https_proxy, "noProxy": no_proxy(deployment)}
    return {key: value for key, value in members.items() if value}


def agent_cluster_install(deployment: Deployment) -> Object:
    cluster = deployment.cluster
    overrides = install_config_overrides(deployment)
    spec: Object = {
        "clusterDeploymentRef": {"name": cluster.name},
        "imageSetRef": {"name": image_set_name(cluster)},
        "networking": _networking(cluster),
        "platformType": PLATFORM_TYPES.get(cluster.platform, cluster.platform),
        "provisionRequirements": _requirements(cluster),
        **_vips(cluster),
    }
    if cluster.platform == "external":
        spec["external"] = _external(cluster)
    optional = {"proxy": proxy_object(deployment), "sshPublicKey": ssh_key(cluster)}
    spec.update({key: value for key, value in optional.items() if value})
    return {
        "apiVersion": "extensions.hive.openshift.io/v1beta1",
        "kind": "AgentClusterInstall",
        "metadata": _metadata(
            cluster, cluster.name, annotations={OVERRIDES_ANNOTATION: overrides} if overrides else {}
        ),
        "spec": spec,
        "status": {"debugInfo": {"eventsURL": "", "logsURL": ""}, "progress": {"totalPercentage": 0}},
    }


def _networking(cluster: Cluster) -> Object:
    networking = cluster.networking
    known = networking.network_type in _NETWORK_TYPES
    lists = {
        "clusterNetwork": [
            {"cidr": canonical_cidr(network.cidr), "hostPrefix": network.host_prefix}
            for network in networking.cluster_networks
        ],
        "machineNetwork": [{"cidr": canonical_cidr(cidr)} for cidr in networking.machine_networks],
        "serviceNetwork": [canonical_cidr(cidr) for cidr in networking.service_networks],
    }
    return {
        **{key: value for key, value in lists.items() if value},
        # Other network types travel in the overrides; the service accepts none of their names here.
        "networkType": networking.network_type if known else _OVN,
        "userManagedNetworking": cluster.user_managed_networking,
    }


def _requirements(cluster: Cluster) -> Object:
    names = {"master": "controlPlaneAgents", "arbiter": "arbiterAgents", "worker": "workerAgents"}
    return {names[role]: count for role, count in cluster.replicas.items() if count or role == "master"}


def _vips(cluster: Cluster) -> Object:
    vips: Object = {}
    if cluster.platform not in ("baremetal", "vsphere", "nutanix"):
        return vips
    for single, plural, addresses in (
        ("apiVIP", "apiVIPs", cluster.api_vips),
        ("ingressVIP", "ingressVIPs", cluster.ingress_vips),
    ):
        if addresses:
            vips[plural] = list(addresses)
            if cluster.platform == "baremetal":
                vips[single] = addresses[0]
    return vips


def _external(cluster: Cluster) -> Object:
    name = cluster.platform_options.get("platformName") or ""
    external = {"platformName": name} if name else {}
    if name == _CLOUD_CONTROLLER_PLATFORM:
        external["cloudControllerManager"] = cluster.platform_options.get("cloudControllerManager") or ""
    return external


def cluster_deployment(cluster: Cluster) -> Object:
    return {
        "apiVersion": "hive.openshift.io/v1",
        "kind": "ClusterDeployment",
        "metadata": _metadata(cluster, cluster.name),
        "spec": {
            "baseDomain": cluster.base_domain,
            "clusterInstallRef": {
                "group": "extensions.hive.openshift.io",
                "kind": "AgentClusterInstall",
                "name": cluster.name,
                "version": "v1beta1",
            },
            "clusterName": cluster.name,
            "controlPlaneConfig": {"servingCertificates": {}},
            "installed": False,
            "platform": {},
            "pullSecretRef": {"name": pull_secret_name(cluster)},
        },
        "status": {},
    }


def cluster_image_set(cluster: Cluster) -> Object:
    return {
        "apiVersion": "hive.openshift.io/v1",
        "kind": "ClusterImageSet",
        "metadata": _metadata(cluster, image_set_name(cluster)),
        "spec": {"releaseImage": cluster.release_image},
        "status": {},
    }


def infra_env(deployment: Deployment) -> Object:
    cluster = deployment.cluster
    spec: Object = {
        "clusterRef": {"name": cluster.name, **({"namespace": cluster.namespace} if cluster.namespace else {})},
        "cpuArchitecture": cluster.architecture,
        "ipxeScriptType": "",
        "nmStateConfigLabelSelector": {"matchLabels": {INFRAENV_LABEL: cluster.name}},
        "pullSecretRef": {"name": pull_secret_name(cluster)},
    }
    optional = {
        "additionalNTPSources": list(ntp_sources(cluster)),
        "additionalTrustBundle": cluster.additional_trust_bundle,
        "proxy": proxy_object(deployment),
        "sshAuthorizedKey": ssh_key(cluster),
    }
    spec.update({key: value for key, value in optional.items() if value})
    return {
        "apiVersion": AGENT_INSTALL,
        "kind": "InfraEnv",
        "metadata": _metadata(cluster, cluster.name),
        "spec": spec,
        "status": {
            "agentLabelSelector": {},
            "bootArtifacts": {"discoveryIgnitionURL": "", "initrd": "", "ipxeScript": "", "kernel": "", "rootfs": ""},
            "debugInfo": {"eventsURL": ""},
        },
    }


def nmstate_config(cluster: Cluster, index: int, host: Host) -> Object:
    """The NMStateConfig of the host with this index among all hosts."""
    return {
        "apiVersion": AGENT_INSTALL,
        "kind": "NMStateConfig",
        "metadata": _metadata(cluster, f"{cluster.name}-{index}", labels={INFRAENV_LABEL: cluster.name}),
        "spec": {
            "config": host.network_config,
            "interfaces": [
                {"macAddress": interface.mac_address, "name": interface.name} for interface in host.interfaces
            ],
        },
    }


def pull_secret(cluster: Cluster) -> Object:
    """The pull secret's JSON is re-indented with sorted keys; a text that is no JSON stays as it is (validation has
    refused it).
    """
    return {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": _metadata(cluster, pull_secret_name(cluster)),
        "stringData": {".dockerconfigjson": pretty_json(cluster.pull_secret)},
    }
