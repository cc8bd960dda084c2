# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Run the wrappers in playbooks/awx with ansible-runner, as a controller does: secrets come from injected files and the
environment, the project is read-only, and jobs are cancelled.
"""

from __future__ import annotations

import json
import os
import shlex
import shutil
import signal
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from .job import PlainJob
from .lab import BIN, ROOT, Deployment
from .stores import Stores
from .test_jobs import AGENT, METHODS, assert_one_power_cycle, credentials, finished, killed_at

pytestmark = [
    pytest.mark.long,
    pytest.mark.timeout(1800),
    pytest.mark.skipif(not (BIN / "ansible-runner").exists(), reason="ansible-runner is not installed"),
]
MOMENTS = ("before anything", "building", "powering on", "waiting", "registered", "installing")


class RunnerJob(PlainJob):
    """A job with the directories of ansible-runner.

    ``kill`` cancels it as an execution node does: a signal to the runner, then the end of the container.
    """

    def __init__(self, deployment: Deployment) -> None:
        super().__init__(deployment, "runner")
        self.work_dir = self.runner / "work" / "cluster"
        self.secrets: dict[str, str] = {}
        self.injected: dict[str, Any] = {}

    def start(
        self, playbook: str = "deploy_cluster", *options: str, extra: Mapping[str, Any] | None = None
    ) -> subprocess.Popen[str]:
        env = self.runner / "env"
        variables = {**self.lab.vars, "openshift_work_dir": str(self.work_dir), **self.injected, **(extra or {})}
        variables["openshift_pull_secret_file"] = str(env / "pull_secret")
        files = self._inputs(variables)
        self._strip(files / "hosts.json")
        (files / "pull_secret").write_text(self.secrets["pull_secret"])
        (files / "envvars").write_text(
            json.dumps({"OPENSHIFT_STATE_PASSPHRASE": self.secrets["passphrase"], "ANSIBLE_NOCOLOR": "1"})
        )
        run = [str(BIN / "ansible-runner"), "run", str(self.runner), "-p", f"{playbook}.yml", *options]
        steps = f"""
cp {ROOT}/playbooks/awx/*.yml .; chmod -R a-w .
mkdir -m 700 ../inventory ../env ../work
cp ../inputs/hosts.json ../inventory/; cp ../inputs/vars.json ../env/extravars; cp ../inputs/envvars ../inputs/pull_secret ../env/
exec {shlex.join(run)}"""  # noqa: E501
        return self._popen(files, ["bash", "-euc", steps])

    def kill(self, process: subprocess.Popen[str]) -> None:
        os.killpg(process.pid, signal.SIGTERM)
        super().kill(process)

    def _strip(self, path: Path) -> None:
        """Take the secrets out of the inventory; what the credentials inject replaces them."""
        site = json.loads(path.read_text())
        everything = site["all"]["vars"]
        self.secrets["pull_secret"] = everything["openshift_cluster"].pop("pull_secret")
        for host in site["all"]["children"]["control_plane"]["hosts"].values():
            for name in ("username", "password"):
                del host["openshift_host"]["bmc"][name]
        path.write_text(json.dumps(site))


@pytest.fixture
def job(sno: Deployment, tmp_path: Path) -> Iterator[RunnerJob]:
    stores = Stores(tmp_path)
    made = RunnerJob(sno)
    site = json.loads(sno.inventory.read_text())
    (host,) = site["all"]["children"]["control_plane"]["hosts"].values()
    made.injected["openshift_bmc_defaults"] = {
        name: host["openshift_host"]["bmc"][name] for name in ("username", "password")
    }
    made.secrets["pull_secret"] = site["all"]["vars"]["openshift_cluster"]["pull_secret"]
    store = dict(stores.options("http"))
    made.secrets["passphrase"] = store.pop("passphrase")
    made.injected["openshift_state"] = store
    yield made
    stores.stop()
    shutil.rmtree(made.runner, ignore_errors=True)


def test_jobs_of_a_controller_are_cancelled_and_continued(job: RunnerJob) -> None:
    method = METHODS["agent"]
    variables = method.deploy.variables
    log = [killed_at(job, "deploy_cluster", name, AGENT[name], variables) for name in MOMENTS]
    run = finished(job, "deploy_cluster", variables)
    assert "state: restored" in run.output, run.output
    assert_one_power_cycle(job.lab, method.installs, "\n".join([*log, run.output]))
    credentials(job, method)
    for secret in (job.secrets["passphrase"], job.injected["openshift_bmc_defaults"]["password"]):
        assert secret not in "".join([*log, run.output])
    # Nothing was written beside the playbooks.
    assert {path.name for path in (job.runner / "project").iterdir()} == {
        path.name for path in (ROOT / "playbooks" / "awx").iterdir()
    }
