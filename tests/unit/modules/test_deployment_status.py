# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test module deployment_status with a simulated BMC and with work directories in different states."""

from __future__ import annotations

import datetime
import json
from pathlib import Path
from typing import Any

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.state import StateFile
from ansible_collections.zerotouch.openshift.plugins.modules import deployment_status

from .test_touch_check import MAC, call, deployed, hosts, served, touch

__all__ = ["call", "served"]  # fixtures

PASSWORD = "correct-horse-battery"


def files(directory: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in directory.rglob("*") if path.is_file()}


def test_nothing_is_recorded(call: Any, served: Any, tmp_path: Path) -> None:
    work_dir = tmp_path / "demo"
    result = call(deployment_status, hosts=hosts(served), touch=touch(work_dir))
    assert result["state"] == "unknown" and f"no record in {work_dir}" in result["reason"] and not result["changed"]
    assert result["hosts"] == [
        {"name": "node-1", "status": "", "node": "", "power": "On", "medium": False, "waits_for": ""}
    ]
    assert not work_dir.exists() and served.bmc.writes() == []


def test_a_machine_that_boots(call: Any, served: Any, tmp_path: Path) -> None:
    """Its service does not answer yet: how long that may last is the limit of phase boot."""
    work_dir = tmp_path / "demo"
    deployed(work_dir, "booted")
    now = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
    StateFile(work_dir / "state.json").update(
        "machines", {"node-1": {"state": "booted", "at": now, "method": "agent", "macs": [MAC]}}
    )
    before = files(tmp_path)
    result = call(deployment_status, hosts=hosts(served), touch=touch(work_dir))
    assert (
        result["state"] == "running" and "phase boot" in result["reason"] and result["hosts"][0]["status"] == "booted"
    )
    late = call(deployment_status, hosts=hosts(served), touch=touch(work_dir, timeouts={"boot": 0}))
    assert late["state"] == "unknown"
    assert files(tmp_path) == before and served.bmc.writes() == []


def test_a_recorded_failure_and_no_secrets(call: Any, served: Any, tmp_path: Path) -> None:
    work_dir = tmp_path / "demo"
    deployed(work_dir, "failed")
    StateFile(work_dir / "state.json").update("install", {"failure": f"login with {PASSWORD} failed"})
    StateFile(work_dir / "state.json").update("secrets", {"kubeadmin_password": PASSWORD})
    (work_dir / "auth").mkdir()
    (work_dir / "auth" / "kubeadmin-password").write_text(PASSWORD)
    result = call(deployment_status, hosts=hosts(served), touch=touch(work_dir))
    assert (result["state"], result["phase"]) == ("failed", "failed")
    assert (
        result["paths"]["kubeadmin_password_file"] == str(work_dir / "auth" / "kubeadmin-password")
        and result["paths"]["kubeconfig"] == ""
    )
    assert PASSWORD not in json.dumps(result)


def test_a_damaged_state_and_a_bmc_that_does_not_answer(call: Any, served: Any, tmp_path: Path) -> None:
    work_dir = tmp_path / "demo"
    deployed(work_dir, "installed")
    (work_dir / "state.json").write_text("{")
    gone = hosts(served)
    gone[0]["bmc"]["address"] = "http://127.0.0.1:1/redfish/v1/Systems/1"
    result = call(deployment_status, hosts=gone, touch=touch(work_dir))
    assert result["state"] == "unknown" and "state.json" in result["reason"]
    assert (
        any(text.startswith("node-1: BMC of node-1: ") for text in result["not_checked"])
        and result["hosts"][0]["medium"] is None
    )


def test_a_store_that_cannot_be_read(call: Any, served: Any, tmp_path: Path) -> None:
    result = call(
        deployment_status, touch=touch(tmp_path / "demo"), state_fault="The passphrase does not open the record."
    )
    assert result["state"] == "unknown" and "passphrase" in result["reason"]


@pytest.mark.parametrize(
    ("state", "key"), [("done", ""), ("running", ""), ("failed", "failed"), ("unknown", "unreachable")]
)
def test_the_end(state: str, key: str, call: Any) -> None:
    result = call(deployment_status, end_with={"state": state, "reason": "Because.", "next_step": "Wait."})
    assert {name for name in ("failed", "unreachable") if result.get(name)} == ({key} if key else set())
    assert f"state: {state}" in result["msg"] and ("Because." in result["msg"]) == bool(key)
