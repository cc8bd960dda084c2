# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Validate single values of NodePools and HostedClusters. Each check returns what is wrong, or an empty text.

The patterns are those of the CRDs. Where these are looser than the operator (networks, durations), the operator's rule
is added: otherwise the operator would stop working on the object, in a condition or only in its log, long after this
collection accepted the value.

Source: openshift/hypershift api/hypershift/v1beta1/nodepool_types.go, api/hypershift/v1beta1/hostedcluster_types.go,
  hypershift-operator/controllers/hostedcluster/hostedcluster_controller.go.
"""

from __future__ import annotations

import datetime
import ipaddress
import re
from typing import Any, TypeAlias

from .names import HEALTH_MOST_UNHEALTHY, HEALTH_TIMEOUT, STARTUP_TIMEOUT

_IMAGE = re.compile(r"\w+\S+", re.ASCII)
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}.*", re.ASCII)
_BOOLEANS = ("true", "false", "True", "False")
_DURATION = re.compile(r"([0-9]+(?:\.[0-9]*)?|\.[0-9]+)(ns|us|µs|μs|ms|s|m|h)")
_SECONDS = {"ns": 1e-9, "us": 1e-6, "µs": 1e-6, "μs": 1e-6, "ms": 1e-3, "s": 1.0, "m": 60.0, "h": 3600.0}
_DNS_NAME = r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*"
_QUALIFIED = re.compile(rf"(?:(?P<prefix>{_DNS_NAME})/)?[A-Za-z0-9]([-A-Za-z0-9_.]{{0,61}}[A-Za-z0-9])?")
_LABEL_VALUE = re.compile(r"(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?")
_CIDR_4 = re.compile(r"(\d{1,3}\.){3}\d{1,3}/\d{1,2}", re.ASCII)
_CIDR_6 = re.compile(r"([0-9a-fA-F]{0,4}:){2,7}([0-9a-fA-F]{0,4})?/[0-9]{1,3}")
_DOMAIN = re.compile(r"(?:[a-zA-Z0-9-]+\.)+[a-zA-Z]{2,}")
_DOMAIN_OR_LABEL = re.compile(r"(?:(?:[a-zA-Z0-9-]+\.)+[a-zA-Z]{2,}|[a-zA-Z0-9-]+)")
_NODE_PORT_NAME = re.compile(r"(([a-zA-Z0-9][-a-zA-Z0-9]*\.)+[a-zA-Z]{2,}|localhost)")
_CLUSTER_NAME = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?")
_OBJECT_NAME = re.compile(_DNS_NAME)
_LONGEST_NAME = 253
_LONGEST_LABEL = 63

Network: TypeAlias = "ipaddress.IPv4Network | ipaddress.IPv6Network"


def image_fault(text: str) -> str:
    if len(text) > _LONGEST_NAME:
        return "must be at most 253 characters"
    return (
        ""
        if _IMAGE.fullmatch(text)
        else ("must begin with a letter, a digit or '_', have at least two characters, and contain no white space")
    )


def unpinned(image: str) -> bool:
    """Whether the text can name another release tomorrow: no digest, and no tag or ``latest``.

    It is compared as text only.
    """
    tail = image.rpartition("/")[2]
    return "@" not in tail and tail.partition(":")[2] in ("", "latest")


def pause_fault(text: str, shortest: int = 1) -> str:
    """``pausedUntil``: a date, or a boolean as text."""
    if text in _BOOLEANS:
        return ""
    if not _DATE.fullmatch(text) or not shortest <= len(text) <= 35:
        return "must be a date as 2026-12-31T23:59:59Z, or true or false"
    try:
        found = datetime.datetime.fromisoformat(text.replace("Z", "+00:00"))
    except ValueError:
        found = None
    return "" if found is not None and found.tzinfo is not None else "is no RFC 3339 date: the operator would ignore it"


def duration(text: str) -> float | None:
    """Seconds of a duration as Go writes it (``1h30m``, ``90s``); None for anything else."""
    if text in ("0", "+0", "-0"):
        return 0.0
    sign, bare = (-1.0, text[1:]) if text[:1] == "-" else (1.0, text.removeprefix("+"))
    if not bare or _DURATION.sub("", bare):
        return None
    return sign * sum(float(number) * _SECONDS[unit] for number, unit in _DURATION.findall(bare))


def duration_fault(text: str) -> str:
    seconds = duration(text)
    if seconds is None:
        return "must be a duration such as 90s, 10m or 1h30m"
    return "must not be negative" if seconds < 0 else ""


def health_check_fault(annotation: str, text: str) -> str:
    """Annotations of the MachineHealthCheck; the operator silently ignores those it cannot read (1.2)."""
    if annotation in (HEALTH_TIMEOUT, STARTUP_TIMEOUT):
        return duration_fault(text)
    return (
        "must be a number or a percentage"
        if annotation == HEALTH_MOST_UNHEALTHY and int_or_percent(text) is None
        else ""
    )


def key_fault(text: str) -> str:
    """Keys of labels and taints."""
    match = _QUALIFIED.fullmatch(text)
    if match is None or len(match["prefix"] or "") > _LONGEST_NAME:
        return (
            "must be a qualified name: letters, digits, '-', '_' and '.', at most 63, after an optional DNS name and "
            "'/'"
        )
    return ""


def label_value_fault(text: str, longest: int = _LONGEST_LABEL) -> str:
    if len(text) > longest:
        return f"must be at most {longest} characters"
    return (
        ""
        if _LABEL_VALUE.fullmatch(text)
        else ("must be letters, digits, '-', '_' and '.', with a letter or digit at both ends")
    )


def cidr_fault(text: str) -> str:
    if len(text) > 43 or not (_CIDR_4.fullmatch(text) or _CIDR_6.fullmatch(text)):
        return "must be a network such as 192.168.1.0/24 or 2001:db8::/64"
    return "" if network(text) is not None else "is no network: an address part or the prefix length is too large"


def network(text: str) -> Network | None:
    try:
        return ipaddress.ip_network(text, strict=False)
    except ValueError:
        return None


def address_fault(text: str) -> str:
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return "must be an IP address"
    return ""


def node_port_address_fault(text: str) -> str:
    """Where NodePorts are reached: a dotted name, localhost or an IP address.

    The CRD takes no name of a single label.
    """
    if len(text) > _LONGEST_NAME or not text:
        return "must be 1 to 253 characters"
    if _NODE_PORT_NAME.fullmatch(text):
        return ""
    # A zone, or IPv4 within IPv6, is an address to Python and not to the CRD.
    if not address_fault(text) and "%" not in text and not ("." in text and ":" in text):
        return ""
    return "must be an IP address, or a name with at least one dot that ends in letters"


def hostname_fault(text: str) -> str:
    """Names under which services are published."""
    if not 1 <= len(text) <= _LONGEST_NAME or not _DOMAIN.fullmatch(text):
        return "must be a name with at least one dot that ends in letters"
    return ""


def domain_fault(text: str) -> str:
    """Base domains and the like; empty is allowed."""
    return (
        "" if not text or (len(text) <= _LONGEST_NAME and _DOMAIN_OR_LABEL.fullmatch(text)) else "must be a domain name"
    )


def cluster_name_fault(text: str) -> str:
    """Names that a NodePool can refer to."""
    good = _CLUSTER_NAME.fullmatch(text) and len(text) <= _LONGEST_NAME
    return (
        "" if good else ("must be lower case letters, digits and '-', with a letter or digit at both ends, at most 253")
    )


def object_name_fault(text: str) -> str:
    good = _OBJECT_NAME.fullmatch(text) and len(text) <= _LONGEST_NAME
    return (
        ""
        if good
        else ("must be a Kubernetes name: lower case letters, digits, '-' and '.', with a letter or digit at both ends")
    )


def int_or_percent(value: Any) -> int | str | None:
    """A number, or a percentage as text; None for anything else.

    Digits in quotes mean the number: as text the operator refuses them.
    """
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value if value >= 0 else None
    text = str(value)
    if text.isascii() and text.isdigit():
        return int(text)
    return text if text.isascii() and text.endswith("%") and text[:-1].isdigit() else None
