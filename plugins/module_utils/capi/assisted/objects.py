# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Render the objects of a cluster of the OpenShift Assisted providers from its description. Pure.

The Cluster is written last: the control plane does nothing before Cluster API has set the Cluster as its owner. So a
run that ends earlier has started nothing, and the first AgentClusterInstall counts the workers of all
MachineDeployments.

Source: openshift-assisted/cluster-api-provider-openshift-assisted examples/, docs/;
metal3-io/cluster-api-provider-metal3 api.
"""

from __future__ import annotations

import base64
import dataclasses
import hashlib
import json
from collections.abc import Iterator, Mapping
from typing import Any

from ...common.addresses import normal_mac
from ...hub.bare_metal_hosts.desired import DesiredHost, bmc_part, bmc_secret, certificate_notes
from ...hub.infra_env.desired import nmstate_config_name
from ...hub.kinds import CONFIG_MAP, NMSTATE_CONFIG, SECRET
from ...kube.resource import Resource
from ..cluster.desired import deletion_order, reference, time_limits
from ..names import CLUSTER_NAME_LABEL, DEPLOYMENT_NAME_LABEL
from ..objects import Object
from .desired import DesiredControlPlane, MachinePool
from .field_table import CLUSTER_FIELDS, CONFIG_FIELDS, rendered
from .kinds import BOOTSTRAP_GROUP, CONTROL_PLANE_GROUP, INFRASTRUCTURE_GROUP, AssistedKinds
from .names import (
    CLUSTER_LABEL,
    CONTROL_PLANE_POOL,
    DEFAULT_REPOSITORY,
    DISCOVERY_IGNITION,
    INSTALL_CONFIG,
    INSTALL_IGNITION,
    METAL3_NODE_NAME,
    METAL3_UUID,
    METAL3_UUID_LABEL,
    NAMESPACE_LABEL,
    POOL_LABEL,
    RELEASE_REPOSITORY,
    WORKERS,
)
from .release import is_okd

# The provider gives every cluster network this prefix
# (controlplane/internal/controller/clusterdeployment_controller.go).
PROVIDERS_HOST_PREFIX = 23
# The hash in the name of a template; its length is that of a ReplicaSet's.
_HASH = 10
# Order of creation. What refers to something is written after it; the Cluster starts everything.
PREPARED, HOSTS, MACHINES, COUNTED, STARTED = range(5)


@dataclasses.dataclass(frozen=True)
class WantedObject:
    """One object. ``owned`` are paths at which nothing else may be; ``immutable`` objects are replaced under another
    name, never patched.
    """

    stage: int
    resource: Resource
    desired: Object
    owned: tuple[str, ...] = ()
    immutable: bool = False

    @property
    def name(self) -> str:
        return str(self.desired["metadata"]["name"])

    @property
    def key(self) -> tuple[str, str]:
        return self.resource.kind, self.name


def cluster_objects(desired: DesiredControlPlane, kinds: AssistedKinds) -> tuple[WantedObject, ...]:
    """All objects but BareMetalHosts and their Secrets, in the order of their creation."""
    return (
        *_contents(desired),
        *_network_configs(desired),
        *([_metal3_cluster(desired, kinds)] if desired.metal3_used else []),
        *(wanted for pool in desired.machine_pools for wanted in _templates(desired, pool, kinds)),
        *(_deployment(desired, pool, kinds) for pool in desired.pools),
        _control_plane(desired, kinds),
        _cluster(desired, kinds),
    )


def bare_metal_hosts(desired: DesiredControlPlane) -> tuple[DesiredHost, ...]:
    """The BareMetalHosts with their Secrets. CAPM3 sets image, user data, consumer and power of those that it takes."""
    return tuple(_host(desired, host) for host in desired.hosts)


def template_names(desired: DesiredControlPlane, pool: MachinePool, kinds: AssistedKinds) -> dict[str, str]:
    """Names of the templates that this collection makes for a pool, by kind."""
    return {wanted.resource.kind: wanted.name for wanted in _templates(desired, pool, kinds)}


def config_spec(desired: DesiredControlPlane, pool: MachinePool) -> Object:
    """The spec of the configs of a pool."""
    # The API's default, named: otherwise it would look like a value of another tool.
    options = {"arch": "x86_64", **pool.config}
    if desired.metal3_used:
        options.setdefault("node_name", METAL3_NODE_NAME)
        labels = list(options.get("kubelet_extra_labels") or ())
        if not any(label.startswith(f"{METAL3_UUID}=") for label in labels):
            options["kubelet_extra_labels"] = [*labels, METAL3_UUID_LABEL]
        options.setdefault("nmstate_config_selector", {"matchLabels": _belonging(desired)})
    return {**rendered(CONFIG_FIELDS, options), "pullSecretRef": {"name": desired.secret_name}}


def install_config_override(desired: DesiredControlPlane) -> Object:
    """What the install-config must have besides what the provider writes into the AgentClusterInstall."""
    networking: Object = {}
    prefixes = [desired.host_prefixes.get(cidr, 64 if ":" in cidr else PROVIDERS_HOST_PREFIX) for cidr in desired.pods]
    if any(prefix != PROVIDERS_HOST_PREFIX for prefix in prefixes):
        networking["clusterNetwork"] = [
            {"cidr": cidr, "hostPrefix": int(prefix)} for cidr, prefix in zip(desired.pods, prefixes, strict=True)
        ]
    if desired.machine_network:
        networking["machineNetwork"] = [{"cidr": cidr} for cidr in desired.machine_network]
    override = dict(desired.install_config_overrides)
    if networking:
        override["networking"] = {**networking, **(override.get("networking") or {})}
    return override


def _metadata(desired: DesiredControlPlane, name: str, **more: Any) -> Object:
    return {"name": name, "namespace": desired.namespace, "labels": {CLUSTER_NAME_LABEL: desired.name}, **more}


def _contents(desired: DesiredControlPlane) -> Iterator[WantedObject]:
    """The pull secret and the ConfigMap with mirrors, where this collection makes them."""
    if desired.pull_secret:
        data = {".dockerconfigjson": base64.b64encode(desired.pull_secret.encode()).decode()}
        secret = {
            "metadata": _metadata(desired, desired.secret_name),
            "type": "kubernetes.io/dockerconfigjson",
            "data": data,
        }
        yield WantedObject(PREPARED, SECRET, secret)
    if desired.registry:
        yield WantedObject(
            PREPARED,
            CONFIG_MAP,
            {"metadata": _metadata(desired, desired.registry_name), "data": dict(desired.registry)},
            owned=("data",),
        )


def _belonging(desired: DesiredControlPlane) -> dict[str, str]:
    return {CLUSTER_LABEL: desired.name, NAMESPACE_LABEL: desired.namespace}


def _network_configs(desired: DesiredControlPlane) -> Iterator[WantedObject]:
    """NMStateConfigs are selected in all namespaces; their labels keep those of an equally named cluster out."""
    for host in desired.hosts:
        if not host.get("network_config"):
            continue
        spec = {
            "interfaces": [
                {"name": each["name"], "macAddress": normal_mac(each["mac_address"])}
                for each in host.get("interfaces") or ()
            ],
            "config": dict(host["network_config"]),
        }
        metadata = _metadata(desired, nmstate_config_name(desired.name, str(host["name"])))
        metadata["labels"] = {**metadata["labels"], **_belonging(desired)}
        yield WantedObject(PREPARED, NMSTATE_CONFIG, {"metadata": metadata, "spec": spec}, owned=("spec",))


def _host(desired: DesiredControlPlane, host: Mapping[str, Any]) -> DesiredHost:
    name, bmc = str(host["name"]), host["bmc"]
    # CAPM3 sets the label of the Cluster on hosts that Machines use, and removes it when it releases them
    # (baremetal/metal3machine_manager.go).
    labels = {**_belonging(desired), POOL_LABEL: str(host["pool"])}
    spec: Object = {
        "online": True,
        "bootMACAddress": normal_mac(str(host["boot_mac_address"])),
        "automatedCleaningMode": str(desired.metal3.get("automated_cleaning_mode") or "disabled"),
        "bmc": bmc_part(name, bmc),
    }
    spec |= {"rootDeviceHints": dict(host["root_device_hints"])} if host.get("root_device_hints") else {}
    spec |= {"bootMode": host["boot_mode"]} if host.get("boot_mode") else {}
    secret = bmc_secret(name, desired.namespace, bmc)
    secret["metadata"] = {**secret["metadata"], "labels": {CLUSTER_NAME_LABEL: desired.name}}
    metadata = {"name": name, "namespace": desired.namespace, "labels": labels, "annotations": {}}
    return DesiredHost(name, {"metadata": metadata, "spec": spec}, secret, notes=tuple(certificate_notes(name, bmc)))


def _metal3_cluster(desired: DesiredControlPlane, kinds: AssistedKinds) -> WantedObject:
    provider = {"noCloudProvider": True} if kinds.metal3_version == "v1beta1" else {"cloudProviderEnabled": False}
    spec = {"controlPlaneEndpoint": dict(desired.endpoint), **provider}
    return WantedObject(PREPARED, kinds.metal3_cluster, {"metadata": _metadata(desired, desired.name), "spec": spec})


def _templates(desired: DesiredControlPlane, pool: MachinePool, kinds: AssistedKinds) -> Iterator[WantedObject]:
    """What the Machines of a pool are made from: infrastructure first, then the configs of workers (the control plane
    carries its own config spec).
    """
    prefix = f"{desired.name}-{CONTROL_PLANE_POOL}" if pool.is_control_plane else pool.name
    if desired.metal3_used:
        data = {
            "clusterName": desired.name,
            **({"metaData": dict(desired.metal3["meta_data"])} if desired.metal3.get("meta_data") else {}),
        }
        data_template = _named_by_content(desired, kinds.metal3_data_template, prefix, data)
        yield data_template
        yield _named_by_content(
            desired, kinds.metal3_machine_template, prefix, _machine_template(desired, pool, kinds, data_template.name)
        )
    if not pool.is_control_plane:
        metadata = _config_annotations(pool)
        template = {**({"metadata": {"annotations": metadata}} if metadata else {}), "spec": config_spec(desired, pool)}
        yield _named_by_content(desired, kinds.config_template, prefix, {"template": template})


def _machine_template(
    desired: DesiredControlPlane, pool: MachinePool, kinds: AssistedKinds, data_template: str
) -> Object:
    image = desired.metal3["image"]
    form = "format" if kinds.metal3_version == "v1beta1" else "diskFormat"
    hosts = dict(pool.host_selector) or {"matchLabels": {**_belonging(desired), POOL_LABEL: pool.name}}
    spec = {
        "image": {
            "url": image["url"],
            "checksum": image["checksum"],
            "checksumType": image["checksum_type"],
            form: image["format"],
        },
        "automatedCleaningMode": desired.metal3["automated_cleaning_mode"],
        "dataTemplate": {"name": data_template},
        "hostSelector": hosts,
    }
    return {"nodeReuse": bool(desired.metal3.get("node_reuse")), "template": {"spec": spec}}


def _named_by_content(desired: DesiredControlPlane, resource: Resource, prefix: str, spec: Object) -> WantedObject:
    digest = hashlib.sha256(json.dumps(spec, sort_keys=True).encode()).hexdigest()[:_HASH]
    return WantedObject(
        PREPARED, resource, {"metadata": _metadata(desired, f"{prefix}-{digest}"), "spec": spec}, immutable=True
    )


def _config_annotations(pool: MachinePool) -> dict[str, str]:
    rows = ((DISCOVERY_IGNITION, "discovery_ignition_override"), (INSTALL_IGNITION, "ignition_override"))
    return {annotation: str(pool.config[option]) for annotation, option in rows if pool.config.get(option)}


def _infrastructure(desired: DesiredControlPlane, pool: MachinePool, kinds: AssistedKinds) -> tuple[str, str, str]:
    """(group, kind, name) of the template of a pool's machines."""
    if pool.template:
        return pool.template["api_group"], pool.template["kind"], pool.template["name"]
    resource = kinds.metal3_machine_template
    return INFRASTRUCTURE_GROUP, resource.kind, template_names(desired, pool, kinds)[resource.kind]


