# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""What the ``openshift_*`` variables of an inventory mean: one place for names, types and defaults (design 1.2).

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
from ..module_utils.common.problems import FORBIDDEN, INVALID, REQUIRED, UNKNOWN_FIELD, UNSUPPORTED, Problem, nearest, nearest_of
from ..module_utils.common.tls import Tls
from ..module_utils.deployment.agent.base_image import VERIFY
from ..module_utils.deployment.safety.table import CONFIRMED_OVERRIDES, OVERRIDES
from ..module_utils.deployment.state.options import StateOptions, read_options
from ..module_utils.serving.options import as_given, check_options, read_publish
from .assisted import check_assisted, read_assisted
from .hosts import DEFAULT_GROUPS
from .hub import check_hub, cluster_name, read_hub
from .paths import absolute, certificate
from .pool import agent_namespace, check_pools
from .problems import problem as _problem

METHODS = ("agent", "assisted", "hub", "capi", "hosted")
BUILT_METHODS = ("agent", "assisted", "hub", "hosted")
FORCES = OVERRIDES
PHASES = ("boot", "discovery", "bootstrap", "install", "operators")
# Limits of waits beside those of an agent-based installation: the phase of openshift_timeouts that sets them, and the default in seconds.
LIMITS: Mapping[str, tuple[str, float]] = {
    "objects": ("boot", 600.0),
    "registration": ("discovery", 2400.0),
    "requirements": ("discovery", 3600.0),
    "installation": ("install", 7200.0),
    "join": ("install", 3600.0),
    "removal": ("install", 3600.0),
}
_BASE_IMAGE = ("path", "url", "sha256", "version", "rootfs_url", "verify")
# What can stand as a directory below ./clusters; what a cluster may be called is the configuration's to say.
_DIRECTORY_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_KINDS: Mapping[type, str] = {dict: "a mapping", list: "a list", str: "a string", bool: "true or false", int: "a number", float: "a number"}
_YES, _NO = ("true", "yes", "1", "on"), ("false", "no", "0", "off", "")

# Every variable of the interface with its type; tuples are alternatives.
VARIABLES: Mapping[str, type | tuple[type, ...]] = {
    "openshift_cluster": dict,
    "openshift_host": dict,
    "openshift_host_defaults": dict,
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
    "openshift_infra_env": dict,
    "openshift_agent": dict,
}

# Those of single hosts, of which a run may have many.
OF_HOSTS = ("openshift_host", "openshift_host_defaults", "openshift_agent")


@dataclasses.dataclass(frozen=True)
class Settings:
    """The resolved settings of a run; its secrets are the values of ``publish["headers"]`` and ``publish["image_access"]``. Paths are absolute."""

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

    def as_dict(self) -> dict[str, Any]:
        return dataclasses.asdict(self)


def read_settings(variables: Mapping[str, Any], directory: str, *, building: bool = True) -> Settings:
    """Settings from variables; relative paths are from ``directory``. ``building`` is False where no cluster is going to be built (destroy).

    Raises :class:`InvalidInput` with every problem.
    """
    problems = check_settings(variables, directory, building=building)
    if problems:
        raise InvalidInput(problems)
    given = _given(variables)
    source_dir = absolute(given.get("openshift_config_dir", ""), directory)
    cluster = given.get("openshift_cluster", {})
    name = _name_of_deployment(given, directory)
    timeouts = {str(key): float(value) for key, value in given.get("openshift_timeouts", {}).items()}
    work_dir = absolute(given.get("openshift_work_dir") or os.path.join("clusters", name), directory)
    return Settings(
        name=name,
        work_dir=work_dir,
        config_dir=os.path.join(work_dir, "config"),
        source_dir=source_dir,
        version=str(given.get("openshift_version") or cluster.get("version") or ""),
        release_image=str(given.get("openshift_release_image") or cluster.get("release_image") or ""),
        base_image=_base_image(given.get("openshift_base_image", {}), directory),
        method=given.get("openshift_install_method", "agent"),
        publish=as_given(read_publish(given.get("openshift_publish", {}), directory)[0]),
        connect_to={str(key): str(value) for key, value in given.get("openshift_connect_to", {}).items()},
        ca_cert=certificate(given.get("openshift_ca_cert", ""), directory),
        timeouts=timeouts,
        limits={name: timeouts.get(phase, default) for name, (phase, default) in LIMITS.items()},
        checks={str(key): str(value) for key, value in given.get("openshift_checks", {}).items()},
        force=as_list(given.get("openshift_force", [])),
        confirm=as_list(given.get("openshift_confirm", [])),
        destroy_purge=str(given.get("openshift_destroy_purge", False)).lower() in _YES,
    )


