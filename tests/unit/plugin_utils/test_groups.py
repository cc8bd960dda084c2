# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test the check of the inventory groups for host roles: a group may be absent, empty or named differently."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.zerotouch.openshift.plugins.plugin_utils.groups import check_groups
from ansible_collections.zerotouch.openshift.plugins.plugin_utils.hosts import group_names
from ansible_collections.zerotouch.openshift.plugins.plugin_utils.paths import absolute_manifests

CASES: list[tuple[dict[str, list[str]], dict[str, Any], dict[str, str]]] = [
    ({"control_plane": ["a"]}, {}, {}),
    ({"control_plane": ["a"], "workers": ["b"], "lab_racks": ["a", "b"]}, {}, {}),
    ({"control_plane": ["a"], "workers": []}, {}, {}),
    (
        {"control_plane": [], "workers": ["b"]},
        {},
        {
            "control_plane": (
                "put the hosts into the group control_plane, or name another one in openshift_groups: "
                "{control_plane: …}"
            )
        },
    ),
    ({}, {}, {"control_plane": "name an inventory with -i, and put the hosts into the group control_plane"}),
    *(
        (
            {name: ["a"]},
            {},
            {"control_plane": (f"rename {name} to control_plane, or set openshift_groups: {{control_plane: {name}}}")},
        )
        for name in (
            "control-plane",
            "masters",
            "controlplane",
            "Control_Plane",
            "master",
            "controlplanes",
            "contol_plane",
        )
    ),
    (
        {"control_plane": ["a"], "worker": ["b"]},
        {},
        {"workers": ("rename worker to workers, or set openshift_groups: {workers: worker}")},
    ),
    (
        {"control_plane": ["a"], "compute": ["b"]},
        {},
        {"workers": ("rename compute to workers, or set openshift_groups: {workers: compute}")},
    ),
    # Another cluster in the same inventory.
    ({"a_masters": ["a"], "b_masters": ["b"], "b_workers": ["c"]}, {"control_plane": "a_masters"}, {}),
    (
        {"a_masters": ["a"], "a_workers": ["c"]},
        {"control_plane": "a_masters", "workers": "a_worker"},
        {"workers": "rename a_workers to a_worker, or set openshift_groups: {workers: a_workers}"},
    ),
    ({"control_plane": ["a"], "infra": ["b"]}, {"infras": "infra"}, {}),
    ({"a_masters": ["a"], "a_workers": []}, {"control_plane": "a_masters", "workers": "a_workers"}, {}),
]


@pytest.mark.parametrize(("groups", "provided", "expected"), CASES)
def test_groups(groups: dict[str, list[str]], provided: dict[str, Any], expected: dict[str, str]) -> None:
    all_hosts = sorted({host for hosts in groups.values() for host in hosts})
    problems = check_groups({"all": all_hosts, "ungrouped": [], **groups}, group_names(provided), provided)
    assert {problem.path: problem.hint for problem in problems} == {
        f"openshift_groups.{role}": hint for role, hint in expected.items()
    }


def test_the_message_names_what_was_looked_for_and_what_is_there() -> None:
    (problem,) = check_groups({"all": ["a", "b"], "masters": ["a"], "workers": ["b", "c"]}, group_names({}), {})
    assert problem.text() == (
        "openshift_groups.control_plane: Required value: the group control_plane, from which the control-plane hosts "
        "are taken, does not exist; "
        "the inventory has the groups masters (1 host), workers (2 hosts) "
        "(rename masters to control_plane, or set openshift_groups: {control_plane: masters})"
    )


def test_manifests_are_found_from_the_working_directory_of_the_user(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/user")
    inline = {"name": "a.yaml", "content": {"kind": "ConfigMap"}}
    cluster = {"name": "demo", "extra_manifests": ["manifests", "../x.yaml", "~/y.yaml", "/abs/z.yaml", inline, 7]}
    assert absolute_manifests(cluster, "/srv/site")["extra_manifests"] == [
        "/srv/site/manifests",
        "/srv/x.yaml",
        "/home/user/y.yaml",
        "/abs/z.yaml",
        inline,
        7,
    ]
    assert cluster["extra_manifests"][0] == "manifests"
    for odd in ({}, {"extra_manifests": "one.yaml"}, {"extra_manifests": None}, {"extra_manifests": {"a": 1}}):
        assert absolute_manifests(odd, "/srv").get("extra_manifests") == (
            "/srv/one.yaml" if odd.get("extra_manifests") == "one.yaml" else odd.get("extra_manifests")
        )
