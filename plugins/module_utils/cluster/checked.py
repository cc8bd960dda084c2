# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Collect all problems of a cluster configuration: parse errors, and rule violations in the values that were parsed.

The configuration comes from inventory variables or from install-config.yaml and agent-config.yaml.
"""

from __future__ import annotations

import dataclasses
import datetime
import re

from ..common.problems import REQUIRED, Problem
from .documents import Parsed
from .echoes import without_echoes
from .paths import AGENT_CONFIG, INSTALL_CONFIG, document_of, in_users_terms
from .profile import profile_of
from .rules.validate import validate
from .upstream.cluster_install import as_of_manifests, is_of_manifests

_INSTALL_PARSED, _INSTALL_RULES, _AGENT_PARSED, _AGENT_RULES, _OTHER_FILES = range(5)


def all_problems(parsed: Parsed, *, today: datetime.date | None = None, agent_iso: bool = True) -> list[Problem]:
    """Return each problem once, with the field name that the user wrote. The installer's problems come first.

    ``today`` and ``agent_iso`` are passed to :func:`validate`.
    """
    staged = [(_parsing_stage(problem, parsed), problem) for problem in parsed.problems]
    if parsed.deployment is not None:
        for problem in validate(parsed.deployment, today=today, agent_iso=agent_iso, documents=parsed.documents):
            # Manifests are made after hosts were looked at: what is wrong with install-config.yaml then comes after
            # them.
            stage = (
                _INSTALL_RULES
                if document_of(problem) == INSTALL_CONFIG and not is_of_manifests(problem)
                else _AGENT_RULES
            )
            staged += [
                (stage, reported)
                for reported in without_echoes(in_users_terms([problem], parsed.source), parsed.problems)
            ]
        staged = [(stage, in_release_words(problem, parsed)) for stage, problem in staged]
    # Those of the installer first, in the order of its files; ours in their own.
    staged.sort(key=lambda entry: (entry[1].layer != "installer", entry[0] if entry[1].layer == "installer" else 0))
    return list(dict.fromkeys(problem for _stage, problem in staged))


def _parsing_stage(problem: Problem, parsed: Parsed) -> int:
    if problem.file and problem.file == parsed.source.files.get(INSTALL_CONFIG):
        of_hosts = problem.check in ("hosts-defined-twice", "boot-mac") or (
            problem.kind == REQUIRED and problem.path.endswith(".bootMACAddress")
        )
        return _AGENT_RULES if of_hosts else _INSTALL_PARSED
    return _AGENT_PARSED if problem.file and problem.file == parsed.source.files.get(AGENT_CONFIG) else _OTHER_FILES


def in_release_words(problem: Problem, parsed: Parsed) -> Problem:
    """Names as the installer of the release uses them for the user's files: its manifests by their fields, hosts with
    capitals by older ones.
    """
    if is_of_manifests(problem) and not parsed.source.variables:
        return as_of_manifests(problem)
    profile = profile_of(parsed.deployment.cluster.version if parsed.deployment else "")
    if (
        parsed.source.variables
        or problem.layer != "installer"
        or profile.hosts_path == "hosts"
        or not problem.path.startswith("hosts[")
    ):
        return problem
    path = re.sub(
        r"^hosts(\[\d+\])(\.interfaces)?",
        lambda match: f"Hosts{match[1]}" + (".Interfaces" if match[2] else ""),
        problem.path,
    )
    return dataclasses.replace(problem, path=path)
