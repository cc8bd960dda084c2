# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test module agent_cluster_install, called in the test process against an API in memory: which objects it creates,
what it waits for, fetches and rejects, and what it removes.
"""

from __future__ import annotations

import base64
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.entry_point import Call, perform
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.state import StateFile
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.store_link import StoreLink
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.hub import cluster as hub_cluster
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.supervise.supervisor import MediaResult
from ansible_collections.zerotouch.openshift.plugins.module_utils.hub.agents.model import read_agent
from ansible_collections.zerotouch.openshift.plugins.module_utils.hub.install.wait import agent_text
from ansible_collections.zerotouch.openshift.plugins.module_utils.hub.kinds import (
    AGENT,
    AGENT_CLUSTER_INSTALL,
    CLUSTER_DEPLOYMENT,
    SECRET,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.kube.client import Event
from ansible_collections.zerotouch.openshift.plugins.modules import agent_cluster_install
from ansible_collections.zerotouch.openshift.tests.support.hub import memory as clusters

CLUSTER = {
    "name": "edge",
    "base_domain": "example.com",
    "version": "4.22.0",
    "api_vips": ["192.0.2.5"],
    "ingress_vips": ["192.0.2.6"],
    "machine_networks": ["192.0.2.0/24"],
    "pull_secret": '{"auths": {"quay.io": {"auth": "Z2VoZWltOmdlaGVpbQ=="}}}',
    "control_plane": {"replicas": 3},
    "compute": {"replicas": 2},
}
INSTALL = AGENT_CLUSTER_INSTALL.path("fleet", "edge")
KUBECONFIG = """\
apiVersion: v1
clusters: [{name: edge, cluster: {server: "https://api.edge.example.com:6443", certificate-authority-data: LS0tLS1CRUdJTiBD}}]
users: [{name: admin, user: {client-certificate-data: LS0tLS1CRUdJTiBD, client-key-data: LS0tLS1CRUdJTiBL}}]
"""  # noqa: E501
RUNNING = {
    "type": "Completed",
    "status": "False",
    "reason": "InstallationInProgress",
    "message": "The installation is in progress",
}
DONE = {
    "type": "Completed",
    "status": "True",
    "reason": "InstallationCompleted",
    "message": "The installation has completed",
}


@pytest.fixture
def api(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    memory = clusters.MemoryApi()
    memory.close = lambda: None
    monkeypatch.setattr(hub_cluster, "connect", lambda *_args, **_options: memory)
    yield memory


def opened(*, check_mode: bool = False, lines: list[str] | None = None, **options: Any) -> dict[str, Any]:
    params = {name: spec.get("default") for name, spec in agent_cluster_install.argument_spec().items()}
    params |= {"namespace": "fleet", "cluster": CLUSTER, **options}
    call = Call(params, check_mode=check_mode, diff=True, show=(lines if lines is not None else []).append)
    return {**perform(agent_cluster_install.run, call), "warnings": call.warnings}


def condition(api: Any, *conditions: dict[str, str], **spec: Any) -> None:
    present = api.get(INSTALL)
    api.put(INSTALL, {**present, "spec": {**present["spec"], **spec}, "status": {"conditions": list(conditions)}})


def secret(api: Any, name: str, **data: str) -> None:
    encoded = {key: base64.b64encode(text.encode()).decode() for key, text in data.items()}
    api.put(SECRET.path("fleet", name), {"metadata": {"name": name}, "data": encoded})


def agent(api: Any, name: str, stage: str) -> None:
    reference = {"namespace": "fleet", "name": "edge"}
    body = {
        "metadata": {"name": name, "namespace": "fleet"},
        "spec": {"hostname": name, "clusterDeploymentName": reference, "role": "worker"},
    }
    api.put(
        AGENT.path("fleet", name),
        {**body, "status": {"progress": {"currentStage": stage}, "debugInfo": {"state": "installing-in-progress"}}},
    )


def test_check_run_run_again(api: Any) -> None:
    planned = opened(check_mode=True)
    assert planned["changed"] and not api.writes
    done = opened()
    assert [done[key] for key in ("changed", "plan", "phase")] == [True, planned["plan"], "unseen"]
    assert done["image_set"] == "openshift-4.22.0"
    assert not opened()["changed"]
    assert "Z2VoZWlt" not in str([planned, done])


def test_only_the_cluster_that_a_run_creates_is_recorded(api: Any, tmp_path: Path) -> None:
    """Another hub may have a cluster of the same name: the run that finds it does not take it for its own."""
    path, title = CLUSTER_DEPLOYMENT.path("fleet", "edge"), "ClusterDeployment fleet/edge"
    state = StateFile(tmp_path / "state.json")
    opened(check_mode=True, work_dir=str(tmp_path))
    assert not state.path.exists()
    opened(work_dir=str(tmp_path))
    uid = api.get(path)["metadata"]["uid"]
    assert uid and state.section("hub") == {"created": {title: uid}}
    state.update("hub", {"created": None})
    opened(work_dir=str(tmp_path))
    assert state.section("hub") == {}
    state.update("hub", {"created": {title: uid}})
    del api.objects[path]
    opened(work_dir=str(tmp_path))
    assert state.section("hub") == {"created": {title: api.get(path)["metadata"]["uid"]}} != {"created": {title: uid}}


@pytest.mark.parametrize("check_mode", [False, True])
def test_a_cluster_of_another_hub_is_not_changed(api: Any, tmp_path: Path, check_mode: bool) -> None:
    opened()
    path, state = CLUSTER_DEPLOYMENT.path("fleet", "edge"), StateFile(tmp_path / "state.json")
    uid = api.get(path)["metadata"]["uid"]
    state.update("hub", {"created": {"ClusterDeployment fleet/edge": "uid-of-hub-a"}})
    api.put(path, {**api.get(path), "spec": {"baseDomain": "example.org"}})
    api.writes.clear()
    result = opened(check_mode=check_mode, work_dir=str(tmp_path))
    assert result["failed"] and not api.writes, result
    assert f"ClusterDeployment fleet/edge has UID {uid}" in result["msg"] and api.server in result["msg"]
    assert "created it with UID uid-of-hub-a" in result["msg"]
    assert "delete key hub.created of state.json" in result["msg"]
    state.update("hub", {"created": None})
    assert not opened(check_mode=check_mode, work_dir=str(tmp_path)).get("failed")


def test_a_run_that_is_killed_after_the_creation_leaves_no_wrong_record(
    api: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = StateFile(tmp_path / "state.json")
    state.update("hub", {"created": {"ClusterDeployment fleet/edge": "uid-of-a-former-one"}, "unheard": ["a"]})

    def killed(*_arguments: Any, **_options: Any) -> None:
        raise KeyboardInterrupt

    stored: list[dict[str, Any]] = []
    monkeypatch.setattr(StoreLink, "save", lambda link: stored.append(state.section("hub")))
    monkeypatch.setattr(hub_cluster, "apply_install", killed)
    assert opened(work_dir=str(tmp_path))["failed"]
    assert [state.section("hub"), *stored] == [{"unheard": ["a"]}] * 2


def test_problems_come_all_at_once_and_before_the_hub_is_asked(api: Any) -> None:
    result = opened(cluster={**CLUSTER, "api_vips": ["10.9.9.9"], "pull_secret": "x", "nmae": 1})
    assert result["failed"] and not api.objects
    assert len(result["problems"]) >= 3
    assert not any("rendezvous" in problem["path"] for problem in result["problems"])


def test_the_wait_prints_progress_and_fetches_the_credentials(api: Any, tmp_path: Path) -> None:
    opened()
    events = iter(["begin", "end"])

    def follow(path: str, _seconds: float, **_selectors: str) -> Iterator[Event]:
        if next(events) == "begin":
            condition(api, RUNNING, clusterMetadata={"adminKubeconfigSecretRef": {"name": "edge-admin-kubeconfig"}})
            agent(api, "worker-0", "Rebooting")
        else:
            secret(api, "edge-admin-kubeconfig", kubeconfig=KUBECONFIG)
            secret(api, "edge-admin-password", username="kubeadmin", password="aaaaa-bbbbb-ccccc-ddddd")
            references = {
                "adminKubeconfigSecretRef": {"name": "edge-admin-kubeconfig"},
                "adminPasswordSecretRef": {"name": "edge-admin-password"},
            }
            condition(api, DONE, clusterMetadata=references)
            agent(api, "worker-0", "Done")
        yield Event("LISTED", objects=(api.get(path + "/edge"),))

    api.follow = follow
    lines: list[str] = []
    result = opened(wait_for="installed", work_dir=str(tmp_path / "edge"), lines=lines)
    assert not result["failed"], result
    assert (result["phase"], result["percent"], result["changed"]) == ("installed", 100, True)
    assert [line[11:] for line in lines] == [
        "installing: The installation is in progress",
        "worker-0: installing-in-progress (Rebooting)",
        "installed: The installation has completed",
        "worker-0: installing-in-progress (Done)",
    ]
    for path in ("auth/kubeconfig", "auth/kubeadmin-password", "state.json"):
        assert stat.S_IMODE((tmp_path / "edge" / path).stat().st_mode) == 0o600
    assert "aaaaa-bbbbb" not in str(result) and "LS0tLS1CRUdJTiBL" not in str(result)
    again = opened(wait_for="installed", work_dir=str(tmp_path / "edge"))
    assert not again["changed"]
    assert again["kubeconfig"].endswith("auth/kubeconfig")


def test_a_medium_that_a_killed_run_left_is_detached_once(
    api: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ejected: list[list[str]] = []

    def eject(_self: Any, names: list[str]) -> list[MediaResult]:
        ejected.append(list(names))
        return [MediaResult(name, changed=True) for name in names]

    monkeypatch.setattr(
        "ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.supervise.media.HostMedia.eject", eject
    )
    opened()
    condition(api, DONE)
    agent(api, "worker-0", "Done")
    bmc = {
        "address": "redfish-virtualmedia+https://10.0.0.1/redfish/v1/Systems/1",
        "username": "u",
        "password": "p",
        "validate_certs": True,
    }
    options = {
        "media_hosts": [{"name": "worker-0", "bmc": bmc, "mac_addresses": [], "image_url": None, "force": False}],
        "work_dir": str(tmp_path),
    }
    assert opened(wait_for="installed", check_mode=True, **options)["changed"] is True and ejected == []
    assert opened(wait_for="installed", **options)["changed"] is True
    assert opened(wait_for="installed", **options)["changed"] is False
    assert ejected == [["worker-0"]]


def test_a_failure_ends_the_wait_at_once_with_its_reason(api: Any) -> None:
    opened()
    condition(
        api,
        {
            "type": "Failed",
            "status": "True",
            "reason": "InstallationFailed",
            "message": "The installation failed: bootstrap timed out",
        },
    )
    for name, words in (
        ("worker-0", "Failed - disk broken."),
        ("master-0", "Host is part of a cluster that failed to install"),
    ):
        agent(api, name, "Installing")
        found = api.get(AGENT.path("fleet", name))
        api.put(
            AGENT.path("fleet", name),
            {**found, "status": {**found["status"], "debugInfo": {"state": "error", "stateInfo": words}}},
        )
    result = opened(wait_for="installed")
    assert result["failed"] and not result["changed"]
    expected = (
        "Cluster fleet/edge: failed: The installation failed: bootstrap timed out. Hosts: worker-0: Failed - "
        "disk broken. The installation cannot continue"
    )
    assert result["msg"].startswith(expected) and "destroy_cluster" in result["msg"]
    assert result["phase"] == "failed"


def test_what_a_person_has_to_do_is_shown(api: Any) -> None:
    status = {
        "debugInfo": {"state": "installing-pending-user-action", "stateInfo": "Expected the host to boot from disk."},
        "progress": {},
    }
    seen = read_agent({"metadata": {"name": "a", "namespace": "n"}, "status": status})
    assert agent_text(seen) == "installing-pending-user-action: Expected the host to boot from disk"


def test_the_limit_says_what_it_still_waits_for(api: Any) -> None:
    opened()
    words = "The cluster currently requires exactly 3 master agents"
    condition(api, {"type": "RequirementsMet", "status": "False", "reason": "InsufficientAgents", "message": words})
    result = opened(wait_for="installed", timeouts={"requirements": 0.01, "install": 10.0})
    assert "Meeting the requirements of fleet/edge took longer than 0.01 s" in result["msg"]
    assert words in result["msg"]


def test_a_hold_counts_as_ready_and_stays_unless_released(api: Any) -> None:
    opened(hold=True)
    held = {
        "type": "Completed",
        "status": "False",
        "reason": "InstallationOnHold",
        "message": "The installation is on hold.",
    }
    condition(api, {"type": "RequirementsMet", "status": "True", "reason": "ClusterIsReady", "message": "ready"}, held)
    assert opened(wait_for="requirements_met")["phase"] == "held"
    assert api.get(INSTALL)["spec"]["holdInstallation"] is True
    assert opened(hold=False)["plan"] == ["patch AgentClusterInstall fleet/edge: spec.holdInstallation: true -> false"]


def test_a_damaged_secret_on_the_hub_is_named(api: Any, tmp_path: Path) -> None:
    opened()
    api.put(
        SECRET.path("fleet", "edge-admin-kubeconfig"),
        {"metadata": {"name": "edge-admin-kubeconfig"}, "data": {"kubeconfig": "%%"}},
    )
    condition(api, RUNNING, clusterMetadata={"adminKubeconfigSecretRef": {"name": "edge-admin-kubeconfig"}})
    assert "edge-admin-kubeconfig" in opened(work_dir=str(tmp_path))["msg"]


def test_removal_waits_until_the_operator_has_released_the_objects(api: Any) -> None:
    opened()
    assert (
        opened(state="absent", name="edge", cluster=None, check_mode=True)["changed"]
        and CLUSTER_DEPLOYMENT.path("fleet", "edge") in api.objects
    )
    result = opened(state="absent", name="edge", cluster=None)
    assert result["changed"] and result["stays"] == []
    assert [path for path in api.objects if "/fleet/" in path] == []
    assert not opened(state="absent", name="edge", cluster=None)["changed"]
