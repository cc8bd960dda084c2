# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Define the options by which every module connects to an assisted-service, and open the connection.

Each option has precedence over its environment variable.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import urlsplit

from ...common.clock import Clock, SystemClock
from ...common.connect import ConnectTo
from ...common.errors import InvalidInput, ZeroTouchError
from ...common.http import HttpClient, HttpProxy
from ...common.problems import FORBIDDEN, INVALID, REQUIRED, OwnCheck
from ...common.retry_policies import PATIENCE
from ...common.tls import Tls
from ...common.urls import split_remote
from .auth import HOSTED_TOKEN_URL, Auth, FixedTokens, ObjectToken, OfflineToken
from .service import AssistedService

_problem = OwnCheck("connection")

AUTH_KINDS = ("none", "agent-local", "local", "offline")

ASSISTED_OPTIONS: dict[str, dict[str, Any]] = {
    "service_url": {"type": "str"},
    "auth": {"type": "str", "choices": list(AUTH_KINDS)},
    "token": {"type": "str", "no_log": True},
    "watcher_token": {"type": "str", "no_log": True},
    "offline_token": {"type": "str", "no_log": True},
    "token_url": {"type": "str", "no_log": False},
    "validate_certs": {"type": "bool"},
    "ca_cert": {"type": "str"},
    "proxy": {"type": "str"},
    "request_timeout": {"type": "float"},
    "retries": {"type": "int"},
    "connect_to": {"type": "dict", "default": {}},
}
# Of the modules that create something; documentation fragment assisted.pull_secret.
PULL_SECRET_OPTIONS: dict[str, dict[str, Any]] = {
    # as a mapping it would have every leaf masked; the module knows what is secret in it
    "pull_secret": {"type": "raw", "no_log": False},
    "replace_pull_secret": {"type": "bool", "default": False, "no_log": False},
}
DEFAULTS: dict[str, Any] = {
    "validate_certs": True,
    "request_timeout": 30.0,
    "retries": 4,
    "token_url": HOSTED_TOKEN_URL,
}
_SECRETS = ("token", "watcher_token", "offline_token", "proxy")
_NO = frozenset({"0", "false", "no", "off"})
_BASE = "/api/assisted-install"


def connect(
    params: Mapping[str, Any],
    clock: Clock | None = None,
    check_mode: bool = False,
    *,
    learnt: Callable[[set[str]], None] = lambda found: None,
    warn: Callable[[str], None] = lambda text: None,
    forks: int = 8,
) -> AssistedService:
    """The service that a module's options and the environment name.

    In check mode it refuses to write. ``learnt`` receives secrets that no option held, ``warn`` what a user should know
    of the connection.

    Raises :class:`InvalidInput` that names the options at fault, never a secret.
    """
    options = settings(params, os.environ)
    _check(options)
    learnt({str(options[name]) for name in _SECRETS if options.get(name) and params.get(name) is None})
    if not options["validate_certs"] and options["service_url"].startswith("https:"):
        warn("The certificate of the assisted-service is not checked (validate_certs is false).")
    time = clock or SystemClock()
    connections: dict[str, Any] = {
        "tls": Tls(options["validate_certs"], (options["ca_cert"],) if options.get("ca_cert") else ()),
        "connect_to": ConnectTo.of(params.get("connect_to") or {}),
        "timeout": options["request_timeout"],
        "proxy": HttpProxy(options["proxy"]) if options.get("proxy") else None,
    }
    return AssistedService(
        _base_url(options["service_url"]),
        _auth(options, time, connections, learnt),
        service=f"assisted-service at {urlsplit(options['service_url']).netloc.rpartition('@')[2]}",
        clock=time,
        attempts=options["retries"] + 1,
        patience=PATIENCE if options["retries"] else 0.0,
        read_only=check_mode,
        connections=max(8, forks),
        **connections,
    )


def settings(params: Mapping[str, Any], environment: Mapping[str, str]) -> dict[str, Any]:
    """Every option that is given, else the value of its environment variable, else its default.

    Raises :class:`InvalidInput`.
    """
    found = dict(DEFAULTS)
    for name, option in ASSISTED_OPTIONS.items():
        value = params.get(name)
        if value is None and name != "connect_to":
            value = _from_environment(name, str(option["type"]), environment)
        if value is not None:
            found[name] = value
    found.setdefault("auth", _kind_of(found))
    return found


def _kind_of(options: Mapping[str, Any]) -> str:
    if options.get("offline_token"):
        return "offline"
    return "agent-local" if options.get("token") or options.get("watcher_token") else "none"


def _from_environment(name: str, kind: str, environment: Mapping[str, str]) -> Any:
    variable = f"ASSISTED_{name.upper()}"
    text = environment.get(variable)
    if not text:
        return None
    if kind == "bool":
        return text.lower() not in _NO
    try:
        return {"int": int, "float": float}.get(kind, str)(text)
    except ValueError:
        raise InvalidInput([_problem(variable, INVALID, "is not a number", text)]) from None


def _check(options: Mapping[str, Any]) -> None:
    problems = []
    url = split_remote(str(options.get("service_url") or ""))
    if not options.get("service_url"):
        problems.append(
            _problem("service_url", REQUIRED, ("give the URL of the assisted-service, or ASSISTED_SERVICE_URL"))
        )
    elif url.scheme not in ("http", "https") or not url.hostname:
        problems.append(_problem("service_url", INVALID, "is not of the form http[s]://host[:port]"))
    elif url.username or url.password:
        problems.append(
            _problem("service_url", FORBIDDEN, ("holds a user; credentials belong in token or offline_token"))
        )
    if options["auth"] not in AUTH_KINDS:
        problems.append(_problem("auth", INVALID, f"must be one of {', '.join(AUTH_KINDS)}", str(options["auth"])))
    needed = {"agent-local": ("token", "watcher_token"), "local": ("token",), "offline": ("offline_token",)}.get(
        options["auth"], ()
    )
    if needed and not any(options.get(name) for name in needed):
        problems.append(_problem(needed[0], REQUIRED, f"auth {options['auth']} needs it"))
    if options["retries"] < 0 or options["request_timeout"] <= 0:
        problems.append(_problem("retries and request_timeout", INVALID, "must not be negative, the latter not zero"))
    if problems:
        raise InvalidInput(problems)


def _base_url(url: str) -> str:
    """Where the paths of the client begin; a URL that already ends with the service's base path is taken as well."""
    bare = url.rstrip("/").removesuffix("/v2").rstrip("/")
    return bare.removesuffix(_BASE) or bare


def _auth(
    options: Mapping[str, Any], clock: Clock, connections: Mapping[str, Any], learnt: Callable[[set[str]], None]
) -> Auth:
    kind = options["auth"]
    if kind == "offline":
        url = str(options["token_url"])
        if split_remote(url).scheme not in ("http", "https"):
            raise ZeroTouchError(
                f"token_url {url[:100]!r} is not a URL of the form https://host/path.", "Correct the option token_url."
            )
        return OfflineToken(
            str(options["offline_token"]),
            url,
            HttpClient("The server of access tokens", url, **connections),
            clock,
            learnt,
            options["retries"] + 1,
        )
    if kind == "local":
        return ObjectToken(str(options["token"]))
    return (
        FixedTokens(str(options.get("watcher_token") or ""), str(options.get("token") or ""))
        if kind == "agent-local"
        else FixedTokens()
    )
