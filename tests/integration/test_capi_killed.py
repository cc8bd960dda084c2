# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Kill the playbooks of method capi at several moments: the next run continues, and the run after the last one changes
nothing.

tests/unit/modules/test_assisted_control_plane.py kills a run between any two writes of one task.
"""

from __future__ import annotations

import threading
import time
from typing import Any

import pytest

from .conftest import MakeLab, canary_inventory, canary_site
from .lab import LIMIT, Deployment, kill_all, looked_through

pytestmark = [pytest.mark.long, pytest.mark.timeout(1800)]
APPLY = "Apply the plan of the cluster]"
CONFIRMED = {"openshift_confirm": "edge"}
# Output lines at which a run is killed; the runs of a playbook follow each other.
MOMENTS: dict[str, tuple[dict[str, Any], tuple[str, ...]]] = {
    "deploy_cluster": (
        {},
        (
            "Decide whether the machines may be booted]",
            APPLY,
            "its host has not registered yet",
            "Agent ",
            "the installation is installing",
            "finalizing",
            "Complete the credentials]",
        ),
    ),
    "scale_node_pool": (
        {"openshift_node_pool": {"replicas": 5}},
        (APPLY, "has 3 of 5 machines available", "Agent installing"),
    ),
    "remove_hosts": (
        {"openshift_hosts": "worker-0", **CONFIRMED},
        ("Decide whether the hosts may leave]", APPLY, "being deleted"),
    ),
    "destroy_cluster": (
        CONFIRMED,
        ("Delete the Cluster from the hub]", "still there: Cluster edge", "still there: BareMetalHost"),
    ),
}


def killed(deployment: Deployment, playbook: str, moment: str, extra: dict[str, Any]) -> bool:
    """Whether the run was killed at the moment; False if it ended before, in a state that an earlier run had
    reached.
    """
    process = deployment.start(playbook, extra=extra)
    lines: list[str] = []
    reader = threading.Thread(target=lambda: lines.extend(process.stdout or ()), daemon=True)
    reader.start()
    deadline = time.monotonic() + LIMIT
    while moment not in "".join(lines) and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.005)
    reached = process.poll() is None
    kill_all(process.pid)
    process.wait(timeout=LIMIT)
    reader.join(timeout=LIMIT)
    output = looked_through("".join(lines))
    assert "Traceback" not in output and (reached or process.returncode == 0), output
    return reached


def test_killed_at_each_moment(make_lab: MakeLab, tmp_path_factory: pytest.TempPathFactory) -> None:
    directory = tmp_path_factory.mktemp("killed")
    deployment = Deployment(
        make_lab(directory, canary_site("capi", directory)), canary_inventory("capi", directory), directory
    )
    ends = {"deploy_cluster": 6, "scale_node_pool": 8, "remove_hosts": 7}
    for playbook, (extra, moments) in MOMENTS.items():
        reached = [killed(deployment, playbook, moment, extra) for moment in moments]
        # The hub continues while no run watches it: the later moments of a short playbook may have passed.
        assert reached[0] and (playbook != "deploy_cluster" or sum(reached) >= 2), (playbook, reached)
        last = deployment.run(playbook, extra=extra)
        assert last.ok, last.output
        again = deployment.run(playbook, extra=extra)
        assert again.ok and again.changed == 0, again.output
        if playbook in ends:
            assert sum(state == "Ready" for state in deployment.lab.nodes("edge").values()) == ends[playbook], playbook
    assert not list((deployment.work_dir).glob("*.part")) and not (deployment.work_dir / "state.json").exists()
