# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Implement a small Kubernetes client over HTTP and TLS, for the operators that the lab simulates."""

from __future__ import annotations

import base64
import json
import ssl
import tempfile
import urllib.parse
from collections.abc import AsyncIterator, Callable, Mapping
from typing import Any

import aiohttp
import yaml

from ..texts import error_text
from .names import Kind, Object

MERGE = "application/merge-patch+json"
# (host name) -> address to connect to; the name stays that of TLS.
Resolve = Callable[[str], str]


class Refused(Exception):
    """The API answered with an error; ``code`` 0: no answer."""

    def __init__(self, code: int, reason: str, message: str, retry_after: float = 0.0) -> None:
        super().__init__(message)
        self.code, self.reason, self.retry_after = code, reason, retry_after


class Client:
    """One API server, one identity. ``server_name`` is what its certificate says when ``url`` holds another address."""

    def __init__(
        self,
        session: aiohttp.ClientSession,
        url: str,
        *,
        tls: ssl.SSLContext | None = None,
        token: str = "",
        server_name: str = "",
    ) -> None:
        self._session, self.url, self._tls, self._server_name = session, url.rstrip("/"), tls, server_name
        self._headers = {"Accept": "application/json", "User-Agent": "ztlab-operators"} | (
            {"Authorization": f"Bearer {token}"} if token else {}
        )

    async def get(self, kind: Kind, name: str, namespace: str = "") -> Object | None:
        """None when it does not exist."""
        try:
            return await self._call("GET", kind.path(namespace, name))
        except Refused as error:
            if error.code == 404:
                return None
            raise

    async def list(self, kind: Kind, namespace: str = "", **query: str) -> tuple[list[Object], str]:
        """Objects (with apiVersion and kind) and the version of the list."""
        body = await self._call("GET", kind.path(namespace), query=query)
        items = [{**item, "apiVersion": kind.api_version, "kind": kind.kind} for item in body.get("items") or []]
        return items, str(body["metadata"]["resourceVersion"])

    async def create(self, kind: Kind, body: Object) -> Object:
        namespace = body["metadata"].get("namespace") or ""
        return await self._call(
            "POST", kind.path(namespace), body={"apiVersion": kind.api_version, "kind": kind.kind, **body}
        )

    async def patch(self, kind: Kind, name: str, namespace: str, body: Object, *, subresource: str = "") -> Object:
        """A merge patch; ``metadata.resourceVersion`` in it locks."""
        return await self._call("PATCH", kind.path(namespace, name, subresource), body=body, content_type=MERGE)

    async def replace(self, kind: Kind, body: Object, *, subresource: str = "") -> Object:
        metadata = body["metadata"]
        return await self._call(
            "PUT", kind.path(metadata.get("namespace") or "", metadata["name"], subresource), body=body
        )

    async def act(self, kind: Kind, name: str, namespace: str, subresource: str, body: Object) -> Object:
        """Post to a subresource that does something: ``eviction`` of a Pod."""
        return await self._call("POST", kind.path(namespace, name, subresource), body=body)

    async def delete(self, kind: Kind, name: str, namespace: str = "") -> None:
        """No error when it is gone already."""
        try:
            await self._call("DELETE", kind.path(namespace, name))
        except Refused as error:
            if error.code != 404:
                raise

    async def watch(self, kind: Kind, version: str) -> AsyncIterator[tuple[str, Object]]:
        """Events of all namespaces from a version on; ends when the server ends it.

        Raises :class:`Refused`, 410 among others.
        """
        query = {"watch": "true", "resourceVersion": version, "allowWatchBookmarks": "true"}
        timeout = aiohttp.ClientTimeout(total=None, sock_connect=10)
        try:
            async with self._request("GET", kind.path(), query=query, timeout=timeout) as response:
                if response.status >= 300:
                    raise _refusal(response, await response.read())
                rest = b""
                async for chunk in response.content.iter_any():
                    *lines, rest = (rest + chunk).split(b"\n")
                    for line in filter(None, lines):
                        event = json.loads(line)
                        if event["type"] == "ERROR":
                            status = event["object"]
                            raise Refused(
                                int(status.get("code") or 500),
                                str(status.get("reason", "")),
                                str(status.get("message", "")),
                            )
                        yield event["type"], event["object"]
        except (aiohttp.ClientError, TimeoutError, OSError) as error:
            raise Refused(0, "Unreachable", f"{kind.plural}: {error_text(error)}") from error

    def _request(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, str] | None = None,
        data: bytes | None = None,
        headers: Mapping[str, str] | None = None,
        timeout: Any,
    ) -> Any:
        more: dict[str, Any] = {"server_hostname": self._server_name} if self._server_name else {}
        if self._tls is not None:
            more["ssl"] = self._tls
        return self._session.request(
            method,
            self.url + path,
            params=dict(query or {}),
            data=data,
            headers=self._headers | dict(headers or {}),
            timeout=timeout,
            **more,
        )

    async def _call(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, str] | None = None,
        body: Any = None,
        content_type: str = "application/json",
    ) -> Object:
        data = None if body is None else json.dumps(body).encode()
        headers = {"Content-Type": content_type} if body is not None else {}
        try:
            async with self._request(
                method, path, query=query, data=data, headers=headers, timeout=aiohttp.ClientTimeout(total=60)
            ) as response:
                content = await response.read()
                if response.status >= 300:
                    raise _refusal(response, content)
                answer: Object = json.loads(content)
                return answer
        except (aiohttp.ClientError, TimeoutError, OSError) as error:
            raise Refused(0, "Unreachable", f"{method} {path}: {error_text(error)}") from error


