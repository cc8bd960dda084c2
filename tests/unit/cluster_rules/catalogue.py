# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test data: single mistakes in a deployment. Each one has the change that makes it and the one problem (path, kind)
that validation must find, even if there are other mistakes.

Mistakes are independent when their ``touches`` are different. ``touches`` lists the parts of the deployment that
contain the mistake, or that decide whether it is a mistake.
"""

from __future__ import annotations

import dataclasses
import random

from ansible_collections.zerotouch.openshift.plugins.module_utils.cluster.spec import (
    ClusterNetwork,
    ImageDigestSource,
    Interface,
    Pool,
    Proxy,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.problems import (
    DUPLICATE,
    FORBIDDEN,
    IGNORED,
    INVALID,
    REQUIRED,
    TOO_MANY,
    UNKNOWN_FIELD,
    UNSUPPORTED,
)

from .base import (
    PULL_SECRET,
    SSH_KEY,
    TODAY,
    Change,
    all_of,
    both_families,
    certificate,
    cluster,
    drop,
    extra,
    good_deployment,
    host,
    mac,
    network,
    networking,
    pool,
    put,
)
from .verdict_bases import CERTIFICATES


@dataclasses.dataclass(frozen=True)
class Mistake:
    name: str
    touches: frozenset[str]
    change: Change
    path: str
    kind: str
    check: str = ""

    @property
    def expected(self) -> tuple[str, str]:
        return self.path, self.kind


def _mistake(name: str, touches: str, change: Change, path: str, kind: str, check: str = "") -> Mistake:
    return Mistake(name, frozenset(touches.split()), change, path, kind, check)


NETWORKS = "networks hosts vips"
SOURCES = "sources pull-secret"
API, INGRESS = "platform.baremetal.apiVIPs", "platform.baremetal.ingressVIPs"
FIRST = "hosts[{}].networkConfig.interfaces[0]"
IMAGE = "openshift_release_image"
MIRROR = ImageDigestSource("quay.io/openshift-release-dev/ocp-release", ("registry.example.com:5000/ocp/release",))


def _sources(*further: ImageDigestSource) -> Change:
    return cluster(image_digest_sources=(MIRROR, *further))


def _hints(name: str, index: int, wrong: str, **hints: object) -> Mistake:
    """Root device hints of a host, and which of them is the wrong one."""
    change = host(index, root_device_hints=hints)
    return _mistake(
        name, f"disk-{index}", change, f"hosts[{index}].rootDeviceHints.{wrong}", INVALID, "root-device-conflict"
    )


def _network(
    index: int, edit: str, value: object, path: str, kind: str, name: str, check: str = "", touches: str = ""
) -> Mistake:
    """A mistake in the networkConfig of a host."""
    return _mistake(
        name,
        touches or f"host-{index}",
        network(index, put(edit, value)),
        f"hosts[{index}].networkConfig.{path}",
        kind,
        check,
    )


CATALOGUE: tuple[Mistake, ...] = (
    # names
    _mistake("name with capitals", "name", cluster(name="Demo"), "metadata.name", INVALID),
    _mistake("name too long", "name", cluster(name="d" * 55), "metadata.name", INVALID),
    _mistake("name with a dot on premises", "name", cluster(name="demo.one"), "metadata.name", INVALID),
    _mistake("no name", "name", cluster(name=""), "metadata.name", INVALID),
    _mistake(
        "domain with an underscore", "domain", cluster(base_domain="my_domain.example.com"), "baseDomain", INVALID
    ),
    _mistake("no domain", "domain", cluster(base_domain=""), "baseDomain", INVALID),
    _mistake(
        "domain too long with the name",
        "name domain",
        cluster(base_domain=".".join(["d" * 61] * 4) + ".ab"),
        "baseDomain",
        INVALID,
    ),
    _mistake(
        "NTP source", "ntp", cluster(ntp_sources=("192.168.111.1", "ntp server")), "additionalNTPSources", INVALID
    ),
    _mistake(
        "boot artifacts without a scheme",
        "artifacts",
        cluster(boot_artifacts_base_url="files.example.com/ocp"),
        "bootArtifactsBaseURL",
        INVALID,
    ),
    # networks
    _mistake(
        "machine network with host bits",
        NETWORKS,
        networking(machine_networks=("192.168.111.1/24",)),
        "networking.machineNetwork[0]",
        INVALID,
    ),
    _mistake(
        "second machine network overlaps",
        NETWORKS,
        networking(machine_networks=("192.168.111.0/24", "192.168.0.0/16")),
        "networking.machineNetwork[1]",
        INVALID,
    ),
    _mistake(
        "machine network no network",
        NETWORKS,
        networking(machine_networks=("192.168.111.0/24", "lab")),
        "networking.machineNetwork[1].cidr",
        INVALID,
    ),
    _mistake(
        "machine network in OVN's own",
        NETWORKS,
        networking(machine_networks=("192.168.111.0/24", "100.64.8.0/24")),
        "networking.machineNetwork[1]",
        INVALID,
    ),
    _mistake(
        "service network overlaps",
        NETWORKS,
        networking(service_networks=("192.168.111.128/25",)),
        "networking.serviceNetwork[0]",
        INVALID,
    ),
    _mistake(
        "service network too large",
        NETWORKS,
        networking(service_networks=("172.0.0.0/8",)),
        "networking.serviceNetwork[0]",
        INVALID,
    ),
    _mistake(
        "service network with host bits",
        NETWORKS,
        networking(service_networks=("172.30.0.1/16",)),
        "networking.serviceNetwork[0]",
        INVALID,
    ),
    _mistake(
        "two service networks",
        NETWORKS,
        networking(service_networks=("172.30.0.0/16", "172.31.0.0/16")),
        "networking.serviceNetwork",
        INVALID,
    ),
    _mistake(
        "cluster network overlaps services",
        NETWORKS,
        networking(cluster_networks=(ClusterNetwork("172.30.0.0/16", 23),)),
        "networking.clusterNetwork[0].cidr",
        INVALID,
    ),
    _mistake(
        "cluster network unspecified",
        NETWORKS,
        networking(cluster_networks=(ClusterNetwork("0.0.0.0/8", 23),)),
        "networking.clusterNetwork[0].cidr",
        INVALID,
    ),
    _mistake(
        "host prefix larger than the network",
        NETWORKS,
        networking(cluster_networks=(ClusterNetwork("10.128.0.0/14", 12),)),
        "networking.clusterNetwork[0].hostPrefix",
        INVALID,
    ),
    _mistake(
        "host prefix leaves no addresses",
        NETWORKS,
        networking(cluster_networks=(ClusterNetwork("10.128.0.0/14", 28),)),
        "networking.clusterNetwork[0].hostPrefix",
        INVALID,
    ),
    _mistake(
        "too few host subnets",
        NETWORKS,
        networking(cluster_networks=(ClusterNetwork("10.128.0.0/23", 24),)),
        "networking.clusterNetwork[0].hostPrefix",
        INVALID,
    ),
    _mistake(
        "two host prefixes",
        NETWORKS,
        networking(cluster_networks=(ClusterNetwork("10.128.0.0/14", 23), ClusterNetwork("10.192.0.0/14", 24))),
        "networking.clusterNetwork[1].hostPrefix",
        INVALID,
    ),
    _mistake("OpenShiftSDN", NETWORKS, networking(network_type="OpenShiftSDN"), "networking.networkType", INVALID),
    _mistake(
        "docker bridge",
        NETWORKS,
        networking(service_networks=("172.17.0.0/16",)),
        "networking.serviceNetwork[0]",
        INVALID,
        "docker-bridge-overlap",
    ),
    _mistake(
        "cluster network MTU",
        NETWORKS,
        extra(networking={"clusterNetworkMTU": 1400}),
        "networking.clusterNetworkMTU",
        INVALID,
    ),
    _mistake(
        "dual stack without IPv6 machines",
        NETWORKS,
        all_of(
            networking(
                service_networks=("172.30.0.0/16", "fd02::/112"),
                cluster_networks=(ClusterNetwork("10.128.0.0/14", 23), ClusterNetwork("fd01::/48", 64)),
            )
        ),
        "networking.machineNetwork",
        INVALID,
    ),
    _mistake(
        "IPv6 host prefix",
        NETWORKS,
        all_of(
            both_families,
            networking(
                service_networks=("172.30.0.0/16", "fd02::/112"),
                machine_networks=("192.168.111.0/24", "fd2e:6f44:5dd8::/64"),
                cluster_networks=(ClusterNetwork("10.128.0.0/14", 23), ClusterNetwork("fd01::/48", 56)),
            ),
        ),
        "networking.clusterNetwork[1].hostPrefix",
        INVALID,
    ),
    _mistake(
        "IPv6 pods",
        NETWORKS,
        networking(cluster_networks=(ClusterNetwork("fd01::/48", 64),)),
        "networking.clusterNetwork",
        INVALID,
        "address-families",
    ),
    # VIPs
    _mistake("no VIP for the API", "vips", cluster(api_vips=()), API, REQUIRED),
    _mistake("no VIP for the ingress", "vips", cluster(ingress_vips=()), INGRESS, REQUIRED),
    _mistake(
        "three VIPs", "vips", cluster(api_vips=("192.168.111.5", "192.168.111.6", "192.168.111.7")), API, TOO_MANY
    ),
    _mistake("VIP no address", "vips", cluster(api_vips=("192.168.111.500",)), API, INVALID),
    _mistake("VIP outside the machine networks", "vips", cluster(ingress_vips=("192.168.112.4",)), INGRESS, INVALID),
    _mistake("one VIP for both", "vips", cluster(ingress_vips=("192.168.111.5",)), API, INVALID),
    _mistake("two VIPs of one family", "vips", cluster(api_vips=("192.168.111.5", "192.168.111.6")), API, INVALID),
    _mistake(
        "VIP is a host's address",
        "vips hosts",
        cluster(api_vips=("192.168.111.83",)),
        f"{API}[0]",
        INVALID,
        "vip-clash",
    ),
    _mistake(
        "VIP is the rendezvous host's address",
        "vips hosts rendezvous",
        cluster(ingress_vips=("192.168.111.80",)),
        f"{INGRESS}[0]",
        INVALID,
        "vip-clash",
    ),
    _mistake(
        "rendezvous IP is a VIP",
        "vips hosts rendezvous",
        cluster(rendezvous_ip="192.168.111.5"),
        f"{API}[0]",
        INVALID,
        "vip-clash",
    ),
    _mistake(
        "VIP is the gateway", "vips hosts", cluster(api_vips=("192.168.111.1",)), f"{API}[0]", INVALID, "vip-clash"
    ),
    _mistake(
        "VIP is the broadcast address",
        "vips networks",
        cluster(api_vips=("192.168.111.255",)),
        f"{API}[0]",
        INVALID,
        "address-unusable",
    ),
    _mistake(
        "VIP in a DHCP range",
        "vips platform",
        cluster(
            platform_options={"provisioningDHCPRange": "192.168.111.2,192.168.111.9"}, ingress_vips=("192.168.111.44",)
        ),
        f"{API}[0]",
        INVALID,
        "vip-clash",
    ),
    # platform
    _mistake(
        "load balancer type",
        "platform vips",
        cluster(platform_options={"loadBalancer": {"type": "Mine"}}),
        "platform.baremetal.loadBalancer.type",
        INVALID,
    ),
    _mistake(
        "provisioning network",
        "platform",
        cluster(platform_options={"provisioningNetwork": "Off"}),
        "platform.baremetal.provisioningNetwork",
        UNSUPPORTED,
    ),
    _mistake(
        "ignored platform field",
        "platform",
        cluster(platform_options={"externalBridge": "br0"}),
        "platform.baremetal.externalBridge",
        IGNORED,
        "ignored-field",
    ),
    # pools
    _mistake(
        "hyperthreading",
        "workers",
        pool("compute", options={"hyperthreading": "On"}),
        "compute[0].hyperthreading",
        UNSUPPORTED,
    ),
    _mistake(
        "hyperthreading is ignored",
        "workers",
        pool("compute", options={"hyperthreading": "Disabled"}),
        "compute[0].hyperthreading",
        IGNORED,
        "ignored-field",
    ),
    _mistake(
        "architectures differ",
        "workers masters",
        pool("compute", architecture="s390x"),
        "compute[0].architecture",
        INVALID,
    ),
    _mistake(
        "ppc64le on baremetal",
        "workers masters",
        all_of(pool("control_plane", architecture="ppc64le"), pool("compute", architecture="ppc64le")),
        "platform",
        INVALID,
    ),
    _mistake(
        "six masters",
        "workers masters hosts rendezvous",
        all_of(
            pool("control_plane", replicas=6),
            cluster(rendezvous_ip="192.168.111.80"),
            lambda d: d.__class__(d.cluster, ()),
        ),
        "controlPlane.replicas",
        UNSUPPORTED,
    ),
    _mistake(
        "fencing for three masters",
        "masters",
        pool(
            "control_plane",
            options={
                "fencing": {
                    "credentials": [
                        {
                            "hostName": "a",
                            "username": "u",
                            "password": "p",
                            "address": "redfish+https://10.0.0.1/redfish/v1/Systems/1",
                        }
                    ]
                }
            },
        ),
        "controlPlane.fencing.credentials",
        FORBIDDEN,
    ),
    _mistake("arbiter without replicas", "arbiter", cluster(arbiter=Pool(0)), "arbiter.replicas", INVALID),
    _mistake("more workers than replicas", "workers hosts", pool("compute", replicas=1), "hosts", INVALID),
    _mistake(
        "fewer workers than replicas", "workers hosts", pool("compute", replicas=3), "hosts", REQUIRED, "fewer-hosts"
    ),
    # credentials
    _mistake("no SSH key", "ssh", cluster(ssh_key="my key"), "sshKey", INVALID),
    _mistake("second SSH key cut off", "ssh", cluster(ssh_key=f"{SSH_KEY}\nssh-ed25519 AAAAC3Nz"), "sshKey", INVALID),
    _mistake("SSH key for FIPS", "ssh", cluster(fips=True), "sshKey", INVALID),
    _mistake(
        "bundle no certificate",
        "bundle",
        cluster(additional_trust_bundle="certificate"),
        "additionalTrustBundle",
        INVALID,
    ),
    _mistake(
        "text after the bundle",
        "bundle",
        cluster(additional_trust_bundle=certificate("a", "2036-01-01") + "end\n"),
        "additionalTrustBundle",
        INVALID,
    ),
    _mistake(
        "certificate expired",
        "bundle",
        cluster(additional_trust_bundle=certificate("a", "2026-05-31")),
        "additionalTrustBundle",
        INVALID,
        "certificate-expired",
    ),
    _mistake(
        "certificate of tomorrow",
        "bundle",
        cluster(additional_trust_bundle=certificate("a", "2036-01-01", "2026-06-02")),
        "additionalTrustBundle",
        INVALID,
        "certificate-not-yet-valid",
    ),
    _mistake(
        "certificate that signs nothing",
        "bundle",
        cluster(additional_trust_bundle=CERTIFICATES[0]),
        "additionalTrustBundle",
        INVALID,
        "certificate-authority",
    ),
    _mistake(
        "bundle policy",
        "bundle-policy",
        cluster(additional_trust_bundle_policy="Never"),
        "additionalTrustBundlePolicy",
        INVALID,
    ),
    _mistake("pull secret no JSON", SOURCES, cluster(pull_secret="{auths}"), "pullSecret", INVALID),
    _mistake("pull secret without auths", SOURCES, cluster(pull_secret='{"auths": {}}'), "pullSecret", INVALID),
    _mistake(
        "pull secret without auth",
        SOURCES,
        cluster(pull_secret=PULL_SECRET.replace('{"auth": "dXNlcjpnZWhlaW0="}', "{}", 1)),
        "pullSecret",
        INVALID,
    ),
    _mistake(
        "auth no base64",
        SOURCES,
        cluster(pull_secret=PULL_SECRET.replace("dXNlcjpnZWhlaW0=", "user:x", 1)),
        "pullSecret",
        INVALID,
        "pull-secret-auth",
    ),
    _mistake(
        "auth without user",
        SOURCES,
        cluster(pull_secret=PULL_SECRET.replace("dXNlcjpnZWhlaW0=", "Z2VoZWlt", 1)),
        "pullSecret",
        INVALID,
        "pull-secret-auth",
    ),
    _mistake(
        "mirror not in the pull secret",
        SOURCES,
        _sources(ImageDigestSource("quay.io/a/b", ("mirror.example.com/a/b",))),
        "imageDigestSources[1].mirrors[0]",
        INVALID,
        "registry-without-credentials",
    ),
    # mirrors and release image
    _mistake(
        "mirror source with a tag",
        SOURCES,
        _sources(ImageDigestSource("quay.io/a/b:1")),
        "imageDigestSources[1].source",
        INVALID,
    ),
    _mistake(
        "mirror source without a registry",
        SOURCES,
        _sources(ImageDigestSource("ocp/release")),
        "imageDigestSources[1].source",
        INVALID,
    ),
    _mistake(
        "mirror with capitals",
        SOURCES,
        _sources(ImageDigestSource("quay.io/a/b", ("registry.example.com:5000/OCP",))),
        "imageDigestSources[1].mirrors[0]",
        INVALID,
    ),
    _mistake(
        "source policy",
        SOURCES,
        _sources(ImageDigestSource("quay.io/a/b", ("quay.io/c",), "Never")),
        "imageDigestSources[1].sourcePolicy",
        INVALID,
    ),
    _mistake(
        "source policy without mirrors",
        SOURCES,
        _sources(ImageDigestSource("quay.io/a/b", (), "NeverContactSource")),
        "imageDigestSources[1].sourcePolicy",
        INVALID,
    ),
    _mistake(
        "release image as a URL",
        "sources release",
        cluster(release_image="https://quay.io/openshift-release-dev/ocp-release:4.22.0-x86_64"),
        IMAGE,
        INVALID,
        "release-image",
    ),
    _mistake(
        "release image by tag",
        "sources release",
        cluster(release_image="quay.io/openshift-release-dev/ocp-release:4.22.0-x86_64"),
        "openshift_release_image",
        INVALID,
        "release-image-tag",
    ),
    _mistake(
        "release image of another version",
        "sources release",
        cluster(release_image="registry.example.com:5000/ocp/release:4.21.0-x86_64"),
        IMAGE,
        INVALID,
        "release-image-mismatch",
    ),
    _mistake(
        "release image of another architecture",
        "sources release masters workers",
        cluster(release_image="registry.example.com:5000/ocp/release:4.22.0-aarch64"),
        IMAGE,
        INVALID,
        "release-image-mismatch",
    ),
    _mistake(
        "mirror of the release image's organisation",
        SOURCES + " release",
        cluster(
            image_digest_sources=(
                ImageDigestSource("quay.io/openshift-release-dev", ("registry.example.com:5000/ocp",)),
            )
        ),
        IMAGE,
        INVALID,
        "release-mirror",
    ),
    _mistake(
        "mirror of another release",
        SOURCES + " release",
        all_of(cluster(release_image="quay.io/our/ocp@sha256:" + "0b" * 32)),
        IMAGE,
        INVALID,
        "release-mirror",
    ),
    _mistake(
        "registry of the release not in the pull secret",
        SOURCES + " release",
        cluster(image_digest_sources=(), release_image="registry.ci.openshift.org/ocp/release@sha256:" + "0b" * 32),
        IMAGE,
        INVALID,
        "release-registry-without-credentials",
    ),
    # further options
    _mistake(
        "proxy with the wrong scheme",
        "proxy",
        cluster(proxy=Proxy(http_proxy="https://proxy.example.com:3128")),
        "proxy.httpProxy",
        UNSUPPORTED,
    ),
    _mistake(
        "proxy in the service network",
        "proxy networks",
        cluster(proxy=Proxy(https_proxy="http://172.30.0.9:3128")),
        "proxy.httpsProxy",
        INVALID,
    ),
    _mistake("proxy no URL", "proxy", cluster(proxy=Proxy(http_proxy="proxy.example.com")), "proxy.httpProxy", INVALID),
    _mistake("noProxy alone", "proxy", cluster(proxy=Proxy(no_proxy="example.com")), "proxy", REQUIRED),
    _mistake(
        "noProxy with a wildcard",
        "proxy",
        cluster(proxy=Proxy("http://p.example.com:1", "", "*.example.com")),
        "proxy.noProxy",
        INVALID,
    ),
    _mistake("publish", "publish", extra(publish="Internal"), "publish", INVALID),
    _mistake("publish unknown", "publish", extra(publish="Somewhere"), "publish", UNSUPPORTED),
    _mistake("credentials mode", "credentials-mode", extra(credentialsMode="Manual"), "credentialsMode", INVALID),
    _mistake(
        "capability set",
        "capabilities",
        cluster(capabilities={"baselineCapabilitySet": "v4.10", "additionalEnabledCapabilities": ["Ingress"]}),
        "capabilities.baselineCapabilitySet",
        UNSUPPORTED,
    ),
    _mistake(
        "capability object without a set",
        "capabilities",
        cluster(capabilities={"additionalEnabledCapabilities": ["Console"]}),
        "capabilities.baselineCapabilitySet",
        UNSUPPORTED,
    ),
    _mistake(
        "capability",
        "capabilities",
        cluster(capabilities={"baselineCapabilitySet": "vCurrent", "additionalEnabledCapabilities": ["Konsole"]}),
        "capabilities.additionalEnabledCapabilities[0]",
        UNSUPPORTED,
    ),
    _mistake(
        "no Ingress",
        "capabilities",
        cluster(capabilities={"baselineCapabilitySet": "None", "additionalEnabledCapabilities": ["baremetal"]}),
        "capabilities",
        INVALID,
    ),
    _mistake(
        "no baremetal capability",
        "capabilities",
        cluster(capabilities={"baselineCapabilitySet": "None", "additionalEnabledCapabilities": ["Ingress"]}),
        "additionalEnabledCapabilities",
        INVALID,
    ),
    _mistake("feature set", "features", cluster(feature_set="TechPreview"), "featureSet", UNSUPPORTED),
    _mistake("gates without custom set", "features", cluster(feature_gates=("A=true",)), "featureGates", FORBIDDEN),
    _mistake(
        "gate without a value",
        "features",
        cluster(feature_set="CustomNoUpgrade", feature_gates=("A=true", "B")),
        "featureGates[1]",
        INVALID,
    ),
    _mistake(
        "CPU partitioning",
        "partitioning",
        cluster(cpu_partitioning_mode="Some"),
        "cpuPartitioningMode",
        UNSUPPORTED,
        "unknown-value",
    ),
    _mistake(
        "OS stream",
        "features",
        all_of(extra(osImageStream="rhel-8"), cluster(feature_set="TechPreviewNoUpgrade")),
        "osImageStream",
        FORBIDDEN,
    ),
    # rendezvous
    _mistake("rendezvous IP no address", "rendezvous", cluster(rendezvous_ip="node-0"), "rendezvousIP", INVALID),
    _mistake(
        "rendezvous IP on no host",
        "rendezvous hosts",
        cluster(rendezvous_ip="192.168.111.99"),
        "rendezvousIP",
        INVALID,
        "rendezvous-host",
    ),
    _mistake(
        "rendezvous IP on a worker",
        "rendezvous host-3",
        cluster(rendezvous_ip="192.168.111.83"),
        "hosts[3].role",
        FORBIDDEN,
    ),
    _mistake(
        "rendezvous IP outside the networks",
        "rendezvous hosts",
        all_of(
            cluster(rendezvous_ip="10.9.9.9"),
            network(0, lambda d: d["interfaces"][0]["ipv4"]["address"].append({"ip": "10.9.9.9", "prefix-length": 24})),
        ),
        "rendezvousIP",
        INVALID,
        "rendezvous-network",
    ),
    # hosts
    _mistake("no interface", "host-3", host(3, interfaces=()), "hosts[3].interfaces", REQUIRED),
    _mistake(
        "no MAC", "host-3", host(3, interfaces=(Interface("eno1", ""),)), "hosts[3].interfaces[0].macAddress", REQUIRED
    ),
    _mistake("MAC too short", "host-3", mac(3, "52:54:00:ab:00"), "hosts[3].interfaces[0].macAddress", INVALID),
    _mistake("MAC multicast", "host-3", mac(3, "53:54:00:ab:00:03"), "hosts[3].interfaces[0].macAddress", INVALID),
    _mistake("MAC with dashes", "host-3", mac(3, "52-54-00-ab-00-03"), "hosts[3].interfaces[0].macAddress", INVALID),
    _mistake("MAC twice", "host-1 host-2", mac(2, "52:54:00:ab:00:01"), "hosts[2].interfaces[0].macAddress", INVALID),
    _mistake(
        "MAC twice in another notation",
        "host-1 host-2",
        mac(2, "52:54:00:AB:00:01"),
        "hosts[2].interfaces[0].macAddress",
        DUPLICATE,
        "duplicate-mac",
    ),
    _mistake("role", "host-3 hostname-3 workers", host(3, role="storage"), "hosts[3].role", UNSUPPORTED),
    _mistake(
        "device name",
        "disk-1",
        host(1, root_device_hints={"deviceName": "sda"}),
        "hosts[1].rootDeviceHints.deviceName",
        INVALID,
    ),
    _mistake(
        "device by id",
        "disk-2",
        host(2, root_device_hints={"deviceName": "/dev/disk/by-id/wwn-1"}),
        "hosts[2].rootDeviceHints.deviceName",
        INVALID,
    ),
    _mistake(
        "WWN extension",
        "disk-0",
        host(0, root_device_hints={"wwnWithExtension": "0x1"}),
        "hosts[0].rootDeviceHints.wwnWithExtension",
        FORBIDDEN,
    ),
    _hints("disk hints that exclude each other", 3, "hctl", deviceName="/dev/nvme0n1", hctl="0:0:0:0"),
    _hints("disk that rotates without", 3, "rotational", deviceName="/dev/nvme0n1", rotational=True),
    _hints("disk of a million terabytes", 2, "minSizeGigabytes", minSizeGigabytes=120_000_000_000),
    _hints("partition", 1, "deviceName", deviceName="/dev/sda1"),
    _hints("WWN in capitals", 0, "wwn", wwn="0x5000C500A0B1C2D3"),
    _hints("WWN of a virtio disk", 0, "wwn", deviceName="/dev/vda", wwn="0x5000c500a0b1c2d3"),
    _mistake(
        "hostname twice",
        "hostname-1 hostname-2",
        host(2, hostname="node-1"),
        "hosts[2].hostname",
        DUPLICATE,
        "duplicate-hostname",
    ),
    _mistake(
        "hostname localhost",
        "hostname-3",
        host(3, hostname="localhost"),
        "hosts[3].hostname",
        INVALID,
        "hostname-invalid",
    ),
    _mistake(
        "hostname with an underscore",
        "hostname-4",
        host(4, hostname="node_4"),
        "hosts[4].hostname",
        INVALID,
        "hostname-invalid",
    ),
    _mistake(
        "BMC twice", "bmc", lambda d: host(3, bmc=d.hosts[1].bmc)(d), "hosts[3].bmc.address", DUPLICATE, "duplicate-bmc"
    ),
    # networkConfig
    _network(3, "interfaces.0.mtuu", 1500, "interfaces[0].mtuu", UNKNOWN_FIELD, "unknown property"),
    _network(3, "interfaces.0.type", "wireguard", "interfaces[0].type", UNSUPPORTED, "type that is not rendered"),
    _network(
        4, "interfaces.1.ipv4.address.0.ip", "10.20.0.300", "interfaces[1].ipv4.address[0].ip", INVALID, "no address"
    ),
    _network(
        4,
        "interfaces.0.link-aggregation.mode",
        "fastest",
        "interfaces[0].link-aggregation.mode",
        UNSUPPORTED,
        "bond mode",
    ),
    _network(
        4,
        "interfaces.0.link-aggregation.port",
        ["eno1", "eno2", "eno7"],
        "interfaces[0].link-aggregation.port",
        INVALID,
        "bond port missing",
        "bond-port-missing",
    ),
    _network(
        4,
        "interfaces.0.ipv4.address.0.ip",
        "192.168.111.83",
        "interfaces[0].ipv4.address[0].ip",
        DUPLICATE,
        "address twice",
        "duplicate-address",
        "host-3 host-4",
    ),
    _network(
        3,
        "interfaces.0.mac-address",
        "52:54:00:00:09:09",
        "interfaces[0].mac-address",
        INVALID,
        "MAC differs from the table",
        "interface-mac-mismatch",
    ),
    _network(
        3,
        "routes.config.0.next-hop-address",
        "192.168.112.1",
        "routes.config[0].next-hop-address",
        INVALID,
        "gateway elsewhere",
        "gateway-unreachable",
    ),
    _network(
        3,
        "interfaces.0.ipv4.address.0.prefix-length",
        23,
        "interfaces[0].ipv4.address[0].prefix-length",
        INVALID,
        "prefix length",
        "prefix-mismatch",
        "host-3 networks",
    ),
    _mistake(
        "bridge port missing",
        "host-3",
        network(
            3,
            lambda d: d["interfaces"].append(
                {"name": "br0", "type": "linux-bridge", "state": "up", "bridge": {"port": [{"name": "eno9"}]}}
            ),
        ),
        "hosts[3].networkConfig.interfaces[1].bridge.port[0].name",
        INVALID,
        "port-missing",
    ),
    _network(
        4,
        "interfaces.1.vlan.base-iface",
        "bond7",
        "interfaces[1].vlan.base-iface",
        INVALID,
        "VLAN on nothing",
        "base-interface-missing",
    ),
    _mistake(
        "bond in the interface table",
        "host-4",
        lambda d: host(4, interfaces=(*d.hosts[4].interfaces, Interface("bond0", "52:54:00:ab:02:04")))(d),
        "hosts[4].interfaces[2].name",
        INVALID,
        "interface-table",
    ),
    _network(
        4,
        "interfaces.1.ipv4.address.0.ip",
        "10.20.0.255",
        "interfaces[1].ipv4.address[0].ip",
        INVALID,
        "broadcast address",
        "address-unusable",
    ),
    _network(
        4,
        "interfaces.1.ipv4.address.0.ip",
        "192.168.111.99",
        "interfaces[1].ipv4.address[0].ip",
        INVALID,
        "two interfaces in one network",
        "subnets-overlap",
    ),
    _network(
        4,
        "interfaces.1.ipv4.address.0.ip",
        "10.130.0.84",
        "interfaces[1].ipv4.address[0].ip",
        INVALID,
        "address among the pods",
        "address-in-cluster-network",
        "host-4 networks",
    ),
    _network(
        3,
        "dns-resolver.config.server",
        ["172.30.0.10"],
        "dns-resolver.config.server[0]",
        INVALID,
        "name server among the services",
        "address-in-cluster-network",
        "host-3 networks",
    ),
    _mistake(
        "MAC of another host",
        "host-1 host-4",
        network(
            4,
            lambda d: d["interfaces"].append(
                {"name": "eno3", "type": "ethernet", "state": "up", "mac-address": "52:54:00:ab:00:01"}
            ),
        ),
        "hosts[4].networkConfig.interfaces[4].mac-address",
        DUPLICATE,
        "duplicate-mac",
    ),
    _mistake(
        "no name server",
        "host-2",
        network(2, drop("dns-resolver")),
        "hosts[2].networkConfig.dns-resolver",
        REQUIRED,
        "dns-missing",
    ),
    _mistake(
        "no default route",
        "host-1",
        network(1, drop("routes")),
        "hosts[1].networkConfig.routes",
        REQUIRED,
        "default-route-missing",
    ),
    _network(4, "interfaces.1.mtu", 9000, "interfaces[1].mtu", INVALID, "VLAN above its parent", "mtu"),
    _network(3, "interfaces.0.mtu", 9000, "interfaces[0].mtu", INVALID, "MTU of one host differs", "mtu", "hosts"),
    _mistake(
        "address outside the machine networks",
        "host-3 networks",
        all_of(
            network(3, put("interfaces.0.ipv4.address.0.ip", "192.168.50.83")),
            network(3, put("routes.config.0.next-hop-address", "192.168.50.1")),
        ),
        "hosts[3].networkConfig.interfaces[0].ipv4.address[0].ip",
        INVALID,
        "address-outside-machine-network",
    ),
    _mistake(
        "hostname in networkConfig",
        "host-3",
        network(3, put("hostname", {"config": "a"})),
        "hosts[3].networkConfig.hostname",
        IGNORED,
        "network-config-ignored",
    ),
)


def independent(mistakes: list[Mistake], chooser: random.Random, count: int) -> list[Mistake]:
    """Up to ``count`` mistakes out of a shuffled list that have nothing to do with each other.

    ``hosts`` means every host.
    """
    chosen: list[Mistake] = []
    taken: set[str] = set()
    for mistake in chooser.sample(mistakes, len(mistakes)):
        own = _spread(mistake.touches)
        if len(chosen) < count and not own & taken:
            chosen.append(mistake)
            taken |= own
    return chosen


def _spread(touches: frozenset[str]) -> set[str]:
    hosts = (
        {f"host-{index}" for index in range(5)}
        | {f"{part}-{index}" for index in range(5) for part in ("hostname", "disk")}
        | {"bmc"}
    )
    return {*touches, *(hosts if "hosts" in touches else ())}


__all__ = ["CATALOGUE", "TODAY", "Mistake", "good_deployment", "independent"]
