# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Parse the mapping ``openshift_connect_to``, and look up the address to connect to instead of the one in a URL.

Only the TCP connection uses the other address. URL, Host header, SNI and certificate check keep the original name, as
with curl's --connect-to.
"""

from __future__ import annotations

import dataclasses
import ipaddress
import re
from collections.abc import Mapping

from .errors import InvalidInput
from .problems import INVALID, Problem

_SPLIT = re.compile(r"^(?:\[(?P<v6>[^\]]+)\]|(?P<host>[^:\[\]]+))(?::(?P<port>\d{1,5}))?$")


def split_endpoint(text: str) -> tuple[str, int | None]:
    """Split ``host[:port]``, ``[v6][:port]`` or a bare IPv6 address; raise ValueError with the reason."""
    try:
        return str(ipaddress.ip_address(text)), None
    except ValueError:
        match = _SPLIT.match(text)
    if match is None:
        raise ValueError(f"{text!r} is not host[:port]")
    host = match["v6"] or match["host"]
    port = int(match["port"]) if match["port"] else None
    if port is not None and not 0 < port < 65536:
        raise ValueError(f"port {port} is out of range")
    return _canonical(host), port


def _canonical(host: str) -> str:
    try:
        return str(ipaddress.ip_address(host))
    except ValueError:
        return host.lower().rstrip(".")


@dataclasses.dataclass(frozen=True)
class ConnectTo:
    """The parsed mapping. Exact ``host:port`` wins over ``host``, which wins over ``*.domain``."""

    entries: Mapping[tuple[str, int | None], tuple[str, int | None]] = dataclasses.field(default_factory=dict)

    @classmethod
    def parse(cls, mapping: Mapping[str, str]) -> tuple[ConnectTo, list[Problem]]:
        entries: dict[tuple[str, int | None], tuple[str, int | None]] = {}
        problems = []
        for key, value in mapping.items():
            try:
                entries[split_endpoint(str(key))] = split_endpoint(str(value))
            except ValueError as error:
                problems.append(
                    Problem(
                        f"openshift_connect_to[{key}]",
                        INVALID,
                        str(error),
                        layer="ours",
                        check="connect-to",
                        value=str(value),
                    )
                )
        return cls(entries), problems

    @classmethod
    def of(cls, mapping: Mapping[str, str]) -> ConnectTo:
        """The mapping of a module's option; raises :class:`InvalidInput` with every entry that cannot be read."""
        parsed, problems = cls.parse(mapping)
        if problems:
            raise InvalidInput(problems)
        return parsed

    def lookup(self, host: str, port: int) -> tuple[str, int] | None:
        """The address and port to connect to instead, or None when the configuration says nothing about this
        endpoint.
        """
        name = _canonical(host.strip("[]"))
        candidates: list[tuple[str, int | None]] = [(name, port), (name, None)]
        labels = name.split(".")
        for cut in range(1, len(labels)):
            wildcard = "*." + ".".join(labels[cut:])
            candidates += [(wildcard, port), (wildcard, None)]
        for candidate in candidates:
            if candidate in self.entries:
                address, mapped_port = self.entries[candidate]
                return address, mapped_port or port
        return None

    def resolve(self, host: str, port: int) -> tuple[str, int]:
        """The endpoint to open: the mapped one, else the given one."""
        return self.lookup(host, port) or (host, port)


DIRECT = ConnectTo()
