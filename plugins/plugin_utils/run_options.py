# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Reject options of ansible-playbook that have another effect in these playbooks than a user expects."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..module_utils.common.problems import FORBIDDEN, Problem
from .problems import problem

_CONTROL_NODE = frozenset({"localhost", "127.0.0.1", "all", "*"})
_NO_TAGS = "the playbooks have no tags, so a run with this option leaves tasks out"
_WITHOUT = "run without --tags and --skip-tags; a second run repeats nothing that is done"


def check_run_options(
    variables: Mapping[str, Any], playbook: str, groups: Mapping[str, Sequence[str]] | None = None
) -> list[Problem]:
    """What is wrong with ``--tags``, ``--skip-tags`` and ``--limit`` of a run of one of the playbooks of the
    collection.

    Without ``playbook`` a play of the user calls the roles, and its options are the user's matter. ``groups``: the
    hosts of the inventory by group.
    """
    return list(_problems(variables, groups or {})) if playbook else []


def _problems(variables: Mapping[str, Any], groups: Mapping[str, Sequence[str]]) -> Iterator[Problem]:
    tags = _texts(variables.get("ansible_run_tags"))
    if set(tags) - {"all", "untagged"}:
        yield problem("--tags", FORBIDDEN, _NO_TAGS, value=",".join(tags), hint=_WITHOUT)
    skipped = _texts(variables.get("ansible_skip_tags"))
    if set(skipped) & {"all", "always", "untagged"}:
        yield problem("--skip-tags", FORBIDDEN, _NO_TAGS, value=",".join(skipped), hint=_WITHOUT)
    limit = str(variables.get("ansible_limit") or "")
    named = {name.strip() for name in limit.replace(":", ",").split(",")} - {""}
    if named - _CONTROL_NODE and not _names_every_host(named, groups):
        detail = "the playbooks run on localhost, and act on all hosts of the inventory whatever the limit is"
        yield problem(
            "--limit",
            FORBIDDEN,
            detail,
            value=limit,
            hint=("run without --limit; openshift_hosts names hosts where a playbook takes hosts"),
        )


def _names_every_host(named: set[str], groups: Mapping[str, Sequence[str]]) -> bool:
    """Whether a limit leaves no host of the inventory out. One with exclusions or other patterns is not evaluated."""
    hosts = set(groups.get("all") or ()) - _CONTROL_NODE
    found = {host for name in named for host in (groups.get(name) or [name])}
    return bool(hosts) and hosts <= found and named <= {*groups, *hosts, *_CONTROL_NODE}


def _texts(value: Any) -> Sequence[str]:
    return [str(entry) for entry in value] if isinstance(value, (list, tuple, set, frozenset)) else []
