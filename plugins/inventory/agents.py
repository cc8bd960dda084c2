# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
from __future__ import annotations

DOCUMENTATION = r"""
name: agents
short_description: Read inventory hosts from the Agents of a hub
version_added: 0.1.0
author: the zerotouch.openshift authors (@zerotouch-openshift)
description:
  - Adds a host to the inventory for every Agent that is registered with a hub. Hardware and state of the Agent become
    variables of the host. Groups are by state, role, cluster, InfraEnv and label.
  - The name of the configuration file ends in C(agents.yml) or C(agents.yaml).
  - Every field of a record of M(zerotouch.openshift.agents_info) becomes a variable with C(agent_) before its name,
    such as C(agent_state) and C(agent_macs).
  - Every host is in group C(agents). Other groups are C(agents_state_<state>), C(agents_role_<role>),
    C(agents_cluster_<namespace>_<name>) or C(agents_unbound), C(agents_infra_env_<namespace>_<name>) and
    C(agents_label_<key>_<value>), with underscores for what a group's name cannot hold.
  - In AWX the credential C(OpenShift or Kubernetes API Bearer Token) is enough; its variables are read from the
    environment.
notes:
  - "Permissions: list on agents (agent-install.openshift.io) in the O(namespaces), or in all."
extends_documentation_fragment:
  - constructed
  - inventory_cache
  - zerotouch.openshift.hub
options:
  plugin:
    description: Says that the file is a configuration of this plugin.
    type: str
    required: true
    choices: [zerotouch.openshift.agents]
  namespaces:
    description: Look in these namespaces; by default in all.
    type: list
    elements: str
    default: []
  label_selector:
    description: Only Agents that this selector of Kubernetes fits.
    type: str
  infra_env_name:
    description: Only Agents of the InfraEnv of this name.
    type: str
  cluster_name:
    description: Only Agents that are bound, or are going to be bound, to this ClusterDeployment; its name, or
      C(namespace/name).
    type: str
  query:
    description: Only Agents for which this JMESPath expression is true.
    type: str
  inventory:
    description: Whether the whole hardware inventory becomes the variable C(agent_inventory).
    type: bool
    default: true
  hostnames:
    description:
      - What hosts are called; the first of these that the Agent has and that no other Agent has as well. The last
        resort is C(<namespace>-<Agent>).
      - V(hostname) is the one asked for, else the one that the machine reports; V(mac_address) is its first MAC,
        V(name) the Agent's name.
      - A name is not used if another source of the inventory has a host or a group of that name; a warning names both.
      - A name is not used if it is no DNS name (RFC 1123), can be read as an IP address, or is a name of the local
        machine such as C(localhost).
    type: list
    elements: str
    choices: [hostname, mac_address, name]
    default: [hostname, name]
  group_by:
    description: Which groups to make.
    type: list
    elements: str
    choices: [state, role, cluster, infra_env]
    default: [state, role, cluster, infra_env]
  label_groups:
    description: Labels to make groups by; their keys.
    type: list
    elements: str
    default: []
"""

EXAMPLES = r"""
# edge.agents.yml - all Agents of one namespace; the connection comes from K8S_AUTH_* or ~/.kube/config.
plugin: zerotouch.openshift.agents
namespaces: [edge]
label_groups: [rack]
cache: true
cache_plugin: ansible.builtin.jsonfile
cache_connection: ~/.cache/zerotouch/agents # a directory that only you can write: what is in it becomes your inventory

# free.agents.yml - only Agents that can be bound, large machines in a group of their own.
# plugin: zerotouch.openshift.agents
# kubeconfig: ~/hub.kubeconfig
# query: state == 'known-unbound'
# compose:
#   ansible_host: agent_ip_addresses | first
# groups:
#   large: agent_inventory.cpu.count >= 64
# keyed_groups:
#   - key: agent_inventory.systemVendor.manufacturer
#     prefix: vendor
"""

import hashlib
import json
import os
from typing import Any

