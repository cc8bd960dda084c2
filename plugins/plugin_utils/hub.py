# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Check the variables about a hub (``openshift_hub``, ``openshift_infra_env`` and, for a host, ``openshift_agent``),
and convert them to options of the hub's modules.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ..module_utils.cluster.field_table import AGENT_REQUESTS, ANNOTATION_REQUESTS, OWN_REQUESTS
from ..module_utils.cluster.paths import INSTALL_CONFIG
from ..module_utils.cluster.variables import read_variables
from ..module_utils.common import yaml_text
from ..module_utils.common.errors import InvalidInput
from ..module_utils.common.problems import FORBIDDEN, INVALID, REQUIRED, UNKNOWN_FIELD, UNSUPPORTED, Problem, nearest
from ..module_utils.hub.agents.options import agents_argument_spec
from ..module_utils.hub.from_spec import agent_hosts, network_hosts
from ..module_utils.kube.connection import CONNECTION_OPTIONS
from ..module_utils.manifests.provided_set import CLUSTER_DEPLOYMENT, is_provided_set
from ..modules.infra_env import argument_spec as infra_env_spec
from .hosts import boot_method
from .options import check_options
from .paths import absolute, certificate
from .problems import problem as _problem

BINDINGS = ("late", "early", "none")
IMAGES = ("direct", "publish")
# Options of the connection; the other keys are about the hub's objects.
_CONNECTION = tuple(name for name in CONNECTION_OPTIONS if name != "connect_to")
_OWN: Mapping[str, type | tuple[type, ...]] = {
    "namespace": str,
    "infra_env": str,
    "image_set": str,
    "binding": str,
    "image": str,
    "bare_metal_hosts": bool,
    "unexpected": str,
}
_BY_BMC = "openshift_hub.bare_metal_hosts lets the hub boot the machines through their BMCs"
UNEXPECTED = ("ignore", "warn", "fail", "approve")
# Options of module infra_env that the hub's roles set themselves.
_INFRA_ENV_OURS = ("name", "namespace", "state", "hosts", "cluster", "wait", "forks", "work_dir", *CONNECTION_OPTIONS)
# Fields that a BareMetalHost passes to its Agent, as the modules agents and bare_metal_hosts name it.
_REPORTED = (
    *(row.option for row in (*OWN_REQUESTS, *ANNOTATION_REQUESTS) if row.option != "hostname"),
    *("agent_labels", "node_labels", "installer_args", "ignition_config_overrides", "cluster", "unbind"),
)
# Options of a host of module agents that the roles take from openshift_host and the group.
_AGENT_OURS = (
    *("name", "mac_addresses", "cluster", "unbind", "by_bare_metal_host", "state"),
    *(row.option for row in (*OWN_REQUESTS, *AGENT_REQUESTS) if row.upstream),
)


def check_hub(variables: Mapping[str, Any]) -> list[Problem]:
    """What is wrong with ``openshift_hub`` and ``openshift_infra_env``; both are mappings here."""
    hub = variables.get("openshift_hub") or {}
    known = (*_CONNECTION, *_OWN)
    problems = [
        _problem(f"openshift_hub.{key}", UNKNOWN_FIELD, f"known: {', '.join(known)}", hint=nearest(str(key), known))
        for key in hub
        if str(key) not in known
    ]
    problems += [
        _problem(f"openshift_hub.{key}", INVALID, "must be true or false" if kind is bool else "must be a string")
        for key, kind in _OWN.items()
        if hub.get(key) is not None and not isinstance(hub[key], kind)
    ]
    for key, choices in (("binding", BINDINGS), ("image", IMAGES), ("unexpected", UNEXPECTED)):
        if isinstance(hub.get(key), str) and hub[key] not in choices:
            problems.append(
                _problem(
                    f"openshift_hub.{key}",
                    UNSUPPORTED,
                    f"supported values: {', '.join(choices)}",
                    hint=nearest(hub[key], choices),
                    value=hub[key],
                )
            )
    if hub.get("binding") == "early" and hub.get("bare_metal_hosts"):
        detail = "hosts of BareMetalHosts are bound by an annotation, which an InfraEnv with a cluster refuses"
        problems.append(_problem("openshift_hub.binding", FORBIDDEN, detail))
    # To an assisted-service it means options of another module.
    infra_env = (
        variables.get("openshift_infra_env") or {} if variables.get("openshift_install_method") != "assisted" else {}
    )
    because = "is set by the collection: see openshift_hub"
    return problems + check_options(
        "openshift_infra_env", infra_env, infra_env_spec(), ours=_INFRA_ENV_OURS, because=because
    )


def read_hub(variables: Mapping[str, Any], cluster_name: str, directory: str) -> dict[str, Any]:
    """``openshift_hub`` with its defaults: ``connection`` for the modules (may hold secrets), and the names of the
    hub's objects.
    """
    hub = dict(variables.get("openshift_hub") or {})
    connection = {key: hub[key] for key in _CONNECTION if hub.get(key) is not None}
    for key in ("client_cert", "client_key"):
        if key in connection:
            connection[key] = absolute(str(connection[key]), directory)
    if isinstance(connection.get("kubeconfig"), str):
        connection["kubeconfig"] = ":".join(
            absolute(part, directory) for part in connection["kubeconfig"].split(":") if part
        )
    if isinstance(connection.get("ca_cert"), str):
        connection["ca_cert"] = certificate(connection["ca_cert"], directory)
    connection["connect_to"] = {
        str(key): str(value) for key, value in (variables.get("openshift_connect_to") or {}).items()
    }
    namespace = str(hub.get("namespace") or cluster_name)
    return {
        "connection": connection,
        "namespace": namespace,
        "infra_env": str(hub.get("infra_env") or cluster_name),
        "image_set": str(hub.get("image_set") or ""),
        "binding": str(hub.get("binding") or "late"),
        "image": str(hub.get("image") or "direct"),
        "bare_metal_hosts": bool(hub.get("bare_metal_hosts", False)),
        "unexpected": str(hub.get("unexpected") or "warn"),
        "infra_env_options": dict(variables.get("openshift_infra_env") or {}),
    }


