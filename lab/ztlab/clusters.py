# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""The clusters that machines of the lab install: the new cluster's Kubernetes API, and which node booted into it."""

from __future__ import annotations

import asyncio
import base64
import dataclasses
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import yaml

from .fabric.clientcert import client_certificate

if TYPE_CHECKING:
    from .lab import Lab
    from .newcluster.cluster import NewCluster

API_PORT = 6443


@dataclasses.dataclass(frozen=True)
class ClusterPlan:
    """What node 0 decoded about its cluster. ``key``: InfraEnv id, which every host of the image knows too."""

    key: str
    name: str
    base_domain: str
    version: str
    api_ip: str
    ingress_ip: str
    expected: Mapping[str, int]  # role -> count
    signers: Mapping[str, tuple[bytes, bytes]]  # name -> (certificate, key) in PEM
    ca_bundle: str = ""
    single_node: bool = False

    @property
    def domain(self) -> str:
        return f"{self.name}.{self.base_domain}"


@dataclasses.dataclass
class RunningCluster:
    plan: ClusterPlan
    api: NewCluster
    started: float  # lab seconds
    booted: dict[str, float] = dataclasses.field(default_factory=dict)  # node name -> lab seconds


class Clusters:
    """By :attr:`ClusterPlan.key`."""

    def __init__(self, lab: Lab) -> None:
        self._lab = lab
        self._clusters: dict[str, RunningCluster] = {}

    def get(self, key: str) -> RunningCluster | None:
        return self._clusters.get(key)

    async def begin(self, plan: ClusterPlan) -> RunningCluster:
        """Bootkube begins: the API comes up on the API address. A cluster of the same key is replaced."""
        from .newcluster.cluster import NewCluster  # late: the Kubernetes API is the largest import, and most commands never need it

        old = self._clusters.pop(plan.key, None)
        if old is not None:
            await old.api.stop()
        api = NewCluster(
            name=plan.name,
            base_domain=plan.base_domain,
            version=plan.version,
            signers=plan.signers,
            ca_bundle=plan.ca_bundle,
            expected=plan.expected,
            clock=self._lab.clock,
            faults=self._lab.faults,
        )
        running = RunningCluster(plan, api, self._lab.clock.now())
        self._clusters[plan.key] = running
        for address in filter(None, (plan.api_ip, plan.ingress_ip)):
            self._lab.fabric.virtual[address] = ""
        await api.start(self._lab.fabric.table.loopback(plan.api_ip), API_PORT)
        return running

    async def stop(self) -> None:
        await asyncio.gather(*(running.api.stop() for running in self._clusters.values()))
        self._clusters.clear()

    def status(self) -> list[dict[str, Any]]:
        return [
            {
                "name": running.plan.name,
                "base_domain": running.plan.base_domain,
                "version": running.plan.version,
                "api": f"https://api.{running.plan.domain}:{API_PORT}",
                "bootstrap_complete": running.api.bootstrap_complete,
                "masters_ready": running.api.masters_ready,
                "installed": running.api.installed,
            }
            for running in self._clusters.values()
        ]

    def kubeconfig(self) -> str:
        """A kubeconfig of the newest cluster that goes straight to its loopback address. Raises LookupError when there is no cluster."""
        if not self._clusters:
            raise LookupError("no cluster exists yet: no machine has got as far as bootkube")
        running = list(self._clusters.values())[-1]
        return _kubeconfig(running.plan, self._lab.fabric.table.loopback(running.plan.api_ip))


def _kubeconfig(plan: ClusterPlan, address: str) -> str:
    ca_certificate = plan.signers["kube-apiserver-lb-signer"][0]
    certificate, key = client_certificate(*plan.signers["admin-kubeconfig-signer"], name="system:admin", organization="system:masters")

    def encoded(pem: bytes) -> str:
        return base64.b64encode(pem).decode()

    document = {
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": "admin",
        "clusters": [
            {
                "name": plan.name,
                "cluster": {
                    "server": f"https://{address}:{API_PORT}",
                    "tls-server-name": f"api.{plan.domain}",
                    "certificate-authority-data": encoded(ca_certificate),
                },
            }
        ],
        "users": [{"name": "admin", "user": {"client-certificate-data": encoded(certificate), "client-key-data": encoded(key)}}],
        "contexts": [{"name": "admin", "context": {"cluster": plan.name, "user": "admin"}}],
    }
    return str(yaml.safe_dump(document, sort_keys=False))
