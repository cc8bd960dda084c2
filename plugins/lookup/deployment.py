# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
from __future__ import annotations

DOCUMENTATION = r"""
name: deployment
short_description: What the inventory says about a deployment
version_added: 0.1.0
author: the zerotouch.openshift authors (@zerotouch-openshift)
description:
  - Reads the C(openshift_*) variables and the role groups of the inventory, checks names and types, and fills in defaults.
  - The roles of this collection get everything from here, so that a variable's default stands in one place.
options:
  _terms:
    description:
      - V(settings) is a dictionary whose only secrets are passwords that somebody wrote into a URL
        (C(name), C(work_dir), C(config_dir), C(source_dir), C(version), C(release_image), C(base_image),
        C(method), C(publish), C(connect_to), C(ca_cert), C(timeouts), C(checks), C(force), C(confirm), C(destroy_purge)).
      - V(shown_settings) is the same for output, with C(<hidden>) in the place of every password in a URL.
      - V(cluster) is C(openshift_cluster), an empty dictionary if C(openshift_config_dir) is used instead.
      - V(hosts) is the list of hosts in inventory order, each with C(inventory_name), C(role) and its C(openshift_host) over C(openshift_host_defaults).
      - V(bmc_hosts) is the list of hosts that boot through a BMC, as M(zerotouch.openshift.boot_hosts) takes it.
      - V(manual_hosts) is the list of names of hosts that somebody boots by hand.
      - V(node_addresses) has the static addresses of the hosts by hostname. Hosts that also get addresses by DHCP or router advertisement are left out.
      - V(hub) is C(openshift_hub) with its defaults. C(connection) has the options of the hub's modules and may hold secrets. C(cluster) is the
        ClusterDeployment of C(openshift_cluster), empty without one.
      - V(assisted) is C(openshift_assisted) with its defaults. C(connection) has the options of the modules of an assisted-service and may hold secrets.
        C(host_options) are further options of M(zerotouch.openshift.assisted_hosts) by name of the host, C(names) the hosts that are meant.
      - V(hub_hosts) has the hosts as M(zerotouch.openshift.agents) takes them in C(agents), and those with a network configuration as
        M(zerotouch.openshift.infra_env) takes them in C(networks). Without O(building) only those that C(openshift_hosts) names, if it names any.
      - V(hosted_cluster) is C(openshift_hosted_cluster) with its defaults; C(options) has those of M(zerotouch.openshift.hosted_cluster) and holds secrets.
      - V(node_pool) is C(openshift_node_pool) with its defaults; C(options) has those of M(zerotouch.openshift.node_pool). C(agents), C(networks),
        C(bmc_hosts) by hostname, and C(manual_hosts) are the machines that may be used for the pool.
      - V(bare_metal_hosts) is the list of O(agents) as M(zerotouch.openshift.bare_metal_hosts) takes them, with their BMCs.
      - V(touch) is the deployment that touches machines and the sources of evidence about them, as option C(touch) of
        M(zerotouch.openshift.touch_check) takes them. It may contain secrets.
      - V(input) is everything that M(zerotouch.openshift.deployment_check) looks at, with what is wrong with the variables in C(problems).
      - V(problems) is the list of everything that is wrong with the variables, each a sentence; with it the terms but V(input) fail.
    required: true
    type: list
    elements: str
    choices:
      - settings
      - shown_settings
      - cluster
      - hosts
      - bmc_hosts
      - manual_hosts
      - node_addresses
      - hub
      - assisted
      - hub_hosts
      - bare_metal_hosts
      - hosted_cluster
      - node_pool
      - touch
      - input
      - problems
  building:
    description: Whether a cluster is going to be built; otherwise the base image and the version need not be known.
    type: bool
    default: true
  playbook:
    description: For V(input) and V(problems), the playbook that runs. It is a problem if the installation method does not have this playbook.
    type: str
  agents:
    description: For V(bare_metal_hosts), the hosts as M(zerotouch.openshift.agents) takes them; by default those of V(hub_hosts).
    type: list
    elements: dict
  method:
    description: For V(touch), the method whose hosts the caller touches, if it differs from the method of the deployment.
    type: str
    choices: [agent, assisted, hub, hosted, capi]
"""

