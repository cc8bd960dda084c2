# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test module assisted_control_plane, called in the test process against a hub in memory: it creates, changes, waits
for and removes a cluster, and it may be killed at every write.
"""

from __future__ import annotations

import base64
import json
import stat
from pathlib import Path
from typing import Any

import pytest
import yaml
from ansible_collections.zerotouch.openshift.plugins.module_utils.capi.assisted import run as control_plane_run
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.entry_point import Call, perform
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.state import StateFile
from ansible_collections.zerotouch.openshift.plugins.module_utils.kube.faults import ForbiddenError
from ansible_collections.zerotouch.openshift.plugins.modules import assisted_control_plane
from ansible_collections.zerotouch.openshift.tests.support.api_server import Authority
from ansible_collections.zerotouch.openshift.tests.support.clock import Clock
from ansible_collections.zerotouch.openshift.tests.support.hub.assisted_cluster import (
    NS,
    AssistedHub,
    description,
    host,
    pool,
)
from ansible_collections.zerotouch.openshift.tests.support.hub.capi import Died

PLANES = "openshiftassistedcontrolplanes"


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> AssistedHub:
    return connected(AssistedHub(), monkeypatch)


def connected(hub: AssistedHub, monkeypatch: pytest.MonkeyPatch) -> AssistedHub:
    monkeypatch.setattr(
        control_plane_run, "connect", lambda *_args, **options: hub.in_check_mode(options["check_mode"])
    )
    return hub


def opened(*, check_mode: bool = False, diff: bool = False, **options: Any) -> dict[str, Any]:
    params = {name: spec.get("default") for name, spec in assisted_control_plane.argument_spec().items()}
    call = Call({**params, **description(), "forks": 1, "timeout": 0.0, **options}, check_mode=check_mode, diff=diff)
    return {**perform(assisted_control_plane.run, call), "warnings": call.warnings}


def spec(hub: AssistedHub, plural: str, name: str = "c1") -> dict[str, Any]:
    return dict(hub.at(plural, name, NS)["spec"])


def names(hub: AssistedHub, plural: str) -> list[str]:
    return sorted(name for kind, _namespace, name in hub.objects if kind == plural)


def machine(name: str, *, control_plane: bool = False, **more: Any) -> dict[str, Any]:
    label = {"cluster.x-k8s.io/control-plane": ""} if control_plane else {}
    reference = {"configRef": {"kind": "OpenshiftAssistedConfig", "name": name}}
    labels = {"cluster.x-k8s.io/cluster-name": "c1", **label}
    return {
        "metadata": {"name": name, "namespace": NS, "labels": labels},
        "spec": {"clusterName": "c1", "bootstrap": reference},
        **more,
    }


def test_check_run_run_again(hub: AssistedHub) -> None:
    planned = opened(check_mode=True)
    assert planned["changed"] and not hub.writes and not planned["failed"], planned["msg"]
    done = opened(diff=True)
    assert done["changed"] and done["plan"] == planned["plan"] and not done["failed"] and not done["warnings"]
    assert hub.writes[-1] == "create clusters c1", "the Cluster starts everything"
    assert len(names(hub, "baremetalhosts")) == 5 and spec(hub, PLANES)["replicas"] == 3
    assert "secret-of-bmc" not in str(done["diff"]) and "quay.io" not in str(
        [each for each in done["diff"] if "Secret" in each["after_header"]]
    )
    count = len(hub.writes)
    again = opened()
    assert not again["changed"] and again["plan"] == [] and len(hub.writes) == count


def test_one_list_for_each_kind(hub: AssistedHub) -> None:
    opened()
    few = opened_calls(hub, {})
    many = description(workers=100)
    opened(**many)
    assert opened_calls(hub, many) == few, "the number of requests of an unchanged run does not grow with the machines"


def opened_calls(hub: AssistedHub, options: dict[str, Any]) -> dict[str, int]:
    hub.calls.clear()
    assert not opened(**options)["changed"]
    return dict(hub.calls)


def test_a_namespace_that_does_not_exist(hub: AssistedHub) -> None:
    del hub.objects["namespaces", "", NS]
    planned = opened(check_mode=True)
    assert not planned["failed"] and planned["plan"][0] == f"create Namespace {NS}: it does not exist"
    assert opened()["plan"] == planned["plan"]


def test_killed_at_every_write(monkeypatch: pytest.MonkeyPatch) -> None:
    """Created, changed and removed; after any number of writes the next run continues to the same end."""

    def story(hub: AssistedHub) -> None:
        if not hub.removing:
            opened()
            opened(machine_deployments=[pool(replicas=1)], version="4.20.4")
            hub.removing = True
        opened(state="absent")
        opened(state="absent")
        opened(state="absent")
        opened(state="absent")

    def new() -> AssistedHub:
        made = connected(AssistedHub(), monkeypatch)
        made.removing = False  # type: ignore[attr-defined]
        return made

    whole = new()
    story(whole)
    assert sorted(key[0] for key in whole.objects) == ["namespaces"], "everything that was created is deleted"
    for writes in range(len(whole.writes)):
        hub = new()
        hub.dies_after = writes
        with pytest.raises(Died):
            story(hub)
        assert ("clusters", NS, "c1") not in hub.objects or hub.writes.count("create clusters c1") == 1
        hub.revive()
        story(hub)
        assert sorted(key[0] for key in hub.objects) == ["namespaces"], writes


def test_a_conflict_is_planned_again(hub: AssistedHub) -> None:
    opened()
    hub.conflicts = ["machinedeployments", PLANES]
    done = opened(machine_deployments=[pool(replicas=3)], version="4.20.5")
    assert (
        not done["failed"]
        and spec(hub, "machinedeployments", "workers")["replicas"] == 3
        and spec(hub, PLANES)["distributionVersion"] == "4.20.5"
    )


def test_a_failure_stops_before_what_refers_to_it(hub: AssistedHub) -> None:
    hub.forbidden = {"create metal3machinetemplates"}
    failed = opened()
    assert failed["failed"] and failed["changed"] and "Metal3MachineTemplate" in failed["msg"]
    assert not names(hub, "clusters") and not names(hub, "machinedeployments")
    hub.forbidden = set()
    assert opened()["changed"] and names(hub, "clusters") == ["c1"]


def test_mistakes_of_every_kind_before_the_first_write(hub: AssistedHub) -> None:
    failed = opened(version="4.13.0", control_plane={"replicas": 2}, hosts=[host(1, "nowhere")])
    assert failed["failed"] and not hub.writes
    for path in ("version", "control_plane.replicas", "hosts[0].pool"):
        assert path in failed["msg"]


def test_the_served_schema(hub: AssistedHub) -> None:
    text = {
        "type": "object",
        "properties": {
            "spec": {"type": "object", "properties": {"distributionVersion": {"type": "string", "pattern": "^5"}}}
        },
    }
    hub.schemas["controlplane.cluster.x-k8s.io/v1alpha3"] = {"OpenshiftAssistedControlPlane": text}
    failed = opened()
    assert failed["failed"] and not hub.writes
    assert (
        "spec.distributionVersion" in failed["msg"]
        and "spec.config: " in failed["msg"]
        and "is not a field" in failed["msg"]
    )


@pytest.mark.parametrize(
    ("group", "words"),
    [
        ("controlplane.cluster.x-k8s.io", "clusterctl init --bootstrap openshift-assisted"),
        ("bootstrap.cluster.x-k8s.io", "clusterctl init --bootstrap openshift-assisted"),
        ("infrastructure.cluster.x-k8s.io", "clusterctl init --infrastructure metal3"),
        ("metal3.io", "clusterctl init --infrastructure metal3"),
    ],
)
def test_a_hub_without_a_provider(hub: AssistedHub, group: str, words: str) -> None:
    del hub.kinds[group]
    failed = opened()
    assert failed["failed"] and words in failed["msg"] and not hub.writes


def test_a_hub_that_serves_older_versions(hub: AssistedHub) -> None:
    for versions in hub.kinds.values():
        for newer in ("v1alpha3", "v1beta2"):
            versions.pop(newer, None)
    hub.kinds["bootstrap.cluster.x-k8s.io"].pop("v1alpha2")
    assert not opened()["failed"] and not opened()["changed"]
    assert hub.at(PLANES, "c1", NS)["apiVersion"].endswith("/v1alpha2")
    assert (
        spec(hub, PLANES)["machineTemplate"]["infrastructureRef"]["apiVersion"]
        == "infrastructure.cluster.x-k8s.io/v1beta1"
    )


def test_a_name_that_another_namespace_uses(hub: AssistedHub) -> None:
    labels = {"cluster.x-k8s.io/cluster-name": "c1"}
    hub.put("clusterdeployments", {"metadata": {"name": "other", "namespace": "elsewhere", "labels": labels}})
    failed = opened()
    assert failed["failed"] and "ClusterDeployment elsewhere/other" in failed["msg"] and not hub.writes


def test_objects_of_other_tools(hub: AssistedHub) -> None:
    hub.put("secrets", {"metadata": {"name": "c1-pull-secret", "namespace": NS}, "data": {}})
    hub.put(
        "baremetalhosts",
        {"metadata": {"name": "host-1", "namespace": NS}, "spec": {"bootMACAddress": "52:54:00:00:00:01"}},
    )
    failed = opened()
    assert failed["failed"] and not hub.writes
    assert "Secret site/c1-pull-secret exists" in failed["msg"] and "BareMetalHost site/host-1 exists" in failed["msg"]


def test_a_user_who_may_not_look_into_other_namespaces(hub: AssistedHub, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = AssistedHub.list

    def own(self: AssistedHub, path: str, **options: Any) -> Any:
        if "/namespaces/" not in path:
            raise ForbiddenError("the API", 403, "forbidden", "Forbidden")
        return whole(self, path, **options)

    monkeypatch.setattr(AssistedHub, "list", own)
    done = opened()
    assert not done["failed"] and sum(text.startswith("not checked: ") for text in done["warnings"]) == 2


def test_a_cluster_that_is_being_deleted(hub: AssistedHub) -> None:
    opened()
    hub.change("clusters", "c1", {"metadata": {"finalizers": ["f"], "deletionTimestamp": "2026-11-21T12:00:00Z"}}, NS)
    failed = opened()
    assert failed["failed"] and "is being deleted" in failed["msg"]


def test_mirrors_of_another_cluster_of_the_namespace(hub: AssistedHub) -> None:
    hub.put(
        PLANES,
        {"metadata": {"name": "c2", "namespace": NS}, "spec": {"config": {"imageRegistryRef": {"name": "other"}}}},
    )
    mirrors = '[[registry]]\nlocation="quay.io/a"\n[[registry.mirror]]\nlocation="mirror/a"'
    failed = opened(image_registry={"registries_conf": mirrors, "ca_bundle": None})
    assert failed["failed"] and "c2 of this namespace has mirrors too" in failed["msg"] and not opened()["failed"]


def test_another_cluster_of_the_name(hub: AssistedHub) -> None:
    hub.put(
        "clusters",
        {
            "metadata": {"name": "c1", "namespace": NS},
            "spec": {"controlPlaneRef": {"kind": "KubeadmControlPlane", "name": "c1"}},
        },
    )
    failed = opened()
    assert failed["failed"] and "KubeadmControlPlane" in failed["msg"] and not hub.writes
    assert "another tool created them" in opened(state="absent")["stays"][0] and names(hub, "clusters") == ["c1"]


@pytest.mark.parametrize("state", ["ready", "preparing-for-installation", "installing", "finalizing"])
def test_numbers_do_not_change_during_the_installation(hub: AssistedHub, state: str) -> None:
    opened()
    hub.state(state)
    for options in (
        {"machine_deployments": [pool(replicas=3)]},
        {"machine_deployments": [pool(), pool("more")]},
        {"control_plane": {"replicas": 5}},
    ):
        failed = opened(**options)
        assert failed["failed"] and f"the cluster is {state}" in failed["msg"]
    assert "once it is installed" in opened(version="4.20.9")["msg"]
    assert not opened()["changed"]


def test_scaling_once_it_is_installed(hub: AssistedHub) -> None:
    opened()
    hub.state("adding-hosts")
    assert (
        opened(machine_deployments=[pool(replicas=5)])["changed"]
        and spec(hub, "machinedeployments", "workers")["replicas"] == 5
    )
    assert (
        opened(machine_deployments=[pool()])["changed"] and spec(hub, "machinedeployments", "workers")["replicas"] == 2
    )
    assert opened(control_plane={"replicas": 5})["changed"]
    assert opened(control_plane={"replicas": 3})["changed"]
    failed = opened(control_plane={"replicas": 1}, api_vips=[], ingress_vips=[])
    assert failed["failed"] and "quorum" in failed["msg"] and spec(hub, PLANES)["replicas"] == 3


def test_numbers_that_are_not_described_stay(hub: AssistedHub) -> None:
    """Before the installation and after it; an autoscaler or the user has scaled the pools."""
    unset: dict[str, Any] = {"control_plane": {"replicas": None}, "machine_deployments": [pool(replicas=None)]}
    refused = opened(**unset)
    assert refused["failed"] and "control_plane.replicas" in refused["msg"] and not hub.writes
    opened()
    for state, sizes in (("insufficient", (5, 4)), ("adding-hosts", (3, 7))):
        hub.state(state)
        hub.change(PLANES, "c1", {"spec": {"replicas": sizes[0]}}, NS)
        hub.change("machinedeployments", "workers", {"spec": {"replicas": sizes[1]}}, NS)
        done = opened(**unset)
        assert not done["failed"], done["msg"]
        assert (spec(hub, PLANES)["replicas"], spec(hub, "machinedeployments", "workers")["replicas"]) == sizes
        assert not opened(**unset)["changed"]


def test_from_one_control_plane_machine_to_three(hub: AssistedHub) -> None:
    alone = {"api_vips": None, "ingress_vips": None}
    opened(control_plane={"replicas": 1}, **alone)
    hub.state("adding-hosts")
    assert opened(control_plane={"replicas": 3}, **alone)["changed"] and spec(hub, PLANES)["replicas"] == 3


def test_upgrades_go_forward(hub: AssistedHub) -> None:
    opened()
    hub.state("adding-hosts")
    assert opened(version="4.21.0")["plan"] == [
        (f"patch OpenshiftAssistedControlPlane {NS}/c1: spec.distributionVersion: '4.20.3' -> '4.21.0'")
    ]
    failed = opened(version="4.20.3")
    assert failed["failed"] and "does not return to an older version" in failed["msg"]


def test_what_the_installation_has_fixed(hub: AssistedHub) -> None:
    opened()
    hub.state("insufficient")
    failed = opened(base_domain="other.example")
    assert failed["failed"] and "spec.config.baseDomain" in failed["msg"]
    hub.state("adding-hosts")
    kept = opened(cluster_proxy={"http_proxy": "http://proxy"})
    assert (
        not kept["failed"]
        and not kept["changed"]
        and any("spec.config.proxy cannot be changed after the installation" in text for text in kept["warnings"])
    )


def test_templates_of_pools_with_machines_stay(hub: AssistedHub) -> None:
    opened()
    hub.state("adding-hosts")
    changed = [pool(config={"additional_ntp_sources": ["ntp.example.com"]})]
    kept = opened(machine_deployments=changed)
    assert not kept["changed"] and any("Set replace_machines" in text for text in kept["warnings"])
    old = names(hub, "openshiftassistedconfigtemplates")
    hub.change("machinedeployments", "workers", {"status": {"replicas": 2}}, NS)
    reference = {"configRef": {"name": old[0]}}
    machine_set = {"clusterName": "c1", "template": {"spec": {"bootstrap": reference}}}
    hub.put("machinesets", {"metadata": {"name": "workers-1", "namespace": NS}, "spec": machine_set})
    assert opened(machine_deployments=changed, replace_machines=True)["changed"]
    assert len(names(hub, "openshiftassistedconfigtemplates")) == 2, "the one that a MachineSet uses is kept"
    hub.remove("machinesets", NS, "workers-1")
    done = opened(machine_deployments=changed, replace_machines=True)
    assert done["plan"] == [
        (f"delete OpenshiftAssistedConfigTemplate {NS}/{old[0]}: no Machine is made from it any more")
    ]
    assert not opened(machine_deployments=changed)["changed"]


def test_another_image_of_a_pool_with_machines_creates_nothing(hub: AssistedHub) -> None:
    opened()
    hub.state("adding-hosts")
    other = {**description()["metal3"], "meta_data": {"strings": [{"key": "a", "value": "b"}]}}
    first = opened(metal3=other)
    assert any("Set replace_machines" in text for text in first["warnings"])
    assert not opened(metal3=other)["changed"]


def test_a_template_that_another_tool_has_changed(hub: AssistedHub) -> None:
    opened()
    [name] = names(hub, "openshiftassistedconfigtemplates")
    hub.change(
        "openshiftassistedconfigtemplates", name, {"spec": {"template": {"spec": {"sshAuthorizedKey": "other"}}}}, NS
    )
    failed = opened()
    assert failed["failed"] and "does not match the hash in its name" in failed["msg"]


def test_power_of_hosts_in_use_is_left_alone(hub: AssistedHub) -> None:
    opened()
    hub.change(
        "baremetalhosts",
        "host-4",
        {"spec": {"online": False, "automatedCleaningMode": "metadata", "consumerRef": {"name": "m"}}},
        NS,
    )
    assert not opened()["changed"]


def test_mirrors_and_secrets_of_the_user(hub: AssistedHub) -> None:
    missing = opened(
        pull_secret=None, pull_secret_name="mine", image_registry_name="mirrors", manifests_config_maps=["more"]
    )
    for path in ("pull_secret_name", "image_registry_name", "manifests_config_maps[0]"):
        assert path in missing["msg"]
    secret = base64.b64encode(description()["pull_secret"].encode()).decode()
    hub.put("secrets", {"metadata": {"name": "mine", "namespace": NS}, "data": {".dockerconfigjson": secret}})
    for name, data in (("more", {}), ("mirrors", {"registries.conf": "[["})):
        hub.put("configmaps", {"metadata": {"name": name, "namespace": NS}, "data": data})
    options = {
        "pull_secret": None,
        "pull_secret_name": "mine",
        "image_registry_name": "mirrors",
        "manifests_config_maps": ["more"],
    }
    assert "is no TOML" in opened(**options)["msg"] and not hub.writes
    good = '[[registry]]\nlocation="quay.io/a"\n[[registry.mirror]]\nlocation="mirror/a"'
    hub.put("configmaps", {"metadata": {"name": "mirrors", "namespace": NS}, "data": {"registries.conf": good}})
    assert not opened(**options)["failed"] and spec(hub, PLANES)["config"]["imageRegistryRef"] == {"name": "mirrors"}
    assert "c1-pull-secret" not in names(hub, "secrets")
    assert not opened(**options)["changed"]


def test_removal_keeps_hosts_that_are_in_use_and_what_others_made(hub: AssistedHub) -> None:
    opened()
    hub.put("machines", machine("c1-abcde", control_plane=True))
    hub.put(
        "secrets", {"metadata": {"name": "foreign", "namespace": NS, "labels": {"cluster.x-k8s.io/cluster-name": "c1"}}}
    )
    hub.change("baremetalhosts", "host-1", {"spec": {"consumerRef": {"name": "c1-abcde"}}}, NS)
    first = opened(state="absent")
    assert (
        first["plan"] == [f"delete Cluster {NS}/c1: the cluster is removed"]
        and "Machine c1-abcde" in first["remaining"]
    )
    second = opened(state="absent")
    assert (
        not names(hub, PLANES) and len(names(hub, "baremetalhosts")) == 5 and "Machine c1-abcde" in second["remaining"]
    )
    hub.remove("machines", NS, "c1-abcde")
    opened(state="absent")
    assert names(hub, "baremetalhosts") == ["host-1"] and "host-1-bmc-secret" in names(hub, "secrets")
    hub.change("baremetalhosts", "host-1", {"spec": {"consumerRef": None}}, NS)
    opened(state="absent")
    done = opened(state="absent", wait_for="gone", timeout=5.0)
    assert not done["failed"] and names(hub, "baremetalhosts") == [] and names(hub, "secrets") == ["foreign"]
    assert not opened(state="absent")["changed"]


def test_waits(hub: AssistedHub, tmp_path: Path) -> None:
    over = opened(wait_for="ready")
    assert over["failed"] and over["changed"] and "infrastructure of the Cluster is not ready" in over["msg"]
    hub.state("installing")
    hub.put("machines", machine("c1-abcde", control_plane=True))
    over = opened(wait_for="installed")
    assert "the installation is installing" in over["msg"] and over["machines"][0]["step"] == "no InfraEnv yet"
    waiting = [
        {"type": "DataSecretAvailable", "status": "False", "reason": "WaitingForAssistedInstaller", "message": ""}
    ]
    hub.put(
        "openshiftassistedconfigs",
        {"metadata": {"name": "c1-abcde", "namespace": NS}, "status": {"v1beta1Conditions": waiting}},
    )
    assert opened(wait_for="installed")["machines"][0]["step"] == "WaitingForAssistedInstaller"
    hub.state("adding-hosts")
    over = opened(wait_for="ready")
    assert "0 of 3 machines ready" in over["msg"]
    certificate, key = (base64.b64encode(pem.encode()).decode() for pem in Authority().issue("admin"))
    kubeconfig = {
        "clusters": [{"name": "c", "cluster": {"server": "https://api.c1.lab.example:6443"}}],
        "users": [{"name": "u", "user": {"client-certificate-data": certificate, "client-key-data": key}}],
        "contexts": [{"name": "x", "context": {"cluster": "c", "user": "u"}}],
        "current-context": "x",
    }
    for name, key, value in (
        ("kubeconfig", "kubeconfig", yaml.safe_dump(kubeconfig)),
        ("password", "password", "kubeadmins-secret"),
    ):
        data = {key: base64.b64encode(value.encode()).decode()}
        hub.put("secrets", {"metadata": {"name": f"c1-admin-{name}", "namespace": NS}, "data": data})
    hub.ready()
    done = opened(wait_for="ready", work_dir=str(tmp_path))
    assert not done["failed"] and done["changed"], done["msg"]
    path = tmp_path / "auth" / "kubeconfig"
    assert done["kubeconfig"] == str(path) and stat.S_IMODE(path.stat().st_mode) == 0o600
    assert (tmp_path / "auth" / "kubeadmin-password").read_text() == "kubeadmins-secret"
    assert not opened(wait_for="ready", work_dir=str(tmp_path))["changed"]
    assert done["control_plane"] | {"current_version": "4.20.3", "ready_replicas": 3} == done["control_plane"]
    hub.change(
        PLANES,
        "c1",
        {
            "status": {
                "conditions": [{"type": "UpgradeCompleted", "status": "False", "message": "upgrade to version x"}]
            }
        },
        NS,
    )
    assert "upgrade to version x" in opened(wait_for="ready")["msg"] and not opened(wait_for="installed")["failed"]


def test_a_failed_installation_ends_the_wait(hub: AssistedHub, monkeypatch: pytest.MonkeyPatch) -> None:
    opened()
    hub.state("error")
    status = {
        "conditions": [{"type": "Failed", "status": "True", "reason": "InstallationFailed", "message": "a host failed"}]
    }
    hub.change("agentclusterinstalls", "c1", {"status": status}, NS)
    failed = opened(wait_for="installed", timeout=100.0)
    assert failed["failed"] and "a host failed" in failed["msg"]
    hub.remove("agentclusterinstalls", NS, "c1")
    refused = [{"type": "MachinesCreated", "status": "False", "message": "version 4.1 is not supported"}]
    hub.change(PLANES, "c1", {"status": {"conditions": refused}}, NS)
    clock = Clock()
    monkeypatch.setattr(control_plane_run, "ChangeSignal", lambda *_args: type("Signal", (), {"wait": clock.sleep}))
    params = {name: spec.get("default") for name, spec in assisted_control_plane.argument_spec().items()}
    call = Call({**params, **description(), "forks": 1, "wait_for": "installed", "timeout": 3600.0})
    monkeypatch.setattr(Call, "clock", property(lambda _call: clock))
    answer = perform(assisted_control_plane.run, call)
    assert answer["failed"] and "is not supported" in answer["msg"] and clock.now() < 200


def put_installed(hub: AssistedHub) -> None:
    """Installed, with a Machine for each worker host, and hosts that their Machines use."""
    opened()
    hub.state("adding-hosts")
    hub.ready()
    for number in (4, 5):
        hub.put("machines", machine(f"m-{number}"))
        hub.change(
            "baremetalhosts",
            f"host-{number}",
            {"spec": {"consumerRef": {"kind": "Metal3Machine", "name": f"m-{number}"}}},
            NS,
        )


def test_machines_are_marked_before_their_pool_shrinks(hub: AssistedHub) -> None:
    put_installed(hub)
    less = {"machine_deployments": [pool(replicas=1)], "delete_first": ["m-5", "no-such-machine"]}
    planned = opened(check_mode=True, **less)
    count = len(hub.writes)
    done = opened(**less)
    # The last write has upstream's provider count the workers again.
    writes = ["patch machines m-5", "patch machinedeployments workers", "patch openshiftassistedcontrolplanes c1"]
    assert done["plan"] == planned["plan"] and hub.writes[count:] == writes
    assert hub.at("machines", "m-5", NS)["metadata"]["annotations"] == {"cluster.x-k8s.io/delete-machine": "true"}
    assert not opened(**less)["changed"]


def test_machines_that_are_made_again(hub: AssistedHub) -> None:
    put_installed(hub)
    assert opened(check_mode=True, recreate=["m-4"])["plan"] == [
        (f"delete Machine {NS}/m-4: another Machine of its pool takes a host")
    ]
    assert opened(recreate=["m-4"])["changed"] and "m-4" not in names(hub, "machines")
    assert not opened(recreate=["m-4"])["changed"]


def test_hosts_leave_the_inventory_once_they_are_free(hub: AssistedHub) -> None:
    put_installed(hub)
    rest = {"hosts": [each for each in description()["hosts"] if each["name"] != "host-5"], "release_hosts": ["host-5"]}
    planned = opened(check_mode=True, **rest)
    assert planned["changed"] and planned["plan"] == [f"delete BareMetalHost {NS}/host-5: its host is released"]
    waiting = opened(**rest)
    assert (
        waiting["failed"]
        and waiting["remaining"] == ["BareMetalHost host-5"]
        and "host-5" in names(hub, "baremetalhosts")
    )
    hub.change("baremetalhosts", "host-5", {"spec": {"consumerRef": None}}, NS)
    hub.change("machines", "m-5", {"metadata": {"labels": None}}, NS)
    done = opened(**rest, timeout=60.0)
    assert not done["failed"] and done["changed"], done["msg"]
    assert (
        "host-5" not in names(hub, "baremetalhosts")
        and "host-5-bmc-secret" not in names(hub, "secrets")
        and "host-4-bmc-secret" in names(hub, "secrets")
    )
    assert not opened(**rest)["changed"]


def test_the_work_directory_has_a_record(hub: AssistedHub, tmp_path: Path) -> None:
    """Before the first write, so that a run that is killed has one; then of the wait, and of hosts that leave."""
    opened(work_dir=str(tmp_path), check_mode=True)
    assert not (tmp_path / "state.json").exists()
    hub.dies_after = 0
    with pytest.raises(Died):
        opened(work_dir=str(tmp_path))
    state = json.loads((tmp_path / "state.json").read_text())
    assert (state["install"]["method"], state["install"]["phase"]) == ("capi", "defined")
    assert state["machines"]["host-1"]["state"] == "booted" and state["machines"]["host-1"]["method"] == "capi"
    assert len(state["cluster"]["hosts"]) == 5 and state["cluster"]["hosts"][0]["role"] == "master"
    hub.revive()
    opened(work_dir=str(tmp_path), wait_for="ready")
    assert json.loads((tmp_path / "state.json").read_text())["install"]["failure"].startswith("Not done after 0 s.")
    put_installed(hub)
    opened(work_dir=str(tmp_path), wait_for="ready")
    assert json.loads((tmp_path / "state.json").read_text())["install"]["phase"] == "installed"
    for number in (4, 5):
        hub.remove("machines", NS, f"m-{number}")
        hub.change("baremetalhosts", f"host-{number}", {"spec": {"consumerRef": None}}, NS)
    rest = [each for each in description()["hosts"] if each["name"] != "host-5"]
    opened(work_dir=str(tmp_path), hosts=rest, release_hosts=["host-5"], timeout=60.0)
    assert json.loads((tmp_path / "state.json").read_text())["machines"]["host-5"]["state"] == "released"


def test_a_record_of_another_method(hub: AssistedHub, tmp_path: Path) -> None:
    StateFile(tmp_path / "state.json").update("install", {"method": "hub", "phase": "installed"})
    refused = opened(work_dir=str(tmp_path))
    assert refused["failed"] and "records a deployment by method hub" in refused["msg"] and not hub.writes


def test_false_removes_what_was_true(hub: AssistedHub) -> None:
    """The webhooks of the providers store false as nothing."""
    opened(masters_schedulable=True)
    assert spec(hub, "openshiftassistedcontrolplanes")["config"]["mastersSchedulable"] is True
    assert opened(masters_schedulable=False)["changed"]
    assert not spec(hub, "openshiftassistedcontrolplanes")["config"].get("mastersSchedulable")
    assert not opened(masters_schedulable=False)["changed"]
