# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test the rows of the resume table (docs/explanation/resume.md) that test_repeat and test_killed do not cover, each as
a user would cause it.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from .lab import Deployment, Run, kill_all

pytestmark = pytest.mark.long


def change_input(deployment: Deployment, ntp_source: str) -> None:
    """Change an input that does not prevent the installation."""
    inventory = json.loads(deployment.inventory.read_text())
    inventory["all"]["vars"]["openshift_cluster"]["ntp_sources"] = ["192.168.126.1", ntp_source]
    deployment.inventory.write_text(json.dumps(inventory))


def recipe(deployment: Deployment) -> str:
    return str(json.loads((deployment.work_dir / "state.json").read_text())["image"]["recipe"])


def test_input_that_changes_on_the_way(sno: Deployment) -> None:
    lab, limited = sno.lab, {"openshift_timeouts": {"boot": 2}}
    lab.fault("never-boots", "sno-0", count=0)
    late = sno.refused(extra=limited)
    assert "phase boot exceeded its limit of 2 s" in late.message and "192.168.126.10" in late.message, late.message
    assert re.findall(r"^\d\. ", late.message, re.MULTILINE) == ["1. ", "2. ", "3. "], late.message
    assert "bmc.json" in files_of_bundle(late)
    first = recipe(sno)

    # The input has changed, no host has registered: another image, booted.
    change_input(sno, "192.168.126.2")
    late = sno.refused(extra=limited)
    second = recipe(sno)
    assert second != first and "sno-0: powered on" in late.output, late.output

    # The input is the same, no host has registered: the image is good, the host is booted again.
    lab.clear_faults()
    lab.fault("memory-too-small", "sno-0", count=0)
    output = sno.interrupted(lambda output: "insufficient" in output, kill_all)[0]
    assert "sno-0: powered on" in output and recipe(sno) == second, output

    # The input has changed, hosts have registered: stop.
    change_input(sno, "192.168.126.3")
    written = lab.writes()
    stopped = sno.refused()
    assert "agent-config.yaml" in stopped.message and "rebuild_image" in stopped.message, stopped.message
    assert lab.writes() == written and recipe(sno) == second

    # The user's word overrides it.
    output = sno.interrupted(
        lambda output: "sno-0: powered on" in output, kill_all, extra={"openshift_force": "rebuild_image"}
    )[0]
    assert recipe(sno) not in (first, second), output
    lab.clear_faults()
    sno.deployed()
    lab.assert_nothing_left()
    assert sno.deployed().changed == 0


def test_a_failed_installation_is_begun_again_only_when_asked(sno: Deployment) -> None:
    sno.lab.fault("install-fails", "sno-0", count=1)
    failed = sno.refused()
    assert "sno-0" in failed.message and "First suspects" in failed.message, failed.message
    hosts = json.loads((bundle(failed) / "hosts.json").read_text())
    assert hosts and isinstance(hosts[0]["validations_info"], dict), "the validations are not decoded"

    written = sno.lab.writes()
    stopped = sno.refused()
    assert (
        "destroy_cluster -e openshift_confirm=sno" in stopped.message
        and "openshift_force=start_over" in stopped.message
    )
    assert sno.lab.writes() == written

    assert "start_over needs the confirmation" in sno.refused(extra={"openshift_force": "start_over"}).message
    assert sno.lab.writes() == written
    sno.deployed(extra={"openshift_force": "start_over", "openshift_confirm": "sno"})
    sno.lab.assert_nothing_left()
    assert sno.deployed().changed == 0


def test_hosts_that_are_late_and_hosts_that_come_back(compact: Deployment) -> None:
    """Our service answers: only the missing host is booted. A host that boots the image again is repaired."""
    lab = compact.lab
    lab.fault("never-boots", "master-2", count=0)
    late = compact.refused(extra={"openshift_timeouts": {"discovery": 10}})
    assert "1 of 3 hosts did not appear: master-2 (52:54:00:de:00:22)" in late.message, late.message
    assert f"Everything that could be collected is in {bundle(late)}" in late.message
    wanted = {"cluster.json", "hosts.json", "events.json", "bmc.json", "summary.json", "console-hints.txt"}
    assert wanted <= files_of_bundle(late), files_of_bundle(late)

    lab.clear_faults()
    lab.fault("boots-iso-again", "master-1", count=1)
    before = lab.writes()
    run = compact.deployed()
    booted = run.output.partition("Supervise the installation")[0]
    assert re.findall(r"^(\S+): powered on", booted, re.MULTILINE) == ["master-2"], run.output
    assert "master-1: restarting from disk" in run.output, run.output
    # The rendezvous host was only freed of its medium.
    assert lab.writes()["master-0"] - before["master-0"] == 1, (before, lab.writes())
    lab.assert_nothing_left()
    assert set(lab.status()["clusters"][0]["nodes"].values()) == {"Ready"}
    assert compact.deployed().changed == 0


def bundle(run: Run) -> Path:
    """The folder that a failure names."""
    return Path(run.failure["log_dir"])


def files_of_bundle(run: Run) -> set[str]:
    return {path.name for path in bundle(run).iterdir()}
