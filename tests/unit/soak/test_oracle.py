# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test the oracle of the soak test, which judges the writes to machines: it reports a planted forbidden write for each
row that it covers, and accepts every write that the documented safety table allows.
"""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.zerotouch.openshift.tests.soak.oracle import (
    HUB,
    History,
    Machine,
    Rack,
    Verdict,
    Write,
    forbidden,
    judge,
    rack_of,
)
from ansible_collections.zerotouch.openshift.tests.soak.sequences import Fault, Situation, Step

NAME = "sno-0"
INSERT, EJECT = Write(NAME, "POST .../VirtualMedia.InsertMedia"), Write(NAME, "POST .../VirtualMedia.EjectMedia")
OFF, ON = Machine(NAME, False), Machine(NAME, True)
OWN, ELSEWHERE = Machine(NAME, True, "sno", True), Machine(NAME, True, "elsewhere", True)
SILENT = Machine(NAME, True, "elsewhere", False)
RECORDED, FINISHED = {("main", NAME): "agent"}, frozenset({"main"})
INSTALLED = History(RECORDED, finished=FINISHED)
TAKE_OVER, START_OVER = ("take_over",), ("start_over",)


def verdict(step: Step, machine: Machine, history: History | None = None, place: str = "main", **more: Any) -> Verdict:
    rack = Rack("sno", {NAME: machine}, **more)
    return judge(step, place, rack, history or History(), [NAME])[NAME]


def deploy(**more: Any) -> Step:
    return Step("deploy_cluster", **more)


@pytest.mark.parametrize(
    ("step", "machine", "history", "more"),
    [
        pytest.param(deploy(check=True), OFF, None, {}, id="check mode"),
        pytest.param(
            deploy(method="hub", hub="named", force=TAKE_OVER), OFF, None, {"foreign": frozenset({NAME})}, id="row 2"
        ),
        pytest.param(deploy(), ELSEWHERE, None, {}, id="row 3, a Node"),
        pytest.param(deploy(force=TAKE_OVER), ELSEWHERE, None, {}, id="row 3, a Node, taken over"),
        pytest.param(
            deploy(force=START_OVER, confirm="right"),
            ON,
            History({("sibling", NAME): "agent"}),
            {},
            id="row 3, a sibling directory",
        ),
        pytest.param(deploy(method="hub", hub="named"), OFF, History(RECORDED), {}, id="row 4"),
        pytest.param(
            Step("destroy_cluster", method="hub", hub="named", confirm="right"),
            OFF,
            History(RECORDED),
            {},
            id="row 4, destroy",
        ),
        pytest.param(deploy(method="hub", hub="wrong"), OFF, None, {}, id="row 6, a hub that cannot be read"),
        pytest.param(deploy(hub="named"), OFF, History({(HUB, NAME): "hub"}), {}, id="row 3, recorded at the hub"),
        pytest.param(deploy(force=START_OVER), ON, None, {"apis": frozenset({"sno"})}, id="row 12, not confirmed"),
        pytest.param(deploy(force=START_OVER, confirm="wrong"), OWN, None, {}, id="row 12, another name confirmed"),
        pytest.param(deploy(force=TAKE_OVER), OWN, None, {}, id="row 12, taken over"),
        pytest.param(deploy(), ON, None, {}, id="row 13"),
        pytest.param(deploy(force=START_OVER, confirm="right"), ON, None, {}, id="row 13, started over"),
        pytest.param(deploy(), SILENT, None, {}, id="row 13, a silent Node"),
        pytest.param(Step("destroy_cluster", confirm="right"), ON, None, {}, id="row 13, destroy"),
        pytest.param(Step("destroy_cluster"), OWN, INSTALLED, {}, id="row 7, destroy without a name"),
        pytest.param(Step("destroy_cluster", confirm="wrong"), OWN, INSTALLED, {}, id="row 7, destroy of another name"),
        pytest.param(
            Step("remove_hosts", confirm="right", hosts=(NAME,)),
            OWN,
            INSTALLED,
            {},
            id="a playbook that the method does not have",
        ),
    ],
)
def test_a_planted_write_is_reported(
    step: Step, machine: Machine, history: History | None, more: dict[str, Any]
) -> None:
    assert forbidden({NAME: verdict(step, machine, history, **more)}, [INSERT, EJECT]) == [INSERT, EJECT]


@pytest.mark.parametrize("force", [(), START_OVER, TAKE_OVER, ("reboot_joined_hosts",)])
@pytest.mark.parametrize("machine", [OWN, OFF], ids=["running", "off"])
def test_an_installed_member_may_lose_its_medium_and_nothing_else(force: tuple[str, ...], machine: Machine) -> None:
    assert forbidden({NAME: verdict(deploy(force=force), machine, INSTALLED)}, [INSERT, EJECT]) == [INSERT]


@pytest.mark.parametrize(
    ("step", "machine", "history"),
    [
        pytest.param(deploy(), OFF, None, id="row 14"),
        pytest.param(deploy(force=TAKE_OVER), ON, None, id="row 13"),
        pytest.param(deploy(force=TAKE_OVER), SILENT, None, id="row 13, a silent Node"),
        pytest.param(deploy(force=START_OVER, confirm="right"), OWN, None, id="row 12"),
        pytest.param(deploy(force=START_OVER, confirm="right"), OWN, INSTALLED, id="row 7"),
        pytest.param(deploy(), ON, History(RECORDED), id="rows 8 and 11"),
        pytest.param(Step("destroy_cluster", confirm="right"), OWN, INSTALLED, id="destroy"),
        pytest.param(
            deploy(), ON, History(grants=frozenset({("main", NAME)})), id="taken over by a run that was killed"
        ),
        pytest.param(
            deploy(hub="named", faults=(Fault("hub-down"),)),
            OFF,
            None,
            id="a hub that is not needed and cannot be read",
        ),
    ],
)
def test_what_the_table_allows_is_accepted(step: Step, machine: Machine, history: History | None) -> None:
    assert verdict(step, machine, history) == "allow"


def test_one_machine_that_stops_the_run_protects_the_others() -> None:
    rack = Rack("demo", {"a": Machine("a", False), "b": Machine("b", True)})
    assert judge(deploy(), "main", rack, History(), ["a", "b"]) == {"a": "stop", "b": "stop"}
    assert judge(deploy(force=TAKE_OVER), "main", rack, History(), ["a", "b"]) == {"a": "allow", "b": "allow"}


def test_a_machine_outside_of_the_inventory_or_of_the_named_hosts_is_never_written_to() -> None:
    rack = Rack("demo", {"a": Machine("a", True), "b": Machine("b", True)})
    records = {(place, name): "hub" for place in ("main", HUB) for name in rack.machines}
    assert judge(deploy(), "main", Rack("demo", {"a": OFF, "b": OFF}), History(), ["a"])["b"] == "stop"
    removal = Step("remove_hosts", method="hub", hub="named", confirm="right", hosts=("a",))
    assert judge(removal, "main", rack, History(records), ["a", "b"]) == {"a": "allow", "b": "stop"}


def test_history_of_a_run_that_is_killed_and_of_one_that_completes() -> None:
    step = deploy(force=TAKE_OVER)
    killed = History().after(step, "main", {NAME: "allow"}, [INSERT], -9)
    assert (killed.records, killed.grants, killed.finished, killed.written) == (
        RECORDED,
        {("main", NAME)},
        frozenset(),
        {NAME},
    )
    done = killed.after(deploy(), "main", {NAME: "allow"}, [INSERT], 0)
    assert (done.grants, done.finished) == (frozenset(), FINISHED)
    assert verdict(deploy(), OFF, done) == "eject"
    lost = done.before(deploy(work_dir="lost"))
    assert (lost.records, lost.finished, lost.written) == ({}, frozenset(), {NAME})


def test_history_of_check_mode_and_of_destroy() -> None:
    assert INSTALLED.after(deploy(check=True), "main", {}, [INSERT], 0) == INSTALLED
    destroy = Step("destroy_cluster", confirm="right")
    assert INSTALLED.after(destroy, "main", {}, [INSERT], 0).records == {}
    assert INSTALLED.after(destroy, "main", {}, [INSERT], 2) == INSTALLED


def test_the_rack_is_what_the_lab_shows() -> None:
    machine = {"name": NAME, "power": "On", "phase": "node", "installed": {"sda": "master"}}
    status = {"machines": [machine], "clusters": [{"name": "sno", "nodes": {NAME: "Ready"}}]}
    situation = Situation("sno", "unrecorded", (NAME,))
    assert rack_of(status, situation, deploy()) == Rack("sno", {NAME: OWN}, frozenset({"sno"}))
    silent = deploy(faults=(Fault("api-down"), Fault("kubelet-down", NAME)))
    assert rack_of(status, situation, silent) == Rack("sno", {NAME: Machine(NAME, True, "sno", False)})
    off = {"machines": [{**machine, "power": "Off"}], "clusters": status["clusters"]}
    owned = Situation("sno", "bare-metal-hosts", (NAME,))
    assert rack_of(off, owned, deploy()) == Rack("sno", {NAME: OFF}, foreign=frozenset({NAME}))
