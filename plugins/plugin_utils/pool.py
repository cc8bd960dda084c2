# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Check the variables about hosted clusters and pools (``openshift_hosted_cluster`` and ``openshift_node_pool``), and
convert them to options of the modules.
"""

from __future__ import annotations

import dataclasses
import hashlib
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from ..module_utils.capi.choose.policy import read_policy
from ..module_utils.capi.choose.selector import read_selector
from ..module_utils.cluster.field_table import CLUSTER_FIELDS
from ..module_utils.cluster.field_values import infra_env_values, value_of
from ..module_utils.cluster.spec import Cluster
from ..module_utils.cluster.variables import read_variables
from ..module_utils.common.errors import InvalidInput
from ..module_utils.common.problems import FORBIDDEN, INVALID, REQUIRED, UNKNOWN_FIELD, UNSUPPORTED, Problem, nearest
from ..module_utils.hypershift.names import control_plane_namespace
from ..module_utils.hypershift.node_pool.rules import problems as rules_of_pools
from ..module_utils.hypershift.release import newer, shown, version_of
from ..module_utils.hypershift.user_input import provided as without_unset
from ..module_utils.hypershift.values import cluster_name_fault, key_fault, label_value_fault, object_name_fault
from ..module_utils.manifests.objects import ssh_keys
from ..modules.hosted_cluster import argument_spec as hosted_cluster_spec
from ..modules.node_pool import argument_spec as node_pool_spec
from .hosts import merge
from .options import read_options
from .problems import problem as _problem

KINDS = ("NodePool", "MachineDeployment")
DEFAULT_NAMESPACE = "clusters"
DEFAULT_SPARES = "spares"
# The label by which a pool recognizes its Agents, unless the user sets another label.
POOL_LABEL = "zerotouch.openshift/node-pool"
_LONGEST_VALUE = 63
# Keys of openshift_node_pool that are not options of module node_pool; the kind of each.
_POOL: Mapping[str, type | tuple[type, ...]] = {
    "kind": str,
    "name": str,
    "namespace": str,
    "cluster_name": str,
    "replicas": (int, str),
    "remove": (list, str),
    "replace_hosts": (list, str),
    "replace_order": str,
    "spare_group": str,
    "selector_label": dict,
    "agent_label_selector": dict,
    "candidates": dict,
    "policy": dict,
    "label_selection": bool,
    "reserve": (int, str),
    "upgrade_wave": (int, str),
    "agent_namespace": str,
}
_HOSTED: Mapping[str, type | tuple[type, ...]] = {"namespace": str, "agent_namespace": str}
# Options of module node_pool besides those.
POOL_OPTIONS = (
    "release_image",
    "auto_scaling",
    "upgrade_type",
    "replace",
    "in_place",
    "auto_repair",
    "config",
    "tuning_config",
    "os_image_stream",
    "node_drain_timeout",
    "node_volume_detach_timeout",
    "node_labels",
    "taints",
    "arch",
    "paused_until",
    "labels",
    "annotations",
)
# Options of module hosted_cluster besides namespace and agent_namespace.
HOSTED_OPTIONS = (
    "release_image",
    "control_plane_release_image",
    "pull_secret",
    "pull_secret_name",
    "ssh_public_keys",
    "ssh_key_name",
    "additional_trust_bundle",
    "additional_trust_bundle_name",
    "base_domain",
    "base_domain_prefix",
    "networking",
    "services",
    "api_server_address",
    "etcd",
    "secret_encryption",
    "controller_availability_policy",
    "infrastructure_availability_policy",
    "olm_catalog_placement",
    "fips",
    "capabilities",
    "issuer_url",
    "infra_id",
    "cluster_id",
    "autoscaling",
    "image_content_sources",
    "configuration",
    "operator_configuration",
    "kube_api_server_dns_name",
    "node_selector",
    "tolerations",
    "pod_labels",
    "channel",
    "update_service",
    "paused_until",
    "labels",
    "annotations",
)
# Options of the modules that the roles set themselves.
_POOL_OURS = ("state", "wait_for", "timeout", "drain")
_HOSTED_OURS = ("name", "state", "wait_for", "timeout", "dest", "drain")
# Keys of openshift_cluster that say nothing about a hosted cluster, whose control plane are pods and whose hosts are
# those of pools.
_NOT_HOSTED = tuple(row.option for row in CLUSTER_FIELDS if not row.hosted)
_WORDS: Mapping[type, str] = {
    dict: "a mapping",
    list: "a list",
    str: "a string",
    bool: "true or false",
    int: "a whole number",
}


def check_pools(variables: Mapping[str, Any]) -> list[Problem]:
    """What is wrong with ``openshift_hosted_cluster`` and ``openshift_node_pool``, mappings here; of the values of
    options what can be said without a hub.
    """
    own = variables.get("openshift_node_pool") or {}
    return [*_hosted_problems(variables), *_pool_problems(own), *_list_problems(variables), *_releases(variables)]


def _releases(variables: Mapping[str, Any]) -> Iterator[Problem]:
    """Pools that are configured with a newer release than their hosted cluster, which gets its release first."""
    hosted = variables.get("openshift_hosted_cluster") or {}
    cluster = (
        hosted.get("release_image") or _with_release(variables).get("release_image")
        if isinstance(hosted, Mapping)
        else None
    )
    version = _with_release(variables).get("version") or ""
    plane = version_of(str(cluster or f":{version}"))
    listed = variables.get("openshift_node_pools") or []
    pools = [(f"openshift_node_pools[{number}]", each) for number, each in enumerate(listed)] or [
        ("openshift_node_pool", variables.get("openshift_node_pool"))
    ]
    for path, each in pools:
        image = each.get("release_image") if isinstance(each, Mapping) else None
        version = version_of(str(image or ""))
        if plane is not None and version is not None and newer(version, plane):
            fault = f"{shown(version)} is newer than the control plane, which gets {shown(plane)}"
            yield _problem(
                f"{path}.release_image",
                FORBIDDEN,
                fault,
                hint="give the hosted cluster that release first",
                value=str(image),
            )


def pools_provided(variables: Mapping[str, Any]) -> list[dict[str, Any]]:
    """``openshift_node_pools``, each over ``openshift_node_pool``, whose keys are the defaults of all; that one alone
    where there is no list.
    """
    common = variables.get("openshift_node_pool") or {}
    return [{**common, **each} for each in variables.get("openshift_node_pools") or []] or [dict(common)]


def _list_problems(variables: Mapping[str, Any]) -> Iterator[Problem]:
    path, provided = "openshift_node_pools", variables.get("openshift_node_pools") or []
    names: list[str] = []
    for number, each in enumerate(provided):
        if not isinstance(each, Mapping):
            yield _problem(f"{path}[{number}]", INVALID, "must be a mapping")
            continue
        if not each.get("name"):
            yield _problem(f"{path}[{number}].name", REQUIRED, "each pool of the list needs a name")
        if each.get("spare_group") is not None:
            yield _problem(
                f"{path}[{number}].spare_group",
                FORBIDDEN,
                ("all pools share the spare machines; set openshift_node_pool.spare_group"),
            )
        if each.get("name") and str(each["name"]) in names:
            yield _problem(
                f"{path}[{number}].name", INVALID, "is the name of two pools of the list", value=str(each["name"])
            )
        names.append(str(each.get("name")))
        yield from _pool_problems({**(variables.get("openshift_node_pool") or {}), **each}, f"{path}[{number}]")


def read_pools(variables: Mapping[str, Any], cluster_name: str) -> list[dict[str, Any]]:
    """All pools with their defaults (:func:`read_pool`)."""
    return [read_pool({**variables, "openshift_node_pool": each}, cluster_name) for each in pools_provided(variables)]


def read_hosted(variables: Mapping[str, Any], cluster_name: str) -> dict[str, Any]:
    """The hosted cluster: names, ``options`` of module hosted_cluster (with secrets) and those of module infra_env that
    its hosts need.
    """
    provided = dict(variables.get("openshift_hosted_cluster") or {})
    namespace = str(provided.pop("namespace", None) or DEFAULT_NAMESPACE)
    return {
        "name": cluster_name,
        "namespace": namespace,
        "agent_namespace": agent_namespace(variables, cluster_name),
        "control_plane_namespace": control_plane_namespace(namespace, cluster_name) if cluster_name else "",
        "options": merge(
            hosted_options(variables),
            {key: value for key, value in provided.items() if value is not None and key != "agent_namespace"},
        ),
        "infra_env": image_options(variables),
    }


def check_hosted_description(variables: Mapping[str, Any]) -> list[Problem]:
    """What is wrong with ``openshift_cluster`` as the description of a hosted cluster; what its values may be is up to
    module hosted_cluster.
    """
    if variables.get("openshift_config_dir"):
        return [
            _problem(
                "openshift_config_dir",
                FORBIDDEN,
                ("holds the files of another method; describe a hosted cluster in openshift_cluster"),
            )
        ]
    provided = variables.get("openshift_cluster") or {}
    hint = "options that only hosted clusters have belong into openshift_hosted_cluster"
    useless = [
        _problem(f"openshift_cluster.{key}", FORBIDDEN, "means nothing for a hosted cluster", hint=hint)
        for key in _NOT_HOSTED
        if provided.get(key) is not None
    ]
    known = {problem.path for problem in useless}
    found = read_variables(_with_release(variables), []).problems
    return [*useless, *(problem for problem in found if problem.severity == "error" and problem.path not in known)]


def hosted_options(variables: Mapping[str, Any]) -> dict[str, Any]:
    """Options of module hosted_cluster that ``openshift_cluster`` gives; only what the user said, since a hosted
    cluster has other defaults.
    """
    provided, cluster = _read(variables)
    networking = {
        "network_type": provided.get("network_type"),
        "cluster_network": [
            {"cidr": each.cidr, "host_prefix": each.host_prefix} for each in cluster.networking.cluster_networks
        ],
        "service_network": [{"cidr": each} for each in cluster.networking.service_networks],
        "machine_network": [{"cidr": each} for each in cluster.networking.machine_networks],
    }
    said = {
        "network_type": "network_type",
        "cluster_network": "cluster_networks",
        "service_network": "service_networks",
        "machine_network": "machine_networks",
    }
    proxy = {
        "httpProxy": cluster.proxy.http_proxy,
        "httpsProxy": cluster.proxy.https_proxy,
        "noProxy": cluster.proxy.no_proxy,
    }
    options = {
        **{
            row.option: value_of(row, cluster)
            for row in CLUSTER_FIELDS
            if row.hosted == "same" and provided.get(row.option) is not None
        },
        "release_image": cluster.release_image,
        "pull_secret": cluster.pull_secret,
        "ssh_public_keys": ssh_keys(cluster),
        "image_content_sources": [
            {"source": each.source, "mirrors": list(each.mirrors)} for each in cluster.image_digest_sources
        ],
        "networking": {key: value for key, value in networking.items() if provided.get(said[key])},
        "configuration": {"proxy": {key: value for key, value in proxy.items() if value}}
        if any(proxy.values())
        else {},
    }
    return {key: value for key, value in options.items() if value not in (None, "", [], {})}


def image_options(variables: Mapping[str, Any]) -> dict[str, Any]:
    """Options of module infra_env for an image whose hosts can join the hosted cluster; its pull secret is one of its
    own.
    """
    provided, cluster = _read(variables)
    proxy = {
        "http_proxy": cluster.proxy.http_proxy,
        "https_proxy": cluster.proxy.https_proxy,
        "no_proxy": cluster.proxy.no_proxy,
    }
    options = {
        "pull_secret": cluster.pull_secret,
        "ssh_public_keys": ssh_keys(cluster),
        **infra_env_values(cluster),
        "arch": cluster.architecture if provided.get("architecture") else None,
        "image_proxy": {key: value for key, value in proxy.items() if value},
    }
    return {key: value for key, value in options.items() if value not in (None, "", [], {})}


def _read(variables: Mapping[str, Any]) -> tuple[Mapping[str, Any], Cluster]:
    provided = _with_release(variables)
    parsed = read_variables(provided, [])
    if parsed.deployment is None:
        raise InvalidInput(parsed.problems)
    return provided, parsed.deployment.cluster


def _with_release(variables: Mapping[str, Any]) -> dict[str, Any]:
    named = {key: variables.get(f"openshift_{key}") for key in ("version", "release_image")}
    return {**(variables.get("openshift_cluster") or {}), **{key: value for key, value in named.items() if value}}


def agent_namespace(variables: Mapping[str, Any], cluster_name: str) -> str:
    """Where the Agents are: the same place for the hosted cluster, its pools and the hub's InfraEnv."""
    for name, key in (
        ("openshift_hub", "namespace"),
        ("openshift_hosted_cluster", "agent_namespace"),
        ("openshift_node_pool", "agent_namespace"),
    ):
        if (variables.get(name) or {}).get(key):
            return str(variables[name][key])
    return cluster_name


