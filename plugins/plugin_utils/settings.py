# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Check and convert the ``openshift_*`` variables of an inventory: one place for names, types and defaults
(docs/reference/variables.md).

Works on plain data. Module deployment_settings calls it once for each run.
"""

from __future__ import annotations

import dataclasses
import math
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from ..module_utils.common.connect import ConnectTo
from ..module_utils.common.errors import InvalidInput, ZeroTouchError
from ..module_utils.common.problems import (
    FORBIDDEN,
    INVALID,
    REQUIRED,
    UNKNOWN_FIELD,
    UNSUPPORTED,
    Problem,
    nearest,
    nearest_of,
)
from ..module_utils.common.tls import Tls
from ..module_utils.deployment.agent.base_image import RELEASE, VERIFY, base_faults
from ..module_utils.deployment.safety.table import CONFIRMED_OVERRIDES, OVERRIDES
from ..module_utils.deployment.state.options import StateOptions, read_options
from ..module_utils.serving.options import as_provided, check_options, read_publish
from .assisted import check_assisted, read_assisted
from .capi import check_capi
from .hosts import DEFAULT_GROUPS
from .hub import check_hub, cluster_name, read_hub
from .live_options import check_live
from .paths import absolute, certificate
from .pool import agent_namespace, check_pools
from .problems import problem as _problem

METHODS = ("agent", "assisted", "hub", "capi", "hosted")
FORCES = OVERRIDES
PHASES = ("boot", "discovery", "bootstrap", "install", "operators")
# Limits of waits other than those of an agent-based installation: the phase of openshift_timeouts that sets them, and
# the default in seconds.
LIMITS: Mapping[str, tuple[str, float]] = {
    "objects": ("boot", 600.0),
    "registration": ("discovery", 2400.0),
    "requirements": ("discovery", 3600.0),
    "installation": ("install", 7200.0),
    "join": ("install", 3600.0),
    "removal": ("install", 3600.0),
}
_REHEARSAL = ("site", "base_image", "speed")
_CHECK_REPORT = ("json", "gitlab", "github")
_BASE_IMAGE = ("path", "url", "release", "stream_url", "sha256", "version", "rootfs_url", "verify")
# Names of directories below ./clusters; the check of the configuration decides what a cluster may be called.
_DIRECTORY_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_KINDS: Mapping[type, str] = {
    dict: "a mapping",
    list: "a list",
    str: "a string",
    bool: "true or false",
    int: "a number",
    float: "a number",
}
# Keys of openshift_state that may come from the environment.
STATE_ENVIRONMENT: Mapping[str, str] = {
    "kubeconfig": "OPENSHIFT_STATE_KUBECONFIG",
    "namespace": "OPENSHIFT_STATE_NAMESPACE",
    "passphrase": "OPENSHIFT_STATE_PASSPHRASE",
}
_YES, _NO = ("true", "yes", "1", "on"), ("false", "no", "0", "off", "")

# Every variable of the interface with its type; tuples are alternatives.
VARIABLES: Mapping[str, type | tuple[type, ...]] = {
    "openshift_cluster": dict,
    "openshift_host": dict,
    "openshift_host_defaults": dict,
    "openshift_bmc_defaults": dict,
    "openshift_pull_secret_file": str,
    "openshift_ssh_key_file": str,
    "openshift_groups": dict,
    "openshift_config_dir": str,
    "openshift_version": str,
    "openshift_release_image": str,
    "openshift_base_image": dict,
    "openshift_work_dir": str,
    "openshift_state": dict,
    "openshift_install_method": str,
    "openshift_publish": dict,
    "openshift_connect_to": dict,
    "openshift_ca_cert": str,
    "openshift_timeouts": dict,
    "openshift_checks": dict,
    "openshift_force": (list, str),
    "openshift_hosts": (list, str),
    "openshift_confirm": (list, str),
    "openshift_hosted_cluster": dict,
    "openshift_node_pool": dict,
    "openshift_node_pools": list,
    "openshift_destroy_purge": (bool, str),
    "openshift_hub": dict,
    "openshift_assisted": dict,
    "openshift_capi": dict,
    "openshift_infra_env": dict,
    "openshift_agent": dict,
    "openshift_plan_digest": str,
    "openshift_check_report": dict,
    "openshift_live_report": dict,
    "openshift_notify": list,
    "openshift_rehearsal": dict,
    "openshift_init": dict,
}
# What playbooks set with set_stats. In a workflow of a controller these are variables of the later jobs.
OUTPUTS = ("openshift_plan_summary", "openshift_status", "openshift_preflight")

# Those of single hosts, of which a run may have many.
OF_HOSTS = ("openshift_host", "openshift_host_defaults", "openshift_bmc_defaults", "openshift_agent")


@dataclasses.dataclass(frozen=True)
class Settings:
    """The resolved settings of a run; its secrets are the values of ``publish["headers"]`` and
    ``publish["image_access"]``. Paths are absolute.
    """

    name: str
    work_dir: str
    config_dir: str
    source_dir: str
    version: str
    release_image: str
    base_image: dict[str, str]
    method: str
    publish: dict[str, Any]
    connect_to: dict[str, str]
    ca_cert: str
    timeouts: dict[str, float]
    limits: dict[str, float]
    checks: dict[str, str]
    force: list[str]
    confirm: list[str]
    destroy_purge: bool
    plan_digest: str
    check_report: dict[str, Any]

    def as_dict(self) -> dict[str, Any]:
        return dataclasses.asdict(self)


def read_settings(variables: Mapping[str, Any], directory: str, *, building: bool = True) -> Settings:
    """Settings from variables; relative paths are from ``directory``.

    ``building`` is False where no cluster is going to be built (destroy).

    Raises :class:`InvalidInput` with every problem.
    """
    problems = check_settings(variables, directory, building=building)
    if problems:
        raise InvalidInput(problems)
    provided = _provided(variables)
    source_dir = absolute(provided.get("openshift_config_dir", ""), directory)
    cluster = provided.get("openshift_cluster", {})
    name = _name_of_deployment(provided, directory)
    timeouts = {str(key): float(value) for key, value in provided.get("openshift_timeouts", {}).items()}
    work_dir = absolute(provided.get("openshift_work_dir") or os.path.join("clusters", name), directory)
    return Settings(
        name=name,
        work_dir=work_dir,
        config_dir=os.path.join(work_dir, "config"),
        source_dir=source_dir,
        version=str(provided.get("openshift_version") or cluster.get("version") or ""),
        release_image=str(provided.get("openshift_release_image") or cluster.get("release_image") or ""),
        base_image=_base_image(provided.get("openshift_base_image", {}), directory),
        method=provided.get("openshift_install_method", "agent"),
        publish=as_provided(read_publish(provided.get("openshift_publish", {}), directory)[0]),
        connect_to={str(key): str(value) for key, value in provided.get("openshift_connect_to", {}).items()},
        ca_cert=certificate(provided.get("openshift_ca_cert", ""), directory),
        timeouts=timeouts,
        limits={name: timeouts.get(phase, default) for name, (phase, default) in LIMITS.items()},
        checks={str(key): str(value) for key, value in provided.get("openshift_checks", {}).items()},
        force=as_list(provided.get("openshift_force", [])),
        confirm=as_list(provided.get("openshift_confirm", [])),
        destroy_purge=str(provided.get("openshift_destroy_purge", False)).lower() in _YES,
        plan_digest=str(provided.get("openshift_plan_digest", "")).strip(),
        check_report=read_check_report(provided, directory)[0],
    )


def _name_of_deployment(provided: Mapping[str, Any], directory: str) -> str:
    """The cluster's name; without a cluster that of the directory with its files, of the pool, or of the InfraEnv."""
    source = os.path.basename(absolute(provided.get("openshift_config_dir", ""), directory))
    others = (
        (provided.get("openshift_node_pool") or {}).get("name"),
        (provided.get("openshift_hub") or {}).get("infra_env"),
    )
    return str((provided.get("openshift_cluster") or {}).get("name") or source or next(filter(None, others), None))


