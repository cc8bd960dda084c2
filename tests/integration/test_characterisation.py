# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Compare the effect of the playbooks, method by method, with the recordings in tests/characterisation/runs. The test
shows that a change of the code has not changed this effect.

Each step of a case is a playbook, first in check mode and then for real: the plan of check mode has each boot and power
action that the run then does. A recording has that plan, the tasks that changed something, the writes of each BMC in
order, and how often each kind of object was written. ``ZT_RECORD_RUNS=1`` records; a recording is changed in a commit
of its own.
"""

from __future__ import annotations

import dataclasses
import difflib
import json
import os
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from .conftest import MakeLab, canary_inventory, canary_site
from .lab import ROOT, Deployment, Run, kill_all
from .safety import rack, with_hub

pytestmark = [pytest.mark.long, pytest.mark.timeout(1800)]
RECORDED = ROOT / "tests" / "characterisation" / "runs"
_MASKS = (
    (re.compile(r"\x1b\[[0-9;]*m"), ""),
    (re.compile(r"/tmp/[^\s'\"]*(?=/cluster\b)"), "DIR"),
    (re.compile(r"127\.\d+\.\d+\.\d+(:\d+)?"), "LOOPBACK"),
    (re.compile(r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b"), "UUID"),
    (re.compile(r"\b[0-9a-f]{32,}\b"), "HEX"),
    (re.compile(r"\beyJ[\w-]+\.[\w-]+\.[\w-]+"), "JWT"),
    (re.compile(r"\b\d+(\.\d+)? (MiB|GiB|KiB|s)\b"), "N \\2"),
)


def masked(text: str) -> str:
    """Without what differs between runs: directories, loopback addresses, tokens, sizes, times."""
    for pattern, replacement in _MASKS:
        text = pattern.sub(replacement, text)
    return text


def plan_of(run: Run) -> list[str]:
    return [masked(line) for line in run.output.splitlines() if line.startswith("would ")]


# Lines of the plan that name a machine that boots an image, or that is switched off. What a wait does by itself (eject,
# power cycle) is one line.
_BOOTS = (
    re.compile(r"would boot (\S+)(?: into discovery)?(?: \(|: )"),
    re.compile(r"would insert .*\[(\S+)\]$"),
    re.compile(r"would take (\S+) out of .* and boot it"),
)
_OFFS = (
    re.compile(r"would power off ([^\s(]+) \("),
    re.compile(r"would power off .*\[(\S+)\]$"),
    re.compile(r"would take (\S+) out of .* and power it off"),
)


def listed(plan: list[str]) -> tuple[set[str], set[str]]:
    """The machines that the plan boots, and those that it switches off."""
    boots, offs = (
        {match[1].split(".")[0] for line in plan for pattern in patterns if (match := pattern.match(line))}
        for patterns in (_BOOTS, _OFFS)
    )
    return boots, offs - boots


def written(bmc: Mapping[str, list[str]]) -> tuple[set[str], set[str]]:
    """The machines that were booted, and those that were switched off."""
    boots = {machine for machine, texts in bmc.items() if any("InsertMedia" in text for text in texts)}
    return boots, {
        machine for machine, texts in bmc.items() if any("ResetType=ForceOff" in text for text in texts)
    } - boots


def changed_tasks(run: Run) -> list[str]:
    """Names of the tasks that changed something, in order."""
    found, task = [], ""
    for line in run.output.splitlines():
        if named := re.match(r"TASK \[(.*)\] \*", line):
            task = named[1]
        elif line.startswith("changed: ["):
            found.append(task)
    return found


class Recorder:
    """What the lab has seen since the last look."""

    def __init__(self, deployment: Deployment) -> None:
        self._lab = deployment.lab
        self._bmc = 0
        self._api: dict[str, int] = {}

    def look(self) -> dict[str, Any]:
        writes = self._lab.bmc_writes()
        fresh, self._bmc = writes[self._bmc :], len(writes)
        of_machines: dict[str, list[str]] = {}
        for write in fresh:
            of_machines.setdefault(write["machine"], []).append(masked(write["summary"]))
        api = self._api_writes()
        since = {what: count - self._api.get(what, 0) for what, count in api.items() if count != self._api.get(what, 0)}
        self._api = api
        return {"bmc": dict(sorted(of_machines.items())), "api": dict(sorted(since.items()))}

    def _api_writes(self) -> dict[str, int]:
        status = self._lab.status()
        found: dict[str, int] = {}
        servers = {"hub": status.get("hub") or {}, "service": status.get("standalone") or {}}
        for title, server in servers.items():
            for what, count in (server.get("requests") or {}).items():
                if not what.startswith(("GET ", "HEAD ")):
                    found[f"{title}: {masked(what)}"] = int(count)
        return found


def agent(make_lab: MakeLab, directory: Path) -> Deployment:
    return rack(make_lab, directory, "sno")


def agent_five(make_lab: MakeLab, directory: Path) -> Deployment:
    return rack(make_lab, directory, "demo")


def hub(make_lab: MakeLab, directory: Path) -> Deployment:
    deployment = rack(make_lab, directory, "demo", with_hub)
    found = deployment.lab.vars["openshift_hub"]
    return deployment.described_as(
        lambda inventory: inventory["all"]["vars"].update(openshift_install_method="hub", openshift_hub=found)
    )


def of_inventory(name: str) -> Callable[[MakeLab, Path], Deployment]:
    def make(make_lab: MakeLab, directory: Path) -> Deployment:
        directory.mkdir(parents=True, exist_ok=True)
        return Deployment(
            make_lab(directory, canary_site(name, directory)), canary_inventory(name, directory), directory
        )

    return make


@dataclasses.dataclass(frozen=True)
class Step:
    """A playbook, with further variables."""

    title: str
    playbook: str = "deploy_cluster"
    extra: Mapping[str, Any] = dataclasses.field(default_factory=dict)


def leaving(cluster: str, *hosts: str) -> dict[str, Any]:
    return {"openshift_confirm": cluster, **({"openshift_hosts": list(hosts)} if hosts else {})}


def pool(**settings: Any) -> dict[str, Any]:
    return {"openshift_node_pool": settings}


# Of the cases with a hub only plan and writes are compared: how often its operators write differs from run to run.
WITH_RECORDING = ("agent-1", "agent-5", "assisted")
TWICE = (Step("deploy"), Step("deploy again"))
CASES: dict[str, tuple[Callable[[MakeLab, Path], Deployment], tuple[Step, ...]]] = {
    "agent-1": (
        agent,
        (
            *TWICE,
            Step("destroy", "destroy_cluster", leaving("sno")),
            Step("destroy again", "destroy_cluster", leaving("sno")),
        ),
    ),
    "agent-5": (agent_five, (*TWICE, Step("destroy", "destroy_cluster", leaving("demo")))),
    "assisted": (
        of_inventory("assisted"),
        (*TWICE, Step("add", "add_hosts"), Step("destroy", "destroy_cluster", leaving("edge"))),
    ),
    "hub": (
        hub,
        (
            *TWICE,
            Step("add again", "add_hosts"),
            Step("reprovision", "reprovision_hosts", leaving("demo", "worker-1")),
            Step("remove", "remove_hosts", leaving("demo", "worker-0")),
            Step("remove again", "remove_hosts", leaving("demo", "worker-0")),
            Step("destroy", "destroy_cluster", leaving("demo")),
        ),
    ),
    "hosted": (
        of_inventory("hosted"),
        (
            Step("deploy", extra=pool(replicas=2)),
            Step("deploy again", extra=pool(replicas=2)),
            Step("grow", "scale_node_pool", pool(replicas=3)),
            Step("shrink", "scale_node_pool", {**pool(replicas=2), **leaving("guest")}),
            Step("remove", "remove_hosts", leaving("guest", "node-0")),
            Step("reprovision", "reprovision_hosts", leaving("guest", "node-1")),
            Step("destroy", "destroy_cluster", leaving("guest")),
        ),
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_runs_are_as_recorded(case: str, make_lab: MakeLab, tmp_path: Path) -> None:
    make, steps = CASES[case]
    deployment = make(make_lab, tmp_path / case)
    recorder, found = Recorder(deployment), {}
    for step in steps:
        looked = deployment.run(step.playbook, "--check", extra=step.extra)
        assert looked.ok, looked.output
        during = recorder.look()
        assert not during["bmc"], f"check mode of {step.title} wrote to BMCs: {during['bmc']}"
        run = deployment.run(step.playbook, extra=step.extra)
        assert run.ok, run.output
        found[step.title] = {"plan": plan_of(looked), "changed": changed_tasks(run), **recorder.look()}
        for planned, done in zip(listed(found[step.title]["plan"]), written(found[step.title]["bmc"]), strict=True):
            # Whether a host that leaves its cluster becomes free without a boot is not known before.
            assert planned == done or (step.playbook == "reprovision_hosts" and done <= planned), (
                f"{step.title}: {found[step.title]}"
            )
    if case in WITH_RECORDING:
        compare(RECORDED / f"{case}.json", found)


def test_a_killed_run_is_resumed_as_recorded(make_lab: MakeLab, tmp_path: Path) -> None:
    """Killed at its first write to a BMC; how much of the boot is left then depends on the moment, which tasks act does
    not.
    """
    deployment = agent(make_lab, tmp_path / "killed")
    deployment.interrupted(lambda output: bool(deployment.lab.bmc_writes()), kill_all)
    run = deployment.deployed()
    compare(RECORDED / "killed.json", {"resumed": {"changed": changed_tasks(run)}})


def compare(path: Path, found: dict[str, Any]) -> None:
    text = json.dumps(found, indent=1) + "\n"
    if os.environ.get("ZT_RECORD_RUNS"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    changes = list(
        difflib.unified_diff(path.read_text().splitlines(), text.splitlines(), "recorded", "found", lineterm="", n=2)
    )
    assert not changes, "\n".join(changes)