def read_pool(variables: Mapping[str, Any], cluster_name: str) -> dict[str, Any]:
    """``openshift_node_pool`` with its defaults.

    ``selector`` is the label by which a new pool selects Agents; ``label`` {key, value} is the one that label selection
    sets on them, empty without it.
    """
    provided = dict(variables.get("openshift_node_pool") or {})
    hosted = variables.get("openshift_hosted_cluster") or {}
    namespace = str(provided.get("namespace") or hosted.get("namespace") or DEFAULT_NAMESPACE)
    cluster = str(provided.get("cluster_name") or cluster_name)
    name = str(provided.get("name") or cluster)
    kind = str(provided.get("kind") or KINDS[0])
    label, selector = _selection(provided, namespace, name)
    return {
        "kind": kind,
        "name": name,
        "namespace": namespace,
        "cluster_name": cluster,
        "machine_namespace": control_plane_namespace(namespace, cluster) if kind == KINDS[0] else namespace,
        "agent_namespace": agent_namespace(variables, cluster),
        "replicas": None if provided.get("replicas") is None else int(provided["replicas"]),
        "remove": as_names(provided.get("remove") or []),
        "replace_hosts": as_names(provided.get("replace_hosts") or []),
        "replace_order": str(provided.get("replace_order") or "auto"),
        "reserve": None if provided.get("reserve") is None else int(provided["reserve"]),
        "upgrade_wave": None if provided.get("upgrade_wave") is None else int(provided["upgrade_wave"]),
        "label": label,
        "selector": selector,
        "user_selector": provided.get("agent_label_selector"),
        "candidates": dict(provided.get("candidates") or {}),
        "policy": dict(provided.get("policy") or {}),
        "options": {key: value for key, value in provided.items() if key not in _POOL and value is not None},
    }


