# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Read the desired state of hosts from a host configuration directory or from a list of hosts. All problems are
reported at once.

Three faults of upstream's client are fixed here. An invalid role is reported before the service rejects it, which ended
the client. A fencing credential in the top-level file that names a MAC address is matched by that address. The name of
a host's directory becomes its hostname.

Source: openshift/assisted-service cmd/agentbasedinstaller/host_config.go.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ...cluster.host_identity import Identity, check_identity, host_macs
from ...cluster.located import load_all
from ...cluster.tree import plain
from ...common.addresses import normal_mac
from ...common.errors import InvalidInput, ZeroTouchError
from ...common.problems import (
    DUPLICATE,
    INVALID,
    REQUIRED,
    UNKNOWN_FIELD,
    UNSUPPORTED,
    OwnCheck,
    Problem,
    errors,
    nearest,
)
from ..hosts.request import NO_HOSTNAME, is_hostname
from .documents import Object, text_at
from .hints import hint_problems, in_hints_spelling

_problem = OwnCheck("host-config")

ROLES = ("master", "arbiter", "worker", "auto-assign")
_FENCING = "fencing-credentials.yaml"
_HINTS_FILE = "root-device-hints.yaml"
_CREDENTIAL_KEYS = ("hostname", "macaddress", "address", "username", "password", "certificateVerification")
_VERIFICATION = ("", "Enabled", "Disabled")
# What the installer calls the directory of a host without a hostname.
_NAMELESS = re.compile(r"^host-\d+$")


@dataclasses.dataclass(frozen=True)
class Fencing:
    """Access to a host's BMC that the cluster keeps; found by ``hostname`` or ``mac_address``, whichever is given."""

    hostname: str
    mac_address: str
    address: str
    username: str
    password: str = dataclasses.field(repr=False)
    certificate_verification: str = ""

    @property
    def key(self) -> str:
        return self.hostname or self.mac_address

    def body(self) -> dict[str, str]:
        """``fencing_credentials`` of a host."""
        members = {
            name: getattr(self, name)
            for name in ("address", "username", "password", "certificate_verification", "mac_address")
        }
        return {name: value for name, value in members.items() if value}


@dataclasses.dataclass(frozen=True)
class HostConfig:
    """One host, found by any of its MACs (lower case).

    ``name`` is for messages, ``hostname`` is its desired name, empty to keep the present one.
    """

    name: str
    macs: tuple[str, ...]
    hostname: str = ""
    role: str = ""
    hints: Mapping[str, Any] = dataclasses.field(default_factory=dict)


@dataclasses.dataclass(frozen=True)
class HostSettings:
    """All hosts that are expected, and fencing credentials.

    Raises nothing; made by :func:`read_host_config` and :func:`from_hosts`.
    """

    hosts: tuple[HostConfig, ...] = ()
    fencing: tuple[Fencing, ...] = ()

    @property
    def secrets(self) -> set[str]:
        return {item.password for item in self.fencing if item.password}


def read_host_config(directory: Path) -> HostSettings:
    """The directory as the agent ISO has it; one level of sub-directories counts.

    Raises :class:`InvalidInput` with every problem.
    """
    if not directory.is_dir():
        raise ZeroTouchError(
            f"{directory} does not exist.", ("host_config_dir is a directory with one directory a host.")
        )
    wanted = ("mac_addresses", "role", _HINTS_FILE, _FENCING)
    paths = [path for path in sorted(directory.glob("*/*")) if path.name in wanted] + [directory / _FENCING]
    return parse_host_config(
        {str(path.relative_to(directory)): path.read_text("utf-8", "replace") for path in paths if path.is_file()}
    )


def parse_host_config(files: Mapping[str, str]) -> HostSettings:
    """As :func:`read_host_config`, from relative path -> text. A directory without mac_addresses does not count."""
    problems: list[Problem] = []
    hosts, fencing = [], []
    for name in sorted({path.partition("/")[0] for path in files if path.endswith("/mac_addresses")}):
        macs = host_macs(
            {"mac_addresses": [line for line in files[f"{name}/mac_addresses"].splitlines() if line.strip()]}
        )
        role = files.get(f"{name}/role", "").strip()
        hints = in_hints_spelling(_yaml(files, f"{name}/{_HINTS_FILE}", problems))
        hosts.append(HostConfig(name, macs, "" if _NAMELESS.match(name) else name, role, hints))
        fencing += _credentials(files, f"{name}/{_FENCING}", problems)
    fencing += _credentials(files, _FENCING, problems)
    return _checked(hosts, fencing, problems)


