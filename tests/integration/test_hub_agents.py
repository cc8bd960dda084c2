# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test modules agents and agents_info and the inventory plugin against the lab's hub: machines boot its discovery image
and register, and the lab's operator reconciles the Agents.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from ansible_collections.zerotouch.openshift.plugins.module_utils.hub.kinds import (
    AGENT_CLUSTER_INSTALL,
    CLUSTER_DEPLOYMENT,
    CLUSTER_IMAGE_SET,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.kube.connection import connect

from .canaries import PULL_SECRET
from .conftest import MakeLab, canary_site
from .lab import BIN, ROOT, Deployment, Lab

NAMESPACE = "fleet"
MACS = {
    "master-0": "52:54:00:de:00:20",
    "master-1": "52:54:00:de:00:21",
    "worker-0": "52:54:00:de:00:30",
    "worker-1": "52:54:00:de:00:31",
}

Open = Callable[..., dict[str, Any]]


@pytest.fixture(scope="module")
def lab(make_lab: MakeLab, tmp_path_factory: pytest.TempPathFactory) -> Lab:
    """The machines of the demo beside a hub; three of them have booted the image of InfraEnv ``fleet``."""
    directory = tmp_path_factory.mktemp("agents")
    site = canary_site("demo", directory)
    document = yaml.safe_load(site.read_text())
    document["networks"][0]["dhcp"] = {"range": ["192.168.111.100", "192.168.111.200"]}
    for machine in document["machines"]:
        machine["nics"] = [{"name": nic["name"], "mac": nic["mac"], "network": "machines"} for nic in machine["nics"]]
    document["hub"] = {"address": "10.0.0.5", "base_domain": "hub.example.com"}
    site.write_text(yaml.safe_dump(document))
    lab = make_lab(directory, site)
    made = opener(lab, directory)(
        "infra_env",
        name="fleet",
        namespace=NAMESPACE,
        pull_secret=PULL_SECRET,
        timeout=60,
        ntp_sources=["192.168.111.1"],
    )
    for machine in ("master-0", "master-1", "worker-0"):
        lab.boot(machine, made["iso_url"])
    return lab


def opener(lab: Lab, directory: Path) -> Open:
    user = Deployment(lab, directory / "none", directory)
    hub = {"kubeconfig": lab.vars["openshift_hub"]["kubeconfig"], "connect_to": lab.vars["openshift_connect_to"]}

    def call_module(module: str, /, **arguments: Any) -> dict[str, Any]:
        run = user.module(module, {**hub, **arguments})
        start = re.search(r"^localhost \| .*?=> (?=\{)", run.output, re.MULTILINE)
        assert start, run.output
        result: dict[str, Any] = json.JSONDecoder().raw_decode(run.output[start.end() :])[0]
        return result | {"failed": not run.ok}

    return call_module


@pytest.fixture
def run_module(lab: Lab, tmp_path: Path) -> Iterator[Open]:
    """Open a module; whether it failed is in the result."""
    yield opener(lab, tmp_path)
    lab.clear_faults()


def host(name: str, **more: Any) -> dict[str, Any]:
    return {"name": name, "mac_addresses": [MACS[name].upper()], **more}


def ok(result: dict[str, Any]) -> dict[str, Any]:
    assert not result["failed"], result
    return result


WANTED = [
    host(
        "master-0",
        hostname="master-0.example.com",
        role="master",
        root_device_hints={"deviceName": "/dev/sda"},
        agent_labels={"rack": "r1"},
    ),
    host("master-1", hostname="master-1.example.com", role="master", agent_labels={"rack": "r2"}),
    host(
        "worker-0",
        hostname="worker-0.example.com",
        role="worker",
        root_device_hints={"rotational": False, "minSizeGigabytes": 400},
    ),
]


