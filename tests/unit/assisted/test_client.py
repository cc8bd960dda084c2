# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test the assisted-service client against a small HTTP server: which token it sends to which URL, all forms of error
responses, JSON inside strings, lists that are null, and the download of logs.
"""

from __future__ import annotations

import http.server
import json
import threading

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.assisted.rest.auth import FixedTokens
from ansible_collections.zerotouch.openshift.plugins.module_utils.assisted.rest.client import AssistedClient, decoded
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.connect import ConnectTo
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.errors import RemoteError, Unreachable

BASE = "/api/assisted-install/v2"


@pytest.fixture
def service():
    """``routes[path]`` = (status, body); ``seen`` holds (path, headers)."""

    class Handler(http.server.BaseHTTPRequestHandler):
        disable_nagle_algorithm = True

        def do_GET(self):
            self.server.seen.append((self.path, dict(self.headers)))
            status, body = self.server.routes.get(
                self.path.partition("?")[0], (404, {"code": 404, "message": "path not found"})
            )
            data = body if isinstance(body, bytes) else json.dumps(body).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, format, *args):
            """Quiet."""

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.routes, server.seen = {}, []
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()


@pytest.fixture
def client(service):
    mapping, _problems = ConnectTo.parse({"192.168.122.2:8090": f"127.0.0.1:{service.server_address[1]}"})
    return AssistedClient("http://192.168.122.2:8090", FixedTokens("watch", "use"), connect_to=mapping, timeout=5)


def test_each_call_uses_the_least_token_that_may_make_it(service, client):
    service.routes = {
        f"{BASE}/{path}": (200, []) for path in ("infra-envs", "clusters", "events", "infra-envs/i/hosts")
    }
    service.routes[f"{BASE}/clusters/c"] = (200, {})
    client.infra_envs(), client.clusters(), client.cluster("c"), client.events(infra_env_id="i"), client.hosts("i")
    sent = [(headers.get("Watcher-Authorization"), headers.get("Authorization")) for _path, headers in service.seen]
    assert sent == [("watch", None)] * 4 + [(None, "use")]
    assert service.seen[3][0] == f"{BASE}/events?infra_env_id=i&limit=-1&order=ascending"
    assert service.seen[0][1]["Host"] == "192.168.122.2:8090"


def test_without_tokens_nothing_is_sent(service):
    service.routes[f"{BASE}/clusters"] = (200, [])
    AssistedClient(f"http://127.0.0.1:{service.server_address[1]}").clusters()
    assert not {"Authorization", "Watcher-Authorization"} & set(service.seen[0][1])


@pytest.mark.parametrize(
    ("status", "body", "expected"),
    [
        (
            409,
            {"kind": "Error", "id": 409, "href": "", "code": "409", "reason": "files can be downloaded only when …"},
            ("", "files can be downloaded only when …"),
        ),
        (
            404,
            {"kind": "Error", "id": 404, "href": "", "code": "1234", "reason": "record not found"},
            ("1234", "record not found"),
        ),
        (
            401,
            {"code": 401, "message": "unauthenticated for invalid credentials"},
            ("", "unauthenticated for invalid credentials"),
        ),
        (400, {"code": 602, "message": "name in body is required"}, ("602", "name in body is required")),
        (503, b"upstream is down", ("", "upstream is down")),
        (500, b"", ("", "no explanation")),
    ],
)
def test_every_shape_of_error(service, client, status, body, expected):
    service.routes[f"{BASE}/clusters"] = (status, body)
    with pytest.raises(RemoteError) as caught:
        client.clusters()
    assert (caught.value.status, caught.value.code, caught.value.detail) == (status, *expected)


@pytest.mark.parametrize(
    ("status", "body", "hint"),
    [
        (
            404,
            {"code": 404, "message": "path /foo/api/assisted-install/v2/clusters was not found"},
            "Check that service_url is the address of an assisted-service",
        ),
        (404, b"404 page not found", "Check that service_url is the address of an assisted-service"),
        (404, {"kind": "Error", "id": 404, "href": "", "code": "404", "reason": "record not found"}, ""),
        (
            400,
            {
                "kind": "Error",
                "id": 400,
                "href": "",
                "code": "400",
                "reason": ("failed to get release image by URL x: record not found"),
            },
            "assisted_info",
        ),
    ],
)
def test_what_the_words_do_not_say_is_said(service, client, status, body, hint):
    service.routes[f"{BASE}/clusters"] = (status, body)
    with pytest.raises(RemoteError) as caught:
        client.clusters()
    assert hint in caught.value.hint and bool(hint) is bool(caught.value.hint)


@pytest.mark.parametrize(("path", "call"), [("clusters", "clusters"), ("infra-envs", "infra_envs")])
@pytest.mark.parametrize("body", [b"null", b"", b"[]"])
def test_empty_lists_may_be_null(service, client, path, call, body):
    service.routes[f"{BASE}/{path}"] = (200, body)
    assert getattr(client, call)() == []


@pytest.mark.parametrize("body", [b"<html>", b"{}", b'"x"'])
def test_another_service_on_that_port(service, client, body):
    service.routes[f"{BASE}/clusters"] = (200, body)
    with pytest.raises(RemoteError, match="check that this is an assisted-service"):
        client.clusters()


def test_no_service(client, service):
    service.shutdown()
    service.server_close()
    with pytest.raises(Unreachable):
        client.clusters()


def test_logs_are_streamed(service, client):
    service.routes[f"{BASE}/clusters/c/logs"] = (200, b"tar" * 1000)
    parts = []
    assert client.read_logs("c", parts.append) == 3000
    assert b"".join(parts) == b"tar" * 1000
    service.routes[f"{BASE}/clusters/c/logs"] = (409, {"code": "409", "reason": "Logs were not found"})
    with pytest.raises(RemoteError, match="Logs were not found"):
        client.read_logs("c", parts.append)


def test_json_within_strings():
    document = {
        "inventory": '{"interfaces": [{"mac_address": "aa"}]}',
        "validations_info": "",
        "connectivity": "not json",
        "status_info": '{"stays": "text"}',
        "hosts": [{"inventory": "{}", "connectivity": None}],
    }
    assert decoded(document) == {
        "inventory": {"interfaces": [{"mac_address": "aa"}]},
        "validations_info": None,
        "connectivity": "not json",
        "status_info": '{"stays": "text"}',
        "hosts": [{"inventory": {}, "connectivity": None}],
    }
