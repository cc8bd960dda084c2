# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test an image in the layout of the 4.14 installer: one unit registers both the cluster and the InfraEnv, and the
image has no setting for arbiters.
"""

from __future__ import annotations

from pathlib import Path

from .agent_image import AgentImage
from .playground import Playground, run

START = "/usr/local/share/start-cluster/start-cluster.env"


def test_one_unit_registers_everything(tmp_path: Path) -> None:
    image = AgentImage()
    text, enabled = image.units.pop("agent-register-cluster.service")
    image.units["create-cluster-and-infraenv.service"] = (text, enabled)
    del image.units["agent-register-infraenv.service"]
    mode, settings = image.files[START]
    image.files[START] = (mode, "".join(line for line in settings.splitlines(keepends=True) if "ARBITER" not in line))

    async def flow() -> None:
        async with Playground(tmp_path / "lab", image.write(tmp_path / "agent.iso"), speed=2000) as playground:
            playground.switch_on()
            await playground.until_console("1 of 1 hosts are ready to be installed")

    run(flow())
