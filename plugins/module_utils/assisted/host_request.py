# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""What a user says about hosts of the service, as requests; every mistake that needs no service is found at once."""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..cluster.root_device import check_hints
from ..common import libraries
from ..common.errors import InvalidInput
from ..common.problems import DUPLICATE, FORBIDDEN, INVALID, REQUIRED, Problem

ROLES = ("auto-assign", "master", "worker", "arbiter")
_MAC = re.compile(r"([0-9a-f]{2}:){5}[0-9a-f]{2}")
# What the service takes for a host (reference assisted-rest.md 5.2).
_HOSTNAME = re.compile(r"(?=.{1,63}$)[a-z0-9][a-z0-9-]{0,62}(?:[.][a-z0-9-]{1,63})*")
_FORBIDDEN = frozenset({"localhost", "localhost4", "localhost6"})


@dataclasses.dataclass(frozen=True)
class HostRequest:
    """One host: by what it is recognised (``macs``, ``serial_number``, ``query``) and how it shall be. ``None`` leaves a field as it is."""

    name: str
    macs: tuple[str, ...] = ()
    serial_number: str = ""
    query: str = ""
    hostname: str | None = None
    role: str | None = None
    disk_id: str | None = None
    root_device_hints: Mapping[str, Any] | None = None
    node_labels: Mapping[str, str | None] = dataclasses.field(default_factory=dict)
    machine_config_pool: str | None = None
    ignition: str | None = None
    installer_args: Sequence[str] | None = None
    cluster: str | None = None
    unbind: bool = False
    absent: bool = False


def host_requests(hosts: Sequence[Mapping[str, Any]]) -> list[HostRequest]:
    """Requests for the ``hosts`` option of a door. Raises :class:`InvalidInput` with all problems."""
    problems = [found for index, host in enumerate(hosts) for found in _check(host, f"hosts[{index}]")]
    problems += _twice(hosts)
    if problems:
        raise InvalidInput(problems)
    return [_request(host) for host in hosts]


def _request(host: Mapping[str, Any]) -> HostRequest:
    labels = {str(key): None if value is None else _label(value) for key, value in (host.get("node_labels") or {}).items()}
    ignition = host.get("ignition_config_overrides")
    return HostRequest(
        name=str(host["name"]),
        macs=_macs(host),
        serial_number=str(host.get("serial_number") or "").strip(),
        query=str(host.get("query") or ""),
        hostname=host.get("hostname"),
        role=host.get("role"),
        disk_id=host.get("installation_disk_id"),
        root_device_hints=host.get("root_device_hints"),
        node_labels=labels,
        machine_config_pool=host.get("machine_config_pool"),
        ignition=None if ignition is None else str(ignition).strip(),
        installer_args=host.get("installer_args"),
        cluster=host.get("cluster"),
        unbind=bool(host.get("unbind")),
        absent=host.get("state") == "absent",
    )


def _macs(host: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(str(mac).strip().lower().replace("-", ":") for mac in host.get("mac_addresses") or ()))


def _label(value: Any) -> str:
    # YAML's true is meant as the text "true", which is what labels hold.
    return str(value).lower() if isinstance(value, bool) else str(value)


def _check(host: Mapping[str, Any], path: str) -> Iterator[Problem]:
    if not (host.get("mac_addresses") or host.get("serial_number") or host.get("query")):
        yield _problem(path, REQUIRED, f"host {host.get('name')} has nothing to be recognised by: give mac_addresses, serial_number or query")
    yield from (_problem(f"{path}.mac_addresses", INVALID, "is not a MAC address", mac) for mac in _macs(host) if not _MAC.fullmatch(mac))
    if host.get("query"):
        try:
            libraries.jmespath.compile(str(host["query"]))
        except libraries.jmespath.exceptions.JMESPathError as error:
            yield _problem(f"{path}.query", INVALID, f"is not a JMESPath expression: {str(error).splitlines()[0]}", str(host["query"]))
    hostname = host.get("hostname")
    if hostname is not None and (not _HOSTNAME.fullmatch(hostname) or hostname.partition(".")[0] in _FORBIDDEN):
        yield _problem(f"{path}.hostname", INVALID, "is not a name of at most 63 lower-case letters, digits, '-' and '.' that the service takes", hostname)
    if host.get("root_device_hints") is not None:
        yield from check_hints(host["root_device_hints"], f"{path}.root_device_hints")
        if host.get("installation_disk_id") is not None:
            yield _problem(path, FORBIDDEN, "installation_disk_id and root_device_hints exclude each other")
    if host.get("cluster") and (host.get("unbind") or host.get("state") == "absent"):
        yield _problem(path, FORBIDDEN, "cluster excludes unbind and state absent")
    text = str(host.get("ignition_config_overrides") or "").strip()
    if text and not _is_object(text):
        yield _problem(f"{path}.ignition_config_overrides", INVALID, "is not a JSON object")


def _is_object(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict)
    except ValueError:
        return False


def _twice(hosts: Sequence[Mapping[str, Any]]) -> Iterator[Problem]:
    first: dict[tuple[str, str], str] = {}
    for index, host in enumerate(hosts):
        keys = [("name", str(host.get("name"))), *(("mac_addresses", mac) for mac in _macs(host))]
        keys += [("hostname", str(host["hostname"]))] if host.get("hostname") else []
        for option, value in keys:
            if (option, value) in first:
                yield _problem(f"hosts[{index}].{option}", DUPLICATE, f"is also that of {first[(option, value)]}", value)
            first.setdefault((option, value), str(host.get("name")))


def _problem(path: str, kind: str, detail: str, value: str = "") -> Problem:
    return Problem(path, kind, detail, layer="ours", check="assisted-hosts", value=value)
