# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test module deployment_settings as Ansible runs it: only in Ansible's own process, with the variables of the task,
and without printing the result.
"""

from __future__ import annotations

import importlib
from types import SimpleNamespace
from typing import Any

import pytest
from ansible_collections.zerotouch.openshift.tests.unit.plugin_utils.test_resolved import BMC, inventory

PASSWORD = "correct-horse-battery"
HOST = {"bmc": {**BMC, "password": PASSWORD}, "interfaces": [{"name": "eth0", "mac_address": "52:54:00:00:00:01"}]}


def run(
    variables: dict[str, Any], monkeypatch: pytest.MonkeyPatch, **arguments: Any
) -> tuple[dict[str, Any], list[str]]:
    """The result of the action with another user and connection, and the lines that it printed."""
    module = importlib.import_module("ansible_collections.zerotouch.openshift.plugins.action.deployment_settings")
    lines: list[str] = []
    task = {
        "action": "zerotouch.openshift.deployment_settings",
        "args": arguments,
        "check_mode": False,
        "diff": False,
        "async_val": 0,
        "environment": [],
    }
    connection = SimpleNamespace(
        transport="ssh",
        become=SimpleNamespace(name="sudo"),
        _shell=SimpleNamespace(tmpdir="", env_prefix=lambda **provided: ""),
    )
    templar = SimpleNamespace(template=lambda value: value)
    action = module.ActionModule(
        SimpleNamespace(name="", no_log=False, delegate_to=None, **task), connection, None, None, templar, None
    )
    action._display = SimpleNamespace(
        verbosity=3, warning=lines.append, display=lambda line, stderr=False: lines.append(line), vvv=lines.append
    )
    return dict(action.run(task_vars=variables)), lines


def test_the_result_is_registered_and_not_printed(monkeypatch: pytest.MonkeyPatch) -> None:
    result, lines = run(inventory({"node-1": HOST}), monkeypatch, building=False)
    assert result["failed"] is result["changed"] is False
    assert result["_ansible_no_log"] is True and PASSWORD not in str(lines)
    assert result["deployment"]["hosts"][0]["bmc"]["password"] == PASSWORD


def test_a_failure_is_printed_without_secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    host = {**HOST, "hostname": 7, "bmc": {**HOST["bmc"], "address": f"ipmi://{PASSWORD}"}}
    result, lines = run(inventory({"node-1": host}), monkeypatch)
    assert result["failed"] and "_ansible_no_log" not in result
    assert "openshift_host[node-1].hostname: Invalid value" in result["msg"]
    assert PASSWORD not in str(result) + str(lines)


def test_a_playbook_that_the_method_does_not_have(monkeypatch: pytest.MonkeyPatch) -> None:
    result, _lines = run(inventory({"node-1": HOST}), monkeypatch, building=False, playbook="remove_hosts")
    assert result["failed"] and "method agent has no playbook remove_hosts" in result["msg"]


def test_connections_are_printed_on_request(monkeypatch: pytest.MonkeyPatch) -> None:
    variables = inventory(
        {"node-1": HOST}, openshift_hub={"host": "https://hub.example.com:6443", "api_key": "geheim-geheim"}
    )
    result, lines = run(variables, monkeypatch, building=False, show_connections=True)
    assert not result["failed"], result["msg"]
    assert lines == result["connections"] and "hub.example.com" in lines[0] and "geheim" not in str(lines)
    assert run(variables, monkeypatch, building=False)[0]["connections"] == []


def test_a_wrong_argument(monkeypatch: pytest.MonkeyPatch) -> None:
    result, _lines = run(inventory({"node-1": HOST}), monkeypatch, bilding=True)
    assert result["failed"] and "Unsupported parameters" in result["msg"]
