# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Check the variables of method capi, and convert ``openshift_capi``, ``openshift_cluster`` and the hosts to options of
module assisted_control_plane.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..module_utils.cluster.variables import read_variables
from ..module_utils.common.errors import InvalidInput
from ..module_utils.common.problems import FORBIDDEN, INVALID, Problem
from ..module_utils.deployment.capi.desired import control_plane_options, pools_of, unusable
from ..module_utils.kube.connection import CONNECTION_OPTIONS
from ..modules.assisted_control_plane import argument_spec
from .options import check_options, read_options
from .problems import problem as _problem

METHOD = "capi"
# Options that the collection sets itself: from openshift_cluster, the inventory, and what a playbook decides.
_FROM_CLUSTER = (
    *(
        "name",
        "version",
        "base_domain",
        "api_vips",
        "ingress_vips",
        "pull_secret",
        "ssh_public_keys",
        "cluster_network",
        "host_prefixes",
    ),
    *("machine_network", "cluster_proxy", "capabilities", "install_config_overrides", "image_registry"),
)
_OURS = (
    *_FROM_CLUSTER,
    *(
        "state",
        "namespace",
        "hosts",
        "delete_first",
        "recreate",
        "release_hosts",
        "wait_for",
        "timeout",
        "work_dir",
        "forks",
    ),
    *CONNECTION_OPTIONS,
)
_HOSTS = "hosts"


def check_capi(variables: Mapping[str, Any]) -> list[Problem]:
    """What is wrong with ``openshift_capi``, a mapping here, and with variables that mean nothing to this method."""
    provided = variables.get("openshift_capi") or {}
    problems = [] if variables.get("openshift_install_method") != METHOD else _useless(variables)
    pools = provided.get("machine_deployments")
    if isinstance(pools, list):
        for index, pool in enumerate(pools):
            listed = pool.get(_HOSTS) if isinstance(pool, Mapping) else None
            if listed is not None and not (isinstance(listed, list) and all(isinstance(name, str) for name in listed)):
                problems.append(
                    _problem(
                        f"openshift_capi.machine_deployments[{index}].{_HOSTS}",
                        INVALID,
                        "must be a list of hosts of the inventory",
                    )
                )
    because = "comes from openshift_cluster, openshift_hub and the hosts of the inventory"
    return [
        *problems,
        *check_options("openshift_capi", _without_hosts(provided), argument_spec(), ours=_OURS, because=because),
    ]


def check_description(variables: Mapping[str, Any], hosts: Sequence[Mapping[str, Any]]) -> list[Problem]:
    """What the description of cluster and hosts contains that the providers do not support.

    The check of the configuration reports what cannot be read.
    """
    parsed = read_variables(_with_version(variables), hosts)
    return unusable(parsed.deployment, variables.get("openshift_capi") or {}) if parsed.deployment is not None else []


def read_capi(
    variables: Mapping[str, Any],
    hosts: Sequence[Mapping[str, Any]],
    bmcs: Mapping[str, Mapping[str, Any]],
    namespace: str,
) -> dict[str, Any]:
    """``options`` of module assisted_control_plane (with secrets), and ``pools``: name, replicas of a new one, and
    hosts of each.

    ``bmcs`` are the BMCs by hostname, as modules take them. Raises :class:`InvalidInput` for what cannot be read.
    """
    provided = variables.get("openshift_capi") or {}
    options: dict[str, Any] = _set_values(read_options("openshift_capi", _without_hosts(provided), argument_spec())[0])
    pools = [{**option, _HOSTS: list(pool.get(_HOSTS) or ())} for option, pool in _pairs(options, provided)]
    resolved = {**options, **({"machine_deployments": pools} if pools else {})}
    parsed = read_variables(_with_version(variables), hosts)
    if parsed.deployment is None:
        raise InvalidInput(parsed.problems)
    if problems := unusable(parsed.deployment, resolved):
        raise InvalidInput(problems)
    listed = [
        {"name": pool.name, "replicas": pool.initial, "hosts": list(pool.hosts)}
        for pool in pools_of(parsed.deployment, resolved)
    ]
    return {"options": control_plane_options(parsed.deployment, resolved, namespace, bmcs), "pools": listed}


def _useless(variables: Mapping[str, Any]) -> list[Problem]:
    image = (
        "the control plane provider finds the release image by its version; set openshift_capi.release_repository for "
        "another repository"
    )
    detail = {
        "openshift_config_dir": "holds the files of another method; describe the cluster in openshift_cluster",
        "openshift_release_image": image,
    }
    found = [_problem(name, FORBIDDEN, text) for name, text in detail.items() if variables.get(name)]
    cluster = variables.get("openshift_cluster") or {}
    return [
        *found,
        *([_problem("openshift_cluster.release_image", FORBIDDEN, image)] if cluster.get("release_image") else []),
    ]


def _with_version(variables: Mapping[str, Any]) -> dict[str, Any]:
    version = variables.get("openshift_version")
    return {**(variables.get("openshift_cluster") or {}), **({"version": version} if version else {})}


def _without_hosts(provided: Mapping[str, Any]) -> dict[str, Any]:
    """The options that the module knows: which hosts a pool has is for this collection."""
    pools = provided.get("machine_deployments")
    if not isinstance(pools, list):
        return dict(provided)
    known = [
        {key: value for key, value in pool.items() if key != _HOSTS} if isinstance(pool, Mapping) else pool
        for pool in pools
    ]
    return {**provided, "machine_deployments": known}


def _pairs(options: Mapping[str, Any], provided: Mapping[str, Any]) -> list[tuple[dict[str, Any], Mapping[str, Any]]]:
    return list(zip(options.get("machine_deployments") or (), provided.get("machine_deployments") or (), strict=True))


def _set_values(value: Any) -> Any:
    """Without options that the user did not set: the specification gives them a null."""
    if isinstance(value, Mapping):
        return {key: _set_values(inner) for key, inner in value.items() if inner is not None}
    return [_set_values(each) for each in value] if isinstance(value, list) else value
