# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test the upgrade of a hosted cluster with its pools, wave by wave, in one run of deploy_cluster."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.kube.client import KubeClient

from .conftest import MakeLab
from .hosted import HOSTED_CLUSTER, POOLS, Site, make_site, node_pool, sampled, settled

NEW = "4.22.1"
WAVES: dict[str, int | None] = {"first": 1, "also-first": 1, "second": 2, "stays": None}


def pools() -> list[dict[str, Any]]:
    return [{"name": name, "replicas": 1, **({"upgrade_wave": wave} if wave else {})} for name, wave in WAVES.items()]


VARIABLES = {
    "openshift_version": NEW,
    "openshift_node_pool": {"replicas": 1},
    "openshift_node_pools": [*pools(), {"name": "missing", "upgrade_wave": 1}],
}


@pytest.fixture(scope="module")
def site(make_lab: MakeLab, tmp_path_factory: pytest.TempPathFactory) -> Site:
    site = make_site(make_lab, tmp_path_factory.mktemp("waves"))
    site.played("deploy_cluster", openshift_node_pool={"replicas": 1})
    site.played("scale_node_pool", openshift_node_pools=pools())
    return site


@contextlib.contextmanager
def seen(hub: KubeClient) -> Iterator[list[tuple[bool, frozenset[str], frozenset[str]]]]:
    """Whether the control plane has the release, which pools are to have it, and which have it: each combination that
    occurred, in order.
    """
    found: list[tuple[bool, frozenset[str], frozenset[str]]] = []

    def look() -> None:
        version = hub.get(HOSTED_CLUSTER)["status"]["version"]["history"][0]
        items = {each["metadata"]["name"]: each for each in hub.list(POOLS)}
        asked = frozenset(name for name, each in items.items() if NEW in each["spec"]["release"]["image"])
        have = frozenset(name for name, each in items.items() if each["status"].get("version") == NEW)
        state = (version["version"] == NEW and version["state"] == "Completed", asked, have)
        if not found or found[-1] != state:
            found.append(state)

    with sampled(look):
        yield found


def test_pools_follow_their_control_plane_in_waves(site: Site) -> None:
    hub = KubeClient.from_kubeconfig(site.lab.hub_kubeconfig())
    planned = site.played("deploy_cluster", "--check", **VARIABLES)
    assert planned.output.index("would upgrade first, also-first, missing when") < planned.output.index(
        "would upgrade second when"
    ), planned.output
    assert NEW not in str(hub.list(POOLS))
    with seen(hub) as states:
        run = site.played("deploy_cluster", **VARIABLES)
    for complete, asked, have in states:
        assert complete or not asked, states
        assert "second" not in asked or {"first", "also-first"} <= have, states
    # Both pools of a wave are started before one of them is waited for.
    assert (
        run.output.index("TASK [Start the upgrades")
        < run.output.index("(item=also-first)")
        < run.output.index("TASK [Upgrade the pools and wait until they are ready]")
    ), run.output
    assert states[-1][2] == {"first", "also-first", "second"}, run.output
    assert all(settled(hub, name, 1) for name in (*WAVES, "guest"))
    assert node_pool(hub, "stays")["status"]["version"] != NEW and hub.find(f"{POOLS}/missing") is None


def test_the_next_run_changes_nothing(site: Site) -> None:
    again = site.played("deploy_cluster", **VARIABLES)
    assert again.changed == 0, again.output


def test_a_pool_that_would_be_ahead_is_refused_before_anything_is_written(site: Site) -> None:
    hub = KubeClient.from_kubeconfig(site.lab.hub_kubeconfig())
    before = hub.get(HOSTED_CLUSTER)["spec"], hub.list(POOLS)
    pool = {"release_image": "quay.io/openshift-release-dev/ocp-release:4.22.9-x86_64"}
    run = site.play("deploy_cluster", openshift_version="4.22.2", openshift_node_pool=pool)
    assert not run.ok and "4.22.9 is newer than the control plane, which gets 4.22.2" in run.output, run.output
    assert (hub.get(HOSTED_CLUSTER)["spec"], hub.list(POOLS)) == before