def _deployment(desired: DesiredControlPlane, pool: MachinePool, kinds: AssistedKinds) -> WantedObject:
    group, kind, name = _infrastructure(desired, pool, kinds)
    core, template = kinds.core, template_names(desired, pool, kinds)[kinds.config_template.kind]
    selected = {CLUSTER_NAME_LABEL: desired.name, DEPLOYMENT_NAME_LABEL: pool.name}
    bootstrap = reference(
        core, BOOTSTRAP_GROUP, kinds.config_template.kind, template, desired.namespace, kinds.bootstrap_version
    )
    machine: Object = {
        "clusterName": desired.name,
        "bootstrap": {"configRef": bootstrap},
        "infrastructureRef": reference(core, group, kind, name, desired.namespace, kinds.version_of(group, kind)),
        **time_limits(pool.limits, older=core.version == "v1beta1"),
    }
    metadata: Object = {
        "labels": {**pool.labels, **selected},
        **({"annotations": dict(pool.annotations)} if pool.annotations else {}),
    }
    spec = {
        "clusterName": desired.name,
        "selector": {"matchLabels": selected},
        "template": {"metadata": metadata, "spec": machine},
        **({} if pool.replicas is None else {"replicas": pool.replicas}),
        **deletion_order(pool.limits, core),
    }
    owned = ("spec.template.spec.infrastructureRef", "spec.template.spec.bootstrap.configRef")
    return WantedObject(
        MACHINES, core.machine_deployment, {"metadata": _metadata(desired, pool.name), "spec": spec}, owned
    )


