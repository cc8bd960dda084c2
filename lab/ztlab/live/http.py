# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Send HTTP requests from programs on a simulated machine. Reachability follows the machine's network configuration;
the connections are real sockets.
"""

from __future__ import annotations

import dataclasses
import ipaddress
import json
import ssl
import urllib.parse
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import aiohttp

from ..fabric.hosts import HostNetwork, Unreachable
from ..fabric.loopback import unprivileged_port
from ..texts import error_text

if TYPE_CHECKING:
    from ..lab import Lab


@dataclasses.dataclass(frozen=True)
class Reply:
    status: int
    body: bytes

    def json(self) -> Any:
        """Raises ValueError."""
        return json.loads(self.body)

    @property
    def ok(self) -> bool:
        return 200 <= self.status < 300

    def complaint(self) -> str:
        """What an unsuccessful answer says, for a log line."""
        try:
            document = self.json()
        except ValueError:
            return f"status {self.status}: {self.body[:200].decode('utf-8', 'replace')}"
        if isinstance(document, dict) and "reason" in document:
            parts = {"Code": "code", "Href": "href", "ID": "id", "Kind": "kind", "Reason": "reason"}
            return "AssistedServiceError " + " ".join(f"{word}: {document.get(key, '')}" for word, key in parts.items())
        if isinstance(document, dict) and "message" in document:
            return f"AssistedServiceInfraError Code: {document.get('code', self.status)} Message: {document['message']}"
        return f"status {self.status}: {document}"


class HostHttp:
    """``network`` gives the machine's present configuration; ``machine`` is its name, for those who may talk to
    themselves.
    """

    def __init__(self, lab: Lab, network: Callable[[], HostNetwork], machine: str = "") -> None:
        self._lab = lab
        self._network = network
        self._machine = machine

    async def request(
        self,
        method: str,
        url: str,
        *,
        headers: Mapping[str, str] | None = None,
        body: Any = None,
        tls: ssl.SSLContext | None = None,
        seconds: float = 60,
    ) -> Reply:
        """``tls``: whom an https URL has to convince. Raises :class:`Unreachable` when no connection comes about."""
        host = urllib.parse.urlsplit(url).hostname or ""
        target, name = self.reach(url)
        secure: dict[str, Any] = (
            {"ssl": tls, "server_hostname": host} if tls is not None and url.startswith("https:") else {}
        )
        data = None if body is None else json.dumps(body, sort_keys=True).encode()
        sent = (
            {"Host": name, "Accept": "application/json, application/octet-stream"}
            | ({"Content-Type": "application/json"} if data is not None else {})
            | dict(headers or {})
        )
        try:
            timeout = aiohttp.ClientTimeout(total=seconds)
            async with self._lab.session.request(
                method, target, headers=sent, data=data, timeout=timeout, **secure
            ) as response:
                return Reply(response.status, await response.read())
        except aiohttp.ClientError as error:
            raise Unreachable(f"{method} {url}: {_reason(error)}") from error
        except TimeoutError as error:
            raise Unreachable(f"{method} {url}: timeout") from error

    def reach(self, url: str) -> tuple[str, str]:
        """(URL to open, Host header). Raises :class:`Unreachable` when this machine has no way there."""
        parts = urllib.parse.urlsplit(url)
        if self._machine and is_own(parts.hostname or ""):
            port = unprivileged_port(parts.port or (443 if parts.scheme == "https" else 80))
            target = f"{self._lab.fabric.table.localhost(self._machine)}:{port}"
            return urllib.parse.urlunsplit(parts._replace(netloc=target)), parts.netloc
        addresses = self._addresses(parts.hostname or "")
        for address in addresses:
            self._lab.fabric.check(self._network(), address)
        return self._target(url, addresses)

    def _target(self, url: str, addresses: list[str]) -> tuple[str, str]:
        """(URL to open, Host header): names lead to where the site's DNS says."""
        _target, name = self._lab.fabric.redirect(url)
        parts = urllib.parse.urlsplit(url)
        address = f"[{addresses[0]}]" if ":" in addresses[0] else addresses[0]
        port = parts.port or (443 if parts.scheme == "https" else 80)
        return self._lab.fabric.redirect(urllib.parse.urlunsplit(parts._replace(netloc=f"{address}:{port}")))[0], name

    def _addresses(self, host: str) -> list[str]:
        try:
            return [str(ipaddress.ip_address(host))]
        except ValueError:
            pass
        found = self._lab.fabric.resolve(self._network(), host)
        if found is None:
            raise Unreachable(f"lookup {host}: no DNS server answers")
        if not found:
            raise Unreachable(f"lookup {host}: no such host")
        return found


def is_own(address: str) -> bool:
    """Whether every machine means itself by the address."""
    try:
        return ipaddress.ip_address(address).is_loopback
    except ValueError:
        return address == "localhost"


def _reason(error: aiohttp.ClientError) -> str:
    if isinstance(error, aiohttp.ClientConnectorCertificateError):
        return f"tls: failed to verify certificate: x509: {error.certificate_error}"
    if isinstance(error, aiohttp.ClientConnectorError):
        return "connection refused" if isinstance(error.os_error, ConnectionRefusedError) else str(error.os_error)
    return error_text(error)
