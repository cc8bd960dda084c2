# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Run playbooks for different pools in parallel: each run has a separate work directory, and all of them share the same
Agents and spare machines.
"""

from __future__ import annotations

import threading

import pytest

from .conftest import MakeLab
from .hosted import Site, make_site
from .lab import Run


@pytest.fixture(scope="module")
def site(make_lab: MakeLab, tmp_path_factory: pytest.TempPathFactory) -> Site:
    site = make_site(make_lab, tmp_path_factory.mktemp("parallel"))
    site.played("deploy_cluster", openshift_node_pool={"replicas": 0})
    return site


def together(site: Site, *pools: dict[str, object], work_dirs: str) -> list[Run]:
    """Runs that start at the same time.

    The directories are beside each other, or on machines that do not see those of others.
    """
    runs: dict[int, Run] = {}

    def scale(number: int, pool: dict[str, object]) -> None:
        where = site.deployment.work_dir.parent / work_dirs.format(number)
        variables = {"openshift_node_pool": pool, "openshift_work_dir": str(where)}
        runs[number] = site.deployment.run("scale_node_pool", extra=variables)

    threads = [threading.Thread(target=scale, args=each) for each in enumerate(pools)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return [runs[number] for number in range(len(pools))]


@pytest.mark.parametrize(("name", "work_dirs", "nodes"), [("beside", "beside-{}", 2), ("alone", "alone-{}/guest", 4)])
def test_runs_that_start_together_use_different_hosts(site: Site, name: str, work_dirs: str, nodes: int) -> None:
    before = site.lab.boots()
    runs = together(site, *({"name": f"{name}-{number}", "replicas": 1} for number in range(2)), work_dirs=work_dirs)
    assert all(run.ok for run in runs), "\n----\n".join(run.output for run in runs)
    assert len(site.nodes()) == nodes
    booted = [boots[len(before[name]) :] for name, boots in site.lab.boots().items()]
    images = [sum(not boot.startswith("disk") for boot in boots) for boots in booted]
    # Runs that do not see each other's records may boot the same machine in the same moment.
    assert name == "alone" or sorted(images) == [0, 0, 0, 0, 1, 1], booted


def test_a_host_that_does_not_register_is_named(site: Site) -> None:
    for name in site.lab.boots():
        site.lab.fault("no-link", name, count=0)
    pool = {"name": "silent", "replicas": 1}
    run = site.play("scale_node_pool", openshift_node_pool=pool, openshift_timeouts={"discovery": 60})
    reason = [line for line in run.output.splitlines() if line.startswith("fatal: ")][-1]
    assert not run.ok and "1 of 1 hosts failed:" in reason and "not ready within 60 s" in reason, run.output
