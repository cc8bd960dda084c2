# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Parse and check the module options that identify the machine of a host, such as MAC addresses and serial number.

The modules for a hub and those for the REST API of assisted-service use it.

Source: docs/upstream/infrastructure-operator.md#what-a-client-does.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from ..common import libraries
from ..common.addresses import is_mac, normal_mac
from ..common.problems import DUPLICATE, INVALID, Problem

_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
# BMC addresses in an inventory that mean that the BMC is unknown.
_NO_BMC = ("", "0.0.0.0", "::/0", "::")


@dataclasses.dataclass(frozen=True)
class Identity:
    """Identity of a host's machine. MACs and addresses are in their normal spelling, ``labels`` a tuple of pairs.

    ``hostname`` alone identifies no machine. It only finds a host of ``cluster`` that has no inventory at the moment,
    as while it is being bound.
    """

    macs: tuple[str, ...] = ()
    system_uuid: str = ""
    serial_number: str = ""
    bmc_address: str = ""
    labels: tuple[tuple[str, str], ...] = ()
    query: str = ""
    hostname: str = ""
    cluster: Hashable = None


def read_identity(host: Mapping[str, Any]) -> Identity:
    """The identity in the options of one host; without any of them ``Identity()``."""
    return Identity(
        macs=host_macs(host),
        system_uuid=str(host.get("system_uuid") or "").lower(),
        serial_number=str(host.get("serial_number") or "").strip(),
        bmc_address=normal_address(str(host.get("bmc_address") or "")),
        labels=tuple(sorted((str(key), str(value)) for key, value in (host.get("labels") or {}).items())),
        query=str(host.get("query") or ""),
    )


def host_macs(host: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(normal_mac(str(mac)) for mac in host.get("mac_addresses") or ()))


def check_identity(identity: Identity, path: str, check: str) -> Iterator[Problem]:
    """Mistakes in an identity; ``check`` is the name under which they are reported."""

    def problem(option: str, detail: str, value: str) -> Problem:
        return Problem(f"{path}.{option}", INVALID, detail, layer="ours", check=check, value=value)

    yield from (problem("mac_addresses", "is not a MAC address", mac) for mac in identity.macs if not is_mac(mac))
    if identity.system_uuid and not _UUID.fullmatch(identity.system_uuid):
        yield problem("system_uuid", "is not a UUID", identity.system_uuid)
    if identity.query:
        try:
            libraries.jmespath.compile(identity.query)
        except libraries.jmespath.exceptions.JMESPathError as error:
            yield problem("query", f"is not a JMESPath expression: {str(error).splitlines()[0]}", identity.query)


def provided_twice(
    hosts: Sequence[Mapping[str, Any]],
    option: str,
    words: str,
    values: Callable[[Mapping[str, Any]], Iterable[Hashable]],
    check: str,
) -> Iterator[Problem]:
    """Hosts that share one of ``values``; of a tuple its first member is shown."""
    first: dict[Hashable, int] = {}
    for index, host in enumerate(hosts):
        for value in values(host):
            if value in first:
                shown = str(value[0] if isinstance(value, tuple) else value)
                detail = f"{words} of {host.get('name')} is also that of {hosts[first[value]].get('name')}"
                yield Problem(f"hosts[{index}].{option}", DUPLICATE, detail, layer="ours", check=check, value=shown)
            else:
                first[value] = index


def hosts_alike(
    hosts: Sequence[Mapping[str, Any]],
    hostnames: Callable[[Mapping[str, Any]], Iterable[Hashable]],
    check: str,
) -> Iterator[Problem]:
    """Hosts that share a name, a hostname (of one cluster: ``hostnames``), a MAC address or a system UUID."""
    yield from provided_twice(hosts, "name", "name", lambda host: [str(host.get("name"))], check)
    yield from provided_twice(hosts, "hostname", "hostname", hostnames, check)
    yield from provided_twice(hosts, "mac_addresses", "MAC", host_macs, check)
    yield from provided_twice(
        hosts,
        "system_uuid",
        "system UUID",
        lambda host: [str(host["system_uuid"]).lower()] if host.get("system_uuid") else [],
        check,
    )


def normal_address(address: str) -> str:
    """One spelling of a BMC's IP address: no prefix length, no brackets, lower case."""
    return address.strip().partition("/")[0].strip("[]").lower()


def bmc_addresses(found: Iterable[Any]) -> tuple[str, ...]:
    """The BMC addresses of an inventory, without those that say that none is known."""
    return tuple(normal_address(str(address)) for address in found if address and str(address) not in _NO_BMC)
