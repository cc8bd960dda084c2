# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""The action of module deployment_settings. It always runs where Ansible runs: only there the variables of all hosts are known."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from ansible_collections.zerotouch.openshift.plugins.module_utils.common.entry_point import Call
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.errors import ZeroTouchError
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.secrets import secret_values
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.check import check_input
from ansible_collections.zerotouch.openshift.plugins.plugin_utils.check import check_variables, configuration
from ansible_collections.zerotouch.openshift.plugins.plugin_utils.connections import describe
from ansible_collections.zerotouch.openshift.plugins.plugin_utils.in_process import DoorAction
from ansible_collections.zerotouch.openshift.plugins.plugin_utils.inventory import Inventory
from ansible_collections.zerotouch.openshift.plugins.plugin_utils.resolved import Resolved, resolve


class VariablesAction(DoorAction):
    def _obstacle(self, variables: Mapping[str, Any], environment: Mapping[str, Any]) -> str:
        return ""

    def _runner(self, variables: Mapping[str, Any]) -> Callable[[Call], dict[str, Any]]:
        return partial(read_deployment, Inventory(variables, self._templar.template))

    def _out_of_sight(self, result: dict[str, Any], call: Call) -> dict[str, Any]:
        """Callbacks that write results to files would write the secrets of the variables."""
        return {**result, "_ansible_no_log": True}


def read_deployment(inventory: Inventory, call: Call) -> dict[str, Any]:
    """Check the variables and the configuration, print the connections of the run, and return the resolved variables."""
    try:
        deployment = _checked(inventory, call)
    except ZeroTouchError:
        # A message may quote a value.
        call.add_secrets(secret_values({"settings": inventory.settings(), "hosts": inventory.read_hosts()[0], "agents": inventory.agent_variables()}))
        raise
    call.add_secrets(secret_values({name: deployment[name] for name in ("hub", "assisted")}))
    connections = describe(Resolved(deployment).part("touch")) if call.params["show_connections"] else []
    for line in connections:
        call.progress(line)
    call.hand_over("deployment")
    return {"deployment": deployment, "connections": connections}


def _checked(inventory: Inventory, call: Call) -> dict[str, Any]:
    building = call.params["building"]
    problems = check_variables(inventory, building=building, playbook=call.params["playbook"] or "")
    check_input(problems, configuration(inventory, problems, building=building), tell_secrets=call.add_secrets)
    return resolve(inventory, building=building)