def _name_of_deployment(given: Mapping[str, Any], directory: str) -> str:
    """The cluster's name; without a cluster that of the directory with its files, of the pool, or of the InfraEnv."""
    source = os.path.basename(absolute(given.get("openshift_config_dir", ""), directory))
    others = ((given.get("openshift_node_pool") or {}).get("name"), (given.get("openshift_hub") or {}).get("infra_env"))
    return str((given.get("openshift_cluster") or {}).get("name") or source or next(filter(None, others), None))


def hub_settings(variables: Mapping[str, Any], directory: str, *, building: bool = True) -> dict[str, Any]:
    """``openshift_hub`` resolved; see :func:`read_hub`. May hold secrets. Raises :class:`InvalidInput` with every problem of the settings."""
    settings = read_settings(variables, directory, building=building)
    given = _given(variables)
    name = cluster_name(given, directory) or settings.name
    namespace = agent_namespace(given, name)
    return {**read_hub(given, name, directory), "namespace": namespace}


def assisted_settings(variables: Mapping[str, Any], directory: str, *, building: bool = True) -> dict[str, Any]:
    """``openshift_assisted`` resolved; see :func:`read_assisted`. May hold secrets. Raises :class:`InvalidInput` with every problem of the settings."""
    read_settings(variables, directory, building=building)
    return read_assisted(_given(variables), directory)


def check_settings(variables: Mapping[str, Any], directory: str, *, building: bool = True) -> list[Problem]:
    """Everything that is wrong with the variables of the interface, hosts apart. Never raises."""
    given = _given(variables)
    mistyped = dict(_mistyped(given))
    # What is not of its type is not looked into; the other variables are.
    readable = {name: value for name, value in given.items() if name not in mistyped}
    return [
        *_unknown(variables),
        *mistyped.values(),
        *_sources(given, readable, building=building),
        *_choices(readable),
        *_timeouts(readable),
        *_groups(readable),
        *_publish(readable, directory, building=building),
        *ConnectTo.parse(readable.get("openshift_connect_to", {}))[1],
        *_authority(readable, directory),
        *check_hub(readable),
        *state_options(readable, directory)[1],
        *_unconfirmed(readable, directory),
        *([] if "openshift_assisted" in mistyped else check_assisted(readable, os.environ)),
        *check_pools(readable),
    ]


def state_options(variables: Mapping[str, Any], directory: str) -> tuple[StateOptions, list[Problem]]:
    """``openshift_state``, whose options may hold secrets, and everything that is wrong with it. Never raises."""
    given = dict(variables.get("openshift_state") or {})
    if isinstance(given.get("kubeconfig"), str):
        given["kubeconfig"] = absolute(given["kubeconfig"], directory)
    if isinstance(given.get("ca_cert"), str):
        given["ca_cert"] = certificate(given["ca_cert"], directory)
    return read_options(given, os.environ)


def configuration_is_readable(variables: Mapping[str, Any]) -> bool:
    """Whether what describes the cluster can be looked into at all; otherwise its own problems would only be echoes."""
    given = _given(variables)
    wanted = {"openshift_cluster", "openshift_config_dir", "openshift_groups", "openshift_checks", "openshift_version", "openshift_release_image"}
    one = bool(given.get("openshift_cluster")) != bool(given.get("openshift_config_dir"))
    return one and not wanted & dict(_mistyped(given)).keys()


def as_list(value: Sequence[str] | str) -> list[str]:
    """A list, also where the command line gave one word or several with commas (``-e openshift_force=rebuild_image``)."""
    return [item.strip() for item in value.split(",") if item.strip()] if isinstance(value, str) else [str(item) for item in value]


