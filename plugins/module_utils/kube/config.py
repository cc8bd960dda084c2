# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Read the part of a kubeconfig that a client needs: the address of the cluster and the credentials.

An installation produces files with static credentials (certificate, token). They are read here. Only credentials that a
plugin must fetch (``exec``, ``auth-provider``) need the kubernetes library: it implements those protocols and their
caches, but its import costs 0.65 s (docs/upstream/ansible.md#cost-of-imports).
"""

from __future__ import annotations

import base64
import dataclasses
import logging
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ..common import libraries, yaml_text
from ..common.errors import ZeroTouchError
from ..common.http import HttpProxy
from ..common.tls import PemText

# What of the entries of a kubeconfig names a file, relative to that kubeconfig.
_FILE_KEYS = {
    "clusters": ("cluster", ("certificate-authority",)),
    "users": ("user", ("client-certificate", "client-key", "tokenFile")),
}


@dataclasses.dataclass(frozen=True)
class KubeConfig:
    """One context of a kubeconfig, resolved.

    Certificates and keys are PEM text (``ca`` of an option may be a path too); empty means "not given".

    ``server_name`` is the name to verify where it differs from the host of ``server`` (``tls-server-name``). ``renew``
    reads or fetches everything again, for credentials that expire; None where they are as they are.
    """

    server: str
    ca: str = ""
    client_cert: str = ""
    client_key: str = dataclasses.field(default="", repr=False)
    authorization: str = dataclasses.field(default="", repr=False)
    server_name: str = ""
    validate_certs: bool = True
    namespace: str = ""
    headers: Mapping[str, str | Sequence[str]] = dataclasses.field(default_factory=dict)
    proxy: HttpProxy | None = None
    renew: Callable[[], KubeConfig] | None = dataclasses.field(default=None, compare=False, repr=False)


@dataclasses.dataclass(frozen=True)
class ConfigSource:
    """A kubeconfig: ``document`` as read, ``label`` to name it in errors, ``path`` if it is one file.

    File names in ``document`` are absolute.
    """

    document: Mapping[str, Any] = dataclasses.field(repr=False)
    label: str
    path: Path | None = None


def read_kubeconfig(path: Path, context: str = "") -> KubeConfig:
    """The named context of the file, or its current one.

    Raises :class:`ZeroTouchError` naming the file and what it lacks.
    """
    return resolve(read_source(path), context)


def read_source(path: Path) -> ConfigSource:
    """The file. Raises :class:`ZeroTouchError` when there is none or it is not a kubeconfig."""
    path = path.expanduser()
    return ConfigSource(_with_absolute_names(load_document(path), path.parent), f"kubeconfig {path}", path)


def merge_sources(sources: Sequence[ConfigSource]) -> ConfigSource:
    """Merge several files as kubectl does: the first file that has an entry of a name defines the whole entry; the same
    for ``current-context``.
    """
    if len(sources) == 1:
        return sources[0]
    merged: dict[str, Any] = {}
    for section in ("clusters", "users", "contexts"):
        entries: dict[str, Any] = {}
        for source in sources:
            for entry in source.document.get(section) or []:
                entries.setdefault(str(entry.get("name")), entry)
        merged[section] = list(entries.values())
    merged["current-context"] = next(
        (source.document["current-context"] for source in sources if source.document.get("current-context")), ""
    )
    return ConfigSource(
        merged, "kubeconfig " + ":".join(source.label.removeprefix("kubeconfig ") for source in sources)
    )


def source_of(document: Mapping[str, Any], label: str) -> ConfigSource:
    """A kubeconfig that is given as a mapping; names of files in it are relative to the current directory."""
    return ConfigSource(_with_absolute_names(_checked(document, f"The {label}"), Path.cwd()), label)


def server_of(source: ConfigSource, context: str = "") -> str:
    """The server of the named context, or of the current one; no credentials are fetched for it."""
    document, label = source.document, source.label
    chosen = _entry(label, document, "contexts", "context", context or str(document.get("current-context") or ""))
    return str(_entry(label, document, "clusters", "cluster", str(chosen.get("cluster") or "")).get("server") or "")


def resolve(source: ConfigSource, context: str = "", *, persist: bool = False) -> KubeConfig:
    """The named context, or the current one.

    With ``persist`` the kubernetes library writes refreshed tokens back to the file.
    """
    document, label = source.document, source.label
    name = context or str(document.get("current-context") or "")
    if not name:
        raise ZeroTouchError(f"The {label} has no current context.", "Name one in the option context.")
    chosen = _entry(label, document, "contexts", "context", name)
    cluster = _entry(label, document, "clusters", "cluster", str(chosen.get("cluster") or ""))
    user = _entry(label, document, "users", "user", str(chosen["user"])) if chosen.get("user") else {}
    if not cluster.get("server"):
        raise ZeroTouchError(
            f"The {label}: cluster {chosen.get('cluster')!r} has no server.",
            "Set cluster.server of this entry to the URL of the API, or name another context.",
        )
    config = KubeConfig(
        server=str(cluster["server"]),
        ca=_material(label, cluster, "certificate-authority"),
        client_cert=_material(label, user, "client-certificate"),
        client_key=_material(label, user, "client-key"),
        authorization=_static_authorization(label, user),
        server_name=str(cluster.get("tls-server-name") or ""),
        validate_certs=not cluster.get("insecure-skip-tls-verify"),
        namespace=str(chosen.get("namespace") or ""),
        headers=_impersonation(user),
        proxy=HttpProxy(str(cluster["proxy-url"])) if cluster.get("proxy-url") else None,
    )

    def again() -> KubeConfig:
        return resolve(source if source.path is None else read_source(source.path), context, persist=persist)

    if (user.get("exec") or user.get("auth-provider")) and not config.authorization:
        return dataclasses.replace(
            _with_fetched_credentials(source, name, config, persist=persist, plugin=_plugin_name(user)), renew=again
        )
    return dataclasses.replace(config, renew=again) if user.get("tokenFile") and not user.get("token") else config


def load_document(path: Path) -> dict[str, Any]:
    """The kubeconfig as a mapping. Raises :class:`ZeroTouchError` when there is none or it is not one."""
    try:
        document = yaml_text.load(path.read_text())
    except FileNotFoundError as error:
        raise ZeroTouchError(
            f"The kubeconfig {path} does not exist.", ("Correct the path, or copy the kubeconfig of the cluster to it.")
        ) from error
    except OSError as error:
        raise ZeroTouchError(
            f"The kubeconfig {path} cannot be read: {error.strerror}.",
            "Allow the user who runs the playbook to read it.",
        ) from error
    except ValueError as error:
        # The parser's message would quote a key.
        raise ZeroTouchError(
            f"The kubeconfig {path} is not YAML.", ("Name a kubeconfig, as `oc login` or the installer writes it.")
        ) from error
    return _checked(document, str(path))


def _checked(document: Any, label: str) -> dict[str, Any]:
    if not isinstance(document, dict) or not isinstance(document.get("clusters"), list):
        raise ZeroTouchError(
            f"{label} is not a kubeconfig: it has no list of clusters.",
            "Name a kubeconfig, as `oc login` or the installer writes it.",
        )
    return document


def _with_absolute_names(document: Mapping[str, Any], directory: Path) -> dict[str, Any]:
    result = dict(document)
    for section, (holder, keys) in _FILE_KEYS.items():
        result[section] = [
            _absolute(entry, holder, keys, directory)
            for entry in document.get(section) or []
            if isinstance(entry, dict)
        ]
    return result


def _absolute(entry: Mapping[str, Any], holder: str, keys: Sequence[str], directory: Path) -> dict[str, Any]:
    values = entry.get(holder)
    if not isinstance(values, dict):
        return dict(entry)
    names = {key: str(directory / Path(str(values[key])).expanduser()) for key in keys if values.get(key)}
    return {**entry, holder: {**values, **names}}


def _entry(label: str, document: Mapping[str, Any], section: str, key: str, name: str) -> Mapping[str, Any]:
    entries = [
        entry for entry in document.get(section) or [] if isinstance(entry, dict) and isinstance(entry.get(key), dict)
    ]
    for entry in entries:
        if entry.get("name") == name:
            value: Mapping[str, Any] = entry[key]
            return value
    known = ", ".join(sorted(str(entry.get("name")) for entry in entries))
    raise ZeroTouchError(f"The {label} has no {key} named {name!r}.", f"It has: {known}." if known else "")


def _material(label: str, holder: Mapping[str, Any], key: str) -> PemText:
    """PEM from ``<key>-data`` (base64), which takes precedence over the file named in ``<key>``."""
    data = holder.get(f"{key}-data")
    if data:
        try:
            return PemText(base64.b64decode(str(data), validate=False).decode())
        except ValueError as error:
            raise ZeroTouchError(f"The {label}: {key}-data is not base64 of PEM text.") from error
    return PemText(_read(label, str(holder[key]), key) if holder.get(key) else "")


def _read(label: str, name: str, key: str) -> str:
    try:
        return Path(name).read_text()
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is not PEM text"
        raise ZeroTouchError(
            f"The {label}: {key} names {name}, which cannot be read: {why}.",
            "Correct the path, or allow the user who runs the playbook to read the file.",
        ) from error


def _static_authorization(label: str, user: Mapping[str, Any]) -> str:
    if user.get("token"):
        return f"Bearer {user['token']}"
    if user.get("tokenFile"):
        return f"Bearer {_read(label, str(user['tokenFile']), 'tokenFile').strip()}"
    if user.get("username") and user.get("password"):
        return basic(str(user["username"]), str(user["password"]))
    return ""


def basic(username: str, password: str) -> str:
    """The Authorization header of a user name and password."""
    return "Basic " + base64.b64encode(f"{username}:{password}".encode()).decode()


def impersonation(user: str, groups: Sequence[str]) -> dict[str, str | Sequence[str]]:
    """Headers that make the API act as another user."""
    return ({"Impersonate-User": user} if user else {}) | ({"Impersonate-Group": tuple(groups)} if groups else {})


def _impersonation(user: Mapping[str, Any]) -> dict[str, str | Sequence[str]]:
    return impersonation(str(user.get("as") or ""), [str(group) for group in user.get("as-groups") or []])


def _with_fetched_credentials(
    source: ConfigSource, context: str, config: KubeConfig, *, persist: bool, plugin: str
) -> KubeConfig:
    """Raises :class:`ZeroTouchError` when ``plugin`` gives nothing; of that the kubernetes library only logs an
    error.
    """
    kubernetes = libraries.kubernetes
    fetched = kubernetes.client.Configuration()
    wanted = {"context": context or None, "client_configuration": fetched, "persist_config": persist}
    try:
        with _Overheard() as heard:
            if source.path is not None:
                kubernetes.config.load_kube_config(str(source.path), **wanted)
            else:
                kubernetes.config.load_kube_config_from_dict(dict(source.document), **wanted)
    except kubernetes.config.ConfigException as error:
        raise ZeroTouchError(
            f"The {source.label}: the credentials of context {context!r} cannot be fetched: {error}."
        ) from error
    # the key's name differs by release of the library
    token = fetched.api_key.get("BearerToken") or fetched.api_key.get("authorization") or ""
    found = dataclasses.replace(
        config,
        authorization=str(token),
        client_cert=_read(source.label, fetched.cert_file, "client-certificate")
        if fetched.cert_file
        else config.client_cert,
        client_key=_read(source.label, fetched.key_file, "client-key") if fetched.key_file else config.client_key,
    )
    if not found.authorization and not found.client_cert:
        why = "; ".join(heard.words).removeprefix("exec: ").rstrip(".") or "it gave no reason"
        raise ZeroTouchError(
            f"The {source.label}: the credential plugin {plugin} of context {context!r} gave no credentials: {why}.",
            "Try kubectl with this kubeconfig; the plugin may require a login first.",
        )
    return found


def _plugin_name(user: Mapping[str, Any]) -> str:
    """The plugin as the kubeconfig names it, without its arguments, which may be secret."""
    provided, provider = user.get("exec"), user.get("auth-provider")
    named = provider.get("name") if isinstance(provider, dict) else ""
    if isinstance(provided, dict):
        named = provided.get("command")
    return str(named or "without a name")


class _Overheard(logging.Handler):
    """What the kubernetes library logs, which would print it on standard error without a handler."""

    def __init__(self) -> None:
        super().__init__()
        self.words: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.words.append(" ".join(record.getMessage().split()))

    def __enter__(self) -> _Overheard:
        logging.getLogger().addHandler(self)
        return self

    def __exit__(self, *_raised: object) -> None:
        logging.getLogger().removeHandler(self)
