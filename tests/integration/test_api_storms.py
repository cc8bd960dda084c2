# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test playbooks with a hub whose API answers some requests with 409, 410, 429 or 500: each run still reaches the
desired state, and boots each machine only once.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from .conftest import MakeLab
from .hosted import Site as HostedSite
from .hosted import make_site as make_hosted_site
from .lab import Lab
from .test_hub import Site as HubSite
from .test_hub import canary_pull_secret
from .test_hub import make_site as make_hub_site

pytestmark = pytest.mark.long

KINDS = ("api-409", "api-410", "api-429", "api-500")
SHARES = (5, 20)


@pytest.fixture(scope="module")
def hosted(make_lab: MakeLab, tmp_path_factory: pytest.TempPathFactory) -> HostedSite:
    return make_hosted_site(make_lab, tmp_path_factory.mktemp("hosted"))


@pytest.fixture(scope="module")
def hub(make_lab: MakeLab, tmp_path_factory: pytest.TempPathFactory) -> HubSite:
    return make_hub_site(make_lab, tmp_path_factory.mktemp("hub"))


@pytest.fixture
def calm() -> Iterator[list[Lab]]:
    """Labs whose faults end with the test."""
    labs: list[Lab] = []
    yield labs
    for lab in labs:
        lab.clear_faults()


def storm(lab: Lab, percent: int, calm: list[Lab]) -> None:
    calm.append(lab)
    for kind in KINDS:
        lab.fault(kind, count=0, percent=percent)


def bitten(lab: Lab) -> dict[str, int]:
    return {fault["kind"]: int(fault["taken"]) for fault in lab.status()["faults"]}


def booted(lab: Lab) -> dict[str, int]:
    """How often each machine has booted an image from its BMC."""
    return {name: sum(boot.startswith("cd:") for boot in boots) for name, boots in lab.boots().items()}


@pytest.mark.parametrize(("percent", "replicas"), [(SHARES[0], 2), (SHARES[1], 4)])
def test_a_pool_grows(hosted: HostedSite, calm: list[Lab], percent: int, replicas: int) -> None:
    hosted.played("deploy_cluster")
    storm(hosted.lab, percent, calm)
    hosted.scaled(replicas=replicas)
    taken = bitten(hosted.lab)
    assert taken["api-500"] and taken["api-429"], taken
    hosted.lab.clear_faults()
    assert len(hosted.nodes()) == replicas
    boots = [count for count in booted(hosted.lab).values() if count]
    assert boots == [1] * replicas, hosted.lab.boots()
    again = hosted.scaled(replicas=replicas)
    assert again.changed == 0, again.output


@pytest.mark.parametrize(("percent", "names"), [(SHARES[0], ["worker-0", "worker-1"]), (SHARES[1], [])])
def test_hosts_become_agents(hub: HubSite, calm: list[Lab], percent: int, names: list[str]) -> None:
    infra_env = {"pull_secret": canary_pull_secret(hub)}
    chosen = {"openshift_hosts": names} if names else {}
    storm(hub.lab, percent, calm)
    hub.played("add_hosts", binding="none", openshift_infra_env=infra_env, **chosen)
    taken = bitten(hub.lab)
    assert taken["api-500"] and taken["api-429"], taken
    hub.lab.clear_faults()
    expected = set(names) or set(hub.lab.boots())
    assert set(hub.agents()) == expected
    assert {name for name, count in booted(hub.lab).items() if count == 1} == expected, hub.lab.boots()
    again = hub.played("add_hosts", binding="none", openshift_infra_env=infra_env, **chosen)
    assert again.changed == 0, again.output
