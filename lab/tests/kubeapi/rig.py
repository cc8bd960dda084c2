# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test helper: run a small Kubernetes API server with invented kinds, over plain HTTP."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import aiohttp
from ztlab.faults import Faults
from ztlab.kubeapi.auth import Authentication
from ztlab.kubeapi.resource import Column, Registry, Resource, replace_status
from ztlab.kubeapi.server import KubeApi
from ztlab.kubeapi.storage import Store
from ztlab.kubeapi.table import AGE, condition_column

THING = Resource(
    "lab.example.com",
    "v1",
    "Thing",
    "things",
    namespaced=True,
    short_names=("th",),
    categories=("all",),
    subresources={"status": replace_status},
    columns=(
        Column("Colour", lambda item: (item.get("spec") or {}).get("colour", "")),
        condition_column("Ready", "Ready"),
        AGE,
    ),
    fields={"spec.colour": lambda item: (item.get("spec") or {}).get("colour", "")},
)
NAMESPACE = Resource(
    "", "v1", "Namespace", "namespaces", short_names=("ns",), subresources={"status": replace_status}, strategic=True
)
CONFIGMAP = Resource("", "v1", "ConfigMap", "configmaps", namespaced=True, short_names=("cm",), strategic=True)
THINGS = "/apis/lab.example.com/v1/namespaces/default/things"


def run(coroutine: Any, seconds: float = 300) -> Any:
    return asyncio.run(asyncio.wait_for(coroutine, seconds))


def thing(name: str, colour: str = "red", **labels: str) -> dict[str, Any]:
    return {
        "apiVersion": "lab.example.com/v1",
        "kind": "Thing",
        "metadata": {"name": name, "labels": labels},
        "spec": {"colour": colour},
    }


class Api:
    def __init__(self, *, authentication: Authentication | None = None, keep: int = 1000) -> None:
        self.faults = Faults()
        self.store = Store(keep=keep)
        registry = Registry([THING, NAMESPACE, CONFIGMAP])
        self.server = KubeApi(
            registry, self.store, authentication=authentication or Authentication(open_to_all=True), faults=self.faults
        )

    async def __aenter__(self) -> Api:
        await self.server.start("127.0.0.1", 0)
        self.session = aiohttp.ClientSession(f"http://127.0.0.1:{self.server.port}")
        self.store.create(NAMESPACE, {"metadata": {"name": "default"}})
        return self

    async def __aexit__(self, *_exc: object) -> None:
        await self.session.close()
        await self.server.stop()

    async def call(
        self, method: str, path: str, body: Any = None, media: str = "application/json", **headers: str
    ) -> tuple[int, Any]:
        data = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
        sent = {
            **({"Content-Type": media} if data is not None else {}),
            **{key.replace("_", "-"): value for key, value in headers.items()},
        }
        async with self.session.request(method, path, data=data, headers=sent) as response:
            text = await response.text()
            self.headers = response.headers
            return response.status, json.loads(text) if "json" in response.headers.get("Content-Type", "") else text

    async def watch(self, path: str, count: int, **headers: str) -> list[dict[str, Any]]:
        """The first ``count`` events of a watch."""
        events: list[dict[str, Any]] = []
        async with self.session.get(path, headers=headers) as response:
            assert response.status == 200, await response.text()
            async for line in response.content:
                events.append(json.loads(line))
                if len(events) == count:
                    break
        return events
