# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test the replacement of a node pool's hosts by others (option ``replace_hosts`` of a pool).

The tests share one lab, and each of them begins with a pool of two nodes.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.kube.client import KubeClient

from .conftest import MakeLab
from .hosted import AGENTS, CONFIRMED, Site, agent_of, in_use, labelled, make_site, node_pool, sampled, settled

EXCHANGE = "zerotouch.openshift/exchange"


@pytest.fixture(scope="module")
def whole(make_lab: MakeLab, tmp_path_factory: pytest.TempPathFactory) -> Site:
    site = make_site(make_lab, tmp_path_factory.mktemp("exchange"))
    site.played("deploy_cluster", openshift_node_pool={"replicas": 2})
    return site


@pytest.fixture
def site(whole: Site) -> Iterator[Site]:
    whole.played("scale_node_pool", openshift_node_pool={"replicas": 2, "auto_scaling": {}}, **CONFIRMED)
    yield whole
    whole.lab.clear_faults()


@pytest.fixture(scope="module")
def hub(whole: Site) -> KubeClient:
    return KubeClient.from_kubeconfig(whole.lab.hub_kubeconfig())


@contextlib.contextmanager
def fewest_nodes(site: Site) -> Iterator[list[int]]:
    """The smallest number of Nodes that are Ready meanwhile, as the last item."""
    found = [len(site.nodes())]
    with sampled(lambda: found.append(min(found[-1], len(site.nodes())))):
        yield found


@pytest.mark.parametrize("scaling", [None, {"min": 2, "max": 3}])
def test_another_host_is_a_node_first(site: Site, hub: KubeClient, scaling: dict[str, int] | None) -> None:
    """One run, with a confirmation: a spare machine is booted and becomes a Node, then the host leaves.

    The size and autoscaling are as before.
    """
    settings = {"auto_scaling": scaling} if scaling else {}
    if scaling:
        site.scaled(**settings)
    before, spec = in_use(hub), node_pool(hub)["spec"]
    lost = min(before)
    exchange = {**settings, "replace_hosts": [lost]}
    refused = site.play("scale_node_pool", openshift_node_pool=exchange)
    assert (
        not refused.ok
        and "-e openshift_confirm=guest" in refused.message
        and f"would be replaced: {lost}" in refused.message
    ), refused.output
    planned = site.played("scale_node_pool", "--check", openshift_node_pool=exchange, **CONFIRMED)
    assert (
        f"would drain Node {lost}" in planned.output and f"({lost}): after another host is a Node" in planned.output
    ), planned.output
    assert in_use(hub) == before
    with fewest_nodes(site) as nodes:
        run = site.played("scale_node_pool", openshift_node_pool=exchange, **CONFIRMED)
    assert nodes[-1] == 2, run.output
    after = in_use(hub)
    assert settled(hub, "guest", 2) and len(after) == 2 and lost not in after
    assert node_pool(hub)["spec"] == spec and EXCHANGE not in (node_pool(hub)["metadata"].get("annotations") or {})


@pytest.mark.parametrize("again", [True, False])
def test_an_exchange_that_was_killed_is_completed(site: Site, hub: KubeClient, again: bool) -> None:
    """By the same run, or by one that knows nothing of it and has no confirmation.

    No other host leaves, and no machine is booted twice.
    """
    before = in_use(hub)
    lost = min(before)
    pool = {"replace_hosts": [lost]}
    output = site.killed(
        "scale_node_pool", "Nodes are Ready besides those that leave", openshift_node_pool=pool, **CONFIRMED
    )
    assert node_pool(hub)["spec"]["replicas"] == 3, output
    booted = site.images(but=lost)
    with fewest_nodes(site) as nodes:
        run = site.played("scale_node_pool", openshift_node_pool=pool, **CONFIRMED) if again else site.scaled()
    assert nodes[-1] >= 2, run.output
    after = in_use(hub)
    assert settled(hub, "guest", 2) and len(after) == 2 and after > before - {lost}
    assert EXCHANGE not in (node_pool(hub)["metadata"].get("annotations") or {})
    assert site.images(but=lost) == booted, run.output


@pytest.mark.parametrize("reclaimed", [True, False])
def test_a_bmc_that_does_not_answer_keeps_no_host(site: Site, hub: KubeClient, reclaimed: bool) -> None:
    """The exchange is completed. The run fails at its end and names the host, as its power state is not known."""
    lost = min(in_use(hub))
    machine = lost.partition(".")[0]
    site.lab.fault("bmc-down", machine, count=0)
    if not reclaimed:
        site.lab.fault("reclaim-fails", machine, count=0)
    run = site.play("scale_node_pool", openshift_node_pool={"replace_hosts": [lost]}, **CONFIRMED)
    assert not run.ok and run.message.startswith(
        f"{lost} were removed from the pool, but the power state of the machines is unknown"
    ), run.output
    assert "run scale_node_pool again" in run.message
    assert settled(hub, "guest", 2) and lost not in in_use(hub)
    site.lab.clear_faults()
    site.scaled()
    assert site.scaled().changed == 0


def test_the_only_host_is_exchanged_for_itself(site: Site, hub: KubeClient) -> None:
    """No other machine is for this pool: its host leaves, boots through its BMC, and is installed again."""
    site.scaled(name="plain", replicas=1)
    (name,) = labelled(hub, "plain")
    pool = {"name": "plain", "replace_hosts": [name], "candidates": {"matchLabels": {"only": "this"}}}
    hub.merge_patch(f"{AGENTS}/{agent_of(hub, name)}", {"metadata": {"labels": {"only": "this"}}})
    refused = site.play("scale_node_pool", openshift_node_pool={**pool, "replace_order": "surge"}, **CONFIRMED)
    assert not refused.ok and "1 host is missing" in refused.message, refused.output
    site.lab.fault("reclaim-fails", name.partition(".")[0], count=0)
    writes = site.lab.writes()
    site.played("scale_node_pool", openshift_node_pool=pool, **CONFIRMED)
    assert list(labelled(hub, "plain").items()) == [(name, False)] and settled(hub, "plain", 1)
    assert site.lab.writes() != writes
