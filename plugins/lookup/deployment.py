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
      - V(bmc_hosts) is the list of hosts that boot through a BMC, as M(zerotouch.openshift.bmc_boot) takes it.
      - V(manual_hosts) is the list of names of hosts that somebody boots by hand.
      - V(problems) is the list of everything that is wrong with the variables, each a sentence; with it the other terms fail.
    required: true
    type: list
    elements: str
    choices: [settings, shown_settings, cluster, hosts, bmc_hosts, manual_hosts, problems]
  building:
    description: Whether a cluster is going to be built; otherwise the base image and the version need not be known.
    type: bool
    default: true
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
from typing import Any

from ansible.errors import AnsibleLookupError
from ansible.plugins.lookup import LookupBase
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.errors import InvalidInput
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.secrets import hide_secrets
from ansible_collections.zerotouch.openshift.plugins.plugin_utils.settings import (
    DEFAULT_GROUPS,
    VARIABLES,
    bmc_hosts,
    boot_method,
    inventory_hosts,
    read_settings,
)


def _working_directory() -> str:
    """Where the user stands: $PWD keeps links as the user typed them, but is stale where a caller changed the directory without it."""
    named = os.environ.get("PWD", "")
    return named if named and os.path.isdir(named) and os.path.samefile(named, os.getcwd()) else os.getcwd()


class LookupModule(LookupBase):
    """The door to plugin_utils/settings.py."""

    def run(self, terms: list[str], variables: dict[str, Any] | None = None, **kwargs: Any) -> list[Any]:
        self.set_options(var_options=variables, direct=kwargs)
        try:
            return [self._answer(str(term), variables or {}) for term in terms]
        except InvalidInput as error:
            raise AnsibleLookupError(str(error)) from None

    def _problems(self, variables: dict[str, Any]) -> list[str]:
        found: list[str] = []
        for term in ("settings", "hosts"):
            try:
                self._answer(term, variables)
            except InvalidInput as error:
                found += [problem.text() for problem in error.problems]
        return found

    def _answer(self, term: str, variables: dict[str, Any]) -> Any:
        if term == "problems":
            return self._problems(variables)
        directory = _working_directory()
        if term == "settings":
            own = {name: self._value(name, variables) for name in variables if name.startswith("openshift_")}
            return read_settings(own, directory, building=bool(self.get_option("building"))).as_dict()
        if term == "shown_settings":
            return hide_secrets(self._answer("settings", variables))
        if term == "cluster":
            return self._value("openshift_cluster", variables) or {}
        names = {**DEFAULT_GROUPS, **(self._value("openshift_groups", variables) or {})}
        hosts = inventory_hosts(variables["groups"], variables["hostvars"], names, directory)
        if term == "hosts":
            return hosts
        if term == "bmc_hosts":
            return bmc_hosts(hosts)
        if term == "manual_hosts":
            return [str(host.get("hostname") or host["inventory_name"]) for host in hosts if boot_method(host) == "manual"]
        raise AnsibleLookupError(f"unknown term {term!r}; known: settings, shown_settings, cluster, hosts, bmc_hosts, manual_hosts, problems")

    def _value(self, name: str, variables: dict[str, Any]) -> Any:
        # Variables reach a lookup untemplated; only names of our interface are rendered, nothing else may fail here.
        return self._templar.template(variables[name]) if name in variables and name in VARIABLES else variables.get(name)
