# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test data: options of node pools and hosted clusters, with the expected verdict for each.

Verdict ``crd``: upstream's CRDs and our rules reject the options. ``operator``: the CRDs accept them, but the operator
later cannot apply them; our rules reject them at once. ``fine``: the options are valid. A case with ``before`` changes
an existing object, which was created from those options. Unit tests check our rules; the integration test checks the
real API with upstream's CRDs.
"""

from __future__ import annotations

import dataclasses
from typing import Any, Literal

Options = dict[str, Any]
Verdict = Literal["crd", "operator", "fine"]
HEALTH = "hypershift.openshift.io/machine-health-check"
IMAGE = "quay.io/openshift-release-dev/ocp-release:4.22.0-x86_64"


@dataclasses.dataclass(frozen=True)
class Case:
    """One case; ``path`` is the option in which our rules find the mistake."""

    name: str
    verdict: Verdict
    options: Options
    path: str = ""
    before: Options | None = None


POOL: Options = {"name": "edge", "namespace": "clusters", "cluster_name": "edge", "release_image": IMAGE, "replicas": 2}
_UNSIZED = {key: value for key, value in POOL.items() if key != "replicas"}


def pool(name: str, verdict: Verdict, path: str = "", *, unsized: bool = False, **options: Any) -> Case:
    return Case(name, verdict, {**(_UNSIZED if unsized else POOL), **options}, path)


def pool_change(name: str, verdict: Verdict, path: str, before: Options, **options: Any) -> Case:
    return Case(
        name,
        verdict,
        {"name": "edge", "namespace": "clusters", **options},
        path,
        {**(_UNSIZED if "auto_scaling" in before else POOL), **before},
    )


def _rolling(surge: Any, unavailable: Any) -> Options:
    return {
        "replace": {"rolling_update": {"max_surge": surge, "max_unavailable": unavailable}},
        "upgrade_type": "Replace",
    }


POOLS = (
    pool("as it should be", "fine"),
    pool(
        "with everything",
        "fine",
        arch="arm64",
        auto_repair=True,
        config=["a", "b"],
        tuning_config=["t"],
        node_drain_timeout="30m",
        paused_until="true",
    ),
    pool("name of the cluster in capitals", "crd", "cluster_name", cluster_name="Edge"),
    pool("name of the cluster with a dot", "crd", "cluster_name", cluster_name="edge.example"),
    pool("name of the cluster that ends in a dash", "crd", "cluster_name", cluster_name="edge-"),
    pool("image with a blank", "crd", "release_image", release_image="quay.io/x y"),
    pool("image of one character", "crd", "release_image", release_image="x"),
    pool("image that begins with a slash", "crd", "release_image", release_image="/x/y"),
    pool("image that is too long", "crd", "release_image", release_image="x" * 254),
    pool("longest image", "fine", release_image="x" * 253),
    pool("replicas and autoscaling", "crd", "auto_scaling", auto_scaling={"min": 1, "max": 2}),
    pool("autoscaling", "fine", unsized=True, auto_scaling={"min": 1, "max": 1}),
    pool("autoscaling from zero", "crd", "auto_scaling.min", unsized=True, auto_scaling={"min": 0, "max": 2}),
    pool("autoscaling upside down", "crd", "auto_scaling.max", unsized=True, auto_scaling={"min": 3, "max": 2}),
    pool("autoscaling below zero", "crd", "auto_scaling.min", unsized=True, auto_scaling={"min": -1, "max": 2}),
    pool("negative replicas", "crd", "replicas", replicas=-1),
    pool("more replicas than a number holds", "crd", "replicas", replicas=2**31),
    pool("unknown upgrade type", "crd", "upgrade_type", upgrade_type="Rolling"),
    pool("in_place with Replace", "crd", "in_place", upgrade_type="Replace", in_place={"max_unavailable": 1}),
    pool("in_place", "fine", in_place={"max_unavailable": "25%"}),
    pool("in_place that is no number", "operator", "in_place.max_unavailable", in_place={"max_unavailable": "some"}),
    pool("replace on delete", "fine", upgrade_type="Replace", replace={"strategy": "OnDelete"}),
    pool("unknown strategy", "crd", "replace.strategy", upgrade_type="Replace", replace={"strategy": "Recreate"}),
    pool("rolling update by percentage", "fine", **_rolling("10%", 0)),
    pool("rolling update that cannot begin", "operator", "replace.rolling_update", **_rolling(0, "0%")),
    pool("rolling update that is no number", "operator", "replace.rolling_update.max_surge", **_rolling("a lot", 0)),
    pool("replace in part", "fine", upgrade_type="Replace", replace={"strategy": "RollingUpdate"}),
    pool("eleven configurations", "crd", "config", config=[f"c{number}" for number in range(11)]),
    pool("ten configurations", "fine", config=[f"c{number}" for number in range(10)]),
    pool("eleven tunings", "crd", "tuning_config", tuning_config=[f"c{number}" for number in range(11)]),
    pool("a configuration twice", "operator", "config[1]", config=["a", "a"]),
    pool("a configuration that is no name", "operator", "config[0]", config=["A_b"]),
    pool("drain timeout without unit", "operator", "node_drain_timeout", node_drain_timeout="30"),
    pool("negative drain timeout", "operator", "node_drain_timeout", node_drain_timeout="-5m"),
    pool("detach timeout in days", "operator", "node_volume_detach_timeout", node_volume_detach_timeout="1d"),
    pool("paused until tomorrow", "crd", "paused_until", paused_until="tomorrow"),
    pool("paused until a date without time", "crd", "paused_until", paused_until="2026-12-31"),
    pool("paused until a date without zone", "operator", "paused_until", paused_until="2026-12-31T23:59:59"),
    pool("paused until a date", "fine", paused_until="2026-12-31T23:59:59Z"),
    pool("paused for 36 characters", "crd", "paused_until", paused_until="2026-12-31T23:59:59.0000000000+00:00"),
    pool(
        "taint",
        "fine",
        taints=[
            {"key": "example.com/gpu", "value": "yes", "effect": "NoSchedule"},
            {"key": "x", "effect": "NoExecute"},
        ],
    ),
    pool("taint without a proper key", "crd", "taints[0].key", taints=[{"key": "gpu!", "effect": "NoSchedule"}]),
    pool("taint with an empty key", "crd", "taints[0].key", taints=[{"key": "", "effect": "NoSchedule"}]),
    pool(
        "taint with capitals before the slash",
        "crd",
        "taints[0].key",
        taints=[{"key": "Example.com/gpu", "effect": "NoSchedule"}],
    ),
    pool(
        "taint with a value that ends in a dot",
        "crd",
        "taints[0].value",
        taints=[{"key": "gpu", "value": "a.", "effect": "NoSchedule"}],
    ),
    pool("taint with an unknown effect", "crd", "taints[0].effect", taints=[{"key": "gpu", "effect": "Never"}]),
    pool(
        "fifty-one taints",
        "crd",
        "taints",
        taints=[{"key": f"t{number}", "effect": "NoSchedule"} for number in range(51)],
    ),
    pool("node label with a blank", "operator", "node_labels.zone", node_labels={"zone": "a b"}),
    pool("architecture of another platform", "crd", "arch", arch="s390x"),
    pool("unknown architecture", "crd", "arch", arch="riscv"),
    pool("ppc64le", "fine", arch="ppc64le"),
    pool(
        "selector with an unknown operator",
        "operator",
        "agent_label_selector.matchExpressions[0].operator",
        agent_label_selector={"matchExpressions": [{"key": "a", "operator": "Gt", "values": ["1"]}]},
    ),
    pool("selector", "fine", agent_label_selector={"matchLabels": {"size": "large"}}),
    pool(
        "a time for repair in words",
        "operator",
        f"annotations.{HEALTH}-timeout",
        annotations={f"{HEALTH}-timeout": "an hour"},
    ),
    pool(
        "a share of sick nodes that is none",
        "operator",
        f"annotations.{HEALTH}-max-unhealthy",
        annotations={f"{HEALTH}-max-unhealthy": "some"},
    ),
    pool(
        "repair with time",
        "fine",
        annotations={f"{HEALTH}-node-startup-timeout": "60m", f"{HEALTH}-max-unhealthy": "40%"},
    ),
    pool_change("another cluster", "crd", "cluster_name", {}, cluster_name="other"),
    pool_change("another architecture", "crd", "arch", {}, arch="arm64"),
    pool_change("the architecture that the server filled in", "fine", "", {}, arch="amd64"),
    pool_change("another upgrade type", "crd", "upgrade_type", {}, upgrade_type="Replace"),
    pool_change("the same once more", "fine", "", {}, cluster_name="edge", upgrade_type="InPlace", replicas=2),
    pool_change("other replicas", "fine", "", {}, replicas=5),
    pool_change("autoscaling on", "fine", "", {}, auto_scaling={"min": 1, "max": 3}),
    pool_change("autoscaling off", "fine", "", {"auto_scaling": {"min": 1, "max": 3}}, auto_scaling={}),
    pool_change(
        "replicas of an autoscaled pool", "crd", "replicas", {"auto_scaling": {"min": 1, "max": 3}}, replicas=2
    ),
    pool_change("in_place later", "fine", "", {}, in_place={"max_unavailable": 2}),
    pool_change(
        "in_place of a pool that replaces",
        "crd",
        "in_place",
        {"upgrade_type": "Replace"},
        in_place={"max_unavailable": 2},
    ),
    pool_change("on delete from now on", "fine", "", {"upgrade_type": "Replace"}, replace={"strategy": "OnDelete"}),
    pool_change(
        "rolling again",
        "fine",
        "",
        {"upgrade_type": "Replace", "replace": {"strategy": "OnDelete"}},
        replace={"strategy": "RollingUpdate"},
    ),
    pool_change(
        "lists and timeouts taken back",
        "fine",
        "",
        {"config": ["a"], "taints": [{"key": "x", "effect": "NoExecute"}], "paused_until": "true"},
        config=[],
        taints=[],
        paused_until="",
        node_drain_timeout="0s",
    ),
    pool_change(
        "another selector",
        "fine",
        "",
        {"agent_label_selector": {"matchLabels": {"a": "b"}}},
        agent_label_selector={"matchLabels": {"c": "d"}},
    ),
)

PULL_SECRET = '{"auths": {"quay.io": {"auth": "Z2VoZWltOmdlaGVpbQ=="}}}'


def publish(kind: str = "NodePort", service: str = "", **more: Any) -> Options:
    part = {"NodePort": {"node_port": {"address": "192.0.2.10"}}}.get(kind, {})
    return {"service": service, "service_publishing_strategy": {"type": kind, **part, **more}}


def published(**changed: Options) -> list[Options]:
    names = ("APIServer", "OAuthServer", "Konnectivity", "Ignition")
    return [{**changed.get(name, publish()), "service": name} for name in names]


CLUSTER: Options = {
    "name": "edge",
    "namespace": "clusters",
    "release_image": IMAGE,
    "pull_secret": PULL_SECRET,
    "agent_namespace": "hosts",
    "base_domain": "example.com",
    "services": published(),
}


def cluster(name: str, verdict: Verdict, path: str = "", **options: Any) -> Case:
    return Case(name, verdict, {key: value for key, value in {**CLUSTER, **options}.items() if value is not None}, path)


def cluster_change(name: str, verdict: Verdict, path: str, before: Options, **options: Any) -> Case:
    return Case(name, verdict, {"name": "edge", "namespace": "clusters", **options}, path, {**CLUSTER, **before})


_STRATEGY = "services[0].service_publishing_strategy"
_VOLUME = "etcd.managed.storage.persistent_volume"


def _volume(**options: Any) -> Options:
    return {"managed": {"storage": {"persistent_volume": options}}}


def _ovn(**config: Any) -> Options:
    return {"clusterNetworkOperator": {"ovnKubernetesConfig": config}}


CLUSTERS = (
    cluster("as it should be", "fine"),
    cluster("all at one address", "fine", services=None, api_server_address="lb.example.com"),
    cluster("no services", "crd", "services", services=None),
    cluster("three services", "crd", "services", services=published()[:3]),
    cluster(
        "seven services",
        "crd",
        "services",
        services=[*published(), publish(service="OIDC"), publish(service="OVNSbDb"), publish(service="OIDC")],
    ),
    cluster("a service twice", "operator", "services", services=[*published()[:3], publish(service="APIServer")]),
    cluster("unknown service", "crd", "services", services=[*published(), publish(service="Console")]),
    cluster("unknown strategy", "crd", f"{_STRATEGY}.type", services=published(APIServer=publish("Ingress"))),
    cluster(
        "NodePort without address",
        "crd",
        f"{_STRATEGY}.node_port.address",
        services=published(APIServer=publish(node_port={})),
    ),
    cluster(
        "NodePort with a name of one label",
        "crd",
        f"{_STRATEGY}.node_port.address",
        services=published(APIServer=publish(node_port={"address": "hub"})),
    ),
    cluster(
        "NodePort with an IPv6 address",
        "fine",
        services=published(APIServer=publish(node_port={"address": "2001:db8::1"})),
    ),
    cluster(
        "NodePort with an address that has a zone",
        "crd",
        f"{_STRATEGY}.node_port.address",
        services=published(APIServer=publish(node_port={"address": "fe80::1%eth0"})),
    ),
    cluster(
        "NodePort with localhost", "fine", services=published(APIServer=publish(node_port={"address": "localhost"}))
    ),
    cluster(
        "NodePort out of range",
        "operator",
        f"{_STRATEGY}.node_port.port",
        services=published(APIServer=publish(node_port={"address": "192.0.2.1", "port": 80})),
    ),
    cluster(
        "NodePort in another range",
        "fine",
        services=published(APIServer=publish(node_port={"address": "192.0.2.1", "port": 20001})),
        configuration={"network": {"serviceNodePortRange": "20000-22767"}},
    ),
    cluster(
        "Route",
        "fine",
        services=published(
            Ignition=publish("Route"), OAuthServer=publish("Route", route={"hostname": "oauth.example.com"})
        ),
    ),
    cluster(
        "Route with a NodePort",
        "crd",
        f"{_STRATEGY}.node_port",
        services=published(APIServer=publish("Route", node_port={"address": "192.0.2.1"})),
    ),
    cluster(
        "NodePort with a Route",
        "crd",
        f"{_STRATEGY}.route",
        services=published(APIServer=publish(route={"hostname": "a.example.com"})),
    ),
    cluster(
        "LoadBalancer with a Route",
        "crd",
        f"{_STRATEGY}.route",
        services=published(APIServer=publish("LoadBalancer", route={"hostname": "a.example.com"})),
    ),
    cluster(
        "None with a load balancer",
        "crd",
        f"{_STRATEGY}.load_balancer",
        services=published(APIServer=publish("None", load_balancer={"hostname": "a.example.com"})),
    ),
    cluster("S3 with a Route", "crd", f"{_STRATEGY}.route", services=published(APIServer=publish("S3", route={}))),
    cluster(
        "LoadBalancer with an address for a name",
        "crd",
        f"{_STRATEGY}.load_balancer.hostname",
        services=published(APIServer=publish("LoadBalancer", load_balancer={"hostname": "192.0.2.1"})),
    ),
    cluster(
        "LoadBalancer with an empty name",
        "crd",
        f"{_STRATEGY}.load_balancer.hostname",
        services=published(APIServer=publish("LoadBalancer", load_balancer={"hostname": ""})),
    ),
    cluster(
        "Ignition behind a load balancer",
        "operator",
        "services[3].service_publishing_strategy.type",
        services=published(Ignition=publish("LoadBalancer")),
    ),
    cluster(
        "one name for two",
        "operator",
        "services[2].service_publishing_strategy.route.hostname",
        services=published(
            **dict.fromkeys(("OAuthServer", "Konnectivity"), publish("Route", route={"hostname": "a.example.com"}))
        ),
    ),
    cluster(
        "a name that has a certificate",
        "crd",
        f"{_STRATEGY}.load_balancer.hostname",
        services=published(APIServer=publish("LoadBalancer", load_balancer={"hostname": "api.example.com"})),
        configuration={
            "apiServer": {
                "servingCerts": {
                    "namedCertificates": [{"names": ["api.example.com"], "servingCertificate": {"name": "c"}}]
                }
            }
        },
    ),
    cluster("no release", "crd", "release_image", release_image=None),
    cluster("image with a blank", "crd", "release_image", release_image="a b"),
    cluster(
        "control plane image with a blank", "crd", "control_plane_release_image", control_plane_release_image="a b"
    ),
    cluster("a release that is too old", "operator", "release_image", release_image="quay.io/x/release:4.13.9-x86_64"),
    cluster(
        "any release",
        "fine",
        release_image="quay.io/x/r:4.13.9",
        annotations={"hypershift.openshift.io/skip-release-image-validation": "true"},
    ),
    cluster(
        "a time for repair in words",
        "operator",
        f"annotations.{HEALTH}-timeout",
        annotations={f"{HEALTH}-timeout": "an hour"},
    ),
    cluster("no pull secret", "crd", "pull_secret", pull_secret=None),
    cluster("no agent namespace", "operator", "agent_namespace", agent_namespace=None),
    cluster("agent namespace that is too long", "crd", "agent_namespace", agent_namespace="h" * 64),
    cluster("no base domain", "operator", "base_domain", base_domain=None),
    cluster("base domain with an underscore", "crd", "base_domain", base_domain="exa_mple.com"),
    cluster("prefix", "fine", base_domain_prefix="apps1"),
    cluster("empty prefix", "fine", base_domain_prefix=""),
    cluster("prefix with a slash", "crd", "base_domain_prefix", base_domain_prefix="a/b"),
    cluster("name of the API with a colon", "crd", "kube_api_server_dns_name", kube_api_server_dns_name="api:6443"),
    cluster("unknown network type", "crd", "networking.network_type", networking={"network_type": "Cilium"}),
    cluster(
        "network of nodes without Other",
        "crd",
        "networking.allocate_node_cidrs",
        networking={"allocate_node_cidrs": "Enabled"},
    ),
    cluster(
        "network of nodes with Other", "fine", networking={"network_type": "Other", "allocate_node_cidrs": "Enabled"}
    ),
    cluster(
        "the same network twice",
        "crd",
        "networking.service_network[0]",
        networking={"cluster_network": [{"cidr": "10.0.0.0/14"}], "service_network": ["10.0.0.0/14"]},
    ),
    cluster(
        "networks that overlap",
        "operator",
        "networking.service_network[0]",
        networking={"cluster_network": [{"cidr": "10.0.0.0/8"}], "service_network": ["10.1.0.0/16"]},
    ),
    cluster(
        "overlap with what the server fills in",
        "operator",
        "networking.machine_network[0]",
        networking={"machine_network": ["10.132.7.0/24"]},
    ),
    cluster(
        "equal to what the server fills in",
        "crd",
        "networking.machine_network[0]",
        networking={"machine_network": ["172.31.0.0/16"]},
    ),
    cluster(
        "two families",
        "fine",
        networking={
            "cluster_network": [{"cidr": "10.132.0.0/14"}, {"cidr": "fd01::/48", "host_prefix": 64}],
            "service_network": ["172.31.0.0/16", "fd02::/112"],
        },
    ),
    cluster(
        "three networks",
        "crd",
        "networking.service_network",
        networking={"service_network": ["172.31.0.0/24", "172.31.1.0/24", "172.31.2.0/24"]},
    ),
    cluster("no network", "crd", "networking.machine_network", networking={"machine_network": []}),
    cluster(
        "network without prefix length",
        "crd",
        "networking.machine_network[0]",
        networking={"machine_network": ["192.0.2.0"]},
    ),
    cluster(
        "network that is none",
        "operator",
        "networking.machine_network[0]",
        networking={"machine_network": ["192.0.2.300/24"]},
    ),
    cluster(
        "address inside a network",
        "operator",
        "networking.api_server.advertise_address",
        networking={"api_server": {"advertise_address": "172.31.0.1"}},
    ),
    cluster(
        "address of the API",
        "fine",
        networking={
            "api_server": {"advertise_address": "172.20.0.1", "port": 6443, "allowed_cidr_blocks": ["192.0.2.0/24"]}
        },
    ),
    cluster("port that is none", "operator", "networking.api_server.port", networking={"api_server": {"port": 65536}}),
    cluster(
        "blocks that are none",
        "crd",
        "networking.api_server.allowed_cidr_blocks[0]",
        networking={"api_server": {"allowed_cidr_blocks": ["everywhere"]}},
    ),
    cluster(
        "blocks twice",
        "crd",
        "networking.api_server.allowed_cidr_blocks",
        networking={"api_server": {"allowed_cidr_blocks": ["192.0.2.0/24", "192.0.2.0/24"]}},
    ),
    cluster("etcd of a size", "fine", etcd=_volume(size="20Gi", storage_class_name="fast")),
    cluster("etcd of no size", "crd", f"{_VOLUME}.size", etcd=_volume(size="large")),
    cluster(
        "etcd managed by both",
        "crd",
        "etcd.unmanaged",
        etcd={
            **_volume(size="8Gi"),
            "management_type": "Managed",
            "unmanaged": {"endpoint": "https://etcd", "tls": {"client_secret": {"name": "x"}}},
        },
    ),
    cluster(
        "etcd elsewhere",
        "fine",
        etcd={"unmanaged": {"endpoint": "https://etcd:2379", "tls": {"client_secret": {"name": "x"}}}},
    ),
    cluster(
        "etcd elsewhere without TLS",
        "crd",
        "etcd.unmanaged.endpoint",
        etcd={"unmanaged": {"endpoint": "http://etcd", "tls": {"client_secret": {"name": "x"}}}},
    ),
    cluster("etcd elsewhere and nowhere", "crd", "etcd.unmanaged", etcd={"management_type": "Unmanaged"}),
    cluster(
        "etcd in another storage",
        "crd",
        "etcd.managed.storage.type",
        etcd={"managed": {"storage": {"type": "HostPath"}}},
    ),
    cluster(
        "two snapshots",
        "crd",
        "etcd.managed.storage.restore_snapshot_url",
        etcd={"managed": {"storage": {"restore_snapshot_url": ["https://a", "https://b"]}}},
    ),
    cluster(
        "snapshot on a disk",
        "crd",
        "etcd.managed.storage.restore_snapshot_url",
        etcd={"managed": {"storage": {"restore_snapshot_url": ["file:///a"]}}},
    ),
    cluster("unknown availability", "crd", "controller_availability_policy", controller_availability_policy="Triple"),
    cluster(
        "unknown availability of the rest",
        "crd",
        "infrastructure_availability_policy",
        infrastructure_availability_policy="Triple",
    ),
    cluster("unknown placement", "crd", "olm_catalog_placement", olm_catalog_placement="nowhere"),
    cluster("issuer that is no URL", "crd", "issuer_url", issuer_url="kubernetes.default.svc"),
    cluster("issuer with half an IPv6 address", "crd", "issuer_url", issuer_url="https://[fd00::1"),
    cluster("issuer", "fine", issuer_url="https://issuer.example.com/path"),
    cluster("update service that is no URL", "crd", "update_service", update_service="nowhere"),
    cluster("infra id with an underscore", "crd", "infra_id", infra_id="edge_1"),
    cluster("cluster id that is none", "crd", "cluster_id", cluster_id="1234"),
    cluster("cluster id", "fine", cluster_id="0f5a3c7e-1111-2222-3333-444455556666"),
    cluster(
        "encryption by a cloud",
        "operator",
        "secret_encryption.type",
        secret_encryption={"type": "kms", "aescbc": {"active_key": {"name": "k"}}},
    ),
    cluster("unknown capability", "crd", "capabilities.disabled", capabilities={"disabled": ["Everything"]}),
    cluster(
        "capability on and off",
        "crd",
        "capabilities.disabled",
        capabilities={"enabled": ["Insights"], "disabled": ["Insights"]},
    ),
    cluster("no ingress, but a console", "crd", "capabilities.disabled", capabilities={"disabled": ["Ingress"]}),
    cluster("neither ingress nor console", "fine", capabilities={"disabled": ["Ingress", "Console"]}),
    cluster(
        "scale down, but only up",
        "crd",
        "autoscaling.scale_down",
        autoscaling={"scaling": "ScaleUpOnly", "scale_down": {"delay_after_add_seconds": 1}},
    ),
    cluster("unknown scaling", "crd", "autoscaling.scaling", autoscaling={"scaling": "Sideways"}),
    cluster(
        "delay of more than a day",
        "crd",
        "autoscaling.scale_down.delay_after_add_seconds",
        autoscaling={"scale_down": {"delay_after_add_seconds": 86401}},
    ),
    cluster(
        "more than everything",
        "crd",
        "autoscaling.scale_down.utilization_threshold_percent",
        autoscaling={"scale_down": {"utilization_threshold_percent": 101}},
    ),
    cluster(
        "a ratio of more than everything",
        "crd",
        "autoscaling.max_free_difference_ratio_percent",
        autoscaling={"max_free_difference_ratio_percent": 101},
    ),
    cluster("fewer than no nodes", "crd", "autoscaling.max_nodes_total", autoscaling={"max_nodes_total": -1}),
    cluster(
        "provision time in words",
        "crd",
        "autoscaling.max_node_provision_time",
        autoscaling={"max_node_provision_time": "an hour"},
    ),
    cluster(
        "provision time",
        "fine",
        autoscaling={"max_node_provision_time": "45m", "expanders": ["Priority", "LeastWaste"], "max_nodes_total": 10},
    ),
    cluster("unknown expander", "crd", "autoscaling.expanders", autoscaling={"expanders": ["Cheapest"]}),
    cluster("too many expanders", "crd", "autoscaling.expanders", autoscaling={"expanders": ["Random"] * 4}),
    cluster(
        "ignored label with a blank",
        "crd",
        "autoscaling.balancing_ignored_labels",
        autoscaling={"balancing_ignored_labels": ["a b"]},
    ),
    cluster(
        "twenty-one node labels", "crd", "node_selector", node_selector={f"l{number}": "x" for number in range(21)}
    ),
    cluster("twenty-one pod labels", "crd", "pod_labels", pod_labels={f"l{number}": "x" for number in range(21)}),
    cluster(
        "twenty-six tolerations", "crd", "tolerations", tolerations=[{"key": f"t{number}"} for number in range(26)]
    ),
    cluster(
        "mirrors twice",
        "crd",
        "image_content_sources[0].mirrors",
        image_content_sources=[{"source": "quay.io/a", "mirrors": ["m/a", "m/a"]}],
    ),
    cluster("mirrors", "fine", image_content_sources=[{"source": "quay.io/a", "mirrors": ["m/a", "n/a"]}]),
    cluster("channel that is too long", "crd", "channel", channel="x" * 101),
    cluster("paused without end", "fine", paused_until="true"),
    cluster("paused until later", "crd", "paused_until", paused_until="later"),
    cluster(
        "one network per pod, with OVN",
        "crd",
        "operator_configuration.clusterNetworkOperator.disableMultiNetwork",
        operator_configuration={"clusterNetworkOperator": {"disableMultiNetwork": True}},
    ),
    cluster(
        "OVN settings with another plugin",
        "crd",
        "operator_configuration.clusterNetworkOperator.ovnKubernetesConfig",
        networking={"network_type": "Other"},
        operator_configuration=_ovn(mtu=1400),
    ),
    cluster("OVN settings", "fine", operator_configuration=_ovn(mtu=1400, v4InternalSubnet="100.99.0.0/16")),
    cluster(
        "MTU that is too small",
        "crd",
        "operator_configuration.clusterNetworkOperator.ovnKubernetesConfig.mtu",
        operator_configuration=_ovn(mtu=100),
    ),
    cluster(
        "internal network without room",
        "crd",
        "operator_configuration.clusterNetworkOperator.ovnKubernetesConfig.v4InternalSubnet",
        operator_configuration=_ovn(v4InternalSubnet="100.99.0.0/31"),
    ),
    cluster_change("other services", "crd", "services", {}, services=published(APIServer=publish("LoadBalancer"))),
    cluster_change("services in another order", "crd", "services", {}, services=published()[::-1]),
    cluster_change("the same services", "fine", "", {}, services=published()),
    cluster_change("one service more", "crd", "services", {}, services=[*published(), publish(service="OIDC")]),
    cluster_change("another domain", "crd", "base_domain", {}, base_domain="example.org"),
    cluster_change("another prefix", "crd", "base_domain_prefix", {"base_domain_prefix": "a"}, base_domain_prefix="b"),
    cluster_change(
        "another cluster network",
        "crd",
        "networking.cluster_network",
        {},
        networking={"cluster_network": [{"cidr": "10.0.0.0/14"}]},
    ),
    cluster_change(
        "the network that the server filled in",
        "fine",
        "",
        {},
        networking={"service_network": ["172.31.0.0/16"], "network_type": "OVNKubernetes"},
    ),
    cluster_change(
        "another machine network",
        "crd",
        "networking.machine_network",
        {"networking": {"machine_network": ["192.0.2.0/24"]}},
        networking={"machine_network": ["198.51.100.0/24"]},
    ),
    cluster_change(
        "another address of the API",
        "crd",
        "networking.api_server.advertise_address",
        {"networking": {"api_server": {"advertise_address": "172.20.0.1"}}},
        networking={"api_server": {"advertise_address": "172.20.0.2"}},
    ),
    cluster_change("larger etcd", "crd", f"{_VOLUME}.size", {}, etcd=_volume(size="20Gi")),
    cluster_change(
        "etcd elsewhere later",
        "crd",
        "etcd.management_type",
        {},
        etcd={
            "management_type": "Unmanaged",
            "unmanaged": {"endpoint": "https://etcd", "tls": {"client_secret": {"name": "x"}}},
        },
    ),
    cluster_change(
        "snapshot later",
        "crd",
        "etcd.managed.storage.restore_snapshot_url",
        {},
        etcd={"managed": {"storage": {"restore_snapshot_url": ["https://a.example.com/snapshot"]}}},
    ),
    cluster_change(
        "another availability",
        "crd",
        "controller_availability_policy",
        {},
        controller_availability_policy="SingleReplica",
    ),
    cluster_change("another placement", "crd", "olm_catalog_placement", {}, olm_catalog_placement="guest"),
    cluster_change(
        "another availability of the rest", "fine", "", {}, infrastructure_availability_policy="HighlyAvailable"
    ),
    cluster_change("FIPS later", "operator", "fips", {}, fips=True),
    cluster_change("no FIPS any more", "crd", "fips", {"fips": True}, fips=False),
    cluster_change("still no FIPS", "fine", "", {}, fips=False),
    cluster_change("another issuer", "crd", "issuer_url", {}, issuer_url="https://issuer.example.com"),
    cluster_change("capabilities later", "crd", "capabilities", {}, capabilities={"disabled": ["Insights"]}),
    cluster_change("another infra id", "crd", "infra_id", {"infra_id": "edge-1"}, infra_id="edge-2"),
    cluster_change("an infra id for one without", "fine", "", {}, infra_id="edge-2"),
    cluster_change(
        "another cluster id",
        "crd",
        "cluster_id",
        {"cluster_id": "0f5a3c7e-1111-2222-3333-444455556666"},
        cluster_id="0f5a3c7e-1111-2222-3333-444455556667",
    ),
    cluster_change("no encryption any more", "crd", "secret_encryption", {}, secret_encryption={}),
    cluster_change(
        "another key",
        "fine",
        "",
        {},
        secret_encryption={"aescbc": {"active_key": {"name": "new"}, "backup_key": {"name": "old"}}},
    ),
    cluster_change(
        "another MTU",
        "crd",
        "operator_configuration.clusterNetworkOperator.ovnKubernetesConfig.mtu",
        {"operator_configuration": _ovn(mtu=1400)},
        operator_configuration=_ovn(mtu=9000),
    ),
    cluster_change(
        "another release", "fine", "", {}, release_image="quay.io/openshift-release-dev/ocp-release:4.22.1-x86_64"
    ),
    cluster_change("another network plugin", "fine", "", {}, networking={"network_type": "Calico"}),
    cluster_change(
        "only up from now on",
        "crd",
        "autoscaling.scale_down",
        {"autoscaling": {"scale_down": {"delay_after_add_seconds": 60}}},
        autoscaling={"scaling": "ScaleUpOnly"},
    ),
    cluster_change(
        "only up, scale down taken out",
        "fine",
        "",
        {"autoscaling": {"scale_down": {"delay_after_add_seconds": 60}}},
        autoscaling={"scaling": "ScaleUpOnly", "scale_down": {}},
    ),
)
