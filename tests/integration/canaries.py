# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Define the canary secrets of the tests, and list every form in which one of them could appear in an output."""

from __future__ import annotations

import base64
import json
import urllib.parse
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

# Characters that quoting changes, so that quoted forms differ from the raw one.
REGISTRY_PASSWORD = 'canary-registry-"7f2c\\41'
BMC_PASSWORD = 'canary-bmc-"d90e\\b3'
FENCING_PASSWORD = 'canary-fencing-"58aa\\0c'
PROXY_PASSWORD = "canary-proxy-93d1e6"
REGISTRY_AUTH = base64.b64encode(f"lab:{REGISTRY_PASSWORD}".encode()).decode()
PULL_SECRET = json.dumps({"auths": {"quay.io": {"auth": REGISTRY_AUTH, "email": "lab@example.com"}}})

INVENTORY_SECRETS = {
    "registry password": REGISTRY_PASSWORD,
    "pull secret": REGISTRY_AUTH,
    "BMC password": BMC_PASSWORD,
    "fencing password": FENCING_PASSWORD,
    "proxy password": PROXY_PASSWORD,
}


def forms(secret: str) -> set[str]:
    """How a secret may look: raw, as JSON has it (once, twice and three times quoted), in a URL, in base64 at each of
    the three offsets.
    """
    found = {secret, urllib.parse.quote(secret, safe="")}
    for _depth in range(3):
        secret = json.dumps(secret)[1:-1]
        found.add(secret)
    raw = min(found, key=len).encode()
    for offset in range(3):
        text = base64.b64encode(b"\0" * offset + raw).decode()
        # The first and last characters depend on the text around the secret.
        found.add(text[4 if offset else 0 : len(text) - 4])
    return found


def shown(text: str, secrets: Mapping[str, str] = INVENTORY_SECRETS) -> list[str]:
    """Names of the secrets that ``text`` shows in any form."""
    return [name for name, secret in secrets.items() if any(form in text for form in forms(secret))]


def of_state(state: Mapping[str, Any]) -> dict[str, str]:
    """The secrets that a build makes, by where state.json holds them; of keys in PEM each line."""
    public = ("infra_env_id", "public_key", "crt")
    found: dict[str, str] = {}
    for name, value in _leaves(state["secrets"]):
        if name.rpartition(".")[2] in public:
            continue
        lines = [line for line in value.splitlines() if line and "-----" not in line]
        found |= {f"{name}[{number}]": line for number, line in enumerate(lines) if len(line) > 8}
    return found


def _leaves(data: Any, name: str = "state.json") -> Iterator[tuple[str, str]]:
    pairs: Iterable[tuple[Any, Any]] = enumerate(data) if isinstance(data, list) else ()
    if isinstance(data, dict):
        pairs = data.items()
    for key, value in pairs:
        yield from _leaves(value, f"{name}.{key}")
    if isinstance(data, str):
        yield name, data
