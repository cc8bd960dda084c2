# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Where a cluster is and who we are there: the part of a kubeconfig that a client needs.

Files with static credentials (certificate, token), which is what an installation produces, are read here: a few keys of a YAML file.
Only credentials that a plugin must fetch (``exec``, ``auth-provider``) go through the kubernetes library, whose import alone costs
0.65 s (reference collection-engineering.md 12); that library knows those protocols and their caches.
"""

from __future__ import annotations

import base64
import binascii
import dataclasses
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..common import libraries
from ..common.errors import ZeroTouchError


@dataclasses.dataclass(frozen=True)
class KubeConfig:
    """One context of a kubeconfig, resolved. Certificates and keys are PEM text; empty means "not given".

    ``server_name`` is the name to verify where it differs from the host of ``server`` (``tls-server-name``).
    """

    server: str
    ca: str = ""
    client_cert: str = ""
    client_key: str = dataclasses.field(default="", repr=False)
    authorization: str = dataclasses.field(default="", repr=False)
    server_name: str = ""
    validate_certs: bool = True
    namespace: str = ""


def read_kubeconfig(path: Path, context: str = "") -> KubeConfig:
    """The named context of the file, or its current one. Raises :class:`ZeroTouchError` naming the file and what it lacks."""
    document = load_document(path)
    name = context or str(document.get("current-context") or "")
    chosen = _entry(path, document, "contexts", "context", name)
    cluster = _entry(path, document, "clusters", "cluster", str(chosen.get("cluster") or ""))
    user = _entry(path, document, "users", "user", str(chosen["user"])) if chosen.get("user") else {}
    if not cluster.get("server"):
        raise ZeroTouchError(f"{path}: cluster {chosen.get('cluster')!r} has no server.")
    config = KubeConfig(
        server=str(cluster["server"]),
        ca=_material(path, cluster, "certificate-authority"),
        client_cert=_material(path, user, "client-certificate"),
        client_key=_material(path, user, "client-key"),
        authorization=_static_authorization(path, user),
        server_name=str(cluster.get("tls-server-name") or ""),
        validate_certs=not cluster.get("insecure-skip-tls-verify"),
        namespace=str(chosen.get("namespace") or ""),
    )
    needs_plugin = (user.get("exec") or user.get("auth-provider")) and not config.authorization
    return _with_fetched_credentials(path, name, config) if needs_plugin else config


def load_document(path: Path) -> dict[str, Any]:
    """The kubeconfig as a mapping. Raises :class:`ZeroTouchError` when there is none or it is not one."""
    try:
        document = libraries.yaml.safe_load(path.read_text())
    except FileNotFoundError as error:
        raise ZeroTouchError(f"The kubeconfig {path} does not exist.") from error
    except OSError as error:
        raise ZeroTouchError(f"The kubeconfig {path} cannot be read: {error.strerror}.") from error
    except (libraries.yaml.YAMLError, UnicodeDecodeError) as error:
        raise ZeroTouchError(f"The kubeconfig {path} is not YAML.") from error  # the parser's words would quote a key
    if not isinstance(document, dict) or not isinstance(document.get("clusters"), list):
        raise ZeroTouchError(f"{path} is not a kubeconfig: it has no list of clusters.")
    return document


def _entry(path: Path, document: Mapping[str, Any], section: str, key: str, name: str) -> Mapping[str, Any]:
    for entry in document.get(section) or []:
        if isinstance(entry, dict) and entry.get("name") == name and isinstance(entry.get(key), dict):
            value: Mapping[str, Any] = entry[key]
            return value
    raise ZeroTouchError(f"The kubeconfig {path} has no {key} named {name!r}.")


def _material(path: Path, holder: Mapping[str, Any], key: str) -> str:
    """PEM from ``<key>-data`` (base64), which wins over the file named in ``<key>`` (relative to the kubeconfig)."""
    data = holder.get(f"{key}-data")
    if data:
        try:
            return base64.b64decode(str(data), validate=False).decode()
        except (binascii.Error, UnicodeDecodeError) as error:
            raise ZeroTouchError(f"The kubeconfig {path}: {key}-data is not base64 of PEM text.") from error
    return _read(path, str(holder[key]), key) if holder.get(key) else ""


def _read(path: Path, name: str, key: str) -> str:
    try:
        return (path.parent / Path(name).expanduser()).read_text()
    except (OSError, UnicodeDecodeError) as error:
        raise ZeroTouchError(f"The kubeconfig {path}: {key} names {name}, which cannot be read.") from error


def _static_authorization(path: Path, user: Mapping[str, Any]) -> str:
    if user.get("token"):
        return f"Bearer {user['token']}"
    if user.get("tokenFile"):
        return f"Bearer {_read(path, str(user['tokenFile']), 'tokenFile').strip()}"
    if user.get("username") and user.get("password"):
        return "Basic " + base64.b64encode(f"{user['username']}:{user['password']}".encode()).decode()
    return ""


def _with_fetched_credentials(path: Path, context: str, config: KubeConfig) -> KubeConfig:
    kubernetes = libraries.kubernetes
    fetched = kubernetes.client.Configuration()
    try:
        kubernetes.config.load_kube_config(str(path), context=context or None, client_configuration=fetched, persist_config=False)
    except kubernetes.config.ConfigException as error:
        raise ZeroTouchError(f"The kubeconfig {path}: the credentials of context {context!r} cannot be fetched: {error}.") from error
    token = fetched.api_key.get("BearerToken") or fetched.api_key.get("authorization") or ""  # the key's name differs by release of the library
    return dataclasses.replace(
        config,
        authorization=str(token),
        client_cert=_read(path, fetched.cert_file, "client-certificate") if fetched.cert_file else config.client_cert,
        client_key=_read(path, fetched.key_file, "client-key") if fetched.key_file else config.client_key,
    )
