# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Check a variable that contains options of a module against the argument spec of that module."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ansible.module_utils.common.arg_spec import ArgumentSpecValidator
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.problems import (
    FORBIDDEN,
    INVALID,
    UNKNOWN_FIELD,
    Problem,
    nearest,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.secrets import Redactor, secret_values

from .in_process import native
from .problems import problem as _problem

# No option has a use for larger numbers. NaN is not below it either.
_LARGEST = 1 << 63


def check_options(
    path: str, provided: Mapping[str, Any], spec: Mapping[str, Mapping[str, Any]], *, ours: Sequence[str], because: str
) -> list[Problem]:
    """What is wrong with ``provided``, options of a module with this specification; ``ours`` are those that may not be
    given, ``because`` of that.

    Options that the module requires may come from elsewhere. Values of secrets are in no message.
    """
    known = [name for name in spec if name not in ours]
    problems = []
    for key in map(str, provided):
        if key in ours:
            problems.append(_problem(f"{path}.{key}", FORBIDDEN, because))
        elif key not in known:
            problems.append(
                _problem(f"{path}.{key}", UNKNOWN_FIELD, f"known: {', '.join(sorted(known))}", hint=nearest(key, known))
            )
    return problems + read_options(path, {key: value for key, value in provided.items() if str(key) in known}, spec)[1]


def read_options(
    path: str, provided: Mapping[str, Any], spec: Mapping[str, Mapping[str, Any]]
) -> tuple[dict[str, Any], list[Problem]]:
    """Options that the specification knows, as the module gets them, without its defaults; and what is wrong with
    them.
    """
    redactor = Redactor(secret_values({str(key): native(value) for key, value in provided.items()}))
    options: dict[str, Any] = {}
    problems: list[Problem] = []
    for key, value in provided.items():
        if value is None:
            continue
        # One at a time: some of Ansible's messages do not say which option they mean.
        name = str(key)
        unreadable: list[Problem] = []
        parameters = {name: _prepared(native(value), spec[name], f"{path}.{name}", unreadable)}
        problems += unreadable
        if unreadable:
            continue
        validator = ArgumentSpecValidator(
            {name: {word: rule for word, rule in spec[name].items() if word != "required"}}
        )
        try:
            found = validator.validate(parameters)
        except (TypeError, ValueError, OverflowError):  # of values in a text, which Ansible reads as JSON
            problems.append(_problem(f"{path}.{name}", INVALID, "contains a value of the wrong type or out of range"))
            continue
        options |= found.validated_parameters
        problems += [_problem(f"{path}.{name}", INVALID, redactor.text(message)) for message in found.error_messages]
    return options, problems


def _prepared(value: Any, rule: Mapping[str, Any], path: str, problems: list[Problem]) -> Any:
    """The value with all names of options as text.

    ``problems`` gets what Ansible's validator raises exceptions for.
    """
    kind, options = rule.get("type"), rule.get("options")
    if kind == "list" and isinstance(value, list):
        element = {**rule, "type": rule.get("elements")}
        return [_prepared(each, element, f"{path}[{index}]", problems) for index, each in enumerate(value)]
    # Ansible reads text as JSON or key=value, and splits it to a list.
    if options is not None and not isinstance(value, str):
        if isinstance(value, dict) and kind == "dict":
            return {
                str(key): each if each is None else _prepared(each, options.get(key, {}), f"{path}.{key}", problems)
                for key, each in value.items()
            }
        problems.append(
            _problem(path, INVALID, "must be a list of mappings" if kind == "list" else "must be a mapping")
        )
    if kind in ("int", "float") and isinstance(value, (int, float)) and not -_LARGEST < value < _LARGEST:
        problems.append(_problem(path, INVALID, "must be a number from -2^63 to 2^63"))
    return value
