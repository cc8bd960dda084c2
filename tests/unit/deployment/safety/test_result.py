# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test the lines that check mode prints for a safety decision: one line for each machine that the run would change, and
none for the others.
"""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.safety.decision import Judgement, Verdict
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.safety.evidence import Evidence
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.safety.gather import Gathered
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.safety.result import plan_lines
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.stop_reason import StopReason


@pytest.mark.parametrize(
    ("action", "outcome", "evidence", "line"),
    [
        pytest.param("destroy", "act", {"power": "On"}, "power off node-1 (seen)", id="destroy, on"),
        pytest.param("destroy", "act", {}, "power off node-1 (seen)", id="destroy, power not known"),
        pytest.param("destroy", "fail", {"bmc_fault": "no answer"}, "power off node-1 (seen)", id="destroy, dead BMC"),
        pytest.param("destroy", "act", {"power": "Off"}, "", id="destroy, off already"),
        pytest.param("destroy", "act", {"manual": True}, "", id="destroy, the user powers it off"),
        pytest.param("destroy", "leave", {"power": "On"}, "", id="destroy, of another owner"),
        pytest.param("off", "act", {"power": "Off"}, "", id="off already"),
        pytest.param("boot", "act", {"power": "Off"}, "boot node-1 (seen)", id="boot"),
        pytest.param("boot", "act", {"manual": True}, "boot node-1 (seen)", id="the user boots it"),
        pytest.param(
            "remove", "act", {"power": "Off"}, "remove node-1 from its cluster and power it off (seen)", id="remove"
        ),
    ],
)
def test_lines(action: Any, outcome: Any, evidence: dict[str, Any], line: str) -> None:
    judgement = Judgement((Verdict("node-1", "7", outcome, "seen"),))
    found = list(plan_lines(judgement, Gathered({"node-1": Evidence(**evidence)}, ()), action))
    assert found == ([line] if line else [])
    assert (
        list(
            plan_lines(
                Judgement(judgement.verdicts, stop=StopReason("stop")),
                Gathered({"node-1": Evidence(**evidence)}, ()),
                action,
            )
        )
        == []
    )
