# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Send HTTP requests for all packages: urllib3 with this collection's address mapping, TLS options and error messages.

urllib3 is installed with the kubernetes library. An HTTP error status is returned, not raised: each package interprets
it.
"""

from __future__ import annotations

import contextlib
import dataclasses
import email.utils
import json
import math
import socket
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, BinaryIO
from urllib.parse import unquote, urljoin, urlsplit

from . import json_text, libraries, tls_faults
from .connect import DIRECT, ConnectTo
from .errors import RemoteError, Unreachable, UnusableAnswer, ZeroTouchError
from .http_limits import LARGEST_BODY, LARGEST_ERROR, AnswerLimit, TimedConnection, TooSlow, beginning, bounded, set_end
from .secret_forms import decoded
from .secrets import Redactor
from .tls import Tls

if TYPE_CHECKING:
    import ssl

    import urllib3

DEFAULT_TIMEOUT = 60.0
CONNECT_TIMEOUT = 10.0
_CREDENTIALS = frozenset({"authorization", "proxy-authorization", "x-auth-token", "cookie"})
# A document may take this many times the largest body of its service: 64 MiB for a BMC.
_MEMORY_OF_BODY = 8
# From this length on a value is no ordinary word.
_SHORTEST_CREDENTIAL = 12


@dataclasses.dataclass(frozen=True)
class Response:
    """An answer. Header names are lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes
    largest_document: int = json_text.LARGEST_DOCUMENT

    def json(self) -> Any:
        """The decoded body, or None for an empty one; raises ValueError when it is not JSON, or JSON that no service
        sends (see json_text).
        """
        return json_text.parse_remote(self.body, self.largest_document) if self.body.strip() else None

    def text(self) -> str:
        return self.body.decode("utf-8", errors="replace")

    def retry_after(self) -> float | None:
        """Seconds until the server asks to be called again, from a number or a date (RFC 9110 10.2.3); None without a
        readable value.
        """
        value = self.headers.get("retry-after", "").strip()
        if value.isascii() and value.isdigit():
            return float(value[:9])
        try:
            return max(0.0, email.utils.parsedate_to_datetime(value).timestamp() - time.time())
        except (TypeError, ValueError, OverflowError, IndexError):
            return None


class ForeignUrl(ZeroTouchError):
    """An answer leads to another server, which must not get the credentials of this one."""

    def __init__(self, service: str, own: str, wanted: str) -> None:
        super().__init__(
            f"{service}: it refers to {_endpoint(wanted)}, which is another server than {_endpoint(own)}. Nothing was "
            "sent there.",
            f"If both are the same machine, set the configured address to {_endpoint(wanted)}.",
        )


