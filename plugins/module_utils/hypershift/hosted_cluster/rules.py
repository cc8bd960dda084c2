# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Validate the options of a HostedCluster, as a pure function. Problems name the paths of the user's options.

Immutable fields are in :mod:`.immutable`, networks in :mod:`.networks`. The opaque documents ``configuration`` and
``operator_configuration`` are read only where another field depends on them; the API validates the rest of them.

Source: openshift/hypershift api/hypershift/v1beta1/hostedcluster_types.go,
  hypershift-operator/controllers/hostedcluster/hostedcluster_controller.go.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ...capi.objects import part
from ...common.problems import DUPLICATE, FORBIDDEN, INVALID, REQUIRED, TOO_MANY, UNSUPPORTED, Problem
from ...common.urls import split_remote
from .. import values
from ..names import control_plane_namespace
from ..release import cluster_fault
from ..user_input import problem
from .networks import network_problems

CHECK = "hosted-cluster"
# The order of upstream's own client (3.2); the order counts, and the list is never changed afterwards.
SERVICES = ("APIServer", "Ignition", "Konnectivity", "OAuthServer", "OIDC")
_NEEDED = ("APIServer", "OAuthServer", "Konnectivity", "Ignition")
_KNOWN_SERVICES = (*_NEEDED, "OIDC", "OVNSbDb")
_STRATEGIES: Mapping[str, str] = {
    "NodePort": "node_port",
    "LoadBalancer": "load_balancer",
    "Route": "route",
    "None": "",
    "S3": "",
}
_PORTS = (30000, 32767)
_CAPABILITIES = ("ImageRegistry", "openshift-samples", "Insights", "baremetal", "Console", "NodeTuning", "Ingress")
_CHOICES: Mapping[str, tuple[str, ...]] = {
    "controller_availability_policy": ("HighlyAvailable", "SingleReplica"),
    "infrastructure_availability_policy": ("HighlyAvailable", "SingleReplica"),
    "olm_catalog_placement": ("management", "guest"),
}
_QUANTITY = re.compile(
    r"(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?"
)
_PROVISION_TIME = re.compile(r"([0-9]+(\.[0-9]+)?(ns|us|µs|ms|s|m|h))+")
_UUID = re.compile(r"[a-fA-F0-9]{8}-[a-fA-F0-9]{4}-[a-fA-F0-9]{4}-[a-fA-F0-9]{4}-[a-fA-F0-9]{12}")
_MOST = {"image_content_sources": 255, "tolerations": 25, "node_selector": 20, "pod_labels": 20}
_LARGEST = 2**31 - 1
_DAY = 86400
_DELAYS = (
    "delay_after_add_seconds",
    "delay_after_delete_seconds",
    "delay_after_failure_seconds",
    "unneeded_duration_seconds",
)
_NAMESPACE_LENGTH = 63
# Options with content -> options that name an object with it.
_SECRETS = {
    "pull_secret": "pull_secret_name",
    "ssh_public_keys": "ssh_key_name",
    "additional_trust_bundle": "additional_trust_bundle_name",
}


def problems(options: Mapping[str, Any], observed: Mapping[str, Any] | None = None) -> list[Problem]:
    """All problems of the options that are set (see :func:`..user_input.provided`), except immutable fields."""
    spec = (observed or {}).get("spec") or {}
    return [
        *_names(options, exists=observed is not None),
        *_needed(options, exists=observed is not None),
        *_texts(options),
        *_secrets(options),
        *_services(options, spec),
        *network_problems(options, spec, exists=observed is not None),
        *_etcd(options.get("etcd"), spec),
        *_capabilities(options.get("capabilities") or {}),
        *_autoscaling(options.get("autoscaling") or {}, spec),
        *_lists(options),
        *_annotations(options),
        *_version(options, observed),
    ]


def _names(options: Mapping[str, Any], *, exists: bool) -> Iterator[Problem]:
    name, namespace = str(options.get("name") or ""), str(options.get("namespace") or "")
    if fault := values.object_name_fault(name) if exists else values.cluster_name_fault(name):
        yield _invalid("name", fault, name)
    if fault := values.object_name_fault(namespace):
        yield _invalid("namespace", fault, namespace)
    made = control_plane_namespace(namespace, name)
    if not exists and len(made) > _NAMESPACE_LENGTH:
        yield _invalid(
            "name",
            (
                f"the namespace of its control plane would be {made}, longer than the {_NAMESPACE_LENGTH} characters a "
                "namespace may have"
            ),
            name,
        )
    agents = options.get("agent_namespace")
    if agents is not None and (len(agents) > _NAMESPACE_LENGTH or values.object_name_fault(agents)):
        yield _invalid("agent_namespace", "must be the name of the namespace that the Agents are in", agents)


