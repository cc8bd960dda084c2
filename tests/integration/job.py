# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Run a playbook as a job of an automation controller does: in a separate container, which is deleted with the job.

The private directory of the job is a tmpfs that only the job sees, its processes are those of a PID namespace that is
killed as a whole, the checkout is read-only, and the user has no passwd entry (ansible/awx awx/main/tasks/jobs.py,
ansible-runner config/_base.py). The network is the machine's.

Where namespaces are not permitted, jobs run in plain directories (:class:`PlainJob`): each has a new private directory,
which is deleted with all processes of the job when it is killed. User and checkout are then those of the tests.
"""

from __future__ import annotations

import contextlib
import functools
import json
import os
import secrets
import shlex
import shutil
import signal
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from .lab import BIN, ROOT, Deployment

# A user id that no user of the machine has.
UID = 54321
_NAMESPACES = ("unshare", "--mount", "--pid", "--fork", "--kill-child=SIGKILL", "--mount-proc")
_USER = ("setpriv", f"--reuid={UID}", f"--regid={UID}", "--clear-groups", "--no-new-privs")
# If only root may read the directory of the interpreter, as with pyenv, the job must read its programs nevertheless.
# Nothing becomes writable.
_READS = ("--inh-caps=+dac_read_search", "--ambient-caps=+dac_read_search")
# Processes of a plain job are recognised by this variable of their environment.
_MARK = "ZT_TEST_JOB"
# Seconds after which a job takes the lease of a killed one over. They are 90, or 30 (a namespace may get the number of
# one that has ended), which tests/unit/deployment/state/test_keeper.py proves; a suite of a hundred killed jobs would
# wait for hours. No job lives while another one waits so.
_TAKE_OVER = 4.0
_SITE = f"""
import importlib.machinery, sys
class Sooner:
    @staticmethod
    def find_spec(name, path=None, target=None):
        if not name.endswith(".deployment.state.lease"):
            return None
        spec = importlib.machinery.PathFinder.find_spec(name, path, target)
        run = spec.loader.exec_module
        def changed(module):
            run(module)
            module.TAKE_OVER = module.TAKE_OVER_ENDED = {_TAKE_OVER}
        spec.loader.exec_module = changed
        return spec
sys.meta_path.insert(0, Sooner)
"""


@functools.lru_cache(maxsize=1)
def obstacle() -> str:
    """Why there can be no namespaces here; empty when there can. ``ZT_JOBS=plain`` forbids them."""
    if os.environ.get("ZT_JOBS") == "plain":
        return "ZT_JOBS=plain"
    if os.geteuid() or not shutil.which("unshare") or not shutil.which("setpriv"):
        return "namespaces need root, unshare and setpriv"
    done = subprocess.run([*_NAMESPACES, *_USER, *_READS, "true"], capture_output=True, text=True, check=False)
    return done.stderr.strip()


def as_jobs(deployment: Deployment, name: str = "job") -> JobDeployment:
    """The deployment with playbooks that run as jobs, in namespaces where they are permitted.

    Jobs that run at the same time have different names.
    """
    if why := obstacle():
        print(f"Jobs run in plain directories, without namespaces: {why}.")
        return PlainJob(deployment, name)
    return NamespaceJob(deployment)


class JobDeployment(Deployment):
    """``runner`` is the private directory inside of each job.

    ``kept`` is a copy of the work directory of the last job that ended by itself.
    """

    def __init__(self, deployment: Deployment, runner: Path) -> None:
        super().__init__(
            deployment._lab,
            deployment.inventory,
            deployment.directory,
            deployment.work_dir.name,
            deployment.environment,
        )
        self.runner = runner
        self.work_dir = runner / "project" / "cluster"
        self.kept = deployment.directory / "kept"
        self.volume: Path | None = None
        # What a controller sets for each job.
        self.variables = {"AWX_PRIVATE_DATA_DIR": str(runner), "JOB_ID": "1"}
        site = deployment.directory / "site"
        site.mkdir(exist_ok=True)
        (site / "sitecustomize.py").write_text(_SITE)

    def be_pod(self) -> None:
        """Be a pod of another system, such as a pipeline, instead of a job of a controller."""
        self.variables = {"KUBERNETES_SERVICE_HOST": "10.0.0.1", "KUBERNETES_SERVICE_PORT": "443"}

    def mount_volume(self) -> None:
        """Let a directory that survives the jobs be their work directory."""
        self.volume = self.directory / "volume" / "cluster"
        self.volume.mkdir(parents=True, mode=0o700)

    def kill(self, process: subprocess.Popen[str]) -> None:
        """End the job as ``podman kill`` and a deleted pod do it: all processes at once, and the private directory."""
        raise NotImplementedError

    def start(
        self, playbook: str = "deploy_cluster", *options: str, extra: Mapping[str, Any] | None = None
    ) -> subprocess.Popen[str]:
        variables = {**self.lab.vars, "openshift_work_dir": str(self.work_dir), **(extra or {})}
        inside = self.runner / "inputs"
        files = self._inputs(variables)
        command = [
            str(BIN / "ansible-playbook"),
            f"zerotouch.openshift.{playbook}",
            "-i",
            str(inside / "hosts.json"),
            "-e",
            f"@{inside / 'vars.json'}",
        ]
        return self._popen(files, [*command, *options])

    def shell(self, script: str, files: Mapping[str, str]) -> subprocess.Popen[str]:
        """Run a script with these files as its project; ``site.yml`` is the inventory with the variables of the lab."""
        inputs = self._inputs(self.lab.vars)
        site = json.loads(self.inventory.read_text())
        site["all"]["vars"] |= json.loads((inputs / "vars.json").read_text())
        for name, text in {**files, "site.yml": json.dumps(site)}.items():
            (inputs / name).write_text(text)
        copies = shlex.join([*(f"../inputs/{name}" for name in files), "../inputs/site.yml"])
        return self._popen(inputs, ["bash", "-euc", f"cp {copies} .\n{script}"])

    def _popen(self, files: Path, command: list[str]) -> subprocess.Popen[str]:
        raise NotImplementedError

    def _run(self, command: list[str]) -> subprocess.Popen[str]:
        return subprocess.Popen(
            command,
            cwd="/",
            env=self._environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )

    def _environment(self) -> dict[str, str]:
        inherited = super()._environment()
        return {
            **inherited,
            "HOME": str(self.runner / "home"),
            "ANSIBLE_LOCAL_TEMP": str(self.runner / "home" / "tmp"),
            "PWD": str(self.runner / "project"),
            "PYTHONPATH": f"{self.directory / 'site'}:{inherited.get('PYTHONPATH', '')}".rstrip(":"),
            "PYTHONDONTWRITEBYTECODE": "1",
            **self.variables,
        }

    def _inputs(self, variables: dict[str, Any]) -> Path:
        """The files that a controller injects, in a directory that this test owns."""
        inputs = self.directory / "inputs"
        shutil.rmtree(inputs, ignore_errors=True)
        inputs.mkdir()
        shutil.copy(self.inventory, inputs / "hosts.json")
        if image := dict(variables.get("openshift_base_image") or {}):
            # Beside a work directory that survives, the base image is the same file for each job; else each job has a
            # copy of its own.
            (shutil.copy2 if self.volume else shutil.copy)(image["path"], inputs / "base.iso")
            variables["openshift_base_image"] = {**image, "path": str(self.runner / "inputs" / "base.iso")}
        variables["openshift_ca_cert"] = Path(variables["openshift_ca_cert"]).read_text()
        (inputs / "vars.json").write_text(json.dumps(variables))
        return inputs

    def _after(self, command: str) -> str:
        """The playbook, and then a copy of what it left, for the test to read."""
        kept = shlex.quote(str(self.kept))
        return (
            f"code=0\n{command} || code=$?\nrm -rf {kept}; cp -r {shlex.quote(str(self.work_dir))} {kept} 2>/dev/null "
            "|| true\nexit $code\n"
        )


class NamespaceJob(JobDeployment):
    """Jobs with mounts and processes of their own."""

    def __init__(self, deployment: Deployment) -> None:
        super().__init__(deployment, Path("/mnt"))

    def kill(self, process: subprocess.Popen[str]) -> None:
        os.kill(process.pid, signal.SIGKILL)

    def _popen(self, files: Path, command: list[str]) -> subprocess.Popen[str]:
        return self._run([*_NAMESPACES, "sh", "-euc", self._script(files, command)])

    def _script(self, inputs: Path, command: list[str]) -> str:
        """What PID 1 of the job does: mounts, then the playbook as its user."""
        runner, work_dir = shlex.quote(str(self.runner)), shlex.quote(str(self.work_dir))
        volume = (
            (
                f"mkdir -p {work_dir}; mount --bind {shlex.quote(str(self.volume))} {work_dir}; chown {UID} "
                f"{work_dir}; chmod 700 {work_dir}"
            )
            if self.volume
            else ""
        )
        read = [*_USER, *_READS, *command]
        return f"""
