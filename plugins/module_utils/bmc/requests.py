# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""What a user says about BMCs, as boot requests; every mistake in it found at once, before any BMC is contacted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..common.errors import InvalidInput
from ..common.problems import DUPLICATE, INVALID, REQUIRED, Problem
from ..common.state import StateFile
from .address import parse_address
from .hosts import BootRequest
from .image_url import check_image_url


def boot_requests(
    hosts: Sequence[Mapping[str, Any]], image_url: str = "", *, needs_image: bool = False, state_file: StateFile | None = None
) -> list[BootRequest]:
    """Requests for the ``hosts`` option of a door: ``{name, bmc{address username password …}, mac_addresses, image_url, force}`` each.

    A host without MACs gets those that the state file knows of it, so that the right-machine guard also works where the inventory only adds BMC data.
    Raises :class:`InvalidInput` with all problems.
    """
    problems: list[Problem] = []
    known = _known_macs(state_file) if state_file else {}
    completed = [{**host, "mac_addresses": host.get("mac_addresses") or known.get(str(host.get("name")), ())} for host in hosts]
    requests = [_request(index, host, image_url, problems, needs_image=needs_image) for index, host in enumerate(completed)]
    names = [request.name for request in requests]
    problems += [_problem(f"hosts[{i}].name", DUPLICATE, f"host {name} is listed twice", name) for i, name in enumerate(names) if name in names[:i]]
    if problems:
        raise InvalidInput(problems)
    return requests


def _known_macs(state_file: StateFile) -> dict[str, Sequence[str]]:
    hosts = [host for host in state_file.section("cluster").get("hosts") or () if isinstance(host, Mapping)]
    return {str(host[key]): host.get("macs") or () for host in hosts for key in ("name", "hostname") if host.get(key)}


def _request(index: int, host: Mapping[str, Any], image_url: str, problems: list[Problem], *, needs_image: bool) -> BootRequest:
    path = f"hosts[{index}]"
    bmc = host.get("bmc") or {}
    address = str(bmc.get("address") or "")
    if not address:
        problems.append(_problem(f"{path}.bmc.address", REQUIRED, f"host {host.get('name')} has no BMC address"))
    else:
        try:
            parse_address(address)
        except ValueError as error:
            problems.append(_problem(f"{path}.bmc.address", INVALID, str(error)))
    url = str(host.get("image_url") or image_url)
    if needs_image:
        fault = "no image_url is given" if not url else check_image_url(url)
        if fault:
            problems.append(_problem(f"{path}.image_url", INVALID if url else REQUIRED, fault))
    return BootRequest(
        name=str(host.get("name") or ""),
        address=address,
        username=str(bmc.get("username") or ""),
        password=str(bmc.get("password") or ""),
        validate_certs=bool(bmc.get("validate_certs", True)),
        ca_cert=str(bmc.get("ca_cert") or ""),
        fingerprint=str(bmc.get("fingerprint") or ""),
        mac_addresses=tuple(str(mac) for mac in host.get("mac_addresses") or ()),
        image_url=url,
        force=bool(host.get("force", False)),
    )


def _problem(path: str, kind: str, detail: str, value: str = "") -> Problem:
    return Problem(path, kind, detail, layer="ours", check="bmc", value=value)
