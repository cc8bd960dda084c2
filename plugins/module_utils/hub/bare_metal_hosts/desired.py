# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Check the options of hosts that the hub boots, and render their BareMetalHosts and Secrets. Every mistake that can be
found without the hub is reported here.

The hub's controller (BMAC) boots a BareMetalHost with the label of an InfraEnv into discovery, and configures the
Agent by annotations of the BareMetalHost (openshift/assisted-service
internal/controller/controllers/bmh_agent_controller.go).
"""

from __future__ import annotations

import base64
import dataclasses
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ...bmc.address import parse_address
from ...bmc.requests import check_bmc
from ...cluster.field_table import ANNOTATION_REQUESTS, OWN_REQUESTS
from ...common.addresses import normal_mac
from ...common.errors import InvalidInput
from ...common.problems import INVALID, REQUIRED, Problem
from ..agents.model import INFRA_ENV_LABEL
from ..agents.request import AgentHostRequest, host_requests
from .problems import problem as _problem

Object = dict[str, Any]

BMAC = "bmac.agent-install.openshift.io"
CLUSTER_REFERENCE = f"{BMAC}/cluster-reference"
NODE_LABEL = f"{BMAC}.node-label."
AGENT_LABEL = f"{BMAC}.agent-label."
# Annotations whose text is JSON: another spelling of the same document is no change.
JSON_ANNOTATIONS = (f"{BMAC}/installer-args", f"{BMAC}/ignition-config-overrides")
CLEANING_MODES = ("disabled", "metadata")
# Names of objects; BMAC puts this one into a label as well, which ends at 63 characters.
_NAME = re.compile(r"(?=.{1,63}$)[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")
# Options of a host that the module agents has as well, with the same meaning and the same mistakes.
_OF_AGENTS = (
    *(row.option for row in (*OWN_REQUESTS, *ANNOTATION_REQUESTS)),
    *("agent_labels", "node_labels", "installer_args", "ignition_config_overrides", "cluster", "unbind"),
)


@dataclasses.dataclass(frozen=True)
class DesiredHost:
    """One host: the BareMetalHost and the Secret with its BMC's credentials, holding the fields that are ours and no
    others.

    ``node_labels`` is the whole set, None leaves it alone. ``binds`` is whether the desired state says anything about
    the cluster. ``notes`` are worth knowing.
    """

    name: str
    bare_metal_host: Object
    secret: Object = dataclasses.field(repr=False)
    node_labels: Mapping[str, str] | None = None
    binds: bool = False
    notes: tuple[str, ...] = ()


@dataclasses.dataclass(frozen=True)
class DesiredBareMetalHosts:
    """All hosts of one task, in their order."""

    namespace: str
    infra_env: str
    hosts: tuple[DesiredHost, ...]


def secret_name(host: str) -> str:
    """The Secret that we make for a host."""
    return f"{host}-bmc-secret"


def read_requested(options: Mapping[str, Any]) -> DesiredBareMetalHosts:
    """The objects that the options mean. Raises :class:`InvalidInput` with all problems."""
    namespace, hosts = str(options["namespace"]), options["hosts"]
    problems = list(_problems(options))
    try:
        requests = host_requests([_as_agents_host(host) for host in hosts], namespace)
    except InvalidInput as error:
        problems += [_renamed(problem) for problem in error.problems]
        requests = []
    if problems:
        raise InvalidInput(problems)
    return DesiredBareMetalHosts(
        namespace,
        str(options["infra_env_name"]),
        tuple(_requested(host, request, options) for host, request in zip(hosts, requests, strict=True)),
    )


def read_names(hosts: Sequence[Mapping[str, Any]]) -> list[str]:
    """The names of hosts with state absent, for which nothing else matters."""
    return list(dict.fromkeys(str(host["name"]) for host in hosts))


def credentials(hosts: Sequence[Mapping[str, Any]]) -> set[str]:
    """What must not be shown: passwords as they are and as Secrets hold them."""
    passwords = {str((host.get("bmc") or {}).get("password") or "") for host in hosts} - {""}
    return passwords | {_encoded(password) for password in passwords}


def _problems(options: Mapping[str, Any]) -> Iterator[Problem]:
    if not options.get("infra_env_name"):
        yield _problem("infra_env_name", REQUIRED, "name the InfraEnv whose image the hosts boot")
    for index, host in enumerate(options["hosts"]):
        path = f"hosts[{index}]"
        yield from machine_problems(host, path)


def machine_problems(host: Mapping[str, Any], path: str) -> Iterator[Problem]:
    """Mistakes in what identifies a machine and its BMC."""
    if not _NAME.fullmatch(str(host["name"])):
        yield _problem(
            f"{path}.name",
            INVALID,
            ("is no name for a BareMetalHost: at most 63 lower-case letters, digits, '-' and '.'"),
            str(host["name"]),
        )
    if not host.get("boot_mac_address"):
        yield _problem(
            f"{path}.boot_mac_address",
            REQUIRED,
            ("the hub recognises the machine by the MAC address of one of its NICs"),
        )
    if not host.get("bmc"):
        yield _problem(f"{path}.bmc", REQUIRED, "the hub boots the machine through its BMC")
    else:
        yield from check_bmc(host["bmc"], f"{path}.bmc")


def _as_agents_host(host: Mapping[str, Any]) -> dict[str, Any]:
    # A missing address is a problem of its own, which is reported before.
    mac = host.get("boot_mac_address")
    identity = {"mac_addresses": [mac]} if mac else {"system_uuid": "00000000-0000-0000-0000-000000000000"}
    return {"name": host["name"], **identity, **{key: host[key] for key in _OF_AGENTS if host.get(key) is not None}}


def _renamed(problem: Problem) -> Problem:
    return dataclasses.replace(
        problem, path=problem.path.replace(".mac_addresses", ".boot_mac_address"), check="bare-metal-hosts"
    )


def _requested(host: Mapping[str, Any], request: AgentHostRequest, options: Mapping[str, Any]) -> DesiredHost:
    name, namespace, bmc = str(host["name"]), str(options["namespace"]), host["bmc"]
    spec: Object = {
        "online": True,
        "bootMACAddress": normal_mac(str(host["boot_mac_address"])),
        "automatedCleaningMode": str(host.get("automated_cleaning_mode") or CLEANING_MODES[0]),
        "bmc": bmc_part(name, bmc),
    }
    if request.root_device_hints is not None:
        spec["rootDeviceHints"] = dict(request.root_device_hints)
    if host.get("boot_mode"):
        spec["bootMode"] = host["boot_mode"]
    metadata = {
        "name": name,
        "namespace": namespace,
        "labels": {INFRA_ENV_LABEL: str(options["infra_env_name"])},
        "annotations": _annotations(request),
    }
    return DesiredHost(
        name,
        {"metadata": metadata, "spec": spec},
        bmc_secret(name, namespace, bmc),
        # A label without a value is one that must not exist: from a whole set it is left out.
        {key: value for key, value in request.node_labels.items() if value is not None}
        if host.get("node_labels") is not None
        else None,
        bool(request.cluster) or request.action == "unbind",
        tuple(certificate_notes(name, bmc)),
    )


def _annotations(request: AgentHostRequest) -> dict[str, str | None]:
    """What BMAC copies to the Agent. A role or a pool that is left to the hub is said by no annotation."""
    found: dict[str, str | None] = {}
    plain = {row.annotation: request.spec.get(row.agent) for row in ANNOTATION_REQUESTS}
    named = {"hostname": request.spec.get("hostname"), "role": request.role, **plain}
    found |= {f"{BMAC}/{name}": _annotation(value) for name, value in named.items() if value is not None}
    for name, document in (
        ("installer-args", request.installer_args),
        ("ignition-config-overrides", request.ignition_config_overrides),
    ):
        if document is not None:
            found[f"{BMAC}/{name}"] = json.dumps(document) if document else None
    if request.action == "unbind":
        # BMAC clears the reference of the Agent; without the annotation it would leave it
        found[CLUSTER_REFERENCE] = ""
    elif request.cluster is not None:
        found[CLUSTER_REFERENCE] = str(request.cluster)
    found |= {f"{AGENT_LABEL}{key}": value for key, value in request.agent_labels.items()}
    return found | {f"{NODE_LABEL}{key}": value for key, value in request.node_labels.items()}


def _annotation(value: Any) -> str | None:
    return value or None if isinstance(value, str) else json.dumps(value)


def bmc_part(host: str, bmc: Mapping[str, Any]) -> Object:
    """``spec.bmc`` of the BareMetalHost of a host."""
    return {
        "address": bmc_address(str(bmc["address"])),
        "credentialsName": secret_name(host),
        "disableCertificateVerification": not _is_true(bmc.get("validate_certs", True)),
    }


def bmc_secret(host: str, namespace: str, bmc: Mapping[str, Any]) -> Object:
    """The Secret with the credentials of a host's BMC."""
    return {
        "metadata": {"name": secret_name(host), "namespace": namespace},
        "type": "Opaque",
        "data": {"username": _encoded(str(bmc["username"])), "password": _encoded(str(bmc["password"]))},
    }


