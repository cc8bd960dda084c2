# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Apply all validation rules to a deployment.

The installer's rules come first, in the installer's order. The additional checks of this collection (package ``ours``)
follow.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterable

from ...common.problems import Problem
from ..documents import Documents
from ..spec import Deployment
from . import rendezvous_host
from .facts import Facts
from .host_counts import host_counts
from .installer import documents_of, installer_problems, several_platforms
from .ours import (
    address_families,
    addresses,
    certificates,
    links,
    mirrors,
    mtu,
    pull_secret,
    root_device,
    routing,
    values,
)
from .ours import hosts as own_hosts
from .ours import vips as own_vips
from .remedies import with_remedy

Rule = Callable[[Facts], Iterable[Problem]]

OWN_RULES: tuple[Rule, ...] = (
    values.enumerations,
    address_families.address_families,
    own_hosts.hostnames,
    own_hosts.duplicate_mac,
    own_hosts.duplicate_bmc,
    own_hosts.fencing_host,
    root_device.root_device_conflict,
    links.interface_table,
    links.interface_mac_mismatch,
    links.ports_missing,
    links.base_interface_missing,
    addresses.duplicate_address,
    addresses.address_unusable,
    addresses.subnets_overlap,
    addresses.address_in_cluster_network,
    routing.gateway_unreachable,
    addresses.address_outside_machine_network,
    rendezvous_host.rendezvous_host,
    own_vips.vip_clash,
    addresses.prefix_mismatch,
    routing.dns_missing,
    routing.default_route_missing,
    mtu.mtu,
    certificates.certificate_dates,
    pull_secret.pull_secret_auth,
    mirrors.registry_without_credentials,
    mirrors.release_image_form,
    mirrors.release_registry_without_credentials,
    mirrors.release_image_mismatch,
    mirrors.release_image_tag,
    mirrors.release_mirror,
)
# Where a service that exists already installs the cluster, no host of it has to be the rendezvous host.
AGENT_ISO_RULES: frozenset[Rule] = frozenset({rendezvous_host.rendezvous_host})


def validate(
    deployment: Deployment,
    *,
    today: datetime.date | None = None,
    agent_iso: bool = True,
    documents: Documents | None = None,
) -> list[Problem]:
    """What the rules say about a deployment, each problem once, with upstream paths and file names.

    ``today`` is the day that certificates are compared with. ``agent_iso`` is False where the cluster is not installed
    by an agent ISO of its own. ``documents`` are those that the deployment was read from: the installer's rules are
    about them. Severities are the defaults; ``apply_checks`` brings in ``openshift_checks``.
    """
    facts = Facts(deployment, today or datetime.datetime.now(tz=datetime.UTC).date())
    documents = documents or documents_of(deployment)
    found = [*installer_problems(facts, documents, agent_iso=agent_iso), *several_platforms(documents)]
    found += [problem for rule in OWN_RULES if agent_iso or rule not in AGENT_ISO_RULES for problem in rule(facts)]
    found = [with_remedy(problem) for problem in dict.fromkeys(found)]
    # What the installer refuses has to be changed anyway: whether the new value is better is seen then.
    refused = {problem.path for problem in found if problem.severity == "error" and not problem.check}
    theirs = [problem for problem in found if problem.layer == "installer"]
    said = {(problem.path, problem.detail) for problem in theirs}
    ours = [problem for problem in found if problem.layer == "ours" and (problem.path, problem.detail) not in said]
    return [*theirs, *(problem for problem in ours if not (problem.check and problem.path in refused))]


def surplus_hosts(deployment: Deployment) -> list[Problem]:
    """Hosts of a role beyond its replicas: to install a cluster by a service that exists already, fewer may be named,
    more may not.
    """
    facts = Facts(deployment, datetime.datetime.now(tz=datetime.UTC).date())
    return [problem for problem in host_counts(facts) if problem.severity == "error"]
