# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test the live system's scripts that print the installation status on the console and that collect data for support.
They run in a temporary root directory.
"""

from __future__ import annotations

import json
import shutil
import tarfile
from typing import Any

import pytest

from .scratch import SCRIPTS, SERVICE, NewSandbox


def test_the_console_shows_the_state_and_hosts_that_cannot_be_configured(sandbox: NewSandbox) -> None:
    box = sandbox()
    box.write("/run/agent-installer/host-config-failures", "m1: Host not registered\n")
    box.answers("GET", "/clusters", '[{"name": "kni", "status": "installed", "status_info": "Cluster is installed"}]')
    assert box.run("install-status.sh", env=SERVICE).returncode == 0
    assert box.read("/etc/issue.d/80_install-status.issue") == (
        "Cluster kni is installed: Cluster is installed\nHosts that cannot be configured:\nm1: Host not registered\n"
    )
    assert box.calls("agetty") == ["--reload"]


@pytest.mark.parametrize(("answer", "text"), [("fail", "does not answer yet"), ("[]", "is not registered yet")])
def test_the_console_before_the_cluster_exists(sandbox: NewSandbox, answer: str, text: str) -> None:
    box = sandbox()
    box.answers("GET", "/clusters", answer)
    box.run("install-status.sh", env=SERVICE, sleeps=2)
    assert text in box.read("/etc/issue.d/80_install-status.issue")
    assert len(box.calls("agetty")) == 1


needs_xz = pytest.mark.skipif(shutil.which("xz") is None, reason="xz is not installed here (it is on the live system)")


@needs_xz
def test_gathering_leaves_secrets_out(sandbox: NewSandbox, secrets: Any) -> None:
    box = sandbox()
    for name in ("journalctl", "systemctl", "nmcli", "ip", "chronyc", "lsblk"):
        box.command(name, f"echo output of {name}")
    box.write("/etc/assisted/node0", "BOOTSTRAP_HOST_MAC=x\n")
    answer = {
        "id": "e1",
        "name": "kni",
        "pull_secret_set": True,
        "user_token": "t",
        "proxy": {"password": "secret-word"},
    }
    box.answers("GET", "/infra-envs", json.dumps([answer]))
    box.answers("GET", "/clusters", json.dumps([answer]))
    box.answers("GET", "/infra-envs/e1/hosts", "[]")
    box.answers("GET", "/events?infra_env_id=e1", "[]")
    target = box.root / "out.tar.xz"
    result = box.run("agent-gather", "-o", str(target))
    assert result.returncode == 0, result.stderr
    with tarfile.open(target) as archive:
        members = {name: archive.extractfile(name) for name in archive.getnames()}
        contents = {
            name.removeprefix("agent-gather/"): handle.read().decode() for name, handle in members.items() if handle
        }
    assert json.loads(contents["service/infra-envs.json"]) == [{"id": "e1", "name": "kni", "proxy": {}}]
    assert contents["journal/agent.log"] == "output of journalctl\n"
    assert contents["service/events.json"].strip() == "[]"
    everything = "".join(contents.values())
    assert not [value for value in (*secrets.values(), "secret-word") if value in everything]


@needs_xz
def test_gathering_to_standard_output(sandbox: NewSandbox) -> None:
    box = sandbox()
    result = box.shell(f'"{box.path(SCRIPTS)}/agent-gather" -O | tar --list --xz')
    assert "agent-gather/journal/agent.log" in result.stdout
    assert box.run("agent-gather", "-x").returncode == 2
