# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Run a sequence of playbooks against a lab, and compare the writes of each step with those that the oracle (oracle.py)
permits.
"""

from __future__ import annotations

import dataclasses
import json
import re
import shutil
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import yaml

from ..integration.canaries import PULL_SECRET
from ..integration.conftest import MakeLab
from ..integration.lab import Deployment, kill_all, looked_through, without
from ..integration.safety import Shelf, elsewhere, machine_of, member, powered_on, rack, with_hub
from .oracle import OWN_NAME, History, Verdict, Write, forbidden, judge, rack_of
from .sequences import AT_FIRST_WRITE, MACHINES, TO_THE_END, Sequence, Situation, Step

# Seconds of the wall clock after which a run that may write is ended as if it had been killed: the soak is about what
# is written, not about its end.
PATIENCE = 180.0
# Seconds in which a BMC finishes the request of a run that was killed.
SETTLE = 0.5
# A lab ends by itself 20 minutes after its start; a shared one is replaced well before.
AGE = 600.0


class SharedCluster(Shelf):
    """The cluster that method agent installed, shared by sequences as long as neither machines nor hub nor service nor
    its own directory have changed.
    """

    def __init__(self, make: Callable[[Path], Deployment], directory: Path) -> None:
        super().__init__(make, directory)
        self._made_at = 0.0

    def get(self) -> Deployment:
        if self._deployment is not None and time.monotonic() - self._made_at > AGE:
            self._deployment.lab.down()
            self._deployment = None
        before = self._count
        deployment = super().get()
        if self._count != before:
            self._made_at = time.monotonic()
        return deployment

    @staticmethod
    def _look(deployment: Deployment) -> tuple[Any, ...]:
        status = deployment.lab.status()
        remote = [status[part][kind] for part in ("hub", "standalone") for kind in ("infra_envs", "hosts", "clusters")]
        state = deployment.work_dir / "state.json"
        return *Shelf._look(deployment), remote, state.read_bytes() if state.exists() else b""


def prepare(make_lab: MakeLab, directory: Path, situation: Situation) -> Deployment:
    """A lab with the rack of a situation, with a hub and an assisted-service that no variable names."""
    machines = MACHINES[situation.rack]

    def site(document: dict[str, Any]) -> None:
        document["machines"] = [machine_of(document, name) for name in machines]
        with_hub(document)
        prefix = machine_of(document, machines[0])["addresses"][0].rpartition(".")[0]
        document["service"] = {"address": f"{prefix}.7", "base_domain": "lab.example.com", "auth": "none"}
        _change(document, situation, prefix)

    def inventory(document: dict[str, Any]) -> None:
        if "workers" in document["all"]["children"]:
            without(document, "workers")

    return rack(make_lab, directory, situation.rack, site, inventory)


def _change(document: dict[str, Any], situation: Situation, prefix: str) -> None:
    if situation.kind == "other-system" or (situation.kind == "bare-metal-hosts" and situation.on):
        powered_on("rhel-8", *situation.machines)(document)
    if situation.kind == "bare-metal-hosts":
        owned = [{"machine": name, "namespace": "metal", "name": f"rack-{name}"} for name in situation.machines]
        document["hub"]["bare_metal_hosts"] = owned
    if situation.kind == "elsewhere":
        elsewhere(document, *map(member, situation.machines), api=f"{prefix}.8", address=f"{prefix}.90")
    if situation.kind == "unrecorded":
        platform = "none" if situation.rack == "sno" else "baremetal"
        members = [member(name, "master") for name in situation.machines]
        document["clusters"][0] |= {"installed": True, "platform": platform, "members": members}


@dataclasses.dataclass(frozen=True)
class Played:
    """A step that has ended; a negative ``code`` is the signal that ended it."""

    code: int
    output: str
    writes: tuple[Write, ...]

    @property
    def reason(self) -> str:
        """The begin of the message with which the run failed: a soak whose steps all fail for a trivial reason would
        prove nothing.
        """
        found = re.search(r'"msg": "(.{1,300})', self.output)
        return found[1] if found else "no task failed"


class Player:
    """One sequence against one deployment."""

    def __init__(self, deployment: Deployment, sequence: Sequence, variables: dict[str, Any]) -> None:
        self._deployment, self._sequence, self._variables = deployment, sequence, variables
        own = sequence.situation.kind == "own"
        records = {("main", name): "agent" for name in sequence.situation.machines} if own else {}
        self._history = History(records, finished=frozenset({"main"} if own else ()))
        self.progress: list[str] = []

    def play(self) -> list[str]:
        """What was wrong, in lines; empty when every write was allowed. Ends at the first step with a fault."""
        with self._own_directories() as scratch:
            for number, step in enumerate(self._sequence.steps, 1):
                found = self._step(number, step, scratch)
                if found:
                    return [*self._sequence.lines(), *self.progress, *found]
        return []

    @contextmanager
    def _own_directories(self) -> Iterator[Path]:
        """A directory for what is lost and for fresh work directories.

        Afterwards the main one is as it was, and nothing else is left.
        """
        main, directory = self._deployment.work_dir, self._deployment.directory
        scratch = directory.parent / f"{directory.name}-seed-{self._sequence.seed}"
        scratch.mkdir()
        if main.exists():
            shutil.copytree(main, scratch / "kept", symlinks=True)
        try:
            yield scratch
        finally:
            shutil.rmtree(main, ignore_errors=True)
            shutil.rmtree(directory / "sibling", ignore_errors=True)
            shutil.rmtree(Path(self._deployment.environment["HOME"]) / ".kube", ignore_errors=True)
            if (scratch / "kept").exists():
                shutil.copytree(scratch / "kept", main, symlinks=True)
            shutil.rmtree(scratch)

    def _step(self, number: int, step: Step, scratch: Path) -> list[str]:
        lab, situation = self._deployment.lab, self._sequence.situation
        lab.clear_faults()
        for fault in step.faults:
            kind, options = ("api-down", {"cluster": "hub"}) if fault.kind == "hub-down" else (fault.kind, {})
            lab.fault(kind, fault.machine, count=0, **options)
        place = {"fresh": f"fresh {number}", "sibling": "sibling"}.get(step.work_dir, "main")
        work_dir = self._work_dir(step, number, scratch)
        history = self._history.before(step)
        verdicts = judge(step, place, rack_of(lab.status(), situation, step), history, MACHINES[situation.rack])
        played = self._run(step, work_dir, verdicts)
        self._history = history.after(step, place, verdicts, played.writes, played.code)
        machines = sorted({write.machine for write in played.writes})
        self.progress.append(
            f"step {number}: ended with {played.code}, may touch {verdicts}, wrote to {machines}; {played.reason}"
        )
        wrong = [
            f"step {number} wrote to {write.machine}, which it must not: {write.summary}"
            for write in forbidden(verdicts, played.writes)
        ]
        if "Traceback" in played.output:
            wrong.append(f"step {number} ended with a traceback")
        return [*wrong, "the output of the step:", played.output] if wrong else []

    def _work_dir(self, step: Step, number: int, scratch: Path) -> Path:
        main = self._deployment.work_dir
        if step.work_dir == "lost":
            shutil.rmtree(main, ignore_errors=True)
        return {"fresh": scratch / f"job-{number}" / "cluster", "sibling": main.parent / "sibling"}.get(
            step.work_dir, main
        )

    def _run(self, step: Step, work_dir: Path, verdicts: dict[str, Verdict]) -> Played:
        """Run the playbook; a write that is forbidden ends it at once."""
        lab = self._deployment.lab
        before = len(lab.bmc_writes(refused=True))
        self._stray_kubeconfig(step)
        options = ("--check",) if step.check else ()
        process = self._deployment.start(step.playbook, *options, extra=self._extra(step, work_dir))
        lines: list[str] = []
        reader = threading.Thread(target=lambda: lines.extend(process.stdout or ()), daemon=True)
        reader.start()
        deadline = time.monotonic() + PATIENCE
        while process.poll() is None:
            writes = self._writes(before)
            if forbidden(verdicts, writes) or time.monotonic() > deadline or _is_moment(step, writes, len(lines)):
                kill_all(process.pid)
                break
            time.sleep(0.2)
        return self._ended(process, reader, lines, before)

    def _ended(self, process: subprocess.Popen[str], reader: threading.Thread, lines: list[str], before: int) -> Played:
        process.wait(timeout=PATIENCE)
        if process.returncode < 0:
            time.sleep(SETTLE)
        reader.join(timeout=PATIENCE)
        return Played(process.returncode, looked_through("".join(lines)), tuple(self._writes(before)))

    def _writes(self, before: int) -> list[Write]:
        found = self._deployment.lab.bmc_writes(refused=True)[before:]
        return [
            Write(str(write["machine"]), f"{write['method']} {write['path']} {write['summary']}") for write in found
        ]

    def _stray_kubeconfig(self, step: Step) -> None:
        directory = Path(self._deployment.environment["HOME"]) / ".kube"
        shutil.rmtree(directory, ignore_errors=True)
        if step.hub == "stray":
            directory.mkdir()
            shutil.copy(self._variables["openshift_hub"]["kubeconfig"], directory / "config")

    def _extra(self, step: Step, work_dir: Path) -> dict[str, Any]:
        situation = self._sequence.situation
        extra: dict[str, Any] = {
            "openshift_work_dir": str(work_dir),
            "openshift_install_method": step.method,
            "openshift_force": list(step.force),
        }
        if step.confirm != "none":
            extra["openshift_confirm"] = OWN_NAME[situation.rack] if step.confirm == "right" else "another"
        if step.hosts:
            extra["openshift_hosts"] = list(step.hosts)
        if step.method == "assisted":
            extra["openshift_assisted"] = self._variables["openshift_assisted"]
        if step.hub in ("named", "wrong"):
            binding = "none" if step.playbook == "add_hosts" else "late"
            extra["openshift_hub"] = {**self._variables["openshift_hub"], "binding": binding}
            if step.playbook == "add_hosts":
                extra["openshift_infra_env"] = {"pull_secret": PULL_SECRET}
        if step.hub == "wrong":
            extra["openshift_hub"]["kubeconfig"] = str(self._wrong_hub())
        return extra

    def _wrong_hub(self) -> Path:
        """A kubeconfig that leads to a port where nothing listens."""
        document = yaml.safe_load(Path(self._variables["openshift_hub"]["kubeconfig"]).read_text())
        for cluster in document["clusters"]:
            cluster["cluster"]["server"] = "https://127.0.0.1:1"
        path = self._deployment.directory / "wrong-hub.kubeconfig"
        path.write_text(json.dumps(document))
        return path


def _is_moment(step: Step, writes: list[Write], lines: int) -> bool:
    """Whether the step is to be killed now."""
    if step.kill == TO_THE_END:
        return False
    return bool(writes) if step.kill == AT_FIRST_WRITE else lines >= step.kill


def unnamed(deployment: Deployment) -> dict[str, Any]:
    """Take hub and service out of the variables that every run gets, once for a lab; what they were."""
    path = deployment.directory / "named.json"
    if not path.exists():
        path.write_text(
            json.dumps(
                {variable: deployment.lab.hide(variable) for variable in ("openshift_hub", "openshift_assisted")}
            )
        )
    return dict(json.loads(path.read_text()))


class Soak:
    """Plays sequences; those that begin with a cluster of their own share its lab."""

    def __init__(self, make_lab: MakeLab, directory: Path) -> None:
        self._make_lab, self._directory = make_lab, directory
        self._shared: dict[str, SharedCluster] = {}

    def play(self, sequence: Sequence) -> list[str]:
        """What was wrong, in lines; prints the seed and the steps first."""
        print("\n".join(sequence.lines()), flush=True)
        if sequence.situation.kind == "own":
            return self._played(self._own(sequence.situation).get(), sequence)
        deployment = prepare(self._make_lab, self._directory / f"seed-{sequence.seed}", sequence.situation)
        try:
            return self._played(deployment, sequence)
        finally:
            deployment.lab.down()

    def _played(self, deployment: Deployment, sequence: Sequence) -> list[str]:
        player = Player(deployment, sequence, unnamed(deployment))
        found = player.play()
        print("\n".join(player.progress), flush=True)
        return found

    def _own(self, situation: Situation) -> SharedCluster:
        def make(directory: Path) -> Deployment:
            deployment = prepare(self._make_lab, directory, situation)
            unnamed(deployment)
            return deployment

        return self._shared.setdefault(situation.rack, SharedCluster(make, self._directory / f"own-{situation.rack}"))