from ansible.errors import AnsibleParserError
from ansible.plugins.inventory import BaseInventoryPlugin, Cacheable, Constructable
from ansible.utils.unsafe_proxy import wrap_var
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.errors import ZeroTouchError
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.problems import nearest
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.terminal import printable_data
from ansible_collections.zerotouch.openshift.plugins.module_utils.hub.agents.flat import flatten
from ansible_collections.zerotouch.openshift.plugins.module_utils.hub.agents.inventory import (
    groups_of,
    host_names,
    variables_of,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.hub.agents.select import list_agents, selection
from ansible_collections.zerotouch.openshift.plugins.module_utils.kube.connection import CONNECTION_OPTIONS, connect
from ansible_collections.zerotouch.openshift.plugins.plugin_utils.in_process import native

_SELECTING = ("namespaces", "label_selector", "infra_env_name", "cluster_name", "query")
# Options that identify a source of Agents in the cache; none of them is a secret.
_PLACE = ("host", "context", "impersonate_user")


class InventoryModule(BaseInventoryPlugin, Constructable, Cacheable):
    """Inventory plugin: adds the Agents of a hub as hosts, named and grouped by hub/agents/inventory.py."""

    NAME = "zerotouch.openshift.agents"

    def verify_file(self, path: str) -> bool:
        return bool(super().verify_file(path)) and os.path.basename(path).endswith(("agents.yml", "agents.yaml"))

    def parse(self, inventory: Any, loader: Any, path: str, cache: bool = True) -> None:
        super().parse(inventory, loader, path, cache)
        self._check_names(self._read_config_data(path))
        agents = self._agents(self._key(path), cache)
        for name, agent in zip(self._names(agents), agents, strict=True):
            self._add(name, agent)

    def _names(self, agents: list[dict[str, Any]]) -> list[str]:
        """A name for each Agent.

        A machine chooses its hostname, so it must not become a host or a group that another source of the inventory
        has.
        """
        order = self.get_option("hostnames")
        preferred, names = host_names(agents, order), host_names(agents, order, self._taken(agents))
        for agent, before, name in zip(agents, preferred, names, strict=True):
            if before != name:
                self.display.warning(
                    f"Agent {agent['namespace']}/{agent['name']}: the inventory already has a host or group {before}. "
                    f"The Agent becomes the host {name}."
                )
        return names

    def _taken(self, agents: list[dict[str, Any]]) -> set[str]:
        """Names of groups, and of hosts that are none of these Agents.

        Another source with Agents may have added the same ones.
        """
        own = {(agent["namespace"], agent["name"]) for agent in agents}
        hosts = {
            name
            for name, host in self.inventory.hosts.items()
            if (host.vars.get("agent_namespace"), host.vars.get("agent_name")) not in own
        }
        kinds, labels = self.get_option("group_by"), self.get_option("label_groups")
        return {
            *hosts,
            *self.inventory.groups,
            *(group for agent in agents for group in groups_of(agent, kinds, labels)),
        }

    def _check_names(self, config: dict[str, Any]) -> None:
        """Ansible ignores options that it does not know; a misspelt ``namespaces`` would show all namespaces."""
        definitions = self.option_definitions
        known = [
            name
            for option, definition in definitions.items()
            for name in (option, *definition.get("aliases", ()))
            if not name.startswith("_")
        ]
        every = f"known: {', '.join(known)}"
        unknown = [
            f"{name} is no option of this plugin; {hint}"
            for name, hint in ((name, nearest(str(name), known) or every) for name in config)
            if name not in known
        ]
        if unknown:
            raise AnsibleParserError("\n".join(unknown))

    def _agents(self, key: str, cache: bool) -> list[dict[str, Any]]:
        cached = bool(self.get_option("cache"))
        if cached and cache and key in self._cache:
            return list(self._cache[key])
        try:
            agents = self._ask()
        except ZeroTouchError as error:
            raise AnsibleParserError(str(error)) from error
        if cached:
            self._cache[key] = agents
        return agents

    def _ask(self) -> list[dict[str, Any]]:
        wanted = selection({name: self._value(name) for name in _SELECTING})
        client = connect({name: self._value(name) for name in CONNECTION_OPTIONS})
        try:
            return [
                printable_data(flatten(agent, inventory=self.get_option("inventory")))
                for agent in list_agents(client, wanted)
            ]
        finally:
            client.close()

    def _add(self, name: str, agent: dict[str, Any]) -> None:
        # Before ansible-core 2.19, texts of variables are templates unless they are marked; from then on they are none
        # unless they are marked.
        variables = wrap_var(variables_of(agent))
        self.inventory.add_host(name)
        for key, value in variables.items():
            self.inventory.set_variable(name, key, value)
        for group in groups_of(agent, self.get_option("group_by"), self.get_option("label_groups")):
            self.inventory.add_group(group)
            self.inventory.add_child(group, name)
        strict = self.get_option("strict")
        self._set_composite_vars(self.get_option("compose"), variables, name, strict=strict)
        composed = self.inventory.get_host(name).get_vars()
        self._add_host_to_composed_groups(self.get_option("groups"), composed, name, strict=strict)
        self._add_host_to_keyed_groups(self.get_option("keyed_groups"), composed, name, strict=strict)

    def _value(self, name: str) -> Any:
        """An option as plain data, rendered where it is a template (a token from a lookup)."""
        return native(self.templar.template(self.get_option(name)))

    def _key(self, path: str) -> str:
        place = {name: self._value(name) for name in (*_SELECTING, *_PLACE)} | {
            "inventory": self.get_option("inventory")
        }
        place["kubeconfig"] = self._value("kubeconfig") if isinstance(self._value("kubeconfig"), str) else ""
        place["environment"] = [os.environ.get(f"K8S_AUTH_{name}", "") for name in ("HOST", "KUBECONFIG", "CONTEXT")]
        digest = hashlib.sha256(json.dumps(place, sort_keys=True).encode()).hexdigest()[:12]
        return f"{self.get_cache_key(path)}_{digest}"
