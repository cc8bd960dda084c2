# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Helpers: start a lab for a test, and run playbooks against it as a user does: ansible-playbook in a separate process,
with an inventory and the playbook's name.
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest
import yaml
from ansible_collections.zerotouch.openshift.tests.support import upstream
from ztlab.control import ask

from .canaries import shown

ROOT = Path(__file__).parents[2]
BIN = Path(sys.executable).parent
SPEED = os.environ.get("ZTLAB_SPEED", "120")
# Lab speed until the output of a run contains WATCHES.
SLOW, WATCHES = 10.0, " : Supervise the installation]"
# Seconds of the wall clock after which a test gives up; nothing is measured with it.
LIMIT = 300.0


@dataclasses.dataclass(frozen=True)
class Run:
    """A playbook run that has ended."""

    code: int
    output: str

    @property
    def ok(self) -> bool:
        return self.code == 0

    @property
    def changed(self) -> int:
        """Changed tasks, from the recap."""
        recap = re.search(
            r"^localhost\s*: ok=\d+\s+changed=(\d+)", self.output.rpartition("PLAY RECAP")[2], re.MULTILINE
        )
        if recap is None:
            pytest.fail(f"the run ended without a recap:\n{self.output}")
        return int(recap[1])

    @property
    def failure(self) -> dict[str, Any]:
        """The result of the first task that failed; the last one repeats its message."""
        found = re.search(
            r"^fatal: \[localhost\]: FAILED! => (\{$.*?^\}|\{[^\n]*\}$)", self.output, re.MULTILINE | re.DOTALL
        )
        if found is None:
            pytest.fail(f"no task failed:\n{self.output}")
        return dict(json.loads(found[1]))

    @property
    def message(self) -> str:
        """What the failed task says."""
        return str(self.failure["msg"])


