# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Check the variables of method assisted (``openshift_assisted``, ``openshift_infra_env`` and ``openshift_agent``), and
convert them to options of modules for an assisted-service.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from ..module_utils.assisted.rest.connection import ASSISTED_OPTIONS, AUTH_KINDS, connect, settings
from ..module_utils.cluster.field_table import OWN_REQUESTS, SERVICE_REQUESTS
from ..module_utils.common.errors import InvalidInput, ZeroTouchError
from ..module_utils.common.problems import INVALID, REQUIRED, UNKNOWN_FIELD, UNSUPPORTED, Problem, nearest
from ..modules.assisted_hosts import argument_spec as hosts_spec
from ..modules.assisted_infra_env import argument_spec as infra_env_spec
from .options import check_options, read_options
from .paths import certificate
from .problems import problem as _problem

METHOD = "assisted"
IMAGES = ("direct", "publish")
_CONNECTION = tuple(name for name in ASSISTED_OPTIONS if name != "connect_to")
_OWN: tuple[str, ...] = ("cluster_id", "image")
# What the module sets by itself, from the configuration.
_INFRA_ENV_OURS = (
    "name",
    "cluster",
    "state",
    "delete_hosts",
    "hosts",
    "pull_secret",
    "replace_pull_secret",
    *ASSISTED_OPTIONS,
)
_HOST_OURS = (
    "name",
    "mac_addresses",
    "cluster",
    "unbind",
    "state",
    *(row.option for row in (*OWN_REQUESTS, *SERVICE_REQUESTS) if row.upstream),
)


def check_assisted(variables: Mapping[str, Any], environment: Mapping[str, str]) -> list[Problem]:
    """What is wrong with ``openshift_assisted``, a mapping here, and with ``openshift_infra_env`` where the method is
    this one.
    """
    provided = variables.get("openshift_assisted") or {}
    known = (*_CONNECTION, *_OWN)
    problems = [
        _problem(
            f"openshift_assisted.{key}", UNKNOWN_FIELD, f"known: {', '.join(known)}", hint=nearest(str(key), known)
        )
        for key in provided
        if str(key) not in known
    ]
    if provided.get("cluster_id") is not None and not isinstance(provided["cluster_id"], str):
        problems.append(_problem("openshift_assisted.cluster_id", INVALID, "must be a string"))
    problems += _choice("auth", provided, AUTH_KINDS) + _choice("image", provided, IMAGES)
    connection = {key: value for key, value in provided.items() if key in _CONNECTION and key != "auth"}
    options, mistyped = read_options(
        "openshift_assisted", connection, {name: ASSISTED_OPTIONS[name] for name in _CONNECTION}
    )
    problems += mistyped
    if variables.get("openshift_install_method") == METHOD:
        problems += (
            _where({**options, "auth": provided.get("auth"), "ca_cert": None}, environment) if not problems else []
        )
        because = "is set by the collection, from openshift_cluster and openshift_assisted"
        problems += check_options(
            "openshift_infra_env",
            variables.get("openshift_infra_env") or {},
            infra_env_spec(),
            ours=_INFRA_ENV_OURS,
            because=because,
        )
    return problems


def _where(options: Mapping[str, Any], environment: Mapping[str, str]) -> list[Problem]:
    try:
        if not settings(options, environment).get("service_url"):
            return [
                _problem(
                    "openshift_assisted.service_url",
                    REQUIRED,
                    ("the URL of the assisted-service, here or in ASSISTED_SERVICE_URL"),
                )
            ]
        connect(options, check_mode=True).close()  # the service is not contacted before the first request
    except InvalidInput as error:
        return [dataclasses.replace(problem, path=f"openshift_assisted.{problem.path}") for problem in error.problems]
    except ZeroTouchError as error:
        return [_problem("openshift_assisted", INVALID, str(error).rstrip("."))]
    return []


def _choice(key: str, provided: Mapping[str, Any], choices: tuple[str, ...]) -> list[Problem]:
    value = provided.get(key)
    if value is None or value in choices:
        return []
    if not isinstance(value, str):
        return [_problem(f"openshift_assisted.{key}", INVALID, "must be a string")]
    return [
        _problem(
            f"openshift_assisted.{key}",
            UNSUPPORTED,
            f"supported values: {', '.join(choices)}",
            hint=nearest(value, choices),
            value=value,
        )
    ]


def check_host_options(further: Mapping[str, Any]) -> list[Problem]:
    """What is wrong with ``openshift_agent``, given by inventory name, as further options of module assisted_hosts."""
    problems = []
    for name, provided in further.items():
        path = f"openshift_agent[{name}]"
        if provided is None:
            continue
        if not isinstance(provided, Mapping):
            problems.append(
                _problem(
                    path, INVALID, ("must be a mapping of further options of the host for the module assisted_hosts")
                )
            )
            continue
        because = "comes from openshift_host and the group of the host"
        problems += check_options(path, provided, hosts_spec()["hosts"]["options"], ours=_HOST_OURS, because=because)
    return problems


def read_assisted(variables: Mapping[str, Any], directory: str) -> dict[str, Any]:
    """``openshift_assisted`` with its defaults: ``connection`` for the modules (may hold secrets), and what else the
    roles need.

    The service's certificate is trusted by ``openshift_ca_cert`` unless it has a CA of its own.
    """
    provided = dict(variables.get("openshift_assisted") or {})
    connection = {key: provided[key] for key in _CONNECTION if provided.get(key) is not None}
    authority = connection.get("ca_cert") or variables.get("openshift_ca_cert")
    if isinstance(authority, str) and authority:
        connection["ca_cert"] = certificate(authority, directory)
    connection["connect_to"] = {
        str(key): str(value) for key, value in (variables.get("openshift_connect_to") or {}).items()
    }
    return {
        "connection": connection,
        "cluster_id": str(provided.get("cluster_id") or ""),
        "image": str(provided.get("image") or "direct"),
        "infra_env": read_options(
            "openshift_infra_env", dict(variables.get("openshift_infra_env") or {}), infra_env_spec()
        )[0],
    }


def host_options(provided: Mapping[str, Any]) -> dict[str, Any]:
    """``openshift_agent`` of a host as module assisted_hosts gets it."""
    return read_options("openshift_agent", provided, hosts_spec()["hosts"]["options"])[0]
