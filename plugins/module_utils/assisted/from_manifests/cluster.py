# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Convert the manifests ClusterDeployment, AgentClusterInstall and ClusterImageSet to the parameters with which
assisted-service creates or updates the cluster.

Source: openshift/assisted-service internal/cluster/validations/validations.go,
  internal/controller/controllers/clusterdeployments_controller.go.
"""

from __future__ import annotations

import dataclasses
import json
from typing import Any

from ...common.addresses import canonical_ip
from ...common.errors import InvalidInput
from ...common.problems import INVALID, Problem
from ..cluster.desired import DesiredServiceCluster, Manifest
from .documents import Object, at, list_at, number_at, text_at
from .problems import problem
from .read import Manifests

OVERRIDES_ANNOTATION = "agent-install.openshift.io/install-config-overrides"
CONSUMER_LABEL = "agentclusterinstalls.agent-install.openshift.io/consumer"
FOLDER = "openshift"
_PLATFORMS = {"BareMetal": "baremetal", "None": "none", "VSphere": "vsphere", "Nutanix": "nutanix"}
_BALANCERS = {"ClusterManaged": "cluster-managed", "UserManaged": "user-managed"}
_ENABLED = "Enabled"


@dataclasses.dataclass(frozen=True)
class ManifestRelease:
    """Metadata of the release image. The client asks ``oc`` for them (3.2); here the caller provides them."""

    version: str
    architecture: str


def cluster_params(manifests: Manifests, release: ManifestRelease) -> dict[str, Any]:
    """The body that registers the cluster, members that the client sends as null included.

    Raises :class:`InvalidInput`.
    """
    deployment, install = manifests.cluster_deployment, manifests.agent_cluster_install
    always: dict[str, Any] = {
        "name": manifests.cluster_name,
        "base_dns_domain": text_at(deployment, "spec", "baseDomain"),
        "openshift_version": release.version,
        "ocp_release_image": text_at(manifests.cluster_image_set, "spec", "releaseImage"),
        "cpu_architecture": release.architecture,
        "pull_secret": manifests.pull_secret,
        "vip_dhcp_allocation": False,
        **vips(install),
        "user_managed_networking": user_managed_networking(install),
        "schedulable_masters": at(install, "spec", "mastersSchedulable") is True,
        "control_plane_count": number_at(install, "spec", "provisionRequirements", "controlPlaneAgents"),
        **networks(install),
        "olm_operators": [_operator(item) for item in manifests.operators] or None,
        "operator_bundles": None,
    }
    balancer = _BALANCERS.get(text_at(install, "spec", "loadBalancer", "type"))
    optional: dict[str, Any] = {
        "ssh_public_key": text_at(install, "spec", "sshPublicKey"),
        "platform": platform(install),
        "high_availability_mode": "None" if single_node(install) else "",
        "network_type": text_at(install, "spec", "networking", "networkType"),
        "ntp_sources": ",".join(str(source) for source in list_at(install, "spec", "ntpSources")),
        "hyperthreading": hyperthreading(install),
        "disk_encryption": disk_encryption(install),
        "http_proxy": text_at(install, "spec", "proxy", "httpProxy"),
        "https_proxy": text_at(install, "spec", "proxy", "httpsProxy"),
        "no_proxy": text_at(install, "spec", "proxy", "noProxy"),
        "load_balancer": {"type": balancer} if balancer else None,
        "tags": text_at(at(install, "metadata", "labels"), CONSUMER_LABEL),
    }
    return always | {name: value for name, value in optional.items() if value}


def _operator(operator: Object) -> dict[str, str]:
    properties = text_at(operator, "properties")
    return {"name": text_at(operator, "name"), **({"properties": properties} if properties else {})}


def single_node(install: Object) -> bool:
    requirements = at(install, "spec", "provisionRequirements")
    return number_at(requirements, "controlPlaneAgents") == 1 and number_at(requirements, "workerAgents") == 0


def user_managed_networking(install: Object) -> bool:
    return at(install, "spec", "networking", "userManagedNetworking") is True or single_node(install)


def vips(install: Object) -> dict[str, list[dict[str, str]]]:
    """``api_vips`` and ``ingress_vips`` in canonical form, from the lists or the single fields of old.

    Raises :class:`InvalidInput` where the two disagree.
    """
    problems, found = [], {}
    for member, single_name, list_name in (
        ("api_vips", "apiVIP", "apiVIPs"),
        ("ingress_vips", "ingressVIP", "ingressVIPs"),
    ):
        single = canonical_ip(text_at(install, "spec", single_name))
        listed = [canonical_ip(str(address)) for address in list_at(install, "spec", list_name)] or (
            [single] if single else []
        )
        if single and listed[0] != single:
            problems.append(
                _problem(f"spec.{single_name}", (f"{single_name} must be the same as the first element of {list_name}"))
            )
        found[member] = [{"ip": address} for address in listed]
    if problems:
        raise InvalidInput(problems)
    return found


def networks(install: Object) -> dict[str, list[dict[str, Any]] | None]:
    """The three lists of networks; null where there are none, for the service to choose."""
    networking = at(install, "spec", "networking")
    cluster = [_cluster_network(item) for item in list_at(networking, "clusterNetwork")]
    service = [{"cidr": str(cidr)} for cidr in list_at(networking, "serviceNetwork")]
    machine = [{"cidr": text_at(item, "cidr")} for item in list_at(networking, "machineNetwork")]
    return {
        "cluster_networks": cluster or None,
        "service_networks": service or None,
        "machine_networks": machine or None,
    }


def _cluster_network(network: Object) -> dict[str, Any]:
    prefix = number_at(network, "hostPrefix")
    return {"cidr": text_at(network, "cidr"), **({"host_prefix": prefix} if prefix else {})}


def platform(install: Object) -> dict[str, Any] | None:
    """``platform``, or None for the service to choose; External without ``spec.external`` and unknown types are left
    out, as the client does.
    """
    kind = text_at(install, "spec", "platformType")
    if kind == "External" and at(install, "spec", "external") is not None:
        external = at(install, "spec", "external")
        details = {
            "platform_name": text_at(external, "platformName"),
            "cloud_controller_manager": text_at(external, "cloudControllerManager"),
        }
        return {"type": "external", "external": details}
    return {"type": _PLATFORMS[kind]} if kind in _PLATFORMS else None


def hyperthreading(install: Object) -> str:
    """Which pools have it, in the service's word; empty where no pool is there to say.

    A pool that does not say counts as without.
    """
    worker = next((pool for pool in list_at(install, "spec", "compute") if text_at(pool, "name") == "worker"), None)
    pools = {
        "masters": at(install, "spec", "controlPlane"),
        "arbiters": at(install, "spec", "arbiter"),
        "workers": worker,
    }
    if all(pool is None for pool in pools.values()):
        return ""
    return ",".join(name for name, pool in pools.items() if text_at(pool, "hyperthreading") == _ENABLED) or "none"


def disk_encryption(install: Object) -> dict[str, str] | None:
    """``disk_encryption`` with the defaults that the service has, or None where nothing is to be encrypted."""
    provided = at(install, "spec", "diskEncryption")
    enable_on, mode, servers = (text_at(provided, name) for name in ("enableOn", "mode", "tangServers"))
    if enable_on in ("", "none") and mode != "tang" and not servers:
        return None
    return {"enable_on": enable_on or "none", "mode": mode or "tpmv2", **({"tang_servers": servers} if servers else {})}


def overrides(manifests: Manifests) -> str | None:
    """The install-config overrides as they are sent; None without the annotation.

    Raises :class:`InvalidInput` for what is not JSON.
    """
    annotations = at(manifests.agent_cluster_install, "metadata", "annotations") or {}
    if OVERRIDES_ANNOTATION not in annotations:
        return None
    text = str(annotations[OVERRIDES_ANNOTATION] or "")
    try:
        json.loads(text or "{}")
    except ValueError as error:
        raise InvalidInput([_problem(f"metadata.annotations[{OVERRIDES_ANNOTATION}]", "is not JSON")]) from error
    return text


def extra_manifests(manifests: Manifests) -> list[Manifest]:
    """All of them in folder openshift, as the client has it. Raises :class:`InvalidInput` for what is no text."""
    problems, found = [], []
    for name, content in manifests.extra.items():
        try:
            found.append(Manifest(FOLDER, name, content.decode()))
        except UnicodeDecodeError:
            problems.append(problem("", INVALID, "is not UTF-8 text", file=name))
    if problems:
        raise InvalidInput(problems)
    return found


def requested_cluster(manifests: Manifests, release: ManifestRelease) -> DesiredServiceCluster:
    """The cluster with all that its manifests say: looked up by name and compared, where the client takes any single
    cluster for its own.
    """
    params = {
        name: value for name, value in cluster_params(manifests, release).items() if name not in ("name", "pull_secret")
    }
    return DesiredServiceCluster(
        manifests.cluster_name,
        params,
        manifests.pull_secret,
        overrides=overrides(manifests),
        manifests=extra_manifests(manifests),
    )


def _problem(path: str, detail: str) -> Problem:
    return problem(path, INVALID, detail, file="agent-cluster-install.yaml")
