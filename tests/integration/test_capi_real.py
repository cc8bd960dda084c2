# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test the Cluster API modules on a real API server with upstream's definitions, as a user with only the rules of
docs/rbac.

No controller runs: the test checks that the server accepts everything as it was written, in both versions of Cluster
API, and which requests the rules allow.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from ansible_collections.zerotouch.openshift.plugins.module_utils.capi.extend_crds import extend_crd
from ansible_collections.zerotouch.openshift.plugins.module_utils.capi.kinds import (
    AGENT_CLUSTER,
    AGENT_MACHINE,
    AGENT_MACHINE_TEMPLATE,
    CoreKinds,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.entry_point import Call, perform
from ansible_collections.zerotouch.openshift.plugins.module_utils.hub.kinds import AGENT
from ansible_collections.zerotouch.openshift.plugins.module_utils.kube.resource import Resource
from ansible_collections.zerotouch.openshift.plugins.modules import capi_cluster, capi_reconcile
from ansible_collections.zerotouch.openshift.tests.support.real_api import DEFINITION, HAS_ASSETS, RealApi, eventually

from .capi_site import CORE, OURS, Site, definitions
from .lab import ROOT

pytestmark = [
    pytest.mark.skipif(not HAS_ASSETS, reason="KUBEBUILDER_ASSETS names no directory with kube-apiserver and etcd"),
    pytest.mark.filterwarnings("ignore:Unverified HTTPS request"),
]
USER = "zerotouch"
RBAC = "rbac.authorization.k8s.io"
PLURALS = {
    "Role": Resource(RBAC, "v1", "Role", "roles"),
    "RoleBinding": Resource(RBAC, "v1", "RoleBinding", "rolebindings"),
    "ClusterRole": Resource(RBAC, "v1", "ClusterRole", "clusterroles", namespaced=False),
    "ClusterRoleBinding": Resource(RBAC, "v1", "ClusterRoleBinding", "clusterrolebindings", namespaced=False),
}


@pytest.fixture(scope="module")
def api(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RealApi]:
    """Upstream's definitions, those of the provider extended as by capi_provider_extend_crds."""
    api = RealApi(tmp_path_factory.mktemp("real"))
    try:
        api.define(
            extend_crd(each)
            if each["metadata"]["name"].endswith(AGENT_MACHINE.group) and "capi-provider" in each["metadata"]["name"]
            else each
            for each in definitions()
        )
        yield api
    finally:
        api.stop()


def grant(api: RealApi, name: str, namespace: str) -> None:
    for item in yaml.safe_load((ROOT / "docs" / "rbac" / f"{name}.yaml").read_text())["items"]:
        resource = PLURALS[item["kind"]]
        where = namespace if resource.namespaced else ""
        if api.client.find(resource.path(where, item["metadata"]["name"])) is None:
            api.client.create(resource.path(where), {"apiVersion": resource.api_version, **item})


def opened(api: RealApi, module: Any, user: str = USER, **options: Any) -> dict[str, Any]:
    params = {name: spec.get("default") for name, spec in module.argument_spec().items()}
    call = Call(
        {
            **params,
            "kubeconfig": str(api.kubeconfig),
            "impersonate_user": user or None,
            "validate_certs": False,
            **options,
        }
    )
    return {**perform(module.run, call), "warnings": call.warnings}


def pool() -> dict[str, Any]:
    return {
        "name": "large",
        "replicas": 2,
        "agent_label_selector": {"matchLabels": {"pool": "large"}},
        "labels": {"tier": "one"},
        "version": "v1.33.0",
        "bootstrap": {"data_secret_name": "user-data", "config_ref": None},
        "node_drain_timeout": 600,
        "node_volume_detach_timeout": 0,
        "node_deletion_timeout": 60,
        "deletion_order": "Oldest",
    }


def unit(namespace: str) -> dict[str, Any]:
    return {
        "name": "own",
        "namespace": namespace,
        "control_plane": {"api_group": "hypershift.openshift.io", "kind": "HostedControlPlane", "name": None},
        "control_plane_endpoint": {"host": "api.example.com", "port": 6443},
        "ignition_endpoint": {
            "url": "https://ign.example.com/ignition",
            "ca_certificate": {"name": "ca", "namespace": None},
        },
        "cluster_network": {"pods": ["10.128.0.0/14"], "services": ["172.30.0.0/16"], "service_domain": None},
        "labels": {"a": "b"},
        "paused": False,
    }


def test_extended_definitions_are_served(api: RealApi) -> None:
    labels = api.client.get(DEFINITION.path(name=f"agentmachines.{AGENT_MACHINE.group}"))["metadata"]["labels"]
    assert labels == {"cluster.x-k8s.io/v1beta1": "v1beta1", "cluster.x-k8s.io/v1beta2": "v1beta1"}


def test_a_machine_gets_its_host_with_the_rules_of_the_page(api: RealApi) -> None:
    site = Site(api, f"{OURS}-rules")
    site.stand(agents=2)
    site.machine("pool-0")
    scope = {"namespace": site.name, "agent_namespace": site.agents}
    refused = opened(api, capi_reconcile, **scope)
    assert refused["failed"] and "bind a Role in namespace" in refused["msg"]
    grant(api, "capi", site.name)
    grant(api, "capi-agents", site.agents)

    def may() -> bool:  # the API server learns of rules by a watch of its own
        return not opened(api, capi_reconcile, **scope, mode="reconcile", until="pass")["failed"]

    eventually(may)
    site.agent_state(1, "added-to-existing-cluster")
    done = opened(api, capi_reconcile, **scope)
    assert done["mode"] == "reconcile" and not done["controller"]["active"], done["controller"]
    assert [(row["state"], row["hostname"]) for row in done["machines"]] == [("ready", "worker-1")]
    for resource, name in ((AGENT_MACHINE, "pool-0"), (AGENT_CLUSTER, "c1")):
        status = api.client.get(resource.path(site.name, name))["status"]
        assert status["ready"] is True and status["initialization"] == {"provisioned": True}
    assert not opened(api, capi_reconcile, **scope)["changed"]


def test_the_unit_and_its_pools_with_the_rules_of_the_page(api: RealApi) -> None:
    site = Site(api, f"{OURS}-unit")
    grant(api, "capi", site.name)
    grant(api, "capi-agents", site.agents)
    demand = {**unit(site.name), "machine_deployments": [pool()]}
    made: dict[str, Any] = {}

    def may() -> bool:
        made.update(opened(api, capi_cluster, **demand))
        return not made["failed"]

    eventually(may, lambda: made["msg"])
    deployment = api.client.get(CORE.machine_deployment.path(site.name, "large"))
    assert deployment["spec"]["deletion"] == {"order": "Oldest"} and deployment["spec"]["replicas"] == 2
    limits = {"nodeDrainTimeoutSeconds": 600, "nodeVolumeDetachTimeoutSeconds": 0, "nodeDeletionTimeoutSeconds": 60}
    assert (
        deployment["spec"]["template"]["spec"]["deletion"] == limits
        and deployment["spec"]["template"]["spec"]["version"] == "v1.33.0"
    )
    assert not opened(api, capi_cluster, **demand)["changed"], "what the server has is what was written"

    site.agent(1)
    label_selection = {
        "pool": "large",
        "selector_label": {"key": "pool", "value": "large"},
        "count": 1,
        "candidates": None,
    }
    selected = opened(
        api,
        capi_reconcile,
        namespace=site.name,
        agent_namespace=site.agents,
        mode="label_selection",
        label_selection=label_selection,
    )
    assert [row["agent"] for row in selected["labelled"]] == ["agent-1"], selected
    assert api.client.get(AGENT.path(site.agents, "agent-1"))["metadata"]["labels"]["pool"] == "large"
    off = opened(
        api,
        capi_reconcile,
        namespace=site.name,
        agent_namespace=site.agents,
        mode="label_selection",
        label_selection={**label_selection, "count": 0},
    )
    assert [row["agent"] for row in off["unlabelled"]] == ["agent-1"]

    gone = opened(api, capi_cluster, **demand, state="absent", wait_for="gone", timeout=60.0)
    assert not gone["failed"], gone["msg"]
    for resource in (CORE.cluster, AGENT_CLUSTER, CORE.machine_deployment, AGENT_MACHINE_TEMPLATE):
        assert api.client.list(resource.path(site.name)) == []


@pytest.fixture
def older_api(tmp_path: Path) -> Iterator[RealApi]:
    """A hub whose Cluster API serves v1beta1 alone."""
    api = RealApi(tmp_path)
    try:
        api.define(
            _only_v1beta1(each) if each["spec"]["group"] == CORE.cluster.group else each for each in definitions()
        )
        yield api
    finally:
        api.stop()


def _only_v1beta1(definition: dict[str, Any]) -> dict[str, Any]:
    versions = [
        {**version, "storage": True} for version in definition["spec"]["versions"] if version["name"] == "v1beta1"
    ]
    return {**definition, "spec": {**definition["spec"], "versions": versions}}


def test_the_older_version_is_taken_as_written(older_api: RealApi) -> None:
    """What the server has afterwards is what was written: the second run finds nothing to do."""
    site = Site(older_api, f"{OURS}-older")
    demand = {**unit(site.name), "machine_deployments": [pool()]}
    done = opened(older_api, capi_cluster, user="", **demand)
    assert done["changed"] and not done["failed"], done["msg"]
    assert not opened(older_api, capi_cluster, user="", **demand)["changed"]
    deployment = older_api.client.get(CoreKinds("v1beta1").machine_deployment.path(site.name, "large"))
    machine = deployment["spec"]["template"]["spec"]
    assert (
        machine["nodeDrainTimeout"],
        machine["nodeVolumeDetachTimeout"],
        machine["infrastructureRef"]["namespace"],
    ) == ("10m0s", "0s", site.name)
    assert deployment["spec"]["strategy"] == {"type": "RollingUpdate", "rollingUpdate": {"deletePolicy": "Oldest"}}
