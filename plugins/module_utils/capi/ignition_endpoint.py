# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Convert the ignition endpoint of an AgentCluster to the form that an AgentClusterInstall accepts. Pure.

Source: openshift/cluster-api-provider-agent controllers/ignition_endpoint.go, controllers/agentcluster_controller.go.
"""

from __future__ import annotations

import ipaddress
from urllib.parse import urlsplit, urlunsplit


def install_endpoint(url: str) -> str:
    """The URL without its path, to which the service adds the pool's name; an IPv6 address without brackets gets
    brackets.

    A text that is no URL is returned unchanged.
    """
    normal = with_brackets(url)
    try:
        parts = urlsplit(normal)
        _port = parts.port
    except ValueError:
        return normal
    if not parts.scheme or _bare_colons(parts.netloc):
        return normal
    return urlunsplit((parts.scheme, parts.netloc, "", parts.query, parts.fragment))


def with_brackets(url: str) -> str:
    """Add the missing brackets: ``https://fd00::1:31187/ignition`` means address and port, but RFC 3986 requires
    brackets.
    """
    scheme, mark, rest = url.partition("://")
    authority, slash, path = rest.partition("/")
    if not mark or authority.startswith("[") or not _bare_colons(authority):
        return url
    host, _colon, port = authority.rpartition(":")
    try:
        literal = ipaddress.ip_address(host).version == 6
    except ValueError:
        literal = False
    return f"{scheme}://[{host}]:{port}{slash}{path}" if literal and port else url


def _bare_colons(authority: str) -> bool:
    return not authority.rpartition("@")[2].startswith("[") and authority.rpartition("@")[2].count(":") > 1
