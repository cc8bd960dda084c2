# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Define the options with which every module connects to a hub. Names and precedence are those of kubernetes.core.

Each option takes precedence over its environment variable. ``host`` with credentials needs no kubeconfig; else
``kubeconfig`` and ``context`` name the cluster; else the service account of the pod that Ansible runs in; else
``$KUBECONFIG`` and ``~/.kube/config``. Options that are set in addition to a kubeconfig override its values.

Source: ansible-collections/kubernetes.core plugins/module_utils/args_common.py.
"""

from __future__ import annotations

import dataclasses
import ipaddress
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from ..common import libraries
from ..common.addresses import AddressSet
from ..common.clock import Clock
from ..common.connect import ConnectTo
from ..common.errors import ZeroTouchError
from ..common.http import HttpProxy
from ..common.retry_policies import KUBE_ATTEMPTS, PATIENCE
from .client import KubeClient
from .config import (
    ConfigSource,
    KubeConfig,
    basic,
    impersonation,
    merge_sources,
    read_source,
    resolve,
    server_of,
    source_of,
)

PROXY_HEADERS: dict[str, dict[str, Any]] = {
    "proxy_basic_auth": {"type": "str", "no_log": True},
    "basic_auth": {"type": "str", "no_log": True},
    "user_agent": {"type": "str"},
}

# kubeconfig is not no_log: as a mapping it would have every leaf masked; its secret leaves are known to the module.
CONNECTION_OPTIONS: dict[str, dict[str, Any]] = {
    "kubeconfig": {"type": "raw"},
    "context": {"type": "str"},
    "host": {"type": "str"},
    "api_key": {"type": "str", "no_log": True},
    "username": {"type": "str"},
    "password": {"type": "str", "no_log": True},
    "validate_certs": {"type": "bool", "aliases": ["verify_ssl"]},
    "ca_cert": {"type": "str", "aliases": ["ssl_ca_cert"]},
    "client_cert": {"type": "path", "aliases": ["cert_file"]},
    "client_key": {"type": "path", "aliases": ["key_file"]},
    "proxy": {"type": "str"},
    "no_proxy": {"type": "str"},
    "proxy_headers": {"type": "dict", "options": PROXY_HEADERS},
    "persist_config": {"type": "bool"},
    "impersonate_user": {"type": "str"},
    "impersonate_groups": {"type": "list", "elements": "str"},
    "connect_to": {"type": "dict", "default": {}},
}

# Second names of environment variables (K8S_AUTH_VERIFY_SSL beside K8S_AUTH_VALIDATE_CERTS).
_SECOND_NAMES = {
    "validate_certs": "verify_ssl",
    "ca_cert": "ssl_ca_cert",
    "client_cert": "cert_file",
    "client_key": "key_file",
}
_NO = frozenset({"0", "false", "no"})
# Where Kubernetes puts the service account of a pod.
SERVICE_ACCOUNT = Path("/var/run/secrets/kubernetes.io/serviceaccount")
DEFAULT_KUBECONFIG = "~/.kube/config"


def connect(
    params: Mapping[str, Any],
    *,
    clock: Clock | None = None,
    attempts: int = KUBE_ATTEMPTS,
    check_mode: bool = False,
    forks: int = 8,
) -> KubeClient:
    """A client for a module's options and the environment. In check mode every write is sent as a dry run.

    Raises :class:`ZeroTouchError` that names the option, variable or file at fault, never a secret.
    """
    options = settings(params, os.environ)
    return KubeClient(
        configuration(options, os.environ),
        connect_to=ConnectTo.of(params.get("connect_to") or {}),
        clock=clock,
        attempts=attempts,
        outage=PATIENCE,
        service="The hub's API",
        dry_run=check_mode,
        connections=max(8, forks),
    )


def settings(params: Mapping[str, Any], environment: Mapping[str, str]) -> dict[str, Any]:
    """Every option that is given, else the value of its environment variable."""
    found: dict[str, Any] = {}
    for name, option in CONNECTION_OPTIONS.items():
        if name in ("proxy_headers", "connect_to"):
            continue
        value = params.get(name)
        if value is None:
            value = _from_environment(name, str(option["type"]), environment)
        if value is not None:
            found[name] = value
    headers = {key: value for key, value in (params.get("proxy_headers") or {}).items() if value}
    if not headers:
        provided = {key: environment.get(f"K8S_AUTH_PROXY_HEADERS_{key.upper()}") for key in PROXY_HEADERS}
        headers = {key: value for key, value in provided.items() if value}
    return found | ({"proxy_headers": headers} if headers else {})


def _from_environment(name: str, kind: str, environment: Mapping[str, str]) -> Any:
    names = [name] + ([_SECOND_NAMES[name]] if name in _SECOND_NAMES else [])
    text = next(
        (environment[key] for key in (f"K8S_AUTH_{each.upper()}" for each in names) if environment.get(key)), None
    )
    if text is None:
        return None
    if kind == "bool":
        return text.lower() not in _NO
    return [item for item in text.split(",") if item] if kind == "list" else text


def configuration(
    options: Mapping[str, Any], environment: Mapping[str, str], service_account: Path = SERVICE_ACCOUNT
) -> KubeConfig:
    """Where the API is and who we are, from resolved options (:func:`settings`)."""
    config = _base(options, environment, service_account)
    config = _with_options(config, options)
    if not config.authorization and not config.client_cert:
        raise ZeroTouchError(
            f"There are no credentials for {config.server}.",
            "Give api_key (K8S_AUTH_API_KEY), client_cert and client_key, or a kubeconfig whose user has some.",
        )
    return config


def _base(options: Mapping[str, Any], environment: Mapping[str, str], service_account: Path) -> KubeConfig:
    if options.get("host") and _has_credentials(options):
        return KubeConfig(server="")
    if options.get("host") and not (
        options.get("kubeconfig") or options.get("context") or _some_kubeconfig(environment)
    ):
        # whose lack of credentials is said by the caller
        return _in_cluster(environment, service_account) or KubeConfig(server="")
    persist = bool(options.get("persist_config"))
    context = str(options.get("context") or "")
    if options.get("kubeconfig") or context:
        return resolve(_source(options.get("kubeconfig"), environment), context, persist=persist)
    in_cluster = _in_cluster(environment, service_account)
    return in_cluster or resolve(_source(None, environment), persist=persist)


def where(options: Mapping[str, Any], environment: Mapping[str, str]) -> str:
    """The API's URL and from which setting it comes, by the rules of :func:`configuration`; ``options`` are those of
    the user alone.

    No credentials are fetched. Raises :class:`ZeroTouchError` for a kubeconfig that cannot be read.
    """
    found = settings(options, environment)
    by_user = (
        "openshift_hub" if any(options.get(name) for name in ("host", "kubeconfig", "context")) else "the environment"
    )
    if found.get("host"):
        return f"{found['host']} (host of {by_user})"
    context = str(found.get("context") or "")
    if found.get("kubeconfig") or context:
        kubeconfig = found.get("kubeconfig")
        name = "kubeconfig" if kubeconfig else f"context {context}"
        if isinstance(kubeconfig, str):
            name = f"kubeconfig {kubeconfig}"
        return f"{server_of(_source(kubeconfig, environment), context)} ({name} of {by_user})"
    in_cluster = _in_cluster(environment, SERVICE_ACCOUNT)
    if in_cluster is not None:
        return f"{in_cluster.server} (service account of this pod)"
    name = "$KUBECONFIG" if environment.get("KUBECONFIG") else DEFAULT_KUBECONFIG
    return f"{server_of(_source(None, environment))} ({name}, since openshift_hub names no connection)"


def _has_credentials(options: Mapping[str, Any]) -> bool:
    together = (("username", "password"), ("api_key",), ("client_cert", "client_key"))
    return any(all(options.get(name) for name in names) for names in together)


def _some_kubeconfig(environment: Mapping[str, str]) -> bool:
    """Whether there is a kubeconfig that no option names."""
    text = environment.get("KUBECONFIG") or DEFAULT_KUBECONFIG
    return any(Path(name).expanduser().exists() for name in text.split(os.pathsep) if name)


def _source(kubeconfig: Any, environment: Mapping[str, str]) -> ConfigSource:
    if isinstance(kubeconfig, Mapping):
        return source_of(kubeconfig, "kubeconfig given as a mapping")
    if kubeconfig is not None and not isinstance(kubeconfig, str):
        raise ZeroTouchError(
            "kubeconfig is neither a path nor a mapping.",
            "Set the option kubeconfig to the path or to the content of a kubeconfig.",
        )
    text = kubeconfig or environment.get("KUBECONFIG") or DEFAULT_KUBECONFIG
    paths = [Path(name).expanduser() for name in text.split(os.pathsep) if name]
    # kubectl passes over files that are missing in a list, as long as one is there.
    present = [path for path in paths if path.exists()] if len(paths) > 1 else paths
    if kubeconfig is None and not [path for path in present if path.exists()]:
        raise ZeroTouchError(
            "No connection to a hub is given: neither kubeconfig nor host (K8S_AUTH_KUBECONFIG, K8S_AUTH_HOST), and "
            f"{text} does not exist.",
            "Name the hub's kubeconfig in the option kubeconfig.",
        )
    if not present:
        raise ZeroTouchError(
            f"None of the files in kubeconfig exists: {', '.join(map(str, paths))}.",
            "Correct the paths in the option kubeconfig or in the variable KUBECONFIG.",
        )
    return merge_sources([read_source(path) for path in present])


def _in_cluster(environment: Mapping[str, str], directory: Path) -> KubeConfig | None:
    """The service account of the pod we run in, or None outside a pod.

    Its token is short-lived: it is read again when the API refuses it.
    """
    host, port = environment.get("KUBERNETES_SERVICE_HOST"), environment.get("KUBERNETES_SERVICE_PORT")
    try:
        token = (directory / "token").read_text().strip()
        ca = (directory / "ca.crt").read_text()
    except OSError:
        return None
    if not host or not port or not token:
        return None

    def again() -> KubeConfig:
        return _in_cluster(environment, directory) or config

    config = KubeConfig(
        server=f"https://[{host}]:{port}" if ":" in host else f"https://{host}:{port}",
        ca=ca,
        authorization=f"Bearer {token}",
        renew=again,
    )
    return config


def _with_options(config: KubeConfig, options: Mapping[str, Any]) -> KubeConfig:
    """The configuration with what the options say; they stay in force when credentials are renewed."""
    provided: dict[str, Any] = {}
    if options.get("host"):
        provided["server"] = str(options["host"]).rstrip("/")
    if "validate_certs" in options:
        provided["validate_certs"] = bool(options["validate_certs"])
    if options.get("ca_cert"):
        provided["ca"] = str(options["ca_cert"])
    for name in ("client_cert", "client_key"):
        if options.get(name):
            provided[name] = _read(name, str(options[name]))
    if options.get("api_key"):
        provided["authorization"] = f"Bearer {options['api_key']}"
    elif options.get("username") and options.get("password"):
        provided["authorization"] = basic(str(options["username"]), str(options["password"]))
    impersonated = impersonation(
        str(options.get("impersonate_user") or ""), [str(group) for group in options.get("impersonate_groups") or []]
    )
    if impersonated:
        provided["headers"] = {**config.headers, **impersonated}
    provided["proxy"] = _proxy(config, options, str(provided.get("server", config.server)))
    renew = None if "authorization" in provided else config.renew
    return dataclasses.replace(config, **provided, renew=(lambda: _with_options(renew(), options)) if renew else None)


def _read(option: str, name: str) -> str:
    try:
        return Path(name).expanduser().read_text()
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not PEM text"
        raise ZeroTouchError(f"{option} names {name}, which cannot be read: {reason}.") from error


def _proxy(config: KubeConfig, options: Mapping[str, Any], server: str) -> HttpProxy | None:
    url = options.get("proxy") or (config.proxy.url if config.proxy else "")
    host = urlsplit(server).hostname or ""
    if not url or bypasses_proxy(host, str(options.get("no_proxy") or "")):
        return None
    headers = options.get("proxy_headers")
    return HttpProxy(str(url), dict(libraries.urllib3.util.make_headers(**headers)) if headers else {})


def bypasses_proxy(host: str, no_proxy: str) -> bool:
    """Whether a host is in a list of names, domains (``.example.com``), addresses and networks."""
    entries = [entry.strip().lower() for entry in no_proxy.split(",") if entry.strip()]
    host = host.lower().rstrip(".")
    return (_is_address(host) and host in AddressSet(entries)) or any(_covers(entry, host) for entry in entries)


def _is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


def _covers(entry: str, host: str) -> bool:
    domain = entry.removeprefix("*").lstrip(".")
    return entry == "*" or host == domain or host.endswith(f".{domain}")
