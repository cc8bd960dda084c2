# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Simulate services that repeat the credentials that they received, in every form that real services use."""

from __future__ import annotations

import base64
import html
import json
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import quote, quote_plus

Echo = Callable[[str, str], str]


def _lower_hex(text: str) -> str:
    return re.sub("%[0-9A-F]{2}", lambda match: match[0].lower(), text)


def _basic(user: str, password: str) -> str:
    return base64.b64encode(f"{user}:{password}".encode()).decode()


def go_json(value: Any) -> str:
    """As encoding/json of Go writes it (golang/go src/encoding/json/encode.go, escapeHTML)."""
    text = json.dumps(value, ensure_ascii=False)
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")


def go_html(text: str) -> str:
    """As html.EscapeString of Go writes it (golang/go src/html/escape.go)."""
    return html.escape(text).replace("&#x27;", "&#39;").replace("&quot;", "&#34;")


# Answers after a login with (user, password). Each text reveals the password to a reader of a log.
ECHOES: dict[str, Echo] = {
    "basic": lambda user, password: f"bad header Authorization: Basic {_basic(user, password)}",
    "basic without padding": lambda user, password: f"bad header Basic {_basic(user, password).rstrip('=')}",
    "basic in a query": lambda user, password: f"GET /?auth={quote(_basic(user, password), safe='')} failed",
    "basic in JSON": lambda user, password: json.dumps({"authorization": f"Basic {_basic(user, password)}"}).replace(
        "/", "\\/"
    ),
    "url-safe base64": lambda user, password: (
        f"bad credential {base64.urlsafe_b64encode(f'{user}:{password}'.encode()).decode()}"
    ),
    "base64": lambda user, password: f"bad value {base64.b64encode(password.encode()).decode()}",
    "userinfo": lambda user, password: (
        f"cannot reach https://{quote(user, safe='')}:{quote(password, safe='')}@192.0.2.9/redfish/v1"
    ),
    "percent": lambda user, password: f"bad value '{quote(password, safe='')}'",
    "percent, lower case": lambda user, password: f"bad value '{_lower_hex(quote(password, safe=''))}'",
    "form": lambda user, password: f"bad form username={quote_plus(user)}&password={quote_plus(password)}",
    "form, lower case": lambda user, password: (
        f"bad form password={_lower_hex(quote_plus(password))}&username={quote_plus(user)}"
    ),
    "JSON": lambda user, password: "bad request " + json.dumps({"UserName": user, "Password": password}),
    "JSON, not ASCII": lambda user, password: "bad request " + json.dumps({"Password": password}, ensure_ascii=False),
    "JSON in JSON": lambda user, password: json.dumps({"detail": json.dumps({"Password": password})}),
    "JSON of PHP": lambda user, password: "bad request " + json.dumps({"Password": password}).replace("/", "\\/"),
    "JSON of Go": lambda user, password: "bad request " + go_json({"Password": password}),
    "JSON of Go in JSON": lambda user, password: json.dumps(
        {"message": "Invalid value: " + go_json({"Password": password})}
    ),
    "JSON in JSON of Go": lambda user, password: go_json({"message": json.dumps({"Password": password})}),
    "HTML of Go": lambda user, password: f"<b>bad password</b> '{go_html(password)}'",
    "HTML of Go templates": lambda user, password: f"<b>bad password</b> '{go_html(password).replace('+', '&#43;')}'",
    "XHTML": lambda user, password: f"<b>bad password</b> '{html.escape(password).replace('&#x27;', '&apos;')}'",
    "HTML": lambda user, password: f"<b>bad password</b> '{html.escape(password)}'",
    "quoted": lambda user, password: f"no user {user} with password '{password}'",
}


def traces(password: str, user: str) -> list[str]:
    """Texts that must not be in any output. Complete forms only: a reader who sees one has the password."""
    pair = f"{user}:{password}".encode()
    plain = [
        password,
        json.dumps(password)[1:-1],
        quote(password, safe=""),
        quote_plus(password),
        _lower_hex(quote(password, safe="")),
        html.escape(password),
    ]
    plain += [
        go_json(password)[1:-1],
        json.dumps(go_json(password)[1:-1])[1:-1],
        go_json(json.dumps(password)[1:-1])[1:-1],
        go_html(password),
    ]
    plain += [go_html(password).replace("+", "&#43;"), html.escape(password).replace("&#x27;", "&apos;")]
    encoded = [base64.b64encode(pair), base64.urlsafe_b64encode(pair), base64.b64encode(password.encode())]
    return sorted({*plain, *(each.decode().rstrip("=") for each in encoded)})


class Echoing:
    """A service on loopback that refuses every request with a text made from the credentials that the request carries.

    ``reply`` turns that text into (status, JSON document). ``status`` is 400 unless the reply says otherwise.
    """

    def __init__(self, text: Callable[[str], str], reply: Callable[[str], tuple[int, Any]]) -> None:
        def answer(handler: BaseHTTPRequestHandler) -> None:
            body = handler.rfile.read(int(handler.headers.get("Content-Length") or 0)).decode(errors="replace")
            seen = " ".join([handler.path, handler.headers.get("Authorization") or "", body])
            status, document = reply(text(seen))
            payload = json.dumps(document, ensure_ascii=False).encode(errors="surrogatepass")
            handler.send_response(status)
            handler.send_header("Content-Type", "application/json")
            handler.send_header("Content-Length", str(len(payload)))
            handler.end_headers()
            handler.wfile.write(payload)

        methods = {f"do_{method}": answer for method in ("GET", "POST", "PATCH", "PUT", "DELETE", "HEAD")}
        handler = type(
            "Handler",
            (BaseHTTPRequestHandler,),
            {**methods, "disable_nagle_algorithm": True, "log_message": lambda *arguments: None},
        )
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()

    @property
    def endpoint(self) -> str:
        return f"127.0.0.1:{self._server.server_address[1]}"

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


def redfish(text: str) -> tuple[int, Any]:
    """The text as the error of a BMC."""
    entry = {"MessageId": "Base.1.8.GeneralError", "Message": text}
    return 400, {"error": {"code": "Base.1.8.GeneralError", "message": text, "@Message.ExtendedInfo": [entry]}}


def assisted(text: str) -> tuple[int, Any]:
    """The text as the error of an assisted-service."""
    return 400, {"kind": "Error", "id": 400, "href": "", "code": "400", "reason": text}


def kubernetes(text: str) -> tuple[int, Any]:
    """The text as the error of a Kubernetes API."""
    return 400, {
        "kind": "Status",
        "apiVersion": "v1",
        "status": "Failure",
        "reason": "BadRequest",
        "message": text,
        "code": 400,
    }


@contextmanager
def echoing(text: Callable[[str], str], reply: Callable[[str], tuple[int, Any]]) -> Iterator[Echoing]:
    """An :class:`Echoing` service for the length of the block."""
    service = Echoing(text, reply)
    try:
        yield service
    finally:
        service.close()
