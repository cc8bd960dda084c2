# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Apply all rules of the installer to install-config.yaml, in the installer's order.

Source: openshift/installer pkg/types/validation/installconfig.go, pkg/asset/agent/installconfig.go.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from ...common.problems import Problem
from . import agent_install, capabilities, credentials, feature_gates, ignored, networks, options, pki, platforms, pools
from .findings import invalid
from .provided import Provided
from .texts import cluster_name_error, domain_error
from .vips import vips

Rule = Callable[[Provided], Iterable[Problem]]

_NO_DOTS = ("vsphere", "baremetal", "openstack", "nutanix")


def names(provided: Provided) -> Iterator[Problem]:
    name, domain = (provided.doc.get("metadata") or {}).get("name", ""), provided.doc.get("baseDomain", "")
    name_error = cluster_name_error(name, dots=not any(platform in provided.platforms for platform in _NO_DOTS))
    if name_error:
        yield invalid("metadata.name", name, name_error)
    error = domain_error(domain)
    if error:
        yield invalid("baseDomain", domain, error)
    elif not name_error:
        whole = f"{name}.{domain.removesuffix('.')}"
        if error := domain_error(whole):
            yield invalid("baseDomain", whole, error)


RULES: tuple[Rule, ...] = (
    credentials.ssh_keys,
    credentials.trust_bundle,
    credentials.trust_bundle_policy,
    names,
    networks.networking,
    networks.ip_versions,
    networks.cluster_network_mtu,
    vips,
    networks.ovn_kubernetes_config,
    platforms.platform,
    pools.control_plane,
    pools.bootstrap_in_place,
    pools.arbiter,
    pools.compute,
    credentials.pull_secret,
    options.proxy,
    options.image_content_sources,
    options.publish_value,
    options.image_digest_sources,
    options.both_sources,
    options.credentials_mode,
    capabilities.capability_names,
    options.publish_strategy,
    capabilities.capability_needs,
    pki.pki,
    feature_gates.feature_set,
    options.os_image_stream,
    # From here on the agent installer's own.
    platforms.agent_platform,
    agent_install.architectures,
    ignored.ignored,
    agent_install.control_plane_replicas,
    agent_install.single_node,
    agent_install.two_nodes,
)


def install_config(provided: Provided) -> list[Problem]:
    """Each problem once, in the installer's order. That a field is ignored is not said where it is refused."""
    found = list(dict.fromkeys(problem for rule in RULES for problem in rule(provided)))
    refused = {problem.path for problem in found if problem.severity == "error"}
    return [problem for problem in found if problem.severity == "error" or problem.path not in refused]
