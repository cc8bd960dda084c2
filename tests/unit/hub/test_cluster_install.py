# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test installing a cluster from a hub: the Kubernetes objects, the plan for each existing state of them, and which
requests are refused.
"""

from __future__ import annotations

import base64
import dataclasses
import json
from typing import Any, cast

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.cluster.spec import (
    Deployment,
    ExtraManifest,
    Host,
    ImageDigestSource,
    Pool,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.errors import InvalidInput, ZeroTouchError
from ansible_collections.zerotouch.openshift.plugins.module_utils.hub.install import run as cluster_install
from ansible_collections.zerotouch.openshift.plugins.module_utils.hub.install.objects import (
    CONFIG_MAP_BYTES,
    HubCluster,
    hub_objects,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.hub.install.run import (
    RESOURCES,
    apply_install,
    observe,
    plan_install,
    plan_removal,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.hub.kinds import (
    AGENT_CLUSTER_INSTALL,
    CLUSTER_DEPLOYMENT,
    INFRA_ENV,
    NAMESPACE,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.kube.client import KubeClient
from ansible_collections.zerotouch.openshift.tests.support.hub import definitions
from ansible_collections.zerotouch.openshift.tests.support.hub.memory import PULL_SECRET, MemoryApi, hub_cluster

MANIFEST = ExtraManifest(
    "50-chrony.yaml",
    (
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n---\n"
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: b}\n"
    ),
)
MIRRORED = {
    "image_digest_sources": (
        ImageDigestSource("quay.io/openshift-release-dev/ocp-release", ("registry.example.com:5000/ocp",)),
    ),
    "additional_trust_bundle": "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n",
}


@pytest.fixture
def api() -> MemoryApi:
    memory = MemoryApi()
    memory.put(NAMESPACE.path(name="fleet"), {"metadata": {"name": "fleet"}})
    return memory


def client(api: MemoryApi) -> KubeClient:
    return cast(KubeClient, api)


def made(cluster: HubCluster) -> dict[str, dict[str, Any]]:
    return {item["kind"]: item for item in hub_objects(cluster)}


def deploy(api: MemoryApi, cluster: HubCluster) -> list[str]:
    plan = plan_install(cluster, observe(client(api), cluster))
    outcomes = apply_install(client(api), cluster, plan)
    assert not cluster_install.failures(outcomes)
    return [change.title for change in plan.changes]


def test_the_objects_of_a_cluster() -> None:
    objects = made(hub_cluster(extra_manifests=(MANIFEST,), **MIRRORED))
    install = objects["AgentClusterInstall"]["spec"]
    assert install["provisionRequirements"] == {"controlPlaneAgents": 3, "workerAgents": 2}
    assert install["apiVIPs"] == ["192.0.2.5"]
    assert "apiVIP" not in install
    assert install["manifestsConfigMapRefs"] == [{"name": "edge-manifests-0"}]
    assert install["mirrorRegistryRef"] == {"name": "edge-mirrors", "namespace": "fleet"}
    assert objects["ClusterDeployment"]["spec"]["clusterInstallRef"]["name"] == "edge"
    assert objects["ClusterDeployment"]["metadata"] == {"name": "edge", "namespace": "fleet"}
    assert objects["ClusterImageSet"]["metadata"] == {"name": "openshift-4.22.0"}
    secret = objects["Secret"]
    assert secret["type"] == "kubernetes.io/dockerconfigjson"
    assert json.loads(base64.b64decode(secret["data"][".dockerconfigjson"])) == json.loads(PULL_SECRET)
    assert not any("status" in item for item in objects.values())


def test_manifests_are_spread_over_config_maps_by_size() -> None:
    big = tuple(ExtraManifest(f"{index}.yaml", f"data: {'x' * (CONFIG_MAP_BYTES // 2)}\n") for index in range(4))
    maps = [item for item in hub_objects(hub_cluster(extra_manifests=big)) if item["kind"] == "ConfigMap"]
    assert [sorted(item["data"]) for item in maps] == [["0-0.yaml"], ["1-0.yaml"], ["2-0.yaml"], ["3-0.yaml"]]
    references = made(hub_cluster(extra_manifests=big))["AgentClusterInstall"]["spec"]["manifestsConfigMapRefs"]
    assert [reference["name"] for reference in references] == [item["metadata"]["name"] for item in maps]


@pytest.mark.parametrize(
    "changes",
    [
        {},
        MIRRORED | {"extra_manifests": (MANIFEST,)},
        {"platform": "none", "api_vips": (), "control_plane": Pool(1), "compute": Pool(0)},
    ],
)
def test_the_definitions_accept_them(changes: dict[str, Any]) -> None:
    items = [item for item in hub_objects(hub_cluster(**changes)) if "/" in item["apiVersion"]]
    assert {item["kind"] for item in items} == {"AgentClusterInstall", "ClusterDeployment", "ClusterImageSet"}
    assert [fault for item in items for fault in definitions.faults(item)] == []


def test_the_second_run_changes_nothing(api: MemoryApi) -> None:
    cluster = hub_cluster(extra_manifests=(MANIFEST,), **MIRRORED)
    assert deploy(api, cluster) == [
        "ClusterImageSet openshift-4.22.0",
        "Secret fleet/edge-pull-secret",
        "ConfigMap fleet/edge-mirrors",
        "ConfigMap fleet/edge-manifests-0",
        "ClusterDeployment fleet/edge",
        "AgentClusterInstall fleet/edge",
    ]
    assert deploy(api, cluster) == []


def test_a_namespace_that_is_missing_is_made_first() -> None:
    memory = MemoryApi()
    assert deploy(memory, hub_cluster())[0] == "Namespace fleet"
    assert memory.writes[0].startswith("create /api/v1/namespaces/fleet")


def test_check_mode_writes_nothing() -> None:
    memory = MemoryApi()
    cluster = hub_cluster()
    plan = plan_install(cluster, observe(client(memory), cluster))
    outcomes = apply_install(client(memory), cluster, plan, check_mode=True)
    assert len(outcomes) == len(plan.changes) > 3
    assert not memory.writes


def test_a_manifest_that_goes_is_taken_out_of_the_list(api: MemoryApi) -> None:
    deploy(api, hub_cluster(extra_manifests=(MANIFEST,)))
    assert deploy(api, hub_cluster()) == ["AgentClusterInstall fleet/edge", "ConfigMap fleet/edge-manifests-0"]
    assert api.writes[-1].startswith("delete")
    assert "manifestsConfigMapRefs" not in api.get(AGENT_CLUSTER_INSTALL.path("fleet", "edge"))["spec"]


def test_what_controllers_keep_stays(api: MemoryApi) -> None:
    deploy(api, hub_cluster())
    path = AGENT_CLUSTER_INSTALL.path("fleet", "edge")
    present = api.get(path)
    present["spec"]["clusterMetadata"] = {"clusterID": "x"}
    present["metadata"]["finalizers"] = ["agentclusterinstall.agent-install.openshift.io/ai-deprovision"]
    api.put(path, present)
    assert deploy(api, hub_cluster(ssh_key="ssh-ed25519 BBBB")) == ["AgentClusterInstall fleet/edge"]
    assert api.get(path)["spec"]["clusterMetadata"] == {"clusterID": "x"}


def started(api: MemoryApi, reason: str, **conditions: str) -> None:
    path = AGENT_CLUSTER_INSTALL.path("fleet", "edge")
    listed = [{"type": "Completed", "status": conditions.get("completed", "False"), "reason": reason, "message": "m"}]
    api.put(path, api.get(path) | {"status": {"conditions": listed}})


def test_a_running_installation_is_not_changed(api: MemoryApi) -> None:
    deploy(api, hub_cluster())
    started(api, "InstallationInProgress")
    with pytest.raises(
        ZeroTouchError,
        match=(
            r"cannot be changed.*spec\.sshPublicKey: 'ssh-ed25519 AAAA' -> "
            r"'ssh-ed25519 BBBB'"
        ),
    ):
        plan_install(hub_cluster(ssh_key="ssh-ed25519 BBBB"), observe(client(api), hub_cluster()))
    assert not plan_install(hub_cluster(), observe(client(api), hub_cluster())).changes


def test_changes_after_the_installation_are_said_to_have_no_effect(api: MemoryApi) -> None:
    deploy(api, hub_cluster())
    started(api, "InstallationCompleted", completed="True")
    plan = plan_install(hub_cluster(ssh_key="ssh-ed25519 BBBB"), observe(client(api), hub_cluster()))
    assert not plan.changes
    assert "no effect" in plan.notes[0]


def test_an_image_set_of_others_is_never_changed(api: MemoryApi) -> None:
    api.put(
        RESOURCES["ClusterImageSet"].path(name="openshift-4.22.0"),
        {"metadata": {"name": "openshift-4.22.0"}, "spec": {"releaseImage": "other"}},
    )
    with pytest.raises(ZeroTouchError, match=r"another release image \(other\).*image_set"):
        plan_install(hub_cluster(), observe(client(api), hub_cluster()))
    assert "ClusterImageSet edge-4.22" in deploy(api, hub_cluster(image_set="edge-4.22"))


def with_workers(count: int) -> HubCluster:
    cluster = hub_cluster()
    workers = tuple(Host(f"worker-{number}", role="worker") for number in range(count))
    return dataclasses.replace(cluster, deployment=Deployment(cluster.deployment.cluster, workers))


def test_more_hosts_than_the_cluster_takes_are_refused_before_anything_is_written(api: MemoryApi) -> None:
    """One Agent too many keeps the installation from starting. Once it runs, the rest may join by add_hosts."""
    with pytest.raises(
        InvalidInput,
        match=(
            r"number of worker hosts defined \(3\) exceeds the configured Compute "
            r"replicas \(2\)"
        ),
    ) as refused:
        plan_install(with_workers(3), observe(client(api), hub_cluster()))
    assert "add_hosts" in refused.value.problems[0].hint
    deploy(api, with_workers(1))
    started(api, "InstallationInProgress")
    assert not plan_install(with_workers(3), observe(client(api), hub_cluster())).changes


def test_a_conflict_is_planned_again(api: MemoryApi) -> None:
    deploy(api, hub_cluster())
    api.conflicts = 3
    assert deploy(api, hub_cluster(ssh_key="ssh-ed25519 BBBB")) == ["AgentClusterInstall fleet/edge"]
    assert api.get(AGENT_CLUSTER_INSTALL.path("fleet", "edge"))["spec"]["sshPublicKey"] == "ssh-ed25519 BBBB"


def disown(api: MemoryApi, path: str, **changes: Any) -> None:
    body = api.get(path)
    body["metadata"]["labels"] = {"app.kubernetes.io/managed-by": "argocd"}
    api.put(path, {**body, **changes})


@pytest.mark.parametrize(
    ("kind", "name", "changes"),
    [
        ("Secret", "edge-pull-secret", {"data": {".dockerconfigjson": "e30=", "other": "eA=="}}),
        ("ConfigMap", "edge-mirrors", {"data": {"other": "x"}}),
        ("ClusterDeployment", "edge", {"spec": {"baseDomain": "corp.example"}}),
        ("AgentClusterInstall", "edge", {"spec": {"sshPublicKey": "ssh-ed25519 BBBB"}}),
    ],
)
def test_objects_of_another_tool_are_not_changed(api: MemoryApi, kind: str, name: str, changes: dict[str, Any]) -> None:
    cluster = hub_cluster(**MIRRORED)
    deploy(api, cluster)
    path = RESOURCES[kind].path("fleet", name)
    disown(api, path)
    assert deploy(api, cluster) == [], "an object that is as desired is no obstacle"
    disown(api, path, **changes)
    with pytest.raises(
        ZeroTouchError, match=f"{kind} fleet/{name} exists with other content.*was not created by this"
    ) as refused:
        plan_install(cluster, observe(client(api), cluster))
    assert "app.kubernetes.io/managed-by=zerotouch.openshift" in str(refused.value)
    assert "another cluster name or namespace" in str(refused.value)


def test_a_pull_secret_of_another_tool_with_the_same_content_is_used(api: MemoryApi) -> None:
    deploy(api, hub_cluster())
    spelt = base64.b64encode(json.dumps(json.loads(PULL_SECRET), indent=2).encode()).decode()
    disown(
        api, RESOURCES["Secret"].path("fleet", "edge-pull-secret"), data={".dockerconfigjson": spelt, "more": "eA=="}
    )
    assert deploy(api, hub_cluster()) == []


def test_another_tool_creates_the_cluster_between_plan_and_write(api: MemoryApi) -> None:
    cluster = hub_cluster()
    plan = plan_install(cluster, observe(client(api), cluster))
    api.put(CLUSTER_DEPLOYMENT.path("fleet", "edge"), {"metadata": {"name": "edge", "namespace": "fleet"}, "spec": {}})
    [failure] = cluster_install.failures(apply_install(client(api), cluster, plan))
    assert "ClusterDeployment fleet/edge exists with other content" in failure


def test_a_cluster_of_another_tool_that_is_installed_is_left_alone(api: MemoryApi) -> None:
    deploy(api, hub_cluster())
    started(api, "InstallationCompleted", completed="True")
    disown(api, AGENT_CLUSTER_INSTALL.path("fleet", "edge"))
    plan = plan_install(hub_cluster(ssh_key="ssh-ed25519 BBBB"), observe(client(api), hub_cluster()))
    assert not plan.changes and "no effect" in plan.notes[0]


def test_removal_leaves_what_is_not_ours_and_what_others_may_use(api: MemoryApi) -> None:
    deploy(api, hub_cluster(extra_manifests=(MANIFEST,)))
    secret = RESOURCES["Secret"].path("fleet", "edge-pull-secret")
    body = api.get(secret)
    del body["metadata"]["labels"]
    api.put(secret, body)
    changes, stays = plan_removal(client(api), "fleet", "edge")
    assert [change.title for change in changes] == [
        "ClusterDeployment fleet/edge",
        "AgentClusterInstall fleet/edge",
        "ConfigMap fleet/edge-manifests-0",
    ]
    assert stays == ["Secret fleet/edge-pull-secret stays: it was not created by this collection"]


def test_removal_leaves_the_pull_secret_to_an_infra_env_that_shares_it(api: MemoryApi) -> None:
    deploy(api, hub_cluster())
    api.put(
        INFRA_ENV.path("fleet", "edge"),
        {"metadata": {"name": "edge"}, "spec": {"pullSecretRef": {"name": "edge-pull-secret"}}},
    )
    changes, stays = plan_removal(client(api), "fleet", "edge")
    assert [change.title for change in changes] == ["ClusterDeployment fleet/edge", "AgentClusterInstall fleet/edge"]
    assert stays == ["Secret fleet/edge-pull-secret stays: InfraEnv fleet/edge uses it"]
    api.put(
        INFRA_ENV.path("fleet", "edge"), {"metadata": {"name": "edge"}, "spec": {"pullSecretRef": {"name": "another"}}}
    )
    assert plan_removal(client(api), "fleet", "edge")[0][-1].title == "Secret fleet/edge-pull-secret"


def test_removal_leaves_the_objects_of_an_infra_env_on_another_hub(api: MemoryApi) -> None:
    """A hub without the cluster, whose InfraEnv of that name this deployment did not create."""
    deploy(api, hub_cluster(**MIRRORED))
    api.put(INFRA_ENV.path("fleet", "edge"), {"metadata": {"name": "edge", "namespace": "fleet", "uid": "b"}})
    state = {"hub": {"created": {"InfraEnv fleet/edge": "a"}}}
    assert len(plan_removal(client(api), "fleet", "edge", state)[0]) == 4, "a hub that was restored from a backup"
    for kind in (AGENT_CLUSTER_INSTALL, CLUSTER_DEPLOYMENT):
        del api.objects[kind.path("fleet", "edge")]
    assert len(plan_removal(client(api), "fleet", "edge")[0]) == 2
    why = "InfraEnv fleet/edge has UID b, but this deployment created it with UID a"
    assert plan_removal(client(api), "fleet", "edge", state) == (
        [],
        [f"Secret fleet/edge-pull-secret stays: {why}", f"ConfigMap fleet/edge-mirrors stays: {why}"],
    )
    state["hub"]["created"]["InfraEnv fleet/edge"] = "b"
    assert len(plan_removal(client(api), "fleet", "edge", state)[0]) == 2


def test_nothing_is_taken_from_under_a_cluster_of_another_tool(api: MemoryApi) -> None:
    deploy(api, hub_cluster())
    path = CLUSTER_DEPLOYMENT.path("fleet", "edge")
    body = api.get(path)
    del body["metadata"]["labels"]
    api.put(path, body)
    assert plan_removal(client(api), "fleet", "edge") == (
        [],
        [("ClusterDeployment fleet/edge stays: it was not created by this collection")],
    )


@pytest.mark.parametrize("resource", [AGENT_CLUSTER_INSTALL, CLUSTER_DEPLOYMENT], ids=lambda resource: resource.kind)
def test_a_cluster_of_cluster_api_is_left_to_its_control_plane(api: MemoryApi, resource: Any) -> None:
    cluster = hub_cluster()
    deploy(api, cluster)
    path = resource.path("fleet", cluster.name)
    found = api.find(path) or {}
    owner = {
        "apiVersion": "controlplane.cluster.x-k8s.io/v1alpha3",
        "kind": "OpenshiftAssistedControlPlane",
        "name": cluster.name,
        "uid": "u",
    }
    api.put(path, {**found, "metadata": {**found["metadata"], "ownerReferences": [owner]}})
    with pytest.raises(ZeroTouchError, match="openshift_install_method: capi"):
        plan_install(cluster, observe(client(api), cluster))
