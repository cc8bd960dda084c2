# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Create, rotate and expire the token and user-data Secrets of a NodePool.

Source: openshift/hypershift hypershift-operator/controllers/nodepool/capi.go,
  hypershift-operator/controllers/nodepool/token.go.
"""

from __future__ import annotations

import base64
import dataclasses
import datetime
import gzip
import json
import uuid
from collections.abc import Mapping, Sequence
from typing import Any

from ..names import SECRET, Key, Object, annotations_of
from ..world import World, instant
from . import naming

TTL = datetime.timedelta(hours=11)
EXPIRES_AFTER = datetime.timedelta(hours=2)
_MADE = f"{naming.PREFIX}last-token-generation-time"
_EXPIRES = f"{naming.PREFIX}ignition-token-expiration-timestamp"
REACHED = f"{naming.PREFIX}ignition-reached"


@dataclasses.dataclass(frozen=True)
class Payload:
    """What a pool's hosts are configured with; every member counts in the hashes."""

    config: str
    version: str
    release: str
    pull_secret: str
    trust_bundle: str
    global_config: str

    @property
    def config_hash(self) -> str:
        """Of the configuration without the version."""
        return naming.fnv32a((self.config + self.pull_secret + self.trust_bundle + self.global_config).encode())

    @property
    def hash(self) -> str:
        return naming.fnv32a(
            (self.config + self.version + self.pull_secret + self.trust_bundle + self.global_config).encode()
        )


def _encoded(data: Mapping[str, bytes]) -> dict[str, str]:
    return {name: base64.b64encode(value).decode() for name, value in data.items()}


def decoded(secret: Mapping[str, Any] | None) -> dict[str, str]:
    """Data of a Secret as text."""
    return {
        name: base64.b64decode(value).decode("utf-8", "replace")
        for name, value in ((secret or {}).get("data") or {}).items()
    }


def _config(text: str) -> bytes:
    return base64.b64encode(gzip.compress(text.encode(), mtime=0))


def token_data(payload: Payload, token: str) -> dict[str, bytes]:
    hashes = {
        "pull-secret-hash": payload.pull_secret,
        "hc-configuration-hash": payload.global_config,
        "additional-trust-bundle-hash": payload.trust_bundle,
    }
    return {
        "token": token.encode(),
        "release": payload.release.encode(),
        "release-version": payload.version.encode(),
        "config": _config(payload.config),
        "cloud-config-hash": b"",
        "os-stream": b"",
        **{name: naming.fnv32a(text.encode()).encode() if text else b"" for name, text in hashes.items()},
    }


def user_data(endpoint: str, ca: bytes, token: str, pool: str, config_version: str) -> str:
    """The ignition of a new host: where the rest is, and with which token; ``pool`` is its key."""
    headers = {
        "Authorization": f"Bearer {base64.b64encode(token.encode()).decode()}",
        "NodePool": pool,
        "TargetConfigVersionHash": config_version,
    }
    authority = {"source": f"data:text/plain;base64,{base64.b64encode(ca).decode()}"}
    merge = {
        "source": f"https://{endpoint}/ignition",
        "httpHeaders": [{"name": name, "value": value} for name, value in headers.items()],
    }
    ignition = {
        "version": "3.2.0",
        "security": {"tls": {"certificateAuthorities": [authority]}},
        "config": {"merge": [merge]},
    }
    return json.dumps({"ignition": ignition}, separators=(",", ":"))


