# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""What the ``openshift_*`` variables of an inventory mean: one place for names, types and defaults (design 1.2).

Works on plain data; the lookup plugin ``deployment`` is its door.
"""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ..module_utils.common.errors import InvalidInput
from ..module_utils.common.problems import FORBIDDEN, INVALID, REQUIRED, UNKNOWN_FIELD, UNSUPPORTED, Problem, nearest

DEFAULT_GROUPS = {"control_plane": "control_plane", "workers": "workers", "arbiters": "arbiters"}
# Our names of the groups -> upstream's roles, in the order in which hosts are numbered.
GROUP_ROLES = {"control_plane": "master", "arbiters": "arbiter", "workers": "worker"}
METHODS = ("agent", "assisted", "hub", "capi", "hosted")
BUILT_METHODS = ("agent",)
BOOT_METHODS = ("bmc", "manual", "libvirt", "pxe")
BUILT_BOOT_METHODS = ("bmc", "manual")
FORCES = ("rebuild_image", "reboot_joined_hosts", "start_over")
PHASES = ("boot", "discovery", "bootstrap", "install", "operators")
_PUBLISH = {"method": str, "listen": str, "port": int, "url": str, "directory": str, "mode": str, "tls": dict}
_BASE_IMAGE = {"path": str, "url": str, "sha256": str, "version": str}

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
    "openshift_install_method": str,
    "openshift_publish": dict,
    "openshift_connect_to": dict,
    "openshift_ca_cert": str,
    "openshift_timeouts": dict,
    "openshift_checks": dict,
    "openshift_force": (list, str),
    "openshift_hosts": (list, str),
    "openshift_confirm": str,
    "openshift_node_pool": dict,
    "openshift_destroy_purge": (bool, str),
}


@dataclasses.dataclass(frozen=True)
class Settings:
    """The resolved settings of a run; holds no secret. Paths are absolute."""

    name: str
    work_dir: str
    config_dir: str
    source_dir: str
    version: str
    release_image: str
    base_image: dict[str, Any]
    method: str
    publish: dict[str, Any]
    connect_to: dict[str, str]
    ca_cert: str
    timeouts: dict[str, float]
    checks: dict[str, str]
    force: list[str]
    confirm: str
    destroy_purge: bool

    def as_dict(self) -> dict[str, Any]:
        return dataclasses.asdict(self)


def read_settings(variables: Mapping[str, Any], directory: str, *, building: bool = True) -> Settings:
    """Settings from variables; relative paths are from ``directory``. ``building`` is False where no cluster is going to be built (destroy).

    Raises :class:`InvalidInput` with every problem.
    """
    given = {name: value for name, value in variables.items() if name in VARIABLES and value is not None}
    problems = [*_unknown(variables), *_mistyped(given)]
    if problems:
        raise InvalidInput(problems)
    problems += [*_sources(given, building=building), *_choices(given)]
    if problems:
        raise InvalidInput(problems)
    source_dir = _absolute(given.get("openshift_config_dir", ""), directory)
    name = str(given.get("openshift_cluster", {}).get("name") or os.path.basename(source_dir))
    work_dir = _absolute(given.get("openshift_work_dir") or os.path.join("clusters", name), directory)
    cluster = given.get("openshift_cluster", {})
    return Settings(
        name=name,
        work_dir=work_dir,
        config_dir=os.path.join(work_dir, "config"),
        source_dir=source_dir,
        version=str(given.get("openshift_version") or cluster.get("version") or ""),
        release_image=str(given.get("openshift_release_image") or cluster.get("release_image") or ""),
        base_image=_base_image(given.get("openshift_base_image", {}), directory),
        method=given.get("openshift_install_method", "agent"),
        publish=_publish(given.get("openshift_publish", {}), directory),
        connect_to={str(key): str(value) for key, value in given.get("openshift_connect_to", {}).items()},
        ca_cert=_certificate(given.get("openshift_ca_cert", ""), directory),
        timeouts={str(key): float(value) for key, value in given.get("openshift_timeouts", {}).items()},
        checks={str(key): str(value) for key, value in given.get("openshift_checks", {}).items()},
        force=as_list(given.get("openshift_force", [])),
        confirm=str(given.get("openshift_confirm", "")),
        destroy_purge=str(given.get("openshift_destroy_purge", False)).lower() in ("true", "yes", "1", "on"),
    )


def as_list(value: Sequence[str] | str) -> list[str]:
    """A list, also where the command line gave one word or several with commas (``-e openshift_force=rebuild_image``)."""
    return [item.strip() for item in value.split(",") if item.strip()] if isinstance(value, str) else [str(item) for item in value]


def inventory_hosts(
    groups: Mapping[str, Sequence[str]], hostvars: Mapping[str, Mapping[str, Any]], names: Mapping[str, str], directory: str
) -> list[dict[str, Any]]:
    """Hosts of the role groups in inventory order: ``{inventory_name, role, **openshift_host}``, each over its ``openshift_host_defaults``.

    A host in two role groups is listed twice; the configuration room reports that. Raises :class:`InvalidInput` for an ``openshift_host`` that is not a
    mapping and for boot methods that are not there. A relative ``bmc.ca_cert`` is from ``directory``.
    """
    problems: list[Problem] = []
    found = []
    for group, role in GROUP_ROLES.items():
        for name in groups.get(names.get(group, group), ()):
            own = hostvars[name].get("openshift_host") or {}
            defaults = hostvars[name].get("openshift_host_defaults") or {}
            if not isinstance(own, Mapping) or not isinstance(defaults, Mapping):
                problems.append(_problem(f"openshift_host[{name}]", INVALID, "must be a mapping"))
                continue
            merged = merge(defaults, own)
            problems += _boot_method(name, merged)
            bmc = merged.get("bmc")
            if isinstance(bmc, Mapping) and isinstance(bmc.get("ca_cert"), str):
                merged["bmc"] = {**bmc, "ca_cert": _certificate(bmc["ca_cert"], directory)}
            found.append({"inventory_name": name, "role": role, **merged})
    if problems:
        raise InvalidInput(problems)
    return found


def bmc_hosts(hosts: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The hosts that boot through a BMC, as the BMC doors take them."""
    return [
        {
            "name": str(host.get("hostname") or host["inventory_name"]),
            "bmc": dict(host["bmc"]),
            "mac_addresses": [str(nic["mac_address"]) for nic in host.get("interfaces") or () if isinstance(nic, Mapping) and nic.get("mac_address")],
        }
        for host in hosts
        if boot_method(host) == "bmc" and isinstance(host.get("bmc"), Mapping)
    ]