def hub_settings(variables: Mapping[str, Any], directory: str, *, building: bool = True) -> dict[str, Any]:
    """``openshift_hub`` resolved; see :func:`read_hub`.

    May hold secrets. Raises :class:`InvalidInput` with every problem of the settings.
    """
    settings = read_settings(variables, directory, building=building)
    provided = _provided(variables)
    name = cluster_name(provided, directory) or settings.name
    namespace = agent_namespace(provided, name)
    return {**read_hub(provided, name, directory), "namespace": namespace}


def assisted_settings(variables: Mapping[str, Any], directory: str, *, building: bool = True) -> dict[str, Any]:
    """``openshift_assisted`` resolved; see :func:`read_assisted`.

    May hold secrets. Raises :class:`InvalidInput` with every problem of the settings.
    """
    read_settings(variables, directory, building=building)
    return read_assisted(_provided(variables), directory)


def check_settings(
    variables: Mapping[str, Any], directory: str, *, building: bool = True, here: bool = True
) -> list[Problem]:
    """Everything that is wrong with the variables of the interface, hosts apart.

    ``here``: with what only holds on the machine of the run. Never raises.
    """
    provided = _provided(variables)
    mistyped = dict(_mistyped(provided))
    # What is not of its type is not looked into; the other variables are.
    readable = {name: value for name, value in provided.items() if name not in mistyped}
    return [
        *_unknown(variables),
        *mistyped.values(),
        *_sources(provided, readable, building=building),
        *_choices(readable),
        *_timeouts(readable),
        *_groups(readable),
        *_publish(readable, directory, building=building, here=here),
        *ConnectTo.parse(readable.get("openshift_connect_to", {}))[1],
        *_authority(readable, directory),
        *check_hub(readable),
        *state_options(readable, directory)[1],
        *_unconfirmed(readable, directory),
        *([] if "openshift_assisted" in mistyped else check_assisted(readable, os.environ)),
        *check_pools(readable),
        *read_check_report(readable, directory)[1],
        *check_live(readable),
        *check_capi(readable),
        *read_rehearsal(readable, directory)[1],
    ]


