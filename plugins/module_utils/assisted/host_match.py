# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Which host of the service is which of the user's: one to one, by MAC first, then serial number, then a query. Pure."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

from ..common import libraries
from .client import Document
from .host_request import HostRequest
from .progress import read_host
from .records import host_record


@dataclasses.dataclass(frozen=True)
class Match:
    """``host`` None: none was found, or several (then ``candidates``). ``by`` says what decided."""

    request: HostRequest
    host: Document | None = None
    by: str = ""
    candidates: Sequence[Document] = ()
    reason: str = ""


def match_hosts(requests: Sequence[HostRequest], hosts: Sequence[Document]) -> list[Match]:
    """A match for every request, in their order; the order of requests and hosts decides nothing.

    A host that shows MACs, none of them the request's, is not it whatever else they have in common; what two requests fit belongs to neither.
    """
    found: dict[str, Match] = {}
    for criterion in (_by_mac, _by_serial, _by_query):
        taken = {str(match.host.get("id")) for match in found.values() if match.host is not None}
        waiting = [request for request in requests if request.name not in found]
        new = {request.name: criterion(request, [host for host in hosts if host.get("id") not in taken]) for request in waiting}
        found |= _one_to_one({name: match for name, match in new.items() if match is not None})
    return [found.get(request.name) or Match(request, reason=f"no host has {_identities(request)}") for request in requests]


def _by_mac(request: HostRequest, hosts: Sequence[Document]) -> Match | None:
    fitting = [host for host in hosts if set(request.macs) & set(read_host(host).macs)]
    shown = next((mac for host in fitting for mac in request.macs if mac in read_host(host).macs), "")
    return _match(request, fitting, f"MAC {shown}")


def _by_serial(request: HostRequest, hosts: Sequence[Document]) -> Match | None:
    wanted = request.serial_number.lower()
    fitting = [host for host in hosts if wanted and str(host_record(host)["serial_number"]).strip().lower() == wanted and not _contradicts(request, host)]
    return _match(request, fitting, f"serial number {request.serial_number}")


def _by_query(request: HostRequest, hosts: Sequence[Document]) -> Match | None:
    if not request.query:
        return None
    expression = libraries.jmespath.compile(request.query)
    fitting = [host for host in hosts if not _contradicts(request, host) and _answer(expression, host) is True]
    return _match(request, fitting, f"query {request.query}")


def _answer(expression: Any, host: Document) -> Any:
    try:
        return expression.search(host_record(host, inventory=True))
    except libraries.jmespath.exceptions.JMESPathError:
        return None  # a function applied to a field that this host does not have


def _contradicts(request: HostRequest, host: Document) -> bool:
    macs = read_host(host).macs
    return bool(request.macs and macs and not set(request.macs) & set(macs))


def _match(request: HostRequest, fitting: Sequence[Document], by: str) -> Match | None:
    if not fitting:
        return None
    # A machine that registered again under another id (reinstalled agent): the one that the service hears from is it.
    alive = [host for host in fitting if not read_host(host).gone]
    if len(fitting) == 1 or len(alive) == 1:
        return Match(request, (alive or list(fitting))[0], by)
    return Match(request, None, by, fitting, f"{by} is that of {len(fitting)} hosts: {', '.join(sorted(str(host.get('id')) for host in fitting))}")


def _one_to_one(found: Mapping[str, Match]) -> dict[str, Match]:
    owners: dict[str, list[str]] = {}
    for name, match in found.items():
        if match.host is not None:
            owners.setdefault(str(match.host.get("id")), []).append(name)
    result = dict(found)
    for identity, names in owners.items():
        if len(names) > 1:
            for name in names:
                match = found[name]
                result[name] = Match(match.request, None, match.by, (match.host or {},), f"host {identity} is {' and '.join(sorted(names))} at once")
    return result


def _identities(request: HostRequest) -> str:
    given = [f"MAC {', '.join(request.macs)}"] if request.macs else []
    given += [f"serial number {request.serial_number}"] if request.serial_number else []
    given += [f"query {request.query}"] if request.query else []
    return " or ".join(given)
