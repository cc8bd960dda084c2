# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""BMC addresses as inventories write them: the metal3 grammar (reference redfish-virtual-media.md 5)."""

from __future__ import annotations

import dataclasses
import ipaddress
import re
from urllib.parse import urlsplit

from ..common.problems import nearest

# Driver names that speak Redfish with virtual media; the others are refused by name until their boot method exists.
VIRTUAL_MEDIA_DRIVERS = ("redfish-virtualmedia", "idrac-virtualmedia", "ilo5-virtualmedia")
NETWORK_BOOT_DRIVERS = ("redfish", "redfish-uefihttp", "idrac-redfish", "ilo5-redfish", "ipmi", "libvirt")
_HOST_LABEL = re.compile(r"^[A-Za-z0-9_]([A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?$")


@dataclasses.dataclass(frozen=True)
class BmcAddress:
    """``driver`` is the scheme without transport; ``url`` the root of the service; ``system`` the path of the System, empty = find the only one."""

    driver: str
    url: str
    host: str
    port: int
    system: str = ""


def parse_address(text: str) -> BmcAddress:
    """Read one address. Raises ValueError with a sentence for the user."""
    scheme, separator, rest = text.strip().partition("://")
    if not separator:
        raise ValueError(f"{text!r} has no scheme; write redfish-virtualmedia+https://<host>/redfish/v1/Systems/<id>")
    driver, transport = _driver(scheme)
    parts = urlsplit(f"{transport}://{rest}")
    if parts.username is not None or parts.password is not None:
        raise ValueError("credentials do not belong into the address; use username and password")
    try:
        port = parts.port
    except ValueError as error:
        raise ValueError(f"the port in {text!r} is not a number from 1 to 65535") from error
    host = parts.hostname or ""
    _check_host(host, text)
    default_port = 443 if transport == "https" else 80
    literal = f"[{host}]" if ":" in host else host
    netloc = literal if port is None else f"{literal}:{port}"
    return BmcAddress(driver, f"{transport}://{netloc}", host, port or default_port, _system_path(parts.path))


def _driver(scheme: str) -> tuple[str, str]:
    driver, _plus, transport = scheme.lower().partition("+")
    if transport not in ("", "http", "https"):
        raise ValueError(f"scheme {scheme!r} is unknown: after + comes http or https")
    if driver in VIRTUAL_MEDIA_DRIVERS:
        return driver, transport or "https"
    if driver in ("http", "https") and not transport:
        # Users paste the URL of the web interface; what they mean is clear.
        return "redfish-virtualmedia", driver
    if driver in NETWORK_BOOT_DRIVERS:
        raise ValueError(f"{driver} boots over the network, which is not part of this version; use redfish-virtualmedia")
    hint = nearest(driver, VIRTUAL_MEDIA_DRIVERS)
    raise ValueError(f"scheme {scheme!r} is unknown" + (f"; {hint}" if hint else f"; known: {', '.join(VIRTUAL_MEDIA_DRIVERS)}"))


def _check_host(host: str, text: str) -> None:
    if not host:
        raise ValueError(f"{text!r} names no host")
    try:
        ipaddress.ip_address(host)
    except ValueError:
        if len(host) > 253 or not all(_HOST_LABEL.match(label) for label in host.rstrip(".").split(".")):
            raise ValueError(f"{host!r} is neither an IP address nor a DNS name") from None


def _system_path(path: str) -> str:
    bare = path.strip("/")
    return "" if bare in ("", "redfish", "redfish/v1") else f"/{bare}"