def read_rehearsal(variables: Mapping[str, Any], directory: str) -> tuple[dict[str, Any], list[Problem]]:
    """``openshift_rehearsal`` with absolute paths and its defaults, and everything that is wrong with it.

    Never raises.
    """
    options = variables.get("openshift_rehearsal") or {}
    problems = list(_keys("openshift_rehearsal", options, _REHEARSAL))
    found: dict[str, Any] = {"site": "", "base_image": "", "speed": 60.0}
    for key in ("site", "base_image"):
        if not isinstance(options.get(key, ""), str):
            problems.append(_problem(f"openshift_rehearsal.{key}", INVALID, "must be the path of a file"))
        elif options.get(key):
            found[key] = absolute(options[key], directory)
    if "speed" in options and not _positive(options["speed"]):
        problems.append(
            _problem(
                "openshift_rehearsal.speed", INVALID, "must be a number greater than 0", value=str(options["speed"])
            )
        )
    elif "speed" in options:
        found["speed"] = float(options["speed"])
    return found, problems


def read_check_report(variables: Mapping[str, Any], directory: str) -> tuple[dict[str, Any], list[Problem]]:
    """``openshift_check_report`` with absolute paths, and everything that is wrong with it. Never raises."""
    provided = variables.get("openshift_check_report") or {}
    problems = list(_keys("openshift_check_report", provided, _CHECK_REPORT))
    found: dict[str, Any] = {}
    for key in ("json", "gitlab"):
        if not isinstance(provided.get(key, ""), str):
            problems.append(_problem(f"openshift_check_report.{key}", INVALID, "must be the path of a file"))
        elif provided.get(key):
            found[key] = absolute(provided[key], directory)
    if "github" in provided:
        if str(provided["github"]).lower() not in _YES + _NO:
            problems.append(
                _problem(
                    "openshift_check_report.github", INVALID, "must be true or false", value=str(provided["github"])
                )
            )
        found["github"] = str(provided["github"]).lower() in _YES
    return found, problems


