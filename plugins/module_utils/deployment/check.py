# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Check settings, hosts and configuration, and report all mistakes together before anything is changed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ..cluster.spec import Deployment
from ..common.errors import InvalidInput
from ..common.problems import Problem, errors
from ..manifests.source import configuration_files
from .agent.configure import Input, read_input

# Placeholder for `dest`: a check writes no files.
_NOWHERE = Path("/nonexistent")


def check_input(
    problems: Sequence[Problem], provided: Mapping[str, Any], *, tell_secrets: Callable[[set[str]], None]
) -> Mapping[str, str]:
    """Check the input of a deployment, and return the files of its configuration, which only method agent has.

    ``problems`` are those already found, ``provided`` has the arguments of :class:`Input` by name; it is empty where
    the input cannot be checked. Raises :class:`InvalidInput` with all problems if one of them is an error.
    """
    deployment, of_configuration = _read(provided, tell_secrets)
    found = _once(problems, of_configuration)
    if errors(found):
        raise InvalidInput(found)
    return configuration_files(deployment) if deployment is not None and provided.get("agent_iso", True) else {}


def all_problems(
    problems: Sequence[Problem], provided: Mapping[str, Any], *, tell_secrets: Callable[[set[str]], None]
) -> list[Problem]:
    """Errors and warnings: ``problems``, and those of the configuration. Arguments as in :func:`check_input`."""
    return _once(problems, _read(provided, tell_secrets)[1])


def _once(problems: Sequence[Problem], of_configuration: Sequence[Problem]) -> list[Problem]:
    """Each mistake once, from the first check that found it."""
    known = {problem.path for problem in problems}
    return [*problems, *(problem for problem in of_configuration if problem.path not in known)]


def _read(
    provided: Mapping[str, Any], tell_secrets: Callable[[set[str]], None]
) -> tuple[Deployment | None, Sequence[Problem]]:
    config_dir = provided.get("config_dir")
    if not config_dir and provided.get("cluster") is None:
        return None, ()
    configuration = Input(
        dest=_NOWHERE,
        cluster=provided.get("cluster"),
        hosts=provided.get("hosts") or (),
        config_dir=Path(config_dir) if config_dir else None,
        version=provided.get("version") or "",
        release_image=provided.get("release_image") or "",
        agent_iso=provided.get("agent_iso", True),
        checks=provided.get("checks") or {},
    )
    try:
        return read_input(configuration, tell_secrets=tell_secrets)
    except InvalidInput as error:
        return None, error.problems