def bmc_address(text: str) -> str:
    """The address in baremetal-operator's grammar; the URL of a web interface, which users paste, means Redfish virtual
    media.
    """
    scheme, separator, rest = text.strip().partition("://")
    return (
        f"redfish-virtualmedia+{scheme.lower()}://{rest}"
        if separator and scheme.lower() in ("http", "https")
        else text.strip()
    )


def same_bmc(one: str, other: str) -> bool:
    """Whether two addresses mean the same BMC and driver."""
    try:
        return one == other or parse_address(one) == parse_address(other)
    except ValueError:
        return False


def certificate_notes(name: str, bmc: Mapping[str, Any]) -> Iterator[str]:
    """What of a BMC's description has no place in a BareMetalHost."""
    unused = [key for key in ("ca_cert", "fingerprint") if bmc.get(key)]
    if unused and _is_true(bmc.get("validate_certs", True)):
        yield (
            f"{name}: a BareMetalHost has no place for bmc.{' and bmc.'.join(unused)}. The hub's baremetal-operator "
            "has to trust the BMC's certificate "
            "by itself, or set bmc.validate_certs to false."
        )


def _is_true(value: Any) -> bool:
    return str(value).lower() in ("true", "yes", "on", "1")


def _encoded(text: str) -> str:
    return base64.b64encode(text.encode()).decode()