def _endpoint(url: str) -> str:
    """Scheme, host and port of a URL, without a password; of a URL that cannot be read its beginning."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return repr(url.rpartition("@")[2][:60])
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"[:200]


@dataclasses.dataclass(frozen=True)
class HttpProxy:
    """An HTTP proxy. HTTPS goes through it by CONNECT; ``headers`` are for the proxy alone and may hold a password, as
    may ``url``.
    """

    url: str = dataclasses.field(repr=False)
    headers: Mapping[str, str] = dataclasses.field(default_factory=dict, repr=False)


def pool_manager(
    tls: Tls,
    connect_to: ConnectTo = DIRECT,
    client_cert: tuple[str, str] | None = None,
    proxy: HttpProxy | None = None,
    connections: int = 8,
) -> urllib3.PoolManager:
    """A urllib3 pool manager whose every connection honours ``connect_to`` and ``tls``; ``client_cert`` is (certificate
    file, key file).

    Up to ``connections`` per server are kept for further requests.
    """
    context = tls.own_context() if client_cert else tls.context()
    if client_cert:
        _load_client_certificate(context, *client_cert)
    return _mapped_pool_manager(connect_to, context, tls, proxy, connections)


def _load_client_certificate(context: ssl.SSLContext, certificate: str, key: str) -> None:
    """Raises :class:`ZeroTouchError` for a pair that cannot be used."""
    asked = []

    def no_passphrase() -> str:
        # Without this OpenSSL would ask on the terminal.
        asked.append(True)
        return ""

    try:
        context.load_cert_chain(certificate, key, no_passphrase)
    except (OSError, ValueError) as error:  # ssl.SSLError is an OSError
        if asked:
            raise ZeroTouchError(
                "The key of the client certificate is protected by a passphrase.", "Use a key without one."
            ) from error
        reason = getattr(error, "reason", None) or getattr(error, "strerror", None) or error
        raise ZeroTouchError(
            f"The client certificate and its key cannot be used: {reason}.", "Both must be PEM, and belong together."
        ) from error


def _mapped_pool_manager(
    connect_to: ConnectTo, context: ssl.SSLContext, tls: Tls, proxy: HttpProxy | None, connections: int
) -> urllib3.PoolManager:
    urllib3 = libraries.urllib3
    from_connection = urllib3.connection

    # Classes are made here, not at import time: their bases come from a library that may be missing.
    def open_socket(connection: urllib3.connection.HTTPConnection) -> socket.socket:
        host, port = connect_to.resolve(connection._dns_host, connection.port)
        try:
            return urllib3.util.connection.create_connection(
                (host, port),
                connection.timeout,
                source_address=connection.source_address,
                socket_options=connection.socket_options,
            )
        except socket.gaierror as error:
            raise urllib3.exceptions.NameResolutionError(host, connection, error) from error
        except TimeoutError as error:
            raise urllib3.exceptions.ConnectTimeoutError(connection, f"Connection to {host} timed out") from error
        except OSError as error:
            raise urllib3.exceptions.NewConnectionError(
                connection, f"Failed to establish a new connection: {error}"
            ) from error

    class MappedHttp(TimedConnection, from_connection.HTTPConnection):
        def _new_conn(self) -> socket.socket:
            return open_socket(self)

    class MappedHttps(TimedConnection, from_connection.HTTPSConnection):
        def _new_conn(self) -> socket.socket:
            return open_socket(self)

        def _tunnel(self) -> None:
            # What the proxy connects to; the name in TLS stays.
            host, port = self._tunnel_host or "", self._tunnel_port or 443
            self._tunnel_host, self._tunnel_port = connect_to.resolve(host, port)
            try:
                super()._tunnel()
            finally:
                self._tunnel_host, self._tunnel_port = host, port

    class HttpPool(urllib3.HTTPConnectionPool):
        ConnectionCls = MappedHttp

    class HttpsPool(urllib3.HTTPSConnectionPool):
        ConnectionCls = MappedHttps

    assertions: dict[str, Any] = {"assert_fingerprint": tls.digest} if tls.fingerprint else {}
    if not tls.validate_certs and not tls.fingerprint:
        assertions["cert_reqs"] = "CERT_NONE"
        urllib3.disable_warnings(
            urllib3.exceptions.InsecureRequestWarning
        )  # reported once, by the module with this option
    options = {"num_pools": 16, "maxsize": connections, "ssl_context": context, **assertions}
    manager = urllib3.PoolManager(**options) if proxy is None else _proxy_manager(proxy, options)
    manager.pool_classes_by_scheme = {"http": HttpPool, "https": HttpsPool}
    return manager


def _proxy_manager(proxy: HttpProxy, options: Mapping[str, Any]) -> urllib3.PoolManager:
    urllib3 = libraries.urllib3
    parts = urlsplit(proxy.url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ZeroTouchError(
            f"The proxy {parts.scheme}://{parts.netloc.rpartition('@')[2]} is not of the form "
            "http://[user:password@]host:port."
        )
    headers = dict(proxy.headers)
    if parts.username and not any(name.lower() == "proxy-authorization" for name in headers):
        password = unquote(parts.password or "")
        headers |= urllib3.util.make_headers(proxy_basic_auth=f"{unquote(parts.username)}:{password}")
    bare = f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"
    return urllib3.ProxyManager(bare, proxy_headers=headers, proxy_ssl_context=options["ssl_context"], **options)


class HttpClient:
    """Requests against one service.

    ``service`` names it in errors ("BMC of node-1"). A header with a sequence of values is sent once for each. Paths
    are joined to ``base_url``. No retry, no redirect: callers decide. Raises :class:`Unreachable` when there is no
    answer, :class:`UnusableAnswer` for one beyond its limits: ``largest`` bytes in memory, and a time of
    ``COMPLETE_WITHIN`` times the timeout. Of an error (status 400 and more) the beginning is kept.
    """

    def __init__(
        self,
        service: str,
        base_url: str,
        tls: Tls | None = None,
        connect_to: ConnectTo = DIRECT,
        headers: Mapping[str, str | Sequence[str]] | None = None,
        timeout: float = DEFAULT_TIMEOUT,
        client_cert: tuple[str, str] | None = None,
        proxy: HttpProxy | None = None,
        connections: int = 8,
        largest: int = LARGEST_BODY,
    ) -> None:
        self.service = service
        self.largest = largest
        self.base_url = base_url if base_url.endswith("/") else base_url + "/"
        self.headers = dict(headers or {})
        self.secrets: frozenset[str] = frozenset()  # of the caller, that answers of errors must not repeat
        self.timeout = timeout
        self._pool = pool_manager(tls or Tls(), connect_to, client_cert, proxy, connections)

    def url(self, path: str) -> str:
        """Absolute URL of a path: absolute URLs stay, ``/x`` is from the root of the server, ``x`` from the base
        URL.
        """
        try:
            return urljoin(self.base_url, path)
        except ValueError as error:
            raise ZeroTouchError(f"{self.service}: {path[:100]!r} is not a URL ({error}).") from error

    def is_own(self, path: str) -> bool:
        """Whether a path or URL is on the server (scheme, host and port) of the base URL, as urllib3 will connect: its
        parser decides, not another one.
        """
        try:
            wanted, own = (libraries.urllib3.util.parse_url(url) for url in (self.url(path), self.base_url))
        except libraries.urllib3.exceptions.LocationValueError:
            return False
        default = {"http": 80, "https": 443}.get(own.scheme or "")
        same = (wanted.scheme, wanted.host, wanted.port or default) == (own.scheme, own.host, own.port or default)
        return bool(same and wanted.auth in (None, own.auth))

    def request(
        self,
        method: str,
        path: str,
        *,
        json_body: Any = None,
        body: bytes | None = None,
        headers: Mapping[str, str] | None = None,
        timeout: float | None = None,
    ) -> Response:
        """One request, the answer read whole. ``json_body`` (not None) is sent as JSON.

        It goes to the server of the base URL only: paths may come from its answers, and requests carry credentials.
        Raises :class:`ForeignUrl`.
        """
        if not self.is_own(path):
            raise ForeignUrl(self.service, self.base_url, self.url(path))
        with self._opened(method, path, json_body=json_body, body=body, headers=headers, timeout=timeout) as answer:
            pieces = self.pieces(answer, self.url(path), self.largest)
            data = (
                self.without_credentials(beginning(pieces, LARGEST_ERROR), headers)
                if answer.status >= 400
                else b"".join(pieces)
            )
            if (
                answer.status == 400
                and self.url(path).startswith("http://")
                and tls_faults.expects_tls(data.decode(errors="replace"))
            ):
                raise _expects_tls(self.service, _endpoint(self.url(path)))
            lower = {name.lower(): value for name, value in answer.headers.items()}
            return Response(answer.status, lower, data, min(json_text.LARGEST_DOCUMENT, _MEMORY_OF_BODY * self.largest))

    def without_credentials(self, body: bytes, headers: Mapping[str, str] | None = None) -> bytes:
        """The body of an error without the credentials of its request, which may be known to this client alone (session
        tokens, kubeconfig files).
        """
        credentials = credentials_in({**self.headers, **(headers or {})}) | {
            secret for secret in self.secrets if len(secret) >= _SHORTEST_CREDENTIAL
        }
        if not credentials:
            return body
        return Redactor(credentials).text(body.decode(errors="surrogateescape")).encode(errors="surrogateescape")

    def pieces(self, answer: urllib3.BaseHTTPResponse, url: str, largest: int) -> Iterator[bytes]:
        """The decoded body of an answer, at most ``largest`` bytes of it. Raises what :meth:`request` raises."""
        try:
            yield from bounded(answer, largest)
        except TooSlow as error:
            raise _too_slow(self.service, url) from error
        except AnswerLimit as error:
            raise UnusableAnswer(self.service, answer.status, str(error)) from error
        except libraries.urllib3.exceptions.HTTPError as error:
            raise unreachable(self.service, url, error) from error

    @contextlib.contextmanager
    def stream(
        self,
        method: str,
        path: str,
        *,
        json_body: Any = None,
        body: bytes | BinaryIO | None = None,
        headers: Mapping[str, str] | None = None,
        timeout: float | None = None,
        within: float = math.inf,
    ) -> Iterator[urllib3.BaseHTTPResponse]:
        """One request whose answer the caller reads itself, for large bodies: with :meth:`pieces`, or ``read(n)`` of a
        download. The body must be complete ``within`` seconds.
        """
        with self._opened(method, path, json_body=json_body, body=body, headers=headers, timeout=timeout) as answer:
            set_end(answer, within)
            yield answer

    @contextlib.contextmanager
    def _opened(
        self,
        method: str,
        path: str,
        *,
        json_body: Any,
        body: bytes | BinaryIO | None,
        headers: Mapping[str, str] | None,
        timeout: float | None,
    ) -> Iterator[urllib3.BaseHTTPResponse]:
        urllib3 = libraries.urllib3
        sent = _header_lines({**self.headers, **(headers or {})})
        data = body
        if json_body is not None:
            data = json.dumps(json_body).encode()
            sent.setdefault("Content-Type", "application/json")
        limit = timeout or self.timeout
        url = self.url(path)
        try:
            answer = self._pool.request(
                method,
                url,
                body=data,
                headers=sent,
                timeout=urllib3.Timeout(connect=min(limit, CONNECT_TIMEOUT), read=limit),
                retries=False,
                redirect=False,
                preload_content=False,
            )
        except TooSlow as error:
            raise _too_slow(self.service, url) from error
        except urllib3.exceptions.HTTPError as error:
            raise unreachable(self.service, url, error) from error
        except ValueError as error:
            # Without the text of the error, which repeats the value of the header.
            raise ZeroTouchError(
                f"{self.service}: a request cannot be sent: its address or a header holds characters that HTTP "
                "does "
                "not allow."
            ) from error
        try:
            yield answer
        finally:
            if not answer.closed:
                answer.close()  # an unread rest must not go back into the pool
            if str(sent.get("Connection", "")).lower() == "close":
                # The server will close, mostly without saying so: a next request on this connection, a write perhaps,
                # would be lost.
                self._pool.clear()
            answer.release_conn()

    def close(self) -> None:
        self._pool.clear()

    def failure(self, response: Response, detail: str, code: str = "") -> RemoteError:
        """A :class:`RemoteError` of this service with the service's own words."""
        return RemoteError(self.service, response.status, detail, code)


