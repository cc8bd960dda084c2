# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Parse and check the hosts in the options of module agents. Every mistake that can be found without the hub is
reported before the first request to the hub.
"""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal

from ...cluster.field_table import AGENT_REQUESTS
from ...cluster.host_identity import Identity, check_identity, hosts_alike, read_identity
from ...cluster.root_device import check_hints
from ...common.errors import InvalidInput
from ...common.host_names import host_name_fault
from ...common.problems import FORBIDDEN, INVALID, REQUIRED, UNSUPPORTED, Problem
from .model import ClusterRef
from .problems import problem as _problem

ROLES = ("auto-assign", "master", "worker", "arbiter")
_CHECK = "agents"
_HOSTNAME = re.compile(r"(?=.{1,253}$)[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?(\.[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?)*")
_LABEL_KEY = re.compile(r"([a-z0-9]([-a-z0-9.]*[a-z0-9])?/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?")
_LABEL_VALUE = re.compile(r"([A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?")
# Labels that controllers write and repair (13): a value of ours would not stay, or would mislead them.
_CONTROLLERS_LABELS = re.compile(
    r"(infraenvs\.agent-install\.openshift\.io$|(inventory\.|agentclassification\.)?agent-install\.openshift\.io/)"
)
# Names in the Agent's spec of options that it gets as they are.
_FIELDS = {"hostname": "hostname", **{row.option: row.agent for row in AGENT_REQUESTS}}


Action = Literal["keep", "bind", "unbind", "delete"]


@dataclasses.dataclass(frozen=True)
class AgentHostRequest:
    """One host: its identity and the desired state of its Agent. ``None`` leaves a field as it is.

    ``spec`` holds the plain fields by their names in the Agent's spec, ``installer_args`` and
    ``ignition_config_overrides`` are decoded JSON. ``action`` is what happens to the binding or to the Agent itself.
    ``by_bare_metal_host``: the hub's BareMetalHost tells the Agent all this, not we.
    """

    name: str
    identity: Identity = dataclasses.field(default_factory=Identity)
    approved: bool | None = None
    role: str | None = None
    spec: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    disk_id: str | None = None
    disk_path: str | None = None
    root_device_hints: Mapping[str, Any] | None = None
    agent_labels: Mapping[str, str | None] = dataclasses.field(default_factory=dict)
    node_labels: Mapping[str, str | None] = dataclasses.field(default_factory=dict)
    installer_args: Sequence[str] | None = None
    ignition_config_overrides: Mapping[str, Any] | None = None
    cluster: ClusterRef | None = None
    action: Action = "keep"
    by_bare_metal_host: bool = False


def host_requests(hosts: Sequence[Mapping[str, Any]], namespace: str) -> list[AgentHostRequest]:
    """Requests for the ``hosts`` option of a module. Raises :class:`InvalidInput` with all problems."""
    problems: list[Problem] = []
    requests = []
    for index, host in enumerate(hosts):
        path = f"hosts[{index}]"
        problems += _check(host, path)
        request = None if any(problem.path.startswith(path) for problem in problems) else _request(host, namespace)
        requests += [request] if request else []
    problems += hosts_alike(hosts, _hostname_in_cluster, _CHECK)
    if problems:
        raise InvalidInput(problems)
    return requests


def _request(host: Mapping[str, Any], namespace: str) -> AgentHostRequest:
    cluster = host.get("cluster")
    reference = ClusterRef(str(cluster.get("namespace") or namespace), str(cluster["name"])) if cluster else None
    deleting = host.get("state") == "absent"
    staying = not deleting and not host.get("unbind")
    # A host that is listed is one that is expected; a host that leaves needs no approval.
    approved = host.get("approved")
    if staying:
        approved = approved is None or bool(approved)
    return AgentHostRequest(
        name=str(host["name"]),
        identity=dataclasses.replace(
            read_identity(host), cluster=reference, hostname="" if deleting else str(host.get("hostname") or "")
        ),
        approved=approved,
        role=host.get("role"),
        spec={field: host[option] for option, field in _FIELDS.items() if host.get(option) is not None},
        disk_id=host.get("installation_disk_id"),
        disk_path=host.get("installation_disk_path"),
        root_device_hints=host.get("root_device_hints"),
        agent_labels=_labels(host.get("agent_labels")),
        node_labels=_labels(host.get("node_labels")),
        installer_args=host.get("installer_args"),
        ignition_config_overrides=_decoded(host.get("ignition_config_overrides")),
        cluster=reference,
        action=_action(host, bound=reference is not None),
        by_bare_metal_host=bool(host.get("by_bare_metal_host")) and not deleting,
    )


def _labels(labels: Mapping[str, Any] | None) -> dict[str, str | None]:
    return {str(key): None if value is None else _label_text(value) for key, value in (labels or {}).items()}


def _label_text(value: Any) -> str:
    # YAML's true is meant as the text "true", which is what labels hold.
    return str(value).lower() if isinstance(value, bool) else str(value)


def _decoded(text: Any) -> Mapping[str, Any] | None:
    if text is None:
        return None
    if isinstance(text, Mapping):
        return text
    document = json.loads(text) if str(text).strip() else {}
    return document if isinstance(document, Mapping) else None


def _check(host: Mapping[str, Any], path: str) -> Iterator[Problem]:
    identity = read_identity(host)
    if identity == Identity():
        yield _problem(
            path,
            REQUIRED,
            (
                f"host {host.get('name')} has nothing to recognise its Agent by: give mac_addresses, or one of the "
                "other "
                "identities"
            ),
        )
    yield from check_identity(identity, path, _CHECK)
    yield from _check_fields(host, path)
    yield from _check_labels(host.get("agent_labels"), f"{path}.agent_labels", agents=True)
    yield from _check_labels(host.get("node_labels"), f"{path}.node_labels", agents=False)
    yield from _check_action(host, path)


def _check_fields(host: Mapping[str, Any], path: str) -> Iterator[Problem]:
    hostname, role = host.get("hostname"), host.get("role")
    if hostname and not _HOSTNAME.fullmatch(str(hostname)):
        yield _problem(
            f"{path}.hostname",
            INVALID,
            ("is not a lower-case DNS name that the service takes for a host"),
            str(hostname),
        )
    elif hostname and (fault := host_name_fault(str(hostname))):
        yield _problem(f"{path}.hostname", INVALID, fault, str(hostname))
    if role is not None and role != "" and role not in ROLES:
        yield _problem(f"{path}.role", UNSUPPORTED, f"must be one of {', '.join(ROLES)}", str(role))
    disks = [
        name
        for name in ("installation_disk_id", "installation_disk_path", "root_device_hints")
        if host.get(name) is not None
    ]
    if len(disks) > 1:
        yield _problem(path, FORBIDDEN, f"{' and '.join(disks)} exclude each other")
    if host.get("root_device_hints") is not None:
        yield from check_hints(host["root_device_hints"], f"{path}.root_device_hints")
    try:
        overrides = host.get("ignition_config_overrides")
        if overrides is not None and _decoded(overrides) is None:
            yield _problem(f"{path}.ignition_config_overrides", INVALID, "is not a JSON object")
    except ValueError as error:
        yield _problem(f"{path}.ignition_config_overrides", INVALID, f"is not JSON: {_parser_words(error)}")


def _parser_words(error: ValueError) -> str:
    return (
        f"{error.msg} at line {error.lineno} column {error.colno}"
        if isinstance(error, json.JSONDecodeError)
        else "it cannot be read"
    )


def _check_labels(labels: Mapping[str, Any] | None, path: str, *, agents: bool) -> Iterator[Problem]:
    for key, value in (labels or {}).items():
        where = f"{path}[{key}]"
        if agents and _CONTROLLERS_LABELS.match(str(key)):
            yield _problem(where, FORBIDDEN, "belongs to the controllers of the hub, which would set it back")
        elif not _LABEL_KEY.fullmatch(str(key)):
            yield _problem(where, INVALID, "is not a label key")
        if value is not None and not _LABEL_VALUE.fullmatch(_label_text(value)):
            yield _problem(
                where,
                INVALID,
                (
                    "is not a label value: at most 63 letters, digits, '-', '_' and '.', "
                    "beginning and ending alphanumeric"
                ),
                str(value),
            )


def _check_action(host: Mapping[str, Any], path: str) -> Iterator[Problem]:
    cluster = host.get("cluster")
    if cluster and not cluster.get("name"):
        yield _problem(f"{path}.cluster.name", REQUIRED, "names no ClusterDeployment")
    if cluster and host.get("unbind"):
        yield _problem(path, FORBIDDEN, "cluster and unbind exclude each other")
    if host.get("state") == "absent" and (cluster or host.get("unbind")):
        yield _problem(path, FORBIDDEN, "an Agent with state absent can neither be bound nor unbound")


def _hostname_in_cluster(host: Mapping[str, Any]) -> list[tuple[str, str]]:
    """A hostname is taken once in a cluster, not once in a task."""
    cluster = host.get("cluster") or {}
    namespace, name = cluster.get("namespace") or "", cluster.get("name") or ""
    return [(str(host["hostname"]), f"{namespace}/{name}")] if host.get("hostname") else []


def _action(host: Mapping[str, Any], *, bound: bool) -> Action:
    if host.get("state") == "absent":
        return "delete"
    if host.get("unbind"):
        return "unbind"
    return "bind" if bound else "keep"
