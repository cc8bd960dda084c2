# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Helpers for tests of hosted clusters: start a lab with a rack of machines and a hub that hosts clusters, and run
playbooks against it.
"""

from __future__ import annotations

import contextlib
import dataclasses
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from ansible_collections.zerotouch.openshift.plugins.module_utils.kube.client import KubeClient, Object

from .conftest import MakeLab, canary_inventory, canary_site
from .lab import Deployment, Lab, Run, kill_all

# Host of the inventory -> its hostname.
HOSTS = {f"node-{number}": f"node-{number}" for number in range(6)} | {"node-1": "node-1.guest.example.com"}
CONFIRMED = {"openshift_confirm": "guest"}
HOSTED_CLUSTER = "/apis/hypershift.openshift.io/v1beta1/namespaces/clusters/hostedclusters/guest"
POOLS = "/apis/hypershift.openshift.io/v1beta1/namespaces/clusters/nodepools"
AGENTS = "/apis/agent-install.openshift.io/v1beta1/namespaces/fleet/agents"
LABEL = "zerotouch.openshift/node-pool"
# Wall clock seconds, for a machine on which much else runs; the lab is sixty times as fast.
LONGEST = 900.0


@dataclasses.dataclass(frozen=True)
class Site:
    """A hub that hosts clusters, six machines, and the inventory of both."""

    deployment: Deployment

    @property
    def lab(self) -> Lab:
        return self.deployment.lab

    def play(self, playbook: str, *options: str, **extra: Any) -> Run:
        run = self.deployment.run(playbook, *options, extra=extra)
        assert "Traceback" not in run.output, run.output
        return run

    def played(self, playbook: str, *options: str, **extra: Any) -> Run:
        run = self.play(playbook, *options, **extra)
        assert run.ok, run.output
        return run

    def scaled(self, *options: str, **pool: Any) -> Run:
        return self.played("scale_node_pool", *options, openshift_node_pool=pool)

    def killed(self, playbook: str, words: str, **extra: Any) -> str:
        """The output of a run that is killed when it has printed these words."""
        process = self.deployment.start(playbook, extra=extra)
        output = ""
        for line in process.stdout or ():
            output += line
            if words in line:
                break
        assert words in output, output
        kill_all(process.pid)
        process.wait()
        return output

    def images(self, but: str = "") -> dict[str, int]:
        """How often each machine booted an image, without the machine of one host."""
        boots = {name: each for name, each in self.lab.boots().items() if name != but.partition(".")[0]}
        return {name: sum(not boot.startswith("disk") for boot in each) for name, each in boots.items()}

    def nodes(self) -> set[str]:
        """Names of the Nodes that are Ready, as the lab sees the hosted cluster."""
        clusters = self.lab.status()["clusters"]
        return {name for cluster in clusters for name, state in cluster["nodes"].items() if state == "Ready"}

    def states(self) -> dict[str, str]:
        """What the lab says of each machine."""
        return {machine["name"]: str(machine["phase"]) for machine in self.lab.status()["machines"]}


def changed(site: Site, before: dict[str, int]) -> set[str]:
    """Machines whose BMC was written to since."""
    return {name for name, writes in site.lab.writes().items() if writes > before[name]}


def make_site(make_lab: MakeLab, directory: Path) -> Site:
    """The inventory ``hosted`` and the lab that plays it."""
    return Site(
        Deployment(
            make_lab(directory, canary_site("hosted", directory)), canary_inventory("hosted", directory), directory
        )
    )


@contextlib.contextmanager
def sampled(look: Callable[[], object]) -> Iterator[None]:
    """Call ``look`` again and again meanwhile, and once at the end."""
    over = threading.Event()

    def watch() -> None:
        while not over.wait(0.2):
            look()

    thread = threading.Thread(target=watch)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()
        look()


def until(holds: Callable[[], bool], what: Callable[[], object]) -> None:
    """Wait for what the controllers of the lab do."""
    end = time.monotonic() + LONGEST
    while not holds():
        assert time.monotonic() < end, what()
        time.sleep(0.5)


def labelled(hub: KubeClient, pool: str = "guest") -> dict[str, bool]:
    """Hostname of each Agent with the label of the pool, and whether it is free."""
    found = [
        agent for agent in hub.list(AGENTS) if (agent["metadata"].get("labels") or {}).get(LABEL) == f"clusters.{pool}"
    ]
    return {agent["spec"].get("hostname", ""): not agent["spec"].get("clusterDeploymentName") for agent in found}


def in_use(hub: KubeClient, pool: str = "guest") -> set[str]:
    """Hostnames of the pool's hosts."""
    return {name for name, free in labelled(hub, pool).items() if not free}


def agent_of(hub: KubeClient, hostname: str) -> str:
    return next(
        str(agent["metadata"]["name"]) for agent in hub.list(AGENTS) if agent["spec"].get("hostname") == hostname
    )


def node_pool(hub: KubeClient, pool: str = "guest") -> Object:
    return hub.get(f"{POOLS}/{pool}")


def state(hub: KubeClient, pool: str = "guest") -> dict[str, Any]:
    status = node_pool(hub, pool)["status"]
    conditions = {each["type"]: each["status"] for each in status["conditions"]}
    return {"version": status.get("version"), "replicas": status.get("replicas"), **conditions}


def settled(hub: KubeClient, pool: str, replicas: int) -> bool:
    """Whether the pool has so many Nodes of its release, and nothing is under way."""
    found = state(hub, pool)
    version = node_pool(hub, pool)["spec"]["release"]["image"].rpartition(":")[2].partition("-")[0]
    well = found["AllMachinesReady"] == found["AllNodesHealthy"] == "True" and found["UpdatingVersion"] == "False"
    return well and (found["version"], found["replicas"]) == (version, replicas)
