# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test playbook status on a deployment before, during and after its installation.

The playbook writes nothing, and its exit code is the state.
"""

from __future__ import annotations

import datetime
import json
import re
import shutil
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.report.news import news_text
from ansible_collections.zerotouch.openshift.tests.support.document_server import DocumentServer

from .canaries import INVENTORY_SECRETS, of_state, shown
from .conftest import MakeLab, canary_inventory, canary_site
from .hosted import make_site
from .lab import Deployment, Run, kill_all
from .test_hub import make_site as make_hub_site
from .test_killed import MOMENTS
from .test_state_store import stored_in

CODES = {"done": 0, "running": 0, "failed": 2, "unknown": 4}


@pytest.fixture(scope="module")
def deployment(make_lab: MakeLab, tmp_path_factory: pytest.TempPathFactory) -> Deployment:
    """A single node; the tests build on each other."""
    directory = tmp_path_factory.mktemp("status")
    environment = {"ANSIBLE_SHOW_CUSTOM_STATS": "1"}
    return Deployment(
        make_lab(directory, canary_site("sno", directory)),
        canary_inventory("sno", directory),
        directory,
        environment=environment,
    )


def exported(run: Run) -> dict[str, Any]:
    """What the playbook exports for the next job of a workflow, as Ansible prints it."""
    text = run.output.partition("CUSTOM STATS")[2]
    found = re.search(r"RUN: (\{.*\})", text)
    assert found, run.output
    return dict(json.loads(found[1])["openshift_status"])


def files(directory: Path) -> dict[str, tuple[int, int]]:
    """All files but the logs of servers, whose processes run on."""
    found = [
        path
        for path in directory.rglob("*")
        if path.is_file() and path.name not in ("image-server.log", "report-server.log")
    ]
    return {str(path): (path.stat().st_mtime_ns, path.stat().st_size) for path in found}


def status(deployment: Deployment, extra: Mapping[str, Any] | None = None) -> tuple[str, Run]:
    """The state that the playbook reports, after all that holds for every state."""
    before = files(deployment.work_dir)
    run = deployment.untouched("status", extra=extra)
    assert files(deployment.work_dir) == before, run.output
    words = re.findall(r"^state: (\w+)$", run.output, re.MULTILINE)
    assert len(words) == 1, run.output
    assert (run.code, run.changed) == (CODES[words[0]], 0), run.output
    return words[0], run


def test_before(deployment: Deployment) -> None:
    state, run = status(deployment)
    assert state == "unknown" and "There is no record in" in run.output, run.output
    assert not deployment.work_dir.exists()


def test_during_the_installation(deployment: Deployment) -> None:
    deployment.interrupted(MOMENTS["waiting"](deployment), kill_all)
    deployment.lab.change_speed(1)
    state, run = status(deployment)
    assert state == "running" and exported(run)["live_report"]["updated_at"], run.output
    # The report that the killed run left says "running" as well, but there is no more news of it.
    live = live_section(deployment)
    time.sleep(
        max(
            0.0,
            datetime.datetime.fromisoformat(live["updated_at"]).timestamp() + 3 * live["interval"] + 1 - time.time(),
        )
    )
    state, run = status(deployment)
    deployment.lab.change_speed(120)
    assert state == "running" and exported(run)["live_report"] == {"updated_at": live["updated_at"], "stale": True}, (
        run.output
    )
    assert news_text(live["updated_at"]) in run.output, run.output
    assert re.search(r"^sno-0 .*\bOn\b", run.output, re.MULTILINE), run.output


def live_section(deployment: Deployment) -> dict[str, Any]:
    return dict(json.loads((deployment.work_dir / "report.json").read_text()).get("live") or {})


def test_after_the_installation(deployment: Deployment) -> None:
    deployment.deployed()
    state, run = status(deployment)
    stats = exported(run)
    assert stats["live_report"] == {} == live_section(deployment), run.output
    assert 'id="news"' not in (deployment.work_dir / "report.html").read_text()
    assert (stats["cluster"], stats["state"], stats["phase"], [host["name"] for host in stats["hosts"]]) == (
        "sno",
        "done",
        "installed",
        ["sno-0"],
    )
    assert Path(stats["paths"]["kubeconfig"]).parent == deployment.work_dir / "auth", stats["paths"]
    document = json.loads((deployment.work_dir / "state.json").read_text())
    secrets = {
        **INVENTORY_SECRETS,
        **of_state(document),
        "password": (deployment.work_dir / "auth" / "kubeadmin-password").read_text().strip(),
    }
    assert (
        len(secrets) > len(INVENTORY_SECRETS) + 5
        and not shown(json.dumps(stats), secrets)
        and not shown(run.output, secrets)
    )
    assert state == "done" and re.search(r"^sno-0 .*\bready\b.*\bOn\b", run.output, re.MULTILINE), run.output


def unreachable(deployment: Deployment) -> dict[str, Any]:
    """Variables with which neither service nor API can be reached."""
    connect_to = deployment.lab.vars["openshift_connect_to"]
    return {
        "openshift_connect_to": {
            key: "127.0.0.1:1" if key.endswith((":6443", ":8090")) else address for key, address in connect_to.items()
        }
    }


def test_an_api_that_does_not_answer_is_unknown(deployment: Deployment) -> None:
    state, run = status(deployment, unreachable(deployment))
    assert state == "unknown" and "not checked: API" in run.output, run.output


def test_a_state_that_cannot_be_read_is_unknown(deployment: Deployment) -> None:
    path = deployment.work_dir / "state.json"
    sound = path.read_bytes()
    path.write_text("{")
    state, run = status(deployment)
    path.write_bytes(sound)
    assert state == "unknown" and "state.json" in run.output, run.output


def test_a_lost_directory_is_unknown(deployment: Deployment) -> None:
    moved = deployment.work_dir.with_name("moved")
    shutil.move(deployment.work_dir, moved)
    state, run = status(deployment)
    shutil.move(moved, deployment.work_dir)
    assert state == "unknown" and "There is no record in" in run.output, run.output


def delete(directory: Path) -> None:
    """Delete a work directory. The process that holds the lease of a run ends a moment later, and can write a file
    while the directory is being deleted.
    """
    deadline = time.monotonic() + 60
    shutil.rmtree(directory, ignore_errors=True)
    time.sleep(5)
    while directory.exists() and time.monotonic() < deadline:
        shutil.rmtree(directory, ignore_errors=True)
        time.sleep(5)


def test_a_store(deployment: Deployment) -> None:
    """A new directory gets the stored state; without the passphrase the state is unknown."""
    server = DocumentServer()
    extra = stored_in(server)
    deployment.deployed(extra=extra)
    delete(deployment.work_dir)
    refused, run = status(deployment, stored_in(server, passphrase="another canary-passphrase"))
    assert refused == "unknown" and "passphrase" in run.output, run.output
    restored = deployment.untouched("status", extra=extra)
    assert restored.ok and "state: restored" in restored.output and restored.output.count("state: done") == 1, (
        restored.output
    )
    assert status(deployment, extra)[0] == "done"
    server.stop()


def test_an_installation_that_failed(deployment: Deployment) -> None:
    """A recorded failure, and nothing of the cluster answers that would contradict it."""
    path = deployment.work_dir / "state.json"
    document = json.loads(path.read_text())
    document["install"] |= {"phase": "failed", "failure": "cluster has hosts in error"}
    path.write_text(json.dumps(document))
    state, run = status(deployment, unreachable(deployment))
    assert state == "failed" and "cluster has hosts in error" in run.output, run.output


def of_method(method: str, make_lab: MakeLab, directory: Path) -> tuple[Deployment, dict[str, Any]]:
    """A deployment by another method, and its variables."""
    if method == "hosted":
        return make_site(make_lab, directory).deployment, {"openshift_node_pool": {"replicas": 3}}
    if method == "assisted":
        return Deployment(
            make_lab(directory, canary_site("assisted", directory)), canary_inventory("assisted", directory), directory
        ), {}
    site = make_hub_site(make_lab, directory)
    return site.deployment, {"openshift_install_method": "hub", "openshift_hub": site.lab.vars["openshift_hub"]}


@pytest.mark.long
@pytest.mark.parametrize("method", ["assisted", "hub", "hosted"])
def test_other_methods(method: str, make_lab: MakeLab, tmp_path: Path) -> None:
    other, extra = of_method(method, make_lab, tmp_path)
    before, run = status(other, extra)
    assert before == "unknown", run.output
    other.deployed(extra=extra)
    after, run = status(other, extra)
    assert after == "done" and run.output.count(" ready ") >= 3, run.output
