# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test the objects that role capi_provider renders. The controller gets access to the namespaces of its Machines and
Agents only, missing permissions of upstream's roles are added, and CRDs are changed only on request.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from ansible.parsing.dataloader import DataLoader
from ansible.template import Templar
from ansible_collections.zerotouch.openshift.plugins.module_utils.capi.extend_crds import extend_crd
from ansible_collections.zerotouch.openshift.tests.support.ansible_core import trust_as_template

ROOT = Path(__file__).parents[3]
ROLE = ROOT / "roles" / "capi_provider"
PROVIDED = {
    "capi_provider_watch_namespace": "clusters-demo",
    "capi_provider_agents": "fleet",
    "capi_provider_image": "quay.io/example/provider:1",
    "capi_provider_by_clusterctl": False,
    "capi_provider_extend_crds": False,
}
GROUP = "capi-provider.agent-install.openshift.io"


def crd(kind: str) -> dict[str, Any]:
    schema = {
        "type": "object",
        "properties": {
            "spec": {"type": "object"},
            "status": {"type": "object", "properties": {"ready": {"type": "boolean"}}},
        },
    }
    versions = [
        {"name": name, "served": True, "schema": {"openAPIV3Schema": schema}} for name in ("v1alpha1", "v1beta1")
    ]
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {
            "name": f"{kind.lower()}s.{GROUP}",
            "labels": {"cluster.x-k8s.io/v1beta1": "v1alpha1", "more": "yes"},
        },
        "spec": {"group": GROUP, "names": {"kind": kind}, "versions": versions},
    }


def rendered(template: str, **variables: Any) -> list[dict[str, Any]]:
    text = (ROLE / "templates" / template).read_text()
    templar = Templar(loader=DataLoader(), variables={**PROVIDED, **variables})
    return [document for document in yaml.safe_load_all(str(templar.template(trust_as_template(text)))) if document]


def rules(documents: list[dict[str, Any]], kind: str, namespace: str = "") -> dict[tuple[str, str], set[str]]:
    """Verbs by (group, resource) of all roles of the kind in the namespace."""
    found: dict[tuple[str, str], set[str]] = {}
    for document in documents:
        if document["kind"] == kind and document["metadata"].get("namespace", "") == namespace:
            for rule in document["rules"]:
                found |= {
                    (group, resource): set(rule["verbs"])
                    for group in rule["apiGroups"]
                    for resource in rule["resources"]
                }
    return found


def test_the_controller_works_in_two_namespaces_and_has_no_rights_elsewhere() -> None:
    documents = rendered("provider.yml.j2")
    assert {document["metadata"]["namespace"] for document in documents} == {"clusters-demo", "fleet"}
    assert not [document for document in documents if document["kind"].startswith("Cluster")]
    (deployment,) = [document for document in documents if document["kind"] == "Deployment"]
    (container,) = deployment["spec"]["template"]["spec"]["containers"]
    assert (container["name"], container["image"]) == ("manager", "quay.io/example/provider:1")
    assert {each["name"]: each["value"] for each in container["env"]} == {
        "WATCH_NAMESPACE": "clusters-demo",
        "AGENTS_NAMESPACE": "fleet",
    }
    assert {"--namespace=$(WATCH_NAMESPACE)", "--agent-namespace=$(AGENTS_NAMESPACE)"} <= set(container["args"])
    assert (
        deployment["spec"]["selector"]["matchLabels"].items()
        <= deployment["spec"]["template"]["metadata"]["labels"].items()
    )


def test_gaps_of_upstreams_roles_are_filled() -> None:
    documents = rendered("provider.yml.j2")
    watched = rules(documents, "Role", "clusters-demo")
    assert "update" in watched["cluster.x-k8s.io", "machines"], "the hook annotation"
    assert {"create", "update"} <= watched["coordination.k8s.io", "leases"], "leader election"
    assert rules(documents, "Role", "fleet") == {
        ("agent-install.openshift.io", "agents"): {"get", "list", "patch", "update", "watch"}
    }
    subjects = [
        subject for document in documents if document["kind"] == "RoleBinding" for subject in document["subjects"]
    ]
    assert {(subject["name"], subject["namespace"]) for subject in subjects} == {("capi-provider", "clusters-demo")}


@pytest.mark.parametrize("by_clusterctl", [False, True])
def test_rights_beside_upstreams_components(*, by_clusterctl: bool) -> None:
    documents = rendered("rights.yml.j2", capi_provider_by_clusterctl=by_clusterctl)
    (aggregated,) = [document for document in documents if document["metadata"].get("labels")]
    assert aggregated["metadata"]["labels"] == {"cluster.x-k8s.io/aggregate-to-manager": "true"}
    assert {resource for rule in aggregated["rules"] for resource in rule["resources"]} >= {
        "agentclusters",
        "agentmachines",
        "agentmachinetemplates",
    }
    machines = rules(documents, "ClusterRole").get(("cluster.x-k8s.io", "machines"), set())
    assert machines == ({"patch", "update"} if by_clusterctl else set())


def rendered_by_a_play(folder: Path, template: str, **variables: Any) -> list[dict[str, Any]]:
    """As :func:`rendered`, in a run of Ansible: in the test process, it does not find the collection's filters."""
    task = {
        "ansible.builtin.template": {"src": str(ROLE / "templates" / template), "dest": str(folder / "rendered.yml")}
    }
    play = {"hosts": "localhost", "connection": "local", "gather_facts": False, "tasks": [task]}
    play["vars"] = {**PROVIDED, **variables, "ansible_python_interpreter": sys.executable}
    (folder / "play.yml").write_text(yaml.safe_dump([play]))
    (folder / "ansible.cfg").touch()
    environment = {
        **os.environ,
        "ANSIBLE_COLLECTIONS_PATH": str(ROOT / ".build"),
        "ANSIBLE_CONFIG": str(folder / "ansible.cfg"),
    }
    environment |= {"ANSIBLE_LOCAL_TEMP": str(folder / "tmp"), "ANSIBLE_REMOTE_TEMP": str(folder / "remote")}
    arguments = [sys.executable, "-m", "ansible", "playbook", "-i", "localhost,", str(folder / "play.yml")]
    done = subprocess.run(arguments, env=environment, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return list(yaml.safe_load_all((folder / "rendered.yml").read_text()))


@pytest.mark.slow
def test_upstreams_kinds_stay_as_they_are_unless_asked_for(tmp_path: Path) -> None:
    provided = [crd("AgentCluster"), crd("AgentMachine"), crd("AgentMachineTemplate")]
    plain = rendered_by_a_play(tmp_path, "crds.yml.j2", capi_provider_crds=provided)
    assert [document["spec"] for document in plain] == [document["spec"] for document in provided]
    labels = {"cluster.x-k8s.io/provider": "infrastructure-agent", "cluster.x-k8s.io/v1beta1": "v1beta1", "more": "yes"}
    assert [document["metadata"]["labels"] for document in plain] == [labels] * 3


@pytest.mark.slow
def test_extended_as_the_package_does_it(tmp_path: Path) -> None:
    provided = [crd("AgentCluster"), crd("AgentMachine"), crd("AgentMachineTemplate")]
    documents = rendered_by_a_play(tmp_path, "crds.yml.j2", capi_provider_crds=provided, capi_provider_extend_crds=True)
    for document, definition in zip(documents, provided, strict=True):
        wanted = extend_crd(definition)
        labels = {**wanted["metadata"]["labels"], "cluster.x-k8s.io/provider": "infrastructure-agent"}
        assert document == {**wanted, "metadata": {**wanted["metadata"], "labels": labels}}