EXAMPLES = r"""
- name: Show where this deployment keeps its files
  ansible.builtin.debug:
    msg: "{{ lookup('zerotouch.openshift.deployment', 'settings').work_dir }}"
"""

RETURN = r"""
_raw:
  description: One element for each term.
  type: list
  elements: raw
"""

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ansible.errors import AnsibleError, AnsibleLookupError
from ansible.plugins.lookup import LookupBase
from ansible_collections.zerotouch.openshift.plugins.module_utils.cluster.spec import Host
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.errors import InvalidInput
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.problems import INVALID, Problem
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.secrets import hide_secrets
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.safety.table import HUB_METHODS
from ansible_collections.zerotouch.openshift.plugins.module_utils.hub.from_spec import agent_hosts
from ansible_collections.zerotouch.openshift.plugins.module_utils.manifests.source import read_source
from ansible_collections.zerotouch.openshift.plugins.plugin_utils.assisted import METHOD as ASSISTED
from ansible_collections.zerotouch.openshift.plugins.plugin_utils.assisted import check_host_options, host_options
from ansible_collections.zerotouch.openshift.plugins.plugin_utils.connections import describe as describe_connections
from ansible_collections.zerotouch.openshift.plugins.plugin_utils.door import native
from ansible_collections.zerotouch.openshift.plugins.plugin_utils.groups import check_groups
from ansible_collections.zerotouch.openshift.plugins.plugin_utils.hosts import (
    bmc_hosts,
    chosen_hosts,
    group_names,
    identities,
    manual_hosts,
    members_of_roles,
    named_as_described,
    node_addresses,
    read_members,
)
from ansible_collections.zerotouch.openshift.plugins.plugin_utils.hub import (
    bare_metal_hosts,
    by_hostname,
    check_agent_variables,
    cluster_name,
    hub_hosts,
    without_bmc,
)
from ansible_collections.zerotouch.openshift.plugins.plugin_utils.paths import absolute, absolute_manifests
from ansible_collections.zerotouch.openshift.plugins.plugin_utils.playbooks import check_playbook
from ansible_collections.zerotouch.openshift.plugins.plugin_utils.pool import check_hosted_description, check_hosted_groups, read_hosted, read_pool, spare_group
from ansible_collections.zerotouch.openshift.plugins.plugin_utils.settings import (
    OF_HOSTS,
    VARIABLES,
    as_list,
    assisted_settings,
    check_host_variables,
    check_settings,
    configuration_is_readable,
    hub_settings,
    read_settings,
)

# What describes a host to the configuration of its cluster.
_HOST_VARIABLES = ("openshift_host", "openshift_host_defaults")


def _working_directory() -> str:
    """Where the user stands: $PWD keeps links as the user typed them, but is stale where a caller changed the directory without it."""
    named = os.environ.get("PWD", "")
    return named if named and os.path.isdir(named) and os.path.samefile(named, os.getcwd()) else os.getcwd()


