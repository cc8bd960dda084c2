# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Measure parallel updates of a state file. Budget: 50 threads that update one file need at most half the time of the
same updates in sequence. The test also prints the number of writes and the waiting time.
"""

from __future__ import annotations

import threading
import time
from pathlib import Path

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.common import state as states
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.state import StateFile

HOSTS, EDITS = 50, 6
RATIO = 0.5


def boot(state: StateFile, host: int, waited: list[float]) -> None:
    for edit in range(EDITS):
        began = time.perf_counter()
        state.update(
            "bmc",
            {f"host-{host}": {"session": f"/redfish/v1/SessionService/Sessions/{edit}", "address": f"10.0.0.{host}"}},
        )
        waited.append(time.perf_counter() - began)


def test_hosts_write_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, record_property) -> None:
    written = []
    original = states.write_atomic
    monkeypatch.setattr(states, "write_atomic", lambda *arguments: written.append(1) or original(*arguments))
    alone: list[float] = []
    for host in range(HOSTS):
        boot(StateFile(tmp_path / "alone" / "state.json"), host, alone)
    before = len(written)
    waited: list[float] = []
    threads = [
        threading.Thread(target=boot, args=(StateFile(tmp_path / "many" / "state.json"), host, waited))
        for host in range(HOSTS)
    ]
    began = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    ratio = (time.perf_counter() - began) / sum(alone)
    together = (
        f"{ratio:.2f} of one after the other ({sum(alone):.2f} s), {len(written) - before} writes instead of {before}"
    )
    print(f"\n{HOSTS * EDITS} edits: {together}, waited {sum(waited):.2f} s")
    record_property("ratio", ratio)
    assert len(StateFile(tmp_path / "many" / "state.json").section("bmc")) == HOSTS
    assert ratio <= RATIO
