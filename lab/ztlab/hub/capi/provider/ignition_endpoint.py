# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Convert the ignition endpoint of an AgentCluster to the form that its AgentClusterInstall needs. Pure functions.

Source: openshift/cluster-api-provider-agent controllers/ignition_endpoint.go, controllers/agentcluster_controller.go.
"""

from __future__ import annotations

import ipaddress
import re

_PARTS = re.compile(r"^(?P<scheme>[A-Za-z][A-Za-z0-9+.-]*)://(?P<authority>[^/?#]*)(?P<path>[^?#]*)(?P<rest>.*)$", re.S)


def normalised(url: str) -> str:
    """The address with brackets around an IPv6 literal before its port, if they are missing."""
    match = _PARTS.match(url)
    if match is None or "[" in match["authority"] or match["authority"].count(":") < 2:
        return url
    host, _colon, port = match["authority"].rpartition(":")
    try:
        ipaddress.IPv6Address(host)
    except ValueError:
        return url
    return f"{match['scheme']}://[{host}]:{port}{match['path']}{match['rest']}" if port else url


def for_cluster_install(url: str) -> str:
    """The endpoint without its path: the assisted-service adds the path by the pool of each host."""
    match = _PARTS.match(normalised(url))
    if match is None or ("[" not in match["authority"] and match["authority"].count(":") > 1):
        return normalised(url)
    return f"{match['scheme']}://{match['authority']}{match['rest']}"
