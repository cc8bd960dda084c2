# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test repeated runs and check mode: a check-mode run that changes nothing, two deployments, then destroy, twice."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path

from .lab import Deployment


def everything_below(directory: Path) -> dict[str, float]:
    """Return the modification time of each path in a directory. Left out are the lab, the lock (it names its last
    holder), and the log of a server that ends after its run.
    """
    files = {
        path.relative_to(directory): path.lstat().st_mtime
        for path in directory.rglob("*")
        if path.name not in (".lock", "report-server.log")
    }
    return {str(path): changed for path, changed in files.items() if "lab" not in path.parts}


def test_check_mode_from_nothing(sno: Deployment) -> None:
    before = everything_below(sno.directory)
    run = sno.deployed("--check")
    assert everything_below(sno.directory) == before, "check mode wrote files"
    assert sno.lab.methods() <= {"GET"}, "check mode sent more than GETs to a BMC"
    would = [line.removeprefix("would ") for line in run.output.splitlines() if line.startswith("would ")]
    plan = [
        "create install-config.yaml",
        "create agent-config.yaml",
        "create release.json",
        "boot sno-0",
        "create tokens, signing keys and the kubeadmin password",
        *("write " for _file in range(3)),
        "build",
        "publish",
        "insert",
        "boot once from",
        "power on",
        "supervise",
        "stop publishing",
        "complete auth/kubeconfig",
        "write report.html",
    ]
    assert run.changed == 8, run.output
    assert len(would) == len(plan) and all(map(str.startswith, would, plan)), run.output


def test_deploy_twice_and_destroy_twice(sno: Deployment) -> None:
    first = sno.deployed()
    written = sno.lab.writes()
    assert all(written.values()) and first.changed
    sno.lab.assert_nothing_left()
    for name in (
        "auth/kubeconfig",
        "auth/kubeadmin-password",
        "auth/kubeconfig.direct",
        "state.json",
        "images/agent.x86_64.iso",
    ):
        assert stat.S_IMODE((sno.work_dir / name).stat().st_mode) == 0o600, name
    assert not running_in(sno.work_dir), "a process of the deployment is left"

    files = everything_below(sno.work_dir)
    again = sno.deployed()
    assert again.changed == 0, again.output
    assert everything_below(sno.work_dir) == files, "the second run wrote files"
    looked = sno.deployed("--check")
    assert looked.changed == 0, looked.output

    stranger = sno.beside("stranger").refused()
    assert f"it belongs to the deployment of cluster sno in {sno.work_dir}" in stranger.message

    refused = sno.run("destroy_cluster")
    assert not refused.ok and "openshift_confirm=sno" in refused.output
    wrong = sno.run("destroy_cluster", extra={"openshift_confirm": "demo"})
    assert not wrong.ok and "Nothing was done" in wrong.output
    assert sno.lab.writes() == written, "a BMC was written to"

    powered_off_but_not_forgotten(sno)

    destroyed = sno.run("destroy_cluster", extra={"openshift_confirm": "sno"})
    assert destroyed.ok, destroyed.output
    kept = {path.name for path in sno.work_dir.iterdir()}
    assert {"auth", "report.html", "report.json"} <= kept and not kept & {"images", "config", "state.json"}, kept
    assert "not wiped" in destroyed.output
    sno.lab.assert_nothing_left()
    assert sno.run("destroy_cluster", extra={"openshift_confirm": "sno"}).changed == 0
    purge = {"openshift_confirm": "sno", "openshift_destroy_purge": True}
    (sno.work_dir / "notes.txt").write_text("of the user")
    stopped = sno.run("destroy_cluster", extra=purge)
    assert (
        not stopped.ok
        and "contains files that this collection did not create: notes.txt" in stopped.message
        and (sno.work_dir / "auth").exists()
    )
    (sno.work_dir / "notes.txt").unlink()
    purged = sno.run("destroy_cluster", extra=purge)
    assert purged.ok and not sno.work_dir.exists(), purged.output


def powered_off_but_not_forgotten(sno: Deployment) -> None:
    """state.json says installed, the BMC answers, the cluster does not: what became of it is unknown, so nothing is
    booted.
    """
    hosts = json.loads(sno.inventory.read_text())["all"]["children"]["control_plane"]["hosts"]
    bmc = [
        {"name": name, "bmc": variables["openshift_host"]["bmc"], "take_over": True}
        for name, variables in hosts.items()
    ]
    off = sno.module(
        "boot_hosts",
        {
            "hosts": bmc,
            "state": "off",
            "connect_to": sno.lab.vars["openshift_connect_to"],
            "ca_cert": sno.lab.vars["openshift_ca_cert"],
        },
    )
    assert off.ok, off.output
    before = sno.lab.writes()
    run = sno.refused()
    assert "no service or API of this deployment answers" in run.message and "start_over" in run.message, run.message
    assert sno.lab.writes() == before and sno.lab.machine("sno-0")["power"] == "Off"


def running_in(directory: Path) -> list[str]:
    """Command lines that name a directory; the lab's own process aside."""
    commands = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and int(entry.name) != os.getpid() and (entry / "cmdline").exists():
            commands.append((entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace"))
    return [command for command in commands if str(directory) in command]
