# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test the connection options of the Kubernetes client: names and precedence as in kubernetes.core, kubeconfigs merged
as kubectl does, proxies, and tokens that expire. No message contains a secret.
"""

from __future__ import annotations

import base64
import http.server
import json
import select
import socket
import threading
from pathlib import Path

import pytest
import yaml
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.errors import (
    RemoteError,
    Unreachable,
    ZeroTouchError,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.kube import connection
from ansible_collections.zerotouch.openshift.plugins.module_utils.kube.connection import (
    CONNECTION_OPTIONS,
    bypasses_proxy,
    configuration,
    connect,
    settings,
)

NAME = "api.demo.example.com"


def kubeconfig(
    path: Path, name: str = "a", server: str = "https://a:6443", user: dict | None = None, **cluster
) -> Path:
    document = {
        "clusters": [{"name": name, "cluster": {"server": server, **cluster}}],
        "users": [{"name": name, "user": user or {"token": f"token-of-{name}"}}],
        "contexts": [{"name": name, "context": {"cluster": name, "user": name}}],
        "current-context": name,
    }
    path.write_text(yaml.safe_dump(document))
    return path


def resolved(options=None, environment=None, service_account=Path("/nowhere")):
    environment = {"KUBECONFIG": "/nowhere/config", **(environment or {})}
    return configuration(settings(options or {}, environment), environment, service_account)


def test_options_are_those_of_kubernetes_core():
    common = pytest.importorskip("ansible_collections.kubernetes.core.plugins.module_utils.args_common")
    theirs = {name: set(option.get("aliases", ())) for name, option in common.AUTH_ARG_SPEC.items()}
    assert {
        name: set(option.get("aliases", ())) for name, option in CONNECTION_OPTIONS.items() if name != "connect_to"
    } == theirs
    assert set(CONNECTION_OPTIONS["proxy_headers"]["options"]) == set(common.AUTH_PROXY_HEADERS_SPEC)


@pytest.mark.parametrize(
    ("variable", "option", "value", "expected"),
    [
        ("K8S_AUTH_KUBECONFIG", "kubeconfig", "/k", "/k"),
        ("K8S_AUTH_CONTEXT", "context", "c", "c"),
        ("K8S_AUTH_HOST", "host", "https://h", "https://h"),
        ("K8S_AUTH_API_KEY", "api_key", "k", "k"),
        ("K8S_AUTH_USERNAME", "username", "u", "u"),
        ("K8S_AUTH_PASSWORD", "password", "p", "p"),
        ("K8S_AUTH_VERIFY_SSL", "validate_certs", "No", False),
        ("K8S_AUTH_VALIDATE_CERTS", "validate_certs", "true", True),
        ("K8S_AUTH_SSL_CA_CERT", "ca_cert", "/ca", "/ca"),
        ("K8S_AUTH_CERT_FILE", "client_cert", "/c", "/c"),
        ("K8S_AUTH_KEY_FILE", "client_key", "/k", "/k"),
        ("K8S_AUTH_PROXY", "proxy", "http://p", "http://p"),
        ("K8S_AUTH_NO_PROXY", "no_proxy", "a,b", "a,b"),
        ("K8S_AUTH_PERSIST_CONFIG", "persist_config", "yes", True),
        ("K8S_AUTH_IMPERSONATE_USER", "impersonate_user", "u", "u"),
        ("K8S_AUTH_IMPERSONATE_GROUPS", "impersonate_groups", "g,,h", ["g", "h"]),
        ("K8S_AUTH_PROXY_HEADERS_PROXY_BASIC_AUTH", "proxy_headers", "u:p", {"proxy_basic_auth": "u:p"}),
    ],
)
def test_environment(variable, option, value, expected):
    assert settings({}, {variable: value}) == {option: expected}
    provided = {option: False if expected is True else "given"}
    if option == "proxy_headers":
        provided = {"proxy_headers": {"user_agent": "x", "basic_auth": None}}
    assert settings(provided, {variable: value})[option] != expected


def test_host_with_credentials_needs_no_file(tmp_path):
    (tmp_path / "c").write_text("CERT")
    (tmp_path / "k").write_text("KEY")
    assert resolved({"host": "https://h:6443/", "api_key": "t"}).authorization == "Bearer t"
    assert resolved({"host": "https://h:6443/", "api_key": "t"}).server == "https://h:6443"
    assert (
        resolved({"host": "https://h", "username": "u", "password": "p"}).authorization
        == "Basic " + base64.b64encode(b"u:p").decode()
    )
    config = resolved({"host": "https://h", "client_cert": str(tmp_path / "c"), "client_key": str(tmp_path / "k")})
    assert (config.client_cert, config.client_key) == ("CERT", "KEY")


def test_options_win_over_the_file(tmp_path):
    path = str(kubeconfig(tmp_path / "k", **{"insecure-skip-tls-verify": True}))
    options = {
        "kubeconfig": path,
        "host": "https://other",
        "api_key": "other",
        "validate_certs": True,
        "ca_cert": "/ca",
        "impersonate_user": "me",
    }
    config = resolved(options)
    assert (config.server, config.authorization, config.validate_certs, config.ca) == (
        "https://other",
        "Bearer other",
        True,
        "/ca",
    )
    assert config.headers == {"Impersonate-User": "me"}


def test_a_kubeconfig_as_a_mapping(tmp_path):
    document = yaml.safe_load(kubeconfig(tmp_path / "k").read_text())
    assert resolved({"kubeconfig": document}).authorization == "Bearer token-of-a"
    with pytest.raises(
        ZeroTouchError, match=("The kubeconfig given as a mapping has no context named 'x'\\. It has: a\\.")
    ):
        resolved({"kubeconfig": document, "context": "x"})
    with pytest.raises(ZeroTouchError, match="neither a path nor a mapping"):
        resolved({"kubeconfig": [1]})


def test_several_files_merge_as_kubectl_does(tmp_path):
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "token").write_text("from-sub")
    first = kubeconfig(tmp_path / "first", "a", "https://a")
    second = kubeconfig(tmp_path / "sub" / "second", "b", "https://b", {"tokenFile": "token"})
    third = kubeconfig(tmp_path / "third", "a", "https://hidden")
    several = f"{first}:{tmp_path / 'missing'}:{second}:{third}"
    assert resolved(environment={"KUBECONFIG": several}).server == "https://a"
    assert resolved({"kubeconfig": several, "context": "b"}).authorization == "Bearer from-sub"
    with pytest.raises(ZeroTouchError, match="None of the files"):
        resolved({"kubeconfig": f"{tmp_path / 'x'}:{tmp_path / 'y'}"})


def test_the_pod_we_run_in_comes_before_the_default_file(tmp_path):
    (tmp_path / "token").write_text("one")
    (tmp_path / "ca.crt").write_text("CA")
    inside = {
        "KUBERNETES_SERVICE_HOST": "fd00::1",
        "KUBERNETES_SERVICE_PORT": "443",
        "KUBECONFIG": str(kubeconfig(tmp_path / "k")),
    }
    config = resolved(environment=inside, service_account=tmp_path)
    assert (config.server, config.authorization, config.ca) == ("https://[fd00::1]:443", "Bearer one", "CA")
    (tmp_path / "token").write_text("two")
    assert config.renew().authorization == "Bearer two"
    assert resolved({"context": "a"}, inside, tmp_path).server == "https://a:6443"
    assert resolved({"impersonate_user": "x"}, inside, tmp_path).renew().headers == {"Impersonate-User": "x"}


def test_what_is_missing_is_named():
    with pytest.raises(
        ZeroTouchError,
        match=(
            r"neither kubeconfig nor host \(K8S_AUTH_KUBECONFIG, "
            r"K8S_AUTH_HOST\), and /nowhere/config does not exist"
        ),
    ):
        resolved()
    with pytest.raises(ZeroTouchError, match="kubeconfig /nowhere does not exist"):
        resolved({"kubeconfig": "/nowhere"})
    with pytest.raises(ZeroTouchError, match=r"There are no credentials for https://h\. Give api_key"):
        resolved({"host": "https://h"})
    with pytest.raises(ZeroTouchError, match="client_cert names /nowhere, which cannot be read: No such file"):
        resolved({"host": "https://h", "client_cert": "/nowhere", "client_key": "/nowhere"})


def test_without_a_user_there_is_no_impersonation(tmp_path):
    document = yaml.safe_load(kubeconfig(tmp_path / "k").read_text())
    document["users"][0]["user"] = {}
    with pytest.raises(ZeroTouchError, match="There are no credentials for https://a:6443"):
        resolved({"kubeconfig": document})


@pytest.mark.parametrize(
    ("host", "no_proxy", "expected"),
    [
        ("api.example.com", "", False),
        ("api.example.com", "x,.example.com", True),
        ("api.example.com", "example.com", True),
        ("api.example.com", "*.example.com", True),
        ("badexample.com", "example.com", False),
        ("10.0.0.5", "10.0.0.0/8", True),
        ("fd00::5", "fd00::/64", True),
        ("10.0.0.5", "10.0.0.6", False),
        ("api.example.com", "10.0.0.0/8", False),
        ("anything", "*", True),
    ],
)
def test_no_proxy(host, no_proxy, expected):
    assert bypasses_proxy(host, no_proxy) is expected


class ConnectProxy:
    """An HTTP proxy that knows CONNECT only."""

    def __init__(self, credentials: str = ""):
        self.seen: list[tuple[str, str]] = []
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            disable_nagle_algorithm = True

            def do_CONNECT(self):
                outer.seen.append((self.path, self.headers.get("Proxy-Authorization", "")))
                if credentials and self.headers.get("Proxy-Authorization") != credentials:
                    self.send_error(407)
                    return
                host, port = self.path.rsplit(":", 1)
                with socket.create_connection((host, int(port))) as upstream:
                    self.send_response(200)
                    self.end_headers()
                    ends = {self.connection: upstream, upstream: self.connection}
                    while True:
                        for ready in select.select(list(ends), [], [], 5)[0]:
                            data = ready.recv(65536)
                            if not data:
                                return
                            ends[ready].sendall(data)

            def log_message(self, format, *args):
                """Quiet."""

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.address = f"127.0.0.1:{self._server.server_address[1]}"
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()

    def close(self):
        self._server.shutdown()
        self._server.server_close()


@pytest.fixture
def proxy():
    server = ConnectProxy("Basic " + base64.b64encode(b"pu:pw-secret").decode())
    yield server
    server.close()


def options_for(api, authority, **more):
    return {
        "host": f"https://{NAME}:6443",
        "api_key": "t0",
        "ca_cert": authority.pem,
        "connect_to": {f"{NAME}:6443": f"127.0.0.1:{api.port}"},
        **more,
    }


def test_a_proxy_is_asked_to_connect_and_the_name_in_tls_stays(api, authority, proxy):
    api.routes["GET", "/version"] = (200, {"gitVersion": "v1"})
    client = connect(
        options_for(api, authority, proxy=f"http://{proxy.address}", proxy_headers={"proxy_basic_auth": "pu:pw-secret"})
    )
    assert client.get("/version") == {"gitVersion": "v1"}
    assert proxy.seen[0][0] == f"127.0.0.1:{api.port}"
    assert api.requests[0]["headers"]["Host"] == f"{NAME}:6443"
    assert "Proxy-Authorization" not in api.requests[0]["headers"]
    client.close()


def test_a_proxys_password_may_is_in_its_url_and_is_never_shown(api, authority, proxy):
    api.routes["GET", "/version"] = (200, {})
    client = connect(options_for(api, authority, proxy=f"http://pu:pw-secret@{proxy.address}"))
    assert client.get("/version") == {}
    client.close()
    with pytest.raises(
        Unreachable,
        match=(
            r"the proxy does not connect to https://api\.demo\.example\.com:6443: "
            r"Tunnel connection failed: 407"
        ),
    ) as caught:
        connect(options_for(api, authority, proxy=f"http://pu:pw-wrong@{proxy.address}")).get("/version")
    assert "pw-wrong" not in str(caught.value)
    with pytest.raises(ZeroTouchError, match=r"socks5://h:1 is not of the form") as refused:
        connect(options_for(api, authority, proxy="socks5://u:pw-wrong@h:1"))
    assert "pw-wrong" not in str(refused.value)


def test_a_host_in_no_proxy_is_connected_directly(api, authority):
    api.routes["GET", "/version"] = (200, {})
    client = connect(options_for(api, authority, proxy="http://127.0.0.1:1", no_proxy=".example.com"))
    assert client.get("/version") == {}
    client.close()


def test_the_proxy_of_a_kubeconfig(api, authority, proxy, tmp_path):
    api.routes["GET", "/version"] = (200, {})
    path = kubeconfig(
        tmp_path / "k", server=f"https://{NAME}:6443", **{"proxy-url": f"http://pu:pw-secret@{proxy.address}"}
    )
    options = {"kubeconfig": str(path), "ca_cert": authority.pem, "connect_to": {NAME: f"127.0.0.1:{api.port}"}}
    client = connect(options)
    assert client.get("/version") == {}
    assert proxy.seen
    client.close()


def test_impersonation_sends_every_group(api, authority):
    seen = []
    api.routes["GET", "/version"] = lambda request: (200, {"groups": seen.append(request) or ""})
    client = connect(options_for(api, authority, impersonate_user="jane", impersonate_groups=["dev", "ops"]))
    client.get("/version")
    assert seen[0]["header_lines"].count(("Impersonate-Group", "dev")) == 1
    assert [value for name, value in seen[0]["header_lines"] if name.startswith("Impersonate")] == [
        "jane",
        "dev",
        "ops",
    ]
    client.close()


def test_a_token_that_expired_is_read_again_once(api, authority, tmp_path):
    token = tmp_path / "token"
    token.write_text("old")
    seen = []

    def answer(request):
        seen.append(request["headers"]["Authorization"])
        if seen[-1] == "Bearer new":
            return 200, {}
        token.write_text(after[0])
        return api.status(401, "Unauthorized", "Unauthorized")

    api.routes["GET", "/version"] = answer
    path = kubeconfig(tmp_path / "k", server=f"https://{NAME}:6443", user={"tokenFile": "token"})
    options = {"kubeconfig": str(path), "ca_cert": authority.pem, "connect_to": {NAME: f"127.0.0.1:{api.port}"}}
    after = ["new"]
    client = connect(options)
    assert client.get("/version") == {}
    assert seen == ["Bearer old", "Bearer new"]
    token.write_text("bad")
    after[0] = "worse"
    with pytest.raises(
        RemoteError,
        match=(
            r"401 Unauthorized: it does not accept the credentials. They are wrong "
            r"or have expired"
        ),
    ) as caught:
        connect(options).get("/version")
    assert seen[2:] == ["Bearer bad", "Bearer worse"]
    assert "worse" not in str(caught.value)
    client.close()


def test_a_plugins_token_in_a_mapping_is_fetched_again_when_it_expired(api, authority, tmp_path):
    counter = tmp_path / "count"
    counter.write_text("0")
    script = tmp_path / "plugin"
    credential = (
        '{"apiVersion": "client.authentication.k8s.io/v1", "kind": "ExecCredential", "status": {"token": "token-%s"}}'
    )
    script.write_text(f"#!/bin/sh\nn=$(($(cat {counter}) + 1)); echo $n > {counter}\nprintf '{credential}' $n\n")
    script.chmod(0o700)
    seen = []

    def answer(request):
        seen.append(request["headers"]["Authorization"])
        return (200, {}) if seen[-1] == "Bearer token-2" else api.status(401, "Unauthorized", "Unauthorized")

    api.routes["GET", "/version"] = answer
    user = {
        "exec": {"apiVersion": "client.authentication.k8s.io/v1", "command": str(script), "interactiveMode": "Never"}
    }
    document = yaml.safe_load(kubeconfig(tmp_path / "k", server=f"https://{NAME}:6443", user=user).read_text())
    client = connect({"kubeconfig": document, "ca_cert": authority.pem, "connect_to": {NAME: f"127.0.0.1:{api.port}"}})
    assert client.get("/version") == {} and seen == ["Bearer token-1", "Bearer token-2"]
    client.close()


def test_check_mode_never_writes(api, authority):
    api.routes["POST", "/api/v1/namespaces/n/configmaps"] = (201, {})
    client = connect(options_for(api, authority), check_mode=True)
    client.create("/api/v1/namespaces/n/configmaps", {})
    client.delete("/api/v1/namespaces/n/configmaps/x")
    assert (api.requests[0]["query"], json.loads(api.requests[1]["body"])["dryRun"]) == ("dryRun=All", ["All"])
    client.close()


def test_the_environment_is_read_when_connecting(api, authority, monkeypatch, tmp_path):
    for name in list(connection.os.environ):
        if name.startswith("K8S_AUTH_"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("K8S_AUTH_HOST", f"https://{NAME}:6443")
    monkeypatch.setenv("K8S_AUTH_API_KEY", "from-env")
    api.routes["GET", "/version"] = (200, {})
    client = connect({"ca_cert": authority.pem, "connect_to": {NAME: f"127.0.0.1:{api.port}"}})
    client.get("/version")
    assert api.requests[0]["headers"]["Authorization"] == "Bearer from-env"
    client.close()