def _given(variables: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in variables.items() if name in VARIABLES and value is not None}


def _unknown(variables: Mapping[str, Any]) -> list[Problem]:
    # A mistyped variable would otherwise be a setting silently not made.
    names = [name for name in variables if name.startswith("openshift_") and name not in VARIABLES]
    return [
        _problem(name, UNKNOWN_FIELD, "is not a variable of this collection", hint=nearest(name, VARIABLES))
        for name in sorted(names)
        if nearest(name, VARIABLES)
    ]


def check_host_variables(names: Mapping[str, Iterable[str]], run: Iterable[str]) -> list[Problem]:
    """Variables of hosts, names by inventory name, that nobody reads there; what the whole run has (``run``) is told of it, not of its hosts."""
    read = {*VARIABLES, *run} - ({"openshift_hosts"} - {*run})
    found: dict[str, list[str]] = {}
    for host, given in names.items():
        for name in given:
            if name.startswith("openshift_") and name not in read and _meant(name):
                found.setdefault(name, []).append(host)
    return [_unread(name, found[name]) for name in sorted(found)]


def _unread(name: str, hosts: Sequence[str]) -> Problem:
    """Once for a name, with its hosts: mostly it stands at their group."""
    detail = "names the hosts that a run is for" if name == "openshift_hosts" else "is not a variable of this collection"
    others = f"; it stands at {len(hosts)} hosts" if len(hosts) > 1 else ""
    return _problem(f"{name}[{hosts[0]}]", UNKNOWN_FIELD, detail + others, hint=f"did you mean {_meant(name)}?")


def _meant(name: str) -> str:
    """Hosts may have variables of the user's own: what all names have in common does not make them near."""
    found = nearest_of(name.removeprefix("openshift_"), [known.removeprefix("openshift_") for known in OF_HOSTS])
    return f"openshift_{found}" if found else ""


def _mistyped(given: Mapping[str, Any]) -> Iterator[tuple[str, Problem]]:
    for name, value in given.items():
        wanted = VARIABLES[name]
        kinds = wanted if isinstance(wanted, tuple) else (wanted,)
        if not isinstance(value, kinds):
            words = " or ".join({dict: "a mapping", list: "a list", str: "a string", bool: "true or false"}[kind] for kind in kinds)
            yield name, _problem(name, INVALID, f"must be {words}, not {_KINDS.get(type(value), 'that')}")
        elif name == "openshift_destroy_purge" and str(value).lower() not in _YES + _NO:
            yield name, _problem(name, INVALID, "must be true or false", value=str(value))


def _sources(given: Mapping[str, Any], readable: Mapping[str, Any], *, building: bool) -> Iterator[Problem]:
    if given.get("openshift_cluster") and given.get("openshift_config_dir"):
        yield _problem("openshift_config_dir", FORBIDDEN, "openshift_cluster and openshift_config_dir are both given; give one")
    elif not building and ((readable.get("openshift_hub") or {}).get("infra_env") or (readable.get("openshift_node_pool") or {}).get("name")):
        return  # hosts for an InfraEnv or a pool need no cluster
    elif not any(given.get(name) or (name in given and name not in readable) for name in ("openshift_cluster", "openshift_config_dir")):
        yield _problem("openshift_cluster", REQUIRED, "describe the cluster in openshift_cluster, or name a directory in openshift_config_dir")
    elif readable.get("openshift_cluster"):
        yield from _name(readable["openshift_cluster"].get("name"))
    if building and given.get("openshift_install_method", "agent") == "agent" and not given.get("openshift_base_image"):
        yield _problem("openshift_base_image", REQUIRED, "name the CoreOS live ISO as {path: …} or {url: …, sha256: …}")
    yield from _base_image_faults(readable.get("openshift_base_image") or {})
    if building and given.get("openshift_config_dir") and not given.get("openshift_cluster") and not given.get("openshift_version"):
        yield _problem("openshift_version", REQUIRED, "install-config.yaml has no version; say which release to install, such as 4.22.0")