def _control_plane(desired: DesiredControlPlane, kinds: AssistedKinds) -> WantedObject:
    pool, older = desired.control_plane, kinds.control_plane_version == "v1alpha2"
    group, kind, name = _infrastructure(desired, pool, kinds)
    annotations = {**pool.annotations, **_config_annotations(pool)}
    machine: Object = {
        "infrastructureRef": {
            "apiVersion": f"{group}/{kinds.version_of(group, kind)}",
            "kind": kind,
            "name": name,
            "namespace": desired.namespace,
        }
        if older
        else {"apiGroup": group, "kind": kind, "name": name},
        **time_limits(pool.limits, older=older),
    }
    metadata = {key: dict(value) for key, value in (("labels", pool.labels), ("annotations", annotations)) if value}
    machine |= {"metadata": metadata} if metadata else {}
    config = {
        **rendered(CLUSTER_FIELDS, desired.config),
        "clusterName": desired.name,
        "pullSecretRef": {"name": desired.secret_name},
    }
    config |= {"imageRegistryRef": {"name": desired.registry_name}} if desired.registry_name else {}
    spec: Object = {
        "distributionVersion": desired.version,
        "machineTemplate": machine,
        "openshiftAssistedConfigSpec": config_spec(desired, pool),
        "config": config,
        **({} if pool.replicas is None else {"replicas": pool.replicas}),
    }
    owned = (
        "spec.config",
        "spec.openshiftAssistedConfigSpec",
        "spec.machineTemplate.infrastructureRef",
        "spec.machineTemplate.metadata",
    )
    return WantedObject(
        COUNTED,
        kinds.control_plane,
        {"metadata": _metadata(desired, desired.name, annotations=_annotations(desired)), "spec": spec},
        owned,
    )


