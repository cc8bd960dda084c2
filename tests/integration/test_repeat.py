# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Deploy, deploy again, look without touching, destroy: what the promises of repetition and check mode are worth in the lab."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from pathlib import Path

from conftest import Site


def files_below(directory: Path) -> set[str]:
    return {str(path.relative_to(directory)) for path in directory.rglob("*")} if directory.exists() else set()


def test_deploy_twice_then_destroy(sno: Site) -> None:
    first = sno.deploy()
    assert first.ok, first.output
    writes = sno.lab.bmc_writes()
    assert writes > 0

    again = sno.deploy()
    assert again.ok and again.changed == 0, again.output
    assert sno.lab.bmc_writes() == writes, "the second run wrote to a BMC"
    for name in ("auth/kubeconfig", "auth/kubeadmin-password", "auth/kubeconfig.direct", "state.json", "images/agent.x86_64.iso"):
        assert stat.S_IMODE((sno.work_dir / name).stat().st_mode) == 0o600, name

    refused = sno.run("destroy_cluster")
    assert not refused.ok and "openshift_confirm" in refused.output
    assert sno.lab.bmc_writes() == writes

    destroyed = sno.run("destroy_cluster", extra={"openshift_confirm": "sno"})
    assert destroyed.ok, destroyed.output
    assert not (sno.work_dir / "state.json").exists() and (sno.work_dir / "auth" / "kubeconfig").exists()
    assert {machine["power"] for machine in sno.lab.status()["machines"]} == {"Off"}
    assert sno.run("destroy_cluster", extra={"openshift_confirm": "sno"}).changed == 0


def test_check_mode_from_nothing(sno: Site) -> None:
    before = files_below(sno.directory)
    run = sno.deploy("--check", "--diff")
    assert run.ok, run.output
    assert files_below(sno.directory) - before <= {".ansible"}, "check mode wrote files"
    assert not sno.work_dir.exists()
    status = sno.lab.status()
    assert {method for machine in status["machines"] for method in machine["requests"]} <= {"GET"}
    for words in ("power off", "insert", "boot once from", "power on"):
        assert words in run.output or words == "power off", f"the plan does not say {words!r}:\n{run.output}"


def test_two_labs_side_by_side(make_site: Callable[..., Site]) -> None:
    first, second = make_site("sno"), make_site("sno")
    one, two = first.start(), second.start()
    outputs = [process.communicate(timeout=300)[0] for process in (one, two)]
    assert (one.returncode, two.returncode) == (0, 0), "\n".join(outputs)
    assert first.lab.vars["openshift_connect_to"] != second.lab.vars["openshift_connect_to"]


def test_nothing_is_left_in_the_process_list(sno: Site) -> None:
    assert sno.deploy().ok
    commands = [Path(f"/proc/{pid}/cmdline") for pid in os.listdir("/proc") if pid.isdigit()]
    running = [path.read_bytes().replace(b"\0", b" ").decode(errors="replace") for path in commands if path.exists()]
    assert not [command for command in running if str(sno.work_dir) in command and "ztlab" not in command]
