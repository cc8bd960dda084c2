# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Convert the manifests InfraEnv and NMStateConfig to the parameters with which assisted-service creates or updates the
InfraEnv.

Source: openshift/assisted-service cmd/agentbasedinstaller/register.go,
  internal/controller/controllers/infraenv_controller.go.
"""

from __future__ import annotations

from typing import Any

from ...common.errors import InvalidInput
from ...common.problems import INVALID
from ...common.yaml_text import dump
from ..infra_env.plan import DesiredServiceInfraEnv
from .documents import Object, at, list_at, number_at, text_at
from .problems import problem
from .read import Manifests, label_problems


def infra_env_params(manifests: Manifests, *, cluster_id: str = "", image_type: str = "full-iso") -> dict[str, Any]:
    """Return the body of the request that registers the InfraEnv. Fields that the client sends as null are in it.

    Raises :class:`InvalidInput` for invalid labels.
    """
    spec = at(manifests.infra_env, "spec") or {}
    always: dict[str, Any] = {
        "name": manifests.infra_env_name,
        "image_type": image_type,
        "pull_secret": manifests.pull_secret,
        "ssh_authorized_key": text_at(spec, "sshAuthorizedKey"),
        "kernel_arguments": [_kernel_argument(item) for item in list_at(spec, "kernelArguments")] or None,
        "static_network_config": static_network_config(manifests),
    }
    proxy = at(spec, "proxy")
    optional: dict[str, Any] = {
        "cluster_id": cluster_id,
        # The client sends an empty one as well, which the service takes for none.
        "cpu_architecture": text_at(spec, "cpuArchitecture"),
        "ignition_config_override": text_at(spec, "ignitionConfigOverride"),
        "additional_trust_bundle": text_at(spec, "additionalTrustBundle"),
        "additional_ntp_sources": ",".join(str(source) for source in list_at(spec, "additionalNTPSources")),
        "ntp_sources": ",".join(str(source) for source in list_at(spec, "ntpSources")),
        "proxy": None if proxy is None else _proxy(proxy),
    }
    if at(spec, "networkDiscoveryDelaySeconds") is not None:
        always["network_discovery_delay_seconds"] = number_at(spec, "networkDiscoveryDelaySeconds")
    return always | {name: value for name, value in optional.items() if value}


def requested_infra_env(
    manifests: Manifests, *, cluster_id: str | None, image_type: str = "full-iso"
) -> DesiredServiceInfraEnv:
    """The InfraEnv, looked up by name and brought to what the manifests say, where the client never changes one.

    ``cluster_id`` None: not known yet.
    """
    params = {
        name: value
        for name, value in infra_env_params(manifests, image_type=image_type).items()
        if name not in ("name", "pull_secret")
    }
    return DesiredServiceInfraEnv(manifests.infra_env_name, params, cluster_id, manifests.pull_secret)


def _proxy(proxy: Object) -> dict[str, str]:
    return {
        "http_proxy": text_at(proxy, "httpProxy"),
        "https_proxy": text_at(proxy, "httpsProxy"),
        "no_proxy": text_at(proxy, "noProxy"),
    }


def _kernel_argument(argument: Object) -> dict[str, str]:
    return {"operation": text_at(argument, "operation"), "value": text_at(argument, "value")}


def static_network_config(manifests: Manifests) -> list[dict[str, Any]] | None:
    """One element for each NMStateConfig, in their order; None without any. Raises :class:`InvalidInput`."""
    if manifests.nmstate_configs is None:
        return None
    problems = label_problems(manifests)
    if problems:
        raise InvalidInput([problem("", INVALID, text, file="nmstateconfig.yaml") for text in problems])
    return [_element(document) for document in manifests.nmstate_configs] or None


def _element(document: Object) -> dict[str, Any]:
    interfaces = list_at(document, "spec", "interfaces")
    names = [
        {"mac_address": text_at(item, "macAddress"), "logical_nic_name": text_at(item, "name")} for item in interfaces
    ]
    config = at(document, "spec", "config")
    return {"mac_interface_map": names, **({} if config is None else {"network_yaml": dump(config)})}
