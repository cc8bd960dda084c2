# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Action plugin of module deployment_settings, and base class of the other actions that read the inventory.

These actions always run inside Ansible's process, because only that process has the variables of all hosts.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from ansible.module_utils.common.arg_spec import ModuleArgumentSpecValidator
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.entry_point import Call
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.errors import InvalidInput, ZeroTouchError
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.secrets import secret_values
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.check import check_input
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.safety.table import BREAK_LOCK
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.state.attach import (
    Attachment,
    attach,
    set_switch,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.state.ephemeral import (
    ephemeral_problem,
    gather,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.state.record import size_problem
from ansible_collections.zerotouch.openshift.plugins.modules import deployment_settings
from ansible_collections.zerotouch.openshift.plugins.plugin_utils import live
from ansible_collections.zerotouch.openshift.plugins.plugin_utils.check import check_variables, configuration
from ansible_collections.zerotouch.openshift.plugins.plugin_utils.connections import describe
from ansible_collections.zerotouch.openshift.plugins.plugin_utils.in_process import ModuleAction
from ansible_collections.zerotouch.openshift.plugins.plugin_utils.inventory import Inventory
from ansible_collections.zerotouch.openshift.plugins.plugin_utils.resolved import Resolved, resolve
from ansible_collections.zerotouch.openshift.plugins.plugin_utils.settings import state_options


class VariablesAction(ModuleAction):
    """The base of actions that read the inventory, by :meth:`read`."""

    def _obstacle(self, variables: Mapping[str, Any], environment: Mapping[str, Any]) -> str:
        return ""

    def _runner(self, variables: Mapping[str, Any]) -> Callable[[Call], dict[str, Any]]:
        return partial(self.read, Inventory(variables, self._templar.template))

    @staticmethod
    def read(inventory: Inventory, call: Call) -> dict[str, Any]:
        return read_deployment(inventory, call)

    def _out_of_sight(self, result: dict[str, Any], call: Call) -> dict[str, Any]:
        """Callbacks that write results to files would write the secrets of the variables."""
        return {**result, "_ansible_no_log": True}


def defaults() -> dict[str, Any]:
    """The options of deployment_settings, for actions that read the variables without that module."""
    validated = ModuleArgumentSpecValidator(deployment_settings.argument_spec()).validate({})
    return dict(validated.validated_parameters)


def read_deployment(inventory: Inventory, call: Call) -> dict[str, Any]:
    """Check the variables and the configuration, print the connections of the run, and return the resolved
    variables.
    """
    try:
        deployment, files = _checked(inventory, call)
    except ZeroTouchError:
        # A message may quote a value.
        call.add_secrets(state_options(inventory.settings(), inventory.directory)[0].secrets())
        call.add_secrets(
            secret_values(
                {
                    "settings": inventory.settings(),
                    "hosts": inventory.read_hosts()[0],
                    "agents": inventory.agent_variables(),
                }
            )
        )
        raise
    call.add_secrets(secret_values({name: deployment[name] for name in ("hub", "assisted")}))
    _open_state(inventory, deployment, files, call)
    if call.params["live_report"]:
        live.start(
            deployment, inventory.settings(), call, controller=live.in_controller_job(inventory.variables, os.environ)
        )
    connections = describe(Resolved(deployment).part("touch")) if call.params["show_connections"] else []
    for line in connections:
        call.progress(line)
    call.hand_over("deployment")
    return {"deployment": deployment, "connections": connections}


def _checked(inventory: Inventory, call: Call) -> tuple[dict[str, Any], Mapping[str, str]]:
    """The resolved variables, and the files of the configuration that this run writes."""
    building = call.params["building"]
    problems = check_variables(inventory, building=building, playbook=call.params["playbook"] or "")
    files = check_input(problems, configuration(inventory, problems, building=building), tell_secrets=call.add_secrets)
    return resolve(inventory, building=building), files


def _open_state(inventory: Inventory, deployment: Mapping[str, Any], files: Mapping[str, str], call: Call) -> None:
    """Make the work directory current and keep it stored.

    Raises :class:`ZeroTouchError`: then it is not known what this deployment did.
    """
    mode, settings = call.params["store"], deployment["settings"]
    if mode == "ignore":
        return
    options = state_options(inventory.settings(), inventory.directory)[0]
    call.add_secrets(options.secrets())
    root = Path(settings["work_dir"])
    wanted = Attachment(
        options, settings["name"], root, settings["connect_to"], break_lock=BREAK_LOCK in settings["force"]
    )
    if mode == "stop":
        call.progress(set_switch(wanted, call.clock, check_mode=call.check_mode))
        return
    if mode == "keep" and (
        problem := ephemeral_problem(options, gather(root, os.environ)) or size_problem(options, root, files)
    ):
        raise InvalidInput([problem])
    opened = attach(wanted, call.clock, call.progress, check_mode=call.check_mode or mode == "read")
    for warning in opened.warnings:
        call.warn(warning)
    if opened.action == "restore":
        call.progress(f"state: restored into {root} ({opened.reason})")
