# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test the validation of a cluster description with single mistakes and with sets of independent mistakes: it finds
each mistake and reports nothing else.
"""

from __future__ import annotations

import datetime
import random

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.cluster.checked import all_problems
from ansible_collections.zerotouch.openshift.plugins.module_utils.cluster.schema import cluster_schema, host_schema
from ansible_collections.zerotouch.openshift.plugins.module_utils.cluster.variables import read_variables
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.problems import Problem
from jsonschema import Draft202012Validator

from .mistakes import MISTAKES, Cluster, Hosts, Mistake, good_cluster, good_hosts

TODAY = datetime.date(2026, 11, 1)


def problems_of(cluster: Cluster, hosts: Hosts) -> list[Problem]:
    """Problems of names, types and rules."""
    return all_problems(read_variables(cluster, hosts), today=TODAY)


def test_the_good_description_has_no_problem() -> None:
    assert problems_of(good_cluster(), good_hosts()) == []
    assert Draft202012Validator(cluster_schema()).is_valid(good_cluster())
    for host in good_hosts():
        own = {key: value for key, value in host.items() if key not in ("inventory_name", "role")}
        assert Draft202012Validator(host_schema()).is_valid(own)


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda mistake: mistake.name)
def test_one_mistake_is_one_error(mistake: Mistake) -> None:
    cluster, hosts = good_cluster(), good_hosts()
    mistake.change(cluster, hosts)
    problems = problems_of(cluster, hosts)
    assert [(problem.path, problem.kind) for problem in problems] == [(mistake.path, mistake.kind)]
    assert mistake.detail in problems[0].text()
    assert problems[0].severity == "error"


HALF = "geheim\ud800"
MANIFEST = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "x"}, "data": {"a": HALF}}
HALVES: list[tuple[str, Cluster, Cluster, str]] = [
    # what, options of the cluster, options of the first host, path
    ("pull secret", {"pull_secret": HALF}, {}, "openshift_cluster.pull_secret"),
    (
        "auth in a pull secret",
        {"pull_secret": {"auths": {"quay.io": {"auth": HALF}}}},
        {},
        "openshift_cluster.pull_secret.auths.quay.io.auth",
    ),
    (
        "content of a manifest",
        {"extra_manifests": [{"name": "a.yaml", "content": HALF}]},
        {},
        "openshift_cluster.extra_manifests[0].content",
    ),
    (
        "value in a manifest",
        {"extra_manifests": [{"name": "a.yaml", "content": MANIFEST}]},
        {},
        "openshift_cluster.extra_manifests[0].content.data.a",
    ),
    (
        "override",
        {"install_config_overrides": {"networking": {"networkType": HALF}}},
        {},
        "openshift_cluster.install_config_overrides.networking.networkType",
    ),
    (
        "key of an override",
        {"install_config_overrides": {"metadata": {HALF: "x"}}},
        {},
        "openshift_cluster.install_config_overrides.metadata",
    ),
    (
        "password of a BMC",
        {},
        {"bmc": {"address": "redfish://192.0.2.1", "password": HALF}},
        "openshift_host[node-1].bmc.password",
    ),
    (
        "description of an interface",
        {},
        {"network_config": {"interfaces": [{"name": "eno1", "description": HALF}]}},
        "openshift_host[node-1].network_config.interfaces[0].description",
    ),
]


@pytest.mark.parametrize(("cluster", "host", "path"), [case[1:] for case in HALVES], ids=[case[0] for case in HALVES])
def test_a_text_that_no_file_can_contain_is_an_error_without_its_value(
    cluster: Cluster, host: Cluster, path: str
) -> None:
    hosts = good_hosts()
    hosts[0] |= host
    problems = problems_of({**good_cluster(), **cluster}, hosts)
    assert [problem.path for problem in problems if "half of a surrogate pair" in problem.text()] == [path]
    assert [problem.path for problem in problems if HALF in str(problem.as_dict())] == []


@pytest.mark.parametrize("seed", range(20))
def test_independent_mistakes_are_all_found(seed: int) -> None:
    draw = random.Random(seed)
    chosen: dict[str, Mistake] = {}
    for mistake in draw.sample(MISTAKES, len(MISTAKES)):
        chosen.setdefault(mistake.where, mistake)
    mistakes = draw.sample(list(chosen.values()), draw.randint(2, 8))
    cluster, hosts = good_cluster(), good_hosts()
    for mistake in sorted(mistakes, key=lambda mistake: mistake.where == "groups"):
        mistake.change(cluster, hosts)
    assert sorted((problem.path, problem.kind) for problem in problems_of(cluster, hosts)) == sorted(
        (mistake.path, mistake.kind) for mistake in mistakes
    )
