# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Convert the manifests InfraEnv and NMStateConfig to the request body infra-env-create-params. Pure functions.

Source: openshift/assisted-service cmd/agentbasedinstaller/register.go,
  internal/controller/controllers/infraenv_controller.go.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import yaml

from .manifests import ClientError, Manifests, spec_of

Params = dict[str, Any]


def infra_env_params(manifests: Manifests, *, cluster_id: str, image_type: str) -> Params:
    """The body of POST /v2/infra-envs. Raises :class:`ClientError`."""
    infra_env = manifests.document("infraenv.yaml")
    spec = spec_of(infra_env)
    params: Params = {
        "name": (infra_env.get("metadata") or {}).get("name", ""),
        "image_type": image_type,
        "pull_secret": manifests.pull_secret(),
        "ssh_authorized_key": spec.get("sshAuthorizedKey") or "",
        "cpu_architecture": spec.get("cpuArchitecture") or "",
        "kernel_arguments": [dict(argument) for argument in spec.get("kernelArguments") or []] or None,
        "static_network_config": _static_network(manifests, spec),
    }
    optional: Params = {
        "cluster_id": cluster_id,
        "ignition_config_override": spec.get("ignitionConfigOverride"),
        "additional_trust_bundle": spec.get("additionalTrustBundle"),
        "additional_ntp_sources": ",".join(spec.get("additionalNTPSources") or []),
        "ntp_sources": ",".join(spec.get("ntpSources") or []),
        "network_discovery_delay_seconds": spec.get("networkDiscoveryDelaySeconds"),
    }
    if spec.get("proxy"):
        proxy = spec["proxy"]
        optional["proxy"] = {f"{name}_proxy": proxy.get(f"{name}Proxy", "") for name in ("http", "https", "no")}
    return params | {name: value for name, value in optional.items() if value}


def _static_network(manifests: Manifests, spec: Mapping[str, Any]) -> list[Params] | None:
    documents = manifests.documents("nmstateconfig.yaml")
    if documents is None:
        return None
    selector = (spec.get("nmStateConfigLabelSelector") or {}).get("matchLabels") or {}
    return [_host_network(document, selector) for document in documents]


def _host_network(document: Mapping[str, Any], selector: Mapping[str, str]) -> Params:
    labels = (document.get("metadata") or {}).get("labels") or {}
    if not labels:
        raise ClientError("nmstateconfig should have at least one label set matching the infra-env label selector")
    if not selector:
        raise ClientError("infraenv does not have any labels set with NMStateConfigLabelSelector.MatchLabels")
    if labels != selector:
        raise ClientError("infraenv and nmstateconfig labels do not match")
    spec = spec_of(document)
    # YAML -> JSON -> YAML: comments go, keys come out sorted.
    config = json.loads(json.dumps(spec.get("config") or {}, default=str))
    element: Params = {"network_yaml": yaml.safe_dump(config, sort_keys=True)}
    if spec.get("interfaces"):
        element["mac_interface_map"] = [
            {"mac_address": interface.get("macAddress"), "logical_nic_name": interface.get("name")}
            for interface in spec["interfaces"]
        ]
    return element
