# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test ``ztlab replay``: it serves captured responses of a BMC, in either layout, and the collection boots that BMC."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.bmc.hosts import BmcOptions, BootRequest
from ansible_collections.zerotouch.openshift.plugins.module_utils.boot.run import boot_hosts
from ztlab.bmc.replay import ReplayError, read_capture

SYSTEM, MANAGER = "/redfish/v1/Systems/437XR1138R2", "/redfish/v1/Managers/BMC"
TREE: dict[str, dict[str, Any]] = {
    "/redfish/v1": {"Systems": {"@odata.id": "/redfish/v1/Systems"}, "Vendor": "Contoso"},
    "/redfish/v1/Systems": {"Members": [{"@odata.id": SYSTEM}]},
    SYSTEM: {
        "PowerState": "On",
        "Boot": {"BootSourceOverrideEnabled": "Disabled", "BootSourceOverrideTarget": "None"},
        "Links": {"ManagedBy": [{"@odata.id": MANAGER}]},
        "Actions": {"#ComputerSystem.Reset": {"target": f"{SYSTEM}/Actions/ComputerSystem.Reset"}},
    },
    MANAGER: {"VirtualMedia": {"@odata.id": f"{MANAGER}/VirtualMedia"}},
    f"{MANAGER}/VirtualMedia": {"Members": [{"@odata.id": f"{MANAGER}/VirtualMedia/CD1"}]},
    f"{MANAGER}/VirtualMedia/CD1": {
        "Id": "CD1",
        "MediaTypes": ["CD"],
        "Inserted": False,
        "Image": None,
        "Actions": {
            f"#VirtualMedia.{name}": {"target": f"{MANAGER}/VirtualMedia/CD1/Actions/VirtualMedia.{name}"}
            for name in ("InsertMedia", "EjectMedia")
        },
    },
}


def capture(directory: Path, layout: str) -> Path:
    for number, (path, resource) in enumerate(TREE.items()):
        file = directory / f"{number}.json" if layout == "flat" else directory / "rack" / path[1:] / "index.json"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(
            json.dumps({"@odata.id": path + "/" * (number == 0), **resource} if layout == "flat" else resource)
        )
    (directory / "notes.json").write_text("[]")
    return directory


@pytest.mark.parametrize("layout", ["flat", "mockup"])
def test_both_layouts(tmp_path: Path, layout: str) -> None:
    assert set(read_capture(capture(tmp_path, layout))) == set(TREE)


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [("a.json", "{}", "has no service root"), ("a.json", "{", "cannot be read as JSON"), ("a.txt", "", "has no")],
)
def test_what_is_no_capture(tmp_path: Path, name: str, text: str, words: str) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(ReplayError, match=words):
        read_capture(tmp_path)
    done = subprocess.run(
        [sys.executable, "-m", "ztlab", "replay", str(tmp_path)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 1 and words in done.stderr


def test_a_captured_bmc_is_booted_and_its_files_stay(tmp_path: Path) -> None:
    directory = capture(tmp_path, "mockup")
    before = {file: file.read_text() for file in directory.rglob("*.json")}
    command = [sys.executable, "-m", "ztlab", "replay", str(directory), "--listen", "127.0.0.1:0"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        address = process.stdout.readline().strip()
        assert address.startswith("redfish-virtualmedia+http://127.0.0.1:") and address.endswith(SYSTEM)
        request = BootRequest("captured", address, "any", "any password", image_url="http://192.0.2.1/x/agent.iso")
        (result,) = boot_hosts([request], "booted", BmcOptions())
        assert (result.failed, result.slot, result.power_state_after) == (False, "CD1", "On"), result.reason
        assert not boot_hosts([request], "booted", BmcOptions())[0].changed
    finally:
        process.terminate()
        seen = process.communicate(timeout=300)[0]
    assert 'InsertMedia {"Image": "http://192.0.2.1/x/agent.iso"}' in seen and "any password" not in seen
    assert {file: file.read_text() for file in directory.rglob("*.json")} == before