class Lab:
    """One ``ztlab`` process and what it says of itself."""

    def __init__(self, directory: Path, site: Path, options: Sequence[str] = ()) -> None:
        self.directory = directory
        self.options = options
        self.state = directory / "lab"
        self.site = site

    def up(self) -> None:
        description = upstream.optional(upstream.SWAGGER)
        swagger = ["--swagger", str(description)] if description else []
        self._ztlab("up", "--site", str(self.site), "--speed", SPEED, "--ttl", "3h", *swagger, *self.options)
        self.vars_file.write_text(self._ztlab("vars"))

    @property
    def vars_file(self) -> Path:
        return self.directory / "vars.yml"

    @property
    def vars(self) -> dict[str, Any]:
        return dict(yaml.safe_load(self.vars_file.read_text()))

    def status(self) -> dict[str, Any]:
        """What ``ztlab status --json`` prints."""
        return dict(ask(self.state, "status"))

    def machine(self, name: str) -> dict[str, Any]:
        return next(machine for machine in self.status()["machines"] if machine["name"] == name)

    def writes(self) -> dict[str, int]:
        """Changing requests that each BMC has seen so far; logins are no change."""
        return {machine["name"]: int(machine["writes"]) for machine in self.status()["machines"]}

    def bmc_writes(self, *, refused: bool = False) -> list[dict[str, Any]]:
        """The changing requests of all BMCs in their order, each with machine, method, path, summary; ``refused``: with
        those that a BMC refused.
        """
        kinds = ["writes", *(["refused_writes"] if refused else [])]
        found = [
            write for machine in self.status()["machines"] for kind in kinds for write in machine["bmc"].get(kind, [])
        ]
        return sorted(found, key=lambda write: int(write["number"]))

    def powers(self) -> dict[str, str]:
        """Power state by machine."""
        return {machine["name"]: str(machine["power"]) for machine in self.status()["machines"]}

    def boots(self) -> dict[str, list[str]]:
        """What each machine has booted so far."""
        return {machine["name"]: list(machine["boots"]) for machine in self.status()["machines"]}

    def power(self, state: str, *machines: str) -> None:
        """Switch machines on or off past their BMCs; none named: all of them."""
        ask(self.state, "power", machines=list(machines), power=state)

    def install(self, machine: str, system: str = "", *, cluster: str = "") -> None:
        """Another team installs an operating system on a machine, or makes it a worker of a cluster that runs."""
        ask(self.state, "install", machine=machine, system=system, cluster=cluster)

    def nodes(self, cluster: str = "") -> dict[str, str]:
        """State of each Node, as the lab sees the clusters (of this name)."""
        clusters = [found for found in self.status()["clusters"] if cluster in ("", found["name"])]
        return {name: str(state) for found in clusters for name, state in found["nodes"].items()}

    def kubeconfig(self, cluster: str = "") -> Path:
        """A kubeconfig of a cluster that goes straight to its address."""
        name = cluster or "newest"
        path = self.directory / f"{name}.kubeconfig"
        path.write_text(self._ztlab("kubeconfig", *(["--cluster", cluster] if cluster else [])))
        return path

    def hide(self, variable: str) -> Any:
        """Take a variable out of what playbooks of this lab are started with; its value."""
        found = self.vars
        value = found.pop(variable)
        self.vars_file.write_text(yaml.safe_dump(found))
        return value

    def methods(self) -> set[str]:
        """HTTP methods that any BMC has seen."""
        return {method for machine in self.status()["machines"] for method in machine["requests"]}

    def fault(self, kind: str, machine: str = "", *, count: int = 1, **options: object) -> None:
        """Inject a fault for the next ``count`` times, 0: until it is cleared."""
        words = [kind, "--count", str(count), *(["--machine", machine] if machine else [])]
        for name, value in options.items():
            words += ["--option", f"{name}={value}"]
        self._ztlab("fault", "add", *words)

    def clear_faults(self) -> None:
        self._ztlab("fault", "clear")

    def change_speed(self, speed: float) -> None:
        ask(self.state, "speed", speed=speed)

    def boot(self, machine: str, image: str) -> None:
        """What a person at the rack does."""
        self._ztlab("boot", machine, "--image", image)

    def sessions(self) -> dict[str, int]:
        """How many BMC sessions are open, by machine."""
        return {machine["name"]: int(machine["sessions"]) for machine in self.status()["machines"]}

    def assert_nothing_left(self, before: Mapping[str, int] = MappingProxyType({})) -> None:
        """No medium is attached and no BMC session is open, but those of a run that was killed (``before``)."""
        left = {machine["name"]: (machine["medium"], machine["sessions"]) for machine in self.status()["machines"]}
        assert not [name for name, (medium, sessions) in left.items() if medium or sessions > before.get(name, 0)], left

    def hub_kubeconfig(self) -> Path:
        """For kubectl: a kubeconfig of the hub that goes straight to its address."""
        path = self.directory / "hub.kubeconfig"
        path.write_text(self._ztlab("kubeconfig", "--hub"))
        return path

    def down(self) -> list[str]:
        """End it; the answers of the assisted-service that were not as its API description has them."""
        violations = []
        if self.state.exists():
            violations = list(self.status()["service"]["violations"])
            self._ztlab("down")
        return violations

    def _ztlab(self, *words: str) -> str:
        command = [str(BIN / "ztlab"), *words, "--state", str(self.state)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT, check=False)
        if done.returncode:
            pytest.fail(f"{' '.join(command)} ended with {done.returncode}:\n{done.stdout}\n{done.stderr}")
        return done.stdout