def _needed(options: Mapping[str, Any], *, exists: bool) -> Iterator[Problem]:
    """What a new hosted cluster cannot do without: fields that the CRD requires, and those without which its
    controllers wait indefinitely.
    """
    if exists:
        return
    hints = {
        "agent_namespace": "the namespace of the Agents that become its nodes",
        "release_image": "the release of the control plane",
        "base_domain": "without it the agent provider waits indefinitely",
    }
    for option, detail in hints.items():
        if not options.get(option):
            yield problem(CHECK, option, REQUIRED, detail)
    if not options.get("pull_secret") and not options.get("pull_secret_name"):
        yield problem(CHECK, "pull_secret", REQUIRED, "give pull_secret, or the name of a Secret in pull_secret_name")
    if "services" not in options and not options.get("api_server_address"):
        detail = "how nodes and users reach the control plane; it cannot be changed later"
        yield problem(
            CHECK,
            "services",
            REQUIRED,
            detail,
            hint=("api_server_address publishes all of them as NodePorts at one address"),
        )


def _texts(options: Mapping[str, Any]) -> Iterator[Problem]:
    for option in ("release_image", "control_plane_release_image"):
        image = options.get(option)
        if image is not None and (fault := values.image_fault(str(image))):
            yield _invalid(option, fault, image)
    for option in ("base_domain", "base_domain_prefix", "kube_api_server_dns_name"):
        if fault := values.domain_fault(str(options.get(option) or "")):
            yield _invalid(option, fault, options[option])
    for option, choices in _CHOICES.items():
        if options.get(option) not in (None, *choices):
            yield problem(CHECK, option, UNSUPPORTED, f"must be {' or '.join(choices)}", options[option])
    for option, most in (("issuer_url", 255), ("update_service", 2048)):
        url = options.get(option)
        parts = split_remote(url or "")
        if url and (len(url) > most or not parts.scheme or not (parts.netloc or parts.path.startswith("/"))):
            yield _invalid(option, "must be an absolute URL", url)
    if (infra := options.get("infra_id")) is not None and (fault := values.cluster_name_fault(str(infra))):
        yield _invalid("infra_id", fault, infra)
    if (identity := options.get("cluster_id")) is not None and not _UUID.fullmatch(str(identity)):
        yield _invalid("cluster_id", "must be a UUID", identity)
    if len(str(options.get("channel") or "")) > 100:
        yield _invalid("channel", "must be at most 100 characters", options["channel"])
    until = options.get("paused_until")
    if until and (fault := values.pause_fault(str(until), 4)):
        yield _invalid("paused_until", fault, until)


def _secrets(options: Mapping[str, Any]) -> Iterator[Problem]:
    for content, name in _SECRETS.items():
        if options.get(content) and options.get(name):
            yield problem(CHECK, name, FORBIDDEN, f"{content} and {name} are both given; give one")
        if options.get(name) and (fault := values.object_name_fault(str(options[name]))):
            yield _invalid(name, fault, options[name])
    if options.get("pull_secret") and not _is_pull_secret(options["pull_secret"]):
        yield problem(
            CHECK,
            "pull_secret",
            INVALID,
            "auths required",
            hint="""a JSON document is expected: '{"auths": {"host:5000": {"auth": "…"}}}'""",
        )
    bundle = options.get("additional_trust_bundle")
    if bundle and "-----BEGIN CERTIFICATE-----" not in bundle:
        yield _invalid("additional_trust_bundle", "must be certificates in PEM form")
    encryption = options.get("secret_encryption")
    if encryption and encryption.get("type") not in (None, "aescbc"):
        yield problem(
            CHECK,
            "secret_encryption.type",
            UNSUPPORTED,
            ("must be aescbc: other kinds need a cloud's key service"),
            encryption["type"],
        )
    if encryption and not part(encryption, "aescbc", "active_key").get("name"):
        yield problem(
            CHECK,
            "secret_encryption.aescbc.active_key.name",
            REQUIRED,
            "the Secret with the key",
            hint="without secret_encryption one is made",
        )