def boot_method(host: Mapping[str, Any]) -> str:
    boot = host.get("boot")
    method = boot.get("method") if isinstance(boot, Mapping) else None
    return str(method or ("bmc" if host.get("bmc") else "manual"))


def merge(under: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    """Deep merge of mappings; everything else of ``over`` replaces what ``under`` says."""
    merged = dict(under)
    for key, value in over.items():
        below = merged.get(key)
        merged[key] = merge(below, value) if isinstance(below, Mapping) and isinstance(value, Mapping) else value
    return merged


def _unknown(variables: Mapping[str, Any]) -> list[Problem]:
    # A mistyped variable would otherwise be a setting silently not made.
    names = [name for name in variables if name.startswith("openshift_") and name not in VARIABLES]
    return [
        _problem(name, UNKNOWN_FIELD, "is not a variable of this collection", nearest(name, VARIABLES)) for name in sorted(names) if nearest(name, VARIABLES)
    ]


def _mistyped(given: Mapping[str, Any]) -> list[Problem]:
    problems = []
    for name, value in given.items():
        wanted = VARIABLES[name]
        kinds = wanted if isinstance(wanted, tuple) else (wanted,)
        if not isinstance(value, kinds):
            words = " or ".join({dict: "a mapping", list: "a list", str: "a string", bool: "true or false"}[kind] for kind in kinds)
            problems.append(_problem(name, INVALID, f"must be {words}, not {type(value).__name__.removeprefix('_Ansible').removeprefix('Tagged').lower()}"))
    return problems


def _sources(given: Mapping[str, Any], *, building: bool) -> list[Problem]:
    if given.get("openshift_cluster") and given.get("openshift_config_dir"):
        return [_problem("openshift_config_dir", FORBIDDEN, "openshift_cluster and openshift_config_dir are both given; give one")]
    if not given.get("openshift_cluster") and not given.get("openshift_config_dir"):
        return [_problem("openshift_cluster", REQUIRED, "describe the cluster in openshift_cluster, or name a directory in openshift_config_dir")]
    problems = []
    if given.get("openshift_cluster") and not given["openshift_cluster"].get("name"):
        problems.append(_problem("openshift_cluster.name", REQUIRED, "the cluster needs a name"))
    if building and not given.get("openshift_base_image"):
        problems.append(_problem("openshift_base_image", REQUIRED, "name the CoreOS live ISO as {path: …} or {url: …, sha256: …}"))
    if building and given.get("openshift_config_dir") and not given.get("openshift_version"):
        problems.append(_problem("openshift_version", REQUIRED, "install-config.yaml has no version; say which release to install, such as 4.22.0"))
    return problems


def _choices(given: Mapping[str, Any]) -> list[Problem]:
    problems = []
    method = given.get("openshift_install_method", "agent")
    if method not in METHODS:
        problems.append(_problem("openshift_install_method", UNSUPPORTED, f"supported values: {', '.join(METHODS)}", nearest(method, METHODS), str(method)))
    elif method not in BUILT_METHODS:
        problems.append(_problem("openshift_install_method", UNSUPPORTED, f"method {method} is not part of this version"))
    problems += [
        _problem("openshift_force", UNSUPPORTED, f"supported values: {', '.join(FORCES)}", nearest(force, FORCES), force)
        for force in as_list(given.get("openshift_force", []))
        if force not in FORCES
    ]
    problems += _keys("openshift_groups", given, DEFAULT_GROUPS)
    problems += _keys("openshift_publish", given, _PUBLISH)
    problems += _keys("openshift_base_image", given, _BASE_IMAGE)
    problems += _keys("openshift_timeouts", given, PHASES)
    problems += [
        _problem(f"openshift_timeouts.{phase}", INVALID, "must be a number of seconds greater than 0", value=str(limit))
        for phase, limit in given.get("openshift_timeouts", {}).items()
        if not _positive(limit)
    ]
    publish = given.get("openshift_publish", {}).get("method", "serve")
    if publish not in ("serve", "directory", "none"):
        problems.append(_problem("openshift_publish.method", UNSUPPORTED, "supported values: serve, directory, none", value=str(publish)))
    return problems


def _keys(name: str, given: Mapping[str, Any], known: Iterable[str]) -> list[Problem]:
    names = list(known)
    return [
        _problem(f"{name}.{key}", UNKNOWN_FIELD, f"known: {', '.join(names)}", nearest(str(key), names)) for key in given.get(name, {}) if str(key) not in names
    ]


def _boot_method(name: str, host: Mapping[str, Any]) -> list[Problem]:
    method = boot_method(host)
    path = f"openshift_host[{name}].boot.method"
    if method not in BOOT_METHODS:
        return [_problem(path, UNSUPPORTED, f"supported values: {', '.join(BOOT_METHODS)}", nearest(method, BOOT_METHODS), method)]
    if method not in BUILT_BOOT_METHODS:
        return [_problem(path, UNSUPPORTED, f"boot method {method} is not part of this version")]
    if method == "bmc" and not host.get("bmc"):
        return [_problem(f"openshift_host[{name}].bmc", REQUIRED, "boot method bmc needs a BMC address")]
    return []


def _positive(value: Any) -> bool:
    try:
        return float(value) > 0
    except (TypeError, ValueError):
        return False


def _base_image(given: Mapping[str, Any], directory: str) -> dict[str, Any]:
    return {key: _absolute(str(value), directory) if key == "path" else str(value) for key, value in given.items()}


def _publish(given: Mapping[str, Any], directory: str) -> dict[str, Any]:
    publish = {"method": "serve", "mode": "0640", **given}
    return {key: _absolute(str(value), directory) if key == "directory" and value else value for key, value in publish.items()}


def _certificate(given: str, directory: str) -> str:
    return given if "-----BEGIN" in given else _absolute(given, directory)


def _absolute(path: str, directory: str) -> str:
    return os.path.normpath(os.path.join(directory, os.path.expanduser(path))) if path else ""


def _problem(path: str, kind: str, detail: str, hint: str = "", value: str = "") -> Problem:
    return Problem(path, kind, detail, layer="ours", check="settings", hint=hint, value=value)
