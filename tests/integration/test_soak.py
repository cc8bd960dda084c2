# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Run two short sequences of the soak test (``make test-soak`` runs 300 long ones), and check that it reports a
forbidden write that the test adds.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from ..soak.play import Player, Soak
from ..soak.sequences import AT_FIRST_WRITE, Sequence, Situation, Step, generate
from .conftest import MakeLab
from .lab import Deployment, Lab

SNO = {"name": "sno-0", "power": "On", "phase": "installed", "installed": {"sda": "rhel-8"}}
INSERT = {
    "machine": "sno-0",
    "method": "POST",
    "path": "/redfish/v1/Managers/1/VirtualMedia/Cd/Actions/VirtualMedia.InsertMedia",
    "summary": "Image=…",
}


# One sequence with writes that are allowed, one that must stop.
@pytest.mark.parametrize("seed", [8, 26])
def test_no_write_without_consent(make_lab: MakeLab, tmp_path: Path, seed: int) -> None:
    faults = Soak(make_lab, tmp_path).play(generate(seed, short=True))
    assert not faults, "\n".join(faults)


class PlantedLab(Lab):
    """A machine that is on; its BMC sees a write as soon as a playbook runs."""

    running = False

    def clear_faults(self) -> None:
        """There are none."""

    def status(self) -> dict[str, Any]:
        return {"machines": [SNO], "clusters": []}

    def bmc_writes(self, *, refused: bool = False) -> list[dict[str, Any]]:
        return [INSERT] if self.running else []


class PlantedDeployment(Deployment):
    """Its playbooks do nothing but wait."""

    def start(self, playbook: str = "deploy_cluster", *options: str, extra: Any = None) -> subprocess.Popen[str]:
        PlantedLab.running = True
        program = [sys.executable, "-c", "import time; time.sleep(600)"]
        return subprocess.Popen(program, stdout=subprocess.PIPE, text=True, start_new_session=True)


@pytest.mark.parametrize("force", [(), ("take_over",)])
def test_a_planted_write_ends_the_sequence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, force: tuple[str, ...]
) -> None:
    """Without consent the report has the seed, the step and the write; with it there is none, and the run is killed at
    the write as the step says.
    """
    monkeypatch.setattr(PlantedLab, "running", False)
    directory = tmp_path / "rack"
    directory.mkdir()
    deployment = PlantedDeployment(
        PlantedLab(directory, directory / "site.yml"),
        directory / "hosts.json",
        directory,
        environment={"HOME": str(directory)},
    )
    step = Step("deploy_cluster", force=force, kill=AT_FIRST_WRITE)
    player = Player(deployment, Sequence(4711, Situation("sno", "other-system", ("sno-0",)), (step,)), {})
    report = "\n".join(player.play())
    if force:
        assert report == "" and "wrote to ['sno-0']" in player.progress[0]
        return
    for text in ("seed 4711", "1. deploy_cluster", "step 1 wrote to sno-0", "InsertMedia"):
        assert text in report, report
