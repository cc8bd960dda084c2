# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Follow docs/how-to/state-in-a-job.md word for word: its commands run as they are printed, in jobs with its variables
and its credential.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import jinja2
import pytest
import yaml

from .job import JobDeployment, as_jobs
from .lab import ROOT, Deployment, Run, looked_through
from .stores import PASSPHRASE, LabApi
from .test_jobs import SLOW, boots, ended, followed

PAGE = ROOT / "docs" / "how-to" / "state-in-a-job.md"


def blocks(language: str) -> list[str]:
    """The code blocks of the page in this language."""
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE.read_text(), re.MULTILINE | re.DOTALL)


PREPARE, CHECK, DEPLOY, AGAIN, STATUS, STOP, CREDENTIALS = blocks("bash")
INPUTS, INJECTORS, STATE = blocks("yaml")


@pytest.fixture
def api(tmp_path: Path) -> Iterator[LabApi]:
    directory = tmp_path / "api"
    directory.mkdir()
    made = LabApi(directory)
    yield made
    made.stop()


class Follower:
    """Who follows the page: jobs with the credential that it describes."""

    def __init__(self, deployment: Deployment, api: LabApi) -> None:
        self._deployment = deployment
        values = {"kubeconfig": api.kubeconfig.read_text(), "passphrase": PASSPHRASE}
        assert {field["id"] for field in yaml.safe_load(INPUTS)["fields"]} == set(values)
        self._values = values
        self.job = self.new_job("job")

    def new_job(self, name: str) -> JobDeployment:
        job = as_jobs(self._deployment, name)
        job.work_dir = job.runner / "project" / "clusters" / "sno"
        tower = {"filename": {"kubeconfig": str(job.runner / "inputs" / "template.kubeconfig")}}
        injectors = yaml.safe_load(INJECTORS)
        rendered = {
            name: jinja2.Template(text).render(self._values, tower=tower) for name, text in injectors["env"].items()
        }
        job.environment = {**job.environment, **rendered}
        return job

    def start(self, command: str, job: JobDeployment | None = None) -> subprocess.Popen[str]:
        files = {
            name: jinja2.Template(text).render(self._values) for name, text in yaml.safe_load(INJECTORS)["file"].items()
        }
        return (job or self.job).shell(command, {**files, "state.yml": STATE})

    def run(self, command: str) -> Run:
        return ended(self.job, self.start(command))


@pytest.mark.long
def test_the_page(sno: Deployment, api: LabApi, tmp_path: Path) -> None:
    prepare(sno, api)
    page = Follower(sno, api)
    writes = sno.lab.writes()
    checked = page.run(CHECK)
    assert "would boot sno-0" in checked.output and sno.lab.writes() == writes, checked.output

    sno.lab.change_speed(SLOW)
    output, found = followed(page.job, page.start(DEPLOY), r"^\d\d:\d\d +\d+% .*(registered|Installation has begun)")
    assert found, output
    status = page.run(STATUS)
    assert "state: running" in status.output and "state: restored into" in status.output, status.output

    sno.lab.change_speed(SLOW)
    stopped(page)
    run = page.run(AGAIN)
    assert "state: restored into" in run.output and "inserting the image" not in run.output, run.output
    assert boots(sno.lab) == {"sno-0": 2}

    page.job.work_dir = page.job.runner / "project" / "credentials"
    credentials = page.run(CREDENTIALS)
    assert "state: done" in credentials.output, credentials.output
    for name in ("kubeconfig", "kubeadmin-password"):
        assert f"credentials/auth/{name}" in PAGE.read_text() and (page.job.kept / "auth" / name).is_file()


def prepare(sno: Deployment, api: LabApi) -> None:
    """Step 1, in a copy of the checkout as far as it is used."""
    here = sno.directory / "checkout"
    here.mkdir()
    (here / "docs").symlink_to(ROOT / "docs")
    (here / "admin.kubeconfig").write_text(api.kubeconfig.read_text())
    done = subprocess.run(
        ["bash", "-euc", PREPARE],
        cwd=here,
        env=sno._environment(),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert api.client.get("/apis/rbac.authorization.k8s.io/v1/namespaces/zerotouch/roles/zerotouch-state")


def stopped(page: Follower) -> None:
    """Step 6, beside a job that goes on with the deployment."""
    process = page.start(AGAIN)
    output = ""
    for line in process.stdout or ():
        output += line
        if "TASK" in line and "Supervise the installation" in line:
            break
    other = page.new_job("other")
    switch = ended(other, page.start(STOP, other))
    assert "the stop switch is set for" in switch.output, switch.output
    page.job.lab.change_speed(SLOW)
    output += "".join(process.stdout or ())
    assert process.wait() != 0 and "stopped this run" in looked_through(output), output
