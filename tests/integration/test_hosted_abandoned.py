# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test a hosted cluster whose hub no longer responds: destroy_cluster abandons it, powers off its recorded machines,
and does not change other machines.
"""

from __future__ import annotations

from pathlib import Path

from .conftest import MakeLab
from .hosted import CONFIRMED, changed, make_site

GONE = {"openshift_hub": {"host": "https://127.0.0.1:1", "api_key": "none", "namespace": "fleet", "infra_env": "fleet"}}


def test_a_hub_that_does_not_answer_is_abandoned(make_lab: MakeLab, tmp_path: Path) -> None:
    site = make_site(make_lab, tmp_path)
    site.played("deploy_cluster", openshift_node_pool={"replicas": 1})
    writes = site.lab.writes()
    stopped = site.play("destroy_cluster", **GONE, **CONFIRMED)
    assert not stopped.ok and "openshift_force=abandon_hub" in stopped.message, stopped.output
    assert site.lab.writes() == writes and len(site.nodes()) == 1
    site.played("destroy_cluster", openshift_force=["abandon_hub"], **GONE, **CONFIRMED)
    assert changed(site, writes) == {"node-0"} and site.states()["node-0"] == "off"
    assert not (site.deployment.work_dir / "state.json").exists()
