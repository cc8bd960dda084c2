# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test module node_csrs, called in the test process against an API in memory: it approves the certificate requests of
expected nodes only.
"""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.entry_point import Call, perform
from ansible_collections.zerotouch.openshift.plugins.module_utils.nodes.approval import CSR
from ansible_collections.zerotouch.openshift.plugins.modules import node_csrs
from ansible_collections.zerotouch.openshift.tests.support.hub import memory as clusters
from ansible_collections.zerotouch.openshift.tests.unit.nodes import requests


@pytest.fixture
def api(monkeypatch: pytest.MonkeyPatch) -> Any:
    memory = clusters.MemoryApi()
    memory.close = lambda: None
    monkeypatch.setattr(node_csrs, "connect", lambda *_args, **_options: memory)
    memory.put(CSR.path(name="csr-1"), {**requests.client(), "metadata": {"name": "csr-1"}})
    memory.put(CSR.path(name="csr-2"), {**requests.client("stranger"), "metadata": {"name": "csr-2"}})
    return memory


def opened(*, check_mode: bool = False, **options: Any) -> dict[str, Any]:
    params = {name: spec.get("default") for name, spec in node_csrs.argument_spec().items()}
    return perform(
        node_csrs.run,
        Call({**params, "hosts": [{"name": "worker-0", "addresses": []}], **options}, check_mode=check_mode),
    )


def test_check_run_run_again(api: Any) -> None:
    planned = opened(check_mode=True)
    assert planned["changed"] and not api.writes
    done = opened()
    assert [row["name"] for row in done["approved"]] == ["csr-1"] == [row["name"] for row in planned["approved"]]
    assert [(row["name"], row["reason"]) for row in done["refused"]] == [("csr-2", "node stranger is not expected")]
    assert done["missing"] == ["worker-0 has not joined"]
    again = opened()
    assert not again["changed"] and [row["name"] for row in again["settled"]] == ["csr-1"]


def test_a_wait_in_vain_reports_what_was_done(api: Any) -> None:
    result = opened(wait=True, timeout=0.0)
    assert result["failed"] and result["changed"]
    assert [row["name"] for row in result["approved"]] == ["csr-1"]
    assert "worker-0 has not joined" in result["msg"]
