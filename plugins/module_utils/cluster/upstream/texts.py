# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Check names, IP and MAC addresses as the installer's Go libraries do, with their error messages.

The checks return the error message; an empty text means that the value is valid.
"""

from __future__ import annotations

import dataclasses
import functools
import ipaddress
import json
import re
from collections.abc import Sequence
from typing import Union

Address = Union[ipaddress.IPv4Address, ipaddress.IPv6Address]
Network = Union[ipaddress.IPv4Network, ipaddress.IPv6Network]

_SUBDOMAIN_PATTERN = r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*"
_SUBDOMAIN = re.compile(_SUBDOMAIN_PATTERN)
_SUBDOMAIN_TEXT = (
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start "
    "and end with an alphanumeric "
    f"character (e.g. 'example.com', regex used for validation is '{_SUBDOMAIN_PATTERN}')"
)
_LONGEST_SUBDOMAIN = 253
_LONGEST_CLUSTER_NAME = 54  # a label of 63 less the nine characters of *.apps in DNS records
_MAC = re.compile(
    r"(?:[0-9a-f]{2}(?P<sep>[:-])(?:[0-9a-f]{2}(?P=sep))*[0-9a-f]{2})|(?:[0-9a-f]{4}\.)+[0-9a-f]{4}", re.IGNORECASE
)
# How the service wants those of network configurations.
NMSTATE_MAC = re.compile(r"([0-9A-Fa-f]{2}:){5}[0-9A-Fa-f]{2}")
_MAC_LENGTHS = (6, 8, 20)
_EUI48 = 6
_MAPPED_PREFIX = 96


def subdomain_error(text: str) -> str:
    """Of a DNS-1123 subdomain; two mistakes are in one text."""
    errors = [f"must be no more than {_LONGEST_SUBDOMAIN} characters"] if len(text) > _LONGEST_SUBDOMAIN else []
    if not _SUBDOMAIN.fullmatch(text):
        errors.append(_SUBDOMAIN_TEXT)
    return joined_errors(errors)


def joined_errors(errors: Sequence[str]) -> str:
    """Return errors in the one text that Kubernetes makes of them (kubernetes/apimachinery pkg/util/errors/errors.go);
    empty without errors.
    """
    if len(errors) > 1:
        return f"[{', '.join(errors)}]"
    return errors[0] if errors else ""


def domain_error(text: str) -> str:
    """Of a domain name, one dot at its end allowed."""
    return subdomain_error(text.removesuffix("."))


def host_error(text: str) -> str:
    """Of an address or the name of a host."""
    return "" if parse_ip(text) else subdomain_error(text)


def cluster_name_error(text: str, *, dots: bool) -> str:
    """``dots``: whether the platform allows them in a cluster's name."""
    if not dots and "." in text:
        return "cluster name must not contain '.'"
    if len(text) > _LONGEST_CLUSTER_NAME:
        return f"must be no more than {_LONGEST_CLUSTER_NAME} characters"
    return subdomain_error(text)


@functools.lru_cache(maxsize=4096)
def parse_ip(text: str) -> Address | None:
    """An address without a zone; one of IPv4 in the notation of IPv6 counts as IPv4."""
    try:
        ip = None if "%" in text else ipaddress.ip_address(text)
    except ValueError:
        return None
    mapped = ip.ipv4_mapped if isinstance(ip, ipaddress.IPv6Address) else None
    return mapped or ip


def ip_error(text: str) -> str:
    return "" if parse_ip(text) else f"{quoted(text)} is not a valid IP"


@dataclasses.dataclass(frozen=True)
class Cidr:
    """A network as the user wrote it: ``ip`` may have host bits."""

    ip: Address
    network: Network

    @property
    def version(self) -> int:
        return self.ip.version

    @property
    def prefix(self) -> int:
        return self.network.prefixlen

    def __str__(self) -> str:
        return f"{self.ip}/{self.prefix}"

    def holds(self, ip: Address | None) -> bool:
        return ip is not None and ip.version == self.version and ip in self.network

    def overlaps(self, other: Cidr) -> bool:
        return self.version == other.version and self.network.overlaps(other.network)

    def error(self) -> str:
        """Of a network: no host bits, and not the unspecified address."""
        if self.ip.is_unspecified:
            return "address must be specified"
        return (
            ""
            if self.ip == self.network.network_address
            else (f"invalid network address. got {self}, expecting {self.network}")
        )


@functools.lru_cache(maxsize=4096)
def parse_cidr(text: str) -> Cidr | None:
    """``a/n``; None where it is something else."""
    address, slash, digits = text.partition("/")
    if not slash or "%" in text or not re.fullmatch(r"[0-9]{1,3}", digits):
        return None
    ip = parse_ip(address)
    length = int(digits)
    if ip is None:
        return None
    if ip.version == 4 and ":" in address:
        length -= _MAPPED_PREFIX
    try:
        return Cidr(ip, ipaddress.ip_network(f"{ip}/{length}", strict=False))
    except ValueError:
        return None


def canonical_cidr(text: str) -> str:
    """A network in the installer's notation: an address of IPv6 short and in lower case, a mapped one of IPv4 as such;
    another text as it is.
    """
    parsed = parse_cidr(text)
    return str(parsed) if parsed else text


def mac_octets(text: str) -> bytes | None:
    """The octets of a hardware address in any notation; None where it is none."""
    digits = re.sub(r"[:.-]", "", text)
    return bytes.fromhex(digits) if _MAC.fullmatch(text) and len(digits) // 2 in _MAC_LENGTHS else None


def mac_error(text: str) -> str:
    """Of a unicast EUI-48 address."""
    octets = mac_octets(text)
    if octets is None:
        return f"address {text}: invalid MAC address"
    if len(octets) != _EUI48:
        return "invalid MAC address"
    return "expected unicast mac address, found multicast" if octets[0] & 1 else ""


def quoted(text: str) -> str:
    """A text in double quotes, as the installer prints it."""
    return json.dumps(text, ensure_ascii=False)
