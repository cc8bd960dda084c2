# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test the Kubernetes client against a real HTTPS server: names, certificates, error messages of Kubernetes, lists in
pages, and watches.
"""

from __future__ import annotations

import json
import os
from urllib.parse import parse_qs

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.connect import ConnectTo
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.errors import (
    RemoteError,
    Unreachable,
    ZeroTouchError,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.kube.client import KubeClient
from ansible_collections.zerotouch.openshift.plugins.module_utils.kube.faults import UnknownKindError
from ansible_collections.zerotouch.openshift.plugins.module_utils.kube.paths import CLUSTER_VERSION, CONFIG_MAP, NODE
from ansible_collections.zerotouch.openshift.tests.support.clock import Clock

NAME = "api.demo.example.com:6443"


def mapped(server, name=NAME):
    return ConnectTo.parse({name: f"127.0.0.1:{server.port}"})[0]


@pytest.fixture
def client(api, kubeconfig):
    connection = KubeClient.from_kubeconfig(kubeconfig, connect_to=mapped(api), timeout=5)
    yield connection
    connection.close()


def test_name_certificate_and_client_certificate_hold_through_a_mapping(api, client):
    api.routes["GET", "/version"] = (200, {"gitVersion": "v1.35.2"})
    assert client.get("/version") == {"gitVersion": "v1.35.2"}
    assert api.requests[0]["user"] == "system:admin"
    assert api.requests[0]["headers"]["Host"] == NAME


def test_no_secret_stays_on_disk(api, kubeconfig, tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "t"))
    (tmp_path / "t").mkdir()
    KubeClient.from_kubeconfig(kubeconfig, connect_to=mapped(api))
    assert os.listdir(tmp_path / "t") == []


def test_kubernetes_own_words(api, client):
    api.routes["GET", "/api/v1/nodes/x"] = api.status(403, 'nodes "x" is forbidden', "Forbidden")
    with pytest.raises(RemoteError) as caught:
        client.get(NODE.path(name="x"))
    assert (caught.value.status, caught.value.code, caught.value.detail) == (403, "Forbidden", 'nodes "x" is forbidden')


@pytest.mark.parametrize("body", [b"<html>gateway</html>", b"[1]"])
def test_an_answer_that_is_no_kubernetes(api, client, body):
    api.routes["GET", "/version"] = (200, body)
    with pytest.raises(RemoteError, match="not a JSON object"):
        client.get("/version")


@pytest.mark.parametrize(
    "answer",
    [
        (404, "404 page not found"),
        (
            404,
            {
                "kind": "Status",
                "message": "the server could not find the requested resource",
                "reason": "NotFound",
                "code": 404,
            },
        ),
    ],
)
def test_a_kind_that_is_not_there_is_no_object_that_is_not_there(api, client, answer):
    path = "/apis/agent-install.openshift.io/v1beta1/namespaces/a/agents"
    api.routes["GET", f"{path}/x"] = api.routes["GET", path] = answer
    for ask in (lambda: client.find(f"{path}/x"), lambda: client.list(path)):
        with pytest.raises(
            UnknownKindError,
            match=(
                r"It has no agents \(agent-install\.openshift\.io\)\. Check that this is the right cluster, and "
                r"that the operator"
            ),
        ):
            ask()
    assert client.find("/apis/agent-install.openshift.io/v1beta1/namespaces/a/agents/y") is None


def test_an_error_without_a_status_object(api, client):
    api.routes["GET", "/version"] = (502, b"bad gateway")
    with pytest.raises(RemoteError, match="502: bad gateway"):
        client.get("/version")


def test_find_and_delete_take_absence_for_an_answer(api, client):
    path = CONFIG_MAP.path("kube-system", "bootstrap")
    assert client.find(path) is None
    assert client.delete(path) is False
    api.routes["DELETE", path] = (200, {"kind": "Status", "status": "Success"})
    assert client.delete(path, propagation="Foreground") is True
    assert json.loads(api.requests[-1]["body"])["propagationPolicy"] == "Foreground"


def test_a_deletion_that_is_tried_says_so_in_its_body(api, client):
    """An API server looks at the query of a deletion only if there is no body: with both, a dry run would delete."""
    path = CONFIG_MAP.path("n", "x")
    api.routes["DELETE", path] = (200, {"kind": "Status", "status": "Success"})
    assert client.delete(path, uid="u", dry_run=True)
    body = json.loads(api.requests[-1]["body"])
    assert (body["dryRun"], body["preconditions"], api.requests[-1]["query"]) == (["All"], {"uid": "u"}, "")
    client.delete(path)
    assert "dryRun" not in json.loads(api.requests[-1]["body"])


def test_create_and_merge_patch(api, client):
    api.routes["POST", "/api/v1/namespaces/n/configmaps"] = (201, {"kind": "ConfigMap"})
    api.routes["PATCH", "/api/v1/nodes/x"] = (200, {"kind": "Node"})
    client.create(CONFIG_MAP.path("n"), {"data": {}}, dryRun="All")
    assert (api.requests[0]["query"], json.loads(api.requests[0]["body"])) == ("dryRun=All", {"data": {}})
    client.merge_patch(NODE.path(name="x"), {"spec": {"unschedulable": None}})
    assert api.requests[1]["headers"]["Content-Type"] == "application/merge-patch+json"
    assert json.loads(api.requests[1]["body"]) == {"spec": {"unschedulable": None}}


def test_a_list_is_read_in_pages_and_items_know_their_kind(api, client):
    def page(names, token):
        items = [{"metadata": {"name": name}} for name in names]
        return 200, {"kind": "NodeList", "apiVersion": "v1", "metadata": {"continue": token}, "items": items}

    api.routes["GET", "/api/v1/nodes"] = [page("ab", "next"), page("c", "")]
    nodes = client.list(NODE.path(), label_selector="a=b")
    assert [node["metadata"]["name"] for node in nodes] == ["a", "b", "c"]
    assert nodes[0]["kind"] == "Node"
    assert parse_qs(api.requests[1]["query"]) == {"labelSelector": ["a=b"], "limit": ["500"], "continue": ["next"]}


def test_a_list_whose_pages_expired_is_read_whole(api, client):
    first = (200, {"kind": "NodeList", "metadata": {"continue": "old"}, "items": [{"metadata": {"name": "stale"}}]})
    whole = (200, {"kind": "NodeList", "metadata": {}, "items": [{"metadata": {"name": "fresh"}}]})
    api.routes["GET", "/api/v1/nodes"] = [first, api.status(410, "expired", "Expired"), whole]
    assert [node["metadata"]["name"] for node in client.list(NODE.path())] == ["fresh"]


def test_follow_resumes_and_lists_again_when_the_server_forgot(api, kubeconfig):
    listed = (200, {"kind": "NodeList", "metadata": {"resourceVersion": "5"}, "items": []})
    changed = (
        b'{"type":"MODIFIED","object":{"metadata":{"name":"a","resourceVersion":"7"}}}\n'
        b'{"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"9"}}}\n'
    )
    forgot = b'{"type":"ERROR","object":{"kind":"Status","code":410}}\n'
    seen = []

    def answer(request):
        query = parse_qs(request["query"])
        if "watch" not in query:
            return listed
        seen.append(query["resourceVersion"][0])
        return 200, {1: changed, 2: forgot}.get(len(seen), b"")

    api.routes["GET", "/api/v1/nodes"] = answer
    client = KubeClient.from_kubeconfig(kubeconfig, connect_to=mapped(api), clock=Clock(tick=0.25))
    events = list(client.follow(NODE.path(), 6))
    assert [event.type for event in events] == ["LISTED", "MODIFIED", "LISTED"]
    assert seen[:3] == ["5", "9", "5"]


def test_busy_servers_are_asked_again_only_where_that_is_safe(api, kubeconfig):
    client = KubeClient.from_kubeconfig(kubeconfig, connect_to=mapped(api), attempts=3, clock=Clock(tick=0.25))
    api.routes["GET", "/version"] = [
        api.status(429, "slow down", "TooManyRequests"),
        api.status(503, "starting", ""),
        (200, {"ok": True}),
    ]
    assert client.get("/version") == {"ok": True}
    api.routes["POST", "/api/v1/nodes"] = [api.status(500, "boom", ""), (201, {})]
    with pytest.raises(RemoteError, match="boom"):
        client.create(NODE.path(), {})


CREATED = {"metadata": {"name": "a", "uid": "1"}, "data": {"k": "v"}, "type": "Opaque"}


@pytest.mark.parametrize(
    ("answers", "there", "result"),
    [
        ([(500, {}), (201, CREATED)], None, CREATED),
        ([(500, {}), "exists"], CREATED, CREATED),
        (["exists"], CREATED, None),
        ([(500, {}), "exists"], {**CREATED, "data": {"k": "of another run"}}, None),
        ([(503, {})] * 3, None, None),
    ],
)
def test_a_creation_that_is_sent_again(api, kubeconfig, answers, there, result):
    client = KubeClient.from_kubeconfig(kubeconfig, connect_to=mapped(api), timeout=5, attempts=3, clock=Clock())
    path = "/api/v1/namespaces/n/secrets"
    exists = api.status(409, 'secrets "a" already exists', "AlreadyExists")
    queue = [exists if answer == "exists" else answer for answer in answers]
    api.routes["POST", path] = lambda *_request: queue.pop(0)
    if there is not None:
        api.routes["GET", f"{path}/a"] = (200, there)
    body = {"metadata": {"name": "a"}, "data": {"k": "v"}, "stringData": {"s": "x"}}
    if result is not None:
        assert client.create(path, body)["metadata"] == result["metadata"]
    else:
        with pytest.raises(RemoteError):
            client.create(path, body)
    assert not queue
    client.close()


def test_another_clusters_api_is_a_tls_fault(api, tmp_path, kube_testing):
    other = kube_testing.Authority("other")
    config = kube_testing.write_kubeconfig(tmp_path / "other", f"https://{NAME}", other.pem)
    with pytest.raises(Unreachable) as caught:
        KubeClient.from_kubeconfig(config, connect_to=mapped(api)).get("/version")
    assert caught.value.kind == "tls"


def test_ca_cert_is_trusted_besides_the_files_own(api, tmp_path, kube_testing, authority):
    other = kube_testing.Authority("other")
    config = kube_testing.write_kubeconfig(tmp_path / "other", f"https://{NAME}", other.pem)
    api.routes["GET", "/version"] = (200, {})
    assert KubeClient.from_kubeconfig(config, connect_to=mapped(api), ca_cert=authority.pem).get("/version") == {}


def test_tls_server_name_is_verified_instead_of_the_servers_address(api, tmp_path, kube_testing, authority):
    config = kube_testing.write_kubeconfig(
        tmp_path / "k", f"https://127.0.0.1:{api.port}", authority.pem, **{"tls-server-name": "api.demo.example.com"}
    )
    api.routes["GET", "/version"] = (200, {})
    assert KubeClient.from_kubeconfig(config).get("/version") == {}
    wrong = kube_testing.write_kubeconfig(
        tmp_path / "w", f"https://127.0.0.1:{api.port}", authority.pem, **{"tls-server-name": "other.example.com"}
    )
    with pytest.raises(Unreachable, match="TLS"):
        KubeClient.from_kubeconfig(wrong).get("/version")


def test_a_servers_own_path_is_kept(api, tmp_path, kube_testing, authority):
    config = kube_testing.write_kubeconfig(tmp_path / "k", f"https://{NAME}/k8s/clusters/c1", authority.pem)
    api.routes["GET", "/k8s/clusters/c1/api/v1/nodes/x"] = (200, {"kind": "Node", "metadata": {"name": "x"}})
    assert KubeClient.from_kubeconfig(config, connect_to=mapped(api)).get(NODE.path(name="x")) == {
        "kind": "Node",
        "metadata": {"name": "x"},
    }


def test_paths():
    assert CONFIG_MAP.path("kube-system", "bootstrap") == "/api/v1/namespaces/kube-system/configmaps/bootstrap"
    assert (
        CLUSTER_VERSION.path(name="version", subresource="status")
        == "/apis/config.openshift.io/v1/clusterversions/version/status"
    )
    assert NODE.path() == "/api/v1/nodes"


def test_a_server_that_is_no_url(tmp_path, kube_testing):
    with pytest.raises(ZeroTouchError, match="not a URL"):
        KubeClient.from_kubeconfig(kube_testing.write_kubeconfig(tmp_path / "k", "api:6443"))