def as_names(value: Sequence[Any] | str) -> list[str]:
    """Names as a list, also where the command line gave several with commas."""
    return (
        [item.strip() for item in value.split(",") if item.strip()]
        if isinstance(value, str)
        else [str(item) for item in value]
    )


def spare_group(provided: Any) -> str:
    """The group of machines that may be booted for a pool, from ``openshift_node_pool``."""
    named = provided.get("spare_group") if isinstance(provided, Mapping) else None
    return named if isinstance(named, str) and named else DEFAULT_SPARES


def check_hosted_groups(groups: Mapping[str, Sequence[str]], names: Mapping[str, str]) -> list[Problem]:
    """Hosts for a control plane that runs on the hub: the user means another method, or another group."""
    return [
        _problem(
            f"openshift_groups.{role}",
            FORBIDDEN,
            f"the control plane of a hosted cluster runs on the hub, and the group {names[role]} has "
            f"{', '.join(groups[names[role]])}",
            hint=f"put them into {names['workers']} or {DEFAULT_SPARES}",
        )
        for role in ("control_plane", "arbiters")
        if groups.get(names[role])
    ]


def _selection(provided: Mapping[str, Any], namespace: str, name: str) -> tuple[dict[str, str], dict[str, Any] | None]:
    """Label and selector of the pool.

    Users who select by labels of their own have labelled their Agents themselves.
    """
    selector = provided.get("agent_label_selector")
    label = {str(key): str(value) for key, value in (provided.get("selector_label") or {}).items()}
    if provided.get("label_selection") is False or (selector is not None and not label):
        return {}, dict(selector) if selector is not None else None
    if not label:
        label = {POOL_LABEL: _value(f"{namespace}.{name}")}
    key, value = next(iter(label.items()))
    return {"key": key, "value": value}, dict(selector) if selector is not None else {"matchLabels": label}


