# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Generate random sequences of playbook runs against a small rack, each from one seed.

This module only returns data: :mod:`.play` runs the sequences, :mod:`.oracle` judges them.
"""

from __future__ import annotations

import dataclasses
import random
from typing import Literal

MACHINES = {"sno": ("sno-0",), "demo": ("master-0", "master-1", "master-2")}
PLAYBOOKS = ("deploy_cluster", "add_hosts", "remove_hosts", "reprovision_hosts", "scale_node_pool", "destroy_cluster")
# A run ends by itself, is killed at its first write to a BMC, or after this many lines of output.
TO_THE_END, AT_FIRST_WRITE = 0, -1

# off: blank machines; other-system: on with an operating system of another owner; elsewhere: members of another
# cluster; unrecorded: a cluster with the name and the addresses of the inventory that no work directory records;
# bare-metal-hosts: a hub has BareMetalHosts of another owner for the machines; own: method agent installed the cluster
# from work directory main.
Kind = Literal["off", "other-system", "elsewhere", "unrecorded", "bare-metal-hosts", "own"]
# main: the one of the sequence; lost: the same path after its content was lost; sibling: a directory next to it; fresh:
# a directory far from it.
WorkDir = Literal["main", "lost", "sibling", "fresh"]
# stray: only a kubeconfig in the home directory; named: openshift_hub is the hub of the lab; wrong: openshift_hub leads
# to a port where nothing answers.
Hub = Literal["none", "stray", "named", "wrong"]
Confirm = Literal["none", "wrong", "right"]


@dataclasses.dataclass(frozen=True)
class Situation:
    """A rack before the first step; ``machines`` are those that ``kind`` is about, the others are off and blank."""

    rack: str
    kind: Kind
    machines: tuple[str, ...]
    on: bool = True


@dataclasses.dataclass(frozen=True)
class Fault:
    kind: str
    machine: str = ""


@dataclasses.dataclass(frozen=True)
class Step:
    """One playbook run; ``hosts`` is ``openshift_hosts``, ``work_dir`` says where the run keeps its state."""

    playbook: str
    method: str = "agent"
    hub: Hub = "none"
    work_dir: WorkDir = "main"
    force: tuple[str, ...] = ()
    confirm: Confirm = "none"
    hosts: tuple[str, ...] = ()
    faults: tuple[Fault, ...] = ()
    kill: int = TO_THE_END
    check: bool = False


@dataclasses.dataclass(frozen=True)
class Sequence:
    seed: int
    situation: Situation
    steps: tuple[Step, ...]

    def lines(self) -> list[str]:
        """For a person: the seed, the situation, and each step without what it leaves at its default."""
        steps = [f"  {number}. {_brief(step)}" for number, step in enumerate(self.steps, 1)]
        situation = self.situation
        power = "" if situation.on else ", power off"
        return [
            (f"seed {self.seed}: rack {situation.rack}, {situation.kind}: {', '.join(situation.machines)}{power}"),
            *steps,
        ]


def _brief(step: Step) -> str:
    shown = [
        f"{field.name}={getattr(step, field.name)}"
        for field in dataclasses.fields(step)
        if field.name not in ("playbook", "faults") and getattr(step, field.name) != field.default
    ]
    faults = [(fault.kind, fault.machine or "all") for fault in step.faults]
    return " ".join([step.playbook, *shown, *(f"fault={kind}:{machine}" for kind, machine in faults)])


def generate(seed: int, *, short: bool = False) -> Sequence:
    """The sequence of a seed. ``short``: one machine, two steps, no installation that runs to its end."""
    source = random.Random(seed)
    situation = _situation(source, short)
    count = 2 if short else source.randint(2, 4)
    return Sequence(seed, situation, tuple(_step(source, situation, short) for _ in range(count)))


def _situation(source: random.Random, short: bool) -> Situation:
    rack = "sno" if short else source.choice(["sno", "sno", "demo"])
    kinds: list[Kind] = ["off", "other-system", "elsewhere", "unrecorded", "bare-metal-hosts"]
    weights = [2, 3, 3, 3, 2]
    if not short:
        kinds, weights = [*kinds, "own"], [*weights, 3]
    kind = source.choices(kinds, weights)[0]
    machines = MACHINES[rack]
    if kind in ("other-system", "elsewhere", "bare-metal-hosts"):
        machines = tuple(sorted(source.sample(machines, source.randint(1, len(machines)))))
    on = source.random() < 0.5 if kind == "bare-metal-hosts" else kind != "off"
    return Situation(rack, kind, machines, on)


def _step(source: random.Random, situation: Situation, short: bool) -> Step:
    playbook = source.choices(PLAYBOOKS, [10, 2, 1, 1, 1, 4])[0]
    method = source.choices(["agent", "hub", "assisted"], [5, 3, 2])[0]
    work_dir = source.choices(["main", "lost", "sibling", "fresh"], [5, 2, 2, 3])[0]
    forces = [
        (),
        ("take_over",),
        ("start_over",),
        ("take_over", "start_over"),
        ("reboot_joined_hosts",),
        ("abandon_hub",),
    ]
    needs_hosts = playbook in ("remove_hosts", "reprovision_hosts")
    return Step(
        playbook,
        method,
        _hub(source, method),
        work_dir,  # type: ignore[arg-type]
        source.choices(forces, [6, 4, 4, 1, 1, 1])[0],
        source.choices(("none", "wrong", "right"), [4, 2, 4])[0],  # type: ignore[arg-type]
        (source.choice(MACHINES[situation.rack]),) if needs_hosts else (),
        _faults(source, situation),
        _kill(source, short),
        source.random() < 0.15,
    )


def _hub(source: random.Random, method: str) -> Hub:
    choices: dict[str, tuple[Hub, ...]] = {
        "agent": ("none", "none", "stray", "named"),
        "hub": ("named", "named", "named", "wrong"),
        "assisted": ("none", "stray"),
    }
    return source.choice(choices[method])


def _faults(source: random.Random, situation: Situation) -> tuple[Fault, ...]:
    """Often none; api-down and kubelet-down together make a cluster silent."""
    machines = MACHINES[situation.rack]
    silent = (Fault("api-down"), *(Fault("kubelet-down", machine) for machine in machines))
    single = Fault("bmc-down", source.choice(machines))
    choices = [(), silent, (Fault("api-down"),), silent[1:], (Fault("service-down"),), (Fault("hub-down"),), (single,)]
    return source.choices(choices, [8, 3, 2, 1, 1, 1, 1])[0]


def _kill(source: random.Random, short: bool) -> int:
    """Most runs that write are ended at once: what they may do is known by then, and the next step finds half of it."""
    lines = source.randint(3, 60)
    return source.choices([AT_FIRST_WRITE, lines, TO_THE_END], [6, 2, 0 if short else 1])[0]
