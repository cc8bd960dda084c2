# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test access after a deployment: the kubeconfig works, the report opens, and the output ends with all file names."""

from __future__ import annotations

import json
import os
import re
import shutil
import stat
import subprocess

import pytest

from .conftest import Installed


def test_kubectl_with_the_direct_kubeconfig(installed: Installed) -> None:
    program = shutil.which("kubectl")
    if program is None:
        pytest.skip("kubectl is not installed")
    work_dir = installed.deployment.work_dir
    kubeconfig = work_dir / "auth" / "kubeconfig.direct"
    assert stat.S_IMODE(kubeconfig.stat().st_mode) == 0o600
    command = [program, "--kubeconfig", str(kubeconfig), "get", "nodes,co,clusterversion"]
    environment = {"PATH": os.environ["PATH"], "HOME": str(installed.deployment.directory)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    assert re.search(r"^node/sno-0 +Ready +control-plane,master,worker ", done.stdout, re.MULTILINE), done.stdout
    assert re.search(r"^clusteroperator\S*/authentication +4\.22\.0 +True +False +False", done.stdout, re.MULTILINE), (
        done.stdout
    )
    assert re.search(r"^clusterversion\S*/version +4\.22\.0 +True +False", done.stdout, re.MULTILINE), done.stdout
    done = subprocess.run(
        [*command, "-o", "json"], env=environment, capture_output=True, text=True, timeout=60, check=False
    )
    kinds = [item["kind"] for item in json.loads(done.stdout)["items"]]
    assert kinds.count("Node") == 1 and kinds.count("ClusterOperator") > 30 and kinds.count("ClusterVersion") == 1


def test_the_report(installed: Installed) -> None:
    work_dir = installed.deployment.work_dir
    report = json.loads((work_dir / "report.json").read_text())
    page = (work_dir / "report.html").read_text()
    assert report["cluster"]["name"] == "sno" and "sno-0" in page
    # Self-contained: nothing is fetched from anywhere.
    assert not re.search(r"""(src|href)=["']?(https?:)?//""", page.replace('href="https://console', "")), (
        "the page fetches something"
    )
    assert "<script" not in page and "<svg" in page


def test_the_end_of_the_output_says_where_everything_is(installed: Installed) -> None:
    end = installed.second.output.rpartition("Print the paths of credentials and report")[2]
    for words in (
        "auth/kubeconfig.direct",
        "auth/kubeadmin-password",
        "report.html",
        "agent.x86_64.iso",
        "console-openshift-console.apps.sno.example.com",
    ):
        assert words in end, end
