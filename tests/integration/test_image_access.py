# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test that the credentials of the image server reach the BMC from the inventory, and appear in no output."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import yaml

from .canaries import shown
from .conftest import MakeLab
from .safety import machine_of, rack

PASSWORD = 'canary-images-"c41f\\\\5e'


def test_the_login_reaches_the_bmc_and_no_output(make_lab: MakeLab, tmp_path: Path) -> None:
    def site(document: dict[str, Any]) -> None:
        machine_of(document, "sno-0")["bmc"]["profile"] = "nokia"  # it demands TransferProtocolType

    unchanged = rack(make_lab, tmp_path / "sno", "sno", site)
    # The variables of the lab are extra variables: they would replace those of the inventory.
    publish = yaml.safe_load(unchanged.lab.vars_file.read_text())["openshift_publish"]
    unchanged.lab.hide("openshift_publish")

    def with_login(inventory: dict[str, Any]) -> None:
        inventory["all"]["vars"]["openshift_publish"] = {
            **publish,
            "image_access": {"username": "image-reader", "password": PASSWORD},
        }

    deployment = unchanged.described_as(with_login)
    outputs = [deployment.deployed("--check", "--diff", "-vvv").output]
    assert not any(deployment.lab.writes().values())
    outputs.append(deployment.deployed("--diff", "-vvv").output)
    (insert,) = [write for write in deployment.lab.bmc_writes() if write["path"].endswith("VirtualMedia.InsertMedia")]
    assert insert["login"] == {
        "username": "image-reader",
        "password_sha256": hashlib.sha256(PASSWORD.encode()).hexdigest(),
    }
    assert "TransferProtocolType=HTTP" in insert["summary"] and PASSWORD not in insert["summary"], insert
    for output in outputs:
        assert "invocation" in output, "the run was not verbose"
        assert shown(output, {"password of the images": PASSWORD}) == []
    for name in ("report.html", "report.json"):
        assert shown((deployment.work_dir / name).read_text(), {"password of the images": PASSWORD}) == [], name
