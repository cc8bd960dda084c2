# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Define the dataclasses of the desired state of a Cluster API cluster with the OpenShift Assisted providers.

:mod:`.rules` validates it, :mod:`.objects` renders it. No I/O.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from typing import Any

from ..cluster.desired import DeletionLimits
from .field_table import CLUSTER_FIELDS, value_of
from .names import CONTROL_PLANE_POOL, PLACEHOLDER_PULL_SECRET, mirrors_name, pull_secret_name

Document = Mapping[str, Any]
_EMPTY: Document = {}


@dataclasses.dataclass(frozen=True)
class MachinePool:
    """The Machines of the control plane, or of a MachineDeployment.

    ``replicas`` None leaves the number as it is. ``config`` are the options of their configs, those of the whole
    cluster included.
    ``template`` refers to the user's own machine template (api_group, kind, name); empty where this collection makes
    one.
    """

    name: str
    replicas: int | None
    config: Document = dataclasses.field(default_factory=dict)
    labels: Mapping[str, str] = dataclasses.field(default_factory=dict)
    annotations: Mapping[str, str] = dataclasses.field(default_factory=dict)
    limits: DeletionLimits = dataclasses.field(default_factory=DeletionLimits)
    template: Mapping[str, str] = dataclasses.field(default_factory=dict)
    host_selector: Document = dataclasses.field(default_factory=dict)
    path: str = ""

    @property
    def is_control_plane(self) -> bool:
        return self.name == CONTROL_PLANE_POOL


@dataclasses.dataclass(frozen=True)
class DesiredControlPlane:
    """The whole cluster. ``pools`` are the MachineDeployments; those that are not listed stay as they are.

    ``config`` are the options of spec.config of the control plane (:data:`.field_table.CLUSTER_FIELDS`). ``registry``
    is the content of the ConfigMap with mirrors that this collection makes, empty where ``registry_name`` is the user's
    own or there is none. ``present_sizes`` are spec.replicas of the MachineDeployments that exist.
    """

    name: str
    namespace: str
    version: str
    control_plane: MachinePool
    pools: tuple[MachinePool, ...] = ()
    infrastructure: str = "metal3"
    config: Document = dataclasses.field(default_factory=dict)
    pull_secret: str = dataclasses.field(default="", repr=False)
    user_pull_secret: str = ""
    release_repository: str = ""
    pods: tuple[str, ...] = ("10.128.0.0/14",)
    services: tuple[str, ...] = ("172.30.0.0/16",)
    service_domain: str = ""
    host_prefixes: Mapping[str, int] = dataclasses.field(default_factory=dict)
    machine_network: tuple[str, ...] = ()
    install_config_overrides: Document = dataclasses.field(default_factory=dict)
    registry_name: str = ""
    registry: Mapping[str, str] = dataclasses.field(default_factory=dict)
    endpoint: Document = dataclasses.field(default_factory=dict)
    infrastructure_ref: Mapping[str, str] = dataclasses.field(default_factory=dict)
    metal3: Document = dataclasses.field(default_factory=dict)
    hosts: tuple[Document, ...] = ()
    present_sizes: Mapping[str, int] = dataclasses.field(default_factory=dict)

    @property
    def metal3_used(self) -> bool:
        return self.infrastructure == "metal3"

    @property
    def machine_pools(self) -> tuple[MachinePool, ...]:
        return (self.control_plane, *self.pools)

    @property
    def workers(self) -> int:
        """How many Machines the pools have; a pool without a number keeps its size, a new one has none."""
        sizes = (
            self.present_sizes.get(pool.name, 0) if pool.replicas is None else pool.replicas for pool in self.pools
        )
        return sum(sizes)

    @property
    def secret_name(self) -> str:
        return self.user_pull_secret or pull_secret_name(self.name)

    @property
    def references(self) -> tuple[tuple[str, str], ...]:
        """(group, kind) of what the user refers to."""
        found = [self.infrastructure_ref, *(pool.template for pool in self.machine_pools)]
        return tuple(dict.fromkeys((each["api_group"], each["kind"]) for each in found if each))


