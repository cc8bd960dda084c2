# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Create kubeconfigs of a hostile hub: each tries to run a program, to send a local file, or to redirect requests."""

from __future__ import annotations

import base64
import copy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import yaml

SERVER = "https://api.demo.example.com:6443"


_PEM = "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n"


def _base64(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


def honest(server: str = SERVER) -> dict[str, Any]:
    """A kubeconfig as an installation makes it."""
    data = _base64(_PEM)
    return {
        "apiVersion": "v1",
        "kind": "Config",
        "preferences": {},
        "clusters": [{"name": "demo", "cluster": {"server": server, "certificate-authority-data": data}}],
        "users": [{"name": "admin", "user": {"client-certificate-data": data, "client-key-data": data}}],
        "contexts": [{"name": "admin", "context": {"cluster": "demo", "user": "admin", "namespace": "default"}}],
        "current-context": "admin",
    }


def _user(**values: Any) -> Callable[[dict[str, Any]], None]:
    return lambda document: document["users"][0]["user"].update(
        {key.replace("_", "-"): value for key, value in values.items()}
    )


def _cluster(**values: Any) -> Callable[[dict[str, Any]], None]:
    return lambda document: document["clusters"][0]["cluster"].update(
        {key.replace("_", "-"): value for key, value in values.items()}
    )


def _exec(marker: Path) -> dict[str, Any]:
    return {
        "apiVersion": "client.authentication.k8s.io/v1",
        "command": "touch",
        "args": [str(marker)],
        "interactiveMode": "Never",
    }


def _second_user(document: dict[str, Any]) -> None:
    document["users"].append({"name": "other", "user": {"exec": {"command": "id"}}})


def attacks(marker: Path) -> dict[str, dict[str, Any]]:
    """Documents by what they try; ``marker`` is the file that a program would create, and the secret that a file name
    leads to.
    """
    changes: dict[str, Callable[[dict[str, Any]], None]] = {
        "exec": _user(exec=_exec(marker)),
        "exec of a user that no context names": _second_user,
        "auth-provider": _user(
            auth_provider={"name": "oidc", "config": {"cmd-path": "/bin/touch", "cmd-args": str(marker)}}
        ),
        "tokenFile": _user(tokenFile=str(marker)),
        "client-key": _user(client_key=str(marker)),
        "client-certificate": _user(client_certificate=str(marker)),
        "certificate-authority": _cluster(certificate_authority=str(marker)),
        "proxy-url": _cluster(proxy_url="http://192.0.2.1:3128"),
        "unencrypted server": _cluster(server="http://api.demo.example.com:6443"),
        "server with credentials": _cluster(server="https://user:password@api.demo.example.com:6443"),
        "server that is a file": _cluster(server="file:///etc/passwd"),
        "server that is no text": _cluster(server=["https://a"]),
        "server that is no URL": _cluster(server="https://[::1"),
        "no check of certificates": _cluster(insecure_skip_tls_verify=True),
        "impersonation": _user(**{"as": "system:admin"}),
        "a key of a later release": _user(tokenCommand="id"),
        "a file key of a later release": _cluster(trust_bundle_path="/etc/passwd"),
        "token that is no text": _user(token={"a": 1}),
        "extensions": _user(extensions=[{"name": "x", "extension": {"exec": "id"}}]),
        "a section of its own": lambda document: document.update({"plugins": ["/bin/sh"]}),
        "preferences": lambda document: document.update({"preferences": {"colors": True, "exec": "id"}}),
        "users that are no list": lambda document: document.update({"users": {"name": "x"}}),
        "an entry without a name": lambda document: document["users"].append({"user": {}}),
        "an entry with more": lambda document: document["users"][0].update({"exec": {"command": "id"}}),
        "an authority that is a path": _cluster(
            certificate_authority_data=_base64("/etc/ssl/certs/ca-certificates.crt")
        ),
        "an authority that is no base64": _cluster(certificate_authority_data="/etc/passwd"),
        "an authority with characters outside base64": _cluster(certificate_authority_data=f"{_base64(_PEM)}!"),
        "an authority that is no text": _cluster(certificate_authority_data="gP8="),
        "an authority that is true": _cluster(certificate_authority_data=True),
        "a certificate that is no PEM": _user(client_certificate_data=_base64("garbage")),
        "a key that is no PEM": _user(client_key_data=_base64("/dev/zero")),
        "a server name that is no name": _cluster(tls_server_name="["),
        "a server name with a port": _cluster(tls_server_name="a:99999"),
        "a server name with credentials": _cluster(tls_server_name="user:password@evil.example.com"),
        "a server name with a user": _cluster(tls_server_name="user@evil.example.com"),
        "a server name that is true": _cluster(tls_server_name=True),
        "no clusters": lambda document: document.pop("clusters"),
    }
    found = {}
    for title, change in changes.items():
        document = copy.deepcopy(honest())
        change(document)
        found[title] = document
    return found


# Texts that are no honest kubeconfig before their keys are looked at.
TEXTS: dict[str, bytes] = {
    "empty": b"",
    "a list": b"[]",
    "a number": b"7",
    "not YAML": b"a: [b",
    "not text": b"\xff\xfe\x00\x01",
    "a date that does not exist": b"clusters: 2026-99-99",
    "nested": b"[" * 50_000,
    "nested mappings": b"{a: " * 500 + b"1" + b"}" * 500,
    "large": b"#" + b"x" * (2 << 20),
    "alias bomb": b"a: &a [x,x,x,x,x,x,x,x,x]\n"
    + b"".join(b"%c: &%c [%s]\n" % (98 + n, 98 + n, b",".join([b"*%c" % (97 + n)] * 9)) for n in range(12))
    + b"clusters: []\n",
    "a Python object": b"clusters: !!python/object/apply:os.system ['id']",
    "half of a surrogate pair": b'clusters: ["\\ud800"]',
}


def dumped(document: Any) -> bytes:
    """As a Secret holds it, before base64."""
    data: bytes = yaml.safe_dump(document).encode()
    return data