def _refusal(response: aiohttp.ClientResponse, content: bytes) -> Refused:
    wait = response.headers.get("Retry-After", "0")
    seconds = float(wait) if wait.isdigit() else 0.0
    try:
        status = json.loads(content)
        return Refused(response.status, str(status.get("reason", "")), str(status.get("message", "")), seconds)
    except (ValueError, AttributeError):
        return Refused(response.status, "", content[:200].decode("utf-8", "replace"), seconds)


def from_kubeconfig(session: aiohttp.ClientSession, text: str, resolve: Resolve) -> Client:
    """The client of a kubeconfig with embedded certificates or a token.

    Raises ValueError when it holds something else.
    """
    try:
        document = yaml.safe_load(text)
        cluster = document["clusters"][0]["cluster"]
        user = document["users"][0].get("user") or {}
        parts = urllib.parse.urlsplit(cluster["server"])
        authority = base64.b64decode(cluster["certificate-authority-data"]).decode()
    except (yaml.YAMLError, KeyError, IndexError, TypeError, ValueError) as error:
        raise ValueError(f"the kubeconfig cannot be used: {error}") from error
    context = ssl.create_default_context(cadata=authority)
    _load_identity(context, user)
    name = cluster.get("tls-server-name") or parts.hostname or ""
    address = resolve(parts.hostname or "")
    port = parts.port or 443
    url = f"{parts.scheme}://{address}:{port}"
    return Client(session, url, tls=context, token=str(user.get("token") or ""), server_name=name)


def _load_identity(context: ssl.SSLContext, user: Mapping[str, Any]) -> None:
    if not user.get("client-certificate-data"):
        return
    pem = base64.b64decode(user["client-certificate-data"]) + b"\n" + base64.b64decode(user["client-key-data"])
    with tempfile.NamedTemporaryFile() as file:  # ssl reads keys from files only; it lives as long as this call
        file.write(pem)
        file.flush()
        context.load_cert_chain(file.name)


def merge_diff(old: Any, new: Any) -> Any:
    """The merge patch that makes ``new`` of ``old``; {} when they are equal."""
    patch: dict[str, Any] = {name: None for name in old or {} if name not in new or new[name] is None}
    for name, value in new.items():
        before = (old or {}).get(name)
        if value is None or before == value:
            continue
        if isinstance(value, dict) and isinstance(before, dict):
            patch[name] = merge_diff(before, value)
        else:
            patch[name] = value
    return patch
