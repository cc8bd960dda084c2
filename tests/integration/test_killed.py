# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Runs that are killed at a bad moment: the next run finishes the work, and nothing half-written is believed."""

from __future__ import annotations

import signal
from collections.abc import Callable

import pytest
from conftest import Site

MOMENTS: list[tuple[str, Callable[[str], bool]]] = [
    ("image", lambda output: "Build the agent ISO" in output),
    ("boot", lambda output: "Boot the machines from the image" in output),
    ("wait", lambda output: "Supervise the installation" in output),
]


@pytest.mark.parametrize("kill", [signal.SIGKILL, signal.SIGINT], ids=["SIGKILL", "SIGINT"])
@pytest.mark.parametrize(("name", "seen"), MOMENTS, ids=[name for name, seen in MOMENTS])
def test_a_rerun_completes(sno: Site, name: str, seen: Callable[[str], bool], kill: signal.Signals) -> None:
    output = sno.run_until(seen, kill)
    assert "Traceback" not in output, output
    rerun = sno.deploy()
    assert rerun.ok, f"after {kill.name} during {name}:\n{output}\n---- the rerun:\n{rerun.output}"
    assert not list(sno.work_dir.rglob("*.part"))
    machine = sno.lab.status()["machines"][0]
    assert not machine["medium"] and machine["sessions"] == 0
    assert sno.deploy().changed == 0
