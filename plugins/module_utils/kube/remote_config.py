# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Read kubeconfigs that come from a remote side: a Secret of a hub, a download of an assisted-service, a hosted
cluster.

A kubeconfig can run a program (``exec``, ``auth-provider``), name files of this machine (``tokenFile``, ``client-key``,
...) and send requests through a proxy. A user may want all of that; a remote side must not decide it. Only keys that
carry data are accepted (kubernetes/kubernetes ``staging/src/k8s.io/client-go/tools/clientcmd/api/v1/types.go``), so a
key that a later release adds is refused until it is added here.
"""

from __future__ import annotations

import base64
import ipaddress
import re
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import urlsplit

from ..common import yaml_text
from ..common.errors import ZeroTouchError
from ..common.host_names import is_dns_name
from ..common.listed import listed
from .config import ConfigSource, KubeConfig, resolve

# Bytes: a kubeconfig of an installation has 10 kB.
_LARGEST = 1 << 20
_CLUSTER_KEYS = frozenset(
    {"server", "certificate-authority-data", "insecure-skip-tls-verify", "tls-server-name", "disable-compression"}
)
_USER_KEYS = frozenset({"client-certificate-data", "client-key-data", "token", "username", "password"})
_PEM_KEYS = frozenset({"certificate-authority-data", "client-certificate-data", "client-key-data"})
_CONTEXT_KEYS = frozenset({"cluster", "user", "namespace"})
_TOP_KEYS = frozenset({"apiVersion", "kind", "preferences", "clusters", "users", "contexts", "current-context"})
_SECTIONS = (
    ("clusters", "cluster", _CLUSTER_KEYS),
    ("users", "user", _USER_KEYS),
    ("contexts", "context", _CONTEXT_KEYS),
)
_HINT = (
    "The server that returned it may be compromised: check that server before you use these credentials. Such keys are "
    "allowed only in a kubeconfig that you write yourself."
)
# A key as it is shown in a message.
_PLAIN = re.compile(r"[\w.-]{1,60}\Z")


def remote_kubeconfig(text: str | bytes, label: str) -> dict[str, Any]:
    """The kubeconfig in a text of a remote side, which ``label`` names.

    Raises :class:`ZeroTouchError` for everything but plain data.

    Call it before the text is used and before it is written to a file that another program reads.
    """
    if len(text) > _LARGEST:
        largest_mib = _LARGEST >> 20
        raise ZeroTouchError(f"The {label} is larger than {largest_mib} MiB, which no kubeconfig is.")
    try:
        document = yaml_text.load_remote(text)
    except ValueError as error:
        raise ZeroTouchError(f"The {label} is not YAML.") from error  # the parser's text would quote a key
    checked: dict[str, Any] = check_remote(document, label)
    return checked


def check_remote(document: Any, label: str) -> Any:
    """The document, if it holds nothing but data. Raises :class:`ZeroTouchError`."""
    reasons = list(_faults(document))
    if reasons:
        raise ZeroTouchError(f"The {label} is refused: {listed(reasons, 1)}.", _HINT)
    return document


def resolve_remote(text: str | bytes, label: str) -> KubeConfig:
    """The current context of a kubeconfig of a remote side. Raises :class:`ZeroTouchError`."""
    return resolve(ConfigSource(remote_kubeconfig(text, label), label))


def _faults(document: Any) -> Iterator[str]:
    if not isinstance(document, dict) or not isinstance(document.get("clusters"), list):
        yield "it is not a kubeconfig: it has no list of clusters"
        return
    yield from _unknown(document, _TOP_KEYS, "")
    if document.get("preferences"):
        yield "preferences is not empty"
    for section, holder, keys in _SECTIONS:
        entries = document.get(section)
        if entries is None:
            continue
        if not isinstance(entries, list):
            yield f"{section} is not a list"
            continue
        for index, entry in enumerate(entries):
            yield from _entry_faults(entry, holder, keys, f"{section}[{index}]")


def _entry_faults(entry: Any, holder: str, keys: frozenset[str], path: str) -> Iterator[str]:
    if not isinstance(entry, dict) or not isinstance(entry.get("name"), str):
        yield f"{path} has no name"
        return
    yield from _unknown(entry, frozenset({"name", holder}), path)
    values = entry.get(holder)
    if not isinstance(values, dict):
        yield f"{path}.{holder} is not a mapping"
        return
    yield from _unknown(values, keys, f"{path}.{holder}")
    for key, value in values.items():
        if key in keys and not isinstance(value, (str, bool, type(None))):
            yield f"{path}.{holder}.{key} has a wrong type"
    for key in sorted(_PEM_KEYS & keys & values.keys()):
        if values[key] and not _is_pem(values[key]):
            yield f"{path}.{holder}.{key} is not base64 of PEM text"
    if values.get("tls-server-name") and not _is_name(values["tls-server-name"]):
        yield f"{path}.{holder}.tls-server-name is not a DNS name or an IP address"
    if values.get("insecure-skip-tls-verify"):
        yield f"{path}.{holder}.insecure-skip-tls-verify switches the check of certificates off"
    if holder == "cluster" and not _is_server(values.get("server")):
        yield f"{path}.cluster.server is not an https URL"


def _unknown(values: Mapping[Any, Any], known: frozenset[str], path: str) -> Iterator[str]:
    for key in values:
        if key not in known:
            shown = key if isinstance(key, str) and _PLAIN.match(key) else "a key that is no plain word"
            prefix = path + "." if path else ""
            yield f"{prefix}{shown} is not a key that carries data only"


def _is_pem(value: Any) -> bool:
    if not isinstance(value, str):
        return False
    try:
        # Go ignores line ends in base64, and nothing else.
        return "-----BEGIN " in base64.b64decode(re.sub(r"[\r\n]", "", value), validate=True).decode()
    except ValueError:
        return False


def _is_name(value: Any) -> bool:
    if not isinstance(value, str):
        return False
    try:
        ipaddress.ip_address(value)
    except ValueError:
        return is_dns_name(value)
    return "%" not in value  # a zone is an interface of this machine


def _is_server(value: Any) -> bool:
    try:
        parts = urlsplit(value) if isinstance(value, str) else None
        # Credentials in clear text would reach every host on the way.
        return (
            parts is not None
            and parts.scheme == "https"
            and bool(parts.hostname)
            and "@" not in parts.netloc
            and parts.port != 0
        )
    except ValueError:
        return False
