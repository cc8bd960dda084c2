# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Deploy a cluster with a boot method that the test adds to a copy of the collection: it needs only a file and a table
entry.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from .lab import ROOT, Deployment, host_of

METHOD = ROOT / "tests" / "support" / "crane.py"


@pytest.fixture
def with_crane(tmp_path: Path) -> Path:
    """Return a collections path with a copy of this collection that has the added boot method."""
    copy = tmp_path / "collections" / "ansible_collections" / "zerotouch" / "openshift"
    copy.mkdir(parents=True)
    for name in ("plugins", "roles", "playbooks", "meta"):
        shutil.copytree(ROOT / name, copy / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "galaxy.yml", copy)
    boot = copy / "plugins" / "module_utils" / "boot"
    shutil.copy(METHOD, boot)
    table = boot / "methods.py"
    text = table.read_text()
    assert "(BmcBoot(), LibvirtBoot(), ManualBoot())" in text
    text = text.replace(
        "(BmcBoot(), LibvirtBoot(), ManualBoot())", ("(BmcBoot(), LibvirtBoot(), ManualBoot(), CraneBoot(LabRack()))")
    )
    table.write_text(
        text.replace(
            "from .manual import ManualBoot\n",
            ("from .crane import CraneBoot, LabRack\nfrom .manual import ManualBoot\n"),
        )
    )
    return tmp_path / "collections"


def test_deploys_and_destroys(sno: Deployment, with_crane: Path) -> None:
    def by_crane(inventory: dict[str, Any]) -> None:
        host = host_of(inventory, "sno-0")
        host.pop("bmc")
        host["boot"] = {"method": "crane"}

    unknown = sno.described_as(by_crane)
    refused = unknown.refused()
    assert (
        "openshift_host[sno-0].boot.method: Unsupported value: crane: supported values: bmc, libvirt, manual"
        in refused.message
    ), refused.output
    deployment = sno.described_as(by_crane)
    deployment.environment |= {"ANSIBLE_COLLECTIONS_PATH": str(with_crane), "CRANE_LAB": str(sno.lab.state)}
    assert deployment.deployed().changed
    assert sno.lab.boots()["sno-0"] and sno.lab.methods() == set(), "no BMC is contacted"
    assert deployment.deployed().changed == 0
    gone = deployment.run("destroy_cluster", extra={"openshift_confirm": "sno"})
    assert gone.ok, gone.output
    assert sno.lab.powers() == {"sno-0": "Off"}
