# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Parse the hosts in the options of module ``assisted_hosts``, and report every mistake that can be found without the
service.
"""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ...cluster.field_table import SERVICE_REQUESTS
from ...cluster.host_identity import Identity, check_identity, hosts_alike, read_identity
from ...cluster.root_device import check_hints
from ...common.addresses import normal_mac
from ...common.errors import InvalidInput
from ...common.host_names import host_name_fault
from ...common.problems import FORBIDDEN, INVALID, REQUIRED, OwnCheck, Problem

ROLES = ("auto-assign", "master", "worker", "arbiter")
_NEEDED = {"type": "str", "required": True}
# Argument spec of a host's fencing_credentials.
FENCING_OPTIONS: dict[str, dict[str, Any]] = {
    "address": _NEEDED,
    "username": _NEEDED,
    "password": {"type": "str", "required": True, "no_log": True},
    "certificate_verification": {"type": "str", "choices": ["Enabled", "Disabled"]},
    "mac_address": {"type": "str"},
}
# The only validations that can be reset (openshift/assisted-service swagger.yaml).
RESETTABLE = ("sufficient-installation-disk-speed", "container-images-available")
# What the service accepts for a host.
# Source: openshift/assisted-service internal/bminventory/inventory.go, internal/host/hostutil/host_utils.go.
_HOSTNAME = re.compile(r"(?=.{1,63}$)[a-z0-9][a-z0-9-]{0,62}(?:[.][a-z0-9-]{1,63})*")
NO_HOSTNAME = "is not a name of at most 63 lower-case letters, digits, '-' and '.' that the service takes"
_CHECK = "assisted-hosts"
_problem = OwnCheck(_CHECK)


@dataclasses.dataclass(frozen=True)
class ServiceHostRequest:
    """One host: its identity and its desired state. ``None`` leaves a field as it is.

    ``members`` are those of the update that the service gets as they are. ``skip_formatting`` are disks by id or path,
    as a whole; ``replace_endpoint`` sends token and headers although the service does not show whether they differ.
    """

    name: str
    identity: Identity = dataclasses.field(default_factory=Identity)
    hostname: str | None = None
    role: str | None = None
    disk_id: str | None = None
    root_device_hints: Mapping[str, Any] | None = None
    skip_formatting: Sequence[str] | None = None
    node_labels: Mapping[str, str | None] = dataclasses.field(default_factory=dict)
    members: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    ignition: str | None = None
    endpoint_token: str | None = dataclasses.field(default=None, repr=False)
    endpoint_headers: Mapping[str, str] | None = dataclasses.field(default=None, repr=False)
    replace_endpoint: bool = False
    fencing: Mapping[str, str] | None = dataclasses.field(default=None, repr=False)
    installer_args: Sequence[str] | None = None
    reset_validations: Sequence[str] = ()
    cluster: str | None = None
    unbind: bool = False
    absent: bool = False

    @property
    def secrets(self) -> set[str]:
        """What must appear in no output."""
        found = {
            self.endpoint_token or "",
            (self.fencing or {}).get("password", ""),
            *(self.endpoint_headers or {}).values(),
        }
        return found - {""}


def host_requests(hosts: Sequence[Mapping[str, Any]]) -> list[ServiceHostRequest]:
    """Requests for the ``hosts`` option of a module. Raises :class:`InvalidInput` with all problems."""
    problems = [found for index, host in enumerate(hosts) for found in _check(host, f"hosts[{index}]")]
    problems += hosts_alike(hosts, _hostname_in_cluster, _CHECK)
    if problems:
        raise InvalidInput(problems)
    return [_request(host) for host in hosts]


def _request(host: Mapping[str, Any]) -> ServiceHostRequest:
    labels = {
        str(key): None if value is None else _text(value) for key, value in (host.get("node_labels") or {}).items()
    }
    ignition, headers = host.get("ignition_config_overrides"), host.get("ignition_endpoint_http_headers")
    return ServiceHostRequest(
        name=str(host["name"]),
        identity=read_identity(host),
        hostname=host.get("hostname"),
        role=host.get("role"),
        disk_id=host.get("installation_disk_id"),
        root_device_hints=host.get("root_device_hints"),
        skip_formatting=host.get("disks_skip_formatting"),
        node_labels=labels,
        members={row.service: host[row.option] for row in SERVICE_REQUESTS if host.get(row.option) is not None},
        ignition=None if ignition is None else str(ignition).strip(),
        endpoint_token=host.get("ignition_endpoint_token"),
        endpoint_headers=None if headers is None else {str(key): _text(value) for key, value in headers.items()},
        replace_endpoint=bool(host.get("replace_ignition_endpoint")),
        fencing=_fencing(host.get("fencing_credentials")),
        installer_args=host.get("installer_args"),
        reset_validations=tuple(dict.fromkeys(host.get("reset_validations") or ())),
        cluster=host.get("cluster_name"),
        unbind=bool(host.get("unbind")),
        absent=host.get("state") == "absent",
    )


def _fencing(provided: Mapping[str, Any] | None) -> dict[str, str] | None:
    if provided is None:
        return None
    found = {key: str(value) for key, value in provided.items() if value is not None}
    return found | ({"mac_address": normal_mac(found["mac_address"])} if "mac_address" in found else {})


def _text(value: Any) -> str:
    # YAML's true is meant as the text "true", which is what labels hold.
    return str(value).lower() if isinstance(value, bool) else str(value)


def _check(host: Mapping[str, Any], path: str) -> Iterator[Problem]:
    identity = read_identity(host)
    if identity == Identity():
        detail = (
            f"host {host.get('name')} has no identity: set mac_addresses, system_uuid, serial_number, "
            "bmc_address or query"
        )
        yield _problem(path, REQUIRED, detail)
    yield from check_identity(identity, path, _CHECK)
    hostname = host.get("hostname")
    if hostname is not None and not is_hostname(hostname):
        yield _problem(f"{path}.hostname", INVALID, NO_HOSTNAME, hostname)
    if host.get("root_device_hints") is not None:
        yield from check_hints(host["root_device_hints"], f"{path}.root_device_hints")
        if host.get("installation_disk_id") is not None:
            yield _problem(path, FORBIDDEN, "installation_disk_id and root_device_hints exclude each other")
    if host.get("cluster_name") and (host.get("unbind") or host.get("state") == "absent"):
        yield _problem(path, FORBIDDEN, "cluster_name excludes unbind and state absent")
    text = str(host.get("ignition_config_overrides") or "").strip()
    if text and not _is_object(text):
        yield _problem(f"{path}.ignition_config_overrides", INVALID, "is not a JSON object")
    yield from _check_endpoint(host, path)
    mac = (host.get("fencing_credentials") or {}).get("mac_address")
    if mac:
        yield from check_identity(Identity(macs=(normal_mac(str(mac)),)), f"{path}.fencing_credentials", _CHECK)


def _check_endpoint(host: Mapping[str, Any], path: str) -> Iterator[Problem]:
    token, headers = host.get("ignition_endpoint_token"), host.get("ignition_endpoint_http_headers")
    if host.get("replace_ignition_endpoint") and token is None and headers is None:
        yield _problem(
            f"{path}.replace_ignition_endpoint",
            REQUIRED,
            ("there is neither ignition_endpoint_token nor ignition_endpoint_http_headers to send"),
        )
    if headers is not None and token is None and not host.get("replace_ignition_endpoint"):
        detail = (
            "the service does not show which headers it has: set replace_ignition_endpoint: true to send "
            "them. Without it, they are sent only together with the first ignition_endpoint_token of the host"
        )
        yield _problem(f"{path}.ignition_endpoint_http_headers", FORBIDDEN, detail)


def is_hostname(text: str) -> bool:
    """Whether the service takes it for a host's name, and Ansible may."""
    return bool(_HOSTNAME.fullmatch(text)) and not host_name_fault(text)


def _is_object(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict)
    except ValueError:
        return False


def _hostname_in_cluster(host: Mapping[str, Any]) -> list[tuple[str, str]]:
    """A hostname is taken once in a cluster, not once in a task."""
    return [(str(host["hostname"]), str(host.get("cluster_name") or ""))] if host.get("hostname") else []
