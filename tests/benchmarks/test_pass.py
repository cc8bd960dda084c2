# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Measure a reconcile pass. Budget: a pass over 1000 Machines that wait and 5000 Agents is planned in 5 s of CPU, label
selection for the same pool in 2 s; planning a pass without changes costs no more. Memory grows linearly with Machines
and Agents. Requests are counted, too: one list for each kind, five writes for a Machine.

The hub is that of the unit tests, in memory; reading from it and writing to it are not in the times.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
CPU_SECONDS = {"plan": 5.0, "again": 5.0, "label_selection": 2.0}
# Bytes for each Machine and each Agent while planning, at its most; the objects that were read are not in it.
RESIDENT = 20_000
# Hook, finalizer, claim, provider ID, status.
WRITES = 5

# Runs in a process of its own, so that CPU time is that of the work alone.
PROGRAM = """
import json, sys, time, tracemalloc
from ansible_collections.zerotouch.openshift.plugins.module_utils.capi.apply import apply_stages, raise_failures
from ansible_collections.zerotouch.openshift.plugins.module_utils.capi.choose.model import Policy
from ansible_collections.zerotouch.openshift.plugins.module_utils.capi.observe import Scope, discover, observe
from ansible_collections.zerotouch.openshift.plugins.module_utils.capi.pass_plan import plan_pass
from ansible_collections.zerotouch.openshift.plugins.module_utils.capi.label_selection import LabelSelection, plan_selection
from ansible_collections.zerotouch.openshift.tests.support.hub import capi as world
machines, agents, measured = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
hub = world.Hub()
world.stand(hub, machines=0, agents=0)
for number in range(machines):
    world.add_machine(hub, f"pool-{number:05}", selector={"matchLabels": {"size": "sml"[number % 3]}}, pool=f"pool-{number % 4}")
for number in range(agents):
    made = world.agent(number % 250 + 1, labels={"size": "sml"[number % 3], "rack": f"r{number % 40}"}, hostname=f"worker-{number}")
    made["metadata"]["name"] = f"agent-{number:05}"
    hub.put("agents", made)
policy, moment = Policy("spread", "rack"), "2026-11-21T12:00:00Z"
api = discover(hub)
hub.calls.clear()
observed = observe(hub, api, Scope(world.NS))
lists = hub.calls["list"]
if measured == "memory":
    tracemalloc.start()
    plan_pass(observed, policy, moment)
    print(json.dumps({"peak": tracemalloc.get_traced_memory()[1]}))
    sys.exit()
times = {}
def timed(name, work):
    began = time.process_time()
    found = work()
    times[name] = time.process_time() - began
    return found
# Label selection beside as many that carry the label already.
wanted = LabelSelection(f"{world.NS}/pool-0", "pool", "pool-0", 2 * machines, selector={"matchLabels": {"pool": "pool-0"}})
half = plan_selection(LabelSelection(wanted.pool, wanted.key, wanted.value, machines, selector=wanted.selector), observed.agents, policy)
raise_failures(apply_stages(hub, [half.chains], 1))
labelled = observe(hub, api, Scope(world.NS))
by_label = timed("label_selection", lambda: plan_selection(wanted, labelled.agents, policy))
plan = timed("plan", lambda: plan_pass(labelled, policy, moment))
before = hub.calls["write"]
raise_failures(apply_stages(hub, plan.stages, 1))
writes = hub.calls["write"] - before
left = observe(hub, api, Scope(world.NS))
again = timed("again", lambda: plan_pass(left, policy, moment))
served = sum(1 for each in plan.machines if each.agent is not None)
counts = {"lists": lists, "writes": writes, "served": served, "left": len(again.steps), "labelled": len(half.labelled), "more": len(by_label.labelled)}
print(json.dumps({"times": times, **counts}))
"""  # noqa: E501


def run(machines: int, agents: int, measured: str) -> dict[str, Any]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT / ".build")}
    arguments = [str(machines), str(agents), measured]
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, *arguments], env=environment, check=True, capture_output=True, text=True
    )
    return dict(json.loads(done.stdout))


def test_a_pass_over_a_thousand_machines_and_five_thousand_agents(record_property: Any) -> None:
    found = run(1000, 5000, "time")
    record_property("found", found)
    print(
        "\n1000 Machines, 5000 Agents: "
        + ", ".join(f"{name} {seconds:.2f} s" for name, seconds in found["times"].items())
        + f"; {found['writes']} writes"
    )
    assert found["served"] == 1000 and found["left"] == 0 and (found["labelled"], found["more"]) == (1000, 1000)
    assert found["writes"] <= WRITES * 1000 + 20 and found["lists"] <= 6
    assert not {name: seconds for name, seconds in found["times"].items() if seconds > CPU_SECONDS[name]}


@pytest.mark.parametrize("scale", [2])
def test_memory_is_linear(scale: int, record_property: Any) -> None:
    peaks = {count: run(500 * count, 2500 * count, "memory")["peak"] / (3000 * count) for count in (1, scale)}
    record_property("bytes", peaks)
    print(f"\n500 x 2500: {peaks[1]:.0f} bytes for each Machine and Agent; {scale} times as many: {peaks[scale]:.0f}")
    assert max(peaks.values()) <= RESIDENT
