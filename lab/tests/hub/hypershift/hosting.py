# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Helpers for a hub that hosts clusters: create HostedClusters and NodePools, and connect to them as a user."""

from __future__ import annotations

import base64
import contextlib
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

from ztlab.hub.client import Client
from ztlab.hub.hypershift.kinds import HOSTED_CLUSTER, NODE_POOL
from ztlab.hub.names import NAMESPACE, SECRET, Object

from ..rig import PULL_SECRET, SITE, Rig, hub_rig
from .pools import condition_of, hosted, pool

SPACE = "clusters-guest"


def hosting_site(version: str = "v1beta2", **hub: Any) -> dict[str, Any]:
    network = {**SITE["networks"][0], "dns": {"records": {"*.apps.guest.example.com": "10.0.0.90"}}}
    return {
        **SITE,
        "networks": [network],
        "hub": {**SITE["hub"], "hypershift": True, "cluster_api": {"version": version}, **hub},
    }


async def order(rig: Rig, name: str = "guest", **spec: Any) -> Object:
    """A HostedCluster and what it refers to."""
    if await rig.client.get(NAMESPACE, "clusters") is None:
        await rig.create(NAMESPACE, "clusters")
        data = {".dockerconfigjson": base64.b64encode(PULL_SECRET.encode()).decode()}
        await rig.create(SECRET, "pull-secret", namespace="clusters", type="kubernetes.io/dockerconfigjson", data=data)
    return await rig.create(HOSTED_CLUSTER, name, hosted(name, **spec)["spec"], namespace="clusters")


async def order_pool(rig: Rig, name: str = "pool", upgrade: str = "InPlace", **spec: Any) -> Object:
    body = pool(name, upgrade, **spec)["spec"]
    if upgrade == "InPlace":
        body["management"].pop("replace", None)
    return await rig.create(NODE_POOL, name, body, namespace="clusters")


async def available(rig: Rig, name: str = "guest") -> Object:
    return await rig.until(
        HOSTED_CLUSTER,
        name,
        lambda item: condition_of(item, "Available").get("status") == "True",
        namespace="clusters",
        seconds=30,
    )


async def guest_client(rig: Rig, name: str = "guest") -> Client:
    """As a user with the kubeconfig of the HostedCluster."""
    secret = await rig.get(SECRET, f"{name}-admin-kubeconfig", "clusters")
    return rig.hub.spokes.client(base64.b64decode(secret["data"]["kubeconfig"]).decode())


@contextlib.asynccontextmanager
async def hosting_rig(
    tmp_path: Path, *, speed: float = 240.0, version: str = "v1beta2", **hub: Any
) -> AsyncIterator[Rig]:
    async with hub_rig(tmp_path, speed=speed, site=hosting_site(version, **hub)) as rig:
        yield rig
