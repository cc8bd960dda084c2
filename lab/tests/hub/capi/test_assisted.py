# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test OpenShift Assisted's controllers on a hub: from the user's objects to hosts that are ready to be installed."""

from __future__ import annotations

import asyncio
import base64
import json
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

from ztlab.hub.names import AGENT, CLUSTER_DEPLOYMENT, CLUSTER_IMAGE_SET, CLUSTER_INSTALL, INFRA_ENV, SECRET

from ...service.scripted import Machine
from .assisted import CORE, NAMED, Scene, condition_of, scene

LABEL = "cluster.x-k8s.io/cluster-name"


def play(tmp_path: Path, story: Callable[[Scene], Coroutine[Any, Any, None]]) -> None:
    async def flow() -> None:
        async with scene(tmp_path) as stage:
            await story(stage)

    asyncio.run(asyncio.wait_for(flow(), 600))


def test_a_control_plane_becomes_an_installation(tmp_path: Path) -> None:
    async def story(stage: Scene) -> None:
        rig = stage.rig
        await stage.cluster()
        await stage.plane(
            replicas=3,
            openshiftAssistedConfigSpec={"pullSecretRef": {"name": "pull-secret"}, "nodeRegistration": NAMED},
        )
        machines = await stage.machines(3)
        deployment = await rig.until(
            CLUSTER_DEPLOYMENT, "c1", lambda item: item["metadata"]["labels"].get(LABEL) == "c1"
        )
        assert deployment["spec"]["clusterInstallRef"]["name"] == "c1"
        install = await rig.until(
            CLUSTER_INSTALL, "c1", lambda item: item["spec"]["provisionRequirements"] == {"controlPlaneAgents": 3}
        )
        assert install["spec"]["networking"]["clusterNetwork"] == [{"cidr": "172.18.0.0/20", "hostPrefix": 23}]
        assert install["spec"]["platformType"] == "None"
        images = await rig.get(CLUSTER_IMAGE_SET, "c1")
        assert images["spec"]["releaseImage"].startswith("quay.io/openshift-release-dev/ocp-release@sha256:")
        for machine in machines:
            name = machine["metadata"]["name"]
            infra_env = await rig.until(INFRA_ENV, name, lambda item: True)
            assert infra_env["spec"]["clusterRef"] == {"name": "c1", "namespace": "edge"}
            secret = await rig.until(SECRET, name, lambda item: item.get("data"))
            assert base64.b64decode(secret["data"]["format"]) == b"ignition"
            document = json.loads(base64.b64decode(secret["data"]["value"]))
            units = {entry["name"] for entry in document["systemd"]["units"]}
            assert {"agent.service", "configdrive-metadata.service", "set-hostname.service"} <= units
            config = await rig.until(
                CORE.config, name, lambda item: condition_of(item, "Ready", "v1beta1Conditions")[0] == "True"
            )
            assert config["status"]["initialization"] == {"dataSecretCreated": True}
            await rig.until(
                CORE.machine, name, lambda item, own=name: item["spec"]["bootstrap"].get("dataSecretName") == own
            )
        plane = await rig.until(CORE.control_plane, "c1", lambda item: (item.get("status") or {}).get("replicas") == 3)
        assert plane["status"]["version"] == "1.35.2"
        assert condition_of(plane, "MachinesReady") == ("False", "MachinesNotReady")

    play(tmp_path, story)


def test_the_host_of_an_infra_env_is_the_machine(tmp_path: Path) -> None:
    async def story(stage: Scene) -> None:
        rig = stage.rig
        await stage.cluster()
        await stage.plane(
            openshiftAssistedConfigSpec={"pullSecretRef": {"name": "pull-secret"}, "nodeRegistration": NAMED}
        )
        (owner,) = await stage.machines(1)
        name = owner["metadata"]["name"]
        infra_env = await rig.until(INFRA_ENV, name, lambda item: (item.get("status") or {}).get("isoDownloadURL"))
        # One after the other: the provider reads Agents from a cache, and would approve two that register within a
        # moment. The first is too small: a cluster that is being installed refuses the second.
        for count, machine in enumerate((Machine(10, memory_gib=2), Machine(11)), 1):
            rig.boot(infra_env, machine)
            agents: list[Any] = []
            while [agent["spec"].get("role") for agent in agents] != ["master"] * count:
                agents = (await rig.client.list(AGENT, "edge"))[0]
                await asyncio.sleep(0.05)
        # Role and approval are written together.
        assert sum(bool(agent["spec"].get("approved")) for agent in agents) == 1
        override = json.loads(agents[0]["spec"]["ignitionConfigOverrides"])
        assert "kubelet-customlabels.service" in {entry["name"] for entry in override["systemd"]["units"]}

    play(tmp_path, story)


def test_scaling_in_removes_the_oldest_and_deletion_everything(tmp_path: Path) -> None:
    async def story(stage: Scene) -> None:
        rig = stage.rig
        await stage.cluster()
        await stage.plane(replicas=2)
        machines = await stage.machines(2)
        oldest = min(machines, key=lambda item: (item["metadata"]["creationTimestamp"], item["metadata"]["name"]))[
            "metadata"
        ]["name"]
        await rig.patch(CORE.control_plane, "c1", {"spec": {"replicas": 1}})
        await rig.gone(CORE.machine, oldest)
        await rig.gone(INFRA_ENV, oldest)
        await rig.client.delete(CORE.cluster, "c1", "edge")
        await rig.gone(CORE.cluster, "c1")
        assert await rig.client.get(CORE.control_plane, "c1", "edge") is None
        await rig.gone(CLUSTER_DEPLOYMENT, "c1")
        assert await rig.client.get(CLUSTER_IMAGE_SET, "c1") is not None

    play(tmp_path, story)
