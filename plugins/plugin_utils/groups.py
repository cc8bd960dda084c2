# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Check for role groups that do not exist or are empty: hosts in a group of another name would silently be left out of
the cluster.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..module_utils.common.plurals import counted
from ..module_utils.common.problems import REQUIRED, Problem, nearest_of
from .problems import problem

# What people call these groups elsewhere, without '_' and '-'.
_ALSO_CALLED = {
    "control_plane": (
        "controlplane",
        "controlplanes",
        "controlplanenodes",
        "controlplanehosts",
        "control",
        "controllers",
        "master",
        "masters",
        "masternodes",
    ),
    "workers": ("worker", "workernodes", "workerhosts", "compute", "computes", "computenodes", "nodes"),
    "arbiters": ("arbiter", "arbiternodes"),
}
_ANSIBLES_OWN = ("all", "ungrouped")
_MOST_NAMED = 8


def check_groups(
    groups: Mapping[str, Sequence[str]], names: Mapping[str, str], provided: Mapping[str, Any]
) -> list[Problem]:
    """``groups`` are those of the inventory, ``names`` the role groups looked for, ``provided`` is
    ``openshift_groups``.

    There must be control-plane hosts; workers and arbiters may be absent unless the user names their group or has one
    that is surely meant.
    """
    return list(_problems(groups, names, provided))


def _problems(
    groups: Mapping[str, Sequence[str]], names: Mapping[str, str], provided: Mapping[str, Any]
) -> Iterator[Problem]:
    others = {name: hosts for name, hosts in groups.items() if name not in (*_ANSIBLES_OWN, *names.values()) and hosts}
    for role, name in names.items():
        if groups.get(name):
            continue
        meant = _meant(role, name, list(others), guess=role not in provided)
        if role == "control_plane" or meant or (role in provided and name not in groups):
            yield problem(
                f"openshift_groups.{role}", REQUIRED, _detail(role, name, groups), hint=_hint(role, name, meant, groups)
            )


def _meant(role: str, name: str, others: Sequence[str], *, guess: bool) -> str:
    """The group that the user means; of names that he chose himself only a slip of the finger is corrected."""
    bare = {re.sub(r"[^a-z0-9]", "", other.lower()): other for other in others}
    also = next(
        (bare[called] for called in (_bare(name), *(_ALSO_CALLED[role] if guess else ())) if called in bare), ""
    )
    return also or (nearest_of(name, others) if role == "control_plane" or not guess else "")


def _bare(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())


def _detail(role: str, name: str, groups: Mapping[str, Sequence[str]]) -> str:
    what = {"control_plane": "control-plane hosts", "workers": "workers", "arbiters": "arbiters"}[role]
    state = "has no hosts" if name in groups else "does not exist"
    found = [
        f"{group} ({counted(len(hosts), 'host')})" for group, hosts in groups.items() if group not in _ANSIBLES_OWN
    ]
    more = len(found) - _MOST_NAMED
    listed = ", ".join(found[:_MOST_NAMED]) + (f" and {more} more" if more > 0 else "")
    known = f"the inventory has the groups {listed}" if found else "the inventory has no groups"
    return f"the group {name}, from which the {what} are taken, {state}; {known}"


def _hint(role: str, name: str, meant: str, groups: Mapping[str, Sequence[str]]) -> str:
    if meant:
        return f"rename {meant} to {name}, or set openshift_groups: {{{role}: {meant}}}"
    if not any(group not in _ANSIBLES_OWN for group in groups):
        return f"name an inventory with -i, and put the hosts into the group {name}"
    return f"put the hosts into the group {name}, or name another one in openshift_groups: {{{role}: …}}"
