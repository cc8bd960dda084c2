# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Parse the bootstrap.ign that the assisted-service renders for a bootstrap host: plan of the new cluster, and its
signers (CAs).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import yaml

from ..clusters import ClusterPlan
from ..fabric.hosts import Fabric
from .cluster_plan import SIGNERS
from .ignition import IgnitionError, parse

TLS_DIRECTORY = "/opt/openshift/tls"
_CONFIG = "/opt/openshift/manifests/cluster-config.yaml"
_VERSION = "/opt/openshift/manifests/cvo-overrides.yaml"
_ROOT_CA = "root-ca"


def bootstrap_plan(data: bytes, *, key: str, version: str, fabric: Fabric, own_ip: str) -> ClusterPlan:
    """Raises ValueError naming what is missing."""
    try:
        files = {file.path: file.content for file in parse(data).files}
    except IgnitionError as error:
        raise ValueError(str(error)) from error
    config = yaml.safe_load(_yaml(files, _CONFIG)["data"]["install-config"])
    domain = f"{config['metadata']['name']}.{config['baseDomain']}"
    platform = next(iter(config.get("platform") or {"none": {}}))
    settings = (config.get("platform") or {}).get(platform) or {}
    api = _first(settings, "apiVIPs") or _record(fabric, f"api.{domain}") or own_ip
    signers = {name: _pair(files, name) for name in SIGNERS}
    return ClusterPlan(
        key=key,
        name=str(config["metadata"]["name"]),
        base_domain=str(config["baseDomain"]),
        version=version,
        api_ip=api,
        ingress_ip=_first(settings, "ingressVIPs")
        or _record(fabric, f"console-openshift-console.apps.{domain}")
        or api,
        expected={
            "master": int(config["controlPlane"].get("replicas") or 0),
            "worker": sum(int(pool.get("replicas") or 0) for pool in config.get("compute") or []),
            "arbiter": int((config.get("arbiter") or {}).get("replicas") or 0),
        },
        platform={
            "baremetal": "BareMetal",
            "none": "None",
            "external": "External",
            "vsphere": "VSphere",
            "nutanix": "Nutanix",
        }.get(platform, platform),
        signers=signers,
        cluster_id=str(_yaml(files, _VERSION)["spec"].get("clusterID") or ""),
        stream=str(config.get("osImageStream") or ""),
        config_authority=_pair(files, _ROOT_CA) if f"{TLS_DIRECTORY}/{_ROOT_CA}.crt" in files else None,
    )


def _yaml(files: Mapping[str, bytes], path: str) -> dict[str, Any]:
    if path not in files:
        raise ValueError(f"{path} is missing")
    return dict(yaml.safe_load(files[path]))


def _pair(files: Mapping[str, bytes], name: str) -> tuple[bytes, bytes]:
    missing = [path for path in (f"{TLS_DIRECTORY}/{name}.crt", f"{TLS_DIRECTORY}/{name}.key") if path not in files]
    if missing:
        raise ValueError(f"{', '.join(missing)} missing")
    return files[f"{TLS_DIRECTORY}/{name}.crt"], files[f"{TLS_DIRECTORY}/{name}.key"]


def _first(settings: Mapping[str, Any], kind: str) -> str:
    return str((settings.get(kind) or [""])[0])


def _record(fabric: Fabric, name: str) -> str:
    return next((address for network in fabric.site.networks if (address := fabric.record(network, name))), "")
