# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test assisted_control_plane with upstream's own managers on a real API server, up to the point where hosts are
needed. Agents without machines simulate the hosts.

The test writes the objects that Cluster API and the Infrastructure Operator would write. OPENSHIFT_ASSISTED_BOOTSTRAP
and OPENSHIFT_ASSISTED_CONTROLPLANE name the managers, KUBEBUILDER_ASSETS the directory with kube-apiserver and etcd
(docs/upstream/openshift-assisted.md).
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.capi.assisted.kinds import AssistedKinds
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.entry_point import Call, perform
from ansible_collections.zerotouch.openshift.plugins.module_utils.hub.kinds import (
    AGENT,
    AGENT_CLUSTER_INSTALL,
    CLUSTER_DEPLOYMENT,
    INFRA_ENV,
    NAMESPACE,
    SECRET,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.kube.resource import Resource
from ansible_collections.zerotouch.openshift.plugins.modules import assisted_control_plane
from ansible_collections.zerotouch.openshift.tests.support.hub.assisted_cluster import NS, description
from ansible_collections.zerotouch.openshift.tests.support.real_api import RealApi, eventually

from .assisted_managers import NEEDED, PROGRAMS, SERVICE, managed_api

pytestmark = NEEDED
KINDS = AssistedKinds()
METAL3_MACHINE = Resource("infrastructure.cluster.x-k8s.io", KINDS.metal3_version, "Metal3Machine", "metal3machines")


@pytest.fixture(scope="module")
def api(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RealApi]:
    with managed_api(tmp_path_factory.mktemp("assisted")) as server:
        server.client.create(NAMESPACE.path(), {"metadata": {"name": NS}})
        yield server


def deploy(api: RealApi, workers: int = 2, **more: Any) -> dict[str, Any]:
    """The module, in one call."""
    params = {name: spec.get("default") for name, spec in assisted_control_plane.argument_spec().items()}
    call = Call({**params, "kubeconfig": str(api.kubeconfig), "validate_certs": False, **description(workers), **more})
    result: dict[str, Any] = perform(assisted_control_plane.run, call)
    assert not result.get("failed"), result["msg"]
    return result


class Others:
    """Cluster API and the Infrastructure Operator."""

    def __init__(self, api: RealApi) -> None:
        self.client, self.adopted = api.client, set[str]()

    def status(self, resource: Resource, name: str, status: Mapping[str, Any]) -> None:
        self.client.merge_patch(resource.path(NS, name, "status"), {"status": status})

    def own(self, resource: Resource, name: str, owner_kind: Resource, owner: Mapping[str, Any]) -> None:
        owners = self.client.get(resource.path(NS, name))["metadata"].get("ownerReferences") or []
        metadata = owner["metadata"]
        reference = {
            "apiVersion": owner_kind.api_version,
            "kind": owner_kind.kind,
            "name": metadata["name"],
            "uid": metadata["uid"],
            "controller": True,
        }
        labels = {"cluster.x-k8s.io/cluster-name": "c1"}
        self.client.merge_patch(
            resource.path(NS, name), {"metadata": {"labels": labels, "ownerReferences": [*owners, reference]}}
        )

    def take_over(self) -> None:
        """The Cluster has its infrastructure, and owns its control plane."""
        cluster = self.client.get(KINDS.core.cluster.path(NS, "c1"))
        endpoint = self.client.get(KINDS.metal3_cluster.path(NS, "c1"))["spec"]["controlPlaneEndpoint"]
        self.client.merge_patch(KINDS.core.cluster.path(NS, "c1"), {"spec": {"controlPlaneEndpoint": endpoint}})
        self.status(KINDS.core.cluster, "c1", {"initialization": {"infrastructureProvisioned": True}})
        self.own(KINDS.control_plane, "c1", KINDS.core.cluster, cluster)

    def workers(self, number: int) -> None:
        """Machines of a MachineSet, made from the templates of their MachineDeployment."""
        (deployment,) = self.client.list(KINDS.core.machine_deployment.path(NS))
        spec = deployment["spec"]["template"]["spec"]
        config = self.client.get(KINDS.config_template.path(NS, spec["bootstrap"]["configRef"]["name"]))["spec"][
            "template"
        ]["spec"]
        for index in range(number):
            name = f"c1-workers-{index}"
            if name in self.adopted:
                continue
            metadata = {"name": name, "labels": {"cluster.x-k8s.io/cluster-name": "c1"}}
            bootstrap = {"configRef": {**spec["bootstrap"]["configRef"], "kind": KINDS.config.kind, "name": name}}
            infrastructure = {"apiGroup": METAL3_MACHINE.group, "kind": METAL3_MACHINE.kind, "name": name}
            body = {
                "metadata": metadata,
                "spec": {"clusterName": "c1", "bootstrap": bootstrap, "infrastructureRef": infrastructure},
            }
            machine = self.client.create(KINDS.core.machine.path(NS), typed(KINDS.core.machine, body))
            self.client.create(KINDS.config.path(NS), typed(KINDS.config, {"metadata": metadata, "spec": config}))
            self.own(KINDS.config, name, KINDS.core.machine, machine)
            self.adopted.add(name)

    def step(self) -> None:
        """Machines own what was made with them; images of InfraEnvs are ready."""
        for machine in self.client.list(KINDS.core.machine.path(NS)):
            name = machine["metadata"]["name"]
            if name not in self.adopted:
                self.own(KINDS.config, name, KINDS.core.machine, machine)
                self.own(METAL3_MACHINE, name, KINDS.core.machine, machine)
                self.adopted.add(name)
        for infra_env in self.client.list(INFRA_ENV.path(NS)):
            name = infra_env["metadata"]["name"]
            if not infra_env.get("status", {}).get("debugInfo"):
                url = f"https://{SERVICE}/api/assisted-install/v2/events?api_key=k&infra_env_id={name}"
                self.status(INFRA_ENV, name, {"debugInfo": {"eventsURL": url}})


def typed(resource: Resource, body: Mapping[str, Any]) -> dict[str, Any]:
    return {"apiVersion": resource.api_version, "kind": resource.kind, **body}


def test_deploy_by_assisted_control_plane(api: RealApi) -> None:
    client, others = api.client, Others(api)
    assert deploy(api)["changed"]
    others.take_over()
    others.workers(2)

    def prepared() -> bool:
        others.step()
        configs = client.list(KINDS.config.path(NS))
        return len(configs) == 5 and all(item.get("status", {}).get("dataSecretName") for item in configs)

    logs = [api.directory / f"{name}.log" for name in PROGRAMS]
    eventually(prepared, lambda: "\n".join(path.read_text()[-2000:] for path in logs))
    install = client.get(AGENT_CLUSTER_INSTALL.path(NS, "c1"))
    assert install["spec"]["provisionRequirements"] == {"controlPlaneAgents": 3, "workerAgents": 2}
    assert (install["spec"]["platformType"], install["spec"]["apiVIPs"], install["spec"]["ingressVIPs"]) == (
        "BareMetal",
        ["192.0.2.40"],
        ["192.0.2.41"],
    )
    deployment = client.get(CLUSTER_DEPLOYMENT.path(NS, "c1"))
    assert deployment["metadata"]["labels"]["cluster.x-k8s.io/cluster-name"] == "c1", (
        "else all configs wait (defect D1)"
    )
    for machine in client.list(KINDS.core.machine.path(NS)):
        name = machine["metadata"]["name"]
        assert client.get(INFRA_ENV.path(NS, name))["spec"]["clusterRef"] == {"name": "c1", "namespace": NS}
        data = client.get(SECRET.path(NS, name))["data"]
        units = json.loads(base64.b64decode(data["value"]))["systemd"]["units"]
        assert {"configdrive-metadata.service", "set-hostname.service"} <= {unit["name"] for unit in units}

    # Hosts were discovered.
    for machine in client.list(KINDS.core.machine.path(NS)):
        name = machine["metadata"]["name"]
        metadata = {"name": f"host-of-{name}", "labels": {"infraenvs.agent-install.openshift.io": name}}
        client.create(AGENT.path(NS), typed(AGENT, {"metadata": metadata, "spec": {"approved": False, "role": ""}}))
    eventually(lambda: all(agent["spec"]["approved"] for agent in client.list(AGENT.path(NS))))
    assert sorted(agent["spec"]["role"] for agent in client.list(AGENT.path(NS))) == ["master"] * 3 + ["worker"] * 2

    others.status(AGENT_CLUSTER_INSTALL, "c1", {"debugInfo": {"state": "insufficient"}})
    again = deploy(api)
    assert not again["changed"], again["plan"]
    grown = deploy(api, workers=3)
    assert grown["changed"], grown["plan"]
    others.workers(3)
    eventually(
        lambda: client.get(AGENT_CLUSTER_INSTALL.path(NS, "c1"))["spec"]["provisionRequirements"]["workerAgents"] == 3
    )
