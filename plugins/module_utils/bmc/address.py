# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Parse and check the BMC address of a host, such as ``redfish-virtualmedia+https://10.0.0.11/redfish/v1/Systems/1``.

The grammar is that of metal3 (metal3-io/baremetal-operator pkg/hardwareutils/bmc).
"""

from __future__ import annotations

import dataclasses
import ipaddress
import re
from urllib.parse import urlsplit

from ..common.problems import nearest

# Drivers that use Redfish virtual media; other known drivers are rejected by name until their boot method exists.
VIRTUAL_MEDIA_DRIVERS = ("redfish-virtualmedia", "idrac-virtualmedia", "ilo5-virtualmedia")
# Drivers that this version cannot boot with -> the virtual media driver for the same BMC, empty where there is none.
_OTHER_DRIVERS = {
    "redfish": "redfish-virtualmedia",
    "redfish-uefihttp": "redfish-virtualmedia",
    "idrac-redfish": "idrac-virtualmedia",
    "ilo5-redfish": "ilo5-virtualmedia",
    "ipmi": "redfish-virtualmedia",
    "libvirt": "",
}
_REMOVED_DRIVERS = {
    "ilo4": "",
    "ilo5": "ilo5-virtualmedia",
    "irmc": "redfish-virtualmedia",
    "idrac": "idrac-virtualmedia",
}
SUPPORTED = f"supported are {', '.join(VIRTUAL_MEDIA_DRIVERS)}, each also with +http or +https"
_HOST_LABEL = re.compile(r"^[A-Za-z0-9_]([A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?$")


@dataclasses.dataclass(frozen=True)
class BmcAddress:
    """``driver`` is the scheme without transport; ``url`` the root of the service; ``system`` the path of the System,
    empty = find the only one.
    """

    driver: str
    url: str
    host: str
    port: int
    system: str = ""


def parse_address(text: str) -> BmcAddress:
    """Read one address. Raises ValueError with a sentence for the user."""
    if "@" in text:
        # Before anything else is said about the text: what is before @ is mostly a password.
        raise ValueError("the address must not contain credentials; use username and password")
    scheme, separator, rest = text.strip().partition("://")
    if not separator:
        raise ValueError(
            f"{text!r} has no scheme, which would mean IPMI; write "
            f"redfish-virtualmedia://<host>/redfish/v1/Systems/<id>; {SUPPORTED}"
        )
    driver, transport = _driver(scheme, rest)
    try:
        parts = urlsplit(f"{transport}://{rest}")
        host = parts.hostname or ""
    except ValueError as error:
        raise ValueError(f"{text!r} cannot be read: {error}") from error
    try:
        port = parts.port
    except ValueError as error:
        raise ValueError(f"the port in {text!r} is not a number from 1 to 65535") from error
    if port == 0:
        raise ValueError(f"the port in {text!r} is not a number from 1 to 65535")
    _check_host(host, text)
    default_port = 443 if transport == "https" else 80
    literal = f"[{host}]" if ":" in host else host
    netloc = literal if port is None else f"{literal}:{port}"
    return BmcAddress(driver, f"{transport}://{netloc}", host, port or default_port, system_path(parts.path))


def _driver(scheme: str, rest: str) -> tuple[str, str]:
    driver, _plus, transport = scheme.lower().partition("+")
    if transport not in ("", "http", "https"):
        raise ValueError(f"scheme {scheme!r} is unknown: after + comes http or https")
    if driver in VIRTUAL_MEDIA_DRIVERS:
        return driver, transport or "https"
    if driver in ("http", "https") and not transport:
        # Users paste the URL of the web interface; what they mean is clear.
        return "redfish-virtualmedia", driver
    if driver in _OTHER_DRIVERS:
        instead = _instead(_OTHER_DRIVERS[driver], transport, rest, ipmi=driver == "ipmi")
        why = "switches a machine that boots from the network" if driver == "ipmi" else "boots over the network"
        why = "is for virtual machines" if driver == "libvirt" else why
        raise ValueError(f"scheme {driver} {why}, which is not part of this version; {instead}{SUPPORTED}")
    if driver in _REMOVED_DRIVERS:
        raise ValueError(
            f"scheme {driver} is no longer supported by OpenShift; "
            f"{_instead(_REMOVED_DRIVERS[driver], transport, rest, ipmi=False)}{SUPPORTED}"
        )
    hint = nearest(driver, VIRTUAL_MEDIA_DRIVERS)
    hint_prefix = hint + "; " if hint else ""
    raise ValueError(f"scheme {scheme!r} is unknown; {hint_prefix}{SUPPORTED}")


def _instead(driver: str, transport: str, rest: str, *, ipmi: bool) -> str:
    """The address that comes nearest to what was written, for the same machine."""
    if not driver:
        return ""
    # An IPMI address has a port and a query of its own; no path says which System.
    place = re.split(r"[:/?]", rest)[0] if ipmi and not rest.startswith("[") else rest
    condition = "if this BMC has Redfish virtual media, write " if ipmi else "nearest is "
    transport_suffix = "+" + transport if transport else ""
    return f"{condition}{driver}{transport_suffix}://{place}; "


def _check_host(host: str, text: str) -> None:
    if not host:
        raise ValueError(f"{text!r} names no host")
    try:
        ipaddress.ip_address(host)
    except ValueError:
        if len(host) > 253 or not all(_HOST_LABEL.match(label) for label in host.rstrip(".").split(".")):
            raise ValueError(f"{host!r} is neither an IP address nor a DNS name") from None


def system_path(path: str) -> str:
    """The path of the System that an address names; empty for one that names none."""
    bare = path.strip("/")
    return "" if bare in ("", "redfish", "redfish/v1") else f"/{bare}"
