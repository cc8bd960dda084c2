# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test a controller that cannot resolve the name of the cluster's API: the installation completes, so the run ends
successfully, with a warning and a kubeconfig.
"""

from __future__ import annotations

from pathlib import Path

from .conftest import MakeLab, canary_inventory, canary_site
from .lab import Deployment


def test_the_api_has_no_name_here(make_lab: MakeLab, tmp_path: Path) -> None:
    edge = Deployment(
        make_lab(tmp_path, canary_site("assisted", tmp_path)), canary_inventory("assisted", tmp_path), tmp_path
    )
    addresses = edge.lab.vars["openshift_connect_to"]
    without = {name: address for name, address in addresses.items() if not name.startswith("api.edge.example.com")}
    assert len(without) < len(addresses)
    run = edge.deployed(extra={"openshift_connect_to": without})
    assert "The cluster is installed, but this machine cannot reach its API" in run.output, run.output
    auth = edge.work_dir / "auth"
    assert (auth / "kubeconfig").is_file() and (auth / "kubeadmin-password").is_file()
    writes = edge.lab.writes()
    completed = edge.deployed()
    assert "cannot reach its API" not in completed.output and (auth / "kubeconfig.direct").is_file(), completed.output
    again = edge.deployed()
    assert (again.changed, edge.lab.writes()) == (0, writes), again.output
