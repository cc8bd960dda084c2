# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test faults in racks: each run ends with a message that names the fault and its place, and makes no unnecessary
change.
"""

from __future__ import annotations

import json
import re
from typing import Any

from .lab import Deployment, host_of


def test_what_bmcs_do(sno: Deployment) -> None:
    """One fault after the other, each before the installation of the machine begins."""
    lab = sno.lab
    mapping = lab.vars["openshift_connect_to"]
    bmc = "10.0.0.10:443"

    # No BMC has this address.
    dead = sno.refused(extra={"openshift_connect_to": {**mapping, bmc: "127.0.0.1:1"}})
    assert "BMC of sno-0" in dead.message and "10.0.0.10" in dead.message, dead.message

    # A password that is not right: refused once, not tried again and again until the account is locked.
    wrong = sno.described_as(lambda inventory: host_of(inventory, "sno-0")["bmc"].update(password="no")).refused()
    assert "BMC of sno-0: https://10.0.0.10 refuses user 'admin' with this password (HTTP 401)" in wrong.message, (
        wrong.message
    )
    assert lab.machine("sno-0")["requests"].get("POST", 0) <= 2, "the wrong password was tried several times"

    # The BMC of another machine.
    lab.fault("bmc-wrong-mac", "sno-0", count=0)
    other = sno.refused()
    assert (
        "belongs to another machine" in other.message
        and "52:54:00:5a:00:10" in other.message
        and "The machine was not changed" in other.message
    ), other.message
    lab.clear_faults()
    assert lab.writes() == {"sno-0": 0} and lab.machine("sno-0")["power"] == "Off"

    # 400, in the BMC's own words.
    lab.fault("insert-refused", "sno-0", count=0)
    refused = sno.refused()
    assert "sno-0" in refused.message and "CouldNotEstablishConnection" in refused.message, refused.message
    assert json.loads((sno.work_dir / "report.json").read_text())["result"]["failure"] == refused.message
    assert (
        f"Report: {sno.work_dir / 'report.html'}" in refused.output
        and "Why it stopped" in (sno.work_dir / "report.html").read_text()
    )
    served = r"The image is still served at \S+ \(process \d+, until 20\S+Z at the latest\)"
    assert re.search(served, refused.output.rpartition("Fail with the reason")[2]), refused.output
    lab.clear_faults()
    assert lab.machine("sno-0")["power"] == "Off"

    # The medium is there and cannot be read: the machine boots nothing, and the service never answers.
    lab.fault("media-fetch-fails", "sno-0", count=0)
    unread = sno.refused(extra={"openshift_timeouts": {"boot": 2}})
    # The wait says it, so the last message, which has the beginning of the reason, does not repeat it.
    assert len(re.findall(served, unread.message)) == 1, unread.output
    assert not re.search(served, unread.output.rpartition("Fail with the reason")[2]), unread.output
    assert "phase boot exceeded its limit" in unread.message and "sno-0 did not boot the image" in unread.message, (
        unread.message
    )
    lab.clear_faults()
    assert lab.machine("sno-0")["sessions"] == 0


def test_one_machine_of_three(compact: Deployment) -> None:
    """Two addresses lead to one BMC: nothing is booted.

    One BMC is dead: the other machines go off all the same, and the next run finishes.
    """
    two_hosts_that_are_one_machine(compact)
    destroyed_around_a_dead_bmc(compact)


def two_hosts_that_are_one_machine(compact: Deployment) -> None:

    def mistaken(inventory: dict[str, Any]) -> None:
        # With its certificate checked, the BMC would be found out before anything is read.
        host_of(inventory, "master-1")["bmc"]["validate_certs"] = False

    mapping = compact.lab.vars["openshift_connect_to"]
    twice = {**mapping, "10.0.0.12:443": mapping["10.0.0.11:443"]}
    run = compact.described_as(mistaken).refused(extra={"openshift_connect_to": twice})
    assert (
        "hosts master-0, master-1 have the same machine" in run.message
        and "master-1: this BMC belongs to another machine" in run.message
    ), run.message
    assert "master-2:" not in run.message
    assert "No machine was touched" in run.message
    writes = compact.lab.writes()
    assert set(writes.values()) == {0}, writes
    left_alone = next(host for host in run.failure["hosts"] if host["name"] == "master-2")
    assert left_alone["outcome"] == "act", "it may be touched, and waits for the others"


def destroyed_around_a_dead_bmc(compact: Deployment) -> None:
    lab, mapping = compact.lab, compact.lab.vars["openshift_connect_to"]
    for name in ("master-0", "master-1", "master-2"):
        lab.boot(name, "http://127.0.0.1:1/token/agent.iso")
    # As a run that was killed leaves them: machines that no record has are left alone.
    booted = {
        name: {"state": "booted", "at": "2026-11-23T12:00:00Z", "method": "agent"}
        for name in ("master-0", "master-1", "master-2")
    }
    state = compact.work_dir / "state.json"
    state.write_text(json.dumps({"format": 1, "machines": booted}))
    state.chmod(0o600)
    confirmed = {"openshift_confirm": "demo"}
    run = compact.run(
        "destroy_cluster", extra={**confirmed, "openshift_connect_to": {**mapping, "10.0.0.12:443": "127.0.0.1:1"}}
    )
    failed = "demo is not destroyed: power off or eject failed for 1 of 3 machines.\nmaster-1: BMC of master-1"
    assert not run.ok and failed in run.message, run.output
    left = {
        machine["name"]: (machine["power"], bool(machine["medium"]))
        for machine in lab.status()["machines"]
        if machine["name"].startswith("master")
    }
    assert left == {"master-0": ("Off", False), "master-1": ("On", True), "master-2": ("Off", False)}
    assert (compact.work_dir / "config").is_dir()

    again = compact.run("destroy_cluster", extra=confirmed)
    assert again.ok and not (compact.work_dir / "config").exists(), again.output
    assert lab.machine("master-1")["power"] == "Off"
    lab.assert_nothing_left()


def test_a_host_that_does_not_qualify(sno: Deployment) -> None:
    sno.lab.fault("disk-too-small", "sno-0", count=0)
    sno.lab.fault("ntp-unsynced", "sno-0", count=0)
    run = sno.refused(extra={"openshift_timeouts": {"discovery": 10}})
    reported = run.output.partition("fatal:")[0]
    for validation in ("has-min-valid-disks", "ntp-synced"):
        assert validation in run.message, run.message
        assert validation in reported, "the wait did not say what it waits for"
