# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test how machines of a hosted deployment are identified. Method hosted records no hosts of its cluster; section
``machines`` of the state file identifies them.
"""

from __future__ import annotations

import json
from pathlib import Path

from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.safety.record import (
    BOOTED,
    RELEASED,
    note,
    owner_of,
    read_record,
    siblings,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.supervise.observation import InventoryHost

HOST = InventoryHost("node-1", macs=("52:54:00:00:00:01",))
RENAMED = InventoryHost("blade-7", macs=("52:54:00:00:00:01",))
OTHER = InventoryHost("node-1", macs=("52:54:00:00:00:02",))


def deployed(root: Path, state: str = BOOTED) -> Path:
    work_dir = root / "hosted"
    work_dir.mkdir()
    (work_dir / "state.json").write_text(
        json.dumps({"format": 1, "install": {"method": "hosted"}, "cluster": {"name": "guest"}})
    )
    note(work_dir, [HOST], state, method="hosted")
    return work_dir


def test_a_machine_is_recognized_by_its_mac_addresses(tmp_path: Path) -> None:
    record = read_record(deployed(tmp_path))
    assert (record.fault, record.method, record.cluster) == ("", "hosted", "guest")
    assert [record.has(host) for host in (HOST, RENAMED, OTHER)] == [True, True, False]
    assert [record.touched(host) for host in (HOST, RENAMED, OTHER)] == [True, True, False]


def test_a_deployment_beside_it_does_not_take_the_machine(tmp_path: Path) -> None:
    deployed(tmp_path)
    records = siblings(tmp_path / "mine")
    assert "the deployment of cluster guest in" in owner_of(RENAMED, records)
    assert owner_of(OTHER, records) == ""


def test_a_machine_that_was_released_is_free_for_others(tmp_path: Path) -> None:
    deployed(tmp_path, RELEASED)
    assert owner_of(RENAMED, siblings(tmp_path / "mine")) == ""
