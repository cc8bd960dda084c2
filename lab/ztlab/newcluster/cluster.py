# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Simulate the cluster that an installation creates: its API server, and all objects that installation tools read."""

from __future__ import annotations

import asyncio
import json
import logging
import uuid
from collections.abc import Mapping
from typing import Any

from ..clock import LabClock
from ..faults import Faults
from ..kubeapi.auth import Authentication
from ..kubeapi.resource import Object, Registry
from ..kubeapi.server import KubeApi
from ..kubeapi.storage import Store
from . import operators, pki
from .bare_metal import bare_metal_host
from .kinds import CONFIG, MCO, METAL3, resources
from .kubelet import NO_FACTS, NodeFacts
from .nodes import Nodes
from .versions import kubernetes_version

LOG = logging.getLogger(__name__)
TICK_SECONDS = 2.0
BOOTKUBE_SECONDS = 90.0
SETTLED_SECONDS = 86400.0
NAMESPACES = (
    "default",
    "kube-system",
    "openshift-config",
    "openshift-config-managed",
    "openshift-console",
    "openshift-machine-api",
    "openshift-machine-config-operator",
    "openshift-ingress",
)


class NewCluster:
    """One new cluster. Raises ValueError when a signer is missing or broken.

    ``signers``: name -> (certificate, key) as the ISO has them in /opt/agent/tls. ``expected``: role -> number of
    hosts.
    ``bmcs``: MAC address -> BMC address, of hosts whose BMC the installation was configured with.
    ``start`` and ``stop`` may alternate: the objects stay (a single node reboots while its API is away).
    """

    def __init__(
        self,
        *,
        name: str,
        base_domain: str,
        version: str,
        signers: Mapping[str, tuple[str | bytes, str | bytes]],
        expected: Mapping[str, int],
        clock: LabClock,
        faults: Faults,
        platform: str = "",
        pace: float = 1.0,
        cluster_id: str = "",
        stream: str = "",
        bmcs: Mapping[str, str] | None = None,
    ) -> None:
        self.bmcs = dict(bmcs or {})
        self.name, self.base_domain, self.version = name, base_domain, version
        self.domain = f"{name}.{base_domain}"
        self.expected = {role: int(expected.get(role, 0)) for role in ("master", "worker", "arbiter")}
        self.clock, self.faults, self.pace = clock, faults, pace
        self.platform = platform or ("None" if self.single_node else "BareMetal")
        self.cluster_id = cluster_id or str(uuid.uuid4())
        self.signers = pki.load_signers(signers)
        self.ingress_authority = pki.new_authority("ingress-operator@1")
        self.registry = Registry(resources())
        self.store = Store(now=clock.utcnow)
        minor, full = kubernetes_version(version)
        body = {
            "major": "1",
            "minor": minor,
            "gitVersion": full,
            "gitCommit": "0" * 40,
            "gitTreeState": "clean",
            "buildDate": "2026-01-01T00:00:00Z",
            "goVersion": "go1.24",
            "compiler": "gc",
            "platform": "linux/amd64",
        }
        self.api = KubeApi(self.registry, self.store, authentication=Authentication(), version=body, faults=faults)
        self.nodes = Nodes(
            self.store,
            self.registry,
            kubernetes_version=full,
            version=version,
            stream=stream,
            masters_schedulable=self.masters_schedulable,
            faults=faults,
        )
        self._ticker: asyncio.Task[None] | None = None
        self.tick_seconds = TICK_SECONDS
        self._started: float | None = None
        self._masters_since: float | None = None
        self._control_plane_since: float | None = None
        self._updating_since: float | None = None
        self._degraded: dict[str, int] = {}
        self._reported: dict[str, str] = {}
        self._bootstrap_complete = False
        self._installed = False
        self._create_initial_objects()

    def settle(self) -> None:
        """Installed long ago: every kubelet that is known is a Node that is Ready, every operator is available."""
        now = self.clock.now()
        for name in self.nodes.kubelets:
            self.nodes.settle(name, now)
        self._bootstrap_complete = True
        self._put("ConfigMap", "", {"metadata": {"name": "bootstrap"}, "data": {"status": "complete"}}, "kube-system")
        self._control_plane_since = now - SETTLED_SECONDS
        self._operators(now)

    # what the rest of the lab asks

    @property
    def single_node(self) -> bool:
        return self.expected["master"] == 1

    @property
    def masters_schedulable(self) -> bool:
        """Fewer than two workers: workloads run on the control plane."""
        return self.expected["worker"] < 2

    @property
    def needed_masters(self) -> int:
        """Control plane nodes that must be Ready before the bootstrap host may leave: its own node comes last."""
        return {1: 0, 2: 1}.get(self.expected["master"], 2)

    @property
    def masters_ready(self) -> bool:
        """Enough control plane nodes are Ready for bootstrapping to end."""
        return self.nodes.ready("master") >= self.needed_masters

    @property
    def bootstrap_complete(self) -> bool:
        """The configmap kube-system/bootstrap says complete."""
        return self._bootstrap_complete

    @property
    def installed(self) -> bool:
        """ClusterVersion is Available and no longer Progressing."""
        return self._installed

    @property
    def host(self) -> str:
        return self.api.host

    @property
    def port(self) -> int:
        return self.api.port

    @property
    def api_url(self) -> str:
        return f"https://api.{self.domain}:6443"

    @property
    def console_url(self) -> str:
        return f"https://console-openshift-console.apps.{self.domain}"

    def approves(self, name: str, role: str) -> bool:
        """Whether the cluster approves a host's signing requests itself: those of its installation, also of a host that
        is late for it.
        """
        role = "master" if role == "bootstrap" else role
        present = sum(kubelet.role == role for kubelet in self.nodes.kubelets.values())
        return not self._installed or (name not in self.nodes.kubelets and present < self.expected.get(role, 0))

    def node_booted(
        self,
        name: str,
        role: str,
        ip: str,
        *,
        automatic: bool = True,
        machine: str = "",
        installation: str = "",
        facts: NodeFacts = NO_FACTS,
    ) -> None:
        """A machine booted from disk and runs its kubelet.

        ``automatic`` False: its signing requests wait for a user (day 2).
        """
        role = "master" if role == "bootstrap" else role
        self.nodes.boot(
            name,
            role,
            ip,
            self.clock.now(),
            automatic=automatic,
            machine=machine,
            installation=installation,
            facts=facts,
        )
        if automatic and self.platform == "BareMetal" and facts.mac:
            self._put(
                "BareMetalHost",
                METAL3,
                bare_metal_host(self.name, name, role, facts, self.bmcs),
                "openshift-machine-api",
            )

    def pools(self) -> set[str]:
        """Names of the MachineConfigPools; the arbiter's has no object of its own here."""
        found = {
            str(item["metadata"]["name"]) for item in self.store.list(self.registry.by_kind("MachineConfigPool", MCO))
        }
        return found | ({"arbiter"} if self.expected["arbiter"] else set())

    def publish_config_authority(self, pem: str) -> None:
        """Where hubs look for the machine config server's CA."""
        self._put(
            "ConfigMap",
            "",
            {"metadata": {"name": "machine-config-server-ca"}, "data": {"ca-bundle.crt": pem}},
            "openshift-machine-config-operator",
        )

    def kubeconfig(self, server_override: str | None = None) -> str:
        """An administrator's kubeconfig. With another address than the real one the server name stays the real one."""
        return pki.admin_kubeconfig(
            self.signers, self.name, server_override or self.api_url, f"api.{self.domain}" if server_override else ""
        )

    # life

    async def start(self, host: str, port: int = 6443) -> None:
        """Serve the API. With the fault ``api-never-starts`` nothing listens."""
        if self._started is None:
            self._started = self.clock.now()
        if self.faults.take("api-never-starts") is None:
            await self.api.start(host, port, self._tls())
        self._ticker = asyncio.create_task(self._run())

    async def stop(self) -> None:
        if self._ticker is not None:
            self._ticker.cancel()
            await asyncio.gather(self._ticker, return_exceptions=True)
            self._ticker = None
        await self.api.stop()

    def _tls(self) -> Any:
        """The API server has a certificate per name, each from its own signer."""
        load_balancer = pki.serving_pair(self.signers[pki.LB_SIGNER], [f"api.{self.domain}", f"api-int.{self.domain}"])
        local = pki.serving_pair(self.signers[pki.LOCALHOST_SIGNER], ["localhost", "127.0.0.1"])
        service_names = [
            "kubernetes",
            "kubernetes.default",
            "kubernetes.default.svc",
            "kubernetes.default.svc.cluster.local",
            "172.30.0.1",
        ]
        service = pki.serving_pair(self.signers[pki.SERVICE_SIGNER], service_names)
        by_name = {"localhost": local, **dict.fromkeys(service_names, service)}
        return pki.server_context(load_balancer, by_name, self.signers[pki.ADMIN_SIGNER].pem)

    async def _run(self) -> None:
        while True:
            try:
                self.tick()
            except Exception:
                LOG.exception("the new cluster %s does not get on", self.name)
            await self.clock.sleep(self.tick_seconds)

    def tick(self) -> None:
        """One step of everything that happens by itself."""
        now = self.clock.now()
        self.nodes.tick(now)
        self._bootstrap(now)
        self._operators(now)

    # bootstrapping

    def _bootstrap(self, now: float) -> None:
        if self._bootstrap_complete or self._started is None:
            return
        if self.masters_ready and self._masters_since is None:
            self._masters_since = now
        if self._masters_since is None or now - self._masters_since < BOOTKUBE_SECONDS * self.pace:
            return
        self._bootstrap_complete = True
        self._put("ConfigMap", "", {"metadata": {"name": "bootstrap"}, "data": {"status": "complete"}}, "kube-system")

    @property
    def _control_plane_stands(self) -> bool:
        return self._bootstrap_complete and self.nodes.ready("master") >= max(1, self.needed_masters)

    @property
    def _workloads(self) -> bool:
        """Somewhere for routers and consoles to run."""
        if self.masters_schedulable:
            return self.nodes.ready("master") > 0
        return self.nodes.ready("worker") >= min(2, self.expected["worker"])

    # operators and version

    def _operators(self, now: float) -> None:
        if self._control_plane_since is None:
            if not self._control_plane_stands:
                return
            self._control_plane_since = now
        elapsed = (now - self._control_plane_since) / self.pace
        states = self._states(elapsed)
        for state in states:
            self._put_operator(state)
        done = operators.all_available(elapsed, states)
        if done:
            self._follow_update(now)
        updating = (now - self._updating_since) / self.pace if self._updating_since is not None else None
        if updating is not None and updating < operators.UPDATE_SECONDS:
            self._put_version(operators.update_conditions(self.version, updating))
        else:
            self._put_version(operators.version_conditions(self.version, elapsed, states))
        if any(state.name == "ingress" and state.available for state in states):
            self._put_ingress()
        if any(state.name == "console" and state.available for state in states):
            self._put_console()
        self._installed = done

    def _follow_update(self, now: float) -> None:
        """Another version in spec.desiredUpdate begins an update. Images by digest are not known here."""
        kind = self.registry.by_kind("ClusterVersion", CONFIG)
        wanted = ((self.store.get(kind, "version").get("spec") or {}).get("desiredUpdate") or {}).get("version")
        if wanted and wanted != self.version:
            self.version, self._updating_since = str(wanted), now

    def _states(self, elapsed: float) -> list[operators.OperatorState]:
        return operators.operator_states(elapsed, workloads=self._workloads, degraded=self._broken())

    def _broken(self) -> frozenset[str]:
        """Operators that a fault keeps degraded; the fault lasts until it is cleared."""
        fault = self.faults.take("operator-degraded")
        if fault is not None:
            self._degraded[fault.options.get("operator", "authentication")] = fault.id
        present = {fault.id for fault in self.faults.list()}
        self._degraded = {name: number for name, number in self._degraded.items() if number in present}
        return frozenset(self._degraded)

    def _put_operator(self, state: operators.OperatorState) -> None:
        def word(value: bool) -> str:
            return "True" if value else "False"

        conditions = [
            {"type": "Available", "status": word(state.available), "reason": state.reason, "message": state.message},
            {
                "type": "Progressing",
                "status": word(state.progressing),
                "reason": state.reason,
                "message": state.message,
            },
            {
                "type": "Degraded",
                "status": word(state.degraded),
                "reason": state.reason if state.degraded else "AsExpected",
                "message": state.message if state.degraded else "",
            },
            {"type": "Upgradeable", "status": "True", "reason": "AsExpected", "message": ""},
        ]
        versions = [{"name": "operator", "version": self.version}] if state.available else []
        self._put_status("ClusterOperator", state.name, conditions, {"versions": versions})

    def _put_version(self, conditions: list[dict[str, Any]]) -> None:
        done = next(entry["status"] for entry in conditions if entry["type"] == "Progressing") == "False"
        moment = self.store.timestamp()
        kind = self.registry.by_kind("ClusterVersion", CONFIG)
        known = (self.store.get(kind, "version").get("status") or {}).get("history") or []
        earlier = [item for item in known if item.get("version", self.version) != self.version]
        entry = {"startedTime": moment, "completionTime": None, "verified": False}
        entry = next((item for item in known if item not in earlier), entry)
        if done and entry.get("state") != "Completed":
            entry = {**entry, "completionTime": moment}
        release = {"version": self.version, "image": f"quay.io/openshift-release-dev/ocp-release:{self.version}-x86_64"}
        history = {**entry, **release, "state": "Completed" if done else "Partial"}
        self._put_status(
            "ClusterVersion",
            "version",
            conditions,
            {"desired": release, "history": [history, *earlier], "observedGeneration": 1, "versionHash": "lab"},
        )

    def _put_status(self, kind: str, name: str, conditions: list[dict[str, Any]], rest: Object) -> None:
        """Write a status, keeping the transition times of conditions that did not change."""
        resource = self.registry.by_kind(kind, CONFIG)
        wanted = json.dumps([conditions, rest])
        exists = self.store.exists(resource, name)
        if exists and self._reported.get(f"{kind} {name}") == wanted:
            return  # most ticks change nothing, and a lab that is done should be cheap to keep
        self._reported[f"{kind} {name}"] = wanted
        if not exists:
            self.store.create(resource, {"metadata": {"name": name}, "spec": {}})
        current = self.store.get(resource, name)
        before = {entry["type"]: entry for entry in (current.get("status") or {}).get("conditions") or []}
        moment = self.store.timestamp()
        for entry in conditions:
            old = before.get(entry["type"])
            entry["lastTransitionTime"] = (
                old["lastTransitionTime"] if old and old["status"] == entry["status"] else moment
            )
        current["status"] = {**rest, "conditions": conditions}
        self.store.update(resource, current, subresource="status")

    # objects

    def _put(self, kind: str, group: str, body: Object, namespace: str = "") -> None:
        """Create, with status where the body has one; an object that exists stays."""
        resource = self.registry.by_kind(kind, group)
        if self.store.exists(resource, body["metadata"]["name"], namespace):
            return
        created = self.store.create(resource, body, namespace)
        if resource.has_status and "status" in body:
            self.store.update(resource, {**created, "status": body["status"]}, namespace, subresource="status")

    def _create_initial_objects(self) -> None:
        for namespace in NAMESPACES:
            self._put("Namespace", "", {"metadata": {"name": namespace}, "status": {"phase": "Active"}})
        control_plane, workers = self._topology()
        infrastructure = {
            "apiServerURL": self.api_url,
            "apiServerInternalURI": f"https://api-int.{self.domain}:6443",
            "infrastructureName": f"{self.name}-{self.cluster_id[:5]}",
            "platform": self.platform,
            "platformStatus": {"type": self.platform},
            "controlPlaneTopology": control_plane,
            "infrastructureTopology": workers,
        }
        self._put(
            "Infrastructure",
            CONFIG,
            {
                "metadata": {"name": "cluster"},
                "spec": {"platformSpec": {"type": self.platform}},
                "status": infrastructure,
            },
        )
        self._put("DNS", CONFIG, {"metadata": {"name": "cluster"}, "spec": {"baseDomain": self.domain}})
        self._put("Ingress", CONFIG, {"metadata": {"name": "cluster"}, "spec": {"domain": f"apps.{self.domain}"}})
        self._put("Network", CONFIG, {"metadata": {"name": "cluster"}, "spec": {"networkType": "OVNKubernetes"}})
        self._put("Proxy", CONFIG, {"metadata": {"name": "cluster"}, "spec": {}})
        self._put("ClusterVersion", CONFIG, {"metadata": {"name": "version"}, "spec": {"clusterID": self.cluster_id}})
        self._put_version(operators.version_conditions(self.version, None, []))
        self._create_pools()

    def _topology(self) -> tuple[str, str]:
        """Of the control plane and of the workers."""
        if self.single_node:
            return "SingleReplica", "SingleReplica"
        return "HighlyAvailableArbiter" if self.expected["arbiter"] else "HighlyAvailable", "HighlyAvailable"

    def _create_pools(self) -> None:
        for pool in ("master", "worker"):
            digest = uuid.uuid5(uuid.NAMESPACE_DNS, self.domain + pool).hex
            rendered = f"rendered-{pool}-{digest}"
            self._put(
                "MachineConfig",
                MCO,
                {
                    "metadata": {"name": rendered},
                    "spec": {"fips": False, "osImageURL": "", "config": {"ignition": {"version": "3.4.0"}}},
                },
            )
            status = {
                "configuration": {"name": rendered},
                "conditions": [{"type": "Updated", "status": "True"}, {"type": "Updating", "status": "False"}],
            }
            self._put(
                "MachineConfigPool",
                MCO,
                {"metadata": {"name": pool}, "spec": {"configuration": {"name": rendered}}, "status": status},
            )

    def _put_ingress(self) -> None:
        data = {"ca-bundle.crt": self.ingress_authority.pem.decode()}
        self._put(
            "ConfigMap", "", {"metadata": {"name": "default-ingress-cert"}, "data": data}, "openshift-config-managed"
        )

    def _put_console(self) -> None:
        host = self.console_url.removeprefix("https://")
        body = {
            "metadata": {"name": "console"},
            "spec": {
                "host": host,
                "to": {"kind": "Service", "name": "console", "weight": 100},
                "port": {"targetPort": "https"},
                "tls": {"termination": "reencrypt"},
            },
            "status": {
                "ingress": [
                    {
                        "host": host,
                        "routerName": "default",
                        "conditions": [
                            {"type": "Admitted", "status": "True", "lastTransitionTime": self.store.timestamp()}
                        ],
                    }
                ]
            },
        }
        self._put("Route", "route.openshift.io", body, "openshift-console")
