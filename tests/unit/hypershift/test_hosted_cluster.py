# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test module hosted_cluster, called in the test process against a hub in memory: which objects it creates, what it
rejects, waits for and fetches, and the order in which it deletes.
"""

from __future__ import annotations

import base64
import dataclasses
import json
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.clock import SystemClock
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.entry_point import Call, perform
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.state import StateFile
from ansible_collections.zerotouch.openshift.plugins.module_utils.hub import kinds as hub_kinds
from ansible_collections.zerotouch.openshift.plugins.module_utils.hypershift.hosted_cluster import absent as absent_case
from ansible_collections.zerotouch.openshift.plugins.module_utils.hypershift.hosted_cluster import run as present_case
from ansible_collections.zerotouch.openshift.plugins.module_utils.hypershift.hosted_cluster import (
    wait as hosted_cluster_wait,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.hypershift.hosted_cluster.status import wait_status
from ansible_collections.zerotouch.openshift.plugins.module_utils.hypershift.kinds import HOSTED_CLUSTER, NODE_POOL
from ansible_collections.zerotouch.openshift.plugins.module_utils.kube.faults import ConflictError
from ansible_collections.zerotouch.openshift.plugins.module_utils.kube.write import Change, plan_deletion
from ansible_collections.zerotouch.openshift.plugins.modules import hosted_cluster
from ansible_collections.zerotouch.openshift.tests.support.hub import hosted as hub

SECRET = "Z2VoZWltOmdlaGVpbQ=="
PULL_SECRET = f'{{"auths": {{"quay.io": {{"auth": "{SECRET}"}}}}}}'
NEW = {
    "release_image": hub.IMAGE,
    "pull_secret": PULL_SECRET,
    "agent_namespace": hub.AGENTS,
    "base_domain": "example.com",
    "api_server_address": "192.0.2.10",
}
CLUSTER = f"HostedCluster {hub.NAMESPACE}/{hub.CLUSTER}"
SECRETS = f"/api/v1/namespaces/{hub.NAMESPACE}/secrets"
VALID = {"ValidConfiguration": "True", "ValidReleaseImage": "True"}
AVAILABLE = {**VALID, "InfrastructureReady": "True", "Available": "True", "IgnitionEndpointAvailable": "True"}
KUBECONFIG = """\
clusters: [{name: edge, cluster: {server: "https://192.0.2.10:30001", certificate-authority-data: LS0tLS1CRUdJTiBD}}]
users: [{name: admin, user: {client-certificate-data: LS0tLS1CRUdJTiBD, client-key-data: LS0tLS1CRUdJTiBL}}]
"""


@pytest.fixture
def api(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    memory = hub.Hub()
    for case in (present_case, absent_case):
        monkeypatch.setattr(case, "connect", lambda *_args, **_options: memory)
    yield memory


def opened(*, check_mode: bool = False, lines: list[str] | None = None, **options: Any) -> dict[str, Any]:
    params = {name: spec.get("default") for name, spec in hosted_cluster.argument_spec().items()}
    params |= {"namespace": hub.NAMESPACE, "name": hub.CLUSTER, "timeout": 1.0, **options}
    call = Call(params, check_mode=check_mode, diff=True, show=(lines if lines is not None else []).append)
    return {**perform(hosted_cluster.run, call), "warnings": call.warnings}


def ok(result: dict[str, Any]) -> dict[str, Any]:
    assert not result["failed"], result["msg"]
    return result


def spec(api: Any) -> dict[str, Any]:
    return dict(api.get(hub.CLUSTER_PATH)["spec"])


def secret(api: Any, name: str, **data: str) -> None:
    api.put(
        f"{SECRETS}/{name}",
        {
            "metadata": {"name": name},
            "data": {key: base64.b64encode(text.encode()).decode() for key, text in data.items()},
        },
    )


def says(api: Any, states: dict[str, Any], **status: Any) -> None:
    """The operator has seen it as it is now."""
    present = api.get(hub.CLUSTER_PATH)
    generation = present["metadata"].get("generation", 1)
    api.put(
        hub.CLUSTER_PATH,
        {
            **present,
            "status": {**present.get("status", {}), "conditions": hub.conditions(states, generation), **status},
        },
    )


def test_check_run_run_again(api: Any) -> None:
    planned = ok(opened(check_mode=True, **NEW))
    assert planned["changed"] and not api.writes
    made = ok(opened(**NEW))
    assert (
        made["plan"]
        == planned["plan"]
        == [
            "create Secret clusters/edge-pull-secret: it does not exist",
            "create Secret clusters/edge-etcd-encryption-key: it does not exist",
            f"create {CLUSTER}: it does not exist",
        ]
    )
    assert not ok(opened(**NEW))["changed"]
    assert SECRET not in str([planned, made])


def test_what_is_made(api: Any) -> None:
    ok(opened(**NEW, ssh_public_keys=["ssh-ed25519 AAAA"], base_domain_prefix=""))
    made = spec(api)
    assert [each["service"] for each in made["services"]] == [
        "APIServer",
        "Ignition",
        "Konnectivity",
        "OAuthServer",
        "OIDC",
    ]
    assert made["platform"] == {"type": "Agent", "agent": {"agentNamespace": "hosts"}}
    assert made["dns"] == {"baseDomain": "example.com", "baseDomainPrefix": ""}
    assert made["secretEncryption"] == {"type": "aescbc", "aescbc": {"activeKey": {"name": "edge-etcd-encryption-key"}}}
    assert (made["pullSecret"], made["sshKey"]) == ({"name": "edge-pull-secret"}, {"name": "edge-ssh-key"})
    key = api.get(f"{SECRETS}/edge-etcd-encryption-key")
    assert len(base64.b64decode(key["data"]["key"])) == 32
    assert key["metadata"]["labels"]["hypershift.openshift.io/safe-to-delete-with-cluster"] == "true"
    assert base64.b64decode(api.get(f"{SECRETS}/edge-ssh-key")["data"]["id_rsa.pub"]) == b"ssh-ed25519 AAAA\n"
    assert "networking" not in made and "etcd" not in made  # the server's defaults are not desired


def test_its_namespace_is_made(api: Any) -> None:
    api.objects.pop("/api/v1/namespaces/clusters")
    assert ok(opened(check_mode=True, **NEW))["plan"][0] == "create Namespace clusters: it does not exist"
    ok(opened(**NEW))
    assert api.writes[0] == "create /api/v1/namespaces/clusters"


def test_all_mistakes_at_once_and_nothing_written(api: Any) -> None:
    result = opened(
        release_image="a b",
        networking={
            "cluster_network": [{"cidr": "10.0.0.0/8", "host_prefix": None}],
            "service_network": ["10.1.0.0/16"],
        },
    )
    paths = [problem["path"] for problem in result["problems"]]
    assert paths == [
        "agent_namespace",
        "base_domain",
        "pull_secret",
        "services",
        "release_image",
        "networking.service_network[0]",
    ]
    assert not api.writes


def test_what_is_missing(api: Any) -> None:
    options = {**NEW, "agent_namespace": "nowhere", "pull_secret": None, "pull_secret_name": "mine"}
    words = opened(**options)["msg"]
    assert (
        "Secret clusters/mine (pull_secret_name) does not exist" in words
        and ("Namespace nowhere (agent_namespace) does not exist") in words
    )
    assert len(ok(opened(check_mode=True, **options))["warnings"]) == 2
    secret(api, "mine", auth="x")
    assert "has no key .dockerconfigjson" in opened(**{**options, "agent_namespace": hub.AGENTS})["msg"]


def test_agents_in_the_namespace_of_the_control_plane(api: Any) -> None:
    """The operator would wait for a namespace that it makes only afterwards, and later delete the hosts with it."""
    result = ok(opened(**{**NEW, "agent_namespace": hub.PLANE}))
    assert result["plan"][0] == "create Namespace clusters-edge: it does not exist"
    assert api.get(hub.CLUSTER_PATH)["metadata"]["annotations"] == {
        "hypershift.openshift.io/skip-delete-hosted-controlplane-namespace": "true"
    }
    assert any("it is kept" in text for text in result["warnings"])


def test_the_key_of_etcd(api: Any) -> None:
    ok(opened(**NEW))
    before = api.get(f"{SECRETS}/edge-etcd-encryption-key")["data"]
    ok(opened(**NEW, channel="stable-4.22"))
    assert api.get(f"{SECRETS}/edge-etcd-encryption-key")["data"] == before
    api.put(f"{SECRETS}/edge-etcd-encryption-key", {"metadata": {"name": "k"}, "data": {"key": "c2hvcnQ="}})
    assert "holds no key of 32 bytes" in opened(**NEW)["msg"]
    api.objects.pop(f"{SECRETS}/edge-etcd-encryption-key")
    assert "the data of etcd are unreadable" in opened(**NEW)["msg"]


def test_no_encryption_and_another_key(api: Any) -> None:
    ok(opened(**NEW, secret_encryption={"type": None, "aescbc": None}))
    assert "secretEncryption" not in spec(api) and f"{SECRETS}/edge-etcd-encryption-key" not in api.objects
    own = {"type": None, "aescbc": {"active_key": {"name": "own"}, "backup_key": None}}
    assert "Secret clusters/own (secret_encryption) does not exist" in opened(secret_encryption=own)["msg"]
    secret(api, "own", key="k" * 32)
    ok(opened(secret_encryption=own))
    assert spec(api)["secretEncryption"] == {"type": "aescbc", "aescbc": {"activeKey": {"name": "own"}}}


def test_a_pull_secret_that_says_the_same(api: Any) -> None:
    ok(opened(**NEW))
    assert not ok(opened(**{**NEW, "pull_secret": PULL_SECRET.replace(" ", "  ")}))["changed"]
    other = PULL_SECRET.replace("quay.io", "registry.example.com")
    assert ok(opened(**{**NEW, "pull_secret": other}))["plan"] == [
        ("patch Secret clusters/edge-pull-secret: data..dockerconfigjson: differs")
    ]


def test_immutable_fields_in_check_mode(api: Any) -> None:
    ok(opened(**NEW))
    result = opened(
        check_mode=True, **{**NEW, "api_server_address": "192.0.2.11", "base_domain": "example.org"}, fips=True
    )
    assert [problem["path"] for problem in result["problems"]] == ["services", "base_domain", "fips"]
    assert "spec.dns.baseDomain cannot be changed: it is example.com" in result["msg"]


def test_what_rolls_out(api: Any) -> None:
    ok(opened(**NEW))
    secret(api, "mine", **{".dockerconfigjson": PULL_SECRET})
    reported = ok(opened(pull_secret_name="mine", image_content_sources=[{"source": "a", "mirrors": ["b"]}]))[
        "warnings"
    ]
    assert [text.partition(" changes")[0] for text in reported] == ["the name of the pull secret", "the mirrors"]


def test_documents_of_upstream_are_merged(api: Any) -> None:
    ok(opened(**NEW, configuration={"proxy": {"httpProxy": "http://p"}, "network": {"externalIP": {}}}))
    ok(opened(configuration={"proxy": None}))
    assert spec(api)["configuration"] == {"network": {"externalIP": {}}}


# waits and credentials


def test_waiting_until_available_fetches_the_credentials(api: Any, tmp_path: Path) -> None:
    def available(api: Any) -> None:
        secret(api, "edge-admin-kubeconfig", kubeconfig=KUBECONFIG)
        secret(api, "edge-kubeadmin-password", password="aaaaa-bbbbb-ccccc-ddddd")
        names = {
            "kubeconfig": {"name": "edge-admin-kubeconfig"},
            "kubeadminPassword": {"name": "edge-kubeadmin-password"},
        }
        says(api, AVAILABLE, **names, controlPlaneEndpoint={"host": "192.0.2.10", "port": 30001})

    api.steps = [lambda api: says(api, {**VALID, "InfrastructureReady": ("False", "Waiting", "etcd")}), available]
    lines: list[str] = []
    result = ok(opened(**NEW, wait_for="available", timeout=20.0, work_dir=str(tmp_path), lines=lines))
    assert [line[11:] for line in lines] == ["edge: InfrastructureReady is False (Waiting): etcd", "edge: available"]
    assert result["hosted_cluster"]["api_url"] == "https://192.0.2.10:30001"
    for name in ("kubeconfig", "kubeadmin-password"):
        assert stat.S_IMODE((tmp_path / "auth" / name).stat().st_mode) == 0o600
    assert json.loads((tmp_path / "state.json").read_text())["install"] == {"method": "hosted"}, (
        "so that it is destroyed in the same way"
    )
    assert "aaaaa-bbbbb" not in str(result) and "LS0tLS1CRUdJTiBL" not in str(result)
    again = ok(opened(**NEW, wait_for="available", work_dir=str(tmp_path)))
    assert not again["changed"] and again["kubeconfig"] == str(tmp_path / "auth" / "kubeconfig")


def test_only_the_hosted_cluster_that_a_run_creates_is_recorded(api: Any, tmp_path: Path) -> None:
    """Another hub may have one of the same name: the run that finds it does not take it for its own."""

    def recorded() -> Any:
        return json.loads((tmp_path / "state.json").read_text()).get("hub", {}).get("created")

    ok(opened(**NEW, work_dir=str(tmp_path)))
    uid = api.get(hub.CLUSTER_PATH)["metadata"]["uid"]
    assert uid and recorded() == {CLUSTER: uid}
    StateFile(tmp_path / "state.json").update("hub", {"created": None})
    ok(opened(**NEW, work_dir=str(tmp_path)))
    assert recorded() is None
    StateFile(tmp_path / "state.json").update("hub", {"created": {CLUSTER: uid}})
    del api.objects[hub.CLUSTER_PATH]
    ok(opened(**NEW, check_mode=True, work_dir=str(tmp_path)))
    assert recorded() == {CLUSTER: uid}
    ok(opened(**NEW, work_dir=str(tmp_path)))
    assert recorded() == {CLUSTER: api.get(hub.CLUSTER_PATH)["metadata"]["uid"]} != {CLUSTER: uid}


@pytest.mark.parametrize("check_mode", [False, True])
def test_a_hosted_cluster_of_another_hub_is_not_changed(api: Any, tmp_path: Path, check_mode: bool) -> None:
    """Two hubs can have a hosted cluster of the same name: with KUBECONFIG of the wrong one, nothing is written."""
    ok(opened(**NEW))
    uid = api.get(hub.CLUSTER_PATH)["metadata"]["uid"]
    state = StateFile(tmp_path / "state.json")
    state.update("hub", {"created": {CLUSTER: "uid-of-hub-a"}})
    api.writes.clear()
    result = opened(check_mode=check_mode, **{**NEW, "release_image": f"{hub.IMAGE}-2"}, work_dir=str(tmp_path))
    assert result["failed"] and not api.writes, result
    assert f"{CLUSTER} has UID {uid}" in result["msg"] and api.server in result["msg"]
    assert "this deployment created it with UID uid-of-hub-a" in result["msg"]
    assert "delete key hub.created of state.json" in result["msg"] and "openshift_hub" in result["msg"]
    state.update("hub", {"created": None})
    assert ok(opened(check_mode=check_mode, **NEW, channel="stable-4.22", work_dir=str(tmp_path)))["changed"]


def test_the_cluster_is_another_one_after_a_conflict(api: Any, tmp_path: Path) -> None:
    ok(opened(**NEW, work_dir=str(tmp_path)))

    def conflict(path: str, _patch: Any, **_options: Any) -> Any:
        api.cluster({**api.get(path), "metadata": {**api.get(path)["metadata"], "uid": "of-another-one"}})
        raise ConflictError(api.service, 409, "modified", "Conflict")

    api.merge_patch = conflict
    result = opened(**NEW, channel="stable-4.22", work_dir=str(tmp_path))
    assert result["failed"] and "has UID of-another-one" in result["msg"]


def disowned(api: Any, path: str) -> None:
    found = api.get(path)
    api.put(path, {**found, "metadata": {**found["metadata"], "labels": {"app.kubernetes.io/managed-by": "argocd"}}})


@pytest.mark.parametrize(
    ("path", "title", "change"),
    [
        pytest.param(
            f"{SECRETS}/edge-pull-secret",
            "Secret clusters/edge-pull-secret",
            {"pull_secret": PULL_SECRET.replace("quay.io", "registry.example.com")},
            id="Secret",
        ),
        pytest.param(
            "/api/v1/namespaces/clusters/configmaps/edge-user-ca-bundle",
            "ConfigMap clusters/edge-user-ca-bundle",
            {"additional_trust_bundle": "-----BEGIN CERTIFICATE----- y"},
            id="ConfigMap",
        ),
        pytest.param(hub.CLUSTER_PATH, CLUSTER, {"channel": "stable-4.22"}, id="HostedCluster"),
    ],
)
def test_objects_of_another_tool_are_not_changed(api: Any, path: str, title: str, change: Any) -> None:
    options = {**NEW, "additional_trust_bundle": "-----BEGIN CERTIFICATE----- x"}
    ok(opened(**options))
    disowned(api, path)
    api.writes.clear()
    assert not ok(opened(**options))["changed"], "an object that is as desired is no obstacle"
    for check_mode in (True, False):
        result = opened(check_mode=check_mode, **{**options, "channel": "fast-4.22", **change})
        assert result["failed"] and not api.writes, result
        assert f"{title} exists" in result["msg"] and "was not created by this collection" in result["msg"]
        assert "app.kubernetes.io/managed-by=zerotouch.openshift" in result["msg"]


def test_a_hosted_cluster_that_lost_its_label_is_still_that_of_its_deployment(api: Any, tmp_path: Path) -> None:
    ok(opened(**NEW, work_dir=str(tmp_path)))
    disowned(api, hub.CLUSTER_PATH)
    assert ok(opened(**NEW, channel="stable-4.22", work_dir=str(tmp_path)))["changed"]


def test_check_mode_fetches_nothing(api: Any, tmp_path: Path) -> None:
    api.cluster(hub.hosted_cluster(AVAILABLE, kubeconfig={"name": "k"}))
    secret(api, "k", kubeconfig=KUBECONFIG)
    lines: list[str] = []
    result = ok(opened(check_mode=True, work_dir=str(tmp_path), wait_for="completed", lines=lines))
    assert result["changed"] and list(tmp_path.iterdir()) == []
    assert lines == [f"would wait until {CLUSTER} is completed", f"would write {tmp_path}/auth/kubeconfig"]


def test_a_refusal_that_lasts_ends_the_wait(api: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    api.cluster(
        hub.hosted_cluster(
            {"ValidConfiguration": ("False", "InvalidConfiguration", "CIDR overlap"), "ValidReleaseImage": "True"}
        )
    )
    monkeypatch.setattr(hosted_cluster_wait, "DOUBT", 0.0)
    result = opened(wait_for="valid", timeout=60.0)
    assert (
        f"{CLUSTER} does not get valid: ValidConfiguration is False (InvalidConfiguration): CIDR overlap"
        in result["msg"]
    )


def test_the_limit_says_what_it_waits_for(api: Any) -> None:
    api.cluster(hub.hosted_cluster())
    assert (
        "was not valid within 0 s: condition ValidConfiguration is not yet reported for the current generation "
        "of the HostedCluster" in opened(wait_for="valid", timeout=0.0)["msg"]
    )


@pytest.mark.parametrize(
    ("states", "status", "target", "words"),
    [
        (VALID, {}, "valid", ""),
        ({**VALID, "SupportedHostedCluster": ("False", "Unsupported", "no")}, {}, "valid", "Unsupported"),
        (
            {**VALID, "ReconciliationActive": ("False", "ReconciliationPaused", "until field removed")},
            {},
            "available",
            "until field removed",
        ),
        (
            {**VALID, "EtcdAvailable": ("False", "EtcdWaitingForQuorum", "no volume")},
            {},
            "available",
            "EtcdWaitingForQuorum",
        ),
        (AVAILABLE, {}, "available", "no kubeconfig"),
        (AVAILABLE, {"kubeconfig": {"name": "k"}}, "available", ""),
        (AVAILABLE, {"kubeconfig": {"name": "k"}}, "completed", "its last version is not of"),
        (
            AVAILABLE,
            {
                "kubeconfig": {"name": "k"},
                "version": {"history": [{"image": hub.IMAGE, "state": "Partial", "version": "4.22.0"}]},
            },
            "completed",
            "Partial",
        ),
        (
            {**AVAILABLE, "Degraded": ("True", "Trouble", "x")},
            {"kubeconfig": {"name": "k"}},
            "completed",
            "Degraded is True",
        ),
        (
            AVAILABLE,
            {"kubeconfig": {"name": "k"}, "version": {"history": [{"image": hub.IMAGE, "state": "Completed"}]}},
            "completed",
            "",
        ),
    ],
)
def test_how_far_it_is(states: dict[str, Any], status: dict[str, Any], target: Any, words: str) -> None:
    found = wait_status(hub.hosted_cluster(states, **status), target, [hub.node_pool(1)])
    assert found.reached is (not words) and words in found.reason


def test_without_workers_it_never_completes() -> None:
    states = {**AVAILABLE, "DataPlaneConnectionAvailable": ("Unknown", "NoWorkerNodesAvailable", "")}
    nodeless = hub.hosted_cluster(states, kubeconfig={"name": "k"})
    assert wait_status(nodeless, "completed", [hub.node_pool(0)]).final
    assert not wait_status(nodeless, "completed", [hub.node_pool(0), hub.node_pool(1)]).final


def test_conditions_of_an_older_generation_do_not_count() -> None:
    old = hub.hosted_cluster(AVAILABLE, kubeconfig={"name": "k"})
    old["metadata"]["generation"] = 2
    assert not wait_status(old, "valid").reached


# its end


@pytest.fixture
def whole(api: Any) -> Any:
    """A hosted cluster with one pool of two hosts."""
    ok(opened(**NEW))
    api.pool(hub.node_pool(2))
    for index in range(2):
        api.host(f"m{index}", f"a{index}")
    api.put(f"/api/v1/namespaces/{hub.PLANE}", {"metadata": {"name": hub.PLANE}})
    api.writes.clear()
    return api


def test_the_order_that_loses_no_agents(whole: Any) -> None:
    lines: list[str] = []
    planned = ok(opened(check_mode=True, state="absent", lines=lines))
    assert not whole.writes and len(planned["plan"]) == 5
    assert lines[1] == "would wait until the Machines are deleted and their hosts are free: m0 (host-a0), m1 (host-a1)"
    whole.steps = [
        lambda api: (api.gone("m0", "a0"), api.gone("m1", "a1", "unbinding-pending-user-action")),
        lambda api: api.objects.pop(f"/api/v1/namespaces/{hub.PLANE}"),
    ]
    result = ok(opened(state="absent", timeout=20.0))
    assert result["plan"] == planned["plan"]
    assert whole.writes == [
        f"patch {hub.POOL_PATH}",
        f"delete {hub.POOL_PATH}",
        f"delete {hub.CLUSTER_PATH}",
        f"delete {SECRETS}/edge-pull-secret",
        f"delete {SECRETS}/edge-etcd-encryption-key",
    ]
    assert [host["hostname"] for host in result["needs_reboot"]] == ["host-a1"]
    assert {path for path in whole.objects if "/agents/" in path} == {f"{hub.AGENT_PATH}/a0", f"{hub.AGENT_PATH}/a1"}
    assert not ok(opened(state="absent"))["changed"]


def test_nothing_is_deleted_while_machines_are_left(whole: Any) -> None:
    result = opened(state="absent", timeout=0.0)
    assert (
        result["failed"]
        and "was not without Machines within 0 s" in result["msg"]
        and [machine["name"] for machine in result["machines"]] == ["m0", "m1"]
    )
    assert whole.writes == [f"patch {hub.POOL_PATH}"]


def test_hosts_in_the_namespace_that_goes_keep_it(whole: Any) -> None:
    whole.put(
        f"/apis/agent-install.openshift.io/v1beta1/namespaces/{hub.PLANE}/agents/x",
        {"metadata": {"name": "x", "namespace": hub.PLANE}},
    )
    whole.steps = [lambda api: (api.gone("m0", "a0"), api.gone("m1", "a1"))]
    result = ok(opened(state="absent", timeout=20.0))
    assert result["stays"] == ["the namespace of the control plane is not deleted, because it contains Agent x"]
    assert result["plan"][0].startswith(f"patch {CLUSTER}: metadata.annotations.hypershift.openshift.io/skip-delete")
    assert f"/api/v1/namespaces/{hub.PLANE}" in whole.objects


def test_a_pause_ends_first(whole: Any) -> None:
    """Cluster API would leave the Machines of a paused hosted cluster alone."""
    whole.merge_patch(hub.CLUSTER_PATH, {"spec": {"pausedUntil": "true"}})
    assert ok(opened(check_mode=True, state="absent"))["plan"][0] == (
        f"patch {CLUSTER}: spec.pausedUntil: 'true' -> none"
    )


def test_what_others_made_stays(whole: Any) -> None:
    foreign = whole.get(f"{SECRETS}/edge-pull-secret")
    foreign["metadata"]["labels"] = {}
    whole.put(f"{SECRETS}/edge-pull-secret", foreign)
    stays = ok(opened(check_mode=True, state="absent"))["stays"]
    assert stays == ["Secret clusters/edge-pull-secret stays: it was not created by this collection"]


def test_a_hosted_cluster_of_another_tool_is_not_deleted(whole: Any) -> None:
    foreign = whole.get(hub.CLUSTER_PATH)
    foreign["metadata"]["labels"] = {"app.kubernetes.io/managed-by": "argocd"}
    whole.put(hub.CLUSTER_PATH, foreign)
    for check_mode in (True, False):
        result = opened(check_mode=check_mode, state="absent", timeout=20.0)
        assert result["failed"] and "was not created by this collection" in result["msg"], result
    assert whole.writes == []


OURS = {"app.kubernetes.io/managed-by": "zerotouch.openshift"}


def created_again(api: Any, path: str, **metadata: Any) -> None:
    """Another object of the same name, which another client has created."""
    present = api.objects.pop(path)
    fresh = {"name": present["metadata"]["name"], "namespace": hub.NAMESPACE, "uid": "another", **metadata}
    api.put(path, {**present, "metadata": fresh})


def removed_while(whole: Any, during: Any) -> dict[str, Any]:
    """The result of a removal; ``during`` is what other clients do while it waits for the Machines."""
    whole.steps = [
        lambda api: (api.gone("m0", "a0"), api.gone("m1", "a1"), during(api)),
        lambda api: api.objects.pop(f"/api/v1/namespaces/{hub.PLANE}"),
    ]
    return opened(state="absent", timeout=20.0)


@pytest.mark.parametrize("labels", [{}, OURS])
def test_a_secret_that_was_created_again_during_the_waits_stays(whole: Any, labels: dict[str, str]) -> None:
    path = f"{SECRETS}/edge-etcd-encryption-key"
    result = ok(removed_while(whole, lambda api: created_again(api, path, labels=labels)))
    assert whole.get(path)["metadata"]["uid"] == "another" and f"{SECRETS}/edge-pull-secret" not in whole.objects
    assert "Secret clusters/edge-etcd-encryption-key stays: it was created again during this run" in result["stays"]


def test_a_hosted_cluster_that_was_created_again_keeps_its_secrets(whole: Any) -> None:
    def replaced(api: Any) -> None:
        created_again(api, hub.CLUSTER_PATH, labels=OURS)

    result = removed_while(whole, replaced)
    assert result["failed"] and "was created again during this run" in result["msg"], result
    assert whole.get(hub.CLUSTER_PATH)["metadata"]["uid"] == "another"
    assert f"{SECRETS}/edge-pull-secret" in whole.objects


@pytest.mark.parametrize("kind", [HOSTED_CLUSTER, NODE_POOL, hub_kinds.SECRET])
def test_what_is_written_again_after_a_conflict(api: Any, kind: Any) -> None:
    """Only to the object that was planned about; a pool of another tool is deleted with its hosted cluster."""
    call = Call({"namespace": hub.NAMESPACE, "name": hub.CLUSTER, "timeout": 1.0})
    again = absent_case._Absent(api, call)._again
    before = {"metadata": {"name": "edge", "namespace": hub.NAMESPACE, "uid": "one", "labels": OURS}}
    deletion, patch = plan_deletion(kind, before, "it must not exist"), Change("patch", kind, hub.NAMESPACE, "edge")
    patch = dataclasses.replace(patch, body={"spec": {"pausedUntil": None}}, before=before)
    assert deletion is not None
    metadata = {**before["metadata"], "resourceVersion": "9"}
    for change in (deletion, patch):
        now = {"metadata": metadata}
        repeated = again(change, now)
        assert repeated is not None and (repeated.verb, repeated.before) == (change.verb, now)
        for gone in (None, {"metadata": {**metadata, "deletionTimestamp": "2026-11-21T12:00:00Z"}}):
            assert again(change, gone) is None
        assert again(change, {"metadata": {**metadata, "uid": "two"}}) is None
    foreign = {"metadata": {**metadata, "labels": {}}}
    assert (again(deletion, foreign) is not None) is (kind == NODE_POOL)


def test_without_draining(whole: Any) -> None:
    whole.objects.pop(f"/api/v1/namespaces/{hub.PLANE}")
    whole.steps = [lambda api: (api.gone("m0", "a0"), api.gone("m1", "a1"))]
    assert "patch" not in str(ok(opened(state="absent", drain=False, timeout=20.0))["plan"])


def test_a_finalizer_that_holds_it(api: Any) -> None:
    held = hub.hosted_cluster()
    held["metadata"] |= {
        "deletionTimestamp": "2026-11-21T12:00:00Z",
        "finalizers": ["hypershift.openshift.io/finalizer"],
    }
    api.cluster(held)
    result = opened(state="absent", timeout=0.0)
    assert (
        result["failed"] and "finalizers: hypershift.openshift.io/finalizer" in result["msg"] and not result["changed"]
    )


def test_a_namespace_that_stays_too_long(api: Any) -> None:
    api.put(
        f"/api/v1/namespaces/{hub.PLANE}",
        {"metadata": {}, "status": {"conditions": [{"status": "True", "message": "Some content remains"}]}},
    )
    with pytest.raises(Exception, match="Some content remains"):
        hosted_cluster_wait.await_namespace_gone(api, hub.PLANE, SystemClock(), 0.0)


def test_routes_on_a_hub_without_them(api: Any) -> None:
    route = {"type": "Route", "node_port": None, "load_balancer": None, "route": None}
    services = [
        {"service": name, "service_publishing_strategy": route}
        for name in ("APIServer", "OAuthServer", "Konnectivity", "Ignition")
    ]
    options = {**NEW, "api_server_address": None, "services": services}
    api.objects["/apis/route.openshift.io"] = {"versions": []}
    assert "The hub has no Routes" in opened(**options)["msg"] and not api.writes
    api.objects["/apis/route.openshift.io"] = {"versions": [{"version": "v1"}]}
    assert ok(opened(**options))["changed"]


def test_one_that_is_being_deleted(api: Any) -> None:
    going = hub.hosted_cluster()
    going["metadata"]["deletionTimestamp"] = "2026-11-21T12:00:00Z"
    api.cluster(going)
    assert "is being deleted. Run again when it is deleted" in opened(**NEW)["msg"]
