# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Check that a state file has the expected types.

Code that reads a section can rely on the types; an edited file is rejected here, with a message.

The expected types are a shape: a type of JSON, a dict of shapes by key (keys that are not listed may hold anything,
listed ones may be absent), ``{EACH: shape}`` for a mapping with any keys, a list with the shape of its elements, or a
function that returns the fault of a text.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeAlias
from urllib.parse import urlsplit

Check: TypeAlias = Callable[[str], str]  # what is wrong with a text, empty if nothing is
Shape: TypeAlias = "type | dict[str, Shape] | list[Shape] | Check"

EACH = "*"
_WORDS: Mapping[type, str] = {
    dict: "a mapping",
    list: "a list",
    str: "a text",
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    type(None): "null",
}


def _url(text: str) -> str:
    try:
        parts = urlsplit(text)
        fine = not text or (
            parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0 and " " not in text
        )
    except ValueError:
        fine = False
    return "" if fine else "must be an http or https URL"


def _address(text: str) -> str:
    try:
        ipaddress.ip_address(text or "::")
    except ValueError:
        return "must be an IP address"
    return ""


_KEY_PAIR: Shape = {"key": str, "crt": str}
_HOST: Shape = {"name": str, "hostname": str, "role": str, "macs": [str], "static_ips": [str]}
_SEEN_HOST: Shape = {
    "status": str,
    "stage": str,
    "role": str,
    "bootstrap": bool,
    "addresses": [str],
    "hostname": str,
    "node": str,
}

_SECRETS: Shape = {
    "infra_env_id": str,
    "public_key": str,
    "agent_token": str,
    "user_token": str,
    "watcher_token": str,
    "kubeadmin_password": str,
    "kubeadmin_hash": str,
    "signers": {EACH: _KEY_PAIR},
    "admin_kubeconfig": _KEY_PAIR,
}
# A base image that was looked up in stream metadata.
_STREAM: dict[str, Shape] = {
    "metadata_url": _url,
    "release": str,
    "arch": str,
    "url": _url,
    "sha256": str,
    "version": str,
    "rootfs_url": _url,
}
_BUILT: dict[str, Shape] = {"path": str, "size": int, "mtime_ns": int, "sha256": str}

SECTIONS: Mapping[str, Shape] = {
    "cluster": {
        "name": str,
        "base_domain": str,
        "version": str,
        "release_image": str,
        "api_url": _url,
        "rendezvous_ip": _address,
        "hosts": [_HOST],
        "replicas": {EACH: int},
    },
    "secrets": _SECRETS,
    "node_image": {
        "secrets": _SECRETS,
        "tokens": {"public_key": str, "agent_token": str, "user_token": str, "watcher_token": str, "expires": str},
        "image": {**_BUILT, "base": _BUILT, "ignition_sha256": str, "stream": _STREAM},
    },
    "image": {
        "path": str,
        "sha256": str,
        "size": int,
        "mtime_ns": int,
        "kind": str,
        "base": _BUILT,
        "stream": _STREAM,
        "inputs": {EACH: str},
        "ignition_sha256": str,
        "built_at": str,
    },
    "publish": {
        "method": str,
        "url": str,
        "path": str,
        "token": str,
        "copy": str,
        "of": [int],
        "listen": str,
        "port": int,
        "pid": int,
        "started": int,
        "since": str,
        "until": str,
        "tls": str,
        "max_seconds": float,
        "uploads": {EACH: {"of": [int], "etag": str}},
    },
    "bmc": {EACH: {"session": str, "address": str, "image_url": str}},
    "hub": {"unheard": [str], "created": {EACH: str}},
    "machines": {EACH: {"state": str, "at": str, "method": str, "macs": [str]}},
    "assisted": {
        "cluster_id": str,
        "infra_env_id": str,
        "openshift_cluster_id": str,
        "credentials_of": str,
        "making": bool,
        "adopted": bool,
    },
    "install": {
        "phase": str,
        "started_at": str,
        "installed_at": str,
        "last_seen_at": str,
        "cluster_id": str,
        "failure": str,
        "stopped_at": str,
        "suspects": [str],
        "warnings": [str],
        "repairs": {EACH: int},
        "overdue": bool,
        "console_url": str,
        "kubernetes_version": str,
        "phases": {EACH: str},
        "hosts": {EACH: _SEEN_HOST},
        "nodes": [{"name": str, "ready": bool, "roles": [str]}],
        "timeline": [{"host": str, "status": str, "stage": str, "at": str}],
        "awaited": {"text": str, "host": str, "reason": str, "next_step": str},
    },
    "history": [{EACH: float}],
}


def fault_of(document: Mapping[str, Any]) -> tuple[str, str]:
    """The first section that is not as it must be, and what is wrong with it:
    ``("install", "install.phase must be a text, and is a list")``.
    """
    for name, shape in SECTIONS.items():
        if name in document:
            for fault in _faults(name, document[name], shape):
                return name, fault
    return "", ""


def _faults(path: str, value: Any, shape: Shape) -> Iterator[str]:
    if isinstance(shape, dict):
        if not isinstance(value, dict):
            yield _mismatch(path, value, dict)
            return
        for key, inner in value.items():
            wanted = shape.get(key, shape.get(EACH))
            if wanted is not None:
                yield from _faults(f"{path}.{_shown(key)}", inner, wanted)
    elif isinstance(shape, list):
        if not isinstance(value, list):
            yield _mismatch(path, value, list)
            return
        for index, inner in enumerate(value):
            yield from _faults(f"{path}[{index}]", inner, shape[0])
    else:
        yield from _leaf_faults(path, value, shape)


def _leaf_faults(path: str, value: Any, shape: Any) -> Iterator[str]:
    kind = shape if isinstance(shape, type) else str
    # Exactly this type: to isinstance, true would be a number.
    if value.__class__ is not kind:
        yield _mismatch(path, value, kind)
    elif isinstance(value, str) and not _printable(value):
        yield f"{path} contains characters that this collection never writes"
    elif kind is not shape and (fault := shape(value)):
        yield f"{path} {fault}"


def _printable(text: str) -> bool:
    """No NUL, which no path can hold, and no half of a character."""
    return "\0" not in text and not any(0xD800 <= ord(character) <= 0xDFFF for character in text)


def _shown(key: str) -> str:
    return key if key.isprintable() and len(key) <= 40 else "…"


def _mismatch(path: str, value: Any, kind: type) -> str:
    return f"{path} must be {_WORDS[kind]}, and is {_WORDS.get(type(value), 'something else')}"
