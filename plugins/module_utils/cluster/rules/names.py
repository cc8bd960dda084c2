# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Names of cluster, domain and servers (reference agent-based-installer.md 3.2, 3.5)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from urllib.parse import urlsplit

from ...common.problems import INVALID, Problem
from .checks import agent_config, install_config
from .facts import Facts, parse_ip

_LABEL = r"[a-z0-9]([-a-z0-9]*[a-z0-9])?"
_SUBDOMAIN = re.compile(rf"{_LABEL}(\.{_LABEL})*")
_DNS_1123 = "must consist of lower case letters, digits, '-' and '.', and start and end with a letter or digit"
_LONGEST_SUBDOMAIN = 253
_LONGEST_CLUSTER_NAME = 54  # a label of 63 less the nine characters of *.apps in DNS records
_ON_PREMISES = ("baremetal", "vsphere", "nutanix")


def subdomain_error(text: str) -> str:
    """Why a text is no DNS-1123 subdomain; empty when it is one."""
    if len(text) > _LONGEST_SUBDOMAIN:
        return f"must be no more than {_LONGEST_SUBDOMAIN} characters"
    return "" if _SUBDOMAIN.fullmatch(text) else _DNS_1123


def cluster_name(facts: Facts) -> Iterator[Problem]:
    error = _cluster_name_error(facts)
    if error:
        yield install_config("metadata.name", INVALID, error, value=facts.cluster.name)


def _cluster_name_error(facts: Facts) -> str:
    name = facts.cluster.name
    if len(name) > _LONGEST_CLUSTER_NAME:
        return f"must be no more than {_LONGEST_CLUSTER_NAME} characters"
    if facts.cluster.platform in _ON_PREMISES and "." in name:
        return "cluster name must not contain '.'"
    return subdomain_error(name)


def base_domain(facts: Facts) -> Iterator[Problem]:
    domain = facts.cluster.base_domain.removesuffix(".")
    error = subdomain_error(domain)
    if error:
        yield install_config("baseDomain", INVALID, error, value=facts.cluster.base_domain)
    elif not _cluster_name_error(facts) and (error := subdomain_error(f"{facts.cluster.name}.{domain}")):
        yield install_config("baseDomain", INVALID, f"with the cluster's name in front: {error}", value=facts.cluster.domain)


def ntp_sources(facts: Facts) -> Iterator[Problem]:
    for source in facts.cluster.ntp_sources:
        if parse_ip(source) is None and subdomain_error(source.removesuffix(".")):
            yield agent_config("additionalNTPSources", INVALID, "NTP server is not a valid IP or domain name", value=source)


def boot_artifacts_base_url(facts: Facts) -> Iterator[Problem]:
    url = facts.cluster.boot_artifacts_base_url
    if url and not _scheme(url):
        yield agent_config("bootArtifactsBaseURL", INVALID, f'invalid URI "{url}" (no scheme)', value=url)


def rendezvous_ip(facts: Facts) -> Iterator[Problem]:
    given = facts.cluster.rendezvous_ip
    if given and parse_ip(given) is None:
        yield agent_config("rendezvousIP", INVALID, f'"{given}" is not a valid IP', value=given)


def _scheme(url: str) -> str:
    try:
        return urlsplit(url).scheme
    except ValueError:
        return ""