class PoolSecrets:
    """Makes, rotates and supersedes them. Names end in the payload's hash."""

    def __init__(self, world: World) -> None:
        self._world = world

    def names(self, pool: Object, payload: Payload) -> tuple[str, str]:
        """(of the token, of the user data)."""
        name = pool["metadata"]["name"]
        return naming.short_name(f"token-{name}", payload.hash), naming.short_name(f"user-data-{name}", payload.hash)

    def token(self, pool: Object, space: str, payload: Payload) -> Object | None:
        return self._world.get(SECRET, (space, self.names(pool, payload)[0]))

    async def ensure(self, pool: Object, space: str, payload: Payload, endpoint: str, ca: bytes) -> None:
        """The two Secrets of now; those of before expire or go."""
        token_name, data_name = self.names(pool, payload)
        token = await self._token(pool, (space, token_name), payload)
        text = user_data(
            endpoint,
            ca,
            decoded(token)["token"],
            f"{pool['metadata']['namespace']}/{pool['metadata']['name']}",
            payload.hash,
        )
        data = _encoded({"disableTemplating": base64.b64encode(b"true"), "value": text.encode()})
        await self._user_data(pool, (space, data_name), data)
        await self._supersede(pool, space, {token_name, data_name})

    async def _token(self, pool: Object, key: Key, payload: Payload) -> Object:
        known = self._world.get(SECRET, key)
        if known is None:
            annotations = {
                f"{naming.PREFIX}ignition-config": "true",
                f"{naming.PREFIX}node-pool-upgrade-type": pool["spec"]["management"]["upgradeType"],
                naming.NODE_POOL: f"{pool['metadata']['namespace']}/{pool['metadata']['name']}",
                _MADE: self._world.now(),
            }
            metadata = {"namespace": key[0], "name": key[1], "annotations": annotations}
            data = _encoded(token_data(payload, str(uuid.uuid4())))
            return await self._world.create(SECRET, {"metadata": metadata, "type": "Opaque", "data": data})
        notes = annotations_of(known)
        if notes.get(_EXPIRES):
            known = await self._world.metadata(SECRET, known, annotations={_EXPIRES: None})
        if self._world.age(notes.get(_MADE) or self._world.now()) > TTL.total_seconds() / 2:
            data = _encoded({"token": str(uuid.uuid4()).encode(), "old_token": decoded(known)["token"].encode()})
            return await self._world.patch(
                SECRET, known, {"metadata": {"annotations": {_MADE: self._world.now()}}, "data": data}
            )
        return known

    async def _user_data(self, pool: Object, key: Key, data: dict[str, str]) -> None:
        known = self._world.get(SECRET, key)
        if known is None:
            annotations = {naming.NODE_POOL: f"{pool['metadata']['namespace']}/{pool['metadata']['name']}"}
            metadata = {"namespace": key[0], "name": key[1], "annotations": annotations}
            await self._world.create(SECRET, {"metadata": metadata, "type": "Opaque", "data": data})
        elif known.get("data") != data:
            await self._world.patch(SECRET, known, {"data": data})

    def of_pool(self, pool: Object, space: str) -> list[Object]:
        """All Secrets of both kinds."""
        key = f"{pool['metadata']['namespace']}/{pool['metadata']['name']}"
        return [item for item in self._world.all(SECRET, space) if annotations_of(item).get(naming.NODE_POOL) == key]

    async def _supersede(self, pool: Object, space: str, current: set[str]) -> None:
        """Earlier user data go at once, earlier tokens after a while: a host may be on its way with one."""
        for item in self.of_pool(pool, space):
            if item["metadata"]["name"] in current:
                continue
            notes = annotations_of(item)
            if f"{naming.PREFIX}ignition-config" not in notes:
                await self._world.delete(SECRET, item)
            elif _EXPIRES not in notes:
                moment = instant(self._world.now()) + EXPIRES_AFTER
                await self._world.metadata(SECRET, item, annotations={_EXPIRES: moment.strftime("%Y-%m-%dT%H:%M:%SZ")})
            elif instant(notes[_EXPIRES]) < instant(self._world.now()):
                await self._world.delete(SECRET, item)

    async def remove(self, pool: Object, space: str) -> None:
        for item in self.of_pool(pool, space):
            await self._world.delete(SECRET, item)


def config_problem(
    maps: Sequence[tuple[str, Mapping[str, Any] | None]], kinds: Sequence[str], documents: Mapping[str, list[Any]]
) -> str:
    """Why the ConfigMaps of spec.config cannot be used. ``documents``: what their key config holds, by name."""
    for name, item in maps:
        if item is None:
            return f'configmaps "{name}" not found'
        if "config" not in (item.get("data") or {}):
            return f'configmap "{name}": the key "config" is missing'
        for document in documents[name]:
            if not isinstance(document, dict) or document.get("kind") not in kinds:
                found = document.get("kind") if isinstance(document, dict) else document
                return f'configmap "{name}": unsupported config type: {found}'
    return ""
