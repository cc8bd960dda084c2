# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Read and check the option ``openshift_state``: where the state of a deployment is kept."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping
from typing import Any, Literal, cast
from urllib.parse import urlsplit

from ...common.problems import FORBIDDEN, INVALID, REQUIRED, UNKNOWN_FIELD, UNSUPPORTED, Problem, nearest
from ...common.secrets import secret_values
from .encryption import SHORTEST_PASSPHRASE

PATH = "openshift_state"
Method = Literal["directory", "secret", "http"]
METHODS = ("directory", "secret", "http")
# Key -> type. Connection options of a Kubernetes API are named as in the modules for a hub (kube/connection.py).
_COMMON = {"method": "str", "passphrase": "str"}
_CONNECTION = {
    "kubeconfig": "raw",
    "context": "str",
    "host": "str",
    "api_key": "str",
    "username": "str",
    "password": "str",
    "client_cert": "str",
    "client_key": "str",
    "proxy": "str",
    "no_proxy": "str",
}
_TLS = {"ca_cert": "str", "validate_certs": "bool"}
KEYS: Mapping[str, Mapping[str, str]] = {
    "directory": {"method": "str", "ephemeral": "bool"},
    "secret": {**_COMMON, **_CONNECTION, **_TLS, "namespace": "str", "name": "str"},
    "http": {**_COMMON, **_TLS, "url": "str", "headers": "dict"},
}
_ALL = sorted({key for keys in KEYS.values() for key in keys})
_TYPES: Mapping[str, tuple[Any, str]] = {
    "str": (str, "a string"),
    "bool": (bool, "true or false"),
    "dict": (Mapping, "a mapping"),
    "raw": ((str, Mapping), "a path or a mapping"),
}
_CONNECTION_NAMES = ("kubeconfig", "context", "host")
_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")  # RFC 9110 5.6.2
_HEADER_VALUE = re.compile(r"[\x20-\x7e]*")
_OURS = frozenset(
    {
        "if-match",
        "if-none-match",
        "content-length",
        "content-type",
        "content-encoding",
        "transfer-encoding",
        "host",
        "connection",
    }
)
_SUBDOMAIN = re.compile(r"[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*")
_LABEL = re.compile(r"[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?")


@dataclasses.dataclass(frozen=True)
class StateOptions:
    """``connection`` is for a Kubernetes API; ``name`` of the Secret is empty for the one that is made from the
    cluster's name.
    """

    method: Method = "directory"
    ephemeral: bool = False
    passphrase: str = dataclasses.field(default="", repr=False)
    connection: Mapping[str, Any] = dataclasses.field(default_factory=dict, repr=False)
    namespace: str = ""
    name: str = ""
    url: str = ""
    headers: Mapping[str, str] = dataclasses.field(default_factory=dict, repr=False)
    ca_cert: str = ""
    validate_certs: bool = True

    def secrets(self) -> set[str]:
        """Values that must appear in no output."""
        known = {self.passphrase, *self.headers.values(), *(value.partition(" ")[2] for value in self.headers.values())}
        return {value for value in known if value.strip()} | secret_values(dict(self.connection))


def read_options(variable: Any, environment: Mapping[str, str]) -> tuple[StateOptions, list[Problem]]:
    """``openshift_state`` as options, and everything that is wrong with it.

    Never raises. Paths are absolute already.
    """
    if not isinstance(variable, Mapping):
        return StateOptions(), [Problem(PATH, INVALID, "must be a mapping with method", layer="ours", check="settings")]
    method = variable.get("method", "directory")
    if method not in METHODS:
        detail = f"supported values: {', '.join(METHODS)}"
        return StateOptions(), [
            _problem("method", UNSUPPORTED, detail, str(method)[:40], nearest(str(method), METHODS))
        ]
    problems = [problem for key in variable if (problem := _key_problem(str(key), method)) is not None]
    values: dict[str, Any] = {}
    for key, kind in KEYS[method].items():
        if variable.get(key) is None:
            continue
        if isinstance(variable[key], _TYPES[kind][0]):
            values[key] = variable[key]
        else:
            problems.append(_problem(key, INVALID, f"must be {_TYPES[kind][1]}"))
    headers = values.get("headers", {}).items()
    problems += [
        _problem(f"headers.{name}", INVALID, "must be a string")
        for name, value in headers
        if not isinstance(value, str)
    ]
    options = _options(method, values)
    return options, [
        *problems,
        *_problems(options, set(values), {str(problem.path) for problem in problems}, environment),
    ]


