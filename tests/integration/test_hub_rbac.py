# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test the rules of docs/rbac on a real API server: a user with only these rules can use every hub module; if a rule is
missing, the error names it.

The lab's own API grants everything, so this test needs kube-apiserver and etcd (KUBEBUILDER_ASSETS, see CONTRIBUTING).
"""

from __future__ import annotations

import base64
import json
import os
import re
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from .canaries import BMC_PASSWORD, PULL_SECRET
from .conftest import MakeLab, canary_site
from .lab import ROOT, Deployment, Lab, read_inventory

ASSETS = Path(os.environ.get("KUBEBUILDER_ASSETS") or "/nonexistent")
pytestmark = pytest.mark.skipif(
    not all((ASSETS / name).is_file() for name in ("kube-apiserver", "etcd")),
    reason=("KUBEBUILDER_ASSETS names no directory with kube-apiserver and etcd"),
)

NAMESPACE = "edge"
USER = "zerotouch"
CLUSTER = {
    "name": "edge",
    "base_domain": "example.com",
    "version": "4.22.0",
    "machine_networks": ["192.168.126.0/24"],
    "platform": "none",
    "pull_secret": PULL_SECRET,
    "control_plane": {"replicas": 1},
    "compute": {"replicas": 0},
}
BOOTSTRAPPER = "system:serviceaccount:openshift-machine-config-operator:node-bootstrapper"
GROUPS = ["system:serviceaccounts", "system:serviceaccounts:openshift-machine-config-operator", "system:authenticated"]
Open = Callable[..., dict[str, Any]]


class Hub:
    """The hub as its administrator sees it."""

    def __init__(self, lab: Lab) -> None:
        self.lab = lab
        self.kubeconfig = lab.hub_kubeconfig()

    def kubectl(self, *words: str, provided: Any = None, **options: Any) -> str:
        command = ["kubectl", "--kubeconfig", str(self.kubeconfig), *words]
        text = None if provided is None else json.dumps(provided)
        done = subprocess.run(command, input=text, capture_output=True, text=True, timeout=60, check=False, **options)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def grant(self, document: Any) -> None:
        self.kubectl("apply", "--namespace", NAMESPACE, "--filename", "-", provided=document)


def rbac(name: str) -> dict[str, Any]:
    documents = list(yaml.safe_load_all((ROOT / "docs" / "rbac" / f"{name}.yaml").read_text()))
    return dict(documents[0]) if len(documents) == 1 else {"apiVersion": "v1", "kind": "List", "items": documents}


def without(document: dict[str, Any], kind: str, resource: str, verb: str) -> dict[str, Any]:
    """The manifests without one verb of one resource; the other resources of its rule keep theirs."""
    items = []
    for item in document["items"]:
        if item["kind"] == kind:
            kept = [{**rule, "resources": [each]} for rule in item["rules"] for each in rule["resources"]]
            kept = [
                {**rule, "verbs": [each for each in rule["verbs"] if rule["resources"] != [resource] or each != verb]}
                for rule in kept
            ]
            item = {**item, "rules": [rule for rule in kept if rule["verbs"]]}
        items.append(item)
    return {**document, "items": items}


@pytest.fixture(scope="module")
def hub(make_lab: MakeLab, tmp_path_factory: pytest.TempPathFactory) -> Hub:
    directory = tmp_path_factory.mktemp("rbac")
    path = canary_site("sno", directory)
    site = yaml.safe_load(path.read_text())
    path.write_text(
        yaml.safe_dump(
            {**site, "hub": {"address": "10.0.0.5", "base_domain": "hub.example.com", "real_apiserver": "always"}}
        )
    )
    hub = Hub(make_lab(directory, path))
    hub.kubectl("create", "namespace", NAMESPACE)
    hub.grant(rbac("hub"))
    hub.grant(rbac("cluster"))
    return hub


@pytest.fixture(scope="module")
def run_module(hub: Hub, tmp_path_factory: pytest.TempPathFactory) -> Open:
    """Open a module as the user of the rules."""
    directory = tmp_path_factory.mktemp("user")
    user = Deployment(hub.lab, directory / "none", directory)
    kubeconfig = hub.lab.vars["openshift_hub"]["kubeconfig"]
    connection = {
        "kubeconfig": kubeconfig,
        "connect_to": hub.lab.vars["openshift_connect_to"],
        "impersonate_user": USER,
    }

    def call_module(module: str, /, **arguments: Any) -> dict[str, Any]:
        run = user.module(module, {**connection, **arguments})
        start = re.search(r"^localhost \| .*?=> (?=\{)", run.output, re.MULTILINE)
        assert start, run.output
        return {
            **json.JSONDecoder().raw_decode(run.output[start.end() :])[0],
            "failed": not run.ok,
            "output": run.output,
        }

    return call_module


def ok(result: dict[str, Any]) -> dict[str, Any]:
    assert not result["failed"] and "403" not in result["output"], result["output"]
    return result


def infra_env(**more: Any) -> dict[str, Any]:
    hosts = [{"name": "node", "interfaces": known()["interfaces"], "network_config": known()["network_config"]}]
    return {
        "name": "rack",
        "namespace": NAMESPACE,
        "pull_secret": PULL_SECRET,
        "timeout": 120,
        **({"hosts": hosts} if "state" not in more else {}),
        **more,
    }


def known() -> dict[str, Any]:
    """``openshift_host`` of the machine of the site."""
    (host,) = read_inventory("sno")["all"]["children"]["control_plane"]["hosts"].values()
    return dict(host["openshift_host"])


def machine() -> dict[str, Any]:
    bmc = {**known()["bmc"], "username": "admin", "password": BMC_PASSWORD, "validate_certs": False}
    return {"name": "node", "hostname": "node", "boot_mac_address": known()["interfaces"][0]["mac_address"], "bmc": bmc}


def identity() -> dict[str, Any]:
    return {"name": "node", "mac_addresses": [machine()["boot_mac_address"]]}


def test_hosts_from_nothing_to_agents(hub: Hub, run_module: Open) -> None:
    """infra_env, discovery_image, bare_metal_hosts, agents, agents_info and hub_plan, each writing, waiting, and
    reading.
    """
    ok(run_module("infra_env", **infra_env()))
    assert ok(run_module("discovery_image", name="rack", namespace=NAMESPACE, timeout=120))["url"]
    ok(run_module("bare_metal_hosts", namespace=NAMESPACE, infra_env_name="rack", hosts=[machine()], timeout=120))
    ok(
        run_module(
            "agents",
            namespace=NAMESPACE,
            hosts=[{**identity(), "by_bare_metal_host": True}],
            wait_for="ready",
            timeout=120,
        )
    )
    ok(run_module("agents", namespace=NAMESPACE, hosts=[{**identity(), "agent_labels": {"site": "a"}}]))
    assert [agent["hostname"] for agent in ok(run_module("agents_info", namespaces=[NAMESPACE]))["agents"]] == ["node"]
    assert len(ok(run_module("agents_info"))["agents"]) == 1
    assert ok(run_module("hub_plan", namespace=NAMESPACE, hosts=[identity()]))["boot_hosts"] == []


def test_a_cluster_and_its_binding(hub: Hub, run_module: Open) -> None:
    requested = {"namespace": NAMESPACE, "cluster": CLUSTER, "hold": True}
    manifests = [
        {
            "name": "extra.yaml",
            "content": ("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: extra, namespace: default}\n"),
        }
    ]
    ok(run_module("agent_cluster_install", **{**requested, "cluster": {**CLUSTER, "extra_manifests": manifests}}))
    ok(run_module("agent_cluster_install", **requested))
    reported = ok(
        run_module(
            "bare_metal_hosts",
            namespace=NAMESPACE,
            infra_env_name="rack",
            hosts=[{**machine(), "cluster": {"name": "edge"}}],
        )
    )
    assert reported["changed"] and not reported["hosts"][0]["waits_for"]
    bound = {**identity(), "by_bare_metal_host": True, "cluster": {"name": "edge"}}
    ok(run_module("agents", namespace=NAMESPACE, hosts=[bound], wait_for="bound", timeout=120))
    assert ok(run_module("hub_plan", namespace=NAMESPACE, hosts=[identity()], cluster={"name": "edge"}))["phase"]


@pytest.fixture
def restored(hub: Hub) -> Iterator[None]:
    yield
    hub.grant(rbac("hub"))
    hub.grant(rbac("cluster"))


SAMPLE = [
    ("Role", "agent-install.openshift.io", "infraenvs", "get", "infra_env"),
    ("Role", "agent-install.openshift.io", "infraenvs", "watch", "discovery_image"),
    ("Role", "agent-install.openshift.io", "nmstateconfigs", "list", "infra_env"),
    ("Role", "agent-install.openshift.io", "agents", "patch", "agents"),
    ("Role", "agent-install.openshift.io", "agents", "watch", "waiting agents"),
    ("ClusterRole", "agent-install.openshift.io", "agents", "list", "agents_info"),
    ("Role", "metal3.io", "baremetalhosts", "list", "bare_metal_hosts"),
    ("Role", "metal3.io", "baremetalhosts", "patch", "bare_metal_hosts"),
    ("Role", "", "secrets", "list", "bare_metal_hosts"),
    ("Role", "hive.openshift.io", "clusterdeployments", "get", "agent_cluster_install"),
    ("Role", "extensions.hive.openshift.io", "agentclusterinstalls", "get", "hub_plan"),
    ("ClusterRole", "hive.openshift.io", "clusterimagesets", "get", "agent_cluster_install"),
    ("ClusterRole", "certificates.k8s.io", "certificatesigningrequests", "list", "node_csrs"),
    ("ClusterRole", "", "nodes", "list", "node_csrs"),
]


@pytest.mark.usefixtures("restored")
@pytest.mark.parametrize(("kind", "group", "resource", "verb", "who"), SAMPLE, ids=lambda value: value)
def test_a_rule_that_is_taken_away_is_named(
    hub: Hub, run_module: Open, kind: str, group: str, resource: str, verb: str, who: str
) -> None:
    host = identity()
    modules: dict[str, Callable[[], dict[str, Any]]] = {
        "infra_env": lambda: run_module("infra_env", **infra_env(wait=False)),
        "discovery_image": lambda: run_module(
            "discovery_image", name="rack", namespace=NAMESPACE, timeout=2, image_cooldown=10**9
        ),
        "agents": lambda: run_module("agents", namespace=NAMESPACE, hosts=[{**host, "agent_labels": {"site": "b"}}]),
        "waiting agents": lambda: run_module(
            "agents", namespace=NAMESPACE, hosts=[host], wait_for="installed", timeout=3
        ),
        "agents_info": lambda: run_module("agents_info"),
        "bare_metal_hosts": lambda: run_module(
            "bare_metal_hosts",
            namespace=NAMESPACE,
            infra_env_name="rack",
            hosts=[{**machine(), "agent_labels": {"x": "y"}}],
        ),
        "agent_cluster_install": lambda: run_module(
            "agent_cluster_install", namespace=NAMESPACE, cluster=CLUSTER, hold=True
        ),
        "hub_plan": lambda: run_module("hub_plan", namespace=NAMESPACE, hosts=[host], cluster={"name": "edge"}),
        "node_csrs": lambda: run_module("node_csrs", hosts=[{"name": "worker-9"}]),
    }
    hub.grant(without(rbac("cluster" if who == "node_csrs" else "hub"), kind, resource, verb))
    rule = f'{{apiGroups: ["{group}"], resources: ["{resource}"], verbs: ["{verb}"]}}'
    for _attempt in range(20):  # the API server learns of changed rules by a watch of its own
        result = modules[who]()
        if result["failed"]:
            break
        time.sleep(0.2)
    assert result["failed"] and "403" in result["msg"] and rule in result["msg"], result["output"]


def certificate_request(node: str) -> str:
    name = x509.Name(
        [
            x509.NameAttribute(x509.NameOID.ORGANIZATION_NAME, "system:nodes"),
            x509.NameAttribute(x509.NameOID.COMMON_NAME, f"system:node:{node}"),
        ]
    )
    made = (
        x509.CertificateSigningRequestBuilder()
        .subject_name(name)
        .sign(ec.generate_private_key(ec.SECP256R1()), hashes.SHA256())
    )
    return base64.b64encode(made.public_bytes(serialization.Encoding.PEM)).decode()


@pytest.mark.usefixtures("restored")
def test_certificates_of_nodes(hub: Hub, run_module: Open) -> None:
    """A kubelet asks with its bootstrap credentials; the user of docs/rbac/cluster.yaml approves, and may not for other
    signers.
    """
    creator = {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole", "metadata": {"name": "bootstrap"}}
    rule = {
        "apiGroups": ["certificates.k8s.io"],
        "resources": ["certificatesigningrequests"],
        "verbs": ["create", "get"],
    }
    binding = {
        **creator,
        "kind": "ClusterRoleBinding",
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "bootstrap"},
    }
    subject = {"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": BOOTSTRAPPER}
    hub.grant(
        {
            "apiVersion": "v1",
            "kind": "List",
            "items": [{**creator, "rules": [rule]}, {**binding, "subjects": [subject]}],
        }
    )
    signer = {
        "signerName": "kubernetes.io/kube-apiserver-client-kubelet",
        "usages": ["digital signature", "client auth"],
    }
    request = {
        "apiVersion": "certificates.k8s.io/v1",
        "kind": "CertificateSigningRequest",
        "metadata": {"name": "csr-worker-9"},
    }
    groups = [word for group in GROUPS for word in ("--as-group", group)]
    document = {**request, "spec": {**signer, "request": certificate_request("worker-9")}}
    hub.kubectl("create", "--as", BOOTSTRAPPER, *groups, "--validate=false", "--filename", "-", provided=document)
    # The API server's admission refuses an approval by a user who may not approve for this signer.
    hub.grant(without(rbac("cluster"), "ClusterRole", "signers", "approve"))
    time.sleep(1)
    refused = run_module("node_csrs", hosts=[{"name": "worker-9"}])
    assert refused["failed"] and "kubernetes.io/kube-apiserver-client-kubelet" in refused["msg"], refused["output"]
    hub.grant(rbac("cluster"))
    time.sleep(1)
    approved = ok(run_module("node_csrs", hosts=[{"name": "worker-9"}]))
    assert approved["changed"]
    assert '"Approved"' in hub.kubectl("get", "csr", "csr-worker-9", "-o", "json")
    assert not ok(run_module("node_csrs", hosts=[{"name": "worker-9"}]))["changed"]


def test_and_away_again(hub: Hub, run_module: Open) -> None:
    """Deletion, with all that is waited for."""
    ok(
        run_module(
            "bare_metal_hosts", namespace=NAMESPACE, infra_env_name="rack", hosts=[{**machine(), "unbind": True}]
        )
    )
    leaving = {**identity(), "unbind": True, "by_bare_metal_host": True}
    ok(run_module("agents", namespace=NAMESPACE, hosts=[leaving], wait_for="unbound", timeout=120))
    ok(run_module("bare_metal_hosts", namespace=NAMESPACE, state="absent", hosts=[{"name": "node"}], timeout=120))
    ok(run_module("agents", namespace=NAMESPACE, hosts=[{**identity(), "state": "absent"}]))
    ok(run_module("agent_cluster_install", namespace=NAMESPACE, name="edge", state="absent"))
    ok(run_module("infra_env", name="rack", namespace=NAMESPACE, state="absent", timeout=120))
