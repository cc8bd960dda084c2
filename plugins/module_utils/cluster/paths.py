# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Translate the field path of a problem to the field that the user wrote.

The rules report paths of install-config.yaml and agent-config.yaml. The translated problem names the variable, or the
field of the user's file, with file and line if they are known.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import PurePath

from ..common.problems import Problem
from .field_table import AGENT_FIELDS
from .shapes import snake_case
from .tree import Item, Place, places
from .variable_fields import TARGETS, VERBATIM

INSTALL_CONFIG = "install-config.yaml"
AGENT_CONFIG = "agent-config.yaml"

_AGENT_CONFIG_FIELDS = "|".join(["hosts", *(row.upstream for row in AGENT_FIELDS)])
_AGENT_CONFIG_PATH = re.compile(rf"^({_AGENT_CONFIG_FIELDS})\b")
_STEP = re.compile(r"\.?[^.\[\]]+|\[[^\]]*\]")
_PLATFORM = re.compile(r"^platform\.[^.\[]+")


@dataclasses.dataclass(frozen=True)
class Source:
    """What is known about the user's input: the place of every value of both upstream documents.

    ``variables``: the input is variables, not files. ``files`` are the user's names of the two documents.
    """

    documents: Mapping[str, Mapping[str, Place]] = dataclasses.field(default_factory=dict)
    variables: bool = False
    files: Mapping[str, str] = dataclasses.field(default_factory=dict)

    @classmethod
    def of(cls, install_config: Item, agent_config: Item, *, variables: bool) -> Source:
        documents = {INSTALL_CONFIG: dict(places(install_config)), AGENT_CONFIG: dict(places(agent_config))}
        return cls(
            documents,
            variables,
            {} if variables else {INSTALL_CONFIG: install_config.file, AGENT_CONFIG: agent_config.file},
        )


def in_users_terms(problems: Iterable[Problem], source: Source) -> list[Problem]:
    """Problems with upstream paths (``platform.baremetal.apiVIPs[0]``, file ``install-config.yaml``) in the terms of
    the user's input.

    A path that does not exist there (a required field that is absent) is named as the user would write it, on the line
    of what holds it. Problems that are in the user's terms already stay as they are.
    """
    return [_translate(problem, source) for problem in problems]


def _translate(problem: Problem, source: Source) -> Problem:
    document = document_of(problem)
    if not document or problem.path.startswith("openshift_"):
        return problem
    known = source.documents.get(document, {})
    for prefix, rest in _prefixes(problem.path):
        place = known.get(prefix)
        if place is not None and place.path:
            # Where the user writes the installer's own files, its problems name fields as it does.
            keeps = (
                not source.variables
                and problem.layer == "installer"
                and PurePath(place.file).name in (INSTALL_CONFIG, AGENT_CONFIG)
            )
            path = problem.path if keeps else _with_rest(place.path, rest, source.variables, prefix)
            return dataclasses.replace(problem, path=path, file=place.file, line=place.line)
        if source.variables:
            target = TARGETS.get(_PLATFORM.sub("platform.*", prefix))
            if target:
                return dataclasses.replace(problem, path=_with_rest(target, rest, True, prefix), file="", line=0)
    if source.variables:
        return dataclasses.replace(
            problem, path=_with_rest("openshift_cluster", "." + problem.path, True, ""), file="", line=0
        )
    return dataclasses.replace(problem, file=source.files.get(document) or document, line=0)


def document_of(problem: Problem) -> str:
    """Which of the two documents a problem is about; empty for another file."""
    if not problem.file:
        return AGENT_CONFIG if _AGENT_CONFIG_PATH.match(problem.path) else INSTALL_CONFIG
    return (
        problem.file
        if PurePath(problem.file).name == problem.file and problem.file in (INSTALL_CONFIG, AGENT_CONFIG)
        else ""
    )


def _prefixes(path: str) -> Iterator[tuple[str, str]]:
    """``a.b[0]`` -> (``a.b[0]``, ````), (``a.b``, ``[0]``), (``a``, ``.b[0]``)."""
    steps = _STEP.findall(path)
    for count in range(len(steps), 0, -1):
        yield "".join(steps[:count]), "".join(steps[count:])


def _with_rest(path: str, rest: str, variables: bool, prefix: str) -> str:
    if not rest:
        return path
    if not variables or VERBATIM.search(path) or "networkConfig" in prefix:
        return path + rest
    steps = [step if step.startswith("[") else "." + snake_case(step.lstrip(".")) for step in _STEP.findall(rest)]
    return path + "".join(steps)
