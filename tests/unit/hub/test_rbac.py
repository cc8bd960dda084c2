# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test the RBAC rules in docs/rbac for the modules that use a hub: they suffice for each module, each rule is used, and
an error names a missing rule.
"""

from __future__ import annotations

import contextlib
import json
import re
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.entry_point import Call, perform
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.http import Response
from ansible_collections.zerotouch.openshift.plugins.module_utils.hub.bare_metal_hosts import run as bare_metal_use_case
from ansible_collections.zerotouch.openshift.plugins.module_utils.kube.client import KubeClient
from ansible_collections.zerotouch.openshift.plugins.modules import (
    agent_cluster_install,
    agents,
    agents_info,
    bare_metal_hosts,
    discovery_image,
    hub_plan,
    infra_env,
)
from ansible_collections.zerotouch.openshift.tests.support.hub import infra as infrahub

hubserver = infrahub.hubserver

DOCUMENTS = yaml.safe_load((Path(__file__).parents[3] / "docs" / "rbac" / "hub.yaml").read_text())["items"]
NAMESPACE = "lab"
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
MACHINE = {
    "name": "node-1",
    "boot_mac_address": "52:54:00:00:00:01",
    "bmc": {"address": "redfish-virtualmedia://192.0.2.11", "username": "root", "password": "calvin-calvin"},
}
TIMEOUTS = {
    name: limit["default"] for name, limit in agent_cluster_install.argument_spec()["timeouts"]["options"].items()
}
HOST = {"name": "node-1", "mac_addresses": ["52:54:00:00:00:01"]}
Rule = tuple[str, str, str, str]  # Role or ClusterRole, group, resource, verb


def rules() -> set[Rule]:
    """Every verb of docs/rbac/hub.yaml on its own."""
    return {
        (document["kind"], group, resource, verb)
        for document in DOCUMENTS
        if document["kind"] in ("Role", "ClusterRole")
        for rule in document["rules"]
        for group in rule["apiGroups"]
        for resource in rule["resources"]
        for verb in rule["verbs"]
    }


class GuardedHub(infrahub.InfraHub):
    """A hub that grants what its rules grant: those of the Role in one namespace, those of the ClusterRole everywhere.

    ``used`` are those it went by.
    """

    def __init__(self, granted: set[Rule]) -> None:
        super().__init__()
        hubserver.KINDS.update(
            {
                "baremetalhosts": "BareMetalHost",
                "configmaps": "ConfigMap",
                "clusterimagesets": "ClusterImageSet",
                "nodes": "Node",
                "namespaces": "Namespace",
            }
        )
        self.granted, self.used = granted, set[Rule]()
        self.faults.append(self.judge)
        inner = self.react

        def react(hub: Any, plural: str, obj: dict[str, Any]) -> None:
            if plural == "baremetalhosts" and "status" not in obj:
                hub.put(plural, {**obj, "status": {"operationalStatus": "OK", "provisioning": {"state": "available"}}})
            inner(hub, plural, obj)

        self.react = react

    def judge(self, request: dict[str, Any]) -> Any:
        match = hubserver.PATH.match(request["path"])
        own_namespace = request["path"].startswith("/api/v1/namespaces/") and request["path"].count("/") == 4
        group, resource = ("", "namespaces") if own_namespace else (match["group"] or "", match["plural"])
        namespace = "" if own_namespace else match["namespace"] or ""
        kinds = ["Role", "ClusterRole"] if namespace == NAMESPACE else ["ClusterRole"]
        for kind in kinds:
            if (kind, group, resource, request["verb"]) in self.granted:
                self.used.add((kind, group, resource, request["verb"]))
                return None
        where = f' in the namespace "{namespace}"' if namespace else " at the cluster scope"
        words = f'User "zerotouch" cannot {request["verb"]} resource "{resource}" in API group "{group}"{where}'
        name = f"{resource}.{group}" if group else resource
        return hubserver.status(403, "Forbidden", f"{name} is forbidden: {words}")

    def _create(self, request: dict[str, Any]) -> Any:
        match = hubserver.PATH.match(request["path"])
        if match["plural"] != "clusterimagesets":
            return super()._create(request)
        return 201, {}, request["body"] if request["dry"] else self.put("clusterimagesets", request["body"])

    def answer(self, request: dict[str, Any]) -> Any:
        if request["verb"] == "list" and request["selector"] == "agent-install.openshift.io/bmh":
            request = {**request, "selector": ""}
        return super().answer(request)


Play = Callable[..., dict[str, Any]]


def play(hub: GuardedHub) -> Play:
    def call_module(module: Any, **options: Any) -> dict[str, Any]:
        params = {name: spec.get("default") for name, spec in module.argument_spec().items()}
        params |= {
            "kubeconfig": hub.kubeconfig,
            **({"namespace": NAMESPACE} if "namespace" in params else {}),
            **options,
        }
        call = Call(params)
        return {**perform(module.run, call), "warnings": call.warnings}

    return call_module


def conflict(plural: str) -> Callable[[dict[str, Any]], Any]:
    """Another client was faster once."""
    left = [1]

    def fault(request: dict[str, Any]) -> Any:
        if request["verb"] != "patch" or f"/{plural}/" not in request["path"] or not left:
            return None
        left.pop()
        return hubserver.status(409, "Conflict", "the object has been modified")

    return fault


def agent(number: int = 1, **spec: Any) -> dict[str, Any]:
    inventory = {"interfaces": [{"macAddress": f"52:54:00:00:00:0{number}"}], "disks": [], "hostname": f"node-{number}"}
    status = {
        "debugInfo": {"state": "known-unbound"},
        "inventory": inventory,
        "conditions": [{"type": "Bound", "status": "False", "reason": "Unbound"}],
    }
    labels = {"infraenvs.agent-install.openshift.io": "site"}
    return {
        "metadata": {"name": f"agent-{number}", "namespace": NAMESPACE, "labels": labels},
        "spec": {"approved": False, **spec},
        "status": status,
    }


def when_watched(hub: GuardedHub, plural: str, call: Callable[[], object]) -> None:
    """What the hub does by itself, as soon as the module watches; nothing, where the test has taken away what would
    have been there.
    """

    def noticed(request: dict[str, Any]) -> None:
        if request["verb"] == "watch" and request["path"].endswith(f"/{plural}"):
            hub.faults.remove(noticed)
            threading.Timer(0.1, safely).start()

    def safely() -> None:
        with contextlib.suppress(KeyError):
            call()

    hub.faults.append(noticed)


# What a user does, module by module. Each yields results, which must not have failed.


def with_infra_env(hub: GuardedHub, run_module: Play) -> Iterator[dict[str, Any]]:
    network = {"interfaces": [{"name": "eth0", "type": "ethernet", "state": "up"}]}
    hosts = [
        {
            "name": "node-1",
            "interfaces": [{"name": "eth0", "mac_address": "52:54:00:00:00:01"}],
            "network_config": network,
        }
    ]
    requested = {
        "name": "site",
        "pull_secret": infrahub.PULL_SECRET,
        "hosts": hosts,
        "image_cooldown": 0,
        "timeout": 20,
    }
    yield run_module(infra_env, **requested)
    for plural in ("infraenvs", "nmstateconfigs", "secrets"):
        hub.faults.append(conflict(plural))
    network["interfaces"][0]["mtu"] = 9000
    other = infrahub.PULL_SECRET.replace("5000", "5001")
    yield run_module(infra_env, **{**requested, "pull_secret": other, "agent_labels": {"a": "b"}})
    yield run_module(infra_env, name="site", state="absent", timeout=20)


def with_a_new_namespace(hub: GuardedHub, run_module: Play) -> Iterator[dict[str, Any]]:
    hub.namespaces.discard(NAMESPACE)
    yield run_module(infra_env, name="site", pull_secret=infrahub.PULL_SECRET, wait=False)


def with_discovery_image(hub: GuardedHub, run_module: Play) -> Iterator[dict[str, Any]]:
    hub.put("infraenvs", {"metadata": {"name": "site", "namespace": NAMESPACE}, "spec": {}})
    hub.reconcile()
    yield run_module(discovery_image, name="site", image_cooldown=0, timeout=20)
    yield run_module(discovery_image, name="site", wait=False)


def with_agents(hub: GuardedHub, run_module: Play) -> Iterator[dict[str, Any]]:
    hub.put("infraenvs", {"metadata": {"name": "site", "namespace": NAMESPACE}, "spec": {}})
    reference = {
        "group": "extensions.hive.openshift.io",
        "kind": "AgentClusterInstall",
        "name": "edge",
        "version": "v1beta1",
    }
    cluster = {"metadata": {"name": "edge", "namespace": NAMESPACE}}
    hub.put("clusterdeployments", {**cluster, "spec": {"clusterInstallRef": reference}})
    hub.put(
        "agentclusterinstalls",
        {**cluster, "spec": {"provisionRequirements": {"controlPlaneAgents": 1, "workerAgents": 0}}},
    )
    hub.put("agents", agent())
    yield run_module(agents_info, namespaces=[NAMESPACE])
    yield run_module(agents_info)
    yield run_module(hub_plan, hosts=[HOST], cluster={"name": "edge", "namespace": None})
    hub.faults.append(conflict("agents"))
    yield run_module(agents, hosts=[{**HOST, "cluster": {"name": "edge"}, "role": "master"}])
    yield run_module(agents, hosts=[HOST], wait_for="registered", timeout=20)
    yield run_module(agents, hosts=[{**HOST, "state": "absent"}])


def with_agent_cluster_install(hub: GuardedHub, run_module: Play) -> Iterator[dict[str, Any]]:
    manifests = {
        "extra_manifests": [
            {"name": "extra.yaml", "content": ("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: extra}\n")}
        ]
    }
    yield run_module(agent_cluster_install, cluster={**CLUSTER, **manifests})
    for plural in ("clusterdeployments", "agentclusterinstalls", "secrets", "configmaps"):
        hub.faults.append(conflict(plural))
    hub.put("secrets", {**hub.objects["secrets", NAMESPACE, "edge-pull-secret"], "data": {".dockerconfigjson": "e30="}})
    hub.change("edge", NAMESPACE, "clusterdeployments", spec={"baseDomain": "other.example.com"})
    hub.change("edge", NAMESPACE, "agentclusterinstalls", spec={"sshPublicKey": "x", "apiVIPs": ["192.0.2.7"]})
    hub.change("edge-manifests-0", NAMESPACE, "configmaps", data={"extra.yaml": "x"})
    yield run_module(agent_cluster_install, cluster={**CLUSTER, **manifests})
    yield run_module(agent_cluster_install, cluster=CLUSTER)
    met = {"conditions": [{"type": "RequirementsMet", "status": "True", "reason": "ClusterIsReady", "message": ""}]}
    when_watched(hub, "agentclusterinstalls", lambda: hub.change("edge", NAMESPACE, "agentclusterinstalls", status=met))
    yield run_module(
        agent_cluster_install, cluster=CLUSTER, wait_for="requirements_met", timeouts={**TIMEOUTS, "requirements": 20.0}
    )
    # A finalizer holds the ClusterDeployment for a while.
    hub.faults.append(
        lambda request: (
            (200, {}, {}) if request["verb"] == "delete" and "/clusterdeployments/" in request["path"] else None
        )
    )
    when_watched(hub, "clusterdeployments", lambda: hub.remove("edge", NAMESPACE, "clusterdeployments"))
    yield run_module(agent_cluster_install, state="absent", name="edge")


def with_bare_metal_hosts(hub: GuardedHub, run_module: Play) -> Iterator[dict[str, Any]]:
    hub.put("infraenvs", {"metadata": {"name": "site", "namespace": NAMESPACE}, "spec": {}})
    requested = {"infra_env_name": "site", "timeout": 20}
    yield run_module(bare_metal_hosts, hosts=[MACHINE], **requested)
    for plural in ("baremetalhosts", "secrets"):
        hub.faults.append(conflict(plural))
    yield run_module(
        bare_metal_hosts,
        hosts=[
            {**MACHINE, "role": "worker", "bmc": {**MACHINE["bmc"], "username": "other"}, "cluster": {"name": "edge"}}
        ],
        **requested,
    )
    yield run_module(bare_metal_hosts, hosts=[{"name": "node-1"}], state="absent", timeout=20)


PLAYS = (
    with_infra_env,
    with_a_new_namespace,
    with_discovery_image,
    with_agents,
    with_agent_cluster_install,
    with_bare_metal_hosts,
)
# Those that have to do with a resource.
PLAYS_OF = {
    "infraenvs": (with_infra_env, with_discovery_image, with_bare_metal_hosts),
    "nmstateconfigs": (with_infra_env,),
    "agents": (with_agents,),
    "clusterdeployments": (with_agent_cluster_install,),
    "agentclusterinstalls": (with_agent_cluster_install,),
    "clusterimagesets": (with_agent_cluster_install,),
    "configmaps": (with_agent_cluster_install,),
    "secrets": (with_infra_env, with_agent_cluster_install, with_bare_metal_hosts),
    "baremetalhosts": (with_bare_metal_hosts,),
    "namespaces": (with_a_new_namespace,),
}


@pytest.fixture
def guarded(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[set[Rule]], GuardedHub]]:
    """A hub with these rules.

    Who follows objects may watch them, although nothing happens here for so long that a list is not enough.
    """
    hubs: list[GuardedHub] = []
    follow = KubeClient.follow

    def followed(client: KubeClient, path: str, seconds: float, **selectors: str) -> Iterator[Any]:
        match = hubserver.PATH.match(path)
        request = {"path": path, "verb": "watch"}
        if match and (refusal := hubs[-1].judge(request)) is not None:
            status, headers, body = refusal
            raise client._failure(Response(status, headers, json.dumps(body).encode()), ("GET", f"{path}?watch=true"))
        yield from follow(client, path, seconds, **selectors)

    def make(granted: set[Rule]) -> GuardedHub:
        hubs.append(GuardedHub(granted))
        return hubs[-1]

    monkeypatch.setattr(KubeClient, "follow", followed)
    monkeypatch.setattr(bare_metal_use_case, "DOUBT", 0.3)
    yield make
    for hub in hubs:
        hub.stop()


def test_the_modules_get_by_with_them_and_need_them_all(guarded: Callable[[set[Rule]], GuardedHub]) -> None:
    used: set[Rule] = set()
    for scene in PLAYS:
        hub = guarded(rules())
        for number, result in enumerate(scene(hub, play(hub))):
            assert not result["failed"], (scene.__name__, number, result["msg"])
            assert not [text for text in result.get("warnings", ()) if "403" in text], (
                scene.__name__,
                result["warnings"],
            )
        used |= hub.used
    assert used == rules(), f"idle: {sorted(rules() - used)}"


# What a module does without says so, where that matters.
TOLERATED = {("namespaces", "get"): "Create the namespace first."}


@pytest.mark.parametrize("missing", sorted(rules()), ids=lambda rule: " ".join(rule))
def test_a_rule_that_is_missing_is_named(guarded: Callable[[set[Rule]], GuardedHub], missing: Rule) -> None:
    kind, group, resource, verb = missing
    # What the ClusterRole grants as well would not be missed.
    left = {rule for rule in rules() if rule[1:] != missing[1:] or (kind == "ClusterRole" and rule[0] == "Role")}
    reported = []
    for scene in PLAYS_OF[resource]:
        hub = guarded(left)
        for result in scene(hub, play(hub)):
            if result["failed"] or any("403" in text for text in result.get("warnings", ())):
                reported.append(result.get("msg", "") + "".join(result.get("warnings", ())))
                break
    if (resource, verb) in TOLERATED:
        assert all(TOLERATED[resource, verb] in text for text in reported)
        return
    rule = f'{{apiGroups: ["{group}"], resources: ["{resource}"], verbs: ["{verb}"]}}'
    where = f"a Role in namespace {NAMESPACE}" if kind == "Role" else "a ClusterRole"
    assert reported and all(rule in text for text in reported), (reported, rule)
    assert any(
        re.search(rf"bind {re.escape(where)} .*to it with the rule {re.escape(rule)}", text) for text in reported
    )
