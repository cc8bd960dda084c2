# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Validate the cluster-wide fields of agent-config.yaml, as the installer does; rules/hosts.py validates its hosts.

Source: openshift/installer pkg/asset/agent/agentconfig/agent_config.go.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...common.problems import Problem
from . import urls
from .findings import AGENT_CONFIG, invalid
from .provided import Document
from .texts import domain_error, ip_error, quoted


def agent_config(document: Document) -> Iterator[Problem]:
    address = document.get("rendezvousIP", "")
    if address and (error := ip_error(address)):
        yield invalid("rendezvousIP", address, error, file=AGENT_CONFIG)
    for source in document.get("additionalNTPSources") or []:
        if ip_error(source) and domain_error(source):
            yield invalid(
                "additionalNTPSources", source, "NTP server is not a valid IP or domain name", file=AGENT_CONFIG
            )
    url = document.get("bootArtifactsBaseURL", "")
    if url and (error := _uri_error(url)):
        yield invalid("bootArtifactsBaseURL", url, error, file=AGENT_CONFIG)


def _uri_error(text: str) -> str:
    try:
        parsed = urls.parse(text)
    except urls.UrlError as error:
        return str(error)
    return "" if parsed.scheme else f"invalid URI {quoted(text)} (no scheme)"