def read_desired(options: Mapping[str, Any]) -> DesiredControlPlane:
    """From the options of the module, unjudged."""
    registry = options.get("image_registry") or {}
    network = options.get("cluster_network") or {}
    name, metal3 = str(options["name"]), options["infrastructure"] == "metal3"
    domain = str(options.get("base_domain") or "")
    endpoint = options.get("control_plane_endpoint") or (
        {"host": f"api.{name}.{domain}", "port": 6443} if domain else {}
    )
    shared = _config(options.get("config") or {}, {"ssh_public_keys": options.get("ssh_public_keys")})
    return DesiredControlPlane(
        name=name,
        namespace=str(options["namespace"]),
        version=str(options.get("version") or ""),
        control_plane=_pool(
            {**(options.get("control_plane") or {}), "name": CONTROL_PLANE_POOL}, shared, "control_plane"
        ),
        pools=tuple(
            _pool(pool, shared, f"machine_deployments[{pool['name']}]")
            for pool in options.get("machine_deployments") or ()
        ),
        infrastructure=str(options["infrastructure"]),
        config={
            field.option.partition(".")[0]: options.get(field.option.partition(".")[0]) for field in CLUSTER_FIELDS
        },
        pull_secret=_pull_secret(options),
        user_pull_secret=str(options.get("pull_secret_name") or ""),
        release_repository=str(options.get("release_repository") or ""),
        pods=tuple(network.get("pods") or DesiredControlPlane.pods),
        services=tuple(network.get("services") or DesiredControlPlane.services),
        service_domain=str(network.get("service_domain") or ""),
        host_prefixes=options.get("host_prefixes") or {},
        machine_network=tuple(options.get("machine_network") or ()),
        install_config_overrides=options.get("install_config_overrides") or {},
        registry_name=str(options.get("image_registry_name") or (mirrors_name(name) if registry else "")),
        registry=_registry(registry) if registry and not options.get("image_registry_name") else {},
        endpoint={"host": str(endpoint["host"]), "port": endpoint["port"]} if endpoint else {},
        infrastructure_ref=options.get("infrastructure_ref") or {},
        metal3=(options.get("metal3") or {}) if metal3 else {},
        hosts=tuple(options.get("hosts") or ()) if metal3 else (),
    )


def cluster_value(desired: DesiredControlPlane, option: str) -> Any:
    """The user's value of an option of spec.config."""
    return value_of(next(field for field in CLUSTER_FIELDS if field.option == option), desired.config)


def _pool(options: Document, shared: Document, path: str) -> MachinePool:
    limits = DeletionLimits(
        options.get("node_drain_timeout"),
        options.get("node_volume_detach_timeout"),
        options.get("node_deletion_timeout"),
        str(options.get("deletion_order") or ""),
    )
    return MachinePool(
        name=str(options["name"]),
        replicas=options.get("replicas"),
        config=_config(options.get("config") or {}, shared),
        labels=_texts(options.get("labels")),
        annotations=_texts(options.get("annotations")),
        limits=limits,
        template=options.get("infrastructure_ref") or {},
        host_selector=options.get("host_selector") or {},
        path=path,
    )


def _config(own: Document, shared: Document) -> dict[str, Any]:
    """The options of a pool over those of the cluster, option by option."""
    found = {key: value for key, value in shared.items() if value is not None}
    return found | {key: value for key, value in own.items() if value is not None}


def _texts(mapping: Any) -> dict[str, str]:
    return {str(key): str(value) for key, value in (mapping or {}).items()}


def _pull_secret(options: Document) -> str:
    """The content of the Secret that this collection makes; empty where the user names a Secret."""
    secret = options.get("pull_secret")
    if options.get("pull_secret_name"):
        return ""
    if not secret:
        return PLACEHOLDER_PULL_SECRET
    return secret.strip() if isinstance(secret, str) else json.dumps(secret)


def _registry(registry: Document) -> dict[str, str]:
    bundle = registry.get("ca_bundle")
    return {"registries.conf": str(registry["registries_conf"])} | ({"ca-bundle.crt": str(bundle)} if bundle else {})