def _value(text: str) -> str:
    """A label's value; one that would be too long is cut, with a hash of the whole."""
    return text if len(text) <= _LONGEST_VALUE else f"{text[:52]}-{hashlib.sha256(text.encode()).hexdigest()[:10]}"


def _pool_problems(provided: Mapping[str, Any], path: str = "openshift_node_pool") -> Iterator[Problem]:
    yield from _keys(path, provided, (*_POOL, *POOL_OPTIONS), _POOL_OURS)
    wrong = set()
    for problem in _types(path, provided, _POOL):
        wrong.add(problem.path)
        yield problem
    good = {key: value for key, value in provided.items() if value is not None and f"{path}.{key}" not in wrong}
    if good.get("kind", KINDS[0]) not in KINDS:
        yield _problem(
            f"{path}.kind",
            UNSUPPORTED,
            f"supported values: {', '.join(KINDS)}",
            hint=nearest(str(good["kind"]), KINDS),
            value=str(good["kind"]),
        )
    orders = node_pool_spec()["replace_order"]["choices"]
    if good.get("replace_order", orders[0]) not in orders:
        order = str(good["replace_order"])
        yield _problem(
            f"{path}.replace_order",
            UNSUPPORTED,
            f"supported values: {', '.join(orders)}",
            hint=nearest(order, orders),
            value=order,
        )
    if good.get("kind") == KINDS[1] and not (good.get("name") and good.get("namespace")):
        yield _problem(path, REQUIRED, "a MachineDeployment is named by name and namespace")
    if good.get("kind") == KINDS[1] and good.get("replace_hosts"):
        yield _problem(
            f"{path}.replace_hosts",
            FORBIDDEN,
            ("hosts of a MachineDeployment are not replaced; use remove, and raise replicas afterwards"),
        )
    for key, fault in (
        ("name", object_name_fault),
        ("namespace", object_name_fault),
        ("cluster_name", cluster_name_fault),
    ):
        if good.get(key) and (text := fault(good[key])):
            yield _problem(f"{path}.{key}", INVALID, text, value=good[key])
    if good.get("upgrade_wave") is not None and (good.get("release_image") or good.get("kind") == KINDS[1]):
        yield _problem(
            f"{path}.upgrade_wave",
            FORBIDDEN,
            ("the pool gets the release of its hosted cluster; it must be a NodePool without release_image"),
        )
    for key in ("replicas", "reserve", "upgrade_wave"):
        if good.get(key) is not None and not str(good[key]).isdecimal():
            yield _problem(f"{path}.{key}", INVALID, "must be a whole number, 0 or more", value=str(good[key]))
    if good.get("replicas") is not None and provided.get("auto_scaling"):
        yield _problem(f"{path}.replicas", FORBIDDEN, "replicas and auto_scaling exclude each other")
    yield from _selecting(path, good)
    yield from _said_by(read_policy, good.get("policy"), f"{path}.policy")
    yield from _values(path, provided)


