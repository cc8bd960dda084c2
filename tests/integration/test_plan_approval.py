# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test that a deployment executes the approved plan, or stops before its first write to a machine."""

from __future__ import annotations

import json
import re

from .lab import Deployment, Run


def digest(run: Run) -> str:
    """Return the plan digest in the last task of a run in check mode."""
    assert run.ok, run.output
    last = run.output.rpartition("TASK [")[2]
    found = re.search(r"Digest of this plan: ([0-9a-f]{64})", last)
    assert found and "would boot sno-0" in last, run.output
    return found[1]


def test_the_plan_is_printed_and_only_this_plan_is_deployed(sno: Deployment) -> None:
    approved = digest(sno.run("deploy_cluster", "--check"))
    assert approved == digest(sno.run("deploy_cluster", "--check"))
    # A value of the cluster as text, as the survey of a controller passes it.
    cluster = json.loads(sno.inventory.read_text())["all"]["vars"]["openshift_cluster"]
    other = {"openshift_cluster": json.dumps({**cluster, "service_networks": ["172.31.0.0/16"]})}
    refused = sno.run("deploy_cluster", extra={**other, "openshift_plan_digest": approved})
    assert not refused.ok and "The plan has changed since it was approved" in refused.output, refused.output
    assert not sno.lab.bmc_writes()
    # Statistics of the job with the plan are variables of the job that deploys.
    run = sno.run(
        "deploy_cluster", extra={"openshift_plan_digest": approved, "openshift_plan_summary": ["would boot sno-0"]}
    )
    assert run.ok and sno.lab.bmc_writes(), run.output