def state_options(variables: Mapping[str, Any], directory: str) -> tuple[StateOptions, list[Problem]]:
    """``openshift_state``, whose options may hold secrets, and everything that is wrong with it. Never raises."""
    provided = _with_state_of(os.environ, variables.get("openshift_state") or {})
    if isinstance(provided.get("kubeconfig"), str):
        provided["kubeconfig"] = absolute(provided["kubeconfig"], directory)
    if isinstance(provided.get("ca_cert"), str):
        provided["ca_cert"] = certificate(provided["ca_cert"], directory)
    return read_options(provided, os.environ)


def _with_state_of(environment: Mapping[str, str], provided: Mapping[str, Any]) -> dict[str, Any]:
    """``openshift_state`` over what a credential of a controller injects: a Secret with its passphrase, or the
    passphrase of another store.
    """
    found = {key: value for key, name in STATE_ENVIRONMENT.items() if (value := environment.get(name))}
    method = provided.get("method", "secret" if "kubeconfig" in found else "directory")
    if method == "secret" and not {"kubeconfig", "context", "host"} & set(provided):
        return {"method": method, **found, **provided}
    passphrase = {"passphrase": found["passphrase"]} if "passphrase" in found and method in ("secret", "http") else {}
    return {**passphrase, **provided}


def configuration_is_readable(variables: Mapping[str, Any]) -> bool:
    """Whether what describes the cluster can be looked into at all; otherwise its own problems would only be echoes."""
    provided = _provided(variables)
    wanted = {
        "openshift_cluster",
        "openshift_config_dir",
        "openshift_groups",
        "openshift_checks",
        "openshift_version",
        "openshift_release_image",
    }
    one = bool(provided.get("openshift_cluster")) != bool(provided.get("openshift_config_dir"))
    return one and not wanted & dict(_mistyped(provided)).keys()


def as_list(value: Sequence[str] | str) -> list[str]:
    """A list, also where the command line or a survey gave one word or several with commas or on lines
    (``-e openshift_force=rebuild_image``).
    """
    return (
        [item.strip() for item in value.replace("\n", ",").split(",") if item.strip()]
        if isinstance(value, str)
        else [str(item) for item in value]
    )


def _provided(variables: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in variables.items() if name in VARIABLES and value is not None}


def _unknown(variables: Mapping[str, Any]) -> list[Problem]:
    # A mistyped variable would otherwise be a setting silently not made.
    names = [
        name for name in variables if name.startswith("openshift_") and name not in VARIABLES and name not in OUTPUTS
    ]
    return [
        _problem(name, UNKNOWN_FIELD, "is not a variable of this collection", hint=nearest(name, VARIABLES))
        for name in sorted(names)
        if nearest(name, VARIABLES)
    ]


def check_host_variables(names: Mapping[str, Iterable[str]], run: Iterable[str]) -> list[Problem]:
    """Variables of hosts, names by inventory name, that the collection does not read.

    Variables of the whole ``run`` are reported for the run.
    """
    read = {*VARIABLES, *OUTPUTS, *run} - ({"openshift_hosts"} - {*run})
    found: dict[str, list[str]] = {}
    for host, provided in names.items():
        for name in provided:
            if name.startswith("openshift_") and name not in read and _meant(name):
                found.setdefault(name, []).append(host)
    return [_unread(name, found[name]) for name in sorted(found)]


