# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Read from the bootstrap data of a Machine how its host fetches its Ignition config: pool name, headers and token.
Pure.

Source: openshift/cluster-api-provider-agent controllers/agentmachine_controller.go.
"""

from __future__ import annotations

import base64
import binascii
import dataclasses
from collections.abc import Mapping
from typing import Any

from ..common import json_text
from ..common.errors import ZeroTouchError
from .names import BACKUP_LABEL, BOOTSTRAP_KEY, TOKEN_KEY, WATCH_LABEL, token_secret

_BEARER = "Bearer "


@dataclasses.dataclass(frozen=True)
class Bootstrap:
    """``pool`` is the machineConfigPool, ``headers`` go with the request, ``secret`` names the Secret of the token
    (namespace, name).

    A Machine without bootstrap data has none of them: it is bound all the same.
    """

    pool: str = ""
    headers: Mapping[str, str] = dataclasses.field(default_factory=dict)
    secret: tuple[str, str] | None = None
    token: str = dataclasses.field(default="", repr=False)


def read_bootstrap(secret: Mapping[str, Any], namespace: str, name: str) -> Bootstrap:
    """From the data Secret ``namespace/name``.

    Raises :class:`ZeroTouchError` in upstream's words for what it must hold.

    Two of upstream's defects are fixed here (14): a source or a value that is null does not break the pass, and the
    header Authorization counts however its name is spelled.
    """
    merge = _merge_sources(secret, f"Secret {namespace}/{name}")
    if len(merge) != 1:
        raise ZeroTouchError(
            f"Secret {namespace}/{name}: did not find one ignition source as expected (there are {len(merge)})."
        )
    source = merge[0] if isinstance(merge[0], Mapping) else {}
    url = source.get("source")
    if not isinstance(url, str) or not url:
        raise ZeroTouchError(f"Secret {namespace}/{name}: its ignition source has no URL.")
    token, headers = "", {}
    for header in _headers(source, f"Secret {namespace}/{name}"):
        key, value = str(header.get("name") or ""), str(header.get("value") or "")
        if key.lower() != "authorization":
            headers[key] = value
        elif value.startswith(_BEARER):
            token = value.removeprefix(_BEARER)
        else:
            raise ZeroTouchError(f"Secret {namespace}/{name}: did not find expected prefix for bearer token.")
    return Bootstrap(url.rpartition("/")[2], headers, (namespace, token_secret(name)), token)


def _headers(source: Mapping[str, Any], title: str) -> list[Mapping[str, Any]]:
    found = source.get("httpHeaders") or []
    if not isinstance(found, list) or not all(isinstance(header, Mapping) for header in found):
        raise ZeroTouchError(f"{title}: httpHeaders of its ignition source is not a list of objects.")
    return found


def _merge_sources(secret: Mapping[str, Any], title: str) -> list[Any]:
    encoded = (secret.get("data") or {}).get(BOOTSTRAP_KEY)
    if not encoded:
        raise ZeroTouchError(f"{title} has no key {BOOTSTRAP_KEY}.")
    try:
        document = json_text.parse_remote(base64.b64decode(str(encoded)))
    except (ValueError, binascii.Error) as error:
        # its text would hold the token
        raise ZeroTouchError(f"{title}: {BOOTSTRAP_KEY} is not an Ignition configuration.") from error
    found = document
    for name in ("ignition", "config"):
        found = found.get(name) if isinstance(found, Mapping) else None
    merge = found.get("merge") if isinstance(found, Mapping) else None
    return list(merge) if isinstance(merge, list) else []


def token_secret_object(bootstrap: Bootstrap) -> dict[str, Any]:
    """The Secret that the service reads the token from.

    It has no owner: all Machines with the same bootstrap data share it.
    """
    namespace, name = bootstrap.secret or ("", "")
    return {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"name": name, "namespace": namespace, "labels": {WATCH_LABEL: "true", BACKUP_LABEL: "true"}},
        "data": {TOKEN_KEY: base64.b64encode(bootstrap.token.encode()).decode()},
    }
