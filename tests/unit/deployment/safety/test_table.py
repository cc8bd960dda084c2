# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test the safety table: one case for each row and action, and the effects of overrides and confirmation.

The expectations are those of docs/reference/safety.md, written independently of the code.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.safety.decision import (
    TouchRequest,
    judge,
    may_touch,
    row_of,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.safety.evidence import Evidence, NodeFacts
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.safety.table import (
    COLUMNS,
    OVERRIDES,
    ROWS,
    Action,
)

ACTIONS: tuple[Action, ...] = (
    "boot",
    "supply",
    "replace_in",
    "remove",
    "reprovision",
    "shrink",
    "replace_out",
    "destroy",
    "recover",
    "on",
    "off",
)
ON, OFF = {"power": "On"}, {"power": "Off"}
# (row, what is observed, outcomes in the order of ACTIONS). "act!" is act with confirmation and stop without; "act"
# needs none.
TABLE: list[tuple[str, dict[str, object], str]] = [
    (
        "1",
        {"bmc_fault": "login refused", "recorded": True, "installed": "a Node"},
        ("stop spare spare fail! fail! fail! fail! fail! skip stop fail!"),
    ),
    ("2", {**ON, "foreign_bare_metal_host": "x"}, "stop stop stop stop stop stop stop leave skip stop stop"),
    ("3", {**ON, "other_cluster": "x"}, "stop spare spare stop stop stop stop leave skip stop stop"),
    (
        "3a",
        {"manual": True, "missing": "x", "own_bare_metal_host": "y", "installed": "z"},
        "stop stop stop stop stop stop stop stop skip stop stop",
    ),
    (
        "2a",
        {**ON, "own_bare_metal_host": "x"},
        ("through through through through! through! through! through! through! skip stop stop"),
    ),
    ("4", {**ON, "other_method": "hub is the method"}, "stop stop stop stop stop stop stop stop skip stop stop"),
    ("4a", {"other_deployment": "x"}, "stop stop stop stop stop stop stop stop skip stop stop"),
    ("5", {**ON, "failed": "x"}, "stop stop stop stop stop stop stop act! skip act act!"),
    ("6", {**ON, "unknown": "x", "recorded": True}, "stop stop stop stop stop stop stop act! wait stop stop"),
    ("6", {**ON, "unknown": "x"}, "stop stop stop stop stop stop stop leave wait stop stop"),
    ("7", {**ON, "installed": "x"}, "skip skip skip act! act! act! act! act! eject act act!"),
    ("7b", {**ON, "strayed": "x", "installing": "y"}, "wait wait wait stop stop stop stop act! act wait stop"),
    ("7a", {**ON, "installing": "x"}, "wait wait wait stop stop stop stop act! act wait stop"),
    ("7a", {**ON, "silent": "x"}, "wait wait wait stop stop stop stop act! act wait stop"),
    ("8", {**ON, "registered": "x"}, "wait wait wait act! act! act! act! act! skip act act!"),
    ("9", {**ON, "free": "x"}, "skip skip skip act! skip act! act! act! skip act act!"),
    ("9a", {**ON, "released": "x"}, "act act act act! act! act! act! act! skip act act!"),
    ("12", {**ON, "disconnected": "x", "answering": "y"}, "stop stop stop stop stop stop stop stop skip stop stop"),
    ("10", {**ON, "disconnected": "x"}, "stop stop stop act! act! act! act! act! skip act act!"),
    ("10", {**OFF, "disconnected": "x"}, "act act act act! act! act! act! act! skip act act!"),
    ("11", {**ON, "booted": "x"}, "act act act act! act! act! act! act! skip act act!"),
    ("12", {**ON, "answering": "x"}, "stop stop stop stop stop stop stop stop skip stop stop"),
    ("13", {**ON}, "stop stop stop stop stop stop stop leave skip skip stop"),
    ("13", {"power": ""}, "stop stop stop stop stop stop stop leave skip skip stop"),
    ("14", {**OFF}, "act act act stop stop stop stop skip skip act skip"),
    ("14", {"manual": True}, "act act act stop stop stop stop skip skip act skip"),
]
# (row, what is observed, action, method, override, whether it needs the confirmation): everything else is not lifted by
# any override.
LIFTED: list[tuple[str, dict[str, object], Action, str, str, bool]] = [
    ("5", {**ON, "failed": "x"}, "boot", "agent", "start_over", True),
    ("6", {**ON, "unknown": "x", "recorded": True}, "boot", "agent", "start_over", True),
    ("6", {**ON, "unknown": "x"}, "boot", "assisted", "start_over", True),
    ("6", {**ON, "unknown": "x", "recorded": True}, "destroy", "hub", "abandon_hub", True),
    ("7", {**ON, "installed": "x"}, "boot", "agent", "reboot_joined_hosts", True),
    ("7", {**ON, "installed": "x"}, "boot", "hub", "start_over", True),
    ("7b", {**ON, "strayed": "x"}, "boot", "agent", "start_over", True),
    ("7b", {**ON, "strayed": "x"}, "boot", "agent", "reboot_joined_hosts", True),
    ("7a", {**ON, "installing": "x"}, "boot", "agent", "start_over", True),
    ("7a", {**ON, "installing": "x"}, "boot", "agent", "reboot_joined_hosts", True),
    ("7a", {**ON, "silent": "x"}, "boot", "agent", "start_over", True),
    ("8", {**ON, "registered": "x"}, "boot", "agent", "rebuild_image", False),
    ("8", {**ON, "registered": "x"}, "boot", "agent", "start_over", True),
    ("9", {**ON, "free": "x"}, "boot", "hub", "start_over", True),
    ("10", {**ON, "disconnected": "x"}, "boot", "hub", "take_over", False),
    ("12", {**ON, "answering": "x"}, "boot", "agent", "start_over", True),
    ("12", {**ON, "disconnected": "x", "answering": "y"}, "boot", "hub", "start_over", True),
    ("13", {**ON}, "boot", "agent", "take_over", False),
    ("13", {**ON}, "supply", "hosted", "take_over", False),
    ("13", {**ON}, "replace_in", "hosted", "take_over", False),
    ("13", {**ON}, "off", "agent", "take_over", False),
]


# (row, action, override, outcome): the machine is left alone, and is in the message.
ABANDONED = (("6", "destroy", "abandon_hub", "leave"), ("3a", "destroy", "abandon_hosts", "leave"))


def request(action: Action, *, confirmed: bool = True, method: str = "agent", force: str = "") -> TouchRequest:
    return TouchRequest(
        action,
        "demo",
        method,
        frozenset({"demo"} if confirmed else {"other"}),
        frozenset({force} if force else ()),
        work_dir="clusters/demo",
        through=True,
    )


def outcome(observed: dict[str, object], asked: TouchRequest) -> str:
    return may_touch("node-1", Evidence(**observed), asked).outcome  # type: ignore[arg-type]


def cells() -> Iterator[tuple[str, dict[str, object], Action, str]]:
    for row, observed, expected in TABLE:
        words = expected.split()
        assert len(words) == len(ACTIONS), row
        for action, word in zip(ACTIONS, words, strict=True):
            yield row, observed, action, word


@pytest.mark.parametrize(("row", "observed", "action", "expected"), list(cells()))
def test_cell(row: str, observed: dict[str, object], action: Action, expected: str) -> None:
    assert row_of(Evidence(**observed))[0].number == row  # type: ignore[arg-type]
    assert outcome(observed, request(action)) == expected.rstrip("!")
    assert outcome(observed, request(action, confirmed=False)) == ("stop" if expected.endswith("!") else expected)


@pytest.mark.parametrize(("row", "observed", "action", "method", "force", "confirm"), LIFTED)
def test_override(
    row: str, observed: dict[str, object], action: Action, method: str, force: str, confirm: bool
) -> None:
    verdict = may_touch("node-1", Evidence(**observed), request(action, method=method, force=force))  # type: ignore[arg-type]
    assert (verdict.row, verdict.outcome, verdict.forced) == (row, "act", force)
    unconfirmed = may_touch(
        "node-1", Evidence(**observed), request(action, confirmed=False, method=method, force=force)
    )  # type: ignore[arg-type]
    assert unconfirmed.outcome == ("stop" if confirm else "act")
    assert "openshift_confirm=demo" in unconfirmed.remedy if confirm else True


@pytest.mark.parametrize("force", OVERRIDES)
@pytest.mark.parametrize("method", ["agent", "assisted", "hub", "hosted"])
def test_no_other_override_lifts_a_stop(force: str, method: str) -> None:
    allowed = {(row, str(observed), action, override) for row, observed, action, _method, override, _confirm in LIFTED}
    for row, observed, action, _word in cells():
        before, after = (
            outcome(observed, request(action, method=method)),
            outcome(observed, request(action, method=method, force=force)),
        )
        known = any(
            entry[0] == row
            and entry[2] in (action, "boot" if COLUMNS[action] == "boot" else action)
            and entry[3] == force
            for entry in allowed
        )
        abandoned = (row, action, force, after) in ABANDONED
        assert before == after or (known and after == "act") or abandoned, (row, action, method, force, before, after)


@pytest.mark.parametrize("row", ["2", "3"])
def test_nothing_reaches_the_machine_of_another_owner(row: str) -> None:
    observed = {
        **ON,
        ("foreign_bare_metal_host" if row == "2" else "other_cluster"): "x",
        "installed": "x",
        "booted": "x",
        "own_bare_metal_host": "",
    }
    everything = dataclasses.replace(request("boot"), force=frozenset(OVERRIDES), take_over=frozenset({"node-1"}))
    for action in ACTIONS:
        assert outcome(observed, dataclasses.replace(everything, action=action)) in ("stop", "leave", "skip", "spare")


def test_a_machine_of_a_bare_metal_host_is_for_playbooks_that_use_those() -> None:
    observed = {**ON, "own_bare_metal_host": "x"}
    for action in ("boot", "remove", "destroy"):
        assert outcome(observed, dataclasses.replace(request(action), through=False)) == "stop"


def test_an_abandoned_hub_does_not_release_machines_that_are_not_recorded() -> None:
    """A spare of the inventory that this deployment never used is left alone; it does not keep the others from being
    destroyed.
    """
    asked = request("destroy", method="hosted", force="abandon_hub")
    verdict = may_touch("spare", Evidence(power="On", unknown="the hub cannot be read"), asked)
    assert (verdict.row, verdict.outcome, verdict.forced) == ("6", "leave", "")
    recorded = may_touch("node", Evidence(power="On", unknown="the hub cannot be read", recorded=True), asked)
    assert (recorded.outcome, recorded.forced) == ("act", "abandon_hub")
    for refused in (dataclasses.replace(asked, confirm=frozenset()), request("destroy", method="hosted")):
        assert may_touch("spare", Evidence(power="On", unknown="the hub cannot be read"), refused).outcome == "stop"


def test_a_machine_that_left_the_inventory_is_abandoned_only_with_the_name_of_its_cluster() -> None:
    missing = Evidence(manual=True, missing="x", recorded=True, booted="y")
    verdict = may_touch("worker-9", missing, request("destroy", force="abandon_hosts"))
    assert (verdict.row, verdict.outcome, verdict.forced) == ("3a", "leave", "")
    unconfirmed = may_touch("worker-9", missing, request("destroy", confirmed=False, force="abandon_hosts"))
    assert unconfirmed.outcome == "stop" and "openshift_confirm=demo" in unconfirmed.remedy


def test_take_over_of_a_host_is_for_that_host() -> None:
    asked = dataclasses.replace(request("boot"), take_over=frozenset({"node-2"}))
    judgement = judge({"node-1": Evidence(power="On"), "node-2": Evidence(power="On")}, asked)
    assert [verdict.outcome for verdict in judgement.verdicts] == ["stop", "act"] and judgement.forced == {
        "node-2": "take_over"
    }


def test_a_dead_bmc_hides_nothing_else_that_is_known() -> None:
    """A host whose BMC does not answer is taken out on the cluster's side; that of another cluster is not."""
    assert outcome({"bmc_fault": "x", "other_cluster": "y"}, request("remove")) == "stop"
    assert outcome({"bmc_fault": "x", "other_cluster": "y"}, request("destroy")) == "leave"
    assert outcome({"bmc_fault": "x"}, request("destroy")) == "leave"
    assert outcome({"bmc_fault": "x", "booted": "y", "recorded": True}, request("destroy")) == "fail"


@pytest.mark.parametrize(
    ("node", "expected"),
    [
        (NodeFacts("n", ready=True), "act"),
        (NodeFacts("n", ready=False, not_ready_for=299), "stop"),
        (NodeFacts("n", ready=False, not_ready_for=300), "act"),
        (NodeFacts("n", ready=True, control_plane=True, keeps="2 of 3 would be left"), "stop"),
    ],
)
@pytest.mark.parametrize("action", ["remove", "reprovision", "shrink", "replace_out"])
def test_a_node_that_leaves(action: Action, node: NodeFacts, expected: str) -> None:
    assert outcome({**ON, "installed": "x", "node": node}, request(action)) == expected
    assert outcome({**ON, "installed": "x", "node": node}, request("destroy")) == "act"


def test_node_of_a_host_that_is_leaving_need_not_be_ready() -> None:
    """A run that was killed after it had powered the machine off goes on at once."""
    observed = {**OFF, "installed": "x", "node": NodeFacts("n", ready=False, not_ready_for=1)}
    assert (outcome(observed, request("remove")), outcome({**observed, "leaving": True}, request("remove"))) == (
        "stop",
        "act",
    )


def test_failed_installation_of_a_hub_names_no_start_over() -> None:
    verdict = may_touch("node-1", Evidence(power="On", failed="x"), request("boot", method="hub", force="start_over"))
    assert verdict.outcome == "stop" and "destroy_cluster" in verdict.remedy and "start_over" not in verdict.remedy


def test_a_failed_installation_is_not_that_of_a_host_that_is_a_node() -> None:
    assert row_of(Evidence(power="On", failed="x", installed="y", node=NodeFacts("n")))[0].number == "7"


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row.number}-{row.observed[:20]}")
def test_each_stop_says_what_to_do(row: object) -> None:
    """A reader who sees only the message can go on."""
    for action in ACTIONS:
        for method in ("agent", "hub"):
            cell = row.cell(action, method)  # type: ignore[attr-defined]
            if cell.outcome in ("stop", "through") and action != "recover":
                assert cell.remedy.endswith("."), (row, action)


def test_message_lists_every_host_once_with_one_remedy() -> None:
    evidence = {f"node-{index}": Evidence(power="On") for index in range(3)} | {
        "node-9": Evidence(power="On", other_cluster="Agent a/b is bound to c/d")
    }
    text = str(judge(evidence, request("boot")).stop)
    assert text.splitlines() == [
        "No machine was touched.",
        "node-0, node-1, node-2: it reports power On, and no record says what runs on it.",
        "If nothing on these machines is needed, run again with -e openshift_force=take_over, or set "
        "openshift_host.boot.take_over: true for these hosts. "
        "This destroys what is on their disks.",
        "node-9: Agent a/b is bound to c/d.",
        "Release the host there first, or remove it from this inventory.",
    ]
