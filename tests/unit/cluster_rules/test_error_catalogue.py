# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test that the error catalogue is complete: it contains exactly once each message that the wrong inputs of the tests
cause, and no other message.
"""

from __future__ import annotations

import dataclasses
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.cluster.profile import NEWEST, ReleaseProfile
from ansible_collections.zerotouch.openshift.plugins.module_utils.cluster.rules.checks import CHECKS
from ansible_collections.zerotouch.openshift.plugins.module_utils.cluster.rules.remedies import REMEDIES, with_remedy
from ansible_collections.zerotouch.openshift.plugins.module_utils.cluster.rules.validate import validate
from ansible_collections.zerotouch.openshift.plugins.module_utils.cluster.upstream.install_config import install_config
from ansible_collections.zerotouch.openshift.plugins.module_utils.cluster.upstream.provided import Provided
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.problems import Problem
from ansible_collections.zerotouch.openshift.tests.docs.error_model import Entry
from ansible_collections.zerotouch.openshift.tests.docs.error_pages import entries
from ansible_collections.zerotouch.openshift.tests.docs.errors_of_packages import PACKAGES
from ansible_collections.zerotouch.openshift.tests.unit.cluster.mistakes import MISTAKES, good_cluster, good_hosts
from ansible_collections.zerotouch.openshift.tests.unit.cluster.reading import from_variables
from ansible_collections.zerotouch.openshift.tests.unit.cluster_rules.base import TODAY, good_deployment
from ansible_collections.zerotouch.openshift.tests.unit.cluster_rules.catalogue import CATALOGUE
from ansible_collections.zerotouch.openshift.tests.unit.cluster_rules.error_cases import DOCUMENTS, problems_of_inputs
from ansible_collections.zerotouch.openshift.tests.unit.cluster_rules.test_own import REFUSED, ports_of_bridge
from ansible_collections.zerotouch.openshift.tests.unit.cluster_rules.test_rules import (
    FENCING_BY_MAC,
    TABLE,
    found_by_mac,
)
from ansible_collections.zerotouch.openshift.tests.unit.cluster_rules.verdict_bases import INSTALL_CONFIGS, changed
from ansible_collections.zerotouch.openshift.tests.unit.cluster_rules.verdict_cases import cases

MODULE_UTILS = Path(__file__).parents[3] / "plugins" / "module_utils"
# Bases of cases of which older releases say something else.
OLDER = {"arbiter": ((4, 21), (4, 18)), "fencing": ((4, 21),), "vsphere-full": ((4, 21),), "sno": ((4, 18),)}


def _ruled() -> Iterator[Problem]:
    for mistake in CATALOGUE:
        yield from validate(mistake.change(good_deployment()), today=TODAY)
    for case in (*TABLE, *REFUSED):
        yield from validate(case[1](good_deployment()), today=TODAY)
    for fenced in FENCING_BY_MAC:
        yield from found_by_mac(fenced[1])
    yield from ports_of_bridge()


def _verdicts() -> Iterator[Problem]:
    """The cases whose verdicts the installer gave."""
    for base, changes in (
        *(case[1:] for case in cases()),
        *((base, [(path, value)]) for base, path, value in DOCUMENTS),
    ):
        document = changed(INSTALL_CONFIGS[base], changes)
        for release in (NEWEST, *OLDER.get(base, ())):
            yield from install_config(Provided.of(document, ReleaseProfile(release)))


def _mistaken() -> Iterator[Problem]:
    for mistake in MISTAKES:
        cluster, hosts = good_cluster(), good_hosts()
        mistake.change(cluster, hosts)
        yield from from_variables(cluster, hosts)[1]


@pytest.fixture(scope="module")
def met(tmp_path_factory: pytest.TempPathFactory) -> list[Problem]:
    """Every problem of every table, each form of it once."""
    found = [*_ruled(), *_verdicts(), *_mistaken(), *problems_of_inputs(tmp_path_factory.mktemp("inputs"))]
    return list(
        {
            (re.sub(r"\d+", "0", problem.path), problem.kind, problem.detail, problem.check): problem
            for problem in found
        }.values()
    )


@pytest.fixture(scope="module")
def matched(met: list[Problem]) -> list[tuple[Problem, list[Entry]]]:
    known = entries()
    return [(problem, [entry for entry in known if entry.matches(problem)]) for problem in met]


def test_there_are_enough_cases(met: list[Problem]) -> None:
    assert len(met) > 300


def test_every_message_is_in_the_catalogue(matched: list[tuple[Problem, list[Entry]]]) -> None:
    assert [problem.text() for problem, found in matched if not found] == []


def test_no_message_is_there_twice(matched: list[tuple[Problem, list[Entry]]]) -> None:
    assert [(problem.text(), [entry.texts for entry in found]) for problem, found in matched if len(found) > 1] == []


def test_each_entry_of_the_catalogue_has_a_case(matched: list[tuple[Problem, list[Entry]]]) -> None:
    used = Counter(id(entry) for _problem, found in matched for entry in found)
    assert [(entry.paths, entry.texts) for entry in entries() if not used[id(entry)]] == []


def test_every_entry_says_what_to_do() -> None:
    assert [entry.texts for entry in entries() if not (entry.correction or entry.check in CHECKS)] == []


@pytest.mark.parametrize("remedy", REMEDIES, ids=lambda remedy: remedy[2])
def test_every_remedy_is_for_a_problem_that_is_met(remedy: tuple[str, str, str], met: list[Problem]) -> None:
    assert remedy[2] in {with_remedy(dataclasses.replace(problem, hint="")).hint for problem in met}


def test_every_check_is_in_the_catalogue() -> None:
    assert set(CHECKS) == {entry.check for entry in entries() if entry.check}


@pytest.mark.parametrize(
    ("package", "text"),
    [(package, message.text) for package, (_title, messages) in PACKAGES.items() for message in messages],
)
def test_messages_of_packages_are_those_of_their_sources(package: str, text: str) -> None:
    sources = "\n".join(path.read_text() for path in (MODULE_UTILS / package).rglob("*.py"))
    parts = [part.strip() for part in text.split("…") if part.strip()]
    assert [part for part in parts if part not in sources] == []
