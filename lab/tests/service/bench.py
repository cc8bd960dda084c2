# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test helper: an assisted-service without HTTP. The tests advance its clock and its monitors."""

from __future__ import annotations

import copy
import json
from typing import Any

from ztlab.clock import LabClock
from ztlab.faults import Faults
from ztlab.service import machine_cluster, machine_host, steps
from ztlab.service.app import AssistedService
from ztlab.service.model import Cluster, Host
from ztlab.service.router import Call

from .scripted import INFRA_ENV_ID, Keys, Machine, ScriptedAgent, agent_environment, cluster_params

KEYS = Keys()


class HandClock(LabClock):
    """A clock that only the tests advance."""

    def __init__(self) -> None:
        super().__init__(1)
        self.moment = 1000.0

    def now(self) -> float:
        return self.moment

    async def sleep(self, lab_seconds: float) -> None:
        self.moment += lab_seconds


class Bench:
    def __init__(self, params: dict[str, Any] | None = None, **environment: str) -> None:
        self.clock = HandClock()
        self.service = AssistedService(agent_environment(KEYS, **environment), clock=self.clock, faults=Faults())
        self.core = self.service.core
        self.cluster = self._register(params)

    def call(
        self, method: str, template: str, body: Any = None, query: dict[str, str] | None = None, **path: str
    ) -> Any:
        """A handler, reached as the router would; raises what it raises."""
        found = next(route for route in self.service.router.routes if route.key == f"{method} {template}")
        return found.handler(self.core, Call(path, query or {}, {}, body))

    def _register(self, params: dict[str, Any] | None) -> Cluster:
        made = self.call("POST", "/v2/clusters", params or cluster_params()).body
        self.call(
            "POST",
            "/v2/infra-envs",
            {"name": "demo", "pull_secret": cluster_params()["pull_secret"], "cluster_id": made["id"]},
        )
        return self.core.state.clusters[made["id"]]

    def host(self, number: int = 0, *, status: str = "", answered: bool = True, **members: Any) -> Host:
        """A registered host whose agent has answered everything, unless told otherwise."""
        machine = members.pop("machine", None) or Machine(number)
        self.call("POST", "/v2/infra-envs/{infra_env_id}/hosts", {"host_id": machine.id}, infra_env_id=INFRA_ENV_ID)
        host = self.core.host(INFRA_ENV_ID, machine.id)
        host.timestamp = 1
        if answered:
            steps.receive_inventory(self.core, host, machine.inventory())
            host.ntp_sources = [{"source_name": "x", "source_state": "synced"}]
            asked = [
                {"domain_name": name, "ipv4_addresses": [], "ipv6_addresses": []}
                for name in steps.asked_domains(self.cluster)
            ]
            host.resolutions = {"resolutions": asked}
        for name, value in members.items():
            setattr(host, name, value)
        if status:
            self.core.set_host_status(host, status, "set by the test")
        return host

    def connect(self) -> None:
        """Every host tells of its links to all others, and the VIPs are free."""
        for host in self.core.state.hosts.values():
            arguments = steps.BUILDERS["connectivity-check"](self.core, host, self.cluster)
            if arguments:
                machine = next(item for item in map(Machine, range(20)) if item.id == host.id)
                agent = ScriptedAgent.__new__(ScriptedAgent)
                agent.machine = machine
                host.connectivity = agent.reply_connectivity_check(arguments)
        self.cluster.vip_verification = dict.fromkeys(
            self.cluster.vips("api_vips") + self.cluster.vips("ingress_vips"), "succeeded"
        )

    def ready(self, count: int = 3) -> list[Host]:
        """A cluster that is ready to install, with so many equal hosts."""
        hosts = [self.host(number) for number in range(count)]
        self.connect()
        self.monitor()
        self.monitor()
        assert self.cluster.status == "ready", self.verdicts()
        return hosts

    def monitor(self) -> None:
        self.service.monitor_hosts()
        self.service.monitor_clusters()

    def refresh(self, host: Host) -> tuple[str, str]:
        machine_host.refresh(self.core, host)
        return host.status, host.status_info

    def refresh_cluster(self) -> tuple[str, str]:
        machine_cluster.refresh(self.core, self.cluster)
        return self.cluster.status, self.cluster.status_info

    def verdict(self, host: Host, name: str) -> tuple[str, str] | None:
        """Status and message of a validation of a host; None when it is left out."""
        for known in self.core.state.hosts.values():  # a test changes reports where they are; an agent sends new ones
            known.inventory, known.connectivity = copy.deepcopy((known.inventory, known.connectivity))
        machine_host.judge(self.core, host, self.core.scene(self.core.cluster_of(host), host))
        for verdicts in host.verdicts.values():
            for verdict in verdicts:
                if verdict.id == name:
                    return verdict.status, verdict.message
        return None

    def cluster_verdict(self, name: str) -> tuple[str, str]:
        facts = machine_cluster.judge(self.core, self.cluster)
        return facts.verdicts[name].status, facts.verdicts[name].message

    def verdicts(self) -> str:
        bad = [verdict.body() for found in self.cluster.verdicts.values() for verdict in found if not verdict.met]
        for host in self.core.state.hosts.values():
            bad += [
                {host.name: verdict.body()} for found in host.verdicts.values() for verdict in found if not verdict.met
            ]
        return json.dumps(bad, indent=1)
