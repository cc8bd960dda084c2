# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test saving the credentials of an installed cluster: the ingress CA is added once and first, the direct kubeconfig
follows the connection mapping, and no file content appears in output.
"""

from __future__ import annotations

import base64

import pytest
import yaml
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.connect import ConnectTo
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.errors import ZeroTouchError
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.credentials import (
    Console,
    apply_file,
    certificates,
    find_console,
    plan_direct,
    plan_hand_over,
    plan_kubeconfig,
    read_ingress_ca,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.state.work_dir import WorkDir
from ansible_collections.zerotouch.openshift.plugins.module_utils.kube.client import KubeClient
from ansible_collections.zerotouch.openshift.tests.support.clock import Clock


def authorities(path):
    data = yaml.safe_load(path.read_text())["clusters"][0]["cluster"]["certificate-authority-data"]
    return certificates(base64.b64decode(data).decode())


@pytest.fixture
def client(stage):
    stage.build()
    stage.installed()
    return KubeClient.from_kubeconfig(WorkDir(stage.root).kubeconfig, connect_to=ConnectTo.of(stage.connect_to))


def test_the_ingress_ca_comes_first_and_only_once(stage):
    stage.build()
    path = stage.root / "auth" / "kubeconfig"
    ingress = stage.kube.Authority("ingress").pem
    plan = plan_kubeconfig(path, "# a comment\n" + ingress)
    assert plan.reason
    apply_file(plan)
    assert authorities(path) == [ingress.strip(), stage.authority.pem.strip()]
    assert path.stat().st_mode & 0o777 == 0o600
    again = plan_kubeconfig(path, ingress)
    assert again.reason == ""
    before = path.stat().st_mtime_ns
    apply_file(again)
    assert path.stat().st_mtime_ns == before


def test_a_renewed_ingress_ca_is_added(stage):
    stage.build()
    path = stage.root / "auth" / "kubeconfig"
    old, new = stage.kube.Authority("ingress").pem, stage.kube.Authority("ingress").pem
    apply_file(plan_kubeconfig(path, old))
    apply_file(plan_kubeconfig(path, old + new))
    assert authorities(path) == [new.strip(), old.strip(), stage.authority.pem.strip()]


@pytest.mark.parametrize(
    ("mapping", "server"),
    [
        ({"api.demo.example.com:6443": "127.0.9.1:16443"}, "https://127.0.9.1:16443"),
        ({"api.demo.example.com": "127.0.9.1"}, "https://127.0.9.1:6443"),
        ({"*.example.com:6443": "[::1]:7"}, "https://[::1]:7"),
        ({"other.example.com": "127.0.9.1"}, None),
        ({}, None),
    ],
)
def test_the_direct_kubeconfig_follows_the_mapping(stage, mapping, server):
    stage.build()
    work_dir = WorkDir(stage.root)
    plan = plan_direct(plan_kubeconfig(work_dir.kubeconfig, ""), work_dir.kubeconfig_direct, ConnectTo.of(mapping))
    apply_file(plan)
    if server is None:
        assert not work_dir.kubeconfig_direct.exists()
        return
    cluster = yaml.safe_load(work_dir.kubeconfig_direct.read_text())["clusters"][0]["cluster"]
    assert (cluster["server"], cluster["tls-server-name"]) == (server, "api.demo.example.com")
    assert (
        plan_direct(plan_kubeconfig(work_dir.kubeconfig, ""), work_dir.kubeconfig_direct, ConnectTo.of(mapping)).reason
        == ""
    )
    gone = plan_direct(plan_kubeconfig(work_dir.kubeconfig, ""), work_dir.kubeconfig_direct, ConnectTo.of({}))
    apply_file(gone)
    assert gone.reason and not work_dir.kubeconfig_direct.exists()


def test_the_direct_kubeconfig_works_without_any_mapping(stage):
    stage.build()
    stage.installed()
    work_dir = WorkDir(stage.root)
    apply_file(
        plan_direct(
            plan_kubeconfig(work_dir.kubeconfig, ""), work_dir.kubeconfig_direct, ConnectTo.of(stage.connect_to)
        )
    )
    assert KubeClient.from_kubeconfig(work_dir.kubeconfig_direct).get("/version")["gitVersion"] == "v1.35.2"


def test_no_ingress_ca_yet(stage, client):
    del stage.api.routes["GET", "/api/v1/namespaces/openshift-config-managed/configmaps/default-ingress-cert"]
    with pytest.raises(ZeroTouchError, match="default-ingress-cert"):
        read_ingress_ca(client)


CONSOLE = ("GET", "/apis/route.openshift.io/v1/namespaces/openshift-console/routes/console")


def test_the_console(client):
    assert find_console(client, Clock()) == Console("https://console-openshift-console.apps.demo.example.com")


def test_no_console_ends_the_wait_at_once(stage, client):
    del stage.api.routes[CONSOLE]
    clock = Clock()
    assert "no console" in find_console(client, clock).warning
    assert clock.time == 0


def test_a_console_that_is_admitted_later(stage, client):
    admitted = stage.api.routes[CONSOLE]
    waiting = (200, {"spec": {"host": "x"}, "status": {"ingress": [{"host": "x", "conditions": []}]}})
    stage.api.routes[CONSOLE] = [waiting, stage.api.status(503, "busy", ""), admitted]
    clock = Clock()
    assert find_console(client, clock).url == "https://console-openshift-console.apps.demo.example.com"
    assert clock.time == 4


def test_a_console_that_is_never_admitted_is_a_warning(stage, client):
    stage.api.routes[CONSOLE] = (200, {"spec": {"host": "x"}})
    clock = Clock()
    console = find_console(client, clock)
    assert (console.url, clock.time) == ("", 120) and "not admitted" in console.warning


def test_hand_over_in_check_mode_predicts_and_without_it_says_why_not(stage):
    stage.configure()
    work_dir = WorkDir(stage.root)
    plan = plan_hand_over(work_dir, Clock(), connect_to=ConnectTo.of(stage.connect_to), check_mode=True)
    assert plan.changed and plan.as_result()["console_url"] == "https://console-openshift-console.apps.demo.example.com"
    with pytest.raises(ZeroTouchError, match=r"auth/kubeconfig does not exist"):
        plan_hand_over(work_dir, Clock(), connect_to=ConnectTo.of(stage.connect_to))


def test_the_nodes_of_this_moment_are_recorded_and_are_no_change(stage):
    stage.build()
    nodes = stage.installed().routes[("GET", "/api/v1/nodes")][1]["items"]
    nodes[0]["metadata"]["labels"] = {"node-role.kubernetes.io/master": "", "node-role.kubernetes.io/control-plane": ""}
    work_dir, connect_to = WorkDir(stage.root), ConnectTo.of(stage.connect_to)
    plan_hand_over(work_dir, Clock(), connect_to=connect_to).apply()
    assert work_dir.state.section("install")["nodes"] == [
        {"name": "node-0", "ready": True, "roles": ["control-plane", "master"]},
        {"name": "node-1", "ready": True, "roles": []},
    ]
    nodes[1]["metadata"]["labels"] = {"node-role.kubernetes.io/worker": ""}
    again = plan_hand_over(work_dir, Clock(), connect_to=connect_to)
    again.apply()
    assert not again.changed
    assert work_dir.state.section("install")["nodes"][1]["roles"] == ["worker"]


def test_a_kubeconfig_that_is_broken(stage):
    stage.build()
    path = stage.root / "auth" / "kubeconfig"
    path.write_text(
        path.read_text().replace("certificate-authority-data: ", "certificate-authority-data: gA==\n    x: ")
    )
    with pytest.raises(ZeroTouchError, match="not base64"):
        plan_kubeconfig(path, stage.kube.Authority("ingress").pem)