def _values(path: str, provided: Mapping[str, Any]) -> Iterator[Problem]:
    """What module node_pool would find wrong with its options; it runs when machines have been booted already.

    What depends on the pool is its part.
    """
    options, found = read_options(
        path, {key: provided[key] for key in POOL_OPTIONS if key in provided}, node_pool_spec()
    )
    yield from found
    if not found:
        for problem in rules_of_pools(without_unset(options), {}):
            if re.split(r"[.\[]", problem.path)[0] in options:
                yield dataclasses.replace(problem, path=f"{path}.{problem.path}")


def _selecting(path: str, good: Mapping[str, Any]) -> Iterator[Problem]:
    for key in ("agent_label_selector", "candidates"):
        yield from _said_by(read_selector, good.get(key), f"{path}.{key}")
    label = good.get("selector_label") or {}
    if len(label) > 1:
        yield _problem(f"{path}.selector_label", INVALID, "must be one label, key and value")
    for key, value in label.items():
        if text := key_fault(str(key)) or label_value_fault(str(value)):
            yield _problem(f"{path}.selector_label[{key}]", INVALID, text)
    labels = (good.get("agent_label_selector") or {}).get("matchLabels")
    if (
        label
        and good.get("agent_label_selector") is not None
        and not (isinstance(labels, Mapping) and label.items() <= labels.items())
    ):
        yield _problem(
            f"{path}.selector_label",
            FORBIDDEN,
            ("must be one of the matchLabels of agent_label_selector, else the pool would not look for it"),
        )