class LookupModule(LookupBase):
    """The door to plugin_utils/settings.py and plugin_utils/hosts.py."""

    def run(self, terms: list[str], variables: dict[str, Any] | None = None, **kwargs: Any) -> list[Any]:
        self.set_options(var_options=variables, direct=kwargs)
        inventory = _Inventory(variables or {}, self._templar)
        answers: dict[str, Callable[[], Any]] = {
            "settings": lambda: self._settings(inventory),
            "shown_settings": lambda: hide_secrets(self._settings(inventory)),
            "cluster": lambda: absolute_manifests(inventory.checked_settings().get("openshift_cluster") or {}, inventory.directory),
            "hosts": inventory.hosts,
            "bmc_hosts": lambda: bmc_hosts(inventory.hosts()),
            "manual_hosts": lambda: manual_hosts(inventory.hosts()),
            "node_addresses": lambda: node_addresses(inventory.hosts()),
            "hub": lambda: self._hub(inventory),
            "assisted": lambda: self._assisted(inventory),
            "hub_hosts": lambda: self._hub_hosts(inventory),
            "bare_metal_hosts": lambda: self._bare_metal_hosts(inventory),
            "hosted_cluster": lambda: self._hosted_cluster(inventory),
            "node_pool": lambda: self._node_pool(inventory),
            "touch": lambda: self._touch(inventory),
            "input": lambda: self._input(inventory),
            "problems": lambda: [problem.text() for problem in self._problems(inventory)],
        }
        unknown = [str(term) for term in terms if str(term) not in answers]
        if unknown:
            raise AnsibleLookupError(f"unknown term {unknown[0]!r}; known: {', '.join(answers)}")
        try:
            return [answers[str(term)]() for term in terms]
        except InvalidInput as error:
            raise AnsibleLookupError(str(error)) from None

    @property
    def _building(self) -> bool:
        return bool(self.get_option("building"))

    def _settings(self, inventory: _Inventory) -> dict[str, Any]:
        return read_settings(inventory.checked_settings(), inventory.directory, building=self._building).as_dict()

    def _hub(self, inventory: _Inventory) -> dict[str, Any]:
        variables = inventory.checked_settings()
        hub = hub_settings(variables, inventory.directory, building=self._building)
        name = cluster_name(variables, inventory.directory)
        # The Agents of a hosted cluster are bound by its provider, never by us.
        return {**hub, "cluster": {"namespace": hub["namespace"], "name": name} if name and not inventory.hosted else {}}

    def _assisted(self, inventory: _Inventory) -> dict[str, Any]:
        variables = inventory.checked_settings()
        found = assisted_settings(variables, inventory.directory, building=self._building)
        # The doors know hosts by hostname, as their Nodes are called.
        hostnames = {host["inventory_name"]: str(host.get("hostname") or host["inventory_name"]) for host in inventory.hosts()}
        further = {hostnames[name]: host_options(options) for name, options in inventory.agent_variables().items() if options and name in hostnames}
        return {**found, "host_options": further, "names": [hostnames[host["inventory_name"]] for host in self._chosen(inventory)]}

    def _touch(self, inventory: _Inventory) -> dict[str, Any]:
        variables = inventory.checked_settings()
        settings = read_settings(variables, inventory.directory, building=self._building)
        hosts = {host["inventory_name"]: host for host in [*inventory.hosts(), *inventory.pool_hosts()]}
        method = self.get_option("method") or settings.method
        return {
            "method": method,
            "cluster_name": settings.name,
            "work_dir": settings.work_dir,
            "confirm": settings.confirm,
            "force": settings.force,
            "timeouts": settings.timeouts,
            "hosts": identities(hosts.values(), inventory.agent_variables()),
            "hub": self._named_hub(inventory) if variables.get("openshift_hub") or method in HUB_METHODS else None,
            "assisted": self._named_service(inventory) if variables.get("openshift_assisted") or method == ASSISTED else None,
        }

    def _named_service(self, inventory: _Inventory) -> dict[str, Any]:
        found = self._assisted(inventory)
        return {**_without_mapping(found), "cluster_id": found["cluster_id"]}

    def _named_hub(self, inventory: _Inventory) -> dict[str, Any]:
        """Connection and scope of the hub that the user named; what is in the namespaces of its pools is of this deployment."""
        hub, variables = self._hub(inventory), inventory.checked_settings()
        pool = read_pool(variables, cluster_name(variables, inventory.directory))
        scope = {"namespace": hub["namespace"], "infra_env": hub["infra_env"], "cluster": hub["cluster"] or None, "bare_metal_hosts": hub["bare_metal_hosts"]}
        return {**_without_mapping(hub), **scope, "namespaces": [name for name in (pool.get("machine_namespace"),) if name]}

    def _hosted_cluster(self, inventory: _Inventory) -> dict[str, Any]:
        variables = inventory.checked_settings()
        read_settings(variables, inventory.directory, building=self._building)
        return read_hosted(variables, cluster_name(variables, inventory.directory))

    def _node_pool(self, inventory: _Inventory) -> dict[str, Any]:
        variables = inventory.checked_settings()
        read_settings(variables, inventory.directory, building=self._building)
        hosts = inventory.pool_hosts()
        machines = {machine["name"]: machine for machine in bmc_hosts(hosts)}
        pool = read_pool(variables, cluster_name(variables, inventory.directory))
        # Users name hosts as the inventory does.
        hostnames = {host["inventory_name"]: str(host.get("hostname") or host["inventory_name"]) for host in hosts}
        pool["remove"] = [hostnames.get(name, name) for name in pool["remove"]]
        # One worker in the inventory is one node to begin with; the autoscaler begins with the smallest size.
        scaling = pool["options"].get("auto_scaling")
        smallest = scaling.get("min") if isinstance(scaling, dict) else None
        initial = smallest if smallest is not None else inventory.workers if self._building else None
        agents = by_hostname(hub_hosts(hosts, inventory.agent_variables(), None))
        return {**pool, "initial_replicas": initial, **agents, "bmc_hosts": machines, "manual_hosts": manual_hosts(hosts)}

    def _hub_hosts(self, inventory: _Inventory) -> dict[str, Any]:
        hub = self._hub(inventory)
        # The host of an InfraEnv with a cluster is bound when it registers.
        bound = hub["cluster"] if hub["binding"] == "late" else None
        found = hub_hosts(self._chosen(inventory), inventory.agent_variables(), bound or None)
        if described := inventory.described() if self._building else ():
            # Files name hosts without further options for their Agents.
            found["agents"] = [{**agent, **({"cluster": dict(bound)} if bound else {})} for agent in agent_hosts(described)]
        return by_hostname(found)

    def _chosen(self, inventory: _Inventory) -> list[Any]:
        names = as_list(inventory.settings().get("openshift_hosts") or []) if not self._building else []
        return chosen_hosts(inventory.hosts(), names)

    def _bare_metal_hosts(self, inventory: _Inventory) -> list[dict[str, Any]]:
        agents = self.get_option("agents")
        return bare_metal_hosts(native(agents) if agents is not None else self._hub_hosts(inventory)["agents"], bmc_hosts(inventory.hosts()))

    def _problems(self, inventory: _Inventory) -> list[Problem]:
        variables = inventory.settings()
        if refused := check_playbook(variables, str(self.get_option("playbook") or "")):
            return refused
        hosts = [*check_host_variables(inventory.host_variables(), variables), *inventory.read_hosts()[1]]
        check = check_host_options if inventory.method == ASSISTED else check_agent_variables
        agents = check(inventory.agent_variables())
        settings = check_settings(variables, inventory.directory, building=self._building)
        described = check_hosted_description(variables) if inventory.hosted and self._building and configuration_is_readable(variables) else []
        known = {problem.path for problem in settings}
        settings += [problem for problem in described if problem.path not in known]
        found = [*inventory.unreadable, *settings, *self._groups(inventory), *hosts, *agents, *self._without_bmc(inventory, [*settings, *hosts])]
        return found or self._misnamed(inventory)

    def _misnamed(self, inventory: _Inventory) -> list[Problem]:
        """Hosts that ``openshift_hosts`` names and that are none; the machines of a hub may be in other groups as well."""
        try:
            if inventory.method == ASSISTED:
                self._chosen(inventory)
        except InvalidInput as error:
            return list(error.problems)
        return []

    def _without_bmc(self, inventory: _Inventory, problems: list[Problem]) -> list[Problem]:
        """Hosts that the hub is to boot and cannot; said once it is clear which hosts are meant."""
        hub = inventory.settings().get("openshift_hub")
        if problems or inventory.unreadable or not isinstance(hub, dict) or not hub.get("bare_metal_hosts"):
            return []
        try:
            return without_bmc(self._chosen(inventory))
        except InvalidInput as error:
            return list(error.problems)

    def _groups(self, inventory: _Inventory) -> list[Problem]:
        """Groups matter where the inventory describes the cluster; beside files of the user it only adds BMC data.

        On a hub hosts may have other sources; then the cluster says how many it takes.
        """
        variables = inventory.settings()
        groups, given = inventory.groups, variables.get("openshift_groups") or {}
        cluster = variables.get("openshift_cluster")
        counted = isinstance(cluster, dict) and isinstance(cluster.get("control_plane"), dict) and cluster["control_plane"].get("replicas") is not None
        method = variables.get("openshift_install_method")
        if method == "hosted":
            return check_hosted_groups(groups or {}, group_names(given))
        described = cluster and (method in (None, "agent", ASSISTED) or (method == "hub" and not counted))
        if not (self._building and described and groups is not None and isinstance(given, dict)):
            return []
        return check_groups(groups, group_names(given), given)

    def _input(self, inventory: _Inventory) -> dict[str, Any]:
        problems = self._problems(inventory)
        found: dict[str, Any] = {"problems": [problem.as_dict() for problem in problems]}
        if not problems:
            found["connections"] = describe_connections(self._touch(inventory))
        variables = inventory.settings()
        hosts_missing = any(
            (problem.path.startswith("openshift_host") and "." not in problem.path) or problem.path.startswith("openshift_groups.") for problem in problems
        )
        # What a hosted cluster is described by is checked by its own module.
        if inventory.unreadable or hosts_missing or not self._building or inventory.hosted or not configuration_is_readable(variables):
            return found
        source = variables.get("openshift_config_dir")
        described: dict[str, Any] = {"source_dir": os.path.join(inventory.directory, os.path.expanduser(source))} if source else {}
        if not source:
            described = {"cluster": absolute_manifests(variables["openshift_cluster"], inventory.directory), "hosts": inventory.read_hosts()[0]}
        options = {key: variables.get(f"openshift_{key}") for key in ("version", "release_image", "checks")}
        found["agent_iso"] = variables.get("openshift_install_method") in (None, "agent")
        return {**found, **described, **{key: value for key, value in options.items() if value is not None}}