mount --make-rprivate /
mount -t tmpfs -o mode=0711 job {runner}
mkdir -p {runner}/project {runner}/home/tmp {runner}/inputs
cp -p {shlex.quote(str(inputs))}/* {runner}/inputs/
{volume}
chown -R {UID}:{UID} {runner}/project {runner}/home {runner}/inputs
mount --bind {ROOT} {ROOT}
mount -o remount,ro,bind {ROOT}
cd {runner}/project
{self._after(shlex.join(read))}"""


class PlainJob(JobDeployment):
    """Jobs in a directory that is new for each of them.

    A volume is a directory beside it, and then the job is none of a controller: a plain directory cannot be told from
    the layer of a container.
    """

    def __init__(self, deployment: Deployment, name: str) -> None:
        super().__init__(deployment, deployment.directory / name)
        self._id = ""

    def mount_volume(self) -> None:
        super().mount_volume()
        self.work_dir = self.volume or self.work_dir
        self.variables = {}

    def kill(self, process: subprocess.Popen[str]) -> None:
        mark = f"{_MARK}={self._id}".encode()
        while found := [number for number in processes() if mark in _environment_of(number).split(b"\0")]:
            for number in found:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(number, signal.SIGKILL)
        shutil.rmtree(self.runner, ignore_errors=True)

    def _popen(self, files: Path, command: list[str]) -> subprocess.Popen[str]:
        self._id = secrets.token_hex(8)
        shutil.rmtree(self.runner, ignore_errors=True)
        for name in ("project", "home/tmp"):
            (self.runner / name).mkdir(parents=True)
        shutil.copytree(files, self.runner / "inputs")
        return self._run(
            ["sh", "-euc", (f"cd {shlex.quote(str(self.runner / 'project'))}\n{self._after(shlex.join(command))}")]
        )

    def _environment(self) -> dict[str, str]:
        return {**super()._environment(), _MARK: self._id}


def processes() -> list[int]:
    """Numbers of all processes of the machine."""
    return [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit()]


def command_of(process: int) -> bytes:
    """Its arguments; empty for a process that has ended."""
    return _read(process, "cmdline")


def _environment_of(process: int) -> bytes:
    """Empty for a process that has ended, or that is another user's."""
    return _read(process, "environ")


def _read(process: int, file: str) -> bytes:
    try:
        return Path(f"/proc/{process}/{file}").read_bytes()
    except OSError:
        return b""