def _said_by(read: Callable[[Any, str], Any], provided: Any, path: str) -> Iterator[Problem]:
    """What the package that reads it finds wrong."""
    try:
        read(provided, path)
    except InvalidInput as error:
        yield from error.problems


def _hosted_problems(variables: Mapping[str, Any]) -> Iterator[Problem]:
    path, provided = "openshift_hosted_cluster", variables.get("openshift_hosted_cluster") or {}
    yield from _keys(path, provided, (*_HOSTED, *HOSTED_OPTIONS), _HOSTED_OURS)
    yield from _types(path, provided, _HOSTED)
    yield from read_options(
        path, {key: provided[key] for key in HOSTED_OPTIONS if key in provided}, hosted_cluster_spec()
    )[1]
    named = {
        f"{name}.{key}": (variables.get(name) or {}).get(key)
        for name, key in (
            ("openshift_hub", "namespace"),
            (path, "agent_namespace"),
            ("openshift_node_pool", "agent_namespace"),
        )
        if isinstance(variables.get(name), Mapping)
    }
    different = {where: value for where, value in named.items() if isinstance(value, str) and value}
    if len(set(different.values())) > 1:
        yield _problem(
            list(different)[-1],
            FORBIDDEN,
            (f"the Agents are in one namespace, and {' and '.join(different)} differ"),
            value=list(different.values())[-1],
        )


def _keys(path: str, provided: Mapping[str, Any], known: Sequence[str], ours: Sequence[str] = ()) -> Iterator[Problem]:
    for key in map(str, provided):
        if key in ours:
            yield _problem(f"{path}.{key}", FORBIDDEN, "is set by the collection")
        elif key not in known:
            yield _problem(
                f"{path}.{key}", UNKNOWN_FIELD, f"known: {', '.join(sorted(set(known)))}", hint=nearest(key, known)
            )


def _types(path: str, provided: Mapping[str, Any], kinds: Mapping[str, type | tuple[type, ...]]) -> Iterator[Problem]:
    for key, wanted in kinds.items():
        value = provided.get(key)
        several = wanted if isinstance(wanted, tuple) else (wanted,)
        if value is None or (isinstance(value, several) and (bool in several or not isinstance(value, bool))):
            continue
        joined = " or ".join(_WORDS[kind] for kind in several)
        yield _problem(f"{path}.{key}", INVALID, f"must be {joined}")