def _without_mapping(service: Mapping[str, Any]) -> dict[str, Any]:
    """The connection of a hub or service without ``connect_to``: modules have one option for all connections."""
    return {key: value for key, value in service["connection"].items() if key != "connect_to"}


class _Inventory:
    """What a lookup sees of an inventory, as plain data; each variable is rendered once."""

    def __init__(self, variables: dict[str, Any], templar: Any) -> None:
        self.directory = _working_directory()
        self.unreadable: list[Problem] = []
        self._variables = variables
        self._templar = templar
        self._known: dict[str, Any] = {}
        self._hosts: tuple[list[dict[str, Any]], list[Problem]] | None = None

    @property
    def groups(self) -> dict[str, list[str]] | None:
        """Hosts by group; None where nobody says it."""
        return self._variables.get("groups")

    def settings(self) -> dict[str, Any]:
        """The variables of our interface, those of hosts apart; names that nobody knows have no value, only their name matters."""
        return {name: self._value(name) for name in self._variables if name.startswith("openshift_") and name not in OF_HOSTS}

    def checked_settings(self) -> dict[str, Any]:
        """Raises :class:`InvalidInput` when one of them cannot be rendered."""
        variables = self.settings()
        if self.unreadable:
            raise InvalidInput(self.unreadable)
        return variables

    def hosts(self) -> list[dict[str, Any]]:
        """Raises :class:`InvalidInput` with everything that is wrong with them."""
        hosts, problems = self.read_hosts()
        if problems or self.unreadable:
            raise InvalidInput([*self.unreadable, *problems])
        return hosts

    @property
    def method(self) -> Any:
        """``openshift_install_method`` as it is given."""
        return self._value("openshift_install_method")

    @property
    def hosted(self) -> bool:
        """Whether the cluster's control plane runs on the hub, so that all machines are for its pools."""
        return bool(self.method == "hosted")

    def read_hosts(self) -> tuple[list[dict[str, Any]], list[Problem]]:
        if self._hosts is None:
            members = members_of_roles(self._groups, group_names(self._value("openshift_groups")))
            known = {name for name, _role in members}
            hosts, problems = self._read(members + [(name, role) for name, role in self._spares if self.hosted and name not in known])
            self._hosts = (hosts if problems else named_as_described(hosts, {host.name: list(host.macs) for host in self.described()})), problems
        return self._hosts

    def described(self) -> Sequence[Host]:
        """The hosts in the files of the user; what is wrong with the files is for the configuration to say."""
        directory = self._value("openshift_config_dir")
        if not directory or not isinstance(directory, str):
            return ()
        parsed = read_source(Path(absolute(directory, self.directory)))
        return parsed.deployment.hosts if parsed.deployment else ()

    @property
    def workers(self) -> int:
        """How many hosts the group of the workers has."""
        return len(self._groups.get(group_names(self._value("openshift_groups"))["workers"], ()))

    def pool_hosts(self) -> list[dict[str, Any]]:
        """Machines that may be used for a pool: spare ones, and all of a hosted cluster. Raises :class:`InvalidInput`."""
        if self.hosted:
            return self.hosts()
        hosts, problems = self._read(self._spares)
        if problems or self.unreadable:
            raise InvalidInput([*self.unreadable, *problems])
        return hosts

    def agent_variables(self) -> dict[str, Any]:
        """``openshift_agent`` by inventory name."""
        return {name: self._of_host(name, "openshift_agent") for name in self._names}

    def host_variables(self) -> dict[str, list[str]]:
        """The names of the variables that each host has."""
        return {name: list(self._variables["hostvars"][name]) for name in self._names}

    @property
    def _names(self) -> list[str]:
        members = [*members_of_roles(self._groups, group_names(self._value("openshift_groups"))), *self._spares]
        return sorted({name for name, _role in members})

    @property
    def _groups(self) -> dict[str, list[str]]:
        return self._variables.get("groups") or {}

    @property
    def _spares(self) -> list[tuple[str, str]]:
        return [(name, "worker") for name in self._groups.get(spare_group(self._value("openshift_node_pool")), ())]

    def _read(self, members: list[tuple[str, str]]) -> tuple[list[dict[str, Any]], list[Problem]]:
        hostvars = {name: {key: self._of_host(name, key) for key in _HOST_VARIABLES} for name, _role in members}
        return read_members(members, hostvars, self.directory)

    def _of_host(self, host: str, name: str) -> Any:
        return self._rendered(f"{name}[{host}]", lambda: self._variables["hostvars"][host].get(name))

    def _value(self, name: str) -> Any:
        # Variables reach a lookup untemplated; only names of our interface are rendered, nothing else may fail here.
        if name not in self._variables or name not in VARIABLES:
            return None
        return self._rendered(name, lambda: self._templar.template(self._variables[name]))

    def _rendered(self, path: str, value: Callable[[], Any]) -> Any:
        """Plain data, or None and a problem where a template fails: an undefined variable, a file that is not there."""
        if path not in self._known:
            try:
                self._known[path] = native(value())
            except AnsibleError as error:
                self._known[path] = None
                detail = str(error.message if hasattr(error, "message") else error).strip().rstrip(".")
                self.unreadable.append(Problem(path, INVALID, f"cannot be rendered: {detail}", layer="ours", check="settings"))
        return self._known[path]
