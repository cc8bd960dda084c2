# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""A lab for a test, and playbooks run against it as a user runs them: in a process of their own, with an inventory, by name."""

from __future__ import annotations

import dataclasses
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[2]
SHARED = ROOT.parent / "shared"
BIN = Path(sys.executable).parent
SPEED = os.environ.get("ZTLAB_SPEED", "120")
LIMIT = 300


@dataclasses.dataclass(frozen=True)
class Run:
    """A playbook run that has ended."""

    code: int
    output: str

    @property
    def changed(self) -> int:
        """Changed tasks of all hosts, from the recap."""
        return sum(int(number) for number in re.findall(r"changed=(\d+)", self.output.rpartition("PLAY RECAP")[2]))

    @property
    def ok(self) -> bool:
        return self.code == 0


class Lab:
    """One ``ztlab`` process and what it says of itself."""

    def __init__(self, directory: Path, site: Path) -> None:
        self.directory = directory
        self.state = directory / "lab"
        self.site = site

    def up(self, *options: str) -> None:
        self._ztlab("up", "--site", str(self.site), "--speed", SPEED, "--ttl", "20m", *options)
        self.vars_file.write_text(self._ztlab("vars"))

    @property
    def vars_file(self) -> Path:
        return self.directory / "vars.yml"

    @property
    def vars(self) -> dict[str, Any]:
        return dict(yaml.safe_load(self.vars_file.read_text()))

    def status(self) -> dict[str, Any]:
        return dict(json.loads(self._ztlab("status", "--json")))

    def machine(self, name: str) -> dict[str, Any]:
        return next(machine for machine in self.status()["machines"] if machine["name"] == name)

    def bmc_writes(self) -> int:
        """Changing requests that all BMCs have seen so far; logins are no change."""
        return sum(int(machine["writes"]) for machine in self.status()["machines"])

    def fault(self, *words: str) -> None:
        self._ztlab("fault", "add", *words)

    def clear_faults(self) -> None:
        self._ztlab("fault", "clear")

    def console(self, name: str) -> str:
        return self._ztlab("console", name)

    def down(self) -> None:
        self._ztlab("down")

    def _ztlab(self, verb: str, *words: str) -> str:
        command = [str(BIN / "ztlab"), verb, "--state", str(self.state), *words]
        done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT, check=False)
        if done.returncode:
            pytest.fail(f"{' '.join(command)} ended with {done.returncode}:\n{done.stdout}\n{done.stderr}")
        return done.stdout


class Site:
    """A lab with an inventory: deploys, destroys, calls doors."""

    def __init__(self, lab: Lab, inventory: Path, directory: Path) -> None:
        self.lab = lab
        self.inventory = inventory
        self.directory = directory
        self.work_dir = directory / "cluster"

    def start(self, playbook: str = "deploy_cluster", *options: str, extra: Mapping[str, Any] | None = None) -> subprocess.Popen[str]:
        variables = {"openshift_work_dir": str(self.work_dir), **(extra or {})}
        command = [str(BIN / "ansible-playbook"), f"zerotouch.openshift.{playbook}", "-i", str(self.inventory), "-e", f"@{self.lab.vars_file}"]
        command += ["-e", json.dumps(variables), *options]
        environment = {**os.environ, "ANSIBLE_COLLECTIONS_PATH": str(ROOT / ".build"), "ANSIBLE_NOCOLOR": "1", "PYTHONUNBUFFERED": "1"}
        environment["PWD"] = str(self.directory)
        return subprocess.Popen(
            command,
            cwd=self.directory,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )

    def run(self, playbook: str = "deploy_cluster", *options: str, extra: Mapping[str, Any] | None = None, limit: float = LIMIT) -> Run:
        process = self.start(playbook, *options, extra=extra)
        try:
            output, _nothing = process.communicate(timeout=limit)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            output, _nothing = process.communicate()
            pytest.fail(f"{playbook} did not end within {limit} s:\n{output}")
        return Run(process.returncode, output)

    def deploy(self, *options: str, **more: Any) -> Run:
        return self.run("deploy_cluster", *options, **more)

    def run_until(self, seen: Callable[[str], bool], kill: signal.Signals, **more: Any) -> str:
        """Start a deployment, kill the whole process group as soon as ``seen(output so far)``; returns the output."""
        process = self.start(**more)
        output = ""
        started = time.monotonic()
        for line in process.stdout or ():
            output += line
            if seen(output):
                os.killpg(process.pid, kill)
                break
            if time.monotonic() - started > LIMIT:
                os.killpg(process.pid, signal.SIGKILL)
                pytest.fail(f"the moment to kill never came:\n{output}")
        output += process.stdout.read() if process.stdout else ""
        process.wait(timeout=30)
        return output


@pytest.fixture
def make_site(tmp_path: Path) -> Iterator[Callable[..., Site]]:
    """``make_site("sno")``: a running lab for an inventory of the repository; taken down after the test."""
    labs: list[Lab] = []

    def make(name: str, inventory: Path | None = None, site_file: Path | None = None) -> Site:
        directory = tmp_path / f"{name}-{len(labs)}"
        directory.mkdir()
        lab = Lab(directory, site_file or ROOT / "inventories" / name / "site.yml")
        lab.up()
        labs.append(lab)
        return Site(lab, inventory or ROOT / "inventories" / name / "hosts.yml", directory)

    yield make
    for lab in labs:
        lab.down()


@pytest.fixture
def sno(make_site: Callable[..., Site]) -> Site:
    return make_site("sno")
