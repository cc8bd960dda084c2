# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Check whether a host name or address that a remote machine reported about itself is safe in an Ansible inventory.

Ansible connects to the host names in an inventory. Without this check, a machine that reports the name ``127.0.0.1``
would redirect plays to the controller, and one that reports ``-oProxyCommand=...`` would pass an option to ssh.
"""

from __future__ import annotations

import ipaddress
import re

_LONGEST = 253
_LABEL = r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?"
# RFC 1123 2.1, in any case: DNS does not distinguish cases.
_DNS_NAME = re.compile(rf"{_LABEL}(?:\.{_LABEL})*")
# inet_aton(3) reads decimal, octal and hexadecimal parts, and fewer than four of them: 127.1, 0x7f000001, 2130706433.
_NUMBER = re.compile(r"[0-9]+|0[xX][0-9A-Fa-f]*")
# ansible-core lib/ansible/constants.py, LOCALHOST; the others are what /etc/hosts and RFC 6761 6.3 add for the machine
# itself.
_LOCAL = re.compile(
    r"(?:localhost|localhost4|localhost6|localdomain|localdomain4|localdomain6|ip6-localhost|ip6-loopback|loopback)",
    re.IGNORECASE,
)

# Ansible creates these groups; a host of that name would change what ``hosts: all`` means.
_EVERY_INVENTORY = frozenset({"all", "ungrouped"})


def is_dns_name(name: str) -> bool:
    """Whether a text has the form of a DNS name (RFC 1123), without a port."""
    return len(name) <= _LONGEST and bool(_DNS_NAME.fullmatch(name))


def host_name_fault(name: str) -> str:
    """Why a name must not become the name of a host; empty when it may."""
    if not is_dns_name(name):
        return "is not a DNS name (RFC 1123)"
    labels = name.split(".")
    if all(_NUMBER.fullmatch(label) for label in labels):
        return "can be read as an IP address"
    if _LOCAL.fullmatch(labels[0]) or labels[-1].lower() == "localhost":
        return "is a name of the local machine"
    if name.lower() in _EVERY_INVENTORY:
        return "is a group of every inventory"
    return ""


def safe_host_name(name: str) -> str:
    """The name if it may become the name of a host, else an empty string."""
    return "" if host_name_fault(name) else name


def safe_address(text: str) -> str:
    """The address if it can lead to another machine, else an empty string: loopback, link-local, multicast and
    unspecified ones do not.
    """
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return ""
    inner = getattr(address, "ipv4_mapped", None) or address
    local = inner.is_loopback or inner.is_link_local or inner.is_multicast or inner.is_unspecified
    return "" if local or "%" in text else text
