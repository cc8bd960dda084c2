# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Convert the description of a cluster and its hosts to options of modules ``infra_env`` and ``agents``.

The options mean the same configuration as an agent ISO of this description.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from ..cluster.field_table import HOST_FIELDS
from ..cluster.field_values import infra_env_values, request_options
from ..cluster.spec import Deployment, Host
from ..manifests.objects import no_proxy, pull_secret_name, ssh_keys

_REQUESTS = tuple(row for row in HOST_FIELDS if row.own_request or row.agent)


def infra_env_options(deployment: Deployment, *, mirror_registry: str = "", namespace: str = "") -> dict[str, Any]:
    """Options of ``infra_env`` for an image whose hosts can install this cluster; the pull secret is the cluster's own
    Secret in the same namespace.

    ``mirror_registry`` is the ConfigMap with the mirrors in ``namespace``, empty without one.
    """
    cluster = deployment.cluster
    proxy = {
        "http_proxy": cluster.proxy.http_proxy,
        "https_proxy": cluster.proxy.https_proxy,
        "no_proxy": no_proxy(deployment),
    }
    options = {
        "pull_secret_name": pull_secret_name(cluster),
        "ssh_public_keys": ssh_keys(cluster),
        **infra_env_values(cluster),
        "arch": cluster.architecture,
        "image_proxy": {key: value for key, value in proxy.items() if value}
        if cluster.proxy.http_proxy or cluster.proxy.https_proxy
        else {},
        "mirror_registry": {"name": mirror_registry, "namespace": namespace} if mirror_registry else {},
        "hosts": network_hosts(deployment.hosts),
    }
    return {key: value for key, value in options.items() if value or key == "hosts"}


def network_hosts(hosts: Iterable[Host]) -> list[dict[str, Any]]:
    """Hosts with a network configuration of their own, as ``infra_env`` takes them."""
    return [
        {
            "name": host_name(host),
            "interfaces": [{"name": interface.name, "mac_address": interface.mac} for interface in host.interfaces],
            "network_config": dict(host.network_config),
        }
        for host in hosts
        if host.network_config
    ]


def agent_hosts(hosts: Sequence[Host]) -> list[dict[str, Any]]:
    """Hosts as ``agents`` takes them: how each is recognised, and what it becomes."""
    return [
        {
            "name": host.name,
            "mac_addresses": list(host.macs),
            **request_options(_REQUESTS, host),
            "hostname": host_name(host),
        }
        for host in hosts
    ]


def host_name(host: Host) -> str:
    return host.hostname or host.name
