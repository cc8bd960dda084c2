# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test node pools and hosted clusters on an API with upstream's CRDs: the API accepts every object that the collection
writes, the second run changes nothing, and the collection's rules give the same verdict as the CRDs.

The API is a real one if there is one (KUBEBUILDER_ASSETS, see CONTRIBUTING), else the lab's, which reads the same CRDs
(ZT_UPSTREAM_DATA).
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.entry_point import Call, perform
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.errors import RemoteError
from ansible_collections.zerotouch.openshift.plugins.module_utils.hypershift.hosted_cluster.object import (
    OWNED as CLUSTER_OWNED,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.hypershift.hosted_cluster.object import cluster_object
from ansible_collections.zerotouch.openshift.plugins.module_utils.hypershift.kinds import HOSTED_CLUSTER, NODE_POOL
from ansible_collections.zerotouch.openshift.plugins.module_utils.hypershift.node_pool.object import OWNED as POOL_OWNED
from ansible_collections.zerotouch.openshift.plugins.module_utils.hypershift.node_pool.object import pool_object
from ansible_collections.zerotouch.openshift.plugins.module_utils.kube.client import KubeClient
from ansible_collections.zerotouch.openshift.plugins.module_utils.kube.write import apply_change, plan_object
from ansible_collections.zerotouch.openshift.plugins.modules import hosted_cluster, node_pool
from ansible_collections.zerotouch.openshift.tests.support import upstream
from ansible_collections.zerotouch.openshift.tests.support.real_api import HAS_ASSETS, RealApi
from ansible_collections.zerotouch.openshift.tests.unit.hypershift import corpus
from ztlab.kubeapi.auth import Authentication
from ztlab.kubeapi.hub import hub_api

from .lab import ROOT

CRDS = upstream.required("crds")
FOLDERS = ("hypershift", "cluster-api", "capi-provider-agent", "assisted-service")
# Where the lab's API is milder or stricter than a real one: int32 and the numbers of a scale subresource; functions of
# networks in CEL.
LAB_DIFFERS = {"negative replicas", "more replicas than a number holds", "OVN settings"}


NAMESPACE = "clusters"
Open = Callable[..., dict[str, Any]]


class LabApi:
    """The lab's own API with upstream's CRDs, in a thread of its own."""

    def __init__(self, directory: Path) -> None:
        self._loop = asyncio.new_event_loop()
        threading.Thread(target=self._loop.run_forever, daemon=True).start()
        self._api = hub_api([CRDS / folder for folder in FOLDERS], authentication=Authentication(open_to_all=True))
        self._wait(self._api.start("127.0.0.1"))
        self.kubeconfig = directory / "kubeconfig"
        cluster = {"server": f"http://127.0.0.1:{self._api.port}"}
        context = {"name": "a", "context": {"cluster": "c", "user": "u"}}
        document = {
            "clusters": [{"name": "c", "cluster": cluster}],
            "users": [{"name": "u", "user": {"token": "x"}}],
            "contexts": [context],
        }
        self.kubeconfig.write_text(yaml.safe_dump({**document, "current-context": "a"}))
        self.client = KubeClient.from_kubeconfig(self.kubeconfig)

    def _wait(self, done: Coroutine[Any, Any, Any]) -> None:
        asyncio.run_coroutine_threadsafe(done, self._loop).result(60)

    def stop(self) -> None:
        self.client.close()
        self._wait(self._api.stop())
        self._loop.call_soon_threadsafe(self._loop.stop)


@pytest.fixture(scope="module")
def api(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RealApi | LabApi]:
    directory = tmp_path_factory.mktemp("hypershift")
    made = RealApi(directory) if HAS_ASSETS else LabApi(directory)
    try:
        if isinstance(made, RealApi):
            made.define(
                yaml.safe_load(file.read_text())
                for folder in FOLDERS
                for file in sorted((CRDS / folder).glob("*.yaml"))
            )
        for namespace in (NAMESPACE, "hosts"):
            made.client.create("/api/v1/namespaces", {"metadata": {"name": namespace}})
        yield made
    finally:
        made.stop()


@pytest.fixture
def client(api: RealApi | LabApi) -> KubeClient:
    return api.client


@pytest.fixture
def run_module(api: RealApi | LabApi) -> Open:
    """Call a module in the test process, with that API."""
    kubeconfig = str(api.kubeconfig)

    def opened(module: Any, *, check_mode: bool = False, **options: Any) -> dict[str, Any]:
        params = {name: spec.get("default") for name, spec in module.argument_spec().items()} | {
            "kubeconfig": kubeconfig,
            "namespace": NAMESPACE,
            **options,
        }
        call = Call(params, check_mode=check_mode, diff=True)
        return {**perform(module.run, call), "warnings": call.warnings}

    return opened


def refusal(client: KubeClient, case: Any, pool: bool) -> str:
    """The words with which the API refuses what the options of a case would write; empty if it does not."""
    resource, owned = (NODE_POOL, POOL_OWNED) if pool else (HOSTED_CLUSTER, CLUSTER_OWNED)

    def made(options: dict[str, Any], present: Any) -> Any:
        return pool_object(options, present) if pool else cluster_object(options, exists=present is not None)

    present = None
    if case.before is not None:
        present = client.create(
            resource.path(NAMESPACE),
            {"apiVersion": resource.api_version, "kind": resource.kind, **without_nulls(made(case.before, None))},
        )
    try:
        change = plan_object(resource, made(case.options, present), present, owned=owned)
        if change is not None:
            apply_change(client, change, check_mode=True)
    except RemoteError as error:
        assert error.status in (400, 422), error
        return str(error)
    finally:
        if present is not None:
            client.delete(resource.path(NAMESPACE, present["metadata"]["name"]))
    return ""


def in_doubt(case: Any) -> None:
    if case.name in LAB_DIFFERS and not HAS_ASSETS:
        pytest.skip("the lab's API is not as a real one here, and KUBEBUILDER_ASSETS names none")


def without_nulls(value: Any) -> Any:
    return (
        {key: without_nulls(inner) for key, inner in value.items() if inner is not None}
        if isinstance(value, dict)
        else value
    )


@pytest.mark.parametrize("case", corpus.POOLS, ids=lambda case: case.name)
def test_pools_get_the_verdict_of_the_corpus(client: KubeClient, case: Any) -> None:
    in_doubt(case)
    assert bool(words := refusal(client, case, pool=True)) is (case.verdict == "crd"), words


@pytest.mark.parametrize("case", corpus.CLUSTERS, ids=lambda case: case.name)
def test_clusters_get_the_verdict_of_the_corpus(client: KubeClient, case: Any) -> None:
    in_doubt(case)
    assert bool(words := refusal(client, case, pool=False)) is (case.verdict == "crd"), words


def ok(result: dict[str, Any]) -> dict[str, Any]:
    assert not result["failed"], result["msg"]
    return result


EVERYTHING: dict[str, Any] = {
    "ssh_key": "ssh-ed25519 AAAA",
    "base_domain_prefix": "",
    "networking": {
        "machine_network": ["192.0.2.0/24"],
        "api_server": {"advertise_address": "172.20.0.1", "port": 6443, "allowed_cidr_blocks": ["192.0.2.0/24"]},
    },
    "etcd": {"managed": {"storage": {"persistent_volume": {"size": "20Gi", "storage_class_name": "fast"}}}},
    "controller_availability_policy": "SingleReplica",
    "infrastructure_availability_policy": "HighlyAvailable",
    "fips": False,
    "capabilities": {"disabled": ["Insights"]},
    "autoscaling": {"max_node_provision_time": "45m", "scale_down": {"delay_after_add_seconds": 60}},
    "additional_trust_bundle": "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----",
    "image_content_sources": [{"source": "quay.io/a", "mirrors": ["m/a"]}],
    "configuration": {"network": {"serviceNodePortRange": "30000-32767"}},
    "kube_api_server_dns_name": "kas.example.com",
    "node_selector": {"role": "infra"},
    "tolerations": [{"key": "infra", "operator": "Exists"}],
    "pod_labels": {"team": "edge"},
    "annotations": {"hypershift.openshift.io/machine-health-check-timeout": "40m"},
}
POOL_WITH_EVERYTHING: dict[str, Any] = {
    "auto_repair": True,
    "agent_label_selector": {
        "matchLabels": {"size": "large"},
        "matchExpressions": [{"key": "zone", "operator": "In", "values": ["a", "b"]}],
    },
    "in_place": {"max_unavailable": "25%"},
    "replace": {"strategy": "RollingUpdate"},
    "config": ["a"],
    "tuning_config": ["b"],
    "node_drain_timeout": "30m",
    "node_volume_detach_timeout": "0s",
    "node_labels": {"zone": "a", "count": 3, "yes": True},
    "taints": [{"key": "gpu", "value": None, "effect": "NoSchedule"}],
    "arch": "amd64",
}


def test_hosted_cluster_and_pool(client: KubeClient, run_module: Open) -> None:
    """Check mode, run, run again; a change, and again nothing."""
    cluster = {**corpus.CLUSTER, "name": "full", **EVERYTHING}
    planned = ok(run_module(hosted_cluster, check_mode=True, **cluster))
    made = ok(run_module(hosted_cluster, **cluster))
    assert planned["plan"] == made["plan"] and made["changed"]
    assert not ok(run_module(hosted_cluster, **cluster))["changed"]
    assert not ok(run_module(hosted_cluster, check_mode=True, **cluster))["changed"]
    assert (
        "ConfigMap clusters/a (config) does not exist"
        in run_module(node_pool, **{**corpus.POOL, "name": "full", "cluster_name": "full"}, config=["a"])["msg"]
    )
    for name, key, kind in (("a", "config", "MachineConfig"), ("b", "tuning", "Tuned")):
        client.create(
            f"/api/v1/namespaces/{NAMESPACE}/configmaps", {"metadata": {"name": name}, "data": {key: f"kind: {kind}"}}
        )
    pool = {**corpus.POOL, "name": "full", "cluster_name": "full", **POOL_WITH_EVERYTHING}
    assert ok(run_module(node_pool, **pool))["changed"]
    assert not ok(run_module(node_pool, **pool))["changed"]
    kept = client.get(NODE_POOL.path(NAMESPACE, "full"))["spec"]
    assert kept["management"]["replace"] == {
        "strategy": "RollingUpdate",
        "rollingUpdate": {"maxSurge": 1, "maxUnavailable": 0},
    }
    changed = {
        **pool,
        "agent_label_selector": {"matchLabels": {"size": "small"}},
        "node_labels": {"zone": "b"},
        "taints": [],
        "node_drain_timeout": "1800s",
    }
    assert ok(run_module(node_pool, **changed))["changed"] and not ok(run_module(node_pool, **changed))["changed"]
    kept = client.get(NODE_POOL.path(NAMESPACE, "full"))["spec"]
    assert (kept["platform"]["agent"]["agentLabelSelector"], kept["nodeLabels"]) == (
        {"matchLabels": {"size": "small"}},
        {"zone": "b"},
    )
    assert "taints" not in kept and kept["nodeDrainTimeout"] == "30m"


def test_autoscaling_on_and_off(run_module: Open) -> None:
    ok(run_module(hosted_cluster, **{**corpus.CLUSTER, "name": "scaled"}))
    pool = {"name": "scaled", "cluster_name": "scaled"}
    assert ok(run_module(node_pool, **pool))["node_pool"]["desired"] == 0
    assert ok(run_module(node_pool, **pool, auto_scaling={"min": 1, "max": 3}))["node_pool"]["desired"] is None
    assert not ok(run_module(node_pool, **pool, auto_scaling={"min": 1, "max": 3}))["changed"]
    assert "replicas: Forbidden: 2" in run_module(node_pool, **pool, replicas=2)["msg"]
    assert (
        ok(run_module(node_pool, **pool, auto_scaling={"min": None, "max": None}, replicas=2))["node_pool"]["desired"]
        == 2
    )


def test_immutable_fields_are_named_in_check_mode(run_module: Open) -> None:
    ok(run_module(hosted_cluster, **{**corpus.CLUSTER, "name": "fixed"}))
    result = run_module(
        hosted_cluster,
        name="fixed",
        check_mode=True,
        fips=True,
        services=corpus.published()[::-1],
        base_domain="example.org",
    )
    assert result["failed"] and [problem["path"] for problem in result["problems"]] == [
        "services",
        "base_domain",
        "fips",
    ]


def test_a_clusters_key_is_made_once(client: KubeClient, run_module: Open) -> None:
    cluster = {**corpus.CLUSTER, "name": "keyed"}
    ok(run_module(hosted_cluster, **cluster))
    path = f"/api/v1/namespaces/{NAMESPACE}/secrets/keyed-etcd-encryption-key"
    key = client.get(path)["data"]
    ok(run_module(hosted_cluster, **cluster, channel="stable-4.22"))
    assert client.get(path)["data"] == key
    client.delete(path)
    assert "the data of etcd are unreadable" in run_module(hosted_cluster, **cluster)["msg"]


USER = "zerotouch"


@pytest.mark.skipif(
    not HAS_ASSETS,
    reason=("KUBEBUILDER_ASSETS names no directory with kube-apiserver and etcd, and the lab's API grants everything"),
)
def test_the_rules_of_the_documentation_are_enough(api: RealApi, run_module: Open) -> None:
    """A user with docs/rbac/hosted.yaml and nothing else; without a rule, the API says which one."""
    documents = yaml.safe_load((ROOT / "docs" / "rbac" / "hosted.yaml").read_text())["items"]
    for item in documents:
        plural = {
            "Role": "roles",
            "RoleBinding": "rolebindings",
            "ClusterRole": "clusterroles",
            "ClusterRoleBinding": "clusterrolebindings",
        }[item["kind"]]
        where = "" if item["kind"].startswith("Cluster") else f"/namespaces/{NAMESPACE}"
        api.client.create(f"/apis/rbac.authorization.k8s.io/v1{where}/{plural}", item)
    cluster = {**corpus.CLUSTER, "name": "granted", "impersonate_user": USER}
    pool = {**corpus.POOL, "name": "granted", "cluster_name": "granted", "impersonate_user": USER}
    assert ok(run_module(hosted_cluster, **cluster))["changed"]
    assert ok(run_module(node_pool, **pool))["changed"]
    assert not ok(run_module(node_pool, **pool, remove=["unknown"]))["changed"]
    gone = ok(run_module(hosted_cluster, name="granted", state="absent", impersonate_user=USER, timeout=30.0))
    assert [line.partition(" ")[0] for line in gone["plan"]] == ["patch", "delete", "delete", "delete", "delete"]
    api.client.merge_patch(
        f"/apis/rbac.authorization.k8s.io/v1/namespaces/{NAMESPACE}/roles/zerotouch-hosted", {"rules": []}
    )
    assert 'resources: ["hostedclusters"], verbs: ["get"]' in run_module(hosted_cluster, **cluster)["msg"]
