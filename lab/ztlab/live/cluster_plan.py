# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Read the plan of the new cluster and its signers (CAs) from the image that the bootstrap host booted."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from ..clusters import ClusterPlan
from ..fabric.hosts import Fabric
from ..fabric.signer import self_signed_ca
from .client.manifests import Manifests, spec_of
from .root import Root

SIGNERS = (
    "kube-apiserver-lb-signer",
    "kube-apiserver-localhost-signer",
    "kube-apiserver-service-network-signer",
    "admin-kubeconfig-signer",
)
TLS_DIRECTORY = "/opt/agent/tls"
_OVERRIDES = "agent-install.openshift.io/install-config-overrides"
OVERRIDE = "EPHEMERAL_INSTALLER_CLUSTER_TLS_CERTS_OVERRIDE_DIR"


def cluster_plan(
    root: Root, service_environment: Mapping[str, str], *, mounted: bool, version: str, fabric: Fabric, own_ip: str
) -> ClusterPlan:
    """The plan from the manifests in the image.

    ``mounted``: the service's container sees the signers' directory. Raises ClientError.
    """
    manifests = Manifests(root, {"/manifests": "/etc/assisted/manifests"})
    deployment = spec_of(manifests.document("cluster-deployment.yaml"))
    document = manifests.document("agent-cluster-install.yaml")
    install = spec_of(document)
    domain = f"{deployment.get('clusterName', '')}.{deployment.get('baseDomain', '')}"
    api = _first_vip(install, "apiVIP") or _record(fabric, f"api.{domain}") or own_ip
    requirements = install.get("provisionRequirements") or {}
    return ClusterPlan(
        key=service_environment.get("INFRA_ENV_ID", ""),
        name=str(deployment.get("clusterName", "")),
        base_domain=str(deployment.get("baseDomain", "")),
        version=version,
        api_ip=api,
        ingress_ip=_first_vip(install, "ingressVIP")
        or _record(fabric, f"console-openshift-console.apps.{domain}")
        or api,
        expected={role: int(requirements.get(f"{word}Agents") or 0) for role, word in _AGENTS.items()},
        platform=str(install.get("platformType") or ""),
        signers=_signers(root, service_environment, mounted),
        bmcs=bmcs_of(document),
        stream=str(_overrides(document).get("osImageStream") or ""),
    )


_AGENTS = {"master": "controlPlane", "arbiter": "arbiter", "worker": "worker"}


def bmcs_of(install: Mapping[str, Any]) -> dict[str, str]:
    """Boot MAC address -> BMC address of the hosts that the install-config's overrides name with one."""
    platform = (_overrides(install).get("platform") or {}).get("baremetal") or {}
    hosts = [host for host in platform.get("hosts") or [] if (host.get("bmc") or {}).get("address")]
    return {str(host.get("bootMACAddress", "")).lower(): str(host["bmc"]["address"]) for host in hosts}


def _overrides(install: Mapping[str, Any]) -> dict[str, Any]:
    text = ((install.get("metadata") or {}).get("annotations") or {}).get(_OVERRIDES) or "{}"
    try:
        return dict(json.loads(text))
    except ValueError:
        return {}


def _first_vip(install: Mapping[str, Any], kind: str) -> str:
    return str((install.get(f"{kind}s") or [install.get(kind) or ""])[0])


def _record(fabric: Fabric, name: str) -> str:
    for network in fabric.site.networks:
        address = fabric.record(network, name)
        if address:
            return address
    return ""


def _signers(root: Root, environment: Mapping[str, str], mounted: bool) -> dict[str, tuple[bytes, bytes]]:
    """The image's signers if the service is configured to use them; else ones of its own, which no kubeconfig of the
    build knows.
    """
    signers = {}
    for name in SIGNERS:
        certificate, key = root.data(f"{TLS_DIRECTORY}/{name}.crt"), root.data(f"{TLS_DIRECTORY}/{name}.key")
        if environment.get(OVERRIDE) == TLS_DIRECTORY and mounted and certificate and key:
            signers[name] = (certificate, key)
        else:
            signers[name] = self_signed_ca(name)
    return signers