def _is_pull_secret(provided: Any) -> bool:
    try:
        document = json.loads(provided) if isinstance(provided, str) else provided
    except ValueError:
        return False
    return isinstance(document, Mapping) and isinstance(document.get("auths"), Mapping) and bool(document["auths"])


def _services(options: Mapping[str, Any], spec: Mapping[str, Any]) -> Iterator[Problem]:
    address = options.get("api_server_address")
    if address and (fault := values.node_port_address_fault(str(address))):
        yield _invalid("api_server_address", fault, address)
    if "services" not in options:
        return
    if address:
        yield problem(
            CHECK,
            "api_server_address",
            FORBIDDEN,
            ("services and api_server_address both define the API server; set only one of them"),
        )
    services: Sequence[Mapping[str, Any]] = options["services"]
    if not 4 <= len(services) <= 6:
        yield problem(
            CHECK, "services", TOO_MANY if len(services) > 6 else REQUIRED, "must have 4 to 6 items", len(services)
        )
    counts = Counter(str(each.get("service")) for each in services)
    for name in _NEEDED:
        if not counts[name]:
            yield problem(CHECK, "services", REQUIRED, f"{name} must be published")
    for name, number in counts.items():
        if name not in _KNOWN_SERVICES:
            yield problem(CHECK, "services", UNSUPPORTED, f"services are {', '.join(_KNOWN_SERVICES)}", name)
        elif number > 1:
            yield problem(CHECK, "services", DUPLICATE, "is listed more than once", name)
    ports = _port_range(options, spec)
    for index, each in enumerate(services):
        yield from _service(f"services[{index}]", each, ports)
    yield from _hostnames(services, options, spec)


def _service(where: str, each: Mapping[str, Any], ports: tuple[int, int]) -> Iterator[Problem]:
    strategy: Mapping[str, Any] = each.get("service_publishing_strategy") or {}
    where = f"{where}.service_publishing_strategy"
    kind = str(strategy.get("type") or "")
    if kind not in _STRATEGIES:
        yield problem(CHECK, f"{where}.type", UNSUPPORTED, f"must be one of {', '.join(_STRATEGIES)}", kind)
        return
    if each.get("service") == "Ignition" and kind not in ("NodePort", "Route"):
        yield problem(
            CHECK, f"{where}.type", UNSUPPORTED, ("hosts find their Ignition only behind a NodePort or a Route"), kind
        )
    for name in ("node_port", "load_balancer", "route"):
        if name in strategy and name != _STRATEGIES[kind]:
            yield problem(CHECK, f"{where}.{name}", FORBIDDEN, f"does not go with type {kind}")
    if kind == "NodePort":
        node_port = strategy.get("node_port") or {}
        if not node_port.get("address"):
            yield problem(CHECK, f"{where}.node_port.address", REQUIRED, "where nodes and users reach the NodePort")
        elif fault := values.node_port_address_fault(str(node_port["address"])):
            yield _invalid(f"{where}.node_port.address", fault, node_port["address"])
        port = node_port.get("port") or 0
        if port > 0 and not ports[0] <= port <= ports[1]:
            yield _invalid(
                f"{where}.node_port.port", (f"must be in the range of NodePorts, {ports[0]} to {ports[1]}"), port
            )
    for name in ("load_balancer", "route"):
        hostname = (strategy.get(name) or {}).get("hostname")
        if hostname is not None and (fault := values.hostname_fault(str(hostname))):
            yield _invalid(f"{where}.{name}.hostname", fault, hostname)


def _port_range(options: Mapping[str, Any], spec: Mapping[str, Any]) -> tuple[int, int]:
    provided, there = (part(each, "configuration", "network").get("serviceNodePortRange") for each in (options, spec))
    low, _dash, high = str(provided or there or "").partition("-")
    return (int(low), int(high)) if low.isdigit() and high.isdigit() else _PORTS