def test_recognised_approved_named_and_left_alone_the_second_time(run_module: Open) -> None:
    first = ok(
        run_module(
            "agents",
            namespace=NAMESPACE,
            infra_env_name="fleet",
            hosts=WANTED,
            wait_for="ready",
            timeout=120,
            unexpected="ignore",
        )
    )
    assert {
        entry["name"]: (entry["hostname"], entry["role"], entry["state"], entry["approved"]) for entry in first["hosts"]
    } == {entry["name"]: (entry["hostname"], entry["role"], "known-unbound", True) for entry in WANTED}
    again = ok(
        run_module(
            "agents",
            namespace=NAMESPACE,
            infra_env_name="fleet",
            hosts=WANTED,
            wait_for="ready",
            timeout=60,
            unexpected="ignore",
        )
    )
    assert not again["changed"] and set(again["api_calls"]) == {"list", "watch"} and again["api_calls"]["list"] == 1
    found = {agent["hostname"]: agent for agent in ok(run_module("agents_info", namespaces=[NAMESPACE]))["agents"]}
    assert found["worker-0.example.com"]["installation_disk_id"] == next(
        disk["id"] for disk in found["worker-0.example.com"]["inventory"]["disks"] if disk["path"] == "/dev/nvme0n1"
    )
    assert (
        found["master-0.example.com"]["labels"]["rack"] == "r1"
        and found["master-0.example.com"]["conditions"]["Bound"]["reason"] == "Unbound"
    )


def test_check_mode_asks_the_server(run_module: Open, lab: Lab, tmp_path: Path) -> None:
    play = [
        {
            "hosts": "localhost",
            "connection": "local",
            "gather_facts": False,
            "vars": {"ansible_python_interpreter": "{{ ansible_playbook_python }}"},
            "tasks": [
                {
                    "zerotouch.openshift.agents": {
                        "kubeconfig": lab.vars["openshift_hub"]["kubeconfig"],
                        "connect_to": lab.vars["openshift_connect_to"],
                        "namespace": NAMESPACE,
                        "hosts": [host("master-0", agent_labels={"predicted": "yes"})],
                        "unexpected": "ignore",
                    }
                }
            ],
        }
    ]
    path = tmp_path / "play.yml"
    path.write_text(yaml.safe_dump(play))
    environment = {**os.environ, "ANSIBLE_COLLECTIONS_PATH": str(ROOT / ".build"), "ANSIBLE_NOCOLOR": "1"}
    command = [str(BIN / "ansible-playbook"), "-i", "localhost,", str(path), "--check", "--diff"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, cwd=tmp_path, check=False)
    assert done.returncode == 0 and re.search(r'\+\s+"predicted": "yes"', done.stdout), done.stdout
    assert not ok(run_module("agents_info", label_selector="predicted=yes"))["agents"]


def test_an_unexpected_agent(run_module: Open, lab: Lab) -> None:
    image = ok(
        run_module("discovery_image", name="fleet", namespace=NAMESPACE, image_ca_cert=lab.vars["openshift_ca_cert"])
    )["url"]
    lab.boot("worker-1", image)
    seen = ok(
        run_module(
            "agents",
            namespace=NAMESPACE,
            hosts=[host("worker-1", approved=False)],
            wait_for="registered",
            timeout=120,
            unexpected="ignore",
        )
    )
    assert not seen["hosts"][0]["approved"]
    stranger = ok(run_module("agents", namespace=NAMESPACE, hosts=WANTED))
    assert [each["macs"] for each in stranger["unexpected"]] == [[MACS["worker-1"]]] and not stranger["changed"]
    stopped = run_module(
        "agents", namespace=NAMESPACE, hosts=[{**WANTED[0], "agent_labels": {"rack": "moved"}}], unexpected="fail"
    )
    assert stopped["failed"] and not stopped["changed"] and MACS["worker-1"] in stopped["msg"]
    approved = ok(run_module("agents", namespace=NAMESPACE, hosts=WANTED, unexpected="approve"))
    assert len(approved["approved"]) == 1
    assert all(agent["approved"] for agent in ok(run_module("agents_info", namespaces=[NAMESPACE]))["agents"])