def _annotations(desired: DesiredControlPlane) -> dict[str, str]:
    """The number of workers, and the repository: with the default one named, the provider asks for an upgrade by
    version, without it by image, and forced.
    """
    repository = desired.release_repository or ("" if is_okd(desired.version) else DEFAULT_REPOSITORY)
    override = install_config_override(desired)
    # The provider counts workers when the control plane changes, not when a MachineDeployment does
    # (controlplane/internal/controller/clusterdeployment_controller.go).
    found = {WORKERS: str(desired.workers)} if desired.pools else {}
    found |= {RELEASE_REPOSITORY: repository} if repository else {}
    return found | ({INSTALL_CONFIG: json.dumps(override, sort_keys=True)} if override else {})


def _cluster(desired: DesiredControlPlane, kinds: AssistedKinds) -> WantedObject:
    infrastructure = desired.infrastructure_ref or {
        "api_group": INFRASTRUCTURE_GROUP,
        "kind": kinds.metal3_cluster.kind,
        "name": desired.name,
    }
    group, kind = infrastructure["api_group"], infrastructure["kind"]
    network: Object = {"pods": {"cidrBlocks": list(desired.pods)}, "services": {"cidrBlocks": list(desired.services)}}
    network |= {"serviceDomain": desired.service_domain} if desired.service_domain else {}
    control_plane = (
        CONTROL_PLANE_GROUP,
        kinds.control_plane.kind,
        desired.name,
        desired.namespace,
        kinds.control_plane_version,
    )
    spec = {
        "clusterNetwork": network,
        "controlPlaneRef": reference(kinds.core, *control_plane),
        "infrastructureRef": reference(
            kinds.core, group, kind, infrastructure["name"], desired.namespace, kinds.version_of(group, kind)
        ),
    }
    metadata = {"name": desired.name, "namespace": desired.namespace}
    return WantedObject(
        STARTED,
        kinds.core.cluster,
        {"metadata": metadata, "spec": spec},
        ("spec.controlPlaneRef", "spec.infrastructureRef"),
    )
