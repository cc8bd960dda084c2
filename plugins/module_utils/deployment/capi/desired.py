# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Convert ``openshift_cluster`` and the inventory's hosts to options of module assisted_control_plane. Pure."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from ...capi.assisted.names import CONTROL_PLANE_POOL
from ...cluster.spec import Deployment, Host
from ...common.addresses import normal_mac
from ...common.problems import FORBIDDEN, REQUIRED, UNSUPPORTED, OwnCheck, Problem
from ...hub.from_spec import host_name, infra_env_options
from ...manifests.cluster_manifests import encode_certificates
from ...manifests.mirrors import registries_conf
from ...manifests.objects import agent_cluster_install, no_proxy, ssh_keys
from ...manifests.overrides import install_config_overrides

Options = dict[str, Any]

# Options of infra_env that are options of the configs, by the name that both have.
_OF_CONFIGS = ("image_proxy", "additional_ntp_sources", "kernel_arguments", "additional_trust_bundle", "arch")
_EMPTY: tuple[Any, ...] = (None, "", [], {})
_problem = OwnCheck("settings")


@dataclasses.dataclass(frozen=True)
class PoolOfHosts:
    """A pool and its hosts of the inventory, in their order.

    ``replicas`` is the user's number, None without one.
    """

    name: str
    hosts: tuple[str, ...] = ()
    replicas: int | None = None

    @property
    def initial(self) -> int | None:
        """The size of a new pool: one Machine for each host, unless the user says otherwise; None without either."""
        return (len(self.hosts) or None) if self.replicas is None else self.replicas


def pools_of(deployment: Deployment, provided: Mapping[str, Any]) -> tuple[PoolOfHosts, ...]:
    """The control plane first, then the MachineDeployments. ``provided`` is ``openshift_capi``.

    Workers that no pool lists are hosts of the first pool. Without a list of pools there is one, for all workers.
    """
    names = {role: [host_name(host) for host in deployment.hosts if host.role == role] for role in ("master", "worker")}
    known = {host.name: host_name(host) for host in deployment.hosts}
    control_plane = PoolOfHosts(CONTROL_PLANE_POOL, tuple(names["master"]), _number(provided.get("control_plane")))
    listed = list(provided.get("machine_deployments") or ())
    if not listed:
        return (
            control_plane,
            *([PoolOfHosts(default_pool(deployment.cluster.name), tuple(names["worker"]))] if names["worker"] else []),
        )
    own = [{known.get(name, name) for name in pool.get("hosts") or ()} for pool in listed]
    rest = set(names["worker"]).difference(*own)
    members = [
        [name for name in names["worker"] if name in hosts or (index == 0 and name in rest)]
        for index, hosts in enumerate(own)
    ]
    pools = (
        PoolOfHosts(str(pool["name"]), tuple(hosts), _number(pool)) for pool, hosts in zip(listed, members, strict=True)
    )
    return (control_plane, *pools)


def default_pool(cluster: str) -> str:
    """MachineDeployments of several clusters may be in one namespace."""
    return f"{cluster}-workers"


def control_plane_options(
    deployment: Deployment, provided: Mapping[str, Any], namespace: str, bmcs: Mapping[str, Mapping[str, Any]]
) -> Options:
    """The options, complete but for those of the connection and of the wait.

    ``bmcs`` are option ``bmc`` of the hosts by hostname.
    """
    cluster = deployment.cluster
    # A cluster with the BMCs of its machines would start to manage them, in addition to Metal3 of the hub.
    plain = dataclasses.replace(
        deployment, hosts=tuple(dataclasses.replace(host, bmc=None) for host in deployment.hosts)
    )
    spec = agent_cluster_install(plain)["spec"]
    networking = spec["networking"]
    overrides = json.loads(install_config_overrides(plain) or "{}")
    overrides.pop("capabilities", None)
    image = infra_env_options(deployment)
    pools = pools_of(deployment, provided)
    proxy = {
        "http_proxy": cluster.proxy.http_proxy,
        "https_proxy": cluster.proxy.https_proxy,
        "no_proxy": no_proxy(deployment),
    }
    options = {
        "name": cluster.name,
        "namespace": namespace,
        "version": cluster.version,
        "base_domain": cluster.base_domain,
        "api_vips": spec.get("apiVIPs"),
        "ingress_vips": spec.get("ingressVIPs"),
        "pull_secret": None if provided.get("pull_secret_name") else cluster.pull_secret,
        "ssh_public_keys": ssh_keys(cluster),
        "cluster_network": {
            "pods": [each["cidr"] for each in networking["clusterNetwork"]],
            "services": networking["serviceNetwork"],
        },
        "host_prefixes": {each["cidr"]: each["hostPrefix"] for each in networking["clusterNetwork"]},
        "machine_network": [each["cidr"] for each in networking.get("machineNetwork") or ()],
        "cluster_proxy": {key: value for key, value in proxy.items() if value}
        if cluster.proxy.http_proxy or cluster.proxy.https_proxy
        else {},
        "capabilities": _capabilities(cluster.capabilities),
        "install_config_overrides": overrides,
        "image_registry": _registry(deployment) if not provided.get("image_registry_name") else {},
        **provided,
        "config": {**{key: image[key] for key in _OF_CONFIGS if key in image}, **(provided.get("config") or {})},
        "control_plane": _sized(provided.get("control_plane") or {}, pools[0].initial),
        "machine_deployments": list(_machine_deployments(pools[1:], provided)),
        "hosts": list(_hosts(deployment.hosts, pools, bmcs))
        if provided.get("infrastructure") != "user_templates"
        else [],
    }
    return {key: value for key, value in options.items() if value not in _EMPTY or key == "hosts"}