def test_what_is_wrong_is_reported_of_each(run_module: Open) -> None:
    wrong = [
        {**WANTED[0], "root_device_hints": {"deviceName": "/dev/sdz"}},
        {"name": "unknown", "mac_addresses": ["52:54:00:ff:ff:ff"]},
        host("worker-0", cluster={"name": "nowhere"}),
    ]
    result = run_module("agents", namespace=NAMESPACE, hosts=wrong, unexpected="ignore")
    reasons = {entry["name"]: entry["reason"] for entry in result["hosts"]}
    assert result["failed"] and not result["changed"]
    assert 'no disk fits root_device_hints {"deviceName": "/dev/sdz"}: /dev/sda' in reasons["master-0"]
    assert reasons["unknown"] == "no Agent has MAC 52:54:00:ff:ff:ff"
    assert reasons["worker-0"] == f"it cannot be bound: there is no ClusterDeployment {NAMESPACE}/nowhere"


TROUBLE: tuple[tuple[str, dict[str, Any]], ...] = (
    ("api-409", {"count": 4, "method": "PATCH"}),
    ("api-429", {"count": 4}),
    ("api-500", {"count": 3}),
    ("api-410", {"count": 2}),
    ("hub-compacts", {}),
    ("agent-deleted", {}),
    ("hub-clock", {"count": 0, "seconds": -3600}),
)


def test_trouble_on_the_hub_is_outlasted(run_module: Open, lab: Lab) -> None:
    for kind, options in TROUBLE:
        lab.fault(kind, **options)
        labelled = [{**each, "agent_labels": {"trouble": kind}} for each in WANTED]
        result = ok(
            run_module(
                "agents", namespace=NAMESPACE, hosts=labelled, wait_for="ready", timeout=120, unexpected="ignore"
            )
        )
        assert all(entry["changed"] for entry in result["hosts"]), kind
        lab.clear_faults()
    assert not ok(run_module("agents", namespace=NAMESPACE, hosts=labelled, unexpected="ignore"))["changed"]


def test_no_more_than_the_cluster_needs(run_module: Open, lab: Lab) -> None:
    order_cluster(lab)
    cluster = {"name": "small"}
    both = [{**each, "cluster": cluster} for each in WANTED[:2]]
    many = run_module("agents", namespace=NAMESPACE, hosts=both, unexpected="ignore")
    assert many["failed"] and not many["changed"]
    assert (
        "cluster fleet/small needs exactly 1 master Agent; it has no Agents and is to get 2 master Agents more"
        in many["msg"]
    )
    bound = ok(
        run_module("agents", namespace=NAMESPACE, hosts=both[:1], wait_for="bound", timeout=120, unexpected="ignore")
    )
    assert bound["changed"] and [
        agent["hostname"] for agent in ok(run_module("agents_info", cluster_name="fleet/small"))["agents"]
    ] == ["master-0.example.com"]
    one_more = run_module("agents", namespace=NAMESPACE, hosts=both, unexpected="ignore")
    assert [entry["failed"] for entry in one_more["hosts"]] == [False, True] and not one_more["changed"]
    swapped = [{**WANTED[0], "unbind": True}, both[1]]
    freed = ok(
        run_module(
            "agents", namespace=NAMESPACE, hosts=swapped[:1], wait_for="unbound", timeout=120, unexpected="ignore"
        )
    )
    assert freed["changed"]
    assert not ok(run_module("agents", namespace=NAMESPACE, hosts=swapped[:1], unexpected="ignore"))["changed"]
    ok(
        run_module(
            "agents", namespace=NAMESPACE, hosts=swapped, wait_for="registered", timeout=120, unexpected="ignore"
        )
    )
    assert [agent["hostname"] for agent in ok(run_module("agents_info", cluster_name="small"))["agents"]] == [
        "master-1.example.com"
    ]


