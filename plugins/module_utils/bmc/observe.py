# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Open a Redfish session with the BMC of a host and read its machine, without changing anything."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping

from ..common.errors import ZeroTouchError
from ..common.http import HttpClient
from ..common.state import StateFile
from ..common.tls import Tls
from .address import BmcAddress, parse_address
from .hosts import BmcOptions, BootRequest
from .machine import Machine, read_machine
from .session import Credentials, RedfishSession
from .storage import read_drives

# Bytes of a Redfish resource. Real ones have some 10 kB; collections that are sent with all their members ($expand)
# have a few MB.
LARGEST_RESOURCE = 8 << 20


def observe(request: BootRequest, options: BmcOptions, *, read_only: bool = False) -> Machine:
    """Read one machine. With ``read_only`` not even a session is opened, where the BMC allows that."""
    with open_session(request, options, read_only=read_only) as session:
        machine = read_machine(session, address_of(request).system)
        if not options.drives:
            return machine
        drives = read_drives(session, machine.system)
        return dataclasses.replace(machine, drives=drives, notes=tuple(dict.fromkeys(session.notes)))


def open_session(request: BootRequest, options: BmcOptions, *, read_only: bool = False) -> RedfishSession:
    """A session of one host, remembered in the state file while it is open.

    Raises :class:`ZeroTouchError` for what cannot be used in the request.
    """
    address = address_of(request)
    tls = Tls(request.validate_certs, tuple(ca for ca in (request.ca_cert, options.ca_cert) if ca), request.fingerprint)
    http = HttpClient(f"BMC of {request.name}", address.url, tls, options.connect_to, largest=LARGEST_RESOURCE)
    credentials = Credentials(request.username, request.password)
    # A BMC may repeat them in the answer to a request that did not carry them, and what is shown of an answer is cut.
    http.secrets = frozenset({request.password} if request.password else ())
    if options.state_file is None or read_only:
        return RedfishSession(http, credentials, options.clock, read_only=read_only, before_write=options.before_write)
    record = options.state_file.section("bmc").get(request.name)
    left_open = (
        str(record.get("session", "")) if isinstance(record, Mapping) and record.get("address") == address.url else ""
    )
    remember = _remember_in(options.state_file, request.name, address.url)
    return RedfishSession(
        http, credentials, options.clock, remember=remember, left_open=left_open, before_write=options.before_write
    )


def _remember_in(state_file: StateFile, name: str, url: str) -> Callable[[str], None]:
    return lambda uri: state_file.update("bmc", {name: {"address": url, "session": uri} if uri else None})


def address_of(request: BootRequest) -> BmcAddress:
    """The parsed address. Raises :class:`ZeroTouchError` naming the host."""
    try:
        return parse_address(request.address)
    except ValueError as error:
        raise ZeroTouchError(f"BMC address of {request.name}: {error}.") from error
