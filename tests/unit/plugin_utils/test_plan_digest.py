# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test the digest of a plan: it changes if a run would do something else, and for no other reason."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import pytest
from ansible import constants as C
from ansible.errors import AnsibleFilterError
from ansible_collections.zerotouch.openshift.plugins.filter.plan_digest import plan_digest
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.entry_point import Call
from ansible_collections.zerotouch.openshift.plugins.plugin_utils.inventory import Inventory
from ansible_collections.zerotouch.openshift.plugins.plugin_utils.plan_journal import add_lines, read_lines, shortened
from ansible_collections.zerotouch.openshift.plugins.plugin_utils.resolved import resolve

BMC = {"address": "redfish-virtualmedia://10.0.0.1", "username": "admin", "password": "a-password-of-a-bmc"}
HOST = {"bmc": BMC, "interfaces": [{"name": "eth0", "mac_address": "52:54:00:00:00:01"}]}
DECIDED = {"boot": ["b", "a"], "wait": True}


def resolved(host: dict[str, Any] | None = None, **variables: Any) -> dict[str, Any]:
    everything = {
        "openshift_cluster": {"name": "demo", "version": "4.22.0"},
        "openshift_base_image": {"path": "base.iso"},
        **variables,
    }
    hostvars = {"node-1": {**everything, "openshift_host": host or HOST}}
    return resolve(
        Inventory({**everything, "groups": {"workers": ["node-1"]}, "hostvars": hostvars}, lambda value: value),
        building=True,
    )


@pytest.mark.parametrize(
    "variables",
    [
        {"openshift_work_dir": "/elsewhere"},
        {"openshift_timeouts": {"boot": 7}},
        {"openshift_base_image": {"path": "/runner/env/other.iso"}},
        {"openshift_connect_to": {"a.example.com": "127.0.0.1"}},
        {"openshift_confirm": "demo"},
        {"openshift_plan_digest": "0" * 64},
        {"host": {**HOST, "bmc": {**BMC, "password": "another-password-of-it"}}},
    ],
    ids=str,
)
def test_what_does_not_count(variables: dict[str, Any]) -> None:
    assert plan_digest(resolved(**variables), DECIDED) == plan_digest(resolved(), DECIDED)


@pytest.mark.parametrize(
    "variables",
    [
        {"openshift_cluster": {"name": "demo", "version": "4.22.1"}},
        {"openshift_base_image": {"url": "http://x/y.iso", "sha256": "0" * 64}},
        {"openshift_force": ["rebuild_image"]},
        {"openshift_version": "4.22.2"},
        {"host": {**HOST, "interfaces": [{"name": "eth0", "mac_address": "52:54:00:00:00:02"}]}},
        {"host": {**HOST, "bmc": {**BMC, "address": "redfish-virtualmedia://10.0.0.2"}}},
    ],
    ids=str,
)
def test_what_counts(variables: dict[str, Any]) -> None:
    assert plan_digest(resolved(**variables), DECIDED) != plan_digest(resolved(), DECIDED)


def test_the_file_of_a_certificate_does_not_count() -> None:
    data = resolved()
    data["hosts"][0]["bmc"]["ca_cert"] = "/runner/env/tmp1"
    assert plan_digest(data, DECIDED) == plan_digest(resolved(), DECIDED)


@pytest.mark.parametrize(
    "decided", [{}, {**DECIDED, "boot": ["a"]}, {**DECIDED, "wait": False}, {**DECIDED, "forced": ["a"]}]
)
def test_decisions_count(decided: dict[str, Any]) -> None:
    assert plan_digest(resolved(), decided) != plan_digest(resolved(), DECIDED)


def test_the_order_of_hosts_does_not_count_and_input_stays() -> None:
    data = resolved()
    before = copy.deepcopy(data)
    assert plan_digest(data, DECIDED) == plan_digest(data, {**DECIDED, "boot": ["a", "b"]})
    assert data == before


def test_files_of_the_user_count(tmp_path: Path) -> None:
    data = resolved()
    data["settings"]["source_dir"] = str(tmp_path)
    (tmp_path / "openshift").mkdir()
    (tmp_path / "openshift" / "a.yaml").write_text("a")
    one = plan_digest(data, {})
    (tmp_path / "openshift" / "a.yaml").write_text("b")
    assert plan_digest(data, {}) != one


@pytest.mark.parametrize(("data", "decisions"), [({}, {}), ([], {}), ({"settings": {}}, [1])])
def test_other_data(data: Any, decisions: Any) -> None:
    with pytest.raises(AnsibleFilterError, match="plan_digest takes"):
        plan_digest(data, decisions)


def test_lines_of_a_plan_are_kept_without_secrets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(C, "DEFAULT_LOCAL_TMP", str(tmp_path))
    assert read_lines() == []
    call = Call({}, check_mode=True)
    call.add_secrets(["a-long-secret-word"])
    call.plan(["boot a", "write a-long-secret-word"])
    add_lines(call.planned)
    add_lines(["would write two\nlines"])
    assert read_lines() == ["would boot a", "would write <hidden>", "would write two lines"]
    assert (tmp_path / "zerotouch-plan").stat().st_mode & 0o077 == 0


def test_a_run_has_no_plan() -> None:
    call = Call({})
    call.plan(["boot a"])
    assert call.planned == []


def test_a_long_plan_is_cut() -> None:
    assert shortened(["1234", "5678"], 8) == ["1234", "5678"]
    assert shortened(["1234", "5678", "9"], 8) == ["1234", "5678", "… and 1 more lines"]