def order_cluster(lab: Lab) -> None:
    """A single-node cluster that is on hold, as another tool created it."""
    client = connect(
        {"kubeconfig": lab.vars["openshift_hub"]["kubeconfig"], "connect_to": lab.vars["openshift_connect_to"]}
    )
    reference = {
        "group": AGENT_CLUSTER_INSTALL.group,
        "version": AGENT_CLUSTER_INSTALL.version,
        "kind": AGENT_CLUSTER_INSTALL.kind,
        "name": "small",
    }
    deployment = {
        "baseDomain": "example.com",
        "clusterName": "small",
        "platform": {"agentBareMetal": {"agentSelector": {}}},
        "pullSecretRef": {"name": "fleet-pull-secret"},
        "clusterInstallRef": reference,
    }
    install = {
        "clusterDeploymentRef": {"name": "small"},
        "imageSetRef": {"name": "small"},
        "holdInstallation": True,
        "provisionRequirements": {"controlPlaneAgents": 1},
        "networking": {
            "clusterNetwork": [{"cidr": "10.128.0.0/14", "hostPrefix": 23}],
            "serviceNetwork": ["172.30.0.0/16"],
            "machineNetwork": [{"cidr": "192.168.111.0/24"}],
        },
    }
    release = {"releaseImage": "quay.io/openshift-release-dev/ocp-release:4.22.0-x86_64"}
    for kind, spec in (
        (CLUSTER_IMAGE_SET, release),
        (CLUSTER_DEPLOYMENT, deployment),
        (AGENT_CLUSTER_INSTALL, install),
    ):
        namespace = {"namespace": NAMESPACE} if kind.namespaced else {}
        body = {
            "apiVersion": kind.api_version,
            "kind": kind.kind,
            "metadata": {"name": "small", **namespace},
            "spec": spec,
        }
        client.create(kind.path(NAMESPACE), body)


def test_a_permission_that_is_missing(run_module: Open, lab: Lab) -> None:
    lab.fault("api-403", method="PATCH", resource="agents", count=1)
    labelled = [{**each, "agent_labels": {"allowed": "in-part"}} for each in WANTED]
    part = run_module("agents", namespace=NAMESPACE, hosts=labelled, unexpected="ignore")
    assert part["failed"] and part["changed"]
    assert sorted((entry["changed"], entry["failed"]) for entry in part["hosts"]) == [
        (False, True),
        (True, False),
        (True, False),
    ]
    assert 'resources: ["agents"], verbs: ["patch"]' in part["msg"]
    lab.clear_faults()
    rerun = ok(run_module("agents", namespace=NAMESPACE, hosts=labelled, unexpected="ignore"))
    assert sum(entry["changed"] for entry in rerun["hosts"]) == 1


def test_deleted_and_back(run_module: Open) -> None:
    """A machine that goes on running the discovery image registers again, unapproved; the same task makes it what it
    was.
    """
    gone = ok(run_module("agents", namespace=NAMESPACE, hosts=[host("master-1", state="absent")], unexpected="ignore"))
    assert gone["changed"]
    back = ok(
        run_module("agents", namespace=NAMESPACE, hosts=WANTED, wait_for="ready", timeout=120, unexpected="ignore")
    )
    assert [entry["changed"] for entry in back["hosts"]] == [False, True, False] and back["hosts"][1]["approved"]


def test_as_an_inventory(lab: Lab, tmp_path: Path) -> None:
    config = {
        "plugin": "zerotouch.openshift.agents",
        "namespaces": [NAMESPACE],
        "connect_to": lab.vars["openshift_connect_to"],
        "label_groups": ["rack"],
        "groups": {"fast": "agent_inventory.disks | selectattr('driveType', 'eq', 'HDD') | list | length == 0"},
    }
    path = tmp_path / "lab.agents.yml"
    path.write_text(yaml.safe_dump(config))
    inherited = {key: value for key, value in os.environ.items() if not key.startswith(("K8S_AUTH", "ANSIBLE"))}
    own = {
        "ANSIBLE_COLLECTIONS_PATH": str(ROOT / ".build"),
        "K8S_AUTH_KUBECONFIG": lab.vars["openshift_hub"]["kubeconfig"],
    }
    command = [str(BIN / "ansible-inventory"), "-i", str(path), "--list"]
    done = subprocess.run(
        command,
        env=inherited | own,
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        cwd=tmp_path,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    named = {entry["hostname"] for entry in WANTED}
    assert named <= set(found["agents"]["hosts"]) and set(found["agents_role_master"]["hosts"]) == {
        "master-0.example.com",
        "master-1.example.com",
    }
    assert "worker-0.example.com" not in found["fast"]["hosts"] and "agents_state_known_unbound" in found
