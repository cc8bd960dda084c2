# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test the generator of the soak test: the same seed gives the same sequence of runs, and every kind of step and fault
appears in the sequences.
"""

from __future__ import annotations

from collections.abc import Iterable

from ansible_collections.zerotouch.openshift.tests.soak.sequences import (
    AT_FIRST_WRITE,
    MACHINES,
    PLAYBOOKS,
    TO_THE_END,
    Sequence,
    Step,
    generate,
)

SEQUENCES = [generate(seed) for seed in range(300)]


def steps(sequences: Iterable[Sequence]) -> list[Step]:
    return [step for sequence in sequences for step in sequence.steps]


def test_a_seed_gives_one_sequence() -> None:
    assert [generate(seed) for seed in range(50)] == SEQUENCES[:50]
    assert len(set(SEQUENCES)) == len(SEQUENCES)


def test_all_parts_appear_in_the_long_soak() -> None:
    situations, all_steps = [sequence.situation for sequence in SEQUENCES], steps(SEQUENCES)
    assert {situation.rack for situation in situations} == set(MACHINES)
    assert {situation.kind for situation in situations} == {
        "off",
        "other-system",
        "elsewhere",
        "unrecorded",
        "bare-metal-hosts",
        "own",
    }
    assert {step.playbook for step in all_steps} == set(PLAYBOOKS)
    assert {step.method for step in all_steps} == {"agent", "hub", "assisted"}
    assert {step.hub for step in all_steps} == {"none", "stray", "named", "wrong"}
    assert {step.work_dir for step in all_steps} == {"main", "lost", "sibling", "fresh"}
    assert {step.confirm for step in all_steps} == {"none", "wrong", "right"}
    assert {fault.kind for step in all_steps for fault in step.faults} == {
        "api-down",
        "kubelet-down",
        "service-down",
        "hub-down",
        "bmc-down",
    }
    assert {AT_FIRST_WRITE, TO_THE_END} < {step.kill for step in all_steps}
    assert {step.check for step in all_steps} == {False, True}


def test_machines_are_those_of_the_rack() -> None:
    for sequence in SEQUENCES:
        machines = set(MACHINES[sequence.situation.rack])
        assert 2 <= len(sequence.steps) <= 4
        assert sequence.situation.machines and set(sequence.situation.machines) <= machines
        assert {name for step in sequence.steps for name in step.hosts} <= machines


def test_the_short_soak_is_cheap() -> None:
    short = [generate(seed, short=True) for seed in range(50)]
    assert {sequence.situation.rack for sequence in short} == {"sno"}
    assert "own" not in {sequence.situation.kind for sequence in short}
    assert {len(sequence.steps) for sequence in short} == {2}
    assert TO_THE_END not in {step.kill for step in steps(short)}


def test_a_person_reads_the_seed_and_what_differs_from_the_default() -> None:
    first, *rest = generate(7).lines()
    assert first.startswith("seed 7: rack ") and len(rest) == len(generate(7).steps)
    assert not [line for line in rest if "confirm=none" in line or "check=False" in line]
