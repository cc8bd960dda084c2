# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Read the inventory and the variables of a run as plain data.

Each variable is rendered once, and the variables of each host are read once.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ansible.errors import AnsibleError
from ansible_collections.zerotouch.openshift.plugins.module_utils.cluster.spec import Host
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.errors import InvalidInput
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.problems import INVALID, Problem
from ansible_collections.zerotouch.openshift.plugins.module_utils.manifests.source import read_source
from ansible_collections.zerotouch.openshift.plugins.plugin_utils.hosts import (
    group_names,
    members_of_roles,
    named_as_described,
    read_members,
)
from ansible_collections.zerotouch.openshift.plugins.plugin_utils.in_process import native
from ansible_collections.zerotouch.openshift.plugins.plugin_utils.paths import absolute
from ansible_collections.zerotouch.openshift.plugins.plugin_utils.pool import spare_group
from ansible_collections.zerotouch.openshift.plugins.plugin_utils.problems import problem
from ansible_collections.zerotouch.openshift.plugins.plugin_utils.settings import OF_HOSTS, VARIABLES
from ansible_collections.zerotouch.openshift.plugins.plugin_utils.texts import is_structure, read_structure

# What describes a host to the configuration of its cluster.
_HOST_VARIABLES = ("openshift_host", "openshift_host_defaults", "openshift_bmc_defaults")
# Fields of the cluster that credentials of a controller provide as files.
_FROM_FILES = {"pull_secret": "openshift_pull_secret_file", "ssh_public_keys": "openshift_ssh_key_file"}