def _options(method: str, values: Mapping[str, Any]) -> StateOptions:
    if method == "secret":
        shared = {*_CONNECTION, *_TLS}
        own = {key: value for key, value in values.items() if key not in shared}
        return StateOptions(**own, connection={key: value for key, value in values.items() if key in shared})
    headers = {str(name): value for name, value in values.get("headers", {}).items() if isinstance(value, str)}
    return StateOptions(**{**values, "method": cast(Method, method), "headers": headers})


def _key_problem(key: str, method: str) -> Problem | None:
    if key in KEYS[method]:
        return None
    if key in _ALL:
        owners = " and ".join(name for name in METHODS if key in KEYS[name])
        return _problem(key, FORBIDDEN, f"is an option of method {owners}, not of method {method}")
    return _problem(
        key, UNKNOWN_FIELD, f"known for method {method}: {', '.join(sorted(KEYS[method]))}", hint=nearest(key, _ALL)
    )


def _problems(options: StateOptions, names: set[str], wrong: set[str], environment: Mapping[str, str]) -> list[Problem]:
    """What the values mean together; keys that are ``wrong`` already are not named twice."""
    found = []
    if options.passphrase and len(options.passphrase) < SHORTEST_PASSPHRASE:
        found.append(_problem("passphrase", INVALID, f"must have at least {SHORTEST_PASSPHRASE} characters"))
    if options.method == "secret":
        found += _secret_problems(options, names, environment)
    if options.method == "http":
        found += _http_problems(options)
    return [problem for problem in found if problem.path not in wrong]


def _secret_problems(options: StateOptions, names: set[str], environment: Mapping[str, str]) -> list[Problem]:
    found = []
    in_environment = [
        f"K8S_AUTH_{name.upper()}" for name in _CONNECTION_NAMES if environment.get(f"K8S_AUTH_{name.upper()}")
    ]
    if (
        not names.intersection(_CONNECTION_NAMES)
        and not in_environment
        and not environment.get("KUBERNETES_SERVICE_HOST")
    ):
        found.append(
            _problem(
                "kubeconfig",
                REQUIRED,
                "method secret needs kubeconfig, context or host; ~/.kube/config is not used by itself",
            )
        )
    if not options.namespace:
        found.append(_problem("namespace", REQUIRED, "method secret needs the namespace of the Secret"))
    elif not _LABEL.fullmatch(options.namespace):
        found.append(_problem("namespace", INVALID, "is not the name of a namespace", options.namespace))
    if options.name and (len(options.name) > 253 or not _SUBDOMAIN.fullmatch(options.name)):
        found.append(_problem("name", INVALID, "is not the name of a Secret", options.name))
    return found


def _http_problems(options: StateOptions) -> list[Problem]:
    found = []
    if not options.passphrase:
        found.append(_problem("passphrase", REQUIRED, "method http stores encrypted state only"))
    if not options.url:
        found.append(_problem("url", REQUIRED, "method http needs the URL of the document"))
    elif fault := _url_fault(options.url):
        found.append(_problem("url", INVALID, fault))
    elif options.headers and urlsplit(options.url).scheme == "http":
        detail = "sends the headers unencrypted, so that others on the network can read them; use https"
        found.append(dataclasses.replace(_problem("url", INVALID, detail), severity="warning"))
    for name, value in options.headers.items():
        if not _TOKEN.fullmatch(name) or name.lower() in _OURS:
            found.append(_problem("headers", INVALID, f"{name[:40]!r} is not a header that can be set"))
        elif not _HEADER_VALUE.fullmatch(value):
            found.append(_problem(f"headers.{name}", INVALID, "has characters that a header cannot have"))
    return found


def _url_fault(url: str) -> str:
    try:
        parts = urlsplit(url)
        usable = (
            parts.scheme in ("http", "https")
            and bool(parts.hostname)
            and parts.port != 0
            and url.isascii()
            and url.isprintable()
        )
    except ValueError:
        usable = False
    if not usable or " " in url:
        return "must be an http or https URL with a host"
    if "@" in parts.netloc:
        return "must not have a user or password; use headers"
    return (
        "must name a document, without query and fragment"
        if parts.path in ("", "/") or parts.query or parts.fragment
        else ""
    )


def _problem(key: str, kind: str, detail: str, value: str = "", hint: str = "") -> Problem:
    return Problem(f"{PATH}.{key}", kind, detail, layer="ours", check="settings", value=value, hint=hint)