def _hostnames(
    services: Sequence[Mapping[str, Any]], options: Mapping[str, Any], spec: Mapping[str, Any]
) -> Iterator[Problem]:
    """Names are unique over the services; that of the API server's load balancer has a certificate already, and must be
    in no other.
    """
    seen: dict[str, str] = {}
    configuration = options.get("configuration") or spec.get("configuration") or {}
    certificates = part(configuration, "apiServer", "servingCerts").get("namedCertificates") or ()
    named = {str(name) for certificate in certificates for name in certificate.get("names") or ()}
    for index, each in enumerate(services):
        strategy = each.get("service_publishing_strategy") or {}
        for kind in ("load_balancer", "route"):
            hostname = (strategy.get(kind) or {}).get("hostname")
            if not hostname:
                continue
            where = f"services[{index}].service_publishing_strategy.{kind}.hostname"
            if hostname in seen:
                yield problem(CHECK, where, DUPLICATE, f"{seen[hostname]} has it too", hostname)
            seen.setdefault(hostname, str(each.get("service")))
            if kind == "load_balancer" and each.get("service") == "APIServer" and hostname in named:
                yield problem(
                    CHECK,
                    where,
                    FORBIDDEN,
                    ("must not be in configuration.apiServer.servingCerts.namedCertificates"),
                    hostname,
                )


def _etcd(etcd: Mapping[str, Any] | None, spec: Mapping[str, Any]) -> Iterator[Problem]:
    if not etcd:
        return
    kind = (
        etcd.get("management_type")
        or part(spec, "etcd").get("managementType")
        or ("Unmanaged" if etcd.get("unmanaged") else "Managed")
    )
    if kind not in ("Managed", "Unmanaged"):
        yield problem(CHECK, "etcd.management_type", UNSUPPORTED, "must be Managed or Unmanaged", kind)
        return
    other = "unmanaged" if kind == "Managed" else "managed"
    if other in etcd:
        yield problem(CHECK, f"etcd.{other}", FORBIDDEN, f"does not go with management_type {kind}")
    if kind == "Unmanaged":
        unmanaged = etcd.get("unmanaged") or {}
        if not spec and not unmanaged:
            yield problem(CHECK, "etcd.unmanaged", REQUIRED, "the etcd that is used")
        elif (
            not str(unmanaged.get("endpoint", "https://")).startswith("https://")
            or len(str(unmanaged.get("endpoint", ""))) > 255
        ):
            yield _invalid("etcd.unmanaged.endpoint", "must begin with https://", unmanaged["endpoint"])
        return
    storage = part(etcd, "managed", "storage")
    if storage.get("type") not in (None, "PersistentVolume"):
        yield problem(CHECK, "etcd.managed.storage.type", UNSUPPORTED, "must be PersistentVolume", storage["type"])
    size = part(storage, "persistent_volume").get("size")
    if size is not None and not _QUANTITY.fullmatch(str(size)):
        yield _invalid("etcd.managed.storage.persistent_volume.size", "must be a quantity such as 8Gi", size)
    urls = storage.get("restore_snapshot_url") or []
    if len(urls) > 1:
        yield problem(
            CHECK, "etcd.managed.storage.restore_snapshot_url", TOO_MANY, "must have at most 1 item", len(urls)
        )
    if urls and not str(urls[0]).startswith(("https://", "s3://")):
        yield _invalid("etcd.managed.storage.restore_snapshot_url", "must begin with https:// or s3://", urls[0])


def _capabilities(capabilities: Mapping[str, Any]) -> Iterator[Problem]:
    enabled, disabled = capabilities.get("enabled") or [], capabilities.get("disabled") or []
    for part_name, names in (("enabled", enabled), ("disabled", disabled)):
        for name in names:
            if name not in _CAPABILITIES:
                yield problem(
                    CHECK,
                    f"capabilities.{part_name}",
                    UNSUPPORTED,
                    (f"optional capabilities are {', '.join(_CAPABILITIES)}"),
                    name,
                )
        if len(names) > 25:
            yield problem(CHECK, f"capabilities.{part_name}", TOO_MANY, "must have at most 25 items", len(names))
    for name in sorted(set(enabled) & set(disabled)):
        yield problem(CHECK, "capabilities.disabled", FORBIDDEN, "is enabled, too", name)
    if "Ingress" in disabled and "Console" not in disabled:
        yield problem(
            CHECK, "capabilities.disabled", FORBIDDEN, "Ingress can only be disabled together with Console", "Ingress"
        )


