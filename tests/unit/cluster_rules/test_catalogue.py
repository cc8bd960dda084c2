# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test validation with the mistakes of catalogue.py: each mistake gives exactly one problem (path, kind), and k
independent mistakes give exactly their k problems.
"""

from __future__ import annotations

import random

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.cluster.rules.validate import validate
from ansible_collections.zerotouch.openshift.tests.unit.cluster_rules.catalogue import (
    CATALOGUE,
    TODAY,
    Mistake,
    good_deployment,
    independent,
)


def test_the_good_deployment_is_good() -> None:
    assert validate(good_deployment(), today=TODAY) == []


def test_the_catalogue_is_large_enough() -> None:
    assert len(CATALOGUE) >= 60
    assert len({mistake.name for mistake in CATALOGUE}) == len(CATALOGUE)


@pytest.mark.parametrize("mistake", CATALOGUE, ids=lambda mistake: mistake.name)
def test_one_mistake_gives_one_problem(mistake: Mistake) -> None:
    problems = validate(mistake.change(good_deployment()), today=TODAY)
    assert {(problem.path, problem.kind) for problem in problems} == {mistake.expected}, [
        problem.text() for problem in problems
    ]
    assert {problem.check for problem in problems} == {mistake.check}


@pytest.mark.parametrize("seed", range(60))
def test_independent_mistakes_give_exactly_theirs(seed: int) -> None:
    chooser = random.Random(seed)
    chosen = independent(list(CATALOGUE), chooser, chooser.randint(2, 12))
    deployment = good_deployment()
    for mistake in chosen:
        deployment = mistake.change(deployment)
    problems = validate(deployment, today=TODAY)
    assert {(problem.path, problem.kind) for problem in problems} == {mistake.expected for mistake in chosen}, [
        mistake.name for mistake in chosen
    ]