def planned_options(options: Mapping[str, Any], plan: Mapping[str, Any]) -> Options:
    """The options of what was decided: sizes of pools, hosts that have a BareMetalHost, Machines that leave.

    ``plan`` is a result of module capi_plan.
    """
    sizes, described = plan["sizes"], set(plan["described_hosts"])
    pools = [_sized(pool, sizes.get(pool["name"])) for pool in options.get("machine_deployments") or ()]
    return {
        **options,
        "control_plane": _sized(options["control_plane"], sizes.get(CONTROL_PLANE_POOL)),
        "machine_deployments": pools,
        "hosts": [host for host in options["hosts"] if host["name"] in described],
        **{key: list(plan[key]) for key in ("delete_first", "recreate", "release_hosts")},
    }


def _sized(pool: Mapping[str, Any], size: Any) -> Options:
    """A pool with a size; without one it stays as it is."""
    rest = {key: value for key, value in pool.items() if key != "replicas"}
    return rest if size is None else {**rest, "replicas": int(size)}


def unusable(deployment: Deployment, provided: Mapping[str, Any]) -> list[Problem]:
    """What a user describes that the providers do not support, or that Metal3 needs and that is missing."""
    return [*_of_cluster(deployment), *_of_hosts(deployment, provided)]


def _of_cluster(deployment: Deployment) -> Iterator[Problem]:
    cluster = deployment.cluster
    if cluster.extra_manifests:
        hint = (
            "Put them into ConfigMaps of the namespace on the hub, and name these in "
            "openshift_capi.manifests_config_maps."
        )
        yield _problem(
            "openshift_cluster.extra_manifests",
            UNSUPPORTED,
            ("the control plane provider takes manifests from ConfigMaps"),
            hint=hint,
        )
    if cluster.platform not in ("baremetal", "none"):
        yield _problem(
            "openshift_cluster.platform",
            UNSUPPORTED,
            ("the control plane provider installs platforms baremetal and none"),
            value=cluster.platform,
        )
    if cluster.arbiter is not None or any(host.role == "arbiter" for host in deployment.hosts):
        yield _problem("openshift_groups.arbiters", UNSUPPORTED, "the control plane provider does not support arbiters")


def _of_hosts(deployment: Deployment, provided: Mapping[str, Any]) -> Iterator[Problem]:
    known = {name for host in deployment.hosts if host.role == "worker" for name in (host.name, host_name(host))}
    seen: set[str] = set()
    for index, pool in enumerate(provided.get("machine_deployments") or ()):
        path = f"openshift_capi.machine_deployments[{index}].hosts"
        for name in pool.get("hosts") or ():
            if name not in known:
                yield _problem(path, UNSUPPORTED, "is not a host of the group of the workers", value=str(name))
            elif name in seen:
                yield _problem(path, FORBIDDEN, "is a host of two pools", value=str(name))
            seen.add(name)
    if provided.get("infrastructure") == "user_templates":
        return
    if not provided.get("metal3"):
        detail = (
            "the disk image that Metal3 writes: {image: {url, checksum}}, CoreOS of the release for the platform "
            "nutanix"
        )
        yield _problem(
            "openshift_capi.metal3",
            REQUIRED,
            detail,
            hint=("Or set openshift_capi.infrastructure: user_templates to use your own machine templates."),
        )
    for host in deployment.hosts:
        if host.listed and host.bmc is None:
            yield _problem(f"openshift_host[{host.name}].bmc", REQUIRED, "Metal3 boots the machine through its BMC")
        if host.listed and not host.macs:
            yield _problem(
                f"openshift_host[{host.name}].interfaces",
                REQUIRED,
                ("Metal3 recognises the machine by the MAC address of one of its NICs"),
            )


def _number(pool: Any) -> int | None:
    number = (pool or {}).get("replicas")
    return None if number is None else int(number)


def _capabilities(provided: Mapping[str, Any]) -> Options:
    names = {
        "baselineCapabilitySet": "baseline_capability",
        "additionalEnabledCapabilities": "additional_enabled_capabilities",
    }
    return {option: provided[upstream] for upstream, option in names.items() if provided.get(upstream)}


def _registry(deployment: Deployment) -> Options:
    cluster = deployment.cluster
    if not cluster.image_digest_sources:
        return {}
    bundle = encode_certificates(cluster.additional_trust_bundle)
    return {"registries_conf": registries_conf(cluster.image_digest_sources)} | (
        {"ca_bundle": bundle} if bundle else {}
    )


def _machine_deployments(pools: Iterable[PoolOfHosts], provided: Mapping[str, Any]) -> Iterator[Options]:
    own = {str(pool["name"]): pool for pool in provided.get("machine_deployments") or ()}
    for pool in pools:
        options = {key: value for key, value in own.get(pool.name, {}).items() if key != "hosts"}
        yield _sized({**options, "name": pool.name}, pool.initial)


def _hosts(
    hosts: Sequence[Host], pools: Iterable[PoolOfHosts], bmcs: Mapping[str, Mapping[str, Any]]
) -> Iterator[Options]:
    pool_of = {name: pool.name for pool in pools for name in pool.hosts}
    for host in hosts:
        name = host_name(host)
        if name not in pool_of:
            continue
        entry: Options = {
            "name": name,
            "pool": pool_of[name],
            "boot_mac_address": normal_mac(host.macs[0]),
            "bmc": dict(bmcs[name]),
        }
        if host.root_device_hints:
            entry["root_device_hints"] = dict(host.root_device_hints)
        if host.network_config:
            interfaces = [{"name": each.name, "mac_address": each.mac} for each in host.interfaces]
            entry |= {"network_config": dict(host.network_config), "interfaces": interfaces}
        yield entry
