# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test role capi_provider on a real API server: the server accepts and keeps every object that the role writes. With
only the rights that the role grants, upstream's own controller finds an Agent for a Machine and releases it again.

CAPI_PROVIDER_AGENT names the binary of openshift/cluster-api-provider-agent, KUBEBUILDER_ASSETS the directory with
kube-apiserver and etcd.
"""

from __future__ import annotations

import base64
import json
import os
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml
from ansible_collections.zerotouch.openshift.plugins.module_utils.kube.resource import Resource
from ansible_collections.zerotouch.openshift.tests.support import upstream
from ansible_collections.zerotouch.openshift.tests.support.ports import free_port
from ansible_collections.zerotouch.openshift.tests.support.real_api import HAS_ASSETS, RealApi, eventually

from .lab import BIN, ROOT, Run, looked_through

BINARY = Path(os.environ.get("CAPI_PROVIDER_AGENT") or "/nonexistent")
CRDS = upstream.required("crds")
pytestmark = [
    pytest.mark.skipif(not HAS_ASSETS, reason="KUBEBUILDER_ASSETS names no directory with kube-apiserver and etcd"),
    pytest.mark.filterwarnings("ignore:Unverified HTTPS request"),
]
SPACE, AGENTS = "clusters-demo", "fleet"
PROVIDER = "capi-provider.agent-install.openshift.io"
DEFINITION = Resource(
    "apiextensions.k8s.io", "v1", "CustomResourceDefinition", "customresourcedefinitions", namespaced=False
)
NAMESPACE = Resource("", "v1", "Namespace", "namespaces", namespaced=False)
SECRET = Resource("", "v1", "Secret", "secrets")
ACCOUNT = Resource("", "v1", "ServiceAccount", "serviceaccounts")
AGENT = Resource("agent-install.openshift.io", "v1beta1", "Agent", "agents")
CLUSTER = Resource("cluster.x-k8s.io", "v1beta2", "Cluster", "clusters")
MACHINE = Resource("cluster.x-k8s.io", "v1beta2", "Machine", "machines")
AGENT_CLUSTER = Resource(PROVIDER, "v1beta1", "AgentCluster", "agentclusters")
AGENT_MACHINE = Resource(PROVIDER, "v1beta1", "AgentMachine", "agentmachines")
CONTROL_PLANE = Resource("hypershift.openshift.io", "v1beta1", "HostedControlPlane", "hostedcontrolplanes")


def definitions(*folders: str) -> list[dict[str, Any]]:
    return [yaml.safe_load(path.read_text()) for folder in folders for path in sorted((CRDS / folder).glob("*.y*ml"))]


def control_plane_definition() -> dict[str, Any]:
    schema = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    version = {
        "name": "v1beta1",
        "served": True,
        "storage": True,
        "subresources": {"status": {}},
        "schema": {"openAPIV3Schema": schema},
    }
    names = {"kind": "HostedControlPlane", "plural": "hostedcontrolplanes"}
    metadata = {"name": "hostedcontrolplanes.hypershift.openshift.io"}
    spec = {"group": "hypershift.openshift.io", "scope": "Namespaced", "names": names, "versions": [version]}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": metadata,
        "spec": spec,
    }


@pytest.fixture(scope="module")
def api(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RealApi]:
    server = RealApi(tmp_path_factory.mktemp("provider"))
    try:
        server.define([*definitions("cluster-api", "assisted-service", "hive"), control_plane_definition()])
        for name in (SPACE, AGENTS):
            server.client.create(NAMESPACE.path(), {"metadata": {"name": name}})
        yield server
    finally:
        server.stop()


def install(api: RealApi, **variables: Any) -> Run:
    """The role, as a user has it in a play."""
    directory = api.directory
    (directory / "components.yaml").write_text(yaml.safe_dump_all(definitions("capi-provider-agent")))
    provided = {
        "ansible_python_interpreter": str(BIN / "python"),
        "openshift_hub": {"kubeconfig": str(api.kubeconfig), "namespace": AGENTS, "infra_env": AGENTS},
        "openshift_work_dir": str(directory / "work"),
        "capi_provider_watch_namespace": SPACE,
        "capi_provider_method": "manifests",
        "capi_provider_components": str(directory / "components.yaml"),
        "capi_provider_wait": False,  # pods do not run here
        **variables,
    }
    play = {
        "hosts": "localhost",
        "connection": "local",
        "gather_facts": False,
        "roles": ["zerotouch.openshift.capi_provider"],
    }
    (directory / "play.yml").write_text(yaml.safe_dump([play]))
    command = [str(BIN / "ansible-playbook"), "-i", "localhost,", "play.yml", "-e", json.dumps(provided)]
    environment = {
        **os.environ,
        "ANSIBLE_COLLECTIONS_PATH": str(ROOT / ".build"),
        "ANSIBLE_NOCOLOR": "1",
        "PWD": str(directory),
    }
    done = subprocess.run(
        command, cwd=directory, env=environment, capture_output=True, text=True, timeout=300, check=False
    )
    return Run(done.returncode, looked_through(done.stdout + done.stderr))


def test_what_it_writes_is_accepted_and_stays(api: RealApi) -> None:
    first = install(api)
    assert first.ok, first.output
    again = install(api)
    assert again.ok and again.changed == 0, again.output
    found = api.client.get(DEFINITION.path("", f"agentmachines.{PROVIDER}"))
    assert found["metadata"]["labels"]["cluster.x-k8s.io/v1beta1"] == "v1beta1"
    status = found["spec"]["versions"][-1]["schema"]["openAPIV3Schema"]["properties"]["status"]["properties"]
    assert "initialization" not in status, "upstream's kinds are altered only if asked for"


def test_both_namespaces_have_to_be_named(api: RealApi) -> None:
    run = install(api, capi_provider_watch_namespace="")
    assert not run.ok and "capi_provider_watch_namespace" in run.message


@pytest.mark.skipif(not BINARY.is_file(), reason="CAPI_PROVIDER_AGENT names no binary of cluster-api-provider-agent")
def test_the_controller_lives_on_these_rights(api: RealApi) -> None:
    run_controller(api)
    a_cluster(api)
    # A Machine that is there before is not looked at again (docs/upstream/cluster-api-provider-agent.md#defects).
    eventually(
        lambda: "clusterDeploymentReference" in api.client.get(AGENT_CLUSTER.path(SPACE, "demo")).get("status", {}),
        lambda: log(api),
    )
    an_agent(api)
    a_machine(api)
    eventually(lambda: reserved(api) == "worker-0", lambda: log(api))
    hook = "pre-terminate.delete.hook.machine.cluster.x-k8s.io/agentmachine"
    eventually(
        lambda: hook in (api.client.get(MACHINE.path(SPACE, "worker-0"))["metadata"].get("annotations") or {}),
        lambda: log(api),
    )
    # Its Machine goes: the host is released, the finalizer comes off.
    conditions = [
        {
            "type": "Deleting",
            "status": "True",
            "reason": "WaitingForPreTerminateHook",
            "message": "",
            "lastTransitionTime": "2026-01-01T00:00:00Z",
        }
    ]
    api.client.delete(MACHINE.path(SPACE, "worker-0"))
    api.client.merge_patch(MACHINE.path(SPACE, "worker-0") + "/status", {"status": {"conditions": conditions}})
    eventually(lambda: reserved(api) == "", lambda: log(api))
    assert "forbidden" not in log(api).lower(), log(api)


def run_controller(api: RealApi) -> None:
    """As the Deployment runs it, with the token of its service account."""
    request = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {"expirationSeconds": 3600}}
    token = api.client.create(ACCOUNT.path(SPACE, "capi-provider") + "/token", request)["status"]["token"]
    document = yaml.safe_load(api.kubeconfig.read_text())
    document["users"][0]["user"] = {"token": token}
    (api.directory / "controller.kubeconfig").write_text(yaml.safe_dump(document))
    deployed = api.client.get(Resource("apps", "v1", "Deployment", "deployments").path(SPACE, "capi-provider"))
    (container,) = deployed["spec"]["template"]["spec"]["containers"]
    values = {each["name"]: each["value"] for each in container["env"]}
    arguments = [
        each.replace("$(WATCH_NAMESPACE)", values["WATCH_NAMESPACE"]).replace(
            "$(AGENTS_NAMESPACE)", values["AGENTS_NAMESPACE"]
        )
        for each in container["args"]
    ]
    ports = {"8081": str(free_port()), "8080": str(free_port())}
    for port, free in ports.items():
        arguments = [each.replace(port, free) for each in arguments]
    # Outside a pod it is not known in which namespace a leader is elected.
    api.run(
        "controller",
        BINARY,
        *[each for each in arguments if each != "--leader-elect"],
        KUBECONFIG=str(api.directory / "controller.kubeconfig"),
    )


def a_cluster(api: RealApi) -> None:
    create(api, SECRET, "pull-secret", data={".dockerconfigjson": base64.b64encode(b"{}").decode()})
    create(api, SECRET, "admin-kubeconfig", data={"kubeconfig": base64.b64encode(b"{}").decode()})
    create(
        api, CONTROL_PLANE, "demo", spec={"dns": {"baseDomain": "example.com"}, "pullSecret": {"name": "pull-secret"}}
    )
    status = {"kubeConfig": {"name": "admin-kubeconfig", "key": "kubeconfig"}}
    api.client.merge_patch(CONTROL_PLANE.path(SPACE, "demo") + "/status", {"status": status})
    reference = {"apiGroup": "hypershift.openshift.io", "kind": "HostedControlPlane", "name": "demo"}
    infrastructure = {"apiGroup": PROVIDER, "kind": "AgentCluster", "name": "demo"}
    owner = create(api, CLUSTER, "demo", spec={"controlPlaneRef": reference, "infrastructureRef": infrastructure})
    create(api, AGENT_CLUSTER, "demo", owner=owner, spec={"controlPlaneEndpoint": {"host": "192.0.2.1", "port": 6443}})


def a_machine(api: RealApi) -> None:
    spec = {
        "clusterName": "demo",
        "bootstrap": {"dataSecretName": "user-data"},
        "infrastructureRef": {"apiGroup": PROVIDER, "kind": "AgentMachine", "name": "worker-0"},
    }
    headers = [{"name": "Authorization", "value": "Bearer dG9rZW4="}]
    ignition = {
        "ignition": {
            "version": "3.2.0",
            "config": {"merge": [{"source": "https://192.0.2.1/ignition", "httpHeaders": headers}]},
        }
    }
    create(api, SECRET, "user-data", data={"value": base64.b64encode(json.dumps(ignition).encode()).decode()})
    labels = {"cluster.x-k8s.io/cluster-name": "demo"}
    # Cluster API, which is not here, would keep it until its hooks are done.
    machine = create(api, MACHINE, "worker-0", labels=labels, finalizers=["machine.cluster.x-k8s.io"], spec=spec)
    create(api, AGENT_MACHINE, "worker-0", owner=machine, labels=labels, spec={})


def an_agent(api: RealApi) -> None:
    create(api, AGENT, "agent-0", namespace=AGENTS, spec={"approved": True, "role": "worker"})
    conditions = [
        {
            "type": kind,
            "status": status,
            "reason": "AsExpected",
            "message": "",
            "lastTransitionTime": "2026-01-01T00:00:00Z",
        }
        for kind, status in (("Validated", "True"), ("Connected", "True"), ("Bound", "False"), ("SpecSynced", "True"))
    ]
    status = {"conditions": conditions, "debugInfo": {"state": "known-unbound"}, "inventory": {"hostname": "worker-0"}}
    api.client.merge_patch(AGENT.path(AGENTS, "agent-0") + "/status", {"status": status})


def create(
    api: RealApi,
    kind: Resource,
    name: str,
    *,
    namespace: str = SPACE,
    owner: Mapping[str, Any] | None = None,
    **parts: Any,
) -> dict[str, Any]:
    metadata = {"name": name, **{key: parts.pop(key) for key in ("labels", "finalizers") if key in parts}}
    if owner is not None:
        metadata["ownerReferences"] = [
            {"apiVersion": owner["apiVersion"], "kind": owner["kind"], "name": name, "uid": owner["metadata"]["uid"]}
        ]
    return api.client.create(
        kind.path(namespace), {"apiVersion": kind.api_version, "kind": kind.kind, "metadata": metadata, **parts}
    )


def reserved(api: RealApi) -> str:
    return str(
        (api.client.get(AGENT.path(AGENTS, "agent-0"))["metadata"].get("labels") or {}).get("agentMachineRef") or ""
    )


def log(api: RealApi) -> str:
    return (api.directory / "controller.log").read_text()
