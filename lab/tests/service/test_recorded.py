# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""The lab's assisted-service gives the same answers as a real one.

Each scenario is a list of requests. ``recorded`` holds the answers of a real assisted-service (source of August 2026,
with the environment of an agent ISO). Where the lab answers differently, ``TOLERATED`` gives the reason; remove an
entry when its difference no longer exists.

To record a scenario again, start a real service with the environment of ``scripted.agent_environment``, both monitors
at 1 s, and an empty database. ASSISTED_SERVICE_URL names it, ASSISTED_SERVICE_KEY is the key of its tokens as PEM, and
RECORD is the name of the scenario.
"""

from __future__ import annotations

import asyncio
import functools
import json
import os
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives import serialization
from ztlab.clock import LabClock
from ztlab.faults import Faults
from ztlab.service.app import AssistedService
from ztlab.service.routes import build_router

from . import scenarios_clusters, scenarios_hosts, scenarios_infra_envs, scenarios_install
from .replay import Replay, Scenario, differences
from .scripted import DESCRIPTION, Keys, agent_environment
from .tolerated import TOLERATED

RECORDED = Path(__file__).parent / "recorded"
URL, RECORD = os.environ.get("ASSISTED_SERVICE_URL", ""), os.environ.get("RECORD", "")
# name: (what is done, lab seconds a second)
SCENARIOS: dict[str, tuple[Scenario, float]] = {
    "creations": (scenarios_clusters.creations, 1),
    "changes": (scenarios_clusters.changes, 1),
    "imports": (scenarios_clusters.imports, 1),
    "manifests": (scenarios_clusters.manifests, 1),
    "infra_envs": (scenarios_infra_envs.infra_envs, 1),
    "access": (scenarios_infra_envs.access, 1),
    "registration": (scenarios_hosts.registration, 30),
    "changes_of_a_host": (scenarios_hosts.changes_of_a_host, 30),
    "late_binding": (scenarios_hosts.late_binding, 30),
    "three_nodes": (scenarios_install.three_nodes, 30),
    "single_node": (scenarios_install.single_node, 30),
}
REQUESTED: Counter[str] = Counter()
# Operations that no installation needs; other tests ask them.
OUTSIDE = frozenset(
    (
        *("POST /v2/events", "POST /v2/clusters/{cluster_id}/logs", "PUT /v2/clusters/{cluster_id}/logs-progress"),
        *("GET /v2/support-levels/features/detailed", "GET /v2/operators/bundles"),
    )
)
ENVIRONMENT = {
    "INFRA_ENV_ID": "",
    "HOST_MONITOR_INTERVAL": "1s",
    "CLUSTER_MONITOR_INTERVAL": "1s",
    "IMAGE_SERVICE_BASE_URL": "http://images.example.com:8888",
}


async def answers(url: str, keys: Keys, clock: LabClock, scenario: Scenario) -> dict[str, Any]:
    async with Replay(url, keys, clock) as replay:
        await asyncio.wait_for(scenario(replay), 120)
        found: dict[str, Any] = json.loads(json.dumps(replay.answers))
        return found


@functools.cache
def of_the_lab(name: str) -> dict[str, Any]:
    async def play() -> dict[str, Any]:
        scenario, speed = SCENARIOS[name]
        keys, clock = Keys(), LabClock(speed)
        environment = {**agent_environment(keys, **ENVIRONMENT), **scenarios_install.ENVIRONMENT.get(name, {})}
        service = AssistedService(
            {key: value for key, value in environment.items() if value},
            clock=clock,
            faults=Faults(),
            swagger=DESCRIPTION,
        )
        await service.start("127.0.0.1")
        try:
            found = await answers(service.url, keys, clock, scenario)
        finally:
            await service.stop()
        REQUESTED.update(service.requests)
        assert not service.violations, service.violations
        return found

    return asyncio.run(play())


def recorded(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((RECORDED / f"{name}.json").read_text(encoding="utf-8"))
    return found


@pytest.mark.parametrize("name", SCENARIOS)
def test_the_lab_answers_as_the_real_service_did(name: str) -> None:
    theirs, ours = recorded(name), of_the_lab(name)
    found = [
        f"{name} / {entry} {text}"
        for entry in [*theirs, *(set(ours) - set(theirs))]
        for text in differences(theirs.get(entry), ours.get(entry))
    ]
    assert [text for text in found if not any(re.search(pattern, text) for pattern, _why in TOLERATED)] == []


def test_every_operation_of_the_flow_is_asked() -> None:
    for name in SCENARIOS:
        of_the_lab(name)
    assert {route.key for route in build_router().routes} - set(REQUESTED) - OUTSIDE == set()


def test_nothing_is_tolerated_that_does_not_differ() -> None:
    texts = []
    for name in SCENARIOS:
        ours = of_the_lab(name)
        texts += [
            f"{name} / {entry} {text}"
            for entry, answer in recorded(name).items()
            for text in differences(answer, ours.get(entry))
        ]
    passing = ("the monitor came by", "changes from run to run", "a matter of time")
    assert [
        pattern
        for pattern, why in TOLERATED
        if not any(word in why for word in passing) and not any(re.search(pattern, text) for text in texts)
    ] == []


@pytest.mark.skipif(
    not (URL and RECORD), reason=("ASSISTED_SERVICE_URL and RECORD name no real service and scenario to be recorded")
)
def test_recording() -> None:
    keys = Keys()
    keys.private = serialization.load_pem_private_key(Path(os.environ["ASSISTED_SERVICE_KEY"]).read_bytes(), None)  # type: ignore[assignment]
    found = asyncio.run(answers(URL, keys, LabClock(4), SCENARIOS[RECORD][0]))
    lines = [f"{json.dumps(name)}: {json.dumps(answer, sort_keys=True)}" for name, answer in found.items()]
    (RECORDED / f"{RECORD}.json").write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
