# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Simulate how a kubelet becomes a Node: from its first boot, through its certificate signing requests, to Ready."""

from __future__ import annotations

import base64
import secrets
import uuid
from typing import Any

from cryptography.hazmat.primitives.asymmetric import ec

from ..faults import Faults
from ..kubeapi.resource import Object, Registry
from ..kubeapi.storage import Store
from . import pki
from .kubelet import NO_FACTS, Kubelet, NodeFacts, network_annotations
from .versions import kubernetes_version, operating_system

CLIENT_SIGNER = "kubernetes.io/kube-apiserver-client-kubelet"
SERVING_SIGNER = "kubernetes.io/kubelet-serving"
BOOTSTRAPPER = "system:serviceaccount:openshift-machine-config-operator:node-bootstrapper"
APPROVE_SECONDS = 8.0
READY_SECONDS = 45.0
SILENT_SECONDS = 40.0
ASK_AGAIN_SECONDS = 60.0
CAPACITY = {"cpu": "8", "memory": "32863240Ki", "ephemeral-storage": "125293548Ki", "hugepages-2Mi": "0", "pods": "250"}
APPROVED = {
    "type": "Approved",
    "status": "True",
    "reason": "NodeCSRApprove",
    "message": "This CSR was approved by the Node CSR Approver (cluster-machine-approver)",
}