def _unread(name: str, hosts: Sequence[str]) -> Problem:
    """Once for a name, with its hosts: mostly it is set for their group."""
    detail = (
        "names the hosts that a run is for" if name == "openshift_hosts" else "is not a variable of this collection"
    )
    others = f"; it is set for {len(hosts)} hosts" if len(hosts) > 1 else ""
    return _problem(f"{name}[{hosts[0]}]", UNKNOWN_FIELD, detail + others, hint=f"did you mean {_meant(name)}?")


def _meant(name: str) -> str:
    """Hosts may have variables of the user's own: what all names have in common does not make them near."""
    found = nearest_of(name.removeprefix("openshift_"), [known.removeprefix("openshift_") for known in OF_HOSTS])
    return f"openshift_{found}" if found else ""


def _mistyped(provided: Mapping[str, Any]) -> Iterator[tuple[str, Problem]]:
    for name, value in provided.items():
        wanted = VARIABLES[name]
        kinds = wanted if isinstance(wanted, tuple) else (wanted,)
        if not isinstance(value, kinds):
            words = " or ".join(
                {dict: "a mapping", list: "a list", str: "a string", bool: "true or false"}[kind] for kind in kinds
            )
            yield name, _problem(name, INVALID, f"must be {words}, not {_KINDS.get(type(value), 'that')}")
        elif name == "openshift_destroy_purge" and str(value).lower() not in _YES + _NO:
            yield name, _problem(name, INVALID, "must be true or false", value=str(value))


def _sources(provided: Mapping[str, Any], readable: Mapping[str, Any], *, building: bool) -> Iterator[Problem]:
    if provided.get("openshift_cluster") and provided.get("openshift_config_dir"):
        yield _problem(
            "openshift_config_dir", FORBIDDEN, ("openshift_cluster and openshift_config_dir are both given; give one")
        )
    elif not building and (
        (readable.get("openshift_hub") or {}).get("infra_env")
        or (readable.get("openshift_node_pool") or {}).get("name")
    ):
        return  # hosts for an InfraEnv or a pool need no cluster
    elif not any(
        provided.get(name) or (name in provided and name not in readable)
        for name in ("openshift_cluster", "openshift_config_dir")
    ):
        yield _problem(
            "openshift_cluster",
            REQUIRED,
            ("describe the cluster in openshift_cluster, or name a directory in openshift_config_dir"),
        )
    elif readable.get("openshift_cluster"):
        yield from _name(readable["openshift_cluster"].get("name"))
    if (
        building
        and provided.get("openshift_install_method", "agent") == "agent"
        and not provided.get("openshift_base_image")
    ):
        yield _problem(
            "openshift_base_image",
            REQUIRED,
            ("name the CoreOS live ISO as {path: …}, {url: …, sha256: …} or {release: auto}"),
        )
    yield from _base_image_faults(readable.get("openshift_base_image") or {})
    if (
        building
        and provided.get("openshift_config_dir")
        and not provided.get("openshift_cluster")
        and not provided.get("openshift_version")
    ):
        yield _problem(
            "openshift_version",
            REQUIRED,
            ("install-config.yaml has no version; say which release to install, such as 4.22.0"),
        )


def _name(name: Any) -> Iterator[Problem]:
    if name is None or name == "":
        yield _problem("openshift_cluster.name", REQUIRED, "the cluster needs a name")
    elif not isinstance(name, str) or not _DIRECTORY_NAME.fullmatch(name):
        yield _problem(
            "openshift_cluster.name",
            INVALID,
            "must be a name of lower case letters, digits and -",
            value=name if isinstance(name, str) else "",
        )