def cluster_name(variables: Mapping[str, Any], directory: str) -> str:
    """The name of the cluster, from ``openshift_cluster`` or the files in ``openshift_config_dir``; empty where neither
    says it.
    """
    provided = str((variables.get("openshift_cluster") or {}).get("name") or "")
    source = variables.get("openshift_config_dir")
    if provided or not source:
        return provided
    path = Path(absolute(source, directory))
    file, section, key = (
        (CLUSTER_DEPLOYMENT, "spec", "clusterName") if is_provided_set(path) else (INSTALL_CONFIG, "metadata", "name")
    )
    try:
        document = yaml_text.load((path / file).read_text())
    except (OSError, ValueError):
        return ""  # the checks of the configuration say what is wrong with the file
    found = document.get(section) if isinstance(document, dict) else None
    return str((found.get(key) if isinstance(found, dict) else "") or "")


def check_agent_variables(further: Mapping[str, Any]) -> list[Problem]:
    """What is wrong with ``openshift_agent``, given by inventory name."""
    problems = []
    for name, provided in further.items():
        if provided is None:
            continue
        path = f"openshift_agent[{name}]"
        if not isinstance(provided, Mapping):
            problems.append(
                _problem(path, INVALID, ("must be a mapping of further options of the host for the module agents"))
            )
            continue
        because = "comes from openshift_host and the group of the host"
        problems += check_options(
            path, provided, agents_argument_spec()["hosts"]["options"], ours=_AGENT_OURS, because=because
        )
    return problems


def hub_hosts(
    hosts: Sequence[Mapping[str, Any]], further: Mapping[str, Any], cluster: Mapping[str, str] | None
) -> dict[str, list[dict[str, Any]]]:
    """Hosts of the inventory for the hub's modules: ``agents`` for module agents, bound to ``cluster`` {namespace,
    name} unless that is None, and ``networks`` for module infra_env. ``further`` has ``openshift_agent`` by inventory
    name. Raises :class:`InvalidInput` for hosts that cannot be read.
    """
    parsed = read_variables({}, hosts)
    problems = [
        problem
        for problem in parsed.problems
        if problem.severity == "error" and problem.path.startswith("openshift_host")
    ]
    if problems or parsed.deployment is None:
        raise InvalidInput(problems or parsed.problems)
    binding = {"cluster": dict(cluster)} if cluster else {}
    agents = [
        {**agent, **dict(further.get(agent["name"]) or {}), **binding} for agent in agent_hosts(parsed.deployment.hosts)
    ]
    return {"agents": agents, "networks": network_hosts(parsed.deployment.hosts)}


def by_hostname(found: Mapping[str, Sequence[Mapping[str, Any]]]) -> dict[str, Any]:
    """The result of :func:`hub_hosts` with hosts of a cluster named as the BMC modules name them and as their Nodes are
    called: by hostname.
    """
    return {**found, "agents": [{**agent, "name": agent["hostname"]} for agent in found["agents"]]}


def bare_metal_hosts(
    agents: Sequence[Mapping[str, Any]], machines: Sequence[Mapping[str, Any]]
) -> list[dict[str, Any]]:
    """Hosts for the module bare_metal_hosts: ``agents`` as the module agents takes them, with their BMCs from
    ``machines``, as the BMC modules take them.

    Raises :class:`InvalidInput` for hosts without a BMC or without MAC addresses.
    """
    known = {str(machine["name"]): machine for machine in machines}
    problems: list[Problem] = []
    found = []
    for agent in agents:
        name, hostname = str(agent["name"]), str(agent.get("hostname") or agent["name"])
        machine = known.get(hostname) or known.get(name)
        macs = [*(agent.get("mac_addresses") or ()), *((machine or {}).get("mac_addresses") or ())]
        if machine is None or "bmc" not in machine:
            problems.append(_problem(f"openshift_host[{name}].bmc", REQUIRED, _BY_BMC))
        elif not macs:
            problems.append(
                _problem(
                    f"openshift_host[{name}].interfaces",
                    REQUIRED,
                    ("the hub recognises the machine by the MAC address of one of its NICs"),
                )
            )
        else:
            reported = {key: agent[key] for key in _REPORTED if agent.get(key) is not None}
            found.append(
                {
                    "name": name,
                    "hostname": hostname,
                    "boot_mac_address": macs[0],
                    "bmc": dict(machine["bmc"]),
                    **reported,
                }
            )
    if problems:
        raise InvalidInput(problems)
    return found


def without_bmc(hosts: Sequence[Mapping[str, Any]]) -> list[Problem]:
    """Hosts that the hub cannot boot by itself: without a BMC there is no BareMetalHost."""
    return [
        _problem(f"openshift_host[{host['inventory_name']}].bmc", REQUIRED, _BY_BMC)
        for host in hosts
        if boot_method(host) != "bmc"
    ]
