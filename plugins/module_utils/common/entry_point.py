# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Run an Ansible module of this collection: pass its arguments to its ``run`` function, and return the result.

Secrets are removed from the result. A module (a file in plugins/modules) provides ``argument_spec() -> dict``,
``OPTIONS`` (the other keyword arguments of AnsibleModule) and ``run(call: Call) -> dict``. :func:`run_module` runs it
as a module; the action plugin that all modules share runs it in-process. Both use :func:`perform`, so they cannot
differ.
This is the only file of module_utils that imports Ansible.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from ansible.module_utils.basic import AnsibleModule, missing_required_lib

try:
    from ansible.module_utils.secrets import register_secrets as _register_secrets  # ansible-core 2.22 and newer
except ImportError:
    _register_secrets = None

from .clock import Stop, SystemClock
from .errors import Interrupted, InvalidInput, MissingLibrary, ZeroTouchError
from .problems import warnings as warnings_of
from .secrets import Redactor, secret_values
from .stop import stop_on_signals, switch_of

# From this length on ansible-core's own masking (every equal substring) cannot hit an ordinary word.
# Source: docs/upstream/ansible.md#options-with-no_log.
_MASKABLE = 12
# ansible-core 2.22 hides each occurrence of a registered secret: shorter ones would make every output unreadable.
_REGISTRABLE = 4


def _silent(line: str) -> None:
    """Progress is printed only to a terminal or log that shows it live."""


# The option that :attr:`Call.pending` reads.
PENDING_OPTION: dict[str, Any] = {"pending": {"type": "bool", "default": False}}


@dataclasses.dataclass
class Call:
    """One call of a module.

    ``params`` are validated and complete; ``check_mode`` forbids every write; ``diff`` asks for ``diff`` in the result.
    Secret leaves of ``params`` are known already, others are added by :meth:`add_secrets` as soon as they exist.
    ``stop`` is set when the process was asked to end.
    """

    params: Mapping[str, Any]
    check_mode: bool = False
    diff: bool = False
    show: Callable[[str], None] = _silent
    stop: Stop = dataclasses.field(default_factory=Stop)
    warnings: list[str] = dataclasses.field(default_factory=list)
    redactor: Redactor = dataclasses.field(default_factory=Redactor)
    revealed: bool = False
    handed_over: frozenset[str] = frozenset()
    planned: list[str] = dataclasses.field(default_factory=list)

    def __post_init__(self) -> None:
        self.add_secrets(secret_values(dict(self.params)))

    @property
    def clock(self) -> SystemClock:
        """Real time, whose waits end when the process is asked to stop."""
        return SystemClock(self.stop)

    def warn(self, text: str) -> None:
        """A warning of the task, each text once."""
        clean = self.redactor.presentable(text)
        if clean not in self.warnings:
            self.warnings.append(clean)

    def progress(self, text: str) -> None:
        """Print one line of progress; nothing where the code runs as a module."""
        self.show(" ".join(self.redactor.presentable(text).splitlines()))

    def plan(self, steps: Iterable[str]) -> None:
        """What a run would do, said in check mode only: the lines of all modules of a playbook together are the
        plan.
        """
        if self.check_mode:
            for step in steps:
                self.progress(f"would {step}")
                self.planned.append(f"would {self.redactor.presentable(step)}")

    @property
    def pending(self) -> bool:
        """Whether an earlier task of this check mode run would create what this module works on (documentation fragment
        ``pending``).
        """
        return self.check_mode and bool(self.params.get("pending"))

    def predict(self, *steps: str) -> dict[str, Any]:
        """The result of a module whose call is pending."""
        self.plan(steps)
        return {"changed": True}

    def add_secrets(self, secrets: Iterable[str]) -> None:
        """Values that must appear in no output of this task."""
        found = {secret for secret in secrets if isinstance(secret, str)}
        self.redactor.add(found)
        if _register_secrets is not None:
            _register_secrets(secret for secret in found if len(secret.strip()) >= _REGISTRABLE)

    def reveal_secrets(self) -> None:
        """The task's purpose is to return secrets (an explicit, documented option): leave this result as it is."""
        self.revealed = True

    def hand_over(self, *members: str) -> None:
        """Leave these members of a success as they are: they hold secrets that another task needs and that are not
        shown.
        """
        self.handed_over |= set(members)


