# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""A playbook as the job of an automation controller runs it: a container of its own, which takes everything with it when it ends.

The private directory of the job is a tmpfs that only the job sees, its processes are those of a PID namespace that is killed as a whole, the checkout
is read-only, and the user has no passwd entry (ansible/awx awx/main/tasks/jobs.py, ansible-runner config/_base.py). The network is the machine's.
"""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from .lab import BIN, ROOT, Deployment

# Of no user on the machine.
UID = 54321
_NAMESPACES = ("unshare", "--mount", "--pid", "--fork", "--kill-child=SIGKILL", "--mount-proc")
_USER = ("setpriv", f"--reuid={UID}", f"--regid={UID}", "--clear-groups", "--no-new-privs")
# Where the interpreter is in a directory of root alone, as that of pyenv is, its programs must be readable all the same. Nothing becomes writable.
_READS = ("--inh-caps=+dac_read_search", "--ambient-caps=+dac_read_search")


def obstacle() -> str:
    """Why there can be no namespaces here; empty when there can."""
    if os.geteuid() or not shutil.which("unshare") or not shutil.which("setpriv"):
        return "namespaces need root, unshare and setpriv"
    done = subprocess.run([*_NAMESPACES, *_USER, *_READS, "true"], capture_output=True, text=True, check=False)
    return done.stderr.strip()


class JobDeployment(Deployment):
    """``runner`` is where the private directory is inside of each job; ``volume``, a directory, is mounted as its work directory and survives."""

    def __init__(self, deployment: Deployment, *, volume: Path | None = None, runner: str = "/mnt") -> None:
        super().__init__(deployment._lab, deployment.inventory, deployment.directory, deployment.work_dir.name, deployment.environment)
        self.runner = Path(runner)
        self.volume = volume
        self.work_dir = self.runner / "project" / "cluster"
        self.kept = deployment.directory / "kept"

    def start(self, playbook: str = "deploy_cluster", *options: str, extra: Mapping[str, Any] | None = None) -> subprocess.Popen[str]:
        variables = {**self.lab.vars, "openshift_work_dir": str(self.work_dir), **(extra or {})}
        inside = self.runner / "inputs"
        files = self._inputs(variables)
        command = [str(BIN / "ansible-playbook"), f"zerotouch.openshift.{playbook}", "-i", str(inside / "hosts.json"), "-e", f"@{inside / 'vars.json'}"]
        return subprocess.Popen(
            [*_NAMESPACES, "sh", "-euc", self._script(files, [*command, *options])],
            cwd="/",
            env=self._environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )

    def _environment(self) -> dict[str, str]:
        home = str(self.runner / "home")
        return {
            **super()._environment(),
            "HOME": home,
            "ANSIBLE_LOCAL_TEMP": f"{home}/tmp",
            "PWD": str(self.runner / "project"),
            "PYTHONDONTWRITEBYTECODE": "1",
            "AWX_PRIVATE_DATA_DIR": str(self.runner),
            "JOB_ID": "1",
        }

    def _inputs(self, variables: dict[str, Any]) -> Path:
        """The files that a controller injects, in a directory that this test owns."""
        inputs = self.directory / "inputs"
        shutil.rmtree(inputs, ignore_errors=True)
        inputs.mkdir()
        shutil.copy(self.inventory, inputs / "hosts.json")
        image = dict(variables["openshift_base_image"])
        shutil.copy(image["path"], inputs / "base.iso")
        image["path"] = str(self.runner / "inputs" / "base.iso")
        variables |= {"openshift_base_image": image, "openshift_ca_cert": Path(variables["openshift_ca_cert"]).read_text()}
        (inputs / "vars.json").write_text(json.dumps(variables))
        return inputs

    def _script(self, inputs: Path, command: list[str]) -> str:
        """What PID 1 of the job does: mounts, then the playbook as its user, then what it left is copied out for the test to look at."""
        runner, kept = shlex.quote(str(self.runner)), shlex.quote(str(self.kept))
        work_dir = shlex.quote(str(self.work_dir))
        volume = (
            f"mkdir -p {work_dir}; mount --bind {shlex.quote(str(self.volume))} {work_dir}; chown {UID} {work_dir}; chmod 700 {work_dir}" if self.volume else ""
        )
        return f"""
mount --make-rprivate /
mount -t tmpfs -o mode=0711 job {runner}
mkdir -p {runner}/project {runner}/home/tmp {runner}/inputs
cp {shlex.quote(str(inputs))}/* {runner}/inputs/
{volume}
chown -R {UID}:{UID} {runner}/project {runner}/home {runner}/inputs
mount --bind {ROOT} {ROOT}
mount -o remount,ro,bind {ROOT}
cd {runner}/project
code=0
{shlex.join([*_USER, *_READS, *command])} || code=$?
rm -rf {kept}; cp -r {work_dir} {kept} 2>/dev/null || true
exit $code
"""
