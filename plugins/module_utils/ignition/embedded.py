# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Read the secrets of a cluster from the Ignition config in an agent image.

A deployment that lost its state file recovers the secrets in this way.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from typing import Any

from .files.environment import ASSISTED_SERVICE_ENV, RENDEZVOUS_HOST_ENV
from .files.trust import TLS
from .secrets import SIGNERS

_ENVIRONMENT = {
    "infra_env_id": (ASSISTED_SERVICE_ENV, "INFRA_ENV_ID"),
    "public_key": (ASSISTED_SERVICE_ENV, "EC_PUBLIC_KEY_PEM"),
    "user_token": (ASSISTED_SERVICE_ENV, "USER_AUTH_TOKEN"),
    "watcher_token": (ASSISTED_SERVICE_ENV, "WATCHER_AUTH_TOKEN"),
    "agent_token": (RENDEZVOUS_HOST_ENV, "PULL_SECRET_TOKEN"),
}


def embedded_secrets(config: bytes) -> dict[str, Any]:
    """The part of section ``secrets`` that the Ignition config holds: all but the administrator's certificate and the
    password itself.

    Empty for a config that is not complete in this sense, also if another tool made it.
    """
    try:
        files = _files(json.loads(config))
        environment = {path: _variables(files[path].decode()) for path in (ASSISTED_SERVICE_ENV, RENDEZVOUS_HOST_ENV)}
        # A release whose service has no authentication has no tokens in its image, and needs none.
        tokens = environment[ASSISTED_SERVICE_ENV].get("AUTH_TYPE") != "none"
        wanted = _ENVIRONMENT if tokens else {"infra_env_id": _ENVIRONMENT["infra_env_id"]}
        found: dict[str, Any] = {name: environment[path][variable] for name, (path, variable) in wanted.items()}
        found["kubeadmin_hash"] = files[f"{TLS}/kubeadmin-password.hash"].decode()
        found["signers"] = {
            name: {part: files[f"{TLS}/{name}.{part}"].decode() for part in ("key", "crt")} for name in SIGNERS
        }
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return {}
    return {**dict.fromkeys(_ENVIRONMENT, ""), **found} if all(found.values()) else {}


def _files(document: Mapping[str, Any]) -> dict[str, bytes]:
    contents = {}
    for file in document["storage"]["files"]:
        header, _comma, data = str((file.get("contents") or {}).get("source") or "").partition(",")
        if header.startswith("data:") and header.endswith(";base64"):
            contents[str(file["path"])] = base64.b64decode(data)
    return contents


def _variables(text: str) -> dict[str, str]:
    pairs = [line.partition("=") for line in text.splitlines() if not line.startswith("#")]
    return {name: value for name, equals, value in pairs if equals}