def perform(run: Callable[[Call], dict[str, Any]], call: Call) -> dict[str, Any]:
    """Run the module and return what Ansible gets: always with ``changed`` and ``failed``, without secrets,
    foreseeable faults as ``msg``.
    """
    try:
        with stop_on_signals(call.stop, switch=switch_of(call.params)):
            result = dict(run(call))
    except InvalidInput as error:
        for problem in warnings_of(error.problems):
            call.warn(problem.text())
        result = _failure(
            call, str(error), {"problems": [problem.as_dict() for problem in error.problems], **error.result}
        )
    except Interrupted as error:
        result = _failure(call, str(Interrupted(call.stop.reason) if call.stop.is_set() else error), error.result)
    except MissingLibrary as error:
        result = _failure(call, missing_required_lib(error.library), error.result)
    except ZeroTouchError as error:
        result = _failure(call, str(error), error.result)
    except KeyboardInterrupt:
        result = _failure(call, str(Interrupted(call.stop.reason)), {})
    except OSError as error:
        result = _failure(call, _words_of(error), {})
    result = {"changed": False, "failed": False, **result}
    kept = result if call.revealed else {name: result[name] for name in call.handed_over & result.keys()}
    shown = {name: value for name, value in result.items() if name not in kept}
    return {
        **call.redactor.presentable(shown),
        **kept,
        "invocation": {"module_args": call.redactor.presentable(dict(call.params))},
    }


def _failure(call: Call, message: str, result: Mapping[str, Any]) -> dict[str, Any]:
    call.revealed, call.handed_over = False, frozenset()
    return {**result, "failed": True, "msg": message}


def _words_of(error: OSError) -> str:
    reason = error.strerror or str(error) or type(error).__name__
    return f"{error.filename}: {reason}." if error.filename else f"{reason}."


class _AnsibleModule(AnsibleModule):
    """AnsibleModule that shows no secret leaf of a dict option, neither in syslog nor on its early exits (argument
    errors).
    """

    no_log_values: set[str]

    def _log_invocation(self) -> None:
        """No arguments in syslog: core would write dict options whole, before a module can say what is secret in
        them.
        """

    def add_path_info(self, kwargs: Any) -> Any:
        """Leave the result as it is: core would add owner, mode and ``state`` to one with ``path`` or ``dest``, and
        overwrite our ``size``.
        """
        return kwargs

    def fail_json(self, msg: str, **kwargs: Any) -> Any:
        if "invocation" not in kwargs:
            redactor = Redactor(secret_values(self.params) | {str(value) for value in self.no_log_values})
            kwargs["invocation"] = {"module_args": redactor.presentable(self.params)}
            msg = redactor.presentable(str(msg))
            self.no_log_values = {value for value in self.no_log_values if len(value) >= _MASKABLE}
        super().fail_json(msg, **kwargs)


def run_module(
    argument_spec: Callable[[], dict[str, Any]], options: Mapping[str, Any], run: Callable[[Call], dict[str, Any]]
) -> None:
    """``main()`` of every module: never returns."""
    module = _AnsibleModule(argument_spec=argument_spec(), **options)
    call = Call(module.params, check_mode=module.check_mode, diff=module._diff)
    call.add_secrets(str(value) for value in module.no_log_values)
    # Short values are hidden by the Redactor with more care than core has; long ones by both.
    module.no_log_values = {value for value in module.no_log_values | call.redactor.known() if len(value) >= _MASKABLE}
    result = perform(run, call)
    if call.revealed:
        module.no_log_values = set()
    for text in call.warnings:
        module.warn(text)
    if result.pop("failed"):
        module.fail_json(**result)
    module.exit_json(**result)
