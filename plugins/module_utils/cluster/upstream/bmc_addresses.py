# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Check BMC addresses as the installer does, and report those that only work with a provisioning network.

Source: openshift/installer pkg/asset/agent/installconfig.go.
"""

from __future__ import annotations

import re

from . import urls
from .texts import parse_ip

_DNS = re.compile(
    r"(([a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9\-]{0,61}[a-zA-Z0-9])\.)*([A-Za-z0-9]|[A-Za-z0-9][A-Za-z0-9\-]{0,61}[A-Za-z0-9])"
)
# Scheme -> the driver that needs a provisioning network; empty where virtual media does without.
_DRIVERS = {
    "ipmi": "ipmi",
    "libvirt": "ipmi",
    "irmc": "irmc",
    **dict.fromkeys(("ibmc", "ibmc+http", "ibmc+https"), "ibmc"),
    **dict.fromkeys(
        ("idrac", "idrac+http", "idrac+https", "idrac-redfish", "idrac-redfish+http", "idrac-redfish+https"), "idrac"
    ),
    **dict.fromkeys(("ilo4", "ilo4+https"), "ilo"),
    **dict.fromkeys(("ilo5", "ilo5+https"), "ilo5"),
    **dict.fromkeys(
        ("redfish", "redfish+http", "redfish+https", "ilo5-redfish", "ilo5-redfish+http", "ilo5-redfish+https"),
        "redfish",
    ),
    **dict.fromkeys(("ilo4-virtualmedia", "ilo4-virtualmedia+https"), ""),
    **{
        f"{name}{scheme}": ""
        for name in ("idrac-virtualmedia", "redfish-virtualmedia", "ilo5-virtualmedia")
        for scheme in ("", "+http", "+https")
    },
}
_NOT_PARSED = "failed to parse BMC address information"


def access_error(address: str) -> str:
    """Why hosts cannot be provisioned by this BMC without a provisioning network; empty where they can."""
    if not address:
        return "missing BMC address"
    try:
        scheme, host = _parsed(address)
    except urls.UrlError as error:
        return f"{_NOT_PARSED}: {error}"
    if host and parse_ip(host) is None and not _DNS.fullmatch(host):
        return f"{_NOT_PARSED}: BMC address hostname/IP : [{host}] is invalid"
    if scheme not in _DRIVERS:
        return f"Unknown BMC type '{scheme}' for address {address}"
    return f"driver {_DRIVERS[scheme]} requires provisioning network" if _DRIVERS[scheme] else ""


def _parsed(address: str) -> tuple[str, str]:
    """Scheme and host; an address without a scheme is one of IPMI."""
    try:
        url = urls.parse(address)
    except urls.UrlError:
        if ":" in address and not re.fullmatch(r"[^:\[\]]*:[^:]*|\[[^\]]*\]:[^:]*", address):
            raise
        return "ipmi", re.sub(r":[0-9]*$", "", address).strip("[]")
    if url.opaque:
        url = urls.parse(address.replace(":", "://", 1))
    if not url.scheme and not url.host:
        url = urls.parse(f"ipmi://{address}")
    return url.scheme, url.host
