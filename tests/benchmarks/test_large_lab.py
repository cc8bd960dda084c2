# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Measure the lab. Budget: it installs 3 + 97 hosts at speed 60 within 60 s and 30 s of CPU. It also completes 3 + 197
hosts.

Machines boot a discovery image, register, are bound and installed, and become Nodes. The lab does all of this work,
without the collection.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
SPEED = 60
PROGRAM = """
import asyncio, json, sys, time
from pathlib import Path
from ansible_collections.zerotouch.openshift.lab.tests.discovery import rig, test_install
workers, speed, directory = int(sys.argv[1]), float(sys.argv[2]), Path(sys.argv[3])
rig.WALL_LIMIT = 1200
async def play():
    async with rig.HubRig(directory, 3 + workers, speed=speed) as hub:
        roles = {f"rack-{number}": "master" if number < 3 else "worker" for number in range(3 + workers)}
        began, cpu = time.perf_counter(), time.process_time()
        await test_install.installed(hub, 3, roles)
        ready = list(test_install.nodes(hub).values()).count("Ready")
        return {"seconds": time.perf_counter() - began, "cpu": time.process_time() - cpu, "ready": ready}
print(json.dumps(asyncio.run(play())))
"""


def measured(workers: int, directory: Path) -> dict[str, Any]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT / ".build")}
    command = [sys.executable, "-c", PROGRAM, str(workers), str(SPEED), str(directory)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment, cwd=ROOT)
    assert done.returncode == 0, done.stderr[-2000:]
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    print(
        f"\n3 + {workers} hosts at speed {SPEED}: {found['seconds']:.0f} s, {found['cpu']:.0f} s of CPU, "
        f"{found['ready']} Nodes Ready"
    )
    assert found["ready"] == 3 + workers
    return found


@pytest.mark.parametrize(("workers", "seconds", "cpu"), [(97, 60, 30), (197, None, None)])
def test_a_large_cluster(tmp_path: Path, workers: int, seconds: float | None, cpu: float | None) -> None:
    found = measured(workers, tmp_path)
    if seconds is not None and cpu is not None:
        assert found["seconds"] <= seconds and found["cpu"] <= cpu