def _autoscaling(scaling: Mapping[str, Any], spec: Mapping[str, Any]) -> Iterator[Problem]:
    kind = scaling.get("scaling") or part(spec, "autoscaling").get("scaling") or "ScaleUpAndScaleDown"
    if kind not in ("ScaleUpOnly", "ScaleUpAndScaleDown"):
        yield problem(CHECK, "autoscaling.scaling", UNSUPPORTED, "must be ScaleUpOnly or ScaleUpAndScaleDown", kind)
    down = scaling.get("scale_down") or {}
    if kind == "ScaleUpOnly" and (
        down or (scaling.get("scaling") and part(spec, "autoscaling").get("scaleDown") and "scale_down" not in scaling)
    ):
        yield problem(
            CHECK,
            "autoscaling.scale_down",
            FORBIDDEN,
            "only goes with scaling ScaleUpAndScaleDown",
            hint="scale_down: {} removes it",
        )
    for name in _DELAYS:
        yield from _number(f"autoscaling.scale_down.{name}", down.get(name), _DAY)
    yield from _number(
        "autoscaling.scale_down.utilization_threshold_percent", down.get("utilization_threshold_percent"), 100
    )
    yield from _number(
        "autoscaling.max_free_difference_ratio_percent", scaling.get("max_free_difference_ratio_percent"), 100
    )
    for name in ("max_nodes_total", "max_pod_grace_period"):
        yield from _number(f"autoscaling.{name}", scaling.get(name), _LARGEST)
    time = scaling.get("max_node_provision_time")
    if time and (len(str(time)) > 100 or not _PROVISION_TIME.fullmatch(str(time))):
        yield _invalid("autoscaling.max_node_provision_time", "must be a duration such as 45m", time)
    expanders = scaling.get("expanders") or []
    for name in expanders:
        if name not in ("LeastWaste", "Priority", "Random"):
            yield problem(CHECK, "autoscaling.expanders", UNSUPPORTED, "must be LeastWaste, Priority or Random", name)
    if len(expanders) > 3:
        yield problem(CHECK, "autoscaling.expanders", TOO_MANY, "must have at most 3 items", len(expanders))
    labels = scaling.get("balancing_ignored_labels") or []
    if len(labels) > 64:
        yield problem(
            CHECK, "autoscaling.balancing_ignored_labels", TOO_MANY, "must have at most 64 items", len(labels)
        )
    for label in labels:
        if fault := values.key_fault(str(label)):
            yield _invalid("autoscaling.balancing_ignored_labels", fault, label)


def _number(path: str, value: int | None, most: int) -> Iterator[Problem]:
    if value is not None and not 0 <= value <= most:
        yield _invalid(path, f"must be 0 to {most}", value)


def _lists(options: Mapping[str, Any]) -> Iterator[Problem]:
    for option, most in _MOST.items():
        if len(options.get(option) or ()) > most:
            yield problem(CHECK, option, TOO_MANY, f"must have at most {most} items", len(options[option]))
    for index, source in enumerate(options.get("image_content_sources") or ()):
        where = f"image_content_sources[{index}]"
        if not source.get("source") or len(str(source["source"])) > 255:
            yield _invalid(f"{where}.source", "must be a repository of at most 255 characters", source.get("source"))
        mirrors = [str(mirror) for mirror in source.get("mirrors") or ()]
        if len(mirrors) > 255 or len(set(mirrors)) < len(mirrors) or any(len(mirror) > 255 for mirror in mirrors):
            yield _invalid(f"{where}.mirrors", "must be at most 255 different repositories of at most 255 characters")


def _annotations(options: Mapping[str, Any]) -> Iterator[Problem]:
    for name, text in (options.get("annotations") or {}).items():
        if text is not None and (fault := values.health_check_fault(str(name), str(text))):
            yield _invalid(f"annotations.{name}", fault, text)


def _version(options: Mapping[str, Any], observed: Mapping[str, Any] | None) -> Iterator[Problem]:
    image = str(options.get("release_image") or "")
    annotations = {
        str(name): str(value).lower() for name, value in (options.get("annotations") or {}).items() if value is not None
    }
    if fault := cluster_fault(image, observed, annotations):
        yield _invalid("release_image", fault, image)


def _invalid(path: str, detail: str, value: Any = "") -> Problem:
    return problem(CHECK, path, INVALID, detail, value)
