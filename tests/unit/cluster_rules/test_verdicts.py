# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Compare validation with recorded messages of openshift-install: in each case it reports the same problems, with the
same words, in the same order.

The cases are the directories that verdict_cases.py describes. The installer was built from source in November 2025
(between 4.20 and 4.21). verdicts_2026.json has only the messages that were different in August 2026; validation for
4.23 and 5.0 is compared with these. The two capabilities that were added in July 2026 are from openshift/api
(config/v1/types_cluster_version.go, release-4.23).
"""

from __future__ import annotations

import datetime
import json
import warnings
from pathlib import Path
from typing import Any

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.cluster.checked import all_problems
from ansible_collections.zerotouch.openshift.plugins.module_utils.cluster.files import read_directory
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.problems import Problem
from ansible_collections.zerotouch.openshift.tests.unit.cluster_rules.verdict_bases import (
    AGENT_CONFIG,
    INSTALL_CONFIGS,
    NO_HOSTS,
    Change,
    changed,
)
from ansible_collections.zerotouch.openshift.tests.unit.cluster_rules.verdict_cases import agent_cases, cases

VERDICTS: dict[str, list[list[str]]] = json.loads((Path(__file__).parent / "verdicts.json").read_text())
LATER_VERDICTS: dict[str, list[list[str]]] = {
    **VERDICTS,
    **json.loads((Path(__file__).parent / "verdicts_2026.json").read_text()),
}
RELEASE = "4.20.0"
# The installer stops here with a traceback, or at what the machine that it runs on lacks.
NOT_COMPARED = ('none: networking.ovnKubernetesConfig.ipv4.internalJoinSubnet="fd99::/64"',)
# Found when it makes the manifests of a right install-config.yaml, after what was recorded.
LATER = ("must be at most", "not large enough to accommodate", "missing rendezvousIP")


def said(tmp_path: Path, install: dict[str, Any], agent: dict[str, Any], version: str = RELEASE) -> list[list[str]]:
    (tmp_path / "install-config.yaml").write_text(json.dumps(install))
    (tmp_path / "agent-config.yaml").write_text(json.dumps(agent))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the library that reads certificates
        parsed = read_directory(
            tmp_path, version=version, release_image="quay.io/openshift-release-dev/ocp-release@sha256:" + "0" * 64
        )
        problems = all_problems(parsed, today=datetime.date(2026, 6, 1))
    found = [
        _entry(problem)
        for problem in problems
        if problem.severity == "error" and problem.layer == "installer" and not _is_later(problem)
    ]
    return [entry for index, entry in enumerate(found) if entry not in found[:index]]


def _entry(problem: Problem) -> list[str]:
    detail = problem.detail
    if "hosts defined" in detail:
        return ["", "", detail]  # no field in the installer's words
    # The installer lists some values in the order of a map.
    head = "supported values: "
    return [
        problem.path,
        problem.kind,
        head + ", ".join(sorted(detail.removeprefix(head).split(", "))) if detail.startswith(head) else detail,
    ]


def _is_later(problem: Problem) -> bool:
    return any(words in problem.detail for words in LATER)


CASES = [case for case in cases() if case[0] not in NOT_COMPARED]


def test_there_is_a_recording_for_each_case() -> None:
    names = {case[0] for case in cases()} | {case[0] for case in agent_cases()}
    assert names == set(VERDICTS)
    assert len(names) == len(cases()) + len(agent_cases()) > 700
    assert sum(1 for found in VERDICTS.values() if found) > 400


@pytest.mark.parametrize(
    ("version", "verdicts"),
    [(RELEASE, VERDICTS), ("4.23.0", LATER_VERDICTS), ("5.0.0", LATER_VERDICTS)],
    ids=["4.20", "4.23", "5.0"],
)
@pytest.mark.parametrize("chunk", range(10))
def test_the_same_problems_in_the_same_order(
    tmp_path: Path, version: str, verdicts: dict[str, list[list[str]]], chunk: int
) -> None:
    """In parts: one test for each of hundreds of cases costs more than the cases."""
    for name, base, changes in CASES[chunk::10]:
        found = said(tmp_path, changed(INSTALL_CONFIGS[base], changes), NO_HOSTS, version)
        # What is wrong with the hosts as well comes after it: the installer does not get that far.
        expected = verdicts[name]
        assert (found[: len(expected)] == expected) and (bool(found) is bool(expected)), (name, found, expected)


@pytest.mark.parametrize(("name", "install", "changes"), agent_cases(), ids=[case[0] for case in agent_cases()])
def test_agent_config_and_hosts(tmp_path: Path, name: str, install: list[Change], changes: list[Change]) -> None:
    found = said(tmp_path, changed(INSTALL_CONFIGS["none"], install), changed(AGENT_CONFIG, changes))
    assert found[: len(VERDICTS[name])] == VERDICTS[name]
    assert bool(found) is bool(VERDICTS[name])


def test_files_come_in_the_installers_order(tmp_path: Path) -> None:
    install = changed(
        INSTALL_CONFIGS["none"],
        [("metadata.name", "_"), ("networking.clusterNetwork[0].hostPrefix", 26), ("compute[0].replicas", 1)],
    )
    agent = changed(AGENT_CONFIG, [("rendezvousIP", "x"), ("hosts[0].interfaces", []), ("hosts[1].colour", "blue")])
    (tmp_path / "install-config.yaml").write_text(json.dumps(install))
    (tmp_path / "agent-config.yaml").write_text(json.dumps(agent))
    parsed = read_directory(
        tmp_path, version=RELEASE, release_image="quay.io/openshift-release-dev/ocp-release@sha256:" + "0" * 64
    )
    found = [
        (problem.path, problem.layer)
        for problem in all_problems(parsed, today=datetime.date(2026, 6, 1))
        if problem.severity == "error"
    ]
    assert found == [
        ("metadata.name", "installer"),
        ("hosts[1].colour", "installer"),
        # Found with the manifests, after the hosts.
        ("spec.networking.clusterNetwork[0].hostPrefix", "installer"),
        # Of a file that it cannot read, the installer says no more.
        ("rendezvousIP", "ours"),
        ("hosts[0].interfaces", "ours"),
        ("hosts", "ours"),
    ]


@pytest.mark.parametrize("version", ["", "v2", None])
def test_a_wrong_version_ends_the_checks_of_its_file(tmp_path: Path, version: str | None) -> None:
    install = changed(INSTALL_CONFIGS["none"], [("apiVersion", version), ("metadata.name", "_"), ("publish", "x")])
    assert [entry[0] for entry in said(tmp_path, install, NO_HOSTS)] == ["apiVersion"]
    agent = changed(AGENT_CONFIG, [("apiVersion", version), ("rendezvousIP", "x")])
    assert [entry[0] for entry in said(tmp_path, INSTALL_CONFIGS["none"], agent)] == ["apiVersion"]


def test_an_empty_network_config_is_refused(tmp_path: Path) -> None:
    agent = changed(AGENT_CONFIG, [("hosts[0].networkConfig", {})])
    found = said(tmp_path, INSTALL_CONFIGS["none"], agent)
    assert found == [
        ["hosts[0].networkConfig", "Invalid value", ("nmstate generated an empty NetworkManager config file content")]
    ]


def test_one_field_in_two_spellings_is_reported_by_us(tmp_path: Path) -> None:
    """The installer takes the last one."""
    assert said(tmp_path, {**INSTALL_CONFIGS["none"], "BaseDomain": "example.org"}, NO_HOSTS) == []
