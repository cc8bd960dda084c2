# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test two runs on one work directory, and a work directory in which files were deleted."""

from __future__ import annotations

import json

from .lab import LIMIT, Deployment, looked_through


def test_two_runs_at_once_and_files_that_are_gone(sno: Deployment) -> None:
    two_runs_at_once(sno)
    assert sno.deployed().changed == 0
    files_that_are_gone(sno)


def two_runs_at_once(sno: Deployment) -> None:
    """One run installs; the other is refused with a message, or starts when the installation is complete."""
    processes = [sno.start() for _each in range(2)]
    outputs = [looked_through(process.communicate(timeout=LIMIT)[0]) for process in processes]
    codes = [process.returncode for process in processes]
    assert 0 in codes, "\n----\n".join(outputs)
    for code, output in zip(codes, outputs, strict=True):
        assert "Traceback" not in output, output
        assert code == 0 or f"uses {sno.work_dir}" in output, output
    booted = [device for device in sno.lab.machine("sno-0")["boots"] if device.startswith("disk")]
    assert len(booted) == 1, "the machine was installed more than once"


def files_that_are_gone(sno: Deployment) -> None:
    """Each is found again in what is left; no machine is touched, no key is drawn."""
    written = sno.lab.writes()
    state, kubeconfig, password = (
        sno.work_dir / name for name in ("state.json", "auth/kubeconfig", "auth/kubeadmin-password")
    )
    secrets, texts = json.loads(state.read_text())["secrets"], [kubeconfig.read_text(), password.read_text()]

    for path in (kubeconfig, password):
        path.unlink()
    run = sno.deployed()
    assert "auth/kubeconfig was missing" in run.output, run.output
    assert [kubeconfig.read_text(), password.read_text()] == texts

    state.unlink()
    run = sno.deployed()
    assert "state.json does not exist" in run.output, run.output
    document = json.loads(state.read_text())
    assert document["secrets"] == secrets and document["install"]["phase"] == "installed"
    assert [kubeconfig.read_text(), password.read_text()] == texts
    assert sno.lab.writes() == written, "a BMC was written to"
    assert sno.deployed().changed == 0