def from_hosts(hosts: Sequence[Mapping[str, Any]]) -> HostSettings:
    """Entries ``{name, hostname, mac_addresses, role, root_device_hints, fencing_credentials}``.

    Raises :class:`InvalidInput` with every problem.
    """
    configs, fencing = [], []
    for index, entry in enumerate(hosts):
        macs = host_macs(entry)
        hostname = str(entry.get("hostname") or "")
        name = hostname or f"host-{index}"
        configs.append(
            HostConfig(name, macs, hostname, str(entry.get("role") or ""), dict(entry.get("root_device_hints") or {}))
        )
        provided = entry.get("fencing_credentials")
        if provided:
            rest = {
                key: str(provided.get(key) or "")
                for key in ("address", "username", "password", "certificate_verification")
            }
            fencing.append(
                Fencing(hostname, normal_mac(str(provided.get("mac_address") or "")) or next(iter(macs), ""), **rest)
            )
    return _checked(configs, fencing, [])


def _checked(hosts: Sequence[HostConfig], fencing: Iterable[Fencing], problems: list[Problem]) -> HostSettings:
    owners: dict[str, str] = {}
    named: dict[str, str] = {}
    for host in hosts:
        problems += list(check_identity(Identity(macs=host.macs), host.name, "host-config"))
        if host.hostname and not is_hostname(host.hostname):
            problems.append(_problem(host.name, INVALID, NO_HOSTNAME, host.hostname))
        if host.hostname and named.setdefault(host.hostname, str(host.macs)) != str(host.macs):
            problems.append(_problem(host.name, DUPLICATE, "two hosts have this hostname", host.hostname))
        if not host.macs:
            problems.append(_problem(host.name, REQUIRED, "no MAC address is given"))
        if host.role and host.role not in ROLES:
            problems.append(_problem(f"{host.name}/role", UNSUPPORTED, f"must be one of {', '.join(ROLES)}", host.role))
        problems += list(hint_problems(host.hints, f"{host.name}/{_HINTS_FILE}"))
        for mac in host.macs:
            if owners.setdefault(mac, host.name) != host.name:
                problems.append(_problem(host.name, DUPLICATE, f"belongs to {owners[mac]} as well", mac))
    # The last of several entries with one key wins.
    kept = {item.key: item for item in fencing}
    for item in kept.values():
        if item.certificate_verification not in _VERIFICATION:
            problems.append(
                _problem(
                    "fencing credentials",
                    UNSUPPORTED,
                    ("certificateVerification must be Enabled or Disabled"),
                    item.certificate_verification,
                )
            )
    if errors(problems):
        raise InvalidInput(problems)
    return HostSettings(tuple(hosts), tuple(kept.values()))


def _credentials(files: Mapping[str, str], path: str, problems: list[Problem]) -> list[Fencing]:
    document = _yaml(files, path, problems)
    unknown = [key for key in document if str(key).lower() != "credentials"]
    if unknown:
        problems.append(
            _problem(path, UNKNOWN_FIELD, (f"{unknown[0]} is not known here; the file holds credentials: a list"))
        )
    entries = next((value for key, value in document.items() if str(key).lower() == "credentials"), None) or []
    found = []
    for entry in entries if isinstance(entries, list) else [None]:
        if not isinstance(entry, Mapping):
            problems.append(_problem(path, INVALID, "credentials is not a list of mappings"))
            continue
        known = {key.lower() for key in _CREDENTIAL_KEYS}
        problems += [
            _problem(path, UNKNOWN_FIELD, f"{key} is not known", hint=nearest(str(key), _CREDENTIAL_KEYS))
            for key in entry
            if str(key).lower() not in known
        ]
        fencing = _fencing(entry)
        if not fencing.hostname and not fencing.mac_address:
            problems.append(_problem(path, REQUIRED, "a credential names neither hostname nor macaddress"))
        found.append(fencing)
    return found


def _fencing(entry: Object) -> Fencing:
    mac = normal_mac(text_at(entry, "macaddress"))
    rest = [text_at(entry, key) for key in ("address", "username", "password", "certificateVerification")]
    return Fencing(text_at(entry, "hostname"), mac, *rest)


def _yaml(files: Mapping[str, str], path: str, problems: list[Problem]) -> dict[str, Any]:
    items, found = load_all(files.get(path, ""), path)
    problems += errors(found)
    document = plain(items[0]) if items else None
    if document is not None and not isinstance(document, dict):
        problems.append(_problem(path, INVALID, "is not a mapping"))
    return document if isinstance(document, dict) else {}