class Deployment:
    """An inventory, a work directory and the lab that is played with: deploys, destroys."""

    def __init__(
        self,
        lab: Lab | None,
        inventory: Path,
        directory: Path,
        work_dir: str = "cluster",
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self._lab = lab
        self.inventory = inventory
        self.directory = directory
        self.work_dir = directory / work_dir
        self.environment = dict(environment or {})

    @property
    def lab(self) -> Lab:
        if self._lab is None:
            pytest.fail("this deployment has no lab")
        return self._lab

    def beside(self, work_dir: str) -> Deployment:
        """The same with another work directory: another user deploys to the same machines."""
        return Deployment(self._lab, self.inventory, self.directory, work_dir, self.environment)

    def elsewhere(self) -> Deployment:
        """Another work directory, and an inventory of other machines for a cluster of the same name: as the user of
        another hub has them.
        """

        def other_machines(inventory: dict[str, Any]) -> None:
            inventory.update(json.loads(json.dumps(inventory).replace("52:54:00:", "52:54:01:")))

        return self.beside("elsewhere").described_as(other_machines)

    def described_as(self, change: Callable[[dict[str, Any]], object]) -> Deployment:
        """The same work directory and machines, described by a changed inventory."""
        inventory = json.loads(self.inventory.read_text())
        change(inventory)
        path = write_inventory(self.directory / f"hosts-{len(list(self.directory.glob('hosts-*')))}.json", inventory)
        return Deployment(self._lab, path, self.directory, self.work_dir.name, self.environment)

    def start(
        self, playbook: str = "deploy_cluster", *options: str, extra: Mapping[str, Any] | None = None
    ) -> subprocess.Popen[str]:
        lab = ["-e", f"@{self._lab.vars_file}"] if self._lab else []
        variables = {"openshift_work_dir": str(self.work_dir), **(extra or {})}
        name = playbook if playbook.startswith("/") else f"zerotouch.openshift.{playbook}"
        command = [str(BIN / "ansible-playbook"), name, "-i", str(self.inventory), *lab]
        return self._started([*command, "-e", json.dumps(variables), *options])

    def _started(self, command: list[str]) -> subprocess.Popen[str]:
        return subprocess.Popen(
            command,
            cwd=self.directory,
            env=self._environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )

    def _environment(self) -> dict[str, str]:
        inherited = {name: value for name, value in os.environ.items() if not name.startswith("ANSIBLE_")}
        own = {
            "ANSIBLE_COLLECTIONS_PATH": str(ROOT / ".build"),
            "ANSIBLE_NOCOLOR": "1",
            "PYTHONUNBUFFERED": "1",
            "PWD": str(self.directory),
        }
        return inherited | own | self.environment

    def run(self, playbook: str = "deploy_cluster", *options: str, extra: Mapping[str, Any] | None = None) -> Run:
        """Run a playbook to its end."""
        return self._ended(self.start(playbook, *options, extra=extra), playbook)

    def shell(self, command: str) -> Run:
        """A command of a page, in the directory of the deployment."""
        return self._ended(self._started(["bash", "-c", command]), command)

    def _ended(self, process: subprocess.Popen[str], what: str) -> Run:
        try:
            output = process.communicate(timeout=LIMIT)[0]
        except subprocess.TimeoutExpired:
            kill_all(process.pid)
            pytest.fail(f"{what} did not end within {LIMIT:g} s:\n{process.communicate()[0]}")
        return Run(process.returncode, looked_through(output))

    def module(self, name: str, arguments: Mapping[str, Any], *options: str) -> Run:
        """Open one module ad hoc."""
        command = [
            str(BIN / "ansible"),
            "localhost",
            "-m",
            f"zerotouch.openshift.{name}",
            "-a",
            json.dumps(arguments),
            *options,
        ]
        done = subprocess.run(
            command,
            cwd=self.directory,
            env=self._environment(),
            capture_output=True,
            text=True,
            timeout=LIMIT,
            check=False,
        )
        return Run(done.returncode, looked_through(done.stdout + done.stderr))

    def deploy(self, *options: str, **more: Any) -> Run:
        return self.run("deploy_cluster", *options, **more)

    def deployed(self, *options: str, **more: Any) -> Run:
        """Deploy, which must succeed."""
        run = self.deploy(*options, **more)
        assert run.ok, run.output
        return run

    def refused(self, *options: str, **more: Any) -> Run:
        """Deploy, which must fail, in words and not with a traceback."""
        run = self.deploy(*options, **more)
        assert not run.ok, run.output
        assert "Traceback" not in run.output, run.output
        return run

    def watched(
        self, moment: Callable[[str], bool], act: Callable[[int, str], object], **more: Any
    ) -> tuple[Run, float]:
        """Start to deploy, call ``act(process id, output)`` as soon as ``moment(output so far)``; the run, and how many
        seconds it then took to end.

        Until the run watches the machines the lab is slow: on a busy machine they would be done before it begins, and
        some moments would never come.
        """
        if self._lab:
            self._lab.change_speed(SLOW)
        process = self.start(**more)
        lines: list[str] = []
        reader = threading.Thread(target=lambda: lines.extend(process.stdout or ()), daemon=True)
        reader.start()
        deadline = time.monotonic() + LIMIT
        slow = self._lab is not None
        while not moment("".join(lines)):
            if process.poll() is not None or time.monotonic() > deadline:
                kill_all(process.pid)
                reader.join()
                pytest.fail(f"the moment never came:\n{''.join(lines)}")
            if slow and WATCHES in "".join(lines):
                self.lab.change_speed(float(SPEED))
                slow = False
            time.sleep(0.005)
        if slow:
            self.lab.change_speed(float(SPEED))
        acted = time.monotonic()
        act(process.pid, "".join(lines))
        try:
            process.wait(timeout=LIMIT)
        except subprocess.TimeoutExpired:
            kill_all(process.pid)
            reader.join()
            pytest.fail(f"the run did not end within {LIMIT:g} s:\n{''.join(lines)}")
        took = time.monotonic() - acted
        reader.join(timeout=LIMIT)
        return Run(process.returncode, looked_through("".join(lines))), took

    def untouched(self, playbook: str = "deploy_cluster", *options: str, extra: Mapping[str, Any] | None = None) -> Run:
        """Run a playbook that must change nothing at any BMC: it is killed at the first attempt, so that the lab keeps
        what the test is about.
        """
        before = len(self.lab.bmc_writes(refused=True))
        process = self.start(playbook, *options, extra=extra)
        lines: list[str] = []
        reader = threading.Thread(target=lambda: lines.extend(process.stdout or ()), daemon=True)
        reader.start()
        deadline = time.monotonic() + LIMIT
        attempts: list[dict[str, Any]] = []
        while process.poll() is None and not attempts and time.monotonic() < deadline:
            time.sleep(0.2)
            attempts = self.lab.bmc_writes(refused=True)[before:]
        if process.poll() is None:
            kill_all(process.pid)
        process.wait(timeout=LIMIT)
        reader.join(timeout=LIMIT)
        output = looked_through("".join(lines))
        attempts = self.lab.bmc_writes(refused=True)[before:]
        if attempts:
            writes = [(write["machine"], write["summary"]) for write in attempts]
            pytest.fail(f"{playbook} wrote to BMCs: {writes}\n{output}")
        assert process.returncode >= 0, f"{playbook} did not end within {LIMIT:g} s:\n{output}"
        assert "Traceback" not in output, output
        return Run(process.returncode, output)

    def stopped(self, playbook: str = "deploy_cluster", *options: str, extra: Mapping[str, Any] | None = None) -> Run:
        """Like :meth:`untouched`, and the run must fail."""
        run = self.untouched(playbook, *options, extra=extra)
        assert not run.ok, run.output
        return run

    def interrupted(self, moment: Callable[[str], bool], end: Callable[[int], None], **more: Any) -> tuple[str, float]:
        """Like :meth:`watched`, for a run that does not survive it."""
        run, took = self.watched(moment, lambda process, output: end(process), **more)
        assert not run.ok, run.output
        return run.output, took

    def parts(self) -> list[Path]:
        """Half-written files."""
        return list(self.work_dir.rglob("*.part"))


_TOKEN_OF_IMAGE = re.compile(r"/([0-9a-f]{32})/[^/\s]*\.iso")


def looked_through(output: str) -> str:
    """Every output of every run is searched for the secrets of the inventories."""
    found = shown(output)
    assert not found, f"{found} in the output:\n{output}"
    tokens = _TOKEN_OF_IMAGE.findall(output)
    assert not tokens, f"the token of the image's URL {tokens} in the output:\n{output}"
    return output


def family(process: int) -> list[int]:
    """A process and everything that descends from it; Ansible's workers have sessions of their own, so a group does not
    hold them.
    """
    parents: dict[int, int] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with contextlib.suppress(OSError):
                parents[int(entry.name)] = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
    found = [process]
    for member in found:
        found += [child for child, parent in parents.items() if parent == member]
    return found


def kill_all(process: int) -> None:
    """SIGKILL for the playbook and its workers, as the machine's end would have it.

    The parent first, so that it reports nothing.
    """
    for member in family(process):
        with contextlib.suppress(ProcessLookupError):
            os.kill(member, signal.SIGKILL)


def kill_parent(process: int) -> None:
    """SIGKILL for the playbook alone: ``kill -9``, the memory killer.

    Its workers learn of it when they next say something.
    """
    os.kill(process, signal.SIGKILL)


def ctrl_c(process: int) -> None:
    """What a terminal sends for Ctrl-C: SIGINT to the process group."""
    os.killpg(process, signal.SIGINT)


def read_inventory(name: str) -> dict[str, Any]:
    """An inventory of the repository as data, to be changed and written."""
    return dict(yaml.safe_load((ROOT / "inventories" / name / "hosts.yml").read_text()))


def host_of(inventory: dict[str, Any], name: str) -> dict[str, Any]:
    """``openshift_host`` of a host."""
    groups = inventory["all"]["children"].values()
    found: dict[str, Any] = next(group["hosts"][name] for group in groups if name in group["hosts"])["openshift_host"]
    return found


def write_inventory(path: Path, data: Mapping[str, Any]) -> Path:
    path.write_text(json.dumps(data, indent=1))
    return path


def without(data: dict[str, Any], group: str, hosts: Sequence[str] = ()) -> None:
    """Take hosts (none named: all) out of a group."""
    for name in hosts or list(data["all"]["children"][group]["hosts"]):
        del data["all"]["children"][group]["hosts"][name]
