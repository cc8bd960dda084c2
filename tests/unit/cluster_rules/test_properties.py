# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test validation with random clusters: a valid cluster has no problem and its files read back unchanged, and any
single mistake made in it is found.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.cluster.files import from_directory
from ansible_collections.zerotouch.openshift.plugins.module_utils.cluster.render import render_files
from ansible_collections.zerotouch.openshift.plugins.module_utils.cluster.rendezvous import with_rendezvous_ip
from ansible_collections.zerotouch.openshift.plugins.module_utils.cluster.rules.validate import validate
from ansible_collections.zerotouch.openshift.plugins.module_utils.cluster.spec import Deployment
from ansible_collections.zerotouch.openshift.tests.unit.cluster.reading import as_files_hold_it
from ansible_collections.zerotouch.openshift.tests.unit.cluster_rules.base import TODAY
from ansible_collections.zerotouch.openshift.tests.unit.cluster_rules.mutations import MUTATIONS, Mutation
from ansible_collections.zerotouch.openshift.tests.unit.cluster_rules.valid_clusters import (
    PLATFORMS,
    STACKS,
    TOPOLOGIES,
    kinds,
    valid_deployments,
)
from hypothesis import HealthCheck, Phase, find, given, settings
from hypothesis import strategies as st

_SETTINGS = settings(
    max_examples=80,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
_FEW = settings(_SETTINGS, max_examples=3)


def texts(deployment: Deployment) -> list[str]:
    return [problem.text() for problem in validate(deployment, today=TODAY)]


@_SETTINGS
@given(valid_deployments())
def test_a_valid_cluster_is_found_valid_and_reads_back_as_it_is(deployment: Deployment) -> None:
    assert texts(deployment) == []
    files = render_files(deployment)
    with tempfile.TemporaryDirectory() as directory:
        for name, content in files.items():
            path = Path(directory) / name
            path.parent.mkdir(exist_ok=True)
            path.write_text(content)
        found, problems = from_directory(Path(directory))
    assert [problem.text() for problem in problems] == []
    assert found == with_rendezvous_ip(as_files_hold_it(deployment))
    assert found is not None and texts(found) == []
    assert render_files(found) == files


@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda mutation: mutation.name)
@_FEW
@given(data=st.data())
def test_a_single_mistake_is_found(mutation: Mutation, data: st.DataObject) -> None:
    deployment = data.draw(valid_deployments().filter(mutation.applies))
    changed, expected = mutation.make(deployment, data.draw)
    problems = [(problem.path, problem.kind) for problem in validate(changed, today=TODAY)]
    assert expected in problems, problems


def test_every_kind_of_cluster_is_drawn() -> None:
    """Otherwise the properties hold of nothing."""
    seen: set[str] = set()

    @settings(_SETTINGS, phases=[Phase.generate])
    @given(kinds())
    def look(kind: tuple[str, str, str]) -> None:
        seen.update(kind)

    look()
    assert seen == {*PLATFORMS, *TOPOLOGIES, *STACKS}


@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda mutation: mutation.name)
def test_every_mutation_has_a_cluster_to_be_made_in(mutation: Mutation) -> None:
    assert find(
        valid_deployments(), mutation.applies, settings=settings(_SETTINGS, phases=[Phase.generate], max_examples=400)
    )
