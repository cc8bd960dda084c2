# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Render the HostedCluster from the options: only the fields that the user set. A new HostedCluster also gets the
fields that it needs to be complete.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..user_input import cleared, in_upstream_words, marks, texts
from .rules import SERVICES

Object = dict[str, Any]

# Options that set one field of the spec. The last two are documents in upstream's form.
_SIMPLE = {
    "controller_availability_policy": "controllerAvailabilityPolicy",
    "infrastructure_availability_policy": "infrastructureAvailabilityPolicy",
    "olm_catalog_placement": "olmCatalogPlacement",
    "fips": "fips",
    "issuer_url": "issuerURL",
    "infra_id": "infraID",
    "cluster_id": "clusterID",
    "kube_api_server_dns_name": "kubeAPIServerDNSName",
    "channel": "channel",
    "update_service": "updateService",
    "paused_until": "pausedUntil",
    "configuration": "configuration",
    "operator_configuration": "operatorConfiguration",
}
_IMAGES = {"release_image": "release", "control_plane_release_image": "controlPlaneRelease"}
# Fields whose keys are the user's alone once they are given.
OWNED = ("spec.nodeSelector", "spec.labels")


def pull_secret_name(options: Mapping[str, Any]) -> str:
    """The Secret with the pull secret: the user's own, or the one that we make; empty if nothing is said of it."""
    return str(
        options.get("pull_secret_name") or (f"{options['name']}-pull-secret" if options.get("pull_secret") else "")
    )


def ssh_key_name(options: Mapping[str, Any]) -> str:
    return str(options.get("ssh_key_name") or (f"{options['name']}-ssh-key" if options.get("ssh_public_keys") else ""))


def trust_bundle_name(options: Mapping[str, Any]) -> str:
    provided = options.get("additional_trust_bundle_name") or (
        f"{options['name']}-user-ca-bundle" if options.get("additional_trust_bundle") else ""
    )
    return str(provided)


def etcd_key_name(name: str) -> str:
    """The Secret with the key that encrypts etcd, as upstream's client names it."""
    return f"{name}-etcd-encryption-key"


def cluster_object(options: Mapping[str, Any], *, exists: bool) -> Object:
    """The desired fields of the HostedCluster."""
    spec: Object = {} if exists else {"platform": {"type": "Agent"}}
    if "agent_namespace" in options:
        spec["platform"] = {"type": "Agent", "agent": {"agentNamespace": options["agent_namespace"]}}
    for option, field in _IMAGES.items():
        if option in options:
            spec[field] = {"image": options[option]} if options[option] else None
    for option, field in _SIMPLE.items():
        if option in options:
            spec[field] = cleared(options[option])
    _set_references(spec, options, exists=exists)
    _set_dns(spec, options)
    _set_networking(spec, options.get("networking"))
    _set_services(spec, options)
    _set_etcd(spec, options.get("etcd"), exists=exists)
    _set_rest(spec, options)
    return {"metadata": {"name": options["name"], "namespace": options["namespace"], **marks(options)}, "spec": spec}


def _set_references(spec: Object, options: Mapping[str, Any], *, exists: bool) -> None:
    names = {
        "pullSecret": pull_secret_name(options),
        "sshKey": ssh_key_name(options),
        "additionalTrustBundle": trust_bundle_name(options),
    }
    for field, name in names.items():
        if name:
            spec[field] = {"name": name}
    if options.get("additional_trust_bundle") == "" or options.get("additional_trust_bundle_name") == "":
        spec["additionalTrustBundle"] = None
    encryption = options.get("secret_encryption")
    if encryption:
        spec["secretEncryption"] = {"type": "aescbc", **in_upstream_words(encryption)}
    elif encryption is not None and exists:
        spec["secretEncryption"] = None
    elif encryption is None and not exists:
        spec["secretEncryption"] = {"type": "aescbc", "aescbc": {"activeKey": {"name": etcd_key_name(options["name"])}}}


def _set_dns(spec: Object, options: Mapping[str, Any]) -> None:
    dns = {}
    if "base_domain" in options:
        dns["baseDomain"] = options["base_domain"]
    if "base_domain_prefix" in options:
        dns["baseDomainPrefix"] = options["base_domain_prefix"]  # empty, it means a domain without the cluster's name
    if dns:
        spec["dns"] = dns


def _set_networking(spec: Object, networking: Mapping[str, Any] | None) -> None:
    if not networking:
        return
    found = in_upstream_words({key: value for key, value in networking.items() if not key.endswith("_network")})
    for option, field in (
        ("cluster_network", "clusterNetwork"),
        ("service_network", "serviceNetwork"),
        ("machine_network", "machineNetwork"),
    ):
        if option in networking:
            found[field] = [
                in_upstream_words(each) if isinstance(each, Mapping) else {"cidr": str(each)}
                for each in networking[option]
            ]
    if "apiServer" in found and found["apiServer"].get("allowedCIDRBlocks") == []:
        found["apiServer"]["allowedCIDRBlocks"] = None
    spec["networking"] = found


def _set_services(spec: Object, options: Mapping[str, Any]) -> None:
    if "services" in options:
        spec["services"] = in_upstream_words(options["services"])
    elif options.get("api_server_address"):
        strategy = {"type": "NodePort", "nodePort": {"address": options["api_server_address"]}}
        spec["services"] = [{"service": name, "servicePublishingStrategy": strategy} for name in SERVICES]


def _set_etcd(spec: Object, etcd: Mapping[str, Any] | None, *, exists: bool) -> None:
    if not etcd:
        return
    found = in_upstream_words(etcd)
    if not exists:
        # What the server fills in only where nothing of etcd is given.
        found.setdefault("managementType", "Unmanaged" if "unmanaged" in found else "Managed")
        if found["managementType"] == "Managed":
            found.setdefault("managed", {}).setdefault("storage", {}).setdefault("type", "PersistentVolume")
    spec["etcd"] = found


def _set_rest(spec: Object, options: Mapping[str, Any]) -> None:
    if "capabilities" in options:
        spec["capabilities"] = in_upstream_words(options["capabilities"])
    if "autoscaling" in options:
        scaling = in_upstream_words(options["autoscaling"])
        spec["autoscaling"] = {key: cleared(value) for key, value in scaling.items()}
    for option, field in (("node_selector", "nodeSelector"), ("pod_labels", "labels")):
        if option in options:
            spec[field] = texts(options[option])
    if "tolerations" in options:
        spec["tolerations"] = cleared(in_upstream_words(options["tolerations"]))
    if "image_content_sources" in options:
        spec["imageContentSources"] = cleared(in_upstream_words(options["image_content_sources"]))
