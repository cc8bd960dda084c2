# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test which machines role cluster_destroy changes: all that the safety gate permits, even if the image cannot be
withdrawn, and no others.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.state import StateFile
from ansible_collections.zerotouch.openshift.tests.support import bmc as fake

ROOT = Path(__file__).parents[3]
ROLE = ROOT / "roles" / "cluster_destroy"
TASKS = (
    "Stop publishing the image",
    "Power the machines off",
    "Detach media",
    "Print which machines were not changed",
    "Fail if a machine could not be powered off, or the image is still published",
)
IMAGE = "http://192.0.2.1/discovery.iso"
POWER = {"ours": "On", "theirs": "On", "found-off": "Off"}


def mac(name: str) -> str:
    return f"52:54:00:00:00:{list(POWER).index(name) + 1:02x}"


@pytest.fixture
def machines() -> Iterator[dict[str, Any]]:
    """Machines with a medium, by name."""
    served = {}
    for number, (name, power) in enumerate(POWER.items(), 1):
        slots = [fake.FakeSlot("2", image=IMAGE, inserted=True)]
        uuid = f"{number}1111111-2222-3333-4444-555555555555"
        served[name] = fake.Served(fake.FakeBmc(power=power, uuid=uuid, macs=(mac(name),), slots=slots))
    yield served
    for each in served.values():
        each.close()


def recorded(directory: Path, name: str) -> None:
    entry = {"state": "booted", "at": "2026-01-01T00:00:00Z", "method": "agent", "macs": [mac(name)]}
    StateFile(directory / "state.json").update("machines", {name: entry})


def play(machines: dict[str, Any], work_dir: Path, *options: str, publish: Any = None, ok: bool = True) -> str:
    """The tasks of the role that change machines; the output."""
    touched = [
        {
            "name": name,
            "mac_addresses": [mac(name)],
            "bmc": {"address": served.address, "username": fake.USER, "password": fake.PASSWORD},
        }
        for name, served in machines.items()
    ]
    touch = {
        "cluster_name": "demo",
        "work_dir": str(work_dir),
        "confirm": ["demo"],
        "command": "destroy_cluster",
        "hosts": [{"name": name, "mac_addresses": [mac(name)]} for name in machines],
    }
    variables = {
        "cluster_destroy_touched": touched,
        "cluster_destroy_touch_options": touch,
        "cluster_destroy_connections": {},
        "cluster_destroy_state_file": str(work_dir / "state.json"),
        "cluster_destroy_settings": {
            "name": "demo",
            "work_dir": str(work_dir),
            "publish": publish or {},
            "connect_to": {},
            "ca_cert": "",
        },
        "cluster_destroy_planned": {"names": list(machines), "decision": {"failed_hosts": []}},
    }
    tasks = [task for task in yaml.safe_load((ROLE / "tasks" / "main.yml").read_text()) if task["name"] in TASKS]
    assert [task["name"] for task in tasks] == list(TASKS)
    book = work_dir.parent / "play.yml"
    files = [str(ROLE / "vars" / "main.yml")]
    book.write_text(
        yaml.safe_dump([{"hosts": "localhost", "gather_facts": False, "vars_files": files, "tasks": tasks}])
    )
    environment = {
        **os.environ,
        "ANSIBLE_COLLECTIONS_PATH": str(ROOT / ".build"),
        "ANSIBLE_STDOUT_CALLBACK": "ansible.builtin.default",
        "ANSIBLE_LOCALHOST_WARNING": "false",
    }
    command = [str(Path(sys.executable).with_name("ansible-playbook")), str(book), "-e", json.dumps(variables)]
    done = subprocess.run(
        [*command, *options], env=environment, cwd=work_dir.parent, capture_output=True, text=True, check=False
    )
    assert (done.returncode == 0) is ok, done.stdout + done.stderr
    return done.stdout


@pytest.mark.slow
def test_media_stay_in_a_machine_that_another_cluster_took_meanwhile(machines: dict[str, Any], tmp_path: Path) -> None:
    """Between the plan and the power-off, the hub deletes the cluster, and another deployment boots the freed host."""
    for name in machines:
        recorded(tmp_path / "demo", name)
    recorded(tmp_path / "other", "theirs")
    planned = play(machines, tmp_path / "demo", "--check", "-vv")
    assert all(served.bmc.writes() == [] for served in machines.values())
    ejects = set(re.findall(r'"name": "([a-z-]+)", "phase": "plan", "plan": \["eject', planned))
    assert ejects == {"ours", "found-off"}, planned
    output = play(machines, tmp_path / "demo")
    assert {name: served.bmc.power for name, served in machines.items()} == {**POWER, "ours": "Off"}
    images = {name: [slot.image for slot in served.bmc.slots] for name, served in machines.items()}
    assert images == {"ours": [""], "theirs": [IMAGE], "found-off": [""]}
    assert machines["theirs"].bmc.writes() == []
    assert "theirs: it belongs to the deployment of cluster other" in output, output


@pytest.mark.slow
def test_an_upload_that_cannot_be_deleted_keeps_no_machine_on(machines: dict[str, Any], tmp_path: Path) -> None:
    """The file server cannot be reached. The run fails at its end, and the next one repeats it."""
    for name in machines:
        recorded(tmp_path / "demo", name)
    state = StateFile(tmp_path / "demo" / "state.json")
    state.update("publish", {"method": "upload", "uploads": {"http://127.0.0.1:1/images/x.iso": {}}})
    publish = {"method": "upload", "url": "http://127.0.0.1:1/images", "delete": True}
    output = play(machines, tmp_path / "demo", publish=publish, ok=False)
    assert {served.bmc.power for served in machines.values()} == {"Off"}, output
    assert "demo is not destroyed: its image is still published." in output, output
    assert "http://127.0.0.1:1 cannot be reached" in output and "run destroy_cluster again" in output, output
    assert "uploads" in state.section("publish")
    again = play(machines, tmp_path / "demo", publish={**publish, "delete": False})
    assert "Fail if a machine" in again and "is not destroyed" not in again