def credentials_in(headers: Mapping[str, str | Sequence[str]]) -> set[str]:
    """Tokens and passwords that request headers hold.

    Short ones are left out: what is left of a body must be as readable for programs as before.
    """
    values = [
        value.split()[-1]
        for name, value in headers.items()
        if name.lower() in _CREDENTIALS and isinstance(value, str) and value.strip()
    ]
    found = {*values, *(decoded(value).partition(":")[2] for value in values)}
    return {value for value in found if len(value) >= _SHORTEST_CREDENTIAL}


def _header_lines(headers: Mapping[str, str | Sequence[str]]) -> Any:
    lines = libraries.urllib3.HTTPHeaderDict()
    for name, value in headers.items():
        for line in (value,) if isinstance(value, str) else value:
            lines.add(name, line)
    return lines


def _too_slow(service: str, url: str) -> Unreachable:
    return Unreachable(
        f"{service}: {_endpoint(url)} began an answer and did not complete it in time.",
        "slow",
        "Check the service and its load.",
    )


def unreachable(service: str, url: str, error: Exception) -> Unreachable:
    """A transport fault in the user's words: what was tried, what failed, what to look at."""
    exceptions = libraries.urllib3.exceptions
    parts = urlsplit(url)
    endpoint = f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"
    cause: BaseException = error
    via = " through the proxy" if isinstance(error, exceptions.ProxyError) else ""
    while isinstance(cause, (exceptions.MaxRetryError, exceptions.ProxyError)) and isinstance(
        cause.args[-1], BaseException
    ):
        cause = cause.args[-1]
    if via and "Tunnel connection failed" in str(cause):
        return Unreachable(
            f"{service}: the proxy does not connect to {endpoint}: {_last_words(cause)}.",
            "proxy",
            "Check the rules of the proxy, and the credentials in the proxy URL.",
        )
    if isinstance(cause, exceptions.NameResolutionError):
        return Unreachable(
            f"{service}: the name {parts.hostname} cannot be resolved.",
            "dns",
            "Check the name, DNS, or openshift_connect_to.",
        )
    if isinstance(cause, exceptions.SSLError):
        return Unreachable(
            f"{service}: TLS with {endpoint} failed: {_last_words(cause)}.", "tls", tls_faults.remedy_of(str(cause))
        )
    if isinstance(cause, exceptions.TimeoutError) and not isinstance(cause, exceptions.NewConnectionError):
        return Unreachable(
            f"{service}: no answer from {endpoint} in time.", "timeout", "Check address, route and firewall."
        )
    if isinstance(cause, exceptions.NewConnectionError):
        return Unreachable(
            f"{service}: {endpoint} cannot be reached{via}: {_last_words(cause)}.",
            "refused",
            "Check address, port and firewall.",
        )
    if parts.scheme == "http" and tls_faults.expects_tls(str(cause)):
        return _expects_tls(service, endpoint)
    return Unreachable(f"{service}: the connection to {endpoint}{via} broke: {_last_words(cause)}.", "broken")


def _expects_tls(service: str, endpoint: str) -> Unreachable:
    return Unreachable(f"{service}: {endpoint} expects TLS.", "tls", "Use https:// in the URL.")


def _last_words(error: BaseException) -> str:
    deepest = error
    while deepest.__cause__ is not None:
        deepest = deepest.__cause__
    if isinstance(deepest, OSError) and deepest.strerror:
        return deepest.strerror
    return str(deepest).rstrip(".")