class Inventory:
    """``variables`` are those of a task, ``render`` is the template function of its templar."""

    def __init__(self, variables: Mapping[str, Any], render: Callable[[Any], Any]) -> None:
        self.directory = working_directory()
        self.unreadable: list[Problem] = []
        self.variables = variables
        self._render = render
        self._known: dict[str, Any] = {}
        self._texts: dict[tuple[str, str], tuple[Any, list[Problem]]] = {}
        self._hostvars: dict[str, Any] = {}
        self._hosts: tuple[list[dict[str, Any]], list[Problem]] | None = None

    @property
    def groups(self) -> dict[str, list[str]] | None:
        """Hosts by group; None without an inventory."""
        return self.variables.get("groups")

    @property
    def sources(self) -> list[str]:
        """What the user named with ``-i``."""
        return [str(source) for source in self.variables.get("ansible_inventory_sources") or ()]

    def run_options(self) -> dict[str, Any]:
        """Options of ansible-playbook that Ansible passes on as variables."""
        return {name: self.variables.get(name) for name in ("ansible_run_tags", "ansible_skip_tags", "ansible_limit")}

    def settings(self) -> dict[str, Any]:
        """The variables of the interface without those of hosts.

        Unknown names have no value; only their name matters.
        """
        return {
            name: self._value(name) for name in self.variables if name.startswith("openshift_") and name not in OF_HOSTS
        }

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
        """``openshift_install_method`` as the user set it."""
        return self._value("openshift_install_method")

    @property
    def hosted(self) -> bool:
        """Whether the cluster's control plane runs on the hub, so that all machines are for its pools."""
        return bool(self.method == "hosted")

    def read_hosts(self) -> tuple[list[dict[str, Any]], list[Problem]]:
        """The hosts of the cluster, and what is wrong with them."""
        if self._hosts is None:
            members = members_of_roles(self._groups, self._role_groups)
            known = {name for name, _role in members}
            hosts, problems = self._read(
                members + [(name, role) for name, role in self._spares if self.hosted and name not in known]
            )
            self._hosts = (
                (
                    hosts
                    if problems
                    else named_as_described(hosts, {host.name: list(host.macs) for host in self.described()})
                ),
                problems,
            )
        return self._hosts

    def described(self) -> Sequence[Host]:
        """The hosts in the files of the user. The check of the configuration reports what is wrong with the files."""
        directory = self._value("openshift_config_dir")
        if not directory or not isinstance(directory, str):
            return ()
        parsed = read_source(Path(absolute(directory, self.directory)))
        return parsed.deployment.hosts if parsed.deployment else ()

    @property
    def workers(self) -> int:
        """How many hosts the group of the workers has."""
        return len(self._groups.get(self._role_groups["workers"], ()))

    def spare_hosts(self) -> list[dict[str, Any]]:
        """Spare machines that are no hosts of the cluster. Raises :class:`InvalidInput`."""
        if self.hosted:
            return []
        hosts, problems = self._read(self._spares)
        if problems or self.unreadable:
            raise InvalidInput([*self.unreadable, *problems])
        return hosts

    def agent_variables(self) -> dict[str, Any]:
        """``openshift_agent`` by inventory name."""
        return {name: self._of_host(name, "openshift_agent") for name in self._names}

    def host_variables(self) -> dict[str, list[str]]:
        """The names of the variables that each host has."""
        return {name: list(self._variables_of(name)) for name in self._names}

    @property
    def _role_groups(self) -> dict[str, str]:
        return group_names(self._value("openshift_groups"))

    @property
    def _names(self) -> list[str]:
        return sorted({name for name, _role in [*members_of_roles(self._groups, self._role_groups), *self._spares]})

    @property
    def _groups(self) -> dict[str, list[str]]:
        return self.variables.get("groups") or {}

    @property
    def _spares(self) -> list[tuple[str, str]]:
        return [(name, "worker") for name in self._groups.get(spare_group(self._value("openshift_node_pool")), ())]

    def _read(self, members: list[tuple[str, str]]) -> tuple[list[dict[str, Any]], list[Problem]]:
        hostvars = {name: {key: self._of_host(name, key) for key in _HOST_VARIABLES} for name, _role in members}
        return read_members(members, hostvars, self.directory)

    def _variables_of(self, host: str) -> Any:
        # Ansible computes them again for each access.
        if host not in self._hostvars:
            self._hostvars[host] = self.variables["hostvars"][host]
        return self._hostvars[host]

    def _of_host(self, host: str, name: str) -> Any:
        return self._rendered(f"{name}[{host}]", name, lambda: self._variables_of(host).get(name))

    def _value(self, name: str) -> Any:
        # Only names of the interface are rendered: no other variable may fail here.
        if name not in self.variables or name not in VARIABLES:
            return None
        return self._rendered(name, name, lambda: self._render(self.variables[name]))

    def _rendered(self, path: str, name: str, value: Callable[[], Any]) -> Any:
        """Plain data, or None and a problem where a template fails (an undefined variable, a missing file), or a text
        is not YAML.
        """
        if path not in self._known:
            try:
                self._known[path] = self._parsed(path, name, native(value()))
            except AnsibleError as error:
                self._known[path] = None
                detail = str(error.message if hasattr(error, "message") else error).strip().rstrip(".")
                self._unreadable(problem(path, INVALID, f"cannot be rendered: {detail}"))
        return self._known[path]

    def _parsed(self, path: str, name: str, value: Any) -> Any:
        if is_structure(value, VARIABLES[name]):
            # One text of all hosts, such as openshift_host_defaults, is read once.
            if (name, value) not in self._texts:
                self._texts[name, value] = read_structure(path, value)
            value, problems = self._texts[name, value]
            for found in problems:
                self._unreadable(found)
        return self._with_files(value) if name == "openshift_cluster" and isinstance(value, dict) else value

    def _unreadable(self, found: Problem) -> None:
        if found not in self.unreadable:
            self.unreadable.append(found)

    def _with_files(self, cluster: dict[str, Any]) -> dict[str, Any]:
        """The cluster with what it does not say itself, from the files that a credential of a controller injects."""
        missing = {field: name for field, name in _FROM_FILES.items() if cluster.get(field) in (None, "", [])}
        texts = {field: text for field, name in missing.items() if (text := self._file(name))}
        if keys := texts.get("ssh_public_keys"):
            return {
                **cluster,
                **texts,
                "ssh_public_keys": [
                    line.strip() for line in keys.splitlines() if line.strip() and not line.startswith("#")
                ],
            }
        return {**cluster, **texts}

    def _file(self, name: str) -> str:
        """The content of the file that a variable names; empty without one, or with a problem."""
        path = self._value(name)
        if not path or not isinstance(path, str):
            return ""
        try:
            return Path(absolute(path, self.directory)).read_text(encoding="utf-8").strip()
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) and error.strerror else "it is no text"
            self._unreadable(problem(name, INVALID, f"cannot be read: {reason}", value=path))
            return ""


def working_directory() -> str:
    """The user's directory: $PWD keeps links as the user typed them, but is stale where a caller changed the directory
    without it.
    """
    named = os.environ.get("PWD", "")
    return named if named and os.path.isdir(named) and os.path.samefile(named, os.getcwd()) else os.getcwd()
