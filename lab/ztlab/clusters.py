# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Manage the clusters that machines of the lab install: the Kubernetes API of each cluster, and the machines that run
it.
"""

from __future__ import annotations

import asyncio
import dataclasses
import urllib.parse
from collections.abc import Coroutine, Mapping, MutableMapping
from typing import TYPE_CHECKING, Any

from .ingress import Ingress
from .newcluster import pki
from .newcluster.cluster import NewCluster
from .newcluster.config_server import ConfigServer
from .newcluster.guest import GuestCluster
from .newcluster.kubelet import NO_FACTS, Kubelet, NodeFacts

if TYPE_CHECKING:
    from .lab import Lab

API_PORT = 6443


@dataclasses.dataclass(frozen=True)
class ClusterPlan:
    """What the bootstrap host decoded about its cluster.

    ``key``: what all its hosts know: the InfraEnv id of an agent-based image, the service's id of a cluster that a hub
    installs.
    """

    key: str
    name: str
    base_domain: str
    version: str
    platform: str
    api_ip: str
    ingress_ip: str
    expected: Mapping[str, int]  # role -> count
    signers: Mapping[str, tuple[bytes, bytes]]  # name -> (certificate, key) in PEM
    cluster_id: str = ""  # OpenShift's, "" for one of its own choice
    stream: str = ""  # of the operating system, as the install-config names it
    config_authority: tuple[bytes, bytes] | None = None  # signs the machine config server's certificate
    # MAC address -> BMC address, where the installation was configured with BMCs
    bmcs: Mapping[str, str] = dataclasses.field(default_factory=dict)

    @property
    def domain(self) -> str:
        return f"{self.name}.{self.base_domain}"


class RunningCluster:
    """One cluster. Its API answers as long as a machine carries it: the bootstrap host, later the control plane."""

    def __init__(
        self,
        plan: ClusterPlan,
        api: NewCluster,
        address: str,
        ingress: Ingress,
        virtual: MutableMapping[str, str],
        config: ConfigServer,
    ) -> None:
        self.plan = plan
        self.config = config
        self._controller: asyncio.Task[None] | None = None
        self._virtual = virtual
        self.api = api
        self.address = address
        self._ingress = ingress
        self.port = API_PORT
        self._carriers: set[str] = set()
        self._down = False
        self._serving = False
        self._lock = asyncio.Lock()

    async def carry(self, machine: str) -> None:
        """A machine runs the API now."""
        self._carriers.add(machine)
        await self._adjust()

    async def drop(self, machine: str) -> None:
        """A machine does not run it any more; without one the API is away."""
        self._carriers.discard(machine)
        await self._adjust()

    async def interrupt(self, down: bool) -> None:
        """The API is away for a while, although what carries it runs."""
        if down != self._down:
            self._down = down
            await self._adjust()

    async def end(self) -> None:
        self._carriers.clear()
        if self._controller is not None:
            self._controller.cancel()
            await asyncio.gather(self._controller, return_exceptions=True)
        await self._adjust()

    @property
    def carriers(self) -> frozenset[str]:
        return frozenset(self._carriers)

    @property
    def serving(self) -> bool:
        return self._serving

    def run_controller(self, controller: Coroutine[Any, Any, None]) -> None:
        """The pod that reports to a service that outlives the bootstrap host; there is one for the life of the
        cluster.
        """
        if self._controller is None:
            self._controller = asyncio.create_task(
                controller, name=(f"assisted-installer-controller of {self.plan.domain}")
            )
        else:
            controller.close()

    async def _adjust(self) -> None:
        async with self._lock:
            wanted = bool(self._carriers) and not self._down
            if wanted and not self._serving:
                await self.api.start(self.address, API_PORT)
                await self._ingress.start()
                await self.config.start(self.address)
                self._virtual.update(dict.fromkeys(self._vips, ""))
                self._serving = True
            elif self._serving and not wanted:
                await self.config.stop()
                await self._ingress.stop()
                await self.api.stop()
                for address in self._vips:  # no host answers for them any more: they are free for the next installation
                    self._virtual.pop(address, None)
                self._serving = False

    @property
    def _vips(self) -> tuple[str, ...]:
        return tuple(address for address in (self.plan.api_ip, self.plan.ingress_ip) if address)

    def node_booted(
        self,
        hostname: str,
        role: str,
        ip: str,
        *,
        machine: str = "",
        installation: str = "",
        facts: NodeFacts = NO_FACTS,
    ) -> None:
        """A machine booted from disk and runs its kubelet.

        The cluster approves the requests of the hosts of its installation, not those of later ones.
        """
        automatic = self.api.approves(hostname, role)
        self.api.node_booted(
            hostname, role, ip, automatic=automatic, machine=machine, installation=installation, facts=facts
        )

    def node_stopped(self, hostname: str) -> None:
        """The machine of a node does not run it any more."""
        self.api.nodes.halt(hostname, self.api.clock.now())

    def stages_behind(self, hostname: str) -> int:
        """How many of the stages Configuring, Joined, Done a node has reached."""
        kubelet = self.api.nodes.kubelets.get(hostname)
        if kubelet is None:
            return 0
        if kubelet.ready:
            return 3
        return 1 if kubelet.joined is None else 2


class HostedRun(RunningCluster):
    """A cluster whose control plane runs on the hub: no machine carries it.

    ``ignition``: where its hosts get their configuration, host or host:port.
    """

    def __init__(self, plan: ClusterPlan, api: GuestCluster, address: str, port: int, ignition: str) -> None:
        table: dict[str, str] = {}
        super().__init__(
            plan, api, address, Ingress(api, address), table, ConfigServer((), api.ingress_authority, api.pools)
        )
        self.guest, self.port, self.ignition = api, port, ignition
        self._published = False

    async def serve(self) -> None:
        """Answer at the published address."""
        self._published = True
        await self._adjust()

    async def end(self) -> None:
        self._published = False
        await self._adjust()

    async def _adjust(self) -> None:
        async with self._lock:
            wanted = self._published and not self._down
            if wanted != self._serving:
                self._serving = wanted
                await (self.guest.start(self.address, self.port) if wanted else self.guest.stop())

    async def carry(self, machine: str) -> None:
        """Machines of a hosted cluster are workers."""

    async def drop(self, machine: str) -> None:
        """The control plane stays."""

    def node_booted(
        self,
        hostname: str,
        role: str,
        ip: str,
        *,
        machine: str = "",
        installation: str = "",
        facts: NodeFacts = NO_FACTS,
    ) -> None:
        self.api.node_booted(
            hostname, "worker", ip, automatic=False, machine=machine, installation=installation, facts=facts
        )


class Clusters:
    """By :attr:`ClusterPlan.key`."""

    def __init__(self, lab: Lab) -> None:
        self._lab = lab
        self._clusters: dict[str, RunningCluster] = {}
        self.hosted: dict[str, HostedRun] = {}

    def get(self, key: str) -> RunningCluster | None:
        return self._clusters.get(key)

    def all(self) -> tuple[RunningCluster, ...]:
        """Those that machines carry, then the hosted ones."""
        return (*self._clusters.values(), *self.hosted.values())

    def by_domain(self, domain: str) -> RunningCluster | None:
        """The newest cluster of this name."""
        return next((running for running in reversed(self._clusters.values()) if running.plan.domain == domain), None)

    def configured_by(self, url: str, address: str) -> RunningCluster | None:
        """The cluster that a host joins with the configuration from a URL, whose host name leads to a loopback
        address.
        """
        netloc = urllib.parse.urlsplit(url).netloc.lower()
        for hosted in self.hosted.values():
            if hosted.ignition.lower() == netloc:
                return hosted
        return next((running for running in reversed(self._clusters.values()) if running.address == address), None)

    async def begin(self, plan: ClusterPlan, machine: str) -> RunningCluster:
        """Bootkube begins on a machine.

        A cluster of the same key or address is history. Raises ValueError for signers that are none.
        """
        running = await self.add(plan)
        await running.carry(machine)
        return running

    async def add(self, plan: ClusterPlan) -> RunningCluster:
        """A cluster that no machine carries yet, in the place of one of the same key or address.

        Raises ValueError for signers that are none.
        """
        for key, old in list(self._clusters.items()):
            if key == plan.key or old.plan.api_ip == plan.api_ip:
                await old.end()
                del self._clusters[key]
        api = NewCluster(
            name=plan.name,
            base_domain=plan.base_domain,
            version=plan.version,
            signers=plan.signers,
            expected=plan.expected,
            platform=plan.platform,
            clock=self._lab.clock,
            faults=self._lab.faults,
            cluster_id=plan.cluster_id,
            stream=plan.stream,
            bmcs=plan.bmcs,
        )
        table = self._lab.fabric.table
        authority = pki.load_signer(*plan.config_authority) if plan.config_authority else pki.new_authority("root-ca")
        api.publish_config_authority(authority.pem.decode())
        names = [f"api-int.{plan.domain}", f"api.{plan.domain}", plan.api_ip]
        running = RunningCluster(
            plan,
            api,
            table.loopback(plan.api_ip),
            Ingress(api, table.loopback(plan.ingress_ip)),
            self._lab.fabric.virtual,
            ConfigServer(names, authority, api.pools),
        )
        self._clusters[plan.key] = running
        return running

    async def stop(self) -> None:
        await asyncio.gather(*(running.end() for running in self.all()))
        self._clusters.clear()
        self.hosted.clear()

    def status(self) -> list[dict[str, Any]]:
        return [
            {
                "name": running.plan.name,
                "base_domain": running.plan.base_domain,
                "version": running.plan.version,
                "api": running.api.api_url,
                "console": running.api.console_url,
                "bootstrap_complete": running.api.bootstrap_complete,
                "installed": running.api.installed,
                "nodes": {name: _node_status(kubelet) for name, kubelet in running.api.nodes.kubelets.items()},
            }
            for running in self.all()
        ]

    def kubeconfig(self, name: str = "") -> str:
        """A kubeconfig of the newest cluster (of this name) that goes straight to its loopback address.

        Raises LookupError when there is none.
        """
        found = [
            running
            for running in (*self.hosted.values(), *self._clusters.values())
            if running.serving or not isinstance(running, HostedRun)
        ]
        wanted = [running for running in found if name in ("", running.plan.name)]
        if not found:
            raise LookupError(
                "no cluster exists yet: no machine has got as far as bootkube, and no hosted control plane serves"
            )
        if not wanted:
            names = ", ".join(running.plan.name for running in found)
            raise LookupError(f"no cluster is called {name!r}; there are {names}")
        running = wanted[-1]
        return running.api.kubeconfig(f"https://{running.address}:{running.port}")


def _node_status(kubelet: Kubelet) -> str:
    if kubelet.ready:
        return "Ready"
    return "not joined" if kubelet.joined is None else "NotReady"
