# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Validate a deployment as the installer does, file by file in the order in which the installer reads them.

Source: openshift/installer pkg/types/validation/installconfig.go, pkg/asset/agent/installconfig.go,
  pkg/asset/agent/agentconfig.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable

from ...common.problems import INVALID, Problem
from ..documents import Documents
from ..render import agent_config as agent_document
from ..render import install_config as install_document
from ..spec import Deployment
from ..upstream.agent_config import agent_config
from ..upstream.cluster_install import host_subnets
from ..upstream.credentials import authorities
from ..upstream.defaults import PLATFORM_ORDER
from ..upstream.install_config import install_config
from ..upstream.provided import Provided
from .checks import AGENT_CONFIG, INSTALL_CONFIG
from .facts import Facts
from .host_counts import host_counts
from .hosts import hosts
from .network_config import network_configs
from .rendezvous_host import rendezvous_missing

Rule = Callable[[Facts], Iterable[Problem]]

_SUBNETS = ("networking.clusterNetwork", "networking.networkType", "controlPlane.replicas", "compute")


def documents_of(deployment: Deployment) -> Documents:
    """The two documents of a deployment that was not read from any."""
    install = install_document(deployment.cluster)
    listed = deployment.cluster.platform_options.get("hosts")
    if listed and deployment.cluster.platform == "baremetal":
        install["platform"]["baremetal"]["hosts"] = listed
    return Documents(install, agent_document(deployment))


def installer_problems(facts: Facts, documents: Documents, *, agent_iso: bool) -> list[Problem]:
    """In the installer's order.

    It ends with the first file that has an error; what it would say of the others does not depend on that file.

    ``agent_iso`` is False where a service that exists already installs the cluster: no host of it has to be the
    rendezvous host then, and hosts may be named later.

    Of a file that cannot be read in full it says only that: what the rules find in the rest of it is ours then.
    """
    found = []
    provided = Provided.of(documents.install, facts.profile)
    if not documents.install_refused:
        found += _said(install_config(provided), unread=documents.install_unread)
    wrong = [
        problem.path
        for problem in found
        if problem.severity == "error" and (problem.layer == "installer" or documents.install_unread)
    ]
    if not documents.agent_refused:
        found += _said(agent_config(documents.agent), unread=documents.agent_unread)
    of_hosts: list[Rule] = [hosts, *((host_counts,) if agent_iso and _countable(facts) else ()), network_configs]
    for rule in of_hosts:
        found += _said(rule(facts), unread=documents.agent_unread)
    found += _said(_empty_network_configs(documents), unread=documents.agent_unread)
    # The manifests are made of a right install-config.yaml only; of it, this takes a few fields.
    if not documents.install_refused and not any(path.startswith(_SUBNETS) for path in wrong):
        found += _said(host_subnets(provided), unread=documents.install_unread)
    found += _said(authorities(str(provided.doc.get("additionalTrustBundle", ""))), unread=documents.install_unread)
    if agent_iso:
        found += _said(rendezvous_missing(facts), unread=documents.agent_unread)
    return found


def several_platforms(documents: Documents) -> list[Problem]:
    """The installer takes none and external for nothing beside another platform; a user who writes two means something
    else.
    """
    names = [name for name in PLATFORM_ORDER if name in (documents.install.get("platform") or {})]
    detail = (
        f'must only specify a single type of platform; cannot use both "{names[0]}" and "{names[1]}"'
        if len(names) > 1
        else ""
    )
    return [Problem("platform", INVALID, detail, layer="ours", file=INSTALL_CONFIG)] if detail else []


def _empty_network_configs(documents: Documents) -> Iterable[Problem]:
    """An empty networkConfig is none to us; the installer has nmstate look at it."""
    for index, host in enumerate(documents.agent.get("hosts") or []):
        if host.get("networkConfig") == {}:
            detail = "nmstate generated an empty NetworkManager config file content"
            yield Problem(
                f"hosts[{index}].networkConfig", INVALID, detail, file=AGENT_CONFIG, hint="remove it, for DHCP"
            )


def _countable(facts: Facts) -> bool:
    """Numbers of hosts that cannot be are no measure."""
    return min(facts.cluster.replicas.values()) >= 0


def _said(problems: Iterable[Problem], *, unread: bool) -> list[Problem]:
    return [
        dataclasses.replace(problem, layer="ours") if unread and problem.layer == "installer" else problem
        for problem in problems
    ]
