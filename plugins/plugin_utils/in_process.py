# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Base class of the action plugins: run a module inside Ansible's process if the task runs on the control node.

For other machines Ansible transfers the module as usual. Inside the process a task takes 0.03 s instead of 0.5 to
1.5 s, and its progress is visible live. Ansible loads the action class in its parent process, before it forks a worker
for the task. So a module and its libraries are imported once per run, by the few lines of each file in plugins/action.

Routing all modules to one file (``plugin_routing.action.*.redirect``) would save these lines, but ansible-core resolves
the names in ``module_defaults`` and action groups through that redirect: measured on 2.19.14 and 2.21.5, the defaults
of one module then apply to all modules.

Source: docs/upstream/ansible.md#cost-of-imports.
"""

from __future__ import annotations

import contextlib
import datetime
import json
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any, ClassVar

from ansible import constants as C
from ansible.module_utils.common.arg_spec import ModuleArgumentSpecValidator
from ansible.module_utils.errors import UnsupportedError
from ansible.plugins.action import ActionBase
from ansible_collections.zerotouch.openshift.plugins.module_utils.common import libraries
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.entry_point import Call, perform
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.errors import MissingLibrary
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.reached import recorded_in
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.secrets import Redactor, secret_values
from ansible_collections.zerotouch.openshift.plugins.plugin_utils.live import accompanied
from ansible_collections.zerotouch.openshift.plugins.plugin_utils.plan_journal import add_lines

_RULES = ("mutually_exclusive", "required_together", "required_one_of", "required_if", "required_by")
# What an interpreter reads when it starts: such an environment needs a separate process.
_STARTUP_PREFIXES = ("PYTHON", "LD_", "LC_")
# Characters (ansible/awx awx/settings/defaults.py MAX_EVENT_RES_DATA).
_LARGEST_EVENT = 700_000
_STARTUP_NAMES = frozenset({"LANG", "LANGUAGE", "TZ"})


class ModuleAction(ActionBase):
    """Base of every class in plugins/action.

    ``libraries`` names what the module needs from ``common/libraries.py``, to be imported before the fork.
    """

    module: ModuleType
    libraries: ClassVar[tuple[str, ...]] = ()

    _supports_async = True

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        for name in cls.libraries:
            with contextlib.suppress(MissingLibrary):  # the module reports it when it needs the library
                getattr(libraries, name)

    def run(self, tmp: str | None = None, task_vars: dict[str, Any] | None = None) -> dict[str, Any]:
        super().run(tmp, task_vars)
        variables = task_vars or {}
        environment: dict[str, Any] = {}
        self._compute_environment_string(environment)
        if obstacle := self._obstacle(variables, environment):
            self._display.vvv(f"{self._task.action} runs as a module: {obstacle}")
            return self._as_module(variables)
        with exported(environment), recorded_in(Path(C.DEFAULT_LOCAL_TMP)):
            result, call = self._in_process(self._runner(variables))
        if not invocation_is_shown(variables) or not fits_an_event(result):
            result.pop("invocation", None)
        return self._out_of_sight(result, call) if call and call.handed_over else result

    def _obstacle(self, variables: Mapping[str, Any], environment: Mapping[str, Any]) -> str:
        return obstacle_to_in_process(
            transport=self._connection.transport,
            become=bool(self._connection.become),
            wrap_async=bool(self._task.async_val),
            interpreter=self._interpreter(variables),
            environment=environment,
        )

    def _runner(self, variables: Mapping[str, Any]) -> Callable[[Call], dict[str, Any]]:
        """What runs in-process, with the variables of the task."""
        runner: Callable[[Call], dict[str, Any]] = self.module.run
        return runner

    def _as_module(self, variables: dict[str, Any]) -> dict[str, Any]:
        wrap_async = bool(self._task.async_val) and not self._connection.has_native_async
        result: dict[str, Any] = self._execute_module(task_vars=variables, wrap_async=wrap_async)
        if not wrap_async:
            self._remove_tmp_path(self._connection._shell.tmpdir)
        return result

    def _in_process(self, run: Callable[[Call], dict[str, Any]]) -> tuple[dict[str, Any], Call | None]:
        options = dict(self.module.OPTIONS)
        arguments = native(self._task.args)
        validation = ModuleArgumentSpecValidator(
            self.module.argument_spec(), **{rule: options.get(rule) for rule in _RULES}
        ).validate(arguments)
        params = validation.validated_parameters
        if validation.error_messages:
            return self._refusal(params, validation), None
        if self._task.check_mode and not options.get("supports_check_mode"):
            return {"skipped": True, "msg": f"remote module ({self._task.action}) does not support check mode"}, None
        call = Call(params, check_mode=bool(self._task.check_mode), diff=bool(self._task.diff), show=self._show)
        call.add_secrets(str(value) for value in validation._no_log_values)
        with accompanied(self._task.name or self._task.action, call):
            result = perform(run, call)
        add_lines(call.planned)
        for text in call.warnings:
            self._display.warning(text)
        return result, call

    def _out_of_sight(self, result: dict[str, Any], call: Call) -> dict[str, Any]:
        """Ansible prints no success that holds secrets for another task; where it would have, we print it without
        them.
        """
        if self._display.verbosity and not self._task.no_log:
            shown = {
                name: value
                for name, value in call.redactor.presentable(result).items()
                if name != "invocation" or self._display.verbosity > 2
            }
            self._show(f"{self._task.action} => {json.dumps(shown, indent=4, sort_keys=True, ensure_ascii=False)}")
        return {**result, "_ansible_verbose_override": True}

    def _refusal(self, params: Mapping[str, Any], validation: Any) -> dict[str, Any]:
        # The very words of AnsibleModule.__init__, so that both ways into a module fail alike.
        message = validation.errors.msg
        if isinstance(validation.errors[0], UnsupportedError):
            message = f"Unsupported parameters for ({self._task.action}) module: {message}"
        redactor = Redactor(secret_values(dict(params)) | {str(value) for value in validation._no_log_values})
        return {
            "failed": True,
            "msg": redactor.presentable(message),
            "invocation": {"module_args": redactor.presentable(dict(params))},
        }

    def _show(self, line: str) -> None:
        if not self._task.no_log:
            # A callback that prints one document on standard output must stay readable by programs.
            self._display.display(line, stderr="json" in C.DEFAULT_STDOUT_CALLBACK)

    def _interpreter(self, variables: Mapping[str, Any]) -> str:
        """The Python that a module would get; empty where Ansible would have to search for one."""
        if self._task.delegate_to:
            variables = variables.get("ansible_delegated_vars", {}).get(self._task.delegate_to, {})
        setting = self._templar.template(C.config.get_config_value("INTERPRETER_PYTHON", variables=variables))
        if isinstance(setting, str) and setting.startswith("auto"):
            setting = variables.get("ansible_facts", {}).get("discovered_interpreter_python")
        return str(setting or "").strip()


def obstacle_to_in_process(
    *, transport: str, become: bool, wrap_async: bool, interpreter: str, environment: Mapping[str, Any]
) -> str:
    """Why the module cannot run inside Ansible; empty when it can."""
    if transport != "local":
        return f"connection {transport}"
    if become:
        return "become"
    if wrap_async:
        return "async"
    # Not the real path: a virtual environment's Python is a link to the system's, with other libraries.
    if os.path.abspath(interpreter) != os.path.abspath(sys.executable) or not interpreter:
        shown_interpreter = interpreter or "not known yet"
        return f"interpreter {shown_interpreter}"
    startup = sorted(name for name in environment if name.startswith(_STARTUP_PREFIXES) or name in _STARTUP_NAMES)
    return f"environment {', '.join(startup)}" if startup else ""


def fits_an_event(result: Mapping[str, Any]) -> bool:
    """Whether a controller shows the result: it replaces a larger one by an empty one.

    The arguments of a call for 1000 hosts are a third of its result.
    """
    return len(str(result)) < _LARGEST_EVENT


def invocation_is_shown(variables: Mapping[str, Any]) -> bool:
    """Whether results hold the arguments: up to ansible-core 2.20 always, from 2.21 on where the user wants it."""
    if not C.config.get_configuration_definition("INJECT_INVOCATION"):
        return True
    return bool(C.config.get_config_value("INJECT_INVOCATION", variables=variables))


def native(value: Any) -> Any:
    """Plain Python data of what templating leaves (tagged and lazy subclasses), as a module would receive it through
    JSON.
    """
    if isinstance(value, Mapping):
        return {native(key): native(item) for key, item in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [native(item) for item in value]
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float):
        return float(value)
    if isinstance(value, (datetime.date, datetime.time)):
        return value.isoformat()
    return value.decode(errors="surrogateescape") if isinstance(value, bytes) else str(value)


@contextlib.contextmanager
def exported(environment: Mapping[str, Any]) -> Iterator[None]:
    """The task's ``environment`` for the length of the block; a worker runs all items of a loop, so it is taken
    back.
    """
    before = {name: os.environ.get(name) for name in environment}
    os.environ.update({name: str(value) for name, value in environment.items()})
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
