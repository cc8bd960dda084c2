# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test the HTTP client against servers on real sockets: certificate and name checks, the connection mapping, and error
messages.
"""

from __future__ import annotations

import base64
import json
import socket
import threading
from pathlib import Path
from typing import Any

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.connect import ConnectTo
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.errors import (
    RemoteError,
    Unreachable,
    ZeroTouchError,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.http import HttpClient, Response
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.tls import Tls

NAME = "api.demo.example.com"


def connect_to(**mapping: str) -> ConnectTo:
    return ConnectTo.of({key.replace("__", ":"): value for key, value in mapping.items()})


def fault(client: HttpClient, path: str = "/") -> Unreachable:
    with pytest.raises(Unreachable) as caught:
        client.request("GET", path)
    return caught.value


class TestTrust:
    def test_ca_by_path_and_by_text(self, authority: Any, start: Any) -> None:
        server = start(authority.issue("127.0.0.1")[0])
        for ca in (
            str(authority.path),
            authority.pem,
            str(authority.path.parent / ".." / authority.path.parent.name / authority.path.name),
        ):
            assert (
                HttpClient("BMC", f"https://{server.endpoint}", Tls(ca_certs=(ca,))).request("GET", "/x").status == 200
            )

    def test_ca_is_not_trusted_unasked(self, authority: Any, start: Any) -> None:
        server = start(authority.issue("127.0.0.1")[0])
        error = fault(HttpClient("BMC of node-1", f"https://{server.endpoint}"))
        assert error.kind == "tls"
        assert str(error).startswith(f"BMC of node-1: TLS with https://{server.endpoint} failed: ")
        assert "ca_cert" in error.hint and "fingerprint" in error.hint
        assert server.requests == []

    def test_another_ca(self, authority: Any, start: Any, tmp_path: Path) -> None:
        server = start(authority.issue("127.0.0.1")[0])
        other = type(authority)(tmp_path, "other CA")
        assert fault(HttpClient("x", f"https://{server.endpoint}", Tls(ca_certs=(other.pem,)))).kind == "tls"
        both = Tls(ca_certs=(other.pem, str(authority.path)))
        assert HttpClient("x", f"https://{server.endpoint}", both).request("GET", "/").status == 200

    def test_wrong_name(self, authority: Any, start: Any) -> None:
        server = start(authority.issue("other.example.com")[0])
        error = fault(HttpClient("x", f"https://{server.endpoint}", Tls(ca_certs=(authority.pem,))))
        assert (
            error.kind == "tls" and "127.0.0.1" in str(error) and "The certificate is for another name." in error.hint
        )

    def test_expired(self, authority: Any, start: Any) -> None:
        server = start(authority.issue("127.0.0.1", days=-1)[0])
        error = fault(HttpClient("x", f"https://{server.endpoint}", Tls(ca_certs=(authority.pem,))))
        assert error.kind == "tls" and "expired" in str(error) and error.hint.startswith("Renew the certificate")

    @pytest.mark.parametrize("form", ["{0}", "SHA256:{0}", "sha-256:{1}", "{1}", "{2}"])
    def test_fingerprint_is_the_trust(self, form: str, authority: Any, start: Any) -> None:
        """Neither issuer nor name nor date is looked at."""
        certificate, digest = authority.issue("other.example.com", days=-1)
        colons = ":".join(digest[i : i + 2] for i in range(0, 64, 2))
        tls = Tls(fingerprint=form.format(digest, colons.upper(), " ".join(colons.split(":"))))
        server = start(certificate)
        assert HttpClient("x", f"https://{server.endpoint}", tls).request("GET", "/").status == 200

    def test_wrong_fingerprint(self, authority: Any, start: Any) -> None:
        server = start(authority.issue("127.0.0.1")[0])
        for tls in (
            Tls(fingerprint="0" * 64),
            Tls(fingerprint="0" * 64, ca_certs=(authority.pem,)),
            Tls(fingerprint="0" * 64, validate_certs=False),
        ):
            error = fault(HttpClient("x", f"https://{server.endpoint}", tls))
            assert error.kind == "tls" and "set fingerprint to the new one" in error.hint
        assert server.requests == []

    def test_no_validation(self, authority: Any, start: Any, recwarn: Any) -> None:
        server = start(authority.issue("other.example.com", days=-1)[0])
        assert (
            HttpClient("x", f"https://{server.endpoint}", Tls(validate_certs=False)).request("GET", "/").status == 200
        )
        assert not recwarn.list

    def test_client_certificate(self, authority: Any, start: Any) -> None:
        server = start(authority.issue("127.0.0.1")[0], client_ca=authority.path)
        mine = str(authority.issue("me")[0])
        assert (
            HttpClient("x", f"https://{server.endpoint}", Tls(ca_certs=(authority.pem,)), client_cert=(mine, mine))
            .request("GET", "/")
            .status
            == 200
        )
        assert fault(HttpClient("x", f"https://{server.endpoint}", Tls(ca_certs=(authority.pem,)))).kind in (
            "tls",
            "broken",
        )

    def test_http_where_https_is_spoken(self, authority: Any, start: Any) -> None:
        plain, secure = start(), start(authority.issue("127.0.0.1")[0])
        error = fault(HttpClient("x", f"https://{plain.endpoint}", Tls(validate_certs=False)))
        assert error.kind == "tls" and "Use http://" in error.hint
        # Python's server closes the connection without a TLS alert.
        assert fault(HttpClient("x", f"http://{secure.endpoint}")).kind == "broken"

    @pytest.mark.parametrize(
        "answer",
        [
            b"HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n",
            (
                b"HTTP/1.1 400 Bad Request\r\nContent-Length: 57\r\n\r\n<h1>The plain HTTP request was sent to HTTPS "
                b"port</h1>    "
            ),
            b"\x15\x03\x01\x00\x02\x02\x16",
        ],
    )
    def test_a_server_that_expects_tls(self, answer: bytes) -> None:
        with socket.create_server(("127.0.0.1", 0)) as listener:

            def reply() -> None:
                for _attempt in range(3):
                    try:
                        connection = listener.accept()[0]
                        connection.recv(65536)
                        connection.sendall(answer)
                        connection.close()
                    except OSError:
                        return

            threading.Thread(target=reply, daemon=True).start()
            endpoint = f"http://127.0.0.1:{listener.getsockname()[1]}"
            error = fault(HttpClient("BMC of node-1", endpoint))
            assert (error.kind, str(error)) == (
                "tls",
                (f"BMC of node-1: {endpoint} expects TLS. Use https:// in the URL."),
            )


class TestConnectTo:
    def test_name_stays_address_changes(self, authority: Any, start: Any) -> None:
        """URL, Host header, SNI and certificate check keep the name (curl's --connect-to)."""
        server = start(authority.issue(NAME)[0])
        client = HttpClient(
            "API",
            f"https://{NAME}:6443/",
            Tls(ca_certs=(authority.pem,)),
            connect_to(**{f"{NAME}__6443": server.endpoint}),
        )
        assert client.request("GET", "/version").json() == {"path": "/version"}
        assert server.sni == [NAME]
        assert server.requests[0]["headers"]["Host"] == f"{NAME}:6443"

    def test_certificate_is_checked_for_the_name_not_the_address(self, authority: Any, start: Any) -> None:
        server = start(authority.issue("127.0.0.1")[0])
        client = HttpClient(
            "API", f"https://{NAME}:6443/", Tls(ca_certs=(authority.pem,)), connect_to(**{NAME: server.endpoint})
        )
        assert fault(client).kind == "tls"

    def test_address_of_the_configuration(self, authority: Any, start: Any) -> None:
        server = start(authority.issue("192.0.2.10", "2001:db8::10")[0])
        for host in ("192.0.2.10", "[2001:db8::10]"):
            client = HttpClient(
                "service",
                f"https://{host}:8090/api",
                Tls(ca_certs=(authority.pem,)),
                connect_to(**{f"{host}__8090": server.endpoint}),
            )
            assert client.request("GET", "v2").status == 200
            assert server.requests[-1]["headers"]["Host"] == f"{host}:8090"

    def test_only_the_port_changes(self, start: Any) -> None:
        server = start()
        client = HttpClient("x", "http://127.0.0.1:8090", connect_to=connect_to(**{"127.0.0.1": server.endpoint}))
        assert client.request("GET", "/").status == 200

    def test_to_ipv6(self, start: Any) -> None:
        try:
            server = start(host="::1")
        except OSError:
            pytest.skip("no IPv6 loopback here")
        assert (
            HttpClient(
                "x", "http://name.example.com/", connect_to=connect_to(**{"name.example.com": f"[::1]:{server.port}"})
            )
            .request("GET", "/")
            .status
            == 200
        )

    def test_fault_names_the_original(self, free_port: int) -> None:
        error = fault(
            HttpClient("API", f"https://{NAME}:6443/", connect_to=connect_to(**{NAME: f"127.0.0.1:{free_port}"}))
        )
        assert error.kind == "refused" and f"https://{NAME}:6443" in str(error)


class TestAnswers:
    @pytest.mark.parametrize("status", [200, 201, 302, 401, 404, 409, 429, 500, 503])
    def test_status_is_an_answer(self, status: int, start: Any) -> None:
        server = start()
        answer = HttpClient("x", f"http://{server.endpoint}").request("GET", f"/{status}")
        assert answer.status == status and len(server.requests) == 1
        assert answer.headers["x-many"] == "a"

    def test_what_is_sent(self, start: Any) -> None:
        server = start()
        client = HttpClient("x", f"http://{server.endpoint}/base", headers={"X-Own": "1"})
        client.request("PATCH", "a", json_body={"k": "ü"}, headers={"X-Own": "2"})
        client.request("POST", "/b", json_body=[], headers={"Content-Type": "application/merge-patch+json"})
        client.request("PUT", f"http://{server.endpoint}/c", body=b"raw")
        first, second, third = server.requests
        assert (first["path"], json.loads(first["body"])) == ("/base/a", {"k": "ü"})
        assert (first["headers"]["X-Own"], first["headers"]["Content-Type"]) == ("2", "application/json")
        assert (second["path"], second["headers"]["Content-Type"], second["body"]) == (
            "/b",
            "application/merge-patch+json",
            b"[]",
        )
        assert (third["path"], third["body"]) == ("/c", b"raw")

    @pytest.mark.parametrize(
        ("base", "path", "url"),
        [
            ("https://h/api", "x", "https://h/api/x"),
            ("https://h/api/", "x/y?z=1", "https://h/api/x/y?z=1"),
            ("https://h/api", "/x", "https://h/x"),
            ("https://h:1", "", "https://h:1/"),
            ("https://h", "http://other:2/x", "http://other:2/x"),
        ],
    )
    def test_urls(self, base: str, path: str, url: str) -> None:
        assert HttpClient("x", base).url(path) == url

    def test_connection_is_kept(self, start: Any) -> None:
        server = start()
        client = HttpClient("x", f"http://{server.endpoint}")
        for _attempt in range(3):
            client.request("GET", "/")
        assert len(set(server.connections)) == 1

    def test_a_connection_with_connection_close_is_not_used_again(self) -> None:
        """Whether the server says that it closes, and when it closes, does not matter."""
        accepted = []
        listener = socket.create_server(("127.0.0.1", 0))

        def serve() -> None:
            for _each in range(3):
                accepted.append(listener.accept()[0])  # kept open: the client must not wait for the end
                accepted[-1].recv(65536)
                accepted[-1].sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")

        threading.Thread(target=serve, daemon=True).start()
        client = HttpClient(
            "x", f"http://127.0.0.1:{listener.getsockname()[1]}", headers={"Connection": "close"}, timeout=5
        )
        assert [client.request("POST", "/").status for _each in range(3)] == [200, 200, 200]
        assert len(accepted) == 3
        for connection in (*accepted, listener):
            connection.close()

    def test_body_read_in_part(self, start: Any) -> None:
        """A download that is given up spoils no later request."""
        server = start()
        client = HttpClient("x", f"http://{server.endpoint}")
        with client.stream("GET", "/large") as answer:
            assert len(answer.read(1000)) == 1000
        assert client.request("GET", "/after").json() == {"path": "/after"}

    def test_json(self) -> None:
        assert Response(200, {}, b"").json() is None and Response(200, {}, b" \n").json() is None
        assert Response(200, {}, b'{"a": 1}').json() == {"a": 1}
        with pytest.raises(ValueError, match="Expecting"):
            Response(200, {}, b"<html>").json()
        assert Response(200, {}, b"\xff").text() == "\ufffd"

    def test_failure_keeps_the_words_of_the_service(self) -> None:
        error = HttpClient("BMC of node-1", "http://127.0.0.1").failure(
            Response(409, {}, b""), "in use", "Base.1.8.ResourceInUse"
        )
        assert isinstance(error, RemoteError) and str(error) == (
            "BMC of node-1 answered 409 Base.1.8.ResourceInUse: in use"
        )

    def test_many_threads(self, start: Any) -> None:
        server = start()
        client = HttpClient("x", f"http://{server.endpoint}")
        paths: list[str] = []
        threads = [
            threading.Thread(
                target=lambda number=number: paths.append(client.request("GET", f"/t{number}").json()["path"])
            )
            for number in range(30)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sorted(paths) == sorted(f"/t{number}" for number in range(30))


class TestFaults:
    def test_refused(self, free_port: int) -> None:
        error = fault(HttpClient("BMC of node-1", f"http://127.0.0.1:{free_port}"))
        assert error.kind == "refused"
        assert error.message == f"BMC of node-1: http://127.0.0.1:{free_port} cannot be reached: Connection refused."

    def test_unknown_name(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def fail(*arguments: object, **keywords: object) -> None:
            raise socket.gaierror(-2, "Name or service not known")

        monkeypatch.setattr(socket, "getaddrinfo", fail)
        error = fault(HttpClient("API", "https://api.nowhere.example:6443"))
        assert error.kind == "dns"
        assert (
            error.message == "API: the name api.nowhere.example cannot be resolved."
            and "openshift_connect_to" in error.hint
        )

    def test_no_answer_in_time(self, start: Any) -> None:
        server = start()
        error = fault(HttpClient("x", f"http://{server.endpoint}", timeout=0.2), "/slow")
        assert error.kind == "timeout" and "in time" in error.message

    def test_no_answer_to_connect(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def never(*arguments: object, **keywords: object) -> None:
            raise TimeoutError("timed out")

        monkeypatch.setattr(socket.socket, "connect", never)
        assert fault(HttpClient("x", "http://127.0.0.1:9")).kind == "timeout"

    def test_body_cut(self, start: Any) -> None:
        assert fault(HttpClient("x", f"http://{start().endpoint}"), "/cut").kind == "broken"

    def test_connection_closed_at_once(self) -> None:
        with socket.create_server(("127.0.0.1", 0)) as listener:

            def drop() -> None:
                for _attempt in range(3):
                    try:
                        listener.accept()[0].close()
                    except OSError:
                        return

            threading.Thread(target=drop, daemon=True).start()
            assert fault(HttpClient("x", f"http://127.0.0.1:{listener.getsockname()[1]}")).kind == "broken"

    def test_no_credentials_in_words(self, free_port: int) -> None:
        text = str(fault(HttpClient("x", f"http://user:hunter2@127.0.0.1:{free_port}/path?token=abc")))
        assert "hunter2" not in text and "abc" not in text and "user" not in text


class TestTls:
    def test_fingerprint_of_a_wrong_form(self) -> None:
        for text in ("abc", "0" * 63, "g" * 64, "0" * 40):
            with pytest.raises(ZeroTouchError, match="not a SHA-256 fingerprint"):
                Tls(fingerprint=text)

    def test_ca_that_cannot_be_read(self, tmp_path: Path) -> None:
        (tmp_path / "empty.pem").write_text("nothing here")
        (tmp_path / "closed").mkdir()
        broken = (
            "-----BEGIN CERTIFICATE-----\n"
            + base64.b64encode(b"no certificate").decode()
            + "\n-----END CERTIFICATE-----\n"
        )
        for ca, words in [
            (str(tmp_path / "absent.pem"), "does not exist"),
            (str(tmp_path / "empty.pem"), "holds no certificate"),
            (broken, "The given CA certificate holds no certificate"),
        ]:
            with pytest.raises(ZeroTouchError, match=words) as caught:
                Tls(ca_certs=(ca,)).context()
            assert "BEGIN" not in str(caught.value)

    def test_home_directory(self, authority: Any, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("HOME", str(authority.folder))
        Tls(ca_certs=(f"~/{authority.path.name}",)).context()

    def test_only_the_configured_ca(self, authority: Any) -> None:
        context = Tls(ca_certs=(authority.pem,), system_store=False).context()
        assert len(context.get_ca_certs()) == 1
        assert context.check_hostname


def test_clients_with_the_same_trust_have_one_context(authority, tmp_path: Path) -> None:
    path = tmp_path / "ca.pem"
    path.write_text(authority.pem)
    first = Tls(ca_certs=(str(path),)).context()
    assert Tls(ca_certs=(str(path),)).context() is first
    assert Tls(fingerprint="1" * 64).context() is Tls(fingerprint="2" * 64).context()
    other = [
        Tls(),
        Tls(ca_certs=(authority.pem,)),
        Tls(ca_certs=(str(path),), validate_certs=False),
        Tls(ca_certs=(str(path),), system_store=False),
    ]
    assert len({id(context) for context in (first, *(tls.context() for tls in other))}) == 5
    # A file that was replaced is read again, and one that is not there is not remembered.
    path.write_text(authority.pem + "\n")
    assert Tls(ca_certs=(str(path),)).context() is not first
    path.unlink()
    with pytest.raises(ZeroTouchError, match=r"ca\.pem does not exist"):
        Tls(ca_certs=(str(path),)).context()
    assert Tls().own_context() is not Tls().context()