class Nodes:
    """Moves every kubelet forward; called at each tick with the time in lab seconds."""

    def __init__(
        self,
        store: Store,
        registry: Registry,
        *,
        kubernetes_version: str,
        version: str,
        masters_schedulable: bool,
        stream: str = "",
        faults: Faults | None = None,
    ) -> None:
        self.store = store
        self.node_kind = registry.by_kind("Node")
        self.csr_kind = registry.by_kind("CertificateSigningRequest", "certificates.k8s.io")
        self.kubernetes_version, self.version, self.stream = kubernetes_version, version, stream
        self.masters_schedulable = masters_schedulable
        self.authority = pki.new_authority("kube-csr-signer_@1")
        self.kubelets: dict[str, Kubelet] = {}
        self._faults = faults or Faults()

    def boot(
        self,
        name: str,
        role: str,
        ip: str,
        now: float,
        *,
        automatic: bool = True,
        machine: str = "",
        installation: str = "",
        facts: NodeFacts = NO_FACTS,
    ) -> None:
        """A machine came up from its disk; a known one is rebooting, unless its disk was written again or its Node was
        deleted.
        """
        known = self.kubelets.get(name)
        if (
            known is None
            or known.installation != installation
            or (known.joined is not None and not self.store.exists(self.node_kind, name))
        ):
            known = self.kubelets[name] = Kubelet(name, role, ip, now, automatic, machine, installation, facts)
            known.system_uuid = facts.system_uuid or known.system_uuid
            return
        known.ip, known.booted, known.halted, known.boot_id, known.facts = ip, now, None, str(uuid.uuid4()), facts
        if known.joined is not None:
            known.joined = now
            self._set_ready(known, False)

    def halt(self, name: str, now: float) -> None:
        """The machine of a kubelet was switched off or runs something else."""
        if name in self.kubelets:
            self.kubelets[name].halted = now

    def restart(self, name: str) -> None:
        """A kubelet that was stopped runs again; its machine ran on."""
        if name in self.kubelets:
            self.kubelets[name].halted = None

    def settle(self, name: str, now: float) -> None:
        """The kubelet is a Node that is Ready, with its certificates, as after an installation that is long done."""
        kubelet = self.kubelets[name]
        kubelet.joined = now
        self._create_node(kubelet)
        request = pki.signing_request(f"system:node:{name}", ["system:nodes"], [name, *kubelet.node_ips], kubelet.key)
        self._serve(kubelet, pki.sign_request(self.authority, request, client=False))
        self._set_ready(kubelet, True)

    @staticmethod
    def _serve(kubelet: Kubelet, certificate: bytes) -> None:
        kubelet.served, kubelet.certificate = True, certificate
        kubelet.issued.set()

    def ready(self, *roles: str) -> int:
        return sum(kubelet.ready for kubelet in self.kubelets.values() if kubelet.role in roles)

    def tick(self, now: float) -> None:
        for kubelet in self.kubelets.values():
            if kubelet.joined is not None and not self.store.exists(self.node_kind, kubelet.name):
                kubelet.ready = False  # a kubelet that runs does not create its Node again
            elif kubelet.halted is not None:
                self._miss(kubelet, now)
            else:
                self._tick(kubelet, now)

    def _miss(self, kubelet: Kubelet, now: float) -> None:
        """The cluster notices after a while that a kubelet is silent."""
        if kubelet.ready and kubelet.halted is not None and now - kubelet.halted >= SILENT_SECONDS:
            self._set_ready(kubelet, False, ("Unknown", "NodeStatusUnknown", "Kubelet stopped posting node status."))

    def _tick(self, kubelet: Kubelet, now: float) -> None:
        if kubelet.joined is None:
            if not kubelet.client_request or self._refused(kubelet, kubelet.client_request, now):
                kubelet.client_request = self._request(kubelet, CLIENT_SIGNER, BOOTSTRAPPER)
                kubelet.requested = now
            elif self._issued(kubelet, kubelet.client_request, now):
                kubelet.joined = now
                self._create_node(kubelet)
            return
        if not kubelet.served and (not kubelet.serving_request or self._refused(kubelet, kubelet.serving_request, now)):
            kubelet.serving_request = self._request(kubelet, SERVING_SIGNER, f"system:node:{kubelet.name}")
            kubelet.requested = now
            return
        if not kubelet.served and self._issued(kubelet, kubelet.serving_request, now):
            self._serve(
                kubelet,
                base64.b64decode(self.store.get(self.csr_kind, kubelet.serving_request)["status"]["certificate"]),
            )
        if not kubelet.ready and now - kubelet.joined >= READY_SECONDS:
            self._set_ready(kubelet, True)

    # signing requests

    def _request(self, kubelet: Kubelet, signer: str, user: str) -> str:
        """The kubelet's request; what faults say about it included."""
        serving = signer == SERVING_SIGNER
        name, addresses = kubelet.name, [kubelet.name, *kubelet.node_ips] if serving else []
        wrong_name = None if serving else self._faults.take("csr-wrong-name", kubelet.machine)
        wrong_address = self._faults.take("csr-wrong-address", kubelet.machine) if serving else None
        foreign = None if serving else self._faults.take("csr-foreign", kubelet.machine)
        if wrong_name:
            name = wrong_name.options.get("name", f"not-{name}")
        if wrong_address:
            addresses.append(wrong_address.options.get("address", "203.0.113.66"))
        if foreign:
            self._create_request(foreign.options.get("name", "intruder"), [], signer, user)
        return self._create_request(name, addresses, signer, user, kubelet.key if serving else None)

    def _create_request(
        self, name: str, addresses: list[str], signer: str, user: str, key: ec.EllipticCurvePrivateKey | None = None
    ) -> str:
        serving = signer == SERVING_SIGNER
        pem = pki.signing_request(f"system:node:{name}", ["system:nodes"], addresses, key)
        usage = "server auth" if serving else "client auth"
        groups = (
            ["system:nodes"]
            if serving
            else ["system:serviceaccounts", "system:serviceaccounts:openshift-machine-config-operator"]
        )
        body: Object = {
            "metadata": {"name": f"csr-{secrets.token_hex(3)[:5]}"},
            "spec": {
                "request": base64.b64encode(pem).decode(),
                "signerName": signer,
                "usages": ["digital signature", usage],
                "username": user,
                "groups": [*groups, "system:authenticated"],
            },
        }
        return str(self.store.create(self.csr_kind, body)["metadata"]["name"])

    def _refused(self, kubelet: Kubelet, name: str, now: float) -> bool:
        """Whether a request was denied or taken away a while ago, so that the kubelet asks again."""
        if now - kubelet.requested < ASK_AGAIN_SECONDS:
            return False
        if not self.store.exists(self.csr_kind, name):
            return True
        conditions = (self.store.get(self.csr_kind, name).get("status") or {}).get("conditions") or []
        return any(entry["type"] in ("Denied", "Failed") for entry in conditions)

    def _issued(self, kubelet: Kubelet, name: str, now: float) -> bool:
        """Approve when it is the cluster's turn, sign what is approved; True once signed."""
        if not self.store.exists(self.csr_kind, name):
            return False
        csr = self.store.get(self.csr_kind, name)
        status = csr.get("status") or {}
        kinds = [entry["type"] for entry in status.get("conditions") or []]
        if status.get("certificate"):
            return _names_node(csr, kubelet.name)
        if "Denied" in kinds:
            return False
        if "Approved" not in kinds:
            if not kubelet.automatic or now - kubelet.requested < APPROVE_SECONDS:
                return False
            moment = self.store.timestamp()
            csr["status"] = {"conditions": [{**APPROVED, "lastUpdateTime": moment, "lastTransitionTime": moment}]}
            csr = self.store.update(self.csr_kind, csr, subresource="approval")
        request = base64.b64decode(csr["spec"]["request"])
        certificate = pki.sign_request(self.authority, request, client=csr["spec"]["signerName"] == CLIENT_SIGNER)
        csr["status"]["certificate"] = base64.b64encode(certificate).decode()
        self.store.update(self.csr_kind, csr, subresource="status")
        return _names_node(csr, kubelet.name)

    # node objects

    def labels(self, kubelet: Kubelet) -> dict[str, str]:
        roles = {"master": ["control-plane", "master"], "arbiter": ["arbiter"]}.get(kubelet.role, ["worker"])
        if kubelet.role == "master" and self.masters_schedulable:
            roles.append("worker")
        return {
            "kubernetes.io/hostname": kubelet.name,
            "kubernetes.io/arch": "amd64",
            "kubernetes.io/os": "linux",
            "node.openshift.io/os_id": "rhel",
            **{f"node-role.kubernetes.io/{role}": "" for role in roles},
            **kubelet.facts.labels,
        }

    def _create_node(self, kubelet: Kubelet) -> None:
        spec: dict[str, Any] = {}
        if kubelet.role == "master" and not self.masters_schedulable:
            spec["taints"] = [{"key": "node-role.kubernetes.io/master", "effect": "NoSchedule"}]
        if kubelet.role == "arbiter":
            spec["taints"] = [{"key": "node-role.kubernetes.io/arbiter", "effect": "NoSchedule"}]
        if not self.store.exists(self.node_kind, kubelet.name):
            self.store.create(
                self.node_kind, {"metadata": {"name": kubelet.name, "labels": self.labels(kubelet)}, "spec": spec}
            )
        self._set_ready(kubelet, False)

    def _annotate(self, kubelet: Kubelet) -> None:
        found = network_annotations(kubelet)
        if found:
            node = self.store.get(self.node_kind, kubelet.name)
            node["metadata"]["annotations"] = {**(node["metadata"].get("annotations") or {}), **found}
            self.store.update(self.node_kind, node)

    def kubelet_version(self, kubelet: Kubelet) -> str:
        return kubernetes_version(kubelet.release)[1] if kubelet.release else self.kubernetes_version

    def upgrade(self, name: str, release: str) -> None:
        """A node runs another release from now on."""
        kubelet = self.kubelets.get(name)
        if kubelet is not None and kubelet.release != release:
            kubelet.release = release
            if self.store.exists(self.node_kind, name):
                self._set_ready(kubelet, kubelet.ready)

    def _set_ready(self, kubelet: Kubelet, ready: bool, said: tuple[str, str, str] | None = None) -> None:
        """``said``: status, reason and message when they are not the usual ones."""
        kubelet.ready = ready
        if ready:
            self._annotate(kubelet)
        moment, version = self.store.timestamp(), self.kubelet_version(kubelet)
        usual = ("True", "KubeletReady", "kubelet is posting ready status")
        status, *texts = said or (
            usual
            if ready
            else ("False", "KubeletNotReady", ("container runtime network not ready: NetworkReady=false"))
        )
        conditions = [
            {
                "type": kind,
                "status": "False",
                "reason": f"KubeletHas{reason}",
                "lastTransitionTime": moment,
                "lastHeartbeatTime": moment,
            }
            for kind, reason in (
                ("MemoryPressure", "SufficientMemory"),
                ("DiskPressure", "NoDiskPressure"),
                ("PIDPressure", "SufficientPID"),
            )
        ]
        conditions.append(
            {
                "type": "Ready",
                "status": status,
                "reason": texts[0],
                "message": texts[1],
                "lastTransitionTime": moment,
                "lastHeartbeatTime": moment,
            }
        )
        system, kernel = operating_system(kubelet.release or self.version, self.stream)
        node = self.store.get(self.node_kind, kubelet.name)
        node["status"] = {
            "conditions": conditions,
            "addresses": [
                *({"type": "InternalIP", "address": ip} for ip in kubelet.node_ips),
                {"type": "Hostname", "address": kubelet.name},
            ],
            "capacity": dict(CAPACITY),
            "allocatable": dict(CAPACITY),
            "daemonEndpoints": {"kubeletEndpoint": {"Port": 10250}},
            "nodeInfo": {
                "machineID": kubelet.machine_id,
                "systemUUID": kubelet.system_uuid,
                "bootID": kubelet.boot_id,
                "kubeProxyVersion": version,
                "kubeletVersion": version,
                "osImage": system,
                "kernelVersion": kernel,
                "containerRuntimeVersion": f"cri-o://{version.removeprefix('v')}",
                "architecture": "amd64",
                "operatingSystem": "linux",
            },
        }
        self.store.update(self.node_kind, node, subresource="status")


def _names_node(csr: Object, name: str) -> bool:
    """Whether a certificate is of use to the node's kubelet."""
    return pki.common_name(base64.b64decode(csr["spec"]["request"])) == f"system:node:{name}"