def _base_image_faults(provided: Mapping[str, Any]) -> Iterator[Problem]:
    yield from _keys("openshift_base_image", provided, _BASE_IMAGE)
    for key in _BASE_IMAGE:
        if not isinstance(provided.get(key, ""), str):
            yield _problem(
                f"openshift_base_image.{key}", INVALID, ("must be a string (in quotes, if YAML takes it for a number)")
            )
    for key, known in (("verify", VERIFY), ("release", RELEASE)):
        value = provided.get(key, known[0])
        if isinstance(value, str) and value not in known:
            yield _problem(
                f"openshift_base_image.{key}",
                UNSUPPORTED,
                f"supported values: {', '.join(known)}",
                value,
                hint=nearest(value, known),
            )
    if provided and set(provided) <= set(_BASE_IMAGE):
        yield from (_problem(f"openshift_base_image{key}", kind, detail) for key, kind, detail in base_faults(provided))


def _choices(provided: Mapping[str, Any]) -> Iterator[Problem]:
    method = provided.get("openshift_install_method", "agent")
    if method not in METHODS:
        yield _problem(
            "openshift_install_method",
            UNSUPPORTED,
            f"supported values: {', '.join(METHODS)}",
            hint=nearest(method, METHODS),
            value=str(method),
        )
    for force in as_list(provided.get("openshift_force", [])):
        if force not in FORCES:
            yield _problem(
                "openshift_force",
                UNSUPPORTED,
                f"supported values: {', '.join(FORCES)}",
                hint=nearest(force, FORCES),
                value=force,
            )


def _unconfirmed(provided: Mapping[str, Any], directory: str) -> Iterator[Problem]:
    """Overrides that give up what is installed need the name of the cluster, whatever the state of its machines."""
    name = _name_of_deployment(provided, directory)
    for force in as_list(provided.get("openshift_force", [])):
        if force in CONFIRMED_OVERRIDES and name not in as_list(provided.get("openshift_confirm", [])):
            yield _problem("openshift_confirm", REQUIRED, f"{force} needs the confirmation -e openshift_confirm={name}")


def _timeouts(provided: Mapping[str, Any]) -> Iterator[Problem]:
    yield from _keys("openshift_timeouts", provided.get("openshift_timeouts", {}), PHASES)
    for phase, limit in provided.get("openshift_timeouts", {}).items():
        if not _positive(limit):
            yield _problem(
                f"openshift_timeouts.{phase}", INVALID, "must be a number of seconds greater than 0", value=str(limit)
            )


def _groups(provided: Mapping[str, Any]) -> Iterator[Problem]:
    yield from _keys("openshift_groups", provided.get("openshift_groups", {}), DEFAULT_GROUPS)
    for key, name in provided.get("openshift_groups", {}).items():
        if not isinstance(name, str):
            yield _problem(f"openshift_groups.{key}", INVALID, "must be the name of a group")


def _publish(provided: Mapping[str, Any], directory: str, *, building: bool, here: bool) -> list[Problem]:
    options, problems = read_publish(provided.get("openshift_publish", {}), directory)
    # Taking down needs no place to publish.
    return problems or (check_options(options, here=here) if building else [])


def _authority(provided: Mapping[str, Any], directory: str) -> Iterator[Problem]:
    try:
        if provided.get("openshift_ca_cert"):
            Tls(ca_certs=(certificate(provided["openshift_ca_cert"], directory),), system_store=False).context()
    except ZeroTouchError as error:
        yield _problem("openshift_ca_cert", INVALID, error.message.rstrip("."))


def _keys(name: str, provided: Mapping[str, Any], known: Iterable[str]) -> Iterator[Problem]:
    names = list(known)
    for key in provided:
        if str(key) not in names:
            yield _problem(f"{name}.{key}", UNKNOWN_FIELD, f"known: {', '.join(names)}", hint=nearest(str(key), names))


def _positive(value: Any) -> bool:
    try:
        return not isinstance(value, bool) and 0 < float(value) < math.inf
    except (TypeError, ValueError, OverflowError):
        return False


def _base_image(provided: Mapping[str, Any], directory: str) -> dict[str, str]:
    return {str(key): absolute(value, directory) if key == "path" else value for key, value in provided.items()}