def _name(name: Any) -> Iterator[Problem]:
    if name is None or name == "":
        yield _problem("openshift_cluster.name", REQUIRED, "the cluster needs a name")
    elif not isinstance(name, str) or not _DIRECTORY_NAME.fullmatch(name):
        yield _problem("openshift_cluster.name", INVALID, "must be a name of lower case letters, digits and -", value=name if isinstance(name, str) else "")


def _base_image_faults(given: Mapping[str, Any]) -> Iterator[Problem]:
    yield from _keys("openshift_base_image", given, _BASE_IMAGE)
    for key in _BASE_IMAGE:
        if not isinstance(given.get(key, ""), str):
            yield _problem(f"openshift_base_image.{key}", INVALID, "must be a string (in quotes, if YAML takes it for a number)")
    verify = given.get("verify", VERIFY[0])
    if isinstance(verify, str) and verify not in VERIFY:
        yield _problem("openshift_base_image.verify", UNSUPPORTED, f"supported values: {', '.join(VERIFY)}", verify, hint=nearest(verify, VERIFY))


def _choices(given: Mapping[str, Any]) -> Iterator[Problem]:
    method = given.get("openshift_install_method", "agent")
    if method not in METHODS:
        yield _problem("openshift_install_method", UNSUPPORTED, f"supported values: {', '.join(METHODS)}", hint=nearest(method, METHODS), value=str(method))
    elif method not in BUILT_METHODS:
        yield _problem("openshift_install_method", UNSUPPORTED, f"method {method} is not part of this version")
    for force in as_list(given.get("openshift_force", [])):
        if force not in FORCES:
            yield _problem("openshift_force", UNSUPPORTED, f"supported values: {', '.join(FORCES)}", hint=nearest(force, FORCES), value=force)


def _unconfirmed(given: Mapping[str, Any], directory: str) -> Iterator[Problem]:
    """Overrides that give up what is installed need the name of the cluster, whatever the state of its machines."""
    name = _name_of_deployment(given, directory)
    for force in as_list(given.get("openshift_force", [])):
        if force in CONFIRMED_OVERRIDES and name not in as_list(given.get("openshift_confirm", [])):
            yield _problem("openshift_confirm", REQUIRED, f"{force} needs the confirmation -e openshift_confirm={name}")


def _timeouts(given: Mapping[str, Any]) -> Iterator[Problem]:
    yield from _keys("openshift_timeouts", given.get("openshift_timeouts", {}), PHASES)
    for phase, limit in given.get("openshift_timeouts", {}).items():
        if not _positive(limit):
            yield _problem(f"openshift_timeouts.{phase}", INVALID, "must be a number of seconds greater than 0", value=str(limit))


def _groups(given: Mapping[str, Any]) -> Iterator[Problem]:
    yield from _keys("openshift_groups", given.get("openshift_groups", {}), DEFAULT_GROUPS)
    for key, name in given.get("openshift_groups", {}).items():
        if not isinstance(name, str):
            yield _problem(f"openshift_groups.{key}", INVALID, "must be the name of a group")


def _publish(given: Mapping[str, Any], directory: str, *, building: bool) -> list[Problem]:
    options, problems = read_publish(given.get("openshift_publish", {}), directory)
    # Taking down needs no place to publish.
    return problems or (check_options(options) if building else [])


def _authority(given: Mapping[str, Any], directory: str) -> Iterator[Problem]:
    try:
        if given.get("openshift_ca_cert"):
            Tls(ca_certs=(certificate(given["openshift_ca_cert"], directory),), system_store=False).context()
    except ZeroTouchError as error:
        yield _problem("openshift_ca_cert", INVALID, error.message.rstrip("."))


def _keys(name: str, given: Mapping[str, Any], known: Iterable[str]) -> Iterator[Problem]:
    names = list(known)
    for key in given:
        if str(key) not in names:
            yield _problem(f"{name}.{key}", UNKNOWN_FIELD, f"known: {', '.join(names)}", hint=nearest(str(key), names))


def _positive(value: Any) -> bool:
    try:
        return not isinstance(value, bool) and 0 < float(value) < math.inf
    except (TypeError, ValueError, OverflowError):
        return False


def _base_image(given: Mapping[str, Any], directory: str) -> dict[str, str]:
    return {str(key): absolute(value, directory) if key == "path" else value for key, value in given.items()}
