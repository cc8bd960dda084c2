# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Check an inventory without an installation: on a laptop, in CI or before a commit (module variables_check).

The check reads files and contacts no machine or service.
"""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Sequence
from typing import Any

from ansible import context
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.entry_point import Call
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.errors import InvalidInput
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.plurals import counted
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.problems import (
    REQUIRED,
    Problem,
    errors,
    warnings,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.secrets import secret_values
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.check import all_problems
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.check_report import Finding, write_report
from ansible_collections.zerotouch.openshift.plugins.plugin_utils.check import check_variables, configuration
from ansible_collections.zerotouch.openshift.plugins.plugin_utils.inventory import Inventory
from ansible_collections.zerotouch.openshift.plugins.plugin_utils.resolved import resolve
from ansible_collections.zerotouch.openshift.plugins.plugin_utils.settings import read_check_report, state_options
from ansible_collections.zerotouch.openshift.plugins.plugin_utils.variable_places import variable_files, with_places
from ansible_collections.zerotouch.openshift.plugins.plugin_utils.variables_action import VariablesAction

# Raised when the keys of the JSON document change their meaning.
SCHEMA = "zerotouch.openshift/validate/1"
_PLAYBOOK = "validate"


class ValidationAction(VariablesAction):
    @staticmethod
    def read(inventory: Inventory, call: Call) -> dict[str, Any]:
        return validate(inventory, call)


def validate(inventory: Inventory, call: Call) -> dict[str, Any]:
    """Every mistake with file and line, in all forms that ``openshift_check_report`` asks for.

    Raises :class:`InvalidInput` if one of them is an error.
    """
    # Before anything is said: a message may quote a value.
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
    files = variable_files(inventory.sources, _extra_files())
    problems = [_shortened(problem, inventory.directory) for problem in with_places(_problems(inventory, call), files)]
    wrong, doubtful = errors(problems), warnings(problems)
    result = {
        "errors": len(wrong),
        "warning_count": len(doubtful),
        "problems": [problem.as_dict() for problem in problems],
    }
    if not call.check_mode:
        _report(inventory, call, problems, result, default_file=str(files[0]) if files else "inventory")
    if wrong:
        raise InvalidInput(problems, _message(wrong, doubtful))
    for problem in doubtful:
        call.warn(problem.text())
    hosts = len(inventory.read_hosts()[0])
    return {**result, "msg": f"The variables are valid: {counted(hosts, 'host')}, {counted(len(doubtful), 'warning')}."}


def _problems(inventory: Inventory, call: Call) -> list[Problem]:
    """Errors and warnings about everything that is known without this machine, its network and the base image."""
    found = check_variables(inventory, building=True, playbook=_PLAYBOOK, here=False)
    found = all_problems(found, configuration(inventory, found, building=True), tell_secrets=call.add_secrets)
    found = [_without_base_image(problem) for problem in found]
    if not errors(found):
        try:
            resolve(inventory, building=not any(problem.path == "openshift_base_image" for problem in found))
        except InvalidInput as error:
            found += [problem for problem in error.problems if problem.path != "openshift_publish.listen"]
    return found


def _without_base_image(problem: Problem) -> Problem:
    """The image may be named by the run that installs, in its extra variables."""
    if problem.path == "openshift_base_image" and problem.kind == REQUIRED:
        return dataclasses.replace(problem, severity="warning", hint="deploy_cluster needs it")
    return problem


def _report(
    inventory: Inventory, call: Call, problems: Sequence[Problem], result: dict[str, Any], *, default_file: str
) -> None:
    findings = [
        Finding(
            problem.check or problem.kind,
            problem.path,
            _without_place(problem),
            problem.severity,
            problem.file,
            problem.line,
        )
        for problem in problems
    ]
    options = read_check_report(inventory.settings(), inventory.directory)[0]
    document = call.redactor.presentable({"schema": SCHEMA, "ok": not result["errors"], **result})
    for line in write_report(options, document, findings, directory=inventory.directory, default_file=default_file):
        call.progress(line)


def _without_place(problem: Problem) -> str:
    """The problem without its place, which an annotation has in separate fields."""
    return dataclasses.replace(problem, file="", line=0).text()


def _message(wrong: Sequence[Problem], doubtful: Sequence[Problem]) -> str:
    lines = [problem.text() for problem in wrong]
    return "\n".join([*lines, f"{counted(len(wrong), 'error')}, {counted(len(doubtful), 'warning')}."])


def _shortened(problem: Problem, directory: str) -> Problem:
    """The file from the directory of the run, where it is below it."""
    found = os.path.relpath(problem.file, directory) if os.path.isabs(problem.file) else problem.file
    return problem if found.startswith("..") else dataclasses.replace(problem, file=found)


def _extra_files() -> list[str]:
    """The files of ``-e @file``, the last of which takes precedence."""
    files = context.CLIARGS.get("extra_vars") or ()
    return [os.path.abspath(text[1:]) for text in reversed(files) if isinstance(text, str) and text.startswith("@")]
