# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""The door deployment_check: known mistakes and those of the configuration, each once."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.door import Call, perform
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.problems import INVALID, Problem
from ansible_collections.zerotouch.openshift.plugins.modules import deployment_check
from ansible_collections.zerotouch.openshift.tests.unit.cluster.mistakes import good_cluster, good_hosts

KNOWN = Problem("openshift_timeouts.boot", INVALID, "must be a number", layer="ours", check="settings").as_dict()
CLUSTER = {"name": "demo", "base_domain": "example.com", "version": "4.22.0", "pull_secret": "not JSON at all, geheim"}


def opened(**given: Any) -> dict[str, Any]:
    params = {name: spec.get("default") for name, spec in deployment_check.argument_spec()["input"]["options"].items()}
    return perform(deployment_check.run, Call({"input": params | given}))


def test_nothing_wrong_and_nothing_to_look_at() -> None:
    result = opened()
    assert (result["failed"], result["changed"]) == (False, False)


def test_what_is_known_is_told_also_where_no_configuration_can_be_looked_at() -> None:
    result = opened(problems=[KNOWN])
    assert result["failed"] and result["problems"] == [KNOWN]
    assert result["msg"] == "openshift_timeouts.boot: Invalid value: must be a number"


def test_both_kinds_in_one_round_and_no_secret() -> None:
    result = opened(problems=[KNOWN], cluster=CLUSTER)
    assert result["problems"][0] == KNOWN
    assert "openshift_cluster.pull_secret" in [problem["path"] for problem in result["problems"]]
    assert "geheim" not in str(result)


def test_whoever_checks_need_not_be_root(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is going to be written, so that nobody asks where one may write."""
    monkeypatch.setattr("os.access", lambda *arguments, **options: False)
    result = opened(cluster=good_cluster(), hosts=good_hosts())
    assert result["failed"] is False, result["msg"]


@pytest.mark.parametrize("checks", [{}, {"no-such-check": "off"}])
def test_files(tmp_path: Path, checks: dict[str, str]) -> None:
    result = opened(source_dir=str(tmp_path), version="4.22.0", checks=checks)
    assert result["failed"] and "install-config.yaml" in result["msg"]
    assert ("openshift_checks.no-such-check" in result["msg"]) is bool(checks)
