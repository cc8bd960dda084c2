# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Check variables that hold options of a module by that module's argument spec, before anything is done."""

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
        found = ArgumentSpecValidator(
            {name: {word: rule for word, rule in spec[name].items() if word != "required"}}
        ).validate({name: native(value)})
        options |= found.validated_parameters
        problems += [_problem(f"{path}.{name}", INVALID, redactor.text(message)) for message in found.error_messages]
    return options, problems
