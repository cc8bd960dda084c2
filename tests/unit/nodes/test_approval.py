# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test approving certificate requests of nodes over an API: the approvals written, races, waits, and the report."""

from __future__ import annotations

import datetime
from typing import Any, cast

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.errors import LimitReached, ZeroTouchError
from ansible_collections.zerotouch.openshift.plugins.module_utils.nodes.approval import (
    CSR,
    NODE,
    Approver,
    approve,
    expected_nodes,
    results,
)
from ansible_collections.zerotouch.openshift.tests.support.clock import Clock
from ansible_collections.zerotouch.openshift.tests.support.hub import memory as clusters

from .requests import client, serving

NOW = datetime.datetime(2026, 11, 21, 12, 0, tzinfo=datetime.UTC)


@pytest.fixture
def api() -> Any:
    return clusters.MemoryApi()


def request(api: Any, body: dict[str, Any], name: str) -> None:
    api.put(CSR.path(name=name), {**body, "metadata": {"name": name}})


def node(api: Any, name: str, *, ready: bool = False) -> None:
    addresses = [{"type": "InternalIP", "address": "192.0.2.20"}, {"type": "Hostname", "address": name}]
    conditions = [{"type": "Ready", "status": "True" if ready else "False"}]
    api.put(
        NODE.path(name=name), {"metadata": {"name": name}, "status": {"addresses": addresses, "conditions": conditions}}
    )


def approver(api: Any, *names: str) -> tuple[Approver, list[str]]:
    lines: list[str] = []
    return Approver(
        cast(Any, api),
        expected_nodes([{"name": name, "addresses": ["192.0.2.20"]} for name in names]),
        Clock(tick=1.0),
        lines.append,
    ), lines


def test_what_is_expected_is_approved_once(api: Any) -> None:
    request(api, client(), "csr-1")
    request(api, client("stranger"), "csr-2")
    first, lines = approver(api, "worker-0")
    first.once()
    condition = api.get(CSR.path(name="csr-1"))["status"]["conditions"][0]
    assert (condition["type"], condition["status"], condition["reason"]) == ("Approved", "True", "ApprovedByZeroTouch")
    assert "status" not in api.get(CSR.path(name="csr-2"))
    assert lines == [
        "approved csr-1: client certificate of worker-0",
        ("not approved: csr-2: node stranger is not expected"),
    ]
    again, lines = approver(api, "worker-0")
    again.once()
    assert not again.approved
    found = results(again.situation.decisions, again.approved)
    assert [len(found[key]) for key in ("approved", "refused", "settled")] == [0, 1, 1]


def test_check_mode_approves_nothing(api: Any) -> None:
    request(api, client(), "csr-1")
    looking, lines = approver(api, "worker-0")
    looking.once(check_mode=True)
    assert lines == ["would approve csr-1: client certificate of worker-0"]
    assert not api.writes


def test_a_request_that_changed_meanwhile_is_left_for_the_next_look(api: Any) -> None:
    request(api, client(), "csr-1")
    looking, _lines = approver(api, "worker-0")
    api.conflicts = 1
    looking.once()
    assert not looking.approved
    looking.once()
    assert list(looking.approved) == ["csr-1"]


def test_the_approval_is_for_the_version_that_was_judged(api: Any) -> None:
    request(api, client(), "csr-1")
    sent: list[dict[str, Any]] = []
    api.merge_patch = lambda path, patch, dry_run=False: sent.append(patch) or {}
    looking, _lines = approver(api, "worker-0")
    looking.once()
    assert sent[0]["metadata"]["resourceVersion"] == api.get(CSR.path(name="csr-1"))["metadata"]["resourceVersion"]
    assert approve(cast(Any, api), looking.situation.decisions[0], now=NOW)
    assert sent[1]["status"]["conditions"][0]["lastUpdateTime"] == "2026-11-21T12:00:00Z"


def test_until_every_node_is_ready(api: Any) -> None:
    request(api, client(), "csr-1")
    waiting, _lines = approver(api, "worker-0")
    steps = [
        lambda: (node(api, "worker-0"), request(api, serving(), "csr-2")),
        lambda: node(api, "worker-0", ready=True),
    ]
    waiting._await_news = lambda seconds: steps.pop(0)()  # type: ignore[method-assign,assignment]
    waiting.until_ready(1000)
    assert sorted(waiting.approved) == ["csr-1", "csr-2"]


def test_the_limit_names_what_is_missing_and_why(api: Any) -> None:
    request(api, client(groups=[]), "csr-1")
    node(api, "worker-1")
    waiting, _lines = approver(api, "worker-0", "worker-1", "worker-2")
    with pytest.raises(
        LimitReached,
        match=(
            r"worker-0 has not joined \(its requester has the groups none.*worker-1 is not Ready; worker-2 has not "
            r"joined\."
        ),
    ):
        waiting.until_ready(0)


def test_a_node_named_twice_is_refused() -> None:
    with pytest.raises(ZeroTouchError, match="more than once: worker-0"):
        expected_nodes([{"name": "worker-0"}, {"name": "WORKER-0"}])
