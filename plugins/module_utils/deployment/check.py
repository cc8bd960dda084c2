# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Mistakes in settings, hosts and configuration, reported together before anything is touched."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ..common.errors import InvalidInput
from ..common.problems import Problem, errors
from .agent.configure import Input, read_input

# Nothing is written, and nobody looks there: the configuration is only read.
_NOWHERE = Path("/nonexistent")


def check_input(problems: Sequence[Problem], given: Mapping[str, Any], *, tell_secrets: Callable[[set[str]], None]) -> None:
    """``problems`` are those already found, ``given`` is what :class:`Input` takes, by the same names; empty where it cannot be checked.

    Raises :class:`InvalidInput` with all problems if one of them is an error.
    """
    known = {problem.path for problem in problems}
    # Each mistake is reported once, by the first check that found it.
    found = [*problems, *(problem for problem in _of_configuration(given, tell_secrets) if problem.path not in known)]
    if errors(found):
        raise InvalidInput(found)


def _of_configuration(given: Mapping[str, Any], tell_secrets: Callable[[set[str]], None]) -> Sequence[Problem]:
    config_dir = given.get("config_dir")
    if not config_dir and given.get("cluster") is None:
        return ()
    configuration = Input(
        dest=_NOWHERE,
        cluster=given.get("cluster"),
        hosts=given.get("hosts") or (),
        config_dir=Path(config_dir) if config_dir else None,
        version=given.get("version") or "",
        release_image=given.get("release_image") or "",
        agent_iso=given.get("agent_iso", True),
        checks=given.get("checks") or {},
    )
    try:
        return read_input(configuration, tell_secrets=tell_secrets)[1]
    except InvalidInput as error:
        return error.problems
