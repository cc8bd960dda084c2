# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Simulate the cluster of a hosted control plane: its API server runs on the hub, and its nodes are machines that
joined.

Source: openshift/hypershift api/hypershift/v1beta1/hostedcluster_types.go,
  hypershift-operator/controllers/hostedcluster/hostedcluster_controller.go;
  openshift/assisted-service internal/controller/controllers/agent_controller.go;
  openshift/cluster-machine-approver pkg/controller/csr_check.go.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Collection, Mapping
from typing import Any

from ..clock import LabClock
from ..faults import Faults
from . import operators, pki
from .cluster import NewCluster
from .kubelet import NO_FACTS, NodeFacts
from .workloads import NAMESPACES, Workloads

# Cluster operators that do not run in a hosted cluster: they run on the hub or not at all.
ELSEWHERE = frozenset(
    {
        "cloud-controller-manager",
        "cloud-credential",
        "config-operator",
        "etcd",
        "machine-config",
        "cluster-autoscaler",
        "machine-api",
        "machine-approver",
        "control-plane-machine-set",
        "baremetal",
        "olm",
        "marketplace",
        "authentication",
    }
)
NAMES = tuple(name for name in operators.NAMES if name not in ELSEWHERE)
GUEST_TICK_SECONDS, OPERATORS_SECONDS = 4.0, 20.0


class GuestCluster(NewCluster):
    """No controller in it approves the requests of new nodes.

    ``endpoint`` is where the API is published: host and port; ``resolves``: whether a name is in the DNS, which the
    console needs.
    """

    def __init__(
        self,
        *,
        name: str,
        base_domain: str,
        version: str,
        signers: Mapping[str, tuple[str | bytes, str | bytes]],
        clock: LabClock,
        faults: Faults,
        cluster_id: str,
        endpoint: tuple[str, int],
        names: Collection[str] = (),
        resolves: Callable[[str], bool] = lambda name: True,
    ) -> None:
        self.endpoint = endpoint
        self._resolves = resolves
        self._names = tuple(dict.fromkeys([endpoint[0], *names]))
        super().__init__(
            name=name,
            base_domain=base_domain,
            version=version,
            signers=signers,
            expected={"worker": 2},
            clock=clock,
            faults=faults,
            platform="None",
            cluster_id=cluster_id,
        )
        self.tick_seconds = GUEST_TICK_SECONDS
        self._looked = -OPERATORS_SECONDS
        self._bootstrap_complete = True
        self._pods = Workloads(self.store, self.registry)
        for namespace in NAMESPACES:
            self._put("Namespace", "", {"metadata": {"name": namespace}, "status": {"phase": "Active"}})

    @property
    def api_url(self) -> str:
        host, port = self.endpoint
        shown = f"[{host}]" if ":" in host else host
        return f"https://{shown}:{port}"

    def kubeconfig(self, server_override: str | None = None) -> str:
        return pki.admin_kubeconfig(
            self.signers, self.name, server_override or self.api_url, self.endpoint[0] if server_override else ""
        )

    def node_booted(
        self,
        name: str,
        role: str,
        ip: str,
        *,
        automatic: bool = False,
        machine: str = "",
        installation: str = "",
        facts: NodeFacts = NO_FACTS,
    ) -> None:
        super().node_booted(
            name, "worker", ip, automatic=False, machine=machine, installation=installation, facts=facts
        )

    def tick(self) -> None:
        super().tick()
        self._pods.tick()

    def _operators(self, now: float) -> None:
        """They have no part in how machines join: a look now and then is enough."""
        if now - self._looked >= OPERATORS_SECONDS:
            self._looked = now
            super()._operators(now)

    def upgrade(self, version: str) -> None:
        """Go to another release; what runs goes on meanwhile."""
        if version != self.version:
            self.version, self._control_plane_since = version, None

    @property
    def version_status(self) -> dict[str, Any]:
        """The ClusterVersion's status."""
        kind = self.registry.by_kind("ClusterVersion", "config.openshift.io")
        return dict(self.store.get(kind, "version").get("status") or {})

    def _put_version(self, conditions: list[dict[str, Any]]) -> None:
        """A cluster that was complete once is available while it is upgraded."""
        if any(entry["state"] == "Completed" for entry in self.version_status.get("history") or []):
            conditions = [
                {**entry, "status": "True"} if entry["type"] == "Available" else entry for entry in conditions
            ]
        super()._put_version(conditions)

    # what is different from a cluster with its own control plane

    @property
    def _control_plane_stands(self) -> bool:
        return True

    @property
    def _workloads(self) -> bool:
        return self.nodes.ready("worker") > 0

    def _states(self, elapsed: float) -> list[operators.OperatorState]:
        states = operators.operator_states(elapsed, workloads=self._workloads, degraded=self._broken(), names=NAMES)
        host = self.console_url.removeprefix("https://")
        if self._resolves(host):
            return states
        text = f"RouteHealthAvailable: failed to GET route (https://{host}): dial tcp: lookup {host}: no such host"
        return [
            dataclasses.replace(state, available=False, progressing=True, message=text)
            if state.name == "console"
            else state
            for state in states
        ]

    def _topology(self) -> tuple[str, str]:
        return "External", "HighlyAvailable"

    def _create_pools(self) -> None:
        """Configurations are those of the hub's NodePools."""

    def _tls(self) -> Any:
        pair = pki.serving_pair(
            self.signers[pki.LB_SIGNER], [*self._names, f"api.{self.domain}", f"api-int.{self.domain}"]
        )
        return pki.server_context(pair, {}, self.signers[pki.ADMIN_SIGNER].pem)
